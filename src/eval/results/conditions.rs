//! Splits a filter of predictions into its conditions on samples and those on each prediction.
//!
//! Numbers compare as in filters of samples: `:` means equal to two decimals, and what has no value fulfils no
//! condition, so that `-bleu<0.2` lets it through. Only a sample that the index no longer has fulfils neither a
//! condition on samples nor its negation; so a `-` before parentheses is carried to the conditions within them.

use std::sync::Arc;

use crate::model::{
    BaselineStanding, Condition, Confirmation, CoverageCounter, Execution, FaultCounts, Filter,
    Matcher, Name, OfPrediction, Parse, Presence, RanIs, Range, RunRow, SecondLook, Tag, Term,
};
use crate::store::{PredictionNeedle, ResultFlags, WordColumn};

use super::super::EvalError;
use super::columns::ColumnReader;
use crate::settings::{Parameters, RunSettings, is_setting};

/// The cost of a condition; cheap ones are asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    /// The values are in memory, or soon will be.
    Column,
    /// The index is asked once, of all predictions.
    Samples,
    /// A row of each prediction is read.
    Reasons,
    /// The text of each prediction is read.
    Answers,
}

impl Cost {
    /// Ranks a term by its most expensive condition.
    fn of(term: &Term) -> Self {
        let conditions = term.conditions().into_iter();
        let costs = conditions.map(|condition| match condition {
            Condition::Sample(_) | Condition::Keys(_) => Self::Samples,
            Condition::Prediction(OfPrediction::Why(_)) => Self::Reasons,
            Condition::Prediction(OfPrediction::Answer(_)) => Self::Answers,
            Condition::Prediction(_) | Condition::Score(..) | Condition::DeltaOf(..) => {
                Self::Column
            }
        });
        costs.max().unwrap_or(Self::Column)
    }
}

/// Keeps of `ordinals`, which ascend, those that the filter lets through.
pub fn retain(
    reader: &ColumnReader<'_>,
    filter: &Filter,
    ordinals: &mut Vec<u32>,
) -> Result<(), EvalError> {
    let asking = PredictionFilter {
        reader,
        matcher: filter.aim.matcher,
    };
    asking.retain_all(&filter.terms, true, ordinals)
}

/// A filter that is asked of the predictions of a run.
struct PredictionFilter<'r, 'a> {
    reader: &'r ColumnReader<'a>,
    /// The one that the filter names.
    matcher: Option<Matcher>,
}

impl PredictionFilter<'_, '_> {
    /// Keeps those that fulfil a term, or those that fulfil its opposite.
    fn retain(
        &self,
        term: &Term,
        is_wanted: bool,
        ordinals: &mut Vec<u32>,
    ) -> Result<(), EvalError> {
        self.reader.monitor.step()?;
        match (term, is_wanted) {
            (Term::Is(condition), _) => self.retain_condition(condition, is_wanted, ordinals),
            (Term::Not(term), _) => self.retain(term, !is_wanted, ordinals),
            // Not all of them: one does not hold. Not one of them: all do not hold.
            (Term::All(terms), true) | (Term::Any(terms), false) => {
                self.retain_all(terms, is_wanted, ordinals)
            }
            (Term::Any(terms), true) | (Term::All(terms), false) => {
                self.retain_any(terms, is_wanted, ordinals)
            }
        }
    }

    fn retain_all(
        &self,
        terms: &[Term],
        is_wanted: bool,
        ordinals: &mut Vec<u32>,
    ) -> Result<(), EvalError> {
        let steps = OrderedTerms::of(terms, is_wanted);
        for term in steps.before {
            self.retain(term, is_wanted, ordinals)?;
        }
        if !steps.of_samples.is_empty() {
            self.retain_samples(steps.of_samples, ordinals)?;
        }
        for term in steps.after {
            self.retain(term, is_wanted, ordinals)?;
        }
        Ok(())
    }

    fn retain_any(
        &self,
        terms: &[Term],
        is_wanted: bool,
        ordinals: &mut Vec<u32>,
    ) -> Result<(), EvalError> {
        let steps = OrderedTerms::of(terms, is_wanted);
        let mut left = std::mem::take(ordinals);
        // What one term lets through, the next ones, which cost more, are not asked for.
        let mut take = |found: Vec<u32>, left: &mut Vec<u32>| {
            left.retain(|ordinal| found.binary_search(ordinal).is_err());
            ordinals.extend(found);
        };
        for term in steps.before {
            let mut found = left.clone();
            self.retain(term, is_wanted, &mut found)?;
            take(found, &mut left);
        }
        if !steps.of_samples.is_empty() {
            let mut found = left.clone();
            self.retain_samples(vec![Term::any(steps.of_samples)], &mut found)?;
            take(found, &mut left);
        }
        for term in steps.after {
            let mut found = left.clone();
            self.retain(term, is_wanted, &mut found)?;
            take(found, &mut left);
        }
        ordinals.sort_unstable();
        Ok(())
    }

    /// Asks the index once.
    fn retain_samples(&self, terms: Vec<Term>, ordinals: &mut Vec<u32>) -> Result<(), EvalError> {
        let reader = self.reader;
        let mut filter = Filter::of(terms);
        filter.aim.matcher = self.matcher;
        let links = reader.links()?;
        reader.announce_run();
        let are_let_through = reader
            .store
            .result_matches(&links, &filter, reader.monitor)?;
        ordinals.retain(|ordinal| are_let_through[*ordinal as usize]);
        Ok(())
    }

    fn retain_condition(
        &self,
        condition: &Condition,
        is_wanted: bool,
        ordinals: &mut Vec<u32>,
    ) -> Result<(), EvalError> {
        let reader = self.reader;
        let run = reader.view.run.id;
        let holds = match condition {
            Condition::Sample(_) | Condition::Keys(_) => {
                let term = Term::Is(condition.clone());
                let term = if is_wanted { term } else { Term::not(term) };
                return self.retain_samples(vec![term], ordinals);
            }
            Condition::Score(metric, range) => {
                let (scores, range) = (reader.scores(metric)?, *range);
                Box::new(move |ordinal| range.holds(scores.of(ordinal)))
            }
            Condition::DeltaOf(metric, range) => {
                let range = *range;
                let holds = Box::new(move |delta| range.holds(delta));
                delta(reader, condition.name(), Some(metric), holds)?
            }
            Condition::Prediction(condition) => match of_prediction(reader, condition)? {
                ConditionSource::Column(holds) => holds,
                ConditionSource::Reasons(text) => {
                    if let Some(engine) = &reader.view.engine {
                        let piece = PredictionNeedle { text, is_wanted };
                        let (of, store) = ((run, engine.as_str()), reader.store);
                        store.retain_reasons(of, ordinals, piece, reader.monitor)?;
                    }
                    return Ok(());
                }
                ConditionSource::Answers(text) => {
                    reader.announce(ordinals.len() as u64);
                    let piece = PredictionNeedle { text, is_wanted };
                    reader
                        .store
                        .retain_answers(run, ordinals, piece, reader.monitor)?;
                    return Ok(());
                }
            },
        };
        ordinals.retain(|ordinal| holds(*ordinal) == is_wanted);
        Ok(())
    }
}

/// Terms in the order in which they are asked.
struct OrderedTerms<'t> {
    before: Vec<&'t Term>,
    /// The conditions that the index can answer alone, negated where that is wanted.
    of_samples: Vec<Term>,
    after: Vec<&'t Term>,
}

impl<'t> OrderedTerms<'t> {
    fn of(terms: &'t [Term], is_wanted: bool) -> Self {
        let mut steps = Self {
            before: Vec::new(),
            of_samples: Vec::new(),
            after: Vec::new(),
        };
        let mut after = Vec::new();
        for term in terms {
            let (cost, conditions) = (Cost::of(term), term.conditions());
            let is_of_samples =
                !conditions.is_empty() && conditions.into_iter().all(Condition::is_of_sample);
            if is_of_samples {
                let term = term.clone();
                let term = if is_wanted { term } else { Term::not(term) };
                steps.of_samples.push(term);
            } else if cost == Cost::Column {
                steps.before.push(term);
            } else {
                after.push((cost, term));
            }
        }
        after.sort_by_key(|(cost, _)| *cost);
        steps.after = after.into_iter().map(|(_, term)| term).collect();
        steps
    }
}

type PredictionTest = Box<dyn Fn(u32) -> bool>;

/// The source that answers a condition on predictions.
enum ConditionSource<'c> {
    Column(PredictionTest),
    /// By a piece of the reasons.
    Reasons(&'c str),
    /// By a piece of the predictions.
    Answers(&'c str),
}

fn of_prediction<'c>(
    reader: &ColumnReader<'_>,
    condition: &'c OfPrediction,
) -> Result<ConditionSource<'c>, EvalError> {
    let name = || condition.name().to_owned();
    let holds = match condition {
        OfPrediction::Answer(text) => return Ok(ConditionSource::Answers(text)),
        OfPrediction::Why(text) => return Ok(ConditionSource::Reasons(text)),
        OfPrediction::Delta(range) => {
            let range = *range;
            let holds = Box::new(move |delta| range.holds(delta));
            delta(reader, name(), reader.view.metric, holds)?
        }
        OfPrediction::Outcome(wanted) => {
            let wanted = *wanted;
            let holds = move |delta: f64| !delta.is_nan() && BaselineStanding::of(delta) == wanted;
            delta(reader, name(), reader.view.metric, Box::new(holds))?
        }
        OfPrediction::Parse(wanted) => {
            let (flags, wanted) = (reader.flags()?, *wanted);
            Box::new(move |ordinal: u32| parse(flags[ordinal as usize]) == wanted)
        }
        OfPrediction::BaselineParse(wanted) => baseline_parse(reader, name(), *wanted)?,
        OfPrediction::Tag(wanted) => {
            let (tags, wanted) = (reader.tags()?, *wanted);
            Box::new(move |ordinal| {
                let tags = tags[ordinal as usize];
                wanted.map_or(tags.is_empty(), |tag| tags.contains(tag))
            })
        }
        OfPrediction::TagDiffers(wanted) => tag_differs(reader, name(), *wanted)?,
        OfPrediction::Ruled(wanted) => {
            let (rulings, wanted) = (reader.rulings()?, *wanted);
            Box::new(move |ordinal| rulings.contains_key(&ordinal) == wanted)
        }
        OfPrediction::Ruling(wanted) => {
            let (rulings, wanted) = (reader.rulings()?, *wanted);
            Box::new(move |ordinal| {
                let mut tag_sets = rulings.get(&ordinal).into_iter().flatten();
                tag_sets.any(|tags| wanted.map_or(tags.is_empty(), |tag| tags.contains(tag)))
            })
        }
        OfPrediction::Changed(wanted) => of_flags(reader, ResultFlags::is_changed, *wanted)?,
        OfPrediction::Overlong(wanted) => of_flags(reader, ResultFlags::is_over_length, *wanted)?,
        OfPrediction::ReferenceTokens(range) => of_tokens(reader, TokenSide::Reference, *range)?,
        OfPrediction::PredictionTokens(range) => of_tokens(reader, TokenSide::Prediction, *range)?,
        OfPrediction::Assertion(name) => asserted(reader, name.as_ref().map(Name::text))?,
        OfPrediction::Attempt(range) => {
            let (attempts, range) = (reader.attempts()?, *range);
            Box::new(move |ordinal| range.holds(f64::from(attempts[ordinal as usize])))
        }
        OfPrediction::Sample(wanted) => {
            let are_there = reader.links()?.are_there();
            let wanted = *wanted == Presence::There;
            Box::new(move |ordinal| are_there[ordinal as usize] == wanted)
        }
        OfPrediction::Ran(wanted) => execution_test(reader, *wanted)?,
        OfPrediction::Repair(wanted) => {
            let wanted = *wanted;
            let is_so = move |execution: &Execution| {
                execution.outcome.is_some() && execution.repair == wanted
            };
            of_execution(reader, is_so)?
        }
        OfPrediction::Called(wanted) => {
            let wanted = Some(*wanted);
            of_execution(reader, move |execution| execution.is_called == wanted)?
        }
        OfPrediction::Asserts(wanted) => asserts(reader, *wanted)?,
        OfPrediction::Confirmed(wanted) => confirmed(reader, *wanted)?,
        OfPrediction::Unstable(wanted) => {
            let wanted = *wanted;
            of_execution(reader, move |execution| wanted.holds(execution.stability))?
        }
        OfPrediction::Brittle(wanted) => {
            let wanted = *wanted;
            of_execution(reader, move |execution| wanted.holds(execution.brittleness))?
        }
        OfPrediction::Lines(range) => of_number(reader, lines, *range)?,
        OfPrediction::Branches(range) => of_number(reader, branches, *range)?,
        OfPrediction::Mutation(range) => of_faults(reader, FaultCounts::score, *range)?,
        OfPrediction::Strength(range) => of_faults(reader, FaultCounts::strength, *range)?,
        OfPrediction::Milliseconds(range) => of_number(reader, milliseconds, *range)?,
        OfPrediction::Setting(name) => has_setting(&reader.settings()?, name.text()),
        OfPrediction::Meta(name) => has_setting(&reader.file_scores()?, name.text()),
        OfPrediction::Temperature(range) => {
            let range = *range;
            let number = |asked: &Parameters| asked.get("temperature")?.parse::<f64>().ok();
            let settings = reader.settings()?;
            asked_with(
                &settings,
                Box::new(move |asked| number(asked).is_some_and(|value| range.holds(value))),
            )
        }
    };
    Ok(ConditionSource::Column(holds))
}

fn of_flags(
    reader: &ColumnReader<'_>,
    is_so: fn(ResultFlags) -> bool,
    wanted: bool,
) -> Result<PredictionTest, EvalError> {
    let flags = reader.flags()?;
    Ok(Box::new(move |ordinal| {
        let flags = flags[ordinal as usize];
        flags.is_read() && is_so(flags) == wanted
    }))
}

#[derive(Clone, Copy)]
enum TokenSide {
    Reference,
    Prediction,
}

fn of_tokens(
    reader: &ColumnReader<'_>,
    side: TokenSide,
    range: Range,
) -> Result<PredictionTest, EvalError> {
    let (flags, tokens) = (reader.flags()?, reader.tokens()?);
    Ok(Box::new(move |ordinal| {
        let place = ordinal as usize;
        let n_tokens = match side {
            TokenSide::Reference => tokens.of_references[place],
            TokenSide::Prediction => tokens.of_predictions[place],
        };
        flags[place].is_read() && range.holds(f64::from(n_tokens))
    }))
}

fn asserted(reader: &ColumnReader<'_>, name: Option<&str>) -> Result<PredictionTest, EvalError> {
    let assertions = reader.assertions()?;
    // Names are compared as a whole, and no assertion is called `none`.
    let wanted = name.filter(|name| !name.eq_ignore_ascii_case("none"));
    let wanted = wanted.unwrap_or_default();
    let wanted = assertions.names.iter().position(|name| name == wanted);
    let wanted = wanted.map(|wanted| wanted as u32);
    Ok(Box::new(move |ordinal| {
        let place = assertions.places[ordinal as usize];
        place != WordColumn::NONE && Some(place) == wanted
    }))
}

/// Makes the condition on whether something can fail in a prediction: as it ran, else as it was read.
fn asserts(reader: &ColumnReader<'_>, wanted: bool) -> Result<PredictionTest, EvalError> {
    let (executions, flags) = (reader.executions()?, reader.flags()?);
    Ok(Box::new(move |ordinal| {
        let ran = executions[ordinal as usize].and_then(|execution| execution.asserts);
        ran.or_else(|| flags[ordinal as usize].asserts()) == Some(wanted)
    }))
}

/// Makes the condition that the parameters of a prediction match `wanted` ([`is_setting`]).
fn has_setting(settings: &Arc<RunSettings>, wanted: &str) -> PredictionTest {
    let wanted = wanted.to_owned();
    asked_with(settings, Box::new(move |map| is_setting(map, &wanted)))
}

/// Makes the condition that `holds` is true of the parameters of a prediction.
fn asked_with(
    settings: &Arc<RunSettings>,
    holds: Box<dyn Fn(&Parameters) -> bool>,
) -> PredictionTest {
    let settings = Arc::clone(settings);
    // Few settings have many predictions.
    let hold: Vec<bool> = settings.all.iter().map(holds).collect();
    Box::new(move |ordinal| hold[settings.places[ordinal as usize]])
}

/// Makes the condition on the outcome of a prediction.
fn of_execution(
    reader: &ColumnReader<'_>,
    holds: impl Fn(&Execution) -> bool + 'static,
) -> Result<PredictionTest, EvalError> {
    let executions = reader.executions()?;
    Ok(Box::new(move |ordinal| {
        executions[ordinal as usize].as_ref().is_some_and(&holds)
    }))
}

fn of_number(
    reader: &ColumnReader<'_>,
    number: fn(&Execution) -> f64,
    range: Range,
) -> Result<PredictionTest, EvalError> {
    of_execution(reader, move |execution| range.holds(number(execution)))
}

/// Makes the condition on the number of mutants that a prediction notices; what has none fulfils no condition.
fn of_faults(
    reader: &ColumnReader<'_>,
    number: fn(FaultCounts) -> Option<f64>,
    range: Range,
) -> Result<PredictionTest, EvalError> {
    let faults = reader.faults()?;
    Ok(Box::new(move |ordinal| {
        let value = faults.get(&ordinal).copied().and_then(number);
        value.is_some_and(|value| range.holds(value))
    }))
}

fn confirmed(reader: &ColumnReader<'_>, wanted: SecondLook) -> Result<PredictionTest, EvalError> {
    let holds = move |execution: &Execution| match wanted {
        SecondLook::Never => execution.confirmed.is_none(),
        SecondLook::Refuted => execution.confirmed.is_some_and(Confirmation::refutes),
        SecondLook::Found(wanted) => execution.confirmed == Some(wanted),
    };
    of_execution(reader, holds)
}

fn execution_test(reader: &ColumnReader<'_>, wanted: RanIs) -> Result<PredictionTest, EvalError> {
    let executions = reader.executions()?;
    Ok(Box::new(move |ordinal| {
        let execution = executions[ordinal as usize];
        match wanted {
            RanIs::Never => execution.is_none(),
            RanIs::Blocked => execution.is_some_and(|execution| execution.blocked.is_some()),
            RanIs::Outcome(..) => {
                let outcome = execution.and_then(|execution| execution.outcome);
                outcome.is_some_and(|outcome| wanted.is_met_by(outcome))
            }
        }
    }))
}

fn share(counter: Option<CoverageCounter>) -> f64 {
    let counter = counter.filter(|coverage_counter| coverage_counter.total() > 0);
    counter.map_or(f64::NAN, |coverage_counter| {
        f64::from(coverage_counter.covered) / f64::from(coverage_counter.total())
    })
}

/// Computes the share of the focal method's lines that were covered; NaN where there is none.
pub fn lines(execution: &Execution) -> f64 {
    share(execution.lines)
}

/// Computes the share of the focal method's branches that were covered; NaN where there is none.
pub fn branches(execution: &Execution) -> f64 {
    share(execution.branches)
}

/// Returns how long a prediction ran, in milliseconds; NaN where that is not known.
pub fn milliseconds(execution: &Execution) -> f64 {
    execution.elapsed_ms.map_or(f64::NAN, f64::from)
}

/// Reads from the flags whether a prediction parses.
pub fn parse(flags: ResultFlags) -> Parse {
    match flags {
        result_flags if !result_flags.is_read() => Parse::Unread,
        result_flags if result_flags.is_unparsable() => Parse::Fail,
        _ => Parse::Ok,
    }
}

fn baseline_parse(
    reader: &ColumnReader<'_>,
    field: String,
    wanted: Parse,
) -> Result<PredictionTest, EvalError> {
    let baseline = baseline(reader, field)?;
    let (pairs, flags) = (reader.pairs(baseline)?, reader.flags_before(baseline)?);
    Ok(Box::new(move |ordinal| {
        let flags = flags.get(pairs.others[ordinal as usize] as usize);
        flags.is_some_and(|flag| parse(*flag) == wanted)
    }))
}

fn tag_differs(
    reader: &ColumnReader<'_>,
    field: String,
    wanted: Tag,
) -> Result<PredictionTest, EvalError> {
    let baseline = baseline(reader, field)?;
    let (ours, theirs) = (reader.tags()?, reader.tags_before(baseline)?);
    let pairs = reader.pairs(baseline)?;
    Ok(Box::new(move |ordinal| {
        let theirs = theirs.get(pairs.others[ordinal as usize] as usize);
        let ours = ours[ordinal as usize].contains(wanted);
        theirs.is_some_and(|tags| tags.contains(wanted) != ours)
    }))
}

/// Finds the run that a condition on `field` compares with.
fn baseline<'r>(reader: &'r ColumnReader<'_>, field: String) -> Result<&'r RunRow, EvalError> {
    let baseline = reader.view.baseline.as_ref();
    baseline.ok_or(EvalError::NoBaseline { field })
}

/// Makes the condition on the difference to the baseline.
fn delta(
    reader: &ColumnReader<'_>,
    field: String,
    metric: Option<&str>,
    holds: Box<dyn Fn(f64) -> bool>,
) -> Result<PredictionTest, EvalError> {
    baseline(reader, field)?;
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
