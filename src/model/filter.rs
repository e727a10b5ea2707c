//! The filter language as a value: parsed in `browse`, compiled to SQL in `store`.

use crate::{Flag, Matcher, SampleKey, Status};

/// `repo:gson -status:tie weight<0.5 sort:-weight`: all terms must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub terms: Vec<Term>,
    pub sort: Vec<SortKey>,
}

impl Filter {
    /// Returns the filter that holds in this scope.
    #[must_use]
    pub fn within(mut self, scope: Scope) -> Self {
        if scope == Scope::Paper {
            let names_skipped = self.terms.iter().any(is_of_skipped);
            let terms = paper_terms().into_iter();
            let left = terms.filter(|it| !(names_skipped && is_of_skipped(it)));
            self.terms.extend(left);
        }
        self
    }

    /// Returns the filter as one matcher decided, unless it names one itself.
    #[must_use]
    pub fn as_decided(mut self, matcher: Matcher) -> Self {
        if self.terms.iter().all(|it| it.field != MATCHER) {
            self.terms.push(Term::is(MATCHER, matcher.as_str()));
        }
        self
    }
}

/// The field of the matcher whose decisions are meant.
const MATCHER: &str = "matcher";

/// Which samples a verb looks at, of those that its filter lets through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    #[default]
    All,
    /// Only those of the paper's dataset (ConTest 3.5, MINING.md rules 23 to 25): split into setup and assertions, focal
    /// calls only in the setup, no duplicate, no excessive context; and no test that is skipped for good (LANGUAGES.md
    /// L10).
    Paper,
}

/// Returns whether a condition is about tests that are skipped for good: who asks for them gets them.
fn is_of_skipped(term: &Term) -> bool {
    term.field == "flag" && term.value == Flag::Skipped.as_str()
}

fn paper_terms() -> [Term; 5] {
    let term = |field, value: &str, negated| Term {
        field,
        comparison: Comparison::Is,
        value: value.to_owned(),
        negated,
    };
    [
        term("status", Status::Ok.as_str(), false),
        term("flag", Flag::FocalInAssertion.as_str(), true),
        term("duplicate", "no", false),
        term("flag", Flag::ExcessiveContext.as_str(), true),
        term("flag", Flag::Skipped.as_str(), true),
    ]
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The field's name as in the table of fields, `text` for a search in bodies.
    pub field: &'static str,
    pub comparison: Comparison,
    /// As written; numbers are checked by the parser.
    pub value: String,
    /// `-field:value` turns the condition round.
    pub negated: bool,
}

impl Term {
    /// Returns the condition that a field has a value.
    #[must_use]
    pub fn is(field: &'static str, value: &str) -> Self {
        Self {
            field,
            comparison: Comparison::Is,
            value: value.to_owned(),
            negated: false,
        }
    }
}

/// What the value of a condition begins with that is a list of samples by now.
const KEYS: &str = "keys=";

impl Term {
    /// Returns the field of how near samples are to others. Who compares texts makes [a list](Self::of_keys) of it before
    /// the store is asked.
    pub const NEAR: &'static str = "near";

    /// Makes the condition that a sample is one of these.
    #[must_use]
    pub fn of_keys(field: &'static str, keys: &[SampleKey]) -> Self {
        let keys: Vec<String> = keys.iter().map(SampleKey::to_string).collect();
        Self::is(field, &format!("{KEYS}{}", keys.join(",")))
    }

    /// Returns the keys of such a condition, between commas.
    #[must_use]
    pub fn keys(&self) -> Option<&str> {
        self.value.strip_prefix(KEYS)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `field:value`: equal for words from a closed set, "contains" for names.
    Is,
    /// `field==value`: the whole name, or exactly the number.
    Exactly,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// `sort:field` or `sort:-field`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub field: &'static str,
    pub direction: Direction,
}
