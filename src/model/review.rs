//! Judgements of people about samples: one event for each action, and the judgements that hold after all of them.
//!
//! An event never changes and is never removed: an undo is an event of its own. Its id is a hash of its whole content,
//! so the same event has the same id wherever it was written, and files of events can be joined in any order.

use super::fields::{EventId, Fields};
use super::sample::{ContentHash, SampleKey};
use super::tagged::TaggedPrediction;

/// A person's judgement about a test's focal method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// The machine's decision is right: this focal method, or that there is none.
    Accept,
    /// There is a focal method, and it is not among the candidates.
    NoneOfThese,
    /// The test is not about one method.
    NoFocal,
    /// The focal method is the one with this key, `pkg.C#m(int)`.
    Pick(String),
    /// Looked at, and not decided.
    Unsure,
    /// Left for later.
    Skip,
}

impl Judgement {
    /// The word of every judgement; a pick's does not name the method.
    pub const WORDS: &[&str] = &[
        "accept",
        "none_of_these",
        "no_focal",
        "pick",
        "unsure",
        "skip",
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::NoneOfThese => "none_of_these",
            Self::NoFocal => "no_focal",
            Self::Pick(_) => "pick",
            Self::Unsure => "unsure",
            Self::Skip => "skip",
        }
    }

    /// Makes the judgement that a word means, for `pick` with the method; nothing for other words, and when a method is
    /// missing or too much.
    #[must_use]
    pub fn parse(word: &str, method: Option<String>) -> Option<Self> {
        Some(match (word, method) {
            ("accept", None) => Self::Accept,
            ("none_of_these", None) => Self::NoneOfThese,
            ("no_focal", None) => Self::NoFocal,
            ("pick", Some(method)) => Self::Pick(method),
            ("unsure", None) => Self::Unsure,
            ("skip", None) => Self::Skip,
            _ => return None,
        })
    }
}

/// The answer that a judgement takes for true, whether or not the machine agrees.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FocalAnswer {
    /// The test is about the method with this key.
    Method(String),
    /// It is about a method that is no candidate.
    NoneOfThese,
    /// It is not about one method.
    NoFocal,
}

/// An upper bound on the share of errors in a population, from a random sample of it.
///
/// Shares are counted in millionths, so that the event that holds them has one id on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorBound {
    /// How many were looked at.
    pub n: u32,
    /// How many of these were not accepted.
    pub n_errors: u32,
    /// The greatest share of errors in the population that this leaves possible, in millionths, rounded up.
    pub error_max_ppm: u32,
    /// How sure that is, in millionths.
    pub confidence_ppm: u32,
}

/// How many millionths make one.
const PPM: f64 = 1e6;

impl ErrorBound {
    /// Converts a share, 0..=1, to whole millionths, rounded up.
    #[must_use]
    #[expect(clippy::cast_sign_loss, reason = "it is clamped to what fits")]
    pub fn ppm_up(share: f64) -> u32 {
        (share * PPM).ceil().clamp(0.0, PPM) as u32
    }

    /// Converts a share that was written from whole millionths back to them; nothing when it is not in 0..=1.
    #[must_use]
    #[expect(clippy::cast_sign_loss, reason = "it is in range")]
    pub fn ppm(share: f64) -> Option<u32> {
        (0.0..=1.0)
            .contains(&share)
            .then(|| (share * PPM).round() as u32)
    }

    /// Returns the greatest share of errors that the sample leaves possible, 0..=1.
    #[must_use]
    pub fn error_max(&self) -> f64 {
        f64::from(self.error_max_ppm) / PPM
    }

    /// Returns the probability with which the share is not greater, 0..=1.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        f64::from(self.confidence_ppm) / PPM
    }
}

/// Why a verdict is provisional: the annotator has not looked at the sample, only at others that were chosen with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bulk {
    /// The [`EventKind::Batch`] that it came with, and is undone with.
    pub batch: EventId,
    pub bound: ErrorBound,
}

/// Samples that were accepted at once, without a look at each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The audit whose samples were looked at in place of all.
    pub audit: String,
    /// How many verdicts came with it.
    pub n_accepted: u32,
    pub bound: ErrorBound,
}

/// A judgement with the state of the sample on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedSample {
    pub key: SampleKey,
    /// The hash of the sample at that time.
    pub content_hash: ContentHash,
    /// The key of the focal method that the machine had decided on; absent for an unmapped test.
    pub focal: Option<String>,
    pub judgement: Judgement,
    /// How long the sample was shown before the key; absent where it was not measured.
    pub dwell_ms: Option<u32>,
    /// The version of the guideline that was in force.
    pub guideline: Option<String>,
    pub note: Option<String>,
    /// The queue that the sample came from.
    pub queue: Option<String>,
    /// The batch of a provisional verdict; absent where the annotator looked at the sample.
    pub bulk: Option<Bulk>,
}

impl JudgedSample {
    /// Returns the answer that the judgement takes for true; nothing when it decides nothing (unsure, skip).
    #[must_use]
    pub fn answer(&self) -> Option<FocalAnswer> {
        match &self.judgement {
            Judgement::Accept => Some(
                self.focal
                    .clone()
                    .map_or(FocalAnswer::NoFocal, FocalAnswer::Method),
            ),
            Judgement::Pick(method) => Some(FocalAnswer::Method(method.clone())),
            Judgement::NoneOfThese => Some(FocalAnswer::NoneOfThese),
            Judgement::NoFocal => Some(FocalAnswer::NoFocal),
            Judgement::Unsure | Judgement::Skip => None,
        }
    }

    /// Tells whether the judgement agrees with the machine's decision; nothing when it decides nothing.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        let machine = match &self.focal {
            Some(focal) => FocalAnswer::Method(focal.clone()),
            None => FocalAnswer::NoFocal,
        };
        self.answer().map(|focal_answer| focal_answer == machine)
    }
}

/// A sample of a [`Draw`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnSample {
    pub key: SampleKey,
    /// The part of the population that it stands for; empty when there are no parts.
    pub stratum: String,
}

/// The samples of an audit, frozen when they are first drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Everything that was asked for, in one canonical form; draws of one name are the same audit.
    pub audit: String,
    /// In the order in which they are judged.
    pub samples: Vec<DrawnSample>,
}

/// An annotator's action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Judged(JudgedSample),
    /// An empty note takes the former one away.
    Noted {
        key: SampleKey,
        note: String,
    },
    Marked {
        key: SampleKey,
    },
    Unmarked {
        key: SampleKey,
    },
    /// Undoes an event of the same annotator, and with a batch all of its verdicts; other annotators' events stay.
    Undone {
        event: EventId,
    },
    /// Reverts an undo.
    Redone {
        event: EventId,
    },
    /// Decides where annotators differ.
    Adjudicated {
        judged: JudgedSample,
        reason: String,
    },
    Drawn(Draw),
    /// Accepts many samples at once; each has a judgement of its own besides, which names this event.
    Batch(Batch),
    /// Tags the differences of a prediction.
    Tagged(TaggedPrediction),
    /// Marks a mutant as equivalent to the original; the sample is the one beside which that was seen, the mutant is
    /// the same beside any other.
    Equivalent {
        key: SampleKey,
        mutant: ContentHash,
    },
    /// Reverts that.
    NotEquivalent {
        key: SampleKey,
        mutant: ContentHash,
    },
}

impl EventKind {
    /// The word of every kind.
    pub const WORDS: &[&str] = &[
        "judged",
        "noted",
        "marked",
        "unmarked",
        "undone",
        "redone",
        "adjudicated",
        "drawn",
        "batch",
        "tagged",
        "equivalent",
        "not_equivalent",
    ];

    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Judged(_) => "judged",
            Self::Noted { .. } => "noted",
            Self::Marked { .. } => "marked",
            Self::Unmarked { .. } => "unmarked",
            Self::Undone { .. } => "undone",
            Self::Redone { .. } => "redone",
            Self::Adjudicated { .. } => "adjudicated",
            Self::Drawn(_) => "drawn",
            Self::Batch(_) => "batch",
            Self::Tagged(_) => "tagged",
            Self::Equivalent { .. } => "equivalent",
            Self::NotEquivalent { .. } => "not_equivalent",
        }
    }

    /// Returns the sample that it is about, if it is about one.
    #[must_use]
    pub const fn key(&self) -> Option<SampleKey> {
        match self {
            Self::Judged(judged) | Self::Adjudicated { judged, .. } => Some(judged.key),
            Self::Noted { key, .. }
            | Self::Marked { key }
            | Self::Unmarked { key }
            | Self::Equivalent { key, .. }
            | Self::NotEquivalent { key, .. } => Some(*key),
            Self::Tagged(tagged) => Some(tagged.key),
            Self::Undone { .. } | Self::Redone { .. } | Self::Drawn(_) | Self::Batch(_) => None,
        }
    }

    /// Returns the judgement with the state of the sample on the screen, if the event is one.
    #[must_use]
    pub const fn judged(&self) -> Option<&JudgedSample> {
        match self {
            Self::Judged(judged) | Self::Adjudicated { judged, .. } => Some(judged),
            _ => None,
        }
    }

    /// Returns the tags that it gives, if it gives any.
    #[must_use]
    pub const fn tagged(&self) -> Option<&TaggedPrediction> {
        match self {
            Self::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// Returns the mutant that it is about, if it is about one.
    #[must_use]
    pub const fn mutant(&self) -> Option<ContentHash> {
        match self {
            Self::Equivalent { mutant, .. } | Self::NotEquivalent { mutant, .. } => Some(*mutant),
            _ => None,
        }
    }

    /// Returns why it is provisional, if it is a provisional verdict.
    #[must_use]
    pub const fn bulk(&self) -> Option<Bulk> {
        match self.judged() {
            Some(judged) => judged.bulk,
            None => None,
        }
    }

    /// Tells whether an undo can revert it alone; a provisional verdict is undone with its batch.
    #[must_use]
    pub const fn can_be_undone(&self) -> bool {
        match self {
            Self::Batch(_) => true,
            other => other.key().is_some() && other.bulk().is_none(),
        }
    }
}

/// An action of an annotator, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    id: EventId,
    annotator: String,
    at_ms: i64,
    kind: EventKind,
}

impl Event {
    /// Makes the event; `at_ms` counts milliseconds since 1970. Its id is the first half of the BLAKE3 hash of all
    /// fields, each with its length before it.
    #[must_use]
    pub fn new(annotator: impl Into<String>, at_ms: i64, kind: EventKind) -> Self {
        let annotator = annotator.into();
        Self {
            id: hash(&annotator, at_ms, &kind),
            annotator,
            at_ms,
            kind,
        }
    }

    #[must_use]
    pub const fn id(&self) -> EventId {
        self.id
    }

    #[must_use]
    pub fn annotator(&self) -> &str {
        &self.annotator
    }

    /// Returns milliseconds since 1970; an annotator's events have different ones, in the order in which they came,
    /// except for the verdicts of a batch, which have the batch's.
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        self.at_ms
    }

    #[must_use]
    pub const fn kind(&self) -> &EventKind {
        &self.kind
    }
}

/// An event in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEvent {
    pub event: Event,
    /// It was undone, and the undo was not taken back.
    pub is_undone: bool,
}

/// The verdict of one annotator on one sample: the last judgement that was not undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub event: EventId,
    pub annotator: String,
    pub at_ms: i64,
    pub judged: JudgedSample,
    /// Why so, of an adjudication; absent for a plain judgement.
    pub reason: Option<String>,
}

/// The truth about a sample as far as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    pub answer: FocalAnswer,
    /// The adjudication, else the last of the verdicts that agree.
    pub verdict: Verdict,
    /// How many annotators' verdicts agree; 0 for an adjudication, and for a provisional verdict.
    pub n_annotators: usize,
}

impl Gold {
    /// Tells whether a decision for this focal method (or none) is right; nothing when the sample has changed since it
    /// was judged.
    #[must_use]
    pub fn is_right(&self, content_hash: ContentHash, focal: Option<&str>) -> Option<bool> {
        let machine = focal.map_or(FocalAnswer::NoFocal, |focal| {
            FocalAnswer::Method(focal.to_owned())
        });
        (content_hash == self.verdict.judged.content_hash).then(|| self.answer == machine)
    }
}

/// Tells whether a text can name an annotator: not empty, no spaces around it, no control characters.
#[must_use]
pub fn is_annotator(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.chars().any(char::is_control)
}

fn hash(annotator: &str, at_ms: i64, kind: &EventKind) -> EventId {
    let mut fields = Fields::new("focalist event 1");
    fields.text(annotator);
    fields.bytes(&at_ms.to_le_bytes());
    fields.text(kind.as_str());
    match kind {
        EventKind::Judged(judged) => fields.judged(judged),
        EventKind::Adjudicated { judged, reason } => {
            fields.judged(judged);
            fields.text(reason);
        }
        EventKind::Noted { key, note } => {
            fields.bytes(&key.0);
            fields.text(note);
        }
        EventKind::Marked { key } | EventKind::Unmarked { key } => fields.bytes(&key.0),
        EventKind::Undone { event } | EventKind::Redone { event } => fields.bytes(&event.0),
        EventKind::Drawn(draw) => {
            fields.text(&draw.audit);
            for drawn in &draw.samples {
                fields.bytes(&drawn.key.0);
                fields.text(&drawn.stratum);
            }
        }
        EventKind::Batch(batch) => {
            fields.text(&batch.audit);
            fields.bytes(&batch.n_accepted.to_le_bytes());
            fields.bound(&batch.bound);
        }
        EventKind::Tagged(tagged) => tagged.add_to(&mut fields),
        EventKind::Equivalent { key, mutant } | EventKind::NotEquivalent { key, mutant } => {
            fields.bytes(&key.0);
            fields.bytes(&mutant.0);
        }
    }
    fields.id()
}

impl Fields {
    fn judged(&mut self, judged: &JudgedSample) {
        self.bytes(&judged.key.0);
        self.bytes(&judged.content_hash.0);
        self.optional(judged.focal.as_deref());
        self.text(judged.judgement.as_str());
        self.optional(match &judged.judgement {
            Judgement::Pick(method) => Some(method),
            _ => None,
        });
        let dwell_ms = judged.dwell_ms.map(|dwell_ms| dwell_ms.to_string());
        self.optional(dwell_ms.as_deref());
        self.optional(judged.guideline.as_deref());
        self.optional(judged.note.as_deref());
        self.optional(judged.queue.as_deref());
        // A later addition: events without it add nothing, so that ids in existing files stay the same.
        if let Some(bulk) = &judged.bulk {
            self.text("bulk");
            self.bytes(&bulk.batch.0);
            self.bound(&bulk.bound);
        }
    }

    fn bound(&mut self, bound: &ErrorBound) {
        for number in [
            bound.n,
            bound.n_errors,
            bound.error_max_ppm,
            bound.confidence_ppm,
        ] {
            self.bytes(&number.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tags;

    fn judged(judgement: Judgement, focal: Option<&str>) -> JudgedSample {
        JudgedSample {
            key: SampleKey([1; 16]),
            content_hash: ContentHash([2; 16]),
            focal: focal.map(str::to_owned),
            judgement,
            dwell_ms: None,
            guideline: None,
            note: None,
            queue: None,
            bulk: None,
        }
    }

    const BOUND: ErrorBound = ErrorBound {
        n: 59,
        n_errors: 0,
        error_max_ppm: 49_508,
        confidence_ppm: 950_000,
    };

    const BULK: Bulk = Bulk {
        batch: EventId([5; 16]),
        bound: BOUND,
    };

    #[test]
    fn an_id_changes_with_every_field() {
        let base = judged(Judgement::Accept, Some("p.C#m()"));
        let variants = [
            base.clone(),
            judged(Judgement::Pick("p.C#m()".to_owned()), Some("p.C#m()")),
            judged(Judgement::Accept, None),
            judged(Judgement::Accept, Some("")),
            JudgedSample {
                note: Some(String::new()),
                ..base.clone()
            },
            JudgedSample {
                guideline: Some(String::new()),
                ..base.clone()
            },
            JudgedSample {
                dwell_ms: Some(0),
                ..base.clone()
            },
            JudgedSample {
                bulk: Some(BULK),
                ..base.clone()
            },
            JudgedSample {
                bulk: Some(Bulk {
                    bound: ErrorBound { n: 60, ..BOUND },
                    ..BULK
                }),
                ..base.clone()
            },
        ];
        let mut ids: Vec<EventId> = variants
            .into_iter()
            .map(|variant| Event::new("ada", 1, EventKind::Judged(variant)).id())
            .collect();
        for n_accepted in [1, 2] {
            let batch = Batch {
                audit: "n=59 seed=7".to_owned(),
                n_accepted,
                bound: BOUND,
            };
            ids.push(Event::new("ada", 1, EventKind::Batch(batch)).id());
        }
        ids.push(Event::new("eva", 1, EventKind::Judged(base.clone())).id());
        ids.push(Event::new("ada", 2, EventKind::Judged(base)).id());
        let n_ids = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }

    /// Ids are in existing files: events without a field that is added later keep theirs.
    #[test]
    fn ids_are_what_they_have_always_been() {
        let full = JudgedSample {
            dwell_ms: Some(1234),
            guideline: Some("2".to_owned()),
            note: Some("näh".to_owned()),
            queue: Some("random".to_owned()),
            ..judged(Judgement::Pick("p.D#n(int)".to_owned()), Some("p.C#m()"))
        };
        let key = SampleKey([3; 16]);
        let event = EventId([4; 16]);
        let draw = Draw {
            audit: "n=1 seed=7".to_owned(),
            samples: vec![DrawnSample {
                key,
                stratum: "s".to_owned(),
            }],
        };
        let tagged = TaggedPrediction {
            key,
            run: "carbon".to_owned(),
            attempt: 1,
            texts: ContentHash([6; 16]),
            machine: Tags(5),
            version: 1,
            tags: Tags(2),
            note: None,
        };
        let kinds = [
            EventKind::Judged(judged(Judgement::Accept, None)),
            EventKind::Judged(full.clone()),
            EventKind::Adjudicated {
                judged: full,
                reason: "why".to_owned(),
            },
            EventKind::Noted {
                key,
                note: "n".to_owned(),
            },
            EventKind::Marked { key },
            EventKind::Unmarked { key },
            EventKind::Undone { event },
            EventKind::Redone { event },
            EventKind::Drawn(draw),
            EventKind::Tagged(tagged),
            EventKind::Equivalent {
                key,
                mutant: ContentHash([7; 16]),
            },
            EventKind::NotEquivalent {
                key,
                mutant: ContentHash([7; 16]),
            },
        ];
        let ids = kinds.map(|kind| Event::new("ada", 1_700_000_000_000, kind).id().to_string());
        expect_test::expect![[r"
            413111a8ac36e185197a6536266c80cb
            d802e3dc7f9a8cf6c22622c8f9f18ac6
            1d43385f691307f5cba8d20ea423acbb
            13700e00eac52f6b689e811331528fbf
            a1b1a44b0200621b559f76739e37b804
            3703354b77dfe8e30a20447e9fdeba16
            9515b8cca513b7d2b06dc570d22074ba
            2ac9ca2f53b9bb1b646ec52f3f116fb1
            f2e6c5c9ab08f9c8a39c208b85f08096
            6e445242fd77ebee0409a3bb612f5120
            17e4f70688a2df4ea92f120751989ea5
            b2fb683bcc19764123861332cb678fd5"]]
        .assert_eq(&ids.join("\n"));
    }

    #[test]
    fn accepting_an_unmapped_test_says_that_there_is_no_focal_method() {
        let check = |judgement: Judgement, focal: Option<&str>, expected: Option<bool>| {
            assert_eq!(
                judged(judgement.clone(), focal).is_right(),
                expected,
                "{judgement:?} {focal:?}"
            );
        };
        let pick = |method: &str| Judgement::Pick(method.to_owned());
        check(Judgement::Accept, Some("m"), Some(true));
        check(Judgement::Accept, None, Some(true));
        check(Judgement::NoFocal, None, Some(true));
        check(Judgement::NoFocal, Some("m"), Some(false));
        check(Judgement::NoneOfThese, None, Some(false));
        check(Judgement::NoneOfThese, Some("m"), Some(false));
        check(pick("m"), Some("m"), Some(true));
        check(pick("n"), Some("m"), Some(false));
        check(pick("n"), None, Some(false));
        check(Judgement::Unsure, Some("m"), None);
        check(Judgement::Skip, None, None);
    }

    #[test]
    fn millionths_come_back_as_they_were() {
        for ppm in [0, 1, 49_508, 333_333, 950_000, 999_999, 1_000_000] {
            let share = f64::from(ppm) / 1e6;
            assert_eq!(ErrorBound::ppm(share), Some(ppm));
        }
        assert_eq!(ErrorBound::ppm_up(0.049_507_6), 49_508);
        assert_eq!(
            (ErrorBound::ppm_up(2.0), ErrorBound::ppm_up(0.0)),
            (1_000_000, 0)
        );
        for none in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(ErrorBound::ppm(none), None);
        }
    }

    #[test]
    fn words_stand_for_judgements() {
        for word in Judgement::WORDS {
            let method = (*word == "pick").then(|| "m".to_owned());
            let judgement = Judgement::parse(word, method).expect("every word means something");
            assert_eq!(judgement.as_str(), *word);
        }
        assert_eq!(Judgement::parse("pick", None), None);
        assert_eq!(Judgement::parse("accept", Some("m".to_owned())), None);
        assert_eq!(Judgement::parse("Accept", None), None);
    }
}
