//! What the words of assertion libraries say in C#: the classes called `Assert`, `FluentAssertions` and Shouldly, and the
//! constraints of `NUnit`.

use crate::fluent::Meaning;
use crate::form::Way;
use crate::says::{ALL, Says};

/// Reads a method of a class called `Assert`; those have the expected value first.
pub fn plain(name: &str) -> Option<Says> {
    Some(match name {
        "Equal" | "AreEqual" | "StrictEqual" => Says::Is(Way::Equal),
        "NotEqual" | "AreNotEqual" | "NotStrictEqual" => Says::Is(Way::NotEqual),
        "Same" | "AreSame" => Says::Is(Way::Same),
        "NotSame" | "AreNotSame" => Says::Is(Way::NotSame),
        "Equivalent" | "AreEquivalent" => Says::Is(Way::Alike),
        "AreNotEquivalent" => Says::Is(Way::NotAlike),
        "True" | "IsTrue" => Says::Is(Way::True),
        "False" | "IsFalse" => Says::Is(Way::False),
        "Null" | "IsNull" => Says::Is(Way::Null),
        "NotNull" | "IsNotNull" => Says::Is(Way::NotNull),
        "IsType" | "IsExactInstanceOf" => Says::Named("exactly", 1),
        "IsNotType" => Says::NotNamed("exactly", 1),
        "IsAssignableFrom" | "IsInstanceOf" | "IsInstanceOfType" => Says::Is(Way::InstanceOf),
        "Greater" | "IsGreaterThan" => Says::Signed(">"),
        "GreaterOrEqual" | "IsGreaterThanOrEqualTo" => Says::Signed(">="),
        "Less" | "IsLessThan" => Says::Signed("<"),
        "LessOrEqual" | "IsLessThanOrEqualTo" => Says::Signed("<="),
        "Contains" => Says::Named("contains", 1),
        "DoesNotContain" => Says::NotNamed("contains", 1),
        "StartsWith" => Says::Named("starts", 1),
        "EndsWith" => Says::Named("ends", 1),
        "Matches" | "IsMatch" | "MatchesRegex" => Says::Named("matches", 1),
        "DoesNotMatch" => Says::NotNamed("matches", 1),
        "Empty" | "IsEmpty" => Says::Named("empty", 0),
        "NotEmpty" | "IsNotEmpty" => Says::NotNamed("empty", 0),
        "Single" => Says::Named("single", 1),
        "Zero" => Says::Named("zero", 0),
        "NotZero" => Says::NotNamed("zero", 0),
        "Positive" => Says::Named("positive", 0),
        "Negative" => Says::Named("negative", 0),
        "InRange" => Says::Named("range", 2),
        "DoesNotThrow" | "DoesNotThrowAsync" => Says::Is(Way::NotThrows),
        "Fail" => Says::Is(Way::Fail),
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
pub fn fluent(word: &str, is_called: bool) -> Option<Meaning> {
    if !is_called {
        return (word == "And").then_some(Meaning::Filler);
    }
    Some(Meaning::Says(match word {
        "Be" | "Equal" => Says::Is(Way::Equal),
        "NotBe" | "NotEqual" => Says::Is(Way::NotEqual),
        "BeSameAs" => Says::Is(Way::Same),
        "NotBeSameAs" => Says::Is(Way::NotSame),
        "BeEquivalentTo" => Says::Is(Way::Alike),
        "NotBeEquivalentTo" => Says::Is(Way::NotAlike),
        "BeTrue" => Says::Is(Way::True),
        "BeFalse" => Says::Is(Way::False),
        "BeNull" => Says::Is(Way::Null),
        "NotBeNull" => Says::Is(Way::NotNull),
        "BeOfType" => Says::Named("exactly", 1),
        "BeAssignableTo" => Says::Is(Way::InstanceOf),
        "BeGreaterThan" => Says::Signed(">"),
        "BeGreaterThanOrEqualTo" | "BeGreaterOrEqualTo" => Says::Signed(">="),
        "BeLessThan" => Says::Signed("<"),
        "BeLessThanOrEqualTo" | "BeLessOrEqualTo" => Says::Signed("<="),
        "BeApproximately" | "BeCloseTo" => Says::Near(Way::Equal),
        "HaveCount" | "HaveLength" => Says::Named("length", 1),
        "Contain" => Says::Named("contains", 1),
        "NotContain" => Says::NotNamed("contains", 1),
        "ContainSingle" => Says::Named("single", 1),
        "StartWith" => Says::Named("starts", 1),
        "EndWith" => Says::Named("ends", 1),
        "MatchRegex" => Says::Named("matches", 1),
        "BeEmpty" => Says::Named("empty", 0),
        "NotBeEmpty" => Says::NotNamed("empty", 0),
        "BePositive" => Says::Named("positive", 0),
        "BeNegative" => Says::Named("negative", 0),
        "BeInRange" => Says::Named("range", 2),
        "Throw" | "ThrowAsync" | "ThrowExactly" | "ThrowExactlyAsync" => Says::Throws(1),
        "NotThrow" | "NotThrowAsync" => Says::Is(Way::NotThrows),
        "WithMessage" => Says::Named("message", 1),
        "HaveValue" => Says::Named("value", 1),
        "BeOneOf" => Says::Named("one of", ALL),
        _ => return None,
    }))
}

/// Reads a method of Shouldly.
pub fn shouldly(name: &str) -> Option<Says> {
    Some(match name.strip_prefix("Should")? {
        "Be" => Says::Is(Way::Equal),
        "NotBe" => Says::Is(Way::NotEqual),
        "NotContain" => Says::NotNamed("contains", 1),
        "HaveSingleItem" => Says::Named("single", 0),
        "Match" => Says::Named("matches", 1),
        "Throw" | "ThrowAsync" => Says::Throws(1),
        word => match fluent(word, true) {
            Some(Meaning::Says(says)) => says,
            _ => return None,
        },
    })
}

/// Reads a word of a constraint: `Is.Not.EqualTo(1)`.
pub fn constraint(word: &str, is_called: bool) -> Option<Meaning> {
    Some(match (word, is_called) {
        ("Not" | "No", false) => Meaning::Not,
        ("And" | "With" | "Using", false) => Meaning::Filler,
        ("Within", true) => Meaning::Tolerance,
        ("EqualTo", true) => Meaning::Says(Says::Is(Way::Equal)),
        ("SameAs", true) => Meaning::Says(Says::Is(Way::Same)),
        ("EquivalentTo", true) => Meaning::Says(Says::Is(Way::Alike)),
        ("True", false) => Meaning::Says(Says::Is(Way::True)),
        ("False", false) => Meaning::Says(Says::Is(Way::False)),
        ("Null", false) => Meaning::Says(Says::Is(Way::Null)),
        ("Empty", false) => Meaning::Says(Says::Named("empty", 0)),
        ("Zero", false) => Meaning::Says(Says::Named("zero", 0)),
        ("Positive", false) => Meaning::Says(Says::Named("positive", 0)),
        ("Negative", false) => Meaning::Says(Says::Named("negative", 0)),
        ("InstanceOf" | "AssignableTo" | "AssignableFrom", true) => {
            Meaning::Says(Says::Is(Way::InstanceOf))
        }
        ("TypeOf", true) => Meaning::Says(Says::Named("exactly", 1)),
        ("GreaterThan", true) => Meaning::Says(Says::Signed(">")),
        ("GreaterThanOrEqualTo" | "AtLeast", true) => Meaning::Says(Says::Signed(">=")),
        ("LessThan", true) => Meaning::Says(Says::Signed("<")),
        ("LessThanOrEqualTo" | "AtMost", true) => Meaning::Says(Says::Signed("<=")),
        ("Contain" | "Contains" | "Member" | "Item" | "Substring", true) => {
            Meaning::Says(Says::Named("contains", 1))
        }
        ("StartWith" | "StartsWith", true) => Meaning::Says(Says::Named("starts", 1)),
        ("EndWith" | "EndsWith", true) => Meaning::Says(Says::Named("ends", 1)),
        ("Match" | "Matches", true) => Meaning::Says(Says::Named("matches", 1)),
        ("InRange", true) => Meaning::Says(Says::Named("range", 2)),
        _ => return None,
    })
}
