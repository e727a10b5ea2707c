//! Judging samples in a real terminal: one key is one verdict, which is on the disk before the next sample is
//! displayed.
//!
//! No step sleeps; see `pty`.

use std::collections::BTreeMap;
use std::process::Stdio;

use serde_json::Value;

use crate::pty::{Session, assert_given_back, wait_for_end};
use crate::support::{Place, sample_data};

/// Opens a queue as an annotator, and waits for its first sample; returns how many samples are left.
fn judging(place: &Place, annotator: &str, queue: &str) -> (Session, u32) {
    let args = ["review", "--queue", queue, "--as", annotator];
    let session = Session::start_with(place, &args, &[]);
    // The sample must be there too, not only the queue.
    session.wait("a sample to be judged", |screen| {
        n_left(screen).is_some() && screen.contents().contains("test · ")
    });
    let n = session.read(n_left).expect("it was there");
    (session, n)
}

/// Reads `… · 38 left · …` from the line with the position.
fn n_left(screen: &vt100::Screen) -> Option<u32> {
    let line = screen.rows(0, screen.size().1.get()).nth(1)?;
    let before = line
        .split(" left")
        .next()
        .filter(|part| part.len() < line.len())?;
    let number = before.rsplit('·').next()?;
    number.replace(' ', "").parse().ok()
}

/// Presses keys one after another, each when the sample before is judged and the next one displayed: the count may be
/// displayed before the sample.
fn judge(session: &mut Session, n_before: u32, keys: &str) -> u32 {
    let mut n = n_before;
    for key in keys.chars() {
        let before = session.read(head_of_test);
        session.press(&key.to_string());
        n -= 1;
        session.wait("the next sample", |screen| {
            n_left(screen) == Some(n) && head_of_test(screen) != before
        });
    }
    n
}

/// Returns the name and the first lines of the displayed test.
fn head_of_test(screen: &vt100::Screen) -> String {
    let rows = screen.rows(0, screen.size().1.get());
    rows.skip(2).take(5).collect()
}

/// Counts the valid verdicts of each annotator.
fn n_verdicts(place: &Place) -> BTreeMap<String, u64> {
    let out = place.run(&["verdicts", "progress", "--json"]).success();
    let lines = out.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let name = line["annotator"].as_str().expect("a name").to_owned();
        (name, line["n_verdicts"].as_u64().expect("a count"))
    });
    lines.collect()
}

fn n_of(place: &Place, annotator: &str) -> u64 {
    n_verdicts(place).get(annotator).copied().unwrap_or(0)
}

#[test]
fn what_was_saved_outlives_a_kill_and_does_not_come_again() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    let left = judge(&mut session, n, "axaxo");
    session.signal("KILL");
    assert_eq!(n_of(&place, "ada"), 5);
    let (mut session, n) = judging(&place, "ada", "mined");
    assert_eq!(n, left);
    // Undo reaches what was said before.
    session.press("u");
    session.wait("the last one again", |screen| n_left(screen) == Some(n + 1));
    assert_eq!(n_of(&place, "ada"), 4);
    session.press("q");
    session.wait_for("funnel");
    session.press("q");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
}

#[test]
fn a_key_that_is_held_down_decides_once() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    session.press("aaaaaaaaaaaaaaaaaaaa");
    session.wait("the next sample", |screen| n_left(screen) == Some(n - 1));
    session.press("q");
    session.wait_for("funnel");
    assert_eq!(n_of(&place, "ada"), 1);
}

#[test]
fn what_is_pasted_decides_nothing() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    session.press("\u{1b}[200~axo1X\u{1b}[201~");
    session.press("}");
    session.wait_for("ONLY A LOOK");
    session.press("{");
    session.wait("the sample itself", |screen| {
        !screen.contents().contains("ONLY A LOOK") && n_left(screen) == Some(n)
    });
    assert_eq!(n_of(&place, "ada"), 0);
}

#[test]
fn a_signal_and_a_lost_terminal_keep_what_was_saved() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    let n = judge(&mut session, n, "a");
    session.signal("TERM");
    let (status, screen) = session.end();
    assert_eq!(status.exit_code(), 143);
    assert_given_back(&screen);
    let (mut session, again) = judging(&place, "ada", "mined");
    assert_eq!(again, n);
    judge(&mut session, n, "x");
    wait_for_end(session.vanish());
    assert_eq!(n_of(&place, "ada"), 2);
}

#[test]
fn two_annotators_and_a_mining_job_do_not_disturb_each_other() {
    let place = Place::with_sample_data();
    let (mut ada, _) = judging(&place, "ada", "random:1 weight>=0");
    let (mut eva, _) = judging(&place, "eva", "random:3 weight>=0");
    let mining = (place.command(&["mine", "--force", "--each", &sample_data("repos")]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mining starts");
    // The title of the test's pane. The line above says more, but also how far mining is.
    let where_one_is = |screen: &vt100::Screen| {
        let mut rows = screen.rows(0, screen.size().1.get());
        rows.find_map(|row| Some(row.split_once("test · ")?.1.to_owned()))
    };
    for (nth, key) in ["a", "x", "o", "a", "X"].into_iter().enumerate() {
        for session in [&mut ada, &mut eva] {
            let before = session.read(where_one_is);
            session.press(key);
            let n_decided = format!("· {} decided", nth + 1);
            session.wait("the next sample", |screen| {
                screen.contents().contains(&n_decided) && where_one_is(screen) != before
            });
        }
    }
    let mining = mining.wait_with_output().expect("mining ends");
    let said = String::from_utf8_lossy(&mining.stderr);
    assert!(mining.status.success(), "{said}");
    assert_eq!(n_of(&place, "ada"), 5);
    assert_eq!(n_of(&place, "eva"), 5);
}

#[test]
fn the_finder_picks_a_method_from_the_keyboard() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    session.press("p");
    session.wait_for("Find a method");
    session.press("get");
    session.wait_for(" methods");
    session.press("\r");
    session.wait("the next sample", |screen| n_left(screen) == Some(n - 1));
    let out = place.run(&["verdicts"]).success();
    assert!(out.contains("pick "), "{out}");
}

#[test]
fn without_colours_the_candidate_under_the_cursor_shows() {
    let place = Place::with_sample_data();
    let args = ["review", "--queue", "mined", "--as", "ada"];
    let mut session = Session::start_with(&place, &args, &[("NO_COLOR", "1")]);
    session.wait_for("test · ");
    session.press("\t\t");
    session.wait("the cursor in reverse", |screen| {
        let (rows, columns) = screen.size();
        (0..rows.get()).any(|row| {
            let reversed = (0..columns.get())
                .filter(|column| screen.cell(row, *column).is_some_and(vt100::Cell::inverse));
            reversed.count() >= 40
        })
    });
}

#[test]
fn a_sample_is_laid_out_anew_for_another_size() {
    let place = Place::with_sample_data();
    let (mut session, n) = judging(&place, "ada", "mined");
    session.resize(50, 200);
    session.wait("three columns", |screen| {
        let row = screen.rows(0, 200).nth(2).unwrap_or_default();
        row.contains("test ·") && row.contains("candidates")
    });
    session.resize(16, 59);
    session.wait_for("focalist needs 60×16");
    // Nothing of the sample is on the screen: nothing can be said of it.
    session.press("a");
    session.resize(24, 80);
    session.wait("the sample", |screen| n_left(screen) == Some(n));
    judge(&mut session, n, "x");
    assert_eq!(n_of(&place, "ada"), 1);
}

#[test]
fn a_dumb_terminal_is_asked_line_by_line() {
    let place = Place::with_sample_data();
    let args = ["review", "--queue", "mined", "--as", "ada"];
    let mut session = Session::start_with(&place, &args, &[("TERM", "dumb")]);
    session.wait_said("sample 1 of");
    session.press("a\r");
    session.wait_said("saved: accept");
    session.press("q\r");
    let (status, _) = session.end();
    assert!(status.success());
    assert_eq!(n_of(&place, "ada"), 1);
}
