//! Which workspace a command means (DESIGN.md section 4).

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use crate::Context;
use crate::command::{hint, turn};
use crate::config::SavedFilters;
use crate::failure::{ExitCode, Failure, Stop};
use crate::store::{NoSuchRun, Store, StoreAccess, StoreError, Verdicts};
use crate::table::visible;

const FOLDER: &str = ".focalist";

/// Finds the `.focalist` folder that `--workspace`, the environment or the folders upwards name; the one in the current
/// folder when there is none yet.
///
/// A job in the background gets its workspace from the process that starts it: the place in its arguments may have
/// moved since.
pub fn folder(context: &Context<'_, '_>) -> PathBuf {
    let by_option = context.global.workspace.clone();
    let by_environment = env::var_os("FOCALIST_WORKSPACE").map(PathBuf::from);
    let named = match context.global.job {
        Some(_) => by_environment.or(by_option),
        None => by_option.or(by_environment),
    };
    if let Some(named) = named {
        return inside(&named);
    }
    let current = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    current
        .ancestors()
        .map(|folder| folder.join(FOLDER))
        .find(|folder| folder.is_dir())
        .unwrap_or_else(|| current.join(FOLDER))
}

/// Reads the filters that are saved in the workspace.
pub fn saved(context: &Context<'_, '_>) -> SavedFilters {
    SavedFilters::load(&folder(context))
}

/// Opens the index for reading.
pub fn open(context: &Context<'_, '_>) -> Result<Store, Stop> {
    let folder = folder(context);
    check(&folder)?;
    Ok(Store::open(&folder, StoreAccess::Read)?)
}

/// Opens the index for writing; a job waits for its turn.
pub fn open_for_writing(context: &mut Context<'_, '_>) -> Result<Store, Stop> {
    let folder = folder(context);
    check(&folder)?;
    turn::open_in_turn(context, || Store::open(&folder, StoreAccess::Write))
}

/// Opens the index for writing, and makes it first where there is none; a job waits for its turn.
pub fn create(context: &mut Context<'_, '_>) -> Result<Store, Stop> {
    let folder = folder(context);
    turn::open_in_turn(context, || Store::open(&folder, StoreAccess::Create))
}

/// Opens the index to ask a model: next to a writer, and once nobody else asks this model. `access` says whether an
/// index is made where there is none; one with an older schema is brought up to date.
pub fn open_to_ask(
    context: &mut Context<'_, '_>,
    access: StoreAccess,
    model: &str,
) -> Result<Store, Stop> {
    let folder = folder(context);
    drop(open_current(context, access)?);
    turn::open_to_ask(context, &folder, model)
}

/// Opens the index for reading, once it is there and up to date as for [`open_to_ask`].
pub fn open_current(context: &mut Context<'_, '_>, access: StoreAccess) -> Result<Store, Stop> {
    let folder = folder(context);
    match Store::open(&folder, StoreAccess::Read) {
        Err(StoreError::Missing { .. } | StoreError::Older { .. }) => {}
        found => return Ok(found?),
    }
    if access == StoreAccess::Create {
        create(context)?;
    } else {
        open_for_writing(context)?;
    }
    Ok(Store::open(&folder, StoreAccess::Read)?)
}

/// Takes both the folder that holds `.focalist` and `.focalist` itself.
pub fn inside(named: &Path) -> PathBuf {
    if named.file_name().is_some_and(|name| name == FOLDER) {
        named.to_path_buf()
    } else {
        named.join(FOLDER)
    }
}

/// Checks that a workspace has an index.
///
/// # Errors
/// There is none, or the folder cannot be read: each has its own message.
pub fn check(folder: &Path) -> Result<(), Stop> {
    match folder.join(Store::FILE_NAME).try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(missing(folder)),
        Err(error) => Err(Failure::unreadable(folder)(error)
            .with_hint("check the permissions of this folder; `--workspace DIR` chooses another")
            .into()),
    }
}

/// Makes the failure for a folder without a workspace.
pub fn missing(folder: &Path) -> Stop {
    let place = folder.parent().unwrap_or(folder);
    Failure::new(
        ExitCode::Input,
        format!("no workspace in `{}` or above", place.display()),
    )
    .with_hint("`focalist mine PATH` makes one here, `focalist demo` shows one with sample data")
    .into()
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled(cancelled) => cancelled.into(),
            StoreError::NotOfRepos { .. } => Failure::new(ExitCode::Usage, error.to_string())
                .with_hint("these fields are: repo license language build stars project-split")
                .into(),
            error => {
                let failure = Failure::new(ExitCode::Database, error.to_string());
                match hint(&error) {
                    Some(hint) => failure.with_hint(hint).into(),
                    None => failure.into(),
                }
            }
        }
    }
}

impl From<NoSuchRun> for Stop {
    fn from(error: NoSuchRun) -> Self {
        let hint = match error.known.as_slice() {
            [] => hint::IMPORT_RUN.to_owned(),
            known => format!("known runs: {}", visible(&known.join(", "))),
        };
        Failure::new(ExitCode::Input, visible(&error.to_string()))
            .with_hint(hint)
            .into()
    }
}

pub fn hint(error: &StoreError) -> Option<&'static str> {
    match error {
        // Verdicts of people cannot be made anew.
        StoreError::Damaged { path, .. } | StoreError::NotAnIndex { path }
            if path.ends_with(Verdicts::FILE_NAME) =>
        {
            Some(
                "keep it; put the last copy, `verdicts.db.*.bak`, in its place, or merge what `focalist verdicts export` wrote",
            )
        }
        StoreError::Older { path, .. } if path.ends_with(Verdicts::FILE_NAME) => {
            Some("`focalist undo` or any verdict brings it up to date, after a backup")
        }
        StoreError::ReadOnly { .. } => {
            Some("`--workspace DIR` chooses another place; check the permissions of this one")
        }
        StoreError::Newer { .. } => Some("update focalist; the file was left as it is"),
        StoreError::Older { .. } => {
            Some("`focalist mine PATH` or `focalist eval` brings it up to date, after a backup")
        }
        StoreError::Damaged { .. } | StoreError::NotAnIndex { .. } => Some(
            "move it away and mine again: samples and matches are made anew; runs must be imported again, copies of \
             their files lie in `.focalist/imported` and `focalist jobs --all` has the commands",
        ),
        StoreError::Locked { .. } => {
            Some("wait for the other focalist, or stop it: `focalist jobs` lists running jobs")
        }
        StoreError::NoJournal { .. } => {
            Some("put the workspace on a local disk: `--workspace DIR`")
        }
        StoreError::Asked { .. } => Some(
            "wait for it, or stop it: `focalist jobs` lists running jobs; no prompt is sent twice",
        ),
        StoreError::Full { .. } => Some(hint::FREE_SPACE),
        StoreError::Missing {
            path,
            is_empty: true,
        } if path.ends_with(Store::FILE_NAME) => Some(hint::MAKE_WORKSPACE),
        StoreError::Io { source, .. } => match source.kind() {
            io::ErrorKind::PermissionDenied => {
                Some("check its permissions; `--workspace DIR` chooses another place")
            }
            io::ErrorKind::NotADirectory => {
                Some("move it away; `--workspace DIR` chooses another place")
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_disk_refuses_is_told_with_what_helps() {
        let check = |error: fn(PathBuf) -> StoreError, expected: &str| {
            let Stop::Failure(failure) = Stop::from(error(PathBuf::from("w/verdicts.db"))) else {
                unreachable!("it is a failure")
            };
            assert_eq!(failure.code, ExitCode::Database);
            assert_eq!(failure.lines(), expected);
        };
        check(
            |path| StoreError::NoJournal { path },
            "error: the file system of `w/verdicts.db` does not support the database's journal\n\
             hint: put the workspace on a local disk: `--workspace DIR`\n",
        );
        check(
            |path| StoreError::Full { path },
            "error: no space left for `w/verdicts.db`\n\
             hint: free some disk space and run the same command again\n",
        );
        check(
            |path| StoreError::ReadOnly { path },
            "error: `w/verdicts.db` cannot be written\n\
             hint: `--workspace DIR` chooses another place; check the permissions of this one\n",
        );
    }
}
