//! The protocol with a worker: one line of JSON each, all but the first behind a token and a nonce.
//!
//! The token tells lines of the worker from what tests print. The nonce is drawn when a question is asked, and its
//! answer carries it: an answer that was written before its question is not accepted, and shows that a test forges
//! answers.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde::{Deserialize, Serialize};

use crate::RunnerError;
use crate::sandbox::{OutputLine, ProgramEnd, ProgramPlan, Resident, Sandbox};
use crate::task::{EngineStep, Monitor};

use super::program::token;

/// Answers of truth runs name every method that was entered.
const LINE_BYTES_MAX: usize = 64 << 20;
/// How long a JVM may take to start on a busy machine.
const TO_START: Duration = Duration::from_secs(60);
/// How often a waiting thread looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The first line to a worker.
#[derive(Serialize)]
pub struct WorkerStart<'t> {
    pub token: &'t str,
    /// The nonce of its answer that it is ready.
    pub nonce: &'t str,
    /// Nothing for a compiler.
    pub project: Option<&'t WorkerProject>,
}

/// The facts about its module that a worker that runs tests needs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerProject {
    pub class_path: Vec<String>,
    /// The entries of the class path that are measured.
    pub main: Vec<String>,
    pub runners: Vec<String>,
    pub test_folder: String,
    pub is_flat: bool,
    pub properties: BTreeMap<String, String>,
    /// Whether it sees no processes but its own.
    pub is_walled: bool,
    /// Folders that are emptied after each run, besides the home and the folder for temporary files.
    pub scratch: Vec<String>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkerRequest<'t> {
    Parse {
        options: &'t [String],
        texts: Vec<&'t str>,
    },
    #[serde(rename_all = "camelCase")]
    Compile {
        options: &'t [String],
        class_path: &'t [String],
        files: Vec<SourceFile>,
        /// Names of methods by class: the question is whether the class inherits them.
        names: BTreeMap<&'t str, BTreeSet<&'t str>>,
    },
    /// Asks which candidates name what reaches into their JVM.
    #[serde(rename_all = "camelCase")]
    Reach {
        class_path: &'t [String],
        main: &'t [String],
        jobs: &'t [Job],
    },
    #[serde(rename_all = "camelCase")]
    Run {
        #[serde(flatten)]
        job: &'t Job,
        /// No other job comes after it in this JVM.
        is_alone: bool,
    },
    #[serde(rename_all = "camelCase")]
    Measure {
        class_path: &'t [String],
        covered: BTreeMap<&'t str, String>,
        focals: Vec<FocalQuery>,
    },
}

#[derive(Clone, Debug, Serialize)]
pub struct SourceFile {
    pub source: String,
    pub out: String,
}

/// A candidate that is compiled.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub id: u64,
    /// The folder with the classes of its scaffold.
    pub folder: String,
    pub host: String,
    /// The class that it stands in.
    pub declaring: String,
    /// The top-level class around that.
    pub top_level: String,
    pub method: String,
    /// Its name in the scaffold; nothing for a test of the file itself.
    pub placed: Option<String>,
    /// For a test in a nested class of an abstract one: the concrete subclass that it runs with.
    pub outer: Option<String>,
    pub runner: &'static str,
    pub focal: Option<FocalQuery>,
    pub is_truth: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<RunFaults>,
    /// Tests of the class that are run together, in this order, in place of the one method; empty for that method
    /// alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// It runs twice, and files that the first run leaves stay for the second.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_twice: bool,
}

/// The part of a job for a run on a mutant.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFaults {
    /// Classes, each with a method and its descriptor: methods whose blocks are watched, or whose entry counts as
    /// reaching the change.
    pub methods: Vec<(String, String)>,
    /// The files that changed classes are read from, in place of the project's; empty for the original code.
    pub changed: BTreeMap<String, String>,
    /// The processor time that the test's own thread may use.
    pub cpu_ms: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FocalQuery {
    pub class: String,
    pub name: String,
    pub parameters: Vec<String>,
    pub line: u32,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkerAnswer {
    Ready,
    Error {
        message: String,
    },
    Parsed {
        errors: Vec<WorkerCompileError>,
    },
    Compiled {
        errors: Vec<WorkerCompileError>,
        /// Those of the names in question that are inherited, with their classes.
        #[serde(default)]
        inherited: Vec<(String, String)>,
    },
    /// For each job the API that reaches into its JVM, or nothing.
    Reached {
        powers: Vec<Option<String>>,
    },
    Done(Box<JobReply>),
    Measured {
        focals: Vec<Option<FocalReply>>,
    },
}

#[derive(Clone, Debug, Deserialize)]
pub struct WorkerCompileError {
    /// Index of the file; -1 for none.
    pub file: i64,
    /// From 1; 0 for none.
    pub line: u32,
    pub code: String,
    pub message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a worker tells them one by one, and each stands for itself"
)]
pub struct JobReply {
    pub id: u64,
    pub ms: u64,
    /// The nanoseconds of its steps as the worker reports them: loading, the test, coverage. Nothing where it did not
    /// come to its end.
    #[serde(default)]
    pub steps: Option<[u64; 3]>,
    pub status: String,
    #[serde(default)]
    pub skipped: Option<String>,
    #[serde(default)]
    pub why: Option<ThrownReply>,
    #[serde(default)]
    pub covered: BTreeMap<String, String>,
    #[serde(default)]
    pub is_called: Option<bool>,
    #[serde(default)]
    pub focal: Option<FocalReply>,
    #[serde(default)]
    pub entered: Vec<(String, String, String, u32, u32)>,
    /// Methods with code that override the focal method, which has none: class, name and descriptor.
    #[serde(default)]
    pub overrides: Vec<(String, String, String)>,
    /// Blocks of the methods that a run was asked about.
    #[serde(default)]
    pub reached: Vec<ReachedBlocks>,
    /// The fate of each test of an order: `passed`, `failed` or `skipped`; under the empty name the fate of the class
    /// itself.
    #[serde(default)]
    pub each: BTreeMap<String, String>,
    /// Whether the changed method was entered.
    #[serde(default)]
    pub is_entered: bool,
    /// Whether the failure is one of an assertion.
    #[serde(default)]
    pub is_assertion: bool,
    /// Whether the failure is that a class does not verify.
    #[serde(default)]
    pub is_no_class: bool,
    #[serde(default)]
    pub is_memory: bool,
    /// Whether it has left a `SecurityManager`, which may forbid what the runner has yet to load.
    #[serde(default)]
    pub is_guarded: bool,
    #[serde(default)]
    pub is_retired: bool,
    /// It was refused something that only a job alone in its JVM may do.
    #[serde(default)]
    pub is_refused: bool,
}

impl JobReply {
    /// Lists the duration of each of its steps, as it reports them.
    pub fn parts(&self) -> Vec<(EngineStep, Duration)> {
        let steps = [EngineStep::Load, EngineStep::Test, EngineStep::Coverage].into_iter();
        let told = self.steps.into_iter().flatten();
        steps.zip(told.map(Duration::from_nanos)).collect()
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReachedBlocks {
    pub class: String,
    /// With its descriptor.
    pub method: String,
    /// For each block: how many instructions stand before it, and whether the test reached it.
    pub blocks: Vec<(u32, bool)>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ThrownReply {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub message: String,
    pub trace: Option<String>,
    /// Lines of the scaffold in the stack trace, innermost frame first.
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FocalReply {
    pub class: String,
    pub name: String,
    pub descriptor: String,
    pub lines: (u32, u32),
    pub branches: Option<(u32, u32)>,
    pub instructions: (u32, u32),
    pub by_line: Vec<(u32, u8)>,
}

/// A running worker JVM, and the channel to it.
pub struct Worker {
    pub resident: Resident,
    pub lines: Receiver<OutputLine>,
    token: String,
    /// The nonce of the question that has no answer yet.
    nonce: Option<String>,
}

/// A message from a worker, or its end.
pub enum WorkerMessage {
    Answer(WorkerAnswer),
    /// A line that is not its own.
    Noise,
    /// A line that has the token, and is not an answer to the present question.
    Forged,
    /// It has closed its output.
    Gone,
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    pub fn start(
        sandbox: &Sandbox,
        plan: &ProgramPlan,
        project: Option<&WorkerProject>,
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let mut worker = Self::begin(sandbox, plan, project, monitor)?;
        match worker.wait(Some(TO_START), monitor)? {
            Some(WorkerAnswer::Ready) => Ok(worker),
            Some(other) => Err(wrong(&format!("{other:?}"))),
            None => Err(wrong(&worker.end(monitor)?.1)),
        }
    }

    /// Starts a worker without waiting; its first answer will be that it is ready.
    pub fn begin(
        sandbox: &Sandbox,
        plan: &ProgramPlan,
        project: Option<&WorkerProject>,
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let token = token();
        let mut start = monitor.timings.begin(EngineStep::Start);
        let mut resident = sandbox.spawn(plan)?;
        let meter = resident.meter();
        // The time of the start is taken as soon as the first line is there, even before we listen.
        let lines = resident.lines_after(LINE_BYTES_MAX, move || start.used(|| meter.cpu()));
        let mut worker = Self {
            resident,
            lines,
            token,
            nonce: None,
        };
        let (token, nonce) = (worker.token.clone(), worker.draw());
        worker.write(
            "",
            &WorkerStart {
                token: &token,
                nonce: &nonce,
                project,
            },
        );
        Ok(worker)
    }

    /// Draws the nonce of the next answer.
    fn draw(&mut self) -> String {
        self.nonce.insert(token()).clone()
    }

    /// Writes one line. An error means that the worker has ended, which the wait for its answer notices.
    pub fn say(&mut self, what: &impl Serialize) {
        // Tests may have begun a line of their own, so a line end comes first.
        let nonce = self.draw();
        let before = format!("\n{}{nonce}", self.token);
        self.write(&before, what);
    }

    fn write(&mut self, before: &str, what: &impl Serialize) {
        let mut line = before.as_bytes().to_vec();
        serde_json::to_writer(&mut line, what).expect("it is made for JSON");
        line.push(b'\n');
        if let Some(input) = &mut self.resident.input {
            let said = input.write_all(&line).and_then(|()| input.flush());
            if said.is_err() {
                self.resident.input = None;
            }
        }
    }

    /// Classifies a line. A question has one answer.
    pub fn heard(&mut self, line: Option<OutputLine>) -> WorkerMessage {
        let line = match line {
            None => return WorkerMessage::Gone,
            Some(OutputLine::Part(_)) => return WorkerMessage::Noise,
            Some(OutputLine::Whole(line)) => line,
        };
        let Some(rest) = line.strip_prefix(self.token.as_bytes()) else {
            return WorkerMessage::Noise;
        };
        let nonce = self.nonce.take();
        nonce
            .and_then(|nonce| rest.strip_prefix(nonce.as_bytes()))
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
            .map_or(WorkerMessage::Forged, WorkerMessage::Answer)
    }

    /// Waits for an answer; nothing where it has ended before, or was too slow.
    pub fn wait(
        &mut self,
        limit: Option<Duration>,
        monitor: &Monitor,
    ) -> Result<Option<WorkerAnswer>, RunnerError> {
        let end = limit.map(|duration| Instant::now() + duration);
        loop {
            monitor.step()?;
            if end.is_some_and(|instant| instant <= Instant::now()) {
                return Ok(None);
            }
            let line = match self.lines.recv_timeout(LOOK) {
                Ok(line) => Some(line),
                Err(RecvTimeoutError::Disconnected) => None,
                Err(RecvTimeoutError::Timeout) => continue,
            };
            match self.heard(line) {
                WorkerMessage::Answer(answer) => return Ok(Some(answer)),
                WorkerMessage::Noise => {}
                WorkerMessage::Forged => {
                    return Err(wrong("it answers a question that was not asked"));
                }
                WorkerMessage::Gone => return Ok(None),
            }
        }
    }

    /// Sends a request, times it as a step, and waits for the answer as [`wait`](Self::wait) does.
    pub fn ask(
        &mut self,
        step: EngineStep,
        what: &impl Serialize,
        (limit, monitor): (Option<Duration>, &Monitor),
    ) -> Result<Option<WorkerAnswer>, RunnerError> {
        let mut span = monitor.timings.begin(step);
        let meter = self.resident.meter();
        let before = span.is_measured().then(|| meter.cpu()).flatten();
        self.say(what);
        let answer = self.wait(limit, monitor)?;
        span.used(|| Some(meter.cpu()?.saturating_sub(before?)));
        Ok(answer)
    }

    /// Ends the worker, and returns how it ended with its output on stderr.
    pub fn end(self, monitor: &Monitor) -> Result<(ProgramEnd, String), RunnerError> {
        let resident = self.resident;
        resident.end_after(Some(Duration::from_secs(2)));
        let finished = resident.wait(monitor)?;
        Ok((finished.ending.end, finished.errors.text()))
    }
}

/// Makes the error of a worker that breaks the protocol.
pub fn wrong(said: &str) -> RunnerError {
    RunnerError::Worker {
        what: "Java worker",
        said: said.trim().to_owned(),
    }
}
