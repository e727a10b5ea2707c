//! A mined test with its focal method, its parts and its place in the dataset.

use super::code::{FileId, FileRole, MethodId, Span};
use super::flag::Flags;
use super::focal::{Decision, FocalMatch, UnmappedReason};
use super::repo::Language;
use super::testcase::TestCase;

/// Sixteen bytes that name a sample for good: see [`SampleKey::of_test`]. Survives mining again, another matcher and
/// edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampleKey(pub [u8; 16]);

/// A hash of everything that an annotator or a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 16]);

macro_rules! hexadecimal {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl $name {
            /// Returns the first sixteen bytes of the hash.
            #[must_use]
            pub fn of(hasher: &blake3::Hasher) -> Self {
                let mut bytes = [0; 16];
                hasher.finalize_xof().fill(&mut bytes);
                Self(bytes)
            }

            /// Returns the value that 32 hexadecimal digits stand for; nothing for any other text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let mut bytes = [0; 16];
                if text.len() != 32 || !text.is_ascii() {
                    return None;
                }
                for (idx, byte) in bytes.iter_mut().enumerate() {
                    *byte = u8::from_str_radix(text.get(idx * 2..idx * 2 + 2)?, 16).ok()?;
                }
                Some(Self(bytes))
            }

            /// Finds the least and the greatest value that begin with these hexadecimal digits; nothing for any other
            /// text.
            #[must_use]
            pub fn beginning_with(digits: &str) -> Option<(Self, Self)> {
                let is_one = digits.len() <= 32 && digits.bytes().all(|it| it.is_ascii_hexdigit());
                let filled = |fill: &str| {
                    Self::parse(&(digits.to_owned() + &fill.repeat(32 - digits.len())))
                };
                is_one.then(|| Some((filled("0")?, filled("f")?))).flatten()
            }
        }
    };
}
pub(super) use hexadecimal;
hexadecimal!(SampleKey);
hexadecimal!(ContentHash);

impl SampleKey {
    /// Makes the key of a test: a hash of its project's identity, its method key, its file when another file of the
    /// project declares a test of the same method key, and its language.
    ///
    /// Java is not hashed in: its keys are older than the other languages, and verdicts and published datasets hold them.
    #[must_use]
    pub fn of_test(identity: &str, language: Language, method: &str, file: Option<&str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &str| {
            // After its length, so that two lists of parts never run into the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        add(identity);
        add(method);
        add(file.unwrap_or_default());
        if language != Language::Java {
            add(language.as_str());
        }
        Self::of(&hasher)
    }
}

impl SampleKey {
    /// Makes the key of a record that has no more than a number in its dataset. The number comes first, so that keys of
    /// one dataset are in the order of numbers, and their first digits tell them apart.
    #[must_use]
    pub fn of_record(dataset: &str, number: u32) -> Self {
        let hash = blake3::hash(dataset.as_bytes());
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        bytes[4..].copy_from_slice(&hash.as_bytes()[..12]);
        Self(bytes)
    }

    /// Makes the key of a sample that has nothing but its text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        Self::of(&hasher)
    }

    /// Makes the key of a sample that its dataset calls by a name.
    #[must_use]
    pub fn of_named(dataset: &str, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in ["named", dataset, name] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self::of(&hasher)
    }
}

/// The result of mining a test (the contract's `status`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    Ok,
    /// Mapped, but nothing follows the last focal call.
    NoAssertionPart,
    Below,
    Tie,
    NoCandidate,
    NoSource,
    /// No candidate is probable enough (matcher `evidence`).
    Abstained,
}

impl Status {
    /// Every status, in the order of the funnel; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::Ok,
        Self::NoAssertionPart,
        Self::Below,
        Self::Tie,
        Self::NoCandidate,
        Self::NoSource,
        Self::Abstained,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NoAssertionPart => "no_assertion_part",
            Self::Below => "below",
            Self::Tie => "tie",
            Self::NoCandidate => "no_candidate",
            Self::NoSource => "no_source",
            Self::Abstained => "abstained",
        }
    }

    /// Looks up the status that [`Status::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|status| status.as_str() == word)
    }

    /// Tells whether a focal method was found.
    #[must_use]
    pub const fn is_mapped(self) -> bool {
        matches!(self, Self::Ok | Self::NoAssertionPart)
    }
}

impl From<UnmappedReason> for Status {
    fn from(reason: UnmappedReason) -> Self {
        match reason {
            UnmappedReason::NoCandidate => Self::NoCandidate,
            UnmappedReason::Below => Self::Below,
            UnmappedReason::Tie => Self::Tie,
            UnmappedReason::NoSource => Self::NoSource,
            UnmappedReason::Abstained => Self::Abstained,
        }
    }
}

/// A part of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Split {
    Train,
    Validation,
    Test,
}

impl Split {
    /// Every split; the index stores positions in this list.
    pub const ALL: &[Self] = &[Self::Train, Self::Validation, Self::Test];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }

    /// Looks up the split that [`Split::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|split| split.as_str() == word)
    }
}

/// Where a test is divided into setup and assertion code (MINING.md rules 13 to 17).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// From the first to the last statement before the cut; absent when there is none.
    pub setup: Option<Span>,
    pub assertion: Option<Span>,
    /// Every call of the focal declaration, as indices into `TestCase::calls`.
    pub focal_calls: Vec<u32>,
    /// Every assertion call, as indices into `TestCase::calls`.
    pub assertion_calls: Vec<u32>,
}

/// One matcher's answer for one test, with all that follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatcherDecision {
    pub focal_match: FocalMatch,
    pub status: Status,
    /// Present when mapped.
    pub cut: Option<Cut>,
    /// By distance, then by position (MINING.md rules 19 to 22).
    pub setup_context: Vec<MethodId>,
    pub focal_context: Vec<MethodId>,
    /// Set when the focal declaration has no body: the only implementation in the project, if there is just one.
    pub implementation: Option<MethodId>,
    pub flags: Flags,
    /// Lexer tokens of all parts together (test, focal method, contexts).
    pub n_tokens: u32,
    /// Equal for equal token sequences of test, focal method and contexts (rule 24).
    pub token_hash: ContentHash,
    pub content_hash: ContentHash,
}

impl MatcherDecision {
    /// Returns the focal method's declaration, if the test is mapped.
    #[must_use]
    pub fn focal(&self) -> Option<MethodId> {
        match self.focal_match.decision {
            Decision::Picked { .. } if self.status.is_mapped() => {
                self.focal_match.picked().map(|candidate| candidate.method)
            }
            _ => None,
        }
    }
}

/// A file as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedFile {
    pub id: FileId,
    pub path: String,
    pub text: String,
    pub role: FileRole,
}

/// A test as it is stored, mapped or not.
#[derive(Clone, Debug, PartialEq)]
pub struct MinedTest {
    pub key: SampleKey,
    pub test_case: TestCase,
    /// One per matcher that was run; at most one of each.
    pub decided: Vec<MatcherDecision>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(language: Language, method: &str, file: Option<&str>) -> String {
        SampleKey::of_test("example.org/p", language, method, file).to_string()
    }

    /// Verdicts are kept by these: a key that changes loses them.
    #[test]
    fn the_keys_of_java_stay_what_they_always_were() {
        let method = "p.CounterTest#testInc()";
        assert_eq!(
            key(Language::Java, method, None),
            "06f4ba192163aed46590a99789a1d47b"
        );
        let file = Some("src/test/java/p/CounterTest.java");
        assert_eq!(
            key(Language::Java, method, file),
            "0d5ddbf16893ca92f91db272099d8a41"
        );
    }

    #[test]
    fn one_method_in_several_languages_has_as_many_keys() {
        let mut keys = Vec::new();
        for language in Language::ALL {
            for file in [None, Some("java"), Some(language.as_str())] {
                keys.push(key(*language, "p.CounterTest#testInc()", file));
            }
        }
        keys.sort_unstable();
        let n_all = keys.len();
        keys.dedup();
        // In Java both files give the same key.
        assert_eq!(keys.len(), n_all - 1);
    }
}
