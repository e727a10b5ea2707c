//! The words of a grammar: kinds of nodes and names of fields, as small numbers.
//!
//! tree-sitter has several numbers for one word; here equal words have equal numbers, whichever rules they come from.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::leaves::TokenPart;
use crate::model::Language;

/// The kind of a node; equal exactly when the names are equal. Has no meaning without its [`Grammar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeKind(pub u16);

/// The name of a parent's field that holds a child. Has no meaning without its [`Grammar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeField(pub u16);

impl NodeField {
    /// The field of a child that its parent does not name.
    pub const NONE: Self = Self(0);

    /// Looks up the field by the library's own number.
    #[must_use]
    pub fn of_id(id: Option<NonZeroU16>) -> Self {
        Self(id.map_or(0, NonZeroU16::get))
    }
}

/// The kinds and fields of one language.
#[derive(Debug)]
pub struct Grammar {
    language: tree_sitter::Language,
    /// By tree-sitter's number, errors last: the kind and whether it is named.
    by_id: Vec<(NodeKind, bool)>,
    kind_names: Vec<Box<str>>,
    /// By kind.
    parts: Vec<TokenPart>,
    field_names: Vec<Box<str>>,
}

impl Grammar {
    /// Looks up the grammar of a language; it is read once.
    #[must_use]
    pub fn of(language: Language) -> &'static Self {
        static GRAMMARS: [OnceLock<Grammar>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        GRAMMARS[language as usize].get_or_init(|| {
            Self::read(tree_sitter::Language::new(match language {
                Language::Java => tree_sitter_java::LANGUAGE,
                Language::Python => tree_sitter_python::LANGUAGE,
                Language::Go => tree_sitter_go::LANGUAGE,
                Language::JavaScript => tree_sitter_javascript::LANGUAGE,
                Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
            }))
        })
    }

    /// Looks up the grammar of TypeScript, with or without elements in the text; it is read once.
    #[must_use]
    pub fn typescript(has_elements: bool) -> &'static Self {
        static GRAMMARS: [OnceLock<Grammar>; 2] = [const { OnceLock::new() }; 2];
        GRAMMARS[usize::from(has_elements)].get_or_init(|| {
            Self::read(tree_sitter::Language::new(if has_elements {
                tree_sitter_typescript::LANGUAGE_TSX
            } else {
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT
            }))
        })
    }

    fn read(language: tree_sitter::Language) -> Self {
        let mut kind_names: Vec<Box<str>> = Vec::new();
        let mut kinds: FxHashMap<Box<str>, NodeKind> = FxHashMap::default();
        let mut by_id = Vec::new();
        let n_ids = language.node_kind_count();
        for id in 0..=n_ids {
            // The library's number for errors is the largest possible one; here it is the one after the others.
            let (name, is_named) = if id == n_ids {
                ("ERROR", true)
            } else {
                let id = id as u16;
                (
                    language.node_kind_for_id(id).unwrap_or_default(),
                    language.node_kind_is_named(id),
                )
            };
            let kind = *kinds.entry(name.into()).or_insert_with(|| {
                kind_names.push(name.into());
                NodeKind(kind_names.len() as u16 - 1)
            });
            by_id.push((kind, is_named));
        }
        let field_names = (0..=language.field_count() as u16)
            .map(|id| language.field_name_for_id(id).unwrap_or_default().into())
            .collect();
        Self {
            language,
            by_id,
            parts: kind_names.iter().map(|name| TokenPart::of(name)).collect(),
            kind_names,
            field_names,
        }
    }

    /// Returns the language that the library's own parser needs.
    #[must_use]
    pub const fn language(&self) -> &tree_sitter::Language {
        &self.language
    }

    /// Returns the version of the grammar's tables.
    #[must_use]
    pub fn abi(&self) -> usize {
        self.language.abi_version()
    }

    /// Makes a parser of the grammar.
    ///
    /// # Panics
    /// Never: the grammars are made for this tree-sitter.
    #[must_use]
    pub fn parser(&self) -> tree_sitter::Parser {
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&self.language)
            .expect("the grammars are made for this tree-sitter");
        parser
    }

    fn entry(&self, id: u16) -> (NodeKind, bool) {
        let last = self.by_id.len() - 1;
        self.by_id[usize::from(id).min(last)]
    }

    /// Looks up the kind by the library's own number.
    #[must_use]
    pub fn kind_of(&self, id: u16) -> NodeKind {
        self.entry(id).0
    }

    /// Looks up the part that nodes of a kind play when a tree is cut into tokens.
    pub(super) fn part(&self, kind: NodeKind) -> TokenPart {
        self.parts[usize::from(kind.0)]
    }

    pub(crate) fn is_named(&self, id: u16) -> bool {
        self.entry(id).1
    }

    /// Counts the kinds: they are numbered from 0.
    #[must_use]
    pub fn n_kinds(&self) -> usize {
        self.kind_names.len()
    }

    /// Counts the fields, with [`NodeField::NONE`].
    #[must_use]
    pub fn n_fields(&self) -> usize {
        self.field_names.len()
    }

    /// Returns the name of a kind, as `identifier` or `(`.
    #[must_use]
    pub fn kind_name(&self, kind: NodeKind) -> &str {
        &self.kind_names[usize::from(kind.0)]
    }

    /// Looks up the name of a field; `""` for [`NodeField::NONE`].
    #[must_use]
    pub fn field_name(&self, field: NodeField) -> &str {
        &self.field_names[usize::from(field.0)]
    }

    /// Looks up a kind by its name; nothing when the grammar has none.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<NodeKind> {
        let idx = self
            .kind_names
            .iter()
            .position(|kind_name| **kind_name == *name)?;
        Some(NodeKind(idx as u16))
    }

    /// Looks up a field by its name; [`NodeField::NONE`] when the grammar has none.
    #[must_use]
    pub fn field(&self, name: &str) -> NodeField {
        let idx = self
            .field_names
            .iter()
            .position(|field_name| **field_name == *name);
        NodeField(idx.unwrap_or_default() as u16)
    }
}
