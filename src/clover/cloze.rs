//! Task I: assertions with a blank. Each is verified by running it: with its reference it passes, and an assertion that
//! is never true does not pass in its place.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use crate::exchange::{BLANK, WireCloze, WireTask};
use crate::model::Outcome;
use crate::runner::Site;
use crate::runner::python::{
    AssertFacts, Environment, FilledBlank, OperandFacts, PythonCase, TextQuestion, ask, run_cases,
};
use crate::task::{Cancelled, Monitor};

use super::question::{QuestionKind, QuestionSink, QuestionSource};
use super::{CloverError, CloverOptions};

/// One assertion of a problem: its questions, and their outcome.
struct ClozeAssertion {
    source_idx: usize,
    questions: Vec<WireTask>,
    outcomes: [Option<Outcome>; 2],
}

/// Returns the file with a statement in place of an assertion, and without the rest of its function behind it.
pub(crate) fn file_of(question: &WireTask, statement: &str) -> String {
    let (before, after) = question.around();
    let prefix = question
        .cloze
        .as_ref()
        .map_or("", |wire_cloze| &wire_cloze.prefix);
    format!("{before}{prefix}{statement}\n{after}")
}

/// Makes and verifies the questions of problems, and hands them to the sink problem by problem.
pub(crate) fn make(
    (site, environment, options): (&Site, &Environment, &CloverOptions),
    sources: &[QuestionSource<'_>],
    rows: &mut QuestionSink<'_>,
    monitor: &Monitor,
) -> Result<(), CloverError> {
    let mut asserted: Vec<ClozeAssertion> = Vec::new();
    for (source_idx, source) in sources.iter().enumerate() {
        for (idx, assert_facts) in source.facts.asserts.iter().enumerate() {
            asserted.push(ClozeAssertion {
                source_idx,
                questions: questions(source, assert_facts, idx + 1),
                outcomes: [None; 2],
            });
        }
    }
    judge(site, environment, &mut asserted, monitor)?;
    let mut cases: Vec<(usize, usize, PythonCase)> = Vec::new();
    for (idx, cloze_assertion) in asserted.iter().enumerate() {
        let Some(question) = cloze_assertion.questions.first() else {
            continue;
        };
        let reference = question
            .cloze
            .as_ref()
            .map_or_else(String::new, |wire_cloze| {
                wire_cloze.filled(&wire_cloze.reference)
            });
        for (what, statement) in [reference.as_str(), "assert False"].into_iter().enumerate() {
            let case = PythonCase {
                path: question.path.clone(),
                code: Some(file_of(question, statement)),
                ..PythonCase::default()
            };
            cases.push((idx, what, case));
        }
    }
    // Problems whose assertions are not all known yet.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    for case in &cases {
        *open.entry(asserted[case.0].source_idx).or_default() += 1;
    }
    for (idx, source) in sources.iter().enumerate() {
        if !open.contains_key(&idx) {
            rows.take(&source.problem.id, Vec::new(), monitor)?;
        }
    }
    monitor
        .n_predictions_total
        .fetch_add(cases.len() as u64, Ordering::Relaxed);
    let texts: Vec<PythonCase> = cases.iter().map(|case| case.2.clone()).collect();
    let mut failed = None;
    let ran = run_cases(
        site,
        environment,
        &texts,
        &options.running(false),
        monitor,
        &mut |case_idx, ran| {
            monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
            let (idx, what, _) = cases[case_idx];
            asserted[idx].outcomes[what] = Some(ran.outcome);
            let source_idx = asserted[idx].source_idx;
            let n_open = open.entry(source_idx).or_default();
            *n_open -= 1;
            if *n_open > 0 {
                return Ok(());
            }
            let of_source = asserted
                .iter_mut()
                .filter(|cloze_assertion| cloze_assertion.source_idx == source_idx)
                .flat_map(verified)
                .collect();
            let taken = rows.take(&sources[source_idx].problem.id, of_source, monitor);
            taken.map_err(|error| {
                failed = Some(error);
                Cancelled
            })
        },
    );
    let kept = rows.finish();
    if let Some(error) = failed {
        return Err(error);
    }
    ran?;
    kept
}

/// Makes the questions of an assertion: one for each operand.
fn questions(
    source: &QuestionSource<'_>,
    assert_facts: &AssertFacts,
    number: usize,
) -> Vec<WireTask> {
    let start = source
        .code
        .split_inclusive('\n')
        .take(source.facts.first.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let of_operand = |operand: &OperandFacts| {
        let prefix = source.code.get(start..assert_facts.start)?;
        let before = source.code.get(assert_facts.start..operand.start)?;
        let reference = source.code.get(operand.start..operand.end)?;
        let after = source.code.get(operand.end..assert_facts.end)?;
        Some(WireTask {
            cloze: Some(WireCloze {
                kind: assert_facts.kind.clone(),
                operand: operand.part.clone(),
                line: assert_facts.line,
                prefix: prefix.to_owned(),
                question: format!("{before}{BLANK}{after}"),
                blank_at: before.len(),
                reference: reference.to_owned(),
            }),
            ..source.question(QuestionKind::Cloze, &format!("{number}-{}", operand.part))
        })
    };
    assert_facts
        .operands
        .iter()
        .filter_map(of_operand)
        .collect()
}

/// Notes for each question whose reference does not count why that is so.
fn judge(
    site: &Site,
    environment: &Environment,
    asserted: &mut [ClozeAssertion],
    monitor: &Monitor,
) -> Result<(), CloverError> {
    let mut all: Vec<&mut WireTask> = asserted
        .iter_mut()
        .flat_map(|cloze_assertion| &mut cloze_assertion.questions)
        .collect();
    let texts: Vec<(String, String)> = all
        .iter()
        .map(|wire_task| {
            let cloze = wire_task.cloze.clone().unwrap_or_default();
            (cloze.filled(&cloze.reference), file_of(wire_task, "pass"))
        })
        .collect();
    let questions: Vec<TextQuestion<'_>> = all
        .iter()
        .zip(&texts)
        .filter_map(|(wire_task, (statement, code))| {
            Some(filling(wire_task.cloze.as_ref()?, statement, code))
        })
        .collect();
    let filled: Vec<FilledBlank> = ask(site, environment, &questions, monitor)?;
    for (question, filled) in all.iter_mut().zip(filled) {
        question.reason = match (filled.statement, filled.trivial) {
            (None, _) => Some("the reference cannot be read as an answer".to_owned()),
            (_, Some(why)) => Some(format!("the reference does not count: {why}")),
            _ => None,
        };
    }
    Ok(())
}

/// Builds the question to Python what an answer puts into the blank, and whether that counts.
pub(crate) fn filling<'q>(
    cloze: &'q WireCloze,
    answer: &'q str,
    code: &'q str,
) -> TextQuestion<'q> {
    let (before, after) = cloze.around();
    TextQuestion::Cloze {
        answer,
        before,
        after,
        kind: &cloze.kind,
        part: &cloze.operand,
        code,
    }
}

fn verified(asserted: &mut ClozeAssertion) -> Vec<WireTask> {
    let [reference, never] = asserted.outcomes;
    let why = match (reference, never) {
        (Some(Outcome::Passing), Some(Outcome::Passing)) => Some("it never runs".to_owned()),
        (Some(Outcome::Passing), _) => None,
        (other, _) => {
            let word = other.map_or("not run", Outcome::as_str);
            Some(format!("the reference is {word}"))
        }
    };
    let mut questions = std::mem::take(&mut asserted.questions);
    for question in &mut questions {
        if why.is_some() {
            question.reason.clone_from(&why);
        }
    }
    questions
}
