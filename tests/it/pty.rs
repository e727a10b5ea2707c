//! The program in a real terminal (a pseudo-terminal and an emulator): behaviour that only shows there.
//!
//! No step sleeps: each waits until the screen shows something or the program ends, and fails after a deadline.

use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use focalist::store::{Store, StoreAccess};
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use crate::support::Place;

/// The deadline. Only a failing test waits this long; it must exceed every delay of a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// The output that the emulator has received so far.
pub(crate) struct Seen {
    parser: vt100::Parser,
    /// All bytes, for sequences that the emulator does not keep.
    bytes: Vec<u8>,
    /// Whether the terminal's output has ended, or is no longer read.
    is_closed: bool,
}

pub(crate) struct Session {
    /// Absent once another thread waits for it.
    child: Option<Box<dyn Child + Send + Sync>>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Session {
    /// Starts the program on the sample data in a terminal of 80 by 24.
    pub(crate) fn start(place: &Place, environment: &[(&str, &str)]) -> Self {
        Self::start_with(place, &[], environment)
    }

    /// Starts the program with arguments.
    pub(crate) fn start_with(place: &Place, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_focalist"));
        command.arg("--workspace");
        command.arg(place.path(""));
        command.args(["--config", "/dev/null"]);
        command.args(args);
        Self::start_command(place, command, environment)
    }

    /// Starts a script for a shell, in which `$FOCALIST` is the program and `ada` the annotator.
    pub(crate) fn start_script(place: &Place, script: &str) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script]);
        command.env("FOCALIST", env!("CARGO_BIN_EXE_focalist"));
        Self::start_command(place, command, &[("USER", "ada")])
    }

    fn start_command(
        place: &Place,
        mut command: CommandBuilder,
        environment: &[(&str, &str)],
    ) -> Self {
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo terminal can be opened");
        command.cwd(place.path(""));
        for name in ["NO_COLOR", "COLORTERM", "COLORFGBG", "VISUAL", "EDITOR"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", place.path("state"));
        for name in ["TMUX", "STY", "SSH_TTY", "SSH_CONNECTION", "TERM_PROGRAM"] {
            command.env_remove(name);
        }
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program can be started");
        drop(pair.slave);
        let reader = pair
            .master
            .try_clone_reader()
            .expect("the terminal can be read");
        let seen = Arc::new((
            Mutex::new(Seen {
                parser: vt100::Parser::new(cells(24), cells(80), 0),
                bytes: Vec::new(),
                is_closed: false,
            }),
            Condvar::new(),
        ));
        thread::spawn({
            let seen = Arc::clone(&seen);
            move || watch(reader, &seen)
        });
        let keyboard = pair
            .master
            .take_writer()
            .expect("the terminal can be written");
        Self {
            child: Some(child),
            master: pair.master,
            keyboard,
            seen,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard
            .write_all(keys.as_bytes())
            .and_then(|()| self.keyboard.flush())
            .expect("the program reads its keyboard");
    }

    /// Waits until the screen meets a condition.
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        self.wait_until(what, |seen| is_so(seen.parser.screen()));
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&Seen) -> bool) {
        let (seen, changed) = &*self.seen;
        let end = Instant::now() + DEADLINE;
        let mut guard = seen.lock().unwrap_or_else(PoisonError::into_inner);
        while !is_so(&guard) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited in vain: {what}; the screen:\n{}",
                guard.parser.screen().contents()
            );
            (guard, _) = changed
                .wait_timeout(guard, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads something from the current screen.
    pub(crate) fn read<T>(&self, of: impl Fn(&vt100::Screen) -> T) -> T {
        let guard = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        of(guard.parser.screen())
    }

    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits until a text has been printed, even if it has scrolled off the screen since.
    pub(crate) fn wait_said(&self, text: &str) {
        self.wait_until(text, |seen| {
            let mut places = seen.bytes.windows(text.len());
            places.any(|place| place == text.as_bytes())
        });
    }

    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        let (seen, _) = &*self.seen;
        let mut guard = seen.lock().unwrap_or_else(PoisonError::into_inner);
        guard.parser.screen_mut().set_size(cells(rows), cells(cols));
        drop(guard);
        self.master
            .resize(PtySize {
                rows,
                cols,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("the terminal can be resized");
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.as_ref().and_then(|child| child.process_id());
        let pid = pid.expect("the program runs");
        let sent = Command::new("kill")
            .args([format!("-{name}"), pid.to_string()])
            .status()
            .expect("`kill` is there");
        assert!(sent.success());
    }

    /// Waits for the program's end.
    pub(crate) fn end(mut self) -> (ExitStatus, vt100::Screen) {
        self.wait_until("the end of the output", |seen| seen.is_closed);
        let status = wait_for_end(self.child.take().expect("nobody else waits for it"));
        let guard = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        (status, guard.parser.screen().clone())
    }

    /// Closes the terminal, as a lost connection does; returns the program.
    pub(crate) fn vanish(mut self) -> Box<dyn Child + Send + Sync> {
        self.seen
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_closed = true;
        // The next output ends the reader, which holds the terminal too.
        self.press("j");
        self.child.take().expect("nobody else waits for it")
    }
}

impl Drop for Session {
    /// Kills the program when a test fails: a thread of the test keeps the terminal open, so the program would not
    /// notice the end.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself.
            let _killed = child.kill();
            let _ended = child.wait();
        }
    }
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).expect("no test has a terminal without cells")
}

pub(crate) fn wait_for_end(mut child: Box<dyn Child + Send + Sync>) -> ExitStatus {
    let mut killer = child.clone_killer();
    let (ended, status) = mpsc::channel();
    thread::spawn(move || ended.send(child.wait()));
    let ended = status.recv_timeout(DEADLINE);
    if ended.is_err() {
        // It may have ended just now.
        let _killed = killer.kill();
    }
    ended
        .expect("the program ends in time")
        .expect("its status is known")
}

fn watch(mut reader: Box<dyn Read + Send>, seen: &(Mutex<Seen>, Condvar)) {
    let mut bytes = [0; 8192];
    loop {
        let n_bytes = reader.read(&mut bytes).unwrap_or(0);
        let mut guard = seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        if n_bytes == 0 || guard.is_closed {
            guard.is_closed = true;
            seen.1.notify_all();
            return;
        }
        guard.parser.process(&bytes[..n_bytes]);
        guard.bytes.extend_from_slice(&bytes[..n_bytes]);
        seen.1.notify_all();
    }
}

pub(crate) fn assert_given_back(screen: &vt100::Screen) {
    assert!(!screen.alternate_screen(), "the main screen is back");
    assert!(!screen.hide_cursor(), "the cursor is back");
    assert!(!screen.bracketed_paste(), "pasting is plain again");
}

#[test]
fn the_first_screen_comes_and_quitting_gives_the_terminal_back() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.wait("the alternate screen", vt100::Screen::alternate_screen);
    session.press("gs");
    session.wait_for("1/69");
    session.press("qq");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
}

#[test]
fn an_empty_workspace_opens_and_says_what_to_do() {
    let place = Place::new();
    let mut session = Session::start(&place, &[]);
    session.wait_for("focalist demo");
    session.press("q");
    let (status, _) = session.end();
    assert!(status.success());
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let place = Place::with_sample_data();
    for (name, code) in [("TERM", 143), ("INT", 130), ("QUIT", 131)] {
        let session = Session::start(&place, &[]);
        session.wait_for("69 tests");
        session.signal(name);
        let (status, screen) = session.end();
        assert_eq!(status.exit_code(), code, "{name}");
        assert_given_back(&screen);
    }
}

type Leave = fn(Session) -> ExitStatus;

#[test]
fn however_one_leaves_one_comes_back_to_the_same_row() {
    let place = Place::with_sample_data();
    write_predictions(&place);
    let answers = place.path("answers.jsonl").to_string_lossy().into_owned();
    for name in ["first", "second"] {
        place.run(&["import", &answers, "--run", name]).success();
    }
    place.run(&["eval"]).success();
    let leaves: [(&str, Leave); 4] = [
        ("q", |mut session| {
            session.press("qq");
            session.end().0
        }),
        ("^C", |mut session| {
            session.press("\u{3}");
            session.wait_for("^c again quits");
            session.press("\u{3}");
            session.end().0
        }),
        ("TERM", |session| {
            session.signal("TERM");
            session.end().0
        }),
        ("HUP", |session| {
            session.signal("HUP");
            session.end().0
        }),
    ];
    // Each step ends with what is only there when the rows are.
    let screens = [
        [
            ("gr", "second · every prediction · f filters · 36"),
            ("Rfirst\r", "first · every prediction · f filters · 36"),
            ("jj", "▌ Frac….plusFindsACommonDenominator"),
        ],
        [
            ("gc", "worst first in BLEU"),
            ("mem\r", "worst first in EM"),
            ("jj", "▌ Bookin"),
        ],
    ];
    for (steps, (name, leave)) in screens
        .iter()
        .flat_map(|screen| leaves.map(|leave| (screen, leave)))
    {
        // Each begins anew.
        let state = place.path("state");
        if state.exists() {
            std::fs::remove_dir_all(state).expect("what is kept can be removed");
        }
        let mut session = Session::start(&place, &[]);
        session.wait_for("69 tests");
        for (keys, shown) in steps {
            session.press(keys);
            session.wait_for(shown);
        }
        leave(session);
        let session = Session::start(&place, &[]);
        let what = format!("the same after {name}");
        session.wait(&what, |screen| {
            let screen = screen.contents();
            steps[1..].iter().all(|(_, shown)| screen.contains(shown))
        });
    }
}

#[test]
fn another_size_is_drawn_anew() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gs");
    session.wait_for("1/69");
    session.resize(50, 200);
    session.wait("three columns", |screen| {
        let row = screen.rows(0, 200).nth(2).unwrap_or_default();
        row.contains("samples") && row.contains("test ·") && row.contains("focal")
    });
    session.resize(16, 59);
    session.wait_for("focalist needs 60×16");
    session.resize(24, 80);
    session.wait_for("1/69");
    session.press("q");
    session.wait_for("funnel");
}

#[test]
fn without_colours_the_selection_still_shows() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &[("NO_COLOR", "1")]);
    session.wait_for("69 tests");
    session.press("gsj");
    session.wait_for("2/69");
    session.wait("a reversed row and no colour", |screen| {
        let cells = (0..80).filter_map(|column| screen.cell(5, column));
        let n_reversed = cells.filter(|cell| cell.inverse()).count();
        let all = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        let is_plain = all
            .filter_map(|(row, column)| screen.cell(row, column))
            .all(|cell| {
                cell.fgcolor() == vt100::Color::Default && cell.bgcolor() == vt100::Color::Default
            });
        n_reversed > 70 && is_plain
    });
}

#[test]
fn a_terminal_that_vanishes_ends_the_program() {
    let place = Place::with_sample_data();
    let session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    let status = wait_for_end(session.vanish());
    assert_ne!(status.exit_code(), 101, "it ends without a panic");
}

#[test]
fn the_editor_has_the_keyboard_to_itself() {
    let place = Place::with_sample_data();
    let editor = place.write(
        "editor.sh",
        "#!/bin/sh\ntrap '' INT\necho in the editor\nread line\necho \"$1 $line\" > edited\n",
    );
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755))
        .expect("the script can be made executable");
    let editor = editor.to_string_lossy().into_owned();
    let mut session = Session::start(&place, &[("EDITOR", &editor)]);
    session.wait_for("69 tests");
    session.press("gs");
    session.wait_for("1/69");
    session.wait_for("@Test");
    session.press("e");
    session.wait("the editor's screen", |screen| {
        !screen.alternate_screen() && screen.contents().contains("in the editor")
    });
    // The system sends ^C to us too, as long as the editor has not made the terminal raw.
    session.press("\u{3}");
    session.wait_for("^C");
    session.press("qqq\n");
    session.wait_for("back from the editor");
    session.press("j");
    session.wait_for("2/69");
    let edited = std::fs::read_to_string(place.path("edited")).expect("the editor has written");
    assert!(
        edited.starts_with('+') && edited.trim_end().ends_with("qqq"),
        "{edited}"
    );
}

#[test]
fn suspending_where_nobody_can_wake_us_comes_straight_back() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("\u{1a}");
    session.wait_until("the alternate screen a second time", |seen| {
        let enters = b"\x1b[?1049h";
        let windows = seen.bytes.windows(enters.len());
        windows.filter(|window| window == enters).count() == 2
    });
    session.signal("TERM");
    let (_, screen) = session.end();
    assert_given_back(&screen);
}

#[test]
fn a_copy_reaches_the_terminal() {
    let place = Place::with_sample_data();
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gs");
    session.wait_for("@Test");
    session.press("yi");
    session.wait_for("copied the sample's key · 32 B");
    session.wait_until("the clipboard's sequence", |seen| {
        let sequence = b"\x1b]52;c;";
        seen.bytes
            .windows(sequence.len())
            .any(|window| window == sequence)
    });
}

/// Writes an answer to every sample.
fn write_predictions(place: &Place) {
    let samples = place.run(&["export", "--format", "jsonl"]).success();
    let lines = samples.lines().map(|line| {
        let sample: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        let prediction = &sample["assertion"];
        let record = serde_json::json!({ "sample": sample["key"], "prediction": prediction });
        format!("{record}\n")
    });
    place.write("answers.jsonl", lines.collect::<String>());
}

#[test]
fn a_run_is_imported_evaluated_and_removed_from_the_keyboard() {
    let place = Place::with_sample_data();
    write_predictions(&place);
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gR");
    session.wait_for("No run has been imported yet.");
    session.press("i");
    session.press("ans");
    session.wait_for("answers.jsonl");
    session.press("\t\r");
    session.wait_for("import #2 done");
    let writer = Store::open(&place.path(".focalist"), StoreAccess::Write).expect("it was mined");
    session.press("dy");
    session.wait_for("that failed");
    session.wait_for("a job is writing the index");
    session.press("qe");
    session.wait_for("eval 3 queued");
    drop(writer);
    session.wait_for("eval #3 done");
    session.wait_for("100.00");
    session.press("dy");
    session.wait_for("removed answers");
    session.wait_for("No run has been imported yet.");
    session.press("qq");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
}

#[test]
fn an_import_that_waits_for_ever_hinders_nobody_and_is_cancelled() {
    let place = Place::with_sample_data();
    // Nobody writes into it.
    let made = Command::new("mkfifo")
        .arg(place.path("pipe.jsonl"))
        .status();
    assert!(made.expect("`mkfifo` is there").success());
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gRipipe.jsonl\r");
    session.wait_for("started · gj shows it");
    session.press("qq");
    let (status, screen) = session.end();
    assert!(status.success());
    assert_given_back(&screen);
    assert!(screen.contents().contains("continues"));
    let mut session = Session::start(&place, &[]);
    session.wait_for("69 tests");
    session.press("gj");
    session.wait_for("import");
    session.press("x");
    session.wait_for("– cancelled");
    session.press("gR");
    session.wait_for("No run has been imported yet.");
}
