//! The tokens of a text, as slices of it.

use crate::model::Span;

/// The tokens of one text, in order: slices of the text, or of a decoded copy when it has escapes outside its literals.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    spans: &'t [Span],
}

impl<'t> Tokens<'t> {
    /// Makes tokens out of the slices of `text` that `spans` cover.
    pub const fn new(text: &'t str, spans: &'t [Span]) -> Self {
        Self { text, spans }
    }

    pub fn len(self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the `idx`-th token, or `""` behind the last one.
    pub fn get(self, idx: usize) -> &'t str {
        self.spans.get(idx).map_or("", |span| span.of(self.text))
    }

    /// Returns where the `idx`-th token begins, in bytes: in the text, or in its decoded copy.
    pub fn start(self, idx: usize) -> Option<usize> {
        self.spans.get(idx).map(|span| span.start as usize)
    }

    /// Tells whether the tokens are slices of the given text, and not of a decoded copy.
    pub fn is_of(self, text: &str) -> bool {
        std::ptr::eq(self.text, text)
    }

    /// Iterates over the tokens in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'t str> + Clone {
        self.spans.iter().map(move |span| span.of(self.text))
    }
}
