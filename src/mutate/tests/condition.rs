//! The variable that a condition is compared with, and places where the end of the stack would show added code.

use expect_test::{Expect, expect};

use super::{Pass, check_all, source_of};
use crate::model::Language;

fn check(language: Language, source: &str, is_strict: bool, expected: &Expect) {
    check_all(
        source_of(language, source),
        &[Pass::Rtf],
        is_strict,
        expected,
    );
}

#[test]
fn without_a_parameter_a_local_is_taken_that_certainly_has_a_value() {
    check(
        Language::Python,
        "def f():\n    a = g()\n    if a:\n        return a\n",
        false,
        &expect![[r"
            RTF
            def f():
                a = g()
                if a == (a == a):
                    return a
        "]],
    );
    check(
        Language::Java,
        "class A { int f() {\n    int a = g();\n    float b = 1;\n    if (g() > 2) {\n        return a;\n    }\n    return 0;\n} }\n",
        true,
        &expect![[r"
            RTF
            class A { int f() {
                int a = g();
                float b = 1;
                if ((g() > 2) == (a == a)) {
                    return a;
                }
                return 0;
            } }
        "]],
    );
    check(
        Language::Go,
        "package p\n\nfunc f() int {\n\tvar a int\n\tif g() {\n\t\treturn a\n\t}\n\treturn 0\n}\n",
        true,
        &expect![[r"
            RTF
            func f() int {
            	var a int
            	if (g()) == (a == a) {
            		return a
            	}
            	return 0
            }
        "]],
    );
    check(
        Language::JavaScript,
        "function f() {\n    const a = g();\n    if (h()) {\n        return a;\n    }\n}\n",
        false,
        &expect![[r"
            RTF
            function f() {
                const a = g();
                if (!!(h()) === (a === a)) {
                    return a;
                }
            }
        "]],
    );
    check(
        Language::CSharp,
        "class A { int F() {\n    int a = G();\n    if (H()) {\n        return a;\n    }\n    return 0;\n} }\n",
        true,
        &expect![[r"
            RTF
            class A { int F() {
                int a = G();
                if ((H()) == (a == a)) {
                    return a;
                }
                return 0;
            } }
        "]],
    );
}

#[test]
fn a_local_that_may_have_no_value_is_not_compared() {
    check(
        Language::Python,
        "def f():\n    if g():\n        a = 1\n    if h():\n        return a\n",
        false,
        &expect![[r"
            RTF
            def f():
                if g() == (1 == 1):
                    a = 1
                if h():
                    return a
        "]],
    );
    check(
        Language::Java,
        "class A { int f() {\n    int a;\n    var b = g();\n    if (g() > 2) {\n        a = 1;\n    }\n    return 0;\n} }\n",
        true,
        &expect![[r"
            RTF
            class A { int f() {
                int a;
                var b = g();
                if ((g() > 2) == (1 == 1)) {
                    a = 1;
                }
                return 0;
            } }
        "]],
    );
    check(
        Language::Python,
        "def f():\n    while g():\n        a = 1\n        return a\n",
        false,
        &expect![[r"
            RTF
            def f():
                while g() == (1 == 1):
                    a = 1
                    return a
        "]],
    );
}

#[test]
fn in_a_function_of_python_that_calls_itself_nothing_new_may_end_the_stack() {
    let source = "def f(a: int):\n    if isinstance(a, int):\n        return f(a - 1)\n";
    check_all(
        source_of(Language::Python, source),
        &[Pass::Rtf, Pass::GraR, Pass::GraC, Pass::Ini],
        true,
        &expect![[r"
            RTF
            f: it calls itself, and comparing may be where the stack ends
            GRA_R
            def f(a: int):
                if False: TempVar = a
                if isinstance(a, int):
                    return f(a - 1)
            GRA_C
            f: comparing a parameter may do more than compare
            INI
            f: printing a parameter may do more than print
        "]],
    );
    let source = "def f(a: int):\n    if a == 0:\n        return 1\n    return f(a - 1)\n";
    check_all(
        source_of(Language::Python, source),
        &[Pass::Rtf, Pass::GraC, Pass::Ini],
        true,
        &expect![[r"
            RTF
            def f(a: int):
                if (a == 0) == (1 == 1):
                    return 1
                return f(a - 1)
            GRA_C
            def f(a: int):
                if a != a: F_TempVar = a
                if a == 0:
                    return 1
                return f(a - 1)
            INI
            f: printing a parameter may do more than print
        "]],
    );
}

#[test]
fn what_printing_a_date_runs_prints_no_date() {
    let source = "class Zone(tzinfo):\n    def utcoffset(self, dt):\n        return self.offset\n";
    check_all(
        source_of(Language::Python, source),
        &[Pass::Ini],
        true,
        &expect![[r"
            INI
            utcoffset: printing a parameter may do more than print
        "]],
    );
}
