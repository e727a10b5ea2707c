//! Reads the check of an assertion in Go, however it is written: `if got != want { t.Errorf(…) }` and
//! `assert.Equal(t, want, got)` are one form.
//!
//! Reads the guards of `testing`, go-cmp's `Diff`, testify, is, quicktest, goconvey, gocheck, gomega, and the expectations of
//! mocks. Any other call named as an assertion is a form of its own.

use super::gomega;
use super::words;
use crate::PredictionPair;
use crate::check::gather;
use crate::code::{Code, NodeSort, hash_of, mix};
use crate::fluent::is_inner;
use crate::form::{Check, CheckForm, CheckKind};
use crate::logic::{self, Logic, length};
use crate::model::Language;
use crate::says::{OperandOrder, Operands, named};
use crate::sides::pair;
use crate::syntax::dialect;
use crate::thrown;
use crate::tree;

/// How Go compares.
const LOGIC: Logic = Logic {
    nothing: &[("nil", CheckKind::Null)],
    has_truthy: false,
    compared: |sign| match sign {
        "==" => Some(CheckKind::Equal),
        "!=" => Some(CheckKind::NotEqual),
        _ => None,
    },
    predicate,
    measured,
    rewritten,
};

/// Methods that fail a test.
const FAILING: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];

/// Methods that may be called beside these in a guard.
const LOGGING: &[&str] = &["Log", "Logf", "Helper", "Skip"];

/// Packages and variables that assertions of libraries are called on.
const LIBRARIES: &[&str] = &[
    "a",
    "as",
    "assert",
    "assertions",
    "c",
    "check",
    "is",
    "must",
    "qt",
    "r",
    "req",
    "require",
    "s",
    "should",
    "suite",
    "td",
    "ts",
];

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for.
pub fn collect(code: &mut Code<'_>, _: PredictionPair<'_>) -> Vec<Check> {
    let made = assertion_variables(code);
    let mut checks = gather(code, |code, idx, checks| match code.sort(idx) {
        NodeSort::Call if is_inner(code, idx) => false,
        NodeSort::Call => call(code, idx, &made, checks),
        NodeSort::Other if code.kind_name(idx) == "if_statement" => guard(code, idx, checks),
        _ => false,
    });
    for check in &mut checks {
        check.thrown = thrown::of(code, check);
    }
    checks
}

/// Collects the words of the variables that a library's assertions are called on: `c := qt.New(t)`.
fn assertion_variables(code: &Code<'_>) -> Vec<u64> {
    let fields = code.fields();
    let declarators =
        (0..code.nodes.len() as u32).filter(|n| code.sort(*n) == NodeSort::Declarator);
    declarators
        .filter_map(|idx| {
            let value = code.child(idx, fields.value)?;
            let is_made = code.sort(value) == NodeSort::Call
                && code.name(value).is_some_and(|name| name.starts_with("New"))
                && matches!(code.arguments(value).as_slice(), &[only] if is_handle(code, only));
            let name = code.child(idx, fields.name).filter(|_| is_made)?;
            Some(code.node(name).word)
        })
        .collect()
}

/// Tells whether a node is the handle by which a test fails.
fn is_handle(code: &Code<'_>, idx: u32) -> bool {
    matches!(
        code.source(idx),
        "t" | "tb" | "b" | "T" | "tt" | "f" | "c" | "s.T()" | "suite.T()" | "ts.T()" | "GinkgoT()"
    )
}

/// Tells whether a call fails the test: `t.Errorf(…)`.
fn failing(code: &Code<'_>, call: u32) -> bool {
    let object = code.child(call, code.fields().object);
    code.sort(call) == NodeSort::Call
        && object.is_some_and(|object| is_handle(code, object))
        && code.name(call).is_some_and(|name| FAILING.contains(&name))
}

/// Reads `if got != want { t.Errorf(…) }`: the actual value must not fulfil the condition.
fn guard(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let field = |name: &str| code.words.grammar.field(name);
    let (condition, block) = (field("condition"), field("consequence"));
    let other = code.child(idx, field("alternative"));
    let initial = code.child(idx, field("initializer"));
    let (Some(condition), Some(block), None) =
        (code.child(idx, condition), code.child(idx, block), other)
    else {
        return false;
    };
    let Some(failure) = failure_of(code, block) else {
        return false;
    };
    let mut parts = Vec::new();
    disjuncts(code, condition, &mut parts);
    for (n_before, part) in parts.into_iter().enumerate() {
        let mut form = logic::truth(code, part, &LOGIC).map_or_else(
            || CheckForm::new(CheckKind::False, Vec::new(), vec![part]),
            |form| logic::negated(code, form),
        );
        if let Some(initial) = initial {
            form = with_initial(code, form, initial, n_before == 0);
        }
        let (form, tolerance) = compared(code, form);
        let normal = logic::normal(code, &form, &LOGIC);
        let mut check = Check::new(idx, form, normal, hash_of("if"));
        check.tolerance = tolerance;
        check.message = fail_message(code, failure);
        checks.push(check);
    }
    true
}

/// Finds the first call that a block fails a test with, where it does nothing else.
fn failure_of(code: &Code<'_>, block: u32) -> Option<u32> {
    let mut failure = None;
    for statement in code.children(block) {
        if matches!(
            code.kind_name(statement),
            "return_statement" | "continue_statement" | "break_statement"
        ) {
            continue;
        }
        let call = tree::expression(code, statement);
        if failing(code, call) {
            failure = failure.or(Some(call));
            continue;
        }
        let object = code.child(call, code.fields().object);
        let is_log = object.is_some_and(|object| is_handle(code, object))
            && code.name(call).is_some_and(|name| LOGGING.contains(&name));
        if !is_log {
            return None;
        }
    }
    failure
}

/// Reads the message of a call that fails a test, if it has one.
fn fail_message(code: &Code<'_>, call: u32) -> Option<u32> {
    let arguments = code.child(call, code.fields().arguments);
    arguments.filter(|argument| code.children(*argument).next().is_some())
}

/// Splits `a || b` into its operands: each of them fails the test.
fn disjuncts(code: &Code<'_>, condition: u32, parts: &mut Vec<u32>) {
    let fields = code.fields();
    let mut open = vec![condition];
    while let Some(at) = open.pop() {
        let operator = code.child(at, fields.operator);
        let is_or = code.sort(at) == NodeSort::Binary
            && operator.is_some_and(|operator| code.source(operator) == "||");
        match (code.child(at, fields.left), code.child(at, fields.right)) {
            (Some(left), Some(right)) if is_or => open.extend([right, left]),
            _ => parts.push(at),
        }
    }
}

/// Replaces the name in `if got := f(); …` by its value; where the name does not occur, the declaration becomes a
/// part of the first form.
fn with_initial(code: &Code<'_>, mut form: CheckForm, initial: u32, is_first: bool) -> CheckForm {
    let fields = code.fields();
    let mut children = code.children(initial);
    let single = match (children.next(), children.next(), children.next()) {
        (Some(name), Some(value), None)
            if code.node(name).field == fields.name && code.node(value).field == fields.value =>
        {
            Some((code.node(name).word, value))
        }
        _ => None,
    };
    let mut is_placed = false;
    if let Some((word, value)) = single {
        for side in form.expected.iter_mut().chain(&mut form.actual) {
            if code.sort(*side) == NodeSort::Name && code.node(*side).word == word {
                *side = value;
                is_placed = true;
            }
        }
    }
    if !is_placed && is_first {
        form.actual.push(initial);
    }
    form
}

/// Reads `cmp.Diff(want, got, options)` that must be empty; the options are no side.
fn compared(code: &mut Code<'_>, form: CheckForm) -> (CheckForm, Option<u32>) {
    let is_empty = |side: u32| matches!(code.source(side), "\"\"" | "``");
    let of = |side: u32| {
        let object = code.child(side, code.fields().object);
        let is_cmp = object.is_some_and(|object| code.source(object) == "cmp");
        let name = code
            .name(side)
            .filter(|_| code.sort(side) == NodeSort::Call);
        (is_cmp && name == Some("Diff")).then(|| code.arguments(side))
    };
    let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) else {
        return (form, None);
    };
    if form.kind != CheckKind::Equal || !is_empty(expected) {
        return (form, None);
    }
    let arguments = of(actual).unwrap_or_default();
    let &[first, second, ref options @ ..] = arguments.as_slice() else {
        return (form, None);
    };
    let form = CheckForm::new(CheckKind::Equal, vec![first], vec![second]);
    let options = (!options.is_empty()).then(|| tree::arguments(code, first, options));
    (form, options)
}

/// Reads a call that returns whether something is so.
fn predicate(code: &mut Code<'_>, call: u32) -> Option<CheckForm> {
    let object = code.child(call, code.fields().object)?;
    let arguments = code.arguments(call);
    let &[first, second] = arguments.as_slice() else {
        return None;
    };
    let is_so =
        |word: &str| CheckForm::new(CheckKind::Named(hash_of(word)), vec![second], vec![first]);
    Some(match (code.source(object), code.name(call)?) {
        ("reflect", "DeepEqual") | ("bytes" | "slices" | "maps" | "cmp", "Equal") => {
            pair(code, CheckKind::Equal, first, second)
        }
        ("errors", "Is") => is_so("errorIs"),
        ("errors", "As") => is_so("errorAs"),
        ("strings" | "bytes" | "slices", "Contains") => is_so("contains"),
        _ => return None,
    })
}

/// Reads `len(a)`.
fn measured(code: &Code<'_>, idx: u32) -> Option<u32> {
    let is_length = code.sort(idx) == NodeSort::Call
        && code.name(idx) == Some("len")
        && code.child(idx, code.fields().object).is_none();
    match *code.arguments(idx).as_slice() {
        [value] if is_length => Some(value),
        _ => None,
    }
}

/// Reads a check of length 0 as one of emptiness, and a comparison of an error's text as a way of its own.
fn rewritten(code: &mut Code<'_>, form: &CheckForm) -> Option<CheckForm> {
    let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) else {
        return None;
    };
    if form.kind == length() && code.source(expected) == "0" {
        return Some(CheckForm::new(
            CheckKind::Named(hash_of("empty")),
            Vec::new(),
            vec![actual],
        ));
    }
    let error = |side: u32| {
        let is_text = form.kind == CheckKind::Equal
            && code.sort(side) == NodeSort::Call
            && code.name(side) == Some("Error")
            && code.arguments(side).is_empty();
        code.child(side, code.fields().object).filter(|_| is_text)
    };
    let (text, error) = match (error(expected), error(actual)) {
        (None, Some(error)) => (expected, error),
        (Some(error), None) => (actual, error),
        _ => return None,
    };
    let way = CheckKind::Named(hash_of("errorText"));
    Some(CheckForm::new(way, vec![text], vec![error]))
}

/// Reads a call, or a chain of calls, if it asserts.
fn call(code: &mut Code<'_>, idx: u32, made: &[u64], checks: &mut Vec<Check>) -> bool {
    if failing(code, idx) {
        let form = CheckForm::new(CheckKind::Fail, Vec::new(), Vec::new());
        let mut check = Check::new(idx, form.clone(), form, hash_of("fail"));
        check.message = fail_message(code, idx);
        checks.push(check);
        return true;
    }
    let found = gomega::expected(code, idx, &LOGIC)
        .or_else(|| of_library(code, idx, made))
        .or_else(|| of_mock(code, idx))
        .or_else(|| helper(code, idx));
    let is_found = found.is_some();
    checks.extend(found);
    is_found
}

/// Reads `assert.Equal(t, want, got)` and its like.
fn of_library(code: &mut Code<'_>, call: u32, made: &[u64]) -> Option<Check> {
    let name = code.name(call)?;
    let object = code.child(call, code.fields().object);
    let arguments = code.arguments(call);
    let is_handed = arguments
        .first()
        .is_some_and(|argument| is_handle(code, *argument));
    let is_suite = object.is_some_and(|object| {
        LIBRARIES.contains(&code.source(object))
            || made.contains(&code.node(object).word)
            || code.sort(object) == NodeSort::Call
                && matches!(code.name(object), Some("Require" | "Assert"))
    });
    let is_statement = code.sort(code.node(call).parent) == NodeSort::Statement;
    let is_asserting = is_suite || is_handed && object.is_some();
    if !is_asserting || !is_statement {
        return convey(code, call, &arguments);
    }
    let operands = &arguments[usize::from(is_handed)..];
    if matches!(name, "Assert" | "Check" | "That") && operands.len() > 1 {
        return checked(code, call, operands);
    }
    let bare = name.strip_suffix('f').unwrap_or(name);
    let says = words::plain(name).or_else(|| words::plain(bare));
    let Some(says) = says.filter(|says| says.fits(operands.len())) else {
        let is_capital = name.starts_with(char::is_uppercase) && name != "New";
        let is_known = matches!(
            object.map(|object| code.source(object)),
            Some("assert" | "require")
        );
        return (is_capital && is_known).then(|| named(code, call, None, operands));
    };
    let order = if words::is_expected_first(bare) {
        OperandOrder::ExpectedFirst
    } else {
        OperandOrder::ActualFirst
    };
    let operands = says.operands(operands, order);
    let (form, rest) = says.form(code, &operands);
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(call, form, normal, mix(hash_of(name), u64::from(is_handed)));
    check.message = rest.message;
    check.tolerance = rest.tolerance;
    Some(check)
}

/// Reads `So(got, ShouldEqual, want)`.
fn convey(code: &mut Code<'_>, call: u32, arguments: &[u32]) -> Option<Check> {
    let is_so = code.name(call) == Some("So") && arguments.len() > 1;
    is_so.then(|| checked(code, call, arguments))?
}

/// Reads a value, the name of its checker, and the checker's arguments.
fn checked(code: &mut Code<'_>, call: u32, operands: &[u32]) -> Option<Check> {
    let &[actual, checker, ref others @ ..] = operands else {
        return None;
    };
    let full = code.source(checker);
    let last = full.rsplit('.').next().unwrap_or(full);
    let name = last.strip_prefix("Should").unwrap_or(last);
    let (actual, others) = (vec![actual], others.to_vec());
    let form = match words::plain(name) {
        Some(says) => {
            let operands = Operands { actual, others };
            says.form(code, &operands).0
        }
        None => CheckForm::new(CheckKind::Named(hash_of(name)), others, actual),
    };
    let normal = logic::normal(code, &form, &LOGIC);
    Some(Check::new(call, form, normal, hash_of(full)))
}

/// Reads a mock's check of its calls.
fn of_mock(code: &Code<'_>, call: u32) -> Option<Check> {
    let name = code.name(call)?;
    let object = code.child(call, code.fields().object)?;
    let is_mock = matches!(
        name,
        "AssertExpectations"
            | "AssertCalled"
            | "AssertNotCalled"
            | "AssertNumberOfCalls"
            | "ExpectationsWereMet"
    );
    if !is_mock {
        return None;
    }
    let mut expected = code.arguments(call);
    expected.retain(|n| !is_handle(code, *n));
    let form = CheckForm::new(CheckKind::Verify(hash_of(name)), expected, vec![object]);
    Some(Check::new(call, form.clone(), form, hash_of(name)))
}

/// Reads a function that is named as one that asserts.
fn helper(code: &Code<'_>, call: u32) -> Option<Check> {
    let name = code.name(call)?;
    let object = code.child(call, code.fields().object);
    let is_name = match object {
        None => dialect(Language::Go).assertions.is_name(name),
        Some(object) => name.starts_with("Assert") && code.source(object) != "errors",
    };
    if !is_name {
        return None;
    }
    let mut operands = code.arguments(call);
    operands.retain(|operand| !is_handle(code, *operand));
    Some(named(code, call, object, &operands))
}
