//! The fields of the filter language: one table, from which parsing, help and completion derive.
//!
//! Fields of samples may be named wherever samples are listed; those of predictions only where a run is. Every metric is
//! such a field by its id, and the difference to the baseline in it is `delta:` and the id. What a field of samples
//! means in SQL is the store's, what one of predictions means is `eval::results`'; tests hold them together.

use std::sync::LazyLock;

use crate::metric::METRICS;
use crate::model::{
    BuildTool, Confirmation, Flag, Framework, Judgement, Language, Matcher, Outcome, Parse, Repair,
    ResultField, Split, Stage, Standing, Status, Tag, Term, TestKind,
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
    pub scope: FieldScope,
}

/// Where a field may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldScope {
    /// Wherever samples are listed, and where a run is.
    Samples,
    /// Only where the predictions of a run are listed.
    Run,
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
    /// One word of a closed set in their order, also with `<`, `<=`, `>`, `>=`.
    Steps(fn() -> Vec<&'static str>),
    /// A piece of source text.
    Text,
    /// The first hexadecimal digits of a key, up to all 32.
    Key,
    /// The name of a field, with `-` before it for the other direction.
    Sort,
}

const fn named(name: &'static str, kind: FieldKind, help: &'static str) -> Field {
    Field {
        name,
        kind,
        help,
        can_sort: false,
        scope: FieldScope::Samples,
    }
}

const fn sorted(name: &'static str, kind: FieldKind, help: &'static str) -> Field {
    Field {
        name,
        kind,
        help,
        can_sort: true,
        scope: FieldScope::Samples,
    }
}

const fn of_run(field: ResultField, kind: FieldKind, help: &'static str) -> Field {
    Field {
        name: field.as_str(),
        kind,
        help,
        can_sort: matches!(kind, FieldKind::Number | FieldKind::Steps(_)),
        scope: FieldScope::Run,
    }
}

/// Every field of samples, in the order of help and completion.
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
    sorted(
        "focal-class",
        FieldKind::Name,
        "part of the simple name of the focal method's class, or none",
    ),
    named(
        "name",
        FieldKind::Name,
        "part of the test's or the focal method's name; what a bare word means",
    ),
    named("file", FieldKind::Name, "part of the test file's path"),
    named(
        "key",
        FieldKind::Key,
        "the sample's key, or its first digits",
    ),
    named(
        Term::NEAR,
        FieldKind::Number,
        "how similar its test is to the nearest of all others, 0.3 to 1; near:0.8 means at least that (commands only)",
    ),
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
    named("flag", FieldKind::Words(flags), "a flag on the sample"),
    named(
        "duplicate",
        FieldKind::Words(yes_no),
        "whether an equal sample is kept instead",
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
        "any annotator's verdict on the sample, or none; provisional: accepted with others",
    ),
    named(
        "is",
        FieldKind::Words(remarks),
        "whether the sample is marked, or has a note",
    ),
    named(
        "note",
        FieldKind::Text,
        "text in a note on the sample, or none",
    ),
    named(
        "tagged",
        FieldKind::Words(tags),
        "a tag that an annotator gave a prediction for the sample, in any run, or none",
    ),
    named(
        "license",
        FieldKind::Name,
        "the repository's licence, as in MIT or Apache; none for no licence",
    ),
    named(
        "language",
        FieldKind::Words(languages),
        "the programming language",
    ),
    named(
        "build",
        FieldKind::Words(build_tools),
        "the repository's build tool",
    ),
    named(
        "stars",
        FieldKind::Number,
        "the repository's stars, if a list gave them",
    ),
    named(
        "matcher",
        FieldKind::Words(matchers),
        "the matcher whose decisions are shown",
    ),
    named(
        "sort",
        FieldKind::Sort,
        "the order, as in sort:-weight sort:repo",
    ),
];

/// Every field of predictions but the metrics, in the order of help and completion.
pub const RUN_FIELDS: &[Field] = &[
    of_run(ResultField::Run, FieldKind::Name, "the run that is listed"),
    of_run(
        ResultField::Baseline,
        FieldKind::Name,
        "the run that it is compared with",
    ),
    of_run(
        ResultField::Metric,
        FieldKind::Words(metrics),
        "the metric of delta and outcome; else the first that the filter uses or sorts by",
    ),
    of_run(
        ResultField::Delta,
        FieldKind::Number,
        "the value minus the baseline's, -1 to 1; of another metric as in delta:rougeL<0",
    ),
    of_run(
        ResultField::Outcome,
        FieldKind::Words(outcomes),
        "better, same or worse than the baseline",
    ),
    of_run(
        ResultField::Parse,
        FieldKind::Words(parses),
        "whether the prediction parses; unknown until the run is evaluated",
    ),
    of_run(
        ResultField::BaselineParse,
        FieldKind::Words(parses),
        "whether the baseline's answer to the same sample parses",
    ),
    of_run(
        ResultField::Tag,
        FieldKind::Words(tags),
        "how the prediction differs, according to the machine, or none",
    ),
    of_run(
        ResultField::TagDiffers,
        FieldKind::Words(one_of_tags),
        "a tag that only one of the two has, the baseline's answer or this one",
    ),
    of_run(
        ResultField::Ruled,
        FieldKind::Words(yes_no),
        "whether people have said how the prediction differs",
    ),
    of_run(
        ResultField::Ruling,
        FieldKind::Words(tags),
        "how the prediction differs, according to people, or none",
    ),
    of_run(
        ResultField::Changed,
        FieldKind::Words(yes_no),
        "whether the sample has changed since the answer was imported",
    ),
    of_run(
        ResultField::Overlong,
        FieldKind::Words(yes_no),
        "whether the prediction is as long as the model could write",
    ),
    of_run(
        ResultField::ReferenceTokens,
        FieldKind::Number,
        "lexer tokens of the true text",
    ),
    of_run(
        ResultField::PredictionTokens,
        FieldKind::Number,
        "lexer tokens of the prediction",
    ),
    of_run(
        ResultField::Assertion,
        FieldKind::Name,
        "the true text's first assertion call, as in assertEquals, or none; its whole name",
    ),
    of_run(
        ResultField::Answer,
        FieldKind::Text,
        "text in the prediction, as in answer:\"foo bar\"",
    ),
    of_run(
        ResultField::Attempt,
        FieldKind::Number,
        "0 for the first answer to a sample",
    ),
    of_run(
        ResultField::Sample,
        FieldKind::Words(there_gone),
        "whether the sample is still in the index",
    ),
    of_run(
        ResultField::Ran,
        FieldKind::Steps(outcomes_of_runs),
        "what became of it when it was run, as in ran:failing ran>=passing; blocked, or none where it never was",
    ),
    of_run(
        ResultField::Why,
        FieldKind::Text,
        "text in the reason for that, as in why:\"cannot find symbol\"",
    ),
    of_run(
        ResultField::Repair,
        FieldKind::Words(repairs),
        "what was done to the prediction so that it could run",
    ),
    of_run(
        ResultField::Called,
        FieldKind::Words(yes_no),
        "whether the focal method was called when it ran",
    ),
    of_run(
        ResultField::Asserts,
        FieldKind::Words(yes_no),
        "whether something in it can fail: an assertion, an expected exception, a verification",
    ),
    of_run(
        ResultField::Confirmed,
        FieldKind::Words(confirmations),
        "what a second look found at one that passes (`execute --confirm`): yes; no is any of left_early, forged and unstable; undecided, or none where there was no look",
    ),
    of_run(
        ResultField::Lines,
        FieldKind::Number,
        "the share of the focal method's lines that it covered, 0 to 1",
    ),
    of_run(
        ResultField::Branches,
        FieldKind::Number,
        "the share of the focal method's branches that it covered, 0 to 1",
    ),
    of_run(
        ResultField::Milliseconds,
        FieldKind::Number,
        "how long it ran, in milliseconds",
    ),
    of_run(
        ResultField::Setting,
        FieldKind::Name,
        "what the model was asked with: setting:top_p=0.9; setting:none where nobody says",
    ),
    of_run(
        ResultField::Temperature,
        FieldKind::Number,
        "the temperature that the model was asked with",
    ),
];

static DELTA_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = METRICS
        .iter()
        .map(|it| format!("{}{}", ResultField::DELTA_OF, it.id));
    names.collect()
});

/// The metrics, then the differences in them.
static METRIC_FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let number = |name: &'static str, help| Field {
        name,
        kind: FieldKind::Number,
        help,
        can_sort: true,
        scope: FieldScope::Run,
    };
    let metrics = METRICS.iter().map(|it| number(it.id, it.about));
    let deltas = DELTA_NAMES
        .iter()
        .map(|name| number(name, "the value minus the baseline's, -1 to 1"));
    metrics.chain(deltas).collect()
});

/// Returns every field that may be named there, in the order of help and completion.
pub fn fields(scope: FieldScope) -> impl Iterator<Item = &'static Field> {
    let (of_run, of_metrics): (&[Field], &[Field]) = match scope {
        FieldScope::Samples => (&[], &[]),
        FieldScope::Run => (RUN_FIELDS, METRIC_FIELDS.as_slice()),
    };
    of_run.iter().chain(FIELDS).chain(of_metrics)
}

/// Returns the field of this name, wherever it may be named. Metrics are also found without the signs in their names and
/// whatever the case of letters: `rouge-l`, `edit-difflib`.
#[must_use]
pub fn field(name: &str) -> Option<&'static Field> {
    let fixed = RUN_FIELDS.iter().chain(FIELDS);
    let by_name = |name: &str| fixed.clone().find(|field| field.name == name);
    by_name(name).or_else(|| {
        let wanted = squeezed(name);
        let of_metrics = METRIC_FIELDS.iter();
        of_metrics
            .clone()
            .find(|field| field.name == name)
            .or_else(|| {
                of_metrics
                    .clone()
                    .find(|field| squeezed(field.name) == wanted)
            })
    })
}

/// Returns a word as it is compared: people write `none-of-these`, `rouge-l` and `Edit_difflib`.
pub(super) fn squeezed(word: &str) -> String {
    word.chars()
        .filter(|it| !matches!(it, '-' | '_' | ':'))
        .map(|it| it.to_ascii_lowercase())
        .collect()
}

impl Field {
    /// Returns every word the field may be compared with where samples are listed; none when the set is not closed.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        self.words_in(FieldScope::Samples)
    }

    /// Returns every word the field may be compared with there.
    #[must_use]
    pub fn words_in(&self, scope: FieldScope) -> Vec<&'static str> {
        match self.kind {
            FieldKind::Words(words) | FieldKind::Steps(words) => words(),
            FieldKind::Sort => fields(scope)
                .filter(|field| field.can_sort)
                .map(|field| field.name)
                .collect(),
            FieldKind::Name | FieldKind::Number | FieldKind::Text | FieldKind::Key => Vec::new(),
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

fn languages() -> Vec<&'static str> {
    words(Language::ALL, Language::as_str)
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

fn remarks() -> Vec<&'static str> {
    vec!["marked", "noted"]
}

fn metrics() -> Vec<&'static str> {
    METRICS.iter().map(|it| it.id).collect()
}

fn outcomes() -> Vec<&'static str> {
    words(Standing::ALL, Standing::as_str)
}

fn outcomes_of_runs() -> Vec<&'static str> {
    let ends = [ResultField::RAN_BLOCKED, ResultField::RAN_NEVER];
    [words(Outcome::ALL, Outcome::as_str), ends.to_vec()].concat()
}

fn repairs() -> Vec<&'static str> {
    words(Repair::ALL, Repair::as_str)
}

fn confirmations() -> Vec<&'static str> {
    let ends = [ResultField::CONFIRMED_NOT, ResultField::CONFIRMED_NEVER];
    [
        words(Confirmation::ALL, Confirmation::as_str),
        ends.to_vec(),
    ]
    .concat()
}

fn parses() -> Vec<&'static str> {
    words(Parse::ALL, Parse::as_str)
}

fn tags() -> Vec<&'static str> {
    [one_of_tags(), vec!["none"]].concat()
}

fn one_of_tags() -> Vec<&'static str> {
    words(Tag::ALL, Tag::as_str)
}

fn there_gone() -> Vec<&'static str> {
    vec!["there", "gone"]
}

fn yes_no() -> Vec<&'static str> {
    vec!["yes", "no"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fields_have_one_name() {
        let mut names: Vec<String> = fields(FieldScope::Run)
            .map(|field| squeezed(field.name))
            .collect();
        names.sort();
        let n_names = names.len();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }

    #[test]
    fn every_field_of_predictions_can_be_named() {
        for it in ResultField::ALL {
            assert!(field(it.as_str()).is_some(), "{}", it.as_str());
        }
    }
}
