//! ROUGE: what tokens without a match lose.
//!
//! With `o` common pieces of `h` in the prediction and `r` in the reference,
//!
//! ```text
//! P = o / h    R = o / r    F = 2PR / (P + R) = 2o / (h + r)
//! 1 − F = (h − o) / (h + r) + (r − o) / (h + r)
//! ```
//! so every piece without a match costs exactly `1 / (h + r)`, on either side: the first sum is what precision loses, the
//! second what recall does. Pieces are n-grams, whose cost goes to tokens as [`super::grams`] says, or for ROUGE-L the
//! tokens that are not in the longest common subsequence.

use super::grams::Sides;
use super::pieces::{self, List, Lists};
use super::{ExplainedPair, Sheet, align, lost, share};
use crate::edit::bits::Bits;
use crate::ngram::{Counter, NgramSet};
use crate::rouge::score;
use crate::{Rouge, Tokenizer};

pub fn explain(
    sheet: &mut Sheet,
    kind: Rouge,
    tokenizer: Tokenizer,
    pair: &ExplainedPair<'_>,
) -> f64 {
    let lists = match tokenizer {
        Tokenizer::Language => Lists::of_language(pair),
        Tokenizer::RougeScore => Lists::of_rouge(pair),
    };
    let mut counter = Counter::default();
    let scores = score(
        &mut counter,
        &mut Bits::default(),
        &lists.prediction.numbers,
        &[lists.reference.numbers.as_slice()],
    );
    let (rouge, order) = match kind {
        Rouge::One => (Some(scores.one), 1),
        Rouge::Two => (Some(scores.two), 2),
        Rouge::L => (scores.l, 1),
    };
    let Some(rouge) = rouge else {
        return sheet.too_costly(&pair.title);
    };
    let n_pieces = |list: &List| (list.len() + 1).saturating_sub(order) as u64;
    let (n_prediction, n_reference) = (n_pieces(&lists.prediction), n_pieces(&lists.reference));
    #[expect(clippy::cast_sign_loss, reason = "a precision is not negative")]
    let n_common = (rouge.precision * n_prediction as f64).round() as u64;
    let (precision, recall) = (share(rouge.precision), share(rouge.recall));
    sheet.step(
        0,
        &pair.title,
        share(rouge.f),
        format!("2 · {precision} · {recall} / ({precision} + {recall})"),
    );
    let common = match kind {
        Rouge::One => "common tokens",
        Rouge::Two => "common 2-grams",
        Rouge::L => "longest common subsequence",
    };
    let n_all = n_prediction + n_reference;
    for (label, value, n, text) in [
        ("precision", precision, n_prediction, "prediction"),
        ("recall", recall, n_reference, "reference"),
    ] {
        sheet.step(1, label, value, format!("{n_common} / {}", n.max(1)));
        sheet.step(2, common, n_common.to_string(), "");
        let pieces = if order == 2 { "2-grams" } else { "tokens" };
        sheet.step(2, format!("{pieces} of the {text}"), n.to_string(), "");
        if n_all > 0 {
            let n_lost = n - n_common;
            let costs = share(n_lost as f64 / n_all as f64);
            sheet.step(
                2,
                "costs",
                costs,
                format!("{n_lost} / ({n_prediction} + {n_reference})"),
            );
        }
    }
    if n_all == 0 {
        sheet.rest = lost(rouge.f);
        return rouge.f;
    }
    let each = 1.0 / n_all as f64;
    let costs = if kind == Rouge::L {
        longest(&lists, each)
    } else {
        of_order(&mut counter, &lists, order, each)
    };
    let Some([reference, prediction]) = costs else {
        sheet.too_long(rouge.f);
        return rouge.f;
    };
    pieces::charge(sheet, &lists, (&reference, &prediction));
    rouge.f
}

/// Computes the costs of both sides' tokens by the n-grams of an order.
fn of_order(
    counter: &mut Counter,
    lists: &Lists,
    order: usize,
    each: f64,
) -> Option<[Vec<f64>; 2]> {
    let sides = Sides::new(counter, lists, &NgramSet::default())?;
    Some([sides.reference, sides.prediction].map(|mut grams| {
        for start in grams.unmatched(order) {
            grams.blame(start, order, each);
        }
        grams.costs
    }))
}

/// Computes the costs of both sides' tokens by the longest common subsequence.
fn longest(lists: &Lists, each: f64) -> Option<[Vec<f64>; 2]> {
    let partners = align::common(&lists.reference.numbers, &lists.prediction.numbers)?;
    Some(
        [partners.of_reference, partners.of_prediction].map(|partners| {
            let costs = partners.iter();
            costs
                .map(|cost| if cost.is_some() { 0.0 } else { each })
                .collect()
        }),
    )
}
