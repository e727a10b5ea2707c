//! Every row of an index as a line of JSON (`export --format dump`): two indexes say the same exactly when their dumps are
//! equal byte by byte, however they came about.

use std::io::Write;

use crate::ExportError;
use crate::exchange::{WireCell, WireDumpedRow, write_line};
use crate::store::{DumpedRow, DumpedValue, Store};
use crate::task::{Monitor, Phase};

/// Writes the rows of repositories in their order; returns how many.
///
/// # Errors
/// The database's and those of `out`.
pub fn dump(store: &Store, monitor: &Monitor, out: &mut dyn Write) -> Result<u64, ExportError> {
    monitor.enter(Phase::Writing);
    let mut n_rows = 0;
    store.each_dumped_row(|row| {
        monitor.step()?;
        n_rows += 1;
        write_row(&row, out)
    })?;
    out.flush()?;
    Ok(n_rows)
}

/// Writes the rows of a run, by its id, without times and durations; returns how many.
///
/// # Errors
/// The database's and those of `out`.
pub fn dump_run(
    store: &Store,
    run: i64,
    monitor: &Monitor,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    monitor.enter(Phase::Writing);
    let mut n_rows = 0;
    store.each_dumped_row_of_run(run, |row| {
        monitor.step()?;
        n_rows += 1;
        write_row(&row, out)
    })?;
    out.flush()?;
    Ok(n_rows)
}

fn write_row(row: &DumpedRow, out: &mut dyn Write) -> Result<(), ExportError> {
    let cells = row.columns.iter().map(|(name, value)| {
        let cell = match value {
            DumpedValue::Null => WireCell::Null,
            DumpedValue::Integer(number) => WireCell::Integer(*number),
            DumpedValue::Real(number) => WireCell::Real(*number),
            DumpedValue::Text(text) => WireCell::Text(text),
            DumpedValue::Bytes(bytes) => WireCell::Bytes(hex(bytes)),
        };
        (name.as_str(), cell)
    });
    let line = WireDumpedRow {
        table: row.table,
        project: row.repo.as_ref().map(|repo_key| repo_key.identity.as_str()),
        language: row.repo.as_ref().map(|repo_key| repo_key.language.as_str()),
        row: cells.collect(),
    };
    Ok(write_line(out, &line)?)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |byte: u8| char::from_digit(u32::from(byte), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
