//! Queues: which samples an annotator is asked about, in which order.
//!
//! Decides which samples are left out because they have enough verdicts, and which come first. Keeps keys alone, so
//! that a queue over a million samples fits beside a terminal UI. Does not know which sample is on the screen: that is
//! [`Session`](super::Session).

mod options;

pub use options::{
    Overlap, QueueError, QueueKind, QueueOptions, ReviewOptions, WrittenQueue, split,
};

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::is_given;
use super::audit::draw;
use super::{ReviewError, Staleness, VerdictAuthor, standings};
use crate::model::{
    Direction, Filter, Judgement, OfSample, Range, SampleKey, SampleSort, SortField, SortKey,
    Status, Term, Verdict,
};
use crate::store::{Remark, Store, Verdicts};
use crate::task::Monitor;

/// The samples that an annotator is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    /// The samples that are left to be judged, in order; skipped ones come last, the longest skipped first.
    pub open: Vec<SampleKey>,
    /// Samples of this queue that the annotator has judged: none of `stale`, which is about those alone.
    pub n_mine: u64,
    /// Samples of an audit that the index does not have any more.
    pub n_gone: u64,
}

/// Builds the queue from the present verdicts. Others' verdicts do not shorten an audit, a disagreement, or the queues
/// of stale, marked or noted samples.
///
/// # Errors
/// [`ReviewError::NotDrawn`] for an audit that nobody has drawn yet: see [`open_queue`].
pub fn queue(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, ReviewError> {
    monitor.step()?;
    let queue = match options.kind {
        QueueKind::Uncertain
        | QueueKind::Random
        | QueueKind::Mined
        | QueueKind::Alike
        | QueueKind::Unmapped => from_index(store, verdicts, monitor, options)?,
        QueueKind::Disagreements => disagreements(store, verdicts, monitor, options)?,
        QueueKind::Stale => stale(store, verdicts, monitor, options)?,
        QueueKind::Marked => remarked(store, verdicts, monitor, options, verdicts.marks()?)?,
        QueueKind::Noted => remarked(store, verdicts, monitor, options, verdicts.notes()?)?,
        QueueKind::Audit => audited(store, verdicts, options)?,
    };
    Ok(Queue {
        name: options.name(),
        ..queue
    })
}

/// The most samples from which the usual number of candidates is estimated.
const N_LOOKED_AT: usize = 61;

/// Estimates the median number of candidates in a queue from samples at equal distances; 0 where none has any.
pub fn n_candidates_usual(store: &Store, queue: &Queue) -> Result<usize, ReviewError> {
    let step = queue.open.len().div_ceil(N_LOOKED_AT).max(1);
    let keys: Vec<SampleKey> = queue.open.iter().step_by(step).copied().collect();
    let mut counts: Vec<usize> = store.n_candidates(&keys)?.into_iter().flatten().collect();
    counts.sort_unstable();
    Ok(counts.get(counts.len() / 2).copied().unwrap_or_default())
}

/// Opens the queue, and draws an audit that nobody has drawn yet in the annotator's name.
pub fn open_queue(
    store: &Store,
    verdicts: &mut Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
    now_ms: i64,
) -> Result<Queue, ReviewError> {
    if options.kind == QueueKind::Audit {
        let by = VerdictAuthor {
            annotator: &options.annotator,
            now_ms,
        };
        draw(store, verdicts, monitor, &options.audit_options(), by)?;
    }
    queue(store, verdicts, monitor, options)
}

/// The verdicts on samples, by the annotator who is asked and by the others.
#[derive(Default)]
struct QueueTally {
    mine: FxHashMap<SampleKey, OwnJudgement>,
    n_others: FxHashMap<SampleKey, u32>,
}

/// The annotator's own verdict on a sample.
#[derive(Clone, Copy)]
enum OwnJudgement {
    Judged,
    /// When.
    Skipped(i64),
}

impl QueueTally {
    fn read(verdicts: &Verdicts, monitor: &Monitor, annotator: &str) -> Result<Self, ReviewError> {
        let skip = Judgement::Skip.as_str();
        let mut tally = Self::default();
        verdicts.each_word::<ReviewError>(|word| {
            monitor.step()?;
            match (word.annotator == annotator, word.judgement == skip) {
                (true, true) => {
                    tally
                        .mine
                        .insert(word.key, OwnJudgement::Skipped(word.at_ms));
                }
                (true, false) => {
                    tally.mine.insert(word.key, OwnJudgement::Judged);
                }
                (false, true) => {}
                (false, false) => *tally.n_others.entry(word.key).or_default() += 1,
            }
            Ok(())
        })?;
        // Samples that got a verdict as near duplicates are not asked about again.
        for verdict in verdicts.provisional_of_annotator(annotator)? {
            if is_given(&verdict) {
                tally.mine.insert(verdict.judged.key, OwnJudgement::Judged);
            }
        }
        Ok(tally)
    }
}

/// Puts the skipped samples, each with its time, behind the open ones.
fn append_skipped(open: &mut Vec<SampleKey>, mut skipped: Vec<(i64, SampleKey)>) {
    skipped.sort_unstable();
    skipped.dedup();
    open.extend(skipped.into_iter().map(|skipped| skipped.1));
}

/// Makes the filter of all samples in the index for a queue, judged or not; nothing for a queue of verdicts or draws.
#[must_use]
pub fn filter_of(options: &QueueOptions) -> Option<Filter> {
    let mut filter = options.filter.clone();
    match options.kind {
        QueueKind::Uncertain => filter.terms.push(is_mapped(true)),
        QueueKind::Unmapped => filter.terms.push(match options.status {
            Some(status) => is_status(status),
            None => is_mapped(false),
        }),
        // What the filter sorts by comes within a group.
        QueueKind::Alike => drop(filter.sort.splice(..0, ALIKE)),
        QueueKind::Random | QueueKind::Mined => {}
        QueueKind::Disagreements
        | QueueKind::Stale
        | QueueKind::Marked
        | QueueKind::Noted
        | QueueKind::Audit => return None,
    }
    Some(filter)
}

fn from_index(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, ReviewError> {
    let tally = QueueTally::read(verdicts, monitor, &options.annotator)?;
    let mut queue = Queue::default();
    let mut skipped = Vec::new();
    let mut lets_through = |key: SampleKey| match tally.mine.get(&key) {
        Some(OwnJudgement::Judged) => {
            queue.n_mine += 1;
            false
        }
        _ if tally.n_others.get(&key).copied().unwrap_or_default() >= options.overlap.of(&key) => {
            false
        }
        Some(OwnJudgement::Skipped(at_ms)) => {
            skipped.push((*at_ms, key));
            false
        }
        None => true,
    };
    let filter = filter_of(options).unwrap_or_else(|| options.filter.clone());
    // Room for all costs nothing until it is filled; growing step by step would cost the list once more.
    let n_most = usize::try_from(store.count(&Filter::default())?).unwrap_or_default();
    let mut open = Vec::new();
    match options.kind {
        QueueKind::Uncertain => {
            open.reserve_exact(n_most);
            // The margin, and below it the place in the list, which parts equals.
            let mut order: Vec<u64> = Vec::with_capacity(n_most);
            store.each_key::<ReviewError>(&filter, |key, margin| {
                monitor.step()?;
                if lets_through(key) {
                    // Bits of floats that are not negative are in the order of the floats.
                    let margin = (margin.clamp(0.0, 1.0) as f32).to_bits();
                    order.push(u64::from(margin) << 32 | open.len() as u64);
                    open.push(key);
                }
                Ok(())
            })?;
            order.sort_unstable();
            arrange(&mut open, order);
        }
        // A list that is sorted by the index is kept there as ids; the default order needs no list.
        QueueKind::Mined | QueueKind::Alike | QueueKind::Unmapped if !filter.sort.is_empty() => {
            for key in store.keys(&filter)? {
                monitor.step()?;
                if lets_through(key) {
                    open.push(key);
                }
            }
        }
        kind => {
            open.reserve_exact(n_most);
            store.each_key::<ReviewError>(&filter, |key, _| {
                monitor.step()?;
                if lets_through(key) {
                    open.push(key);
                }
                Ok(())
            })?;
            if kind == QueueKind::Random {
                shuffle(&mut open, options.seed);
                // Equals lie side by side.
                open.dedup();
            }
        }
    }
    if options.kind != QueueKind::Random {
        drop_repeats(&mut open);
    }
    append_skipped(&mut open, skipped);
    queue.open = open;
    Ok(queue)
}

/// Keeps the first of equal keys: a file that declares a method twice has two tests of one key.
fn drop_repeats(keys: &mut Vec<SampleKey>) {
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    // Nearly never; a set of a million keys would be large.
    if sorted.windows(2).any(|window| window[0] == window[1]) {
        let mut seen = FxHashSet::default();
        keys.retain(|sample_key| seen.insert(*sample_key));
    }
}

/// Puts at each place the key that stands where the low half of `order` says: in place, for a second list would be as
/// large as the first.
fn arrange(keys: &mut [SampleKey], mut order: Vec<u64>) {
    for start in 0..keys.len() {
        let first = keys[start];
        let mut at = start;
        loop {
            let from = (order[at] & u64::from(u32::MAX)) as usize;
            // Has its key: the cycles that begin further on leave it alone.
            order[at] = at as u64;
            if from == start {
                keys[at] = first;
                break;
            }
            keys[at] = keys[from];
            at = from;
        }
    }
}

/// The order that brings together tests that are judged alike; those without focal method come last, by their class
/// alone.
const ALIKE: [SortKey; 3] = [
    by(SampleSort::Repo, Direction::Ascending),
    by(SampleSort::Focal, Direction::Descending),
    by(SampleSort::Class, Direction::Ascending),
];

const fn by(field: SampleSort, direction: Direction) -> SortKey {
    SortKey {
        field: SortField::Sample(field),
        direction,
    }
}

fn is_mapped(is_mapped: bool) -> Term {
    // Only mapped tests have a weight.
    let has_weight = OfSample::Weight(Range::AtLeast(0.0));
    if is_mapped {
        has_weight.into()
    } else {
        Term::not(has_weight)
    }
}

fn is_status(status: Status) -> Term {
    OfSample::Status(status).into()
}

/// Puts keys into an order that follows from them and the seed alone. Keys are hashes already: one half, mixed with the
/// seed, is random enough to be looked at in turn, and costs no memory beside the keys.
fn shuffle(keys: &mut [SampleKey], seed: u64) {
    let seed = mix(seed);
    keys.sort_unstable_by_key(|key| (mix(halves(key).0 ^ seed), *key));
}

fn halves(key: &SampleKey) -> (u64, u64) {
    let number = u128::from_le_bytes(key.0);
    (number as u64, (number >> 64) as u64)
}

/// The finalizer of `SplitMix64` (Steele, Lea and Flood 2014, with Stafford's thirteenth constants): a bijection.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Drops the samples that the index does not have, or that the filter does not let through.
fn keep_known(
    store: &Store,
    monitor: &Monitor,
    filter: &Filter,
    keys: &mut Vec<(i64, SampleKey)>,
) -> Result<(), ReviewError> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut known = FxHashSet::default();
    if filter.is_everything() {
        let asked: Vec<SampleKey> = keys.iter().map(|key| key.1).collect();
        let states = store.states(&asked)?;
        known.extend(
            asked
                .iter()
                .zip(states)
                .filter_map(|(key, sample_state)| sample_state.map(|_| *key)),
        );
    } else {
        let asked: FxHashSet<SampleKey> = keys.iter().map(|key| key.1).collect();
        store.each_key::<ReviewError>(filter, |key, _| {
            monitor.step()?;
            if asked.contains(&key) {
                known.insert(key);
            }
            Ok(())
        })?;
    }
    keys.retain(|key| known.contains(&key.1));
    Ok(())
}

/// Sorts the keys, those with the latest time first.
fn latest_first(mut keys: Vec<(i64, SampleKey)>) -> impl Iterator<Item = SampleKey> {
    keys.sort_unstable_by_key(|(at_ms, key)| (std::cmp::Reverse(*at_ms), *key));
    keys.into_iter().map(|key| key.1)
}

fn disagreements(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, ReviewError> {
    let adjudications = verdicts.adjudications()?;
    let adjudicated: FxHashSet<SampleKey> = adjudications
        .iter()
        .map(|adjudication| adjudication.judged.key)
        .collect();
    let (mut unseen, mut again, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut settled = Vec::new();
    // By sample.
    for said in verdicts
        .all()?
        .chunk_by(|a, b| a.judged.key == b.judged.key)
    {
        monitor.step()?;
        let key = said[0].judged.key;
        let mut answers = said.iter().filter_map(|verdict| verdict.judged.answer());
        let first = answers.next();
        if adjudicated.contains(&key) || answers.all(|answer| Some(answer) == first) {
            continue;
        }
        let at_ms = said
            .iter()
            .map(|verdict| verdict.at_ms)
            .max()
            .unwrap_or_default();
        match said
            .iter()
            .find(|verdict| verdict.annotator == options.annotator)
        {
            None => unseen.push((at_ms, key)),
            Some(mine) if mine.judged.judgement == Judgement::Skip => {
                skipped.push((mine.at_ms, key));
            }
            // A second look was taken: nobody is asked for a third one.
            Some(mine) if is_from(mine, QueueKind::Disagreements) => settled.push((at_ms, key)),
            Some(mine) if mine.judged.answer().is_some() => again.push((at_ms, key)),
            Some(_) => settled.push((at_ms, key)),
        }
    }
    for keys in [&mut unseen, &mut again, &mut skipped, &mut settled] {
        keep_known(store, monitor, &options.filter, keys)?;
    }
    let mut open: Vec<SampleKey> = latest_first(unseen).chain(latest_first(again)).collect();
    append_skipped(&mut open, skipped);
    Ok(Queue {
        open,
        n_mine: settled.len() as u64,
        ..Queue::default()
    })
}

/// Tells whether a verdict was given in a queue of this kind.
fn is_from(verdict: &Verdict, kind: QueueKind) -> bool {
    let queue = verdict.judged.queue.as_deref().unwrap_or_default();
    queue.split([' ', ':']).next() == Some(kind.as_str())
}

fn stale(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, ReviewError> {
    let mut mine = verdicts.of_annotator(&options.annotator)?;
    // A sample skipped elsewhere was not judged; one skipped here was, and stays to be looked at.
    mine.retain(|verdict| {
        verdict.judged.judgement != Judgement::Skip || is_from(verdict, QueueKind::Stale)
    });
    let (mut keys, mut skipped) = (Vec::new(), Vec::new());
    for standing in standings(store, mine)? {
        let verdict = standing.verdict;
        let at = (verdict.at_ms, verdict.judged.key);
        match standing.stale {
            Some(Staleness::Gone) => {}
            _ if verdict.judged.judgement == Judgement::Skip => skipped.push(at),
            Some(Staleness::Changed | Staleness::OtherFocal) => keys.push(at),
            None => {}
        }
    }
    if !options.filter.is_everything() {
        for keys in [&mut keys, &mut skipped] {
            keep_known(store, monitor, &options.filter, keys)?;
        }
    }
    let mut open: Vec<SampleKey> = latest_first(keys).collect();
    append_skipped(&mut open, skipped);
    Ok(Queue {
        open,
        ..Queue::default()
    })
}

/// Builds the queue of samples with a remark, without those that the annotator has judged in such a queue since.
fn remarked(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
    remarks: Vec<Remark>,
) -> Result<Queue, ReviewError> {
    let mut latest: BTreeMap<SampleKey, i64> = BTreeMap::new();
    for remark in remarks {
        let at_ms = latest.entry(remark.key).or_insert(remark.at_ms);
        *at_ms = remark.at_ms.max(*at_ms);
    }
    let mine = verdicts.of_annotator(&options.annotator)?;
    let mine: FxHashMap<SampleKey, &Verdict> = mine
        .iter()
        .map(|verdict| (verdict.judged.key, verdict))
        .collect();
    let (mut open, mut skipped, mut settled) = (Vec::new(), Vec::new(), Vec::new());
    for (key, at_ms) in latest {
        match mine.get(&key) {
            Some(verdict) if verdict.at_ms > at_ms && is_from(verdict, options.kind) => {
                if verdict.judged.judgement == Judgement::Skip {
                    skipped.push((verdict.at_ms, key));
                } else {
                    settled.push((at_ms, key));
                }
            }
            _ => open.push((at_ms, key)),
        }
    }
    for keys in [&mut open, &mut skipped, &mut settled] {
        keep_known(store, monitor, &options.filter, keys)?;
    }
    let mut open: Vec<SampleKey> = latest_first(open).collect();
    append_skipped(&mut open, skipped);
    Ok(Queue {
        open,
        n_mine: settled.len() as u64,
        ..Queue::default()
    })
}

fn audited(
    store: &Store,
    verdicts: &Verdicts,
    options: &QueueOptions,
) -> Result<Queue, ReviewError> {
    let audit = options.audit_options().name();
    let Some(draw) = verdicts.draw(&audit)? else {
        return Err(ReviewError::NotDrawn { audit });
    };
    let mine = verdicts.of_annotator(&options.annotator)?;
    let mine: FxHashMap<SampleKey, &Verdict> = mine
        .iter()
        .map(|verdict| (verdict.judged.key, verdict))
        .collect();
    let keys: Vec<SampleKey> = draw.samples.iter().map(|sample| sample.key).collect();
    let mut queue = Queue::default();
    let mut skipped = Vec::new();
    for (key, state) in keys.iter().zip(store.states(&keys)?) {
        match mine.get(key) {
            Some(verdict) if verdict.judged.judgement != Judgement::Skip => queue.n_mine += 1,
            _ if state.is_none() => queue.n_gone += 1,
            Some(verdict) => skipped.push((verdict.at_ms, *key)),
            None => queue.open.push(*key),
        }
    }
    append_skipped(&mut queue.open, skipped);
    Ok(queue)
}

#[cfg(test)]
mod tests;
