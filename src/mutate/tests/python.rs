//! What the passes make of functions of Python.

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
fn a_parameter_is_renamed_in_defaults_annotations_and_f_strings_that_use_it() {
    check(
        r#"def shown(count: int):
    def inner(n=count) -> "int":
        return f"{count!r:>{count}} count {n}"
    return inner, lambda: count
"#,
        Pass::RepR,
        false,
        &expect![[r#"
            REP_R
            def shown(Param1: int):
                def inner(n=Param1) -> "int":
                    return f"{Param1!r:>{Param1}} count {n}"
                return inner, lambda: Param1
        "#]],
    );
}

#[test]
fn what_shadows_a_parameter_keeps_its_name() {
    check(
        r"def outer(b):
    def inner(b):
        return b
    pairs = [b for b in range(3)]
    return inner(b), pairs, lambda b: b, b.b
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            def outer(Param1):
                def inner(b):
                    return b
                pairs = [b for b in range(3)]
                return inner(Param1), pairs, lambda b: b, Param1.b
        "]],
    );
}

#[test]
fn the_first_iterable_of_a_comprehension_is_of_the_function() {
    check(
        r"def outer(b):
    return [b for b in b]
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            def outer(Param1):
                return [b for b in Param1]
        "]],
    );
}

#[test]
fn a_nested_function_that_writes_a_local_shares_its_new_name() {
    check(
        r"def counter():
    n = 0
    def more():
        nonlocal n
        n += 1
        return n
    return more
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            def counter():
                LocalVar1 = 0
                def more():
                    nonlocal LocalVar1
                    LocalVar1 += 1
                    return LocalVar1
                return more
        "]],
    );
}

#[test]
fn a_nested_function_that_sets_its_own_local_keeps_it() {
    check(
        r"def counter():
    n = 0
    def more():
        n = 1
        return n
    return more() + n
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            def counter():
                LocalVar1 = 0
                def more():
                    n = 1
                    return n
                return more() + LocalVar1
        "]],
    );
}

#[test]
fn a_name_that_is_global_is_not_renamed() {
    check(
        r"def count():
    global n
    n = 1
    return n
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            count: it has no local variable to rename
        "]],
    );
}

#[test]
fn an_import_is_no_local() {
    check(
        r"def now():
    import time
    return time.time()
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            now: `time` is imported
        "]],
    );
}

#[test]
fn names_of_classes_inside_stay() {
    check(
        r"def make(b):
    class Made:
        b = b
    return Made
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            make: `b` is a name of a class inside, too
        "]],
    );
}

#[test]
fn a_keyword_argument_of_a_recursive_call_is_renamed() {
    check(
        r"def walk(b):
    return walk(b=b - 1) if b else other(b=b)
",
        Pass::RepC,
        false,
        &expect![[r"
            REP_C
            def walk(Walk_Param_b):
                return walk(Walk_Param_b=Walk_Param_b - 1) if Walk_Param_b else other(b=Walk_Param_b)
        "]],
    );
}

#[test]
fn what_sees_variables_by_name_rules_renaming_out() {
    check(
        r#"def a(b):
    return locals()


def c(b):
    return eval("b")


def d(b):
    return vars()
"#,
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: it calls what sees variables by their names
            REP_R
            c: it calls what sees variables by their names
            REP_R
            d: it calls what sees variables by their names
        "]],
    );
}

#[test]
fn an_f_string_that_prints_a_name_rules_the_name_out() {
    check(
        r#"def a(b):
    return f"{b=}"
"#,
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: `b` is printed by its name
        "]],
    );
}

#[test]
fn self_and_rest_parameters_keep_their_names() {
    check(
        r"class A:
    def a(self, *args, **named):
        return self, args, named

    @classmethod
    def b(cls):
        return cls
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: it has no parameter to rename
            REP_R
            b: it has no parameter to rename
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_the_file_passes_by_name() {
    check(
        r"def a(b):
    return b


a(b=1)
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` is passed by its name in the file
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_a_doctest_passes_by_name() {
    check(
        r#"def a(b):
    """
    >>> a(b=1)
    1
    """
    return b
"#,
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` is passed by its name in the file
        "]],
    );
}

#[test]
fn strict_keeps_parameters_behind_two_stars() {
    check(
        r"def a(b):
    return b


def c(named):
    return a(**named)
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` is passed by its name in the file
            REP_R
            def c(Param1):
                return a(**Param1)
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_named_arguments_of_a_dict_may_be_for() {
    check(
        r"def a(b):
    return b


Thread(target=a, kwargs=dict(b=1))
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` is passed by its name in the file
        "]],
    );
}

#[test]
fn strict_keeps_all_parameters_where_anything_may_be_called_with_names() {
    check(
        r"def a(b):
    return b


HANDLERS = [a]


def c(named):
    return HANDLERS[0](**named)
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` is passed by its name in the file
            REP_R
            c: `named` is passed by its name in the file
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_who_knows_the_class_above_passes_by_name() {
    check(
        r"class A(B):
    def sort_key(self, order=None):
        return order

    def shown(self, printer, order=None):
        return printer(order)


class C:
    def sort_key(self, order=None):
        return order
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            sort_key: `order` may be passed by name where the class above is known
            REP_R
                def shown(self, Param1, order=None):
                    return Param1(order)
            REP_R
                def sort_key(self, Param1=None):
                    return Param1
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_a_pattern_of_addresses_names() {
    check(
        r#"def a(b, c):
    return b


add_url_rule("/<b>/<int:c>", view_func=a)
"#,
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `c` is named in a text of the file
        "]],
    );
}

#[test]
fn strict_keeps_names_that_an_error_tells_which_the_function_catches() {
    let source = r"def a(b):
    if b:
        c = b
    try:
        return c
    except UnboundLocalError as error:
        return str(error)
";
    check(
        source,
        Pass::RelR,
        true,
        &expect![[r"
            REL_R
            a: `error` may be named by an error that the function catches
        "]],
    );
    check_every_choice(
        source_of(Language::Python, source),
        Pass::RelR,
        false,
        &expect![[r"
            def a(b):
                if b:
                    LocalVar1 = b
                try:
                    return LocalVar1
                except UnboundLocalError as error:
                    return str(error)
            def a(b):
                if b:
                    c = b
                try:
                    return c
                except UnboundLocalError as LocalVar1:
                    return str(LocalVar1)"]],
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
fn strict_keeps_parameters_of_tests_and_of_unknown_decorators() {
    check(
        r#"def test_a(b):
    return b


@route("/")
def a(b):
    return b


@staticmethod
def c(b):
    return b
"#,
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            test_a: a test's parameters are asked for by name
            REP_R
            a: `@route` may pass its parameters by name
            REP_R
            @staticmethod
            def c(Param1):
                return Param1
        "]],
    );
}

#[test]
fn a_parameter_passed_by_name_is_renamed_where_callers_do_not_count() {
    check(
        r"def a(b):
    return b


a(b=1)
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            def a(Param1):
                return Param1
        "]],
    );
}

#[test]
fn a_new_name_that_occurs_gets_the_next_number() {
    check(
        r"def a(b):
    return b + Param1
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            def a(Param2):
                return Param2 + Param1
        "]],
    );
}

#[test]
fn a_name_out_of_the_context_that_occurs_gets_a_number() {
    check(
        r"def a(b):
    return b + A_Param_b
",
        Pass::RepC,
        false,
        &expect![[r"
            REP_C
            def a(A_Param_b2):
                return A_Param_b2 + A_Param_b
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
fn every_statement_that_binds_a_local_has_it_renamed() {
    check_chosen(
        r"def a(q):
    try:
        with q as (x, *y):
            for i, j in x: print(i, j)
    except E as e:
        raise F from e
    del y
    return [k for k in q if (w := k)] + w
",
        Pass::RelC,
        false,
        &expect![[r"
            def a(q):
                try:
                    with q as (a_x, *y):
                        for i, j in a_x: print(i, j)
                except E as e:
                    raise F from e
                del y
                return [k for k in q if (w := k)] + w
            def a(q):
                try:
                    with q as (x, *a_y):
                        for i, j in x: print(i, j)
                except E as e:
                    raise F from e
                del a_y
                return [k for k in q if (w := k)] + w
            def a(q):
                try:
                    with q as (x, *y):
                        for a_i, j in x: print(a_i, j)
                except E as e:
                    raise F from e
                del y
                return [k for k in q if (w := k)] + w
            def a(q):
                try:
                    with q as (x, *y):
                        for i, a_j in x: print(i, a_j)
                except E as e:
                    raise F from e
                del y
                return [k for k in q if (w := k)] + w
            def a(q):
                try:
                    with q as (x, *y):
                        for i, j in x: print(i, j)
                except E as a_e:
                    raise F from a_e
                del y
                return [k for k in q if (w := k)] + w
            def a(q):
                try:
                    with q as (x, *y):
                        for i, j in x: print(i, j)
                except E as e:
                    raise F from e
                del y
                return [k for k in q if (a_w := k)] + a_w"]],
    );
}

#[test]
fn defaults_annotations_and_decorators_of_the_function_mean_what_is_around_it() {
    check_chosen(
        r"@b.cached
def a(b: b, c: int = b) -> b:
    return lambda x=b: x + b + c
",
        Pass::RepR,
        false,
        &expect![[r"
            @b.cached
            def a(Param1: b, c: int = b) -> b:
                return lambda x=Param1: x + Param1 + c
            @b.cached
            def a(b: b, Param1: int = b) -> b:
                return lambda x=b: x + b + Param1"]],
    );
}

#[test]
fn a_nested_function_with_a_global_of_the_name_stays() {
    check(
        r"def a():
    u = 1
    def g():
        global u
        return u
    return u + g()
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            def a():
                LocalVar1 = 1
                def g():
                    global u
                    return u
                return LocalVar1 + g()
        "]],
    );
}

#[test]
fn a_method_of_a_class_inside_sees_the_parameter() {
    check(
        r"def a(b):
    class M:
        def f(self):
            return b
    return M
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            def a(Param1):
                class M:
                    def f(self):
                        return Param1
                return M
        "]],
    );
}

#[test]
fn a_text_in_several_quotes_is_no_code_but_what_it_interpolates_is() {
    check(
        r#"def a(b):
    return f'{b["b"]} {{b}} {b:{b}}' "b" + rf"\b{b}" + "{b}"
"#,
        Pass::RepR,
        false,
        &expect![[r#"
            REP_R
            def a(Param1):
                return f'{Param1["b"]} {{b}} {Param1:{Param1}}' "b" + rf"\b{Param1}" + "{b}"
        "#]],
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
            a: a comparison may be no truth value here
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
