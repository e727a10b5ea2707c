//! The verb `leakage`: near duplicates across the splits of a dataset, and the training samples that are nearest to one.
//!
//! Decides which texts are compared, and which pairs count. Test and focal method of a sample are two texts; each is
//! the set of its runs of [`SHINGLE_TOKENS`] tokens (comments and layout are none), and two are near when Jaccard's
//! coefficient of their sets reaches a threshold. Signatures ([`minhash`](crate::metric::minhash)) only choose the
//! pairs that are worth a look: reported similarities are computed from the sets themselves.
//!
//! The caller's filter chooses the compared samples. Prints nothing, and writes only signatures ([`NearIndex`]), which
//! can be made anew at any time.

// A wildcard would take a new variant for another one.
#![warn(clippy::wildcard_enum_match_arm)]

use focalist_metric as metric;
#[cfg(test)]
use focalist_mine as mine;
use focalist_model as model;
use focalist_store as store;
use focalist_task as task;

use crate::model::{Filter, SampleKey, SampleRow, SampleScope, Split};
use crate::store::{StoreError, StoredSample};
use crate::task::Cancelled;

mod count;
mod index;
mod near;
mod nearest;
mod pairs;
mod report;
mod too_near;

pub use index::LeakageIndex;
pub use near::{NearIndex, nearest};
pub use too_near::TooNearSamples;

/// A literal that differs costs three shingles: of 36 tokens that leaves 31/37 = 0.84. Longer runs would take a test with
/// one other number for another test; single tokens would take any two tests of a class for the same.
pub const SHINGLE_TOKENS: usize = 3;

/// Places of a signature: 400 bytes a text, and a standard error of 0.04 at 0.8.
pub const N_PLACES: usize = 100;

/// The similarity from which on texts are near by default.
pub const THRESHOLD: f64 = 0.8;

/// Below it, the bands would find no difference between near and far.
pub const THRESHOLD_MIN: f64 = 0.3;

#[derive(Debug, thiserror::Error)]
pub enum LeakageError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("no sample `{key}`")]
    NoSuchSample { key: SampleKey },
}

/// One of the two splits of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Splits {
    /// Sample by sample.
    #[default]
    Random,
    /// Project by project.
    Project,
}

impl Splits {
    /// Both, the default first.
    pub const ALL: &[Self] = &[Self::Random, Self::Project];

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Project => "project",
        }
    }

    const fn of(self, sample: &StoredSample) -> Option<Split> {
        self.choose([sample.split_random, sample.split_project])
    }

    /// Chooses between the split by samples and the one by projects.
    const fn choose(self, [by_sample, by_project]: [Option<Split>; 2]) -> Option<Split> {
        match self {
            Self::Random => by_sample,
            Self::Project => by_project,
        }
    }
}

/// The compared samples, and the splits between which they are compared.
#[derive(Clone, Debug, Default)]
pub struct LeakageOptions {
    pub filter: Filter,
    pub scope: SampleScope,
    pub splits: Splits,
}

/// Which pairs count as near, and how many of them are listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportOptions {
    /// [`THRESHOLD_MIN`]..=1; a smaller one counts as that.
    pub threshold: f64,
    /// How many pairs are listed; 0 for all.
    pub limit: usize,
}

/// Which texts of two samples are near, the worst leak last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NearTexts {
    Focal,
    Test,
    Both,
}

impl NearTexts {
    /// Returns the word used in tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Focal => "focal",
            Self::Test => "test",
            Self::Both => "both",
        }
    }
}

/// Near duplicates across splits.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakageReport {
    pub splits: Splits,
    pub threshold: f64,
    pub n_samples: u64,
    /// Samples without a split, which are not compared and not among `n_samples`.
    pub n_without_split: u64,
    /// How likely a pair that just reaches the threshold is found; nearer ones are likelier.
    pub found_at_threshold: f64,
    /// Pairs that were not looked at, because too many texts are alike: with any, counts are lower bounds.
    pub n_left_out: u64,
    /// For every two splits.
    pub counts: Vec<PairCount>,
    /// For every split that is held out from training.
    pub leaked: Vec<LeakedCount>,
    /// The strongest first: near in both before near in the test, and that before near in the focal method; then by the
    /// similarity of the near texts (of both, the sum), then by the signatures' estimate for the other text, then by
    /// key.
    pub pairs: Vec<NearPair>,
}

/// How many pairs of samples of two splits are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairCount {
    pub seen: Split,
    pub held_out: Split,
    /// Pairs whose tests are near, with near focal methods or not.
    pub n_by_test: u64,
    /// Pairs whose focal methods are near, with near tests or not.
    pub n_by_focal: u64,
    pub n_by_both: u64,
}

impl PairCount {
    /// Counts the pairs that are near in any way.
    #[must_use]
    pub const fn n_pairs(&self) -> u64 {
        (self.n_by_test + self.n_by_focal).saturating_sub(self.n_by_both)
    }
}

/// How many samples of a split have a near duplicate in the training split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakedCount {
    pub held_out: Split,
    pub n_samples: u64,
    pub n_by_test: u64,
    pub n_by_focal: u64,
    /// By one training sample in both.
    pub n_by_both: u64,
    /// By any training sample in any way.
    pub n_by_any: u64,
}

/// Two samples of different splits.
#[derive(Clone, Debug, PartialEq)]
pub struct NearPair {
    pub near: NearTexts,
    /// Of the test split, else of the validation split.
    pub held_out: PairSide,
    pub seen: PairSide,
    pub similarity: Similarity,
}

/// A sample as a row shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairSide {
    pub key: SampleKey,
    pub repo: String,
    /// `CounterTest.testInc`.
    pub test: String,
    /// `Counter.inc`; absent when unmapped.
    pub focal: Option<String>,
    pub split: Option<Split>,
}

impl PairSide {
    fn new(sample: &StoredSample, splits: Splits) -> Self {
        Self::of_row(&sample.row, splits.of(sample))
    }

    fn of_row(row: &SampleRow, split: Option<Split>) -> Self {
        Self {
            key: row.key,
            repo: row.repo.clone(),
            test: format!("{}.{}", row.test_class, row.test_name),
            focal: row.focal.clone(),
            split,
        }
    }
}

/// Jaccard's coefficients of two samples, 0..=1, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    pub test: f64,
    /// Absent when either has no focal method.
    pub focal: Option<f64>,
}

/// The sample whose neighbours are asked for, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestOptions {
    /// Any sample of the store, also one that the filter leaves out.
    pub key: SampleKey,
    /// Only samples of this split are neighbours.
    pub split: Split,
    pub n: usize,
}

/// The samples that are nearest to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    pub of: PairSide,
    /// The nearest first.
    pub neighbours: Vec<Neighbour>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub side: PairSide,
    pub similarity: Similarity,
    /// The mean of test and focal method, an absent one counting as 0; of the test alone where the sample asked for has
    /// no focal method.
    pub mean: f64,
}
