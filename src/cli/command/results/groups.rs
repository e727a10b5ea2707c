//! The command `results --group`: a row for each group of a run's predictions.
//!
//! Groups of answers have counts and a mean. Groups of samples, such as repositories, also have the numbers that papers
//! report of each: how far answers come, what they cover, and every metric.

use std::io::Write;

use crate::args::{self, TableName};
use crate::browse;
use crate::command::executed::{FUNNEL_SHARES, fault_cells, fault_heads, funnel_shares, shares_of};
use crate::command::hint;
use crate::eval::by::GroupBy;
use crate::eval::results::{self, ResultList, ResultsOptions};
use crate::exchange::{WireResultGroup, write_line};
use crate::failure::Stop;
use crate::model::{CoverScope, GroupNumbers, ResultGroup};
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable, percent};
use crate::{Context, progress};

use super::{COLUMNS, signed, tell_not_evaluated, title, value};

/// What `Tests4J` scores beside [`COLUMNS`].
const CRYSTALBLEU: &str = "crystalbleu";

/// A group with its further numbers.
type ResultGroupRow = (ResultGroup, GroupNumbers);

/// Lists the groups of the predictions that the filter lets through.
pub fn write(
    context: &mut Context<'_, '_>,
    store: &Store,
    (options, by): (&ResultsOptions, GroupBy),
    arguments: &args::Results,
) -> Result<(), Stop> {
    let (list, groups) = progress::run(context, |_, monitor| {
        let list = results::list(store, monitor, options)?;
        let groups = results::numbers_of(store, monitor, &list, by)?;
        Ok((list, groups))
    })?;
    let n_shown = match arguments.limit {
        0 => groups.len(),
        limit => limit.min(groups.len()),
    };
    let shown = &groups[..n_shown];
    let format = arguments.format.or_json(arguments.json);
    let write_group = |out: &mut dyn Write, (group, numbers): &ResultGroupRow| {
        let filter = filter_of(group);
        let mut line = WireResultGroup::new(group, list.view.metric, &filter);
        if by.is_of_samples() {
            line = line.with(numbers, &list.view.metrics);
        }
        write_line(out, &line)
    };
    context.print(
        format,
        |out| shown.iter().try_for_each(|pair| write_group(out, pair)),
        |numbers| {
            let drawing = GroupTableLayout {
                by,
                list: &list,
                scope: arguments.scope,
                numbers,
                has_faults: shown.iter().any(|(_, numbers)| numbers.faults.is_some()),
            };
            [drawing.table(shown)]
        },
    )?;
    tell_not_evaluated(context, &list.view.run);
    if n_shown < groups.len() && format == TableName::Table {
        context.say(&hint::cut_short(n_shown, groups.len()));
    }
    Ok(())
}

fn filter_of(group: &ResultGroup) -> String {
    browse::write_terms(&group.terms)
}

/// How a table of groups is drawn.
struct GroupTableLayout<'a> {
    by: GroupBy,
    list: &'a ResultList,
    scope: CoverScope,
    numbers: NumberStyle,
    /// Whether any test of the list was held against mutants.
    has_faults: bool,
}

impl GroupTableLayout<'_> {
    /// A row for each group. People read values as filters take them, with the share that does not parse in percent.
    fn table(&self, groups: &[ResultGroupRow]) -> TextTable {
        let view = &self.list.view;
        // A run's BLEU is one of all texts together, not this mean.
        let mean = view.metric.map_or_else(|| "mean".to_owned(), mean_of);
        let mut numbers: Vec<String> = ["n", "share", "unparsable"].map(str::to_owned).into();
        if view.engine.is_some() {
            numbers.extend(["blocked", "not run"].map(str::to_owned));
        }
        numbers.push(mean);
        if view.baseline.is_some() {
            numbers.push("Δ".to_owned());
        }
        if self.by.is_of_samples() {
            numbers.extend(self.heads());
        }
        let mut table = TextTable::of(&[self.by.as_str()], &numbers).with("filter", Align::Left);
        for group_numbers in groups {
            table.row(self.row(group_numbers));
        }
        table
    }

    fn row(&self, (group, numbers): &ResultGroupRow) -> Vec<String> {
        let view = &self.list.view;
        let mut cells = vec![
            group.name.clone(),
            group.n_predictions.to_string(),
            self.percent(group.n_predictions, self.list.ordinals.len() as u64),
            self.percent(group.n_unparsable, group.n_read),
        ];
        if view.engine.is_some() {
            let counts = group.without_outcome.unwrap_or_default();
            cells.extend([counts.n_blocked, counts.n_not_run].map(|n| n.to_string()));
        }
        cells.push(self.mean(group.mean));
        if view.baseline.is_some() {
            cells.push(match self.numbers {
                NumberStyle::People => signed(group.mean_delta),
                NumberStyle::Machine => self.numbers.share(group.mean_delta),
            });
        }
        if self.by.is_of_samples() {
            cells.extend(self.outcome_cells(numbers));
        }
        cells.push(filter_of(group));
        cells
    }

    fn percent(&self, of: u64, all: u64) -> String {
        match self.numbers {
            NumberStyle::People if all == 0 => self.numbers.none().to_owned(),
            NumberStyle::People => percent(of, all),
            NumberStyle::Machine => self
                .numbers
                .share((all > 0).then(|| of as f64 / all as f64)),
        }
    }

    fn mean(&self, mean: Option<f64>) -> String {
        match self.numbers {
            NumberStyle::People => value(mean),
            NumberStyle::Machine => self.numbers.share(mean),
        }
    }

    /// The heads over [`Self::outcome_cells`].
    fn heads(&self) -> Vec<String> {
        let view = &self.list.view;
        let metrics = self.metrics();
        let mut heads: Vec<String> = metrics
            .iter()
            .map(|metric| mean_of(view.metrics[*metric]))
            .collect();
        heads.push("samples".to_owned());
        heads.push(self.numbers.head("with assertion"));
        if view.engine.is_none() {
            return heads;
        }
        heads.extend([
            self.numbers.head("correct"),
            "ran".to_owned(),
            "unique".to_owned(),
        ]);
        heads.extend(FUNNEL_SHARES.map(|name| self.numbers.head(name)));
        if self.by == GroupBy::Repo {
            heads.extend(["MiLC", "MaLC", "MiBC", "MaBC"].map(|name| self.numbers.head(name)));
        }
        if self.has_faults {
            heads.extend(fault_heads(self.numbers));
        }
        heads
    }

    /// Writes the numbers of a group of samples.
    fn outcome_cells(&self, group_numbers: &GroupNumbers) -> Vec<String> {
        let view = &self.list.view;
        let metrics = self.metrics();
        let means = metrics
            .iter()
            .map(|metric| self.mean(group_numbers.means[*metric]));
        let mut cells: Vec<String> = means.collect();
        cells.push(group_numbers.n_samples.to_string());
        cells.push(self.numbers.share(group_numbers.asserting()));
        if view.engine.is_none() {
            return cells;
        }
        let funnel = group_numbers.funnel.clone().unwrap_or_default();
        cells.push(self.numbers.share(group_numbers.correct()));
        cells.extend([group_numbers.n_ran, funnel.n_unique].map(|n| n.to_string()));
        cells.extend(funnel_shares(&funnel).map(|funnel_share| self.numbers.share(funnel_share)));
        if self.by == GroupBy::Repo {
            let covered = group_numbers
                .covered
                .map(|focal_shareses| focal_shareses[self.scope as usize]);
            let shares = shares_of(covered.unwrap_or_default());
            cells.extend(shares.map(|share| self.numbers.share(share)));
        }
        if self.has_faults {
            cells.extend(fault_cells(
                group_numbers.faults.unwrap_or_default(),
                self.numbers,
            ));
        }
        cells
    }

    /// Chooses the metrics for columns beside the list's own, as places in the view: programs get all.
    fn metrics(&self) -> Vec<usize> {
        let view = &self.list.view;
        let is_told = |metric: &str| match self.numbers {
            NumberStyle::People => COLUMNS.contains(&metric) || metric == CRYSTALBLEU,
            NumberStyle::Machine => true,
        };
        let metrics = view.metrics.iter().enumerate();
        metrics
            .filter(|(_, metric)| Some(**metric) != view.metric && is_told(metric))
            .map(|(place, _)| place)
            .collect()
    }
}

fn mean_of(metric: &str) -> String {
    format!("mean {}", title(metric))
}
