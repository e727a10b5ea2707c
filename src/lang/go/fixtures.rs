//! Runs the chapters of `tests/fixtures/resolve/go`: prose, Go, and expectations in comments.
//!
//! A `go` block is a file; its first line may name it (`// file: path`), as the first line of a `mod` block must. A
//! line that ends in `// → …` lists what the calls on it mean, in the order of their name tokens, separated by ` · `: a
//! method's key, `outside owner`, `unknown reason`, `ambiguous a | b`; references and functions that are handed over
//! say so before their keys. A line that ends in `// ⇒ …` declares a test, with its framework, kind, group and flags;
//! in a chapter with such lines there is no other test.

use std::fmt::Write as _;

use crate::model::{Call, CallKind, CallMarks, Language, Method, MethodId, Resolution};
use crate::tests::chapters::{self, File, blocks};
use crate::{Configuration, Outside, Project, SourceText};

/// Collects the blocks of a chapter in one language, sorted by path.
fn files_of(chapter: &str, language: &str) -> Vec<File> {
    blocks(chapter, (language, "// file: "), |idx| {
        format!("p/f{idx}.go")
    })
}

fn read(files: &[File], modules: Vec<File>) -> Project {
    let configuration = modules.into_iter().map(|file| Configuration {
        path: file.path,
        text: file.text,
    });
    let outside = Outside {
        configuration: configuration.collect(),
        ..Outside::default()
    };
    let sources = files.iter().map(|file| SourceText {
        path: &file.path,
        text: &file.text,
    });
    crate::project_of(Language::Go, sources, &outside)
}

fn show(methods: &[Method], call: &Call) -> String {
    let shown = match &call.resolution {
        Resolution::Declared(id) => methods[id.0 as usize].key(),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(|id| methods[id.0 as usize].key()).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
    };
    if call.marks.has(CallMarks::BY_NAME) {
        format!("by name {shown}")
    } else if call.marks.has(CallMarks::HANDED_OVER) {
        format!("handed over {shown}")
    } else if call.kind == CallKind::Reference {
        format!("reference {shown}")
    } else {
        shown
    }
}

/// Compares a chapter with the answers of the index: returns how many were compared, and the differences as text.
fn differences(chapter: &str) -> (usize, String) {
    let files = files_of(chapter, "go");
    let project = read(&files, files_of(chapter, "mod"));
    let mut found: Vec<(u32, u32, u32, String)> = Vec::new();
    for (index, method) in project.methods.iter().enumerate() {
        for call in project.index.calls(MethodId(index as u32)) {
            let shown = show(&project.methods, &call);
            found.push((method.file.0, call.at.line, call.name_span.start, shown));
        }
    }
    found.sort();
    let mut n_checked = 0;
    let mut differences = String::new();
    let has_tests = chapter.contains("// ⇒ ");
    for (file_idx, file) in files.iter().enumerate() {
        for (line_idx, line) in file.text.lines().enumerate() {
            let place = (file_idx as u32, line_idx as u32 + 1);
            let code = line.split("//").next().unwrap_or_default().trim();
            let mut compare = |wanted: &str, have: &str| {
                n_checked += 1;
                if have != wanted.trim() {
                    let _ = writeln!(differences, "{code}\n  want {wanted}\n  have {have}");
                }
            };
            if let Some((_, wanted)) = line.split_once("// → ") {
                let calls = found.iter().filter(|(file, at, ..)| (*file, *at) == place);
                let have: Vec<&str> = calls.map(|(.., shown)| shown.as_str()).collect();
                compare(wanted, &have.join(" · "));
            }
            if has_tests {
                let wanted = line.split_once("// ⇒ ").map_or("", |(_, wanted)| wanted);
                let have = test_at(&project, place);
                if !(wanted.is_empty() && have.is_empty()) {
                    compare(wanted, &have);
                }
            }
        }
    }
    (n_checked, differences)
}

/// Describes the test that is declared on a line.
fn test_at(project: &Project, place: (u32, u32)) -> String {
    let at = |id: &&MethodId| {
        let method = project.method(**id);
        (method.file.0, method.name_line) == place
    };
    project
        .tests
        .iter()
        .find(at)
        .map_or_else(String::new, |id| {
            let case = project.index.test_case(*id);
            let (framework, kind) = (case.framework.as_str(), case.kind.as_str());
            let flags = case.flags.iter().map(|flag| format!(" {}", flag.as_str()));
            format!(
                "{framework} {kind} {}{}",
                case.group,
                flags.collect::<String>()
            )
        })
}

#[test]
fn every_chapter_about_go_holds() {
    chapters::check("go", 247, differences);
}

fn project_of(text: &str) -> Project {
    let file = File {
        path: "p/a_test.go".to_owned(),
        text: format!("package p\n\n{text}"),
    };
    read(&[file], Vec::new())
}

/// Counts the calls in all functions; asks the index every question once.
fn calls_in(text: &str) -> usize {
    let project = project_of(text);
    for test in &project.tests {
        let case = project.index.test_case(*test);
        project.index.clues(&case);
    }
    let ids = (0..project.methods.len() as u32).map(MethodId);
    ids.map(|id| {
        project.index.is_accessor(id);
        project.index.implementations(id);
        project.index.calls(id).len()
    })
    .sum()
}

#[test]
fn source_nested_without_end_is_harmless() {
    let nested = |open: &str, inner: &str, close: &str, n: usize| {
        format!(
            "func f(x any) int {{ {}{inner}{} }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    calls_in(&nested("(", "1", ")", 100_000));
    assert!(calls_in(&nested("f(", "1", ")", 3_000)) > 100);
    calls_in(&nested("{", "f(1)", "}", 3_000));
    calls_in(&nested("if true {", "f(1)", "}", 3_000));
    assert!(calls_in(&nested("f(func() {", "f(1)", "})", 400)) > 20);
    calls_in(&nested("f([]any{", "f(1)", "})", 2_000));
    calls_in(&nested("*&", "f(1)", "", 4_000));
    calls_in(&format!("type T {}int", "[]".repeat(9_000)));
    calls_in(&format!(
        "type T {}int{}",
        "map[string]struct{ F ".repeat(2_000),
        "}".repeat(2_000)
    ));
    calls_in(&format!(
        "func f(x {}int{}) {{}}",
        "func(y ".repeat(2_000),
        ")".repeat(2_000)
    ));
}

#[test]
fn long_chains_are_resolved_to_their_end() {
    let chain = ".Get()".repeat(5_000);
    let text = format!("type T struct{{}}\nfunc (t T) Get() T {{ return t{chain} }}");
    assert_eq!(calls_in(&text), 5_000);
    let sum = "f(1) + ".repeat(5_000);
    assert_eq!(
        calls_in(&format!("func f(x int) int {{ return {sum}1 }}")),
        5_000
    );
    let called = "()".repeat(5_000);
    calls_in(&format!("func f() func() {{ return f{called} }}"));
}

#[test]
fn what_holds_itself_comes_to_an_end() {
    let n = calls_in(
        "type A struct{ B }\ntype B struct{ *A }\ntype C C\ntype D = E\ntype E = D\n\
         type I interface{ J }\ntype J interface{ I }\ntype G[T any] struct{ *G[[]T] }\n\
         type P[T P[T]] interface{ ~[]T }\n\
         var x, y = y, x\nvar z = w()\nvar w = func() int { return z }\n\
         func f[T P[T]](a A, c C, d D, i I, g G[int], t T) { a.M(); c.M(); d.M(); i.M(); g.M(); t.M(); x.M() }",
    );
    assert_eq!(n, 7);
}

#[test]
fn ten_thousand_of_a_kind_take_no_time() {
    use std::fmt::Write as _;
    let n = 10_000;
    let mut text = String::from("type T struct{}\nfunc TestAll(t *testing.T) { var x T\n");
    for at in 0..n {
        let _ = writeln!(text, "v{at} := x.M{at}()\nx.Same(v{at})");
    }
    text.push_str("}\n");
    for at in 0..n {
        let _ = writeln!(
            text,
            "func (T) M{at}() T {{ return T{{}} }}\nfunc (T) Same(x T) T {{ return x }}"
        );
        let _ = writeln!(text, "var g{at} = g{}", at + 1);
        let _ = writeln!(text, "type S{at} struct{{ S{} }}", at + 1);
        let _ = writeln!(text, "type I{at} interface{{ I{}; M{at}() T }}", at + 1);
    }
    text.push_str("func g(s S0, i I0) { s.Gone(); i.M5() }\n");
    assert_eq!(calls_in(&text), 2 * n + 2);
}

#[test]
fn broken_go_keeps_what_stands_outside_the_error() {
    let text = "package p\n\nfunc f() { g() }\n\nfunc h( { x y z\n\nfunc g() { f() }\n\ntype T struct { a int b }\n\nfunc k() { f() }\n";
    let path = "a.go";
    let outside = Outside::default();
    let parsed = crate::facts(Language::Go, SourceText { path, text }, &outside);
    let problem = parsed.problem.expect("the text does not parse");
    assert!(problem.line.is_some_and(|line| line >= 5));
    let project = crate::project(Language::Go, vec![parsed.facts], &outside);
    assert!(project.methods.iter().any(|method| method.key() == "#f()"));
}
