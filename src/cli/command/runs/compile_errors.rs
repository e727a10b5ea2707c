//! The rows of `runs --compile-errors`: why a run's answers in Java do not compile.

use crate::args::TableName;
use crate::eval::compile_errors::{CompileError, ErrorsOfKind, Example, compile_errors};
use crate::exchange::outcomes::{WireCompileError, WireCompileExample};
use crate::exchange::write_lines;
use crate::failure::Stop;
use crate::model::{RunRow, counted};
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable, visible};
use crate::{Context, progress};

/// Writes a row for each kind of error of each run, the most frequent first. Runs that were never executed are an
/// error.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    format: TableName,
) -> Result<(), Stop> {
    let mut all = Vec::new();
    for run in runs {
        let name = &run.setting.name;
        let found = progress::run(context, |_, monitor| {
            Ok(compile_errors(store, monitor, run)?)
        })?;
        let share = |n: u64| n as f64 / found.n as f64;
        let kinds = found.kinds.into_iter();
        let mut rows: Vec<CompileErrorRow<'_>> = kinds
            .map(|(kind, of_kind)| (name.as_str(), kind, share(of_kind.n), of_kind))
            .collect();
        rows.sort_by_key(|(_, kind, _, of_kind)| (std::cmp::Reverse(of_kind.n), *kind));
        all.extend(rows);
        context.say(&format!(
            "{}: {} of {} in Java do not compile",
            visible(name),
            found.n,
            counted(found.n_tried, "answer"),
        ));
    }
    Ok(context.print(
        format,
        |out| write_lines(out, all.iter().map(wire)),
        |numbers| [table(&all, numbers)],
    )?)
}

/// A run, a kind of its errors, its share among the answers that do not compile, and its details.
type CompileErrorRow<'r> = (&'r str, CompileError, f64, ErrorsOfKind);

fn table(rows: &[CompileErrorRow<'_>], numbers: NumberStyle) -> TextTable {
    let mut table = TextTable::new(&[
        ("run", Align::Left),
        ("error", Align::Left),
        ("answers", Align::Right),
        (&*numbers.head("share"), Align::Right),
        ("example", Align::Left),
        ("sample", Align::Left),
    ]);
    for (run, kind, share, of_kind) in rows {
        let example = of_kind.examples.first();
        table.row([
            visible(run),
            kind.as_str().to_owned(),
            of_kind.n.to_string(),
            numbers.share(Some(*share)),
            example.map_or_else(String::new, |example| first_lines(&example.message)),
            example.map_or_else(String::new, |example| example.key.to_string()),
        ]);
    }
    table
}

/// Joins a message to one line, without the place where a symbol was looked for.
fn first_lines(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| !line.starts_with("location:"))
        .collect();
    let text = visible(&lines.join(" · "));
    match text.char_indices().nth(EXAMPLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The characters of an example in a table.
const EXAMPLE_CHARS: usize = 70;

fn wire<'a>((run, kind, share, errors_of_kind): &'a CompileErrorRow<'_>) -> WireCompileError<'a> {
    let example = |example: &'a Example| WireCompileExample {
        sample: example.key.to_string(),
        attempt: example.attempt,
        line: example.line,
        message: &example.message,
    };
    WireCompileError {
        run,
        error: kind.as_str(),
        answers: errors_of_kind.n,
        share: *share,
        codes: &errors_of_kind.codes,
        examples: errors_of_kind.examples.iter().map(example).collect(),
    }
}
