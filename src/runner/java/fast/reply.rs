//! Translates a worker's answers to our types.

use std::time::Duration;

use crate::candidate::{CandidateExecution, Fate, MethodName};
use crate::model::{
    BlockedReason, CoverageCounter, CoveredSet, EnteredMethod, FocalCoverage, LineCover, Outcome,
    OutcomeReason, RunStage,
};

use super::pool::CandidateEnd;
use super::round::{self, CompiledCandidate};
use super::talk::{FocalReply, Job, JobReply};
use crate::java::scaffold::beside::with_own_name;
use crate::java::text::Cleaner;

/// Translates the outcome of a candidate that was compiled.
pub fn told(
    job: &Job,
    compiled_candidate: &CompiledCandidate,
    ended: CandidateEnd,
    (cleaner, timeout): (&Cleaner, Duration),
) -> CandidateExecution {
    let mut ran = match ended {
        CandidateEnd::Timeout => {
            let why = run_why("timeout", "the wall clock ended it");
            let mut ran = outcome(job.id, Outcome::Timeout, Some(why));
            ran.elapsed = Some(timeout);
            ran
        }
        CandidateEnd::Crash(_, why) => outcome(job.id, Outcome::Crash, Some(why)),
        CandidateEnd::Done(done) => of_done(*done, compiled_candidate, cleaner),
    };
    ran.host.clone_from(&job.host);
    ran.method.clone_from(&job.method);
    ran
}

fn of_done(
    done: JobReply,
    compiled_candidate: &CompiledCandidate,
    cleaner: &Cleaner,
) -> CandidateExecution {
    let is_called = done.is_called;
    let word = match done.status.as_str() {
        "passing" if is_called == Some(true) => Outcome::Correct,
        "passing" => Outcome::Passing,
        "not_executed" => Outcome::NotExecuted,
        _ => Outcome::Failing,
    };
    let why = match word {
        Outcome::NotExecuted => {
            let what = done.skipped.unwrap_or_else(|| "no test ran".to_owned());
            Some(run_why("skipped", &cleaner.clean(&what)))
        }
        Outcome::Failing => {
            let told = done.why.unwrap_or_default();
            let clean = |text: &str| {
                let placed = compiled_candidate
                    .placed
                    .as_deref()
                    .unwrap_or(&compiled_candidate.name);
                with_own_name(&cleaner.clean(text), placed, &compiled_candidate.name)
            };
            let own = |line: &u32| match compiled_candidate.scaffold.owner(*line) {
                Some((insert, line)) if insert == compiled_candidate.insert => Some(line),
                _ => None,
            };
            Some(OutcomeReason {
                stage: RunStage::Run,
                code: None,
                kind: told.kind,
                message: clean(&told.message),
                line: told.lines.iter().find_map(own),
                trace: told.trace.as_deref().map(clean),
            })
        }
        _ => None,
    };
    CandidateExecution {
        is_called,
        focal: done.focal.map(coverage),
        overrides: done
            .overrides
            .into_iter()
            .map(|(class, name, descriptor)| MethodName {
                class,
                name,
                descriptor,
            })
            .collect(),
        elapsed: Some(Duration::from_millis(done.ms)),
        covered: done
            .covered
            .into_iter()
            .map(|(unit, hex)| CoveredSet {
                unit,
                bits: bits(&hex),
            })
            .collect(),
        entered: done
            .entered
            .into_iter()
            .map(|(class, name, descriptor, depth, n_times)| EnteredMethod {
                class,
                name,
                descriptor,
                depth,
                n_times,
            })
            .collect(),
        ..outcome(done.id, word, why)
    }
}

pub fn coverage(told: FocalReply) -> FocalCoverage {
    let counter = |(missed, covered)| CoverageCounter { missed, covered };
    let cover = |byte| match byte {
        0 => LineCover::Missed,
        1 => LineCover::Partly,
        _ => LineCover::Covered,
    };
    FocalCoverage {
        class: told.class,
        name: told.name,
        descriptor: told.descriptor,
        lines: counter(told.lines),
        branches: told.branches.map(counter),
        instructions: Some(counter(told.instructions)),
        by_line: told
            .by_line
            .into_iter()
            .map(|(line, byte)| (line, cover(byte)))
            .collect(),
    }
}

pub fn hex(bits: &[u8]) -> String {
    bits.iter()
        .map(|bit| format!("{bit:02x}"))
        .collect::<Vec<_>>()
        .concat()
}

/// Reads hexadecimal digits; anything else counts as 0, because foreign code may have written it.
fn bits(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default() as u8;
    let pairs = hex.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

pub fn run_why(code: &str, message: &str) -> OutcomeReason {
    OutcomeReason {
        stage: RunStage::Run,
        code: Some(code.to_owned()),
        kind: None,
        message: message.to_owned(),
        line: None,
        trace: None,
    }
}

pub fn outcome(id: u64, outcome: Outcome, why: Option<OutcomeReason>) -> CandidateExecution {
    let mut ran = CandidateExecution::new(id, Fate::Ran(outcome));
    ran.why = why;
    ran
}

pub fn blocked(
    id: u64,
    blocked: BlockedReason,
    message: &str,
    why: Option<OutcomeReason>,
) -> CandidateExecution {
    let mut ran = CandidateExecution::new(id, Fate::Blocked(blocked));
    let said = (!message.is_empty()).then(|| round::why("", message, None));
    ran.why = why.or(said);
    ran
}
