//! Macros and tables with which a part of the front end names the node kinds and fields that it asks about.
//!
//! There is no common list of kinds: each part declares the few that it needs.

use crate::tree;

/// Makes the enum `Kind` from `Variant = "name in the grammar"`, with `Other` for every other name, and the table
/// `KINDS` of them. Variants are in the order they are written in, `Other` last.
#[macro_export]
macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A node kind that is asked about here; everything else is `Other`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Kind {
            $($variant,)*
            #[default]
            Other,
        }

        const KINDS: &[(&str, Kind)] = &[$(($name, Kind::$variant)),*];
    };
}

/// Makes the struct `Fields` from names that the grammar has for children, and `Fields::of`, which finds them.
#[macro_export]
macro_rules! fields {
    ($($field:ident),* $(,)?) => {
        /// The names of children that are asked about here.
        #[derive(Clone, Copy, Debug)]
        pub struct Fields {
            $(pub $field: $crate::tree::NodeField,)*
        }

        impl Fields {
            fn of(grammar: &$crate::tree::Grammar) -> Self {
                Self { $($field: grammar.field(stringify!($field).trim_start_matches("r#")),)* }
            }
        }
    };
}

/// A grammar in the words of one part: its kinds and fields by number, so that questions compare numbers and never
/// strings.
#[derive(Debug)]
pub struct GrammarKinds<K, F> {
    pub tree: &'static tree::Grammar,
    pub fields: F,
    kinds: Vec<K>,
}

impl<K: Copy + Default, F> GrammarKinds<K, F> {
    /// Finds the words in a grammar; kinds without a word get the default.
    pub fn new(
        tree: &'static tree::Grammar,
        kinds: &[(&str, K)],
        fields: fn(&tree::Grammar) -> F,
    ) -> Self {
        let kind_of = |name| kinds.iter().find(|kind| kind.0 == name).map(|kind| kind.1);
        let names = (0..tree.n_kinds() as u16).map(|n| tree.kind_name(tree::NodeKind(n)));
        Self {
            tree,
            fields: fields(tree),
            kinds: names
                .map(|name| kind_of(name).unwrap_or_default())
                .collect(),
        }
    }

    pub fn kind(&self, kind: tree::NodeKind) -> K {
        self.kinds[usize::from(kind.0)]
    }

    /// Returns the kind for the library's own number.
    pub fn kind_of_id(&self, id: u16) -> K {
        self.kind(self.tree.kind_of(id))
    }
}
