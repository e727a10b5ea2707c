//! What holds for every metric and any two texts, and a few explanations in full.

use proptest::prelude::*;

use super::*;
use crate::metric::crystalbleu::Shared;
use crate::metric::scorer::Scorer;
use crate::metric::{METRICS, metric};
use crate::model::Language;

/// Returns settings with a few shared n-grams, so that CrystalBLEU leaves some out.
fn settings(language: Language) -> Settings {
    let tokens = ["(", ")", ";", ".", "(", ")", ";", "assertEquals", "("];
    Settings {
        shared: Shared::from_tokens(tokens, 6).into(),
        ..Settings::new(language, METRICS.iter().collect())
    }
}

/// Fails unless every explanation of the pair keeps the law.
fn check_law(settings: &Settings, reference: &str, prediction: &str) {
    let score = Scorer::new(settings).score(&[reference], prediction);
    for (metric, score) in METRICS.iter().zip(score.scores) {
        let explanation = explain(metric, settings, reference, prediction);
        let context = || format!("{} {reference:?} {prediction:?} {explanation:?}", metric.id);
        assert_eq!(explanation.metric.id, metric.id);
        assert_eq!(
            explanation.value.to_bits(),
            score.value.to_bits(),
            "{} {}",
            score.value,
            context()
        );
        let costs: f64 = explanation.costs.iter().map(|it| it.cost).sum();
        let sum = explanation.value + costs + explanation.rest;
        assert!((sum - 1.0).abs() < 1e-9, "{sum} {}", context());
        assert!(
            settings.weights.iter().sum::<f64>() > 1.0 || explanation.rest >= 0.0,
            "{}",
            context()
        );
        for cost in &explanation.costs {
            assert!(cost.cost > 0.0 && cost.cost <= 1.0 + 1e-9, "{}", context());
            let text = match cost.side {
                Side::Reference => reference,
                Side::Prediction => prediction,
            };
            let piece = text.get(cost.range.clone());
            assert!(piece.is_some_and(|it| !it.is_empty()), "{}", context());
        }
        let is_sorted = explanation
            .costs
            .is_sorted_by_key(|it| (it.side, it.range.start));
        assert!(is_sorted, "{}", context());
        for (side, text) in [(Side::Reference, reference), (Side::Prediction, prediction)] {
            let costs = explanation.costs.iter().filter(|it| it.side == side);
            let costs: f64 = costs.map(|it| it.cost).sum();
            let lines: f64 = explanation.by_line(side, text).iter().sum();
            assert!(
                (costs - lines).abs() < 1e-9,
                "{costs} {lines} {}",
                context()
            );
        }
        let depths = || explanation.steps.iter().map(|it| it.depth);
        assert_eq!(depths().next(), Some(0));
        let deeper = depths().zip(depths().skip(1));
        assert!(deeper.clone().all(|it| it.1 <= it.0 + 1), "{}", context());
    }
}

/// Returns an explanation as lines: what is indented belongs to what is above.
fn shown(id: &str, reference: &str, prediction: &str) -> String {
    let metric = metric(id).expect("there is such a metric");
    let settings = Settings::new(Language::Java, vec![metric]);
    let explanation = explain(metric, &settings, reference, prediction);
    let mut shown = String::new();
    for step in &explanation.steps {
        let indent = "  ".repeat(usize::from(step.depth));
        let line = format!("{indent}{} = {} = {}", step.label, step.value, step.formula);
        shown.push_str(line.trim_end_matches(['=', ' ']));
        shown.push('\n');
    }
    for cost in &explanation.costs {
        let (sign, text) = match cost.side {
            Side::Reference => ('-', reference),
            Side::Prediction => ('+', prediction),
        };
        let piece = &text[cost.range.clone()];
        shown.push_str(&format!("{sign} {:.4} {piece:?}\n", cost.cost));
    }
    shown.push_str(&format!("rest {:.4}\n", explanation.rest));
    shown
}

#[track_caller]
fn check(id: &str, reference: &str, prediction: &str, expected: &str) {
    let shown = shown(id, reference, prediction);
    assert_eq!(shown.trim_end(), expected.trim(), "\n{shown}");
}

const SNIPPETS: &str = include_str!("../../../tests/fixtures/metrics/snippets.txt");

/// Returns the snippets of the fixture, each with its language.
fn snippets() -> Vec<(Language, &'static str)> {
    let snippets = SNIPPETS.split("=== ").skip(1);
    snippets
        .filter_map(|it| {
            let (language, text) = it.split_once('\n')?;
            let language = match language {
                "java" => Language::Java,
                "python" => Language::Python,
                "go" => Language::Go,
                "javascript" => Language::JavaScript,
                _ => Language::CSharp,
            };
            Some((language, text))
        })
        .collect()
}

#[test]
fn golden_snippets_lose_what_their_pieces_cost() {
    let snippets = snippets();
    assert!(snippets.len() > 300);
    for pair in snippets.windows(2) {
        let [(language, reference), (other, prediction)] = pair else {
            continue;
        };
        if language == other {
            check_law(&settings(*language), reference, prediction);
        }
    }
    for (language, text) in snippets.iter().step_by(7) {
        check_law(&settings(*language), text, text);
    }
}

#[test]
fn weights_that_do_not_sum_to_one_keep_the_law() {
    for weights in [
        [0.1, 0.1, 0.4, 0.4],
        [0.0; 4],
        [1.0; 4],
        [0.25, 0.0, 0.25, 0.0],
    ] {
        let settings = Settings {
            weights,
            ..settings(Language::Java)
        };
        check_law(
            &settings,
            "int x = f(y); // a\nreturn x;",
            "int z = y;\nreturn z;",
        );
        check_law(&settings, "", "x");
    }
}

#[test]
fn hostile_texts_are_explained() {
    let parens = "(".repeat(100_000);
    let letters = "x ".repeat(20_000);
    for (reference, prediction) in [
        ("", ""),
        ("\0", "\u{202e}"),
        (parens.as_str(), "x"),
        ("x", parens.as_str()),
        (parens.as_str(), letters.as_str()),
    ] {
        check_law(&settings(Language::Java), reference, prediction);
        check_law(&settings(Language::Python), reference, prediction);
    }
}

#[test]
fn texts_beyond_the_bound_have_a_value_and_no_costs() {
    let settings = settings(Language::Java);
    let reference: String = (0..17_000).map(|it| format!("a{it} ")).collect();
    let prediction: String = (0..17_000)
        .map(|it| format!("a{} ", (it * 7) % 17_001))
        .collect();
    for id in ["bleu", "rougeL", "codebleu", "edit", "edit:levenshtein"] {
        let metric = metric(id).expect("there is such a metric");
        let explanation = explain(metric, &settings, &reference, &prediction);
        assert!(explanation.costs.is_empty(), "{id}");
        assert!((explanation.value + explanation.rest - 1.0).abs() < 1e-12);
    }
}

#[test]
fn lines_cost_what_their_pieces_cost() {
    let metric = metric("edit").expect("there is such a metric");
    let settings = Settings::new(Language::Java, vec![metric]);
    let reference = "a\nbb\ncc\nd";
    let explanation = explain(metric, &settings, reference, "a\nd");
    let lines = explanation.by_line(Side::Reference, reference);
    assert_eq!(lines.len(), 4);
    assert!((lines[1] - lines[2]).abs() < 1e-12 && lines[1] > 0.2);
    assert!(lines[0] == 0.0 && lines[3] == 0.0);
    assert_eq!(explanation.by_line(Side::Prediction, ""), [0.0]);
}

const PIECES: &[&str] = &[
    "assertEquals(",
    "assertTrue(",
    ")",
    ";",
    "\n",
    " ",
    "    ",
    "x",
    "y",
    "foo",
    ".",
    ",",
    "1",
    "42",
    "\"a b\"",
    "int ",
    "x = ",
    "if (x) {",
    "}",
    "for (int i = 0; i < x; i++) {",
    "else ",
    "// c\n",
    "/* d */",
    "'c'",
    "\\u0061",
    "\\u",
    "\u{e9}",
    "\u{1f600}",
    "\"",
    "'",
    ">>",
    "new Foo()",
    "&lt;",
    "-\n",
    "1,0",
    "<skipped>",
    "# e\n",
    "def f():\n    ",
    "'''s'''",
    "\t",
    "\0",
];

fn code() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn value_costs_and_rest_sum_to_one(
        language in prop::sample::select(Language::ALL),
        reference in code(),
        prediction in code(),
    ) {
        check_law(&settings(language), &reference, &prediction);
    }

    #[test]
    fn an_edited_text_keeps_the_law(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..40),
        edited in any::<prop::sample::Index>(),
        piece in prop::sample::select(PIECES),
    ) {
        let mut other = pieces.clone();
        other[edited.index(pieces.len())] = piece;
        check_law(&settings(Language::Java), &pieces.concat(), &other.concat());
    }

    #[test]
    fn any_text_at_all_is_explained(reference: String, prediction: String) {
        check_law(&settings(Language::Java), &reference, &prediction);
    }
}

#[test]
fn seen() {
    for (id, r, p) in [
        (
            "bleu",
            "assertEquals(4, foo.size());",
            "assertEquals(5, foo.size());",
        ),
        ("bleu:nltk-m1", "a b c d e f", "a b c"),
        ("rougeL", "a b c d", "a x c"),
        ("rouge2", "a b c d", "a x c d"),
        (
            "codebleu",
            "int x = a + b; // c\nreturn f(x, y);",
            "int x = a;\nreturn f(x);",
        ),
        ("edit", "abcdef", "abXYef"),
        ("edit:levenshtein", "abcdef", "abXYe"),
        ("edit:fuzzywuzzy", "abcdef", "abXYef"),
        ("em", "a\nb", "a\nc"),
    ] {
        eprintln!("{id}\n{}", shown(id, r, p));
    }
}
