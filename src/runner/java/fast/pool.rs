//! The workers of one module: a free one gets the next candidate, a silent one is parked while another one goes on, and
//! one that is used up is ended.
//!
//! A worker's answers about candidates count once the canaries after them have the right outcomes: a test that must
//! fail and one that must pass. Until then the answers wait in the worker's window. Where a canary has the wrong
//! outcome, or the worker ends, everything in the window is run again elsewhere; in the end each candidate alone in a
//! JVM, where it can only forge its own outcome.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, never};

use crate::model::{OutcomeReason, RunStage};
use crate::sandbox::{Limit, ProgramEnd, ProgramPlan};
use crate::task::{EngineStep, Monitor, Span};
use crate::{RunnerError, Site, shakes};

use super::FastOptions;
use super::canary::{self, Canaries};
use super::queue::{Queue, QueuedWork};
use super::talk::{
    Job, JobReply, Worker, WorkerAnswer, WorkerMessage, WorkerProject, WorkerRequest, wrong,
};
use crate::java::text::{Cleaner, used};

/// How long a candidate may be silent before a spare goes on, not counting time in which the machine runs others.
const TO_PARK: Duration = Duration::from_secs(1);
/// How many silent workers may be parked at a time.
const N_PARKED_MAX: usize = 4;
/// How long a JVM may take to start.
const TO_START: Duration = Duration::from_secs(60);
/// How long answers wait for a canary, where candidates are slow: answers that are not passed on are lost if we are
/// killed.
const TO_CANARY: Duration = Duration::from_secs(3);
/// The least time that a candidate has among others, unless its own limit is shorter.
const TO_TRY: Duration = Duration::from_secs(2);
/// How long a test may wait on a mutant (FAULTS F2).
const OF_FAULT: Duration = Duration::from_secs(60);
/// The signal that no process can catch.
const SIGKILL: u8 = 9;
/// How often a waiting thread looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// After this many failed starts in a row the pool gives up.
const FAILED_STARTS_MAX: u32 = 3;

/// How a candidate's run ended.
pub enum CandidateEnd {
    Done(Box<JobReply>),
    Timeout,
    Crash(WorkerEnd, OutcomeReason),
}

/// How a JVM ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It was told to end, or ended by itself.
    Exit,
    /// It exceeded its memory.
    Memory,
    /// It broke the protocol, or the reason is unknown.
    Other,
}

pub struct WorkerPool<'s> {
    pub site: &'s Site,
    pub plan: ProgramPlan,
    pub project: WorkerProject,
    pub options: FastOptions,
    pub cleaner: Cleaner,
    idle: Vec<PooledWorker>,
    /// A worker that was started before there was work for it.
    early: Option<Worker>,
    n_failed_starts: u32,
}

/// A worker, and what it has done.
struct PooledWorker {
    worker: Worker,
    n_runs: u32,
    /// After this number of candidates it is ended: libraries keep what they have seen.
    n_runs_max: u32,
    /// Candidates since the last good canary, including those whose answers are not in the window.
    n_unproven: u32,
    /// Its answers since then.
    window: Vec<(usize, Box<JobReply>)>,
    /// When the first answer of the window came.
    since_first: Instant,
    /// How many answers wait for a canary.
    n_window: usize,
    /// Canaries that it runs before anything else.
    checks: Vec<usize>,
    /// Jobs that it does before it takes others.
    rest: VecDeque<usize>,
    kind: WorkerKind,
    is_spent: bool,
}

/// The kind of work that a worker was started for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkerKind {
    Shared,
    /// Some jobs that come from the window of another one.
    Group,
    /// One job.
    Alone,
}

/// The present task of a worker.
#[derive(Clone, Copy)]
enum WorkerTask {
    Job(usize),
    Canary(usize),
}

struct BusyWorker {
    one: PooledWorker,
    asked: WorkerTask,
    since: Instant,
    /// The time limit of the task.
    limit: Duration,
    is_ready: bool,
    /// Receives a message when the worker has been silent for a while.
    is_silent: Receiver<()>,
    is_parked: bool,
    /// The measured time of the task.
    span: Span,
}

/// The work of one round.
pub struct PoolBatch<'r> {
    pub jobs: &'r [Job],
    /// Jobs that reach into their JVM: each runs in a separate JVM after all others.
    pub lonely: &'r [usize],
    pub canaries: Canaries,
    pub monitor: &'r Monitor,
}

impl PoolBatch<'_> {
    fn job(&self, asked: WorkerTask) -> &Job {
        match asked {
            WorkerTask::Job(job) => &self.jobs[job],
            WorkerTask::Canary(canary) => self.canaries.job(canary),
        }
    }
}

impl PooledWorker {
    const fn new(
        worker: Worker,
        kind: WorkerKind,
        (n_window, n_runs_max): (usize, u32),
        now: Instant,
    ) -> Self {
        Self {
            worker,
            n_runs: 0,
            n_runs_max,
            n_unproven: 0,
            window: Vec::new(),
            since_first: now,
            n_window,
            checks: Vec::new(),
            rest: VecDeque::new(),
            kind,
            is_spent: false,
        }
    }

    /// Takes the next question, canaries among them.
    fn next(&mut self) -> Option<WorkerTask> {
        let canary = self.checks.pop().map(WorkerTask::Canary);
        canary.or_else(|| {
            let job = if self.is_spent {
                None
            } else {
                self.rest.pop_front()
            };
            job.map(WorkerTask::Job)
        })
    }

    /// Whether a canary is due for the answers in the window.
    fn is_due(&self) -> bool {
        let is_due = self.is_spent
            || self.window.len() >= self.n_window
            || self.since_first.elapsed() > TO_CANARY
            || (self.kind == WorkerKind::Group && self.rest.is_empty());
        is_due && !self.window.is_empty()
    }

    /// Passes on the waiting answers, and draws the size of the next window.
    fn flush(&mut self, sink: &mut PoolSink<'_>) -> Result<(), RunnerError> {
        self.n_unproven = 0;
        self.n_window = canary::n_window();
        for (job, done) in self.window.drain(..) {
            sink(job, CandidateEnd::Done(done))?;
        }
        Ok(())
    }

    /// Returns the jobs of its window, to be run again, and those that it has not begun to the queue.
    fn give_back(&mut self, queue: &mut Queue, is_doubted: bool) {
        let window: Vec<usize> = self.window.drain(..).map(|window| window.0).collect();
        if is_doubted {
            queue.doubted(&window);
        } else {
            queue.lost(window, self.kind == WorkerKind::Group);
        }
        self.give_back_rest(queue);
    }

    fn give_back_rest(&mut self, queue: &mut Queue) {
        let rest = std::mem::take(&mut self.rest);
        match self.kind {
            WorkerKind::Group => queue.put_back(QueuedWork::Group(rest.into())),
            WorkerKind::Shared => rest
                .into_iter()
                .rev()
                .for_each(|n| queue.put_back(QueuedWork::Shared(n))),
            WorkerKind::Alone => rest
                .into_iter()
                .for_each(|n| queue.put_back(QueuedWork::Alone(n))),
        }
    }
}

type PoolSink<'k> = dyn FnMut(usize, CandidateEnd) -> Result<(), RunnerError> + 'k;

impl<'s> WorkerPool<'s> {
    pub fn new(
        site: &'s Site,
        (plan, project): (ProgramPlan, WorkerProject),
        options: FastOptions,
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
    pub fn warm_up(&mut self, monitor: &Monitor) -> Result<(), RunnerError> {
        if self.idle.is_empty() && self.early.is_none() {
            let (sandbox, plan) = (&self.site.sandbox, &self.plan);
            let worker = Worker::begin(sandbox, plan, Some(&self.project), monitor)?;
            self.early = Some(worker);
        }
        Ok(())
    }

    /// Runs jobs, and passes on the end of each with its place in the list.
    pub fn run(
        &mut self,
        mut round: PoolBatch<'_>,
        sink: &mut PoolSink<'_>,
    ) -> Result<(), RunnerError> {
        let mut queue = Queue::new(round.jobs.len(), round.lonely);
        let mut busy: Vec<BusyWorker> = Vec::new();
        loop {
            round.monitor.step()?;
            self.employ(&round, (&mut queue, &mut busy), sink)?;
            if busy.is_empty() {
                return Ok(());
            }
            let Some((at, line)) = listen(&busy) else {
                for busy_worker in &mut busy {
                    busy_worker.is_parked |= busy_worker.is_silent.try_recv().is_ok();
                }
                continue;
            };
            let asked = busy[at].asked;
            match busy[at].one.worker.heard(line) {
                WorkerMessage::Noise => {}
                WorkerMessage::Answer(WorkerAnswer::Ready) if !busy[at].is_ready => {
                    self.n_failed_starts = 0;
                    busy[at].is_ready = true;
                    self.ask(&mut busy[at], &round);
                }
                WorkerMessage::Answer(WorkerAnswer::Done(done))
                    if done.id == round.job(asked).id =>
                {
                    let BusyWorker { one, span, .. } = busy.swap_remove(at);
                    span.split(&done.parts());
                    one.worker.resident.end_after(None);
                    let one = match asked {
                        WorkerTask::Job(job) => done_with(one, (job, done), &mut queue, sink)?,
                        WorkerTask::Canary(canary) => {
                            judge(one, (canary, &done), &mut round.canaries, &mut queue)
                        }
                    };
                    if let Some(one) = one {
                        self.go_on(one, &round, (&mut queue, &mut busy), sink)?;
                    }
                }
                heard
                @ (WorkerMessage::Gone | WorkerMessage::Forged | WorkerMessage::Answer(_)) => {
                    let busy_worker = busy.swap_remove(at);
                    self.lost(busy_worker, &heard, (&mut round, &mut queue), sink)?;
                }
            }
        }
    }

    /// Gives a worker its next task, or lets it wait for more.
    fn go_on(
        &mut self,
        mut one: PooledWorker,
        round: &PoolBatch<'_>,
        (queue, busy): (&mut Queue, &mut Vec<BusyWorker>),
        sink: &mut PoolSink<'_>,
    ) -> Result<(), RunnerError> {
        // A worker that was parked may come back when there are enough others.
        let is_over = one.checks.is_empty() && one.rest.is_empty();
        one.is_spent |= is_over && self.idle.len() >= self.options.n_jobs;
        if one.checks.is_empty() && one.n_unproven > 0 && one.is_due() {
            one.checks = round.canaries.draw();
        }
        // Either the last canary was good, or there are no canaries.
        if one.checks.is_empty() && (one.n_unproven == 0 || one.is_due()) {
            one.flush(sink)?;
        }
        if let Some(asked) = one.next() {
            let mut busy_worker = BusyWorker {
                one,
                asked,
                since: Instant::now(),
                limit: self.limit(round.job(asked)),
                is_ready: true,
                is_silent: never(),
                is_parked: false,
                span: Span::default(),
            };
            self.ask(&mut busy_worker, round);
            busy.push(busy_worker);
        } else if one.is_spent {
            one.give_back_rest(queue);
        } else {
            one.kind = WorkerKind::Shared;
            self.idle.push(one);
        }
        Ok(())
    }
}

impl WorkerPool<'_> {
    /// Gives work to as many workers as are allowed.
    fn employ(
        &mut self,
        round: &PoolBatch<'_>,
        (queue, busy): (&mut Queue, &mut Vec<BusyWorker>),
        sink: &mut PoolSink<'_>,
    ) -> Result<(), RunnerError> {
        loop {
            let n_parked = busy
                .iter()
                .filter(|busy_worker| busy_worker.is_parked)
                .count();
            let is_full = busy.len() - n_parked >= self.options.n_jobs || n_parked > N_PARKED_MAX;
            if is_full {
                return Ok(());
            }
            // No more jobs come that would fill its window, so its canaries run now.
            let is_last = !queue.has_shared();
            let mut idle = self.idle.iter();
            if let Some(at) =
                idle.position(|pooled_worker| is_last && !pooled_worker.window.is_empty())
            {
                let mut one = self.idle.swap_remove(at);
                one.checks = round.canaries.draw();
                if one.checks.is_empty() {
                    one.flush(sink)?;
                }
                self.go_on(one, round, (queue, busy), sink)?;
                continue;
            }
            let Some(work) = queue.next() else {
                return Ok(());
            };
            if let QueuedWork::Shared(job) = work
                && let Some(mut one) = self.idle.pop()
            {
                one.rest.push_back(job);
                if one.n_unproven == 0 {
                    one.checks = round.canaries.unproven();
                }
                self.go_on(one, round, (queue, busy), sink)?;
            } else {
                busy.push(self.start(work, round)?);
            }
        }
    }

    /// Starts a worker for some work.
    fn start(
        &mut self,
        work: QueuedWork,
        round: &PoolBatch<'_>,
    ) -> Result<BusyWorker, RunnerError> {
        let worker = match self.early.take() {
            Some(worker) => worker,
            None => Worker::begin(
                &self.site.sandbox,
                &self.plan,
                Some(&self.project),
                round.monitor,
            )?,
        };
        worker.resident.end_after(Some(TO_START));
        let (kind, rest) = match work {
            QueuedWork::Shared(job) => (WorkerKind::Shared, vec![job]),
            QueuedWork::Group(jobs) => (WorkerKind::Group, jobs),
            QueuedWork::Alone(job) => (WorkerKind::Alone, vec![job]),
        };
        let now = Instant::now();
        let mut one = PooledWorker::new(
            worker,
            kind,
            (canary::n_window(), self.options.n_runs_max),
            now,
        );
        one.rest = rest.into();
        if kind != WorkerKind::Alone {
            one.checks = round.canaries.unproven();
        }
        let asked = one.next().expect("no work is empty");
        Ok(BusyWorker {
            one,
            asked,
            since: now,
            limit: self.limit(round.job(asked)),
            is_ready: false,
            is_silent: never(),
            is_parked: false,
            span: Span::default(),
        })
    }

    fn limit(&self, job: &Job) -> Duration {
        if job.fault.is_some() {
            OF_FAULT
        } else {
            let n_times = if job.is_twice { 2 } else { 1 };
            shakes::limit(self.options.timeout, job.order.len() * n_times)
        }
    }

    fn ask(&self, busy_worker: &mut BusyWorker, round: &PoolBatch<'_>) {
        let job = round.job(busy_worker.asked);
        let limit = self.limit(job);
        // A candidate that is slow among others is tried again alone, so this try need not have its full time.
        let is_final = busy_worker.one.kind == WorkerKind::Alone
            || (busy_worker.one.n_unproven == 0 && job.fault.is_none());
        busy_worker.limit = if is_final {
            limit
        } else {
            limit.min(TO_TRY.max(limit / 3))
        };
        busy_worker
            .one
            .worker
            .resident
            .end_after(Some(busy_worker.limit));
        busy_worker.is_silent = busy_worker.one.worker.resident.tell_after(TO_PARK);
        busy_worker.since = Instant::now();
        busy_worker.span = round.monitor.timings.begin(EngineStep::Test);
        busy_worker.one.worker.say(&WorkerRequest::Run {
            job,
            is_alone: busy_worker.one.kind == WorkerKind::Alone,
        });
    }

    /// Handles the candidate and the window of a worker that has ended.
    fn lost(
        &mut self,
        busy_worker: BusyWorker,
        heard: &WorkerMessage,
        (round, queue): (&mut PoolBatch<'_>, &mut Queue),
        sink: &mut PoolSink<'_>,
    ) -> Result<(), RunnerError> {
        let elapsed = busy_worker.since.elapsed();
        let (mut one, asked, is_ready, limit) = (
            busy_worker.one,
            busy_worker.asked,
            busy_worker.is_ready,
            busy_worker.limit,
        );
        if let (WorkerTask::Job(job), false) = (asked, is_ready) {
            one.rest.push_front(job);
        }
        // The window was not checked by a canary, so its jobs run again.
        one.give_back(queue, false);
        let (kind, n_runs, n_unproven) = (one.kind, one.n_runs, one.n_unproven);
        let (end, errors) = if matches!(heard, WorkerMessage::Gone) {
            one.worker.end(round.monitor)?
        } else {
            let mut worker = one.worker;
            worker.resident.stop();
            (ProgramEnd::Stopped, String::new())
        };
        if !is_ready {
            self.n_failed_starts += 1;
            if self.n_failed_starts >= FAILED_STARTS_MAX {
                return Err(wrong(&format!("{end:?}: {errors}")));
            }
            return Ok(());
        }
        let job = match asked {
            WorkerTask::Job(job) => job,
            WorkerTask::Canary(canary) => {
                if n_unproven == 0 {
                    round.canaries.prove(canary, false);
                }
                return Ok(());
            }
        };
        let is_timeout = end == ProgramEnd::Killed(Limit::Wall) && elapsed >= limit;
        let is_killed = end == ProgramEnd::Signalled(SIGKILL) && queue.is_first_kill(job);
        // Earlier candidates may be the reason; and a mutant's crash or timeout among others is never believed.
        let is_fault = round.jobs[job].fault.is_some();
        let is_clean = match kind {
            WorkerKind::Alone => true,
            _ if is_fault => false,
            // A good canary shows that the worker can still judge, not how much of its resources is used up.
            _ if is_timeout => n_unproven == 0,
            _ => n_runs == 0,
        };
        if is_killed || !is_clean {
            queue.alone(job);
            return Ok(());
        }
        if is_timeout {
            return sink(job, CandidateEnd::Timeout);
        }
        let broken = match (heard, end) {
            (WorkerMessage::Gone, ProgramEnd::Exited(_)) => WorkerEnd::Exit,
            (WorkerMessage::Gone, ProgramEnd::Killed(Limit::Memory)) => WorkerEnd::Memory,
            _ => WorkerEnd::Other,
        };
        sink(
            job,
            CandidateEnd::Crash(broken, self.crash(heard, end, &errors)),
        )
    }

    fn crash(&self, heard: &WorkerMessage, end: ProgramEnd, errors: &str) -> OutcomeReason {
        let (code, message) = match (heard, end) {
            (WorkerMessage::Answer(WorkerAnswer::Error { message }), _) => {
                ("worker", message.clone())
            }
            (WorkerMessage::Answer(_) | WorkerMessage::Forged, _) => {
                ("worker", "it said something else".to_owned())
            }
            (_, ProgramEnd::Exited(code)) => ("exit", format!("the JVM ended with code {code}")),
            (_, ProgramEnd::Signalled(signal)) => {
                ("signal", format!("the JVM ended by signal {signal}"))
            }
            (_, ProgramEnd::Killed(limit)) => {
                ("limit", format!("it used too much: {}", used(limit)))
            }
            (_, ProgramEnd::Stopped | ProgramEnd::NotStarted) => {
                ("exit", "the JVM ended".to_owned())
            }
        };
        let trace = self.cleaner.clean(errors);
        OutcomeReason {
            stage: RunStage::Run,
            code: Some(code.to_owned()),
            kind: None,
            message: self.cleaner.clean(&message),
            line: None,
            trace: (!trace.is_empty()).then_some(trace),
        }
    }
}

/// Takes an answer for a candidate, and returns its worker where that goes on.
fn done_with(
    mut one: PooledWorker,
    (job, done): (usize, Box<JobReply>),
    queue: &mut Queue,
    sink: &mut PoolSink<'_>,
) -> Result<Option<PooledWorker>, RunnerError> {
    if one.kind == WorkerKind::Alone {
        return sink(job, CandidateEnd::Done(done)).map(|()| None);
    }
    one.n_runs += 1;
    one.n_unproven += 1;
    one.is_spent |= done.is_retired || one.n_runs >= one.n_runs_max;
    // Earlier candidates may have used up the memory, or this one may forbid the runner to load classes that it needs
    // later.
    let is_late = (done.is_memory || done.is_guarded) && one.n_runs > 1;
    // A timeout is believed only in a JVM of the candidate's own.
    if done.is_refused || is_late || done.status == "timed_out" {
        queue.alone(job);
    } else {
        if one.window.is_empty() {
            one.since_first = Instant::now();
        }
        one.window.push((job, done));
    }
    Ok(Some(one))
}

/// Takes an answer for a canary, and returns its worker where that goes on.
fn judge(
    mut one: PooledWorker,
    (canary, done): (usize, &JobReply),
    canaries: &mut Canaries,
    queue: &mut Queue,
) -> Option<PooledWorker> {
    let is_right = canaries.is_right(canary, done);
    if one.n_unproven == 0 {
        canaries.prove(canary, is_right);
    } else if !is_right {
        one.give_back(queue, true);
        return None;
    } else if one.checks.is_empty() {
        one.n_unproven = 0;
    }
    one.is_spent |= done.is_retired;
    Some(one)
}

/// Waits a moment for a line of any worker; for one that has ended the line is `None`.
fn listen(busy: &[BusyWorker]) -> Option<(usize, Option<crate::sandbox::OutputLine>)> {
    let mut select = Select::new();
    for busy_worker in busy {
        select.recv(&busy_worker.one.worker.lines);
    }
    let operation = select.select_timeout(LOOK).ok()?;
    let at = operation.index();
    Some((at, operation.recv(&busy[at].one.worker.lines).ok()))
}
