//! Results of the passes on functions of Go.

use expect_test::{Expect, expect};

use super::{Pass, check_all, check_every_choice, source_of};
use crate::model::Language;

fn check(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Go, source);
    check_all(source, &[pass], is_strict, expected);
}

fn check_chosen(source: &str, pass: Pass, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Go, source);
    check_every_choice(source, pass, is_strict, expected);
}

fn check_nine(source: &str, is_strict: bool, expected: &Expect) {
    let source = source_of(Language::Go, source);
    check_all(source, Pass::ALL, is_strict, expected);
}

const TWICE: &str = r"package p

func twice(b int) int {
	res := b
	if res > 10 {
		res += b
	}
	return res
}
";

#[test]
fn the_nine_passes_each_change_one_thing() {
    check_nine(
        TWICE,
        false,
        &expect![[r"
        REP_R
        func twice(Param1 int) int {
        	res := Param1
        	if res > 10 {
        		res += Param1
        	}
        	return res
        }
        REP_C
        func twice(Twice_Param_b int) int {
        	res := Twice_Param_b
        	if res > 10 {
        		res += Twice_Param_b
        	}
        	return res
        }
        REL_R
        func twice(b int) int {
        	LocalVar1 := b
        	if LocalVar1 > 10 {
        		LocalVar1 += b
        	}
        	return LocalVar1
        }
        REL_C
        func twice(b int) int {
        	twice_res := b
        	if twice_res > 10 {
        		twice_res += b
        	}
        	return twice_res
        }
        IRR
        func twice(b int) int {
        	res := b
        	if res > 10 {
        		res = res + b
        	}
        	return res
        }
        RTF
        func twice(b int) int {
        	res := b
        	if (res > 10) == (b == b) {
        		res += b
        	}
        	return res
        }
        GRA_R
        func twice(b int) int {
        	if false { TempVar := 0; _ = TempVar }
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
        }
        GRA_C
        func twice(b int) int {
        	if b != b { Twice_TempVar := b; _ = Twice_TempVar }
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
        }
        INI
        func twice(b int) int {
        	println(b)
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
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
        func twice(Param1 int) int {
        	res := Param1
        	if res > 10 {
        		res += Param1
        	}
        	return res
        }
        REP_C
        func twice(Twice_Param_b int) int {
        	res := Twice_Param_b
        	if res > 10 {
        		res += Twice_Param_b
        	}
        	return res
        }
        REL_R
        func twice(b int) int {
        	LocalVar1 := b
        	if LocalVar1 > 10 {
        		LocalVar1 += b
        	}
        	return LocalVar1
        }
        REL_C
        func twice(b int) int {
        	twice_res := b
        	if twice_res > 10 {
        		twice_res += b
        	}
        	return twice_res
        }
        IRR
        func twice(b int) int {
        	res := b
        	if res > 10 {
        		res = res + b
        	}
        	return res
        }
        RTF
        func twice(b int) int {
        	res := b
        	if (res > 10) == (b == b) {
        		res += b
        	}
        	return res
        }
        GRA_R
        func twice(b int) int {
        	if false { TempVar := 0; _ = TempVar }
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
        }
        GRA_C
        func twice(b int) int {
        	if b != b { Twice_TempVar := b; _ = Twice_TempVar }
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
        }
        INI
        func twice(b int) int {
        	println(b)
        	res := b
        	if res > 10 {
        		res += b
        	}
        	return res
        }
    "]],
    );
}

#[test]
fn a_redeclaration_in_one_block_is_the_same_variable() {
    check_chosen(
        r"package p

func a() error {
	x, err := one()
	y, err := two(x)
	run(y)
	return err
}
",
        Pass::RelC,
        false,
        &expect![[r"
            func a() error {
            	a_x, err := one()
            	y, err := two(a_x)
            	run(y)
            	return err
            }
            func a() error {
            	x, a_err := one()
            	y, a_err := two(x)
            	run(y)
            	return a_err
            }
            func a() error {
            	x, err := one()
            	a_y, err := two(x)
            	run(a_y)
            	return err
            }"]],
    );
}

#[test]
fn locals_of_selects_conditions_and_declarations_are_renamed_but_not_those_of_functions_inside() {
    check_chosen(
        r"package p

func a(b int, c T) {
	select {
	case v := <-c.d:
		run(v)
	}
	var e = b
	if m := e; m > 0 {
		run(m)
	}
	func() { k := 1; run(k) }()
}
",
        Pass::RelR,
        false,
        &expect![[r"
            func a(b int, c T) {
            	select {
            	case LocalVar1 := <-c.d:
            		run(LocalVar1)
            	}
            	var e = b
            	if m := e; m > 0 {
            		run(m)
            	}
            	func() { k := 1; run(k) }()
            }
            func a(b int, c T) {
            	select {
            	case v := <-c.d:
            		run(v)
            	}
            	var LocalVar1 = b
            	if m := LocalVar1; m > 0 {
            		run(m)
            	}
            	func() { k := 1; run(k) }()
            }
            func a(b int, c T) {
            	select {
            	case v := <-c.d:
            		run(v)
            	}
            	var e = b
            	if LocalVar1 := e; LocalVar1 > 0 {
            		run(LocalVar1)
            	}
            	func() { k := 1; run(k) }()
            }"]],
    );
}

#[test]
fn a_redeclaration_in_a_block_inside_is_another_variable() {
    check(
        r"package p

func a(err error) error {
	if err := one(); err != nil {
		return err
	}
	err = two()
	err, x := three()
	run(x)
	return err
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a(Param1 error) error {
            	if err := one(); err != nil {
            		return err
            	}
            	Param1 = two()
            	Param1, x := three()
            	run(x)
            	return Param1
            }
        "]],
    );
}

#[test]
fn the_right_side_of_a_declaration_means_the_variable_around() {
    check(
        r"package p

func a(b int) {
	{
		b := b + 1
		run(b)
	}
	for b := range b {
		run(b)
	}
	func(b int) { run(b) }(b)
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a(Param1 int) {
            	{
            		b := Param1 + 1
            		run(b)
            	}
            	for b := range Param1 {
            		run(b)
            	}
            	func(b int) { run(b) }(Param1)
            }
        "]],
    );
}

#[test]
fn a_type_switch_asks_the_variable_around_and_binds_another() {
    check(
        r"package p

func a(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case error:
		return v.Error()
	}
	return show(v)
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a(Param1 any) string {
            	switch v := Param1.(type) {
            	case string:
            		return v
            	case error:
            		return v.Error()
            	}
            	return show(Param1)
            }
        "]],
    );
}

#[test]
fn what_a_type_switch_binds_is_renamed_in_all_its_clauses() {
    check(
        r"package p

func a(b any) string {
	switch v := b.(type) {
	case string:
		return v
	default:
		return show(v)
	}
}
",
        Pass::RelR,
        false,
        &expect![[r"
            REL_R
            func a(b any) string {
            	switch LocalVar1 := b.(type) {
            	case string:
            		return LocalVar1
            	default:
            		return show(LocalVar1)
            	}
            }
        "]],
    );
}

#[test]
fn named_results_are_parameters() {
    check(
        r"package p

func a() (n int, _ error) {
	n = 1
	return n, nil
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a() (Param1 int, _ error) {
            	Param1 = 1
            	return Param1, nil
            }
        "]],
    );
}

#[test]
fn keys_of_struct_literals_are_fields() {
    check(
        r"package p

type T struct{ b int }

func a(b int) T {
	return T{b: b}
}

func c(b string) map[string]int {
	return map[string]int{b: 1}
}

func d(b int) any {
	return other.T{B: b, C: b}
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a(Param1 int) T {
            	return T{b: Param1}
            }
            REP_R
            func c(Param1 string) map[string]int {
            	return map[string]int{Param1: 1}
            }
            REP_R
            func d(Param1 int) any {
            	return other.T{B: Param1, C: Param1}
            }
        "]],
    );
}

#[test]
fn a_key_of_a_type_that_nobody_knows_keeps_its_name() {
    check(
        r"package p

func a(b int) any {
	return Unknown{b: b}
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: `b` may be a field or a key
        "]],
    );
}

#[test]
fn the_receiver_and_the_blank_name_stay() {
    check(
        r"package p

func (t *T) a(_ int) int {
	return t.n
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            a: it has no parameter to rename
        "]],
    );
}

#[test]
fn fields_and_labels_of_the_name_stay() {
    check(
        r"package p

func a(b *T) int {
b:
	for {
		b.b = b.next().b
		break b
	}
	return b.b
}
",
        Pass::RepR,
        false,
        &expect![[r"
            REP_R
            func a(Param1 *T) int {
            b:
            	for {
            		Param1.b = Param1.next().b
            		break b
            	}
            	return Param1.b
            }
        "]],
    );
}

#[test]
fn a_long_form_puts_what_is_added_in_brackets() {
    check(
        r"package p

func a(b []int, i int) {
	b[i] *= i + 1
}
",
        Pass::Irr,
        false,
        &expect![[r"
            IRR
            func a(b []int, i int) {
            	b[i] = b[i] * (i + 1)
            }
        "]],
    );
}

#[test]
fn strict_adds_no_calls() {
    check(
        r"package p

func a(b int) int {
	b += next(&b)
	return b
}
",
        Pass::Irr,
        true,
        &expect![[r"
            IRR
            a: the added operand may change the variable that it is added to
        "]],
    );
}

#[test]
fn no_condition_is_compared_with_what_may_differ_from_itself() {
    check(
        r"package p

func a(b float64) {
	if b > 0 {
		run()
	}
}

func c(d *T, e []int) {
	for d != nil {
		d = d.next
	}
}

func f(g T) {
	for i := 0; i < 3; i++ {
		run()
	}
}

func h() {
	for {
		run()
	}
}
",
        Pass::Rtf,
        true,
        &expect![[r"
            RTF
            func a(b float64) {
            	if (b > 0) == (1 == 1) {
            		run()
            	}
            }
            RTF
            func c(d *T, e []int) {
            	for (d != nil) == (d == d) {
            		d = d.next
            	}
            }
            RTF
            func f(g T) {
            	for i := 0; (i < 3) == (1 == 1); i++ {
            		run()
            	}
            }
            RTF
            h: it has no condition
        "]],
    );
}

#[test]
fn only_what_can_be_compared_is_compared() {
    check(
        r"package p

func a(b []int) {
	run(b)
}

func c(d float64) {
	run(d)
}
",
        Pass::GraC,
        true,
        &expect![[r"
            GRA_C
            a: comparing a parameter may do more than compare
            GRA_C
            func c(d float64) {
            	if d != d { C_TempVar := d; _ = C_TempVar }
            	run(d)
            }
        "]],
    );
}

#[test]
fn structs_cannot_be_printed() {
    check(
        r"package p

func a(b T) {
	run(b)
}

func c(d ...string) {
	run(d)
}

func e(f map[string]int) {}
",
        Pass::Ini,
        true,
        &expect![[r"
            INI
            a: printing a parameter may do more than print
            INI
            func c(d ...string) {
            	println(d)
            	run(d)
            }
            INI
            func e(f map[string]int) { println(f) }
        "]],
    );
}

#[test]
fn a_dead_branch_goes_into_the_line_of_a_body_on_one_line() {
    check(
        r"package p

func a(b int) int { return b }
",
        Pass::GraR,
        false,
        &expect![[r"
            GRA_R
            func a(b int) int { if false { TempVar := 0; _ = TempVar }; return b }
        "]],
    );
}
