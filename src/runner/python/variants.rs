//! Code of Python projects that keeps the contract: the changed file takes the place of the original, as with faults;
//! the order of sets is changed by another hash seed for the whole process.
//!
//! A test runs on the original code first. A failure on a variant is believed only after it is repeated in a process of
//! its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::faults::MutatedMethod;
use crate::model::{Language, Shake, Variant, VariantKind};
use crate::mutate::variant::{self, Variants, WordFrequencies};
use crate::sandbox::{EntryKind, Root};
use crate::shakes::{ProcessSurroundings, ShakeRound, n_variants};
use crate::task::Monitor;
use crate::variants::{TestOnVariants, VariantEngine, VariantExecution, VariantSink, VariantTest};
use crate::{HostFile, RunnerError, io_error};

use super::case::{CaseExecution, ChangedFile, PythonCase};
use super::engine::ForkingEngine;
use super::faults::{limit_of, pair_of};
use super::placed;
use super::run::{CaseRunner, ProcessKind};
use super::server::version;

/// The largest source that is read.
const N_BYTES_MAX: u64 = 4 << 20;
/// Extensions of files that may use the names of a module.
const SOURCES: [&str; 3] = ["py", "pyi", "pyx"];

impl VariantEngine for ForkingEngine<'_> {
    fn version(&self) -> String {
        format!("{}.{}", variant::VERSION, version())
    }

    fn variants(
        &mut self,
        methods: &[MutatedMethod],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Variant>>, RunnerError> {
        let (words, paths) = self.words(monitor)?;
        let mut made = Vec::with_capacity(methods.len());
        for method in methods {
            monitor.step()?;
            let place = &method.focal.place;
            let is_same = self.is_as_mined(method);
            let file = is_same.then(|| Variants::new(&place.path, &method.text));
            let is_counted = paths.contains(&place.path);
            let elsewhere = words.but(if is_counted { &method.text } else { "" });
            let variants = file
                .flatten()
                .map(|variants| variants.of(place.span, &elsewhere));
            made.push(variants.unwrap_or_default());
        }
        Ok(made)
    }

    fn answer(
        &mut self,
        files: &[HostFile],
        tests: &[VariantTest],
        monitor: &Monitor,
        sink: &mut VariantSink<'_>,
    ) -> Result<(), RunnerError> {
        let candidates: Vec<_> = tests.iter().map(|test| test.candidate.clone()).collect();
        let cases = self.cases(files, &candidates, monitor)?;
        let mut holding = VariantRunner {
            engine: self,
            monitor,
            texts: BTreeMap::new(),
        };
        holding.read(tests);
        let bases = holding.bases(&cases)?;
        let tasks = holding.tasks(tests, &bases);
        let answers = holding.answers(&tasks)?;
        let mut found: Vec<Vec<Option<VariantExecution>>> = tests
            .iter()
            .map(|test| vec![None; test.variants.len()])
            .collect();
        for (task, answer) in tasks.iter().zip(answers) {
            let of_variant = &mut found[task.test_idx][task.variant_idx];
            // Of several orders of sets, one failure is enough.
            let is_known = of_variant
                .as_ref()
                .is_some_and(|variant_execution| variant_execution.objects);
            if !is_known {
                *of_variant = answer;
            }
        }
        for ((test, base), answers) in tests.iter().zip(&bases).zip(found) {
            let answers = match base {
                Some(_) => TestOnVariants::Each(answers),
                None => TestOnVariants::Unsettled,
            };
            sink(test.candidate.id, answers)?;
        }
        Ok(())
    }
}

impl ForkingEngine<'_> {
    /// Reads the words of the project's main code, with the paths of its files: all sources except tests.
    fn words(&self, monitor: &Monitor) -> Result<(WordFrequencies, BTreeSet<String>), RunnerError> {
        let root = &self.environment.checkout;
        let held = Root::open(root).map_err(io_error(root))?;
        let mut open = vec![String::new()];
        let (mut words, mut paths) = (WordFrequencies::default(), BTreeSet::new());
        while let Some(folder) = open.pop() {
            monitor.step()?;
            let entries = held.entries(&folder);
            for (name, kind) in entries.map_err(io_error(&root.join(&folder)))? {
                // Hidden files, and names that are not text, are not modules.
                let Some(name) = name.to_str().filter(|text| !text.starts_with('.')) else {
                    continue;
                };
                let path = match folder.as_str() {
                    "" => name.to_owned(),
                    _ => format!("{folder}/{name}"),
                };
                let is_source = SOURCES.iter().any(|text| {
                    let end = name.strip_suffix(text);
                    end.is_some_and(|end| end.ends_with('.'))
                });
                match kind {
                    EntryKind::Folder if !is_of_tests(name) => open.push(path),
                    EntryKind::File if is_source && !is_of_tests(name) => {
                        // A file that is not a text has no names of members.
                        if let Ok(text) = held.read_text(&path, N_BYTES_MAX) {
                            words.add(&text);
                            paths.insert(path);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok((words, paths))
    }
}

/// Tells whether a file or a folder belongs to tests, by its name.
fn is_of_tests(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "tests" | "test" | "testing" | "conftest")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
}

/// A test on a variant.
struct VariantCase {
    test_idx: usize,
    variant_idx: usize,
    /// The changes to the surroundings of its process, if any.
    around: Option<ShakeRound>,
    case: PythonCase,
}

struct VariantRunner<'a, 's> {
    engine: &'a ForkingEngine<'s>,
    monitor: &'a Monitor,
    /// The texts of files that have variants.
    texts: BTreeMap<String, Arc<str>>,
}

impl VariantRunner<'_, '_> {
    fn read(&mut self, tests: &[VariantTest]) {
        let checkout = &self.engine.environment.checkout;
        for variant in tests.iter().flat_map(|test| &test.variants) {
            if !self.texts.contains_key(&variant.file)
                && let Ok(text) = placed::read(checkout, Path::new(&variant.file))
            {
                self.texts.insert(variant.file.clone(), text.into());
            }
        }
    }

    /// Runs tests on the original code, and returns them with their time limits; nothing for those that do not pass.
    fn bases(
        &self,
        cases: &[Option<(PythonCase, u32)>],
    ) -> Result<Vec<Option<PythonCase>>, RunnerError> {
        let running = self.running(None);
        let passing = self
            .engine
            .run_unchanged(cases, false, &running, self.monitor)?;
        let bases = passing.into_iter().map(|passing| {
            passing.map(|(case, ran)| PythonCase {
                limit: Some(limit_of(ran.seconds)),
                ..case
            })
        });
        Ok(bases.collect())
    }

    /// Lists the runs of tests on their variants.
    fn tasks(&self, tests: &[VariantTest], bases: &[Option<PythonCase>]) -> Vec<VariantCase> {
        let mut tasks = Vec::new();
        for (test_idx, (test, base)) in tests.iter().zip(bases).enumerate() {
            let Some(base) = base else { continue };
            for (variant_idx, variant) in test.variants.iter().enumerate() {
                let task = |around, changed| VariantCase {
                    test_idx,
                    variant_idx,
                    around,
                    case: PythonCase {
                        changed,
                        ..base.clone()
                    },
                };
                if variant.kind == VariantKind::Order {
                    let ways = (0..n_variants(Shake::Hash)).map(|variant| ShakeRound {
                        shake: Some(Shake::Hash),
                        variant,
                        is_fresh: false,
                    });
                    tasks.extend(ways.map(|way| task(Some(way), None)));
                    continue;
                }
                let text = self.texts.get(&variant.file);
                if let Some(text) = text.and_then(|text| variant::applied(text, variant)) {
                    let path = variant.file.clone();
                    tasks.push(task(None, Some(ChangedFile { path, text })));
                }
            }
        }
        tasks
    }

    /// Runs all tasks, and repeats failures in processes of their own; nothing for a task without an outcome.
    fn answers(&self, tasks: &[VariantCase]) -> Result<Vec<Option<VariantExecution>>, RunnerError> {
        let mut answers: Vec<Option<VariantExecution>> = tasks.iter().map(|_| None).collect();
        let mut ways: Vec<Option<ShakeRound>> = Vec::new();
        for task in tasks {
            if !ways.contains(&task.around) {
                ways.push(task.around);
            }
        }
        for around in ways {
            let of_way = (0..tasks.len()).filter(|idx| tasks[*idx].around == around);
            let mut idxs: Vec<usize> = of_way.collect();
            let shared = self.running(around);
            let alone = CaseRunner {
                how: ProcessKind::Fresh,
                n_jobs: 1,
                ..shared.clone()
            };
            for running in [shared, alone] {
                let cases: Vec<PythonCase> =
                    idxs.iter().map(|idx| tasks[*idx].case.clone()).collect();
                self.engine
                    .run_each(&cases, &running, self.monitor, &mut |asked_idx, ran| {
                        answers[idxs[asked_idx]] = answer_of(&ran);
                    })?;
                idxs.retain(|idx| {
                    answers[*idx]
                        .as_ref()
                        .is_none_or(|variant_execution| variant_execution.objects)
                });
            }
        }
        Ok(answers)
    }

    fn running(&self, around: Option<ShakeRound>) -> CaseRunner {
        let around =
            around.map(|shake_round| ProcessSurroundings::of(shake_round, Language::Python));
        CaseRunner {
            has_lines: false,
            around: around.unwrap_or_default(),
            ..self.engine.running.clone()
        }
    }
}

/// Converts a run on a variant to an answer; nothing where the run says nothing about the test.
fn answer_of(ran: &CaseExecution) -> Option<VariantExecution> {
    pair_of(ran).map(|pair| VariantExecution {
        objects: pair.outcome.is_detected(),
        by: pair.by,
    })
}

#[cfg(test)]
mod tests {
    use super::is_of_tests;

    #[test]
    fn files_and_folders_of_tests_are_known_by_their_names() {
        for name in ["tests", "conftest.py", "test_a.py", "a_test.py", "test"] {
            assert!(is_of_tests(name), "{name}");
        }
        for name in ["latest.py", "attest", "testify.py", "a.py"] {
            assert!(!is_of_tests(name), "{name}");
        }
    }
}
