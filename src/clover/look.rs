//! The data about a suite for screens: its problems, the files that a prompt about one may hold, and the lines that it
//! covers in each. All of it is in the index except the files themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::exchange::{WireTask, parse};
use crate::model::Outcome;
use crate::prompts::{AnswerForm, BudgetCounter, Contexts, ProblemOptions, PromptKind, context};
use crate::runner::python::CaseExecution;
use crate::store::{CloverCase, CloverLines, CloverSuite, Store};

use super::classes::{LinesByFile, counts, of_test, own};
use super::measure::{MeasuredCase, empty_node};
use super::question::QuestionKind;
use super::{CloverError, LineSet, file_of, folder_of};

/// The problems of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProblemSuite {
    /// The projects that problems were cut out of, by name.
    pub projects: Vec<String>,
    /// The position of the project whose problems these are.
    pub at: usize,
    pub problems: Vec<ProblemOutline>,
}

/// A problem in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemOutline {
    /// `tests/x.py::Class::test`
    pub id: String,
    pub outcome: Option<Outcome>,
    /// Why it is not a problem.
    pub reason: Option<String>,
    /// Whether its lines were counted.
    pub is_measured: bool,
}

/// A problem with the files of the project as one question about it sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub id: String,
    pub outcome: Option<Outcome>,
    pub reason: Option<String>,
    /// Its file.
    pub code: String,
    /// The question in one line; none where no such question was made.
    pub question: Option<String>,
    /// Tokens of the prompt; none where not even the needed files fit.
    pub n_tokens: Option<usize>,
    /// The most tokens that the prompt may have; none for the problem alone.
    pub limit: Option<usize>,
    /// In the order in which a prompt takes them.
    pub files: Vec<FileLook>,
    pub answers: Vec<AnswerLook>,
}

/// A file of the project, with the lines that one problem covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLook {
    pub path: String,
    /// `needed`, `peer`, `rest`, `repo`
    pub class: &'static str,
    pub n_tokens: Option<usize>,
    pub is_in: bool,
    pub covered: LineSet,
    /// Covered by it alone.
    pub own: LineSet,
    /// Covered by an empty test.
    pub empty: LineSet,
    pub unstable: LineSet,
    /// The lines that an answer has to cover.
    pub lines_to_cover: LineSet,
}

/// The outcome of an answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerLook {
    pub outcome: Outcome,
    pub reason: Option<String>,
    pub n_wanted: usize,
    /// By file, the wanted lines that it covers.
    pub reached: BTreeMap<String, LineSet>,
}

impl AnswerLook {
    /// Counts the wanted lines that it covers.
    #[must_use]
    pub fn n_reached(&self) -> usize {
        self.reached
            .values()
            .map(|line_set| line_set.iter().count())
            .sum()
    }
}

/// Reads the problems of a project, or of the first one where no project has that name.
///
/// # Errors
/// Where the index cannot be read.
pub fn suite(store: &Store, project: Option<&str>) -> Result<ProblemSuite, CloverError> {
    let projects: Vec<String> = store
        .clover_suites()?
        .into_iter()
        .map(|clover_suite| clover_suite.project)
        .collect();
    let named = projects
        .iter()
        .position(|text| Some(text.as_str()) == project);
    let at = named.unwrap_or(0);
    let mut problems = Vec::new();
    if let Some(project) = projects.get(at) {
        let of_test = |clover_case: &CloverCase| !clover_case.node.ends_with("/::");
        let cases = store.clover_cases(project)?;
        problems.extend(
            cases
                .into_iter()
                .filter(of_test)
                .map(|case| ProblemOutline {
                    is_measured: case.ran.is_some(),
                    id: case.node,
                    outcome: case.outcome,
                    reason: case.reason,
                }),
        );
    }
    Ok(ProblemSuite {
        projects,
        at,
        problems,
    })
}

/// Reads a problem as a question of a task sees it within a budget (tokens; none for the problem alone).
///
/// # Errors
/// Where the index cannot be read.
pub fn look(
    store: &Store,
    project: &str,
    id: &str,
    (task, budget): (QuestionKind, Option<usize>),
) -> Result<Option<Look>, CloverError> {
    let suites = store.clover_suites()?;
    let Some(suite) = suites.into_iter().find(|suite| suite.project == project) else {
        return Ok(None);
    };
    let cases = store.clover_cases(project)?;
    let Some(case) = cases.into_iter().find(|case| case.node == id) else {
        return Ok(None);
    };
    let files: Vec<String> = parse(suite.files.as_bytes()).unwrap_or_default();
    let (test, of_file, empty) = measured(store, project, id)?;
    let own = own(&test, &counts(&of_file.iter().collect::<Vec<_>>()), &empty);
    let classes = of_test(&test, &own, &empty, &files);
    let question = question(store, project, id, task)?;
    let asked = question.as_ref().map(words);
    let question = question.unwrap_or_else(|| WireTask {
        project: project.to_owned(),
        problem: id.to_owned(),
        setup: case.code.clone().unwrap_or_default(),
        peer: classes.peer.clone(),
        rest: classes.rest.clone(),
        repo: classes.repo.clone(),
        ..WireTask::default()
    });
    let kind = kind_of(task);
    let options = ProblemOptions {
        kind,
        budget,
        counter: &BudgetCounter::Approximate,
        template: None,
        answer: AnswerForm::of_kind(kind)
            .first()
            .copied()
            .unwrap_or(AnswerForm::Full),
        contexts: Contexts::All,
        seed: 0,
    };
    let read = |_: &str, file: &str| read(&suite, file);
    let context = context(&question, &options, &read)?;
    let mut wanted: BTreeMap<&str, LineSet> = BTreeMap::new();
    for block in &question.blocks {
        let of_file = wanted.entry(&block.file).or_default();
        of_file.add(&LineSet::of_ranges(&block.statements));
    }
    let lines = |of: &LinesByFile, path: &str| of.get(path).cloned().unwrap_or_default();
    let files = context.files.into_iter().map(|file| FileLook {
        class: match () {
            () if file.is_needed => "needed",
            () if classes.peer.contains(&file.path) => "peer",
            () if classes.rest.contains(&file.path) => "rest",
            () => "repo",
        },
        n_tokens: file.n_tokens,
        is_in: file.is_in,
        covered: lines(&test.lines, &file.path),
        own: lines(&own, &file.path),
        empty: lines(&empty, &file.path),
        unstable: lines(&test.unstable, &file.path),
        lines_to_cover: wanted.get(file.path.as_str()).cloned().unwrap_or_default(),
        path: file.path,
    });
    let n_wanted = wanted
        .values()
        .map(|line_set| line_set.iter().count())
        .sum();
    Ok(Some(Look {
        id: case.node,
        outcome: case.outcome,
        reason: case.reason,
        code: case.code.unwrap_or_default(),
        question: asked,
        n_tokens: context.n_tokens,
        limit: context.limit,
        files: files.collect(),
        answers: answers(store, project, &question.id, n_wanted)?,
    }))
}

/// Reads a file of the project, as the tests have seen it; nothing where it is gone.
///
/// # Errors
/// Where the index cannot be read.
pub fn text(store: &Store, project: &str, path: &str) -> Result<Option<String>, CloverError> {
    let suites = store.clover_suites()?;
    let suite = suites.into_iter().find(|suite| suite.project == project);
    Ok(suite.and_then(|clover_suite| read(&clover_suite, path)))
}

fn read(suite: &CloverSuite, path: &str) -> Option<String> {
    fs::read_to_string(Path::new(&suite.checkout).join(path)).ok()
}

const fn kind_of(task: QuestionKind) -> PromptKind {
    match task {
        QuestionKind::Cloze => PromptKind::Cloze,
        QuestionKind::Target => PromptKind::Target,
        QuestionKind::Block => PromptKind::Block,
    }
}

/// Reads the test, all tests of its file, and the coverage of an empty one.
fn measured(
    store: &Store,
    project: &str,
    id: &str,
) -> Result<(MeasuredCase, Vec<MeasuredCase>, LinesByFile), CloverError> {
    let of_empty = empty_node(folder_of(file_of(id)));
    let mut by_node: BTreeMap<String, Vec<CloverLines>> = BTreeMap::new();
    let mut empty = LinesByFile::new();
    for (node, lines) in store.clover_lines(project)? {
        if node == of_empty {
            empty.insert(lines.file, LineSet::of_bits(lines.covered));
        } else if file_of(&node) == file_of(id) {
            by_node.entry(node).or_default().push(lines);
        }
    }
    let nodes: BTreeSet<String> = by_node.keys().cloned().chain([id.to_owned()]).collect();
    let of_file: Vec<MeasuredCase> = nodes
        .into_iter()
        .map(|node| {
            let lines = by_node.remove(&node).unwrap_or_default();
            MeasuredCase::of_lines(&node, CaseExecution::new(Outcome::Passing, "", ""), lines)
        })
        .collect();
    let test = of_file
        .iter()
        .find(|measured_case| measured_case.id == id)
        .cloned();
    let test = test.expect("it is among its file's");
    Ok((test, of_file, empty))
}

/// Finds the first question about a problem that can be asked, else its first one; nothing where none was made.
fn question(
    store: &Store,
    project: &str,
    id: &str,
    task: QuestionKind,
) -> Result<Option<WireTask>, CloverError> {
    let rows = store.clover_tasks(project)?;
    let row = rows
        .into_iter()
        .find(|row| row.node == id && row.task == task.as_str());
    // Rows of another version may have another shape and are not read.
    let all: Vec<WireTask> = row
        .and_then(|clover_task| parse(clover_task.instances.as_bytes()).ok())
        .unwrap_or_default();
    let usable = all
        .iter()
        .position(|wire_task| wire_task.reason.is_none())
        .unwrap_or(0);
    Ok(all.into_iter().nth(usable))
}

fn words(question: &WireTask) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(wire_cloze) = &question.cloze {
        return one_line(&wire_cloze.question);
    }
    if let Some(wire_target) = &question.target {
        return format!(
            "a test of {} `{}` in {}",
            wire_target.kind, wire_target.name, wire_target.file
        );
    }
    let blocks = question.blocks.iter();
    let blocks: Vec<String> = blocks
        .map(|block| format!("{}:{}-{}", block.file, block.first, block.end))
        .collect();
    format!("a test that covers {}", blocks.join(", "))
}

fn answers(
    store: &Store,
    project: &str,
    question: &str,
    n_wanted: usize,
) -> Result<Vec<AnswerLook>, CloverError> {
    let rows = store.clover_answers(project)?.into_iter();
    let of_question = rows.filter(|row| row.question.as_deref() == Some(question));
    Ok(of_question
        .map(|clover_answer| {
            let reached: BTreeMap<String, String> = clover_answer
                .reached
                .and_then(|reached| parse(reached.as_bytes()).ok())
                .unwrap_or_default();
            AnswerLook {
                outcome: clover_answer.outcome,
                reason: clover_answer.reason,
                n_wanted,
                reached: reached
                    .into_iter()
                    .map(|(file, ranges)| (file, LineSet::of_ranges(&ranges)))
                    .collect(),
            }
        })
        .collect())
}
