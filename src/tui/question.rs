//! Questions to the index: each is written once, with the type of its answer and the way to find it.
//!
//! Decides how a screen's question reaches the threads that answer it, and how the answer comes back. A question is a
//! value; it fills a [`Slot`], and asking again in a slot makes the earlier question stale. The caller of `Desk::ask`
//! says where the answer goes. The threads are in `pool`; the UI thread never opens a database.

pub mod shared;
pub mod source;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::question::source::{AnswerSource, MissingAnswer};
use crate::task::Monitor;

/// A place on the screen that one answer fills; slots are told apart by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub &'static str);

/// A question that a screen can ask.
pub trait Question: Debug + Send + 'static {
    type Answer: Send + 'static;

    /// The slot that the answer fills, unless the question is asked in another one.
    const SLOT: Slot;

    /// Whether it cannot be answered before something was mined.
    const NEEDS_INDEX: bool = true;

    /// Finds the answer, on a thread that may wait.
    ///
    /// # Errors
    /// Failures of the index, the verdicts or the disk; `Stopped` when it was interrupted.
    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer>;
}

/// An answer whose type only the asking screen knows.
pub type AnyAnswer = Box<dyn Any + Send>;

/// A question of any type.
pub trait AnyQuestion: Any + Debug + Send {
    /// Finds the answer, as [`Question::read`] does.
    ///
    /// # Errors
    /// The same.
    fn find(&self, source: &AnswerSource<'_>) -> Result<AnyAnswer, MissingAnswer>;

    fn needs_index(&self) -> bool;
}

impl<Q: Question> AnyQuestion for Q {
    fn find(&self, source: &AnswerSource<'_>) -> Result<AnyAnswer, MissingAnswer> {
        Ok(Box::new(self.read(source)?))
    }

    fn needs_index(&self) -> bool {
        Q::NEEDS_INDEX
    }
}

impl dyn AnyQuestion {
    /// Returns the question as one of this type, if it is one.
    #[cfg(test)]
    #[must_use]
    pub fn of<Q: Question>(&self) -> Option<&Q> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

/// A question on its way.
#[derive(Debug)]
pub struct QuestionRequest {
    pub slot: Slot,
    pub generation: u64,
    pub question: Box<dyn AnyQuestion>,
}

impl QuestionRequest {
    /// Makes the reply that carries an answer back.
    #[must_use]
    pub const fn answered(&self, answer: Result<AnyAnswer, QuestionFailure>) -> QuestionReply {
        QuestionReply {
            slot: self.slot,
            generation: self.generation,
            answer,
        }
    }
}

impl PartialEq for QuestionRequest {
    /// Two requests are equal when they are the same one: requests are numbered within a slot.
    fn eq(&self, other: &Self) -> bool {
        (self.slot, self.generation) == (other.slot, other.generation)
    }
}

/// An answer on its way back.
#[derive(Debug)]
pub struct QuestionReply {
    pub slot: Slot,
    pub generation: u64,
    pub answer: Result<AnyAnswer, QuestionFailure>,
}

impl PartialEq for QuestionReply {
    fn eq(&self, other: &Self) -> bool {
        (self.slot, self.generation) == (other.slot, other.generation)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionFailure {
    /// There is no index here yet.
    NoIndex,
    /// A text for people.
    Other(String),
}

/// The states of the index and of the verdicts: each number grows with every change to its file.
pub type Versions = (i64, i64);

/// The progress of a question, shared with the reader that answers it.
#[derive(Clone, Debug, Default)]
pub struct QuestionMonitor(pub Arc<Monitor>);
