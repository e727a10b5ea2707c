//! A difference as every `diff -u` writes it.

use std::io::{self, Write};

use crate::diff::{self, DiffRow, DiffSide};
use crate::table::visible;

/// Unchanged lines that are shown around a difference.
const CONTEXT_LINES: usize = 3;

/// Writes the hunks of a difference, each line behind `indent`; nothing when nothing differs.
pub fn write(
    out: &mut dyn Write,
    indent: &str,
    texts: (&str, &str),
    rows: &[DiffRow],
) -> io::Result<()> {
    let (old, new) = (diff::split(texts.0), diff::split(texts.1));
    for hunk in diff::hunks(rows, CONTEXT_LINES) {
        let rows = &rows[hunk];
        let first =
            |side: fn(&DiffRow) -> Option<u32>| rows.iter().find_map(side).map_or(0, |n| n + 1);
        let n_of = |side: fn(&DiffRow) -> Option<u32>| rows.iter().filter_map(side).count();
        writeln!(
            out,
            "{indent}@@ -{},{} +{},{} @@",
            first(|diff_row| diff_row.old),
            n_of(|diff_row| diff_row.old),
            first(|diff_row| diff_row.new),
            n_of(|diff_row| diff_row.new)
        )?;
        for (side, idx) in diff::unified(rows) {
            let line = match side {
                DiffSide::New => rows[idx].new.and_then(|n| new.get(n as usize)),
                DiffSide::Both | DiffSide::Old => rows[idx].old.and_then(|n| old.get(n as usize)),
            };
            let line = line.copied().unwrap_or_default();
            let line = line.strip_suffix('\n').unwrap_or(line);
            writeln!(out, "{indent}{}{}", side.sign(), shown(line))?;
        }
    }
    Ok(())
}

/// Makes a line of code printable: indented as it is, and nothing that moves the cursor.
fn shown(line: &str) -> String {
    line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}
