//! The parts of a text that can be folded: setup, comments and docstrings, and the lines between two lines that are
//! looked for.

use super::{Doc, TestPart};
use crate::mine::language_of;
use crate::model::Language;

/// The fewest lines that are worth a row for their fold.
const FOLDED_MIN: usize = 3;

/// A comment of at least this many lines is folded from the start: it is more about the licence or the class than about
/// the tested code.
const LONG_COMMENT: usize = 4;

/// Makes a fold of the lines between two lines, which both stay; nothing where it would save no row.
#[must_use]
pub fn fold_between((first, last): (usize, usize)) -> Option<(usize, usize)> {
    (last >= first + FOLDED_MIN).then(|| (first + 1, last - 1))
}

impl Doc {
    /// Finds the runs of lines in the setup part that can be folded, without focal calls.
    #[must_use]
    pub fn setup_folds(&self) -> Vec<(usize, usize)> {
        let lines = self.lines.iter();
        let is_setup = lines.map(|line| line.part == Some(TestPart::Setup) && !line.is_focal_call);
        runs(FOLDED_MIN, is_setup)
    }

    /// Finds the comments and docstrings that can be folded, as ranges of lines.
    #[must_use]
    pub fn comment_folds(&self) -> Vec<(usize, usize)> {
        runs(FOLDED_MIN - 1, self.comments())
    }

    /// Finds the comments and docstrings that are long enough to be folded from the start.
    #[must_use]
    pub fn long_comment_folds(&self) -> Vec<(usize, usize)> {
        runs(LONG_COMMENT, self.comments())
    }

    /// Tells for each line whether it belongs to a comment or a docstring.
    fn comments(&self) -> impl Iterator<Item = bool> + '_ {
        let mut docstring = Docstring::default();
        self.lines.iter().enumerate().map(move |(idx, line)| {
            if line.number.is_none() {
                docstring = Docstring::default();
                return false;
            }
            let language = self
                .block_at(idx)
                .and_then(|pair| language_of(&pair.0.path));
            let is_python = language == Some(Language::Python);
            let text = line.text.trim();
            if is_python {
                docstring.take(text) || text.starts_with('#')
            } else {
                ["//", "/*", "*"]
                    .iter()
                    .any(|prefix| text.starts_with(prefix))
            }
        })
    }

    /// Copies the text with these folds; of two that overlap, the first one stays.
    #[must_use]
    pub fn folded(&self, mut folds: Vec<(usize, usize)>) -> Self {
        folds.sort_unstable();
        let mut end = 0;
        folds.retain(|(first, last)| {
            let is_apart = *first >= end;
            if is_apart {
                end = last + 1;
            }
            is_apart
        });
        Self {
            folds,
            ..self.clone()
        }
    }
}

/// Finds the runs of at least `n_min` lines for which `are_so` holds.
fn runs(n_min: usize, are_so: impl Iterator<Item = bool>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (idx, is_so) in are_so.enumerate() {
        if !is_so {
            continue;
        }
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == idx => *last = idx,
            _ => runs.push((idx, idx)),
        }
    }
    runs.retain(|(first, last)| last - first + 1 >= n_min);
    runs
}

/// The state of a reader of Python. A string in three quotes is a docstring only after the colon of a head; elsewhere
/// it is data of the test.
#[derive(Default)]
struct Docstring {
    /// The quotes that end the open docstring.
    open: Option<&'static str>,
    is_behind_head: bool,
}

impl Docstring {
    /// Takes the next line, trimmed; tells whether it belongs to a docstring.
    fn take(&mut self, text: &str) -> bool {
        if let Some(quotes) = self.open {
            if text.ends_with(quotes) {
                self.open = None;
            }
            return true;
        }
        let bare = text.trim_start_matches(['r', 'R', 'u', 'U']);
        let found = ["\"\"\"", "'''"]
            .into_iter()
            .find(|text| bare.starts_with(text));
        let quotes = found.filter(|_| self.is_behind_head);
        if !text.is_empty() && !text.starts_with('#') {
            self.is_behind_head = text.ends_with(':');
        }
        let Some(quotes) = quotes else { return false };
        let rest = &bare[quotes.len()..];
        if !rest.contains(quotes) {
            self.open = Some(quotes);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Snippet;

    fn doc(path: &str, text: &str) -> Doc {
        let mut doc = Doc::default();
        doc.push_snippet(&Snippet {
            package: None,
            key: String::new(),
            path: path.to_owned(),
            first_line: 1,
            name_line: 1,
            text: text.to_owned(),
            marks: Vec::new(),
        });
        doc
    }

    fn check(path: &str, text: &str, expected: &[(usize, usize)]) {
        assert_eq!(doc(path, text).long_comment_folds(), expected, "{text}");
    }

    #[test]
    fn long_comments_fold_by_themselves_and_short_ones_stay() {
        check("T.java", "/**\n * a\n * b\n */\nvoid t() {}", &[(0, 3)]);
        check("T.java", "/**\n * a\n */\nvoid t() {}", &[]);
        check("t.go", "x()\n// a\n// b\n// c\n// d\ny()", &[(1, 4)]);
    }

    #[test]
    fn a_docstring_stands_behind_a_head_and_other_strings_are_code() {
        let quotes = "\"\"\"";
        let docstring = format!("def t():\n    {quotes}a\n    b\n    c\n    {quotes}\n    x()");
        check("t.py", &docstring, &[(1, 4)]);
        check("t.java", &docstring, &[]);
        let data = format!("def t():\n    x(\n    {quotes}a\n    b\n    c\n    {quotes})");
        check("t.py", &data, &[]);
        let one_line = format!("def t():\n    {quotes}a{quotes}\n    x()\n    y()\n    z()");
        check("t.py", &one_line, &[]);
    }
}
