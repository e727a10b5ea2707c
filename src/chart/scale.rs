//! From values to places, and where ticks go.
//!
//! Linear ticks follow Heckbert, "Nice Numbers for Graph Labels" (Graphics Gems, 1990): steps of 1, 2 or 5 times a power
//! of ten, about as many as are asked for. Logarithmic ones stand at 1, 2 and 5 times the powers of ten where there is
//! room for them.

use super::bins::{field, whole};
use super::{Arrangement, Axis, Figure, NumberFormat, Scale, SeriesShape};
use crate::model::number;

/// A direction of the chart, ready to place values.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    from: f64,
    to: f64,
    is_log: bool,
    pub ticks: Vec<Tick>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// 0..=1 along the axis.
    pub place: f64,
    pub label: String,
}

/// Beyond these, an `f64` has no room for a step to either side.
const VALUE_MAX: f64 = 1e300;

impl Ruler {
    /// Makes the ruler of an axis for data between these values, with about `n_ticks` ticks.
    pub(super) fn new(axis: &Axis, data: Option<(f64, f64)>, n_ticks: usize) -> Self {
        let n_ticks = n_ticks.clamp(2, 50);
        match &axis.scale {
            Scale::Categories(names) => Self::of_categories(names),
            Scale::Linear => Self::linear(axis, data, n_ticks),
            Scale::Log => Self::log(axis, data, n_ticks),
        }
    }

    fn of_categories(names: &[String]) -> Self {
        let n = names.len().max(1) as f64;
        let ticks = names.iter().enumerate().map(|(idx, name)| Tick {
            place: (idx as f64 + 0.5) / n,
            label: super::printable(name),
        });
        Self {
            from: -0.5,
            to: n - 0.5,
            is_log: false,
            ticks: ticks.collect(),
        }
    }

    fn linear(axis: &Axis, data: Option<(f64, f64)>, n_ticks: usize) -> Self {
        let (mut from, mut to) = widened(axis.range.or(data).unwrap_or((0.0, 1.0)));
        let mut step = nice((to - from) / (n_ticks - 1) as f64);
        if axis.numbers == NumberFormat::Whole {
            step = step.max(1.0);
        }
        if axis.range.is_none() {
            from = (from / step + 1e-9).floor() * step;
            to = (to / step - 1e-9).ceil() * step;
            // Whole steps may be longer than all of the data.
            if to <= from {
                to = from + step;
            }
        }
        let shown = if axis.numbers == NumberFormat::Percent {
            100.0
        } else {
            1.0
        };
        let decimals = whole((-(step * shown * 1.000_001).log10().floor()).max(0.0)).min(12);
        let first = (from / step - 1e-9).ceil();
        let n = whole((to / step + 1e-9).floor() - first + 1.0).min(200);
        let ticks = (0..n).map(|idx| {
            let value = (first + idx as f64) * step;
            Tick {
                place: (value - from) / (to - from),
                label: number(value * shown, decimals),
            }
        });
        Self {
            from,
            to,
            is_log: false,
            ticks: ticks.collect(),
        }
    }

    fn log(axis: &Axis, data: Option<(f64, f64)>, n_ticks: usize) -> Self {
        let (from, to) = axis.range.or(data).unwrap_or((1.0, 10.0));
        let from = if from > 0.0 { from.min(1e300) } else { 1.0 };
        let to = if to > from {
            to.min(1e300)
        } else {
            from * 10.0
        };
        let steps = |power: i32| [1.0, 2.0, 5.0].map(|digit: f64| digit * 10_f64.powi(power));
        let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
        let all: Vec<f64> = powers.clone().flat_map(steps).collect();
        let (from, to) = if axis.range.is_some() {
            (from, to)
        } else {
            let below = all
                .iter()
                .copied()
                .rfind(|value| *value <= from * (1.0 + 1e-9));
            let above = all
                .iter()
                .copied()
                .find(|value| *value >= to * (1.0 - 1e-9));
            (below.unwrap_or(from), above.unwrap_or(to))
        };
        let is_shown = |value: &f64| *value >= from * (1.0 - 1e-9) && *value <= to * (1.0 + 1e-9);
        let mut values: Vec<f64> = all.into_iter().filter(is_shown).collect();
        if values.len() > n_ticks + n_ticks / 2 {
            let powers: Vec<i32> = powers.collect();
            let every = powers.len().div_ceil(n_ticks).max(1);
            let powers = powers.into_iter().step_by(every);
            values = powers
                .map(|power| 10_f64.powi(power))
                .filter(is_shown)
                .collect();
        }
        let mut ruler = Self {
            from,
            to,
            is_log: true,
            ticks: Vec::new(),
        };
        ruler.ticks = values
            .into_iter()
            .filter_map(|value| {
                let decimals = whole((-value.log10().floor()).max(0.0)).min(12);
                Some(Tick {
                    place: ruler.place(value)?,
                    label: number(value, decimals),
                })
            })
            .collect();
        ruler
    }

    /// Tells whether the ticks stand at even distances on `n_rows` rows, each on a row of its own.
    pub(super) fn is_even(&self, n_rows: usize) -> bool {
        let rows: Vec<usize> = self
            .ticks
            .iter()
            .map(|tick| field(tick.place, n_rows))
            .collect();
        let mut distances = rows.windows(2).map(|window| window[1] - window[0]);
        let first = distances.next();
        first != Some(0) && distances.all(|distance| Some(distance) == first)
    }

    /// Places a value, 0..=1; one out of range is at the edge, and NaN is nowhere.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let (value, from, to) = if self.is_log {
            if value <= 0.0 {
                return None;
            }
            (value.ln(), self.from.ln(), self.to.ln())
        } else {
            (value, self.from, self.to)
        };
        let place = (value - from) / (to - from);
        place.is_finite().then(|| place.clamp(0.0, 1.0))
    }
}

/// Makes the bounds finite numbers that are apart.
fn widened((from, to): (f64, f64)) -> (f64, f64) {
    let bounded = |value: f64| value.clamp(-VALUE_MAX, VALUE_MAX);
    let (from, to) = (bounded(from.min(to)), bounded(from.max(to)));
    let least = from.abs().max(to.abs()) * 1e-9;
    if to - from > least {
        return (from, to);
    }
    let half = if from.abs() > 0.0 {
        from.abs() * 0.1
    } else {
        1.0
    };
    // A chart of nothing but zeros starts at 0.
    if from.abs() > 0.0 {
        (from - half, to + half)
    } else {
        (0.0, half)
    }
}

/// Finds the nice number nearest to a step: 1, 2, 5 or 10 times a power of ten (Heckbert's `nicenum` with rounding).
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let digit = match step / power {
        ratio if ratio < 1.5 => 1.0,
        ratio if ratio < 3.0 => 2.0,
        ratio if ratio < 7.0 => 5.0,
        _ => 10.0,
    };
    digit * power
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Extent(Option<(f64, f64)>);

impl Extent {
    fn add(&mut self, value: f64, is_log: bool) {
        if !value.is_finite() || (is_log && value <= 0.0) {
            return;
        }
        self.0 = Some(match self.0 {
            Some((least, greatest)) => (least.min(value), greatest.max(value)),
            None => (value, value),
        });
    }
}

/// Computes the ranges that a figure's series need on both axes.
pub(super) fn extents(figure: &Figure) -> [Option<(f64, f64)>; 2] {
    let [mut x, mut y] = [Extent::default(), Extent::default()];
    let is_log = |axis: &Axis| matches!(axis.scale, Scale::Log);
    let (x_log, y_log) = (is_log(&figure.x), is_log(&figure.y));
    for series in &figure.series {
        match &series.shape {
            SeriesShape::Bars { .. } => {}
            SeriesShape::Histogram { edges, values } => {
                for edge in edges {
                    x.add(*edge, x_log);
                }
                for value in values {
                    y.add(*value, y_log);
                }
                y.add(0.0, y_log);
            }
            SeriesShape::Line { points, .. } | SeriesShape::Scatter(points) => {
                for (at, value) in points {
                    x.add(*at, x_log);
                    y.add(*value, y_log);
                }
            }
            SeriesShape::Intervals(intervals) => {
                for interval in intervals {
                    x.add(interval.x, x_log);
                    for value in [interval.y, interval.low, interval.high] {
                        y.add(value, y_log);
                    }
                }
            }
            SeriesShape::Rule { from, to } => {
                for (at, value) in [from, to] {
                    x.add(*at, x_log);
                    y.add(*value, y_log);
                }
            }
        }
    }
    let bars = figure.bars();
    let (along, along_log) = if figure.is_lying() {
        (&mut x, x_log)
    } else {
        (&mut y, y_log)
    };
    if !bars.is_empty() {
        along.add(0.0, along_log);
    }
    match figure.arrangement {
        Arrangement::Grouped => {
            for value in bars.iter().flat_map(|bar| bar.1) {
                along.add(*value, along_log);
            }
        }
        Arrangement::Stacked => {
            let n = bars.iter().map(|bar| bar.1.len()).max().unwrap_or(0);
            for idx in 0..n {
                let sum = bars.iter().filter_map(|bar| bar.1.get(idx)).sum();
                along.add(sum, along_log);
            }
        }
    }
    [x.0, y.0]
}
