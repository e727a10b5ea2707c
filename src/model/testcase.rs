//! Test methods and where they came from.

use super::code::{Call, MethodId, Span};
use super::flag::Flags;
use super::repo::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    JUnit3,
    JUnit4,
    JUnit5,
    TestNg,
    Pytest,
    Unittest,
    Go,
    Testify,
    Gocheck,
    Mocha,
    Jest,
    Vitest,
    Jasmine,
    QUnit,
    NodeTest,
    Deno,
    Ava,
    Tap,
    Tape,
    Playwright,
    Nightwatch,
    NUnit,
    XUnit,
    MsTest,
    /// A runner that neither the sources nor their build files name.
    Unknown,
}

impl Framework {
    /// Every framework; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::JUnit3,
        Self::JUnit4,
        Self::JUnit5,
        Self::TestNg,
        Self::Pytest,
        Self::Unittest,
        Self::Go,
        Self::Testify,
        Self::Gocheck,
        Self::Mocha,
        Self::Jest,
        Self::Vitest,
        Self::Jasmine,
        Self::QUnit,
        Self::NodeTest,
        Self::Deno,
        Self::Ava,
        Self::Tap,
        Self::Tape,
        Self::Playwright,
        Self::Nightwatch,
        Self::NUnit,
        Self::XUnit,
        Self::MsTest,
        Self::Unknown,
    ];

    /// Returns the language whose tests it runs; nothing for an unknown one.
    #[must_use]
    pub const fn language(self) -> Option<Language> {
        Some(match self {
            Self::JUnit3 | Self::JUnit4 | Self::JUnit5 | Self::TestNg => Language::Java,
            Self::Pytest | Self::Unittest => Language::Python,
            Self::Go | Self::Testify | Self::Gocheck => Language::Go,
            Self::Mocha
            | Self::Jest
            | Self::Vitest
            | Self::Jasmine
            | Self::QUnit
            | Self::NodeTest
            | Self::Deno
            | Self::Ava
            | Self::Tap
            | Self::Tape
            | Self::Playwright
            | Self::Nightwatch => Language::JavaScript,
            Self::NUnit | Self::XUnit | Self::MsTest => Language::CSharp,
            Self::Unknown => return None,
        })
    }

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JUnit3 => "junit3",
            Self::JUnit4 => "junit4",
            Self::JUnit5 => "junit5",
            Self::TestNg => "testng",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Go => "go",
            Self::Testify => "testify",
            Self::Gocheck => "gocheck",
            Self::Mocha => "mocha",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Jasmine => "jasmine",
            Self::QUnit => "qunit",
            Self::NodeTest => "node_test",
            Self::Deno => "deno",
            Self::Ava => "ava",
            Self::Tap => "tap",
            Self::Tape => "tape",
            Self::Playwright => "playwright",
            Self::Nightwatch => "nightwatch",
            Self::NUnit => "nunit",
            Self::XUnit => "xunit",
            Self::MsTest => "mstest",
            Self::Unknown => "unknown",
        }
    }
}

/// The kind of test that a method is (MINING.md rule 1).
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
    /// xUnit.
    Fact,
    /// Go: `FuzzXxx`.
    Fuzz,
    /// A method of a suite: testify, gocheck, `unittest`.
    Suite,
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
        Self::Fact,
        Self::Fuzz,
        Self::Suite,
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
            Self::Fact => "Fact",
            Self::Fuzz => "Fuzz",
            Self::Suite => "Suite",
        }
    }

    /// Tells whether the method itself carries the annotation (`--tests annotated`).
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
    /// The group in which its authors put the test: its class, its innermost group's title, else its file's stem
    /// without the mark of a test.
    pub group: String,
    /// The flags of the test itself, whatever its focal method.
    pub flags: Flags,
    /// Assertions that are more than a call, in source order: assert statements, a block in which something must throw,
    /// an `if` that fails the test. Calls inside are inside an assertion.
    pub assertions: Vec<Span>,
    /// Bodies inside the test's body, each before those inside it.
    pub blocks: Vec<NestedBlock>,
}

/// A body with statements inside a test's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedBlock {
    pub span: Span,
    /// In order.
    pub statements: Vec<Span>,
    /// Whether it is a function's: it runs when that is called.
    pub is_function: bool,
}
