//! The stability of a test, as a column of a query over executions.

use rusqlite::Row;

use crate::model::{Shakes, Stability};

use super::codec::ORDINAL_BITS;
use super::error::StoreFailure;

/// A column of a query over `executions e`: the shakes tried, the shakes that changed the outcome, the runs and the
/// failed runs, as words that [`stability`] reads.
pub(super) const STABILITY: &str =
    "(SELECT printf('%d %d %d %d', s.tried, s.changed, s.n_runs, s.n_failed) FROM shaken s
        WHERE s.engine = e.engine AND s.prediction =
        COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)) AS stability";

const _: () = assert!(ORDINAL_BITS == 32, "the query masks as many bits");

/// Reads [`STABILITY`].
pub(super) fn stability(row: &Row<'_>) -> Result<Option<Stability>, StoreFailure> {
    let Some(words) = row.get::<_, Option<String>>("stability")? else {
        return Ok(None);
    };
    let numbers: Result<Vec<u32>, _> = words.split(' ').map(str::parse).collect();
    let damaged = || StoreFailure::Damaged(format!("`{words}` does not say how stable a test is"));
    let Ok([tried, changed, n_runs, n_failed]) = numbers.as_deref() else {
        return Err(damaged());
    };
    let shakes = |bits: &u32| u16::try_from(*bits).map(Shakes::of_bits);
    let both = shakes(tried).and_then(|tried| Ok((tried, shakes(changed)?)));
    let (tried, changed) = both.map_err(|_| damaged())?;
    Ok(Some(Stability {
        tried,
        changed,
        n_runs: *n_runs,
        n_failed: *n_failed,
    }))
}
