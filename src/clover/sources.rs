//! Which files are the project's own code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::runner::python::Environment;

/// Lists the Python files of the project's own code, without its tests, in order.
pub(crate) fn source_files(environment: &Environment) -> Vec<String> {
    let mut found = BTreeSet::new();
    for source in &environment.sources {
        look(&environment.checkout, source, &mut found);
    }
    let is_test = |text: &String| environment.test_files.contains(text);
    found.into_iter().filter(|found| !is_test(found)).collect()
}

fn look(root: &Path, below: &str, found: &mut BTreeSet<String>) {
    let path = root.join(below);
    if path.is_file() {
        if Path::new(below)
            .extension()
            .is_some_and(|extension| extension == "py")
        {
            found.insert(below.to_owned());
        }
        return;
    }
    // A folder that cannot be listed has no lines that could be covered, either.
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let is_link = entry
            .file_type()
            .is_ok_and(|file_type| file_type.is_symlink());
        if let Some(name) = entry.file_name().to_str().filter(|_| !is_link) {
            look(root, &format!("{below}/{name}"), found);
        }
    }
}
