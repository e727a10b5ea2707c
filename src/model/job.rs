//! Jobs: pipelines that outlive the process that started them, and their progress.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// Numbers the jobs of a workspace from 1, in the order in which they were asked for; none is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The pipeline of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKind {
    Mine,
    Import,
    Eval,
    Export,
    Index,
    Leakage,
    Execute,
    Generate,
    Train,
    Prepare,
    Clover,
    Experiment,
    Consistency,
    Benchmark,
    Mutate,
}

impl JobKind {
    pub const ALL: &[Self] = &[
        Self::Mine,
        Self::Import,
        Self::Eval,
        Self::Export,
        Self::Index,
        Self::Leakage,
        Self::Execute,
        Self::Generate,
        Self::Train,
        Self::Prepare,
        Self::Clover,
        Self::Experiment,
        Self::Consistency,
        Self::Benchmark,
        Self::Mutate,
    ];

    /// Returns the command's name, which is also the word in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mine => "mine",
            Self::Import => "import",
            Self::Eval => "eval",
            Self::Export => "export",
            Self::Index => "index",
            Self::Leakage => "leakage",
            Self::Execute => "execute",
            Self::Generate => "generate",
            Self::Train => "train",
            Self::Prepare => "prepare",
            Self::Clover => "clover",
            Self::Experiment => "experiment",
            Self::Consistency => "consistency",
            Self::Benchmark => "benchmark",
            Self::Mutate => "mutate",
        }
    }

    /// Looks up the kind that [`JobKind::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|job_kind| job_kind.as_str() == word)
    }

    /// Returns how many seconds it has to stop once it is asked, before it is killed. A training ends its step, which
    /// is long where the processor computes it, and writes a checkpoint.
    #[must_use]
    pub const fn seconds_to_stop(self) -> u64 {
        match self {
            Self::Train => 60,
            _ => 5,
        }
    }

    /// Tells whether it writes the index, or data about one state of it: of those, one runs at a time.
    #[must_use]
    pub const fn is_writer(self) -> bool {
        matches!(
            self,
            Self::Mine | Self::Import | Self::Eval | Self::Index | Self::Execute | Self::Clover
        )
    }

    /// Tells whether readers may see something else once it has ended. A job that asks a model adds its answers while
    /// a writer runs, and waits for its turn only at its end; an experiment does so with each of its steps, and
    /// completions or splits are written in a moment.
    #[must_use]
    pub const fn changes_index(self) -> bool {
        self.is_writer()
            || matches!(
                self,
                Self::Generate | Self::Experiment | Self::Consistency | Self::Benchmark
            )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Asked for; its turn has not come yet.
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
    /// Neither ended nor alive: killed, crashed, or the machine went down. Never stored: it is the kernel that knows.
    Stopped,
}

impl JobState {
    pub const ALL: &[Self] = &[
        Self::Queued,
        Self::Running,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
        Self::Stopped,
    ];

    /// Returns the word used in files and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Stopped => "stopped",
        }
    }

    /// Looks up the state that [`JobState::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|job_state| job_state.as_str() == word)
    }

    /// Tells whether some process works on it, or will without another request.
    #[must_use]
    pub const fn is_alive(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Tells whether another request goes on where it stopped.
    #[must_use]
    pub const fn is_resumable(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::Stopped)
    }
}

/// How far a job was at its last heartbeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobProgress {
    /// A word for people; empty before anything has begun.
    pub phase: String,
    /// Files, samples or predictions: what the kind of job goes through.
    pub n_done: u64,
    /// 0 while it is not known, and where the share is of more than what `n_done` counts.
    pub n_total: u64,
    pub n_repos: u64,
    pub n_repos_total: u64,
    pub n_problems: u64,
    /// 0 to 1, over everything there is to do.
    pub share: Option<f64>,
}

/// How far a job was at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobMark {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    pub n_done: u64,
    pub share: f64,
}

/// The last moments of a job, from which its pace follows: long enough that a slow file does not count for much, short
/// enough that progress an hour ago does not count at all.
#[derive(Clone, Debug, Default)]
pub struct JobWindow {
    marks: VecDeque<JobMark>,
}

impl JobWindow {
    const LENGTH_MS: i64 = 20_000;
    /// The least time between two kept moments, so that a busy job does not fill the list.
    const STEP_MS: i64 = 1_000;

    /// Adds a moment and returns the one to compare it with: the first of the last 20 seconds. A count that falls, or a
    /// clock that goes back, begins anew.
    pub fn push(&mut self, mark: JobMark) -> JobMark {
        if let Some(last) = self.marks.back() {
            if mark.n_done < last.n_done || mark.at_ms < last.at_ms {
                self.marks.clear();
            } else if mark.at_ms - last.at_ms < Self::STEP_MS {
                return self.marks.front().copied().unwrap_or(mark);
            }
        }
        self.marks.push_back(mark);
        while self.marks.len() > 2
            && self
                .marks
                .front()
                .is_some_and(|job_mark| mark.at_ms - job_mark.at_ms > Self::LENGTH_MS)
        {
            self.marks.pop_front();
        }
        self.marks.front().copied().unwrap_or(mark)
    }
}

/// How fast a job is, and how long it will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobPace {
    /// Files, samples or predictions.
    pub per_second: f64,
    /// Absent while it cannot be known.
    pub left_ms: Option<u64>,
}

/// The changes in the samples of repositories, mapped or not, when they are mined again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleChanges {
    pub n_new: u64,
    pub n_gone: u64,
    /// Samples whose code has changed, or the decision on them.
    pub n_changed: u64,
    /// Verdicts that were about the sample as it was, and are not any more.
    pub n_stale: u64,
}

impl SampleChanges {
    /// Adds the changes of another repository.
    pub fn merge(&mut self, other: &Self) {
        self.n_new += other.n_new;
        self.n_gone += other.n_gone;
        self.n_changed += other.n_changed;
        self.n_stale += other.n_stale;
    }
}

impl fmt::Display for SampleChanges {
    /// Writes `12 new, 3 gone, 7 changed samples; 2 verdicts are stale`, or `no sample changed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.n_new, "new"),
            (self.n_gone, "gone"),
            (self.n_changed, "changed"),
        ];
        let n_all: u64 = parts.iter().map(|(n, _)| n).sum();
        let parts = parts.iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, word)| format!("{n} {word}")).collect();
        match n_all {
            0 => f.write_str("no sample changed")?,
            1 => write!(f, "{} sample", parts.join(", "))?,
            _ => write!(f, "{} samples", parts.join(", "))?,
        }
        match self.n_stale {
            0 => Ok(()),
            1 => f.write_str("; 1 verdict is stale"),
            n => write!(f, "; {n} verdicts are stale"),
        }
    }
}

/// A job as stored in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRow {
    pub id: JobId,
    pub kind: JobKind,
    /// The arguments that `focalist` was called with, without its own name.
    pub arguments: Vec<OsString>,
    /// The folder in which it was called.
    pub folder: PathBuf,
    /// Whether it is a process without a terminal; otherwise it can be stopped at its terminal.
    pub is_background: bool,
    /// The job whose arguments these are.
    pub retry_of: Option<JobId>,
    pub state: JobState,
    pub is_cancel_asked: bool,
    pub progress: JobProgress,
    /// An earlier moment to compare the progress with.
    pub since: Option<JobMark>,
    /// Its result, or why there is none; empty before its end.
    pub message: String,
    /// The changes by a mine that replaced repositories.
    pub changes: Option<SampleChanges>,
    /// The code that the process ended with.
    pub exit_code: Option<u8>,
    /// The process; none for a moment after it was asked for.
    pub pid: Option<u32>,
    /// Where that process is.
    pub host: String,
    /// Milliseconds since 1970, as the other times.
    pub created_ms: i64,
    /// When its turn came.
    pub started_ms: Option<i64>,
    pub ended_ms: Option<i64>,
    pub heartbeat_ms: i64,
    /// Whether this user asked for it, in this place. Never stored: a row can come with another user's folder.
    pub is_ours: bool,
}

impl JobRow {
    /// After this long without a heartbeat a living job is suspended, or its machine has no time for it.
    pub const SILENT_MS: i64 = 10_000;

    /// Returns the message; `""` where it only repeats the state.
    #[must_use]
    pub fn outcome(&self) -> &str {
        if self.message == self.state.as_str() {
            ""
        } else {
            &self.message
        }
    }

    /// Computes how fast the job is over the last 20 seconds, and how long it will take at that: nothing before its
    /// first second is over, when it is not running, and when it has been silent for 10 seconds.
    ///
    /// `now_ms` counts milliseconds since 1970. The time left follows from the share of everything that is done, so
    /// that it also holds while totals grow.
    #[must_use]
    pub fn pace(&self, now_ms: i64) -> Option<JobPace> {
        let since = self.since?;
        let span_ms = self.heartbeat_ms - since.at_ms;
        let silence_ms = now_ms.saturating_sub(self.heartbeat_ms).max(0);
        if self.state != JobState::Running || span_ms < 1_000 || silence_ms > Self::SILENT_MS {
            return None;
        }
        let n_done = self.progress.n_done.saturating_sub(since.n_done);
        let left_ms = self.progress.share.and_then(|share| {
            let gained = share - since.share;
            // Less than a millionth in a second says nothing but "long".
            (gained > 1e-6).then(|| {
                let left = (1.0 - share).max(0.0) / gained * span_ms as f64;
                u64::try_from((left - silence_ms as f64) as i64).unwrap_or(0)
            })
        });
        Some(JobPace {
            per_second: n_done as f64 * 1_000.0 / span_ms as f64,
            left_ms,
        })
    }

    /// Computes how long the job has run, in milliseconds; until now as long as it does.
    #[must_use]
    pub fn elapsed_ms(&self, now_ms: i64) -> Option<u64> {
        let end_ms = match (self.ended_ms, self.state) {
            (Some(ended_ms), _) => ended_ms,
            (None, JobState::Stopped) => self.heartbeat_ms,
            (None, _) => now_ms,
        };
        Some(u64::try_from(end_ms - self.started_ms?).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(at_ms: i64, n_done: u64) -> JobMark {
        JobMark {
            at_ms,
            n_done,
            share: n_done as f64 / 1_000.0,
        }
    }

    /// A running job of 1,000 pieces.
    fn row(since: JobMark, now: JobMark) -> JobRow {
        JobRow {
            id: JobId(1),
            kind: JobKind::Eval,
            arguments: Vec::new(),
            folder: PathBuf::new(),
            is_background: true,
            retry_of: None,
            state: JobState::Running,
            is_cancel_asked: false,
            progress: JobProgress {
                n_done: now.n_done,
                n_total: 1_000,
                share: Some(now.share),
                ..JobProgress::default()
            },
            since: Some(since),
            message: String::new(),
            changes: None,
            exit_code: None,
            pid: None,
            host: String::new(),
            created_ms: 0,
            started_ms: Some(0),
            ended_ms: None,
            heartbeat_ms: now.at_ms,
            is_ours: true,
        }
    }

    fn check(row: &JobRow, now_ms: i64, expected: Option<(f64, Option<u64>)>) {
        let pace = row
            .pace(now_ms)
            .map(|job_pace| (job_pace.per_second, job_pace.left_ms));
        assert_eq!(pace, expected);
    }

    #[test]
    fn what_is_left_follows_from_the_last_seconds() {
        let row = row(mark(10_000, 100), mark(20_000, 200));
        check(&row, 20_000, Some((10.0, Some(80_000))));
        check(&row, 21_000, Some((10.0, Some(79_000))));
    }

    #[test]
    fn a_silent_job_has_no_pace() {
        let row = row(mark(10_000, 100), mark(20_000, 200));
        check(&row, 30_000, Some((10.0, Some(70_000))));
        check(&row, 30_001, None);
    }

    #[test]
    fn a_job_that_does_not_move_has_no_end() {
        let row = row(mark(10_000, 100), mark(20_000, 100));
        check(&row, 20_000, Some((0.0, None)));
    }

    #[test]
    fn half_a_second_says_nothing() {
        check(&row(mark(0, 0), mark(500, 50)), 500, None);
    }

    #[test]
    fn who_does_not_run_has_no_pace() {
        for state in JobState::ALL {
            let mut row = row(mark(0, 0), mark(2_000, 2));
            row.state = *state;
            assert_eq!(row.pace(2_000).is_some(), *state == JobState::Running);
        }
    }

    #[test]
    fn the_window_forgets_what_is_long_ago() {
        let mut window = JobWindow::default();
        for second in 0..=60 {
            window.push(mark(second * 1_000, second.unsigned_abs()));
        }
        assert_eq!(window.push(mark(61_000, 61)), mark(41_000, 41));
        assert!(window.marks.len() <= 22);
    }

    #[test]
    fn a_long_pause_is_part_of_the_pace() {
        let mut window = JobWindow::default();
        window.push(mark(0, 0));
        assert_eq!(window.push(mark(300_000, 1)), mark(0, 0));
    }

    #[test]
    fn a_count_that_falls_begins_anew() {
        let mut window = JobWindow::default();
        window.push(mark(0, 0));
        window.push(mark(2_000, 900));
        assert_eq!(window.push(mark(3_000, 5)), mark(3_000, 5));
        assert_eq!(window.push(mark(3_500, 9)), mark(3_000, 5));
    }

    #[test]
    fn changes_are_told_as_people_would() {
        let check = |[n_new, n_gone, n_changed, n_stale]: [u64; 4], expected: &str| {
            let changes = SampleChanges {
                n_new,
                n_gone,
                n_changed,
                n_stale,
            };
            assert_eq!(changes.to_string(), expected);
        };
        check(
            [12, 3, 7, 2],
            "12 new, 3 gone, 7 changed samples; 2 verdicts are stale",
        );
        check([0, 0, 0, 0], "no sample changed");
        check([0, 1, 0, 1], "1 gone sample; 1 verdict is stale");
    }

    #[test]
    fn every_word_is_read_back() {
        for kind in JobKind::ALL {
            assert_eq!(JobKind::parse(kind.as_str()), Some(*kind));
        }
        for state in JobState::ALL {
            assert_eq!(JobState::parse(state.as_str()), Some(*state));
        }
    }
}
