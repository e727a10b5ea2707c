//! Paths of folders and files, with `/` between their parts, and their sides of a project, for every language.

use std::cmp::Reverse;

use crate::model::FileRole;

/// Cuts a path down to its folder.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |pair| pair.0)
}

/// Resolves a relative path in a folder; nothing when it leads out of the repository.
pub fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Counts the leading parts that two paths share.
pub fn n_shared(a: &str, b: &str) -> usize {
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b).count()
}

/// Finds the first of the elements with the largest key.
pub fn nearest<T: Copy, K: Ord>(elements: &[T], key: impl Fn(T) -> K) -> Option<T> {
    if elements.len() < 2 {
        return elements.first().copied();
    }
    let numbered = elements.iter().copied().enumerate();
    let nearest = numbered.max_by_key(|&(at, item)| (key(item), Reverse(at)));
    nearest.map(|(_, item)| item)
}

/// Tells whether a path lies in a folder at the top of the repository that holds neither tested code nor tests: one of
/// `folders`, or one of benchmarks.
pub fn is_aside(path: &str, folders: &[&str]) -> bool {
    path.split_once('/')
        .is_some_and(|(top, _)| folders.contains(&top) || top.starts_with("bench"))
}

pub const fn role(is_test: bool) -> FileRole {
    if is_test {
        FileRole::Test
    } else {
        FileRole::Main
    }
}
