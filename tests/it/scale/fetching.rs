//! Repositories that are fetched, mined and deleted; and those that hang, fail twice, or need too much.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Ended, assert_same, command, dump, focalist, mine_shard, repositories};
use crate::support::Place;

fn git(place: &Place, words: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(words)
        .current_dir(place.path(""))
        .output()
        .expect("git can be started");
    assert!(output.status.success(), "{output:?}");
}

/// Replaces the repositories of the list with URLs of bare ones.
pub fn bare(place: &Place, n_repos: usize) {
    repositories(place, n_repos);
    let mut list = String::new();
    for idx in 0..n_repos {
        let (name, bare) = (format!("r{idx}"), format!("bare/r{idx}.git"));
        git(place, &["init", "--quiet", &name]);
        git(place, &["-C", &name, "add", "."]);
        git(place, &["-C", &name, "commit", "--quiet", "-m", "x"]);
        git(place, &["clone", "--quiet", "--bare", &name, &bare]);
        let url = format!("file://{}", place.path(&bare).display());
        list.push_str(&format!("{{\"url\":\"{url}\"}}\n"));
    }
    place.write("list.jsonl", list);
}

pub const CLONE: &str = "git clone --quiet --depth 1 {url} {dir}";

pub fn plan(place: &Place, fetch: &str) {
    let words = [
        "plan",
        "--list",
        "list.jsonl",
        "--shards",
        "1",
        "--output",
        "plan",
        "--fetch",
        fetch,
    ];
    focalist(&place.path(""), &words).with(0);
}

#[test]
fn what_is_fetched_in_shards_or_in_one_process_is_the_same_and_gone_afterwards() {
    let place = Place::new();
    bare(&place, 3);
    plan(&place, CLONE);
    mine_shard(&place, 0, &[]).with(0);
    let report = fs::read_to_string(place.path("plan/shard-0000/shard.json")).expect("it is there");
    assert!(report.contains("\"n_mined\": 3"), "{report}");
    let names: Vec<_> = fs::read_dir(place.path("plan/shard-0000"))
        .expect("it is there")
        .map(|result| result.expect("it can be read").file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let words = [
        "--workspace",
        "one",
        "mine",
        "--list",
        "list.jsonl",
        "--fetch",
        CLONE,
    ];
    focalist(&place.path(""), &words).with(0);
    assert!(!place.path("one/.focalist/fetch").exists());
    assert_same(&dump(&place, "plan/shard-0000"), &dump(&place, "one"));
}

#[test]
fn a_plan_of_somebody_else_starts_no_program_until_it_is_trusted() {
    let place = Place::new();
    bare(&place, 1);
    place.write(
        "fetch.sh",
        "echo begun > begun; exec git clone --quiet \"$1\" \"$2\"",
    );
    let fetch = "sh fetch.sh {url} {dir}";
    plan(&place, fetch);
    // It comes with a folder: elsewhere, or with another program.
    fs::rename(place.path("plan"), place.path("cloned")).expect("nothing is there");
    let words = [
        "mine",
        "--shard",
        "cloned/shard-0000.jsonl",
        "--output",
        "mined",
    ];
    let mine = |more: &[&str]| focalist(&place.path(""), &[&words[..], more].concat());
    let trust = |more: &[&str]| {
        let words = [&["trust", "cloned/plan.json"], more].concat();
        focalist(&place.path(""), &words)
    };
    let told = mine(&[]).with(2);
    assert!(
        told.contains("not trusted: `sh fetch.sh")
            && told.contains("focalist trust cloned/plan.json"),
        "{told}"
    );
    assert!(!place.path("begun").exists());
    let shown = trust(&["--yes"]);
    assert!(
        shown
            .out
            .contains("fetches repositories by `sh fetch.sh {url} {dir}`"),
        "{}",
        shown.out
    );
    shown.with(0);
    // Another command is another plan.
    let path = place.path("cloned/plan.json");
    let text = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, text.replace("sh fetch.sh", "sh -e fetch.sh")).expect("it is ours");
    mine(&[]).with(2);
    fs::write(&path, text).expect("it is ours");
    trust(&["--revoke"]).with(0);
    mine(&[]).with(2);
    assert!(!place.path("begun").exists());
    trust(&["--yes"]).with(0);
    mine(&[]).with(0);
    assert!(place.path("begun").exists(), "what is trusted works");
    fs::remove_file(place.path("begun")).expect("it is ours");
    trust(&["--revoke"]).with(0);
    let said = mine(&[]).with(0);
    assert!(said.contains("is done already"), "{said}");
    let asked = mine(&["--force", "--fetch", fetch]);
    asked.with(0);
    assert!(place.path("begun").exists(), "what the user says works");
}

#[test]
fn who_is_killed_while_it_fetches_goes_on_where_it_was() {
    let place = Place::new();
    bare(&place, 3);
    let words = [
        "--workspace",
        "one",
        "mine",
        "--list",
        "list.jsonl",
        "--fetch",
    ];
    let fetched = |fetch: &str| {
        let mut mine = command(&place.path(""), &words);
        mine.arg(fetch).output().expect("it runs")
    };
    // What was not stored before the second repository was asked for would be asked for again.
    let script = "echo $1 >> asked
        case $1 in *r1.git) if [ ! -e killed ]; then touch killed; mkdir $2; kill -9 $PPID; exit 1; fi;; esac
        exec git clone --quiet --depth 1 \"$1\" \"$2\"";
    place.write("fetch.sh", script);
    let script = format!("sh {} {{url}} {{dir}}", place.path("fetch.sh").display());
    let killed = fetched(&script);
    assert_eq!(killed.status.code(), None, "{killed:?}");
    assert!(place.path("one/.focalist/fetch").exists());
    let ended = fetched(&script);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(!place.path("one/.focalist/fetch").exists());
    let asked = fs::read_to_string(place.path("asked")).expect("it is there");
    let asked: Vec<_> = asked
        .lines()
        .filter_map(|line| line.rsplit('/').next())
        .collect();
    assert_eq!(asked, ["r0.git", "r1.git", "r1.git", "r2.git"]);
    plan(&place, CLONE);
    mine_shard(&place, 0, &[]).with(0);
    assert_same(&dump(&place, "plan/shard-0000"), &dump(&place, "one"));
}

#[test]
fn what_fails_twice_is_tried_again_and_what_is_not_there_is_no_failed_shard() {
    let place = Place::new();
    bare(&place, 2);
    let mut list = fs::read_to_string(place.path("list.jsonl")).expect("it is there");
    list.push_str("{\"url\":\"file:///no/such/repository\"}\n");
    place.write("list.jsonl", list);
    let script = "case $1 in *r1.git) n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n
        if [ $n -lt 2 ]; then echo 'fatal: early EOF' >&2; exit 128; fi;; esac
        exec git clone --quiet --depth 1 \"$1\" \"$2\"";
    place.write("fetch.sh", script);
    plan(&place, "sh fetch.sh {url} {dir}");
    for _ in 0..2 {
        let said = mine_shard(&place, 0, &[]).with(75);
        assert!(
            said.contains("1 repository has to be tried again"),
            "{said}"
        );
        assert!(said.contains("early EOF"), "{said}");
    }
    let said = mine_shard(&place, 0, &[]).with(0);
    assert!(said.contains("2 repositories mined, 1 skipped"), "{said}");
    assert!(said.contains("was skipped: fetch: "), "{said}");
}

#[test]
fn what_never_works_is_skipped_in_the_end() {
    let place = Place::new();
    bare(&place, 1);
    place.write(
        "fetch.sh",
        "echo 'fatal: Could not resolve host: x' >&2; exit 128",
    );
    plan(&place, "sh fetch.sh {url} {dir}");
    mine_shard(&place, 0, &["--repo-tries", "2"]).with(75);
    mine_shard(&place, 0, &["--repo-tries", "2"]).with(75);
    let said = mine_shard(&place, 0, &["--repo-tries", "2"]).with(0);
    assert!(
        said.contains("was skipped: failed: tried 2 times: Could not resolve host"),
        "{said}"
    );
}

#[test]
fn who_hangs_or_wants_too_much_costs_only_itself() {
    let place = Place::new();
    bare(&place, 2);
    let script = "case $1 in *r0.git) sleep 600 & wait;; esac
        exec git clone --quiet --depth 1 \"$1\" \"$2\"";
    place.write("fetch.sh", script);
    plan(&place, "sh fetch.sh {url} {dir}");
    let started = Instant::now();
    let said = mine_shard(&place, 0, &["--repo-timeout", "10s"]).with(0);
    assert!(
        said.contains("was skipped: timeout: while it was fetched"),
        "{said}"
    );
    assert!(said.contains("1 repository mined, 1 skipped"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(300));
    fs::remove_dir_all(place.path("plan")).expect("it is ours");
    plan(&place, CLONE);
    let said = mine_shard(&place, 0, &["--repo-memory", "1K"]).with(0);
    assert!(said.contains("was skipped: memory: "), "{said}");
}

#[test]
fn nobody_is_asked_for_a_password() {
    let place = Place::new();
    // What git would do where a server wants a password.
    let script = "if [ \"$GIT_TERMINAL_PROMPT$GIT_CONFIG_NOSYSTEM$GIT_CONFIG_GLOBAL\" != 01/dev/null ]; then exit 0; fi
        if read line; then exit 0; fi
        echo 'fatal: could not read Username: terminal prompts disabled' >&2; exit 128";
    place.write("fetch.sh", script);
    place.write("list.jsonl", "{\"url\":\"https://example.org/p\"}\n");
    plan(&place, "sh fetch.sh {url} {dir}");
    let said = mine_shard(&place, 0, &[]).with(0);
    assert!(
        said.contains("was skipped: fetch: could not read Username"),
        "{said}"
    );
}

#[test]
fn a_folder_in_use_is_refused_and_one_of_another_shard_is_not_touched() {
    let place = Place::new();
    bare(&place, 1);
    place.write("fetch.sh", "echo begun > begun; sleep 600 & wait");
    plan(&place, "sh fetch.sh {url} {dir}");
    let words = [
        "mine",
        "--shard",
        "plan/shard-0000.jsonl",
        "--output",
        "plan/shard-0000",
    ];
    let mut first = command(&place.path(""), &words)
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started");
    while !place.path("begun").exists() {
        assert!(
            first.try_wait().expect("it is ours").is_none(),
            "it has ended"
        );
        std::thread::yield_now();
    }
    let said = mine_shard(&place, 0, &[]).with(75);
    assert!(
        said.contains("is being written by another process"),
        "{said}"
    );
    let pid = first.id().to_string();
    let interrupted = Command::new("kill").args(["-INT", &pid]).status();
    assert!(interrupted.is_ok_and(|exit_status| exit_status.success()));
    let code = first.wait().expect("it is ours").code();
    assert_eq!(code, Some(130));
    let workspace = "other";
    focalist(&place.path(""), &["--workspace", workspace, "mine", "r0"]).with(0);
    let words = [
        "mine",
        "--shard",
        "plan/shard-0000.jsonl",
        "--output",
        workspace,
    ];
    let said = Ended::with(focalist(&place.path(""), &words), 2);
    assert!(said.contains("was not made from this shard"), "{said}");
}
