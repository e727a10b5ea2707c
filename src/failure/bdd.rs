//! Behaviour-driven words: AssertJ's `then(…)` asserts, and Mockito's `then(mock).should()` verifies.
//!
//! Decides which calls of such names are assertions. `then` is a word that projects use too, so it counts where the
//! test's file imports it from a library; where its origin is unknown, by the calls on it; and never where the file has
//! a `then` of its own or imports another one, nor on an object: `promise.then(…)`.

use super::code::Code;
use super::form::{FormLink, is_asserting_class};
use super::matcher::is_check;

/// Words of AssertJ's `BDDAssertions` after `then`; after `assertThat` they mean the same.
const AFTER_THEN: &[&str] = &[
    "",
    "Code",
    "ExceptionOfType",
    "IOException",
    "IllegalArgumentException",
    "IllegalStateException",
    "NoException",
    "NullPointerException",
    "Object",
    "ThrownBy",
];

/// Packages whose `then` asserts or verifies.
const LIBRARIES: &[&str] = &["org.assertj.", "org.fest.", "org.mockito."];

/// Words before the name of a method that are no types.
const NO_TYPES: &[&str] = &["assert", "case", "else", "new", "return", "throw", "yield"];

/// The owner of a bare method `then`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThenOwner {
    /// Nothing is known of it.
    Unknown,
    /// The file imports it from a library by name.
    Library,
    /// The project's.
    Own,
}

impl ThenOwner {
    /// Reads the test's file. Methods that are inherited and imports of all of a class say nothing.
    pub fn of(file: Option<&str>) -> Self {
        let Some(file) = file else {
            return Self::Unknown;
        };
        if declares_then(file) {
            return Self::Own;
        }
        let imported = file.split(';').filter_map(|statement| {
            let (_, path) = statement.rsplit_once("import static ")?;
            path.trim().strip_suffix(".then")
        });
        let mut found = Self::Unknown;
        for class in imported {
            if LIBRARIES.iter().any(|text| class.starts_with(text)) {
                return Self::Library;
            }
            found = Self::Own;
        }
        found
    }
}

/// Tells whether a text declares a method `then`: the name after a type, with parameters and the beginning of a body
/// or of `throws`. Comments have the word too.
fn declares_then(text: &str) -> bool {
    text.match_indices("then").any(|(at, word)| {
        let before = &text[..at];
        let last = before.trim_end();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let type_name = &last[last.trim_end_matches(is_part).len()..];
        let is_typed = last.len() < before.len()
            && (last.ends_with(['>', ']']) && !last.ends_with("->")
                || !type_name.is_empty() && !NO_TYPES.contains(&type_name));
        let head = text[at + word.len()..].trim_start().strip_prefix('(');
        let after = head.and_then(|head| head.split_once(')'));
        let is_method = |text: &str| text.starts_with(['{', ';']) || text.starts_with("throws");
        is_typed && after.is_some_and(|after| is_method(after.1.trim_start()))
    })
}

/// Tells whether a call with these calls around it, outermost first, is an assertion of this style.
pub fn is_assertion(code: &Code<'_>, call: u32, links: &[FormLink], then: ThenOwner) -> bool {
    let Some(first) = links.last() else {
        return false;
    };
    let name = code.name(call).unwrap_or_default();
    let object = code
        .child(call, code.fields().object)
        .map(|n| code.source(n));
    if plain(name).is_none() || object.is_some_and(|object| !is_asserting_class(object)) {
        return false;
    }
    let is_checked = || links.iter().any(|link| is_check(code.source(link.name)));
    match then {
        _ if name != "then" || object.is_some() => true,
        ThenOwner::Library => true,
        ThenOwner::Own => false,
        ThenOwner::Unknown => is_of_mock(code, *first) || is_checked(),
    }
}

/// Translates a name of this style to AssertJ's other one: `assertThat…`; nothing for a name that asserts nothing.
pub fn plain(name: &str) -> Option<String> {
    let rest = name.strip_prefix("then")?;
    AFTER_THEN
        .contains(&rest)
        .then(|| format!("assertThat{rest}"))
}

/// Tells whether the first call on `then(mock)` verifies the mock: `should` or `shouldHave…`.
pub fn is_of_mock(code: &Code<'_>, first: FormLink) -> bool {
    let word = code.source(first.name);
    word == "should" || word.starts_with("shouldHave")
}
