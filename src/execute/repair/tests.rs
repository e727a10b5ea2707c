//! Predictions as models write them, and their repaired forms.

use proptest::prelude::*;

use super::*;
use crate::model::Framework;

fn rules(language: Language) -> RepairRules {
    RepairRules {
        language,
        repairs: Repairs::Paper,
        framework: Framework::JUnit5,
        adds_test_annotation: false,
    }
}

fn repaired(language: Language, text: &str) -> Result<RepairedMethod, Unparsable> {
    Repairer::new().repair(&GivenText::test(text), rules(language))
}

fn check(language: Language, text: &str, repair: Repair, expected: &str) {
    let repaired = repaired(language, text).expect(text);
    assert_eq!(
        (repaired.repair, repaired.text.as_str()),
        (repair, expected)
    );
}

fn check_java(text: &str, repair: Repair, expected: &str) {
    check(Language::Java, text, repair, expected);
}

fn check_unparsable(language: Language, text: &str, line: Option<u32>) {
    let fault = repaired(language, text).expect_err(text);
    assert_eq!(fault.line, line, "{}", fault.detail);
    assert!(!fault.detail.is_empty());
}

#[test]
fn a_method_alone_stays_as_it_is() {
    for text in [
        "@Test void a() { b(); }",
        "  @Test\n  public <T> void a() throws Exception {\n    b();\n  }\n\n",
    ] {
        check_java(text, Repair::None, text.trim_end());
    }
}

#[test]
fn what_follows_the_method_is_cut() {
    check_java(
        "void a() { b(); } void c() {",
        Repair::Cut,
        "void a() { b(); }",
    );
    check_java("void a() { b(); }\n}\n", Repair::Cut, "void a() { b(); }");
    check_java("void a() {} // done", Repair::Cut, "void a() {}");
}

#[test]
fn braces_in_texts_and_comments_do_not_count() {
    let text = "void a() { String s = \"}\"; char c = '{'; /* } */ // }\n String t = \"\"\"\n }\n\"\"\"; }";
    check_java(&format!("{text} }} garbage"), Repair::Cut, text);
}

#[test]
fn braces_of_an_annotation_are_not_the_body() {
    let text = "@SuppressWarnings({\"a\", \"b\"}) @Test void a() { b(); }";
    check_java(&format!("{text}\n@Test void"), Repair::Cut, text);
}

#[test]
fn a_method_that_breaks_off_is_closed_after_its_last_statement() {
    check_java(
        "void a() { b(); c(1, ",
        Repair::Closed,
        "void a() { b();\n}",
    );
    check_java(
        "void a() { if (b) { c(); d(\"x",
        Repair::Closed,
        "void a() { if (b) { c();\n}\n}",
    );
    check_java(
        "void a() { b(() -> { c(); d",
        Repair::Closed,
        "void a() { b(() -> { c();\n});\n}",
    );
    check_java(
        "void a() { b(); for (int i = 0; i < 3",
        Repair::Closed,
        "void a() { b();\n}",
    );
}

#[test]
fn a_loop_of_statements_stays_once() {
    let looped = "void a() { x(); b(1); b(1) ; b( 1 ); b(1";
    check_java(looped, Repair::Closed, "void a() { x(); b(1);\n}");
    let blocks = "void a() { x(); b(); c(); b(); c(); b(); c(); b(";
    check_java(blocks, Repair::Closed, "void a() { x(); b(); c();\n}");
    let braces =
        "void a() { if (x) { b(); } else { c(); } y(); if (x) { b(); } else { c(); } y(); if (";
    let once = "void a() { if (x) { b(); } else { c(); } y();\n}";
    check_java(braces, Repair::Closed, once);
    // A complete method may contain a statement twice.
    check_java(
        "void a() { b(); b(); }",
        Repair::None,
        "void a() { b(); b(); }",
    );
}

#[test]
fn what_is_no_method_is_unparsable_where_it_goes_wrong() {
    let java = Language::Java;
    check_unparsable(java, "", None);
    check_unparsable(java, "  \n", None);
    check_unparsable(java, "class A { void b() { c(); } }", Some(1));
    check_unparsable(java, "int a = 1;", Some(1));
    check_unparsable(java, "A() { b(); }", Some(1));
    check_unparsable(java, "void a() {\n  b(;\n  }", Some(2));
    check_unparsable(java, "Sorry, I cannot do that.", Some(1));
}

#[test]
fn what_newer_versions_of_java_have_is_left_to_their_compiler() {
    let check = |text: &str| check_java(text, Repair::None, text);
    check(
        "void a() { switch (o) { case Point(int x, var y) when x > 1 -> b(); default -> c(); } }",
    );
    check("void a() { switch (o) { case A.B(C.D(var x, _), var _) -> b(); case E.F e -> c(); } }");
    check("void a() { if (o instanceof A.B(var x, var y) && x.y(y)) { b(); } }");
    check("void a() { for (var _ : all) { n++; } }");
}

#[test]
fn what_switches_a_test_off_goes() {
    let check = |text: &str, expected: &str| check_java(text, Repair::None, expected);
    check("@Test @Disabled void a() {}", "@Test void a() {}");
    check(
        "@org.junit.Ignore(\"later (or never)\")\n@Test\nvoid a() {}",
        "@Test\nvoid a() {}",
    );
    check(
        "@Test public @Ignore void a() {}",
        "@Test public void a() {}",
    );
    check(
        "@DisabledOnOs(WINDOWS) void a() {}",
        "@DisabledOnOs(WINDOWS) void a() {}",
    );
}

#[test]
fn a_missing_annotation_is_added_only_when_asked_for() {
    let added = |text: &str, framework| {
        let rules = RepairRules {
            adds_test_annotation: true,
            framework,
            ..rules(Language::Java)
        };
        let repaired = Repairer::new().repair(&GivenText::test(text), rules);
        repaired.expect("it is a method").text
    };
    assert_eq!(added("void a() {}", Framework::JUnit4), "@Test void a() {}");
    assert_eq!(
        added("@Disabled void a() {}", Framework::JUnit4),
        "@Test void a() {}"
    );
    assert_eq!(
        added("@Test void a() {}", Framework::JUnit4),
        "@Test void a() {}"
    );
    assert_eq!(
        added("void testA() {}", Framework::JUnit3),
        "void testA() {}"
    );
}

#[test]
fn without_repairs_nothing_is_cut() {
    let rules = RepairRules {
        repairs: Repairs::None,
        ..rules(Language::Java)
    };
    let mut repairer = Repairer::new();
    let mut check = |text: &str| repairer.repair(&GivenText::test(text), rules).is_ok();
    assert!(check("void a() { b(); }\n"));
    assert!(!check("void a() { b(); } }"));
    assert!(!check("void a() { b(); c("));
}

#[test]
fn an_assertion_part_stands_in_its_true_test() {
    let test = "@Test void a() {\n  int x = f();\n  assertEquals(1, x);\n}";
    let start = test.find("assertEquals").expect("it is there") as u32;
    let span = Span::new(start, start + 19);
    let made = |prediction: &str| {
        let given = GivenText::assertion(Language::Java, test, Some(span), prediction);
        let repaired = Repairer::new().repair(&given, rules(Language::Java));
        repaired.map(|repaired_method| (repaired_method.repair, repaired_method.text))
    };
    let text = |end: &str| format!("@Test void a() {{\n  int x = f();{end}");
    assert_eq!(
        made("assertTrue(x);"),
        Ok((Repair::None, text("\n  assertTrue(x);\n}")))
    );
    assert_eq!(
        made("b(x); }\n int"),
        Ok((Repair::Cut, text("\n  b(x); }")))
    );
    assert_eq!(made("b(x); c("), Ok((Repair::Closed, text("\n  b(x);\n}"))));
    assert!(made(" ").is_err());
    // Only the true test's setup would be left.
    for junk in [
        "b(;",
        "int y = ",
        "}",
        "// nothing",
        "/* x */ ;",
        "I cannot do that.",
    ] {
        assert!(made(junk).is_err(), "{junk}");
    }
}

#[test]
fn a_text_without_a_statement_is_unparsable_whatever_may_be_done_to_it() {
    for repairs in Repairs::ALL {
        for (language, test, junk) in [
            (
                Language::Java,
                "void a() {\n  x();\n  y();\n}",
                &["", "// y", "/* y(); */", ";"],
            ),
            (
                Language::Python,
                "def a():\n  x()\n  y()\n",
                &["", "# y", "\n\n", "  # y"],
            ),
        ] {
            let rules = RepairRules {
                repairs: *repairs,
                ..rules(language)
            };
            let at = test.find("y()").expect("it is there") as u32;
            let end = if language == Language::Java {
                at + 4
            } else {
                at + 3
            };
            for junk in junk {
                let given = GivenText::assertion(language, test, Some(Span::new(at, end)), junk);
                let repaired = Repairer::new().repair(&given, rules);
                let fault = repaired.expect_err(junk);
                assert!(fault.detail.starts_with("there is no "), "{}", fault.detail);
            }
        }
    }
}

#[test]
fn lines_are_counted_in_the_prediction() {
    let text = "@Disabled\n@Test\nvoid a() {\n  b();\n}\n}";
    let given = GivenText::test(text);
    let repaired = repaired(Language::Java, text).expect("it is a method");
    let lines: Vec<_> = (1..=5)
        .map(|n| repaired.line_of_prediction(&given, n))
        .collect();
    assert_eq!(lines, [Some(2), Some(3), Some(4), Some(5), None]);
    let test = "void a() {\n  x();\n  y();\n}";
    let at = test.find("y()").expect("it is there") as u32;
    let given = GivenText::assertion(
        Language::Java,
        test,
        Some(Span::new(at, at + 4)),
        "b();\nc();",
    );
    let repaired = Repairer::new().repair(&given, rules(Language::Java));
    let repaired = repaired.expect("it is a method");
    let lines: Vec<_> = (1..=5)
        .map(|n| repaired.line_of_prediction(&given, n))
        .collect();
    assert_eq!(lines, [None, None, Some(1), Some(2), None]);
}

#[test]
fn steps_make_the_text() {
    let text = "@Ignore void a() { b(); b(); c(";
    let repaired = repaired(Language::Java, text).expect("it is a method");
    let mut made = String::new();
    let mut at = 0;
    for step in &repaired.steps {
        made.push_str(&text[at..step.removed.start as usize]);
        made.push_str(&step.added);
        at = step.removed.end as usize;
    }
    made.push_str(&text[at..]);
    assert_eq!(made, repaired.text);
    let kinds: Vec<_> = repaired
        .steps
        .iter()
        .map(|step| step.kind.as_str())
        .collect();
    assert_eq!(kinds, ["enabled", "repeated", "cut", "closed"]);
}

#[test]
fn a_python_function_ends_by_its_indentation() {
    let check =
        |text: &str, repair, expected: &str| check(Language::Python, text, repair, expected);
    let function = "@mark\ndef test_a():\n    x = (1,\n2)\n    s = '''\ntext\n'''\n    assert x\n";
    check(function, Repair::None, function);
    let text = format!("{function}\n\n# end\ndef test_b():\n    pass\n");
    let cut = repaired(Language::Python, &text).expect("it is a function");
    assert_eq!(cut.repair, Repair::Cut);
    assert!(cut.text.starts_with(function) && !cut.text.contains("test_b"));
    check(
        "    async def test_a(self):\n        assert 1\n\nx = 1",
        Repair::Cut,
        "async def test_a(self):\n    assert 1\n",
    );
    check_unparsable(Language::Python, "def test_a():\n    assert (", Some(2));
    check_unparsable(
        Language::Python,
        "import a\ndef test_a():\n    pass",
        Some(1),
    );
    check_unparsable(Language::Python, "class A:\n    pass", Some(1));
}

#[test]
fn a_python_assertion_is_moved_to_its_column() {
    let test = "def test_a():\n    x = 1\n    assert x\n";
    let start = test.find("assert").expect("it is there") as u32;
    let span = Span::new(start, start + 8);
    let check = |prediction: &str, expected: &str| {
        let given = GivenText::assertion(Language::Python, test, Some(span), prediction);
        let repaired = Repairer::new().repair(&given, rules(Language::Python));
        let repaired = repaired.expect("it is a function");
        assert_eq!(
            repaired.text,
            format!("def test_a():\n    x = 1\n    {expected}\n")
        );
    };
    check("assert x == 1", "assert x == 1");
    check("assert a\nassert b", "assert a\n    assert b");
    check("assert a\n    assert b", "assert a\n    assert b");
    check("    assert a\n    assert b", "assert a\n    assert b");
    check("if a:\n    assert b", "if a:\n        assert b");
}

#[test]
fn layout_and_comments_do_not_tell_texts_apart() {
    let java = |text: &str| hash_of_tokens(Language::Java, text);
    assert_eq!(
        java("void a() { b(); }"),
        java("void a(){\n b( ) ; // x\n}")
    );
    assert_ne!(java("void a() { b(); }"), java("void a() { c(); }"));
    let python = |text: &str| hash_of_tokens(Language::Python, text);
    let nested = "def a():\n    if b:\n        c()\n    d()\n";
    assert_eq!(python(nested), python(&nested.replace("d()", "d( )  # x")));
    assert_ne!(
        python(nested),
        python(&nested.replace("    d()", "        d()"))
    );
}

/// Generates pieces of tests, complete and broken ones.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "@Test ",
        "@Disabled ",
        "@A({1, 2}) ",
        "public void a() ",
        "{ ",
        "} ",
        "( ",
        ") ",
        "[ ",
        "] ",
        "b(); ",
        "b(); ",
        "c(1, \"}\"); ",
        "int x = 1; ",
        "if (x) ",
        "else ",
        "for (int i = 0; i < 3; i++) ",
        "() -> ",
        "\"",
        "'",
        "/* ",
        "*/ ",
        "// ",
        "\n",
        "try ",
        "catch (E e) ",
        "new int[] { 1 } ",
        "return; ",
        "class A ",
        ";",
        "é ",
        "\"\"\"\n",
        "case 1: ",
        "switch (x) ",
        "do ",
        "while (x) ",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|texts| texts.concat())
}

proptest! {
    #[test]
    fn a_repaired_text_is_one_method_and_stays_as_it_is(beginning in any::<bool>(), text in any_text()) {
        let text = if beginning { format!("@Test void a() {{ {text}") } else { text };
        if let Ok(first) = repaired(Language::Java, &text) {
            let again = repaired(Language::Java, &first.text);
            let again = again.expect("a repaired text is one method");
            prop_assert_eq!(again.repair, Repair::None);
            prop_assert_eq!(&again.text, &first.text);
            prop_assert_eq!(again.tokens, first.tokens);
            prop_assert!(again.steps.is_empty());
        }
    }

    #[test]
    fn any_text_is_survived(text in "[ -~\n]{0,80}") {
        for language in [Language::Java, Language::Python] {
            if let Ok(first) = repaired(language, &text) {
                let again = repaired(language, &first.text).expect("it is one method");
                prop_assert_eq!(again.text, first.text);
            }
        }
    }
}
