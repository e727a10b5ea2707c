//! The n-grams that all code shares: which corpus they come from, and what names it.

use std::sync::Arc;

use crate::metric::crystalbleu::{Corpus, K_DEFAULT, SharedNgrams};
use crate::metric::cut::Cutter;
use crate::metric::{Metric, Needs};
use crate::model::{ContentHash, Filter, Language, Matcher, OfSample, Split, Status, Target};
use crate::store::Store;
use crate::task::Monitor;

use super::EvalError;

/// A corpus smaller than this says little about what all code shares: k n-grams are then most of it.
pub const SMALL_TOKENS: usize = 100_000;

/// The corpus and the number of shared n-grams.
#[derive(Clone, Debug, PartialEq)]
pub struct CrystalOptions {
    pub k: usize,
    /// Texts of a corpus that the user names, and what it is called.
    pub corpus: Option<(String, Vec<String>)>,
}

impl Default for CrystalOptions {
    fn default() -> Self {
        Self {
            k: K_DEFAULT,
            corpus: None,
        }
    }
}

/// What [`SharedNgrams`] was made of, to be said with every number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrystalSource {
    pub k: usize,
    pub corpus: String,
    pub n_tokens: usize,
}

impl CrystalSource {
    /// Warns where the corpus is too small to mean anything.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (self.n_tokens < SMALL_TOKENS).then(|| {
            format!(
                "crystalbleu: {} has {} tokens, so that its {} most frequent n-grams are not shared by all code; \
                 values come out low",
                self.corpus, self.n_tokens, self.k
            )
        })
    }
}

/// Tells whether a metric needs shared n-grams.
pub fn is_needed(metrics: &[&Metric]) -> bool {
    metrics
        .iter()
        .any(|metric| metric.needs == Needs::SharedNgrams)
}

/// Gathers the tokens of texts, one flat list.
pub struct Gatherer {
    cutter: Cutter,
    corpus: Corpus,
}

impl Gatherer {
    pub fn new(language: Language) -> Self {
        Self {
            cutter: Cutter::new(language),
            corpus: Corpus::default(),
        }
    }

    pub fn add(&mut self, text: &str) {
        for token in self.cutter.tokens(text).iter() {
            self.corpus.push(token);
        }
    }

    pub fn finish(self, k: usize, name: impl Into<String>) -> (Arc<SharedNgrams>, CrystalSource) {
        let source = CrystalSource {
            k,
            corpus: name.into(),
            n_tokens: self.corpus.len(),
        };
        (Arc::new(self.corpus.shared(k)), source)
    }
}

/// The corpus of an index: the references of its training split.
pub struct TrainingSplit {
    keys: Vec<crate::model::SampleKey>,
    target: Target,
    matcher: Matcher,
    /// Names it: equal for equal references.
    pub hash: ContentHash,
}

/// References that are in memory at once: larger batches take more memory, smaller ones more queries.
const TEXTS_AT_ONCE: usize = 1_024;

impl TrainingSplit {
    /// Finds the samples, without their texts.
    pub fn of(store: &Store, target: Target, matcher: Matcher) -> Result<Self, EvalError> {
        let filter = Filter::of(vec![
            OfSample::Split(Split::Train).into(),
            OfSample::Status(Status::Ok).into(),
            OfSample::Duplicate(false).into(),
        ]);
        let filter = filter.as_decided(matcher);
        let keys = store.keys(&filter)?;
        let mut hasher = blake3::Hasher::new();
        for keys in keys.chunks(TEXTS_AT_ONCE) {
            for facts in store.sample_facts(keys, matcher)?.into_iter().flatten() {
                hasher.update(&facts.reference_hash(target).0);
            }
        }
        Ok(Self {
            keys,
            target,
            matcher,
            hash: ContentHash::of(&hasher),
        })
    }

    /// Counts its n-grams.
    pub fn shared(
        &self,
        store: &Store,
        language: Language,
        k: usize,
        monitor: &Monitor,
    ) -> Result<(Arc<SharedNgrams>, CrystalSource), EvalError> {
        let mut gatherer = Gatherer::new(language);
        for keys in self.keys.chunks(TEXTS_AT_ONCE) {
            monitor.step()?;
            let references = store.references(keys, self.target, self.matcher)?;
            for text in references
                .into_iter()
                .flatten()
                .filter_map(|reference| reference.text)
            {
                gatherer.add(&text);
            }
        }
        Ok(gatherer.finish(k, "the training split"))
    }
}
