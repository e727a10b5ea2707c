//! The command line's contract: streams, exit codes, JSON.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};

use expect_test::expect;
use focalist::cli::{self, ExitCode, Streams};
use focalist::model::Matcher;

use crate::support::{Place, UI, sample_data};

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
fn options_stand_before_and_behind_a_filter() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let check = |behind: &[&str], before: &[&str]| {
        let before = place.run(before).success();
        assert_eq!(place.run(behind).success(), before);
        assert!(!before.is_empty());
    };
    check(
        &["samples", "status:ok", "-flag:no_body", "--json"],
        &["samples", "--json", "status:ok", "-flag:no_body"],
    );
    check(
        &[
            "samples",
            "repo:repo",
            "sort:-weight",
            "--limit",
            "3",
            "-q",
            "-nope",
        ],
        &[
            "samples",
            "--limit=3",
            "-q",
            "repo:repo",
            "sort:-weight",
            "-nope",
        ],
    );
    check(
        &["stats", "status:ok", "--json"],
        &["stats", "--json", "status:ok"],
    );
    let err = place
        .run(&["samples", "status:ok", "--jsom"])
        .failure(ExitCode::Usage);
    assert!(err.contains("`--jsom`") && err.contains("--help"), "{err}");
    place.run(&["filters", "save", "good", "status:ok", "-tie", "--quiet"]);
    let saved = place.run(&["filters"]).success();
    assert!(
        saved.contains("status:ok -tie") && !saved.contains("quiet"),
        "{saved}"
    );
}

#[test]
fn a_file_that_is_there_is_replaced_only_with_force() {
    let place = Place::new();
    place.run(&["mine", &place.counter("repo")]).success();
    let key = place.run(&["samples"]).success();
    let key = key.lines().nth(1).and_then(|line| line.split(' ').next());
    let key = key.expect("there is a sample").to_owned();
    place
        .run(&["verdict", &key, "accept", "--as", "ada"])
        .success();
    let pair = "{\"reference\": \"f(1);\", \"prediction\": \"f(2);\"}\n";
    let pairs = place.write("pairs.jsonl", pair);
    let pairs = pairs.to_string_lossy().into_owned();
    let path = place.path("out/file.svg");
    let page = place.path("out/focalist.1");
    fs::create_dir(place.path("out")).expect("a folder can be made");
    let (file, folder) = (path.to_string_lossy(), place.path("out"));
    for args in [
        &["manifest", "--output", &file][..],
        &["export", "-o", &file],
        &["score", &pairs, "-o", &file],
        &["plot", "funnel", "-o", &file],
        &["verdicts", "export", "--output", &file],
        &["man", "--output", &folder.to_string_lossy()],
    ] {
        let path = if args[0] == "man" { &page } else { &path };
        place.run(args).success();
        let written = fs::read_to_string(path).expect("it was written");
        assert!(!written.is_empty(), "{args:?}");
        fs::write(path, "mine").expect("it can be written");
        let err = place.run(args).failure(ExitCode::Usage);
        assert!(
            err.contains("exists already") && err.contains("--force"),
            "{err}"
        );
        let kept = fs::read_to_string(path).expect("it is there");
        assert_eq!(kept, "mine", "{args:?}");
        place.run(&[args, &["--force"]].concat()).success();
        let replaced = fs::read_to_string(path).expect("it is there");
        assert_eq!(replaced.len(), written.len(), "{args:?}");
        fs::remove_file(path).expect("it goes");
    }
    fs::write(&path, "mine").expect("it can be written");
    place
        .run(&["export", "--background", "--output", &file])
        .failure(ExitCode::Usage);
    // No half-written file is left, and a failed command leaves nothing that stops the next one.
    fs::remove_file(&path).expect("it goes");
    let nothing = place.write("nothing.jsonl", "{}\n");
    let nothing = nothing.to_string_lossy().into_owned();
    for _ in 0..2 {
        place
            .run(&["score", &nothing, "-o", &file])
            .failure(ExitCode::Problems);
    }
    let mut left: Vec<String> = fs::read_dir(&folder)
        .expect("it is there")
        .map(|result| {
            result
                .expect("it can be read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|text| !text.ends_with(".1"))
        .collect();
    left.sort();
    assert_eq!(left, Vec::<String>::new());
    place.run(&["export", "-o", "/dev/null"]).success();
    // A folder is not replaced, so no message says that it could be.
    let folder = folder.to_string_lossy();
    for force in [&[][..], &["--force"]] {
        let err = place
            .run(&[&["export", "-o", &folder], force].concat())
            .failure(ExitCode::Usage);
        assert!(
            err.contains("exists already, and is a folder") && !err.contains("--force"),
            "{err}"
        );
    }
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
    assert!(exports[0].iter().all(|text| !text.is_empty()));
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
                input: &mut io::empty(),
                input_is_terminal: false,
                out: &mut Closed,
                err: &mut err,
                err_is_terminal: false,
                out_is_terminal: false,
                open_ui: &mut |_| Err("there is no terminal here".to_owned()),
                ui: UI,
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
fn explain_shows_the_steps_of_one_call() {
    let place = Place::new();
    let repo = place.counter("repo");
    let explain =
        |call: &str| place.run(&["explain", &repo, "CounterTest#testInc", "--call", call]);
    expect![[r"
        call        inc
                    counter.inc()
                    src/test/java/p/CounterTest.java:11:28  in p.CounterTest#testInc()
        receiver    a value of type p.Counter
        arguments   none
        candidate   p.Counter#inc(): applicable strictly
        chosen      p.Counter#inc(): the only one that is applicable
        result      int
        resolved    declared p.Counter#inc()

    "]]
    .assert_eq(&explain("11").success());
    assert_eq!(explain("11:28").success(), explain("11:30").success());
    let err = explain("9").failure(ExitCode::Input);
    assert!(
        err.contains("line 9") && err.contains("10:31 <init>"),
        "{err}"
    );
    explain("11:1").failure(ExitCode::Input);
    explain("0").failure(ExitCode::Usage);
    explain("inc").failure(ExitCode::Usage);
}

#[test]
fn calls_are_lines_of_the_contract() {
    let place = Place::new();
    let out = place.run(&["calls", &place.counter("repo")]).success();
    let expected = r#"{"language":"java","file":"src/test/java/p/CounterTest.java","line":11,"column":28,"end_line":11,"end_column":33,"kind":"method","name":"inc","test":{"class":"p.CounterTest","method":"testInc","line":9},"resolution":"declared","declaration":{"file":"src/main/java/p/Counter.java","class":"p.Counter","name":"inc","parameters":[],"line":6}}"#;
    assert!(out.lines().any(|line| line == expected), "{out}");
}

#[test]
fn resolutions_are_counted_with_what_can_be_done() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.write(
        "repo/src/test/java/p/LostTest.java",
        "package p;\n\nclass LostTest {\n    @org.junit.Test\n    public void testLost() {\n        Lost.VALUE.get();\n        nothing.here();\n    }\n}\n",
    );
    place.run(&["mine", &repo]).success();
    let text = place.run(&["stats", "--resolution"]).success();
    expect![[r"
        calls in tests         n  of calls
        all                    5   100.0 %
        declared in main code  2    40.0 %
        declared in test code  0     0.0 %
        ambiguous              0     0.0 %
        outside                1    20.0 %
        unknown                2    40.0 %
          receiver_type        1    20.0 %
          receiver_name        1    20.0 %

        repository  calls    main   test  ambiguous  outside  unknown  most often
        repo            5  40.0 %  0.0 %      0.0 %   20.0 %   40.0 %  receiver_type 20.0 %

        unknown because
        receiver_type    the receiver's type was lost on the way: `focalist explain PATH TEST --call LINE` shows where
        receiver_name    the receiver is declared nowhere: run the build's code generators, then mine again
    "]].assert_eq(&text);
    let json = place
        .run(&["stats", "--resolution", "--json", "repo:repo"])
        .success();
    expect![[r#"
        {"calls":5,"declared_main":2,"declared_test":0,"ambiguous":0,"outside":1,"unknown":{"receiver_name":1,"receiver_type":1},"repositories":[{"repo":"repo","calls":5,"declared_main":2,"declared_test":0,"ambiguous":0,"outside":1,"unknown":{"receiver_name":1,"receiver_type":1}}]}
    "#]].assert_eq(&json);
    let err = place
        .run(&["stats", "--resolution", "status:tie"])
        .failure(ExitCode::Usage);
    assert!(err.contains("status") && err.contains("license"), "{err}");
}

#[test]
fn the_matcher_that_mined_is_the_one_that_is_shown() {
    for matcher in ["contest", "evidence", "methods2test"] {
        let place = Place::new();
        place
            .run(&["mine", "--matcher", matcher, &place.counter("repo")])
            .success();
        assert_shown(&place, matcher);
        let funnel = place.run(&["stats", "--json"]).success();
        assert!(funnel.contains(r#""tests":1"#), "{funnel}");
        let samples = place.run(&["samples", "--json"]).success();
        assert_eq!(samples.lines().count(), 1, "{samples}");
    }
}

#[test]
fn of_several_matchers_the_default_one_is_shown_unless_another_is_asked_for() {
    let place = Place::new();
    let all = "contest,evidence,methods2test";
    place
        .run(&["mine", "--matcher", all, &place.counter("repo")])
        .success();
    assert_shown(&place, Matcher::DEFAULT.as_str());
    for matcher in all.split(',') {
        let line = place
            .run(&["export", "--format", "tests", "--matcher", matcher])
            .success();
        assert!(
            line.contains(&format!(r#""matcher":"{matcher}""#)),
            "{line}"
        );
        let filter = format!("matcher:{matcher}");
        let filtered = place
            .run(&["export", "--format", "tests", "--filter", &filter])
            .success();
        assert_eq!(line, filtered);
        let shown = place
            .run(&["show", &key_of_only(&place), "--json", "--matcher", matcher])
            .success();
        assert!(
            shown.contains(&format!(r#""matcher": "{matcher}""#)),
            "{shown}"
        );
    }
}

fn key_of_only(place: &Place) -> String {
    let row = place.run(&["samples", "--json"]).success();
    let digits = row.split_once(r#""key":""#).expect("the row has a key").1;
    digits[..32].to_owned()
}

/// Checks that a command without a matcher shows one line per test, with this matcher's decision.
fn assert_shown(place: &Place, matcher: &str) {
    for format in ["tests", "jsonl"] {
        let lines = place
            .run(&["export", "--all", "--format", format])
            .success();
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(
            lines.contains(&format!(r#""matcher":"{matcher}""#)),
            "{lines}"
        );
    }
    let shown = place
        .run(&["show", &key_of_only(place), "--json"])
        .success();
    assert!(
        shown.contains(&format!(r#""matcher": "{matcher}""#)),
        "{shown}"
    );
}
