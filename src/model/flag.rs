//! Notable facts about a sample beyond its status.

/// Something worth knowing about a sample; each is a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Flag {
    /// The focal declaration is called more than once.
    SeveralFocalCalls,
    /// The picked name has several declarations among the calls (overloads).
    SeveralDeclarations,
    /// The declaration has no body (interface, abstract).
    NoBody,
    /// The focal method is also called in the assertion part (ConTest 3.5 leaves these out).
    FocalInAssertion,
    /// The setup part is empty.
    EmptySetup,
    /// No assertion call follows the cut.
    NoAssertionCall,
    /// An assertion comes before the last focal call.
    AssertionInSetup,
    /// More context than `--max-context-tokens`.
    ExcessiveContext,
    /// The last focal call sits in a lambda or an anonymous class.
    FocalInLambda,
    /// Another method weighs enough to be a focal method too (matcher `evidence`).
    SeveralFocalMethods,
    /// One test with several rows of arguments or subtests.
    Parametrised,
    /// Skipped for good.
    Skipped,
    /// The test's file was written by a generator.
    Generated,
    /// The focal call was resolved by the name alone.
    ByName,
    /// The focal method was wrapped by another function where it was declared.
    Wrapped,
    /// The focal method is declared under a computed name.
    Computed,
    /// The cut lies in a body inside a statement of the test.
    CutNested,
    /// The test does not call the focal method (matcher `mera`).
    NotCalled,
}

impl Flag {
    /// Every flag, in the order of its bit.
    pub const ALL: &[Self] = &[
        Self::SeveralFocalCalls,
        Self::SeveralDeclarations,
        Self::NoBody,
        Self::FocalInAssertion,
        Self::EmptySetup,
        Self::NoAssertionCall,
        Self::AssertionInSetup,
        Self::ExcessiveContext,
        Self::FocalInLambda,
        Self::SeveralFocalMethods,
        Self::Parametrised,
        Self::Skipped,
        Self::Generated,
        Self::ByName,
        Self::Wrapped,
        Self::Computed,
        Self::CutNested,
        Self::NotCalled,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SeveralFocalCalls => "several_focal_calls",
            Self::SeveralDeclarations => "several_declarations",
            Self::NoBody => "no_body",
            Self::FocalInAssertion => "focal_in_assertion",
            Self::EmptySetup => "empty_setup",
            Self::NoAssertionCall => "no_assertion_call",
            Self::AssertionInSetup => "assertion_in_setup",
            Self::ExcessiveContext => "excessive_context",
            Self::FocalInLambda => "focal_in_lambda",
            Self::SeveralFocalMethods => "several_focal_methods",
            Self::Parametrised => "parametrised",
            Self::Skipped => "skipped",
            Self::Generated => "generated",
            Self::ByName => "by_name",
            Self::Wrapped => "wrapped",
            Self::Computed => "computed",
            Self::CutNested => "cut_nested",
            Self::NotCalled => "not_called",
        }
    }
}

/// A set of [`Flag`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u32);

impl Flags {
    /// Adds `flag` when `condition` holds.
    pub fn set(&mut self, flag: Flag, condition: bool) {
        if condition {
            self.0 |= 1 << (flag as u8);
        }
    }

    /// Adds all of `flags`.
    pub const fn add(&mut self, flags: Self) {
        self.0 |= flags.0;
    }

    #[must_use]
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & (1 << (flag as u8)) != 0
    }

    /// Iterates over the flags that are set, in the order of [`Flag::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL
            .iter()
            .copied()
            .filter(move |flag| self.has(*flag))
    }
}
