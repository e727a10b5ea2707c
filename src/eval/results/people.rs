//! The tags that people gave to the rows of a list, in place of the machine's. Every list has them, whichever face
//! shows it.

use std::path::Path;

use crate::model::{ResultRow, RunRow};
use crate::store::{Store, StoreError, Verdicts};

/// Fills in the tags that were given last, by any annotator, and that are not stale.
pub(super) fn fill_in(
    store: &Store,
    run: &RunRow,
    rows: &mut [ResultRow],
) -> Result<(), StoreError> {
    let folder = store.path().parent().unwrap_or(Path::new("."));
    if !folder.join(Verdicts::FILE_NAME).exists() {
        return Ok(());
    }
    let verdicts = Verdicts::open_or_empty(folder)?;
    for row in rows {
        let ruled = store.ruled_of(&verdicts, run, &row.key, row.attempt)?;
        let held = ruled
            .into_iter()
            .filter(|ruled_prediction| ruled_prediction.now.is_some());
        let last = held.max_by_key(|ruled_prediction| {
            (ruled_prediction.ruling.at_ms, ruled_prediction.ruling.event)
        });
        row.people = last.map(|ruled_prediction| ruled_prediction.ruling.tagged.tags);
    }
    Ok(())
}
