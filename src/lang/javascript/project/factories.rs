//! Declares the results of factories: `const isDate = tester("Date")` declares the function `isDate`.
//!
//! The closure that a call returns has no name of its own, and the call of the factory says what it does. Where the
//! call's value bears a name of main code and is nothing but such closures, the name is the declaration; members that
//! the closure is given are the name's, too. A factory that is given a function wraps it, and the name means that
//! function.

use super::JavaScriptProject;
use super::effects::is_test_file;
use crate::javascript::eval::Eval;
use crate::javascript::facts::{FnId, Owner, SiteId};
use crate::javascript::value::{JavaScriptValue, ValueSet};
use crate::model::FileId;

/// Declares the functions that factories made.
pub fn fill(project: &mut JavaScriptProject) {
    let mut found: Vec<(FileId, SiteId, FnId)> = Vec::new();
    for (n, script_file) in project.files.iter().enumerate() {
        if is_test_file(script_file) {
            continue;
        }
        let file = FileId(n as u32);
        let mut eval = Eval::new(project);
        for (at, function) in script_file.facts.functions.iter().enumerate() {
            let Some(site) = function.made_by else {
                continue;
            };
            eval.refresh();
            let values = eval.call(file, site);
            if is_closures(&mut eval, &values) {
                found.push((file, site, FnId(at as u32)));
            }
        }
    }
    for (file, site, function) in found {
        let facts = &mut project.files[file.0 as usize].facts;
        facts.functions[function.index()].is_declared = true;
        project.factory_functions.insert((file, site), function);
    }
}

/// Tells whether values are functions without a name of their own, and nothing else.
fn is_closures(eval: &mut Eval<'_>, values: &ValueSet) -> bool {
    let is_closure = |value: &JavaScriptValue| match *value {
        JavaScriptValue::Fn(file, function) => {
            let function_facts = eval.facts(file).function(function);
            let is_inner = !function_facts.is_declared
                || function_facts.owner == Owner::None && function_facts.parent != FnId(0);
            function_facts.body.is_some() && is_inner && function_facts.made_by.is_none()
        }
        _ => false,
    };
    !values.is_open && !values.list.is_empty() && values.list.iter().all(is_closure)
}
