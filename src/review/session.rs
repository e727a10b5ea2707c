//! The place of an annotator in a queue: the present sample, those behind, and those to come.
//!
//! A value without clock and disk, which every face drives alike. Does not know the verdicts on a sample: the writer of
//! an event tells which sample it moves.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Queue;
use crate::model::SampleKey;

/// A sample that another annotator has before them waits behind this many others: they have judged it by then.
const PASSED_BY: usize = 8;

/// A walk through a [`Queue`]. No sample is in it twice, and none gets lost.
#[derive(Clone, Debug, Default)]
pub struct Session {
    name: String,
    /// The samples that are left, the current one first.
    ahead: VecDeque<SampleKey>,
    /// The samples that were decided since this session began, in this order.
    behind: Vec<SampleKey>,
    /// The number of samples that were decided before.
    n_before: u64,
    /// The moves of samples since the queue was asked for anew; nothing while it is not.
    moved: Option<Vec<(SampleKey, SampleMove)>>,
}

/// The move of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampleMove {
    Decided,
    Skipped,
    Reopened,
}

impl Session {
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            name: queue.name,
            ahead: queue.open.into(),
            behind: Vec::new(),
            n_before: queue.n_mine,
            moved: None,
        }
    }

    /// Notes that the queue is being read anew: it may not know yet what moves from now on.
    pub fn asked(&mut self) {
        self.moved = Some(Vec::new());
    }

    /// Takes the queue after verdicts were added; the current sample stays the current one, even with others' verdicts.
    ///
    /// The session has to know all earlier events of the annotator: those on disk are told first, then this is called.
    /// Samples decided since the queue was [`asked`](Self::asked) for do not come back.
    pub fn refill(&mut self, mut queue: Queue) {
        self.catch_up(&mut queue);
        let current = self.current();
        self.retake(queue);
        if let Some(current) = current
            && self.ahead.front() != Some(&current)
        {
            self.take(current);
            self.ahead.push_front(current);
        }
    }

    /// The same where the current sample has not been shown yet: the queue says which one it is.
    pub fn retake(&mut self, queue: Queue) {
        self.moved = None;
        self.name = queue.name;
        self.n_before = queue.n_mine.saturating_sub(self.behind.len() as u64);
        self.ahead = queue.open.into();
        if !self.behind.is_empty() {
            let mut done: FxHashSet<SampleKey> = self.behind.iter().copied().collect();
            for key in &self.ahead {
                done.remove(key);
            }
            self.behind.retain(|sample_key| done.contains(sample_key));
        }
    }

    /// Takes out of a queue the samples that were decided since it was asked for, and puts skipped ones to its end.
    fn catch_up(&mut self, queue: &mut Queue) {
        let moved = self.moved.take().unwrap_or_default();
        let last: FxHashMap<SampleKey, SampleMove> = moved.iter().copied().collect();
        if last.is_empty() {
            return;
        }
        let mut skipped = Vec::new();
        queue.open.retain(|key| match last.get(key) {
            Some(SampleMove::Decided) => {
                queue.n_mine += 1;
                false
            }
            Some(SampleMove::Skipped) => {
                skipped.push(*key);
                false
            }
            Some(SampleMove::Reopened) | None => true,
        });
        let when = |key: &SampleKey| moved.iter().rposition(|pair| pair.0 == *key);
        skipped.sort_by_key(when);
        queue.open.append(&mut skipped);
    }

    /// Returns the name of the queue.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the sample that is to be judged; nothing when all are.
    #[must_use]
    pub fn current(&self) -> Option<SampleKey> {
        self.ahead.front().copied()
    }

    /// Iterates over the next `n` samples, without the current one: to be read before they are asked for.
    pub fn upcoming(&self, n: usize) -> impl Iterator<Item = SampleKey> {
        self.ahead.iter().skip(1).take(n).copied()
    }

    /// Puts a sample behind: it was decided, or a former verdict on it stays. The next one becomes the current one.
    pub fn decided(&mut self, key: SampleKey) {
        self.take(key);
        self.behind.push(key);
        self.note(key, SampleMove::Decided);
    }

    /// Puts a sample to the end of the remaining ones.
    pub fn skipped(&mut self, key: SampleKey) {
        self.take(key);
        self.ahead.push_back(key);
        self.note(key, SampleMove::Skipped);
    }

    /// Lets samples wait that others have before them: those in front go behind the next few, in their order, and
    /// nothing is lost. Where nothing else is left they stay. Returns how many went.
    pub fn pass_over(&mut self, is_taken: impl Fn(&SampleKey) -> bool) -> usize {
        let n = self.ahead.iter().take_while(|key| is_taken(key)).count();
        if n == self.ahead.len() {
            return 0;
        }
        let passed: Vec<SampleKey> = self.ahead.drain(..n).collect();
        let at = PASSED_BY.min(self.ahead.len());
        for (idx, key) in passed.into_iter().enumerate() {
            self.ahead.insert(at + idx, key);
        }
        n
    }

    /// Makes a sample the current one, and the current one the next: after an undo, or to change a verdict.
    ///
    /// A sample that is neither ahead nor behind counts as one that was decided before this session.
    pub fn reopened(&mut self, key: SampleKey) {
        if !self.take(key) {
            self.n_before = self.n_before.saturating_sub(1);
        }
        self.ahead.push_front(key);
        self.note(key, SampleMove::Reopened);
    }

    fn note(&mut self, key: SampleKey, how: SampleMove) {
        if let Some(moved) = &mut self.moved {
            moved.push((key, how));
        }
    }

    /// Leaves out a sample that the index does not have any more.
    pub fn gone(&mut self, key: SampleKey) {
        self.take(key);
    }

    /// Removes a sample from where it is, and returns whether it was anywhere.
    fn take(&mut self, key: SampleKey) -> bool {
        // Nearly always at one of the ends: a million samples are rarely looked through.
        if self.ahead.front() == Some(&key) {
            self.ahead.pop_front();
        } else if self.ahead.back() == Some(&key) {
            self.ahead.pop_back();
        } else if let Some(at) = self
            .behind
            .iter()
            .rposition(|sample_key| *sample_key == key)
        {
            self.behind.remove(at);
        } else if let Some(at) = self.ahead.iter().position(|sample_key| *sample_key == key) {
            self.ahead.remove(at);
        } else {
            return false;
        }
        true
    }

    /// Returns the sample `steps` ahead of the current one (0), or behind it, decided since the session began: to be
    /// looked at only.
    #[must_use]
    pub fn peek(&self, steps: i64) -> Option<SampleKey> {
        let distance = usize::try_from(steps.unsigned_abs()).ok()?;
        if steps >= 0 {
            return self.ahead.get(distance).copied();
        }
        let at = self.behind.len().checked_sub(distance)?;
        self.behind.get(at).copied()
    }

    /// Counts the samples that are left, the current one among them.
    #[must_use]
    pub fn n_left(&self) -> u64 {
        self.ahead.len() as u64
    }

    /// Counts the samples of the queue that the annotator has decided, also before this session.
    #[must_use]
    pub fn n_done(&self) -> u64 {
        self.n_before + self.behind.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(number: u8) -> SampleKey {
        SampleKey([number; 16])
    }

    fn session(n_samples: u8) -> Session {
        Session::new(queue((0..n_samples).collect::<Vec<_>>().as_slice(), 0))
    }

    fn queue(open: &[u8], n_mine: u64) -> Queue {
        Queue {
            name: "mined".to_owned(),
            open: open.iter().copied().map(key).collect(),
            n_mine,
            ..Queue::default()
        }
    }

    /// The samples ahead and behind, as numbers.
    fn state(session: &Session) -> (Vec<u8>, Vec<u8>) {
        let number = |sample_key: &SampleKey| sample_key.0[0];
        (
            session.ahead.iter().map(number).collect(),
            session.behind.iter().map(number).collect(),
        )
    }

    #[test]
    fn a_decision_leads_to_the_next_sample_and_a_skip_to_the_end() {
        let mut session = session(4);
        session.decided(key(0));
        assert_eq!(session.current(), Some(key(1)));
        session.skipped(key(1));
        assert_eq!(state(&session), (vec![2, 3, 1], vec![0]));
        assert_eq!((session.n_left(), session.n_done()), (3, 1));
        let next: Vec<_> = session.upcoming(9).collect();
        assert_eq!(next, [key(3), key(1)]);
    }

    #[test]
    fn a_jump_back_comes_before_what_it_interrupts() {
        let mut session = session(4);
        for number in 0..3 {
            session.decided(key(number));
        }
        session.reopened(key(1));
        assert_eq!(state(&session), (vec![1, 3], vec![0, 2]));
        session.decided(key(1));
        assert_eq!(state(&session), (vec![3], vec![0, 2, 1]));
    }

    #[test]
    fn neighbours_are_seen_and_not_moved_to() {
        let mut session = session(4);
        session.decided(key(0));
        session.decided(key(1));
        let check = |steps: i64, expected: Option<u8>| {
            assert_eq!(session.peek(steps), expected.map(key), "{steps}");
        };
        check(0, Some(2));
        check(1, Some(3));
        check(2, None);
        check(-1, Some(1));
        check(-2, Some(0));
        check(-3, None);
        check(i64::MIN, None);
        check(i64::MAX, None);
        assert_eq!(session.current(), Some(key(2)));
    }

    #[test]
    fn what_was_decided_before_the_session_can_be_undone_in_it() {
        let mut session = Session::new(queue(&[5, 6], 5));
        assert_eq!((session.n_left(), session.n_done()), (2, 5));
        session.reopened(key(4));
        assert_eq!(state(&session), (vec![4, 5, 6], vec![]));
        assert_eq!((session.n_left(), session.n_done()), (3, 4));
    }

    #[test]
    fn other_peoples_verdicts_shorten_the_queue_around_the_current_sample() {
        let mut session = session(6);
        session.decided(key(0));
        session.decided(key(1));
        session.asked();
        // Somebody else has judged 2 and 4, and undone 1 elsewhere in this annotator's name.
        session.refill(queue(&[1, 3, 5], 1));
        assert_eq!(state(&session), (vec![2, 1, 3, 5], vec![0]));
        assert_eq!(session.n_done(), 1);
        session.decided(key(2));
        session.asked();
        session.refill(queue(&[], 3));
        assert_eq!(state(&session), (vec![1], vec![0, 2]));
        assert_eq!(session.n_done(), 3);
        session.retake(queue(&[5], 3));
        assert_eq!(state(&session), (vec![5], vec![0, 2]));
    }

    #[test]
    fn what_is_gone_counts_neither_as_left_nor_as_done() {
        let mut session = session(2);
        session.gone(key(0));
        assert_eq!(state(&session), (vec![1], vec![]));
        assert_eq!((session.n_left(), session.n_done()), (1, 0));
    }

    #[test]
    fn what_was_decided_while_the_queue_was_read_does_not_come_back() {
        let mut session = session(6);
        session.decided(key(0));
        session.asked();
        session.decided(key(1));
        session.skipped(key(2));
        session.decided(key(3));
        session.reopened(key(3));
        // As it was before all that, and somebody has mined 7.
        session.refill(queue(&[1, 2, 3, 7, 4, 5], 1));
        assert_eq!(state(&session), (vec![3, 7, 4, 5, 2], vec![0, 1]));
        assert_eq!(session.n_done(), 2);
    }

    #[test]
    fn what_others_have_before_them_waits_behind_the_next_few() {
        let mut session = session(12);
        assert_eq!(session.pass_over(|sample_key| sample_key.0[0] < 2), 2);
        let ahead = state(&session).0;
        assert_eq!(ahead, [2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 10, 11]);
        // Only those in front: later ones may be free by then.
        assert_eq!(session.pass_over(|sample_key| sample_key.0[0] == 5), 0);
        session.decided(key(2));
        assert_eq!(session.pass_over(|sample_key| sample_key.0[0] != 11), 10);
        assert_eq!(state(&session).0[0], 11);
        // Nothing but what others have is left: it stays, and nothing is lost.
        assert_eq!(session.pass_over(|_| true), 0);
        assert_eq!(session.n_left(), 11);
        assert_eq!(Session::default().pass_over(|_| true), 0);
    }

    #[test]
    fn an_empty_queue_has_no_current_sample() {
        let mut session = Session::new(Queue::default());
        assert_eq!((session.current(), session.peek(0)), (None, None));
        session.refill(queue(&[3], 0));
        assert_eq!(session.current(), Some(key(3)));
    }

    proptest! {
        #[test]
        fn no_storm_loses_or_doubles_a_sample(storm in prop::collection::vec((0..3_u8, 0..9_u8), 0..200)) {
            let mut session = session(9);
            for (what, number) in storm {
                match what {
                    0 => session.decided(key(number)),
                    1 => session.skipped(key(number)),
                    _ => session.reopened(key(number)),
                }
                let (mut ahead, behind) = state(&session);
                ahead.extend(behind);
                ahead.sort_unstable();
                prop_assert_eq!(ahead, (0..9).collect::<Vec<u8>>());
            }
        }

        #[test]
        fn undoing_all_restores_the_order(decisions in prop::collection::vec(any::<bool>(), 0..50)) {
            let mut session = session(9);
            let begin = state(&session);
            let mut done = Vec::new();
            for is_skip in decisions {
                let Some(current) = session.current() else { break };
                if is_skip {
                    session.skipped(current);
                } else {
                    session.decided(current);
                }
                done.push(current);
            }
            for key in done.into_iter().rev() {
                session.reopened(key);
            }
            prop_assert_eq!(state(&session), begin);
        }
    }
}
