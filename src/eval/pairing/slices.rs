//! Where two runs differ most: the selected samples by what they are, each part compared for itself.
//!
//! Many parts are looked at, and some always seem to differ. So p is adjusted ([`adjusted`]). Parts are ranked by their
//! evidence ([`Evidence::surest_first`]): the smallest p first, and where p is equal, by how much the difference is
//! beyond chance. Parts of fewer than [`N_SMALL`] samples can say nothing and come last.
//!
//! ```text
//! |difference| − q · s      s: standard deviation of the difference when names mean nothing (of the permutations)
//!                           q: normal quantile that leaves 0.05 / (number of parts) on both sides (Bonferroni)
//! ```
//! Above 0, chance alone would bring that forth in any of the parts in at most one of twenty such lists. It is in the
//! metric's own unit, large where the difference is large and rests on many samples: three samples that lost everything
//! come after a thousand that lost something. It alone ranks nothing: samples that are all equal have 0 there, more
//! than many samples whose difference is nearly certain.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::metric::paired::{adjusted, normal_quantile};
use crate::model::{Parse, Split};
use crate::store::{Attribute, Store};
use crate::task::Monitor;

use super::{EvalError, Look, PairedComparison, RunPairing, Selection};
use crate::by::{BOTH_PARSE, GONE, GroupBy, NONE, length_class};

/// The place of the group that has no name, behind those that have one.
const LAST: u32 = 1_000;

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
    pub compared: PairedComparison,
    /// Benjamini and Hochberg's, over all slices that were listed with it.
    pub p_adjusted: f64,
    /// The excess of the difference, of either sign, over the largest that chance would make in any slice; at most 0
    /// where it may be chance.
    pub beyond_chance: f64,
}

impl RunPairing {
    /// Splits a selection into the parts that have samples, with their names, in the order in which they are listed.
    /// The other run (from 1) matters for [`GroupBy::Parse`] only.
    pub fn split(
        &mut self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        by: GroupBy,
        other: usize,
    ) -> Result<Vec<(String, Selection)>, EvalError> {
        if by == GroupBy::Parse {
            return Ok(self.split_by_parse(selection, other));
        }
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

    fn split_by_parse(&self, selection: &Selection, other: usize) -> Vec<(String, Selection)> {
        let parse = |run: usize, place: u32| {
            if self.is_parsable(run, place) {
                Parse::Ok
            } else {
                Parse::Fail
            }
        };
        let parts = BOTH_PARSE.iter().map(|(name, both)| {
            let part =
                selection.only(|selection| [parse(0, selection), parse(other, selection)] == *both);
            ((*name).to_owned(), part)
        });
        parts.filter(|part| !part.1.is_empty()).collect()
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
        by: GroupBy,
        look: Look,
        n_resamples: u32,
        seed: u64,
    ) -> Result<Vec<ComparedSlice>, EvalError> {
        let parts = self.split((store, monitor), selection, by, look.other)?;
        let mut slices = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            let compared = self.summary((store, monitor), &part, look, (n_resamples, seed))?;
            slices.push(ComparedSlice {
                name,
                selection: part,
                p_adjusted: compared.p,
                beyond_chance: 0.0,
                compared,
            });
        }
        rank(&mut slices);
        Ok(slices)
    }

    fn groups(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        by: GroupBy,
    ) -> Result<Arc<Groups>, EvalError> {
        if let Some((_, known)) = self.groups.iter().find(|group| group.0 == by) {
            return Ok(known.clone());
        }
        let names = self.names(store, monitor, by)?;
        let sorted: BTreeMap<&(u32, String), u32> = names.iter().map(|name| (name, 0)).collect();
        let sorted: BTreeMap<&(u32, String), u32> = sorted.into_keys().zip(0..).collect();
        let groups = Arc::new(Groups {
            numbers: names.iter().map(|name| sorted[name]).collect(),
            names: sorted.keys().map(|key| key.1.clone()).collect(),
        });
        self.groups.push((by, groups.clone()));
        Ok(groups)
    }

    /// Names each place's group, with a number to sort by.
    fn names(
        &self,
        store: &Store,
        monitor: &Monitor,
        by: GroupBy,
    ) -> Result<Vec<(u32, String)>, EvalError> {
        Ok(match by {
            GroupBy::Repo => self.attributes(store, monitor, Attribute::Repo)?,
            GroupBy::Language => self.attributes(store, monitor, Attribute::Language)?,
            GroupBy::Framework => self.attributes(store, monitor, Attribute::Framework)?,
            GroupBy::Split => self.attributes(store, monitor, Attribute::Split)?,
            GroupBy::FocalClass => self.attributes(store, monitor, Attribute::FocalClass)?,
            GroupBy::Assertion => {
                let names = self.assertions.iter().map(|assertion| {
                    match self.assertion_names[*assertion as usize].as_str() {
                        "" => (LAST, NONE.to_owned()),
                        name => (0, name.to_owned()),
                    }
                });
                names.collect()
            }
            GroupBy::Length => {
                let classes = self
                    .n_reference_tokens
                    .iter()
                    .map(|n_reference_tokens| length_class(*n_reference_tokens));
                classes.collect()
            }
            // The first three are parts of two answers, and of no sample; comparisons are not sliced by the others.
            GroupBy::Parse
            | GroupBy::Tag
            | GroupBy::Ran
            | GroupBy::Task
            | GroupBy::Budget
            | GroupBy::Answer
            | GroupBy::Pass => vec![(0, String::new()); self.keys.len()],
        })
    }

    /// Reads the attribute of each place's sample from the baseline's matcher, with a number to sort by.
    fn attributes(
        &self,
        store: &Store,
        monitor: &Monitor,
        attribute: Attribute,
    ) -> Result<Vec<(u32, String)>, EvalError> {
        let run = &self.runs[0];
        let n_predictions = run.n_predictions as u32;
        let links = store.result_links(run.id, n_predictions, run.setting.matcher, monitor)?;
        let words = store.result_attributes(&links, attribute, monitor)?;
        let name = |ordinal: &u32| match words.of(*ordinal) {
            None => (LAST + 1, GONE.to_owned()),
            Some("") => (LAST, NONE.to_owned()),
            Some(name) => {
                // Splits come in their own order, other names in that of their letters.
                let split = Split::ALL.iter().position(|split| split.as_str() == name);
                let number = split.filter(|_| attribute == Attribute::Split);
                (number.unwrap_or(0) as u32, name.to_owned())
            }
        };
        Ok(self.ordinals[0].iter().map(name).collect())
    }
}

/// At least this many samples are needed for a p below 0.05: of five that all differ in one direction it is 2 / 2⁵.
pub const N_SMALL: u64 = 6;

/// Adjusts the evidence of each slice for the number of slices, and sorts them by it.
pub fn rank(slices: &mut [ComparedSlice]) {
    let compared: Vec<&PairedComparison> = slices.iter().map(|slice| &slice.compared).collect();
    let evidence = evidence(&compared);
    for (slice, evidence) in slices.iter_mut().zip(evidence) {
        slice.p_adjusted = evidence.p_adjusted;
        slice.beyond_chance = evidence.beyond_chance;
    }
    slices.sort_by(|a, b| a.evidence().surest_first(&b.evidence()));
}

impl ComparedSlice {
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence {
            n_samples: self.selection.len() as u64,
            p: self.compared.p,
            p_adjusted: self.p_adjusted,
            beyond_chance: self.beyond_chance,
        }
    }
}

/// The evidence of one comparison, given that there are many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    pub n_samples: u64,
    pub p: f64,
    /// [`adjusted`], at most 1.
    pub p_adjusted: f64,
    /// As the head of this module says.
    pub beyond_chance: f64,
}

impl Evidence {
    /// Orders the strongest evidence first: the smallest p, then the difference that is most beyond chance. What rests
    /// on too few samples comes last.
    #[must_use]
    pub fn surest_first(&self, other: &Self) -> Ordering {
        let is_small = |other: &Self| other.n_samples < N_SMALL;
        let by_p = self.p.total_cmp(&other.p);
        is_small(self)
            .cmp(&is_small(other))
            .then(by_p)
            .then(other.beyond_chance.total_cmp(&self.beyond_chance))
    }
}

/// Weighs the evidence of each of these comparisons, which are all that were looked at.
#[must_use]
pub fn evidence<Of>(compared: &[&PairedComparison<Of>]) -> Vec<Evidence> {
    let ps: Vec<f64> = compared
        .iter()
        .map(|paired_comparison| paired_comparison.p)
        .collect();
    let quantile = normal_quantile(0.05 / compared.len().max(1) as f64);
    let beyond = |paired_comparison: &PairedComparison<Of>| {
        paired_comparison.difference.abs() - quantile * paired_comparison.chance
    };
    let pairs = compared.iter().zip(adjusted(&ps));
    pairs
        .map(|(paired_comparison, p_adjusted)| Evidence {
            n_samples: paired_comparison.tally.n_better
                + paired_comparison.tally.n_same
                + paired_comparison.tally.n_worse,
            p: paired_comparison.p,
            p_adjusted,
            beyond_chance: beyond(paired_comparison),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_comes_before_a_handful_of_equal_samples() {
        let evidence = |n_samples, p, beyond_chance| Evidence {
            n_samples,
            p,
            p_adjusted: p,
            beyond_chance,
        };
        let equal = evidence(3, 1.0, 0.0);
        let handful = evidence(5, 0.0625, 0.1);
        let certain = evidence(304, 0.0089, -0.002);
        let unclear = evidence(40, 0.4, -0.001);
        let larger = evidence(200, 0.0089, 0.01);
        let mut all = vec![equal, handful, unclear, certain, larger];
        all.sort_by(Evidence::surest_first);
        assert_eq!(all, [larger, certain, unclear, handful, equal]);
    }
}
