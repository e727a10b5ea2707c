//! Which tokens can follow in a sequence: for models whose output must always be the beginning of a tree.
//!
//! Only the table's forms are applied here. Whether values fit their places, and whether the code has the tree of the
//! sequence, the [`Decoder`](crate::Decoder) checks.

use crate::form::{Child, FormTable, FormToken};
use crate::sequence::CLOSED;

/// A node that is not closed yet.
#[derive(Clone, Debug)]
struct GuideFrame {
    kind: u16,
    children: Vec<Child>,
}

/// The state of an unfinished sequence: the open nodes, each with its children so far. Nodes that are written in full
/// ([`FULL`](crate::FULL)) are not followed.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    frames: Vec<GuideFrame>,
    is_done: bool,
}

impl Guide {
    /// Makes a guide before the first token.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells whether the root is closed: nothing can follow.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Counts the open nodes.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns the type of the innermost open node.
    #[must_use]
    pub fn open_type(&self) -> Option<&'static str> {
        let frame = self.frames.last()?;
        Some(FormTable::java().types[usize::from(frame.kind)].name)
    }

    /// Tells whether a node of that type can begin; the root is a `block`.
    #[must_use]
    pub fn may_open(&self, name: &str) -> bool {
        let table = FormTable::java();
        let Some(kind) = table.type_named(name).filter(|_| !self.is_done) else {
            return false;
        };
        if self.frames.is_empty() {
            return name == "block";
        }
        self.can_have(Child::Node(table.types[usize::from(kind)].kind))
    }

    /// Tells whether a value can begin.
    #[must_use]
    pub fn may_begin_value(&self) -> bool {
        let Some(frame) = self.frames.last().filter(|_| !self.is_done) else {
            return false;
        };
        let row = &FormTable::java().types[usize::from(frame.kind)];
        let mut children = frame.children.clone();
        row.forms.iter().any(|form| {
            let words = form.words().chain([FormToken::OTHER]);
            words.into_iter().any(|word| {
                children.push(Child::Token(word));
                let begins = form.begins(&children);
                children.pop();
                begins
            })
        })
    }

    /// Finds the token that closes the innermost node, if it can be closed.
    #[must_use]
    pub fn closing(&self) -> Option<&'static str> {
        let frame = self.frames.last()?;
        let row = &FormTable::java().types[usize::from(frame.kind)];
        let fits = row.forms.iter().any(|form| form.fits(&frame.children));
        if !fits {
            None
        } else if frame.children.is_empty() {
            Some(CLOSED)
        } else {
            Some(&row.close)
        }
    }

    /// Takes a token; returns whether it can stand there.
    pub fn take(&mut self, token: &str) -> bool {
        let table = FormTable::java();
        if self.is_done {
            return false;
        }
        let name = token
            .strip_prefix("<[")
            .and_then(|rest| rest.strip_suffix("]>"));
        match name {
            None => {
                let child = Child::Token(table.word(token));
                let fits = self.can_have(child);
                if let Some(frame) = self.frames.last_mut().filter(|_| fits) {
                    frame.children.push(child);
                }
                fits
            }
            Some(_) if self.closing() == Some(token) => {
                let closed = self.frames.pop();
                self.is_done = self.frames.is_empty();
                if let (Some(closed), Some(parent)) = (closed, self.frames.last_mut()) {
                    let kind = table.types[usize::from(closed.kind)].kind;
                    parent.children.push(Child::Node(kind));
                }
                true
            }
            Some(name) => {
                let fits = self.may_open(name);
                if let Some(kind) = table.type_named(name).filter(|_| fits) {
                    self.frames.push(GuideFrame {
                        kind,
                        children: Vec::new(),
                    });
                }
                fits
            }
        }
    }

    fn can_have(&self, child: Child) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let row = &FormTable::java().types[usize::from(frame.kind)];
        let mut children = frame.children.clone();
        children.push(child);
        row.forms.iter().any(|form| form.begins(&children))
    }
}

#[cfg(test)]
mod tests {
    use super::Guide;

    fn check(tokens: &str, expected: bool) {
        let mut guide = Guide::new();
        let taken = tokens.split(' ').all(|part| guide.take(part));
        assert_eq!(taken, expected, "{tokens}");
    }

    #[test]
    fn what_a_form_begins_with_is_taken() {
        check(
            "<[block]> <[return_statement]> a <[/return_statement]> <[/block]>",
            true,
        );
        check("<[block]> <[/]>", true);
        check("<[block]> <[if_statement]> a b c", true);
        check(
            "<[block]> <[local_variable_declaration]> int <[variable_declarator]> a",
            true,
        );
    }

    #[test]
    fn what_no_form_begins_with_is_not() {
        check("a", false);
        check("<[program]>", false);
        check("<[block]> <[/return_statement]>", false);
        check("<[block]> <[if_statement]> <[/if_statement]>", false);
        check("<[block]> <[if_statement]> a b c d", false);
        check(
            "<[block]> <[method_invocation]> a <[/method_invocation]>",
            false,
        );
        check("<[block]> <[/]> <[/]>", false);
    }

    #[test]
    fn the_sequences_of_code_are_taken() {
        use crate::{Encoder, PieceUnit, Sequence};
        let code = "int a = b.<T>f(1, x -> x + 1)[2]; assertEquals(a, new A[] {1}.length); \
            for (int i = 0; i < n; i++) { try (A b = c()) { d(); } catch (E e) { } finally { } } \
            switch (a) { case 1: case 2: f(); default: g(); } String s = a ? \"x\" : 'c' + \"\";";
        let mut sequence = Sequence::new();
        Encoder::new()
            .encode(code, PieceUnit::Statements, &mut sequence)
            .expect("it is Java");
        let mut guide = Guide::new();
        assert!(sequence.iter().all(|text| guide.take(text)));
        assert!(guide.is_done());
    }
}
