//! The terminal UI opened at a given place, as a picker for scripts, with the user's programs, and its report of what
//! was done.

use std::fs;

use focalist::cli::ExitCode;

use crate::pty::{Session, assert_given_back};
use crate::support::Place;

#[test]
fn it_opens_on_what_was_asked_for_and_keeps_no_trace_of_that() {
    let place = Place::with_sample_data();
    let mut session = Session::start_with(&place, &["view", "samples", "test:count"], &[]);
    session.wait_for("test:count");
    session.wait_for("1/");
    session.press("\u{3}\u{3}");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
    // The next time it opens where it was left by itself: nowhere.
    let session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    assert!(session.read(|screen| !screen.contents().contains("test:count")));
}

#[test]
fn a_script_gets_the_key_that_was_picked_and_nothing_when_the_list_was_left() {
    let place = Place::with_sample_data();
    let script = "key=$(\"$FOCALIST\" --workspace . --config /dev/null pick samples); echo \"code $? key [$key]\"";
    let mut session = Session::start_script(&place, script);
    session.wait_for("1/69");
    session.press("j");
    session.wait_for("2/69");
    session.press("\r");
    session.wait_said("code 0 key [");
    let (_, screen) = session.end();
    let line = screen.contents();
    let key = line
        .split(['[', ']'])
        .nth(1)
        .expect("a key stands in brackets");
    assert_eq!(key.len(), 32, "{line}");
    assert!(!place.run(&["show", key, "--json"]).success().is_empty());
    assert_given_back(&screen);
    for leaving in ["q", "\u{1b}"] {
        let mut session = Session::start_script(&place, script);
        session.wait_for("1/69");
        session.press(leaving);
        session.wait_said("code 1 key []");
    }
}

#[test]
fn a_program_of_the_users_gets_what_is_shown_and_the_terminal() {
    let place = Place::with_sample_data();
    place.write(
        "user.toml",
        "[commands]\ngb = [\"sh\", \"-c\", \"echo in the program; read line; echo \\\"$# $1 $2 $3 $line\\\" > said\", \
         \"sh\", \"{key}\", \"{file}\", \"{line}\"]\ngB = \"true {run}\"\n",
    );
    let script = "\"$FOCALIST\" --workspace . --config user.toml view samples";
    let mut session = Session::start_script(&place, script);
    session.wait_for("1/69");
    session.wait_for("@Test");
    session.press("gb");
    session.wait("the program's screen", |screen| {
        !screen.alternate_screen() && screen.contents().contains("in the program")
    });
    session.press("qq\n");
    session.wait_for("back from your command");
    let said = fs::read_to_string(place.path("said")).expect("the program has written");
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(
        matches!(words[..], ["3", key, file, line, "qq"]
            if key.len() == 32 && file.contains(".java") && line.parse::<u32>().is_ok()),
        "{said}"
    );
    session.press("gB");
    session.wait_for("there is no run here for your command");
}

#[test]
fn the_log_holds_commands_that_do_the_same_again() {
    let place = Place::with_sample_data();
    let script = "\"$FOCALIST\" --workspace . --config /dev/null";
    let mut session = Session::start_script(&place, script);
    session.wait_for("69 tests");
    session.press("gsfstatus:ok weight<0.9\r");
    session.wait_for("status:ok weight<0.9");
    session.press("ga");
    session.wait_for("uncertain");
    session.wait_for("@Test");
    session.press("X");
    session.wait_for("no focal");
    session.press("gl");
    session.wait_for("your actions");
    session.wait_for("focalist --workspace . samples 'status:ok weight<0.9'");
    session.wait_for("no-focal");
    session.press("E");
    session.wait_for("focalist-log.sh");
    session.press("\r");
    session.wait_for("wrote focalist-log.sh");
    let log = fs::read_to_string(place.path("focalist-log.sh")).expect("the log is written");
    let verdict = log.lines().find(|line| line.contains(" verdict "));
    let verdict = verdict.expect("the verdict is in the log");
    let words: Vec<&str> = verdict.split_whitespace().collect();
    // `focalist --workspace . verdict KEY no-focal --as ada`
    assert_eq!(
        words[0..4],
        ["focalist", "--workspace", ".", "verdict"],
        "{log}"
    );
    place.run(&words[3..]).success();
}

#[test]
fn what_a_screen_does_not_take_is_said_before_anything_opens() {
    let place = Place::with_sample_data();
    let check = |args: &[&str], code: ExitCode, expected: &str| {
        let said = place.run(args).failure(code);
        assert!(said.contains(expected), "{args:?}: {said}");
    };
    check(
        &["view", "jobs", "1", "2"],
        ExitCode::Usage,
        "`jobs` does not take `2`",
    );
    check(&["view", "sample"], ExitCode::Usage, "`sample` takes a key");
    check(
        &["view", "samples", "statsu:ok"],
        ExitCode::Usage,
        "did you mean `status`",
    );
    check(
        &["view", "results", "nope"],
        ExitCode::Input,
        "no run `nope`",
    );
    check(
        &["view", "compare", "nope", "other"],
        ExitCode::Input,
        "no run `nope`",
    );
    check(
        &["view", "annotate", "uncertain x:y"],
        ExitCode::Usage,
        "no field `x`",
    );
    // What is asked for is right, and only the terminal is missing.
    check(
        &["view", "samples", "status:ok"],
        ExitCode::Usage,
        "needs a terminal",
    );
}
