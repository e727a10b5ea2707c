//! The progress of shaking tests: finished rounds are kept, so that a later command does not run them again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::model::ContentHash;
use crate::runner::Candidate;
use crate::runner::shakes::TestFate;
use crate::store::{ShakenSoFar, Store, StoreError};
use crate::task::Monitor;

use super::{DueShake, differs};

/// The time that results wait before they are written.
const WAIT: Duration = Duration::from_secs(60);

/// Where tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessSharing {
    /// In processes that they share.
    Among,
    /// In processes of their own.
    Apart,
}

/// The fate of a test in each round; `None` where the round did not finish.
pub type Fates = Vec<Option<TestFate>>;

/// The fates of the tests of a part so far.
pub struct SoFar<'s> {
    of: (i64, &'s str),
    tests: BTreeMap<u64, TestSoFar>,
    /// Tests with results that are not written yet.
    new: BTreeSet<u64>,
    saved_at: Instant,
}

struct TestSoFar {
    ordinal: u32,
    stamp: ContentHash,
    among: Fates,
    apart: Fates,
}

impl TestSoFar {
    const fn fates(&self, place: ProcessSharing) -> &Fates {
        match place {
            ProcessSharing::Among => &self.among,
            ProcessSharing::Apart => &self.apart,
        }
    }

    const fn fates_mut(&mut self, place: ProcessSharing) -> &mut Fates {
        match place {
            ProcessSharing::Among => &mut self.among,
            ProcessSharing::Apart => &mut self.apart,
        }
    }
}

impl<'s> SoFar<'s> {
    /// Reads the stored results of tests; `n_rounds` is the number of rounds among others and apart. Results with
    /// another stamp are ignored, and with `is_forced` all are.
    pub fn read(
        store: &Store,
        of: (i64, &'s str),
        (part, n_rounds): (&[DueShake], [usize; 2]),
        is_forced: bool,
    ) -> Result<Self, StoreError> {
        let mut tests = BTreeMap::new();
        for due in part {
            let kept = if is_forced {
                None
            } else {
                store.shaken_so_far(of, due.ordinal)?
            };
            let kept = kept.filter(|so_far| so_far.stamp == due.stamp);
            let fates = |codes: fn(&ShakenSoFar) -> &[u8], n| {
                let codes = kept.as_ref().map_or(&[][..], codes);
                let known = codes.iter().map(|code| decoded(*code));
                known.chain(std::iter::repeat(None)).take(n).collect()
            };
            let test = TestSoFar {
                ordinal: due.ordinal,
                stamp: due.stamp,
                among: fates(|so_far| &so_far.among, n_rounds[0]),
                apart: fates(|so_far| &so_far.apart, n_rounds[1]),
            };
            tests.insert(due.candidate.id, test);
        }
        Ok(Self {
            of,
            tests,
            new: BTreeSet::new(),
            saved_at: Instant::now(),
        })
    }

    /// Looks up the fate of a test in each round.
    pub fn fates(&self, id: u64, place: ProcessSharing) -> &[Option<TestFate>] {
        self.tests.get(&id).map_or(&[], |test| test.fates(place))
    }

    /// Tells whether the fate of a test differs between rounds among others.
    pub fn is_suspect(&self, id: u64) -> bool {
        differs(self.fates(id, ProcessSharing::Among))
    }

    /// Tells whether any result was known before.
    pub fn has_begun(&self) -> bool {
        let mut fates =
            (self.tests.values()).flat_map(|so_far| so_far.among.iter().chain(&so_far.apart));
        fates.any(Option::is_some)
    }

    /// Lists the rounds that are left, each with the tests that it lacks; consecutive rounds that lack the same tests
    /// are one range.
    pub fn left<'c>(
        &self,
        candidates: &[&'c Candidate],
        (place, n_rounds): (ProcessSharing, usize),
    ) -> Vec<(Range<usize>, Vec<&'c Candidate>)> {
        let mut left: Vec<(Range<usize>, Vec<&Candidate>)> = Vec::new();
        for round in 0..n_rounds {
            let lacks =
                |candidate: &&&Candidate| self.fates(candidate.id, place).get(round) == Some(&None);
            let lacking: Vec<&Candidate> = candidates.iter().filter(lacks).copied().collect();
            if lacking.is_empty() {
                continue;
            }
            match left.last_mut() {
                Some((rounds, of)) if rounds.end == round && same(of, &lacking) => {
                    rounds.end += 1;
                }
                _ => left.push((round..round + 1, lacking)),
            }
        }
        left
    }

    /// Takes the fate of a test in a round. Returns whether that makes it a new suspect.
    pub fn take(
        &mut self,
        id: u64,
        (place, round): (ProcessSharing, usize),
        fate: TestFate,
    ) -> bool {
        let was_suspect = self.is_suspect(id);
        let test = self.tests.get_mut(&id);
        if let Some(of_round) = test.and_then(|so_far| so_far.fates_mut(place).get_mut(round)) {
            *of_round = Some(fate);
            self.new.insert(id);
        }
        !was_suspect && self.is_suspect(id)
    }

    /// Writes the results when the last write is long enough ago.
    pub fn keep_now_and_then(&mut self, store: &mut Store) -> Result<(), StoreError> {
        if self.saved_at.elapsed() < WAIT {
            return Ok(());
        }
        self.keep(store)
    }

    /// Writes the new results.
    pub fn keep(&mut self, store: &mut Store) -> Result<(), StoreError> {
        let new = std::mem::take(&mut self.new);
        let rows = new
            .iter()
            .filter_map(|id| self.tests.get(id))
            .map(|so_far| {
                let codes = |fates: &Fates| fates.iter().copied().map(encoded).collect();
                ShakenSoFar {
                    ordinal: so_far.ordinal,
                    stamp: so_far.stamp,
                    among: codes(&so_far.among),
                    apart: codes(&so_far.apart),
                }
            });
        let rows: Vec<ShakenSoFar> = rows.collect();
        // Results are written even after a cancel.
        store.write_shaken_so_far(self.of, &rows, &Monitor::default())?;
        self.saved_at = Instant::now();
        Ok(())
    }
}

fn same(a: &[&Candidate], b: &[&Candidate]) -> bool {
    a.iter()
        .map(|candidate| candidate.id)
        .eq(b.iter().map(|candidate| candidate.id))
}

/// Encodes a fate as the index's byte.
const fn encoded(fate: Option<TestFate>) -> u8 {
    match fate {
        None => 0,
        Some(TestFate::Passed) => 1,
        Some(TestFate::Failed) => 2,
        Some(TestFate::Skipped) => 3,
    }
}

fn decoded(code: u8) -> Option<TestFate> {
    let fates = [TestFate::Passed, TestFate::Failed, TestFate::Skipped];
    fates.into_iter().find(|fate| encoded(Some(*fate)) == code)
}
