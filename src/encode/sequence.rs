//! A sequence of tokens: markers of nodes, and values.

/// Behind a marker that opens: the node has no children in the sequence.
pub const CLOSED: &str = "<[/]>";

/// Behind a marker that opens: the sequence has every child of this node, also those that forms leave out.
pub const FULL: &str = "<[=]>";

/// Tokens one after the other, in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    text: String,
    ends: Vec<usize>,
}

impl Sequence {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub fn push(&mut self, token: &str) {
        self.text.push_str(token);
        self.ends.push(self.text.len());
    }

    /// Removes all tokens except the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the `idx`-th token, or `""` behind the last one.
    #[must_use]
    pub fn get(&self, idx: usize) -> &str {
        let Some(&end) = self.ends.get(idx) else {
            return "";
        };
        let start = idx.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..end]
    }

    /// Iterates over the tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|idx| self.get(idx))
    }
}

impl<'t> Extend<&'t str> for Sequence {
    fn extend<I: IntoIterator<Item = &'t str>>(&mut self, tokens: I) {
        for token in tokens {
            self.push(token);
        }
    }
}

impl<'t> FromIterator<&'t str> for Sequence {
    fn from_iter<I: IntoIterator<Item = &'t str>>(tokens: I) -> Self {
        let mut sequence = Self::new();
        sequence.extend(tokens);
        sequence
    }
}

/// Tells whether a token is a marker and no value. No token of Java begins so.
#[must_use]
pub fn is_marker(token: &str) -> bool {
    token.starts_with("<[") && token.ends_with("]>")
}
