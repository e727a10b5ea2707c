//! Decides which files are test code: `_test.go`, packages under `internal` that only tests import, and folders that
//! show or build the project.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{GoProject, ImportedPackage, PackageId};
use crate::model::FileRole;
use crate::places::{is_aside, role};

/// Folders at the repository's top that hold no code that tests are about.
const ASIDE: &[&str] = &["examples", "docs", "scripts", "tools"];

/// Decides for each file whether it is main code or test code.
pub fn roles(project: &GoProject) -> Vec<FileRole> {
    let only_tested = only_tested(project);
    let files = project.files.iter();
    files
        .map(|file| {
            let is_aside = is_aside(&file.facts.path, ASIDE);
            role(file.is_test() || only_tested.contains(&file.package) || is_aside)
        })
        .collect()
}

/// Returns the packages under `internal` that only tests, or other such packages, import.
fn only_tested(project: &GoProject) -> FxHashSet<PackageId> {
    // The packages that the main files of each package import.
    let mut imports: FxHashMap<PackageId, Vec<PackageId>> = FxHashMap::default();
    let mut imported: FxHashSet<PackageId> = FxHashSet::default();
    for file in &project.files {
        let all = file.imports.values().chain(&file.dots).chain(&file.blanks);
        let packages = all.filter_map(|imported_package| match imported_package {
            ImportedPackage::Package(id) => Some(*id),
            ImportedPackage::Library(_) => None,
        });
        let packages: Vec<PackageId> = packages.collect();
        imported.extend(&packages);
        if !file.is_test() && !is_aside(&file.facts.path, ASIDE) {
            imports.entry(file.package).or_default().extend(packages);
        }
    }
    let mut found: FxHashSet<PackageId> = imported
        .into_iter()
        .filter(|id| is_internal(&project.package(*id).folder))
        .collect();
    // A package that main code imports is main code, and so on down.
    let all = (0..project.packages.len() as u32).map(PackageId);
    let mut main: Vec<PackageId> = all.filter(|id| !found.contains(id)).collect();
    while let Some(package) = main.pop() {
        for id in imports.get(&package).into_iter().flatten() {
            if found.remove(id) {
                main.push(*id);
            }
        }
    }
    found
}

fn is_internal(folder: &str) -> bool {
    folder.split('/').any(|part| part == "internal")
}
