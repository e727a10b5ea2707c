//! `REP_R`, `REP_C`, `REL_R`, `REL_C`: one parameter or local, and all its uses, get another name.

use super::{Edit, Pass, PassChoice, capitalised};
use crate::function::Function;
use crate::model::Language;
use crate::scope::{UseForm, Variable, VariableRole};
use crate::unchanged::UnchangedReason;

pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let is_parameter = matches!(choice.pass, Pass::RepR | Pass::RepC);
    let (role, what) = if is_parameter {
        (VariableRole::Parameter, "parameter to rename")
    } else {
        (VariableRole::Local, "local variable to rename")
    };
    if let Some(why) = function.scopes.bar {
        return Err(UnchangedReason::Names { why });
    }
    if is_parameter && choice.is_strict {
        callers_keep(function)?;
    }
    let mut unchanged = UnchangedReason::Without { what };
    let mut found = Vec::new();
    for variable in &function.scopes.variables {
        if variable.role != role || variable.name == "_" || variable.name.starts_with("__") {
            continue;
        }
        match keeps(function, variable, choice) {
            Ok(()) => found.push(variable),
            Err(why) => {
                let name = variable.name.to_owned();
                unchanged = UnchangedReason::Name { name, why };
            }
        }
    }
    if found.is_empty() {
        return Err(unchanged);
    }
    let variable = found[choice.of(function, found.len())];
    let base = match choice.pass {
        Pass::RepR => "Param1".to_owned(),
        Pass::RepC => format!("{}_Param_{}", capitalised(function.name), variable.name),
        Pass::RelR => "LocalVar1".to_owned(),
        Pass::RelC | Pass::Irr | Pass::Rtf | Pass::GraR | Pass::GraC | Pass::Ini => format!(
            "{}_{}",
            function.name.trim_start_matches('#'),
            variable.name
        ),
    };
    let name = function.file.fresh(&base);
    if name.starts_with("__") && function.code.holds(function.body, &["class_definition"]) {
        return Err(UnchangedReason::PrivateName { name });
    }
    Ok(edits(function, variable, &name))
}

/// See [`rename_all`](super::rename_all).
pub fn all(function: &Function<'_>) -> Vec<Edit> {
    if function.scopes.bar.is_some() {
        return Vec::new();
    }
    let strictly = PassChoice {
        pass: Pass::RelR,
        is_strict: true,
        seed: 0,
    };
    let mut all = Vec::new();
    for variable in &function.scopes.variables {
        let is_free = match variable.role {
            VariableRole::Local => true,
            VariableRole::Parameter => is_positional(function, variable),
            VariableRole::Rest | VariableRole::Receiver | VariableRole::Foreign => false,
        };
        let is_plain = variable.name != "_" && !variable.name.starts_with("__");
        if is_free && is_plain && keeps(function, variable, strictly).is_ok() {
            let name = function.file.fresh(&format!("{}_renamed", variable.name));
            all.extend(edits(function, variable, &name));
        }
    }
    all
}

/// Tells whether a parameter of Python is given by its place alone: it stands before `/`.
fn is_positional(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    let code = function.code;
    let Some(parameters) = code.child(function.node, "parameters") else {
        return false;
    };
    let mut all = code.children(parameters);
    let separator = all.find(|n| code.kind(*n) == "positional_separator");
    let declared = variable.uses.first().map(|variable_use| variable_use.node);
    separator
        .is_some_and(|at| declared.is_some_and(|declared| parameters < declared && declared < at))
}

fn edits(function: &Function<'_>, variable: &Variable<'_>, name: &str) -> Vec<Edit> {
    let code = function.code;
    let mut edits: Vec<Edit> = variable
        .uses
        .iter()
        .map(|variable_use| Edit {
            span: code.span(variable_use.node),
            text: match variable_use.form {
                UseForm::Plain => name.to_owned(),
                UseForm::Shorthand => format!("{}: {name}", variable.name),
            },
        })
        .collect();
    if variable.role == VariableRole::Parameter {
        for idx in function.inside() {
            edits.extend(recursive(function, idx, variable.name).map(|n| Edit {
                span: code.span(n),
                text: name.to_owned(),
            }));
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    edits
}

/// Finds the name of an argument if the function passes `parameter` by its name in a call of itself.
fn recursive(function: &Function<'_>, idx: u32, parameter: &str) -> Option<u32> {
    let code = function.code;
    let is_named = matches!(code.kind(idx), "keyword_argument" | "argument");
    let name = is_named.then(|| code.child(idx, "name")).flatten()?;
    if code.source(name) != parameter {
        return None;
    }
    let call = code.parent(code.parent(idx));
    let called = code.child(call, "function")?;
    let last = code
        .child(called, "attribute")
        .or_else(|| code.child(called, "name"))
        .unwrap_or(called);
    (code.source(last) == function.name).then_some(name)
}

/// Fails with the reason why a variable keeps its name, if there is one.
fn keeps(
    function: &Function<'_>,
    variable: &Variable<'_>,
    choice: PassChoice,
) -> Result<(), &'static str> {
    if let Some(bar) = variable.bar
        && (choice.is_strict || !bar.is_strict)
    {
        return Err(bar.why);
    }
    if !variable.name.is_ascii() {
        return Err("has letters that have several spellings");
    }
    if !choice.is_strict {
        return Ok(());
    }
    let language = function.file.language;
    let text = function.code.text;
    if variable.role == VariableRole::Parameter
        && matches!(language, Language::Python | Language::CSharp)
        && is_passed_by_name(function, variable.name)
    {
        return Err("is passed by its name in the file");
    }
    if language == Language::Python {
        if variable.role == VariableRole::Parameter && may_be_passed_from_above(function, variable)
        {
            return Err("may be passed by name where the class above is known");
        }
        let quoted = [
            format!("'{}'", variable.name),
            format!("\"{}\"", variable.name),
        ];
        let is_quoted = quoted.iter().any(|literal| text.contains(literal.as_str()));
        if variable.role == VariableRole::Parameter && is_quoted {
            return Err("is named in a text of the file");
        }
        // `"/<name>"` and `":name"`: code that reads such texts passes arguments by these names.
        let is_filled_in = [
            format!("<{}>", variable.name),
            format!(":{}>", variable.name),
        ]
        .iter()
        .any(|placeholder| text.contains(placeholder.as_str()));
        if variable.role == VariableRole::Parameter && is_filled_in {
            return Err("is named in a text of the file");
        }
        if source_has(function, &format!("@{}", variable.name)) {
            return Err("is named in a text of the function");
        }
    }
    Ok(())
}

/// Tells whether a parameter has a default in a method that may override one of a class of another file: callers that
/// know only the class above mostly pass such a parameter by its name.
fn may_be_passed_from_above(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    let code = function.code;
    let class = code.parent(code.parent(function.outer));
    let above = code.child(class, "superclasses");
    let has_above = code.kind(class) == "class_definition"
        && above.is_some_and(|above| code.named(above).any(|n| code.source(n) != "object"));
    let can_be_left_out = variable.uses.iter().any(|variable_use| {
        let parent = code.parent(variable_use.node);
        matches!(
            code.kind(parent),
            "default_parameter" | "typed_default_parameter"
        ) && code.field(variable_use.node) == "name"
    });
    has_above && can_be_left_out
}

fn source_has(function: &Function<'_>, text: &str) -> bool {
    function.code.source(function.body).contains(text)
}

fn is_passed_by_name(function: &Function<'_>, name: &str) -> bool {
    let file = function.file;
    let is_built_in = |called: &&str| {
        file.language == Language::Python
            && BUILT_IN.contains(called)
            && !file.rebound.contains(called)
    };
    file.open_calls.contains(function.name)
        || file.open_calls.contains("")
        || file
            .keywords
            .get(name)
            .is_some_and(|called| !called.iter().all(is_built_in))
}

/// Functions of Python that pass their named arguments to no other code.
const BUILT_IN: &[&str] = &[
    "print",
    "sorted",
    "sort",
    "open",
    "int",
    "str",
    "max",
    "min",
    "sum",
    "enumerate",
    "zip",
    "split",
    "rsplit",
    "encode",
    "decode",
    "namedtuple",
    "round",
    "pow",
    "super",
];

/// Decorators that pass arguments on as they come.
const HARMLESS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "property",
    "lru_cache",
    "cache",
    "cacheit",
    "wraps",
    "abstractmethod",
    "override",
    "overload",
    "contextmanager",
    "setter",
    "getter",
    "deleter",
    "cached_property",
    "final",
    "total_ordering",
    "no_type_check",
];

/// Fails with the reason why callers, or decorators before the function, may name the parameters, if there is one.
fn callers_keep(function: &Function<'_>) -> Result<(), UnchangedReason> {
    if function.file.language != Language::Python {
        return Ok(());
    }
    let code = function.code;
    for idx in code.children(function.outer) {
        if code.kind(idx) == "decorator" {
            let source = code.source(idx).trim_start_matches('@').trim();
            let name = source.split('(').next().unwrap_or_default().trim();
            let last = name.rsplit('.').next().unwrap_or_default();
            if !HARMLESS.contains(&last) {
                let decorator = last.to_owned();
                return Err(UnchangedReason::Decorator { decorator });
            }
        }
    }
    if function.name.starts_with("test") || function.name.starts_with("pytest_") {
        return Err(UnchangedReason::Fixtures);
    }
    Ok(())
}
