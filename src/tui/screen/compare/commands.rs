//! What can be asked of Compare; with which keys is for [`keys`](super::keys).

use crate::keymap::motion::StepDirection;

/// What concerns the runs that are compared, or the sample under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareCommand {
    /// Another run against the baseline.
    Run,
    Baseline,
    /// The runs change places.
    Swap,
    /// One more run, and one less.
    Add,
    Drop,
    /// Which of several runs is held against the baseline.
    Other,
    Metric,
    /// What slices are made by.
    Slice,
    /// Which pane is shown where there is room for one.
    Upper,
    /// The greatest loss or the greatest gain first.
    Turn,
    /// Which two of the three texts.
    Pair,
    Difference(DifferenceCommand),
    /// Opens the sample itself.
    Sample,
    Evaluate,
    SaveFilter,
    Export,
    Copy(ComparedCopy),
}

/// How a difference is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceCommand {
    /// Side by side, one below the other, word by word.
    Mode,
    /// Which white space counts.
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
