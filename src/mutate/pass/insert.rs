//! Where a statement is put before the first one.

use super::Edit;
use crate::function::Function;
use crate::model::{Language, Span};
use crate::unchanged::UnchangedReason;

/// Whether a statement can share its line with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementSize {
    Simple,
    /// In Python it needs a line of its own.
    Compound,
}

/// Makes the edit that moves a body of Python from the line of its head to lines of its own: documentation, the new
/// statement, and the rest.
fn below_head(
    function: &Function<'_>,
    before: &[u32],
    next: Option<u32>,
    statement: &str,
) -> Result<Edit, UnchangedReason> {
    let code = function.code;
    let body = code.span(function.body).start;
    let end = code.text[..body as usize]
        .trim_end_matches([' ', '\t'])
        .len() as u32;
    let is_behind_head = code.text[..end as usize].ends_with(':');
    // A line of documentation, and no more, may stand before it.
    if !is_behind_head || before.len() > 1 {
        return Err(UnchangedReason::FirstShares);
    }
    let indent = code.indent(code.span(function.outer).start);
    let unit = if indent.starts_with('\t') {
        "\t"
    } else {
        "    "
    };
    let start = format!("{}{indent}{unit}", code.line_break());
    let mut text = String::new();
    for n in before {
        text.push_str(&start);
        text.push_str(code.source(*n));
    }
    text.push_str(&start);
    text.push_str(statement);
    let until = match next {
        Some(next) => {
            text.push_str(&start);
            code.span(next).start
        }
        None => before.last().map_or(body, |n| code.span(*n).end),
    };
    Ok(Edit {
        span: Span::new(end, until),
        text,
    })
}

/// Makes the edit that puts a statement behind documentation and directives, and before all else.
pub fn first(
    function: &Function<'_>,
    statement: &str,
    size: StatementSize,
) -> Result<Edit, UnchangedReason> {
    let code = function.code;
    let kind = code.kind(function.body);
    if !kind.ends_with("block") && kind != "constructor_body" {
        return Err(UnchangedReason::ExpressionBody);
    }
    let statements = function.statements();
    let n_prologue = function.n_prologue(&statements);
    let is_python = function.file.language == Language::Python;
    let line_break = code.line_break();
    if let Some(next) = statements.get(n_prologue) {
        let at = code.span(*next).start;
        if code.begins_line(at) {
            let start = code.line_start(at);
            let text = format!("{}{statement}{line_break}", code.indent(at));
            return Ok(Edit {
                span: Span::new(start, start),
                text,
            });
        }
        if is_python && size == StatementSize::Compound {
            return below_head(function, &statements[..n_prologue], Some(*next), statement);
        }
        return Ok(Edit {
            span: Span::new(at, at),
            text: format!("{statement}{}", function.words.separator),
        });
    }
    if let Some(last) = statements.last() {
        // Nothing but documentation or directives.
        let span = code.span(*last);
        let line = Span::new(span.end, code.line_end(span.end)).of(code.text);
        let is_alone = line.trim().is_empty() || line.trim_start().starts_with(['#', ';']);
        if is_python && !code.begins_line(span.start) && line.trim().is_empty() {
            return below_head(function, &statements, None, statement);
        }
        if !code.begins_line(span.start) || !is_alone {
            return Err(UnchangedReason::OnlyShares);
        }
        let at = code.line_end(span.end);
        return Ok(Edit {
            span: Span::new(at, at),
            text: format!("{line_break}{}{statement}", code.indent(span.start)),
        });
    }
    // An empty body in braces.
    let span = code.span(function.body);
    if is_python || !code.source(function.body).starts_with('{') {
        return Err(UnchangedReason::Without { what: "statement" });
    }
    let at = span.start + 1;
    Ok(Edit {
        span: Span::new(at, at),
        text: format!(" {statement} "),
    })
}
