//! Runs the table of `tests/fixtures/asserts.md`: answers as models write them, honest ones and junk.
//!
//! A heading of the third level ends in `→ asserts`, or in the word that names the reason why nothing can fail. The
//! text between `⟦` and `⟧` is the answer, else the whole text. Behind a line `---` stands the rest of the test's file.

use super::*;

const TABLE: &str = include_str!("../../../tests/fixtures/asserts.md");

struct Case {
    language: Language,
    title: String,
    expected: String,
    text: String,
    rest: String,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for chapter in TABLE.split("\n## ").skip(1) {
        let name = chapter.lines().next().unwrap_or_default();
        let mut all = Language::ALL.iter().copied();
        let language = all.find(|language| crate::dialect(*language).name == name);
        let language = language.expect(name);
        for part in chapter.split("\n### ").skip(1) {
            let (title, code) = part.split_once('\n').expect("a title has a line");
            let (title, expected) = title.split_once(" → ").expect(title);
            let code = code.split("```").nth(1).expect(title);
            let (_, code) = code.split_once('\n').expect("a fence has a line");
            let (text, rest) = code.split_once("\n---\n").unwrap_or((code, ""));
            cases.push(Case {
                language,
                title: title.to_owned(),
                expected: expected.to_owned(),
                text: text.to_owned(),
                rest: rest.to_owned(),
            });
        }
    }
    cases
}

fn path_of(language: Language) -> String {
    let files = &crate::dialect(language).files;
    format!("a.{}", files.extensions[0])
}

fn said(case: &Case) -> String {
    let path = path_of(case.language);
    let (start, end) = (case.text.find('⟦'), case.text.find('⟧'));
    let text = case.text.replace(['⟦', '⟧'], "");
    let marked = start
        .zip(end)
        .map(|(start, end)| Span::new(start as u32, (end - '⟦'.len_utf8()) as u32));
    let whole = TestText::whole(case.language, &path, &text);
    let test = TestText {
        answer: marked.unwrap_or(whole.answer),
        ..whole
    };
    let own = Helpers::of_file(case.language, &path, &case.rest);
    let idle = idle(test, &own, &Helpers::default());
    idle.map_or("asserts", IdleReason::as_str).to_owned()
}

#[test]
fn the_table_of_answers_holds_in_every_language() {
    let mut wrong = String::new();
    let cases = cases();
    for case in &cases {
        let said = said(case);
        if said != case.expected {
            let name = crate::dialect(case.language).name;
            wrong += &format!("{name}: {}: {said}, not {}\n", case.title, case.expected);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    for language in Language::ALL {
        let n_cases = cases
            .iter()
            .filter(|case| case.language == *language)
            .count();
        assert!(n_cases >= 20, "{language:?} has {n_cases}");
    }
}

#[test]
fn helpers_of_the_project_are_known_by_their_names() {
    let test = "@Test void a() { base.checkAll(x); }";
    let mut project = Helpers::default();
    project.add(
        Language::Java,
        "B.java",
        "class Base { void checkAll(int x) { each(x); } void each(int x) { assertEquals(1, x); } }",
    );
    project.settle();
    let test = TestText::whole(Language::Java, "A.java", test);
    assert_eq!(idle(test, &Helpers::default(), &project), None);
    let nothing = Helpers::default();
    assert_eq!(idle(test, &nothing, &nothing), Some(IdleReason::Nothing));
}

#[test]
fn what_is_nested_beyond_all_measure_is_survived() {
    for (language, open, close) in [
        (Language::Java, "if (a) { ", "}"),
        (Language::Java, "f(() -> { ", "});"),
        (Language::Java, "try { ", "} catch (Throwable t) { }"),
        (Language::Go, "if a { ", "}"),
        (Language::JavaScript, "f(() => { ", "});"),
        (Language::CSharp, "{ ", "}"),
    ] {
        let body = format!("{}{}", open.repeat(3_000), close.repeat(3_000));
        let text = match language {
            Language::Go => format!("func TestA(t *testing.T) {{ {body} }}"),
            Language::JavaScript => body,
            _ => format!("void a() {{ {body} }}"),
        };
        let path = path_of(language);
        let test = TestText::whole(language, &path, &text);
        let nothing = Helpers::default();
        assert_eq!(
            idle(test, &nothing, &nothing),
            Some(IdleReason::Nothing),
            "{open}"
        );
    }
    for operator in [" || ", " && ", " + "] {
        let text = format!(
            "void a() {{ assertTrue({}true); }}",
            format!("true{operator}").repeat(20_000)
        );
        let test = TestText::whole(Language::Java, "A.java", &text);
        let nothing = Helpers::default();
        let _survived = idle(test, &nothing, &nothing);
    }
}
