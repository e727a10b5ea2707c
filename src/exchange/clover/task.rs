//! Instances of CLOVER's three tasks: all that a prompt and an evaluation need.

use serde::{Deserialize, Serialize};

/// One question about one test function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTask {
    /// `project/tests/x.py::Class::test#cloze-12-left`
    pub id: String,
    /// `cloze`, `target`, `block`
    pub task: String,
    pub project: String,
    /// `tests/x.py::Class::test`
    pub problem: String,
    /// Where an answer's file is put, beside the file of the test.
    pub path: String,
    /// Whether it is one of those that the seed has drawn; without `--all` only such are written.
    #[serde(default)]
    pub drawn: bool,
    /// Why it can never be drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file without the test function.
    pub setup: String,
    /// How many lines of the setup stand before it.
    pub at: usize,
    /// Its decorators and signature.
    pub head: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloze: Option<WireCloze>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<WireTarget>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<WireTaskBlock>,
    /// Files of the project by class, as `clover classes` tells them.
    pub peer: Vec<String>,
    pub rest: Vec<String>,
    pub repo: Vec<String>,
}

/// An assertion with a blank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCloze {
    /// `binary`, `unary`
    pub kind: String,
    /// `left`, `right`, `operand`
    pub operand: String,
    /// In the file of the problem, from 1.
    pub line: u32,
    /// The function up to the assertion.
    pub prefix: String,
    /// The assertion, with `____` for the missing part.
    pub question: String,
    /// How many bytes of the question stand before the blank.
    pub blank_at: usize,
    pub reference: String,
}

/// The definition that a test has to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTarget {
    pub name: String,
    /// `function`, `class`
    #[serde(rename = "type")]
    pub kind: String,
    pub file: String,
    /// Whether other definitions of the name could be meant.
    pub several: bool,
}

/// The block that a test has to cover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTaskBlock {
    pub file: String,
    /// The line of its first statement.
    pub first: u32,
    /// The line on which its last statement begins.
    pub last: u32,
    /// The line on which its last statement ends.
    pub end: u32,
    /// First lines of its statements, as ranges.
    pub statements: String,
    /// From `first` to `end`.
    pub code: String,
}

/// The sign for the missing part.
pub const BLANK: &str = "____";

impl WireTask {
    /// Splits the setup into the parts before and after the test function.
    #[must_use]
    pub fn around(&self) -> (&str, &str) {
        let end = self
            .setup
            .split_inclusive('\n')
            .take(self.at)
            .map(str::len)
            .sum();
        self.setup.split_at(end)
    }

    /// Puts lines in the place of the test function.
    #[must_use]
    pub fn file_with(&self, lines: &str) -> String {
        let (before, after) = self.around();
        let gap = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let end = if lines.ends_with('\n') { "" } else { "\n" };
        format!("{before}{gap}{lines}{end}{after}")
    }

    /// Returns the test function's name with its classes: `Class::test`.
    #[must_use]
    pub fn function(&self) -> &str {
        self.problem.split_once("::").map_or("", |pair| pair.1)
    }
}

impl WireCloze {
    /// Splits the question at the blank.
    #[must_use]
    pub fn around(&self) -> (&str, &str) {
        let before = self.question.get(..self.blank_at).unwrap_or_default();
        let after = self.question.get(self.blank_at + BLANK.len()..);
        (before, after.unwrap_or_default())
    }

    /// Fills the blank of the assertion.
    #[must_use]
    pub fn filled(&self, text: &str) -> String {
        let (before, after) = self.around();
        format!("{before}{text}{after}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_where_the_function_stood() {
        let task = WireTask {
            setup: "import p\n\nX = 1\n".to_owned(),
            at: 2,
            ..WireTask::default()
        };
        assert_eq!(
            task.file_with("def test():\n    pass"),
            "import p\n\ndef test():\n    pass\nX = 1\n"
        );
        let at_end = WireTask {
            setup: "import p".to_owned(),
            at: 1,
            ..WireTask::default()
        };
        assert_eq!(at_end.file_with("x\n"), "import p\nx\n");
    }

    #[test]
    fn a_blank_is_filled() {
        let cloze = WireCloze {
            question: "assert ____ == 1".to_owned(),
            blank_at: 7,
            ..WireCloze::default()
        };
        assert_eq!(cloze.filled("a.b()"), "assert a.b() == 1");
        assert_eq!(cloze.around(), ("assert ", " == 1"));
    }
}
