//! Decides which side of a project a file is on (L11).

use super::JavaScriptProject;
use super::tests::Cases;
use crate::model::FileRole;
use crate::places::{is_aside, role};

const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "e2e",
    "__tests__",
    "__mocks__",
    "cypress",
];

/// Folders at the top whose files are about the project, but no part of it.
const OTHERS: &[&str] = &["examples", "example", "docs", "scripts", "tools", "perf"];

pub fn roles(project: &JavaScriptProject, cases: &Cases) -> Vec<FileRole> {
    let files = project.files.iter().enumerate();
    files
        .map(|(n, file)| {
            let facts = &file.facts;
            let has_tests = facts
                .cases
                .iter()
                .zip(&cases.runner_cases[n])
                .any(|(case, judged)| {
                    judged.is_some() && case.kind == crate::javascript::facts::CaseKind::Test
                })
                || !cases.nightwatch[n].is_empty();
            role(has_tests || is_test_path(&facts.path))
        })
        .collect()
}

/// Tells whether the path of a file alone shows that it is not main code.
pub fn is_test_path(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |pair| pair.0);
    let is_named = [".test", ".spec", ".config", ".e2e", "-test", "_test"]
        .iter()
        .any(|text| stem.ends_with(text));
    is_named || is_aside(path, OTHERS) || parts.iter().any(|part| TEST_FOLDERS.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    #[test]
    fn folders_and_names_tell_tests() {
        for path in [
            "test/a.js",
            "packages/x/__tests__/a.ts",
            "src/a.test.ts",
            "jest.config.js",
            "examples/a.js",
            "benchmark/a.js",
            "e2e/a.ts",
            "src/__mocks__/fs.js",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/a.js",
            "src/testing/a.ts",
            "packages/docs/src/a.ts",
            "lib/contest.js",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
