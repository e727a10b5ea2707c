//! Runs the chapters of `tests/fixtures/resolve/python`: prose, Python, and expectations in comments.
//!
//! A `python` block is a file; its first line names it (`# file: path`). A `toml` or `ini` block is a configuration
//! file, named likewise. A line that ends in `# → …` lists what the calls on it mean, in the order of their name
//! tokens, separated by ` · `: a declaration's key, `outside Owner`, `unknown reason`, `ambiguous a | b`; words in
//! brackets in front say the kind, where it is no plain call, and marks. `# test …` on the line of a function says that
//! it is a test, with flags, `# fixtures a · b` what runs before it, and `# no test` that it is none. `# key …` gives
//! the key of a declaration, `# role …` the side of its file.

use std::fmt::Write as _;

use crate::model::{Call, CallKind, CallMarks, FileRole, Flag, Language, MethodId, Resolution};
use crate::outside::Configuration;
use crate::tests::chapters::{self, File};
use crate::{Outside, Project, SourceText};

fn blocks(chapter: &str, fence: &str) -> Vec<File> {
    chapters::blocks(chapter, (fence, "# file: "), |idx| {
        panic!("block {idx} names its file")
    })
}

fn project_of(files: &[File], configuration: &[File]) -> Project {
    let sources = files.iter().map(|file| SourceText {
        path: &file.path,
        text: &file.text,
    });
    let configuration = configuration.iter().map(|file| Configuration {
        path: file.path.clone(),
        text: file.text.clone(),
    });
    let outside = Outside {
        configuration: configuration.collect(),
        ..Outside::default()
    };
    crate::project_of(Language::Python, sources, &outside)
}

fn show(project: &Project, call: &Call) -> String {
    let key = |id: &MethodId| project.method(*id).key();
    let mut words = Vec::new();
    match call.kind {
        CallKind::Property => words.push("property"),
        CallKind::Operator => words.push("operator"),
        CallKind::Reference => words.push("reference"),
        CallKind::Delegation => words.push("delegation"),
        _ => {}
    }
    if call.marks.has(CallMarks::BY_NAME) {
        words.push("by name");
    }
    if call.marks.has(CallMarks::WRAPPED) {
        words.push("wrapped");
    }
    let words = if words.is_empty() {
        String::new()
    } else {
        format!("[{}] ", words.join(", "))
    };
    let meaning = match &call.resolution {
        Resolution::Declared(id) => key(id),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(key).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
    };
    format!("{words}{meaning}")
}

/// Describes a function that is declared on a line.
fn declared(project: &Project, file: u32, line: u32, what: &str) -> String {
    let mut methods = project.methods.iter().enumerate();
    let found = methods.find(|(_, method)| method.file.0 == file && method.name_line == line);
    let Some((number, method)) = found else {
        return if what == "no test" { "" } else { "nothing" }.to_owned();
    };
    let id = MethodId(number as u32);
    let is_test = project.tests.contains(&id);
    match what {
        "key" => method.key(),
        "role" => match method.role {
            FileRole::Main => "main".to_owned(),
            FileRole::Test => "test".to_owned(),
        },
        "no test" => (if is_test { "a test" } else { "" }).to_owned(),
        "fixtures" => {
            let fixtures = project.index.test_case(id).fixtures;
            let names = fixtures
                .iter()
                .map(|fixture| project.method(*fixture).name.as_str());
            names.collect::<Vec<_>>().join(" · ")
        }
        _ if !is_test => "no test".to_owned(),
        _ => {
            let test = project.index.test_case(id);
            let flags: Vec<&str> = test.flags.iter().map(Flag::as_str).collect();
            let (framework, kind) = (test.framework.as_str(), test.kind.as_str());
            let words = format!("{framework} {kind} {}", flags.join(" "));
            words.trim().to_owned()
        }
    }
}

/// The words that begin an expectation in a comment.
const SAID: [&str; 6] = ["→", "test", "no test", "fixtures", "key", "role"];

/// Compares a section of a chapter with the answers of the index: returns how many were compared, and the differences
/// as text.
fn differences(section: &str) -> (usize, String) {
    let files = blocks(section, "python");
    let mut configuration = blocks(section, "toml");
    configuration.extend(blocks(section, "ini"));
    let project = project_of(&files, &configuration);
    let mut found: Vec<(u32, u32, u32, String)> = Vec::new();
    for index in 0..project.methods.len() as u32 {
        let file = project.method(MethodId(index)).file.0;
        for call in project.index.calls(MethodId(index)) {
            let shown = show(&project, &call);
            found.push((file, call.at.line, call.name_span.start, shown));
        }
    }
    found.sort();
    // A method of a class inside a function is walked with that, too.
    found.dedup();
    let mut n_checked = 0;
    let mut differences = String::new();
    for (file_idx, file) in files.iter().enumerate() {
        for (line_idx, line) in file.text.lines().enumerate() {
            let at = (file_idx as u32, line_idx as u32 + 1);
            let said = SAID.iter().find_map(|word| {
                let (_, wanted) = line.rsplit_once(&format!("# {word}"))?;
                Some((*word, wanted.trim()))
            });
            let Some((what, wanted)) = said else {
                continue;
            };
            n_checked += 1;
            let have = if what == "→" {
                let on_line = found.iter().filter(|found| (found.0, found.1) == at);
                let shown: Vec<&str> = on_line.map(|on_line| on_line.3.as_str()).collect();
                shown.join(" · ")
            } else {
                declared(&project, at.0, at.1, what)
            };
            if have != wanted {
                let code = line.split("  #").next().unwrap_or_default().trim();
                let _ = writeln!(differences, "{code}\n  want {wanted}\n  have {have}");
            }
        }
    }
    (n_checked, differences)
}

#[test]
fn every_chapter_of_python_holds() {
    chapters::check("python", 206, |chapter| {
        // Each section is a project of its own.
        let mut n_checked = 0;
        let mut report = String::new();
        for section in chapter.split("\n## ").skip(1) {
            let (n, differences) = differences(section);
            n_checked += n;
            if !differences.is_empty() {
                let title = section.lines().next().unwrap_or_default();
                let _ = writeln!(report, "{title}\n{differences}");
            }
        }
        (n_checked, report)
    });
}

fn calls_in(text: &str) -> usize {
    let file = File {
        path: "a.py".to_owned(),
        text: text.to_owned(),
    };
    let project = project_of(&[file], &[]);
    (0..project.methods.len() as u32)
        .map(|index| project.index.calls(MethodId(index)).len())
        .sum()
}

#[test]
fn source_nested_without_end_is_harmless() {
    let nested = |open: &str, close: &str, n: usize| {
        let (open, close) = (open.repeat(n), close.repeat(n));
        format!("def f(x):\n    return {open}1{close}\n")
    };
    assert_eq!(calls_in(&nested("(", ")", 50_000)), 0);
    assert!(calls_in(&nested("f(", ")", 3_000)) > 50);
    calls_in(&nested("[", "]", 3_000));
    calls_in(&nested("lambda: ", "", 2_000));
    let mut blocks = String::from("def f():\n");
    let mut functions = String::new();
    for depth in 0..400 {
        let _ = writeln!(blocks, "{}if x:", " ".repeat(depth + 1));
        let _ = writeln!(functions, "{}def f{depth}():", " ".repeat(depth));
    }
    let _ = writeln!(blocks, "{}f()\n f()", " ".repeat(401));
    let _ = writeln!(functions, "{}f0()", " ".repeat(400));
    calls_in(&blocks);
    calls_in(&functions);
}

#[test]
fn a_long_chain_and_a_long_sum_are_resolved_to_their_ends() {
    let chain = ".f()".repeat(3_000);
    let chain = format!("class A:\n    def f(self):\n        return self{chain}\n");
    assert_eq!(calls_in(&chain), 3_000);
    let sum = format!("def f():\n    return {}f()\n", "f() + ".repeat(3_000));
    assert_eq!(calls_in(&sum), 3_001);
}

#[test]
fn what_leads_to_itself_comes_to_an_end() {
    let text = "class A(B):\n    def f(self):\n        return self.g()\n\
                class B(C): pass\nclass C(A): pass\nclass D(D): pass\n\
                @wrap\ndef wrap(f):\n    return wrap(f)\n\
                @a\ndef b(f): return a(f)\n@b\ndef a(f): return b(f)\n\
                x = y\ny = x\n\
                def t():\n    x.f()\n    a(b)\n    D().f()\n    return t()\n";
    assert!(calls_in(text) > 5);
    let mut classes = String::new();
    for number in (0..3_000).rev() {
        let _ = writeln!(classes, "class C{number}(C{}): pass", number + 1);
    }
    classes.push_str("def f():\n    C0().g()\n");
    assert_eq!(calls_in(&classes), 2);
    let module = |number: usize| File {
        path: format!("m{number:03}.py"),
        text: format!(
            "from m{:03} import *\ndef f{number}():\n    return g()\n",
            (number + 1) % 200
        ),
    };
    let modules: Vec<File> = (0..200).map(module).collect();
    let project = project_of(&modules, &[]);
    assert_eq!(project.index.calls(MethodId(0)).len(), 1);
}

#[test]
fn functions_that_call_each_other_in_every_direction_are_walked_a_few_times_each() {
    let mut text = String::new();
    for number in 0..300 {
        let _ = writeln!(text, "def f{number}(a, b):");
        for other in 0..8 {
            let (left, right) = ((number + other * 31) % 300, (number * 3 + other) % 300);
            let _ = writeln!(text, "    x = f{left}(x, a) or f{right}(b, x)");
        }
        let _ = writeln!(text, "    return x");
    }
    assert_eq!(calls_in(&text), 300 * 16);
}

#[test]
fn many_functions_of_one_name_are_harmless() {
    let mut text = String::from("def g():\n    f()\n");
    for _ in 0..3_000 {
        text.push_str("if x:\n    def f(): return f()\n");
    }
    assert_eq!(calls_in(&text), 3_001);
}

#[test]
fn broken_python_keeps_what_stands_outside_the_error() {
    let text = "def f():\n    g()\n\ndef h(:\n    x y z\n\ndef g():\n    f()\n";
    let outside = Outside::default();
    let path = "a.py";
    let parsed = crate::facts(Language::Python, SourceText { path, text }, &outside);
    let problem = parsed.problem.expect("the text does not parse");
    assert!(problem.line.is_some());
    let project = crate::project(Language::Python, vec![parsed.facts], &outside);
    assert!(project.methods.iter().any(|method| method.key() == "a#f()"));
}

#[test]
fn python_2_is_read_as_far_as_it_goes() {
    let text = "def f():\n    print 'x'\n    exec 'y' in z\n    raise E, 'm'\n\n\
                def test_g():\n    f()\n    assert `f()` <> 0777\n";
    assert!(calls_in(text) >= 1);
}
