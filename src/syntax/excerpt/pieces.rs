//! Pieces of a file: how they are put together, and how hidden parts are taken out of them.

use tree_sitter::Node;

use crate::model::Span;

use super::{View, named_children};

/// Pieces in the order of the file.
#[derive(Default)]
pub struct Pieces(Vec<String>);

impl Pieces {
    /// Appends a piece without the blank lines around it, unless nothing is left.
    pub fn push(&mut self, piece: &str) {
        let mut piece = piece.trim_end();
        while let Some((first, rest)) = piece.split_once('\n')
            && first.trim().is_empty()
        {
            piece = rest;
        }
        if !piece.is_empty() {
            self.0.push(piece.to_owned());
        }
    }

    /// Adds what `decide` makes of each named child. A comment that follows a child on its line shares its fate.
    pub fn children<'n>(
        &mut self,
        view: &View<'_>,
        parent: Node<'n>,
        mut decide: impl FnMut(Node<'n>) -> Option<String>,
    ) {
        let mut last: Option<(Node<'n>, bool)> = None;
        for child in named_children(parent) {
            if let Some((before, is_kept)) = last
                && child.kind().contains("comment")
                && child.start_position().row == before.end_position().row
            {
                let rest = view.file.text.get(before.end_byte()..child.end_byte());
                if let (true, Some(piece), Some(rest)) = (is_kept, self.0.last_mut(), rest) {
                    piece.push_str(rest.trim_end());
                }
                last = Some((child, is_kept));
                continue;
            }
            let n_before = self.0.len();
            if let Some(piece) = decide(child) {
                self.push(&piece);
            }
            last = Some((child, self.0.len() > n_before));
        }
    }

    pub fn joined(self) -> String {
        self.0.join("\n")
    }
}

/// Copies a part of a text without the holes in it, which are in order, and without lines that become empty.
pub fn without(text: &str, whole: Span, holes: &[Span]) -> String {
    let mut kept = String::new();
    // Offsets in the kept text at which there was a hole.
    let mut marks = Vec::new();
    let mut at = whole.start;
    for hole in holes.iter().filter(|hole| whole.contains(**hole)) {
        if hole.start < at {
            continue;
        }
        kept.push_str(Span::new(at, hole.start).of(text));
        marks.push(kept.len());
        at = hole.end;
    }
    kept.push_str(Span::new(at, whole.end).of(text));
    let mut lines = Vec::new();
    let mut start = 0;
    let mut marks = marks.into_iter().peekable();
    for line in kept.split('\n') {
        let end = start + line.len();
        let mut is_hit = false;
        while marks.next_if(|mark| *mark <= end).is_some() {
            is_hit = true;
        }
        if !(is_hit && line.trim().is_empty()) {
            lines.push(if is_hit { line.trim_end() } else { line });
        }
        start = end + 1;
    }
    lines.join("\n")
}
