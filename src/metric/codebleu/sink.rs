//! The destination of a text while comments are removed from it.

use std::ops::Range;

/// The destination of a text without comments: a text, or one that knows where its bytes come from.
pub trait TextSink: Sized {
    fn with_capacity(n_bytes: usize) -> Self;
    fn text(&self) -> &str;
    fn clear(&mut self);
    /// Appends a part of the given text.
    fn copy(&mut self, text: &str, part: Range<usize>);
    /// Appends a space that stands at a place of the given text.
    fn space(&mut self, at: usize);
    /// Appends a part of another sink's content.
    fn append(&mut self, other: &Self, part: Range<usize>);
}

impl TextSink for String {
    fn with_capacity(n_bytes: usize) -> Self {
        Self::with_capacity(n_bytes)
    }

    fn text(&self) -> &str {
        self
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn copy(&mut self, text: &str, part: Range<usize>) {
        self.push_str(&text[part]);
    }

    fn space(&mut self, _: usize) {
        self.push(' ');
    }

    fn append(&mut self, other: &Self, part: Range<usize>) {
        self.push_str(&other[part]);
    }
}

/// A text without comments that knows where it comes from.
#[derive(Debug, Default)]
pub struct TracedText {
    pub text: String,
    /// By byte: where it is in the given text; never less than for the byte before.
    pub places: Vec<u32>,
}

impl TextSink for TracedText {
    fn with_capacity(n_bytes: usize) -> Self {
        Self {
            text: String::with_capacity(n_bytes),
            places: Vec::with_capacity(n_bytes),
        }
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }

    fn copy(&mut self, text: &str, part: Range<usize>) {
        self.text.push_str(&text[part.clone()]);
        self.places.extend(part.start as u32..part.end as u32);
    }

    fn space(&mut self, at: usize) {
        self.text.push(' ');
        self.places.push(at as u32);
    }

    fn append(&mut self, other: &Self, part: Range<usize>) {
        self.text.push_str(&other.text[part.clone()]);
        self.places.extend_from_slice(&other.places[part]);
    }
}
