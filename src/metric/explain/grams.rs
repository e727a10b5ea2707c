//! The costs of n-grams that have no match on the other side.
//!
//! Decides which n-grams those are, and which tokens pay for them:
//!
//! - Of n-grams that one side has more often than the other, those have a match that lie within the alignment of both
//!   sides, then the first ones, as many as [`Counter::overlap`] counts.
//! - An n-gram's cost goes to the cause of its failure: to the n-grams inside it, as short as possible, that have no
//!   match themselves, equally, and equally to their tokens. So a wrong token pays for every n-gram around it, and
//!   where only an order is wrong, the tokens at the seam pay.
//!
//! And how the loss of a product is shared out over its factors:
//!
//! ```text
//! value = Π f_i^w_i      share_i = (1 − value) · w_i ln f_i / ln value
//! ```
//! Where a factor is 0 it takes all; several such take equal shares, which is the limit for factors that sink together. An
//! empty prediction, whose penalty is 0, loses all by the penalty.

use super::align::{self, Partners};
use super::pieces::{List, Lists};
use crate::ngram::{Counter, Matches, NgramSet, ORDER_MAX};

/// The n-grams of one side and the costs of its tokens.
pub struct Grams {
    matches: Vec<Matches>,
    /// By token.
    pub costs: Vec<f64>,
}

/// The n-grams of both sides; on the reference none is left out.
pub struct Sides {
    pub reference: Grams,
    pub prediction: Grams,
}

impl Sides {
    /// Matches the n-grams of both sides; nothing where the texts are too long: [`align::WORDS_MAX`]. N-grams of
    /// `except` are left out of the prediction.
    pub fn new(counter: &mut Counter, lists: &Lists, except: &NgramSet) -> Option<Self> {
        let (reference, prediction) = (&lists.reference, &lists.prediction);
        let Partners {
            of_reference,
            of_prediction,
        } = align::common(&reference.numbers, &prediction.numbers)?;
        let mut grams = |ours: &List, theirs: &List, partners: &[Option<u32>], except| Grams {
            matches: counter.matches(&ours.numbers, &theirs.numbers, &runs(partners), except),
            costs: vec![0.0; ours.len()],
        };
        Some(Self {
            reference: grams(reference, prediction, &of_reference, &NgramSet::default()),
            prediction: grams(prediction, reference, &of_prediction, except),
        })
    }
}

/// Finds per position the n-grams from there that stay together in the alignment; bit 0 for the 1-gram.
fn runs(partners: &[Option<u32>]) -> Vec<u8> {
    let mut runs = vec![0; partners.len()];
    let (mut next, mut n_together) = (None, 0);
    for (partner, run) in partners.iter().zip(&mut runs).rev() {
        n_together = match partner {
            None => 0,
            Some(partner_idx) if next == Some(partner_idx + 1) => ORDER_MAX.min(n_together + 1),
            Some(_) => 1,
        };
        next = *partner;
        *run = (1 << n_together) - 1;
    }
    runs
}

impl Grams {
    /// Lists the starts of the n-grams of an order (from 1) that count and have no match.
    pub fn unmatched(&self, order: usize) -> Vec<usize> {
        let n_starts = (self.matches.len() + 1).saturating_sub(order);
        (0..n_starts)
            .filter(|start| self.is_unmatched(*start, order))
            .collect()
    }

    fn is_unmatched(&self, start: usize, order: usize) -> bool {
        let Matches { matched, excepted } = self.matches[start];
        ((matched | excepted) >> (order - 1)) & 1 == 0
    }

    /// Shares out the loss of an order over its n-grams without a match; returns it where there are none.
    #[must_use]
    pub fn charge(&mut self, order: usize, lost: f64) -> f64 {
        let unmatched = self.unmatched(order);
        for start in &unmatched {
            self.blame(*start, order, lost / unmatched.len() as f64);
        }
        if unmatched.is_empty() { lost } else { 0.0 }
    }

    /// Charges the tokens by which an n-gram without a match fails.
    pub fn blame(&mut self, start: usize, order: usize, cost: f64) {
        for shorter in 1..=order {
            let starts = start..=start + order - shorter;
            let n_failing = starts
                .clone()
                .filter(|start| self.is_unmatched(*start, shorter))
                .count();
            if n_failing == 0 {
                continue;
            }
            let each = cost / (n_failing * shorter) as f64;
            for start in starts {
                if self.is_unmatched(start, shorter) {
                    for cost in &mut self.costs[start..start + shorter] {
                        *cost += each;
                    }
                }
            }
            return;
        }
    }
}

/// A penalty for short predictions times precisions, each to the power of its weight.
pub struct Product {
    pub penalty: f64,
    pub factors: Vec<Factor>,
}

pub struct Factor {
    /// The order, from 1.
    pub order: usize,
    pub weight: f64,
    pub precision: f64,
}

/// The shares of a loss.
pub struct Shares {
    pub penalty: f64,
    /// The share of each factor, in their order.
    pub factors: Vec<f64>,
    /// The loss although every factor is 1: nothing but rounding.
    pub rest: f64,
}

impl Product {
    pub fn shares(&self, lost: f64) -> Shares {
        let n_factors = self.factors.len();
        if self.penalty == 0.0 {
            return Shares {
                penalty: lost,
                factors: vec![0.0; n_factors],
                rest: 0.0,
            };
        }
        let n_zero = self
            .factors
            .iter()
            .filter(|factor| factor.precision == 0.0)
            .count();
        // From 0, so that a factor of 1 is not below it.
        let log = |factor: f64| (0.0 - factor.ln()).max(0.0);
        let logs = self
            .factors
            .iter()
            .map(|factor| factor.weight * log(factor.precision));
        let total: f64 = log(self.penalty) + logs.clone().sum::<f64>();
        let of = |log: f64| {
            if total > 0.0 { lost * log / total } else { 0.0 }
        };
        if n_zero > 0 {
            let each = lost / n_zero as f64;
            let factors = self.factors.iter();
            return Shares {
                penalty: 0.0,
                factors: factors
                    .map(|factor| if factor.precision == 0.0 { each } else { 0.0 })
                    .collect(),
                rest: 0.0,
            };
        }
        Shares {
            penalty: of(log(self.penalty)),
            factors: logs.map(of).collect(),
            rest: if total > 0.0 { 0.0 } else { lost },
        }
    }
}
