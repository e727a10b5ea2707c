//! Jobs in a real terminal: started from a form, left running, killed, resumed.
//!
//! No step sleeps; see `pty`. A writer's lock that the test holds blocks a job as long as necessary.

use focalist::model::{JobId, JobState};
use serde_json::Value;

use crate::jobs::{
    hold_the_index, is_slow, kill, repositories_of, row, success, wait, wait_for_end,
};
use crate::pty::{Session, assert_given_back};
use crate::support::{COUNTER, Place};

/// Opens the screen of jobs.
fn open_jobs(place: &Place) -> Session {
    let mut session = Session::start(place, &[]);
    session.wait("the alternate screen", vt100::Screen::alternate_screen);
    session.wait_for("focalist");
    session.press("gj");
    session.wait_for(" jobs ");
    session
}

#[test]
fn a_job_that_a_form_started_goes_on_when_one_leaves() {
    let place = Place::new();
    let index = hold_the_index(&place);
    let repo = place.counter("repo");
    let mut session = open_jobs(&place);
    session.wait_for("no job yet");
    session.press("A");
    session.wait_for("new job");
    session.press("mine\r");
    session.wait_for("mine repositories");
    session.press(&repo);
    session.press("\r");
    session.wait_for("waits for its turn");
    session.press("qq");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
    assert!(
        screen.contents().contains("job 1 (mine) continues"),
        "{}",
        screen.contents()
    );
    assert!(row(&place, 1).state.is_alive());
    drop(index);
    assert_eq!(wait_for_end(&place, 1).state, JobState::Done);
    let session = open_jobs(&place);
    session.wait_for("✓ done");
    session.wait_for("repo: 2 files, 1 test,");
}

#[test]
fn a_job_outlives_a_killed_terminal_ui_and_the_next_one_shows_it() {
    let place = Place::new();
    let index = hold_the_index(&place);
    success(&place, &["mine", "--background", &place.counter("repo")]);
    let session = open_jobs(&place);
    session.wait_for("waits for its turn");
    session.signal("KILL");
    let (status, _) = session.end();
    assert!(!status.success());
    assert!(row(&place, 1).state.is_alive());
    let mut session = open_jobs(&place);
    session.wait_for("waits for its turn");
    // Its end is seen without a key, and said on any screen.
    session.press("gh");
    session.wait_for("mine 1 queued");
    drop(index);
    session.wait_for("mine #1 done");
    session.wait_for("1 test,");
}

#[test]
fn a_killed_job_is_shown_as_stopped_and_goes_on() {
    let place = Place::new();
    let index = hold_the_index(&place);
    success(&place, &["mine", "--background", &place.counter("repo")]);
    let mut session = open_jobs(&place);
    session.wait_for("waits for its turn");
    kill(&row(&place, 1));
    session.wait_for("■ stopped");
    session.press("r");
    session.wait_for("run `focalist mine --background");
    session.press("y");
    session.wait_for("job 2 started");
    drop(index);
    session.wait_for("✓ done");
    let again = row(&place, 2);
    assert_eq!(
        (again.state, again.retry_of),
        (JobState::Done, Some(JobId(1)))
    );
}

#[test]
fn a_job_is_cancelled_by_a_key() {
    let place = Place::new();
    let _index = hold_the_index(&place);
    success(&place, &["mine", "--background", &place.counter("repo")]);
    let mut session = open_jobs(&place);
    session.wait_for("waits for its turn");
    session.press("x");
    session.wait_for("– cancelled");
    assert_eq!(row(&place, 1).state, JobState::Cancelled);
}

#[test]
fn a_repository_is_mined_again_and_what_changed_is_said() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.run(&["mine", &repo]).success();
    let listed = place.run(&["samples", "--json"]).success();
    let sample: Value =
        serde_json::from_str(listed.lines().next().expect("a sample")).expect("a line of JSON");
    let key = sample["key"].as_str().expect("a key");
    place
        .run(&["verdict", key, "accept", "--as", "ada"])
        .success();
    place.write(
        "repo/src/main/java/p/Counter.java",
        COUNTER.replace("count + 1", "count + 2"),
    );
    let mut session = open_jobs(&place);
    session.press("gp");
    session.wait_for("repositories");
    session.wait_for("repo ");
    session.press("r");
    session.wait_for("mined again");
    session.wait_for("1 changed sample; 1 verdict is stale");
    session.press("\r");
    session.wait_for("stale");
    let jobs = success(&place, &["jobs", "--json"]);
    let latest: Value =
        serde_json::from_str(jobs.lines().next().expect("a job")).expect("a line of JSON");
    assert_eq!(latest["changes"]["changed"], 1);
    assert_eq!(latest["changes"]["stale_verdicts"], 1);
    let said = place.run(&["mine", "--force", &repo]).err;
    assert!(said.contains("repo: no sample changed"), "{said}");
}

/// Checks that every key takes effect on the screen while a job mines.
#[test]
fn keys_are_heard_while_a_job_mines() {
    if !is_slow() {
        return;
    }
    let place = Place::with_sample_data();
    // They take many times as long as the keys do; the job is not waited for.
    let repos = repositories_of(&place, 600);
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gs");
    session.wait_for("1/69");
    let id = success(&place, &["mine", "--background", "--each", &repos]);
    assert!(id.contains("started"), "{id}");
    let id = if id.contains("job 1 ") { 1 } else { 2 };
    wait(&place, id, "some work", |job_row| {
        job_row.progress.n_done > 0
    });
    for n in 2..=40 {
        session.press("j");
        session.wait("the next row", |screen| {
            screen.contents().contains(&format!("{n}/"))
        });
    }
    // A screen that waited for the job would show the last row behind its end.
    assert!(row(&place, id).state.is_alive());
    success(&place, &["jobs", "cancel", &id.to_string()]);
    wait_for_end(&place, id);
}
