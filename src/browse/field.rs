//! The fields of the filter language: one table, from which parsing, help and completion derive.
//!
//! What a field means in SQL is the store's; a test holds the two together.

use crate::model::{
    BuildTool, Flag, Framework, Judgement, Matcher, Split, Stage, Status, TestKind,
};

/// One field that a filter may name.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    /// One line for people, a lower-case fragment.
    pub help: &'static str,
    /// Whether `sort:` takes it.
    pub can_sort: bool,
}

/// What a field's value may be.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// Part of a name, whatever the case of its letters.
    Name,
    /// A number, also with `<`, `<=`, `>`, `>=`.
    Number,
    /// One word of a closed set.
    Words(fn() -> Vec<&'static str>),
    /// A piece of source text.
    Text,
    /// The name of a field, with `-` before it for the other direction.
    Sort,
}

const fn named(name: &'static str, kind: FieldKind, help: &'static str) -> Field {
    Field {
        name,
        kind,
        help,
        can_sort: false,
    }
}

const fn sorted(name: &'static str, kind: FieldKind, help: &'static str) -> Field {
    Field {
        name,
        kind,
        help,
        can_sort: true,
    }
}

/// Every field, in the order of help and completion.
pub const FIELDS: &[Field] = &[
    sorted(
        "repo",
        FieldKind::Name,
        "part of the repository's name; with a slash, of its project identity",
    ),
    sorted(
        "class",
        FieldKind::Name,
        "part of the test class's name; with a dot, of its full name",
    ),
    sorted("test", FieldKind::Name, "part of the test method's name"),
    sorted(
        "focal",
        FieldKind::Name,
        "part of the focal method, as in Gson.toJson",
    ),
    named(
        "name",
        FieldKind::Name,
        "part of the test's or the focal method's name; what a bare word means",
    ),
    named("file", FieldKind::Name, "part of the test file's path"),
    named(
        "text",
        FieldKind::Text,
        "text in the test or the focal method, as in text:\"foo bar\"",
    ),
    sorted(
        "status",
        FieldKind::Words(statuses),
        "what became of the test",
    ),
    sorted(
        "stage",
        FieldKind::Words(stages),
        "what decided for the focal method",
    ),
    sorted("weight", FieldKind::Number, "how sure the match is, 0 to 1"),
    sorted(
        "margin",
        FieldKind::Number,
        "by how much the best candidate outweighs the second, 0 to 1",
    ),
    named(
        "flag",
        FieldKind::Words(flags),
        "something worth knowing about the sample",
    ),
    named(
        "duplicate",
        FieldKind::Words(yes_no),
        "whether an equal sample is kept in its place",
    ),
    sorted(
        "tokens",
        FieldKind::Number,
        "lexer tokens of test, focal method and contexts",
    ),
    named("split", FieldKind::Words(splits), "the random split"),
    named(
        "project-split",
        FieldKind::Words(splits),
        "the split by project",
    ),
    named(
        "framework",
        FieldKind::Words(frameworks),
        "the test framework",
    ),
    named(
        "kind",
        FieldKind::Words(kinds),
        "what makes the method a test",
    ),
    named(
        "verdict",
        FieldKind::Words(verdicts),
        "what some annotator's verdict on the sample is, or none; provisional: accepted with others",
    ),
    named(
        "license",
        FieldKind::Name,
        "the repository's licence, as in MIT or Apache; none for no licence",
    ),
    named(
        "build",
        FieldKind::Words(build_tools),
        "the repository's build tool",
    ),
    named(
        "stars",
        FieldKind::Number,
        "the repository's stars, where a list told them",
    ),
    named(
        "matcher",
        FieldKind::Words(matchers),
        "whose decisions are shown",
    ),
    named(
        "sort",
        FieldKind::Sort,
        "the order, as in sort:-weight sort:repo",
    ),
];

/// Returns the field of this name.
#[must_use]
pub fn field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

impl Field {
    /// Returns every word the field may be compared with; none when the set is not closed.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self.kind {
            FieldKind::Words(words) => words(),
            FieldKind::Sort => FIELDS
                .iter()
                .filter(|field| field.can_sort)
                .map(|field| field.name)
                .collect(),
            FieldKind::Name | FieldKind::Number | FieldKind::Text => Vec::new(),
        }
    }
}

fn words<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().copied().map(as_str).collect()
}

fn statuses() -> Vec<&'static str> {
    words(Status::ALL, Status::as_str)
}

fn stages() -> Vec<&'static str> {
    words(Stage::ALL, Stage::as_str)
}

fn flags() -> Vec<&'static str> {
    words(Flag::ALL, Flag::as_str)
}

fn splits() -> Vec<&'static str> {
    words(Split::ALL, Split::as_str)
}

fn frameworks() -> Vec<&'static str> {
    words(Framework::ALL, Framework::as_str)
}

fn kinds() -> Vec<&'static str> {
    words(TestKind::ALL, TestKind::as_str)
}

fn build_tools() -> Vec<&'static str> {
    words(BuildTool::ALL, BuildTool::as_str)
}

fn matchers() -> Vec<&'static str> {
    words(Matcher::ALL, Matcher::as_str)
}

fn verdicts() -> Vec<&'static str> {
    [&["none"], Judgement::WORDS, &["provisional"]].concat()
}

fn yes_no() -> Vec<&'static str> {
    vec!["yes", "no"]
}
