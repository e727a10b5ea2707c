//! Python: one function with its decorators, cut at the first later line that is no deeper than the function's first
//! line.

use crate::model::{Language, ParseMode, Repair};
use crate::syntax::tree::Grammar;
use crate::syntax::verdict::{ParseOutcome, PieceShape};

use super::edited::EditedText;
use super::{
    GivenText, RepairRules, RepairedMethod, Repairer, Repairs, StepKind, Unparsable, line_of,
};

const LANGUAGE: (Language, ParseMode) = (Language::Python, ParseMode::Strict);

pub(super) fn repair(
    repairer: &mut Repairer,
    given: &GivenText,
    rules: RepairRules,
) -> Result<RepairedMethod, Unparsable> {
    let text = given.text.as_str();
    let lines = logical_lines(text);
    let indent = lines.first().map_or(0, |line| line.indent);
    let end = match rules.repairs {
        Repairs::Paper => end_of_function(text, &lines, indent),
        Repairs::None => text.len(),
    };
    let mut edited = EditedText::new(text);
    if indent > 0 {
        unindent(&mut edited, &text[..end], indent);
    }
    edited.add(StepKind::Cut, (end, text.len()), "");
    let is_cut = !text[end..].trim().is_empty();
    match one_function(repairer, &edited.text()) {
        Ok(name) => {
            let repair = if is_cut { Repair::Cut } else { Repair::None };
            Ok(RepairedMethod::new(edited, name, repair, Language::Python))
        }
        Err((line, detail)) => {
            let breaks = text
                .match_indices('\n')
                .map(|match_index| match_index.0 + 1);
            let start = match line {
                0 | 1 => Some(0),
                line => breaks.clone().nth(line as usize - 2),
            };
            Err(Unparsable {
                line: line_of(given, start.unwrap_or(text.len())),
                detail,
            })
        }
    }
}

/// A line that begins neither inside a string nor inside a bracket that an earlier line opened.
struct LogicalLine {
    /// The position at which the line begins.
    start: usize,
    /// The number of bytes of white space at its beginning.
    indent: usize,
}

/// Splits a text into the lines whose indentation counts; those that are blank or hold a comment alone are none.
fn logical_lines(text: &str) -> Vec<LogicalLine> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    let mut is_new = true;
    let mut line_start = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\n' => {
                is_new = depth == 0;
                line_start = at + 1;
            }
            b' ' | b'\t' | b'\r' | 0x0c => {}
            b'#' => {
                at = end_of_line(bytes, at);
                continue;
            }
            _ => {
                if is_new {
                    lines.push(LogicalLine {
                        start: line_start,
                        indent: at - line_start,
                    });
                    is_new = false;
                }
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b'"' | b'\'' => {
                        at = end_of_string(bytes, at);
                        continue;
                    }
                    // The line continues on the next one.
                    b'\\' => at += 1,
                    _ => {}
                }
            }
        }
        at += 1;
    }
    lines
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(rest.len())
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let triple = [quote; 3];
    let is_triple = bytes[start..].starts_with(&triple);
    let mut at = start + if is_triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !is_triple => return at,
            byte if byte == quote && !is_triple => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&triple) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Finds the end of the first function: before the first later line that is no deeper than its head. Text before the
/// function stays, and makes the result no function.
fn end_of_function(text: &str, lines: &[LogicalLine], indent: usize) -> usize {
    let mut has_head = false;
    for line in lines {
        let code = &text[line.start + line.indent..];
        if has_head && line.indent <= indent {
            // Blank lines and comments between the two belong to neither.
            let before = text[..line.start].trim_end().len();
            let rest = &text[before..line.start];
            return before + usize::from(rest.starts_with('\n'));
        }
        has_head |= code.starts_with("def ") || code.starts_with("async ");
    }
    text.len()
}

fn unindent(edited: &mut EditedText<'_>, text: &str, indent: usize) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        edited.add(StepKind::Unindented, (start, start + blank.min(indent)), "");
        start += line.len();
    }
}

fn one_function(repairer: &mut Repairer, text: &str) -> Result<String, (u32, String)> {
    let verdict = repairer
        .judge
        .verdict(text, PieceShape::Statements, LANGUAGE);
    if let ParseOutcome::Error { line, detail, .. } = verdict {
        return Err((line, detail));
    }
    let other = |detail: &str| (1, detail.to_owned());
    let Repairer { parser, tree, .. } = repairer;
    parser.parse(Language::Python, text, tree);
    if tree.has_error() {
        return Err(other("it is not one function"));
    }
    let grammar = Grammar::of(Language::Python);
    let mut named = tree.children(0).filter(|child| {
        let node = &tree.nodes[*child as usize];
        node.is_named() && !node.is_extra()
    });
    let Some(first) = named.next() else {
        return Err(other("there is no function in it"));
    };
    if named.next().is_some() {
        return Err(other("there is more than one function in it"));
    }
    let kind = |idx: u32| Some(tree.nodes[idx as usize].kind);
    let function = if kind(first) == grammar.kind("decorated_definition") {
        tree.child_by_field(first, grammar.field("definition"))
    } else {
        Some(first)
    };
    function
        .filter(|function| kind(*function) == grammar.kind("function_definition"))
        .and_then(|function| tree.child_by_field(function, grammar.field("name")))
        .map(|n| tree.nodes[n as usize].span.of(text).to_owned())
        .ok_or_else(|| other("it is something else than a function"))
}
