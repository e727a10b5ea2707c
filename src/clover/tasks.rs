//! Questions that are made of problems: a blank in an assertion, a target to use, blocks to cover.
//!
//! The environment's own interpreter reads the test, and its coverage was measured before; this module decides.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::exchange::{WireTarget, WireTask, WireTaskBlock, parse};
use crate::model::Outcome;
use crate::runner::Site;
use crate::runner::python::{
    Environment, FileDefinitions, ProblemFacts, TextQuestion, ask, tasks_version,
};
use crate::store::{CloverTask, Store};
use crate::task::Monitor;

use super::classes::{Classes, classes_of_tests};
use super::extract::{CloverProblem, extract};
use super::measure::{MeasuredCase, measure};
use super::question::{QuestionKind, QuestionSink, QuestionSource};
use super::sources::source_files;
use super::{CloverError, CloverOptions, LineSet, cloze};

/// Makes all questions of problems that pass, and returns those that were asked for, in order; existing ones are not
/// made again.
///
/// # Errors
/// Where nothing more can be run or written.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn tasks(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    tasks: &[QuestionKind],
    monitor: &Monitor,
) -> Result<Vec<WireTask>, CloverError> {
    let measured = measure(store, site, environment, options, monitor)?;
    let problems = extract(store, site, environment, options, monitor)?;
    let passing = |clover_problem: &&CloverProblem| {
        clover_problem.is_verified() && clover_problem.outcome == Some(Outcome::Passing)
    };
    let problems: Vec<&CloverProblem> = problems.iter().filter(passing).collect();
    let version = version(environment);
    let known: BTreeMap<(String, String), CloverTask> = store
        .clover_tasks(&environment.name)?
        .into_iter()
        .filter(|clover_task| clover_task.version == version)
        .map(|clover_task| {
            (
                (clover_task.task.clone(), clover_task.node.clone()),
                clover_task,
            )
        })
        .collect();
    let is_known = |task: QuestionKind, problem: &CloverProblem| {
        known.contains_key(&(task.as_str().to_owned(), problem.id.clone()))
    };
    let missing: Vec<(QuestionKind, Vec<&CloverProblem>)> = tasks
        .iter()
        .map(|task| {
            let of_task = problems.iter().copied();
            (
                *task,
                of_task
                    .filter(|clover_problem| !is_known(*task, clover_problem))
                    .collect(),
            )
        })
        .collect();
    let mut found: Vec<WireTask> = Vec::new();
    for ((task, node), clover_task) in &known {
        let is_asked = tasks
            .iter()
            .any(|question_kind| question_kind.as_str() == task)
            && options.asks(node);
        if is_asked && problems.iter().any(|problem| problem.id == *node) {
            // Of another shape are those of another version, which were left out.
            let read: Vec<WireTask> = parse(clover_task.instances.as_bytes()).unwrap_or_default();
            found.extend(read);
        }
    }
    if missing.iter().any(|pair| !pair.1.is_empty()) {
        let made = TaskMaker {
            site,
            environment,
            options,
            measured: &measured,
            version,
        };
        found.extend(made.make(store, &missing, monitor)?);
    }
    found.sort_by(|a, b| (&a.task, &a.problem).cmp(&(&b.task, &b.problem)));
    Ok(found)
}

/// Reads the stored questions of a project, in order.
///
/// # Errors
/// Where the index cannot be read.
pub fn stored(
    store: &Store,
    environment: &Environment,
    task: QuestionKind,
) -> Result<Vec<WireTask>, CloverError> {
    let version = version(environment);
    let mut found = Vec::new();
    for clover_task in store.clover_tasks(&environment.name)? {
        if clover_task.version == version && clover_task.task == task.as_str() {
            // Of another shape are those of another version, which were left out.
            let read: Vec<WireTask> = parse(clover_task.instances.as_bytes()).unwrap_or_default();
            found.extend(read);
        }
    }
    Ok(found)
}

/// Returns a version: where it is equal, the questions are, too.
pub(crate) fn version(environment: &Environment) -> String {
    format!("{}.{}", environment.version(), tasks_version())
}

struct TaskMaker<'m> {
    site: &'m Site,
    environment: &'m Environment,
    options: &'m CloverOptions,
    measured: &'m [MeasuredCase],
    version: String,
}

impl TaskMaker<'_> {
    fn make(
        &self,
        store: &mut Store,
        missing: &[(QuestionKind, Vec<&CloverProblem>)],
        monitor: &Monitor,
    ) -> Result<Vec<WireTask>, CloverError> {
        let has_blocks = missing
            .iter()
            .any(|pair| pair.0 == QuestionKind::Block && !pair.1.is_empty());
        let classes = classes_of_tests(
            store,
            self.site,
            self.environment,
            self.measured,
            has_blocks,
            monitor,
        )?;
        let classes: BTreeMap<&str, &Classes> = classes
            .iter()
            .map(|class| (class.id.as_str(), class))
            .collect();
        let facts = self.facts(missing, monitor)?;
        let has_files = missing
            .iter()
            .any(|pair| pair.0 != QuestionKind::Cloze && !pair.1.is_empty());
        let definitions = if has_files {
            self.definitions(monitor)?
        } else {
            BTreeMap::new()
        };
        let none = Classes::default();
        let mut made = Vec::new();
        for (task, problems) in missing {
            let sources: Vec<QuestionSource<'_>> = problems
                .iter()
                .filter_map(|problem| {
                    Some(QuestionSource {
                        project: &self.environment.name,
                        problem,
                        code: problem.code.as_deref()?,
                        facts: facts.get(problem.id.as_str())?,
                        classes: classes.get(problem.id.as_str()).unwrap_or(&&none),
                    })
                })
                .collect();
            let mut sink = QuestionSink {
                store,
                project: &self.environment.name,
                version: &self.version,
                task: *task,
                tasks: &mut made,
                waiting: Vec::new(),
            };
            match task {
                QuestionKind::Cloze => {
                    let world = (self.site, self.environment, self.options);
                    cloze::make(world, &sources, &mut sink, monitor)?;
                }
                QuestionKind::Target => {
                    let measured: BTreeMap<&str, &MeasuredCase> = self
                        .measured
                        .iter()
                        .map(|measured_case| (measured_case.id.as_str(), measured_case))
                        .collect();
                    for source in &sources {
                        monitor.step()?;
                        let lines = measured.get(source.problem.id.as_str());
                        let of_problem = lines.map(|line| targets(source, line, &definitions));
                        sink.take(&source.problem.id, of_problem.unwrap_or_default(), monitor)?;
                    }
                }
                QuestionKind::Block => {
                    for source in &sources {
                        monitor.step()?;
                        let of_problem = self.blocks(source, &definitions);
                        sink.take(&source.problem.id, of_problem, monitor)?;
                    }
                }
            }
            sink.finish()?;
        }
        Ok(made)
    }

    fn facts(
        &self,
        missing: &[(QuestionKind, Vec<&CloverProblem>)],
        monitor: &Monitor,
    ) -> Result<BTreeMap<String, ProblemFacts>, CloverError> {
        let problems: BTreeMap<&str, &str> = missing
            .iter()
            .flat_map(|pair| &pair.1)
            .filter_map(|clover_problem| {
                Some((clover_problem.id.as_str(), clover_problem.code.as_deref()?))
            })
            .collect();
        let questions: Vec<TextQuestion<'_>> = problems
            .iter()
            .map(|(id, code)| TextQuestion::Problem {
                code,
                name: id.split_once("::").map_or("", |pair| pair.1),
            })
            .collect();
        let facts: Vec<ProblemFacts> = ask(self.site, self.environment, &questions, monitor)?;
        let facts = problems.keys().map(|key| (*key).to_owned()).zip(facts);
        Ok(facts.filter(|fact| fact.1.error.is_none()).collect())
    }

    fn definitions(
        &self,
        monitor: &Monitor,
    ) -> Result<BTreeMap<String, FileDefinitions>, CloverError> {
        let files = source_files(self.environment);
        let questions: Vec<TextQuestion<'_>> = files
            .iter()
            .map(|path| TextQuestion::Definitions { path })
            .collect();
        let read: Vec<FileDefinitions> = ask(self.site, self.environment, &questions, monitor)?;
        Ok(files.into_iter().zip(read).collect())
    }

    /// Makes the question about a problem's blocks; none where it has no blocks.
    fn blocks(
        &self,
        source: &QuestionSource<'_>,
        definitions: &BTreeMap<String, FileDefinitions>,
    ) -> Vec<WireTask> {
        let blocks: Vec<WireTaskBlock> = source
            .classes
            .blocks
            .iter()
            .flatten()
            .filter_map(|block| {
                let ends = definitions
                    .get(&block.file)
                    .map_or(&[][..], |definition| &definition.ends);
                let end = ends.iter().find(|end| end.0 == block.last);
                let end = end.map_or(block.last, |end| end.1.max(block.last));
                // A file that cannot be read has no blocks, either.
                let text = fs::read_to_string(self.environment.checkout.join(&block.file)).ok()?;
                let code = text
                    .split_inclusive('\n')
                    .zip(1..)
                    .filter(|line| (block.first..=end).contains(&line.1))
                    .map(|line| line.0)
                    .collect();
                Some(WireTaskBlock {
                    file: block.file.clone(),
                    first: block.first,
                    last: block.last,
                    end,
                    statements: block.statements.clone(),
                    code,
                })
            })
            .collect();
        if blocks.is_empty() {
            return Vec::new();
        }
        vec![WireTask {
            blocks,
            ..source.question(QuestionKind::Block, "")
        }]
    }
}

/// Makes a question for each name behind a dot that is a function or class of the project which the test has run.
fn targets(
    source: &QuestionSource<'_>,
    measured: &MeasuredCase,
    definitions: &BTreeMap<String, FileDefinitions>,
) -> Vec<WireTask> {
    let names: BTreeSet<&str> = source.facts.attributes.iter().map(String::as_str).collect();
    let none = LineSet::default();
    // For each name the files that define it, each with the kind of its first definition there, and how many
    // definitions there are.
    let mut by_name: BTreeMap<&str, (BTreeMap<&str, &str>, usize)> = BTreeMap::new();
    for (file, of_file) in definitions {
        let lines = measured.lines.get(file).unwrap_or(&none);
        for definition in &of_file.definitions {
            let mut bodies = definition.bodies.iter();
            let is_run = |body: &(u32, u32)| (body.0..=body.1).any(|line| lines.contains(line));
            if names.contains(definition.name.as_str()) && bodies.any(is_run) {
                let (files, n) = by_name.entry(&definition.name).or_default();
                files.entry(file).or_insert(&definition.kind);
                *n += 1;
            }
        }
    }
    let mut questions = Vec::new();
    for (name, (files, n)) in by_name {
        for (idx, (file, kind)) in files.iter().enumerate() {
            let rest = if idx == 0 {
                name.to_owned()
            } else {
                format!("{name}-{}", idx + 1)
            };
            questions.push(WireTask {
                target: Some(WireTarget {
                    name: name.to_owned(),
                    kind: (*kind).to_owned(),
                    file: (*file).to_owned(),
                    several: n > 1,
                }),
                ..source.question(QuestionKind::Target, &rest)
            });
        }
    }
    questions
}
