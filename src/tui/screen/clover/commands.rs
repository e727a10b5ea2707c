//! The commands of Clover; [`keys`](super::keys) gives them their keys.

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloverCommand {
    /// Another project.
    Project(StepDirection),
    /// Another file of the project.
    File(StepDirection),
    /// Another run of wanted lines, of lines that the answer has missed, or of the problem's own.
    Block(StepDirection),
    /// Another budget for the prompt.
    Budget(StepDirection),
    /// The task of the question.
    Task,
    /// The next answer; after the last, the problem itself.
    Answer,
    /// The problem's file, or one of the project's.
    View,
    /// Fewer problems, by words of their names, outcomes and reasons.
    Narrow,
    /// The meaning of the signs.
    Legend,
}
