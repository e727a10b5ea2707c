//! Asks the environment's own interpreter which tasks can be made of test functions, and what answers to them contain.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::environment::Environment;
use super::program::Program;

const PROGRAM: Program = Program {
    name: "tasks.py",
    text: include_str!("tasks.py"),
};
/// The most questions for one process.
const N_AT_A_TIME: usize = 400;

/// Returns a version: where it is equal, tasks are, too.
#[must_use]
pub fn tasks_version() -> String {
    blake3::hash(PROGRAM.text.as_bytes()).to_hex()[..8].to_owned()
}

/// A question about a text.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum TextQuestion<'q> {
    /// What does a test function, `Class::test`, assert and name?
    Problem { code: &'q str, name: &'q str },
    /// Which functions and classes does a file of the checkout have?
    Definitions { path: &'q str },
    /// What does an answer put into the blank between two texts?
    Cloze {
        answer: &'q str,
        before: &'q str,
        after: &'q str,
        kind: &'q str,
        part: &'q str,
        /// The file without the statement: an assertion that is there already is not an answer.
        code: &'q str,
    },
    /// Does a file have a function, and does that name the wanted target?
    Whole {
        code: &'q str,
        name: &'q str,
        wanted: Option<&'q str>,
    },
    /// Returns the lines of a function, moved to a column.
    Part {
        code: &'q str,
        name: &'q str,
        column: usize,
    },
}

/// A test function's facts; offsets are in bytes of the text, lines from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProblemFacts {
    pub error: Option<String>,
    pub asserts: Vec<AssertFacts>,
    /// Lines of assertions that are not questions, and why.
    pub left_out: Vec<(u32, String)>,
    /// Names behind a dot, sorted.
    pub attributes: Vec<String>,
    /// Decorators and signature.
    pub head: String,
    pub first: u32,
    pub last: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AssertFacts {
    pub line: u32,
    pub start: usize,
    /// The end without the message.
    pub end: usize,
    /// `binary`, `unary`
    pub kind: String,
    pub operands: Vec<OperandFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OperandFacts {
    /// `left`, `right`, `operand`
    pub part: String,
    pub start: usize,
    pub end: usize,
}

/// The definitions in a file of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FileDefinitions {
    pub error: Option<String>,
    pub definitions: Vec<Definition>,
    /// First and last line of each statement; a compound statement ends before its body.
    pub ends: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Definition {
    pub name: String,
    /// `function`, `class`
    #[serde(rename = "type")]
    pub kind: String,
    pub line: u32,
    /// The body of a function, or those of a class's functions.
    pub bodies: Vec<(u32, u32)>,
}

/// The content that an answer puts into a blank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FilledBlank {
    /// The assertion without its message; `None` where no assertion of the answer fits the question.
    pub statement: Option<String>,
    pub said: Option<String>,
    /// Why it does not count.
    pub trivial: Option<String>,
}

/// The answer about a function in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FunctionReply {
    pub error: Option<String>,
    pub found: bool,
    pub names: bool,
}

/// A function's lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FunctionText {
    pub error: Option<String>,
    pub text: Option<String>,
}

/// Asks questions of one kind, and returns the answers in order.
///
/// # Panics
/// Never: texts and numbers can be written.
///
/// # Errors
/// Where the interpreter does not answer.
pub fn ask<A: DeserializeOwned>(
    site: &Site,
    environment: &Environment,
    questions: &[TextQuestion<'_>],
    monitor: &Monitor,
) -> Result<Vec<A>, RunnerError> {
    let mut answers = Vec::with_capacity(questions.len());
    for part in questions.chunks(N_AT_A_TIME) {
        let mut input = String::new();
        for text_question in part {
            input.push_str(&serde_json::to_string(text_question).expect("texts can be written"));
            input.push('\n');
        }
        let text = PROGRAM.run(site, environment, &input, monitor)?;
        let n_before = answers.len();
        for line in text.lines() {
            answers.push(serde_json::from_str(line).map_err(|_| Program::strange(line))?);
        }
        if answers.len() - n_before != part.len() {
            return Err(Program::strange("it has not answered every question"));
        }
    }
    Ok(answers)
}
