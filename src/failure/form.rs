//! A check as a value: its way, its parts, and how it expects an exception. [`check`](super::check) decides which calls
//! are checks.

use super::code::{Code, hash_of, mix};
use crate::model::Span;

/// How a check is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckKind {
    Equal,
    NotEqual,
    Same,
    NotSame,
    /// Equal after what differs in kind was made alike: `1` and `"1"`, a list and an array.
    Alike,
    NotAlike,
    ArrayEqual,
    True,
    False,
    Null,
    NotNull,
    InstanceOf,
    Throws,
    NotThrows,
    Fail,
    /// With the sign between the two beside the actual value.
    Ordered,
    /// With a hash of how often; 0 for once.
    Verify(u64),
    /// The library's name for it, hashed.
    Named(u64),
    NotNamed(u64),
}

impl CheckKind {
    /// Tells whether the two sides may change places.
    pub const fn is_symmetric(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Same
                | Self::NotSame
                | Self::Alike
                | Self::NotAlike
                | Self::ArrayEqual
        )
    }

    /// Finds the way that holds exactly when this one does not.
    pub const fn negated(self) -> Option<Self> {
        Some(match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Same => Self::NotSame,
            Self::NotSame => Self::Same,
            Self::Alike => Self::NotAlike,
            Self::NotAlike => Self::Alike,
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Null => Self::NotNull,
            Self::NotNull => Self::Null,
            Self::Named(name) => Self::NotNamed(name),
            Self::NotNamed(name) => Self::Named(name),
            _ => return None,
        })
    }
}

/// A call in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormLink {
    /// The call's node.
    pub call: u32,
    /// The name's node.
    pub name: u32,
}

/// A check as a way and its operands, all of them nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckForm {
    pub kind: CheckKind,
    pub expected: Vec<u32>,
    pub actual: Vec<u32>,
    /// Calls on the first of `actual` that are no nodes of the tree: the verified call, the argument of `extracting`.
    pub links: Vec<FormLink>,
    /// The expected value is written where this way has the actual one: `1 == x` in Python.
    pub is_reversed: bool,
}

impl CheckForm {
    pub const fn new(kind: CheckKind, expected: Vec<u32>, actual: Vec<u32>) -> Self {
        Self {
            kind,
            expected,
            actual,
            links: Vec::new(),
            is_reversed: false,
        }
    }

    /// Hashes a form, equally for equal forms; where the way is symmetric, the order of the sides does not count.
    pub fn key(&self, code: &Code<'_>) -> u64 {
        let [first, second] = self.written(code);
        let way = match self.kind {
            CheckKind::Verify(times) => mix(101, times),
            CheckKind::Named(name) => mix(102, name),
            CheckKind::NotNamed(name) => mix(103, name),
            other => hash_of(&format!("{other:?}")),
        };
        if self.kind.is_symmetric() {
            let (low, high) = (first.min(second), first.max(second));
            mix(mix(way, low), high)
        } else {
            mix(mix(way, first), second)
        }
    }

    /// Hashes both sides, in the order that they are written in.
    pub fn written(&self, code: &Code<'_>) -> [u64; 2] {
        let [expected, actual] = self.sides(code);
        if self.is_reversed {
            [actual, expected]
        } else {
            [expected, actual]
        }
    }

    /// Returns the form with the sides in the places that another form has them in.
    pub fn placed_as(&self, other: &Self) -> Self {
        if self.is_reversed == other.is_reversed || self.kind.is_symmetric() {
            return self.clone();
        }
        Self {
            expected: self.actual.clone(),
            actual: self.expected.clone(),
            is_reversed: other.is_reversed,
            ..self.clone()
        }
    }

    /// Hashes the expected side and the actual one.
    pub fn sides(&self, code: &Code<'_>) -> [u64; 2] {
        let all = |nodes: &[u32]| nodes.iter().fold(0, |sum, node| mix(sum, code.hash(*node)));
        let links = self.links.iter().fold(all(&self.actual), |sum, link| {
            let sum = mix(sum, code.hash(link.name));
            code.arguments(link.call)
                .iter()
                .fold(sum, |sum, argument| mix(sum, code.hash(*argument)))
        });
        [all(&self.expected), links]
    }
}

/// The parts of a check beside its operands.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckExtras {
    pub tolerance: Option<u32>,
    pub message: Option<u32>,
}

/// How an exception is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrowsStyle {
    /// `assertThrows(…)`.
    Call,
    /// `try { …; fail(); } catch (X e) { }`.
    Try,
    /// `rule.expect(X.class)`.
    Rule,
    /// `@Test(expected = X.class)`.
    Annotation,
}

/// An exception that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrowsCheck {
    pub manner: ThrowsStyle,
    /// The statement that is nothing without the check: the `try`, or the declaration of the exception; only where it
    /// is one of the test itself.
    pub around: Option<u32>,
    /// The statements that should throw, where the check is a statement of the test itself.
    pub guarded: Vec<u32>,
}

/// One assertion.
#[derive(Clone, Debug)]
pub struct Check {
    /// Where it stands: the whole chain, for each of its checks.
    pub node: u32,
    pub form: CheckForm,
    /// The same after all rewriting; see `normal`.
    pub normal: CheckForm,
    pub tolerance: Option<u32>,
    pub message: Option<u32>,
    /// A hash of the names that it is written with.
    pub style: u64,
    /// `assume…`: a test that does not run is none that fails.
    pub is_assumption: bool,
    /// How it expects an exception, if it does.
    pub thrown: Option<ThrowsCheck>,
}

impl Check {
    /// Makes a check that has no more than its form.
    pub const fn new(node: u32, form: CheckForm, normal: CheckForm, style: u64) -> Self {
        Self {
            node,
            form,
            normal,
            tolerance: None,
            message: None,
            style,
            is_assumption: false,
            thrown: None,
        }
    }

    pub fn span(&self, code: &Code<'_>) -> Span {
        code.node(self.node).span
    }

    /// Hashes a check, equally for checks of the same thing.
    pub fn key(&self, code: &Code<'_>) -> u64 {
        let tolerance = self.tolerance.map_or(0, |tolerance| code.hash(tolerance));
        mix(
            mix(self.normal.key(code), tolerance),
            u64::from(self.is_assumption),
        )
    }
}

/// Tells whether the class of a static assertion is written out, qualified or not: then it adds nothing.
pub fn is_asserting_class(object: &str) -> bool {
    let name = object.rsplit('.').next().unwrap_or(object).trim();
    matches!(
        name,
        "Assert"
            | "Assertions"
            | "AssertionsForClassTypes"
            | "AssertionsForInterfaceTypes"
            | "AssertJUnit"
            | "BDDAssertions"
            | "Assume"
            | "Assumptions"
            | "BDDMockito"
            | "Fail"
            | "MatcherAssert"
            | "MatcherAssume"
            | "Mockito"
            | "TestCase"
            | "Truth"
            | "Truth8"
    )
}
