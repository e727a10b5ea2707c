//! Plans one project of a run: its predictions become candidates, equal ones once, without those that need not run
//! again.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ExecuteError;
use crate::asserting::asserts;
use crate::choose::{GENERATED, TRACES};
use crate::model::{
    BlockedReason, CONSTRUCTOR, ContentHash, Execution, ExecutionSetting, Framework, Language,
    MethodPlace, Outcome, Prediction, Repair, RunSetting, Span, Target, split_types,
};
use crate::options::ExecuteOptions;
use crate::repair::{GivenText, RepairRules, RepairedMethod, Repairer, Repairs, Unparsable};
use crate::runner::java::Unit;
use crate::runner::{Candidate, Focal, HostFile};
use crate::store::{
    ExecutionStamp, Extent, PlacedSample, Store, StoredMethod, StoredSample, TestSpans,
};
use crate::syntax;
use crate::syntax::asserts::ProjectHelpers;
use crate::task::Monitor;

/// Predictions that are read at once: larger batches take more memory, smaller ones more queries.
const PREDICTIONS_AT_ONCE: usize = 512;

/// A prediction that runs once, for itself and for all that equal it.
pub struct ExecutionTask {
    pub ordinal: u32,
    pub attempt: u32,
    pub stamp: ContentHash,
    pub given_text: GivenText,
    /// Whether lines of the prediction were moved, so that its text in `given` is not the original.
    pub is_moved: bool,
    pub repair: RepairOutcome,
    /// Whether something in it can fail; `None` where it is not a method.
    pub asserts: Option<bool>,
    /// The sample that it belongs to.
    pub sample: Arc<PlacedSample>,
    /// Numbers and stamps of predictions with the same tokens.
    pub same: Vec<(u32, ContentHash)>,
}

/// The result of repairing a text.
pub enum RepairOutcome {
    Method(RepairedMethod),
    Unparsable(Unparsable),
    Blocked(BlockedReason),
}

/// A prediction that equals one which has its outcome already.
pub struct CopiedPrediction {
    pub ordinal: u32,
    pub stamp: ContentHash,
    pub of: u32,
}

/// The work on a project.
#[derive(Default)]
pub struct ProjectPlan {
    pub files: Vec<HostFile>,
    pub tasks: Vec<ExecutionTask>,
    pub copies: Vec<CopiedPrediction>,
    /// For predictions that ran before this was noted, by number: whether something in them can fail.
    pub settled: Vec<(u32, bool)>,
    /// A candidate's id is the position of its task.
    pub candidates: Vec<Candidate>,
    pub n_kept: u64,
}

/// The inputs of a plan.
pub struct PlanInputs<'a> {
    pub store: &'a Store,
    pub monitor: &'a Monitor,
    pub options: &'a ExecuteOptions,
    pub run: i64,
    pub run_setting: &'a RunSetting,
    pub setting: &'a ExecutionSetting,
    pub spans: &'a TestSpans,
    /// The hash of the project's build.
    pub build: &'a str,
    pub stamps: &'a FxHashMap<u32, ExecutionStamp>,
}

/// Whether a prediction has its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PredictionStanding {
    Due,
    Kept,
    /// It has an outcome with other repair rules than the current ones; it is run again only on request.
    MadeOtherwise,
}

/// A prediction that is being planned.
struct PendingPrediction {
    ordinal: u32,
    stamp: ContentHash,
    prediction: Prediction,
    is_due: bool,
    /// Whether its outcome stays, though the answer was repaired by other rules.
    is_made_otherwise: bool,
}

impl PlanInputs<'_> {
    /// Plans the work on these predictions of one project, in order of numbers.
    pub fn plan(&self, ordinals: &[u32]) -> Result<ProjectPlan, ExecuteError> {
        let mut by_sample: BTreeMap<[u8; 16], Vec<PendingPrediction>> = BTreeMap::new();
        let mut samples: FxHashMap<[u8; 16], Option<Arc<PlacedSample>>> = FxHashMap::default();
        for ordinals in ordinals.chunks(PREDICTIONS_AT_ONCE) {
            self.monitor.step()?;
            let predictions = self.read(ordinals)?;
            let keys: Vec<_> = predictions
                .iter()
                .map(|prediction| prediction.1.key)
                .filter(|sample_key| !samples.contains_key(&sample_key.0))
                .collect();
            let found =
                self.store
                    .placed_samples(&keys, self.run_setting.matcher, Extent::Sample)?;
            for (key, sample) in keys.into_iter().zip(found) {
                samples.insert(key.0, sample.map(Arc::new));
            }
            for (ordinal, prediction) in predictions {
                let key = prediction.key.0;
                let sample = samples.get(&key).and_then(Option::as_ref);
                let sample = sample.map(|placed_sample| &placed_sample.sample);
                let stamp = self.stamp(&prediction, sample, &self.setting.options);
                let standing = self.standing(ordinal, stamp, &prediction, sample);
                let pending = PendingPrediction {
                    ordinal,
                    is_due: standing == PredictionStanding::Due,
                    is_made_otherwise: standing == PredictionStanding::MadeOtherwise,
                    stamp,
                    prediction,
                };
                by_sample.entry(key).or_default().push(pending);
            }
        }
        let mut making = PlanBuilder {
            planning: self,
            plan: ProjectPlan::default(),
            repairer: Repairer::new(),
            files: FxHashMap::default(),
            known: ProjectHelpers::default(),
        };
        // In order of the first prediction of each sample, so that rows come as predictions do.
        let mut groups: Vec<_> = by_sample.into_iter().collect();
        groups.sort_by_key(|group| group.1[0].ordinal);
        for (key, mut group) in groups {
            self.monitor.step()?;
            // The first of equal predictions by attempt runs, regardless of the order of lines in the imported file.
            group.sort_by_key(|pending_prediction| {
                (
                    pending_prediction.prediction.attempt,
                    pending_prediction.ordinal,
                )
            });
            let n_kept = group
                .iter()
                .filter(|pending_prediction| !pending_prediction.is_due)
                .count() as u64;
            let is_settled = |pending_prediction: &PendingPrediction| {
                self.is_settled(pending_prediction.ordinal)
            };
            if n_kept == group.len() as u64 && group.iter().all(is_settled) {
                making.plan.n_kept += n_kept;
                continue;
            }
            if let Some(sample) = samples.get(&key).and_then(Option::as_ref) {
                making.sample(group, sample)?;
            } else {
                making.plan.n_kept += n_kept;
            }
        }
        Ok(making.plan)
    }

    /// Lists numbers and stamps of predictions whose samples have left the index, where that is not stored yet.
    pub fn gone(&self, ordinals: &[u32]) -> Result<Vec<(u32, ContentHash)>, ExecuteError> {
        let mut due = Vec::new();
        for ordinals in ordinals.chunks(PREDICTIONS_AT_ONCE) {
            self.monitor.step()?;
            for (ordinal, prediction) in self.read(ordinals)? {
                let stamp = self.stamp(&prediction, None, &self.setting.options);
                if self.standing(ordinal, stamp, &prediction, None) == PredictionStanding::Due {
                    due.push((ordinal, stamp));
                }
            }
        }
        Ok(due)
    }

    /// Tells whether an outcome has its note on whether something could fail.
    fn is_settled(&self, ordinal: u32) -> bool {
        self.stamps.get(&ordinal).is_none_or(|stamp| {
            let outcome = stamp.execution.outcome;
            outcome.is_none_or(|outcome| outcome == Outcome::Unparsable)
                || stamp.execution.asserts.is_some()
        })
    }

    fn read(&self, ordinals: &[u32]) -> Result<Vec<(u32, Prediction)>, ExecuteError> {
        let mut found = Vec::with_capacity(ordinals.len());
        let mut at = 0;
        while at < ordinals.len() {
            // Predictions with consecutive numbers are read together.
            let first = ordinals[at];
            let n_together = (at..ordinals.len())
                .take_while(|n| ordinals[*n] as usize - first as usize == n - at)
                .count();
            let predictions = self.store.predictions(self.run, first, n_together)?;
            let n_read = predictions.len();
            found.extend((first..).zip(predictions));
            // A number without a prediction is left out.
            at += n_read.max(1);
        }
        Ok(found)
    }

    /// Tells whether a prediction has its outcome; `stamp` is what it would have now.
    fn standing(
        &self,
        ordinal: u32,
        stamp: ContentHash,
        prediction: &Prediction,
        sample: Option<&StoredSample>,
    ) -> PredictionStanding {
        let Some(known) = self.stamps.get(&ordinal) else {
            return PredictionStanding::Due;
        };
        let may_change = matches!(
            known.execution.blocked,
            Some(BlockedReason::NoBuild | BlockedReason::Cancelled | BlockedReason::NoEngine)
        );
        if self.options.is_forced || may_change || !known.is_current {
            return PredictionStanding::Due;
        }
        if known.stamp == stamp {
            return PredictionStanding::Kept;
        }
        let mut others = self.options.repairs_let_pass().iter();
        let is_let_pass = others.any(|repairs| {
            let options = self.options.canonical(*repairs);
            known.stamp == self.stamp(prediction, sample, &options)
        });
        if is_let_pass {
            PredictionStanding::MadeOtherwise
        } else {
            PredictionStanding::Due
        }
    }

    /// Hashes everything that decides the outcome but the version.
    fn stamp(
        &self,
        prediction: &Prediction,
        sample: Option<&StoredSample>,
        options: &str,
    ) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(prediction.text().as_bytes());
        match sample {
            Some(sample) => {
                add(&sample.content_hash.0);
                let cut = sample.cut.assertion.unwrap_or_default();
                add(&cut.start.to_le_bytes());
                add(&cut.end.to_le_bytes());
                add(blake3::hash(sample.test.text.as_bytes()).as_bytes());
            }
            None => add(b""),
        }
        add(self.run_setting.target.as_str().as_bytes());
        add(self.build.as_bytes());
        add(self.setting.engine.as_bytes());
        add(options.as_bytes());
        ContentHash::of(&hasher)
    }

    fn rules(&self, sample: &StoredSample) -> RepairRules {
        RepairRules {
            language: sample.repo.language,
            repairs: self.options.repairs_of(self.run_setting.target),
            framework: sample.framework,
            adds_test_annotation: self.options.adds_test_annotation,
        }
    }
}

/// Chooses the rules by which an answer was, or will be, repaired.
fn rules_of(rules: RepairRules, pending: &PendingPrediction) -> RepairRules {
    let mut others = Repairs::ALL
        .iter()
        .filter(|repairs| **repairs != rules.repairs);
    let other = others.next().filter(|_| pending.is_made_otherwise);
    RepairRules {
        repairs: other.copied().unwrap_or(rules.repairs),
        ..rules
    }
}

/// A plan in the making.
struct PlanBuilder<'a> {
    planning: &'a PlanInputs<'a>,
    plan: ProjectPlan,
    repairer: Repairer,
    /// Positions in the plan's files, by path.
    files: FxHashMap<String, usize>,
    known: ProjectHelpers,
}

impl PlanBuilder<'_> {
    /// Plans all predictions of one sample, at least one of them without an outcome.
    fn sample(
        &mut self,
        group: Vec<PendingPrediction>,
        sample: &Arc<PlacedSample>,
    ) -> Result<(), ExecuteError> {
        if self.planning.run_setting.source == GENERATED.source {
            for pending in group {
                self.generated(&pending, sample)?;
            }
            return Ok(());
        }
        let rules = self.planning.rules(&sample.sample);
        let has_focal = sample.sample.focal.is_some();
        // The first task by its tokens. Unparsable texts equal only each other, and an outcome that was made by other
        // rules is not copied to answers under the present ones.
        let mut first: FxHashMap<(ContentHash, [bool; 2]), usize> = FxHashMap::default();
        let mut tasks: Vec<(ExecutionTask, bool)> = Vec::new();
        for pending in group {
            let given_text = given(
                self.planning.run_setting.target,
                rules.language,
                &sample.sample,
                &pending.prediction,
            );
            let repair = if has_focal || self.planning.run_setting.source == TRACES.source {
                match self.repairer.repair(&given_text, rules_of(rules, &pending)) {
                    Ok(repaired_method) => RepairOutcome::Method(repaired_method),
                    Err(unparsable) => RepairOutcome::Unparsable(unparsable),
                }
            } else {
                RepairOutcome::Blocked(BlockedReason::NoFocal)
            };
            let tokens = match &repair {
                RepairOutcome::Method(repaired_method) => repaired_method.tokens,
                _ => crate::repair::hash_of_tokens(rules.language, &given_text.text),
            };
            let is_read = matches!(repair, RepairOutcome::Method(_));
            let equal = (tokens, [is_read, pending.is_made_otherwise]);
            if let Some(at) = first.get(&equal) {
                let (task, is_due) = &mut tasks[*at];
                if *is_due || pending.is_due {
                    task.same.push((pending.ordinal, pending.stamp));
                } else {
                    self.plan.n_kept += 1;
                    let asserts = task
                        .asserts
                        .filter(|_| !self.planning.is_settled(pending.ordinal));
                    let settled = asserts.map(|assert| (pending.ordinal, assert));
                    self.plan.settled.extend(settled);
                }
                continue;
            }
            first.insert(equal, tasks.len());
            // In an index from before this order, another prediction may have run in its place.
            let stamp = self.planning.stamps.get(&pending.ordinal);
            let is_copy = stamp.is_some_and(|stamp| stamp.execution.duplicate_of.is_some());
            let is_moved = given_text.prediction.of(&given_text.text) != pending.prediction.text();
            let asserts = self.asserts(&repair, &given_text, sample)?;
            let task = ExecutionTask {
                ordinal: pending.ordinal,
                attempt: pending.prediction.attempt,
                stamp: pending.stamp,
                given_text,
                is_moved,
                repair,
                asserts,
                sample: sample.clone(),
                same: Vec::new(),
            };
            tasks.push((task, pending.is_due || is_copy));
        }
        for (task, is_due) in tasks {
            if is_due {
                self.task(task);
                continue;
            }
            self.plan.n_kept += 1;
            self.settle(&task);
            let copies = task
                .same
                .into_iter()
                .map(|(ordinal, stamp)| CopiedPrediction {
                    ordinal,
                    stamp,
                    of: task.ordinal,
                });
            self.plan.copies.extend(copies);
        }
        Ok(())
    }

    /// Tells whether a prediction asserts something once it is repaired; nothing where no method came out of it.
    fn asserts(
        &mut self,
        repair: &RepairOutcome,
        given_text: &GivenText,
        sample: &PlacedSample,
    ) -> Result<Option<bool>, ExecuteError> {
        let RepairOutcome::Method(method) = repair else {
            return Ok(None);
        };
        let place = match self.planning.run_setting.target {
            Target::Test => Span::new(0, method.text.len() as u32),
            Target::Assertion => method.place_of(given_text),
        };
        let store = self.planning.store;
        asserts(&mut self.known, store, sample, (&method.text, place)).map(Some)
    }

    /// Notes whether something can fail in a prediction that keeps its outcome, where that is not known yet.
    fn settle(&mut self, task: &ExecutionTask) {
        if let Some(asserts) = task.asserts
            && !self.planning.is_settled(task.ordinal)
        {
            self.plan.settled.push((task.ordinal, asserts));
        }
    }

    /// Plans a test that is a separate file, beside the sample's true test.
    fn generated(
        &mut self,
        pending: &PendingPrediction,
        sample: &Arc<PlacedSample>,
    ) -> Result<(), ExecuteError> {
        let text = pending.prediction.text().to_owned();
        let whole = Span::new(0, text.len() as u32);
        let store = self.planning.store;
        let asserts = asserts(&mut self.known, store, sample, (&text, whole))?;
        if !pending.is_due {
            self.plan.n_kept += 1;
            if !self.planning.is_settled(pending.ordinal) {
                self.plan.settled.push((pending.ordinal, asserts));
            }
            return Ok(());
        }
        let meta = pending.prediction.meta.as_deref();
        let unit = meta.and_then(Unit::read);
        // Without EvoSuite, which wrote it, the test does not compile.
        let unit = unit.filter(|_| self.planning.options.suite.is_some());
        let repair = match &unit {
            Some(unit) => RepairOutcome::Method(RepairedMethod {
                tokens: crate::repair::hash_of_tokens(Language::Java, &text),
                name: unit.test.clone(),
                repair: Repair::None,
                steps: Vec::new(),
                text: text.clone(),
            }),
            None => RepairOutcome::Blocked(BlockedReason::NoEngine),
        };
        if let Some(Unit { class, test }) = unit {
            let path = &sample.sample.test.path;
            let folder = path.rsplit_once('/').map_or("", |pair| pair.0);
            self.plan.candidates.push(Candidate {
                id: self.plan.tasks.len() as u64,
                file_idx: self.plan.files.len(),
                at: Span::new(0, text.len() as u32),
                text: String::new(),
                package: package_of(&text),
                name: test,
                framework: Framework::JUnit4,
                focal: focal(sample),
                nesting: vec![class.clone()],
            });
            self.plan.files.push(HostFile {
                path: format!("{folder}/{class}.java"),
                text: text.clone(),
                tests: Vec::new(),
            });
        }
        self.plan.tasks.push(ExecutionTask {
            ordinal: pending.ordinal,
            attempt: pending.prediction.attempt,
            stamp: pending.stamp,
            given_text: GivenText::test(&text),
            is_moved: false,
            repair,
            asserts: Some(asserts),
            sample: sample.clone(),
            same: Vec::new(),
        });
        Ok(())
    }

    fn task(&mut self, task: ExecutionTask) {
        if let RepairOutcome::Method(repaired) = &task.repair {
            let id = self.plan.tasks.len() as u64;
            let file_idx = self.file(&task.sample);
            let RepairedMethod { name, text, .. } = repaired;
            self.plan.candidates.push(Candidate {
                focal: focal(&task.sample),
                ..candidate_of(id, file_idx, &task.sample, name, text)
            });
        }
        self.plan.tasks.push(task);
    }

    fn file(&mut self, placed: &PlacedSample) -> usize {
        let sample = &placed.sample;
        let path = &sample.test.path;
        if let Some(at) = self.files.get(path) {
            return *at;
        }
        let at = self.plan.files.len();
        self.plan.files.push(host_file(sample, self.planning.spans));
        self.files.insert(path.clone(), at);
        at
    }
}

pub fn host_file(sample: &StoredSample, spans: &TestSpans) -> HostFile {
    HostFile {
        path: sample.test.path.clone(),
        text: sample.test.text.to_string(),
        tests: spans.beside(sample).to_vec(),
    }
}

/// Builds the text to repair: the prediction, in the place where the run's answers stand.
fn given(
    target: Target,
    language: Language,
    sample: &StoredSample,
    prediction: &Prediction,
) -> GivenText {
    match target {
        Target::Test => GivenText::test(prediction.text()),
        Target::Assertion => {
            let start = sample.test.span.start;
            let within = |span: Span| Span::new(span.start - start, span.end - start);
            GivenText::assertion(
                language,
                sample.test.source(),
                sample.cut.assertion.map(within),
                prediction.text(),
            )
        }
    }
}

/// Makes a candidate in the place of a sample's test, without any measurement.
pub fn candidate_of(
    id: u64,
    file_idx: usize,
    placed: &PlacedSample,
    name: &str,
    text: &str,
) -> Candidate {
    let sample = &placed.sample;
    let (package, nesting) = place(&sample.test, placed.n_package, sample.repo.language);
    Candidate {
        id,
        file_idx,
        at: sample.test.span,
        text: text.to_owned(),
        nesting,
        package,
        name: name.to_owned(),
        framework: sample.framework,
        focal: None,
    }
}

/// Describes the focal method of a sample.
pub fn focal(placed: &PlacedSample) -> Option<Focal> {
    let sample = &placed.sample;
    let method = sample.focal.as_ref()?;
    let (n_package, language) = (placed.n_package_of_focal, sample.repo.language);
    Some(focal_of(method, n_package, language))
}

/// Describes a method as engines are asked about it.
pub fn focal_of(method: &StoredMethod, n_package: u32, language: Language) -> Focal {
    let (package, nesting) = place(method, n_package, language);
    Focal {
        package,
        nesting,
        name: if method.kind.is_constructor() {
            CONSTRUCTOR.to_owned()
        } else {
            method.name.clone()
        },
        parameters: parameters(&method.parameters),
        place: MethodPlace {
            path: method.path.clone(),
            span: method.span,
        },
        line: method.name_line,
    }
}

/// Builds the binary name of a class, such as `p.Outer$Inner`.
pub fn binary_name(package: &str, nesting: &[String]) -> String {
    let class = nesting.join("$");
    if package.is_empty() {
        class
    } else {
        format!("{package}.{class}")
    }
}

fn parameters(joined: &str) -> Vec<String> {
    split_types(joined).map(str::to_owned).collect()
}

/// Splits the names around a method into the package and the classes, outermost first.
fn place(method: &StoredMethod, n_package: u32, language: Language) -> (String, Vec<String>) {
    let class = method.class.as_str();
    let package = match language {
        // In an index older than the column it is 0, so the file is read.
        Language::Java => package_of(&method.text),
        Language::Python | Language::Go | Language::JavaScript | Language::CSharp => {
            class.get(..n_package as usize).unwrap_or("").to_owned()
        }
    };
    let inner = class.strip_prefix(&package).unwrap_or(class);
    let names = inner.split('.').filter(|part| !part.is_empty());
    (package, names.map(str::to_owned).collect())
}

/// Reads the package that a file of Java declares; empty for the unnamed one.
fn package_of(text: &str) -> String {
    // The declaration stands before the first brace and all imports.
    let end = text.find('{').unwrap_or(text.len());
    let tokens = syntax::tokens(Language::Java, &text[..end]);
    let words = || tokens.iter().map(|token| token.of(&text[..end]));
    let Some(at) = words().position(|word| word == "package") else {
        return String::new();
    };
    words()
        .skip(at + 1)
        .take_while(|word| *word != ";")
        .collect()
}

/// Copies an execution for an equal prediction; `ordinal` is the number of the one that ran.
pub fn copy_of(execution: &Execution, ordinal: u32) -> Execution {
    Execution {
        duplicate_of: Some(ordinal),
        ..*execution
    }
}
