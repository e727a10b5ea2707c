//! The cases of a benchmark: samples by project, and the split of each, which is its project's.

use std::collections::BTreeMap;

use crate::Error;
use crate::model::{Filter, Language, OfSample, SampleKey, Split, Status, Term};
use crate::split::{WeighedRepo, split_by_language};
use crate::store::Store;
use crate::task::Monitor;

/// Samples that are looked up at once: larger batches take more memory, smaller ones more queries.
const KEYS_AT_ONCE: usize = 1_024;

/// The cases of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases {
    /// The project's identity.
    pub name: String,
    pub keys: Vec<SampleKey>,
    /// The language of most of them; nothing where there are none.
    pub language: Option<Language>,
}

/// Collects the samples with a focal method that a filter lets through, by project.
///
/// # Errors
/// The store's, and cancelling.
pub fn cases_of(store: &Store, monitor: &Monitor, filter: &Filter) -> Result<Vec<Cases>, Error> {
    let mut filter = filter.clone();
    let mapped =
        [Status::Ok, Status::NoAssertionPart].map(|status| OfSample::Status(status).into());
    filter.narrow(Term::any(mapped.to_vec()));
    let keys = store.keys(&filter)?;
    let mut projects: BTreeMap<String, (Vec<SampleKey>, BTreeMap<Language, u64>)> = BTreeMap::new();
    for keys in keys.chunks(KEYS_AT_ONCE) {
        monitor.step()?;
        let facts = store.sample_facts(keys, filter.aim.matcher)?;
        for (key, facts) in keys.iter().zip(facts) {
            let Some(facts) = facts else { continue };
            let (keys, languages) = projects.entry(facts.repo).or_default();
            keys.push(*key);
            *languages.entry(facts.language).or_default() += 1;
        }
    }
    let cases = projects.into_iter().map(|(name, (keys, languages))| {
        // Of languages with as many, the first.
        let most = languages.into_iter().rev().max_by_key(|(_, n)| *n);
        Cases {
            name,
            keys,
            language: most.map(|most| most.0),
        }
    });
    Ok(cases.collect())
}

/// Chooses the split of each project, in the order given, language by language; see [`split_by_language`].
#[must_use]
pub fn split_cases(cases: &[Cases], seed: u64) -> Vec<Split> {
    let weighed: Vec<(WeighedRepo, Option<Language>)> = cases
        .iter()
        .map(|cases| {
            let weighed = WeighedRepo {
                name: cases.name.clone(),
                n_cases: cases.keys.len() as u64,
            };
            (weighed, cases.language)
        })
        .collect();
    split_by_language(&weighed, seed)
}
