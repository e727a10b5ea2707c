//! Tests of the index's answers: assertions, bodies, fixtures, roles, evidence and steps.

use expect_test::{Expect, expect};

use crate::model::{CallRole, FileRole, Language, MethodId, TestCase};
use crate::{Outside, Project, SourceText, project_of};

fn read(files: &[(&str, &str)]) -> Project {
    let sources = files.iter().map(|(path, text)| SourceText { path, text });
    project_of(Language::Go, sources, &Outside::default())
}

/// Reads `func TestIt(t *testing.T) { … }` among some helpers.
fn case_of(body: &str) -> (String, Project, TestCase) {
    let text = format!(
        "package p\n\nimport \"testing\"\n\n\
         func one() int {{ return 1 }}\n\
         func check(t testing.TB, n int) {{ t.Helper(); if n != 1 {{ t.Fatal(n) }} }}\n\
         func open(t *testing.T) int {{ if one() != 1 {{ t.Fatal() }}; return 1 }}\n\
         func log(t *testing.T, n int) {{ t.Log(n) }}\n\
         func with(t *testing.T, f func()) {{ if one() != 1 {{ t.Fatal() }}; f() }}\n\
         func TestIt(t *testing.T) {{\n{body}\n}}\n"
    );
    let project = read(&[("p/a_test.go", &text)]);
    let case = project.index.test_case(project.tests[0]);
    (text, project, case)
}

fn check_assertions(body: &str, expected: &Expect) {
    let (text, _, case) = case_of(body);
    let spans = case
        .assertions
        .iter()
        .map(|assertion| assertion.of(&text).replace('\n', " ") + "\n");
    expected.assert_eq(&spans.collect::<String>());
}

#[test]
fn a_statement_whose_own_block_fails_the_test_asserts() {
    check_assertions(
        "if n := one(); n != 1 { t.Errorf(\"x\") }\nif one() > 2 { one() } else { t.FailNow() }",
        &expect![[r#"
            if n := one(); n != 1 { t.Errorf("x") }
            if one() > 2 { one() } else { t.FailNow() }
        "#]],
    );
    check_assertions(
        "for range 3 { if one() == 2 { t.Fatal() } }\nswitch one() { case 1: default: t.Fatal() }",
        &expect![[r"
            if one() == 2 { t.Fatal() }
            switch one() { case 1: default: t.Fatal() }
        "]],
    );
    check_assertions(
        "if one() == 1 { t.Run(\"x\", func(t *testing.T) { t.Error(one()) }) }",
        &expect![[r"
            t.Error(one())
        "]],
    );
    check_assertions(
        "if one() == 1 { t.Skip() }\nif one() == 1 { t.Log() }",
        &expect![""],
    );
}

#[test]
fn a_helper_that_fails_its_test_and_gives_nothing_back_asserts() {
    check_assertions(
        "check(t, one())\nopen(t)\nlog(t, one())\nwith(t, func() { one() })",
        &expect![[r"
            check(t, one())
        "]],
    );
}

#[test]
fn bodies_inside_the_body_are_told_outer_before_inner() {
    let (text, _, case) = case_of(
        "for _, it := range []int{1} {\nt.Run(\"x\", func(t *testing.T) {\na := it\nif a == 1 { one() }\n})\n}",
    );
    let shown = case.blocks.iter().map(|block| {
        let statements: Vec<&str> = block
            .statements
            .iter()
            .map(|statement| statement.of(&text).lines().next().unwrap_or_default())
            .collect();
        format!("{} {}\n", block.is_function, statements.join(" | "))
    });
    expect![[r#"
        false t.Run("x", func(t *testing.T) {
        true a := it | if a == 1 { one() }
        false one()
    "#]]
    .assert_eq(&shown.collect::<String>());
}

#[test]
fn fixtures_are_told_widest_scope_and_bases_first() {
    let text = "package p\n\nimport (\n\t\"testing\"\n\n\t\"github.com/stretchr/testify/suite\"\n)\n\n\
        type base struct{ suite.Suite }\ntype S struct{ base }\n\
        func (s *S) BeforeTest(a, b string) {}\nfunc (s *S) SetupTest() {}\nfunc (s *S) TearDownTest() {}\n\
        func (s *base) SetupTest() {}\nfunc (s *S) SetupSuite() {}\n\
        func (s *S) TestIt() {}\nfunc TestMain(m *testing.M) { m.Run() }\n";
    let other = "package q\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n";
    let project = read(&[("p/a_test.go", text), ("q/a_test.go", other)]);
    let case = project.index.test_case(project.tests[0]);
    let keys = case
        .fixtures
        .iter()
        .map(|id| project.method(*id).key() + "\n");
    expect![[r"
        p#TestMain()
        p.S#SetupSuite()
        p.base#SetupTest()
        p.S#SetupTest()
        p.S#BeforeTest()
    "]]
    .assert_eq(&keys.collect::<String>());
}

#[test]
fn what_only_tests_import_under_internal_is_test_code() {
    let import =
        |name: &str, path: &str| format!("package {name}\n\nimport \"example.com/m/{path}\"\n");
    let files = [
        ("a.go", import("m", "internal/used")),
        ("a_test.go", import("m", "internal/ztest")),
        ("bench/a.go", "package bench\n".to_owned()),
        ("examples/a.go", import("main", "internal/used")),
        (
            "b.go",
            "package m\n\nimport _ \"example.com/m/internal/run\"\n".to_owned(),
        ),
        ("b_test.go", import("m", "internal/run")),
        ("internal/alone/a.go", "package alone\n".to_owned()),
        ("internal/run/a.go", "package run\n".to_owned()),
        ("internal/deep/a.go", "package deep\n".to_owned()),
        ("internal/used/a.go", "package used\n".to_owned()),
        ("internal/ztest/a.go", import("ztest", "internal/deep")),
        ("ztest/a.go", "package ztest\n".to_owned()),
    ];
    let mut files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    files.sort_unstable();
    let project = read(&files);
    let tests = files.iter().zip(&project.roles);
    let tests = tests.filter(|(_, role)| **role == FileRole::Test);
    let paths = tests.map(|((path, _), _)| format!("{path}\n"));
    expect![[r"
        a_test.go
        b_test.go
        bench/a.go
        examples/a.go
        internal/deep/a.go
        internal/ztest/a.go
    "]]
    .assert_eq(&paths.collect::<String>());
}

const STORE: &str = "package p\n\n\
    type Store interface{ Get() int; Len() int }\n\
    type Mem struct{ n int }\n\
    func NewMem() *Mem { return &Mem{} }\n\
    func Open() Store { return NewMem() }\n\
    func (m *Mem) Get() int { return m.n }\n\
    func (m *Mem) Len() int { one(); return m.n }\n\
    func (m *Mem) Set(n int) { m.n = n }\n\
    type Part struct{}\n\
    func (Part) Get() int { return 1 }\n\
    type Outer struct{ *Mem }\n\
    func one() {}\n";

fn id_of(project: &Project, key: &str) -> MethodId {
    let found = project
        .methods
        .iter()
        .position(|method| method.key() == key);
    MethodId(found.expect("the text declares it") as u32)
}

#[test]
fn an_interface_is_implemented_by_types_that_have_all_of_it() {
    let project = read(&[("p/a.go", STORE)]);
    let found = project
        .index
        .implementations(id_of(&project, "p.Store#Get()"));
    assert_eq!(found, [id_of(&project, "p.Mem#Get()")]);
    assert_eq!(
        project
            .index
            .implementations(id_of(&project, "p.Mem#Get()")),
        []
    );
    let maker = id_of(&project, "p#NewMem()");
    assert_eq!(
        project.index.dispatch(maker, "Len", 0),
        Some(id_of(&project, "p.Mem#Len()"))
    );
    let maker = id_of(&project, "p#Open()");
    assert_eq!(project.index.dispatch(maker, "Len", 0), None);
}

#[test]
fn accessors_and_inherited_methods_are_known() {
    let project = read(&[("p/a.go", STORE)]);
    let is_accessor = |key| project.index.is_accessor(id_of(&project, key));
    assert!(is_accessor("p.Mem#Get()"));
    assert!(is_accessor("p.Mem#Set()"));
    assert!(!is_accessor("p.Mem#Len()"));
    assert!(!is_accessor("p#one()"));
    let is_inherited = |key, class| {
        project
            .index
            .is_inherited_by(id_of(&project, key), ("p", class))
    };
    assert!(is_inherited("p.Mem#Get()", "Outer"));
    assert!(!is_inherited("p.Mem#Get()", "Mem"));
    assert!(!is_inherited("p.Part#Get()", "Outer"));
}

#[test]
fn values_are_followed_through_variables() {
    let text = "package p\n\nimport \"testing\"\n\n\
        func TestIt(t *testing.T) {\n\
        var s Store = NewMem()\ns = NewMem()\nn := s.Get()\nt.Log(n)\nt.Log(int64(n))\nn = 3\nt.Log(n)\n}\n";
    let project = read(&[("p/a.go", STORE), ("p/a_test.go", text)]);
    let case = project.index.test_case(project.tests[0]);
    let clues = project.index.clues(&case);
    let name = |at: u32| &case.calls[at as usize].name;
    let flows = clues.flows.iter().map(|flow| {
        let role = if flow.role == CallRole::Receiver {
            "on"
        } else {
            "in"
        };
        format!("{} {role} {} {}\n", name(flow.from), name(flow.to), flow.to)
    });
    expect![[r"
        NewMem on Get 2
        Get in Log 3
        Get in Log 4
    "]]
    .assert_eq(&flows.collect::<String>());
    assert_eq!(
        clues.field_constructors,
        [(2, id_of(&project, "p#NewMem()"))]
    );
}

#[test]
fn the_steps_of_a_call_are_told() {
    let text = "package p\n\nfunc f(o Outer, s []Store) {\no.Get()\ns[0].Len()\ngone.Get()\n}\n";
    let project = read(&[("p/a.go", STORE), ("p/b.go", text)]);
    let method = id_of(&project, "p#f()");
    let steps = |call| {
        let steps = project.index.trace(method, call).into_iter();
        let steps = steps.map(|step| format!("{}: {}\n", step.label, step.detail));
        steps.collect::<String>()
    };
    expect![[r"
        receiver: of type p.Outer
        found: p.Mem#Get() in p/a.go: declared on the type, or on one that it embeds
        resolved: declared p.Mem#Get()
    "]]
    .assert_eq(&steps(0));
    expect![[r"
        receiver: of type p.Store
        found: p.Store#Len() in p/a.go: declared by an interface
        resolved: declared p.Store#Len()
    "]]
    .assert_eq(&steps(1));
    expect![[r"
        receiver: its type is not known; if it is a call, explain that call first
        resolved: unknown (receiver_name): the receiver is declared nowhere: run the build's code generators, then mine again
    "]]
    .assert_eq(&steps(2));
    assert_eq!(steps(9), "");
}
