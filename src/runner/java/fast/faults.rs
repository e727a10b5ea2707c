//! Runs tests on mutants: finds which of them a test reaches, and how it ends on each; every pair is a candidate among
//! others.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use crate::candidate::HostFile;
use crate::java::faults::{
    FaultExecution, FaultFate, FaultRequest, FaultSink, FocalMutants, MutantRequest,
};
use crate::model::{ContentHash, FaultOutcome, Mutant, MutantPlace, OutcomeReason};
use crate::sandbox::Root;
use crate::task::Monitor;
use crate::{CandidateSink, RunnerError, io_error};

use super::canary::Canaries;
use super::compiler_folder::MUTANTS;
use super::maker::{self, ClassQuery, ClassReply, MakerKind, MethodLookup, VARIANT, WrittenClass};
use super::pool::{CandidateEnd, PoolBatch, WorkerEnd};
use super::reply::run_why;
use super::talk::{Job, JobReply, ReachedBlocks, RunFaults};
use super::{Aim, EngineCall, Fast, asked, binary_name};

/// A test on a mutant has this multiple of its time without one (FAULTS F2) …
const TIMES_OWN: u64 = 10;
/// … plus this many milliseconds.
const MORE_MS: u64 = 2000;
/// A larger file is not source code.
const SOURCE_BYTES_MAX: u64 = 64 << 20;

/// The mutants of each candidate of a call, and where their results go.
pub struct FaultCall<'f> {
    asked: BTreeMap<u64, &'f [Mutant]>,
    sink: RefCell<&'f mut FaultSink<'f>>,
}

impl FaultCall<'_> {
    fn say(&self, ran: FaultExecution) -> Result<(), RunnerError> {
        (self.sink.borrow_mut())(ran).map_err(RunnerError::from)
    }

    fn of(&self, job: &Job) -> &[Mutant] {
        self.asked.get(&job.id).copied().unwrap_or_default()
    }
}

/// Candidates that have passed, and the inputs for their runs on mutants.
pub struct PassedCandidates<'p, 'f> {
    pub jobs: Vec<Job>,
    /// Whether each of them is run by itself.
    pub are_lonely: Vec<bool>,
    pub canaries: Canaries,
    pub faults: &'p FaultCall<'f>,
}

/// A mutant whose class files were written.
struct CompiledMutant {
    /// The file of each changed class.
    classes: BTreeMap<String, String>,
    at: Vec<u32>,
}

/// A test on a mutant.
struct MutantPair<'p> {
    candidate: u64,
    mutant: &'p Mutant,
}

impl MutantPair<'_> {
    fn ran(&self, fate: FaultFate, by: Option<String>, elapsed: Duration) -> FaultExecution {
        FaultExecution {
            candidate: self.candidate,
            mutant: self.mutant.id,
            fate,
            by,
            elapsed,
        }
    }

    fn outcome(&self, outcome: FaultOutcome) -> FaultExecution {
        self.ran(FaultFate::Ran(outcome), None, Duration::ZERO)
    }

    fn failed(&self, code: &str, message: &str) -> FaultExecution {
        let fate = FaultFate::Failed(run_why(code, message));
        self.ran(fate, None, Duration::ZERO)
    }
}

impl Fast<'_> {
    /// Makes the mutants of focal methods, a list for each question; an empty one for a method that has none.
    ///
    /// # Errors
    /// Where PIT is missing, or does not end.
    pub fn mutants(
        &mut self,
        asked_for: &[MutantRequest<'_>],
        monitor: &Monitor,
    ) -> Result<Vec<FocalMutants>, RunnerError> {
        self.found(asked_for, MakerKind::Mutants, monitor)
    }

    /// Makes code that keeps the contract of focal methods, as [`Fast::mutants`] makes mutants: the mutator of each is
    /// `variant:` and the word of its kind.
    ///
    /// # Errors
    /// As [`Fast::mutants`].
    pub fn variants(
        &mut self,
        asked_for: &[MutantRequest<'_>],
        monitor: &Monitor,
    ) -> Result<Vec<FocalMutants>, RunnerError> {
        self.found(asked_for, MakerKind::Variants, monitor)
    }

    fn found(
        &mut self,
        asked_for: &[MutantRequest<'_>],
        making: MakerKind,
        monitor: &Monitor,
    ) -> Result<Vec<FocalMutants>, RunnerError> {
        let mut found = vec![FocalMutants::default(); asked_for.len()];
        let mut by_module: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (idx, mutant_request) in asked_for.iter().enumerate() {
            match self.module_of_path(mutant_request.path) {
                Some(module) => by_module.entry(module).or_default().push(idx),
                None => found[idx].failed = Some("it is in no module that was built".to_owned()),
            }
        }
        for (module, here) in by_module {
            let mut classes: BTreeMap<String, ClassQuery> = BTreeMap::new();
            // For each class, the requests that ask about it.
            let mut askers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for idx in here {
                for (class, wanted) in wanted(&asked_for[idx]) {
                    askers.entry(class.clone()).or_default().push(idx);
                    classes.entry(class).or_default().focals.push(wanted);
                }
            }
            let tree = Root::open(&self.build.tree).map_err(io_error(&self.build.tree))?;
            for told in self.make(module, classes, (making, false), monitor)? {
                let file = self.file_of(&tree, &told);
                // A source that the build generates is not found: the ids of its mutants are made from PIT's report
                // alone.
                let source = tree.read(&file, SOURCE_BYTES_MAX).unwrap_or_default();
                let written = WrittenClass {
                    class: &told.class,
                    file: &file,
                    source: blake3::hash(&source),
                };
                for (nth, idx) in askers[&told.class].iter().enumerate() {
                    let of = &mut found[*idx];
                    of.failed = of.failed.take().or_else(|| told.failed.clone());
                    let scope = told.focals.get(nth).and_then(Option::as_ref);
                    let methods: BTreeSet<&str> = scope
                        .iter()
                        .flat_map(|method_descriptors| {
                            method_descriptors.methods.iter().map(String::as_str)
                        })
                        .collect();
                    let inside = told.mutants.iter().filter(|mutant| {
                        methods.contains(format!("{}{}", mutant.method, mutant.descriptor).as_str())
                    });
                    for mutant_reply in inside {
                        let mutant = maker::mutant(&written, mutant_reply);
                        if mutant_reply.is_equal {
                            of.equal.push(mutant.id);
                        } else {
                            of.mutants.push(mutant);
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    /// Runs candidates as [`Engine::run`](crate::Engine::run) does, and each that passes on those of its mutants whose
    /// blocks it reaches. The result of a pair is passed on as soon as it is known, in any order; a candidate that
    /// does not pass has none.
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    pub fn run_faults<'f>(
        &mut self,
        files: &[HostFile],
        requests: &[FaultRequest<'f>],
        monitor: &Monitor,
        (sink, faults): (&mut CandidateSink<'_>, &'f mut FaultSink<'f>),
    ) -> Result<(), RunnerError> {
        let pairs = requests
            .iter()
            .map(|request| (request.candidate.id, request.mutants));
        let faults = FaultCall {
            asked: pairs.collect(),
            sink: RefCell::new(faults),
        };
        let candidates: Vec<_> = requests.iter().map(|request| request.candidate).collect();
        self.run_all((files, &candidates), Aim::Faults(&faults), monitor, sink)
    }

    /// Runs the candidates that have passed on their mutants.
    pub(super) fn run_on_mutants(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        passed: PassedCandidates<'_, '_>,
    ) -> Result<(), RunnerError> {
        let mut jobs = passed.jobs.iter();
        if jobs.all(|job| passed.faults.of(job).is_empty()) {
            return Ok(());
        }
        let made = self.written(module, &passed, call.monitor)?;
        let reached = self.reached(module, call, &passed)?;
        let faults = passed.faults;
        let (mut jobs, mut pairs, mut lonely) = (Vec::new(), Vec::new(), Vec::new());
        for (idx, job) in passed.jobs.iter().enumerate() {
            for mutant in faults.of(job) {
                let pair = MutantPair {
                    candidate: job.id,
                    mutant,
                };
                let Some(done) = &reached[idx] else {
                    faults.say(pair.outcome(FaultOutcome::Unstable))?;
                    continue;
                };
                let Some(made) = made.get(&mutant.id) else {
                    faults.say(pair.failed("mutant", "the class has no such mutant any more"))?;
                    continue;
                };
                if !comes_to(&done.reached, mutant, &made.at) {
                    faults.say(pair.outcome(FaultOutcome::NotCovered))?;
                    continue;
                }
                if passed.are_lonely[idx] {
                    lonely.push(jobs.len());
                }
                // A mutant that also changes other code need not be entered through the method.
                let entered = place(mutant).filter(|_| !made.at.is_empty());
                jobs.push(Job {
                    fault: Some(RunFaults {
                        methods: entered.into_iter().collect(),
                        changed: made.classes.clone(),
                        cpu_ms: Some(done.ms * TIMES_OWN + MORE_MS),
                    }),
                    ..job.clone()
                });
                pairs.push(pair);
            }
        }
        let mut tell = |at: usize, ended: CandidateEnd| faults.say(of_ended(&pairs[at], ended));
        let round = PoolBatch {
            jobs: &jobs,
            lonely: &lonely,
            canaries: passed.canaries,
            monitor: call.monitor,
        };
        self.pool(module).run(round, &mut tell)?;
        self.furnish(call.monitor)?.clear_of(&[MUTANTS])
    }

    /// Lets the maker write the class files of all mutants, and returns these by their ids.
    fn written(
        &mut self,
        module: usize,
        passed: &PassedCandidates<'_, '_>,
        monitor: &Monitor,
    ) -> Result<HashMap<ContentHash, CompiledMutant>, RunnerError> {
        let mut classes: BTreeMap<String, ClassQuery> = BTreeMap::new();
        let mut known = HashMap::new();
        let mut making = MakerKind::Mutants;
        for mutant in passed.jobs.iter().flat_map(|job| passed.faults.of(job)) {
            if mutant.mutator.starts_with(VARIANT) {
                making = MakerKind::Variants;
            }
            if let (Some((class, method)), Some(key)) = (place(mutant), key(mutant)) {
                classes.entry(class).or_default().methods.insert(method);
                known.insert(key, mutant.id);
            }
        }
        let mut made = HashMap::new();
        let told: Vec<ClassReply> = self.make(module, classes, (making, true), monitor)?;
        for class in &told {
            for mutant in &class.mutants {
                let (method, descriptor, indexes, mutator) = mutant.key();
                let key = (class.class.as_str(), method, descriptor, indexes, mutator);
                if let (Some(id), false) = (known.get(&key), mutant.classes.is_empty()) {
                    let one = CompiledMutant {
                        classes: mutant.classes.clone(),
                        at: mutant.at.clone(),
                    };
                    made.insert(*id, one);
                }
            }
        }
        Ok(made)
    }

    /// Runs the candidates that have passed once more, and returns which blocks each reaches; nothing for one that does
    /// not pass now.
    fn reached(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        passed: &PassedCandidates<'_, '_>,
    ) -> Result<Vec<Option<JobReply>>, RunnerError> {
        let watching = |job: &Job| {
            let methods: BTreeSet<_> = passed.faults.of(job).iter().filter_map(place).collect();
            Job {
                focal: None,
                is_truth: false,
                fault: Some(RunFaults {
                    methods: methods.into_iter().collect(),
                    changed: BTreeMap::new(),
                    cpu_ms: None,
                }),
                ..job.clone()
            }
        };
        let jobs: Vec<Job> = passed.jobs.iter().map(watching).collect();
        let lonely = passed.are_lonely.iter().enumerate();
        let lonely: Vec<usize> = lonely
            .filter(|lonely| *lonely.1)
            .map(|lonely| lonely.0)
            .collect();
        let mut reached: Vec<Option<JobReply>> = jobs.iter().map(|_| None).collect();
        let mut tell = |at: usize, ended: CandidateEnd| {
            if let CandidateEnd::Done(done) = ended
                && done.status == "passing"
            {
                reached[at] = Some(*done);
            }
            Ok(())
        };
        let round = PoolBatch {
            jobs: &jobs,
            lonely: &lonely,
            canaries: passed.canaries.clone(),
            monitor: call.monitor,
        };
        self.pool(module).run(round, &mut tell)?;
        Ok(reached)
    }
}

/// Lists the methods in question, with their classes.
fn wanted(mutant_request: &MutantRequest<'_>) -> Vec<(String, MethodLookup)> {
    if mutant_request.overrides.is_empty() {
        let class = binary_name(&mutant_request.focal.package, &mutant_request.focal.nesting);
        return vec![(class, MethodLookup::Written(asked(mutant_request.focal)))];
    }
    let named = |method_name: &crate::MethodName| {
        let wanted = MethodLookup::Named {
            name: method_name.name.clone(),
            descriptor: method_name.descriptor.clone(),
        };
        (method_name.class.clone(), wanted)
    };
    mutant_request.overrides.iter().map(named).collect()
}

/// Reads the class of a mutant, and its method with the descriptor.
fn place(mutant: &Mutant) -> Option<(String, String)> {
    match &mutant.place {
        MutantPlace::ByteCode {
            class,
            method,
            descriptor,
            ..
        } => Some((class.clone(), format!("{method}{descriptor}"))),
        MutantPlace::Text { .. } => None,
    }
}

fn key(mutant: &Mutant) -> Option<(&str, &str, &str, &[u32], &str)> {
    match &mutant.place {
        MutantPlace::ByteCode {
            class,
            method,
            descriptor,
            indexes,
        } => Some((class, method, descriptor, indexes, &mutant.mutator)),
        MutantPlace::Text { .. } => None,
    }
}

/// Tells whether a test reaches the start of a block with one of a mutant's changes. A method that could not be watched
/// counts as reached: that costs a run, but gives no wrong answer. So does a change that goes beyond the method.
fn comes_to(reached: &[ReachedBlocks], mutant: &Mutant, at: &[u32]) -> bool {
    let Some((class, method)) = place(mutant) else {
        return false;
    };
    let mut told = reached.iter();
    let Some(told) = told
        .find(|reached_blocks| reached_blocks.class == class && reached_blocks.method == method)
    else {
        return true;
    };
    at.is_empty()
        || at.iter().any(|at| {
            let before = told.blocks.iter().rev().find(|block| block.0 <= *at);
            before.is_some_and(|before| before.1)
        })
}

fn of_ended(pair: &MutantPair<'_>, ended: CandidateEnd) -> FaultExecution {
    match ended {
        CandidateEnd::Timeout => pair.outcome(FaultOutcome::TimedOut),
        // In a suite, the loss of the JVM is a failure as well.
        CandidateEnd::Crash(WorkerEnd::Exit, _) => pair.outcome(FaultOutcome::KilledByError),
        CandidateEnd::Crash(WorkerEnd::Memory, _) => pair.outcome(FaultOutcome::OutOfMemory),
        CandidateEnd::Crash(WorkerEnd::Other, why) => {
            pair.ran(FaultFate::Failed(why), None, Duration::ZERO)
        }
        CandidateEnd::Done(done) => of_done(pair, *done),
    }
}

fn of_done(pair: &MutantPair<'_>, done: JobReply) -> FaultExecution {
    let elapsed = Duration::from_millis(done.ms);
    let ran = |outcome, by| pair.ran(FaultFate::Ran(outcome), by, elapsed);
    match done.status.as_str() {
        "not_viable" => ran(FaultOutcome::NotViable, None),
        "timed_out" => ran(FaultOutcome::TimedOut, None),
        _ if done.is_no_class => ran(FaultOutcome::NotViable, None),
        _ if done.is_memory => ran(FaultOutcome::OutOfMemory, None),
        "failing" => {
            let outcome = if done.is_assertion {
                FaultOutcome::KilledByAssertion
            } else {
                FaultOutcome::KilledByError
            };
            ran(outcome, done.why.and_then(|thrown_reply| thrown_reply.kind))
        }
        _ if done.is_entered => ran(FaultOutcome::Survived, None),
        _ => {
            let message = "the test comes to the changed code without the change, and not with it";
            let why: OutcomeReason = run_why("not_entered", message);
            pair.ran(FaultFate::Failed(why), None, elapsed)
        }
    }
}
