//! What people say of samples: one event for everything that somebody did, and what holds because of them all.
//!
//! An event never changes and is never taken back: an undo is an event of its own. Its id is a hash of all that it says,
//! so the same event is the same wherever it was written down, and files of events can be put together in any order.

use super::sample::{ContentHash, SampleKey, hexadecimal};

/// Sixteen bytes that name an event: a hash of what it says, who said it, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub [u8; 16]);
hexadecimal!(EventId);

/// What a person says of a test's focal method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// What the machine decided is right: this focal method, or that there is none.
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
    /// The word of every judgement; that of a pick says nothing of the method.
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

    /// Returns the judgement that a word means, and for `pick` the method; nothing for other words, and when a method
    /// is missing or too much.
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

/// What a judgement says is true, whatever the machine decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The test is about the method with this key.
    Method(String),
    /// It is about a method that is no candidate.
    NoneOfThese,
    /// It is not about one method.
    NoFocal,
}

/// A judgement with what was on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub key: SampleKey,
    /// What the sample was.
    pub content_hash: ContentHash,
    /// The key of the focal method that the machine had decided on; absent for an unmapped test.
    pub focal: Option<String>,
    pub judgement: Judgement,
    /// How long the sample was shown before the key; absent where nobody measured.
    pub dwell_ms: Option<u32>,
    /// The version of the guideline that was in force.
    pub guideline: Option<String>,
    pub note: Option<String>,
    /// The queue that the sample came from.
    pub queue: Option<String>,
}

impl Judged {
    /// Returns what the judgement says is true; nothing when it decides nothing (unsure, skip).
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        match &self.judgement {
            Judgement::Accept => Some(self.focal.clone().map_or(Answer::NoFocal, Answer::Method)),
            Judgement::Pick(method) => Some(Answer::Method(method.clone())),
            Judgement::NoneOfThese => Some(Answer::NoneOfThese),
            Judgement::NoFocal => Some(Answer::NoFocal),
            Judgement::Unsure | Judgement::Skip => None,
        }
    }

    /// Returns whether the machine's decision is what the judgement says is true; nothing when it decides nothing.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        let machine = match &self.focal {
            Some(focal) => Answer::Method(focal.clone()),
            None => Answer::NoFocal,
        };
        self.answer().map(|it| it == machine)
    }
}

/// A sample of a [`Draw`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
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
    pub samples: Vec<Drawn>,
}

/// What somebody did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Judged(Judged),
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
    /// Takes back an event of the same annotator; those of others do not care.
    Undone {
        event: EventId,
    },
    /// Takes back an undo.
    Redone {
        event: EventId,
    },
    /// What holds where annotators differ.
    Adjudicated {
        judged: Judged,
        reason: String,
    },
    Drawn(Draw),
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
        }
    }

    /// Returns the sample that it is about, if it is about one.
    #[must_use]
    pub const fn key(&self) -> Option<SampleKey> {
        match self {
            Self::Judged(judged) | Self::Adjudicated { judged, .. } => Some(judged.key),
            Self::Noted { key, .. } | Self::Marked { key } | Self::Unmarked { key } => Some(*key),
            Self::Undone { .. } | Self::Redone { .. } | Self::Drawn(_) => None,
        }
    }

    /// Returns whether an undo can take it back.
    #[must_use]
    pub const fn can_be_undone(&self) -> bool {
        self.key().is_some()
    }
}

/// Something that somebody did, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    id: EventId,
    annotator: String,
    at_ms: i64,
    kind: EventKind,
}

impl Event {
    /// Returns the event; `at_ms` counts milliseconds since 1970. Its id is the first half of the BLAKE3 hash of all
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

    /// Returns milliseconds since 1970; an annotator's events have different ones, in the order in which they came.
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        self.at_ms
    }

    #[must_use]
    pub const fn kind(&self) -> &EventKind {
        &self.kind
    }
}

/// An event in a list of what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    pub event: Event,
    /// It was taken back, and not taken back that.
    pub is_undone: bool,
}

/// What holds for one annotator and one sample: the last judgement that was not undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub event: EventId,
    pub annotator: String,
    pub at_ms: i64,
    pub judged: Judged,
    /// Why so, of an adjudication; absent for a plain judgement.
    pub reason: Option<String>,
}

/// What is true of a sample as far as people know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    pub answer: Answer,
    /// The adjudication, else the last of the verdicts that agree.
    pub verdict: Verdict,
    /// Whose verdicts agree; 0 for an adjudication.
    pub n_annotators: usize,
}

impl Gold {
    /// Returns whether a decision for this focal method (or none) is right; nothing when the sample is not what was
    /// judged.
    #[must_use]
    pub fn is_right(&self, content_hash: ContentHash, focal: Option<&str>) -> Option<bool> {
        let machine = focal.map_or(Answer::NoFocal, |it| Answer::Method(it.to_owned()));
        (content_hash == self.verdict.judged.content_hash).then(|| self.answer == machine)
    }
}

/// Returns whether a text can name an annotator: not empty, no spaces around it, no control characters.
#[must_use]
pub fn is_annotator(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.chars().any(char::is_control)
}

fn hash(annotator: &str, at_ms: i64, kind: &EventKind) -> EventId {
    let mut fields = Fields(blake3::Hasher::new());
    fields.text("focalist event 1");
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
    }
    EventId::of(&fields.0)
}

/// Every field is preceded by its length, so that two lists of fields never run into the same bytes.
struct Fields(blake3::Hasher);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.bytes(&[u8::from(text.is_some())]);
        self.text(text.unwrap_or_default());
    }

    fn judged(&mut self, judged: &Judged) {
        self.bytes(&judged.key.0);
        self.bytes(&judged.content_hash.0);
        self.optional(judged.focal.as_deref());
        self.text(judged.judgement.as_str());
        self.optional(match &judged.judgement {
            Judgement::Pick(method) => Some(method),
            _ => None,
        });
        let dwell_ms = judged.dwell_ms.map(|it| it.to_string());
        self.optional(dwell_ms.as_deref());
        self.optional(judged.guideline.as_deref());
        self.optional(judged.note.as_deref());
        self.optional(judged.queue.as_deref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(judgement: Judgement, focal: Option<&str>) -> Judged {
        Judged {
            key: SampleKey([1; 16]),
            content_hash: ContentHash([2; 16]),
            focal: focal.map(str::to_owned),
            judgement,
            dwell_ms: None,
            guideline: None,
            note: None,
            queue: None,
        }
    }

    #[test]
    fn an_id_changes_with_every_field() {
        let base = judged(Judgement::Accept, Some("p.C#m()"));
        let variants = [
            base.clone(),
            judged(Judgement::Pick("p.C#m()".to_owned()), Some("p.C#m()")),
            judged(Judgement::Accept, None),
            judged(Judgement::Accept, Some("")),
            Judged {
                note: Some(String::new()),
                ..base.clone()
            },
            Judged {
                guideline: Some(String::new()),
                ..base.clone()
            },
            Judged {
                dwell_ms: Some(0),
                ..base.clone()
            },
        ];
        let mut ids: Vec<EventId> = variants
            .into_iter()
            .map(|it| Event::new("ada", 1, EventKind::Judged(it)).id())
            .collect();
        ids.push(Event::new("eva", 1, EventKind::Judged(base.clone())).id());
        ids.push(Event::new("ada", 2, EventKind::Judged(base)).id());
        let n_ids = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
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
