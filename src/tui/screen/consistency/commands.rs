//! What can be asked of Consistency; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::StepDirection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsistencyCommand {
    /// Another run of completions.
    Run(StepDirection),
    /// Another variant of the function.
    Variant(StepDirection),
    /// Another threshold of outliers.
    Threshold,
    /// The other rule for outliers.
    Rule,
    /// The variant against the function, or the completions.
    View,
    /// What signs and short words mean.
    Legend,
}
