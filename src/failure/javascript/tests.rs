//! Each tag by its definition in JavaScript, and laws that hold for any pair.

use crate::model::Language;
use crate::tests::Written;

const JS: Written = Written {
    language: Language::JavaScript,
    sample: "a b c d e x y list first last foo bar baz Foo Bar Baz name mock run go step total items obj value other left \
        right want got err Error2 opts spy",
};

#[test]
fn one_check_may_be_written_in_many_ways() {
    JS.check_rewritten(&[
        ("expect(a).toBe(1);", "expect(a).toEqual(1);"),
        ("expect(a).toBe(1);", "expect(a).toBe(1)"),
        ("expect(a).toBe(1);", "expect(a).to.equal(1);"),
        ("expect(a).toBe(1);", "a.should.equal(1);"),
        ("expect(a).toBe(1);", "assert.strictEqual(a, 1);"),
        ("expect(a).toBe(1);", "assert(a === 1);"),
        ("expect(a).toBe(1);", "expect(a === 1).toBe(true);"),
        ("expect(a).toBe(1);", "t.is(a, 1);"),
        ("expect(a).toEqual([1]);", "expect(a).to.deep.equal([1]);"),
        ("expect(a).toEqual([1]);", "expect(a).to.eql([1]);"),
        ("expect(a).toEqual([1]);", "assert.deepEqual(a, [1]);"),
        ("expect(a).not.toBe(1);", "expect(a).to.not.equal(1);"),
        ("expect(a).not.toBe(1);", "assert.notStrictEqual(a, 1);"),
        ("expect(a).toBe(null);", "expect(a).toBeNull();"),
        ("expect(a).to.be.null;", "expect(a).toBeNull();"),
        ("expect(a).toBe(undefined);", "expect(a).toBeUndefined();"),
        ("expect(a).toBe(true);", "expect(a).to.be.true;"),
        ("assert.ok(a);", "assert(a);"),
        ("assert.ok(a);", "expect(a).toBeTruthy();"),
        ("assert.ok(!a);", "expect(a).toBeFalsy();"),
        (
            "expect(list).toHaveLength(3);",
            "expect(list.length).toBe(3);",
        ),
        (
            "expect(list).to.have.lengthOf(3);",
            "expect(list.length).to.equal(3);",
        ),
        ("expect(a).toBeGreaterThan(1);", "assert(a > 1);"),
        (
            "expect(a).toBeInstanceOf(Foo);",
            "expect(a instanceof Foo).toBe(true);",
        ),
        (
            "expect(() => foo()).toThrow(Foo);",
            "assert.throws(() => foo(), Foo);",
        ),
        (
            "expect(() => foo()).toThrow();",
            "expect(function () { foo(); }).toThrow();",
        ),
        (
            "expect(spy).toHaveBeenCalledTimes(1);",
            "sinon.assert.calledOnce(spy);",
        ),
        ("foo('a');", "foo(\"a\");"),
        ("foo(a as Foo);", "foo(a);"),
        (
            "const x: number = foo(); bar(x);",
            "const x = foo(); bar(x);",
        ),
    ]);
}

#[test]
fn each_difference_has_its_tag() {
    JS.check(&[
        ("expect(a).toBe(b);", "expect(b).toBe(a);", "equal_swapped"),
        (
            "assert.equal(a, b);",
            "assert.equal(b, a);",
            "equal_swapped",
        ),
        (
            "assert.equal(a, 1, 'x');",
            "assert.equal(a, 1, 'y');",
            "different_message",
        ),
        (
            "expect(a).toBe(1);",
            "expect(a).toBe(2);",
            "wrong_expected, wrong_literal",
        ),
        (
            "expect(a).toBe(1);",
            "expect(a).not.toBe(1);",
            "different_assertion",
        ),
        (
            "expect(a.foo()).toBe(1);",
            "expect(a.bar()).toBe(1);",
            "wrong_actual, wrong_method",
        ),
        (
            "expect(a.foo()).toBe(1);",
            "expect(b.foo()).toBe(1);",
            "wrong_actual, wrong_receiver",
        ),
        (
            "expect(foo(a)).toBe(1);",
            "expect(foo(b)).toBe(1);",
            "wrong_actual, wrong_variable, wrong_argument",
        ),
        (
            "expect(a + b).toBe(1);",
            "expect(a - b).toBe(1);",
            "wrong_actual, wrong_operator",
        ),
        (
            "expect(a).toBe(1); expect(b).toBe(2);",
            "expect(a).toBe(1);",
            "missing_assertion",
        ),
        (
            "expect(a).toBe(1);",
            "expect(a).toBe(1); expect(b).toBe(2);",
            "extra_assertion",
        ),
        (
            "expect(a).toBeNull();",
            "expect(a).toBeDefined();",
            "different_assertion",
        ),
        (
            "await expect(foo()).resolves.toBe(1);",
            "await expect(foo()).resolves.toBe(2);",
            "wrong_expected, wrong_literal",
        ),
    ]);
}

#[test]
fn each_difference_beside_values_has_its_tag() {
    JS.check(&[
        (
            "await expect(foo()).resolves.toBe(1); bar();",
            "bar();",
            "missing_assertion",
        ),
        (
            "expect(() => foo()).toThrow(Foo);",
            "expect(() => foo()).toThrow(Bar);",
            "wrong_expected, wrong_variable",
        ),
        (
            "expect(() => foo()).toThrow();",
            "expect(() => bar()).toThrow();",
            "wrong_actual, wrong_method",
        ),
        (
            "new Foo(1);",
            "new Bar(1);",
            "different_statement, wrong_type",
        ),
        (
            "foo(); expect(a).toBe(1);",
            "expect(a).toBe(1);",
            "different_statement",
        ),
        (
            "foo(); expect(a).toBe(1);",
            "expect(a).toBe(1); foo();",
            "other_order",
        ),
        (
            "expect(a).toBe(1);",
            "expect(zork).toBe(1);",
            "wrong_actual, wrong_variable, unknown_name",
        ),
        (
            "expect(a).toBe(1);",
            "expect(a).toBe(`x",
            "truncated, unparsable",
        ),
        ("expect(a).toBe(1);", "expect(a)).toBe(1);", "unparsable"),
        (
            "const x = foo(); expect(x).toBe(1);",
            "const zork = foo(); expect(zork).toBe(1);",
            "equal_renamed",
        ),
        (
            "it('does', () => { foo(); expect(a).toBe(1); });",
            "it('goes', () => { foo(); expect(a).toBe(1); });",
            "equal_renamed",
        ),
        (
            "it('does', () => { foo(); expect(a).toBe(1); });",
            "it('does', () => { expect(a).toBe(1); });",
            "different_statement",
        ),
        (
            "it('does', () => { foo(); foo(1); });",
            "it('does', () => { foo(); foo(); foo(); });",
            "different_statement, wrong_argument, repeated",
        ),
        (
            "request(x).get('/').expect(200);",
            "request(x).get('/').expect(404);",
            "wrong_expected, wrong_literal",
        ),
    ]);
}

#[test]
fn laws_hold() {
    JS.check_laws(&[
        "expect(a.foo()).toBe(1);",
        "it('does', async () => { const { x, y } = await foo(`a${b}`); expect(x).to.be.true; assert.deepEqual(y, { a: 1, b }); });",
        "const x: Foo<string> = foo(a as any); for (const i of x) { expect(i).not.to.have.property('a', 1); }",
    ]);
}
