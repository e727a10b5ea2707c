//! `GRA_R` and `GRA_C`: a dead branch before the first statement.

use super::insert::{self, StatementSize};
use super::{Edit, Pass, PassChoice, capitalised};
use crate::function::Function;
use crate::scope::Variable;
use crate::sure;
use crate::unchanged::UnchangedReason;

pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let words = function.words;
    let all: Vec<&Variable<'_>> = function.parameters().collect();
    let statement = if choice.pass == Pass::GraR {
        let temp = function.file.fresh("TempVar");
        let template = if all.is_empty() {
            words.garbage_bare
        } else {
            words.garbage
        };
        let x = match all.len() {
            0 => "",
            n => all[choice.of(function, n)].name,
        };
        template.replace("{temp}", &temp).replace("{x}", x)
    } else {
        if all.is_empty() {
            return Err(UnchangedReason::Without {
                what: "parameter to compare",
            });
        }
        let found = sure::comparable(function, &all, choice.is_strict);
        if found.is_empty() {
            return Err(UnchangedReason::BusyComparing);
        }
        let (variable, typed) = &found[choice.of(function, found.len())];
        let base = format!("{}_TempVar", capitalised(function.name));
        let temp = function.file.fresh(&base);
        words
            .garbage_context
            .replace("{temp}", &temp)
            .replace("{type}", typed)
            .replace("{x}", variable.name)
    };
    Ok(vec![insert::first(
        function,
        &statement,
        StatementSize::Compound,
    )?])
}
