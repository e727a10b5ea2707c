//! Whether a piece of Java parses: a prediction is a list of statements or a member of a class, never a whole file.
//!
//! There are two modes. [`ParseMode::Strict`] answers as the parser of a Java 17 compiler does: the tree of
//! tree-sitter-java must have no error, and further rules hold that its grammar does not check (`strict`).
//! [`ParseMode::Javalang`] answers as javalang 0.13.0 does, so that unparsable rates can be compared with published
//! ones; it does not parse modern Java.
//!
//! Only syntax is judged. Names, types, unreachable code and missing returns are not looked at.

mod alone;
mod javalang;
mod kind;
mod literal;
mod place;
pub(super) mod readable;
mod shape;
mod strict;

pub use self::readable::make as make_readable;

use tree_sitter::Parser;

use self::place::place;
use super::javalang::Lexer;
use crate::model::{Language, ParseMode};
use crate::tree::Grammar;
use crate::verdict::{ParseOutcome, PieceShape};

/// An error in a text, and its offset in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) at: usize,
    pub(super) detail: String,
}

impl Flaw {
    fn new(at: usize, detail: impl Into<String>) -> Self {
        Self {
            at,
            detail: detail.into(),
        }
    }
}

/// The precision of the answer about a broken text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlawQuestion {
    /// The first flaw, with its place and reason.
    Flaw,
    /// Any flaw: only whether there is one matters.
    Whether,
}

/// Judges pieces of Java; keeps parser and buffers from one to the next.
pub struct Judge {
    parser: Parser,
    lexer: Lexer,
    /// The piece in its wrapper.
    wrapped: String,
    /// The tree of the wrapper, where the piece in it has no flaw.
    sound: Option<(tree_sitter::Tree, PieceShape)>,
    frames: Vec<strict::StrictFrame>,
    javalang: javalang::Buffers,
    /// Whether the strict verdict takes syntax that Java 17 does not have.
    is_newest: bool,
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
        Self {
            parser: Grammar::of(Language::Java).parser(),
            lexer: Lexer::new(),
            wrapped: String::new(),
            sound: None,
            frames: Vec::new(),
            javalang: javalang::Buffers::default(),
            is_newest: false,
        }
    }

    /// Makes a judge whose strict verdict takes patterns of all versions since Java 17, too.
    pub fn newest() -> Self {
        Self {
            is_newest: true,
            ..Self::new()
        }
    }

    /// Tells whether the text parses as such a piece. Takes time linear in the text; a text that keeps the parser busy
    /// beyond measure does not parse.
    ///
    /// # Panics
    /// When the text has 4 GiB or more.
    pub fn verdict(&mut self, text: &str, shape: PieceShape, mode: ParseMode) -> ParseOutcome {
        let flaw = match mode {
            ParseMode::Strict | ParseMode::Ast => self.strict(text, shape, FlawQuestion::Flaw),
            ParseMode::Javalang => javalang::flaw(&mut self.lexer, &mut self.javalang, text, shape),
        };
        flaw.map_or(ParseOutcome::Ok, |flaw| {
            let (line, column) = place(text, flaw.at);
            ParseOutcome::Error {
                line,
                column,
                detail: flaw.detail,
            }
        })
    }

    /// Tells whether a text is sound, without looking for the best description and place of its flaw.
    ///
    /// # Panics
    /// When the text has 4 GiB or more.
    pub fn is_sound(&mut self, text: &str, shape: PieceShape, mode: ParseMode) -> bool {
        match mode {
            ParseMode::Strict | ParseMode::Ast => {
                self.strict(text, shape, FlawQuestion::Whether).is_none()
            }
            ParseMode::Javalang => self.verdict(text, shape, mode).is_ok(),
        }
    }

    /// Judges a prediction by the shape of the reference: as a member where the reference is one and not a list of
    /// statements (by [`ParseMode::Strict`], as references may be modern), else as statements. Returns that shape, too.
    ///
    /// A reference that begins as most methods do and has the tokens of one method is a method, whether or not its body
    /// parses. Any other is parsed only where it looks like a member: where it begins like one, or, when the prediction
    /// is not a list of statements, where a brace opens before any statement could have ended. So a method without
    /// annotation, modifier or `void` counts as statements when the prediction is a list of statements.
    pub fn verdict_like(
        &mut self,
        reference: &str,
        prediction: &str,
        mode: ParseMode,
    ) -> (PieceShape, ParseOutcome) {
        let begins = begins_as_member(reference);
        if !begins && opens_as_member(reference) {
            // That it is a list of statements is as likely, and then the reference need not be parsed.
            if self.is_sound(prediction, PieceShape::Statements, mode) {
                return (PieceShape::Statements, ParseOutcome::Ok);
            }
        } else if !begins {
            let verdict = self.verdict(prediction, PieceShape::Statements, mode);
            return (PieceShape::Statements, verdict);
        }
        let is_method = begins && self.is_method(reference);
        let shape = if is_method || self.is_member(reference) {
            PieceShape::Member
        } else {
            PieceShape::Statements
        };
        (shape, self.verdict(prediction, shape, mode))
    }

    fn is_method(&mut self, text: &str) -> bool {
        self.lexer.lex(text).is_ok_and(shape::is_method)
    }

    fn is_member(&mut self, text: &str) -> bool {
        let mode = ParseMode::Strict;
        !self.is_sound(text, PieceShape::Statements, mode)
            && self.is_sound(text, PieceShape::Member, mode)
    }
}

/// Tells whether the first word is one that most members begin with and few statements.
fn begins_as_member(text: &str) -> bool {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    text.starts_with('@')
        || matches!(
            &text[..end],
            "public" | "protected" | "private" | "static" | "abstract" | "final" | "void"
        )
}

/// Tells whether a brace opens before the first statement could have ended, as in `int f(int x) {`, and no statement's
/// keyword or lambda is the reason.
fn opens_as_member(text: &str) -> bool {
    let text = text.trim_start();
    let Some(at) = text.find(['{', ';', '=', '"']) else {
        return false;
    };
    let first = text
        .split(|text: char| !text.is_ascii_alphabetic())
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

/// Quotes the first characters of source text in backticks, with control characters escaped.
fn quoted(text: &str) -> String {
    /// A longer piece is cut in a message: its beginning is enough to find it.
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
