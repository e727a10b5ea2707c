//! What a filter of predictions says: what is asked of the samples, and what of each prediction.
//!
//! Numbers compare as in filters of samples: `:` means equal to two decimals, and what has no value fulfils no condition,
//! so that `-bleu<0.2` lets it through.

use crate::metric::{Metric, metric};
use crate::model::{
    Comparison, Confirmation, Counter, Execution, Filter, Outcome, Parse, Repair, ResultField,
    RunRow, Standing, Tag, Term,
};
use crate::store::{ResultFlags, StoreError, Words};

use super::super::Error;
use super::columns::Reader;
use crate::settings::{Parameters, is_setting};

/// What a field means in a list of predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    OfSample,
    Field(ResultField),
    Metric(&'static Metric),
    DeltaOf(&'static Metric),
}

impl Meaning {
    pub fn of(field: &'static str) -> Self {
        if let Some(field) = ResultField::of(field) {
            return Self::Field(field);
        }
        if let Some(metric) = metric(field) {
            return Self::Metric(metric);
        }
        let delta = field.strip_prefix(ResultField::DELTA_OF).and_then(metric);
        delta.map_or(Self::OfSample, Self::DeltaOf)
    }

    /// Returns the metric that it names.
    pub fn metric(self) -> Option<&'static Metric> {
        match self {
            Self::Metric(metric) | Self::DeltaOf(metric) => Some(metric),
            Self::OfSample | Self::Field(_) => None,
        }
    }
}

/// Returns the value of the last term of this field.
pub fn named(filter: &Filter, field: ResultField) -> Option<&str> {
    let term = filter
        .terms
        .iter()
        .rev()
        .find(|it| it.field == field.as_str());
    term.map(|it| it.value.as_str())
}

/// Returns what is asked of samples, in no order; nothing where nothing is.
pub fn of_samples(filter: &Filter) -> Option<Filter> {
    let terms: Vec<Term> = filter
        .terms
        .iter()
        .filter(|term| Meaning::of(term.field) == Meaning::OfSample)
        .cloned()
        .collect();
    let is_asked = terms.iter().any(|it| it.field != "matcher");
    is_asked.then_some(Filter {
        terms,
        sort: Vec::new(),
    })
}

/// Keeps of `ordinals` those that the filter lets through; what costs little is asked first.
pub fn retain(reader: &Reader<'_>, filter: &Filter, ordinals: &mut Vec<u32>) -> Result<(), Error> {
    let is_answer = |term: &&Term| term.field == ResultField::Answer.as_str();
    let is_why = |term: &&Term| term.field == ResultField::Why.as_str();
    for term in filter
        .terms
        .iter()
        .filter(|it| !is_answer(it) && !is_why(it))
    {
        reader.monitor.step()?;
        let let_through = condition(reader, term)?;
        ordinals.retain(|ordinal| let_through(*ordinal) != term.negated);
    }
    if let Some(filter) = of_samples(filter) {
        let links = reader.links()?;
        reader.announce_run();
        let are_let_through = reader
            .store
            .result_matches(&links, &filter, reader.monitor)?;
        ordinals.retain(|ordinal| are_let_through[*ordinal as usize]);
    }
    if let Some(engine) = &reader.view.engine {
        for term in filter.terms.iter().filter(is_why) {
            let of = (reader.view.run.id, engine.as_str());
            reader
                .store
                .retain_reasons(of, ordinals, term, reader.monitor)?;
        }
    }
    for term in filter.terms.iter().filter(is_answer) {
        reader.announce(ordinals.len() as u64);
        reader
            .store
            .retain_answers(reader.view.run.id, ordinals, term, reader.monitor)?;
    }
    Ok(())
}

type Condition = Box<dyn Fn(u32) -> bool>;
type OfExecution = Box<dyn Fn(&Execution) -> bool>;

/// Returns the condition of a term, whatever its sign.
fn condition(reader: &Reader<'_>, term: &Term) -> Result<Condition, Error> {
    Ok(match Meaning::of(term.field) {
        // Those are asked together; and what always holds is not turned round.
        Meaning::OfSample => always(term),
        Meaning::Metric(metric) => {
            let scores = reader.scores(metric.id)?;
            let holds = comparison(term)?;
            Box::new(move |ordinal| holds(scores.of(ordinal)))
        }
        Meaning::DeltaOf(metric) => delta(reader, term, Some(metric.id), comparison(term)?)?,
        Meaning::Field(field) => condition_of_field(reader, term, field)?,
    })
}

fn always(term: &Term) -> Condition {
    let holds = !term.negated;
    Box::new(move |_| holds)
}

fn condition_of_field(
    reader: &Reader<'_>,
    term: &Term,
    field: ResultField,
) -> Result<Condition, Error> {
    let of_flags = |is_so: fn(ResultFlags) -> bool, wanted: bool| -> Result<Condition, Error> {
        let flags = reader.flags()?;
        Ok(Box::new(move |ordinal| {
            let flags = flags[ordinal as usize];
            flags.is_read() && is_so(flags) == wanted
        }))
    };
    Ok(match field {
        ResultField::Run
        | ResultField::Baseline
        | ResultField::Metric
        | ResultField::Answer
        | ResultField::Why => always(term),
        ResultField::Ran
        | ResultField::Repair
        | ResultField::Called
        | ResultField::Confirmed
        | ResultField::Lines
        | ResultField::Branches
        | ResultField::Milliseconds => of_execution(reader, term, field)?,
        ResultField::Delta => delta(reader, term, reader.view.metric, comparison(term)?)?,
        ResultField::Outcome => outcome(reader, term)?,
        ResultField::Setting | ResultField::Temperature => asked_with(reader, term, field)?,
        ResultField::Parse => {
            let (flags, wanted) = (reader.flags()?, closed(term, Parse::ALL, Parse::as_str)?);
            Box::new(move |ordinal| parse(flags[ordinal as usize]) == wanted)
        }
        ResultField::BaselineParse => baseline_parse(reader, term)?,
        ResultField::Asserts => asserts(reader, is_yes(term, "yes", "no")?)?,
        ResultField::Changed => of_flags(ResultFlags::is_changed, is_yes(term, "yes", "no")?)?,
        ResultField::Overlong => of_flags(ResultFlags::is_over_length, is_yes(term, "yes", "no")?)?,
        ResultField::ReferenceTokens | ResultField::PredictionTokens => {
            let (flags, tokens, holds) = (reader.flags()?, reader.tokens()?, comparison(term)?);
            Box::new(move |ordinal| {
                let place = ordinal as usize;
                let n_tokens = if field == ResultField::ReferenceTokens {
                    tokens.of_references[place]
                } else {
                    tokens.of_predictions[place]
                };
                flags[place].is_read() && holds(f64::from(n_tokens))
            })
        }
        ResultField::Assertion => {
            let assertions = reader.assertions()?;
            let wanted = if term.value.eq_ignore_ascii_case("none") {
                ""
            } else {
                &term.value
            };
            let wanted = assertions.names.iter().position(|it| it == wanted);
            let wanted = wanted.map(|it| it as u32);
            Box::new(move |ordinal| {
                let place = assertions.places[ordinal as usize];
                place != Words::NONE && Some(place) == wanted
            })
        }
        ResultField::Attempt => {
            let (attempts, holds) = (reader.attempts()?, comparison(term)?);
            Box::new(move |ordinal| holds(f64::from(attempts[ordinal as usize])))
        }
        ResultField::Sample => {
            let (are_there, wanted) = (reader.links()?.are_there(), is_yes(term, "there", "gone")?);
            Box::new(move |ordinal| are_there[ordinal as usize] == wanted)
        }
        ResultField::Tag => {
            let tags = reader.tags()?;
            if term.value.eq_ignore_ascii_case("none") {
                return Ok(Box::new(move |ordinal| tags[ordinal as usize].is_empty()));
            }
            let wanted = closed(term, Tag::ALL, Tag::as_str)?;
            Box::new(move |ordinal| tags[ordinal as usize].contains(wanted))
        }
        ResultField::TagDiffers => tag_differs(reader, term)?,
        ResultField::Ruled => {
            let (rulings, wanted) = (reader.rulings()?, is_yes(term, "yes", "no")?);
            Box::new(move |ordinal| rulings.contains_key(&ordinal) == wanted)
        }
        ResultField::Ruling => {
            let rulings = reader.rulings()?;
            let wanted = if term.value.eq_ignore_ascii_case("none") {
                None
            } else {
                Some(closed(term, Tag::ALL, Tag::as_str)?)
            };
            Box::new(move |ordinal| {
                let mut said = rulings.get(&ordinal).into_iter().flatten();
                said.any(|tags| wanted.map_or(tags.is_empty(), |tag| tags.contains(tag)))
            })
        }
    })
}

fn outcome(reader: &Reader<'_>, term: &Term) -> Result<Condition, Error> {
    let wanted = closed(term, Standing::ALL, Standing::as_str)?;
    let holds = move |delta: f64| !delta.is_nan() && Standing::of(delta) == wanted;
    delta(reader, term, reader.view.metric, Box::new(holds))
}

/// Returns the condition on whether something can fail in a prediction: as it ran, else as it was read.
fn asserts(reader: &Reader<'_>, wanted: bool) -> Result<Condition, Error> {
    let (executions, flags) = (reader.executions()?, reader.flags()?);
    Ok(Box::new(move |ordinal| {
        let ran = executions[ordinal as usize].and_then(|it| it.asserts);
        ran.or_else(|| flags[ordinal as usize].asserts()) == Some(wanted)
    }))
}

/// Returns the condition on what the model was asked with.
fn asked_with(reader: &Reader<'_>, term: &Term, field: ResultField) -> Result<Condition, Error> {
    let settings = reader.settings()?;
    let holds: Box<dyn Fn(&Parameters) -> bool> = if field == ResultField::Temperature {
        let holds = comparison(term)?;
        let number = |it: &Parameters| it.get("temperature")?.parse::<f64>().ok();
        Box::new(move |it| number(it).is_some_and(&holds))
    } else {
        let wanted = term.value.clone();
        Box::new(move |it| is_setting(it, &wanted))
    };
    // Few settings have many predictions.
    let hold: Vec<bool> = settings.all.iter().map(&holds).collect();
    Ok(Box::new(move |ordinal| {
        hold[settings.places[ordinal as usize]]
    }))
}

/// Returns the condition on what became of a prediction when it was run.
fn of_execution(reader: &Reader<'_>, term: &Term, field: ResultField) -> Result<Condition, Error> {
    let executions = reader.executions()?;
    let holds: OfExecution = match field {
        ResultField::Ran => return ran(reader, term),
        ResultField::Repair => {
            let wanted = closed(term, Repair::ALL, Repair::as_str)?;
            Box::new(move |it| it.outcome.is_some() && it.repair == wanted)
        }
        ResultField::Called => {
            let wanted = is_yes(term, "yes", "no")?;
            Box::new(move |it| it.is_called == Some(wanted))
        }
        ResultField::Confirmed => confirmed(term)?,
        _ => {
            let holds = comparison(term)?;
            Box::new(move |it| holds(number_of(it, field)))
        }
    };
    Ok(Box::new(move |ordinal| {
        executions[ordinal as usize].as_ref().is_some_and(&holds)
    }))
}

fn confirmed(term: &Term) -> Result<OfExecution, Error> {
    let is_word = |word: &str| term.value.eq_ignore_ascii_case(word);
    if is_word(ResultField::CONFIRMED_NEVER) {
        return Ok(Box::new(|it| it.confirmed.is_none()));
    }
    if is_word(ResultField::CONFIRMED_NOT) {
        return Ok(Box::new(|it| {
            it.confirmed.is_some_and(Confirmation::refutes)
        }));
    }
    let wanted = closed(term, Confirmation::ALL, Confirmation::as_str)?;
    Ok(Box::new(move |it| it.confirmed == Some(wanted)))
}

fn ran(reader: &Reader<'_>, term: &Term) -> Result<Condition, Error> {
    let executions = reader.executions()?;
    let is_word = |word: &str| term.value.eq_ignore_ascii_case(word);
    if is_word(ResultField::RAN_NEVER) {
        return Ok(Box::new(move |ordinal| {
            executions[ordinal as usize].is_none()
        }));
    }
    if is_word(ResultField::RAN_BLOCKED) {
        return Ok(Box::new(move |ordinal| {
            executions[ordinal as usize].is_some_and(|it| it.blocked.is_some())
        }));
    }
    let wanted = closed(term, Outcome::ALL, Outcome::as_str)?;
    let comparison = term.comparison;
    let holds = move |it: Outcome| match comparison {
        Comparison::Is | Comparison::Exactly => it == wanted,
        Comparison::Less => it < wanted,
        Comparison::LessOrEqual => it <= wanted,
        Comparison::Greater => it > wanted,
        Comparison::GreaterOrEqual => it >= wanted,
    };
    Ok(Box::new(move |ordinal| {
        let outcome = executions[ordinal as usize].and_then(|it| it.outcome);
        outcome.is_some_and(holds)
    }))
}

/// Returns a number of an execution; NaN where it has none.
pub fn number_of(execution: &Execution, field: ResultField) -> f64 {
    let share = |counter: Option<Counter>| {
        let counter = counter.filter(|it| it.total() > 0);
        counter.map_or(f64::NAN, |it| f64::from(it.covered) / f64::from(it.total()))
    };
    match field {
        ResultField::Lines => share(execution.lines),
        ResultField::Branches => share(execution.branches),
        ResultField::Milliseconds => execution.elapsed_ms.map_or(f64::NAN, f64::from),
        _ => f64::NAN,
    }
}

/// Returns whether what was read of a prediction parses.
pub fn parse(flags: ResultFlags) -> Parse {
    match flags {
        it if !it.is_read() => Parse::Unread,
        it if it.is_unparsable() => Parse::Fail,
        _ => Parse::Ok,
    }
}

fn baseline_parse(reader: &Reader<'_>, term: &Term) -> Result<Condition, Error> {
    let wanted = closed(term, Parse::ALL, Parse::as_str)?;
    let baseline = baseline(reader, term)?;
    let (pairs, flags) = (reader.pairs(baseline)?, reader.flags_before(baseline)?);
    Ok(Box::new(move |ordinal| {
        let flags = flags.get(pairs.others[ordinal as usize] as usize);
        flags.is_some_and(|it| parse(*it) == wanted)
    }))
}

fn tag_differs(reader: &Reader<'_>, term: &Term) -> Result<Condition, Error> {
    let wanted = closed(term, Tag::ALL, Tag::as_str)?;
    let baseline = baseline(reader, term)?;
    let (ours, theirs) = (reader.tags()?, reader.tags_before(baseline)?);
    let pairs = reader.pairs(baseline)?;
    Ok(Box::new(move |ordinal| {
        let theirs = theirs.get(pairs.others[ordinal as usize] as usize);
        let ours = ours[ordinal as usize].contains(wanted);
        theirs.is_some_and(|it| it.contains(wanted) != ours)
    }))
}

/// Returns the run that a term needs to compare with.
fn baseline<'r>(reader: &'r Reader<'_>, term: &Term) -> Result<&'r RunRow, Error> {
    let baseline = reader.view.baseline.as_ref();
    baseline.ok_or(Error::NoBaseline { field: term.field })
}

/// Returns the condition on the difference to the baseline.
fn delta(
    reader: &Reader<'_>,
    term: &Term,
    metric: Option<&'static str>,
    holds: Box<dyn Fn(f64) -> bool>,
) -> Result<Condition, Error> {
    baseline(reader, term)?;
    let deltas = match metric {
        Some(metric) => reader.deltas(metric)?,
        None => None,
    };
    Ok(match deltas {
        Some(deltas) => Box::new(move |ordinal| holds(deltas.of(ordinal))),
        // Nothing is scored, so nothing holds.
        None => Box::new(|_| false),
    })
}

/// Returns whether a number is as the term wants it; NaN never is.
fn comparison(term: &Term) -> Result<Box<dyn Fn(f64) -> bool>, Error> {
    let wanted: f64 = term
        .value
        .parse()
        .ok()
        .filter(|it: &f64| it.is_finite())
        .ok_or_else(|| bad_value(term))?;
    Ok(match term.comparison {
        Comparison::Is => Box::new(move |it| (it - wanted).abs() <= 0.005),
        #[expect(clippy::float_cmp, reason = "that is what `==` is for")]
        Comparison::Exactly => Box::new(move |it| it == wanted),
        Comparison::Less => Box::new(move |it| it < wanted),
        Comparison::LessOrEqual => Box::new(move |it| it <= wanted),
        Comparison::Greater => Box::new(move |it| it > wanted),
        Comparison::GreaterOrEqual => Box::new(move |it| it >= wanted),
    })
}

fn closed<T: Copy>(term: &Term, all: &[T], as_str: fn(T) -> &'static str) -> Result<T, Error> {
    let found = all
        .iter()
        .copied()
        .find(|it| as_str(*it).eq_ignore_ascii_case(&term.value));
    found.ok_or_else(|| bad_value(term))
}

fn is_yes(term: &Term, yes: &'static str, no: &'static str) -> Result<bool, Error> {
    closed(term, &[(true, yes), (false, no)], |it| it.1).map(|it| it.0)
}

/// The parser of filters lets no such value through.
fn bad_value(term: &Term) -> Error {
    Error::Store(StoreError::Filter {
        field: term.field,
        value: term.value.clone(),
    })
}
