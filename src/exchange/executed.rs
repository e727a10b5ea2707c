//! What the index keeps of an execution as JSON, read back. What is not there or not understood is nothing: an earlier
//! version may have written less.

use serde::Deserialize;

use crate::model::{Counter, FocalCoverage, LineCover, RunStage, Why};

/// What only the record of a candidate says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadExecution {
    /// The class that it ran in, or the file; empty when it did not run.
    pub host: String,
    /// The name that it ran under.
    pub method: String,
    pub focal: Option<FocalCoverage>,
}

#[derive(Deserialize)]
struct WireWhy {
    stage: String,
    code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: Option<String>,
    line: Option<u32>,
    trace: Option<String>,
}

#[derive(Deserialize)]
struct WireRecord {
    #[serde(default)]
    host: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    focal: Option<WireFocal>,
}

/// Pairs are missed and covered.
#[derive(Deserialize)]
struct WireFocal {
    class: String,
    name: String,
    #[serde(default)]
    desc: Option<String>,
    line: [u32; 2],
    #[serde(default)]
    branch: Option<[u32; 2]>,
    #[serde(default)]
    instruction: Option<[u32; 2]>,
    #[serde(default)]
    missed: Vec<u32>,
    #[serde(default)]
    partly: Vec<u32>,
    #[serde(default)]
    covered: Vec<u32>,
}

/// Reads why a candidate has its outcome.
#[must_use]
pub fn read_why(text: &str) -> Option<Why> {
    let it: WireWhy = serde_json::from_str(text).ok()?;
    let mut stages = RunStage::ALL.iter().copied();
    Some(Why {
        stage: stages.find(|stage| stage.as_str() == it.stage)?,
        code: it.code,
        kind: it.kind,
        message: it.message.unwrap_or_default(),
        line: it.line,
        trace: it.trace,
    })
}

/// Reads what else is known of a candidate.
#[must_use]
pub fn read_execution(text: &str) -> ReadExecution {
    // Nothing is said instead of something wrong.
    let Ok(it) = serde_json::from_str::<WireRecord>(text) else {
        return ReadExecution::default();
    };
    ReadExecution {
        host: it.host.unwrap_or_default(),
        method: it.method.unwrap_or_default(),
        focal: it.focal.map(focal),
    }
}

fn focal(it: WireFocal) -> FocalCoverage {
    let counter = |[missed, covered]: [u32; 2]| Counter { missed, covered };
    let lines = [
        (it.missed, LineCover::Missed),
        (it.partly, LineCover::Partly),
        (it.covered, LineCover::Covered),
    ];
    let lines = lines.into_iter();
    let mut by_line: Vec<(u32, LineCover)> = lines
        .flat_map(|(lines, cover)| lines.into_iter().map(move |line| (line, cover)))
        .collect();
    by_line.sort_unstable();
    FocalCoverage {
        class: it.class,
        name: it.name,
        descriptor: it.desc.unwrap_or_default(),
        lines: counter(it.line),
        branches: it.branch.map(counter),
        instructions: it.instruction.map(counter),
        by_line,
    }
}
