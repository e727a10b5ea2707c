//! Whether the project's own build would run a test file, by surefire's patterns.

use crate::java::Module;

/// Surefire's default patterns.
const INCLUDES: [&str; 4] = [
    "**/Test*.java",
    "**/*Test.java",
    "**/*Tests.java",
    "**/*TestCase.java",
];

/// Tells whether surefire would not run a file, by its path below the root of the test sources.
pub fn is_outside(module: &Module, path: &str) -> bool {
    let own = &module.surefire.includes;
    let is_in = if own.is_empty() {
        INCLUDES.iter().any(|text| matches(text, path))
    } else {
        own.iter().any(|text| matches(text, path))
    };
    let excludes = &module.surefire.excludes;
    !is_in
        || excludes
            .iter()
            .any(|exclude| !is_other(exclude) && matches(exclude, path))
}

/// Tells whether a pattern is a regular expression or names methods; such patterns are not evaluated.
fn is_other(pattern: &str) -> bool {
    pattern.starts_with('%') || pattern.contains('#')
}

fn matches(pattern: &str, path: &str) -> bool {
    if is_other(pattern) {
        return true;
    }
    let pattern = pattern.trim().trim_end_matches(".class");
    let pattern = pattern.trim_end_matches(".java");
    let path = path.trim_end_matches(".java");
    let parts: Vec<&str> = pattern.split('/').collect();
    let folders: Vec<&str> = path.split('/').collect();
    // A pattern without a slash matches names in any folder.
    if parts.len() == 1 && !pattern.contains("**") {
        return folders
            .last()
            .is_some_and(|folder| is_like(pattern, folder));
    }
    fits(&parts, &folders)
}

fn fits(parts: &[&str], folders: &[&str]) -> bool {
    match (parts, folders) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            (0..=folders.len()).any(|n| fits(rest, &folders[n..])) || rest.is_empty()
        }
        ([part, rest @ ..], [folder, below @ ..]) => is_like(part, folder) && fits(rest, below),
        _ => false,
    }
}

/// Tells whether a name matches a pattern with `*` and `?`.
fn is_like(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            let rest = &pattern[1..];
            let mut ends = name.char_indices().map(|pair| pair.0).chain([name.len()]);
            ends.any(|end| is_like(rest, &name[end..]))
        }
        (Some(p), Some(n)) if p == '?' || p == n => {
            is_like(&pattern[p.len_utf8()..], &name[n.len_utf8()..])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_surefire() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        };
        check("**/*Test.java", "p/ATest.java", true);
        check("**/*Test.java", "ATest.java", true);
        check("**/*Test.java", "p/AIT.java", false);
        check("*Test", "p/q/ATest.java", true);
        check("p/**", "p/q/A.java", true);
        check("p/*.java", "p/q/A.java", false);
        check("**/Test?.class", "q/TestA.java", true);
    }
}
