//! The forms: what comes of what is filled in, and what is wrong with it.

use super::*;

use crate::model::{JobId, JobProgress, JobState};

impl JobForm {
    /// Returns the name of the run that is imported.
    fn run(&self) -> &str {
        self.form.text(self.at("run")).trim()
    }
}

fn form(kind: JobKind) -> JobForm {
    JobForm::new(kind, None, vec!["taken".to_owned()])
}

fn filled(kind: JobKind, fields: &[(&str, &str)]) -> JobForm {
    let mut form = form(kind);
    for (label, text) in fields {
        let at = form.at(label);
        form.form.go(at);
        form.edit(InputCommand::DeleteAll);
        form.insert(text);
    }
    form
}

fn words(arguments: &[&str]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}

fn check(kind: JobKind, fields: &[(&str, &str)], expected: &[&str]) {
    let mut form = filled(kind, fields);
    let submitted = form.submit();
    assert_eq!(submitted, Some(words(expected)), "{:?}", form.form.flaw);
}

fn check_flaw(kind: JobKind, fields: &[(&str, &str)], label: &str, expected: &str) {
    let mut form = filled(kind, fields);
    assert_eq!(form.submit(), None);
    let (wrong, text) = form.form.flaw.clone().expect("something is wrong");
    assert!(wrong == form.at(label) && text.contains(expected), "{text}");
    assert_eq!(form.form.at, wrong);
}

fn row(kind: JobKind, arguments: &[&str]) -> JobRow {
    JobRow {
        id: JobId(1),
        kind,
        arguments: words(arguments),
        folder: "/data".into(),
        is_background: true,
        retry_of: None,
        state: JobState::Done,
        is_cancel_asked: false,
        progress: JobProgress::default(),
        since: None,
        message: String::new(),
        changes: None,
        exit_code: None,
        pid: None,
        host: String::new(),
        created_ms: 0,
        started_ms: None,
        ended_ms: None,
        heartbeat_ms: 0,
        is_ours: true,
    }
}

#[test]
fn a_model_is_asked_as_the_fields_say() {
    check(
        JobKind::Generate,
        &[
            ("run", "mine"),
            ("model", "big"),
            ("kind", "t"),
            ("filter", "split:test"),
            ("answers", "4"),
            ("temperature", "0.05..0.40:0.05"),
        ],
        &[
            "generate",
            "--run=mine",
            "--model=big",
            "--kind=test",
            "--n=4",
            "--temperature=0.05..0.40:0.05",
            "--",
            "split:test",
        ],
    );
}

#[test]
fn fields_come_to_what_the_command_line_takes() {
    check(
        JobKind::Mine,
        &[("folder", "repos"), ("each", "y"), ("matcher", "c")],
        &["mine", "--each", "--matcher=contest", "--", "repos"],
    );
    check(
        JobKind::Mine,
        &[("list", "a.jsonl"), ("more", "--jobs 2 --seed '4 2'")],
        &["mine", "--list=a.jsonl", "--jobs", "2", "--seed", "4 2"],
    );
    check(
        JobKind::Import,
        &[
            ("file", "runs/carbon.jsonl"),
            ("model", "Carbon"),
            ("target", "t"),
            ("extract", "m"),
            ("max length", "512"),
            ("aligned with", "split:test"),
            ("replace", "y"),
        ],
        &[
            "import",
            "--run=carbon",
            "--model=Carbon",
            "--target=test",
            "--extract=mera",
            "--max-length=512",
            "--aligned-with=split:test",
            "--replace",
            "--",
            "runs/carbon.jsonl",
        ],
    );
    check(
        JobKind::Eval,
        &[("run", "taken"), ("metrics", "em bleu")],
        &["eval", "--run=taken", "--metrics=em,bleu"],
    );
    check(JobKind::Eval, &[], &["eval"]);
    check(
        JobKind::Export,
        &[
            ("output", "-x.jsonl"),
            ("replace", "y"),
            ("filter", "-status:tie"),
            ("split", "t"),
        ],
        &[
            "export",
            "--output=-x.jsonl",
            "--filter=-status:tie",
            "--split=train",
            "--force",
        ],
    );
    check(
        JobKind::Leakage,
        &[("filter", "repo:gson"), ("threshold", "0.5")],
        &["leakage", "--threshold=0.5", "--", "repo:gson"],
    );
    check(
        JobKind::Execute,
        &[
            ("run", "taken"),
            ("engine", "m"),
            ("timeout", "2.5"),
            ("again", "y"),
        ],
        &[
            "execute",
            "--engine=maven",
            "--timeout=2.5",
            "--force",
            "--",
            "taken",
        ],
    );
    check(
        JobKind::Execute,
        &[("true tests", "y")],
        &["execute", "--truth"],
    );
}

#[test]
fn what_is_wrong_is_said_at_its_field() {
    use JobKind::{Eval, Execute, Export, Import, Leakage, Mine};
    let both = [("run", "taken"), ("true tests", "y")];
    check_flaw(Execute, &both, "true tests", "either a run");
    check_flaw(Execute, &[("timeout", "0")], "timeout", "seconds");
    check_flaw(Mine, &[], "folder", "which folder");
    check_flaw(Mine, &[("folder", "a"), ("more", "'b")], "more", "closed");
    check_flaw(Import, &[], "file", "which file");
    check_flaw(
        Import,
        &[("file", "a.jsonl"), ("run", " ")],
        "run",
        "needs a name",
    );
    check_flaw(
        Import,
        &[("file", "taken.jsonl")],
        "run",
        "there is such a run",
    );
    for length in ["many", "0"] {
        let fields = [("file", "a.jsonl"), ("max length", length)];
        check_flaw(Import, &fields, "max length", "number");
    }
    let fields = [("file", "a.jsonl"), ("aligned with", "splat:test")];
    check_flaw(Import, &fields, "aligned with", "splat");
    check_flaw(
        Import,
        &[("file", "a.txt")],
        "aligned with",
        "name no sample",
    );
    check_flaw(Eval, &[("run", "gone")], "run", "no such run");
    check_flaw(Eval, &[("metrics", "blau")], "metrics", "blau");
    check_flaw(Export, &[], "output", "which file");
    check_flaw(Leakage, &[("threshold", "0.1")], "threshold", "0.3 to 1");
}

#[test]
fn a_path_that_is_not_there_is_said_before_anything_starts() {
    let check = |kind, label, (is_file, is_folder), is_right: bool| {
        let mut form = filled(kind, &[(label, "a")]);
        let at = form.at(label);
        form.form.go(at);
        assert_eq!(form.asks_for(), Some("a"));
        form.take_listing(&Listing {
            typed: "a".to_owned(),
            is_file,
            is_folder,
            ..Listing::default()
        });
        assert_eq!(form.submit().is_some(), is_right, "{kind:?} {label}");
    };
    check(JobKind::Import, "file", (false, false), false);
    check(JobKind::Import, "file", (true, false), true);
    check(JobKind::Mine, "folder", (true, false), false);
    check(JobKind::Mine, "folder", (false, true), true);
    check(JobKind::Export, "output", (false, true), false);
    check(JobKind::Export, "output", (false, false), true);
}

#[test]
fn the_name_follows_the_file_until_somebody_changes_it() {
    let mut form = filled(JobKind::Import, &[("file", "runs/a.test.jsonl")]);
    let run = form.at("run");
    assert_eq!(form.run(), "a");
    form.form.go(run);
    form.edit(InputCommand::End);
    form.insert("2");
    form.form.go(0);
    form.edit(InputCommand::DeleteAll);
    form.insert("b.jsonl");
    assert_eq!(form.run(), "a2");
}

#[test]
fn the_last_job_of_a_kind_fills_in_what_is_likely_again() {
    let check = |kind, arguments: &[&str], expected: &[&str]| {
        let mut form = JobForm::new(kind, Some(&row(kind, arguments)), Vec::new());
        assert_eq!(form.submit(), Some(words(expected)), "{:?}", form.form.flaw);
    };
    check(
        JobKind::Mine,
        &[
            "--quiet",
            "mine",
            "--background",
            "--force",
            "--jobs",
            "2",
            "--matcher",
            "contest",
            "repo",
            "../b",
        ],
        &[
            "mine",
            "--matcher=contest",
            "--jobs",
            "2",
            "/data/../b",
            "--",
            "/data/repo",
        ],
    );
    check(
        JobKind::Export,
        &["export", "-o", "x.jsonl", "--all", "--filter=weight<0.5 a"],
        &[
            "export",
            "--output=/data/x.jsonl",
            "--filter=weight<0.5 a",
            "--all",
        ],
    );
    check(
        JobKind::Leakage,
        &["leakage", "repo:gson", "status:ok", "--limit", "5"],
        &["leakage", "--limit", "5", "--", "repo:gson status:ok"],
    );
    let last = row(
        JobKind::Import,
        &["import", "a.jsonl", "--run", "a", "--target=test"],
    );
    let form = JobForm::new(JobKind::Import, Some(&last), Vec::new());
    assert_eq!((form.form.text(0), form.run()), ("", ""));
    assert_eq!(form.form.text(form.at("target")), "test");
}

#[test]
fn a_line_is_taken_apart_as_it_was_put_together() {
    for line in [&["a", "b c", "it's", ""][..], &["--x=*", "ü"], &[]] {
        let joined = job::command_line(&words(line));
        let expected: Vec<String> = line.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(split(&joined), Ok(expected));
    }
}

#[test]
fn what_is_typed_takes_the_place_of_a_suggestion() {
    let mut form = filled(JobKind::Import, &[("file", "runs/carbon.jsonl")]);
    assert_eq!(form.run(), "carbon");
    form.form.go(form.at("run"));
    form.insert("gold");
    assert_eq!(form.run(), "gold");
}
