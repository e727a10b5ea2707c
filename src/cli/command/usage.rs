//! What the answers of runs took, as tables and JSON: requests, tokens, latency, and cost at the user's prices.

use crate::Context;
use crate::args::PriceArgs;
use crate::command::config;
use crate::config::{Config, Model};
use crate::eval::usage::{Prices, Usage, usage};
use crate::failure::Stop;
use crate::model::RunRow;
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable};

/// The costs of a run that was asked for here.
#[derive(Clone, Debug)]
pub struct PricedUsage {
    pub usage: Usage,
    /// Nothing where no price is known.
    pub prices: Option<Prices>,
}

/// Sums up the costs of each run's answers; nothing for one that came from a file.
pub fn of_runs(
    context: &Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    price_arguments: PriceArgs,
) -> Result<Vec<Option<PricedUsage>>, Stop> {
    let config = config::load(context);
    let of_run = |run: &RunRow| {
        let Some(usage) = usage(store, &run.setting.name)? else {
            return Ok(None);
        };
        let prices = prices(&config, run.setting.model.as_deref(), price_arguments);
        Ok(Some(PricedUsage { usage, prices }))
    };
    runs.iter().map(of_run).collect()
}

/// Finds the prices of a model's tokens: as is asked for, else as its settings say, whichever name it has there.
pub fn prices(config: &Config, model: Option<&str>, price_arguments: PriceArgs) -> Option<Prices> {
    let named = model.and_then(|name| {
        let is_served = |model: &&Model| model.get("model") == Some(name);
        let by_name = config.models.get(name);
        by_name.or_else(|| config.models.values().find(is_served))
    });
    let set = |key: &str| named.and_then(|model| model.get(key)?.parse::<f64>().ok());
    let tokens_in = price_arguments.price_in.or_else(|| set("price_in"));
    let tokens_out = price_arguments.price_out.or_else(|| set("price_out"));
    (tokens_in.is_some() || tokens_out.is_some()).then(|| Prices {
        tokens_in: tokens_in.unwrap_or(0.0),
        tokens_out: tokens_out.unwrap_or(0.0),
    })
}

/// The columns of [`cells`].
pub fn columns(numbers: NumberStyle) -> Vec<(String, Align)> {
    let names = match numbers {
        NumberStyle::People => [
            "answers",
            "requests",
            "tokens in",
            "tokens out",
            "latency median (s)",
            "latency p95 (s)",
            "cost",
        ],
        NumberStyle::Machine => [
            "answers",
            "requests",
            "tokens_in",
            "tokens_out",
            "latency_ms_median",
            "latency_ms_p95",
            "cost",
        ],
    };
    names.map(|name| (name.to_owned(), Align::Right)).into()
}

/// Writes the cells of a run; of one that was asked for elsewhere nothing is known. Sums that lack some requests say
/// so.
pub fn cells(spent: Option<&PricedUsage>, numbers: NumberStyle) -> Vec<String> {
    let none = || numbers.none().to_owned();
    let Some(PricedUsage { usage, prices }) = spent else {
        return columns(numbers).iter().map(|_| none()).collect();
    };
    let is_for_people = numbers == NumberStyle::People;
    let lacks = is_for_people && usage.n_without_tokens > 0;
    let tokens = |n: u64| match (lacks, usage.n_without_tokens == usage.n_requests) {
        (true, true) => none(),
        (true, false) => format!("≥ {n}"),
        (false, _) => n.to_string(),
    };
    let latency = |ms: Option<f64>| match ms {
        None => none(),
        Some(ms) if is_for_people => format!("{:.2}", ms / 1_000.0),
        Some(ms) => ms.to_string(),
    };
    let cost = prices.map(|price| usage.cost(price));
    let cost = match cost {
        None => none(),
        Some(_) if lacks && usage.n_without_tokens == usage.n_requests => none(),
        Some(cost) if lacks => format!("≥ {cost:.4}"),
        Some(cost) if is_for_people => format!("{cost:.4}"),
        Some(cost) => cost.to_string(),
    };
    vec![
        usage.n_answers.to_string(),
        usage.n_requests.to_string(),
        tokens(usage.n_tokens_in),
        tokens(usage.n_tokens_out),
        latency(usage.latency_median_ms),
        latency(usage.latency_p95_ms),
        cost,
    ]
}

/// Tabulates the costs, a row for each run.
pub fn table(runs: &[RunRow], spent: &[Option<PricedUsage>], numbers: NumberStyle) -> TextTable {
    let mut head = vec![
        ("run".to_owned(), Align::Left),
        ("model".to_owned(), Align::Left),
    ];
    head.extend(columns(numbers));
    let mut table = TextTable::new(&head);
    for (run, spent) in runs.iter().zip(spent) {
        let model = run.setting.model.clone();
        let model = model.unwrap_or_else(|| numbers.none().to_owned());
        let mut row = vec![run.setting.name.clone(), model];
        row.extend(cells(spent.as_ref(), numbers));
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_lacks_requests_is_a_least_one() {
        let usage = Usage {
            n_settings: 1,
            n_answers: 3,
            n_requests: 3,
            n_without_tokens: 1,
            n_tokens_in: 2_000_000,
            n_tokens_out: 10,
            latency_median_ms: Some(1_500.0),
            latency_p95_ms: None,
        };
        let prices = Some(Prices {
            tokens_in: 0.5,
            tokens_out: 0.0,
        });
        let spent = PricedUsage { usage, prices };
        let shown = cells(Some(&spent), NumberStyle::People);
        assert_eq!(
            shown,
            ["3", "3", "≥ 2000000", "≥ 10", "1.50", "–", "≥ 1.0000"]
        );
        let shown = cells(Some(&spent), NumberStyle::Machine);
        assert_eq!(shown, ["3", "3", "2000000", "10", "1500", "", "1"]);
        assert_eq!(cells(None, NumberStyle::Machine), [""; 7]);
    }
}
