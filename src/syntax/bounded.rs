//! Parsing that ends: tree-sitter's recovery from errors can take time that grows with the square of the text, and
//! recursion as deep as the text is nested.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::parses::{self, ParseTurn};

/// How often the parser may report progress before it is stopped. It reports every hundred operations: at most 38 times
/// a kilobyte for real files, 63 for hostile ones that end soon, and 6,300 for 29 kB of nested, broken `switch (`,
/// which take six seconds.
const fn reports_max(size_bytes: usize) -> usize {
    1_000 + size_bytes / 10
}

/// How deep brackets may be nested: tree-sitter follows several readings of a broken text at once, and frees them by
/// recursion as deep as brackets are nested (`stack_node_release`: 90,000 times `{[(` overflow a stack of 2 MiB,
/// 30,000 do not).
const NESTED_MAX: u32 = 10_000;

/// After this number of bytes one bracket is forgotten, so that those in strings and comments of a long file do not add
/// up.
const FORGETS_AFTER: usize = 256;

/// Tells whether brackets are nested too deep for the parser's stack. Looks at every byte, also in strings and
/// comments.
fn is_nested_too_deep(text: &str) -> bool {
    if n_opening(text) <= NESTED_MAX as usize {
        return false;
    }
    let mut n_nested = 0_u32;
    for (at, byte) in text.bytes().enumerate() {
        if at % FORGETS_AFTER == 0 {
            n_nested = n_nested.saturating_sub(1);
        }
        match byte {
            b'(' | b'[' | b'{' => n_nested += 1,
            b')' | b']' | b'}' => n_nested = n_nested.saturating_sub(1),
            _ => continue,
        }
        if n_nested > NESTED_MAX {
            return true;
        }
    }
    false
}

/// Counts opening brackets, in blocks so short that one byte holds each count: many such bytes are added at once.
fn n_opening(text: &str) -> usize {
    let blocks = text.as_bytes().chunks(usize::from(u8::MAX));
    let n_in = |block: &[u8]| -> u8 {
        let opening = block.iter();
        opening
            .map(|byte| u8::from(matches!(byte, b'(' | b'[' | b'{')))
            .sum()
    };
    blocks.map(|block| usize::from(n_in(block))).sum()
}

/// Parses a text that follows the grammar, and returns nothing for any other: the parser is stopped as soon as no way
/// to read the text is left, before it tries how the text could be repaired. Says the same as [`parse`] with
/// `has_error`, where nothing is given up.
///
/// # Panics
/// When the parser has no language.
pub fn parse_sound(parser: &mut Parser, text: &str) -> Option<Tree> {
    let tree = parse_until(parser, text, ParseTurn::First, ParseState::has_error)?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// Parses a file that has been parsed before, by another grammar or not repaired: the same as [`parse`], but counted
/// apart.
///
/// # Panics
/// When the parser has no language.
pub fn parse_again(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_until(parser, text, ParseTurn::Again, |_| false)
}

/// Parses a text; returns nothing when it is nested so deep that the parser would overflow its stack, or keeps the
/// parser busy beyond all measure.
///
/// # Panics
/// When the parser has no language.
pub fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_until(parser, text, ParseTurn::First, |_| false)
}

fn parse_until(
    parser: &mut Parser,
    text: &str,
    turn: ParseTurn,
    is_enough: impl Fn(&ParseState) -> bool,
) -> Option<Tree> {
    assert!(parser.language().is_some(), "a parser has a language");
    if is_nested_too_deep(text) {
        return None;
    }
    let reports_max = reports_max(text.len());
    let mut n_reports = 0;
    let mut count = |state: &ParseState| {
        n_reports += 1;
        if n_reports > reports_max || is_enough(state) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    parses::count(turn);
    let tree = parser.parse_with_options(
        &mut |at, _| text.as_bytes().get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut count)),
    );
    if tree.is_none() {
        // Otherwise the next text would go on where this one was left.
        parser.reset();
    }
    tree
}
