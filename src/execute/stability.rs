//! Runs tests again with something changed around them, and keeps which changes alter their outcome.
//!
//! Chooses the tests and the number of runs, and draws the conclusions. First all run in processes that they share,
//! once for each change. Where anything differs, they run again in processes of their own, several times for each
//! change, and only that counts: traces of earlier tests in a process make no test unstable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::ExecuteError;
use crate::choose::ChosenRun;
use crate::engines::Processes;
use crate::executing::ProjectExecutor;
use crate::model::{ContentHash, ExecutionSetting, Outcome, Shake, Shakes, Stability};
use crate::options::ShakeOptions;
use crate::pace::{self, Pace};
use crate::project::ProjectPlan;
use crate::report::StabilityReport;
use crate::runner::shakes::{ShakeEngine, ShakeRound, TestFate, n_variants};
use crate::runner::{Candidate, HostFile};
use crate::store::{Store, WrittenStability};
use crate::task::{Cancelled, Monitor, Phase};

mod so_far;

use so_far::{ProcessSharing, SoFar};

/// The version of all rules that decide the results, besides the engine's.
const VERSION: u32 = 1;
/// The number of runs of a test without any change, besides the first run.
const N_NOTHING: usize = 3;

/// A test that is to be shaken.
struct DueShake {
    ordinal: u32,
    stamp: ContentHash,
    candidate: Candidate,
    /// Its duration in its execution.
    elapsed: Duration,
}

impl ProjectExecutor<'_, '_, '_> {
    /// Shakes those tests of a run that ran to their end.
    pub fn stability(
        &mut self,
        languages: &[ChosenRun],
        asked: &ShakeOptions,
    ) -> Result<StabilityReport, ExecuteError> {
        let until = asked.time.map(|time| Instant::now() + time);
        let mut report = StabilityReport::default();
        for chosen in languages {
            let setting = chosen.setting(self.options, self.sandbox);
            for ordinals in chosen.by_project.values() {
                self.monitor.step()?;
                let ended = self.ended(chosen, &setting, ordinals)?;
                report.n_tests += ended.len() as u64;
                if ended.is_empty() {
                    continue;
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    report.n_left += ended.len() as u64;
                    continue;
                }
                self.shake_project(chosen, (&setting, until), &ended, (asked, &mut report))?;
            }
            let run = chosen.run.id;
            let n_predictions = chosen.run.n_predictions as u32;
            let executions =
                self.store
                    .executions(run, &setting.engine, n_predictions, self.monitor)?;
            for stability in executions
                .iter()
                .flatten()
                .filter_map(|execution| execution.stability)
            {
                report.n_known += 1;
                if let Some(reason) = stability.reason() {
                    *report.by_reason.entry(reason).or_default() += 1;
                }
            }
        }
        Ok(report)
    }

    /// Lists the predictions that ran themselves, and to their end, with their times.
    fn ended(
        &self,
        chosen: &ChosenRun,
        setting: &ExecutionSetting,
        ordinals: &[u32],
    ) -> Result<BTreeMap<u32, Duration>, ExecuteError> {
        let run = chosen.run.id;
        let executions = self.store.executions_of(run, &setting.engine, ordinals)?;
        let ended = executions.into_iter().filter_map(|(ordinal, execution)| {
            let outcome = execution.outcome?;
            let is_own = execution.duplicate_of.is_none();
            let has_ended = outcome.passes() || outcome == Outcome::Failing;
            let elapsed = Duration::from_millis(execution.elapsed_ms.unwrap_or(0).into());
            (is_own && has_ended).then_some((ordinal, elapsed))
        });
        Ok(ended.collect())
    }

    fn shake_project(
        &mut self,
        chosen: &ChosenRun,
        (setting, until): (&ExecutionSetting, Option<Instant>),
        ended: &BTreeMap<u32, Duration>,
        (asked, report): (&ShakeOptions, &mut StabilityReport),
    ) -> Result<(), ExecuteError> {
        let run = chosen.run.id;
        let ordinals: Vec<u32> = ended.keys().copied().collect();
        let opened = self.open_of(chosen, ordinals[0], Processes::Shared)?;
        let Some(mut project) = opened else {
            return Ok(());
        };
        let Ok(engine) = &mut project.engine else {
            return Ok(());
        };
        let Some(engine) = engine.shaking() else {
            let language = chosen.language.as_str();
            let name = &project.name;
            report.notes.insert(format!(
                "{name}: this engine does not shake tests in {language} here"
            ));
            return Ok(());
        };
        let mut shakes = asked.shakes;
        for shake in asked.shakes.iter() {
            if let Some(why) = engine.hindrance(shake) {
                shakes = shakes.iter().filter(|other| *other != shake).collect();
                report
                    .notes
                    .insert(format!("`{}` is not applied: {why}", shake.as_str()));
            }
        }
        let plan = self.plan_anew(chosen, (setting, &project.build), &ordinals)?;
        let known = self.store.stability_stamps(run, &setting.engine)?;
        let stamps = Stamps {
            version: engine.version(),
            demand: (asked.n_repeats, shakes),
        };
        let mut due = Vec::new();
        for candidate in &plan.candidates {
            let task = &plan.tasks[candidate.id as usize];
            let stamp = stamps.of(task.stamp, &plan.files[candidate.file_idx]);
            if known.get(&task.ordinal) == Some(&stamp) && !asked.is_forced {
                report.n_kept += 1;
                continue;
            }
            due.push(DueShake {
                ordinal: task.ordinal,
                stamp,
                candidate: in_class(candidate, &plan),
                elapsed: ended.get(&task.ordinal).copied().unwrap_or_default(),
            });
        }
        let n_due = due.len() as u64;
        self.monitor
            .n_predictions_total
            .fetch_add(n_due, Ordering::Relaxed);
        self.monitor.enter(Phase::Executing);
        let mut shaking = ShakenProject {
            engine,
            files: &plan.files,
            store: self.store,
            monitor: self.monitor,
            of: (run, &setting.engine),
            demand: (asked.n_repeats, shakes),
            is_forced: asked.is_forced,
            pace: Pace::new(self.options.n_jobs),
            report,
        };
        shaking.all(by_file(due), &|| {
            until.is_some_and(|until| Instant::now() >= until)
        })
    }
}

/// A project whose tests are shaken.
struct ShakenProject<'a> {
    engine: &'a mut dyn ShakeEngine,
    files: &'a [HostFile],
    store: &'a mut Store,
    monitor: &'a Monitor,
    of: (i64, &'a str),
    /// The number of repetitions, and the shakes to try.
    demand: (usize, Shakes),
    /// Whether earlier results are ignored.
    is_forced: bool,
    pace: Pace,
    report: &'a mut StabilityReport,
}

impl ShakenProject<'_> {
    /// Shakes tests, part by part, and keeps the results of each part; once the time is over, no part is begun, and the
    /// running one is left for the next call with its results so far.
    fn all(
        &mut self,
        mut left: VecDeque<Vec<DueShake>>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), ExecuteError> {
        let first = rounds(self.demand.1, N_NOTHING, 1, false);
        let cost = |of_file: &Vec<DueShake>| {
            let costs = of_file.iter();
            costs
                .map(|due_shake| pace::cost(due_shake.elapsed, first.len()))
                .sum()
        };
        // Quick files come first, so that most results are kept early.
        left.make_contiguous().sort_by_key(cost);
        while !is_over() {
            let Some((part, cost)) = self.pace.next_part(&mut left, cost) else {
                return Ok(());
            };
            let began = Instant::now();
            let part: Vec<DueShake> = part.into_iter().flatten().collect();
            match self.part(&part, &first, is_over)? {
                ShakeProgress::Whole => self.pace.took(cost, began.elapsed()),
                // A continued part costs less than a whole one, so it teaches nothing about the pace.
                ShakeProgress::Rest => {}
                ShakeProgress::NotYet => self.report.n_left += part.len() as u64,
            }
        }
        let n_left: usize = left.iter().map(Vec::len).sum();
        self.report.n_left += n_left as u64;
        Ok(())
    }

    /// Shakes some tests and keeps their results; tests whose class does not run to its end get none.
    fn part(
        &mut self,
        part: &[DueShake],
        first: &[ShakeRound],
        is_over: &dyn Fn() -> bool,
    ) -> Result<ShakeProgress, ExecuteError> {
        let (n_repeats, shakes) = self.demand;
        let again = rounds(shakes, n_repeats, n_repeats, true);
        let n_rounds = [first.len(), again.len()];
        let mut so_far = SoFar::read(self.store, self.of, (part, n_rounds), self.is_forced)?;
        let has_begun = so_far.has_begun();
        let mut told = PartProgress::new(self.monitor, part.len(), (first.len(), again.len()));
        let mut candidates: Vec<&Candidate> =
            part.iter().map(|due_shake| &due_shake.candidate).collect();
        for candidate in &candidates {
            told.goes_on(&so_far, candidate.id);
        }
        for (place, rounds) in [
            (ProcessSharing::Among, first),
            (ProcessSharing::Apart, &again),
        ] {
            if place == ProcessSharing::Apart {
                candidates.retain(|candidate| so_far.is_suspect(candidate.id));
            }
            let of = (&mut so_far, &mut told);
            if !self.run_rounds((&candidates, place, rounds), of, is_over)? {
                return Ok(ShakeProgress::NotYet);
            }
        }
        let found = part.iter().filter_map(|due| {
            let id = due.candidate.id;
            let shared = so_far.fates(id, ProcessSharing::Among);
            // Without the unchanged run there is nothing to compare with.
            shared.first().copied().flatten()?;
            let apart = so_far.fates(id, ProcessSharing::Apart);
            let all = || shared.iter().chain(apart).flatten();
            let is_failed = |test_fate: &&TestFate| **test_fate == TestFate::Failed;
            Some(WrittenStability {
                ordinal: due.ordinal,
                stamp: due.stamp,
                stability: Stability {
                    tried: shakes,
                    changed: changed(&again, apart).and(shakes),
                    n_runs: all().count() as u32,
                    n_failed: all().filter(is_failed).count() as u32,
                },
            })
        });
        let found: Vec<WrittenStability> = found.collect();
        self.report.n_now += part.len() as u64;
        self.report.n_unsettled += (part.len() - found.len()) as u64;
        // Finished rows are written even after a cancel.
        self.store
            .write_stabilities(self.of, &found, &Monitor::default())?;
        told.end();
        Ok(if has_begun {
            ShakeProgress::Rest
        } else {
            ShakeProgress::Whole
        })
    }

    /// Runs tests in the rounds in which they have not run yet. Returns whether all rounds were done before the time
    /// was over.
    fn run_rounds(
        &mut self,
        (candidates, place, rounds): (&[&Candidate], ProcessSharing, &[ShakeRound]),
        (so_far, told): (&mut SoFar<'_>, &mut PartProgress<'_>),
        is_over: &dyn Fn() -> bool,
    ) -> Result<bool, ExecuteError> {
        let (store, monitor) = (&mut *self.store, self.monitor);
        for (range, lacking) in so_far.left(candidates, (place, rounds.len())) {
            let lacking: Vec<Candidate> = lacking.into_iter().cloned().collect();
            let mut kept = Ok(());
            let mut is_stopped = false;
            let mut keep = |id: u64, nth: usize, fate: TestFate| {
                let is_new_suspect = so_far.take(id, (place, range.start + nth), fate);
                told.run(is_new_suspect);
                kept = so_far.keep_now_and_then(store);
                is_stopped = is_over();
                if kept.is_err() || is_stopped {
                    return Err(Cancelled);
                }
                monitor.step().map_err(|_| Cancelled)
            };
            let of = (self.files, &lacking[..]);
            let ran = (self.engine).shake(of, &rounds[range.clone()], monitor, &mut keep);
            kept?;
            if is_stopped || ran.is_err() {
                so_far.keep(store)?;
            }
            if is_stopped {
                return Ok(so_far.left(candidates, (place, rounds.len())).is_empty());
            }
            ran?;
        }
        Ok(true)
    }
}

/// The progress of a part.
enum ShakeProgress {
    Whole,
    /// The rest of a part that an earlier call has begun.
    Rest,
    NotYet,
}

/// Reports the progress of a part: its runs are scaled to its number of tests.
struct PartProgress<'m> {
    monitor: &'m Monitor,
    n_tests: u64,
    /// How often each test runs among others, and how often a suspect runs apart.
    n_rounds: (u64, u64),
    /// Runs that are done, and all runs that are known to be needed.
    n_runs: u64,
    n_runs_total: u64,
    /// Tests that were reported to the monitor.
    n_told: u64,
}

impl<'m> PartProgress<'m> {
    fn new(monitor: &'m Monitor, n_tests: usize, n_rounds: (usize, usize)) -> Self {
        let (n_tests, n_rounds) = (n_tests as u64, (n_rounds.0 as u64, n_rounds.1 as u64));
        Self {
            monitor,
            n_tests,
            n_rounds,
            n_runs: 0,
            n_runs_total: n_tests * n_rounds.0,
            n_told: 0,
        }
    }

    /// Counts a run, and the runs that it causes where it has made its test a suspect.
    fn run(&mut self, is_new_suspect: bool) {
        if is_new_suspect {
            self.n_runs_total += self.n_rounds.1;
        }
        self.n_runs = (self.n_runs + 1).min(self.n_runs_total);
        self.tell(self.n_tests * self.n_runs / self.n_runs_total);
    }

    /// Counts the runs of a test that an earlier call has done.
    fn goes_on(&mut self, so_far: &SoFar<'_>, id: u64) {
        let known = |place| so_far.fates(id, place).iter().flatten().count();
        let mut is_suspect = so_far.is_suspect(id);
        for _ in 0..known(ProcessSharing::Among) + known(ProcessSharing::Apart) {
            self.run(is_suspect);
            is_suspect = false;
        }
    }

    /// Reports the part as done, however many of its runs came to their end.
    fn end(mut self) {
        self.tell(self.n_tests);
    }

    fn tell(&mut self, n_done: u64) {
        // The reported number never becomes smaller.
        let n_new = n_done.saturating_sub(self.n_told);
        self.monitor
            .n_predictions
            .fetch_add(n_new, Ordering::Relaxed);
        self.n_told += n_new;
    }
}

/// The inputs that the stamps of all tests of a project share.
struct Stamps {
    version: String,
    demand: (usize, Shakes),
}

impl Stamps {
    /// Hashes everything that decides how stable a test is; its own stamp has the build in it.
    fn of(&self, test: ContentHash, file: &HostFile) -> ContentHash {
        let mut hasher = blake3::Hasher::new_derive_key("focalist execute --shake");
        hasher.update(&VERSION.to_le_bytes());
        hasher.update(&(self.version.len() as u64).to_le_bytes());
        hasher.update(self.version.as_bytes());
        hasher.update(&(self.demand.0 as u64).to_le_bytes());
        hasher.update(&self.demand.1.bits().to_le_bytes());
        hasher.update(&test.0);
        hasher.update(file.text.as_bytes());
        ContentHash::of(&hasher)
    }
}

/// Returns the candidate without its text where that is the true test's: it then runs in the original class, together
/// with others.
fn in_class(candidate: &Candidate, plan: &ProjectPlan) -> Candidate {
    let sample = &plan.tasks[candidate.id as usize].sample.sample;
    let is_true = candidate.text.trim() == sample.test.source().trim();
    Candidate {
        focal: None,
        text: if is_true {
            String::new()
        } else {
            candidate.text.clone()
        },
        ..candidate.clone()
    }
}

/// Sorts tests by their files: those of a file share their process.
fn by_file(due: Vec<DueShake>) -> VecDeque<Vec<DueShake>> {
    let mut files: BTreeMap<usize, Vec<DueShake>> = BTreeMap::new();
    for due_shake in due {
        files
            .entry(due_shake.candidate.file_idx)
            .or_default()
            .push(due_shake);
    }
    files.into_values().collect()
}

/// Lists the rounds of some shakes: the base first, repeated `n_nothing` times; then each shake in each of its ways,
/// `n_times`.
fn rounds(shakes: Shakes, n_nothing: usize, n_times: usize, is_fresh: bool) -> Vec<ShakeRound> {
    let round = |shake, variant| ShakeRound {
        shake,
        variant,
        is_fresh,
    };
    let mut rounds = vec![round(None, 0)];
    if shakes.has(Shake::Nothing) {
        rounds.extend((0..n_nothing).map(|_| round(Some(Shake::Nothing), 0)));
    }
    for shake in shakes.iter().filter(|shake| *shake != Shake::Nothing) {
        for variant in 0..n_variants(shake) {
            rounds.extend((0..n_times).map(|_| round(Some(shake), variant)));
        }
    }
    rounds
}

/// Tells whether a test went differently in some rounds that came to their end.
fn differs(fates: &[Option<TestFate>]) -> bool {
    let mut fates = fates.iter().flatten();
    let first = fates.next();
    fates.any(|fate| Some(fate) != first)
}

/// Finds the shakes that change the outcome of a test, by its runs in separate processes.
///
/// A change counts where the outcome differs from the usual one in each of its runs. Where it differs only in some, the
/// test is unstable without any change. A busy machine and a second copy never act in the same way twice, so these two
/// count from the first difference.
fn changed(rounds: &[ShakeRound], fates: &[Option<TestFate>]) -> Shakes {
    let mut by_way: BTreeMap<(Option<Shake>, usize), Vec<TestFate>> = BTreeMap::new();
    for (round, fate) in rounds.iter().zip(fates) {
        let shake = round.shake.filter(|shake| *shake != Shake::Nothing);
        let of_way = by_way.entry((shake, round.variant)).or_default();
        of_way.extend(*fate);
    }
    let base = by_way.remove(&(None, 0)).unwrap_or_default();
    let mut changed = Shakes::default();
    let Some(usual) = base.first() else {
        return changed;
    };
    if base.iter().any(|test_fate| test_fate != usual) {
        changed.insert(Shake::Nothing);
        return changed;
    }
    let mut others: BTreeSet<Shake> = BTreeSet::new();
    for ((shake, _), fates) in by_way {
        let Some(shake) = shake else { continue };
        let n_other = fates.iter().filter(|fate| *fate != usual).count();
        if n_other == 0 {
            continue;
        }
        let is_by_chance = matches!(shake, Shake::Load | Shake::Port);
        if n_other == fates.len() || is_by_chance {
            others.insert(shake);
        } else {
            changed.insert(Shake::Nothing);
        }
    }
    if changed.is_empty() {
        changed = others.into_iter().collect();
    }
    changed
}

#[cfg(test)]
mod tests;
