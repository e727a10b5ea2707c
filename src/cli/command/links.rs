//! Links in a workspace, which redirect what is written there, and the real paths of files that may be links.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::Context;
use crate::command::workspace;
use crate::config::trust::Trust;
use crate::failure::{ExitCode, Failure, Stop};
use crate::held::{EntryKind, Root};
use crate::table::visible;

/// Folders in the workspace's that hold files of ours, and how many levels of each are looked through.
const INNER: &[(&str, usize)] = &[("logs", 1), ("asking", 1), ("imported", 2), ("fetch", 2)];

/// Checks that nothing leads out of the workspace's folder: it may have come with a clone, and we write there. The
/// folder itself may be a link that the user trusts; what lies in it may be none.
///
/// # Errors
/// There is a link.
pub fn check(context: &Context<'_, '_>) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    let is_link = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_symlink());
    // A link in a circle cannot be opened, which the command that needs the folder says.
    let is_loop = fs::metadata(&folder).is_err_and(|error| error.kind() != io::ErrorKind::NotFound);
    if is_link && !is_loop {
        check_folder(&folder)?;
    }
    // Where it cannot be opened, the command that needs it says so.
    let Ok(root) = Root::open(&folder) else {
        return Ok(());
    };
    let mut found = link_in(&root, "", 1);
    for (name, depth) in INNER {
        found = found.or_else(|| link_in(&root, name, *depth));
    }
    let Some(path) = found else { return Ok(()) };
    let path = folder.join(path);
    let message = format!("`{}` is a link", path.display());
    Err(Failure::new(ExitCode::Input, visible(&message))
        .with_hint(
            "nothing in a workspace may lead elsewhere: replace it with its target, or remove it",
        )
        .into())
}

fn check_folder(folder: &Path) -> Result<(), Stop> {
    let place = place(folder);
    let content = link_content(folder).unwrap_or_default();
    if Trust::of_user().is_some_and(|trust| trust.holds(&place, &content)) {
        return Ok(());
    }
    let target = fs::read_link(folder).unwrap_or_default();
    let message = format!("`{}` is a link to `{}`", folder.display(), target.display());
    Err(Failure::new(ExitCode::Usage, visible(&message))
        .with_hint("`focalist trust` lets it be one; `--workspace DIR` names another place")
        .into())
}

/// Finds a link among the entries of a folder, or of those below it.
fn link_in(root: &Root, below: &str, depth: usize) -> Option<PathBuf> {
    let entries = root.entries(below).unwrap_or_default();
    let mut inner = Vec::new();
    for (name, kind) in entries {
        let path = Path::new(below).join(name);
        match kind {
            EntryKind::Link => return Some(path),
            EntryKind::Folder if depth > 1 => inner.push(path),
            _ => {}
        }
    }
    let mut inner = inner.iter().filter_map(|path| path.to_str());
    inner.find_map(|text| link_in(root, text, depth - 1))
}

/// Resolves the folder of a path; its last part may be a link and stays one.
pub fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let above = path.parent().map(fs::canonicalize);
    match (above, path.file_name()) {
        (Some(Ok(above)), Some(name)) => above.join(name),
        _ => path,
    }
}

/// Makes the content by which a link is trusted: its target.
pub fn link_content(path: &Path) -> io::Result<Vec<u8>> {
    let target = fs::read_link(path)?;
    Ok([b"link\0", target.as_os_str().as_bytes()].concat())
}
