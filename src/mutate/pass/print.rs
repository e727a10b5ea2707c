//! `INI`: a parameter is printed before the first statement.

use super::insert::{self, Size};
use super::{Choice, Edit};
use crate::function::Function;
use crate::scope::Variable;
use crate::sure;

pub fn apply(function: &Function<'_>, choice: Choice) -> Result<Vec<Edit>, String> {
    let printer = function.words.printer;
    let is_own = function
        .scopes
        .variables
        .iter()
        .any(|it| it.name == printer);
    if is_own || function.file.rebound.contains(printer) {
        return Err(format!("`{printer}` means something else in the file"));
    }
    let all: Vec<&Variable<'_>> = function.parameters().collect();
    if all.is_empty() {
        return Err("it has no parameter to print".to_owned());
    }
    let found = sure::printable(function, &all, choice.is_strict);
    if found.is_empty() {
        return Err("printing a parameter may do more than print".to_owned());
    }
    let x = found[choice.of(function, found.len())].name;
    let statement = function.words.print.replace("{x}", x);
    Ok(vec![insert::first(function, &statement, Size::Simple)?])
}
