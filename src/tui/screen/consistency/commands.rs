//! The commands of Consistency; [`keys`](super::keys) gives them their keys.

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsistencyCommand {
    /// Another run of completions.
    Run(StepDirection),
    /// Another variant of the function.
    Variant(StepDirection),
    /// Another threshold for outliers.
    Threshold,
    /// The other rule for outliers.
    Rule,
    /// The variant against the function, or the completions.
    View,
    /// The meaning of signs and short words.
    Legend,
}
