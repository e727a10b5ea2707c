//! Nothing printed or logged: statements that do only that become their arguments, which are still evaluated.

use crate::code::Code;
use crate::facts::MutationFile;
use crate::model::VariantEdit;

use super::edit;

/// Methods of loggers that say something.
const SAYING: &[&str] = &[
    "debug",
    "info",
    "warning",
    "warn",
    "error",
    "exception",
    "critical",
    "fatal",
    "log",
];

/// Where `print` may write to.
const STREAMS: &[&str] = &["sys.stdout", "sys.stderr", "stdout", "stderr", "None"];

/// Makes the edits that take printing and logging out of a function.
pub fn edits(file: &MutationFile<'_>, function: u32) -> Vec<VariantEdit> {
    let code = file.code;
    let mut edits = Vec::new();
    for idx in code.below(function) {
        if code.kind(idx) != "expression_statement" {
            continue;
        }
        let mut named = code.named(idx);
        let call = named.next().filter(|n| code.kind(*n) == "call");
        let Some(call) = call.filter(|_| named.next().is_none()) else {
            continue;
        };
        if (prints(file, call) || logs(code, call))
            && let Some(text) = evaluated(code, call)
        {
            edits.push(edit(code.span(call), text));
        }
    }
    edits
}

fn prints(file: &MutationFile<'_>, call: u32) -> bool {
    let code = file.code;
    let is_print = code
        .child(call, "function")
        .is_some_and(|n| code.source(n) == "print");
    let is_ours = !file.rebound.contains("print") && !file.rebound.contains("*");
    let is_known = |argument: u32| {
        let is_file = code
            .child(argument, "name")
            .is_some_and(|n| code.source(n) == "file");
        let value = code.child(argument, "value").map(|n| code.source(n));
        !is_file || value.is_some_and(|value| STREAMS.contains(&value))
    };
    let arguments = code.child(call, "arguments");
    is_print && is_ours && arguments.is_some_and(|argument| code.named(argument).all(is_known))
}

fn logs(code: &Code<'_>, call: u32) -> bool {
    let function = code.child(call, "function");
    let Some(function) = function.filter(|function| code.kind(*function) == "attribute") else {
        return false;
    };
    let name = code.child(function, "attribute").map(|n| code.source(n));
    let object = code.child(function, "object");
    name.is_some_and(|name| SAYING.contains(&name))
        && object.is_some_and(|object| is_logger(code, object))
}

/// Tells whether something is a logger by its name.
fn is_logger(code: &Code<'_>, object: u32) -> bool {
    let name = match code.kind(object) {
        "identifier" => object,
        "attribute" => match code.child(object, "attribute") {
            Some(name) => name,
            None => return false,
        },
        "call" => {
            let function = code.child(object, "function");
            return function.is_some_and(|function| {
                let last = code.source(function).rsplit('.').next().unwrap_or_default();
                matches!(last, "getLogger" | "get_logger")
            });
        }
        _ => return false,
    };
    let name = code.source(name).to_lowercase();
    let name = name.trim_matches('_');
    name == "logging" || name == "log" || name.ends_with("logger") || name.ends_with("_log")
}

/// Writes an expression that evaluates the arguments of a call in their order; nothing where that is not certain.
fn evaluated(code: &Code<'_>, call: u32) -> Option<String> {
    let arguments = code.child(call, "arguments")?;
    if code.holds(arguments, &["yield"]) {
        return None;
    }
    if code.kind(arguments) == "generator_expression" {
        return Some(code.source(arguments).to_owned());
    }
    let mut text = String::from("(");
    for argument in code.named(arguments) {
        match code.kind(argument) {
            "keyword_argument" => text.push_str(code.source(code.child(argument, "value")?)),
            "dictionary_splat" => {
                text.push('{');
                text.push_str(code.source(argument));
                text.push('}');
            }
            _ => text.push_str(code.source(argument)),
        }
        text.push_str(", ");
    }
    let text = text.trim_end();
    Some(format!("{text})"))
}
