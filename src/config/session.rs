//! The place that the user left, so that the terminal UI opens there again: a file for each workspace in the user's
//! state folder.
//!
//! It is a convenience and nothing more: a part that is missing, broken or of another version is ignored without a
//! message. Does not decide the meaning of the words; the caller checks that a screen, a run or a sample is still
//! there, and reports missing ones.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Value;

use super::{SIZE_BYTES_MAX, file};

/// No text of a session is longer, in bytes: longer ones are left out.
pub const TEXT_BYTES_MAX: usize = 4096;
/// No list of a session is longer.
pub const LENGTH_MAX: usize = 64;

/// The place where the user was. The empty one is the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The screen and what it showed, in its own words, such as `["samples"]`; empty for none.
    pub screen: Vec<String>,
    /// The filters as they were typed, by the word of their screen.
    pub filters: BTreeMap<String, String>,
    /// The key of the sample under the cursor.
    pub sample: Option<String>,
    /// Its row in the list, from 0: where the cursor goes when the sample is gone.
    pub row: Option<u64>,
    /// The key of the sample that lay over the screen.
    pub opened: Option<String>,
    /// The item under the cursor where that is no sample: a repository, a run, a job.
    pub item: Option<String>,
    /// The run that was looked at.
    pub run: Option<String>,
    /// The run that it was held against.
    pub baseline: Option<String>,
    pub metric: Option<String>,
    /// The runs that were compared, the baseline first.
    pub compared: Vec<String>,
    /// The one of them that was held against the baseline.
    pub compared_run: Option<String>,
    /// The grouping of each list, by the word of its screen.
    pub groups: BTreeMap<String, String>,
    /// The columns of the table of predictions.
    pub columns: Vec<String>,
    /// The name that was typed as the annotator's, where neither the settings nor the system knew one.
    pub annotator: Option<String>,
    /// The theme that was chosen while the UI was open.
    pub theme: Option<String>,
    /// Whether long lines were wrapped; nothing where it was never said.
    pub wraps: Option<bool>,
}

impl Session {
    /// Reads a session; whatever cannot be used is left out.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text.len() > SIZE_BYTES_MAX {
            return Self::default();
        }
        let Ok(table) = text.parse::<toml::Table>() else {
            return Self::default();
        };
        let word = |value: &Value| {
            let word = value
                .as_str()
                .filter(|value| value.len() <= TEXT_BYTES_MAX)?;
            (!word.is_empty()).then(|| word.to_owned())
        };
        let text = |name: &str| table.get(name).and_then(word);
        let words = |name: &str| -> Vec<String> {
            let words = table.get(name).and_then(Value::as_array);
            // Half of a place is another place.
            words
                .filter(|word| word.len() <= LENGTH_MAX)
                .and_then(|values| values.iter().map(word).collect())
                .unwrap_or_default()
        };
        let by_screen = |name: &str| {
            let texts = table.get(name).and_then(Value::as_table);
            let texts = texts.into_iter().flatten();
            texts
                .filter_map(|(screen, text)| Some((screen.clone(), word(text)?)))
                .take(LENGTH_MAX)
                .collect()
        };
        let row = table.get("row").and_then(Value::as_integer);
        Self {
            screen: words("screen"),
            columns: words("columns"),
            filters: by_screen("filters"),
            groups: by_screen("groups"),
            sample: text("sample"),
            row: row.and_then(|row| u64::try_from(row).ok()),
            opened: text("opened"),
            item: text("item"),
            compared: words("compared"),
            compared_run: text("compared_run"),
            run: text("run"),
            baseline: text("baseline"),
            metric: text("metric"),
            annotator: text("annotator"),
            theme: text("theme"),
            wraps: table.get("wraps").and_then(Value::as_bool),
        }
    }

    /// Writes the session as TOML; [`Session::of`] reads the same again, but for texts and lists beyond the bounds.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let lists = [
            ("screen", &self.screen),
            ("columns", &self.columns),
            ("compared", &self.compared),
        ];
        for (name, words) in lists {
            if !words.is_empty() {
                let words: Vec<String> = words.iter().map(|word| file::quoted(word)).collect();
                text.push_str(&format!("{name} = [{}]\n", words.join(", ")));
            }
        }
        let fields = [
            ("sample", &self.sample),
            ("opened", &self.opened),
            ("item", &self.item),
            ("run", &self.run),
            ("baseline", &self.baseline),
            ("metric", &self.metric),
            ("compared_run", &self.compared_run),
            ("annotator", &self.annotator),
            ("theme", &self.theme),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                text.push_str(&format!("{name} = {}\n", file::quoted(value)));
            }
        }
        if let Some(wraps) = self.wraps {
            text.push_str(&format!("wraps = {wraps}\n"));
        }
        if let Some(row) = self.row {
            text.push_str(&format!("row = {row}\n"));
        }
        for (name, by_screen) in [("filters", &self.filters), ("groups", &self.groups)] {
            if !by_screen.is_empty() {
                text.push_str(&format!("\n[{name}]\n"));
            }
            for (screen, words) in by_screen {
                let (screen, words) = (file::quoted(screen), file::quoted(words));
                text.push_str(&format!("{screen} = {words}\n"));
            }
        }
        text
    }

    /// Loads the session in which the user left the workspace `.focalist`; the beginning where that is not known.
    #[must_use]
    pub fn load(state: &Path, workspace: &Path) -> Self {
        // No failure of reading is worth a word: the UI opens at its beginning.
        let text = file::read(&path(state, workspace)).ok().flatten();
        text.map_or_else(Self::default, |text| Self::of(&text))
    }

    /// Keeps the session for the next time, whole or not at all.
    ///
    /// # Errors
    /// What the system says; the session of the last time is as it was then.
    pub fn save(&self, state: &Path, workspace: &Path) -> io::Result<()> {
        let path = path(state, workspace);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let name = workspace.display().to_string();
        let head = format!("# How the terminal UI was left in {name:?}; may be deleted.\n");
        file::replace(&path, &(head + &self.text()))
    }
}

/// Finds the folder in which focalist keeps state for the user: `$XDG_STATE_HOME/focalist`, or what stands for it on
/// other systems; nothing without a home.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "focalist")?;
    let folder = folders.state_dir().unwrap_or(folders.data_local_dir());
    Some(folder.to_path_buf())
}

/// Chooses the file for a workspace: one for each place, however the place is named.
#[must_use]
pub fn path(state: &Path, workspace: &Path) -> PathBuf {
    let place = workspace
        .canonicalize()
        .unwrap_or_else(|_| workspace.to_owned());
    let hash = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
    state.join("sessions").join(format!("{}.toml", &hash[..32]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn full() -> Session {
        let text = |text: &str| Some(text.to_owned());
        Session {
            screen: vec!["results".to_owned(), "steady".to_owned()],
            filters: BTreeMap::from([
                (
                    "samples".to_owned(),
                    "text:\"a \\d\" -status:tie".to_owned(),
                ),
                ("a b".to_owned(), "é\n\0".to_owned()),
            ]),
            sample: text("0123abc"),
            row: Some(812),
            opened: text("4567def"),
            item: text("example.org/a"),
            run: text("steady"),
            baseline: text("hasty"),
            metric: text("bleu"),
            compared: vec!["hasty".to_owned(), "steady".to_owned()],
            compared_run: text("steady"),
            groups: BTreeMap::from([("results".to_owned(), "tag".to_owned())]),
            columns: vec!["test".to_owned(), "delta".to_owned()],
            annotator: text("ada"),
            theme: text("light"),
            wraps: Some(true),
        }
    }

    #[test]
    fn a_session_survives_writing_and_reading() {
        for session in [Session::default(), full()] {
            assert_eq!(Session::of(&session.text()), session);
        }
    }

    #[test]
    fn what_cannot_be_used_is_as_if_it_had_never_been_set() {
        assert_eq!(Session::of("nonsense"), Session::default());
        assert_eq!(
            Session::of("run = 1\nscreen = [1]\nwraps = \"yes\"\nrow = -1"),
            Session::default()
        );
        assert_eq!(
            Session::of(&format!("run = \"{}\"", "a".repeat(5000))),
            Session::default()
        );
        let mixed = Session::of("later = 1\nrun = \"a\"\nfilters = { a = 1, b = \"c\" }");
        assert_eq!(mixed.run.as_deref(), Some("a"));
        assert_eq!(
            mixed.filters,
            BTreeMap::from([("b".to_owned(), "c".to_owned())])
        );
    }

    #[test]
    fn no_text_makes_reading_stumble() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        runner
            .run(
                &"(screen|run|filters|wraps)? ?=? ?[\\[\\]\"{}=a\\n\\PC]{0,20}",
                |text| {
                    let session = Session::of(&text);
                    prop_assert_eq!(Session::of(&session.text()), session);
                    Ok(())
                },
            )
            .expect("what is read is written so that it reads the same");
    }

    #[test]
    fn each_workspace_has_its_own_and_a_broken_file_is_no_failure() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let (state, here) = (folder.path().join("state"), folder.path().join("here"));
        fs::create_dir(&here).expect("tests may make folders");
        assert_eq!(Session::load(&state, &here), Session::default());
        full().save(&state, &here).expect("it is written");
        assert_eq!(Session::load(&state, &here), full());
        assert_eq!(Session::load(&state, &here.join("../here")), full());
        assert_eq!(Session::load(&state, folder.path()), Session::default());
        fs::write(path(&state, &here), b"\xff").expect("it is written");
        assert_eq!(Session::load(&state, &here), Session::default());
        full().save(&state, &here).expect("it is written again");
        assert_eq!(Session::load(&state, &here), full());
    }
}
