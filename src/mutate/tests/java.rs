//! Results of the passes on functions of Java.

use expect_test::{Expect, expect};

use super::{Pass, check_all, source_of};
use crate::model::Language;

fn check(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Java, source);
    check_all(source, &[pass], is_strict, expected);
}

fn check_nine(source: &str, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Java, source);
    check_all(source, Pass::ALL, is_strict, expected);
}

const TWICE: &str = r"class A {
    int twice(int b) {
        int res = b;
        if (res > b) {
            res += b;
        }
        return res;
    }
}
";

#[test]
fn the_nine_passes_each_change_one_thing() {
    check_nine(
        TWICE,
        false,
        &expect![[r"
        REP_R
            int twice(int Param1) {
                int res = Param1;
                if (res > Param1) {
                    res += Param1;
                }
                return res;
            }
        REP_C
            int twice(int Twice_Param_b) {
                int res = Twice_Param_b;
                if (res > Twice_Param_b) {
                    res += Twice_Param_b;
                }
                return res;
            }
        REL_R
            int twice(int b) {
                int LocalVar1 = b;
                if (LocalVar1 > b) {
                    LocalVar1 += b;
                }
                return LocalVar1;
            }
        REL_C
            int twice(int b) {
                int twice_res = b;
                if (twice_res > b) {
                    twice_res += b;
                }
                return twice_res;
            }
        IRR
            int twice(int b) {
                int res = b;
                if (res > b) {
                    res = res + b;
                }
                return res;
            }
        RTF
            int twice(int b) {
                int res = b;
                if ((res > b) == (b == b)) {
                    res += b;
                }
                return res;
            }
        GRA_R
            int twice(int b) {
                if (false) { int TempVar = 0; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        GRA_C
            int twice(int b) {
                if (b != b) { int Twice_TempVar = b; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        INI
            int twice(int b) {
                System.out.println(b);
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
    "]],
    );
}

#[test]
fn the_nine_passes_keep_what_is_certain() {
    check_nine(
        TWICE,
        true,
        &expect![[r"
        REP_R
            int twice(int Param1) {
                int res = Param1;
                if (res > Param1) {
                    res += Param1;
                }
                return res;
            }
        REP_C
            int twice(int Twice_Param_b) {
                int res = Twice_Param_b;
                if (res > Twice_Param_b) {
                    res += Twice_Param_b;
                }
                return res;
            }
        REL_R
            int twice(int b) {
                int LocalVar1 = b;
                if (LocalVar1 > b) {
                    LocalVar1 += b;
                }
                return LocalVar1;
            }
        REL_C
            int twice(int b) {
                int twice_res = b;
                if (twice_res > b) {
                    twice_res += b;
                }
                return twice_res;
            }
        IRR
            int twice(int b) {
                int res = b;
                if (res > b) {
                    res = res + b;
                }
                return res;
            }
        RTF
            int twice(int b) {
                int res = b;
                if ((res > b) == (b == b)) {
                    res += b;
                }
                return res;
            }
        GRA_R
            int twice(int b) {
                if (false) { int TempVar = 0; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        GRA_C
            int twice(int b) {
                if (b != b) { int Twice_TempVar = b; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        INI
            int twice(int b) {
                System.out.println(b);
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
    "]],
    );
}

#[test]
fn a_narrow_target_gets_a_cast() {
    check(
        r"class A {
    void a(byte b) {
        b += 1;
    }

    void c(short d, int e) {
        d *= e;
    }

    void f(char g) {
        g -= 'a';
    }

    void h(int i) {
        i += 0.5;
    }

    void j(long k, double l) {
        k /= l;
    }

    void m(int[] n, long o) {
        n[0] += o;
    }

    void p(float q, double r) {
        q += r;
    }
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
                void a(byte b) {
                    b = (byte) (b + 1);
                }
            IRR
                void c(short d, int e) {
                    d = (short) (d * e);
                }
            IRR
                void f(char g) {
                    g = (char) (g - 'a');
                }
            IRR
                void h(int i) {
                    i = (int) (i + 0.5);
                }
            IRR
                void j(long k, double l) {
                    k = (long) (k / l);
                }
            IRR
                void m(int[] n, long o) {
                    n[0] = (int) (n[0] + o);
                }
            IRR
                void p(float q, double r) {
                    q = (float) (q + r);
                }
        "]],
    );
}

#[test]
fn a_wide_target_gets_none() {
    check(
        r"class A {
    void a(int b) {
        b += 1;
    }

    void c(long d, int e) {
        d += e;
    }

    void f(String g) {
        g += 1;
    }

    void h(double i) {
        i *= 2;
    }
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
                void a(int b) {
                    b = b + 1;
                }
            IRR
                void c(long d, int e) {
                    d = d + e;
                }
            IRR
                void f(String g) {
                    g = g + 1;
                }
            IRR
                void h(double i) {
                    i = i * 2;
                }
        "]],
    );
}

#[test]
fn a_target_of_unknown_type_has_no_long_form() {
    check(
        r"class A {
    void a(A b) {
        b.n += 1;
    }

    void c() {
        inherited += 1;
    }

    void d(int[] e) {
        e[next()] += 1;
    }

    int f(int g) {
        return g += 1;
    }
}
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            a: the type of `b.n` is not known
            IRR
            c: the type of `inherited` is not known
            IRR
            d: `e[next()]` may do more than name a place
            IRR
            f: its value is used where it is assigned
        "]],
    );
}

#[test]
fn a_field_of_the_class_has_its_declared_type() {
    check(
        r"class A {
    private byte n;

    void a() {
        n += 1;
    }

    void b() {
        this.n -= 2;
    }
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
                void a() {
                    n = (byte) (n + 1);
                }
            IRR
                void b() {
                    this.n = (byte) (this.n - 2);
                }
        "]],
    );
}

#[test]
fn the_update_of_a_loop_has_a_long_form() {
    check(
        r"class A {
    void a(int b) {
        for (int i = 0; i < b; i += 2) {
            run(i);
        }
    }
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
                void a(int b) {
                    for (int i = 0; i < b; i = i + 2) {
                        run(i);
                    }
                }
        "]],
    );
}

#[test]
fn fields_methods_and_other_variables_of_the_name_stay() {
    check(
        r"class A {
    int b;

    int a(int b) {
        this.b = b;
        other.b = b;
        return b(b) + A.this.b;
    }
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
                int a(int Param1) {
                    this.b = Param1;
                    other.b = Param1;
                    return b(Param1) + A.this.b;
                }
        "]],
    );
}

#[test]
fn lambdas_use_the_parameter_around_them() {
    check(
        r#"class A {
    Runnable a(int b) {
        return () -> run(b, "b", x -> x + b);
    }
}
"#,
        Pass::RepC,
        false,
        &expect![[r#"
            REP_C
                Runnable a(int A_Param_b) {
                    return () -> run(A_Param_b, "b", x -> x + A_Param_b);
                }
        "#]],
    );
}

#[test]
fn a_local_of_each_of_two_blocks_is_one_of_its_own() {
    check(
        r"class A {
    void a() {
        for (int i = 0; i < 2; i++) {
            run(i);
        }
        for (int i = 0; i < 3; i++) {
            run(i);
        }
    }
}
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
                void a() {
                    for (int LocalVar1 = 0; LocalVar1 < 2; LocalVar1++) {
                        run(LocalVar1);
                    }
                    for (int i = 0; i < 3; i++) {
                        run(i);
                    }
                }
        "]],
    );
}

#[test]
fn a_name_inside_an_anonymous_class_stays() {
    check(
        r"class A {
    Object a(int b) {
        return new Object() {
            int c = b;
        };
    }
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: `b` occurs in a class inside
        "]],
    );
}

#[test]
fn strict_keeps_a_parameter_with_an_annotation() {
    check(
        r#"class A {
    void a(@Param("b") int b) {
        run(b);
    }
}
"#,
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            a: `b` has an annotation that may ask for its name
        "]],
    );
}

#[test]
fn no_condition_is_compared_with_what_may_differ_from_itself() {
    check(
        r"class A {
    void a(double b) {
        if (b > 0) {
            run();
        }
    }

    void c(Object d) {
        if (d instanceof String) {
            run();
        }
    }
}
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
                void a(double b) {
                    if ((b > 0) == (1 == 1)) {
                        run();
                    }
                }
            RTF
                void c(Object d) {
                    if ((d instanceof String) == (d == d)) {
                        run();
                    }
                }
        "]],
    );
}

#[test]
fn a_condition_that_the_compiler_knows_stays() {
    check(
        r"class A {
    void a(Object b) {
        while (true) {
            run();
        }
    }

    void c(Object d) {
        if (d instanceof String e) {
            run(e);
        }
    }
}
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            a: its condition may be constant, and decide which code is reachable
            RTF
            c: its condition binds a name
        "]],
    );
}

#[test]
fn a_condition_that_may_be_constant_stays_where_it_decides_what_is_assigned() {
    check(
        r"class A {
    static final boolean DEBUG = true;

    int a(int b) {
        int c;
        if (DEBUG) {
            c = b;
        }
        return c;
    }

    int d(int b) {
        if (DEBUG) {
            return b;
        }
        return 0;
    }
}
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
            a: its condition may be constant, and decide which variables are assigned
            RTF
                int d(int b) {
                    if ((DEBUG) == (b == b)) {
                        return b;
                    }
                    return 0;
                }
        "]],
    );
}

#[test]
fn a_statement_goes_behind_the_call_of_another_constructor() {
    check(
        r"class A {
    A(int b) {
        super(b);
        run();
    }

    A(String c) {}
}
",
        Pass::Ini,
        true,
        &expect![[r"
            INI
                A(int b) {
                    super(b);
                    System.out.println(b);
                    run();
                }
            INI
                A(String c) { System.out.println(c); }
        "]],
    );
}

#[test]
fn a_file_with_its_own_system_has_nothing_printed() {
    check(
        r"class A {
    class System {}

    void a(int b) {
        run(b);
    }
}
",
        Pass::Ini,
        false,
        &expect![[r"
            INI
            a: `System` means something else in the file
        "]],
    );
}

#[test]
fn an_interface_method_without_a_body_is_no_seed() {
    check(
        r"interface A {
    void a(int b);
}
",
        Pass::RepR,
        false,
        &expect![[""]],
    );
}

#[test]
fn a_condition_that_decides_what_is_assigned_stays() {
    check(
        r"class A {
    int a(int b) {
        int c;
        if (b > 0 && (c = b) > 1) {
            return c;
        }
        return 0;
    }
}
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            a: its condition decides which variables are assigned
        "]],
    );
}

#[test]
fn arrays_of_characters_and_parameters_without_a_plain_type_are_not_printed() {
    check(
        r"class A {
    void a(char[] b) {
        run(b);
    }

    void c(String... d) {
        run(d);
    }

    void e(final List<String> f) {
        run(f);
    }
}
",
        Pass::Ini,
        true,
        &expect![[r"
            INI
            a: printing a parameter may do more than print
            INI
            c: printing a parameter may do more than print
            INI
                void e(final List<String> f) {
                    System.out.println(f);
                    run(f);
                }
        "]],
    );
}
