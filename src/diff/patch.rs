//! A difference as `diff -u` writes it: what people paste, and what `patch` and `git apply` read.

use std::fmt::Write as _;

use super::{DiffRow, DiffSide, hunks, is_same, split, unified};

/// Writes the unified form of `rows`, which belong to these texts, with `context` lines around each change; empty when
/// nothing differs.
///
/// Applied to the old text it gives the new one; where not all white space counts, it gives the new one except for
/// white space. Line numbers are the texts'. Line ends inside a title become spaces.
#[must_use]
pub fn patch(
    (old, new): (&str, &str),
    (old_title, new_title): (&str, &str),
    rows: &[DiffRow],
    context: usize,
) -> String {
    let mut patch = String::new();
    if is_same(rows) {
        return patch;
    }
    let (old, new) = (split(old), split(new));
    let title = |text: &str| text.replace(['\n', '\r'], " ");
    put(
        &mut patch,
        format_args!("--- {}\n+++ {}\n", title(old_title), title(new_title)),
    );
    let (mut old_at, mut new_at, mut row_at) = (0, 0, 0);
    for hunk in hunks(rows, context) {
        // Between hunks both texts go on line by line.
        old_at += hunk.start - row_at;
        new_at += hunk.start - row_at;
        row_at = hunk.end;
        let rows = &rows[hunk];
        let n_old = rows.iter().filter(|row| row.old.is_some()).count();
        let n_new = rows.iter().filter(|row| row.new.is_some()).count();
        // A side without lines is numbered by the line before it.
        let first = |at: usize, n: usize| if n == 0 { at } else { at + 1 };
        put(
            &mut patch,
            format_args!(
                "@@ -{},{n_old} +{},{n_new} @@\n",
                first(old_at, n_old),
                first(new_at, n_new)
            ),
        );
        (old_at, new_at) = (old_at + n_old, new_at + n_new);
        for (side, idx) in unified(rows) {
            let line = match side {
                DiffSide::New => rows[idx].new.and_then(|n| new.get(n as usize)),
                DiffSide::Both | DiffSide::Old => rows[idx].old.and_then(|n| old.get(n as usize)),
            };
            let line = line.copied().unwrap_or_default();
            patch.push(side.sign());
            patch.push_str(line);
            if !line.ends_with('\n') {
                patch.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    patch
}

fn put(patch: &mut String, text: std::fmt::Arguments<'_>) {
    patch.write_fmt(text).expect("a string takes every text");
}
