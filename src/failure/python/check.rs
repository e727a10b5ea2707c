//! Reads the check of an assertion in Python, however it is written: `assert a == b` and `self.assertEqual(a, b)` are
//! one form.
//!
//! Reads `assert`, unittest, pytest, nose, the methods of mocks, assertpy, and comparisons of arrays and tables;
//! [`super::expecting`] reads expectations of exceptions. Any other call named as an assertion is a form of its own.
//! Types are not known: of two sides, the constant is the expected one.

use super::super::PredictionPair;
use super::super::check::{gather, is_chained};
use super::super::code::{Code, NodeSort, hash_of, mix};
use super::super::form::{Check, CheckForm, CheckKind, FormLink};
use super::super::sides;
use super::super::thrown;
use super::super::tree;
use super::expecting::{self, RaisesCall};
use super::normal;
use crate::model::Language;
use crate::syntax::dialect;

/// Objects whose assertions are the library's: they tell nothing about the actual value.
const LIBRARIES: &[&str] = &[
    "case", "cls", "np", "npt", "numpy", "pandas", "pd", "pytest", "self", "test", "testcase",
    "testing", "tm", "tools", "torch", "unittest",
];

/// Finds all assertions in the order of the text, and masks them. Those inside others are not looked for.
pub fn collect(code: &mut Code<'_>, _: PredictionPair<'_>) -> Vec<Check> {
    let mut checks = gather(code, |code, idx, checks| match code.sort(idx) {
        NodeSort::Assert => assert_statement(code, idx, checks),
        // The inner calls of a chain are looked at with its last one.
        NodeSort::Call if is_chained(code, idx) => false,
        NodeSort::Call => call(code, idx, checks),
        NodeSort::Other => match code.kind_name(idx) {
            "with_statement" => with_statement(code, idx, checks),
            "with_item" => with_item(code, idx, checks),
            "raise_statement" => raised(code, idx, checks),
            _ => false,
        },
        _ => false,
    });
    for check in &mut checks {
        if check.form.kind == CheckKind::Fail {
            check.thrown = thrown::caught(code, check.node);
        }
    }
    checks
}

/// Reads `assert condition, message`; a condition that never holds fails.
fn assert_statement(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let mut children = code.children(idx);
    let Some(condition) = children.next() else {
        return false;
    };
    let message = children.next();
    drop(children);
    let form = if code.source(condition) == "False" {
        CheckForm::new(CheckKind::Fail, Vec::new(), Vec::new())
    } else {
        let form = normal::truth(code, condition);
        form.unwrap_or_else(|| CheckForm::new(CheckKind::True, Vec::new(), vec![condition]))
    };
    let mut check = read(code, idx, form, hash_of("assert"));
    check.message = message;
    checks.push(check);
    true
}

/// Makes a check of a form; a value that is nearly equal is one with a tolerance.
fn read(code: &mut Code<'_>, node: u32, form: CheckForm, style: u64) -> Check {
    let (form, tolerance) = tolerated(code, form);
    let normal = normal::form(code, &form);
    Check {
        tolerance,
        ..Check::new(node, form, normal, style)
    }
}

/// Separates the tolerance from `x == approx(1.0, abs=0.1)`.
fn tolerated(code: &mut Code<'_>, form: CheckForm) -> (CheckForm, Option<u32>) {
    let (&[expected], &[actual]) = (form.expected.as_slice(), form.actual.as_slice()) else {
        return (form, None);
    };
    if !matches!(form.kind, CheckKind::Equal | CheckKind::NotEqual) {
        return (form, None);
    }
    let is_near =
        |side: u32| code.sort(side) == NodeSort::Call && code.name(side) == Some("approx");
    let (near, other, is_reversed) = if is_near(expected) {
        (expected, actual, form.is_reversed)
    } else if is_near(actual) {
        (actual, expected, !form.is_reversed)
    } else {
        return (form, None);
    };
    let arguments = code.arguments(near);
    let Some((&value, rest)) = arguments.split_first() else {
        return (form, None);
    };
    let tolerance = tree::arguments(code, near, rest);
    let form = CheckForm {
        is_reversed,
        ..CheckForm::new(form.kind, vec![value], vec![other])
    };
    (form, Some(tolerance))
}

/// Reads `raise AssertionError(message)`.
fn raised(code: &Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let mut children = code.children(idx);
    let (Some(error), None) = (children.next(), children.next()) else {
        return false;
    };
    let (class, message) = match code.sort(error) {
        NodeSort::New => (
            code.children(error).next(),
            code.arguments(error).first().copied(),
        ),
        _ => (Some(error), None),
    };
    if class.is_none_or(|class| code.source(class) != "AssertionError") {
        return false;
    }
    let form = CheckForm::new(CheckKind::Fail, Vec::new(), Vec::new());
    let mut check = Check::new(idx, form.clone(), form, hash_of("raise"));
    check.message = message;
    checks.push(check);
    true
}

/// Finds the call that opens a block, and its expectation about the block.
fn opening(code: &Code<'_>, item: u32) -> Option<RaisesCall> {
    let mut value = code.children(item).next()?;
    if code.kind_name(value) == "as_pattern" {
        value = code.child(value, code.fields().value)?;
    }
    expecting::of(code, value)
}

/// Reads a block with an expectation and nothing else.
fn with_statement(code: &Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let is_item = |child: &u32| code.kind_name(*child) == "with_item";
    let items: Option<Vec<RaisesCall>> = code
        .children(idx)
        .filter(is_item)
        .map(|item| opening(code, item))
        .collect();
    let Some(items) = items.filter(|items| !items.is_empty()) else {
        return false;
    };
    let body = code.child(idx, code.fields().body);
    let body: Vec<u32> = body.map_or_else(Vec::new, |body| code.children(body).collect());
    for item in items {
        checks.extend(item.before(code, idx, &body));
    }
    true
}

/// Reads the expectation about a block that stands under something else, too: the block is compared with the rest.
fn with_item(code: &Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let Some(item) = opening(code, idx) else {
        return false;
    };
    checks.extend(item.before(code, idx, &[]));
    true
}

/// Tells whether a call asserts, by its name and its receiver.
fn is_assertion(code: &Code<'_>, call: u32) -> bool {
    let Some(name) = code.name(call) else {
        return false;
    };
    let object = code.child(call, code.fields().object);
    let is_library = object.is_none_or(|object| LIBRARIES.contains(&root(code.source(object))));
    match name {
        "fail" | "raises" | "warns" | "deprecated_call" => is_library,
        "eq_" | "ok_" => true,
        _ => dialect(Language::Python).assertions.is_name(name),
    }
}

/// Returns the first word of a path.
fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// Reads a call, or a chain of calls, if it asserts.
fn call(code: &mut Code<'_>, idx: u32, checks: &mut Vec<Check>) -> bool {
    let mut links = Vec::new();
    let mut head = idx;
    while !is_assertion(code, head) {
        let Some(name) = code.child(head, code.fields().name) else {
            return false;
        };
        links.push(FormLink { call: head, name });
        let object = code.child(head, code.fields().object);
        let Some(object) = object.filter(|object| code.sort(*object) == NodeSort::Call) else {
            return false;
        };
        head = object;
    }
    links.reverse();
    if links.is_empty() {
        if let Some(expecting) = expecting::of(code, head) {
            checks.extend(expecting.by_itself(code, idx));
        } else {
            checks.push(plain(code, head));
        }
    } else {
        chain(code, idx, head, &links, checks);
    }
    true
}

/// The arguments of an assertion.
struct AssertionArguments {
    operands: Vec<u32>,
    /// Given by name, and no message.
    named: Vec<u32>,
    message: Option<u32>,
}

impl AssertionArguments {
    /// Separates the message, by its name, or as the argument after `n_operands`.
    fn of(code: &Code<'_>, call: u32, n_operands: usize) -> Self {
        let mut called = Self {
            operands: Vec::new(),
            named: Vec::new(),
            message: None,
        };
        for argument in code.arguments(call) {
            match code.key(argument) {
                None => called.operands.push(argument),
                Some("msg" | "message" | "err_msg" | "reason") => {
                    called.message = code.child(argument, code.fields().value);
                }
                Some(_) => called.named.push(argument),
            }
        }
        if called.operands.len() > n_operands && called.message.is_none() {
            called.message = Some(called.operands.remove(n_operands));
        }
        called
    }
}

/// How an assertion of a library reads.
#[derive(Clone, Copy)]
enum AssertionPattern {
    /// Two sides of an equality.
    Sides(CheckKind),
    /// One value.
    One(CheckKind),
    /// Two sides with this sign between them.
    Signed(&'static str),
    /// The first is in the second.
    Within(CheckKind),
    /// The first is looked at, the second says how.
    Described(CheckKind),
    /// Two sides, and how far apart they may be.
    Near(CheckKind),
    Fail,
}

fn reading(name: &str) -> Option<AssertionPattern> {
    let named = |word| CheckKind::Named(hash_of(word));
    let not_named = |word| CheckKind::NotNamed(hash_of(word));
    Some(match name {
        "assertEqual"
        | "assertEquals"
        | "failUnlessEqual"
        | "assertListEqual"
        | "assertTupleEqual"
        | "assertSetEqual"
        | "assertDictEqual"
        | "assertSequenceEqual"
        | "assertMultiLineEqual"
        | "assert_equal"
        | "assert_equals"
        | "eq_" => AssertionPattern::Sides(CheckKind::Equal),
        "assertNotEqual" | "assertNotEquals" | "failIfEqual" | "assert_not_equal" => {
            AssertionPattern::Sides(CheckKind::NotEqual)
        }
        "assertIs" | "assert_is" => AssertionPattern::Sides(CheckKind::Same),
        "assertIsNot" | "assert_is_not" => AssertionPattern::Sides(CheckKind::NotSame),
        "assertIsNone" | "assert_is_none" => AssertionPattern::One(CheckKind::Null),
        "assertIsNotNone" | "assert_is_not_none" => AssertionPattern::One(CheckKind::NotNull),
        "assertTrue" | "assert_" | "failUnless" | "assert_true" | "ok_" => {
            AssertionPattern::One(CheckKind::True)
        }
        "assertFalse" | "failIf" | "assert_false" => AssertionPattern::One(CheckKind::False),
        "assertIn" | "assert_in" => AssertionPattern::Within(named("in")),
        "assertNotIn" | "assert_not_in" => AssertionPattern::Within(not_named("in")),
        "assertIsInstance" | "assert_is_instance" => {
            AssertionPattern::Described(named("isinstance"))
        }
        "assertNotIsInstance" | "assert_not_is_instance" => {
            AssertionPattern::Described(not_named("isinstance"))
        }
        "assertRegex" | "assertRegexpMatches" | "assert_regex" => {
            AssertionPattern::Described(named("regex"))
        }
        "assertNotRegex" | "assertNotRegexpMatches" => {
            AssertionPattern::Described(not_named("regex"))
        }
        "assertLess" | "assert_less" => AssertionPattern::Signed("<"),
        "assertLessEqual" | "assert_less_equal" => AssertionPattern::Signed("<="),
        "assertGreater" | "assert_greater" => AssertionPattern::Signed(">"),
        "assertGreaterEqual" | "assert_greater_equal" => AssertionPattern::Signed(">="),
        "assertAlmostEqual" | "assertAlmostEquals" | "assert_almost_equal" => {
            AssertionPattern::Near(CheckKind::Equal)
        }
        "assertNotAlmostEqual" | "assertNotAlmostEquals" => {
            AssertionPattern::Near(CheckKind::NotEqual)
        }
        "fail" => AssertionPattern::Fail,
        _ => return None,
    })
}

/// Reads an assertion that is one call.
fn plain(code: &mut Code<'_>, call: u32) -> Check {
    let name = code.name(call).unwrap_or_default();
    let style = hash_of(name);
    let object = code.child(call, code.fields().object);
    if let Some(check) = object.and_then(|object| of_mock(code, call, object)) {
        return check;
    }
    let Some(reading) = reading(name) else {
        return named(code, call);
    };
    let n_operands = match reading {
        AssertionPattern::Fail => 0,
        AssertionPattern::One(_) => 1,
        AssertionPattern::Near(_) => 3,
        _ => 2,
    };
    let called = AssertionArguments::of(code, call, n_operands);
    let form = match (reading, called.operands.as_slice()) {
        (AssertionPattern::Sides(way), &[first, second]) => sides::pair(code, way, first, second),
        (AssertionPattern::One(way), &[value]) => CheckForm::new(way, Vec::new(), vec![value]),
        (AssertionPattern::Within(way), &[member, whole]) => {
            sides::within(code, way, member, whole)
        }
        (AssertionPattern::Described(way), &[value, description]) => {
            CheckForm::new(way, vec![description], vec![value])
        }
        (AssertionPattern::Near(way), &[first, second, ref rest @ ..]) => {
            let tolerance: Vec<u32> = rest.iter().chain(&called.named).copied().collect();
            let form = sides::pair(code, way, first, second);
            let tolerance = tree::arguments(code, call, &tolerance);
            let mut check = Check::new(call, form.clone(), form, style);
            check.tolerance = Some(tolerance);
            check.message = called.message;
            return check;
        }
        (AssertionPattern::Signed(sign), &[left, right]) => {
            let name = code.child(call, code.fields().name).unwrap_or(call);
            let operator = tree::leaf(code, name, sign, NodeSort::Operator, sign);
            sides::ordered(code, left, operator, right)
        }
        (AssertionPattern::Fail, _) => CheckForm::new(CheckKind::Fail, Vec::new(), Vec::new()),
        _ => return named(code, call),
    };
    let mut check = read(code, call, form, style);
    check.message = called.message;
    check
}

/// Reads a mock's check of its calls: the arguments that they should have had are expected.
fn of_mock(code: &mut Code<'_>, call: u32, object: u32) -> Option<Check> {
    let name = code.name(call)?;
    let verifying = dialect(Language::Python).mocks.verifying;
    let is_verified = verifying.iter().any(|begin| name.starts_with(begin));
    if !is_verified {
        return None;
    }
    let way = CheckKind::Verify(hash_of(name));
    let form = CheckForm::new(way, code.arguments(call), vec![object]);
    let normal = normal::form(code, &form);
    Some(Check::new(call, form, normal, hash_of(name)))
}

/// Reads an assertion that no library has, or that compares arrays or tables: of two values the second is expected,
/// else the constants.
fn named(code: &Code<'_>, call: u32) -> Check {
    let name = code.name(call).unwrap_or_default();
    let called = AssertionArguments::of(code, call, usize::MAX);
    let object = code
        .child(call, code.fields().object)
        .filter(|object| !LIBRARIES.contains(&root(code.source(*object))));
    let way = CheckKind::Named(hash_of(name));
    let mut form = match *called.operands.as_slice() {
        [first, second] if object.is_none() => sides::pair(code, way, first, second),
        ref all => {
            let (expected, actual) = all
                .iter()
                .partition(|operand| sides::is_constant(code, **operand));
            CheckForm::new(way, expected, actual)
        }
    };
    form.expected.extend(called.named);
    if let Some(object) = object {
        form.actual.insert(0, object);
    }
    let mut check = Check::new(call, form.clone(), form, hash_of(name));
    check.message = called.message;
    check
}

/// Reads `assert_that(x).is_equal_to(1).is_positive()`, a check for each link.
fn chain(code: &mut Code<'_>, node: u32, head: u32, links: &[FormLink], checks: &mut Vec<Check>) {
    let arguments = code.arguments(head);
    let style = hash_of(code.name(head).unwrap_or_default());
    let mut navigated: Vec<FormLink> = Vec::new();
    let n_before = checks.len();
    for link in links {
        let word = code.source(link.name);
        let expected = code.arguments(link.call);
        let way = match word {
            "is_equal_to" => CheckKind::Equal,
            "is_not_equal_to" => CheckKind::NotEqual,
            "is_same_as" => CheckKind::Same,
            "is_true" => CheckKind::True,
            "is_false" => CheckKind::False,
            "is_none" => CheckKind::Null,
            "is_not_none" => CheckKind::NotNull,
            "is_instance_of" => CheckKind::Named(hash_of("isinstance")),
            "is_in" | "is_not_in" | "contains" | "does_not_contain" => {
                CheckKind::Named(hash_of(word))
            }
            _ if word.starts_with("is_")
                || word.starts_with("has_")
                || word.starts_with("does_") =>
            {
                CheckKind::Named(hash_of(word))
            }
            _ => {
                navigated.push(*link);
                continue;
            }
        };
        let form = CheckForm {
            links: navigated.clone(),
            ..CheckForm::new(way, expected, arguments.clone())
        };
        checks.push(read(code, node, form, mix(style, hash_of(word))));
    }
    if checks.len() == n_before {
        let form = CheckForm {
            links: links.to_vec(),
            ..CheckForm::new(CheckKind::Named(style), Vec::new(), arguments)
        };
        checks.push(Check::new(node, form.clone(), form, style));
    }
}
