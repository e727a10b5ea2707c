//! Tokens, parse results and extraction compared with the packages, on `tests/fixtures/metrics`:
//! - `metrics.json`, `java_fragments.json`, `mera_extract.json`: golden files of the metrics' description, made with
//!   javalang 0.13.0, the parsers of JDK 17 and MERA's extraction, on snippets written for them;
//! - `java_corners.json`: one corner of the language a row, with what javac 17.0.15's parser (`JavacTask.parse`) and
//!   javalang 0.13.0's `parse_block` say.

use std::fs;
use std::path::Path;

use focalist::metric::extract::extract;
use focalist::model::{Extraction, Language, ParseMode};
use focalist::syntax::java::fragment::Judge;
use focalist::syntax::java::javalang::Lexer;
use focalist::syntax::verdict::{ParseOutcome, PieceShape};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/metrics")
        .join(name);
    let text = fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

/// Returns both sides of every pair: index 0 is the reference.
fn sides(pairs: &Value) -> impl Iterator<Item = (&Value, usize, &str)> {
    rows(&pairs["pairs"]).iter().flat_map(|pair| {
        ["ref", "hyp"]
            .into_iter()
            .enumerate()
            .map(move |(idx, side)| (pair, idx, side))
    })
}

#[test]
fn java_tokens_are_those_of_javalang_or_of_the_expression() {
    let metrics = golden("metrics.json");
    let mut lexer = Lexer::new();
    let mut n_lists = [0, 0];
    for (pair, idx, side) in sides(&metrics) {
        let expected: Vec<&str> = rows(&pair["tok"][side])
            .iter()
            .map(|token| token.as_str().expect("a token"))
            .collect();
        let is_fallback = pair["tok"]["src"][idx] == "regex";
        let text = text(pair, side);
        let found: Vec<&str> = if pair["lang"] == "java" {
            let (tokens, error) = lexer.tokens(text);
            assert_eq!(error.is_some(), is_fallback, "{text}");
            tokens.iter().collect()
        } else {
            lexer.fallback(text).iter().collect()
        };
        assert_eq!(found, expected, "{text}");
        n_lists[usize::from(is_fallback)] += 1;
    }
    assert_eq!(n_lists, [645, 371]);
}

/// Compares parse results; returns the differences as `code → focalist's result`.
fn differing<'v>(
    mode: ParseMode,
    shape: PieceShape,
    cases: impl Iterator<Item = (&'v str, bool)>,
) -> Vec<(&'v str, ParseOutcome)> {
    let mut judge = Judge::new();
    cases
        .map(|(code, expected)| {
            let verdict = judge.verdict(code, shape, mode);
            let is_sound = judge.is_sound(code, shape, mode);
            assert_eq!(is_sound, verdict.is_ok(), "{mode:?} {shape:?}: {code}");
            (code, expected, verdict)
        })
        .filter(|(_, expected, verdict)| verdict.is_ok() != *expected)
        .map(|(code, _, verdict)| (code, verdict))
        .collect()
}

#[test]
fn strict_verdicts_are_those_of_a_compiler_of_java_17() {
    // javac's parser takes anything left of `=` and leaves the rest to its type checker; by JLS 15.26 neither is Java.
    const DIFFERENT: &[&str] = &["1 = x;", "foo() = 3;"];
    let fragments = golden("java_fragments.json");
    let cases = rows(&fragments)
        .iter()
        .map(|row| (text(row, "code"), row["javac17"] == "ok"));
    let different = differing(ParseMode::Strict, PieceShape::Statements, cases);
    let codes: Vec<&str> = different.iter().map(|different| different.0).collect();
    assert_eq!(codes, DIFFERENT);

    let metrics = golden("metrics.json");
    for (shape, key) in [
        (PieceShape::Statements, "javac17_block"),
        (PieceShape::Member, "javac17_member"),
    ] {
        let cases = sides(&metrics)
            .filter(|(pair, _, _)| pair["lang"] == "java")
            .map(|(pair, _, side)| (text(pair, side), pair["parse"][side][key] == "ok"));
        assert_eq!(differing(ParseMode::Strict, shape, cases), []);
    }
}

#[test]
fn javalang_verdicts_are_those_of_javalang() {
    let fragments = golden("java_fragments.json");
    let cases = rows(&fragments)
        .iter()
        .map(|row| (text(row, "code"), row["javalang_block"] == "ok"));
    assert_eq!(
        differing(ParseMode::Javalang, PieceShape::Statements, cases),
        []
    );

    let metrics = golden("metrics.json");
    for (shape, key) in [
        (PieceShape::Statements, "javalang_block"),
        (PieceShape::Member, "javalang_member"),
    ] {
        let cases = sides(&metrics)
            .filter(|(pair, _, _)| pair["lang"] == "java")
            .map(|(pair, _, side)| {
                let said = text(&pair["parse"][side], key);
                // As a member, what was read is named: `MethodDeclaration`, or `…+trailing` when text follows.
                let is_ok = said == "ok" || said.ends_with("Declaration");
                (text(pair, side), is_ok)
            });
        assert_eq!(differing(ParseMode::Javalang, shape, cases), []);
    }
}

#[test]
fn corners_of_the_language_are_judged_as_javac_and_javalang_judge_them() {
    const DIFFERENT: &[(&str, &[&str])] = &[
        (
            "javac's parser takes any expression left of `=`; JLS 15.26 does not",
            &[
                "a + b = c;",
                "a ? b : c = d;",
                "(a) = b;",
                "((a)) += b;",
                "f() += 3;",
                "-x = 3;",
                "(int) x = 3;",
                "this = x;",
                "null = x;",
                "\"a\" = x;",
                "x++ = y;",
                "new A[3][2] = c;",
            ],
        ),
        (
            "javac's parser takes cases of both kinds in one `switch`; JLS 14.11.1 does not",
            &[
                "switch (x) { case 1 -> { } case 2: f(); }",
                "switch (x) { case 1: case 2 -> f(); }",
            ],
        ),
        (
            "javac's parser takes values without names in annotations; JLS 9.7 does not",
            &["@A(1, 2) int x;", "@A(x = 1, 2) int x;"],
        ),
        (
            "numbers that the grammar does not know",
            &["int x = 1__2;", "int x = 0_1;", "double d = 09e1;"],
        ),
        (
            "the range of hexadecimal floating point is not looked at",
            &["double d = 0x1p99999;"],
        ),
    ];
    let corners = golden("java_corners.json");
    let cases = rows(&corners)
        .iter()
        .map(|row| (text(row, "code"), row["javac17"] == "ok"));
    let mut codes: Vec<&str> = differing(ParseMode::Strict, PieceShape::Statements, cases)
        .into_iter()
        .map(|pair| pair.0)
        .collect();
    codes.sort_unstable();
    let mut expected: Vec<&str> = DIFFERENT.iter().flat_map(|pair| pair.1).copied().collect();
    expected.sort_unstable();
    assert_eq!(codes, expected);

    let cases = rows(&corners)
        .iter()
        .map(|row| (text(row, "code"), row["javalang"] == "ok"));
    assert_eq!(
        differing(ParseMode::Javalang, PieceShape::Statements, cases),
        []
    );
}

#[test]
fn answers_are_cut_as_mera_cuts_them() {
    let answers = golden("mera_extract.json");
    assert_eq!(rows(&answers).len(), 100);
    for row in rows(&answers) {
        let language = match text(row, "language") {
            "js" => Language::JavaScript,
            word => Language::parse(word).expect("a language of ours"),
        };
        let found = extract(Extraction::Mera, language, text(row, "answer"));
        assert_eq!(found.code, text(row, "extracted"), "{row}");
    }
}

#[test]
fn a_prediction_is_judged_as_what_the_reference_is() {
    let mut judge = Judge::new();
    let mut check = |reference: &str, prediction: &str, shape: PieceShape, is_ok: bool| {
        for mode in [ParseMode::Strict, ParseMode::Javalang] {
            let (found, verdict) = judge.verdict_like(reference, prediction, mode);
            assert_eq!((found, verdict.is_ok()), (shape, is_ok), "{prediction}");
        }
    };
    check("f();", "g();", PieceShape::Statements, true);
    check("f();", "void g() {}", PieceShape::Statements, false);
    check("void f() {}", "void g() {}", PieceShape::Member, true);
    check("void f() {}", "void g() {", PieceShape::Member, false);
    check("void f() {}", "g();", PieceShape::Member, false);
    check(
        "int f() { return 1; }",
        "g();",
        PieceShape::Statements,
        true,
    );
    check("neither nor", "void g() {}", PieceShape::Statements, false);
}
