//! The commands of Disagree; [`keys`](super::keys) gives them their keys.

use crate::keymap::motion::StepDirection;

/// Commands for the sample to rule on, or for the panes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisagreeCommand {
    /// Rules for the opinion of this number.
    Side(u8),
    /// Rules that the machine's decision is right.
    Accept,
    /// Rules for the candidate under the cursor.
    Pick,
    NoneOfThese,
    NoFocal,
    /// Sets the sample aside: nobody can decide.
    LeaveOpen,
    /// Notes a gap of the guideline in the next ruling.
    Gap,
    /// Shows or hides the names of the annotators.
    Names,
    /// Turns to another pair of annotators in the matrix.
    Pair(StepDirection),
    Note,
    Undo,
    Redo,
}
