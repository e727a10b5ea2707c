//! What can be asked of Annotate; with which keys is for [`keys`](super::keys).

/// What concerns the sample that is judged, or the queue that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotateCommand {
    Accept,
    NoneOfThese,
    NoFocal,
    /// The candidate of this number; 0 is the one under the cursor.
    Pick(u8),
    Unsure,
    Skip,
    Mark,
    Note,
    Undo,
    Redo,
    /// Finds another method of the repository.
    Find,
    /// What the annotator did last, to go back to it.
    History,
    Queue,
    Fold(FoldTarget),
    /// What has changed since the verdict, or the code again.
    Difference,
    /// Accepts what an audit did not draw, provisionally.
    AcceptRest,
    /// Gives a verdict to all open samples that are alike, provisionally.
    Alike,
}

/// What can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldTarget {
    Setup,
    Context,
    Comments,
    All,
}
