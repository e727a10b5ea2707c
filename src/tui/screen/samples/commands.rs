//! What can be asked of Samples; with which keys is for [`keys`](super::keys).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplesCommand {
    /// Heard on other lists, too.
    Filter,
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
