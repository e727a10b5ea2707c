//! CrystalBLEU: BLEU without the n-grams that all code shares.
//!
//! Decides which n-grams those are, and counts pairs without them; scores come from [`bleu::nltk`] on the counts
//! (Eghbali and Pradel 2022; crystalbleu 0.2, which is an older NLTK with an `ignoring` argument). The penalty for short
//! predictions is on full lengths. Where no single token is left that matches, the score is 0, even if longer n-grams do.

use std::cmp::Reverse;

use super::bleu::{self, Bleu, BleuStats, Smoothing};
use super::ngram::{Counter, NgramSet, ORDER_MAX, Trie};
use super::tokens::Vocabulary;

/// How many n-grams are taken as shared by default (README of crystalbleu 0.2).
pub const K_DEFAULT: usize = 500;

/// The k most frequent n-grams of a corpus, of lengths 1 to 4 together.
#[derive(Clone, Default)]
pub struct SharedNgrams {
    /// Every token of every n-gram, numbered from 0.
    words: Vec<String>,
    /// The most frequent first.
    ranked: Vec<Ngram>,
    pub(super) set: NgramSet,
}

#[derive(Clone, Copy)]
struct Ngram {
    /// Only the first `order` count.
    tokens: [u32; ORDER_MAX],
    order: usize,
    n_times: u64,
}

impl Ngram {
    fn tokens(&self) -> &[u32] {
        &self.tokens[..self.order]
    }
}

impl SharedNgrams {
    /// Finds the `k` most frequent n-grams of one flat list of tokens; see [`Corpus::shared`].
    pub fn from_tokens<'t>(tokens: impl IntoIterator<Item = &'t str>, k: usize) -> Self {
        let mut corpus = Corpus::default();
        for token in tokens {
            corpus.push(token);
        }
        corpus.shared(k)
    }

    /// Makes the set that [`SharedNgrams::ranked`] once listed.
    pub fn from_ranked<'t, N>(ranked: impl IntoIterator<Item = (N, u64)>) -> Self
    where
        N: IntoIterator<Item = &'t str>,
    {
        let mut vocabulary = Vocabulary::default();
        let mut ngrams = Vec::new();
        for (words, n_times) in ranked {
            let mut tokens = [0; ORDER_MAX];
            let mut order = 0;
            for word in words.into_iter().take(ORDER_MAX) {
                tokens[order] = vocabulary.number(word);
                order += 1;
            }
            ngrams.push(Ngram {
                tokens,
                order,
                n_times,
            });
        }
        let words = (0..vocabulary.len() as u32)
            .map(|n| vocabulary.token(n).to_owned())
            .collect();
        Self::new(words, ngrams)
    }

    fn new(words: Vec<String>, ranked: Vec<Ngram>) -> Self {
        let set = NgramSet::new(ranked.iter().map(Ngram::tokens));
        Self { words, ranked, set }
    }

    /// Iterates over the n-grams with their counts in the corpus, the most frequent first.
    pub fn ranked(&self) -> impl Iterator<Item = (impl Iterator<Item = &str>, u64)> {
        self.ranked.iter().map(|ngram| {
            let words = ngram.tokens().iter();
            (
                words.map(|word| self.words[*word as usize].as_str()),
                ngram.n_times,
            )
        })
    }

    /// Returns how many n-grams there are: k, or fewer in a small corpus.
    pub fn len(&self) -> usize {
        self.ranked.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ranked.is_empty()
    }

    /// Makes a vocabulary whose fixed words are the words of the n-grams: only its numbers agree with the n-grams in
    /// [`count`].
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary::with_fixed(self.words.iter().map(String::as_str))
    }
}

/// Counts one pair without the shared n-grams. The token numbers come from [`SharedNgrams::vocabulary`].
pub fn count(
    counter: &mut Counter,
    shared: &SharedNgrams,
    hypothesis: &[u32],
    references: &[impl AsRef<[u32]>],
) -> BleuStats {
    let overlap = counter.overlap_except(hypothesis, references, &shared.set);
    BleuStats::from_overlap(&overlap, hypothesis, references)
}

/// Computes CrystalBLEU of a pair, or of a corpus from the sum of its pairs; the package's default is
/// [`Smoothing::Method0`].
pub fn score(stats: &BleuStats, smoothing: Smoothing) -> Bleu {
    bleu::nltk(stats, smoothing)
}

/// The tokens of a corpus, one flat list: n-grams cross from one document to the next, as the package's README has it.
///
/// Four bytes for each token, and each distinct token's text once.
#[derive(Clone, Default)]
pub struct Corpus {
    vocabulary: Vocabulary,
    tokens: Vec<u32>,
}

impl Corpus {
    /// Adds a token at the end.
    pub fn push(&mut self, token: &str) {
        self.tokens.push(self.vocabulary.number(token));
    }

    /// Returns how many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Finds the `k` most frequent n-grams, of equally frequent ones first the shorter, then the one that appears
    /// first: the order of Python's `Counter.most_common` over 1-grams, then 2-, 3- and 4-grams.
    ///
    /// An n-gram is never more frequent than its beginning or its end, and ranks behind both. So only n-grams are
    /// counted whose beginning and end are among the best k so far: exact, one pass for each length, and never more
    /// than k² counts.
    pub fn shared(&self, k: usize) -> SharedNgrams {
        let mut ranked: Vec<Ngram> = Vec::new();
        for order in 1..=ORDER_MAX {
            // The sort is stable: equals stay in the order of appearance, shorter ones in front.
            let longer = self.count(order, &ranked);
            ranked.extend(longer);
            ranked.sort_by_key(|ngram| Reverse(ngram.n_times));
            ranked.truncate(k);
        }
        let mut vocabulary = Vocabulary::default();
        let mut words = Vec::new();
        for ngram in &mut ranked {
            for token in &mut ngram.tokens[..ngram.order] {
                let word = self.vocabulary.token(*token);
                *token = vocabulary.number(word);
                if *token as usize == words.len() {
                    words.push(word.to_owned());
                }
            }
        }
        SharedNgrams::new(words, ranked)
    }

    /// Counts the n-grams of a length whose beginning and end are ranked, in the order of their appearance.
    fn count(&self, order: usize, ranked: &[Ngram]) -> Vec<Ngram> {
        let shorter = NgramSet::new(ranked.iter().map(Ngram::tokens));
        let mut found = Trie::default();
        let mut ngrams: Vec<Ngram> = Vec::new();
        let mut beginning = self
            .tokens
            .get(..order - 1)
            .and_then(|token| shorter.find(token));
        for window in self.tokens.windows(order) {
            let end = shorter.find(&window[1..]);
            if let (Some(beginning), Some(_)) = (beginning, end) {
                let idx = found.child_or_insert(beginning, window[order - 1]) as usize - 1;
                if idx == ngrams.len() {
                    let mut tokens = [0; ORDER_MAX];
                    tokens[..order].copy_from_slice(window);
                    ngrams.push(Ngram {
                        tokens,
                        order,
                        n_times: 0,
                    });
                }
                ngrams[idx].n_times += 1;
            }
            beginning = end;
        }
        ngrams
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    type Ranked = Vec<(Vec<String>, u64)>;

    fn ranked(shared: &SharedNgrams) -> Ranked {
        shared
            .ranked()
            .map(|(words, n_times)| (words.map(str::to_owned).collect(), n_times))
            .collect()
    }

    /// Counts every n-gram, as the package's README does.
    fn expected(tokens: &[&str], k: usize) -> Ranked {
        let mut places: HashMap<&[&str], usize> = HashMap::new();
        let mut counts: Ranked = Vec::new();
        for order in 1..=ORDER_MAX {
            for ngram in tokens.windows(order) {
                let place = *places.entry(ngram).or_insert(counts.len());
                if place == counts.len() {
                    counts.push((ngram.iter().map(ToString::to_string).collect(), 0));
                }
                counts[place].1 += 1;
            }
        }
        counts.sort_by_key(|count| Reverse(count.1));
        counts.truncate(k);
        counts
    }

    fn score_of(shared: &SharedNgrams, hypothesis: &str, reference: &str) -> f64 {
        let mut vocabulary = shared.vocabulary();
        let (mut h, mut r) = (Vec::new(), Vec::new());
        vocabulary.number_all(hypothesis.split(' '), &mut h);
        vocabulary.number_all(reference.split(' '), &mut r);
        let stats = count(&mut Counter::default(), shared, &h, &[r]);
        score(&stats, Smoothing::Method0).score()
    }

    #[test]
    fn equals_rank_by_length_and_then_by_appearance() {
        let shared = SharedNgrams::from_tokens("b a b a".split(' '), 6);
        let words: Vec<String> = ranked(&shared)
            .iter()
            .map(|pair| pair.0.join(" "))
            .collect();
        assert_eq!(words, ["b", "a", "b a", "a b", "b a b", "a b a"]);
    }

    #[test]
    fn without_shared_ngrams_it_is_bleu_and_with_all_it_is_zero() {
        let text = "a ( b , c ) ; d";
        let none = SharedNgrams::from_tokens([], 500);
        assert!((score_of(&none, text, text) - 1.0).abs() < 1e-12);
        let all = SharedNgrams::from_tokens(text.split(' '), 500);
        assert!(score_of(&all, text, text) == 0.0);
        let some = SharedNgrams::from_tokens("( ) ( )".split(' '), 2);
        assert!((score_of(&some, text, text) - 1.0).abs() < 1e-12);
        assert!(score_of(&some, "( ) ; x", "( ) , y") == 0.0);
    }

    #[test]
    fn no_ngrams_are_asked_for() {
        assert!(SharedNgrams::from_tokens(["a", "b"], 0).is_empty());
        assert!(Corpus::default().shared(500).is_empty());
        assert!(
            SharedNgrams::from_ranked::<[&str; 0]>([([], 1)])
                .ranked()
                .count()
                == 1
        );
    }

    proptest! {
        #[test]
        fn the_shared_ngrams_are_the_most_common(
            tokens in prop::collection::vec("[a-e]", 0..120),
            k in prop_oneof![0..12_usize, 0..600_usize],
        ) {
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let shared = SharedNgrams::from_tokens(tokens.iter().copied(), k);
            let expected = expected(&tokens, k);
            prop_assert_eq!(&ranked(&shared), &expected);
            let words = |it: &(Vec<String>, u64)| (it.0.clone(), it.1);
            let listed: Ranked = expected.iter().map(words).collect();
            let again = SharedNgrams::from_ranked(
                listed.iter().map(|(words, n)| (words.iter().map(String::as_str), *n)),
            );
            prop_assert_eq!(ranked(&again), expected);
        }

        #[test]
        fn scores_are_ratios(
            corpus in prop::collection::vec("[a-e]", 0..40),
            texts in ("[a-g]( [a-g]){0,30}", "[a-g]( [a-g]){0,30}"),
        ) {
            let shared = SharedNgrams::from_tokens(corpus.iter().map(String::as_str), 10);
            prop_assert!((0.0..=1.0).contains(&score_of(&shared, &texts.0, &texts.1)));
        }
    }
}
