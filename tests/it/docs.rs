//! Checks of the docs: each path, link, command and option that they name exists, and the parts generated from tables
//! of the program are up to date.
//!
//! `UPDATE_EXPECT=1 cargo test docs` rewrites the generated parts.

mod command_line;
mod generated;
mod junk;
pub mod page;
mod tokens;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use focalist::config::Config;
use focalist::tui;

use command_line::{commands_in, doubled, flaw_of_line, flaw_of_span, unquoted};
use page::{Fence, Page, slug};

const README_LINES_MAX: usize = 200;

/// Folders of mined Java projects, whose names look like folders of this repository.
const JAVA_FOLDERS: [&str; 2] = ["src/main", "src/test"];

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages in `docs`, sorted by name.
fn pages_in_docs() -> Vec<Page> {
    let entries = fs::read_dir(root().join("docs")).expect("there is a folder of docs");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder's entry can be read").file_name())
        .map(|name| name.into_string().expect("our file names are UTF-8"))
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "md")
        })
        .collect();
    names.sort();
    let path = |name: &String| format!("docs/{name}");
    names.iter().map(|name| Page::read(&path(name))).collect()
}

fn pages() -> Vec<Page> {
    let mut pages = vec![Page::read("README.md"), Page::read("CHANGELOG.md")];
    pages.extend(pages_in_docs());
    pages
}

fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
}

/// Runs a check on every page; `check` returns the lines with their errors.
fn check_pages(check: impl Fn(&Page) -> Vec<(usize, String)>) {
    let mut offences = Vec::new();
    for page in pages() {
        let found = check(&page).into_iter();
        offences.extend(found.map(|(line, what)| format!("{}:{line}: {what}", page.path)));
    }
    assert_none(&offences);
}

#[test]
fn every_command_line_in_a_fence_is_one_that_the_program_takes() {
    check_pages(|page| {
        let mut found = Vec::new();
        for fence in &page.fences {
            for (number, line) in fence.lines() {
                let commands = commands_in(line);
                let flaws = commands.iter().filter_map(|command| flaw_of_line(command));
                found.extend(flaws.map(|flaw| (number, flaw)));
            }
        }
        found
    });
}

#[test]
fn every_command_and_option_in_backticks_exists() {
    check_pages(|page| {
        let flaws = page.spans.iter();
        flaws
            .filter_map(|span| Some((span.line, flaw_of_span(&span.text)?)))
            .collect()
    });
}

#[test]
fn a_shell_takes_every_command_line_as_it_is_meant() {
    check_pages(|page| {
        let fences = page.fences.iter().flat_map(Fence::lines);
        let spans = page
            .spans
            .iter()
            .map(|span| (span.line, span.text.as_str()));
        let spans = spans.filter(|span| span.1.starts_with("focalist "));
        let lines = fences.filter(|fence| !commands_in(fence.1).is_empty());
        let found = lines.chain(spans);
        found
            .filter_map(|(number, line)| Some((number, unquoted(line)?)))
            .collect()
    });
    for line in [
        "focalist results tuned bleu<0.2",
        "focalist samples weight>0.5",
        "focalist samples !x",
    ] {
        assert!(unquoted(line).is_some(), "{line}");
    }
    for line in [
        "focalist results tuned 'bleu<0.2' # a<b",
        "focalist export --filter \"weight>0.5\" > all.jsonl 2>log",
        "focalist mine x --classpath \"$(cat cp.txt)\"",
    ] {
        assert_eq!(unquoted(line), None, "{line}");
    }
}

#[test]
fn nothing_is_said_twice_in_a_row() {
    check_pages(|page| {
        let mut found = Vec::new();
        let lines: Vec<&str> = page.prose.lines().collect();
        for (idx, line) in lines.iter().enumerate() {
            // A paragraph continues on the next line.
            let next = lines.get(idx + 1).copied().unwrap_or_default();
            let is_table = line.starts_with('|') || next.starts_with('|');
            let text = if is_table {
                (*line).to_owned()
            } else {
                format!("{line} {next}")
            };
            found.extend(doubled(&text).map(|text| (idx + 1, format!("twice: {text}"))));
        }
        found
    });
    let mut offences = Vec::new();
    let mut verbs = vec![focalist::cli::command()];
    while let Some(verb) = verbs.pop() {
        let options = verb.get_arguments();
        let helps = options.flat_map(|option| [option.get_help(), option.get_long_help()]);
        let texts = helps.chain([verb.get_about(), verb.get_long_about()]);
        let texts = texts.flatten().map(ToString::to_string);
        offences.extend(texts.filter_map(|text| doubled(&text)));
        verbs.extend(verb.get_subcommands().cloned());
    }
    assert_none(&offences);
    assert_eq!(doubled("typed ahead and and").as_deref(), Some("and and"));
    let twice = doubled("meanwhile. `H` lists `H` lists your");
    assert_eq!(twice.as_deref(), Some("`H` lists `H` lists"));
    assert_eq!(doubled("that this is that"), None);
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let is_wrong_line = |line: &str| {
        commands_in(line)
            .iter()
            .any(|texts| flaw_of_line(texts).is_some())
    };
    for line in [
        "focalist mien repo",
        "focalist mine repo --jbos 2",
        "focalist compare only-one",
        "cargo run --release -- demmo",
        "cd x && focalist runs --format latx",
        "focalist samples colour:red",
    ] {
        assert!(is_wrong_line(line), "{line}");
    }
    for line in [
        "focalist mine repo --jobs 2      # as many threads",
        "cargo test --no-such-option",
        "focalist export --split test > test.jsonl",
        "focalist samples 'text:\"a b\"' @hard",
    ] {
        assert!(!is_wrong_line(line), "{line}");
    }
    for span in [
        "focalist mien",
        "focalist jobs wach 12",
        "export --verifed",
        "--no-such-option",
        "focalist config check|pth",
        "runs --format latx",
    ] {
        assert!(flaw_of_span(span).is_some(), "{span}");
    }
    for span in [
        "focalist",
        "focalist COMMAND --help",
        "focalist verdict KEY accept|none-of-these|pick N",
        "focalist audit … --accept-rest [--max-error 0.05]",
        "export --verified --provisional",
        "--jobs N",
        "config check|path|init",
        "git diff -b",
        "review",
    ] {
        assert_eq!(flaw_of_span(span), None, "{span}");
    }
}

#[test]
fn every_path_in_backticks_exists() {
    let top: BTreeSet<String> = fs::read_dir(root())
        .expect("the repository can be read")
        .map(|entry| entry.expect("a folder's entry can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name != "target" && name != ".git")
        .collect();
    check_pages(|page| {
        let missing = page.spans.iter().filter(|span| {
            let text = span.text.trim_end_matches('/');
            let (first, below) = text.split_once('/').unwrap_or((text, ""));
            let is_java = JAVA_FOLDERS.iter().any(|folder| text.starts_with(folder));
            let is_pattern = text.contains(|text: char| text.is_whitespace() || text == '<');
            let is_path = !is_pattern && top.contains(first);
            let is_path = is_path && !is_java && (!below.is_empty() || first.contains('.'));
            is_path && !root().join(text).exists() || is_missing_module(text)
        });
        missing
            .map(|span| (span.line, format!("there is no `{}`", span.text)))
            .collect()
    });
}

/// Pages cite tests as proof of a promise; a word of many parts is taken for the name of a test.
#[test]
fn every_test_that_a_page_names_exists() {
    const N_PARTS: usize = 5;
    let mut sources = String::new();
    for folder in ["src", "tests"] {
        read_sources(&root().join(folder), &mut sources);
    }
    let parts = |text: &str| text.split('_').filter(|part| !part.is_empty()).count();
    let is_of_name = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    check_pages(|page| {
        let named = page
            .spans
            .iter()
            .filter(|span| span.text.chars().all(is_of_name) && parts(&span.text) >= N_PARTS);
        let missing = named.filter(|span| !sources.contains(&format!("fn {}()", span.text)));
        missing
            .map(|span| (span.line, format!("there is no test `{}`", span.text)))
            .collect()
    });
}

fn read_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("a folder's entry can be read").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).expect("our sources are text"));
        }
    }
}

/// Tells whether the text is a path of a module, such as `metric::explain`, or of a function in one, that does not
/// exist.
fn is_missing_module(text: &str) -> bool {
    let parts: Vec<&str> = text.split("::").collect();
    let is_name = |part: &&str| {
        let mut chars = part.chars();
        !part.is_empty() && chars.all(|c| c.is_ascii_lowercase() || c == '_')
    };
    if parts.len() < 2 || !parts.iter().all(is_name) {
        return false;
    }
    let is_house = ["crate", "focalist"].contains(&parts[0]);
    let path = root()
        .join("src")
        .join(parts[usize::from(is_house)..].join("/"));
    !path.with_extension("rs").exists() && !path.is_dir() && !is_function(&path)
}

/// Tells whether the last part of the path names a function of the module before it, either its own or a re-exported
/// one.
fn is_function(path: &Path) -> bool {
    let (Some(module), Some(name)) = (path.parent(), path.file_name()) else {
        return false;
    };
    let name = name.to_string_lossy();
    let head = format!("fn {name}(");
    let is_passed_on = |line: &str| {
        let mut words = line.split(|line: char| !(line.is_ascii_alphanumeric() || line == '_'));
        line.starts_with("pub use ") && words.any(|word| word == name)
    };
    [module.with_extension("rs"), module.join("lib.rs")]
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .any(|text| text.contains(&head) || text.lines().any(is_passed_on))
}

#[test]
fn every_link_leads_somewhere() {
    check_pages(|page| {
        let mut found = Vec::new();
        for link in &page.links {
            if link.text.contains("://") || link.text.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.text.split_once('#').unwrap_or((&link.text, ""));
            let folder = Path::new(&page.path)
                .parent()
                .expect("a page is in a folder");
            let path = if file.is_empty() {
                PathBuf::from(&page.path)
            } else {
                normal(&folder.join(file))
            };
            if !root().join(&path).exists() {
                found.push((link.line, format!("there is no `{}`", path.display())));
            } else if !anchor.is_empty() {
                let target = Page::read(&path.to_string_lossy());
                if !target
                    .headings
                    .iter()
                    .any(|heading| slug(heading) == anchor)
                {
                    let what = format!("`{}` has no heading `#{anchor}`", path.display());
                    found.push((link.line, what));
                }
            }
        }
        found
    });
}

/// Returns the path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

#[test]
fn the_summary_lists_every_page_under_its_title() {
    let pages = pages_in_docs();
    let listed: Vec<(String, String)> = Page::read("docs/SUMMARY.md")
        .text
        .lines()
        .filter_map(|line| {
            let entry = line.trim_start().strip_prefix("- [")?;
            let (title, target) = entry.strip_suffix(')')?.split_once("](")?;
            Some((format!("docs/{target}"), title.to_owned()))
        })
        .collect();
    let mut sorted = listed.clone();
    sorted.sort();
    let there = pages.iter().filter(|page| page.path != "docs/SUMMARY.md");
    let there: Vec<(String, String)> = there
        .map(|page| {
            let title = page.headings.first().cloned().unwrap_or_default();
            (page.path.clone(), title)
        })
        .collect();
    assert_eq!(sorted, there);
}

#[test]
fn the_readme_is_read_in_a_few_minutes() {
    let n_lines = Page::read("README.md").text.lines().count();
    assert!(n_lines <= README_LINES_MAX, "{n_lines} lines");
}

#[test]
fn settings_that_docs_show_can_be_set() {
    let pages = pages();
    let fences = pages.iter().flat_map(|page| &page.fences);
    let shown = fences.filter(|fence| fence.language == "toml");
    let mut n_keys = 0;
    for fence in shown {
        let config = Config::of(&[("config.toml", &fence.text)]);
        assert_eq!(config.problems, [], "{}", fence.text);
        assert_eq!(tui::check(&config), [], "{}", fence.text);
        n_keys += config.keys.len();
    }
    assert!(n_keys > 0, "no page shows how keys are set");
}

#[test]
fn generated_parts_of_the_docs_are_those_of_the_program() {
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut stale = Vec::new();
    for part in generated::parts() {
        let path = root().join(part.page);
        let text = fs::read_to_string(&path).expect("the page can be read");
        let begin = format!("<!-- {}: begin -->\n", part.name);
        let end = format!("<!-- {}: end -->", part.name);
        let place = text.split_once(&begin).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(&end)?;
            Some((before, after))
        });
        let (before, after) = place.unwrap_or_else(|| panic!("{} has no {begin}", part.page));
        let written = format!("{before}{begin}\n{}\n\n{end}{after}", part.text.trim_end());
        if written != text && is_update {
            fs::write(&path, written).expect("the page can be written");
        } else if written != text {
            stale.push(format!("{}: `{}` is stale", part.page, part.name));
        }
    }
    assert!(
        stale.is_empty(),
        "`UPDATE_EXPECT=1 cargo test docs` writes them anew:\n{}",
        stale.join("\n")
    );
}
