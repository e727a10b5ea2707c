//! The consistency of completions of functions, as JSON (`docs/mutate.md`).

use serde::Serialize;

/// A run that is listed with its sizes.
#[derive(Debug, Serialize)]
pub struct WireConsistencyRun<'a> {
    pub run: &'a str,
    pub functions: u64,
    pub completions: u64,
    /// Functions whose completions were judged.
    pub judged: u64,
}

/// One function.
#[derive(Debug, Serialize)]
pub struct WireConsistency<'a> {
    pub seed: &'a str,
    /// None for the function's own.
    pub passes: Vec<Option<&'a str>>,
    pub no_result: u64,
    pub matrix: Vec<Vec<u8>>,
    pub median: Option<f64>,
    pub spread: Option<f64>,
    pub rule: &'a str,
    /// By threshold: positions in `passes`.
    pub outliers: Vec<WireOutliers>,
    pub threshold: u32,
    /// A position in `passes`.
    pub repaired: Option<usize>,
    /// BLEU-4 and edit similarity of each completion.
    pub scores: Option<&'a [[f64; 2]]>,
}

#[derive(Debug, Serialize)]
pub struct WireOutliers {
    pub threshold: usize,
    pub is_eligible: bool,
    pub outliers: Vec<usize>,
}

/// The numbers of a run.
#[derive(Debug, Serialize)]
pub struct WireConsistencyReport<'a> {
    pub run: &'a str,
    /// None for all functions.
    pub dataset: Option<&'a str>,
    pub rule: &'a str,
    pub threshold: u32,
    pub oracle: &'a str,
    /// Table II.
    pub languages: Vec<WireVariants>,
    /// Table IV: by class, in percents.
    pub distances: Vec<WireClassShare>,
    pub prompts: u64,
    pub no_result: u64,
    /// Table V.
    pub thresholds: Vec<WireThreshold>,
    /// Figures 7 to 10.
    pub potency: Vec<WirePotency>,
}

#[derive(Debug, Serialize)]
pub struct WireVariants {
    pub language: &'static str,
    /// `seed` for the functions themselves.
    pub pass: &'static str,
    pub texts: u64,
    pub lines: u64,
    pub parsing: u64,
}

#[derive(Debug, Serialize)]
pub struct WireClassShare {
    pub from: u32,
    pub to: u32,
    pub variants: u64,
    pub share: f64,
    pub paper: f64,
}

#[derive(Debug, Serialize)]
pub struct WireGain {
    pub metric: &'static str,
    pub mean: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub functions: usize,
    /// Left out: their own score is 0.
    pub zero: u64,
}

#[derive(Debug, Serialize)]
pub struct WireThreshold {
    pub threshold: usize,
    pub eligible: u64,
    pub outliers: u64,
    pub repaired: u64,
    pub enhancement: Vec<WireGain>,
}

#[derive(Debug, Serialize)]
pub struct WirePotency {
    pub pass: &'static str,
    pub taken: u64,
    pub enhancement: Vec<WireGain>,
}
