//! Questions of Compare, and their answers.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::eval::by::By;
use crate::eval::pairing::{
    Compared, ComparedSlice, ComparedTag, Histogram, PairedRow, PairedTexts, Pairing, Refining,
    Selection,
};
use crate::keymap::Step;
use crate::model::{Direction, Filter, RunRow, SampleKey, Snippet};
use crate::question::results::Watched;

/// Something that only readers work with; screens hand it back with the next question. Two are the same only when they
/// are one.
pub struct Handle<T>(Arc<Mutex<T>>);

impl<T> Handle<T> {
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    /// Waits for it. After a panic of another reader it is as that left it: what is held here only grows.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Handle").finish_non_exhaustive()
    }
}

/// What of a pairing is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// By its id.
    pub metric: &'static str,
    /// The run that is held against the baseline, from 1.
    pub other: usize,
    /// Of the differences: ascending is the worst first.
    pub direction: Direction,
}

/// What Compare wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// What these runs share, the baseline first.
    Pairing(Vec<String>, Watched),
    /// What a filter lets through, and in which order.
    Selection {
        pairing: Handle<Pairing>,
        filter: Filter,
        aim: Aim,
        watched: Watched,
    },
    /// The order alone, for another metric.
    Order {
        pairing: Handle<Pairing>,
        selection: Selection,
        aim: Aim,
    },
    /// Every metric, from formulas.
    Summary {
        pairing: Handle<Pairing>,
        selection: Selection,
        other: usize,
        watched: Watched,
    },
    /// One step more of what is drawn, of this metric before the others.
    Refine {
        refinings: Handle<Vec<Refining>>,
        first: usize,
        watched: Watched,
    },
    Slices {
        pairing: Handle<Pairing>,
        selection: Selection,
        /// [`By::Tag`] asks for the tags.
        by: By,
        aim: Aim,
        n_resamples: u32,
        watched: Watched,
    },
    Rows {
        pairing: Handle<Pairing>,
        order: Arc<Vec<u32>>,
        range: Range<usize>,
        metric: &'static str,
    },
    /// All of one sample.
    Detail(Handle<Pairing>, u32),
    /// The next row whose test or focal method has this in its name, around the ends.
    Find {
        pairing: Handle<Pairing>,
        order: Arc<Vec<u32>>,
        needle: String,
        from: usize,
        step: Step,
        watched: Watched,
    },
    /// The row of a sample.
    Locate {
        pairing: Handle<Pairing>,
        order: Arc<Vec<u32>>,
        key: SampleKey,
    },
    /// Writes the listed samples to a new file.
    Export {
        pairing: Handle<Pairing>,
        order: Arc<Vec<u32>>,
        path: PathBuf,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Pairing(Handle<Pairing>, Arc<Shared>),
    Selection(Box<(Selection, Ordered)>),
    Order(Box<Ordered>),
    Summary(Handle<Vec<Refining>>, Vec<Compared>),
    /// The metric of this number, and whether all are as exact as they get.
    Refined(usize, Box<Compared>, bool),
    Slices(Sliced),
    /// From this row on.
    Rows(usize, Vec<ComparedRow>),
    Detail(Box<Shown>),
    Found(Option<usize>),
    /// Nothing when the sample is not in the list.
    Located(Option<usize>),
    Exported(usize, PathBuf),
}

/// Where runs differ, what is surest first.
#[derive(Clone, Debug, PartialEq)]
pub enum Sliced {
    Slices(Vec<ComparedSlice>),
    Tags(Vec<ComparedTag>),
}

/// What is known of a pairing without asking for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The baseline first.
    pub runs: Vec<RunRow>,
    /// By their ids; those that all runs have scored in the same way.
    pub metrics: Vec<&'static str>,
    /// Samples that all of them answered.
    pub n: usize,
}

/// Selected samples by their difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered {
    pub aim: Aim,
    pub order: Arc<Vec<u32>>,
    pub histogram: Histogram,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    pub row: PairedRow,
    /// For each run, the baseline first.
    pub values: Vec<f64>,
}

/// All of a sample that several runs answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub key: SampleKey,
    pub place: u32,
    pub texts: PairedTexts,
    /// The file and the line where the ground truth begins, to open it in an editor; absent when it is gone.
    pub at: Option<(PathBuf, u32)>,
    /// The first line of the ground truth in its file, from 1.
    pub first_line: u32,
    /// The code around the answers.
    pub around: Option<Snippet>,
}
