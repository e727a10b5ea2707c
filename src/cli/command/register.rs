//! The row that a verb gets in the table of jobs.

use std::env;

use crate::Context;
use crate::command::workspace;
use crate::job::Job;
use crate::model::JobKind;
use crate::store::{NewJob, StoreAccess};

/// Describes the job that this process was asked for.
pub fn new_job(context: &Context<'_, '_>, kind: JobKind) -> NewJob {
    NewJob {
        kind,
        arguments: context.arguments.to_vec(),
        folder: env::current_dir().unwrap_or_default(),
        is_background: false,
        retry_of: None,
    }
}

/// Gives a verb its row, if it has none yet. `access` is how it opens the index. Where that cannot be, it goes on
/// without.
pub fn register(context: &mut Context<'_, '_>, kind: JobKind, access: StoreAccess) {
    if context.job.is_some() {
        return;
    }
    let folder = workspace::folder(context);
    // Only a verb that makes a workspace leaves traces where there is none.
    if access != StoreAccess::Create && !folder.is_dir() {
        return;
    }
    match Job::register(&folder, &new_job(context, kind)) {
        Ok(job) => context.job = Some(job),
        Err(error) => context.say(&format!(
            "note: `focalist jobs` does not show this one: {error}"
        )),
    }
}
