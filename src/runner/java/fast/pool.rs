//! Workers of one module: who is free gets the next candidate, who is silent is parked while another one goes on, and who
//! is spent is ended.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use crossbeam_channel::Select;

use crate::model::{RunStage, Why};
use crate::sandbox::{End, Limit, Plan};
use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::Options;
use super::talk::{Answer, Done, Heard, Job, Project, Request, Worker, wrong};
use crate::java::text::{Cleaner, used};

/// How long a candidate may be silent before a spare goes on.
const TO_PARK: Duration = Duration::from_secs(1);
/// How many wait aside at a time.
const N_PARKED_MAX: usize = 4;
/// How long a JVM may take to be there.
const TO_START: Duration = Duration::from_secs(60);
/// What nobody can catch.
const SIGKILL: u8 = 9;
/// How often somebody who waits looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// Starts that fail one after the other before it is given up.
const FAILED_STARTS_MAX: u32 = 3;

/// How a candidate's run ended.
pub enum Ended {
    Done(Box<Done>),
    Timeout,
    Crash(Why),
}

pub struct Pool<'s> {
    pub site: &'s Site,
    pub plan: Plan,
    pub project: Project,
    pub options: Options,
    pub cleaner: Cleaner,
    idle: Vec<Free>,
    /// Started before there was work for it.
    early: Option<Worker>,
    n_failed_starts: u32,
}

/// A worker that waits for work, and how much it has done.
struct Free {
    worker: Worker,
    n_runs: u32,
}

struct Busy {
    worker: Worker,
    n_runs: u32,
    job_idx: usize,
    since: Instant,
    is_ready: bool,
    is_parked: bool,
}

/// Jobs that wait; those of the second list failed in a worker that had done others, and get one of their own.
#[derive(Default)]
struct Queue {
    jobs: VecDeque<usize>,
    again: VecDeque<usize>,
    /// Those that were killed in a worker of their own: by themselves, or by somebody who ends processes of this machine.
    killed: BTreeSet<usize>,
}

type Sink<'k> = dyn FnMut(usize, Ended) -> Result<(), RunnerError> + 'k;

impl<'s> Pool<'s> {
    pub fn new(
        site: &'s Site,
        (plan, project): (Plan, Project),
        options: Options,
        cleaner: Cleaner,
    ) -> Self {
        Self {
            site,
            plan,
            project,
            options,
            cleaner,
            idle: Vec::new(),
            early: None,
            n_failed_starts: 0,
        }
    }

    /// Starts a worker where there is none, which takes a while, for the first job.
    pub fn warm_up(&mut self) -> Result<(), RunnerError> {
        if self.idle.is_empty() && self.early.is_none() {
            let (sandbox, plan) = (&self.site.sandbox, &self.plan);
            self.early = Some(Worker::begin(sandbox, plan, Some(&self.project))?);
        }
        Ok(())
    }

    /// Runs jobs, and hands over how each ended by its place in the list.
    pub fn run(
        &mut self,
        jobs: &[Job],
        monitor: &Monitor,
        sink: &mut Sink<'_>,
    ) -> Result<(), RunnerError> {
        let mut queue = Queue {
            jobs: (0..jobs.len()).collect(),
            again: VecDeque::new(),
            killed: BTreeSet::new(),
        };
        let mut busy: Vec<Busy> = Vec::new();
        loop {
            monitor.step()?;
            self.employ(jobs, &mut queue, &mut busy)?;
            if busy.is_empty() {
                return Ok(());
            }
            let Some((at, line)) = listen(&busy) else {
                for it in &mut busy {
                    it.is_parked |= it.is_ready && it.since.elapsed() > TO_PARK;
                }
                continue;
            };
            match busy[at].worker.heard(line) {
                Heard::Noise => {}
                Heard::Answer(Answer::Ready) if !busy[at].is_ready => {
                    self.n_failed_starts = 0;
                    busy[at].is_ready = true;
                    let job_idx = busy[at].job_idx;
                    self.ask(&mut busy[at], &jobs[job_idx]);
                }
                Heard::Answer(Answer::Done(done)) if done.id == jobs[busy[at].job_idx].id => {
                    let one = busy.swap_remove(at);
                    self.done(one, done, &mut queue, sink)?;
                }
                heard @ (Heard::Gone | Heard::Answer(_)) => {
                    let one = busy.swap_remove(at);
                    self.lost(one, &heard, &mut queue, (monitor, sink))?;
                }
            }
        }
    }

    /// Gives work to as many workers as there may be.
    fn employ(
        &mut self,
        jobs: &[Job],
        queue: &mut Queue,
        busy: &mut Vec<Busy>,
    ) -> Result<(), RunnerError> {
        loop {
            let n_parked = busy.iter().filter(|it| it.is_parked).count();
            let is_full = busy.len() - n_parked >= self.options.n_jobs || n_parked > N_PARKED_MAX;
            if is_full {
                return Ok(());
            }
            let (job_idx, free) = if let Some(job_idx) = queue.jobs.pop_front() {
                (job_idx, self.idle.pop())
            } else if let Some(job_idx) = queue.again.pop_front() {
                (job_idx, None)
            } else {
                return Ok(());
            };
            let mut one = match free {
                Some(free) => Busy {
                    worker: free.worker,
                    n_runs: free.n_runs,
                    job_idx,
                    since: Instant::now(),
                    is_ready: true,
                    is_parked: false,
                },
                None => self.start(job_idx)?,
            };
            if one.is_ready {
                self.ask(&mut one, &jobs[job_idx]);
            }
            busy.push(one);
        }
    }

    fn start(&mut self, job_idx: usize) -> Result<Busy, RunnerError> {
        let worker = match self.early.take() {
            Some(worker) => worker,
            None => Worker::begin(&self.site.sandbox, &self.plan, Some(&self.project))?,
        };
        worker.resident.end_after(Some(TO_START));
        Ok(Busy {
            worker,
            n_runs: 0,
            job_idx,
            since: Instant::now(),
            is_ready: false,
            is_parked: false,
        })
    }

    fn ask(&self, one: &mut Busy, job: &Job) {
        one.worker.resident.end_after(Some(self.options.timeout));
        one.since = Instant::now();
        one.worker.say(&Request::Run(job));
    }

    fn done(
        &mut self,
        one: Busy,
        done: Box<Done>,
        queue: &mut Queue,
        sink: &mut Sink<'_>,
    ) -> Result<(), RunnerError> {
        one.worker.resident.end_after(None);
        let n_runs = one.n_runs + 1;
        let is_spent = done.is_retired || n_runs >= self.options.n_runs_max;
        // It may be that others before it had taken the memory, or had the runner load what this one forbids to load.
        if (done.is_memory || done.is_guarded) && one.n_runs > 0 {
            queue.again.push_back(one.job_idx);
        } else {
            sink(one.job_idx, Ended::Done(done))?;
        }
        if !is_spent && self.idle.len() < self.options.n_jobs {
            self.idle.push(Free {
                worker: one.worker,
                n_runs,
            });
        }
        Ok(())
    }

    /// Says what became of a candidate whose worker is no more.
    fn lost(
        &mut self,
        one: Busy,
        heard: &Heard,
        queue: &mut Queue,
        (monitor, sink): (&Monitor, &mut Sink<'_>),
    ) -> Result<(), RunnerError> {
        let elapsed = one.since.elapsed();
        let (is_ready, n_runs, job_idx) = (one.is_ready, one.n_runs, one.job_idx);
        let (end, errors) = if matches!(heard, Heard::Gone) {
            one.worker.end(monitor)?
        } else {
            let mut worker = one.worker;
            worker.resident.stop();
            (End::Stopped, String::new())
        };
        if !is_ready {
            self.n_failed_starts += 1;
            if self.n_failed_starts >= FAILED_STARTS_MAX {
                return Err(wrong(&format!("{end:?}: {errors}")));
            }
            queue.jobs.push_front(job_idx);
            return Ok(());
        }
        if end == End::Killed(Limit::Wall) && elapsed >= self.options.timeout {
            return sink(job_idx, Ended::Timeout);
        }
        let is_killed = end == End::Signalled(SIGKILL) && queue.killed.insert(job_idx);
        if n_runs > 0 || is_killed {
            // It may be that others before it are the reason.
            queue.again.push_back(job_idx);
            return Ok(());
        }
        let (code, message) = match (heard, end) {
            (Heard::Answer(Answer::Error { message }), _) => ("worker", message.clone()),
            (Heard::Answer(_), _) => ("worker", "it said something else".to_owned()),
            (_, End::Exited(code)) => ("exit", format!("the JVM ended with code {code}")),
            (_, End::Signalled(signal)) => ("signal", format!("the JVM ended by signal {signal}")),
            (_, End::Killed(limit)) => ("limit", format!("it used too much: {}", used(limit))),
            (_, End::Stopped | End::NotStarted) => ("exit", "the JVM ended".to_owned()),
        };
        let trace = self.cleaner.clean(&errors);
        let why = Why {
            stage: RunStage::Run,
            code: Some(code.to_owned()),
            kind: None,
            message: self.cleaner.clean(&message),
            line: None,
            trace: (!trace.is_empty()).then_some(trace),
        };
        sink(job_idx, Ended::Crash(why))
    }
}

/// Waits a moment for a line of any of them; of one that has ended, it is nothing.
fn listen(busy: &[Busy]) -> Option<(usize, Option<crate::sandbox::Line>)> {
    let mut select = Select::new();
    for it in busy {
        select.recv(&it.worker.lines);
    }
    let operation = select.select_timeout(LOOK).ok()?;
    let at = operation.index();
    Some((at, operation.recv(&busy[at].worker.lines).ok()))
}
