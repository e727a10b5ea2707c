//! Results of the passes on functions of C#.

use expect_test::{Expect, expect};

use super::{Pass, check_all, source_of};
use crate::model::Language;

fn check(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::CSharp, source);
    check_all(source, &[pass], is_strict, expected);
}

fn check_nine(source: &str, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::CSharp, source);
    check_all(source, Pass::ALL, is_strict, expected);
}

const TWICE: &str = r"class A {
    int Twice(int b) {
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
            int Twice(int Param1) {
                int res = Param1;
                if (res > Param1) {
                    res += Param1;
                }
                return res;
            }
        REP_C
            int Twice(int Twice_Param_b) {
                int res = Twice_Param_b;
                if (res > Twice_Param_b) {
                    res += Twice_Param_b;
                }
                return res;
            }
        REL_R
            int Twice(int b) {
                int LocalVar1 = b;
                if (LocalVar1 > b) {
                    LocalVar1 += b;
                }
                return LocalVar1;
            }
        REL_C
            int Twice(int b) {
                int Twice_res = b;
                if (Twice_res > b) {
                    Twice_res += b;
                }
                return Twice_res;
            }
        IRR
            int Twice(int b) {
                int res = b;
                if (res > b) {
                    res = res + b;
                }
                return res;
            }
        RTF
            int Twice(int b) {
                int res = b;
                if ((res > b) == (b == b)) {
                    res += b;
                }
                return res;
            }
        GRA_R
            int Twice(int b) {
                if (false) { int TempVar = 0; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        GRA_C
            int Twice(int b) {
                if (b != b) { int Twice_TempVar = b; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        INI
            int Twice(int b) {
                System.Console.WriteLine(b);
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
            int Twice(int Param1) {
                int res = Param1;
                if (res > Param1) {
                    res += Param1;
                }
                return res;
            }
        REP_C
            int Twice(int Twice_Param_b) {
                int res = Twice_Param_b;
                if (res > Twice_Param_b) {
                    res += Twice_Param_b;
                }
                return res;
            }
        REL_R
            int Twice(int b) {
                int LocalVar1 = b;
                if (LocalVar1 > b) {
                    LocalVar1 += b;
                }
                return LocalVar1;
            }
        REL_C
            int Twice(int b) {
                int Twice_res = b;
                if (Twice_res > b) {
                    Twice_res += b;
                }
                return Twice_res;
            }
        IRR
            int Twice(int b) {
                int res = b;
                if (res > b) {
                    res = res + b;
                }
                return res;
            }
        RTF
            int Twice(int b) {
                int res = b;
                if ((res > b) == (b == b)) {
                    res += b;
                }
                return res;
            }
        GRA_R
            int Twice(int b) {
                if (false) { int TempVar = 0; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        GRA_C
            int Twice(int b) {
                if (b != b) { int Twice_TempVar = b; }
                int res = b;
                if (res > b) {
                    res += b;
                }
                return res;
            }
        INI
            int Twice(int b) {
                System.Console.WriteLine(b);
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
    void A1(byte b) {
        b += 1;
    }

    void B1(ushort d, ushort e) {
        d *= e;
    }

    void C1(int f) {
        f -= 2;
    }

    void D1(string g) {
        g += 1;
    }
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
                void A1(byte b) {
                    b = (byte) (b + 1);
                }
            IRR
                void B1(ushort d, ushort e) {
                    d = (ushort) (d * e);
                }
            IRR
                void C1(int f) {
                    f = f - 2;
                }
            IRR
                void D1(string g) {
                    g = g + 1;
                }
        "]],
    );
}

#[test]
fn a_target_of_unknown_type_has_no_long_form() {
    check(
        r"class A {
    void A1(Money b) {
        b += 1;
    }

    void B1(object c) {
        c.Changed += Run;
    }
}
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            A1: the type of `b` is not known
            IRR
            B1: the type of `c.Changed` is not known
        "]],
    );
}

#[test]
fn named_arguments_of_recursive_calls_follow() {
    check(
        r"class A {
    int Walk(int b) {
        return Walk(b: b - 1);
    }
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
                int Walk(int Param1) {
                    return Walk(Param1: Param1 - 1);
                }
        "]],
    );
}

#[test]
fn nameof_follows_its_parameter() {
    check(
        r"class A {
    void A1(string b) {
        throw new ArgumentNullException(nameof(b));
    }
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
                void A1(string Param1) {
                    throw new ArgumentNullException(nameof(Param1));
                }
        "]],
    );
}

#[test]
fn strict_keeps_a_parameter_whose_name_is_told() {
    check(
        r"class A {
    void A1(string b) {
        throw new ArgumentNullException(nameof(b));
    }
}
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            A1: `b` is told by `nameof`
        "]],
    );
}

#[test]
fn strict_keeps_parameters_that_the_file_passes_by_name() {
    check(
        r"class A {
    void A1(int b) {
        Run(b);
    }

    void B1() {
        A1(b: 1);
    }
}
",
        Pass::RepR,
        true,
        &expect![[r"
            REP_R
            A1: `b` is passed by its name in the file
            REP_R
            B1: it has no parameter to rename
        "]],
    );
}

#[test]
fn members_of_the_name_stay() {
    check(
        r#"class A {
    int b;

    int A1(int b) {
        this.b = b;
        return $"{b} b".Length + new T { b = b }.b;
    }
}
"#,
        Pass::RepR,
        false,
        &expect![[r#"
            REP_R
                int A1(int Param1) {
                    this.b = Param1;
                    return $"{Param1} b".Length + new T { b = Param1 }.b;
                }
        "#]],
    );
}

#[test]
fn a_condition_that_binds_or_assigns_stays() {
    check(
        r"class A {
    void A1(object b) {
        if (b is string c) {
            Run(c);
        }
    }

    void B1(string d) {
        if (int.TryParse(d, out var e)) {
            Run(e);
        }
    }

    void C1(double f) {
        if (f > 0) {
            Run();
        }
    }
}
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            A1: its condition binds a name
            RTF
            B1: its condition decides which variables are assigned
            RTF
                void C1(double f) {
                    if ((f > 0) == (1 == 1)) {
                        Run();
                    }
                }
        "]],
    );
}

#[test]
fn only_types_of_the_language_are_compared() {
    check(
        r"class A {
    void A1(Money b) {
        Run(b);
    }

    void B1(string c) {
        Run(c);
    }
}
",
        Pass::GraC,
        true,
        &expect![[r"
            GRA_C
            A1: comparing a parameter may do more than compare
            GRA_C
                void B1(string c) {
                    if (c != c) { string B1_TempVar = c; }
                    Run(c);
                }
        "]],
    );
}

#[test]
fn an_expression_body_takes_no_statement() {
    check(
        r"class A {
    int A1(int b) => b + 1;
}
",
        Pass::Ini,
        false,
        &expect![[r"
            INI
            A1: its body is an expression
        "]],
    );
}

#[test]
fn what_takes_its_name_from_a_variable_rules_the_variable_out() {
    check(
        r"class A {
    object A1(int b) {
        return new { b };
    }

    object B1(int c) {
        var t = (c, 1);
        return t.c;
    }
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            A1: `b` occurs where its meaning is not certain
            REP_R
            B1: `c` names what is made of it
        "]],
    );
}

#[test]
fn a_constructor_prints_what_the_language_can_print() {
    check(
        r"class A {
    A(Span<int> b, string c) : base(c) {
        Run(b);
    }
}
",
        Pass::Ini,
        false,
        &expect![[r"
            INI
                A(Span<int> b, string c) : base(c) {
                    System.Console.WriteLine(c);
                    Run(b);
                }
        "]],
    );
}
