//! Chains of words that say one thing after the other of a value: `expect(a).not.toBe(b)`, `a.Should().Be(b).And.…`.
//!
//! A chain is calls and fields, one on the other. The language's table tells what a word says; a word that no table has
//! leads to another value, or checks in a way of its own where it is the last one.

use super::code::{Code, NodeSort, hash_of, mix};
use super::form::{Check, CheckForm, CheckKind};
use super::logic::{self, Logic};
use super::says::{MatcherMeaning, Operands};

/// A call or a field in a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentWord<'t> {
    /// The node of the call or the field.
    pub node: u32,
    /// The node of the name.
    pub name: u32,
    pub text: &'t str,
    /// The object that it is called on, or a field of.
    pub object: Option<u32>,
    /// The arguments of the call; nothing for a field.
    pub arguments: Option<Vec<u32>>,
    /// The types between angle brackets.
    pub types: Vec<u32>,
}

/// The meaning of a word of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FluentMeaning {
    /// It only reads well.
    Filler,
    /// The next word does not hold.
    Not,
    /// The content of both sides is compared, and not their identity.
    Deep,
    Says(MatcherMeaning),
    /// The next word's tolerance: `Within(0.1)` of the word before.
    Tolerance,
}

/// Finds the meaning of a library's word; the meaning of some depends on whether the word is called.
pub type Meanings = fn(&str, bool) -> Option<FluentMeaning>;

/// Lists the words of a chain, innermost first; the receiver of the chain is the object of the first.
pub fn unchained<'t>(code: &Code<'t>, idx: u32) -> Vec<FluentWord<'t>> {
    let fields = code.fields();
    let mut words = Vec::new();
    let mut at = Some(idx);
    while let Some(node) = at {
        let is_call = match code.sort(node) {
            NodeSort::Call => true,
            NodeSort::FieldAccess => false,
            _ => break,
        };
        let named = if is_call { fields.name } else { fields.field };
        let Some(name) = code.child(node, named) else {
            break;
        };
        let object = code.child(node, fields.object);
        let types = code.children(node).filter(|child| {
            code.sort(*child) == NodeSort::Type
                && Some(*child) != object
                && Some(*child) != Some(name)
        });
        words.push(FluentWord {
            node,
            name,
            text: code.source(name),
            object,
            arguments: is_call.then(|| code.arguments(node)),
            types: types
                .flat_map(|n| code.children(n))
                .filter(|n| code.sort(*n) != NodeSort::Operator)
                .collect(),
        });
        at = object;
    }
    words.reverse();
    words
}

/// Tells whether a node is a part of a longer chain.
pub fn is_inner(code: &Code<'_>, idx: u32) -> bool {
    let node = code.node(idx);
    node.field == code.fields().object
        && matches!(
            code.sort(node.parent),
            NodeSort::Call | NodeSort::FieldAccess
        )
}

/// The beginning of a chain that asserts.
pub struct ChainHead {
    /// All of the chain.
    pub node: u32,
    pub actual: Vec<u32>,
    /// A hash of how it begins.
    pub style: u64,
    pub message: Option<u32>,
}

/// Reads the words behind the head: a check for each word with a meaning.
pub fn checks(
    code: &mut Code<'_>,
    head: &ChainHead,
    words: &[FluentWord<'_>],
    (meanings, logic): (Meanings, &Logic),
) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    let mut actual = head.actual.clone();
    let (mut is_negated, mut is_deep) = (false, false);
    for (idx, word) in words.iter().enumerate() {
        let is_last = idx + 1 == words.len();
        let arguments = word.arguments.clone().unwrap_or_default();
        let mut others = word.types.clone();
        others.extend(&arguments);
        let says = match meanings(word.text, word.arguments.is_some()) {
            Some(FluentMeaning::Filler) if !is_last || !checks.is_empty() => continue,
            Some(FluentMeaning::Not) => {
                is_negated = !is_negated;
                continue;
            }
            Some(FluentMeaning::Deep) => {
                is_deep = true;
                continue;
            }
            Some(FluentMeaning::Tolerance) => {
                if let Some(last) = checks.last_mut() {
                    last.tolerance = arguments.first().copied();
                }
                continue;
            }
            Some(FluentMeaning::Says(says)) => says,
            // The last word checks, in a way of its own.
            _ if is_last && checks.is_empty() => {
                let form =
                    CheckForm::new(CheckKind::Named(hash_of(word.text)), others, actual.clone());
                let style = mix(head.style, hash_of(word.text));
                checks.push(build_check(code, head, form, (is_negated, style), logic));
                continue;
            }
            _ => {
                actual.push(word.name);
                actual.extend(others);
                continue;
            }
        };
        let operands = Operands {
            actual: actual.clone(),
            others,
        };
        let (mut form, rest) = says.form(code, &operands);
        if is_deep {
            form.kind = match form.kind {
                CheckKind::Same | CheckKind::Alike => CheckKind::Equal,
                way => way,
            };
        }
        let style = mix(head.style, hash_of(word.text));
        let mut check = build_check(code, head, form, (is_negated, style), logic);
        check.tolerance = rest.tolerance;
        check.message = rest.message.or(head.message);
        checks.push(check);
        is_negated = false;
    }
    checks
}

fn build_check(
    code: &mut Code<'_>,
    head: &ChainHead,
    mut form: CheckForm,
    (is_negated, style): (bool, u64),
    logic: &Logic,
) -> Check {
    if is_negated {
        form = logic::negated(code, form);
    }
    let normal = logic::normal(code, &form, logic);
    Check::new(head.node, form, normal, style)
}
