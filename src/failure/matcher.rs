//! Reads the checks of AssertJ's, FEST's and Truth's chains and of Hamcrest's matchers.

use super::code::{Code, NodeSort, hash_of, mix};
use super::form::{CheckExtras, CheckForm, CheckKind, FormLink};

/// A form, its extras, and a hash of the names that it is written with.
type FormReading = (CheckForm, CheckExtras, u64);

/// How deep matchers in matchers are looked into: `is(not(equalTo(x)))`.
const MATCHER_DEPTH_MAX: usize = 8;

/// How negations of named checks begin, and the names that the others have.
const NEGATIONS: &[(&str, &str)] = &[
    ("isNotEmpty", "isEmpty"),
    ("isNotPresent", "isPresent"),
    ("isNotBlank", "isBlank"),
    ("doesNotContain", "contains"),
    ("doesNotContainKey", "containsKey"),
    ("doesNotMatch", "matches"),
    ("doesNotStartWith", "startsWith"),
    ("doesNotEndWith", "endsWith"),
];

/// Reads `assertThat(…).…` link by link.
pub fn fluent(
    code: &Code<'_>,
    name: &str,
    arguments: &[u32],
    links: &[FormLink],
) -> Vec<FormReading> {
    let mut actual: Vec<u32> = arguments.first().copied().into_iter().collect();
    let mut thrown: Option<u32> = None;
    let mut rest = CheckExtras::default();
    if name == "assertWithMessage" {
        rest.message = actual.pop();
    } else if name == "assertThatExceptionOfType" {
        thrown = actual.pop();
    }
    let mut found = Vec::new();
    let mut navigated: Vec<FormLink> = Vec::new();
    // Whether links follow that no known check has looked through.
    let mut is_open = false;
    for link in links {
        let word = code.source(link.name);
        let arguments = code.arguments(link.call);
        match word {
            "as" | "describedAs" | "withFailMessage" | "overridingErrorMessage" | "because" => {
                rest.message = arguments.first().copied();
                continue;
            }
            "that" if actual.is_empty() => {
                actual = arguments;
                continue;
            }
            _ => {}
        }
        let (arguments, tolerance) = tolerated(code, word, arguments);
        let form = match word {
            "isThrownBy" if name == "assertThatNoException" => Some(CheckForm::new(
                CheckKind::NotThrows,
                Vec::new(),
                arguments.clone(),
            )),
            "isThrownBy" => Some(CheckForm::new(
                CheckKind::Throws,
                thrown.into_iter().collect(),
                arguments.clone(),
            )),
            "isCloseTo" if tolerance.is_some() => Some(CheckForm::new(
                CheckKind::Equal,
                arguments.clone(),
                actual.clone(),
            )),
            _ => fluent_form(name, word, &arguments, &actual),
        };
        is_open = form.is_none();
        if let Some(form) = form {
            let form = CheckForm {
                links: navigated.clone(),
                ..form
            };
            found.push((form, CheckExtras { tolerance, ..rest }, hash_of(word)));
        } else {
            navigated.push(*link);
        }
    }
    if found.is_empty() || is_open {
        // Nothing is checked that we know: the last link may do it.
        let last = links
            .last()
            .map_or(0, |link| hash_of(code.source(link.name)));
        let expected = links
            .last()
            .map_or_else(Vec::new, |link| code.arguments(link.call));
        navigated.pop();
        let form = CheckForm {
            links: navigated,
            ..CheckForm::new(CheckKind::Named(last), expected, actual)
        };
        found.push((form, rest, last));
    }
    found
}

/// Separates the tolerance from the arguments of `isCloseTo(1.0, within(0.1))` and `isEqualTo(1.0, offset(0.1))`.
fn tolerated(code: &Code<'_>, word: &str, arguments: Vec<u32>) -> (Vec<u32>, Option<u32>) {
    if let ("isCloseTo" | "isEqualTo", &[value, offset]) = (word, arguments.as_slice())
        && code.sort(offset) == NodeSort::Call
        && matches!(code.name(offset), Some("within" | "offset"))
        && let &[tolerance] = code.arguments(offset).as_slice()
    {
        return (vec![value], Some(tolerance));
    }
    (arguments, None)
}

/// Reads the check of one link; nothing when it only goes on to another value.
fn fluent_form(head: &str, word: &str, arguments: &[u32], actual: &[u32]) -> Option<CheckForm> {
    let is_thrown = matches!(head, "assertThatThrownBy" | "assertThatCode");
    let way = match word {
        "isEqualTo" => CheckKind::Equal,
        "isNotEqualTo" => CheckKind::NotEqual,
        "isSameAs" | "isSameInstanceAs" => CheckKind::Same,
        "isNotSameAs" | "isNotSameInstanceAs" => CheckKind::NotSame,
        "isTrue" => CheckKind::True,
        "isFalse" => CheckKind::False,
        "isNull" => CheckKind::Null,
        "isNotNull" => CheckKind::NotNull,
        "isInstanceOf" | "isExactlyInstanceOf" if is_thrown => CheckKind::Throws,
        "isInstanceOf" => CheckKind::InstanceOf,
        "doesNotThrowAnyException" => CheckKind::NotThrows,
        _ => {
            if let Some((_, plain)) = NEGATIONS.iter().find(|pair| pair.0 == word) {
                CheckKind::NotNamed(hash_of(plain))
            } else if is_check(word) {
                CheckKind::Named(hash_of(word))
            } else {
                return None;
            }
        }
    };
    Some(CheckForm::new(way, arguments.to_vec(), actual.to_vec()))
}

/// Tells whether a link's name speaks of a check, and does not lead to another value.
pub fn is_check(word: &str) -> bool {
    [
        "is",
        "has",
        "have",
        "contains",
        "does",
        "do",
        "starts",
        "ends",
        "matches",
        "satisfies",
        "all",
        "any",
        "none",
        "are",
        "accepts",
        "rejects",
        "can",
        "with",
        "returns",
    ]
    .iter()
    .any(|begin| {
        word.strip_prefix(begin)
            .is_some_and(|rest| rest.chars().next().is_none_or(char::is_uppercase))
    })
}

/// Reads `assertThat(actual, matcher)`, with or without a message before.
pub fn hamcrest(code: &Code<'_>, arguments: &[u32]) -> Vec<FormReading> {
    let (message, actual, matcher) = match *arguments {
        [message, actual, matcher] => (Some(message), actual, Some(matcher)),
        [actual, matcher] => (None, actual, Some(matcher)),
        [actual] => (None, actual, None),
        _ => {
            let form = CheckForm::new(
                CheckKind::Named(hash_of("assertThat")),
                Vec::new(),
                arguments.to_vec(),
            );
            return vec![(form, CheckExtras::default(), 0)];
        }
    };
    let form = CheckForm::new(
        CheckKind::Named(hash_of("assertThat")),
        Vec::new(),
        vec![actual],
    );
    let plain = MatcherReading {
        form,
        tolerance: None,
        words: 0,
    };
    let MatcherReading {
        form,
        tolerance,
        words,
    } = matcher.map_or(plain, |matcher| matched(code, matcher, actual));
    vec![(form, CheckExtras { tolerance, message }, words)]
}

/// The reading of a matcher.
struct MatcherReading {
    form: CheckForm,
    tolerance: Option<u32>,
    /// A hash of the names that it is written with.
    words: u64,
}

/// Reads a matcher: `is`, `not` and `equalTo` are looked through.
fn matched(code: &Code<'_>, matcher: u32, actual: u32) -> MatcherReading {
    let mut words = hash_of("matcher");
    let mut at = matcher;
    let mut is_negated = false;
    let mut form = None;
    let mut tolerance = None;
    for _ in 0..MATCHER_DEPTH_MAX {
        if code.sort(at) != NodeSort::Call {
            // `is(value)`; a matcher in a variable is compared as a value, too.
            form = Some(CheckForm::new(CheckKind::Equal, vec![at], vec![actual]));
            break;
        }
        let Some(name) = code.child(at, code.fields().name).map(|n| code.source(n)) else {
            break;
        };
        let arguments = code.arguments(at);
        words = mix(words, hash_of(name));
        match (name, arguments.as_slice()) {
            ("is" | "not", [inner]) => {
                is_negated ^= name == "not";
                if is_matcher(code, *inner) {
                    at = *inner;
                    continue;
                }
                form = Some(CheckForm::new(CheckKind::Equal, vec![*inner], vec![actual]));
            }
            _ if at != matcher && !is_matcher(code, at) => {
                form = Some(CheckForm::new(CheckKind::Equal, vec![at], vec![actual]));
            }
            ("equalTo", [value]) => {
                form = Some(CheckForm::new(CheckKind::Equal, vec![*value], vec![actual]));
            }
            ("closeTo", [value, error]) => {
                tolerance = Some(*error);
                form = Some(CheckForm::new(CheckKind::Equal, vec![*value], vec![actual]));
            }
            ("sameInstance" | "theInstance", [value]) => {
                form = Some(CheckForm::new(CheckKind::Same, vec![*value], vec![actual]));
            }
            ("nullValue", _) => {
                form = Some(CheckForm::new(CheckKind::Null, Vec::new(), vec![actual]));
            }
            ("notNullValue", _) => {
                form = Some(CheckForm::new(CheckKind::NotNull, Vec::new(), vec![actual]));
            }
            ("instanceOf" | "isA" | "any", [ty]) => {
                form = Some(CheckForm::new(
                    CheckKind::InstanceOf,
                    vec![*ty],
                    vec![actual],
                ));
            }
            ("containsString", _) => {
                form = Some(CheckForm::new(
                    CheckKind::Named(hash_of("contains")),
                    arguments.clone(),
                    vec![actual],
                ));
            }
            _ => {
                form = Some(CheckForm::new(
                    CheckKind::Named(hash_of(name)),
                    arguments.clone(),
                    vec![actual],
                ));
            }
        }
        break;
    }
    let mut form = form
        .unwrap_or_else(|| CheckForm::new(CheckKind::Named(words), vec![matcher], vec![actual]));
    if is_negated {
        form.kind = form.kind.negated().unwrap_or(CheckKind::Named(words));
    }
    MatcherReading {
        form,
        tolerance,
        words,
    }
}

/// Tells whether the argument of `is` or `not` is a matcher and no value: a call without an object, or on a class of
/// matchers, by one of Hamcrest's names.
fn is_matcher(code: &Code<'_>, idx: u32) -> bool {
    const NAMES: &[&str] = &[
        "allOf",
        "any",
        "anyOf",
        "anything",
        "arrayContaining",
        "arrayContainingInAnyOrder",
        "arrayWithSize",
        "blankOrNullString",
        "blankString",
        "both",
        "closeTo",
        "contains",
        "containsInAnyOrder",
        "containsString",
        "either",
        "empty",
        "emptyArray",
        "emptyCollectionOf",
        "emptyIterable",
        "emptyOrNullString",
        "emptyString",
        "endsWith",
        "equalTo",
        "equalToIgnoringCase",
        "everyItem",
        "greaterThan",
        "greaterThanOrEqualTo",
        "hasEntry",
        "hasItem",
        "hasItemInArray",
        "hasItems",
        "hasKey",
        "hasProperty",
        "hasSize",
        "hasToString",
        "hasValue",
        "in",
        "instanceOf",
        "is",
        "isA",
        "isIn",
        "isOneOf",
        "lessThan",
        "lessThanOrEqualTo",
        "matchesPattern",
        "not",
        "notANumber",
        "notNullValue",
        "nullValue",
        "oneOf",
        "sameInstance",
        "startsWith",
        "stringContainsInOrder",
        "theInstance",
    ];
    if code.sort(idx) != NodeSort::Call {
        return false;
    }
    let is_static = code.child(idx, code.fields().object).is_none_or(|object| {
        matches!(
            code.source(object),
            "Matchers" | "CoreMatchers" | "Is" | "IsEqual" | "IsNull" | "IsNot"
        )
    });
    is_static && code.name(idx).is_some_and(|name| NAMES.contains(&name))
}
