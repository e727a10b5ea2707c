//! Training as a job: the separate training program is found, followed through its log, and stopped with a checkpoint.
//!
//! That program is compiled separately, so a script with the same contract stands in for it here. The program's own
//! tests check its side of the contract.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use focalist::cli::ExitCode;
use focalist::model::{JobKind, JobState};

use crate::jobs::{row, success, wait, wait_for_end, wait_until};
use crate::support::Place;

/// Prints its arguments, logs a step, and ends with a checkpoint when its stdin ends.
const PROGRAM: &str = r#"#!/bin/sh
echo "$@" > called
mkdir -p out
echo '{"event":"step","step":10,"tokens":4096,"loss":2.5,"learning_rate":0.001,"tokens_per_second":512}' >> out/log.jsonl
echo 'step 10  loss 2.5000  512 tokens/s' >&2
case "$*" in
*broken*) echo 'error: the loss of step 11 is NaN' >&2; exit 1 ;;
*--minutes*) exit 0 ;;
esac
cat > /dev/null
echo whole > out/checkpoint.bin
echo 'stopped, `--resume` continues' >&2
"#;

/// Creates a workspace with a first job, and a training program.
fn place() -> Place {
    let place = Place::new();
    let repo = place.counter("a");
    place.run(&["mine", &repo]).success();
    put(&place.path("bin/focalist-baseline"));
    place
}

fn put(path: &Path) {
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
    fs::write(path, PROGRAM).expect("it can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

const FILES: [&str; 8] = [
    "--train",
    "t.jsonl",
    "--validation",
    "v.jsonl",
    "--vocabulary",
    "vocabulary.json",
    "--output",
    "out",
];

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["train"], FILES.as_slice(), more].concat()
}

#[test]
fn a_training_that_is_stopped_leaves_a_checkpoint_and_goes_on() {
    let place = place();
    let more = [
        "--program",
        "bin/focalist-baseline",
        "--set",
        "batch-tokens=2048",
        "--background",
    ];
    success(&place, &asked(&more));
    let is_far = |job_row: &focalist::model::JobRow| job_row.progress.phase.contains("step 10");
    let training = wait(&place, 2, "a step", is_far);
    assert_eq!(training.kind, JobKind::Train);
    assert_eq!(
        training.progress.phase,
        "training · step 10 · loss 2.500 · 512 tokens/s"
    );
    let checkpoint = place.path("out/checkpoint.bin");
    assert!(!checkpoint.exists());
    success(&place, &["jobs", "cancel", "2"]);
    assert_eq!(row(&place, 2).state, JobState::Cancelled);
    assert!(checkpoint.exists());
    let called = fs::read_to_string(place.path("called")).expect("it was called");
    assert_eq!(
        called.trim_end(),
        "train --resume --until-eof --train t.jsonl --validation v.jsonl --vocabulary vocabulary.json --output out \
         --config small --batch-tokens=2048"
    );
    let log = success(&place, &["jobs", "log", "2"]);
    assert!(log.contains("step 10  loss 2.5000"), "{log}");
    success(&place, &["jobs", "resume", "2"]);
    // Older lines of the log are not news: the next line is.
    wait(&place, 3, "a step", |job_row| {
        job_row.progress.phase.contains("step 10")
    });
    success(&place, &["jobs", "cancel", "3"]);
}

#[test]
fn a_training_whose_job_is_killed_ends_with_a_checkpoint() {
    let place = place();
    let more = ["--program", "bin/focalist-baseline", "--background"];
    success(&place, &asked(&more));
    let training = wait(&place, 2, "a step", |job_row| {
        job_row.progress.phase.contains("step 10")
    });
    crate::jobs::kill(&training);
    assert_eq!(wait_for_end(&place, 2).state, JobState::Stopped);
    // Nobody holds its stdin any more.
    wait(&place, 2, "the checkpoint", |_| {
        place.path("out/checkpoint.bin").exists()
    });
}

#[test]
fn a_test_that_goes_ends_the_job_and_the_program_that_it_started() {
    let place = place();
    let more = ["--program", "bin/focalist-baseline", "--background"];
    success(&place, &asked(&more));
    let training = wait(&place, 2, "a step", |job_row| {
        job_row.progress.phase.contains("step 10")
    });
    let job = training.pid.expect("it has a process");
    assert!(!in_session(job).is_empty());
    drop(place);
    wait_until("the end of all", || in_session(job).is_empty());
}

/// Returns the names of a session's running processes.
fn in_session(leader: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("there is a list of processes");
    let living = processes.flatten().filter_map(|process| {
        // One that ends meanwhile is none. Behind the name stand state, parent, group and session.
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let (name, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let is_living = fields[0] != "Z" && fields[3] == leader.to_string();
        is_living.then(|| name.to_owned())
    });
    living.collect()
}

#[test]
fn what_the_program_says_last_is_why_it_failed() {
    let place = place();
    let program = place.path("bin/focalist-baseline");
    let program = program.to_string_lossy();
    let output = place.path("out");
    let output = output.to_string_lossy();
    let outcome = run(
        &place,
        &place.path("bin/none"),
        &[
            "train",
            "--train",
            "broken",
            "--validation",
            "v",
            "--vocabulary",
            "v",
            "--output",
            &output,
            "--program",
            &program,
        ],
    );
    assert_eq!(outcome.0, Some(ExitCode::Problems as i32));
    assert!(
        outcome.1.contains("error: the loss of step 11 is NaN"),
        "{}",
        outcome.1
    );
}

#[test]
fn where_the_program_is_not_one_hears_how_to_get_it() {
    let place = place();
    // A copy of this program has no other one beside it.
    let (code, said) = run(&place, &place.path("none"), &asked(&[]));
    assert_eq!(code, Some(ExitCode::Outside as i32), "{said}");
    assert!(
        said.contains("neither beside focalist nor in `$PATH`")
            && said.contains("--manifest-path src/baseline/Cargo.toml"),
        "{said}"
    );
    let (code, said) = run(
        &place,
        &place.path("none"),
        &asked(&["--program", "nowhere"]),
    );
    assert_eq!(code, Some(ExitCode::Usage as i32), "{said}");
    // In `$PATH` it is found.
    let (code, said) = run(&place, &place.path("bin"), &asked(&["--minutes", "1"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("step 10"), "{said}");
}

/// Runs a copy of the program, with one folder in `$PATH`, and returns its code and messages.
fn run(place: &Place, path: &Path, args: &[&str]) -> (Option<i32>, String) {
    let copy: PathBuf = place.path("alone/focalist");
    fs::create_dir_all(place.path("alone")).expect("it can be made");
    let own = env!("CARGO_BIN_EXE_focalist");
    if !copy.exists() && fs::hard_link(own, &copy).is_err() {
        fs::copy(own, &copy).expect("there is room");
    }
    let search = format!("{}:/usr/bin:/bin", path.display());
    let output = Command::new(copy)
        .args(["--config", "/dev/null"])
        .args(args)
        .current_dir(place.path(""))
        .env("FOCALIST_WORKSPACE", place.path(""))
        .env("PATH", search)
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started");
    let said = String::from_utf8(output.stderr).expect("the program writes UTF-8");
    (output.status.code(), said)
}
