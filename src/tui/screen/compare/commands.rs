//! The commands of Compare; [`keys`](super::keys) gives them their keys.

use crate::keymap::motion::StepDirection;

/// Commands for the compared runs, or for the sample under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareCommand {
    /// Compares another run with the baseline.
    Run,
    Baseline,
    /// Swaps A and B.
    Swap,
    /// Compares one more run, or one less.
    Add,
    Drop,
    /// Turns to the next of several runs.
    Other,
    Metric,
    /// Chooses the grouping of slices.
    Slice,
    /// Turns to another pane, where there is room for only one.
    Upper,
    /// Puts the greatest loss or the greatest gain first.
    Turn,
    /// Turns to another two of the three texts.
    Pair,
    Difference(DifferenceCommand),
    /// Opens the sample itself.
    Sample,
    Evaluate,
    SaveFilter,
    Export,
    Copy(ComparedCopy),
}

/// Commands for the view of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceCommand {
    /// Turns between side by side, one below the other, and word by word.
    Mode,
    /// Turns between the kinds of white space that count.
    Space,
    Hunk(StepDirection),
    Fold,
    /// More or fewer lines around a change.
    Context(StepDirection),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedCopy {
    Truth,
    Baseline,
    Other,
    Difference,
}
