//! The commands of Results; [`keys`](super::keys) gives them their keys.

use crate::screen::compare::commands::DifferenceCommand;

/// Commands for the samples of a run, or for the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsCommand {
    /// Shows another run.
    Run,
    /// Chooses the run to compare with.
    Baseline,
    /// Chooses the metric that is explained and that differences are in.
    Metric,
    Columns,
    Group,
    Sort(ResultSort),
    Difference(DifferenceCommand),
    /// Shows how the value is computed, and the cost of each token.
    Breakdown,
    /// Shows or hides the cost of each line.
    Costs,
    /// Begins or ends a selection of rows.
    Select,
    /// Marks the selected samples, else the one under the cursor.
    Mark,
    /// Compares runs on the selected samples, else on the one under the cursor.
    Compare,
    /// Corrects the tags: what went wrong in the annotator's view.
    Tag,
    /// Notes that the metric is wrong: both texts check the same.
    Equal,
    Undo,
    Redo,
    Nearest,
    /// Shows the outcome of the execution, in place of the difference.
    Ran,
    /// Shows the prompt and the raw answer, in place of the difference.
    Prompt,
    /// Shows the trace of the exception, or folds it.
    Trace,
    /// Lists correct answers that the metric overlooks.
    Unseen,
    /// Opens the sample itself.
    Sample,
    /// Evaluates the run again; with a selection, executes the selected predictions again.
    Again,
    Export,
    Copy(ResultCopy),
}

/// The orders of a run's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSort {
    /// The order of import.
    Index,
    /// By the metric in view, the worst first.
    Value,
    Delta,
    Repo,
    Test,
    Length,
    /// By the outcome of the execution, the worst first.
    Ran,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCopy {
    Prediction,
    Truth,
    Difference,
    /// The compile error, or the exception with its trace.
    Reason,
}
