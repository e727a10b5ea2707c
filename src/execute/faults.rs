//! Runs passing tests on mutants of their focal methods.
//!
//! Chooses the tests and the mutants, and decides which results are stored. A test runs on all its mutants at once or
//! not at all, so that a later call begins with a whole test; finished pairs are not done again while its text, its
//! project and its mutants are the same. On request a test is left out on mutants that another test of the run has
//! noticed: [`crate::first_kill`]. [`crate::aims`] chooses the methods, and [`crate::due`] the mutants.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::ExecuteError;
use crate::aims::{self, AimedTest};
use crate::choose::ChosenRun;
use crate::covered;
use crate::due::{
    DueTest, MethodsByTest, PassingTest, PassingTests, due, is_kept, kept_stamp, partial, stamp,
};
use crate::engines::Processes;
use crate::executing::ProjectExecutor;
use crate::first_kill::{NoticedMutants, PartialTest, stay};
use crate::model::{
    ContentHash, ExecutionSetting, FaultCounts, Matcher, Outcome, Shakes, Stability,
};
use crate::options::{FaultOptions, FaultScope};
use crate::pace::Pace;
use crate::pool;
use crate::project::ProjectPlan;
use crate::repeats::{self, N_RUNS, RepeatableTests};
use crate::report::FaultReport;
use crate::runner::Engine;
use crate::runner::faults::{FaultEngine, FaultTest, TestOnMutants};
use crate::store::{FaultPair, MethodScope, Store, WrittenFaults, WrittenMethods};
use crate::task::{Cancelled, Monitor, Phase};

impl ProjectExecutor<'_, '_, '_> {
    /// Runs the passing tests of a run on the mutants of their focal methods.
    pub fn faults(
        &mut self,
        languages: &[ChosenRun],
        asked: &FaultOptions,
    ) -> Result<FaultReport, ExecuteError> {
        let until = asked.time.map(|time| Instant::now() + time);
        let mut report = FaultReport {
            scope: asked.scope,
            ..FaultReport::default()
        };
        for chosen in languages {
            let setting = chosen.setting(self.options, self.sandbox);
            for ordinals in chosen.by_project.values() {
                self.monitor.step()?;
                let passing = self.passing(chosen, &setting, ordinals)?;
                report.n_tests += passing.len() as u64;
                if passing.is_empty() {
                    continue;
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    report.n_left += passing.len() as u64;
                    continue;
                }
                let of = FaultedProject {
                    chosen,
                    setting: &setting,
                    until,
                };
                self.faults_of(&of, &passing, asked, &mut report)?;
            }
            let (run, engine) = (chosen.run.id, setting.engine.as_str());
            if let Some(scope) = asked.scope.of_methods() {
                let held = self.store.method_faults((run, engine), scope, None)?;
                report.n_held += held.len() as u64;
                for test_methods in &held {
                    report.counts += test_methods.counts;
                }
                continue;
            }
            let counts = self.store.fault_counts(run, engine)?;
            let (together, n_partial) = self.store.faults_together(run, engine)?;
            report.together += together;
            report.n_partial += n_partial;
            report.n_held += counts.len() as u64;
            for of_test in counts.values() {
                report.counts += *of_test;
            }
        }
        if let Some(chosen) = languages.first().filter(|_| !asked.is_dry) {
            let (store, run) = (&*self.store, &chosen.run);
            if !asked.pool.is_empty() {
                let pool = pool::pool(store, self.monitor, &asked.pool)?;
                let counts = pool::subsuming(store, self.monitor, run, &pool)?;
                report.subsuming = Some((pool, counts));
            }
            if asked.counts_as_pit {
                report.pit = Some(pool::as_pit_counts(store, self.monitor, run)?);
            }
        }
        Ok(report)
    }

    /// Lists the predictions that pass and ran themselves, with their times and whether they are settled.
    pub fn passing(
        &self,
        chosen: &ChosenRun,
        setting: &ExecutionSetting,
        ordinals: &[u32],
    ) -> Result<PassingTests, ExecuteError> {
        let run = chosen.run.id;
        let executions = self.store.executions_of(run, &setting.engine, ordinals)?;
        let passing = executions.into_iter().filter_map(|(ordinal, execution)| {
            // An unstable test says nothing about mutants, unless only a busy machine changes its outcome.
            let lasting = Shakes::lasting();
            let changed = execution
                .stability
                .map(|stability| stability.changed.and(lasting));
            let is_own = execution.duplicate_of.is_none() && changed.is_none_or(Shakes::is_empty);
            let passes = execution.outcome.is_some_and(Outcome::passes);
            let elapsed = Duration::from_millis(execution.elapsed_ms.unwrap_or(0).into());
            let is_open = !execution
                .stability
                .as_ref()
                .is_some_and(Stability::is_settled);
            let passing = PassingTest { elapsed, is_open };
            (is_own && passes).then_some((ordinal, passing))
        });
        Ok(passing.collect())
    }

    fn faults_of(
        &mut self,
        of: &FaultedProject<'_>,
        passing: &PassingTests,
        options: &FaultOptions,
        report: &mut FaultReport,
    ) -> Result<(), ExecuteError> {
        let run = &of.chosen.run;
        let ordinals: Vec<u32> = passing.keys().copied().collect();
        let opened = match options.scope {
            FaultScope::Covered(_) => self.open_to_look(of.chosen, ordinals[0])?,
            FaultScope::Focal | FaultScope::Candidates => {
                self.open_of(of.chosen, ordinals[0], Processes::Shared)?
            }
        };
        let Some(mut project) = opened else {
            return Ok(());
        };
        let Ok(engine) = &mut project.engine else {
            return Ok(());
        };
        let Some(version) = engine.faults().map(|fault| fault.version()) else {
            let language = of.chosen.language.as_str();
            report.notes.push(format!(
                "{}: no engine makes faults in {language} here",
                project.name
            ));
            return Ok(());
        };
        let plan = self.plan_anew(of.chosen, (of.setting, &project.build), &ordinals)?;
        let of_run = (run.id, of.setting.engine.as_str());
        let known = match options.scope.of_methods() {
            None => self.store.fault_stamps(run.id, &of.setting.engine)?,
            Some(scope) => self.store.method_stamps(of_run, scope)?,
        };
        let asking = FaultDemand {
            options,
            known: &known,
            passing,
            version: &version,
            matcher: run.setting.matcher,
        };
        let aimed = self.aimed(engine.as_mut(), &plan, &asking, report)?;
        let Some(engine) = engine.faults() else {
            return Ok(());
        };
        let (mut due, told) = due(engine, (&plan, aimed), options, (self.monitor, report))?;
        for due_test in &mut due {
            due_test.passing = passing.get(&due_test.ordinal).copied().unwrap_or_default();
        }
        let n_all = due.len();
        let noticed = if options.is_until_noticed {
            Some(self.kept_partly(of, &known, &mut due, options.is_forced)?)
        } else {
            due.retain(|due_test| {
                options.is_forced
                    || !is_kept(
                        known.get(&due_test.ordinal),
                        due_test.stamp,
                        due_test.passing.is_open,
                    )
            });
            None
        };
        report.n_kept += (n_all - due.len()) as u64;
        report.n_open += due
            .iter()
            .filter(|due_test| due_test.passing.is_open)
            .count() as u64;
        if options.is_dry {
            for due_test in &due {
                let estimate = due_test.estimate();
                report.n_pairs += due_test.tested.mutants.len() as u64;
                report.estimate += estimate;
                if due_test.passing.is_open {
                    report.estimate_of_repeats += estimate * (N_RUNS as u32 - 1);
                }
            }
            return Ok(());
        }
        self.monitor
            .n_predictions_total
            .fetch_add(due.len() as u64, Ordering::Relaxed);
        self.monitor.enter(Phase::Executing);
        let mut holding = FaultKeeper {
            pace: Pace::new(self.options.n_jobs),
            store: self.store,
            monitor: self.monitor,
            of: (run.id, &of.setting.engine),
            plan: &plan,
            noticed,
            stored_facts: options.scope.of_methods().map(|scope| (scope, told)),
            report,
        };
        holding.all(engine, due.into(), of.until)
    }

    /// Pairs the tests of a plan with the methods that get faults for them. Where tests are run first to learn what
    /// they enter, those that have their pairs are left out.
    fn aimed<'p>(
        &self,
        engine: &mut dyn Engine,
        plan: &'p ProjectPlan,
        asking: &FaultDemand<'_>,
        report: &mut FaultReport,
    ) -> Result<Vec<AimedTest<'p>>, ExecuteError> {
        let asked = asking.options;
        let drawing = match asked.scope {
            FaultScope::Focal => {
                let in_place = aims::in_place(engine, plan, self.monitor)?;
                return Ok(aims::at_focal_methods(plan, &in_place));
            }
            FaultScope::Candidates => return aims::at_candidates(self.store, asking.matcher, plan),
            FaultScope::Covered(drawing) => drawing,
        };
        let ground = |test: ContentHash| stamp(asking.version, test, &[]);
        let is_due = |(candidate, stamp): &covered::StampedTest<'_>| {
            let task = &plan.tasks[candidate.id as usize];
            let is_open = asking
                .passing
                .get(&task.ordinal)
                .is_some_and(|passing_test| passing_test.is_open);
            asked.is_forced || !is_kept(asking.known.get(&task.ordinal), *stamp, is_open)
        };
        let stamped = covered::stamped(plan, ground, (asked, drawing));
        let due: Vec<_> = stamped.into_iter().filter(is_due).collect();
        report.n_kept += (plan.candidates.len() - due.len()) as u64;
        let aimed = covered::at_entered(engine, (plan, &due), self.monitor)?;
        let n_unsettled = (due.len() - aimed.len()) as u64;
        report.n_now += n_unsettled;
        report.n_unsettled += n_unsettled;
        Ok(aimed)
    }

    /// Drops from `due` the tests that have their pairs or need no others, and returns the mutants that these have
    /// noticed.
    fn kept_partly(
        &self,
        of: &FaultedProject<'_>,
        known: &FxHashMap<u32, ContentHash>,
        due: &mut Vec<DueTest>,
        is_forced: bool,
    ) -> Result<NoticedMutants, ExecuteError> {
        if is_forced {
            return Ok(NoticedMutants::default());
        }
        let candidates = due.iter().filter(|due_test| {
            let known = known.get(&due_test.ordinal);
            is_kept(known, due_test.stamp, due_test.passing.is_open)
                || is_kept(known, partial(due_test.stamp), due_test.passing.is_open)
        });
        let ordinals: Vec<u32> = candidates
            .clone()
            .map(|candidate| candidate.ordinal)
            .collect();
        let of_run = (of.chosen.run.id, of.setting.engine.as_str());
        let mut pairs = self.store.fault_outcomes_of(of_run, &ordinals)?;
        let mut tests = BTreeMap::new();
        for candidate in candidates {
            let partly = PartialTest {
                is_whole: is_kept(
                    known.get(&candidate.ordinal),
                    candidate.stamp,
                    candidate.passing.is_open,
                ),
                mutants: candidate
                    .tested
                    .mutants
                    .iter()
                    .map(|mutant| mutant.id)
                    .collect(),
                pairs: pairs.remove(&candidate.ordinal).unwrap_or_default(),
            };
            tests.insert(candidate.ordinal, partly);
        }
        let noticed = stay(&mut tests);
        due.retain(|due_test| !tests.contains_key(&due_test.ordinal));
        Ok(noticed)
    }
}

/// The request for a plan.
struct FaultDemand<'a> {
    options: &'a FaultOptions,
    /// The stamps of stored pairs, by number of the test.
    known: &'a FxHashMap<u32, ContentHash>,
    passing: &'a PassingTests,
    /// The version of the engine.
    version: &'a str,
    matcher: Matcher,
}

/// A project of a run.
struct FaultedProject<'a> {
    chosen: &'a ChosenRun,
    setting: &'a ExecutionSetting,
    until: Option<Instant>,
}

/// Stores the results of a project's tests.
struct FaultKeeper<'a> {
    pace: Pace,
    store: &'a mut Store,
    monitor: &'a Monitor,
    of: (i64, &'a str),
    plan: &'a ProjectPlan,
    /// Mutants that tests of the run have noticed; nothing where each test is run on all.
    noticed: Option<NoticedMutants>,
    /// The stored facts about methods; nothing where tests are run on the mutants of their focal ones.
    stored_facts: Option<(MethodScope, MethodsByTest)>,
    report: &'a mut FaultReport,
}

impl FaultKeeper<'_> {
    fn all(
        &mut self,
        engine: &mut dyn FaultEngine,
        mut due: VecDeque<DueTest>,
        until: Option<Instant>,
    ) -> Result<(), ExecuteError> {
        while !due.is_empty() {
            if until.is_some_and(|until| Instant::now() >= until) {
                self.report.n_left += due.len() as u64;
                return Ok(());
            }
            let (part, cost) = self.next_part(&mut due);
            let began = Instant::now();
            self.part(engine, part)?;
            self.pace.took(cost, began.elapsed());
        }
        Ok(())
    }

    /// Takes the tests to run next, with their cost. With `--first-kill` no two of them have an unnoticed mutant in
    /// common.
    fn next_part(&mut self, due: &mut VecDeque<DueTest>) -> (Vec<DueTest>, Duration) {
        let (mut part, mut later) = (Vec::new(), VecDeque::new());
        let mut cost = Duration::ZERO;
        let mut round = self.noticed.as_ref().map(NoticedMutants::round);
        while let Some(mut next) = due.pop_front() {
            if let Some(round) = &mut round {
                let Some(open) = round.take(&next.tested.mutants) else {
                    later.push_back(next);
                    continue;
                };
                next.n_spared = next.tested.mutants.len() - open.len();
                next.tested.mutants = open;
            }
            cost = cost.saturating_add(next.cost());
            part.push(next);
            let has_room =
                |due_test: &DueTest| self.pace.has_room(cost.saturating_add(due_test.cost()));
            if !due.front().is_none_or(has_room) {
                break;
            }
        }
        later.append(due);
        *due = later;
        (part, cost)
    }

    fn part(
        &mut self,
        engine: &mut dyn FaultEngine,
        part: Vec<DueTest>,
    ) -> Result<(), ExecuteError> {
        // Nothing runs for a test without mutants, or without mutants that are left.
        let (part, without): (Vec<DueTest>, Vec<DueTest>) = part
            .into_iter()
            .partition(|due_test| !due_test.tested.mutants.is_empty());
        let n_without = without
            .iter()
            .filter(|due_test| due_test.n_spared == 0)
            .count();
        self.report.n_without += n_without as u64;
        let mut judged: BTreeMap<u64, TestOnMutants> = without
            .iter()
            .map(|due_test| {
                (
                    due_test.tested.candidate.id,
                    TestOnMutants::Pairs(Vec::new()),
                )
            })
            .collect();
        let tests: Vec<FaultTest> = part
            .iter()
            .map(|due_test| due_test.tested.clone())
            .collect();
        let monitor = self.monitor;
        let ended = if tests.is_empty() {
            Ok(())
        } else {
            let open = part.iter().filter(|due_test| due_test.passing.is_open);
            let open: BTreeSet<u64> = open.map(|due_test| due_test.tested.candidate.id).collect();
            let repeating = RepeatableTests {
                files: &self.plan.files,
                tests: &tests,
                is_settled: &|id| !open.contains(&id),
            };
            repeats::judge(engine, &repeating, monitor, &mut |id, found| {
                judged.insert(id, found);
                monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Cancelled>(())
            })
            .map(|n_repeats| self.report.n_repeats += n_repeats)
        };
        let mut rows = Vec::new();
        for due_test in part.iter().chain(&without) {
            if let Some(judged) = judged.get(&due_test.tested.candidate.id)
                && let Some(row) = self.row(due_test, judged)
            {
                rows.push(row);
            }
        }
        // Finished rows are written even after a cancel.
        let unheard = Monitor::default();
        match &self.stored_facts {
            None => self.store.write_faults(self.of, &rows, &unheard)?,
            Some((scope, told)) => {
                let rows = rows.into_iter().map(|faults| {
                    let told = told.get(&faults.ordinal);
                    WrittenMethods {
                        methods: told.map_or(&[], |of_test| of_test.methods.as_slice()),
                        n_methods: told.and_then(|of_test| of_test.n_methods),
                        faults,
                    }
                });
                let rows: Vec<WrittenMethods<'_>> = rows.collect();
                self.store
                    .write_method_faults(self.of, *scope, &rows, &unheard)?;
            }
        }
        Ok(ended?)
    }

    /// Makes the row of a test; nothing where the engine itself has no outcome of one of its pairs, so that it is done
    /// again another time.
    fn row<'d>(&mut self, due: &'d DueTest, judged: &TestOnMutants) -> Option<WrittenFaults<'d>> {
        self.report.n_now += 1;
        let pairs = match judged {
            TestOnMutants::Unsettled => {
                self.report.n_unsettled += 1;
                None
            }
            TestOnMutants::Pairs(pairs) if pairs.iter().any(Option::is_none) => {
                self.report.n_failed += 1;
                return None;
            }
            TestOnMutants::Pairs(pairs) => {
                let pairs = due.tested.mutants.iter().zip(pairs.iter().flatten());
                let pairs = pairs.map(|(mutant, pair)| FaultPair {
                    mutant: &**mutant,
                    outcome: pair.outcome,
                    by: pair.by.clone(),
                    ms: pair.ms,
                });
                Some(pairs.collect::<Vec<_>>())
            }
        };
        let counts = pairs.iter().flatten().map(|pair| pair.outcome);
        self.report.n_pairs += FaultCounts::of(counts).n_viable;
        if let Some(noticed) = &mut self.noticed {
            let pairs = pairs.iter().flatten();
            noticed.add(pairs.map(|pair| (pair.mutant.id, pair.outcome)));
        }
        // Whether a test passes every time is known without any mutant.
        let is_whole = due.n_spared == 0 || pairs.is_none();
        if !is_whole {
            self.report.n_spared += due.n_spared as u64;
        }
        let stamp = if is_whole {
            due.stamp
        } else {
            partial(due.stamp)
        };
        Some(WrittenFaults {
            ordinal: due.ordinal,
            stamp: kept_stamp(stamp, due.passing.is_open),
            is_whole,
            pairs,
        })
    }
}
