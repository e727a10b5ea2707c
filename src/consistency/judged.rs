//! The judgement on the completions of one function: which are unlike the others, which is finally chosen, and how
//! similar the true second half they are.
//!
//! Decides what takes part: no empty completions. Scores are sentence BLEU and edit similarity (fuzzywuzzy's ratio)
//! against the function's own second half, as in the paper, or against the variant's.

use crate::completions::{Completion, oracle};
use crate::metric::edit::Scratch;
use crate::metric::scorer::{Scorer, ScoringExtras, Settings};
use crate::metric::{Metric, metric};
use crate::model::Language;
use crate::mutate::Pass;
use crate::outliers::{DistanceRule, SimilarityMatrix, THRESHOLDS};
use crate::store::MutationSeed;

/// The metrics that completions are scored with.
pub const METRICS: [&str; 2] = ["bleu", "edit:fuzzywuzzy"];

/// Their names for people.
pub const TITLES: [&str; 2] = ["BLEU sentence", "edit similarity"];

/// The reference that completions are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Oracle {
    /// The function's second half.
    #[default]
    Seed,
    /// The second half of the variant that was completed.
    Renamed,
}

impl Oracle {
    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Renamed => "renamed",
        }
    }
}

/// The rule and the threshold that decide outliers and repairs, and the text that completions are scored against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeOptions {
    pub rule: DistanceRule,
    pub threshold: usize,
    pub oracle: Oracle,
}

/// One function's completions.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedFunction {
    pub name: String,
    /// The function's own, then in the order of the passes; no empty ones.
    pub passes: Vec<Option<Pass>>,
    pub texts: Vec<String>,
    /// Completions that are empty.
    pub n_empty: u64,
    pub matrix: SimilarityMatrix,
    /// By threshold.
    pub outliers: [Vec<bool>; THRESHOLDS.len()],
    /// By threshold: a position in `passes`.
    pub repaired_at: [Option<usize>; THRESHOLDS.len()],
    /// At the threshold that was asked for.
    pub repaired: Option<usize>,
    /// Scores of each completion in each of [`METRICS`]; `None` where the second half is not known, or nothing is
    /// scored.
    pub scores: Option<Vec<[f64; 2]>>,
}

impl JudgedFunction {
    /// Returns the place of the function's own completion; nothing where it has none or an empty one.
    #[must_use]
    pub fn own(&self) -> Option<usize> {
        self.passes.first()?.is_none().then_some(0)
    }

    /// Tells which completions are outliers at a threshold.
    #[must_use]
    pub fn outliers_at(&self, rule: DistanceRule, threshold: usize) -> Vec<bool> {
        self.matrix.outliers(rule, threshold)
    }

    /// Compares the function's own score with the repaired one's: s and s′ in one of [`METRICS`].
    #[must_use]
    pub fn repair(&self, repaired: Option<usize>, metric: usize) -> Option<(f64, f64)> {
        let scores = self.scores.as_ref()?;
        Some((scores[self.own()?][metric], scores[repaired?][metric]))
    }
}

/// Judges functions one after the other; keeps settings and buffers between them.
pub struct ConsistencyJudge {
    options: JudgeOptions,
    settings: Vec<Settings>,
    scratch: Scratch,
}

impl ConsistencyJudge {
    #[must_use]
    pub fn new(options: JudgeOptions) -> Self {
        let metrics: Vec<&'static Metric> =
            METRICS.iter().filter_map(|text| metric(text)).collect();
        let settings = |language: &Language| Settings {
            beside: ScoringExtras::Nothing,
            ..Settings::new(*language, metrics.clone())
        };
        Self {
            options,
            settings: Language::ALL.iter().map(settings).collect(),
            scratch: Scratch::default(),
        }
    }

    /// Makes a judge that scores nothing, because scoring takes longer than all the rest.
    #[must_use]
    pub fn without_scores(options: JudgeOptions) -> Self {
        Self {
            options,
            settings: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Judges completions of one function, in any order. `cells` are similarities that are known from before.
    pub fn judge(
        &mut self,
        seed: &MutationSeed,
        completions: &[Completion],
        cells: Option<&[u8]>,
    ) -> JudgedFunction {
        let mut all: Vec<&Completion> = completions.iter().collect();
        all.sort_by_key(|completion| completion.pass);
        let n_all = all.len();
        all.retain(|completion| !completion.text.trim().is_empty());
        let n_empty = (n_all - all.len()) as u64;
        let texts: Vec<&str> = all
            .iter()
            .map(|completion| completion.text.as_str())
            .collect();
        let known = cells.and_then(|cell| SimilarityMatrix::of_cells(texts.len(), cell));
        let matrix = known.unwrap_or_else(|| SimilarityMatrix::new(&texts, &mut self.scratch));
        let rule = self.options.rule;
        let outliers = THRESHOLDS.map(|n| matrix.outliers(rule, n));
        let repaired_at = outliers.each_ref().map(|items| matrix.repaired(items));
        let repaired = matrix.repaired(&matrix.outliers(rule, self.options.threshold));
        JudgedFunction {
            name: seed.name.clone(),
            passes: all.iter().map(|completion| completion.pass).collect(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            n_empty,
            outliers,
            repaired_at,
            repaired,
            scores: self.scores(seed, &all),
            matrix,
        }
    }

    fn scores(&self, seed: &MutationSeed, all: &[&Completion]) -> Option<Vec<[f64; 2]>> {
        let own = oracle(seed, None)?;
        let at = Language::ALL
            .iter()
            .position(|language| *language == seed.language)?;
        let mut scorer = Scorer::new(self.settings.get(at)?);
        let scores = all.iter().map(|completion| {
            let reference = match self.options.oracle {
                Oracle::Seed => own,
                Oracle::Renamed => oracle(seed, completion.pass).unwrap_or(own),
            };
            let score = scorer.score(&[reference], &completion.text);
            let value = |metric: usize| score.scores.get(metric).map_or(0.0, |score| score.value);
            [value(0), value(1)]
        });
        Some(scores.collect())
    }
}
