//! The fuzzed languages: the places of their files, their parsers, and the texts that turn good sources into bad ones.

use focalist::model::Language;
use tree_sitter::Node;

use super::words;

/// The kind of a node; nodes of one kind can replace each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Expression,
    Statement,
    Type,
    Member,
    Argument,
}

/// Texts to put around a node.
pub type Wrapping = (Sort, &'static str, &'static str);

/// The facts about a language that fuzzing needs.
pub struct Tongue {
    pub language: Language,
    pub extensions: &'static [&'static str],
    /// The folders of main code and tests, and the name of a test file; the star stands for the name of the tested
    /// file.
    pub main: &'static str,
    pub tests: &'static str,
    pub test_file: &'static str,
    /// A small file with a test, for when there is no seed.
    pub empty: (&'static str, &'static str),
    /// Words and signs that change the meaning of the code around them.
    pub words: &'static [&'static str],
    pub wrappings: &'static [Wrapping],
}

impl Tongue {
    /// Looks up the facts about the language in `FOCALIST_LANGUAGE`, by default Java.
    pub fn asked() -> &'static Self {
        let word = std::env::var("FOCALIST_LANGUAGE").unwrap_or_else(|_| "java".to_owned());
        let language = Language::parse(&word).expect("FOCALIST_LANGUAGE is a language");
        let found = TONGUES.iter().find(|tongue| tongue.language == language);
        found.expect("every language is in the table")
    }

    /// Tells whether a file belongs to this language.
    pub fn has(&self, path: &str) -> bool {
        let extension = path.rsplit('.').next().unwrap_or_default();
        self.extensions.contains(&extension)
    }
}

/// Returns the grammar of a file.
pub fn grammar(path: &str) -> tree_sitter::Language {
    match path.rsplit('.').next().unwrap_or_default() {
        "py" => tree_sitter_python::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "js" | "mjs" | "cjs" | "jsx" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        _ => tree_sitter_java::LANGUAGE.into(),
    }
}

/// Classifies a node of any grammar, if it may be exchanged.
pub fn sort(node: Node<'_>) -> Option<Sort> {
    if !node.is_named() {
        return None;
    }
    let kind = node.kind();
    match kind {
        "argument_list" | "arguments" => Some(Sort::Argument),
        "method_invocation"
        | "identifier"
        | "string_literal"
        | "string"
        | "template_string"
        | "decimal_integer_literal"
        | "integer"
        | "int_literal"
        | "number"
        | "field_access"
        | "attribute"
        | "call"
        | "list"
        | "tuple"
        | "dictionary"
        | "lambda"
        | "object"
        | "array"
        | "arrow_function"
        | "func_literal"
        | "composite_literal" => Some(Sort::Expression),
        "type" | "type_identifier" | "predefined_type" | "generic_name" | "type_annotation"
        | "pointer_type" | "map_type" | "slice_type" | "generic_type" | "array_type"
        | "integral_type" => Some(Sort::Type),
        "block" | "local_variable_declaration" | "short_var_declaration" | "statement_block" => {
            Some(Sort::Statement)
        }
        _ if kind.ends_with("_expression") => Some(Sort::Expression),
        _ if kind.ends_with("_statement") || kind == "assignment" => Some(Sort::Statement),
        _ if kind.ends_with("_declaration") || kind.ends_with("_definition") => Some(Sort::Member),
        _ => None,
    }
}

const TONGUES: [Tongue; 5] = [
    Tongue {
        language: Language::Java,
        extensions: &["java"],
        main: "src/main/java",
        tests: "src/test/java",
        test_file: "*Test",
        empty: (
            "src/test/java/p/EmptyTest.java",
            "class EmptyTest { @org.junit.Test public void testEmpty() { } }",
        ),
        words: words::JAVA,
        wrappings: words::JAVA_WRAPPINGS,
    },
    Tongue {
        language: Language::Python,
        extensions: &["py"],
        main: "src/p",
        tests: "tests",
        test_file: "test_*",
        empty: ("tests/test_empty.py", "def test_empty():\n    assert f()\n"),
        words: words::PYTHON,
        wrappings: words::PYTHON_WRAPPINGS,
    },
    Tongue {
        language: Language::Go,
        extensions: &["go"],
        main: "p",
        tests: "p",
        test_file: "*_test",
        empty: (
            "p/empty_test.go",
            "package p\n\nfunc TestEmpty(t *testing.T) { f() }\n",
        ),
        words: words::GO,
        wrappings: words::GO_WRAPPINGS,
    },
    Tongue {
        language: Language::JavaScript,
        extensions: &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        main: "lib",
        tests: "test",
        test_file: "*.test",
        empty: ("test/empty.test.js", "test('empty', () => { f(); });\n"),
        words: words::JAVASCRIPT,
        wrappings: words::JAVASCRIPT_WRAPPINGS,
    },
    Tongue {
        language: Language::CSharp,
        extensions: &["cs"],
        main: "src",
        tests: "test",
        test_file: "*Tests",
        empty: (
            "test/EmptyTests.cs",
            "using Xunit; class EmptyTests { [Fact] public void Empty() { } }",
        ),
        words: words::CSHARP,
        wrappings: words::CSHARP_WRAPPINGS,
    },
];
