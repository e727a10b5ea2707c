//! Finds tests (MINING.md rule 1), the methods that run before them (rule 18), and the files of test code (rule 2).

mod flags;

use crate::run::Run;
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::flags::flags;
use super::facts::{MethodKind, Name, TypeKind, flag};
use super::project::{FileType, JavaFile, JavaProject, OnDemandImport};
use super::types::{ClassId, MemberId, Ty};
use crate::methods::TestMark;
use crate::model::{FileId, Framework, Method, MethodId, TestKind};
use crate::places::{folder_of, role};

const FIXTURES: &[&str] = &[
    "Before",
    "BeforeAll",
    "BeforeClass",
    "BeforeEach",
    "BeforeGroups",
    "BeforeMethod",
    "BeforeSuite",
    "BeforeTest",
];

/// Annotations that make a method of a TestNG class something other than a test.
const NO_TESTS: &[&str] = &[
    "AfterClass",
    "AfterGroups",
    "AfterMethod",
    "AfterSuite",
    "AfterTest",
    "DataProvider",
    "Factory",
    "Ignore",
];

/// Finds the tests, and assigns every file and its methods to main or test code.
pub fn mark_tests(project: &mut JavaProject, methods: &mut [Method]) {
    let n_members = methods.len();
    let mut tests = Vec::new();
    for index in 0..n_members {
        let member = MemberId(index as u32);
        if let Some(mark) = mark_of(project, member) {
            tests.push((MethodId(index as u32), mark));
        }
    }
    let mut has_test = vec![false; project.files.len()];
    for (test, _) in &tests {
        has_test[methods[test.0 as usize].file.0 as usize] = true;
    }
    project.roles = project
        .files
        .iter()
        .zip(&has_test)
        .map(|(file, &has_test)| {
            role(has_test || is_test_path(&file.facts.path, &package_of(project, file)))
        })
        .collect();
    for method in methods {
        method.role = project.roles[method.file.0 as usize];
    }
    project.tests = tests;
}

fn package_of(project: &JavaProject, file: &JavaFile) -> String {
    project.word(file.package).replace('.', "/")
}

/// Tells whether a path lies under a test source root; the folders of the package itself do not count.
fn is_test_path(path: &str, package: &str) -> bool {
    let folder = folder_of(path);
    let root = folder
        .strip_suffix(package)
        .filter(|root| root.is_empty() || root.ends_with('/'))
        .unwrap_or(folder);
    let parts: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
    if parts.windows(2).any(|pair| pair == ["src", "main"]) {
        return false;
    }
    let is_source_set = parts.windows(2).any(|pair| {
        pair[0] == "src"
            && (matches!(
                pair[1],
                "test" | "it" | "jmh" | "testFixtures" | "integrationTest" | "androidTest"
            ) || pair[1].ends_with("Test")
                || pair[1].ends_with("Tests"))
    });
    is_source_set
        || parts.iter().any(|part| {
            matches!(*part, "test" | "tests" | "testlib")
                || part.ends_with("-test")
                || part.ends_with("-tests")
        })
}

fn mark_of(project: &JavaProject, id: MemberId) -> Option<TestMark> {
    let (file_id, decl) = project.method_decl(id)?;
    if decl.kind != MethodKind::Method || decl.body.is_none() {
        return None;
    }
    let file = project.file(file_id);
    for &name in &file.facts.annotations[decl.annotations.range()] {
        let simple = simple_name(file.facts.names.get(name));
        if let Some(kind) = kind_of(simple) {
            let framework = framework_of(project, file_id, name, simple);
            return Some(TestMark::new(framework, kind));
        }
    }
    let member = project.member(id);
    let name = file.facts.names.get(decl.name);
    if name.starts_with("test")
        && member.is(flag::PUBLIC)
        && !member.is(flag::STATIC | flag::ABSTRACT)
        && member.params.is_empty()
        && matches!(member.result, Ty::Void)
        && is_junit3(project, member.owner)
    {
        return Some(TestMark::new(Framework::JUnit3, TestKind::Named));
    }
    let (_, owner) = project.type_decl(member.owner)?;
    let is_by_class = member.is(flag::PUBLIC)
        && !member.is(flag::STATIC)
        && matches!(member.result, Ty::Void)
        && owner.kind == TypeKind::Class
        && annotated(file, owner.annotations, &["Test"])
            .is_some_and(|name| framework_of(project, file_id, name, "Test") == Framework::TestNg)
        && annotated(file, decl.annotations, FIXTURES).is_none()
        && annotated(file, decl.annotations, NO_TESTS).is_none();
    is_by_class.then_some(TestMark::new(Framework::TestNg, TestKind::ByClass))
}

fn simple_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn annotated(file: &JavaFile, annotations: Run, words: &[&str]) -> Option<Name> {
    file.facts.annotations[annotations.range()]
        .iter()
        .copied()
        .find(|&name| words.contains(&simple_name(file.facts.names.get(name))))
}

fn kind_of(annotation: &str) -> Option<TestKind> {
    Some(match annotation {
        "Test" => TestKind::Test,
        "ParameterizedTest" => TestKind::ParameterizedTest,
        "RepeatedTest" => TestKind::RepeatedTest,
        "TestTemplate" => TestKind::TestTemplate,
        "TestFactory" => TestKind::TestFactory,
        "Theory" => TestKind::Theory,
        _ => return None,
    })
}

/// Tells the framework of an annotation: by its full name, else by the imports.
fn framework_of(project: &JavaProject, id: FileId, name: Name, simple: &str) -> Framework {
    let path = path_of(project, id, name);
    path.and_then(|path| framework_of_path(&path))
        .unwrap_or_else(|| framework_by_imports(project, project.file(id), simple))
}

/// Resolves an annotation to its full name; nothing where it is imported on demand from a package that is not known.
fn path_of(project: &JavaProject, id: FileId, name: Name) -> Option<String> {
    let file = project.file(id);
    let written = file.facts.names.get(name);
    if written.contains('.') {
        return Some(written.to_owned());
    }
    let found = project.file_type(file.syms[name.0 as usize], None, id)?;
    Some(project.name_of(&found))
}

fn framework_of_path(path: &str) -> Option<Framework> {
    if path.starts_with("org.junit.jupiter.") || path.starts_with("org.junitpioneer.") {
        Some(Framework::JUnit5)
    } else if path.starts_with("org.junit.") {
        Some(Framework::JUnit4)
    } else if path.starts_with("org.testng.") {
        Some(Framework::TestNg)
    } else {
        None
    }
}

/// Guesses from imports on demand, then from any import of a framework, then from the annotation's name: all but `Test`
/// and `Theory` are JUnit 5's own.
fn framework_by_imports(project: &JavaProject, file: &JavaFile, simple: &str) -> Framework {
    let demanded = file.demands.iter().find_map(|demand| match demand {
        OnDemandImport::Package(_, path) => framework_of_path(&format!("{path}.")),
        OnDemandImport::Class(_) => None,
    });
    let imported = || {
        file.singles
            .iter()
            .chain(&file.static_singles)
            .map(|(_, found)| found)
            .chain(&file.static_demands)
            .find_map(|found| match found {
                FileType::Missing(path) => framework_of_path(path),
                FileType::Class(class) => framework_of_path(&project.class(*class).qualified),
            })
    };
    demanded.or_else(imported).unwrap_or(match simple {
        "Test" | "Theory" => Framework::JUnit4,
        _ => Framework::JUnit5,
    })
}

/// Tells whether a class is below JUnit 3's `TestCase`.
fn is_junit3(project: &JavaProject, class: ClassId) -> bool {
    project.ancestors(class).iter().any(|&ancestor| {
        let class = project.class(ancestor);
        &*class.qualified == "junit.framework.TestCase"
            || class.supers.iter().any(|parent| {
                matches!(parent, Ty::Missing(name)
                    if matches!(&**name, "junit.framework.TestCase" | "TestCase"))
            })
    })
}

/// Lists the methods that run before a test: superclasses first, and the classes around a `@Nested` one before it.
pub fn fixtures(project: &JavaProject, test: MethodId) -> Vec<MethodId> {
    let mut chain = Vec::new();
    let mut next = Some(project.member(MemberId(test.0)).owner);
    while let Some(class) = next {
        chain.push(class);
        let Some((file, decl)) = project.type_decl(class) else {
            break;
        };
        let is_nested = annotated(file, decl.annotations, &["Nested"]).is_some();
        next = project.class(class).outer.filter(|_| is_nested);
    }
    let mut found = Vec::new();
    for class in chain.into_iter().rev() {
        for &class in project.ancestors(class).iter().rev() {
            found.extend(own_fixtures(project, class));
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|&method| seen.insert(method));
    found
}

/// Lists the fixtures that a class declares, in order. Those of all classes are collected at once: every test asks.
fn own_fixtures(project: &JavaProject, class: ClassId) -> &[MethodId] {
    let by_class = project.fixtures.get_or_init(|| {
        let mut by_class: FxHashMap<ClassId, Vec<MethodId>> = FxHashMap::default();
        for id in (0..project.methods.len() as u32).map(MemberId) {
            if is_fixture(project, id) {
                let owner = project.member(id).owner;
                by_class.entry(owner).or_default().push(MethodId(id.0));
            }
        }
        by_class
    });
    by_class.get(&class).map_or(&[], Vec::as_slice)
}

fn is_fixture(project: &JavaProject, id: MemberId) -> bool {
    let Some((file_id, decl)) = project.method_decl(id) else {
        return false;
    };
    let file = project.file(file_id);
    if decl.body.is_none() {
        return false;
    }
    if annotated(file, decl.annotations, FIXTURES).is_some() {
        return true;
    }
    let member = project.member(id);
    file.facts.names.get(decl.name) == "setUp"
        && member.params.is_empty()
        && is_junit3(project, member.owner)
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    fn check(path: &str, package: &str, expected: bool) {
        assert_eq!(is_test_path(path, package), expected, "{path}");
    }

    #[test]
    fn a_test_source_root_makes_test_code() {
        check("src/test/java/p/A.java", "p", true);
        check("core/src/it/java/p/A.java", "p", true);
        check("core/src/integrationTest/java/p/A.java", "p", true);
        check("tests/p/A.java", "p", true);
        check("core-tests/src/p/A.java", "p", true);
    }

    #[test]
    fn main_source_roots_and_package_folders_do_not() {
        check("src/main/java/p/A.java", "p", false);
        check("my-test/src/main/java/p/A.java", "p", false);
        check("src/java/org/p/test/A.java", "org/p/test", false);
        check("A.java", "", false);
    }
}
