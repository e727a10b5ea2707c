//! Exact match: the first difference costs everything, half on each side where both sides have something there.

use std::ops::Range;

use super::edit::{line_of, quoted};
use super::pieces::{List, Lists};
use super::{ExplainedPair, Sheet, TextSide, share};
use crate::{Exact, exact};

pub fn explain(sheet: &mut Sheet, kind: Exact, pair: &ExplainedPair<'_>) -> f64 {
    let (lists, what) = match kind {
        Exact::Raw => (Lists::of_characters(pair), "character"),
        Exact::Whitespace => (Lists::of_words(pair), "word"),
        Exact::Token => (Lists::of_language(pair), "token"),
    };
    let (reference, prediction) = (&lists.reference, &lists.prediction);
    let is_equal = match kind {
        Exact::Raw => exact::raw(pair.prediction, pair.reference),
        Exact::Whitespace => exact::whitespace(pair.prediction, pair.reference),
        Exact::Token => exact::tokens(&prediction.numbers, &reference.numbers),
    };
    let value = f64::from(is_equal);
    let formula = if is_equal {
        format!("every {what} is the same")
    } else {
        format!("a {what} differs")
    };
    sheet.step(0, &pair.title, share(value), formula);
    if is_equal {
        return value;
    }
    let pieces = reference.numbers.iter().zip(&prediction.numbers);
    let n_same = pieces.take_while(|piece| piece.0 == piece.1).count();
    let place = |list: &List| list.places.get(n_same).cloned();
    let (there, here) = (place(reference), place(prediction));
    let shown = |text: &str, place: &Option<Range<usize>>| match place {
        Some(place) => format!(
            "{}, line {}",
            quoted(&text[place.clone()]),
            line_of(text, place.start)
        ),
        None => "the end".to_owned(),
    };
    sheet.step(
        1,
        format!("the same before it, {what}s"),
        n_same.to_string(),
        "",
    );
    sheet.step(1, "reference", shown(pair.reference, &there), "");
    sheet.step(1, "prediction", shown(pair.prediction, &here), "");
    let each = if there.is_some() && here.is_some() {
        0.5
    } else {
        1.0
    };
    for (side, place) in [(TextSide::Reference, there), (TextSide::Prediction, here)] {
        if let Some(place) = place {
            sheet.charge(side, &place, each);
        }
    }
    value
}
