//! The settled facts about a record before it is made.

use crate::model::{Language, SampleKey};

use super::MeraPart;

/// A sample that becomes a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Its number in the index.
    pub sample: i64,
    pub key: SampleKey,
    pub language: Language,
    pub part: MeraPart,
    pub id: i32,
    /// The index of its template among those for its language.
    pub turn: usize,
}
