//! The two n-gram parts: how many n-grams of words the sides share, and the weight of the shared keywords.

use super::keywords;
use super::words::{KeyNumbers, WordNumbers, is_space};
use super::{ORDERS, Sums, Variant};
use crate::model::Language;

/// The number of an n-gram that the reference lacks.
const UNKNOWN: u32 = u32::MAX;

/// The weight of a word that is no keyword.
const WEIGHT_OTHERS: f64 = 0.2;

/// Memory for counting.
#[derive(Default)]
pub struct Counter {
    words: WordNumbers,
    keys: KeyNumbers,
    reference: Vec<u32>,
    prediction: Vec<u32>,
    reference_grams: Vec<u32>,
    prediction_grams: Vec<u32>,
    /// By number of the n-gram: how often in the reference, and how often of these in the prediction.
    counts: Vec<(u32, u32)>,
}

impl Counter {
    /// Counts the n-grams of two stripped texts. Words are what layout separates, comments and all.
    pub fn count(
        &mut self,
        language: Language,
        reference: &str,
        prediction: &str,
        sums: &mut Sums,
    ) {
        self.words.clear();
        self.reference.clear();
        self.prediction.clear();
        for word in reference.split(is_space).filter(|part| !part.is_empty()) {
            self.reference.push(self.words.number(word.as_bytes()));
        }
        let n_reference_words = self.words.len();
        for word in prediction.split(is_space).filter(|part| !part.is_empty()) {
            let number = self.words.number(word.as_bytes());
            let is_known = (number as usize) < n_reference_words;
            self.prediction
                .push(if is_known { number } else { UNKNOWN });
        }
        sums.n_reference_words += self.reference.len() as u64;
        sums.n_prediction_words += self.prediction.len() as u64;
        self.reference_grams.clone_from(&self.reference);
        self.prediction_grams.clone_from(&self.prediction);
        self.count_order(0, n_reference_words, sums);
        self.weigh(language, sums);
        for order in 1..ORDERS {
            self.lengthen(order);
            self.count_order(order, self.reference_grams.len(), sums);
        }
    }

    /// Makes n-grams of one word more. What follows an n-gram that the reference lacks is lacking too.
    fn lengthen(&mut self, order: usize) {
        let key = |gram: u32, word: u32| u64::from(gram) << 32 | u64::from(word);
        let n = self.reference.len().saturating_sub(order);
        self.reference_grams.truncate(n);
        self.keys.clear(n);
        for (gram, word) in self
            .reference_grams
            .iter_mut()
            .zip(&self.reference[order.min(self.reference.len())..])
        {
            *gram = self.keys.number(key(*gram, *word));
        }
        let n = self.prediction.len().saturating_sub(order);
        self.prediction_grams.truncate(n);
        for (gram, word) in self
            .prediction_grams
            .iter_mut()
            .zip(&self.prediction[order.min(self.prediction.len())..])
        {
            if *gram != UNKNOWN {
                let known = self.keys.get(key(*gram, *word));
                *gram = known.unwrap_or(UNKNOWN);
            }
        }
    }

    fn count_order(&mut self, order: usize, n_numbers: usize, sums: &mut Sums) {
        self.counts.clear();
        self.counts.resize(n_numbers, (0, 0));
        for gram in &self.reference_grams {
            self.counts[*gram as usize].0 += 1;
        }
        let mut n_matched = 0;
        for gram in self
            .prediction_grams
            .iter()
            .filter(|prediction_gram| **prediction_gram != UNKNOWN)
        {
            let (there, matched) = &mut self.counts[*gram as usize];
            if matched < there {
                *matched += 1;
                n_matched += 1;
            }
        }
        sums.n_grams_matched[order] += n_matched;
        sums.n_prediction_grams[order] += (self.prediction_grams.len() as u64).max(1);
        sums.n_reference_grams[order] += (self.reference_grams.len() as u64).max(1);
    }

    /// Weighs the words of the reference, and those among them that the prediction has.
    fn weigh(&self, language: Language, sums: &mut Sums) {
        let mut there = [0.0; 2];
        let mut matched = [0.0; 2];
        for (&(n_there, n_matched), number) in self.counts.iter().zip(0..) {
            let is_keyword = keywords::of(language, self.words.word(number));
            for variant in 0..2 {
                let weight = weight(is_keyword[variant]);
                there[variant] += f64::from(n_there) * weight;
                matched[variant] += f64::from(n_matched) * weight;
            }
        }
        for variant in 0..2 {
            sums.weight_matched[variant] += matched[variant];
            sums.weight_reference[variant] += f64::max(1.0, there[variant]);
        }
    }
}

const fn weight(is_keyword: bool) -> f64 {
    if is_keyword { 1.0 } else { WEIGHT_OTHERS }
}

/// Returns the weight of a word in the weighted part.
pub(crate) fn weight_of(language: Language, variant: Variant, word: &str) -> f64 {
    weight(keywords::of(language, word.as_bytes())[variant as usize])
}
