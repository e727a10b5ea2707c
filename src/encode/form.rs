//! The forms of the table: which children of a node fit, and which tokens stand between them.
//!
//! Reads [`table`](crate::table); knows neither trees nor sequences, only their children's words and types.

use std::sync::OnceLock;

use crate::model::Language;
use crate::syntax::tree::{Grammar, NodeKind};
use rustc_hash::FxHashMap;

use crate::table::{ATOMS, COMMENTS, JAVA};

/// A token that some form names; 0 is every other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormToken(pub u16);

impl FormToken {
    /// A token that no form names.
    pub const OTHER: Self = Self(0);
}

/// A child of a node, as far as forms distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    Node(NodeKind),
    Token(FormToken),
}

/// A piece of a filled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledPiece {
    /// A token that the sequence leaves out.
    Said(FormToken),
    /// The n-th child that the sequence has.
    Child(u32),
}

#[derive(Clone, Copy, Debug)]
enum FormElement {
    Said(FormToken),
    Token(FormToken),
    One,
    Typed(NodeKind),
    Many {
        separator: Option<FormToken>,
        kind: Option<NodeKind>,
    },
}

impl FormElement {
    const fn is_child(self) -> bool {
        matches!(self, Self::Token(_) | Self::One | Self::Typed(_))
    }

    fn takes(self, child: Child) -> bool {
        match self {
            Self::Said(_) => false,
            Self::One => true,
            Self::Token(word) => child == Child::Token(word),
            Self::Typed(kind) => child == Child::Node(kind),
            Self::Many { kind, .. } => kind.is_none_or(|kind| child == Child::Node(kind)),
        }
    }
}

/// One form of a type.
#[derive(Debug)]
pub struct TypeForm {
    elements: Vec<FormElement>,
    /// The tokens that it leaves out.
    said: Vec<FormToken>,
    n_children: usize,
    /// Where its `*` is.
    many: Option<usize>,
}

impl TypeForm {
    fn new(elements: Vec<FormElement>) -> Self {
        let mut said: Vec<FormToken> = Vec::new();
        for element in &elements {
            match element {
                FormElement::Said(word)
                | FormElement::Many {
                    separator: Some(word),
                    ..
                } => said.push(*word),
                _ => {}
            }
        }
        Self {
            n_children: elements.iter().filter(|element| element.is_child()).count(),
            many: elements
                .iter()
                .position(|element| matches!(element, FormElement::Many { .. })),
            elements,
            said,
        }
    }

    /// Tells whether a token is one that the form leaves out.
    pub fn leaves_out(&self, child: Child) -> bool {
        matches!(child, Child::Token(word) if self.said.contains(&word))
    }

    /// Tells whether the form fits these children of a node in a sequence.
    pub fn fits(&self, children: &[Child]) -> bool {
        let Some(n_many) = children.len().checked_sub(self.n_children) else {
            return false;
        };
        if n_many > 0 && self.many.is_none() {
            return false;
        }
        let mut at = 0;
        self.elements.iter().all(|element| {
            let n = match element {
                FormElement::Said(_) => return true,
                FormElement::Many { .. } => n_many,
                _ => 1,
            };
            let taken = &children[at..at + n];
            at += n;
            taken.iter().all(|child| element.takes(*child))
        })
    }

    /// Tells whether children that fit can begin with these.
    pub fn begins(&self, children: &[Child]) -> bool {
        let is_child = |element: &&FormElement| !matches!(element, FormElement::Said(_));
        let Some(many) = self.many else {
            let mut elements = self.elements.iter().filter(is_child);
            return children
                .iter()
                .all(|child| elements.next().is_some_and(|element| element.takes(*child)));
        };
        let mut before = self.elements[..many].iter().filter(is_child);
        let mut rest = children.iter();
        for element in before.by_ref() {
            match rest.next() {
                Some(child) if element.takes(*child) => {}
                Some(_) => return false,
                None => return true,
            }
        }
        let rest = rest.as_slice();
        let behind: Vec<&FormElement> = self.elements[many + 1..].iter().filter(is_child).collect();
        // The last of them may stand behind the `*` already.
        (0..=behind.len().min(rest.len())).any(|n_behind| {
            let (of_many, last) = rest.split_at(rest.len() - n_behind);
            of_many
                .iter()
                .all(|child| self.elements[many].takes(*child))
                && last
                    .iter()
                    .zip(&behind)
                    .all(|(child, element)| element.takes(*child))
        })
    }

    /// Iterates over the tokens that the form names and does not leave out.
    pub fn words(&self) -> impl Iterator<Item = FormToken> {
        self.elements.iter().filter_map(|element| match element {
            FormElement::Token(word) => Some(*word),
            _ => None,
        })
    }

    /// Appends the parts of a node of `n_children`, which fit.
    pub fn fill(&self, n_children: usize, filled: &mut Vec<FilledPiece>) {
        let n_many = n_children - self.n_children;
        let mut at = 0;
        let mut next = || {
            at += 1;
            FilledPiece::Child(at - 1)
        };
        for element in &self.elements {
            match element {
                FormElement::Said(word) => filled.push(FilledPiece::Said(*word)),
                FormElement::Many { separator, .. } => {
                    for idx in 0..n_many {
                        if idx > 0
                            && let Some(word) = separator
                        {
                            filled.push(FilledPiece::Said(*word));
                        }
                        filled.push(next());
                    }
                }
                FormElement::Token(_) | FormElement::One | FormElement::Typed(_) => {
                    filled.push(next());
                }
            }
        }
    }
}

/// A node type as sequences write it.
#[derive(Debug)]
pub struct SequenceType {
    pub name: &'static str,
    pub kind: NodeKind,
    /// `<[block]>`, `<[/block]>`
    pub open: String,
    pub close: String,
    pub forms: Vec<TypeForm>,
    /// Whether its only form leaves nothing out.
    pub is_plain: bool,
}

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeEncoding {
    /// A type of the table: its index.
    Type(u16),
    /// One token: its text.
    Atom,
    /// Not at all.
    Comment,
    /// The table has no such type.
    Unknown,
}

/// The table, read: one for the grammar of Java.
#[derive(Debug)]
pub struct FormTable {
    pub grammar: &'static Grammar,
    pub types: Vec<SequenceType>,
    by_kind: Vec<NodeEncoding>,
    by_name: FxHashMap<&'static str, u16>,
    words: Vec<&'static str>,
    by_word: FxHashMap<&'static str, FormToken>,
}

impl FormTable {
    /// Returns Java's table; it is read once.
    pub fn java() -> &'static Self {
        static TABLE: OnceLock<FormTable> = OnceLock::new();
        TABLE.get_or_init(|| Self::read(Grammar::of(Language::Java)))
    }

    fn read(grammar: &'static Grammar) -> Self {
        let kind = |name: &str| {
            grammar
                .kind(name)
                .expect("the grammar has the table's types")
        };
        let mut table = Self {
            grammar,
            types: Vec::with_capacity(JAVA.len()),
            by_kind: vec![NodeEncoding::Unknown; grammar.n_kinds()],
            by_name: FxHashMap::default(),
            words: vec![""],
            by_word: FxHashMap::default(),
        };
        for name in ATOMS {
            table.by_kind[usize::from(kind(name).0)] = NodeEncoding::Atom;
        }
        for name in COMMENTS {
            table.by_kind[usize::from(kind(name).0)] = NodeEncoding::Comment;
        }
        for &(name, forms) in JAVA {
            let idx = table.types.len() as u16;
            let forms: Vec<TypeForm> = forms.iter().map(|form| table.form(form)).collect();
            table.by_kind[usize::from(kind(name).0)] = NodeEncoding::Type(idx);
            table.by_name.insert(name, idx);
            table.types.push(SequenceType {
                name,
                kind: kind(name),
                open: format!("<[{name}]>"),
                close: format!("<[/{name}]>"),
                is_plain: is_plain(&forms),
                forms,
            });
        }
        table
    }

    fn form(&mut self, form: &'static str) -> TypeForm {
        let mut elements = Vec::new();
        for word in form.split(' ') {
            let quoted = word
                .strip_prefix('\'')
                .and_then(|rest| rest.strip_suffix('\''));
            let typed = word.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let (kind, rest) = match typed {
                Some((name, rest)) if !name.is_empty() => (self.grammar.kind(name), rest),
                _ => (None, word),
            };
            elements.push(if let Some(token) = quoted {
                FormElement::Token(self.word_of(token))
            } else if let Some(separator) = rest.strip_prefix('*') {
                let separator = (!separator.is_empty()).then(|| self.word_of(separator));
                FormElement::Many { separator, kind }
            } else if let Some(kind) = kind {
                FormElement::Typed(kind)
            } else if word == "_" {
                FormElement::One
            } else {
                FormElement::Said(self.word_of(word))
            });
        }
        TypeForm::new(elements)
    }

    fn word_of(&mut self, token: &'static str) -> FormToken {
        *self.by_word.entry(token).or_insert_with(|| {
            self.words.push(token);
            FormToken(self.words.len() as u16 - 1)
        })
    }

    /// Returns how a node of this kind is written where it has children.
    pub fn role(&self, kind: NodeKind) -> NodeEncoding {
        self.by_kind[usize::from(kind.0)]
    }

    /// Looks up a node type by its name.
    pub fn type_named(&self, name: &str) -> Option<u16> {
        self.by_name.get(name).copied()
    }

    /// Looks up the word of a token.
    pub fn word(&self, token: &str) -> FormToken {
        self.by_word.get(token).copied().unwrap_or(FormToken::OTHER)
    }

    /// Looks up the token of a word.
    pub fn token(&self, word: FormToken) -> &'static str {
        self.words[usize::from(word.0)]
    }
}

/// Tells whether there is nothing to leave out.
fn is_plain(forms: &[TypeForm]) -> bool {
    matches!(forms, [form] if form.said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Child, FilledPiece, FormTable, FormToken};

    /// Fills the first form of a type that fits children: `_` is any token, `name` a node.
    fn check(name: &str, children: &[&str], expected: &str) {
        let table = FormTable::java();
        let row = &table.types[usize::from(table.type_named(name).expect("it is in the table"))];
        let items: Vec<Child> = children
            .iter()
            .map(|child| match table.type_named(child) {
                Some(idx) => Child::Node(table.types[usize::from(idx)].kind),
                None => Child::Token(table.word(child)),
            })
            .collect();
        let form = row.forms.iter().find(|form| form.fits(&items));
        let mut filled = Vec::new();
        if let Some(form) = form {
            form.fill(items.len(), &mut filled);
        }
        let words: Vec<&str> = filled
            .iter()
            .map(|filled_piece| match filled_piece {
                FilledPiece::Said(word) => table.token(*word),
                FilledPiece::Child(at) => children[*at as usize],
            })
            .collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn the_number_of_children_says_what_was_left_out() {
        check("if_statement", &["x", "block"], "if x block");
        check("if_statement", &["x", "block", "y"], "if x block else y");
        check("if_statement", &["x"], "");
        check("argument_list", &[], "( )");
        check("argument_list", &["a", "b"], "( a , b )");
        check("return_statement", &["a"], "return a ;");
        check("cast_expression", &["A", "B", "c"], "( A & B ) c");
    }

    #[test]
    fn the_type_of_a_child_says_it_where_the_number_does_not() {
        check("variable_declarator", &["a", "dimensions"], "a dimensions");
        check("variable_declarator", &["a", "b"], "a = b");
        check(
            "local_variable_declaration",
            &["int", "variable_declarator", "variable_declarator"],
            "int variable_declarator , variable_declarator ;",
        );
    }

    #[test]
    fn a_token_that_no_form_names_is_another() {
        assert_eq!(FormTable::java().word("x"), FormToken::OTHER);
    }
}
