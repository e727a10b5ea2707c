//! The ways to expect an exception: by a call that takes the code, by `try` with `fail()`, by a rule, by an annotation.
//!
//! Each way is a check of its own, and two of different ways are a different assertion in any case. Code that stands in
//! the check on one side stands beside it on the other, so in such a pair it is compared as statements of the test.

use super::code::{Code, NodeSort};
use super::form::{Check, CheckKind, ThrowsCheck, ThrowsStyle};

/// Tells whether a call is one of JUnit's `ExpectedException` that expects, by its shape.
pub fn is_rule(code: &Code<'_>, call: u32) -> bool {
    let is_on_name = code
        .child(call, code.fields().object)
        .is_some_and(|object| matches!(code.sort(object), NodeSort::Name | NodeSort::FieldAccess));
    match (code.name(call), code.arguments(call).as_slice()) {
        (Some("expect"), [class]) => is_on_name && code.sort(*class) == NodeSort::ClassLiteral,
        (Some("expectMessage" | "expectCause"), [_]) => is_on_name,
        _ => false,
    }
}

/// Reads how a check expects an exception. All checks are masked by now.
pub fn of(code: &Code<'_>, check: &Check) -> Option<ThrowsCheck> {
    let only = |manner| ThrowsCheck {
        manner,
        around: None,
        guarded: Vec::new(),
    };
    match check.form.kind {
        CheckKind::Throws if code.sort(check.node) == NodeSort::Pair => {
            Some(only(ThrowsStyle::Annotation))
        }
        CheckKind::Throws => {
            let around = declaration(code, check.node);
            let statement = around.unwrap_or(code.node(check.node).parent);
            let bodies = check
                .form
                .actual
                .iter()
                .filter_map(|n| lambda_body(code, *n));
            Some(if is_of_test(code, statement) {
                ThrowsCheck {
                    manner: ThrowsStyle::Call,
                    around,
                    guarded: bodies.flatten().collect(),
                }
            } else {
                only(ThrowsStyle::Call)
            })
        }
        CheckKind::Fail => caught(code, check.node),
        _ if is_rule(code, check.node) => Some(only(ThrowsStyle::Rule)),
        _ => None,
    }
}

/// Lists the statements of a lambda.
pub fn lambda_body(code: &Code<'_>, lambda: u32) -> Option<Vec<u32>> {
    if code.sort(lambda) != NodeSort::Lambda {
        return None;
    }
    let body = code.child(lambda, code.fields().body)?;
    Some(match code.sort(body) {
        NodeSort::Block => code.children(body).collect(),
        _ => vec![body],
    })
}

/// Returns the declaration that only keeps the value of a node.
fn declaration(code: &Code<'_>, node: u32) -> Option<u32> {
    let declarator = code.node(node).parent;
    let declaration = code.node(declarator).parent;
    let is_value = code.node(node).field == code.fields().value
        && code.sort(declarator) == NodeSort::Declarator
        && code.sort(declaration) == NodeSort::Declaration;
    let is_declarator = |n: &u32| code.sort(*n) == NodeSort::Declarator;
    (is_value && code.children(declaration).filter(is_declarator).count() == 1)
        .then_some(declaration)
}

/// Reads the `try` whose last statement is this `fail()`: one `catch` that does nothing but assert, and no more.
pub fn caught(code: &Code<'_>, fail: u32) -> Option<ThrowsCheck> {
    let outer = code.node(fail).parent;
    // In Python an assertion may be a statement itself.
    let statement = if code.sort(outer) == NodeSort::Block {
        fail
    } else {
        outer
    };
    let block = code.node(statement).parent;
    let around = code.node(block).parent;
    let is_last = (statement == fail || code.sort(statement) == NodeSort::Statement)
        && code.node(statement).end == code.node(block).end
        && code.node(block).field == code.fields().body;
    if !is_last || code.sort(around) != NodeSort::Try {
        return None;
    }
    let rest: Vec<u32> = code
        .children(around)
        .filter(|child| *child != block)
        .collect();
    let &[catch] = rest.as_slice() else {
        return None;
    };
    let handler = code
        .child(catch, code.fields().body)
        .filter(|_| code.sort(catch) == NodeSort::Catch)?;
    let is_own = is_of_test(code, around);
    code.children(handler)
        .next()
        .is_none()
        .then(|| ThrowsCheck {
            manner: ThrowsStyle::Try,
            around: is_own.then_some(around),
            guarded: code.children(block).filter(|_| is_own).collect(),
        })
}

/// Tells whether a statement stands in no other one.
pub fn is_of_test(code: &Code<'_>, statement: u32) -> bool {
    let parent = code.node(statement).parent;
    parent == 0
        || code.sort(parent) == NodeSort::Block
            && code.sort(code.node(parent).parent) == NodeSort::Method
}
