//! What can be asked of Results; with which keys is for [`keys`](super::keys).

use crate::screen::compare::commands::DifferenceCommand;

/// What concerns the samples of a run, or the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsCommand {
    /// Another run.
    Run,
    /// The run that it is held against.
    Baseline,
    /// The metric that is explained, and that differences are in.
    Metric,
    Columns,
    Group,
    Sort(ResultSort),
    Difference(DifferenceCommand),
    /// How the value comes about, and what costs how much.
    Breakdown,
    /// What each line cost, or not.
    Costs,
    /// Begins to select rows, or ends that.
    Select,
    /// Marks the selected samples, else the one under the cursor.
    Mark,
    /// Compares runs on the selected samples, else on the one under the cursor.
    Compare,
    /// What went wrong, as a person sees it.
    Tag,
    /// The metric is wrong: both check the same.
    Equal,
    Undo,
    Redo,
    Nearest,
    /// What became of it when it ran, in place of the difference.
    Ran,
    /// The prompt that led to it, and the raw answer, in place of the difference.
    Prompt,
    /// Shows its trace, or folds it.
    Trace,
    /// Correct answers that the metric overlooks.
    Unseen,
    /// Opens the sample itself.
    Sample,
    /// Evaluates the run again, or runs the selected predictions again.
    Again,
    Export,
    Copy(ResultCopy),
}

/// What the samples of a run can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSort {
    /// As imported.
    Index,
    /// By the metric that is looked at, the worst first.
    Value,
    Delta,
    Repo,
    Test,
    Length,
    /// By what became of it, the least first.
    Ran,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCopy {
    Prediction,
    Truth,
    Difference,
    /// What was said when it did not compile, or was thrown.
    Reason,
}
