//! Whether a test looks at what a variant changes: if it does, its failure says nothing against the variant.
//!
//! Decides by words of the test and of the functions of its file that it names; a word too many makes a variant no less
//! sound than it is.

use rustc_hash::FxHashSet;

use crate::code::Code;
use crate::model::{Language, Span, VariantKind};
use crate::syntax::tree::{Parser, Tree};

use super::words;

/// Functions that run around a test that does not name them.
const AROUND: &[&str] = &[
    "setUp",
    "setUpClass",
    "setUpModule",
    "tearDown",
    "tearDownClass",
    "tearDownModule",
    "setup",
    "setup_method",
    "setup_class",
    "setup_function",
    "setup_module",
    "teardown",
    "teardown_method",
    "asyncSetUp",
];

/// Words that mark such functions.
const MARKS: &[&str] = &["autouse", "@Before", "@After"];

/// Kinds of nodes that are functions and methods.
const FUNCTIONS: &[&str] = &["function_definition", "method_declaration"];

const OF_MESSAGE: &[&str] = &[
    "getMessage",
    "getLocalizedMessage",
    "expectMessage",
    "hasMessage",
    "hasMessageContaining",
    "hasMessageStartingWith",
    "hasMessageEndingWith",
    "hasMessageMatching",
    "hasMessageThat",
    "withMessage",
    "withMessageContaining",
    "toString",
    "hasToString",
    "printStackTrace",
    "match",
    "args",
    "msg",
    "message",
    "str",
    "repr",
    "format",
    "value",
    "exception",
    "assertRaisesRegex",
    "assertRaisesRegexp",
    "raises_regexp",
    "traceback",
    "capsys",
    "capfd",
    "caplog",
    "stdout",
    "stderr",
    "output",
    "approvals",
    "snapshot",
];

const OF_LOG: &[&str] = &[
    "setOut",
    "setErr",
    "SystemOutRule",
    "SystemErrRule",
    "tapSystemOut",
    "tapSystemErr",
    "CapturedOutput",
    "ListAppender",
    "addHandler",
    "addAppender",
    "verify",
    "capsys",
    "capfd",
    "capsysbinary",
    "capfdbinary",
    "caplog",
    "redirect_stdout",
    "redirect_stderr",
    "stdout",
    "stderr",
    "output",
    "StringIO",
    "assertLogs",
    "assertNoLogs",
    "LogCapture",
    "logging",
    "logger",
    "print",
    "patch",
    "monkeypatch",
    "mocker",
    "Mock",
    "MagicMock",
    "subprocess",
    "snapshot",
];

const OF_NAMES: &[&str] = &[
    "getattr",
    "setattr",
    "hasattr",
    "delattr",
    "attrgetter",
    "methodcaller",
    "vars",
    "dir",
    "inspect",
    "__dict__",
    "pickle",
    "dumps",
    "repr",
    "snapshot",
    "getDeclaredField",
    "getDeclaredFields",
    "getDeclaredMethod",
    "getDeclaredMethods",
    "setAccessible",
    "trySetAccessible",
    "ReflectionTestUtils",
    "ReflectionUtils",
    "FieldUtils",
    "MethodUtils",
    "Whitebox",
    "reflectionToString",
    "reflectionEquals",
    "reflectionHashCode",
    "usingRecursiveComparison",
    "usingRecursiveFieldByFieldElementComparator",
    "isEqualToComparingFieldByField",
    "extracting",
    "hasFieldOrProperty",
    "hasFieldOrPropertyWithValue",
    "Gson",
    "ObjectMapper",
    "XStream",
];

const OF_LOCALS: &[&str] = &[
    "locals",
    "f_locals",
    "inspect",
    "signature",
    "getsource",
    "__code__",
    "co_varnames",
    "settrace",
    "traceback",
    "match",
    "str",
];

const OF_ORDER: &[&str] = &[
    "list",
    "tuple",
    "next",
    "iter",
    "join",
    "str",
    "repr",
    "pop",
    "popitem",
    "zip",
    "enumerate",
    "index",
    "for",
    "assertListEqual",
    "assertSequenceEqual",
    "assertTupleEqual",
    "hash",
    "snapshot",
    "capsys",
    "toString",
    "valueOf",
    "iterator",
    "stream",
    "forEach",
    "get",
    "asList",
    "toArray",
    "assertArrayEquals",
    "assertIterableEquals",
    "assertLinesMatch",
    "contains",
    "containsExactly",
    "first",
    "println",
    "writeValueAsString",
    "toJson",
];

/// The words of a test, and of the functions of its file that it needs.
#[derive(Clone, Debug, Default)]
pub struct TestWords {
    words: FxHashSet<String>,
    /// It has a list or an index: any `[`.
    has_brackets: bool,
}

impl TestWords {
    /// Reads a test at its place in its file.
    #[must_use]
    pub fn of(language: Language, text: &str, test: Span) -> Self {
        let mut tree = Tree::new();
        Parser::new().parse(language, text, &mut tree);
        let code = Code::new(text, &tree);
        let functions: Vec<(&str, Span)> = (0..tree.nodes.len() as u32)
            .filter(|idx| FUNCTIONS.contains(&code.kind(*idx)))
            .filter_map(|idx| Some((code.source(code.child(idx, "name")?), whole(&code, idx))))
            .collect();
        let mut looking = Self::default();
        let mut seen = vec![false; functions.len()];
        looking.add(test.of(text));
        loop {
            let is_next = |(idx, (name, span)): &(usize, &(&str, Span))| {
                let source = span.of(text);
                let is_around =
                    AROUND.contains(name) || MARKS.iter().any(|text| source.contains(text));
                !seen[*idx] && (is_around || looking.words.contains(*name))
            };
            let Some((idx, (_, span))) = functions.iter().enumerate().find(is_next) else {
                break;
            };
            seen[idx] = true;
            looking.add(span.of(text));
        }
        looking
    }

    fn add(&mut self, text: &str) {
        self.has_brackets |= text.contains('[');
        self.words.extend(words(text).map(str::to_owned));
    }

    fn has(&self, all: &[&str]) -> bool {
        all.iter().any(|text| self.words.contains(*text))
    }
}

/// Returns the span of a function with its decorators.
fn whole(code: &Code<'_>, function: u32) -> Span {
    let parent = code.parent(function);
    if code.kind(parent) == "decorated_definition" {
        code.span(parent)
    } else {
        code.span(function)
    }
}

/// Tells whether a test looks at the changes of a variant of a kind, which takes away these names.
#[must_use]
pub fn looks_at(test: &TestWords, kind: VariantKind, names: &[&str]) -> bool {
    match kind {
        VariantKind::Message => test.has(OF_MESSAGE),
        VariantKind::Log => test.has(OF_LOG),
        VariantKind::Private => test.has(names) || test.has(OF_NAMES),
        VariantKind::Locals => test.has(OF_LOCALS),
        VariantKind::Order => test.has_brackets || test.has(OF_ORDER),
    }
}
