//! What can be asked of Clover; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloverCommand {
    /// Another project.
    Project(StepDirection),
    /// Another file of the project.
    File(StepDirection),
    /// Another run of lines that are wanted or the problem's own.
    Block(StepDirection),
    /// Another budget of the prompt.
    Budget(StepDirection),
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
