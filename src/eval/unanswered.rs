//! Which records of a dataset nobody answered: MERA counts these as 0, so they get an empty answer.
//!
//! Asked were all records of the parts (`test`, `shots` …) that some answer belongs to.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::model::{Filter, Matcher, OfSample, SampleKey, Split};
use crate::store::{Store, StoreError};

use super::numbers::SampleNumbers;

/// The numbers that are looked up at once; where none of them exists, no later one does.
const NUMBERS_AT_ONCE: u32 = 1_000;

/// Lists the samples that were asked and not answered, in order.
pub fn unanswered(
    store: &Store,
    matcher: Matcher,
    numbers: &SampleNumbers,
    answered: &FxHashSet<SampleKey>,
) -> Result<Vec<SampleKey>, StoreError> {
    let all = records(store, matcher, numbers)?;
    let mut asked: BTreeSet<SampleKey> = BTreeSet::new();
    let mut rest = all.clone();
    for split in Split::ALL {
        let keys: FxHashSet<SampleKey> = store
            .keys(&of_split(*split, matcher))?
            .into_iter()
            .collect();
        let of_split: Vec<SampleKey> = all
            .intersection(&keys.into_iter().collect())
            .copied()
            .collect();
        rest.retain(|key| of_split.binary_search(key).is_err());
        if of_split.iter().any(|key| answered.contains(key)) {
            asked.extend(of_split);
        }
    }
    // Those of no split are a part, too.
    if rest.iter().any(|key| answered.contains(key)) {
        asked.extend(rest);
    }
    asked.retain(|key| !answered.contains(key));
    Ok(asked.into_iter().collect())
}

/// Lists the samples with a number: those of the given ids, else those of the imported datasets.
fn records(
    store: &Store,
    matcher: Matcher,
    numbers: &SampleNumbers,
) -> Result<BTreeSet<SampleKey>, StoreError> {
    let names = match numbers {
        SampleNumbers::Known(ids) => return Ok(ids.values().copied().collect()),
        SampleNumbers::OfDatasets(names) => names,
    };
    let mut found = BTreeSet::new();
    for name in names {
        let mut first = 1;
        loop {
            let numbers = first..first + NUMBERS_AT_ONCE;
            let keys: Vec<SampleKey> = numbers
                .map(|number| SampleKey::of_record(name, number))
                .collect();
            let facts = store.sample_facts(&keys, matcher)?;
            let before = found.len();
            let there = keys.into_iter().zip(facts).filter(|pair| pair.1.is_some());
            found.extend(there.map(|there| there.0));
            if found.len() == before {
                break;
            }
            first += NUMBERS_AT_ONCE;
        }
    }
    Ok(found)
}

fn of_split(split: Split, matcher: Matcher) -> Filter {
    Filter::only(OfSample::ProjectSplit(split)).as_decided(matcher)
}
