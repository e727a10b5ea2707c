//! The commands of Runs; [`keys`](super::keys) gives them their keys.

/// Commands for the table of runs, or for the run under its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsCommand {
    Sort(RunSort),
    /// Turns between values over all answers, over those that parse, and adjusted ones.
    Values,
    /// Compares the other runs with the one under the cursor.
    Baseline,
    Import,
    Evaluate,
    EvaluateAll,
    /// Evaluates the run, after asking for the metrics.
    EvaluateWith,
    /// Executes its predictions in their projects.
    Execute,
    Remove,
    Copy(RunCopy),
}

/// The orders of the table of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSort {
    /// The order of import.
    Index,
    /// By the column with the cursor.
    Column,
    Name,
    Model,
    Target,
    Samples,
    Problems,
    Unparsable,
    OverLength,
    Correct,
    /// By the metric of this id.
    Metric(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCopy {
    Row,
    TableTsv,
    TableMarkdown,
}
