//! The commands of Jobs; [`keys`](super::keys) gives them their keys.

/// Commands for all jobs, or for the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobsCommand {
    /// Asks for a kind of job, then opens its form.
    New,
    Cancel,
    /// Starts the job again, with the same arguments.
    Again,
    /// Forgets the jobs that have ended.
    Clear,
    /// Shows only warnings and errors of the log, or all lines.
    Level,
    Details,
    Copy,
    /// Mines the repository under the cursor again.
    MineAgain,
}
