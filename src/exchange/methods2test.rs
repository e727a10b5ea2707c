//! The shape of the dataset `microsoft/methods2test` (Tufano et al. 2020), as its README describes it.
//!
//! Every field of theirs is there, so that code written for the dataset finds it; what mining does not know is null
//! instead of a guess: fork counts, superclasses, interfaces and fields of classes, and invocations.

use serde::Serialize;

use super::sample::WireSplit;
use crate::model::MethodKind;

/// One test mapped to its focal method.
#[derive(Debug, Serialize)]
pub struct WireMapping<'a> {
    pub repository: WireRepository<'a>,
    pub focal_class: WireClass<'a>,
    pub focal_method: WireFunction<'a>,
    pub test_class: WireClass<'a>,
    pub test_case: WireFunction<'a>,
    /// Not theirs: they keep one folder per split.
    pub split: WireSplit,
    /// Not theirs: the sample's key, to find it again.
    pub key: String,
}

#[derive(Debug, Serialize)]
pub struct WireRepository<'a> {
    /// The number of the repository among those of the index, in order of identity, from 1.
    pub repo_id: u64,
    pub url: Option<&'a str>,
    pub language: &'static str,
    pub is_fork: Option<bool>,
    pub fork_count: Option<u64>,
    pub stargazer_count: Option<u32>,
}

#[derive(Debug, Serialize)]
pub struct WireClass<'a> {
    pub identifier: &'a str,
    pub superclass: Option<&'a str>,
    pub interfaces: Option<&'a str>,
    pub fields: Option<Vec<&'a str>>,
    /// The methods of focal classes, without bodies, in order of position; absent for other classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<WireFunctionHead>>,
    pub file: &'a str,
}

/// A method with its source.
#[derive(Debug, Serialize)]
pub struct WireFunction<'a> {
    #[serde(flatten)]
    pub head: WireFunctionHead,
    /// The whole declaration.
    pub body: &'a str,
    pub invocations: Option<Vec<&'a str>>,
}

/// The part of a declaration before its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireFunctionHead {
    pub identifier: String,
    /// In parentheses, as written.
    pub parameters: String,
    /// Annotations too.
    pub modifiers: String,
    #[serde(rename = "return")]
    pub returned: String,
    /// `int inc(int by)`.
    pub signature: String,
    /// `public int inc(int by)`.
    pub full_signature: String,
    /// `Counter.inc(int by)`.
    pub class_method_signature: String,
    pub testcase: bool,
    pub constructor: bool,
}

/// The words that are modifiers of methods in Java (JLS 8.4.3, 9.4).
const MODIFIERS: [&str; 11] = [
    "public",
    "protected",
    "private",
    "abstract",
    "static",
    "final",
    "synchronized",
    "native",
    "strictfp",
    "default",
    "transient",
];

impl WireFunctionHead {
    /// Splits a declaration's header into parts: `@Test public <T> int inc(int by) throws IOException`. `class` is the
    /// simple name of the class; a constructor's `name` is `<init>`.
    #[must_use]
    pub fn parse(header: &str, class: &str, name: &str, testcase: bool) -> Self {
        let constructor = MethodKind::of_name(name).is_constructor();
        let identifier = if constructor { class } else { name };
        let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
        let (modifiers, rest) = split_modifiers(&header);
        let name_at = find_name(rest, identifier);
        let (before, after) = rest.split_at(name_at.unwrap_or(0));
        let parameters = after
            .get(identifier.len()..)
            .and_then(balanced)
            .unwrap_or("()");
        // Type parameters belong to neither modifiers nor the type in their parser; they go before the type here.
        let returned = before.trim();
        let signature = format!("{returned} {identifier}{parameters}");
        let signature = signature.trim_start();
        Self {
            identifier: identifier.to_owned(),
            parameters: parameters.to_owned(),
            modifiers: modifiers.to_owned(),
            returned: returned.to_owned(),
            full_signature: format!("{modifiers} {signature}").trim_start().to_owned(),
            signature: signature.to_owned(),
            class_method_signature: format!("{class}.{identifier}{parameters}"),
            testcase,
            constructor,
        }
    }
}

/// Cuts off the leading annotations and modifiers.
fn split_modifiers(header: &str) -> (&str, &str) {
    let mut rest = header;
    loop {
        let next = if rest.starts_with('@') && !rest.starts_with("@interface") {
            after_annotation(rest)
        } else {
            let word_len = rest
                .find(|c: char| !c.is_ascii_lowercase() && c != '-')
                .unwrap_or(rest.len());
            if MODIFIERS.contains(&&rest[..word_len]) {
                &rest[word_len..]
            } else {
                let modifiers = &header[..header.len() - rest.len()];
                return (modifiers.trim_end(), rest);
            }
        };
        rest = next.trim_start();
    }
}

/// Cuts off `@a.b.C(…)`.
fn after_annotation(text: &str) -> &str {
    let name_len = text[1..]
        .find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '$'))
        .map_or(text.len(), |len| len + 1);
    let rest = &text[name_len..];
    match balanced(rest.trim_start()) {
        Some(arguments) => &rest.trim_start()[arguments.len()..],
        None => rest,
    }
}

/// Finds the place of `name` where a parenthesis follows it and no part of a name comes before it.
fn find_name(text: &str, name: &str) -> Option<usize> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        text[at + name.len()..].trim_start().starts_with('(') && !text[..*at].ends_with(is_name)
    })
}

/// Returns `( … )` at the beginning of `text`, with nested ones; strings and characters may hold parentheses.
fn balanced(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if !text.starts_with('(') {
        return None;
    }
    let mut n_open = 0;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(end), _) if c == end => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => n_open += 1,
            (None, ')') => {
                n_open -= 1;
                if n_open == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, name: &str, expected: [&str; 5]) {
        let head = WireFunctionHead::parse(header, "Counter", name, false);
        let got = [
            &head.modifiers,
            &head.returned,
            &head.identifier,
            &head.parameters,
            &head.full_signature,
        ];
        assert_eq!(got, expected);
    }

    #[test]
    fn a_header_is_taken_apart() {
        check(
            "public static int inc(int by) throws IOException",
            "inc",
            [
                "public static",
                "int",
                "inc",
                "(int by)",
                "public static int inc(int by)",
            ],
        );
        check("void inc()", "inc", ["", "void", "inc", "()", "void inc()"]);
        check(
            "@Test(expected = A.class)\n    @B(\")\") public void inc(@C(1) int a, Map<K, V> b)",
            "inc",
            [
                "@Test(expected = A.class) @B(\")\") public",
                "void",
                "inc",
                "(@C(1) int a, Map<K, V> b)",
                "@Test(expected = A.class) @B(\")\") public void inc(@C(1) int a, Map<K, V> b)",
            ],
        );
        check(
            "public <T extends Included> List<T> inc ()",
            "inc",
            [
                "public",
                "<T extends Included> List<T>",
                "inc",
                "()",
                "public <T extends Included> List<T> inc()",
            ],
        );
    }

    #[test]
    fn a_constructor_has_the_class_s_name_and_no_type() {
        let head = WireFunctionHead::parse("protected Counter(int by)", "Counter", "<init>", false);
        assert!(head.constructor);
        assert_eq!(head.signature, "Counter(int by)");
        assert_eq!(head.full_signature, "protected Counter(int by)");
        assert_eq!(head.class_method_signature, "Counter.Counter(int by)");
    }

    #[test]
    fn a_header_without_parentheses_is_a_compact_constructor() {
        let head = WireFunctionHead::parse("public Counter", "Counter", "<init>", false);
        assert_eq!(head.full_signature, "public Counter()");
    }
}
