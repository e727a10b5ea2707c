//! Chapters of name resolution for tests: Markdown with blocks of sources, in which marks behind code say what it
//! means.
//!
//! This file finds the blocks, and checks that every mark holds. Each language interprets its marks.

use std::fmt::Write as _;
use std::path::Path;

/// A block with the path that its first line names.
pub struct File {
    pub path: String,
    pub text: String,
}

/// Collects the blocks behind a fence, ordered by their paths; `unnamed` is the path of one that names none, by its
/// place in the chapter.
pub fn blocks(
    chapter: &str,
    (fence, mark): (&str, &str),
    unnamed: impl Fn(usize) -> String,
) -> Vec<File> {
    let fence = format!("```{fence}\n");
    let parts = chapter.split(&fence).skip(1).enumerate();
    let mut files: Vec<File> = parts
        .map(|(idx, part)| {
            let text = part.split("```").next().unwrap_or_default();
            let first = text.lines().next().unwrap_or_default();
            let path = first.strip_prefix(mark);
            File {
                path: path.map_or_else(|| unnamed(idx), str::to_owned),
                text: text.to_owned(),
            }
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Checks every chapter of a folder: `differences` returns how many lines of one have a mark, and those that do not
/// hold.
///
/// The number of marks is fixed, so that no mark is lost unnoticed.
pub fn check(folder: &str, n_marks: usize, differences: fn(&str) -> (usize, String)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/resolve");
    let mut chapters: Vec<_> = std::fs::read_dir(root.join(folder))
        .expect("the fixtures are in the repository")
        .map(|entry| entry.expect("the folder can be read").path())
        // Java's lie beside the folders of the others.
        .filter(|path| path.is_file())
        .collect();
    chapters.sort();
    let mut report = String::new();
    let mut n_checked = 0;
    for chapter in &chapters {
        let text = std::fs::read_to_string(chapter).expect("a chapter is text");
        let (n, differences) = differences(&text);
        n_checked += n;
        if !differences.is_empty() {
            let _ = writeln!(report, "{}\n{differences}", chapter.display());
        }
    }
    assert!(report.is_empty(), "\n{report}");
    assert_eq!(n_checked, n_marks, "lines with a mark");
}
