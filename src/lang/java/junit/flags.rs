//! Flags that a test gets from annotations: skipped for good, with rows of arguments, written by a program.

use super::{TestMark, path_of, simple_name};
use crate::java::facts::Name;
use crate::java::project::{FileType, JavaProject};
use crate::java::types::{ClassId, MemberId};
use crate::model::{FileId, Flag, Flags, Framework, MethodId, TestKind};
use crate::run::Run;

/// Annotations under which nothing runs. Those with a condition (`@DisabledOnOs`, `@EnabledIf` …) do not count:
/// somewhere the test runs.
const SKIPS: &[&str] = &["Disabled", "Ignore"];

/// Annotations that give JUnit 4 tests rows: those of `JUnitParams` and of the runner for data providers. `TestNG` has
/// a `Parameters` for values of its configuration.
const ROWS: &[&str] = &["Parameters", "FileParameters", "UseDataProvider"];

/// How deep meta-annotations are followed.
const DEPTH_MAX: u32 = 8;

/// Collects the flags that a test gets from its annotations, those of its classes, and its file.
pub fn flags(project: &JavaProject, test: MethodId, mark: TestMark) -> Flags {
    let mut flags = Flags::default();
    let id = MemberId(test.0);
    let Some((file, decl)) = project.method_decl(id) else {
        return flags;
    };
    let own = DeclarationAnnotations {
        project,
        file,
        run: decl.annotations,
    };
    let owner = project.member(id).owner;
    let around = classes_around(project, owner, mark.framework);
    let classes: Vec<DeclarationAnnotations<'_>> = around
        .into_iter()
        .filter_map(|class| DeclarationAnnotations::of_class(project, class))
        .collect();
    flags.set(Flag::Skipped, is_skipped(own, &classes, mark));
    flags.set(
        Flag::Parametrised,
        has_rows(own, &classes, mark) || is_run_with_rows(project, owner),
    );
    let is_by_program = |class: &DeclarationAnnotations<'_>| class.find("Generated").is_some();
    flags.set(
        Flag::Generated,
        project.file(file).facts.is_generated || classes.iter().any(is_by_program),
    );
    flags
}

/// Lists a class and the classes around it that decide whether its tests run. In Jupiter these are the classes around a
/// `@Nested` one: a static class runs on its own.
fn classes_around(project: &JavaProject, owner: ClassId, framework: Framework) -> Vec<ClassId> {
    let mut around = vec![owner];
    let mut last = owner;
    while let Some(outer) = project.class(last).outer {
        let notes = DeclarationAnnotations::of_class(project, last);
        let is_nested = notes.is_some_and(|notes| notes.find("Nested").is_some());
        if framework == Framework::JUnit5 && !is_nested {
            break;
        }
        around.push(outer);
        last = outer;
    }
    around
}

fn is_skipped(
    own: DeclarationAnnotations<'_>,
    classes: &[DeclarationAnnotations<'_>],
    mark: TestMark,
) -> bool {
    // JUnit 3 has no annotations; a runner that knows them only looks at the class.
    let is_own = mark.kind != TestKind::Named && own.skips(DEPTH_MAX);
    let is_off =
        |notes: &DeclarationAnnotations<'_>| notes.value("Test", "enabled") == Some("false");
    let by_test = match mark.kind {
        TestKind::ByClass => classes.first().is_some_and(is_off),
        _ => mark.framework == Framework::TestNg && is_off(&own),
    };
    is_own || by_test || classes.iter().any(|class| class.skips(DEPTH_MAX))
}

fn has_rows(
    own: DeclarationAnnotations<'_>,
    classes: &[DeclarationAnnotations<'_>],
    mark: TestMark,
) -> bool {
    let is_by_kind = matches!(
        mark.kind,
        TestKind::ParameterizedTest
            | TestKind::TestFactory
            | TestKind::TestTemplate
            | TestKind::Theory
    );
    let has_provider =
        |notes: &DeclarationAnnotations<'_>| notes.value("Test", "dataProvider").is_some();
    let is_by_framework = match mark.framework {
        Framework::JUnit4 => ROWS.iter().any(|word| own.find(word).is_some()),
        Framework::TestNg => has_provider(&own) || classes.first().is_some_and(has_provider),
        Framework::JUnit5 => {
            let mut classes = classes.iter();
            classes.any(|class| class.find("ParameterizedClass").is_some())
        }
        _ => false,
    };
    is_by_kind || is_by_framework
}

/// Tells whether JUnit 4 makes an instance of the class for each row; subclasses inherit the runner.
fn is_run_with_rows(project: &JavaProject, owner: ClassId) -> bool {
    let mut runners = project.ancestors(owner).iter().filter_map(|&class| {
        let notes = DeclarationAnnotations::of_class(project, class)?;
        notes.value("RunWith", "value")
    });
    runners.next().is_some_and(|runner| {
        let class = runner.trim_end_matches(".class");
        simple_name(class) == "Parameterized"
    })
}

/// The annotations of one declaration.
#[derive(Clone, Copy)]
struct DeclarationAnnotations<'p> {
    project: &'p JavaProject,
    file: FileId,
    run: Run,
}

impl<'p> DeclarationAnnotations<'p> {
    fn of_class(project: &'p JavaProject, class: ClassId) -> Option<Self> {
        let (file, at) = project.class(class).decl?;
        let run = project.file(file).facts.types[at as usize].annotations;
        Some(Self { project, file, run })
    }

    fn names(self) -> impl Iterator<Item = (u32, Name)> {
        let facts = &self.project.file(self.file).facts;
        let range = self.run.range();
        range.map(|at| (at as u32, facts.annotations[at]))
    }

    fn simple(self, name: Name) -> &'p str {
        simple_name(self.project.file(self.file).facts.names.get(name))
    }

    /// Finds an annotation by its simple name.
    fn find(self, word: &str) -> Option<u32> {
        let mut names = self.names();
        let (at, _) = names.find(|&(_, name)| self.simple(name) == word)?;
        Some(at)
    }

    /// Looks up a value of the annotation named `word`, as written.
    fn value(self, word: &str, key: &str) -> Option<&'p str> {
        let at = self.find(word)?;
        self.project.file(self.file).facts.notes.value(at, key)
    }

    /// Tells whether one of the annotations skips its declaration, by itself or through a meta-annotation.
    fn skips(self, depth: u32) -> bool {
        self.names().any(|(_, name)| {
            let path = path_of(self.project, self.file, name);
            let is_of_framework = path.is_none_or(|path| {
                path.starts_with("org.junit.") || path.starts_with("org.testng.")
            });
            if SKIPS.contains(&self.simple(name)) && is_of_framework {
                return true;
            }
            let sym = self.project.file(self.file).syms[name.0 as usize];
            match self.project.file_type(sym, None, self.file) {
                Some(FileType::Class(class)) if depth > 0 => {
                    let made_of = DeclarationAnnotations::of_class(self.project, class);
                    made_of.is_some_and(|notes| notes.skips(depth - 1))
                }
                _ => false,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Flag, Language};
    use crate::{Outside, SourceText};

    /// Checks the flags of the tests of a file, in order.
    fn check(text: &str, expected: &[&str]) {
        let path = "src/test/java/p/ATest.java";
        let project = crate::project_of(
            Language::Java,
            [SourceText { path, text }],
            &Outside::default(),
        );
        let flags = project.tests.iter().map(|test| {
            let flags = project.index.test_case(*test).flags;
            flags.iter().map(Flag::as_str).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(flags.collect::<Vec<_>>(), expected, "{text}");
    }

    const JUPITER: &str = "package p;\nimport org.junit.jupiter.api.*;\n";
    const JUNIT_4: &str = "package p;\nimport org.junit.*;\nimport org.junit.runner.RunWith;\n";
    const TEST_NG: &str = "package p;\nimport org.testng.annotations.*;\n";

    #[test]
    fn a_test_that_jupiter_never_runs_is_skipped() {
        let check = |text: &str, expected| check(&format!("{JUPITER}{text}"), expected);
        check(
            "class ATest { @Disabled @Test void a() {} @Test @Disabled(\"why\") void b() {} @Test void c() {} }",
            &["skipped", "skipped", ""],
        );
        check(
            "@Disabled class ATest { @Test void a() {} @Nested class B { @Test void b() {} } \
             static class C { @Test void c() {} } }",
            &["skipped", "skipped", ""],
        );
        check(
            "@interface Later {} @Disabled @interface Never {} \
             class ATest { @Test @Later void a() {} @Test @Never void b() {} }",
            &["", "skipped"],
        );
        check(
            "class ATest { @Test @DisabledOnOs(OS.LINUX) void a() {} \
             @Test @org.junit.jupiter.api.Disabled void b() {} @Test @q.Disabled void c() {} }",
            &["", "skipped", ""],
        );
        check(
            "@interface Disabled {} class ATest { @Test @Disabled void a() {} }",
            &[""],
        );
        check(
            "@Disabled class Base { @Test void a() {} } class ATest extends Base { @Test void b() {} }",
            &["skipped", ""],
        );
    }

    #[test]
    fn a_test_that_an_older_framework_never_runs_is_skipped() {
        let junit = |text: &str, expected| check(&format!("{JUNIT_4}{text}"), expected);
        junit(
            "public class ATest { @Ignore @Test public void a() {} @Test public void b() {} \
             @Ignore public static class C { @Test public void c() {} } }",
            &["skipped", "", "skipped"],
        );
        let old = "public class ATest extends junit.framework.TestCase { @Ignore public void testA() {} }";
        junit(old, &[""]);
        junit(&format!("@Ignore {old}"), &["skipped"]);
        let test_ng = |text: &str, expected| check(&format!("{TEST_NG}{text}"), expected);
        test_ng(
            "public class ATest { @Test(enabled = false) public void a() {} @Test(enabled = true) public void b() {} \
             @Ignore @Test public void c() {} }",
            &["skipped", "", "skipped"],
        );
        test_ng(
            "@Test(enabled = false) public class ATest { public void a() {} @Test public void b() {} }",
            &["skipped", ""],
        );
    }

    #[test]
    fn a_test_with_rows_is_parametrised() {
        check(
            &format!(
                "{JUPITER}class ATest {{ @ParameterizedTest void a(int n) {{}} @TestFactory Object b() {{ return 0; }} \
                 @RepeatedTest(2) void c() {{}} @Test void d() {{}} }}"
            ),
            &["parametrised", "parametrised", "", ""],
        );
        check(
            &format!(
                "{JUNIT_4}@RunWith(org.junit.runners.Parameterized.class) class Base {{}} \
                 public class ATest extends Base {{ @Test public void a() {{}} }} \
                 @RunWith(JUnit4.class) class B {{ @Test public void b() {{}} @Test @Parameters(\"1\") public void c(int n) {{}} }}"
            ),
            &["parametrised", "", "parametrised"],
        );
        check(
            &format!(
                "{TEST_NG}public class ATest {{ @Test(dataProvider = \"d\") public void a(int n) {{}} \
                 @Test(groups = \"dataProvider\") public void b() {{}} @Parameters(\"x\") @Test public void c(String x) {{}} }}"
            ),
            &["parametrised", "", ""],
        );
    }

    #[test]
    fn a_file_or_a_class_that_a_program_wrote_is_generated() {
        let class = "class ATest { @Test void a() {} }";
        check(
            &format!(
                "/*\n * This file was automatically generated by EvoSuite\n */\n{JUPITER}{class}"
            ),
            &["generated"],
        );
        check(
            &format!("// A licence.\n\n// Code generated by x. DO NOT EDIT.\n{JUPITER}{class}"),
            &["generated"],
        );
        check(
            &format!("{JUPITER}@javax.annotation.processing.Generated(\"x\") {class}"),
            &["generated"],
        );
        check(&format!("{JUPITER}/* @generated */ {class}"), &[""]);
        check(&format!("// Generated keys.\n{JUPITER}{class}"), &[""]);
    }
}
