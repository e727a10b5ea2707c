//! The terminal: entering and leaving it, its input, its signals, its clipboard.
//!
//! The only place that knows the terminal library's events and commands. Decides when the UI has the terminal; does not
//! decide what is drawn.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::os::unix::net::UnixStream;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as TermEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, event, execute, queue, terminal};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::{SigId, low_level};

use crate::event::{Mouse, MouseKind, Notice, UiEvent};
use crate::key::{Code, KeyPress};

/// Everything that wakes up the UI thread.
#[derive(Debug)]
pub enum LoopEvent {
    /// From the input thread, which waits until it is handled.
    Input(UiEvent),
    Event(UiEvent),
    /// A signal that ends the program.
    Stop(i32),
    /// The program goes on after it was stopped.
    Continued,
    /// The terminal is gone.
    Lost,
}

/// What is known about the way of a copied text: no terminal confirms that it took one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clipboard {
    #[default]
    Unknown,
    /// Between the UI and the terminal is a program that may need a setting; the text names it.
    Between(&'static str),
    /// The text does not arrive; the reason.
    Deaf(&'static str),
}

impl Clipboard {
    /// Guesses from the environment.
    #[must_use]
    pub fn detect(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|text| !text.is_empty());
        let term = variable("TERM").unwrap_or_default();
        if is_set("TMUX") || term.starts_with("tmux") {
            Self::Between("(tmux: needs set-clipboard on)")
        } else if is_set("STY") {
            Self::Deaf("(screen does not pass it on)")
        } else if term == "linux" {
            Self::Deaf("(the console has no clipboard)")
        } else if variable("TERM_PROGRAM").as_deref() == Some("Apple_Terminal") {
            Self::Deaf("(Terminal.app does not take it)")
        } else if is_set("SSH_TTY") || is_set("SSH_CONNECTION") {
            Self::Between("(ssh: into the clipboard there; the terminal does not confirm)")
        } else {
            Self::Unknown
        }
    }

    /// Returns the note about the clipboard, for the message about a copied text.
    #[must_use]
    pub const fn note(self) -> &'static str {
        match self {
            Self::Unknown => "(the terminal does not confirm)",
            Self::Between(note) | Self::Deaf(note) => note,
        }
    }
}

/// Whether the UI has the terminal: leaving twice, such as from two threads, must do nothing.
static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// Whether frames go to the terminal device, because standard output serves something else.
static IS_TERMINAL_ITSELF: AtomicBool = AtomicBool::new(false);

/// The terminal of the process, even with redirected streams.
const TERMINAL: &str = "/dev/tty";

/// The destination of frames.
#[derive(Debug)]
pub enum FrameOutput {
    Standard(Stdout),
    /// The terminal device.
    Terminal(File),
}

impl FrameOutput {
    #[must_use]
    pub fn standard() -> Self {
        IS_TERMINAL_ITSELF.store(false, Ordering::SeqCst);
        Self::Standard(io::stdout())
    }

    /// Opens the terminal of the process.
    ///
    /// # Errors
    /// The process has no terminal.
    pub fn terminal() -> io::Result<Self> {
        let file = File::options().write(true).open(TERMINAL)?;
        IS_TERMINAL_ITSELF.store(true, Ordering::SeqCst);
        Ok(Self::Terminal(file))
    }
}

impl Write for FrameOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::Terminal(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Terminal(out) => out.flush(),
        }
    }
}

/// The place where the UI is drawn, and whether it hears the mouse.
#[derive(Debug)]
pub struct Surface {
    pub out: FrameOutput,
    pub has_mouse: bool,
}

/// The terminal while the UI has it; dropping gives it back.
#[derive(Debug)]
pub struct TerminalScreen {
    /// Never dropped: the library's own drop prints when it fails, and printing to a terminal that is gone panics.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<FrameOutput>>>>,
    has_mouse: bool,
}

/// Large enough that a frame of any size goes out in few writes.
const BUFFER_BYTES: usize = 64 * 1024;

impl TerminalScreen {
    /// Takes the terminal.
    pub fn enter(surface: Surface) -> io::Result<Self> {
        let Surface { out, has_mouse } = surface;
        let writer = BufWriter::with_capacity(BUFFER_BYTES, out);
        let terminal = Terminal::new(CrosstermBackend::new(writer))?;
        let mut screen = Self {
            terminal: ManuallyDrop::new(terminal),
            has_mouse,
        };
        screen.take()?;
        Ok(screen)
    }

    fn take(&mut self) -> io::Result<()> {
        IS_ENTERED.store(true, Ordering::SeqCst);
        terminal::enable_raw_mode()?;
        let out = self.terminal.backend_mut();
        queue!(
            out,
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
        if self.has_mouse {
            queue!(out, EnableMouseCapture)?;
        }
        Write::flush(out)
    }

    /// Takes the terminal again after [`leave`], or after the program was stopped from outside.
    pub fn enter_again(&mut self) -> io::Result<()> {
        // The shell may have changed the modes: the library must forget that it has set them.
        terminal::disable_raw_mode()?;
        self.take()?;
        self.redraw_all()
    }

    /// Forgets the content of the screen, so that the next frame is written whole. It avoids `Terminal::clear`, which
    /// asks the terminal for its cursor and waits.
    pub fn redraw_all(&mut self) -> io::Result<()> {
        let Size { width, height } = self.size()?;
        self.terminal.resize(Rect::new(0, 0, width, height))
    }

    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Writes the frame that `paint` fills; `paint` returns the place of the cursor. Only changes are written, and the
    /// terminal shows them all at once.
    pub fn draw(&mut self, paint: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| {
            if let Some(position) = paint(frame.buffer_mut()) {
                frame.set_cursor_position(position);
            }
        })?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    /// Sends `text` to the terminal for the clipboard (OSC 52); the terminal does not confirm.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let command = CopyToClipboard::to_clipboard_from(text);
        execute!(self.terminal.backend_mut(), command)
    }

    /// Stops the program as `^Z` does elsewhere, and takes the terminal again when it goes on.
    pub fn suspend(&mut self) -> io::Result<()> {
        leave();
        // Where nobody can continue the program (no shell above), the system ignores this, and it goes on at once.
        low_level::raise(SIGTSTP)?;
        self.enter_again()
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        leave();
    }
}

/// Asks the system for the size of the terminal; nothing where it is unknown.
pub fn size() -> Option<Size> {
    let (width, height) = terminal::size().ok()?;
    (width > 0 && height > 0).then_some(Size { width, height })
}

/// Gives the terminal back; does nothing when the UI does not have it. Called at the end, in a panic, and before an
/// editor.
pub fn leave() {
    if !IS_ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let standard = || FrameOutput::Standard(io::stdout());
    let mut out = if IS_TERMINAL_ITSELF.load(Ordering::SeqCst) {
        FrameOutput::terminal().unwrap_or_else(|_| standard())
    } else {
        standard()
    };
    // On the way out, nobody can be told.
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = terminal::disable_raw_mode();
}

/// Restores the terminal when the UI thread panics; a worker's panic becomes an event and the UI lives on.
#[derive(Debug)]
pub struct PanicHook;

impl PanicHook {
    /// Takes over the panic hook; the calling thread is taken for the UI thread.
    #[must_use]
    pub fn install(event_sender: Sender<LoopEvent>) -> Self {
        let ui_thread = thread::current().id();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == ui_thread {
                leave();
                before(info);
            } else {
                let notice = Notice::Broken(info.to_string().replace('\n', " "));
                // After the end of the UI, nobody can be told.
                let _ = event_sender.send(LoopEvent::Event(UiEvent::Notice(notice)));
            }
        }));
        Self
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        // The earlier hook was moved into this one; the default is what it almost always was.
        if !thread::panicking() {
            drop(panic::take_hook());
        }
    }
}

/// Permission of the input thread for its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credit {
    /// Reads the next event.
    Read,
    /// First throws away the keys that were typed while another program had the terminal.
    Drain,
}

/// Starts the thread that reads keys. After each event it waits for a credit; until it gets one, another program (an
/// editor, the shell) has the terminal's input alone.
pub fn start_input(event_sender: Sender<LoopEvent>) -> Sender<Credit> {
    let (credits, granted) = crossbeam_channel::unbounded();
    thread::spawn(move || read_input(&event_sender, &granted));
    credits
}

/// The same key again within this time is a repeat of the keyboard, not a second press: nobody judges two samples so
/// fast. Terminals can report repeats only in a mode that loses keys of other layouts.
const REPEAT: Duration = Duration::from_millis(200);

/// Tells a key that is held down from one that is pressed again.
#[derive(Debug, Default)]
struct KeyHoldDetector(Option<(KeyPress, Instant)>);

impl KeyHoldDetector {
    fn event(&mut self, key: KeyPress, now: Instant) -> UiEvent {
        let before = self.0.replace((key, now));
        match before {
            Some((same, at)) if same == key && now.duration_since(at) < REPEAT => {
                UiEvent::Repeat(key)
            }
            _ => UiEvent::Key(key),
        }
    }
}

/// Two clicks at one place within this time are a double click, as on desktops.
const DOUBLE: Duration = Duration::from_millis(400);

/// Tells a double click from two clicks.
#[derive(Debug, Default)]
struct DoubleClickDetector(Option<(Position, Instant)>);

impl DoubleClickDetector {
    fn event(&mut self, mouse: Mouse, now: Instant) -> UiEvent {
        let is_click = mouse.kind == MouseKind::Click;
        let before = self.0.take();
        let is_second =
            before.is_some_and(|(at, when)| at == mouse.at && now.duration_since(when) < DOUBLE);
        if is_click && is_second {
            let kind = MouseKind::DoubleClick;
            return UiEvent::Mouse(Mouse { kind, ..mouse });
        }
        // A third click begins anew.
        self.0 = is_click.then_some((mouse.at, now));
        UiEvent::Mouse(mouse)
    }
}

fn read_input(event_sender: &Sender<LoopEvent>, granted: &Receiver<Credit>) {
    let mut held = KeyHoldDetector::default();
    let mut clicked = DoubleClickDetector::default();
    loop {
        let Ok(read) = event::read() else {
            // If the UI has ended first, nobody listens.
            let _ = event_sender.send(LoopEvent::Lost);
            return;
        };
        let Some(event) = translate(read) else {
            continue;
        };
        let event = match event {
            UiEvent::Key(key) => held.event(key, Instant::now()),
            UiEvent::Mouse(mouse) => clicked.event(mouse, Instant::now()),
            other => other,
        };
        if event_sender.send(LoopEvent::Input(event)).is_err() {
            return;
        }
        match granted.recv() {
            Ok(Credit::Read) => {}
            Ok(Credit::Drain) => {
                while event::poll(Duration::from_millis(1)).unwrap_or(false)
                    && event::read().is_ok()
                {}
            }
            Err(_) => return,
        }
    }
}

fn translate(event: TermEvent) -> Option<UiEvent> {
    match event {
        TermEvent::Key(key) => translate_key(key).map(UiEvent::Key),
        TermEvent::Paste(text) => Some(UiEvent::Paste(text)),
        TermEvent::Resize(width, height) => Some(UiEvent::Resize(Size { width, height })),
        TermEvent::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                _ => return None,
            };
            let at = Position::new(mouse.column, mouse.row);
            Some(UiEvent::Mouse(Mouse { at, kind }))
        }
        TermEvent::FocusGained | TermEvent::FocusLost => None,
    }
}

fn translate_key(key: KeyEvent) -> Option<KeyPress> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let code = match key.code {
        KeyCode::Char(char) => Code::Char(char),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        _ => return None,
    };
    // Alt comes from a slip on Esc or from the window manager; it means nothing here.
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(KeyPress { code, control })
}

/// The time in which the UI must end by itself after a signal.
const GRACE: Duration = Duration::from_millis(500);
/// The signals that keys of a terminal in cooked mode send to every program in front, not only to its reader.
const BY_KEYBOARD: [i32; 2] = [SIGINT, SIGQUIT];
const BY_OTHERS: [i32; 3] = [SIGTERM, SIGHUP, SIGCONT];

/// The signals that the UI hears, turned into events by a thread.
#[derive(Debug)]
pub struct Signals {
    wake: UnixStream,
    /// The number of the latest signal.
    last: Arc<AtomicUsize>,
    by_keyboard: Vec<SigId>,
}

impl Signals {
    /// Starts the thread. `ended` is disconnected at the end of the UI; if that does not come in time, the signal gets
    /// its default effect, so that a hanging terminal cannot keep the process alive.
    pub fn start(event_sender: Sender<LoopEvent>, ended: Receiver<()>) -> io::Result<Self> {
        let (reader, wake) = UnixStream::pair()?;
        let last = Arc::new(AtomicUsize::new(0));
        let mut signals = Self {
            wake,
            last: Arc::clone(&last),
            by_keyboard: Vec::new(),
        };
        for signal in BY_OTHERS {
            signals.hear(signal)?;
        }
        signals.hear_keyboard()?;
        thread::spawn(move || read_signals(reader, &last, &event_sender, &ended));
        Ok(signals)
    }

    fn hear(&self, signal: i32) -> io::Result<[SigId; 2]> {
        let number = usize::try_from(signal).expect("signals are counted from 1");
        // Actions run in the order of registration: first the number of the signal is noted, then the thread is woken.
        let last = Arc::clone(&self.last);
        let noted = signal_hook::flag::register_usize(signal, last, number)?;
        let woken = low_level::pipe::register(signal, self.wake.try_clone()?)?;
        Ok([noted, woken])
    }

    fn hear_keyboard(&mut self) -> io::Result<()> {
        for signal in BY_KEYBOARD {
            let ids = self.hear(signal)?;
            self.by_keyboard.extend(ids);
        }
        Ok(())
    }

    /// Lends the terminal to another program while `work` runs: its `^C`, which the system also sends to this process,
    /// is ignored meanwhile. [`TerminalScreen::enter_again`] takes the terminal back.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        // A signal that has a handler without actions is ignored.
        for id in self.by_keyboard.drain(..) {
            low_level::unregister(id);
        }
        let done = work();
        self.hear_keyboard()?;
        Ok(done)
    }
}

fn read_signals(
    mut reader: UnixStream,
    last: &AtomicUsize,
    event_sender: &Sender<LoopEvent>,
    ended: &Receiver<()>,
) {
    let mut byte = [0];
    while io::Read::read_exact(&mut reader, &mut byte).is_ok() {
        let signal = i32::try_from(last.load(Ordering::SeqCst)).unwrap_or(SIGTERM);
        let wire = if signal == SIGCONT {
            LoopEvent::Continued
        } else {
            LoopEvent::Stop(signal)
        };
        // After the end of the UI, there is nothing to do.
        let _ = event_sender.send(wire);
        let is_end = signal != SIGCONT;
        if is_end && ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            // Fails only for signals that do not exist.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_the_way_to_the_clipboard_is_said() {
        let check = |set: &'static [(&str, &str)], expected: &str| {
            let variable = |name: &str| {
                let found = set.iter().find(|pair| pair.0 == name);
                found.map(|found| found.1.to_owned())
            };
            let note = Clipboard::detect(&variable).note();
            assert!(note.contains(expected), "{note}");
        };
        check(
            &[("TERM", "xterm-256color"), ("TMUX", "")],
            "does not confirm",
        );
        check(
            &[("TERM", "screen-256color"), ("TMUX", "/tmp/x")],
            "set-clipboard on",
        );
        check(&[("TERM", "tmux-256color")], "set-clipboard on");
        check(
            &[("TERM", "screen"), ("STY", "1.pts")],
            "does not pass it on",
        );
        check(&[("TERM", "linux")], "no clipboard");
        check(&[("SSH_TTY", "/dev/pts/1")], "ssh");
    }

    fn check(code: KeyCode, modifiers: KeyModifiers, expected: Option<KeyPress>) {
        assert_eq!(translate_key(KeyEvent::new(code, modifiers)), expected);
    }

    #[test]
    fn keys_are_translated_and_alt_is_ignored() {
        check(
            KeyCode::Char('G'),
            KeyModifiers::SHIFT,
            Some(KeyPress::char('G')),
        );
        check(
            KeyCode::Char('d'),
            KeyModifiers::CONTROL,
            Some(KeyPress::control('d')),
        );
        check(KeyCode::Char('x'), KeyModifiers::ALT, None);
        check(KeyCode::F(5), KeyModifiers::NONE, None);
    }

    #[test]
    fn two_clicks_at_one_place_are_one_double_click() {
        let mut clicked = DoubleClickDetector::default();
        let begin = Instant::now();
        let mut check = |x: u16, at_ms: u64, expected: MouseKind| {
            let now = begin + Duration::from_millis(at_ms);
            let mouse = |kind| Mouse {
                at: Position::new(x, 3),
                kind,
            };
            let told = clicked.event(mouse(MouseKind::Click), now);
            assert_eq!(told, UiEvent::Mouse(mouse(expected)), "at {at_ms} ms");
        };
        check(5, 0, MouseKind::Click);
        check(5, 200, MouseKind::DoubleClick);
        // A third one is the first of two.
        check(5, 300, MouseKind::Click);
        check(6, 400, MouseKind::Click);
        check(6, 900, MouseKind::Click);
    }

    #[test]
    fn a_key_that_is_held_down_is_told_from_one_that_is_pressed_again() {
        let mut held = KeyHoldDetector::default();
        let begin = Instant::now();
        let mut check = |key: KeyPress, at_ms: u64, expected: UiEvent| {
            let now = begin + Duration::from_millis(at_ms);
            assert_eq!(held.event(key, now), expected, "at {at_ms} ms");
        };
        let (a, x) = (KeyPress::char('a'), KeyPress::char('x'));
        check(a, 0, UiEvent::Key(a));
        check(x, 30, UiEvent::Key(x));
        check(a, 60, UiEvent::Key(a));
        check(a, 560, UiEvent::Key(a));
        // Each repeat counts from the one before, however long the key is held.
        check(a, 590, UiEvent::Repeat(a));
        check(a, 780, UiEvent::Repeat(a));
        check(a, 990, UiEvent::Key(a));
    }

    #[test]
    fn a_released_key_is_no_key() {
        let key =
            KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(translate_key(key), None);
    }
}
