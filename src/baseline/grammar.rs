//! Restricts a model to sequences that can be decoded: which numbers may follow, by the nodes that are open.
//!
//! The guide knows the forms of each type. It cannot know whether a value is a name or a number, whether the code has
//! the tree that the sequence describes, and whether javac would read it: the decoder proves that at the end, and a
//! sequence that it refuses is said again in other words.

use crate::encode::{BEGIN, Decoder, Guide};
use crate::vocabulary::{Piece, Vocabulary};

/// The effect of a number on a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Nothing,
    End,
    Marker,
    BeginValue,
    GoOn,
}

/// The effect of each number of a vocabulary; computed once for a vocabulary.
#[derive(Debug)]
pub struct Deeds {
    deeds: Vec<Deed>,
    markers: Vec<(u32, String)>,
}

impl Deeds {
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut markers = Vec::new();
        let deeds = (0..vocabulary.len() as u32).map(|id| match vocabulary.piece(id) {
            Piece::Nothing if id == vocabulary.end() => Deed::End,
            Piece::Nothing => Deed::Nothing,
            Piece::Marker(marker) => {
                markers.push((id, marker.clone()));
                Deed::Marker
            }
            Piece::Text(text) if text.starts_with(BEGIN) => Deed::BeginValue,
            Piece::Text(_) | Piece::Byte(_) => Deed::GoOn,
        });
        Self {
            deeds: deeds.collect(),
            markers,
        }
    }
}

/// A sequence under construction.
#[derive(Clone, Debug, Default)]
pub struct Held {
    guide: Guide,
    /// The numbers of an unfinished value.
    value: Vec<u32>,
}

impl Held {
    /// Sets `allowed` for each number: whether it may follow.
    pub fn allow(&self, deeds: &Deeds, vocabulary: &Vocabulary, allowed: &mut Vec<bool>) {
        allowed.clear();
        allowed.resize(deeds.deeds.len(), false);
        // Where the value may end here, the numbers that follow a value are allowed, too.
        let behind = self.behind_value(vocabulary);
        if let Some(guide) = &behind {
            let begins = guide.may_begin_value();
            for (allowed, deed) in allowed.iter_mut().zip(&deeds.deeds) {
                *allowed = match deed {
                    Deed::End => guide.is_done(),
                    Deed::BeginValue => begins,
                    Deed::Nothing | Deed::Marker | Deed::GoOn => false,
                };
            }
            let closing = guide.closing();
            let open = guide.open_type();
            for (id, marker) in &deeds.markers {
                let name = marker
                    .strip_prefix("<[")
                    .and_then(|rest| rest.strip_suffix("]>"));
                let opens = name.is_some_and(|type_name| {
                    !type_name.starts_with(['/', '='])
                        && fits(open, type_name)
                        && guide.may_open(type_name)
                });
                // An empty root is not an assertion.
                let is_empty_root = guide.depth() == 1 && marker == crate::encode::CLOSED;
                let closes = closing == Some(marker.as_str()) && !is_empty_root;
                allowed[*id as usize] = opens || closes;
            }
        }
        if !self.value.is_empty() {
            for (allowed, deed) in allowed.iter_mut().zip(&deeds.deeds) {
                *allowed |= *deed == Deed::GoOn;
            }
        }
    }

    /// Returns the guide behind the unfinished value; nothing where the value cannot end here.
    fn behind_value(&self, vocabulary: &Vocabulary) -> Option<Guide> {
        let mut guide = self.guide.clone();
        if self.value.is_empty() {
            return Some(guide);
        }
        let tokens = vocabulary.join(&self.value);
        let token = tokens.first().filter(|token| !token.is_empty())?;
        guide.take(token).then_some(guide)
    }

    /// Takes a number that was allowed.
    pub fn take(&mut self, id: u32, vocabulary: &Vocabulary) {
        let goes_on = match vocabulary.piece(id) {
            Piece::Byte(_) => true,
            Piece::Text(text) => !text.starts_with(BEGIN),
            Piece::Nothing | Piece::Marker(_) => false,
        };
        if goes_on && !self.value.is_empty() {
            self.value.push(id);
            return;
        }
        if let Some(guide) = self.behind_value(vocabulary) {
            self.guide = guide;
        }
        self.value.clear();
        match vocabulary.piece(id) {
            Piece::Marker(marker) => {
                self.guide.take(marker);
            }
            Piece::Text(_) | Piece::Byte(_) => self.value.push(id),
            Piece::Nothing => {}
        }
    }
}

/// Tells whether nodes of a type stand in lists of statements.
fn is_statement(name: &str) -> bool {
    name.ends_with("_statement")
        || matches!(
            name,
            "block"
                | "local_variable_declaration"
                | "switch_expression"
                | "explicit_constructor_invocation"
        )
        || is_declaration(name)
}

fn is_declaration(name: &str) -> bool {
    matches!(
        name,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

fn is_expression(name: &str) -> bool {
    (name.ends_with("_expression") && name != "dimensions_expr")
        || matches!(
            name,
            "method_invocation"
                | "field_access"
                | "array_access"
                | "class_literal"
                | "method_reference"
                | "scoped_identifier"
        )
}

/// Tells whether a node of type `name` may stand in one of type `open`, by the grammar of the types that assertions are
/// made of. Any other type accepts all; the decoder proves the result.
fn fits(open: Option<&str>, name: &str) -> bool {
    match open {
        Some("block") => is_statement(name),
        Some(
            "argument_list"
            | "binary_expression"
            | "unary_expression"
            | "parenthesized_expression"
            | "ternary_expression"
            | "return_statement"
            | "throw_statement"
            | "field_access"
            | "array_access"
            | "assert_statement",
        ) => is_expression(name),
        Some("expression_statement") => is_expression(name) && name != "binary_expression",
        Some("method_invocation") => {
            is_expression(name) || matches!(name, "argument_list" | "type_arguments")
        }
        Some("variable_declarator") => {
            is_expression(name) || matches!(name, "dimensions" | "array_initializer")
        }
        _ => true,
    }
}

/// The decoder's answer about numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Code,
    /// The index of the first number that cannot stand there; the count of numbers where the end is too early.
    Refused(usize),
}

/// Proves that numbers are code, or finds where they are not; `ids` is without the end number.
pub fn prove(decoder: &mut Decoder, vocabulary: &Vocabulary, ids: &[u32]) -> Proof {
    let tokens = vocabulary.join(ids);
    match decoder.decode_strict(tokens.iter().map(String::as_str)) {
        Ok(_) => Proof::Code,
        Err(error) => Proof::Refused(first_id(vocabulary, ids, error.position)),
    }
}

/// Returns the index of the first number of the token at `position`.
fn first_id(vocabulary: &Vocabulary, ids: &[u32], position: usize) -> usize {
    let mut n_tokens = 0;
    let mut is_in_value = false;
    for (idx, id) in ids.iter().enumerate() {
        let begins = match vocabulary.piece(*id) {
            Piece::Nothing => continue,
            Piece::Marker(_) => {
                is_in_value = false;
                true
            }
            Piece::Text(text) if text.starts_with(BEGIN) => {
                is_in_value = true;
                true
            }
            Piece::Text(_) | Piece::Byte(_) => !std::mem::replace(&mut is_in_value, true),
        };
        if begins {
            if n_tokens == position {
                return idx;
            }
            n_tokens += 1;
        }
    }
    ids.len()
}

/// Returns the longest beginning of whole statements that is code, closed as a block; the empty block where there is
/// none.
pub fn statements(decoder: &mut Decoder, vocabulary: &Vocabulary, ids: &[u32]) -> Vec<u32> {
    let mut guide = Guide::new();
    let mut ends: Vec<usize> = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (idx, id) in ids.iter().enumerate() {
        let Piece::Marker(marker) = vocabulary.piece(*id) else {
            continue;
        };
        let value = vocabulary.join(&ids[start..idx]);
        if !value.iter().all(|token| guide.take(token)) || !guide.take(marker) {
            break;
        }
        start = idx + 1;
        if guide.depth() == 1 && depth == 2 {
            ends.push(idx + 1);
        }
        depth = guide.depth();
    }
    let close = vocabulary.marker("<[/block]>");
    for end in ends.into_iter().rev() {
        let mut kept = ids[..end].to_vec();
        kept.extend(close);
        if prove(decoder, vocabulary, &kept) == Proof::Code {
            return kept;
        }
    }
    ["<[block]>", crate::encode::CLOSED]
        .iter()
        .filter_map(|marker| vocabulary.marker(marker))
        .collect()
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::{Deed, Deeds, Held, Proof, prove, statements};
    use crate::encode::Decoder;
    use crate::fixture;
    use crate::vocabulary::Vocabulary;

    /// Draws allowed numbers at random, most often those that end or close; returns them, and whether they came to
    /// their end.
    fn drawn(vocabulary: &Vocabulary, deeds: &Deeds, random: &mut Pcg64Mcg) -> (Vec<u32>, bool) {
        let mut held = Held::default();
        let (mut ids, mut allowed) = (Vec::new(), Vec::new());
        while ids.len() < 80 {
            held.allow(deeds, vocabulary, &mut allowed);
            let may = |id: &u32| allowed[*id as usize];
            let all: Vec<u32> = (0..vocabulary.len() as u32).filter(may).collect();
            assert!(!all.is_empty(), "nothing may follow {ids:?}");
            let ends = |id: &&u32| {
                let deed = deeds.deeds[**id as usize];
                let closes = vocabulary.join(&[**id]).concat().starts_with("<[/");
                deed == Deed::End || (deed == Deed::Marker && closes)
            };
            let closing: Vec<u32> = all.iter().filter(ends).copied().collect();
            let ends_here = !random.next_u64().is_multiple_of(4) && !closing.is_empty();
            let from = if ends_here { &closing } else { &all };
            let id = from[(random.next_u64() % from.len() as u64) as usize];
            if id == vocabulary.end() {
                return (ids, true);
            }
            ids.push(id);
            held.take(id, vocabulary);
        }
        (ids, false)
    }

    #[test]
    fn what_is_drawn_by_lot_ends_as_code_or_is_refused_where_it_can_be_said_again() {
        let vocabulary = fixture::vocabulary();
        let deeds = Deeds::new(&vocabulary);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut decoder = Decoder::new();
        let (mut n_code, mut n_refused, mut n_cut_off) = (0, 0, 0);
        for _ in 0..1000 {
            let (ids, has_ended) = drawn(&vocabulary, &deeds, &mut random);
            let said = vocabulary.join(&ids).join(" ");
            match prove(&mut decoder, &vocabulary, &ids) {
                Proof::Code => n_code += 1,
                Proof::Refused(at) if has_ended => {
                    assert!(at < ids.len(), "{said}");
                    n_refused += 1;
                }
                Proof::Refused(_) => n_cut_off += 1,
            }
            let kept = statements(&mut decoder, &vocabulary, &ids);
            let proof = prove(&mut decoder, &vocabulary, &kept);
            assert_eq!(proof, Proof::Code, "{said}");
        }
        let counts = (n_code, n_refused, n_cut_off);
        assert!(n_code > 0 && n_refused > 0 && n_cut_off > 0, "{counts:?}");
    }

    #[test]
    fn what_code_says_is_allowed() {
        let vocabulary = fixture::vocabulary();
        let deeds = Deeds::new(&vocabulary);
        let mut allowed = Vec::new();
        for (_, target) in fixture::pairs(16) {
            let mut ids = Vec::new();
            vocabulary.split(target.iter().map(String::as_str), &mut ids);
            let mut held = Held::default();
            for id in ids.iter().chain([&vocabulary.end()]) {
                held.allow(&deeds, &vocabulary, &mut allowed);
                assert!(allowed[*id as usize], "{:?}", vocabulary.piece(*id));
                held.take(*id, &vocabulary);
            }
            assert_eq!(prove(&mut Decoder::new(), &vocabulary, &ids), Proof::Code);
        }
    }

    #[test]
    fn what_is_cut_off_keeps_its_whole_statements() {
        let vocabulary = fixture::vocabulary();
        let mut decoder = Decoder::new();
        let (_, target) = fixture::pairs(1).remove(0);
        let mut ids = Vec::new();
        vocabulary.split(target.iter().map(String::as_str), &mut ids);
        let whole = ids.clone();
        assert_eq!(statements(&mut decoder, &vocabulary, &whole), whole);
        let again: Vec<u32> = ids[1..ids.len() - 4].to_vec();
        ids.truncate(ids.len() - 1);
        ids.extend(again);
        assert_eq!(statements(&mut decoder, &vocabulary, &ids), whole);
        let none = statements(&mut decoder, &vocabulary, &ids[..3]);
        assert_eq!(vocabulary.join(&none), ["<[block]>", "<[/]>"]);
    }
}
