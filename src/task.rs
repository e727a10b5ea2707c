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
}
