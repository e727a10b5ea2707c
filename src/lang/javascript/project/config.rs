//! Reads `package.json`, `tsconfig.json` and the configurations of Jest and of bundlers, as far as they concern
//! imports.

use super::json::Json;
use crate::places::{folder_of, joined};

/// A package of this repository.
#[derive(Debug, Default)]
pub struct Package {
    /// Where its `package.json` lies.
    pub folder: String,
    pub name: String,
    pub source: Option<String>,
    /// `module`, `main` and the like, in the order in which they are looked for.
    pub mains: Vec<String>,
    exports: Vec<(String, Vec<String>)>,
    imports: Vec<(String, Vec<String>)>,
    /// Names of the packages that it depends on.
    pub dependencies: Vec<String>,
}

impl Package {
    /// Lists the paths that `exports` gives for an entry.
    pub fn exported(&self, sub: &str) -> Vec<String> {
        matching(&self.exports, sub)
    }
}

/// Aliases of one `tsconfig.json`, or of Jest, for the files under a folder.
#[derive(Debug)]
struct Aliases {
    folder: String,
    base: Option<String>,
    paths: Vec<(String, Vec<String>)>,
}

/// All configurations of a repository.
#[derive(Debug, Default)]
pub struct Config {
    packages: Vec<Package>,
    aliases: Vec<Aliases>,
    /// Entries of bundlers, by folder.
    bundled: Vec<(String, String)>,
}

impl Config {
    /// Reads configurations, by path and text; `sources` are those of Jest and bundlers, which are JavaScript.
    pub fn read<'t>(
        files: impl Iterator<Item = (&'t str, &'t str)>,
        sources: &[(&'t str, &'t str)],
    ) -> Self {
        let mut config = Self::default();
        let mut typescript: Vec<(&str, Json)> = Vec::new();
        for (path, text) in files {
            if path.split('/').any(|part| part == "node_modules") {
                continue;
            }
            let json = Json::read(text);
            match path.rsplit('/').next() {
                Some("package.json") => config.package(path, &json),
                Some("jest.config.json") => config.jest(folder_of(path), &json),
                Some("deno.json" | "deno.jsonc" | "import_map.json") => {
                    config.import_map(folder_of(path), &json);
                }
                _ => typescript.push((path, json)),
            }
        }
        for (path, json) in &typescript {
            config.typescript(path, json, &typescript);
        }
        for (path, text) in sources {
            config.source(path, text);
        }
        // Deeper folders come first, so that the nearest configuration wins.
        config
            .aliases
            .sort_by_key(|alias| std::cmp::Reverse(alias.folder.len()));
        config
            .packages
            .sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
        config
    }

    fn package(&mut self, path: &str, json: &Json) {
        let folder = folder_of(path).to_owned();
        let text = |key: &str| json.get(key).and_then(Json::text).map(str::to_owned);
        let mut mains = Vec::new();
        for key in [
            "module",
            "main",
            "browser",
            "jsnext:main",
            "es2015",
            "types",
            "typings",
            "unpkg",
        ] {
            mains.extend(text(key).map(|text| undeclared(&text)));
        }
        let dependencies = ["dependencies", "devDependencies", "peerDependencies"];
        let dependencies = dependencies
            .iter()
            .filter_map(|dependency| json.get(dependency))
            .flat_map(Json::entries)
            .map(|pair| pair.0.clone())
            .collect();
        for (_, script) in json.get("scripts").map_or(&[][..], Json::entries) {
            let entry = script.text().and_then(bundled_by);
            self.bundled
                .extend(entry.map(|entry| (folder.clone(), entry)));
        }
        if let Some(jest) = json.get("jest") {
            self.jest(&folder, jest);
        }
        if let Some(map) = json.get("_moduleAliases") {
            self.mapped(&folder, map);
        }
        self.packages.push(Package {
            name: text("name").unwrap_or_default(),
            source: text("source"),
            mains,
            exports: exported(json.get("exports")),
            imports: exported(json.get("imports")),
            dependencies,
            folder,
        });
    }

    fn jest(&mut self, folder: &str, json: &Json) {
        let root = json.get("rootDir").and_then(Json::text).unwrap_or(".");
        let root = joined(folder, root).unwrap_or_default();
        let mapper = json.get("moduleNameMapper").map_or(&[][..], Json::entries);
        let paths = mapper.iter().filter_map(|(pattern, target)| {
            let target = target.text().or_else(|| target.items().first()?.text())?;
            mapped(pattern, target, &root)
        });
        let paths: Vec<_> = paths.collect();
        if !paths.is_empty() {
            self.alias(folder, None, paths);
        }
        for key in ["modulePaths", "roots", "moduleDirectories"] {
            for item in json.get(key).map_or(&[][..], Json::items) {
                let text = item.text().unwrap_or_default();
                if text.is_empty() || text.contains("node_modules") {
                    continue;
                }
                let base = joined(
                    &root,
                    text.trim_start_matches("<rootDir>").trim_start_matches('/'),
                );
                self.alias(folder, base, Vec::new());
            }
        }
    }

    fn import_map(&mut self, folder: &str, json: &Json) {
        if let Some(imports) = json.get("imports") {
            self.mapped(folder, imports);
        }
    }

    /// Reads aliases such as `{"@/": "./src/"}`.
    fn mapped(&mut self, folder: &str, json: &Json) {
        let paths = json.entries().iter().filter_map(|(key, target)| {
            let target = joined(folder, target.text()?)?;
            let is_folder = key.ends_with('/');
            let (key, target) = if is_folder {
                (format!("{key}*"), format!("{target}/*"))
            } else {
                (key.clone(), target)
            };
            Some((key, vec![target]))
        });
        let paths = paths.collect();
        self.alias(folder, None, paths);
    }

    fn typescript(&mut self, path: &str, json: &Json, all: &[(&str, Json)]) {
        let folder = folder_of(path);
        let mut place = (path.to_owned(), json);
        for _ in 0..5 {
            let here = folder_of(&place.0).to_owned();
            let options = place.1.get("compilerOptions");
            let base = options
                .and_then(|option| option.get("baseUrl"))
                .and_then(Json::text);
            let base = base.and_then(|base| joined(&here, base));
            let paths = options.and_then(|option| option.get("paths"));
            if base.is_some() || paths.is_some() {
                let root = base.clone().unwrap_or_else(|| here.clone());
                let paths = paths.map_or(&[][..], Json::entries);
                let paths = paths.iter().map(|(key, targets)| {
                    let targets = targets.items().iter().filter_map(Json::text);
                    let targets = targets.filter_map(|target| joined(&root, &undeclared(target)));
                    (key.clone(), targets.collect())
                });
                self.alias(folder, base, paths.collect());
                return;
            }
            let Some(parent) = place.1.get("extends").and_then(Json::text) else {
                return;
            };
            let Some(parent) = joined(&here, parent) else {
                return;
            };
            let found = all
                .iter()
                .find(|pair| pair.0 == parent || pair.0.strip_suffix(".json") == Some(&parent));
            match found {
                Some((path, json)) => place = ((*path).to_owned(), json),
                None => return,
            }
        }
    }

    /// Reads the quoted texts after `moduleNameMapper`, the aliases of Vite, and the entries of bundlers.
    fn source(&mut self, path: &str, text: &str) {
        let folder = folder_of(path);
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("jest") {
            let mapper = text.split_once("moduleNameMapper").map(|pair| pair.1);
            let inner = mapper
                .and_then(|mapper| mapper.split_once('{'))
                .and_then(|pair| pair.1.split_once('}'));
            let quoted = inner.map_or_else(Vec::new, |inner| quoted(inner.0));
            let paths = quoted.chunks(2).filter_map(|pair| match pair {
                [pattern, target] => mapped(pattern, target, folder),
                _ => None,
            });
            let paths: Vec<_> = paths.collect();
            if !paths.is_empty() {
                self.alias(folder, None, paths);
            }
            return;
        }
        if name.starts_with("vite") || name.starts_with("vitest") {
            self.vite(folder, text);
        }
        for key in ["input", "entry", "entries", "entryPoints"] {
            let Some((_, rest)) = text.split_once(&format!("{key}:")) else {
                continue;
            };
            let rest: String = rest.chars().take(200).collect();
            if let Some(entry) = quoted(&rest).into_iter().find(|text| is_source(text)) {
                self.bundled.push((folder.to_owned(), entry));
            }
        }
    }

    /// Reads `alias: { '@': resolve(__dirname, './src') }`: the last quoted text of each line is the target.
    fn vite(&mut self, folder: &str, text: &str) {
        let Some((_, rest)) = text.split_once("alias") else {
            return;
        };
        let rest: String = rest.chars().take(2_000).collect();
        let mut paths = Vec::new();
        for line in rest
            .lines()
            .take_while(|line| !line.trim().starts_with("},"))
        {
            let texts = quoted(line);
            if let [key, .., target] = &texts[..]
                && let Some(target) = joined(folder, target)
            {
                paths.push((key.clone(), vec![target.clone()]));
                paths.push((format!("{key}/*"), vec![format!("{target}/*")]));
            }
        }
        if !paths.is_empty() {
            self.alias(folder, None, paths);
        }
    }

    /// Finds the package whose folder is a path.
    pub fn package_at(&self, path: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.folder == path)
    }

    /// Finds the package that a path lies in.
    pub fn package_around(&self, path: &str) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| is_in(path, &package.folder))
    }

    /// Finds the package of this repository that a specifier names.
    pub fn package_named(&self, from: &str, specifier: &str) -> Option<&Package> {
        let is_named = |package: &&Package| {
            !package.name.is_empty()
                && specifier
                    .strip_prefix(package.name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let around = self
            .packages
            .iter()
            .filter(|package| is_in(from, &package.folder));
        let mut all = around.chain(&self.packages);
        all.find(is_named)
    }

    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Iterates over the entries of a bundler in that folder.
    pub fn bundled(&self, folder: &str) -> impl Iterator<Item = &str> {
        let of_folder = self
            .bundled
            .iter()
            .filter(move |bundled| bundled.0 == folder);
        of_folder.map(|of_folder| of_folder.1.as_str())
    }

    /// Finds the paths that aliases give for a specifier in a file.
    pub fn aliases(&self, from: &str, specifier: &str) -> Vec<String> {
        let mut found = Vec::new();
        if specifier.starts_with('#')
            && let Some(package) = self.package_around(from)
        {
            let targets = matching(&package.imports, specifier);
            found.extend(
                targets
                    .iter()
                    .filter_map(|target| joined(&package.folder, target)),
            );
        }
        for aliases in self
            .aliases
            .iter()
            .filter(|alias| is_in(from, &alias.folder))
        {
            found.extend(matching(&aliases.paths, specifier));
            found.extend(
                aliases
                    .base
                    .as_ref()
                    .and_then(|base| joined(base, specifier)),
            );
        }
        found
    }

    fn alias(&mut self, folder: &str, base: Option<String>, paths: Vec<(String, Vec<String>)>) {
        self.aliases.push(Aliases {
            folder: folder.to_owned(),
            base,
            paths,
        });
    }
}

fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reads the entry in a bundler's command line.
fn bundled_by(script: &str) -> Option<String> {
    const BUNDLERS: &[&str] = &[
        "esbuild",
        "rollup",
        "tsup",
        "browserify",
        "parcel",
        "microbundle",
        "unbuild",
        "ncc",
        "webpack",
        "bun",
    ];
    let words: Vec<&str> = script.split_whitespace().collect();
    let is_bundled = words.iter().any(|word| BUNDLERS.contains(word));
    let entry = words.iter().find(|word| {
        is_source(word)
            && !word.starts_with('-')
            && !word.contains(['=', '*'])
            && !word.contains("config")
    });
    entry
        .filter(|_| is_bundled)
        .map(|entry| (*entry).to_owned())
}

fn is_source(path: &str) -> bool {
    [".js", ".ts", ".mjs", ".tsx", ".jsx"]
        .iter()
        .any(|text| path.ends_with(text))
}

/// Turns the path of a declaration file into its script's: `a.d.ts` into `a.js`.
fn undeclared(path: &str) -> String {
    match path.strip_suffix(".d.ts") {
        Some(stem) => format!("{stem}.js"),
        None => path.to_owned(),
    }
}

/// Finds the targets of the patterns that a name fits, the exact ones first; `*` stands for anything.
fn matching(patterns: &[(String, Vec<String>)], name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (pattern, targets) in patterns {
        if pattern == name {
            found.splice(0..0, targets.iter().cloned());
        } else if let Some((begin, end)) = pattern.split_once('*')
            && let Some(inner) = name
                .strip_prefix(begin)
                .and_then(|rest| rest.strip_suffix(end))
        {
            found.extend(targets.iter().map(|target| target.replace('*', inner)));
        }
    }
    found
}

/// Reads `exports` or `imports` of `package.json`: every entry with all its targets, under any condition.
fn exported(json: Option<&Json>) -> Vec<(String, Vec<String>)> {
    let Some(json) = json else { return Vec::new() };
    let is_map = json
        .entries()
        .iter()
        .any(|entry| entry.0.starts_with('.') || entry.0.starts_with('#'));
    if !is_map {
        let mut targets = Vec::new();
        push_targets(json, &mut targets, 0);
        return vec![(".".to_owned(), targets)];
    }
    let entries = json.entries().iter().map(|(key, value)| {
        let mut targets = Vec::new();
        push_targets(value, &mut targets, 0);
        (key.clone(), targets)
    });
    entries.collect()
}

fn push_targets(json: &Json, targets: &mut Vec<String>, depth: u32) {
    if depth > 8 || targets.len() > 32 {
        return;
    }
    match json {
        Json::Text(text) => targets.push(undeclared(text)),
        Json::List(items) => items
            .iter()
            .for_each(|json| push_targets(json, targets, depth + 1)),
        Json::Object(entries) => {
            // Targets that are named as sources come before built ones.
            let is_source = |key: &str| matches!(key, "source" | "development" | "import");
            for (_, value) in entries.iter().filter(|entry| is_source(&entry.0)) {
                push_targets(value, targets, depth + 1);
            }
            for (_, value) in entries.iter().filter(|entry| !is_source(&entry.0)) {
                push_targets(value, targets, depth + 1);
            }
        }
        Json::Other => {}
    }
}

/// Turns `^@/(.*)$` with `<rootDir>/src/$1` into `@/*` with `src/*`; nothing for other regular expressions.
fn mapped(pattern: &str, target: &str, root: &str) -> Option<(String, Vec<String>)> {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
    let pattern = pattern
        .replace("(.*)", "*")
        .replace("(.+)", "*")
        .replace("\\/", "/");
    let pattern = pattern.replace("\\.", ".").replace("\\-", "-");
    if pattern.contains(['(', '[', '\\', '|', '+', '?']) || pattern.matches('*').count() > 1 {
        return None;
    }
    let target = target.strip_prefix("<rootDir>").unwrap_or(target);
    let target = joined(root, target)?.replace("$1", "*");
    Some((pattern, vec![target]))
}

/// Lists the texts between quotes, without the quotes.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"', '`']) {
        let quote = &rest[start..=start];
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(quote) else { break };
        found.push(inner[..end].replace("\\\\", "\\"));
        rest = &inner[end + 1..];
    }
    found
}
