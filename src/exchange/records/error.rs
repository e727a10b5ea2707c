//! Faults of a record of a file, and their words: a fault has the same words in every format.
//!
//! Decides no place: the reader of a file knows the line. Faults that only one format has are its own ([`LogError`],
//! [`EventError`], [`AnswerError`]).

use std::fmt;

use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::answers::AnswerError;
use crate::logs::LogError;
use crate::review::EventError;

/// How many of the present names a message lists where another one is needed.
const N_NAMED: usize = 6;
/// A longer name is cut, so that the message stays one line.
const NAMED_CHARS_MAX: usize = 40;

/// Why a record cannot be used. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("expected utf-8, found utf-16")]
    Utf16,
    /// The first byte that is to blame, from 1.
    #[error("not utf-8 at byte {byte}")]
    NotUtf8 { byte: usize },
    #[error("longer than {} MiB", bytes_max >> 20)]
    TooLong { bytes_max: usize },
    #[error("ends in the middle of an object")]
    CutOff,
    /// The file could not be read on, in the system's words.
    #[error("{what}")]
    Unreadable { what: String },
    #[error("not json: {0}")]
    NotJson(JsonFault),
    /// JSON, but not of the expected form.
    #[error("{0}")]
    Unlike(JsonFault),
    #[error("expected an object, found {found}")]
    NotAnObject { found: &'static str },
    #[error("the list does not end")]
    OpenList,
    #[error("something follows the list")]
    BehindList,
    /// A problem with a part: a column, a member of an archive.
    #[error("`{name}`: {error}")]
    In { name: String, error: Box<Self> },
    #[error(
        "line 1 is not a header: it must name the {}, separated by `,`, and has {}",
        columns(needed),
        quoted(found)
    )]
    NoHeader {
        needed: Vec<String>,
        found: Vec<String>,
    },
    #[error("{n_values} values where the header has {n_columns}")]
    RowWidth { n_values: usize, n_columns: usize },
    #[error(
        "a quote begins here and is never closed, so everything up to line {last_line} is one value"
    )]
    OpenQuote { last_line: u32 },
    /// A field that is not there, and the names of some that are.
    #[error("no field `{path}`{}", beside(found))]
    Missing { path: String, found: Vec<String> },
    #[error("neither `{0}` nor `{1}`")]
    Neither(&'static str, &'static str),
    #[error("`{path}` is empty")]
    Empty { path: String },
    #[error("`{path}` is {found} where {needed} should be")]
    Other {
        path: String,
        found: &'static str,
        needed: NeededValue,
    },
    #[error("`{path}` is not 32 hexadecimal digits")]
    NotHex { path: String },
    /// A word that should be one of some.
    #[error("unknown {what} `{word}`")]
    Unknown { what: &'static str, word: String },
    /// A row of foreign columns, none of which is known as the test's source.
    #[error("there is no `test.source`: name its column with `--fields`")]
    NoTest,
    #[error("no name of a split: letters, digits, `_`, `-` and `.`")]
    SplitName,
    #[error("`response.body` holds {0}")]
    Answer(#[from] AnswerError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Event(#[from] EventError),
}

/// The message of a JSON reader, with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    what: String,
    /// From 1; of a text of one line, and where none is known, it is not told.
    line: usize,
    column: usize,
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, line, column } = self;
        match line {
            0 => f.write_str(what),
            1 => write!(f, "{what} at column {column}"),
            line => write!(f, "{what} at line {line} column {column}"),
        }
    }
}

/// The form that a value should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededValue {
    Text,
    Id,
    /// A whole number from 0 on.
    Count,
    Number,
    Tokens,
    Texts,
    Messages,
}

impl fmt::Display for NeededValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Id => "an id",
            Self::Count => "a count",
            Self::Number => "a number",
            Self::Tokens => "a list of tokens",
            Self::Texts => "a list of texts",
            Self::Messages => "a list of roles and contents",
        })
    }
}

impl RecordError {
    pub(crate) fn not_utf8(error: std::str::Utf8Error) -> Self {
        let byte = error.valid_up_to() + 1;
        Self::NotUtf8 { byte }
    }

    /// Makes the error of a missing field.
    #[must_use]
    pub fn missing(path: &str) -> Self {
        Self::missing_in(&Map::new(), path)
    }

    /// Makes the error of a missing field, with the names of those that are there.
    #[must_use]
    pub fn missing_in(fields: &Map<String, Value>, path: &str) -> Self {
        Self::Missing {
            path: path.to_owned(),
            // One more tells that there are more.
            found: fields
                .keys()
                .take(N_NAMED + 1)
                .map(|key| shortened(key))
                .collect(),
        }
    }

    /// Makes the error of a value that is not of the expected form; an empty one is reported as such.
    #[must_use]
    pub fn other(path: &str, value: &Value, needed: NeededValue) -> Self {
        let is_empty = match value {
            Value::String(text) => text.trim().is_empty(),
            Value::Array(list) => list.is_empty(),
            _ => false,
        };
        if is_empty {
            return Self::empty(path);
        }
        Self::Other {
            path: path.to_owned(),
            found: kind(value),
            needed,
        }
    }

    /// Makes the error of a word that is none of a closed set, such as the languages.
    #[must_use]
    pub fn unknown(what: &'static str, word: &str) -> Self {
        let word = word.to_owned();
        Self::Unknown { what, word }
    }

    #[must_use]
    pub fn empty(path: &str) -> Self {
        let path = path.to_owned();
        Self::Empty { path }
    }

    #[must_use]
    pub fn not_hex(path: impl Into<String>) -> Self {
        Self::NotHex { path: path.into() }
    }

    /// Adds the name of the part that has the problem.
    #[must_use]
    pub(crate) fn within(self, name: &str) -> Self {
        Self::In {
            name: name.to_owned(),
            error: Box::new(self),
        }
    }

    /// Forgets the place in the text, for people who see another text.
    #[must_use]
    pub fn without_place(self) -> Self {
        let placeless = |said| JsonFault { line: 0, ..said };
        match self {
            Self::NotJson(said) => Self::NotJson(placeless(said)),
            Self::Unlike(said) => Self::Unlike(placeless(said)),
            other => other,
        }
    }

    /// Keeps the column alone, for a text that begins on another line than its file.
    pub(crate) fn without_line(self) -> Self {
        match self {
            Self::NotJson(said) => Self::NotJson(JsonFault { line: 1, ..said }),
            other => other,
        }
    }
}

impl From<serde_json::Error> for RecordError {
    fn from(error: serde_json::Error) -> Self {
        let message = error.to_string();
        // The place stands at the end.
        let what = message
            .rsplit_once(" at line ")
            .map_or(&*message, |pair| pair.0);
        let said = JsonFault {
            what: what.to_owned(),
            line: error.line(),
            column: error.column(),
        };
        match error.classify() {
            Category::Eof => Self::CutOff,
            // Where the reader stopped is no place in the file.
            Category::Io => Self::Unreadable { what: said.what },
            Category::Syntax => Self::NotJson(said),
            Category::Data => Self::Unlike(said),
        }
    }
}

/// Names the kind of a value, for people.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(NAMED_CHARS_MAX).collect()
}

/// Joins the first names, each in backticks.
fn quoted(names: &[String]) -> String {
    let shown = names.iter().take(N_NAMED);
    let shown: Vec<String> = shown
        .map(|shown| format!("`{}`", shortened(shown)))
        .collect();
    shown.join(" ")
}

fn columns(needed: &[String]) -> String {
    let names: Vec<String> = needed.iter().map(|needed| format!("`{needed}`")).collect();
    let noun = if names.len() == 1 {
        "column"
    } else {
        "columns"
    };
    format!("{noun} {}", names.join(" and "))
}

fn beside(found: &[String]) -> String {
    match found.len() {
        0 => String::new(),
        1..=N_NAMED => format!(" beside {}", quoted(found)),
        _ => format!(" beside {} …", quoted(found)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(error: impl Into<RecordError>, expected: &str) {
        assert_eq!(error.into().to_string(), expected);
    }

    #[test]
    fn what_is_missing_is_told_with_a_few_of_those_that_are_there() {
        let Value::Object(fields) = json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}) else {
            panic!("it is an object");
        };
        let told = "no field `id` beside `a` `b` `c` `d` `e` `f`";
        check(RecordError::missing_in(&fields, "id"), told);
        let mut more = fields;
        more.insert("g".repeat(99), Value::Null);
        check(RecordError::missing_in(&more, "id"), &format!("{told} …"));
        check(RecordError::missing("id"), "no field `id`");
    }

    #[test]
    fn an_empty_value_is_told_as_one() {
        let of = |value: &Value| RecordError::other("id", value, NeededValue::Id);
        check(of(&json!(" ")), "`id` is empty");
        check(of(&json!([])), "`id` is empty");
        check(of(&json!({})), "`id` is an object where an id should be");
        check(
            RecordError::other("messages", &json!("x"), NeededValue::Messages),
            "`messages` is text where a list of roles and contents should be",
        );
    }

    #[test]
    fn a_reader_s_words_are_told_with_their_place_where_that_helps() {
        let of = |json: &str| {
            let read = serde_json::from_str::<Vec<u8>>(json);
            RecordError::from(read.expect_err("it is none"))
        };
        check(of("[x]"), "not json: expected value at column 2");
        check(
            of("[1,\n x]"),
            "not json: expected value at line 2 column 2",
        );
        check(of("[1"), "ends in the middle of an object");
        let unlike = of("[1,\n -1]");
        let told = "invalid value: integer `-1`, expected u8";
        check(unlike.clone(), &format!("{told} at line 2 column 3"));
        check(unlike.without_place(), told);
    }

    #[test]
    fn faults_of_words_and_keys_name_the_field() {
        check(
            RecordError::not_hex("samples[1].key"),
            "`samples[1].key` is not 32 hexadecimal digits",
        );
        check(
            RecordError::unknown("language", "klingon"),
            "unknown language `klingon`",
        );
        check(
            RecordError::Neither("repo", "sample"),
            "neither `repo` nor `sample`",
        );
    }
}
