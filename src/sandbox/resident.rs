//! A program that stays and is talked to, through its own stdin and stdout.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{ChildStdin, ChildStdout};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::task::Monitor;

use super::guard::{Ending, Order, ProgramEnd};
use super::keep::StreamExcerpt;
use super::{FinishedProgram, SandboxError};

/// How often a waiting caller looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// How long a stream may stay open after everybody who could write to it has ended.
const TO_CLOSE: Duration = Duration::from_secs(5);
/// How long it may take to end all of it.
const TO_STOP: Duration = Duration::from_secs(60);
/// How long it may take until the end of a program is noticed that has closed its output.
const TO_END_ALONE: Duration = Duration::from_secs(1);
/// The time that the guard may take to tell what the program has used.
const TO_TELL: Duration = Duration::from_secs(1);
/// Lines that are read ahead; then the program has to wait.
const N_LINES_AHEAD: usize = 64;

/// A program that runs. It ends, with all that it has started, when this is dropped.
pub struct Resident {
    /// Closed when it is dropped. A write waits until the program reads, or ends.
    pub input: Option<ChildStdin>,
    pub output: Option<ChildStdout>,
    pub(crate) streams: ResidentStreams,
    pub(crate) orders: Option<Sender<Order>>,
    pub(crate) done: Receiver<Ending>,
    pub(crate) ending: Option<Ending>,
}

/// Reports how much a program has used, for as long as it runs.
pub struct Meter(Option<Sender<Order>>);

impl Meter {
    /// Measures the processor time of all its processes until now; nothing once it has ended.
    #[must_use]
    pub fn cpu(&self) -> Option<Duration> {
        let (told, used) = bounded(1);
        self.0.as_ref()?.send(Order::Cpu(told)).ok()?;
        used.recv_timeout(TO_TELL).ok()
    }
}

/// The kept parts of its streams.
pub(crate) struct ResidentStreams {
    pub output: Option<Receiver<StreamExcerpt>>,
    pub errors: Receiver<StreamExcerpt>,
}

/// One piece of a program's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputLine {
    /// Without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is too long, whose rest is dropped, or that the program did not end.
    Part(Vec<u8>),
}

impl Resident {
    /// Takes the output as lines of at most `n_bytes_max` bytes. The channel closes when there are no more, so one can
    /// wait for a while, or for several programs at once.
    pub fn lines(&mut self, n_bytes_max: usize) -> Receiver<OutputLine> {
        self.lines_after(n_bytes_max, || ())
    }

    /// Takes the output as [`lines`](Self::lines) does, and calls `first` as soon as the first bytes are there, even
    /// while nobody receives.
    pub fn lines_after(
        &mut self,
        n_bytes_max: usize,
        first: impl FnOnce() + Send + 'static,
    ) -> Receiver<OutputLine> {
        let (sender, lines) = bounded(N_LINES_AHEAD);
        if let Some(output) = self.output.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                if output.fill_buf().is_ok_and(|bytes| !bytes.is_empty()) {
                    first();
                }
                read_lines(output, n_bytes_max, &sender);
            });
        }
        lines
    }

    /// Makes a meter of its processor time.
    #[must_use]
    pub fn meter(&self) -> Meter {
        Meter(self.orders.clone())
    }

    /// Ends it when a time has passed, as at its limit, unless another call sets another time before: a new one for
    /// each question, or none between two of them. While it wants to run and the machine runs others instead, time
    /// stands still; after five times as long it ends all the same.
    pub fn end_after(&self, time: Option<Duration>) {
        if let Some(orders) = &self.orders {
            // Where the guard does not listen any more, the program has ended.
            let _ = orders.send(Order::EndAfter(time));
        }
    }

    /// Opens a channel that is told when a time has passed, counted as for [`end_after`](Self::end_after), which takes
    /// it back.
    #[must_use]
    pub fn tell_after(&self, time: Duration) -> Receiver<()> {
        let (told, over) = bounded(1);
        if let Some(orders) = &self.orders {
            // Where the guard does not listen any more, the program has ended.
            let _ = orders.send(Order::TellAfter(time, told));
        }
        over
    }

    /// Gives it a moment to end by itself, then ends it: a program that closed its output may have been killed by
    /// somebody else, and the guard learns that a little later.
    pub fn stop_soon(&mut self) -> Option<&Ending> {
        if self.ending.is_none() {
            self.ending = self.done.recv_timeout(TO_END_ALONE).ok();
        }
        self.stop()
    }

    /// Ends it now, and waits until nothing of it is left.
    pub fn stop(&mut self) -> Option<&Ending> {
        self.input = None;
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(Order::Stop);
        }
        if self.ending.is_none() {
            self.ending = self.done.recv_timeout(TO_STOP).ok();
        }
        self.ending.as_ref()
    }

    /// Takes its output on stderr, at the first call; it has ended, or has closed stderr.
    #[must_use]
    pub fn errors(&self) -> StreamExcerpt {
        excerpt(&self.streams.errors)
    }

    /// Returns how it ended, once it has.
    pub fn ending(&mut self) -> Option<&Ending> {
        if self.ending.is_none() {
            self.ending = self.done.try_recv().ok();
        }
        self.ending.as_ref()
    }

    /// Closes its stdin and waits until it has ended.
    ///
    /// # Errors
    /// [`SandboxError::Cancelled`], after which it has ended, too; and where it never began.
    pub fn wait(mut self, monitor: &Monitor) -> Result<FinishedProgram, SandboxError> {
        self.input = None;
        while self.ending.is_none() {
            if let Err(cancelled) = monitor.step() {
                self.stop();
                return Err(cancelled.into());
            }
            self.ending = match self.done.recv_timeout(LOOK) {
                Ok(ending) => Some(ending),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Err(SandboxError::Lost),
            };
        }
        let errors = excerpt(&self.streams.errors);
        let output = self
            .streams
            .output
            .as_ref()
            .map_or_else(StreamExcerpt::default, excerpt);
        let ending = self.ending.take().ok_or(SandboxError::Lost)?;
        if ending.end == ProgramEnd::NotStarted {
            let said = errors.text().trim().to_owned();
            return Err(SandboxError::NotStarted { said });
        }
        Ok(FinishedProgram {
            ending,
            output,
            errors,
        })
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.stop();
    }
}

fn excerpt(said: &Receiver<StreamExcerpt>) -> StreamExcerpt {
    // After that time only a process outside could hold the stream open, and none has it.
    said.recv_timeout(TO_CLOSE).unwrap_or_default()
}

fn read_lines(mut output: impl BufRead, n_bytes_max: usize, lines: &Sender<OutputLine>) {
    loop {
        let mut line = Vec::new();
        let limit = n_bytes_max as u64 + 1;
        let line = match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.last() == Some(&b'\n') => {
                line.pop();
                OutputLine::Whole(line)
            }
            Ok(_) => {
                if output.skip_until(b'\n').is_err() {
                    return;
                }
                OutputLine::Part(line)
            }
        };
        if lines.send(line).is_err() {
            break;
        }
    }
    // No one reads any more, but a program that continues to write must not be blocked.
    let _ = io::copy(&mut output, &mut io::sink());
}
