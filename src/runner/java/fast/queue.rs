//! The waiting jobs, and those that run again because their worker has failed its canary.

use std::collections::{BTreeSet, VecDeque};

/// The next work for a worker.
#[derive(Debug, PartialEq, Eq)]
pub enum QueuedWork {
    /// A job for any shared worker.
    Shared(usize),
    /// Jobs that run together in a new worker.
    Group(Vec<usize>),
    /// A job that gets a separate worker.
    Alone(usize),
}

/// Jobs by their places in the list of a round.
#[derive(Default)]
pub struct Queue {
    shared: VecDeque<usize>,
    groups: VecDeque<Vec<usize>>,
    alone: VecDeque<usize>,
    /// Jobs that already ran a second time among others.
    again: BTreeSet<usize>,
    /// Jobs that were killed in a worker of their own: by themselves, or by another process of the machine.
    killed: BTreeSet<usize>,
}

impl Queue {
    pub fn new(n_jobs: usize, lonely: &[usize]) -> Self {
        let lonely: BTreeSet<usize> = lonely.iter().copied().collect();
        Self {
            shared: (0..n_jobs).filter(|n| !lonely.contains(n)).collect(),
            alone: lonely.into_iter().collect(),
            ..Self::default()
        }
    }

    pub fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Takes the next work: lonely jobs come last.
    pub fn next(&mut self) -> Option<QueuedWork> {
        let shared = self.shared.pop_front().map(QueuedWork::Shared);
        shared
            .or_else(|| self.groups.pop_front().map(QueuedWork::Group))
            .or_else(|| self.alone.pop_front().map(QueuedWork::Alone))
    }

    /// Takes back work that was not begun.
    pub fn put_back(&mut self, work: QueuedWork) {
        match work {
            QueuedWork::Shared(job) => self.shared.push_front(job),
            QueuedWork::Group(jobs) if jobs.is_empty() => {}
            QueuedWork::Group(jobs) => self.groups.push_front(jobs),
            QueuedWork::Alone(job) => self.alone.push_front(job),
        }
    }

    pub fn alone(&mut self, job: usize) {
        self.alone.push_back(job);
    }

    /// Notes that a job was killed, and tells whether it is the first time.
    pub fn is_first_kill(&mut self, job: usize) -> bool {
        self.killed.insert(job)
    }

    /// Takes back jobs whose worker ended, because of another job, before a canary had confirmed their answers. They
    /// may run among others once more, then alone.
    pub fn lost(&mut self, jobs: Vec<usize>, is_group: bool) {
        if is_group {
            return self.doubted(&jobs);
        }
        let (second, first): (Vec<usize>, Vec<usize>) =
            jobs.into_iter().partition(|job| self.again.contains(job));
        self.again.extend(&first);
        for job in first.into_iter().rev() {
            self.shared.push_front(job);
        }
        self.doubted(&second);
    }

    /// Takes back jobs after a canary has shown that one of them has changed the worker: each half goes to a new
    /// worker, and a job that is left by itself runs alone.
    pub fn doubted(&mut self, jobs: &[usize]) {
        let (first, second) = jobs.split_at(jobs.len() / 2);
        for half in [first, second] {
            match half {
                [] => {}
                [job] => self.alone(*job),
                _ => self.groups.push_back(half.to_vec()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(mut queue: Queue) -> Vec<QueuedWork> {
        std::iter::from_fn(|| queue.next()).collect()
    }

    #[test]
    fn the_lonely_come_last() {
        let queue = Queue::new(3, &[0]);
        let expected = [
            QueuedWork::Shared(1),
            QueuedWork::Shared(2),
            QueuedWork::Alone(0),
        ];
        assert_eq!(rest(queue), expected);
    }

    #[test]
    fn doubted_jobs_are_halved_until_each_is_alone() {
        let mut queue = Queue::default();
        queue.doubted(&[0, 1, 2, 3, 4]);
        let Some(QueuedWork::Group(first)) = queue.next() else {
            panic!("the first half is two");
        };
        queue.doubted(&first);
        let expected = [
            QueuedWork::Group(vec![2, 3, 4]),
            QueuedWork::Alone(0),
            QueuedWork::Alone(1),
        ];
        assert_eq!(rest(queue), expected);
    }

    #[test]
    fn neighbours_of_one_that_ends_its_worker_stay_among_others_once() {
        let mut queue = Queue::new(0, &[]);
        queue.lost(vec![4, 5], false);
        assert_eq!(queue.next(), Some(QueuedWork::Shared(4)));
        assert_eq!(queue.next(), Some(QueuedWork::Shared(5)));
        queue.lost(vec![4, 5], false);
        assert_eq!(rest(queue), [QueuedWork::Alone(4), QueuedWork::Alone(5)]);
    }
}
