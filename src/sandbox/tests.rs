//! What foreign code may and may not do: every rule is tested with a program that tries to break it.
//!
//! They need `bwrap`. Where it is missing they say so and pass, unless `FOCALIST_NEED_TOOLS` is set.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::task::Monitor;

use super::*;

mod bare;
mod calls;
mod ends;
mod guest;
mod limits;
mod networks;
mod talk;
mod walls;

/// The time limit for something that should happen at once, on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// A sandbox and its folder.
struct House {
    folder: TempDir,
    sandbox: Sandbox,
}

/// Opens a sandbox; where that is impossible, reports it and returns nothing.
fn house() -> Option<House> {
    let path = env::var_os("PATH").expect("there is a path");
    match Tool::find(SandboxChoice::Auto, &path) {
        Ok(tool) => Some(House::new(tool)),
        Err(error) => {
            let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
            assert!(!is_needed, "{error}");
            // Without `eprintln!`, whose output the test harness hides when a test passes.
            writeln!(io::stderr(), "skipped: {error}").expect("stderr can be written");
            None
        }
    }
}

impl House {
    fn new(tool: Tool) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let sandbox = Sandbox::open(folder.path(), tool).expect("it opens");
        Self { folder, sandbox }
    }

    fn run(&self, plan: &ProgramPlan) -> FinishedProgram {
        let finished = self.sandbox.run(plan, b"", &Monitor::default());
        finished.expect("it runs")
    }

    /// Runs a script and returns its end and its output.
    fn shell(&self, script: &str) -> (ProgramEnd, String) {
        let finished = self.run(&shell(script));
        let said = finished.output.text() + &finished.errors.text();
        (finished.ending.end, said)
    }
}

fn shell(script: &str) -> ProgramPlan {
    ProgramPlan::new("sh").args(["-c", script])
}

/// Plans one of [`guest`]'s parts.
fn guest(part: &str) -> ProgramPlan {
    let own = env::current_exe().expect("a test has a file");
    ProgramPlan::new("/guest")
        .args(["--exact", "tests::guest::plays_its_part", "--nocapture"])
        .env(guest::PART, part)
        .bind(Bind::read(own).at("/guest"))
}

/// Waits until a condition holds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::yield_now();
    }
}

/// Tells whether no process that was started from a folder is alive.
fn is_quiet(folder: &Path) -> bool {
    let locks = fs::read_dir(folder).expect("the folder is there");
    let tokens = locks.filter_map(|lock| lock.ok()?.file_name().into_string().ok());
    tokens
        .filter_map(|token| Some(token.strip_suffix(".lock")?.to_owned()))
        .all(|token| tree::holding(&token).is_empty())
}
