//! Why a metric has its value: the arithmetic of one pair, and which pieces of its texts cost how much.
//!
//! Decides how the loss, `1 − value`, is shared out. Values are the engines', computed by their functions. For every
//! metric and any two texts
//!
//! ```text
//! value + Σ costs + rest = 1
//! ```
//!
//! within rounding. Costs are above 0; so is the rest, if there is one, unless CodeBLEU's weights sum to more than 1: the
//! part that goes beyond is then a negative rest. How each family shares out:
//!
//! - [`bleu`]: by the logarithms of its factors, then over the n-grams that match nothing ([`grams`]);
//! - [`rouge`]: exactly, every n-gram without a match costs the same;
//! - [`codebleu`]: its sum part by part; n-grams as BLEU, subtrees and flows of the reference exactly;
//! - [`edit`]: exactly, every edit costs the same;
//! - [`exact`]: the first difference costs everything.
//!
//! [`align`] decides which of several equal tokens have a match, and how long texts may be: beyond
//! [`align::WORDS_MAX`] the steps and the value are there, no costs, and the rest is the whole loss.

mod align;
mod bleu;
mod codebleu;
mod edit;
mod exact;
mod grams;
mod pieces;
mod rouge;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use super::scorer::Settings;
use super::{Engine, Metric};

/// How a metric's value of one pair comes about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub metric: &'static Metric,
    /// Bit for bit what [`super::scorer::Scorer`] scores; 0 where the texts are too long for the metric.
    pub value: f64,
    /// The arithmetic, to be read from top to bottom: a result is above its parts, one level less deep.
    pub steps: Vec<ArithmeticStep>,
    /// The costs of pieces of text, by side and start. Pieces of one side do not overlap, except in CodeBLEU, whose
    /// parts look at words, subtrees and variables.
    pub costs: Vec<Cost>,
    /// The loss that no piece of text accounts for, in 0..=1: smoothing, lengths, or an undefined part.
    pub rest: f64,
}

/// One line of arithmetic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArithmeticStep {
    /// 0 for the value itself.
    pub depth: u8,
    pub label: String,
    /// Ready for people: counts as counts, shares with four decimals.
    pub value: String,
    /// With the numbers in it: `9 / 14`, `exp(1 - 12 / 9)`. May be empty.
    pub formula: String,
}

/// One of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextSide {
    Reference,
    Prediction,
}

/// The cost of a piece of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub side: TextSide,
    /// Bytes of that text as it was given, never none, on boundaries of characters.
    pub range: Range<usize>,
    /// Points lost, above 0 and at most 1.
    pub cost: f64,
}

impl Explanation {
    /// Sums up the costs of each line of a side, for a gutter; lines end at `\n`, and there is at least one. A piece
    /// that reaches over lines costs each of them by the bytes it has there, white space left out.
    #[must_use]
    pub fn by_line(&self, side: TextSide, text: &str) -> Vec<f64> {
        let mut lines = vec![0.0; text.split('\n').count()];
        let n_visible = |piece: &str| {
            piece
                .bytes()
                .filter(|byte| !byte.is_ascii_whitespace())
                .count()
        };
        // Starts ascend, so that every line break is looked for once.
        let (mut line, mut at) = (0, 0);
        for cost in self.costs.iter().filter(|cost| cost.side == side) {
            let (Some(before), Some(piece)) =
                (text.get(at..cost.range.start), text.get(cost.range.clone()))
            else {
                continue;
            };
            line += before.bytes().filter(|byte| *byte == b'\n').count();
            at = cost.range.start;
            let n_all = n_visible(piece);
            for (part, sum) in piece.split('\n').zip(&mut lines[line..]) {
                if n_all == 0 {
                    *sum += cost.cost;
                    break;
                }
                *sum += cost.cost * n_visible(part) as f64 / n_all as f64;
            }
        }
        lines
    }
}

/// Explains a metric's value of one pair, with the language, the weights and the shared n-grams of the settings. Takes any
/// text; every metric has an explanation.
#[must_use]
pub fn explain(
    metric: &'static Metric,
    settings: &Settings,
    reference: &str,
    prediction: &str,
) -> Explanation {
    let pair = ExplainedPair {
        title: metric.title(),
        settings,
        reference,
        prediction,
    };
    let mut sheet = Sheet::default();
    let value = match metric.engine {
        Engine::Bleu(_)
        | Engine::BleuNltk(_)
        | Engine::BleuHuggingFace
        | Engine::BleuSacre
        | Engine::CrystalBleu => bleu::explain(&mut sheet, metric.engine, &pair),
        Engine::Rouge(kind, tokenizer) => rouge::explain(&mut sheet, kind, tokenizer, &pair),
        Engine::CodeBleu(variant) => codebleu::explain(&mut sheet, variant, &pair),
        Engine::CodeBleuCeiling(variant) => codebleu::explain_ceiling(&mut sheet, variant, &pair),
        Engine::Edit(kind) => edit::explain(&mut sheet, kind, &pair),
        Engine::Exact(kind) => exact::explain(&mut sheet, kind, &pair),
    };
    let costs = sheet.costs.into_iter();
    Explanation {
        metric,
        value,
        steps: sheet.steps,
        costs: costs
            .map(|((side, start, end), cost)| Cost {
                side,
                range: start..end,
                cost,
            })
            .collect(),
        rest: sheet.rest,
    }
}

/// The pair to explain.
struct ExplainedPair<'p> {
    title: String,
    settings: &'p Settings,
    reference: &'p str,
    prediction: &'p str,
}

/// The steps and costs of an explanation that is being made.
#[derive(Default)]
struct Sheet {
    steps: Vec<ArithmeticStep>,
    costs: BTreeMap<(TextSide, usize, usize), f64>,
    rest: f64,
}

impl Sheet {
    fn step(
        &mut self,
        depth: u8,
        label: impl Into<String>,
        value: impl Into<String>,
        formula: impl Into<String>,
    ) {
        self.steps.push(ArithmeticStep {
            depth,
            label: label.into(),
            value: value.into(),
            formula: formula.into(),
        });
    }

    /// Adds a cost to a piece of text; an empty piece cannot have any, so the cost goes to the rest.
    fn charge(&mut self, side: TextSide, place: &Range<usize>, cost: f64) {
        if cost <= 0.0 {
            return;
        }
        if place.is_empty() {
            self.rest += cost;
            return;
        }
        *self
            .costs
            .entry((side, place.start, place.end))
            .or_default() += cost;
    }

    /// Shares out a cost equally; without pieces it goes to the rest.
    fn spread(&mut self, side: TextSide, places: &[&Range<usize>], cost: f64) {
        if places.is_empty() {
            self.rest += cost;
        }
        for place in places {
            self.charge(side, place, cost / places.len() as f64);
        }
    }

    /// Writes that the texts are too long for the metric, which counts as 0.
    fn too_costly(&mut self, title: &str) -> f64 {
        self.step(
            0,
            title,
            share(0.0),
            "the texts are too long to compare, which counts as 0",
        );
        self.rest = 1.0;
        0.0
    }

    /// Writes that there are no costs, because the texts are too long for them.
    fn too_long(&mut self, value: f64) {
        self.step(
            0,
            "costs",
            "none",
            "the texts are too long to say which pieces cost how much",
        );
        self.rest = lost(value);
    }
}

/// Computes the loss, `1 − value`. Rounding may take a value just above 1, which loses nothing.
fn lost(value: f64) -> f64 {
    (1.0 - value).max(0.0)
}

/// Shows a share for people.
fn share(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.000_05 {
        format!("{value:.1e}")
    } else {
        format!("{value:.4}")
    }
}

/// Shows a count, or a sum of weights with one decimal.
fn count(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}
