//! Two or more runs on the samples that all of them answered, ready to be asked again and again.
//!
//! Decides which data are held in memory: keys, places in the runs, values and a few facts, as columns of numbers.
//! Names and texts are read page by page ([`rows`]), the parts of corpus values when a metric is looked at. With a
//! million shared samples, two runs and three metrics that is about 80 MB.
//!
//! All that is computed is about a [`Selection`] (some of the samples) and a [`Look`] (one metric, one run against the
//! baseline). A place is a sample's number among the shared ones, which are sorted by key.

use std::sync::Arc;

use crate::metric::Metric;
use crate::model::{Aim, Direction, Filter, RunRow, SampleKey, Tags};
use crate::store::Store;
use crate::task::Monitor;

use super::EvalError;
use super::results::{self, ResultsOptions};

pub mod export;
pub mod faults;
pub mod histogram;
pub mod outcomes;
pub mod refine;
pub mod rows;
pub mod slices;
pub mod tags;

mod load;
mod parts;
mod shared_values;

pub use super::by::GroupBy;
pub use faults::FaultRatio;
pub use histogram::Histogram;
pub use outcomes::{AnswerProperty, ComparedOutcomes, FunnelLevel, LinesCovered};
pub use refine::{PairedComparison, RefiningComparison};
pub use rows::{PairedRow, PairedTexts};
pub use shared_values::ComparedNumber;
pub use slices::ComparedSlice;
pub use tags::ComparedTag;

use parts::MetricParts;
use slices::Groups;

/// The metrics that are looked at first, where all runs have them.
pub const USUAL: [&str; 4] = ["bleu", "codebleu:k4black", "codebleu", "edit"];

/// Runs on the samples that all of them answered.
#[derive(Debug)]
pub struct RunPairing {
    /// The first is the baseline.
    runs: Vec<RunRow>,
    /// Sorted.
    keys: Vec<SampleKey>,
    /// For each run, the numbers of its predictions by place.
    ordinals: Vec<Vec<u32>>,
    /// For each run by place, whether the answer does not parse, and whether it is as long as the model could write.
    unparsable: Vec<Vec<bool>>,
    over_length: Vec<Vec<bool>>,
    n_reference_tokens: Vec<u32>,
    /// Numbers of the first assertion calls, by place.
    assertions: Vec<u32>,
    assertion_names: Vec<String>,
    columns: Vec<MetricValues>,
    /// Samples of each run that not all of the others answered, sorted.
    alone: Vec<Vec<SampleKey>>,
    /// The parts of metrics that were looked at, the last one last.
    parts: Vec<Arc<MetricParts>>,
    groups: Vec<(GroupBy, Arc<Groups>)>,
    /// For each run by place, once they were asked for.
    tags: Vec<Option<Arc<Vec<Tags>>>>,
    /// For each run, the columns that filters have asked for.
    filter_columns: Vec<results::Columns>,
}

/// A metric of all runs.
#[derive(Debug)]
struct MetricValues {
    metric: &'static Metric,
    /// For each run, by place.
    values: Vec<Vec<f64>>,
}

/// A view: one metric, in which one of the runs is held against the baseline. Only for the pairing that made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    metric: &'static Metric,
    column: usize,
    other: usize,
}

impl Look {
    #[must_use]
    pub fn metric(&self) -> &'static Metric {
        self.metric
    }

    /// Returns the number of the run that is held against the baseline, from 1.
    #[must_use]
    pub fn other(&self) -> usize {
        self.other
    }
}

/// Some of the shared samples, in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    places: Arc<[u32]>,
    /// For each run, how many samples the filter lets through beside the shared ones.
    n_alone: Vec<u64>,
}

impl Selection {
    /// Returns the places, ascending.
    #[must_use]
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns, for each run, how many samples it answered that the filter lets through and not all others answered;
    /// empty for parts of a selection.
    #[must_use]
    pub fn n_alone(&self) -> &[u64] {
        &self.n_alone
    }

    /// Keeps the places for which `is_kept` holds.
    #[must_use]
    pub fn only(&self, mut is_kept: impl FnMut(u32) -> bool) -> Self {
        let places = self.places.iter().copied();
        Self::of(places.filter(|place| is_kept(*place)).collect())
    }

    /// `places` are ascending.
    fn of(places: Vec<u32>) -> Self {
        Self {
            places: places.into(),
            n_alone: Vec::new(),
        }
    }
}

impl RunPairing {
    /// Reads what these runs have in common; the first is the baseline. Without `metrics`, all that all of them have
    /// scored in the same way.
    ///
    /// # Errors
    /// Fewer than two runs, an unknown one, runs that do not answer the same question or whose references have changed,
    /// a metric that one of them lacks or has with other options, and nothing in common.
    pub fn load(
        store: &Store,
        monitor: &Monitor,
        runs: &[String],
        metrics: &[&'static Metric],
    ) -> Result<Self, EvalError> {
        load::load(store, monitor, runs, metrics)
    }

    /// Returns the runs, the baseline first.
    #[must_use]
    pub fn runs(&self) -> &[RunRow] {
        &self.runs
    }

    pub fn metrics(&self) -> impl Iterator<Item = &'static Metric> {
        self.columns.iter().map(|column| column.metric)
    }

    /// Counts the samples that all runs answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    #[must_use]
    pub fn key(&self, place: u32) -> SampleKey {
        self.keys[place as usize]
    }

    /// Finds the place of a sample, nothing when it is not shared.
    #[must_use]
    pub fn place(&self, key: &SampleKey) -> Option<u32> {
        self.keys.binary_search(key).ok().map(|n| n as u32)
    }

    /// Chooses the metric to look at where none is named: BLEU, CodeBLEU or edit similarity, else the first.
    #[must_use]
    pub fn usual_metric(&self) -> Option<&'static Metric> {
        let mut usual = USUAL.iter();
        let usual = usual.find_map(|id| self.metrics().find(|metric| metric.id == *id));
        usual.or_else(|| self.metrics().next())
    }

    /// Opens a look at a metric, at a run from 1 (0 is the baseline); nothing where there is no such column or run.
    #[must_use]
    pub fn look(&self, metric: &str, other: usize) -> Option<Look> {
        let column = self
            .columns
            .iter()
            .position(|column| column.metric.id == metric)?;
        (1..self.runs.len()).contains(&other).then(|| Look {
            metric: self.columns[column].metric,
            column,
            other,
        })
    }

    /// Returns the values of the baseline and of the other run.
    #[must_use]
    pub fn values(&self, look: Look, place: u32) -> (f64, f64) {
        let values = &self.columns[look.column].values;
        let place = place as usize;
        (values[0][place], values[look.other][place])
    }

    /// Subtracts the baseline's value from the other run's.
    #[must_use]
    pub fn delta(&self, look: Look, place: u32) -> f64 {
        let (first, second) = self.values(look, place);
        second - first
    }

    /// Tells whether the answer of a run (0 is the baseline) parses.
    #[must_use]
    pub fn is_parsable(&self, run: usize, place: u32) -> bool {
        !self.unparsable[run][place as usize]
    }

    /// Computes the share of a run's selected answers that do not parse, 0..=1; 0 without any.
    #[must_use]
    pub fn unparsable_rate(&self, run: usize, selection: &Selection) -> f64 {
        share(&self.unparsable[run], selection)
    }

    /// Computes the share of a run's selected answers that are as long as the model could write.
    #[must_use]
    pub fn over_length_rate(&self, run: usize, selection: &Selection) -> f64 {
        share(&self.over_length[run], selection)
    }

    /// Makes the error of a selection without samples, of a run against the baseline.
    #[must_use]
    pub fn nothing_in_common(&self, other: usize) -> EvalError {
        load::nothing_in_common(&self.runs, other, true)
    }

    /// Selects all shared samples.
    #[must_use]
    pub fn everything(&self) -> Selection {
        Selection {
            places: (0..self.keys.len() as u32).collect(),
            n_alone: self
                .alone
                .iter()
                .map(|sample_keys| sample_keys.len() as u64)
                .collect(),
        }
    }

    /// Selects the shared samples that the filter lets through; without conditions, all of them. What it asks of a
    /// result (`bleu<0.2`, `tag:`), it asks of the look's other run against the baseline, and `delta` and `outcome` are
    /// about the look's metric (without a look: the first run's against the baseline): its `run:` and `baseline:` say
    /// nothing here. Its order is not kept: [`RunPairing::by_delta`] sorts.
    pub fn select(
        &self,
        store: &Store,
        monitor: &Monitor,
        filter: &Filter,
        look: impl Into<Option<Look>>,
    ) -> Result<Selection, EvalError> {
        if filter.is_everything() {
            return Ok(self.everything());
        }
        if !results::is_of_samples(filter) {
            return self.select_results(store, monitor, filter, look.into());
        }
        let mut places = Vec::new();
        let mut n_alone = vec![0; self.runs.len()];
        store.each_key(filter, |key, _| {
            monitor.step()?;
            if let Some(place) = self.place(&key) {
                places.push(place);
            } else {
                for (n_alone, alone) in n_alone.iter_mut().zip(&self.alone) {
                    *n_alone += u64::from(alone.binary_search(&key).is_ok());
                }
            }
            Ok::<_, EvalError>(())
        })?;
        places.sort_unstable();
        Ok(Selection {
            places: places.into(),
            n_alone,
        })
    }

    /// Asks the list of the other run's predictions, which knows what the words mean.
    fn select_results(
        &self,
        store: &Store,
        monitor: &Monitor,
        filter: &Filter,
        look: Option<Look>,
    ) -> Result<Selection, EvalError> {
        let other = look.map_or(1, |look| look.other);
        let name = |run: usize| Some(self.runs[run].setting.name.clone());
        let aim = Aim {
            run: None,
            baseline: None,
            ..filter.aim.clone()
        };
        let list = results::list(
            store,
            monitor,
            &ResultsOptions {
                run: name(other),
                baseline: name(0),
                metric: look.map(|look| look.metric),
                filter: Filter {
                    terms: filter.terms.clone(),
                    aim,
                    sort: Vec::new(),
                },
                columns: self.filter_columns[other].clone(),
            },
        )?;
        let places = load::places(&self.ordinals[other], &self.runs[other]);
        let mut found: Vec<u32> = list
            .ordinals
            .iter()
            .filter_map(|ordinal| places.get(*ordinal as usize).copied())
            .filter(|n| *n != load::NOWHERE)
            .collect();
        found.sort_unstable();
        Ok(Selection {
            places: found.into(),
            n_alone: vec![0; self.runs.len()],
        })
    }

    /// Sorts the places by their delta; equal ones in the order of their keys either way.
    #[must_use]
    pub fn by_delta(&self, selection: &Selection, look: Look, direction: Direction) -> Vec<u32> {
        let mut places = selection.places.to_vec();
        places.sort_by(|a, b| {
            let order = self.delta(look, *a).total_cmp(&self.delta(look, *b));
            match direction {
                Direction::Ascending => order,
                Direction::Descending => order.reverse(),
            }
        });
        places
    }
}

fn share(is_counted: &[bool], selection: &Selection) -> f64 {
    let places = selection.places().iter();
    let n_counted = places.filter(|place| is_counted[**place as usize]).count();
    n_counted as f64 / selection.len().max(1) as f64
}
