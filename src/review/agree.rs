//! How far annotators agree: their verdicts as a table of ratings ([`VerdictRatings`]), and its coefficients.

use std::collections::BTreeSet;

use crate::metric::agreement::{CoefficientValues, Ratings};
use crate::metric::rated::VerdictRatings;
use crate::model::{SampleKey, Verdict};
use crate::store::Verdicts;

use super::ReviewError;

/// The samples and annotators whose agreement is computed.
#[derive(Clone, Debug, Default)]
pub struct AgreementOptions {
    /// Only these samples.
    pub keys: Option<rustc_hash::FxHashSet<SampleKey>>,
    /// Only these annotators; all when empty.
    pub annotators: Vec<String>,
    pub seed: u64,
    /// Bootstrap samples of each interval; 0 for none.
    pub n_resamples: u64,
}

/// How far annotators agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// By name; the columns of the ratings.
    pub annotators: Vec<String>,
    pub categories: Vec<String>,
    pub ratings: Ratings,
    /// The samples that the rows of the ratings are about.
    pub samples: Vec<SampleKey>,
    pub values: CoefficientValues,
    /// 95 % bootstrap intervals over samples.
    pub intervals: [Option<(f64, f64)>; 5],
    pub by_category: Vec<Option<f64>>,
    /// Counts by the first annotator's answer, then the second's; only for two annotators.
    pub matrix: Option<Vec<Vec<u64>>>,
    /// Samples on which annotators differ, adjudicated or not.
    pub conflicts: Vec<SampleKey>,
    /// Why kappa misleads here, if it does.
    pub warning: Option<String>,
}

impl AgreementOptions {
    fn is_about(&self, verdict: &Verdict) -> bool {
        let keys = self.keys.as_ref();
        keys.is_none_or(|keys| keys.contains(&verdict.judged.key))
            && (self.annotators.is_empty() || self.annotators.contains(&verdict.annotator))
    }
}

/// Lists the annotators who have only been unsure or skipped: agreement leaves them out.
pub fn undecided(
    verdicts: &Verdicts,
    options: &AgreementOptions,
) -> Result<BTreeSet<String>, ReviewError> {
    let mut all = verdicts.all()?;
    all.retain(|verdict| options.is_about(verdict));
    let (decided, open): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|verdict| verdict.judged.answer().is_some());
    let mut names: BTreeSet<String> = open.into_iter().map(|verdict| verdict.annotator).collect();
    for verdict in decided {
        names.remove(&verdict.annotator);
    }
    Ok(names)
}

/// Measures how far annotators agree.
pub fn agreement(
    verdicts: &Verdicts,
    options: &AgreementOptions,
) -> Result<Agreement, ReviewError> {
    let is_asked = |verdict: &Verdict| options.is_about(verdict);
    let VerdictRatings {
        annotators,
        categories,
        samples,
        ratings,
        conflicts,
    } = VerdictRatings::of(verdicts.all()?.into_iter().filter(is_asked));
    Ok(Agreement {
        conflicts,
        samples,
        values: ratings.values(),
        intervals: ratings.intervals(options.seed, options.n_resamples, 0.95),
        by_category: ratings.by_category(),
        matrix: (annotators.len() == 2).then(|| ratings.matrix(0, 1)),
        warning: ratings
            .paradox()
            .map(|paradox| paradox.sentence(&categories)),
        annotators,
        categories,
        ratings,
    })
}
