//! `RTF`: a condition is compared with a true expression, `c` → `c == (x == x)`.

use super::{Edit, PassChoice};
use crate::function::Function;
use crate::model::Language;
use crate::sure;
use crate::unchanged::UnchangedReason;

pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let mut why = UnchangedReason::Without { what: "condition" };
    let mut found = Vec::new();
    for idx in function.inside() {
        if let Some(condition) = condition(function, idx) {
            match sure::condition(function, idx, condition, choice.is_strict) {
                Ok(is_certain) => found.push((condition, is_certain)),
                Err(reason) => why = reason,
            }
        }
    }
    if found.is_empty() {
        return Err(why);
    }
    // Conditions that are certainly truth values go before those that only look like one.
    if choice.is_strict && found.iter().any(|pair| pair.1) {
        found.retain(|pair| pair.1);
    }
    let (condition, _) = found[choice.of(function, found.len())];
    let code = function.code;
    let words = function.words;
    let mut xs = sure::equal_to_itself(function, choice.is_strict);
    if xs.is_empty() {
        xs = sure::equal_locals(function, condition, choice.is_strict);
    }
    let same = match xs.len() {
        0 => words.always.to_owned(),
        n => words.same.replace("{x}", xs[choice.of(function, n)]),
    };
    let source = code.source(condition);
    let is_primary = words.primary.contains(&code.kind(condition));
    let c = if function.file.language == Language::Python && !is_primary {
        format!("({source})")
    } else {
        source.to_owned()
    };
    // The condition last: it may hold anything.
    let text = words.condition.replace("{same}", &same).replace("{c}", &c);
    Ok(vec![Edit {
        span: code.span(condition),
        text,
    }])
}

/// Finds the condition of a statement that has one, without the brackets that belong to the statement.
fn condition(function: &Function<'_>, idx: u32) -> Option<u32> {
    let code = function.code;
    let kind = code.kind(idx);
    let (_, field) = function
        .words
        .conditions
        .iter()
        .find(|condition| condition.0 == kind)?;
    if function.is_inner(idx) {
        return None;
    }
    let found = if field.is_empty() {
        let first = code.named(idx).next()?;
        let is_clause = matches!(code.kind(first), "for_clause" | "range_clause" | "block");
        (!is_clause).then_some(first)?
    } else {
        code.child(idx, field)?
    };
    if function.words.has_bracketed_conditions
        && code.kind(found) == "parenthesized_expression"
        && kind != "for_statement"
    {
        return code.named(found).next();
    }
    // `for (;;)` has an empty one in JavaScript.
    (code.kind(found) != "empty_statement" && code.is_named(found)).then(|| {
        if code.kind(found) == "expression_statement" {
            code.named(found).next().unwrap_or(found)
        } else {
            found
        }
    })
}
