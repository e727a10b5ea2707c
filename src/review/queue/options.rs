//! The kinds of queues, how they are written, and the options of a review: words only, no verdict is read.

use super::{halves, mix};
use crate::audit::{AuditOptions, Stratify};
use crate::model::{Filter, SampleKey, Status};

/// The source and the order of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueKind {
    /// Mapped tests, those first whose best candidate outweighs the second least; equals as in the index.
    #[default]
    Uncertain,
    /// All tests, in an order that follows from the seed and their keys.
    Random,
    /// All tests as the index has them, or as the filter sorts them.
    Mined,
    /// All tests, grouped by focal method, else by class.
    Alike,
    /// Tests without focal method, as the index has them, or as the filter sorts them.
    Unmapped,
    /// Samples on which annotators differ and that nobody has adjudicated: first those that this annotator has not
    /// judged, then, once, those on which this annotator differs with others. The latest verdict comes first.
    Disagreements,
    /// Samples that have changed since this annotator judged them; the latest verdict comes first.
    Stale,
    /// The samples with a mark, judged or not: the latest mark first, until this annotator judges it here.
    Marked,
    /// The same for samples with a note.
    Noted,
    /// The samples of a draw, in its order.
    Audit,
}

impl QueueKind {
    /// Every kind, in the order of help.
    pub const ALL: &[Self] = &[
        Self::Uncertain,
        Self::Random,
        Self::Mined,
        Self::Alike,
        Self::Unmapped,
        Self::Disagreements,
        Self::Stale,
        Self::Marked,
        Self::Noted,
        Self::Audit,
    ];

    /// Tells whether others' verdicts shorten the queue: audits, disagreements and stale samples are everybody's own.
    #[must_use]
    pub const fn is_shortened(self) -> bool {
        matches!(
            self,
            Self::Uncertain | Self::Random | Self::Mined | Self::Alike | Self::Unmapped
        )
    }

    /// Returns the word that a queue begins with.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Uncertain => "uncertain",
            Self::Random => "random",
            Self::Mined => "mined",
            Self::Alike => "alike",
            Self::Unmapped => "unmapped",
            Self::Disagreements => "disagreements",
            Self::Stale => "stale",
            Self::Marked => "marked",
            Self::Noted => "noted",
            Self::Audit => "audit",
        }
    }

    /// Returns how it is typed, with a placeholder for what may follow the word.
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
            Self::Uncertain => "mapped tests, the least certain first",
            Self::Random => "all tests, shuffled; equal seeds give equal orders",
            Self::Mined => "all tests, in the order of their repositories",
            Self::Alike => "all tests, grouped by focal method or class",
            Self::Unmapped => "tests without a focal method, or only those with this status",
            Self::Disagreements => "samples on which annotators differ, not adjudicated yet",
            Self::Stale => "samples that have changed since you judged them",
            Self::Marked => "samples that are marked for discussion",
            Self::Noted => "samples with a note by anybody",
            Self::Audit => "a fixed sample that says how good the matcher is",
        }
    }

    /// Says what may follow the word and a colon.
    const fn takes(self) -> &'static str {
        match self {
            Self::Random => "a number, the seed",
            Self::Unmapped => "no_candidate, below, tie, no_source or abstained",
            Self::Audit => "n=N, seed=SEED, stratify=repo or stage, with commas between",
            Self::Uncertain
            | Self::Mined
            | Self::Alike
            | Self::Disagreements
            | Self::Stale
            | Self::Marked
            | Self::Noted => "nothing",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|queue_kind| queue_kind.as_str() == word)
    }
}

/// The number of annotators who are asked about a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The number of annotators, 1 or more.
    pub n: u32,
    /// The share of samples, 0..=1, that `n` annotators are asked about, chosen by their keys; one is asked about the
    /// others.
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

    /// Returns how many annotators are asked about a sample.
    #[must_use]
    pub fn of(&self, key: &SampleKey) -> u32 {
        let (_, high) = halves(key);
        // 53 bits: what a float can tell apart, from 0 to just below 1.
        let place = (mix(high) >> 11) as f64 / (1_u64 << 53) as f64;
        if place < self.share { self.n } else { 1 }
    }
}

/// The options of a queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueOptions {
    pub kind: QueueKind,
    /// For a random order.
    pub seed: u64,
    /// For `unmapped`: only tests of this status.
    pub status: Option<Status>,
    pub filter: Filter,
    /// The filter as it is written, in canonical form.
    pub filter_text: String,
    /// The annotator who is asked.
    pub annotator: String,
    pub overlap: Overlap,
    /// For `audit`; its own filter counts.
    pub audit: Option<AuditOptions>,
}

impl QueueOptions {
    /// Writes the name for verdicts, which [`split`] reads again: `uncertain repo:gson`.
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
            QueueKind::Uncertain
            | QueueKind::Mined
            | QueueKind::Alike
            | QueueKind::Disagreements
            | QueueKind::Stale
            | QueueKind::Marked
            | QueueKind::Noted => {}
        }
        if !self.filter_text.is_empty() {
            name += &format!(" {}", self.filter_text);
        }
        name
    }

    /// Makes the options of the audit.
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

/// The default number of samples that an audit draws.
const AUDIT_N: u32 = 100;

/// A queue as it is written, its filter not yet read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenQueue {
    pub kind: QueueKind,
    pub seed: u64,
    pub status: Option<Status>,
    /// Of `audit`.
    pub n: u32,
    pub stratify: Stratify,
    /// The text of the filter, in the language of `browse`.
    pub filter: String,
}

impl WrittenQueue {
    /// Makes the options once the filter is read; `filter_text` is its canonical form.
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

/// The options of a review, which both faces are opened with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewOptions {
    /// The queue as [`split`] reads it.
    pub queue: String,
    pub annotator: String,
    /// Whether the name was given, by `--as` or in the settings; else it is the system's name for the user.
    pub is_named: bool,
    pub overlap: Overlap,
    /// Whether the machine's decision is hidden.
    pub is_blind: bool,
    /// The version of the guideline that is in force.
    pub guideline: Option<String>,
}

/// Why a text names no queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// A slip; as a filter it would let nothing through, and look as if all were done.
    #[error("no queue is called `{word}` (did you mean `{near}`?); `name:{word}` is a filter")]
    Unknown { word: String, near: String },
    #[error("`{}` takes nothing after a colon", kind.as_str())]
    NoArgument { kind: QueueKind },
    #[error("`{}:{argument}` means nothing; after the colon: {}", kind.as_str(), kind.takes())]
    Argument { kind: QueueKind, argument: String },
}

/// Splits a text such as `random:7 repo:gson`, `unmapped:tie` or `audit:n=100,seed=7,stratify=repo status:ok` into
/// kind, what follows it, and the text of the filter. What begins with no kind's word is the filter of `uncertain`.
///
/// # Errors
/// When what follows the colon means nothing there.
pub fn split(text: &str) -> Result<WrittenQueue, QueueError> {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (word, argument) = match first.split_once(':') {
        Some((word, argument)) => (word, Some(argument)),
        None => (first, None),
    };
    let mut asked = WrittenQueue {
        n: AUDIT_N,
        filter: rest.trim().to_owned(),
        ..WrittenQueue::default()
    };
    let Some(kind) = QueueKind::parse(word) else {
        let names = QueueKind::ALL.iter().map(|queue_kind| queue_kind.as_str());
        let slips = names.filter_map(|name| Some((n_slips(word, name)?, name)));
        let nearest = slips.min_by_key(|(n_slips, _)| *n_slips);
        if let (Some((_, near)), None) = (nearest, argument) {
            return Err(QueueError::Unknown {
                word: word.to_owned(),
                near: near.to_owned(),
            });
        }
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
            asked.status =
                Status::parse(&argument.replace('-', "_")).filter(|status| !status.is_mapped());
            asked.status.is_some()
        }
        QueueKind::Audit => argument.split(',').all(|part| asked.set(part).is_some()),
        QueueKind::Uncertain
        | QueueKind::Mined
        | QueueKind::Alike
        | QueueKind::Disagreements
        | QueueKind::Stale
        | QueueKind::Marked
        | QueueKind::Noted => return Err(QueueError::NoArgument { kind }),
    };
    if is_understood {
        Ok(asked)
    } else {
        let argument = argument.to_owned();
        Err(QueueError::Argument { kind, argument })
    }
}

/// From this number of letters on, two slips still leave a name that nobody takes for another word.
const LONG: usize = 8;

/// Counts the slips that make this word of a name; nothing where it is rather a word of its own.
///
/// A slip is a letter that is left out, put in or another one, or two neighbours that changed places (the optimal
/// string alignment distance of Damerau 1964). One may be left out more than that: people begin names and do not end
/// them.
fn n_slips(word: &str, name: &str) -> Option<usize> {
    let n_slips = strsim::osa_distance(word, name);
    let n_missing = name.len().saturating_sub(word.len());
    let mut letters = name.chars();
    let is_shortened = n_missing <= 2 && word.chars().all(|letter| letters.any(|c| c == letter));
    let n_most = if name.len() >= LONG || is_shortened {
        2
    } else {
        1
    };
    (n_slips <= n_most).then_some(n_slips)
}

impl WrittenQueue {
    /// Takes a `name=value` of an audit; nothing when it means nothing.
    fn set(&mut self, part: &str) -> Option<()> {
        let (name, value) = part.split_once('=')?;
        match name {
            "n" => self.n = value.parse().ok().filter(|n| (1..=1_000_000).contains(n))?,
            "seed" => self.seed = value.parse().ok()?,
            "stratify" => {
                let mut all = Stratify::ALL.iter().copied();
                self.stratify = all.find(|stratify| stratify.as_str() == value)?;
            }
            _ => return None,
        }
        Some(())
    }
}
