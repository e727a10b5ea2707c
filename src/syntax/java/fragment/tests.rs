//! Cases of the verdicts; the long lists are golden files of the integration tests.

use super::*;

fn strict(text: &str, shape: PieceShape) -> Option<(u32, u32, String)> {
    match Judge::new().verdict(text, shape, ParseMode::Strict) {
        ParseOutcome::Ok => None,
        ParseOutcome::Error {
            line,
            column,
            detail,
        } => Some((line, column, detail)),
    }
}

fn check(text: &str, line: u32, column: u32, detail: &str) {
    let expected = Some((line, column, detail.to_owned()));
    assert_eq!(strict(text, PieceShape::Statements), expected, "{text}");
}

#[test]
fn an_error_says_where_and_what() {
    check("f();\nx + 1;", 2, 1, "`x + 1` is not a statement");
    check("f(\"a\nb\");", 1, 3, "unclosed string at `\"a\\nb\"`");
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
        "text continues after the closing brace",
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
    // The first would be sound if it were less deep; the others are broken, as whatever they are read.
    let mut n_sound = Vec::new();
    for text in &texts {
        let mut n = 0;
        for mode in [ParseMode::Strict, ParseMode::Javalang] {
            for shape in [PieceShape::Statements, PieceShape::Member] {
                let verdict = judge.verdict(text, shape, mode);
                assert_eq!(judge.is_sound(text, shape, mode), verdict.is_ok());
                n += usize::from(verdict.is_ok());
            }
        }
        n_sound.push(n);
    }
    assert_eq!(n_sound, [0; 8]);
}

#[test]
fn what_the_grammar_lacks_is_read_all_the_same() {
    for text in [
        "char c = '€';",
        "int € = 3;",
        "String @A [] @B [] x;",
        "this(1); x = super(2);",
        "String s = \"\0\"; /* \0 */",
        "f(); // a\rg();",
        r"int \u0061 = '\u20ac';",
    ] {
        assert_eq!(strict(text, PieceShape::Statements), None, "{text}");
    }
    assert_eq!(
        strict("void f(String @A ... x) {}", PieceShape::Member),
        None
    );
}

#[test]
fn places_are_those_of_the_text_as_it_was_given() {
    check(
        r"int \u0061 = 1; x + 1;",
        1,
        17,
        "`x + 1` is not a statement",
    );
    check("f();\r\né = 1; '' ;", 2, 8, "syntax error at `'' ;`");
}

#[test]
fn the_tokens_of_a_method_say_what_parsing_it_says() {
    let check = |text: &str, is_method: bool| {
        let mut judge = Judge::new();
        assert_eq!(judge.is_method(text), is_method, "{text}");
        if is_method {
            assert!(judge.is_member(text), "{text}");
        }
    };
    for text in [
        "@Test public void a() { f(1); }",
        "@a.B(value = {C.class, D.class}) @E(\"}\") static final <T extends F<G<T>>> Map<T, List<H>>[] i(J... k)\n    \
         throws L, m.N { /* } */ return \"{\"; }",
        "void a() { }",
        "public int[] a(final int b) { new C() { void d() { } }; return null; }",
    ] {
        check(text, true);
    }
    for text in [
        "f(1);",
        "@Test void a() { f(1); } int b;",
        "@Test void a() { f(1);",
        "@Test void a() { f(1)); }",
        "public A(int b) { }",
        "abstract void a();",
        "final class A { void b() { } }",
        "final A a = new B() { };",
        "public new A() { }",
        "@A b(c) { }",
        "public @interface A { }",
        "static { a(); }",
        "void a() { \"",
    ] {
        check(text, false);
    }
}
