//! What the words of assertion libraries say in Go: testify, is, quicktest, goconvey and gocheck in one table, gomega's
//! matchers in another.

use crate::fluent::Meaning;
use crate::form::Way;
use crate::says::{ALL, Says};

/// Reads an assertion by its name, or by the name of its checker.
pub fn plain(name: &str) -> Option<Says> {
    Some(match name {
        "Equal" | "Equals" | "Exactly" | "DeepEqual" | "DeepEquals" | "Resemble" | "CmpEquals" => {
            Says::Is(Way::Equal)
        }
        "NotEqual" | "NotEquals" | "NotDeepEqual" | "NotResemble" => Says::Is(Way::NotEqual),
        "EqualValues" | "AlmostEqual" => Says::Is(Way::Alike),
        "NotEqualValues" => Says::Is(Way::NotAlike),
        "Same" | "Pointing" => Says::Is(Way::Same),
        "NotSame" => Says::Is(Way::NotSame),
        "True" | "IsTrue" | "BeTrue" => Says::Is(Way::True),
        "False" | "IsFalse" | "BeFalse" => Says::Is(Way::False),
        "Nil" | "IsNil" | "BeNil" | "NoError" | "NoErr" | "NilError" => Says::Is(Way::Null),
        "NotNil" | "IsNotNil" | "NotBeNil" | "Error" => Says::Is(Way::NotNull),
        "Panics" => Says::Throws(0),
        "PanicsWithValue" | "PanicsWithError" | "PanicMatches" => Says::Throws(1),
        "NotPanics" => Says::Is(Way::NotThrows),
        "Greater" => Says::Signed(">"),
        "GreaterOrEqual" => Says::Signed(">="),
        "Less" => Says::Signed("<"),
        "LessOrEqual" => Says::Signed("<="),
        "InDelta" | "InDeltaSlice" | "InEpsilon" | "WithinDuration" => Says::Near(Way::Equal),
        "Len" | "HasLen" | "HaveLength" => Says::Named("length", 1),
        "Contains" | "Contain" | "ContainSubstring" => Says::Named("contains", 1),
        "NotContains" | "NotContain" => Says::NotNamed("contains", 1),
        "Empty" | "BeEmpty" => Says::Named("empty", 0),
        "NotEmpty" | "NotBeEmpty" => Says::NotNamed("empty", 0),
        "Zero" => Says::Named("zero", 0),
        "NotZero" => Says::NotNamed("zero", 0),
        "Positive" => Says::Named("positive", 0),
        "Negative" => Says::Named("negative", 0),
        "ErrorIs" => Says::Named("errorIs", 1),
        "NotErrorIs" => Says::NotNamed("errorIs", 1),
        "ErrorAs" => Says::Named("errorAs", 1),
        "EqualError" => Says::Named("errorText", 1),
        "ErrorContains" => Says::Named("errorContains", 1),
        "ErrorMatches" => Says::Named("errorMatches", 1),
        "Regexp" | "Matches" => Says::Named("matches", 1),
        "NotRegexp" => Says::NotNamed("matches", 1),
        "ElementsMatch" | "ContentEquals" => Says::Named("elements", 1),
        "Subset" => Says::Named("subset", 1),
        "NotSubset" => Says::NotNamed("subset", 1),
        "IsType" => Says::Named("type", 1),
        "Implements" => Says::Named("implements", 1),
        "JSONEq" | "JSONEquals" => Says::Named("json", 1),
        "YAMLEq" => Says::Named("yaml", 1),
        "FileExists" => Says::Named("file", 0),
        "NoFileExists" => Says::NotNamed("file", 0),
        "DirExists" => Says::Named("folder", 0),
        "Condition" => Says::Named("condition", 0),
        "Eventually" | "Never" => Says::Named("eventually", ALL),
        "Fail" | "FailNow" => Says::Is(Way::Fail),
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
pub fn matcher(name: &str) -> Option<Says> {
    Some(match name {
        "BeEquivalentTo" => Says::Is(Way::Alike),
        "BeIdenticalTo" => Says::Is(Way::Same),
        "HaveOccurred" => Says::Is(Way::NotNull),
        "Succeed" => Says::Is(Way::Null),
        "Panic" => Says::Throws(0),
        "HaveLen" => Says::Named("length", 1),
        "ContainElement" => Says::Named("contains", 1),
        "BeZero" => Says::Named("zero", 0),
        "MatchError" => Says::Named("errorIs", 1),
        "MatchRegexp" => Says::Named("matches", 1),
        "ConsistOf" => Says::Named("elements", ALL),
        "MatchJSON" => Says::Named("json", 1),
        _ => return plain(name),
    })
}

/// Reads the words between a value and its matcher.
pub const fn link(name: &str) -> Option<Meaning> {
    Some(match name.as_bytes() {
        b"To" | b"Should" => Meaning::Filler,
        b"NotTo" | b"ToNot" | b"ShouldNot" => Meaning::Not,
        _ => return None,
    })
}
