//! The index that is measured: the caller's, or a temporary one.

use std::env;
use std::path::Path;

/// Calls `measure` with the folder that the variable names, else with a new one that `make` fills.
pub fn with_index(variable: &str, make: &dyn Fn(&Path), measure: &dyn Fn(&Path)) {
    if let Some(folder) = env::var_os(variable) {
        measure(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.expect("there is a folder");
    make(folder.path());
    measure(folder.path());
}
