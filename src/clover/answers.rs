//! Answers to questions: the runnable part of each, its outcome, and whether it does what was asked.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;

use crate::exchange::outcomes::to_json;
use crate::exchange::{AnswerId, WireTask};
use crate::metric::extract::extract;
use crate::model::{Extraction, Language, Outcome};
use crate::prompts::AnswerForm;
use crate::runner::Site;
use crate::runner::python::{
    CaseExecution, Environment, FilledBlank, FunctionReply, FunctionText, PythonCase, TextQuestion,
    ask, run_cases,
};
use crate::store::{CloverAnswer, Store};
use crate::task::{Cancelled, Monitor};

use super::cloze::{file_of, filling};
use super::tasks::version;
use super::{CloverError, CloverOptions, LineSet};

/// How many outcomes one transaction writes; a killed run loses fewer than this.
const N_AT_A_TIME: usize = 32;

/// An answer with the question that it belongs to.
#[derive(Clone, Debug)]
pub struct AnsweredTask<'a> {
    pub question: &'a WireTask,
    pub id: AnswerId,
    pub text: &'a str,
}

/// The outcome of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerEvaluation {
    /// `None` where nothing of it could be run.
    pub outcome: Option<Outcome>,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub is_executed: bool,
    /// Executed, and all that the task demands is met.
    pub is_success: bool,
    /// For clozes: the answer is the reference to the letter.
    pub is_exact: bool,
    pub said: Option<String>,
    /// For blocks: how many statements it has to reach, and how many of them it reaches.
    pub n_wanted: usize,
    pub n_reached: usize,
    /// How long it ran; absent where it did not.
    pub seconds: Option<f64>,
}

/// The facts about an answer before it runs.
#[derive(Default)]
struct AnswerFacts {
    /// The file to be run.
    code: Option<String>,
    /// Why an answer that passes is not a success.
    fault: Option<String>,
    is_exact: bool,
    said: Option<String>,
}

/// Runs answers to questions of one project, and returns the outcome of each, in order; what ran before is not run
/// again.
///
/// # Errors
/// Where nothing more can be run or written.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn evaluate(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    answers: &[AnsweredTask<'_>],
    monitor: &Monitor,
) -> Result<Vec<AnswerEvaluation>, CloverError> {
    let mut read = clozes(site, environment, answers, monitor)?;
    let parts = parts(site, environment, answers, monitor)?;
    for (idx, answer_facts) in parts {
        read.insert(idx, answer_facts);
    }
    let version = version(environment);
    let hash = |idx: usize, code: &str| {
        let mut hasher = blake3::Hasher::new();
        for text in [version.as_str(), &answers[idx].question.id, code] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        short
    };
    let mut known: HashMap<[u8; 16], CloverAnswer> = store
        .clover_answers(&environment.name)?
        .into_iter()
        .map(|clover_answer| (clover_answer.hash, clover_answer))
        .collect();
    let mut wanted: BTreeMap<[u8; 16], (usize, PythonCase)> = BTreeMap::new();
    let mut hashes: HashMap<usize, [u8; 16]> = HashMap::new();
    for (idx, answer_facts) in &read {
        let Some(code) = &answer_facts.code else {
            continue;
        };
        let hash = hash(*idx, code);
        hashes.insert(*idx, hash);
        if !known.contains_key(&hash) {
            let case = PythonCase {
                path: answers[*idx].question.path.clone(),
                code: Some(code.clone()),
                ..PythonCase::default()
            };
            wanted.insert(hash, (*idx, case));
        }
    }
    let wanted: Vec<([u8; 16], usize, PythonCase)> = wanted
        .into_iter()
        .map(|(hash, (idx, case))| (hash, idx, case))
        .collect();
    // Lines are counted only for questions about blocks, as that takes longer.
    for has_lines in [false, true] {
        let part: Vec<&([u8; 16], usize, PythonCase)> = wanted
            .iter()
            .filter(|wanted| answers[wanted.1].question.blocks.is_empty() != has_lines)
            .collect();
        let world = (site, environment, options);
        run(store, world, answers, &part, has_lines, &mut known, monitor)?;
    }
    let all = answers.iter().enumerate().map(|(idx, answer)| {
        let answer_facts = read.remove(&idx).unwrap_or_default();
        let ran = hashes.get(&idx).and_then(|hash| known.get(hash));
        joined(answer, answer_facts, ran)
    });
    Ok(all.collect())
}

/// Reads answers to clozes: each with its assertion put into the file, or why it is none.
fn clozes(
    site: &Site,
    environment: &Environment,
    answers: &[AnsweredTask<'_>],
    monitor: &Monitor,
) -> Result<BTreeMap<usize, AnswerFacts>, CloverError> {
    let of_clozes: Vec<usize> = (0..answers.len())
        .filter(|n| answers[*n].question.cloze.is_some())
        .collect();
    let codes: Vec<String> = of_clozes
        .iter()
        .map(|of_clozes| file_of(answers[*of_clozes].question, "pass"))
        .collect();
    let texts: Vec<Cow<'_, str>> = of_clozes
        .iter()
        .map(|of_clozes| asserted(&answers[*of_clozes]))
        .collect();
    let questions: Vec<TextQuestion<'_>> = of_clozes
        .iter()
        .zip(codes.iter().zip(&texts))
        .filter_map(|(idx, (code, text))| {
            let cloze = answers[*idx].question.cloze.as_ref()?;
            Some(filling(cloze, text, code))
        })
        .collect();
    let filled: Vec<FilledBlank> = ask(site, environment, &questions, monitor)?;
    let mut read = BTreeMap::new();
    for (idx, filled) in of_clozes.into_iter().zip(filled) {
        let question = answers[idx].question;
        let reference = question
            .cloze
            .as_ref()
            .map_or("", |wire_cloze| &wire_cloze.reference);
        let answer_facts = match filled.statement {
            Some(statement) => AnswerFacts {
                code: Some(file_of(question, &statement)),
                fault: filled.trivial,
                is_exact: filled
                    .said
                    .as_deref()
                    .is_some_and(|said| said.trim() == reference.trim()),
                said: filled.said,
            },
            None => AnswerFacts {
                fault: Some("none of its assertions matches the question".to_owned()),
                ..AnswerFacts::default()
            },
        };
        read.insert(idx, answer_facts);
    }
    Ok(read)
}

/// Returns the assertion that an answer to a cloze gives: the whole answer, or the question filled with it where only
/// the blank was asked for.
fn asserted<'a>(answer: &AnsweredTask<'a>) -> Cow<'a, str> {
    let is_alone = answer.id.form.as_deref() == Some(AnswerForm::Only.as_str());
    match &answer.question.cloze {
        Some(cloze) if is_alone => {
            let (before, after) = cloze.around();
            let said = extract(Extraction::Lenient, Language::Python, answer.text).code;
            Cow::Owned(format!("{before}{}{after}", said.trim()))
        }
        _ => Cow::Borrowed(answer.text),
    }
}

/// Reads answers to the other tasks: whole files, or functions that are put into theirs.
fn parts(
    site: &Site,
    environment: &Environment,
    answers: &[AnsweredTask<'_>],
    monitor: &Monitor,
) -> Result<BTreeMap<usize, AnswerFacts>, CloverError> {
    let others: Vec<usize> = (0..answers.len())
        .filter(|n| answers[*n].question.cloze.is_none())
        .collect();
    let codes: Vec<String> = others
        .iter()
        .map(|other| {
            extract(Extraction::Lenient, Language::Python, answers[*other].text)
                .code
                .into_owned()
        })
        .collect();
    let is_part = |idx: usize| answers[idx].id.form.as_deref() == Some("part");
    let asked: Vec<(usize, TextQuestion<'_>)> = others
        .iter()
        .zip(&codes)
        .filter(|pair| is_part(*pair.0))
        .map(|(idx, code)| {
            let question = answers[*idx].question;
            let column = question.head.len() - question.head.trim_start().len();
            let name = question.function();
            (*idx, TextQuestion::Part { code, name, column })
        })
        .collect();
    let questions: Vec<TextQuestion<'_>> = asked.iter().map(|asked| asked.1.clone()).collect();
    let texts: Vec<FunctionText> = ask(site, environment, &questions, monitor)?;
    let mut found: BTreeMap<usize, FunctionText> =
        asked.iter().map(|asked| asked.0).zip(texts).collect();
    let mut files: Vec<(usize, Option<String>, Option<String>)> = Vec::new();
    for (idx, code) in others.into_iter().zip(&codes) {
        let question = answers[idx].question;
        let (file, why) = match found.remove(&idx) {
            None => (Some(code.clone()), None),
            Some(part) => match part.text {
                Some(text) => (Some(question.file_with(&text)), None),
                None => (
                    None,
                    Some(
                        part.error
                            .unwrap_or_else(|| "it has no such function".to_owned()),
                    ),
                ),
            },
        };
        files.push((idx, file, why));
    }
    let questions: Vec<TextQuestion<'_>> = files
        .iter()
        .map(|(idx, file, _)| TextQuestion::Whole {
            code: file.as_deref().unwrap_or_default(),
            name: answers[*idx].question.function(),
            wanted: answers[*idx]
                .question
                .target
                .as_ref()
                .map(|wire_target| wire_target.name.as_str()),
        })
        .collect();
    let said: Vec<FunctionReply> = ask(site, environment, &questions, monitor)?;
    let mut read = BTreeMap::new();
    for ((idx, code, why), said) in files.into_iter().zip(said) {
        let fault = why.or_else(|| match (said.error, said.found, said.names) {
            (Some(error), ..) => Some(error),
            (_, false, _) => Some("it has no such function".to_owned()),
            (_, _, false) => Some("it does not name the target".to_owned()),
            _ => None,
        });
        read.insert(
            idx,
            AnswerFacts {
                code,
                fault,
                ..AnswerFacts::default()
            },
        );
    }
    Ok(read)
}

#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
fn run(
    store: &mut Store,
    (site, environment, options): (&Site, &Environment, &CloverOptions),
    answers: &[AnsweredTask<'_>],
    wanted: &[&([u8; 16], usize, PythonCase)],
    has_lines: bool,
    known: &mut HashMap<[u8; 16], CloverAnswer>,
    monitor: &Monitor,
) -> Result<(), CloverError> {
    let cases: Vec<PythonCase> = wanted.iter().map(|wanted| wanted.2.clone()).collect();
    monitor
        .n_predictions_total
        .fetch_add(cases.len() as u64, Ordering::Relaxed);
    let mut waiting: Vec<CloverAnswer> = Vec::new();
    let mut failed = None;
    let ran = run_cases(
        site,
        environment,
        &cases,
        &options.running(has_lines),
        monitor,
        &mut |case_idx, ran| {
            monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
            let (hash, idx, _) = wanted[case_idx];
            let question = answers[*idx].question;
            let reached = has_lines.then(|| reached(question, &ran));
            let n_of = |map: &BTreeMap<String, String>| {
                map.values()
                    .map(|value| LineSet::of_ranges(value).iter().count())
                    .sum::<usize>() as u32
            };
            let row = CloverAnswer {
                hash: *hash,
                outcome: ran.outcome,
                n_reached: reached.as_ref().map(n_of),
                question: Some(question.id.clone()),
                reached: reached.as_ref().map(to_json),
                seconds: ran.seconds,
                reason: ran.reason,
                message: ran.message,
            };
            waiting.push(row.clone());
            known.insert(*hash, row);
            if waiting.len() >= N_AT_A_TIME {
                let written = store.write_clover_answers(&environment.name, &waiting, monitor);
                waiting.clear();
                if let Err(error) = written {
                    failed = Some(error);
                    return Err(Cancelled);
                }
            }
            Ok(())
        },
    );
    // Finished outcomes are written even after a cancel.
    store.write_clover_answers(&environment.name, &waiting, &Monitor::default())?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    Ok(ran?)
}

/// Lists the wanted statements that ran, as ranges by file.
fn reached(question: &WireTask, ran: &CaseExecution) -> BTreeMap<String, String> {
    let lines = ran.lines.iter().flatten();
    let lines: BTreeMap<&String, LineSet> = lines
        .map(|(file, ranges)| (file, LineSet::of_ranges(ranges)))
        .collect();
    let mut reached: BTreeMap<String, LineSet> = BTreeMap::new();
    for block in &question.blocks {
        let mut wanted = LineSet::of_ranges(&block.statements);
        wanted.keep(lines.get(&block.file).unwrap_or(&LineSet::default()));
        reached.entry(block.file.clone()).or_default().add(&wanted);
    }
    reached
        .into_iter()
        .map(|(file, line_set)| (file, line_set.ranges()))
        .collect()
}

fn joined(
    answer: &AnsweredTask<'_>,
    read: AnswerFacts,
    ran: Option<&CloverAnswer>,
) -> AnswerEvaluation {
    let n_wanted: usize = answer
        .question
        .blocks
        .iter()
        .map(|block| LineSet::of_ranges(&block.statements).iter().count())
        .sum();
    let is_executed = ran.is_some_and(|clover_answer| clover_answer.outcome == Outcome::Passing);
    let n_reached = ran
        .and_then(|clover_answer| clover_answer.n_reached)
        .unwrap_or(0) as usize;
    let is_success = is_executed && read.fault.is_none() && n_reached >= n_wanted;
    let outcome = match ran.map(|clover_answer| clover_answer.outcome) {
        Some(Outcome::Passing) if is_success => Some(Outcome::Correct),
        other => other,
    };
    let missing =
        (n_reached < n_wanted).then(|| format!("{n_reached} of {n_wanted} statements are covered"));
    AnswerEvaluation {
        outcome,
        reason: ran
            .and_then(|clover_answer| clover_answer.reason.clone())
            .or(read.fault)
            .or_else(|| missing.filter(|_| is_executed)),
        message: ran.and_then(|clover_answer| clover_answer.message.clone()),
        is_executed,
        is_success,
        is_exact: read.is_exact,
        said: read.said,
        n_wanted,
        n_reached,
        seconds: ran.map(|clover_answer| clover_answer.seconds),
    }
}
