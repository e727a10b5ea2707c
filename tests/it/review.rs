//! Verdicts from the command line to the disk: no acknowledged verdict is lost, not even when the samples are mined
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use focalist::cli::ExitCode;
use focalist::model::{ContentHash, EventKind, JudgedSample, Judgement, SampleKey};
use focalist::store::{StoreAccess, StoreError, Verdicts};
use serde_json::Value;

use crate::support::{Place, copy, sample_data};

/// The variable with the folder in which a child appends verdicts until it is killed.
const CHILD_FOLDER: &str = "FOCALIST_TEST_APPENDS_IN";

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().expect("the field is text")
}

/// Not a test: [`a_killed_annotator_loses_no_acknowledged_verdict`] starts it as a separate process.
#[test]
fn the_annotator_that_is_killed() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else {
        return;
    };
    let mut verdicts =
        Verdicts::open(Path::new(&folder), StoreAccess::Create).expect("the file can be opened");
    let mut out = io::stdout().lock();
    writeln!(out).expect("the parent reads");
    for number in 0_u32.. {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&number.to_le_bytes());
        let judged = JudgedSample {
            key: SampleKey(key),
            content_hash: ContentHash([1; 16]),
            focal: Some("p.Counter#inc()".to_owned()),
            judgement: Judgement::Accept,
            dwell_ms: Some(number),
            guideline: None,
            note: None,
            queue: None,
            bulk: None,
        };
        let events = verdicts
            .append("ada", 0, vec![EventKind::Judged(judged)])
            .expect("a verdict is appended");
        let line = format!("acked {}\n", events[0].id());
        if out
            .write_all(line.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

fn start_annotator(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("a test knows where it lies"))
        .args([
            "review::the_annotator_that_is_killed",
            "--exact",
            "--nocapture",
        ])
        .env(CHILD_FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the test can start itself")
}

#[test]
fn a_killed_annotator_loses_no_acknowledged_verdict() {
    let n_kills = if std::env::var_os("FOCALIST_SLOW").is_some() {
        200
    } else {
        50
    };
    let place = Place::new();
    let folder = place.path("");
    let mut acknowledged = BTreeSet::new();
    for round in 0_usize..n_kills {
        let mut child = start_annotator(&folder);
        let stdout = child.stdout.take().expect("it is piped");
        let mut lines = BufReader::new(stdout).lines();
        // Killed after another number of verdicts each time, while it goes on; what it says until it is gone counts.
        let mut n_left = 1 + round * 7 % 23;
        for line in lines.by_ref() {
            let line = line.expect("the child writes text");
            let Some(id) = line.strip_prefix("acked ") else {
                continue;
            };
            acknowledged.insert(id.to_owned());
            n_left -= 1;
            if n_left == 0 {
                child.kill().expect("the child can be killed");
                break;
            }
        }
        assert_eq!(n_left, 0, "the child ended by itself");
        // A line that the kill cut in two was not acknowledged.
        let whole = lines
            .map_while(Result::ok)
            .filter_map(|line| Some(line.strip_prefix("acked ")?.to_owned()));
        acknowledged.extend(whole.filter(|id| id.len() == 32));
        child.wait().expect("the child is gone");
    }
    let verdicts = Verdicts::open(&folder, StoreAccess::Write).expect("the file opens");
    let mut stored = BTreeSet::new();
    verdicts
        .each_event(|event| {
            stored.insert(event.id().to_string());
            Ok::<_, StoreError>(())
        })
        .expect("the events read");
    let lost: Vec<_> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() >= n_kills);
    // At most one verdict a kill was on the disk before anybody heard of it.
    assert!(stored.len() <= acknowledged.len() + n_kills);
}

/// Creates a place with the sample data in an editable folder, mined.
fn editable() -> Place {
    let place = Place::new();
    copy(Path::new(&sample_data("repos")), &place.path("repos"));
    mine(&place);
    place
}

fn mine(place: &Place) {
    let repos = place.path("repos").to_string_lossy().into_owned();
    place.run(&["mine", "--each", &repos]).success();
}

/// Returns everything that an annotator is shown of each sample, without its location.
fn shown(place: &Place) -> BTreeMap<String, String> {
    let all = place
        .run(&["export", "--all", "--format", "jsonl"])
        .success();
    json_lines(&all)
        .into_iter()
        .map(|sample| {
            let mut parts = vec![text(&sample["test"], "source").to_owned()];
            let lists = ["fixtures", "setup_context", "focal_context"].map(|text| &sample[text]);
            let methods = lists
                .iter()
                .flat_map(|list| list.as_array().expect("a list"));
            for method in std::iter::once(&sample["focal"]).chain(methods) {
                if !method.is_null() {
                    let name = format!("{}#{}", text(method, "class"), text(method, "method"));
                    parts.push(name + text(method, "source"));
                }
            }
            (text(&sample, "key").to_owned(), parts.join("\0"))
        })
        .collect()
}

/// Judges a sample in agreement with the matcher, also where that abstained.
fn agree(place: &Place, key: &str, annotator: &str) {
    let shown = place.run(&["show", key, "--json"]).success();
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    let word = match shown["focal"] {
        Value::Null => "no-focal",
        _ => "accept",
    };
    place
        .run(&["verdict", key, word, "--as", annotator])
        .success();
}

#[test]
fn mining_again_keeps_every_verdict_and_lists_exactly_the_stale_ones() {
    let place = editable();
    let before = shown(&place);
    assert!(before.len() > 20);
    for key in before.keys() {
        agree(&place, key, "ada");
    }
    let verdicts = || json_lines(&place.run(&["verdicts", "--json"]).success());
    let stale = || -> BTreeSet<String> {
        json_lines(&place.run(&["verdicts", "--json", "--stale"]).success())
            .iter()
            .map(|json_line| text(json_line, "key").to_owned())
            .collect()
    };
    let given = verdicts();
    assert_eq!(given.len(), before.len());
    assert_eq!(stale(), BTreeSet::new());

    let path = place.path("repos/measurekit/src/main/java/measurekit/Fraction.java");
    let source = fs::read_to_string(&path).expect("the file reads");
    let at = source.find("return ").expect("a method returns something");
    // A line above everything moves what it does not change.
    let edited = format!("\n{}/* edited */ {}", &source[..at], &source[at..]);
    fs::write(&path, edited).expect("the file is written");
    mine(&place);

    let after = shown(&place);
    let changed: BTreeSet<String> = before
        .iter()
        .filter(|(key, parts)| after.get(*key) != Some(*parts))
        .map(|(key, _)| key.clone())
        .collect();
    assert!(!changed.is_empty() && changed.len() < before.len() / 2);
    assert_eq!(stale(), changed);
    let kept = verdicts();
    assert_eq!(kept.len(), given.len());
    for (then, now) in given.iter().zip(&kept) {
        let is_stale = changed.contains(text(now, "key"));
        assert_eq!(now["stale"].is_null(), !is_stale);
        for field in ["key", "annotator", "judgement", "focal", "at_ms"] {
            assert_eq!(then[field], now[field]);
        }
    }

    // Judged again, it is not stale any more; the history knows both.
    let key = changed.first().expect("something changed");
    place
        .run(&["verdict", key, "no-focal", "--as", "ada"])
        .success();
    assert_eq!(stale().len(), changed.len() - 1);
    let history = place.run(&["verdicts", "history", key, "--json"]).success();
    assert_eq!(json_lines(&history).len(), 2);

    // A repository that is gone takes no verdict with it.
    place.run(&["rm", "measurekit"]).success();
    assert_eq!(verdicts().len(), given.len());
    assert!(verdicts().iter().any(|verdict| verdict["stale"] == "gone"));
}

fn first_mapped(place: &Place) -> String {
    let samples = place
        .run(&["samples", "--json", "--limit", "1", "status:ok"])
        .success();
    text(&json_lines(&samples)[0], "key").to_owned()
}

#[test]
fn a_verdict_can_be_given_taken_back_and_given_again() {
    let place = Place::with_sample_data();
    let key = first_mapped(&place);
    let said = || {
        let lines = json_lines(&place.run(&["verdicts", "--json"]).success());
        let words = lines.iter().map(|line| text(line, "judgement").to_owned());
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said(), "");
    let undo = |command: &str| place.run(&[command, "--as", "ada"]).err;
    assert!(undo("undo").contains("nothing"));
    place
        .run(&[
            "verdict",
            &key[..12],
            "pick",
            "1",
            "--note",
            "as it is named",
            "--as",
            "ada",
        ])
        .success();
    place
        .run(&["verdict", &key, "none-of-these", "--mark", "--as", "ada"])
        .success();
    assert_eq!(said(), "none_of_these");
    undo("undo");
    assert_eq!(said(), "pick");
    // The mark, then the pick.
    undo("undo");
    assert!(undo("undo").contains(&key));
    assert_eq!(said(), "");
    assert!(undo("undo").contains("nothing"));
    for _ in 0..3 {
        undo("redo");
    }
    assert!(undo("redo").contains("nothing"));
    assert_eq!(said(), "none_of_these");
    let table = place.run(&["verdicts", "status:ok"]).success();
    assert!(table.contains("none of these"), "{table}");
    assert!(
        !place
            .run(&["verdicts", "status:tie"])
            .success()
            .contains("ada")
    );
    let history = place.run(&["verdicts", "history", "--as", "ada"]).success();
    assert_eq!(history.lines().count(), 4, "{history}");
    let progress = place.run(&["verdicts", "progress"]).success();
    assert!(progress.contains("ada"), "{progress}");
}

#[test]
fn lists_of_verdicts_say_when_on_what_and_with_which_note() {
    let place = Place::with_sample_data();
    let agreement = place.run(&["agreement"]).success();
    assert!(
        agreement.starts_with("none of these samples has a decision yet"),
        "{agreement}"
    );
    let key = first_mapped(&place);
    place
        .run(&[
            "verdict", &key, "accept", "--note", "as named", "--as", "ada",
        ])
        .success();
    let samples = place
        .run(&["samples", "--json", "note:NAMED", "is:noted"])
        .success();
    let lines = json_lines(&samples);
    assert_eq!(lines.len(), 1);
    let test = format!("{}.{}", text(&lines[0], "class"), text(&lines[0], "test"));
    for args in [&["verdicts"][..], &["verdicts", "history", "--as", "ada"]] {
        let table = place.run(args).success();
        for part in ["when (UTC)", "took", "20", ":", &test, "as named"] {
            assert!(table.contains(part), "`{part}` is missing:\n{table}");
        }
    }
    let wrong = place
        .run(&["samples", "Gson.status:ok"])
        .failure(ExitCode::Usage);
    assert!(wrong.contains("no field `Gson.status`"), "{wrong}");
    let ruled = place.run(&[
        "verdict",
        &key,
        "unsure",
        "--adjudicate",
        "no one can tell",
        "--as",
        "eva",
    ]);
    assert!(
        ruled.err.ends_with(": set aside (no one can tell)\n"),
        "{}",
        ruled.err
    );
    let table = place.run(&["verdicts"]).success();
    assert!(table.contains("set aside (no one can tell)"), "{table}");
}

#[test]
fn what_cannot_be_a_verdict_says_why() {
    let place = Place::with_sample_data();
    let key = first_mapped(&place);
    let fails = |args: &[&str], code| place.run(&[&["verdict"], args].concat()).failure(code);
    fails(&[&key, "nonsense"], ExitCode::Usage);
    fails(&[&key, "pick", "--as", "ada"], ExitCode::Usage);
    fails(&[&key, "accept", "1", "--as", "ada"], ExitCode::Usage);
    fails(&[&key, "accept", "--as", " "], ExitCode::Usage);
    fails(
        &["ffffffffffffffff", "accept", "--as", "ada"],
        ExitCode::Input,
    );
    let err = fails(&[&key, "pick", "99", "--as", "ada"], ExitCode::Usage);
    assert!(err.contains("no candidate 99"), "{err}");
    let err = fails(&[&key, "pick", "nonsense", "--as", "ada"], ExitCode::Usage);
    assert!(err.contains("perhaps one of"), "{err}");
    assert!(!place.path(".focalist/verdicts.db").exists());
}

#[test]
fn a_method_that_is_no_candidate_is_found_and_picked() {
    let place = Place::with_sample_data();
    let key = first_mapped(&place);
    let all = place
        .run(&["methods", &key, "--json", "--limit", "0"])
        .success();
    let all = json_lines(&all);
    let keys: Vec<&str> = all.iter().map(|value| text(value, "key")).collect();
    let n_main = all
        .iter()
        .take_while(|value| value["test"] == false)
        .count();
    assert!(n_main > 0 && all[n_main..].iter().all(|value| value["test"] == true));
    assert!(keys[..n_main].is_sorted() && keys[n_main..].is_sorted());
    let shown = place.run(&["show", &key, "--json"]).success();
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    let candidates = shown["candidates"].as_array().expect("a list");
    let is_candidate = |key: &str| candidates.iter().any(|candidate| candidate["key"] == key);
    let other = keys[..n_main].iter().find(|key| !is_candidate(key));
    let other = *other.expect("not everything is a candidate");
    // The whole key finds it, and is listed first.
    let table = place.run(&["methods", &key[..12], other]).success();
    let first = table.lines().nth(1).expect("there is a row");
    assert!(first.starts_with(other), "{table}");
    place
        .run(&["verdict", &key, "pick", other, "--as", "ada"])
        .success();
    let said = place.run(&["verdicts", "--json"]).success();
    assert_eq!(text(&json_lines(&said)[0], "picked"), other);
    let none = place
        .run(&["methods", &key, "noSuchMethodAnywhere"])
        .success();
    assert_eq!(none.lines().count(), 1, "{none}");
    let err = place
        .run(&["methods", "ffffffffffffffff"])
        .failure(ExitCode::Input);
    assert!(err.contains("no sample"), "{err}");
}

#[test]
fn two_annotators_merge_and_agree_as_far_as_they_do() {
    let place = Place::with_sample_data();
    let samples = place
        .run(&["samples", "--json", "--limit", "12", "status:ok"])
        .success();
    let keys: Vec<String> = json_lines(&samples)
        .iter()
        .map(|json_line| text(json_line, "key").to_owned())
        .collect();
    let other = Place::with_sample_data();
    for (number, key) in keys.iter().enumerate() {
        place
            .run(&["verdict", key, "accept", "--as", "ada"])
            .success();
        let word = if number < 2 { "no-focal" } else { "accept" };
        other.run(&["verdict", key, word, "--as", "eva"]).success();
    }
    let file = other.path("eva.jsonl").to_string_lossy().into_owned();
    other
        .run(&["verdicts", "export", "--output", &file])
        .success();
    let merged = place.run(&["verdicts", "merge", &file]);
    assert!(merged.err.contains("12 events added"), "{}", merged.err);
    let again = place.run(&["verdicts", "merge", &file]);
    assert!(
        again.err.contains("0 events added, 12 were"),
        "{}",
        again.err
    );

    let json = place.run(&["agreement", "--json"]).success();
    let agreement: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(agreement["n_conflicts"], 2);
    assert_eq!(agreement["coefficients"][0]["value"], 10.0 / 12.0);
    assert_eq!(agreement["matrix"][0][2], 2);
    let report = place.run(&["agreement"]).success();
    assert!(report.contains("Krippendorff's alpha"), "{report}");
    assert!(
        report.contains("12 samples decided by ada, eva; 12 by"),
        "{report}"
    );
    assert!(!report.contains("unsure"), "{report}");
    // Who cannot tell has judged, too, and agrees with nobody.
    let unsure = &["verdict", &keys[0], "unsure", "--as", "carl"];
    place.run(unsure).success();
    let report = place.run(&["agreement"]).success();
    assert!(report.contains("decided by ada, eva; 12 by"), "{report}");
    assert!(report.contains("does not count here): carl\n"), "{report}");
    place.run(&["undo", "--as", "carl"]).success();
    let none = place
        .run(&["agreement", "--filter", "status:tie"])
        .success();
    assert!(
        none.starts_with("none of these samples has a decision yet"),
        "{none}"
    );

    let gold = || json_lines(&place.run(&["verdicts", "--gold", "--json"]).success()).len();
    assert_eq!(gold(), 10);
    place
        .run(&[
            "verdict",
            &keys[0],
            "accept",
            "--adjudicate",
            "clause 3",
            "--as",
            "kim",
        ])
        .success();
    assert_eq!(gold(), 11);
    let conflicts = json_lines(&place.run(&["agreement", "--conflicts", "--json"]).success());
    assert_eq!(conflicts.len(), 2);
    assert_eq!(conflicts[0]["gold"], Value::Null);
    assert_eq!(conflicts[0]["bits"], 1.0);
    assert_eq!(conflicts[0]["opinions"][1]["stale"], Value::Null);
    assert_eq!(conflicts[1]["key"], keys[0].as_str());
    assert_eq!(conflicts[1]["gold"]["annotator"], "kim");
    let table = place.run(&["agreement", "--conflicts"]);
    assert!(table.out.contains("gold: accept"), "{}", table.out);
    assert!(
        table.err.contains("2 samples, 1 of them not adjudicated"),
        "{}",
        table.err
    );
    place.run(&["verdicts", "calibration"]).success();

    place.write("bad.jsonl", "nonsense\n{}\n");
    let bad = place.path("bad.jsonl").to_string_lossy().into_owned();
    let err = place
        .run(&["verdicts", "merge", &bad])
        .failure(ExitCode::Problems);
    assert!(err.contains("bad.jsonl:2"), "{err}");
}

#[test]
fn an_audit_draws_the_same_samples_everywhere_and_reports_what_was_found() {
    let place = Place::with_sample_data();
    let other = Place::new();
    // Mined one by one, in another order.
    for repo in ["wordloom", "quayside", "measurekit"] {
        let path = sample_data(&format!("repos/{repo}"));
        if Path::new(&path).is_dir() {
            other.run(&["mine", &path]).success();
        }
    }
    let audit = ["audit", "--n", "10", "--seed", "7", "--as", "ada"];
    let run = |place: &Place, more: &[&str]| {
        place
            .run(&[&audit[..], more, &["repo:measurekit"]].concat())
            .success()
    };
    let drawn = run(&place, &["--json"]);
    let keys: Vec<String> = json_lines(&drawn)
        .iter()
        .map(|json_line| text(json_line, "key").to_owned())
        .collect();
    assert_eq!(keys.len(), 10);
    let elsewhere = run(&other, &["--json"]);
    let keys_of = |lines: &str| -> Vec<String> {
        json_lines(lines)
            .iter()
            .map(|json_line| text(json_line, "key").to_owned())
            .collect()
    };
    assert_eq!(keys_of(&elsewhere), keys);
    for key in &keys[..8] {
        agree(&place, key, "ada");
    }
    // What is mined later changes nothing: the draw is kept.
    place.run(&["rm", "measurekit"]).success();
    assert_eq!(keys_of(&run(&place, &["--json"])), keys);
    let json = run(&place, &["--report", "--json"]);
    let report: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(report["n_judged"], 8);
    assert_eq!(report["strata"][0]["precision"]["value"], 1.0);
    let table = run(&place, &["--report"]);
    assert!(table.contains("100.0 %"), "{table}");
    let latex = run(&place, &["--latex"]);
    assert!(
        latex.starts_with("Precision 100.0\\,\\% (95\\,\\% CI "),
        "{latex}"
    );
    let stratified = place
        .run(&[
            "audit",
            "--n",
            "10",
            "--stratify",
            "stage",
            "--report",
            "--as",
            "ada",
        ])
        .success();
    assert!(stratified.lines().count() > 4, "{stratified}");
}

#[test]
fn the_rest_of_an_audit_is_accepted_and_taken_back_as_one() {
    let place = Place::with_sample_data();
    let audit = ["audit", "--n", "5", "--seed", "7", "--as", "ada"];
    let run = |more: &[&str]| place.run(&[&audit[..], more, &["status:ok"]].concat());
    let accept: &[&str] = &["--accept-rest", "--max-error", "0.5"];
    let err = run(accept).failure(ExitCode::Usage);
    assert!(err.contains("nothing was drawn"), "{err}");
    assert!(!place.path(".focalist/verdicts.db.1970-01-01.bak").exists());
    let keys: Vec<String> = json_lines(&run(&["--json"]).success())
        .iter()
        .map(|json_line| text(json_line, "key").to_owned())
        .collect();
    let err = run(accept).failure(ExitCode::Usage);
    assert!(
        err.contains("5 of 5 drawn samples are not decided"),
        "{err}"
    );
    for key in &keys {
        place
            .run(&["verdict", key, "accept", "--as", "ada"])
            .success();
    }
    let err = run(&["--accept-rest"]).failure(ExitCode::Usage);
    assert!(err.contains("45.07 %") && err.contains("59"), "{err}");
    let n_of = |filter: &str| {
        let samples = place.run(&["samples", "--json", "--limit", "0", filter]);
        samples.success().lines().count()
    };
    let n_rest = n_of("status:ok") - 5;
    let told = run(accept).err;
    assert!(
        told.contains(&format!("{n_rest} samples accepted provisionally")),
        "{told}"
    );
    assert_eq!(n_of("verdict:provisional"), n_rest);
    assert_eq!(n_of("verdict:accept"), 5);
    let table = place.run(&["verdicts"]).success();
    assert!(table.contains("accept (provisional, ≤ 45.07 %)"), "{table}");
    let json = json_lines(&place.run(&["verdicts", "--json"]).success());
    let bounds = json
        .iter()
        .filter(|value| value["provisional"]["n"] == 5)
        .count();
    assert_eq!(bounds, n_rest);

    let exported = |more: &[&str]| {
        let lines = place.run(&[&["export", "--all", "--verified"], more].concat());
        json_lines(&lines.success())
    };
    assert_eq!(exported(&[]).len(), 5);
    let with = exported(&["--provisional"]);
    assert_eq!(with.len(), n_rest + 5);
    let bounds: Vec<f64> = with
        .iter()
        .filter_map(|value| value["verdict"]["provisional"].as_f64())
        .collect();
    assert_eq!(bounds.len(), n_rest);
    assert!(bounds.iter().all(|bound| (bound - 0.4507).abs() < 0.0001));
    place
        .run(&["export", "--provisional"])
        .failure(ExitCode::Usage);

    let history = place.run(&["verdicts", "history", "--as", "ada"]).success();
    assert_eq!(history.matches("provisionally").count(), 1, "{history}");
    let undone = place.run(&["undo", "--as", "ada"]).err;
    assert!(
        undone.contains(&format!("accept {n_rest} provisionally")),
        "{undone}"
    );
    assert_eq!(
        (n_of("verdict:provisional"), n_of("verdict:accept")),
        (0, 5)
    );
    place.run(&["redo", "--as", "ada"]).success();
    assert_eq!(n_of("verdict:provisional"), n_rest);
    let again = run(accept).err;
    assert!(again.contains("nothing is left to accept"), "{again}");
}

#[test]
fn stale_verdicts_show_what_has_changed() {
    let place = editable();
    let samples = place
        .run(&[
            "samples",
            "--json",
            "--limit",
            "0",
            "repo:measurekit status:ok",
        ])
        .success();
    for sample in json_lines(&samples) {
        place
            .run(&["verdict", text(&sample, "key"), "accept", "--as", "ada"])
            .success();
    }
    let path = place.path("repos/measurekit/src/main/java/measurekit/Fraction.java");
    let source = fs::read_to_string(&path).expect("the file reads");
    let edited = source.replace("return ", "/* edited */ return ");
    fs::write(&path, edited).expect("the file is written");
    mine(&place);
    let shown = place.run(&["verdicts", "--stale", "--diff"]).success();
    let n_stale = json_lines(&place.run(&["verdicts", "--stale", "--json"]).success()).len();
    assert!(n_stale > 0);
    let heads = shown.lines().filter(|line| line.contains(" · ada · "));
    assert_eq!(heads.count(), n_stale, "{shown}");
    let added = shown
        .lines()
        .filter(|line| line.trim_start().starts_with('+') && line.contains("/* edited */"));
    assert!(added.count() > 0, "{shown}");
    assert!(
        shown.contains("--- focal method measurekit.Fraction#"),
        "{shown}"
    );
    // Elsewhere, the verdicts bring along what was judged.
    let file = place.path("ada.jsonl").to_string_lossy().into_owned();
    place
        .run(&["verdicts", "export", "--output", &file])
        .success();
    fs::remove_file(place.path(".focalist/verdicts.db")).expect("the file goes");
    for rest in ["verdicts.db-wal", "verdicts.db-shm"] {
        let _ = fs::remove_file(place.path(".focalist").join(rest));
    }
    place.run(&["verdicts", "merge", &file]).success();
    let merged = place.run(&["verdicts", "--stale", "--diff"]).success();
    assert_eq!(merged, shown);
    // Without them, it says so.
    let events: String = fs::read_to_string(&file)
        .expect("the file reads")
        .lines()
        .filter(|line| !line.contains("\"snapshot\""))
        .flat_map(|line| [line, "\n"])
        .collect();
    let other = Place::new();
    mine_at(&other, &place);
    let file = other.write("events.jsonl", events);
    other
        .run(&["verdicts", "merge", &file.to_string_lossy()])
        .success();
    let unknown = other.run(&["verdicts", "--stale", "--diff"]).success();
    assert!(
        unknown.contains("the judged code was not kept"),
        "{unknown}"
    );
}

fn mine_at(place: &Place, sources: &Place) {
    let repos = sources.path("repos").to_string_lossy().into_owned();
    place.run(&["mine", "--each", &repos]).success();
}

#[test]
fn a_day_leaves_a_copy_and_a_copy_that_fails_is_told() {
    let place = Place::with_sample_data();
    let key = first_mapped(&place);
    let verdict = || place.run(&["verdict", &key, "accept", "--as", "ada"]);
    let copies = || -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(place.path(".focalist")).expect("the folder reads");
        let paths = entries.map(|entry| entry.expect("an entry reads").path());
        let is_copy = |file: &std::path::PathBuf| {
            file.extension().is_some_and(|extension| extension == "bak")
        };
        paths.filter(is_copy).collect()
    };
    let told = verdict();
    assert!(!told.err.contains("warning"), "{}", told.err);
    let made = copies();
    assert_eq!(made.len(), 1);
    let blocked = format!("{}.tmp", made[0].display());
    fs::remove_file(&made[0]).expect("the copy goes");
    fs::create_dir_all(Path::new(&blocked).join("x")).expect("a folder is made");
    let told = verdict();
    // At midnight another day may begin, whose copy nothing blocks.
    if copies().is_empty() {
        assert!(
            told.err.contains("warning: the verdict is stored"),
            "{}",
            told.err
        );
    }
    told.success();
}

#[test]
fn what_people_vouch_for_can_be_exported_and_filtered() {
    let place = Place::with_sample_data();
    let lines = json_lines(&place.run(&["export"]).success());
    let plain = lines.clone();
    assert!(plain.iter().all(|value| value.get("verdict").is_none()));
    let keys: Vec<&str> = lines.iter().take(3).map(|line| text(line, "key")).collect();
    for (key, word) in keys.iter().zip(["accept", "no-focal", "unsure"]) {
        place.run(&["verdict", key, word, "--as", "ada"]).success();
    }
    let verified = json_lines(&place.run(&["export", "--verified"]).success());
    assert_eq!(verified.len(), 1);
    assert_eq!(text(&verified[0], "key"), keys[0]);
    assert_eq!(verified[0]["verdict"]["right"], true);
    assert_eq!(verified[0]["verdict"]["annotators"], 1);
    let all = json_lines(&place.run(&["export"]).success());
    assert_eq!(all.len(), plain.len());
    let rights: Vec<&Value> = all[..3]
        .iter()
        .map(|value| &value["verdict"]["right"])
        .collect();
    assert_eq!(
        rights,
        [&Value::Bool(true), &Value::Bool(false), &Value::Null]
    );
    let n_of = |filter: &str| {
        let samples = place.run(&["samples", "--json", "--limit", "0", filter]);
        samples.success().lines().count()
    };
    assert_eq!(n_of("verdict:accept"), 1);
    assert_eq!(n_of("verdict:no_focal"), 1);
    assert_eq!(n_of("-verdict:none"), 3);
    // The exported lines can be read again.
    let file = place.path("all.jsonl").to_string_lossy().into_owned();
    place.run(&["export", "--output", &file]).success();
    Place::new()
        .run(&["import", &file, "--dataset", "jsonl", "--name", "d"])
        .success();
}

#[test]
fn a_damaged_or_foreign_file_of_verdicts_is_never_written_over() {
    let place = Place::with_sample_data();
    let key = first_mapped(&place);
    place.write(".focalist/verdicts.db", "not what its name says");
    for args in [
        &["verdict", &key, "accept", "--as", "ada"][..],
        &["verdicts"],
        &["undo", "--as", "ada"],
    ] {
        let err = place.run(args).failure(ExitCode::Database);
        assert!(
            err.contains("verdicts.db") && err.contains("keep it"),
            "{err}"
        );
    }
    let left = fs::read(place.path(".focalist/verdicts.db")).expect("the file is there");
    assert_eq!(left, b"not what its name says");
}
