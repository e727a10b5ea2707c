//! Where a text in Python breaks off: the parts that are still open at its end.

use super::super::ending::{Brackets, OpenConstruct};
use crate::model::{Language, ParseMode};
use crate::syntax::judge::Judge;
use crate::syntax::tree::Tree;
use crate::syntax::verdict::PieceShape;

/// Texts that may be missing at the end of a last line.
const COMPLETIONS: &[&str] = &[
    " x",
    "x",
    ": pass",
    " x: pass",
    "(): pass",
    " in x: pass",
    "x: pass",
    " import x",
];

/// Finds the part that is open at the end of a text that does not parse: a text, a bracket, a block, or else the last
/// statement.
pub fn open(text: &str, judge: &mut Judge) -> Option<OpenConstruct> {
    scan(text).or_else(|| last_line(text, judge))
}

/// Tells whether a text ends with the head of a block: the grammar takes a block without statements.
pub fn is_unfinished(tree: &Tree) -> bool {
    // A block with statements has nodes behind it.
    let last = tree.nodes.last();
    last.is_some_and(|last| tree.grammar.kind_name(last.kind) == "block")
}

fn last_line(text: &str, judge: &mut Judge) -> Option<OpenConstruct> {
    let end = text.trim_end();
    if end.is_empty() {
        return None;
    }
    let by = (Language::Python, ParseMode::Strict);
    let mut is_sound = |completed: &str| judge.is_sound(completed, PieceShape::Statements, by);
    let indentation = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let mut lines = end.lines().rev();
    let last = indentation(lines.clone().next().unwrap_or_default());
    let tried = lines.find(|line| line.trim_start().starts_with("try:"));
    let tried = tried.map(indentation).unwrap_or_default();
    // The line after a head, and the handler after a `try` block.
    let blocks = [
        format!("\n{last}    pass"),
        format!("\n{tried}except Exception:\n{tried}    pass"),
        format!("\n{last}    pass\n{tried}except Exception:\n{tried}    pass"),
    ];
    let detail = if blocks.iter().any(|block| is_sound(&[end, block].concat())) {
        "the last block has no end"
    } else if COMPLETIONS
        .iter()
        .any(|completion| is_sound(&[end, completion].concat()))
    {
        "the last statement has no end"
    } else {
        return None;
    };
    Some(OpenConstruct::new(end.len(), detail))
}

/// Finds a text or a bracket that nothing closes.
fn scan(text: &str) -> Option<OpenConstruct> {
    let bytes = text.as_bytes();
    let mut brackets = Brackets::default();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let triple = [quote; 3];
                let is_block = bytes[at..].starts_with(&triple);
                let needle: &[u8] = if is_block { &triple } else { &triple[..1] };
                match closing(bytes, at + needle.len(), needle, is_block) {
                    Some(end) => at = end,
                    None => return Some(OpenConstruct::new(start, "the text is not closed")),
                }
                continue;
            }
            byte => brackets.meet(byte, at),
        }
        at += 1;
    }
    brackets.open().map(|(_, open)| open)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter().position(|byte| *byte == b'\n');
    rest.map_or(bytes.len(), |len| at + len)
}

/// Finds the end of a text; nothing if that is nowhere. One of a line that ends with it is a mistake, and closed there.
fn closing(bytes: &[u8], from: usize, needle: &[u8], is_block: bool) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if !is_block && bytes[at..].iter().any(|byte| !byte.is_ascii_whitespace()) => {
                return Some(at);
            }
            _ if bytes[at..].starts_with(needle) => return Some(at + needle.len()),
            _ => at += 1,
        }
    }
    None
}
