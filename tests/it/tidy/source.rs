//! The sources as the checks read them: which parts of a file are code or tests, and which files it names.
//!
//! Relies on rustfmt's layout: an item ends with a `;` on its own line, or with a closing brace at its indentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src/`.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path relative to `src/`, with `/`.
    pub path: String,
    /// The room that the file belongs to: its first folder, `lib` or `main`.
    pub room: String,
    pub text: String,
    /// Whether it is compiled for tests only.
    pub is_test: bool,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        let first = path.split('/').next().unwrap_or(path);
        Self {
            path: path.to_owned(),
            room: first.trim_end_matches(".rs").to_owned(),
            text: text.to_owned(),
            is_test: false,
        }
    }

    /// Returns the module path within the room: `[screen, home, draw]` for `screen/home/draw.rs`, empty for the root.
    pub fn module(&self) -> Vec<&str> {
        let inside = self.path.split_once('/').map_or("", |(_, inside)| inside);
        let mut parts: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
        if parts
            .last()
            .is_some_and(|last| *last == "lib" || last.is_empty())
        {
            parts.pop();
        }
        parts
    }

    /// Returns the lines that are neither tests nor comments, with their numbers from 1.
    pub fn code(&self) -> Vec<(usize, &str)> {
        if self.is_test {
            return Vec::new();
        }
        let lines: Vec<&str> = self.text.lines().collect();
        let mut code = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if is_test_attribute(line) {
                at = item_end(&lines, at) + 1;
                continue;
            }
            if !line.trim_start().starts_with("//") {
                code.push((at + 1, *line));
            }
            at += 1;
        }
        code
    }

    /// Counts the lines of the file without its tests, including comments.
    pub fn n_lines(&self) -> usize {
        if self.is_test {
            return 0;
        }
        let lines: Vec<&str> = self.text.lines().collect();
        let mut n_lines = 0;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if is_test_attribute(line) {
                at = item_end(&lines, at);
            } else {
                n_lines += 1;
            }
            at += 1;
        }
        n_lines
    }

    /// Returns every path that the code names, groups taken apart, with the line it begins on: of `use` declarations
    /// over any number of lines, and of expressions that begin with `crate`, `self` or `super`.
    pub fn paths(&self) -> Vec<(usize, String)> {
        let mut paths = Vec::new();
        let mut code = self.code().into_iter();
        while let Some((number, line)) = code.next() {
            let trimmed = line.trim_start();
            let declared = trimmed.strip_prefix("pub").map_or(trimmed, |rest| {
                let rest = rest.strip_prefix('(').map_or(rest, |rest| {
                    rest.split_once(')').map_or(rest, |pair| pair.1)
                });
                rest.trim_start()
            });
            if let Some(first) = declared.strip_prefix("use ") {
                let mut whole = first.to_owned();
                while !whole.ends_with(';') {
                    let Some((_, next)) = code.next() else { break };
                    whole.push_str(next.trim());
                }
                let whole = whole.trim_end_matches(';');
                paths.extend(ungrouped(whole).into_iter().map(|path| (number, path)));
            } else {
                paths.extend(in_expressions(line).map(|path| (number, path)));
            }
        }
        paths
    }
}

/// Tells whether the item after the line is compiled for tests only.
fn is_test_attribute(line: &str) -> bool {
    let line = line.trim();
    line == "#[cfg(test)]" || line.starts_with("#[cfg(any(test,")
}

/// Returns the index of the last line of the item whose first attribute is on line `at`.
fn item_end(lines: &[&str], at: usize) -> usize {
    let indent = lines[at].len() - lines[at].trim_start().len();
    let mut end = at;
    while lines
        .get(end)
        .is_some_and(|line| line.trim_start().starts_with("#["))
    {
        end += 1;
    }
    let closing = format!("{}}}", " ".repeat(indent));
    while let Some(line) = lines.get(end) {
        let is_closed = line.starts_with(&closing) && !line[closing.len()..].contains("::");
        let is_short =
            line.trim_end().ends_with(';') && line.len() - line.trim_start().len() == indent;
        if is_closed || is_short {
            return end;
        }
        end += 1;
    }
    lines.len()
}

/// Splits a tree of names: `a::{b, c::{self, d}}` becomes `a::b`, `a::c`, `a::d`.
pub fn ungrouped(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree);
        return vec![name.trim_end_matches("::self").to_owned()];
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let mut depth = 0;
    let mut paths = Vec::new();
    let branches = inner.split(|inner: char| {
        depth += i32::from(inner == '{') - i32::from(inner == '}');
        inner == ',' && depth == 0
    });
    for branch in branches.filter(|branch| !branch.trim().is_empty()) {
        let below = ungrouped(branch);
        paths.extend(below.iter().map(|below| {
            let path = format!("{prefix}{below}");
            path.trim_end_matches("::self").to_owned()
        }));
    }
    paths
}

fn in_expressions(line: &str) -> impl Iterator<Item = String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    ["crate::", "self::", "super::"]
        .into_iter()
        .flat_map(move |prefix| {
            line.match_indices(prefix).filter_map(move |(at, _)| {
                let before = line[..at].chars().next_back();
                if before.is_some_and(|before| is_name(before) || before == ':' || before == '$') {
                    return None;
                }
                let path = line[at..]
                    .split(|line: char| !is_name(line) && line != ':')
                    .next()?;
                Some(path.trim_end_matches(':').to_owned())
            })
        })
}

/// Returns every source below `root`, sorted by path; modules that a parent declares for tests are marked, with all
/// files below them.
pub fn sources(root: &Path) -> Vec<Source> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the source folder can be read") {
            let path = entry.expect("a folder's entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path
                    .strip_prefix(root)
                    .expect("it was found below the root");
                let text = fs::read_to_string(&path).expect("our sources are UTF-8");
                let name = below.to_str().expect("our files have plain names");
                found.push(Source::new(&name.replace('\\', "/"), &text));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    mark_tests(&mut found);
    found
}

/// Marks the files of modules that are declared for tests only.
pub fn mark_tests(sources: &mut [Source]) {
    let mut tests = BTreeSet::new();
    for source in sources.iter() {
        let lines: Vec<&str> = source.text.lines().collect();
        for (at, _) in lines
            .iter()
            .enumerate()
            .filter(|(_, text)| is_test_attribute(text))
        {
            let Some(name) = lines
                .get(item_end(&lines, at))
                .and_then(|line| declared(line))
            else {
                continue;
            };
            let mut folder = PathBuf::from(&source.room);
            folder.extend(source.module());
            tests.insert(folder.join(name));
        }
    }
    for source in sources.iter_mut() {
        let path = PathBuf::from(source.path.trim_end_matches(".rs"));
        source.is_test = path.ancestors().any(|ancestor| tests.contains(ancestor));
    }
}

/// Returns the name in `mod name;`.
fn declared(line: &str) -> Option<&str> {
    let (before, rest) = line.trim().split_once("mod ")?;
    let name = rest.strip_suffix(';')?;
    (before.is_empty() || before.starts_with("pub")).then_some(name)
}
