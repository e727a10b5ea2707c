//! Whatever process is killed while test files run, and whenever: the final rows are the same, no process remains, and
//! the copy of the project is unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::python::{Said, cache, has_tools, prepared, run};

const COV: [&str; 5] = ["clover", "cov", "count", "--extracted", "--json"];

fn start(workspace: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(COV)
        .args(["--jobs", "1"])
        .env("FOCALIST_CACHE", cache())
        .env("FOCALIST_WORKSPACE", workspace)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started")
}

/// Lists all processes: the parent's number and the command line, by number.
fn processes() -> BTreeMap<u32, (u32, String)> {
    let folders = fs::read_dir("/proc")
        .expect("there are processes")
        .flatten();
    let read = folders.filter_map(|folder| {
        let number: u32 = folder.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(folder.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        let command = fs::read(folder.path().join("cmdline")).ok()?;
        Some((
            number,
            (parent, String::from_utf8_lossy(&command).into_owned()),
        ))
    });
    read.collect()
}

/// Lists the servers below a process and the processes that they have forked: Python with focalist's program.
fn servers(child: u32) -> Vec<u32> {
    let all = processes();
    let mut below = BTreeSet::from([child]);
    loop {
        let n_before = below.len();
        let new: Vec<u32> = all
            .iter()
            .filter(|entry| below.contains(&entry.1.0))
            .map(|entry| *entry.0)
            .collect();
        below.extend(new);
        if below.len() == n_before {
            break;
        }
    }
    let is_server = |number: &u32| {
        let mut words = all[number].1.split('\0');
        let is_python = words
            .next()
            .is_some_and(|word| word.ends_with("/env/bin/python"));
        is_python && words.any(|word| word.ends_with("/server.py"))
    };
    below
        .into_iter()
        .filter(|below| all.contains_key(below) && is_server(below))
        .collect()
}

fn kill(number: u32) {
    // It may have ended just now.
    let _ = Command::new("kill")
        .args(["-9", &number.to_string()])
        .stderr(Stdio::null())
        .status();
}

/// Returns rows without the values that differ every time.
fn rows(said: &Said) -> Vec<Value> {
    let fields = ["id", "outcome", "reason", "items", "lines", "engine"];
    said.lines()
        .iter()
        .map(|row| fields.iter().map(|field| row[*field].clone()).collect())
        .collect()
}

/// Returns sizes and times of the files in the copies of projects.
fn checkouts(folder: &Path, found: &mut BTreeMap<String, (u64, Option<std::time::SystemTime>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if metadata.is_dir() {
            checkouts(&path, found);
        } else {
            let moment = metadata.modified().ok();
            found.insert(path.display().to_string(), (metadata.len(), moment));
        }
    }
}

fn checkout() -> BTreeMap<String, (u64, Option<std::time::SystemTime>)> {
    let mut found = BTreeMap::new();
    for root in fs::read_dir(cache().join("python"))
        .expect("it is prepared")
        .flatten()
    {
        let manifest = fs::read_to_string(root.path().join("environment.json")).unwrap_or_default();
        if manifest.contains("\"name\": \"count\"") {
            checkouts(&root.path().join("checkout"), &mut found);
        }
    }
    found
}

#[test]
fn whatever_is_killed_the_rows_become_the_same() {
    if !has_tools() {
        return;
    }
    let undisturbed = prepared();
    let expected = rows(&run(undisturbed.path(), &COV, "").success());
    let before = checkout();
    let workspace = tempfile::tempdir().expect("a folder can be made");
    // The program, as soon as a server is there; what it has started goes with it.
    let mut child = start(workspace.path());
    let mut started = Vec::new();
    while started.is_empty() && child.try_wait().expect("it is ours").is_none() {
        started = servers(child.id());
        thread::yield_now();
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it is ours");
    // Then servers and what they fork, one time after the other, while the program goes on.
    let child = start(workspace.path());
    let (number, mut killed) = (child.id(), BTreeSet::new());
    let reader = thread::spawn(move || child.wait_with_output().expect("it ends"));
    while !reader.is_finished() {
        let new = servers(number)
            .into_iter()
            .find(|server| !killed.contains(server));
        if let Some(new) = new.filter(|_| killed.len() < 3) {
            kill(new);
            killed.insert(new);
        }
        thread::yield_now();
    }
    let output = reader.join().expect("nothing went wrong");
    let said = Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert_eq!(rows(&said.success()), expected);
    assert_eq!(checkout(), before);
    let left = processes();
    for number in started.iter().chain(&killed) {
        let command = left.get(number).map(|pair| pair.1.as_str());
        assert!(
            !command.is_some_and(|command| command.contains("server.py")),
            "{command:?}"
        );
    }
    let again = run(workspace.path(), &COV, "").success();
    assert!(
        again
            .err
            .contains(&format!("{} of them before", expected.len())),
        "{}",
        again.err
    );
    assert_ne!(json!(expected), json!([]));
}
