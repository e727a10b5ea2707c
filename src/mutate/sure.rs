//! Certain facts about values: which are numbers, which are equal to themselves, which are truth values.
//!
//! Decides where a pass keeps results, exceptions and effects; each language has a file of its own. An unknown value is
//! not certain.

mod csharp;
mod go;
mod java;
mod javascript;
mod python;

use super::function::Function;
use super::scope::{Variable, VariableRole};
use crate::model::Language;
use crate::unchanged::UnchangedReason;

/// The facts that are found out once for a function.
pub struct FunctionCertainty<'f, 'c> {
    function: &'f Function<'c>,
    numbers: Option<Vec<bool>>,
}

impl<'f, 'c> FunctionCertainty<'f, 'c> {
    pub const fn new(function: &'f Function<'c>) -> Self {
        Self {
            function,
            numbers: None,
        }
    }

    /// Finds the cast that the long form of a compound assignment needs, or the reason why there is no long form.
    pub fn long_form(
        &mut self,
        idx: u32,
        sides: (u32, u32),
        is_strict: bool,
    ) -> Result<Option<String>, UnchangedReason> {
        let function = self.function;
        match function.file.language {
            Language::Python if is_strict => {
                let numbers = self
                    .numbers
                    .get_or_insert_with(|| python::numbers(function));
                python::long_form(function, sides, numbers).map(|()| None)
            }
            Language::Python => Ok(None),
            Language::Java => java::long_form(function, idx, sides),
            Language::Go => go::long_form(function, sides, is_strict).map(|()| None),
            Language::JavaScript => {
                javascript::long_form(function, sides, is_strict).map(|()| None)
            }
            Language::CSharp => csharp::long_form(function, sides),
        }
    }
}

/// Returns whether a condition may be compared with a true expression; `Ok(true)` where it is a truth value for
/// certain.
pub fn condition(
    function: &Function<'_>,
    statement: u32,
    condition: u32,
    is_strict: bool,
) -> Result<bool, UnchangedReason> {
    match function.file.language {
        Language::Python if is_strict => python::condition(function, condition),
        Language::Python | Language::Go => Ok(true),
        Language::Java => java::condition(function, statement, condition),
        Language::JavaScript => javascript::condition(function, condition, is_strict),
        Language::CSharp => csharp::condition(function, statement, condition),
    }
}

/// Lists the parameters that are equal to themselves wherever they are compared.
pub fn equal_to_itself<'c>(function: &Function<'c>, is_strict: bool) -> Vec<&'c str> {
    let equal = alone(function, VariableRole::Parameter)
        .filter(|variable| is_equal(function, variable, is_strict));
    equal.map(|variable| variable.name).collect()
}

/// Iterates over the variables of a role whose name no other variable has: a use could mean the other one.
fn alone<'f, 'c>(
    function: &'f Function<'c>,
    role: VariableRole,
) -> impl Iterator<Item = &'f Variable<'c>> + use<'f, 'c> {
    let variables = &function.scopes.variables;
    variables.iter().filter(move |variable| {
        let same = variables.iter().filter(|other| other.name == variable.name);
        variable.role == role && same.count() == 1
    })
}

fn is_equal(function: &Function<'_>, variable: &Variable<'_>, is_strict: bool) -> bool {
    match function.file.language {
        Language::Python => !is_strict && !python::is_deleted(function, variable),
        Language::JavaScript => !is_strict,
        Language::Java => java::is_equal_to_itself(function, variable),
        Language::Go => go::is_equal_to_itself(function, variable),
        Language::CSharp => csharp::is_equal_to_itself(function, variable),
    }
}

/// Statements that give a name a value whenever they are run.
const GIVING: &[&str] = &[
    "expression_statement",
    "local_variable_declaration",
    "short_var_declaration",
    "var_declaration",
    "lexical_declaration",
    "local_declaration_statement",
];

/// Lists the locals that have a value whenever a condition is evaluated, and are equal to themselves.
pub fn equal_locals<'c>(function: &Function<'c>, condition: u32, is_strict: bool) -> Vec<&'c str> {
    let set = alone(function, VariableRole::Local)
        .filter(|variable| variable.name != "_" && is_set_before(function, variable, condition))
        .filter(|variable| is_equal(function, variable, is_strict));
    set.map(|variable| variable.name).collect()
}

/// Tells whether a statement before the condition, in a block around it, gives a variable its value.
fn is_set_before(function: &Function<'_>, variable: &Variable<'_>, condition: u32) -> bool {
    let code = function.code;
    let start = code.span(condition).start;
    let blocks: Vec<u32> = code
        .above(condition)
        .take_while(|n| *n >= function.body)
        .collect();
    let mut bindings = variable
        .uses
        .iter()
        .filter(|variable_use| variable_use.is_binding);
    bindings.any(|binding| {
        let mut below = binding.node;
        for above in code.above(binding.node) {
            let is_block = function.words.blocks.contains(&code.kind(above));
            if is_block || above <= function.body {
                return is_block
                    && blocks.contains(&above)
                    && code.span(below).end <= start
                    && gives(function, below, binding.node);
            }
            below = above;
        }
        false
    })
}

/// Tells whether a statement is a declaration or an assignment with a value for this name.
fn gives(function: &Function<'_>, statement: u32, name: u32) -> bool {
    let code = function.code;
    let holder = code.parent(name);
    let is_target = match code.kind(holder) {
        "assignment" => code.field(name) == "left" && code.child(holder, "right").is_some(),
        "variable_declarator" => {
            // In C# the value has no name of its own.
            code.field(name) == "name" && code.children(holder).count() > 2
        }
        "expression_list" => code.field(holder) == "left",
        "var_spec" => true,
        _ => false,
    };
    let is_direct = code
        .above(name)
        .take_while(|n| *n != statement)
        .all(|n| !function.words.inner.contains(&code.kind(n)));
    GIVING.contains(&code.kind(statement)) && is_target && is_direct
}

/// Lists the parameters that can be compared with themselves without effect, with their types where a declaration needs
/// them.
pub fn comparable<'f, 'c>(
    function: &'f Function<'c>,
    all: &[&'f Variable<'c>],
    is_strict: bool,
) -> Vec<(&'f Variable<'c>, String)> {
    let language = function.file.language;
    let typed = all.iter().filter_map(|variable| {
        let typed = match language {
            Language::Python => {
                python::is_comparable(function, variable, is_strict).then(String::new)
            }
            Language::JavaScript => Some(String::new()),
            Language::Java => java::type_of(function, variable),
            Language::Go => go::is_comparable(function, variable).then(String::new),
            Language::CSharp => csharp::comparable_type(function, variable, is_strict),
        };
        typed.map(|typed| (*variable, typed))
    });
    typed.collect()
}

/// Lists the parameters that can be printed.
pub fn printable<'f, 'c>(
    function: &'f Function<'c>,
    all: &[&'f Variable<'c>],
    is_strict: bool,
) -> Vec<&'f Variable<'c>> {
    let all = all.iter().copied();
    match function.file.language {
        Language::Python => python::printable(function, all.collect(), is_strict),
        Language::Java => java::printable(function, all.collect(), is_strict),
        Language::Go => all
            .filter(|variable| go::is_printable(function, variable))
            .collect(),
        Language::JavaScript => all.collect(),
        Language::CSharp => csharp::printable(function, all.collect(), is_strict),
    }
}
