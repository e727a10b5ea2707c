//! How an answer to a cloze can be right without being the reference: the four scenarios that the paper names (4.1).
//!
//! The paper describes them and gives no rule, so these are ours. They read text, not trees; an answer that none of
//! them explains is [`AnswerDifference::Other`].

use crate::exchange::WireCloze;

/// How a right answer differs from the reference; the first way that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerDifference {
    /// The same in another notation of the language: `x in d` for `x in d.keys()`, `[]` for `list()`.
    Sugar,
    /// The same except for quotes, blanks and `strip`.
    Strings,
    /// Anything true fits the blank: `assert ____`.
    Unary,
    /// Anything that is not there fits the blank: `assert ____ not in y`.
    Absence,
    Other,
}

impl AnswerDifference {
    pub const ALL: &[Self] = &[
        Self::Sugar,
        Self::Strings,
        Self::Unary,
        Self::Absence,
        Self::Other,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sugar => "sugar",
            Self::Strings => "strings",
            Self::Unary => "unary",
            Self::Absence => "absence",
            Self::Other => "other",
        }
    }

    /// Finds how an answer that is right differs from the reference's text.
    #[must_use]
    pub fn of(cloze: &WireCloze, said: &str) -> Self {
        let (said, reference) = (said.trim(), cloze.reference.trim());
        if unsugared(said) == unsugared(reference) {
            return Self::Sugar;
        }
        if unquoted(said) == unquoted(reference) {
            return Self::Strings;
        }
        if cloze.kind == "unary" {
            return Self::Unary;
        }
        let (before, after) = cloze.around();
        let is_absent = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let pairs = words.windows(2);
            words.contains(&"!=")
                || pairs
                    .into_iter()
                    .any(|pair| pair == ["not", "in"] || pair == ["is", "not"])
        };
        if is_absent(before) || is_absent(after) {
            return Self::Absence;
        }
        Self::Other
    }
}

/// Names of functions that make a collection, or a value, out of another one.
const MAKERS: &[&str] = &["list", "tuple", "set", "bool", "iter"];

/// Strips `.keys()`, makers around an expression, and parentheses around all of it.
fn unsugared(text: &str) -> String {
    let mut text = text.replace(".keys()", "");
    for (long, short) in [("dict()", "{}"), ("list()", "[]"), ("tuple()", "()")] {
        text = text.replace(long, short);
    }
    while let Some(inner) = inner(&text) {
        text = inner.to_owned();
    }
    text.chars().filter(|sign| !sign.is_whitespace()).collect()
}

/// Returns the content of parentheses that enclose a whole expression, with or without a maker before them.
fn inner(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_wrapped = |name: &&&str| {
        text.strip_prefix(**name)
            .is_some_and(|rest| rest.starts_with('('))
    };
    let name = MAKERS.iter().find(is_wrapped).map_or("", |text| text);
    let inner = text
        .strip_prefix(name)?
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let mut depth = 0_i32;
    let is_closed = inner.chars().any(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth < 0
    });
    (!is_closed && !inner.trim().is_empty() && !inner.contains(',')).then_some(inner)
}

/// Strips quotes, blanks, and calls of `strip` from an expression.
fn unquoted(text: &str) -> String {
    let mut text = text.to_owned();
    for call in [".strip()", ".lstrip()", ".rstrip()"] {
        text = text.replace(call, "");
    }
    text.chars()
        .filter(|sign| !sign.is_whitespace() && !matches!(sign, '"' | '\''))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_answers_that_are_not_the_reference_have_the_papers_ways() {
        let check = |question: &str,
                     kind: &str,
                     reference: &str,
                     said: &str,
                     expected: AnswerDifference| {
            let cloze = WireCloze {
                kind: kind.to_owned(),
                question: question.to_owned(),
                blank_at: question.find("____").expect("there is a blank"),
                reference: reference.to_owned(),
                ..WireCloze::default()
            };
            assert_eq!(
                AnswerDifference::of(&cloze, said),
                expected,
                "{question} {said}"
            );
        };
        check(
            "assert x in ____",
            "binary",
            "d.keys()",
            "d",
            AnswerDifference::Sugar,
        );
        check(
            "assert x == ____",
            "binary",
            "list()",
            "[]",
            AnswerDifference::Sugar,
        );
        check(
            "assert ____ == 1",
            "binary",
            "(a.b)",
            "a.b",
            AnswerDifference::Sugar,
        );
        check(
            "assert ____ == 1",
            "binary",
            "'a b'",
            "\"a b\"",
            AnswerDifference::Strings,
        );
        check(
            "assert ____ == x",
            "binary",
            "y.strip()",
            "y",
            AnswerDifference::Strings,
        );
        check(
            "assert ____",
            "unary",
            "x.is_open",
            "x.size",
            AnswerDifference::Unary,
        );
        check(
            "assert ____ not in y",
            "binary",
            "'a'",
            "'b'",
            AnswerDifference::Absence,
        );
        check(
            "assert ____ != y",
            "binary",
            "a",
            "b",
            AnswerDifference::Absence,
        );
        check(
            "assert ____ == y",
            "binary",
            "a",
            "b",
            AnswerDifference::Other,
        );
        // The parentheses at the two ends are not a pair.
        check(
            "assert ____ == y",
            "binary",
            "(a)+(b)",
            "a)+(b",
            AnswerDifference::Other,
        );
    }
}
