//! Assigns repositories to splits, each as a whole (Tests4J 3.2, step 5).

use std::collections::BTreeSet;

use crate::model::{Language, Split};

/// The share of all cases that each split is to have.
pub const TARGETS: [(Split, f64); 3] = [
    (Split::Train, 0.70),
    (Split::Validation, 0.10),
    (Split::Test, 0.20),
];

/// The order in which splits win ties.
const TIES: [Split; 3] = [Split::Train, Split::Test, Split::Validation];

/// A repository with its cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeighedRepo {
    pub name: String,
    pub n_cases: u64,
}

/// Chooses the split of each repository, in the order given.
///
/// Repositories are shuffled; each goes to a split drawn from those that still take all of it without passing their
/// target. Then those that fitted nowhere go, one by one, to the split that misses most cases. The draws depend on the
/// seed and the names alone, so the order of `repos` does not matter.
///
/// # Panics
/// Never: of three numbers one is the greatest.
#[must_use]
pub fn split(repos: &[WeighedRepo], seed: u64) -> Vec<Split> {
    let n_all: u64 = repos.iter().map(|repo| repo.n_cases).sum();
    let mut missing: Vec<(Split, f64)> = TARGETS
        .iter()
        .map(|(split, share)| (*split, share * n_all as f64))
        .collect();
    let mut order: Vec<usize> = (0..repos.len()).collect();
    order.sort_by_cached_key(|idx| {
        (
            draw(seed, "order", &repos[*idx].name),
            repos[*idx].name.clone(),
        )
    });
    let mut splits = vec![None; repos.len()];
    for idx in &order {
        let WeighedRepo { name, n_cases } = &repos[*idx];
        let n_cases = *n_cases as f64;
        let fitting: Vec<usize> = (0..missing.len())
            .filter(|n| missing[*n].1 >= n_cases)
            .collect();
        if !fitting.is_empty() {
            let drawn = draw(seed, "split", name) % fitting.len() as u64;
            let (split, left) = &mut missing[fitting[drawn as usize]];
            splits[*idx] = Some(*split);
            *left -= n_cases;
        }
    }
    let left_over = order.iter().filter(|order| splits[**order].is_none());
    for idx in left_over.copied().collect::<Vec<_>>() {
        let most = missing
            .iter()
            .map(|missing| missing.1)
            .fold(f64::MIN, f64::max);
        let is_most = |split: &&Split| {
            missing
                .iter()
                .any(|(missing_split, left)| missing_split == *split && *left >= most)
        };
        let split = *TIES.iter().find(is_most).expect("one of them misses most");
        splits[idx] = Some(split);
        for (_, left) in missing
            .iter_mut()
            .filter(|(missing_split, _)| *missing_split == split)
        {
            *left -= repos[idx].n_cases as f64;
        }
    }
    splits
        .into_iter()
        .map(|split| split.expect("what fits nowhere is left over"))
        .collect()
}

/// Chooses the split of each repository, in the order given, language by language: each language's repositories are
/// split as if there were no others, so that its tests have the shares that all tests have.
#[must_use]
pub fn split_by_language(repos: &[(WeighedRepo, Option<Language>)], seed: u64) -> Vec<Split> {
    let mut splits = vec![Split::Train; repos.len()];
    let languages: BTreeSet<Option<Language>> = repos.iter().map(|repo| repo.1).collect();
    for language in languages {
        let of_language: Vec<usize> = (0..repos.len())
            .filter(|idx| repos[*idx].1 == language)
            .collect();
        let weighed: Vec<WeighedRepo> = of_language
            .iter()
            .map(|idx| repos[*idx].0.clone())
            .collect();
        for (idx, split) in of_language.into_iter().zip(split(&weighed, seed)) {
            splits[idx] = split;
        }
    }
    splits
}

/// Draws a number from the seed, a purpose and a name.
pub(super) fn draw(seed: u64, purpose: &str, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(purpose.as_bytes());
    hasher.update(&[0]);
    hasher.update(name.as_bytes());
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weighed(sizes: &[u64]) -> Vec<WeighedRepo> {
        let repo = |(n, n_cases): (usize, &u64)| WeighedRepo {
            name: format!("repo-{n}"),
            n_cases: *n_cases,
        };
        sizes.iter().enumerate().map(repo).collect()
    }

    fn cases(repos: &[WeighedRepo], splits: &[Split], of: Split) -> u64 {
        let pairs = repos.iter().zip(splits);
        pairs
            .filter(|pair| *pair.1 == of)
            .map(|pair| pair.0.n_cases)
            .sum()
    }

    #[test]
    fn many_repositories_of_one_size_meet_the_targets() {
        let repos = weighed(&[100; 60]);
        let splits = split(&repos, 7);
        assert_eq!(cases(&repos, &splits, Split::Train), 4200);
        assert_eq!(cases(&repos, &splits, Split::Validation), 600);
        assert_eq!(cases(&repos, &splits, Split::Test), 1200);
    }

    #[test]
    fn one_that_fits_nowhere_goes_where_most_is_missing() {
        assert_eq!(split(&weighed(&[500]), 0), [Split::Train]);
    }

    #[test]
    fn each_language_has_its_shares() {
        let mut repos = Vec::new();
        for (language, sizes) in [
            (Some(Language::Java), vec![100; 40]),
            (Some(Language::Go), vec![10; 20]),
            (None, vec![7; 10]),
        ] {
            let weighed = weighed(&sizes).into_iter().map(|mut repo| {
                repo.name = format!("{language:?} {}", repo.name);
                (repo, language)
            });
            repos.extend(weighed);
        }
        let splits = split_by_language(&repos, 3);
        for (language, n_all) in [
            (Some(Language::Java), 4000),
            (Some(Language::Go), 200),
            (None, 70),
        ] {
            for (target, share) in TARGETS {
                let of = repos.iter().zip(&splits);
                let of = of.filter(|entry| entry.0.1 == language && *entry.1 == target);
                let n_cases: u64 = of.map(|entry| entry.0.0.n_cases).sum();
                let off = n_cases as f64 - share * f64::from(n_all);
                assert!(off.abs() < 0.5, "{language:?} {target:?}: {n_cases}");
            }
        }
    }

    #[test]
    fn one_language_is_split_as_before() {
        let repos = weighed(&[5, 80, 12, 33, 9, 41]);
        let tagged: Vec<_> = repos
            .iter()
            .map(|repo| (repo.clone(), Some(Language::Java)))
            .collect();
        assert_eq!(split_by_language(&tagged, 9), split(&repos, 9));
    }

    proptest! {
        #[test]
        fn the_order_of_repositories_does_not_matter(sizes in prop::collection::vec(1_u64..900, 1..40), seed: u64) {
            let repos = weighed(&sizes);
            let mut turned = repos.clone();
            turned.reverse();
            let mut splits = split(&turned, seed);
            splits.reverse();
            prop_assert_eq!(split(&repos, seed), splits);
        }

        #[test]
        fn no_split_passes_its_target_by_more_than_one_repository(sizes in prop::collection::vec(1_u64..900, 1..40), seed: u64) {
            let repos = weighed(&sizes);
            let splits = split(&repos, seed);
            let n_all: u64 = sizes.iter().sum();
            let largest = *sizes.iter().max().expect("there is one") as f64;
            for (it, share) in TARGETS {
                prop_assert!(cases(&repos, &splits, it) as f64 <= share * n_all as f64 + largest);
            }
        }
    }
}
