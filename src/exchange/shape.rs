//! The members of values and their types: tables that files are checked by.
//!
//! Members that a table does not name are allowed; other writers may add more. An error names its place and the
//! expected value.

use super::placed::{PlacedValue, ValueAtLine};

/// The allowed form of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    Any,
    Text,
    /// Text that is not empty.
    Filled,
    /// This number of hexadecimal digits.
    Hex(usize),
    /// A day: `2026-01-31`.
    Day,
    Truth,
    /// A number.
    Real,
    /// A number that is whole and not negative.
    Whole,
    /// A number from 0 to 1.
    Share,
    /// One of some words.
    Words(fn() -> Vec<&'static str>),
    OrNull(&'static Self),
    Either(&'static [Self]),
    List(&'static Self),
    Object(&'static [ObjectMember]),
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectMember {
    pub name: &'static str,
    pub shape: ValueShape,
    pub is_needed: bool,
}

/// Describes a member that must be there.
#[must_use]
pub const fn must(name: &'static str, shape: ValueShape) -> ObjectMember {
    ObjectMember {
        name,
        shape,
        is_needed: true,
    }
}

/// Describes a member that may be there.
#[must_use]
pub const fn may(name: &'static str, shape: ValueShape) -> ObjectMember {
    ObjectMember {
        name,
        shape,
        is_needed: false,
    }
}

/// The flaw of a value, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeFault {
    pub line: u32,
    /// Lower-case fragments.
    pub what: String,
    pub mend: String,
}

impl ValueShape {
    /// Describes the shape, for people.
    fn told(self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Filled => "text that is not empty".to_owned(),
            Self::Hex(n) => format!("{n} hexadecimal digits"),
            Self::Day => "a day such as `2026-01-31`".to_owned(),
            Self::Truth => "`true` or `false`".to_owned(),
            Self::Real => "a number".to_owned(),
            Self::Whole => "a whole number from 0 on".to_owned(),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::Words(words) => {
                let words: Vec<String> = words().iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::OrNull(shape) => format!("{}, or null", shape.told()),
            Self::Either(shapes) => {
                let shapes: Vec<String> = shapes.iter().map(|shape| shape.told()).collect();
                shapes.join(", or ")
            }
            Self::List(shape) => format!("a list, each {}", shape.told()),
            Self::Object(members) => {
                let needed = members.iter().filter(|member| member.is_needed);
                let names: Vec<String> = needed
                    .map(|object_member| format!("`{}`", object_member.name))
                    .collect();
                match names.as_slice() {
                    [] => "an object".to_owned(),
                    names => format!("an object with {}", names.join(", ")),
                }
            }
        }
    }

    /// Tells whether the value is of this shape, without looking into lists and objects.
    fn fits(self, placed: &ValueAtLine) -> bool {
        let text = placed.text();
        match self {
            Self::Any => true,
            Self::Text => text.is_some(),
            Self::Filled => text.is_some_and(|text| !text.trim().is_empty()),
            Self::Hex(n) => text.is_some_and(|text| {
                text.len() == n && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            }),
            Self::Day => text.is_some_and(is_day),
            Self::Truth => matches!(placed.value, PlacedValue::Truth(_)),
            Self::Real => matches!(placed.value, PlacedValue::Number(it) if it.is_finite()),
            Self::Whole => placed.whole().is_some(),
            Self::Share => {
                matches!(placed.value, PlacedValue::Number(it) if (0.0..=1.0).contains(&it))
            }
            Self::Words(words) => text.is_some_and(|text| words().contains(&text)),
            Self::OrNull(shape) => placed.value == PlacedValue::Null || shape.fits(placed),
            Self::Either(shapes) => shapes.iter().any(|shape| shape.fits(placed)),
            Self::List(_) => matches!(placed.value, PlacedValue::List(_)),
            Self::Object(_) => matches!(placed.value, PlacedValue::Members(_)),
        }
    }

    /// Adds the flaws of a value; `path` leads to it, empty for the whole.
    pub fn check(self, placed: &ValueAtLine, path: &str, wrong: &mut Vec<ShapeFault>) {
        if !self.fits(placed) {
            let place = if path.is_empty() {
                "it".to_owned()
            } else {
                format!("`{path}`")
            };
            wrong.push(ShapeFault {
                line: placed.line,
                what: format!("{place} is {}", shown(placed)),
                mend: format!("write {}", self.told()),
            });
            return;
        }
        match self {
            Self::OrNull(_) if placed.value == PlacedValue::Null => {}
            Self::OrNull(shape) => shape.check(placed, path, wrong),
            Self::Either(shapes) => {
                // The first shape that fits the value itself reports the faults inside it.
                if let Some(shape) = shapes.iter().find(|shape| shape.fits(placed)) {
                    shape.check(placed, path, wrong);
                }
            }
            Self::List(shape) => {
                for (idx, element) in placed.elements().iter().enumerate() {
                    shape.check(element, &format!("{path}[{idx}]"), wrong);
                }
            }
            Self::Object(members) => {
                let below = |name: &str| match path {
                    "" => name.to_owned(),
                    path => format!("{path}.{name}"),
                };
                for member in members {
                    let path = below(member.name);
                    match placed.get(member.name) {
                        Some(inner) => member.shape.check(inner, &path, wrong),
                        None if member.is_needed => wrong.push(ShapeFault {
                            line: placed.line,
                            what: format!("`{path}` is missing"),
                            mend: format!("add `{}`: {}", member.name, member.shape.told()),
                        }),
                        None => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Writes a value for people: words and numbers themselves, others by their kind.
fn shown(placed: &ValueAtLine) -> String {
    match &placed.value {
        PlacedValue::Text(text) if text.is_empty() => "empty".to_owned(),
        PlacedValue::Text(text) => {
            let mut short: String = text.chars().take(40).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            format!("`{short}`")
        }
        PlacedValue::Number(number) => number.to_string(),
        PlacedValue::Truth(truth) => truth.to_string(),
        _ => placed.kind().to_owned(),
    }
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let number = |text: &str, n: usize| {
        let is_number = text.len() == n && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_number)
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|n| (1..=12).contains(&n))
        && number(day, 2).is_some_and(|n| (1..=31).contains(&n))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: ValueShape = ValueShape::Object(&[
        must("key", ValueShape::Hex(4)),
        must(
            "list",
            ValueShape::List(&ValueShape::Object(&[must(
                "share",
                ValueShape::OrNull(&ValueShape::Share),
            )])),
        ),
        may("day", ValueShape::Day),
        may(
            "license",
            ValueShape::Either(&[ValueShape::Filled, ValueShape::List(&ValueShape::Filled)]),
        ),
        may("word", ValueShape::Words(|| vec!["ok", "below"])),
    ]);

    fn check(json: &str, expected: &[(u32, &str, &str)]) {
        let placed = super::super::placed::json(json).expect("it is JSON");
        let mut wrong = Vec::new();
        SHAPE.check(&placed, "", &mut wrong);
        let found: Vec<(u32, &str, &str)> = wrong
            .iter()
            .map(|shape_fault| {
                (
                    shape_fault.line,
                    shape_fault.what.as_str(),
                    shape_fault.mend.as_str(),
                )
            })
            .collect();
        assert_eq!(found, expected, "{json}");
    }

    #[test]
    fn what_is_wrong_says_where_and_how_it_becomes_right() {
        check(
            "{\"key\": \"0aF9\", \"list\": [{\"share\": null}, {\"share\": 0.5}], \"more\": 1, \"day\": \"2026-01-31\", \"license\": [\"x\"]}",
            &[],
        );
        check(
            "{\"key\": \"0aFx\",\n\"list\": [{},\n{\"share\": 2}]}",
            &[
                (1, "`key` is `0aFx`", "write 4 hexadecimal digits"),
                (
                    2,
                    "`list[0].share` is missing",
                    "add `share`: a number from 0 to 1, or null",
                ),
                (
                    3,
                    "`list[1].share` is 2",
                    "write a number from 0 to 1, or null",
                ),
            ],
        );
        check(
            "[1]",
            &[(1, "it is a list", "write an object with `key`, `list`")],
        );
        check(
            "{\"key\": \"0000\", \"list\": [], \"day\": \"2026-13-01\", \"license\": [\"\"], \"word\": \"no\"}",
            &[
                (
                    1,
                    "`day` is `2026-13-01`",
                    "write a day such as `2026-01-31`",
                ),
                (1, "`license[0]` is empty", "write text that is not empty"),
                (1, "`word` is `no`", "write one of `ok`, `below`"),
            ],
        );
    }
}
