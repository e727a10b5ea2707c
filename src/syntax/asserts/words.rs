//! Which calls assert, by their names and their receivers.

use tree_sitter::Node;

use crate::dialects::dialect;
use crate::model::Language;

use super::call::SyntaxCall;
use super::source;

/// How a call asserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssertionEffect {
    /// It checks what it is given.
    Checks,
    /// It begins a sentence, and checks what the rest of it says: `expect(x)` alone says nothing.
    Begins,
    /// It fails whenever it is reached.
    Fails,
    /// It expects an exception from the code that it is given, or none, or that something is called.
    Expects,
}

/// Methods of testify's suites, and of similar suites, whose names alone say little: they are statements.
const GO_CHECKS: &[&str] = &[
    "Assert",
    "Check",
    "Condition",
    "Contains",
    "DeepEqual",
    "ElementsMatch",
    "Empty",
    "Equal",
    "EqualError",
    "EqualValues",
    "Equals",
    "Error",
    "ErrorAs",
    "ErrorContains",
    "ErrorIs",
    "Eventually",
    "Exactly",
    "False",
    "FileExists",
    "Greater",
    "GreaterOrEqual",
    "Implements",
    "InDelta",
    "InEpsilon",
    "IsType",
    "JSONEq",
    "Len",
    "Less",
    "LessOrEqual",
    "Negative",
    "Never",
    "Nil",
    "NoErr",
    "NoError",
    "NotContains",
    "NotEmpty",
    "NotEqual",
    "NotErrorIs",
    "NotNil",
    "NotPanics",
    "NotSame",
    "NotZero",
    "Panics",
    "PanicsWithError",
    "PanicsWithValue",
    "Positive",
    "Regexp",
    "Same",
    "Subset",
    "True",
    "WithinDuration",
    "YAMLEq",
    "Zero",
];

/// Methods with which Go's own testing fails a test.
const GO_FAILS: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];

/// Methods of the contexts that ava, tap, tape and `QUnit` hand to a test.
const JS_CHECKS: &[&str] = &[
    "assert",
    "closeTo",
    "deepEqual",
    "doesNotThrow",
    "end",
    "equal",
    "equals",
    "error",
    "false",
    "falsy",
    "has",
    "is",
    "isEquivalent",
    "isNot",
    "like",
    "looseEqual",
    "match",
    "not",
    "notDeepEqual",
    "notEqual",
    "notOk",
    "notOK",
    "notRegex",
    "notSame",
    "notStrictEqual",
    "notThrows",
    "notThrowsAsync",
    "ok",
    "propEqual",
    "regex",
    "rejects",
    "resolves",
    "same",
    "snapshot",
    "strictEqual",
    "strictSame",
    "throws",
    "throwsAsync",
    "true",
    "truthy",
    "type",
];

/// Parts of receivers in Java on which `verify` asserts.
const JAVA_VERIFIERS: &[&str] = &["order", "mock", "verif", "control", "server"];

/// Tells how a call asserts, by its words; nothing where it does not.
pub fn says(
    language: Language,
    call: &SyntaxCall<'_>,
    node: Node<'_>,
    text: &str,
) -> Option<AssertionEffect> {
    let receiver = call.receiver.map_or("", |node| source(node, text));
    // `a.b.Assertions` is `Assertions`.
    let owner = receiver.rsplit(['.', ':']).next().unwrap_or(receiver);
    let owner = owner.split(['<', '(', '\n', ' ']).next().unwrap_or(owner);
    match language {
        Language::Java => java(call, owner, receiver),
        Language::Python => python(call, owner),
        Language::Go => go(call, owner, is_statement(node)),
        Language::JavaScript => javascript(call, receiver, is_statement(node)),
        Language::CSharp => csharp(call, owner),
    }
}

fn java(call: &SyntaxCall<'_>, owner: &str, receiver: &str) -> Option<AssertionEffect> {
    let name = call.name;
    let words = &dialect(Language::Java).assertions;
    let is_plain = matches!(owner, "" | "this" | "super");
    let of_library = owner.ends_with("Assert") || owner.ends_with("Assertions");
    if name == "assertAll" || name.starts_with("assume") {
        return None;
    }
    if name == "fail" || is_plain && name.starts_with("fail") && name.len() > 4 {
        return (is_plain || of_library || owner == "softly").then_some(AssertionEffect::Fails);
    }
    if words.throwing.contains(&name) {
        // A call that only catches asserts nothing yet.
        return (!name.starts_with("catch")).then_some(AssertionEffect::Expects);
    }
    if matches!(
        name,
        "assertDoesNotThrow" | "assertTimeout" | "assertTimeoutPreemptively"
    ) {
        return Some(AssertionEffect::Expects);
    }
    if matches!(
        name,
        "assertThat" | "expectThat" | "assertWithMessage" | "assertSoftly"
    ) {
        let has_matcher = call.arguments.len() > 1;
        return Some(if has_matcher {
            AssertionEffect::Checks
        } else {
            AssertionEffect::Begins
        });
    }
    if name.starts_with("assert") || name.starts_with("andExpect") {
        return Some(AssertionEffect::Checks);
    }
    if name.starts_with("verify") {
        let lower = receiver.to_ascii_lowercase();
        let is_known = is_plain
            || owner.starts_with(char::is_uppercase)
            || JAVA_VERIFIERS.iter().any(|text| lower.contains(text))
            || lower.contains("stepverifier");
        return is_known.then_some(AssertionEffect::Expects);
    }
    // The rule of JUnit 4: `thrown.expect(E.class)`.
    let is_rule = matches!(name, "expect" | "expectMessage" | "expectCause");
    if is_rule && !is_plain && receiver.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Some(AssertionEffect::Expects);
    }
    // `Assert.isTrue(x)`, but calls that set such a library up are none.
    (of_library && !matches!(name, "assumeThat" | "as")).then_some(AssertionEffect::Checks)
}

fn python(call: &SyntaxCall<'_>, owner: &str) -> Option<AssertionEffect> {
    let name = call.name;
    let words = &dialect(Language::Python).assertions;
    if matches!(name, "assert_that" | "expect" | "ensure") && call.arguments.len() < 2 {
        return Some(AssertionEffect::Begins);
    }
    if matches!(name, "raises" | "warns" | "deprecated_call") {
        return matches!(owner, "" | "pytest").then_some(AssertionEffect::Expects);
    }
    if name == "fail" {
        return matches!(owner, "" | "self" | "pytest" | "cls").then_some(AssertionEffect::Fails);
    }
    if name.starts_with("assertRaises")
        || name.starts_with("assertWarns")
        || name.starts_with("assertLogs")
        || name.starts_with("assertNoLogs")
        || name.starts_with("assert_called")
        || name.starts_with("assert_not_called")
        || name.starts_with("assert_any")
        || name.starts_with("assert_has_calls")
        || name.starts_with("assert_awaited")
        || name.starts_with("assert_raises")
    {
        return Some(AssertionEffect::Expects);
    }
    let is_name = words.is_name(name) || matches!(name, "eq_" | "ok_" | "failUnless");
    is_name.then_some(AssertionEffect::Checks)
}

fn go(call: &SyntaxCall<'_>, owner: &str, is_statement: bool) -> Option<AssertionEffect> {
    let name = call.name;
    let of_library = matches!(
        owner,
        "assert" | "require" | "is" | "qt" | "td" | "must" | "check" | "assertions"
    );
    if matches!(name, "Expect" | "Ω" | "Eventually" | "Consistently") && !of_library {
        return Some(AssertionEffect::Begins);
    }
    // A mock waits for the call behind it, and fails without it.
    if name == "EXPECT" {
        return Some(AssertionEffect::Expects);
    }
    if name == "So" || name == "AssertExpectations" || name == "ExpectationsWereMet" {
        return Some(AssertionEffect::Checks);
    }
    let is_log = owner.to_ascii_lowercase().contains("log");
    let is_test = matches!(
        owner,
        "t" | "tb" | "b" | "T" | "tt" | "c" | "f" | "s" | "suite"
    );
    if is_statement && is_test && GO_FAILS.contains(&name) {
        // `s.Error(err)` of a suite checks, `t.Error("x")` fails.
        let is_suite = matches!(owner, "s" | "suite") && matches!(name, "Error");
        return Some(if is_suite {
            AssertionEffect::Checks
        } else {
            AssertionEffect::Fails
        });
    }
    if of_library && matches!(name, "Fail" | "FailNow") {
        return Some(AssertionEffect::Fails);
    }
    if of_library && name.starts_with(char::is_uppercase) && name != "New" {
        return Some(AssertionEffect::Checks);
    }
    let words = &dialect(Language::Go).assertions;
    let is_checking = !owner.is_empty() && GO_CHECKS.contains(&name) && !is_log;
    (is_statement && is_checking
        || owner.is_empty() && words.is_name(name)
        || name.starts_with("Assert") && owner != "errors")
        .then_some(AssertionEffect::Checks)
}

fn javascript(
    call: &SyntaxCall<'_>,
    receiver: &str,
    is_statement: bool,
) -> Option<AssertionEffect> {
    let name = call.name;
    let root = receiver
        .split(['.', '(', '[', '?'])
        .next()
        .unwrap_or(receiver);
    let last = receiver.rsplit('.').next().unwrap_or(receiver);
    if matches!(root, "console" | "logger" | "log" | "Object") {
        return None;
    }
    if name == "expect" && matches!(root, "" | "chai" | "global" | "t") {
        return Some(AssertionEffect::Begins);
    }
    if name == "expectAsync" || name == "should" && call.receiver.is_none() {
        return Some(AssertionEffect::Begins);
    }
    // `x.should.equal(y)`; `cy.get(x).should("exist")`.
    if receiver.contains(".should") || name == "should" && !call.arguments.is_empty() {
        return None.or((name == "should").then_some(AssertionEffect::Checks));
    }
    if name == "fail" {
        return matches!(root, "" | "assert" | "done" | "t" | "chai" | "expect")
            .then_some(AssertionEffect::Fails);
    }
    if root == "assert" || last == "assert" || name == "assert" {
        let is_expecting = name.starts_with("throws")
            || name.starts_with("doesNot")
            || matches!(name, "rejects" | "called" | "calledOnce" | "calledWith");
        return Some(if is_expecting {
            AssertionEffect::Expects
        } else {
            AssertionEffect::Checks
        });
    }
    if receiver.is_empty() && (name.starts_with("assert") || name.starts_with("expect")) {
        return Some(AssertionEffect::Checks);
    }
    // supertest: `request(app).get("/").expect(200)`; `td.verify(…)`.
    if name == "expect" && receiver.contains('(') || name == "verify" && !receiver.is_empty() {
        return Some(AssertionEffect::Expects);
    }
    let is_context = matches!(root, "t" | "test" | "tap" | "is" | "ctx" | "st" | "tt");
    (is_statement && is_context && JS_CHECKS.contains(&name)).then_some(AssertionEffect::Checks)
}

fn csharp(call: &SyntaxCall<'_>, owner: &str) -> Option<AssertionEffect> {
    let name = call.name;
    let words = &dialect(Language::CSharp).assertions;
    if owner.ends_with("Assert") {
        if name.starts_with("Fail") {
            return Some(AssertionEffect::Fails);
        }
        if matches!(
            name,
            "Pass"
                | "Ignore"
                | "Inconclusive"
                | "Skip"
                | "SkipWhen"
                | "SkipUnless"
                | "Warn"
                | "Multiple"
                | "MultipleAsync"
                | "EnterMultipleScope"
        ) {
            return None;
        }
        let expects = words.throwing.contains(&name) || name.starts_with("DoesNotThrow");
        return Some(if expects {
            AssertionEffect::Expects
        } else {
            AssertionEffect::Checks
        });
    }
    if name == "Should" && call.receiver.is_some() {
        return Some(AssertionEffect::Begins);
    }
    if name.starts_with("Should") && call.receiver.is_some() {
        let expects = words.throwing.contains(&name) || name.contains("NotThrow");
        return Some(if expects {
            AssertionEffect::Expects
        } else {
            AssertionEffect::Checks
        });
    }
    if name.starts_with("Received") || name.starts_with("DidNotReceive") {
        return call.receiver.is_some().then_some(AssertionEffect::Expects);
    }
    let is_verified = name.starts_with("Verify")
        || name.starts_with("MustHaveHappened")
        || name.starts_with("MustNotHaveHappened");
    if is_verified {
        return Some(AssertionEffect::Expects);
    }
    (name.starts_with("Assert") && owner.is_empty()).then_some(AssertionEffect::Checks)
}

/// Tells whether a call's value is unused.
fn is_statement(node: Node<'_>) -> bool {
    let mut at = node;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "await_expression" => at = parent,
            // The body of an arrow function is handed on.
            "expression_statement"
            | "block"
            | "statement_block"
            | "statement_list"
            | "arrow_function"
            | "source_file"
            | "expression_case"
            | "default_case"
            | "defer_statement"
            | "go_statement"
            | "program" => return true,
            _ => return false,
        }
    }
    true
}
