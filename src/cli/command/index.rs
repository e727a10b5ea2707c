//! The command `index`: data derived from the index, so that questions about all of it are answered at once.

use crate::command::{jobs, mining, turn, workspace};
use crate::failure::Stop;
use crate::leakage::NearIndex;
use crate::model::{JobKind, counted};
use crate::store::{Store, StoreAccess};
use crate::{Context, args, progress};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Index) -> Result<(), Stop> {
    let is_all = arguments.near == arguments.text;
    // The workspace is looked for first: a job needs one.
    drop(workspace::open(context)?);
    progress::run_job(
        context,
        JobKind::Index,
        StoreAccess::Write,
        |context, monitor| {
            let folder = workspace::folder(context);
            let store = turn::open_in_turn(context, || Store::open(&folder, StoreAccess::Read))?;
            if is_all || arguments.near {
                let near = mining::in_pool(jobs::n_threads(context, None), move || {
                    Ok(NearIndex::update(&store, monitor)?)
                })?;
                let n_samples = u64::from(near.n_samples());
                context.say(&format!("{} signed", counted(n_samples, "sample")));
            }
            if is_all || arguments.text {
                let store = Store::open(&folder, StoreAccess::Read)?;
                let indexed = store.index_texts(monitor)?;
                context.say(&format!(
                    "{} searchable, {} of them new",
                    counted(indexed.n_repos, "repository"),
                    indexed.n_new
                ));
            }
            Ok(())
        },
    )
}
