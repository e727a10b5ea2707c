//! The output of `runs`, `eval` and `compare` with `--json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{LanguageFunnel, RunKind, RunRow};

use super::outcomes::{WireConfirmed, WireFocalShares, WireLanguageFunnel, WireRunExecuted};
use super::scores::OrderedFields;
use super::usage::WireUsage;

/// The word for several languages.
pub const MIXED: &str = "mixed";

/// A run with its scores.
#[derive(Debug, Serialize)]
pub struct WireRun<'a> {
    pub name: &'a str,
    pub model: Option<&'a str>,
    pub target: &'static str,
    /// The kind of its questions; absent for samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    pub matcher: &'static str,
    /// The language of all its samples; `mixed` where they are in several.
    pub language: &'static str,
    /// How many samples it has of each language; those that have left the index are of none.
    pub languages: OrderedFields<u64>,
    pub extraction: &'static str,
    pub parse_mode: &'static str,
    /// The Python whose `ast.parse` decided what parses, such as `Python 3.11.7`; absent where a grammar decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser: Option<String>,
    pub max_length: Option<u32>,
    pub source: &'a str,
    /// Seconds since 1970.
    pub imported_at: i64,
    pub n_predictions: u64,
    pub n_samples: u64,
    pub n_scored: u64,
    pub n_problems: u64,
    pub n_changed: u64,
    /// First answers that have nothing to be compared with; null before they were read.
    pub n_without_reference: Option<u64>,
    pub unparsable_rate: Option<f64>,
    /// The share of first answers with a reference that parse; null before they were read.
    pub parses: Option<WireMean>,
    pub over_length_rate: Option<f64>,
    /// Only values of the current version of a metric; null while they are not complete.
    pub scores: OrderedFields<Option<f64>>,
    pub parsable: OrderedFields<Option<f64>>,
    pub adjusted: OrderedFields<Option<f64>>,
    pub versions: OrderedFields<u32>,
    pub options: OrderedFields<String>,
    /// Whether one of several attempts parses; absent where a run has one attempt each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parse_at_k: Vec<WireParseAtK>,
    /// Absent where it was never executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<WireRunExecuted>,
    /// Absent where its answers were not asked for here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<WireUsage>,
}

/// A run's samples in one language: a line of `runs --by language`.
#[derive(Debug, Serialize)]
pub struct WireRunInLanguage<'a> {
    pub name: &'a str,
    /// `gone` for samples that have left the index.
    pub language: &'static str,
    #[serde(flatten)]
    pub of: WireLanguageFunnel,
    /// Over first answers.
    pub scores: OrderedFields<f64>,
}

/// A model of an experiment.
#[derive(Debug, Serialize)]
pub struct WireModelRow<'a> {
    pub model: &'a str,
    pub run: &'a str,
    /// Conditions that tell it from the experiment's other runs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<&'a str, &'a str>,
    /// Its settings: each parameter with all of its values.
    pub settings: BTreeMap<&'a str, Vec<&'a str>>,
    pub samples: u64,
    pub parses: Option<WireMean>,
    pub metrics: OrderedFields<Option<WireMean>>,
    pub correct: Option<WireMean>,
    /// Predictions without an outcome, and those that were not run; null where it was never executed.
    pub blocked: Option<u64>,
    pub not_run: Option<u64>,
    /// Absent where it was never executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<WireConfirmed>,
}

/// A mean over samples with its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireMean {
    pub n: u64,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

/// The probability that one of `k` attempts parses.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireParseAtK {
    pub k: u64,
    pub n_samples: u64,
    pub parse: f64,
    /// The 95 % bootstrap interval over samples.
    pub parse_interval: Option<(f64, f64)>,
}

impl<'a> WireRun<'a> {
    /// Describes the run with these metrics, as far as it has them; `metrics` are ids and current versions.
    #[must_use]
    pub fn new(run: &'a RunRow, metrics: &[(&'static str, u32)]) -> Self {
        let known = || {
            metrics.iter().filter_map(|(id, version)| {
                let evaluation = run.evaluation(id)?;
                (evaluation.version == *version).then_some((*id, evaluation))
            })
        };
        Self {
            name: &run.setting.name,
            model: run.setting.model.as_deref(),
            target: run.setting.target.as_str(),
            kind: (run.kind != RunKind::Samples).then(|| run.kind.as_str()),
            matcher: run.setting.matcher.as_str(),
            language: run.setting.language.as_str(),
            languages: OrderedFields::default(),
            extraction: run.setting.extraction.as_str(),
            parse_mode: run.setting.parse_mode.as_str(),
            parser: None,
            max_length: run.setting.length_max,
            source: &run.setting.source,
            imported_at: run.setting.imported_at,
            n_predictions: run.n_predictions,
            n_samples: run.n_samples,
            n_scored: run.n_scored,
            n_problems: run.n_problems,
            n_changed: run.n_changed,
            n_without_reference: run.n_without_reference(),
            unparsable_rate: run.unparsable_rate(),
            parses: None,
            over_length_rate: run.over_length_rate(),
            scores: known()
                .map(|(id, evaluation)| (id, evaluation.value))
                .collect(),
            parsable: known()
                .map(|(id, evaluation)| (id, evaluation.value_parsable))
                .collect(),
            adjusted: known().map(|(id, _)| (id, run.adjusted(id))).collect(),
            versions: known()
                .map(|(id, evaluation)| (id, evaluation.version))
                .collect(),
            options: known()
                .filter(|(_, evaluation)| !evaluation.options.is_empty())
                .map(|(id, evaluation)| (id, evaluation.options.clone()))
                .collect(),
            parse_at_k: Vec::new(),
            executed: None,
            usage: None,
        }
    }

    /// Sets the languages of its samples.
    #[must_use]
    pub fn in_languages(self, all: &[LanguageFunnel]) -> Self {
        let known = all
            .iter()
            .filter(|language_funnel| language_funnel.language.is_some());
        let languages: OrderedFields<u64> = known
            .map(|language_funnel| (language_funnel.word(), language_funnel.n_samples))
            .collect();
        Self {
            language: match languages.0.as_slice() {
                [] => self.language,
                [(one, _)] => one,
                _ => MIXED,
            },
            languages,
            ..self
        }
    }
}

/// A prediction of a run with its scores: a line of `runs --samples`.
#[derive(Debug, Serialize)]
pub struct WireScored<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    pub parsable: bool,
    /// Line and column, from 1, where it does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<[u32; 2]>,
    pub n_tokens: u32,
    pub n_reference_tokens: u32,
    /// Whether the sample has changed since the answer came in.
    pub changed: bool,
    /// There is nothing to compare with: the scores count nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_reference: bool,
    /// The tags of its differences; absent where they are not computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<&'static str>>,
    pub scores: OrderedFields<f64>,
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub parts: OrderedFields<OrderedFields<f64>>,
}

/// Two runs on the samples that both answered.
#[derive(Debug, Serialize)]
pub struct WireComparison<'a> {
    pub a: &'a str,
    pub b: &'a str,
    pub n_only_a: u64,
    pub n_only_b: u64,
    pub n_left_out: u64,
    pub seed: u64,
    pub resamples: u32,
    pub slices: Vec<WireSlice<'a>>,
    /// The tags that some answer has, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<WireComparedTag>>,
    /// Absent where one of them was never executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<WireComparedOutcomes>,
    /// Ratios of tests on mutants; absent where no sample was run on any on both sides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<WireComparedFaults>,
    /// The usage of each run as a whole; absent where its answers were not asked for here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_a: Option<WireUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_b: Option<WireUsage>,
    /// The worst or the best ones, where they are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<WirePaired<'a>>,
}

/// How far the answers of two runs came when they were executed.
#[derive(Debug, Serialize)]
pub struct WireComparedOutcomes {
    /// Samples whose answers both have an outcome.
    pub n: u64,
    pub n_left_out: u64,
    pub steps: Vec<WireComparedStep>,
    /// The share of the focal method's lines that an answer covers, 0 where it does not pass, as a mean over samples; absent
    /// where none has it on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<WireComparedShare>,
    /// The coverage of the focal methods that both runs were asked for; absent where only some samples are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_a: Option<WireFocalShares>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_b: Option<WireFocalShares>,
    /// Likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_a: Option<WireConfirmed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_b: Option<WireConfirmed>,
    /// Absent where no sample has answers that were shaken on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstable: Option<WireComparedShare>,
    /// Shares of answers that object to code that keeps the contract: to any, then to each variant; empty where no
    /// sample has answers that were run on it on both sides.
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub brittle: OrderedFields<WireComparedShare>,
}

/// A mean, or the share of samples whose answers have a property, over the samples where it is known on both sides.
#[derive(Debug, Serialize)]
pub struct WireComparedShare {
    pub n: u64,
    #[serde(flatten)]
    pub compared: WireDifference,
    /// Samples where one answer has more; for a share: has the property, and the other has not.
    pub only_a: u64,
    pub only_b: u64,
}

/// The share of samples whose answers reach a step.
#[derive(Debug, Serialize)]
pub struct WireComparedStep {
    pub step: &'static str,
    #[serde(flatten)]
    pub compared: WireDifference,
    /// Samples where only one answer reaches the step.
    pub only_a: u64,
    pub only_b: u64,
}

/// A ratio of tests on mutants, as a mean over samples that have it on both sides.
#[derive(Debug, Serialize)]
pub struct WireComparedFaults {
    /// `mutation` or `strength`.
    pub ratio: &'static str,
    #[serde(flatten)]
    pub compared: WireComparedShare,
}

/// A sample that several runs answered: a line of `compare --export`.
#[derive(Debug, Serialize)]
pub struct WirePaired<'a> {
    pub sample: String,
    /// Absent where the index no longer has the sample.
    pub repo: Option<&'a str>,
    pub test: Option<String>,
    /// The reference of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<&'a str>,
    /// The baseline first.
    pub runs: Vec<WirePairedRun<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WirePairedRun<'a> {
    pub run: &'a str,
    pub parsable: bool,
    pub values: OrderedFields<f64>,
    /// Less the baseline's values; not for the baseline.
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub differences: OrderedFields<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct WireSlice<'a> {
    /// Null for all samples.
    pub slice: Option<&'a str>,
    pub n: u64,
    /// The share in the slice; in one of samples that both parse, the share of all answers of the run.
    pub unparsable_rate_a: f64,
    pub unparsable_rate_b: f64,
    /// The share of all answers of the run; only in a slice of samples that both parse, where a limit is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_length_rate_a: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_length_rate_b: Option<f64>,
    /// Answers without an outcome, of a run that was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_blocked_a: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_blocked_b: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_not_run_a: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_not_run_b: Option<u64>,
    pub metrics: Vec<WireCompared>,
}

/// Two runs in one number.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireDifference {
    pub a: f64,
    pub b: f64,
    /// b minus a.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub low: f64,
    pub high: f64,
    pub p: f64,
}

#[derive(Debug, Serialize)]
pub struct WireCompared {
    pub metric: &'static str,
    #[serde(flatten)]
    pub compared: WireDifference,
    /// Adjusted for the number of slices (Benjamini and Hochberg); for slices only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Over samples that both parse: times the share of all answers of the run that parse (ConTest equation 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_a: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_b: Option<f64>,
    pub better: u64,
    pub same: u64,
    pub worse: u64,
}

/// A run over its own samples: `compare --apart`.
#[derive(Debug, Serialize)]
pub struct WireApart<'a> {
    pub run: &'a str,
    /// Samples whose first answer parses.
    pub n: u64,
    pub adjusted: OrderedFields<Option<f64>>,
    pub unparsable_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_length_rate: Option<f64>,
    pub comparable: bool,
}

/// A tag in the answers of two runs; shares are of the compared samples.
#[derive(Debug, Serialize)]
pub struct WireComparedTag {
    pub tag: &'static str,
    pub n_a: u64,
    pub n_b: u64,
    #[serde(flatten)]
    pub compared: WireDifference,
    /// Adjusted for the number of tags (Benjamini and Hochberg).
    pub p_adjusted: f64,
    /// Samples where only one answer has the tag.
    pub only_a: u64,
    pub only_b: u64,
}
