//! The chapters of `tests/fixtures/mera`: a file with marked tests, and the context of one of them.

use std::path::Path;

use expect_test::expect_file;

use super::*;

fn chapters(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/mera")
        .join(format!("{name}.md"));
    std::fs::read_to_string(path).expect("the fixture is there")
}

/// Splits a marked text into the text, the tests that are marked, and the one that is asked for.
fn unmarked(marked: &str) -> (String, Vec<Span>, Span) {
    let (mut text, mut tests) = (String::new(), Vec::new());
    let mut asked = Span::default();
    let mut start = None;
    let mut signs = marked.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '⟦' => {
                let is_asked = signs.next_if_eq(&'!').is_some();
                start = Some((text.len() as u32, is_asked));
            }
            '⟧' => {
                let (start, is_asked) = start.take().expect("what ends has begun");
                let span = Span::new(start, text.len() as u32);
                tests.push(span);
                if is_asked {
                    asked = span;
                }
            }
            sign => text.push(sign),
        }
    }
    (text, tests, asked)
}

/// Fills the expected answers of the chapters with the found ones.
fn answered(language: Language, chapters: &str) -> String {
    let mut answered = String::new();
    let mut rest = chapters;
    while let Some((before, source)) = rest.split_once("```source ") {
        let (path, source) = source.split_once('\n').expect("a block has a first line");
        let (source, after) = source.split_once("\n```\n").expect("a block ends");
        let (prose, expected) = after
            .split_once("```expected\n")
            .expect("each source has its context");
        let (_, next) = expected.split_once("```\n").expect("a block ends");
        let (text, tests, asked) = unmarked(source);
        let file = TestFile {
            language,
            path,
            text: &text,
            tests: &tests,
        };
        let found = test_context(file, asked);
        answered.push_str(&format!(
            "{before}```source {path}\n{source}\n```\n{prose}```expected\n{found}\n```\n"
        ));
        rest = next;
    }
    answered + rest
}

fn check(language: Language, name: &str) {
    let path = format!("../../../tests/fixtures/mera/{name}.md");
    expect_file![path].assert_eq(&answered(language, &chapters(name)));
}

#[test]
fn python_keeps_imports_code_and_signatures() {
    check(Language::Python, "python");
}

#[test]
fn go_keeps_declarations_and_signatures() {
    check(Language::Go, "go");
}

#[test]
fn java_keeps_the_class_without_tests_and_comments() {
    check(Language::Java, "java");
}

#[test]
fn javascript_keeps_the_groups_around_the_test() {
    check(Language::JavaScript, "javascript");
}

#[test]
fn csharp_keeps_the_class_without_its_tests() {
    check(Language::CSharp, "csharp");
}

#[test]
fn broken_and_hostile_files_give_something_and_end() {
    let deep = "describe('a', () => {".repeat(5_000);
    let deep_python = "class A:\n".repeat(100) + "    def test_a(): pass";
    for language in Language::ALL {
        for text in [
            "",
            "}{)(",
            "\u{feff}é\0",
            &deep,
            &deep_python,
            &"(".repeat(100_000),
        ] {
            let whole = Span::new(0, text.len() as u32);
            let tests = [Span::new(0, 1), whole, Span::new(3, 2_000_000)];
            for test in tests {
                let file = TestFile {
                    language: *language,
                    path: "a",
                    text,
                    tests: &tests,
                };
                let _any = test_context(file, test);
                let _any = Faults::of(*language, "a", text).spare(test);
            }
        }
    }
}

#[test]
fn errors_elsewhere_in_the_file_are_nothing_to_a_test() {
    let check = |language, path: &str, marked: &str, expected: bool| {
        let (text, _, asked) = unmarked(marked);
        let is_sound = Faults::of(language, path, &text).spare(asked);
        assert_eq!(is_sound, expected, "{marked}");
    };
    check(
        Language::Go,
        "a_test.go",
        "package a\n⟦!func TestA() {}⟧\nfunc (",
        true,
    );
    check(
        Language::Go,
        "a_test.go",
        "package a\n⟦!func TestA() { x := }⟧\n",
        false,
    );
    check(
        Language::JavaScript,
        "a.ts",
        "⟦!it('a', () => { let a: A<B> = f as A<B>; });⟧",
        true,
    );
    check(
        Language::JavaScript,
        "a.js",
        "⟦!it('a', () => { let a: A = 1; });⟧",
        true,
    );
    check(
        Language::JavaScript,
        "a.js",
        "⟦!it('a', () => { let = ; });⟧",
        false,
    );
    check(
        Language::Python,
        "a.py",
        "⟦!def test_a():\n    x = (1\n⟧",
        false,
    );
    check(
        Language::CSharp,
        "A.cs",
        "class A { ⟦![Fact] void B() { C() }⟧ }",
        false,
    );
}
