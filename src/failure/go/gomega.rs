//! Reads the checks of gomega's chains: `Expect(a).To(Equal(b))` and its like.

use super::words;
use crate::code::{Code, NodeSort, hash_of, mix};
use crate::fluent::{FluentMeaning, unchained};
use crate::form::{Check, CheckForm, CheckKind};
use crate::logic::{self, Logic};
use crate::says::{MatcherMeaning, Operands};

/// Reads `Expect(a).To(Equal(b))`.
pub fn expected(code: &mut Code<'_>, idx: u32, logic: &Logic) -> Option<Check> {
    let words = unchained(code, idx);
    let head = words.iter().position(|word| {
        matches!(
            word.text,
            "Expect" | "Ω" | "Eventually" | "Consistently" | "ExpectWithOffset"
        ) && word.arguments.is_some()
    })?;
    let mut actual = words[head].arguments.clone().unwrap_or_default();
    let style = hash_of(words[head].text);
    let mut is_negated = false;
    for word in &words[head + 1..] {
        let arguments = word.arguments.clone().unwrap_or_default();
        let Some(meaning) = words::link(word.text) else {
            actual.push(word.name);
            actual.extend(arguments);
            continue;
        };
        is_negated ^= meaning == FluentMeaning::Not;
        let (matcher, message) = arguments.split_first()?;
        let mut check = matched(code, (idx, logic), (*matcher, is_negated), actual);
        check.style = mix(check.style, style);
        check.message = message.first().copied();
        return Some(check);
    }
    let form = CheckForm::new(CheckKind::Named(style), Vec::new(), actual);
    Some(Check::new(idx, form.clone(), form, style))
}

/// Reads a matcher: `Not` is looked through.
fn matched(
    code: &mut Code<'_>,
    (node, logic): (u32, &Logic),
    (mut matcher, mut is_negated): (u32, bool),
    actual: Vec<u32>,
) -> Check {
    while code.sort(matcher) == NodeSort::Call
        && code.name(matcher) == Some("Not")
        && let &[inner] = code.arguments(matcher).as_slice()
    {
        matcher = inner;
        is_negated = !is_negated;
    }
    let name = code
        .name(matcher)
        .filter(|_| code.sort(matcher) == NodeSort::Call);
    let style = hash_of(name.unwrap_or_default());
    let others = code.arguments(matcher);
    let (form, tolerance) = match name.map(|name| (name, words::matcher(name))) {
        Some((_, Some(says))) => {
            let operands = Operands { actual, others };
            let (form, rest) = says.form(code, &operands);
            (form, rest.tolerance)
        }
        Some(("BeNumerically", None)) => numerically(code, actual, &others),
        Some((name, None)) => (
            CheckForm::new(CheckKind::Named(hash_of(name)), others, actual),
            None,
        ),
        None => (
            CheckForm::new(CheckKind::Equal, vec![matcher], actual),
            None,
        ),
    };
    let form = if is_negated {
        logic::negated(code, form)
    } else {
        form
    };
    let normal = logic::normal(code, &form, logic);
    let mut check = Check::new(node, form, normal, style);
    check.tolerance = tolerance;
    check
}

/// Reads `BeNumerically("~", 1.0, 0.1)`.
fn numerically(code: &mut Code<'_>, actual: Vec<u32>, given: &[u32]) -> (CheckForm, Option<u32>) {
    let says = match given.first().map(|sign| code.source(*sign)) {
        Some("\"==\"") => MatcherMeaning::Is(CheckKind::Equal),
        Some("\"!=\"") => MatcherMeaning::Is(CheckKind::NotEqual),
        Some("\"~\"") => MatcherMeaning::Near(CheckKind::Equal),
        Some("\"<\"") => MatcherMeaning::Signed("<"),
        Some("\"<=\"") => MatcherMeaning::Signed("<="),
        Some("\">\"") => MatcherMeaning::Signed(">"),
        Some("\">=\"") => MatcherMeaning::Signed(">="),
        _ => {
            let form = CheckForm::new(
                CheckKind::Named(hash_of("BeNumerically")),
                given.to_vec(),
                actual,
            );
            return (form, None);
        }
    };
    let others = given.iter().skip(1).copied().collect();
    let operands = Operands { actual, others };
    let (form, rest) = says.form(code, &operands);
    (form, rest.tolerance)
}
