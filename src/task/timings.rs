//! The time of a piece of work, step by step.
//!
//! A moment belongs to the steps that are under way; where these are several, each has an equal part of it. So the
//! steps and what lies between them come to the whole, whatever runs side by side. Nothing is measured until it is
//! asked for.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A step of an engine's work on candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineStep {
    /// The project is prepared or found prepared, copied, and test files are written.
    Copy,
    Compile,
    /// A process gets ready.
    Start,
    /// Until the first test of a candidate begins.
    Load,
    Test,
    Coverage,
    /// Into the index.
    Write,
    /// Time that belongs to no known step.
    Other,
}

impl EngineStep {
    /// Returns the word for people and programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Compile => "compile",
            Self::Start => "start",
            Self::Load => "load",
            Self::Test => "test",
            Self::Coverage => "coverage",
            Self::Write => "write",
            Self::Other => "other",
        }
    }
}

/// The time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTime {
    pub step: EngineStep,
    /// Its part of the whole.
    pub wall: Duration,
    /// The time of all processors; nothing where that is unknown for one of the times.
    pub cpu: Option<Duration>,
    /// The times that it was done; 0 for [`EngineStep::Other`].
    pub n: u64,
}

/// The times of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineTimes {
    pub engine: &'static str,
    pub total: Duration,
    /// They come to the total; the last one is [`EngineStep::Other`].
    pub steps: Vec<StepTime>,
    /// Runs on changed code that could not be made in place, by the reason: the most frequent ones first.
    pub apart: Vec<(String, u64)>,
}

/// Measures steps, on any number of threads.
#[derive(Clone, Debug, Default)]
pub struct Timings(Arc<Mutex<Option<Clock>>>);

impl Timings {
    /// Measures from now on, once an engine's [turn](Self::turn_to) has come.
    pub fn start(&self) {
        self.with(|clock| *clock = Some(Clock::new(Instant::now())));
    }

    /// Says whose time it is from now on.
    pub fn turn_to(&self, engine: &'static str) {
        self.with_running(|clock| clock.turn_to(Instant::now(), engine));
    }

    /// Ends measuring, and returns what each engine took; nothing where nobody has started it.
    #[must_use]
    pub fn take(&self) -> Option<Vec<EngineTimes>> {
        let clock = self.with(Option::take)?;
        Some(clock.over(Instant::now()))
    }

    /// Begins a step, which ends when the span is dropped.
    #[must_use]
    pub fn begin(&self, step: EngineStep) -> Span {
        let id = self.with_running(|clock| clock.begin(Instant::now(), step));
        Span(id.flatten().map(|id| OpenSpan {
            timings: self.clone(),
            id,
            cpu: None,
        }))
    }

    /// Takes note of a run on changed code that could not be made in place.
    pub fn ran_apart(&self, why: &str) {
        self.with_running(|clock| clock.ran_apart(why));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Option<Clock>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_running<T>(&self, work: impl FnOnce(&mut Clock) -> T) -> Option<T> {
        self.with(|clock| clock.as_mut().map(work))
    }
}

/// A step under way, which is over when this is dropped; nothing where nobody measures.
#[derive(Debug, Default)]
pub struct Span(Option<OpenSpan>);

#[derive(Debug)]
struct OpenSpan {
    timings: Timings,
    id: u64,
    cpu: Option<Duration>,
}

impl Span {
    /// Tells whether times are measured.
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        self.0.is_some()
    }

    /// Notes the processor time that it took, where times are measured.
    pub fn used(&mut self, cpu: impl FnOnce() -> Option<Duration>) {
        if let Some(open) = &mut self.0 {
            open.cpu = cpu();
        }
    }

    /// Ends it in parts, as an untrusted report has them: where they come to more than the whole, none of them counts.
    /// The rest is [`EngineStep::Other`].
    pub fn split(mut self, parts: &[(EngineStep, Duration)]) {
        if let Some(open) = self.0.take() {
            open.end(parts);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.end(&[]);
        }
    }
}

impl OpenSpan {
    fn end(self, parts: &[(EngineStep, Duration)]) {
        let end = |clock: &mut Clock| clock.end(Instant::now(), self.id, self.cpu, parts);
        self.timings.with_running(end);
    }
}

#[derive(Debug)]
struct Clock {
    engine: Option<&'static str>,
    accounts: BTreeMap<&'static str, Account>,
    /// Steps of that engine, by numbers that no other one has had.
    active: BTreeMap<u64, ActiveStep>,
    n_begun: u64,
    /// Until then all time has been shared out.
    until: Instant,
}

#[derive(Debug, Default)]
struct Account {
    total: Duration,
    steps: BTreeMap<EngineStep, StepSum>,
    apart: BTreeMap<String, u64>,
}

#[derive(Debug, Default)]
struct StepSum {
    wall: Duration,
    cpu: Duration,
    n: u64,
    /// The times for which the processor time is known.
    n_cpu: u64,
}

#[derive(Debug)]
struct ActiveStep {
    step: EngineStep,
    began: Instant,
    share: Duration,
}

impl Clock {
    const fn new(now: Instant) -> Self {
        Self {
            engine: None,
            accounts: BTreeMap::new(),
            active: BTreeMap::new(),
            n_begun: 0,
            until: now,
        }
    }

    /// Shares out the time until now.
    fn pass(&mut self, now: Instant) {
        let time = now.saturating_duration_since(self.until);
        self.until = self.until.max(now);
        if let Some(engine) = self.engine {
            self.accounts.entry(engine).or_default().total += time;
        }
        let n_active = self.active.len() as u32;
        for active_step in self.active.values_mut() {
            active_step.share += time / n_active;
        }
    }

    fn turn_to(&mut self, now: Instant, engine: &'static str) {
        self.close(now);
        self.engine = Some(engine);
    }

    /// Ends all that is under way.
    fn close(&mut self, now: Instant) {
        self.pass(now);
        for active_step in mem::take(&mut self.active).into_values() {
            self.add(active_step.step, active_step.share, None);
        }
    }

    /// Begins a step, where it is somebody's turn.
    fn begin(&mut self, now: Instant, step: EngineStep) -> Option<u64> {
        self.pass(now);
        self.engine?;
        let active = ActiveStep {
            step,
            began: now,
            share: Duration::ZERO,
        };
        self.n_begun += 1;
        self.active.insert(self.n_begun, active);
        Some(self.n_begun)
    }

    fn end(
        &mut self,
        now: Instant,
        id: u64,
        cpu: Option<Duration>,
        parts: &[(EngineStep, Duration)],
    ) {
        self.pass(now);
        let Some(active_step) = self.active.remove(&id) else {
            return;
        };
        let elapsed = now.saturating_duration_since(active_step.began);
        let sum = parts.iter().try_fold(Duration::ZERO, |sum, part| {
            sum.checked_add(part.1)
                .filter(|duration| *duration <= elapsed)
        });
        if parts.is_empty() || sum.is_none() {
            self.add(active_step.step, active_step.share, cpu);
            return;
        }
        for (step, time) in parts {
            self.add(*step, part_of(active_step.share, *time, elapsed), None);
        }
    }

    fn add(&mut self, step: EngineStep, wall: Duration, cpu: Option<Duration>) {
        let Some(engine) = self.engine else { return };
        let account = self.accounts.entry(engine).or_default();
        let sum = account.steps.entry(step).or_default();
        sum.wall += wall;
        sum.n += 1;
        sum.n_cpu += u64::from(cpu.is_some());
        sum.cpu += cpu.unwrap_or_default();
    }

    fn ran_apart(&mut self, why: &str) {
        let Some(engine) = self.engine else { return };
        let apart = &mut self.accounts.entry(engine).or_default().apart;
        *apart.entry(why.to_owned()).or_default() += 1;
    }

    fn over(mut self, now: Instant) -> Vec<EngineTimes> {
        self.close(now);
        let accounts = self.accounts.into_iter();
        accounts
            .map(|(engine, account)| account.times(engine))
            .collect()
    }
}

impl Account {
    fn times(self, engine: &'static str) -> EngineTimes {
        let steps = self.steps.into_iter().map(|(step, step_sum)| StepTime {
            step,
            wall: step_sum.wall,
            cpu: (step_sum.n_cpu == step_sum.n).then_some(step_sum.cpu),
            n: step_sum.n,
        });
        let mut steps: Vec<StepTime> = steps.collect();
        let known: Duration = steps.iter().map(|step| step.wall).sum();
        steps.push(StepTime {
            step: EngineStep::Other,
            wall: self.total.saturating_sub(known),
            cpu: None,
            n: 0,
        });
        let mut apart: Vec<(String, u64)> = self.apart.into_iter().collect();
        apart.sort_by_key(|pair| Reverse(pair.1));
        EngineTimes {
            engine,
            total: self.total,
            steps,
            apart,
        }
    }
}

/// Computes the part of a share that is `time` of `elapsed`, at most the share.
fn part_of(share: Duration, time: Duration, elapsed: Duration) -> Duration {
    let nanos = share.as_nanos() * time.as_nanos() / elapsed.as_nanos().max(1);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).min(share)
}

#[cfg(test)]
mod tests {
    use super::EngineStep::{Compile, Coverage, Load, Other, Start, Test};
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A clock of an engine, and a function that returns its moment after so many milliseconds.
    fn clock() -> (Clock, impl Fn(u64) -> Instant) {
        let began = Instant::now();
        let mut clock = Clock::new(began);
        clock.turn_to(began, "fast");
        (clock, move |n| began + ms(n))
    }

    fn check(times: &EngineTimes, total: u64, expected: &[(EngineStep, u64, u64)]) {
        let found = times
            .steps
            .iter()
            .map(|step| (step.step, step.wall, step.n));
        let expected = expected
            .iter()
            .map(|expected| (expected.0, ms(expected.1), expected.2));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert_eq!(times.total, ms(total));
        let sum: Duration = times.steps.iter().map(|step| step.wall).sum();
        assert_eq!(sum, times.total);
    }

    #[test]
    fn steps_side_by_side_share_the_time_and_come_to_the_whole() {
        let (mut clock, at) = clock();
        let compiler = clock.begin(at(10), Compile).expect("it is its turn");
        let jvm = clock.begin(at(20), Start).expect("it is its turn");
        clock.end(at(60), jvm, Some(ms(70)), &[]);
        clock.end(at(70), compiler, None, &[]);
        let again = clock.begin(at(90), Start).expect("it is its turn");
        clock.end(at(95), again, Some(ms(5)), &[]);
        let times = clock.over(at(100));
        check(
            &times[0],
            100,
            &[(Compile, 40, 1), (Start, 25, 2), (Other, 35, 0)],
        );
        let cpu: Vec<Option<Duration>> = times[0].steps.iter().map(|step| step.cpu).collect();
        assert_eq!(cpu, [None, Some(ms(75)), None]);
    }

    #[test]
    fn parts_are_of_the_share_and_the_rest_is_other() {
        let (mut clock, at) = clock();
        let [first, second] = [0, 0].map(|n| clock.begin(at(n), Test).expect("it is its turn"));
        clock.end(
            at(40),
            first,
            None,
            &[(Load, ms(10)), (Test, ms(20)), (Coverage, ms(0))],
        );
        clock.end(at(40), second, None, &[(Load, ms(40))]);
        let times = clock.over(at(40));
        let expected = [
            (Load, 25, 2),
            (Test, 10, 1),
            (Coverage, 0, 1),
            (Other, 5, 0),
        ];
        check(&times[0], 40, &expected);
    }

    #[test]
    fn parts_that_cannot_be_are_none() {
        for told in [
            vec![(Load, ms(30)), (Coverage, ms(30))],
            vec![(Load, Duration::MAX), (Coverage, Duration::MAX)],
        ] {
            let (mut clock, at) = clock();
            let id = clock.begin(at(0), Test).expect("it is its turn");
            clock.end(at(50), id, None, &told);
            check(&clock.over(at(50))[0], 50, &[(Test, 50, 1), (Other, 0, 0)]);
        }
    }

    #[test]
    fn each_engine_has_its_own_time() {
        let (mut clock, at) = clock();
        let id = clock.begin(at(0), Start).expect("it is its turn");
        clock.turn_to(at(10), "fork");
        // It was closed with its engine.
        clock.end(at(30), id, None, &[]);
        let times = clock.over(at(30));
        let engines: Vec<&str> = times.iter().map(|time| time.engine).collect();
        assert_eq!(engines, ["fast", "fork"]);
        check(&times[0], 10, &[(Start, 10, 1), (Other, 0, 0)]);
        check(&times[1], 20, &[(Other, 20, 0)]);
    }

    #[test]
    fn runs_apart_are_counted_by_their_reasons_for_the_engine_whose_turn_it_is() {
        let timings = Timings::default();
        timings.ran_apart("nobody measures");
        timings.start();
        timings.turn_to("fork");
        for why in ["b", "a", "c", "b"] {
            timings.ran_apart(why);
        }
        timings.turn_to("fast");
        let times = timings.take().expect("it was started");
        let found = |idx: usize| {
            let pairs = times[idx].apart.iter();
            pairs
                .map(|pair| (pair.0.as_str(), pair.1))
                .collect::<Vec<_>>()
        };
        assert_eq!((times[0].engine, found(0)), ("fast", vec![]));
        assert_eq!(found(1), [("b", 2), ("a", 1), ("c", 1)]);
    }

    #[test]
    fn nothing_is_measured_that_nobody_asked_for() {
        let timings = Timings::default();
        timings.turn_to("fast");
        assert!(!timings.begin(Test).is_measured());
        assert_eq!(timings.take(), None);
        timings.start();
        assert!(!timings.begin(Test).is_measured(), "it is nobody's turn");
        timings.turn_to("fast");
        let mut span = timings.begin(Test);
        span.used(|| Some(ms(1)));
        drop(span);
        let times = timings.take().expect("it was started").remove(0);
        assert_eq!(times.steps[0].cpu, Some(ms(1)));
        assert_eq!(timings.take(), None);
    }
}
