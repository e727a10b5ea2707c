//! Each tag in Python by its definition, and laws that hold for any pair.

use super::super::*;

/// Names that the sample has.
const SAMPLE: &str = "a b c d e x y list first last foo bar baz Foo Bar Baz name mock run go step total fetch res \
    items width m obj client thing value other left right check_shape assert_shape expected fixture calc Error2";

fn tags(reference: &str, prediction: &str) -> TagFindings {
    let pair = PredictionPair {
        language: Language::Python,
        ..PredictionPair::new(reference, prediction)
    };
    Tagger::new().tags(pair, &[SAMPLE])
}

/// Compares two texts without further facts in the sample, and expects exactly these tags, as words.
#[track_caller]
fn check(reference: &str, prediction: &str, expected: &str) {
    let found = tags(reference, prediction);
    assert_eq!(
        found.tags.to_string(),
        expected,
        "\n{reference}\n---\n{prediction}\n{:#?}",
        found.evidence
    );
    for tag in found.tags.iter().filter(|tag| *tag != Tag::Other) {
        let has_reason = found.evidence.iter().any(|evidence| evidence.tag == tag);
        assert!(has_reason, "{tag:?}");
    }
}

/// Compares all pairs, in both directions where the tags are those of equal texts, and reports all wrong ones.
#[track_caller]
fn check_all(pairs: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (reference, prediction, expected) in pairs {
        let is_equal = expected
            .split(", ")
            .all(|word| Tag::parse(word).is_some_and(Tag::is_equal));
        let directions = [(reference, prediction), (prediction, reference)];
        for (a, b) in directions.into_iter().take(1 + usize::from(is_equal)) {
            let found = tags(a, b);
            let said = found.tags.to_string();
            if said != *expected {
                wrong += &format!("{a}\n---\n{b}\nsaid {said}, expected {expected}\n\n");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn layout_and_comments_are_no_difference() {
    check_all(&[
        ("assert a == 1", "assert a == 1", "exact"),
        ("assert a == 1  # why", "assert a  ==  1", "exact"),
        (
            "# why\nassert a == 1\n\nassert b",
            "assert a == 1\nassert b",
            "exact",
        ),
        ("if a:\n    foo()", "if a:\n  foo()", "exact"),
        ("foo(a,\n    b)", "foo(a, b)", "exact"),
        ("assert a\n    assert b", "assert a\nassert b", "exact"),
        ("foo(", "foo( ", "exact, truncated, unparsable"),
    ]);
    // The same tokens, and yet another program.
    check(
        "if a:\n    foo()\n    bar()",
        "if a:\n    foo()\nbar()",
        "different_statement, different_structure",
    );
}

#[test]
fn what_is_worth_the_same_is_written_in_many_ways() {
    for (reference, prediction) in [
        ("assert a == 'x'", "assert a == \"x\""),
        ("assert a == 'x'", "assert a == '''x'''"),
        ("assert a == r'\\d'", "assert a == '\\\\d'"),
        ("assert a == 'x' 'y'", "assert a == 'xy'"),
        ("assert a == ('x'\n 'y')", "assert a == 'xy'"),
        ("assert a == 1_000", "assert a == 1000"),
        ("assert a == 0xff", "assert a == 255"),
        ("assert a == 1.0", "assert a == 1."),
        ("assert (a == 1)", "assert a == 1"),
        ("assert a == [1, 2,]", "assert a == [1, 2]"),
        ("assert a == (1, 2)", "assert (a == (1, 2,))"),
        ("foo(a, x=1, y=2)", "foo(a, y=2, x=1)"),
        ("foo(a,)", "foo(a)"),
        ("a = 1; b = 2", "a = 1\nb = 2"),
        ("a: int = foo()", "a = foo()"),
        (
            "def test_it():\n    '''Says it.'''\n    foo()",
            "def test_it():\n    foo()",
        ),
        ("assert a not in b", "assert not a in b"),
    ] {
        check_all(&[(reference, prediction, "equal_rewritten")]);
    }
}

#[test]
fn one_check_may_be_written_in_many_ways() {
    for (reference, prediction) in [
        ("self.assertEqual(a, b)", "assert a == b"),
        ("self.assertEqual(a, 1)", "assert a == 1"),
        ("self.assertEqual(a, b)", "self.assertEquals(a, b)"),
        ("self.assertListEqual(a, [1])", "self.assertEqual(a, [1])"),
        ("self.assertNotEqual(a, b)", "assert a != b"),
        ("self.assertTrue(a)", "assert a"),
        ("self.assertFalse(a)", "assert not a"),
        ("self.assertTrue(a == b)", "self.assertEqual(a, b)"),
        ("self.assertTrue(a == b)", "assert a == b"),
        ("self.assertFalse(a == b)", "self.assertNotEqual(a, b)"),
        ("self.assertTrue(not a)", "self.assertFalse(a)"),
        ("self.assertIsNone(a)", "assert a is None"),
        ("self.assertIsNone(a)", "self.assertEqual(a, None)"),
        ("self.assertIsNotNone(a)", "assert a is not None"),
        ("self.assertIs(a, b)", "assert a is b"),
        ("self.assertIsNot(a, b)", "assert a is not b"),
        ("self.assertIn(a, b)", "assert a in b"),
        ("self.assertIn(1, foo())", "assert 1 in foo()"),
        ("self.assertNotIn(a, b)", "assert a not in b"),
        ("self.assertIsInstance(a, Foo)", "assert isinstance(a, Foo)"),
        (
            "self.assertNotIsInstance(a, Foo)",
            "assert not isinstance(a, Foo)",
        ),
        ("self.assertLess(a, b)", "assert a < b"),
        ("self.assertGreater(a, 3)", "assert a > 3"),
        ("self.assertGreaterEqual(a, b)", "assert b <= a"),
        ("assert a > 3", "assert 3 < a"),
        ("self.assertRegex(a, 'x+')", "assert re.search('x+', a)"),
        ("self.fail('no')", "pytest.fail('no')"),
        ("assert False, 'no'", "pytest.fail('no')"),
        ("m.assert_called_once()", "assert m.call_count == 1"),
        ("m.assert_not_called()", "assert not m.called"),
        ("m.assert_called()", "assert m.called"),
        ("assert_that(a).is_equal_to(1)", "assert a == 1"),
        (
            "self.assertAlmostEqual(a, 1.5)",
            "assert a == pytest.approx(1.5)",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a)",
            "with self.assertRaises(Foo):\n    foo(a)",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a, x=1)",
            "pytest.raises(Foo, foo, a, x=1)",
        ),
        (
            "with self.assertRaises(Foo):\n    a.foo(1)",
            "self.assertRaises(Foo, a.foo, 1)",
        ),
        (
            "with self.assertRaises(Foo):\n    Bar(1)",
            "self.assertRaises(Foo, Bar, 1)",
        ),
        (
            "self.assertRaises(Foo, lambda: foo(a))",
            "self.assertRaises(Foo, foo, a)",
        ),
        (
            "with pytest.raises(Foo, match='x'):\n    foo(a)",
            "with self.assertRaisesRegex(Foo, 'x'):\n    foo(a)",
        ),
        (
            "with pytest.raises(Foo) as e:\n    foo(a)\nassert e.value.name == 1",
            "with self.assertRaises(Foo) as e:\n    foo(a)\nself.assertEqual(e.exception.name, 1)",
        ),
        (
            "with pytest.warns(Foo):\n    foo(a)",
            "with self.assertWarns(Foo):\n    foo(a)",
        ),
    ] {
        check_all(&[(reference, prediction, "equal_rewritten")]);
    }
}

#[test]
fn sides_of_an_equality_may_change_places() {
    check_all(&[
        ("assert a == 1", "assert 1 == a", "equal_swapped"),
        ("assert a == b", "assert b == a", "equal_swapped"),
        (
            "self.assertEqual(a, 1)",
            "self.assertEqual(1, a)",
            "equal_swapped",
        ),
        (
            "self.assertEqual(a, b)",
            "self.assertEqual(b, a)",
            "equal_swapped",
        ),
        ("assert a is b", "assert b is a", "equal_swapped"),
        ("assert a != foo(b)", "assert foo(b) != a", "equal_swapped"),
        (
            "self.assertEqual(1, a)",
            "assert a == 1",
            "equal_swapped, equal_rewritten",
        ),
        // A container is not an element of its element.
        (
            "assert a in b",
            "assert b in a",
            "wrong_expected, wrong_actual, wrong_variable",
        ),
    ]);
}

#[test]
fn names_that_are_declared_may_be_others() {
    check_all(&[
        (
            "x = foo()\nassert x == 1",
            "y = foo()\nassert y == 1",
            "equal_renamed",
        ),
        (
            "for x in list:\n    foo(x)",
            "for y in list:\n    foo(y)",
            "equal_renamed",
        ),
        (
            "with foo() as x:\n    x.go()",
            "with foo() as y:\n    y.go()",
            "equal_renamed",
        ),
        (
            "a, b = foo()\nassert a == b",
            "c, d = foo()\nassert c == d",
            "equal_renamed",
        ),
        (
            "assert foo(lambda x: x.go())",
            "assert foo(lambda y: y.go())",
            "equal_renamed",
        ),
        (
            "assert [x.a for x in list] == [1]",
            "assert [y.a for y in list] == [1]",
            "equal_renamed",
        ),
        (
            "def test_a():\n    assert a",
            "def test_b():\n    assert a",
            "equal_renamed",
        ),
        (
            "def run():\n    foo()\nassert run() == 1",
            "def go():\n    foo()\nassert go() == 1",
            "equal_renamed",
        ),
        (
            "with pytest.raises(Foo) as e:\n    foo()\nassert e.value.a == 1",
            "with pytest.raises(Foo) as info:\n    foo()\nassert info.value.a == 1",
            "equal_renamed",
        ),
        (
            "x = f'{a}!'\nassert x == foo(f'{x}')",
            "y = f'{a}!'\nassert y == foo(f'{y}')",
            "equal_renamed",
        ),
        // A method of a class is no variable, whatever it is called.
        (
            "class A:\n    def x(self):\n        foo()\nx = A().x\nassert x() == 1",
            "class A:\n    def x(self):\n        foo()\ny = A().x\nassert y() == 1",
            "equal_renamed",
        ),
        // Arguments of a test are found by their names.
        (
            "def test_a(x):\n    assert x == 1",
            "def test_a(y):\n    assert y == 1",
            "different_statement, wrong_actual, wrong_variable",
        ),
        (
            "foo(x)",
            "foo(y)",
            "different_statement, wrong_variable, wrong_argument",
        ),
        // A keyword is no variable.
        (
            "x = foo(x=1)\nassert x == 1",
            "y = foo(y=1)\nassert y == 1",
            "different_statement, wrong_argument",
        ),
    ]);
}

#[test]
fn messages_are_told_from_values() {
    check_all(&[
        (
            "assert a == 1, 'x'",
            "assert a == 1, 'y'",
            "different_message",
        ),
        ("assert a == 1, 'x'", "assert a == 1", "different_message"),
        (
            "self.assertEqual(a, 1, 'x')",
            "self.assertEqual(a, 1, msg='y')",
            "different_message",
        ),
        (
            "self.assertTrue(a, 'x')",
            "self.assertTrue(a)",
            "different_message",
        ),
        ("self.fail('x')", "self.fail('y')", "different_message"),
        (
            "pytest.fail('x')",
            "pytest.fail(reason='y')",
            "different_message",
        ),
        (
            "self.assertEqual(a, 1, 'x')",
            "self.assertEqual(a, 2, 'y')",
            "wrong_expected, wrong_literal",
        ),
    ]);
}

#[test]
fn an_order_is_its_own_difference() {
    check_all(&[
        ("assert a\nassert b", "assert b\nassert a", "other_order"),
        ("foo()\nbar()", "bar()\nfoo()", "other_order"),
        ("foo()\nassert a", "assert a\nfoo()", "other_order"),
    ]);
}

#[test]
fn another_way_of_checking_hides_the_rest() {
    check_all(&[
        ("assert a == 1", "assert a", "different_assertion"),
        (
            "assert a is None",
            "assert a is not None",
            "different_assertion",
        ),
        ("assert a == 1", "assert a != 1", "different_assertion"),
        ("assert a", "assert not a", "different_assertion"),
        ("assert a in b", "assert a not in b", "different_assertion"),
        ("assert a is True", "assert a", "different_assertion"),
        (
            "self.assertTrue(a)",
            "self.assertIsNone(a)",
            "different_assertion",
        ),
        (
            "m.assert_called_once()",
            "m.assert_not_called()",
            "different_assertion",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a)",
            "assert foo(a) == 1",
            "different_assertion",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a)",
            "try:\n    foo(a)\n    assert False\nexcept Foo:\n    pass",
            "different_assertion",
        ),
    ]);
}

#[test]
fn assertions_that_are_left_over_are_missing_or_extra() {
    check_all(&[
        ("assert a\nassert b", "assert a", "missing_assertion"),
        (
            "assert a",
            "assert a\nself.assertIsNone(b)",
            "extra_assertion",
        ),
        ("assert a", "", "missing_assertion"),
        ("assert a", "pass", "missing_assertion"),
        (
            "with pytest.raises(Foo, match='x'):\n    foo()",
            "with pytest.raises(Foo):\n    foo()",
            "missing_assertion",
        ),
        (
            "for x in list:\n    assert x",
            "for x in list:\n    pass",
            "missing_assertion",
        ),
        (
            "m.assert_called_once_with(1)\nassert a",
            "assert a",
            "missing_assertion",
        ),
    ]);
}

#[test]
fn other_statements_are_compared_by_themselves() {
    check_all(&[
        (
            "x = foo()\nassert x",
            "x = foo()\nbar()\nassert x",
            "different_statement",
        ),
        ("foo()\nassert a", "assert a", "different_statement"),
        (
            "x = foo(1)\nassert x",
            "x = foo(2)\nassert x",
            "different_statement, wrong_literal, wrong_argument",
        ),
        (
            "x = Foo(1)\nassert x",
            "x = Bar(1)\nassert x",
            "different_statement, wrong_type",
        ),
        (
            "def test_a(fixture):\n    assert a",
            "def test_a():\n    assert a",
            "different_statement",
        ),
        (
            "@pytest.mark.slow\ndef test_a():\n    assert a",
            "def test_a():\n    assert a",
            "different_statement",
        ),
    ]);
}

#[test]
fn values_are_expected_or_looked_at() {
    check_all(&[
        (
            "assert a == 1",
            "assert a == 2",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert 1 == a",
            "assert 2 == a",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == 1",
            "assert 2 == a",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == 'x'",
            "assert a == 'y'",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == -1",
            "assert a == 1",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == 1",
            "assert b == 1",
            "wrong_actual, wrong_variable",
        ),
        (
            "assert a == b",
            "assert a == c",
            "wrong_expected, wrong_variable",
        ),
        (
            "assert a == expected",
            "assert expected == b",
            "wrong_actual, wrong_variable",
        ),
        (
            "self.assertEqual(1, a)",
            "self.assertEqual(b, 1)",
            "wrong_actual, wrong_variable",
        ),
        (
            "self.assertEqual(a, 1)",
            "assert a == 2",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == [1, 2]",
            "assert a == [1, 3]",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == {'x': 1}",
            "assert a == {'x': 2}",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a == 1",
            "assert a == foo()",
            "wrong_expected, different_structure",
        ),
        (
            "assert 'x' in a",
            "assert 'y' in a",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a in [1]",
            "assert a in [2]",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a < 3",
            "assert a < 4",
            "wrong_expected, wrong_literal",
        ),
        (
            "assert a < 3",
            "assert b < 3",
            "wrong_actual, wrong_variable",
        ),
        (
            "assert a < 3",
            "assert a <= 3",
            "wrong_actual, wrong_operator",
        ),
        (
            "self.assertLess(a, 3)",
            "assert a > 3",
            "wrong_actual, wrong_operator",
        ),
    ]);
}

#[test]
fn classes_patterns_and_calls_are_expected_or_looked_at() {
    check_all(&[
        (
            "assert isinstance(a, Foo)",
            "assert isinstance(a, Bar)",
            "wrong_expected, wrong_type",
        ),
        (
            "with pytest.raises(mock.Foo):\n    foo(a)",
            "with pytest.raises(OSError):\n    foo(a)",
            "wrong_expected, wrong_type",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a)",
            "with pytest.raises(Bar):\n    foo(a)",
            "wrong_expected, wrong_type",
        ),
        (
            "with pytest.raises(Foo):\n    foo(a)",
            "self.assertRaises(Foo, foo, b)",
            "wrong_actual, wrong_variable, wrong_argument",
        ),
        (
            "with pytest.raises(Foo, match='x'):\n    foo()",
            "with pytest.raises(Foo, match='y'):\n    foo()",
            "wrong_expected, wrong_literal",
        ),
        (
            "m.assert_called_once_with(1)",
            "m.assert_called_once_with(2)",
            "wrong_expected, wrong_literal",
        ),
        (
            "m.go.assert_called()",
            "m.run.assert_called()",
            "wrong_actual, wrong_variable",
        ),
        (
            "assert a == pytest.approx(1.5)",
            "assert a == pytest.approx(1.6)",
            "wrong_expected, wrong_literal",
        ),
        (
            "self.assertAlmostEqual(a, 1, places=3)",
            "self.assertAlmostEqual(a, 1, places=4)",
            "wrong_literal",
        ),
    ]);
}

#[test]
fn the_smallest_difference_is_named() {
    for (reference, prediction, expected) in [
        ("a.foo()", "b.foo()", "wrong_receiver"),
        ("a.foo()", "foo()", "wrong_receiver"),
        ("a.foo()", "a.bar()", "wrong_method"),
        ("a.foo().baz()", "a.bar().baz()", "wrong_method"),
        ("a.foo()", "a.foo().bar()", "wrong_method"),
        ("foo(a)", "foo(b)", "wrong_variable, wrong_argument"),
        ("foo(a)", "foo(a, b)", "wrong_argument"),
        ("foo(x=1)", "foo(x=2)", "wrong_literal, wrong_argument"),
        ("foo(x=1)", "foo(y=1)", "wrong_argument"),
        ("a.b", "a.c", "wrong_variable"),
        ("foo(1).a", "foo(2).a", "wrong_literal, wrong_argument"),
        ("a[0]", "a[1]", "wrong_literal"),
        ("a['x']", "b['x']", "wrong_variable"),
        ("Foo(1).go()", "Bar(1).go()", "wrong_type"),
        ("Foo(1)", "Foo(2)", "wrong_literal, wrong_argument"),
        ("str(a)", "repr(a)", "wrong_method"),
        ("int(a)", "str(a)", "wrong_type"),
        ("Foo.parse(1)", "Bar.parse(1)", "wrong_receiver"),
        ("mock.Foo(1)", "mock.Bar(1)", "wrong_type"),
        ("a + b", "a - b", "wrong_operator"),
        ("a + b", "a + c", "wrong_variable"),
        ("a and b", "a or b", "wrong_operator"),
        ("-a", "a", "wrong_operator"),
        ("f'{a}x'", "f'{a}y'", "wrong_literal"),
        ("f'{a}'", "f'{b}'", "wrong_variable"),
        ("a.foo()", "b", "different_structure"),
    ] {
        check(
            &format!("assert {reference} == 1"),
            &format!("assert {prediction} == 1"),
            &[Tag::WrongActual]
                .into_iter()
                .chain(expected.split(", ").filter_map(Tag::parse))
                .collect::<Tags>()
                .to_string(),
        );
    }
}

#[test]
fn names_that_nobody_has_are_unknown() {
    let check_names = |prediction: &str, names: &[&str]| {
        let found = tags("foo(a)", prediction);
        let unknown: Vec<&str> = found
            .evidence
            .iter()
            .filter(|evidence| evidence.tag == Tag::UnknownName)
            .map(|evidence| evidence.prediction.unwrap_or_default().of(prediction))
            .collect();
        assert_eq!(unknown, names, "{prediction}");
    };
    check_names("a.foo_bar_baz()", &["foo_bar_baz"]);
    check_names("q = Quux()\nq.foo()", &["Quux"]);
    check_names(
        "def test_q(quux, tmp_path):\n    foo(QUUX_MAX)",
        &["quux", "QUUX_MAX"],
    );
    check_names("foo(quux=1)", &[]);
    check_names("assert os.path.join('x').startswith(str(len(a)))", &[]);
    check_names(
        "with pytest.raises(ValueError) as quux:\n    foo()\nassert quux.value",
        &[],
    );
    check_names("m.assert_called_once_with(unittest.mock.ANY)", &[]);
    check_names(
        "import numpy as quux\nquux.quux_array([q for q in a])",
        &["quux_array"],
    );
    check_names("class Quux:\n    pass", &[]);
    check_names("def quux(z, *args):\n    return z(args)\nquux(1)", &[]);
}

#[test]
fn a_text_may_repeat_itself() {
    check(
        "assert a",
        "assert a\nassert a\nassert a",
        "extra_assertion, repeated",
    );
}

#[test]
fn a_text_that_breaks_off_is_truncated() {
    for text in [
        "assert foo(",
        "assert a == 'x",
        "assert a == [1,\n    2",
        "assert a ==",
        "assert",
        "x = ",
        "x.",
        "with pytest.raises(Foo)",
        "for x in list",
        "try:\n    foo()",
        "'''and",
    ] {
        check("assert a", text, "truncated, unparsable");
    }
    check(
        "foo()",
        "with pytest.raises(Foo):",
        "extra_assertion, different_statement, truncated",
    );
    check(
        "def test_a():\n    foo()",
        "def test_a():\n    if x:\n",
        "different_statement, different_structure, truncated",
    );
    for text in [
        "foo())",
        "Here is the test:\n\nassert a",
        "1 + ;",
        "print 'x'",
    ] {
        check("assert a", text, "unparsable");
    }
}

/// Tests as projects have them.
const TEXTS: &[&str] = &[
    "v = Version(1, 2)\nassert v.major == 1\nassert str(v) == '1.2'",
    "def test_bump(self):\n    x = foo('3.4.5')\n    with pytest.raises(ValueError, match='no'):\n        x.bump(-1)\n    \
     self.assertEqual(x.next(), ['a', \"b\"])",
    "@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n, fixture):\n    total = sum(i for i in range(n))\n    assert total \
     == n * 1_000, f'{n}'",
    "with patch('a.b') as m, foo() as y:\n    y.run()\nm.assert_called_once_with(1, key=None)",
    "try:\n    foo()\n    self.fail('no')\nexcept (A, B) as e:\n    self.assertIn('x', str(e))\nelse:\n    bar()",
];

#[test]
fn a_text_is_exactly_itself() {
    for text in TEXTS {
        let found = Tagger::new().tags(
            PredictionPair {
                language: Language::Python,
                ..PredictionPair::new(text, text)
            },
            &[text],
        );
        assert_eq!(found.tags.to_string(), "exact", "{text}");
    }
}

#[test]
fn equal_tags_do_not_ask_which_side_is_which_and_any_pair_has_one() {
    let words: Vec<&str> = TEXTS
        .iter()
        .flat_map(|text| text.split_inclusive(['(', ' ', '\n', '.']))
        .collect();
    let mut state = 11_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for a in TEXTS {
        for b in TEXTS {
            pairs.push(((*a).to_owned(), (*b).to_owned()));
        }
    }
    for _ in 0..400 {
        let mut text = || -> String {
            let n_words = next(12);
            (0..n_words).map(|_| words[next(words.len())]).collect()
        };
        pairs.push((text(), text()));
    }
    for (a, b) in &pairs {
        let (there, back) = (tags(a, b).tags, tags(b, a).tags);
        assert!(!there.is_empty() && !back.is_empty());
        assert!(there.contradiction().is_none(), "{there}");
        if !there.contains(Tag::Unparsable) && !back.contains(Tag::Unparsable) {
            assert_eq!(
                there.contains(Tag::OtherOrder),
                back.contains(Tag::OtherOrder),
                "{a}\n{b}"
            );
            let pair = [Tag::MissingAssertion, Tag::ExtraAssertion];
            assert_eq!(there.contains(pair[0]), back.contains(pair[1]), "{a}\n{b}");
        }
    }
}

#[test]
fn any_text_is_taken() {
    let deep = [
        "(".repeat(20_000),
        format!("x = {}1{}", "f(".repeat(2_000), ")".repeat(2_000)),
        format!("assert {}x", "not ".repeat(3_000)),
        format!("a{}", ".b()".repeat(3_000)),
        "assert x\n".repeat(2_000),
        "\"\n".repeat(5_000),
        "\0\u{feff}é𝒳'\\".to_owned(),
        String::new(),
    ];
    for (idx, reference) in deep.iter().enumerate() {
        for prediction in [reference, &deep[(idx + 1) % deep.len()]] {
            assert!(!tags(reference, prediction).tags.is_empty());
        }
    }
}
