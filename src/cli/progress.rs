//! How far a verb is: a bar on a terminal, lines elsewhere. Also where Ctrl-C becomes a request to stop.
//!
//! Reads the Monitor from a thread of its own, so that the work never waits for the terminal.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{SigId, flag};

use crate::Context;
use crate::command::register;
use crate::failure::{ExitCode, Failure, Stop};
use crate::messages;
use crate::model::{JobKind, counted, grouped, number};
use crate::store::StoreAccess;
use crate::task::{Monitor, Phase, Progress};

/// The pause between two drawings of the bar: ten a second look steady.
const BAR_INTERVAL: Duration = Duration::from_millis(100);
/// The pause between two lines where nothing can be redrawn: a log keeps each of them.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// A time left is shown at least this long before it rises.
const SHORT: Duration = Duration::from_secs(5);

/// Runs `work` as [`run`] does, as a job that others see; `access` is how it opens the index.
pub fn run_job<T>(
    context: &mut Context<'_, '_>,
    kind: JobKind,
    access: StoreAccess,
    work: impl FnOnce(&mut Context<'_, '_>, &Monitor) -> Result<T, Stop>,
) -> Result<T, Stop> {
    register_job(context, kind, access);
    run(context, work)
}

/// Gives a verb its row, for all that it does by [`run`]. A verb that writes the index begins when its turn has come.
pub fn register_job(context: &mut Context<'_, '_>, kind: JobKind, access: StoreAccess) {
    register::register(context, kind, access);
    if access == StoreAccess::Read
        && let Some(job) = &context.job
    {
        job.begin();
    }
}

/// Runs `work` while its progress is shown and signals cancel it.
pub fn run<T>(
    context: &mut Context<'_, '_>,
    work: impl FnOnce(&mut Context<'_, '_>, &Monitor) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let monitor = match &context.job {
        Some(job) => Arc::clone(job.monitor()),
        None => Arc::default(),
    };
    let deaf = |error| Failure::new(ExitCode::Outside, format!("cannot watch signals: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(deaf)?;
    let handle = signals.handle();
    let hard = HardStop::install().map_err(deaf)?;
    let on_signal = Arc::clone(&monitor);
    let watcher = thread::spawn(move || {
        for _ in &mut signals {
            on_signal.cancel();
        }
    });
    let (finished, wait) = crossbeam_channel::bounded::<()>(0);
    let is_quiet = context.global.quiet;
    let is_terminal = context.streams.err_is_terminal;
    let shown = Arc::clone(&monitor);
    let background = context.job.clone().filter(|job| job.is_background());
    let display = thread::spawn(move || {
        if is_quiet {
            return;
        }
        show(&shown, is_terminal, &wait, |line| match &background {
            Some(job) => job.log(line),
            None => {
                // Progress is for users who watch; a closed stderr is fine.
                let _closed = writeln!(messages::of_process(), "{line}");
            }
        });
    });
    let outcome = work(context, &monitor);
    drop((finished, hard));
    handle.close();
    // Neither thread returns anything; a panic there has printed itself and must not hide the outcome.
    let _shown = display.join();
    let _watched = watcher.join();
    outcome
}

/// While it lives, a second signal ends the process where it stands: stored data stay whole.
struct HardStop(Vec<SigId>);

impl HardStop {
    fn install() -> std::io::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let mut installed = Self(Vec::new());
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, and raises it.
            let code = 128 + signal;
            let shutdown =
                flag::register_conditional_shutdown(signal, code, Arc::clone(&is_cancelled))?;
            installed.0.push(shutdown);
            installed
                .0
                .push(flag::register(signal, Arc::clone(&is_cancelled))?);
        }
        Ok(installed)
    }
}

impl Drop for HardStop {
    fn drop(&mut self) {
        for id in &self.0 {
            signal_hook::low_level::unregister(*id);
        }
    }
}

/// Makes a bar on stderr, or an invisible one.
pub fn bar(is_terminal: bool) -> ProgressBar {
    let bar = if is_terminal {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10))
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar
}

/// Draws until `finished` is dropped; where there is no terminal, `tell` gets a line now and then.
fn show(
    monitor: &Monitor,
    is_terminal: bool,
    finished: &crossbeam_channel::Receiver<()>,
    tell: impl Fn(&str),
) {
    let started = Instant::now();
    let bar = bar(is_terminal);
    let interval = if is_terminal {
        BAR_INTERVAL
    } else {
        LINE_INTERVAL
    };
    let mut last_message = String::new();
    let mut estimate = Estimate::default();
    while let Err(crossbeam_channel::RecvTimeoutError::Timeout) = finished.recv_timeout(interval) {
        let (message, progress) = (
            line(monitor, started.elapsed(), &mut estimate),
            monitor.progress(),
        );
        if is_terminal {
            bar.set_length(progress.n_total);
            bar.set_position(progress.n_done);
            bar.set_message(message);
        } else if progress != Progress::default() && message != last_message {
            // A job that waits for its turn has said so.
            tell(&message);
            last_message = message;
        }
    }
    bar.finish_and_clear();
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// The time left as it was last shown. It falls or stays: work that takes longer than it looked shows the same time
/// again, and a longer one only where there is more to do, or where the time that was shown has gone by.
#[derive(Debug, Default)]
struct Estimate {
    /// The step that it is about, of several, and the phase where that has a count of its own.
    of: (String, Option<Phase>),
    shown_left: Option<Duration>,
    /// When that was shown first.
    since: Duration,
    /// The work to do; `from` is the time when it was found, with the work done by then.
    total: u64,
    from: (Duration, u64),
}

impl Estimate {
    /// Estimates the work done in a second. What was found later is other work: how fast the rest went says nothing
    /// about it.
    fn rate(&mut self, (n_done, total): (u64, u64), elapsed: Duration) -> f64 {
        if self.total != 0 && self.total != total {
            (self.from, self.shown_left) = ((elapsed, n_done), None);
        }
        self.total = total;
        let n_done = n_done.saturating_sub(self.from.1);
        n_done as f64 / elapsed.saturating_sub(self.from.0).as_secs_f64().max(0.001)
    }

    /// Chooses the estimate to show: the one shown before, until its time is over or it exceeds the new one.
    fn falling(&mut self, phase: Option<Phase>, elapsed: Duration, left: Duration) -> Duration {
        if self.of.1 != phase {
            (self.of.1, self.shown_left) = (phase, None);
        }
        let since = elapsed.saturating_sub(self.since);
        let holds = |told: &Duration| *told <= left && since <= (*told).max(SHORT);
        let told = self.shown_left.filter(holds).unwrap_or(left);
        if self.shown_left != Some(told) {
            (self.shown_left, self.since) = (Some(told), elapsed);
        }
        told
    }

    fn enter(&mut self, step: &str) {
        if self.of.0 != step {
            *self = Self {
                of: (step.to_owned(), self.of.1),
                ..Self::default()
            };
        }
    }
}

/// Tells which step of several this is, and how far it is.
fn line(monitor: &Monitor, elapsed: Duration, estimate: &mut Estimate) -> String {
    let step = monitor.step_label();
    estimate.enter(&step);
    let line = line_of_step(monitor, elapsed, estimate);
    if step.is_empty() {
        line
    } else {
        format!("{step} · {line}")
    }
}

/// Writes phase, counts, rate and the time left by the share of repositories and files that are done.
fn line_of_step(monitor: &Monitor, elapsed: Duration, estimate: &mut Estimate) -> String {
    let (n_repos, n_repos_total) = (read(&monitor.n_repos), read(&monitor.n_repos_total));
    if let n_predictions @ 1.. = read(&monitor.n_predictions) {
        return predictions_line(monitor, n_predictions, elapsed, estimate);
    }
    if monitor.phase() == Phase::Training {
        return format!("{} · {}", Phase::Training.as_str(), monitor.detail());
    }
    if let n_samples_total @ 1.. = read(&monitor.n_samples_total) {
        let (phase, n_samples) = (monitor.phase().as_str(), read(&monitor.n_samples));
        return format!("{phase} · {n_samples}/{n_samples_total} samples");
    }
    if monitor.phase() == Phase::Preparing {
        let repository = repository(n_repos, n_repos_total);
        return format!("preparing · {repository} · {}", seconds(elapsed));
    }
    let (n_tests, n_samples) = (read(&monitor.n_tests), read(&monitor.n_samples));
    let per_second = |n: u64| n as f64 / elapsed.as_secs_f64().max(0.001);
    if let phase @ (Phase::Writing | Phase::Measuring) = monitor.phase() {
        let phase = phase.as_str();
        return match n_samples {
            0 => format!("{phase} · {}", seconds(elapsed)),
            n => format!(
                "{phase} · {} · {}/s",
                counted(n, "sample"),
                number(per_second(n), 0)
            ),
        };
    }
    let rate = per_second(n_tests);
    let (n_files, n_files_total) = (read(&monitor.n_files), read(&monitor.n_files_total));
    let mut text = format!("{}/{} files  ", grouped(n_files), grouped(n_files_total));
    if n_repos_total > 1 {
        text.push_str(&repository(n_repos, n_repos_total));
        text.push_str(" · ");
    }
    text.push_str(&format!(
        "{} · {} · {} · {} tests/s",
        monitor.phase().as_str(),
        counted(n_tests, "test"),
        counted(n_samples, "sample"),
        number(rate, 0)
    ));
    if let Some(left) = left(monitor, elapsed) {
        let left = estimate.falling(None, elapsed, left);
        text.push_str(&format!(" · {} left", seconds(left)));
    }
    text
}

/// Tells which of several repositories is being processed, by the number of finished ones: after the last one, that one
/// still.
pub fn repository(n_done: u64, n_total: u64) -> String {
    let current = (n_done + 1).min(n_total.max(1));
    format!("repository {current}/{n_total}")
}

fn predictions_line(
    monitor: &Monitor,
    n_predictions: u64,
    elapsed: Duration,
    estimate: &mut Estimate,
) -> String {
    let phase = monitor.phase().as_str();
    let total = read(&monitor.n_predictions_total);
    if monitor.phase() == Phase::Asking {
        let detail = monitor.detail();
        let n_predictions = grouped(n_predictions);
        return format!(
            "{phase} · {n_predictions}/{} answers · {detail}",
            grouped(total)
        );
    }
    if monitor.phase() == Phase::Comparing {
        // Answers are gone through once for each metric and table: how often is nothing to tell.
        return format!("{phase} · {}", seconds(elapsed));
    }
    let rate = estimate.rate((n_predictions, total), elapsed);
    if total == 0 {
        let n_predictions = counted(n_predictions, "prediction");
        return format!("{phase} · {n_predictions} · {}", pace(rate));
    }
    let n_left = total.saturating_sub(n_predictions);
    let (done, total) = (grouped(n_predictions), grouped(total));
    let line = format!("{phase} · {done}/{total} predictions");
    // Nobody can tell before anything is done, nor how long what follows the last one takes.
    if rate == 0.0 || n_left == 0 {
        return line;
    }
    let left = Duration::try_from_secs_f64(n_left as f64 / rate).unwrap_or(Duration::MAX);
    let left = seconds(estimate.falling(Some(monitor.phase()), elapsed, left));
    format!("{line} · {} · {left} left", pace(rate))
}

/// Writes a rate in words: by the minute where it is less than one a second.
fn pace(per_second: f64) -> String {
    if per_second >= 1.0 {
        format!("{}/s", number(per_second, 0))
    } else {
        format!("{}/min", number(60.0 * per_second, 0))
    }
}

/// Estimates the time left; nothing early on, when nobody can tell.
fn left(monitor: &Monitor, elapsed: Duration) -> Option<Duration> {
    let progress = monitor.progress();
    let is_step = progress.n_steps_total > 0;
    if progress.phase == Phase::Starting || progress.n_repos_total == 0 || is_step {
        return None;
    }
    let done = progress.share().filter(|value| *value > 0.05)?;
    Some(elapsed.mul_f64((1.0 - done) / done))
}

pub fn seconds(duration: Duration) -> String {
    let total = duration.as_secs();
    if total >= 60 {
        format!("{} min {:02} s", total / 60, total % 60)
    } else {
        format!("{total} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_writes_samples_counts_neither_files_nor_tests() {
        let monitor = Monitor::default();
        monitor.enter(Phase::Writing);
        assert_eq!(
            line(&monitor, Duration::from_secs(5), &mut Estimate::default()),
            "writing · 5 s"
        );
        monitor.n_samples.store(40, Ordering::Relaxed);
        assert_eq!(
            line(&monitor, Duration::from_secs(5), &mut Estimate::default()),
            "writing · 40 samples · 8/s"
        );
    }

    #[test]
    fn what_is_gone_through_more_than_once_is_not_counted() {
        let monitor = Monitor::default();
        monitor.enter(Phase::Scoring);
        monitor.n_predictions.store(30, Ordering::Relaxed);
        monitor.n_predictions_total.store(90, Ordering::Relaxed);
        let elapsed = Duration::from_secs(3);
        assert_eq!(
            line(&monitor, elapsed, &mut Estimate::default()),
            "scoring · 30/90 predictions · 10/s · 6 s left"
        );
        monitor.enter(Phase::Comparing);
        assert_eq!(
            line(&monitor, elapsed, &mut Estimate::default()),
            "comparing · 3 s"
        );
    }

    #[test]
    fn a_slow_pace_is_told_by_the_minute_and_none_once_all_are_done() {
        let monitor = Monitor::default();
        monitor.enter(Phase::Executing);
        monitor.n_predictions_total.store(90, Ordering::Relaxed);
        let told = |n: u64| {
            monitor.n_predictions.store(n, Ordering::Relaxed);
            line(&monitor, Duration::from_secs(60), &mut Estimate::default())
        };
        let expected = "executing · 30/90 predictions · 30/min · 2 min 00 s left";
        assert_eq!(told(30), expected);
        assert_eq!(told(90), "executing · 90/90 predictions");
    }

    #[test]
    fn the_time_left_rises_only_where_it_has_gone_by() {
        let monitor = Monitor::default();
        monitor.enter(Phase::Scoring);
        monitor.n_predictions_total.store(100, Ordering::Relaxed);
        let mut estimate = Estimate::default();
        let mut told = |monitor: &Monitor, n: u64, seconds: u64| {
            monitor.n_predictions.store(n, Ordering::Relaxed);
            let line = line(monitor, Duration::from_secs(seconds), &mut estimate);
            line.rsplit(" · ").next().unwrap_or_default().to_owned()
        };
        assert_eq!(told(&monitor, 50, 10), "10 s left");
        // Nothing was done for ten seconds: by the pace alone it would be twenty.
        assert_eq!(told(&monitor, 50, 20), "10 s left");
        assert_eq!(told(&monitor, 90, 36), "4 s left");
        assert_eq!(told(&monitor, 90, 41), "4 s left");
        assert_eq!(told(&monitor, 90, 45), "5 s left");
        monitor.enter(Phase::Executing);
        assert_eq!(told(&monitor, 10, 10), "1 min 30 s left");
    }

    #[test]
    fn the_last_repository_is_the_last_one_to_the_end() {
        let monitor = Monitor::default();
        monitor.n_repos_total.store(2, Ordering::Relaxed);
        let told = |n: u64| {
            monitor.n_repos.store(n, Ordering::Relaxed);
            let told = line(&monitor, Duration::from_secs(5), &mut Estimate::default());
            told.contains(&format!("repository {}/2", n.min(1) + 1))
        };
        assert!(told(0) && told(1) && told(2));
    }

    #[test]
    fn work_that_is_found_later_has_its_own_rate_and_time() {
        let monitor = Monitor::default();
        monitor.enter(Phase::Executing);
        let mut estimate = Estimate::default();
        let mut told = |n: u64, total: u64, seconds: u64| {
            monitor.n_predictions_total.store(total, Ordering::Relaxed);
            monitor.n_predictions.store(n, Ordering::Relaxed);
            line(&monitor, Duration::from_secs(seconds), &mut estimate)
        };
        assert_eq!(told(100, 100, 5), "executing · 100/100 predictions");
        assert_eq!(told(100, 200, 10), "executing · 100/200 predictions");
        assert_eq!(told(100, 200, 60), "executing · 100/200 predictions");
        let line = told(150, 200, 60);
        assert_eq!(line, "executing · 150/200 predictions · 1/s · 50 s left");
    }
}
