//! Finds the file that an import means (L19): relative paths, packages of the repository, their build output, aliases.

use rustc_hash::{FxHashMap, FxHashSet};

use super::config::{Config, Package};
use crate::model::FileId;
use crate::places::{folder_of, joined};

/// Extensions of sources, in the order in which they are tried.
const EXTENSIONS: &[&str] = &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"];

/// Folders that builds write to, and where their sources lie.
const OUTPUT: &[&str] = &[
    "dist", "lib", "build", "out", "es", "esm", "cjs", "umd", "output", "module", "commonjs",
];
const SOURCE: &[&str] = &["src", "source", "lib", "sources"];

/// How often one path may lead to another: more than that goes round in circles.
const HOPS_MAX: u32 = 6;

/// Files by their paths.
#[derive(Debug, Default)]
pub struct ModulePaths {
    files: FxHashMap<String, FileId>,
    folders: FxHashSet<String>,
}

impl ModulePaths {
    pub fn new<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut found = Self::default();
        for (at, path) in paths.enumerate() {
            found.files.insert(path.to_owned(), FileId(at as u32));
            let mut folder = path;
            while let Some((outer, _)) = folder.rsplit_once('/') {
                if !found.folders.insert(outer.to_owned()) {
                    break;
                }
                folder = outer;
            }
        }
        found
    }

    /// Finds the file of a path as an import may write it: without extension, or with the extension of its output.
    fn file(&self, path: &str) -> Option<FileId> {
        if let Some(&file) = self.files.get(path) {
            return Some(file);
        }
        if let Some(file) = self.first(path, EXTENSIONS) {
            return Some(file);
        }
        let (stem, extension) = path.rsplit_once('.')?;
        let others: &[&str] = match extension {
            "js" => &[".ts", ".tsx", ".jsx", ".mjs", ".cjs"],
            "jsx" => &[".tsx"],
            "mjs" => &[".mts", ".js", ".ts"],
            "cjs" => &[".cts", ".js", ".ts"],
            _ => return None,
        };
        self.first(stem, others)
    }

    fn index(&self, folder: &str) -> Option<FileId> {
        match folder {
            "" => self.first("index", EXTENSIONS),
            _ => self.first(&[folder, "/index"].concat(), EXTENSIONS),
        }
    }

    /// Finds the file with the first of these extensions that exists.
    fn first(&self, stem: &str, extensions: &[&str]) -> Option<FileId> {
        let mut path = stem.to_owned();
        extensions.iter().find_map(|extension| {
            path.truncate(stem.len());
            path.push_str(extension);
            self.files.get(&path).copied()
        })
    }
}

/// Finds the files that imports mean.
#[derive(Debug)]
pub struct Modules {
    paths: ModulePaths,
    config: Config,
}

impl Modules {
    pub const fn new(paths: ModulePaths, config: Config) -> Self {
        Self { paths, config }
    }

    /// Resolves a specifier in the file of that path; nothing where it means a library.
    pub fn resolve(&self, from: &str, specifier: &str) -> Option<FileId> {
        let specifier = specifier.split(['?', '!']).next().unwrap_or_default();
        if specifier.is_empty() || specifier.starts_with("node:") || specifier.len() > 500 {
            return None;
        }
        if specifier.starts_with('.') {
            let path = joined(folder_of(from), specifier)?;
            return self.path(&path, 0);
        }
        self.alias(from, specifier)
            .or_else(|| self.package(from, specifier))
    }

    /// Finds the file that a path means, from the root of the repository.
    fn path(&self, path: &str, hops: u32) -> Option<FileId> {
        if hops > HOPS_MAX {
            return None;
        }
        if let Some(file) = self.paths.file(path) {
            return Some(file);
        }
        if let Some(package) = self.config.package_at(path)
            && let Some(file) = self.entry(package, ".", hops + 1)
        {
            return Some(file);
        }
        if let Some(file) = self.paths.index(path) {
            return Some(file);
        }
        self.source_of(path)
    }

    /// Finds the source of a build's output at a path: the same relative path under `src`, or the entry.
    fn source_of(&self, path: &str) -> Option<FileId> {
        let package = self.config.package_around(path);
        let root = package.map_or("", |package| package.folder.as_str());
        let inner = path.strip_prefix(root)?.trim_start_matches('/');
        let (first, rest) = inner.split_once('/').unwrap_or((inner, ""));
        if !OUTPUT.contains(&first) {
            // A bundle may lie at the root of its package.
            let package = package?;
            let is_entry = |text: &String| joined(root, text).as_deref() == Some(path);
            let targets = package.exported(".");
            let is_main = package.mains.iter().chain(&targets).any(is_entry);
            return is_main
                .then(|| self.source_entry(Some(package), root))
                .flatten();
        }
        let mut rest = rest;
        // `dist/cjs/a.js` is `src/a.ts`.
        loop {
            for source in SOURCE {
                let place = under(root, source);
                if !rest.is_empty() {
                    if let Some(file) = self.source_file(&place, rest) {
                        return Some(file);
                    }
                } else if let Some(file) = self.paths.index(&place) {
                    return Some(file);
                }
            }
            match rest.split_once('/') {
                Some((folder, inner)) if OUTPUT.contains(&folder) || folder.len() < 8 => {
                    rest = inner;
                }
                _ => break,
            }
        }
        // A bundle has the name of the package, and is its entry.
        let stem = bare(rest.rsplit('/').next().unwrap_or_default());
        let name = package.map_or("", |package| {
            package.name.rsplit('/').next().unwrap_or_default()
        });
        let is_bundle = stem == "index" || stem == "main" || !name.is_empty() && stem == bare(name);
        is_bundle
            .then(|| self.source_entry(package, root))
            .flatten()
    }

    fn source_file(&self, place: &str, rest: &str) -> Option<FileId> {
        let path = under(place, rest);
        self.paths.file(&path).or_else(|| {
            let stem = path.rsplit_once('.').map_or(path.as_str(), |pair| pair.0);
            let stem = stem.strip_suffix(".min").unwrap_or(stem);
            self.paths.file(stem).or_else(|| self.paths.index(stem))
        })
    }

    /// Finds the file or the folder's index at a path, or the source from which it was built.
    fn found_at(&self, path: &str) -> Option<FileId> {
        let file = self.paths.file(path).or_else(|| self.paths.index(path));
        file.or_else(|| self.source_of(path))
    }

    /// Finds the source file that a package's manifest names.
    fn said_source(&self, package: &Package) -> Option<FileId> {
        self.paths
            .file(&joined(&package.folder, package.source.as_deref()?)?)
    }

    /// Finds the file where the sources of a package begin.
    fn source_entry(&self, package: Option<&Package>, root: &str) -> Option<FileId> {
        if let Some(file) = package.and_then(|package| self.said_source(package)) {
            return Some(file);
        }
        let name = package.map_or("", |package| {
            package.name.rsplit('/').next().unwrap_or_default()
        });
        let name = bare(name);
        let mut bundled = self.config.bundled(root);
        let bundled = bundled.find_map(|text| self.paths.file(&joined(root, text)?));
        if bundled.is_some() {
            return bundled;
        }
        for source in SOURCE {
            let place = under(root, source);
            if let Some(file) = self.paths.index(&place) {
                return Some(file);
            }
        }
        let names = [
            name.to_owned(),
            capitalised(name),
            camel(name),
            "main".to_owned(),
        ];
        for source in SOURCE {
            for name in &names {
                if !name.is_empty()
                    && let Some(file) = self.paths.file(&under(root, &format!("{source}/{name}")))
                {
                    return Some(file);
                }
            }
        }
        self.paths.index(root).or_else(|| {
            names
                .iter()
                .find_map(|name| self.paths.file(&under(root, name)))
        })
    }

    /// Finds the file of an entry of a package: `.` or `./sub`.
    fn entry(&self, package: &Package, sub: &str, hops: u32) -> Option<FileId> {
        if hops > HOPS_MAX {
            return None;
        }
        let root = package.folder.as_str();
        if sub == "."
            && let Some(file) = self.said_source(package)
        {
            return Some(file);
        }
        for target in package.exported(sub) {
            let Some(path) = joined(root, &target) else {
                continue;
            };
            if let Some(file) = self.paths.file(&path) {
                return Some(file);
            }
            if let Some(file) = self.source_of(&path) {
                return Some(file);
            }
        }
        if sub == "." {
            for main in &package.mains {
                let Some(path) = joined(root, main) else {
                    continue;
                };
                if path == root {
                    continue;
                }
                if let Some(file) = self.found_at(&path) {
                    return Some(file);
                }
            }
            return self.source_entry(Some(package), root);
        }
        let path = joined(root, sub)?;
        if let Some(file) = self.found_at(&path) {
            return Some(file);
        }
        let inner = sub.trim_start_matches("./");
        SOURCE
            .iter()
            .find_map(|source| self.source_file(&under(root, source), inner))
    }

    /// Follows `paths` and `baseUrl` of `tsconfig.json`, `moduleNameMapper` of Jest, `imports` of `package.json`.
    fn alias(&self, from: &str, specifier: &str) -> Option<FileId> {
        for target in self.config.aliases(from, specifier) {
            if let Some(file) = self.path(&target, 0) {
                return Some(file);
            }
        }
        None
    }

    /// Finds the entry of a package of this repository.
    fn package(&self, from: &str, specifier: &str) -> Option<FileId> {
        let package = self.config.package_named(from, specifier)?;
        let rest = &specifier[package.name.len()..];
        let sub = match rest {
            "" => ".".to_owned(),
            rest => format!(".{rest}"),
        };
        self.entry(package, &sub, 0)
    }
}

fn under(folder: &str, path: &str) -> String {
    match folder {
        "" => path.to_owned(),
        _ => format!("{folder}/{path}"),
    }
}

/// Cuts the extensions off a file's name, or `.js` off a package's.
fn bare(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn camel(name: &str) -> String {
    let mut parts = name.split(['-', '_']);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |joined, part| joined + &capitalised(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        files: &[&str],
        configuration: &[(&str, &str)],
        (from, specifier): (&str, &str),
        expected: &str,
    ) {
        let mut files = files.to_vec();
        files.sort_unstable();
        let found = configuration.iter().map(|(path, text)| (*path, *text));
        let config = Config::read(found, &[]);
        let modules = Modules::new(ModulePaths::new(files.iter().copied()), config);
        let found = modules.resolve(from, specifier);
        let found = found.map_or("", |file_id| files[file_id.0 as usize]);
        assert_eq!(found, expected, "{specifier} from {from}");
    }

    #[test]
    fn relative_imports_find_files_without_their_extension_and_indices() {
        let files = ["src/a.ts", "src/b/index.js", "src/c.js", "src/c/index.js"];
        check(&files, &[], ("test/t.ts", "../src/a"), "src/a.ts");
        check(&files, &[], ("test/t.ts", "../src/a.js"), "src/a.ts");
        check(&files, &[], ("test/t.ts", "../src/b"), "src/b/index.js");
        check(&files, &[], ("test/t.ts", "../src/c"), "src/c.js");
        check(&files, &[], ("test/t.ts", "../../src/c"), "");
        check(&files, &[], ("test/t.ts", "lodash"), "");
    }

    #[test]
    fn the_own_package_and_its_output_mean_the_sources() {
        let files = ["src/index.ts", "src/util/pad.ts", "test/t.ts"];
        let own = [(
            "package.json",
            r#"{"name": "@me/pad", "main": "dist/index.js"}"#,
        )];
        for specifier in [
            "@me/pad",
            "..",
            "../",
            "../dist",
            "../dist/index.js",
            "../dist/cjs/pad.js",
        ] {
            check(&files, &own, ("test/t.ts", specifier), "src/index.ts");
        }
        check(
            &files,
            &own,
            ("test/t.ts", "@me/pad/util/pad"),
            "src/util/pad.ts",
        );
        check(
            &files,
            &own,
            ("test/t.ts", "../dist/util/pad"),
            "src/util/pad.ts",
        );
    }

    #[test]
    fn exports_and_imports_of_a_package_are_followed() {
        let files = ["lib/a.js", "lib/main.js", "lib/node.js", "test/t.js"];
        let own = [(
            "package.json",
            r##"{"name": "p", "exports": {".": {"import": "./lib/main.js"}, "./x/*": "./lib/*.js"}, "imports": {"#n": "./lib/node.js"}}"##,
        )];
        check(&files, &own, ("test/t.js", "p"), "lib/main.js");
        check(&files, &own, ("test/t.js", "p/x/a"), "lib/a.js");
        check(&files, &own, ("test/t.js", "#n"), "lib/node.js");
    }

    #[test]
    fn aliases_of_typescript_and_jest_are_followed() {
        let files = ["app/core/a.ts", "src/b.ts", "test/t.ts"];
        let config = [
            (
                "tsconfig.json",
                "{ // comments are allowed\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@core/*\": [\"app/core/*\"]}, }, }",
            ),
            (
                "package.json",
                r#"{"name": "x", "jest": {"moduleNameMapper": {"^~/(.*)$": "<rootDir>/src/$1"}}}"#,
            ),
        ];
        check(&files, &config, ("test/t.ts", "@core/a"), "app/core/a.ts");
        check(&files, &config, ("test/t.ts", "src/b"), "src/b.ts");
        check(&files, &config, ("test/t.ts", "~/b"), "src/b.ts");
    }
}
