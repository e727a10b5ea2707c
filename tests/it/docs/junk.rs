//! The table of meaningless answers in five languages: how each is read, with the same outcome in all languages.

use focalist::metric::scorer::{Scorer, Settings};
use focalist::model::{Language, Span};
use focalist::syntax::asserts::{Helpers, TestText, idle};
use focalist::syntax::place::in_place;

/// A kind of answer, and an example in Java, Python, Go, JavaScript and C#; empty where the language has none.
type Row = (&'static str, [Option<&'static str>; 5]);

const ROWS: &[Row] = &[
    (
        "an assertion",
        [
            Some("assertEquals(3, counter.add(3));"),
            Some("assert counter.add(3) == 3"),
            Some("if counter.Add(3) != 3 { t.Fatal() }"),
            Some("expect(counter.add(3)).toBe(3);"),
            Some("Assert.Equal(3, counter.Add(3));"),
        ],
    ),
    ("a refusal", [Some("I'm sorry, I cannot help."); 5]),
    (
        "broken off",
        [
            Some("int x ="),
            Some("x ="),
            Some("x :="),
            Some("let x ="),
            Some("int x ="),
        ],
    ),
    (
        "a comment",
        [
            Some("// it adds"),
            Some("# it adds"),
            Some("// it adds"),
            Some("// it adds"),
            Some("// it adds"),
        ],
    ),
    ("nothing", [Some(""); 5]),
    (
        "a bare call",
        [
            Some("counter.add(3);"),
            Some("counter.add(3)"),
            Some("counter.Add(3)"),
            Some("counter.add(3);"),
            Some("counter.Add(3);"),
        ],
    ),
    (
        "constants",
        [
            Some("assertTrue(true);"),
            Some("assert True"),
            Some("if 1 != 1 { t.Fatal() }"),
            Some("expect(true).toBe(true);"),
            Some("Assert.True(true);"),
        ],
    ),
    (
        "against itself",
        [
            Some("int x = counter.add(3); assertEquals(x, x);"),
            Some("x = counter.add(3); assert x == x"),
            Some("x := counter.Add(3); if x != x { t.Fatal() }"),
            Some("const x = counter.add(3); expect(x).toBe(x);"),
            Some("var x = counter.Add(3); Assert.Equal(x, x);"),
        ],
    ),
    (
        "swallowed",
        [
            Some("try { assertEquals(4, counter.add(3)); } catch (Throwable t) { }"),
            Some("with suppress(AssertionError): assert counter.add(3) == 4"),
            None,
            Some("try { expect(counter.add(3)).toBe(4); } catch (e) { }"),
            Some("try { Assert.Equal(4, counter.Add(3)); } catch { }"),
        ],
    ),
    (
        "not reached",
        [
            Some("if (false) { assertEquals(4, counter.add(3)); }"),
            Some("if False: assert counter.add(3) == 4"),
            Some("if false { t.Fatal() }"),
            Some("if (false) { expect(counter.add(3)).toBe(4); }"),
            Some("if (false) { Assert.Equal(4, counter.Add(3)); }"),
        ],
    ),
    (
        "never called",
        [
            Some("Runnable it = () -> assertEquals(4, counter.add(3));"),
            Some("def check(): assert counter.add(3) == 4"),
            Some("check := func() { t.Fatal() }; _ = check"),
            Some("const check = () => { expect(counter.add(3)).toBe(4); };"),
            Some("void Check() { Assert.Equal(4, counter.Add(3)); }"),
        ],
    ),
];

/// Returns a test with a placeholder for an answer, and the name of its file.
const fn test_of(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Java => ("ATest.java", "@Test public void a() {\n    ANSWER\n}"),
        Language::Python => ("test_a.py", "def test_a(counter):\n    ANSWER\n"),
        Language::Go => ("a_test.go", "func TestA(t *testing.T) {\n\tANSWER\n}"),
        Language::JavaScript => ("a.test.js", "it('a', () => {\n  ANSWER\n});"),
        Language::CSharp => ("ATest.cs", "[Fact] public void A()\n{\n    ANSWER\n}"),
    }
}

/// Returns the result for an answer that passes.
fn outcome(language: Language, answer: &str) -> String {
    let settings = Settings::new(language, Vec::new());
    let score = Scorer::new(&settings).score(&["check();"], answer);
    if score.syntax_error.is_some() {
        return "`unparsable`".to_owned();
    }
    let (path, test) = test_of(language);
    let start = test.find("ANSWER").expect("there is a place") as u32;
    let place = Span::new(start, start + "ANSWER".len() as u32);
    let (text, answer) = in_place(language, test, Some(place), answer);
    let test = TestText {
        language,
        path,
        text: &text,
        answer,
    };
    let none = Helpers::default();
    match idle(test, &none, &none) {
        Some(_) => "`passing`, no assertion".to_owned(),
        None => "`correct`".to_owned(),
    }
}

/// Returns the table.
///
/// # Panics
/// When an answer does not have the same result in all languages.
pub fn table() -> String {
    let languages = [
        Language::Java,
        Language::Python,
        Language::Go,
        Language::JavaScript,
        Language::CSharp,
    ];
    let mut text =
        "| answer | Java | Python | Go | JavaScript | C# | outcome |\n| --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for (what, answers) in ROWS {
        let told = languages.iter().zip(answers);
        let told: Vec<(Language, &str)> = told
            .filter_map(|(language, answer)| answer.map(|answer| (*language, answer)))
            .collect();
        let first = outcome(told[0].0, told[0].1);
        for (language, answer) in &told {
            let found = outcome(*language, answer);
            assert_eq!(found, first, "{what}: {language:?}: {answer}");
        }
        let cells = answers.iter().map(|answer| match answer {
            Some("") | None => String::new(),
            Some(answer) => format!("`{answer}`"),
        });
        let cells: Vec<String> = cells.collect();
        text += &format!("| {what} | {} | {first} |\n", cells.join(" | "));
    }
    text
}
