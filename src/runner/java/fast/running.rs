//! Runs compiled candidates: as jobs of the pool, with canaries beside them, and before all others those that have to
//! be alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::{Candidate, Fate};
use crate::java::member::MethodReader;
use crate::model::{BlockedReason, Outcome};
use crate::task::EngineStep;
use crate::{CandidateSink, RunnerError};

use super::canary::{self, Canaries};
use super::faults::PassedCandidates;
use super::pool::{CandidateEnd, PoolBatch};
use super::reply::{blocked, outcome, told};
use super::round::{CandidateTask, CompileReply, CompiledCandidate, FileCandidates};
use super::talk::{Job, WorkerAnswer, WorkerRequest, wrong};
use super::{Aim, EngineCall, Fast, binary_name, framework, text_of};

/// The result of compiling a round.
#[derive(Default)]
struct CompiledRound {
    jobs: Vec<Job>,
    compiled: Vec<CompiledCandidate>,
    canaries: Canaries,
}

/// Puts canaries into the copies of some files of a round. They are the last of the tasks.
pub fn add_canaries<'c>(
    call: &mut EngineCall<'c, '_>,
    pieces: &mut [FileCandidates],
    canaries: &'c BTreeMap<usize, [Candidate; 2]>,
) {
    let mut reader = MethodReader::new();
    let files = canary::files(pieces);
    for piece in pieces {
        let pair = canaries.get(&piece.file_idx);
        let pair = pair.filter(|_| files.contains(&piece.file_idx));
        let runner = call.runners[piece.tasks[0]];
        for (candidate, must_pass) in pair.into_iter().flatten().zip([false, true]) {
            let is_like_it = framework::Runner::of(candidate.framework) == Some(runner);
            let member = reader.member(&candidate.text).ok();
            let Some(member) = member.filter(|_| is_like_it) else {
                continue;
            };
            piece.tasks.push(call.tasks.len());
            call.tasks.push(CandidateTask {
                candidate,
                member: Some(member),
                declaring: binary_name(&candidate.package, &candidate.nesting),
            });
            call.runners.push(runner);
            call.canaries.push(must_pass);
        }
    }
}

/// Removes the canaries of a round from the call.
pub fn remove_canaries(call: &mut EngineCall<'_, '_>) {
    let n_candidates = call.n_candidates();
    call.tasks.truncate(n_candidates);
    call.runners.truncate(n_candidates);
    call.canaries.clear();
}

impl Fast<'_> {
    pub(super) fn run_compiled(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        said: Vec<CompileReply>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let ready = self.ready(module, call, said, sink)?;
        let CompiledRound {
            jobs,
            compiled,
            canaries,
        } = ready;
        if jobs.is_empty() {
            return Ok(());
        }
        if let Aim::Shakes(shaken) = call.aim {
            return self.run_shaken(module, call, (&jobs, shaken));
        }
        let lonely = self.lonely(module, call, &jobs)?;
        let cleaner = self.cleaner();
        let timeout = self.options.timeout;
        let mut passed = BTreeSet::new();
        let mut tell = |at: usize, ended: CandidateEnd| {
            let compiled_candidate: &CompiledCandidate = &compiled[at];
            let mut ran = told(&jobs[at], compiled_candidate, ended, (&cleaner, timeout));
            ran.is_outside_suite = call.is_outside_suite[compiled_candidate.task];
            if matches!(ran.fate, Fate::Ran(Outcome::Passing | Outcome::Correct)) {
                passed.insert(at);
            }
            sink(ran).map_err(RunnerError::from)
        };
        let round = PoolBatch {
            jobs: &jobs,
            lonely: &lonely,
            canaries: canaries.clone(),
            monitor: call.monitor,
        };
        self.pool(module).run(round, &mut tell)?;
        let Aim::Faults(faults) = call.aim else {
            return Ok(());
        };
        let passed = PassedCandidates {
            jobs: passed.iter().map(|passed| jobs[*passed].clone()).collect(),
            are_lonely: passed
                .iter()
                .map(|passed| lonely.contains(passed))
                .collect(),
            canaries,
            faults,
        };
        self.run_on_mutants(module, call, passed)
    }

    /// Reports the candidates that did not compile, and makes jobs of the others; canaries are not reported.
    fn ready(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        said: Vec<CompileReply>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<CompiledRound, RunnerError> {
        let mut ready = CompiledRound::default();
        let n_candidates = call.n_candidates();
        let id = |task: usize| call.tasks[task].candidate.id;
        for said in said {
            match said {
                CompileReply::Refused(task, _) | CompileReply::NoScaffold(task, _)
                    if task >= n_candidates => {}
                CompileReply::Refused(task, why) => {
                    let mut ran = outcome(id(task), Outcome::NotCompilable, Some(why));
                    ran.is_outside_suite = call.is_outside_suite[task];
                    sink(ran)?;
                }
                CompileReply::NoScaffold(task, why) => {
                    sink(blocked(id(task), BlockedReason::NoScaffold, "", Some(why)))?;
                }
                CompileReply::Ready(compiled_candidate) => match (
                    self.job(module, call, &compiled_candidate),
                    compiled_candidate.task,
                ) {
                    (Some(job), task) if task >= n_candidates => {
                        ready.canaries.push(job, call.canaries[task - n_candidates]);
                    }
                    (Some(job), _) => {
                        ready.jobs.push(job);
                        ready.compiled.push(compiled_candidate);
                    }
                    (None, task) if task >= n_candidates => {}
                    (None, task) => {
                        let what = "no class with objects inherits it";
                        sink(blocked(id(task), BlockedReason::NoScaffold, what, None))?;
                    }
                },
            }
        }
        Ok(ready)
    }

    /// Lists the jobs whose code names something that reaches into its JVM. The compiler's JVM finds them, because no
    /// candidate ever runs in it.
    fn lonely(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        jobs: &[Job],
    ) -> Result<Vec<usize>, RunnerError> {
        let class_path = self.class_path(module);
        let modules = self.build.modules.iter();
        let main: Vec<String> = modules.map(|module| text_of(&module.output)).collect();
        let compiler_folder = self.open(call.monitor)?;
        let request = WorkerRequest::Reach {
            class_path: &class_path,
            main: &main,
            jobs,
        };
        let compiler = compiler_folder.compiler();
        match compiler.ask(EngineStep::Compile, &request, (None, call.monitor))? {
            Some(WorkerAnswer::Reached { powers }) if powers.len() == jobs.len() => {
                let powers = powers.iter().enumerate();
                Ok(powers
                    .filter(|power| power.1.is_some())
                    .map(|power| power.0)
                    .collect())
            }
            other => Err(wrong(&format!("{other:?}"))),
        }
    }
}
