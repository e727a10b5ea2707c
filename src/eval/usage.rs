//! The costs of a run's answers: requests, tokens, time, and money at the user's prices.
//!
//! All answers to a request say the same of it, so a request is counted once.

use std::collections::{BTreeMap, BTreeSet};

use crate::exchange::usage::{ReadUsage, WireUsage};
use crate::metric::attempts::quantile;
use crate::store::{AnswerMeta, Store};

use super::EvalError;

/// The prices of a million tokens. None are built in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Of prompts.
    pub tokens_in: f64,
    /// Of answers.
    pub tokens_out: f64,
}

/// The costs of answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// The number of combinations of parameters that the model was asked with.
    pub n_settings: u64,
    pub n_answers: u64,
    pub n_requests: u64,
    /// Requests whose answers do not say how many tokens they took.
    pub n_without_tokens: u64,
    pub n_tokens_in: u64,
    pub n_tokens_out: u64,
    /// The median time of an answer's request; nothing where no answer gives it.
    pub latency_median_ms: Option<f64>,
    /// 95 % of the answers came at least as fast.
    pub latency_p95_ms: Option<f64>,
}

impl Usage {
    /// Adds up the price of the tokens, in the money of the prices.
    #[must_use]
    pub fn cost(&self, prices: Prices) -> f64 {
        let of_prompts = self.n_tokens_in as f64 * prices.tokens_in;
        let of_answers = self.n_tokens_out as f64 * prices.tokens_out;
        (of_prompts + of_answers) / 1e6
    }

    #[must_use]
    pub fn wire(&self, prices: Option<Prices>) -> WireUsage {
        WireUsage {
            answers: self.n_answers,
            requests: self.n_requests,
            requests_without_usage: self.n_without_tokens,
            tokens_in: self.n_tokens_in,
            tokens_out: self.n_tokens_out,
            latency_ms_median: self.latency_median_ms,
            latency_ms_p95: self.latency_p95_ms,
            cost: prices.map(|price| self.cost(price)),
        }
    }
}

/// Sums up what a run's answers took: as they were asked for here, else as their files say; nothing where neither says.
///
/// # Errors
/// The index's.
pub fn usage(store: &Store, run: &str) -> Result<Option<Usage>, EvalError> {
    let mut counting = UsageCounter::default();
    store.each_answer_meta(run, |answer| counting.add(answer))?;
    if counting.last.is_none() {
        store.each_prediction_meta(run, |answer| {
            if ReadUsage::of(&answer.meta) != ReadUsage::default() {
                counting.add(answer);
            }
        })?;
    }
    Ok(counting.finish())
}

/// The requests that answers to one prompt with one setting report, and the number of answers that report each.
type PromptUsage = BTreeMap<String, u64>;

#[derive(Default)]
struct UsageCounter {
    usage: Usage,
    latencies: Vec<f64>,
    /// The prompt and the parameters of the last answers; answers come in their order.
    last: Option<(i64, String)>,
    requests: PromptUsage,
    settings: BTreeSet<String>,
}

impl UsageCounter {
    fn add(&mut self, answer: AnswerMeta) {
        let asked = (answer.prompt, answer.parameters);
        if self.last.as_ref() != Some(&asked) {
            self.close();
            if !self.settings.contains(&asked.1) {
                self.settings.insert(asked.1.clone());
            }
            self.last = Some(asked);
        }
        self.usage.n_answers += 1;
        let latency = ReadUsage::of(&answer.meta).latency_ms;
        self.latencies.extend(latency.map(|latency| latency as f64));
        *self.requests.entry(answer.meta).or_default() += 1;
    }

    /// Counts the requests for the answers to one prompt. Answers that say the same are of one request, up to as many
    /// as it asked for.
    fn close(&mut self) {
        for (meta, n_answers) in std::mem::take(&mut self.requests) {
            let read = ReadUsage::of(&meta);
            let n_requests = n_answers.div_ceil(read.n_asked.unwrap_or(1).max(1));
            let usage = &mut self.usage;
            usage.n_requests += n_requests;
            usage.n_tokens_in += n_requests * read.tokens_in.unwrap_or(0);
            usage.n_tokens_out += n_requests * read.tokens_out.unwrap_or(0);
            if read.tokens_in.is_none() || read.tokens_out.is_none() {
                usage.n_without_tokens += n_requests;
            }
        }
    }

    fn finish(mut self) -> Option<Usage> {
        self.close();
        let mut usage = self.usage;
        usage.n_settings = self.settings.len() as u64;
        usage.latency_median_ms = quantile(&mut self.latencies, 0.5);
        usage.latency_p95_ms = quantile(&mut self.latencies, 0.95);
        (usage.n_answers > 0).then_some(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(prompt: i64, meta: &str) -> AnswerMeta {
        AnswerMeta {
            prompt,
            parameters: format!("{{\"temperature\":0.{}}}", prompt % 2),
            meta: meta.to_owned(),
        }
    }

    fn meta(latency_ms: u64, n_asked: u64, tokens: (u64, u64)) -> String {
        let (tokens_in, tokens_out) = tokens;
        format!(
            "{{\"latency_ms\":{latency_ms},\"n_asked\":{n_asked},\"tokens_in\":{tokens_in},\"tokens_out\":{tokens_out}}}"
        )
    }

    #[test]
    fn a_request_for_several_answers_is_paid_once() {
        let mut counting = UsageCounter::default();
        let together = meta(100, 2, (10, 6));
        counting.add(answer(1, &together));
        counting.add(answer(1, &together));
        // Fewer than were asked for.
        counting.add(answer(2, &together));
        // One by one, and as fast as each other.
        let alone = meta(300, 1, (10, 3));
        counting.add(answer(3, &alone));
        counting.add(answer(3, &alone));
        counting.add(answer(4, "{\"latency_ms\":50,\"n_asked\":1}"));
        let usage = counting.finish().expect("there are answers");
        assert_eq!((usage.n_answers, usage.n_requests), (6, 5));
        assert_eq!((usage.n_tokens_in, usage.n_tokens_out), (40, 18));
        assert_eq!((usage.n_without_tokens, usage.n_settings), (1, 2));
        assert_eq!(usage.latency_median_ms, Some(100.0));
        let prices = Prices {
            tokens_in: 0.5,
            tokens_out: 2.0,
        };
        assert!((usage.cost(prices) - 56e-6).abs() < 1e-15);
        assert_eq!(UsageCounter::default().finish(), None);
    }
}
