//! CrystalBLEU: BLEU without the n-grams that all code shares.
//!
//! Decides which n-grams those are, and counts pairs without them; scores come from [`bleu::nltk`] on the counts
//! (Eghbali and Pradel 2022; crystalbleu 0.2, which is an older NLTK with an `ignoring` argument). The penalty for short
//! predictions is on full lengths. Where no single token is left that matches, the score is 0, even if longer n-grams do.

use std::cmp::Reverse;

use super::bleu::{self, Bleu, Smoothing, Stats};
use super::ngram::{Counter, NgramSet, ORDER_MAX, Trie};
use super::tokens::Vocabulary;

/// How many n-grams are taken as shared where nobody says otherwise (README of crystalbleu 0.2).
pub const K_DEFAULT: usize = 500;

/// The k most frequent n-grams of a corpus, of lengths 1 to 4 together.
#[derive(Clone, Default)]
pub struct Shared {
    /// Every token of every n-gram, numbered from 0.
    words: Vec<String>,
    /// The most frequent first.
    ranked: Vec<Ngram>,
    set: NgramSet,
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

impl Shared {
    /// Returns the `k` most frequent n-grams of one flat list of tokens; see [`Corpus::shared`].
    pub fn from_tokens<'t>(tokens: impl IntoIterator<Item = &'t str>, k: usize) -> Self {
        let mut corpus = Corpus::default();
        for token in tokens {
            corpus.push(token);
        }
        corpus.shared(k)
    }

    /// Makes the set that [`Shared::ranked`] once listed.
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
            .map(|it| vocabulary.token(it).to_owned())
            .collect();
        Self::new(words, ngrams)
    }

    fn new(words: Vec<String>, ranked: Vec<Ngram>) -> Self {
        let set = NgramSet::new(ranked.iter().map(Ngram::tokens));
        Self { words, ranked, set }
    }

    /// Returns the n-grams with how often the corpus has them, the most frequent first.
    pub fn ranked(&self) -> impl Iterator<Item = (impl Iterator<Item = &str>, u64)> {
        self.ranked.iter().map(|ngram| {
            let words = ngram.tokens().iter();
            (
                words.map(|it| self.words[*it as usize].as_str()),
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

    /// Returns a vocabulary whose fixed words are those of the n-grams: only its numbers mean to [`count`] what the
    /// n-grams mean.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary::with_fixed(self.words.iter().map(String::as_str))
    }
}

/// Counts one pair without the shared n-grams. The token numbers are those of [`Shared::vocabulary`].
pub fn count(
    counter: &mut Counter,
    shared: &Shared,
    hypothesis: &[u32],
    references: &[impl AsRef<[u32]>],
) -> Stats {
    let overlap = counter.overlap_except(hypothesis, references, &shared.set);
    Stats::from_overlap(&overlap, hypothesis, references)
}

/// Returns CrystalBLEU of a pair, or of a corpus from the sum of its pairs; the package's default is
/// [`Smoothing::Method0`].
pub fn score(stats: &Stats, smoothing: Smoothing) -> Bleu {
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

    /// Returns the `k` most frequent n-grams, of equally frequent ones first the shorter, then the one that appears
    /// first: the order of Python's `Counter.most_common` over 1-grams, then 2-, 3- and 4-grams.
    ///
    /// An n-gram is never more frequent than its beginning or its end, and ranks behind both. So only n-grams are
    /// counted whose beginning and end are among the best k so far: exact, one pass for each length, and never more
    /// than k² counts.
    pub fn shared(&self, k: usize) -> Shared {
        let mut ranked: Vec<Ngram> = Vec::new();
        for order in 1..=ORDER_MAX {
            // The sort is stable: equals stay in the order of appearance, shorter ones in front.
            let longer = self.count(order, &ranked);
            ranked.extend(longer);
            ranked.sort_by_key(|it| Reverse(it.n_times));
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
        Shared::new(words, ranked)
    }

    /// Counts the n-grams of a length whose beginning and end are ranked, in the order of their appearance.
    fn count(&self, order: usize, ranked: &[Ngram]) -> Vec<Ngram> {
        let shorter = NgramSet::new(ranked.iter().map(Ngram::tokens));
        let mut found = Trie::default();
        let mut ngrams: Vec<Ngram> = Vec::new();
        let mut beginning = self.tokens.get(..order - 1).and_then(|it| shorter.find(it));
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
