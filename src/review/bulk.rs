//! Accepting many samples at once because a random part of them was looked at: acceptance sampling.
//!
//! An audit's draw is the part. Decides when it speaks for the rest, which samples the rest are, and what bound on
//! their errors goes with each verdict. The bound is about the mapped samples of the filter: how many of them are
//! mapped to a method that is not the focal one.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::metric::acceptance::{error_bound, n_needed};
use crate::model::{
    Batch, Draw, DrawnSample, ErrorBound, Event, Filter, Gold, JudgedSample, Judgement, SampleKey,
    Term, Verdict,
};
use crate::store::{SampleState, Store, Verdicts};
use crate::task::Monitor;

use super::audit::{choose, population};
use super::{AuditOptions, ReviewError, Staleness, Stratify, VerdictAuthor, gold};

/// The default confidence of a bound.
pub const CONFIDENCE: f64 = 0.95;

/// The default for the greatest tolerated share of errors.
pub const ERROR_MAX: f64 = 0.05;

/// The audit whose rest is accepted, and the conditions.
#[derive(Clone, Debug)]
pub struct AcceptOptions {
    /// The audit whose draw speaks for the rest of its filter; without parts.
    pub audit: AuditOptions,
    /// The greatest tolerated bound on the share of errors, 0..=1.
    pub error_max: f64,
    /// 0..1.
    pub confidence: f64,
}

impl AcceptOptions {
    /// Makes options with the usual bound and confidence.
    #[must_use]
    pub fn new(audit: AuditOptions) -> Self {
        Self {
            audit,
            error_max: ERROR_MAX,
            confidence: CONFIDENCE,
        }
    }
}

/// Why the rest cannot be accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AcceptError {
    #[error("nothing was drawn for `{audit}` yet")]
    NotDrawn { audit: String },
    /// The bound is about a plain random sample.
    #[error("a draw that keeps the proportions of parts bounds nothing")]
    InParts,
    #[error("{n_open} of {n_drawn} drawn samples are not decided")]
    Open { n_open: u64, n_drawn: u64 },
    /// The draw is no random part of the samples that the filter lets through now.
    #[error("the filter lets other samples through than when `{audit}` was drawn")]
    OtherSamples { audit: String },
    #[error(
        "{n_errors} errors in {n} leave up to {:.2} % possible, more than {:.2} %",
        error_max * 100.0,
        asked * 100.0
    )]
    TooMany {
        n: u64,
        n_errors: u64,
        /// The bound.
        error_max: f64,
        asked: f64,
        /// The number of samples that would have to be judged, if no more errors were found; nothing when no number
        /// would do.
        n_needed: Option<u64>,
    },
}

/// The findings of a draw so far, and the samples that would be accepted because of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    pub audit: String,
    /// The drawn samples that the filter still lets through.
    pub n_drawn: u64,
    /// The drawn samples that this annotator has not decided, or decided in another state; in the order of the draw.
    /// Skipped ones are not decided, unsure ones are.
    pub open: Vec<SampleKey>,
    /// The decided samples that were mapped: the others say nothing of matches.
    pub n: u64,
    /// Those of `n` that are mapped to a method other than the focal one, or that the annotator is unsure about.
    pub n_errors: u64,
    /// At most this share of the filter's matches is wrong, 0..=1; see [`error_bound`].
    pub error_max: f64,
    pub confidence: f64,
    /// Whether the draw is a random part of the samples that the filter lets through now.
    pub is_representative: bool,
    /// The mapped samples that would be accepted.
    pub n_rest: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AcceptReport {
    pub acceptance: Acceptance,
    /// The event that an undo takes back; absent when there was nothing left to accept.
    pub event: Option<Event>,
}

/// Sums up an annotator's verdicts on a draw so far; changes nothing.
///
/// # Errors
/// [`AcceptError::NotDrawn`] and [`AcceptError::InParts`], besides what the files say.
pub fn acceptance(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &AcceptOptions,
    annotator: &str,
) -> Result<Acceptance, ReviewError> {
    Ok(look(store, verdicts, monitor, options, annotator)?.0)
}

/// Accepts every mapped sample of an audit's filter that was not drawn, as provisional verdicts with the bound that the
/// annotator's verdicts on the draw support. Samples on which the annotator has a verdict are left alone, and those
/// with a provisional one of the same state.
///
/// # Errors
/// [`AcceptError`] while the draw does not speak for the rest, or does not say enough.
pub fn accept_rest(
    store: &Store,
    verdicts: &mut Verdicts,
    monitor: &Monitor,
    options: &AcceptOptions,
    by: VerdictAuthor<'_>,
) -> Result<AcceptReport, ReviewError> {
    let (acceptance, rest) = look(store, verdicts, monitor, options, by.annotator)?;
    check(&acceptance, options)?;
    if rest.is_empty() {
        return Ok(AcceptReport {
            acceptance,
            event: None,
        });
    }
    let bound = ErrorBound {
        n: acceptance.n as u32,
        n_errors: acceptance.n_errors as u32,
        error_max_ppm: ErrorBound::ppm_up(acceptance.error_max),
        confidence_ppm: ErrorBound::ppm(options.confidence).unwrap_or_default(),
    };
    let batch = Batch {
        audit: acceptance.audit.clone(),
        n_accepted: 0,
        bound,
    };
    let event = verdicts.append_batch(by.annotator, by.now_ms, batch, rest)?;
    Ok(AcceptReport {
        acceptance,
        event: Some(event),
    })
}

fn check(acceptance: &Acceptance, options: &AcceptOptions) -> Result<(), AcceptError> {
    if !acceptance.is_representative {
        return Err(AcceptError::OtherSamples {
            audit: acceptance.audit.clone(),
        });
    }
    if !acceptance.open.is_empty() {
        return Err(AcceptError::Open {
            n_open: acceptance.open.len() as u64,
            n_drawn: acceptance.n_drawn,
        });
    }
    let is_enough = acceptance.error_max <= options.error_max;
    if !is_enough || acceptance.n == 0 {
        return Err(AcceptError::TooMany {
            n: acceptance.n,
            n_errors: acceptance.n_errors,
            error_max: acceptance.error_max,
            asked: options.error_max,
            n_needed: n_needed(acceptance.n_errors, options.error_max, options.confidence),
        });
    }
    Ok(())
}

fn look(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &AcceptOptions,
    annotator: &str,
) -> Result<(Acceptance, Vec<JudgedSample>), ReviewError> {
    let audit = options.audit.name();
    if options.audit.stratify != Stratify::None {
        return Err(AcceptError::InParts.into());
    }
    let Some(draw) = verdicts.draw(&audit)? else {
        return Err(AcceptError::NotDrawn { audit }.into());
    };
    let population = population(store, monitor, &options.audit)?;
    let drawn = still_there(store, monitor, &options.audit.filter, &population, &draw)?;
    let own: FxHashMap<SampleKey, JudgedSample> = verdicts
        .of_annotator(annotator)?
        .into_iter()
        .map(|verdict| (verdict.judged.key, verdict.judged))
        .collect();

    let mut acceptance = Acceptance {
        audit,
        n_drawn: drawn.len() as u64,
        open: Vec::new(),
        n: 0,
        n_errors: 0,
        error_max: 1.0,
        confidence: options.confidence,
        is_representative: is_representative(&population, &drawn, options.audit.seed),
        n_rest: 0,
    };
    for (key, state) in drawn.iter().zip(store.states(&drawn)?) {
        let decided = own.get(key).filter(|judged| {
            judged.judgement != Judgement::Skip && Staleness::of(judged, state.as_ref()).is_none()
        });
        match decided {
            None => acceptance.open.push(*key),
            Some(judged) if judged.focal.is_some() => {
                acceptance.n += 1;
                acceptance.n_errors += u64::from(judged.is_right() != Some(true));
            }
            Some(_) => {}
        }
    }
    acceptance.error_max = error_bound(acceptance.n_errors, acceptance.n, options.confidence);

    let drawn: FxHashSet<SampleKey> = drawn.into_iter().collect();
    let left = population.iter().map(|drawn_sample| drawn_sample.key);
    let left =
        left.filter(|sample_key| !own.contains_key(sample_key) && !drawn.contains(sample_key));
    let rest = rest(
        store,
        verdicts,
        monitor,
        annotator,
        &left.collect::<Vec<_>>(),
    )?;
    acceptance.n_rest = rest.len() as u64;
    Ok((acceptance, rest))
}

/// Returns the drawn samples that belong to the filter apart from its conditions on verdicts: judging has changed
/// those.
fn still_there(
    store: &Store,
    monitor: &Monitor,
    filter: &Filter,
    population: &[DrawnSample],
    draw: &Draw,
) -> Result<Vec<SampleKey>, ReviewError> {
    let mut members: FxHashSet<SampleKey> = population
        .iter()
        .map(|drawn_sample| drawn_sample.key)
        .collect();
    let is_of_people = |term: &Term| {
        let mut conditions = term.conditions().into_iter();
        conditions.any(|condition| condition.of_people().is_some())
    };
    if filter.terms.iter().any(is_of_people) {
        monitor.step()?;
        let mut filter = filter.clone();
        filter.terms.retain(|term| !is_of_people(term));
        members.extend(store.keys(&filter)?);
    }
    let keys = draw.samples.iter().map(|sample| sample.key);
    Ok(keys
        .filter(|sample_key| members.contains(sample_key))
        .collect())
}

/// Tells whether a draw of this size from the present samples would be the same one. A draw takes the samples that come
/// first in an order that only the seed decides, so this holds until something comes that would have been drawn.
fn is_representative(population: &[DrawnSample], drawn: &[SampleKey], seed: u64) -> bool {
    let known: FxHashSet<SampleKey> = drawn.iter().copied().collect();
    let plain = |key: SampleKey| DrawnSample {
        key,
        stratum: String::new(),
    };
    let others = population.iter().map(|drawn_sample| drawn_sample.key);
    let all: Vec<DrawnSample> = others
        .filter(|other| !known.contains(other))
        .chain(drawn.iter().copied())
        .map(plain)
        .collect();
    let again = choose(all, drawn.len(), seed);
    again
        .iter()
        .all(|drawn_sample| known.contains(&drawn_sample.key))
}

/// Makes the judgements that accept the mapped ones of these samples, except those that are accepted already.
fn rest(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    annotator: &str,
    left: &[SampleKey],
) -> Result<Vec<JudgedSample>, ReviewError> {
    /// States read at a time, so that cancelling is heard.
    const AT_ONCE: usize = 2_000;
    let provisional: FxHashMap<SampleKey, JudgedSample> = verdicts
        .provisional_of_annotator(annotator)?
        .into_iter()
        .map(|verdict| (verdict.judged.key, verdict.judged))
        .collect();
    let mut rest = Vec::with_capacity(left.len());
    for keys in left.chunks(AT_ONCE) {
        monitor.step()?;
        for (key, state) in keys.iter().zip(store.states(keys)?) {
            let is_known = provisional.get(key).is_some_and(|judged_sample| {
                Staleness::of(judged_sample, state.as_ref()).is_none()
            });
            if let (Some(judged), false) = (
                state.and_then(|sample_state| accepted(*key, sample_state)),
                is_known,
            ) {
                rest.push(judged);
            }
        }
    }
    Ok(rest)
}

/// Makes the judgement that accepts a sample; nothing for an unmapped one.
fn accepted(key: SampleKey, state: SampleState) -> Option<JudgedSample> {
    Some(JudgedSample {
        key,
        content_hash: state.content_hash,
        focal: Some(state.focal?),
        judgement: Judgement::Accept,
        dwell_ms: None,
        guideline: None,
        note: None,
        queue: None,
        bulk: None,
    })
}

/// Returns [`gold`], and adds provisional acceptances where no annotator who looked has decided. The last provisional
/// verdict counts; its [`Gold::n_annotators`] is 0, and its judgement holds the bound.
pub fn gold_or_provisional(verdicts: &Verdicts) -> Result<BTreeMap<SampleKey, Gold>, ReviewError> {
    let mut known = gold(verdicts)?;
    let mut decided: FxHashSet<SampleKey> = known.keys().copied().collect();
    let answered = |verdict: &Verdict| verdict.judged.answer().is_some();
    decided.extend(
        verdicts
            .all()?
            .iter()
            .filter(|verdict| answered(verdict))
            .map(|verdict| verdict.judged.key),
    );
    for verdict in verdicts.provisional()? {
        let key = verdict.judged.key;
        let Some(answer) = verdict.judged.answer() else {
            continue;
        };
        if decided.contains(&key) {
            continue;
        }
        let gold = Gold {
            answer,
            verdict,
            n_annotators: 0,
        };
        match known.get_mut(&key) {
            Some(other)
                if (other.verdict.at_ms, other.verdict.event)
                    > (gold.verdict.at_ms, gold.verdict.event) => {}
            Some(other) => *other = gold,
            None => {
                known.insert(key, gold);
            }
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests;
