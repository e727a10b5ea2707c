//! From a sequence back to source.
//!
//! A sequence is read strictly: the decoded code is encoded again and must give the same sequence. So any output of a
//! model decodes to code with exactly that tree, or to an error with its place.

use std::ops::Range;

use crate::model::{Language, ParseMode};
use crate::syntax::java::piece::PieceUnit;
use crate::syntax::judge::Judge;
use crate::syntax::verdict::{ParseOutcome, PieceShape};

use crate::encode::{EncodeError, Encoder};
use crate::form::{Child, FilledPiece, FormTable, FormToken};
use crate::layout::{LayoutRole, TokenLayout};
use crate::sequence::{CLOSED, FULL, Sequence, is_marker};

/// Why a sequence is no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token {position}: {message}")]
pub struct DecodeError {
    /// The index of the token that cannot stand there; the number of tokens when the end is too early.
    pub position: usize,
    /// A lower-case fragment, tokens in backticks and escaped.
    pub message: String,
}

impl DecodeError {
    fn new(position: usize, message: impl Into<String>) -> Self {
        Self {
            position,
            message: message.into(),
        }
    }
}

/// A node under construction.
struct PartialNode {
    kind: u16,
    position: usize,
    /// Where its children begin among the items.
    start: usize,
    is_full: bool,
}

#[derive(Clone, Copy)]
enum NodePiece {
    Said(FormToken),
    Item(u32),
}

/// A subtree that is complete.
struct DecodedSubtree {
    what: SubtreeContent,
    position: usize,
}

enum SubtreeContent {
    Value,
    Node { kind: u16, pieces: Range<usize> },
}

/// Makes code from sequences; keeps its buffers from one to the next. One per thread.
#[derive(Default)]
pub struct Decoder {
    encoder: Encoder,
    again: Sequence,
    frames: Vec<PartialNode>,
    items: Vec<DecodedSubtree>,
    /// Subtrees that no node has yet.
    loose: Vec<(Child, u32)>,
    pieces: Vec<NodePiece>,
    taken: Vec<Child>,
    filled: Vec<FilledPiece>,
    layout: TokenLayout,
    /// Places in the text, each with the index of its token in the sequence.
    places: Vec<(usize, usize)>,
    judge: Judge,
}

/// Finds the byte at a line and a column, both counted from 1.
fn offset(text: &str, line: u32, column: u32) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before = lines.by_ref().take(line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let chars = lines.next().unwrap_or_default().char_indices();
    let column = column.saturating_sub(1) as usize;
    let at = chars.map(|c| c.0).nth(column);
    start + at.unwrap_or(0)
}

impl Decoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the code of a sequence that [`Encoder::encode`] could have made, and its kind.
    ///
    /// # Errors
    /// For every other sequence, with the place where it stops being one.
    pub fn decode<'s, S>(&mut self, tokens: S) -> Result<(&str, PieceUnit), DecodeError>
    where
        S: IntoIterator<Item = &'s str>,
        S::IntoIter: ExactSizeIterator + Clone,
    {
        let tokens = tokens.into_iter();
        let root = self.read(tokens.clone())?;
        let unit = self.unit(root)?;
        self.lay_out(root, unit, tokens.clone());
        self.prove(unit, tokens)?;
        Ok((&self.layout.text, unit))
    }

    /// Decodes as [`Decoder::decode`], and checks the code by javac's rules, which refuse some code that has a tree:
    /// `this.class`, or a number that is too large. Whole files are not checked.
    ///
    /// # Errors
    /// As there, and for code that javac would refuse.
    pub fn decode_strict<'s, S>(&mut self, tokens: S) -> Result<(&str, PieceUnit), DecodeError>
    where
        S: IntoIterator<Item = &'s str>,
        S::IntoIter: ExactSizeIterator + Clone,
    {
        let (_, unit) = self.decode(tokens)?;
        let shape = match unit {
            PieceUnit::Statements => PieceShape::Statements,
            PieceUnit::Members => PieceShape::Member,
            PieceUnit::File => return Ok((&self.layout.text, unit)),
        };
        let text = &self.layout.text;
        let by = (Language::Java, ParseMode::Strict);
        match self.judge.verdict(text, shape, by) {
            ParseOutcome::Ok => Ok((&self.layout.text, unit)),
            ParseOutcome::Error {
                line,
                column,
                detail,
            } => {
                let at = offset(text, line, column);
                Err(DecodeError::new(self.token_at(at), detail))
            }
        }
    }

    /// Finds the token of the sequence at a place of the text, or the last before it.
    fn token_at(&self, at: usize) -> usize {
        let idx = self.places.partition_point(|place| place.0 <= at);
        let place = idx.checked_sub(1).and_then(|n| self.places.get(n));
        place.map_or(0, |place| place.1)
    }

    /// Reads the tree; returns its root.
    fn read<'s>(
        &mut self,
        tokens: impl ExactSizeIterator<Item = &'s str>,
    ) -> Result<u32, DecodeError> {
        let table = FormTable::java();
        self.frames.clear();
        self.items.clear();
        self.loose.clear();
        self.pieces.clear();
        let n_tokens = tokens.len();
        let mut is_behind_open = false;
        for (position, token) in tokens.enumerate() {
            let was_behind_open = std::mem::take(&mut is_behind_open);
            if position > 0 && self.frames.is_empty() {
                let message = format!("{} stands behind the end", quoted(token));
                return Err(DecodeError::new(position, message));
            }
            let inner = token
                .strip_prefix("<[")
                .and_then(|rest| rest.strip_suffix("]>"));
            match inner {
                None if self.frames.is_empty() => {
                    return Err(DecodeError::new(position, "does not begin with a root"));
                }
                None => self.push(
                    Child::Token(table.word(token)),
                    SubtreeContent::Value,
                    position,
                ),
                Some(_) if token == CLOSED => {
                    if !was_behind_open {
                        return Err(DecodeError::new(
                            position,
                            format!("`{CLOSED}` stands behind no marker that opens"),
                        ));
                    }
                    self.close(table, position)?;
                }
                Some(_) if token == FULL => {
                    let frame = self.frames.last_mut().filter(|_| was_behind_open);
                    let Some(frame) = frame else {
                        return Err(DecodeError::new(
                            position,
                            format!("`{FULL}` stands behind no marker that opens"),
                        ));
                    };
                    frame.is_full = true;
                }
                Some(name) => {
                    let (name, closes) = name
                        .strip_prefix('/')
                        .map_or((name, false), |rest| (rest, true));
                    let Some(kind) = table.type_named(name) else {
                        return Err(DecodeError::new(
                            position,
                            format!("{} is not a type", quoted(token)),
                        ));
                    };
                    if !closes {
                        is_behind_open = true;
                        self.frames.push(PartialNode {
                            kind,
                            position,
                            start: self.loose.len(),
                            is_full: false,
                        });
                    } else if self.frames.last().is_some_and(|frame| frame.kind == kind) {
                        self.close(table, position)?;
                    } else {
                        let open = self
                            .frames
                            .last()
                            .map_or("", |frame| table.types[usize::from(frame.kind)].name);
                        let message = format!("{} closes `{open}`", quoted(token));
                        return Err(DecodeError::new(position, message));
                    }
                }
            }
        }
        if let Some(frame) = self.frames.last() {
            let name = table.types[usize::from(frame.kind)].name;
            let message = format!("ends inside `{name}`");
            return Err(DecodeError::new(n_tokens, message));
        }
        let root = self.loose.pop().map(|(_, item)| item);
        root.ok_or_else(|| DecodeError::new(0, "has no tokens"))
    }

    fn push(&mut self, child: Child, what: SubtreeContent, position: usize) {
        self.loose.push((child, self.items.len() as u32));
        self.items.push(DecodedSubtree { what, position });
    }

    /// Makes a node of the subtrees since its beginning.
    fn close(&mut self, table: &FormTable, position: usize) -> Result<(), DecodeError> {
        let Some(frame) = self.frames.pop() else {
            return Err(DecodeError::new(position, "there is no open node to close"));
        };
        let row = &table.types[usize::from(frame.kind)];
        let children = &self.loose[frame.start..];
        let start = self.pieces.len();
        if frame.is_full {
            let items = children.iter().map(|(_, item)| NodePiece::Item(*item));
            self.pieces.extend(items);
        } else {
            self.taken.clear();
            self.taken.extend(children.iter().map(|child| child.0));
            let Some(form) = row.forms.iter().find(|form| form.fits(&self.taken)) else {
                let message = format!("`{}` cannot have these children", row.name);
                return Err(DecodeError::new(position, message));
            };
            self.filled.clear();
            form.fill(children.len(), &mut self.filled);
            let pieces = self.filled.iter().map(|filled| match filled {
                FilledPiece::Said(word) => NodePiece::Said(*word),
                FilledPiece::Child(at) => NodePiece::Item(children[*at as usize].1),
            });
            self.pieces.extend(pieces);
        }
        self.loose.truncate(frame.start);
        let what = SubtreeContent::Node {
            kind: frame.kind,
            pieces: start..self.pieces.len(),
        };
        self.push(Child::Node(row.kind), what, frame.position);
        Ok(())
    }

    fn unit(&self, root: u32) -> Result<PieceUnit, DecodeError> {
        let name = match &self.items[root as usize].what {
            SubtreeContent::Value => "",
            SubtreeContent::Node { kind, .. } => FormTable::java().types[usize::from(*kind)].name,
        };
        match name {
            "block" => Ok(PieceUnit::Statements),
            "class_body" => Ok(PieceUnit::Members),
            "program" => Ok(PieceUnit::File),
            _ => Err(DecodeError::new(
                0,
                format!("`{name}` is not a root; a root is `block`, `class_body` or `program`"),
            )),
        }
    }

    /// Writes the text of the tree, without the braces of its root.
    fn lay_out<'s>(
        &mut self,
        root: u32,
        unit: PieceUnit,
        tokens: impl ExactSizeIterator<Item = &'s str>,
    ) {
        let table = FormTable::java();
        self.layout.clear();
        self.places.clear();
        // Values are met in the order of the sequence.
        let mut values = tokens.enumerate();
        let mut open: Vec<(u16, Range<usize>, usize)> = Vec::new();
        if let DecodedSubtree {
            what: SubtreeContent::Node { kind, pieces },
            position,
        } = &self.items[root as usize]
        {
            let pieces = match unit {
                PieceUnit::File => pieces.clone(),
                PieceUnit::Statements | PieceUnit::Members => {
                    pieces.start + 1..pieces.end.saturating_sub(1).max(pieces.start + 1)
                }
            };
            open.push((*kind, pieces, *position));
        }
        while let Some((kind, pieces, position)) = open.last_mut() {
            let Some(at) = pieces.next() else {
                open.pop();
                continue;
            };
            let name = table.types[usize::from(*kind)].name;
            let position = *position;
            let (token, position) = match self.pieces[at] {
                NodePiece::Said(word) => (table.token(word), position),
                NodePiece::Item(item) => {
                    let item = &self.items[item as usize];
                    match &item.what {
                        SubtreeContent::Node { kind, pieces } => {
                            open.push((*kind, pieces.clone(), item.position));
                            continue;
                        }
                        SubtreeContent::Value => {
                            let value = values.find(|(idx, _)| *idx == item.position);
                            (value.map_or("", |value| value.1), item.position)
                        }
                    }
                }
            };
            let start = self.layout.push(token, place(name, token));
            self.places.push((start, position));
        }
    }

    /// Checks that the text encodes to the sequence again.
    fn prove<'s>(
        &mut self,
        unit: PieceUnit,
        tokens: impl ExactSizeIterator<Item = &'s str>,
    ) -> Result<(), DecodeError> {
        self.again.clear();
        match self
            .encoder
            .encode(&self.layout.text, unit, &mut self.again)
        {
            Ok(()) => {}
            Err(EncodeError::Unread(unread)) => {
                let position = self.token_at(unread.at);
                return Err(DecodeError::new(position, unread.detail));
            }
            Err(error) => return Err(DecodeError::new(0, error.to_string())),
        }
        let n_tokens = tokens.len();
        let differs = tokens
            .enumerate()
            .find(|(idx, token)| self.again.get(*idx) != *token);
        match differs {
            Some((position, token)) => Err(DecodeError::new(
                position,
                format!("the code has another tree from {} on", quoted(token)),
            )),
            None if self.again.len() != n_tokens => Err(DecodeError::new(
                n_tokens,
                "the code continues where the tree ends",
            )),
            None => Ok(()),
        }
    }
}

/// Decides how a token stands among its neighbours, by the type of its node.
fn place(name: &str, token: &str) -> LayoutRole {
    match token {
        "." => LayoutRole::Dot,
        ";" => LayoutRole::Line,
        "<" | ">" if matches!(name, "type_arguments" | "type_parameters") => LayoutRole::Angle,
        "(" if matches!(
            name,
            "argument_list"
                | "formal_parameters"
                | "annotation_argument_list"
                | "annotation_type_element_declaration"
                | "record_pattern_body"
        ) =>
        {
            LayoutRole::Call
        }
        "{" | "}" if !name.ends_with("initializer") => LayoutRole::Line,
        ":" if name == "switch_block_statement_group" => LayoutRole::Line,
        _ => LayoutRole::Plain,
    }
}

/// Quotes a token in backticks: its first characters, none that a terminal would obey.
fn quoted(token: &str) -> String {
    /// A longer token is cut in a message: its beginning is enough to find it.
    const CHARS_MAX: usize = 40;
    let shown: String = token.chars().take(CHARS_MAX).collect();
    let dots = if token.chars().nth(CHARS_MAX).is_some() {
        "…"
    } else {
        ""
    };
    format!("`{}{dots}`", shown.escape_debug())
}

/// Tells whether a sequence has a tree: whether it begins with a marker.
#[must_use]
pub fn is_tree(first: Option<&str>) -> bool {
    first.is_some_and(is_marker)
}
