//! Runs the chapters of `tests/fixtures/resolve`: prose, Java, and the expected declarations in comments.
//!
//! A `java` block is a file; its first line may name it (`// file: path`). A line that ends in `// → …` lists what the
//! calls on it mean, in order of their names and parted by ` · `: a method's key, `outside Class`, `unknown reason`,
//! `ambiguous a | b`.

use std::fmt::Write as _;

use crate::model::{Call, Language, Method, MethodId, Resolution};
use crate::tests::chapters::{self, File, blocks};
use crate::{Outside, Project, SourceText};

fn files_of(chapter: &str) -> Vec<File> {
    blocks(chapter, ("java", "// file: "), |idx| {
        format!("src/main/java/F{idx}.java")
    })
}

fn show(methods: &[Method], call: &Call) -> String {
    match &call.resolution {
        Resolution::Declared(id) => methods[id.0 as usize].key(),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(|id| methods[id.0 as usize].key()).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
    }
}

/// Compares a chapter with what is found, and lists the differences, a line each.
fn differences(chapter: &str) -> (usize, String) {
    let files = files_of(chapter);
    let sources = files.iter().map(|file| SourceText {
        path: &file.path,
        text: &file.text,
    });
    let project = crate::project_of(Language::Java, sources, &Outside::default());
    let methods = &project.methods;
    let mut found: Vec<(u32, u32, u32, String)> = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        for call in project.index.calls(MethodId(index as u32)) {
            // A method of an anonymous class is walked with the body around it, too.
            let place = (method.file.0, call.at.line, call.name_span.start);
            if !found
                .iter()
                .any(|(file, line, at, _)| (*file, *line, *at) == place)
            {
                found.push((place.0, place.1, place.2, show(methods, &call)));
            }
        }
    }
    found.sort();
    let mut n_checked = 0;
    let mut differences = String::new();
    for (file_idx, file) in files.iter().enumerate() {
        for (line_idx, line) in file.text.lines().enumerate() {
            let Some((_, wanted)) = line.split_once("// → ") else {
                continue;
            };
            n_checked += 1;
            let have: Vec<&str> = found
                .iter()
                .filter(|(file, at, ..)| *file as usize == file_idx && *at as usize == line_idx + 1)
                .map(|(.., shown)| shown.as_str())
                .collect();
            let have = have.join(" · ");
            if have != wanted.trim() {
                let code = line.split("//").next().unwrap_or_default().trim();
                let _ = writeln!(differences, "{code}\n  want {wanted}\n  have {have}");
            }
        }
    }
    (n_checked, differences)
}

#[test]
fn every_chapter_of_name_resolution_holds() {
    chapters::check("", 248, differences);
}

fn project_of(text: &str) -> Project {
    let path = "A.java";
    crate::project_of(
        Language::Java,
        [SourceText { path, text }],
        &Outside::default(),
    )
}

fn calls_in(text: &str) -> usize {
    let project = project_of(text);
    (0..project.methods.len() as u32)
        .map(|index| project.index.calls(MethodId(index)).len())
        .sum()
}

#[test]
fn source_nested_without_end_is_harmless() {
    let parentheses = format!(
        "class A {{ int f() {{ return {}1{}; }} }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert_eq!(calls_in(&parentheses), 0);
    let calls = format!(
        "class A {{ int f(int x) {{ return {}1{}; }} }}",
        "f(".repeat(3_000),
        ")".repeat(3_000)
    );
    assert!(calls_in(&calls) > 100);
    let blocks = format!(
        "class A {{ void f() {{ {}f();{} }} }}",
        "{".repeat(3_000),
        "}".repeat(3_000)
    );
    calls_in(&blocks);
    let lambdas = format!(
        "class A {{ void f(Runnable r) {{ {}f(null);{} }} }}",
        "f(() -> { ".repeat(400),
        " });".repeat(400)
    );
    assert!(calls_in(&lambdas) > 20);
    let types = format!(
        "class A {{ {}String{} f; }}",
        "java.util.List<".repeat(2_000),
        ">".repeat(2_000)
    );
    assert_eq!(calls_in(&types), 0);
}

#[test]
fn a_long_chain_is_resolved_to_its_end() {
    let chain = format!(
        "class A {{ A f() {{ return this{}; }} }}",
        ".f()".repeat(5_000)
    );
    assert_eq!(calls_in(&chain), 5_000);
}

#[test]
fn cyclic_inheritance_comes_to_an_end() {
    let n = calls_in(
        "class A extends B { void f() { g(); } } class B extends C {} class C extends A {} \
         class D<T extends U, U extends T> { void f(T t) { t.g(); } }",
    );
    assert_eq!(n, 2);
}

#[test]
fn broken_java_keeps_what_stands_outside_the_error() {
    let text = "class A {\n  void f() { g(); }\n  void h( { x y z ;\n  void g() { f(); }\n}\nclass B { void k() { new A(); } }\n";
    let path = "A.java";
    let outside = Outside::default();
    let parsed = crate::facts(Language::Java, SourceText { path, text }, &outside);
    let problem = parsed.problem.expect("the text does not parse");
    assert_eq!(problem.line, Some(3));
    let project = crate::project(Language::Java, vec![parsed.facts], &outside);
    assert!(project.methods.iter().any(|method| method.key() == "A#f()"));
}
