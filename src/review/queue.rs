//! Queues: which samples an annotator is asked about, in which order.
//!
//! Decides what is left out because somebody has said enough, and what comes first. Keeps keys alone, so that a queue
//! over a million samples fits beside a terminal UI. Does not know which sample is on the screen: that is
//! [`Session`](super::Session).

use rustc_hash::{FxHashMap, FxHashSet};

use super::audit::{AuditOptions, Stratify, draw};
use super::{By, Error, Staleness, standings};
use crate::model::{Comparison, Filter, Judgement, SampleKey, Status, Term, Verdict};
use crate::store::{Store, Verdicts};
use crate::task::Monitor;

/// What a queue is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueKind {
    /// Mapped tests, those first whose best candidate outweighs the second least; equals as in the index.
    #[default]
    Uncertain,
    /// All tests, in an order that follows from the seed and their keys.
    Random,
    /// All tests as the index has them, or as the filter sorts them.
    Mined,
    /// Tests without focal method, as the index has them, or as the filter sorts them.
    Unmapped,
    /// What annotators differ on and nobody has adjudicated: first what this annotator has said nothing of, then, once,
    /// what the annotator is one of those who differ on. The latest verdict comes first.
    Disagreements,
    /// What this annotator has judged and is something else now; the latest verdict comes first.
    Stale,
    /// The samples of a draw, in its order.
    Audit,
}

impl QueueKind {
    /// Every kind, in the order of help.
    pub const ALL: &[Self] = &[
        Self::Uncertain,
        Self::Random,
        Self::Mined,
        Self::Unmapped,
        Self::Disagreements,
        Self::Stale,
        Self::Audit,
    ];

    /// Returns the word that a queue begins with.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Uncertain => "uncertain",
            Self::Random => "random",
            Self::Mined => "mined",
            Self::Unmapped => "unmapped",
            Self::Disagreements => "disagreements",
            Self::Stale => "stale",
            Self::Audit => "audit",
        }
    }

    /// Returns how it is written, with what may follow the word.
    #[must_use]
    pub const fn usage(self) -> &'static str {
        match self {
            Self::Random => "random:SEED",
            Self::Unmapped => "unmapped:STATUS",
            Self::Audit => "audit:n=N,seed=SEED,stratify=repo",
            other => other.as_str(),
        }
    }

    /// Returns one line for people, a lower-case fragment.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Uncertain => "mapped tests, the least sure ones first",
            Self::Random => "all tests, shuffled; equal seeds give equal orders",
            Self::Mined => "all tests, as they lie in their repositories",
            Self::Unmapped => "tests without focal method, or those of one status",
            Self::Disagreements => "what annotators differ on and nobody has adjudicated",
            Self::Stale => "what you have judged and has changed since",
            Self::Audit => "a fixed sample that says how good the matcher is",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == word)
    }
}

/// How many annotators are asked about a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// So many, 1 or more.
    pub n: u32,
    /// The share of samples, 0..=1, that so many are asked about, chosen by their keys; one is asked about the others.
    pub share: f64,
}

impl Default for Overlap {
    fn default() -> Self {
        Self { n: 1, share: 1.0 }
    }
}

impl Overlap {
    /// Reads `2`: everything by two; or `0.2`: a fifth by two. Nothing for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(n) = text.parse::<u32>() {
            return (n > 0).then_some(Self { n, share: 1.0 });
        }
        let share: f64 = text.parse().ok()?;
        (0.0..=1.0).contains(&share).then_some(Self { n: 2, share })
    }

    /// Returns how many are asked about a sample.
    #[must_use]
    pub fn of(&self, key: &SampleKey) -> u32 {
        let (_, high) = halves(key);
        // 53 bits: what a float can tell apart, from 0 to just below 1.
        let place = (mix(high) >> 11) as f64 / (1_u64 << 53) as f64;
        if place < self.share { self.n } else { 1 }
    }
}

/// Which queue is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueOptions {
    pub kind: QueueKind,
    /// Of a random order.
    pub seed: u64,
    /// Of `unmapped`: only tests of this status.
    pub status: Option<Status>,
    pub filter: Filter,
    /// The filter as it is written, in canonical form.
    pub filter_text: String,
    /// Who is asked.
    pub annotator: String,
    pub overlap: Overlap,
    /// Of `audit`; its own filter counts.
    pub audit: Option<AuditOptions>,
}

impl QueueOptions {
    /// Returns what is written into verdicts, and what [`split`] reads again: `uncertain repo:gson`.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = self.kind.as_str().to_owned();
        match self.kind {
            QueueKind::Random => name += &format!(":{}", self.seed),
            QueueKind::Unmapped => {
                if let Some(status) = self.status {
                    name += &format!(":{}", status.as_str());
                }
            }
            QueueKind::Audit => {
                let audit = self.audit_options();
                name += &format!(":n={},seed={}", audit.n, audit.seed);
                if audit.stratify != Stratify::None {
                    name += &format!(",stratify={}", audit.stratify.as_str());
                }
            }
            _ => {}
        }
        if !self.filter_text.is_empty() {
            name += &format!(" {}", self.filter_text);
        }
        name
    }

    /// Returns which audit is meant.
    #[must_use]
    pub fn audit_options(&self) -> AuditOptions {
        self.audit.clone().unwrap_or_else(|| AuditOptions {
            n: AUDIT_N,
            seed: self.seed,
            stratify: Stratify::None,
            filter: self.filter.clone(),
            filter_text: self.filter_text.clone(),
        })
    }
}

/// How many samples an audit draws where nobody says.
const AUDIT_N: u32 = 100;

/// A queue as it is written, its filter not yet read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub kind: QueueKind,
    pub seed: u64,
    pub status: Option<Status>,
    /// Of `audit`.
    pub n: u32,
    pub stratify: Stratify,
    /// The text of the filter, in the language of `browse`.
    pub filter: String,
}

impl Asked {
    /// Returns the options once the filter is read; `filter_text` is its canonical form.
    #[must_use]
    pub fn options(
        self,
        filter: Filter,
        filter_text: String,
        annotator: &str,
        overlap: Overlap,
    ) -> QueueOptions {
        let audit = (self.kind == QueueKind::Audit).then(|| AuditOptions {
            n: self.n,
            seed: self.seed,
            stratify: self.stratify,
            filter: filter.clone(),
            filter_text: filter_text.clone(),
        });
        QueueOptions {
            kind: self.kind,
            seed: self.seed,
            status: self.status,
            filter,
            filter_text,
            annotator: annotator.to_owned(),
            overlap,
            audit,
        }
    }
}

/// How somebody wants to review: what both faces are opened with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reviewing {
    /// The queue as [`split`] reads it.
    pub queue: String,
    pub annotator: String,
    pub overlap: Overlap,
    /// Whether the machine's decision is hidden.
    pub is_blind: bool,
    /// The version of the guideline that is in force.
    pub guideline: Option<String>,
}

/// Why a text names no queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    #[error("`{}` takes nothing after a colon", kind.as_str())]
    NoArgument { kind: QueueKind },
    #[error("`{}:{argument}` means nothing", kind.as_str())]
    Argument { kind: QueueKind, argument: String },
}

/// Parts a text such as `random:7 repo:gson`, `unmapped:tie` or `audit:n=100,seed=7,stratify=repo status:ok` into kind,
/// what follows it, and the text of the filter. What begins with no kind's word is the filter of `uncertain`.
///
/// # Errors
/// When what follows the colon means nothing there.
pub fn split(text: &str) -> Result<Asked, QueueError> {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (word, argument) = match first.split_once(':') {
        Some((word, argument)) => (word, Some(argument)),
        None => (first, None),
    };
    let mut asked = Asked {
        n: AUDIT_N,
        filter: rest.trim().to_owned(),
        ..Asked::default()
    };
    let Some(kind) = QueueKind::parse(word) else {
        asked.filter = text.into();
        return Ok(asked);
    };
    asked.kind = kind;
    let Some(argument) = argument else {
        return Ok(asked);
    };
    let is_understood = match kind {
        QueueKind::Random => argument.parse().map(|seed| asked.seed = seed).is_ok(),
        QueueKind::Unmapped => {
            asked.status = Status::parse(&argument.replace('-', "_")).filter(|it| !it.is_mapped());
            asked.status.is_some()
        }
        QueueKind::Audit => argument.split(',').all(|part| asked.set(part).is_some()),
        _ => return Err(QueueError::NoArgument { kind }),
    };
    if is_understood {
        Ok(asked)
    } else {
        let argument = argument.to_owned();
        Err(QueueError::Argument { kind, argument })
    }
}

impl Asked {
    /// Takes a `name=value` of an audit; nothing when it means nothing.
    fn set(&mut self, part: &str) -> Option<()> {
        let (name, value) = part.split_once('=')?;
        match name {
            "n" => self.n = value.parse().ok().filter(|n| (1..=1_000_000).contains(n))?,
            "seed" => self.seed = value.parse().ok()?,
            "stratify" => {
                let mut all = Stratify::ALL.iter().copied();
                self.stratify = all.find(|it| it.as_str() == value)?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// The samples that an annotator is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    /// What is left to be judged, in order; what the annotator skipped comes last, the longest skipped first.
    pub open: Vec<SampleKey>,
    /// Samples of this queue that the annotator has judged: none of `stale`, which is about those alone.
    pub n_mine: u64,
    /// Samples of an audit that the index does not have any more.
    pub n_gone: u64,
}

/// Returns the queue as the verdicts are now. Nobody else's verdicts shorten an audit, a disagreement or what is stale.
///
/// # Errors
/// [`Error::NotDrawn`] for an audit that nobody has drawn yet: see [`open_queue`].
pub fn queue(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, Error> {
    monitor.step()?;
    let queue = match options.kind {
        QueueKind::Uncertain | QueueKind::Random | QueueKind::Mined | QueueKind::Unmapped => {
            from_index(store, verdicts, monitor, options)?
        }
        QueueKind::Disagreements => disagreements(store, verdicts, monitor, options)?,
        QueueKind::Stale => stale(store, verdicts, monitor, options)?,
        QueueKind::Audit => audited(store, verdicts, options)?,
    };
    Ok(Queue {
        name: options.name(),
        ..queue
    })
}

/// Returns the queue, and draws an audit that nobody has drawn yet in the annotator's name.
pub fn open_queue(
    store: &Store,
    verdicts: &mut Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
    now_ms: i64,
) -> Result<Queue, Error> {
    if options.kind == QueueKind::Audit {
        let by = By {
            annotator: &options.annotator,
            now_ms,
        };
        draw(store, verdicts, monitor, &options.audit_options(), by)?;
    }
    queue(store, verdicts, monitor, options)
}

/// What has been said of samples, by the annotator who is asked and by the others.
#[derive(Default)]
struct Tally {
    mine: FxHashMap<SampleKey, Mine>,
    n_others: FxHashMap<SampleKey, u32>,
}

/// What the annotator has said of a sample.
#[derive(Clone, Copy)]
enum Mine {
    Judged,
    /// When.
    Skipped(i64),
}

impl Tally {
    fn read(verdicts: &Verdicts, monitor: &Monitor, annotator: &str) -> Result<Self, Error> {
        let skip = Judgement::Skip.as_str();
        let mut tally = Self::default();
        verdicts.each_word::<Error>(|word| {
            monitor.step()?;
            match (word.annotator == annotator, word.judgement == skip) {
                (true, true) => {
                    tally.mine.insert(word.key, Mine::Skipped(word.at_ms));
                }
                (true, false) => {
                    tally.mine.insert(word.key, Mine::Judged);
                }
                (false, true) => {}
                (false, false) => *tally.n_others.entry(word.key).or_default() += 1,
            }
            Ok(())
        })?;
        Ok(tally)
    }
}

/// Puts the skipped samples, each with its time, behind what is open.
fn append_skipped(open: &mut Vec<SampleKey>, mut skipped: Vec<(i64, SampleKey)>) {
    skipped.sort_unstable();
    skipped.dedup();
    open.extend(skipped.into_iter().map(|it| it.1));
}

fn from_index(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, Error> {
    let tally = Tally::read(verdicts, monitor, &options.annotator)?;
    let mut queue = Queue::default();
    let mut skipped = Vec::new();
    let mut lets_through = |key: SampleKey| match tally.mine.get(&key) {
        Some(Mine::Judged) => {
            queue.n_mine += 1;
            false
        }
        _ if tally.n_others.get(&key).copied().unwrap_or_default() >= options.overlap.of(&key) => {
            false
        }
        Some(Mine::Skipped(at_ms)) => {
            skipped.push((*at_ms, key));
            false
        }
        None => true,
    };
    let mut filter = options.filter.clone();
    match options.kind {
        QueueKind::Uncertain => filter.terms.push(is_mapped(true)),
        QueueKind::Unmapped => filter.terms.push(match options.status {
            Some(status) => is_status(status),
            None => is_mapped(false),
        }),
        _ => {}
    }
    let mut open = Vec::new();
    match options.kind {
        QueueKind::Uncertain => {
            // The place in the index parts equals, so that no room for a stable sort is needed.
            let mut places: Vec<(u32, u32, SampleKey)> = Vec::new();
            let mut idx = 0_u32;
            store.each_key::<Error>(&filter, |key, margin| {
                monitor.step()?;
                if lets_through(key) {
                    // Bits of floats that are not negative are in the order of the floats.
                    places.push(((margin.max(0.0) as f32).to_bits(), idx, key));
                }
                idx = idx.saturating_add(1);
                Ok(())
            })?;
            places.sort_unstable();
            open.extend(places.into_iter().map(|it| it.2));
        }
        // A list that is sorted by the index is kept there as ids; the default order needs no list.
        QueueKind::Mined | QueueKind::Unmapped if !filter.sort.is_empty() => {
            for key in store.keys(&filter)? {
                monitor.step()?;
                if lets_through(key) {
                    open.push(key);
                }
            }
        }
        kind => {
            store.each_key::<Error>(&filter, |key, _| {
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
    if sorted.windows(2).any(|it| it[0] == it[1]) {
        let mut seen = FxHashSet::default();
        keys.retain(|it| seen.insert(*it));
    }
}

fn is_mapped(is_mapped: bool) -> Term {
    // Only mapped tests have a weight.
    Term {
        field: "weight",
        comparison: Comparison::GreaterOrEqual,
        value: "0".to_owned(),
        negated: !is_mapped,
    }
}

fn is_status(status: Status) -> Term {
    Term {
        field: "status",
        comparison: Comparison::Is,
        value: status.as_str().to_owned(),
        negated: false,
    }
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
) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut known = FxHashSet::default();
    if filter.terms.is_empty() {
        let asked: Vec<SampleKey> = keys.iter().map(|it| it.1).collect();
        let states = store.states(&asked)?;
        known.extend(
            asked
                .iter()
                .zip(states)
                .filter_map(|(key, it)| it.map(|_| *key)),
        );
    } else {
        let asked: FxHashSet<SampleKey> = keys.iter().map(|it| it.1).collect();
        store.each_key::<Error>(filter, |key, _| {
            monitor.step()?;
            if asked.contains(&key) {
                known.insert(key);
            }
            Ok(())
        })?;
    }
    keys.retain(|it| known.contains(&it.1));
    Ok(())
}

/// Returns the keys, those with the latest time first.
fn latest_first(mut keys: Vec<(i64, SampleKey)>) -> impl Iterator<Item = SampleKey> {
    keys.sort_unstable_by_key(|(at_ms, key)| (std::cmp::Reverse(*at_ms), *key));
    keys.into_iter().map(|it| it.1)
}

fn disagreements(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, Error> {
    let adjudications = verdicts.adjudications()?;
    let adjudicated: FxHashSet<SampleKey> = adjudications.iter().map(|it| it.judged.key).collect();
    let (mut unseen, mut again, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut settled = Vec::new();
    // By sample.
    for said in verdicts
        .all()?
        .chunk_by(|a, b| a.judged.key == b.judged.key)
    {
        monitor.step()?;
        let key = said[0].judged.key;
        let mut answers = said.iter().filter_map(|it| it.judged.answer());
        let first = answers.next();
        if adjudicated.contains(&key) || answers.all(|it| Some(it) == first) {
            continue;
        }
        let at_ms = said.iter().map(|it| it.at_ms).max().unwrap_or_default();
        match said.iter().find(|it| it.annotator == options.annotator) {
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

/// Returns whether a verdict was given in a queue of this kind.
fn is_from(verdict: &Verdict, kind: QueueKind) -> bool {
    let queue = verdict.judged.queue.as_deref().unwrap_or_default();
    queue.split([' ', ':']).next() == Some(kind.as_str())
}

fn stale(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &QueueOptions,
) -> Result<Queue, Error> {
    let mut mine = verdicts.of_annotator(&options.annotator)?;
    // What is skipped elsewhere was not judged; what is skipped here was, and stays to be looked at.
    mine.retain(|it| it.judged.judgement != Judgement::Skip || is_from(it, QueueKind::Stale));
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
    if !options.filter.terms.is_empty() {
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

fn audited(store: &Store, verdicts: &Verdicts, options: &QueueOptions) -> Result<Queue, Error> {
    let audit = options.audit_options().name();
    let Some(draw) = verdicts.draw(&audit)? else {
        return Err(Error::NotDrawn { audit });
    };
    let mine = verdicts.of_annotator(&options.annotator)?;
    let mine: FxHashMap<SampleKey, &Verdict> = mine.iter().map(|it| (it.judged.key, it)).collect();
    let keys: Vec<SampleKey> = draw.samples.iter().map(|it| it.key).collect();
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
