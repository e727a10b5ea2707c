//! Results of the passes on functions of JavaScript.

use expect_test::{Expect, expect};

use super::{MutationSource, Pass, check_all, source_of};
use crate::model::Language;

fn check(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::JavaScript, source);
    check_all(source, &[pass], is_strict, expected);
}

fn check_nine(source: &str, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::JavaScript, source);
    check_all(source, Pass::ALL, is_strict, expected);
}

const TWICE: &str = r"function twice(b) {
  let res = b;
  if (res > 10) {
    res += b;
  }
  return res;
}
";

#[test]
fn the_nine_passes_each_change_one_thing() {
    check_nine(
        TWICE,
        false,
        &expect![[r"
        REP_R
        function twice(Param1) {
          let res = Param1;
          if (res > 10) {
            res += Param1;
          }
          return res;
        }
        REP_C
        function twice(Twice_Param_b) {
          let res = Twice_Param_b;
          if (res > 10) {
            res += Twice_Param_b;
          }
          return res;
        }
        REL_R
        function twice(b) {
          let LocalVar1 = b;
          if (LocalVar1 > 10) {
            LocalVar1 += b;
          }
          return LocalVar1;
        }
        REL_C
        function twice(b) {
          let twice_res = b;
          if (twice_res > 10) {
            twice_res += b;
          }
          return twice_res;
        }
        IRR
        function twice(b) {
          let res = b;
          if (res > 10) {
            res = res + b;
          }
          return res;
        }
        RTF
        function twice(b) {
          let res = b;
          if (!!(res > 10) === (b === b)) {
            res += b;
          }
          return res;
        }
        GRA_R
        function twice(b) {
          if (false) { let TempVar = 0; }
          let res = b;
          if (res > 10) {
            res += b;
          }
          return res;
        }
        GRA_C
        function twice(b) {
          if (b !== b) { let Twice_TempVar = b; }
          let res = b;
          if (res > 10) {
            res += b;
          }
          return res;
        }
        INI
        function twice(b) {
          console.log(b);
          let res = b;
          if (res > 10) {
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
        function twice(Param1) {
          let res = Param1;
          if (res > 10) {
            res += Param1;
          }
          return res;
        }
        REP_C
        function twice(Twice_Param_b) {
          let res = Twice_Param_b;
          if (res > 10) {
            res += Twice_Param_b;
          }
          return res;
        }
        REL_R
        function twice(b) {
          let LocalVar1 = b;
          if (LocalVar1 > 10) {
            LocalVar1 += b;
          }
          return LocalVar1;
        }
        REL_C
        function twice(b) {
          let twice_res = b;
          if (twice_res > 10) {
            twice_res += b;
          }
          return twice_res;
        }
        IRR
        function twice(b) {
          let res = b;
          if (res > 10) {
            res = res + b;
          }
          return res;
        }
        RTF
        function twice(b) {
          let res = b;
          if (!!(res > 10) === (1 === 1)) {
            res += b;
          }
          return res;
        }
        GRA_R
        function twice(b) {
          if (false) { let TempVar = 0; }
          let res = b;
          if (res > 10) {
            res += b;
          }
          return res;
        }
        GRA_C
        function twice(b) {
          if (b !== b) { let Twice_TempVar = b; }
          let res = b;
          if (res > 10) {
            res += b;
          }
          return res;
        }
        INI
        function twice(b) {
          console.log(b);
          let res = b;
          if (res > 10) {
            res += b;
          }
          return res;
        }
    "]],
    );
}

#[test]
fn shorthand_properties_keep_their_key() {
    check(
        r"function a({ b }) {
  return { b, c: b.b };
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            function a({ b: Param1 }) {
              return { b: Param1, c: Param1.b };
            }
        "]],
    );
}

#[test]
fn a_default_stays_with_its_parameter() {
    check(
        r"function a({ b = 1 } = {}) {
  return `${b} b`;
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            function a({ b: Param1 = 1 } = {}) {
              return `${Param1} b`;
            }
        "]],
    );
}

#[test]
fn functions_that_their_place_names_are_seeds() {
    check(
        r"const a = (b) => {
  return b;
};

exports.c = function (d) {
  return d;
};

class A {
  #e(f) {
    return f;
  }
}
",
        Pass::RepC,
        false,
        &expect![[r"
            REP_C
            const a = (A_Param_b) => {
              return A_Param_b;
            };
            REP_C
            exports.c = function (C_Param_d) {
              return C_Param_d;
            };
            REP_C
              #e(E_Param_f) {
                return E_Param_f;
              }
        "]],
    );
}

#[test]
fn a_name_that_is_declared_again_stays() {
    check(
        r"function a(b) {
  {
    const b = 1;
    run(b);
  }
  return b;
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: `b` is declared more than once
        "]],
    );
}

#[test]
fn what_sees_variables_by_name_rules_renaming_out() {
    check(
        r#"function a(b) {
  return eval("b");
}
"#,
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: it may run code that sees variables by their names
        "]],
    );
}

#[test]
fn strict_has_no_long_form_for_a_property() {
    check(
        r"function a(b) {
  b.n += 1;
}

function c(d) {
  d -= d || 1;
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
            a: `b.n` is not a variable of its own
            IRR
            function c(d) {
              d = d - (d || 1);
            }
        "]],
    );
}

#[test]
fn strict_asks_no_parameter_that_may_differ_from_itself() {
    check(
        r"function a(b) {
  while (b.next || b) {
    b = b.next;
  }
}
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
            function a(b) {
              while (!!(b.next || b) === (1 === 1)) {
                b = b.next;
              }
            }
        "]],
    );
}

#[test]
fn a_condition_in_brackets_of_its_own_is_compared_once() {
    check(
        r"function a(b) {
  do {
    b--;
  } while (b);
}
",
        Pass::Rtf,
        false,
        &expect![[r"
            RTF
            function a(b) {
              do {
                b--;
              } while (!!(b) === (b === b));
            }
        "]],
    );
}

#[test]
fn an_arrow_without_a_body_takes_no_statement() {
    check(
        r"const a = (b) => b + 1;
",
        Pass::Ini,
        false,
        &expect![[r"
            INI
            a: its body is an expression
        "]],
    );
}

#[test]
fn a_statement_goes_behind_directives() {
    check(
        r#"function a(b) {
  "use strict";
  return b;
}

class A extends B {
  constructor(b) {
    super(b);
    this.b = b;
  }
}
"#,
        Pass::GraC,
        false,
        &expect![[r#"
            GRA_C
            function a(b) {
              "use strict";
              if (b !== b) { let A_TempVar = b; }
              return b;
            }
            GRA_C
              constructor(b) {
                super(b);
                if (b !== b) { let Constructor_TempVar = b; }
                this.b = b;
              }
        "#]],
    );
}

#[test]
fn a_hoisted_variable_is_one_of_the_whole_function() {
    check(
        r"function a(b) {
  e = 2;
  if (b) { var e = 1; }
  ({ e } = b);
  for (e of b) run(e);
  return { e, b() { return e; }, [e]: b.e };
}
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            function a(b) {
              LocalVar1 = 2;
              if (b) { var LocalVar1 = 1; }
              ({ e: LocalVar1 } = b);
              for (LocalVar1 of b) run(LocalVar1);
              return { e: LocalVar1, b() { return LocalVar1; }, [LocalVar1]: b.e };
            }
        "]],
    );
}

#[test]
fn elements_and_attributes_are_no_variables() {
    check(
        r"function a(b) {
  return <p b={b} {...b}>b {b}</p>;
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            function a(Param1) {
              return <p b={Param1} {...Param1}>b {Param1}</p>;
            }
        "]],
    );
}

fn typescript(text: &str) -> MutationSource<'_> {
    MutationSource {
        path: "a.ts",
        ..source_of(Language::JavaScript, text)
    }
}

#[test]
fn a_parameter_that_is_a_property_keeps_its_name() {
    let text = r"class A {
  constructor(private b: number) {
    run(b);
  }

  is<T>(this: A, d: T): d is T {
    return run(d as typeof d);
  }
}
";
    check_all(
        typescript(text),
        &[Pass::RepR],
        false,
        &expect![[r"
            REP_R
            constructor: it has no parameter to rename
            REP_R
              is<T>(this: A, Param1: T): Param1 is T {
                return run(Param1 as typeof Param1);
              }
        "]],
    );
}

#[test]
fn strict_keeps_conditions_that_say_of_which_type_a_value_is() {
    let text = r#"function a(b: number | string) {
  if (typeof b === "string") return 1;
}

function c(d: number) {
  while (d > 1) d -= 1;
}
"#;
    check_all(
        typescript(text),
        &[Pass::Rtf],
        true,
        &expect![[r"
            RTF
            a: its condition may narrow the type of a value
            RTF
            function c(d: number) {
              while (!!(d > 1) === (1 === 1)) d -= 1;
            }
        "]],
    );
}
