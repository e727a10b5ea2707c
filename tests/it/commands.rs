//! The command line's contract: streams, exit codes, JSON.

use std::ffi::OsString;
use std::io::{self, Write};

use focalist::cli::{self, ExitCode, Streams};

use crate::support::{Place, sample_data};

#[test]
fn help_and_version_go_to_stdout() {
    let place = Place::new();
    assert!(place.run(&["--help"]).success().contains("Usage"));
    assert!(place.run(&["--version"]).success().contains("focalist"));
}

#[test]
fn an_unknown_option_is_a_usage_error() {
    let place = Place::new();
    let err = place
        .run(&["mine", "--no-such-option"])
        .failure(ExitCode::Usage);
    assert!(err.contains("--no-such-option"), "{err}");
}

#[test]
fn a_command_that_needs_an_index_says_how_to_make_one() {
    let place = Place::new();
    let err = place.run(&["stats"]).failure(ExitCode::Input);
    assert!(err.contains("focalist mine"), "{err}");
}

#[test]
fn an_unknown_filter_field_lists_the_known_ones() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let err = place
        .run(&["samples", "nonsense:1"])
        .failure(ExitCode::Usage);
    assert!(err.contains("nonsense") && err.contains("status"), "{err}");
}

#[test]
fn mining_again_changes_nothing_and_says_so() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.run(&["mine", &repo]).success();
    let before = place.run(&["export", "--format", "tests"]).success();
    let outcome = place.run(&["mine", &repo]);
    assert!(outcome.err.contains("unchanged"), "{}", outcome.err);
    place.run(&["mine", "--force", &repo]).success();
    assert_eq!(
        place.run(&["export", "--format", "tests"]).success(),
        before
    );
}

#[test]
fn one_thread_and_three_give_the_same_bytes() {
    let exports = ["1", "3"].map(|jobs| {
        let place = Place::new();
        place
            .run(&["mine", "--jobs", jobs, "--each", &sample_data("repos")])
            .success();
        ["jsonl", "tests", "methods2test"].map(|format| {
            place
                .run(&["export", "--all", "--format", format])
                .success()
        })
    });
    assert!(exports[0].iter().all(|it| !it.is_empty()));
    assert_eq!(exports[0], exports[1]);
}

#[test]
fn a_removed_repository_is_gone() {
    let place = Place::new();
    place.run(&["mine", &place.counter("one")]).success();
    place.run(&["mine", &place.counter("two")]).success();
    place.run(&["rm", "one"]).success();
    let repos = place.run(&["repos", "--json"]).success();
    assert!(
        repos.contains("two") && !repos.contains("\"one\""),
        "{repos}"
    );
    place.run(&["rm", "one"]).failure(ExitCode::Input);
}

#[test]
fn problems_are_data_unless_strict() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.write("repo/src/main/java/p/Nul.java", b"\0");
    place.run(&["mine", &repo]).success();
    place
        .run(&["--strict", "mine", "--force", &repo])
        .failure(ExitCode::Problems);
}

#[test]
fn a_closed_pipe_is_success() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let place = Place::with_sample_data();
    let workspace = place.path("").to_string_lossy().into_owned();
    for command in [
        &["export"][..],
        &["samples"],
        &["calls", &sample_data("repos")],
    ] {
        let mut err = Vec::new();
        let args = ["focalist", "--workspace", &workspace]
            .into_iter()
            .chain(command.iter().copied())
            .map(OsString::from);
        let code = cli::run(
            args,
            &mut Streams {
                out: &mut Closed,
                err: &mut err,
                err_is_terminal: false,
                out_is_terminal: false,
                open_ui: &mut |_| Err("there is no terminal here".to_owned()),
                ui_keys: focalist::tui::keys,
            },
        );
        assert_eq!(
            code,
            ExitCode::Ok,
            "{command:?}: {}",
            String::from_utf8_lossy(&err)
        );
    }
}

#[test]
fn explain_names_every_stage() {
    let place = Place::new();
    let repo = place.counter("repo");
    let text = place
        .run(&["explain", &repo, "CounterTest#testInc"])
        .success();
    for stage in [
        "candidates",
        "decision    p.Counter#inc()",
        "setup",
        "assertion",
        "status      ok",
    ] {
        assert!(text.contains(stage), "no `{stage}` in\n{text}");
    }
    let err = place
        .run(&["explain", &repo, "CounterTest#testIncc"])
        .failure(ExitCode::Input);
    assert!(err.contains("testInc"), "{err}");
}

#[test]
fn calls_are_lines_of_the_contract() {
    let place = Place::new();
    let out = place.run(&["calls", &place.counter("repo")]).success();
    let expected = r#"{"file":"src/test/java/p/CounterTest.java","line":11,"column":28,"end_line":11,"end_column":33,"kind":"method","name":"inc","test":{"class":"p.CounterTest","method":"testInc","line":9},"resolution":"declared","declaration":{"file":"src/main/java/p/Counter.java","class":"p.Counter","name":"inc","parameters":[],"line":6}}"#;
    assert!(out.lines().any(|line| line == expected), "{out}");
}
