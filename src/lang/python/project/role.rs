//! Decides which side of the project a file is on.

use rustc_hash::FxHashSet;

use super::PythonProject;
use crate::model::FileRole;
use crate::places::{folder_of, is_aside, role};

/// Top-level folders whose code is neither tested nor a test.
const ASIDE: &[&str] = &["examples", "example", "docs", "doc", "scripts", "tools"];

/// Decides for each file whether it is main code or test code; `has_test` says which files hold tests.
pub fn roles(project: &PythonProject, has_test: &[bool]) -> Vec<FileRole> {
    let paths: Vec<&str> = project.files.iter().map(|file| &*file.facts.path).collect();
    let is_test_file: Vec<bool> = paths
        .iter()
        .zip(has_test)
        .map(|(path, has_test)| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let collected = project.settings.collected(path);
            *has_test || name == "conftest.py" || collected.is_test_file(path)
        })
        .collect();
    // Folders with a test file at any depth, and those with one directly in them.
    let mut above: FxHashSet<&str> = FxHashSet::default();
    let mut around: FxHashSet<&str> = FxHashSet::default();
    for (path, _) in paths
        .iter()
        .zip(&is_test_file)
        .filter(|(_, is_test)| **is_test)
    {
        let mut folder = folder_of(path);
        around.insert(folder);
        while !folder.is_empty() && above.insert(folder) {
            folder = folder_of(folder);
        }
    }
    let is_in_tests = |path: &str| {
        path.match_indices('/').any(|(end, _)| {
            let folder = &path[..end];
            match folder.rsplit('/').next().unwrap_or(folder) {
                "test" | "tests" => above.contains(folder),
                "testing" => around.contains(folder),
                _ => false,
            }
        })
    };
    paths
        .iter()
        .zip(is_test_file)
        .map(|(path, is_test_file)| {
            role(is_test_file || is_aside(path, ASIDE) || is_in_tests(path))
        })
        .collect()
}
