//! The context that a prompt shows around the question itself: code that the test can use, code that the method under
//! test can use, both, or nothing.
//!
//! The papers name these by what they compare: `Tests4J` test class and focal class, `ConTest` the calls of the setup
//! and of the focal method. Both mean the same two sides here, so each side has two names.

use std::borrow::Cow;

use crate::store::StoredSample;

/// The shown parts of the surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contexts {
    #[default]
    All,
    /// Code that the test can use: its class or file, code that runs before it, methods that its setup calls.
    TestClass,
    /// Code that the method under test can use: its class or file, methods that it calls.
    FocalClass,
    None,
}

impl Contexts {
    /// Every name, with its meaning.
    pub const NAMES: &[(&str, Self)] = &[
        ("all", Self::All),
        ("test-class", Self::TestClass),
        ("setup", Self::TestClass),
        ("focal-class", Self::FocalClass),
        ("focal", Self::FocalClass),
        ("none", Self::None),
    ];

    /// Looks up contexts by any of their names.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        names.find(|pair| pair.0 == name).map(|name| name.1)
    }

    /// Returns the first of its names.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::TestClass => "test-class",
            Self::FocalClass => "focal-class",
            Self::None => "none",
        }
    }

    /// Tells whether the side of the test is shown: what the test can use.
    #[must_use]
    pub const fn has_test(self) -> bool {
        matches!(self, Self::All | Self::TestClass)
    }

    /// Tells whether the side of the method under test is shown: what that method can use.
    #[must_use]
    pub const fn has_focal(self) -> bool {
        matches!(self, Self::All | Self::FocalClass)
    }

    /// Reduces a sample to its setup and its focal method, without surroundings.
    pub(crate) fn of(self, sample: &StoredSample) -> Cow<'_, StoredSample> {
        if self == Self::All {
            return Cow::Borrowed(sample);
        }
        let mut shown = sample.clone();
        if !self.has_test() {
            shown.fixtures.clear();
            shown.setup_context.clear();
        }
        if !self.has_focal() {
            shown.focal_context.clear();
        }
        Cow::Owned(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::Contexts;

    #[test]
    fn each_name_is_known_and_the_papers_names_mean_the_same_sides() {
        for (name, contexts) in Contexts::NAMES {
            assert_eq!(Contexts::named(name), Some(*contexts));
            assert_eq!(Contexts::named(contexts.as_str()), Some(*contexts));
        }
        assert_eq!(Contexts::named("setup"), Contexts::named("test-class"));
        assert_eq!(Contexts::named("focal"), Contexts::named("focal-class"));
        assert_eq!(Contexts::named("some"), None);
    }
}
