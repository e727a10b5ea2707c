//! The forms: the arguments of filled fields, and their flaws.

use super::*;

use crate::model::{JobId, JobProgress, JobState};

impl JobForm {
    /// Returns the index of a field; that of the last one, a choice that is no argument, where there is no such field.
    fn place(&self, name: &str) -> usize {
        self.at(name).min(self.specs.len() - 1)
    }

    /// Returns the name of the run that is imported.
    fn run(&self) -> &str {
        self.form.text(self.at("--run")).trim()
    }
}

fn form(kind: impl Into<JobStart>) -> JobForm {
    JobForm::new(
        kind.into(),
        &focalist_cli::verbs(),
        None,
        vec!["taken".to_owned()],
    )
}

/// Makes the form after a job with these arguments.
fn again(kind: JobKind, arguments: &[&str]) -> JobForm {
    let last = row(kind, arguments);
    JobForm::new(kind.into(), &focalist_cli::verbs(), Some(&last), Vec::new())
}

fn filled(kind: impl Into<JobStart>, fields: &[(&str, &str)]) -> JobForm {
    let mut form = form(kind);
    for (name, text) in fields {
        let at = form.place(name);
        form.form.go(at);
        form.edit(InputCommand::DeleteAll);
        form.insert(text);
    }
    form
}

fn words(arguments: &[&str]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}

fn check(kind: impl Into<JobStart>, fields: &[(&str, &str)], expected: &[&str]) {
    let mut form = filled(kind, fields);
    let submitted = form.submit();
    assert_eq!(submitted, Some(words(expected)), "{:?}", form.form.flaw);
}

fn check_flaw(kind: impl Into<JobStart>, fields: &[(&str, &str)], name: &str, expected: &str) {
    let mut form = filled(kind, fields);
    assert_eq!(form.submit(), None);
    let (wrong, text) = form.form.flaw.clone().expect("something is wrong");
    assert!(
        wrong == form.place(name) && text.contains(expected),
        "{text}"
    );
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
            ("--run", "mine"),
            ("--model", "big"),
            ("--kind", "t"),
            ("FILTER", "split:test"),
            ("--n", "4"),
            ("--temperature", "0.05..0.40:0.05"),
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
        &[("PATH", "repos"), ("--each", "y"), ("--matcher", "c")],
        &["mine", "--each", "--matcher=contest", "--", "repos"],
    );
    check(
        JobKind::Mine,
        &[("--list", "a.jsonl"), ("typed", "--jobs 2 --seed '4'")],
        &["mine", "--list=a.jsonl", "--jobs", "2", "--seed", "4"],
    );
    check(
        JobKind::Import,
        &[
            ("FILE", "runs/carbon.jsonl"),
            ("--model", "Carbon"),
            ("--target", "t"),
            ("--extract", "m"),
            ("--max-length", "512"),
            ("--aligned-with", "split:test"),
            ("--replace", "y"),
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
        &[("RUN", "taken"), ("--metrics", "em bleu")],
        &["eval", "--metrics=em,bleu", "--", "taken"],
    );
    check(JobKind::Eval, &[], &["eval"]);
    check(
        JobKind::Export,
        &[
            ("--output", "-x.jsonl"),
            ("--force", "y"),
            ("--filter", "-status:tie"),
            ("--split", "train"),
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
        &[("FILTER", "repo:gson"), ("--threshold", "0.5")],
        &["leakage", "--threshold=0.5", "--", "repo:gson"],
    );
    check(
        JobKind::Execute,
        &[
            ("RUN", "taken"),
            ("--engine", "m"),
            ("--timeout", "2.5"),
            ("--force", "y"),
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
        &[("--truth", "y")],
        &["execute", "--truth"],
    );
}

#[test]
fn what_is_wrong_is_said_at_its_field() {
    use JobKind::{Eval, Execute, Export, Import, Leakage, Mine};
    let both = [("RUN", "taken"), ("--truth", "y")];
    check_flaw(Execute, &both, "--truth", "either a run");
    check_flaw(Execute, &[("--timeout", "0")], "--timeout", "seconds");
    check_flaw(Mine, &[], "PATH", "which folder");
    check_flaw(Mine, &[("PATH", "a"), ("typed", "'b")], "typed", "closed");
    check_flaw(Import, &[], "FILE", "which file");
    check_flaw(
        Import,
        &[("FILE", "a.jsonl"), ("--run", " ")],
        "--run",
        "needs a name",
    );
    check_flaw(
        Import,
        &[("FILE", "taken.jsonl")],
        "--run",
        "this run exists",
    );
    for length in ["many", "0"] {
        let fields = [("FILE", "a.jsonl"), ("--max-length", length)];
        check_flaw(Import, &fields, "--max-length", length);
    }
    let fields = [("FILE", "a.jsonl"), ("--aligned-with", "splat:test")];
    check_flaw(Import, &fields, "--aligned-with", "splat");
    check_flaw(
        Import,
        &[("FILE", "a.txt")],
        "--aligned-with",
        "name no sample",
    );
    check_flaw(Eval, &[("RUN", "gone")], "RUN", "no such run");
    check_flaw(Eval, &[("--metrics", "blau")], "--metrics", "blau");
    check_flaw(Export, &[], "--output", "which file");
    check_flaw(
        Leakage,
        &[("--threshold", "0.1")],
        "--threshold",
        "0.3 to 1",
    );
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
    check(JobKind::Import, "FILE", (false, false), false);
    check(JobKind::Import, "FILE", (true, false), true);
    check(JobKind::Mine, "PATH", (true, false), false);
    check(JobKind::Mine, "PATH", (false, true), true);
    check(JobKind::Export, "--output", (false, true), false);
    check(JobKind::Export, "--output", (false, false), true);
}

#[test]
fn the_name_follows_the_file_until_somebody_changes_it() {
    let mut form = filled(JobKind::Import, &[("FILE", "runs/a.test.jsonl")]);
    let run = form.at("--run");
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
        let mut form = again(kind, arguments);
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
            "--jobs=2",
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
        &["leakage", "--limit=5", "--", "repo:gson status:ok"],
    );
    let last = ["import", "a.jsonl", "--run", "a", "--target=test"];
    let form = again(JobKind::Import, &last);
    assert_eq!((form.form.text(0), form.run()), ("", ""));
    assert_eq!(form.form.text(form.at("--target")), "test");
}

#[test]
fn an_option_of_the_last_job_has_its_own_field() {
    let form = again(JobKind::Mine, &["mine", "repo", "--language", "python"]);
    assert_eq!(form.form.text(form.at("--language")), "python");
    assert_eq!(form.form.text(form.place("typed")), "");
    // Rare fields that were used are shown; the others stay behind `more`.
    let mut form = again(JobKind::Mine, &["mine", "repo", "--seed=4", "--traces"]);
    for (name, text) in [("--seed", "4"), ("--traces", "yes")] {
        assert!(form.at(name) < form.form.n_shown, "{name}");
        assert_eq!(form.form.text(form.at(name)), text);
    }
    assert!(form.at("--repo-filter") >= form.form.n_shown);
    let more = form.form.n_shown - 1;
    form.form.go(more);
    form.insert("y");
    assert_eq!(form.form.n_shown, form.specs.len());
    form.insert("n");
    assert_eq!(form.form.n_shown, more + 1);
}

#[test]
fn what_a_field_cannot_show_stays_a_word() {
    let check = |kind, arguments: &[&str], expected: &[&str]| {
        let mut form = again(kind, arguments);
        assert_eq!(form.submit(), Some(words(expected)), "{:?}", form.form.flaw);
    };
    check(
        JobKind::Mine,
        &["mine", "--matcher=contest,mera", "repo"],
        &["mine", "--matcher=contest,mera", "--", "/data/repo"],
    );
    let set = ["train", "--set", "seed=1", "--set=x=2", "--train=t"];
    let form = again(JobKind::Train, &set);
    assert_eq!(form.form.text(form.at("--set")), "seed=1");
    assert_eq!(form.form.text(form.place("typed")), "--set=x=2");
}

#[test]
fn a_flaw_behind_more_is_shown() {
    let mut form = filled(JobKind::Mine, &[("PATH", "repo"), ("--seed", "x")]);
    assert!(form.at("--seed") >= form.form.n_shown);
    assert_eq!(form.submit(), None);
    assert_eq!(form.form.at, form.at("--seed"));
    assert!(form.form.at < form.form.n_shown);
}

#[test]
fn a_line_is_taken_apart_as_it_was_put_together() {
    for line in [&["a", "b c", "it's", ""][..], &["--x=*", "ü"], &[]] {
        let joined = job::command_line(&words(line));
        let expected: Vec<String> = line.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(split(&joined), Ok(expected));
    }
}

#[test]
fn what_is_typed_takes_the_place_of_a_suggestion() {
    let mut form = filled(JobKind::Import, &[("FILE", "runs/carbon.jsonl")]);
    assert_eq!(form.run(), "carbon");
    form.form.go(form.at("--run"));
    form.insert("gold");
    assert_eq!(form.run(), "gold");
}

#[test]
fn an_action_has_a_form_of_its_own() {
    let start = |name: &str| JobStart::parse(name).expect("it can be started");
    check(
        start("clover eval"),
        &[("--answers", "Cargo.toml"), ("--timeout", "5")],
        &["clover", "eval", "--answers=Cargo.toml", "--timeout=5"],
    );
    check_flaw(start("clover eval"), &[], "--answers", "which file");
    check(
        start("benchmark split"),
        &[("FILTER", "status:ok")],
        &["benchmark", "split", "--", "status:ok"],
    );
    check(
        start("consistency"),
        &[("--from", "Cargo.toml"), ("--run", "taken")],
        &["consistency", "--from=Cargo.toml", "--run=taken"],
    );
    check(
        start("mutate"),
        &[("--filter", "repo:gson"), ("--output", "variants.jsonl")],
        &["mutate", "--filter=repo:gson", "--output=variants.jsonl"],
    );
    check_flaw(start("mutate"), &[], "PATH", "which sources");
    check_flaw(
        start("mutate"),
        &[("PATH", "src")],
        "--output",
        "which file",
    );
}
