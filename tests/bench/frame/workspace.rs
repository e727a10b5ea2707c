//! A writable workspace with a copy of an index that other benchmarks use.

use std::fs;
use std::path::{Path, PathBuf};

use focalist::store::Store;

/// Returns a workspace with a copy of the index in `folder`, so that nothing that is judged or mined in it changes the
/// original.
pub fn copied(folder: &Path) -> tempfile::TempDir {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is a folder");
    let inside = scratch.path().join(".focalist");
    fs::create_dir(&inside).expect("a folder can be made");
    let copied = fs::copy(index_of(folder), inside.join(Store::FILE_NAME));
    copied.expect("the index can be copied");
    scratch
}

/// Returns the file in a workspace, or in its folder `.focalist`.
fn index_of(folder: &Path) -> PathBuf {
    let inside = folder.join(".focalist").join(Store::FILE_NAME);
    if inside.is_file() {
        inside
    } else {
        folder.join(Store::FILE_NAME)
    }
}
