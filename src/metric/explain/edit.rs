//! Edit similarity: what each stretch of characters costs that does not stay.
//!
//! Between two characters that stay, `a` of the reference become `b` of the prediction. Of `T` in both texts, or `N` in the
//! longer one,
//!
//! ```text
//! 1 − value = Σ (a + b) / T         insertions and deletions; difflib too, where only matching blocks stay
//! 1 − value = Σ max(a, b) / N       with substitutions: each of the min(a, b) costs half on either side
//! ```
//! exactly. fuzzywuzzy rounds to percents: there the loss is shared out in the same proportions.

use std::ops::Range;

use super::align::{self, Partners};
use super::pieces::Lists;
use super::{ExplainedPair, Sheet, TextSide, lost, share};
use crate::Edit;
use crate::edit::difflib::{Matcher, STEPS_MAX};
use crate::edit::{Scratch, fuzzywuzzy};
use crate::model::counted;

/// The most stretches that are listed one by one.
const LISTED_MAX: usize = 40;

/// The most characters of a text that are shown.
const QUOTED_MAX: usize = 40;

/// The differing parts between two characters that stay, as positions of characters.
struct Stretch {
    reference: Range<usize>,
    prediction: Range<usize>,
}

impl Stretch {
    /// Counts the edits of the reference and of the prediction, halves for substitutions.
    fn edits(&self, kind: Edit) -> (f64, f64) {
        let (n_reference, n_prediction) =
            (self.reference.len() as f64, self.prediction.len() as f64);
        if kind == Edit::Levenshtein {
            let halves = f64::min(n_reference, n_prediction) / 2.0;
            (n_reference - halves, n_prediction - halves)
        } else {
            (n_reference, n_prediction)
        }
    }
}

pub fn explain(sheet: &mut Sheet, kind: Edit, pair: &ExplainedPair<'_>) -> f64 {
    let mut scratch = Scratch::default();
    let (prediction, reference) = (pair.prediction, pair.reference);
    let unrounded = match kind {
        Edit::Indel | Edit::FuzzyWuzzy => scratch.indel(prediction, reference),
        Edit::Levenshtein => scratch.levenshtein(prediction, reference),
        Edit::Difflib => scratch.difflib(prediction, reference),
    };
    let Some(unrounded) = unrounded else {
        return sheet.too_costly(&pair.title);
    };
    let value = match kind {
        Edit::FuzzyWuzzy => fuzzywuzzy(unrounded, prediction, reference),
        Edit::Levenshtein | Edit::Indel | Edit::Difflib => unrounded,
    };
    let lists = Lists::of_characters(pair);
    let (n_reference, n_prediction) = (lists.reference.len(), lists.prediction.len());
    let n_all = if kind == Edit::Levenshtein {
        n_reference.max(n_prediction)
    } else {
        n_reference + n_prediction
    };
    let partners = match kind {
        Edit::Indel | Edit::FuzzyWuzzy => {
            align::common(&lists.reference.numbers, &lists.prediction.numbers)
        }
        Edit::Levenshtein => align::edits(&lists.reference.numbers, &lists.prediction.numbers),
        Edit::Difflib => blocks(&lists),
    };
    let n_lost = lost(unrounded) * n_all as f64;
    let formula = match kind {
        Edit::Difflib => format!("2 · {:.0} / {n_all}", (n_all as f64 - n_lost) / 2.0),
        Edit::FuzzyWuzzy => format!("1 - {n_lost:.0} / {n_all}, rounded to percents"),
        Edit::Levenshtein | Edit::Indel => format!("1 - {n_lost:.0} / {n_all}"),
    };
    let formula = if n_all == 0 {
        "both texts are empty".to_owned()
    } else {
        formula
    };
    sheet.step(0, &pair.title, share(value), formula);
    let distance = match kind {
        Edit::Levenshtein => "insertions, deletions and substitutions",
        Edit::Difflib => "characters outside of matching blocks",
        Edit::Indel | Edit::FuzzyWuzzy => "insertions and deletions",
    };
    sheet.step(1, distance, format!("{n_lost:.0}"), "");
    for (label, n) in [
        ("length of the reference", n_reference),
        ("length of the prediction", n_prediction),
    ] {
        sheet.step(1, label, counted(n as u64, "character"), "");
    }
    let Some(partners) = partners else {
        sheet.too_long(value);
        return value;
    };
    let stretches = stretches(&partners);
    write(sheet, kind, pair, (&lists, &stretches));
    let scale = if n_lost > 0.0 {
        lost(value) / n_lost
    } else {
        0.0
    };
    for stretch in &stretches {
        let (of_reference, of_prediction) = stretch.edits(kind);
        let place = lists.reference.place(stretch.reference.clone());
        sheet.charge(TextSide::Reference, &place, of_reference * scale);
        let place = lists.prediction.place(stretch.prediction.clone());
        sheet.charge(TextSide::Prediction, &place, of_prediction * scale);
    }
    value
}

/// Returns the characters of difflib's matching blocks, which begin with the prediction.
fn blocks(lists: &Lists) -> Option<Partners> {
    let mut pairs = Vec::new();
    let sequences = (
        lists.prediction.numbers.as_slice(),
        lists.reference.numbers.as_slice(),
    );
    Matcher::default().each_block(STEPS_MAX, sequences, |block| {
        pairs.extend((0..block.length).map(|n| (block.second + n, block.first + n)));
    })?;
    let sizes = (lists.reference.len(), lists.prediction.len());
    Some(Partners::new(sizes, pairs))
}

/// Lists the stretches that do not stay, in order.
fn stretches(partners: &Partners) -> Vec<Stretch> {
    let (n_reference, n_prediction) = (partners.of_reference.len(), partners.of_prediction.len());
    let mut stretches = Vec::new();
    let mut next = (0, 0);
    let kept = partners.of_reference.iter().enumerate();
    let kept = kept.filter_map(|(idx, n)| n.map(|n| (idx, n as usize)));
    for (of_reference, of_prediction) in kept.chain([(n_reference, n_prediction)]) {
        if next != (of_reference, of_prediction) {
            stretches.push(Stretch {
                reference: next.0..of_reference,
                prediction: next.1..of_prediction,
            });
        }
        next = (of_reference + 1, of_prediction + 1);
    }
    stretches
}

/// Writes a step for each edit.
fn write(
    sheet: &mut Sheet,
    kind: Edit,
    pair: &ExplainedPair<'_>,
    (lists, stretches): (&Lists, &[Stretch]),
) {
    for stretch in stretches.iter().take(LISTED_MAX) {
        let there = lists.reference.place(stretch.reference.clone());
        let here = lists.prediction.place(stretch.prediction.clone());
        let label = match (
            quoted(&pair.reference[there.clone()]),
            quoted(&pair.prediction[here.clone()]),
        ) {
            (gone, _) if here.is_empty() => format!("{gone} is missing"),
            (_, new) if there.is_empty() => format!("{new} is too much"),
            (gone, new) => format!("{gone} became {new}"),
        };
        let (of_reference, of_prediction) = stretch.edits(kind);
        let line = if there.is_empty() {
            format!(
                "line {} of the prediction",
                line_of(pair.prediction, here.start)
            )
        } else {
            format!(
                "line {} of the reference",
                line_of(pair.reference, there.start)
            )
        };
        sheet.step(
            2,
            label,
            format!("{:.0}", of_reference + of_prediction),
            line,
        );
    }
    let n_left = stretches.len().saturating_sub(LISTED_MAX);
    if n_left > 0 {
        let label = format!("and {n_left} more such places");
        sheet.step(2, label, "", "");
    }
}

/// Shows a text in quotes, cut if it is long and without anything that a terminal would obey.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(QUOTED_MAX)
        .flat_map(|c| {
            match c {
                // Quotes are harmless here.
                '"' | '\'' => c.to_string(),
                other => other.escape_debug().to_string(),
            }
            .chars()
            .collect::<Vec<_>>()
        })
        .collect();
    if text.chars().nth(QUOTED_MAX).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Finds the line of a place, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}
