//! Runs the chapters of `tests/fixtures/resolve/csharp`: prose, C#, and the expected declarations in comments.
//!
//! A `csharp` block is a file, an `xml` block a project file; the first line may name it (`// file: path`,
//! `<!-- file: path -->`). A line that ends in `// → …` lists what the calls on it mean, in order of their names and
//! parted by ` · `: a method's key, `outside Class`, `unknown reason`, `ambiguous a | b`. A line that ends in
//! `// ⊢ …` declares a test: its framework, kind and flags, and what runs before it.

use std::fmt::Write as _;

use super::msbuild::N_READ;
use crate::model::{Call, CallKind, FileRole, Flag, Language, Method, MethodId, Resolution};
use crate::outside::Configuration;
use crate::tests::chapters::{self, File};
use crate::{Outside, Project, SourceText};

fn files_of(chapter: &str) -> (Vec<File>, Vec<Configuration>) {
    let mut files = Vec::new();
    let mut configuration = Vec::new();
    for (index, part) in chapter.split("\n```").enumerate() {
        if let Some(text) = part.strip_prefix("csharp\n") {
            let path = named(text, "// file: ");
            files.push(File {
                path: path.unwrap_or_else(|| format!("src/F{index}.cs")),
                text: text.to_owned(),
            });
        } else if let Some(text) = part.strip_prefix("xml\n") {
            let path = named(text, "<!-- file: ").unwrap_or_default();
            configuration.push(Configuration {
                path: path.trim_end_matches(" -->").to_owned(),
                text: text.to_owned(),
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    configuration.sort_by(|a, b| a.path.cmp(&b.path));
    (files, configuration)
}

fn named(text: &str, mark: &str) -> Option<String> {
    text.lines().next()?.strip_prefix(mark).map(str::to_owned)
}

fn project_of(files: &[File], configuration: Vec<Configuration>) -> Project {
    let sources = files.iter().map(|file| SourceText {
        path: &file.path,
        text: &file.text,
    });
    let outside = Outside {
        configuration: configuration.into_iter().collect(),
        ..Outside::default()
    };
    crate::project_of(Language::CSharp, sources, &outside)
}

fn show(methods: &[Method], call: &Call) -> String {
    let what = match &call.resolution {
        Resolution::Declared(id) => methods[id.0 as usize].key(),
        Resolution::Ambiguous(ids) => {
            let keys: Vec<String> = ids.iter().map(|id| methods[id.0 as usize].key()).collect();
            format!("ambiguous {}", keys.join(" | "))
        }
        Resolution::Outside(Some(owner)) => format!("outside {owner}"),
        Resolution::Outside(None) => "outside".to_owned(),
        Resolution::Unknown(reason) => format!("unknown {}", reason.as_str()),
    };
    match call.kind {
        CallKind::Property => format!("reads {what}"),
        CallKind::Reference => format!("hands over {what}"),
        _ => what,
    }
}

fn show_test(project: &Project, test: MethodId) -> String {
    let case = project.index.test_case(test);
    let mut shown = format!("{} {}", case.framework.as_str(), case.kind.as_str());
    for flag in case.flags.iter() {
        let _ = write!(shown, " {}", flag.as_str());
    }
    for fixture in &case.fixtures {
        let _ = write!(shown, " · {}", project.method(*fixture).key());
    }
    shown
}

/// Lists the resolutions of all calls, by file, line and place.
fn readings(project: &Project) -> Vec<(u32, u32, u32, String)> {
    let mut found = Vec::new();
    for (index, _) in project.methods.iter().enumerate() {
        let id = MethodId(index as u32);
        let file = project.method(id).file.0;
        for call in project.index.calls(id) {
            let shown = show(&project.methods, &call);
            found.push((file, call.at.line, call.name_span.start, shown));
        }
    }
    found.sort();
    found
}

/// Compares a chapter with what is found, and lists the differences, a line each.
fn differences(chapter: &str) -> (usize, String) {
    let (files, configuration) = files_of(chapter);
    let project = project_of(&files, configuration);
    let calls = readings(&project);
    let tests: Vec<(u32, u32, u32, String)> = project
        .tests
        .iter()
        .map(|&id| {
            let method = project.method(id);
            (method.file.0, method.name_line, 0, show_test(&project, id))
        })
        .collect();
    let mut n_checked = 0;
    let mut differences = String::new();
    for (file_idx, file) in files.iter().enumerate() {
        for (line_idx, line) in file.text.lines().enumerate() {
            let place = (file_idx as u32, line_idx as u32 + 1);
            for (mark, found) in [("// → ", &calls), ("// ⊢ ", &tests)] {
                let Some((_, wanted)) = line.split_once(mark) else {
                    continue;
                };
                n_checked += 1;
                let have: Vec<&str> = found
                    .iter()
                    .filter(|found| (found.0, found.1) == place)
                    .map(|found| found.3.as_str())
                    .collect();
                let have = have.join(" · ");
                let wanted = wanted.trim();
                if have != wanted && !(have.is_empty() && wanted == "nothing") {
                    let code = line.split("//").next().unwrap_or_default().trim();
                    let _ = writeln!(differences, "{code}\n  want {wanted}\n  have {have}");
                }
            }
        }
    }
    (n_checked, differences)
}

#[test]
fn every_chapter_of_name_resolution_holds() {
    chapters::check("csharp", 676, differences);
}

fn one_file(text: &str) -> Project {
    let path = "A.cs".to_owned();
    let text = text.to_owned();
    project_of(&[File { path, text }], Vec::new())
}

fn calls_in(text: &str) -> usize {
    let project = one_file(text);
    (0..project.methods.len() as u32)
        .map(|index| project.index.calls(MethodId(index)).len())
        .sum()
}

#[test]
fn source_nested_without_end_is_harmless() {
    let in_method = |body: &str| {
        format!("class A {{ int F(int x) {{ {body} }} void G(System.Action a) {{}} }}")
    };
    calls_in(&in_method(&format!(
        "return {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    )));
    calls_in(&in_method(&format!(
        "return {}1{};",
        "F(".repeat(3_000),
        ")".repeat(3_000)
    )));
    calls_in(&in_method(&format!(
        "{}F(1);{}",
        "{".repeat(3_000),
        "}".repeat(3_000)
    )));
    calls_in(&in_method(&format!(
        "{}F(1);",
        "if (x > 0) F(1); else ".repeat(3_000)
    )));
    calls_in(&in_method(&format!(
        "G(null);{}F(1);{}",
        "G(() => { ".repeat(400),
        " });".repeat(400)
    )));
    calls_in(&format!(
        "class A {{ {}string{} f; }}",
        "List<".repeat(2_000),
        ">".repeat(2_000)
    ));
    calls_in(&format!(
        "{}{}",
        "class A { ".repeat(2_000),
        "}".repeat(2_000)
    ));
    calls_in(&format!(
        "{}{}",
        "namespace A { ".repeat(2_000),
        "}".repeat(2_000)
    ));
}

#[test]
fn a_long_chain_is_resolved_to_its_end() {
    let chain = format!(
        "class A {{ A F() {{ return this{}; }} }}",
        ".F()".repeat(5_000)
    );
    assert_eq!(calls_in(&chain), 5_000);
    let sum = format!(
        "class A {{ int F() {{ return F(){}; }} }}",
        " + F()".repeat(3_000)
    );
    assert_eq!(calls_in(&sum), 3_001);
}

#[test]
fn ten_thousand_overloads_come_to_an_end() {
    let mut text = "class A { void T() { F(null, 1); F(x, y); }".to_owned();
    for n in 0..10_000 {
        let _ = write!(text, "void F(C{n} a, int b) {{}}");
    }
    text.push('}');
    assert_eq!(calls_in(&text), 2);
}

#[test]
fn thousands_of_namespaces_of_a_file_take_no_time() {
    let mut text = String::new();
    for n in 0..20_000 {
        let _ = writeln!(text, "namespace Support{n};");
    }
    text += "class A { void F() { G(); } void G() {} }";
    assert_eq!(calls_in(&text), 1);
    let long = "a.".repeat(20_000);
    assert_eq!(
        calls_in(&format!(
            "namespace {long}b {{ class A {{ void F() {{ F(); }} }} }}"
        )),
        1
    );
}

#[test]
fn cyclic_inheritance_comes_to_an_end() {
    let n = calls_in(
        "class A : B { void F() { G(); } } class B : C {} class C : A {} \
         interface I : J {} interface J : I {} class D<T, U> where T : U where U : T { void F(T t) { t.G(); } } \
         class E<T> : E<E<E<T>>> { void F() { G(); } }",
    );
    assert_eq!(n, 3);
}

#[test]
fn broken_source_keeps_what_stands_outside_the_error() {
    let text = "class A {\n  void F() { G(); }\n  void H( { x y z ;\n  void G() { F(); }\n}\nclass B { void K() { new A(); } }\n";
    let path = "A.cs";
    let outside = Outside::default();
    let parsed = crate::facts(Language::CSharp, SourceText { path, text }, &outside);
    assert!(parsed.problem.is_some(), "the text does not parse");
    let project = crate::project(Language::CSharp, vec![parsed.facts], &outside);
    assert!(project.methods.iter().any(|method| method.key() == "A#F()"));
    for end in (0..text.len()).step_by(7) {
        calls_in(&text[..end]);
    }
    calls_in("#if A\nclass A { void F() { F(); }");
}

#[test]
fn the_side_of_a_file_is_told_by_its_project() {
    let file = |path: &str, text: &str| File {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let project_file = |path: &str, text: &str| Configuration {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let references = "<ProjectReference Include=\"../TestHelpers/TestHelpers.csproj\" />\
                      <ProjectReference Include=\"../Tested/Tested.csproj\" />";
    let project = project_of(
        &[
            file("Checks/A.cs", "using Xunit; class A { [Fact] void T() {} }"),
            file("Checks/B.cs", "class B { }"),
            file("Lib/D.cs", "class D { }"),
            file("TestHelpers/C.cs", "class C { }"),
            file("Tested/G.cs", "class G { }"),
            file("samples/E.cs", "class E { }"),
            file("test/F/F.cs", "class F { }"),
        ],
        vec![
            project_file("Checks/Checks.csproj", references),
            project_file("Lib/Lib.csproj", ""),
            project_file("TestHelpers/TestHelpers.csproj", ""),
            project_file("Tested/Tested.csproj", ""),
            project_file("samples/E.csproj", ""),
            project_file("test/F/F.csproj", ""),
        ],
    );
    let is_test: Vec<bool> = project
        .roles
        .iter()
        .map(|role| *role == FileRole::Test)
        .collect();
    assert_eq!(is_test, [true, true, false, true, false, true, true]);
}

#[test]
fn bodies_and_asserting_chains_are_told_with_the_test() {
    let text = "using Xunit; class A { [Fact] void T() { foreach (var i in x) { G(() => { i.Should().Be(1); }); } H(); } }";
    let project = one_file(text);
    let case = project.index.test_case(project.tests[0]);
    let spans: Vec<&str> = case
        .assertions
        .iter()
        .map(|assertion| assertion.of(text))
        .collect();
    assert_eq!(spans, ["i.Should().Be(1)"]);
    let bodies: Vec<(bool, usize)> = case
        .blocks
        .iter()
        .map(|block| (block.is_function, block.statements.len()))
        .collect();
    assert_eq!(bodies, [(false, 1), (true, 1)]);
    assert_eq!(case.statements.len(), 2);
    assert_eq!(case.group, "A");
}

#[test]
fn what_a_generator_wrote_is_flagged() {
    let text = "// <auto-generated/>\nusing Xunit; class A { [Fact] void T() { } }";
    let project = one_file(text);
    let case = project.index.test_case(project.tests[0]);
    assert!(case.flags.has(Flag::Generated));
}

#[test]
fn a_value_flows_through_a_variable_and_a_field_is_what_was_made() {
    let text = "using Xunit; class C { public C Next() => this; public void Take(C c) {} } \
                class A { C made = new C(); [Fact] void T() { var next = made.Next(); next.Take(next); } }";
    let project = one_file(text);
    let case = project.index.test_case(project.tests[0]);
    let clues = project.index.clues(&case);
    let flows: Vec<(u32, u32)> = clues
        .flows
        .iter()
        .map(|flow| (flow.from, flow.to))
        .collect();
    assert_eq!(flows, [(0, 1), (0, 1)]);
    let made: Vec<String> = clues
        .field_constructors
        .iter()
        .map(|made| project.method(made.1).key())
        .collect();
    assert_eq!(made, ["C#<init>()"]);
}

#[test]
fn a_project_file_is_read_once_however_many_sources_have_conditions() {
    let file = |path: String, text: &str| File {
        path,
        text: text.to_owned(),
    };
    let sources = (0..20).map(|at| {
        let text = "#if SHARED\nclass A { void F() { } }\n#else\nclass A { }\n#endif\n";
        file(format!("src/P{at}/A.cs"), text)
    });
    let projects = (0..10).map(|at| Configuration {
        path: format!("src/P{at}/P.csproj"),
        text: "<DefineConstants>SHARED</DefineConstants>".to_owned(),
    });
    let sources: Vec<File> = sources.collect();
    let n_before = N_READ.get();
    let project = project_of(&sources, projects.collect());
    assert_eq!(N_READ.get() - n_before, 10);
    let n_methods = project
        .methods
        .iter()
        .filter(|method| method.name == "F")
        .count();
    assert_eq!(n_methods, 20, "each source sees the symbol");
}
