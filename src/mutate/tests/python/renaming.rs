//! New names of parameters and locals of Python, and places where they keep their names.

use expect_test::expect;

use crate::model::Language;

use super::{Pass, check, check_chosen, check_every_choice, source_of};

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
            a: it calls code that sees variables by their names
            REP_R
            c: it calls code that sees variables by their names
            REP_R
            d: it calls code that sees variables by their names
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
