//! The Monitor: how far a piece of work is, whether it is asked to stop, and where its time goes.
//!
//! Engines and verbs write it, faces read it (the terminal UI once a frame, the command line's progress bar).
//! Nothing here waits or prints.

// Here no variant is taken for another one because it is new.
#![warn(clippy::wildcard_enum_match_arm)]

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

mod timings;

pub use timings::{EngineStep, EngineTimes, Span, StepTime, Timings};

/// Work was stopped on request; finished parts are kept.
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
    Preparing,
    Executing,
    Measuring,
    Asking,
    Training,
    Writing,
}

impl Phase {
    const ALL: [Self; 14] = [
        Self::Starting,
        Self::Reading,
        Self::Parsing,
        Self::Resolving,
        Self::Storing,
        Self::Finishing,
        Self::Scoring,
        Self::Comparing,
        Self::Preparing,
        Self::Executing,
        Self::Measuring,
        Self::Asking,
        Self::Training,
        Self::Writing,
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
            Self::Preparing => "preparing",
            Self::Executing => "executing",
            Self::Measuring => "measuring",
            Self::Asking => "asking",
            Self::Training => "training",
            Self::Writing => "writing",
        }
    }
}

/// The progress of a piece of work at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    /// Predictions, samples or files, depending on the work.
    pub n_done: u64,
    /// 0 while nobody knows.
    pub n_total: u64,
    pub n_repos: u64,
    /// 0 where no repositories are gone through.
    pub n_repos_total: u64,
    pub n_problems: u64,
    /// Finished and all parts of the work, each of about the same cost; no total where `n_done` and `n_total` measure
    /// it.
    pub n_parts: u64,
    pub n_parts_total: u64,
    /// Pieces of work that are done, and all there are, where this is one of several; else no total.
    pub n_steps: u64,
    pub n_steps_total: u64,
}

impl Progress {
    /// Tells whether all there is to do is counted in `n_done` and `n_total`, so that the share is theirs.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.n_parts_total == 0 && self.n_steps_total == 0
    }

    /// Computes the finished part of everything, 0 to 1; nothing while nobody knows. Of several pieces of work each
    /// counts the same.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let (n_done, n_total) = if self.n_parts_total > 0 {
            (self.n_parts, self.n_parts_total)
        } else {
            (self.n_done, self.n_total)
        };
        let share = (n_total > 0).then(|| (n_done as f64 / n_total as f64).min(1.0));
        if self.n_steps_total == 0 {
            return share;
        }
        let n_steps = self.n_steps as f64 + share.unwrap_or(0.0);
        Some((n_steps / self.n_steps_total as f64).min(1.0))
    }
}

/// A stretch of work of known cost that is gone through step by step, by any number of threads. Its parts come to the
/// monitor one by one, and all of them when it ends, so that the finished part never shrinks.
#[derive(Debug)]
pub struct Stretch<'m> {
    monitor: &'m Monitor,
    n_parts: u64,
    n_steps_total: u64,
    n_steps: AtomicU64,
}

impl Stretch<'_> {
    /// Counts `n_steps` more finished steps.
    pub fn step(&self, n_steps: u64) {
        let before = self.n_steps.fetch_add(n_steps, Ordering::Relaxed);
        let parts = self.parts(before + n_steps) - self.parts(before);
        self.monitor.n_parts.fetch_add(parts, Ordering::Relaxed);
    }

    /// Says that all of it is done, however many steps were taken.
    pub fn end(self) {
        self.step(self.n_steps_total.max(1));
    }

    fn parts(&self, n_steps: u64) -> u64 {
        match self.n_steps_total {
            0 => self.n_parts * u64::from(n_steps > 0),
            total => self.n_parts * n_steps.min(total) / total,
        }
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
    /// 0 where samples are the output of the work, not its input.
    pub n_samples_total: AtomicU64,
    pub n_predictions: AtomicU64,
    pub n_predictions_total: AtomicU64,
    pub n_problems: AtomicU64,
    n_parts: AtomicU64,
    pub n_parts_total: AtomicU64,
    n_steps: AtomicU64,
    n_steps_total: AtomicU64,
    cancelled: AtomicBool,
    detail: Mutex<String>,
    step_name: Mutex<String>,
    /// The time of each step, where it is measured.
    pub timings: Timings,
}

impl Monitor {
    /// Asks the work to stop at its next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns `Err` once a stop was requested; called between small pieces of work.
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

    /// Begins one of several pieces of work, counted from 0, with counters of its own; problems are counted over all.
    pub fn begin_step(&self, name: String, idx: u64, n_steps_total: u64) {
        for counter in [
            &self.n_repos,
            &self.n_repos_total,
            &self.n_files,
            &self.n_files_total,
            &self.n_tests,
            &self.n_samples,
            &self.n_samples_total,
            &self.n_predictions,
            &self.n_predictions_total,
            &self.n_parts,
            &self.n_parts_total,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        self.enter(Phase::Starting);
        self.say(String::new());
        self.n_steps.store(idx, Ordering::Relaxed);
        self.n_steps_total.store(n_steps_total, Ordering::Relaxed);
        *self
            .step_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = name;
    }

    /// Tells which of several pieces of work this is, for people: `2/6 eval tests-big`; empty where it is the only one.
    #[must_use]
    pub fn step_label(&self) -> String {
        let total = self.n_steps_total.load(Ordering::Relaxed);
        if total == 0 {
            return String::new();
        }
        let name = self.step_name.lock();
        let name = name.unwrap_or_else(PoisonError::into_inner);
        let number = self.n_steps.load(Ordering::Relaxed) + 1;
        format!("{number}/{total} {name}")
    }

    /// Says in a few words what counters do not.
    pub fn say(&self, detail: String) {
        *self.detail.lock().unwrap_or_else(PoisonError::into_inner) = detail;
    }

    /// Returns the last detail; empty where none was given.
    #[must_use]
    pub fn detail(&self) -> String {
        let detail = self.detail.lock();
        detail.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins a stretch of work that costs `n_parts` of [`Monitor::n_parts_total`], in any number of steps.
    #[must_use]
    pub const fn stretch(&self, n_parts: u64, n_steps: usize) -> Stretch<'_> {
        Stretch {
            monitor: self,
            n_parts,
            n_steps_total: n_steps as u64,
            n_steps: AtomicU64::new(0),
        }
    }

    #[must_use]
    pub fn phase(&self) -> Phase {
        Phase::ALL
            .get(usize::from(self.phase.load(Ordering::Relaxed)))
            .copied()
            .unwrap_or_default()
    }

    /// Reads the counters as progress: of predictions where there are any, else of samples, else of files.
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
            n_parts: read(&self.n_parts),
            n_parts_total: read(&self.n_parts_total),
            n_steps: read(&self.n_steps),
            n_steps_total: read(&self.n_steps_total),
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
    fn what_costs_the_same_counts_before_what_is_gone_through() {
        let files = Progress {
            n_done: 50,
            n_total: 100,
            ..Progress::default()
        };
        check(files, Some(0.5));
        let parts = Progress {
            n_parts: 1,
            n_parts_total: 4,
            ..files
        };
        check(parts, Some(0.25));
    }

    #[test]
    fn of_several_pieces_of_work_each_counts_the_same_and_from_its_own_beginning() {
        let monitor = Monitor::default();
        assert_eq!(monitor.step_label(), "");
        monitor.begin_step("ask".to_owned(), 0, 4);
        monitor.n_predictions_total.store(1_000, Ordering::Relaxed);
        monitor.n_predictions.store(500, Ordering::Relaxed);
        check(monitor.progress(), Some(0.125));
        monitor.begin_step("score".to_owned(), 1, 4);
        assert_eq!(monitor.step_label(), "2/4 score");
        check(monitor.progress(), Some(0.25));
        monitor.n_predictions_total.store(2, Ordering::Relaxed);
        monitor.n_predictions.store(2, Ordering::Relaxed);
        check(monitor.progress(), Some(0.5));
    }

    #[test]
    fn a_stretch_comes_to_its_cost_whatever_its_steps_are() {
        let check = |n_parts: u64, n_steps: usize, steps: &[u64]| {
            let monitor = Monitor::default();
            let stretch = monitor.stretch(n_parts, n_steps);
            let mut before = 0;
            for n in steps {
                stretch.step(*n);
                let n_done = monitor.progress().n_parts;
                assert!(before <= n_done && n_done <= n_parts, "{n_done}");
                before = n_done;
            }
            stretch.end();
            assert_eq!(monitor.progress().n_parts, n_parts);
        };
        check(500, 7, &[1; 7]);
        check(500, 7, &[1; 3]);
        check(500, 1_000_003, &[17, 400_000, 1]);
        check(500, 3, &[2, 9]);
        check(500, 0, &[]);
        check(500, 0, &[1, 1]);
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
