//! Where a function is cut into a prompt and the rest (MUTATIONS.md 7).
//!
//! Decides the first line of the second half: the middle, moved down to where the next statement begins, and up to the last
//! one where none follows. A statement inside brackets is no such place.

use super::function::Function;

/// The first line of the second half, in the seed and in a variant; counted from 0 in the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionCut {
    pub seed: u32,
    pub variant: u32,
}

/// Finds the first line of the second half; nothing for a function on one line.
pub fn line(function: &Function<'_>) -> Option<u32> {
    let code = function.code;
    let n_lines = function.source().lines().count() as u32;
    let starts = statement_lines(function);
    let (first, later) = starts.split_first()?;
    let middle = n_lines.div_ceil(2);
    let below = later.iter().find(|n| **n >= middle);
    let cut = *below.or_else(|| later.last()).unwrap_or(first);
    let is_inside = cut > 0 && cut < n_lines && code.text.len() > function.lines.start as usize;
    is_inside.then_some(cut)
}

/// Lists the lines that statements begin, ascending, each once.
fn statement_lines(function: &Function<'_>) -> Vec<u32> {
    let code = function.code;
    let words = function.words;
    let mut lines = Vec::new();
    let (mut at, mut line) = (0, 0);
    let mut idx = function.body;
    let end = code.end(function.body);
    while idx < end {
        let kind = code.kind(idx);
        let is_open =
            idx == function.body || words.blocks.contains(&kind) || words.frames.contains(&kind);
        let parent = code.kind(code.parent(idx));
        let span = code.span(idx);
        if idx != function.body
            && code.is_named(idx)
            && words.blocks.contains(&parent)
            && !words.blocks.contains(&kind)
            && !words.texts.contains(&kind)
            && kind != "comment"
            && code.begins_line(span.start)
        {
            let start = (span.start - function.lines.start) as usize;
            line += super::n_line_breaks(&function.source()[at..start]);
            at = start;
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        idx = if is_open { idx + 1 } else { code.end(idx) };
    }
    lines
}
