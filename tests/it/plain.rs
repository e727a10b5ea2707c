//! `focalist review` line by line: whole dialogues through a pipe, and the resulting files.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use focalist::browse::FIELDS;
use focalist::cli::{self, ExitCode, Streams};
use focalist::review::{Overlap, QueueKind, ReviewOptions};
use serde_json::Value;

use crate::support::{COUNTER, Place};

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn place() -> Place {
    let place = Place::new();
    place
        .run(&["mine", "--name", "counter", &place.counter("counter")])
        .success();
    place
}

/// Returns an event without its id, its time, and its circumstances.
fn events(place: &Place) -> Vec<Value> {
    let exported = place.run(&["verdicts", "export"]).success();
    let mut events = json_lines(&exported);
    // What was judged lies beside the verdicts.
    events.retain(|event| event["kind"] != "snapshot");
    for event in &mut events {
        let fields = event.as_object_mut().expect("an event is an object");
        for name in ["id", "at_ms", "dwell_ms", "queue", "guideline", "event"] {
            fields.remove(name);
        }
    }
    events
}

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_focalist"))
            .arg("--workspace")
            .arg(place.path(""))
            .args(["review", "--as", "ada"])
            .args(args)
            .env("TERM", "dumb")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        Self {
            input: child.stdin.take().expect("it is piped"),
            output: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
        }
    }

    fn write(&mut self, line: &str) {
        self.input
            .write_all(line.as_bytes())
            .expect("the program reads");
    }

    /// Reads until a line, or the prompt, contains this text.
    fn wait_for(&mut self, text: &str) -> String {
        let mut read = String::new();
        while !read.contains(text) {
            let mut byte = [0];
            let n = self.output.read(&mut byte).expect("the program writes");
            assert_eq!(n, 1, "`{text}` never came:\n{read}");
            read.push(char::from(byte[0]));
        }
        read
    }

    fn end(self) -> (i32, String, String) {
        let Self {
            mut child,
            input,
            mut output,
        } = self;
        drop(input);
        let mut out = String::new();
        output.read_to_string(&mut out).expect("the program writes");
        let mut err = String::new();
        let stderr = child.stderr.as_mut().expect("it is piped");
        stderr.read_to_string(&mut err).expect("the program writes");
        let status = child.wait().expect("the program ends");
        (status.code().expect("no signal ended it"), out, err)
    }
}

#[test]
fn a_session_through_a_pipe_says_what_the_commands_say() {
    let by_lines = place();
    let mut session = Session::start(&by_lines, &["--queue", "mined"]);
    let first = session.wait_for("\n> ");
    for part in [
        "queue: mined",
        "annotator: ada, 1 left, 0 done",
        "sample 1 of 1, mined, key ",
        "test: CounterTest.testInc, src/test/java/p/CounterTest.java:9",
        "focal method: p.Counter#inc(), src/main/java/p/Counter.java:6",
        "the match",
    ] {
        assert!(first.contains(part), "{part}\n{first}");
    }
    assert!(first.is_ascii(), "{first}");
    session.write("m\nc a note\n1\n");
    let saved = session.wait_for("saved: pick");
    assert!(saved.contains("saved: mark") && saved.contains("saved: note: a note"));
    // On the disk before the program says so, while it still runs.
    let past = by_lines.run(&["verdicts", "history", "--as", "ada", "--json"]);
    assert_eq!(json_lines(&past.success()).len(), 3);
    session.write("u\na\n");
    session.wait_for("saved: accept p.Counter#inc()");
    let (code, rest, err) = session.end();
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        rest.ends_with("you said: 1 accept; 0 left in mined\n"),
        "{rest}"
    );

    let by_commands = place();
    let samples = by_commands.run(&["samples", "--json"]).success();
    let key = json_lines(&samples)[0]["key"].as_str().map(str::to_owned);
    let key = key.expect("a sample has a key");
    let verdict = |rest: &[&str]| {
        let args = [&["verdict", &key][..], rest, &["--as", "ada"]].concat();
        by_commands.run(&args).success();
    };
    verdict(&["pick", "1", "--mark"]);
    by_commands.run(&["undo", "--as", "ada"]).success();
    verdict(&["accept"]);
    let mut lines = events(&by_lines);
    // No command writes a note alone.
    lines.retain(|line| line["kind"] != "noted");
    let targets = |events: &mut Vec<Value>| {
        for event in events {
            if let Some(fields) = event.as_object_mut() {
                fields.remove("target");
            }
        }
    };
    let mut commands = events(&by_commands);
    targets(&mut lines);
    targets(&mut commands);
    assert_eq!(lines, commands);
    assert_eq!(lines.len(), 4);
}

#[test]
fn an_undo_reaches_back_over_the_end_of_a_session() {
    let place = place();
    let review = |lines: &str| {
        let args = ["review", "--plain", "--queue", "random:3", "--as", "ada"];
        place.answer(&args, lines).success()
    };
    let first = review("x\nq\n");
    assert!(first.contains("saved: none of these"), "{first}");
    let second = review("u\n");
    assert!(second.contains("you have judged the only one"), "{second}");
    // Nothing was open, so nothing was asked.
    assert!(!second.contains("undone"));
    place.run(&["undo", "--as", "ada"]).success();
    let third = review("a\nu\nX\n");
    assert!(
        third.contains("saved: undone: accept p.Counter#inc()"),
        "{third}"
    );
    let verdicts = json_lines(&place.run(&["verdicts", "--json"]).success());
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0]["judgement"], "no_focal");
    assert_eq!(verdicts[0]["queue"], "random:3");
    assert!(verdicts[0]["dwell_ms"].is_u64());
}

#[test]
fn a_reader_that_goes_away_ends_the_session_without_a_word() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &["--queue", "mined"]);
    session.wait_for("\n> ");
    let Session {
        mut child,
        mut input,
        output,
    } = session;
    drop(output);
    // The first answer is on the disk although nobody hears of it; more may not be read any more.
    input.write_all(b"a\n").expect("the program reads");
    match input.write_all(b"a\na\n") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    }
    drop(input);
    let mut err = String::new();
    let stderr = child.stderr.as_mut().expect("it is piped");
    stderr.read_to_string(&mut err).expect("the program writes");
    let status = child.wait().expect("the program ends");
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    let verdicts = json_lines(&place.run(&["verdicts", "--json"]).success());
    assert_eq!(verdicts.len(), 1);
}

#[test]
fn what_has_changed_is_asked_again_after_mining_again() {
    let place = place();
    let review = |queue: &str, lines: &str| {
        let args = ["review", "--queue", queue, "--as", "ada"];
        place.answer(&args, lines).success()
    };
    review("mined", "a\n");
    assert!(review("stale", "").contains("none of your verdicts is out of date"));
    let changed = COUNTER.replace("count + 1", "1 + count");
    place.write("counter/src/main/java/p/Counter.java", changed);
    let counter = place.path("counter").to_string_lossy().into_owned();
    place
        .run(&["mine", "--name", "counter", &counter])
        .success();
    assert!(review("mined", "").contains("you have judged the only one"));
    let out = review("stale", "a\n");
    for part in [
        "your verdict: accept p.Counter#inc(); the code has changed since",
        "saved: accept",
        "none of your verdicts is out of date",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(review("stale", "").contains("none of your verdicts is out of date"));
}

#[test]
fn several_are_asked_about_what_overlaps() {
    let place = Place::with_sample_data();
    let n_left = |name: &str, overlap: &str, lines: &str| -> u64 {
        let args = [
            "review",
            "--queue",
            "uncertain",
            "--overlap",
            overlap,
            "--as",
            name,
        ];
        let out = place.answer(&args, lines).success();
        let line = out
            .lines()
            .find_map(|line| line.strip_prefix(&format!("annotator: {name}, ")[..]))
            .expect("it says who reviews");
        let (n_left, _) = line.split_once(" left").expect("it says how many");
        n_left.parse().expect("it is a number")
    };
    let n_all = n_left("ada", "2", "a\na\na\na\n");
    assert_eq!(n_left("ada", "2", ""), n_all - 4);
    assert_eq!(n_left("eva", "1", ""), n_all - 4);
    assert_eq!(n_left("eva", "2", "a\n"), n_all);
    assert_eq!(n_left("kim", "2", ""), n_all - 1);
    assert_eq!(n_left("kim", "3", ""), n_all);
    let n_shared = n_left("kim", "0.5", "");
    assert!((n_all - 4..=n_all).contains(&n_shared));
}

#[test]
fn who_is_blind_is_told_nothing_of_the_match() {
    let place = place();
    let args = ["review", "--blind", "--queue", "mined", "--as", "ada"];
    let lines = "a\nwhy\nc hm\ncontext\nshow 1\nagain\n?\n1\n";
    let out = place.answer(&args, lines).success();
    for sign in ["the match\n", "\nmatch:", "weight", "saved: accept"] {
        assert!(!out.contains(sign), "{sign}\n{out}");
    }
    // Neither setup nor focal calls nor assertions are marked.
    let is_marked = |line: &str| {
        line.get(5..8)
            .is_some_and(|text| text.contains(['S', 'A', '>']))
    };
    assert!(!out.lines().any(is_marked), "{out}");
    assert!(out.contains("candidate 1: p.Counter#inc(), "), "{out}");
    assert!(out.contains("    6    "), "{out}");
    let verdicts = json_lines(&place.run(&["verdicts", "--json"]).success());
    assert_eq!(verdicts[0]["judgement"], "pick");
    assert_eq!(verdicts[0]["picked"], "p.Counter#inc()");
}

#[test]
fn any_method_of_the_repository_can_be_found() {
    let place = place();
    let args = ["review", "--queue", "mined", "--as", "ada"];
    let out = place
        .answer(&args, "find SE\nfind nothing\nfind set\n")
        .success();
    assert!(
        out.contains("`SE` is not one method of the repository\n  p.Counter#set(int)"),
        "{out}"
    );
    assert!(out.contains("saved: pick p.Counter#set(int)"), "{out}");
}

#[test]
fn what_names_no_queue_is_a_usage_error() {
    let place = place();
    let check = |args: &[&str], part: &str| {
        let args = [&["review", "--as", "ada"], args].concat();
        let err = place.run(&args).failure(ExitCode::Usage);
        assert!(err.contains(part), "{args:?}: {err}");
    };
    check(&["--queue", "random:x"], "`random:x` means nothing");
    check(&["--queue", "stale:1"], "`stale` takes nothing");
    check(&["--queue", "mined nonsense:1"], "no field `nonsense`");
    check(&["--queue", "status:\u{1b}"], "\u{27e8}001B\u{27e9}");
    check(&["--overlap", "0"], "not a number from 1 on");
    check(&["--as", ""], "");
    let nowhere = Place::new();
    let err = nowhere
        .run(&["review", "--as", "ada"])
        .failure(ExitCode::Input);
    assert!(err.contains("no workspace"), "{err}");
    assert!(!nowhere.path(".focalist").exists());
}

#[test]
fn help_lists_the_queues_and_no_field_is_called_like_one() {
    let place = Place::new();
    let help = place.run(&["review", "--help"]).success();
    for kind in QueueKind::ALL {
        assert!(help.contains(kind.usage()), "{help}");
        assert!(
            FIELDS
                .iter()
                .all(|filter_field| filter_field.name != kind.as_str())
        );
    }
}

#[test]
fn a_full_screen_of_source_says_what_it_hides() {
    let place = place();
    let test = place.path("counter/src/test/java/p/CounterTest.java");
    let text = fs::read_to_string(&test).expect("the test was written");
    let hostile = text.replace("Counter counter", "/* \u{1b}[2J\u{202e} */ Counter counter");
    place.write("counter/src/test/java/p/CounterTest.java", hostile);
    let counter = place.path("counter").to_string_lossy().into_owned();
    place
        .run(&["mine", "--name", "counter", &counter])
        .success();
    let args = ["review", "--queue", "mined", "--as", "ada"];
    let out = place
        .answer(&args, "c \u{1b}]0;x\u{7}\nhistory\n")
        .success();
    assert!(out.contains("⟨001B⟩[2J⟨202E⟩"), "{out}");
    assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out}");
}

#[test]
fn a_line_that_is_no_text_is_no_answer() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.wait_for("\n> ");
    session
        .input
        .write_all(b"\xff\xfe\n\0\na\xff\n")
        .expect("the program reads");
    let (code, out, _) = session.end();
    assert_eq!(code, 0);
    assert!(out.contains("nothing was said"), "{out}");
}

#[test]
fn with_a_terminal_the_ui_is_opened_on_the_queue() {
    let place = place();
    let workspace = place.path("").to_string_lossy().into_owned();
    let opened = |args: &[&str], is_terminal: bool| {
        let args = [
            "focalist",
            "--workspace",
            &workspace,
            "review",
            "--as",
            "ada",
        ]
        .iter()
        .chain(args)
        .map(OsString::from)
        .collect::<Vec<_>>();
        let mut opened = None;
        let code = cli::run(
            args,
            &mut Streams {
                input: &mut io::empty(),
                input_is_terminal: is_terminal,
                out: &mut Vec::new(),
                err: &mut Vec::new(),
                err_is_terminal: false,
                out_is_terminal: true,
                open_ui: &mut |opening| {
                    opened = opening.is_reviewing.then_some(opening.reviewing);
                    Ok(cli::UiClosing::default())
                },
                ui: crate::support::UI,
            },
        );
        assert_eq!(code, ExitCode::Ok);
        opened
    };
    let expected = ReviewOptions {
        queue: "random:7 repo:counter".to_owned(),
        annotator: "ada".to_owned(),
        is_named: true,
        overlap: Overlap { n: 2, share: 0.2 },
        is_blind: true,
        guideline: Some("2".to_owned()),
    };
    let args = [
        "--queue",
        "random:7 repo:counter",
        "--overlap",
        "0.2",
        "--blind",
        "--guideline",
        "2",
    ];
    // Whoever runs the tests on a dumb terminal gets lines.
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    assert_eq!(opened(&args, true), (!is_dumb).then_some(expected));
    // Answers from a pipe, or asked for.
    assert_eq!(opened(&args, false), None);
    assert_eq!(opened(&["--plain"], true), None);
}
