//! Questions before they are verified, and how questions are stored.

use crate::exchange::WireTask;
use crate::exchange::outcomes::to_json;
use crate::runner::python::ProblemFacts;
use crate::store::{CloverTask, Store};
use crate::task::Monitor;

use super::CloverError;
use super::classes::Classes;
use super::extract::CloverProblem;

/// The task of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionKind {
    /// The content of an assertion's blank (task I).
    Cloze,
    /// A test that uses a target (task II).
    Target,
    /// A test that covers blocks (task III).
    Block,
}

impl QuestionKind {
    pub const ALL: &[Self] = &[Self::Cloze, Self::Target, Self::Block];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cloze => "cloze",
            Self::Target => "target",
            Self::Block => "block",
        }
    }
}

/// A problem with all that questions are made of.
pub(crate) struct QuestionSource<'s> {
    pub project: &'s str,
    pub problem: &'s CloverProblem,
    pub code: &'s str,
    pub facts: &'s ProblemFacts,
    pub classes: &'s Classes,
}

impl QuestionSource<'_> {
    /// Makes a question without the part that only its task has; `rest` distinguishes its id from others of the
    /// problem.
    pub fn question(&self, task: QuestionKind, rest: &str) -> WireTask {
        let (first, last) = (self.facts.first as usize, self.facts.last as usize);
        let setup: String = self
            .code
            .split_inclusive('\n')
            .zip(1..)
            .filter(|pair| !(first..=last).contains(&pair.1))
            .map(|pair| pair.0)
            .collect();
        let dash = if rest.is_empty() { "" } else { "-" };
        WireTask {
            id: format!(
                "{}/{}#{}{dash}{rest}",
                self.project,
                self.problem.id,
                task.as_str()
            ),
            task: task.as_str().to_owned(),
            project: self.project.to_owned(),
            problem: self.problem.id.clone(),
            path: self.problem.path.clone().unwrap_or_default(),
            setup,
            at: first.saturating_sub(1),
            head: self.facts.head.clone(),
            peer: self.classes.peer.clone(),
            rest: self.classes.rest.clone(),
            repo: self.classes.repo.clone(),
            ..WireTask::default()
        }
    }
}

/// Takes the questions of a problem as soon as all of them are known, and writes them in batches.
pub(crate) struct QuestionSink<'r> {
    pub store: &'r mut Store,
    pub project: &'r str,
    pub version: &'r str,
    pub task: QuestionKind,
    pub tasks: &'r mut Vec<WireTask>,
    pub waiting: Vec<CloverTask>,
}

impl QuestionSink<'_> {
    pub fn take(
        &mut self,
        node: &str,
        questions: Vec<WireTask>,
        monitor: &Monitor,
    ) -> Result<(), CloverError> {
        self.waiting.push(CloverTask {
            node: node.to_owned(),
            task: self.task.as_str().to_owned(),
            version: self.version.to_owned(),
            instances: to_json(&questions),
        });
        self.tasks.extend(questions);
        if self.waiting.len() >= 32 {
            self.store
                .write_clover_tasks(self.project, &self.waiting, monitor)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Writes the remaining rows, even after a cancel.
    pub fn finish(&mut self) -> Result<(), CloverError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.store
            .write_clover_tasks(self.project, &waiting, &Monitor::default())?;
        Ok(())
    }
}
