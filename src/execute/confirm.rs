//! A second look at candidates that have passed: each runs again in a separate process, and so does its
//! [twin](twin::Twin), which has to fail.
//!
//! Decides which ones are drawn, and interprets the two runs. A test can forge its outcome in its own process; its twin
//! does the same, and passes where it should not. A test that can tell its twin from itself is not detected.

mod twin;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::ExecuteError;
use crate::choose::ChosenRun;
use crate::engines::Processes;
use crate::executing::ProjectExecutor;
use crate::keep::{MESSAGE_BYTES, visible};
use crate::measure::measure;
use crate::model::{Confirmation, EngineName, ExecutionSetting, Outcome, SampleKey};
use crate::options::ConfirmationLimit;
use crate::project::{ProjectPlan, RepairOutcome};
use crate::report::RefutedCandidate;
use crate::runner::{Candidate, CandidateExecution, Engine, Fate, RunnerError};
use crate::store::Store;
use crate::task::{Cancelled, Monitor, Phase};

use self::twin::{Others, Twin, Twins};

/// The number of keys that are read at once.
const KEYS_AT_ONCE: u32 = 4_096;
/// The longest time that results wait before they are written.
const WAIT: Duration = Duration::from_secs(2);

/// A candidate in the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DrawnLot {
    /// The candidates with the smallest numbers are drawn.
    number: [u8; 16],
    ordinal: u32,
    outcome: Outcome,
    is_due: bool,
}

impl ProjectExecutor<'_, '_, '_> {
    /// Confirms some of the chosen candidates of a run that have passed, and returns those that it refutes. A candidate
    /// that was looked at before is not looked at again, unless that was undecided.
    pub fn confirm(
        &mut self,
        languages: &[ChosenRun],
        drawn: ConfirmationLimit,
    ) -> Result<Vec<RefutedCandidate>, ExecuteError> {
        let settings: Vec<ExecutionSetting> = languages
            .iter()
            .map(|language| language.setting(self.options, self.sandbox))
            .collect();
        let engines: Vec<&str> = settings
            .iter()
            .map(|setting| setting.engine.as_str())
            .collect();
        let engine = EngineName::joined(&engines);
        let lots = draw(self.store, self.monitor, (languages, &engine), drawn)?;
        let n_due = lots.values().map(BTreeMap::len).sum::<usize>() as u64;
        self.monitor
            .n_predictions_total
            .fetch_add(n_due, Ordering::Relaxed);
        let mut refuted = Vec::new();
        for ((place, identity), due) in lots {
            self.monitor.step()?;
            let (chosen, setting) = (&languages[place], &settings[place]);
            refuted.extend(self.confirm_project(chosen, setting, identity, &due)?);
        }
        Ok(refuted)
    }

    fn confirm_project(
        &mut self,
        chosen: &ChosenRun,
        setting: &ExecutionSetting,
        identity: &str,
        due: &BTreeMap<u32, Outcome>,
    ) -> Result<Vec<RefutedCandidate>, ExecuteError> {
        let run = &chosen.run;
        let ordinals: Vec<u32> = due.keys().copied().collect();
        let Some(mut project) = self.open_of(chosen, ordinals[0], Processes::Apart)? else {
            return Ok(Vec::new());
        };
        // It is reported that the project is not built; its candidates are confirmed another time.
        let Ok(engine) = &mut project.engine else {
            return Ok(Vec::new());
        };
        let plan = self.plan_anew(chosen, (setting, &project.build), &ordinals)?;
        self.monitor.enter(Phase::Executing);
        let mut looking = SecondLooks {
            plan: &plan,
            due,
            keeper: ConfirmationKeeper::new(self.store, self.monitor, (run.id, &setting.engine)),
            twins: BTreeMap::new(),
            refuted: Vec::new(),
        };
        looking.all(engine.as_mut(), self.monitor)?;
        let refuted = looking.refuted;
        if !refuted.is_empty() {
            let of = (setting, identity, project.build.as_str());
            measure(self.store, self.monitor, chosen, of, Some(engine.as_mut()))?;
        }
        Ok(refuted)
    }
}

/// Due candidates with their outcomes, by the position of the language and the project's identity.
type DueByProject<'c> = BTreeMap<(usize, &'c str), BTreeMap<u32, Outcome>>;

/// Draws, of the chosen candidates of a run that pass and stand for themselves, those to look at, and returns the due
/// ones among them, by project. The choice depends on samples and attempts alone, and a request for more gives the same
/// ones and others.
fn draw<'c>(
    store: &Store,
    monitor: &Monitor,
    (languages, engine): (&'c [ChosenRun], &str),
    drawn: ConfirmationLimit,
) -> Result<DueByProject<'c>, ExecuteError> {
    let mut due = DueByProject::new();
    let Some(run) = languages.first().map(|language| &language.run) else {
        return Ok(due);
    };
    let n_predictions = run.n_predictions as u32;
    let executions = store.executions(run.id, engine, n_predictions, monitor)?;
    // The shown monitor would count this reading as work that is done.
    let attempts = store.result_attempts(run.id, n_predictions, &Monitor::default())?;
    let mut lots: Vec<(DrawnLot, (usize, &'c str))> = Vec::new();
    let mut keys = PredictionKeys::default();
    let projects = languages.iter().enumerate().flat_map(|(place, chosen)| {
        let projects = chosen.by_project.iter();
        projects.map(move |(identity, ordinals)| ((place, identity.as_str()), ordinals))
    });
    for (project, ordinals) in projects {
        for ordinal in ordinals.iter().copied() {
            let execution = executions.get(ordinal as usize).copied().flatten();
            let Some(execution) = execution.filter(|execution| execution.duplicate_of.is_none())
            else {
                continue;
            };
            let Some(outcome) = execution.outcome.filter(|outcome| outcome.passes()) else {
                continue;
            };
            let Some(key) = keys.key(store, monitor, (run.id, ordinal))? else {
                continue;
            };
            let attempt = attempts.get(ordinal as usize).copied().unwrap_or_default();
            let lot = DrawnLot {
                number: number(key, attempt),
                ordinal,
                outcome,
                is_due: matches!(execution.confirmed, None | Some(Confirmation::Undecided)),
            };
            lots.push((lot, project));
        }
    }
    lots.sort_unstable();
    lots.truncate(drawn.of(lots.len()));
    for (lot, project) in lots.into_iter().filter(|lot| lot.0.is_due) {
        let of_project = due.entry(project).or_default();
        of_project.insert(lot.ordinal, lot.outcome);
    }
    Ok(due)
}

/// Keys of predictions in order of their numbers, read many at once.
#[derive(Default)]
struct PredictionKeys {
    first: u32,
    keys: Vec<SampleKey>,
}

impl PredictionKeys {
    fn key(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        (run, ordinal): (i64, u32),
    ) -> Result<Option<SampleKey>, ExecuteError> {
        let is_here = |other: &Self| {
            ordinal >= other.first && ordinal - other.first < other.keys.len() as u32
        };
        if !is_here(self) {
            monitor.step()?;
            self.first = ordinal;
            self.keys = store.prediction_keys(run, ordinal, KEYS_AT_ONCE)?;
        }
        Ok(self.keys.get((ordinal - self.first) as usize).copied())
    }
}

/// Computes the number by which a candidate is drawn.
fn number(key: SampleKey, attempt: u32) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --confirm");
    hasher.update(&key.0);
    hasher.update(&attempt.to_le_bytes());
    let mut number = [0; 16];
    hasher.finalize_xof().fill(&mut number);
    number
}

/// The second look at the candidates of one project.
struct SecondLooks<'a, 'k> {
    plan: &'a ProjectPlan,
    /// The former outcome of each.
    due: &'a BTreeMap<u32, Outcome>,
    keeper: ConfirmationKeeper<'k>,
    /// The twins of candidates that pass again, by the candidate's number.
    twins: BTreeMap<u64, Twin>,
    refuted: Vec<RefutedCandidate>,
}

impl SecondLooks<'_, '_> {
    fn all(&mut self, engine: &mut dyn Engine, monitor: &Monitor) -> Result<(), ExecuteError> {
        let ended = self.both(engine, monitor);
        self.keeper.finish()?;
        match ended {
            // The others are looked at another time.
            Err(error) if error.is_of_project() => Ok(()),
            ended => Ok(ended?),
        }
    }

    fn both(&mut self, engine: &mut dyn Engine, monitor: &Monitor) -> Result<(), RunnerError> {
        let plan = self.plan;
        for (id, task) in (0..).zip(&plan.tasks) {
            if !matches!(task.repair, RepairOutcome::Method(_)) {
                self.decide(id, Confirmation::Undecided, "")?;
            }
        }
        let mut again: Vec<u64> = Vec::new();
        engine.run(&plan.files, &plan.candidates, monitor, &mut |ran| {
            match self.first_word(&ran) {
                Some(word) => self.decide(ran.id, word, &outcome_line(&ran))?,
                None => again.push(ran.id),
            }
            monitor.step()
        })?;
        let mut twins = Twins::default();
        let mut candidates: Vec<Candidate> = Vec::new();
        for candidate in plan
            .candidates
            .iter()
            .filter(|candidate| again.contains(&candidate.id))
        {
            monitor.step()?;
            let sample = &plan.tasks[candidate.id as usize].sample.sample;
            match twins.twin(sample.repo.language, &candidate.text) {
                Some(twin) => {
                    candidates.push(Candidate {
                        text: twin.text.clone(),
                        ..candidate.clone()
                    });
                    self.twins.insert(candidate.id, twin);
                }
                None => self.decide(candidate.id, Confirmation::Undecided, "")?,
            }
        }
        if candidates.is_empty() {
            return Ok(());
        }
        engine.run(&plan.files, &candidates, monitor, &mut |ran| {
            if let Some(twin) = self.twins.get(&ran.id) {
                let word = last_word(twin, &ran);
                self.decide(ran.id, word, "")?;
            }
            monitor.step()
        })
    }

    /// Concludes from the second run of the same text; nothing where its twin has to decide.
    fn first_word(&self, ran: &CandidateExecution) -> Option<Confirmation> {
        let task = self.plan.tasks.get(ran.id as usize)?;
        let before = self.due.get(&task.ordinal)?;
        match ran.fate {
            Fate::Ran(outcome) if outcome >= *before => None,
            Fate::Ran(outcome) if outcome.compiles() => Some(Confirmation::Unstable),
            Fate::Ran(_) | Fate::Blocked(_) => Some(Confirmation::Undecided),
        }
    }

    fn decide(&mut self, id: u64, word: Confirmation, said: &str) -> Result<(), Cancelled> {
        let Some(task) = self.plan.tasks.get(id as usize) else {
            return Ok(());
        };
        if word.refutes() {
            let sample = task.sample.sample.row.key;
            self.refuted.push(RefutedCandidate {
                sample,
                attempt: task.attempt,
                word,
                refutation: said.to_owned(),
            });
        }
        self.keeper.add(task.ordinal, word)
    }
}

/// Concludes from the run of a twin.
fn last_word(twin: &Twin, ran: &CandidateExecution) -> Confirmation {
    let message = ran
        .why
        .as_ref()
        .map_or("", |outcome_reason| outcome_reason.message.as_str());
    match ran.fate {
        Fate::Ran(outcome) if outcome.passes() => match twin.others {
            Others::Nobody => Confirmation::Forged,
            Others::Decorator => Confirmation::LeftEarly,
            Others::Expectation => Confirmation::Undecided,
        },
        Fate::Ran(Outcome::Failing) if twin.says_skipped(message) => Confirmation::LeftEarly,
        // A test that is marked as expected to fail is reported as skipped when it does.
        Fate::Ran(Outcome::Failing | Outcome::NotExecuted) => Confirmation::Yes,
        Fate::Ran(_) | Fate::Blocked(_) => Confirmation::Undecided,
    }
}

/// Writes the outcome of a candidate, with its reason, on one line.
fn outcome_line(ran: &CandidateExecution) -> String {
    let word = match ran.fate {
        Fate::Ran(outcome) => outcome.as_str(),
        Fate::Blocked(blocked) => blocked.as_str(),
    };
    let why = ran.why.as_ref();
    let first = why.and_then(|outcome_reason| outcome_reason.message.lines().next());
    let first = first.map_or_else(String::new, |first| format!(": {first}"));
    visible(&format!("{word}{first}"), MESSAGE_BYTES)
}

/// Collects results, and writes them in batches.
struct ConfirmationKeeper<'a> {
    store: &'a mut Store,
    monitor: &'a Monitor,
    of: (i64, &'a str),
    waiting: Vec<(u32, Confirmation)>,
    since: Instant,
    /// Why results could not be written.
    failed: Option<ExecuteError>,
}

impl<'a> ConfirmationKeeper<'a> {
    fn new(store: &'a mut Store, monitor: &'a Monitor, of: (i64, &'a str)) -> Self {
        Self {
            store,
            monitor,
            of,
            waiting: Vec::new(),
            since: Instant::now(),
            failed: None,
        }
    }

    fn add(&mut self, ordinal: u32, word: Confirmation) -> Result<(), Cancelled> {
        self.monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
        self.waiting.push((ordinal, word));
        if self.since.elapsed() < WAIT {
            return Ok(());
        }
        self.write().map_err(|error| {
            self.failed = Some(error);
            Cancelled
        })
    }

    /// Writes the waiting results, even after a cancel.
    fn finish(&mut self) -> Result<(), ExecuteError> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.write(),
        }
    }

    fn write(&mut self) -> Result<(), ExecuteError> {
        let monitor = Monitor::default();
        self.store
            .write_confirmations(self.of, &self.waiting, &monitor)?;
        self.waiting.clear();
        self.since = Instant::now();
        Ok(())
    }
}
