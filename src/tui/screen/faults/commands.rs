//! The commands of Faults; [`keys`](super::keys) gives them their keys.

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultsCommand {
    /// Another mutant that the test of the column does not notice.
    Survivor(StepDirection),
    /// Lists only mutants that the true test notices and the test of the column does not, or all.
    Missed,
    /// Another sample whose tests were run against mutants.
    Sample(StepDirection),
    /// Marks the mutant as equivalent to the original, or removes the mark.
    Equivalent,
    Undo,
    Redo,
    /// The meaning of letters and signs.
    Legend,
}
