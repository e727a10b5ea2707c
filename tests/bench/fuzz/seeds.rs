//! The seed files of a language, and the project of a case number.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::mutate;
use super::pipeline::Source;
use super::random::Random;
use super::tongue::Tongue;

/// Larger seeds would cost as much time as many small cases.
const SIZE_BYTES_MAX: usize = 60_000;

/// The paths of all seeds, in order.
pub struct Seeds {
    tongue: &'static Tongue,
    folder: PathBuf,
    paths: Vec<String>,
    /// Files by their names without the marks of test files.
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Seeds {
    pub fn in_folder(folder: &Path, tongue: &'static Tongue) -> Self {
        let mut paths = files(folder, tongue);
        paths.sort();
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (idx, path) in paths.iter().enumerate() {
            by_name.entry(tested(path)).or_default().push(idx);
        }
        Self {
            tongue,
            folder: folder.to_path_buf(),
            paths,
            by_name,
        }
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Builds the mutated project of a case.
    pub fn project(&self, seed: u64, case: u64) -> Vec<Source> {
        let mut random = Random::new(seed, case);
        let mut sources = self.chosen(&mut random);
        mutate::mutate(&mut random, self.tongue, &mut sources);
        sources
    }

    /// Picks 1 to 6 files: often a test with the class that it is named after, and neighbours in the folder.
    fn chosen(&self, random: &mut Random) -> Vec<Source> {
        let mut at = random.below(self.len());
        for _ in 0..4 {
            if self.paths.get(at).is_some_and(|path| is_test(path)) {
                break;
            }
            at = random.below(self.len());
        }
        let mut chosen = vec![at];
        let tested = self
            .paths
            .get(at)
            .map_or_else(String::new, |path| tested(path));
        let same_repo = |idx: &&usize| {
            let repo = |idx: usize| self.paths[idx].split('/').next();
            repo(**idx) == repo(at)
        };
        if let Some(tested) = self.by_name.get(&tested) {
            chosen.extend(tested.iter().filter(same_repo).take(2));
        }
        for _ in 0..random.below(5) {
            let near = if random.once_in(4) {
                random.below(self.len())
            } else {
                (at + random.below(20))
                    .saturating_sub(10)
                    .min(self.len().saturating_sub(1))
            };
            chosen.push(near);
        }
        chosen.sort_unstable();
        chosen.dedup();
        let sources: Vec<Source> = chosen.iter().filter_map(|&idx| self.read(idx)).collect();
        if sources.is_empty() {
            let (path, text) = self.tongue.empty;
            return vec![Source {
                path: path.to_owned(),
                text: text.to_owned(),
            }];
        }
        sources
    }

    fn read(&self, idx: usize) -> Option<Source> {
        let path = self.paths.get(idx)?;
        let bytes = fs::read(self.folder.join(path)).ok()?;
        if bytes.len() > SIZE_BYTES_MAX {
            return None;
        }
        // The folder of the repository is not part of a file's path in it.
        let inside = path
            .split_once('/')
            .map_or(path.as_str(), |(_, inside)| inside);
        Some(Source {
            path: inside.to_owned(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

fn is_test(path: &str) -> bool {
    path.to_lowercase().contains("test")
}

/// Returns the name of a file without its extension and without the mark of test files.
fn tested(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = stem.trim_end_matches("tests").trim_end_matches("test");
    stem.trim_start_matches("test").trim_matches('_').to_owned()
}

/// Returns the paths of a language's files below `folder`, relative to it, in no order; links are not followed.
pub fn files(folder: &Path, tongue: &Tongue) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        // A folder that cannot be read has no seeds.
        let Ok(entries) = fs::read_dir(&at) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|file_type| file_type.is_dir()) {
                folders.push(path);
            } else if let Some(inside) = path.strip_prefix(folder).ok().and_then(Path::to_str)
                && tongue.has(inside)
            {
                found.push(inside.to_owned());
            }
        }
    }
    found
}
