//! The meaning of one word of an assertion: `Equal` of testify, `toBe` of jest and `Be` of `FluentAssertions` alike.
//!
//! Each language has a table of its own with the meanings of words.

use super::code::{Code, NodeSort, hash_of};
use super::form::{Check, CheckExtras, CheckForm, CheckKind};
use super::sides;
use super::tree;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatcherMeaning {
    /// The value is so; where a way has two sides, the other one follows.
    Is(CheckKind),
    /// It throws; this number of values describes what.
    Throws(usize),
    /// This sign stands between the value and the next one.
    Signed(&'static str),
    /// Nearly equal to the next value, or not; the one after says how nearly.
    Near(CheckKind),
    /// The name, with this number of other values; nothing more is known.
    Named(&'static str, usize),
    NotNamed(&'static str, usize),
}

/// The number of other values of a word that takes any number.
pub const ALL: usize = usize::MAX;

/// The order of a plain call's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandOrder {
    ExpectedFirst,
    ActualFirst,
}

/// The operands of a plain call, by their roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    pub actual: Vec<u32>,
    pub others: Vec<u32>,
}

impl MatcherMeaning {
    /// Returns how many values a word takes beside the actual one.
    const fn n_others(self) -> usize {
        match self {
            Self::Is(CheckKind::InstanceOf) | Self::Signed(_) => 1,
            Self::Is(way) if way.is_symmetric() => 1,
            Self::Is(_) => 0,
            Self::Near(_) => 2,
            Self::Throws(n) | Self::Named(_, n) | Self::NotNamed(_, n) => n,
        }
    }

    /// Tells whether a call with `n_operands` can be read like this.
    pub const fn fits(self, n_operands: usize) -> bool {
        let n_needed = match self {
            Self::Is(CheckKind::Fail) => 0,
            Self::Is(way) if way.is_symmetric() => 2,
            Self::Signed(_) | Self::Near(_) => 2,
            _ => 1,
        };
        n_operands >= n_needed
    }

    /// Tells the operands of a plain call apart.
    pub fn operands(self, operands: &[u32], order: OperandOrder) -> Operands {
        if self == Self::Is(CheckKind::Fail) {
            return Operands {
                actual: Vec::new(),
                others: operands.to_vec(),
            };
        }
        let is_second =
            order == OperandOrder::ExpectedFirst && self.n_others() > 0 && operands.len() > 1;
        let mut others = operands.to_vec();
        let actual = if others.is_empty() {
            Vec::new()
        } else {
            vec![others.remove(usize::from(is_second))]
        };
        Operands { actual, others }
    }

    /// Makes the form of a word, with the rest of the operands as its message.
    pub fn form(self, code: &mut Code<'_>, operands: &Operands) -> (CheckForm, CheckExtras) {
        let Operands { actual, others } = operands;
        let n_taken = self.n_others().min(others.len());
        let (taken, rest) = others.split_at(n_taken);
        let mut rest = CheckExtras {
            tolerance: None,
            message: joined(code, rest),
        };
        let taken = taken.to_vec();
        let actual = actual.clone();
        let form = match self {
            Self::Is(way) => CheckForm::new(way, taken, actual),
            Self::Throws(_) => CheckForm::new(CheckKind::Throws, taken, actual),
            Self::Signed(sign) => signed(code, sign, taken, actual),
            Self::Near(way) => {
                rest.tolerance = taken.get(1).copied();
                CheckForm::new(way, taken.into_iter().take(1).collect(), actual)
            }
            Self::Named(name, _) => CheckForm::new(CheckKind::Named(hash_of(name)), taken, actual),
            Self::NotNamed(name, _) => {
                CheckForm::new(CheckKind::NotNamed(hash_of(name)), taken, actual)
            }
        };
        (form, rest)
    }
}

fn signed(code: &mut Code<'_>, sign: &str, taken: Vec<u32>, mut actual: Vec<u32>) -> CheckForm {
    if let Some(&value) = actual.first() {
        actual.push(tree::leaf(code, value, sign, NodeSort::Operator, sign));
    }
    CheckForm::new(CheckKind::Ordered, taken, actual)
}

/// Joins several nodes to one.
fn joined(code: &mut Code<'_>, nodes: &[u32]) -> Option<u32> {
    match *nodes {
        [] => None,
        [only] => Some(only),
        [first, ..] => Some(tree::arguments(code, first, nodes)),
    }
}

/// Makes the check of an assertion that no table has: for two values on no object, `sides` decides which is expected,
/// else the constants are.
pub fn named(code: &Code<'_>, call: u32, object: Option<u32>, operands: &[u32]) -> Check {
    let name = hash_of(code.name(call).unwrap_or_default());
    let mut form = match *operands {
        [first, second] if object.is_none() => {
            sides::pair(code, CheckKind::Named(name), first, second)
        }
        ref all => {
            let (expected, actual) = all
                .iter()
                .partition(|operand| sides::is_constant(code, **operand));
            CheckForm::new(CheckKind::Named(name), expected, actual)
        }
    };
    if let Some(object) = object {
        form.actual.insert(0, object);
    }
    Check::new(call, form.clone(), form, name)
}
