//! The commands of Samples; [`keys`](super::keys) gives them their keys.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplesCommand {
    /// Asks for a filter; heard on other lists, too.
    Filter,
    /// Begins or ends a selection of rows.
    Select,
    /// Marks the selected samples, else the one under the cursor.
    Mark,
    /// Writes the keys of the selected samples, else of the one under the cursor.
    Keys,
    /// Executes predictions for the selected samples again, else for the one under the cursor.
    RunAgain,
    /// Compares runs on the selected samples, else on the one under the cursor.
    Compare,
    Sort(Sort),
}

/// The orders of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The order of mining: repository, file, position.
    Index,
    Repo,
    Class,
    Test,
    Focal,
    Status,
    Weight,
}
