//! ATLAS-style parallel text files as samples (Watson et al., "On learning meaningful assert statements for unit test
//! cases", ICSE 2020): a line of `testMethods.txt` is a test with a placeholder for its assertion, then the focal method,
//! and the same line of `assertLines.txt` is that assertion.
//!
//! ```text
//! testInc ( ) { Counter c = new Counter ( ) ; c . inc ( ) ; "<AssertPlaceHolder>" ; } inc ( ) { return ++ n ; }
//! org . junit . Assert . assertEquals ( 1 , c . get ( ) )
//! ```
//!
//! Later datasets of this kind put `"<FocalMethod>"` between the two; that is read too. The assertion goes to its place
//! in the test as the line has it, without the semicolon, so that predictions of such lines compare as they are; setup
//! is the code before it in the test's body.
//!
//! There are no classes, frameworks, projects or files. Classes are `_` (no Java class can be called that), the
//! framework is JUnit 4, all samples are one project, and a sample's place is its line. The dataset's rule (the last
//! method called before the assertion, or the one called in it) is none of our matchers; its samples stand with those
//! of the default matcher, where lists show them by default, with the rule's findings as evidence and the weight 1.

use super::declared::{NO_CLASS, types_of};
use super::rows::{GivenKey, GivenSample, SampleParts};
use super::wrong::DatasetFault;
use crate::exchange::ReadMethod;
use crate::model::{Framework, Language, Matcher, Span, Split, Stage, Status, TestKind};
use crate::syntax;

const PLACEHOLDER: &str = "\"<AssertPlaceHolder>\"";
const FOCAL_MARK: &str = "\"<FocalMethod>\"";

/// Makes the sample of a pair of lines; `file` and `line` say where it lies.
pub(super) fn sample(
    [text, assertion]: [&str; 2],
    place: (&str, u32),
    split: Option<Split>,
) -> Result<GivenSample, DatasetFault> {
    let assertion = assertion.trim();
    if assertion.is_empty() {
        return Err(DatasetFault::line("the assertion is empty"));
    }
    let mut holes = text.match_indices(PLACEHOLDER).map(|(at, _)| at);
    let hole = match (holes.next(), holes.next()) {
        (Some(hole), None) => hole,
        (None, _) => return Err(DatasetFault::line(format!("no `{PLACEHOLDER}`"))),
        (Some(_), Some(_)) => return Err(DatasetFault::line(format!("several `{PLACEHOLDER}`"))),
    };
    let (test, focal) = split_methods(text, hole);
    let body = test.find('{').filter(|at| *at < hole);
    let body =
        body.ok_or_else(|| DatasetFault::line("the test has no body before the placeholder"))?;
    let source = format!(
        "{}{assertion}{}",
        &test[..hole],
        &test[hole + PLACEHOLDER.len()..]
    );
    let inside = &source[body + 1..hole];
    let start = body + 1 + (inside.len() - inside.trim_start().len());
    let end = body + 1 + inside.trim_end().len();
    let method = |source: String| {
        let (name, parameters) = head(&source);
        ReadMethod {
            file: place.0.to_owned(),
            class: NO_CLASS.to_owned(),
            signature: format!("{name}{parameters}"),
            parameters: types_of(&parameters),
            method: name,
            start_line: place.1,
            end_line: place.1,
            source,
        }
    };
    Ok(GivenSample {
        key: GivenKey::OfPlace(format!("{}:{}", place.0, place.1)),
        framework: Framework::JUnit4,
        kind: TestKind::Test,
        parts: SampleParts::Told {
            setup: (start < end).then(|| Span::new(start as u32, end as u32)),
            assertion: Some(Span::new(hole as u32, (hole + assertion.len()) as u32)),
        },
        test: method(source),
        fixtures: Vec::new(),
        focal: (!focal.is_empty()).then(|| method(focal.to_owned())),
        setup_context: Vec::new(),
        focal_context: Vec::new(),
        flags: None,
        matcher: Matcher::DEFAULT,
        decided: (!focal.is_empty()).then_some((Stage::Evidence, 1.0)),
        unmapped: Status::NoCandidate,
        candidates: Vec::new(),
        split,
        project_split: None,
        prefix: "void ",
    })
}

/// Splits a line into test and focal method: at the mark, else where the braces that the test opens are closed. Where
/// they never are, the test ends with the closing braces that follow the placeholder.
fn split_methods(text: &str, hole: usize) -> (&str, &str) {
    if let Some((test, focal)) = text.split_once(FOCAL_MARK)
        && hole < test.len()
    {
        return (test.trim_end(), focal.trim());
    }
    let mut n_open = 0_usize;
    let mut end = None;
    for token in syntax::tokens(Language::Java, text) {
        match token.of(text) {
            "{" => n_open += 1,
            "}" => n_open = n_open.saturating_sub(1),
            _ => continue,
        }
        if n_open == 0 {
            end = Some(token.end as usize);
            break;
        }
    }
    let end = end.filter(|end| *end > hole).unwrap_or_else(|| {
        let after = hole + PLACEHOLDER.len();
        let rest = text[after..].trim_start_matches([' ', ';', '}']);
        text.len() - rest.len()
    });
    (text[..end].trim_end(), text[end..].trim())
}

/// Splits `name ( types ) { … }` into name and parameters.
fn head(source: &str) -> (String, String) {
    let before_body = source.split('{').next().unwrap_or(source);
    let (name, parameters) = match before_body.split_once('(') {
        Some((name, parameters)) => (name, format!("({parameters}")),
        None => (before_body, "()".to_owned()),
    };
    // Words before the name are modifiers or a type, where a dataset keeps them.
    let name = name.split_whitespace().next_back().unwrap_or(NO_CLASS);
    let words: Vec<&str> = parameters.split_whitespace().collect();
    (name.to_owned(), words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str, Option<&str>), &str>) {
        let given = sample([text, "assertTrue ( x )"], ("t", 1), None);
        let seen = match &given {
            Ok(given) => {
                let SampleParts::Told { setup, assertion } = given.parts else {
                    panic!("ATLAS tells its parts");
                };
                let source = &given.test.source;
                assert_eq!(
                    assertion.map(|span| span.of(source)),
                    Some("assertTrue ( x )"),
                    "{text}"
                );
                let setup = setup.map_or("", |span| span.of(source));
                let focal = given
                    .focal
                    .as_ref()
                    .map(|read_method| read_method.method.as_str());
                Ok((given.test.method.as_str(), setup, focal))
            }
            Err(wrong) => Err(wrong.detail.as_str()),
        };
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn a_line_is_parted_into_test_and_focal_method() {
        check(
            r#"testA ( ) { a ( ) ; "<AssertPlaceHolder>" ; } a ( int ) { return "}" ; }"#,
            Ok(("testA", "a ( ) ;", Some("a"))),
        );
        check(
            r#"testA ( ) { try { a ( ) ; "<AssertPlaceHolder>" ; } finally { b ( ) ; } } a ( ) { }"#,
            Ok(("testA", "try { a ( ) ;", Some("a"))),
        );
        check(
            r#"public void testA() { "<AssertPlaceHolder>"; } "<FocalMethod>" public int a(int b) { }"#,
            Ok(("testA", "", Some("a"))),
        );
        check(
            r#"testA ( ) { { a ( "{" ) ; "<AssertPlaceHolder>" ; } a ( ) { }"#,
            Ok(("testA", "{ a ( \"{\" ) ;", Some("a"))),
        );
        check(
            r#"testA ( ) { "<AssertPlaceHolder>" ; }"#,
            Ok(("testA", "", None)),
        );
    }

    #[test]
    fn a_line_without_one_place_for_the_assertion_is_refused() {
        check("testA ( ) { }", Err("no `\"<AssertPlaceHolder>\"`"));
        check(
            r#"a ( ) { "<AssertPlaceHolder>" ; "<AssertPlaceHolder>" ; }"#,
            Err("several `\"<AssertPlaceHolder>\"`"),
        );
        check(
            r#""<AssertPlaceHolder>" ; { }"#,
            Err("the test has no body before the placeholder"),
        );
        check("", Err("no `\"<AssertPlaceHolder>\"`"));
    }
}
