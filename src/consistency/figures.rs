//! Charts of runs: what repairing gains by threshold, how many outliers there are, which pass repairs, how far variants
//! are.

use crate::chart::{Axis, Figure, Interval, Path, Series, SeriesShape};
use crate::judged::TITLES;
use crate::mutate::Pass;
use crate::outliers::THRESHOLDS;
use crate::tables::{CLASSES_OF_PAPER, ConsistencyNumbers};

/// Which chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// Mean enhancement by threshold, with 95 % intervals (Table V).
    Enhancement,
    /// Outliers by threshold (Table V).
    Outliers,
    /// The passes that gave the final choices (Figures 7 and 8).
    Potency,
    /// Mean enhancement in BLEU sentence by pass (Figures 9 and 10).
    Gains,
    /// Distances of variants, next to the paper's (Table IV).
    Distances,
}

impl Chart {
    pub const ALL: &[Self] = &[
        Self::Enhancement,
        Self::Outliers,
        Self::Potency,
        Self::Gains,
        Self::Distances,
    ];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enhancement => "enhancement",
            Self::Outliers => "outliers",
            Self::Potency => "potency",
            Self::Gains => "gains",
            Self::Distances => "distances",
        }
    }
}

/// Names of the classes of distances.
pub const CLASS_NAMES: [&str; CLASSES_OF_PAPER.len()] =
    ["0–5", "5–10", "10–15", "15–20", "20–90", "90–100"];

/// Charts some runs, each with its name.
#[must_use]
pub fn figure(chart: Chart, runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let mut figure = match chart {
        Chart::Enhancement => enhancement(runs),
        Chart::Outliers => outliers(runs),
        Chart::Potency => potency(runs),
        Chart::Gains => gains(runs),
        Chart::Distances => distances(runs),
    };
    let sizes = runs.iter().map(|(name, consistency_numbers)| {
        format!("{name}: {} functions", consistency_numbers.n_judged)
    });
    figure.subtitle = sizes.collect::<Vec<_>>().join(" · ");
    "no completions yet".clone_into(&mut figure.note);
    figure
}

fn enhancement(runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let mut series = Vec::new();
    for (name, numbers) in runs {
        for (metric, title) in TITLES.iter().enumerate() {
            let intervals = THRESHOLDS.iter().zip(&numbers.at).filter_map(|(t, at)| {
                let gain = &at.gains[metric];
                let mean = gain.mean()?;
                let (low, high) = gain.interval().unwrap_or((mean, mean));
                Some(Interval {
                    // Shifted, so that the two metrics do not cover each other.
                    x: *t as f64 + 0.2 * metric as f64,
                    y: mean,
                    low,
                    high,
                    n: gain.ratios.len() as u64,
                })
            });
            let shape = SeriesShape::Intervals(intervals.collect());
            series.push(Series::new(format!("{name}, {title}"), shape));
        }
    }
    Figure {
        title: "Gains from repairing".to_owned(),
        x: Axis::count("outlier threshold T"),
        y: Axis::ratio("mean enhancement, 95 % interval"),
        series,
        ..Figure::default()
    }
}

fn outliers(runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let series = runs.iter().map(|(name, numbers)| {
        let points = THRESHOLDS.iter().zip(&numbers.at);
        let points = points.map(|(t, at)| (*t as f64, at.n_outliers as f64));
        let shape = SeriesShape::Line {
            points: points.collect(),
            path: Path::Marked,
        };
        Series::new(name.clone(), shape)
    });
    Figure {
        title: "Outliers".to_owned(),
        x: Axis::count("outlier threshold T"),
        y: Axis::count("completions"),
        series: series.collect(),
        ..Figure::default()
    }
}

/// Builds the axis of a chart by pass, the function's own first, with the passes in its order.
fn by_pass() -> (Vec<Option<Pass>>, Axis) {
    let own = std::iter::once(None);
    let passes: Vec<Option<Pass>> = own.chain(Pass::ALL.iter().copied().map(Some)).collect();
    let names = passes
        .iter()
        .map(|pass| pass.map_or("seed", Pass::as_str).to_owned());
    let axis = Axis::categories("pass", names.collect());
    (passes, axis)
}

fn bars(
    runs: &[(String, ConsistencyNumbers)],
    value: impl Fn(&ConsistencyNumbers, Option<Pass>) -> (f64, String),
) -> Vec<Series> {
    let (passes, _) = by_pass();
    let series = runs.iter().map(|(name, numbers)| {
        let (values, labels) = passes.iter().map(|pass| value(numbers, *pass)).unzip();
        Series::new(name.clone(), SeriesShape::Bars { values, labels })
    });
    series.collect()
}

fn potency(runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let taken = |numbers: &ConsistencyNumbers, pass| {
        let n = numbers
            .potency
            .get(&pass)
            .map_or(0, |potency| potency.n_taken);
        (n as f64, n.to_string())
    };
    Figure {
        title: "Passes of the repaired completions".to_owned(),
        x: Axis::count("functions"),
        y: by_pass().1,
        series: bars(runs, taken),
        ..Figure::default()
    }
}

fn gains(runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let gain = |numbers: &ConsistencyNumbers, pass| {
        let mean = numbers
            .potency
            .get(&pass)
            .and_then(|potency| potency.gains[0].mean());
        let mean = mean.unwrap_or(0.0);
        (mean, format!("{:.1} %", mean * 100.0))
    };
    Figure {
        title: "Mean enhancement of BLEU sentence by pass".to_owned(),
        x: Axis::ratio("mean enhancement"),
        y: by_pass().1,
        series: bars(runs, gain),
        ..Figure::default()
    }
}

fn distances(runs: &[(String, ConsistencyNumbers)]) -> Figure {
    let mut series: Vec<Series> = runs
        .iter()
        .map(|(name, numbers)| {
            let n_all = numbers.distances.iter().sum::<u64>().max(1) as f64;
            let shares = numbers
                .distances
                .iter()
                .map(|distance| *distance as f64 / n_all);
            let (values, labels) = shares
                .map(|share| (share, format!("{:.2} %", share * 100.0)))
                .unzip();
            Series::new(name.clone(), SeriesShape::Bars { values, labels })
        })
        .collect();
    let (values, labels) = CLASSES_OF_PAPER
        .iter()
        .map(|value| (value / 100.0, format!("{value:.2} %")))
        .unzip();
    series.push(Series::new(
        "CCTest, Table IV",
        SeriesShape::Bars { values, labels },
    ));
    Figure {
        title: "How far variants are from their functions".to_owned(),
        x: Axis::ratio("variants"),
        y: Axis::categories(
            "distance (%)",
            CLASS_NAMES.iter().map(|text| (*text).to_owned()).collect(),
        ),
        series,
        ..Figure::default()
    }
}
