//! Results of the passes on functions of Python.

mod renaming;

use expect_test::{Expect, expect};

use super::{Pass, check_all, check_every_choice, source_of};
use crate::model::Language;

fn check(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Python, source);
    check_all(source, &[pass], is_strict, expected);
}

fn check_chosen(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Python, source);
    check_every_choice(source, pass, is_strict, expected);
}

fn check_nine(source: &str, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Python, source);
    check_all(source, Pass::ALL, is_strict, expected);
}

const TWICE: &str = r#"def double(b: int) -> int:
    """Doubles b."""
    res = b
    if res > 10:
        res += b
    return res
"#;

#[test]
fn the_nine_passes_each_change_one_thing() {
    check_nine(
        TWICE,
        false,
        &expect![[r#"
        REP_R
        def double(Param1: int) -> int:
            """Doubles b."""
            res = Param1
            if res > 10:
                res += Param1
            return res
        REP_C
        def double(Double_Param_b: int) -> int:
            """Doubles b."""
            res = Double_Param_b
            if res > 10:
                res += Double_Param_b
            return res
        REL_R
        def double(b: int) -> int:
            """Doubles b."""
            LocalVar1 = b
            if LocalVar1 > 10:
                LocalVar1 += b
            return LocalVar1
        REL_C
        def double(b: int) -> int:
            """Doubles b."""
            double_res = b
            if double_res > 10:
                double_res += b
            return double_res
        IRR
        def double(b: int) -> int:
            """Doubles b."""
            res = b
            if res > 10:
                res = res + b
            return res
        RTF
        def double(b: int) -> int:
            """Doubles b."""
            res = b
            if (res > 10) == (b == b):
                res += b
            return res
        GRA_R
        def double(b: int) -> int:
            """Doubles b."""
            if False: TempVar = b
            res = b
            if res > 10:
                res += b
            return res
        GRA_C
        def double(b: int) -> int:
            """Doubles b."""
            if b != b: Double_TempVar = b
            res = b
            if res > 10:
                res += b
            return res
        INI
        def double(b: int) -> int:
            """Doubles b."""
            print(b)
            res = b
            if res > 10:
                res += b
            return res
    "#]],
    );
}

#[test]
fn the_nine_passes_keep_what_is_certain() {
    check_nine(
        TWICE,
        true,
        &expect![[r#"
        REP_R
        def double(Param1: int) -> int:
            """Doubles b."""
            res = Param1
            if res > 10:
                res += Param1
            return res
        REP_C
        def double(Double_Param_b: int) -> int:
            """Doubles b."""
            res = Double_Param_b
            if res > 10:
                res += Double_Param_b
            return res
        REL_R
        def double(b: int) -> int:
            """Doubles b."""
            LocalVar1 = b
            if LocalVar1 > 10:
                LocalVar1 += b
            return LocalVar1
        REL_C
        def double(b: int) -> int:
            """Doubles b."""
            double_res = b
            if double_res > 10:
                double_res += b
            return double_res
        IRR
        def double(b: int) -> int:
            """Doubles b."""
            res = b
            if res > 10:
                res = res + b
            return res
        RTF
        def double(b: int) -> int:
            """Doubles b."""
            res = b
            if (res > 10) == (1 == 1):
                res += b
            return res
        GRA_R
        def double(b: int) -> int:
            """Doubles b."""
            if False: TempVar = b
            res = b
            if res > 10:
                res += b
            return res
        GRA_C
        def double(b: int) -> int:
            """Doubles b."""
            if b != b: Double_TempVar = b
            res = b
            if res > 10:
                res += b
            return res
        INI
        def double(b: int) -> int:
            """Doubles b."""
            print(b)
            res = b
            if res > 10:
                res += b
            return res
    "#]],
    );
}

#[test]
fn a_method_that_calls_the_one_above_it_does_not_call_itself() {
    check(
        r"class A(B):
    def a(self, b: int):
        if b is None:
            return super().a(b)
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
                def a(self, b: int):
                    if (b is None) == (1 == 1):
                        return super().a(b)
        "]],
    );
}

#[test]
fn a_long_form_puts_what_is_added_in_brackets() {
    check(
        r"def a(b):
    b.c[0] -= b if b else 1
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            def a(b):
                b.c[0] = b.c[0] - (b if b else 1)
        "]],
    );
}

#[test]
fn a_place_with_effects_has_no_long_form() {
    check(
        r"def a(b):
    b.pop().x += 1
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            a: `b.pop().x` may do more than name a place
        "]],
    );
}

#[test]
fn other_operators_have_no_long_form() {
    check(
        r"def a(b):
    b |= 1
    b //= 2
    b **= 2
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            a: it has no compound assignment
        "]],
    );
}

#[test]
fn strict_has_no_long_form_for_what_may_be_a_list() {
    check(
        r"def a(b):
    b += 1


def c(d):
    res = []
    res += d


def e(f: list):
    n = len(f)
    n += 1
    return n


def g(h: list):
    n = 0
    n += h[0]
    return n
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
            a: `b` is not certainly a number
            IRR
            c: `res` is not certainly a number
            IRR
            def e(f: list):
                n = len(f)
                n = n + 1
                return n
            IRR
            g: `n` is not certainly a number
        "]],
    );
}

#[test]
fn a_condition_of_an_operand_needs_no_brackets() {
    check(
        r"def a(b):
    while b:
        b = b.next
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            def a(b):
                while b == (b == b):
                    b = b.next
        "]],
    );
}

#[test]
fn strict_compares_no_condition_that_may_be_any_value() {
    check(
        r"def a(b):
    if b:
        return 1


def c(d):
    if d.ready() and d is not None:
        return 1


def e(f):
    if isinstance(f, int) and not f:
        return 1


def g(h):
    if True:
        return h
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
            a: `b` is not certainly a truth value
            RTF
            c: `d.ready()` is not certainly a truth value
            RTF
            def e(f):
                if (isinstance(f, int) and not f) == (1 == 1):
                    return 1
            RTF
            def g(h):
                if True == (1 == 1):
                    return h
        "]],
    );
}

#[test]
fn a_condition_without_parameters_is_compared_with_a_constant() {
    check(
        r"def a():
    if not ready():
        return 1
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            def a():
                if (not ready()) == (1 == 1):
                    return 1
        "]],
    );
}

#[test]
fn conditions_of_nested_functions_stay() {
    check(
        r"def a(b):
    def c():
        if b:
            return 1
    return c
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            a: it has no condition
        "]],
    );
}

#[test]
fn a_dead_branch_without_parameters_takes_a_number() {
    check(
        r"def a():
    return 1
",
        Pass::GraR,
        false,
        &expect![[r"
            GRA_R
            def a():
                if False: TempVar = 0
                return 1
        "]],
    );
}

#[test]
fn strict_compares_no_parameter_of_unknown_type() {
    check(
        r#"def a(b):
    return b


def c(d: str):
    return d


def e(f):
    if f > 0:
        return f


def g(h: "Frame"):
    return h
"#,
        Pass::GraC,
        true,
        &expect![[r"
            GRA_C
            a: comparing a parameter may do more than compare
            GRA_C
            def c(d: str):
                if d != d: C_TempVar = d
                return d
            GRA_C
            def e(f):
                if f != f: E_TempVar = f
                if f > 0:
                    return f
            GRA_C
            g: comparing a parameter may do more than compare
        "]],
    );
}

#[test]
fn a_statement_goes_behind_documentation_and_before_all_else() {
    check(
        r#"class A:
    def a(self, b):
        """Says b."""

        # Now.
        return b

    def only(self, b):
        """Says nothing."""

    def line(self, b): return b
"#,
        Pass::Ini,
        false,
        &expect![[r#"
            INI
                def a(self, b):
                    """Says b."""

                    # Now.
                    print(b)
                    return b
            INI
                def only(self, b):
                    """Says nothing."""
                    print(b)
            INI
                def line(self, b): print(b); return b
        "#]],
    );
}

#[test]
fn a_body_on_the_line_of_its_head_gets_lines_of_its_own_for_a_dead_branch() {
    check(
        r#"def line(b): return b


class A:
    @staticmethod
    def two(b): b += 1; return b  # two

    def told(self, b) -> "int": "what it does"

    def both(self, b): "what it does"; return b

    def stub(self, b): ...
"#,
        Pass::GraR,
        true,
        &expect![[r#"
            GRA_R
            def line(b):
                if False: TempVar = b
                return b
            GRA_R
                @staticmethod
                def two(b):
                    if False: TempVar = b
                    b += 1; return b  # two
            GRA_R
                def told(self, b) -> "int":
                    "what it does"
                    if False: TempVar = b
            GRA_R
                def both(self, b):
                    "what it does"
                    if False: TempVar = b
                    return b
            GRA_R
                def stub(self, b):
                    if False: TempVar = b
                    ...
        "#]],
    );
}

#[test]
fn a_file_with_its_own_print_has_nothing_printed() {
    check(
        r"def print(b):
    return b
",
        Pass::Ini,
        false,
        &expect![[r"
            INI
            print: `print` means something else in the file
        "]],
    );
}

#[test]
fn strict_prints_nothing_where_printing_comes_back() {
    check(
        r#"class A:
    def __repr__(self):
        return self.name(self)

    def name(self, b):
        return "a"

    def add(self, b):
        return b
"#,
        Pass::Ini,
        true,
        &expect![[r"
            INI
            __repr__: it has no parameter to print
            INI
            name: printing a parameter may do more than print
            INI
                def add(self, b):
                    print(b)
                    return b
        "]],
    );
}

#[test]
fn strict_keeps_comparisons_that_a_library_may_answer_with_no_truth_value() {
    check(
        r"import sympy


def a(b):
    if b == 1:
        return b


def c(d):
    if d is None:
        return d
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
            a: a comparison may give something other than a truth value here
            RTF
            def c(d):
                if (d is None) == (1 == 1):
                    return d
        "]],
    );
}

#[test]
fn strict_trusts_no_annotated_number_where_there_are_arrays() {
    check(
        r"import numpy as np


def a(b: int):
    b += 1
    return b
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
            a: `b` is not certainly a number
        "]],
    );
}
