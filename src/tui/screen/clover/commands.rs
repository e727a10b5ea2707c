//! What can be asked of Clover; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::Step;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloverCommand {
    /// Another project.
    Project(Step),
    /// Another file of the project.
    File(Step),
    /// Another run of lines that are wanted or the problem's own.
    Block(Step),
    /// Another budget of the prompt.
    Budget(Step),
    /// The task of the question.
    Task,
    /// Another answer, or the problem itself.
    Answer,
    /// The problem's file, or one of the project's.
    View,
    /// Fewer problems, by words of their names and outcomes.
    Narrow,
    /// What signs mean.
    Legend,
}
