//! What can be asked of Disagree; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::StepDirection;

/// What concerns the sample that is ruled on, or what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisagreeCommand {
    /// With the opinion of this number.
    Side(u8),
    /// The machine's decision is right.
    Accept,
    /// The candidate under the cursor.
    Pick,
    NoneOfThese,
    NoFocal,
    /// Looked at, and nobody can say.
    LeaveOpen,
    /// The next ruling says that the guideline has a gap.
    Gap,
    /// Shows who said what.
    Names,
    /// Another pair of annotators in the matrix.
    Pair(StepDirection),
    Note,
    Undo,
    Redo,
}
