//! The normal form of a check in Python: two checks with one normal form check the same for all values.
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
use super::super::form::{Form, Way};
use super::super::normal::REWRITES_MAX;
use super::super::sides::{by_less, ordered, pair, within};
use super::super::tree;
use super::literal;

/// Normalises a form.
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

/// Finds the object of a field of that name.
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
