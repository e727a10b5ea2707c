//! Why answers in Java do not compile, by the kind of javac's first error (the post-hoc reading of `Tests4J` 3.4.4).
//!
//! Decides which kinds there are and which error is of which kind: by the compiler's code, and where an engine only hands
//! on its text, as Maven does, by the words that javac begins with.

use std::collections::BTreeMap;

use crate::Error;
use crate::exchange::outcomes::why_of;
use crate::model::{EngineName, Language, Outcome, RunRow, SampleKey};
use crate::store::{Store, StoredExecution};
use crate::task::Monitor;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompileError {
    /// The text is not Java: what our parser or javac's refuses.
    Syntax,
    UnknownClass,
    UnknownMethod,
    UnknownVariable,
    UnknownPackage,
    /// A symbol of which the text does not say what it is.
    UnknownSymbol,
    /// The arguments fit no method or constructor of this name.
    Arguments,
    /// A value of another type than is needed.
    Types,
    /// An exception that is not declared, or one that is caught and never thrown.
    Exception,
    /// Private, protected, not exported, abstract.
    Access,
    /// An instance member where there is no instance.
    Static,
    /// The name is taken.
    Duplicate,
    /// No value, no return, not reachable, final and assigned.
    Flow,
    Other,
}

impl CompileError {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Syntax,
        Self::UnknownClass,
        Self::UnknownMethod,
        Self::UnknownVariable,
        Self::UnknownPackage,
        Self::UnknownSymbol,
        Self::Arguments,
        Self::Types,
        Self::Exception,
        Self::Access,
        Self::Static,
        Self::Duplicate,
        Self::Flow,
        Self::Other,
    ];

    /// Returns the words used in tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownClass => "unknown class",
            Self::UnknownMethod => "unknown method",
            Self::UnknownVariable => "unknown variable",
            Self::UnknownPackage => "unknown package",
            Self::UnknownSymbol => "unknown symbol",
            Self::Arguments => "arguments",
            Self::Types => "types",
            Self::Exception => "exception",
            Self::Access => "access",
            Self::Static => "static",
            Self::Duplicate => "duplicate name",
            Self::Flow => "flow",
            Self::Other => "other",
        }
    }

    /// Returns the kind of an error of javac, out of its code where it is known (`compiler.err.…`), and its message.
    #[must_use]
    pub fn of(code: Option<&str>, message: &str) -> Self {
        let code = code.and_then(|it| it.strip_prefix("compiler.err."));
        let starts = |rules: &Rules, text: &str| {
            let rule = rules.iter().find(|it| it.1.iter().any(|it| text.starts_with(it)));
            rule.map(|it| it.0)
        };
        let by_code = code.and_then(|it| starts(&BY_CODE, it));
        let found = by_code.or_else(|| {
            let words = || BY_WORDS.iter().find(|it| it.1.iter().any(|it| message.contains(it)));
            let words = code.is_none().then(words).flatten();
            words.map(|it| it.0)
        });
        match found {
            Some(Self::UnknownSymbol) => symbol(message),
            Some(kind) => kind,
            None => Self::Other,
        }
    }
}

type Rules = [(CompileError, &'static [&'static str])];

/// How codes begin behind `compiler.err.`; the first that fits counts.
const BY_CODE: [(CompileError, &[&str]); 9] = [
    (CompileError::UnknownPackage, &["doesnt.exist", "package.not.visible"]),
    (CompileError::UnknownSymbol, &["cant.resolve"]),
    (
        CompileError::Arguments,
        &["cant.apply", "ref.ambiguous", "wrong.number.type.args", "encl.class.required"],
    ),
    (
        CompileError::Types,
        &[
            "prob.found.req",
            "incomparable.types",
            "incompatible",
            "operator.cant.be.applied",
            "cant.deref",
            "array.req",
            "unexpected.type",
            "illegal.initializer",
            "not.loop.label",
            "type.found.req",
            "cant.inherit",
            "does.not.override",
            "foreach.not.applicable",
            "instanceof",
            "not.within.bounds",
            "void.not.allowed",
            "invalid.mref",
            "not.a.functional.intf",
        ],
    ),
    (
        CompileError::Exception,
        &["unreported.exception", "except.never.thrown", "except.already.caught"],
    ),
    (
        CompileError::Access,
        &["report.access", "not.def.public", "not.def.access", "abstract.cant", "enum.cant"],
    ),
    (CompileError::Static, &["non-static", "not.encl.class", "icls.cant.have.static"]),
    (CompileError::Duplicate, &["already.defined", "name.clash", "duplicate", "name.reserved"]),
    (
        CompileError::Flow,
        &[
            "var.might",
            "var.not.initialized",
            "missing.ret.stmt",
            "unreachable",
            "cant.assign",
            "local.var.accessed",
            "cant.ref.non.effectively.final",
            "unreachable.stmt",
            "initializer.must",
            "pattern.binding",
        ],
    ),
];

/// What javac's messages hold where nobody says the code; the first that fits counts.
const BY_WORDS: [(CompileError, &[&str]); 10] = [
    (
        CompileError::Exception,
        &["unreported exception", "is never thrown in body", "has already been caught"],
    ),
    (CompileError::UnknownPackage, &["does not exist", "is not visible"]),
    (CompileError::UnknownSymbol, &["cannot find symbol"]),
    (CompileError::Static, &["non-static"]),
    (
        CompileError::Access,
        &["access in", "is not public in", "is abstract; cannot", "cannot be accessed from"],
    ),
    (
        CompileError::Arguments,
        &[
            "cannot be applied to given types",
            "no suitable",
            "is ambiguous",
            "wrong number of type arguments",
        ],
    ),
    (
        CompileError::Types,
        &[
            "incompatible types",
            "incomparable types",
            "bad operand type",
            "cannot be dereferenced",
            "array required",
            "inconvertible types",
            "unexpected type",
            "does not override",
        ],
    ),
    (CompileError::Duplicate, &["already defined", "name clash", "duplicate"]),
    (
        CompileError::Flow,
        &[
            "might not have been initialized",
            "might already have been",
            "missing return statement",
            "unreachable statement",
            "cannot assign a value to final",
            "effectively final",
        ],
    ),
    (
        CompileError::Syntax,
        &["expected", "illegal start", "not a statement", "reached end of file", "unclosed", "illegal character"],
    ),
];

/// Returns what kind of symbol is not found: javac says it in the second line.
fn symbol(message: &str) -> CompileError {
    let said = message.split_once("symbol:").map(|it| it.1.trim_start());
    let word = said.and_then(|it| it.split_whitespace().next());
    match word {
        Some("class" | "interface" | "enum" | "@interface" | "static") => CompileError::UnknownClass,
        Some("method" | "constructor") => CompileError::UnknownMethod,
        Some("variable") => CompileError::UnknownVariable,
        Some("package") => CompileError::UnknownPackage,
        _ => CompileError::UnknownSymbol,
    }
}

/// One answer with such an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub key: SampleKey,
    pub attempt: u32,
    /// Of the answer, from 1.
    pub line: Option<u32>,
    pub message: String,
}

/// How many examples of a kind are kept.
const EXAMPLES_MAX: usize = 3;

/// The answers of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfKind {
    pub n: u64,
    /// How often each code was the first; nothing where an engine says none.
    pub codes: BTreeMap<String, u64>,
    /// The first ones of the run.
    pub examples: Vec<Example>,
}

/// The answers of a run in Java that do not compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileErrors {
    pub n: u64,
    /// Those that were run or should have been: also those that compile.
    pub n_tried: u64,
    pub kinds: BTreeMap<CompileError, OfKind>,
}

impl CompileErrors {
    fn add(&mut self, it: &StoredExecution) {
        let is_java = EngineName::named(&it.engine).is_some_and(|it| it.language() == Language::Java);
        let Some(outcome) = it.execution.outcome.filter(|_| is_java) else {
            return;
        };
        self.n_tried += 1;
        if outcome.compiles() {
            return;
        }
        self.n += 1;
        let why = it.why.as_deref().and_then(why_of).unwrap_or_default();
        let kind = match outcome {
            Outcome::Unparsable => CompileError::Syntax,
            _ if is_syntax(why.code.as_deref()) => CompileError::Syntax,
            _ => CompileError::of(why.code.as_deref(), &why.message),
        };
        let of_kind = self.kinds.entry(kind).or_default();
        of_kind.n += 1;
        if let Some(code) = why.code {
            *of_kind.codes.entry(code).or_default() += 1;
        }
        if of_kind.examples.len() < EXAMPLES_MAX {
            of_kind.examples.push(Example {
                key: it.prediction.key,
                attempt: it.prediction.attempt,
                line: why.line,
                message: why.message,
            });
        }
    }
}
