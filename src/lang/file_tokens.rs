//! The tokens of a file, read off the tree that its facts were lowered from, so that the text of a method need not be
//! parsed again to be counted and hashed.
//!
//! What a method's tokens are is decided by its text alone ([`tokens`](crate::tokens())), wherever it stands: a sample has the
//! same hash as the same text in a dataset without sources. So only such tokens are told here as the text alone would
//! give, too. That is so for all methods of Python, Go and JavaScript in a file without errors; not for what C# has only
//! in a class, as constructors are, nor for directives, nor for types of TypeScript, which are read by the grammar of
//! JavaScript when they stand alone.

use std::sync::{LazyLock, OnceLock};

use crate::model::{Language, Span};
use crate::syntax::{self, Grammar, Kind, Tree};

/// The tokens of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTokens {
    /// In the order of the text.
    spans: Box<[Span]>,
    /// Places, in ascending order, that may be read otherwise where the text around them stands alone.
    odd: Box<[u32]>,
}

impl FileTokens {
    /// Returns the tokens of a piece, in places of the piece; nothing where only parsing the piece alone can tell.
    #[must_use]
    pub fn of_piece(&self, piece: Span) -> Option<Vec<Span>> {
        let next = self.odd.partition_point(|place| *place < piece.start);
        if self.odd.get(next).is_some_and(|place| *place < piece.end) {
            return None;
        }
        let first = self
            .spans
            .partition_point(|token| token.start < piece.start);
        let tokens = self.spans[first..].iter();
        Some(
            tokens
                .take_while(|token| token.end <= piece.end)
                .map(|token| Span::new(token.start - piece.start, token.end - piece.start))
                .collect(),
        )
    }

    /// Returns the tokens of a file; nothing where the tree has errors.
    pub(crate) fn of_tree(tree: &Tree, text: &str) -> Option<Self> {
        if tree.has_error() {
            return None;
        }
        let mut spans = Vec::new();
        tree.push_tokens(text, &mut spans);
        Some(Self {
            spans: spans.into(),
            odd: Box::default(),
        })
    }

    /// Returns the tokens of a file of C#, which is parsed as a `readable` text: as long as its own, with other letters where
    /// directives stand. Nothing where the tree has errors.
    pub(crate) fn of_csharp(tree: &Tree, (text, readable): (&str, &str)) -> Option<Self> {
        let Self { spans, .. } = Self::of_tree(tree, readable)?;
        let odd_kinds = &*ODD_IN_CSHARP;
        let nodes = tree.nodes.iter();
        let odd_nodes = nodes.filter(|node| odd_kinds.has(node.kind));
        let mut odd: Vec<u32> = odd_nodes.map(|node| node.span.start).collect();
        if !std::ptr::eq(text, readable) {
            odd.extend(changed(text, readable));
            odd.sort_unstable();
        }
        Some(Self {
            spans,
            odd: odd.into(),
        })
    }

    /// Returns the tokens of a file of which the library's own tree is at hand; nothing where that has errors.
    pub(crate) fn of_parsed(
        (tree, grammar): (&tree_sitter::Tree, &Grammar),
        text: &str,
        odd_kinds: &OddKinds,
    ) -> Option<Self> {
        if tree.root_node().has_error() {
            return None;
        }
        let mut spans = Vec::new();
        let mut odd = Vec::new();
        syntax::push_tokens((tree, grammar), text, &mut spans, |kind, span| {
            if odd_kinds.has(kind) {
                odd.push(span.start);
            }
        });
        Some(Self {
            spans: spans.into(),
            odd: odd.into(),
        })
    }
}

/// The kinds of nodes that are read otherwise where the text around them stands alone.
#[derive(Debug, Default)]
pub(crate) struct OddKinds {
    /// By kind; what is not there is not odd.
    is_odd: Vec<bool>,
}

impl OddKinds {
    fn of(grammar: &Grammar, is_odd: impl Fn(&str) -> bool) -> Self {
        let kinds = (0..grammar.n_kinds()).map(|kind| Kind(kind as u16));
        Self {
            is_odd: kinds.map(|kind| is_odd(grammar.kind_name(kind))).collect(),
        }
    }

    /// Returns the kinds of TypeScript that the grammar of JavaScript does not know. A parameter has a node around it in
    /// TypeScript that says nothing by itself.
    pub(crate) fn typed(has_elements: bool) -> &'static Self {
        static KINDS: [OnceLock<OddKinds>; 2] = [const { OnceLock::new() }; 2];
        KINDS[usize::from(has_elements)].get_or_init(|| {
            let plain = Grammar::of(Language::JavaScript);
            Self::of(Grammar::typescript(has_elements), |name| {
                name != "required_parameter" && plain.kind(name).is_none()
            })
        })
    }

    fn has(&self, kind: Kind) -> bool {
        self.is_odd.get(usize::from(kind.0)) == Some(&true)
    }
}

/// What is a declaration of C# in a class and something else, or nothing, where it stands alone.
static ODD_IN_CSHARP: LazyLock<OddKinds> = LazyLock::new(|| {
    OddKinds::of(Grammar::of(Language::CSharp), |name| {
        matches!(
            name,
            "constructor_declaration"
                | "conversion_operator_declaration"
                | "destructor_declaration"
                | "event_declaration"
                | "explicit_interface_specifier"
                | "indexer_declaration"
                | "operator_declaration"
                | "property_declaration"
        )
    })
});

/// Returns where runs of bytes begin that are not the same in both texts, which are equally long.
fn changed(text: &str, readable: &str) -> impl Iterator<Item = u32> {
    let mut was_same = true;
    let pairs = text.bytes().zip(readable.bytes()).zip(0..);
    pairs.filter_map(move |((before, after), place)| {
        let is_first = before != after && was_same;
        was_same = before == after;
        is_first.then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use crate::model::Language;
    use crate::{Outside, Source, facts, parses, project};

    /// Checks that every method of a file has the tokens of its text alone; `by_parsing` are the names of those that are
    /// parsed for that.
    fn check((language, path): (Language, &str), text: &str, by_parsing: &[&str]) {
        let outside = Outside::default();
        let read = facts(language, Source { path, text }, &outside).facts;
        let project = project(language, vec![read], &outside);
        assert!(!project.methods.is_empty(), "{path} has methods");
        let mut parsed = Vec::new();
        for method in project.methods.iter() {
            let piece = method.span.of(text);
            let before = parses::on_this_thread();
            let tokens = project.tokens(method, piece);
            if parses::on_this_thread() != before {
                parsed.push(method.name.as_str());
            }
            assert_eq!(tokens, crate::tokens(language, piece), "{path}: {piece}");
        }
        assert_eq!(parsed, by_parsing, "{path}");
    }

    #[test]
    fn methods_of_python_are_not_parsed_again() {
        let text = "import x\n\nclass TestA:\n    @x.y(\n        1)\n    @z\n    def test_a(self):\n        # no\n        \
                    assert f'{a}b' == \"c\" + r'''d\n'''\n\n    async def b(self): await c\n\ndef d():\n    def e():\n        \
                    return lambda f: f\n    return e\n";
        check((Language::Python, "test_a.py"), text, &[]);
    }

    #[test]
    fn methods_of_go_are_not_parsed_again() {
        let text = "package p\n\n// C.\ntype a interface { B(c int) (d, e) }\n\nfunc (f *g[T]) H(i ...string) {\n\tj := `k\n` + \
                    \"l\\n\" /* m */ + 'n'\n\to <- p\n\tgo func() { q &^= 1i >> 2 }()\n}\n";
        check((Language::Go, "a_test.go"), text, &[]);
    }

    #[test]
    fn methods_of_javascript_are_not_parsed_again() {
        let text = "class A {\n  static async b({c, d = 1} = {}) { return `e${f / 2}` / /g/i }\n  get h() { return 'i' }\n  \
                    *j() { yield* k }\n}\nexports.l = function (m) { n(o => p) }\n\
                    describe('q', () => { it('r', async () => { expect(1).toBe(1) // s\n }) })\n";
        check((Language::JavaScript, "a.test.js"), text, &[]);
    }

    #[test]
    fn types_of_typescript_alone_are_read_as_javascript() {
        let text = "export function a(b: Map<string, Array<number>>): c { return b as c }\n\
                    export function d(e, f = 1) { return e >> f }\n";
        check((Language::JavaScript, "a.ts"), text, &["a"]);
    }

    #[test]
    fn what_csharp_has_only_in_classes_is_parsed_alone() {
        let text = "using X;\nclass A : B {\n  public A(Dictionary<string, int> c) : base(c) { D = c; }\n  void E.F() { }\n  \
                    [Fact] public async Task G() { /* h */ await I($\"j{k}l\", @\"m\", 'n'); }\n  int O() => P >> 1;\n#if Q\n  void R() { }\n\
                    #endif\n  void S() {\n#pragma warning disable\n    T();\n#if U\n    V();\n#else\n    W();\n#endif\n  }\n}\n";
        let odd = ["<init>", "E.F", "S"];
        check((Language::CSharp, "A.cs"), text, &odd);
    }

    #[test]
    fn a_file_with_errors_tells_nothing() {
        let text = "def a():\n    return 1\n\ndef b(:\n";
        check((Language::Python, "a.py"), text, &["a", "b"]);
    }
}
