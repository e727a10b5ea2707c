//! The amount of work that runs before its results are stored.
//!
//! A command that is stopped loses the part that runs, so a part takes about a minute. How long work takes is known
//! only roughly before it runs: by how long each test took on its own. The first part is small, and each part after it
//! is as large as the earlier ones suggest.

use std::collections::VecDeque;
use std::time::Duration;

/// The time of a part, without the cost of its start: longer parts lose more when they are stopped, shorter ones start
/// more often.
const TIME: Duration = Duration::from_secs(60);
/// The first part has one in this many of that time: nothing is there yet to estimate by.
const FIRST: u32 = 8;
/// The next part is at most this many times larger or smaller, so that one odd part does not decide.
const STEP: u32 = 4;
/// The most time that the start of a part is assumed to take: even the shortest part may have had one slow test.
const START_MAX: Duration = Duration::from_secs(30);
/// The time that a run of a test takes besides the test itself.
const RUN: Duration = Duration::from_millis(20);

/// The amount of work of the next part.
pub struct Pace {
    /// The estimated cost of the work that fits into the next part; see [`cost`].
    room: Duration,
    /// The duration of the shortest part. Starting a part costs seconds, with any content: processes start, and for
    /// some changes new ones for each.
    shortest: Duration,
}

impl Pace {
    /// Begins with a small part for each job.
    pub fn new(n_jobs: usize) -> Self {
        let n_jobs = u32::try_from(n_jobs.max(1)).unwrap_or(u32::MAX);
        Self {
            room: (TIME / FIRST).saturating_mul(n_jobs),
            shortest: Duration::MAX,
        }
    }

    /// Tells whether work of this cost fits into a part.
    pub fn has_room(&self, cost: Duration) -> bool {
        cost <= self.room
    }

    /// Takes the pieces of work of the next part from the front: the first one, however large it is, and those that
    /// there is room for. Returns them with their cost; nothing where no work is left.
    pub fn next_part<T>(
        &self,
        left: &mut VecDeque<T>,
        cost: impl Fn(&T) -> Duration,
    ) -> Option<(Vec<T>, Duration)> {
        let first = left.pop_front()?;
        let mut sum = cost(&first);
        let mut part = vec![first];
        while let Some(next) = left.front() {
            let with_next = sum.saturating_add(cost(next));
            if !self.has_room(with_next) {
                break;
            }
            sum = with_next;
            part.extend(left.pop_front());
        }
        Some((part, sum))
    }

    /// Learns from the time of a part how large the next one should be; a part without cost teaches nothing.
    pub fn took(&mut self, cost: Duration, took: Duration) {
        if cost.is_zero() {
            return;
        }
        self.shortest = self.shortest.min(took);
        let work = took.saturating_sub(self.shortest.min(START_MAX));
        let room = cost.as_secs_f64() * TIME.as_secs_f64() / work.as_secs_f64();
        let (least, most) = (self.room / STEP, self.room.max(cost.saturating_mul(STEP)));
        // A part that took no longer than the shortest one gives no estimate, so the next one is as large as allowed.
        let room = Duration::try_from_secs_f64(room).unwrap_or(most);
        self.room = room.clamp(least, most);
    }
}

/// Estimates the cost of running a test `n_runs` times from its time once.
pub fn cost(elapsed: Duration, n_runs: usize) -> Duration {
    let n_runs = u32::try_from(n_runs).unwrap_or(u32::MAX);
    elapsed.saturating_add(RUN).saturating_mul(n_runs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs pieces of work with these costs in seconds that take `times` as long, on top of `start` for each part, and
    /// returns the times of the parts.
    fn took(costs: &[u64], times: f64, start: u64) -> Vec<u64> {
        let mut left: VecDeque<Duration> = costs.iter().copied().map(Duration::from_secs).collect();
        let mut pace = Pace::new(1);
        let mut all = Vec::new();
        while let Some((_, cost)) = pace.next_part(&mut left, |duration| *duration) {
            let took = cost.mul_f64(times) + Duration::from_secs(start);
            pace.took(cost, took);
            all.push(took.as_secs());
        }
        all
    }

    #[test]
    fn parts_come_to_a_minute_however_long_work_takes() {
        let seconds = [1; 400];
        assert_eq!(took(&seconds, 1.0, 0)[..5], [7, 28, 80, 65, 67]);
        assert_eq!(took(&seconds, 0.1, 0)[..4], [0, 2, 11, 25]);
        assert_eq!(took(&seconds, 10.0, 0)[..5], [70, 100, 80, 90, 90]);
    }

    #[test]
    fn starting_a_part_is_no_reason_for_a_smaller_one() {
        assert_eq!(took(&[1; 400], 1.0, 25)[..5], [32, 53, 98, 89, 90]);
    }

    #[test]
    fn a_piece_that_takes_long_is_a_part_of_its_own() {
        assert_eq!(took(&[2, 600, 2, 2], 1.0, 0), [2, 600, 4]);
    }

    proptest! {
        #[test]
        fn each_piece_is_in_one_part_and_all_keep_their_order(
            costs in proptest::collection::vec(0u64..300, 0..60),
            times in proptest::collection::vec(0u64..900, 60),
        ) {
            let mut left: VecDeque<(usize, u64)> = costs.iter().copied().enumerate().collect();
            let mut pace = Pace::new(2);
            let mut all = Vec::new();
            for time in times {
                let part = pace.next_part(&mut left, |it| Duration::from_secs(it.1));
                let Some((part, cost)) = part else { break };
                prop_assert!(part.len() == 1 || pace.has_room(cost));
                all.extend(part.iter().map(|it| it.0));
                pace.took(cost, Duration::from_secs(time));
            }
            prop_assert!(left.is_empty());
            prop_assert_eq!(all, (0..costs.len()).collect::<Vec<_>>());
        }
    }
}
