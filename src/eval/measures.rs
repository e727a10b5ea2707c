//! A run as a few values with names, for places that list models by one value each.

use super::EvalError;
use super::executed::executed;
use super::interval::{CORRECT, Mean, PARSES, parsable};
use crate::metric::{METRICS, Metric, Profile};
use crate::model::{FaultCounts, RunRow};
use crate::store::Store;
use crate::task::Monitor;

/// The mutation score, as everywhere else.
const MUTATION: &str = "mutation";

/// A value of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// As on the command line.
    pub id: &'static str,
    /// As tables have it.
    pub title: String,
    /// Over first answers with a reference; of the mutation score over pairs of a test and a mutant. A metric's value
    /// is the corpus's, without an interval.
    pub mean: Mean,
}

/// Lists the ids of the values by which a dataset ranks models: how many answers parse, are correct, notice faults, and
/// the metrics that runs are listed by.
#[must_use]
pub fn ranked() -> Vec<&'static str> {
    let is_own = |id: &&&str| {
        let metric = METRICS.iter().find(|metric| metric.id == **id);
        metric.is_some_and(|metric| metric.ceiling_of.is_none())
    };
    let metrics = Profile::Default.columns().iter().filter(is_own);
    [PARSES, CORRECT, MUTATION]
        .into_iter()
        .chain(metrics.copied())
        .collect()
}

/// Collects every value that a run has: first what parses, is correct and notices faults, then its metrics in their
/// order.
///
/// # Errors
/// The index's.
pub fn measures(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Vec<Measure>, EvalError> {
    let executed = executed(store, monitor, run)?;
    let correct = executed
        .as_ref()
        .and_then(|run_outcomes| run_outcomes.correct);
    let faults = executed
        .as_ref()
        .and_then(|run_outcomes| run_outcomes.faults);
    let named = [
        (PARSES, parsable(run)),
        (CORRECT, correct),
        (MUTATION, faults.and_then(mutation)),
    ];
    let mut all: Vec<Measure> = named
        .into_iter()
        .filter_map(|(id, mean)| {
            Some(Measure {
                id,
                title: id.to_owned(),
                mean: mean?,
            })
        })
        .collect();
    let metrics = METRICS.iter().filter(|metric| metric.ceiling_of.is_none());
    all.extend(metrics.filter_map(|metric| of_metric(run, metric)));
    Ok(all)
}

fn mutation(counts: FaultCounts) -> Option<Mean> {
    let n = counts.n_viable;
    let value = counts.score().filter(|_| n >= FaultCounts::FEWEST)?;
    Some(Mean {
        n,
        value,
        interval: None,
    })
}

/// Describes a metric of a run, if the present version computed it.
fn of_metric(run: &RunRow, metric: &'static Metric) -> Option<Measure> {
    let evaluation = run.evaluation(metric.id)?;
    let value = evaluation
        .value
        .filter(|_| evaluation.version == metric.version)?;
    Some(Measure {
        id: metric.id,
        title: metric.corpus_title(),
        mean: Mean {
            n: run.n_scored,
            value,
            interval: None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_ranked_by_few_values_and_by_no_ceiling() {
        assert_eq!(
            ranked(),
            [
                "parses",
                "correct",
                "mutation",
                "bleu",
                "codebleu:k4black",
                "em"
            ]
        );
    }
}
