//! Parsing that ends: tree-sitter's recovery from errors can take time that grows with the square of the text.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// How often the parser may report that it works, before it is stopped. It does so every hundred operations: at most
/// 38 times a kilobyte for real files, 63 for hostile ones that end soon, and 6,300 for 29 kB of nested, broken
/// `switch (`, which take six seconds.
const fn reports_max(size_bytes: usize) -> usize {
    1_000 + size_bytes / 10
}

/// Returns the tree, or nothing when the text keeps the parser busy beyond all measure.
///
/// # Panics
/// When the parser has no language.
pub fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    assert!(parser.language().is_some(), "a parser has a language");
    let reports_max = reports_max(text.len());
    let mut n_reports = 0;
    let mut count = |_: &ParseState| {
        n_reports += 1;
        if n_reports > reports_max {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
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
