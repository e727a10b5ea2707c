//! Checks files of one folder by each other: a card by its data, a description by its files, tasks by their splits.

use std::collections::{BTreeMap, BTreeSet};

use super::FileCheck;
use crate::exchange::placed::ValueAtLine;
use crate::hub::data_file;
use crate::task::Cancelled;

/// The contents read so far that other files refer to.
#[derive(Default)]
pub(super) struct FolderContents {
    /// How many lines or rows a file has, by its path.
    pub rows: BTreeMap<String, u64>,
    pub cards: Vec<(String, ValueAtLine)>,
    pub described: Vec<(String, ValueAtLine)>,
    pub tasks: Vec<(String, ValueAtLine)>,
}

/// Returns the folder of a path, with its `/`; empty for the one that is checked.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/')
        .map_or("", |pair| &path[..=pair.0.len()])
}

pub(super) fn check(check: &mut FileCheck<'_>) -> Result<(), Cancelled> {
    for (path, card) in std::mem::take(&mut check.known.cards) {
        check.path.clone_from(&path);
        let splits = data_of_card(check, &card);
        for (task_path, tasks) in check.known.tasks.clone() {
            if folder_of(&task_path) == folder_of(&path) {
                check.path = task_path;
                splits_of_tasks(check, &tasks, &splits);
            }
        }
    }
    for (path, described) in std::mem::take(&mut check.known.described) {
        check.path = path;
        files_of_description(check, &described)?;
    }
    Ok(())
}

/// Checks that the files of each split are there and have as many rows as the card says; returns the splits.
fn data_of_card(check: &mut FileCheck<'_>, card: &ValueAtLine) -> BTreeSet<String> {
    let folder = folder_of(&check.path).to_owned();
    let mut n_of_split: BTreeMap<String, u64> = BTreeMap::new();
    let configs = card.get("configs").map_or(&[][..], ValueAtLine::elements);
    let files = configs.iter().filter_map(|config| config.get("data_files"));
    for file in files.flat_map(ValueAtLine::elements) {
        let split = file
            .get("split")
            .and_then(ValueAtLine::text)
            .unwrap_or_default();
        let Some(path) = file.get("path") else {
            continue;
        };
        let patterns = path.elements().iter().chain([path]);
        let mut n_rows = 0;
        let mut is_any = false;
        for pattern in patterns.filter_map(ValueAtLine::text) {
            let such = check.known.rows.iter().filter(|(known, _)| {
                let below = known.strip_prefix(&folder);
                below.is_some_and(|below| is_like(below, pattern))
            });
            for (_, n) in such {
                is_any = true;
                n_rows += n;
            }
        }
        if !is_any {
            let what = format!("the split `{split}` has no file");
            check.flaw(path.line, what, "remove the split, or put its files there");
        }
        *n_of_split.entry(split.to_owned()).or_default() += n_rows;
    }
    let info = card.get("dataset_info");
    let infos = info
        .into_iter()
        .chain(info.map_or(&[][..], ValueAtLine::elements));
    let splits = infos.filter_map(|info| info.get("splits"));
    for split in splits.flat_map(ValueAtLine::elements) {
        let name = split
            .get("name")
            .and_then(ValueAtLine::text)
            .unwrap_or_default();
        let told = split.get("num_examples");
        let found = n_of_split.get(name);
        if let (Some(told), Some(found)) = (told, found)
            && told.whole() != Some(*found)
            && *found > 0
        {
            let told_n = told.whole().unwrap_or_default();
            let what =
                format!("the split `{name}` has {told_n} rows here, and {found} in its files");
            check.flaw(
                told.line,
                what,
                &format!("write {found}, or put the right files there"),
            );
        }
    }
    n_of_split.into_keys().collect()
}

/// Tells whether a path matches a pattern with `*`.
fn is_like(path: &str, pattern: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return path == pattern;
    };
    let Some(rest) = path.strip_prefix(before) else {
        return false;
    };
    let mut ends = (0..=rest.len()).filter(|n| rest.is_char_boundary(*n));
    ends.any(|at| is_like(&rest[at..], after))
}

fn splits_of_tasks(check: &mut FileCheck<'_>, tasks: &ValueAtLine, splits: &BTreeSet<String>) {
    for task in tasks.get("tasks").map_or(&[][..], ValueAtLine::elements) {
        if let Some(split) = task.get("split")
            && let Some(name) = split.text()
            && !splits.contains(name)
        {
            let what = format!("the card has no split `{name}`");
            let known: Vec<String> = splits.iter().map(|split| format!("`{split}`")).collect();
            check.flaw(
                split.line,
                what,
                &format!("write one of {}", known.join(", ")),
            );
        }
    }
}

/// Checks that each file that a description names is there, as large as it says, and has its hash.
fn files_of_description(
    check: &mut FileCheck<'_>,
    described: &ValueAtLine,
) -> Result<(), Cancelled> {
    let folder = check.root.join(folder_of(&check.path));
    for file in described
        .get("distribution")
        .map_or(&[][..], ValueAtLine::elements)
    {
        check.monitor.step()?;
        let Some(place) = file.get("contentUrl") else {
            continue;
        };
        let path = place.text().unwrap_or_default();
        let is_below = !path.starts_with('/') && path.split('/').all(|part| part != "..");
        // Files elsewhere are not fetched here.
        if path.contains("://") || !is_below {
            continue;
        }
        let Ok(found) = data_file(&folder, path.to_owned()) else {
            let what = format!("there is no file `{path}`");
            check.flaw(place.line, what, "put it there, or remove its entry");
            continue;
        };
        let again = "write the dataset again with `focalist export --format parquet`";
        if let Some(hash) = file.get("sha256")
            && !hash
                .text()
                .is_some_and(|text| text.eq_ignore_ascii_case(&found.sha256))
        {
            let what = format!("`{path}` has another hash: it was changed");
            check.flaw(hash.line, what, again);
        }
        let size = format!("{} B", found.n_bytes);
        if let Some(told) = file.get("contentSize")
            && told
                .text()
                .is_some_and(|text| text.ends_with(" B") && text != size)
        {
            let what = format!("`{path}` has {size}");
            check.flaw(told.line, what, again);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        let check = |path: &str, pattern: &str, expected: bool| {
            assert_eq!(is_like(path, pattern), expected, "{path} {pattern}");
        };
        check("data/test-00000-of-00001.parquet", "data/test-*", true);
        check("data/test-1.parquet", "data/*-1.*", true);
        check("data/test-1.parquet", "data/train-*", false);
        check("a", "a", true);
        check("ab", "a", false);
        check("é", "*", true);
    }
}
