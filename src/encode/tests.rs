//! The law, on pieces that are hard to get right and on sequences that no encoder makes.

use crate::model::Language;
use crate::syntax::cut::Cutter;
use proptest::prelude::*;

use crate::{Decoder, Encoder, FULL, PieceUnit, Sequence};

fn tokens(text: &str) -> Vec<String> {
    let mut cutter = Cutter::new(Language::Java);
    cutter.tokens(text).iter().map(str::to_owned).collect()
}

fn encoded(text: &str, unit: PieceUnit) -> Result<Sequence, String> {
    let mut sequence = Sequence::new();
    Encoder::new()
        .encode(text, unit, &mut sequence)
        .map(|()| sequence)
        .map_err(|error| error.to_string())
}

/// Checks that a text comes back with the same tokens.
fn check_law(text: &str, unit: PieceUnit) {
    let sequence = encoded(text, unit).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut decoder = Decoder::new();
    let (code, read) = decoder
        .decode(sequence.iter())
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read, unit);
    assert_eq!(tokens(code), tokens(text), "{text}\nbecame\n{code}");
}

fn check(text: &str, expected: &str) {
    let sequence = encoded(text, PieceUnit::Statements).expect("it is Java");
    let joined: Vec<&str> = sequence.iter().collect();
    assert_eq!(joined.join(" "), expected);
    check_law(text, PieceUnit::Statements);
}

fn check_error(sequence: &[&str], position: usize, message: &str) {
    let mut decoder = Decoder::new();
    let error = decoder
        .decode(sequence.iter().copied())
        .map(|pair| pair.0.to_owned())
        .expect_err("it is no sequence");
    assert_eq!(
        (error.position, error.message.as_str()),
        (position, message)
    );
}

#[test]
fn what_repeats_the_type_is_left_out() {
    check(
        "assertEquals(1, c.get());",
        "<[block]> <[expression_statement]> <[method_invocation]> assertEquals <[argument_list]> 1 \
         <[method_invocation]> c get <[argument_list]> <[/]> <[/method_invocation]> <[/argument_list]> \
         <[/method_invocation]> <[/expression_statement]> <[/block]>",
    );
    check(
        "final int a = b + 1; // why",
        "<[block]> <[local_variable_declaration]> <[modifiers]> final <[/modifiers]> int \
         <[variable_declarator]> a <[binary_expression]> b + 1 <[/binary_expression]> <[/variable_declarator]> \
         <[/local_variable_declaration]> <[/block]>",
    );
}

#[test]
fn nothing_is_a_list_of_statements() {
    check("", "<[block]> <[/]>");
    check("/* nothing */", "<[block]> <[/]>");
}

#[test]
fn what_does_not_go_without_saying_is_said() {
    check(
        "int[] a = {1,};",
        "<[block]> <[local_variable_declaration]> <[array_type]> int <[dimensions]> <[/]> <[/array_type]> \
         <[variable_declarator]> a <[array_initializer]> <[=]> { 1 , } <[/array_initializer]> \
         <[/variable_declarator]> <[/local_variable_declaration]> <[/block]>",
    );
}

#[test]
fn statements_of_all_kinds_come_back() {
    for text in [
        ";",
        "if (a) ; else ;",
        "if (a) b(); else if (c) d(); else { }",
        "do ; while (x);",
        "do { x++; --y; } while (x < 3);",
        "while (true) break;",
        "a: for (;;) continue a;",
        "for (int i = 0, j[] = {1}; i < 3; i++, j[0]--) { }",
        "for (i = 0, j = 1; ; ) { }",
        "for (final String s[] : x) { }",
        "for (Map.Entry<String, List<Integer>> e : m.entrySet()) f(e);",
        "List<Map<String, List<int[]>>> x = new ArrayList<>();",
        "x = a >> 1 >>> 2 << 3;",
        "x >>= 1; y >>>= 2;",
        "boolean b = a < c && c > d;",
        "int x = -1 - -1 + +2 - --y;",
        "Object o = (String & Runnable) (x) -> x;",
        "Object o = (int) 1.5e-3f + (byte) 'x' + (String) \"a\\\"b\" + .5 + 0x1p3;",
        "f((a, b) -> { return a; }, (int c) -> c, () -> {}, x -> x, (final var d) -> d);",
        "int[][] a = new int[3][]; int b[][] = new int[][] {{1}, {2, 3}, };",
        "int c = new int[] {1}[0];",
        "try { f(); } catch (final A | B e) { } finally { }",
        "try (A a = b(); c; d.e) { }",
        "try (A a = b();) { } catch (E e) { }",
        "switch (a) { case 1: case 2: f(); default: g(); }",
        "switch (a) { case 1: case 2: case 3: case 4: case 5: case 6: f(); }",
        "int x = switch (a) { case 1, 2 -> 3; case 4 -> { yield 5; } default -> throw e; };",
        "int x = switch (a) { case String s when s.isEmpty() -> 1; case P(int b, Q(var c)) -> 2; default -> 3; };",
        "if (o instanceof final String s && o instanceof P(int a, var b)) { }",
        "if (o instanceof List<?> l) { }",
        "synchronized (this) { this.a = super.b; A.this.c(); A.super.d(); super.e(); }",
        "Outer.Inner i = outer.new Inner(1) { int f() { return 1; } };",
        "A a = new @B A<String>() { };",
        "f(String::new, int[]::new, A::<B>c, super::d, this::e, List<String>::new);",
        "Class<?> c = int[].class; c = A.B.class; c = void.class;",
        "this.<A>f().<B, C>g(); A.<B>h();",
        "assert a : b; assert c;",
        "throw new E(\"x\");",
        "String s = \"\"\"\n   a \"b\" \\\n   c\\\"\"\"\n   \"\"\";",
        "String s = \"\\u0041\\n\" + '\\'' + \"<[block]>\";",
        "int \\u0061b = 1; f(\"\\u0041\");",
        "@A @B(1) @C(x = 1, y = {1, 2,}) @D({}) final int x = 1;",
        "class L { } record R(int a) { } enum E { A } interface I { }",
        "var x = (a ? b : c) ? d : e;",
        "A.B<C>.D<E> x = null; A.@F B y;",
        "long l = 1L, m = 0b1_0, n = 0x7fL, o = 07;",
        "a.b.c[d[0]].e = f.g()[1];",
        "x = y = z; x += 1; x ^= 2; !a; ",
        "List<? extends A> a; List<? super B> b; List<@C ?> c;",
        "record.with(open, module); int record = 1; yield = 2;",
        "{ { } ; }",
        "int a€ = 1;",
        "x = a - -b; x = a + +b; x = !!c; x = ~-d; x = - -e;",
    ] {
        check_law(text, PieceUnit::Statements);
    }
}

#[test]
fn members_of_all_kinds_come_back() {
    for text in [
        "T(int a) throws E, F { this(a, 1); }",
        "T() { super(); } T(A a) { a.<B>super(1); } T(long a) { <C>this(a); }",
        "public static <A extends B & C, D> void f(final A a, int... b) throws E { }",
        "abstract int f(int a[])[];",
        "int a, b[] = {1}, c = 2;",
        "static { } { } ;",
        "@interface A { int a() default 1; String[] b(); @B int c() [] default {1, 2,}; int D = 1, E = 2; }",
        "enum A implements I, J { B, C(1) { void f() { } }, @D E; int x; }",
        "enum A { B, } enum C { D, ; } enum E { ; } enum F { } enum G { H; }",
        "record R<T>(@A int a, T... b) implements I { R { } static int c; }",
        "sealed interface I permits A, B { default void f() { } int X = 1; }",
        "non-sealed class A extends B<C> implements D { }",
        "private @A class X<T> { }",
        "void f(T this, int a) { } void g(Outer Outer.this) { }",
        "@Test(expected = E.class) @SuppressWarnings({\"a\", \"b\"}) public void f() { }",
        "int f() { class A { } return new A() { }.hashCode(); }",
        "<T> @A T f() { return null; }",
        "",
    ] {
        check_law(text, PieceUnit::Members);
    }
}

#[test]
fn files_come_back() {
    for text in [
        "package a.b; import c.*; import static d.E.f; import static g.H.*; import i.J; class K { }",
        "@A package a;",
        "@A open module a.b { requires transitive static c; requires d; exports e; exports f to g, h; opens i; \
         opens j to k; uses l.M; provides n.O with p.Q, r.S; }",
        "",
        "class A { } ;",
    ] {
        check_law(text, PieceUnit::File);
    }
}

#[test]
fn what_does_not_parse_has_no_sequence() {
    for text in ["if (", "} {", "f(;", "a b c", "int x = \"a"] {
        assert!(encoded(text, PieceUnit::Statements).is_err(), "{text}");
    }
}

#[test]
fn an_ill_formed_sequence_is_an_error_with_its_place() {
    check_error(&[], 0, "has no tokens");
    check_error(&["x"], 0, "does not begin with a root");
    check_error(&["<[block]>"], 1, "ends inside `block`");
    check_error(
        &["<[block]>", "<[/if_statement]>"],
        1,
        "`<[/if_statement]>` closes `block`",
    );
    check_error(&["<[blok]>", "<[/]>"], 0, "`<[blok]>` is not a type");
    check_error(&["<[block]>", "<[/]>", "x"], 2, "`x` stands behind the end");
    check_error(
        &["<[block]>", "x", "<[/]>"],
        2,
        "`<[/]>` stands behind no marker that opens",
    );
    check_error(
        &["<[argument_list]>", "<[/]>"],
        0,
        "`argument_list` is not a root; a root is `block`, `class_body` or `program`",
    );
    check_error(
        &[
            "<[block]>",
            "<[if_statement]>",
            "x",
            "<[/if_statement]>",
            "<[/block]>",
        ],
        3,
        "`if_statement` cannot have these children",
    );
}

#[test]
fn a_tree_that_no_code_has_is_an_error() {
    // A sum below a product needs its parentheses; without them the code is another tree.
    let sum = [
        "<[binary_expression]>",
        "a",
        "+",
        "b",
        "<[/binary_expression]>",
    ];
    let mut sequence = vec![
        "<[block]>",
        "<[expression_statement]>",
        "<[binary_expression]>",
    ];
    sequence.extend(sum);
    sequence.extend([
        "*",
        "c",
        "<[/binary_expression]>",
        "<[/expression_statement]>",
        "<[/block]>",
    ]);
    let mut decoder = Decoder::new();
    let error = decoder
        .decode(sequence.iter().copied())
        .map(|pair| pair.0.to_owned());
    let error = error.expect_err("it is another tree");
    assert!(
        error.message.starts_with("the code has another tree"),
        "{error}"
    );
}

#[test]
fn a_value_that_is_none_is_an_error() {
    for value in [
        "a b",
        "/* a */",
        "//",
        "\"",
        "",
        ")",
        "a;b",
        "\u{1b}[0m",
        "a(",
        "}",
    ] {
        let sequence = [
            "<[block]>",
            "<[expression_statement]>",
            value,
            "<[/expression_statement]>",
            "<[/block]>",
        ];
        let mut decoder = Decoder::new();
        assert!(
            decoder.decode(sequence.iter().copied()).is_err(),
            "{value:?}"
        );
    }
}

#[test]
fn a_sequence_may_be_as_deep_as_it_likes() {
    let n = 200_000;
    let mut sequence = vec!["<[block]>"; n];
    let mut decoder = Decoder::new();
    assert!(decoder.decode(sequence.iter().copied()).is_err());
    sequence.push("<[/]>");
    sequence.extend(vec!["<[/block]>"; n - 1]);
    assert!(decoder.decode(sequence.iter().copied()).is_err());
    let sequence = vec!["<[block]>", FULL]
        .into_iter()
        .cycle()
        .take(n)
        .collect::<Vec<_>>();
    assert!(decoder.decode(sequence.iter().copied()).is_err());
}

#[test]
fn a_long_sum_is_deep_and_comes_back() {
    let text = format!("x = {};", vec!["a"; 3_000].join(" + "));
    check_law(&text, PieceUnit::Statements);
}

/// Sequences of pieces of real ones.
fn check_strict(text: &str, refused: &str) {
    let sequence = encoded(text, PieceUnit::Statements).expect("the text has a tree");
    let tokens: Vec<&str> = sequence.iter().collect();
    let mut decoder = Decoder::new();
    assert!(decoder.decode(tokens.iter().copied()).is_ok(), "{text}");
    match decoder.decode_strict(tokens.iter().copied()) {
        Ok(_) => assert_eq!(refused, "", "{text}"),
        Err(error) => assert_eq!(tokens[error.position], refused, "{error}"),
    }
}

#[test]
fn what_javac_does_not_read_is_refused_where_it_stands() {
    check_strict("assertEquals(1, a.size());\nassertTrue(b);", "");
    check_strict(
        "a();\nassertEquals(2004444444444, 12, 2005);",
        "2004444444444",
    );
    check_strict("assertEquals(this.class.size());", "class");
}

fn hostile() -> impl Strategy<Value = Vec<String>> {
    let names = crate::table::JAVA
        .iter()
        .map(|pair| pair.0)
        .collect::<Vec<_>>();
    let name = prop::sample::select(names);
    let token = prop_oneof![
        3 => name.clone().prop_map(|it| format!("<[{it}]>")),
        3 => name.prop_map(|it| format!("<[/{it}]>")),
        2 => Just("<[/]>".to_owned()),
        1 => Just(FULL.to_owned()),
        3 => prop::sample::select(vec!["a", "1", "\"s\"", "+", "int", "{", "}", ";", "<", ">", ",", "static", "this"])
            .prop_map(str::to_owned),
        1 => ".{0,4}",
    ];
    prop::collection::vec(token, 0..40)
}

/// Takes tokens out of a sequence, doubles and swaps them.
fn damaged(mut tokens: Vec<String>, edits: &[(u16, u16, u8)]) -> Vec<String> {
    for (from, to, how) in edits {
        if tokens.is_empty() {
            break;
        }
        let (from, to) = (*from as usize % tokens.len(), *to as usize % tokens.len());
        match how % 4 {
            0 => drop(tokens.remove(from)),
            1 => tokens.insert(to, tokens[from].clone()),
            2 => tokens.swap(from, to),
            _ => tokens.truncate(from),
        }
    }
    tokens
}

const REAL: &[&str] = &[
    "int a = f(b, new C<D<E>>() { int g() { return 1; } }); if (a > b) { h(x -> x + 1); } else i[0]++;",
    "try (A a = b()) { c(); } catch (D | E e) { switch (f) { case 1: g(); default: } }",
    "for (int i = 0; i < n; i++) assertEquals(\"a\", x.y(i), (double) 0.1);",
];

/// Checks that a sequence that decodes is the one of its code.
fn check_decoded(tokens: &[String]) {
    let mut decoder = Decoder::new();
    if let Ok((code, unit)) = decoder.decode(tokens.iter().map(String::as_str)) {
        let again = encoded(code, unit).expect("decoded code is Java");
        assert!(again.iter().eq(tokens.iter().map(String::as_str)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_panics_or_decodes_to_something_else(tokens in hostile()) {
        check_decoded(&tokens);
    }

    #[test]
    fn no_damaged_sequence_panics_or_decodes_to_something_else(
        which in 0..REAL.len(),
        edits in prop::collection::vec(any::<(u16, u16, u8)>(), 1..4),
    ) {
        let sequence = encoded(REAL[which], PieceUnit::Statements).expect("it is Java");
        let tokens = sequence.iter().map(str::to_owned).collect();
        check_decoded(&damaged(tokens, &edits));
    }

    #[test]
    fn every_piece_that_parses_comes_back(
        which in 0..REAL.len(),
        edits in prop::collection::vec(any::<(u16, u16, u8)>(), 0..4),
    ) {
        let pieces = tokens(REAL[which]);
        let text = damaged(pieces, &edits).join(" ");
        if encoded(&text, PieceUnit::Statements).is_ok() {
            check_law(&text, PieceUnit::Statements);
        }
    }
}
