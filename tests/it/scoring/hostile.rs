//! Hostile predictions: nothing panics or hangs, and each is counted and named with its line.

use focalist::eval::score::PairSource;
use focalist::exchange::records::RecordLayout;
use focalist::model::{Extraction, Language};
use serde_json::{Value, json};

use super::{
    all_scores, evaluate_all, import_options, import_text, keys_with_reference, predictions, run,
    sample_store, score_options, score_records, score_source, told,
};

const REFERENCE: &str = "assertEquals(1, counter.inc());";

/// Strange texts that are valid predictions: their names, and whether they parse.
fn texts(n_bytes: usize) -> Vec<(&'static str, String, bool)> {
    let n = 100_000;
    vec![
        ("the reference", REFERENCE.to_owned(), true),
        ("empty", String::new(), false),
        (
            "white space",
            " \t\r\n\u{a0}\u{2003}\u{2028}".to_owned(),
            false,
        ),
        ("one long name", "x".repeat(n_bytes), false),
        ("many statements", "f(x); ".repeat(n_bytes / 6), true),
        ("opening", "(".repeat(n), false),
        (
            "nested",
            format!("x = {}1{};", "(".repeat(n), ")".repeat(n)),
            false,
        ),
        (
            "braces",
            format!("{}{}", "{".repeat(n), "}".repeat(n)),
            false,
        ),
        ("nul", "a\0b".to_owned(), false),
        (
            "right to left",
            "\u{202e}assert\u{200f}(x);\u{2067}".to_owned(),
            false,
        ),
        ("a mark", "\u{feff}".to_owned(), false),
        ("only a fence", "```".to_owned(), false),
        ("an empty fence", "```java\n```".to_owned(), false),
        ("an open string", "assertEquals(\"1, x);".to_owned(), false),
        (
            "an open comment",
            "/* assertEquals(1, x);".to_owned(),
            false,
        ),
        ("pictures", "🎵𝄞 = \u{301}\u{301};".to_owned(), false),
    ]
}

/// Returns the size of the longest texts: 5 MB only on request, because that takes long in an unoptimised build.
fn long() -> usize {
    match std::env::var_os("FOCALIST_SLOW") {
        Some(_) => 5_000_000,
        None => 200_000,
    }
}

#[test]
fn any_text_is_scored_in_every_metric() {
    let texts = texts(long());
    let lines: Vec<String> = texts
        .iter()
        .map(|(id, text, _)| json!({"id": id, "reference": REFERENCE, "prediction": text}))
        .map(|line| line.to_string())
        .collect();
    let options = score_options(Language::Java, &["all"]);
    let scored = score_records(&options, RecordLayout::Json, lines.join("\n").as_bytes());
    let (rows, corpus) = scored.lines();
    assert_eq!(rows.len(), texts.len());
    assert_eq!(corpus["n"], texts.len());
    for ((id, _, is_parsable), row) in texts.iter().zip(&rows) {
        assert_eq!(row["id"], *id);
        if *id != "white space" {
            assert_eq!(row["parsable"], *is_parsable, "{id}");
        }
        for (metric, value) in row["scores"].as_object().expect("scores") {
            let value = value.as_f64().expect("a number");
            assert!((0.0..=1.0).contains(&value), "{id} {metric}: {value}");
        }
    }
    for metric in ["bleu", "rougeL", "edit", "em", "bleu:nltk"] {
        assert_eq!(rows[0]["scores"][metric], 1.0, "{metric}");
    }
    // What is too long for a metric is named, with the line and the metric.
    let n_too_costly: usize = rows
        .iter()
        .map(|row| row["too_costly"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(scored.problems.len(), n_too_costly);
    for (line, detail) in scored.told() {
        assert!(rows[line as usize - 1]["too_costly"].is_array(), "{detail}");
        assert!(detail.starts_with("too long for `"), "{detail}");
    }
    assert!(
        scored
            .problems
            .iter()
            .all(|problem| problem.path == "pairs.jsonl")
    );
}

#[test]
fn any_text_is_scored_in_every_language() {
    for language in Language::ALL {
        let lines: Vec<String> = texts(20_000)
            .iter()
            .flat_map(|(id, text, _)| {
                let line = |reference: &str, prediction: &str| {
                    json!({"id": id, "reference": reference, "prediction": prediction}).to_string()
                };
                [line(REFERENCE, text), line(text, REFERENCE)]
            })
            .collect();
        let mut options = score_options(*language, &["contest", "codebleu", "crystalbleu"]);
        options.extraction = Extraction::Lenient;
        let scored = score_records(&options, RecordLayout::Json, lines.join("\n").as_bytes());
        assert_eq!(scored.report.summary.n_pairs, lines.len() as u64);
    }
}

/// Invalid lines of pairs, each with its message.
const BROKEN: [(&[u8], &str); 10] = [
    (b"\xff\xfe{}", "not utf-8 at byte 1"),
    (
        br#"{"id": 1, "reference": "a", "prediction": "b"#,
        "ends in the middle of an object",
    ),
    (
        br#"{"id": 1, "reference": "a"}"#,
        "no field `prediction` beside `id`",
    ),
    (
        br#"{"id": 1, "reference": "a", "prediction": 7}"#,
        "`prediction` is a number where text should be",
    ),
    (
        br#"{"id": 1, "reference": null, "prediction": "b"}"#,
        "`reference` is null where text should be",
    ),
    (
        br#"{"id": 1, "reference": [], "prediction": "b"}"#,
        "`reference` is empty",
    ),
    (br#""text""#, "expected an object, found text"),
    (b"7", "expected an object, found a number"),
    (
        b"{\"a\": \"\x00\"}",
        "not json: control character (\\u0000-\\u001F) found while parsing a string at column 8",
    ),
    (b"nonsense", "not json: expected ident at column 2"),
];

#[test]
fn lines_that_are_no_pairs_are_told_one_by_one() {
    let good = json!({"id": "x", "reference": REFERENCE, "prediction": REFERENCE}).to_string();
    let mut text = Vec::new();
    for (line, _) in BROKEN {
        text.extend(line);
        text.push(b'\n');
    }
    text.extend(good.as_bytes());
    text.extend(b"\n\n");
    text.extend(good.as_bytes());
    let options = score_options(Language::Java, &["em"]);
    let scored = score_records(&options, RecordLayout::Json, &text);
    let mut expected: Vec<(u32, &str)> = (1..).zip(BROKEN.map(|pair| pair.1)).collect();
    let duplicate = "the id \"x\" was on line 11 before; both are scored";
    expected.push((13, duplicate));
    assert_eq!(scored.told(), expected);
    let (rows, corpus) = scored.lines();
    assert_eq!((rows.len(), &corpus["n"]), (2, &json!(2)));
    assert_eq!(corpus["n_problems"], 11);
    assert_eq!(scored.report.n_problems, 11);
    assert!(
        scored
            .problems
            .iter()
            .all(|problem| problem.path == "pairs.jsonl")
    );
}

#[test]
fn two_files_of_lines_are_scored_side_by_side() {
    let check = |references: &[u8], predictions: &[u8], n_pairs: u64, problems: &[(u32, &str)]| {
        let (mut references, mut predictions) = (references, predictions);
        let source = PairSource::Lines {
            references: &mut references,
            predictions: &mut predictions,
            path: "predictions.txt".to_owned(),
        };
        let scored = score_source(&score_options(Language::Java, &["em"]), source);
        assert_eq!(scored.report.summary.n_pairs, n_pairs);
        assert_eq!(scored.told(), problems);
    };
    check(b"a\nb\n", b"a\nb", 2, &[]);
    check(b"a\n\nc\n", b"a\n\n\n", 3, &[]);
    check(b"a\nb\n", b"a\n", 1, &[(2, "no prediction on this line")]);
    check(
        b"a\n",
        b"a\nb\nc\n",
        1,
        &[
            (2, "no reference on this line"),
            (3, "no reference on this line"),
        ],
    );
    check(
        b"a\n\xff\nc\n",
        b"a\nb\n\xff\n",
        1,
        &[
            (2, "reference: not utf-8 at byte 1"),
            (3, "prediction: not utf-8 at byte 1"),
        ],
    );
    check(b"", b"", 0, &[]);
}

#[test]
fn any_prediction_is_imported_and_evaluated() {
    let (_place, mut store) = sample_store();
    let keys = keys_with_reference(&store);
    let texts = texts(long());
    let mut lines: Vec<Vec<u8>> = keys
        .iter()
        .zip(&texts)
        .map(|((key, reference), (id, text, _))| {
            let text = if *id == "the reference" {
                reference
            } else {
                text
            };
            json!({"sample": key.to_string(), "prediction": text}).to_string()
        })
        .map(String::into_bytes)
        .collect();
    let key = keys[0].0.to_string();
    let mut broken = |line: Value| lines.push(line.to_string().into_bytes());
    broken(json!({"sample": key, "prediction": "twice"}));
    broken(json!({"sample": "0".repeat(32), "prediction": "nowhere"}));
    broken(json!({"sample": "nonsense", "prediction": "no key"}));
    broken(json!({"sample": 7, "prediction": "a number"}));
    broken(json!({"sample": key, "prediction": 7}));
    broken(json!({"sample": key, "prediction": "x", "attempt": "many"}));
    lines.push(b"\xff".to_vec());
    lines.push(br#"{"sample": "#.to_vec());
    let report = import_text(&mut store, &import_options("hostile"), lines.join(&b'\n'))
        .expect("what can be used is loaded");
    assert_eq!(report.n_predictions, texts.len() as u64);
    let first = texts.len() as u32 + 1;
    let unknown = format!("no sample `{}` in the index", "0".repeat(32));
    let twice = format!("attempt 0 at `{key}` was there before");
    let details = [
        twice.as_str(),
        &unknown,
        "`nonsense` is not a sample's key",
        "`sample` is a number where text should be",
        "`prediction` is a number where text should be",
        "`attempt` is text where a count should be",
        "not utf-8 at byte 1",
        "ends in the middle of an object",
    ];
    let expected: Vec<(u32, &str)> = (first..).zip(details).collect();
    assert_eq!(told(&report.problems), expected);
    let stored = run(&store, "hostile");
    let problems = store.run_problems(stored.id, 100).expect("reads");
    assert_eq!(problems, report.problems);
    for (prediction, (_, text, _)) in predictions(&store, "hostile").iter().zip(&texts).skip(1) {
        assert!(prediction.answer == *text);
    }

    let reports = evaluate_all(&mut store, &["all"]);
    assert_eq!(reports[0].n_without_reference, 0);
    let (metrics, scored) = all_scores(&store, "hostile");
    assert_eq!(metrics.len(), focalist::metric::METRICS.len());
    assert_eq!(scored.len(), texts.len());
    for (scored, (id, _, is_parsable)) in scored.iter().zip(&texts) {
        if *id != "white space" {
            assert_eq!(scored.reading.syntax_error.is_none(), *is_parsable, "{id}");
        }
        for score in &scored.scores {
            assert!((0.0..=1.0).contains(&score.value), "{id}");
        }
    }
    for (metric, score) in metrics.iter().zip(&scored[0].scores) {
        if ["bleu", "rougeL", "edit", "em", "bleu:nltk"].contains(&metric.as_str()) {
            assert!((score.value - 1.0).abs() < 1e-12, "{metric}");
        }
    }
    let row = run(&store, "hostile");
    assert_eq!(row.n_scored, texts.len() as u64);
    assert!(
        row.evaluations
            .iter()
            .all(|evaluation| evaluation.value.is_some())
    );
}
