//! The savings of a forking server: processor seconds of the same test files, run by the server and by a fresh session
//! each, in one execution.
//!
//! ```text
//! focalist prepare ~/src/click
//! cargo bench --bench python -- click [N]                N problems of the suite, 40 where none is said
//! ```
//!
//! The processor time of this process and all processes inside is counted with a separate control group; where none can
//! be created, wall-clock time is used, and the output says so. A fresh session is like `pytest --cov`: a sandbox, an
//! interpreter, pytest with the project's plugins and conftests, and `coverage` from the start.

#[path = "frame/console.rs"]
mod console;

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};
use std::time::{Duration, Instant};

use focalist::runner::Site;
use focalist::runner::python::{CaseRunner, Environment, ProcessKind, PythonCase, run_cases};
use focalist::sandbox::{Sandbox, SandboxChoice, Tool};
use focalist::task::Monitor;
use serde_json::Value;

use console::{arguments, print};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The compared ways, and how many times faster the first has to be than the second.
const BUDGETS: [(&str, bool, f64); 2] = [
    (
        "lines of a case, server : fresh session with coverage",
        true,
        8.0,
    ),
    ("outcome only, server : fresh session", false, 12.0),
];
/// The limit for a server's start, as a multiple of a fresh session that collects one test.
const START_MAX: f64 = 2.0;

#[expect(
    clippy::print_stderr,
    reason = "a tool of developers says what is wrong"
)]
fn main() -> ExitCode {
    let arguments = arguments().unwrap_or_default();
    let Some(name) = arguments.first() else {
        eprintln!("skipped: name a prepared project, `cargo bench --bench python -- click`");
        return ExitCode::SUCCESS;
    };
    let n = arguments
        .get(1)
        .and_then(|argument| argument.parse().ok())
        .unwrap_or(40);
    match bench(name, n) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(name: &str, n: usize) -> Result<bool> {
    let cache = cache()?;
    let environment = Environment::find(&cache, name).ok_or("the project is not prepared")?;
    let tool = Tool::find(
        SandboxChoice::Auto,
        &env::var_os("PATH").unwrap_or_default(),
    )?;
    let site = Site {
        sandbox: Sandbox::open(&cache.join("sandbox"), tool)?,
        cache,
        is_offline: true,
    };
    let cases = problems(name, n)?;
    let meter = Meter::new();
    let world = (&site, &environment);
    print(&format!(
        "{name}: {} problems, sandbox {}, {}",
        cases.len(),
        site.sandbox.tool().name(),
        meter.name()
    ));
    let mut is_met = true;
    for (what, has_lines, least) in BUDGETS {
        let took = |how| meter.seconds(world, &cases, (how, has_lines));
        let (server, fresh) = (took(ProcessKind::Fork)?, took(ProcessKind::Fresh)?);
        let ratio = fresh / server;
        is_met &= ratio >= least;
        print(&format!(
            "{what}: {server:.2} s : {fresh:.2} s, {ratio:.1} times less (at least {least})"
        ));
    }
    let folder = cases.first().map_or("", |case| case.path.as_str());
    let folder = folder.rsplit_once('/').map_or("", |pair| pair.0);
    let slash = if folder.is_empty() { "" } else { "/" };
    let one = [PythonCase {
        path: format!("{folder}{slash}tmp_focalist_bench.py"),
        code: Some("def test():\n    assert True\n".to_owned()),
        ..PythonCase::default()
    }];
    let took = |how| meter.seconds(world, &one, (how, false));
    let (server, fresh) = (took(ProcessKind::Fork)?, took(ProcessKind::Fresh)?);
    is_met &= server <= fresh * START_MAX;
    print(&format!(
        "server start with one test : fresh session with it: {server:.2} s : {fresh:.2} s, {:.1} times (at most {START_MAX})",
        server / fresh
    ));
    Ok(is_met)
}

fn cache() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("FOCALIST_CACHE") {
        return Ok(folder.into());
    }
    let home = env::var_os("HOME").ok_or("there is no home directory")?;
    Ok(PathBuf::from(home).join(".cache/focalist"))
}

/// Returns problems of one folder that `clover extract` has verified: a server serves one folder.
fn problems(name: &str, n: usize) -> Result<Vec<PythonCase>> {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(["clover", "extract", name, "--json"])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut found: Vec<PythonCase> = Vec::new();
    let mut folders = BTreeSet::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)?;
        let is_passing = value["outcome"] == "passing" && value["verified"] == true;
        if let (true, Some(path), Some(code)) =
            (is_passing, value["path"].as_str(), value["code"].as_str())
        {
            let folder = path.rsplit_once('/').map_or("", |pair| pair.0).to_owned();
            folders.insert(folder.clone());
            if folders.len() == 1 {
                found.push(PythonCase {
                    path: path.to_owned(),
                    code: Some(code.to_owned()),
                    ..PythonCase::default()
                });
            }
        }
    }
    // Spread over the whole suite.
    let step = (found.len() / n.max(1)).max(1);
    Ok(found.into_iter().step_by(step).take(n).collect())
}

/// How time is measured.
struct Meter {
    /// A file with processor time, and the number of its units per second.
    group: Option<(PathBuf, f64)>,
    started: Instant,
}

impl Meter {
    /// Creates a control group and joins it; processes that are started later belong to it, too.
    fn new() -> Self {
        let name = format!("focalist-bench-{}", process::id());
        let first = Path::new("/sys/fs/cgroup/cpuacct").join(&name);
        let second = Path::new("/sys/fs/cgroup").join(&name);
        let made = [
            (first.clone(), "tasks", first.join("cpuacct.usage"), 1e9),
            (second.clone(), "cgroup.procs", second.join("cpu.stat"), 1e6),
        ];
        let group = made.into_iter().find_map(|(folder, members, file, units)| {
            // The kernel creates files in a new folder only where control groups are mounted.
            fs::create_dir(&folder).ok()?;
            let joined = fs::write(folder.join(members), process::id().to_string());
            if joined.is_ok() && file.is_file() {
                return Some((file, units));
            }
            let _ = fs::remove_dir(&folder);
            None
        });
        Self {
            group,
            started: Instant::now(),
        }
    }

    const fn name(&self) -> &'static str {
        match self.group {
            Some(_) => "processor seconds",
            None => "seconds by the clock",
        }
    }

    fn now(&self) -> Result<f64> {
        let Some((file, units)) = &self.group else {
            return Ok(self.started.elapsed().as_secs_f64());
        };
        let text = fs::read_to_string(file)?;
        // Either a number, or lines of which the first is `usage_usec NUMBER`.
        let number = text.lines().next().unwrap_or_default();
        let number = number.rsplit(' ').next().unwrap_or_default();
        Ok(number.parse::<f64>()? / units)
    }

    /// Measures the seconds that cases take.
    fn seconds(
        &self,
        world: (&Site, &Environment),
        cases: &[PythonCase],
        what: (ProcessKind, bool),
    ) -> Result<f64> {
        let running = CaseRunner {
            how: what.0,
            limit: Duration::from_secs(60),
            n_jobs: 1,
            has_lines: what.1,
            is_checked: false,
            ..CaseRunner::default()
        };
        let before = self.now()?;
        let monitor = Monitor::default();
        run_cases(world.0, world.1, cases, &running, &monitor, &mut |_, _| {
            Ok(())
        })?;
        Ok(self.now()? - before)
    }
}
