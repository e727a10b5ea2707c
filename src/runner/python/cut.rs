//! A test file without its other tests: what one test function needs, byte for byte.
//!
//! The lines of all other test functions go, and of classes that have tests of their own. Tests that the rest names
//! stay, as they serve as helpers and base classes.

use std::collections::BTreeSet;

use super::facts::{FileFacts, FunctionFacts};

/// The part of a file that is kept for one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestExcerpt {
    pub text: String,
    /// First and last line of the test in the text, from 1; `None` where it was left out, too.
    pub at: Option<(u32, u32)>,
    /// Whether the test behaves the same when it is run alone in its whole file: pytest finds nothing else there that
    /// could run, and the text names nothing that was cut.
    pub is_lone: bool,
}

/// Tells whether a function is a test: pytest has collected it, or it is named like one, in classes named like ones of
/// tests, and is not a fixture.
#[must_use]
pub fn is_test(function: &FunctionFacts, collected: &BTreeSet<String>) -> bool {
    if collected.contains(&function.id) {
        return true;
    }
    let is_class_of_tests = function.nesting.iter().all(|text| text.starts_with("Test"));
    function.name.starts_with("test") && !function.is_fixture && is_class_of_tests
}

/// Cuts a file down to one test, named as in `Class::test`; nothing where the file has no such function, as for
/// tests that a class inherits. With no name all tests go.
#[must_use]
pub fn cut(
    text: &str,
    facts: &FileFacts,
    collected: &BTreeSet<String>,
    id: Option<&str>,
) -> Option<TestExcerpt> {
    let is_it = |function_facts: &FunctionFacts| Some(function_facts.id.as_str()) == id;
    let own: Vec<&FunctionFacts> = facts
        .functions
        .iter()
        .filter(|function| is_it(function))
        .collect();
    if id.is_some() && own.is_empty() {
        return None;
    }
    let tests: Vec<&FunctionFacts> = facts
        .functions
        .iter()
        .filter(|function| is_test(function, collected) && !is_it(function))
        .collect();
    let mut kept = kept_names(facts, &tests, &own);
    // Where pytest runs a test only in classes that inherit it, these stay, without tests of their own.
    let is_elsewhere = id.is_some_and(|text| !collected.contains(text));
    let heirs = own.iter().filter(|_| is_elsewhere);
    kept.extend(heirs.flat_map(|heir| heirs_of(facts, heir)));
    let mut gone: Vec<(u32, u32)> = Vec::new();
    for class in &facts.classes {
        let is_inside = |function_facts: &&FunctionFacts| {
            function_facts.first >= class.first && function_facts.last <= class.last
        };
        let has_tests = tests.iter().any(is_inside);
        if has_tests && !own.iter().any(is_inside) && !kept.contains(class.name.as_str()) {
            gone.push((class.first, class.last));
        }
    }
    gone.extend(
        tests
            .iter()
            .filter(|test| !kept.contains(test.name.as_str()))
            .map(|test| (test.first, test.last)),
    );
    let is_gone = |line: u32| gone.iter().any(|pair| (pair.0..=pair.1).contains(&line));
    // A body needs a statement, so an emptied one gets one.
    let empty: Vec<(u32, u32)> = facts
        .bodies
        .iter()
        .filter(|body| {
            body.column > 0
                && !body.parts.is_empty()
                && body.parts.iter().all(|part| is_gone(part.0))
        })
        .map(|body| (body.parts[0].0, body.column))
        .collect();
    let mut left = String::with_capacity(text.len());
    let (mut n_left, mut first, mut last) = (0, None, None);
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let stand_in = empty.iter().find(|pair| pair.0 == number);
        // A body inside a class that was cut is gone with it.
        let is_inner = |column: u32| {
            facts.classes.iter().any(|class| {
                class.first < number && number <= class.last && is_gone(class.first) && column > 0
            })
        };
        if let Some((_, column)) = stand_in.filter(|stand_in| !is_inner(stand_in.1)) {
            left.push_str(&" ".repeat(*column as usize));
            left.push_str("pass\n");
            n_left += 1;
        }
        if is_gone(number) {
            continue;
        }
        left.push_str(line);
        n_left += 1;
        if own
            .iter()
            .any(|function_facts| (function_facts.first..=function_facts.last).contains(&number))
        {
            first = first.or(Some(n_left));
            last = Some(n_left);
        }
    }
    let is_own = id.is_some_and(|text| collected.contains(text)) && own.len() == 1;
    Some(TestExcerpt {
        is_lone: is_own
            && heirs_of(facts, own[0]).is_empty()
            && names_none(&left, &tests)
            && are_declared(collected, facts),
        text: left,
        at: first.zip(last),
    })
}

/// Tells whether a text mentions no test by name.
fn names_none(text: &str, tests: &[&FunctionFacts]) -> bool {
    let words: BTreeSet<&str> = text
        .split(|text: char| !text.is_alphanumeric() && text != '_')
        .collect();
    !tests.iter().any(|test| words.contains(test.name.as_str()))
}

/// Tells whether all tests that pytest finds in a file are declared there: none is inherited, imported or made.
fn are_declared(collected: &BTreeSet<String>, facts: &FileFacts) -> bool {
    let declared: BTreeSet<&str> = facts
        .functions
        .iter()
        .map(|function| function.id.as_str())
        .collect();
    collected
        .iter()
        .all(|text| declared.contains(text.as_str()))
}

/// Finds the classes of a file that derive from the class of a test.
fn heirs_of<'f>(facts: &'f FileFacts, test: &'f FunctionFacts) -> BTreeSet<&'f str> {
    let mut above: BTreeSet<&str> = test
        .nesting
        .last()
        .map(String::as_str)
        .into_iter()
        .collect();
    let mut found = BTreeSet::new();
    loop {
        let n_before = found.len();
        for class in &facts.classes {
            if class.names.iter().any(|name| above.contains(name.as_str())) {
                found.insert(class.name.as_str());
                above.insert(class.name.as_str());
            }
        }
        if found.len() == n_before {
            return found;
        }
    }
}

/// Finds the names of tests and of their classes that the kept part names, also through each other.
fn kept_names<'f>(
    facts: &'f FileFacts,
    tests: &[&'f FunctionFacts],
    own: &[&'f FunctionFacts],
) -> BTreeSet<&'f str> {
    let mut named: BTreeSet<&str> = facts
        .statements
        .iter()
        .flat_map(|statement| statement.names.iter().map(String::as_str))
        .collect();
    let is_other_test = |function_facts: &FunctionFacts| {
        tests.iter().any(|test| std::ptr::eq(*test, function_facts))
    };
    for function in facts
        .functions
        .iter()
        .filter(|function| !is_other_test(function))
    {
        named.extend(function.names.iter().map(String::as_str));
    }
    let holds_test = |first: u32, last: u32| {
        tests
            .iter()
            .any(|test| test.first >= first && test.last <= last)
    };
    let holds_own = |first: u32, last: u32| {
        own.iter()
            .any(|function_facts| function_facts.first >= first && function_facts.last <= last)
    };
    let mut kept = BTreeSet::new();
    loop {
        let n_before = (kept.len(), named.len());
        for class in &facts.classes {
            let stays = !holds_test(class.first, class.last) || holds_own(class.first, class.last);
            if stays || named.contains(class.name.as_str()) {
                kept.insert(class.name.as_str());
                named.extend(class.names.iter().map(String::as_str));
            }
        }
        for test in tests {
            // A method with such a name is not meant: only top-level functions serve as helpers.
            let is_helper = test.nesting.is_empty() && named.contains(test.name.as_str());
            if is_helper && kept.insert(test.name.as_str()) {
                named.extend(test.names.iter().map(String::as_str));
            }
        }
        if (kept.len(), named.len()) == n_before {
            return kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(id: &str, first: u32, last: u32, names: &[&str]) -> FunctionFacts {
        let mut nesting: Vec<String> = id.split("::").map(str::to_owned).collect();
        let name = nesting.pop().unwrap_or_default();
        FunctionFacts {
            id: id.to_owned(),
            column: 4 * nesting.len() as u32,
            name,
            nesting,
            first,
            last,
            is_fixture: false,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    const TEXT: &str = "import p\n\ndef test_a():\n    p.a()\n\n@mark\ndef test_b():\n    test_a()\n\nclass TestC:\n    def test_d(self):\n        pass\n\ndef test_e(): pass\n";

    fn facts() -> FileFacts {
        FileFacts {
            functions: vec![
                function("test_a", 3, 4, &["p"]),
                function("test_b", 6, 8, &["test_a", "mark"]),
                function("TestC::test_d", 11, 12, &[]),
                function("test_e", 14, 14, &[]),
            ],
            classes: vec![super::super::facts::ClassFacts {
                id: "TestC".to_owned(),
                name: "TestC".to_owned(),
                first: 10,
                last: 12,
                ..Default::default()
            }],
            bodies: vec![super::super::facts::BodyFacts {
                column: 4,
                parts: vec![(11, 12)],
            }],
            ..FileFacts::default()
        }
    }

    fn check(id: Option<&str>, expected: &str, at: Option<(u32, u32)>) {
        let cut = cut(TEXT, &facts(), &BTreeSet::new(), id).expect("there is such a test");
        assert_eq!((cut.text.as_str(), cut.at), (expected, at));
    }

    #[test]
    fn a_test_is_alone_where_pytest_finds_nothing_else() {
        let check = |facts: &FileFacts, collected: &[&str], id: &str, expected| {
            let collected = collected
                .iter()
                .map(|collected| (*collected).to_owned())
                .collect();
            let cut = cut(TEXT, facts, &collected, Some(id)).expect("there is such a test");
            assert_eq!(cut.is_lone, expected, "{id} {collected:?}");
        };
        let all = ["test_a", "test_b", "TestC::test_d", "test_e"];
        check(&facts(), &all, "test_e", true);
        check(&facts(), &all, "TestC::test_d", true);
        // This test names another one.
        check(&facts(), &all, "test_b", false);
        // Another test is generated.
        check(&facts(), &["test_e", "test_made"], "test_e", false);
        // Pytest does not collect it.
        check(&facts(), &all[..3], "test_e", false);
        let mut inherited = facts();
        inherited.classes.push(super::super::facts::ClassFacts {
            name: "TestF".to_owned(),
            first: 13,
            last: 13,
            names: vec!["TestC".to_owned()],
            ..Default::default()
        });
        check(&inherited, &all, "TestC::test_d", false);
        check(&inherited, &all, "test_e", true);
    }

    #[test]
    fn other_tests_go_and_what_is_named_stays() {
        check(
            Some("test_e"),
            "import p\n\n\n\n\ndef test_e(): pass\n",
            Some((6, 6)),
        );
        check(
            Some("test_b"),
            "import p\n\ndef test_a():\n    p.a()\n\n@mark\ndef test_b():\n    test_a()\n\n\n",
            Some((6, 8)),
        );
        check(
            Some("TestC::test_d"),
            "import p\n\n\n\nclass TestC:\n    def test_d(self):\n        pass\n\n",
            Some((6, 7)),
        );
        check(None, "import p\n\n\n\n\n", None);
    }

    #[test]
    fn classes_that_inherit_a_test_stay_where_it_runs_in_them_alone() {
        let text = "class Mixin:\n    def test_a(self): pass\n\nclass TestIt(Mixin):\n    def test_b(self): pass\n";
        let class =
            |name: &str, first: u32, last: u32, names: &[&str]| super::super::facts::ClassFacts {
                id: name.to_owned(),
                name: name.to_owned(),
                first,
                last,
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                ..Default::default()
            };
        let body = |line: u32| super::super::facts::BodyFacts {
            column: 4,
            parts: vec![(line, line)],
        };
        let facts = FileFacts {
            functions: vec![
                function("Mixin::test_a", 2, 2, &[]),
                function("TestIt::test_b", 5, 5, &[]),
            ],
            classes: vec![class("Mixin", 1, 2, &[]), class("TestIt", 4, 5, &["Mixin"])],
            bodies: vec![body(2), body(5)],
            ..FileFacts::default()
        };
        let check = |collected: &[&str], expected: &str| {
            let collected = collected
                .iter()
                .map(|collected| (*collected).to_owned())
                .collect();
            let cut = cut(text, &facts, &collected, Some("Mixin::test_a")).expect("it is there");
            assert_eq!(cut.text, expected);
        };
        let own = ["TestIt::test_a", "TestIt::test_b"];
        check(
            &own,
            "class Mixin:\n    def test_a(self): pass\n\nclass TestIt(Mixin):\n    pass\n",
        );
        // Where it runs in its own class, inheriting classes belong to other tests.
        check(
            &["Mixin::test_a", "TestIt::test_a"],
            "class Mixin:\n    def test_a(self): pass\n\n",
        );
    }

    #[test]
    fn a_test_that_the_file_does_not_have_cannot_be_cut_out() {
        assert_eq!(
            cut(TEXT, &facts(), &BTreeSet::new(), Some("TestC::test_x")),
            None
        );
    }
}
