//! The rows of `runs --compile-errors`: why a run's answers in Java do not compile.

use crate::args::TableName;
use crate::eval::compile_errors::{CompileError, Example, OfKind, compile_errors};
use crate::exchange::outcomes::{WireCompileError, WireCompileExample};
use crate::exchange::write_line;
use crate::failure::Stop;
use crate::model::{RunRow, counted};
use crate::store::Store;
use crate::table::{Align, Numbers, Table, visible};
use crate::{Context, progress};

use super::write_as;

/// Writes a row for each kind of error of each run, the most frequent first. Runs that were never executed are an error.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    format: TableName,
) -> Result<(), Stop> {
    let numbers = Numbers::of(format);
    let mut table = Table::new(&[
        ("run", Align::Left),
        ("error", Align::Left),
        ("answers", Align::Right),
        (&*numbers.head("share"), Align::Right),
        ("example", Align::Left),
        ("sample", Align::Left),
    ]);
    for run in runs {
        let name = &run.setting.name;
        let found = progress::run(context, |_, monitor| {
            Ok(compile_errors(store, monitor, run)?)
        })?;
        let mut kinds: Vec<(CompileError, &OfKind)> =
            found.kinds.iter().map(|(kind, it)| (*kind, it)).collect();
        kinds.sort_by_key(|(kind, it)| (std::cmp::Reverse(it.n), *kind));
        for (kind, it) in kinds {
            let share = it.n as f64 / found.n as f64;
            if format == TableName::Json {
                write_line(context.streams.out, &wire(name, kind, it, share))?;
                continue;
            }
            let example = it.examples.first();
            table.row([
                visible(name),
                kind.as_str().to_owned(),
                it.n.to_string(),
                numbers.share(Some(share)),
                example.map_or_else(String::new, |it| first_lines(&it.message)),
                example.map_or_else(String::new, |it| it.key.to_string()),
            ]);
        }
        context.say(&format!(
            "{}: {} of {} in Java do not compile",
            visible(name),
            found.n,
            counted(found.n_tried, "answer"),
        ));
    }
    if format != TableName::Json {
        write_as(&table, format, context.streams.out)?;
    }
    Ok(())
}

/// Returns a message on one line, without where a symbol was looked for.
fn first_lines(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|it| !it.starts_with("location:")).collect();
    let text = visible(&lines.join(" · "));
    match text.char_indices().nth(EXAMPLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How long an example is in a table.
const EXAMPLE_CHARS: usize = 70;

fn wire<'a>(run: &'a str, kind: CompileError, it: &'a OfKind, share: f64) -> WireCompileError<'a> {
    let example = |it: &'a Example| WireCompileExample {
        sample: it.key.to_string(),
        attempt: it.attempt,
        line: it.line,
        message: &it.message,
    };
    WireCompileError {
        run,
        error: kind.as_str(),
        answers: it.n,
        share,
        codes: &it.codes,
        examples: it.examples.iter().map(example).collect(),
    }
}
