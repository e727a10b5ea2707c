//! Reads the check of an assertion, however it is written: `assertEquals(a, b)` and `assertThat(b).isEqualTo(a)` are
//! one form.
//!
//! Reads JUnit 3 to 5, TestNG, Mockito's `verify`, AssertJ, FEST, Hamcrest, Truth, their `then` (`bdd`), `assert`, and
//! expectations of exceptions (`thrown`); any other call named as an assertion is a form of its own. Types are not
//! known: a message is told from a tolerance by its look, and by the framework.

use super::bdd::{self, ThenOwner};
use super::code::{Code, NodeSort, hash_of, mix};
use super::form::{Check, CheckExtras, CheckForm, CheckKind, FormLink, is_asserting_class};
use super::matcher;
use super::normal;
use super::thrown;
use super::verify;
use crate::model::{Framework, Language};
use crate::syntax::dialect;

/// Finds the call of a chain that is the assertion, and the calls around it, innermost first.
fn head(code: &Code<'_>, call: u32, then: ThenOwner) -> Option<(u32, Vec<FormLink>)> {
    let mut links = Vec::new();
    let mut at = call;
    loop {
        let name = code.child(at, code.fields().name)?;
        if dialect(Language::Java)
            .assertions
            .is_name(code.source(name))
            || bdd::is_assertion(code, at, &links, then)
            || thrown::is_rule(code, at)
        {
            links.reverse();
            return Some((at, links));
        }
        links.push(FormLink { call: at, name });
        at = code
            .child(at, code.fields().object)
            .filter(|n| code.sort(*n) == NodeSort::Call)?;
    }
}

/// Tells whether a call's result has another call on it.
pub fn is_chained(code: &Code<'_>, call: u32) -> bool {
    let node = code.node(call);
    node.field == code.fields().object && code.sort(node.parent) == NodeSort::Call
}

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for, except in
/// `assertAll`.
pub fn collect(code: &mut Code<'_>, framework: Option<Framework>, then: ThenOwner) -> Vec<Check> {
    let mut checks = gather(code, |code, idx, checks| {
        let found = match code.sort(idx) {
            // The inner calls of a chain are looked at with its last one.
            NodeSort::Call if is_chained(code, idx) => None,
            NodeSort::Call => head(code, idx, then).map(|(head, links)| {
                let name = code.name(head).unwrap_or_default();
                if name == "assertAll" {
                    return false;
                }
                checks.extend(chain(code, framework, idx, head, &links));
                true
            }),
            NodeSort::Assert => Some(assert_statement(code, idx, checks)),
            NodeSort::Pair => expected_exception(code, idx, checks),
            _ => None,
        };
        found == Some(true)
    });
    for check in &mut checks {
        check.thrown = thrown::of(code, check);
    }
    checks
}

/// Finds and masks assertions by `read`, which adds the checks of a node and returns whether that is an assertion.
/// Nodes below one are not looked at.
pub fn gather<'t>(
    code: &mut Code<'t>,
    mut read: impl FnMut(&mut Code<'t>, u32, &mut Vec<Check>) -> bool,
) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut masked = Vec::new();
    let mut idx = 0;
    // Reading may add nodes at the end.
    let n_nodes = code.nodes.len() as u32;
    while idx < n_nodes {
        if read(code, idx, &mut checks) {
            masked.push(idx);
            idx = code.node(idx).end;
        } else {
            idx += 1;
        }
    }
    for idx in masked {
        mask(code, idx);
    }
    code.rehash();
    checks
}

/// Masks a node, and the parts that are nothing without it: the statement, the list or the `await` around it.
fn mask(code: &mut Code<'_>, idx: u32) {
    let mut at = idx;
    loop {
        code.nodes[at as usize].is_masked = true;
        let parent = code.node(at).parent;
        let is_wrapper = code.sort(parent) == NodeSort::Statement
            || code.sort(at) == NodeSort::Pair
            || matches!(
                code.kind_name(parent),
                "await_expression" | "attribute_list"
            );
        if parent == at || !is_wrapper || code.children(parent).next().is_some() {
            return;
        }
        at = parent;
    }
}

fn assert_statement(code: &Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let mut children = code.children(idx);
    let Some(condition) = children.next() else {
        return false;
    };
    let form = CheckForm::new(CheckKind::True, Vec::new(), vec![condition]);
    checks.push(Check {
        node: idx,
        normal: normal::form(code, &form),
        form,
        tolerance: None,
        message: children.next(),
        style: hash_of("assert"),
        is_assumption: false,
        thrown: None,
    });
    true
}

/// Reads `expected = X.class` of an annotation.
fn expected_exception(code: &Code<'_>, idx: u32, checks: &mut Vec<Check>) -> Option<bool> {
    let key = code.child(idx, code.fields().key)?;
    let value = code.child(idx, code.fields().value)?;
    if !matches!(code.source(key), "expected" | "expectedExceptions") {
        return None;
    }
    let form = CheckForm::new(CheckKind::Throws, vec![value], Vec::new());
    checks.push(Check {
        node: idx,
        normal: form.clone(),
        form,
        tolerance: None,
        message: None,
        style: hash_of("expected"),
        is_assumption: false,
        thrown: None,
    });
    Some(true)
}

/// Reads one chain into a check for each thing that it checks.
fn chain(
    code: &Code<'_>,
    framework: Option<Framework>,
    node: u32,
    head: u32,
    links: &[FormLink],
) -> Vec<Check> {
    let mut checks = Vec::new();
    let name = code.name(head).unwrap_or_default();
    let qualifier = code
        .child(head, code.fields().object)
        .map_or(0, |n| code.hash(n));
    let object = code
        .child(head, code.fields().object)
        .filter(|n| !is_asserting_class(code.source(*n)));
    let arguments = code.arguments(head);
    // With a message Truth's assertion begins with another word, and is no other assertion.
    let style_name = match name {
        "assertWithMessage" => "assertThat",
        name => name,
    };
    let style = mix(hash_of(style_name), qualifier);
    let mut add = |form: CheckForm, rest: CheckExtras, style: u64| {
        checks.push(Check {
            node,
            normal: normal::form(code, &form),
            form,
            tolerance: rest.tolerance,
            message: rest.message,
            style,
            is_assumption: name.starts_with("assume"),
            thrown: None,
        });
    };
    let plain_name = bdd::plain(name);
    match plain_name.as_deref().unwrap_or(name) {
        "verify" if !links.is_empty() => {
            let mode = arguments.get(1).copied();
            let mock = arguments.first().copied();
            // The mock comes first: the links are called on it.
            let form = verify::form(code, mock, mode, object, links);
            add(form, CheckExtras::default(), style);
        }
        "assertThat"
            if name == "then"
                && links
                    .first()
                    .is_some_and(|link| bdd::is_of_mock(code, *link)) =>
        {
            let form = verify::then_should(code, &arguments, links);
            add(form, CheckExtras::default(), style);
        }
        "expect" | "expectMessage" | "expectCause" => {
            let way = CheckKind::Named(hash_of(name));
            let form = CheckForm::new(way, arguments, object.into_iter().collect());
            add(form, CheckExtras::default(), style);
        }
        "assertThat"
        | "assertWithMessage"
        | "assertThatThrownBy"
        | "assertThatCode"
        | "assertThatExceptionOfType"
        | "assertThatObject"
        | "assumeThat"
        | "assertThatNullPointerException"
        | "assertThatIllegalArgumentException"
        | "assertThatIllegalStateException"
        | "assertThatIOException"
        | "assertThatNoException" => {
            let found = if links.is_empty() {
                matcher::hamcrest(code, &arguments)
            } else {
                matcher::fluent(
                    code,
                    plain_name.as_deref().unwrap_or(name),
                    &arguments,
                    links,
                )
            };
            for (form, rest, words) in found {
                add(form, rest, mix(style, words));
            }
        }
        _ => {
            let (mut form, rest) = plain(code, framework, name, &arguments);
            // An object that asserts, as `observer.assertValue(1)`, is looked at, and so is the chain before.
            if let Some(object) = object {
                form.actual.insert(0, object);
            }
            // Nothing is known of the calls on it.
            let form = CheckForm {
                links: links.to_vec(),
                ..form
            };
            add(form, rest, style);
        }
    }
    checks
}

/// Reads an assertion that is one call.
fn plain(
    code: &Code<'_>,
    framework: Option<Framework>,
    name: &str,
    arguments: &[u32],
) -> (CheckForm, CheckExtras) {
    let bare = name
        .strip_prefix("assert")
        .or_else(|| name.strip_prefix("assume"))
        .unwrap_or(name);
    let (way, n_operands) = match bare {
        "Equals" | "Equal" => (CheckKind::Equal, 2),
        "NotEquals" | "NotEqual" => (CheckKind::NotEqual, 2),
        "Same" => (CheckKind::Same, 2),
        "NotSame" => (CheckKind::NotSame, 2),
        "ArrayEquals" => (CheckKind::ArrayEqual, 2),
        "True" => (CheckKind::True, 1),
        "False" => (CheckKind::False, 1),
        "Null" => (CheckKind::Null, 1),
        "NotNull" => (CheckKind::NotNull, 1),
        "InstanceOf" => (CheckKind::InstanceOf, 2),
        "Throws" => (CheckKind::Throws, 2),
        "DoesNotThrow" => (CheckKind::NotThrows, 1),
        "fail" => (CheckKind::Fail, 0),
        _ => return (named(code, name, arguments), CheckExtras::default()),
    };
    if arguments.len() < n_operands {
        return (named(code, name, arguments), CheckExtras::default());
    }
    let (operands, rest) = split(code, framework, arguments, n_operands);
    let form = match *operands.as_slice() {
        [first, second] => {
            // TestNG has the actual value first.
            let is_actual_first = framework == Some(Framework::TestNg) && way.is_symmetric();
            let (expected, actual) = if is_actual_first {
                (second, first)
            } else {
                (first, second)
            };
            CheckForm::new(way, vec![expected], vec![actual])
        }
        _ => CheckForm::new(way, Vec::new(), operands),
    };
    (form, rest)
}

/// Reads an assertion that no library has: a literal is taken for expected.
fn named(code: &Code<'_>, name: &str, arguments: &[u32]) -> CheckForm {
    let (expected, actual) = arguments
        .iter()
        .partition(|argument| code.is_literal(**argument));
    CheckForm::new(CheckKind::Named(hash_of(name)), expected, actual)
}

/// Splits arguments into operands, and a message and a tolerance.
fn split(
    code: &Code<'_>,
    framework: Option<Framework>,
    arguments: &[u32],
    n_operands: usize,
) -> (Vec<u32>, CheckExtras) {
    let mut operands = arguments.to_vec();
    let mut rest = CheckExtras::default();
    let n_extra = operands.len() - n_operands;
    if n_extra == 0 {
        return (operands, rest);
    }
    let last = operands[operands.len() - 1];
    let is_text = |n: u32| is_message(code, n);
    let is_last = matches!(framework, Some(Framework::JUnit5 | Framework::TestNg));
    let is_first = matches!(framework, Some(Framework::JUnit3 | Framework::JUnit4));
    let has_message = n_operands != 2 || n_extra > 1 || is_text(operands[0]) || is_text(last) || {
        // Three operands without a text: a variable may hold the message.
        let at = if is_first { operands[0] } else { last };
        is_message_name(code.source(at))
    };
    if has_message {
        let first_is_text = is_text(operands[0]) || is_message_name(code.source(operands[0]));
        let last_is_text = is_text(last) || is_message_name(code.source(last));
        let takes_last = match (first_is_text, last_is_text) {
            (true, false) => is_last && n_operands == 2 && code.sort(last) == NodeSort::Name,
            (false, true) => true,
            (true, true) => !is_first,
            _ => is_last || code.sort(last) == NodeSort::Lambda || (!is_first && n_operands == 1),
        };
        rest.message = Some(if takes_last {
            operands.remove(operands.len() - 1)
        } else {
            operands.remove(0)
        });
    }
    if operands.len() > n_operands {
        rest.tolerance = Some(operands[n_operands]);
        operands.truncate(n_operands);
    }
    (operands, rest)
}

/// Tells whether a value is a text: a literal, a sum with one, something formatted, or a lambda that makes it.
fn is_message(code: &Code<'_>, idx: u32) -> bool {
    match code.sort(idx) {
        NodeSort::Literal => code.source(idx).starts_with('"'),
        NodeSort::Binary => code.nodes[idx as usize..code.node(idx).end as usize]
            .iter()
            .any(|node| node.sort == NodeSort::Literal && node.span.of(code.text).starts_with('"')),
        NodeSort::Call => matches!(code.name(idx), Some("format" | "formatted")),
        NodeSort::Lambda => true,
        _ => false,
    }
}

fn is_message_name(name: &str) -> bool {
    matches!(
        name,
        "message" | "msg" | "reason" | "errorMessage" | "MESSAGE" | "MSG"
    )
}
