//! Predictions as lines of JSON, each with its texts: what `focalist results --json --texts` prints and the terminal UI
//! writes to a file.

use std::io::Write;

use crate::exchange::{WireResult, write_line};
use crate::store::Store;

use super::{ResultsView, detail};
use crate::EvalError;

/// Writes the predictions of these ordinals, in this order; one that is gone from the index is left out. Returns how
/// many there were.
pub fn write_texts(
    store: &Store,
    view: &ResultsView,
    ordinals: &[u32],
    out: &mut dyn Write,
) -> Result<u64, EvalError> {
    let name = &view.run.setting.name;
    let mut n_written = 0;
    for ordinal in ordinals {
        if let Some(result_detail) = detail(store, view, *ordinal)? {
            let line = WireResult::new(
                name,
                &view.metrics,
                &result_detail.row,
                Some(&result_detail),
            );
            write_line(out, &line)?;
            n_written += 1;
        }
    }
    Ok(n_written)
}
