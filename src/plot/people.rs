//! Charts of verdicts: progress, agreement, and whether weights are calibrated.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::chart::{Axis, Figure, Interval, NumberFormat, Path, Series, SeriesShape};
use crate::metric::agreement::{Coefficient, CoefficientValues, Ratings, wilson};
use crate::metric::calibration::{bands, holds};
use crate::metric::rated::VerdictRatings;
use crate::model::{SampleKey, Verdict};
use crate::store::{Store, StoreError, Verdicts};
use crate::task::Monitor;

use super::dataset::nothing;
use super::{Plot, PlotError, counted};

/// The most points of a line, roughly; more cannot be told apart.
const POINTS: usize = 300;

const SECOND_MS: f64 = 1_000.0;

pub(super) fn verdicts(
    store: &Store,
    verdicts: &Verdicts,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let keys = keys(store, what)?;
    let mut by_annotator: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    verdicts.each_word(|word| {
        if is_asked(keys.as_ref(), &word.key) {
            match by_annotator.get_mut(word.annotator) {
                Some(times) => times.push(word.at_ms),
                None => {
                    by_annotator.insert(word.annotator.to_owned(), vec![word.at_ms]);
                }
            }
        }
        Ok::<_, StoreError>(())
    })?;
    let n: usize = by_annotator.values().map(Vec::len).sum();
    let title = "Verdicts over time";
    let subtitle = what.about(&[
        counted(n as u64, "verdict"),
        counted(by_annotator.len() as u64, "annotator"),
        "also unsure and skipped samples".to_owned(),
    ]);
    let times = || by_annotator.values().flatten().copied();
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return Ok(nothing(title, subtitle, "no verdicts yet"));
    };
    let (unit, unit_ms) = unit((last - first) as f64);
    let series = by_annotator.iter().map(|(annotator, times)| {
        let mut times = times.clone();
        times.sort_unstable();
        let points = times.iter().zip(1_u64..);
        let points = points.map(|(at, n)| ((at - first) as f64 / unit_ms, n as f64));
        let mut points: Vec<_> = thinned(&points.collect::<Vec<_>>(), POINTS);
        // The line of an annotator goes on until the last verdict of all.
        points.push(((last - first) as f64 / unit_ms, times.len() as f64));
        Series::new(
            annotator,
            SeriesShape::Line {
                points,
                path: Path::Steps,
            },
        )
    });
    Ok(Figure {
        title: title.to_owned(),
        subtitle,
        x: Axis::new("time since the first verdict", unit),
        y: Axis {
            numbers: NumberFormat::Whole,
            ..Axis::new("verdicts, cumulative", "")
        },
        series: series.collect(),
        ..Figure::default()
    })
}

/// Chooses the unit in which a span of time is a small number.
fn unit(span_ms: f64) -> (&'static str, f64) {
    let minute = 60.0 * SECOND_MS;
    let units = [
        ("days", 24.0 * 60.0 * minute),
        ("hours", 60.0 * minute),
        ("minutes", minute),
    ];
    let found = units
        .into_iter()
        .find(|(_, unit_ms)| span_ms >= 3.0 * unit_ms);
    found.unwrap_or(("seconds", SECOND_MS))
}

/// Thins the points to about `n`: the first, the last, and those in between in even steps.
fn thinned<T: Copy>(points: &[T], n: usize) -> Vec<T> {
    let every = points.len().div_ceil(n.max(1)).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate();
    kept.filter(|(idx, _)| idx.is_multiple_of(every) || *idx == last)
        .map(|(_, item)| *item)
        .collect()
}

pub(super) fn calibration(
    store: &Store,
    verdicts: &Verdicts,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let asked = keys(store, what)?;
    let mut gold = verdicts.gold()?;
    gold.retain(|key, _| is_asked(asked.as_ref(), key));
    let keys: Vec<SampleKey> = gold.keys().copied().collect();
    let mut counts: Vec<((f64, f64), Vec<f64>, u64)> =
        bands().map(|band| (band, Vec::new(), 0)).collect();
    for (gold, state) in gold.values().zip(store.states(&keys)?) {
        let judged = &gold.verdict.judged;
        // A verdict on another content or focal method says nothing about today's weight.
        let state = state.filter(|sample_state| {
            sample_state.content_hash == judged.content_hash
                && sample_state.focal.as_deref() == judged.focal.as_deref()
        });
        let weight = state.and_then(|sample_state| sample_state.weight);
        if let (Some(weight), Some(is_right)) = (weight, judged.is_right())
            && let Some(band) = counts.iter_mut().find(|count| holds(count.0, weight))
        {
            band.1.push(weight);
            band.2 += u64::from(is_right);
        }
    }
    let n: usize = counts.iter().map(|count| count.1.len()).sum();
    let title = "Calibration of match weights";
    let subtitle = what.about(&[
        counted(n as u64, "judged sample"),
        "bands of weight with Wilson's 95 % intervals".to_owned(),
    ]);
    let intervals = counts.iter().filter_map(|(_, weights, k)| {
        let n = weights.len() as u64;
        let (low, high) = wilson(*k, n)?;
        Some(Interval {
            // The mean weight of its samples, not the middle of the band: wide bands are not evenly filled.
            x: weights.iter().sum::<f64>() / n as f64,
            y: *k as f64 / n as f64,
            low,
            high,
            n,
        })
    });
    let intervals: Vec<Interval> = intervals.collect();
    if intervals.is_empty() {
        return Ok(nothing(
            title,
            subtitle,
            "no verdicts on mapped samples yet",
        ));
    }
    let diagonal = SeriesShape::Rule {
        from: (0.0, 0.0),
        to: (1.0, 1.0),
    };
    Ok(Figure {
        title: title.to_owned(),
        subtitle,
        x: Axis::new("match weight", "").with_range(0.0, 1.0),
        y: Axis::ratio("share found right").with_range(0.0, 1.0),
        series: vec![
            Series::new("perfectly calibrated", diagonal),
            Series::new("found right by people", SeriesShape::Intervals(intervals)),
        ],
        ..Figure::default()
    })
}

/// The least number of samples in a window.
const WINDOW_MIN: usize = 20;

/// The most points of each line of the chart, roughly.
const STEPS: usize = 60;

pub(super) fn agreement(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    what: &Plot,
) -> Result<Figure, PlotError> {
    let keys = keys(store, what)?;
    let mut all = verdicts.all()?;
    all.retain(|verdict| is_asked(keys.as_ref(), &verdict.judged.key));
    let order = order(&all);
    let rated = VerdictRatings::of(all);
    let title = "Agreement over time";
    let coefficient = if rated.annotators.len() == 2 {
        Coefficient::Cohen
    } else {
        Coefficient::Krippendorff
    };
    let window = (order.len() / 5).max(WINDOW_MIN);
    let subtitle = what.about(&[
        format!("{} by two or more", counted(order.len() as u64, "sample")),
        counted(rated.annotators.len() as u64, "annotator"),
    ]);
    if order.is_empty() {
        let note = "no two people have judged the same sample";
        return Ok(nothing(title, subtitle, note));
    }
    let units: Vec<Vec<Option<u32>>> = order
        .iter()
        .filter_map(|key| rated.samples.binary_search(key).ok())
        .map(|unit| {
            let raters = 0..rated.annotators.len();
            raters
                .map(|rater| rated.ratings.rating(unit, rater))
                .collect()
        })
        .collect();
    let value = |units: &[Vec<Option<u32>>]| {
        let mut ratings = Ratings::new(rated.annotators.len(), rated.categories.len());
        for unit in units {
            ratings.push(unit);
        }
        ratings.values()
    };
    let place = Coefficient::ALL
        .iter()
        .position(|other| *other == coefficient);
    let of = |values: &CoefficientValues, place: usize| values.get(place).copied().flatten();
    let ends: Vec<usize> = (1..=units.len()).collect();
    let (mut cumulative, mut raw, mut windowed) = (Vec::new(), Vec::new(), Vec::new());
    for end in thinned(&ends, STEPS) {
        monitor.step()?;
        let x = end as f64;
        let values = value(&units[..end]);
        raw.extend(of(&values, 0).map(|value| (x, value)));
        let chosen = place.unwrap_or(0);
        cumulative.extend(of(&values, chosen).map(|value| (x, value)));
        if end >= window && units.len() > window {
            let values = value(&units[end - window..end]);
            windowed.extend(of(&values, chosen).map(|value| (x, value)));
        }
    }
    let line = |name: String, points: Vec<(f64, f64)>| {
        let path = Path::Plain;
        (!points.is_empty()).then(|| Series::new(name, SeriesShape::Line { points, path }))
    };
    let series = [
        line(format!("{}, all so far", coefficient.title()), cumulative),
        line(format!("last {window} samples"), windowed),
        line("raw agreement, all so far".to_owned(), raw),
    ];
    Ok(Figure {
        title: title.to_owned(),
        subtitle,
        x: Axis::count("samples judged by two or more, in order of the second verdict"),
        y: Axis::new("agreement", ""),
        series: series.into_iter().flatten().collect(),
        note: "no coefficient has a value yet".to_owned(),
        ..Figure::default()
    })
}

/// Lists the samples that two or more decided, in the order in which the second did.
fn order(verdicts: &[Verdict]) -> Vec<SampleKey> {
    let mut times: BTreeMap<SampleKey, Vec<i64>> = BTreeMap::new();
    for verdict in verdicts {
        if verdict.judged.answer().is_some() {
            times
                .entry(verdict.judged.key)
                .or_default()
                .push(verdict.at_ms);
        }
    }
    let mut seconds: Vec<(i64, SampleKey)> = times
        .into_iter()
        .filter_map(|(key, mut times)| {
            times.sort_unstable();
            Some((*times.get(1)?, key))
        })
        .collect();
    seconds.sort_unstable();
    seconds.into_iter().map(|second| second.1).collect()
}

/// Collects the samples that the filter lets through; nothing without a filter, as it asks for all.
pub(super) fn keys(store: &Store, what: &Plot) -> Result<Option<FxHashSet<SampleKey>>, PlotError> {
    Ok(match &what.filter {
        Some(filter) => Some(store.keys(filter)?.into_iter().collect()),
        None => None,
    })
}

pub(super) fn is_asked(keys: Option<&FxHashSet<SampleKey>>, key: &SampleKey) -> bool {
    keys.is_none_or(|sample_keys| sample_keys.contains(key))
}
