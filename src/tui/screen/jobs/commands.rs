//! What can be asked of Jobs; with which keys is for [`keys`](super::keys).

/// What concerns the jobs, or the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobsCommand {
    /// Chooses what to do, then asks how.
    New,
    Cancel,
    /// Starts it again, with the same arguments.
    Again,
    /// Forgets those that have ended.
    Clear,
    /// Only warnings and errors of the log.
    Level,
    Details,
    Copy,
    /// Mines the repository under the cursor again.
    MineAgain,
}
