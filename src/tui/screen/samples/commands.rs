//! What can be asked of Samples; with which keys is for [`keys`](super::keys).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplesCommand {
    /// Heard on other lists, too.
    Filter,
    /// Begins to select rows, or ends that.
    Select,
    /// Marks the selected samples, else the one under the cursor.
    Mark,
    /// Writes the keys of the selected samples, else of the one under the cursor.
    Keys,
    /// Runs predictions for the selected samples again, else for the one under the cursor.
    RunAgain,
    /// Compares runs on the selected samples, else on the one under the cursor.
    Compare,
    Sort(Sort),
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// As mined: repository, file, position.
    Index,
    Repo,
    Class,
    Test,
    Focal,
    Status,
    Weight,
}
