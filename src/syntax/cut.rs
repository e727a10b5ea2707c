//! The tokens by which texts in a programming language are compared: javalang's for Java, the leaves of the tree for
//! every other language.
//!
//! All metrics on tokens, the corpus of shared n-grams and exact matches use these tokens. Mining counts and hashes
//! those of [`tokens`](super::tokens()).

use crate::java::javalang::Lexer;
use crate::model::{Language, Span};
use crate::token::Tokens;
use crate::tree::{Memo, Parser, Tree};

/// Texts with more tokens never count as the same: looking up the line of each token takes time quadratic in them.
const PLACED_MAX: usize = 2_000;

/// Cuts texts of one language into tokens; keeps its buffers from one text to the next.
pub struct Cutter {
    language: Language,
    by: CutterEngine,
}

/// The cutter of a language, with its buffers.
enum CutterEngine {
    Javalang(Lexer),
    Tree(Box<Leaves>),
}

#[derive(Default)]
struct Leaves {
    parser: Parser,
    tree: Tree,
    spans: Vec<Span>,
}

impl Leaves {
    fn cut(&mut self, language: Language, text: &str) {
        self.parser.parse(language, text, &mut self.tree);
        self.spans.clear();
        self.tree.push_tokens(text, &mut self.spans);
    }
}

impl Cutter {
    #[must_use]
    pub fn new(language: Language) -> Self {
        let by = match language {
            Language::Java => CutterEngine::Javalang(Lexer::new()),
            _ => CutterEngine::Tree(Box::default()),
        };
        Self { language, by }
    }

    /// Cuts a text into tokens, in its order. Takes any text; one that is too tangled to parse has none.
    pub fn tokens<'t>(&'t mut self, text: &'t str) -> Tokens<'t> {
        match &mut self.by {
            CutterEngine::Javalang(lexer) => lexer.tokens(text).0,
            CutterEngine::Tree(leaves) => {
                leaves.cut(self.language, text);
                Tokens::new(text, &leaves.spans)
            }
        }
    }

    /// Cuts a text as [`Cutter::tokens`] does; a tree that is needed for that is looked for in `memo`.
    pub fn tokens_by<'t>(&'t mut self, memo: &mut Memo, text: &'t str) -> Tokens<'t> {
        match &mut self.by {
            CutterEngine::Javalang(lexer) => lexer.tokens(text).0,
            CutterEngine::Tree(leaves) => {
                leaves.spans.clear();
                let tree = memo.tree(self.language, text);
                tree.push_tokens(text, &mut leaves.spans);
                Tokens::new(text, &leaves.spans)
            }
        }
    }

    /// Maps a place in the tokens' text back to the text that was cut last, where the tokens are slices of a decoded
    /// copy ([`Tokens::is_of`]).
    #[must_use]
    pub fn original(&self, at: usize) -> usize {
        match &self.by {
            CutterEngine::Javalang(lexer) => lexer.original(at) as usize,
            CutterEngine::Tree(_) => at,
        }
    }

    /// Tells whether two texts have the same tokens, without any that cannot be read; where cutting needs the tree, on
    /// the same lines, too, because in some languages these mean something.
    pub fn is_same(&mut self, a: &str, b: &str) -> bool {
        match &mut self.by {
            CutterEngine::Javalang(lexer) => {
                let (tokens, error) = lexer.tokens(a);
                if error.is_some() {
                    return false;
                }
                let first: Vec<String> = tokens.iter().map(str::to_owned).collect();
                let (tokens, error) = lexer.tokens(b);
                error.is_none() && tokens.iter().eq(first.iter().map(String::as_str))
            }
            CutterEngine::Tree(leaves) => {
                leaves.cut(self.language, a);
                if leaves.tree.has_error() {
                    return false;
                }
                let first = std::mem::take(&mut leaves.spans);
                leaves.cut(self.language, b);
                !leaves.tree.has_error() && is_same_placed((a, &first), (b, &leaves.spans))
            }
        }
    }
}

fn is_same_placed((a, a_spans): (&str, &[Span]), (b, b_spans): (&str, &[Span])) -> bool {
    let line = |text: &str, span: &Span| text[..span.start as usize].matches('\n').count();
    a_spans.len() == b_spans.len()
        && a_spans.len() <= PLACED_MAX
        && a_spans
            .iter()
            .zip(b_spans)
            .all(|(in_a, in_b)| in_a.of(a) == in_b.of(b) && line(a, in_a) == line(b, in_b))
}
