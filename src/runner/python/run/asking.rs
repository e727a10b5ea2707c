//! What a server of the whole project is asked without running anything of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::python::environment::Environment;
use crate::python::server::{KILL, ServerReply, ServerWorld, again_if_killed, how_of, strange};
use crate::sandbox::ProgramEnd;
use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::{CaseRunner, Worker};

/// Lines at which statements of a file begin, and those that no count has.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Statements {
    /// As ranges.
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

/// What the interpreter makes of a changed file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompiledChange {
    /// It is no Python.
    Broken,
    /// The same code as of the file as it is.
    Same,
    /// Other code, by its hash.
    Other(String),
}

/// A change of a file: its first byte, the byte behind it, and what takes its place.
pub type FileEdit<'e> = (u32, u32, &'e str);

/// Has the interpreter compile changes of files of the project, each by itself.
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
    // Nothing of the project runs there: it was somebody outside.
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
