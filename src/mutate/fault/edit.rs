//! One change of a text, and its words.

use crate::model::Span;

/// How many characters of a text are shown in a description.
const N_SHOWN: usize = 40;

/// A change by an operator; in order of places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub span: Span,
    pub mutator: &'static str,
    pub replacement: String,
}

impl Change {
    pub fn apply(&self, text: &str) -> String {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        [&text[..start], &self.replacement, &text[end..]].concat()
    }

    /// Leaves blank lines for those that the change takes away, so that all below stays on its lines; only where nothing but
    /// a comment stands behind the change on its last line, and a line break there means nothing.
    pub fn keeping_lines(mut self, text: &str) -> Self {
        let behind = &text[self.span.end as usize..];
        let rest = behind.split('\n').next().unwrap_or_default().trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            let n_before = self.span.of(text).matches('\n').count();
            let n_gone = n_before.saturating_sub(self.replacement.matches('\n').count());
            self.replacement.push_str(&"\n".repeat(n_gone));
        }
        self
    }

    /// Describes the change on one line: `a becomes b`, `a is removed` or `b is inserted`.
    pub fn describe(&self, text: &str) -> String {
        let before = shown(self.span.of(text));
        let after = shown(&self.replacement);
        match (before.is_empty(), after.is_empty()) {
            (false, false) => format!("{before} becomes {after}"),
            (false, true) => format!("{before} is removed"),
            (true, _) => format!("{after} is inserted"),
        }
    }
}

fn shown(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.is_empty() {
        return one_line;
    }
    let mut short: String = one_line.chars().take(N_SHOWN).collect();
    if short.len() < one_line.len() {
        short.push('…');
    }
    format!("`{short}`")
}
