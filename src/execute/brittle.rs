//! Runs passing tests on code that keeps the contract of their focal methods.
//!
//! Chooses the tests and the variants, decides which variants are sound, and what is kept. A variant is run by the true
//! tests of its method, too: if more than one in twenty of those that do not look at its changes fails there, the
//! variant breaks the contract, and counts nowhere. Tests of a method are run together, so that the same tests always
//! decide that.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ExecuteError;
use crate::choose::ChosenRun;
use crate::due::PassingTests;
use crate::engines::Processes;
use crate::executing::ProjectExecutor;
use crate::model::{
    Condition, ContentHash, ExecutionSetting, Filter, Name, OfSample, SampleKey, Shakes, Span,
    Variant,
};
use crate::options::BrittleOptions;
use crate::pace::{self, Pace};
use crate::project::{ProjectPlan, candidate_of, focal, host_file};
use crate::report::BrittleReport;
use crate::runner::faults::MutatedMethod;
use crate::runner::variants::{
    TestOnVariants, VariantEngine, VariantExecution, VariantTest, looks_at,
};
use crate::runner::{Candidate, HostFile, MethodName};
use crate::store::{Extent, PlacedSample, Store, VariantPair, WrittenVariants};
use crate::task::{Cancelled, Monitor, Phase};

mod targets;

use self::targets::{Changes, EnteredOverrides, Targets};

/// The version of all rules that decide the results, besides the engine's.
const VERSION: u32 = 2;
/// Samples that are read at once: larger batches take more memory, smaller ones more queries.
const SAMPLES_AT_ONCE: usize = 512;
/// One in this many true tests may fail on a variant that keeps the contract.
const N_FOR_ONE: usize = 20;

/// A focal method: its file and its place.
type FocalPlace = (String, Span);

/// A project of a run.
struct BrittleProject<'a> {
    chosen: &'a ChosenRun,
    setting: &'a ExecutionSetting,
    identity: &'a str,
    until: Option<Instant>,
}

/// A test of a run that is to be run on variants, with its number in the index.
struct DueVariantTest {
    ordinal: u32,
    stamp: ContentHash,
    candidate: Candidate,
    /// Its duration on the unchanged code.
    elapsed: Duration,
}

/// A true test, which says whether a variant is sound.
struct SoundnessTest {
    /// Its own number, or the number of the run's test with the same text.
    id: u64,
    /// The test itself, where no test of the run has its text.
    candidate: Option<Candidate>,
    /// For each variant: whether it looks at the changes, or enters none of the changed code.
    looks: Vec<bool>,
}

/// A focal method with its variants, the tests that are to be run on them, and its true tests.
struct BrittleMethod {
    name: String,
    variants: Vec<Arc<Variant>>,
    due: Vec<DueVariantTest>,
    truths: Vec<SoundnessTest>,
}

impl BrittleMethod {
    /// Estimates the cost by [`pace`] of running all tests on all variants. How long a true test takes is only known
    /// where the run has it.
    fn cost(&self) -> Duration {
        let cost = |elapsed| pace::cost(elapsed, self.variants.len());
        let others = self.truths.iter().filter(|truth| truth.candidate.is_some());
        let others = others.map(|_| Duration::ZERO);
        self.due
            .iter()
            .map(|variant_test| variant_test.elapsed)
            .chain(others)
            .map(cost)
            .sum()
    }
}

impl ProjectExecutor<'_, '_, '_> {
    /// Runs the passing tests of a run on code that keeps the contract.
    pub fn brittle(
        &mut self,
        languages: &[ChosenRun],
        asked: BrittleOptions,
    ) -> Result<BrittleReport, ExecuteError> {
        let until = asked.time.map(|time| Instant::now() + time);
        let mut report = BrittleReport::default();
        for chosen in languages {
            let setting = chosen.setting(self.options, self.sandbox);
            for (identity, ordinals) in &chosen.by_project {
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
                let of = BrittleProject {
                    chosen,
                    setting: &setting,
                    identity,
                    until,
                };
                self.brittle_of(&of, &passing, asked, &mut report)?;
            }
            let n_predictions = chosen.run.n_predictions as u32;
            let (run, engine) = (chosen.run.id, &setting.engine);
            let executions = self
                .store
                .executions(run, engine, n_predictions, self.monitor)?;
            for execution in executions.iter().flatten() {
                execution
                    .brittleness
                    .iter()
                    .for_each(|brittleness| report.counts.add(brittleness));
            }
        }
        Ok(report)
    }

    fn brittle_of(
        &mut self,
        of: &BrittleProject<'_>,
        passing: &PassingTests,
        asked: BrittleOptions,
        report: &mut BrittleReport,
    ) -> Result<(), ExecuteError> {
        let ordinals: Vec<u32> = passing.keys().copied().collect();
        let opened = self.open_of(of.chosen, ordinals[0], Processes::Shared)?;
        let Some(mut project) = opened else {
            return Ok(());
        };
        let Ok(engine) = &mut project.engine else {
            return Ok(());
        };
        if engine.varying().is_none() {
            let language = of.chosen.language.as_str();
            let name = &project.name;
            report.notes.insert(format!(
                "{name}: `--brittle` is not applied: no engine makes variants in {language} here"
            ));
            return Ok(());
        }
        let plan = self.plan_anew(of.chosen, (of.setting, &project.build), &ordinals)?;
        let truths = self.true_tests(of, &plan)?;
        let (run, engine_name) = (of.chosen.run.id, of.setting.engine.as_str());
        let mut gathering = VariantPlanner {
            plan: &plan,
            passing,
            files: plan.files.clone(),
            known: self.store.varied_stamps(run, engine_name)?,
            is_forced: asked.is_forced,
            n_kept: 0,
        };
        for truth in &truths {
            gathering.add_file(truth, |placed_sample| {
                host_file(&placed_sample.sample, &self.spans)
            });
        }
        let of_plan = (&plan, gathering.files.as_slice());
        let entered = EnteredOverrides::find(engine.as_mut(), of_plan, &truths, self.monitor)?;
        let Some(engine) = engine.varying() else {
            return Ok(());
        };
        let methods = gathering.methods(engine, (&truths, &entered), self.monitor)?;
        report.notes.extend(engine.notes());
        report.n_kept += gathering.n_kept;
        let n_due: usize = methods.iter().map(|method| method.due.len()).sum();
        self.monitor
            .n_predictions_total
            .fetch_add(n_due as u64, Ordering::Relaxed);
        self.monitor.enter(Phase::Executing);
        let mut holding = BrittleKeeper {
            files: gathering.files,
            store: self.store,
            monitor: self.monitor,
            of: (run, engine_name),
            report,
        };
        let mut pace = Pace::new(self.options.n_jobs);
        let mut left = VecDeque::from(methods);
        while of.until.is_none_or(|until| Instant::now() < until) {
            let Some((part, cost)) = pace.next_part(&mut left, BrittleMethod::cost) else {
                return Ok(());
            };
            let began = Instant::now();
            holding.part(engine, &part)?;
            pace.took(cost, began.elapsed());
        }
        let n_left: usize = left
            .iter()
            .map(|brittle_method| brittle_method.due.len())
            .sum();
        holding.report.n_left += n_left as u64;
        Ok(())
    }

    /// Reads the samples of a project whose true tests are about the methods of a plan, in order of their keys, whether
    /// the run has them or not. Unstable tests are left out, unless only a busy machine changes their outcome.
    fn true_tests(
        &self,
        of: &BrittleProject<'_>,
        plan: &ProjectPlan,
    ) -> Result<Vec<Arc<PlacedSample>>, ExecuteError> {
        let tasks = plan.tasks.iter();
        let places: FxHashSet<FocalPlace> =
            tasks.filter_map(|task| place_of(&task.sample)).collect();
        let run = &of.chosen.run;
        let project = Name::Whole(of.identity.to_owned());
        let all = Filter::only(Condition::Sample(OfSample::Repo(project)));
        let keys = self.store.keys(&all.as_decided(run.setting.matcher))?;
        let keys: BTreeSet<SampleKey> = keys.into_iter().collect();
        let keys: Vec<SampleKey> = keys.into_iter().collect();
        let mut found = Vec::new();
        for keys in keys.chunks(SAMPLES_AT_ONCE) {
            self.monitor.step()?;
            let unstable = self.store.true_stabilities(keys)?;
            let is_stable = |key: &SampleKey| {
                let changed = unstable.get(key).map(|stability| stability.changed);
                changed.is_none_or(|shakes| shakes.and(Shakes::lasting()).is_empty())
            };
            let keys: Vec<SampleKey> = keys.iter().copied().filter(is_stable).collect();
            let matcher = run.setting.matcher;
            let samples = self.store.placed_samples(&keys, matcher, Extent::Sample)?;
            let about = samples.into_iter().flatten();
            let about = about.filter(|placed_sample| {
                place_of(placed_sample).is_some_and(|pair| places.contains(&pair))
            });
            found.extend(about.map(Arc::new));
        }
        Ok(found)
    }
}

/// Finds the place of a sample's focal method.
fn place_of(placed: &PlacedSample) -> Option<FocalPlace> {
    let focal = placed.sample.focal.as_ref()?;
    Some((focal.path.clone(), focal.span))
}

/// Sorts tests by their methods.
struct VariantPlanner<'a> {
    plan: &'a ProjectPlan,
    passing: &'a PassingTests,
    /// The files of the plan, and those that only hold true tests.
    files: Vec<HostFile>,
    known: FxHashMap<u32, ContentHash>,
    is_forced: bool,
    n_kept: u64,
}

impl VariantPlanner<'_> {
    fn add_file(&mut self, truth: &PlacedSample, make: impl Fn(&PlacedSample) -> HostFile) {
        if self.file_of(truth).is_none() {
            self.files.push(make(truth));
        }
    }

    fn file_of(&self, truth: &PlacedSample) -> Option<usize> {
        let path = &truth.sample.test.path;
        self.files.iter().position(|file| file.path == *path)
    }

    /// Makes the variants of all focal methods, and returns these with the tests that were not held against them yet.
    fn methods(
        &mut self,
        engine: &mut dyn VariantEngine,
        (truths, entered): (&[Arc<PlacedSample>], &EnteredOverrides),
        monitor: &Monitor,
    ) -> Result<Vec<BrittleMethod>, ExecuteError> {
        let mut asked: BTreeMap<(FocalPlace, Option<MethodName>), MutatedMethod> = BTreeMap::new();
        let mut tests: BTreeMap<(FocalPlace, Targets), Vec<&Candidate>> = BTreeMap::new();
        let plan = self.plan;
        for candidate in &plan.candidates {
            let task = &plan.tasks[candidate.id as usize];
            let (Some(place), Some(focal)) = (place_of(&task.sample), focal(&task.sample)) else {
                continue;
            };
            let Some(declared) = &task.sample.sample.focal else {
                continue;
            };
            let targets = entered.of_plan(candidate.id);
            for target in &targets {
                let method = (place.clone(), target.clone());
                asked.entry(method).or_insert_with(|| MutatedMethod {
                    focal: focal.clone(),
                    text: Arc::clone(&declared.text),
                    test_path: plan.files[candidate.file_idx].path.clone(),
                    in_place: target.clone(),
                });
            }
            tests.entry((place, targets)).or_default().push(candidate);
        }
        let methods: Vec<MutatedMethod> = asked.values().cloned().collect();
        let made = engine.variants(&methods, monitor)?;
        let made = made.into_iter().map(|variants| {
            let variants = variants.into_iter().map(Arc::new);
            variants.collect::<Vec<_>>()
        });
        let made: BTreeMap<_, _> = asked.keys().zip(made).collect();
        let version = engine.version();
        let mut found = Vec::new();
        for ((place, targets), candidates) in tests {
            monitor.step()?;
            let method = |target: &Option<MethodName>| (place.clone(), target.clone());
            let changes = Changes::of(&targets, |method_name| made[&method(method_name)].clone());
            let of_method = truths.iter().filter(|truth| {
                let entered = entered.of_truth(&truth.sample.row.key);
                place_of(truth).as_ref() == Some(&place) && !entered.is_disjoint(&targets)
            });
            let of_method: Vec<&PlacedSample> =
                of_method.map(|placed_sample| &**placed_sample).collect();
            let ground = ground(&version, &changes.variants, &of_method);
            let due = self.due(&candidates, ground);
            if due.is_empty() {
                continue;
            }
            let any = targets.first().expect("a test has one at least");
            let faulted = &asked[&method(any)];
            let names = changes.names(engine, &faulted.text);
            let of_method = of_method.into_iter().zip(0..);
            let first = (plan.tasks.len() + found.len() * truths.len()) as u64;
            let truths = of_method.filter_map(|(truth, nth)| {
                let sample = &truth.sample;
                let test = (&*sample.test.text, sample.test.span);
                let language = sample.repo.language;
                let looks = looks_at(language, test, &names).into_iter();
                let beside = changes.beside(&entered.of_truth(&sample.row.key));
                let looks = looks
                    .zip(beside)
                    .map(|(looks, is_beside)| looks || is_beside);
                self.truth(truth, &due, (first + nth, looks.collect()))
            });
            found.push(BrittleMethod {
                name: format!("{}: {}", place.0, faulted.focal.name),
                truths: truths.collect(),
                variants: changes.variants.clone(),
                due,
            });
        }
        Ok(found)
    }

    /// Lists the tests that were not held against their variants yet.
    fn due(&mut self, candidates: &[&Candidate], ground: ContentHash) -> Vec<DueVariantTest> {
        let mut due = Vec::new();
        for candidate in candidates {
            let task = &self.plan.tasks[candidate.id as usize];
            let mut hasher = blake3::Hasher::new_derive_key("focalist execute --brittle");
            hasher.update(&ground.0);
            hasher.update(&task.stamp.0);
            let stamp = ContentHash::of(&hasher);
            if self.known.get(&task.ordinal) == Some(&stamp) && !self.is_forced {
                self.n_kept += 1;
                continue;
            }
            due.push(DueVariantTest {
                ordinal: task.ordinal,
                stamp,
                candidate: Candidate {
                    focal: None,
                    ..(*candidate).clone()
                },
                elapsed: (self.passing.get(&task.ordinal))
                    .map_or(Duration::ZERO, |passing_test| passing_test.elapsed),
            });
        }
        due
    }

    /// Makes a true test, which runs itself, or is stood for by a test of the run with the same text.
    fn truth(
        &self,
        placed: &PlacedSample,
        due: &[DueVariantTest],
        (id, looks): (u64, Vec<bool>),
    ) -> Option<SoundnessTest> {
        let sample = &placed.sample;
        let says_the_same = |variant_test: &&DueVariantTest| {
            let task = &self.plan.tasks[variant_test.candidate.id as usize];
            let is_of_sample = task.sample.sample.row.key == sample.row.key;
            is_of_sample && variant_test.candidate.text.trim() == sample.test.source().trim()
        };
        if let Some(same) = due.iter().find(says_the_same) {
            let id = same.candidate.id;
            return Some(SoundnessTest {
                id,
                candidate: None,
                looks,
            });
        }
        let file_idx = self.file_of(placed)?;
        Some(SoundnessTest {
            id,
            candidate: Some(candidate_of(id, file_idx, placed, &sample.test.name, "")),
            looks,
        })
    }
}

/// Hashes the parts that all tests of a method share: its variants, and the true tests that decide which are sound.
fn ground(version: &str, variants: &[Arc<Variant>], truths: &[&PlacedSample]) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --brittle, of a method");
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&(version.len() as u64).to_le_bytes());
    hasher.update(version.as_bytes());
    hasher.update(&(variants.len() as u64).to_le_bytes());
    for variant in variants {
        hasher.update(&variant.id.0);
    }
    for truth in truths {
        hasher.update(&truth.sample.row.key.0);
        hasher.update(blake3::hash(truth.sample.test.text.as_bytes()).as_bytes());
    }
    ContentHash::of(&hasher)
}

/// Stores the results of a project's tests.
struct BrittleKeeper<'a> {
    files: Vec<HostFile>,
    store: &'a mut Store,
    monitor: &'a Monitor,
    of: (i64, &'a str),
    report: &'a mut BrittleReport,
}

impl BrittleKeeper<'_> {
    fn part(
        &mut self,
        engine: &mut dyn VariantEngine,
        part: &[BrittleMethod],
    ) -> Result<(), ExecuteError> {
        let mut tests = Vec::new();
        for method in part
            .iter()
            .filter(|brittle_method| !brittle_method.variants.is_empty())
        {
            let truths = method
                .truths
                .iter()
                .filter_map(|truth| truth.candidate.as_ref());
            let all = method
                .due
                .iter()
                .map(|variant_test| &variant_test.candidate)
                .chain(truths);
            tests.extend(all.map(|candidate| VariantTest {
                candidate: candidate.clone(),
                variants: method.variants.clone(),
            }));
        }
        let mut answers: BTreeMap<u64, TestOnVariants> = BTreeMap::new();
        let monitor = self.monitor;
        let ended = if tests.is_empty() {
            Ok(())
        } else {
            engine.answer(&self.files, &tests, monitor, &mut |id, found| {
                answers.insert(id, found);
                monitor.step().map_err(|_| Cancelled)
            })
        };
        // Only all answers of a method together tell which of its variants are sound.
        ended?;
        let mut rows = Vec::new();
        for method in part {
            let is_sound = self.soundness(method, &answers);
            for due in &method.due {
                rows.extend(self.row(due, method, &is_sound, &answers));
            }
            let n_done = method.due.len() as u64;
            monitor.n_predictions.fetch_add(n_done, Ordering::Relaxed);
        }
        // Finished rows are written even after a cancel.
        self.store
            .write_varied(self.of, &rows, &Monitor::default())?;
        Ok(())
    }

    /// Tells for each variant of a method whether it is sound, and reports those that are not.
    fn soundness(
        &mut self,
        method: &BrittleMethod,
        answers: &BTreeMap<u64, TestOnVariants>,
    ) -> Vec<bool> {
        let mut is_sound = Vec::with_capacity(method.variants.len());
        for (nth, variant) in method.variants.iter().enumerate() {
            let asked = method.truths.iter().filter(|truth| !truth.looks[nth]);
            let said: Vec<bool> = asked
                .filter_map(|soundness_test| answer(answers, soundness_test.id, nth))
                .map(|variant_execution| variant_execution.objects)
                .collect();
            let n_objecting = said.iter().filter(|said| **said).count();
            is_sound.push(n_objecting * N_FOR_ONE <= said.len());
            if n_objecting * N_FOR_ONE > said.len() {
                self.report.unsound.insert(format!(
                    "{}: `{}` is unsound here: {n_objecting} of {} true tests that do not look at it fail",
                    method.name,
                    variant.kind.as_str(),
                    said.len()
                ));
            }
        }
        is_sound
    }

    /// Makes the row of a test; nothing where the engine itself has no outcome of one of its pairs, so that it is done
    /// again another time.
    fn row<'m>(
        &mut self,
        due: &DueVariantTest,
        method: &'m BrittleMethod,
        is_sound: &[bool],
        answers: &BTreeMap<u64, TestOnVariants>,
    ) -> Option<WrittenVariants<'m>> {
        self.report.n_now += 1;
        let pairs = match answers.get(&due.candidate.id) {
            None if method.variants.is_empty() => Some(Vec::new()),
            Some(TestOnVariants::Each(each)) if each.iter().all(Option::is_some) => {
                let answers = each.iter().flatten().zip(is_sound);
                let pairs = method.variants.iter().zip(answers);
                let pairs = pairs.map(|(variant, (answer, is_sound))| VariantPair {
                    variant: &**variant,
                    objects: answer.objects,
                    is_sound: *is_sound,
                    by: answer.by.clone(),
                });
                Some(pairs.collect())
            }
            Some(TestOnVariants::Unsettled) => {
                self.report.n_unsettled += 1;
                None
            }
            Some(TestOnVariants::Each(_)) | None => {
                self.report.n_failed += 1;
                return None;
            }
        };
        Some(WrittenVariants {
            ordinal: due.ordinal,
            stamp: due.stamp,
            pairs,
        })
    }
}

/// Looks up a test's answer to one of its variants.
fn answer(
    answers: &BTreeMap<u64, TestOnVariants>,
    id: u64,
    nth: usize,
) -> Option<&VariantExecution> {
    match answers.get(&id)? {
        TestOnVariants::Each(each) => each.get(nth)?.as_ref(),
        TestOnVariants::Unsettled => None,
    }
}
