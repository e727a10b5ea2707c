//! Suites that EvoSuite writes: it is called for one class, in the sandbox, and what it wrote is cut into files that
//! hold one test each, with all that the suite puts around its tests.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::java::member::{annotations, kind};
use crate::java::text::used;
use crate::java::{Build, Module};
use crate::model::{Language, Span};
use crate::sandbox::{Bind, EntryKind, Limits, ProgramEnd, ProgramPlan, Root};
use crate::syntax::tree::{Parser, Tree};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

/// The time that EvoSuite has besides searching.
const SLACK: Duration = Duration::from_secs(15 * 60);
/// The most that it may write to temporary files.
const TMP_BYTES: u64 = 1 << 30;
/// The largest suite that is read.
const SUITE_BYTES_MAX: u64 = 16 << 20;
const REASON_CHARS_MAX: usize = 500;
/// The end of the names of its classes.
const SUITE: &str = "_ESTest";

/// How EvoSuite is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvoSuite {
    pub jar: PathBuf,
    /// The JDK that it runs with; the build's where absent.
    pub java_home: Option<PathBuf>,
    /// How long it searches for tests of one class.
    pub budget: Duration,
}

/// A test in a separate file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedTest {
    /// The class of the file.
    pub class: String,
    pub name: String,
    /// The whole file.
    pub text: String,
}

/// The place of a test in its file, which is stored with the file's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The class of the file.
    pub class: String,
    pub test: String,
}

impl Unit {
    /// Reads the output of [`GeneratedTest::unit`]; nothing where the text has another shape.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl GeneratedTest {
    /// Writes the place of the test, as JSON.
    #[must_use]
    pub fn unit(&self) -> String {
        serde_json::json!({"class": self.class, "test": self.name}).to_string()
    }
}

impl EvoSuite {
    /// Lets EvoSuite write a suite for a class, given by its file in the repository and its binary name, and returns
    /// its tests; the inner error says why there are none.
    ///
    /// # Errors
    /// Where it cannot be started, those of the disk, and where it is cancelled.
    pub fn tests(
        &self,
        site: &Site,
        build: &Build,
        (path, class): (&str, &str),
        monitor: &Monitor,
    ) -> Result<Result<Vec<GeneratedTest>, String>, RunnerError> {
        let path = build.tree.join(path);
        let mut modules = build.modules.iter();
        let holds = |module: &Module| {
            module
                .source_roots
                .iter()
                .any(|root| path.starts_with(root))
        };
        let Some(module) = modules.find(|module| holds(module)) else {
            return Ok(Err("no module has the class".to_owned()));
        };
        let scratch = site.sandbox.scratch()?;
        let mut class_path = vec![module.output.clone()];
        class_path.extend(module.test_class_path.iter().cloned());
        let joined: Vec<String> = class_path
            .iter()
            .map(|class_path| class_path.display().to_string())
            .collect();
        let home = self.java_home.as_ref().unwrap_or(&build.jdk.home);
        let mut plan = ProgramPlan::new(home.join("bin/java"))
            .env("JAVA_HOME", home)
            .args(["-jar".into(), self.jar.clone().into_os_string()])
            .args(["-class", class])
            .args(["-projectCP".to_owned(), joined.join(":")])
            .args([format!("-Dsearch_budget={}", self.budget.as_secs())])
            // With a class loader of their own, its tests would enter classes that are not measured.
            .args(["-Duse_separate_classloader=false"])
            .bind(Bind::read(home))
            .bind(Bind::read(&self.jar))
            .bind(Bind::read(&build.tree))
            .bind(Bind::read(&build.repository))
            .bind(Bind::read(&build.shared))
            .bind(Bind::write(&scratch))
            .in_folder(&scratch);
        plan.limits = Limits {
            wall: Some(self.budget + SLACK),
            tmp_bytes: TMP_BYTES,
            n_tasks: 4096,
            ..Limits::default()
        };
        let finished = site.sandbox.run(&plan, b"", monitor)?;
        let root = Root::open(&scratch).map_err(io_error(&scratch))?;
        let tests = written(&root).map(|texts| cut(&texts[0], &texts[1]));
        site.sandbox.remove(&scratch)?;
        if let Some(tests) = tests.filter(|test| !test.is_empty()) {
            return Ok(Ok(tests));
        }
        let said = finished.output.text() + &finished.errors.text();
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        let ending = match finished.ending.end {
            ProgramEnd::Exited(code) => format!("it wrote no test, and ended with code {code}"),
            ProgramEnd::Killed(limit) => format!("it used too much: {}", used(limit)),
            ProgramEnd::Signalled(signal) => format!("it was ended by signal {signal}"),
            ProgramEnd::Stopped | ProgramEnd::NotStarted => "it was ended".to_owned(),
        };
        let reason = format!("{ending}: {}", last.unwrap_or_default().trim());
        Ok(Err(reason.chars().take(REASON_CHARS_MAX).collect()))
    }
}

/// Finds the suite and its scaffolding in a folder. Links and files that are too large are ignored: the project's code
/// ran in there.
pub fn written(root: &Root) -> Option<[String; 2]> {
    let mut found = [None, None];
    let mut open = vec![PathBuf::from("evosuite-tests")];
    while let Some(folder) = open.pop() {
        for (name, kind) in root.entries(&folder).unwrap_or_default() {
            let path = folder.join(name);
            if kind == EntryKind::Folder {
                open.push(path);
                continue;
            }
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let at = usize::from(name.ends_with("_scaffolding"));
            let is_suite = name.trim_end_matches("_scaffolding").ends_with(SUITE);
            if is_suite && kind == EntryKind::File {
                let text = root.read_text(&path, SUITE_BYTES_MAX);
                found[at] = text.ok().or(found[at].take());
            }
        }
    }
    let [suite, scaffolding] = found;
    suite.map(|suite| [suite, scaffolding.unwrap_or_default()])
}

/// A file of one class.
#[derive(Default)]
struct GeneratedSuite {
    class: String,
    /// Where the text behind the package and the imports begins.
    body_start: usize,
    imports: Vec<Span>,
    /// The word that makes the class public.
    public: Option<Span>,
    /// The tests by name, with their declarations.
    tests: Vec<(String, Span)>,
}

/// Cuts a suite into files of one test, each with the scaffolding in it; classes of different files have different
/// names.
fn cut(suite: &str, scaffolding: &str) -> Vec<GeneratedTest> {
    let (unit, around) = (read(suite), read(scaffolding));
    let imports: Vec<&str> = around
        .imports
        .iter()
        .map(|import| import.of(scaffolding))
        .collect();
    let mut rest = scaffolding[around.body_start..].to_owned();
    if let Some(public) = around.public {
        let at = public.start as usize - around.body_start;
        rest.replace_range(at..at + public.of(scaffolding).len(), "");
    }
    let mut cut = Vec::with_capacity(unit.tests.len());
    for (idx, (name, own)) in unit.tests.iter().enumerate() {
        let mut body = String::new();
        let mut at = unit.body_start;
        for (_, other) in unit.tests.iter().filter(|test| test.1 != *own) {
            body += &suite[at..other.start as usize];
            at = other.end as usize;
        }
        body += &suite[at..];
        let head = &suite[..unit.body_start];
        let text = format!("{head}\n{}\n{body}\n{rest}", imports.join("\n"));
        let stem = unit.class.strip_suffix(SUITE).unwrap_or(&unit.class);
        let class = format!("{stem}_{idx}{SUITE}");
        cut.push(GeneratedTest {
            text: text.replace(&unit.class, &class),
            class,
            name: name.clone(),
        });
    }
    cut
}

fn read(text: &str) -> GeneratedSuite {
    let mut unit = GeneratedSuite::default();
    let mut tree = Tree::default();
    Parser::default().parse(Language::Java, text, &mut tree);
    let tree = &tree;
    let span = |n: u32| tree.nodes[n as usize].span;
    let field = |n: u32, name: &str| tree.child_by_field(n, tree.grammar.field(name));
    for node in tree.children(0) {
        match kind(tree, node) {
            "package_declaration" => unit.body_start = span(node).end as usize,
            "import_declaration" => {
                unit.body_start = span(node).end as usize;
                unit.imports.push(span(node));
            }
            "class_declaration" => {
                unit.class =
                    field(node, "name").map_or_else(String::new, |n| span(n).of(text).to_owned());
                let modifiers = tree
                    .children(node)
                    .filter(|child| kind(tree, *child) == "modifiers");
                let mut words = modifiers.flat_map(|modifier| tree.children(modifier));
                unit.public = words.find(|word| kind(tree, *word) == "public").map(span);
                let Some(body) = field(node, "body") else {
                    continue;
                };
                for member in tree.children(body) {
                    let is_test = kind(tree, member) == "method_declaration"
                        && annotations(tree, member)
                            .any(|annotation| is_test(span(annotation).of(text)));
                    if let (true, Some(name)) = (is_test, field(member, "name")) {
                        unit.tests
                            .push((span(name).of(text).to_owned(), span(member)));
                    }
                }
            }
            _ => {}
        }
    }
    unit
}

fn is_test(annotation: &str) -> bool {
    let name = annotation.split('(').next().unwrap_or_default().trim();
    matches!(name, "@Test" | "@org.junit.Test")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_suite_is_cut_into_files_of_one_test_with_its_scaffolding() {
        let suite = "/* EvoSuite */\npackage p;\n\nimport org.junit.Test;\nimport org.evosuite.runtime.EvoRunner;\n\n\
                     @RunWith(EvoRunner.class) public class A_ESTest extends A_ESTest_scaffolding {\n\n  \
                     @Test(timeout = 4000)\n  public void test0() throws Throwable {\n    new A().a();\n  }\n\n  \
                     @Test(timeout = 4000)\n  public void test1() { }\n\n  int helper() { return 0; }\n}\n";
        let scaffolding = "package p;\nimport org.junit.BeforeClass;\n@EvoSuiteClassExclude\n\
                           public class A_ESTest_scaffolding {\n  @BeforeClass public static void begin() { }\n}\n";
        let tests = cut(suite, scaffolding);
        assert_eq!(tests.len(), 2);
        assert_eq!(
            (tests[0].class.as_str(), tests[1].name.as_str()),
            ("A_0_ESTest", "test1")
        );
        expect![[r"
            /* EvoSuite */
            package p;

            import org.junit.Test;
            import org.evosuite.runtime.EvoRunner;
            import org.junit.BeforeClass;


            @RunWith(EvoRunner.class) public class A_1_ESTest extends A_1_ESTest_scaffolding {

              

              @Test(timeout = 4000)
              public void test1() { }

              int helper() { return 0; }
            }


            @EvoSuiteClassExclude
             class A_1_ESTest_scaffolding {
              @BeforeClass public static void begin() { }
            }
        "]]
        .assert_eq(&tests[1].text);
    }

    #[test]
    fn what_is_no_suite_has_no_tests() {
        assert!(cut("", "").is_empty());
        assert!(cut("public class A_ESTest { void a() { } }", "").is_empty());
    }
}
