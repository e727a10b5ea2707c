//! The table of tokenizers: how tokens of each language are counted, and the counts of another method.

use std::collections::BTreeMap;

use focalist::model::Language;
use focalist::syntax::cut::Cutter;
use focalist::syntax::tree::{Parser, Tree};
use focalist::syntax::{dialect, language_of};
use serde_json::Value;

use crate::support::Place;

/// Counts the leaves of a text's tree, without comments and layout: string literals have several.
fn n_leaves(parser: &mut Parser, language: Language, text: &str) -> usize {
    let mut tree = Tree::new();
    parser.parse(language, text, &mut tree);
    let name = |idx: usize| tree.grammar.kind_name(tree.nodes[idx].kind);
    let mut n_leaves = 0;
    let mut idx = 0;
    while let Some(node) = tree.nodes.get(idx) {
        let end = node.subtree_end as usize;
        if name(idx).ends_with("comment") {
            idx = end;
            continue;
        }
        let is_leaf = end == idx + 1 && !node.span.of(text).trim().is_empty();
        n_leaves += usize::from(is_leaf);
        idx += 1;
    }
    n_leaves
}

/// Returns the table, over all tests of the sample data.
pub fn table() -> String {
    let mut sources: BTreeMap<Language, Vec<String>> = BTreeMap::new();
    for place in [Place::with_sample_data(), Place::with_languages()] {
        let exported = place.run(&["export", "--all"]).success();
        for line in exported.lines() {
            let sample: Value = serde_json::from_str(line).expect("a line is JSON");
            let path = sample["test"]["file"].as_str().expect("a text");
            let source = sample["test"]["source"].as_str().expect("a text");
            let language = language_of(path).expect(path);
            sources.entry(language).or_default().push(source.to_owned());
        }
    }
    let mut parser = Parser::new();
    let mut text =
        "| language | a token is | tokens a test | leaves a test |\n| --- | --- | ---: | ---: |\n"
            .to_owned();
    for (language, sources) in sources {
        let mut cutter = Cutter::new(language);
        let n_tokens: usize = sources
            .iter()
            .map(|source| cutter.tokens(source).iter().len())
            .sum();
        let n_pieces: usize = sources
            .iter()
            .map(|source| n_leaves(&mut parser, language, source))
            .sum();
        let mean = |n: usize| n as f64 / sources.len() as f64;
        let what = match language {
            Language::Java => "one of javalang's lexer",
            Language::Python => "a leaf, or a whole string, also an f-string",
            Language::JavaScript => "a leaf, or a whole string; templates come in pieces",
            Language::Go => "a leaf, or a whole string, raw ones too",
            Language::CSharp => "a leaf, or a whole string; interpolated ones come in pieces",
        };
        text += &format!(
            "| {} | {what} | {:.1} | {:.1} |\n",
            dialect(language).name,
            mean(n_tokens),
            mean(n_pieces)
        );
    }
    text
}
