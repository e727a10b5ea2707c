//! Pipelines as processes: they run in the background, queue up, are cancelled, killed and resumed.
//!
//! Every job here is a separate process. No step waits for a fixed time: each waits for a state in the table of jobs,
//! and fails after a deadline.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use focalist::cli::ExitCode;
use focalist::job::Jobs;
use focalist::model::{JobId, JobKind, JobRow, JobState};
use focalist::store::{Store, StoreAccess};
use rusqlite::Connection;

use crate::pty::Session;
use crate::support::{COUNTER, COUNTER_TEST, Place, sample_data};

/// The deadline. Only a failing test waits this long; it must exceed every delay of a busy machine.
const DEADLINE: Duration = Duration::from_secs(600);
/// The interval between two checks.
const LOOK: Duration = Duration::from_millis(3);

pub(crate) fn is_slow() -> bool {
    std::env::var_os("FOCALIST_SLOW").is_some()
}

pub(crate) fn workspace(place: &Place) -> PathBuf {
    place.path(".focalist")
}

fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
    command
        .args(args)
        .current_dir(place.path(""))
        // Keeps out the settings of the user who runs the tests. Not with an option, which a job would keep.
        .env("XDG_CONFIG_HOME", place.path("no-settings"))
        .env("FOCALIST_WORKSPACE", place.path(""))
        .stdin(Stdio::null());
    command
}

/// Runs the program as a process.
fn output(place: &Place, args: &[&str]) -> Output {
    command(place, args)
        .output()
        .expect("the program can be started")
}

/// Runs the program as a process that succeeds, and returns its standard output.
pub(crate) fn success(place: &Place, args: &[&str]) -> String {
    let output = output(place, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the program writes UTF-8")
}

/// Runs the program as a process that ends with a code, and returns its messages.
fn failure(place: &Place, args: &[&str], code: ExitCode) -> String {
    let output = output(place, args);
    assert_eq!(
        output.status.code(),
        Some(code as i32),
        "{args:?}: {output:?}"
    );
    String::from_utf8(output.stderr).expect("the program writes UTF-8")
}

pub(crate) fn rows(place: &Place) -> Vec<JobRow> {
    let mut jobs = Jobs::open_or_empty(&workspace(place)).expect("the table opens");
    jobs.rows().expect("the table is read")
}

pub(crate) fn row(place: &Place, id: i64) -> JobRow {
    let rows = rows(place);
    let found = rows.into_iter().find(|row| row.id == JobId(id));
    found.expect("the job is there")
}

/// Waits until a job meets a condition, and returns it.
pub(crate) fn wait(place: &Place, id: i64, what: &str, is_so: impl Fn(&JobRow) -> bool) -> JobRow {
    let end = Instant::now() + DEADLINE;
    let mut jobs = Jobs::open_or_empty(&workspace(place)).expect("the table opens");
    loop {
        let row = jobs.row(JobId(id)).ok();
        if let Some(row) = row.as_ref().filter(|job_row| is_so(job_row)) {
            return row.clone();
        }
        assert!(Instant::now() < end, "waited in vain: {what}; {row:?}");
        thread::sleep(LOOK);
    }
}

/// Waits until a condition that is not about a job holds.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        thread::sleep(LOOK);
    }
}

pub(crate) fn wait_for_end(place: &Place, id: i64) -> JobRow {
    wait(place, id, "its end", |job_row| !job_row.state.is_alive())
}

fn log(place: &Place, id: i64) -> String {
    success(place, &["jobs", "log", &id.to_string()])
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status()
        .expect("`kill` is there");
    assert!(sent.success());
}

pub(crate) fn kill(row: &JobRow) {
    signal(row.pid.expect("it has a process"), "KILL");
}

/// Blocks every writer until it is dropped.
pub(crate) fn hold_the_index(place: &Place) -> Store {
    Store::open(&workspace(place), StoreAccess::Create).expect("nobody writes the index")
}

/// Creates a folder of repositories that take seconds to mine, so that a running job can be observed.
pub(crate) fn repositories(place: &Place) -> String {
    repositories_of(place, if cfg!(debug_assertions) { 40 } else { 400 })
}

pub(crate) fn repositories_of(place: &Place, n_repos: usize) -> String {
    for repo in 0..n_repos {
        for class in 0..8 {
            let name = format!("Counter{class}");
            let renamed = |text: &str| text.replace("Counter", &name);
            let folder = format!("repos/repo{repo:03}/src");
            place.write(
                &format!("{folder}/main/java/p/{name}.java"),
                renamed(COUNTER),
            );
            place.write(
                &format!("{folder}/test/java/p/{name}Test.java"),
                renamed(COUNTER_TEST),
            );
        }
    }
    place.path("repos").to_string_lossy().into_owned()
}

/// Reads all decisions of mining.
fn mined(place: &Place) -> String {
    success(place, &["export", "--all", "--format", "tests"])
}

fn check_index(place: &Place) {
    let conn = Connection::open(workspace(place).join("index.db")).expect("the index opens");
    let found: String = conn
        .query_row("PRAGMA quick_check", [], |row| row.get(0))
        .expect("the index can be checked");
    assert_eq!(found, "ok");
}

#[test]
fn a_job_in_the_background_does_what_it_would_in_the_foreground() {
    let place = Place::new();
    let repos = sample_data("repos");
    let said = success(&place, &["mine", "--background", "--each", &repos]);
    assert_eq!(said, "job 1 started · focalist jobs watch 1\n");
    let followed = success(&place, &["jobs", "watch"]);
    let row = row(&place, 1);
    assert_eq!(
        (row.kind, row.state, row.exit_code),
        (JobKind::Mine, JobState::Done, Some(0))
    );
    assert!(row.is_background && row.started_ms.is_some() && row.ended_ms.is_some());
    assert_eq!(
        row.message,
        "3 repositories: 69 tests, 51 mapped, 48 with an assertion part"
    );
    assert_eq!(row.progress.n_problems, 2);
    assert_eq!(followed, log(&place, 1));
    assert!(followed.contains("quayside: 25 files"), "{followed}");
    let other = Place::new();
    other.run(&["mine", "--each", &repos]).success();
    assert_eq!(mined(&place), mined(&other));
}

#[test]
fn a_job_that_asks_for_what_is_there_is_not_said_to_be_worth_another_try() {
    let place = Place::new();
    success(&place, &["mine", &place.counter("repo")]);
    let file = place.write("answers.txt", "f();\n");
    let file = file.to_string_lossy().into_owned();
    let import = ["import", "--background", &file, "--run", "r"];
    success(
        &place,
        &[&import[..], &["--aligned-with", "status:ok"]].concat(),
    );
    assert_eq!(wait_for_end(&place, 2).state, JobState::Done);
    success(&place, &["jobs", "resume", "2"]);
    assert_eq!(wait_for_end(&place, 3).state, JobState::Failed);
    let watched = output(&place, &["jobs", "watch", "3"]);
    let said = String::from_utf8_lossy(&watched.stderr);
    assert!(said.contains("there is a run `r` already"), "{said}");
    assert!(!said.contains("tries again"), "{said}");
}

#[test]
fn a_job_goes_on_after_its_workspace_moved() {
    let place = Place::new();
    let moved = Place::new();
    let old = place.path("").to_string_lossy().into_owned();
    let repo = place.path("repo").to_string_lossy().into_owned();
    let asked = ["--workspace", &old, "mine", "--background", &repo];
    success(&place, &asked);
    assert_eq!(wait_for_end(&place, 1).state, JobState::Failed);
    fs::rename(place.path(".focalist"), moved.path(".focalist")).expect("a folder can be moved");
    fs::remove_dir_all(place.path("")).expect("it goes");
    moved.counter("repo");
    // It was requested elsewhere: the user who has received the folder is not the one who requested it.
    let refused = failure(&moved, &["jobs", "resume", "1"], ExitCode::Usage);
    assert!(
        refused.contains("not started by you in this workspace"),
        "{refused}"
    );
    let resumed = output(&moved, &["jobs", "resume", "1", "--yes"]);
    assert!(resumed.status.success(), "{resumed:?}");
    let said = String::from_utf8_lossy(&resumed.stderr);
    assert!(said.contains("is gone; the job continues in"), "{said}");
    let row = wait_for_end(&moved, 2);
    assert_eq!(row.state, JobState::Done, "{row:?}");
    assert!(!place.path("").exists());
    assert!(success(&moved, &["repos"]).contains("repo "));
}

/// Adds a row that no user here has requested, as the giver of a folder could.
fn plant(place: &Place, kind: &str, arguments: &[&str]) {
    let arguments = arguments.join("\0") + "\0";
    let folder = place.path("").to_string_lossy().into_owned();
    let conn = Connection::open(workspace(place).join("jobs.db")).expect("the table opens");
    conn.execute(
        "INSERT INTO jobs (kind, arguments, folder, is_background, state, created_ms, heartbeat_ms, ended_ms)
         VALUES (?1, ?2, ?3, 1, 'failed', 0, 0, 0)",
        (kind, arguments.as_bytes(), folder.as_bytes()),
    )
    .expect("a row is added");
}

#[test]
fn a_row_that_somebody_else_made_is_not_run_unasked() {
    let place = Place::new();
    success(&place, &["mine", &place.counter("repo")]);
    let marked = place.path("marked");
    let fetch = format!("touch {} {{url}} {{dir}}", marked.display());
    let ask = "--endpoint=http://127.0.0.1:1/v1";
    plant(&place, "prepare", &["prepare", "repo", "--sandbox", "none"]);
    plant(&place, "mine", &["mine", "--list", "l", "--fetch", &fetch]);
    plant(
        &place,
        "generate",
        &["generate", "--run", "r", ask, "--model", "m"],
    );
    plant(&place, "mine", &["export", "--output", "x"]);
    plant(&place, "mine", &["mine", "repo"]);
    for (id, expected) in [
        ("2", "`--sandbox none` lowers your protection"),
        ("3", "`--fetch` was written by another user"),
        ("4", "`--endpoint` was written by another user"),
        ("5", "is called `mine` and does something else"),
    ] {
        for more in [&[][..], &["--yes"]] {
            let asked = [&["jobs", "resume", id], more].concat();
            let said = failure(&place, &asked, ExitCode::Usage);
            assert!(said.contains(expected), "{said}");
        }
    }
    let said = failure(&place, &["jobs", "resume", "6"], ExitCode::Usage);
    assert!(said.starts_with("`focalist mine repo` in `"), "{said}");
    assert!(
        said.contains("not started by you") && said.contains("resume 6 --yes"),
        "{said}"
    );
    assert_eq!(rows(&place).len(), 6);
    assert!(!marked.exists());
    success(&place, &["jobs", "resume", "6", "--yes"]);
    assert_eq!(wait_for_end(&place, 7).state, JobState::Done);
    // A job that was started here, and one that followed a "yes", need no confirmation.
    success(&place, &["jobs", "resume", "1"]);
    assert_eq!(wait_for_end(&place, 8).state, JobState::Done);
    success(&place, &["jobs", "resume", "7"]);
    assert_eq!(wait_for_end(&place, 9).state, JobState::Done);
}

#[test]
fn a_row_that_was_changed_is_somebody_elses() {
    let place = Place::new();
    success(&place, &["mine", &place.counter("repo")]);
    assert!(row(&place, 1).is_ours);
    let conn = Connection::open(workspace(&place).join("jobs.db")).expect("the table opens");
    let change = "UPDATE jobs SET arguments = CAST('mine' || char(0) || 'x' || char(0) AS BLOB)";
    conn.execute(change, []).expect("the row is changed");
    assert!(!row(&place, 1).is_ours);
    failure(&place, &["jobs", "resume", "1"], ExitCode::Usage);
}

#[test]
fn every_pipeline_in_the_foreground_has_a_row_too() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    place.run(&["export"]).success();
    place
        .run(&["export", "--output", &place.path("x").to_string_lossy()])
        .success();
    place.run(&["leakage"]).success();
    place.run(&["eval"]).failure(ExitCode::Problems);
    let found: Vec<_> = rows(&place)
        .iter()
        .rev()
        .map(|row| (row.kind, row.state))
        .collect();
    assert_eq!(
        found,
        [
            (JobKind::Mine, JobState::Done),
            (JobKind::Export, JobState::Done),
            (JobKind::Leakage, JobState::Done),
            (JobKind::Eval, JobState::Failed),
        ]
    );
    assert!(log(&place, 4).contains("error: no run in the index"));
    let table = success(&place, &["jobs"]);
    assert!(
        table.contains("failed") && table.contains("no run in the index"),
        "{table}"
    );
    assert_eq!(success(&place, &["jobs", "--json"]).lines().count(), 4);
}

#[test]
fn a_command_that_does_not_begin_leaves_no_row() {
    let place = Place::new();
    place.run(&["eval"]).failure(ExitCode::Input);
    place
        .run(&["mine", "--no-such-option"])
        .failure(ExitCode::Usage);
    assert!(!workspace(&place).exists());
    failure(&place, &["eval", "--background"], ExitCode::Input);
    failure(&place, &["export", "--background"], ExitCode::Usage);
    failure(
        &place,
        &["import", "-", "--run", "a", "--background"],
        ExitCode::Usage,
    );
    assert!(!workspace(&place).exists());
}

#[test]
fn a_watcher_ends_with_the_code_of_the_job() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    success(&place, &["eval", "--background"]);
    let said = failure(&place, &["jobs", "watch", "2"], ExitCode::Problems);
    assert!(said.contains("no run in the index"), "{said}");
    assert!(log(&place, 2).contains("focalist import FILE"));
    failure(&place, &["jobs", "watch", "9"], ExitCode::Input);
    failure(&place, &["jobs", "cancel", "2"], ExitCode::Usage);
}

#[test]
fn a_job_is_started_once() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    success(&place, &["mine", "--background", &place.counter("repo")]);
    wait_for_end(&place, 2);
    for id in ["1", "2"] {
        failure(&place, &["--job", id, "mine", "repo"], ExitCode::Usage);
    }
    failure(&place, &["--job", "7", "mine", "repo"], ExitCode::Input);
    assert_eq!(rows(&place).len(), 2);
}

#[test]
fn a_job_in_the_foreground_is_cancelled_from_elsewhere_and_goes_on_in_the_background() {
    let place = Place::new();
    // A job looks every quarter of a second whether it is to stop: it must not be done by then.
    let repos = repositories_of(&place, 240);
    let mut child = command(&place, &["mine", "--each", &repos])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    wait(&place, 1, "some work", |job_row| {
        job_row.progress.n_done > 0
    });
    success(&place, &["jobs", "cancel", "1"]);
    let status = child.wait().expect("the program ends");
    assert_eq!(status.code(), Some(ExitCode::Cancelled as i32));
    let cancelled = row(&place, 1);
    assert_eq!(
        (cancelled.state, cancelled.exit_code),
        (JobState::Cancelled, Some(130))
    );
    let said = success(&place, &["jobs", "resume", "1"]);
    assert!(said.starts_with("job 2 started, job 1 again"), "{said}");
    let resumed = wait_for_end(&place, 2);
    assert_eq!(
        (resumed.state, resumed.retry_of),
        (JobState::Done, Some(JobId(1)))
    );
    assert_eq!(resumed.arguments, cancelled.arguments);
    let other = Place::new();
    other.run(&["mine", "--each", &repos]).success();
    assert_eq!(mined(&place), mined(&other));
}

#[test]
fn a_job_is_resumed_where_it_was_asked_for() {
    let place = Place::new();
    place.counter("inside/repo");
    let mined = command(&place, &["mine", "repo"])
        .current_dir(place.path("inside"))
        .output();
    assert!(mined.expect("the program can be started").status.success());
    // From elsewhere, with another workspace set.
    let elsewhere = Place::new();
    let folder = place.path("").to_string_lossy().into_owned();
    success(&elsewhere, &["--workspace", &folder, "jobs", "resume", "1"]);
    let again = wait_for_end(&place, 2);
    assert_eq!(
        (again.state, again.message.as_str()),
        (JobState::Done, "repo: unchanged")
    );
    assert!(!workspace(&elsewhere).exists());
}

#[test]
fn writers_queue_up_and_a_dead_one_keeps_nobody_waiting() {
    let place = Place::new();
    let index = hold_the_index(&place);
    for name in ["a", "b", "c"] {
        success(&place, &["mine", "--background", &place.counter(name)]);
    }
    for id in 1..=3 {
        assert_eq!(row(&place, id).state, JobState::Queued);
    }
    let said = |id, text: &str| {
        let end = Instant::now() + DEADLINE;
        while !log(&place, id).contains(text) {
            assert!(
                Instant::now() < end,
                "job {id} never said {text}: {}",
                log(&place, id)
            );
        }
    };
    said(1, "waiting for another focalist that writes the index");
    said(2, "waiting for job 1 (mine, process ");
    // Readers do not wait.
    success(&place, &["leakage", "--background"]);
    let searched = wait_for_end(&place, 4);
    assert_eq!(searched.state, JobState::Done);
    assert!(
        searched.message.starts_with("0 near pairs; "),
        "{searched:?}"
    );
    kill(&row(&place, 2));
    wait(&place, 2, "the kernel to notice", |job_row| {
        job_row.state == JobState::Stopped
    });
    drop(index);
    let (first, third) = (wait_for_end(&place, 1), wait_for_end(&place, 3));
    assert_eq!((first.state, third.state), (JobState::Done, JobState::Done));
    assert!(third.started_ms >= first.ended_ms, "one after the other");
    let repos = success(&place, &["repos", "--json"]);
    assert!(
        repos.contains("\"a\"") && repos.contains("\"c\"") && !repos.contains("\"b\""),
        "{repos}"
    );
    let table = success(&place, &["jobs"]);
    assert!(table.contains("stopped"), "{table}");
    let says_how_to_go_on = || {
        let said = output(&place, &["jobs"]).stderr;
        String::from_utf8_lossy(&said).contains("`focalist jobs resume 2` resumes it")
    };
    assert!(says_how_to_go_on());
    let doctor = success(&place, &["doctor"]);
    assert!(doctor.contains("! stopped"), "{doctor}");
    assert!(
        doctor.contains("→ `focalist jobs resume 2` resumes it"),
        "{doctor}"
    );
    success(&place, &["jobs", "resume", "2"]);
    assert_eq!(wait_for_end(&place, 5).state, JobState::Done);
    assert!(!says_how_to_go_on(), "it has gone on");
}

#[test]
fn an_interrupt_leaves_the_queue() {
    let place = Place::new();
    let index = hold_the_index(&place);
    let mut child = command(&place, &["mine", &place.counter("repo")])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    wait(&place, 1, "its process", |job_row| job_row.pid.is_some());
    let end = Instant::now() + DEADLINE;
    while !log(&place, 1).contains("waiting") {
        assert!(Instant::now() < end, "it says that it waits");
    }
    signal(child.id(), "INT");
    let status = child.wait().expect("the program ends");
    assert_eq!(status.code(), Some(ExitCode::Cancelled as i32));
    let row = row(&place, 1);
    assert_eq!((row.state, row.started_ms), (JobState::Cancelled, None));
    drop(index);
}

#[test]
fn many_at_once_make_one_workspace() {
    let place = Place::new();
    let names: Vec<String> = (0..6).map(|n| format!("repo{n}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let repo = place.counter(name);
            command(&place, &["mine", &repo])
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program can be started")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{output:?}");
    }
    let repos = success(&place, &["repos", "--json"]);
    assert_eq!(repos.lines().count(), names.len(), "{repos}");
    let rows = rows(&place);
    assert!(
        rows.iter().all(|row| row.state == JobState::Done),
        "{rows:?}"
    );
    assert_eq!(rows.len(), names.len());
}

#[test]
fn a_job_outlives_the_terminal_it_was_started_from() {
    let place = Place::new();
    let index = hold_the_index(&place);
    let repo = place.counter("repo");
    let session = Session::start_with(&place, &["mine", "--background", &repo], &[]);
    session.wait_for("job 1 started");
    // The terminal is closed; it would not be as long as the job has it open.
    let (status, _) = session.end();
    assert!(status.success());
    let alive = row(&place, 1);
    let pid = alive.pid.expect("it has a process");
    assert_eq!(alive.state, JobState::Queued);
    if let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) {
        // Behind the name in parentheses: state, parent, group, session, terminal (proc(5)); then nice is the 16th.
        let fields: Vec<&str> = stat
            .rsplit(") ")
            .next()
            .unwrap_or_default()
            .split(' ')
            .collect();
        assert_eq!(fields[3], pid.to_string(), "a session of its own");
        assert_eq!(fields[4], "0", "no terminal");
        // The 16th field of this process, which started it, is its own nice value.
        let own = fs::read_to_string("/proc/self/stat").expect("Linux has it");
        let own = own.rsplit(") ").next().unwrap_or_default();
        let own = own
            .split(' ')
            .nth(16)
            .and_then(|part| part.parse::<i32>().ok());
        let nice = own.map(|own| (own + 10).min(19).to_string());
        assert_eq!(nice.as_deref(), Some(fields[16]), "others come first");
    }
    drop(index);
    assert_eq!(wait_for_end(&place, 1).state, JobState::Done);
}

#[test]
fn a_watcher_in_a_terminal_sees_how_far_the_job_is() {
    let place = Place::new();
    let index = hold_the_index(&place);
    success(&place, &["mine", "--background", &place.counter("repo")]);
    let session = Session::start_with(&place, &["jobs", "watch"], &[]);
    session.wait_for("waiting for another focalist");
    session.wait_for("job 1 · queued");
    drop(index);
    session.wait_for("job 1 done: repo: 2 files, 1 test,");
    let (status, screen) = session.end();
    assert!(status.success());
    assert!(!screen.contents().contains("queued"), "the bar is gone");
}

#[test]
fn a_table_that_cannot_be_used_stops_no_verb() {
    let place = Place::new();
    fs::create_dir_all(workspace(&place).join("jobs.db")).expect("a folder can be made");
    let outcome = place.run(&["mine", &place.counter("repo")]);
    assert_eq!(outcome.code, ExitCode::Ok, "{}", outcome.err);
    let n_notes = outcome
        .err
        .matches("`focalist jobs` does not show this one")
        .count();
    assert_eq!(n_notes, 1, "{}", outcome.err);
    let other = Place::new();
    other.write(".focalist/jobs.db", "no database");
    other.run(&["mine", &other.counter("repo")]).success();
    failure(
        &other,
        &["mine", "--background", "repo"],
        ExitCode::Database,
    );
}

#[test]
fn nothing_in_a_log_reaches_the_terminal_as_it_is() {
    let place = Place::new();
    let repo = place.counter("repo");
    let name = OsString::from_vec(b"Red\x1b[31m\xe2\x80\xae.java".to_vec());
    fs::write(place.path("repo/src/main/java/p").join(name), b"\0").expect("a file can be written");
    success(&place, &["mine", "--background", &repo]);
    wait_for_end(&place, 1);
    let bytes =
        fs::read_to_string(workspace(&place).join("logs/job-1.log")).expect("there is a log");
    assert!(bytes.contains("Red⟨001B⟩[31m⟨202E⟩.java"), "{bytes}");
    assert!(
        !bytes.chars().any(|c| c.is_control() && c != '\n'),
        "{bytes:?}"
    );
}

#[test]
fn what_ended_is_cleared_with_its_log() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    success(&place, &["jobs", "clear"]);
    assert_eq!(rows(&place).len(), 1);
    success(&place, &["jobs", "clear", "--days", "0"]);
    assert_eq!(rows(&place), []);
    let logs = fs::read_dir(workspace(&place).join("logs")).expect("the folder is there");
    assert_eq!(logs.count(), 0);
}

#[test]
fn a_killed_mine_is_resumed_to_the_same_samples() {
    let n_kills = if is_slow() { 20 } else { 3 };
    let source = Place::new();
    let repos = repositories(&source);
    source.run(&["mine", "--each", &repos]).success();
    let expected = mined(&source);
    let mut n_stopped = 0;
    for round in 0..n_kills {
        let place = Place::new();
        success(&place, &["mine", "--background", "--each", &repos]);
        let wanted = f64::from(round) / f64::from(n_kills);
        let seen = wait(&place, 1, "its share", |job_row| {
            !job_row.state.is_alive() || job_row.progress.share.unwrap_or(0.0) >= wanted
        });
        if seen.state.is_alive() {
            kill(&seen);
        }
        let ended = wait_for_end(&place, 1);
        n_stopped += i32::from(ended.state == JobState::Stopped);
        // There is none before it has created the index.
        if ended.state == JobState::Stopped && workspace(&place).join("index.db").exists() {
            check_index(&place);
        }
        success(&place, &["jobs", "resume", "1"]);
        let resumed = wait_for_end(&place, 2);
        assert_eq!(resumed.state, JobState::Done, "{}", log(&place, 2));
        check_index(&place);
        assert_eq!(mined(&place), expected, "killed at {wanted}");
    }
    // How many of them came too late is the machine's business.
    assert!(n_stopped > 0, "none of {n_kills} was killed in time");
}

/// Creates a place with a run whose answers take a while to score.
fn with_run(repos: &str) -> Place {
    let place = Place::new();
    place.run(&["mine", "--each", repos]).success();
    let lines = place.run(&["export", "--all"]).success();
    let mut answers = String::new();
    for line in lines.lines() {
        let key = line.split_once(r#""key":""#).expect("a sample has a key").1;
        let key = key.split('"').next().unwrap_or_default();
        for attempt in 0..15 {
            answers.push_str(&format!(
                r#"{{"sample":"{key}","attempt":{attempt},"prediction":"assertEquals({attempt}, once);"}}"#
            ));
            answers.push('\n');
        }
    }
    assert!(answers.lines().count() > 10, "{answers}");
    let file = place.write("answers.jsonl", answers);
    place
        .run(&["import", &file.to_string_lossy(), "--run", "model"])
        .success();
    place
}

#[test]
fn a_killed_evaluation_is_resumed_to_the_same_scores() {
    let n_kills = if is_slow() { 20 } else { 2 };
    let mut n_stopped = 0;
    let source = Place::new();
    let repos = repositories(&source);
    let expected = {
        let place = with_run(&repos);
        success(&place, &["eval"]);
        success(&place, &["runs", "--samples", "--json"])
    };
    for round in 0..n_kills {
        let place = with_run(&repos);
        success(&place, &["eval", "--background"]);
        let wanted = f64::from(round) / f64::from(n_kills);
        let seen = wait(&place, 3, "its share", |job_row| {
            !job_row.state.is_alive() || job_row.progress.share.unwrap_or(0.0) >= wanted
        });
        if seen.state.is_alive() {
            kill(&seen);
        }
        n_stopped += i32::from(wait_for_end(&place, 3).state == JobState::Stopped);
        check_index(&place);
        success(&place, &["jobs", "resume", "3"]);
        let resumed = wait_for_end(&place, 4);
        assert_eq!(resumed.state, JobState::Done, "{}", log(&place, 4));
        let scores = success(&place, &["runs", "--samples", "--json"]);
        assert_eq!(scores, expected, "killed at {wanted}");
    }
    // How many of them came too late is the machine's business.
    assert!(n_stopped > 0, "none of {n_kills} was killed in time");
}

/// Starts a job, kills it a given time after its process appears, resumes it if it had not ended, and returns its last
/// row and whether it was killed in time.
fn killed_and_resumed(place: &Place, args: &[&str], after: Duration) -> (JobRow, bool) {
    success(place, args);
    let id = rows(place)[0].id.0;
    let begun = wait(place, id, "its process", |job_row| {
        job_row.pid.is_some() || !job_row.state.is_alive()
    });
    let seen = Instant::now();
    let last = wait(place, id, "the moment", |job_row| {
        seen.elapsed() >= after || !job_row.state.is_alive()
    });
    if last.state.is_alive() {
        kill(&begun);
    }
    let ended = wait_for_end(place, id);
    if ended.state != JobState::Stopped {
        assert_eq!(ended.state, JobState::Done, "{args:?}: {ended:?}");
        return (ended, false);
    }
    check_index(place);
    success(place, &["jobs", "resume", &id.to_string()]);
    let resumed = wait_for_end(place, rows(place)[0].id.0);
    assert_eq!(resumed.state, JobState::Done, "{args:?}: {resumed:?}");
    check_index(place);
    (resumed, true)
}

/// The approximate duration of the jobs of [`whatever_is_killed_comes_to_the_same_when_it_is_resumed`].
const KILLED_WITHIN: Duration = Duration::from_millis(200);

#[test]
fn whatever_is_killed_comes_to_the_same_when_it_is_resumed() {
    let n_kills = if is_slow() { 10 } else { 2 };
    let source = Place::new();
    let place = with_run(&repositories(&source));
    let n_predictions = |run: &str| {
        let store = Store::open(&workspace(&place), StoreAccess::Read).expect("the index opens");
        let run = store.run(run).expect("runs can be read");
        run.map(|run_row| run_row.n_predictions)
    };
    let exported = place.path("exported.jsonl");
    let [output, answers] =
        [&exported, &place.path("answers.jsonl")].map(|path| path.to_string_lossy().into_owned());
    let expected = (
        n_predictions("model"),
        success(&place, &["export", "--all"]),
        success(&place, &["leakage", "--all", "--json"]),
        success(&place, &["samples", "--limit", "0", "text:once"]),
    );
    let mut n_stopped = 0;
    for round in 0..n_kills {
        let after = KILLED_WITHIN * round / n_kills;
        let mut go = |args: &[&str]| {
            let (row, was_stopped) = killed_and_resumed(&place, args, after);
            n_stopped += u32::from(was_stopped);
            row
        };
        go(&[
            "import",
            "--background",
            &answers,
            "--run",
            "other",
            "--replace",
        ]);
        assert_eq!(n_predictions("other"), expected.0, "killed after {after:?}");
        if exported.exists() {
            fs::remove_file(&exported).expect("it goes");
        }
        go(&["export", "--background", "--all", "--output", &output]);
        let written = fs::read_to_string(&exported).expect("it was written");
        assert!(written == expected.1, "killed after {after:?}");
        let searched = go(&["leakage", "--background", "--all", "--json"]);
        let found = log(&place, searched.id.0);
        assert!(
            found.contains(expected.2.trim_end()),
            "killed after {after:?}"
        );
        for name in ["near.idx", "text.db", "text.db-wal", "text.db-shm"] {
            // There is none in the first round.
            fs::remove_file(workspace(&place).join(name)).ok();
        }
        go(&["index", "--background"]);
        let samples = success(&place, &["samples", "--limit", "0", "text:once"]);
        assert!(samples == expected.3, "killed after {after:?}");
    }
    // How many of them came too late is the machine's business.
    assert!(n_stopped > 0, "none was killed in time");
}

#[test]
fn a_job_that_does_not_hear_is_killed() {
    if !is_slow() {
        return;
    }
    let place = Place::new();
    let index = hold_the_index(&place);
    success(&place, &["mine", "--background", &place.counter("repo")]);
    let suspended = row(&place, 1);
    signal(suspended.pid.expect("it has a process"), "STOP");
    assert_eq!(row(&place, 1).state, JobState::Queued, "silent, but alive");
    let output = output(&place, &["jobs", "cancel", "1"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("TERM sent") && said.contains("KILL sent"),
        "{said}"
    );
    let row = row(&place, 1);
    assert_eq!(
        (row.state, row.message.as_str()),
        (JobState::Cancelled, "it was killed")
    );
    drop(index);
}
