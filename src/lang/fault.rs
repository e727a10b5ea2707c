//! The problem of a file that its front end cannot read as a whole: the same record and messages for every language.
//!
//! The readable parts of the file are read all the same. The front ends find where a file first breaks its grammar.

use tree_sitter::Node;

use crate::model::{Problem, Reason};

/// The problem text of a file that [`bounded::parse`](crate::syntax::bounded::parse) gives up.
pub const GIVEN_UP: &str = "too broken to parse in reasonable time";

/// Why a file is not read as a whole.
pub enum Fault {
    /// The parser was stopped: nothing but the lines of the file is known.
    GivenUp,
    /// The text breaks the grammar.
    Syntax {
        /// 1-based, where one line is to blame.
        line: Option<u32>,
        /// A lower-case fragment; may be empty.
        detail: String,
    },
}

impl Fault {
    /// A text that breaks the grammar on a line, with no further detail.
    pub const fn at(line: u32) -> Self {
        Self::Syntax {
            line: Some(line),
            detail: String::new(),
        }
    }

    /// Returns the problem of a file.
    pub fn of(self, path: &str) -> Problem {
        let (line, detail) = match self {
            Self::GivenUp => (None, GIVEN_UP.to_owned()),
            Self::Syntax { line, detail } => (line, detail),
        };
        Problem {
            path: path.to_owned(),
            line,
            reason: Reason::Syntax,
            detail,
        }
    }
}

/// Finds the start of the first node that is an error or missing, or of the smallest with such a node hidden in it.
pub fn first_error(root: Node<'_>) -> Option<u32> {
    root.has_error().then(|| {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if node.is_error() || node.is_missing() || !cursor.goto_first_child() {
                return node.start_byte() as u32;
            }
            while !cursor.node().has_error() {
                if !cursor.goto_next_sibling() {
                    return node.start_byte() as u32;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::GIVEN_UP;
    use crate::model::{Language, Problem, Reason};
    use crate::{Outside, SourceText, facts};

    fn problem(language: Language, text: &str) -> Option<Problem> {
        facts(
            language,
            SourceText {
                path: "a/file",
                text,
            },
            &Outside::default(),
        )
        .problem
    }

    /// In every language: two lines, and a third that breaks off.
    const BROKEN: [(Language, &str); 5] = [
        (Language::Java, "class A {\n}\nclass ) {}\n"),
        (Language::Python, "a = 1\nb = 2\nc = )\n"),
        (Language::Go, "package p\n\nfunc ) {}\n"),
        (Language::JavaScript, "f();\ng();\nconst = );\n"),
        (Language::CSharp, "class A {\n}\nclass ) {}\n"),
    ];

    #[test]
    fn every_language_names_the_line_of_a_broken_file() {
        for (language, text) in BROKEN {
            let problem = problem(language, text).expect("the text is broken");
            assert_eq!(
                (problem.reason, problem.line),
                (Reason::Syntax, Some(3)),
                "{language:?}"
            );
            assert_eq!(problem.path, "a/file");
        }
    }

    #[test]
    fn every_language_says_the_same_of_a_file_that_is_given_up() {
        for (language, _) in BROKEN {
            let problem = problem(language, &"([{\n".repeat(10_000)).expect("the text is broken");
            assert_eq!(
                (problem.line, &*problem.detail),
                (None, GIVEN_UP),
                "{language:?}"
            );
        }
    }
}
