//! Parquet files: rows of samples, or of MERA's records.

use crate::exchange::ParquetError;
use crate::exchange::columns::each_row;
use crate::exchange::records::{Record, RecordError, kind};
use crate::task::Cancelled;
use serde_json::Value;

use super::lines::RecordTally;
use super::{FileCheck, ReadHalt};

/// Why rows are read no further.
#[derive(Debug, thiserror::Error)]
enum RowsEnd {
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Checks a file of rows, which are read as lines of the same format are.
pub(super) fn check(check: &mut FileCheck<'_>) -> Result<(), ReadHalt> {
    let mut reading = RecordTally::default();
    let mut n_rows: u32 = 0;
    let place = check.place();
    let read = each_row(&place, |row| {
        check.monitor.step()?;
        n_rows = n_rows.saturating_add(1);
        let fields = match row {
            Value::Object(fields) => Ok(fields),
            other => Err(RecordError::NotAnObject {
                found: kind(&other),
            }),
        };
        let line = n_rows;
        reading.record(check, Record { line, fields });
        Ok::<_, RowsEnd>(())
    });
    match read {
        Ok(()) => {}
        Err(RowsEnd::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(RowsEnd::Parquet(error)) => {
            check.checked("Parquet", Some(u64::from(n_rows)));
            let what = format!("cannot be read as Parquet: {error}");
            check.flaw(
                None,
                what,
                "it is cut off or damaged: write it again with `focalist export --format parquet`",
            );
            return Ok(());
        }
    }
    if !reading.report_kind(check) {
        check.checked("Parquet", Some(0));
        check.known.rows.insert(check.path.clone(), 0);
    }
    Ok(())
}
