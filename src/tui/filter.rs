//! The filter language as the editor needs it: flaws with their place, and the keys that sort.
//!
//! `browse` decides the meaning of the words; here is only the support for typing them.

use crate::browse::{self, Completion, FieldScope, FilterError, parse_filter_in, read_filter};
use crate::config::SavedFilters;
use crate::model::{Condition, Direction, Filter, OfSample, SampleSort, SortField, SortKey, Term};
use crate::screen::samples::commands::Sort;
use crate::text::visible;

/// A flaw in a filter, and the byte where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterFlaw {
    pub at: usize,
    pub text: String,
    /// The probable correction.
    pub mended: Option<Completion>,
}

impl FilterFlaw {
    #[must_use]
    pub const fn new(at: usize, text: String) -> Self {
        Self {
            at,
            text,
            mended: None,
        }
    }

    /// Moves the flaw along with its text, which stands `offset` bytes further on in a longer one.
    #[must_use]
    pub fn behind(self, offset: usize) -> Self {
        Self {
            at: self.at + offset,
            mended: self.mended.map(|completion| Completion {
                span: completion.span.start + offset..completion.span.end + offset,
                ..completion
            }),
            ..self
        }
    }
}

impl From<FilterError> for FilterFlaw {
    fn from(error: FilterError) -> Self {
        Self {
            at: error.span.start,
            text: visible(&error.to_string()),
            mended: error.mended(),
        }
    }
}

/// Reads a filter of samples, or of the predictions of a run.
///
/// # Errors
/// The first flaw.
pub fn parse_in(text: &str, scope: FieldScope) -> Result<Filter, FilterFlaw> {
    let filter = parse_filter_in(text, scope)?;
    check_near(text, &filter, scope)?;
    Ok(filter)
}

/// Refuses conditions that compare every test with every other: nobody waits for that at a prompt.
fn check_near(text: &str, filter: &Filter, scope: FieldScope) -> Result<(), FilterFlaw> {
    let is_near =
        |condition: &&Condition| matches!(condition, Condition::Sample(OfSample::Near(_)));
    let mut conditions = filter.terms.iter().flat_map(Term::conditions);
    let Some(condition) = conditions.find(is_near) else {
        return Ok(());
    };
    let command = match scope {
        FieldScope::Samples => "samples",
        FieldScope::Run => "results RUN",
    };
    let alone = [Term::from(condition.clone())];
    // Inside a saved filter, which is typed as its name, the condition is not in the text.
    let at = text.find(&condition.name()).unwrap_or(0);
    let text = format!(
        "`near` compares every test with every other, which only commands do: `focalist {command} {}`",
        visible(&browse::write_terms(&alone))
    );
    Err(FilterFlaw::new(at, text))
}

/// Reads a filter that may name saved ones.
///
/// # Errors
/// The first flaw, with its place in the text as typed.
pub fn read(text: &str, saved: &SavedFilters, scope: FieldScope) -> Result<Filter, FilterFlaw> {
    let filter = read_filter(text, saved, scope)?;
    check_near(text, &filter, scope)?;
    Ok(filter)
}

/// Replaces each `@name` in a filter by the text of the saved filter.
///
/// # Errors
/// The first flaw, with its place in the text as typed.
pub fn expand(text: &str, saved: &SavedFilters, scope: FieldScope) -> Result<String, FilterFlaw> {
    check_near(text, &read_filter(text, saved, scope)?, scope)?;
    Ok(browse::expand(text, saved, scope)?)
}

/// Reads a filter of samples.
///
/// # Errors
/// The first flaw.
pub fn parse(text: &str) -> Result<Filter, FilterFlaw> {
    parse_in(text, FieldScope::Samples)
}

/// Sorts the filter's list by `sort`; sorting by the same again reverses the order.
#[must_use]
pub fn with_sort(filter: &Filter, sort: Sort) -> Filter {
    // Great weights come first, names start with A.
    let first = match sort {
        Sort::Weight => Direction::Descending,
        _ => Direction::Ascending,
    };
    let key = sort_field(sort).map(|field| {
        let is_again = filter.sort
            == [SortKey {
                field,
                direction: first,
            }];
        let direction = if is_again { opposite(first) } else { first };
        SortKey { field, direction }
    });
    Filter {
        sort: key.into_iter().collect(),
        ..filter.clone()
    }
}

const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    }
}

const fn sort_field(sort: Sort) -> Option<SortField> {
    let field = match sort {
        Sort::Index => return None,
        Sort::Repo => SampleSort::Repo,
        Sort::Class => SampleSort::Class,
        Sort::Test => SampleSort::Test,
        Sort::Focal => SampleSort::Focal,
        Sort::Status => SampleSort::Status,
        Sort::Weight => SampleSort::Weight,
    };
    Some(SortField::Sample(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browse::write_filter;

    fn check(text: &str, sorts: &[Sort], expected: &str) {
        let filter = parse(text).expect("the filter is right");
        let sorted = sorts
            .iter()
            .fold(filter, |filter, sort| with_sort(&filter, *sort));
        assert_eq!(write_filter(&sorted), expected);
    }

    #[test]
    fn sorting_the_same_way_again_turns_the_order_round() {
        check("repo:gson", &[Sort::Weight], "repo:gson sort:-weight");
        check(
            "repo:gson",
            &[Sort::Weight, Sort::Weight],
            "repo:gson sort:weight",
        );
        check(
            "repo:gson sort:weight",
            &[Sort::Test],
            "repo:gson sort:test",
        );
        check("repo:gson sort:weight", &[Sort::Index], "repo:gson");
    }

    #[test]
    fn what_takes_long_is_said_with_the_command_that_does_it() {
        let flaw = parse("repo:gson -near>0.8").expect_err("it is for commands");
        assert_eq!(flaw.at, 11);
        assert!(
            flaw.text.ends_with("`focalist samples near>0.8`"),
            "{flaw:?}"
        );
        let flaw = parse_in("near:0.8 bleu<0.2", FieldScope::Run).expect_err("likewise");
        assert!(
            flaw.text.ends_with("`focalist results RUN near:0.8`"),
            "{flaw:?}"
        );
        let saved = SavedFilters::default();
        let flaw = expand("near:0.8", &saved, FieldScope::Samples).expect_err("likewise");
        assert_eq!(flaw.at, 0);
        assert!(parse("class:Linear").is_ok());
    }

    #[test]
    fn every_sort_is_one_that_the_language_knows() {
        for sort in [
            Sort::Repo,
            Sort::Class,
            Sort::Test,
            Sort::Focal,
            Sort::Status,
            Sort::Weight,
        ] {
            let text = write_filter(&with_sort(&Filter::default(), sort));
            assert!(parse(&text).is_ok(), "{text}");
        }
    }
}
