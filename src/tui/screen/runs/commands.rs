//! What can be asked of Runs; with which keys is for [`keys`](super::keys).

/// What concerns the table of runs, or the run under its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsCommand {
    Sort(RunSort),
    /// Over all answers, over those that parse, adjusted.
    Values,
    /// What the others are compared with.
    Baseline,
    Import,
    Evaluate,
    EvaluateAll,
    /// Asks for the metrics first.
    EvaluateWith,
    /// Runs its predictions in their projects.
    Execute,
    Remove,
    Copy(RunCopy),
}

/// The orders of the table of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSort {
    /// As imported.
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
