//! Cases of the lexer; the long lists are golden files of the integration tests.

use super::*;

fn check(text: &str, expected: &[&str]) {
    let mut lexer = Lexer::new();
    let found: Vec<&str> = lexer
        .lex(text)
        .expect("the text has tokens")
        .iter()
        .collect();
    assert_eq!(found, expected, "{text}");
}

fn check_error(text: &str, position: u32, what: Fault) {
    let mut lexer = Lexer::new();
    let (_, error) = lexer.tokens(text);
    assert_eq!(error, Some(LexError { position, what }), "{text}");
}

fn check_fallback(text: &str, expected: &[&str]) {
    let mut lexer = Lexer::new();
    let found: Vec<&str> = lexer.fallback(text).iter().collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn operators_are_the_longest_but_closing_brackets_stay_single() {
    check(
        "a>>>b>>c>>=d>>>=e",
        &[
            "a", ">", ">", ">", "b", ">", ">", "c", ">>=", "d", ">>>=", "e",
        ],
    );
    check("+++ -> :: <<= ...", &["++", "+", "->", "::", "<<=", "..."]);
    check("a..b", &["a", ".", ".", "b"]);
}

#[test]
fn numbers_follow_javalang_and_not_java() {
    check(
        "08 1e 0x 1_l .5d 1.f 0x1.8p3f",
        &["08", "1e", "0x", "1_", "l", ".5d", "1.f", "0x1.8p3f"],
    );
    check("1..2", &["1.", ".2"]);
    check("x = 0", &["x", "=", "0"]);
    check_error("0x1.8;", 0, Fault::HexFloat);
}

#[test]
fn literals_end_at_their_quote_only() {
    check(
        "\"\"\"x\"\"\" 'ab' ''",
        &["\"\"", "\"x\"", "\"\"", "'ab'", "''"],
    );
    check("\"a\nb\"", &["\"a\nb\""]);
    check_error("f(\"a\\s\")", 4, Fault::Escape('s'));
    check_error("f(\"a", 2, Fault::UnclosedLiteral);
    check_error("a /* b", 2, Fault::UnclosedComment);
    check("a /**/ b // c", &["a", "b"]);
}

#[test]
fn unicode_escapes_are_decoded_first() {
    check(r"\u0061b \uuu0022x\u0022", &["ab", "\"x\""]);
    check(r#""\\u0041""#, &[r#""\\u0041""#]);
    check_error(r"ab \u00zz", 3, Fault::UnicodeEscape);
    check_error(r"\u0061 #", 7, Fault::Character('#'));
    check(r#""\ud83d\ude00""#, &["\"\u{10f83d}\u{10fe00}\""]);
    check(r"a\u20", &["a"]);
}

#[test]
fn letters_outside_ascii_go_by_their_category() {
    check("größe\u{a0}€ 表", &["größe", "€", "表"]);
    check_error("a “b”", 2, Fault::Character('“'));
    check_error("\0", 0, Fault::Character('\0'));
}

#[test]
fn the_fallback_takes_any_text() {
    check_fallback(
        "f(\"a\\\"b\", 2.5m) # 'x' `",
        &["f", "(", "\"a\\\"b\"", ",", "2.5m", ")", "#", "'x'", "`"],
    );
    check_fallback(
        "\"a\nb\" 1_0.5 é",
        &["\"", "a", "b", "\"", "1_0", ".", "5", "é"],
    );
}

#[test]
fn hostile_text_takes_linear_time() {
    let mut lexer = Lexer::new();
    let text = "\\\"".repeat(500_000);
    assert_eq!(lexer.fallback(&text).len(), 1_000_000);
    let text = "(".repeat(1_000_000);
    assert_eq!(lexer.tokens(&text).0.len(), 1_000_000);
    let text = "1".repeat(1_000_000);
    assert_eq!(lexer.fallback(&text).len(), 1);
}
