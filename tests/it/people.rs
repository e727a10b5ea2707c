//! Annotators, and what others see: the annotator's name, notes, marks and tags in lists and beside samples.

use std::process::{Command, Output};

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::Place;

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

/// Returns the keys of the first samples with a focal method.
fn mapped(place: &Place, n: usize) -> Vec<String> {
    let limit = n.to_string();
    let args = ["samples", "--json", "--limit", &limit, "status:ok"];
    let rows = json_lines(&place.run(&args).success());
    let keys = rows.iter().filter_map(|row| row["key"].as_str());
    keys.map(str::to_owned).collect()
}

/// Runs the program as a child without an annotator's name in the environment.
fn nameless(place: &Place, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_focalist"))
        .arg("--workspace")
        .arg(place.path(""))
        .args(["--config", "/dev/null"])
        .args(args)
        .env_remove("USER")
        .env_remove("LOGNAME")
        .output()
        .expect("the program can be started")
}

/// Returns the system's name of the user who runs the tests.
fn system_name() -> String {
    let output = Command::new("id").arg("-un").output();
    let output = output.expect("every system has `id`");
    String::from_utf8(output.stdout)
        .expect("a name is text")
        .trim()
        .to_owned()
}

#[test]
fn without_user_in_the_environment_all_commands_know_the_same_name() {
    let place = Place::with_sample_data();
    let key = &mapped(&place, 1)[0];
    let name = system_name();
    let succeeds = |args: &[&str]| {
        let output = nameless(&place, args);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {err}");
        String::from_utf8(output.stdout).expect("the program writes UTF-8") + &err
    };
    succeeds(&["verdict", key, "accept"]);
    let verdicts = json_lines(&place.run(&["verdicts", "--json"]).success());
    assert_eq!(verdicts[0]["annotator"], name.as_str());
    let history = succeeds(&["verdicts", "history"]);
    assert!(
        history.contains("accept") && history.contains(&name),
        "{history}"
    );
    let undone = succeeds(&["undo"]);
    assert!(undone.starts_with("undone: accept"), "{undone}");
    succeeds(&["redo"]);
    succeeds(&["audit", "--n", "2"]);
    let list = succeeds(&["config"]);
    assert!(list.contains(&name), "{list}");
}

#[test]
fn what_one_has_noted_marked_and_judged_others_read() {
    let place = Place::with_sample_data();
    let keys = mapped(&place, 2);
    let [judged, noted] = keys.as_slice() else {
        panic!("the sample data has two mapped tests")
    };
    let note = "fishy\u{1b}[31m, ask ada";
    let say = |args: &[&str]| place.run(args).success();
    say(&[
        "verdict",
        judged,
        "no-focal",
        "--note",
        "only the fixture",
        "--mark",
        "--as",
        "bob",
    ]);
    // Noted without a verdict, as `c` does in the terminal UI.
    let lines = format!("c {note}\nm\nq\n");
    let queue = format!("mined key:{noted}");
    let plain = place.answer(
        &["review", "--plain", "--queue", &queue, "--as", "bob"],
        &lines,
    );
    plain.success();
    for args in [&["show", judged][..], &["verdicts"]] {
        let text = say(args);
        for part in ["bob", "no focal", "only the fixture", "mark"] {
            assert!(
                text.contains(part),
                "{args:?}: `{part}` is missing:\n{text}"
            );
        }
    }
    for args in [
        &["show", noted][..],
        &["verdicts"],
        &["verdicts", "--format", "csv"],
    ] {
        let text = say(args);
        assert!(text.contains("ask ada"), "{args:?}:\n{text}");
        assert!(
            !text.contains('\u{1b}'),
            "{args:?}: an escape sequence comes through"
        );
    }
    let detail: Value = serde_json::from_str(&say(&["show", noted, "--json"])).expect("it is JSON");
    let people = &detail["people"];
    assert_eq!(people["notes"][0]["annotator"], "bob");
    assert_eq!(people["notes"][0]["note"], note);
    assert_eq!(people["marked_by"][0], "bob");
    assert_eq!(people["history"].as_array().map(Vec::len), Some(2));
    let rows = json_lines(&say(&["verdicts", "--json"]));
    let row_of = |key: &str| {
        let found = rows.iter().find(|row| row["key"] == key);
        found.unwrap_or_else(|| panic!("{key} is listed: {rows:?}"))
    };
    assert_eq!(row_of(judged)["judgement"], "no_focal");
    assert_eq!(row_of(judged)["notes"][0], "only the fixture");
    assert_eq!(row_of(judged)["marked"], true);
    assert_eq!(row_of(noted)["judgement"], Value::Null);
    assert_eq!(row_of(noted)["notes"][0], note);
    // Of what is stale or gold only verdicts are told.
    assert_eq!(say(&["verdicts", "--stale", "--json"]), "");
    assert_eq!(json_lines(&say(&["verdicts", "--gold", "--json"])).len(), 1);
    // Whoever takes a note away is not read any more, and the history says so.
    let away = place.answer(
        &["review", "--plain", "--queue", &queue, "--as", "bob"],
        "u\nu\nq\n",
    );
    away.success();
    assert!(say(&["show", noted]).contains("undone"));
    assert_eq!(json_lines(&say(&["verdicts", "--json"])).len(), 1);
}

#[test]
fn a_name_that_cannot_be_one_is_refused_and_not_replaced_by_the_systems() {
    let place = Place::with_sample_data();
    let key = &mapped(&place, 1)[0];
    let err = place
        .run(&["verdict", key, "accept", "--as", " ada"])
        .failure(ExitCode::Usage);
    assert!(err.contains("cannot be the name"), "{err}");
}
