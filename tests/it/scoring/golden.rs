//! Raw texts through `score`: every value that a reference package also computes (`tests/fixtures/metrics/README.md`).

use std::collections::BTreeMap;

use focalist::model::{Language, ParseMode};
use focalist::syntax::verdict::PieceShape;
use serde_json::{Value, json};

use super::{Scored, score_options, score_records};
use crate::metrics::{GOLDEN, array, check, check_scaled, text};
use focalist::exchange::records::RecordLayout;

/// The metrics that a reference package also computes.
const METRICS: [&str; 28] = [
    "bleu",
    "bleu1",
    "bleu2",
    "bleu3",
    "bleu4",
    "rouge1",
    "rouge2",
    "rougeL",
    "codebleu",
    "crystalbleu",
    "edit",
    "em",
    "em:whitespace",
    "em:token",
    "bleu:nltk",
    "bleu:nltk-m1",
    "bleu:nltk-m2",
    "bleu:nltk-m3",
    "bleu:nltk-m4",
    "bleu:hf",
    "bleu:sacrebleu-13a",
    "rouge1:default",
    "rouge2:default",
    "rougeL:default",
    "codebleu:k4black",
    "edit:fuzzywuzzy",
    "edit:difflib",
    "edit:levenshtein",
];

/// The key of a reference package's value, its scale, and the index of focalist's part (-1: the value).
type Expected<'v> = (&'static str, Option<&'static str>, f64, &'v Value);

const ROUGES: [(&str, &str); 3] = [
    ("rouge1", "rouge1:default"),
    ("rouge2", "rouge2:default"),
    ("rougeL", "rougeL:default"),
];

const NLTK: [(&str, &str); 5] = [
    ("bleu:nltk", "cum_m0"),
    ("bleu:nltk-m1", "cum_m1"),
    ("bleu:nltk-m2", "cum_m2"),
    ("bleu:nltk-m3", "cum_m3"),
    ("bleu:nltk-m4", "cum_m4"),
];

/// Returns all values of a pair; those on token lists only where the lists are javalang's, so for Java.
fn of_pair(pair: &'static Value) -> Vec<Expected<'static>> {
    let m = &pair["m"];
    let mut expected: Vec<Expected<'static>> = vec![
        ("bleu:hf", None, 1.0, &m["nmt_hf13a"]["bleu"]),
        ("bleu:hf", None, 1.0, &m["nmt_hf13a"]),
        (
            "bleu:sacrebleu-13a",
            None,
            100.0,
            &m["sacre_13a"]["exp_eff"],
        ),
        ("codebleu", None, 1.0, &m["codebleu"]["mera_det"]),
        ("codebleu", Some("ngram"), 1.0, &m["codebleu"]["mera"][1]),
        ("codebleu", Some("weighted"), 1.0, &m["codebleu"]["mera"][2]),
        ("codebleu", Some("syntax"), 1.0, &m["codebleu"]["mera"][3]),
        ("codebleu", Some("dataflow"), 1.0, &m["codebleu"]["df_det"]),
        ("codebleu:k4black", None, 1.0, &m["codebleu"]["k4_det"]),
        ("edit", None, 100.0, &m["edit"]["rapidfuzz_ratio"]),
        ("edit:fuzzywuzzy", None, 100.0, &m["edit"]["fuzzywuzzy_lev"]),
        ("edit:difflib", None, 1.0, &m["edit"]["difflib_ratio"]),
        ("edit:levenshtein", None, 1.0, &m["edit"]["lev_norm_sim"]),
        ("em", None, 1.0, &m["em"]["raw"]),
        ("em:whitespace", None, 1.0, &m["em"]["ws"]),
    ];
    // An exception stands for all values of the package.
    let is_error = m["nmt_hf13a"].get("err").is_some();
    expected.remove(usize::from(!is_error));
    for (id, default) in ROUGES {
        expected.extend(rouge_of_pair(default, &m["rouge_score_default"][id]));
    }
    if pair["lang"] == "java" {
        for (id, _) in ROUGES {
            expected.extend(rouge_of_pair(id, &m["rouge_score_tokens"][id]));
        }
        for (id, key) in NLTK {
            expected.push((id, None, 1.0, &m["nltk"][key][3]));
        }
        expected.push(("em:token", None, 1.0, &m["em"]["tok"]));
        expected.push(("crystalbleu", None, 1.0, &m["crystal"]["k500_m0"]));
        let sacre = &m["sacre_none_on_joined_tokens"];
        if !has_space(pair) {
            expected.push(("bleu", None, 100.0, &sacre["exp_eff"]));
        }
    }
    expected
}

fn rouge_of_pair(id: &'static str, values: &'static Value) -> [Expected<'static>; 3] {
    [
        (id, Some("precision"), 1.0, &values[0]),
        (id, Some("recall"), 1.0, &values[1]),
        (id, None, 1.0, &values[2]),
    ]
}

/// Tells whether a token contains white space: packages that take a joined text split such tokens again.
fn has_space(pair: &'static Value) -> bool {
    ["ref", "hyp"].into_iter().any(|side| {
        array(&pair["tok"][side])
            .iter()
            .any(|token| text(token).contains(char::is_whitespace))
    })
}

fn language(name: &str) -> Language {
    match name {
        "java" => Language::Java,
        "python" => Language::Python,
        "go" => Language::Go,
        "javascript" => Language::JavaScript,
        "c_sharp" => Language::CSharp,
        _ => panic!("{name} is no language of the fixture"),
    }
}

fn scored(name: &str, pairs: &[&'static Value], crystal: &[&'static Value]) -> Scored {
    let mut options = score_options(language(name), &METRICS);
    let texts = crystal.iter().map(|pair| text(&pair["ref"]).to_owned());
    if !crystal.is_empty() {
        options.crystal.corpus = Some(("the fixture".to_owned(), texts.collect()));
    }
    score_records(&options, RecordLayout::Json, lines(pairs).as_bytes())
}

fn lines(pairs: &[&Value]) -> String {
    let mut lines = String::new();
    for pair in pairs {
        let line = json!({"id": pair["id"], "reference": pair["ref"], "prediction": pair["hyp"]});
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    lines
}

fn pairs_of(name: &str) -> Vec<&'static Value> {
    array(&GOLDEN["pairs"])
        .iter()
        .filter(|pair| pair["lang"] == name)
        .collect()
}

#[track_caller]
fn check_all(what: &str, line: &Value, values: &str, expected: &[Expected<'_>]) {
    for (id, part, scale, expected) in expected {
        let what = format!("{what} {id} {}", part.unwrap_or_default());
        let value = match part {
            Some(part) => &line["parts"][id][part],
            None => &line[values][id],
        };
        let value = value.as_f64().unwrap_or_else(|| panic!("{what}: {line}"));
        match expected.as_bool() {
            Some(expected) => {
                let expected = f64::from(u8::from(expected));
                assert!((value - expected).abs() < 1e-12, "{what}");
            }
            None => check_scaled(&what, value, *scale, expected),
        }
    }
}

#[test]
fn every_value_of_every_pair_is_the_package_s() {
    for name in ["java", "python", "go", "javascript", "c_sharp"] {
        let pairs = pairs_of(name);
        let scored = scored(name, &pairs, &[]);
        assert_eq!(scored.problems, []);
        let (lines, _) = scored.lines();
        assert_eq!(lines.len(), pairs.len());
        for (line, pair) in lines.iter().zip(pairs) {
            assert_eq!(line["id"], pair["id"]);
            check_all(text(&pair["id"]), line, "scores", &of_pair(pair));
        }
    }
}

/// Returns the values of a corpus; those on token lists only for Java.
fn of_corpus(name: &str, m: &'static Value) -> Vec<Expected<'static>> {
    let edit = &m["edit_mean"];
    let mut expected: Vec<Expected<'static>> = vec![
        ("bleu:hf", None, 1.0, &m["nmt_hf13a"]["bleu"]),
        ("bleu:sacrebleu-13a", None, 100.0, &m["sacre_13a"]["exp"]),
        (
            "codebleu",
            None,
            1.0,
            &m["codebleu"]["mera_det_sentence_mean"],
        ),
        ("edit", None, 100.0, &edit["rapidfuzz_ratio"]),
        ("edit:fuzzywuzzy", None, 100.0, &edit["fuzzywuzzy_lev"]),
        ("edit:levenshtein", None, 1.0, &edit["lev_norm_sim"]),
        ("em", None, 1.0, &m["em_rate"]["raw"]),
        ("em:whitespace", None, 1.0, &m["em_rate"]["ws"]),
    ];
    for (id, default) in ROUGES {
        expected.push((default, None, 1.0, &m["rouge_score_default_mean_f"][id]));
        if name == "java" {
            expected.push((id, None, 1.0, &m["rouge_score_tokens_mean_f"][id]));
        }
    }
    if name == "java" {
        expected.push(("bleu", None, 1.0, &m["nmt"]["raw"]["bleu"]));
        for (id, key) in NLTK {
            expected.push((id, None, 1.0, &m["nltk"][key][3]));
        }
        expected.push(("em:token", None, 1.0, &m["em_rate"]["tok"]));
        expected.push(("crystalbleu", None, 1.0, &m["crystal"]["k500_m0"]));
    }
    expected
}

#[test]
fn every_value_of_every_corpus_is_the_package_s() {
    let by_id: BTreeMap<&str, &Value> = array(&GOLDEN["pairs"])
        .iter()
        .map(|pair| (text(&pair["id"]), pair))
        .collect();
    let all_java = pairs_of("java");
    for corpus in array(&GOLDEN["corpora"]) {
        let (what, name, m) = (text(&corpus["name"]), text(&corpus["lang"]), &corpus["m"]);
        let pairs: Vec<&Value> = array(&corpus["ids"])
            .iter()
            .map(|id| by_id[text(id)])
            .collect();
        let crystal = if name == "java" {
            all_java.as_slice()
        } else {
            &[]
        };
        let (_, line) = scored(name, &pairs, crystal).lines();
        assert_eq!(line["n"], pairs.len());
        check_all(what, &line, "corpus", &of_corpus(name, m));
        if name == "java" {
            let precisions = array(&m["nmt"]["raw"]["precisions"]);
            for (id, precision) in ["bleu1", "bleu2", "bleu3", "bleu4"].iter().zip(precisions) {
                let penalty = m["nmt"]["raw"]["bp"].as_f64().expect("a number");
                let individual = penalty * precision.as_f64().expect("a number");
                let value = line["corpus"][id].as_f64().expect("a number");
                check(&format!("{what} {id}"), value, &json!(individual));
            }
        }
        check_k4black(what, &line, &m["codebleu"]);
    }
}

/// The package's data flow depends on hashing; the total is computed from the three other parts and focalist's fourth.
fn check_k4black(what: &str, line: &Value, m: &Value) {
    let part = |idx: usize| m["k4"][idx].as_f64().expect("a number");
    let dataflow = match m["df_det"].as_f64().expect("a number") {
        0.0 => 1.0,
        dataflow => dataflow,
    };
    let total = (part(1) + part(2) + part(3) + dataflow) / 4.0;
    let value = line["corpus"]["codebleu:k4black"].as_f64();
    check(
        &format!("{what} codebleu:k4black"),
        value.expect("a number"),
        &json!(total),
    );
}

#[test]
fn the_protocol_of_contest_comes_out_of_raw_texts() {
    let contest = &GOLDEN["contest"];
    let ids: Vec<&str> = array(&contest["ids"]).iter().map(text).collect();
    let pairs: Vec<&Value> = pairs_of("java")
        .into_iter()
        .filter(|pair| ids.contains(&text(&pair["id"])))
        .collect();
    let mut options = score_options(Language::Java, &["contest", "bleu:nltk"]);
    options.settings.parse_mode = ParseMode::Javalang;
    options.settings.shape = Some(PieceShape::Statements);
    let scored = score_records(&options, RecordLayout::Json, lines(&pairs).as_bytes());
    let (rows, line) = scored.lines();
    let parsable: Vec<&Value> = rows
        .iter()
        .filter(|row| row["parsable"] == true)
        .map(|row| &row["id"])
        .collect();
    let expected: Vec<&Value> = array(&contest["parsable_ids"]).iter().collect();
    assert_eq!(parsable, expected);
    let rate = line["unparsable_rate"].as_f64().expect("a number");
    check("unparsable rate", rate, &contest["unparsable_rate"]);
    for (id, key) in [
        ("bleu:nltk", "bleu"),
        ("rouge1", "rouge1_f"),
        ("rouge2", "rouge2_f"),
        ("rougeL", "rougeL_f"),
    ] {
        check(id, number(&line["parsable"][id]), &contest["scores"][key]);
        check(id, number(&line["adjusted"][id]), &contest["adjusted"][key]);
    }
    for id in ["bleu1", "bleu2", "bleu3", "bleu4", "bleu"] {
        // NLTK counts an n-gram for the nine predictions that are too short for any; ours does not, so it is above.
        let above = number(&line["parsable"][id]) - number(&contest["scores"][id]);
        assert!((0.0..0.004).contains(&above), "{id}: {above}");
        let share = 1.0 - rate;
        let adjusted = number(&line["parsable"][id]) * share;
        check(id, number(&line["adjusted"][id]), &json!(adjusted));
    }
    let orders = ["bleu1", "bleu2", "bleu3", "bleu4"];
    let product: f64 = orders
        .map(|id| number(&line["corpus"][id]))
        .iter()
        .product();
    check(
        "identity",
        number(&line["corpus"]["bleu"]),
        &json!(product.powf(0.25)),
    );
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
