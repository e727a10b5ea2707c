//! The command `index`: what is derived from the index so that questions about all of it are answered at once.

use crate::command::{jobs, mining, turn, workspace};
use crate::failure::Stop;
use crate::leakage::NearIndex;
use crate::model::JobKind;
use crate::store::{Access, Store};
use crate::{Context, args, progress};

pub fn run(context: &mut Context<'_, '_>, asked: &args::Index) -> Result<(), Stop> {
    let is_all = asked.near == asked.text;
    // The workspace is looked for first: a job needs one.
    drop(workspace::open(context)?);
    progress::run_job(
        context,
        JobKind::Index,
        Access::Write,
        |context, monitor| {
            let folder = workspace::folder(context);
            let store = turn::open_in_turn(context, || Store::open(&folder, Access::Read))?;
            if is_all || asked.near {
                let near = mining::in_pool(jobs::n_threads(context, None), move || {
                    Ok(NearIndex::update(&store, monitor)?)
                })?;
                context.say(&format!("{} samples signed", near.n_samples()));
            }
            if is_all || asked.text {
                let store = Store::open(&folder, Access::Read)?;
                let indexed = store.index_texts(monitor)?;
                context.say(&format!(
                    "{} repositories searchable, {} of them new",
                    indexed.n_repos, indexed.n_new
                ));
            }
            Ok(())
        },
    )
}
