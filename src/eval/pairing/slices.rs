//! Where two runs differ most: the selected samples by what they are, each part compared for itself.
//!
//! Many parts are looked at, and some always seem to differ. So p is adjusted (Benjamini and Hochberg 1995: of the parts
//! that are called different at 0.05, at most a twentieth are not, on average), and parts are ranked by the difference
//! that is certain: its size less the standard error times the quantile that covers all parts at once (Bonferroni, 95 %
//! together). A large difference of three samples comes after a smaller one of a thousand.

use crate::eval::by::By;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::store::Store;
use crate::task::Monitor;

use super::{Compared, Error, Look, Pairing, Selection};

/// The upper ends of classes of length, in tokens.
const LENGTHS: [u32; 4] = [15, 30, 60, 120];

/// How many samples' facts are read in one go.
const FACTS_AT_ONCE: usize = 4_096;

/// Parts of all shared samples.
#[derive(Debug)]
pub(super) struct Groups {
    /// In the order in which they are listed.
    names: Vec<String>,
    /// By place.
    numbers: Vec<u32>,
}

/// One part of a selection, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedSlice {
    pub name: String,
    pub selection: Selection,
    pub compared: Compared,
    /// Benjamini and Hochberg's, over all slices that were listed with it.
    pub p_adjusted: f64,
    /// The size of the difference that is certain with 95 % for all slices at once; below 0 where not even its sign is.
    pub certain: f64,
}

impl Pairing {
    /// Returns the parts of a selection that have samples, with their names, in the order in which they are listed.
    pub fn split(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        selection: &Selection,
        by: By,
    ) -> Result<Vec<(String, Selection)>, Error> {
        let groups = self.groups(store, monitor, by)?;
        let mut parts = vec![Vec::new(); groups.names.len()];
        for place in selection.places() {
            parts[groups.numbers[*place as usize] as usize].push(*place);
        }
        let named = groups.names.iter().zip(parts);
        Ok(named
            .filter(|(_, places)| !places.is_empty())
            .map(|(name, places)| (name.clone(), Selection::of(places)))
            .collect())
    }

    /// Compares every part of a selection, and returns where the runs differ most for certain first. All parts together
    /// cost about as much as the selection as a whole.
    #[expect(
        clippy::too_many_arguments,
        reason = "what is asked, of what, how exactly"
    )]
    pub fn slices(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        selection: &Selection,
        by: By,
        look: Look,
        n_resamples: u32,
        seed: u64,
    ) -> Result<Vec<ComparedSlice>, Error> {
        let parts = self.split(store, monitor, selection, by)?;
        let mut slices = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            let compared = self.summary(store, monitor, &part, look, n_resamples, seed)?;
            slices.push(ComparedSlice {
                name,
                selection: part,
                p_adjusted: compared.p,
                certain: 0.0,
                compared,
            });
        }
        rank(&mut slices);
        Ok(slices)
    }

    fn groups(&mut self, store: &Store, monitor: &Monitor, by: By) -> Result<Arc<Groups>, Error> {
        if let Some(known) = self.groups.get(&by) {
            return Ok(known.clone());
        }
        let names: Vec<(u32, String)> = match by {
            By::Repo | By::Framework => {
                let mut names = Vec::with_capacity(self.keys.len());
                for keys in self.keys.chunks(FACTS_AT_ONCE) {
                    monitor.step()?;
                    let facts = store.sample_facts(keys, None)?;
                    names.extend(facts.into_iter().map(|facts| {
                        let name = facts.map_or_else(String::new, |it| match by {
                            By::Framework => it.framework.as_str().to_owned(),
                            _ => it.repo,
                        });
                        (0, name)
                    }));
                }
                names
            }
            By::Assertion => {
                let names = self.assertions.iter().map(|it| {
                    match self.assertion_names[*it as usize].as_str() {
                        "" => (1, "(none)".to_owned()),
                        name => (0, name.to_owned()),
                    }
                });
                names.collect()
            }
            By::Length => {
                let classes = self.n_reference_tokens.iter().map(|it| length_class(*it));
                classes.collect()
            }
            // Those that `By::ALL` does not offer are one part.
            By::Parse | By::Tag | By::Split | By::FocalClass => {
                vec![(0, String::new()); self.keys.len()]
            }
        };
        let sorted: BTreeMap<&(u32, String), u32> = names.iter().map(|it| (it, 0)).collect();
        let sorted: BTreeMap<&(u32, String), u32> = sorted.into_keys().zip(0..).collect();
        let groups = Arc::new(Groups {
            numbers: names.iter().map(|it| sorted[it]).collect(),
            names: sorted.keys().map(|it| it.1.clone()).collect(),
        });
        self.groups.insert(by, groups.clone());
        Ok(groups)
    }
}

fn rank(slices: &mut [ComparedSlice]) {
    slices.sort_by(|a, b| b.certain.total_cmp(&a.certain));
}

/// Returns a class of length, with a number to sort it by.
fn length_class(n_tokens: u32) -> (u32, String) {
    let mut first = 1;
    for end in LENGTHS {
        if n_tokens <= end {
            return (end, format!("{first}-{end} tokens"));
        }
        first = end + 1;
    }
    (u32::MAX, format!("{first} tokens or more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_classes() {
        assert_eq!(length_class(0).1, "1-15 tokens");
        assert_eq!(length_class(15).1, "1-15 tokens");
        assert_eq!(length_class(16).1, "16-30 tokens");
        assert_eq!(length_class(121).1, "121 tokens or more");
    }
}
