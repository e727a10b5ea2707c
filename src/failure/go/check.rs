//! What an assertion in Go checks, however it is written: `if got != want { t.Errorf(…) }` and `assert.Equal(t, want, got)`
//! are one form.
//!
//! Reads the guards of `testing`, go-cmp's `Diff`, testify, is, quicktest, goconvey, gocheck, gomega, and the expectations of
//! mocks. Any other call named as an assertion is a form of its own.

use super::words;
use crate::Pair;
use crate::check::gather;
use crate::code::{Code, Sort, hash_of, mix};
use crate::fluent::{Meaning, is_inner, unchained};
use crate::form::{Check, Form, Way};
use crate::syntax::dialect;
use crate::logic::{self, Logic, length};
use crate::model::Language;
use crate::says::{Operands, Order, Says, named};
use crate::sides::pair;
use crate::thrown;
use crate::tree;

/// How Go compares.
const LOGIC: Logic = Logic {
    nothing: &[("nil", Way::Null)],
    has_truthy: false,
    compared: |sign| match sign {
        "==" => Some(Way::Equal),
        "!=" => Some(Way::NotEqual),
        _ => None,
    },
    asked,
    measured,
    rewritten,
};

/// What fails a test.
const FAILING: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];

/// What may stand beside it in a guard.
const LOGGING: &[&str] = &["Log", "Logf", "Helper", "Skip"];

/// Packages and what else assertions of libraries are called on.
const LIBRARIES: &[&str] = &[
    "a", "as", "assert", "assertions", "c", "check", "is", "must", "qt", "r", "req", "require",
    "s", "should", "suite", "td", "ts",
];

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for.
pub fn collect(code: &mut Code<'_>, _: Pair<'_>) -> Vec<Check> {
    let mut checks = gather(code, |code, idx, checks| match code.sort(idx) {
        Sort::Call if is_inner(code, idx) => false,
        Sort::Call => call(code, idx, checks),
        Sort::Other if code.kind_name(idx) == "if_statement" => guard(code, idx, checks),
        _ => false,
    });
    for check in &mut checks {
        check.thrown = thrown::of(code, check);
    }
    checks
}

/// Returns whether a node is what a test is handed over to fail by.
fn is_handle(code: &Code<'_>, idx: u32) -> bool {
    matches!(
        code.source(idx),
        "t" | "tb" | "b" | "T" | "tt" | "f" | "c" | "s.T()" | "suite.T()" | "ts.T()" | "GinkgoT()"
    )
}

/// Returns the words that a call fails the test with, if it does.
fn failing(code: &Code<'_>, call: u32) -> bool {
    let object = code.child(call, code.fields().object);
    code.sort(call) == Sort::Call
        && object.is_some_and(|object| is_handle(code, object))
        && code.name(call).is_some_and(|name| FAILING.contains(&name))
}

/// Reads `if got != want { t.Errorf(…) }`: what is looked at must not be so.
fn guard(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let field = |name: &str| code.words.grammar.field(name);
    let (condition, block) = (field("condition"), field("consequence"));
    let other = code.child(idx, field("alternative"));
    let initial = code.child(idx, field("initializer"));
    let (Some(condition), Some(block), None) = (
        code.child(idx, condition),
        code.child(idx, block),
        other,
    ) else {
        return false;
    };
    let Some(message) = failure_of(code, block) else {
        return false;
    };
    let mut parts = Vec::new();
    disjuncts(code, condition, &mut parts);
    for (n_before, part) in parts.into_iter().enumerate() {
        let mut form = logic::truth(code, part, &LOGIC)
            .map_or_else(|| Form::new(Way::False, Vec::new(), vec![part]), |form| {
                logic::negated(code, form)
            });
        if let Some(initial) = initial {
            form = with_initial(code, form, initial, n_before == 0);
        }
        let (form, tolerance) = compared(code, form);
        let normal = logic::normal(code, &form, &LOGIC);
        let mut check = Check::new(idx, form, normal, hash_of("if"));
        check.tolerance = tolerance;
        check.message = message;
        checks.push(check);
    }
    true
}

/// Returns what a block fails a test with, where it does nothing else: the arguments, if there are some.
fn failure_of(code: &Code<'_>, block: u32) -> Option<Option<u32>> {
    let mut message = None;
    for statement in code.children(block) {
        if matches!(
            code.kind_name(statement),
            "return_statement" | "continue_statement" | "break_statement"
        ) {
            continue;
        }
        let call = tree::expression(code, statement);
        if failing(code, call) {
            let arguments = code.child(call, code.fields().arguments);
            let given = arguments.filter(|it| code.children(*it).next().is_some());
            message = message.or(Some(given));
            continue;
        }
        let object = code.child(call, code.fields().object);
        let is_log = object.is_some_and(|object| is_handle(code, object))
            && code.name(call).is_some_and(|name| LOGGING.contains(&name));
        if !is_log {
            return None;
        }
    }
    message
}

/// Takes `a || b` apart: each of them fails the test.
fn disjuncts(code: &Code<'_>, condition: u32, parts: &mut Vec<u32>) {
    let fields = code.fields();
    let mut open = vec![condition];
    while let Some(at) = open.pop() {
        let operator = code.child(at, fields.operator);
        let is_or = code.sort(at) == Sort::Binary
            && operator.is_some_and(|operator| code.source(operator) == "||");
        match (code.child(at, fields.left), code.child(at, fields.right)) {
            (Some(left), Some(right)) if is_or => open.extend([right, left]),
            _ => parts.push(at),
        }
    }
}

/// Puts the value of `if got := f(); …` where its name stands; else the declaration is looked at, too.
fn with_initial(code: &Code<'_>, mut form: Form, initial: u32, is_first: bool) -> Form {
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
            if code.sort(*side) == Sort::Name && code.node(*side).word == word {
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
fn compared(code: &mut Code<'_>, form: Form) -> (Form, Option<u32>) {
    let is_empty = |side: u32| matches!(code.source(side), "\"\"" | "``");
    let of = |side: u32| {
        let object = code.child(side, code.fields().object);
        let is_cmp = object.is_some_and(|object| code.source(object) == "cmp");
        let name = code.name(side).filter(|_| code.sort(side) == Sort::Call);
        (is_cmp && name == Some("Diff")).then(|| code.arguments(side))
    };
    let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) else {
        return (form, None);
    };
    if form.way != Way::Equal || !is_empty(expected) {
        return (form, None);
    }
    let arguments = of(actual).unwrap_or_default();
    let &[first, second, ref options @ ..] = arguments.as_slice() else {
        return (form, None);
    };
    let form = Form::new(Way::Equal, vec![first], vec![second]);
    let options = (!options.is_empty()).then(|| tree::arguments(code, first, &options));
    (form, options)
}

/// Reads a call that returns whether something is so.
fn asked(code: &mut Code<'_>, call: u32) -> Option<Form> {
    let object = code.child(call, code.fields().object)?;
    let arguments = code.arguments(call);
    let &[first, second] = arguments.as_slice() else {
        return None;
    };
    let is_so = |word: &str| Form::new(Way::Named(hash_of(word)), vec![second], vec![first]);
    Some(match (code.source(object), code.name(call)?) {
        ("reflect", "DeepEqual") | ("bytes" | "slices" | "maps" | "cmp", "Equal") => {
            pair(code, Way::Equal, first, second)
        }
        ("errors", "Is") => is_so("errorIs"),
        ("errors", "As") => is_so("errorAs"),
        ("strings" | "bytes" | "slices", "Contains") => is_so("contains"),
        _ => return None,
    })
}

/// Reads `len(a)`.
fn measured(code: &Code<'_>, idx: u32) -> Option<u32> {
    let is_length = code.sort(idx) == Sort::Call
        && code.name(idx) == Some("len")
        && code.child(idx, code.fields().object).is_none();
    match *code.arguments(idx).as_slice() {
        [value] if is_length => Some(value),
        _ => None,
    }
}

/// Reads what is as long as nothing as empty, and the text of an error.
fn rewritten(code: &mut Code<'_>, form: &Form) -> Option<Form> {
    let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) else {
        return None;
    };
    if form.way == length() && code.source(expected) == "0" {
        return Some(Form::new(
            Way::Named(hash_of("empty")),
            Vec::new(),
            vec![actual],
        ));
    }
    let is_text = form.way == Way::Equal
        && code.sort(actual) == Sort::Call
        && code.name(actual) == Some("Error")
        && code.arguments(actual).is_empty();
    let error = code.child(actual, code.fields().object).filter(|_| is_text)?;
    Some(Form::new(
        Way::Named(hash_of("errorText")),
        vec![expected],
        vec![error],
    ))
}

/// Reads a call, or a chain of calls, if it asserts.
fn call(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    if failing(code, idx) {
        let form = Form::new(Way::Fail, Vec::new(), Vec::new());
        let arguments = code.child(idx, code.fields().arguments);
        let mut check = Check::new(idx, form.clone(), form, hash_of("fail"));
        check.message = arguments.filter(|it| code.children(*it).next().is_some());
        checks.push(check);
        return true;
    }
    let found = expected(code, idx)
        .or_else(|| of_library(code, idx))
        .or_else(|| of_mock(code, idx))
        .or_else(|| helper(code, idx));
    let is_found = found.is_some();
    checks.extend(found);
    is_found
}

/// Reads `Expect(a).To(Equal(b))`.
fn expected(code: &mut Code<'_>, idx: u32) -> Option<Check> {
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
        match words::link(word.text) {
            Some(meaning) => {
                is_negated ^= meaning == Meaning::Not;
                let (matcher, message) = arguments.split_first()?;
                let mut check = matched(code, idx, (*matcher, is_negated), actual);
                check.style = mix(check.style, style);
                check.message = message.first().copied();
                return Some(check);
            }
            None => {
                actual.push(word.name);
                actual.extend(arguments);
            }
        }
    }
    let form = Form::new(Way::Named(style), Vec::new(), actual);
    Some(Check::new(idx, form.clone(), form, style))
}

/// Reads a matcher: `Not` is looked through.
fn matched(
    code: &mut Code<'_>,
    node: u32,
    (mut matcher, mut is_negated): (u32, bool),
    actual: Vec<u32>,
) -> Check {
    while code.sort(matcher) == Sort::Call
        && code.name(matcher) == Some("Not")
        && let &[inner] = code.arguments(matcher).as_slice()
    {
        matcher = inner;
        is_negated = !is_negated;
    }
    let name = code.name(matcher).filter(|_| code.sort(matcher) == Sort::Call);
    let style = hash_of(name.unwrap_or_default());
    let others = code.arguments(matcher);
    let (form, tolerance) = match name.map(|name| (name, words::matcher(name))) {
        Some((_, Some(says))) => {
            let operands = Operands { actual, others };
            let (form, rest) = says.form(code, &operands);
            (form, rest.tolerance)
        }
        Some(("BeNumerically", None)) => numerically(code, actual, &others),
        Some((name, None)) => (Form::new(Way::Named(hash_of(name)), others, actual), None),
        None => (Form::new(Way::Equal, vec![matcher], actual), None),
    };
    let form = if is_negated {
        logic::negated(code, form)
    } else {
        form
    };
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(node, form, normal, style);
    check.tolerance = tolerance;
    check
}

/// Reads `BeNumerically("~", 1.0, 0.1)`.
fn numerically(code: &mut Code<'_>, actual: Vec<u32>, given: &[u32]) -> (Form, Option<u32>) {
    let says = match given.first().map(|sign| code.source(*sign)) {
        Some("\"==\"") => Says::Is(Way::Equal),
        Some("\"!=\"") => Says::Is(Way::NotEqual),
        Some("\"~\"") => Says::Near(Way::Equal),
        Some("\"<\"") => Says::Signed("<"),
        Some("\"<=\"") => Says::Signed("<="),
        Some("\">\"") => Says::Signed(">"),
        Some("\">=\"") => Says::Signed(">="),
        _ => {
            let form = Form::new(Way::Named(hash_of("BeNumerically")), given.to_vec(), actual);
            return (form, None);
        }
    };
    let others = given.iter().skip(1).copied().collect();
    let operands = Operands { actual, others };
    let (form, rest) = says.form(code, &operands);
    (form, rest.tolerance)
}

/// Reads `assert.Equal(t, want, got)` and its like.
fn of_library(code: &mut Code<'_>, call: u32) -> Option<Check> {
    let name = code.name(call)?;
    let object = code.child(call, code.fields().object);
    let arguments = code.arguments(call);
    let is_handed = arguments.first().is_some_and(|it| is_handle(code, *it));
    let is_suite = object.is_some_and(|object| {
        LIBRARIES.contains(&code.source(object))
            || code.sort(object) == Sort::Call
                && matches!(code.name(object), Some("Require" | "Assert"))
    });
    let is_statement = code.sort(code.node(call).parent) == Sort::Statement;
    if !is_suite && !(is_handed && object.is_some()) || !is_statement {
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
        Order::ExpectedFirst
    } else {
        Order::ActualFirst
    };
    // `Panics` takes what should panic, and nothing before it.
    let says = match (bare, says) {
        ("Panics", _) => Says::Named("panics", 0),
        (_, says) => says,
    };
    let operands = says.operands(operands, order);
    let (mut form, rest) = says.form(code, &operands);
    if bare == "Panics" {
        form.way = Way::Throws;
    }
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

/// Reads a value, the name of what checks it, and what that is given.
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
        None => Form::new(Way::Named(hash_of(name)), others, actual),
    };
    let normal = logic::normal(code, &form, &LOGIC);
    Some(Check::new(call, form, normal, hash_of(full)))
}

/// Reads what a mock says of its calls.
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
    expected.retain(|it| !is_handle(code, *it));
    let form = Form::new(Way::Verify(hash_of(name)), expected, vec![object]);
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
    operands.retain(|it| !is_handle(code, *it));
    Some(named(code, call, object, &operands))
}
