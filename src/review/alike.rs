//! Near duplicates of a sample that was judged: six tests of `app.use()` need one reading, not six.
//!
//! Decides which samples one verdict can be given to at once, and how they are recognised. They are tests of the same
//! repository, of the same focal method or class, whose text is near; two texts are near as `leakage` has it: by
//! Jaccard's coefficient of the runs of three tokens. A verdict is not given where it would mean something else: the
//! accepted or picked method must be the same. Nobody has looked at these samples one by one, so the verdicts are
//! provisional, and nothing bounds how many of them are wrong.

use rustc_hash::FxHashSet;

use crate::diff::{DiffRow, lines};
use crate::metric::cut::Cutter;
use crate::metric::minhash::Shingles;
use crate::model::{
    Batch, ErrorBound, Event, Filter, JudgedSample, Judgement, Name, OfSample, SampleKey, Snapshot,
    Term, Verdict,
};
use crate::store::{Store, StoredMethod, StoredSample, Verdicts};

use super::{QueueOptions, ReviewError, VerdictAuthor, left_out, snapshot_of};

/// From which similarity on a test is one of the group: a short one that differs in a literal is above it. It is lower
/// than what counts as a leak, for the annotator looks at the differences.
pub const ALIKE_MIN: f64 = 0.5;

/// A group is shown before it is judged: nobody looks through more.
const N_MAX: usize = 200;

/// The most tests of one class or focal method that are compared.
const N_COMPARED_MAX: usize = 2_000;

/// Runs of this many tokens are compared, as near duplicates are found.
const SHINGLE_TOKENS: usize = 3;

/// The name of a batch begins with it, and goes on with the sample that was judged.
const BATCH: &str = "alike ";

/// The tests that a verdict can be given to at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// The verdict, and the judged sample.
    pub judged: JudgedSample,
    pub snapshot: Snapshot,
    /// The nearest first.
    pub members: Vec<AlikeTest>,
    /// Tests that are as near, but about which the verdict would say something else.
    pub n_others: usize,
    /// Open tests of the same focal method or class that are less than [`ALIKE_MIN`] the same.
    pub n_unlike: usize,
}

/// A test that is like the one that was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikeTest {
    /// The verdict that would be written.
    pub judged: JudgedSample,
    /// `CounterTest.testInc`.
    pub test: String,
    /// The similarity of the test's text, 0..=1.
    pub similarity: f64,
    /// Its text, under the name of the test that was judged.
    pub text: String,
    /// The differences between the judged test's text and its own.
    pub rows: Vec<DiffRow>,
}

/// Finds the open samples of a queue that are like the judged one; nothing when the index does not have that one any
/// more.
pub fn alike(
    store: &Store,
    verdicts: &Verdicts,
    options: &QueueOptions,
    judged: &JudgedSample,
) -> Result<Option<Alike>, ReviewError> {
    let Some(sample) = store.sample(&judged.key, None)? else {
        return Ok(None);
    };
    let mut cutter = Cutter::new(sample.repo.language);
    let own = shingles(&mut cutter, &sample);
    let snapshot = snapshot_of(&sample);
    let mut alike = Alike {
        judged: judged.clone(),
        members: Vec::new(),
        n_others: 0,
        n_unlike: 0,
        snapshot,
    };
    for key in neighbours(store, &options.filter, &sample)? {
        let Some(other) = store.sample(&key, None)? else {
            continue;
        };
        let similarity = own.jaccard(&shingles(&mut cutter, &other));
        if is_judged(verdicts, options, &key)? {
            continue;
        }
        if similarity < ALIKE_MIN {
            alike.n_unlike += 1;
            continue;
        }
        if !fits(judged, &other) {
            alike.n_others += 1;
            continue;
        }
        // The name is told beside it, and would be a difference everywhere.
        let text = snapshot_of(&other).test.text;
        let text = text.replacen(&other.test.name, &sample.test.name, 1);
        alike.members.push(AlikeTest {
            judged: JudgedSample {
                key,
                content_hash: other.content_hash,
                focal: other.focal.as_ref().map(StoredMethod::key),
                dwell_ms: None,
                note: None,
                queue: Some(options.name()),
                bulk: None,
                ..judged.clone()
            },
            test: format!("{}.{}", other.row.test_class, other.row.test_name),
            similarity,
            rows: lines(&alike.snapshot.test.text, &text),
            text,
        });
    }
    // Stable: equals stay in the order of the index.
    alike
        .members
        .sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    alike.members.truncate(N_MAX);
    Ok(Some(alike))
}

/// Gives a verdict to the samples that are like the one that was judged; one event takes all of them back.
pub fn give_alike(
    verdicts: &mut Verdicts,
    of: &SampleKey,
    judgements: Vec<JudgedSample>,
    by: VerdictAuthor<'_>,
) -> Result<Event, ReviewError> {
    let batch = Batch {
        audit: format!("{BATCH}{of}"),
        n_accepted: 0,
        // One sample was looked at, and the others are no random draw: nothing follows from it.
        bound: ErrorBound {
            n: 1,
            n_errors: 0,
            error_max_ppm: ErrorBound::ppm_up(1.0),
            confidence_ppm: ErrorBound::ppm(1.0).unwrap_or_default(),
        },
    };
    Ok(verdicts.append_batch(by.annotator, by.now_ms, batch, judgements)?)
}

/// Returns whether a batch gave one verdict to similar samples, and accepted no rest of an audit.
#[must_use]
pub fn is_of_alike(batch: &Batch) -> bool {
    batch.audit.starts_with(BATCH)
}

/// Lists the tests of the sample's focal method and of its class that the filter lets through, without itself.
fn neighbours(
    store: &Store,
    filter: &Filter,
    sample: &StoredSample,
) -> Result<Vec<SampleKey>, ReviewError> {
    let whole = |name: &str| Name::Whole(name.to_owned());
    let row = &sample.row;
    let mut sought = vec![OfSample::Class(whole(&row.test_class))];
    let focal = row.focal.as_deref();
    sought.extend(focal.map(|focal| OfSample::Focal(whole(focal))));
    let mut keys = Vec::new();
    for term in sought {
        let mut filter = filter.clone();
        filter.sort.clear();
        let terms: &mut Vec<Term> = &mut filter.terms;
        terms.extend([
            OfSample::Repo(whole(&sample.repo.identity)).into(),
            term.into(),
        ]);
        keys.extend(store.keys(&filter)?.into_iter().take(N_COMPARED_MAX));
    }
    let mut seen = FxHashSet::default();
    seen.insert(row.key);
    keys.retain(|key| seen.insert(*key));
    Ok(keys)
}

/// Collects the runs of tokens of a test, with its name left blank: no two tests of a class have one name.
fn shingles(cutter: &mut Cutter, sample: &StoredSample) -> Shingles {
    let tokens = cutter.tokens(sample.test.source());
    let name = sample.test.name.as_str();
    let nameless = tokens
        .iter()
        .map(|token| if token == name { "" } else { token });
    Shingles::of(SHINGLE_TOKENS, nameless)
}

/// Tells whether the annotator has judged a sample, or enough others have.
fn is_judged(
    verdicts: &Verdicts,
    options: &QueueOptions,
    key: &SampleKey,
) -> Result<bool, ReviewError> {
    let of_sample = verdicts.of_sample(key)?;
    let is_mine = of_sample
        .iter()
        .any(|verdict| verdict.annotator == options.annotator);
    let is_given = || -> Result<bool, ReviewError> {
        let provisional = verdicts.provisional_of_sample(key)?;
        let mut mine = provisional
            .iter()
            .filter(|verdict| verdict.annotator == options.annotator);
        Ok(mine.any(is_given))
    };
    Ok(is_mine || left_out(verdicts, options, key)?.is_some() || is_given()?)
}

/// Returns whether a provisional verdict was given to similar samples: unlike those that an audit accepts, it has a
/// queue.
#[must_use]
pub(super) fn is_given(verdict: &Verdict) -> bool {
    verdict.judged.bulk.is_some() && verdict.judged.queue.is_some()
}

/// Tells whether a verdict means the same for another sample.
fn fits(judged: &JudgedSample, other: &StoredSample) -> bool {
    match &judged.judgement {
        Judgement::Accept => {
            let focal = other.focal.as_ref().map(StoredMethod::key);
            focal.is_some() && focal == judged.focal
        }
        Judgement::Pick(method) => {
            let mut candidates = other.candidates.iter();
            candidates.any(|candidate| candidate.method.key() == *method)
        }
        Judgement::NoneOfThese | Judgement::NoFocal | Judgement::Unsure => true,
        Judgement::Skip => false,
    }
}

#[cfg(test)]
mod tests;
