//! The verb `browse`: what the faces show of an index, the filter language, and finding things by a few letters.
//!
//! Decides what a filter may say, which names fit typed letters, and how a sample is cut into snippets. Does not keep
//! rows or draw anything, and writes nothing.

use focalist_config as config;
use focalist_metric as metric;
use focalist_model as model;
use focalist_store as store;

mod catalogue;
mod complete;
mod detail;
mod fault;
mod field;
mod fuzzy;
mod helpers;
mod lex;
mod parse;
mod saved;
mod write;

#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, MethodHit, MethodQuery, short_key, short_key_in, short_title};
pub use complete::{Completion, complete, complete_in, complete_with};
pub use fault::{FilterError, FilterFault};
pub use field::{FIELDS, RUN_FIELDS, field, fields, words_of};
pub use fuzzy::{Fuzzy, Hit, Needle};
pub use model::{FieldKind, FieldScope, FilterField};
pub use parse::{NESTING_MAX, parse_filter, parse_filter_in};
pub use saved::{SAVED_BYTES_MAX, SAVED_DEPTH_MAX, expand, read_filter};
pub use write::{write_filter, write_terms};

use crate::model::{
    Condition, DeclaredMethod, Filter, Funnel, Matcher, Name, OfPrediction, OfSample, Range,
    RepoResolutions, RepoRow, SampleDetail, SampleKey, SampleRow, Snippet, Term,
};
use crate::store::{Anchor, Store, StoreError, StoredProblem, StoredSample};

/// Reads at most `limit` rows of the list, from `anchor` on.
pub fn page(
    store: &Store,
    filter: &Filter,
    anchor: Anchor,
    limit: usize,
) -> Result<Vec<SampleRow>, StoreError> {
    store.page(filter, anchor, limit)
}

/// Finds the first samples whose test or focal method holds every typed word in its name, by repository, file and
/// position; none where nothing is typed.
pub fn named(store: &Store, typed: &str, limit: usize) -> Result<Vec<SampleRow>, StoreError> {
    let words = typed.split_whitespace();
    let terms = words.map(|word| OfSample::Name(Name::Part(word.to_owned())).into());
    let filter = Filter::of(terms.collect());
    if filter.terms.is_empty() {
        return Ok(Vec::new());
    }
    store.first(&filter, limit)
}

/// Counts the rows of the list.
pub fn count(store: &Store, filter: &Filter) -> Result<u64, StoreError> {
    store.count(filter)
}

/// Counts the rows before the one with this [`SampleRow::id`]; nothing when it is not in the list.
pub fn rank(store: &Store, filter: &Filter, id: i64) -> Result<Option<u64>, StoreError> {
    store.rank(filter, id)
}

/// Reads all that one sample shows, or nothing when there is no such sample; where no matcher is asked for, as the
/// matcher decided whose decisions the index shows.
pub fn detail(
    store: &Store,
    key: &SampleKey,
    matcher: impl Into<Option<Matcher>>,
) -> Result<Option<SampleDetail>, StoreError> {
    Ok(store.sample(key, matcher)?.map(detail_of))
}

/// Builds all that a sample shows that was read before.
#[must_use]
pub fn detail_of(sample: StoredSample) -> SampleDetail {
    detail::detail(sample)
}

/// Lists every method and constructor of a sample's repository, main code first, then by key. Empty when the repository
/// was mined before these were kept.
pub fn declared(store: &Store, key: &SampleKey) -> Result<Vec<DeclaredMethod>, StoreError> {
    store.declared(key)
}

/// Reads the source of a method of a sample's repository by its key; nothing when there is no such method, or no source
/// of it.
pub fn method(store: &Store, key: &SampleKey, method: &str) -> Result<Option<Snippet>, StoreError> {
    Ok(store.method_source(key, method)?.and_then(detail::declared))
}

/// Lists the keys that begin with these hexadecimal digits, at most `limit` of them.
pub fn keys_starting_with(
    store: &Store,
    digits: &str,
    limit: usize,
) -> Result<Vec<SampleKey>, StoreError> {
    store.keys_starting_with(digits, limit)
}

/// Counts the steps of ConTest 3.5 for the tests that the filter lets through.
pub fn funnel(store: &Store, filter: &Filter) -> Result<Funnel, StoreError> {
    store.funnel(filter)
}

/// Counts how the calls in tests resolved, by identity of the repositories that the filter lets through; an error when
/// it asks for more than repositories.
pub fn resolutions(store: &Store, filter: &Filter) -> Result<Vec<RepoResolutions>, StoreError> {
    store.resolutions(filter)
}

/// Lists every repository, by identity.
pub fn repos(store: &Store) -> Result<Vec<RepoRow>, StoreError> {
    store.repos()
}

/// Lists at most `limit` problems, repository by repository.
pub fn problems(store: &Store, limit: usize) -> Result<Vec<StoredProblem>, StoreError> {
    store.problems(limit)
}

/// Reads the matcher that a filter asks for; without one, the index decides whose decisions are shown.
#[must_use]
pub fn matcher_of(filter: &Filter) -> Option<Matcher> {
    filter.aim.matcher
}

/// Reads the attempt that a filter of predictions asks for, else 0, the first.
#[must_use]
pub fn attempt_of(filter: &Filter) -> u32 {
    let asked = filter.terms.iter().rev().find_map(|term| match term {
        Term::Is(Condition::Prediction(OfPrediction::Attempt(range))) => Some(*range),
        Term::Is(_) | Term::Not(_) | Term::All(_) | Term::Any(_) => None,
    });
    let number = asked.map(|range| match range {
        Range::About(number)
        | Range::Exactly(number)
        | Range::Less(number)
        | Range::AtMost(number)
        | Range::More(number)
        | Range::AtLeast(number)
        | Range::Between(number, _) => number,
    });
    // A float becomes the nearest whole number of its type; a number that is no attempt's stands for the first one.
    let number = number.filter(|number| number.fract() == 0.0);
    #[expect(clippy::cast_sign_loss, reason = "what is below 0 is the first")]
    let at_least = |number: f64| number as u32;
    number.map_or(0, at_least)
}
