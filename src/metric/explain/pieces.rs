//! The pieces that metrics compare, as numbers with their places in the given texts.
//!
//! Decides nothing about pieces: every tokenizer is the scorer's.

use std::ops::Range;

use super::{ExplainedPair, Sheet, TextSide};
use crate::cut::Cutter;
use crate::scorer::Settings;
use crate::tokens::{Scratch, Vocabulary, is_whitespace, places};

/// The pieces of one text.
#[derive(Default)]
pub struct List {
    pub numbers: Vec<u32>,
    /// Bytes of the given text; they ascend and never overlap.
    pub places: Vec<Range<usize>>,
}

/// The pieces of both texts; equal ones have equal numbers.
pub struct Lists {
    pub reference: List,
    pub prediction: List,
}

impl List {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the bytes from the first to the last of some pieces, with the text between them; none for no pieces.
    pub fn place(&self, pieces: Range<usize>) -> Range<usize> {
        match &self.places[pieces] {
            [] => 0..0,
            [one] => one.clone(),
            [first, .., last] => first.start..last.end,
        }
    }

    fn numbered<'t>(
        vocabulary: &mut Vocabulary,
        tokens: impl IntoIterator<Item = (&'t str, Range<usize>)>,
    ) -> Self {
        let mut list = Self::default();
        for (token, place) in tokens {
            list.numbers.push(vocabulary.number(token));
            list.places.push(place);
        }
        list
    }
}

impl Lists {
    /// Cuts by the language's tokens; their numbers agree with the shared n-grams.
    pub fn of_language(pair: &ExplainedPair<'_>) -> Self {
        let Settings {
            language, shared, ..
        } = pair.settings;
        let mut cutter = Cutter::new(*language);
        let mut vocabulary = shared.vocabulary();
        Self::of(pair, |text| {
            let tokens = cutter.tokens(text);
            let mut list = List::default();
            vocabulary.number_all(tokens.iter(), &mut list.numbers);
            let starts = (0..tokens.len()).filter_map(|idx| tokens.start(idx));
            list.places = starts
                .zip(tokens.iter())
                .map(|(start, token)| start..start + token.len())
                .collect();
            if !tokens.is_of(text) {
                for place in &mut list.places {
                    *place = cutter.original(place.start)..cutter.original(place.end);
                }
            }
            list
        })
    }

    /// Cuts by the tokens of `13a`, as Hugging Face or, stripped, sacrebleu sees them.
    pub fn of_13a(pair: &ExplainedPair<'_>, is_stripped: bool) -> Self {
        Self::of_placed(pair, |text| {
            places::tokens_13a(&mut Scratch::default(), text, is_stripped)
        })
    }

    /// Cuts by rouge-score's own tokens.
    pub fn of_rouge(pair: &ExplainedPair<'_>) -> Self {
        Self::of_placed(pair, |text| {
            places::tokens_rouge(&mut Scratch::default(), text)
        })
    }

    /// Cuts at white space, as [`crate::tokens::split_whitespace`] does.
    pub fn of_words(pair: &ExplainedPair<'_>) -> Self {
        let mut vocabulary = Vocabulary::default();
        Self::of(pair, |text| {
            let places = words(text);
            let words = places
                .into_iter()
                .map(|place| (&text[place.clone()], place));
            List::numbered(&mut vocabulary, words)
        })
    }

    /// Cuts into code points.
    pub fn of_characters(pair: &ExplainedPair<'_>) -> Self {
        Self::of(pair, |text| {
            let characters = text.char_indices();
            let (numbers, places) = characters
                .map(|(at, c)| (u32::from(c), at..at + c.len_utf8()))
                .unzip();
            List { numbers, places }
        })
    }

    fn of_placed(
        pair: &ExplainedPair<'_>,
        cut: impl Fn(&str) -> Vec<(String, Range<usize>)>,
    ) -> Self {
        let mut vocabulary = Vocabulary::default();
        Self::of(pair, |text| {
            let tokens = cut(text);
            let tokens = tokens
                .iter()
                .map(|token| (token.0.as_str(), token.1.clone()));
            List::numbered(&mut vocabulary, tokens)
        })
    }

    fn of(pair: &ExplainedPair<'_>, mut list: impl FnMut(&str) -> List) -> Self {
        let prediction = list(pair.prediction);
        let reference = list(pair.reference);
        Self {
            reference,
            prediction,
        }
    }
}

/// Charges the costs of the pieces of reference and prediction.
pub fn charge(sheet: &mut Sheet, lists: &Lists, (reference, prediction): (&[f64], &[f64])) {
    let sides = [
        (TextSide::Reference, &lists.reference, reference),
        (TextSide::Prediction, &lists.prediction, prediction),
    ];
    for (side, list, costs) in sides {
        for (place, cost) in list.places.iter().zip(costs) {
            sheet.charge(side, place, *cost);
        }
    }
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        if !is_whitespace(character) {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            words.push(start..at);
        }
    }
    words.extend(start.map(|start| start..text.len()));
    words
}
