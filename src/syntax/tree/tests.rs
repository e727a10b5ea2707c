//! The flat tree against tree-sitter's own printed tree, and the faults and tokens that are read off it.

use proptest::prelude::*;

use super::{Grammar, NodeField, Parser, Tree};
use crate::bounded;
use crate::model::Language;

/// Snippets of all languages, sound and broken: a part of `metrics.json` beside them, each after a line `=== language`.
fn snippets() -> Vec<(Language, String)> {
    let snippets = include_str!("../../../tests/fixtures/metrics/snippets.txt");
    let snippets = snippets.strip_prefix("=== ").expect("a snippet has a head");
    let parsed = snippets.split("\n=== ").map(|snippet| {
        let (language, text) = snippet.split_once('\n').expect("a head is a line");
        let language = match language {
            "java" => Language::Java,
            "python" => Language::Python,
            "go" => Language::Go,
            "javascript" => Language::JavaScript,
            "c_sharp" => Language::CSharp,
            other => panic!("the fixture has an unknown language: {other}"),
        };
        (language, text.to_owned())
    });
    parsed.collect()
}

/// Cuts and doubles pieces, so that most texts break their grammar at some place.
fn broken(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut texts = Vec::new();
    for n in 1..6 {
        let at = chars.len() * n / 6;
        let end = (at + n * 3).min(chars.len());
        texts.push(chars[..at].iter().chain(&chars[end..]).collect());
        texts.push(chars[..end].iter().chain(&chars[at..]).collect());
        texts.push(chars[..at].iter().collect());
        texts.push(
            chars[..at]
                .iter()
                .chain(&['#', '`', '\''])
                .chain(&chars[at..])
                .collect(),
        );
    }
    texts
}

/// Prints a tree as tree-sitter does.
fn printed(tree: &Tree, idx: u32, field: NodeField, is_root: bool, text: &mut String) {
    let node = &tree.nodes[idx as usize];
    let is_shown = node.is_named() || node.is_missing();
    let own = if node.field == NodeField::NONE {
        field
    } else {
        node.field
    };
    let own = if node.is_extra() {
        NodeField::NONE
    } else {
        own
    };
    if is_shown {
        if !is_root {
            text.push(' ');
            if own != NodeField::NONE {
                text.push_str(tree.grammar.field_name(own));
                text.push_str(": ");
            }
        }
        let name = tree.grammar.kind_name(node.kind);
        if let Some((_, printed)) = tree.unexpected.iter().find(|(at, _)| *at == idx) {
            text.push_str(printed);
            return;
        }
        if node.is_missing() && node.is_named() {
            text.push_str(&format!("(MISSING {name}"));
        } else if node.is_missing() {
            text.push_str(&format!("(MISSING \"{name}\""));
        } else {
            text.push_str(&format!("({name}"));
        }
    }
    let below = if is_shown { NodeField::NONE } else { own };
    let supposed = |from: u32, to: u32, text: &mut String| {
        for missing_node in &tree.supposed {
            if missing_node.parent == idx && missing_node.after >= from && missing_node.after < to {
                text.push(' ');
                if missing_node.field != NodeField::NONE {
                    text.push_str(&format!(
                        "{}: ",
                        tree.grammar.field_name(missing_node.field)
                    ));
                }
                text.push_str(&missing_node.printed);
            }
        }
    };
    let mut from = idx;
    for child in tree.children(idx) {
        let is_printed = tree.nodes[child as usize].is_named();
        if is_printed || tree.nodes[child as usize].is_missing() {
            supposed(from, child, text);
            from = child;
        }
        printed(tree, child, below, false, text);
    }
    supposed(from, node.subtree_end, text);
    if is_shown {
        text.push(')');
    }
}

fn original(language: Language, text: &str) -> Option<String> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(Grammar::of(language).language())
        .expect("the grammars are made for this tree-sitter");
    Some(bounded::parse(&mut parser, text)?.root_node().to_sexp())
}

fn parse(language: Language, text: &str) -> Tree {
    let mut tree = Tree::new();
    Parser::new().parse(language, text, &mut tree);
    tree
}

#[test]
fn nothing_of_a_printed_tree_is_lost() {
    let mut parser = Parser::new();
    let mut tree = Tree::new();
    let mut n_supposed = 0;
    let mut n_unexpected = 0;
    for (language, text) in snippets() {
        let mut texts = broken(&text);
        texts.push(text);
        for text in texts {
            parser.parse(language, &text, &mut tree);
            assert!(!tree.is_stopped(), "{language:?} is stopped at {text:?}");
            let mut ours = String::new();
            printed(&tree, 0, NodeField::NONE, true, &mut ours);
            let theirs = original(language, &text).expect("it was parsed before");
            assert_eq!(ours, theirs, "{language:?}: {text}");
            n_supposed += tree.supposed.len();
            n_unexpected += tree.unexpected.len();
        }
    }
    assert!(n_supposed > 0 && n_unexpected > 0, "the rare is tried too");
}

#[test]
fn broken_texts_as_deep_as_they_are_long_are_parsed() {
    let chain = format!("{}(", "f().".repeat(6_000));
    let brackets = "{".repeat(9_000);
    for language in Language::ALL {
        for text in [&chain, &brackets] {
            let tree = parse(*language, text);
            assert!(tree.is_stopped() || tree.has_error(), "{language:?}");
        }
    }
}

/// `expected` is `line:column detail`, or nothing for a sound text.
fn check_fault(language: Language, text: &str, expected: &str) {
    let fault = parse(language, text).first_fault(text);
    let said = fault.map(|fault| {
        format!(
            "{}:{} {}",
            fault.position.line, fault.position.column, fault.detail
        )
    });
    assert_eq!(said.unwrap_or_default(), expected, "{text}");
}

#[test]
fn the_first_fault_is_named_with_its_place() {
    check_fault(Language::Java, "foo();\nint x = 1;", "");
    check_fault(Language::Java, "foo();\nint x = 1", "2:10 missing `;`");
    check_fault(Language::Java, "foo(;", "1:4 unexpected `(`");
    check_fault(Language::Python, "x = (1,\n", "1:8 unexpected end");
    check_fault(Language::Go, "", "");
}

/// `expected` are the tokens, with `␣` between them.
fn check_tokens(language: Language, text: &str, expected: &str) {
    let mut tokens = Vec::new();
    parse(language, text).push_tokens(text, &mut tokens);
    let texts: Vec<&str> = tokens.iter().map(|token| token.of(text)).collect();
    assert_eq!(texts.join("␣"), expected);
}

#[test]
fn leaves_are_tokens_and_strings_are_leaves() {
    check_tokens(Language::Python, "x = f'a {b}'  # c\n", "x␣=␣f'a {b}'");
    check_tokens(Language::Go, "x := \"a b\" // c\n", "x␣:=␣\"a b\"");
    check_tokens(Language::JavaScript, "f('a b', 1)", "f␣(␣'a b'␣,␣1␣)");
    check_tokens(Language::CSharp, "var x = \"a b\";", "var␣x␣=␣\"a b\"␣;");
    check_tokens(Language::Go, "", "");
}

#[test]
fn a_text_beyond_measure_is_given_up() {
    for text in ["(".repeat(11_000), "a<".repeat(2_001)] {
        let tree = parse(Language::Java, &text);
        assert!(tree.is_stopped() && tree.has_error());
        let fault = tree.first_fault(&text).expect("a stopped parse is a fault");
        assert_eq!(fault.detail, "too tangled to parse");
    }
    assert!(!parse(Language::Java, &"(".repeat(10_000)).is_stopped());
    // Siblings are not nested.
    assert!(!parse(Language::Java, &"a(b < c);".repeat(3_000)).is_stopped());
}

/// Checks that stopping at the first error says of a text what looking for its repair says.
fn check_sound(parser: &mut Parser, language: Language, text: &str) {
    let is_sound = !parse(language, text).has_error();
    assert_eq!(
        parser.is_sound(language, text),
        is_sound,
        "{language:?}: {text}"
    );
}

#[test]
fn stopping_at_the_first_error_says_the_same() {
    let mut parser = Parser::new();
    for (language, text) in snippets() {
        for text in broken(&text) {
            check_sound(&mut parser, language, &text);
        }
        check_sound(&mut parser, language, &text);
    }
    for text in ["(".repeat(11_000), "a<".repeat(2_001), "f(".repeat(9_000)] {
        check_sound(&mut parser, Language::Java, &text);
    }
}

/// Pieces that go where they do not belong.
const PIECES: &[&str] = &[
    "", " ", "\n", "(", ")", "{", "}", "[", ";", ",", ".", "\"", "'", "`", "<", ">", "=", "a", "1",
    "if", "else", "def", "func", "=>", "->", ":", "@", "#", "//", "/*", "ß", "\u{0}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn stopping_at_the_first_error_says_the_same_of_any_mutation(
        at in any::<prop::sample::Index>(),
        with in any::<prop::sample::Index>(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..12_usize, any::<prop::sample::Index>()),
            0..4,
        ),
        glued in any::<bool>(),
    ) {
        let snippets = snippets();
        let (language, text) = &snippets[at.index(snippets.len())];
        let mut chars: Vec<char> = text.chars().collect();
        if glued {
            // A piece of any other text, of another language too.
            chars.extend(with.get(&snippets).1.chars());
        }
        for (place, n_cut, piece) in edits {
            let start = place.index(chars.len() + 1);
            let end = (start + n_cut).min(chars.len());
            chars.splice(start..end, piece.get(PIECES).chars());
        }
        let text: String = chars.into_iter().collect();
        let mut parser = Parser::new();
        let is_sound = !parse(*language, &text).has_error();
        prop_assert_eq!(parser.is_sound(*language, &text), is_sound, "{:?}: {}", language, text);
        // A parser that was stopped begins anew.
        prop_assert_eq!(parser.is_sound(*language, &text), is_sound, "{:?}: {}", language, text);
    }
}
