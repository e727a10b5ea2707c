//! The verb `plot`: charts of an index and its verdicts.
//!
//! Decides which numbers a chart shows, over which samples, and its title. [`crate::chart`] draws it. Where there are
//! no numbers yet, the figure says so; only a missing item that was requested by name is an error.

// Here no variant is taken for another one because it is new.
#![warn(clippy::wildcard_enum_match_arm)]

use focalist_chart as chart;
use focalist_exchange as exchange;
use focalist_metric as metric;
use focalist_model as model;
use focalist_store as store;
use focalist_task as task;

use crate::chart::Figure;
use crate::metric::Metric;
use crate::model::Filter;
use crate::store::{NoSuchRun, Store, StoreError, Verdicts};
use crate::task::{Cancelled, Monitor, Phase};

mod dataset;
mod faults;
mod outcomes;
mod people;
mod runs;
mod training;

#[cfg(test)]
mod tests;

pub use self::training::{LOG, Training, learning_rate, training};

#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    NoSuchRun(#[from] NoSuchRun),
    #[error("`{metric}` is not computed for run `{run}`")]
    NotEvaluated { run: String, metric: String },
}

/// The chart to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// From tests to samples: the counts of `ConTest` 3.5.
    Funnel,
    /// Samples by split, random and by project.
    Splits,
    /// How many verdicts each annotator has given, over time.
    Verdicts,
    /// A metric of runs in the order in which they were imported.
    Runs,
    /// How the values of a metric are distributed.
    Histogram,
    /// A metric against the length of the reference.
    Length,
    /// The share of predictions that pass when they are run, against a metric.
    Outcomes,
    /// The mutation score of predictions and the share of passing ones that notice no fault, against a metric.
    Mutation,
    /// Likewise, against the share of the focal method's lines that they cover.
    MutationCovered,
    /// The weight of matches against the share that people found right.
    Calibration,
    /// How far annotators agree, over time.
    Agreement,
}

impl PlotKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Funnel,
        Self::Splits,
        Self::Verdicts,
        Self::Runs,
        Self::Histogram,
        Self::Length,
        Self::Outcomes,
        Self::Mutation,
        Self::MutationCovered,
        Self::Calibration,
        Self::Agreement,
    ];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Funnel => "funnel",
            Self::Splits => "splits",
            Self::Verdicts => "verdicts",
            Self::Runs => "runs",
            Self::Histogram => "histogram",
            Self::Length => "length",
            Self::Outcomes => "outcomes",
            Self::Mutation => "mutation",
            Self::MutationCovered => "mutation-lines",
            Self::Calibration => "calibration",
            Self::Agreement => "agreement",
        }
    }

    /// Tells whether it shows runs.
    #[must_use]
    pub const fn is_of_runs(self) -> bool {
        matches!(
            self,
            Self::Runs
                | Self::Histogram
                | Self::Length
                | Self::Outcomes
                | Self::Mutation
                | Self::MutationCovered
        )
    }

    /// Tells whether a filter can narrow it: the values of [`PlotKind::Runs`] are over all scored predictions.
    #[must_use]
    pub const fn has_filter(self) -> bool {
        !matches!(self, Self::Runs)
    }
}

/// The requested chart and its data.
#[derive(Clone, Debug)]
pub struct Plot {
    pub kind: PlotKind,
    /// The runs of a chart of runs, in this order; empty for all, except that [`PlotKind::Length`] then shows the
    /// newest only.
    pub runs: Vec<String>,
    /// The metric of a chart of runs; without it, the first that one of the runs has.
    pub metric: Option<&'static Metric>,
    /// Only these samples.
    pub filter: Option<Filter>,
    /// The filter as people wrote it, for the subtitle.
    pub filter_text: String,
}

impl Plot {
    /// Makes the plot of everything.
    #[must_use]
    pub const fn new(kind: PlotKind) -> Self {
        Self {
            kind,
            runs: Vec::new(),
            metric: None,
            filter: None,
            filter_text: String::new(),
        }
    }

    /// Writes a subtitle: facts about the data, and the filter.
    fn about(&self, parts: &[String]) -> String {
        let filter = match self.filter_text.trim() {
            "" => None,
            text => Some(format!("filter: {text}")),
        };
        let parts: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .chain(filter.as_deref())
            .filter(|text| !text.is_empty())
            .collect();
        parts.join(" · ")
    }
}

/// Makes the requested chart.
pub fn figure(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    what: &Plot,
) -> Result<Figure, PlotError> {
    monitor.enter(Phase::Reading);
    monitor.step()?;
    match what.kind {
        PlotKind::Funnel => dataset::funnel(store, what),
        PlotKind::Splits => dataset::splits(store, what),
        PlotKind::Runs => runs::runs(store, what),
        PlotKind::Histogram => runs::histogram(store, monitor, what),
        PlotKind::Length => runs::length(store, monitor, what),
        PlotKind::Outcomes => outcomes::outcomes(store, monitor, what),
        PlotKind::Mutation => faults::against_metric(store, monitor, what),
        PlotKind::MutationCovered => faults::against_lines(store, monitor, what),
        PlotKind::Verdicts => people::verdicts(store, verdicts, what),
        PlotKind::Calibration => people::calibration(store, verdicts, what),
        PlotKind::Agreement => people::agreement(store, verdicts, monitor, what),
    }
}

/// Writes a count with its noun: `1 sample`, `12,480 samples`.
fn counted(n: u64, noun: &str) -> String {
    let noun = match (n, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        // In English, nouns that end in a hiss take `es`.
        (_, None) if noun.ends_with("ss") => format!("{noun}es"),
        (_, None) => format!("{noun}s"),
    };
    format!("{} {noun}", chart::number(n as f64, 0))
}
