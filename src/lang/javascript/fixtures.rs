//! Runs the chapters of `tests/fixtures/resolve/javascript`: prose, sources, and expectations in comments.
//!
//! A `js` or `ts` block is a file whose first line names it (`// file: path`); a `json` block is a configuration, its
//! path on the line before the block in backticks. A line that ends in `// → …` lists what the calls on it mean, in the
//! order of their name tokens, separated by ` · `: a method's key, `outside owner`, `unknown reason`,
//! `ambiguous a | b`; after it, marks of the call in brackets. `// ⊢ …` after a test gives its key, flags and fixtures.

use std::fmt::Write as _;

use crate::model::{Call, CallKind, CallMarks, Flag, Language, Method, MethodId, Resolution};
use crate::tests::chapters::{self, File};
use crate::{Configuration, Outside, Project, SourceText};

fn files_of(chapter: &str) -> (Vec<File>, Outside) {
    let mut files = Vec::new();
    let mut configuration = Vec::new();
    let mut before = "";
    for (at, part) in chapter.split("```").enumerate() {
        if at % 2 == 0 {
            before = part;
            continue;
        }
        let (kind, text) = part.split_once('\n').unwrap_or((part, ""));
        if kind == "json" {
            let path = before
                .trim_end()
                .rsplit('`')
                .nth(1)
                .unwrap_or("package.json");
            configuration.push(Configuration {
                path: path.to_owned(),
                text: text.to_owned(),
            });
            continue;
        }
        let first = text.lines().next().unwrap_or_default();
        let path = first.strip_prefix("// file: ").expect("a file has a path");
        files.push(File {
            path: path.to_owned(),
            text: text.to_owned(),
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    configuration.sort_by(|a, b| a.path.cmp(&b.path));
    let outside = Outside {
        configuration: configuration.into_iter().collect(),
        ..Outside::default()
    };
    (files, outside)
}

fn project_of(files: &[File], outside: &Outside) -> Project {
    let sources = files.iter().map(|file| SourceText {
        path: &file.path,
        text: &file.text,
    });
    crate::project_of(Language::JavaScript, sources, outside)
}

fn show(methods: &[Method], call: &Call) -> String {
    let key = |id: &MethodId| methods[id.0 as usize].key();
    let mut shown = match &call.resolution {
        Resolution::Declared(id) => key(id),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(key).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
    };
    let mut flags = Vec::new();
    if call.kind == CallKind::Property {
        flags.push("property");
    }
    for (marks, word) in [
        (CallMarks::BY_NAME, "by name"),
        (CallMarks::WRAPPED, "wrapped"),
        (CallMarks::COMPUTED, "computed"),
        (CallMarks::HANDED_OVER, "handed over"),
    ] {
        if call.marks.has(marks) {
            flags.push(word);
        }
    }
    if !flags.is_empty() {
        let _ = write!(shown, " ({})", flags.join(", "));
    }
    shown
}

/// Lists the calls of every file and line.
fn found(project: &Project) -> Vec<(u32, u32, u32, String)> {
    let mut found: Vec<(u32, u32, u32, String)> = Vec::new();
    for (index, method) in project.methods.iter().enumerate() {
        for call in project.index.calls(MethodId(index as u32)) {
            let place = (method.file.0, call.at.line, call.name_span.start);
            // A method that stands in a test is walked with that, too.
            if !found
                .iter()
                .any(|(file, line, at, _)| (*file, *line, *at) == place)
            {
                found.push((place.0, place.1, place.2, show(&project.methods, &call)));
            }
        }
    }
    found.sort();
    found
}

fn tests_of(project: &Project) -> Vec<(u32, u32, String)> {
    let shown = project.tests.iter().map(|&id| {
        let method = project.method(id);
        let case = project.index.test_case(id);
        let mut text = method.key();
        for (flag, word) in [
            (Flag::Skipped, "skipped"),
            (Flag::Parametrised, "parametrised"),
        ] {
            if case.flags.has(flag) {
                let _ = write!(text, " {word}");
            }
        }
        for fixture in &case.fixtures {
            let fixture = project.method(*fixture);
            let _ = write!(text, " after {}:{}", fixture.name, fixture.name_line);
        }
        (method.file.0, method.name_line, text)
    });
    shown.collect()
}

/// Compares a chapter with the answers of the index: returns how many were compared, and the differences as text.
fn differences(chapter: &str) -> (usize, String) {
    let (files, outside) = files_of(chapter);
    let project = project_of(&files, &outside);
    let calls = found(&project);
    let tests = tests_of(&project);
    let mut n_checked = 0;
    let mut differences = String::new();
    for (file_idx, file) in files.iter().enumerate() {
        for (line_idx, line) in file.text.lines().enumerate() {
            let is_here =
                |file: u32, at: u32| file as usize == file_idx && at as usize == line_idx + 1;
            let on_line = |sign: &str| -> Vec<&str> {
                match sign {
                    "// → " => calls
                        .iter()
                        .filter(|call| is_here(call.0, call.1))
                        .map(|call| call.3.as_str())
                        .collect(),
                    _ => tests
                        .iter()
                        .filter(|test| is_here(test.0, test.1))
                        .map(|test| test.2.as_str())
                        .collect(),
                }
            };
            for sign in ["// → ", "// ⊢ "] {
                let Some((_, wanted)) = line.split_once(sign) else {
                    continue;
                };
                n_checked += 1;
                let have = on_line(sign).join(" · ");
                let have = if have.is_empty() { "nothing" } else { &have };
                if have != wanted.trim() {
                    let code = line.split("//").next().unwrap_or_default().trim();
                    let _ = writeln!(differences, "{code}\n  want {wanted}\n  have {have}");
                }
            }
        }
    }
    (n_checked, differences)
}

#[test]
fn every_chapter_of_javascript_holds() {
    chapters::check("javascript", 837, differences);
}

/// Resolves and counts every call of texts that nobody would write; their meaning does not matter.
fn survives(texts: &[(&str, &str)]) -> usize {
    let files: Vec<File> = texts
        .iter()
        .map(|(path, text)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    let project = project_of(&files, &Outside::default());
    for &test in &project.tests {
        project.index.clues(&project.index.test_case(test));
    }
    (0..project.methods.len() as u32)
        .map(|index| project.index.calls(MethodId(index)).len())
        .sum()
}

#[test]
fn source_nested_without_end_is_harmless() {
    let n = 3_000;
    let parentheses = format!("f({}1{});", "(".repeat(n), ")".repeat(n));
    let calls = format!("function g() {{ {}1{}; }}", "f(".repeat(n), ")".repeat(n));
    let blocks = format!("function g() {{ {}f();{} }}", "{".repeat(n), "}".repeat(n));
    let functions = format!("{}{}", "x(function () { ".repeat(400), "});".repeat(400));
    let arrays = format!("const a = {}{};", "[".repeat(n), "]".repeat(n));
    let branches = format!(
        "function g() {{ {} }}",
        "if (a) { f(); } else ".repeat(n) + "{}"
    );
    let types = format!("let a: {}string{};", "Array<".repeat(n), ">".repeat(n));
    for text in [
        &parentheses,
        &calls,
        &blocks,
        &functions,
        &arrays,
        &branches,
        &types,
    ] {
        survives(&[("a.js", text), ("b.tsx", text), ("c.ts", text)]);
    }
}

#[test]
fn long_chains_are_resolved_to_their_end() {
    let chain = format!(
        "class A {{ f() {{ return this; }} }}\ntest('x', () => {{ new A(){}; }});",
        "\n.f()".repeat(2_000)
    );
    assert!(survives(&[("a.test.js", &chain)]) >= 2_000);
    let sum = format!("function f() {{ return {}g(); }}", "g() +\n".repeat(5_000));
    assert_eq!(survives(&[("a.js", &sum)]), 5_001);
}

#[test]
fn circles_come_to_an_end() {
    survives(&[
        (
            "a.js",
            "export * from './b'; export * from './c'; export { x } from './b';",
        ),
        ("b.js", "export * from './c'; export { x } from './a';"),
        ("c.js", "export * from './a'; export * from './b';"),
        (
            "t.test.js",
            "import { x, y } from './a'; import * as all from './c'; test('t', () => { x(); y.z(); all.x(); });",
        ),
    ]);
    survives(&[(
        "p.test.js",
        "function A() {} function B() {} A.prototype = Object.create(B.prototype); B.prototype = new A();
        A.prototype.__proto__ = A.prototype; class C extends D {} class D extends C {}
        let o = { ...o }; o.o = o; function f() { return f(); } const g = g2(), g2 = () => g;
        test('t', () => { new A().x(); new C().y(); o.o.o.z(); f().w(); g().v(); new (class E extends E {})(); });",
    )]);
    survives(&[
        (
            "m.js",
            "module.exports = require('./n'); module.exports.x = require('./m');",
        ),
        ("n.js", "module.exports = require('./m');"),
        (
            "m.test.js",
            "const m = require('./m'); test('t', () => { m.x(); m.y.z(); });",
        ),
    ]);
}

#[test]
fn a_bundle_in_one_line_is_left_out() {
    let bundle = "function f(){return f()};".repeat(2_000);
    assert_eq!(survives(&[("bundle.js", &bundle)]), 0);
}

#[test]
fn thousands_of_equal_members_and_writes_take_their_time_once() {
    let members = "A.prototype.m = function () { return this.m(); };\n".repeat(3_000);
    let writes = "a = new A(); a.m();\n".repeat(3_000);
    let text = format!("function A() {{}}\n{members}let a;\ntest('t', () => {{ {writes} }});");
    assert!(survives(&[("a.test.js", &text)]) >= 6_000);
}

#[test]
fn broken_source_keeps_what_stands_outside_the_error() {
    let text = "export function a() { b(); }\nconst = ;;; }{\nexport function b() { a(); }\n";
    let outside = Outside::default();
    let source = SourceText { path: "a.js", text };
    let parsed = crate::facts(Language::JavaScript, source, &outside);
    assert!(parsed.problem.is_some());
    let project = crate::project(Language::JavaScript, vec![parsed.facts], &outside);
    assert!(project.methods.iter().any(|method| method.key() == "a#a()"));
}
