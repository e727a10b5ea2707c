//! Prompts of equal text about one method: the sample that the one prompt belongs to, and the others whose tests are
//! references, too.
//!
//! A model is asked about a method, not about a test. Tests of one method whose class reads the same without them give
//! the same text, and asking it once for each test would count every attempt several times. So the text is asked once,
//! for the sample with the smallest key.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::SampleKey;

/// The first bytes of a hash of a text.
type TextHash = [u8; 16];

/// Gathers which samples have which text; no text is kept.
#[derive(Default)]
pub struct Gatherer(Vec<(TextHash, SampleKey)>);

impl Gatherer {
    /// Adds the text for a sample, and the names that identify its focal method.
    ///
    /// Two methods whose texts are equal, as where both were cut short, are both asked about: the tests of one say
    /// nothing about the other.
    pub fn add(&mut self, key: SampleKey, method: [&str; 3], text: &str) {
        let mut hasher = blake3::Hasher::new();
        for part in method.into_iter().chain([text]) {
            // After its length, so that two lists of parts never run into the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut hash = TextHash::default();
        hasher.finalize_xof().fill(&mut hash);
        self.0.push((hash, key));
    }

    /// Groups the samples that share a text.
    pub fn finish(mut self) -> EqualTexts {
        self.0.sort_unstable();
        let mut equals = EqualTexts::default();
        for group in self.0.chunk_by(|one, next| one.0 == next.0) {
            let mut keys = group.iter().map(|(_, key)| *key);
            // Sorted, so the first has the smallest key.
            let (Some(first), true) = (keys.next(), group.len() > 1) else {
                continue;
            };
            let others: Vec<SampleKey> = keys.collect();
            equals.others.extend(&others);
            equals.of_first.insert(first, others);
        }
        equals
    }
}

/// The samples that share a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EqualTexts {
    /// For the sample with the smallest key, the other samples with its text, in order.
    of_first: FxHashMap<SampleKey, Vec<SampleKey>>,
    /// All samples whose text another one is asked with.
    others: FxHashSet<SampleKey>,
}

impl EqualTexts {
    /// Tells whether a sample's text is asked for another one.
    pub fn is_asked_elsewhere(&self, key: &SampleKey) -> bool {
        self.others.contains(key)
    }

    /// Lists the samples that are asked with the text of this one, in order.
    pub fn others(&self, key: &SampleKey) -> &[SampleKey] {
        self.of_first.get(key).map_or(&[], Vec::as_slice)
    }

    /// Counts the samples without a prompt of their own.
    pub fn n_others(&self) -> u64 {
        self.others.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> SampleKey {
        SampleKey([n; 16])
    }

    #[test]
    fn the_smallest_key_is_asked_whatever_the_order() {
        for order in [[3, 1, 2], [1, 2, 3], [2, 3, 1]] {
            let mut gatherer = Gatherer::default();
            let method = ["host/a/b", "p/A.java", "p.A#f()"];
            for n in order {
                gatherer.add(key(n), method, "the same");
            }
            gatherer.add(key(0), method, "another");
            gatherer.add(key(9), ["host/a/b", "p/A.java", "p.A#g()"], "the same");
            let equals = gatherer.finish();
            assert_eq!(equals.others(&key(1)), [key(2), key(3)]);
            assert_eq!(equals.n_others(), 2);
            for (n, is_elsewhere) in [(0, false), (1, false), (2, true), (3, true), (9, false)] {
                assert_eq!(equals.is_asked_elsewhere(&key(n)), is_elsewhere, "{n}");
                assert!(n == 1 || equals.others(&key(n)).is_empty(), "{n}");
            }
        }
    }
}
