//! Laws for every metric and any two texts, and a few explanations in full.

use proptest::prelude::*;

use super::*;
use crate::crystalbleu::SharedNgrams;
use crate::model::Language;
use crate::scorer::Scorer;
use crate::{METRICS, metric};

/// Returns settings with a few shared n-grams, so that CrystalBLEU leaves some out.
fn settings(language: Language) -> Settings {
    let tokens = ["(", ")", ";", ".", "(", ")", ";", "assertEquals", "("];
    Settings {
        shared: SharedNgrams::from_tokens(tokens, 6).into(),
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
        let costs: f64 = explanation.costs.iter().map(|cost| cost.cost).sum();
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
                TextSide::Reference => reference,
                TextSide::Prediction => prediction,
            };
            let piece = text.get(cost.range.clone());
            assert!(
                piece.is_some_and(|piece| !piece.is_empty()),
                "{}",
                context()
            );
        }
        let is_sorted = explanation
            .costs
            .is_sorted_by_key(|cost| (cost.side, cost.range.start));
        assert!(is_sorted, "{}", context());
        for (side, text) in [
            (TextSide::Reference, reference),
            (TextSide::Prediction, prediction),
        ] {
            let costs = explanation.costs.iter().filter(|cost| cost.side == side);
            let costs: f64 = costs.map(|cost| cost.cost).sum();
            let lines: f64 = explanation.by_line(side, text).iter().sum();
            assert!(
                (costs - lines).abs() < 1e-9,
                "{costs} {lines} {}",
                context()
            );
        }
        let depths = || explanation.steps.iter().map(|step| step.depth);
        assert_eq!(depths().next(), Some(0));
        let deeper = depths().zip(depths().skip(1));
        assert!(
            deeper.clone().all(|pair| pair.1 <= pair.0 + 1),
            "{}",
            context()
        );
    }
}

/// Writes an explanation as lines: indented ones belong to the line above.
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
            TextSide::Reference => ('-', reference),
            TextSide::Prediction => ('+', prediction),
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
        .filter_map(|snippet| {
            let (language, text) = snippet.split_once('\n')?;
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
    let parens = "(".repeat(5_000);
    let words = "x ".repeat(2_000);
    for (reference, prediction) in [
        ("", ""),
        ("\0", "\u{202e}"),
        (parens.as_str(), "x"),
        ("x", parens.as_str()),
        (parens.as_str(), words.as_str()),
    ] {
        check_law(&settings(Language::Java), reference, prediction);
        check_law(&settings(Language::Python), reference, prediction);
    }
    let parens = "(".repeat(100_000);
    for id in ["bleu", "rouge2", "codebleu", "edit:levenshtein"] {
        let metric = metric(id).expect("there is such a metric");
        for (reference, prediction) in [(parens.as_str(), "x"), ("x", parens.as_str())] {
            let explanation = explain(metric, &settings(Language::Java), reference, prediction);
            let costs: f64 = explanation.costs.iter().map(|cost| cost.cost).sum();
            assert!((explanation.value + costs + explanation.rest - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn texts_beyond_the_bound_have_a_value_and_no_costs() {
    let settings = settings(Language::Java);
    let text = |factor: u32| {
        let words = (0..17_000).map(|n| format!("a{} ", n * factor % 17_001));
        words.collect::<Vec<_>>().concat()
    };
    let (reference, prediction) = (text(1), text(7));
    for id in ["bleu", "rougeL", "codebleu", "edit", "edit:levenshtein"] {
        let metric = metric(id).expect("there is such a metric");
        // Characters reach the bound sooner.
        let n_bytes = if id.starts_with("edit") {
            20_000
        } else {
            reference.len().min(prediction.len())
        };
        let (reference, prediction) = (&reference[..n_bytes], &prediction[..n_bytes]);
        let explanation = explain(metric, &settings, reference, prediction);
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
    let lines = explanation.by_line(TextSide::Reference, reference);
    assert_eq!(lines.len(), 4);
    assert!((lines[1] - lines[2]).abs() < 1e-12 && lines[1] > 0.2);
    assert!(lines[0] == 0.0 && lines[3] == 0.0);
    assert_eq!(explanation.by_line(TextSide::Prediction, ""), [0.0]);
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
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|texts| texts.concat())
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

/// Fails unless the last lines of an explanation, costs and rest, are these.
#[track_caller]
fn check_costs(id: &str, reference: &str, prediction: &str, expected: &str) {
    let shown = shown(id, reference, prediction);
    let is_cost = |line: &&str| line.starts_with(['-', '+']) || line.starts_with("rest");
    let costs: Vec<&str> = shown.lines().filter(is_cost).collect();
    assert_eq!(costs.join("\n"), expected.trim(), "\n{shown}");
}

#[test]
fn a_wrong_token_pays_for_every_ngram_around_it() {
    check(
        "bleu",
        "f(4);",
        "f(5);",
        r#"
BLEU = 0.3021 = 1.0000 · (0.8000 · 0.5000 · 0.1667 · 0.1250)^(1/4)
  brevity penalty = 1.0000 = the prediction is not shorter
    length = 5 tokens = the reference has 5
    costs = 0.0000
  precision of 1-grams = 0.8000 = 4 / 5
    matched = 4
    in the prediction = 5
    weight = 0.2500
    costs = 0.0325
  precision of 2-grams = 0.5000 = 2 / 4
    matched = 2
    in the prediction = 4
    weight = 0.2500
    costs = 0.1010
  precision of 3-grams = 0.1667 = smoothed: 1 / (2^1 · 3)
    matched = 0
    in the prediction = 3
    weight = 0.2500
    costs = 0.2612
  precision of 4-grams = 0.1250 = smoothed: 1 / (2^2 · 2)
    matched = 0
    in the prediction = 2
    weight = 0.2500
    costs = 0.3031
+ 0.6979 "5"
rest 0.0000"#,
    );
}

#[test]
fn what_is_missing_pays_for_the_penalty_and_no_text_for_smoothing() {
    check_costs(
        "bleu:nltk-m1",
        "a b c d e f",
        "a b c",
        r#"
- 0.1678 "d"
- 0.1678 "e"
- 0.1678 "f"
rest 0.2898"#,
    );
}

#[test]
fn rouge_loses_precision_here_and_recall_there() {
    check(
        "rougeL",
        "a b c d",
        "a x c",
        r#"
ROUGE-L = 0.5714 = 2 · 0.6667 · 0.5000 / (0.6667 + 0.5000)
  precision = 0.6667 = 2 / 3
    longest common subsequence = 2
    tokens of the prediction = 3
    costs = 0.1429 = 1 / (3 + 4)
  recall = 0.5000 = 2 / 4
    longest common subsequence = 2
    tokens of the reference = 4
    costs = 0.2857 = 2 / (3 + 4)
- 0.1429 "b"
- 0.1429 "d"
+ 0.1429 "x"
rest 0.0000"#,
    );
    check_costs(
        "rouge2",
        "a b c d",
        "a x c d",
        r#"
- 0.3333 "b"
+ 0.3333 "x"
rest 0.0000"#,
    );
}

#[test]
fn codebleus_parts_meet_in_the_given_text() {
    // The comment is two words to the n-grams and nothing to the trees, whose places behind it are right all the same.
    check_costs(
        "codebleu",
        "int x = a + b; // c\nreturn f(x, y);",
        "int x = a;\nreturn f(x);",
        r#"
- 0.0625 "x"
- 0.1176 "a"
- 0.0451 "+"
- 0.1172 "b"
- 0.0416 "b;"
- 0.0428 "//"
- 0.0477 "c"
- 0.0372 "f(x,"
- 0.1172 "x"
- 0.0547 "y"
- 0.0239 "y);"
+ 0.1152 "a;"
+ 0.0313 "f(x);"
rest 0.0000"#,
    );
}

#[test]
fn edits_are_listed_and_pay_alike() {
    check(
        "edit:levenshtein",
        "abcdef",
        "abXYe",
        r#"
edit sim. (levenshtein) = 0.5000 = 1 - 3 / 6
  insertions, deletions and substitutions = 3
  length of the reference = 6 characters
  length of the prediction = 5 characters
    `cd` became `XY` = 2 = line 1 of the reference
    `f` is missing = 1 = line 1 of the reference
- 0.1667 "cd"
- 0.1667 "f"
+ 0.1667 "XY"
rest 0.0000"#,
    );
    check_costs(
        "edit:fuzzywuzzy",
        "abcdef",
        "abXYef",
        r#"
- 0.1650 "cd"
+ 0.1650 "XY"
rest 0.0000"#,
    );
}

#[test]
fn an_exact_match_fails_by_its_first_difference() {
    check(
        "em",
        "a\nb",
        "a\nc",
        r#"
EM = 0.0000 = a character differs
  the same before it, characters = 2
  reference = `b`, line 2
  prediction = `c`, line 2
- 0.5000 "b"
+ 0.5000 "c"
rest 0.0000"#,
    );
}
