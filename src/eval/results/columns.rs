//! The columns of a run's predictions, read once and kept while the index stays as it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::model::{Execution, FaultCounts, RunRow, Tags};
use crate::store::{
    LinkedPairs, Links, ResultFlags, RuledPrediction, Store, StoreError, TokenCounts, Verdicts,
    WordColumn,
};
use crate::task::Monitor;

use super::super::EvalError;
use super::ResultsView;
use crate::settings::RunSettings;

/// Metrics that are kept, over both runs; 8 MB each for a million predictions.
const SCORES_MAX: usize = 4;

/// Columns of a run, shared by all who hold a clone of it; what was read once is not read again until the index
/// changes. With everything that a filter may ask for about 80 bytes a prediction. Starts empty.
#[derive(Clone, Default)]
pub struct Columns(Arc<Mutex<ColumnCache>>);

/// The same columns, not only equal ones.
impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Columns").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct ColumnCache {
    /// The state of the index and the run that they belong to.
    of: Option<(i64, i64)>,
    /// By evaluation, the one that was asked for last at the end.
    scores: Vec<(i64, Arc<Vec<f64>>)>,
    flags: Option<Arc<Vec<ResultFlags>>>,
    tags: Option<Arc<Vec<Tags>>>,
    tokens: Option<Arc<TokenCounts>>,
    assertions: Option<Arc<WordColumn>>,
    attempts: Option<Arc<Vec<u32>>>,
    executions: Option<Arc<Vec<Option<Execution>>>>,
    /// By the version of what people say of mutants.
    faults: Option<(i64, Arc<BTreeMap<u32, FaultCounts>>)>,
    links: Option<Arc<Links>>,
    settings: Option<Arc<RunSettings>>,
    /// The scores that the file gives.
    file_scores: Option<Arc<RunSettings>>,
    /// By the baseline, whose flags they are.
    flags_before: Option<(i64, Arc<Vec<ResultFlags>>)>,
    /// By the baseline, whose tags they are.
    tags_before: Option<(i64, Arc<Vec<Tags>>)>,
    /// By the baseline.
    pairs: Option<(i64, Arc<LinkedPairs>)>,
    /// The text that was searched for last, and the predictions that have it.
    found: Option<(String, Arc<Vec<bool>>)>,
}

/// Reads columns of one run, and keeps them.
pub struct ColumnReader<'a> {
    pub store: &'a Store,
    pub monitor: &'a Monitor,
    pub view: &'a ResultsView,
    columns: &'a Columns,
    n_predictions: u32,
}

impl<'a> ColumnReader<'a> {
    pub fn new(
        store: &'a Store,
        monitor: &'a Monitor,
        view: &'a ResultsView,
        columns: &'a Columns,
    ) -> Result<Self, StoreError> {
        let of = Some((store.version()?, view.run.id));
        let reader = Self {
            store,
            monitor,
            view,
            columns,
            n_predictions: view.run.n_predictions as u32,
        };
        let mut known = reader.known();
        if known.of != of {
            *known = ColumnCache {
                of,
                ..ColumnCache::default()
            };
        }
        drop(known);
        Ok(reader)
    }

    pub fn n_predictions(&self) -> u32 {
        self.n_predictions
    }

    fn known(&self) -> MutexGuard<'a, ColumnCache> {
        // A thread that panicked while holding it had changed one column at most, as a whole.
        let known = self.columns.0.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces the reading of `n_rows` more rows.
    pub fn announce(&self, n_rows: u64) {
        self.monitor
            .n_predictions_total
            .fetch_add(n_rows, Ordering::Relaxed);
    }

    pub fn announce_run(&self) {
        self.announce(u64::from(self.n_predictions));
    }

    /// Returns the column that `kept` finds; else reads it with `read` and keeps it.
    fn get<T>(
        &self,
        kept: fn(&mut ColumnCache) -> &mut Option<Arc<T>>,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<Arc<T>, StoreError> {
        if let Some(column) = kept(&mut self.known()) {
            return Ok(column.clone());
        }
        self.announce_run();
        let column = Arc::new(read()?);
        *kept(&mut self.known()) = Some(column.clone());
        Ok(column)
    }

    pub fn flags(&self) -> Result<Arc<Vec<ResultFlags>>, StoreError> {
        self.get(
            |known| &mut known.flags,
            || {
                self.store
                    .result_flags(self.view.run.id, self.n_predictions, self.monitor)
            },
        )
    }

    /// Reads the flags of each of the baseline's predictions, by its own numbers.
    pub fn flags_before(&self, baseline: &RunRow) -> Result<Arc<Vec<ResultFlags>>, StoreError> {
        if let Some((of, flags)) = &self.known().flags_before
            && *of == baseline.id
        {
            return Ok(flags.clone());
        }
        self.announce(baseline.n_predictions);
        let n_predictions = baseline.n_predictions as u32;
        let flags = self
            .store
            .result_flags(baseline.id, n_predictions, self.monitor)?;
        let flags = Arc::new(flags);
        self.known().flags_before = Some((baseline.id, flags.clone()));
        Ok(flags)
    }

    pub fn tags(&self) -> Result<Arc<Vec<Tags>>, StoreError> {
        self.get(
            |known| &mut known.tags,
            || {
                self.store
                    .result_tags(self.view.run.id, self.n_predictions, self.monitor)
            },
        )
    }

    /// Reads the tags of each of the baseline's predictions, by its own numbers.
    pub fn tags_before(&self, baseline: &RunRow) -> Result<Arc<Vec<Tags>>, StoreError> {
        if let Some((of, tags)) = &self.known().tags_before
            && *of == baseline.id
        {
            return Ok(tags.clone());
        }
        self.announce(baseline.n_predictions);
        let n_predictions = baseline.n_predictions as u32;
        let tags = self
            .store
            .result_tags(baseline.id, n_predictions, self.monitor)?;
        let tags = Arc::new(tags);
        self.known().tags_before = Some((baseline.id, tags.clone()));
        Ok(tags)
    }

    /// Reads the tags that people gave to predictions, by number; read anew each time, as people go on.
    pub fn rulings(&self) -> Result<FxHashMap<u32, Vec<Tags>>, StoreError> {
        let folder = self.store.path().parent().unwrap_or(Path::new("."));
        let verdicts = Verdicts::open_or_empty(folder)?;
        let ruled = self.store.ruled(&verdicts, &self.view.run, self.monitor)?;
        let mut rulings: FxHashMap<u32, Vec<Tags>> = FxHashMap::default();
        for RuledPrediction { ruling, now } in ruled {
            if let Some(now) = now {
                let tags = rulings.entry(now.ordinal).or_default();
                tags.push(ruling.tagged.tags);
            }
        }
        Ok(rulings)
    }

    pub fn tokens(&self) -> Result<Arc<TokenCounts>, StoreError> {
        self.get(
            |known| &mut known.tokens,
            || {
                self.store
                    .result_tokens(self.view.run.id, self.n_predictions, self.monitor)
            },
        )
    }

    pub fn assertions(&self) -> Result<Arc<WordColumn>, StoreError> {
        self.get(
            |known| &mut known.assertions,
            || {
                self.store
                    .result_assertions(self.view.run.id, self.n_predictions, self.monitor)
            },
        )
    }

    pub fn attempts(&self) -> Result<Arc<Vec<u32>>, StoreError> {
        self.get(
            |known| &mut known.attempts,
            || {
                let run = &self.view.run;
                // Every answer is the first to its sample: no need to read them all.
                if run.n_samples == run.n_predictions {
                    return Ok(vec![0; self.n_predictions as usize]);
                }
                self.store
                    .result_attempts(run.id, self.n_predictions, self.monitor)
            },
        )
    }

    /// Reads the outcome of each prediction in the run's last execution, by number; nothing for all where it was not.
    pub fn executions(&self) -> Result<Arc<Vec<Option<Execution>>>, StoreError> {
        self.get(
            |known| &mut known.executions,
            || {
                let run = self.view.run.id;
                match &self.view.engine {
                    Some(engine) => {
                        self.store
                            .executions(run, engine, self.n_predictions, self.monitor)
                    }
                    None => Ok(vec![None; self.n_predictions as usize]),
                }
            },
        )
    }

    /// Reads how many mutants predictions notice, by number; nothing of those that were not held against any.
    pub fn faults(&self) -> Result<Arc<BTreeMap<u32, FaultCounts>>, StoreError> {
        let version = self.store.equivalents_version()?;
        if let Some((of, faults)) = &self.known().faults
            && *of == version
        {
            return Ok(faults.clone());
        }
        self.announce_run();
        let faults = match &self.view.engine {
            Some(engine) => self.store.fault_counts(self.view.run.id, engine)?,
            None => BTreeMap::new(),
        };
        let faults = Arc::new(faults);
        self.known().faults = Some((version, faults.clone()));
        Ok(faults)
    }

    /// Reads the model's settings for each prediction.
    pub fn settings(&self) -> Result<Arc<RunSettings>, EvalError> {
        if let Some(settings) = &self.known().settings {
            return Ok(settings.clone());
        }
        self.announce_run();
        let settings = Arc::new(RunSettings::load(self.store, self.monitor, &self.view.run)?);
        self.known().settings = Some(settings.clone());
        Ok(settings)
    }

    /// Reads the scores in the run's file for each prediction.
    pub fn file_scores(&self) -> Result<Arc<RunSettings>, EvalError> {
        if let Some(file_scores) = &self.known().file_scores {
            return Ok(file_scores.clone());
        }
        self.announce_run();
        let file_scores = RunSettings::load_scores(self.store, self.monitor, &self.view.run)?;
        let file_scores = Arc::new(file_scores);
        self.known().file_scores = Some(file_scores.clone());
        Ok(file_scores)
    }

    pub fn links(&self) -> Result<Arc<Links>, StoreError> {
        self.get(
            |known| &mut known.links,
            || {
                let run = &self.view.run;
                self.announce_run();
                let matcher = run.setting.matcher;
                self.store
                    .result_links(run.id, self.n_predictions, matcher, self.monitor)
            },
        )
    }

    /// Pairs the predictions of the run and of the baseline that answer the same samples.
    pub fn pairs(&self, baseline: &RunRow) -> Result<Arc<LinkedPairs>, StoreError> {
        if let Some((of, pairs)) = &self.known().pairs
            && *of == baseline.id
        {
            return Ok(pairs.clone());
        }
        let run = &self.view.run;
        self.announce(run.n_predictions + baseline.n_predictions);
        let are_all_first = |run: &RunRow| run.n_samples == run.n_predictions;
        let theirs = if are_all_first(run) && are_all_first(baseline) {
            Vec::new()
        } else {
            let n_predictions = baseline.n_predictions as u32;
            self.store
                .result_attempts(baseline.id, n_predictions, self.monitor)?
        };
        let ours = if theirs.is_empty() {
            Arc::default()
        } else {
            self.attempts()?
        };
        let pairs = Arc::new(self.store.result_pairs(
            [run.id, baseline.id],
            [&ours, &theirs],
            self.n_predictions,
            self.monitor,
        )?);
        self.known().pairs = Some((baseline.id, pairs.clone()));
        Ok(pairs)
    }

    fn raw_scores(&self, evaluation: i64, n_predictions: u32) -> Result<Arc<Vec<f64>>, StoreError> {
        let mut known = self.known();
        if let Some(place) = known.scores.iter().position(|score| score.0 == evaluation) {
            let column = known.scores.remove(place);
            let scores = column.1.clone();
            known.scores.push(column);
            return Ok(scores);
        }
        drop(known);
        self.announce(u64::from(n_predictions));
        let scores = self
            .store
            .result_scores(evaluation, n_predictions, self.monitor)?;
        let scores = Arc::new(scores);
        let mut known = self.known();
        if known.scores.len() == SCORES_MAX {
            known.scores.remove(0);
        }
        known.scores.push((evaluation, scores.clone()));
        Ok(scores)
    }

    /// Reads the values of a metric; NaN where it is not scored, or has nothing to be compared with.
    pub fn scores(&self, metric: &str) -> Result<Scores, StoreError> {
        let Some(evaluation) = self.view.evaluation(metric) else {
            return Ok(Scores::default());
        };
        let run = &self.view.run;
        Ok(Scores {
            values: self.raw_scores(evaluation, self.n_predictions)?,
            flags: if have_all_references(run) {
                None
            } else {
                Some(self.flags()?)
            },
        })
    }

    /// Reads the values of a metric beside the baseline's, for their differences. Nothing where the view has no
    /// baseline, or one that was not scored in the same way.
    pub fn deltas(&self, metric: &str) -> Result<Option<Deltas>, StoreError> {
        let Some(baseline) = &self.view.baseline else {
            return Ok(None);
        };
        let Some(evaluation) = self.view.baseline_evaluation(metric) else {
            return Ok(None);
        };
        Ok(Some(Deltas {
            ours: self.scores(metric)?,
            theirs: Scores {
                values: self.raw_scores(evaluation, baseline.n_predictions as u32)?,
                flags: if have_all_references(baseline) {
                    None
                } else {
                    Some(self.flags_before(baseline)?)
                },
            },
            pairs: self.pairs(baseline)?,
        }))
    }

    /// Tells which predictions contain `needle`, and keeps the answer for the same needle.
    pub fn found(
        &self,
        needle: &str,
        look: impl FnOnce(&Links) -> Result<Vec<bool>, StoreError>,
    ) -> Result<Arc<Vec<bool>>, StoreError> {
        if let Some((last, found)) = &self.known().found
            && last == needle
        {
            return Ok(found.clone());
        }
        let links = self.links()?;
        self.announce_run();
        let found = Arc::new(look(&links)?);
        self.known().found = Some((needle.to_owned(), found.clone()));
        Ok(found)
    }
}

/// Tells whether every prediction has something to be compared with, so that no lookup is needed.
fn have_all_references(run: &RunRow) -> bool {
    run.n_scored == run.n_predictions
}

/// A metric of a run.
#[derive(Clone, Default)]
pub struct Scores {
    values: Arc<Vec<f64>>,
    flags: Option<Arc<Vec<ResultFlags>>>,
}

impl Scores {
    /// Looks up a prediction's value, 0..=1; NaN where it has none.
    pub fn of(&self, ordinal: u32) -> f64 {
        let place = ordinal as usize;
        let has_reference = |flags: &Arc<Vec<ResultFlags>>| flags[place].has_reference();
        match self.values.get(place) {
            Some(value) if self.flags.as_ref().is_none_or(has_reference) => *value,
            _ => f64::NAN,
        }
    }
}

/// A metric of a run against a baseline.
pub struct Deltas {
    ours: Scores,
    theirs: Scores,
    pairs: Arc<LinkedPairs>,
}

impl Deltas {
    /// Computes a prediction's value minus the baseline's, -1..=1; NaN where one of them has none.
    pub fn of(&self, ordinal: u32) -> f64 {
        let pair = self.pairs.others.get(ordinal as usize);
        // No run has the number that stands for none.
        self.ours.of(ordinal) - pair.map_or(f64::NAN, |pair| self.theirs.of(*pair))
    }
}
