//! The turn of a job that writes the index, or asks a model.

use std::path::Path;

use crate::Context;
use crate::failure::Stop;
use crate::job::{Job, TurnHolder};
use crate::store::{Store, StoreError};
use crate::table::visible;

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
            TurnHolder::Job(row) => {
                let pid = row
                    .pid
                    .map_or_else(String::new, |pid| format!(", process {pid}"));
                format!("job {} ({}{pid})", row.id, row.kind.as_str())
            }
            TurnHolder::Somebody => "another focalist that writes the index".to_owned(),
        };
        context.say(&format!(
            "waiting for {who}; {} leaves the queue",
            leaves(&job)
        ));
    })?;
    Ok(store)
}

/// Opens the index to ask a model. A job waits until nobody else asks it.
pub fn open_to_ask(
    context: &mut Context<'_, '_>,
    folder: &Path,
    model: &str,
) -> Result<Store, Stop> {
    let open = || Store::open_to_ask(folder, model);
    let Some(job) = context.job.clone() else {
        return Ok(open()?);
    };
    let store = job.wait_to_ask(open, |_| {
        let (model, leaves) = (visible(model), leaves(&job));
        context.say(&format!(
            "waiting for another focalist that asks `{model}`; {leaves} leaves the queue"
        ));
    })?;
    Ok(store)
}

/// Writes the command that takes a job out of the queue.
fn leaves(job: &Job) -> String {
    if job.is_background() {
        format!("`focalist jobs cancel {}`", job.id())
    } else {
        "^C".to_owned()
    }
}
