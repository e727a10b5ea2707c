//! `jobs resume`: a job's arguments again, once the user has seen them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::Context;
use crate::args::{self, Command};
use crate::command::ask;
use crate::command::jobs::{check_detachable, kind};
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::{self, Consent, JobError, Jobs};
use crate::model::{JobId, JobRow};
use crate::store::NewJob;

pub fn run(context: &mut Context<'_, '_>, folder: &Path, id: JobId, yes: bool) -> Result<(), Stop> {
    let row = Jobs::open_or_empty(folder)?.row(id)?;
    if row.state.is_alive() {
        let state = row.state;
        return Err(JobError::Alive { id, state }.into());
    }
    let words = [&[OsString::from("focalist")], row.arguments.as_slice()].concat();
    let parsed = args::parse(&words);
    let mut arguments = row.arguments.clone();
    // Another version's: the process says itself what it does not understand.
    if let Some(command) = parsed.ok().and_then(|cli| cli.command) {
        if kind(&command) != Some(row.kind) {
            let message = format!(
                "job {id} is called `{}` and does something else",
                row.kind.as_str()
            );
            return Err(Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist jobs` shows its arguments")
                .into());
        }
        check_detachable(&command)?;
        if has_written(&row, &command) {
            let verb = arguments
                .iter()
                .position(|argument| argument == row.kind.as_str());
            arguments.insert(verb.map_or(0, |idx| idx + 1), "--force".into());
        }
    }
    let is_here = row.folder.is_dir();
    let (place, arguments) = if is_here {
        (row.folder.clone(), arguments)
    } else {
        moved(&row.folder, arguments, folder)
    };
    if !is_here {
        context.say(&format!(
            "note: `{}` is gone; the job continues in `{}`",
            row.folder.display(),
            place.display()
        ));
    }
    let command = job::command_line(&arguments);
    context.say(&format!("`focalist {command}` in `{}`", place.display()));
    let again = NewJob {
        kind: row.kind,
        arguments,
        folder: place,
        is_background: true,
        retry_of: Some(id),
    };
    let consent = if yes {
        Consent::Given
    } else {
        Consent::Unasked
    };
    let again = match job::resume(folder, &again, consent) {
        Err(error @ JobError::Foreign { .. }) => {
            match ask::agreed(context, &format!("{error}; start it?"))? {
                Some(true) => job::resume(folder, &again, Consent::Given)?,
                Some(false) => return Err(ask::declined()),
                None => return Err(error.into()),
            }
        }
        other => other?,
    };
    writeln!(
        context.streams.out,
        "job {again} started, job {id} again · focalist jobs watch {again}"
    )?;
    Ok(())
}

/// Tells whether the file that a job was to write is there because it wrote it, and was killed before it could say so.
fn has_written(row: &JobRow, command: &Command) -> bool {
    let Command::Export(export) = command else {
        return false;
    };
    let Some(path) = export.output.as_ref().filter(|_| !export.force.force) else {
        return false;
    };
    let modified = row
        .folder
        .join(path)
        .metadata()
        .and_then(|metadata| metadata.modified());
    let since = modified
        .ok()
        .and_then(|system_time| system_time.duration_since(UNIX_EPOCH).ok());
    let at_ms = since.and_then(|duration| i64::try_from(duration.as_millis()).ok());
    at_ms.is_some_and(|at_ms| job::may_have_written(row, at_ms))
}

/// Finds the new folder of a job whose folder is gone, and adapts its arguments: it is beside the workspace, which has
/// moved, and what lay in the old folder is looked for there.
fn moved(old: &Path, arguments: Vec<OsString>, workspace: &Path) -> (PathBuf, Vec<OsString>) {
    let workspace = std::path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
    let new = workspace.parent().unwrap_or(&workspace).to_owned();
    let arguments = arguments.into_iter().map(|argument| {
        let inside = Path::new(&argument).strip_prefix(old);
        inside.map_or_else(
            |_| argument.clone(),
            |inside| new.join(inside).into_os_string(),
        )
    });
    (new.clone(), arguments.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lay_in_a_folder_that_moved_is_looked_for_beside_the_workspace() {
        let arguments = ["mine", "/old/repo", "/older", "repo"].map(OsString::from);
        let (folder, arguments) = moved(
            Path::new("/old"),
            arguments.to_vec(),
            Path::new("/new/.focalist"),
        );
        assert_eq!(folder, Path::new("/new"));
        assert_eq!(arguments, ["mine", "/new/repo", "/older", "repo"]);
    }
}
