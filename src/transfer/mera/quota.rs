//! How many tasks of each language a benchmark has, and which samples become tasks.

use std::collections::BTreeMap;

use crate::model::{Language, Split};

use super::MeraPart;
use super::funnel::{FunnelSample, SHOTS_PER_LANGUAGE, lot};
use super::pick::Pick;

/// The number of tasks in MERA's `UnitTests`.
pub const TASKS: u64 = 2_500;

/// How many tasks of each language are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotas(BTreeMap<Language, u64>);

/// How many tasks of a language were wanted, and how many were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageDraw {
    pub language: Language,
    pub n_wanted: u64,
    pub n_drawn: u64,
}

impl Quotas {
    /// Divides the tasks that no language has a quota of its own for among the others, equally; what cannot be divided
    /// goes to the first ones. The paper states no quotas.
    #[must_use]
    pub fn new(n_tasks: u64, languages: &[Language], own: &BTreeMap<Language, u64>) -> Self {
        let others = || {
            languages
                .iter()
                .filter(|language| !own.contains_key(language))
        };
        let n_others = others().count() as u64;
        let n_left = n_tasks.saturating_sub(own.values().sum());
        let shares = others().zip(0..).map(|(language, place)| {
            let extra = u64::from(place < n_left % n_others);
            (*language, n_left / n_others + extra)
        });
        let mut quotas = own.clone();
        quotas.extend(shares);
        Self(quotas)
    }

    fn of(&self, language: Language) -> u64 {
        self.0.get(&language).copied().unwrap_or_default()
    }

    /// Iterates over the languages with their quotas.
    pub fn each(&self) -> impl Iterator<Item = (Language, u64)> {
        self.0.iter().map(|(language, n)| (*language, *n))
    }

    /// Keeps of each language as many samples of the split `test` as its quota says and enough of `train` for the
    /// examples, those with the least hashes, and nothing else.
    pub fn draw(&self, mut facts: Vec<FunnelSample>, seed: u64) -> Vec<FunnelSample> {
        facts.sort_by_cached_key(|fact| lot(seed, fact.key));
        let mut n_taken: BTreeMap<(Split, Language), u64> = BTreeMap::new();
        facts.retain(|fact| {
            let n_most = match fact.split {
                Split::Train => SHOTS_PER_LANGUAGE as u64,
                Split::Validation => 0,
                Split::Test => self.of(fact.language),
            };
            let n = n_taken.entry((fact.split, fact.language)).or_default();
            *n += 1;
            *n <= n_most
        });
        facts
    }

    /// Counts the wanted and the drawn tasks of each language.
    pub fn drawn(&self, picks: &[Pick]) -> Vec<LanguageDraw> {
        let is_task = |pick: &&Pick| pick.part == MeraPart::Of(Split::Test);
        let drawn = self.each().map(|(language, n_wanted)| {
            let ours = picks.iter().filter(is_task);
            let n_drawn = ours.filter(|pick| pick.language == language).count() as u64;
            LanguageDraw {
                language,
                n_wanted,
                n_drawn,
            }
        });
        drawn.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContentHash, SampleKey};

    fn quotas(n_tasks: u64, languages: &[Language], own: &[(Language, u64)]) -> Vec<u64> {
        let quotas = Quotas::new(n_tasks, languages, &own.iter().copied().collect());
        quotas.each().map(|(_, n)| n).collect()
    }

    #[test]
    fn tasks_are_divided_equally_and_a_quota_of_its_own_comes_first() {
        let all = Language::ALL;
        assert_eq!(quotas(TASKS, all, &[]), [500; 5]);
        assert_eq!(quotas(7, all, &[]).iter().sum::<u64>(), 7);
        let two = &[all[0], all[1]];
        assert_eq!(quotas(5, two, &[]), [3, 2]);
        assert_eq!(quotas(10, two, &[(all[1], 8)]), [2, 8]);
        // Quotas of their own may be more than all tasks.
        assert_eq!(quotas(10, two, &[(all[0], 4), (all[1], 9)]), [4, 9]);
        assert_eq!(quotas(3, two, &[(all[0], 9)]), [9, 0]);
    }

    #[test]
    fn tasks_are_of_the_test_split_and_examples_of_the_training_split() {
        let languages = [Language::Java, Language::Go];
        let facts = (0..90_u8).map(|n| FunnelSample {
            sample: i64::from(n),
            key: SampleKey([n; 16]),
            language: languages[usize::from(n) % 2],
            repo: "r".to_owned(),
            split: Split::ALL[usize::from(n / 2) % 3],
            tokens: ContentHash([n; 16]),
        });
        let facts: Vec<FunnelSample> = facts.collect();
        let quotas = Quotas::new(30, &languages, &BTreeMap::from([(Language::Go, 4)]));
        let left = quotas.draw(facts.clone(), 3);
        let count = |split, language| {
            let ours = left.iter().filter(|fact| fact.split == split);
            ours.filter(|fact| fact.language == language).count()
        };
        assert_eq!(count(Split::Test, Language::Go), 4);
        // There are only fifteen where twenty-six were wanted.
        assert_eq!(count(Split::Test, Language::Java), 15);
        assert_eq!(count(Split::Validation, Language::Java), 0);
        assert_eq!(count(Split::Train, Language::Go), SHOTS_PER_LANGUAGE);
        let keys = |facts: &[FunnelSample]| facts.iter().map(|fact| fact.key).collect::<Vec<_>>();
        assert_eq!(keys(&left), keys(&quotas.draw(facts.clone(), 3)));
        assert_ne!(keys(&left), keys(&quotas.draw(facts, 4)));
    }
}
