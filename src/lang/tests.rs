//! Tests of the tokens and parses of every language that is read, and of the chapters of name resolution of each.

pub mod chapters;

mod tokens {
    use crate::model::Language;
    use crate::syntax::{self, parses};
    use crate::{Outside, SourceText, facts, project};

    /// Checks that every method of a file has the tokens of its text alone; `by_parsing` are the names of those that
    /// are parsed for that.
    fn check((language, path): (Language, &str), text: &str, by_parsing: &[&str]) {
        let outside = Outside::default();
        let read = facts(language, SourceText { path, text }, &outside).facts;
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
            assert_eq!(tokens, syntax::tokens(language, piece), "{path}: {piece}");
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
    fn of_csharp_only_methods_with_directives_are_parsed_alone() {
        let text = "using X;\nclass A : B {\n  public A(Dictionary<string, int> c) : base(c) { D = c; }\n  void E.F() { }\n  public static A operator +(A a, A b) => a;\n  \
                    [Fact] public async Task G() { /* h */ await I($\"j{k}l\", @\"m\", 'n'); }\n  int O() => P >> 1;\n#if Q\n  void R() { }\n\
                    #endif\n  void S() {\n#pragma warning disable\n    T();\n#if U\n    V();\n#else\n    W();\n#endif\n  }\n}\n";
        check((Language::CSharp, "A.cs"), text, &["S"]);
    }

    #[test]
    fn a_method_with_errors_is_parsed_alone() {
        let text = "def a():\n    return 1\n\ndef b(:\n";
        check((Language::Python, "a.py"), text, &["b"]);
        let text =
            "class A {\n  public A() { }\n  void B() { c( }\n  int D => 1;\n  void E() { }\n}\n";
        check((Language::CSharp, "A.cs"), text, &["B"]);
        let text = "function a() { return 1 }\nfunction b() { c(; }\nfunction d() {}\n";
        check((Language::JavaScript, "a.js"), text, &["b"]);
    }
}

mod parses {
    use crate::model::Language;
    use crate::syntax::parses::{ParseCounts, on_this_thread};
    use crate::{Outside, SourceText, facts};

    fn check(language: Language, path: &str, text: &str, n_again: u64) {
        let before = on_this_thread();
        let _ = facts(language, SourceText { path, text }, &Outside::default());
        let expected = ParseCounts {
            n_texts: 1,
            n_again,
        };
        assert_eq!(on_this_thread() - before, expected, "{path}");
    }

    #[test]
    fn a_file_is_parsed_once_in_every_language() {
        check(Language::Java, "A.java", "class A { void b() { } }", 0);
        check(Language::Python, "a.py", "def b():\n    pass\n", 0);
        check(Language::Go, "a.go", "package a\n\nfunc b() {}\n", 0);
        check(Language::CSharp, "A.cs", "class A { void B() { } }", 0);
        check(Language::JavaScript, "a.js", "function b() {}", 0);
        check(Language::JavaScript, "a.ts", "function b(c: d) {}", 0);
    }

    #[test]
    fn javascript_with_errors_is_parsed_again_and_counted_apart() {
        // Types, as Flow has them.
        check(Language::JavaScript, "a.js", "function b(c: d) {}", 1);
        check(Language::JavaScript, "a.js", "function b( {", 1);
    }
}
