//! The user's actions while the UI was open, as commands that can be pasted into a shell.
//!
//! Decides which command repeats an action. An action without a command becomes a comment. Only an action that
//! succeeded counts: a verdict that could not be written is not logged.

use std::borrow::Cow;

use crate::browse::write_filter;
use crate::chore::Chore;
use crate::eval::results::ResultsOptions;
use crate::model::{Event, EventKind, JudgedSample, Judgement, Tag, TaggedPrediction};
use crate::scribe;
use crate::work::{self, BackgroundTask};

/// The most lines that are kept; further ones replace the oldest.
const LINES_MAX: usize = 10_000;

/// The log of actions, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct CommandLog {
    /// Options that every command needs to reach the same workspace.
    global: Vec<String>,
    lines: Vec<String>,
}

impl CommandLog {
    /// Starts an empty log; `global` are the options that reach the workspace.
    #[must_use]
    pub const fn new(global: Vec<String>) -> Self {
        Self {
            global,
            lines: Vec::new(),
        }
    }

    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Joins all lines to a script.
    #[must_use]
    pub fn text(&self) -> String {
        lines_of(&self.lines)
    }

    /// Notes a command by its words, without the program's name. The same command twice in a row is noted once.
    pub fn note(&mut self, words: &[&str]) {
        let line = self.command(words);
        self.push(line);
    }

    /// Notes one of the user's own commands.
    pub fn note_own(&mut self, words: &[String]) {
        let words: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
        self.push(words.join(" "));
    }

    fn push(&mut self, line: String) {
        if self.lines.last() == Some(&line) {
            return;
        }
        if self.lines.len() == LINES_MAX {
            self.lines.remove(0);
        }
        self.lines.push(line);
    }

    fn command(&self, words: &[&str]) -> String {
        let global = self.global.iter().map(String::as_str);
        let words = global.chain(words.iter().copied());
        let words: Vec<Cow<'_, str>> = words.map(quoted).collect();
        format!("focalist {}", words.join(" "))
    }

    /// Notes the events of an annotator that are on disk.
    pub fn hear(&mut self, outcome: &scribe::ScribeOutcome) {
        match outcome {
            scribe::ScribeOutcome::Appended { events, .. } => {
                for event in events {
                    self.hear_event(event);
                }
            }
            scribe::ScribeOutcome::Undone(Some(event)) => {
                self.note(&["undo", "--as", event.annotator()]);
            }
            scribe::ScribeOutcome::Redone(Some(event)) => {
                self.note(&["redo", "--as", event.annotator()]);
            }
            scribe::ScribeOutcome::Undone(None)
            | scribe::ScribeOutcome::Redone(None)
            | scribe::ScribeOutcome::Seated
            | scribe::ScribeOutcome::Held { .. } => {}
            scribe::ScribeOutcome::Given(keys) => {
                let n = keys.len();
                self.push(format!(
                    "# gave the same verdict to {n} similar tests, provisionally"
                ));
            }
            scribe::ScribeOutcome::Drawn(n) => self.push(format!("# an audit drew {n} samples")),
            scribe::ScribeOutcome::Accepted(n) => {
                self.push(format!("# accepted the rest of an audit: {n} samples"));
            }
        }
    }

    fn hear_event(&mut self, event: &Event) {
        let annotator = event.annotator();
        match event.kind() {
            EventKind::Judged(judged) => self.judged(judged, None, annotator),
            EventKind::Adjudicated { judged, reason } => {
                self.judged(judged, Some(reason), annotator);
            }
            EventKind::Tagged(tagged) => self.tagged(tagged, annotator),
            EventKind::Noted { key, note } => {
                self.push(format!("# note on {key}: {}", quoted(note)));
            }
            EventKind::Marked { key } => self.push(format!("# marked {key}")),
            EventKind::Unmarked { key } => self.push(format!("# no longer marked: {key}")),
            EventKind::Equivalent { mutant, .. } => {
                self.push(format!("# marked as equivalent: mutant {mutant}"));
            }
            EventKind::NotEquivalent { mutant, .. } => {
                self.push(format!("# no longer marked as equivalent: mutant {mutant}"));
            }
            EventKind::Undone { .. } => self.note(&["undo", "--as", annotator]),
            EventKind::Redone { .. } => self.note(&["redo", "--as", annotator]),
            EventKind::Drawn(_) | EventKind::Batch(_) => {}
        }
    }

    fn judged(&mut self, judged: &JudgedSample, reason: Option<&str>, annotator: &str) {
        let key = judged.key.to_string();
        let mut words = vec!["verdict", &key];
        match &judged.judgement {
            Judgement::Accept => words.push("accept"),
            Judgement::NoneOfThese => words.push("none-of-these"),
            Judgement::NoFocal => words.push("no-focal"),
            Judgement::Pick(method) => words.extend(["pick", method]),
            Judgement::Unsure => words.push("unsure"),
            Judgement::Skip => words.push("skip"),
        }
        words.extend(["--as", annotator]);
        let options = [
            ("--note", judged.note.as_deref()),
            ("--guideline", judged.guideline.as_deref()),
            ("--adjudicate", reason),
        ];
        for (option, value) in options {
            if let Some(value) = value {
                words.extend([option, value]);
            }
        }
        self.note(&words);
    }

    fn tagged(&mut self, tagged: &TaggedPrediction, annotator: &str) {
        let key = tagged.key.to_string();
        let attempt = tagged.attempt.to_string();
        let mut words = vec!["tag", &tagged.run, &key];
        let tags: Vec<&str> = tagged.tags.iter().map(Tag::as_str).collect();
        if tags.is_empty() {
            words.push("none");
        }
        words.extend(tags);
        words.extend(["--as", annotator]);
        if tagged.attempt > 0 {
            words.extend(["--attempt", &attempt]);
        }
        if let Some(note) = &tagged.note {
            words.extend(["--note", note]);
        }
        self.note(&words);
    }

    /// Notes a task on jobs or runs, unless it failed.
    pub fn hear_work(&mut self, task: &BackgroundTask, outcome: &work::TaskOutcome) {
        if matches!(outcome, work::TaskOutcome::Failed { .. }) {
            return;
        }
        match task {
            BackgroundTask::Start(new) => {
                let words: Vec<Cow<'_, str>> = new
                    .arguments
                    .iter()
                    .map(|word| word.to_string_lossy())
                    .collect();
                let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
                let line = self.command(&words);
                if new.folder.as_os_str().is_empty() {
                    self.push(line);
                } else {
                    let folder = new.folder.to_string_lossy();
                    self.push(format!("(cd -- {} && {line})", quoted(&folder)));
                }
            }
            BackgroundTask::Cancel(id) => self.note(&["jobs", "cancel", &id.to_string()]),
            BackgroundTask::Clear => self.note(&["jobs", "clear"]),
            BackgroundTask::Remove { run } => self.note(&["rm", "--run", run]),
        }
    }

    /// Notes a file written beside the index.
    pub fn hear_chore(&mut self, chore: &Chore) {
        match chore {
            Chore::SaveFilter { name, text } => self.note(&["filters", "save", name, text]),
            Chore::WriteChart { kind, path } => {
                self.note(&["plot", kind.as_str(), "--output", path]);
            }
            Chore::Export {
                options,
                rows,
                path,
            } => {
                let line = self.results(options, &["--json", "--texts", "--limit", "0"]);
                let rows = rows.map_or_else(String::new, |[first, n]| {
                    format!(" | tail -n +{} | head -n {n}", first + 1)
                });
                self.push(format!("{line}{rows} > {}", quoted(path)));
            }
            Chore::WriteText { .. } => {}
            Chore::Demo => self.note(&["demo", "--no-tui"]),
        }
    }

    /// Notes a listing of predictions.
    pub fn list_results(&mut self, options: &ResultsOptions) {
        let line = self.results(options, &[]);
        self.push(line);
    }

    fn results(&self, options: &ResultsOptions, more: &[&str]) -> String {
        let filter = write_filter(&options.filter);
        let mut words = vec!["results"];
        words.extend(options.run.as_deref());
        if let Some(baseline) = &options.baseline {
            words.extend(["--baseline", baseline]);
        }
        if let Some(metric) = options.metric {
            words.extend(["--metric", metric.id]);
        }
        words.extend(more);
        if !filter.is_empty() {
            words.push(&filter);
        }
        self.command(&words)
    }
}

/// Writes each item on a line of its own.
#[must_use]
pub fn lines_of(items: &[impl ToString]) -> String {
    let mut text = String::new();
    for item in items {
        text.push_str(&item.to_string());
        text.push('\n');
    }
    text
}

/// Quotes a word for a POSIX shell (2.2.2, single quotes); a word without special characters stays as it is.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:,@%+".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::model::{ContentHash, JobId, SampleKey};

    #[test]
    fn a_shell_reads_every_word_as_it_was() {
        for word in [
            "",
            "plain",
            "a b",
            "it's",
            "$HOME `x` \"y\" \\",
            "*",
            "a\nb",
            "é",
            "-x=~",
        ] {
            let script = format!("printf %s {}", quoted(word));
            let output = Command::new("sh").args(["-c", &script]).output();
            let output = output.expect("a shell is there");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{script}");
        }
    }

    fn judged(judgement: Judgement) -> EventKind {
        EventKind::Judged(JudgedSample {
            key: SampleKey::parse(&"3f".repeat(16)).expect("a key"),
            content_hash: ContentHash::parse(&"0".repeat(32)).expect("a hash"),
            focal: None,
            judgement,
            dwell_ms: None,
            guideline: None,
            note: Some("it's odd".to_owned()),
            queue: None,
            bulk: None,
        })
    }

    #[test]
    fn what_was_said_is_the_command_that_says_it() {
        let mut log = CommandLog::new(vec!["--workspace".to_owned(), "my data".to_owned()]);
        let event = |kind| Event::new("ada", 1, kind);
        let pick = Judgement::Pick("p.C#inc(int)".to_owned());
        log.hear(&scribe::ScribeOutcome::Appended {
            events: vec![event(judged(pick)), event(judged(Judgement::NoFocal))],
            version: 1,
        });
        log.hear(&scribe::ScribeOutcome::Undone(Some(event(judged(
            Judgement::NoFocal,
        )))));
        let key = "3f".repeat(16);
        let start = format!("focalist --workspace 'my data' verdict {key}");
        assert_eq!(
            log.lines(),
            [
                format!("{start} pick 'p.C#inc(int)' --as ada --note 'it'\\''s odd'"),
                format!("{start} no-focal --as ada --note 'it'\\''s odd'"),
                "focalist --workspace 'my data' undo --as ada".to_owned(),
            ]
        );
    }

    #[test]
    fn what_failed_is_no_deed_and_the_same_again_is_one() {
        let mut log = CommandLog::default();
        let failed = work::TaskOutcome::Failed {
            text: String::new(),
            hint: String::new(),
        };
        log.hear_work(&BackgroundTask::Clear, &failed);
        assert_eq!(log.lines(), [""; 0]);
        let done = work::TaskOutcome::Done(String::new());
        log.hear_work(&BackgroundTask::Cancel(JobId(7)), &done);
        log.hear_work(&BackgroundTask::Cancel(JobId(7)), &done);
        assert_eq!(log.text(), "focalist jobs cancel 7\n");
    }
}
