//! The groups of a list of predictions, with their counts and means.
//!
//! Further numbers of a group are summed up in [`numbers`](super::numbers).

use std::sync::Arc;

use crate::model::{
    Comparison, Execution, FilterValue, Name, OfPrediction, OfSample, Outcome, Parse, Presence,
    RanIs, Range, ResultGroup, Split, Tag, Tags, Term, WithoutOutcome,
};
use crate::store::{Attribute, ResultFlags, WordColumn};

use super::super::EvalError;
use super::ResultList;
use super::columns::ColumnReader;
use super::conditions::parse;
use crate::by::{BOTH_PARSE, GONE, GroupBy, LENGTHS, NONE, length_class};
use crate::settings::{Parameters, UNSAID};

/// A group on its way.
#[derive(Clone, Default)]
struct GroupSum {
    n_predictions: u64,
    n_read: u64,
    n_unparsable: u64,
    without_outcome: WithoutOutcome,
    values: GroupMean,
    deltas: GroupMean,
}

#[derive(Clone, Default)]
pub(super) struct GroupMean {
    n: u64,
    sum: f64,
}

impl GroupMean {
    pub(super) fn add(&mut self, value: f64) {
        if !value.is_nan() {
            self.n += 1;
            self.sum += value;
        }
    }

    pub(super) fn of(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}

/// The name of a group and what selects it.
type NamedGroup = (String, Vec<Term>);

/// The group of each prediction.
pub(super) struct Grouping {
    pub(super) places: GroupPlaces,
    names: Vec<NamedGroup>,
}

impl Grouping {
    /// How many groups there may be, also those that nothing is in.
    pub(super) fn n_groups(&self) -> usize {
        self.names.len()
    }
}

pub(super) enum GroupPlaces {
    /// By number, a place in the names.
    Of(Vec<u32>),
    /// Tags are numbered as in their list; behind them come predictions without tags, then those that were never
    /// evaluated.
    OfTags(Arc<Vec<Tags>>, Arc<Vec<ResultFlags>>),
}

impl GroupPlaces {
    /// Iterates over the groups that a prediction is in: one, or one for each of its tags.
    pub(super) fn of(&self, ordinal: u32) -> impl Iterator<Item = usize> {
        let (one, tags) = match self {
            Self::Of(places) => (Some(places[ordinal as usize] as usize), Tags::default()),
            Self::OfTags(tags, flags) => match tags[ordinal as usize] {
                none if none.is_empty() => {
                    let is_read = flags[ordinal as usize].is_read();
                    (Some(Tag::ALL.len() + usize::from(!is_read)), none)
                }
                tags => (None, tags),
            },
        };
        one.into_iter().chain(tags.iter().map(|tag| tag as usize))
    }
}

/// Groups a list, the largest group first, then by name; lengths from the shortest. A prediction with several tags
/// counts in each.
pub fn of_list(
    reader: &ColumnReader<'_>,
    list: &ResultList,
    by: GroupBy,
) -> Result<Vec<ResultGroup>, EvalError> {
    let grouping = grouping(reader, by)?;
    let groups = placed(reader, list, (by, &grouping))?;
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// Groups as [`of_list`] does, and adds the place of each group among the names.
pub(super) fn placed(
    reader: &ColumnReader<'_>,
    list: &ResultList,
    (by, grouping): (GroupBy, &Grouping),
) -> Result<Vec<(usize, ResultGroup)>, EvalError> {
    let Grouping { places, names } = grouping;
    let metric = list.view.metric;
    let scores = metric.map(|metric| reader.scores(metric)).transpose()?;
    let deltas = match metric {
        Some(metric) => reader.deltas(metric)?,
        None => None,
    };
    let flags = reader.flags()?;
    let executions = match list.view.engine {
        Some(_) => Some(reader.executions()?),
        None => None,
    };
    let mut sums = vec![GroupSum::default(); names.len()];
    for ordinal in &list.ordinals {
        let flags = flags[*ordinal as usize];
        let execution = executions
            .as_ref()
            .map(|execution| execution[*ordinal as usize]);
        let value = scores.as_ref().map_or(f64::NAN, |score| score.of(*ordinal));
        let delta = deltas.as_ref().map_or(f64::NAN, |delta| delta.of(*ordinal));
        for place in places.of(*ordinal) {
            let sum = &mut sums[place];
            sum.n_predictions += 1;
            sum.n_read += u64::from(flags.is_read());
            sum.n_unparsable += u64::from(flags.is_unparsable());
            if let Some(execution) = execution {
                sum.without_outcome.add(execution);
            }
            sum.values.add(value);
            sum.deltas.add(delta);
        }
    }
    reader.monitor.step()?;
    let n_all = list.ordinals.len() as f64;
    let group = |(name, terms): &NamedGroup, sum: &GroupSum| ResultGroup {
        name: name.clone(),
        n_predictions: sum.n_predictions,
        share: sum.n_predictions as f64 / n_all,
        n_read: sum.n_read,
        n_unparsable: sum.n_unparsable,
        without_outcome: executions.is_some().then_some(sum.without_outcome),
        mean: sum.values.of(),
        mean_delta: sum.deltas.of(),
        terms: terms.clone(),
    };
    let places = names.iter().zip(&sums).enumerate();
    let mut groups: Vec<(usize, ResultGroup)> = places
        .filter(|(_, (_, sum))| sum.n_predictions > 0)
        .map(|(place, (named, sum))| (place, group(named, sum)))
        .collect();
    if by != GroupBy::Length {
        groups.sort_by(|(_, a), (_, b)| {
            let by_size = b.n_predictions.cmp(&a.n_predictions);
            by_size.then_with(|| a.name.cmp(&b.name))
        });
    }
    Ok(groups)
}

pub(super) fn grouping(reader: &ColumnReader<'_>, by: GroupBy) -> Result<Grouping, EvalError> {
    Ok(match by {
        GroupBy::Repo => of_samples(reader, Attribute::Repo)?,
        GroupBy::Language => of_samples(reader, Attribute::Language)?,
        GroupBy::Framework => of_samples(reader, Attribute::Framework)?,
        GroupBy::Split => of_samples(reader, Attribute::Split)?,
        GroupBy::FocalClass => of_samples(reader, Attribute::FocalClass)?,
        GroupBy::Assertion => named(&*reader.assertions()?, unread(), of_assertion),
        GroupBy::Length => of_lengths(reader)?,
        GroupBy::Parse => {
            let flags = reader.flags()?;
            let name = |parse: &Parse| {
                let term = OfPrediction::Parse(*parse).into();
                (parse.as_str().to_owned(), vec![term])
            };
            Grouping {
                places: GroupPlaces::Of(flags.iter().map(|flag| parse(*flag) as u32).collect()),
                names: Parse::ALL.iter().map(name).collect(),
            }
        }
        GroupBy::Ran => of_executions(reader)?,
        GroupBy::Task | GroupBy::Budget | GroupBy::Answer | GroupBy::Pass => {
            of_setting(reader, by.as_str())?
        }
        GroupBy::Tag => {
            let term = |tag: Option<Tag>| vec![OfPrediction::Tag(tag).into()];
            let tags = Tag::ALL.iter().copied();
            // A filter by `tag:none` alone lets through predictions that were never evaluated, too.
            let parse = Term::not(OfPrediction::Parse(Parse::Unread));
            let none = (NONE.to_owned(), [term(None), vec![parse]].concat());
            Grouping {
                places: GroupPlaces::OfTags(reader.tags()?, reader.flags()?),
                names: tags
                    .map(|tag| (tag.as_str().to_owned(), term(Some(tag))))
                    .chain([none, unread()])
                    .collect(),
            }
        }
    })
}

/// Makes a group for each value of a setting, and one for predictions without it.
fn of_setting(reader: &ColumnReader<'_>, setting: &str) -> Result<Grouping, EvalError> {
    let settings = reader.settings()?;
    let value = |asked: &Parameters| asked.get(setting).cloned().unwrap_or_default();
    let values: Vec<String> = settings.all.iter().map(value).collect();
    let mut names = values.clone();
    names.sort_unstable();
    names.dedup();
    let places: Vec<u32> = values
        .iter()
        .map(|value| names.partition_point(|name| name < value) as u32)
        .collect();
    let term = |name: &str| {
        let wanted = if name.is_empty() { UNSAID } else { name };
        vec![OfPrediction::Setting(Name::Part(format!("{setting}={wanted}"))).into()]
    };
    let named = names.iter().map(|name| {
        let shown = if name.is_empty() { NONE } else { name };
        (shown.to_owned(), term(name))
    });
    Ok(Grouping {
        places: GroupPlaces::Of(settings.places.iter().map(|place| places[*place]).collect()),
        names: named.collect(),
    })
}

/// Makes a group for each outcome, one for predictions with a reason to have none, and one for those that were never
/// executed.
fn of_executions(reader: &ColumnReader<'_>) -> Result<Grouping, EvalError> {
    let executions = reader.executions()?;
    let ends = [
        (RanIs::BLOCKED, RanIs::Blocked),
        (RanIs::NEVER, RanIs::Never),
    ];
    let n_outcomes = Outcome::ALL.len() as u32;
    let place = |execution: &Option<Execution>| match execution {
        Some(known_execution) => known_execution
            .outcome
            .map_or(n_outcomes, |outcome| outcome as u32),
        None => n_outcomes + 1,
    };
    let outcomes = Outcome::ALL.iter().map(|outcome| {
        let asked = RanIs::Outcome(Comparison::Is, *outcome);
        (outcome.as_str(), asked)
    });
    let words = outcomes.chain(ends);
    let name = |(word, asked): (&str, RanIs)| {
        let term = OfPrediction::Ran(asked).into();
        (word.to_owned(), vec![term])
    };
    Ok(Grouping {
        places: GroupPlaces::Of(executions.iter().map(place).collect()),
        names: words.map(name).collect(),
    })
}

fn of_samples(reader: &ColumnReader<'_>, attribute: Attribute) -> Result<Grouping, EvalError> {
    let links = reader.links()?;
    reader.announce_run();
    let words = reader
        .store
        .result_attributes(&links, attribute, reader.monitor)?;
    let none = (GONE.to_owned(), gone());
    Ok(named(&words, none, |name| of_attribute(attribute, name)))
}

fn gone() -> Vec<Term> {
    vec![OfPrediction::Sample(Presence::Gone).into()]
}

/// Makes the terms that select the samples with this attribute; the name may be empty.
fn of_attribute(attribute: Attribute, name: &str) -> Vec<Term> {
    match (attribute, name) {
        (Attribute::Repo, name) => vec![OfSample::Repo(Name::Whole(name.to_owned())).into()],
        (Attribute::Language, name) => of_word(name, OfSample::Language),
        (Attribute::Framework, name) => of_word(name, OfSample::Framework),
        (Attribute::Split, "") => {
            let splits = Split::ALL.iter();
            splits
                .map(|split| Term::not(OfSample::Split(*split)))
                .collect()
        }
        (Attribute::Split, name) => of_word(name, OfSample::Split),
        (Attribute::FocalClass, "") => vec![OfSample::FocalClass(None).into()],
        (Attribute::FocalClass, name) => {
            vec![OfSample::FocalClass(Some(Name::Whole(name.to_owned()))).into()]
        }
    }
}

/// Makes the condition on a word of a closed set; none for any other word, such as the name of a group in a file of
/// another version.
fn of_word<T: FilterValue>(name: &str, condition: fn(T) -> OfSample) -> Vec<Term> {
    let value = T::read(Comparison::Is, name).map(condition);
    value.map(Term::from).into_iter().collect()
}

fn of_assertion(name: &str) -> Vec<Term> {
    let name = Some(name).filter(|name| !name.is_empty());
    let name = name.map(|name| Name::Part(name.to_owned()));
    vec![OfPrediction::Assertion(name).into()]
}

fn unread() -> NamedGroup {
    let unread = OfPrediction::Parse(Parse::Unread).into();
    ("(not evaluated)".to_owned(), vec![unread])
}

/// Makes a group for each word, and one for predictions without a word.
fn named(words: &WordColumn, none: NamedGroup, term: impl Fn(&str) -> Vec<Term>) -> Grouping {
    let without = words.names.len() as u32;
    let mut names: Vec<NamedGroup> = words
        .names
        .iter()
        .map(|name| {
            let shown = if name.is_empty() { NONE } else { name };
            (shown.to_owned(), term(name))
        })
        .collect();
    names.push(none);
    Grouping {
        places: GroupPlaces::Of(
            words
                .places
                .iter()
                .map(|place| (*place).min(without))
                .collect(),
        ),
        names,
    }
}

fn of_lengths(reader: &ColumnReader<'_>) -> Result<Grouping, EvalError> {
    let (flags, tokens) = (reader.flags()?, reader.tokens()?);
    let n_classes = LENGTHS.len() as u32 + 1;
    let mut names = lengths();
    names.push(unread());
    let place = |(flags, n_tokens): (&ResultFlags, &u32)| {
        if flags.is_read() {
            LENGTHS.partition_point(|n| n < n_tokens) as u32
        } else {
            n_classes
        }
    };
    Ok(Grouping {
        places: GroupPlaces::Of(flags.iter().zip(&tokens.of_references).map(place).collect()),
        names,
    })
}

/// Lists the classes of length, the shortest first.
fn lengths() -> Vec<NamedGroup> {
    let tokens = |range| Term::from(OfPrediction::ReferenceTokens(range));
    let mut first = 0;
    let ends = LENGTHS.iter().copied().map(Some).chain([None]);
    let classes = ends.map(|end| {
        let mut terms = Vec::new();
        if first > 0 {
            terms.push(tokens(Range::AtLeast(f64::from(first))));
        }
        terms.extend(end.map(|end| tokens(Range::AtMost(f64::from(end)))));
        first = end.unwrap_or(first) + 1;
        (length_class(end.unwrap_or(u32::MAX)).1, terms)
    });
    classes.collect()
}

/// Makes the terms that select a part of a comparison when they are added to the filter: a slice, or with
/// [`GroupBy::Tag`] the samples where only one answer has the tag.
#[must_use]
pub fn slice_terms(by: GroupBy, name: &str) -> Vec<Term> {
    let unnamed = if name == NONE { "" } else { name };
    let attribute = match by {
        GroupBy::Repo => Attribute::Repo,
        GroupBy::Language => Attribute::Language,
        GroupBy::Framework => Attribute::Framework,
        GroupBy::Split => Attribute::Split,
        GroupBy::FocalClass => Attribute::FocalClass,
        GroupBy::Assertion => return of_assertion(unnamed),
        GroupBy::Length => {
            let found = lengths().into_iter().find(|length| length.0 == name);
            return found.map_or_else(Vec::new, |found| found.1);
        }
        GroupBy::Parse => {
            let found = BOTH_PARSE.iter().find(|pair| pair.0 == name);
            let terms = found.map(|(_, [before, now])| {
                [
                    OfPrediction::BaselineParse(*before),
                    OfPrediction::Parse(*now),
                ]
            });
            return terms.into_iter().flatten().map(Term::from).collect();
        }
        // Comparisons are not sliced by these.
        GroupBy::Ran | GroupBy::Task | GroupBy::Budget | GroupBy::Answer | GroupBy::Pass => {
            return Vec::new();
        }
        GroupBy::Tag => {
            let tag = Tag::read(Comparison::Is, name).map(OfPrediction::TagDiffers);
            return tag.map(Term::from).into_iter().collect();
        }
    };
    match name {
        GONE => gone(),
        _ => of_attribute(attribute, unnamed),
    }
}
