//! The memory of an evaluator. The next one uses its tables again, because a table grows by moving all that it holds.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use crate::javascript::facts::{ExprId, FnId};
use crate::javascript::value::ValueSet;
use crate::model::FileId;

/// How large a table may be to be used again: emptying one takes time for all of its room.
const KEPT_MAX: usize = 1 << 10;

thread_local! {
    static SPARE: Cell<Option<Memory>> = const { Cell::new(None) };
}

/// The questions asked, and their answers; empty at first.
#[derive(Default)]
pub struct Memory {
    /// The expressions asked for, each with the place of its answer.
    pub places: FxHashMap<(FileId, ExprId), u32>,
    /// None while an answer is looked for. Apart from the questions: a table grows by moving all that it holds.
    pub answers: Vec<Option<ValueSet>>,
    pub returns: FxHashMap<(FileId, FnId), Option<ValueSet>>,
}

impl Memory {
    /// Returns an empty memory, with the room that another one had.
    pub fn empty() -> Self {
        SPARE.take().unwrap_or_default()
    }

    /// Keeps the room for the next evaluator, unless it is large.
    pub fn give_back(mut self) {
        if self.places.capacity() > KEPT_MAX || self.returns.capacity() > KEPT_MAX {
            return;
        }
        self.places.clear();
        self.answers.clear();
        self.returns.clear();
        // Nothing is kept of a thread that ends.
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }
}
