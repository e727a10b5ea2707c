//! Decides which files are main code and which are test code (LANGUAGES L11), by project file.

use rustc_hash::FxHashSet;

use super::CSharpProject;
use crate::csharp::msbuild::{Projects, folder_of};
use crate::csharp::testing;
use crate::model::{FileId, FileRole, MethodId};
use crate::places::{is_aside, role};

/// Folders at the top of a repository that give no candidates.
const ASIDE: &[&str] = &[
    "examples", "example", "samples", "sample", "docs", "doc", "scripts", "tools",
];

/// Finds the tests, and assigns every file to main or test code.
pub fn tell(project: &mut CSharpProject, projects: &Projects) {
    project.tests = testing::tests(project);
    let with_test: FxHashSet<FileId> = project
        .tests
        .iter()
        .map(|test| project.methods[test.0.0 as usize].file)
        .collect();
    let is_test = test_projects(project, projects, &with_test);
    project.roles = project
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| !file.is_library)
        .map(|(index, file)| {
            let is_test = match file.project {
                Some(project) => is_test[project as usize],
                None => {
                    with_test.contains(&FileId(index as u32)) || is_test_folder(&file.facts.path)
                }
            };
            role(is_test || is_aside(&file.facts.path.to_ascii_lowercase(), ASIDE))
        })
        .collect();
    let mut methods = project.methods.to_vec();
    for (index, method) in methods.iter_mut().enumerate() {
        method.role = project.roles[method.file.0 as usize];
        let name = match project.member_of(MethodId(index as u32)) {
            Some((_, member)) if member.explicit.is_none() => member.name,
            _ => continue,
        };
        if method.role == FileRole::Main {
            let named = project.main_methods.entry(name).or_default();
            named.push(MethodId(index as u32));
        }
    }
    project.methods = methods.into();
}

/// Tells which projects hold tests: one of their files holds a test, they lie in a folder of tests, or their name or
/// packages indicate tests and only such projects reference them.
fn test_projects(
    project: &CSharpProject,
    projects: &Projects,
    with_test: &FxHashSet<FileId>,
) -> Vec<bool> {
    let mut is_test: Vec<bool> = projects
        .files
        .iter()
        .map(|file| is_test_folder(&file.path))
        .collect();
    for (index, file) in project.files.iter().enumerate() {
        if let Some(own) = file.project
            && with_test.contains(&FileId(index as u32))
        {
            is_test[own as usize] = true;
        }
    }
    // This finds libraries of helpers for tests; shipped ones lie in `src/`. A project without a sign of tests may be
    // the library under test.
    loop {
        let mut has_changed = false;
        for (at, file) in projects.files.iter().enumerate() {
            let may_be = file.is_project() && file.speaks_of_tests();
            if is_test[at] || !may_be || file.path.starts_with("src/") {
                continue;
            }
            let mut referring = projects
                .files
                .iter()
                .enumerate()
                .filter(|(_, project_file)| project_file.references.contains(&file.path))
                .map(|(other, _)| is_test[other])
                .peekable();
            if referring.peek().is_some()
                && referring.all(|is_test_project| is_test_project)
                && has_main(projects, &is_test, at)
            {
                is_test[at] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return is_test;
        }
    }
}

/// Tells whether any other project would be left that is main code.
fn has_main(projects: &Projects, is_test: &[bool], at: usize) -> bool {
    projects
        .files
        .iter()
        .enumerate()
        .any(|(other, file)| other != at && file.is_project() && !is_test[other])
}

fn is_test_folder(path: &str) -> bool {
    folder_of(path)
        .split('/')
        .any(|part| part.eq_ignore_ascii_case("test") || part.eq_ignore_ascii_case("tests"))
}
