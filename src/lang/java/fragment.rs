//! Whether a piece of Java parses: a prediction is a list of statements or a member of a class, never a whole file.
//!
//! Two answers. [`ParseMode::Strict`] is what the parser of a Java 17 compiler says: the tree of tree-sitter-java, which
//! must not have an error, and what its grammar does not look at (`strict`). [`ParseMode::Javalang`] is what javalang 0.13.0
//! says, so that unparsable rates can be compared with published ones; modern Java does not parse there.
//!
//! Only syntax is judged. Names, types, unreachable code and missing returns are not looked at.

mod javalang;
mod kind;
mod literal;
mod place;
mod readable;
mod strict;

use tree_sitter::Parser;

use self::place::place;
use super::javalang::Lexer;
use crate::model::ParseMode;

/// What a piece of Java is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The body of a method; nothing at all is one.
    Statements,
    /// What stands in the body of a class `T`: strictly any number of members, none too; to javalang exactly one method,
    /// constructor, field or type, because that is what its parser reads.
    Member,
}

/// Whether a piece of Java parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Ok,
    Error {
        /// Counted from 1, in the piece itself.
        line: u32,
        /// Characters from the line's begin, counted from 1.
        column: u32,
        /// What is wrong, for people: a lower-case fragment, source text in backticks and escaped.
        detail: String,
    },
}

impl Verdict {
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Ok)
    }
}

/// What is wrong, and where (offset in bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Flaw {
    at: usize,
    detail: String,
}

impl Flaw {
    fn new(at: usize, detail: impl Into<String>) -> Self {
        Self {
            at,
            detail: detail.into(),
        }
    }
}

/// Judges pieces of Java; keeps parser and buffers from one to the next.
pub struct Judge {
    parser: Parser,
    lexer: Lexer,
    /// The piece in its wrapper.
    wrapped: String,
    frames: Vec<strict::Frame>,
    javalang: javalang::Buffers,
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

impl Judge {
    /// Makes a judge with a parser of its own.
    ///
    /// # Panics
    /// When the grammar is not built for this tree-sitter, which every test would notice.
    pub fn new() -> Self {
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_java::LANGUAGE.into())
            .expect("the grammar is built for this tree-sitter");
        Self {
            parser,
            lexer: Lexer::new(),
            wrapped: String::new(),
            frames: Vec::new(),
            javalang: javalang::Buffers::default(),
        }
    }

    /// Returns whether the text parses as such a piece. Takes time linear in the text; what keeps the parser busy
    /// beyond measure does not parse.
    ///
    /// # Panics
    /// When the text has 4 GiB or more.
    pub fn verdict(&mut self, text: &str, shape: Shape, mode: ParseMode) -> Verdict {
        let flaw = match mode {
            ParseMode::Strict => self.strict(text, shape),
            ParseMode::Javalang => javalang::flaw(&mut self.lexer, &mut self.javalang, text, shape),
        };
        flaw.map_or(Verdict::Ok, |flaw| {
            let (line, column) = place(text, flaw.at);
            Verdict::Error {
                line,
                column,
                detail: flaw.detail,
            }
        })
    }

    /// Judges a prediction as what the reference is: as a member where the reference is one and no list of statements
    /// (by [`ParseMode::Strict`], as references may be modern), else as statements. Returns the shape that the verdict
    /// is about.
    ///
    /// A reference is parsed only where it looks like a member: where it begins as most methods do, or, when the
    /// prediction is no list of statements, where a brace opens before any statement could have ended. So a method
    /// without annotation, modifier and `void` passes for statements with a prediction that is some.
    pub fn verdict_like(
        &mut self,
        reference: &str,
        prediction: &str,
        mode: ParseMode,
    ) -> (Shape, Verdict) {
        let verdict = self.verdict(prediction, Shape::Statements, mode);
        let may_be_member =
            begins_as_member(reference) || (!verdict.is_ok() && opens_as_member(reference));
        if may_be_member && self.is_member(reference) {
            return (Shape::Member, self.verdict(prediction, Shape::Member, mode));
        }
        (Shape::Statements, verdict)
    }

    fn is_member(&mut self, text: &str) -> bool {
        let mode = ParseMode::Strict;
        !self.verdict(text, Shape::Statements, mode).is_ok()
            && self.verdict(text, Shape::Member, mode).is_ok()
    }
}

/// Returns whether the first word is one that most members begin with and few statements.
fn begins_as_member(text: &str) -> bool {
    let text = text.trim_start();
    let end = text
        .find(|it: char| !it.is_ascii_alphabetic())
        .unwrap_or(text.len());
    text.starts_with('@')
        || matches!(
            &text[..end],
            "public" | "protected" | "private" | "static" | "abstract" | "final" | "void"
        )
}

/// Returns whether a brace opens before the first statement could have ended, as in `int f(int x) {`, and no statement's
/// keyword or lambda is the reason.
fn opens_as_member(text: &str) -> bool {
    let text = text.trim_start();
    let Some(at) = text.find(['{', ';', '=', '"']) else {
        return false;
    };
    let first = text
        .split(|it: char| !it.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    let is_statement = matches!(
        first,
        "" | "try"
            | "if"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "synchronized"
            | "return"
            | "assert"
    );
    text[at..].starts_with('{') && !is_statement && !text[..at].contains("->")
}

/// Returns source text in backticks: its first characters, none that a terminal would obey.
fn quoted(text: &str) -> String {
    const CHARS_MAX: usize = 24;
    let mut shown = String::from("`");
    let mut chars = text.trim().chars();
    for c in chars.by_ref().take(CHARS_MAX) {
        match c {
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

#[cfg(test)]
mod tests;
