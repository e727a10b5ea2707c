//! What can be asked of Faults; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultsCommand {
    /// Another mutant that the test of the column does not notice.
    Survivor(StepDirection),
    /// Only those that the true test notices and the test of the column does not, or all.
    Missed,
    /// Another sample with tests that were held against mutants.
    Sample(StepDirection),
    /// The mutant means the same as the original; again: no longer.
    Equivalent,
    Undo,
    Redo,
    /// What letters mean.
    Legend,
}
