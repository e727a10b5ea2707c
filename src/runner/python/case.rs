//! A test file that is run, and its result: reads the record of the process inside, and decides the outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Outcome;
use crate::python::refused::{MisplacedFile, UnfitReason};
use crate::sandbox::ProgramEnd;

use super::server::{ServerReply, StrangeReply, XCPU, is_late, is_out_of_time, word_of};

/// The most characters of a message that are kept.
const N_MESSAGE_MAX: usize = 2000;

/// The reason of a case whose file cannot be where it has to be.
const MISPLACED: &str = "path";
/// The reason of a case that a server cannot run, because it has loaded the file that was to read otherwise.
const LOADED: &str = "loaded";
/// The reason of a case that needs a process which imports the changed file.
const UNFIT: &str = "unfit";
/// Parts of messages of a test that may not write.
const READ_ONLY: [&str; 3] = [
    "Read-only file system",
    "Errno 30",
    "unable to open database file",
];
/// The reason of a case that was not run, because the test does not reach the change.
const UNREACHED: &str = "not reached";
/// The reason of a case that has used up its processor time.
const OUT_OF_TIME: &str = "processor time";

const NO_ANSWER: &str = "it ended without an answer";

/// A test file at its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PythonCase {
    /// Relative to the checkout.
    pub path: String,
    /// Whether it replaces an existing file; else nothing may be there yet.
    pub stands_for_file: bool,
    /// Nothing where a file of the project itself is run.
    pub code: Option<String>,
    /// The file of the function whose entering is watched, and the line of its head.
    pub focal: Option<(String, u32)>,
    /// A file of the project that has another content while the case runs.
    pub changed: Option<ChangedFile>,
    /// Whether to report that lines may have run unseen.
    pub is_watched: bool,
    /// Its own time limit, where it differs from that of all cases.
    pub limit: Option<CaseLimit>,
    /// How its tests run, where they do not just run once each in their order.
    pub shaken: Option<ShakenCase>,
    /// pytest's name for the test in its file, `Class::name`, where it is one of the project's own and the case runs
    /// nothing else.
    pub lone: Option<String>,
    /// The change to a test that is collected once for several runs; nothing where it is collected for this one.
    pub grafted: Option<GraftedRun>,
}

/// A run of a test that is collected once, in which code is changed in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraftedRun {
    /// Files that any run of the test changes: they are read before the first.
    pub files: Arc<[String]>,
    pub what: Graft,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Graft {
    /// The first run, on the original code; its lines are measured.
    Base,
    /// A run on changed code.
    Change(FileChange),
}

/// A change of a file, in bytes of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub start: u32,
    pub end: u32,
    pub replacement: String,
    /// Lines of the changed statement: a test that runs none of them is not run again. Nothing where these lines are
    /// not counted.
    pub lines: Option<(u32, u32)>,
}

/// How the tests of a file run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShakenCase {
    /// Only this test: `Class::name`.
    pub only: Option<String>,
    #[serde(rename = "reversed")]
    pub is_reversed: bool,
    /// They run twice, first in a process of their own whose files stay.
    #[serde(rename = "twice")]
    pub is_twice: bool,
    /// Their working folder.
    pub folder: Option<PathBuf>,
}

/// A file of the project with another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the checkout.
    pub path: String,
    pub text: String,
}

/// How long a case may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseLimit {
    pub wall: Duration,
    /// Whole seconds of processor time, which do not depend on the load of the machine.
    pub cpu_s: u64,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseExecution {
    pub outcome: Outcome,
    /// A word for the cause: the class of the exception, or one of focalist's own words.
    pub reason: Option<String>,
    pub message: Option<String>,
    /// The line in the case's text, from 1.
    pub line: Option<u32>,
    pub items: Vec<ItemExecution>,
    pub seconds: f64,
    /// The same without the time to collect its file; only for a test that is collected once.
    pub own_seconds: Option<f64>,
    /// Lines of the project that ran, as ranges `1-9,12` by file; `None` where it did not end by itself.
    pub lines: Option<BTreeMap<String, String>>,
    pub focal: Option<FocalExecution>,
    /// Whether lines may have run unseen, as in a process that the test has started; only where that was asked.
    pub is_blind: bool,
    /// Whether any of its tests has failed because it may not write.
    pub has_met_read_only: bool,
    /// `fork` or `fresh`.
    pub engine: &'static str,
}

/// One test of a file, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemExecution {
    /// The id that pytest gives it.
    pub id: String,
    /// passed, xpassed, failed, error, skipped, xfailed
    pub outcome: String,
}

/// The measured facts about the focal function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct FocalExecution {
    #[serde(default)]
    pub name: String,
    /// Lines with code, and whether they ran.
    #[serde(default)]
    pub lines: Vec<(u32, bool)>,
    pub called: Option<bool>,
    pub error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct CaseAnswer {
    #[serde(default)]
    seconds: f64,
    own: Option<f64>,
    #[serde(default)]
    timeout: bool,
    #[serde(default)]
    status: Option<i64>,
    broken: Option<String>,
    /// Whether the changed file was loaded before the change.
    #[serde(default)]
    loaded: bool,
    /// Why it cannot be run in place.
    unfit: Option<String>,
    /// Whether there was a record that could not be read.
    #[serde(default)]
    unreadable: bool,
    record: Option<CaseRecord>,
    lines: Option<BTreeMap<String, String>>,
    focal: Option<FocalExecution>,
}

#[derive(Debug, Default, Deserialize)]
struct CaseRecord {
    unparsable: Option<(String, String, Option<u32>)>,
    #[serde(default)]
    items: Vec<(String, String, Option<String>, Option<String>)>,
    #[serde(default)]
    errors: Vec<(String, Option<String>, Option<String>)>,
    ended: Option<(String, String)>,
    /// How many tests began.
    #[serde(default)]
    started: u64,
    #[serde(default)]
    blind: bool,
}

impl CaseRecord {
    /// Tells whether some part of it failed because it may not write.
    fn has_met_read_only(&self) -> bool {
        let bad = self
            .items
            .iter()
            .filter(|item| matches!(item.1.as_str(), "failed" | "error"));
        let said = bad
            .map(|bad| &bad.3)
            .chain(self.errors.iter().map(|error| &error.2))
            .flatten()
            .chain(self.ended.iter().map(|ended| &ended.1));
        said.into_iter()
            .any(|text| READ_ONLY.iter().any(|words| text.contains(words)))
    }
}

impl CaseExecution {
    /// Makes an outcome without a run, or without knowledge of one.
    #[must_use]
    pub fn new(outcome: Outcome, reason: &str, message: &str) -> Self {
        Self {
            outcome,
            reason: Some(reason.to_owned()),
            message: Some(clean(message)).filter(|text| !text.is_empty()),
            line: None,
            items: Vec::new(),
            seconds: 0.0,
            own_seconds: None,
            lines: None,
            focal: None,
            is_blind: false,
            has_met_read_only: false,
            engine: "fork",
        }
    }

    /// Makes the outcome of a case whose file cannot be where it has to be, with the reason.
    #[must_use]
    pub fn misplaced(why: &MisplacedFile) -> Self {
        Self::new(Outcome::NotExecuted, MISPLACED, &why.to_string())
    }

    /// Tells whether its file could not be where it has to be.
    #[must_use]
    pub fn is_misplaced(&self) -> bool {
        self.outcome == Outcome::NotExecuted && self.reason.as_deref() == Some(MISPLACED)
    }

    /// Tells whether it needs a separate process, because its server has already loaded the file that was to be
    /// changed.
    #[must_use]
    pub fn was_loaded(&self) -> bool {
        self.outcome == Outcome::Crash && self.reason.as_deref() == Some(LOADED)
    }

    /// Makes the outcome of a run on changed code that would not reach the change.
    #[must_use]
    pub fn unreached() -> Self {
        Self::new(Outcome::NotExecuted, UNREACHED, "")
    }

    /// Tells whether it was not run because it would not reach the change.
    #[must_use]
    pub fn is_unreached(&self) -> bool {
        self.outcome == Outcome::NotExecuted && self.reason.as_deref() == Some(UNREACHED)
    }

    /// Makes the outcome of a run that cannot be made in place, with the reason.
    #[must_use]
    pub fn unfit(why: &UnfitReason) -> Self {
        Self::new(Outcome::Crash, UNFIT, &why.to_string())
    }

    /// Tells whether it needs a process which imports the changed file.
    #[must_use]
    pub fn is_unfit(&self) -> bool {
        self.outcome == Outcome::Crash && self.reason.as_deref() == Some(UNFIT)
    }

    /// Converts a server's reply about a case to its result.
    #[must_use]
    pub fn of(said: ServerReply, engine: &'static str) -> Self {
        let ran = match said {
            ServerReply::Ended(end) => Self::of_end(end),
            ServerReply::Strange(strange) => Self::new(Outcome::Crash, "answer", strange.as_str()),
            ServerReply::Answer(answer) => Self::of_answer(answer),
        };
        Self { engine, ..ran }
    }

    fn of_end(end: ProgramEnd) -> Self {
        if is_late(end) {
            return Self::new(Outcome::Timeout, "limit", "");
        }
        if is_out_of_time(end) {
            return Self::new(Outcome::Timeout, OUT_OF_TIME, "");
        }
        Self::new(Outcome::Crash, &word_of(end), NO_ANSWER)
    }

    fn of_answer(answer: Value) -> Self {
        let Ok(answer) = serde_json::from_value::<CaseAnswer>(answer) else {
            return Self::new(Outcome::Crash, "answer", StrangeReply::Unreadable.as_str());
        };
        let is_out_of_time = answer
            .status
            .is_some_and(|status| status & 0x7f == i64::from(XCPU));
        let mut ran = match &answer.record {
            Some(record) => of_record(record),
            None if is_out_of_time => Self::new(Outcome::Timeout, OUT_OF_TIME, ""),
            None if answer.unfit.is_some() => {
                let said = answer.unfit.as_deref().unwrap_or_default();
                Self::new(Outcome::Crash, UNFIT, said)
            }
            None if answer.loaded => Self::new(Outcome::Crash, LOADED, ""),
            None if answer.timeout => Self::new(Outcome::Timeout, "limit", ""),
            None if answer.unreadable => {
                let what = "the record of its process cannot be read";
                Self::new(Outcome::Crash, "record", what)
            }
            None => {
                let what = answer.broken.as_deref().unwrap_or(NO_ANSWER);
                Self::new(Outcome::Crash, &status_word(answer.status), what)
            }
        };
        ran.is_blind = answer.record.as_ref().is_some_and(|record| record.blind);
        ran.seconds = answer.seconds;
        ran.own_seconds = answer.own;
        ran.lines = answer.lines;
        ran.focal = answer.focal;
        ran
    }

    /// Tells whether its process, or the one that waits for it, was killed by signal 9.
    #[must_use]
    pub fn was_killed(&self) -> bool {
        self.outcome == Outcome::Crash && self.reason.as_deref() == Some("signal 9")
    }

    /// Tells whether it may turn out differently where files can be written.
    #[must_use]
    pub fn would_write(&self) -> bool {
        self.has_met_read_only && matches!(self.outcome, Outcome::Failing | Outcome::NotExecuted)
    }
}

/// The lines that a test reaches on the original code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Whether lines may have run unseen.
    pub is_blind: bool,
    lines: BTreeMap<String, BTreeSet<u32>>,
}

impl Reach {
    /// Reads it from a run whose lines were measured.
    #[must_use]
    pub fn of(ran: &CaseExecution) -> Self {
        let lines = ran.lines.iter().flatten();
        Self {
            is_blind: ran.is_blind,
            lines: lines
                .map(|(path, ranges)| (path.clone(), numbers(ranges)))
                .collect(),
        }
    }

    /// Tells whether a test reaches a change: a line of its statement ran. A change whose lines are not counted, or any
    /// change where lines may have run unseen, counts as reached.
    #[must_use]
    pub fn comes_to(&self, path: &str, change: &FileChange) -> bool {
        let Some((first, last)) = change.lines.filter(|_| !self.is_blind) else {
            return true;
        };
        let of_file = self.lines.get(path);
        of_file.is_some_and(|lines| lines.range(first..=last).next().is_some())
    }
}

/// Parses the numbers in ranges such as `1-9,12`.
#[must_use]
pub fn numbers(ranges: &str) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for part in ranges.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            found.extend(first..=last);
        }
    }
    found
}

/// Writes a status of `wait` as a word: `signal 9`, `exit 1`.
fn status_word(status: Option<i64>) -> String {
    match status {
        Some(status) if status & 0x7f != 0 => format!("signal {}", status & 0x7f),
        Some(status) => format!("exit {}", status >> 8),
        None => "unknown".to_owned(),
    }
}

fn of_record(record: &CaseRecord) -> CaseExecution {
    let items = record
        .items
        .iter()
        .map(|(id, outcome, _, _)| ItemExecution {
            id: plain(id, N_MESSAGE_MAX),
            outcome: outcome.clone(),
        });
    let items: Vec<ItemExecution> = items.collect();
    let made = |outcome, reason: Option<&str>, message: Option<&str>| CaseExecution {
        items: items.clone(),
        reason: reason.map(|reason| plain(reason, 200)),
        message: message.map(clean).filter(|text| !text.is_empty()),
        has_met_read_only: record.has_met_read_only(),
        ..CaseExecution::new(outcome, "", "")
    };
    if let Some((kind, message, line)) = &record.unparsable {
        let ran = made(Outcome::Unparsable, Some(kind), Some(message));
        return CaseExecution { line: *line, ..ran };
    }
    let bad = record
        .items
        .iter()
        .find(|item| matches!(item.1.as_str(), "failed" | "error"));
    if let Some((kind, message)) = &record.ended {
        // A session that was told to end does not pass, regardless of earlier results.
        if kind == "Exit" || kind == "SystemExit" {
            return made(Outcome::Crash, Some("pytest.exit"), Some(message));
        }
        let outcome = if record.started == 0 {
            Outcome::NotExecuted
        } else {
            Outcome::Failing
        };
        return made(outcome, Some(kind), Some(message));
    }
    let is_error =
        |entry: &&(String, Option<String>, Option<String>)| entry.1.as_deref() != Some("skipped");
    if let Some((_, kind, message)) = record.errors.iter().find(is_error) {
        let kind = kind.as_deref().unwrap_or("collection");
        return made(Outcome::NotExecuted, Some(kind), message.as_deref());
    }
    if let Some((_, _, kind, message)) = bad {
        return made(Outcome::Failing, kind.as_deref(), message.as_deref());
    }
    let has = |word: &str| record.items.iter().any(|item| item.1 == word);
    if has("passed") || has("xpassed") {
        return made(Outcome::Passing, None, None);
    }
    let skipped = record.items.iter().find_map(|item| item.3.as_deref());
    let skipped = skipped.or_else(|| record.errors.iter().find_map(|error| error.2.as_deref()));
    let reason = match () {
        () if has("skipped") || !record.errors.is_empty() => "skipped",
        () if has("xfailed") => "xfailed",
        () => "no test",
    };
    made(Outcome::NotExecuted, Some(reason), skipped)
}

/// Strips control characters except line feeds from foreign text, and cuts it to a readable length.
#[must_use]
pub fn clean(text: &str) -> String {
    plain(text.trim(), N_MESSAGE_MAX)
}

/// Cleans a text as [`clean`] does, at its full length.
pub fn clean_all(text: &str) -> String {
    plain(text, usize::MAX)
}

fn plain(text: &str, n_max: usize) -> String {
    let is_shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(is_shown).take(n_max).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(answer: &Value, expected: Outcome, reason: Option<&str>) {
        let ran = CaseExecution::of(ServerReply::Answer(answer.clone()), "fork");
        assert_eq!(
            (ran.outcome, ran.reason.as_deref()),
            (expected, reason),
            "{answer}"
        );
    }

    fn record(items: &[(&str, &str)]) -> Value {
        let items: Vec<Value> = items
            .iter()
            .map(|(id, outcome)| json!([id, outcome, "E", "m"]))
            .collect();
        json!({"record": {"items": items, "errors": [], "ended": null}})
    }

    #[test]
    fn only_a_whole_record_with_a_pass_and_no_failure_passes() {
        check(&record(&[("a", "passed")]), Outcome::Passing, None);
        check(
            &record(&[("a", "passed"), ("b", "skipped")]),
            Outcome::Passing,
            None,
        );
        check(&record(&[("a", "xpassed")]), Outcome::Passing, None);
        check(
            &record(&[("a", "passed"), ("b", "error")]),
            Outcome::Failing,
            Some("E"),
        );
        check(
            &record(&[("a", "skipped")]),
            Outcome::NotExecuted,
            Some("skipped"),
        );
        check(
            &record(&[("a", "xfailed")]),
            Outcome::NotExecuted,
            Some("xfailed"),
        );
        check(&record(&[]), Outcome::NotExecuted, Some("no test"));
        check(&json!({"status": 0}), Outcome::Crash, Some("exit 0"));
        check(&json!({"status": 11}), Outcome::Crash, Some("signal 11"));
        check(&json!({"timeout": true}), Outcome::Timeout, Some("limit"));
    }

    #[test]
    fn what_is_no_answer_is_said_to_be_what_it_is() {
        let check = |said, reason: &str, what: &str| {
            let ran = CaseExecution::of(said, "fork");
            assert_eq!(ran.outcome, Outcome::Crash);
            assert_eq!(ran.reason.as_deref(), Some(reason));
            assert!(
                ran.message.is_some_and(|message| message.contains(what)),
                "{what}"
            );
        };
        let strange = ServerReply::Strange;
        check(
            strange(StrangeReply::Early),
            "answer",
            "before the question",
        );
        check(
            strange(StrangeReply::Unreadable),
            "answer",
            "cannot be read",
        );
        check(strange(StrangeReply::Over), "answer", "has ended by itself");
        let unreadable = ServerReply::Answer(json!({"unreadable": true}));
        check(unreadable, "record", "record of its process cannot be read");
        check(
            ServerReply::Ended(ProgramEnd::Stopped),
            "stopped",
            "without an answer",
        );
    }

    #[test]
    fn a_case_whose_process_was_killed_is_told_from_one_that_ended_itself() {
        let check = |answer: Value, expected| {
            assert_eq!(
                CaseExecution::of(ServerReply::Answer(answer), "fork").was_killed(),
                expected
            );
        };
        check(json!({"status": 9}), true);
        check(json!({"status": 11}), false);
        check(json!({"status": 0}), false);
        check(json!({"timeout": true}), false);
    }

    #[test]
    fn a_file_runs_where_it_may_write_if_any_of_its_tests_has_failed_because_it_may_not() {
        let check = |items: Value, expected| {
            let answer =
                json!({"record": {"items": items, "errors": [], "ended": null, "started": 2}});
            let ran = CaseExecution::of(ServerReply::Answer(answer), "fork");
            assert_eq!(ran.would_write(), expected, "{items}");
        };
        let wrong = json!(["wrong", "failed", "AssertionError", "assert 4 == 5"]);
        let refused = json!([
            "writes",
            "failed",
            "OSError",
            "OSError: [Errno 30] Read-only file system: 'a'"
        ]);
        let told = json!(["told", "passed", null, "[Errno 30]"]);
        check(json!([wrong, refused]), true);
        check(json!([refused]), true);
        check(json!([wrong, told]), false);
        check(json!([told]), false);
    }

    #[test]
    fn a_session_that_is_ended_is_no_pass() {
        let ended = |kind: &str| json!({"record": {"items": [["a", "passed", null, null]], "errors": [], "ended": [kind, "m"], "started": 1}});
        check(&ended("Exit"), Outcome::Crash, Some("pytest.exit"));
        check(
            &ended("KeyboardInterrupt"),
            Outcome::Failing,
            Some("KeyboardInterrupt"),
        );
    }

    #[test]
    fn what_cannot_be_imported_did_not_run() {
        let record = json!({"record": {"items": [], "errors": [["t.py", "ImportError", "no module"]], "ended": null}});
        check(&record, Outcome::NotExecuted, Some("ImportError"));
        let unparsable = json!({"record": {"unparsable": ["SyntaxError", "invalid syntax", 3]}});
        check(&unparsable, Outcome::Unparsable, Some("SyntaxError"));
    }

    #[test]
    fn messages_of_others_have_no_control_characters() {
        assert_eq!(clean("a\u{1b}[31mb\r\n\tc"), "a[31mb\n\tc");
    }
}
