//! Checks the source tree against its map: which package may use which, which package owns which foreign library, how
//! files begin, how long they may be, and that no two files need each other. Changing a table here is a design decision
//! and a separate commit.

mod languages;
mod source;
mod workspaces;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use self::languages::{COMPARED, compared};
use self::source::{Source, mark_tests, sources};

/// For each room, the rooms that it may use (`src/lib.rs` has the same map). A room is a package, so the compiler
/// enforces the dependencies in the manifests; this table restricts the manifests.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("task", &[]),
    // Paths below a folder: it needs none of the shared types.
    ("held", &[]),
    // The state of a repository: paths, hashes and an address, none of the shared types.
    ("git", &["held"]),
    // Texts of one language at a time, each on its own.
    ("syntax", &["model"]),
    // The meaning of names in the sources of a project.
    ("lang", &["model", "syntax"]),
    ("focal", &["model", "task", "syntax", "lang"]),
    ("metric", &["model", "task", "syntax"]),
    ("failure", &["model", "task", "syntax"]),
    // From texts to sequences, and back.
    ("encode", &["model", "syntax"]),
    // Equivalent variants and mutants of functions, derived from their trees.
    ("mutate", &["model", "syntax"]),
    // From two texts to rows: it needs none of the shared types.
    ("diff", &[]),
    // From numbers to pictures: it needs none of them, either.
    ("chart", &["model"]),
    ("store", &["model", "task"]),
    ("exchange", &["model", "task"]),
    // Runs foreign programs: it needs none of the shared types except for cancelling.
    ("sandbox", &["task", "held"]),
    // Builds projects and runs candidates in them; it knows neither the index nor runs.
    ("runner", &["model", "task", "syntax", "mutate", "sandbox"]),
    // Defines settings; the terminal UI defines the keys and themes.
    ("config", &["model"]),
    (
        "mine",
        &[
            "model", "task", "syntax", "lang", "focal", "git", "store", "exchange",
        ],
    ),
    // Every metric is a field of filters; saved filters are settings.
    (
        "browse",
        &["model", "task", "metric", "store", "exchange", "config"],
    ),
    // Samples of a dataset get the tokens, hashes and parts that mining would give them.
    (
        "transfer",
        &[
            "model", "task", "syntax", "lang", "focal", "encode", "store", "exchange",
        ],
    ),
    (
        "eval",
        &[
            "model", "task", "syntax", "metric", "failure", "encode", "store", "exchange",
        ],
    ),
    // Agreement and intervals are metrics over people's verdicts.
    (
        // Seats are files in a workspace whose content may come from a stranger.
        "review",
        &[
            "model", "task", "metric", "store", "exchange", "diff", "held",
        ],
    ),
    (
        "execute",
        &[
            "model", "task", "syntax", "lang", "store", "exchange", "sandbox", "runner",
        ],
    ),
    // Encoded samples are prompts, too, and a vocabulary measures the length of a prompt. The prompts of MERA's records
    // belong to an export.
    (
        "prompts",
        &[
            "model", "task", "syntax", "encode", "store", "exchange", "transfer",
        ],
    ),
    // It knows prompts as lines of a file; code is extracted from answers as in an import.
    (
        "generate",
        &[
            "model", "task", "syntax", "metric", "encode", "store", "exchange",
        ],
    ),
    // Variants of functions, and comparisons of their completions.
    (
        "consistency",
        &[
            "model", "task", "syntax", "metric", "mutate", "store", "exchange", "chart",
        ],
    ),
    // It knows prepared Python projects, but no samples. Questions are stored as they are written.
    (
        "clover",
        &[
            "model", "task", "metric", "store", "exchange", "runner", "prompts",
        ],
    ),
    // It compares texts of samples and does not know predictions.
    ("leakage", &["model", "task", "metric", "store"]),
    // A method's properties come from its tree, its length from a vocabulary, and a project's Java version from its
    // pom.
    (
        "benchmark",
        &[
            "model", "task", "syntax", "encode", "store", "exchange", "runner", "chart",
        ],
    ),
    // The log of a training is a file and not part of the index.
    (
        "plot",
        &["model", "task", "metric", "store", "exchange", "chart"],
    ),
    // It starts processes that mine, but knows nothing about mining.
    ("scale", &["model", "task", "store", "exchange"]),
    // A separate program with a workspace of its own: the two share only files and their formats.
    ("baseline", &["encode"]),
    // Pages with the results of other verbs: it combines them, and nothing below knows it.
    (
        "report",
        &[
            "model", "task", "metric", "store", "exchange", "diff", "chart", "eval", "browse",
            "plot", "transfer",
        ],
    ),
    // It runs verbs as processes and knows none of them.
    // Logs and locks may have come with a clone.
    ("job", &["model", "task", "held", "store"]),
    (
        "cli",
        &[
            "model",
            "task",
            "metric",
            "store",
            "exchange",
            "config",
            "held",
            "diff",
            "mine",
            "eval",
            "review",
            "browse",
            "transfer",
            "leakage",
            "chart",
            "plot",
            "job",
            "sandbox",
            "runner",
            "execute",
            "benchmark",
            "encode",
            "prompts",
            "generate",
            "mutate",
            "consistency",
            "clover",
            "scale",
            "report",
        ],
    ),
    (
        "tui",
        &[
            "model",
            "task",
            "metric",
            "store",
            "config",
            "diff",
            "mine",
            "eval",
            "review",
            "browse",
            "transfer",
            "leakage",
            "chart",
            "plot",
            "job",
            "execute",
            "mutate",
            "consistency",
            "clover",
        ],
    ),
];

/// Foreign libraries with owners, as manifests name them; every room may use the others.
const OWNERS: &[(&str, &[&str])] = &[
    ("tree-sitter", &["syntax", "lang"]),
    ("tree-sitter-java", &["syntax", "lang"]),
    ("tree-sitter-python", &["syntax"]),
    ("tree-sitter-go", &["syntax", "lang"]),
    ("tree-sitter-javascript", &["syntax", "lang"]),
    ("tree-sitter-c-sharp", &["syntax"]),
    // Jars, git's objects, and logs of other harnesses.
    ("flate2", &["lang", "git", "exchange"]),
    ("noak", &["syntax", "lang"]),
    ("rawzip", &["lang", "exchange"]),
    ("rusqlite", &["store"]),
    // File systems, and signals to processes.
    ("rustix", &["store", "job", "sandbox", "held", "scale"]),
    // The user's name, from the system's database.
    ("nix", &["cli"]),
    ("close_fds", &["sandbox"]),
    // The system calls that are refused, and their numbers.
    ("seccompiler", &["sandbox"]),
    ("libc", &["sandbox"]),
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("syntect", &["tui"]),
    ("similar", &["diff"]),
    ("signal-hook", &["tui", "cli", "baseline"]),
    // The model has a command line of its own.
    ("clap", &["cli", "baseline"]),
    ("clap-complete", &["cli"]),
    ("clap-mangen", &["cli"]),
    ("indicatif", &["cli"]),
    ("nucleo-matcher", &["browse"]),
    ("sha1", &["git"]),
    ("globset", &["git"]),
    ("ignore", &["mine"]),
    // Besides imported and exported files: the messages between the runner and its own programs in the sandbox, and the
    // model's files.
    ("serde", &["exchange", "runner", "baseline"]),
    ("serde-json", &["exchange", "runner", "baseline"]),
    // Files of prompts are imported and exported.
    ("toml", &["tui", "config", "exchange"]),
    ("parquet", &["exchange"]),
    // Cards, citations and results of published datasets, with the lines of their contents.
    ("saphyr-parser", &["exchange"]),
    ("minijinja", &["prompts"]),
    ("ureq", &["generate"]),
    // Also for the length of prompts; the model trains vocabularies.
    ("tokenizers", &["encode", "baseline"]),
    ("burn", &["baseline"]),
    ("burn-flex", &["baseline"]),
    ("zstd", &["store", "syntax", "exchange"]),
];

/// The rooms that may use `std::process`: for jobs, foreign code in its sandbox, workers of shards, the program that
/// trains models, the user's editor, exit codes, and process ids in names of temporary files.
const PROCESSES: &[&str] = &[
    "job", "sandbox", "held", "scale", "cli", "tui", "main", "config", "baseline",
];

/// The maximum length of a file, which should be one idea; tests do not count.
const FILE_LINES_MAX: usize = 700;
const FUNCTION_LINES_MAX: usize = 100;

fn ours() -> Vec<Source> {
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
}

/// A package: its room, and its dependencies outside of tests.
struct Package {
    room: String,
    dependencies: Vec<String>,
}

impl Package {
    fn new(room: &str, manifest: &str) -> Self {
        let manifest: toml::Table = manifest.parse().expect("our manifests are TOML");
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        Self {
            room: room.to_owned(),
            dependencies: dependencies
                .map_or_else(Vec::new, |dependency| dependency.keys().cloned().collect()),
        }
    }
}

fn packages() -> Vec<Package> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut rooms: Vec<String> = fs::read_dir(&root)
        .expect("the source folder can be read")
        .map(|result| result.expect("a folder's entry can be read").path())
        .filter(|path| path.is_dir())
        .map(|path| {
            path.file_name()
                .expect("it has a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    rooms.sort();
    rooms
        .iter()
        .map(|room| {
            let path = root.join(room).join("Cargo.toml");
            Package::new(
                room,
                &fs::read_to_string(&path).expect("every room has a manifest"),
            )
        })
        .collect()
}

fn crooked_arrows(packages: &[Package]) -> Vec<String> {
    let mut offences = Vec::new();
    for Package { room, dependencies } in packages {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| name == room) else {
            offences.push(format!("src/{room}: it has no place on the map"));
            continue;
        };
        let used = dependencies
            .iter()
            .filter_map(|dependency| dependency.strip_prefix("focalist-"));
        offences.extend(
            used.filter(|used| !allowed.contains(used))
                .map(|used| format!("src/{room}/Cargo.toml: `{room}` must not use `{used}`")),
        );
    }
    offences
}

fn taken_libraries(packages: &[Package]) -> Vec<String> {
    let mut offences = Vec::new();
    for Package { room, dependencies } in packages {
        for (library, owners) in OWNERS {
            if dependencies.iter().any(|dependency| dependency == library)
                && !owners.contains(&room.as_str())
            {
                offences.push(format!(
                    "src/{room}/Cargo.toml: `{library}` belongs to {owners:?}"
                ));
            }
        }
    }
    offences
}

/// Returns the lines of code with one of `words` in a place that is not among `rooms`.
fn said_elsewhere(sources: &[Source], words: &[&str], rooms: &[&str]) -> Vec<String> {
    let mut offences = Vec::new();
    for source in sources
        .iter()
        .filter(|source| !rooms.contains(&source.room.as_str()))
    {
        for (number, line) in source.code() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                offences.push(format!(
                    "src/{}:{number}: `{}` belongs to {rooms:?}",
                    source.path,
                    word.trim()
                ));
            }
        }
    }
    offences
}

/// Returns the places that name another package without the alias from their package's root.
fn long_names(sources: &[Source]) -> Vec<String> {
    let mut offences = Vec::new();
    for source in sources.iter().filter(|source| source.room != "lib") {
        for (number, line) in source.code() {
            let is_alias = source.module().is_empty() && line.starts_with("use focalist_");
            let names_a_package = line.match_indices("focalist_").any(|(at, _)| {
                let end = line[at..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
                end.is_some_and(|end| line[at + end..].starts_with("::"))
            });
            if names_a_package && !is_alias {
                offences.push(format!("src/{}:{number}: write `crate::…`", source.path));
            }
        }
    }
    offences
}

fn headless(sources: &[Source]) -> Vec<String> {
    let without = sources
        .iter()
        .filter(|source| !source.text.starts_with("//!"));
    without
        .map(|source| format!("src/{}: no `//!` header", source.path))
        .collect()
}

fn too_long(sources: &[Source]) -> Vec<String> {
    let mut offences = Vec::new();
    for source in sources {
        let n_lines = source.n_lines();
        if n_lines > FILE_LINES_MAX {
            offences.push(format!("src/{}: {n_lines} lines", source.path));
        }
        for (name, number, length) in functions(&source.text) {
            if length > FUNCTION_LINES_MAX {
                offences.push(format!(
                    "src/{}:{number}: `{name}` has {length} lines",
                    source.path
                ));
            }
        }
    }
    offences
}

/// Returns the groups of files in one room that need each other, each sorted; a parent and the files below it do not
/// count.
fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let mut rooms: BTreeMap<&str, BTreeMap<Vec<&str>, &Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        rooms
            .entry(&source.room)
            .or_default()
            .insert(source.module(), source);
    }
    rooms.values().flat_map(circles_of).collect()
}

fn circles_of(files: &BTreeMap<Vec<&str>, &Source>) -> Vec<Vec<String>> {
    let modules: Vec<&Vec<&str>> = files.keys().collect();
    let uses: Vec<Vec<usize>> = files
        .iter()
        .map(|(module, source)| {
            let paths = source.paths();
            let mut used: Vec<usize> = paths
                .iter()
                .filter_map(|(_, path)| file_of(files, module, path))
                .collect();
            used.retain(|n| !module.starts_with(modules[*n]) && !modules[*n].starts_with(module));
            used
        })
        .collect();
    let reached: Vec<Vec<bool>> = (0..uses.len()).map(|from| reach(&uses, from)).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut is_taken = vec![false; uses.len()];
    for first in 0..uses.len() {
        let group: Vec<usize> = (first..uses.len())
            .filter(|n| reached[first][*n] && reached[*n][first])
            .collect();
        if group.len() < 2 || is_taken[first] {
            continue;
        }
        for idx in &group {
            is_taken[*idx] = true;
        }
        found.push(
            group
                .iter()
                .map(|group| files[modules[*group]].path.clone())
                .collect(),
        );
    }
    found
}

/// Returns the file that a path means, as seen from `module`: the deepest that exists.
fn file_of(files: &BTreeMap<Vec<&str>, &Source>, module: &[&str], path: &str) -> Option<usize> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut base = module.to_vec();
    match parts[0] {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while parts.get(1).is_some_and(|part| *part == "super") {
                parts.remove(0);
                base.pop();
            }
            base.pop();
        }
        // A name in this file's scope: one of its modules, or a package.
        child => base.push(child),
    }
    base.extend(&parts[1..]);
    if !["crate", "self", "super"].contains(&parts[0])
        && !files.contains_key(&base[..=module.len()])
    {
        return None;
    }
    while !base.is_empty() && !files.contains_key(&base) {
        base.pop();
    }
    files.keys().position(|key| *key == base)
}

fn reach(uses: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut is_reached = vec![false; uses.len()];
    let mut open = vec![from];
    while let Some(idx) = open.pop() {
        for next in &uses[idx] {
            if !is_reached[*next] {
                is_reached[*next] = true;
                open.push(*next);
            }
        }
    }
    is_reached
}

/// Returns name, first line and length of every function in rustfmt's layout.
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
        let end = lines[idx..]
            .iter()
            .find(|line| line.ends_with(['{', ';', '}']));
        if end.is_none_or(|end| end.ends_with(';')) {
            continue;
        }
        let closing = format!("{}}}", " ".repeat(indent));
        let length = lines[idx..]
            .iter()
            .position(|line| *line == closing)
            .map_or(1, |line| line + 1);
        let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
        found.push((name, idx + 1, length));
    }
    found
}

#[test]
fn arrows_point_down() {
    assert_none(&crooked_arrows(&packages()));
    assert_none(&long_names(&ours()));
}

#[test]
fn a_foreign_library_has_one_owner() {
    assert_none(&taken_libraries(&packages()));
    assert_none(&said_elsewhere(&ours(), &["std::process"], PROCESSES));
}

#[test]
fn sql_is_written_in_store_only() {
    assert_none(&said_elsewhere(&ours(), &SQL, &["store"]));
}

const SQL: [&str; 4] = ["SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA "];

#[test]
fn languages_are_compared_in_few_places() {
    assert_none(&compared(&ours(), COMPARED));
    let text = "fn f() {\n    a == Language::Go;\n    matches!(\n        g(b),\n        Language::Go | Language::Java\n    );\n    match c {\n        Language::Go => {}\n    }\n}\n";
    let source = [Source::new("mine/a.rs", text)];
    assert!(compared(&source, &[("mine/a.rs", 2, "")]).is_empty());
    for known in [&[][..], &[("mine/a.rs", 1, "")], &[("mine/a.rs", 3, "")]] {
        assert_eq!(compared(&source, known).len(), 1);
    }
}

#[test]
fn every_file_opens_with_what_it_decides() {
    assert_none(&headless(&ours()));
}

#[test]
fn files_and_functions_fit_in_the_head() {
    assert_none(&too_long(&ours()));
}

#[test]
fn no_two_files_need_each_other() {
    let found: Vec<String> = circles(&ours())
        .iter()
        .map(|circle| circle.join(" "))
        .collect();
    assert_none(&found);
}

#[test]
fn terminal_clear_is_never_called() {
    // It asks the terminal for the cursor position and stalls for two seconds without an answer (ratatui 0.30.2).
    assert_none(&said_elsewhere(&ours(), &["terminal.clear()"], &[]));
}

/// Runs the checks on made-up files: each kind of offence must be found.
#[test]
fn every_kind_of_offence_is_found() {
    let check = |offences: &[String], expected: &str| {
        assert!(
            offences.iter().any(|offence| offence.contains(expected)),
            "{expected}: {offences:?}"
        );
    };
    let up = Package::new("model", "[dependencies]\nfocalist-store.workspace = true");
    check(&crooked_arrows(&[up]), "`model` must not use `store`");
    check(
        &crooked_arrows(&[Package::new("attic", "")]),
        "no place on the map",
    );
    let taken = Package::new("tui", "[dependencies]\nrusqlite.workspace = true");
    check(&taken_libraries(&[taken]), "`rusqlite` belongs to");
    let tested = "#[cfg(test)]\nuse std::fmt;\n\n#[cfg(test)]\nmod tests;\n\n";
    let spawns = Source::new(
        "mine/a.rs",
        &format!("{tested}fn f() {{\n    std::process::abort();\n}}\n"),
    );
    check(
        &said_elsewhere(&[spawns], &["std::process"], PROCESSES),
        "src/mine/a.rs:8: `std::process`",
    );
    let asks = Source::new(
        "eval/a.rs",
        &format!("{tested}const A: &str = \"SELECT 1\";\n"),
    );
    check(
        &said_elsewhere(&[asks], &SQL, &["store"]),
        "src/eval/a.rs:7",
    );
    let past = Source::new("tui/a.rs", "use focalist_store::Store;\n");
    check(&long_names(&[past]), "src/tui/a.rs:1");
    check(
        &headless(&[Source::new("tui/a.rs", "use std::fmt;\n")]),
        "no `//!` header",
    );
    let long = Source::new(
        "tui/a.rs",
        &format!(
            "{tested}{}",
            "const A: u8 = 1;\n".repeat(FILE_LINES_MAX + 1)
        ),
    );
    check(&too_long(&[long]), "703 lines");
    let deep = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(FUNCTION_LINES_MAX));
    check(
        &too_long(&[Source::new("tui/a.rs", &deep)]),
        "`f` has 102 lines",
    );
}

#[test]
fn a_circle_is_found_through_groups_over_several_lines() {
    let house = [
        Source::new("eval/lib.rs", "mod a;\nmod b;\nmod c;\n"),
        Source::new(
            "eval/a.rs",
            "use crate::{\n    b::{\n        self,\n        B,\n    },\n    c,\n};\n",
        ),
        Source::new("eval/b.rs", "fn f() {\n    crate::a::g();\n}\n"),
        Source::new(
            "eval/c.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n",
        ),
        Source::new("eval/c/below.rs", "use super::C;\n"),
    ];
    assert_eq!(circles(&house), [["eval/a.rs", "eval/b.rs"]]);
}

#[test]
fn modules_declared_for_tests_are_tests_with_all_below_them() {
    let mut house = [
        Source::new("eval/lib.rs", "#[cfg(test)]\nmod fixture;\n\nmod code;\n"),
        Source::new("eval/fixture.rs", ""),
        Source::new("eval/fixture/more.rs", ""),
        Source::new("eval/code.rs", ""),
    ];
    mark_tests(&mut house);
    assert_eq!(
        house.map(|source| source.is_test),
        [false, true, true, false]
    );
}
