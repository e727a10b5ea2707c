//! The command `train`: the program that trains models, as a job.
//!
//! Finds the program, reads its progress from its log, and stops it. It trains as long as its stdin is open: it ends
//! with a checkpoint when we ask it to, and also when nobody is left to ask.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::args;
use crate::exchange::{WireTrainingStep, training_log};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::JobKind;
use crate::plot::LOG;
use crate::store::StoreAccess;
use crate::table::visible;
use crate::task::{Monitor, Phase, Stretch};
use crate::{Context, progress};

/// The program that trains, which is built on its own.
pub const PROGRAM: &str = "focalist-baseline";
/// The pause between two looks at the training's progress and at a wish to stop: soon enough for a person.
const LOOK: Duration = Duration::from_millis(200);

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Train) -> Result<(), Stop> {
    let program = program(arguments.program.as_deref())?;
    progress::run_job(
        context,
        JobKind::Train,
        StoreAccess::Read,
        |context, monitor| train(context, monitor, (&program, arguments)),
    )
}

/// Finds the program: the one that was named, else that beside this one, else the first in `$PATH`.
fn program(path: Option<&Path>) -> Result<PathBuf, Stop> {
    if let Some(path) = path {
        if path.is_file() {
            // A name alone would be looked for in `$PATH`.
            return Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        }
        let name = visible(&path.to_string_lossy());
        return Err(Failure::new(ExitCode::Usage, format!("`{name}` is not a program")).into());
    }
    found(&env::var_os("PATH").unwrap_or_default()).ok_or_else(|| {
        let message =
            format!("`{PROGRAM}`, which trains models, is neither beside focalist nor in `$PATH`");
        Failure::new(ExitCode::Outside, message)
            .with_hint(
                "it is built on its own: `cargo build --release --manifest-path src/baseline/Cargo.toml --target-dir target`; or say where it is: `--program FILE`",
            )
            .into()
    })
}

/// Finds the program beside this one, else the first in the path.
pub fn found(path: &OsStr) -> Option<PathBuf> {
    let own = env::current_exe().ok();
    let beside = own.and_then(|own| Some(own.parent()?.to_owned()));
    let mut places = beside.into_iter().chain(env::split_paths(path));
    places.find_map(|place| Some(place.join(PROGRAM)).filter(|path| path.is_file()))
}

fn program_arguments(options: &args::Train) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["train", "--resume", "--until-eof"]
        .map(OsString::from)
        .into();
    let paths = [
        ("--train", &options.samples),
        ("--validation", &options.validation),
        ("--vocabulary", &options.vocabulary),
        ("--output", &options.output),
    ];
    for (option, path) in paths {
        arguments.push(option.into());
        arguments.push(path.into());
    }
    arguments.extend(["--config".into(), OsString::from(&options.size)]);
    if let Some(minutes) = options.minutes {
        arguments.extend(["--minutes".into(), minutes.to_string().into()]);
    }
    for (name, value) in &options.set {
        // In one word: what begins with a dash is no option.
        arguments.push(format!("--{name}={value}").into());
    }
    arguments
}

fn train(
    context: &mut Context<'_, '_>,
    monitor: &Monitor,
    (program, arguments): (&Path, &args::Train),
) -> Result<(), Stop> {
    monitor.enter(Phase::Training);
    let cannot = |error: &dyn std::fmt::Display| {
        let program = visible(&program.to_string_lossy());
        Failure::new(
            ExitCode::Outside,
            format!("cannot start `{program}`: {error}"),
        )
    };
    let started = Instant::now();
    let mut command = Command::new(program);
    command
        .args(program_arguments(arguments))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let start = || command.spawn();
    let (mut gauge, child) =
        TrainingGauge::starting(monitor, (&arguments.output, arguments.minutes), start);
    let mut child = child.map_err(|error| cannot(&error))?;
    let stderr = child.stderr.take().map(lines);
    let said = stderr.ok_or_else(|| cannot(&"it has no stderr"))?;
    let mut last = String::new();
    let mut is_asked = false;
    let mut next_look = started + LOOK;
    loop {
        match said.recv_deadline(next_look) {
            Ok(line) => {
                context.say(&line);
                last = line;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // By the clock: a program that never stops talking has a log, too.
        if Instant::now() >= next_look {
            gauge.look(started.elapsed());
            next_look = Instant::now() + LOOK;
        }
        if !is_asked && monitor.step().is_err() {
            is_asked = true;
            // The end of its stdin asks it to stop.
            drop(child.stdin.take());
            context.say("asked to stop: it ends the step and writes a checkpoint");
        }
    }
    let status = ended(&mut child)?;
    gauge.look(started.elapsed());
    monitor.step()?;
    match status.code().and_then(|n| u8::try_from(n).ok()) {
        Some(0) => Ok(()),
        Some(code) => {
            let message = last.strip_prefix("error: ").unwrap_or(&last).to_owned();
            Err(Failure::new(ExitCode::of(code), message).into())
        }
        None => {
            let signal = status.signal().unwrap_or_default();
            let message = format!("`{PROGRAM}` was ended by signal {signal}");
            Err(Failure::new(ExitCode::Outside, message)
                .with_hint("the last checkpoint is kept; run the same command again to continue")
                .into())
        }
    }
}

fn ended(child: &mut Child) -> Result<ExitStatus, Stop> {
    // Some programs wait for the end of what they read.
    drop(child.stdin.take());
    Ok(child
        .wait()
        .map_err(|error| Failure::new(ExitCode::Outside, format!("`{PROGRAM}`: {error}")))?)
}

/// Reads the program's output line by line, on a thread of its own that ends with it.
fn lines(stderr: ChildStderr) -> Receiver<String> {
    let (sender, lines) = crossbeam_channel::unbounded();
    thread::spawn(move || {
        let mut reader = BufReader::new(stderr);
        let mut line = Vec::new();
        // A read error ends it.
        while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    lines
}

/// The progress of the training, by its log and by the clock.
struct TrainingGauge<'m> {
    monitor: &'m Monitor,
    log: PathBuf,
    /// The bytes of the log that were read; a log that a new training has cut is read from its beginning.
    n_read: u64,
    /// The stretch of seconds, and those that are over, where a time was given.
    time: Option<(Stretch<'m>, u64)>,
}

impl<'m> TrainingGauge<'m> {
    /// Notes how long the log is, then starts what writes it: a line that came between the two would be taken for old.
    fn starting<T>(
        monitor: &'m Monitor,
        (folder, minutes): (&Path, Option<f64>),
        start: impl FnOnce() -> T,
    ) -> (Self, T) {
        let gauge = Self::new(monitor, folder, minutes);
        (gauge, start())
    }

    fn new(monitor: &'m Monitor, folder: &Path, minutes: Option<f64>) -> Self {
        #[expect(clippy::cast_sign_loss, reason = "what is negative comes to 0")]
        let seconds = minutes.map(|minute| (minute * 60.0).max(0.0) as u64);
        let time = seconds.filter(|second| *second > 0).map(|seconds| {
            monitor.n_parts_total.store(seconds, Ordering::Relaxed);
            (monitor.stretch(seconds, seconds as usize), 0)
        });
        let log = folder.join(LOG);
        Self {
            monitor,
            // Earlier lines are not progress.
            n_read: log.metadata().map_or(0, |metadata| metadata.len()),
            log,
            time,
        }
    }

    fn look(&mut self, elapsed: Duration) {
        if let Some((stretch, n_seconds)) = &mut self.time {
            let now = elapsed.as_secs();
            stretch.step(now.saturating_sub(*n_seconds));
            *n_seconds = now;
        }
        // A log that cannot be read now is read the next time.
        let Ok(text) = self.news() else { return };
        let (steps, _) = training_log(&text);
        if let Some(last) = steps.iter().rfind(|step| step.loss.is_some()) {
            self.monitor.n_samples.store(last.tokens, Ordering::Relaxed);
            self.monitor.say(words(last));
        }
    }

    /// Reads the whole lines that the log has got since.
    fn news(&mut self) -> std::io::Result<String> {
        let mut file = File::open(&self.log)?;
        let n_bytes = file.metadata()?.len();
        if n_bytes < self.n_read {
            self.n_read = 0;
        }
        file.seek(SeekFrom::Start(self.n_read))?;
        let mut bytes = Vec::new();
        file.take(n_bytes - self.n_read).read_to_end(&mut bytes)?;
        let n_whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |n| n + 1);
        bytes.truncate(n_whole);
        self.n_read += n_whole as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn words(step: &WireTrainingStep) -> String {
    let loss = step.loss.unwrap_or(f64::NAN);
    let mut words = format!("step {} · loss {loss:.3}", step.step);
    if let Some(speed) = step.tokens_per_second {
        words.push_str(&format!(" · {speed:.0} tokens/s"));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{LOG, TrainingGauge};
    use crate::task::Monitor;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn what_a_program_logs_while_it_is_started_is_news() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let log = folder.path().join(LOG);
        let old = "{\"step\":10,\"loss\":9.0,\"tokens\":1}\n";
        fs::write(&log, old).expect("it can be written");
        let monitor = Monitor::default();
        let start = || fs::write(&log, format!("{old}{{\"step\":20,\"loss\":2.5}}\n"));
        let (mut gauge, started) = TrainingGauge::starting(&monitor, (folder.path(), None), start);
        started.expect("it can be written");
        gauge.look(Duration::ZERO);
        assert_eq!(monitor.detail(), "step 20 · loss 2.500");
    }

    #[test]
    fn a_training_is_as_far_as_its_log_says() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let log = folder.path().join(LOG);
        fs::write(&log, "{\"step\":10,\"loss\":9.0,\"tokens\":1}\n").expect("it can be written");
        let monitor = Monitor::default();
        let mut gauge = TrainingGauge::new(&monitor, folder.path(), Some(1.0));
        gauge.look(Duration::ZERO);
        assert_eq!(
            (monitor.detail().as_str(), monitor.progress().n_done),
            ("", 0)
        );
        let step = "{\"step\":20,\"loss\":2.5,\"tokens\":4096,\"tokens_per_second\":512.4}\n";
        let text = fs::read_to_string(&log).expect("it is there") + step + "{\"step\":30,\"lo";
        fs::write(&log, text).expect("it can be written");
        gauge.look(Duration::from_secs(15));
        assert_eq!(monitor.detail(), "step 20 · loss 2.500 · 512 tokens/s");
        assert_eq!(monitor.progress().n_done, 4096);
        assert_eq!(monitor.progress().share(), Some(0.25));
        // A training that begins anew has a shorter log.
        fs::write(&log, "{\"step\":1,\"loss\":9.0}\n").expect("it can be written");
        gauge.look(Duration::from_secs(15));
        assert_eq!(monitor.detail(), "step 1 · loss 9.000");
    }
}
