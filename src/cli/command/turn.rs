//! The turn of a job that writes the index.

use crate::Context;
use crate::failure::Stop;
use crate::job::Ahead;
use crate::store::{Store, StoreError};

/// Opens the index as `open` does. A job that writes it waits until those before it have ended.
pub fn open_in_turn(
    context: &mut Context<'_, '_>,
    mut open: impl FnMut() -> Result<Store, StoreError>,
) -> Result<Store, Stop> {
    let Some(job) = context.job.clone() else {
        return Ok(open()?);
    };
    let store = job.wait_for_turn(open, |ahead| {
        let who = match ahead {
            Ahead::Job(row) => {
                let pid = row
                    .pid
                    .map_or_else(String::new, |pid| format!(", process {pid}"));
                format!("job {} ({}{pid})", row.id, row.kind.as_str())
            }
            Ahead::Somebody => "another focalist that writes the index".to_owned(),
        };
        let leaves = if job.is_background() {
            format!("`focalist jobs cancel {}`", job.id())
        } else {
            "^C".to_owned()
        };
        context.say(&format!("waiting for {who}; {leaves} leaves the queue"));
    })?;
    Ok(store)
}
