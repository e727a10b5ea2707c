//! Each tag by its definition in Go, and laws that hold for any pair.

use crate::model::Language;
use crate::tests::Written;

const GO: Written = Written {
    language: Language::Go,
    sample: "a b c d e x y list first last foo bar baz Foo Bar Baz name mock run go step total items obj value other left \
        right want got err Error2 opts in s",
};

#[test]
fn one_check_may_be_written_in_many_ways() {
    GO.check_rewritten(&[
        (
            "if got != want { t.Errorf(\"x\") }",
            "if want := want; got != want { t.Errorf(\"x\") }",
        ),
        (
            "if got != want {\n\tt.Errorf(\"x\")\n}",
            "if got != want {\n\tt.Fatalf(\"x\")\n}",
        ),
        ("if got != 1 { t.Fail() }", "assert.Equal(t, 1, got)"),
        ("if got != 1 { t.Fail() }", "require.Equal(t, 1, got)"),
        ("assert.Equal(t, 1, got)", "require.Equal(t, 1, got)"),
        ("assert.Equal(t, 1, got)", "a.Equal(1, got)"),
        ("assert.Equal(t, 1, got)", "s.Require().Equal(1, got)"),
        ("assert.Equal(t, 1, got)", "assert.True(t, got == 1)"),
        ("assert.Equal(t, 1, got)", "Expect(got).To(Equal(1))"),
        ("assert.Equal(t, 1, got)", "So(got, ShouldEqual, 1)"),
        ("assert.Equal(t, 1, got)", "c.Assert(got, qt.Equals, 1)"),
        ("assert.NotEqual(t, 1, got)", "Expect(got).NotTo(Equal(1))"),
        ("assert.NotEqual(t, 1, got)", "if got == 1 { t.Fail() }"),
        ("assert.NoError(t, err)", "assert.Nil(t, err)"),
        ("assert.NoError(t, err)", "if err != nil { t.Fail() }"),
        (
            "assert.NoError(t, err)",
            "Expect(err).ToNot(HaveOccurred())",
        ),
        ("assert.Error(t, err)", "if err == nil { t.FailNow() }"),
        (
            "assert.NoError(t, foo(1))",
            "if err := foo(1); err != nil { t.Fail() }",
        ),
        ("assert.True(t, foo())", "if !foo() { t.Fail() }"),
        ("assert.False(t, foo())", "assert.True(t, !foo())"),
        ("assert.Len(t, list, 3)", "if len(list) != 3 { t.Fail() }"),
        ("assert.Empty(t, list)", "assert.Len(t, list, 0)"),
        ("assert.Greater(t, a, 1)", "if a <= 1 { t.Fail() }"),
        ("assert.Less(t, a, b)", "assert.Greater(t, b, a)"),
        (
            "assert.ErrorIs(t, err, Foo)",
            "if !errors.Is(err, Foo) { t.Fail() }",
        ),
        (
            "assert.EqualError(t, err, \"x\")",
            "if err.Error() != \"x\" { t.Fail() }",
        ),
        (
            "assert.Contains(t, name, \"x\")",
            "if !strings.Contains(name, \"x\") { t.Fail() }",
        ),
        (
            "assert.Equal(t, want, got)",
            "if !reflect.DeepEqual(want, got) { t.Fail() }",
        ),
        (
            "assert.Equal(t, want, got)",
            "if diff := cmp.Diff(want, got); diff != \"\" { t.Fail() }",
        ),
        ("foo(`a`)", "foo(\"a\")"),
        ("foo((a))", "foo(a)"),
    ]);
}

#[test]
fn sides_that_change_places_check_the_same() {
    GO.check(&[
        (
            "if got != want { t.Fail() }",
            "if want != got { t.Fail() }",
            "equal_swapped",
        ),
        (
            "assert.Equal(t, want, got)",
            "assert.Equal(t, got, want)",
            "equal_swapped",
        ),
        (
            "assert.Equal(t, \"x\", err.Error())",
            "assert.Equal(t, err.Error(), \"x\")",
            "equal_swapped",
        ),
        (
            "c := qt.New(t)\nc.Assert(a, qt.IsNil)",
            "foo := qt.New(t)\nfoo.Assert(a, qt.IsNil)",
            "equal_renamed",
        ),
        (
            "assert.Equal(t, 1, got, \"x\")",
            "assert.Equal(t, 1, got, \"y\")",
            "different_message",
        ),
        (
            "if a != 1 { t.Errorf(\"x %d\", a) }",
            "if a != 1 { t.Error(a) }",
            "different_message",
        ),
    ]);
}

#[test]
fn each_difference_has_its_tag() {
    GO.check(&[
        (
            "if got != 1 { t.Fail() }",
            "if got != 2 { t.Fail() }",
            "wrong_expected, wrong_literal",
        ),
        (
            "if got != want { t.Fail() }",
            "if got == want { t.Fail() }",
            "different_assertion",
        ),
        (
            "assert.Equal(t, 1, a.Foo())",
            "assert.Equal(t, 1, a.Bar())",
            "wrong_actual, wrong_method",
        ),
        (
            "assert.Equal(t, 1, foo(a))",
            "assert.Equal(t, 1, foo(b))",
            "wrong_actual, wrong_variable, wrong_argument",
        ),
        (
            "assert.Equal(t, 1, a.Foo())",
            "assert.Equal(t, 1, b.Foo())",
            "wrong_actual, wrong_receiver",
        ),
        (
            "assert.Equal(t, 1, a+b)",
            "assert.Equal(t, 1, a-b)",
            "wrong_actual, wrong_operator",
        ),
        (
            "assert.Equal(t, 1, a)\nassert.Nil(t, err)",
            "assert.Equal(t, 1, a)",
            "missing_assertion",
        ),
        (
            "assert.Nil(t, err)",
            "assert.NotNil(t, err)",
            "different_assertion",
        ),
        (
            "assert.Nil(t, err)",
            "assert.Nil(t, err)\nassert.True(t, x)",
            "extra_assertion",
        ),
        (
            "if err != nil { t.Fatal(err) }\nif got != 1 { t.Fail() }",
            "if got != 1 { t.Fail() }",
            "missing_assertion",
        ),
    ]);
}

#[test]
fn each_difference_beside_values_has_its_tag() {
    GO.check(&[
        (
            "if a != 1 || b != 2 { t.Fail() }",
            "if a != 1 || b != 3 { t.Fail() }",
            "wrong_expected, wrong_literal",
        ),
        (
            "foo(Foo{})",
            "foo(Bar{})",
            "different_statement, wrong_argument, wrong_type",
        ),
        (
            "a.Foo()\nassert.Nil(t, err)",
            "assert.Nil(t, err)",
            "different_statement",
        ),
        (
            "assert.Equal(t, 1, a)",
            "assert.Equal(t, 1, zork(a))",
            "wrong_actual, different_structure, unknown_name",
        ),
        (
            "assert.Equal(t, 1, a)",
            "assert.Equal(t, 1, foo(",
            "truncated, unparsable",
        ),
        (
            "assert.Equal(t, 1, a)",
            "assert.Equal(t, 1, a))",
            "unparsable",
        ),
        (
            "x := foo(1)\nassert.Equal(t, 1, x)",
            "zork := foo(1)\nassert.Equal(t, 1, zork)",
            "equal_renamed",
        ),
        (
            "func TestFoo(t *testing.T) { a.Foo(); assert.Nil(t, err) }",
            "func TestBar(t *testing.T) { a.Foo(); assert.Nil(t, err) }",
            "equal_renamed",
        ),
        (
            "assert.Panics(t, func() { foo(1) })",
            "assert.Panics(t, func() { foo(2) })",
            "wrong_actual, wrong_literal, wrong_argument",
        ),
        (
            "m.AssertCalled(t, \"Foo\", 1)",
            "m.AssertCalled(t, \"Foo\", 2)",
            "wrong_expected, wrong_literal",
        ),
        (
            "a.Foo(1)\nassert.Nil(t, a)",
            "assert.Nil(t, a)\na.Foo(1)",
            "other_order",
        ),
    ]);
}

#[test]
fn laws_hold() {
    GO.check_laws(&[
        "assert.Equal(t, 1, a.Foo())",
        "if got := foo(1); got != want {\n\tt.Errorf(\"got %v\", got)\n}",
        "func TestFoo(t *testing.T) {\n\tfor _, tt := range items {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tif a, err := foo(tt.in); err != nil || a != 1 {\n\t\t\t\tt.Error(err)\n\t\t\t}\n\t\t})\n\t}\n}",
        "Expect(a).To(BeNumerically(\">\", 1))",
    ]);
}
