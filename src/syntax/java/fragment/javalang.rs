//! The verdict of javalang 0.13.0 (parser.py): a recognizer of the language that javalang reads, oddities included.
//!
//! It reads Java 8 and less, and more than Java: `x + 1;` is a statement, `new int` an array, `a -> b` a lambda behind
//! any expression. These surprises are kept because verdicts depend on them:
//! - It tries (declaration or statement, lambda or cast or parentheses) and goes back. A try that works inside a try
//!   moves the outer one's mark to its own, so that the outer one goes back too little.
//! - Only a syntax error ends a try. The end of the text, where it does not look for it, ends everything.
//! - Past an annotation without parentheses in front of a statement it looks one token too far.
//! - An annotation whose `(` is not closed keeps it busy forever: here that is an error like any other.
//! - Python's stack ends after a thousand calls; [`DEPTH_MAX`] stands for that.
//!
//! The lexer stands in `java::javalang`; `expression` and `declaration` hold the grammar.

mod declaration;
mod expression;
mod statement;

use super::super::javalang::Lexer;
use super::{Flaw, PieceShape, quoted};
use crate::token::Tokens;

/// Calls that may be open at once; the calls of javalang's caller take the rest of Python's thousand.
const DEPTH_MAX: u32 = 990;

/// Steps after which a text is given up: nested tries can take time exponential in their depth.
const fn steps_max(n_tokens: usize) -> usize {
    20_000 + 40 * n_tokens
}

/// The class that javalang's tokenizer gives to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JavalangTokenClass {
    Identifier,
    Modifier,
    Basic,
    Keyword,
    Literal,
    At,
    Operator,
    Separator,
    End,
}

/// Memory that is kept from one piece to the next.
#[derive(Debug, Default)]
pub struct Buffers {
    classes: Vec<JavalangTokenClass>,
    marks: Vec<usize>,
}

/// Why the recognizer stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JavalangStop {
    /// A syntax error: an attempt that fails makes way for the next.
    Syntax,
    /// An error that ends everything.
    Fatal(&'static str),
}

type JavalangResult<T = ()> = Result<T, JavalangStop>;

/// Finds the flaw in a text by javalang's rules.
pub fn flaw(
    lexer: &mut Lexer,
    buffers: &mut Buffers,
    text: &str,
    shape: PieceShape,
) -> Option<Flaw> {
    let tokens = match lexer.lex(text) {
        Ok(tokens) => tokens,
        Err(error) => {
            return Some(Flaw::new(error.position as usize, error.what.to_string()));
        }
    };
    buffers.classes.clear();
    buffers.classes.extend(tokens.iter().map(class_of));
    buffers.marks.clear();
    let mut reader = JavalangReader {
        tokens,
        classes: &buffers.classes,
        marks: &mut buffers.marks,
        at: 0,
        failed_at: 0,
        depth: 0,
        n_steps: 0,
        shape,
    };
    let parsed = match shape {
        PieceShape::Statements => reader.closed(JavalangReader::block_statement),
        PieceShape::Member => reader.member(),
    };
    let is_whole = reader.class(0) == JavalangTokenClass::End;
    if parsed == Ok(()) && is_whole {
        return None;
    }
    let (idx, detail) = match parsed {
        Ok(()) => (reader.at, None),
        Err(JavalangStop::Fatal(detail)) => (reader.failed_at.max(reader.at), Some(detail)),
        Err(JavalangStop::Syntax) => (reader.failed_at, None),
    };
    let token = tokens.get(idx);
    let at = tokens.start(idx).unwrap_or(text.len());
    let detail = match detail {
        Some(detail) => detail.to_owned(),
        None if token.is_empty() => "unexpected end".to_owned(),
        None => format!("unexpected {}", quoted(token)),
    };
    // An offset in decoded text is mapped back to the text as it was given.
    let at = if tokens.is_of(text) {
        at
    } else {
        lexer.original(at) as usize
    };
    Some(Flaw { at, detail })
}

fn class_of(token: &str) -> JavalangTokenClass {
    let bytes = token.as_bytes();
    match bytes.first().copied().unwrap_or(b' ') {
        b'"' | b'\'' | b'0'..=b'9' => JavalangTokenClass::Literal,
        b'.' if bytes.len() > 1 && token != "..." => JavalangTokenClass::Literal,
        b'@' => JavalangTokenClass::At,
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';' | b',' => JavalangTokenClass::Separator,
        b'.' if bytes.len() == 1 => JavalangTokenClass::Separator,
        b'a'..=b'w' => word_class(token),
        b'A'..=b'Z' | b'_' | b'$' | b'x'..=b'z' | 0x80.. => JavalangTokenClass::Identifier,
        _ => JavalangTokenClass::Operator,
    }
}

/// Classifies a word (JLS 3.9); one that is no word of the language is an identifier.
pub(super) fn word_class(word: &str) -> JavalangTokenClass {
    match word {
        "true" | "false" | "null" => JavalangTokenClass::Literal,
        "boolean" | "byte" | "char" | "double" | "float" | "int" | "long" | "short" => {
            JavalangTokenClass::Basic
        }
        "abstract" | "default" | "final" | "native" | "private" | "protected" | "public"
        | "static" | "strictfp" | "synchronized" | "transient" | "volatile" => {
            JavalangTokenClass::Modifier
        }
        "assert" | "break" | "case" | "catch" | "class" | "const" | "continue" | "do" | "else"
        | "enum" | "extends" | "finally" | "for" | "goto" | "if" | "implements" | "import"
        | "instanceof" | "interface" | "new" | "package" | "return" | "super" | "switch"
        | "this" | "throw" | "throws" | "try" | "void" | "while" => JavalangTokenClass::Keyword,
        _ => JavalangTokenClass::Identifier,
    }
}

/// The place in the tokens, and the marks of the tries.
struct JavalangReader<'t> {
    tokens: Tokens<'t>,
    classes: &'t [JavalangTokenClass],
    marks: &'t mut Vec<usize>,
    at: usize,
    failed_at: usize,
    depth: u32,
    n_steps: usize,
    shape: PieceShape,
}

impl<'t> JavalangReader<'t> {
    /// Returns the class of the token `ahead` places on. Behind a list of statements stands the `}` of its block.
    fn class(&self, ahead: usize) -> JavalangTokenClass {
        let idx = self.at + ahead;
        match self.classes.get(idx) {
            Some(&class) => class,
            None if self.shape == PieceShape::Statements && idx == self.classes.len() => {
                JavalangTokenClass::Separator
            }
            None => JavalangTokenClass::End,
        }
    }

    /// Returns the text of the token `ahead` places on; `""` at the end.
    fn value(&self, ahead: usize) -> &'t str {
        let idx = self.at + ahead;
        if idx < self.classes.len() {
            self.tokens.get(idx)
        } else if self.shape == PieceShape::Statements && idx == self.classes.len() {
            "}"
        } else {
            ""
        }
    }

    fn is(&self, value: &str) -> bool {
        self.value(0) == value
    }

    fn are(&self, first: &str, second: &str) -> bool {
        self.value(0) == first && self.value(1) == second
    }

    fn is_class(&self, class: JavalangTokenClass) -> bool {
        self.class(0) == class
    }

    /// Tells whether an identifier and a certain token stand next.
    fn is_named(&self, second: &str) -> bool {
        self.is_class(JavalangTokenClass::Identifier) && self.value(1) == second
    }

    fn fail<T>(&mut self) -> JavalangResult<T> {
        self.failed_at = self.at;
        Err(JavalangStop::Syntax)
    }

    /// Skips any token.
    fn skip(&mut self) -> JavalangResult {
        if self.is_class(JavalangTokenClass::End) {
            self.failed_at = self.at;
            return Err(JavalangStop::Fatal("unexpected end"));
        }
        self.at += 1;
        Ok(())
    }

    /// Skips a token that must stand here.
    fn accept(&mut self, value: &str) -> JavalangResult {
        let is_it = self.is(value);
        self.failed_at = self.at;
        self.skip()?;
        if is_it {
            Ok(())
        } else {
            Err(JavalangStop::Syntax)
        }
    }

    fn identifier(&mut self) -> JavalangResult {
        self.accept_class(JavalangTokenClass::Identifier)
    }

    fn accept_class(&mut self, class: JavalangTokenClass) -> JavalangResult {
        let is_it = self.is_class(class);
        self.failed_at = self.at;
        self.skip()?;
        if is_it {
            Ok(())
        } else {
            Err(JavalangStop::Syntax)
        }
    }

    /// Skips a token if it stands here, and returns whether it did.
    fn take(&mut self, value: &str) -> bool {
        let is_it = self.is(value);
        self.at += usize::from(is_it);
        is_it
    }

    fn take_both(&mut self, first: &str, second: &str) -> bool {
        let are = self.are(first, second);
        self.at += 2 * usize::from(are);
        are
    }

    /// Reads one or more of something with a sign between them.
    fn separated(&mut self, sign: &str, read: fn(&mut Self) -> JavalangResult) -> JavalangResult {
        loop {
            read(self)?;
            if !self.take(sign) {
                return Ok(());
            }
        }
    }

    /// Reads braces and what they hold, one after the other.
    fn braced(&mut self, read: fn(&mut Self) -> JavalangResult) -> JavalangResult {
        self.accept("{")?;
        self.closed(read)
    }

    /// Reads elements one after the other, and the `}` after them.
    fn closed(&mut self, read: fn(&mut Self) -> JavalangResult) -> JavalangResult {
        while !self.is("}") {
            read(self)?;
        }
        self.accept("}")
    }

    /// Reads something for which javalang makes `n_calls` nested calls.
    fn nested<T>(
        &mut self,
        n_calls: u32,
        read: impl FnOnce(&mut Self) -> JavalangResult<T>,
    ) -> JavalangResult<T> {
        self.n_steps += 1;
        if self.n_steps > steps_max(self.classes.len()) {
            return Err(JavalangStop::Fatal("too broken to parse"));
        }
        self.depth += n_calls;
        if self.depth > DEPTH_MAX {
            return Err(JavalangStop::Fatal("nested too deep"));
        }
        let parsed = read(self);
        self.depth -= n_calls;
        parsed
    }

    /// Tries to read something: returns whether it worked, and goes back to the mark if not.
    fn attempt(&mut self, read: impl FnOnce(&mut Self) -> JavalangResult) -> JavalangResult<bool> {
        let depth = self.depth;
        self.marks.push(self.at);
        let parsed = read(self);
        let mark = self.marks.pop().unwrap_or(0);
        match parsed {
            Ok(()) => {
                if let Some(outer) = self.marks.last_mut() {
                    *outer = mark;
                }
                Ok(true)
            }
            Err(JavalangStop::Syntax) => {
                self.at = mark;
                self.depth = depth;
                Ok(false)
            }
            Err(fatal) => Err(fatal),
        }
    }
}
