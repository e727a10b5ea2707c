//! The meanings of assertion libraries' words in Go: testify, is, quicktest, goconvey and gocheck in one table,
//! gomega's matchers in another.

use crate::fluent::FluentMeaning;
use crate::form::CheckKind;
use crate::says::{ALL, MatcherMeaning};

/// Reads an assertion by its name, or by the name of its checker.
pub fn plain(name: &str) -> Option<MatcherMeaning> {
    Some(match name {
        "Equal" | "Equals" | "Exactly" | "DeepEqual" | "DeepEquals" | "Resemble" | "CmpEquals" => {
            MatcherMeaning::Is(CheckKind::Equal)
        }
        "NotEqual" | "NotEquals" | "NotDeepEqual" | "NotResemble" => {
            MatcherMeaning::Is(CheckKind::NotEqual)
        }
        "EqualValues" | "AlmostEqual" => MatcherMeaning::Is(CheckKind::Alike),
        "NotEqualValues" => MatcherMeaning::Is(CheckKind::NotAlike),
        "Same" | "Pointing" => MatcherMeaning::Is(CheckKind::Same),
        "NotSame" => MatcherMeaning::Is(CheckKind::NotSame),
        "True" | "IsTrue" | "BeTrue" => MatcherMeaning::Is(CheckKind::True),
        "False" | "IsFalse" | "BeFalse" => MatcherMeaning::Is(CheckKind::False),
        "Nil" | "IsNil" | "BeNil" | "NoError" | "NoErr" | "NilError" => {
            MatcherMeaning::Is(CheckKind::Null)
        }
        "NotNil" | "IsNotNil" | "NotBeNil" | "Error" => MatcherMeaning::Is(CheckKind::NotNull),
        "Panics" => MatcherMeaning::Throws(0),
        "PanicsWithValue" | "PanicsWithError" | "PanicMatches" => MatcherMeaning::Throws(1),
        "NotPanics" => MatcherMeaning::Is(CheckKind::NotThrows),
        "Greater" => MatcherMeaning::Signed(">"),
        "GreaterOrEqual" => MatcherMeaning::Signed(">="),
        "Less" => MatcherMeaning::Signed("<"),
        "LessOrEqual" => MatcherMeaning::Signed("<="),
        "InDelta" | "InDeltaSlice" | "InEpsilon" | "WithinDuration" => {
            MatcherMeaning::Near(CheckKind::Equal)
        }
        "Len" | "HasLen" | "HaveLength" => MatcherMeaning::Named("length", 1),
        "Contains" | "Contain" | "ContainSubstring" => MatcherMeaning::Named("contains", 1),
        "NotContains" | "NotContain" => MatcherMeaning::NotNamed("contains", 1),
        "Empty" | "BeEmpty" => MatcherMeaning::Named("empty", 0),
        "NotEmpty" | "NotBeEmpty" => MatcherMeaning::NotNamed("empty", 0),
        "Zero" => MatcherMeaning::Named("zero", 0),
        "NotZero" => MatcherMeaning::NotNamed("zero", 0),
        "Positive" => MatcherMeaning::Named("positive", 0),
        "Negative" => MatcherMeaning::Named("negative", 0),
        "ErrorIs" => MatcherMeaning::Named("errorIs", 1),
        "NotErrorIs" => MatcherMeaning::NotNamed("errorIs", 1),
        "ErrorAs" => MatcherMeaning::Named("errorAs", 1),
        "EqualError" => MatcherMeaning::Named("errorText", 1),
        "ErrorContains" => MatcherMeaning::Named("errorContains", 1),
        "ErrorMatches" => MatcherMeaning::Named("errorMatches", 1),
        "Regexp" | "Matches" => MatcherMeaning::Named("matches", 1),
        "NotRegexp" => MatcherMeaning::NotNamed("matches", 1),
        "ElementsMatch" | "ContentEquals" => MatcherMeaning::Named("elements", 1),
        "Subset" => MatcherMeaning::Named("subset", 1),
        "NotSubset" => MatcherMeaning::NotNamed("subset", 1),
        "IsType" => MatcherMeaning::Named("type", 1),
        "Implements" => MatcherMeaning::Named("implements", 1),
        "JSONEq" | "JSONEquals" => MatcherMeaning::Named("json", 1),
        "YAMLEq" => MatcherMeaning::Named("yaml", 1),
        "FileExists" => MatcherMeaning::Named("file", 0),
        "NoFileExists" => MatcherMeaning::NotNamed("file", 0),
        "DirExists" => MatcherMeaning::Named("folder", 0),
        "Condition" => MatcherMeaning::Named("condition", 0),
        "Eventually" | "Never" => MatcherMeaning::Named("eventually", ALL),
        "Fail" | "FailNow" => MatcherMeaning::Is(CheckKind::Fail),
        _ => return None,
    })
}

/// Tells whether an assertion takes the expected value before the actual one.
pub fn is_expected_first(name: &str) -> bool {
    !matches!(
        name,
        "Contains"
            | "NotContains"
            | "ElementsMatch"
            | "EqualError"
            | "ErrorAs"
            | "ErrorContains"
            | "ErrorIs"
            | "Greater"
            | "GreaterOrEqual"
            | "Len"
            | "Less"
            | "LessOrEqual"
            | "NotErrorIs"
            | "NotSubset"
            | "Subset"
    )
}

/// Reads a matcher of gomega.
pub fn matcher(name: &str) -> Option<MatcherMeaning> {
    Some(match name {
        "BeEquivalentTo" => MatcherMeaning::Is(CheckKind::Alike),
        "BeIdenticalTo" => MatcherMeaning::Is(CheckKind::Same),
        "HaveOccurred" => MatcherMeaning::Is(CheckKind::NotNull),
        "Succeed" => MatcherMeaning::Is(CheckKind::Null),
        "Panic" => MatcherMeaning::Throws(0),
        "HaveLen" => MatcherMeaning::Named("length", 1),
        "ContainElement" => MatcherMeaning::Named("contains", 1),
        "BeZero" => MatcherMeaning::Named("zero", 0),
        "MatchError" => MatcherMeaning::Named("errorIs", 1),
        "MatchRegexp" => MatcherMeaning::Named("matches", 1),
        "ConsistOf" => MatcherMeaning::Named("elements", ALL),
        "MatchJSON" => MatcherMeaning::Named("json", 1),
        _ => return plain(name),
    })
}

/// Reads the words between a value and its matcher.
pub const fn link(name: &str) -> Option<FluentMeaning> {
    Some(match name.as_bytes() {
        b"To" | b"Should" => FluentMeaning::Filler,
        b"NotTo" | b"ToNot" | b"ShouldNot" => FluentMeaning::Not,
        _ => return None,
    })
}
