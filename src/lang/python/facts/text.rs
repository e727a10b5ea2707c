//! Reads annotations that stand in strings: `"Optional[pkg.Node]"`.

use super::lower::PythonLowering;
use super::{Display, Expr, ExprId};
use crate::model::Span;
use crate::syntax::nesting::NESTING_MAX;

/// How many words an annotation may have.
const WORDS_MAX: usize = 200;

impl PythonLowering<'_> {
    /// Lowers an annotation; a string in it is read as the type that it holds.
    pub fn annotation(&mut self, idx: u32) -> ExprId {
        let first = self.facts.exprs.len();
        let id = self.expr(idx);
        for at in first..self.facts.exprs.len() {
            let Expr::Str(name) = self.facts.exprs[at] else {
                continue;
            };
            let text = self.facts.word(name).to_owned();
            let span = self.facts.spans[at];
            if let Some(read) = self.written(&text, span) {
                self.facts.exprs[at] = self.facts.expr(read);
            }
        }
        id
    }

    fn written(&mut self, text: &str, span: Span) -> Option<ExprId> {
        let words = words_of(text)?;
        let mut reader = AnnotationReader {
            words: &words,
            at: 0,
            depth: 0,
            span,
        };
        let id = reader.union(self)?;
        (reader.at == words.len()).then_some(id)
    }
}

/// Cuts a text into names, numbers and punctuation; nothing where it holds a character that no type does.
fn words_of(text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let len = if c.is_alphanumeric() || c == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if matches!(c, '.' | '[' | ']' | ',' | '|') {
            1
        } else {
            return None;
        };
        words.push(&rest[..len]);
        rest = rest[len..].trim_start();
        if words.len() > WORDS_MAX {
            return None;
        }
    }
    (!words.is_empty()).then_some(words)
}

struct AnnotationReader<'w> {
    words: &'w [&'w str],
    at: usize,
    depth: u32,
    span: Span,
}

impl AnnotationReader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_next);
        is_next
    }

    fn push(&self, lower: &mut PythonLowering<'_>, expr: Expr) -> ExprId {
        lower.push_expr(expr, self.span, self.span.start)
    }

    fn union(&mut self, lower: &mut PythonLowering<'_>) -> Option<ExprId> {
        let mut left = self.named(lower)?;
        while self.takes("|") {
            let right = self.named(lower)?;
            let op = lower.word("|");
            left = self.push(lower, Expr::Binary { op, left, right });
        }
        Some(left)
    }

    fn name(&mut self, lower: &mut PythonLowering<'_>) -> Option<super::Name> {
        let word = *self.words.get(self.at)?;
        let first = word.chars().next()?;
        if !(first.is_alphanumeric() || first == '_') {
            return None;
        }
        self.at += 1;
        Some(lower.word(word))
    }

    fn named(&mut self, lower: &mut PythonLowering<'_>) -> Option<ExprId> {
        if self.words.get(self.at) == Some(&"[") {
            // The list of a callable's parameters.
            self.at += 1;
            return self.list(lower, Display::List);
        }
        let name = self.name(lower)?;
        let mut value = self.push(lower, Expr::Name(name));
        while self.takes(".") {
            let name = self.name(lower)?;
            value = self.push(lower, Expr::Attr { value, name });
        }
        if self.takes("[") {
            let index = self.list(lower, Display::Tuple)?;
            value = self.push(lower, Expr::Subscript { value, index });
        }
        Some(value)
    }

    /// Reads the elements of a list up to its closing bracket.
    fn list(&mut self, lower: &mut PythonLowering<'_>, display: Display) -> Option<ExprId> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return None;
        }
        let mut parts = Vec::new();
        while !self.takes("]") {
            if self.words.get(self.at) == Some(&".") {
                // `...`
                self.at += 3;
            } else {
                parts.push(self.union(lower)?);
            }
            if !self.takes(",") && self.words.get(self.at) != Some(&"]") {
                return None;
            }
        }
        self.depth -= 1;
        match parts.as_slice() {
            [one] if display == Display::Tuple => Some(*one),
            _ => {
                let run = lower.push_list(&parts);
                Some(self.push(lower, Expr::Display(display, run)))
            }
        }
    }
}
