//! Names that a prediction uses and does not declare; the caller, which knows the sample, looks them up.
//!
//! Only texts are compared: a name that occurs anywhere, also in a comment, is known. So few known names are taken for
//! unknown ones.

use rustc_hash::FxHashSet;

use super::code::{Code, NodeSort};
use super::reader::LanguageReader;
use super::rename::declarations;
use crate::model::Span;

/// Names of one prediction that are looked up: each is searched for in all texts of the sample.
const NAMES_MAX: usize = 64;

/// Finds names that neither the prediction declares nor the reference uses nor a library has; each name once, where it
/// is first used.
pub fn unknown(reference: &str, prediction: &Code<'_>, reader: &LanguageReader) -> Vec<Span> {
    let mut seen: FxHashSet<&str> = declarations(prediction)
        .map(|declaration| prediction.source(declaration))
        .collect();
    let mut found = Vec::new();
    for idx in 0..prediction.nodes.len() as u32 {
        if found.len() == NAMES_MAX {
            break;
        }
        let is_name = matches!(prediction.sort(idx), NodeSort::Name | NodeSort::TypeName);
        if !is_name || is_own(prediction, idx, reader) {
            continue;
        }
        let name = prediction.source(idx);
        if seen.insert(name)
            && !name.is_empty()
            && !(reader.is_library_name)(name)
            && !occurs(reference, name)
        {
            found.push(prediction.node(idx).span);
        }
    }
    found
}

/// Tells whether a name means nothing outside the prediction: names that it declares or labels, and packages.
fn is_own(code: &Code<'_>, idx: u32, reader: &LanguageReader) -> bool {
    let node = code.node(idx);
    match code.sort(node.parent) {
        NodeSort::Method => node.field == code.fields().name,
        NodeSort::Pair => node.field == code.fields().key,
        NodeSort::Call
        | NodeSort::Declarator
        | NodeSort::Parameter
        | NodeSort::Lambda
        | NodeSort::Annotation => false,
        _ => {
            let parent = code.node(node.parent);
            let kind = code.words.grammar.kind_name(parent.kind);
            if code.words.is_untyped && is_package(code, idx, reader.packages) {
                return true;
            }
            if kind.ends_with("_declaration") && node.field == code.fields().name {
                return true;
            }
            reader.labels.contains(&kind) || is_package(code, idx, reader.packages)
        }
    }
}

/// Tells whether a name is a part of a name that begins as packages do.
fn is_package(code: &Code<'_>, idx: u32, packages: &[&str]) -> bool {
    let begin = code.node(idx).span.start as usize;
    let before = code.text.get(..begin).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let path = before
        .char_indices()
        .rev()
        .take(120)
        .take_while(|pair| is_part(pair.1))
        .last()
        .map_or(begin, |pair| pair.0);
    let whole = code
        .text
        .get(path..code.node(idx).span.end as usize)
        .unwrap_or_default();
    let is_lower = code
        .source(idx)
        .starts_with(|source: char| source.is_lowercase());
    is_lower
        && whole
            .split('.')
            .next()
            .is_some_and(|part| packages.contains(&part))
}

/// Tells whether a text has the name as a whole word, or as the property that a getter or setter is named after where a
/// library writes these.
pub fn occurs(text: &str, name: &str) -> bool {
    has_word(text, name)
        || (text.contains("lombok") || text.contains("@Value") || text.contains("@Data"))
            && property(name).is_some_and(|property_name| has_word(text, &property_name))
}

/// Derives the property of `getName`, `isEmpty` or `setName`.
fn property(name: &str) -> Option<String> {
    let rest = ["get", "set", "is", "with"]
        .iter()
        .find_map(|begin| name.strip_prefix(begin))?;
    let first = rest.chars().next().filter(|c| c.is_uppercase())?;
    Some(first.to_lowercase().chain(rest.chars().skip(1)).collect())
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
