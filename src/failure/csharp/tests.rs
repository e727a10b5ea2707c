//! Each tag by its definition in C#, and laws that hold for any pair.

use crate::model::Language;
use crate::tests::Written;

const CSHARP: Written = Written {
    language: Language::CSharp,
    sample: "a b c d e x y list first last foo bar baz Foo Bar Baz name mock Run Go Step total items obj value other left \
        right want got Error2 opts",
};

#[test]
fn one_check_may_be_written_in_many_ways() {
    CSHARP.check_rewritten(&[
        ("Assert.Equal(1, a);", "Assert.AreEqual(1, a);"),
        ("Assert.Equal(1, a);", "Assert.That(a, Is.EqualTo(1));"),
        ("Assert.Equal(1, a);", "a.Should().Be(1);"),
        ("Assert.Equal(1, a);", "a.ShouldBe(1);"),
        ("Assert.Equal(1, a);", "Assert.True(a == 1);"),
        ("Assert.Equal(b, a);", "Assert.True(a.Equals(b));"),
        (
            "Assert.NotEqual(1, a);",
            "Assert.That(a, Is.Not.EqualTo(1));",
        ),
        ("Assert.NotEqual(1, a);", "a.Should().NotBe(1);"),
        ("Assert.Null(a);", "Assert.IsNull(a);"),
        ("Assert.Null(a);", "Assert.That(a, Is.Null);"),
        ("Assert.Null(a);", "a.Should().BeNull();"),
        ("Assert.Null(a);", "Assert.Equal(null, a);"),
        ("Assert.Null(a);", "Assert.True(a is null);"),
        ("Assert.NotNull(a);", "Assert.That(a, Is.Not.Null);"),
        ("Assert.True(a);", "Assert.IsTrue(a);"),
        ("Assert.True(a);", "Assert.That(a);"),
        ("Assert.True(a);", "Assert.That(a, Is.True);"),
        ("Assert.False(a);", "Assert.True(!a);"),
        (
            "Assert.Equal(3, list.Count);",
            "list.Should().HaveCount(3);",
        ),
        (
            "Assert.Equal(3, list.Length);",
            "Assert.Equal(3, list.Count());",
        ),
        (
            "Assert.Greater(a, 1);",
            "Assert.That(a, Is.GreaterThan(1));",
        ),
        ("Assert.True(a > 1);", "a.Should().BeGreaterThan(1);"),
        (
            "Assert.Contains(\"x\", name);",
            "name.Should().Contain(\"x\");",
        ),
        (
            "Assert.Contains(\"x\", name);",
            "Assert.That(name, Does.Contain(\"x\"));",
        ),
        (
            "Assert.Throws<Foo>(() => Go());",
            "Assert.Throws(typeof(Foo), () => Go());",
        ),
        (
            "Assert.Throws<Foo>(() => Go());",
            "Assert.Throws<Foo>(() => { Go(); });",
        ),
        (
            "Assert.Throws<Foo>(() => Go());",
            "Assert.That(() => Go(), Throws.TypeOf<Foo>());",
        ),
        ("foo(@\"a\");", "foo(\"a\");"),
        ("this.Go(1);", "Go(1);"),
        (
            "[Fact] public void Foo() { Go(1); }",
            "[Fact] public async void Foo() { Go(1); }",
        ),
    ]);
}

#[test]
fn each_difference_has_its_tag() {
    CSHARP.check(&[
        (
            "Assert.Equal(b, a);",
            "Assert.Equal(a, b);",
            "equal_swapped",
        ),
        (
            "Assert.AreEqual(1, a, \"x\");",
            "Assert.AreEqual(1, a, \"y\");",
            "different_message",
        ),
        (
            "Assert.True(a, \"x\");",
            "Assert.True(a);",
            "different_message",
        ),
        (
            "Assert.Equal(1, a);",
            "Assert.Equal(2, a);",
            "wrong_expected, wrong_literal",
        ),
        (
            "Assert.Equal(1, a);",
            "Assert.NotEqual(1, a);",
            "different_assertion",
        ),
        ("Assert.True(a);", "Assert.False(a);", "different_assertion"),
        (
            "Assert.Equal(1, a.Foo());",
            "Assert.Equal(1, a.Bar());",
            "wrong_actual, wrong_method",
        ),
        (
            "Assert.Equal(1, a.Foo());",
            "Assert.Equal(1, b.Foo());",
            "wrong_actual, wrong_receiver",
        ),
        (
            "Assert.Equal(1, Go(a));",
            "Assert.Equal(1, Go(b));",
            "wrong_actual, wrong_variable, wrong_argument",
        ),
        (
            "Assert.Equal(1, a.Foo);",
            "Assert.Equal(1, a.Bar);",
            "wrong_actual, wrong_variable",
        ),
        (
            "Assert.Null(a[0].b.c);",
            "Assert.Null(a[1].b.c);",
            "wrong_actual, wrong_literal",
        ),
        (
            "Assert.Equal(1, a + b);",
            "Assert.Equal(1, a - b);",
            "wrong_actual, wrong_operator",
        ),
        (
            "Assert.True(a); Assert.Null(b);",
            "Assert.True(a);",
            "missing_assertion",
        ),
        (
            "Assert.True(a);",
            "Assert.True(a); Assert.Null(b);",
            "extra_assertion",
        ),
        (
            "Assert.Throws<Foo>(() => Go());",
            "Assert.Throws<Bar>(() => Go());",
            "wrong_expected, wrong_type",
        ),
        (
            "Assert.Throws<Foo>(() => Go(1));",
            "Assert.Throws<Foo>(() => Go(2));",
            "wrong_actual, wrong_literal, wrong_argument",
        ),
    ]);
}

#[test]
fn each_difference_beside_values_has_its_tag() {
    CSHARP.check(&[
        (
            "Assert.Throws<Foo>(() => Go());",
            "Go();",
            "missing_assertion, different_statement",
        ),
        (
            "var x = new Foo(1);",
            "var x = new Bar(1);",
            "different_statement, wrong_type",
        ),
        (
            "Go<Foo>(1);",
            "Go<Bar>(1);",
            "different_statement, wrong_type",
        ),
        (
            "Go(1); Assert.True(a);",
            "Assert.True(a);",
            "different_statement",
        ),
        (
            "Go(1); Assert.True(a);",
            "Assert.True(a); Go(1);",
            "other_order",
        ),
        (
            "a.Should().Be(1).And.BeGreaterThan(0);",
            "a.Should().Be(1);",
            "missing_assertion",
        ),
        (
            "mock.Verify(m => m.Go(1), Times.Once);",
            "mock.Verify(m => m.Go(1), Times.Never);",
            "different_assertion",
        ),
        (
            "mock.Verify(m => m.Go(1), Times.Once);",
            "mock.Verify(m => m.Go(2), Times.Once());",
            "wrong_actual, wrong_literal, wrong_argument",
        ),
        (
            "a.Received(1).Go(b);",
            "a.Received(1).Run(b);",
            "wrong_actual, wrong_method",
        ),
        (
            "a.Received(1).Go(b);",
            "a.Received(2).Go(b);",
            "different_assertion",
        ),
        (
            "Assert.True(a);",
            "Assert.True(Zork());",
            "wrong_actual, different_structure, unknown_name",
        ),
        ("Assert.True(a);", "Assert.True(a", "truncated, unparsable"),
        ("Assert.True(a);", "Assert.True(a));", "unparsable"),
        (
            "var x = Go(); Assert.True(x);",
            "var zork = Go(); Assert.True(zork);",
            "equal_renamed",
        ),
        (
            "[Fact] public void Foo() { Go(1); Assert.True(a); }",
            "[Fact] public void Bar() { Go(1); Assert.True(a); }",
            "equal_renamed",
        ),
        (
            "a.Should().Be(1)",
            "a.Should().Be(2)",
            "wrong_expected, wrong_literal",
        ),
    ]);
}

#[test]
fn laws_hold() {
    CSHARP.check_laws(&[
        "Assert.Equal(1, a.Foo());",
        "[Theory] [InlineData(1)] public async Task Foo(int a) { using var x = new Foo { A = 1 }; foreach (var y in list) { Assert.That(y, Is.Not.EqualTo(2).Within(0.1), $\"a{a}\"); } await Assert.ThrowsAsync<Foo>(async () => await Go(a: 1)); }",
        "try { Go(); Assert.Fail(); } catch (Foo e) when (a) { e.Message.Should().StartWith(@\"x\"\"y\"); }",
    ]);
}
