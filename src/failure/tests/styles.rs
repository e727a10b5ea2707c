//! The ways in which one check may be written: behaviour-driven styles, numbers of calls, exceptions, heads of tests.

use super::*;

/// Checks as [`check`], in both directions.
#[track_caller]
fn both(reference: &str, prediction: &str, expected: &str) {
    check(reference, prediction, expected);
    check(prediction, reference, expected);
}

/// Checks as [`check`], where the test's file is known.
#[track_caller]
fn check_in(file: &str, reference: &str, prediction: &str, expected: &str) {
    let pair = PredictionPair {
        file: Some(file),
        ..PredictionPair::new(reference, prediction)
    };
    let found = Tagger::new().tags(pair, &[SAMPLE]);
    assert_eq!(found.tags.to_string(), expected, "{file}");
}

#[test]
fn then_asserts() {
    both(
        "then(a).isEqualTo(b);",
        "assertThat(a).isEqualTo(b);",
        "equal_rewritten",
    );
    both(
        "BDDAssertions.then(a).isEqualTo(b);",
        "assertEquals(b, a);",
        "equal_rewritten",
    );
    both(
        "then(a).isEqualTo(1);",
        "then(a).isEqualTo(2);",
        "wrong_expected, wrong_literal",
    );
    check(
        "then(a).isTrue(); then(b).isTrue();",
        "then(a).isTrue();",
        "missing_assertion",
    );
    both(
        "thenThrownBy(() -> foo()).isInstanceOf(Foo.class);",
        "assertThatThrownBy(() -> foo()).isInstanceOf(Foo.class);",
        "equal_rewritten",
    );
    both(
        "thenExceptionOfType(Foo.class).isThrownBy(() -> foo());",
        "assertThatExceptionOfType(Foo.class).isThrownBy(() -> foo());",
        "equal_rewritten",
    );
    both(
        "thenNoException().isThrownBy(() -> foo());",
        "assertThatNoException().isThrownBy(() -> foo());",
        "equal_rewritten",
    );
}

#[test]
fn then_of_a_mock_verifies() {
    let same = [
        ("then(mock).should().foo(1);", "verify(mock).foo(1);"),
        (
            "BDDMockito.then(mock).should().foo(1);",
            "Mockito.verify(mock).foo(1);",
        ),
        (
            "then(mock).should(times(2)).foo();",
            "verify(mock, times(2)).foo();",
        ),
        (
            "then(mock).should(never()).foo();",
            "verify(mock, times(0)).foo();",
        ),
        (
            "then(mock).should(inOrder).foo();",
            "inOrder.verify(mock).foo();",
        ),
        (
            "then(mock).should(inOrder, times(2)).foo();",
            "inOrder.verify(mock, times(2)).foo();",
        ),
        (
            "then(mock).shouldHaveNoInteractions();",
            "verifyNoInteractions(mock);",
        ),
        (
            "then(mock).shouldHaveNoMoreInteractions();",
            "verifyNoMoreInteractions(mock);",
        ),
    ];
    for (bdd, plain) in same {
        both(bdd, plain, "equal_rewritten");
    }
    both(
        "then(mock).should().foo();",
        "then(mock).should(never()).foo();",
        "different_assertion",
    );
    both(
        "then(mock).should().foo(1);",
        "then(mock).should().foo(2);",
        "wrong_actual, wrong_literal, wrong_argument",
    );
    both(
        "then(mock).should().foo();",
        "then(mock).isNotNull();",
        "different_assertion",
    );
}

#[test]
fn then_of_the_project_is_a_statement() {
    let statement = "different_statement, wrong_literal, wrong_argument";
    both(
        "list.then(x).isEqualTo(1);",
        "list.then(x).isEqualTo(2);",
        statement,
    );
    both("then(1).run();", "then(2).run();", statement);
    both("then(1);", "then(2);", statement);
    let pair = ("then(x).isEqualTo(1);", "then(x).isEqualTo(2);");
    let asserted = "wrong_expected, wrong_literal";
    let files = [
        ("import static com.acme.Steps.then;", statement),
        ("class A { Step then(int x) { return step; } }", statement),
        ("class A { List<Step> then(int x) { } }", statement),
        ("interface A { Step then (int x); }", statement),
        ("class A { Step then(int x) throws Foo { } }", statement),
        (
            "import static org.assertj.core.api.BDDAssertions.then; class A { Step then(int x) { } }",
            statement,
        ),
        (
            "import static org.assertj.core.api.BDDAssertions.then;",
            asserted,
        ),
        (
            "import static org.mockito.BDDMockito.then;\nimport static org.assertj.core.api.BDDAssertions.then;",
            asserted,
        ),
        ("import static com.acme.Steps.then2;", asserted),
        ("// and then (again) it stops\nclass A { }", asserted),
        (
            "/** Says what, and then(x) checks it. */ class A { }",
            asserted,
        ),
        (
            "class A { Object b() { return then(x).isEqualTo(1); } }",
            asserted,
        ),
        ("", asserted),
    ];
    for (file, expected) in files {
        check_in(file, pair.0, pair.1, expected);
    }
    // A check that no library has is one where the import says whose `then` it is.
    check_in(
        "import static org.assertj.core.api.BDDAssertions.then;",
        "then(x).foo(1);",
        "then(x).foo(2);",
        asserted,
    );
}

#[test]
fn no_times_is_never_and_once_is_always_meant() {
    let same = [
        (
            "verify(mock, times(0)).foo();",
            "verify(mock, never()).foo();",
        ),
        ("verify(mock, times(1)).foo();", "verify(mock).foo();"),
        (
            "verify(mock, Mockito.times(1)).foo();",
            "verify(mock).foo();",
        ),
        (
            "verify(mock, Mockito.times(0)).foo();",
            "Mockito.verify(mock, Mockito.never()).foo();",
        ),
        (
            "verify(mock, Mockito.times(2)).foo();",
            "verify(mock, times(2)).foo();",
        ),
        (
            "verify(mock, atLeast(1)).foo();",
            "verify(mock, atLeastOnce()).foo();",
        ),
    ];
    for (one, other) in same {
        both(one, other, "equal_rewritten");
    }
    for mode in [
        "times(2)",
        "never()",
        "atLeast(1)",
        "atMost(1)",
        "x.times(1)",
    ] {
        both(
            &format!("verify(mock, {mode}).foo();"),
            "verify(mock).foo();",
            "different_assertion",
        );
    }
}

/// One expectation of an exception in every way, as whole tests.
const THROWN: &[&str] = &[
    "@Test public void t() { assertThrows(Foo.class, () -> a.go(1)); }",
    "@Test public void t() { try { a.go(1); fail(); } catch (Foo ex) { } }",
    "@Test(expected = Foo.class) public void t() { a.go(1); }",
    "@Test public void t() { expected.expect(Foo.class); a.go(1); }",
];

#[test]
fn an_exception_may_be_expected_in_different_ways() {
    for (idx, reference) in THROWN.iter().enumerate() {
        for prediction in THROWN.iter().skip(idx + 1) {
            both(reference, prediction, "different_assertion");
        }
    }
    both(
        "a.go(0); assertThrows(Foo.class, () -> { a.go(1); a.run(); });",
        "a.go(0); try { a.go(1); a.run(); Assert.fail(\"no\"); } catch (final Foo ex) { /* good */ }",
        "different_assertion",
    );
    both(
        "assertThatThrownBy(() -> a.go(1)).isInstanceOf(Foo.class);",
        "try { a.go(1); fail(); } catch (Foo ex) { }",
        "different_assertion",
    );
    // Guarded statements are compared, too, once.
    both(
        "assertThrows(Foo.class, () -> a.go(1));",
        "try { a.go(2); fail(); } catch (Foo ex) { }",
        "different_assertion, different_statement, wrong_literal, wrong_argument",
    );
    // Checks of the exception are the same, whatever its name.
    both(
        "Foo x = assertThrows(Foo.class, () -> a.go(1)); assertEquals(\"b\", x.getMessage());",
        "try { a.go(1); fail(); } catch (Foo ex) { assertEquals(\"b\", ex.getMessage()); }",
        "different_assertion",
    );
}

#[test]
fn exceptions_that_are_expected_in_one_way_are_compared() {
    for (idx, test) in THROWN.iter().enumerate() {
        let other = test.replace("Foo", "Bar");
        // The caught type is a part of the statement.
        let place = if idx == 1 {
            "different_statement"
        } else {
            "wrong_expected"
        };
        both(test, &other, &format!("{place}, wrong_type"));
    }
    let wrong = "wrong_literal, wrong_argument";
    for (idx, test) in THROWN.iter().enumerate() {
        let other = test.replace("go(1)", "go(2)");
        let place = ["wrong_actual", "different_statement"][usize::from(idx > 0)];
        both(test, &other, &format!("{place}, {wrong}"));
    }
    both(
        "assertThrows(Foo.class, () -> a.go(1));",
        "assertThrows(Foo.class, () -> { a.go(1); });",
        "equal_rewritten",
    );
    both(
        "assertThatThrownBy(() -> a.go(1)).isInstanceOf(Foo.class);",
        "assertThrows(Foo.class, () -> { a.go(1); });",
        "equal_rewritten",
    );
    both(
        "try { a.go(1); fail(\"a\"); } catch (Foo ex) { }",
        "try { a.go(1); fail(\"b\"); } catch (Foo ex) { }",
        "different_message",
    );
    both(
        "try { a.go(1); fail(); } catch (Foo ex) { }",
        "try { a.go(1); fail(); } catch (Foo problem) { }",
        "equal_renamed",
    );
}

#[test]
fn a_try_that_does_more_than_to_expect_is_a_statement() {
    check(
        "try { a.go(1); } catch (Foo ex) { }",
        "try { a.go(1); fail(); } catch (Foo ex) { }",
        "extra_assertion",
    );
    let more = [
        "try { a.go(1); fail(); } catch (Foo ex) { a.run(); }",
        "try { a.go(1); fail(); } catch (Foo ex) { } finally { a.run(); }",
        "try { a.go(1); fail(); } catch (Foo ex) { } catch (Bar ex) { }",
        "try { fail(); a.go(1); } catch (Foo ex) { }",
    ];
    for text in more {
        both(
            "assertThrows(Foo.class, () -> a.go(1));",
            text,
            "different_assertion, different_statement",
        );
    }
}

#[test]
fn the_head_of_a_test_says_little() {
    let body = "{ assertTrue(x); }";
    let heads = [
        "@Test public void works()",
        "@Test void works()",
        "@Test public final void works() throws Exception",
        "@Test protected void works() throws IOException, Foo",
    ];
    for reference in heads {
        for prediction in heads.iter().filter(|head| **head != reference) {
            check(
                &format!("{reference} {body}"),
                &format!("{prediction} {body}"),
                "equal_rewritten",
            );
            // Where something else differs, only that has a tag.
            check(
                &format!("{reference} {{ assertTrue(x); }}"),
                &format!("{prediction} {{ assertFalse(x); }}"),
                "different_assertion",
            );
        }
    }
    both(
        "@Test public void works() { assertTrue(x); }",
        "@Test void runs() throws Exception { assertFalse(x); }",
        "different_assertion",
    );
    both(
        "final int x = foo(); assertEquals(1, x);",
        "int x = foo(); assertEquals(2, x);",
        "wrong_expected, wrong_literal",
    );
    both(
        "for (final Foo f : list) { assertTrue(f.bar()); }",
        "for (Foo f : list) { assertTrue(f.bar()); }",
        "equal_rewritten",
    );
    // An annotation of the test is no such word.
    both(
        "@Test public void works() { assertTrue(x); }",
        "@Test @Foo public void works() { assertTrue(x); }",
        "different_statement",
    );
}

#[test]
fn equality_is_one_check_in_every_library() {
    let ways = [
        "assertEquals(a, b);",
        "Assert.assertEquals(a, b);",
        "assertThat(b).isEqualTo(a);",
        "then(b).isEqualTo(a);",
        "assertThat(b, equalTo(a));",
        "assertThat(b, is(a));",
        "assertTrue(a.equals(b));",
        "assertThat(a.equals(b)).isTrue();",
    ];
    for reference in ways {
        for prediction in ways.iter().filter(|way| **way != reference) {
            check(reference, prediction, "equal_rewritten");
        }
    }
    let close = [
        "assertEquals(1.0, x, 0.1);",
        "assertThat(x).isCloseTo(1.0, within(0.1));",
        "assertThat(x).isCloseTo(1.0, offset(0.1));",
        "assertThat(x).isEqualTo(1.0, within(0.1));",
        "assertThat(x, closeTo(1.0, 0.1));",
        "assertThat(x, is(closeTo(1.0, 0.1)));",
    ];
    for reference in close {
        for prediction in close.iter().filter(|close| **close != reference) {
            check(reference, prediction, "equal_rewritten");
        }
    }
    both(
        "assertThat(x).isCloseTo(1.0, within(0.1));",
        "assertEquals(1.0, x, 0.2);",
        "wrong_literal",
    );
    both(
        "assertEquals(\"m\", a, b);",
        "assertThat(b).as(\"m\").isEqualTo(a);",
        "equal_rewritten",
    );
}
