//! Reads `pyproject.toml`, `setup.cfg`, `pytest.ini` and `tox.ini`: where packages lie, and what pytest collects.
//!
//! Reads the few lines that matter, line by line; an unusual layout is not understood, and the defaults hold.

use crate::outside::Configuration;

/// What pytest collects below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionRules {
    /// The folder of the configuration file.
    pub folder: String,
    pub files: Vec<String>,
    /// `testpaths`: where pytest looks unless it is told otherwise; everywhere if there are none.
    pub paths: Vec<String>,
    pub classes: Vec<String>,
    pub functions: Vec<String>,
    /// Fixtures that every test uses.
    pub use_fixtures: Vec<String>,
}

/// The settings of all configuration files together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Folders of packages, without the last `/`.
    pub roots: Vec<String>,
    /// Deepest folders first.
    pub collected: Vec<CollectionRules>,
}

impl CollectionRules {
    fn defaults(folder: &str) -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            folder: folder.to_owned(),
            files: words(&["test_*.py", "*_test.py"]),
            paths: Vec::new(),
            classes: words(&["Test"]),
            functions: words(&["test"]),
            use_fixtures: Vec::new(),
        }
    }

    /// Tells whether pytest looks for tests in a file.
    pub fn is_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.files.iter().any(|pattern| {
            if pattern.contains('/') {
                matches(pattern, path) || matches(&format!("*/{pattern}"), path)
            } else {
                matches(pattern, name)
            }
        })
    }

    /// Tells whether a file's name marks it as test code: `python_files = *` does so only in the folders of tests.
    pub fn is_test_file(&self, path: &str) -> bool {
        let is_within = |folder: &String| {
            let rest = path.strip_prefix(folder.as_str());
            folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_any = self
            .files
            .iter()
            .any(|file| matches!(&**file, "*" | "*.py"));
        self.is_file(path) && (!is_any || self.paths.iter().any(is_within))
    }

    pub fn is_class(&self, name: &str) -> bool {
        is_named(&self.classes, name)
    }

    pub fn is_function(&self, name: &str) -> bool {
        is_named(&self.functions, name)
    }
}

/// Tells whether a name begins with one of the patterns, or matches one that has wildcards.
fn is_named(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| {
        name.starts_with(pattern.as_str())
            || (pattern.contains(['*', '?', '[']) && matches(pattern, name))
    })
}

/// Tells whether a text matches a pattern with `*` and `?`.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && (pattern[p] == b'?' || pattern[p] == text[t]) && pattern[p] != b'*'
        {
            p += 1;
            t += 1;
        } else if p < pattern.len() && pattern[p] == b'*' {
            back = Some((p, t));
            p += 1;
        } else if let Some((star, from)) = back {
            p = star + 1;
            t = from + 1;
            back = Some((star, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// One `key = value` of a section, values over several lines joined.
struct ConfigurationEntry<'t> {
    section: &'t str,
    key: &'t str,
    value: String,
}

/// Reads the entries of a file, in the notation that TOML and INI share.
fn entries(text: &str) -> Vec<ConfigurationEntry<'_>> {
    let mut entries: Vec<ConfigurationEntry<'_>> = Vec::new();
    let mut section = "";
    let mut n_open = 0_i32;
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        let is_more = n_open > 0 || line.starts_with([' ', '\t']);
        if is_more && let Some(entry) = entries.last_mut().filter(|entry| entry.section == section)
        {
            entry.value.push('\n');
            entry.value.push_str(bare);
            n_open += balance(bare);
            continue;
        }
        if bare.starts_with('[') && bare.ends_with(']') {
            section = bare.trim_matches(['[', ']']).trim();
            n_open = 0;
            continue;
        }
        let Some((key, value)) = bare.split_once(['=', ':']) else {
            continue;
        };
        n_open = balance(value);
        entries.push(ConfigurationEntry {
            section,
            key: key.trim().trim_matches('"'),
            value: value.trim().to_owned(),
        });
    }
    entries
}

fn balance(text: &str) -> i32 {
    text.chars()
        .map(|c| match c {
            '[' | '{' => 1,
            ']' | '}' => -1,
            _ => 0,
        })
        .sum()
}

/// Splits a list into words, in TOML's notation or INI's.
fn words(value: &str) -> Vec<String> {
    value
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '"' | '\''))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn joined(folder: &str, name: &str) -> String {
    let name = name.trim_start_matches("./").trim_matches('/');
    match (folder, name) {
        (folder, "" | ".") => folder.to_owned(),
        ("", name) => name.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

impl Settings {
    pub fn read(files: &[Configuration]) -> Self {
        let mut settings = Self::default();
        let mut rank: Vec<(String, usize)> = Vec::new();
        for file in files {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let Some((order, section)) = section_of(name) else {
                continue;
            };
            let entries = entries(&file.text);
            settings.read_roots(folder, &entries);
            let is_told =
                entries.iter().any(|entry| entry.section == section) || name == "pytest.ini";
            if !is_told
                || rank
                    .iter()
                    .any(|(text, rank)| text == folder && *rank < order)
            {
                continue;
            }
            rank.push((folder.to_owned(), order));
            settings
                .collected
                .retain(|collection_rules| collection_rules.folder != folder);
            settings
                .collected
                .push(collected(folder, section, &entries));
        }
        settings
            .collected
            .sort_by_key(|collection_rules| std::cmp::Reverse(collection_rules.folder.len()));
        settings.collected.push(CollectionRules::defaults(""));
        settings.roots.sort();
        settings.roots.dedup();
        settings
    }

    fn read_roots(&mut self, folder: &str, entries: &[ConfigurationEntry<'_>]) {
        for entry in entries {
            let is_where = entry.key == "where"
                && matches!(
                    entry.section,
                    "tool.setuptools.packages.find" | "options.packages.find"
                );
            if is_where || entry.key == "pythonpath" {
                let folders = words(&entry.value);
                self.roots
                    .extend(folders.iter().map(|text| joined(folder, text)));
            } else if matches!(entry.key, "package-dir" | "package_dir")
                || entry.section == "tool.setuptools.package-dir"
            {
                // `"" = "lib"`: where the packages without a folder of their own lie.
                let value = format!("{}={}", entry.key, entry.value);
                for part in value.split(['\n', ',', '{', '}']) {
                    let Some((package, lib)) = part.rsplit_once('=') else {
                        continue;
                    };
                    let package = package
                        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '='));
                    if package.is_empty() || package == "package-dir" || package == "package_dir" {
                        let lib = lib
                            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
                        if !lib.is_empty() {
                            self.roots.push(joined(folder, lib));
                        }
                    }
                }
            } else if entry.key == "from" && entry.section == "tool.poetry.packages" {
                self.roots
                    .extend(words(&entry.value).iter().map(|word| joined(folder, word)));
            }
        }
        self.roots.retain(|root| !root.is_empty());
    }

    /// Looks up the collection rules of pytest for the folder of a file.
    pub fn collected(&self, path: &str) -> &CollectionRules {
        let mut all = self.collected.iter();
        all.find(|collection_rules| {
            collection_rules.folder.is_empty()
                || path
                    .strip_prefix(collection_rules.folder.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
        .expect("the defaults hold everywhere")
    }
}

/// Ranks a configuration file, and names the section that pytest reads in it.
fn section_of(name: &str) -> Option<(usize, &'static str)> {
    match name {
        "pytest.ini" => Some((0, "pytest")),
        "pyproject.toml" => Some((1, "tool.pytest.ini_options")),
        "tox.ini" => Some((2, "pytest")),
        "setup.cfg" => Some((3, "tool:pytest")),
        _ => None,
    }
}

fn collected(folder: &str, section: &str, entries: &[ConfigurationEntry<'_>]) -> CollectionRules {
    let mut collected = CollectionRules::defaults(folder);
    for entry in entries.iter().filter(|entry| entry.section == section) {
        match entry.key {
            "python_files" => collected.files = words(&entry.value),
            "testpaths" => {
                let paths = words(&entry.value);
                collected.paths = paths.iter().map(|path| joined(folder, path)).collect();
            }
            "python_classes" => collected.classes = words(&entry.value),
            "python_functions" => collected.functions = words(&entry.value),
            "usefixtures" => collected.use_fixtures = words(&entry.value),
            _ => {}
        }
    }
    collected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> Settings {
        Settings::read(&[Configuration {
            path: path.to_owned(),
            text: text.to_owned(),
        }])
    }

    #[test]
    fn pytest_is_told_what_it_collects() {
        let text = "[tool.pytest.ini_options]\npython_files = [\n  \"check_*.py\",\n  \"test_*.py\",\n]\npython_functions = \"it_* test\"\n";
        let settings = read("a/pyproject.toml", text);
        let collected = settings.collected("a/check_x.py");
        assert!(collected.is_file("a/check_x.py"));
        assert!(!collected.is_file("a/x_test.py"));
        assert!(collected.is_function("it_works") && collected.is_function("test_x"));
        assert!(!settings.collected("b/check_x.py").is_file("b/check_x.py"));
    }

    #[test]
    fn a_pattern_for_every_file_makes_no_test_of_what_is_tested() {
        let settings = read(
            "pytest.ini",
            "[pytest]\ntestpaths = tests\npython_files = *\n",
        );
        let is_test_file = |path: &str| settings.collected(path).is_test_file(path);
        assert!(is_test_file("tests/sessions.py"));
        assert!(!is_test_file("shop/till.py") && !is_test_file("tests_of/x.py"));
        let everywhere = read("pytest.ini", "[pytest]\npython_files = *.py\n");
        assert!(!everywhere.collected("till.py").is_test_file("till.py"));
        assert!(everywhere.collected("till.py").is_file("till.py"));
    }

    #[test]
    fn a_section_of_ini_goes_over_several_lines() {
        let text = "[tool:pytest]\npython_files =\n    tests.py\n    test_*.py\n[other]\npython_files = no\n";
        let settings = read("setup.cfg", text);
        assert!(settings.collected("x/tests.py").is_file("x/tests.py"));
        assert!(!settings.collected("no").is_file("no"));
    }

    #[test]
    fn folders_of_packages_are_roots() {
        let check = |path: &str, text: &str, expected: &[&str]| {
            assert_eq!(read(path, text).roots, expected, "{text}");
        };
        check(
            "pyproject.toml",
            "[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n",
            &["lib"],
        );
        check(
            "setup.cfg",
            "[options]\npackage_dir =\n    = python\n",
            &["python"],
        );
        check(
            "a/pyproject.toml",
            "[tool.setuptools]\npackage-dir = {\"\" = \"src\"}\n",
            &["a/src"],
        );
    }

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("*_test.py", "a_test.py") && matches("t?st*", "test"));
        assert!(!matches("*_test.py", "a_tests.py") && !matches("", "a"));
        assert!(matches("*a*a*", "banana"));
    }
}
