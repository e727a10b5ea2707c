//! Several tests of one method: the prompt that is asked once, its sample, and the other tests as further references.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use focalist::generate::testing::{Act, Server};
use serde_json::{Value, json};

use crate::support::Place;

/// The answers of a model. All tokens, here and in the tests, are separated by spaces, so that Python need not tokenize
/// Java.
const ANSWERS: [&str; 2] = [
    "@ Test public void grows ( ) { Counter counter = new Counter ( ) ; counter . inc ( ) ; assertEquals ( 1 , counter . n ( ) ) ; }",
    "@ Test public void adds ( ) { Counter it = new Counter ( ) ; it . inc ( ) ; it . inc ( ) ; assertTrue ( it . n ( ) == 2 ) ; }",
];

const TESTS: [&str; 3] = [
    "@ Test public void once ( ) { Counter counter = new Counter ( ) ; counter . inc ( ) ; assertEquals ( 1 , counter . n ( ) ) ; }",
    "@ Test public void twice ( ) { Counter it = new Counter ( ) ; it . inc ( ) ; it . inc ( ) ; int n = it . n ( ) ; assertEquals ( 2 , n ) ; }",
    "@ Test public void fromThree ( ) { Counter c = Counter . at ( 3 ) ; c . inc ( ) ; assertTrue ( \"four\" , c . n ( ) == 4 ) ; }",
];

/// The corpus of shared n-grams for `CrystalBLEU`: the three most frequent are `(`, `)` and `( )`, all of them more
/// frequent than the fourth.
const SHARED: &str = "f ( ) ; g ( ) ; h ( ) ; ( ) ( ) ( a ) ;";
const K: &str = "3";

/// The values of `tests/fixtures/metrics/several.py` for [`ANSWERS`] with `fromThree`, whose key is the smallest, as
/// the only reference (nltk 3.10.4, crystalbleu 0.2, Levenshtein 0.27.5).
const OF_OWN: &str = r#"{"bleu:nltk": {"pairs": [0.33181333613235364, 0.4020395283050864], "corpus": 0.3794908718679403},
 "crystalbleu": {"pairs": [0.3162036458749663, 0.39203167979497217], "corpus": 0.3661149991451463},
 "edit": {"pairs": [0.7649402390438247, 0.7871485943775101], "corpus": 0.7760444167106674}}"#;

/// Its values with all three tests as references.
const OF_ALL: &str = r#"{"bleu:nltk": {"pairs": [0.9210500207490827, 0.8286708307548093], "corpus": 0.871566725250494},
 "crystalbleu": {"pairs": [0.9160793903061824, 0.8218802113155986], "corpus": 0.8656329248003533},
 "edit": {"pairs": [0.9723320158102767, 0.8257575757575757], "corpus": 0.8990447957839263}}"#;

const TOLERANCE: f64 = 1e-9;

const SINGLE: [&str; 3] = ["bleu:nltk", "crystalbleu", "edit"];
const MULTI: [&str; 3] = ["bleu:nltk-multi", "crystalbleu:multi", "edit:multi"];

fn place() -> Place {
    let place = Place::new();
    place.write(
        "r/src/main/java/p/Counter.java",
        "package p;\n\npublic class Counter {\n    private int n;\n\n    public static Counter at(int n) {\n        \
         Counter counter = new Counter();\n        counter.n = n;\n        return counter;\n    }\n\n    \
         public void inc() {\n        n++;\n    }\n\n    public int n() {\n        return n;\n    }\n}\n",
    );
    place.write(
        "r/src/test/java/p/IncTest.java",
        format!(
            "package p;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class IncTest {{\n    {}\n}}\n",
            TESTS.join("\n\n    ")
        ),
    );
    let folder = place.path("r").to_string_lossy().into_owned();
    place
        .run(&["mine", &folder, "--matcher", "evidence"])
        .success();
    place
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// Generates two answers to every prompt and returns the report.
fn generate(place: &Place, server: &Server) -> Value {
    let endpoint = server.endpoint();
    let words = [
        "generate",
        "--run",
        "r",
        "--kind",
        "test",
        "--endpoint",
        &endpoint,
        "--model",
        "m",
        "-n",
        "2",
        "--json",
    ];
    serde_json::from_str(&place.run(&words).success()).expect("it is JSON")
}

#[test]
fn three_tests_of_one_method_are_one_prompt_of_the_smallest_key() {
    let place = place();
    let mut keys: Vec<String> = lines(&place.run(&["samples", "--json"]).success())
        .iter()
        .map(|line| line["key"].as_str().expect("a sample has a key").to_owned())
        .collect();
    keys.sort();
    assert_eq!(keys.len(), 3);
    let out = place.run(&["prompts", "--kind", "test"]);
    assert!(
        out.err
            .contains("2 tests have the prompt of another test of the same method"),
        "{}",
        out.err
    );
    let prompts = lines(&out.success());
    assert_eq!(prompts.len(), 1);
    assert_eq!(prompts[0]["sample"], keys[0]);
    assert_eq!(prompts[0]["meta"]["also"], json!(keys[1..]));
    // What they do not share is asked for each.
    let out = place.run(&["prompts", "--kind", "assertion"]).success();
    let prompts = lines(&out);
    assert_eq!(prompts.len(), 3);
    assert!(
        prompts
            .iter()
            .all(|prompt| prompt["meta"].get("also").is_none())
    );
}

/// Evaluates the run and returns the scores of its two answers.
fn scores(place: &Place) -> Vec<Value> {
    let corpus = place.write("shared.txt", SHARED);
    let corpus = corpus.to_string_lossy().into_owned();
    let metrics = [SINGLE, MULTI].concat().join(",");
    let words = [
        "eval",
        "--metrics",
        &metrics,
        "--crystal-corpus",
        &corpus,
        "--crystal-k",
        K,
    ];
    place.run(&words).success();
    let rows = lines(&place.run(&["results", "r", "--json"]).success());
    rows.into_iter().map(|row| row["scores"].clone()).collect()
}

#[track_caller]
fn check(found: &Value, expected: &Value) {
    let numbers = found.as_f64().zip(expected.as_f64());
    let is_near = numbers.is_some_and(|(found, expected)| (found - expected).abs() <= TOLERANCE);
    assert!(is_near, "{found} instead of {expected}");
}

#[test]
fn attempts_at_a_method_count_once_and_all_its_tests_are_references() {
    let place = place();
    let server = Server::start(|_| Act::answer(&ANSWERS));
    let report = generate(&place, &server);
    assert_eq!(
        (&report["answers"], &report["predictions"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(server.requests().len(), 1);
    let rows = scores(&place);
    assert_eq!(rows.len(), 2);
    for (metrics, expected) in [(SINGLE, OF_OWN), (MULTI, OF_ALL)] {
        let expected: Value = serde_json::from_str(expected).expect("it is JSON");
        for (metric, of) in metrics.iter().zip(SINGLE) {
            for (row, expected) in rows
                .iter()
                .zip(expected[of]["pairs"].as_array().expect("a list"))
            {
                check(&row[*metric], expected);
            }
        }
    }
    // Another test than the answers' own is another reference all the same.
    let file = "r/src/test/java/p/IncTest.java";
    let text = fs::read_to_string(place.path(file)).expect("it is there");
    place.write(
        file,
        text.replace(
            "once ( ) { Counter counter",
            "once ( ) { int zero = 0 ; Counter counter",
        ),
    );
    let folder = place.path("r").to_string_lossy().into_owned();
    place
        .run(&["mine", &folder, "--matcher", "evidence"])
        .success();
    let after = scores(&place);
    assert_eq!(after[0]["bleu:nltk"], rows[0]["bleu:nltk"]);
    assert_ne!(after[0]["bleu:nltk-multi"], rows[0]["bleu:nltk-multi"]);
}

#[test]
fn several_references_score_as_the_packages_say() {
    let own = TESTS[2];
    let all = [own, TESTS[0], TESTS[1]];
    let place = Place::new();
    let corpus = place.write("shared.txt", SHARED);
    let corpus = corpus.to_string_lossy().into_owned();
    for (references, expected) in [(&all[..1], OF_OWN), (&all[..], OF_ALL)] {
        let expected: Value = serde_json::from_str(expected).expect("it is JSON");
        let pairs: Vec<String> = ANSWERS
            .iter()
            .map(|text| json!({"reference": references, "prediction": text}).to_string())
            .collect();
        let file = place.write("pairs.jsonl", pairs.join("\n"));
        let file = file.to_string_lossy().into_owned();
        let metrics = MULTI.join(",");
        let words = [
            "score",
            &file,
            "--metrics",
            &metrics,
            "--crystal-corpus",
            &corpus,
            "--crystal-k",
            K,
        ];
        let scored = lines(&place.run(&words).success());
        for (metric, of) in MULTI.iter().zip(SINGLE) {
            check(&scored[2]["corpus"][*metric], &expected[of]["corpus"]);
            for idx in 0..ANSWERS.len() {
                check(&scored[idx]["scores"][*metric], &expected[of]["pairs"][idx]);
            }
        }
        check_packages(references, &expected);
    }
}

/// Computes the numbers above with the packages themselves, if the Python in `FOCALIST_PYTHON_DATA` has them.
fn check_packages(references: &[&str], expected: &Value) {
    let has_them = |python: &OsString| {
        let imports = ["-c", "import nltk, crystalbleu, Levenshtein"];
        let ended = Command::new(python).args(imports).output();
        ended.is_ok_and(|output| output.status.success())
    };
    let Some(python) = env::var_os("FOCALIST_PYTHON_DATA").filter(has_them) else {
        writeln!(
            io::stderr(),
            "skipped: no Python with nltk, crystalbleu and Levenshtein"
        )
        .expect("stderr can be written");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new(python)
        .arg(root.join("tests/fixtures/metrics/several.py"))
        .args([SHARED, K])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python can be started");
    let pairs: Vec<Value> = ANSWERS
        .iter()
        .map(|text| json!([text, references]))
        .collect();
    let mut input = child.stdin.take().expect("it is piped");
    write!(input, "{}", Value::from(pairs)).expect("Python reads");
    drop(input);
    let ended = child.wait_with_output().expect("Python ends");
    let found: Value = serde_json::from_slice(&ended.stdout).expect("it is JSON");
    assert_eq!(&found, expected);
}
