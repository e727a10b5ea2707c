//! Which contract-preserving variants of the code a test objects to, as a column of a query over executions.

use rusqlite::Row;

use crate::model::{Brittleness, VariantKinds};

use super::codec::ORDINAL_BITS;
use super::error::StoreFailure;

/// A column of a query over `executions e`: the kinds of variants that a test ran on and those that it objects to, as
/// words that [`brittleness`] reads.
pub(super) const BRITTLENESS: &str = "(SELECT printf('%d %d', v.held, v.objects) FROM varied v
        WHERE v.is_settled AND v.engine = e.engine AND v.prediction =
        COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)) AS brittleness";

const _: () = assert!(ORDINAL_BITS == 32, "the query masks as many bits");

/// Reads [`BRITTLENESS`].
pub(super) fn brittleness(row: &Row<'_>) -> Result<Option<Brittleness>, StoreFailure> {
    let Some(words) = row.get::<_, Option<String>>("brittleness")? else {
        return Ok(None);
    };
    let bits: Result<Vec<u8>, _> = words.split(' ').map(str::parse).collect();
    let Ok([held, objects]) = bits.as_deref() else {
        let what = format!("`{words}` is not a valid brittleness");
        return Err(StoreFailure::Damaged(what));
    };
    Ok(Some(Brittleness {
        held: VariantKinds::of_bits(*held),
        objects: VariantKinds::of_bits(*objects),
    }))
}
