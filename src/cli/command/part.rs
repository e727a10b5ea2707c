//! Verbs on a shard of a run: the verb works as ever, in the shard's own workspace, and its exit code says whether the
//! shard is done.

use crate::Context;
use crate::args;
use crate::command::shard;
use crate::failure::{ExitCode, Failure, Stop};
use crate::scale::{PartOptions, ShardError, begin_part};

/// Does `work` in the workspace of the shard, where one is asked for; else where it always does. `asked` names
/// everything that the work depends on.
pub fn within(
    context: &mut Context<'_, '_>,
    part: &args::RunShardArgs,
    (verb, asked): (&'static str, String),
    work: impl FnOnce(&mut Context<'_, '_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (Some(path), Some(output)) = (&part.shard, &part.output) else {
        return work(context);
    };
    let options = PartOptions {
        shard: path.clone(),
        output: output.clone(),
        verb,
        asked,
    };
    let begun = begin_part(&options).map_err(|error| match error {
        ShardError::Other { .. } => Failure::new(ExitCode::Usage, error.to_string())
            .with_hint("remove it, or give another folder to `--output`")
            .into(),
        error => shard::stop(error, path, output),
    })?;
    let Some(begun) = begun else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        context.say(&format!("{name} is done already"));
        return Ok(());
    };
    let global = args::Global {
        workspace: Some(begun.folder.clone()),
        ..context.global.clone()
    };
    let mut inside = Context {
        global: &global,
        arguments: context.arguments,
        streams: &mut *context.streams,
        job: None,
    };
    let worked = work(&mut inside);
    match worked {
        Ok(()) => {}
        // Problems with single predictions or projects are in the index, and would come up again.
        Err(Stop::Failure(failure)) if failure.code == ExitCode::Problems => {
            context.say(&format!("warning: {}", failure.message));
        }
        // The database is ours: a full disk, or another process that holds it.
        Err(Stop::Failure(mut failure)) if failure.code == ExitCode::Database => {
            failure.code = ExitCode::TryAgain;
            return Err(failure.into());
        }
        Err(stop) => return Err(stop),
    }
    begun
        .finish()
        .map_err(|error| shard::stop(error, path, output))
}
