//! The matching rules as Markdown: `tests/fixtures/matching/*.md`, one file per chapter of MINING.
//!
//! A section (`##`) is one small repository: blocks of one language, each named by its first line (for example
//! `// src/main/java/p/C.java`, in Python `# p/c.py`), and an `expected` block with the result for every test;
//! `expected evidence` has the evidence for each candidate (weights are left to the fit), `expected methods2test` the
//! decisions of that matcher. `UPDATE_EXPECT=1` rewrites the expected blocks.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use focalist::lang::Outside;
use focalist::mine::{MiningOptions, analysis, sources};
use focalist::model::{Decision, Evidence, Flag, Language, Matcher, MethodId, MinedTest, Span};
use focalist::syntax::language_of;
use focalist::task::Monitor;

#[test]
fn fixtures_are_decided_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/matching");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("fixtures are UTF-8");
        let actual = replayed(&text);
        if actual == text {
            continue;
        }
        if is_update {
            fs::write(&path, actual).expect("a fixture can be rewritten");
            continue;
        }
        for (number, (want, have)) in text.lines().zip(actual.lines()).enumerate() {
            if want != have {
                let _infallible = writeln!(
                    failures,
                    "{}:{}\n  want {want}\n  have {have}",
                    path.display(),
                    number + 1
                );
                break;
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Returns the fixture with expected blocks from the current results.
fn replayed(text: &str) -> String {
    let mut output = String::new();
    let mut files: Vec<(String, String)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            files.clear();
        }
        push(&mut output, line);
        if line.strip_prefix("```").is_some_and(is_language) {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            for text in &block {
                push(&mut output, text);
            }
            push(&mut output, "```");
            let name = ["// ", "# "]
                .iter()
                .find_map(|text| block[0].strip_prefix(text))
                .expect("a block names its file");
            files.push((name.to_owned(), block.join("\n")));
        } else if let Some(matcher) = line.strip_prefix("```expected") {
            lines
                .by_ref()
                .take_while(|line| *line != "```")
                .for_each(drop);
            let matcher = matcher_named(matcher.trim());
            output.push_str(&outcome(&files, matcher));
            push(&mut output, "```");
        }
    }
    output
}

fn is_language(word: &str) -> bool {
    Language::ALL
        .iter()
        .any(|language| language.as_str() == word)
}

fn push(output: &mut String, line: &str) {
    output.push_str(line);
    output.push('\n');
}

fn matcher_named(name: &str) -> Matcher {
    Matcher::ALL
        .iter()
        .copied()
        .find(|matcher| matcher.as_str() == name)
        .unwrap_or(Matcher::Contest)
}

/// Mines the files of one section and writes the result for every test.
fn outcome(files: &[(String, String)], matcher: Matcher) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("it can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let monitor = Monitor::default();
    let first = files.iter().find_map(|(name, _)| language_of(name));
    let asked = sources::SourceOptions {
        language: first.expect("a file is a source"),
        ..sources::SourceOptions::default()
    };
    let tree = sources::read_repo(folder.path(), &asked, &monitor).expect("the folder can be read");
    let options = MiningOptions {
        matchers: vec![matcher],
        ..MiningOptions::default()
    };
    let known = analysis::MiningContext {
        outside: &Outside::default(),
        traces: None,
    };
    let mined = analysis::mine_tree(tree, known, &options, &monitor).expect("nobody cancels");
    let describe = match matcher {
        Matcher::Evidence => describe_evidence,
        Matcher::Contest | Matcher::Methods2Test | Matcher::Mera => describe,
    };
    mined
        .tests
        .iter()
        .map(|test| describe(&mined, test))
        .collect()
}

/// Writes the evidence for and against each candidate, in order of name.
fn describe_evidence(mined: &analysis::MinedRepo, test: &MinedTest) -> String {
    let mut lines: Vec<String> = test.decided[0]
        .focal_match
        .candidates
        .iter()
        .map(|candidate| {
            let words: Vec<&str> = candidate.evidence.iter().map(Evidence::as_str).collect();
            format!("  {}: {}\n", key(mined, candidate.method), words.join(" "))
        })
        .collect();
    lines.sort();
    let name = &mined.methods[test.test_case.method.0 as usize].name;
    format!("{name}\n{}", lines.concat())
}

/// Returns `Class.name(parameters)`, without packages.
fn key(mined: &analysis::MinedRepo, id: MethodId) -> String {
    let method = &mined.methods[id.0 as usize];
    let parameters: Vec<&str> = method
        .parameters
        .iter()
        .map(|parameter| parameter.rsplit('.').next().unwrap_or(parameter))
        .collect();
    format!(
        "{}.{}({})",
        method.simple_class(),
        method.name,
        parameters.join(",")
    )
}

fn describe(mined: &analysis::MinedRepo, test: &MinedTest) -> String {
    let method = &mined.methods[test.test_case.method.0 as usize];
    let text = &mined.files[method.file.0 as usize].text;
    let decided = &test.decided[0];
    let key = |id: &MethodId| key(mined, *id);
    let keys = |ids: &[MethodId]| ids.iter().map(key).collect::<Vec<_>>().join(" ");
    let mut out = format!("{}: {}", method.name, decided.status.as_str());
    if let Decision::Picked { stage, weight, .. } = decided.focal_match.decision {
        let focal = decided.focal().as_ref().map_or_else(String::new, key);
        let _infallible = write!(out, " {focal} by {} {weight:.2}", stage.as_str());
    }
    out.push('\n');
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            let _infallible = writeln!(out, "  {name}: {value}");
        }
    };
    let candidates: Vec<String> = decided
        .focal_match
        .candidates
        .iter()
        .map(|candidate| {
            format!(
                "{} {:.2}/{:.2}",
                candidate.name, candidate.score, candidate.class_score
            )
        })
        .collect();
    line("candidates", candidates.join(", "));
    let part = |span: Option<Span>| {
        let source = span.map_or("", |span| span.of(text));
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    if let Some(cut) = &decided.cut {
        line("setup", part(cut.setup));
        line("assertion", part(cut.assertion));
    }
    line("fixtures", keys(&test.test_case.fixtures));
    line("setup context", keys(&decided.setup_context));
    line("focal context", keys(&decided.focal_context));
    line("implementation", keys(decided.implementation.as_slice()));
    let flags: Vec<&str> = decided.flags.iter().map(Flag::as_str).collect();
    line("flags", flags.join(" "));
    out
}
