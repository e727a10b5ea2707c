//! The groups of a list of predictions, with their counts and means.

use std::sync::Arc;

use crate::model::{Comparison, Parse, ResultField, ResultGroup, Split, Tag, Tags, Term};
use crate::store::{Attribute, Words};

use super::super::Error;
use super::ResultList;
use super::columns::Reader;
use crate::eval::by::{By, LENGTHS, length_class};

/// A group on its way.
#[derive(Clone, Default)]
struct Sum {
    n_predictions: u64,
    n_unparsable: u64,
    values: Mean,
    deltas: Mean,
}

#[derive(Clone, Default)]
struct Mean {
    n: u64,
    sum: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        if !value.is_nan() {
            self.n += 1;
            self.sum += value;
        }
    }

    fn of(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}

/// The name of a group and what selects it.
type Named = (String, Vec<Term>);

/// Which group each prediction is in.
struct Grouping {
    places: Places,
    names: Vec<Named>,
}

enum Places {
    /// By number, a place in the names.
    Of(Vec<u32>),
    /// Tags are numbered as in their list; behind them comes what has none.
    OfTags(Arc<Vec<Tags>>),
}

impl Places {
    /// Returns the groups that a prediction is in: one, or one for each of its tags.
    fn of(&self, ordinal: u32) -> impl Iterator<Item = usize> {
        let (one, tags) = match self {
            Self::Of(places) => (Some(places[ordinal as usize] as usize), Tags::default()),
            Self::OfTags(tags) => match tags[ordinal as usize] {
                none if none.is_empty() => (Some(Tag::ALL.len()), none),
                tags => (None, tags),
            },
        };
        one.into_iter().chain(tags.iter().map(|it| it as usize))
    }
}

/// Returns the groups of a list, the largest first, then by name; lengths from the shortest. A prediction with several
/// tags counts in each.
pub fn of_list(reader: &Reader<'_>, list: &ResultList, by: By) -> Result<Vec<ResultGroup>, Error> {
    let Grouping { places, names } = grouping(reader, by)?;
    let metric = list.view.metric;
    let scores = metric.map(|it| reader.scores(it)).transpose()?;
    let deltas = match metric {
        Some(metric) => reader.deltas(metric)?,
        None => None,
    };
    let flags = reader.flags()?;
    let mut sums = vec![Sum::default(); names.len()];
    for ordinal in &list.ordinals {
        let is_unparsable = flags[*ordinal as usize].is_unparsable();
        let value = scores.as_ref().map_or(f64::NAN, |it| it.of(*ordinal));
        let delta = deltas.as_ref().map_or(f64::NAN, |it| it.of(*ordinal));
        for place in places.of(*ordinal) {
            let sum = &mut sums[place];
            sum.n_predictions += 1;
            sum.n_unparsable += u64::from(is_unparsable);
            sum.values.add(value);
            sum.deltas.add(delta);
        }
    }
    reader.monitor.step()?;
    let n_all = list.ordinals.len() as f64;
    let mut groups: Vec<ResultGroup> = names
        .into_iter()
        .zip(sums)
        .filter(|(_, sum)| sum.n_predictions > 0)
        .map(|((name, terms), sum)| ResultGroup {
            name,
            n_predictions: sum.n_predictions,
            share: sum.n_predictions as f64 / n_all,
            n_unparsable: sum.n_unparsable,
            mean: sum.values.of(),
            mean_delta: sum.deltas.of(),
            terms,
        })
        .collect();
    if by != By::Length {
        groups.sort_by(|a, b| {
            let by_size = b.n_predictions.cmp(&a.n_predictions);
            by_size.then_with(|| a.name.cmp(&b.name))
        });
    }
    Ok(groups)
}

fn grouping(reader: &Reader<'_>, by: By) -> Result<Grouping, Error> {
    Ok(match by {
        By::Repo => of_samples(reader, Attribute::Repo, |name| vec![exactly("repo", name)])?,
        By::Framework => {
            let term = |name: &str| vec![is("framework", name)];
            of_samples(reader, Attribute::Framework, term)?
        }
        By::Split => of_samples(reader, Attribute::Split, |name| match name {
            "" => Split::ALL
                .iter()
                .map(|it| is_not("split", it.as_str()))
                .collect(),
            name => vec![is("split", name)],
        })?,
        By::FocalClass => of_samples(reader, Attribute::FocalClass, |name| match name {
            "" => vec![is("focal-class", "none")],
            name => vec![exactly("focal-class", name)],
        })?,
        By::Assertion => {
            let words = reader.assertions()?;
            named(&words, unread(), |name| {
                let name = if name.is_empty() { "none" } else { name };
                vec![is(ResultField::Assertion.as_str(), name)]
            })
        }
        By::Length => of_lengths(reader)?,
        By::Parse => {
            let flags = reader.flags()?;
            let state = |ordinal: usize| match flags[ordinal] {
                it if !it.is_read() => Parse::Unread,
                it if it.is_unparsable() => Parse::Fail,
                _ => Parse::Ok,
            };
            let name = |it: &Parse| {
                let term = is(ResultField::Parse.as_str(), it.as_str());
                (it.as_str().to_owned(), vec![term])
            };
            Grouping {
                places: Places::Of((0..flags.len()).map(|it| state(it) as u32).collect()),
                names: Parse::ALL.iter().map(name).collect(),
            }
        }
        By::Tag => {
            let term = |value: &str| vec![is(ResultField::Tag.as_str(), value)];
            let names = Tag::ALL.iter().map(|it| it.as_str());
            let none = ("(none)".to_owned(), term("none"));
            Grouping {
                places: Places::OfTags(reader.tags()?),
                names: names
                    .map(|it| (it.to_owned(), term(it)))
                    .chain([none])
                    .collect(),
            }
        }
    })
}

fn of_samples(
    reader: &Reader<'_>,
    attribute: Attribute,
    term: impl Fn(&str) -> Vec<Term>,
) -> Result<Grouping, Error> {
    let links = reader.links()?;
    reader.announce_run();
    let words = reader
        .store
        .result_attributes(&links, attribute, reader.monitor)?;
    let gone = is(ResultField::Sample.as_str(), "gone");
    Ok(named(
        &words,
        ("(no longer in the index)".to_owned(), vec![gone]),
        term,
    ))
}

fn unread() -> Named {
    let unread = is(ResultField::Parse.as_str(), Parse::Unread.as_str());
    ("(not evaluated)".to_owned(), vec![unread])
}

/// Returns the groups of words, and one for what has none.
fn named(words: &Words, none: Named, term: impl Fn(&str) -> Vec<Term>) -> Grouping {
    let without = words.names.len() as u32;
    let mut names: Vec<Named> = words
        .names
        .iter()
        .map(|name| {
            let shown = if name.is_empty() { "(none)" } else { name };
            (shown.to_owned(), term(name))
        })
        .collect();
    names.push(none);
    Grouping {
        places: Places::Of(words.places.iter().map(|it| (*it).min(without)).collect()),
        names,
    }
}

fn of_lengths(reader: &Reader<'_>) -> Result<Grouping, Error> {
    let (flags, tokens) = (reader.flags()?, reader.tokens()?);
    let n_classes = LENGTHS.len() as u32 + 1;
    let mut names = lengths();
    names.push(unread());
    let place = |(flags, n_tokens): (&crate::store::ResultFlags, &u32)| {
        if flags.is_read() {
            LENGTHS.partition_point(|it| it < n_tokens) as u32
        } else {
            n_classes
        }
    };
    Ok(Grouping {
        places: Places::Of(flags.iter().zip(&tokens.of_references).map(place).collect()),
        names,
    })
}

/// Returns the classes of length, the shortest first.
fn lengths() -> Vec<Named> {
    let field = ResultField::ReferenceTokens.as_str();
    let mut first = 0;
    let ends = LENGTHS.iter().copied().map(Some).chain([None]);
    let classes = ends.map(|end| {
        let mut terms = Vec::new();
        if first > 0 {
            terms.push(number(field, Comparison::GreaterOrEqual, first));
        }
        terms.extend(end.map(|it| number(field, Comparison::LessOrEqual, it)));
        first = end.unwrap_or(first) + 1;
        (length_class(end.unwrap_or(u32::MAX)).1, terms)
    });
    classes.collect()
}

/// Returns what selects a slice of a comparison when it is added to the filter; nothing for what comparisons are not sliced
/// by.
#[must_use]
pub fn slice_terms(by: By, name: &str) -> Vec<Term> {
    match by {
        // It is the project identity; without one the sample is gone.
        By::Repo | By::Framework if name.is_empty() => {
            vec![is(ResultField::Sample.as_str(), "gone")]
        }
        By::Repo => vec![exactly("repo", name)],
        By::Framework => vec![is("framework", name)],
        By::Assertion => {
            let name = if name == "(none)" { "none" } else { name };
            vec![is(ResultField::Assertion.as_str(), name)]
        }
        By::Length => {
            let mut classes = lengths().into_iter();
            let found = classes.find(|it| it.0 == name);
            found.map_or_else(Vec::new, |it| it.1)
        }
        By::Parse | By::Tag | By::Split | By::FocalClass => Vec::new(),
    }
}

fn is(field: &'static str, value: &str) -> Term {
    Term {
        field,
        comparison: Comparison::Is,
        value: value.to_owned(),
        negated: false,
    }
}

fn is_not(field: &'static str, value: &str) -> Term {
    Term {
        negated: true,
        ..is(field, value)
    }
}

fn exactly(field: &'static str, value: &str) -> Term {
    Term {
        comparison: Comparison::Exactly,
        ..is(field, value)
    }
}

fn number(field: &'static str, comparison: Comparison, value: u32) -> Term {
    Term {
        comparison,
        ..is(field, &value.to_string())
    }
}
