//! One process inside the sandbox that runs test files: its view of files, and the questions to it.
//!
//! The program is embedded Python. Its lines count only behind a prefix that it draws before any code of the project
//! runs.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::sandbox::{Bind, Limit, Limits, OutputLine, ProgramEnd, ProgramPlan, Resident, Root};
use crate::shakes::ProcessSurroundings;
use crate::task::{EngineStep, Monitor};
use crate::{RunnerError, Site, io_error};

use super::environment::Environment;

const PROGRAM: &str = concat!(
    include_str!("lines.py"),
    include_str!("warm.py"),
    include_str!("stem.py"),
    include_str!("same.py"),
    include_str!("server.py")
);
/// How much longer than a case's limit the server's answer is waited for; before a case it may import common modules.
const GRACE: Duration = Duration::from_secs(10);
/// How long a session may take to load everything before the first case.
const TO_START: Duration = Duration::from_secs(120);
/// The pause between two looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// The longest answer: a run may list every line it has covered.
const N_LINE_MAX: usize = 64 << 20;
/// The signal that no process can refuse.
pub const KILL: u8 = 9;
/// The signal of a process that has used up its processor time.
pub const XCPU: u8 = 24;
/// How often an attempt is repeated that this signal has ended.
const N_AGAIN: usize = 3;

/// The memory of one case (docs/execute-python.md): a runaway test must not take the machine's.
const MEMORY_BYTES: u64 = 2 << 30;
/// Its processes and threads: one that forks without end stops here.
const N_TASKS: u64 = 64;
/// The size of each file that it writes.
const FILE_BYTES: u64 = 64 << 20;

/// Makes an attempt, and repeats it where it was killed: either its own code did that, or the machine, such as a kernel
/// that is out of memory. Repetition tells the two apart.
///
/// # Errors
/// Those of the attempts.
pub fn again_if_killed<T, E>(
    mut attempt: impl FnMut() -> Result<T, E>,
    was_killed: impl Fn(&T) -> bool,
) -> Result<T, E> {
    let mut done = attempt()?;
    for _ in 0..N_AGAIN {
        if !was_killed(&done) {
            break;
        }
        done = attempt()?;
    }
    Ok(done)
}

/// Returns a version: where it is equal, results are, too.
#[must_use]
pub fn version() -> String {
    blake3::hash(PROGRAM.as_bytes()).to_hex()[..8].to_owned()
}

impl Environment {
    /// Returns a version of code, environment and engine: where it is equal, results are, too.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{}.{}", self.key, version())
    }
}

/// How the project's copy is seen inside.
#[derive(Clone, Debug)]
pub struct ProjectView {
    /// The folder that is seen at the place of the checkout.
    pub folder: PathBuf,
    pub is_writable: bool,
    /// Changes to the surroundings of tests.
    pub around: ProcessSurroundings,
}

/// The purpose of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To fork for every case in one folder.
    Serve,
    /// To run one case, and end.
    Fresh,
    /// To list the tests.
    Collect,
    /// To run tests, and report the result of each.
    Suite,
}

impl Mode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Fresh => "fresh",
            Self::Collect => "collect",
            Self::Suite => "suite",
        }
    }
}

/// The machine and the environment that servers run in.
#[derive(Clone, Copy, Debug)]
pub struct ServerWorld<'w> {
    pub site: &'w Site,
    pub environment: &'w Environment,
}

/// A running process.
pub struct Server {
    resident: Resident,
    lines: ServerLines,
}

/// Its output, line by line.
struct ServerLines {
    prefix: Vec<u8>,
    next: Box<dyn FnMut(Duration) -> NextOutput + Send>,
}

enum NextOutput {
    Line(Vec<u8>),
    Nothing,
    Over,
}

/// Why a session did not start.
#[derive(Debug)]
pub enum UnreadyReason {
    /// It was killed by signal 9.
    Killed,
    /// It gave a reason.
    Said(String),
}

/// The reply to a question.
#[derive(Debug)]
pub enum ServerReply {
    Answer(Value),
    /// The process has ended without an answer, in this way.
    Ended(ProgramEnd),
    /// Its line is not an answer, so the process was ended.
    Strange(StrangeReply),
}

/// Why a line is not an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrangeReply {
    /// It came before the question, so a test has written it.
    Early,
    /// It cannot be read.
    Unreadable,
    /// The session that was to answer has ended.
    Over,
}

impl ServerReply {
    /// Reads the duration of each step of a case, as it reports them; nothing where it does not.
    #[must_use]
    pub fn steps(&self) -> Vec<(EngineStep, Duration)> {
        let Self::Answer(answer) = self else {
            return Vec::new();
        };
        let seconds = answer["steps"].as_array().into_iter().flatten();
        let steps = [EngineStep::Load, EngineStep::Test, EngineStep::Coverage].into_iter();
        let steps = steps.zip(seconds).map(|(step, value)| {
            let time = Duration::try_from_secs_f64(value.as_f64()?).ok()?;
            Some((step, time))
        });
        steps.collect::<Option<_>>().unwrap_or_default()
    }
}

impl StrangeReply {
    /// Returns the reason in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Early => "there was an answer before the question",
            Self::Unreadable => "its answer cannot be read",
            Self::Over => "the session that runs test files has ended by itself",
        }
    }
}

#[derive(Deserialize)]
struct ServerHello {
    hello: String,
}

impl ServerWorld<'_> {
    /// Plans any program of the environment: without the network, and with only the view to write to.
    #[must_use]
    pub fn plan(&self, view: &ProjectView) -> ProgramPlan {
        let environment = self.environment;
        let folder = environment.env();
        let bin = folder.join("bin");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let mut plan = ProgramPlan::new(&environment.python.program)
            .env("PATH", path)
            .env("VIRTUAL_ENV", &folder)
            .env("PYTHONHASHSEED", "0")
            .env("TZ", "UTC")
            .bind(Bind::read(&folder))
            .bind(Bind::read(&environment.python.base))
            .in_folder(&environment.checkout);
        if self.site.sandbox.tool().name() != "none" {
            // Hypothesis keeps its examples in the checkout, and warns where it cannot, which `-W error` makes a
            // failure.
            plan = plan.env("HYPOTHESIS_STORAGE_DIRECTORY", "/tmp/.hypothesis");
        }
        let seen = if view.is_writable {
            Bind::write(&view.folder)
        } else {
            Bind::read(&view.folder)
        };
        plan = view
            .around
            .put_into(plan.bind(seen.at(&environment.checkout)));
        plan.limits = Limits {
            memory_bytes: Some(MEMORY_BYTES * 2),
            n_tasks: N_TASKS * 4,
            tmp_bytes: 512 << 20,
            ..Limits::default()
        };
        plan
    }

    /// Starts a process; `order` has its further settings.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(
        &self,
        view: &ProjectView,
        mode: Mode,
        order: Value,
        monitor: &Monitor,
    ) -> Result<Server, RunnerError> {
        let program = write_program(self.site)?;
        let plan = self.plan(view).args([&program]).bind(Bind::read(&program));
        let mut order = order;
        let is_alone = self.site.sandbox.tool().name() != "none";
        let fields = [
            ("mode", json!(mode.as_str())),
            ("root", json!(self.environment.checkout)),
            ("addopts", json!(self.environment.addopts)),
            ("sources", json!(self.environment.sources)),
            ("omit", json!(self.environment.test_files)),
            ("is_alone", json!(is_alone)),
            ("is_private", json!(true)),
        ];
        for (name, value) in fields {
            order[name] = value;
        }
        if matches!(mode, Mode::Serve | Mode::Fresh) {
            order["limits"] = json!({
            "AS": MEMORY_BYTES, "FSIZE": FILE_BYTES, "CORE": 0,
            });
            if is_alone {
                // Only with a namespace of its own: otherwise all processes of the user would count.
                order["limits"]["NPROC"] = json!(N_TASKS);
            }
        }
        // No code of the project has run yet, so a kill came from outside.
        let was_killed =
            |result: &Result<_, _>| matches!(result, Err((ProgramEnd::Signalled(KILL), _)));
        let started = again_if_killed(|| self.spawn(&plan, monitor), was_killed)?;
        let mut server =
            started.map_err(|(end, said)| strange(format!("{} {said}", word_of(end))))?;
        server.say(&order);
        Ok(server)
    }

    /// Starts a program and waits for its first line; the inner error says how it ended without one, with its output.
    fn spawn(
        &self,
        plan: &ProgramPlan,
        monitor: &Monitor,
    ) -> Result<Result<Server, (ProgramEnd, String)>, RunnerError> {
        let mut resident = self.site.sandbox.spawn(plan)?;
        let lines = resident.lines(N_LINE_MAX);
        let next = Box::new(move |time| match lines.recv_timeout(time) {
            Ok(OutputLine::Whole(line) | OutputLine::Part(line)) => NextOutput::Line(line),
            Err(error) if error.is_timeout() => NextOutput::Nothing,
            Err(_) => NextOutput::Over,
        });
        let prefix = Vec::new();
        let mut server = Server {
            resident,
            lines: ServerLines { prefix, next },
        };
        match server.wait(TO_START, monitor)? {
            ServerReply::Answer(hello) => {
                let hello: ServerHello =
                    serde_json::from_value(hello).map_err(|_| strange(server.output_text()))?;
                server.lines.prefix = hello.hello.into_bytes();
            }
            ServerReply::Ended(end) => return Ok(Err((end, server.output_text()))),
            ServerReply::Strange(_) => return Ok(Err((ProgramEnd::Stopped, server.output_text()))),
        }
        Ok(Ok(server))
    }
}

/// Writes the program to a folder, and returns its path.
fn write_program(site: &Site) -> Result<PathBuf, RunnerError> {
    let folder = site.sandbox.scratch()?;
    let path = folder.join("server.py");
    let written = Root::open(&folder).and_then(|root| root.write("server.py", PROGRAM));
    written.map_err(io_error(&path))?;
    Ok(path)
}

impl Server {
    /// Writes a line to the process; where that fails, it has ended, which the next answer reports.
    fn say(&mut self, what: &Value) {
        if let Some(input) = &mut self.resident.input {
            let _ = writeln!(input, "{what}");
        }
    }

    /// Waits until a session has loaded everything; returns how many threads and processes it has besides itself, or
    /// why it did not start. A session that its children could look into is refused.
    ///
    /// # Errors
    /// Cancelled.
    pub fn ready(&mut self, monitor: &Monitor) -> Result<Result<u64, UnreadyReason>, RunnerError> {
        match self.wait(TO_START, monitor)? {
            ServerReply::Answer(answer) if answer["ready"] == json!(true) => {
                if answer["closed"] != json!(true) {
                    let said = "its interpreter has no `ctypes`, so the processes that it forks can interfere with it";
                    return Ok(Err(UnreadyReason::Said(said.to_owned())));
                }
                Ok(Ok(answer["others"].as_u64().unwrap_or(0)))
            }
            ServerReply::Ended(ProgramEnd::Signalled(KILL)) => Ok(Err(UnreadyReason::Killed)),
            ServerReply::Answer(_) | ServerReply::Ended(_) | ServerReply::Strange(_) => {
                Ok(Err(UnreadyReason::Said(self.last_words(monitor))))
            }
        }
    }

    /// Asks for one file to be run; the question says which.
    ///
    /// # Errors
    /// Cancelled.
    pub fn run(
        &mut self,
        mut question: Value,
        limit: Duration,
        monitor: &Monitor,
    ) -> Result<ServerReply, RunnerError> {
        question["seconds"] = json!(limit.as_secs_f64());
        self.ask(question, limit + GRACE, monitor)
    }

    /// Asks for anything.
    ///
    /// # Errors
    /// Cancelled.
    pub fn ask(
        &mut self,
        mut question: Value,
        limit: Duration,
        monitor: &Monitor,
    ) -> Result<ServerReply, RunnerError> {
        let nonce = json!(nonce());
        question["n"] = nonce.clone();
        self.say(&question);
        let said = self.wait(limit, monitor)?;
        if let ServerReply::Answer(answer) = &said
            && answer["n"] != nonce
        {
            // Each question has one answer, so no line may be waiting now.
            self.resident.stop();
            let is_over = answer.get("failed").is_some();
            return Ok(ServerReply::Strange(if is_over {
                StrangeReply::Over
            } else {
                StrangeReply::Early
            }));
        }
        Ok(said)
    }

    /// Waits for the next thing that it says, and ends it where that takes too long.
    ///
    /// # Errors
    /// Cancelled.
    pub fn wait(&mut self, limit: Duration, monitor: &Monitor) -> Result<ServerReply, RunnerError> {
        self.resident.end_after(Some(limit));
        let until = Instant::now() + limit + TO_START;
        let said = loop {
            monitor.step()?;
            match (self.lines.next)(LOOK) {
                NextOutput::Line(line) => {
                    let Some(text) = line.strip_prefix(self.lines.prefix.as_slice()) else {
                        continue;
                    };
                    if let Ok(answer) = serde_json::from_slice::<Value>(text) {
                        break ServerReply::Answer(answer);
                    }
                    // Only our own program knows the prefix, and it answers once: no other answer will come.
                    if !self.lines.prefix.is_empty() {
                        self.resident.stop();
                        break ServerReply::Strange(StrangeReply::Unreadable);
                    }
                }
                NextOutput::Nothing if Instant::now() < until => {}
                said @ (NextOutput::Nothing | NextOutput::Over) => {
                    let ending = match said {
                        NextOutput::Over => self.resident.stop_soon(),
                        _ => self.resident.stop(),
                    };
                    break ServerReply::Ended(
                        ending.map_or(ProgramEnd::Stopped, |ending| ending.end),
                    );
                }
            }
        };
        self.resident.end_after(None);
        Ok(said)
    }

    /// Measures the processor time that it has used; nothing once it has ended.
    #[must_use]
    pub fn cpu(&self) -> Option<Duration> {
        self.resident.meter().cpu()
    }

    /// Reads its last output, once it has ended.
    pub fn last_words(&mut self, monitor: &Monitor) -> String {
        self.resident.input = None;
        let until = Instant::now() + GRACE;
        while self.resident.ending().is_none() && Instant::now() < until && monitor.step().is_ok() {
            std::thread::park_timeout(LOOK);
        }
        self.output_text()
    }

    /// Reads its output, once nothing of it runs any more.
    fn output_text(&mut self) -> String {
        self.resident.stop();
        self.resident.errors().text().trim().to_owned()
    }
}

/// Makes a random word that the answer to a question has to repeat, so that no answer can be written before the
/// question.
fn nonce() -> String {
    // The system draws the keys of the hash, so nothing can foresee them.
    let draw = || RandomState::new().hash_one(());
    format!("{:016x}{:016x}", draw(), draw())
}

/// Makes the error for a program that broke the protocol.
pub const fn strange(said: String) -> RunnerError {
    RunnerError::Worker {
        what: "program that runs tests",
        said,
    }
}

/// Tells whether the limit on wall-clock time has ended it.
#[must_use]
pub const fn is_late(end: ProgramEnd) -> bool {
    matches!(end, ProgramEnd::Killed(Limit::Wall))
}

/// Tells whether the limit on processor time has ended it.
#[must_use]
pub const fn is_out_of_time(end: ProgramEnd) -> bool {
    matches!(
        end,
        ProgramEnd::Killed(Limit::Cpu) | ProgramEnd::Signalled(XCPU)
    )
}

/// Describes in a few words why there was no answer; nothing where there was one.
#[must_use]
pub fn how_of(said: &ServerReply) -> String {
    match said {
        ServerReply::Answer(_) => String::new(),
        ServerReply::Ended(end) => word_of(*end),
        ServerReply::Strange(strange) => strange.as_str().to_owned(),
    }
}

/// Writes in a word or two how it ended.
#[must_use]
pub fn word_of(end: ProgramEnd) -> String {
    match end {
        ProgramEnd::Exited(code) => format!("exit {code}"),
        ProgramEnd::Signalled(signal) => format!("signal {signal}"),
        ProgramEnd::Killed(Limit::Memory) => "memory".to_owned(),
        ProgramEnd::Killed(Limit::Tasks) => "processes".to_owned(),
        ProgramEnd::Killed(Limit::Cpu) => "processor time".to_owned(),
        ProgramEnd::Killed(Limit::FileSize) => "file size".to_owned(),
        ProgramEnd::Killed(Limit::Wall) => "limit".to_owned(),
        ProgramEnd::Stopped => "stopped".to_owned(),
        ProgramEnd::NotStarted => "not started".to_owned(),
    }
}

/// Tells whether a path stays below the checkout.
#[must_use]
pub fn is_below(path: &Path) -> bool {
    use std::path::Component;
    let is_normal = |component: Component<'_>| matches!(component, Component::Normal(_));
    path.components().next().is_some() && path.components().all(is_normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_times_or_nothing() {
        let check = |steps: Value, expected: &[(EngineStep, u64)]| {
            let found = ServerReply::Answer(json!({"steps": steps})).steps();
            let expected = expected.iter();
            let expected = expected.map(|expected| (expected.0, Duration::from_millis(expected.1)));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{steps}");
        };
        let whole = [
            (EngineStep::Load, 500),
            (EngineStep::Test, 2_000),
            (EngineStep::Coverage, 0),
        ];
        check(json!([0.5, 2, 0]), &whole);
        check(json!([0.5, -1, 0]), &[]);
        check(json!([0.5, 1e300, 0]), &[]);
        check(json!(["0.5", 2, 0]), &[]);
        check(json!({"load": 0.5}), &[]);
        check(Value::Null, &[]);
        assert_eq!(ServerReply::Ended(ProgramEnd::Stopped).steps(), []);
    }
}
