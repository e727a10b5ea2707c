//! Whether a piece of Java parses: a prediction is a list of statements or a member of a class, never a whole file.
//!
//! Two answers. [`Mode::Strict`] is what the parser of a Java 17 compiler says: the tree of tree-sitter-java, which
//! must not have an error, and what its grammar does not look at (`strict`). [`Mode::Javalang`] is what javalang 0.13.0
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

/// What a piece of Java is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The body of a method; nothing at all is one.
    Statements,
    /// What stands in the body of a class `T`: strictly any number of members, none too; to javalang exactly one method,
    /// constructor, field or type, because that is what its parser reads.
    Member,
}

/// Whose rules are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// javac 17's parser.
    Strict,
    /// javalang 0.13.0.
    Javalang,
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
    pub fn verdict(&mut self, text: &str, shape: Shape, mode: Mode) -> Verdict {
        let flaw = match mode {
            Mode::Strict => self.strict(text, shape),
            Mode::Javalang => javalang::flaw(&mut self.lexer, &mut self.javalang, text, shape),
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

    /// Judges a prediction as what the reference is: as statements; where that fails and the reference is a member and
    /// no list of statements, as a member. Returns the shape that the verdict is about.
    pub fn verdict_like(
        &mut self,
        reference: &str,
        prediction: &str,
        mode: Mode,
    ) -> (Shape, Verdict) {
        let verdict = self.verdict(prediction, Shape::Statements, mode);
        if !verdict.is_ok()
            && !self.verdict(reference, Shape::Statements, mode).is_ok()
            && self.verdict(reference, Shape::Member, mode).is_ok()
        {
            return (Shape::Member, self.verdict(prediction, Shape::Member, mode));
        }
        (Shape::Statements, verdict)
    }
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
