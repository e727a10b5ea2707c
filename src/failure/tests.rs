//! Each tag by its definition, and laws that hold for any pair.

mod styles;

use super::*;

/// Compares two texts without further facts in the sample, and expects exactly these tags, as words.
#[track_caller]
fn check(reference: &str, prediction: &str, expected: &str) {
    let found = Tagger::new().tags(PredictionPair::new(reference, prediction), &[SAMPLE]);
    assert_eq!(
        found.tags.to_string(),
        expected,
        "\n{reference}\n{prediction}\n{:#?}",
        found.evidence
    );
    for tag in found.tags.iter().filter(|tag| *tag != Tag::Other) {
        assert!(
            found.evidence.iter().any(|evidence| evidence.tag == tag),
            "{tag:?}"
        );
    }
}

/// Names that the sample has.
const SAMPLE: &str = "a b c x y list first last foo bar baz Foo Bar Baz name mock other run go step count total fetch \
    limit EPS expected value result res items shape width height assertShape ex";

#[test]
fn layout_and_comments_are_no_difference() {
    check("assertTrue(x);", "assertTrue(x);", "exact");
    check("assertTrue(x); // yes", " assertTrue( x )\n;", "exact");
    check("", "  ", "exact");
    check("foo(;", "foo( ;", "exact, unparsable");
    check("foo(;", "foo(;", "exact, unparsable");
}

#[test]
fn names_that_are_declared_may_be_others() {
    check(
        "int x = foo(); assertEquals(1, x);",
        "int y = foo(); assertEquals(1, y);",
        "equal_renamed",
    );
    check(
        "assertThrows(Foo.class, () -> foo(q -> q.bar()));",
        "assertThrows(Foo.class, () -> foo(it -> it.bar()));",
        "equal_renamed",
    );
    check(
        "@Test public void works() { assertTrue(x); }",
        "@Test public void isRight() { assertTrue(x); }",
        "equal_renamed",
    );
    check(
        "int x = foo(); int y = bar(); assertEquals(x, y);",
        "int x = foo(); int y = bar(); assertEquals(y, x);",
        "equal_swapped",
    );
    // Not one to one.
    check(
        "int x = foo(); int y = foo(); bar(x, y);",
        "int a = foo(); int b = foo(); bar(a, a);",
        "different_statement, wrong_variable, wrong_argument",
    );
    check(
        "foo(x);",
        "foo(y);",
        "different_statement, wrong_variable, wrong_argument",
    );
}

#[test]
fn sides_of_an_equality_may_change_places() {
    check(
        "assertEquals(1, x);",
        "assertEquals(x, 1);",
        "equal_swapped",
    );
    check(
        "assertSame(a, b.c());",
        "assertSame(b.c(), a);",
        "equal_swapped",
    );
    check(
        "assertArrayEquals(a, b);",
        "assertArrayEquals(b, a);",
        "equal_swapped",
    );
    check(
        "assertEquals(a, foo(), EPS);",
        "assertEquals(foo(), a, EPS);",
        "equal_swapped",
    );
}

#[test]
fn one_check_may_be_written_in_many_ways() {
    let same = [
        ("assertEquals(a, b);", "assertTrue(a.equals(b));"),
        ("assertEquals(a, b);", "assertThat(b).isEqualTo(a);"),
        ("assertEquals(a, b);", "assertThat(b, is(a));"),
        ("assertEquals(a, b);", "assertThat(b, is(equalTo(a)));"),
        ("assertEquals(a, b);", "assertThat(b, Matchers.equalTo(a));"),
        ("assertEquals(a, b);", "Assert.assertEquals(a, b);"),
        ("assertEquals(a, b);", "assertTrue(Objects.equals(a, b));"),
        ("assertNotEquals(a, b);", "assertFalse(a.equals(b));"),
        ("assertNotEquals(a, b);", "assertThat(b, not(a));"),
        ("assertEquals(3, x);", "assertTrue(x == 3);"),
        ("assertSame(a, b);", "assertTrue(a == b);"),
        ("assertFalse(x);", "assertTrue(!x);"),
        ("assertFalse(x);", "assertEquals(false, x);"),
        ("assertFalse(x);", "assertThat(x).isFalse();"),
        ("assertNull(x);", "assertEquals(null, x);"),
        ("assertNull(x);", "assertTrue(x == null);"),
        ("assertNull(x);", "assertThat(x, nullValue());"),
        ("assertNotNull(x);", "assertNotEquals(null, x);"),
        ("assertNotNull(x);", "assertThat(x, is(notNullValue()));"),
        (
            "assertTrue(x instanceof Foo);",
            "assertInstanceOf(Foo.class, x);",
        ),
        ("assertTrue(list.isEmpty());", "assertThat(list).isEmpty();"),
        (
            "assertFalse(list.isEmpty());",
            "assertThat(list).isNotEmpty();",
        ),
        (
            "assertTrue(list.contains(x));",
            "assertThat(list).contains(x);",
        ),
        (
            "assertEquals(2, list.size());",
            "assertThat(list).hasSize(2);",
        ),
        (
            "assertEquals(2, list.size());",
            "assertThat(list, hasSize(2));",
        ),
        ("assertTrue(x);", "assert x;"),
        ("assertTrue((x));", "assertTrue(x);"),
        ("assertTrue(this.foo());", "assertTrue(foo());"),
        (
            "assertThat(x).isNotNull().isEqualTo(1);",
            "assertThat(x).isNotNull(); assertThat(x).isEqualTo(1);",
        ),
        (
            "assertThrows(Foo.class, () -> foo());",
            "assertThrows(Foo.class, () -> { foo(); });",
        ),
        (
            "assertThrows(Foo.class, () -> foo());",
            "assertThatThrownBy(() -> foo()).isInstanceOf(Foo.class);",
        ),
        ("verify(mock).foo();", "verify(mock, times(1)).foo();"),
    ];
    for (reference, prediction) in same {
        check(reference, prediction, "equal_rewritten");
        check(prediction, reference, "equal_rewritten");
    }
}

#[test]
fn messages_are_told_from_values() {
    check(
        "assertTrue(x);",
        "assertTrue(\"no\", x);",
        "different_message",
    );
    check(
        "assertTrue(x, \"a\");",
        "assertTrue(x, \"b\");",
        "different_message",
    );
    check(
        "assertEquals(\"why\", 1, x);",
        "assertEquals(\"because\", 1, x);",
        "different_message",
    );
    check(
        "assertEquals(\"why\", 1, x);",
        "assertEquals(1, x);",
        "different_message",
    );
    check("fail(\"a\");", "fail(\"b\");", "different_message");
    check(
        "assertThat(x).as(\"a\").isEqualTo(1);",
        "assertThat(x).isEqualTo(1);",
        "different_message",
    );
    check(
        "assertEquals(\"a\", x, \"m\");",
        "assertEquals(\"b\", x, \"m\");",
        "wrong_expected, wrong_literal",
    );
    check(
        "assertEquals(\"why\", 1, x);",
        "assertEquals(\"because\", 2, x);",
        "wrong_expected, wrong_literal",
    );
}

#[test]
fn an_order_is_its_own_difference() {
    check(
        "assertTrue(a); assertTrue(b);",
        "assertTrue(b); assertTrue(a);",
        "other_order",
    );
    check(
        "foo(); assertTrue(a);",
        "assertTrue(a); foo();",
        "other_order",
    );
}

#[test]
fn another_way_of_checking_hides_the_rest() {
    check("assertTrue(x);", "assertFalse(x);", "different_assertion");
    check(
        "assertEquals(1, x);",
        "assertNotNull(foo());",
        "different_assertion",
    );
    check("assertNull(x);", "assertNotNull(x);", "different_assertion");
    check(
        "assertSame(a, b);",
        "assertEquals(a, b);",
        "different_assertion",
    );
    check(
        "verify(mock).foo();",
        "verify(mock, never()).foo();",
        "different_assertion",
    );
    check(
        "verify(mock, times(2)).foo();",
        "verify(mock, times(3)).foo();",
        "different_assertion",
    );
    check("assertTrue(x);", "fail();", "different_assertion");
    check("assertTrue(x);", "assumeTrue(x);", "different_assertion");
}

#[test]
fn assertions_that_are_left_over_are_missing_or_extra() {
    check(
        "assertTrue(a); assertTrue(b);",
        "assertTrue(a);",
        "missing_assertion",
    );
    check(
        "assertTrue(a);",
        "assertTrue(a); assertTrue(b);",
        "extra_assertion",
    );
    check(
        "assertTrue(a); assertTrue(b);",
        "assertTrue(b); assertTrue(c);",
        "missing_assertion, extra_assertion",
    );
    check("assertTrue(a);", "", "missing_assertion");
    check(
        "@Test(expected = Foo.class) public void t() { foo(); }",
        "@Test public void t() { foo(); }",
        "missing_assertion",
    );
    check(
        "Foo ex = assertThrows(Foo.class, () -> foo()); assertEquals(1, ex.bar());",
        "Foo ex = assertThrows(Foo.class, () -> foo());",
        "missing_assertion",
    );
    check(
        "for (Foo f : list) { assertTrue(f.bar()); }",
        "for (Foo f : list) { }",
        "missing_assertion",
    );
}

#[test]
fn other_statements_are_compared_by_themselves() {
    check(
        "foo(); assertTrue(a);",
        "assertTrue(a);",
        "different_statement",
    );
    check(
        "foo(1); assertTrue(a);",
        "foo(2); assertTrue(a);",
        "different_statement, wrong_literal, wrong_argument",
    );
    check(
        "Foo x = new Foo(); assertTrue(x.bar());",
        "Foo x = new Bar(); assertTrue(x.bar());",
        "different_statement, wrong_type",
    );
}

#[test]
fn values_are_expected_or_looked_at() {
    check(
        "assertEquals(1, x);",
        "assertEquals(2, x);",
        "wrong_expected, wrong_literal",
    );
    check(
        "assertEquals(1, x);",
        "assertEquals(y, x);",
        "wrong_expected, different_structure",
    );
    check(
        "assertEquals(a, x);",
        "assertEquals(b, x);",
        "wrong_expected, wrong_variable",
    );
    check(
        "assertEquals(1, x);",
        "assertEquals(1, y);",
        "wrong_actual, wrong_variable",
    );
    check(
        "assertEquals(1, x);",
        "assertEquals(y, 1);",
        "wrong_actual, wrong_variable",
    );
    check(
        "assertEquals(-1, x);",
        "assertEquals(1, x);",
        "wrong_expected, wrong_literal",
    );
    check(
        "assertThat(x).isEqualTo(1);",
        "assertEquals(2, x);",
        "wrong_expected, wrong_literal",
    );
    check(
        "assertThrows(Foo.class, () -> foo());",
        "assertThrows(Bar.class, () -> foo());",
        "wrong_expected, wrong_type",
    );
    check(
        "assertEquals(1.0, x, 0.1);",
        "assertEquals(1.0, x, 0.2);",
        "wrong_literal",
    );
    check(
        "assertTrue(list.contains(1));",
        "assertTrue(list.contains(2));",
        "wrong_actual, wrong_literal, wrong_argument",
    );
}

#[test]
fn the_smallest_difference_is_named() {
    let actual = |reference: &str, prediction: &str, expected: &str| {
        check(
            &format!("assertEquals(1, {reference});"),
            &format!("assertEquals(1, {prediction});"),
            &format!("wrong_actual, {expected}"),
        );
    };
    actual("a.foo()", "b.foo()", "wrong_receiver");
    actual("a.foo()", "foo()", "wrong_receiver");
    actual("a.foo().bar()", "b.foo().bar()", "wrong_receiver");
    actual("a.foo()", "a.bar().foo()", "wrong_receiver");
    actual("a.foo()", "a.bar()", "wrong_method");
    actual("a.foo().baz()", "a.bar().baz()", "wrong_method");
    actual("a.foo()", "a.foo().bar()", "wrong_method");
    actual("foo(a)", "foo(b)", "wrong_variable, wrong_argument");
    actual("foo(a)", "foo(a, b)", "wrong_argument");
    actual(
        "foo(a.bar())",
        "foo(a.baz())",
        "wrong_method, wrong_argument",
    );
    actual("new Foo(1)", "new Foo(2)", "wrong_literal, wrong_argument");
    actual("new Foo(1)", "new Bar(1)", "wrong_type");
    actual("(int) x", "(long) x", "wrong_type");
    actual("a + b", "a - b", "wrong_operator");
    actual("a + b", "a + c", "wrong_variable");
    actual("!a", "a", "wrong_operator");
    actual("a.foo()", "b.bar()", "different_structure");
    actual("a.foo()", "b", "different_structure");
    actual(
        "list.get(0)",
        "list.get(1)",
        "wrong_literal, wrong_argument",
    );
    actual("Foo.class", "Bar.class", "wrong_type");
}

#[test]
fn names_that_nobody_has_are_unknown() {
    let check_name = |prediction: &str, names: &[&str]| {
        let found = Tagger::new().tags(PredictionPair::new("foo(a);", prediction), &[SAMPLE]);
        let unknown: Vec<&str> = found
            .evidence
            .iter()
            .filter(|evidence| evidence.tag == Tag::UnknownName)
            .map(|evidence| evidence.prediction.unwrap_or_default().of(prediction))
            .collect();
        assert_eq!(unknown, names, "{prediction}");
    };
    check_name("a.fooBarBaz();", &["fooBarBaz"]);
    check_name("Quux quux = new Quux(); quux.foo();", &["Quux"]);
    check_name("foo(QUUX_MAX);", &["QUUX_MAX"]);
    check_name(
        "list.stream().map(it -> it.size()).collect(Collectors.toList());",
        &[],
    );
    check_name("assertThat(a).isEqualToIgnoringCase(b);", &[]);
    check_name("verify(mock, times(2)).foo(any());", &[]);
    check_name("com.acme.foo.Foo f = null; int n = new int[0].length;", &[]);
    check_name(
        "try { foo(); } catch (Exception problem) { problem.getMessage(); }",
        &[],
    );
    check_name("@Test public void quux() throws Exception { foo(); }", &[]);
    assert!(occurs(["@lombok.Data class A { int total; }"], "getTotal"));
    assert!(!occurs(["class A { int total; }"], "getTotal"));
    assert!(!occurs(["class A { int totals; }"], "total"));
}

#[test]
fn a_text_may_repeat_itself() {
    check(
        "assertTrue(a);",
        "assertTrue(a); assertTrue(a); assertTrue(a);",
        "extra_assertion, repeated",
    );
    check(
        "foo(); foo(); foo();",
        "foo(); foo(); foo(); foo();",
        "different_statement",
    );
}

#[test]
fn a_text_that_breaks_off_is_truncated() {
    let truncated = [
        "assertEquals(1, foo(",
        "assertEquals(1, \"abc",
        "assertEquals(1, x",
        "assertEquals(1, x)",
        "assertTrue(a); for (Foo f : list) { foo();",
        "foo(); /* and",
        "assertTrue(a); a.",
        "assertTrue(a); int x =",
    ];
    for text in truncated {
        check("assertTrue(a);", text, "truncated, unparsable");
    }
    for text in [
        "assertEquals(1, foo(;",
        "foo());",
        "Here is the test:",
        "1 + ;",
    ] {
        check("assertTrue(a);", text, "unparsable");
    }
    let mut pair = PredictionPair::new("assertTrue(a);", "assertTrue(a);");
    pair.is_over_length = true;
    let found = Tagger::new().tags(pair, &[]);
    assert_eq!(found.tags.to_string(), "exact, truncated");
}

#[test]
fn what_has_no_other_tag_is_other() {
    // The reference does not parse, so nothing can be said.
    check("foo(", "foo();", "other");
}

const TEXTS: &[&str] = &[
    "assertEquals(5, counter.get());",
    "int n = counter.add(5); assertEquals(5, n); assertTrue(counter.isOpen());",
    "assertThat(list).hasSize(2).contains(\"a\"); verify(mock).close();",
    "@Test public void works() throws Exception { Foo foo = new Foo(1); foo.go(); assertNull(foo.get()); }",
    "try { foo.go(); fail(\"no\"); } catch (IOException e) { assertEquals(\"x\", e.getMessage()); }",
];

#[test]
fn a_text_is_exactly_itself() {
    for text in TEXTS {
        check(text, text, "exact");
    }
}

#[test]
fn a_text_that_is_cut_anywhere_is_never_exact_and_mostly_broken() {
    let mut tagger = Tagger::new();
    for text in TEXTS {
        for end in (1..text.len()).filter(|n| text.is_char_boundary(*n)) {
            let cut = &text[..end];
            let tags = tagger.tags(PredictionPair::new(text, cut), &[text]).tags;
            assert!(!tags.contains(Tag::Exact), "{cut}");
            let is_whole = cut.trim_end().ends_with([';', '}']) || cut.trim().is_empty();
            if !is_whole {
                assert!(tags.contains(Tag::Unparsable), "{cut}: {tags}");
            }
        }
    }
}

#[test]
fn any_text_is_taken() {
    let mut tagger = Tagger::new();
    let deep = [
        "(".repeat(20_000),
        format!("x = {}1{};", "f(".repeat(3_000), ")".repeat(3_000)),
        format!("assertTrue({}x);", "!".repeat(5_000)),
        format!("a{};", ".b()".repeat(5_000)),
        "assertTrue(x);".repeat(3_000),
        "foo(x);".repeat(3_000),
        "\"\n".repeat(5_000),
        "\0\u{feff}é𝒳'".to_owned(),
        String::new(),
    ];
    for (idx, reference) in deep.iter().enumerate() {
        for prediction in [reference, &deep[(idx + 1) % deep.len()]] {
            let tags = tagger
                .tags(PredictionPair::new(reference, prediction), &[])
                .tags;
            assert!(!tags.is_empty());
        }
    }
}

/// Deterministic noise: a text with some tokens taken from elsewhere.
#[test]
fn noise_always_has_a_tag() {
    let words: Vec<&str> = TEXTS
        .iter()
        .flat_map(|text| text.split_inclusive(['(', ' ', ';', '.']))
        .collect();
    let mut tagger = Tagger::new();
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..500 {
        let text = |next: &mut dyn FnMut(usize) -> usize| -> String {
            (0..next(12)).map(|_| words[next(words.len())]).collect()
        };
        let (a, b) = (text(&mut next), text(&mut next));
        assert!(
            !tagger
                .tags(PredictionPair::new(&a, &b), &[])
                .tags
                .is_empty()
        );
    }
}

#[test]
fn what_the_object_is_the_result_of_is_compared_in_its_place() {
    check(
        "assertTrue(a.first().name().go());",
        "assertTrue(a.first().go());",
        "wrong_actual, wrong_method",
    );
    check(
        "assertTrue(a.first().name().go(1).step());",
        "assertTrue(a.first().go(2).step());",
        "wrong_actual, wrong_literal, wrong_method, wrong_argument",
    );
    check(
        "assertTrue(a.go());",
        "assertTrue(a.first().go());",
        "wrong_actual, wrong_receiver",
    );
}

#[test]
fn a_method_that_is_referred_to_is_a_method() {
    check(
        "foo(Foo::name);",
        "foo(Foo::last);",
        "different_statement, wrong_method, wrong_argument",
    );
}

#[test]
fn a_tolerance_on_one_side_has_no_tag_of_its_own() {
    check(
        "assertEquals(2.0, x);",
        "assertEquals(2.0, x, 0.1);",
        "other",
    );
    check(
        "assertEquals(2.0, x);",
        "assertEquals(3.0, x, 0.1);",
        "wrong_expected, wrong_literal",
    );
}

#[test]
fn a_message_in_truth_is_no_other_way_of_writing() {
    check(
        "assertWithMessage(\"a\").that(x).isEqualTo(1);",
        "assertThat(x).isEqualTo(1);",
        "different_message",
    );
}

#[test]
fn an_object_that_asserts_is_looked_at() {
    check(
        "a.assertValue(1); b.assertValue(2);",
        "b.assertValue(1); b.assertValue(2);",
        "wrong_actual, wrong_variable",
    );
    check(
        "a.assertValue(1).assertNoErrors();",
        "a.assertValue(2).assertNoErrors();",
        "wrong_actual, wrong_literal, wrong_argument",
    );
    check(
        "create(x).expectNext(\"\").verify();",
        "create(x).expectNext(\"y\").verify();",
        "wrong_actual, wrong_literal, wrong_argument",
    );
    check(
        "org.junit.Assert.assertNull(x);",
        "assertNull(x);",
        "equal_rewritten",
    );
    check(
        "inOrder.verify(x).run(); other.verify(x);",
        "other.verify(x).run(); other.verify(x);",
        "wrong_actual",
    );
}

#[test]
fn what_follows_the_last_known_check_of_a_chain_counts() {
    check(
        "assertThatIllegalArgumentException().isThrownBy(() -> x.run()).withMessage(\"a\");",
        "assertThatIllegalArgumentException().isThrownBy(() -> x.run()).withMessage(\"b\");",
        "wrong_expected, wrong_literal",
    );
    check(
        "assertThat(x).isEqualTo(1).foo(2);",
        "assertThat(x).isEqualTo(1).foo(3);",
        "wrong_expected, wrong_literal",
    );
}

/// How pairs in one language are checked.
pub struct Written {
    pub language: Language,
    /// Names that the sample has.
    pub sample: &'static str,
}

impl Written {
    fn tags(&self, reference: &str, prediction: &str) -> TagFindings {
        let pair = PredictionPair {
            language: self.language,
            ..PredictionPair::new(reference, prediction)
        };
        Tagger::new().tags(pair, &[self.sample])
    }

    /// Compares all pairs, in both directions where the tags are those of equal texts, and reports all wrong ones.
    #[track_caller]
    pub fn check(&self, pairs: &[(&str, &str, &str)]) {
        let mut wrong = String::new();
        for (reference, prediction, expected) in pairs {
            let is_equal = expected
                .split(", ")
                .all(|word| Tag::parse(word).is_some_and(Tag::is_equal));
            let directions = [(reference, prediction), (prediction, reference)];
            for (a, b) in directions.into_iter().take(1 + usize::from(is_equal)) {
                let found = self.tags(a, b);
                let said = found.tags.to_string();
                if said != *expected {
                    wrong += &format!(
                        "{a}\n---\n{b}\nsaid {said}, expected {expected}\n{:?}\n\n",
                        found.evidence
                    );
                }
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
    }

    /// Expects each pair to be the same, written in another way.
    #[track_caller]
    pub fn check_rewritten(&self, pairs: &[(&str, &str)]) {
        let pairs: Vec<(&str, &str, &str)> = pairs
            .iter()
            .map(|(a, b)| (*a, *b, "equal_rewritten"))
            .collect();
        self.check(&pairs);
    }

    /// Expects that a text is exactly itself, that it is never exact where it is cut, and that any text is taken.
    #[track_caller]
    pub fn check_laws(&self, texts: &[&str]) {
        for text in texts {
            let found = self.tags(text, text);
            assert_eq!(
                found.tags.to_string(),
                "exact",
                "{text}\n{:?}",
                found.evidence
            );
            for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
                let cut = &text[..end];
                let found = self.tags(text, cut);
                assert!(
                    !found.tags.contains(Tag::Exact) || cut.trim() == text.trim(),
                    "{cut}"
                );
                assert!(!found.tags.is_empty());
            }
        }
        let deep = [
            "(".repeat(20_000),
            format!("x = {}1{}", "f(".repeat(3_000), ")".repeat(3_000)),
            format!("a{}", ".b()".repeat(5_000)),
            format!("{}\n", texts[0]).repeat(500),
            "\"\n".repeat(5_000),
            "\0\u{feff}é𝒳'`".to_owned(),
            String::new(),
        ];
        for (idx, reference) in deep.iter().enumerate() {
            for prediction in [reference, &deep[(idx + 1) % deep.len()]] {
                assert!(!self.tags(reference, prediction).tags.is_empty());
            }
        }
    }
}
