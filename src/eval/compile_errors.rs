//! Why answers in Java do not compile, by the kind of javac's first error (the post-hoc reading of `Tests4J` 3.4.4).
//!
//! Defines the kinds, and decides the kind of each error: by the compiler's code, and where an engine only hands on its
//! text, as Maven does, by the words that javac begins with.

use std::collections::BTreeMap;

use crate::EvalError;
use crate::exchange::outcomes::why_of;
use crate::model::{EngineName, Outcome, RunRow, SampleKey};
use crate::store::{Store, StoredExecution};
use crate::task::Monitor;

/// The kind of a compiler's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompileError {
    /// The text is not Java: what our parser or javac's refuses.
    Syntax,
    UnknownClass,
    UnknownMethod,
    UnknownVariable,
    UnknownPackage,
    /// A symbol whose kind the text does not name.
    UnknownSymbol,
    /// The arguments fit no method or constructor of this name.
    Arguments,
    /// A value of another type than is needed.
    Types,
    /// Something that this version of Java does not have.
    Version,
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
        Self::Version,
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
            Self::Version => "Java version",
            Self::Exception => "exception",
            Self::Access => "access",
            Self::Static => "static",
            Self::Duplicate => "duplicate name",
            Self::Flow => "flow",
            Self::Other => "other",
        }
    }

    /// Classifies an error of javac by its code where it is known (`compiler.err.…`), and by its message.
    #[must_use]
    pub fn of(code: Option<&str>, message: &str) -> Self {
        let code = code.and_then(|code| code.strip_prefix("compiler.err."));
        let found = match code {
            Some(code) => BY_CODE
                .iter()
                .find(|pair| pair.1.iter().any(|text| code.starts_with(text))),
            None => BY_WORDS
                .iter()
                .find(|pair| pair.1.iter().any(|text| message.contains(text))),
        };
        match found {
            Some((Self::UnknownSymbol, _)) => symbol(message),
            Some((kind, _)) => *kind,
            None => Self::Other,
        }
    }
}

/// How codes begin behind `compiler.err.` (JDK 17 has 480); the first that fits counts.
const BY_CODE: [(CompileError, &[&str]); 11] = [
    (
        CompileError::Syntax,
        &[
            "array.dimension.missing",
            "catch.without.try",
            "class.not.allowed",
            "dot.class.expected",
            "else.without.if",
            "empty.char.lit",
            "expected",
            "finally.without.try",
            "illegal.char",
            "illegal.dot",
            "illegal.esc.char",
            "illegal.line.end",
            "illegal.parenthesized",
            "illegal.start",
            "illegal.text.block",
            "illegal.underscore",
            "illegal.unicode",
            "initializer.not.allowed",
            "int.number.too.large",
            "invalid.meth.decl",
            "malformed.fp.lit",
            "not.stmt",
            "orphaned",
            "premature.eof",
            "try.without",
            "unclosed",
            "variable.not.allowed",
        ],
    ),
    (
        CompileError::Version,
        &["feature.not.supported", "preview.feature"],
    ),
    (
        CompileError::UnknownPackage,
        &["doesnt.exist", "package.not.visible"],
    ),
    (CompileError::UnknownSymbol, &["cant.resolve"]),
    (
        CompileError::Arguments,
        &[
            "cant.apply",
            "ref.ambiguous",
            "wrong.number.type.args",
            "type.doesnt.take.params",
        ],
    ),
    (
        CompileError::Types,
        &[
            "array.req",
            "cant.deref",
            "cant.infer",
            "cant.inherit",
            "constant.label",
            "does.not.override",
            "foreach.not.applicable",
            "illegal.initializer",
            "incomparable.types",
            "incompatible",
            "instanceof",
            "intf.expected",
            "invalid.mref",
            "lambda.body",
            "method.does.not.override",
            "not.within.bounds",
            "operator.cant.be.applied",
            "override",
            "prob.found.req",
            "type.found.req",
            "types.incompatible",
            "unexpected",
            "void.not.allowed",
        ],
    ),
    (
        CompileError::Exception,
        &[
            "except.already.caught",
            "except.never.thrown",
            "unreported.exception",
        ],
    ),
    (
        CompileError::Access,
        &[
            "abstract.cant",
            "cant.access",
            "enum.cant",
            "not.def.access",
            "not.def.public",
            "report.access",
        ],
    ),
    (
        CompileError::Static,
        &[
            "encl.class.required",
            "icls.cant.have.static",
            "no.encl.instance",
            "non-static",
            "not.encl.class",
        ],
    ),
    (
        CompileError::Duplicate,
        &["already.defined", "duplicate", "name.clash", "same.binary"],
    ),
    (
        CompileError::Flow,
        &[
            "break.outside",
            "cant.assign",
            "cant.ref.non.effectively.final",
            "cont.outside",
            "final.parameter",
            "initializer.must",
            "local.var.accessed",
            "missing.ret.stmt",
            "not.exhaustive",
            "ret.outside",
            "try.resource.may",
            "unreachable",
            "var.might",
            "var.not.initialized",
        ],
    ),
];

/// Words in javac's messages, for engines that hand on no code; the first that fits counts.
const BY_WORDS: [(CompileError, &[&str]); 11] = [
    (
        CompileError::Exception,
        &[
            "unreported exception",
            "is never thrown in body",
            "has already been caught",
        ],
    ),
    (
        CompileError::Version,
        &[
            "are not supported in -source",
            "is not supported in -source",
            "preview feature",
        ],
    ),
    (
        CompileError::UnknownPackage,
        &["does not exist", "is not visible"],
    ),
    (CompileError::UnknownSymbol, &["cannot find symbol"]),
    (CompileError::Static, &["non-static"]),
    (
        CompileError::Access,
        &[
            "access in",
            "is not public in",
            "is abstract; cannot",
            "cannot be accessed from",
        ],
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
    (
        CompileError::Duplicate,
        &["already defined", "name clash", "duplicate"],
    ),
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
        &[
            "expected",
            "illegal start",
            "not a statement",
            "reached end of file",
            "unclosed",
            "illegal character",
        ],
    ),
];

/// Tells which kind of symbol is not found: javac says it in the second line.
fn symbol(message: &str) -> CompileError {
    let said = message
        .split_once("symbol:")
        .map(|pair| pair.1.trim_start());
    let word = said.and_then(|said| said.split_whitespace().next());
    match word {
        Some("class" | "interface" | "enum" | "@interface" | "static") => {
            CompileError::UnknownClass
        }
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
    /// The line in the answer, from 1.
    pub line: Option<u32>,
    pub message: String,
}

/// Examples that are kept of each kind, so that the table stays short.
const EXAMPLES_MAX: usize = 3;

/// The answers of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorsOfKind {
    pub n: u64,
    /// Counts of first codes; nothing where an engine gives none.
    pub codes: BTreeMap<String, u64>,
    /// The first ones of the run.
    pub examples: Vec<Example>,
}

/// The answers of a run in Java that do not compile; each text counts once, as in the funnel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileErrors {
    pub n: u64,
    /// Those that have an outcome: also those that compile.
    pub n_tried: u64,
    pub kinds: BTreeMap<CompileError, ErrorsOfKind>,
}

impl CompileErrors {
    fn add(&mut self, stored_execution: &StoredExecution) {
        let engine = EngineName::named(&stored_execution.engine);
        // What javac compiles.
        let is_java = matches!(engine, Some(EngineName::Fast | EngineName::Maven));
        // An answer with the same tokens as an earlier one is counted there.
        let is_unique = stored_execution.execution.duplicate_of.is_none();
        let outcome = stored_execution
            .execution
            .outcome
            .filter(|_| is_java && is_unique);
        let Some(outcome) = outcome else {
            return;
        };
        self.n_tried += 1;
        if outcome.compiles() {
            return;
        }
        self.n += 1;
        let why = stored_execution
            .why
            .as_deref()
            .and_then(why_of)
            .unwrap_or_default();
        let kind = match outcome {
            Outcome::Unparsable => CompileError::Syntax,
            _ => CompileError::of(why.code.as_deref(), &why.message),
        };
        let of_kind = self.kinds.entry(kind).or_default();
        of_kind.n += 1;
        if let Some(code) = why.code {
            *of_kind.codes.entry(code).or_default() += 1;
        }
        if of_kind.examples.len() < EXAMPLES_MAX {
            of_kind.examples.push(Example {
                key: stored_execution.prediction.key,
                attempt: stored_execution.prediction.attempt,
                line: why.line,
                message: why.message,
            });
        }
    }
}

/// Groups the answers of a run that do not compile, as the engine that ran it last says.
///
/// # Errors
/// Those of the index, cancelling, and [`EvalError::NotExecuted`] for a run that was never executed.
pub fn compile_errors(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
) -> Result<CompileErrors, EvalError> {
    let Some(setting) = store.execution_setting(run.id)? else {
        return Err(EvalError::NotExecuted {
            run: run.setting.name.clone(),
        });
    };
    let mut found = CompileErrors::default();
    store.each_execution(run.id, &setting.engine, |stored_execution| {
        monitor.step()?;
        found.add(&stored_execution);
        Ok::<_, EvalError>(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: Option<&str>, message: &str, expected: CompileError) {
        let found = CompileError::of(code, message);
        assert_eq!(found, expected, "{code:?} {message}");
    }

    #[test]
    fn an_error_is_of_the_kind_that_its_code_says() {
        let code = |code: &str| Some(format!("compiler.err.{code}"));
        for (word, expected) in [
            ("expected", CompileError::Syntax),
            ("expected3", CompileError::Syntax),
            ("premature.eof", CompileError::Syntax),
            ("doesnt.exist", CompileError::UnknownPackage),
            ("cant.apply.symbols", CompileError::Arguments),
            ("prob.found.req", CompileError::Types),
            ("operator.cant.be.applied.1", CompileError::Types),
            (
                "unreported.exception.need.to.catch.or.throw",
                CompileError::Exception,
            ),
            ("report.access", CompileError::Access),
            ("non-static.cant.be.ref", CompileError::Static),
            ("already.defined", CompileError::Duplicate),
            ("var.might.not.have.been.initialized", CompileError::Flow),
            (
                "feature.not.supported.in.source.plural",
                CompileError::Version,
            ),
            ("limit.string", CompileError::Other),
        ] {
            // A code that is there wins over what the message says.
            check(
                code(word).as_deref(),
                "class, interface, or enum expected",
                expected,
            );
        }
    }

    #[test]
    fn a_symbol_is_what_the_second_line_says_it_is() {
        let code = Some("compiler.err.cant.resolve.location.args");
        let message =
            |text: &str| format!("cannot find symbol\n  symbol:   {text}\n  location: class A");
        check(
            code,
            &message("method close()"),
            CompileError::UnknownMethod,
        );
        check(code, &message("class Missing"), CompileError::UnknownClass);
        check(code, &message("variable x"), CompileError::UnknownVariable);
        check(code, "cannot find symbol", CompileError::UnknownSymbol);
    }

    #[test]
    fn without_a_code_the_words_of_the_message_decide() {
        for (message, expected) in [
            (
                "cannot find symbol\n  symbol:   class B",
                CompileError::UnknownClass,
            ),
            ("cannot find symbol", CompileError::UnknownSymbol),
            ("package org.x does not exist", CompileError::UnknownPackage),
            (
                "incompatible types: String cannot be converted to int",
                CompileError::Types,
            ),
            (
                "unreported exception IOException; must be caught or declared to be thrown",
                CompileError::Exception,
            ),
            (
                "exception IOException is never thrown in body of corresponding try statement",
                CompileError::Exception,
            ),
            ("size has private access in Box", CompileError::Access),
            (
                "non-static method run() cannot be referenced from a static context",
                CompileError::Static,
            ),
            (
                "constructor Box in class Box cannot be applied to given types;",
                CompileError::Arguments,
            ),
            (
                "variable x is already defined in method f()",
                CompileError::Duplicate,
            ),
            (
                "variable x might not have been initialized",
                CompileError::Flow,
            ),
            ("';' expected", CompileError::Syntax),
            ("something of tomorrow", CompileError::Other),
        ] {
            check(None, message, expected);
        }
    }
}
