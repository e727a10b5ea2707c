//! Answers that say nothing: marks alone, the same words over and over, or words that have nothing to do with the
//! question.
//!
//! The paper read answers of models that fail under long contexts and found backticks, line breaks and random words
//! (Table 5). It states no rule; these rules are ours, and they are applied only to answers that do not run.

use std::collections::BTreeSet;

/// Why an answer says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gibberish {
    /// No letter and no digit: nothing, backticks, line breaks.
    Marks,
    /// Its different words are at most a tenth of its words; or the same holds for the characters of its longest word.
    Repeated,
    /// None of its words stands in the question, in the test's file, or in Python itself.
    Foreign,
}

impl Gibberish {
    pub const ALL: &[Self] = &[Self::Marks, Self::Repeated, Self::Foreign];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Marks => "marks",
            Self::Repeated => "repeated",
            Self::Foreign => "foreign",
        }
    }
}

/// Fewer words may repeat each other and still mean something.
const WORDS_MIN: usize = 20;
/// An answer repeats itself where each different word, or sign, stands in it at least this often on average.
const SAME: usize = 10;
/// A longest word with fewer characters may repeat them and still mean something.
const CHARS_MIN: usize = 60;
/// Answers with fewer words are too short to be called foreign.
const FOREIGN_MIN: usize = 3;

/// Python's own words, and names that every test may use.
const PYTHON: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "False",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "None",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "True",
    "try",
    "while",
    "with",
    "yield",
    "dict",
    "isinstance",
    "len",
    "list",
    "pytest",
    "python",
    "self",
    "set",
    "str",
    "test",
    "tuple",
];

/// Tells why an answer is gibberish; nothing where it says something. `known` are the texts of the question.
#[must_use]
pub fn gibberish(answer: &str, known: &[&str]) -> Option<Gibberish> {
    if !answer.chars().any(char::is_alphanumeric) {
        return Some(Gibberish::Marks);
    }
    let is_many = |n_all: usize, n_different: usize, least: usize| {
        n_all >= least && n_different * SAME <= n_all
    };
    let parts: Vec<&str> = answer.split_whitespace().collect();
    let different: BTreeSet<&str> = parts.iter().copied().collect();
    let longest = parts
        .iter()
        .max_by_key(|part| part.len())
        .copied()
        .unwrap_or_default();
    let signs: BTreeSet<char> = longest.chars().collect();
    if is_many(parts.len(), different.len(), WORDS_MIN)
        || is_many(longest.chars().count(), signs.len(), CHARS_MIN)
    {
        return Some(Gibberish::Repeated);
    }
    let words: BTreeSet<&str> = words(answer).collect();
    let is_known =
        |word: &&str| PYTHON.contains(word) || known.iter().any(|text| has_word(text, word));
    let is_foreign = words.len() >= FOREIGN_MIN && !words.iter().any(is_known);
    is_foreign.then_some(Gibberish::Foreign)
}

fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Lists the names in a text: words of two or more characters that do not begin with a digit.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| !is_part(sign));
    words.filter(|word| word.len() >= 2 && !word.starts_with(|sign: char| sign.is_ascii_digit()))
}

fn has_word(text: &str, word: &str) -> bool {
    text.contains(word) && words(text).any(|text| text == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_repeated_and_foreign_words_say_nothing() {
        let check = |answer: &str, expected: Option<Gibberish>| {
            let known = [
                "def test_size(tray):\n    size = measure(tray)",
                "assert size == ____",
            ];
            assert_eq!(gibberish(answer, &known), expected, "{answer:?}");
        };
        check("", Some(Gibberish::Marks));
        check("```\n\n```\n\\\\", Some(Gibberish::Marks));
        check(&"the the ".repeat(30), Some(Gibberish::Repeated));
        check(&"ab".repeat(40), Some(Gibberish::Repeated));
        check("lorem ipsum dolor amet", Some(Gibberish::Foreign));
        check("assert size == 4", None);
        check("the size of a tray", None);
        check("4", None);
        check("lorem ipsum", None);
        // Sixty different names do not repeat each other, but all are foreign.
        check(
            &(0..60)
                .map(|n| format!("size{n}"))
                .collect::<Vec<_>>()
                .join(" "),
            Some(Gibberish::Foreign),
        );
    }
}
