//! The two sides of a check: which of them is expected where nothing but the sides tells, and which stands first.

use super::code::{Code, NodeSort};
use super::form::{CheckForm, CheckKind};
use super::tree;

/// Makes a form of two sides, as they are written; the constant is expected, or the side with such a name, or else the
/// second one.
pub fn pair(code: &Code<'_>, way: CheckKind, first: u32, second: u32) -> CheckForm {
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
    CheckForm {
        is_reversed,
        ..CheckForm::new(way, vec![expected], vec![actual])
    }
}

/// Makes a form of a member and the container that should hold it.
pub fn within(code: &Code<'_>, way: CheckKind, member: u32, whole: u32) -> CheckForm {
    let is_reversed = is_constant(code, whole) && !is_constant(code, member);
    let (expected, actual) = if is_reversed {
        (whole, member)
    } else {
        (member, whole)
    };
    CheckForm {
        is_reversed,
        ..CheckForm::new(way, vec![expected], vec![actual])
    }
}

/// Makes a form of two sides with a sign between them.
pub fn ordered(code: &mut Code<'_>, left: u32, operator: u32, right: u32) -> CheckForm {
    if is_constant(code, left) && !is_constant(code, right) {
        let operator = mirrored(code, operator);
        return CheckForm {
            is_reversed: true,
            ..CheckForm::new(CheckKind::Ordered, vec![left], vec![right, operator])
        };
    }
    CheckForm::new(CheckKind::Ordered, vec![right], vec![left, operator])
}

/// Places the lesser side first where none is a constant.
pub fn by_less(code: &mut Code<'_>, form: CheckForm) -> CheckForm {
    let (&[expected], &[actual, operator]) = (form.expected.as_slice(), form.actual.as_slice())
    else {
        return form;
    };
    let is_fixed = is_constant(code, expected) && !is_constant(code, actual);
    if is_fixed || code.kind_name(operator).starts_with('<') {
        return CheckForm {
            is_reversed: false,
            ..form
        };
    }
    let operator = mirrored(code, operator);
    CheckForm::new(CheckKind::Ordered, vec![actual], vec![expected, operator])
}

/// Adds the sign that means the same when the sides change places.
pub fn mirrored(code: &mut Code<'_>, operator: u32) -> u32 {
    let sign = match code.kind_name(operator) {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        _ => "<=",
    };
    tree::leaf(code, operator, sign, NodeSort::Operator, sign)
}

/// Tells whether a value is the same in every run: a literal, or a list or another collection of such.
pub fn is_constant(code: &Code<'_>, idx: u32) -> bool {
    (idx..code.node(idx).end).all(|below| match code.sort(below) {
        NodeSort::Literal | NodeSort::Operator | NodeSort::Unary | NodeSort::Pair => true,
        NodeSort::Name => code.node(below).field == code.fields().key,
        NodeSort::Other => matches!(
            code.kind_name(below),
            "array" | "dictionary" | "list" | "literal_value" | "object" | "pair" | "set" | "tuple"
        ),
        // `[]int{1, 2}` of Go.
        NodeSort::New => code.kind_name(below) == "composite_literal",
        NodeSort::Type | NodeSort::TypeName => matches!(
            code.kind_name(code.node(below).parent),
            "array_type"
                | "composite_literal"
                | "map_type"
                | "pointer_type"
                | "qualified_type"
                | "slice_type"
        ),
        _ => false,
    })
}

fn is_called_expected(code: &Code<'_>, idx: u32) -> bool {
    let is_name = matches!(code.sort(idx), NodeSort::Name | NodeSort::FieldAccess);
    let name = code.source(idx).to_ascii_lowercase();
    is_name && (name.contains("expect") || name.starts_with("want") || name.ends_with("want"))
}
