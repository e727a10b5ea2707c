//! Completions of a half-written filter.

use std::ops::Range;

use crate::config::SavedFilters;

use super::field::{field, fields, takes_sets, words_of};
use crate::model::{FieldKind, FieldScope};

/// Something to put in place of a part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Bytes of the input that it replaces, up to the cursor.
    pub span: Range<usize>,
    pub text: String,
    /// One line for people; empty for values.
    pub help: &'static str,
}

/// Lists the completions at `cursor` (a byte offset) in a filter of samples, in the order of the table of fields.
#[must_use]
pub fn complete(input: &str, cursor: usize) -> Vec<Completion> {
    complete_in(input, cursor, FieldScope::Samples)
}

/// Lists the completions at `cursor` in a filter of samples, or of the predictions of a run.
#[must_use]
pub fn complete_in(input: &str, cursor: usize, scope: FieldScope) -> Vec<Completion> {
    let Some(before) = input.get(..cursor) else {
        return Vec::new();
    };
    let start = start_of_term(before);
    let word = &before[start..];
    let of_fields = || -> Vec<Completion> {
        fields(scope)
            .filter(|field| starts_with(field.name, word))
            .map(|field| Completion {
                span: start..cursor,
                // Nobody asks for one exact score.
                text: match field.kind {
                    FieldKind::Number if field.scope == FieldScope::Run => {
                        format!("{}<", field.name)
                    }
                    _ => format!("{}:", field.name),
                },
                help: field.help,
            })
            .collect()
    };
    match word.split_once([':', '=']) {
        // `edit:` is the beginning of `edit:difflib`, and `delta:` of `delta:bleu`.
        Some((name, _))
            if field(name)
                .is_some_and(|filter_field| matches!(filter_field.kind, FieldKind::Number)) =>
        {
            of_fields()
        }
        Some((name, value)) => {
            let Some(field) = field(name).filter(|filter_field| filter_field.scope <= scope) else {
                return Vec::new();
            };
            let is_sort = matches!(field.kind, FieldKind::Sort);
            let value = if is_sort {
                value.strip_prefix('-').unwrap_or(value)
            } else {
                value
            };
            // Behind a comma another value of a set begins.
            let value = match value.rsplit_once(',') {
                Some((_, last)) if takes_sets(field.kind) => last,
                _ => value,
            };
            words_of(field, scope)
                .into_iter()
                .filter(|text| starts_with(text, value))
                .map(|text| Completion {
                    span: cursor - value.len()..cursor,
                    text: text.to_owned(),
                    help: "",
                })
                .collect()
        }
        None => of_fields(),
    }
}

/// Lists the completions at `cursor` where filters are saved: as [`complete()`], and `@names`, after the fields where
/// nothing is typed yet.
#[must_use]
pub fn complete_with(
    input: &str,
    cursor: usize,
    saved: &SavedFilters,
    scope: FieldScope,
) -> Vec<Completion> {
    let mut found = complete_in(input, cursor, scope);
    let Some(before) = input.get(..cursor) else {
        return found;
    };
    let word = &before[start_of_term(before)..];
    let name = match word.strip_prefix('@') {
        Some(name) => name,
        None if word.is_empty() => "",
        None => return found,
    };
    found.extend(
        saved
            .names()
            .filter(|text| starts_with(text, name))
            .map(|name| Completion {
                span: cursor - word.len()..cursor,
                text: format!("@{name}"),
                help: "a saved filter",
            }),
    );
    found
}

/// Finds the beginning of the term that the text ends with, behind its `-` and its opening parentheses.
fn start_of_term(before: &str) -> usize {
    let start = before.rfind(char::is_whitespace).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let word = &before[start..];
    let opened = word.trim_start_matches(['(', '-']);
    // A second `-` belongs to the word.
    let signs = &word[..word.len() - opened.len()];
    let n_signs = signs.find("--").map_or(signs.len(), |at| at + 1);
    start + n_signs
}

fn starts_with(word: &str, start: &str) -> bool {
    word.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &[&str]) {
        let completed: Vec<String> = complete(input, input.len())
            .into_iter()
            .map(|completion| format!("{}{}", &input[..completion.span.start], completion.text))
            .collect();
        assert_eq!(completed, expected, "{input}");
    }

    #[test]
    fn fields_and_words_are_completed_where_the_cursor_is() {
        check("fra", &["framework:"]);
        check(
            "repo:x -st",
            &[
                "repo:x -status:",
                "repo:x -stage:",
                "repo:x -stars:",
                "repo:x -strength:",
            ],
        );
        check("status:no_c", &["status:no_candidate"]);
        check("sort:-w", &["sort:-weight"]);
        check("status:tie,abs", &["status:tie,abstained"]);
        check("(fra", &["(framework:"]);
        check("repo:x -(status:ti", &["repo:x -(status:tie"]);
        check("split:T", &["split:train", "split:test"]);
        check("repo:gs", &[]);
        check("nonsense:", &[]);
        check("é", &[]);
    }

    #[test]
    fn fields_of_a_run_are_completed_only_where_one_is_listed() {
        let check = |input: &str, expected: &[&str]| {
            let completed: Vec<String> = complete_in(input, input.len(), FieldScope::Run)
                .into_iter()
                .map(|completion| format!("{}{}", &input[..completion.span.start], completion.text))
                .collect();
            assert_eq!(completed, expected, "{input}");
        };
        check("repo:x outc", &["repo:x outcome:"]);
        check("outcome:w", &["outcome:worse"]);
        check("parse:", &["parse:ok", "parse:fail", "parse:unread"]);
        check("edit:d", &["edit:difflib<"]);
        check("delta:rouge2", &["delta:rouge2<", "delta:rouge2:default<"]);
        check(
            "sort:-delta:rouge2",
            &["sort:-delta:rouge2", "sort:-delta:rouge2:default"],
        );
        check(
            "metric:codeb",
            &[
                "metric:codebleu:k4black",
                "metric:codebleu:k4black-ceiling",
                "metric:codebleu",
                "metric:codebleu:ceiling",
            ],
        );
        assert_eq!(complete("outc", 4), []);
        assert_eq!(complete("metric:codeb", 12), []);
    }

    #[test]
    fn an_empty_input_offers_every_field() {
        assert_eq!(complete("", 0).len(), fields(FieldScope::Samples).count());
        assert_eq!(complete("é", 1), []);
    }

    #[test]
    fn saved_filters_are_offered_by_name() {
        let saved = SavedFilters::of("f", "hard = \"status:tie\"\nhalf = \"weight<0.5\"\n");
        let check = |input: &str, expected: &[&str]| {
            let completed: Vec<String> =
                complete_with(input, input.len(), &saved, FieldScope::Samples)
                    .into_iter()
                    .map(|completion| {
                        format!("{}{}", &input[..completion.span.start], completion.text)
                    })
                    .collect();
            assert_eq!(completed, expected, "{input}");
        };
        check("@", &["@half", "@hard"]);
        check("repo:x @HAR", &["repo:x @hard"]);
        check("fra", &["framework:"]);
        check("repo:@h", &[]);
        check("-@ha", &["-@half", "-@hard"]);
        let all = complete_with("repo:x ", 7, &saved, FieldScope::Samples);
        assert_eq!(all.len(), fields(FieldScope::Samples).count() + 2);
        assert_eq!(complete_with("é", 1, &saved, FieldScope::Samples), []);
    }
}
