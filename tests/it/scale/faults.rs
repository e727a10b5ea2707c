//! Failures around shards: the disk is full, a repository kills the process that mines it, a server requires a
//! password.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

use super::engines::has_engines;
use super::fetching::{CLONE, bare, plan};
use super::{
    Ended, assert_same, dump, focalist, in_one_go, merged, mine_shard, planned, repositories,
};
use crate::support::Place;

/// Runs a shell script with the program as `$focalist`.
fn shell(place: &Place, script: &str) -> Ended {
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(place.path(""))
        .env("focalist", env!("CARGO_BIN_EXE_focalist"))
        .env_remove("FOCALIST_WORKSPACE")
        .output();
    output.expect("sh can be started").into()
}

const MINE: &str = "\"$focalist\" --config /dev/null mine --shard plan/shard-0000.jsonl --output plan/shard-0000 --jobs 1";

#[test]
fn who_may_write_no_more_says_to_try_again_and_goes_on_later() {
    let place = Place::new();
    repositories(&place, 4);
    planned(&place, 1);
    // Files may not be longer than this: for the system as good as a full disk, and everybody may set it.
    for n_blocks in [1, 64, 512] {
        let script = format!("trap '' XFSZ; ulimit -f {n_blocks}; exec {MINE}");
        let said = shell(&place, &script).with(75);
        assert!(said.contains("finished work is kept"), "{n_blocks}: {said}");
        assert!(!place.path("plan/shard-0000").exists());
    }
    mine_shard(&place, 0, &[]).with(0);
    assert_same(&dump(&place, "plan/shard-0000"), &in_one_go(&place));
}

#[test]
fn a_full_disk_says_to_try_again_and_with_room_it_is_done() {
    if !has_engines() {
        return;
    }
    let place = Place::new();
    repositories(&place, 4);
    planned(&place, 1);
    let whole = "\"$focalist\" --config /dev/null mine --shard plan/shard-0000.jsonl --output full/shard-0000 --jobs 1";
    // A small disk of its own, which goes with the shell.
    let script = format!(
        "mkdir full && exec bwrap --dev-bind / / --size 6000000 --tmpfs \"$PWD/full\" --chdir \"$PWD\" sh -c '
            head -c 5800000 /dev/zero > full/fill
            {whole}; echo \"first $?\" >&2
            rm full/fill
            {whole}; echo \"second $?\" >&2
            cp -r full/shard-0000 kept'"
    );
    let said = shell(&place, &script).with(0);
    assert!(
        said.contains("first 75\n") && said.contains("second 0\n"),
        "{said}"
    );
    assert_same(&dump(&place, "kept"), &in_one_go(&place));
}

#[test]
fn who_kills_its_shard_each_time_is_skipped_and_the_merge_says_so() {
    let place = Place::new();
    bare(&place, 3);
    // The shard's process itself, as a machine does that has no memory left.
    let script = "case $1 in *r1.git) kill -9 $PPID; exit 1;; esac
        exec git clone --quiet --depth 1 \"$1\" \"$2\"";
    place.write("fetch.sh", script);
    plan(&place, "sh fetch.sh {url} {dir}");
    for _ in 0..5 {
        let ended = mine_shard(&place, 0, &[]);
        assert_eq!(ended.code, None, "{ended:?}");
    }
    let said = mine_shard(&place, 0, &[]).with(0);
    assert!(
        said.contains("was skipped: failed: tried 5 times: it was killed"),
        "{said}"
    );
    let ended = merged(&place, &["--json", "plan/shard-0000"], "all");
    for expected in [
        "warning: plan/shard-0000:2: `file://",
        "was skipped: failed: tried 5 times: it was killed",
        "skipped by shards: 1 failed",
    ] {
        assert!(ended.said.contains(expected), "{ended:?}");
    }
    let line: serde_json::Value = serde_json::from_str(&ended.out).expect("it is JSON");
    assert_eq!(line["skipped"]["failed"], 1);
    assert_eq!(line["repositories"][0]["line"], 2);
    assert_eq!(line["repositories"][0]["reason"], "failed");
    assert_eq!(line["n_repositories"], 2);
}

/// Starts a server that requires a password.
fn locked() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let address = listener.local_addr().expect("it has one").to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("somebody asks");
            let mut lines = BufReader::new(stream.try_clone().expect("it is open")).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|text| !text.is_empty()))
            {}
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\
                          Connection: close\r\n\r\n";
            // Who has gone hears nothing.
            let _gone = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn git_itself_asks_nobody_for_a_password() {
    let place = Place::new();
    place.write("list.jsonl", "{\"url\":\"https://example.org/p/q\"}\n");
    let address = locked();
    // Nothing but this test talks to a server without encryption.
    let fetch = format!(
        "env GIT_ALLOW_PROTOCOL=http git -c url.http://{address}/.insteadOf=https://example.org/ {}",
        CLONE.trim_start_matches("git ")
    );
    plan(&place, &fetch);
    let said = mine_shard(&place, 0, &["--repo-timeout", "5m"]).with(0);
    assert!(
        said.contains("was skipped: fetch: could not read Username"),
        "{said}"
    );
}

#[test]
fn lists_may_be_long_and_hold_what_is_no_json() {
    const N_LINES: usize = 100_000;
    let place = Place::new();
    let line = |idx: usize| match idx % 1_000 {
        7 => "{\"url\":\n".to_owned(),
        8 => "{\"path\":\"no/such/folder\"}\n".to_owned(),
        _ => format!(
            "{{\"url\":\"https://example.org/o/r{idx}\",\"size\":{}}}\n",
            idx % 977
        ),
    };
    place.write("list.jsonl", (0..N_LINES).map(line).collect::<String>());
    let words = [
        "plan",
        "--list",
        "list.jsonl",
        "--shards",
        "40",
        "--output",
        "plan",
        "--fetch",
        CLONE,
    ];
    let said = focalist(&place.path(""), &words).with(0);
    assert!(said.contains("list.jsonl:8: bad_line: "), "{said}");
    assert!(said.contains("list.jsonl:9: unreadable: "), "{said}");
    assert!(
        said.contains("99,800 repositories in 40 shards; 200 lines could not be used"),
        "{said}"
    );
    let shards = (0..40).map(|idx| {
        let path = place.path(&format!("plan/shard-{idx:04}.jsonl"));
        let text = fs::read_to_string(path).expect("it is there");
        text.lines().count()
    });
    assert_eq!(shards.sum::<usize>(), 99_800);
}
