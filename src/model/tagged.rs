//! Tags that people gave to predictions: they hold in place of the machine's.

use super::fields::{EventId, Fields};
use super::sample::{ContentHash, SampleKey};
use super::tag::{Tag, Tags};

/// The tags that a person gave a prediction, with the state on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedPrediction {
    pub key: SampleKey,
    /// The name of the run whose prediction it is.
    pub run: String,
    /// 0 for the first answer to the sample.
    pub attempt: u32,
    /// The hash of both texts: [`TaggedPrediction::hash_of`].
    pub texts: ContentHash,
    /// The machine's tags.
    pub machine: Tags,
    /// The version of all that decides the machine's tags.
    pub version: u32,
    /// All that hold.
    pub tags: Tags,
    pub note: Option<String>,
}

impl TaggedPrediction {
    /// Hashes a reference and a prediction: the first half of the BLAKE3 hash of both, each with its length before it.
    /// When either changes, tags for them are stale.
    #[must_use]
    pub fn hash_of(reference: &str, prediction: &str) -> ContentHash {
        let mut fields = Fields::new("focalist texts 1");
        fields.text(reference);
        fields.text(prediction);
        ContentHash(fields.half())
    }

    /// Adds everything that is said to the fields of an event.
    pub(super) fn add_to(&self, fields: &mut Fields) {
        fields.bytes(&self.key.0);
        fields.text(&self.run);
        fields.bytes(&self.attempt.to_le_bytes());
        fields.bytes(&self.texts.0);
        fields.text(&self.machine.words());
        fields.bytes(&self.version.to_le_bytes());
        fields.text(&self.tags.words());
        fields.optional(self.note.as_deref());
    }
}

/// The tags of one annotator for one prediction: the last ones that were not undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRuling {
    pub event: EventId,
    pub annotator: String,
    pub at_ms: i64,
    pub tagged: TaggedPrediction,
}

impl Tags {
    /// Writes the tags for a file: words with a blank between them, in the order of [`Tag::ALL`].
    #[must_use]
    pub fn words(self) -> String {
        let words: Vec<&str> = self.iter().map(Tag::as_str).collect();
        words.join(" ")
    }

    /// Parses tags as [`Tags::words`] writes them; nothing where a word is none, or not in its place.
    #[must_use]
    pub fn parse(words: &str) -> Option<Self> {
        let tags: Option<Self> = words.split_ascii_whitespace().map(Tag::parse).collect();
        tags.filter(|tag| tag.words() == words)
    }

    /// Makes the tags that call the metric wrong on a prediction with these tags: those that call both sides equal
    /// stay, all others go, and where none is left it is `equal_rewritten`, the widest of them.
    #[must_use]
    pub fn called_equal(self) -> Self {
        let mut equal: Self = self.iter().filter(|tag| tag.is_equal()).collect();
        if equal.is_empty() {
            equal.insert(Tag::EqualRewritten);
        }
        equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        for tags in [
            Tags::default(),
            Tags(5),
            Tag::ALL.iter().copied().collect::<Tags>(),
        ] {
            assert_eq!(Tags::parse(&tags.words()), Some(tags));
        }
        for none in ["Exact", "exact  other", "other exact", "exact exact", " "] {
            assert_eq!(Tags::parse(none), None, "{none}");
        }
    }

    #[test]
    fn calling_the_metric_wrong_leaves_only_what_says_equal() {
        let check = |tags: &[Tag], expected: &[Tag]| {
            let tags: Tags = tags.iter().copied().collect();
            let called = tags.called_equal();
            assert_eq!(called, expected.iter().copied().collect());
            assert!(called.is_equal());
        };
        check(&[Tag::WrongLiteral], &[Tag::EqualRewritten]);
        check(&[], &[Tag::EqualRewritten]);
        check(&[Tag::EqualSwapped], &[Tag::EqualSwapped]);
        check(
            &[Tag::DifferentMessage, Tag::WrongMethod],
            &[Tag::DifferentMessage],
        );
        check(&[Tag::Exact, Tag::UnknownName], &[Tag::Exact]);
    }

    #[test]
    fn both_texts_count_and_where_one_ends() {
        let hash = TaggedPrediction::hash_of;
        assert_eq!(hash("a", "b"), hash("a", "b"));
        assert_ne!(hash("a", "b"), hash("b", "a"));
        assert_ne!(hash("ab", ""), hash("a", "b"));
    }
}
