//! The numbers of the paper's tables and figures, gathered function by function.
//!
//! Decides the counts: a prompt is a function or a variant that was asked about; an enhancement r = (s′ − s) / s needs
//! the function's own score, and one below [`OWN_MIN`] is left out and counted. Intervals are of means, by the
//! bootstrap.

use std::collections::BTreeMap;

use crate::judged::{JudgedFunction, METRICS};
use crate::metric::paired::{PairedScores, Scratch, interval};
use crate::model::Language;
use crate::mutate::Pass;
use crate::outliers::THRESHOLDS;
use crate::store::MutationSeed;

/// Resamples of the bootstrap, as in other tables.
const N_RESAMPLES: u64 = 1_000;
const SEED: u64 = 0;

/// The lower ends of Table IV's classes after the first, in percents; a value equal to an end belongs to the class
/// before.
pub const CLASSES: [u32; 5] = [5, 10, 15, 20, 90];

/// Their frequencies in the paper, in percents.
pub const CLASSES_OF_PAPER: [f64; 6] = [90.16, 8.30, 0.92, 0.30, 0.32, 0.0];

/// Texts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextCounts {
    pub n: u64,
    pub n_lines: u64,
    pub n_parsing: u64,
}

impl TextCounts {
    fn add(&mut self, source: &str, does_parse: bool) {
        self.n += 1;
        self.n_lines += source.lines().count() as u64;
        self.n_parsing += u64::from(does_parse);
    }
}

/// The smallest score of a function's own completions for which an enhancement is computed, in 0..=1. BLEU is smoothed,
/// so that completions without a word in common have some 1e-17 instead of 0, and one of them would make a mean of 5e17
/// %.
pub const OWN_MIN: f64 = 0.01;

/// Enhancements of many functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gain {
    pub ratios: Vec<f64>,
    /// Functions whose own score is below [`OWN_MIN`], so that a ratio to it says nothing.
    pub n_zero: u64,
}

impl Gain {
    fn add(&mut self, pair: Option<(f64, f64)>) {
        match pair {
            Some((own, repaired)) if own >= OWN_MIN => self.ratios.push((repaired - own) / own),
            Some(_) => self.n_zero += 1,
            None => {}
        }
    }

    /// Computes the mean; `None` without ratios.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let n = self.ratios.len();
        (n > 0).then(|| self.ratios.iter().sum::<f64>() / n as f64)
    }

    /// Computes the 95 % bootstrap interval of the mean; `None` for fewer than two ratios.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        if self.ratios.len() < 2 {
            return None;
        }
        let pairs =
            PairedScores::of_values(self.ratios.iter().map(|ratio| [0.0, *ratio]).collect());
        let mut scratch = Scratch::default();
        let draw = |number| pairs.resampled(SEED, number, &mut scratch);
        interval((0..N_RESAMPLES).map(draw).collect(), 0.95)
    }
}

/// The results at one threshold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtThreshold {
    /// Functions with enough completions for an outlier.
    pub n_eligible: u64,
    pub n_outliers: u64,
    /// Functions for which repairing takes a completion.
    pub n_repaired: u64,
    /// In each of [`METRICS`].
    pub gains: [Gain; METRICS.len()],
}

/// The completions of one pass that were taken in the end, and what they gained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Potency {
    pub n_taken: u64,
    pub gains: [Gain; METRICS.len()],
}

/// The numbers of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsistencyNumbers {
    /// Functions by language (Table II).
    pub seeds: BTreeMap<Language, TextCounts>,
    /// Variants by language and pass.
    pub variants: BTreeMap<(Language, Pass), TextCounts>,
    /// Variants by class of distance (Table IV).
    pub distances: [u64; CLASSES.len() + 1],
    pub n_prompts: u64,
    pub n_no_result: u64,
    pub n_judged: u64,
    /// By threshold (Table V).
    pub at: [AtThreshold; THRESHOLDS.len()],
    /// By pass, the function's own first, at the threshold that was asked for (Figures 7 to 10).
    pub potency: BTreeMap<Option<Pass>, Potency>,
}

/// The numbers of a run, all together and for each data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTables {
    pub all: ConsistencyNumbers,
    /// By name; functions without a data set are under the empty name.
    pub sets: BTreeMap<String, ConsistencyNumbers>,
}

impl RunTables {
    /// Counts a function and its variants.
    pub fn add_seed(&mut self, seed: &MutationSeed) {
        self.all.add_seed(seed);
        self.set_of(seed).add_seed(seed);
    }

    /// Counts the completions, outliers and repairs of a function.
    pub fn add(&mut self, seed: &MutationSeed, judged: &JudgedFunction) {
        self.all.add(judged);
        self.set_of(seed).add(judged);
    }

    fn set_of(&mut self, seed: &MutationSeed) -> &mut ConsistencyNumbers {
        self.sets.entry(seed.dataset.clone()).or_default()
    }

    /// Lists the parts of a table with their names: each data set, and behind them all together where there are
    /// several. Without data sets the only part has no name.
    #[must_use]
    pub fn parts(&self) -> Vec<(Option<&str>, &ConsistencyNumbers)> {
        if self.sets.keys().all(String::is_empty) {
            return vec![(None, &self.all)];
        }
        let mut parts: Vec<(Option<&str>, &ConsistencyNumbers)> = self
            .sets
            .iter()
            .map(|(name, consistency_numbers)| {
                (
                    Some(if name.is_empty() { OTHER } else { name }),
                    consistency_numbers,
                )
            })
            .collect();
        if parts.len() > 1 {
            parts.push((Some(ALL), &self.all));
        }
        parts
    }

    /// Looks up the numbers of one data set; nothing where it has no function.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<&ConsistencyNumbers> {
        self.sets.get(name)
    }
}

/// The name in tables for all data sets together.
pub const ALL: &str = "all";

/// The name in tables for functions without a data set, beside those that have one.
const OTHER: &str = "other";

/// Several runs combined at one threshold: counts are sums, an enhancement is the mean of the runs' means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunsAtThreshold {
    pub n_prompts: u64,
    pub n_no_result: u64,
    pub n_eligible: u64,
    pub n_outliers: u64,
    pub n_repaired: u64,
    /// Means in each of [`METRICS`], over the runs that have one.
    pub means: [Option<f64>; METRICS.len()],
    pub n_zero: [u64; METRICS.len()],
}

/// Sums up some runs at the threshold with this position among [`THRESHOLDS`]: the last rows of Table V.
#[must_use]
pub fn together(runs: &[&ConsistencyNumbers], threshold_idx: usize) -> RunsAtThreshold {
    let mut sums = RunsAtThreshold::default();
    for run in runs {
        let at = &run.at[threshold_idx];
        sums.n_prompts += run.n_prompts;
        sums.n_no_result += run.n_no_result;
        sums.n_eligible += at.n_eligible;
        sums.n_outliers += at.n_outliers;
        sums.n_repaired += at.n_repaired;
        for (sum, gain) in sums.n_zero.iter_mut().zip(&at.gains) {
            *sum += gain.n_zero;
        }
    }
    for (metric, mean) in sums.means.iter_mut().enumerate() {
        let means = runs
            .iter()
            .map(|run| run.at[threshold_idx].gains[metric].mean());
        let means: Vec<f64> = means.flatten().collect();
        *mean = (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64);
    }
    sums
}

impl ConsistencyNumbers {
    /// Sums up the variants of one language, or of all.
    #[must_use]
    pub fn all_variants(&self, language: Option<Language>) -> TextCounts {
        let mut sum = TextCounts::default();
        for ((of, _), text_counts) in &self.variants {
            if language.is_none_or(|language| language == *of) {
                sum.n += text_counts.n;
                sum.n_lines += text_counts.n_lines;
                sum.n_parsing += text_counts.n_parsing;
            }
        }
        sum
    }

    /// Counts a function and its variants.
    pub fn add_seed(&mut self, seed: &MutationSeed) {
        self.seeds
            .entry(seed.language)
            .or_default()
            .add(&seed.source, true);
        for variant in &seed.variants {
            let Some(pass) = Pass::of(&variant.pass) else {
                continue;
            };
            let texts = self.variants.entry((seed.language, pass)).or_default();
            texts.add(&variant.source, variant.does_parse);
            let class = CLASSES
                .iter()
                .filter(|end| variant.distance * 100.0 > f64::from(**end))
                .count();
            self.distances[class] += 1;
        }
    }

    /// Counts the completions, outliers and repairs of a function.
    pub fn add(&mut self, judged: &JudgedFunction) {
        let n_texts = judged.texts.len();
        self.n_prompts += n_texts as u64 + judged.n_empty;
        self.n_no_result += judged.n_empty;
        self.n_judged += 1;
        for (idx, at) in self.at.iter_mut().enumerate() {
            at.n_eligible += u64::from(n_texts > THRESHOLDS[idx]);
            at.n_outliers += judged.outliers[idx]
                .iter()
                .filter(|outlier| **outlier)
                .count() as u64;
            let repaired = judged.repaired_at[idx];
            at.n_repaired += u64::from(repaired.is_some());
            for (metric, gain) in at.gains.iter_mut().enumerate() {
                gain.add(judged.repair(repaired, metric));
            }
        }
        if let Some(repaired) = judged.repaired {
            let potency = self.potency.entry(judged.passes[repaired]).or_default();
            potency.n_taken += 1;
            for (metric, gain) in potency.gains.iter_mut().enumerate() {
                gain.add(judged.repair(Some(repaired), metric));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n_outliers: u64, ratios: &[f64]) -> ConsistencyNumbers {
        let mut numbers = ConsistencyNumbers {
            n_prompts: 10,
            ..ConsistencyNumbers::default()
        };
        numbers.at[4].n_outliers = n_outliers;
        numbers.at[4].gains[0].ratios = ratios.to_vec();
        numbers
    }

    #[test]
    fn runs_together_have_the_sum_of_counts_and_the_mean_of_means() {
        let (one, other, none) = (
            numbers(3, &[0.5]),
            numbers(4, &[0.1, 0.2, 0.3]),
            numbers(0, &[]),
        );
        let sums = together(&[&one, &other, &none], 4);
        assert_eq!((sums.n_prompts, sums.n_outliers), (30, 7));
        // Two of the three runs have a mean, and each counts once, however many functions it has.
        let mean = sums.means[0].expect("two runs have one");
        assert!((mean - 0.35).abs() < 1e-12, "{mean}");
        assert_eq!(sums.means[1], None);
    }

    #[test]
    fn data_sets_are_told_apart_where_somebody_names_one() {
        let seed = |dataset: &str| MutationSeed {
            name: String::new(),
            language: Language::Python,
            path: String::new(),
            function: String::new(),
            start_line: 1,
            end_line: 2,
            source: "def f():\n    pass\n".to_owned(),
            dataset: dataset.to_owned(),
            variants: Vec::new(),
        };
        let names = |of: &RunTables| -> Vec<Option<String>> {
            let parts = of.parts().into_iter();
            parts.map(|part| part.0.map(str::to_owned)).collect()
        };
        let some = |name: &str| Some(name.to_owned());
        let mut of = RunTables::default();
        of.add_seed(&seed(""));
        assert_eq!(names(&of), [None]);
        of.add_seed(&seed("leetcode"));
        assert_eq!(names(&of), [some("other"), some("leetcode"), some(ALL)]);
        assert_eq!(of.parts()[2].1.seeds[&Language::Python].n, 2);
        assert_eq!(of.parts()[1].1.seeds[&Language::Python].n_lines, 2);
    }

    #[test]
    fn an_enhancement_of_next_to_nothing_is_counted_and_no_part_of_the_mean() {
        let mut gain = Gain::default();
        for pair in [(0.5, 0.6), (1e-17, 0.5), (0.0, 0.4), (OWN_MIN, 0.02)] {
            gain.add(Some(pair));
        }
        gain.add(None);
        assert_eq!((gain.ratios.len(), gain.n_zero), (2, 2));
        let mean = gain.mean().expect("two functions have one");
        assert!((mean - 0.6).abs() < 1e-12, "{mean}");
    }
}
