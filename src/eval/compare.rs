//! Two runs on the samples that both answered: the verb behind `compare`.
//!
//! What they share and how it is compared is [`super::pairing`]'s.

use crate::metric::Metric;
use crate::model::{Filter, RunRow};
use crate::store::Store;
use crate::task::Monitor;

use super::Error;
use super::pairing::{Pairing, Selection};

pub use super::by::By;
pub use super::pairing::Compared;

#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub first: String,
    pub second: String,
    /// All that both have scored, in the same way, where empty.
    pub metrics: Vec<&'static Metric>,
    pub filter: Option<Filter>,
    pub by: Option<By>,
    /// Only samples for which both predictions parse (ConTest, Table 3).
    pub only_parsable: bool,
    pub n_resamples: u32,
    pub seed: u64,
}

/// The comparison on some of the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Empty for all samples.
    pub name: String,
    pub n_samples: u64,
    /// The share of each run's predictions that do not parse, on these samples.
    pub unparsable_rates: (f64, f64),
    pub over_length_rates: (f64, f64),
    pub metrics: Vec<Compared>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub first: RunRow,
    pub second: RunRow,
    /// Samples that only one of them answered, of those that the filter lets through.
    pub n_only_first: u64,
    pub n_only_second: u64,
    /// Common samples that were left out because a prediction does not parse.
    pub n_left_out: u64,
    /// All samples, then the slices by name.
    pub slices: Vec<Slice>,
}

/// Compares two runs. See [`crate::metric::paired`] for interval and p-value.
pub fn compare(
    store: &Store,
    monitor: &Monitor,
    options: &CompareOptions,
) -> Result<Comparison, Error> {
    let names = [options.first.clone(), options.second.clone()];
    let mut pairing = Pairing::load(store, monitor, &names, &options.metrics)?;
    let look = pairing
        .metrics()
        .next()
        .and_then(|it| pairing.look(it.id, 1));
    let shared = match &options.filter {
        Some(filter) => pairing.select(store, monitor, filter, look)?,
        None => pairing.everything(),
    };
    let all = if options.only_parsable {
        pairing.parsable_by_all(&shared)
    } else {
        shared.clone()
    };
    if all.is_empty() {
        return Err(pairing.nothing_in_common());
    }
    let mut parts = vec![(String::new(), all.clone())];
    if let Some(by) = options.by {
        parts.extend(pairing.split(store, monitor, &all, by)?);
    }
    let mut slices: Vec<Slice> = parts
        .iter()
        .map(|(name, part)| slice_of(name, part, &pairing))
        .collect();
    let metrics: Vec<&'static Metric> = pairing.metrics().collect();
    // One metric after the other, so that what its corpus value is summed from is read once.
    for metric in metrics {
        let Some(look) = pairing.look(metric.id, 1) else {
            continue;
        };
        for (slice, (_, part)) in slices.iter_mut().zip(&parts) {
            let (n_resamples, seed) = (options.n_resamples, options.seed);
            let compared = pairing.summary(store, monitor, part, look, n_resamples, seed)?;
            slice.metrics.push(compared);
        }
    }
    Ok(Comparison {
        n_only_first: shared.n_alone()[0],
        n_only_second: shared.n_alone()[1],
        n_left_out: (shared.len() - all.len()) as u64,
        first: pairing.runs()[0].clone(),
        second: pairing.runs()[1].clone(),
        slices,
    })
}

fn slice_of(name: &str, part: &Selection, pairing: &Pairing) -> Slice {
    let rates =
        |of: fn(&Pairing, usize, &Selection) -> f64| (of(pairing, 0, part), of(pairing, 1, part));
    Slice {
        name: name.to_owned(),
        n_samples: part.len() as u64,
        unparsable_rates: rates(Pairing::unparsable_rate),
        over_length_rates: rates(Pairing::over_length_rate),
        metrics: Vec::new(),
    }
}
