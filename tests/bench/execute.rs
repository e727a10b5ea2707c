//! The cost of a candidate, by engine: seconds, as ratios in one execution on an idle machine. Processor time would be
//! better, but the processor time of processes that end inside a sandbox is not reported to their starter.
//!
//! ```text
//! FOCALIST_EXECUTE=path/to/commons-csv cargo bench --bench execute
//! ```
//!
//! The true tests of the project run with the engine `fast`, all at once; with the project's own Maven in batches, the
//! loop of Tests4J; and some of them with one call of Maven each (`FOCALIST_ALONE`, a filter, else `key:0`). The cost
//! of building is not included: the build is made before. Each engine runs twice, with different numbers of tests, to
//! separate the cost of starting.

#[path = "frame/console.rs"]
mod console;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::Value;

use console::{arguments, print};

struct Bench {
    workspace: tempfile::TempDir,
    project: PathBuf,
}

/// The cost of one call.
struct Cost {
    seconds: f64,
    n_candidates: u64,
}

impl Cost {
    fn each(&self) -> f64 {
        self.seconds / (self.n_candidates.max(1) as f64)
    }
}

impl Bench {
    fn run(&self, arguments: &[&str]) -> (String, f64) {
        let before = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
            .arg("--workspace")
            .arg(self.workspace.path())
            .args(["--config", "/dev/null"])
            .args(arguments)
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
        (text, before.elapsed().as_secs_f64())
    }

    fn execute(&self, arguments: &[&str]) -> Cost {
        let asked = ["execute", "--truth", "--json", "--force"];
        let (text, seconds) = self.run(&[&asked[..], arguments].concat());
        let line = text.lines().next().expect("there is a run");
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let projects = line["projects"].as_array().expect("a list");
        let ran = projects
            .iter()
            .filter_map(|project| project["n_run"].as_u64());
        Cost {
            seconds,
            n_candidates: ran.sum(),
        }
    }
}

fn tell(name: &str, cost: &Cost, fast: f64) {
    print(&format!(
        "{name:28} {:5} candidates {:8.2} s {:8.4} each {:7.1} x fast",
        cost.n_candidates,
        cost.seconds,
        cost.each(),
        cost.each() / fast
    ));
}

fn main() -> ExitCode {
    let project = std::env::var_os("FOCALIST_EXECUTE").map(PathBuf::from);
    let Some(project) = project.filter(|_| arguments().is_some()) else {
        return ExitCode::SUCCESS;
    };
    let bench = Bench {
        workspace: tempfile::tempdir().expect("a temporary folder can be made"),
        project,
    };
    let root = path(&bench.project);
    bench.run(&["mine", &root, "--language", "java"]);
    bench.run(&["prepare", &root]);
    let some = std::env::var("FOCALIST_ALONE").unwrap_or_else(|_| "key:0".to_owned());
    // The first call creates the files that all later calls use.
    bench.execute(&["--filter", &some]);
    let part = bench.execute(&["--filter", &some]);
    let all = bench.execute(&[]);
    let further = Cost {
        seconds: all.seconds - part.seconds,
        n_candidates: all.n_candidates - part.n_candidates,
    };
    let fast = all.each();
    tell("fast, all", &all, fast);
    tell("fast, a part", &part, fast);
    tell("fast, each further one", &further, fast);
    tell(
        "maven, all in batches",
        &bench.execute(&["--engine", "maven"]),
        fast,
    );
    let alone = ["--engine", "maven", "--alone", "--filter", &some];
    tell("maven, a call each", &bench.execute(&alone), fast);
    ExitCode::SUCCESS
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
