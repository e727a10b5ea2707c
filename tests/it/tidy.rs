//! Holds the house to its map: who may use whom, which module owns which foreign library, how files begin and how
//! long they get. Changing a table here is a design decision and its own commit.

use std::fs;
use std::path::{Path, PathBuf};

/// Per module, what it may name of the crate (`src/lib.rs` draws the same).
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("task", &[]),
    ("lang", &["model", "task"]),
    ("focal", &["model", "task", "lang"]),
    ("metric", &["model", "task", "lang"]),
    ("failure", &["model", "task", "lang"]),
    // Two texts in, rows out: it needs no words of the house.
    ("diff", &[]),
    // Numbers in, pictures out: nor does this.
    ("chart", &[]),
    ("store", &["model", "task"]),
    ("exchange", &["model", "task"]),
    // What a setting is; which keys and themes there are is for the terminal UI to say.
    ("config", &["model"]),
    (
        "mine",
        &["model", "task", "lang", "focal", "store", "exchange"],
    ),
    // Every metric is a field of filters; saved filters are what people set.
    (
        "browse",
        &["model", "task", "metric", "store", "exchange", "config"],
    ),
    // Samples of a dataset get the tokens, hashes and parts that mining would give them.
    (
        "transfer",
        &["model", "task", "lang", "focal", "store", "exchange"],
    ),
    (
        "eval",
        &[
            "model", "task", "lang", "metric", "failure", "store", "exchange",
        ],
    ),
    // Agreement and intervals are metrics of people.
    (
        "review",
        &["model", "task", "metric", "store", "exchange", "diff"],
    ),
    // It compares texts of samples and knows nothing of predictions.
    ("leakage", &["model", "task", "metric", "store"]),
    ("plot", &["model", "task", "metric", "store", "chart"]),
    // It runs verbs as processes and knows none of them.
    ("job", &["model", "task", "store"]),
    (
        "cli",
        &[
            "model", "task", "metric", "store", "exchange", "config", "diff", "mine", "eval",
            "review", "browse", "transfer", "leakage", "chart", "plot", "job",
        ],
    ),
    (
        "tui",
        &[
            "model", "task", "metric", "store", "config", "diff", "mine", "eval", "review",
            "browse", "transfer", "leakage", "chart", "plot", "job",
        ],
    ),
    ("main", &["cli", "tui"]),
];

/// Foreign libraries with one owner; whoever is not named here is free to all.
const OWNERS: &[(&str, &[&str])] = &[
    ("tree_sitter", &["lang"]),
    ("tree_sitter_java", &["lang"]),
    ("tree_sitter_python", &["lang"]),
    ("tree_sitter_go", &["lang"]),
    ("tree_sitter_javascript", &["lang"]),
    ("tree_sitter_c_sharp", &["lang"]),
    ("flate2", &["lang"]),
    ("noak", &["lang"]),
    ("rawzip", &["lang"]),
    ("rusqlite", &["store"]),
    // File systems, and signals to processes.
    ("rustix", &["store", "job"]),
    // Processes: jobs, the user's editor, and the code that ours ends with; its number makes names of temporary files.
    ("std::process", &["job", "tui", "main", "config"]),
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("syntect", &["tui"]),
    ("similar", &["diff"]),
    ("signal_hook", &["tui", "cli"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli"]),
    ("nucleo_matcher", &["browse"]),
    ("gix", &["mine"]),
    ("ignore", &["mine"]),
    ("serde", &["exchange", "tui"]),
    ("serde_json", &["exchange"]),
    ("toml", &["tui", "config"]),
    ("zstd", &["store", "lang"]),
];

/// A file is one idea; tests, at its end or in a `tests.rs`, do not count.
const FILE_LINES_MAX: usize = 700;
const FUNCTION_LINES_MAX: usize = 100;

struct Source {
    path: PathBuf,
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the source folder can be read") {
            let path = entry.expect("a folder's entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let below = path
                    .strip_prefix(&root)
                    .expect("it was found below the root");
                let first = below.iter().next().expect("a path has a first part");
                let module = Path::new(first)
                    .file_stem()
                    .expect("a source file has a name");
                found.push(Source {
                    module: module.to_string_lossy().into_owned(),
                    text: fs::read_to_string(&path).expect("our sources are UTF-8"),
                    path,
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Returns the lines before the unit tests, comments left out, with their numbers from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .enumerate()
        .map(|(idx, line)| (idx + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Returns the identifiers that follow `prefix` in `line`, also in a group: `crate::{a, b::c}`.
fn named_after<'l>(line: &'l str, prefix: &str) -> Vec<&'l str> {
    let mut names = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(prefix) {
        rest = &rest[at + prefix.len()..];
        let group = rest.strip_prefix('{').map_or(rest, |group| group);
        let parts: Vec<&str> = if rest.starts_with('{') {
            group
                .split('}')
                .next()
                .unwrap_or(group)
                .split(',')
                .collect()
        } else {
            vec![group]
        };
        for part in parts {
            let name = part
                .trim()
                .split(|it: char| !(it.is_alphanumeric() || it == '_'))
                .next()
                .unwrap_or_default();
            if !name.is_empty() {
                names.push(name);
            }
        }
    }
    names
}

fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
}

#[test]
fn arrows_point_down() {
    let mut offences = Vec::new();
    for source in sources() {
        let Some((_, allowed)) = ARROWS.iter().find(|(module, _)| *module == source.module) else {
            assert_eq!(
                source.module, "lib",
                "{} has no place on the map",
                source.module
            );
            continue;
        };
        for (number, line) in code_lines(&source.text) {
            let prefixes: &[&str] = if source.module == "main" {
                &["focalist::"]
            } else {
                &["crate::"]
            };
            for name in prefixes.iter().flat_map(|prefix| named_after(line, prefix)) {
                let is_module = ARROWS.iter().any(|(module, _)| *module == name);
                if is_module && name != source.module && !allowed.contains(&name) {
                    offences.push(format!(
                        "{}:{number}: `{}` must not use `{name}`",
                        source.path.display(),
                        source.module
                    ));
                }
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn a_foreign_library_has_one_owner() {
    let mut offences = Vec::new();
    for source in sources() {
        for (library, owners) in OWNERS {
            if owners.contains(&source.module.as_str()) {
                continue;
            }
            let path = format!("{library}::");
            for (number, line) in code_lines(&source.text) {
                let names_it = line.match_indices(&path).any(|(at, _)| {
                    !line[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_' || it == ':')
                });
                if names_it {
                    offences.push(format!(
                        "{}:{number}: `{library}` belongs to {owners:?}",
                        source.path.display()
                    ));
                }
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn sql_is_written_in_store_only() {
    let mut offences = Vec::new();
    for source in sources().iter().filter(|it| it.module != "store") {
        for (number, line) in code_lines(&source.text) {
            if ["SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA "]
                .iter()
                .any(|sql| line.contains(sql))
            {
                offences.push(format!(
                    "{}:{number}: SQL outside `store`",
                    source.path.display()
                ));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn every_file_opens_with_what_it_decides() {
    let offences: Vec<String> = sources()
        .iter()
        .filter(|source| !source.text.starts_with("//!"))
        .map(|source| format!("{}: no `//!` header", source.path.display()))
        .collect();
    assert_none(&offences);
}

#[test]
fn files_and_functions_fit_in_the_head() {
    let mut offences = Vec::new();
    for source in sources() {
        let n_lines = source
            .text
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .count();
        let is_test = source
            .path
            .file_name()
            .is_some_and(|name| name == "tests.rs");
        if n_lines > FILE_LINES_MAX && !is_test {
            offences.push(format!("{}: {n_lines} lines", source.path.display()));
        }
        for (name, number, length) in functions(&source.text) {
            if length > FUNCTION_LINES_MAX {
                offences.push(format!(
                    "{}:{number}: `{name}` has {length} lines",
                    source.path.display()
                ));
            }
        }
    }
    assert_none(&offences);
}

/// Returns name, first line and length of every function that rustfmt has laid out.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let declares = line.trim_start().split_once("fn ").filter(|(before, _)| {
            before.split_whitespace().all(|word| {
                word.starts_with("pub") || ["const", "async", "super)", "crate)"].contains(&word)
            })
        });
        let Some((_, rest)) = declares else { continue };
        // A trait's function without a body has no length.
        let end = lines[idx..].iter().find(|it| it.ends_with(['{', ';', '}']));
        if end.is_none_or(|it| it.ends_with(';')) {
            continue;
        }
        let closing = format!("{}}}", " ".repeat(indent));
        let length = lines[idx..]
            .iter()
            .position(|it| *it == closing)
            .map_or(1, |it| it + 1);
        let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
        found.push((name, idx + 1, length));
    }
    found
}

#[test]
fn terminal_clear_is_never_called() {
    // It asks the terminal for the cursor and stalls for two seconds where nobody answers (ratatui 0.30.2).
    let offences: Vec<String> = sources()
        .iter()
        .filter(|source| source.module == "tui" && source.text.contains("terminal.clear()"))
        .map(|source| source.path.display().to_string())
        .collect();
    assert_none(&offences);
}
