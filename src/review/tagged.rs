//! The tags that people give to predictions: from a choice to an event, and how far people and the machine agree.
//!
//! The machine is held to its present tags, not to those at the time of the ruling: a better machine is measured on the
//! rulings that there are. Tags on a prediction or a reference that has changed since are stale and count nowhere.

use std::collections::BTreeMap;

use crate::metric::agreement::{Coefficient, Ratings};
use crate::model::{EventKind, ResultDetail, RunRow, SampleKey, Tag, TaggedPrediction, Tags};
use crate::store::{RuledPrediction, Store, Verdicts};
use crate::task::Monitor;

use super::{ReviewError, Share, VerdictAuthor};

/// Makes the event of tags on a prediction that an annotator saw; `version` is the version of everything that decides
/// the machine's tags. Nothing where there is no reference to compare with.
#[must_use]
pub fn tagged(
    run: &str,
    detail: &ResultDetail,
    version: u32,
    tags: Tags,
    note: Option<String>,
) -> Option<TaggedPrediction> {
    let reference = detail.reference.as_ref()?;
    Some(TaggedPrediction {
        key: detail.row.key,
        run: run.to_owned(),
        attempt: detail.row.attempt,
        texts: TaggedPrediction::hash_of(&reference.text, &detail.answered.prediction),
        machine: detail.row.tags,
        version,
        tags,
        note,
    })
}

/// Writes an annotator's tags for a prediction; they are on the disk when this returns.
pub fn tag(
    verdicts: &mut Verdicts,
    by: VerdictAuthor<'_>,
    tagged: TaggedPrediction,
) -> Result<(), ReviewError> {
    verdicts.append(by.annotator, by.now_ms, vec![EventKind::Tagged(tagged)])?;
    Ok(())
}

/// Reads people's tags on one prediction, by annotator.
pub fn tags_of(
    store: &Store,
    verdicts: &Verdicts,
    run: &RunRow,
    key: &SampleKey,
    attempt: u32,
) -> Result<Vec<RuledPrediction>, ReviewError> {
    Ok(store.ruled_of(verdicts, run, key, attempt)?)
}

/// The agreement of machine and people on one tag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TagAccord {
    pub tag: Tag,
    pub n_both: u64,
    pub n_machine_only: u64,
    pub n_people_only: u64,
    /// Cohen's, -1..=1; nothing where chance explains all.
    pub kappa: Option<f64>,
    /// The 95 % bootstrap interval over rulings.
    pub interval: Option<(f64, f64)>,
}

impl TagAccord {
    /// Computes the share of the machine's tags that people give, too.
    #[must_use]
    pub const fn precision(&self) -> Share {
        Share {
            k: self.n_both,
            n: self.n_both + self.n_machine_only,
        }
    }

    /// Computes the share of people's tags that the machine gives, too.
    #[must_use]
    pub const fn recall(&self) -> Share {
        Share {
            k: self.n_both,
            n: self.n_both + self.n_people_only,
        }
    }

    /// Computes the harmonic mean of both, `2 both / (2 both + either only)`, 0..=1.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        let share = Share {
            k: 2 * self.n_both,
            n: 2 * self.n_both + self.n_machine_only + self.n_people_only,
        };
        share.value()
    }
}

/// The shares of a run's first answers that check the same as their references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectedShares {
    pub run: String,
    /// As the machine's tags say.
    pub by_machine: Share,
    /// The same, with what people say in its place where they say something.
    pub with_people: Share,
    /// Over answers with people's tags only.
    pub of_ruled: Share,
}

/// The agreement of the machine's tags with people's.
#[derive(Clone, Debug, PartialEq)]
pub struct TagAgreement {
    /// Rulings that count: one for each annotator and prediction.
    pub n: u64,
    pub n_stale: u64,
    /// Both sets are the same.
    pub exact: Share,
    /// Tags that either side gave, in the order of definitions.
    pub by_tag: Vec<TagAccord>,
    pub corrected: Vec<CorrectedShares>,
}

impl TagAgreement {
    /// Computes precision and recall of all tags together: each of the machine's that people gave, too, counts once.
    #[must_use]
    pub fn micro(&self) -> (Share, Share) {
        let add = |all: Share, one: Share| Share {
            k: all.k + one.k,
            n: all.n + one.n,
        };
        self.by_tag
            .iter()
            .fold(Default::default(), |all, tag_accord| {
                (
                    add(all.0, tag_accord.precision()),
                    add(all.1, tag_accord.recall()),
                )
            })
    }
}

/// Measures how far the machine's tags of these runs agree with people's; `n_resamples` bootstrap samples for each
/// interval, which are a function of `seed`.
pub fn tag_agreement(
    store: &Store,
    verdicts: &Verdicts,
    runs: &[RunRow],
    seed: u64,
    n_resamples: u64,
) -> Result<TagAgreement, ReviewError> {
    let monitor = Monitor::default();
    let mut pairs: Vec<(Tags, Tags)> = Vec::new();
    let mut corrected = Vec::new();
    let mut n_stale = 0;
    for run in runs {
        // Where several have said something, it is equal when all say so.
        let mut equal: BTreeMap<u32, bool> = BTreeMap::new();
        for RuledPrediction { ruling, now } in store.ruled(verdicts, run, &monitor)? {
            let Some(now) = now else {
                n_stale += 1;
                continue;
            };
            pairs.push((now.machine, ruling.tagged.tags));
            if ruling.tagged.attempt == 0 {
                *equal.entry(now.ordinal).or_insert(true) &= ruling.tagged.tags.is_equal();
            }
        }
        corrected.extend(correct(store, run, &equal, &monitor)?);
    }
    let mut exact = Share::default();
    for (machine, people) in &pairs {
        exact.add(machine == people);
    }
    let by_tag = Tag::ALL.iter().filter_map(|tag| {
        let accord = accord(*tag, &pairs, seed, n_resamples);
        (accord.recall().n + accord.precision().n > 0).then_some(accord)
    });
    Ok(TagAgreement {
        n: pairs.len() as u64,
        n_stale,
        exact,
        by_tag: by_tag.collect(),
        corrected,
    })
}

fn accord(tag: Tag, pairs: &[(Tags, Tags)], seed: u64, n_resamples: u64) -> TagAccord {
    let mut ratings = Ratings::new(2, 2);
    let mut accord = TagAccord {
        tag,
        n_both: 0,
        n_machine_only: 0,
        n_people_only: 0,
        kappa: None,
        interval: None,
    };
    for (machine, people) in pairs {
        let given = [machine.contains(tag), people.contains(tag)];
        match given {
            [true, true] => accord.n_both += 1,
            [true, false] => accord.n_machine_only += 1,
            [false, true] => accord.n_people_only += 1,
            [false, false] => {}
        }
        ratings.push(&given.map(|given| Some(u32::from(given))));
    }
    if accord.n_both + accord.n_machine_only + accord.n_people_only > 0 {
        let cohen = Coefficient::Cohen as usize;
        accord.kappa = ratings.values()[cohen];
        accord.interval = ratings.intervals(seed, n_resamples, 0.95)[cohen];
    }
    accord
}

/// Counts the first answers of a run that are equal to their references; nothing where nobody has said anything, or the
/// run has no tags.
fn correct(
    store: &Store,
    run: &RunRow,
    equal: &BTreeMap<u32, bool>,
    monitor: &Monitor,
) -> Result<Option<CorrectedShares>, ReviewError> {
    if equal.is_empty() || !store.is_tagged(run.id)? {
        return Ok(None);
    }
    let n_predictions = run.n_predictions as u32;
    let tags = store.result_tags(run.id, n_predictions, monitor)?;
    let attempts = store.result_attempts(run.id, n_predictions, monitor)?;
    let mut corrected = CorrectedShares {
        run: run.setting.name.clone(),
        by_machine: Share::default(),
        with_people: Share::default(),
        of_ruled: Share::default(),
    };
    for ((ordinal, tags), attempt) in (0..).zip(tags).zip(attempts) {
        // What was compared has one tag at least.
        if attempt > 0 || tags.is_empty() {
            continue;
        }
        let ruled = equal.get(&ordinal).copied();
        corrected.by_machine.add(tags.is_equal());
        corrected.with_people.add(ruled.unwrap_or(tags.is_equal()));
        if let Some(is_equal) = ruled {
            corrected.of_ruled.add(is_equal);
        }
    }
    Ok(Some(corrected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tags: &[Tag]) -> Tags {
        tags.iter().copied().collect()
    }

    #[test]
    fn each_tag_is_a_table_of_two_by_two() {
        let literal = set(&[Tag::WrongLiteral]);
        let pairs = [
            (literal, literal),
            (literal, set(&[Tag::WrongVariable])),
            (set(&[Tag::Exact]), set(&[Tag::Exact])),
            (set(&[Tag::Other]), literal),
        ];
        let accord = accord(Tag::WrongLiteral, &pairs, 7, 200);
        assert_eq!(
            (accord.n_both, accord.n_machine_only, accord.n_people_only),
            (1, 1, 1)
        );
        assert_eq!(accord.precision(), Share { k: 1, n: 2 });
        assert_eq!(accord.recall(), Share { k: 1, n: 2 });
        assert_eq!(accord.f1(), Some(0.5));
        // Half of all is agreed on, and half would be by chance.
        assert_eq!(accord.kappa, Some(0.0));
        let (low, high) = accord.interval.expect("some draws have both");
        assert!(low <= 0.0 && 0.0 <= high, "{low} {high}");
    }
}
