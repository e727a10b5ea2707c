//! Finds the module of a file's path, and the file of a module's name.

use rustc_hash::FxHashSet;

use super::PythonProject;
use crate::model::FileId;
use crate::places::folder_of;
use crate::python::types::Ty;

/// The target of an import.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleLookup {
    File(FileId),
    Folder(Box<str>),
    /// The first part is the project's, the whole is not.
    Missing,
    Outside,
}

/// The folders where modules may begin.
pub struct Roots<'p> {
    pub configured: &'p [String],
    /// Folders with an `__init__.py`.
    pub packages: FxHashSet<&'p str>,
}

impl Roots<'_> {
    /// Finds the folder that a file's imports start from.
    pub fn root<'f>(&self, path: &'f str) -> &'f str {
        let folder = folder_of(path);
        let mut at = folder;
        while !at.is_empty() && self.packages.contains(at) {
            at = folder_of(at);
        }
        // Packages without an `__init__.py` lie in a configured folder, or in `src`.
        let mut above = at;
        loop {
            let name = above.rsplit('/').next().unwrap_or(above);
            if !above.is_empty()
                && (name == "src" || self.configured.iter().any(|text| text == above))
            {
                return above;
            }
            match above.rsplit_once('/') {
                Some((next, _)) => above = next,
                None => return at,
            }
        }
    }
}

/// Turns a path below a root into a dotted module.
pub fn module_of(path: &str, root: &str) -> String {
    let below = path
        .strip_prefix(root)
        .unwrap_or(path)
        .trim_start_matches('/');
    let stem = below.strip_suffix(".py").unwrap_or(below);
    let stem = stem
        .strip_suffix("/__init__")
        .unwrap_or(if stem == "__init__" { "" } else { stem });
    stem.replace('/', ".")
}

impl PythonProject {
    /// Finds a module as code in a file may name it: of several with one name the nearest.
    pub fn module_named(&self, name: &str, from: FileId) -> ModuleLookup {
        if let Some(files) = self.modules.get(name) {
            let path = &self.file(from).facts.path;
            let best = files.iter().copied().max_by_key(|file| {
                let common = common_folders(path, &self.file(*file).facts.path);
                (common, std::cmp::Reverse(file.0))
            });
            if let Some(best) = best {
                return ModuleLookup::File(best);
            }
        }
        if self.folders.contains(name) {
            return ModuleLookup::Folder(name.into());
        }
        let first = name.split('.').next().unwrap_or(name);
        if self.modules.contains_key(first) {
            return ModuleLookup::Missing;
        }
        ModuleLookup::Outside
    }

    /// Resolves a relative import with `level` dots and a name; nothing above the root.
    pub fn relative(&self, from: FileId, level: u16, name: &str) -> Option<ModuleLookup> {
        let file = self.file(from);
        let folder = folder_of(&file.facts.path);
        let mut folder = folder.to_owned();
        for _ in 1..level {
            folder = folder.rsplit_once('/')?.0.to_owned();
        }
        if !name.is_empty() {
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(&name.replace('.', "/"));
        }
        let found = [format!("{folder}/__init__.py"), format!("{folder}.py")]
            .iter()
            .find_map(|path| self.file_at(path.trim_start_matches('/')));
        if let Some(found) = found {
            return Some(ModuleLookup::File(found));
        }
        let dotted = folder.replace('/', ".");
        self.folders
            .contains(dotted.as_str())
            .then(|| ModuleLookup::Folder(dotted.into()))
    }

    fn file_at(&self, path: &str) -> Option<FileId> {
        let at = self
            .files
            .binary_search_by(|file| (*file.facts.path).cmp(path))
            .ok()?;
        Some(FileId(at as u32))
    }

    /// Finds the module of that name below a module that is a package.
    pub fn submodule(&self, package: FileId, name: &str) -> Option<Ty> {
        if !self.file(package).is_package {
            return None;
        }
        match self.relative(package, 1, name)? {
            ModuleLookup::File(file) => Some(Ty::Module(file)),
            ModuleLookup::Folder(path) => Some(Ty::Folder((*path).into())),
            _ => None,
        }
    }
}

/// Counts the leading folders that two paths share.
fn common_folders(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, packages: &[&str], configured: &[&str], expected: (&str, &str)) {
        let configured: Vec<String> = configured
            .iter()
            .map(|configured| (*configured).to_owned())
            .collect();
        let roots = Roots {
            configured: &configured,
            packages: packages.iter().copied().collect(),
        };
        let root = roots.root(path);
        assert_eq!((root, module_of(path, root).as_str()), expected, "{path}");
    }

    #[test]
    fn a_module_begins_behind_its_import_root() {
        check("pkg/a/b.py", &["pkg", "pkg/a"], &[], ("", "pkg.a.b"));
        check("pkg/__init__.py", &["pkg"], &[], ("", "pkg"));
        check("src/pkg/b.py", &["src/pkg"], &[], ("src", "pkg.b"));
        check(
            "src/space/pkg/b.py",
            &["src/space/pkg"],
            &[],
            ("src", "space.pkg.b"),
        );
        check("lib/space/b.py", &[], &["lib"], ("lib", "space.b"));
        check("tests/test_a.py", &[], &[], ("tests", "test_a"));
        check("tests/test_a.py", &["tests"], &[], ("", "tests.test_a"));
        check("setup.py", &[], &[], ("", "setup"));
    }
}
