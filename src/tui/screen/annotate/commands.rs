//! The commands of Annotate; [`keys`](super::keys) gives them their keys.

/// Commands for the judged sample, or for the queue that it comes from.
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
    /// Lists the annotator's last events, to go back to one.
    History,
    Queue,
    Fold(FoldTarget),
    /// Shows the changes since the verdict, or the code again.
    Difference,
    /// Accepts the rest that an audit did not draw, provisionally.
    AcceptRest,
    /// Gives a verdict to all open samples that are alike, provisionally.
    Alike,
}

/// The parts that can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldTarget {
    Setup,
    Context,
    Comments,
    All,
}
