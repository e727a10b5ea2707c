//! The Monitor: how far a piece of work is, and whether somebody asked it to stop.
//!
//! Engines and verbs write it, faces read it (the terminal UI once a frame, the command line's progress bar).
//! Nothing here waits or prints.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Work was stopped on request; what was finished before is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    #[default]
    Starting,
    Reading,
    Parsing,
    Resolving,
    Storing,
    Finishing,
    Scoring,
    Comparing,
}

impl Phase {
    const ALL: [Self; 8] = [
        Self::Starting,
        Self::Reading,
        Self::Parsing,
        Self::Resolving,
        Self::Storing,
        Self::Finishing,
        Self::Scoring,
        Self::Comparing,
    ];

    /// Returns the word for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Reading => "reading",
            Self::Parsing => "parsing",
            Self::Resolving => "resolving",
            Self::Storing => "storing",
            Self::Finishing => "finishing",
            Self::Scoring => "scoring",
            Self::Comparing => "comparing",
        }
    }
}

/// How far a piece of work is, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    /// Predictions, samples or files, whatever is gone through.
    pub n_done: u64,
    /// 0 while nobody knows.
    pub n_total: u64,
    pub n_repos: u64,
    /// 0 where no repositories are gone through.
    pub n_repos_total: u64,
    pub n_problems: u64,
}

impl Progress {
    /// Returns which part of everything is done, 0 to 1; nothing while nobody knows. Repositories that are not opened yet
    /// have unknown sizes, so they count as the average of those that are done.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let of_total = (self.n_total > 0).then(|| self.n_done as f64 / self.n_total as f64);
        if self.n_repos_total == 0 {
            return of_total.map(|it| it.min(1.0));
        }
        let of_current = of_total.unwrap_or(0.0).min(0.99);
        let n_repos = (self.n_repos as f64 + of_current).min(self.n_repos_total as f64);
        Some(n_repos / self.n_repos_total as f64)
    }
}

/// Counters of a running piece of work. Totals grow while work is discovered.
#[derive(Debug, Default)]
pub struct Monitor {
    phase: AtomicU8,
    pub n_repos: AtomicU64,
    pub n_repos_total: AtomicU64,
    pub n_files: AtomicU64,
    pub n_files_total: AtomicU64,
    pub n_tests: AtomicU64,
    pub n_samples: AtomicU64,
    /// 0 where samples are what comes out, not what is gone through.
    pub n_samples_total: AtomicU64,
    pub n_predictions: AtomicU64,
    pub n_predictions_total: AtomicU64,
    pub n_problems: AtomicU64,
    cancelled: AtomicBool,
}

impl Monitor {
    /// Asks the work to stop at its next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns `Err` once somebody has asked to stop; called between small pieces of work.
    ///
    /// # Errors
    /// [`Cancelled`] after [`Monitor::cancel`].
    pub fn step(&self) -> Result<(), Cancelled> {
        if self.cancelled.load(Ordering::Relaxed) {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    #[must_use]
    pub fn phase(&self) -> Phase {
        Phase::ALL
            .get(usize::from(self.phase.load(Ordering::Relaxed)))
            .copied()
            .unwrap_or_default()
    }

    /// Returns how far the work is: by its predictions if it has any, else by its samples, else by its files.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (n_predictions, n_samples) = (read(&self.n_predictions), read(&self.n_samples));
        let n_predictions_total = read(&self.n_predictions_total);
        let n_samples_total = read(&self.n_samples_total);
        let n_files_total = read(&self.n_files_total);
        let (n_done, n_total) = if n_predictions_total > 0 || n_predictions > 0 {
            (n_predictions, n_predictions_total)
        } else if n_samples_total > 0 || n_files_total == 0 {
            (n_samples, n_samples_total)
        } else {
            (read(&self.n_files), n_files_total)
        };
        Progress {
            phase: self.phase(),
            n_done,
            n_total,
            n_repos: read(&self.n_repos),
            n_repos_total: read(&self.n_repos_total),
            n_problems: read(&self.n_problems),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(progress: Progress, expected: Option<f64>) {
        assert_eq!(progress.share(), expected);
    }

    #[test]
    fn repositories_not_opened_yet_count_as_the_average() {
        let repos = Progress {
            n_done: 50,
            n_total: 100,
            n_repos: 1,
            n_repos_total: 4,
            ..Progress::default()
        };
        check(repos, Some(1.5 / 4.0));
        let ended = Progress {
            n_repos: 4,
            ..repos
        };
        check(ended, Some(1.0));
    }

    #[test]
    fn without_a_total_nobody_knows_the_share() {
        let unknown = Progress {
            n_done: 7,
            ..Progress::default()
        };
        check(unknown, None);
    }

    #[test]
    fn what_is_gone_through_is_what_is_counted() {
        let monitor = Monitor::default();
        monitor.n_samples.store(3, Ordering::Relaxed);
        assert_eq!(
            (monitor.progress().n_done, monitor.progress().n_total),
            (3, 0)
        );
        monitor.n_files.store(1, Ordering::Relaxed);
        monitor.n_files_total.store(9, Ordering::Relaxed);
        assert_eq!(
            (monitor.progress().n_done, monitor.progress().n_total),
            (1, 9)
        );
        monitor.n_samples_total.store(5, Ordering::Relaxed);
        assert_eq!(
            (monitor.progress().n_done, monitor.progress().n_total),
            (3, 5)
        );
        monitor.n_predictions.store(2, Ordering::Relaxed);
        assert_eq!(
            (monitor.progress().n_done, monitor.progress().n_total),
            (2, 0)
        );
    }
}
