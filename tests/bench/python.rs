//! What a server that forks saves: processor seconds of the same test files, run by it and by a fresh session each, in one run.
//!
//! ```text
//! focalist prepare ~/src/click
//! cargo bench --bench python -- click [N]                N problems of the suite, 40 where none is said
//! ```
//!
//! Counted is what all processes inside took, as the system tells of those that ended. A fresh session is what `pytest --cov`
//! is: a sandbox, an interpreter, pytest with the project's plugins and conftests, and `coverage` from the start.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use focalist::runner::Site;
use focalist::runner::python::{Case, Environment, How, Running, run_cases};
use focalist::sandbox::{Choice, Sandbox, Tool};
use focalist::task::Monitor;
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What is compared, and how many times less the first has to take than the second.
const BUDGETS: [(&str, bool, f64); 2] = [
    (
        "lines of a case, server : fresh session with coverage",
        true,
        8.0,
    ),
    ("outcome only, server : fresh session", false, 12.0),
];
/// How many times a fresh session that collects one test a server's start may take.
const START_MAX: f64 = 2.0;

fn main() -> ExitCode {
    // What `cargo bench` adds is no name.
    let arguments: Vec<String> = env::args()
        .skip(1)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let Some(name) = arguments.first() else {
        eprintln!("skipped: name a prepared project, `cargo bench --bench python -- click`");
        return ExitCode::SUCCESS;
    };
    let n = arguments
        .get(1)
        .and_then(|it| it.parse().ok())
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
    let tool = Tool::find(Choice::Auto, &env::var_os("PATH").unwrap_or_default())?;
    let site = Site {
        sandbox: Sandbox::open(&cache.join("sandbox"), tool)?,
        cache,
        is_offline: true,
    };
    let cases = problems(name, n)?;
    println!(
        "{name}: {} problems, sandbox {}",
        cases.len(),
        site.sandbox.tool().name()
    );
    let mut is_met = true;
    for (what, has_lines, least) in BUDGETS {
        let took = |how| seconds(&site, &environment, &cases, how, has_lines);
        let (server, fresh) = (took(How::Fork)?, took(How::Fresh)?);
        let ratio = fresh / server;
        is_met &= ratio >= least;
        println!("{what}: {server:.2} s : {fresh:.2} s, {ratio:.1} times less (at least {least})");
    }
    let folder = cases.first().map_or("", |it| it.path.as_str());
    let folder = folder.rsplit_once('/').map_or("", |it| it.0);
    let slash = if folder.is_empty() { "" } else { "/" };
    let one = [Case {
        path: format!("{folder}{slash}tmp_focalist_bench.py"),
        code: Some("def test():\n    assert True\n".to_owned()),
        focal: None,
    }];
    let took = |how| seconds(&site, &environment, &one, how, false);
    let (server, fresh) = (took(How::Fork)?, took(How::Fresh)?);
    is_met &= server <= fresh * START_MAX;
    println!(
        "server start with one test : fresh session with it: {server:.2} s : {fresh:.2} s, {:.1} times (at most {START_MAX})",
        server / fresh
    );
    Ok(is_met)
}

fn cache() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("FOCALIST_CACHE") {
        return Ok(folder.into());
    }
    let home = env::var_os("HOME").ok_or("there is no home directory")?;
    Ok(PathBuf::from(home).join(".cache/focalist"))
}

/// Returns problems of one folder, as `clover extract` has verified them: a server is for a folder.
fn problems(name: &str, n: usize) -> Result<Vec<Case>> {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(["clover", "extract", name, "--json"])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut found: Vec<Case> = Vec::new();
    let mut folders = BTreeSet::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)?;
        let is_passing = value["outcome"] == "passing" && value["verified"] == true;
        if let (true, Some(path), Some(code)) =
            (is_passing, value["path"].as_str(), value["code"].as_str())
        {
            let folder = path.rsplit_once('/').map_or("", |it| it.0).to_owned();
            folders.insert(folder.clone());
            if folders.len() == 1 {
                found.push(Case {
                    path: path.to_owned(),
                    code: Some(code.to_owned()),
                    focal: None,
                });
            }
        }
    }
    // From all over the suite.
    let step = (found.len() / n.max(1)).max(1);
    Ok(found.into_iter().step_by(step).take(n).collect())
}

/// Returns the processor seconds that cases take.
fn seconds(
    site: &Site,
    environment: &Environment,
    cases: &[Case],
    how: How,
    has_lines: bool,
) -> Result<f64> {
    let running = Running {
        how,
        limit: Duration::from_secs(60),
        n_jobs: 1,
        has_lines,
        is_checked: false,
    };
    let before = ended()?;
    let monitor = Monitor::default();
    run_cases(site, environment, cases, &running, &monitor, &mut |_, _| {
        Ok(())
    })?;
    Ok(ended()? - before)
}

/// Returns the processor seconds of all processes that ended, of those that we started.
fn ended() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything: `cutime` and `cstime` are the 14th and 15th of the rest.
    let rest = text
        .rsplit_once(')')
        .ok_or("the system tells nothing of us")?
        .1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |idx: usize| fields.get(idx).and_then(|it| it.parse::<f64>().ok());
    let both = ticks(13)
        .zip(ticks(14))
        .ok_or("the system tells nothing of us")?;
    // A hundred a second, whatever the kernel's own clock does.
    Ok((both.0 + both.1) / 100.0)
}
