//! Laws for all texts, and very unusual texts. Values are checked in `tests/it/codebleu.rs`.

use proptest::prelude::*;

use super::{CodeBleuCut, CodeBleuPair, Scorer, Variant, comments};
use crate::model::Language;

const VARIANTS: [Variant; 2] = [Variant::Mera, Variant::K4black];

/// Pieces of texts that look like code, and that are easily taken apart wrongly.
const PIECES: &[&str] = &[
    "int x = y;",
    "x = x + 1\n",
    "for (int i = 0; i < n; i++) {",
    "while (a) {",
    "}",
    "if (x) {",
    "} else {",
    "if a:\n",
    "    ",
    "else:\n",
    "for i in x:\n",
    "[a for a in b]",
    "foo(x);",
    "\"",
    "'",
    "'''",
    "\"\"\"",
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    "\\",
    "é",
    "日本",
    "\0",
    "\u{202e}",
    "(",
    ")",
    "`",
    "\t",
    "x := 1\n",
    "let z = x;",
    "var q = 2;",
    "@\"",
    "$\"{a}\"",
    "r'",
    " ",
    "\r\n",
    "def f(a=b):\n",
];

fn total(pair: &CodeBleuPair, variant: Variant) -> f64 {
    pair.sums.parts(variant).total(variant.formula())
}

fn code() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|texts| texts.concat())
}

fn language() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL)
}

proptest! {
    #[test]
    fn values_are_in_range_and_always_the_same(
        language in language(),
        reference in code(),
        prediction in code(),
    ) {
        let mut scorer = Scorer::new();
        let pair = scorer.pair(language, &reference, &prediction);
        for variant in VARIANTS {
            let parts = pair.sums.parts(variant);
            let total = parts.total(variant.formula());
            for value in [parts.ngram, parts.weighted, parts.syntax, parts.dataflow, total] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{:?}", parts);
            }
        }
        // Nothing is left over from other pairs.
        scorer.pair(language, &prediction, "x = y");
        prop_assert_eq!(pair, scorer.pair(language, &reference, &prediction));
    }

    #[test]
    fn nothing_is_better_than_the_reference_itself(
        language in language(),
        reference in code(),
        prediction in code(),
    ) {
        let mut scorer = Scorer::new();
        let best = scorer.pair(language, &reference, &reference);
        let other = scorer.pair(language, &reference, &prediction);
        let has_flows = best.sums.n_flows_reference > 0;
        prop_assert_eq!(best.sums.n_flows_matched, best.sums.n_flows_reference);
        prop_assert_eq!(best.sums.n_subtrees_matched, best.sums.n_subtrees_reference);
        // With fewer words not even all of them count, and the penalty treats references as two words long.
        if has_flows && best.sums.n_reference_words >= 4 {
            for variant in VARIANTS {
                let is_whole = best.sums.weight_matched[variant as usize] >= 1.0;
                prop_assert!(!is_whole || (total(&best, variant) - 1.0).abs() < 1e-12);
                prop_assert!(total(&other, variant) <= total(&best, variant) + 1e-12);
            }
        }
    }

    #[test]
    fn what_is_left_knows_where_it_was(language in language(), text in code(), other: String) {
        check_traced(language, &text);
        check_traced(language, &other);
    }

    #[test]
    fn any_text_at_all_is_scored(language in language(), reference: String, prediction: String) {
        Scorer::new().pair(language, &reference, &prediction);
    }
}

/// Fails unless a text without comments that knows its places is the same, and right about them.
fn check_traced(language: Language, text: &str) {
    let mut cleaned = String::new();
    comments::remove(language, text, &mut cleaned);
    let mut traced = super::sink::TracedText::default();
    comments::remove(language, text, &mut traced);
    assert_eq!(traced.text, cleaned, "{text:?}");
    assert_eq!(traced.places.len(), cleaned.len());
    assert!(traced.places.is_sorted(), "{text:?} {traced:?}");
    for (byte, place) in traced.text.bytes().zip(&traced.places) {
        // White space may stand for a removed comment, or for an end of line that was never there.
        let origin = text.as_bytes().get(*place as usize);
        let is_own = origin == Some(&byte);
        assert!(byte.is_ascii_whitespace() || is_own, "{text:?} {traced:?}");
    }
}

fn check_comments(language: Language, text: &str, expected: &str) {
    let mut cleaned = "left over".to_owned();
    comments::remove(language, text, &mut cleaned);
    assert_eq!(cleaned, expected, "{text:?}");
    check_traced(language, text);
}

#[test]
fn comments_go_as_one_regular_expression_says() {
    check_comments(Language::Java, "a(); // b\nc();", "a();  \nc();");
    check_comments(Language::Java, "a /* b\n c */ d", "a   d");
    check_comments(Language::Java, "/* a", "/* a");
    check_comments(Language::Java, "\"// a\" '/*' // b", "\"// a\" '/*'  ");
    check_comments(Language::Java, "'\\'// a' // b", "'\\'// a'  ");
    check_comments(Language::Java, "it's // b", "it's  ");
    check_comments(Language::Java, "a\n \t\u{1c}\n\nb\n", "a\nb");
    // The expression does not know backticks, so it takes text in them for a comment.
    check_comments(Language::JavaScript, "`http://a`;", "`http: ");
    check_comments(Language::CSharp, "@\"\\\" // a", "@\"\\\"  ");
}

#[test]
fn docstrings_go_as_pythons_tokenizer_says() {
    check_comments(Language::Python, "x = 1  # a\n", "x = 1  ");
    check_comments(
        Language::Python,
        "def f():\n    \"\"\"a\n    b\"\"\"\n    return 'c'",
        "def f():\n    return 'c'",
    );
    // A string at the margin goes wherever it stands, one inside a statement stays.
    check_comments(Language::Python, "'a'\nx = 'b'", "x = 'b'");
    check_comments(Language::Python, "f(\n'a', 'b')", "f(\n, 'b')");
    check_comments(Language::Python, "x = (1,\n  2)\n", "x = (1,\n  2)");
    check_comments(Language::Python, "x = a + \\\n  b", "x = a +  b");
    // Tabs that are no indent become spaces, one each.
    check_comments(Language::Python, "if a:\n\tb\n\tc", "if a:\n\tb\n c");
    // A text that has no tokens stays as it is.
    check_comments(Language::Python, "f(  # a\n\nb", "f(  # a\n\nb");
    check_comments(Language::Python, "'''a # b", "'''a # b");
    check_comments(
        Language::Python,
        "  if a:\n # b\n    c\n d",
        "  if a:\n # b\n    c\n d",
    );
    check_comments(Language::Python, "x = 'a # b", "x = 'a ");
}

/// Scores a text against itself; returns the cut, if any.
fn check_hostile(language: Language, text: &str) -> Option<CodeBleuCut> {
    let pair = Scorer::new().pair(language, text, text);
    assert_eq!(pair.reference_cut, pair.prediction_cut, "{language:?}");
    for variant in VARIANTS {
        assert!((0.0..=1.0).contains(&total(&pair, variant)), "{language:?}");
    }
    pair.reference_cut
}

#[test]
fn deep_nesting_ends_and_is_named() {
    for language in Language::ALL {
        let deep = format!("x = {}y{};", "(".repeat(100_000), ")".repeat(100_000));
        let cut = check_hostile(*language, &deep);
        assert!(
            matches!(cut, Some(CodeBleuCut::Depth | CodeBleuCut::Parser)),
            "{language:?}: {cut:?}"
        );
        check_hostile(*language, &"(".repeat(100_000));
        check_hostile(*language, &"{[(".repeat(30_000));
        check_hostile(*language, &"if (a) {".repeat(20_000));
        check_hostile(*language, &"x = ".repeat(20_000));
    }
}

#[test]
fn what_is_as_deep_as_allowed_is_walked() {
    // The deepest that has flows, by rules that walk into themselves.
    for text in [
        format!(
            "int q = y; {} a = q; {}",
            "if (x) {".repeat(490),
            "}".repeat(490)
        ),
        format!("int q = y; {}q;", "a = ".repeat(980)),
        format!("int q = y; {}q;", "if (a) a = q; else ".repeat(300)),
        format!("int q = y; {}q = 1;", "while (a) ".repeat(12)),
    ] {
        assert_eq!(
            check_hostile(Language::Java, &text),
            None,
            "{}",
            &text[..40]
        );
    }
}

#[test]
fn loops_in_loops_are_walked_up_to_a_bound() {
    let nested = |n: usize| format!("{} x = y; {}", "while (a) {".repeat(n), "}".repeat(n));
    assert_eq!(check_hostile(Language::Java, &nested(8)), None);
    assert_eq!(
        check_hostile(Language::Java, &nested(60)),
        Some(CodeBleuCut::Work)
    );
    assert_eq!(
        check_hostile(Language::CSharp, &nested(60)),
        Some(CodeBleuCut::Work)
    );
    let nested = (0..60).map(|n| format!("{}for i in x:\n", " ".repeat(n)));
    let python = nested.collect::<String>() + &" ".repeat(60) + "y = x";
    assert_eq!(
        check_hostile(Language::Python, &python),
        Some(CodeBleuCut::Work)
    );
}

#[test]
fn odd_texts_are_scored() {
    for language in Language::ALL {
        for text in [
            "",
            " \n",
            "\0",
            "\u{feff}",
            "\u{202e}x",
            "```",
            "é = ü;",
            "\r\r\n",
            "'",
            "\"\"\"",
        ] {
            check_hostile(*language, text);
        }
    }
}

#[test]
fn long_texts_take_time_that_grows_with_their_length() {
    const SIZE_BYTES: usize = 12_000;
    for language in Language::ALL {
        for piece in [
            "x = y;\n",
            "'\\",
            "/*",
            "a b ",
            "é(",
            "\t ?",
            "\"",
            "x, ",
            "#",
            "{}",
            "x = y = ",
            "if (x) y = 1; ",
            "a<",
            "a=>",
        ] {
            check_hostile(*language, &piece.repeat(SIZE_BYTES / piece.len()));
        }
    }
}

#[test]
fn of_several_references_the_best_counts() {
    let mut scorer = Scorer::new();
    let language = Language::Java;
    let prediction = "int a = b; foo(a); bar(a, b);";
    let mut best = |references: &[&str]| {
        scorer.best(language, references, prediction, Variant::Mera.formula())
    };
    let alone = best(&[prediction]);
    assert_eq!(best(&["nothing like it", prediction, "x"]), alone);
    assert_eq!(best(&[]), best(&[""]));
}
