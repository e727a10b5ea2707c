//! Test methods and where they came from.

use super::code::{Call, MethodId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    JUnit3,
    JUnit4,
    JUnit5,
    TestNg,
}

impl Framework {
    /// Every framework; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::JUnit3, Self::JUnit4, Self::JUnit5, Self::TestNg];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JUnit3 => "junit3",
            Self::JUnit4 => "junit4",
            Self::JUnit5 => "junit5",
            Self::TestNg => "testng",
        }
    }
}

/// What makes a method a test (MINING.md rule 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TestKind {
    Test,
    ParameterizedTest,
    RepeatedTest,
    TestTemplate,
    TestFactory,
    Theory,
    /// JUnit 3: `public void test*()` in a subclass of `TestCase`.
    Named,
    /// TestNG: a public method of a class annotated `@Test`.
    ByClass,
}

impl TestKind {
    /// Every kind; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Test,
        Self::ParameterizedTest,
        Self::RepeatedTest,
        Self::TestTemplate,
        Self::TestFactory,
        Self::Theory,
        Self::Named,
        Self::ByClass,
    ];

    /// Returns the word used in files and filters: the annotation's name where there is one.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Test => "Test",
            Self::ParameterizedTest => "ParameterizedTest",
            Self::RepeatedTest => "RepeatedTest",
            Self::TestTemplate => "TestTemplate",
            Self::TestFactory => "TestFactory",
            Self::Theory => "Theory",
            Self::Named => "Named",
            Self::ByClass => "ByClass",
        }
    }

    /// Returns whether the method itself carries the annotation (`--tests annotated`).
    #[must_use]
    pub const fn is_annotated(self) -> bool {
        !matches!(self, Self::Named | Self::ByClass)
    }
}

/// A test method with everything that its focal match is decided from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    pub method: MethodId,
    pub framework: Framework,
    pub kind: TestKind,
    /// The top-level statements of the body, in order.
    pub statements: Vec<Span>,
    /// Every call in the body in source order (by position of the name token).
    pub calls: Vec<Call>,
    /// Code that runs before the test, outermost first (MINING.md rule 18).
    pub fixtures: Vec<MethodId>,
}
