//! The verb `review`: what people say of samples, what holds because of it, and what it says about the machine.
//!
//! Decides the meaning of a choice as a judgement, when a verdict is stale, which answers are gold, and which samples
//! an audit draws. `store` decides when an event is safe, and which events an undo takes back. Knows no clock: the time
//! is given.
//!
//! Appending, undo, redo, history, notes and marks are [`Verdicts`] itself: there is nothing to add to them.

use focalist_diff as diff;
use focalist_exchange as exchange;
use focalist_held as held;
use focalist_metric as metric;
use focalist_model as model;
use focalist_store as store;
use focalist_task as task;

pub mod action;
mod agree;
mod alike;
mod audit;
mod bulk;
mod calibrate;
mod conflict;
mod difference;
mod judge;
mod lines;
mod meanwhile;
mod queue;
mod remarks;
mod seats;
mod session;
mod tagged;

#[cfg(test)]
mod tests;

pub use agree::{Agreement, AgreementOptions, agreement, undecided};
pub use alike::{ALIKE_MIN, Alike, AlikeTest, alike, give_alike, is_of_alike};
pub use audit::{AuditOptions, AuditReport, Stratify, Stratum, draw, report};
pub use bulk::{
    AcceptError, AcceptOptions, AcceptReport, Acceptance, CONFIDENCE, ERROR_MAX, accept_rest,
    acceptance, gold_or_provisional,
};
pub use calibrate::{Band, calibration};
pub use conflict::{Conflict, Opinion, conflicts, n_open_conflicts, siding};
pub use difference::{Difference, difference, snapshot, snapshot_of};
pub use judge::{Circumstances, ShownSample, judge, painted_order};
pub use lines::{MergeReport, VerdictExport, export, merge};
pub use meanwhile::{PriorVerdicts, left_out, meanwhile};
pub use queue::{
    Overlap, Queue, QueueError, QueueKind, QueueOptions, ReviewOptions, WrittenQueue, filter_of,
    n_candidates_usual, open_queue, queue, split,
};
pub use remarks::{SampleRemarks, remarks};
pub use seats::{Seat, SeatedAnnotator, beside, is_taken, seated};
pub use session::Session;
pub use tagged::{CorrectedShares, TagAccord, TagAgreement, tag, tag_agreement, tagged, tags_of};

use std::collections::BTreeMap;
use std::io;

use crate::metric::agreement::wilson;
use crate::model::{
    ContentHash, Filter, Gold, JudgedSample, Judgement, MethodKey, SampleKey, Verdict,
};
use crate::store::{SampleState, Store, StoreError, StoredMethod, StoredSample, Verdicts};
use crate::task::Cancelled;

/// Why something about verdicts cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("cannot read or write the events")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the audit `{audit}` has not been drawn yet")]
    NotDrawn { audit: String },
    /// The annotator does not see the machine's decision.
    #[error("a hidden match cannot be accepted")]
    Blind,
    #[error("the matcher chose no method here: there is nothing to accept")]
    NothingToAccept,
    #[error(transparent)]
    Accept(#[from] AcceptError),
    #[error("no sample `{key}`")]
    NoSuchSample { key: SampleKey },
    #[error("no candidate {rank}: the sample has {n_candidates}")]
    NoSuchCandidate { rank: usize, n_candidates: usize },
    /// No method of the repository is called so, or several are.
    #[error("`{method}` is not one method of the repository")]
    NoSuchMethod {
        method: String,
        /// Keys of methods that may be meant.
        near: Vec<String>,
    },
}

/// The annotator of an event, and its time in milliseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub struct VerdictAuthor<'a> {
    pub annotator: &'a str,
    pub now_ms: i64,
}

/// An annotator's choice, as it is typed or pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictChoice {
    /// Anything but a pick.
    Plain(Judgement),
    /// The candidate of this rank, counted from 1.
    Candidate(usize),
    /// A method by its key, or by a name that only one candidate, else only one method of the repository, has.
    Method(String),
    /// The method with exactly this key, whether it is a candidate or not.
    Key(String),
}

/// Makes the choice a judgement of the sample in its present state, without note, dwell time and queue.
///
/// A face that showed the sample fills in [`JudgedSample`] with the shown state, which may be older.
///
/// # Errors
/// When there is no such sample, or no such method.
pub fn judged(
    store: &Store,
    key: &SampleKey,
    choice: &VerdictChoice,
) -> Result<JudgedSample, ReviewError> {
    let sample = store
        .sample(key, None)?
        .ok_or(ReviewError::NoSuchSample { key: *key })?;
    judged_of(store, &sample, choice)
}

/// Makes the choice a judgement of a sample that was read before; [`snapshot_of`] keeps what was judged.
///
/// # Errors
/// When there is no such method.
pub fn judged_of(
    store: &Store,
    sample: &StoredSample,
    choice: &VerdictChoice,
) -> Result<JudgedSample, ReviewError> {
    let shown = ShownSample {
        key: sample.row.key,
        content_hash: sample.content_hash,
        focal: sample.focal.as_ref().map(StoredMethod::key),
        candidates: sample
            .candidates
            .iter()
            .map(|candidate| candidate.method.key())
            .collect(),
        is_blind: false,
    };
    match judge(&shown, choice, Circumstances::default()) {
        // No candidate is called so: perhaps one other method of the repository is.
        Err(ReviewError::NoSuchMethod { method, near }) if near.is_empty() => {
            let found = find(store, &shown, &method)?;
            judge(&shown, &VerdictChoice::Key(found), Circumstances::default())
        }
        other => other,
    }
}

/// Finds the key of the method that a name means: the only candidate, else the only method of the sample's repository
/// that is called so.
///
/// # Errors
/// [`ReviewError::NoSuchMethod`] with those that are called so, else those with the name somewhere in their key, in any
/// case of letters, else the candidates.
pub fn find(store: &Store, shown: &ShownSample, name: &str) -> Result<String, ReviewError> {
    let near = match one_named(&shown.candidates, name) {
        Ok(found) => return Ok(found),
        Err(near) if !near.is_empty() => near,
        Err(_) => {
            let declared = store.declared(&shown.key)?.into_iter();
            let all: Vec<String> = declared
                .map(|declared_method| declared_method.key)
                .collect();
            match one_named(&all, name) {
                Ok(found) => return Ok(found),
                Err(near) if !near.is_empty() => near,
                Err(_) => {
                    let name = name.to_lowercase();
                    let mut all = all;
                    all.retain(|text| text.to_lowercase().contains(&name));
                    if all.is_empty() {
                        shown.candidates.clone()
                    } else {
                        all
                    }
                }
            }
        }
    };
    Err(ReviewError::NoSuchMethod {
        method: name.to_owned(),
        near,
    })
}

/// Finds the only key that a name means, or all that it may mean.
fn one_named(keys: &[String], name: &str) -> Result<String, Vec<String>> {
    if keys.iter().any(|key| key == name) {
        return Ok(name.to_owned());
    }
    let mut named: Vec<String> = keys
        .iter()
        .filter(|key| is_named(key, name))
        .cloned()
        .collect();
    named.dedup();
    match named.len() {
        1 => Ok(named.remove(0)),
        _ => Err(named),
    }
}

/// Tells whether a method's key ends with a name such as `inc`, `Counter.inc`, `Counter#inc` or `Counter#inc(int)`.
fn is_named(key: &str, name: &str) -> bool {
    let head = match MethodKey::parse(key) {
        Some(parts) if !name.contains('(') => format!("{}.{}", parts.class, parts.name),
        _ => key.replace('#', "."),
    };
    let name = name.replace('#', ".");
    head.strip_suffix(&name)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Why a verdict is not about what the index has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Staleness {
    /// The code that the annotator was shown has changed.
    Changed,
    /// The same code, but the matcher decides for another focal method.
    OtherFocal,
    /// The index does not have the sample (any more).
    Gone,
}

impl Staleness {
    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::OtherFocal => "other_focal",
            Self::Gone => "gone",
        }
    }

    /// Tells why a judgement does not hold for a sample in this state; nothing when it does.
    #[must_use]
    pub fn of(judged: &JudgedSample, state: Option<&SampleState>) -> Option<Self> {
        match state {
            None => Some(Self::Gone),
            Some(state) => Self::between(judged, state.content_hash, state.focal.as_deref()),
        }
    }

    /// Tells why a judgement does not hold for a sample with this content and focal method; nothing when it does.
    #[must_use]
    pub fn between(
        judged: &JudgedSample,
        content_hash: ContentHash,
        focal: Option<&str>,
    ) -> Option<Self> {
        // Another focal method is other code too; the method is what an annotator wants to hear of.
        if focal == judged.focal.as_deref() {
            (content_hash != judged.content_hash).then_some(Self::Changed)
        } else {
            Some(Self::OtherFocal)
        }
    }
}

/// A verdict, and what its sample is now.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingVerdict {
    pub verdict: Verdict,
    /// Absent when the index does not have the sample.
    pub state: Option<SampleState>,
    pub stale: Option<Staleness>,
}

/// Pairs verdicts with the present states of their samples, in the same order.
pub fn standings(
    store: &Store,
    verdicts: Vec<Verdict>,
) -> Result<Vec<StandingVerdict>, ReviewError> {
    let keys: Vec<SampleKey> = verdicts.iter().map(|verdict| verdict.judged.key).collect();
    let states = store.states(&keys)?;
    Ok(verdicts
        .into_iter()
        .zip(states)
        .map(|(verdict, state)| StandingVerdict {
            stale: Staleness::of(&verdict.judged, state.as_ref()),
            verdict,
            state,
        })
        .collect())
}

/// Reads every verdict and every adjudication that holds, by sample and annotator.
pub fn current(verdicts: &Verdicts) -> Result<Vec<Verdict>, ReviewError> {
    let mut all = verdicts.all()?;
    all.extend(verdicts.adjudications()?);
    // Stable: an adjudication comes after the verdict of the same annotator.
    all.sort_by(|a, b| (a.judged.key, &a.annotator).cmp(&(b.judged.key, &b.annotator)));
    Ok(all)
}

/// Lists the verdicts of [`current`] whose samples have changed since. Skips are left out: they say nothing of a
/// sample.
pub fn stale(store: &Store, verdicts: &Verdicts) -> Result<Vec<StandingVerdict>, ReviewError> {
    let mut all = current(verdicts)?;
    all.retain(|verdict| verdict.judged.judgement != Judgement::Skip);
    let mut standings = standings(store, all)?;
    standings.retain(|standing| standing.stale.is_some());
    Ok(standings)
}

/// Collects the samples that a filter lets through, to choose verdicts by.
pub fn keys(
    store: &Store,
    filter: &Filter,
) -> Result<rustc_hash::FxHashSet<SampleKey>, ReviewError> {
    Ok(store.keys(filter)?.into_iter().collect())
}

/// Collects the truth by sample: the adjudication, else the answer on which all who decided agree. Samples on which
/// annotators differ have no gold until they are adjudicated.
pub fn gold(verdicts: &Verdicts) -> Result<BTreeMap<SampleKey, Gold>, ReviewError> {
    Ok(verdicts.gold()?)
}

/// Collects the gold samples that are unchanged and on which the machine is right: what people vouch for.
pub fn verified(
    store: &Store,
    verdicts: &Verdicts,
) -> Result<BTreeMap<SampleKey, Gold>, ReviewError> {
    let gold = gold(verdicts)?;
    let keys: Vec<SampleKey> = gold.keys().copied().collect();
    let states = store.states(&keys)?;
    let is_right = |gold: &Gold, state: &Option<SampleState>| {
        let state = state.as_ref()?;
        gold.is_right(state.content_hash, state.focal.as_deref())
    };
    let known = gold.into_iter().zip(states);
    Ok(known
        .filter(|((_, gold), state)| is_right(gold, state) == Some(true))
        .map(|(known, _)| known)
        .collect())
}

/// A share of the samples that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub k: u64,
    pub n: u64,
}

impl Share {
    /// Counts one more sample that was looked at; `is_in` says that it belongs to the share.
    pub fn add(&mut self, is_in: bool) {
        self.k += u64::from(is_in);
        self.n += 1;
    }

    /// Computes the share, 0..=1; nothing where no sample was looked at.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.n > 0).then(|| self.k as f64 / self.n as f64)
    }

    /// Computes Wilson's 95 % interval.
    #[must_use]
    pub fn interval(self) -> Option<(f64, f64)> {
        wilson(self.k, self.n)
    }
}

/// The progress of an annotator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewProgress {
    pub annotator: String,
    /// Verdicts that hold, also unsure and skipped ones.
    pub n_verdicts: u64,
    /// By judgement, in the order of [`Judgement::WORDS`].
    pub by_judgement: Vec<(&'static str, u64)>,
    /// The median over verdicts whose time was measured, without skips: they judge nothing.
    pub dwell_median_ms: Option<u32>,
    /// The share of these verdicts that were given in less than [`HASTY_MS`].
    pub hasty: Share,
    pub last_at_ms: i64,
}

impl ReviewProgress {
    /// Counts the judged samples: a skipped one waits for its judgement.
    #[must_use]
    pub fn n_judged(&self) -> u64 {
        let skip = Judgement::Skip.as_str();
        let skipped = self.by_judgement.iter().filter(|(word, _)| *word == skip);
        let n_skipped: u64 = skipped.map(|(_, n)| n).sum();
        self.n_verdicts.saturating_sub(n_skipped)
    }
}

/// Nobody reads a test and a method in less.
pub const HASTY_MS: u32 = 800;

/// Measures the progress of every annotator, by name.
pub fn progress(verdicts: &Verdicts) -> Result<Vec<ReviewProgress>, ReviewError> {
    let mut by_annotator: BTreeMap<String, Vec<Verdict>> = BTreeMap::new();
    for verdict in verdicts.all()? {
        by_annotator
            .entry(verdict.annotator.clone())
            .or_default()
            .push(verdict);
    }
    let of = |(annotator, verdicts): (String, Vec<Verdict>)| {
        let n_of = |word: &str| {
            let same = verdicts
                .iter()
                .filter(|verdict| verdict.judged.judgement.as_str() == word);
            same.count() as u64
        };
        let mut dwells: Vec<u32> = verdicts
            .iter()
            .filter(|verdict| verdict.judged.judgement != Judgement::Skip)
            .filter_map(|verdict| verdict.judged.dwell_ms)
            .collect();
        dwells.sort_unstable();
        ReviewProgress {
            n_verdicts: verdicts.len() as u64,
            by_judgement: Judgement::WORDS
                .iter()
                .map(|word| (*word, n_of(word)))
                .collect(),
            dwell_median_ms: dwells.get(dwells.len() / 2).copied(),
            hasty: Share {
                k: dwells.partition_point(|dwell| *dwell < HASTY_MS) as u64,
                n: dwells.len() as u64,
            },
            last_at_ms: verdicts
                .iter()
                .map(|verdict| verdict.at_ms)
                .max()
                .unwrap_or(0),
            annotator,
        }
    };
    Ok(by_annotator.into_iter().map(of).collect())
}
