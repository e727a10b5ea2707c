//! The meaning of assertion libraries' words in JavaScript: jest's and vitest's and jasmine's in one chain with chai's
//! and should's, and those of plain calls, of Node's assert, chai's assert, ava, tap, tape, `QUnit` and Deno.

use crate::fluent::FluentMeaning;
use crate::form::CheckKind;
use crate::says::{ALL, MatcherMeaning};

/// Reads a word of `expect(a).…` or `a.should.…`.
pub fn chained(word: &str, is_called: bool) -> Option<FluentMeaning> {
    if let Some(meaning) = chai(word, is_called) {
        return Some(meaning);
    }
    if !is_called {
        return None;
    }
    Some(FluentMeaning::Says(match word {
        "toBe" => MatcherMeaning::Is(CheckKind::Same),
        "toEqual" | "toStrictEqual" => MatcherMeaning::Is(CheckKind::Equal),
        "toBeNull" => MatcherMeaning::Is(CheckKind::Null),
        "toBeUndefined" => MatcherMeaning::Named("undefined", 0),
        "toBeDefined" => MatcherMeaning::NotNamed("undefined", 0),
        "toBeTruthy" => MatcherMeaning::Named("truthy", 0),
        "toBeFalsy" => MatcherMeaning::NotNamed("truthy", 0),
        "toBeTrue" => MatcherMeaning::Is(CheckKind::True),
        "toBeFalse" => MatcherMeaning::Is(CheckKind::False),
        "toBeNaN" => MatcherMeaning::Named("NaN", 0),
        "toThrow" | "toThrowError" => MatcherMeaning::Throws(1),
        "toBeInstanceOf" => MatcherMeaning::Is(CheckKind::InstanceOf),
        "toBeGreaterThan" => MatcherMeaning::Signed(">"),
        "toBeGreaterThanOrEqual" => MatcherMeaning::Signed(">="),
        "toBeLessThan" => MatcherMeaning::Signed("<"),
        "toBeLessThanOrEqual" => MatcherMeaning::Signed("<="),
        "toBeCloseTo" => MatcherMeaning::Near(CheckKind::Equal),
        "toHaveLength" | "toHaveSize" => MatcherMeaning::Named("length", 1),
        "toContain" => MatcherMeaning::Named("contains", 1),
        "toContainEqual" => MatcherMeaning::Named("contains equal", 1),
        "toMatch" => MatcherMeaning::Named("matches", 1),
        "toMatchObject" => MatcherMeaning::Named("object", 1),
        "toHaveProperty" => MatcherMeaning::Named("property", 2),
        "toHaveBeenCalled" | "toBeCalled" => MatcherMeaning::Named("called", 0),
        "toHaveBeenCalledTimes" | "toBeCalledTimes" => MatcherMeaning::Named("called times", 1),
        "toHaveBeenCalledWith" | "toBeCalledWith" => MatcherMeaning::Named("called with", ALL),
        "toHaveBeenLastCalledWith" | "lastCalledWith" => {
            MatcherMeaning::Named("last called with", ALL)
        }
        _ => return None,
    }))
}

fn chai(word: &str, is_called: bool) -> Option<FluentMeaning> {
    Some(match (word, is_called) {
        ("not", _) => FluentMeaning::Not,
        ("deep", false) => FluentMeaning::Deep,
        (
            "to" | "be" | "been" | "is" | "that" | "which" | "and" | "has" | "have" | "with" | "at"
            | "of" | "same" | "but" | "does" | "still" | "also" | "a" | "an" | "include"
            | "contain" | "should",
            false,
        ) => FluentMeaning::Filler,
        ("true" | "True", _) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::True)),
        ("false" | "False", _) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::False)),
        ("null", _) => FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Null)),
        ("undefined", _) => FluentMeaning::Says(MatcherMeaning::Named("undefined", 0)),
        ("NaN", _) => FluentMeaning::Says(MatcherMeaning::Named("NaN", 0)),
        ("exist", _) => FluentMeaning::Says(MatcherMeaning::Named("exists", 0)),
        ("ok", _) => FluentMeaning::Says(MatcherMeaning::Named("truthy", 0)),
        ("empty", _) => FluentMeaning::Says(MatcherMeaning::Named("empty", 0)),
        ("equal" | "equals" | "eq", true) => {
            FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Same))
        }
        ("eql" | "eqls" | "deepEqual", true) => {
            FluentMeaning::Says(MatcherMeaning::Is(CheckKind::Equal))
        }
        ("above" | "gt" | "greaterThan", true) => FluentMeaning::Says(MatcherMeaning::Signed(">")),
        ("least" | "gte", true) => FluentMeaning::Says(MatcherMeaning::Signed(">=")),
        ("below" | "lt" | "lessThan", true) => FluentMeaning::Says(MatcherMeaning::Signed("<")),
        ("most" | "lte", true) => FluentMeaning::Says(MatcherMeaning::Signed("<=")),
        ("closeTo" | "approximately", true) => {
            FluentMeaning::Says(MatcherMeaning::Near(CheckKind::Equal))
        }
        ("instanceof" | "instanceOf" | "Instanceof", true) => {
            FluentMeaning::Says(MatcherMeaning::Is(CheckKind::InstanceOf))
        }
        ("throw" | "throws" | "Throw", true) => FluentMeaning::Says(MatcherMeaning::Throws(1)),
        ("length" | "lengthOf", true) => FluentMeaning::Says(MatcherMeaning::Named("length", 1)),
        ("include" | "includes" | "contain" | "contains", true) => {
            FluentMeaning::Says(MatcherMeaning::Named("contains", 1))
        }
        ("match" | "matches", true) => FluentMeaning::Says(MatcherMeaning::Named("matches", 1)),
        ("a" | "an", true) => FluentMeaning::Says(MatcherMeaning::Named("type", 1)),
        ("property", true) => FluentMeaning::Says(MatcherMeaning::Named("property", 2)),
        ("members", true) => FluentMeaning::Says(MatcherMeaning::Named("members", 1)),
        ("keys" | "key", true) => FluentMeaning::Says(MatcherMeaning::Named("keys", ALL)),
        ("called", false) => FluentMeaning::Says(MatcherMeaning::Named("called", 0)),
        ("notCalled", false) => FluentMeaning::Says(MatcherMeaning::NotNamed("called", 0)),
        ("callCount", true) => FluentMeaning::Says(MatcherMeaning::Named("called times", 1)),
        ("calledOnce" | "calledTwice" | "calledThrice", false) => {
            FluentMeaning::Says(MatcherMeaning::Named(once(word), 0))
        }
        ("calledWith", true) => FluentMeaning::Says(MatcherMeaning::Named("called with", ALL)),
        _ => return None,
    })
}

/// Chooses the word for a number of calls.
const fn once(word: &str) -> &'static str {
    match word.as_bytes() {
        b"calledOnce" => "called once",
        b"calledTwice" => "called twice",
        _ => "called thrice",
    }
}

/// Reads a function that takes the actual value first, like those of `assert`.
pub fn plain(name: &str) -> Option<MatcherMeaning> {
    Some(match name {
        "strictEqual" | "is" | "assertStrictEquals" => MatcherMeaning::Is(CheckKind::Same),
        "notStrictEqual" | "isNot" | "not" | "assertNotStrictEquals" => {
            MatcherMeaning::Is(CheckKind::NotSame)
        }
        "deepEqual" | "deepStrictEqual" | "same" | "strictSame" | "propEqual" | "assertEquals"
        | "isEquivalent" => MatcherMeaning::Is(CheckKind::Equal),
        "notDeepEqual" | "notDeepStrictEqual" | "notSame" | "assertNotEquals" => {
            MatcherMeaning::Is(CheckKind::NotEqual)
        }
        "equal" | "equals" | "looseEqual" => MatcherMeaning::Is(CheckKind::Alike),
        "notEqual" | "notEquals" => MatcherMeaning::Is(CheckKind::NotAlike),
        "true" | "isTrue" => MatcherMeaning::Is(CheckKind::True),
        "false" | "isFalse" => MatcherMeaning::Is(CheckKind::False),
        "isNull" => MatcherMeaning::Is(CheckKind::Null),
        "isNotNull" => MatcherMeaning::Is(CheckKind::NotNull),
        "isUndefined" => MatcherMeaning::Named("undefined", 0),
        "isDefined" => MatcherMeaning::NotNamed("undefined", 0),
        "isNaN" => MatcherMeaning::Named("NaN", 0),
        "ok" | "isOk" | "truthy" | "assert" => MatcherMeaning::Named("truthy", 0),
        "notOk" | "isNotOk" | "falsy" | "notOK" => MatcherMeaning::NotNamed("truthy", 0),
        "exists" | "isNotNullish" | "assertExists" => MatcherMeaning::Named("exists", 0),
        "throws" | "throw" | "throwsAsync" | "rejects" | "assertThrows" | "assertRejects" => {
            MatcherMeaning::Throws(1)
        }
        "doesNotThrow" | "notThrows" | "notThrowsAsync" | "doesNotReject" => {
            MatcherMeaning::Is(CheckKind::NotThrows)
        }
        "isAbove" => MatcherMeaning::Signed(">"),
        "isAtLeast" => MatcherMeaning::Signed(">="),
        "isBelow" => MatcherMeaning::Signed("<"),
        "isAtMost" => MatcherMeaning::Signed("<="),
        "closeTo" | "approximately" => MatcherMeaning::Near(CheckKind::Equal),
        "instanceOf" => MatcherMeaning::Is(CheckKind::InstanceOf),
        "lengthOf" => MatcherMeaning::Named("length", 1),
        "include" | "includes" | "contains" => MatcherMeaning::Named("contains", 1),
        "notInclude" => MatcherMeaning::NotNamed("contains", 1),
        "match" | "regex" => MatcherMeaning::Named("matches", 1),
        "doesNotMatch" | "notRegex" | "notMatch" => MatcherMeaning::NotNamed("matches", 1),
        "typeOf" | "isA" | "type" => MatcherMeaning::Named("type", 1),
        "property" | "propertyVal" => MatcherMeaning::Named("property", 2),
        "isEmpty" => MatcherMeaning::Named("empty", 0),
        "isNotEmpty" => MatcherMeaning::NotNamed("empty", 0),
        "isObject" => MatcherMeaning::Named("is object", 0),
        "isArray" => MatcherMeaning::Named("is array", 0),
        "isFunction" => MatcherMeaning::Named("is function", 0),
        "isString" => MatcherMeaning::Named("is string", 0),
        "called" => MatcherMeaning::Named("called", 0),
        "notCalled" => MatcherMeaning::NotNamed("called", 0),
        "calledOnce" | "calledTwice" | "calledThrice" => MatcherMeaning::Named(once(name), 0),
        "callCount" => MatcherMeaning::Named("called times", 1),
        "calledWith" => MatcherMeaning::Named("called with", ALL),
        "ifError" | "error" => MatcherMeaning::NotNamed("exists", 0),
        "like" => MatcherMeaning::Named("object", 1),
        "fail" => MatcherMeaning::Is(CheckKind::Fail),
        _ => return None,
    })
}
