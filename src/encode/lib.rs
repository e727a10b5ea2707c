//! Source as the sequence of its tree, and back: what models read and write that work on syntax (ConTest, section 4.1).
//!
//! A node with children is `<[type]> … <[/type]>`, one without `<[type]><[/]>`, a leaf its text. Types are the grammar's.
//! Tokens that the type implies (keywords, brackets, separators) are left out where [`table`] restores them.
//!
//! The law: for every piece of Java that parses, the decoded sequence has the same tokens; every other sequence is an
//! error with its place ([`Decoder`]).
//!
//! Texts in, tokens out: nothing here knows an index or a file.

use focalist_model as model;
use focalist_syntax as syntax;

mod decode;
mod encode;
mod form;
mod guide;
mod layout;
mod sample;
mod sequence;
mod subword;
pub mod table;
#[cfg(test)]
mod tests;

pub use syntax::java::piece::PieceUnit;

/// Tells whether sources of a language have a sequence.
#[must_use]
pub const fn knows(language: model::Language) -> bool {
    use model::Language::{CSharp, Go, Java, JavaScript, Python};
    match language {
        Java => true,
        Python | Go | JavaScript | CSharp => false,
    }
}

pub use self::decode::{DecodeError, Decoder, is_tree};
pub use self::encode::{EncodeError, Encoder};
pub use self::guide::Guide;
pub use self::sample::{
    ContextMode, SequenceSide, SourceSection, Sources, encode_source, encode_target,
    tokens_of_source, tokens_of_target,
};
pub use self::sequence::{CLOSED, FULL, Sequence, is_marker};
pub use self::subword::{BEGIN, Vocabulary, VocabularyError, join};
