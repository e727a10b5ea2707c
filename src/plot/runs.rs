//! Charts of runs: over time, how values are distributed, and against length.

use std::collections::BTreeMap;

use crate::chart::{Axis, Figure, Path, Scale, Series, SeriesShape};
use crate::metric::{METRICS, Metric};
use crate::model::RunRow;
use crate::store::{Store, run_named};
use crate::task::Monitor;

use super::dataset::nothing;
use super::people::{is_asked, keys};
use super::{Plot, PlotError, counted};

/// The number of bins of a histogram, all equally wide.
const N_BINS: usize = 20;

/// The most points of the line through a scatter, roughly, each the mean of as many predictions.
const N_MEANS: u64 = 20;

/// From this ratio of the longest to the shortest reference on, the axis of lengths is logarithmic.
const LOG_FROM: f64 = 30.0;

/// Runs, with the metric that the chart shows of them.
pub(super) struct ShownRuns {
    pub runs: Vec<RunRow>,
    pub metric: &'static Metric,
}

/// Finds the runs that are named, in that order; all runs where none is named.
pub(super) fn asked_for(store: &Store, what: &Plot) -> Result<Vec<RunRow>, PlotError> {
    let known = store.runs()?;
    if what.runs.is_empty() {
        return Ok(known);
    }
    let names = what.runs.iter();
    names
        .map(|name| Ok(run_named(&known, name)?.clone()))
        .collect()
}

/// Finds the requested runs and the metric to show. Named runs must all have it, others are left out; nothing when no
/// run has one.
pub(super) fn shown(store: &Store, what: &Plot) -> Result<Option<ShownRuns>, PlotError> {
    let mut runs = asked_for(store, what)?;
    let has = |run: &RunRow, metric: &Metric| {
        let evaluation = run.evaluation(metric.id);
        evaluation.is_some_and(|evaluation| {
            evaluation.version == metric.version && evaluation.value.is_some()
        })
    };
    let metric = what.metric.or_else(|| {
        METRICS
            .iter()
            .find(|metric| runs.iter().any(|run| has(run, metric)))
    });
    let Some(metric) = metric else {
        return Ok(None);
    };
    if let Some(run) = runs.iter().find(|run| !has(run, metric))
        && !what.runs.is_empty()
    {
        return Err(PlotError::NotEvaluated {
            run: run.setting.name.clone(),
            metric: metric.id.to_owned(),
        });
    }
    runs.retain(|run| has(run, metric));
    Ok((!runs.is_empty()).then_some(ShownRuns { runs, metric }))
}

pub(super) const NOTHING: &str = "no evaluated runs yet";

pub(super) fn runs(store: &Store, what: &Plot) -> Result<Figure, PlotError> {
    let Some(ShownRuns { mut runs, metric }) = shown(store, what)? else {
        return Ok(nothing("Runs", String::new(), NOTHING));
    };
    runs.sort_by_key(|run| (run.setting.imported_at, run.id));
    let line = |name: &str, of: &dyn Fn(&RunRow) -> Option<f64>| {
        let points = runs.iter().zip(0_u32..);
        let points = points.filter_map(|(run, idx)| Some((f64::from(idx), of(run)?)));
        Series::new(
            name,
            SeriesShape::Line {
                points: points.collect(),
                // Nothing lies between two runs.
                path: Path::Apart,
            },
        )
    };
    let evaluation = |run: &RunRow| run.evaluation(metric.id).cloned();
    Ok(Figure {
        title: format!("{} over runs", metric.corpus_title()),
        subtitle: what.about(&[
            counted(runs.len() as u64, "run"),
            "in the order in which they were imported".to_owned(),
        ]),
        x: Axis::categories(
            "run",
            runs.iter().map(|run| run.setting.name.clone()).collect(),
        ),
        y: Axis::ratio(&metric.corpus_title()),
        series: vec![
            line("all predictions", &|run| evaluation(run)?.value),
            line("parsable predictions", &|run| {
                evaluation(run)?.value_parsable
            }),
            line("adjusted for unparsable ones", &|run| {
                run.adjusted(metric.id)
            }),
        ],
        ..Figure::default()
    })
}

/// Hands `each` the length of the reference in tokens and the value, for every first answer with a reference.
fn each_value(
    (store, monitor): (&Store, &Monitor),
    what: &Plot,
    (run, metric): (&RunRow, &Metric),
    mut each: impl FnMut(u32, f64),
) -> Result<(), PlotError> {
    let keys = keys(store, what)?;
    let evaluations: Vec<i64> = store
        .evaluations(run.id, &[metric.id])?
        .into_iter()
        .flatten()
        .collect();
    let mut n = 0_u32;
    store.each_value(run.id, evaluations.first().copied(), |stored_value| {
        n = n.wrapping_add(1);
        if n.is_multiple_of(1_024) {
            monitor.step()?;
        }
        if is_asked(keys.as_ref(), &stored_value.key) {
            each(stored_value.n_reference_tokens, stored_value.value);
        }
        Ok::<_, PlotError>(())
    })
}

pub(super) fn histogram(
    store: &Store,
    monitor: &Monitor,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let Some(ShownRuns { runs, metric }) = shown(store, what)? else {
        return Ok(nothing("Values of a metric", String::new(), NOTHING));
    };
    let edges: Vec<f64> = (0..=N_BINS).map(|n| n as f64 / N_BINS as f64).collect();
    let mut series = Vec::new();
    let mut sizes = Vec::new();
    for run in &runs {
        let mut counts = [0_u64; N_BINS];
        each_value((store, monitor), what, (run, metric), |_, value| {
            counts[bin(value)] += 1;
        })?;
        let n: u64 = counts.iter().sum();
        let name = &run.setting.name;
        sizes.push(format!("{name}: {}", counted(n, "prediction")));
        if n == 0 {
            continue;
        }
        let values = counts.iter().map(|count| *count as f64 / n as f64);
        series.push(Series::new(
            name,
            SeriesShape::Histogram {
                edges: edges.clone(),
                values: values.collect(),
            },
        ));
    }
    Ok(Figure {
        title: format!("Values of {}", metric.sentence_title()),
        subtitle: what.about(&sizes),
        x: Axis::ratio(&metric.sentence_title()).with_range(0.0, 1.0),
        y: Axis::ratio("share of predictions"),
        series,
        note: "no predictions".to_owned(),
        ..Figure::default()
    })
}

/// Finds the bin of a value from 0 to 1; 1 is in the last one.
#[expect(clippy::cast_sign_loss, reason = "it is not negative")]
pub(super) fn bin(value: f64) -> usize {
    // Decimal fractions are inexact in binary: 0.15 must fall into the bin that begins there.
    ((value * N_BINS as f64 + 1e-9).clamp(0.0, N_BINS as f64 - 0.5)) as usize
}

pub(super) fn length(store: &Store, monitor: &Monitor, what: &Plot) -> Result<Figure, PlotError> {
    let Some(ShownRuns { mut runs, metric }) = shown(store, what)? else {
        return Ok(nothing("Value against length", String::new(), NOTHING));
    };
    if what.runs.is_empty() {
        let last = runs.len() - 1;
        runs.sort_by_key(|run| (run.setting.imported_at, run.id));
        runs.drain(..last);
    }
    let is_alone = runs.len() == 1;
    let mut series = Vec::new();
    let mut sizes = Vec::new();
    let mut bounds: Option<(u32, u32)> = None;
    for run in &runs {
        let mut points = Vec::new();
        let mut by_length: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
        each_value((store, monitor), what, (run, metric), |length, value| {
            let sum = by_length.entry(length).or_default();
            sum.0 += value;
            sum.1 += 1;
            if is_alone {
                points.push((f64::from(length), value));
            }
        })?;
        let n: u64 = by_length.values().map(|value| value.1).sum();
        let name = &run.setting.name;
        sizes.push(format!("{name}: {}", counted(n, "prediction")));
        for length in by_length.keys() {
            let (least, greatest) = bounds.unwrap_or((*length, *length));
            bounds = Some((least.min(*length), greatest.max(*length)));
        }
        if is_alone && n > 0 {
            series.push(Series::new("predictions", SeriesShape::Scatter(points)));
        }
        if n > 0 {
            let mean = if is_alone { "mean" } else { name };
            let points = means(&by_length);
            let path = Path::Marked;
            series.push(Series::new(mean, SeriesShape::Line { points, path }));
        }
    }
    let is_wide = bounds.is_some_and(|(least, greatest)| {
        least > 0 && f64::from(greatest) >= LOG_FROM * f64::from(least)
    });
    let x = Axis::new("length of the reference", "tokens").with_scale(if is_wide {
        Scale::Log
    } else {
        Scale::Linear
    });
    Ok(Figure {
        title: format!("{} against length", metric.sentence_title()),
        subtitle: what.about(&sizes),
        x,
        y: Axis::ratio(&metric.sentence_title()).with_range(0.0, 1.0),
        series,
        note: "no predictions".to_owned(),
        ..Figure::default()
    })
}

/// Averages length and value of neighbouring lengths, with about as many predictions in each point.
pub(super) fn means(by_length: &BTreeMap<u32, (f64, u64)>) -> Vec<(f64, f64)> {
    let n: u64 = by_length.values().map(|value| value.1).sum();
    let least = n.div_ceil(N_MEANS).max(1);
    let mut means = Vec::new();
    let (mut lengths, mut values, mut n) = (0.0, 0.0, 0_u64);
    let last = by_length.keys().next_back();
    for (length, (sum, n_same)) in by_length {
        lengths += f64::from(*length) * *n_same as f64;
        values += sum;
        n += n_same;
        if n >= least || Some(length) == last {
            means.push((lengths / n as f64, values / n as f64));
            (lengths, values, n) = (0.0, 0.0, 0);
        }
    }
    means
}
