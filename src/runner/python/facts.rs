//! The places of functions and classes in Python files, as the environment's own interpreter reads them.

use serde::Deserialize;

use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::environment::Environment;
use super::program::Program;

const PROGRAM: &str = include_str!("facts.py");

/// The facts about a file; lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FileFacts {
    pub path: String,
    /// Why it cannot be read.
    pub error: Option<String>,
    pub functions: Vec<FunctionFacts>,
    pub classes: Vec<ClassFacts>,
    /// Sequences of statements: of the file, of classes, of conditions.
    pub bodies: Vec<BodyFacts>,
    /// All other statements outside of functions.
    pub statements: Vec<StatementFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct FunctionFacts {
    /// `Class::name`, or `name` for a function of the file.
    pub id: String,
    pub name: String,
    pub nesting: Vec<String>,
    /// The line of its first decorator, or of its head.
    pub first: u32,
    pub last: u32,
    pub column: u32,
    #[serde(rename = "fixture")]
    pub is_fixture: bool,
    pub names: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ClassFacts {
    pub id: String,
    pub name: String,
    pub nesting: Vec<String>,
    pub first: u32,
    pub last: u32,
    /// Names that occur in its head.
    pub names: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct BodyFacts {
    pub column: u32,
    pub parts: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct StatementFacts {
    pub first: u32,
    pub last: u32,
    pub names: Vec<String>,
}

/// Reads files of the checkout.
///
/// # Errors
/// Where the interpreter does not answer.
pub fn facts(
    site: &Site,
    environment: &Environment,
    paths: &[String],
    monitor: &Monitor,
) -> Result<Vec<FileFacts>, RunnerError> {
    // Paths are separated by line feeds, so a path that contains one is left out.
    let input: Vec<&str> = paths
        .iter()
        .map(String::as_str)
        .filter(|text| !text.contains('\n'))
        .collect();
    let program = Program {
        name: "facts.py",
        text: PROGRAM,
    };
    let text = program.run(site, environment, &(input.join("\n") + "\n"), monitor)?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|_| Program::strange(line)))
        .collect()
}
