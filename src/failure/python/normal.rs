//! The normal form of a check in Python: two checks with one normal form check the same, whatever the values are.
//!
//! The rewrites, each applied as long as one applies (at most [`REWRITES_MAX`] times):
//!
//! - true(`not a`) is false(`a`), and the other way round
//! - true(`a == b`), `a != b`, `a is b`, `a in b`, `a < b`, `isinstance(a, T)`, `re.search(p, a)` are what `assertEqual`,
//!   `assertNotEqual`, `assertIs`, `assertIn`, `assertLess`, `assertIsInstance`, `assertRegex` check; false is the negation,
//!   where there is one
//! - equal(`None`, a) and same(`None`, a) are null(a)
//! - ordered(`a > b`) is ordered(`b < a`), but for a constant, which is always the expected value
//! - true(`m.called`), equal(`n`, `m.call_count`) and the methods of mocks that say so are the same
//!
//! Truth is not the same as being equal to `True`, and that not as being `True` itself. That `==` is symmetric is taken for
//! granted.

use super::super::code::{Code, Sort, hash_of};
use super::super::form::{Check, Form, Way};
use super::super::normal::REWRITES_MAX;
use super::literal;
use super::tree;

/// Makes a check that has no more than its form.
pub const fn check(node: u32, form: Form, normal: Form, style: u64) -> Check {
    Check {
        node,
        form,
        normal,
        tolerance: None,
        message: None,
        style,
        is_assumption: false,
        thrown: None,
    }
}

/// Returns the normal form.
pub fn form(code: &mut Code<'_>, form: &Form) -> Form {
    let mut form = form.clone();
    for _ in 0..REWRITES_MAX {
        let Some(next) = rewritten(code, &form) else {
            break;
        };
        form = next;
    }
    if form.way == Way::Ordered {
        return by_less(code, form);
    }
    form
}

fn rewritten(code: &mut Code<'_>, form: &Form) -> Option<Form> {
    if !form.links.is_empty() {
        return None;
    }
    let &[actual] = form.actual.as_slice() else {
        return None;
    };
    match form.way {
        Way::True => truth(code, actual).or_else(|| called(code, actual)),
        Way::False => {
            let mut form = truth(code, actual).or_else(|| called(code, actual))?;
            form.way = match form.way {
                Way::Verify(_) => Way::Verify(hash_of("never")),
                way => way.negated()?,
            };
            Some(form)
        }
        Way::Equal | Way::NotEqual | Way::Same | Way::NotSame => {
            let &[expected] = form.expected.as_slice() else {
                return None;
            };
            let is_equal = matches!(form.way, Way::Equal | Way::Same);
            let way = if is_equal { Way::Null } else { Way::NotNull };
            match (code.source(expected), code.source(actual)) {
                ("None", _) => Some(Form::new(way, Vec::new(), vec![actual])),
                (_, "None") => Some(Form::new(way, Vec::new(), vec![expected])),
                _ if form.way == Way::Equal => counted(code, expected, actual),
                _ => None,
            }
        }
        Way::Verify(way) if way == hash_of("assert_called_once") => {
            let one = tree::leaf(
                code,
                actual,
                "integer",
                Sort::Literal,
                &literal::number("1"),
            );
            Some(Form::new(
                Way::Verify(hash_of("count")),
                vec![one],
                vec![actual],
            ))
        }
        Way::Verify(way) if way == hash_of("assert_not_called") => Some(Form::new(
            Way::Verify(hash_of("never")),
            Vec::new(),
            vec![actual],
        )),
        Way::Verify(way) if way == hash_of("assert_called") => Some(Form::new(
            Way::Verify(hash_of("called")),
            Vec::new(),
            vec![actual],
        )),
        _ => None,
    }
}

/// Returns the object of a field of that name.
fn field_of(code: &Code<'_>, idx: u32, name: &str) -> Option<u32> {
    let field = code.child(idx, code.fields().field)?;
    let is_it = code.sort(idx) == Sort::FieldAccess && code.source(field) == name;
    is_it.then(|| code.child(idx, code.fields().object))?
}

/// Reads `m.called`.
fn called(code: &Code<'_>, idx: u32) -> Option<Form> {
    let mock = field_of(code, idx, "called")?;
    Some(Form::new(
        Way::Verify(hash_of("called")),
        Vec::new(),
        vec![mock],
    ))
}

/// Reads `m.call_count == n`.
fn counted(code: &Code<'_>, expected: u32, actual: u32) -> Option<Form> {
    let mock = field_of(code, actual, "call_count")?;
    Some(if code.source(expected) == "0" {
        Form::new(Way::Verify(hash_of("never")), Vec::new(), vec![mock])
    } else {
        Form::new(Way::Verify(hash_of("count")), vec![expected], vec![mock])
    })
}

/// Reads what must be true, one step deep.
pub fn truth(code: &mut Code<'_>, idx: u32) -> Option<Form> {
    let fields = code.fields();
    match code.sort(idx) {
        Sort::Unary => {
            let operator = code.child(idx, fields.operator)?;
            let operand = code.child(idx, fields.operand)?;
            (code.source(operator) == "not")
                .then(|| Form::new(Way::False, Vec::new(), vec![operand]))
        }
        Sort::Binary => {
            let operator = code.child(idx, fields.operator)?;
            let (left, right) = (
                code.child(idx, fields.left)?,
                code.child(idx, fields.right)?,
            );
            match code.kind_name(operator) {
                "==" => Some(pair(code, Way::Equal, left, right)),
                "!=" => Some(pair(code, Way::NotEqual, left, right)),
                "is" => Some(pair(code, Way::Same, left, right)),
                "is not" => Some(pair(code, Way::NotSame, left, right)),
                "in" => Some(within(code, Way::Named(hash_of("in")), left, right)),
                "not in" => Some(within(code, Way::NotNamed(hash_of("in")), left, right)),
                "<" | "<=" | ">" | ">=" => Some(ordered(code, left, operator, right)),
                _ => None,
            }
        }
        Sort::Call => {
            let object = code
                .child(idx, fields.object)
                .map(|object| code.source(object));
            match (object, code.name(idx)?, code.arguments(idx).as_slice()) {
                (None, "isinstance", &[value, ty]) => Some(Form::new(
                    Way::Named(hash_of("isinstance")),
                    vec![ty],
                    vec![value],
                )),
                (Some("re"), "search", &[pattern, value]) => Some(Form::new(
                    Way::Named(hash_of("regex")),
                    vec![pattern],
                    vec![value],
                )),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Makes a form of two sides, as they are written; the constant is expected, or what is called so, or else the second one.
pub fn pair(code: &Code<'_>, way: Way, first: u32, second: u32) -> Form {
    let by = |is: fn(&Code<'_>, u32) -> bool| (is(code, first), is(code, second));
    let is_reversed = match (by(is_constant), by(is_called_expected)) {
        ((is_first, is_second), _) if is_first != is_second => is_first,
        (_, (is_first, is_second)) => is_first && !is_second,
    };
    let (expected, actual) = if is_reversed {
        (first, second)
    } else {
        (second, first)
    };
    Form {
        is_reversed,
        ..Form::new(way, vec![expected], vec![actual])
    }
}

/// Makes a form of a member and what should hold it.
pub fn within(code: &Code<'_>, way: Way, member: u32, whole: u32) -> Form {
    let is_reversed = is_constant(code, whole) && !is_constant(code, member);
    let (expected, actual) = if is_reversed {
        (whole, member)
    } else {
        (member, whole)
    };
    Form {
        is_reversed,
        ..Form::new(way, vec![expected], vec![actual])
    }
}

/// Makes a form of two sides with a sign between them.
pub fn ordered(code: &mut Code<'_>, left: u32, operator: u32, right: u32) -> Form {
    if is_constant(code, left) && !is_constant(code, right) {
        let operator = mirrored(code, operator);
        return Form {
            is_reversed: true,
            ..Form::new(Way::Ordered, vec![left], vec![right, operator])
        };
    }
    Form::new(Way::Ordered, vec![right], vec![left, operator])
}

/// Puts the lesser side first where none is a constant.
fn by_less(code: &mut Code<'_>, form: Form) -> Form {
    let (&[expected], &[actual, operator]) = (form.expected.as_slice(), form.actual.as_slice())
    else {
        return form;
    };
    let is_fixed = is_constant(code, expected) && !is_constant(code, actual);
    if is_fixed || code.kind_name(operator).starts_with('<') {
        return Form {
            is_reversed: false,
            ..form
        };
    }
    let operator = mirrored(code, operator);
    Form::new(Way::Ordered, vec![actual], vec![expected, operator])
}

/// Adds the sign that means the same when the sides change places.
fn mirrored(code: &mut Code<'_>, operator: u32) -> u32 {
    let sign = match code.kind_name(operator) {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        _ => "<=",
    };
    tree::leaf(code, operator, sign, Sort::Operator, sign)
}

/// Returns whether a value is the same in every run: a literal, or a list and the like of such.
pub fn is_constant(code: &Code<'_>, idx: u32) -> bool {
    (idx..code.node(idx).end).all(|below| match code.sort(below) {
        Sort::Literal | Sort::Operator | Sort::Unary => true,
        Sort::Other => matches!(
            code.kind_name(below),
            "list" | "tuple" | "set" | "dictionary" | "pair"
        ),
        _ => false,
    })
}

fn is_called_expected(code: &Code<'_>, idx: u32) -> bool {
    let is_name = matches!(code.sort(idx), Sort::Name | Sort::FieldAccess);
    let name = code.source(idx).to_ascii_lowercase();
    is_name && (name.contains("expect") || name.starts_with("want") || name.ends_with("want"))
}
