//! File names for the fields that ask for one: the existing ones, read by the readers' threads.
//!
//! Decides the meaning of `~` and the names that are offered. Opens no file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::text::visible;

/// The most names that are offered: more than anybody reads.
const NAMES_MAX: usize = 200;

/// The names that begin with the typed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub typed: String,
    /// Names that may replace the typed text, sorted; folders end with `/`. Of many, the first ones and the last, so
    /// that their common beginning can still be seen.
    pub names: Vec<String>,
    /// The typed text names an existing file.
    pub is_file: bool,
    pub is_folder: bool,
}

/// Expands a text to the path that it stands for; a leading `~/` is the user's folder.
#[must_use]
pub fn path_of(typed: &str) -> PathBuf {
    match (typed.strip_prefix("~/"), std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(typed),
    }
}

/// Lists the files and folders whose path begins with `typed`. Hidden ones only when the dot is typed; names that
/// cannot be typed are left out.
#[must_use]
pub fn list(typed: &str) -> Listing {
    let split = typed.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, begin) = typed.split_at(split);
    let place = if folder.is_empty() {
        PathBuf::from(".")
    } else {
        path_of(folder)
    };
    // An unreadable folder offers no names; a missing file is reported all the same.
    let entries = fs::read_dir(&place).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_offered = name.starts_with(begin)
                && (begin.starts_with('.') || !name.starts_with('.'))
                && visible(&name) == name;
            is_offered.then(|| {
                let end = if entry.path().is_dir() { "/" } else { "" };
                format!("{folder}{name}{end}")
            })
        })
        .collect();
    names.sort_unstable();
    if names.len() > NAMES_MAX {
        names.drain(NAMES_MAX - 1..names.len() - 1);
    }
    Listing {
        typed: typed.to_owned(),
        names,
        is_file: is_file(&path_of(typed)),
        is_folder: path_of(typed).is_dir(),
    }
}

/// Tells whether the path is no folder; a pipe counts as a file: `<(zcat predictions.gz)` works.
fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_in_their_folder() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let root = folder.path().to_str().expect("a temporary path is UTF-8");
        for name in ["codet5.jsonl", "codegen.jsonl", ".hidden", "other.csv"] {
            fs::write(folder.path().join(name), "").expect("the file is written");
        }
        fs::create_dir(folder.path().join("code")).expect("the folder is made");
        let check = |typed: &str, expected: &[&str], is_file: bool| {
            let listing = list(&format!("{root}/{typed}"));
            let names = listing.names.iter();
            let names: Vec<&str> = names
                .filter_map(|name| name.get(root.len() + 1..))
                .collect();
            assert_eq!((names.as_slice(), listing.is_file), (expected, is_file));
        };
        check("code", &["code/", "codegen.jsonl", "codet5.jsonl"], false);
        check("codet5.jsonl", &["codet5.jsonl"], true);
        check(".h", &[".hidden"], false);
        check("nowhere/", &[], false);
        check(
            "",
            &["code/", "codegen.jsonl", "codet5.jsonl", "other.csv"],
            false,
        );
    }
}
