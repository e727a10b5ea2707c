//! The meaning of assertion libraries' words in JavaScript: jest's and vitest's and jasmine's in one chain with chai's
//! and should's, and those of plain calls, of Node's assert, chai's assert, ava, tap, tape, `QUnit` and Deno.

use crate::fluent::Meaning;
use crate::form::Way;
use crate::says::{ALL, Says};

/// Reads a word of `expect(a).…` or `a.should.…`.
pub fn chained(word: &str, is_called: bool) -> Option<Meaning> {
    if let Some(meaning) = chai(word, is_called) {
        return Some(meaning);
    }
    if !is_called {
        return None;
    }
    Some(Meaning::Says(match word {
        "toBe" => Says::Is(Way::Same),
        "toEqual" | "toStrictEqual" => Says::Is(Way::Equal),
        "toBeNull" => Says::Is(Way::Null),
        "toBeUndefined" => Says::Named("undefined", 0),
        "toBeDefined" => Says::NotNamed("undefined", 0),
        "toBeTruthy" => Says::Named("truthy", 0),
        "toBeFalsy" => Says::NotNamed("truthy", 0),
        "toBeTrue" => Says::Is(Way::True),
        "toBeFalse" => Says::Is(Way::False),
        "toBeNaN" => Says::Named("NaN", 0),
        "toThrow" | "toThrowError" => Says::Throws(1),
        "toBeInstanceOf" => Says::Is(Way::InstanceOf),
        "toBeGreaterThan" => Says::Signed(">"),
        "toBeGreaterThanOrEqual" => Says::Signed(">="),
        "toBeLessThan" => Says::Signed("<"),
        "toBeLessThanOrEqual" => Says::Signed("<="),
        "toBeCloseTo" => Says::Near(Way::Equal),
        "toHaveLength" | "toHaveSize" => Says::Named("length", 1),
        "toContain" => Says::Named("contains", 1),
        "toContainEqual" => Says::Named("contains equal", 1),
        "toMatch" => Says::Named("matches", 1),
        "toMatchObject" => Says::Named("object", 1),
        "toHaveProperty" => Says::Named("property", 2),
        "toHaveBeenCalled" | "toBeCalled" => Says::Named("called", 0),
        "toHaveBeenCalledTimes" | "toBeCalledTimes" => Says::Named("called times", 1),
        "toHaveBeenCalledWith" | "toBeCalledWith" => Says::Named("called with", ALL),
        "toHaveBeenLastCalledWith" | "lastCalledWith" => Says::Named("last called with", ALL),
        _ => return None,
    }))
}

fn chai(word: &str, is_called: bool) -> Option<Meaning> {
    Some(match (word, is_called) {
        ("not", _) => Meaning::Not,
        ("deep", false) => Meaning::Deep,
        (
            "to" | "be" | "been" | "is" | "that" | "which" | "and" | "has" | "have" | "with" | "at"
            | "of" | "same" | "but" | "does" | "still" | "also" | "a" | "an" | "include"
            | "contain" | "should",
            false,
        ) => Meaning::Filler,
        ("true" | "True", _) => Meaning::Says(Says::Is(Way::True)),
        ("false" | "False", _) => Meaning::Says(Says::Is(Way::False)),
        ("null", _) => Meaning::Says(Says::Is(Way::Null)),
        ("undefined", _) => Meaning::Says(Says::Named("undefined", 0)),
        ("NaN", _) => Meaning::Says(Says::Named("NaN", 0)),
        ("exist", _) => Meaning::Says(Says::Named("exists", 0)),
        ("ok", _) => Meaning::Says(Says::Named("truthy", 0)),
        ("empty", _) => Meaning::Says(Says::Named("empty", 0)),
        ("equal" | "equals" | "eq", true) => Meaning::Says(Says::Is(Way::Same)),
        ("eql" | "eqls" | "deepEqual", true) => Meaning::Says(Says::Is(Way::Equal)),
        ("above" | "gt" | "greaterThan", true) => Meaning::Says(Says::Signed(">")),
        ("least" | "gte", true) => Meaning::Says(Says::Signed(">=")),
        ("below" | "lt" | "lessThan", true) => Meaning::Says(Says::Signed("<")),
        ("most" | "lte", true) => Meaning::Says(Says::Signed("<=")),
        ("closeTo" | "approximately", true) => Meaning::Says(Says::Near(Way::Equal)),
        ("instanceof" | "instanceOf" | "Instanceof", true) => {
            Meaning::Says(Says::Is(Way::InstanceOf))
        }
        ("throw" | "throws" | "Throw", true) => Meaning::Says(Says::Throws(1)),
        ("length" | "lengthOf", true) => Meaning::Says(Says::Named("length", 1)),
        ("include" | "includes" | "contain" | "contains", true) => {
            Meaning::Says(Says::Named("contains", 1))
        }
        ("match" | "matches", true) => Meaning::Says(Says::Named("matches", 1)),
        ("a" | "an", true) => Meaning::Says(Says::Named("type", 1)),
        ("property", true) => Meaning::Says(Says::Named("property", 2)),
        ("members", true) => Meaning::Says(Says::Named("members", 1)),
        ("keys" | "key", true) => Meaning::Says(Says::Named("keys", ALL)),
        ("called", false) => Meaning::Says(Says::Named("called", 0)),
        ("notCalled", false) => Meaning::Says(Says::NotNamed("called", 0)),
        ("callCount", true) => Meaning::Says(Says::Named("called times", 1)),
        ("calledOnce" | "calledTwice" | "calledThrice", false) => {
            Meaning::Says(Says::Named(once(word), 0))
        }
        ("calledWith", true) => Meaning::Says(Says::Named("called with", ALL)),
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
pub fn plain(name: &str) -> Option<Says> {
    Some(match name {
        "strictEqual" | "is" | "assertStrictEquals" => Says::Is(Way::Same),
        "notStrictEqual" | "isNot" | "not" | "assertNotStrictEquals" => Says::Is(Way::NotSame),
        "deepEqual" | "deepStrictEqual" | "same" | "strictSame" | "propEqual" | "assertEquals"
        | "isEquivalent" => Says::Is(Way::Equal),
        "notDeepEqual" | "notDeepStrictEqual" | "notSame" | "assertNotEquals" => {
            Says::Is(Way::NotEqual)
        }
        "equal" | "equals" | "looseEqual" => Says::Is(Way::Alike),
        "notEqual" | "notEquals" => Says::Is(Way::NotAlike),
        "true" | "isTrue" => Says::Is(Way::True),
        "false" | "isFalse" => Says::Is(Way::False),
        "isNull" => Says::Is(Way::Null),
        "isNotNull" => Says::Is(Way::NotNull),
        "isUndefined" => Says::Named("undefined", 0),
        "isDefined" => Says::NotNamed("undefined", 0),
        "isNaN" => Says::Named("NaN", 0),
        "ok" | "isOk" | "truthy" | "assert" => Says::Named("truthy", 0),
        "notOk" | "isNotOk" | "falsy" | "notOK" => Says::NotNamed("truthy", 0),
        "exists" | "isNotNullish" | "assertExists" => Says::Named("exists", 0),
        "throws" | "throw" | "throwsAsync" | "rejects" | "assertThrows" | "assertRejects" => {
            Says::Throws(1)
        }
        "doesNotThrow" | "notThrows" | "notThrowsAsync" | "doesNotReject" => {
            Says::Is(Way::NotThrows)
        }
        "isAbove" => Says::Signed(">"),
        "isAtLeast" => Says::Signed(">="),
        "isBelow" => Says::Signed("<"),
        "isAtMost" => Says::Signed("<="),
        "closeTo" | "approximately" => Says::Near(Way::Equal),
        "instanceOf" => Says::Is(Way::InstanceOf),
        "lengthOf" => Says::Named("length", 1),
        "include" | "includes" | "contains" => Says::Named("contains", 1),
        "notInclude" => Says::NotNamed("contains", 1),
        "match" | "regex" => Says::Named("matches", 1),
        "doesNotMatch" | "notRegex" | "notMatch" => Says::NotNamed("matches", 1),
        "typeOf" | "isA" | "type" => Says::Named("type", 1),
        "property" | "propertyVal" => Says::Named("property", 2),
        "isEmpty" => Says::Named("empty", 0),
        "isNotEmpty" => Says::NotNamed("empty", 0),
        "isObject" => Says::Named("is object", 0),
        "isArray" => Says::Named("is array", 0),
        "isFunction" => Says::Named("is function", 0),
        "isString" => Says::Named("is string", 0),
        "called" => Says::Named("called", 0),
        "notCalled" => Says::NotNamed("called", 0),
        "calledOnce" | "calledTwice" | "calledThrice" => Says::Named(once(name), 0),
        "callCount" => Says::Named("called times", 1),
        "calledWith" => Says::Named("called with", ALL),
        "ifError" | "error" => Says::NotNamed("exists", 0),
        "like" => Says::Named("object", 1),
        "fail" => Says::Is(Way::Fail),
        _ => return None,
    })
}
