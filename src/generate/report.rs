//! The results of asking, in numbers.

use std::collections::BTreeMap;

use crate::model::Problem;
use crate::options::Prices;

/// How the work ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GenerateEnd {
    /// Every prompt was tried.
    #[default]
    Complete,
    /// Too many failures in a row; a later call asks for the rest.
    Paused,
    /// The server refused a request, and said why.
    Refused { status: u16, words: String },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GenerateReport {
    pub end: GenerateEnd,
    pub n_prompts: u64,
    /// Answers that are wanted: one for every prompt, setting and attempt.
    pub n_wanted: u64,
    /// Answers that were there before.
    pub n_kept: u64,
    /// New answers.
    pub n_answers: u64,
    /// Requests, tries included.
    pub n_requests: u64,
    /// Answers that are missing because their prompt is too long for the model.
    pub n_too_long: u64,
    /// Wanted answers that are missing, for any reason.
    pub n_missing: u64,
    /// New answers that are empty.
    pub n_empty: u64,
    /// New answers that are cut off at the maximum number of tokens.
    pub n_cut_off: u64,
    /// Requests that were given up after all tries.
    pub n_given_up: u64,
    /// Lines of the file with a prompt that was there before.
    pub n_duplicates: u64,
    /// The server gives one answer at a time.
    pub is_one_by_one: bool,
    pub n_tokens_in: u64,
    pub n_tokens_out: u64,
    /// Requests whose answers do not say how many tokens they took.
    pub n_without_usage: u64,
    /// Tries that failed, by what happened.
    pub failures: BTreeMap<String, u64>,
    /// New predictions of the run; `n_predictions` counts all.
    pub n_new_predictions: u64,
    pub n_predictions: u64,
    /// Answers to prompts that are built from no sample of the index.
    pub n_without_sample: u64,
    /// Lines that are no prompts; `problems` holds the first of them.
    pub n_problems: u64,
    pub problems: Vec<Problem>,
    pub elapsed_ms: u64,
    pub prices: Option<Prices>,
}

/// What would be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GenerateDryRun {
    pub n_prompts: u64,
    pub n_settings: u64,
    pub n_wanted: u64,
    pub n_kept: u64,
    /// Where the server gives several answers at once.
    pub n_requests: u64,
    /// About how many tokens the prompts of these requests have.
    pub n_tokens_in: u64,
    /// The most tokens that the answers can have; nothing where one has no limit.
    pub n_tokens_out: Option<u64>,
    /// The first request's body.
    pub first: Option<String>,
    pub url: String,
    pub n_problems: u64,
    pub problems: Vec<Problem>,
    pub prices: Option<Prices>,
}

impl Prices {
    /// Computes the price of these tokens.
    #[must_use]
    pub fn cost(&self, n_tokens_in: u64, n_tokens_out: u64) -> f64 {
        (n_tokens_in as f64 * self.tokens_in + n_tokens_out as f64 * self.tokens_out) / 1e6
    }
}

impl GenerateReport {
    /// Computes the cost of the requests, where prices are known.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        Some(self.prices?.cost(self.n_tokens_in, self.n_tokens_out))
    }

    /// Describes the failures, the most frequent first.
    #[must_use]
    pub fn failed(&self) -> String {
        let mut failures: Vec<_> = self.failures.iter().collect();
        failures.sort_by_key(|failure| std::cmp::Reverse(*failure.1));
        let texts = failures.iter().map(|(kind, n)| format!("{n} × {kind}"));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Describes the progress for a watcher.
    #[must_use]
    pub fn detail(&self, elapsed_ms: u64) -> String {
        let seconds = (elapsed_ms as f64 / 1_000.0).max(0.001);
        let mut text = format!(
            "{} + {} tokens · {:.1} requests/s",
            self.n_tokens_in,
            self.n_tokens_out,
            self.n_requests as f64 / seconds
        );
        if !self.failures.is_empty() {
            text.push_str(&format!(" · {}", self.failed()));
        }
        if let Some(cost) = self.cost() {
            text.push_str(&format!(" · cost {cost:.4}"));
        }
        text
    }
}
