//! BLEU and its kin: what the penalty and each order lose, and which tokens pay.
//!
//! Shares come from [`super::grams`]: BLEU is a product of its penalty and of precisions to the power of their weight.
//! An order's share falls on the n-grams of the prediction without a match; where it has none, because smoothing or a
//! text too short for the order lowered the precision, on the rest. The penalty's share falls on the tokens of the
//! reference that nothing matches, equally: a reference that is longer has some.

use super::grams::{Factor, Product, Shares, Sides};
use super::pieces::{self, Lists};
use super::{ExplainedPair, Sheet, lost, share};
use crate::bleu::{self, Bleu, BleuStats, Smoothing};
use crate::model::counted;
use crate::ngram::{Counter, NgramSet, ORDER_MAX};
use crate::{Engine, crystalbleu};

/// How zero matches are smoothed.
#[derive(Clone, Copy)]
enum BleuSmoothing {
    Not,
    Sacre,
    Nltk(Smoothing),
}

/// One metric's reading of the counts.
struct BleuReading {
    stats: BleuStats,
    bleu: Bleu,
    smoothed: BleuSmoothing,
    /// The one order that counts, or 0 for all.
    order: usize,
}

pub fn explain(sheet: &mut Sheet, engine: Engine, pair: &ExplainedPair<'_>) -> f64 {
    let lists = match engine {
        Engine::BleuHuggingFace => Lists::of_13a(pair, false),
        Engine::BleuSacre => Lists::of_13a(pair, true),
        _ => Lists::of_language(pair),
    };
    let none = NgramSet::default();
    let except = match engine {
        Engine::CrystalBleu => &pair.settings.shared.set,
        _ => &none,
    };
    let mut counter = Counter::default();
    let reading = BleuReading::new(engine, &mut counter, &lists, pair);
    let value = match reading.order {
        0 => reading.bleu.score(),
        order => reading.bleu.individual(order),
    };
    let product = reading.product();
    let shares = product.shares(lost(value));
    reading.write(sheet, &pair.title, value, &shares);
    let Some(mut sides) = Sides::new(&mut counter, &lists, except) else {
        sheet.too_long(value);
        return value;
    };
    sheet.rest += shares.rest;
    for (factor, lost) in product.factors.iter().zip(&shares.factors) {
        sheet.rest += sides.prediction.charge(factor.order, *lost);
    }
    sheet.rest += sides.reference.charge(1, shares.penalty);
    let costs = (&*sides.reference.costs, &*sides.prediction.costs);
    pieces::charge(sheet, &lists, costs);
    value
}

impl BleuReading {
    fn new(engine: Engine, counter: &mut Counter, lists: &Lists, pair: &ExplainedPair<'_>) -> Self {
        let hypothesis = lists.prediction.numbers.as_slice();
        let references = [lists.reference.numbers.as_slice()];
        let stats = if engine == Engine::CrystalBleu {
            crystalbleu::count(counter, &pair.settings.shared, hypothesis, &references)
        } else {
            BleuStats::count(counter, hypothesis, &references)
        };
        let (bleu, smoothed) = match engine {
            Engine::BleuNltk(smoothing) => (
                bleu::nltk(&stats, smoothing),
                BleuSmoothing::Nltk(smoothing),
            ),
            Engine::CrystalBleu => {
                let smoothing = Smoothing::Method0;
                let bleu = crystalbleu::score(&stats, smoothing);
                (bleu, BleuSmoothing::Nltk(smoothing))
            }
            Engine::BleuHuggingFace => (bleu::hugging_face(&stats), BleuSmoothing::Not),
            _ => (bleu::sentence(&stats), BleuSmoothing::Sacre),
        };
        Self {
            stats,
            bleu,
            smoothed,
            order: match engine {
                Engine::Bleu(order) => usize::from(order),
                _ => 0,
            },
        }
    }

    /// Writes the value as a product: of all orders that count, or of the one.
    fn product(&self) -> Product {
        let n_orders = self.bleu.n_orders;
        let (orders, weight) = match self.order {
            0 => (1..=n_orders, 1.0 / n_orders as f64),
            order => {
                let order = order.clamp(1, n_orders);
                (order..=order, 1.0)
            }
        };
        let factor = |order: usize| Factor {
            order,
            weight,
            precision: self.bleu.precisions[order - 1],
        };
        Product {
            penalty: self.bleu.brevity_penalty,
            factors: orders.map(factor).collect(),
        }
    }

    fn write(&self, sheet: &mut Sheet, title: &str, value: f64, shares: &Shares) {
        let product = self.product();
        sheet.step(0, title, share(value), formula(&product));
        let lengths = Lengths {
            n_prediction: self.stats.n_hypothesis,
            n_reference: self.stats.n_reference,
            noun: "token",
            reference: "the reference has",
        };
        write_penalty(sheet, 1, product.penalty, &lengths);
        sheet.step(2, "costs", share(shares.penalty), "");
        for (factor, lost) in product.factors.iter().zip(&shares.factors) {
            let order = factor.order;
            if self.order != 0 && order != self.order {
                sheet.step(
                    1,
                    "order",
                    order.to_string(),
                    format!("the prediction is too short for {}-grams", self.order),
                );
            }
            sheet.step(
                1,
                format!("precision of {order}-grams"),
                share(factor.precision),
                self.precision(order),
            );
            let idx = order - 1;
            sheet.step(2, "matched", self.stats.n_matches[idx].to_string(), "");
            let n_lacking = self.stats.n_lacking[idx];
            let note = match self.smoothed {
                BleuSmoothing::Nltk(_) if n_lacking > 0 => "none, which counts as one",
                _ => "",
            };
            sheet.step(
                2,
                "in the prediction",
                self.stats.n_totals[idx].to_string(),
                note,
            );
            sheet.step(2, "weight", share(factor.weight), "");
            sheet.step(2, "costs", share(*lost), "");
        }
    }

    /// Describes the computation of a precision.
    fn precision(&self, order: usize) -> String {
        let idx = order - 1;
        let n_matches = self.stats.n_matches[idx];
        let n_zero = self.stats.n_matches[..order]
            .iter()
            .filter(|n_matches| **n_matches == 0)
            .count();
        let mut n_totals = self.stats.n_totals[idx];
        if let BleuSmoothing::Nltk(_) = self.smoothed {
            n_totals += self.stats.n_lacking[idx];
        }
        let is_smoothed = match self.smoothed {
            BleuSmoothing::Not => false,
            BleuSmoothing::Sacre => self.stats.n_matches != [0; ORDER_MAX],
            BleuSmoothing::Nltk(_) => self.stats.n_matches[0] > 0,
        };
        if !is_smoothed {
            return format!("{n_matches} / {n_totals}");
        }
        match (self.smoothed, n_matches) {
            (BleuSmoothing::Nltk(Smoothing::Method2), _) if order > 1 => {
                format!("({n_matches} + 1) / ({n_totals} + 1)")
            }
            (BleuSmoothing::Sacre | BleuSmoothing::Nltk(Smoothing::Method3), 0) => {
                format!("smoothed: 1 / (2^{n_zero} · {n_totals})")
            }
            (BleuSmoothing::Nltk(Smoothing::Method1), 0) => format!("smoothed: 0.1 / {n_totals}"),
            (BleuSmoothing::Nltk(Smoothing::Method4), 0) if self.stats.n_hypothesis > 1 => format!(
                "smoothed: ln {} / (5 · 2^{n_zero}) / {n_totals}",
                self.stats.n_hypothesis
            ),
            (BleuSmoothing::Nltk(Smoothing::Method4), 0) => "left out of the mean".to_owned(),
            _ => format!("{n_matches} / {n_totals}"),
        }
    }
}

/// Writes a product with its numbers: `0.8465 · (0.6429 · 0.5000)^(1/2)`.
pub fn formula(product: &Product) -> String {
    let factors: Vec<String> = product
        .factors
        .iter()
        .map(|factor| share(factor.precision))
        .collect();
    let penalty = share(product.penalty);
    match factors.as_slice() {
        [one] => format!("{penalty} · {one}"),
        all => format!("{penalty} · ({})^(1/{})", all.join(" · "), all.len()),
    }
}

/// The lengths that a penalty compares.
pub struct Lengths {
    pub n_prediction: u64,
    pub n_reference: u64,
    pub noun: &'static str,
    /// The words for the reference's length: `the reference has`.
    pub reference: &'static str,
}

/// Writes BLEU's penalty for the lengths of the prediction and the reference.
pub fn write_penalty(sheet: &mut Sheet, depth: u8, penalty: f64, lengths: &Lengths) {
    let Lengths {
        n_prediction,
        n_reference,
        ..
    } = *lengths;
    let formula = if n_prediction == 0 {
        "the prediction is empty".to_owned()
    } else if n_prediction >= n_reference {
        "the prediction is not shorter".to_owned()
    } else {
        format!("exp(1 - {n_reference} / {n_prediction})")
    };
    sheet.step(depth, "brevity penalty", share(penalty), formula);
    sheet.step(
        depth + 1,
        "length",
        counted(n_prediction, lengths.noun),
        format!("{} {n_reference}", lengths.reference),
    );
}
