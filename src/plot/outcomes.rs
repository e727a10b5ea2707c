//! The chart that sets the outcomes of predictions against a metric of them.

use crate::chart::{Axis, Figure, Path, Series, SeriesShape};
use crate::model::Outcome;
use crate::store::Store;
use crate::task::Monitor;

use super::dataset::nothing;
use super::people::{is_asked, keys};
use super::runs::{NOTHING, ShownRuns, shown};
use super::{Plot, PlotError, counted};

/// The most points of each run; each groups neighbouring values of the metric.
pub(super) const N_BINS: usize = 10;

/// Draws, for each run, the share of predictions that pass and of those that are correct, against a metric; each point
/// stands for about as many predictions. No point counts blocked predictions or ones without a score.
pub(super) fn outcomes(store: &Store, monitor: &Monitor, what: &Plot) -> Result<Figure, PlotError> {
    let Some(ShownRuns { runs, metric }) = shown(store, what)? else {
        return Ok(nothing("Outcomes against a metric", String::new(), NOTHING));
    };
    let asked = keys(store, what)?;
    let mut series = Vec::new();
    let mut sizes = Vec::new();
    for run in &runs {
        let Some(setting) = store.execution_setting(run.id)? else {
            continue;
        };
        let n = run.n_predictions as u32;
        let executions = store.executions(run.id, &setting.engine, n, monitor)?;
        let flags = store.result_flags(run.id, n, monitor)?;
        let found = store.evaluations(run.id, &[metric.id])?;
        let Some(evaluation) = found.into_iter().flatten().next() else {
            continue;
        };
        let values = store.result_scores(evaluation, n, monitor)?;
        let mut pairs: Vec<(f64, Outcome)> = Vec::new();
        store.each_prediction_keys(run.id, |first, keys| {
            for (idx, key) in (first as usize..).zip(keys) {
                let outcome = executions[idx].and_then(|execution| execution.counted());
                let value = values[idx];
                if let Some(outcome) = outcome
                    && flags[idx].has_reference()
                    && !value.is_nan()
                    && is_asked(asked.as_ref(), key)
                {
                    pairs.push((value, outcome));
                }
            }
            Ok::<_, PlotError>(())
        })?;
        let name = &run.setting.name;
        sizes.push(format!(
            "{name}: {}",
            counted(pairs.len() as u64, "prediction")
        ));
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (word, is_so) in [
            ("passing", Outcome::passes as fn(Outcome) -> bool),
            ("correct", |outcome| outcome == Outcome::Correct),
        ] {
            if !pairs.is_empty() {
                let shape = SeriesShape::Line {
                    points: points(&pairs, is_so),
                    path: Path::Marked,
                };
                series.push(Series::new(format!("{name}, {word}"), shape));
            }
        }
    }
    Ok(Figure {
        title: format!("Outcomes against {}", metric.sentence_title()),
        subtitle: what.about(&sizes),
        x: Axis::ratio(&metric.sentence_title()).with_range(0.0, 1.0),
        y: Axis::ratio("share of predictions").with_range(0.0, 1.0),
        series,
        note: "no run was executed and evaluated".to_owned(),
        ..Figure::default()
    })
}

/// Averages neighbours, which are in order of their values: mean value, and the share for which `is_so` holds.
fn points(pairs: &[(f64, Outcome)], is_so: fn(Outcome) -> bool) -> Vec<(f64, f64)> {
    let chunks = pairs.chunks(pairs.len().div_ceil(N_BINS).max(1));
    let points = chunks.map(|chunk| {
        let n = chunk.len() as f64;
        let sum: f64 = chunk.iter().map(|chunk| chunk.0).sum();
        let n_so = chunk.iter().filter(|chunk| is_so(chunk.1)).count();
        (sum / n, n_so as f64 / n)
    });
    points.collect()
}
