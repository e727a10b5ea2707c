//! How often each tag occurs in the answers of two runs.
//!
//! A tag is what came out, so samples are not sliced by it: among those with a tag in either run both are bad by
//! choice. Instead, each tag is compared as a metric is: 1 where a sample's answer has it, 0 where not, and the mean is
//! the share of samples with the tag. Many tags are looked at, so p is adjusted and tags are ranked as slices are
//! ([`super::slices`]).

use std::sync::Arc;

use crate::metric::paired::{PairedScores, Tally};
use crate::model::{Tag, Tags};
use crate::store::Store;
use crate::task::{Cancelled, Monitor};

use super::slices::evidence;
use super::{EvalError, PairedComparison, RefiningComparison, RunPairing, Selection};

/// A tag in the answers of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedTag {
    pub tag: Tag,
    /// Selected samples with the tag: in the baseline's answers, and in the other run's.
    pub n_first: u64,
    pub n_second: u64,
    /// Of shares of samples; its tally has the samples that only the other run tagged as better, those that only the
    /// baseline tagged as worse.
    pub compared: PairedComparison<Tag>,
    /// Adjusted as in a slice.
    pub p_adjusted: f64,
    pub beyond_chance: f64,
}

impl RunPairing {
    /// Opens the comparisons of the tags that some selected answer has, to be refined in steps. Each is made when it is
    /// asked for, as it holds two numbers for every sample.
    ///
    /// # Errors
    /// What the index says, and a run whose answers have no tags yet.
    pub fn tag_refinings(
        &mut self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        other: usize,
        seed: u64,
    ) -> Result<impl Iterator<Item = RefiningComparison<Tag>> + use<>, EvalError> {
        let first = self.tags_of(store, monitor, 0)?;
        let second = self.tags_of(store, monitor, other)?;
        Ok(refinings([first, second], selection.places.clone(), seed))
    }

    /// Compares the tags that some selected answer has, and returns those first in which the runs differ most for
    /// certain.
    ///
    /// # Errors
    /// As [`RunPairing::tag_refinings`].
    pub fn tags(
        &mut self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        other: usize,
        (n_resamples, seed): (u32, u64),
    ) -> Result<Vec<ComparedTag>, EvalError> {
        let refinings = self.tag_refinings((store, monitor), selection, other, seed)?;
        let compared = refinings.map(|refining| refining.finish(monitor, n_resamples));
        let compared = compared.collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(rank_tags(compared, selection.len()))
    }

    /// Reads the tags of a run's answers, by place.
    fn tags_of(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        run: usize,
    ) -> Result<Arc<Vec<Tags>>, EvalError> {
        if let Some(tags) = &self.tags[run] {
            return Ok(tags.clone());
        }
        let row = &self.runs[run];
        if !store.is_tagged(row.id)? {
            return Err(EvalError::NotTagged {
                run: row.setting.name.clone(),
            });
        }
        let by_number = store.result_tags(row.id, row.n_predictions as u32, monitor)?;
        let tag = |ordinal: &u32| by_number.get(*ordinal as usize).copied();
        let tags = self.ordinals[run]
            .iter()
            .map(|ordinal| tag(ordinal).unwrap_or_default());
        let tags = Arc::new(tags.collect());
        self.tags[run] = Some(Arc::clone(&tags));
        Ok(tags)
    }
}

/// Opens the comparisons of the tags that some answer at these places has.
fn refinings(
    answers: [Arc<Vec<Tags>>; 2],
    places: Arc<[u32]>,
    seed: u64,
) -> impl Iterator<Item = RefiningComparison<Tag>> {
    Tag::ALL.iter().filter_map(move |tag| {
        let pairs = places.iter().map(|place| {
            let has_tag = |run: usize| answers[run][*place as usize].contains(*tag);
            [0, 1].map(|run| f64::from(u8::from(has_tag(run))))
        });
        let pairs: Vec<[f64; 2]> = pairs.collect();
        let is_there = pairs.iter().any(|pair| *pair != [0.0, 0.0]);
        let tally = Tally::of(pairs.iter().map(|[first, second]| second - first));
        is_there.then(|| RefiningComparison::new(*tag, PairedScores::of_values(pairs), tally, seed))
    })
}

/// Adjusts the evidence of each tag for the number of tags, and sorts them by it; equal tags stay in their order.
#[must_use]
pub fn rank_tags(compared: Vec<PairedComparison<Tag>>, n_samples: usize) -> Vec<ComparedTag> {
    let evidence = evidence(&compared.iter().collect::<Vec<_>>());
    // A share is a mean of ones: its product with the number of samples is a whole number but for rounding.
    #[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
    let count = |share: f64| (share * n_samples as f64).round() as u64;
    let mut tags: Vec<_> = compared.into_iter().zip(evidence).collect();
    tags.sort_by(|(_, a), (_, b)| a.surest_first(b));
    let tags = tags.into_iter().map(|(compared, evidence)| ComparedTag {
        tag: compared.of,
        n_first: count(compared.first),
        n_second: count(compared.second),
        p_adjusted: evidence.p_adjusted,
        beyond_chance: evidence.beyond_chance,
        compared,
    });
    tags.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 10;

    /// A has the first two exactly and breaks off in three, one of them unparsable as well; B has the first and the
    /// last six exactly.
    fn answers() -> [Vec<Tags>; 2] {
        let first = |place: usize| -> &[Tag] {
            match place {
                0 | 1 => &[Tag::Exact],
                2 => &[Tag::Truncated, Tag::Unparsable],
                3 | 4 => &[Tag::Truncated],
                _ => &[Tag::Other],
            }
        };
        let second = |place: usize| -> &[Tag] {
            match place {
                0 | 4.. => &[Tag::Exact],
                _ => &[Tag::Other],
            }
        };
        let tags = |of: &[Tag]| of.iter().copied().collect();
        [
            (0..N).map(|n| tags(first(n))).collect(),
            (0..N).map(|n| tags(second(n))).collect(),
        ]
    }

    fn compared(places: &[u32]) -> Vec<ComparedTag> {
        let refinings = refinings(answers().map(Arc::new), places.into(), 0);
        let drawn = refinings.map(|refining| {
            refining
                .finish(&Monitor::default(), 500)
                .expect("nobody cancels")
        });
        rank_tags(drawn.collect(), places.len())
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn a_tag_is_compared_as_a_metric_of_ones_and_noughts() {
        let places: Vec<u32> = (0..N as u32).collect();
        let tags = compared(&places);
        assert_eq!(tags.len(), 4);
        // Ten pairs are few enough for every assignment of names: where d samples have the tag on one side only, and k
        // of them on the rarer one, p is 2 · (C(d, 0) + … + C(d, k)) / 2^d, at most 1.
        let check = |tag, counts: [u64; 2], alone: [u64; 2], p: f64, p_adjusted: f64| {
            let found = tags.iter().find(|compared_tag| compared_tag.tag == tag);
            let compared_tag = found.expect("it is compared");
            assert_eq!(
                [compared_tag.n_first, compared_tag.n_second],
                counts,
                "{tag:?}"
            );
            let tally = compared_tag.compared.tally;
            assert_eq!([tally.n_worse, tally.n_better], alone, "{tag:?}");
            let difference = (counts[1] as f64 - counts[0] as f64) / N as f64;
            near(compared_tag.compared.difference, difference);
            near(compared_tag.compared.p, p);
            near(compared_tag.p_adjusted, p_adjusted);
            let (low, high) = compared_tag.compared.interval;
            assert!(low <= difference && difference <= high);
            // Of the d signs that chance gives, each has the variance 1.
            let n_alone = (alone[0] + alone[1]) as f64;
            near(compared_tag.compared.chance, n_alone.sqrt() / N as f64);
        };
        // 2 · (1 + 7) / 2^7; the smallest of four.
        check(Tag::Exact, [2, 7], [1, 6], 0.125, 0.5);
        // 2 · 1 / 2^3; the second of four.
        check(Tag::Truncated, [3, 0], [3, 0], 0.25, 0.5);
        // 2 · (1 + 8 + 28 + 56) / 2^8; the third of four.
        check(Tag::Other, [5, 3], [5, 3], 186.0 / 256.0, 248.0 / 256.0);
        check(Tag::Unparsable, [1, 0], [1, 0], 1.0, 1.0);
    }

    #[test]
    fn the_surest_difference_comes_first_whatever_its_sign() {
        // With 4 tags the normal quantile that leaves 0.05 / 4 on both sides is 2.4977: of Exact 0.5 − q · √7 / 10 is
        // left, of Truncated 0.3 − q · √3 / 10, of Unparsable 0.1 − q / 10, of Other 0.2 − q · √8 / 10.
        let places: Vec<u32> = (0..N as u32).collect();
        let tags = compared(&places);
        let order: Vec<Tag> = tags.iter().map(|tag| tag.tag).collect();
        let expected = [Tag::Exact, Tag::Truncated, Tag::Other, Tag::Unparsable];
        assert_eq!(order, expected);
        let beyond = [-0.1608, -0.1326, -0.5065, -0.1498];
        for (tag, beyond) in tags.iter().zip(beyond) {
            assert!((tag.beyond_chance - beyond).abs() < 1e-4, "{tag:?}");
        }
    }

    #[test]
    fn only_the_places_that_are_asked_for_count() {
        let tags = compared(&[2]);
        let counts = tags.iter().map(|tag| (tag.tag, tag.n_first, tag.n_second));
        let mut counts: Vec<_> = counts.collect();
        counts.sort_unstable();
        let truncated = (Tag::Truncated, 1, 0);
        let unparsable = (Tag::Unparsable, 1, 0);
        assert_eq!(counts, [truncated, unparsable, (Tag::Other, 0, 1)]);
        assert_eq!(compared(&[]), []);
    }
}
