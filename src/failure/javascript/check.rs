//! Reads the check of an assertion in JavaScript, however it is written: `expect(a).toBe(1)`, `a.should.equal(1)` and
//! `assert.strictEqual(a, 1)` are one form.
//!
//! Reads jest, vitest, jasmine, chai, should, Node's assert, sinon, ava, tap, tape, `QUnit` and Deno's asserts. Any
//! other function named as an assertion is a form of its own. `===` and `toBe` compare identity, `toEqual` and
//! `deepEqual` content, `==` and `assert.equal` after conversion; of a literal the first two are one.

use super::words;
use crate::PredictionPair;
use crate::check::gather;
use crate::code::{Code, NodeSort, hash_of, mix};
use crate::fluent::{self, ChainHead, FluentWord, is_inner, unchained};
use crate::form::{Check, CheckForm, CheckKind};
use crate::logic::{self, Logic};
use crate::says::{OperandOrder, named};
use crate::thrown;

/// How JavaScript compares.
const LOGIC: Logic = Logic {
    nothing: &[("null", CheckKind::Null)],
    has_truthy: true,
    compared: |sign| match sign {
        "===" => Some(CheckKind::Same),
        "!==" => Some(CheckKind::NotSame),
        "==" => Some(CheckKind::Alike),
        "!=" => Some(CheckKind::NotAlike),
        _ => None,
    },
    predicate,
    measured,
    rewritten,
};

/// Names of the context that a test gets to assert by.
const CONTEXTS: &[&str] = &["t", "test", "tap", "st", "tt", "ctx", "is"];

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for.
pub fn collect(code: &mut Code<'_>, _: PredictionPair<'_>) -> Vec<Check> {
    let mut checks = gather(code, |code, idx, checks| match code.sort(idx) {
        NodeSort::Call | NodeSort::FieldAccess if is_inner(code, idx) => false,
        NodeSort::Call | NodeSort::FieldAccess => chain(code, idx, checks),
        _ => false,
    });
    for check in &mut checks {
        check.thrown = thrown::of(code, check);
    }
    checks
}

/// Reads a call or a chain, if it asserts.
fn chain(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let words = unchained(code, idx);
    let found = expected(code, idx, &words).or_else(|| plain(code, idx, &words));
    let is_found = found.is_some();
    checks.extend(found.into_iter().flatten());
    is_found
}

/// Reads what begins with `expect(a)`, or has `should` behind the value.
fn expected(code: &mut Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Option<Vec<Check>> {
    let is_head = |word: &FluentWord<'_>| match (word.text, &word.arguments) {
        ("expect" | "expectAsync", Some(_)) | ("should", None) => true,
        ("should", Some(arguments)) => word.object.is_none() || arguments.is_empty(),
        _ => false,
    };
    let at = words.iter().position(is_head)?;
    let (word, rest) = (&words[at], &words[at + 1..]);
    let arguments = word.arguments.clone().unwrap_or_default();
    let style = hash_of(word.text);
    if word.text == "expect" && word.object.is_some() {
        return Some(requested(code, idx, &words[at..]));
    }
    if rest.is_empty() {
        return None;
    }
    let actual = match word.object {
        Some(object) if word.text == "should" => vec![object],
        _ => arguments.first().copied().into_iter().collect(),
    };
    let head = ChainHead {
        node: idx,
        actual,
        style,
        message: arguments.get(1).copied().filter(|_| word.object.is_none()),
    };
    let found = fluent::checks(code, &head, rest, (words::chained, &LOGIC));
    (!found.is_empty()).then_some(found)
}

/// Reads what a response should have: `request(app).get("/").expect(200).expect("x")`.
fn requested(code: &Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Vec<Check> {
    let way = CheckKind::Named(hash_of("expect"));
    let mut found = Vec::new();
    let actual: Vec<u32> = words
        .first()
        .and_then(|word| word.object)
        .into_iter()
        .collect();
    for word in words.iter().filter(|word| word.text == "expect") {
        let expected = word.arguments.clone().unwrap_or_default();
        let form = CheckForm::new(way, expected, actual.clone());
        found.push(Check::new(
            idx,
            form.clone(),
            form,
            hash_of(code.source(word.name)),
        ));
    }
    found
}

/// Reads a function of a library that takes all that it compares.
fn plain(code: &mut Code<'_>, idx: u32, words: &[FluentWord<'_>]) -> Option<Vec<Check>> {
    let call = words.last()?;
    let operands = call.arguments.clone()?;
    let name = call.text;
    let before: Vec<&str> = words[..words.len() - 1]
        .iter()
        .map(|word| word.text)
        .collect();
    let root = words
        .first()?
        .object
        .map_or("", |object| code.source(object));
    let owner = before.last().copied().unwrap_or(root);
    let is_statement = matches!(
        code.sort(code.node(idx).parent),
        NodeSort::Statement | NodeSort::Other
    );
    let is_library = matches!(owner, "assert" | "chai" | "strict")
        || owner == "expect" && before.is_empty()
        || name == "assert" && root.is_empty()
        || is_statement && before.is_empty() && CONTEXTS.contains(&root) && is_context(name);
    let is_function = call.object.is_none()
        && (name.starts_with("assert") || name.starts_with("expect"))
        && operands.len() > usize::from(name == "expect");
    if name == "fail" && (call.object.is_none() || is_library) {
        let form = CheckForm::new(CheckKind::Fail, Vec::new(), Vec::new());
        let mut check = Check::new(idx, form.clone(), form, hash_of(owner));
        check.message = operands.first().copied();
        return Some(vec![check]);
    }
    if !is_library && !is_function {
        return None;
    }
    let style = mix(hash_of(owner), hash_of(name));
    let says = words::plain(name).filter(|says| says.fits(operands.len()));
    let Some(says) = says else {
        return Some(vec![named(code, idx, None, &operands)]);
    };
    let mut operands = says.operands(&operands, OperandOrder::ActualFirst);
    // `assert.throws(f, "why")`: a text is no class.
    let is_text = |n: &u32| matches!(code.kind_name(*n), "string" | "template_string");
    let mut message = None;
    if matches!(name, "throws" | "doesNotThrow" | "rejects") && owner == "assert" {
        message = operands.others.first().copied().filter(is_text);
        operands.others.retain(|other| Some(*other) != message);
    }
    let (form, rest) = says.form(code, &operands);
    let normal = logic::normal(code, &form, &LOGIC);
    let mut check = Check::new(idx, form, normal, style);
    check.tolerance = rest.tolerance;
    check.message = message.or(rest.message);
    Some(vec![check])
}

/// Tells whether the context of a test has an assertion of that name.
fn is_context(name: &str) -> bool {
    words::plain(name).is_some() || matches!(name, "snapshot" | "end" | "pass")
}

/// Reads a call that returns whether something is so.
fn predicate(code: &mut Code<'_>, call: u32) -> Option<CheckForm> {
    let object = code.child(call, code.fields().object)?;
    let &[argument] = code.arguments(call).as_slice() else {
        return None;
    };
    let one = |word: &str| {
        CheckForm::new(
            CheckKind::Named(hash_of(word)),
            vec![argument],
            vec![object],
        )
    };
    match (code.source(object), code.name(call)?) {
        ("Array", "isArray") => Some(CheckForm::new(
            CheckKind::Named(hash_of("is array")),
            Vec::new(),
            vec![argument],
        )),
        (_, "includes") => Some(one("contains")),
        (_, "test") => Some(CheckForm::new(
            CheckKind::Named(hash_of("matches")),
            vec![object],
            vec![argument],
        )),
        _ => None,
    }
}

/// Reads `a.length`.
fn measured(code: &Code<'_>, idx: u32) -> Option<u32> {
    let field = code.child(idx, code.fields().field)?;
    let is_length = code.sort(idx) == NodeSort::FieldAccess && code.source(field) == "length";
    is_length.then(|| code.child(idx, code.fields().object))?
}

/// Reads `undefined` on one side, `instanceof`, `typeof a === "b"`, and how often something was called.
fn rewritten(code: &mut Code<'_>, form: &CheckForm) -> Option<CheckForm> {
    let fields = code.fields();
    let named = |word: &str| CheckKind::Named(hash_of(word));
    if let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) {
        let is_equal = matches!(form.kind, CheckKind::Equal | CheckKind::Same);
        let is_other = matches!(form.kind, CheckKind::NotEqual | CheckKind::NotSame);
        let is_undefined = code.source(expected) == "undefined";
        if (is_equal || is_other) && is_undefined {
            let found = CheckForm::new(named("undefined"), Vec::new(), vec![actual]);
            return Some(if is_equal {
                found
            } else {
                logic::negated(code, found)
            });
        }
        let operator = code.child(actual, fields.operator);
        let is_typeof = is_equal
            && code.sort(actual) == NodeSort::Unary
            && operator.is_some_and(|operator| code.source(operator) == "typeof");
        if is_typeof {
            let operand = code.child(actual, fields.operand)?;
            return Some(CheckForm::new(named("type"), vec![expected], vec![operand]));
        }
        let times = [
            ("1", "called once"),
            ("2", "called twice"),
            ("3", "called thrice"),
        ];
        let times = times.iter().find(|time| time.0 == code.source(expected));
        if let Some((_, word)) = times.filter(|_| form.kind == named("called times")) {
            return Some(CheckForm::new(named(word), Vec::new(), vec![actual]));
        }
        if form.kind == named("called times") && code.source(expected) == "0" {
            let way = CheckKind::NotNamed(hash_of("called"));
            return Some(CheckForm::new(way, Vec::new(), vec![actual]));
        }
    }
    if let (true, &[actual]) = (
        form.kind == CheckKind::True || form.kind == logic::truthy(),
        form.actual.as_slice(),
    ) && code.sort(actual) == NodeSort::Binary
    {
        let operator = code.child(actual, fields.operator)?;
        let (value, class) = (
            code.child(actual, fields.left)?,
            code.child(actual, fields.right)?,
        );
        if code.source(operator) == "instanceof" {
            return Some(CheckForm::new(
                CheckKind::InstanceOf,
                vec![class],
                vec![value],
            ));
        }
    }
    None
}
