//! Runs the program in a pseudo-terminal of 120 by 40, and measures its response times.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const COLUMNS: u16 = 120;
const ROWS: u16 = 40;
const DEADLINE: Duration = Duration::from_secs(60);
/// The time limit for the response to a key.
const PATIENCE: Duration = Duration::from_secs(5);
/// The screen is complete when nothing has arrived for this long: three frames.
const QUIET: Duration = Duration::from_millis(50);
/// The bytes that end a frame.
const END_OF_FRAME: &[u8] = b"\x1b[?2026l";

/// The output that the emulator has received so far.
struct Seen {
    parser: vt100::Parser,
    n_bytes: usize,
    /// The time at which the last byte of a complete frame arrived.
    last_at: Instant,
    /// The last bytes: a frame's end may arrive in two parts.
    tail: Vec<u8>,
    /// The number of bytes that had arrived at the end of each frame.
    frames: Vec<usize>,
    is_closed: bool,
}

pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    _master: Box<dyn MasterPty + Send>,
    pub started: Instant,
}

/// The effects of a key.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// The time until the expected frame.
    pub painted: Duration,
    /// The size of the first frame.
    pub n_bytes_first: usize,
    /// The time until the last frame that it caused, including colours.
    pub settled: Duration,
    pub n_bytes: usize,
}

impl Seen {
    /// Searches for the ends of frames.
    fn take(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
        let ends = self.tail.windows(END_OF_FRAME.len()).enumerate();
        let ends: Vec<usize> = ends
            .filter(|(_, bytes)| *bytes == END_OF_FRAME)
            .map(|(at, _)| at + END_OF_FRAME.len())
            .collect();
        let first = self.n_bytes - self.tail.len();
        self.frames.extend(ends.iter().map(|end| first + end));
        if let Some(last) = ends.last() {
            self.tail.drain(..last);
        }
    }
}

impl Terminal {
    /// Starts the program on a workspace.
    pub fn start(workspace: &Path) -> Self {
        Self::with_colors(workspace, "truecolor")
    }

    /// Starts the program in a terminal with this colour setting.
    pub fn with_colors(workspace: &Path, colors: &str) -> Self {
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal can be opened");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_focalist"));
        command.arg("--workspace");
        command.arg(workspace);
        command.cwd(workspace);
        for name in ["NO_COLOR", "COLORFGBG", "VISUAL", "EDITOR"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", colors);
        command.env("USER", "ada");
        let cells = |n| NonZero::new(n).expect("the terminal has cells");
        let reader = pair
            .master
            .try_clone_reader()
            .expect("the terminal can be read");
        let keyboard = pair
            .master
            .take_writer()
            .expect("the terminal can be written");
        let started = Instant::now();
        let seen = Arc::new((
            Mutex::new(Seen {
                parser: vt100::Parser::new(cells(ROWS), cells(COLUMNS), 0),
                n_bytes: 0,
                last_at: started,
                tail: Vec::new(),
                frames: Vec::new(),
                is_closed: false,
            }),
            Condvar::new(),
        ));
        thread::spawn({
            let seen = Arc::clone(&seen);
            move || watch(reader, &seen)
        });
        let started = Instant::now();
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program can be started");
        drop(pair.slave);
        Self {
            child,
            keyboard,
            seen,
            _master: pair.master,
            started,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("the program runs")
    }

    pub fn n_bytes(&self) -> usize {
        self.lock().n_bytes
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn press(&mut self, keys: &str) {
        self.keyboard
            .write_all(keys.as_bytes())
            .and_then(|()| self.keyboard.flush())
            .expect("the program reads its keyboard");
    }

    /// Waits for a complete frame that meets a condition.
    pub fn wait(&self, what: &str, is_so: &dyn Fn(&str) -> bool) -> Instant {
        match self.wait_for(DEADLINE, is_so) {
            Some(at) => at,
            None => panic!("waited in vain: {what}; the screen:\n{}", self.text()),
        }
    }

    /// Returns the time of the first complete frame that meets a condition; nothing when none arrived in time.
    fn wait_for(&self, patience: Duration, is_so: &dyn Fn(&str) -> bool) -> Option<Instant> {
        let end = Instant::now() + patience;
        let mut seen = self.lock();
        loop {
            if seen.tail.is_empty() && is_so(&seen.parser.screen().contents()) {
                return Some(seen.last_at);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.is_closed {
                return None;
            }
            let waited = self.seen.1.wait_timeout(seen, left);
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until nothing more arrives, and returns the time of the last byte.
    pub fn wait_for_quiet(&self) -> Instant {
        let mut seen = self.lock();
        loop {
            let left = (seen.last_at + QUIET).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return seen.last_at;
            }
            let waited = self.seen.1.wait_timeout(seen, left);
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reads the screen's text, row by row.
    pub fn text(&self) -> String {
        self.lock().parser.screen().contents()
    }

    /// Presses keys and waits for a frame that they cause; returns nothing when none arrives in time.
    pub fn try_stroke(&mut self, keys: &str, is_so: &dyn Fn(&str) -> bool) -> Option<Stroke> {
        let (before, n_frames) = {
            let seen = self.lock();
            (seen.n_bytes, seen.frames.len())
        };
        let pressed = Instant::now();
        self.press(keys);
        let painted_at = self.wait_for(PATIENCE, is_so)?;
        let settled_at = self.wait_for_quiet();
        let first = self.lock().frames.get(n_frames).copied();
        Some(Stroke {
            painted: painted_at.saturating_duration_since(pressed),
            n_bytes_first: first.unwrap_or(before) - before,
            settled: settled_at.saturating_duration_since(pressed),
            n_bytes: self.n_bytes() - before,
        })
    }

    /// Presses keys and waits for a frame that they cause.
    pub fn stroke(&mut self, keys: &str, is_so: &dyn Fn(&str) -> bool) -> Stroke {
        let stroke = self.try_stroke(keys, is_so);
        stroke.unwrap_or_else(|| panic!("{keys:?} led nowhere; the screen:\n{}", self.text()))
    }

    /// Quits the program, and waits for its end.
    pub fn quit(mut self) {
        // Leaves every screen and every question.
        self.press("\x03\x03");
        self.child.wait().expect("the program ends");
    }
}

fn watch(mut reader: Box<dyn Read + Send>, seen: &(Mutex<Seen>, Condvar)) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let n_bytes = reader.read(&mut bytes).unwrap_or(0);
        let now = Instant::now();
        let mut seen_now = seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        if n_bytes == 0 {
            seen_now.is_closed = true;
            seen.1.notify_all();
            return;
        }
        let bytes = &bytes[..n_bytes];
        seen_now.parser.process(bytes);
        seen_now.n_bytes += n_bytes;
        seen_now.last_at = now;
        seen_now.take(bytes);
        seen.1.notify_all();
    }
}
