//! To be written.

use crate::function::Function;
use crate::scope::Variable;

pub fn long_form(_: &Function<'_>, _: (u32, u32), _: bool) -> Result<(), String> {
    Err(String::new())
}
pub fn condition(_: &Function<'_>, _: u32, _: u32) -> Result<bool, String> {
    Err(String::new())
}
pub fn is_equal_to_itself(_: &Function<'_>, _: &Variable<'_>) -> bool {
    false
}
pub fn is_comparable(_: &Function<'_>, _: &Variable<'_>) -> bool {
    false
}
pub fn is_printable(_: &Function<'_>, _: &Variable<'_>) -> bool {
    false
}
pub fn type_of(_: &Function<'_>, _: &Variable<'_>) -> Option<String> {
    None
}
pub fn comparable_type(_: &Function<'_>, _: &Variable<'_>, _: bool) -> Option<String> {
    None
}
pub fn printable<'f, 'c>(
    _: &Function<'c>,
    all: Vec<&'f Variable<'c>>,
    _: bool,
) -> Vec<&'f Variable<'c>> {
    all
}
