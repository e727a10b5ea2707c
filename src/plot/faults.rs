//! The charts that set the faults noticed by predictions against another value of them.

use std::collections::BTreeMap;

use crate::chart::{Axis, Figure, Path, Series, SeriesShape};
use crate::model::{Execution, FaultCounts, RunRow};
use crate::store::Store;
use crate::task::Monitor;

use super::dataset::nothing;
use super::outcomes::N_BINS;
use super::people::{is_asked, keys};
use super::runs::{NOTHING, ShownRuns, shown};
use super::{Plot, PlotError, counted};

/// The message where no run has been executed against faults.
const NO_FAULTS: &str = "no test of these runs was run against mutants (`execute --faults`)";

/// A prediction's value on the other axis, and its faults.
type FaultPoint = (f64, FaultCounts);

/// Draws, for each run, the mean mutation score and the share of tests that notice no fault at all, against a metric.
/// No point counts tests without viable mutants or without a score.
pub(super) fn against_metric(
    store: &Store,
    monitor: &Monitor,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let Some(ShownRuns { runs, metric }) = shown(store, what)? else {
        return Ok(nothing(
            "Faults noticed against a metric",
            String::new(),
            NOTHING,
        ));
    };
    let title = metric.sentence_title();
    figure(store, what, (&runs, &title), |run, _| {
        let n = run.n_predictions as u32;
        let found = store.evaluations(run.id, &[metric.id])?;
        let Some(evaluation) = found.into_iter().flatten().next() else {
            return Ok(Vec::new());
        };
        let flags = store.result_flags(run.id, n, monitor)?;
        let mut values = store.result_scores(evaluation, n, monitor)?;
        for (value, flags) in values.iter_mut().zip(&flags) {
            if !flags.has_reference() {
                *value = f64::NAN;
            }
        }
        Ok(values)
    })
}

/// Draws the same against the covered share of the focal method's lines.
pub(super) fn against_lines(
    store: &Store,
    monitor: &Monitor,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let runs = super::runs::asked_for(store, what)?;
    if runs.is_empty() {
        return Ok(nothing(
            "Faults noticed against lines covered",
            String::new(),
            NO_FAULTS,
        ));
    }
    let title = "share of the focal method's lines";
    figure(store, what, (&runs, title), |run, engine| {
        let n = run.n_predictions as u32;
        let executions = store.executions(run.id, engine, n, monitor)?;
        let lines = |execution: &Option<Execution>| {
            let lines = execution
                .and_then(|execution| execution.lines)
                .filter(|coverage_counter| coverage_counter.total() > 0);
            lines.map_or(f64::NAN, |line| {
                f64::from(line.covered) / f64::from(line.total())
            })
        };
        Ok(executions.iter().map(lines).collect())
    })
}

fn figure(
    store: &Store,
    what: &Plot,
    (runs, title): (&[RunRow], &str),
    values_of: impl Fn(&RunRow, &str) -> Result<Vec<f64>, PlotError>,
) -> Result<Figure, PlotError> {
    let asked = keys(store, what)?;
    let mut series = Vec::new();
    let mut sizes = Vec::new();
    for run in runs {
        let Some(setting) = store.execution_setting(run.id)? else {
            continue;
        };
        let faults = store.fault_counts(run.id, &setting.engine)?;
        if faults.is_empty() {
            continue;
        }
        let values = values_of(run, &setting.engine)?;
        let mut pairs = pairs(store, run, (&values, &faults), |key| {
            is_asked(asked.as_ref(), key)
        })?;
        let name = &run.setting.name;
        sizes.push(format!("{name}: {}", counted(pairs.len() as u64, "test")));
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (word, value) in [
            (
                "mutation score",
                FaultCounts::score as fn(FaultCounts) -> Option<f64>,
            ),
            ("notices nothing", |fault_counts| {
                Some(f64::from(u8::from(fault_counts.n_detected == 0)))
            }),
        ] {
            if !pairs.is_empty() {
                let shape = SeriesShape::Line {
                    points: points(&pairs, value),
                    path: Path::Marked,
                };
                series.push(Series::new(format!("{name}, {word}"), shape));
            }
        }
    }
    Ok(Figure {
        title: format!("Faults noticed against {title}"),
        subtitle: what.about(&sizes),
        x: Axis::ratio(title).with_range(0.0, 1.0),
        y: Axis::ratio("mutation score; share of passing tests").with_range(0.0, 1.0),
        series,
        note: NO_FAULTS.to_owned(),
        ..Figure::default()
    })
}

fn pairs(
    store: &Store,
    run: &RunRow,
    (values, faults): (&[f64], &BTreeMap<u32, FaultCounts>),
    is_asked: impl Fn(&crate::model::SampleKey) -> bool,
) -> Result<Vec<FaultPoint>, PlotError> {
    let mut pairs = Vec::new();
    store.each_prediction_keys(run.id, |first, keys| {
        for (ordinal, key) in (first..).zip(keys) {
            let value = values.get(ordinal as usize).copied().unwrap_or(f64::NAN);
            if let Some(counts) = faults.get(&ordinal)
                && counts.n_viable > 0
                && !value.is_nan()
                && is_asked(key)
            {
                pairs.push((value, *counts));
            }
        }
        Ok::<_, PlotError>(())
    })?;
    Ok(pairs)
}

/// Averages the values of neighbours; `pairs` is in ascending order of the other axis.
fn points(pairs: &[FaultPoint], value: fn(FaultCounts) -> Option<f64>) -> Vec<(f64, f64)> {
    let chunks = pairs.chunks(pairs.len().div_ceil(N_BINS).max(1));
    let points = chunks.map(|chunk| {
        let n = chunk.len() as f64;
        let x: f64 = chunk.iter().map(|chunk| chunk.0).sum();
        let y: f64 = chunk.iter().filter_map(|pair| value(pair.1)).sum();
        (x / n, y / n)
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FaultOutcome::{KilledByAssertion, Survived};

    #[test]
    fn points_are_means_of_neighbours() {
        let counts = |n: usize| {
            FaultCounts::of(
                [KilledByAssertion; 4]
                    .into_iter()
                    .take(n)
                    .chain([Survived; 4])
                    .take(4),
            )
        };
        let pairs = [(0.0, counts(0)), (1.0, counts(2))];
        assert_eq!(points(&pairs, FaultCounts::score), [(0.0, 0.0), (1.0, 0.5)]);
    }
}
