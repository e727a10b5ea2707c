//! Whether a test objects to code that keeps the contract: kinds of such code, and the results of one test, or of many.
//!
//! A *variant* is the project with one method, or its file, in other words. An assertion about a message may be wanted,
//! so objections are counted by kind, and are never a verdict.

use std::collections::BTreeMap;
use std::fmt;

use super::{ContentHash, Language};

/// The change in a variant, while the contract stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariantKind {
    /// Messages of exceptions have other words.
    Message,
    /// Nothing is printed or logged.
    Log,
    /// Private members have other names.
    Private,
    /// Locals, and parameters that no call can name, have other names.
    Locals,
    /// Collections without an order are iterated in another one.
    Order,
}

impl VariantKind {
    /// Every kind; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::Message,
        Self::Log,
        Self::Private,
        Self::Locals,
        Self::Order,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Log => "log",
            Self::Private => "private",
            Self::Locals => "locals",
            Self::Order => "order",
        }
    }

    /// Looks up the kind by its word, in any case of its letters.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|variant_kind| variant_kind.as_str().eq_ignore_ascii_case(word))
    }

    /// Describes the change in a few words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Message => "messages of exceptions have other words",
            Self::Log => "nothing is printed or logged",
            Self::Private => "private members have other names",
            Self::Locals => "locals have other names",
            Self::Order => "sets are iterated in another order",
        }
    }
}

/// Some kinds of variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VariantKinds(u8);

impl VariantKinds {
    /// Makes the set of these bits: bit `n` is `VariantKind::ALL[n]`.
    #[must_use]
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    #[must_use]
    pub const fn has(self, kind: VariantKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    pub const fn insert(&mut self, kind: VariantKind) {
        self.0 |= 1 << kind as u8;
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over them in the order of the list.
    pub fn iter(self) -> impl Iterator<Item = VariantKind> {
        let all = VariantKind::ALL.iter().copied();
        all.filter(move |variant_kind| self.has(*variant_kind))
    }

    /// Lists their words, in the order of the list.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        self.iter().map(VariantKind::as_str).collect()
    }
}

impl FromIterator<VariantKind> for VariantKinds {
    fn from_iter<I: IntoIterator<Item = VariantKind>>(kinds: I) -> Self {
        let mut all = Self::default();
        for kind in kinds {
            all.insert(kind);
        }
        all
    }
}

impl fmt::Display for VariantKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(", "))
    }
}

/// The results of a test on the variants of its focal method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Brittleness {
    /// The kinds of variants that it was run on, without unsound ones.
    pub held: VariantKinds,
    /// The kinds of these that it fails on.
    pub objects: VariantKinds,
}

impl Brittleness {
    /// Describes the variants that the test objects to, for people: `message, order`; `no` for nothing.
    #[must_use]
    pub fn label(&self) -> String {
        if self.objects.is_empty() {
            return "no".to_owned();
        }
        self.objects.to_string()
    }
}

/// How many tests were run on variants, and how many object to which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrittleCounts {
    /// Tests that were run on variants, also those whose method has none.
    pub n_tests: u64,
    /// Tests that object to any.
    pub n_brittle: u64,
    pub by_kind: BTreeMap<VariantKind, Objecting>,
}

/// How many tests object to variants of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objecting {
    pub n_held: u64,
    pub n_objecting: u64,
}

impl BrittleCounts {
    /// Counts one more test.
    pub fn add(&mut self, test: &Brittleness) {
        self.n_tests += 1;
        self.n_brittle += u64::from(!test.objects.is_empty());
        for kind in test.held.iter() {
            let of_kind = self.by_kind.entry(kind).or_default();
            of_kind.n_held += 1;
            of_kind.n_objecting += u64::from(test.objects.has(kind));
        }
    }
}

/// The project with one method, or its file, in other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// A hash of the language, the kind, the file and all changes.
    pub id: ContentHash,
    pub language: Language,
    pub kind: VariantKind,
    /// Below the project's root; the file of the focal method.
    pub file: String,
    /// Edits of the file's text, ascending and without overlap; none where only the way in which the text runs differs.
    pub edits: Vec<VariantEdit>,
}

/// Bytes `start..end` of a text become the replacement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariantEdit {
    pub start: u32,
    pub end: u32,
    pub replacement: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(words: &str) -> VariantKinds {
        words.split(' ').filter_map(VariantKind::named).collect()
    }

    #[test]
    fn kinds_are_told_in_their_order_and_kept_as_bits() {
        let some = kinds("order message");
        assert_eq!(some.to_string(), "message, order");
        assert_eq!(VariantKinds::of_bits(some.bits()), some);
        assert!(some.has(VariantKind::Order) && !some.has(VariantKind::Log));
        assert_eq!(Brittleness::default().label(), "no");
    }

    #[test]
    fn tests_are_counted_by_each_kind_that_they_were_held_against() {
        let mut counts = BrittleCounts::default();
        for (held, objects) in [("message log", "message"), ("message", ""), ("", "")] {
            let (held, objects) = (kinds(held), kinds(objects));
            counts.add(&Brittleness { held, objects });
        }
        assert_eq!((counts.n_tests, counts.n_brittle), (3, 1));
        let of = |kind| {
            let of_kind = counts.by_kind.get(&kind).copied().unwrap_or_default();
            (of_kind.n_objecting, of_kind.n_held)
        };
        assert_eq!(of(VariantKind::Message), (1, 2));
        assert_eq!(of(VariantKind::Log), (0, 1));
        assert_eq!(of(VariantKind::Order), (0, 0));
    }
}
