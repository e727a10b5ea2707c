//! The meanings of assertion libraries' words in C#: the classes called `Assert`, `FluentAssertions` and Shouldly, and
//! the constraints of `NUnit`.

use crate::fluent::FluentMeaning;
use crate::form::CheckKind;
use crate::says::{ALL, MatcherMeaning};

/// Reads a method of a class called `Assert`; those have the expected value first.
pub fn plain(name: &str) -> Option<MatcherMeaning> {
    Some(match name {
        "Equal" | "AreEqual" | "StrictEqual" => MatcherMeaning::Is(CheckKind::Equal),
        "NotEqual" | "AreNotEqual" | "NotStrictEqual" => MatcherMeaning::Is(CheckKind::NotEqual),
        "Same" | "AreSame" => MatcherMeaning::Is(CheckKind::Same),
        "NotSame" | "AreNotSame" => MatcherMeaning::Is(CheckKind::NotSame),
        "Equivalent" | "AreEquivalent" => MatcherMeaning::Is(CheckKind::Alike),
        "AreNotEquivalent" => MatcherMeaning::Is(CheckKind::NotAlike),
        "True" | "IsTrue" => MatcherMeaning::Is(CheckKind::True),
        "False" | "IsFalse" => MatcherMeaning::Is(CheckKind::False),
        "Null" | "IsNull" => MatcherMeaning::Is(CheckKind::Null),
        "NotNull" | "IsNotNull" => MatcherMeaning::Is(CheckKind::NotNull),
        "IsType" | "IsExactInstanceOf" => MatcherMeaning::Named("exactly", 1),
        "IsNotType" => MatcherMeaning::NotNamed("exactly", 1),
        "IsAssignableFrom" | "IsInstanceOf" | "IsInstanceOfType" => {
            MatcherMeaning::Is(CheckKind::InstanceOf)
        }
        "Greater" | "IsGreaterThan" => MatcherMeaning::Signed(">"),
        "GreaterOrEqual" | "IsGreaterThanOrEqualTo" => MatcherMeaning::Signed(">="),
        "Less" | "IsLessThan" => MatcherMeaning::Signed("<"),
        "LessOrEqual" | "IsLessThanOrEqualTo" => MatcherMeaning::Signed("<="),
        "Contains" => MatcherMeaning::Named("contains", 1),
        "DoesNotContain" => MatcherMeaning::NotNamed("contains", 1),
        "StartsWith" => MatcherMeaning::Named("starts", 1),
        "EndsWith" => MatcherMeaning::Named("ends", 1),
        "Matches" | "IsMatch" | "MatchesRegex" => MatcherMeaning::Named("matches", 1),
        "DoesNotMatch" => MatcherMeaning::NotNamed("matches", 1),
        "Empty" | "IsEmpty" => MatcherMeaning::Named("empty", 0),
        "NotEmpty" | "IsNotEmpty" => MatcherMeaning::NotNamed("empty", 0),
        "Single" => MatcherMeaning::Named("single", 1),
        "Zero" => MatcherMeaning::Named("zero", 0),
        "NotZero" => MatcherMeaning::NotNamed("zero", 0),
        "Positive" => MatcherMeaning::Named("positive", 0),
        "Negative" => MatcherMeaning::Named("negative", 0),
        "InRange" => MatcherMeaning::Named("range", 2),
        "DoesNotThrow" | "DoesNotThrowAsync" => MatcherMeaning::Is(CheckKind::NotThrows),
        "Fail" => MatcherMeaning::Is(CheckKind::Fail),
        _ => return None,
    })
}

/// Tells whether a method of `Assert` takes the actual value first.
pub fn is_actual_first(name: &str) -> bool {
    matches!(
        name,
        "Greater" | "GreaterOrEqual" | "InRange" | "IsInstanceOfType" | "Less" | "LessOrEqual"
    )
}

/// Tells whether a method expects an exception from the code that it is given.
pub fn is_throwing(name: &str) -> bool {
    name.starts_with("Throw") || matches!(name, "Catch" | "CatchAsync")
}

/// Reads a word behind `Should()`.
pub fn fluent(word: &str, is_called: bool) -> Option<FluentMeaning> {
    if !is_called {
        return (word == "And").then_some(FluentMeaning::Filler);
    }
    Some(FluentMeaning::Says(match word {
        "Be" | "Equal" => MatcherMeaning::Is(CheckKind::Equal),
        "NotBe" | "NotEqual" => MatcherMeaning::Is(CheckKind::NotEqual),
        "BeSameAs" => MatcherMeaning::Is(CheckKind::Same),
        "NotBeSameAs" => MatcherMeaning::Is(CheckKind::NotSame),
        "BeEquivalentTo" => MatcherMeaning::Is(CheckKind::Alike),
        "NotBeEquivalentTo" => MatcherMeaning::Is(CheckKind::NotAlike),
        "BeTrue" => MatcherMeaning::Is(CheckKind::True),
        "BeFalse" => MatcherMeaning::Is(CheckKind::False),
        "BeNull" => MatcherMeaning::Is(CheckKind::Null),
        "NotBeNull" => MatcherMeaning::Is(CheckKind::NotNull),
        "BeOfType" => MatcherMeaning::Named("exactly", 1),
        "BeAssignableTo" => MatcherMeaning::Is(CheckKind::InstanceOf),
        "BeGreaterThan" => MatcherMeaning::Signed(">"),
        "BeGreaterThanOrEqualTo" | "BeGreaterOrEqualTo" => MatcherMeaning::Signed(">="),
        "BeLessThan" => MatcherMeaning::Signed("<"),
        "BeLessThanOrEqualTo" | "BeLessOrEqualTo" => MatcherMeaning::Signed("<="),
        "BeApproximately" | "BeCloseTo" => MatcherMeaning::Near(CheckKind::Equal),
        "HaveCount" | "HaveLength" => MatcherMeaning::Named("length", 1),
        "Contain" => MatcherMeaning::Named("contains", 1),
        "NotContain" => MatcherMeaning::NotNamed("contains", 1),
        "ContainSingle" => MatcherMeaning::Named("single", 1),
        "StartWith" => MatcherMeaning::Named("starts", 1),
        "EndWith" => MatcherMeaning::Named("ends", 1),
        "MatchRegex" => MatcherMeaning::Named("matches", 1),
        "BeEmpty" => MatcherMeaning::Named("empty", 0),
        "NotBeEmpty" => MatcherMeaning::NotNamed("empty", 0),
        "BePositive" => MatcherMeaning::Named("positive", 0),
        "BeNegative" => MatcherMeaning::Named("negative", 0),
        "BeInRange" => MatcherMeaning::Named("range", 2),
        "Throw" | "ThrowAsync" | "ThrowExactly" | "ThrowExactlyAsync" => MatcherMeaning::Throws(1),
        "NotThrow" | "NotThrowAsync" => MatcherMeaning::Is(CheckKind::NotThrows),
        "WithMessage" => MatcherMeaning::Named("message", 1),
        "HaveValue" => MatcherMeaning::Named("value", 1),
        "BeOneOf" => MatcherMeaning::Named("one of", ALL),
        _ => return None,
    }))
}

/// Reads a method of Shouldly.
pub fn shouldly(name: &str) -> Option<MatcherMeaning> {
    Some(match name.strip_prefix("Should")? {
        "Be" => MatcherMeaning::Is(CheckKind::Equal),
        "NotBe" => MatcherMeaning::Is(CheckKind::NotEqual),
        "NotContain" => MatcherMeaning::NotNamed("contains", 1),
        "HaveSingleItem" => MatcherMeaning::Named("single", 0),
        "Match" => MatcherMeaning::Named("matches", 1),
        "Throw" | "ThrowAsync" => MatcherMeaning::Throws(1),
        word => match fluent(word, true) {
            Some(FluentMeaning::Says(says)) => says,
            _ => return None,
        },
    })
}

/// Reads a word of a constraint: `Is.Not.EqualTo(1)`.
pub fn constraint(word: &str, is_called: bool) -> Option<FluentMeaning> {
    Some(match (word, is_called) {
        ("Not" | "No", false) => FluentMeaning::Not,
        ("And" | "With" | "Using", false) => FluentMeaning::Filler,
        ("Within", true) => FluentMeaning::Tolerance,
        ("EqualTo", true) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Equal)),
        ("SameAs", true) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Same)),
        ("EquivalentTo", true) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Alike)),
        ("True", false) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::True)),
        ("False", false) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::False)),
        ("Null", false) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Null)),
        ("Empty", false) => FluentMeaning::Says(MatcherMeaning::Named("empty", 0)),
        ("Zero", false) => FluentMeaning::Says(MatcherMeaning::Named("zero", 0)),
        ("Positive", false) => FluentMeaning::Says(MatcherMeaning::Named("positive", 0)),
        ("Negative", false) => FluentMeaning::Says(MatcherMeaning::Named("negative", 0)),
        ("InstanceOf" | "AssignableTo" | "AssignableFrom", true) => {
            FluentMeaning::Says(MatcherMeaning::Is(CheckKind::InstanceOf))
        }
        ("TypeOf", true) => FluentMeaning::Says(MatcherMeaning::Named("exactly", 1)),
        ("GreaterThan", true) => FluentMeaning::Says(MatcherMeaning::Signed(">")),
        ("GreaterThanOrEqualTo" | "AtLeast", true) => {
            FluentMeaning::Says(MatcherMeaning::Signed(">="))
        }
        ("LessThan", true) => FluentMeaning::Says(MatcherMeaning::Signed("<")),
        ("LessThanOrEqualTo" | "AtMost", true) => FluentMeaning::Says(MatcherMeaning::Signed("<=")),
        ("Contain" | "Contains" | "Member" | "Item" | "Substring", true) => {
            FluentMeaning::Says(MatcherMeaning::Named("contains", 1))
        }
        ("StartWith" | "StartsWith", true) => {
            FluentMeaning::Says(MatcherMeaning::Named("starts", 1))
        }
        ("EndWith" | "EndsWith", true) => FluentMeaning::Says(MatcherMeaning::Named("ends", 1)),
        ("Match" | "Matches", true) => FluentMeaning::Says(MatcherMeaning::Named("matches", 1)),
        ("InRange", true) => FluentMeaning::Says(MatcherMeaning::Named("range", 2)),
        _ => return None,
    })
}
