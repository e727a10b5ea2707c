//! The parts that variants change, and those that they leave.

use crate::model::{Language, Span, Variant, VariantKind};

use super::{TestWords, Variants, WordFrequencies, applied, is_of, looks_at};

fn variant(kind: VariantKind, text: &str, head: &str) -> Option<Variant> {
    let start = text.find(head).expect("the text has the function") as u32;
    let rest = &text[start as usize..];
    let indent = head.len() - head.trim_start().len();
    // To the next line that stands as far left, or further.
    let mut end = text.len() as u32;
    let mut at = start;
    for (idx, line) in rest.split_inclusive('\n').enumerate() {
        let depth = line.len() - line.trim_start().len();
        if idx > 0 && !line.trim().is_empty() && depth <= indent {
            end = at;
            break;
        }
        at += line.len() as u32;
    }
    let mut all = WordFrequencies::default();
    all.add("from m import run\nrun()._known_elsewhere\n");
    all.add(text);
    let elsewhere = all.but(text);
    let variants = Variants::new("m.py", text).expect("it parses");
    let mut all = variants.of(Span::new(start, end), &elsewhere).into_iter();
    all.find(|variant| variant.kind == kind)
}

/// Compares the lines that a variant of a kind changes, as they are then.
fn check(kind: VariantKind, text: &str, head: &str, expected: &[&str]) {
    let changed = variant(kind, text, head).map_or_else(
        || text.to_owned(),
        |variant| {
            assert!(is_of(text, &variant) && !is_of("", &variant));
            applied(text, &variant).expect("it is of this text")
        },
    );
    assert_eq!(changed.lines().count(), text.lines().count(), "{changed}");
    let lines = changed.lines().zip(text.lines());
    let found: Vec<&str> = lines
        .filter(|(new, old)| new != old)
        .map(|(new, _)| new.trim())
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn messages_get_other_words_and_keep_what_is_filled_in() {
    let check = |thrown: &str, expected: &[&str]| {
        let text =
            format!("def f(a):\n    if a:\n        raise {thrown}\n    return \"no error here\"\n");
        check(VariantKind::Message, &text, "def f", expected);
    };
    check(
        "ValueError(\"bad size\")",
        &["raise ValueError(\"reworded text\")"],
    );
    check(
        "ValueError(f\"bad {a!r} size\\n\") from None",
        &["raise ValueError(f\"reworded {a!r} text\\n\") from None"],
    );
    check(
        "E('%(name)s is not %d %%' % a)",
        &["raise E('%(name)s reworded text %d %%' % a)"],
    );
    check(
        "E('{} of {a:>3} is bad'.format(a, a=1))",
        &["raise E('{} reworded {a:>3} text text'.format(a, a=1))"],
    );
    check(
        "E(404, reason=\"not \" \"found\")",
        &["raise E(404, reason=\"reworded \" \"reworded\")"],
    );
    check(
        "E(\"bad: \" + a + \" size\")",
        &["raise E(\"reworded: \" + a + \" reworded\")"],
    );
    // One word may be a key; bytes, values and classes are no messages.
    for thrown in [
        "KeyError(\"size\")",
        "E(rb\"bad size\")",
        "E",
        "E(a)",
        "StopIteration(\"a b\")",
    ] {
        check(thrown, &[]);
    }
}

#[test]
fn a_message_that_has_a_name_gets_other_words_where_nothing_else_asks_for_it() {
    let once = "def f():\n    why = \"bad size\"\n    raise E(why)\n";
    check(
        VariantKind::Message,
        once,
        "def f",
        &["why = \"reworded text\""],
    );
    let twice = "def f():\n    why = \"bad size\"\n    keep(why)\n    raise E(why)\n";
    check(VariantKind::Message, twice, "def f", &[]);
}

#[test]
fn what_is_printed_and_logged_goes_and_its_arguments_are_still_evaluated() {
    let text = "\
import logging, sys
_log = logging.getLogger(__name__)
def f(self, a, *b):
    print(\"a\", g(a), *b, sep=h(), file=sys.stderr)
    print()
    print(x for x in b)
    _log.info(\"%s\", a)
    self.logger.debug(a, extra={\"a\": 1})
    logging.getLogger(\"x\").error(a, **k)
    print(a, file=a)
    self.items.log(a)
    a.error(a)
    return print(a)
";
    let expected = [
        "(\"a\", g(a), *b, h(), sys.stderr,)",
        "()",
        "(x for x in b)",
        "(\"%s\", a,)",
        "(a, {\"a\": 1},)",
        "(a, {**k},)",
    ];
    check(VariantKind::Log, text, "def f", &expected);
    let own = "def print(a):\n    keep(a)\ndef f(a):\n    print(a)\n";
    check(VariantKind::Log, own, "def f", &[]);
}

#[test]
fn private_members_get_other_names_with_all_their_uses() {
    let text = "\
_LIMIT = 3
def _helper(a):
    return a + _LIMIT
class Box:
    def __init__(self):
        self._size = _helper(1)
    def _grow(self, other):
        self._size += other._size
    def run(self):
        return self._grow(self)
";
    let expected = [
        "_LIMIT_renamed = 3",
        "def _helper_renamed(a):",
        "return a + _LIMIT_renamed",
        "self._size_renamed = _helper_renamed(1)",
        "def _grow_renamed(self, other):",
        "self._size_renamed += other._size_renamed",
        "return self._grow_renamed(self)",
    ];
    check(VariantKind::Private, text, "    def run", &expected);
}

#[test]
fn private_names_stay_where_somebody_else_may_know_them() {
    let check = |text: &str| check(VariantKind::Private, text, "def f", &[]);
    // In another file, in a text, imported, given by name, or asked of an object that may be any.
    check("def _known_elsewhere():\n    pass\ndef f():\n    _known_elsewhere()\n");
    check("__all__ = [\"_helper\"]\ndef _helper():\n    pass\ndef f():\n    _helper()\n");
    check("from m import _helper\ndef f():\n    _helper()\n");
    check("_key = 1\ndef f():\n    return g(_key=_key)\n");
    check("_key = 1\ndef f(a):\n    return a._key + _key\n");
    check("_key = 1\ndef f(a):\n    return getattr(a, g()) + _key\n");
    check("_key = 1\ndef f(a):\n    return f\"{_key=}\"\n");
    check("import pickle\n_key = 1\ndef f(a):\n    return pickle.dumps(_key)\n");
    // Members of classes that other code knows.
    let class = |head: &str, more: &str| {
        format!(
            "{head}\n    {more}\n    def __init__(self):\n        self._size = 1\ndef f():\n    return 1\n"
        )
    };
    for (head, more) in [
        ("class A(Base):", "x = 1"),
        ("class A(metaclass=M):", "x = 1"),
        ("@dataclass\nclass A:", "x = 1"),
        ("class A:", "__slots__ = ()"),
        ("class B(Base): pass\nclass A(B):", "x = 1"),
    ] {
        check(&class(head, more));
    }
    let plain = class("class A(Exception):", "x = 1");
    assert!(variant(VariantKind::Private, &plain, "def f").is_some());
}

#[test]
fn locals_get_other_names_and_parameters_only_before_the_slash() {
    let text = "\
def f(a, b, /, c):
    d = a + b
    for e in c:
        d += e
    return [d, a]
";
    let expected = [
        "def f(a_renamed, b_renamed, /, c):",
        "d_renamed = a_renamed + b_renamed",
        "for e_renamed in c:",
        "d_renamed += e_renamed",
        "return [d_renamed, a_renamed]",
    ];
    check(VariantKind::Locals, text, "def f", &expected);
    let seen = "def f():\n    a = 1\n    return locals()\n";
    check(VariantKind::Locals, seen, "def f", &[]);
}

#[test]
fn the_order_is_of_every_function_and_changes_no_text() {
    let text = "def f(a):\n    return a\n";
    let order = variant(VariantKind::Order, text, "def f").expect("it has one");
    assert!(order.edits.is_empty());
    assert_eq!(applied(text, &order).as_deref(), Some(text));
    assert_eq!(variant(VariantKind::Log, text, "def f"), None);
}

#[test]
fn a_test_looks_at_what_it_or_a_function_that_it_names_says() {
    let text = "_size = 1\ndef f(a):\n    print(a)\n    raise E(\"bad size\")\n";
    let of = |kind| variant(kind, text, "def f").expect("it has one");
    let check = |test: &str, expected: &[VariantKind]| {
        let kinds = [
            VariantKind::Message,
            VariantKind::Log,
            VariantKind::Private,
            VariantKind::Order,
        ];
        let start = test.find("def test").expect("it has a test") as u32;
        let looking = TestWords::of(Language::Python, test, Span::new(start, test.len() as u32));
        let names = of(VariantKind::Private).edits;
        let names = names.iter();
        let names: Vec<&str> = names
            .map(|name| &text[name.start as usize..name.end as usize])
            .collect();
        let found: Vec<VariantKind> = kinds
            .into_iter()
            .filter(|kind| looks_at(&looking, *kind, &names))
            .collect();
        assert_eq!(found, expected, "{test}");
    };
    check("def test():\n    assert f(1) == 2\n", &[]);
    check(
        "def test():\n    with raises(E, match=\"bad\"):\n        f(1)\n",
        &[VariantKind::Message],
    );
    check(
        "def test(capsys):\n    f(1)\n",
        &[VariantKind::Message, VariantKind::Log, VariantKind::Order],
    );
    check(
        "def said(e):\n    return str(e)\ndef test():\n    said(f)\n",
        &[VariantKind::Message, VariantKind::Order],
    );
    check(
        "def test():\n    assert m._size == 1\n",
        &[VariantKind::Private],
    );
    check(
        "def test():\n    assert f(1)[0] == 1\n",
        &[VariantKind::Order],
    );
}

#[test]
fn a_java_test_looks_at_members_by_their_names_and_at_messages_by_assertions() {
    let check = |body: &str, kind: VariantKind, expected: bool| {
        let test = format!("class T {{\n  @Test void test() {{ {body} }}\n}}\n");
        let span = Span::new(
            test.find("@Test").expect("it has one") as u32,
            test.len() as u32,
        );
        let looking = TestWords::of(Language::Java, &test, span);
        let is = looks_at(&looking, kind, &["total"]);
        assert_eq!(is, expected, "{body}");
    };
    let private = VariantKind::Private;
    check("assertEquals(1, new Sum().of(1));", private, false);
    check(
        "assertEquals(1, Peek.at(new Sum(), \"total\"));",
        private,
        true,
    );
    check(
        "Sum.class.getDeclaredField(NAME).setAccessible(true);",
        private,
        true,
    );
    let message = VariantKind::Message;
    check(
        "assertThat(e).hasMessageThat().isEqualTo(SAID);",
        message,
        true,
    );
    check("assertThat(e).isNotNull();", message, false);
}
