//! Cases of the verdicts; the long lists are golden files of the integration tests.

use super::*;

fn strict(text: &str, shape: Shape) -> Option<(u32, u32, String)> {
    match Judge::new().verdict(text, shape, Mode::Strict) {
        Verdict::Ok => None,
        Verdict::Error {
            line,
            column,
            detail,
        } => Some((line, column, detail)),
    }
}

fn check(text: &str, line: u32, column: u32, detail: &str) {
    let expected = Some((line, column, detail.to_owned()));
    assert_eq!(strict(text, Shape::Statements), expected, "{text}");
}

#[test]
fn an_error_says_where_and_what() {
    check("f();\nx + 1;", 2, 1, "`x + 1` is no statement");
    check("f(\"a\nb\");", 1, 3, "string without an end at `\"a\\nb\"`");
    check(
        "int x = 99999999999;",
        1,
        9,
        "number too large at `99999999999`",
    );
    check("é(); f(1", 1, 6, "syntax error at `f(1`");
    check(
        "f(); } void g() {",
        1,
        8,
        "text goes on behind the closing brace",
    );
}

#[test]
fn hostile_text_has_a_verdict() {
    let mut judge = Judge::new();
    let texts = [
        format!("x = {}1{};", "(".repeat(100_000), ")".repeat(100_000)),
        "(".repeat(100_000),
        "{".repeat(100_000),
        "a<".repeat(8_000),
        "\0".to_owned(),
        "switch (".repeat(3_000),
        "\\u".repeat(1_000),
        "@A ".repeat(10_000),
    ];
    for text in &texts {
        for mode in [Mode::Strict, Mode::Javalang] {
            for shape in [Shape::Statements, Shape::Member] {
                judge.verdict(text, shape, mode);
            }
        }
    }
}
