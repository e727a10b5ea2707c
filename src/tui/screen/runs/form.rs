//! The form that imports predictions: its fields, what is wrong with them, and the task that they come to.

use crate::browse::complete;
use crate::model::{Extraction, Language, Matcher, ParseMode, RunSetting, Target};
use crate::tui::files::Listing;
use crate::tui::filter;
use crate::tui::keymap::{InputCommand, Step};
use crate::tui::text::visible;
use crate::tui::widget::form::{Field, Form};
use crate::tui::work::Import;

const FILE: usize = 0;
const RUN: usize = 1;
const MODEL: usize = 2;
const TARGET: usize = 3;
const LANGUAGE: usize = 4;
const EXTRACTION: usize = 5;
const PARSE_MODE: usize = 6;
const LENGTH: usize = 7;
const ALIGNED: usize = 8;
const REPLACE: usize = 9;

#[derive(Clone, Debug)]
pub struct ImportForm {
    pub form: Form,
    /// The name that the file suggested; it follows the file as long as nobody changes it.
    suggested: String,
    /// What is known of the file as typed; absent while nobody has looked.
    is_file: Option<bool>,
}

impl Default for ImportForm {
    fn default() -> Self {
        let words = |all: &[Language]| all.iter().map(|it| it.as_str()).collect();
        let fields = vec![
            Field::text(
                "file",
                "JSON lines, a JSON array, CSV by its name, or .txt: one prediction a line",
            ),
            Field::text("run", "its name in tables; unique in this index"),
            Field::text("model", "as tables shall name it; may stay empty"),
            Field::choice(
                "target",
                Target::ALL.iter().map(|it| it.as_str()).collect(),
                "what the model was to write: the assertion part, or the whole test",
            ),
            Field::choice("language", words(Language::ALL), "of the predictions"),
            Field::choice(
                "extract",
                Extraction::ALL.iter().map(|it| it.as_str()).collect(),
                "none: the answer is code · mera, lenient: the code in its fences",
            ),
            Field::choice(
                "parse",
                ParseMode::ALL.iter().map(|it| it.as_str()).collect(),
                "strict: as javac 17 · javalang: as ConTest counted (Java only)",
            ),
            Field::text(
                "max length",
                "tokens that the model could write, if known: for the rate cut off",
            ),
            Field::text(
                "aligned with",
                "a filter: the n-th record answers its n-th sample; empty: records name theirs",
            ),
            Field::choice(
                "replace",
                vec!["no", "yes"],
                "take the place of a run of the same name",
            ),
        ];
        Self {
            form: Form::new("import predictions", "Enter imports · Esc", fields),
            suggested: String::new(),
            is_file: None,
        }
    }
}

impl ImportForm {
    pub fn insert(&mut self, text: &str) {
        self.form.insert(text);
        self.after_typing();
    }

    pub fn edit(&mut self, command: InputCommand) {
        self.form.edit(command);
        self.after_typing();
    }

    /// Completes the field, or goes on to the next.
    pub fn complete(&mut self, step: Step) {
        let is_file = self.form.at == FILE;
        let is_anew = self.form.complete(step);
        if is_file {
            self.suggest();
            self.is_file = None;
        }
        if is_anew {
            self.complete_filter();
        }
    }

    pub fn step(&mut self, step: Step) {
        self.form.step(step);
        self.complete_filter();
    }

    /// Returns the path to look up: that of the field with the cursor, or one that nobody has looked for yet.
    #[must_use]
    pub fn asks_for(&self) -> Option<&str> {
        let is_wanted =
            self.form.at == FILE && self.form.chosen.is_none() || self.is_file.is_none();
        is_wanted.then(|| self.form.text(FILE))
    }

    /// Takes in what is there; what was typed since waits for its own answer.
    pub fn take_listing(&mut self, listing: Listing) {
        if listing.typed != self.form.text(FILE) {
            return;
        }
        self.is_file = Some(listing.is_file);
        if self.form.at == FILE && self.form.chosen.is_none() {
            self.form.completions = listing.names;
        }
    }

    fn after_typing(&mut self) {
        if self.form.at == FILE {
            self.is_file = None;
            self.suggest();
        }
        self.complete_filter();
    }

    /// Names the run after the file.
    fn suggest(&mut self) {
        if self.form.text(RUN) != self.suggested {
            return;
        }
        let path = self.form.text(FILE);
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        stem.clone_into(&mut self.suggested);
        let stem = self.suggested.clone();
        self.form.set_text(RUN, &stem);
    }

    fn complete_filter(&mut self) {
        if self.form.at != ALIGNED {
            return;
        }
        let text = self.form.text(ALIGNED);
        self.form.completions = complete(text, text.len())
            .into_iter()
            .map(|it| format!("{}{}", &text[..it.span.start], it.text))
            .collect();
    }

    /// Returns the import that the fields describe, or leaves the cursor in the first field that is wrong. `known` are
    /// the runs of the index.
    pub fn submit(&mut self, known: &[&str]) -> Option<Import> {
        match self.read(known) {
            Ok(import) => Some(import),
            Err((at, text)) => {
                self.form.go(at);
                self.form.flaw = Some((at, text));
                None
            }
        }
    }

    fn read(&self, known: &[&str]) -> Result<Import, (usize, String)> {
        let text = |idx| self.form.text(idx).trim();
        let wrong = |at, text: &str| Err((at, text.to_owned()));
        let (path, name) = (text(FILE), text(RUN));
        let is_replacing = self.form.choice(REPLACE) == 1;
        if path.is_empty() {
            return wrong(FILE, "which file? Tab completes names");
        }
        if self.is_file == Some(false) {
            return wrong(FILE, "there is no such file");
        }
        if name.is_empty() {
            return wrong(RUN, "a run needs a name");
        }
        if !is_replacing && known.contains(&name) {
            return wrong(RUN, "there is such a run: another name, or `replace`");
        }
        let length = text(LENGTH);
        let length_max = match length.parse::<u32>() {
            Ok(0) | Err(_) if !length.is_empty() => return wrong(LENGTH, "a number of tokens"),
            parsed => parsed.ok(),
        };
        let aligned = text(ALIGNED);
        let aligned_with = match filter::parse(aligned) {
            _ if aligned.is_empty() => None,
            Ok(filter) => Some(filter),
            Err(flaw) => return Err((ALIGNED, flaw.text)),
        };
        let is_lines = [".txt", ".text"]
            .iter()
            .any(|end| path.to_ascii_lowercase().ends_with(end));
        if is_lines && aligned_with.is_none() {
            return wrong(
                ALIGNED,
                "lines of text name no sample: split:test, for example",
            );
        }
        let model = text(MODEL);
        Ok(Import {
            path: path.to_owned(),
            setting: RunSetting {
                name: name.to_owned(),
                model: (!model.is_empty()).then(|| model.to_owned()),
                target: Target::ALL[self.form.choice(TARGET)],
                // Who imports takes the one that the index shows.
                matcher: Matcher::DEFAULT,
                language: Language::ALL[self.form.choice(LANGUAGE)],
                extraction: Extraction::ALL[self.form.choice(EXTRACTION)],
                parse_mode: ParseMode::ALL[self.form.choice(PARSE_MODE)],
                length_max,
                source: visible(path),
                imported_at: 0,
            },
            aligned_with,
            is_replacing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(fields: &[(usize, &str)]) -> ImportForm {
        let mut form = ImportForm::default();
        for (at, text) in fields {
            form.form.go(*at);
            form.edit(InputCommand::DeleteAll);
            form.insert(text);
        }
        form
    }

    fn check_flaw(fields: &[(usize, &str)], at: usize, expected: &str) {
        let mut form = filled(fields);
        assert_eq!(form.submit(&["taken"]), None);
        let (wrong, text) = form.form.flaw.clone().expect("something is wrong");
        assert!(wrong == at && text.contains(expected), "{wrong} {text}");
        assert_eq!(form.form.at, at);
    }

    #[test]
    fn what_is_wrong_is_said_at_its_field() {
        check_flaw(&[], FILE, "which file");
        check_flaw(&[(FILE, "a.jsonl"), (RUN, " ")], RUN, "needs a name");
        check_flaw(&[(FILE, "taken.jsonl")], RUN, "there is such a run");
        check_flaw(&[(FILE, "a.jsonl"), (LENGTH, "many")], LENGTH, "number");
        check_flaw(&[(FILE, "a.jsonl"), (LENGTH, "0")], LENGTH, "number");
        check_flaw(
            &[(FILE, "a.jsonl"), (ALIGNED, "splat:test")],
            ALIGNED,
            "splat",
        );
        check_flaw(&[(FILE, "a.txt")], ALIGNED, "name no sample");
    }

    #[test]
    fn a_file_that_is_not_there_is_said_before_anything_starts() {
        let mut form = filled(&[(FILE, "a.jsonl")]);
        assert_eq!(form.asks_for(), Some("a.jsonl"));
        form.take_listing(Listing {
            typed: "a.jsonl".to_owned(),
            ..Listing::default()
        });
        assert_eq!(form.submit(&[]), None);
        assert!(form.form.flaw.is_some_and(|(at, _)| at == FILE));
    }

    #[test]
    fn the_fields_come_to_an_import() {
        let mut form = filled(&[
            (FILE, "runs/carbon.jsonl"),
            (MODEL, "Carbon"),
            (TARGET, "t"),
            (EXTRACTION, "m"),
            (LENGTH, "512"),
            (ALIGNED, "split:test"),
            (REPLACE, "y"),
        ]);
        let import = form.submit(&["carbon"]).expect("nothing is wrong");
        assert!(import.is_replacing && import.aligned_with.is_some());
        assert_eq!(import.path, "runs/carbon.jsonl");
        let setting = import.setting;
        assert_eq!(setting.name, "carbon");
        assert_eq!(setting.model.as_deref(), Some("Carbon"));
        assert_eq!(setting.target, Target::Test);
        assert_eq!(setting.extraction, Extraction::Mera);
        assert_eq!(setting.length_max, Some(512));
    }

    #[test]
    fn the_name_follows_the_file_until_somebody_changes_it() {
        let mut form = filled(&[(FILE, "runs/a.test.jsonl")]);
        assert_eq!(form.form.text(RUN), "a");
        form.form.go(RUN);
        form.insert("2");
        form.form.go(FILE);
        form.edit(InputCommand::DeleteAll);
        form.insert("b.jsonl");
        assert_eq!(form.form.text(RUN), "a2");
    }
}
