//! Java in words.

use crate::dialect::{
    Assertions, CONSTRUCTING, Dialect, Files, LoneDeclaration, MeraRule, Mocks, Names, WrapperFile,
};
use crate::model::BuildTool;

pub static DIALECT: Dialect = Dialect {
    name: "Java",
    fences: &["java", "java8", "java11", "java17", "junit"],
    mera_fence: "java",
    line_comment: "//",
    lines_end_statements: false,
    files: FILES,
    assertions: ASSERTIONS,
    mocks: MOCKS,
    names: NAMES,
    standard_library: &["java."],
    equality: Some("equals"),
    expects_exception,
    wrap: Some(wrap),
};

const FILES: Files = Files {
    extensions: &["java"],
    // Projects that move from Ant, or that also build with Bazel, keep the files of both; people then call Maven or
    // Gradle.
    build: &[
        ("pom.xml", BuildTool::Maven),
        ("build.gradle", BuildTool::Gradle),
        ("build.gradle.kts", BuildTool::Gradle),
        ("settings.gradle", BuildTool::Gradle),
        ("settings.gradle.kts", BuildTool::Gradle),
        ("build.sbt", BuildTool::Sbt),
        ("MODULE.bazel", BuildTool::Bazel),
        ("WORKSPACE.bazel", BuildTool::Bazel),
        ("WORKSPACE", BuildTool::Bazel),
        ("BUILD.bazel", BuildTool::Bazel),
        ("BUILD", BuildTool::Bazel),
        ("build.xml", BuildTool::Ant),
    ],
    mirrored: &[("src/test", "src/main")],
    ..Dialect::UNTOLD.files
};

const ASSERTIONS: Assertions = Assertions {
    libraries: &[
        "com.google.common.truth",
        "io.restassured",
        "junit.framework",
        "net.javacrumbs.jsonunit",
        "org.assertj",
        "org.easymock",
        "org.fest.assertions",
        "org.fest.assertions.api",
        "org.hamcrest",
        "org.jmock",
        "org.junit",
        "org.mockito",
        "org.opentest4j",
        "org.powermock",
        "org.skyscreamer.jsonassert",
        "org.springframework.test.util.AssertionErrors",
        "org.testng",
        "org.xmlunit",
        "reactor.test",
    ],
    names: &["fail"],
    prefixes: &["assert", "assume", "verify"],
    helpers: &["assert"],
    failing: &["fail"],
    equal: &[
        "assertEquals",
        "assertNotEquals",
        "isEqualTo",
        "isNotEqualTo",
    ],
    throwing: &[
        "assertThrows",
        "assertThrowsExactly",
        "assertThatThrownBy",
        "assertThatCode",
        "isThrownBy",
        "catchThrowable",
        "catchThrowableOfType",
        "catchException",
        "expectThrows",
        "thenThrownBy",
    ],
};

const MOCKS: Mocks = Mocks {
    libraries: &[
        "org.mockito",
        "org.easymock",
        "org.powermock",
        "org.jmock",
        "mockit",
    ],
    stubbing: &[
        "when",
        "given",
        "expect",
        "verify",
        "willReturn",
        "willThrow",
        "doReturn",
        "doThrow",
        "doAnswer",
        "doNothing",
        "doCallRealMethod",
        "should",
        "expectLastCall",
        "verifyStatic",
        "lenient",
    ],
    verifying: &["verify"],
};

const NAMES: Names = Names {
    test_suffixes: &[
        "IntegrationTests",
        "IntegrationTest",
        "UnitTests",
        "UnitTest",
        "TestCase",
        "TestSuite",
        "Tests",
        "Test",
        "ITCase",
        "IT",
        "Spec",
    ],
    file_affixes: &[],
    is_package_tested: false,
    mera: MeraRule::Mirrored,
    test_prefixes: &["Test", "IT"],
    getters: &["get", "is", "has"],
    properties: &["size", "length", "count", "name", "value", "values", "keys"],
    setters: &["set", "add", "with", "put"],
    makers: &[
        "build",
        "builder",
        "create",
        "of",
        "from",
        "new",
        "make",
        "getInstance",
        "instance",
    ],
    closers: &[
        "close",
        "start",
        "stop",
        "init",
        "initialize",
        "shutdown",
        "open",
        "flush",
        "reset",
        "destroy",
        "clear",
        "run",
        "dispose",
    ],
    universal: &[
        ("equals", 1),
        ("compareTo", 1),
        ("hashCode", 0),
        ("toString", 0),
    ],
    constructing: CONSTRUCTING,
};

/// Measures the package part of `pkg.Outer.Inner` in bytes: its names begin in lower case, and the last name is never
/// part of it.
pub fn package_length(class: &str) -> u32 {
    let mut start = 0;
    for part in class.split('.') {
        if part.starts_with(|part: char| !part.is_lowercase()) || start + part.len() == class.len()
        {
            break;
        }
        start += part.len() + 1;
    }
    start.saturating_sub(1) as u32
}

/// Puts a declaration into a class and a package of its own, so that none sees another.
fn wrap(lone_declaration: LoneDeclaration<'_>) -> WrapperFile {
    WrapperFile {
        path: format!("{:08}.java", lone_declaration.number),
        head: format!(
            "package n{}; class {} {{\n",
            lone_declaration.number, lone_declaration.class
        ),
        tail: "\n}\n",
    }
}

/// Tells whether an annotation before a body expects an exception: `@Test(expected = …)` of JUnit 4, or
/// `@Test(expectedExceptions = …)` and `@ExpectedExceptions` of TestNG. A name or a text that says "expected" does not.
fn expects_exception(head: &str) -> bool {
    let head = without_texts(head);
    head.split('@').skip(1).any(|annotation| {
        let end = annotation
            .find(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '_')
            .unwrap_or(annotation.len());
        let (name, rest) = annotation.split_at(end);
        match name.rsplit('.').next().unwrap_or(name) {
            "ExpectedException" | "ExpectedExceptions" => true,
            "Test" => rest.trim_start().strip_prefix('(').is_some_and(|rest| {
                let elements = rest.split(')').next().unwrap_or(rest).split(',');
                elements
                    .filter_map(|element| element.split_once('='))
                    .any(|(name, _)| matches!(name.trim(), "expected" | "expectedExceptions"))
            }),
            _ => false,
        }
    })
}

/// Cuts the texts between double quotes out of code.
fn without_texts(code: &str) -> String {
    let mut kept = String::new();
    let (mut is_text, mut is_escaped) = (false, false);
    for letter in code.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            letter if !is_text => kept.push(letter),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_ends_where_a_name_begins_in_upper_case_or_the_last_begins() {
        assert_eq!(package_length("a.b.Outer.Inner"), 3);
        assert_eq!(package_length("Outer"), 0);
        assert_eq!(package_length("a.b.lower"), 3);
    }

    #[test]
    fn a_library_is_known_by_whole_segments_of_its_package() {
        let is_library = |class| DIALECT.assertions.is_library(class);
        assert!(is_library("org.junit.Assert"));
        assert!(is_library("org.junit.jupiter.api.Assertions"));
        assert!(is_library("junit.framework.TestCase"));
        assert!(!is_library("org.junitpioneer.Foo"));
        assert!(!is_library("java.util.List"));
    }

    #[test]
    fn names_speak_only_for_the_four_families() {
        for name in [
            "assertEquals",
            "assert_that",
            "fail",
            "assumeTrue",
            "verify",
            "verifyNoMoreInteractions",
        ] {
            assert!(DIALECT.assertions.is_name(name), "{name}");
        }
        for name in ["failover", "checkThat", "expect"] {
            assert!(!DIALECT.assertions.is_name(name), "{name}");
        }
    }

    #[test]
    fn only_an_annotation_expects_an_exception() {
        for head in [
            "@Test(expected = E.class) public void t()",
            "@org.junit.Test(timeout = 5, expected=E.class) void t()",
            "@Test(expectedExceptions = {E.class, F.class}) void t()",
            "@Test @ExpectedExceptions(E.class) void t()",
        ] {
            assert!(expects_exception(head), "{head}");
        }
        for head in [
            "@Test void testAddUnexpectedToken()",
            "@ParameterizedTest @CsvSource(\"1, 2\") void t(int expected)",
            "@Test @DisplayName(\"expected = sum\") void t()",
            "@Test(description = \"\\\"expected = 3\") void t()",
            "@Tag(\"expectedException\") void t()",
            "@Test void t() throws Exception",
        ] {
            assert!(!expects_exception(head), "{head}");
        }
    }
}
