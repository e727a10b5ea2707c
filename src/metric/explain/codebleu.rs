//! CodeBLEU: what each of its four parts loses, and where.
//!
//! ```text
//! 1 − Σ w_i part_i = Σ w_i (1 − part_i) + (1 − Σ w_i)
//! ```
//! and the loss of the i-th part, `w_i (1 − part_i)`, is shared out within the part:
//!
//! - *ngram*: as BLEU ([`super::grams`]), over the words of the prediction, the penalty over the reference's.
//! - *weighted*: the same over the words of the reference, whose recall it is. Its 1-grams share by their weights;
//!   where the reference weighs less than 1, the least divisor, the missing weight takes a share too, into the rest.
//! - *syntax*: each subtree of the reference without an equal costs the same. It differs because something below it
//!   does, if any subtree below it differs; so its cost goes down to the nearest such ones, equally, until none is
//!   below. There the leaves pay that are right below the subtree and have a name in the grammar; without any, those
//!   that have none, such as braces; without any, all that the subtree spans.
//! - *dataflow*: each flow of the reference that is not shared costs the same, at its variable. A reference without flows
//!   loses the part to the rest.
//!
//! Trees and flows are of the text without comments, whose places in the given text [`TracedText`] knows.

use std::ops::Range;

use super::bleu::{Lengths, formula, write_penalty};
use super::grams::{Factor, Product, Shares, Sides};
use super::pieces::{self, Lists};
use super::{ExplainedPair, Sheet, TextSide, count, share};
use crate::codebleu::comments;
use crate::codebleu::ngrams::weight_of;
use crate::codebleu::sink::TracedText;
use crate::codebleu::words::{is_space, strip};
use crate::codebleu::{CodeBleuCut, EPSILON, Formula, Grams, ORDERS, Parts, Scorer, Sums, Variant};
use crate::model::Span;
use crate::ngram::{Counter, NgramSet};
use crate::syntax::tree::Tree;

pub fn explain(sheet: &mut Sheet, variant: Variant, pair: &ExplainedPair<'_>) -> f64 {
    let (language, weights) = (pair.settings.language, pair.settings.weights);
    let mut scorer = Scorer::new();
    let counts = scorer.pair(language, pair.reference, pair.prediction);
    let sums = &counts.sums;
    let parts = sums.parts(variant);
    let value = parts.total(Formula { variant, weights });
    let counted = [
        parts.ngram,
        parts.weighted,
        parts.syntax,
        parts.counted_dataflow(variant),
    ];
    let terms: Vec<String> = weights
        .iter()
        .zip(counted)
        .map(|(weight, part)| format!("{} · {}", share(*weight), share(part)))
        .collect();
    sheet.step(0, &pair.title, share(value), terms.join(" + "));
    write_ceiling(sheet, variant, pair);
    let lost = |idx: usize| weights[idx] * (1.0 - counted[idx]);

    let lists = Lists::of_words(pair);
    let mut sides = Sides::new(&mut Counter::default(), &lists, &NgramSet::default());
    let names = ["n-grams", "the reference has"];
    let ngram = GramPart::new(names, sums.ngram(), (parts.ngram, weights[0]));
    ngram.write(sheet, "prediction", sums.n_prediction_words);
    let names = ["weighted n-grams", "the penalty takes any reference for"];
    let weighted = GramPart::new(names, sums.weighted(variant), (parts.weighted, weights[1]));
    weighted.write(sheet, "reference", sums.n_reference_words);
    write_trees(sheet, (sums, &parts), variant, weights);
    for (side, cut) in [
        ("reference", counts.reference_cut),
        ("prediction", counts.prediction_cut),
    ] {
        if let Some(cut) = cut {
            sheet.step(2, format!("the {side}"), "cut off", reason(cut));
        }
    }

    let Some(sides) = &mut sides else {
        sheet.too_long(value);
        return value;
    };
    // No text loses the part by which the weights sum to less than 1, nor the negative loss of a weight below 0.
    sheet.rest += 1.0 - weights.iter().sum::<f64>();
    sheet.rest += (0..4).map(|idx| lost(idx).min(0.0)).sum::<f64>();
    let weights_of_words: Vec<f64> = lists
        .reference
        .places
        .iter()
        .map(|place| weight_of(language, variant, &pair.reference[place.clone()]))
        .collect();
    charge_ngrams(sheet, sides, &ngram);
    charge_weighted(sheet, sides, &weighted, &weights_of_words);
    let costs = (&*sides.reference.costs, &*sides.prediction.costs);
    pieces::charge(sheet, &lists, costs);

    let origins = Origins::new(pair);
    charge_syntax(sheet, &scorer, &origins, lost(2).max(0.0));
    charge_flows(sheet, &scorer, &origins, lost(3).max(0.0));
    value
}

/// Explains the largest possible value: all parts of the truth against itself. Even the truth itself loses the rest, so
/// no piece of text accounts for it.
pub fn explain_ceiling(sheet: &mut Sheet, variant: Variant, pair: &ExplainedPair<'_>) -> f64 {
    let of_truth = ExplainedPair {
        title: pair.title.clone(),
        prediction: pair.reference,
        ..*pair
    };
    let mut of_itself = Sheet::default();
    let value = explain(&mut of_itself, variant, &of_truth);
    sheet.steps = of_itself.steps;
    sheet.rest = 1.0 - value;
    value
}

/// Writes the value of the truth itself, and the parts that take it below 1.
fn write_ceiling(sheet: &mut Sheet, variant: Variant, pair: &ExplainedPair<'_>) {
    let (language, weights) = (pair.settings.language, pair.settings.weights);
    let sums = Scorer::new()
        .pair(language, pair.reference, pair.reference)
        .sums;
    let parts = sums.parts(variant);
    let value = parts.total(Formula { variant, weights });
    let n_words = sums.n_reference_words;
    let mut reasons = Vec::new();
    if parts.ngram < 1.0 {
        let words = if n_words == 1 { "word" } else { "words" };
        reasons.push(format!(
            "n-grams {}, {n_words} {words} between white space for n-grams of up to {ORDERS}",
            share(parts.ngram)
        ));
    }
    if parts.weighted < 1.0 {
        reasons.push(format!("weighted n-grams {}", share(parts.weighted)));
    }
    if parts.syntax < 1.0 {
        reasons.push(format!("syntax {}", share(parts.syntax)));
    }
    if parts.counted_dataflow(variant) < 1.0 {
        reasons.push(format!("data flow {}, it has none", share(parts.dataflow)));
    }
    let reasons = if reasons.is_empty() {
        "the value of the truth itself".to_owned()
    } else {
        format!("the truth itself has no more: {}", reasons.join("; "))
    };
    sheet.step(1, "ceiling", share(value), reasons);
}

fn reason(cut: CodeBleuCut) -> &'static str {
    match cut {
        CodeBleuCut::Parser => "the text is too tangled to parse: no subtrees, no flows",
        CodeBleuCut::Depth => "nested deeper than Python's recursion goes: no flows",
        CodeBleuCut::Work => "loops in loops take too long: no flows",
        CodeBleuCut::Child => "the text lacks a part that a rule needs: no flows",
    }
}

fn write_part(sheet: &mut Sheet, name: &str, (part, weight): (f64, f64), formula: String) {
    sheet.step(1, name, share(part), formula);
    sheet.step(2, "weight", share(weight), "");
}

/// One of the two n-gram parts.
struct GramPart {
    name: &'static str,
    lengths: Lengths,
    value: f64,
    weight: f64,
    grams: Grams,
    product: Product,
    shares: Shares,
}

impl GramPart {
    fn new(
        [name, reference]: [&'static str; 2],
        grams: Grams,
        (value, weight): (f64, f64),
    ) -> Self {
        let factor = |order: usize| Factor {
            order,
            weight: 1.0 / ORDERS as f64,
            precision: grams.precision(order),
        };
        let product = Product {
            penalty: grams.penalty(),
            factors: (1..=ORDERS).map(factor).collect(),
        };
        let shares = product.shares((weight * (1.0 - value)).max(0.0));
        Self {
            name,
            lengths: Lengths {
                n_prediction: grams.n_words,
                n_reference: grams.n_words_wanted,
                noun: "word",
                reference,
            },
            value,
            weight,
            grams,
            product,
            shares,
        }
    }

    /// Iterates over the orders with their losses.
    fn orders(&self) -> impl Iterator<Item = (usize, f64)> {
        let orders = self.product.factors.iter().map(|factor| factor.order);
        orders.zip(self.shares.factors.iter().copied())
    }

    /// Writes the part; `n_words` counts the words of the side that it divides by.
    fn write(&self, sheet: &mut Sheet, whose: &str, n_words: u64) {
        let (grams, product) = (&self.grams, &self.product);
        write_part(
            sheet,
            self.name,
            (self.value, self.weight),
            formula(product),
        );
        write_penalty(sheet, 2, product.penalty, &self.lengths);
        sheet.step(3, "costs", share(self.shares.penalty), "");
        for (factor, lost) in product.factors.iter().zip(&self.shares.factors) {
            let idx = factor.order - 1;
            let (matched, all) = (grams.matched[idx], grams.all[idx]);
            let formula = if matched == 0.0 && grams.matched[0] > 0.0 {
                format!("smoothed: {EPSILON} / {}", count(all))
            } else {
                format!("{} / {}", count(matched), count(all))
            };
            let label = format!("{}-grams", factor.order);
            sheet.step(2, label, share(factor.precision), formula);
            sheet.step(3, "matched", count(matched), "");
            let note = if n_words < factor.order as u64 {
                "none, which counts as one"
            } else {
                ""
            };
            sheet.step(3, format!("of the {whose}"), count(all), note);
            sheet.step(3, "weight", share(factor.weight), "");
            sheet.step(3, "costs", share(*lost), "");
        }
    }
}

fn write_trees(
    sheet: &mut Sheet,
    (sums, parts): (&Sums, &Parts),
    variant: Variant,
    weights: [f64; 4],
) {
    let (n_matched, n_all) = (sums.n_subtrees_matched, sums.n_subtrees_reference);
    let formula = format!("{n_matched} / {n_all}");
    write_part(sheet, "syntax", (parts.syntax, weights[2]), formula);
    sheet.step(2, "matched subtrees", n_matched.to_string(), "");
    sheet.step(2, "subtrees of the reference", n_all.to_string(), "");
    sheet.step(2, "costs", share(weights[2] * (1.0 - parts.syntax)), "");
    let (n_matched, n_all) = (sums.n_flows_matched, sums.n_flows_reference);
    let dataflow = parts.counted_dataflow(variant);
    let formula = match (variant, n_matched, n_all) {
        (Variant::K4black, _, 0) => "undefined, the reference has no flows: counts as 1".to_owned(),
        (Variant::Mera, _, 0) => "undefined, the reference has no flows: counts as 0".to_owned(),
        (Variant::K4black, 0, _) => format!("0 / {n_all}, which counts as 1"),
        _ => format!("{n_matched} / {n_all}"),
    };
    write_part(sheet, "data flow", (dataflow, weights[3]), formula);
    sheet.step(2, "matched flows", n_matched.to_string(), "");
    sheet.step(2, "flows of the reference", n_all.to_string(), "");
    sheet.step(2, "costs", share(weights[3] * (1.0 - dataflow)), "");
}

fn charge_ngrams(sheet: &mut Sheet, sides: &mut Sides, part: &GramPart) {
    sheet.rest += part.shares.rest + sides.reference.charge(1, part.shares.penalty);
    for (order, lost) in part.orders() {
        sheet.rest += sides.prediction.charge(order, lost);
    }
}

/// Charges the words of the reference, each by its weight.
fn charge_weighted(sheet: &mut Sheet, sides: &mut Sides, part: &GramPart, weights: &[f64]) {
    sheet.rest += part.shares.rest + sides.reference.charge(1, part.shares.penalty);
    for (order, lost) in part.orders() {
        if order > 1 {
            sheet.rest += sides.reference.charge(order, lost);
            continue;
        }
        let unmatched = sides.reference.unmatched(1);
        let lacking = (part.grams.all[0] - weights.iter().sum::<f64>()).max(0.0);
        let total = lacking
            + unmatched
                .iter()
                .map(|unmatched| weights[*unmatched])
                .sum::<f64>();
        if total <= 0.0 {
            sheet.rest += lost;
            continue;
        }
        for idx in unmatched {
            sides.reference.costs[idx] += lost * weights[idx] / total;
        }
        sheet.rest += lost * lacking / total;
    }
}

/// Charges the variables of flows that are not shared.
fn charge_flows(sheet: &mut Sheet, scorer: &Scorer, origins: &Origins<'_>, lost: f64) {
    let (flows, others) = scorer.flows();
    let unshared = flows.unshared(others);
    let places: Vec<Range<usize>> = unshared.iter().map(|span| origins.place(*span)).collect();
    sheet.spread(
        TextSide::Reference,
        &places.iter().collect::<Vec<_>>(),
        lost,
    );
}

fn charge_syntax(sheet: &mut Sheet, scorer: &Scorer, origins: &Origins<'_>, lost: f64) {
    let (tree, unmatched) = scorer.unmatched_subtrees();
    if unmatched.is_empty() {
        sheet.rest += lost;
        return;
    }
    let each = lost / unmatched.len() as f64;
    for (node, n_subtrees) in smallest(tree, &unmatched) {
        let leaves = leaves(tree, node);
        let spans = if leaves.is_empty() {
            vec![tree.nodes[node].span]
        } else {
            leaves
        };
        let places: Vec<Range<usize>> = spans.iter().map(|span| origins.place(*span)).collect();
        let places: Vec<&Range<usize>> = places.iter().collect();
        sheet.spread(TextSide::Reference, &places, each * n_subtrees);
    }
}

/// Finds the subtrees without an unmatched one below them, and the number of subtrees that each stands for: itself, and
/// a part of those around it. Both lists are in the order of the text.
fn smallest(tree: &Tree, unmatched: &[usize]) -> Vec<(usize, f64)> {
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(unmatched.len());
    let mut n_below = vec![0_u32; unmatched.len()];
    // Places in `unmatched` of the subtrees around the one at hand.
    let mut around: Vec<usize> = Vec::new();
    for (at, node) in unmatched.iter().enumerate() {
        while around
            .pop_if(|around| tree.nodes[unmatched[*around]].subtree_end as usize <= *node)
            .is_some()
        {}
        if let Some(parent) = around.last() {
            n_below[*parent] += 1;
        }
        parents.push(around.last().copied());
        around.push(at);
    }
    let mut stands_for = vec![1.0; unmatched.len()];
    let mut smallest = Vec::new();
    for (at, parent) in parents.into_iter().enumerate() {
        if let Some(parent) = parent {
            stands_for[at] += stands_for[parent] / f64::from(n_below[parent]);
        }
        if n_below[at] == 0 {
            smallest.push((unmatched[at], stands_for[at]));
        }
    }
    smallest
}

/// Lists the leaves right below a node: those with a name if there are any.
fn leaves(tree: &Tree, node: usize) -> Vec<Span> {
    let mut leaves: [Vec<Span>; 2] = Default::default();
    for child in tree.children(node as u32) {
        let child_node = &tree.nodes[child as usize];
        if tree.is_leaf(child) && child_node.span.start < child_node.span.end {
            leaves[usize::from(child_node.is_named())].push(child_node.span);
        }
    }
    let [unnamed, named] = leaves;
    if named.is_empty() { unnamed } else { named }
}

/// Where the reference without comments is in the given text.
struct Origins<'t> {
    text: &'t str,
    /// Where the text begins behind its leading layout.
    start: usize,
    places: Vec<u32>,
}

impl<'t> Origins<'t> {
    fn new(pair: &ExplainedPair<'t>) -> Self {
        let text = pair.reference;
        let mut traced = TracedText::default();
        comments::remove(pair.settings.language, strip(text), &mut traced);
        Self {
            text,
            start: text.len() - text.trim_start_matches(is_space).len(),
            places: traced.places,
        }
    }

    /// Finds the bytes of the given text from the first to the last of a span, with the comments between them.
    fn place(&self, span: Span) -> Range<usize> {
        let (start, end) = (span.start as usize, span.end as usize);
        let (Some(first), Some(last)) = (
            self.places.get(start),
            end.checked_sub(1).and_then(|n| self.places.get(n)),
        ) else {
            return 0..0;
        };
        if end <= start {
            return 0..0;
        }
        // Spaces that stand for a removed comment begin where it began; the character there may have more bytes.
        let mut end = self.start + *last as usize + 1;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.start + *first as usize..end
    }
}
