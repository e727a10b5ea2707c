//! Shards without mining: which commands and URLs are accepted, what a journal records, and how processes that do not
//! end well are handled.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::exchange::repo_list::RepoLine;
use crate::exchange::shards::WireShardRepo;
use crate::fetch::{Fetch, check_url, is_passing, name_of};
use crate::filter::{RepoFilter, StepCounter};
use crate::journal::Journal;
use crate::task::Monitor;
use crate::worker::{WorkerExit, WorkerLimits, run};

#[test]
fn a_command_is_split_into_arguments_without_a_shell() {
    let check = |text: &str, expected: Result<&[&str], &str>| {
        let words = Fetch::parse(text).map(|fetch| {
            let command = fetch.command("file:///a b;c", Path::new("/d e"));
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            let words = words.map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>()
        });
        let expected =
            expected.map(|expected| expected.iter().map(|text| (*text).to_owned()).collect());
        let words = words.map_err(|error| error.to_string());
        assert_eq!(words, expected.map_err(str::to_owned), "{text}");
    };
    check(
        "git clone  --depth 1 {url} {dir}",
        Ok(&["git", "clone", "--depth", "1", "file:///a b;c", "/d e"]),
    );
    check(
        "get 'from {url}' \"\" --to={dir}/x $HOME",
        Ok(&["get", "from file:///a b;c", "", "--to=/d e/x", "$HOME"]),
    );
    check("git clone {url}", Err("it has no `{dir}`"));
    check("git clone {dir}", Err("it has no `{url}`"));
    check(
        "{url} {dir}",
        Err("it must begin with the name of a program"),
    );
    check("git '{url} {dir}", Err("a quote does not end"));
    check(" ", Err("it is empty"));
}

#[test]
fn only_urls_of_https_ssh_and_file_are_fetched() {
    for url in [
        "https://example.org/a/b.git",
        "ssh://git@example.org:22/a/b",
        "git@example.org:a/b.git",
        "file:///srv/a.git",
    ] {
        assert_eq!(check_url(url), Ok(()), "{url}");
    }
    for url in [
        "-u",
        "--upload-pack=touch x",
        "http://example.org/a",
        "git://example.org/a",
        "ext::sh -c x",
        "ext::x",
        "ssh://-oProxyCommand=x/a",
        "git@-oProxyCommand=x:a",
        "/srv/a.git",
        "../a",
        "https://example.org/a b",
        "https://example.org/a\u{1b}[2J",
        "",
    ] {
        assert!(check_url(url).is_err(), "{url}");
    }
}

#[test]
fn a_repository_is_called_as_the_end_of_its_url() {
    for (url, expected) in [
        ("https://example.org/a/gson.git", "gson"),
        ("git@example.org:gson/", "gson"),
        ("file:///srv/..", "repository"),
        ("https://example.org/a/.git", "a"),
        ("https://example.org/a/-x y", "xy"),
    ] {
        assert_eq!(name_of(url), expected, "{url}");
    }
}

#[test]
fn the_network_may_be_better_the_next_time_and_a_password_not() {
    assert!(is_passing(
        "fatal: unable to access: Could not resolve host: x"
    ));
    assert!(is_passing("error: RPC failed; HTTP 502"));
    assert!(!is_passing(
        "fatal: could not read Username: terminal prompts disabled"
    ));
    assert!(!is_passing("fatal: repository 'x' does not exist"));
}

#[test]
fn what_is_unknown_passes_a_filter_and_is_counted() {
    let line = |stars: Option<u32>, is_fork: Option<bool>, license: Option<&str>| RepoLine {
        stars,
        is_fork,
        license: license.map(str::to_owned),
        ..RepoLine::default()
    };
    let mut steps = StepCounter::new(Some(RepoFilter::Contest));
    assert_eq!(
        steps.left_out_by(&line(Some(20), Some(true), None)),
        Some("fork")
    );
    assert_eq!(steps.left_out_by(&line(Some(21), Some(true), None)), None);
    assert_eq!(steps.left_out_by(&line(None, Some(true), None)), None);
    assert_eq!(steps.left_out_by(&line(Some(0), Some(false), None)), None);
    let counts: Vec<(u64, u64)> = steps
        .funnel()
        .iter()
        .map(|filter_step| (filter_step.n_passed, filter_step.n_unknown))
        .collect();
    assert_eq!(counts, [(4, 0), (3, 1)]);
    let mut steps = StepCounter::new(Some(RepoFilter::Mera));
    assert_eq!(
        steps.left_out_by(&line(Some(11), Some(false), Some("MIT"))),
        None
    );
    assert_eq!(
        steps.left_out_by(&line(Some(10), Some(false), Some("MIT"))),
        Some("stars")
    );
    assert_eq!(
        steps.left_out_by(&line(Some(99), Some(true), Some("MIT"))),
        Some("fork")
    );
    assert_eq!(
        steps.left_out_by(&line(Some(99), None, Some("GPL-3.0"))),
        Some("license")
    );
    assert_eq!(steps.left_out_by(&line(None, None, None)), None);
}

#[test]
fn a_journal_goes_on_behind_half_a_line_and_forgets_what_was_about_something_else() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join("journal.jsonl");
    let open = |stamp: &str| Journal::open(&path, stamp).expect("the disk is there");
    let mut journal = open("a").expect("it is new");
    journal.begin(1).expect("it is written");
    journal
        .end(WireShardRepo {
            line: 1,
            ..WireShardRepo::default()
        })
        .expect("it is written");
    journal.begin(2).expect("it is written");
    journal.fail(2, "early EOF").expect("it is written");
    journal.begin(3).expect("it is written");
    journal.leave(3).expect("it is written");
    journal.begin(4).expect("it is written");
    drop(journal);
    let text = std::fs::read_to_string(&path).expect("it is there");
    std::fs::write(&path, text + "{\"done\":{\"line\":4").expect("tests may write");
    let journal = open("a").expect("it is ours");
    assert!(journal.done.contains_key(&1) && journal.done.len() == 1);
    let failed: Vec<(u32, u32)> = journal
        .failed
        .iter()
        .map(|failed| (*failed.0, failed.1.0))
        .collect();
    assert_eq!(failed, [(2, 1), (3, 0), (4, 1)]);
    assert_eq!(journal.failed[&2].1, "early EOF");
    assert!(open("b").is_none());
}

#[test]
fn a_process_that_takes_too_long_ends_with_all_that_it_started() {
    let lock = File::open("/dev/null").expect("it is there");
    let monitor = Monitor::default();
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 600 & sleep 600"]);
    let limits = WorkerLimits {
        end_by: Some(Instant::now() + Duration::from_millis(50)),
        memory_bytes: None,
    };
    // Waiting for the pipes means waiting for every process that holds them.
    let ended = run(command, &lock, limits, &monitor);
    assert!(matches!(ended, Ok(WorkerExit::TooLong)), "{ended:?}");
    let mut command = Command::new("sh");
    command.args(["-c", "echo out; echo said >&2; exit 7"]);
    let ended = run(command, &lock, WorkerLimits::default(), &monitor);
    let Ok(WorkerExit::Exited { code: 7, out, said }) = ended else {
        unreachable!("{ended:?}")
    };
    assert_eq!((out.as_slice(), said.as_str()), (&b"out\n"[..], "said\n"));
    let mut command = Command::new("sh");
    command.args(["-c", "kill -9 $$"]);
    let ended = run(command, &lock, WorkerLimits::default(), &monitor);
    assert!(
        matches!(ended, Ok(WorkerExit::Signalled { signal: 9, .. })),
        "{ended:?}"
    );
}
