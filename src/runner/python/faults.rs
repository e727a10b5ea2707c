//! Faults in Python projects: a test sees the changed file in place of the original, so that imports, subprocesses and
//! `inspect` work as in a changed checkout.
//!
//! A test runs on the original code first, and its lines tell which mutants it reaches; one that starts processes,
//! whose lines are not seen, runs on all. Mostly it is collected once, and each pair changes a function in
//! place ([`graft`]). Where that is impossible, a forked child for each pair imports the changed file, or a process of
//! its own where the server has loaded the file. A run that does not end in time, or ends without an answer, is
//! repeated alone before it is believed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use std::{iter, mem};

use crate::faults::{
    FaultEngine, FaultSink, FaultTest, MethodMutants, MutantExecution, MutatedMethod, Operators,
    TestOnMutants,
};
use crate::model::{FaultOutcome, Mutant, MutantPlace, Outcome};
use crate::mutate::fault;
use crate::task::Monitor;
use crate::{HostFile, RunnerError};

use super::case::{CaseExecution, CaseLimit, ChangedFile, FileChange, PythonCase, Reach, numbers};
use super::engine::{FaultedFile, ForkingEngine};
use super::placed;
use super::run::{CaseRunner, CompiledChange, ProcessKind, compiled, statements};
use super::server::{ServerWorld, version};

mod graft;

/// A test may take this multiple of its time on the original code.
const N_TIMES: f64 = 10.0;
/// Plus this much, in processor time.
const MORE: Duration = Duration::from_secs(2);
/// How long, at most, a test may run on a mutant, waiting included.
const WALL: Duration = Duration::from_secs(60);

impl FaultEngine for ForkingEngine<'_> {
    fn version(&self) -> String {
        format!("{}.{}", fault::VERSION, version())
    }

    fn mutants(
        &mut self,
        methods: &[MutatedMethod],
        operators: &Operators,
        monitor: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError> {
        let operators = fault::Operators {
            names: operators.names.clone(),
            is_every: operators.is_every,
        };
        let same: Vec<_> = methods
            .iter()
            .map(|method| self.is_as_mined(method))
            .collect();
        let as_mined = iter::zip(methods, &same).filter(|pair| *pair.1);
        let files = parsed(
            as_mined.map(|as_mined| (as_mined.0.focal.place.path.as_str(), &*as_mined.0.text)),
        );
        let mut made = Vec::with_capacity(methods.len());
        for (method, is_same) in iter::zip(methods, same) {
            monitor.step()?;
            let place = &method.focal.place;
            let file = files.get(place.path.as_str()).filter(|_| is_same);
            let mutants = file.map(|file| file.of(place.span, &operators));
            made.push(mutants.unwrap_or_default());
        }
        self.without_equal(made, monitor)
    }

    fn judge(
        &mut self,
        files: &[HostFile],
        tests: &[FaultTest],
        monitor: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError> {
        let candidates: Vec<_> = tests.iter().map(|test| test.candidate.clone()).collect();
        let mut cases = self.cases(files, &candidates, monitor)?;
        self.read_files(tests, monitor)?;
        let mutants = tests.iter().flat_map(|test| &test.mutants);
        let paths: BTreeSet<&str> = mutants.map(|mutant| mutant.file.as_str()).collect();
        let files = self
            .faulted
            .iter()
            .map(|faulted| (faulted.0.as_str(), &*faulted.1.text));
        let judging = FaultRunner {
            engine: self,
            parsed: parsed(files.filter(|file| paths.contains(file.0))),
            monitor,
        };
        let mut grafts = judging.graft(tests, &cases)?;
        for ((case, grafts), test) in cases.iter_mut().zip(&mut grafts).zip(tests) {
            let is_lone = case.as_ref().is_some_and(|(case, _)| case.lone.is_some());
            if is_lone && grafts.pairs.len() < test.mutants.len() {
                // The remaining runs are without the file's other tests, so the lines are measured in the same way.
                grafts.base = None;
            }
            if grafts.base.is_some() {
                *case = None;
            }
        }
        let bases = judging.bases(&cases)?;
        let mut tasks = Vec::new();
        let mut found: BTreeMap<usize, TestPairs> = BTreeMap::new();
        for (test_idx, (test, base)) in tests.iter().zip(bases).enumerate() {
            let grafts = &mut grafts[test_idx];
            let Some(base) = grafts.base.take().or(base) else {
                sink(test.candidate.id, TestOnMutants::Unsettled)?;
                continue;
            };
            let tasks_of = judging.tasks(test_idx, test, &base, &grafts.pairs);
            let is_settled = tasks_of.is_empty();
            tasks.extend(tasks_of);
            let pairs = mem::take(&mut grafts.pairs);
            found.insert(test_idx, TestPairs { is_settled, pairs });
        }
        let mut ran = judging.run(&tasks, false)?;
        judging.again(&tasks, &mut ran)?;
        for (task, ran) in tasks.iter().zip(ran) {
            let pair = ran.as_ref().and_then(pair_of);
            let found = found.entry(task.test_idx).or_default();
            match task.mutant_idx {
                Some(mutant_idx) => {
                    found.pairs.insert(mutant_idx, pair);
                }
                None => {
                    found.is_settled =
                        pair.is_some_and(|pair| pair.outcome == FaultOutcome::Survived);
                }
            }
        }
        for (test_idx, mut found) in found {
            let test = &tests[test_idx];
            let judged = if found.is_settled {
                let pair = |idx| {
                    let pair = found.pairs.remove(&idx);
                    pair.unwrap_or(Some(MutantExecution::not_run(FaultOutcome::NotCovered)))
                };
                TestOnMutants::Pairs((0..test.mutants.len()).map(pair).collect())
            } else {
                TestOnMutants::Unsettled
            };
            sink(test.candidate.id, judged)?;
        }
        Ok(())
    }
}

impl ForkingEngine<'_> {
    /// Reads the files that have mutants and their counted lines, where that was not done before.
    fn read_files(&mut self, tests: &[FaultTest], monitor: &Monitor) -> Result<(), RunnerError> {
        let mutants = tests.iter().flat_map(|test| &test.mutants);
        let paths: BTreeSet<&String> = mutants.map(|mutant| &mutant.file).collect();
        let is_new = |text: &&String| !self.faulted.contains_key(*text);
        let paths: Vec<String> = paths.into_iter().filter(is_new).cloned().collect();
        if paths.is_empty() {
            return Ok(());
        }
        let mut statements = statements(self.site, &self.environment, &paths, monitor)?;
        for path in paths {
            let Ok(text) = placed::read(&self.environment.checkout, Path::new(&path)) else {
                continue;
            };
            let statements = statements.remove(&path).unwrap_or_default();
            let file = FaultedFile {
                text: text.into(),
                statements: numbers(&statements.statements),
            };
            self.faulted.insert(path, file);
        }
        Ok(())
    }

    /// Leaves out mutants that the interpreter rejects, or compiles to the same code as the original or another mutant
    /// of the method.
    fn without_equal(
        &self,
        made: Vec<Vec<Mutant>>,
        monitor: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError> {
        let mut edits: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let mut places = Vec::new();
        for mutant in made.iter().flatten() {
            let MutantPlace::Text {
                start,
                end,
                replacement,
            } = &mutant.place
            else {
                continue;
            };
            let of_file = edits.entry(mutant.file.as_str()).or_default();
            places.push((mutant.id, mutant.file.clone(), of_file.len()));
            of_file.push((*start, *end, replacement.as_str()));
        }
        if edits.is_empty() {
            return Ok(made.iter().map(|_| MethodMutants::default()).collect());
        }
        let world = ServerWorld {
            site: self.site,
            environment: &self.environment,
        };
        let said = compiled(world, &edits, monitor)?;
        let said = places.into_iter().map(|(id, file, idx)| {
            let said = said.get(&file).and_then(|said| said.get(idx));
            (id.0, said.cloned().unwrap_or(CompiledChange::Broken))
        });
        let said: BTreeMap<[u8; 16], CompiledChange> = said.collect();
        let kept = made.into_iter().map(|mutants| {
            let mut made = MethodMutants::default();
            let mut codes = BTreeSet::new();
            for mutant in mutants {
                match said.get(&mutant.id.0) {
                    Some(CompiledChange::Other(code)) if codes.insert(code) => {
                        made.mutants.push(mutant);
                    }
                    Some(CompiledChange::Same | CompiledChange::Other(_)) => {
                        made.equal.push(mutant.id);
                    }
                    Some(CompiledChange::Broken) | None => {}
                }
            }
            made
        });
        Ok(kept.collect())
    }
}

/// The findings about one test.
#[derive(Default)]
struct TestPairs {
    /// Whether it passed each time on the original code.
    is_settled: bool,
    pairs: BTreeMap<usize, Option<MutantExecution>>,
}

/// A test on the original code.
struct Base {
    case: PythonCase,
    seconds: f64,
    reach: Reach,
}

impl Base {
    fn new(case: PythonCase, ran: &CaseExecution) -> Self {
        Self {
            case,
            seconds: ran.seconds,
            reach: Reach::of(ran),
        }
    }
}

/// A test on a mutant, or on the original code.
struct MutantCase {
    test_idx: usize,
    mutant_idx: Option<usize>,
    case: PythonCase,
}

struct FaultRunner<'a, 's> {
    engine: &'a ForkingEngine<'s>,
    /// Files that have mutants, by their paths.
    parsed: BTreeMap<&'a str, fault::Faults<'a>>,
    monitor: &'a Monitor,
}

impl FaultRunner<'_, '_> {
    /// Runs tests on the original code, and measures their lines; nothing for those that do not pass.
    fn bases(&self, cases: &[Option<(PythonCase, u32)>]) -> Result<Vec<Option<Base>>, RunnerError> {
        let running = CaseRunner {
            has_lines: true,
            ..self.engine.running.clone()
        };
        let passing = self
            .engine
            .run_unchanged(cases, true, &running, self.monitor)?;
        let bases = passing
            .into_iter()
            .map(|passing| passing.map(|(case, ran)| Base::new(case, &ran)));
        Ok(bases.collect())
    }

    /// Lists the mutants of a test by index, each as a changed file and as a change of it; those of unread files are
    /// left out.
    fn changes(&self, test: &FaultTest) -> Vec<(usize, ChangedFile, FileChange)> {
        let mut changes = Vec::new();
        for (mutant_idx, mutant) in test.mutants.iter().enumerate() {
            let Some(file) = self.engine.faulted.get(&mutant.file) else {
                continue;
            };
            let parsed = self.parsed.get(mutant.file.as_str());
            let change = parsed.and_then(|faults| change_of(file, faults, mutant));
            let text = fault::applied(&file.text, mutant);
            if let Some((change, text)) = change.zip(text) {
                let path = mutant.file.clone();
                changes.push((mutant_idx, ChangedFile { path, text }, change));
            }
        }
        changes
    }

    /// Lists the runs of a test: on the original code, and on each mutant that it reaches and that has no pair yet.
    fn tasks(
        &self,
        test_idx: usize,
        test: &FaultTest,
        base: &Base,
        known: &BTreeMap<usize, Option<MutantExecution>>,
    ) -> Vec<MutantCase> {
        let task = |mutant_idx, changed| MutantCase {
            test_idx,
            mutant_idx,
            case: PythonCase {
                changed,
                limit: Some(limit_of(base.seconds)),
                ..base.case.clone()
            },
        };
        let left = self
            .changes(test)
            .into_iter()
            .filter(|(idx, changed, change)| {
                !known.contains_key(idx) && base.reach.comes_to(&changed.path, change)
            });
        let tasks: Vec<MutantCase> = left.map(|left| task(Some(left.0), Some(left.1))).collect();
        if tasks.is_empty() && !known.is_empty() {
            return tasks;
        }
        iter::once(task(None, None)).chain(tasks).collect()
    }

    /// Runs all tasks, each once.
    fn run(
        &self,
        tasks: &[MutantCase],
        has_lines: bool,
    ) -> Result<Vec<Option<CaseExecution>>, RunnerError> {
        let mut all: Vec<Option<CaseExecution>> = tasks.iter().map(|_| None).collect();
        let running = CaseRunner {
            has_lines,
            ..self.engine.running.clone()
        };
        let cases: Vec<PythonCase> = tasks.iter().map(|task| task.case.clone()).collect();
        self.engine
            .run_each(&cases, &running, self.monitor, &mut |idx, ran| {
                all[idx] = Some(ran);
            })?;
        Ok(all)
    }

    /// Runs tasks again, alone, that did not end in time or by themselves.
    fn again(
        &self,
        tasks: &[MutantCase],
        all: &mut [Option<CaseExecution>],
    ) -> Result<(), RunnerError> {
        let is_doubtful = |ran: &CaseExecution| {
            matches!(ran.outcome, Outcome::Timeout | Outcome::Crash) && !ran.is_unfit()
        };
        let again = (0..all.len()).filter(|idx| all[*idx].as_ref().is_some_and(is_doubtful));
        let again: Vec<usize> = again.collect();
        let cases = again.iter().map(|idx| PythonCase {
            grafted: None,
            ..tasks[*idx].case.clone()
        });
        let cases: Vec<PythonCase> = cases.collect();
        let alone = CaseRunner {
            how: ProcessKind::Fresh,
            has_lines: false,
            n_jobs: 1,
            ..self.engine.running.clone()
        };
        self.engine
            .run_each(&cases, &alone, self.monitor, &mut |again_idx, ran| {
                all[again[again_idx]] = Some(ran);
            })
    }
}

/// Parses files by their paths, each once; those with an error are left out.
fn parsed<'t>(
    files: impl Iterator<Item = (&'t str, &'t str)>,
) -> BTreeMap<&'t str, fault::Faults<'t>> {
    let texts: BTreeMap<&str, &str> = files.collect();
    let parsed = texts.into_iter();
    parsed
        .filter_map(|(path, text)| Some((path, fault::Faults::new(path, text)?)))
        .collect()
}

/// Turns a mutant into a change of its file, with the lines of its statement where these are counted.
fn change_of(
    file: &FaultedFile,
    faults: &fault::Faults<'_>,
    mutant: &Mutant,
) -> Option<FileChange> {
    let MutantPlace::Text {
        start,
        end,
        replacement,
    } = &mutant.place
    else {
        return None;
    };
    let (first, last) = faults.lines_around(*start);
    let is_counted = file.statements.range(first..=last).next().is_some();
    Some(FileChange {
        start: *start,
        end: *end,
        replacement: replacement.clone(),
        lines: is_counted.then_some((first, last)),
    })
}

/// Computes the time limit of a test on changed code from its seconds on the original code.
pub(super) fn limit_of(seconds: f64) -> CaseLimit {
    let limit = Duration::try_from_secs_f64(N_TIMES * seconds).unwrap_or(WALL) + MORE;
    CaseLimit {
        wall: limit.max(WALL),
        cpu_s: limit.as_secs() + 1,
    }
}

/// Converts a run on changed code to a result; nothing where the run says nothing about the test.
pub(super) fn pair_of(ran: &CaseExecution) -> Option<MutantExecution> {
    let reason = ran.reason.as_deref().unwrap_or_default();
    let class = reason.rsplit('.').next().unwrap_or_default();
    let is_class = class.starts_with(|first: char| first.is_alphabetic() && first.is_uppercase());
    let outcome = match ran.outcome {
        outcome if outcome.passes() => FaultOutcome::Survived,
        // A skipped test reports no failure, so the mutant survives.
        Outcome::NotExecuted if matches!(reason, "skipped" | "xfailed") => FaultOutcome::Survived,
        Outcome::NotExecuted if ran.is_misplaced() => return None,
        Outcome::Timeout => FaultOutcome::TimedOut,
        Outcome::Failing | Outcome::NotExecuted | Outcome::Crash => match class {
            // `pytest.fail` raises the second, and so does `pytest.raises` where nothing was raised.
            "AssertionError" | "Failed" => FaultOutcome::KilledByAssertion,
            "MemoryError" | "memory" => FaultOutcome::OutOfMemory,
            // Words of our own process: they say nothing about the test.
            "answer" | "record" | "stopped" | "unknown" => return None,
            _ => FaultOutcome::KilledByError,
        },
        _ => return None,
    };
    Some(MutantExecution {
        outcome,
        by: (outcome.is_detected() && is_class).then(|| reason.to_owned()),
        ms: ms_of(ran.seconds),
    })
}

/// Converts a time to milliseconds; nothing where it is not known.
fn ms_of(seconds: f64) -> Option<u64> {
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    let ms = u64::try_from(time.as_millis()).ok()?;
    (ms > 0).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_throws_first_says_by_what_it_noticed() {
        let check = |outcome, reason: &str, expected: Option<FaultOutcome>| {
            let pair = pair_of(&CaseExecution::new(outcome, reason, ""));
            assert_eq!(pair.map(|pair| pair.outcome), expected, "{reason}");
        };
        let by_assertion = Some(FaultOutcome::KilledByAssertion);
        let by_error = Some(FaultOutcome::KilledByError);
        check(Outcome::Failing, "AssertionError", by_assertion);
        check(Outcome::Failing, "Failed", by_assertion);
        check(Outcome::Failing, "p.errors.AppError", by_error);
        check(Outcome::NotExecuted, "NameError", by_error);
        check(Outcome::NotExecuted, "no test", by_error);
        check(Outcome::NotExecuted, "path", None);
        check(Outcome::Crash, "exit 0", by_error);
        check(Outcome::Crash, "signal 11", by_error);
        check(Outcome::Crash, "record", None);
        check(
            Outcome::Failing,
            "MemoryError",
            Some(FaultOutcome::OutOfMemory),
        );
        check(Outcome::Timeout, "limit", Some(FaultOutcome::TimedOut));
        let survived = Some(FaultOutcome::Survived);
        check(Outcome::NotExecuted, "skipped", survived);
        check(Outcome::Passing, "", survived);
    }

    #[test]
    fn only_classes_are_named() {
        let by = |reason| {
            pair_of(&CaseExecution::new(Outcome::Failing, reason, ""))
                .and_then(|mutant_execution| mutant_execution.by)
        };
        assert_eq!(by("p.AppError").as_deref(), Some("p.AppError"));
        assert_eq!(by("collection"), None);
    }
}
