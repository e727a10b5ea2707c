//! Asks a server of the whole project questions that run none of its code.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::python::environment::Environment;
use crate::python::server::{KILL, ServerReply, ServerWorld, again_if_killed, how_of, strange};
use crate::sandbox::ProgramEnd;
use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::{CaseRunner, Worker};

/// The lines at which statements of a file begin, and those that are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Statements {
    /// Lines as ranges.
    pub statements: String,
    pub excluded: String,
    pub error: Option<String>,
}

/// Asks for the statements of files of the project, as lines are counted.
///
/// # Errors
/// Where the process inside does not answer.
pub fn statements(
    site: &Site,
    environment: &Environment,
    paths: &[String],
    monitor: &Monitor,
) -> Result<BTreeMap<String, Statements>, RunnerError> {
    let world = ServerWorld { site, environment };
    let said = answered(world, &json!({"statements": paths}), monitor)?["statements"].take();
    serde_json::from_value(said).map_err(|error| strange(error.to_string()))
}

/// The result of compiling a changed file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompiledChange {
    /// It does not compile.
    Broken,
    /// The same code as that of the original file.
    Same,
    /// Other code, by its hash.
    Other(String),
}

/// A change of a file: the first byte that is replaced, the first byte behind these, and the new text.
pub type FileEdit<'e> = (u32, u32, &'e str);

/// Lets the interpreter compile changes of the project's files, each separately.
///
/// # Errors
/// Where the process inside does not answer.
pub fn compiled(
    world: ServerWorld<'_>,
    edits: &BTreeMap<&str, Vec<FileEdit<'_>>>,
    monitor: &Monitor,
) -> Result<BTreeMap<String, Vec<CompiledChange>>, RunnerError> {
    let said = answered(world, &json!({"compile": edits}), monitor)?["compiled"].take();
    serde_json::from_value(said).map_err(|error| strange(error.to_string()))
}

fn answered(
    world: ServerWorld<'_>,
    question: &Value,
    monitor: &Monitor,
) -> Result<Value, RunnerError> {
    let running = CaseRunner::default();
    let mut worker = Worker::new(world, &running, monitor)?;
    // No code of the project runs there, so a kill came from outside.
    let was_killed = |server_reply: &ServerReply| {
        matches!(
            server_reply,
            ServerReply::Ended(ProgramEnd::Signalled(KILL))
        )
    };
    let answer = again_if_killed(|| worker.ask(question), was_killed)?;
    worker.leave();
    match answer {
        ServerReply::Answer(answer) => Ok(answer),
        other => Err(strange(how_of(&other))),
    }
}
