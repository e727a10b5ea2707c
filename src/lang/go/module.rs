//! Finds the folder that an import path means.
//!
//! A path is the project's when it lies in the importing file's own module, in one that its `go.mod` replaces by a
//! folder of the repository, or in one that a `go.work` beside it uses. Every other module is a library, also one of
//! the same repository: builds use the released version.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::outside::Configuration;
use crate::places::{folder_of, joined};

/// One `go.mod`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The folder, `""` for the repository's root.
    pub folder: String,
    pub path: String,
    /// Other modules that this one finds in a folder of the repository: import path and folder.
    pub local: Vec<(String, String)>,
}

/// All modules of a repository, those with the longest folder paths first: nested ones before those around them.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    modules: Vec<Module>,
}

impl Modules {
    /// Reads the modules from the configuration; `folders` are those with sources, `imports` all paths that are
    /// imported. Without a `go.mod` the root's path is the beginning that most imports of the repository's folders
    /// share.
    pub fn read<'t>(
        configuration: &[Configuration],
        folders: &FxHashSet<String>,
        imports: impl Iterator<Item = &'t str>,
    ) -> Self {
        let mut modules: Vec<Module> = configuration
            .iter()
            .filter(|configuration| name_of(&configuration.path) == "go.mod")
            .filter_map(|configuration| module(folder_of(&configuration.path), &configuration.text))
            .collect();
        if modules.is_empty() {
            modules.push(Module {
                folder: String::new(),
                path: guessed_path(folders, imports),
                local: Vec::new(),
            });
        }
        let works = configuration
            .iter()
            .filter(|configuration| name_of(&configuration.path) == "go.work");
        for work in works {
            use_together(&mut modules, folder_of(&work.path), &work.text);
        }
        // The innermost module of a folder is found first.
        modules.sort_by(|a, b| {
            let depth = |module: &Module| module.folder.len();
            depth(b)
                .cmp(&depth(a))
                .then_with(|| a.folder.cmp(&b.folder))
        });
        Self { modules }
    }

    /// Finds the module that a folder lies in.
    pub fn of_folder(&self, folder: &str) -> Option<&Module> {
        self.modules
            .iter()
            .find(|module| below(folder, &module.folder).is_some())
    }

    /// Returns the import path of a folder; the folder itself where it lies in no module.
    pub fn path_of(&self, folder: &str) -> String {
        let Some(module) = self.of_folder(folder) else {
            return folder.to_owned();
        };
        join(&module.path, below(folder, &module.folder).unwrap_or(""))
    }

    /// Finds the folder that an import in a file of `from` means; nothing for a library.
    pub fn folder_of_import(&self, from: &str, path: &str) -> Option<String> {
        let module = self.of_folder(from)?;
        let own = (&module.path, &module.folder);
        let local = module.local.iter().map(|(path, folder)| (path, folder));
        let (root, folder) = std::iter::once(own)
            .chain(local)
            .filter(|(root, _)| below(path, root).is_some())
            .max_by_key(|(root, _)| root.len())?;
        let found = join(folder, below(path, root)?);
        // A nested module is another one, unless it was found as such.
        let owner = self.of_folder(&found)?;
        (owner.folder == *folder).then_some(found)
    }
}

/// Strips the folder or import path `root` from one below it; nothing where it is not below.
fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    if root.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

fn join(root: &str, rest: &str) -> String {
    match (root, rest) {
        ("", rest) => rest.to_owned(),
        (root, "") => root.to_owned(),
        (root, rest) => format!("{root}/{rest}"),
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn module(folder: &str, text: &str) -> Option<Module> {
    let mut path = None;
    let mut local = Vec::new();
    for line in directives(text) {
        match line.as_slice() {
            ["module", module_path] => path = Some((*module_path).to_owned()),
            ["replace", old, "=>", new] | ["replace", old, _, "=>", new]
                if new.starts_with('.') =>
            {
                if let Some(target) = joined(folder, new) {
                    local.push(((*old).to_owned(), target));
                }
            }
            _ => {}
        }
    }
    Some(Module {
        folder: folder.to_owned(),
        path: path?,
        local,
    })
}

/// Lets the modules that a `go.work` uses see each other.
fn use_together(modules: &mut [Module], folder: &str, text: &str) {
    let lines = directives(text);
    let used: FxHashSet<String> = lines
        .iter()
        .filter_map(|line| match line.as_slice() {
            ["use", module_folder] => joined(folder, module_folder),
            _ => None,
        })
        .collect();
    let local: Vec<(String, String)> = modules
        .iter()
        .filter(|module| used.contains(&module.folder))
        .map(|module| (module.path.clone(), module.folder.clone()))
        .collect();
    for module in modules
        .iter_mut()
        .filter(|module| used.contains(&module.folder))
    {
        let others = local.iter().filter(|(_, folder)| *folder != module.folder);
        let others: Vec<_> = others.cloned().collect();
        module.local.extend(others);
    }
}

/// Splits the directives of a `go.mod` or `go.work` into words; each one in brackets begins with the word before the
/// brackets.
fn directives(text: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut around = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        let words: Vec<&str> = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '`']))
            .collect();
        match (words.as_slice(), around) {
            ([], _) => {}
            ([")"], _) => around = None,
            ([word, "("], _) => around = Some(*word),
            (_, Some(word)) => found.push(std::iter::once(word).chain(words).collect()),
            (_, None) => found.push(words),
        }
    }
    found
}

/// Guesses a module path from the beginning that most imports of the repository's folders share.
fn guessed_path<'t>(folders: &FxHashSet<String>, imports: impl Iterator<Item = &'t str>) -> String {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for path in imports.filter(|import| {
        import
            .split('/')
            .next()
            .is_some_and(|host| host.contains('.'))
    }) {
        for (at, _) in path.match_indices('/') {
            if folders.contains(&path[at + 1..]) {
                *counts.entry(&path[..at]).or_default() += 1;
            }
        }
    }
    let best = counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
    best.map_or_else(String::new, |(path, _)| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Modules {
        let configuration: Vec<Configuration> = files
            .iter()
            .map(|(path, text)| Configuration {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        Modules::read(&configuration, &FxHashSet::default(), std::iter::empty())
    }

    #[test]
    fn an_import_is_the_projects_where_its_module_is_seen() {
        let all_modules = modules(&[
            ("go.mod", "module example.com/m // the root\n\ngo 1.21\n"),
            (
                "exp/go.mod",
                "module example.com/m/exp\nreplace (\n\texample.com/m v1.2.0 => ../\n)\nrequire example.com/m v1\n",
            ),
            ("tools/go.mod", "module \"example.com/m/tools\"\n"),
        ]);
        let check = |from: &str, path: &str, expected: Option<&str>| {
            assert_eq!(
                all_modules.folder_of_import(from, path).as_deref(),
                expected,
                "{from}: {path}"
            );
        };
        check("", "example.com/m", Some(""));
        check("a", "example.com/m/b/c", Some("b/c"));
        check("a", "example.com/mm", None);
        check("", "example.com/m/exp", None);
        check("exp/x", "example.com/m/exp/y", Some("exp/y"));
        check("exp", "example.com/m/b", Some("b"));
        check("tools", "example.com/m/b", None);
        assert_eq!(all_modules.path_of("exp/x"), "example.com/m/exp/x");
        assert_eq!(all_modules.path_of(""), "example.com/m");
    }

    #[test]
    fn a_work_file_lets_modules_see_each_other() {
        let all_modules = modules(&[
            ("a/go.mod", "module a.b/a\n"),
            ("b/go.mod", "module a.b/b\n"),
            ("go.work", "go 1.21\nuse (\n\t./a\n\t./b\n)\n"),
        ]);
        assert_eq!(
            all_modules.folder_of_import("a", "a.b/b/c").as_deref(),
            Some("b/c")
        );
        assert_eq!(all_modules.folder_of_import("b", "a.b/c"), None);
    }

    #[test]
    fn without_a_module_the_imports_tell_its_path() {
        let folders = ["", "x", "x/y"].map(str::to_owned).into_iter().collect();
        let imports = ["a.b/c/x", "a.b/c/x/y", "d.e/x", "x"].into_iter();
        let all_modules = Modules::read(&[], &folders, imports);
        assert_eq!(
            all_modules.folder_of_import("", "a.b/c/x").as_deref(),
            Some("x")
        );
        assert_eq!(all_modules.path_of("x"), "a.b/c/x");
    }
}
