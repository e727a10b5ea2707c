//! How far a verb is: a bar on a terminal, lines elsewhere. Also where Ctrl-C becomes a request to stop.
//!
//! Reads the Monitor from a thread of its own, so that the work never waits for the terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Context;
use super::failure::{ExitCode, Failure, Stop};
use crate::task::{Monitor, Phase};

const BAR_INTERVAL: Duration = Duration::from_millis(100);
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs `work` while its progress is shown and signals cancel it.
pub fn run<T>(
    context: &mut Context<'_, '_>,
    work: impl FnOnce(&mut Context<'_, '_>, &Monitor) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let monitor = Arc::new(Monitor::default());
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| {
        Failure::new(ExitCode::Outside, format!("cannot watch signals: {error}"))
    })?;
    let handle = signals.handle();
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
    let display = thread::spawn(move || {
        if !is_quiet {
            show(&shown, is_terminal, &wait);
        }
    });
    let outcome = work(context, &monitor);
    drop(finished);
    handle.close();
    // Neither thread returns anything; a panic there has printed itself and must not hide the outcome.
    let _shown = display.join();
    let _watched = watcher.join();
    outcome
}

/// Draws until `finished` is dropped.
fn show(monitor: &Monitor, is_terminal: bool, finished: &crossbeam_channel::Receiver<()>) {
    let started = Instant::now();
    let bar = if is_terminal {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10))
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    let interval = if is_terminal {
        BAR_INTERVAL
    } else {
        LINE_INTERVAL
    };
    while let Err(crossbeam_channel::RecvTimeoutError::Timeout) = finished.recv_timeout(interval) {
        let message = line(monitor, started.elapsed());
        if is_terminal {
            let (done, total) = done(monitor);
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(message);
        } else {
            // Progress is for whoever watches; nobody watching is fine.
            let _closed = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("{message}\n").as_bytes(),
            );
        }
    }
    bar.finish_and_clear();
}

/// Returns how many pieces of work are done, and how many there are.
fn done(monitor: &Monitor) -> (u64, u64) {
    let n_predictions_total = read(&monitor.n_predictions_total);
    if n_predictions_total > 0 {
        return (read(&monitor.n_predictions), n_predictions_total);
    }
    let n_samples_total = read(&monitor.n_samples_total);
    if n_samples_total > 0 {
        return (read(&monitor.n_samples), n_samples_total);
    }
    (read(&monitor.n_files), read(&monitor.n_files_total))
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Returns phase, counts, rate and the time left by the share of repositories and files that are done.
fn line(monitor: &Monitor, elapsed: Duration) -> String {
    let (n_repos, n_repos_total) = (read(&monitor.n_repos), read(&monitor.n_repos_total));
    if let n_predictions @ 1.. = read(&monitor.n_predictions) {
        return predictions_line(monitor, n_predictions, elapsed);
    }
    if let n_samples_total @ 1.. = read(&monitor.n_samples_total) {
        let (phase, n_samples) = (monitor.phase().as_str(), read(&monitor.n_samples));
        return format!("{phase} · {n_samples}/{n_samples_total} samples");
    }
    let (n_tests, n_samples) = (read(&monitor.n_tests), read(&monitor.n_samples));
    let rate = n_tests as f64 / elapsed.as_secs_f64().max(0.001);
    let (n_files, n_files_total) = (read(&monitor.n_files), read(&monitor.n_files_total));
    let mut text = format!("{n_files}/{n_files_total} files  ");
    if n_repos_total > 1 {
        text.push_str(&format!("repository {}/{n_repos_total} · ", n_repos + 1));
    }
    text.push_str(&format!(
        "{} · {n_tests} tests · {n_samples} samples · {rate:.0} tests/s",
        monitor.phase().as_str()
    ));
    if let Some(left) = left(monitor, elapsed) {
        text.push_str(&format!(" · {} left", seconds(left)));
    }
    text
}

fn predictions_line(monitor: &Monitor, n_predictions: u64, elapsed: Duration) -> String {
    let rate = n_predictions as f64 / elapsed.as_secs_f64().max(0.001);
    let phase = monitor.phase().as_str();
    match read(&monitor.n_predictions_total) {
        0 => format!("{phase} · {n_predictions} predictions · {rate:.0}/s"),
        total => {
            let left = total.saturating_sub(n_predictions) as f64 / rate;
            let left = seconds(Duration::from_secs_f64(left));
            format!("{phase} · {n_predictions}/{total} predictions · {rate:.0}/s · {left} left")
        }
    }
}

/// Repositories not yet opened have unknown sizes, so they count as the average of those that are done.
fn left(monitor: &Monitor, elapsed: Duration) -> Option<Duration> {
    let (n_repos, n_repos_total) = (read(&monitor.n_repos), read(&monitor.n_repos_total));
    let (n_files, n_files_total) = (read(&monitor.n_files), read(&monitor.n_files_total));
    if monitor.phase() == Phase::Starting || n_files_total == 0 || n_repos_total == 0 {
        return None;
    }
    let of_current = (n_files as f64 / n_files_total as f64).min(0.99);
    let done = (n_repos as f64 + of_current) / n_repos_total as f64;
    (done > 0.05).then(|| elapsed.mul_f64((1.0 - done) / done))
}

fn seconds(duration: Duration) -> String {
    let total = duration.as_secs();
    if total >= 60 {
        format!("{} min {:02} s", total / 60, total % 60)
    } else {
        format!("{total} s")
    }
}
