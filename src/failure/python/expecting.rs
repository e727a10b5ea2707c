//! Expectations of an exception or a warning: `pytest.raises` and `assertRaises` with their like, before a block or
//! with a function to call.
//!
//! One that also says what the message must match is two checks. How the exception is kept is not compared: `e.value` of
//! the one and `e.exception` of the other are the same.

use super::super::code::{Code, NodeSort, hash_of, mix};
use super::super::form::{Check, CheckForm, CheckKind, ThrowsCheck, ThrowsStyle};
use super::super::thrown::is_of_test;
use super::super::tree;

/// The exception that a call expects.
pub struct RaisesCall {
    kind: CheckKind,
    /// The class of the exception or the warning.
    class: Option<u32>,
    pattern: Option<u32>,
    message: Option<u32>,
    style: u64,
    /// The function to call, with its arguments.
    called: Option<(u32, Vec<u32>)>,
}

/// Looks up the way in which a call of that name expects something.
fn way_of(name: &str) -> Option<CheckKind> {
    match name {
        "raises"
        | "assertRaises"
        | "assertRaisesRegex"
        | "assertRaisesRegexp"
        | "assertRaisesMessage"
        | "assert_raises"
        | "assert_raises_regex"
        | "failUnlessRaises" => Some(CheckKind::Throws),
        "warns" | "assertWarns" | "assertWarnsRegex" | "assert_warns" | "deprecated_call" => {
            Some(CheckKind::Named(hash_of("warns")))
        }
        "assertLogs" | "assertNoLogs" | "assertNumQueries" | "assert_produces_warning" => {
            Some(CheckKind::Named(hash_of(name)))
        }
        _ => None,
    }
}

/// Reads the expectation of a call about the code in its block, or about the function that it calls; nothing if it is
/// no such call.
pub fn of(code: &Code<'_>, call: u32) -> Option<RaisesCall> {
    if code.sort(call) != NodeSort::Call {
        return None;
    }
    let name = code.name(call)?;
    let kind = way_of(name)?;
    let is_matched = name.contains("Regex") || name.contains("regex") || name.ends_with("Message");
    let mut found = RaisesCall {
        kind,
        class: None,
        pattern: None,
        message: None,
        style: hash_of(name),
        called: None,
    };
    let mut positional = Vec::new();
    let mut named = Vec::new();
    for argument in code.arguments(call) {
        let value = code.child(argument, code.fields().value);
        match code.key(argument) {
            None => positional.push(argument),
            Some("expected_exception" | "exception" | "expected_warning" | "warning") => {
                found.class = value;
            }
            Some("match" | "expected_regex") => found.pattern = value,
            Some("msg") => found.message = value,
            Some(_) => named.push(argument),
        }
    }
    let mut positional = positional.into_iter();
    if found.class.is_none() {
        found.class = positional.next();
    }
    if is_matched && found.pattern.is_none() {
        found.pattern = positional.next();
    }
    if let Some(function) = positional.next() {
        found.called = Some((function, positional.chain(named).collect()));
    }
    Some(found)
}

impl RaisesCall {
    /// Makes the checks of a call before the block with these statements.
    pub fn before(&self, code: &Code<'_>, node: u32, body: &[u32]) -> Vec<Check> {
        let mut only = body
            .iter()
            .copied()
            .map(|statement| tree::expression(code, statement));
        let actual = match (only.next(), only.next()) {
            (Some(expression), None) => vec![expression],
            _ => body.to_vec(),
        };
        let is_own = !body.is_empty() && is_of_test(code, node);
        let guarded = body.iter().copied().filter(|_| is_own).collect();
        self.checks(node, actual, guarded, mix(self.style, 1))
    }

    /// Makes the checks of a call that calls the function itself.
    pub fn by_itself(&self, code: &mut Code<'_>, node: u32) -> Vec<Check> {
        let actual = match &self.called {
            Some((function, arguments))
                if arguments.is_empty() && code.sort(*function) == NodeSort::Lambda =>
            {
                code.child(*function, code.fields().body)
            }
            Some((function, arguments)) => Some(tree::add_call(code, *function, arguments)),
            None => None,
        };
        let statement = code.node(node).parent;
        let actual: Vec<u32> = actual.into_iter().collect();
        let is_own = is_of_test(code, statement);
        let guarded = actual.iter().copied().filter(|_| is_own).collect();
        self.checks(node, actual, guarded, self.style)
    }

    fn checks(&self, node: u32, actual: Vec<u32>, guarded: Vec<u32>, style: u64) -> Vec<Check> {
        let form = CheckForm::new(self.kind, self.class.into_iter().collect(), actual);
        let mut first = Check::new(node, form.clone(), form, style);
        first.message = self.message;
        first.thrown = (self.kind == CheckKind::Throws).then_some(ThrowsCheck {
            manner: ThrowsStyle::Call,
            around: None,
            guarded,
        });
        let mut checks = vec![first];
        if let Some(pattern) = self.pattern {
            let form = CheckForm::new(
                CheckKind::Named(hash_of("match")),
                vec![pattern],
                Vec::new(),
            );
            checks.push(Check::new(node, form.clone(), form, style));
        }
        checks
    }
}

/// Unifies the field that holds an expected exception: `e.value` and `e.exception` are the same.
pub fn name_errors(code: &mut Code<'_>) {
    let fields = code.fields();
    let holders: Vec<u64> = (0..code.nodes.len() as u32)
        .filter(|idx| code.kind_name(*idx) == "as_pattern")
        .filter_map(|idx| {
            let value = code.child(idx, fields.value)?;
            let name = code.name(value)?;
            way_of(name).filter(|way| *way == CheckKind::Throws)?;
            let alias = code.child(idx, fields.name)?;
            Some(code.node(alias).word)
        })
        .collect();
    if holders.is_empty() {
        return;
    }
    for idx in 0..code.nodes.len() as u32 {
        let holder = code.child(idx, fields.object);
        let is_held = code.sort(idx) == NodeSort::FieldAccess
            && holder.is_some_and(|holder| holders.contains(&code.node(holder).word));
        if let Some(field) = code.child(idx, fields.field).filter(|_| is_held)
            && matches!(code.source(field), "value" | "exception")
        {
            code.nodes[field as usize].word = hash_of("exception");
        }
    }
}
