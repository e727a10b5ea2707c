//! `INI`: a parameter is printed before the first statement.

use super::insert::{self, StatementSize};
use super::{Edit, PassChoice};
use crate::function::Function;
use crate::scope::Variable;
use crate::sure;
use crate::unchanged::UnchangedReason;

pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let printer = function.words.printer;
    let is_own = function
        .scopes
        .variables
        .iter()
        .any(|variable| variable.name == printer);
    if is_own || function.file.rebound.contains(printer) {
        return Err(UnchangedReason::OtherPrinter { printer });
    }
    let all: Vec<&Variable<'_>> = function.parameters().collect();
    if all.is_empty() {
        return Err(UnchangedReason::Without {
            what: "parameter to print",
        });
    }
    let found = sure::printable(function, &all, choice.is_strict);
    if found.is_empty() {
        return Err(UnchangedReason::BusyPrinting);
    }
    let x = found[choice.of(function, found.len())].name;
    let statement = function.words.print.replace("{x}", x);
    Ok(vec![insert::first(
        function,
        &statement,
        StatementSize::Simple,
    )?])
}
