//! What a token of a programming language is: javalang's for Java, the leaves of the tree for every other.
//!
//! Decides that for all metrics on the language's tokens and for the corpus of shared n-grams alike; not which number a
//! token gets, nor what it is for the metrics that bring their own tokenizer.

use crate::lang::java::javalang::{Lexer, Tokens};
use crate::lang::syntax::{Fault, Parser, Tree};
use crate::model::{Language, Span};

/// Cuts texts of one language into tokens; keeps its buffers from one text to the next.
pub struct Cutter {
    language: Language,
    lexer: Lexer,
    parser: Parser,
    tree: Tree,
    leaves: Vec<Span>,
}

impl Cutter {
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self {
            language,
            lexer: Lexer::new(),
            parser: Parser::new(),
            tree: Tree::new(),
            leaves: Vec::new(),
        }
    }

    /// Returns the tokens in the order of the text. Takes any text; one that is too tangled to parse has none.
    pub fn tokens<'t>(&'t mut self, text: &'t str) -> Tokens<'t> {
        if self.language == Language::Java {
            return self.lexer.tokens(text).0;
        }
        self.parser.parse(self.language, text, &mut self.tree);
        self.leaves.clear();
        self.tree.push_tokens(text, &mut self.leaves);
        Tokens::new(text, &self.leaves)
    }

    /// Returns the place, in the text that was cut last, of a place in what its tokens are slices of, where that is a
    /// decoded copy ([`Tokens::is_of`]).
    pub(super) fn original(&self, at: usize) -> usize {
        self.lexer.original(at) as usize
    }

    /// Returns why the text that was cut last does not parse. Nothing for Java, whose lexer does not know.
    #[must_use]
    pub fn fault(&self, text: &str) -> Option<Fault> {
        if self.language == Language::Java {
            return None;
        }
        self.tree.first_fault(text)
    }
}
