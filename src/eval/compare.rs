//! Two runs on the samples that both answered: the verb behind `compare`.
//!
//! What they share and how it is compared is [`super::pairing`]'s.

use crate::metric::Metric;
use crate::model::{Filter, RunRow, WithoutOutcome};
use crate::store::Store;
use crate::task::{Monitor, Phase};

use super::EvalError;
use super::pairing::{Look, RunPairing, Selection};

pub use super::by::GroupBy;
pub use super::pairing::PairedComparison;

#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub first: String,
    pub second: String,
    /// Those of the pairing, where empty.
    pub metrics: Vec<&'static Metric>,
    pub filter: Option<Filter>,
    pub by: Option<GroupBy>,
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
    /// The answers of each run without an outcome, on these samples; nothing for a run that was never executed.
    pub without_outcome: [Option<WithoutOutcome>; 2],
    pub metrics: Vec<PairedComparison>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BaselineComparison {
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
) -> Result<BaselineComparison, EvalError> {
    let names = [options.first.clone(), options.second.clone()];
    let mut pairing = RunPairing::load(store, monitor, &names, &options.metrics)?;
    against(store, monitor, &mut pairing, options, 1).map(|pair| pair.0)
}

/// Compares one of the paired runs with the baseline, and returns the compared samples as well; of the options filter,
/// slices, parsability and draws count. Parsability is asked of these two runs.
pub fn against(
    store: &Store,
    monitor: &Monitor,
    pairing: &mut RunPairing,
    options: &CompareOptions,
    other: usize,
) -> Result<(BaselineComparison, Selection), EvalError> {
    monitor.enter(Phase::Comparing);
    let metrics: Vec<&'static Metric> = if options.metrics.is_empty() {
        pairing.metrics().collect()
    } else {
        options.metrics.clone()
    };
    let looks: Vec<Look> = metrics
        .iter()
        .filter_map(|metric| pairing.look(metric.id, other))
        .collect();
    let lead = lead(pairing, &options.metrics).and_then(|metric| pairing.look(metric.id, other));
    let shared = match &options.filter {
        Some(filter) => pairing.select(store, monitor, filter, lead)?,
        None => pairing.everything(),
    };
    let all = if options.only_parsable {
        shared.only(|place| pairing.is_parsable(0, place) && pairing.is_parsable(other, place))
    } else {
        shared.clone()
    };
    if all.is_empty() {
        return Err(pairing.nothing_in_common(other));
    }
    let mut parts = vec![(String::new(), all.clone())];
    if let Some(by) = options.by {
        parts.extend(pairing.split((store, monitor), &all, by, other)?);
    }
    let mut slices: Vec<Slice> = parts
        .iter()
        .map(|(name, part)| slice_of(name, part, pairing, other))
        .collect();
    for (side, run) in [0, other].into_iter().enumerate() {
        let selections: Vec<&Selection> = parts.iter().map(|part| &part.1).collect();
        let found = pairing.without_outcome((store, monitor), &selections, run)?;
        for (slice, found) in slices.iter_mut().zip(found) {
            slice.without_outcome[side] = Some(found);
        }
    }
    // One metric after the other, so that the parts of its corpus value are read once.
    for look in looks {
        for (slice, (_, part)) in slices.iter_mut().zip(&parts) {
            let (n_resamples, seed) = (options.n_resamples, options.seed);
            let compared = pairing.summary((store, monitor), part, look, (n_resamples, seed))?;
            slice.metrics.push(compared);
        }
    }
    let n_alone = |run: usize| shared.n_alone().get(run).copied().unwrap_or(0);
    let comparison = BaselineComparison {
        n_only_first: n_alone(0),
        n_only_second: n_alone(other),
        n_left_out: (shared.len() - all.len()) as u64,
        first: pairing.runs()[0].clone(),
        second: pairing.runs()[other].clone(),
        slices,
    };
    Ok((comparison, all))
}

/// Chooses the leading metric, which orders samples and slices, and which a filter's `delta` and `outcome` refer to:
/// the first in `asked`, else the usual one.
#[must_use]
pub fn lead(pairing: &RunPairing, asked: &[&'static Metric]) -> Option<&'static Metric> {
    asked.first().copied().or_else(|| pairing.usual_metric())
}

fn slice_of(name: &str, part: &Selection, pairing: &RunPairing, other: usize) -> Slice {
    let rates = |of: fn(&RunPairing, usize, &Selection) -> f64| {
        (of(pairing, 0, part), of(pairing, other, part))
    };
    Slice {
        name: name.to_owned(),
        n_samples: part.len() as u64,
        unparsable_rates: rates(RunPairing::unparsable_rate),
        over_length_rates: rates(RunPairing::over_length_rate),
        without_outcome: [None; 2],
        metrics: Vec::new(),
    }
}
