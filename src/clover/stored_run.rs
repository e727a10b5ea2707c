//! Answers that have run, kept as a run of the index, so that they are listed, opened and compared as answers to
//! samples are.
//!
//! Decides which text of an answer stands beside which truth. For a cloze it is the whole assertion, whichever form of
//! answer was asked for, so that only the blank can differ; for the other tasks the project's test, from which a right
//! answer may differ altogether.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use crate::exchange::answers::prompt_id;
use crate::exchange::outcomes::{WireRecord, WireTools, WireWhy, to_json};
use crate::exchange::usage::asked_meta;
use crate::exchange::{AnswerId, WireCloze, WireTask};
use crate::metric::extract::extract;
use crate::model::{
    ContentHash, Execution, ExecutionSetting, Extraction, Language, Outcome, OutcomeReason,
    Prediction, Question, QuestionSetting, Repair, RunKind, RunSetting, RunStage, SampleKey,
    visible_source,
};
use crate::store::{self, AskedAnswer, Store, WrittenExecution};
use crate::task::Monitor;

use super::CloverError;
use super::answers::{AnswerEvaluation, AnsweredTask};

/// The most bytes of a message that are kept.
const MESSAGE_MAX: usize = 4 << 10;

/// An answer that has run.
#[derive(Clone, Copy, Debug)]
pub struct ExecutedAnswer<'a> {
    pub answer: &'a AnsweredTask<'a>,
    pub evaluated: &'a AnswerEvaluation,
    /// Its line in the file of answers, from 1.
    pub line: u32,
    /// The id of the prompt that it answers.
    pub prompt: &'a str,
}

/// A run of stored answers: the name of its model, and how the answers were executed.
#[derive(Clone, Debug)]
pub struct KeptRun<'k> {
    /// The name of the run, which is the model's.
    pub name: &'k str,
    /// Where the answers came from.
    pub source: String,
    pub execution: ExecutionSetting,
    pub limit: Duration,
}

/// Keeps answers as a run, in place of the former one of that name, and returns its name; nothing where other runs have
/// the name, also with the kind behind it.
///
/// # Errors
/// Those of the index, and when it was cancelled.
pub fn keep(
    store: &mut Store,
    keeping: &KeptRun<'_>,
    answers: &[ExecutedAnswer<'_>],
    monitor: &Monitor,
) -> Result<Option<String>, CloverError> {
    let truths = truths(store, answers)?;
    let mut n_attempts: HashMap<SampleKey, u32> = HashMap::new();
    let answered = answers.iter().map(|ran| {
        let question = question(ran.answer, &truths);
        let attempt = n_attempts.entry(question.key).or_default();
        let prediction = prediction(ran, &question, *attempt);
        *attempt += 1;
        (question, prediction)
    });
    let answered: Vec<store::AnsweredQuestion> = answered.collect();
    let now = keeping.execution.executed_at;
    let setting = RunSetting {
        model: Some(keeping.name.to_owned()),
        extraction: Extraction::Lenient,
        ..RunSetting::of_questions(keeping.name, Language::Python, &keeping.source, now)
    };
    let written = store.write_question_run(RunKind::Clover, &setting, &answered, monitor)?;
    let Some((run, name)) = written else {
        return Ok(None);
    };
    let executions = (0..)
        .zip(answers)
        .map(|(ordinal, executed_answer)| executed(ordinal, executed_answer, keeping));
    let executions: Vec<WrittenExecution> = executions.collect();
    let links = links(store.asked_answers(keeping.name)?, answers);
    store.link_answers(run, &links)?;
    store.begin_executions(run, &keeping.execution)?;
    store.write_executions(run, &keeping.execution, &executions, monitor)?;
    Ok(Some(name))
}

/// Pairs the positions of these answers with the ids of the same answers in the index: equal in the prompt's id and the
/// text. Answers from a file of another origin have none.
fn links(known: Vec<AskedAnswer>, answers: &[ExecutedAnswer<'_>]) -> Vec<(u32, i64)> {
    let mut by_prompt: HashMap<(String, String), VecDeque<i64>> = HashMap::new();
    for asked_answer in known {
        if let Some(prompt) = prompt_id(&asked_answer.prompt) {
            let same = by_prompt.entry((prompt, asked_answer.text)).or_default();
            same.push_back(asked_answer.id);
        }
    }
    let links = (0..).zip(answers).filter_map(|(ordinal, ran)| {
        let of = (ran.prompt.to_owned(), ran.answer.text.to_owned());
        Some((ordinal, by_prompt.get_mut(&of)?.pop_front()?))
    });
    links.collect()
}

/// Reads the code of the problems that answers are about, by project and problem.
fn truths(
    store: &Store,
    answers: &[ExecutedAnswer<'_>],
) -> Result<BTreeMap<(String, String), String>, CloverError> {
    let mut truths: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut projects: Vec<&str> = answers
        .iter()
        .map(|answer| answer.answer.question.project.as_str())
        .collect();
    projects.sort_unstable();
    projects.dedup();
    for project in projects {
        let cases = store.clover_cases(project)?.into_iter();
        let coded = cases.filter_map(|case| Some(((project.to_owned(), case.node), case.code?)));
        truths.extend(coded);
    }
    Ok(truths)
}

fn question(answer: &AnsweredTask<'_>, truths: &BTreeMap<(String, String), String>) -> Question {
    let (task, id) = (answer.question, &answer.id);
    let asked = QuestionSetting {
        task: task.task.clone(),
        budget: id.budget.and_then(|budget| u32::try_from(budget).ok()),
        form: id.form.clone(),
    };
    let file = truths.get(&(task.project.clone(), task.problem.clone()));
    let name = task.id.strip_prefix(&task.project);
    let name = name.map_or(task.id.as_str(), |name| name.trim_start_matches('/'));
    Question {
        key: Question::key_of(RunKind::Clover, &task.id, &asked),
        language: Language::Python,
        repo: task.project.clone(),
        name: name.to_owned(),
        about: about(task),
        path: task.path.clone(),
        line: line(task, id),
        context: context(task),
        is_continued: false,
        truth: truth(task, id, file.map(String::as_str)),
        asked,
    }
}

/// Describes what a test has to use or to cover.
fn about(task: &WireTask) -> String {
    if let Some(target) = &task.target {
        return format!("{} in {}", target.name, target.file);
    }
    let blocks = task.blocks.iter();
    let blocks = blocks.map(|block| format!("{}:{}-{}", block.file, block.first, block.end));
    blocks.collect::<Vec<_>>().join(", ")
}

fn is_part(id: &AnswerId) -> bool {
    id.form.as_deref() == Some("part")
}

/// Returns the line of the problem's file where the true text begins.
fn line(task: &WireTask, id: &AnswerId) -> u32 {
    match &task.cloze {
        Some(cloze) => cloze.line,
        None if is_part(id) => task.at as u32 + 1,
        None => 1,
    }
}

/// Returns what was asked: the file up to the blank, the file around the test, or the lines to cover.
fn context(task: &WireTask) -> String {
    if let Some(cloze) = &task.cloze {
        return task.file_with(&format!("{}{}", cloze.prefix, cloze.question));
    }
    if task.blocks.is_empty() {
        return task.file_with(&task.head);
    }
    let blocks = task.blocks.iter().map(|block| {
        let code = block.code.trim_end_matches('\n');
        format!("# {}:{}-{}\n{code}\n", block.file, block.first, block.end)
    });
    blocks.collect()
}

/// Returns the answer that would be right to the letter; for other tasks than clozes the project's own test.
fn truth(task: &WireTask, id: &AnswerId, file: Option<&str>) -> Option<String> {
    if let Some(cloze) = &task.cloze {
        return Some(assertion(cloze, &cloze.reference));
    }
    let file = file?;
    if !is_part(id) {
        return Some(file.to_owned());
    }
    let (before, after) = task.around();
    let function = file.strip_prefix(before)?.strip_suffix(after)?;
    Some(function.to_owned())
}

/// Fills the blank of an assertion.
fn assertion(cloze: &WireCloze, said: &str) -> String {
    cloze.filled(said.trim()).trim().to_owned()
}

fn prediction(ran: &ExecutedAnswer<'_>, question: &Question, attempt: u32) -> Prediction {
    let answer = ran.answer;
    let said = ran.evaluated.said.as_deref();
    let code = match answer.question.cloze.as_ref().zip(said) {
        Some((cloze, said)) => assertion(cloze, said),
        None => extract(Extraction::Lenient, Language::Python, answer.text)
            .code
            .into_owned(),
    };
    Prediction {
        key: question.key,
        attempt,
        content_hash: question.content_hash(),
        line: ran.line,
        code: (code != answer.text).then_some(code),
        answer: answer.text.to_owned(),
        meta: Some(asked_meta(RunKind::Clover, &question.asked, &[])),
    }
}

fn executed(ordinal: u32, ran: &ExecutedAnswer<'_>, keeping: &KeptRun<'_>) -> WrittenExecution {
    let (answer, evaluated) = (ran.answer, ran.evaluated);
    let why = why(evaluated);
    let words = why.as_ref().map_or_else(String::new, |outcome_reason| {
        let kind = outcome_reason.kind.as_deref().unwrap_or_default();
        format!("{kind}\n{}", outcome_reason.message).to_ascii_lowercase()
    });
    let record = WireRecord {
        host: answer.question.path.clone(),
        method: answer.question.function().to_owned(),
        tools: WireTools {
            focalist: env!("CARGO_PKG_VERSION").to_owned(),
            ..WireTools::default()
        },
        sandbox: keeping.execution.sandbox.clone(),
        ..WireRecord::default()
    };
    let mut hasher = blake3::Hasher::new();
    for part in [&answer.question.id, answer.text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    WrittenExecution {
        ordinal,
        stamp: ContentHash::of(&hasher),
        execution: Execution {
            // Where nothing could be run, no test was executed.
            outcome: Some(evaluated.outcome.unwrap_or(Outcome::NotExecuted)),
            repair: Repair::None,
            elapsed_ms: evaluated.seconds.map(milliseconds),
            timeout_ms: keeping.limit.as_millis() as u32,
            ..Execution::default()
        },
        why: why
            .as_ref()
            .map(|outcome_reason| to_json(&WireWhy::from(outcome_reason))),
        words,
        record: to_json(&record),
        covered: Vec::new(),
        entered: Vec::new(),
    }
}

/// Converts seconds to milliseconds; 0 for NaN and negative values.
fn milliseconds(seconds: f64) -> u32 {
    let elapsed = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    elapsed.as_millis() as u32
}

/// Explains why an answer is not right; nothing for one that is.
fn why(evaluated: &AnswerEvaluation) -> Option<OutcomeReason> {
    let reason = evaluated.reason.as_deref().map(excerpt);
    let message = evaluated.message.as_deref().map(excerpt);
    let (kind, message) = match (reason, message) {
        (reason, Some(message)) => (reason, message),
        (Some(reason), None) => (None, reason),
        (None, None) => return None,
    };
    (!evaluated.is_success).then_some(OutcomeReason {
        stage: RunStage::Run,
        code: None,
        kind,
        message,
        line: None,
        trace: None,
    })
}

/// Takes the beginning of a text without control sequences for terminals.
fn excerpt(text: &str) -> String {
    let mut end = text.len().min(MESSAGE_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    visible_source(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloze() -> WireTask {
        WireTask {
            id: "p/tests/t.py::test#cloze-1-left".to_owned(),
            task: "cloze".to_owned(),
            project: "p".to_owned(),
            problem: "tests/t.py::test".to_owned(),
            setup: "import p\n".to_owned(),
            at: 1,
            head: "def test():".to_owned(),
            cloze: Some(WireCloze {
                prefix: "def test():\n    x = p.f()\n".to_owned(),
                question: "    assert ____ == 1".to_owned(),
                blank_at: 11,
                reference: "x.n".to_owned(),
                ..WireCloze::default()
            }),
            ..WireTask::default()
        }
    }

    fn id(form: Option<&str>) -> AnswerId {
        AnswerId {
            form: form.map(str::to_owned),
            ..AnswerId::default()
        }
    }

    #[test]
    fn the_truth_of_a_cloze_is_the_assertion_and_its_context_has_the_blank() {
        let task = cloze();
        let truth = truth(&task, &id(Some("only")), None);
        assert_eq!(truth.as_deref(), Some("assert x.n == 1"));
        assert_eq!(
            context(&task),
            "import p\ndef test():\n    x = p.f()\n    assert ____ == 1\n"
        );
    }

    #[test]
    fn the_truth_of_a_part_is_the_function_and_of_all_the_file() {
        let task = WireTask {
            cloze: None,
            setup: "import p\n\nX = 1\n".to_owned(),
            at: 2,
            ..cloze()
        };
        let file = "import p\n\ndef test():\n    pass\nX = 1\n";
        let of = |form| truth(&task, &id(form), Some(file));
        assert_eq!(of(Some("part")).as_deref(), Some("def test():\n    pass\n"));
        assert_eq!(of(Some("full")).as_deref(), Some(file));
        assert_eq!(truth(&task, &id(None), None), None);
    }

    #[test]
    fn an_answer_is_linked_to_the_one_that_was_said_to_its_prompt() {
        let task = cloze();
        let known = |id, prompt: &str, text: &str| AskedAnswer {
            id,
            prompt: format!("{{\"id\":\"{prompt}\"}}"),
            text: text.to_owned(),
        };
        let all = vec![
            known(1, "a", "x"),
            known(2, "a", "x"),
            known(3, "b", "x"),
            known(4, "b", "y"),
        ];
        let answers = ["x", "x", "x", "y"].map(|text| AnsweredTask {
            question: &task,
            id: id(None),
            text,
        });
        let evaluated = AnswerEvaluation::default();
        let prompts = ["b", "a", "a", "elsewhere"];
        let ran = answers
            .iter()
            .zip(prompts)
            .map(|(answer, prompt)| ExecutedAnswer {
                answer,
                evaluated: &evaluated,
                line: 1,
                prompt,
            });
        let ran: Vec<ExecutedAnswer<'_>> = ran.collect();
        assert_eq!(links(all, &ran), [(0, 3), (1, 1), (2, 2)]);
    }

    #[test]
    fn an_answer_beside_the_truth_is_an_assertion_in_either_form() {
        let task = cloze();
        let check = |form: Option<&str>, text: &str| {
            let answer = AnsweredTask {
                question: &task,
                id: id(form),
                text,
            };
            let evaluated = AnswerEvaluation {
                said: Some("x.m".to_owned()),
                ..AnswerEvaluation::default()
            };
            let ran = ExecutedAnswer {
                answer: &answer,
                evaluated: &evaluated,
                line: 1,
                prompt: "p",
            };
            let question = question(&answer, &BTreeMap::new());
            let made = prediction(&ran, &question, 0);
            assert_eq!(made.text(), "assert x.m == 1", "{form:?}");
            assert_eq!(made.answer, text);
        };
        check(Some("only"), "x.m");
        check(None, "assert x.m == 1");
    }
}
