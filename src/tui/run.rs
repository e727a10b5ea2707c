//! The loop of the UI thread: events in, effects out, sixty frames a second in the long run, nothing at all when idle.
//!
//! Decides when to draw. Owns the terminal; every other thread only sends.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::UiExit;
use crate::app::{App, UiStart};
use crate::chore;
use crate::config::Session;
use crate::editor;
use crate::event::{Effect, Notice, UiEvent};
use crate::own;
use crate::pace::Pace;
use crate::paint::{self, Painter};
use crate::pool::Pool;
use crate::scribe::{self, ScribeRequest};
use crate::term::{self, Credit, LoopEvent, PanicHook, Signals, Surface, TerminalScreen};
use crate::work::TaskThreads;

/// How long running tasks may go on at the end of the program.
const PATIENCE: Duration = Duration::from_secs(2);

/// How the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopEnd {
    Quit,
    Signal(i32),
    /// The terminal is gone.
    Lost,
}

/// Runs the UI until the user or a signal ends it.
pub fn run(
    folder: &Path,
    start: impl FnOnce(ratatui::layout::Size) -> UiStart,
    surface: Surface,
    keep: impl FnOnce(&Session),
) -> io::Result<UiExit> {
    let (event_sender, events) = crossbeam_channel::unbounded();
    let (is_running, ended) = crossbeam_channel::bounded::<()>(0);
    let signals = Signals::start(event_sender.clone(), ended)?;
    let _hook = PanicHook::install(event_sender.clone());
    let mut screen = TerminalScreen::enter(surface)?;
    let (app, effects) = App::new(start(screen.size()?));
    // The first frame is on the screen before any file is opened.
    screen.draw(|buffer| app.draw(buffer))?;
    let (scribe_requests, scribe) = scribe::start(folder, now_ms, {
        let event_sender = event_sender.clone();
        move |written| {
            let notice = Notice::Written(Box::new(written));
            // The UI has ended; the event is on disk all the same.
            drop(event_sender.send(LoopEvent::Event(UiEvent::Notice(notice))));
        }
    });
    let mut ui = Ui {
        app,
        screen,
        signals,
        folder: folder.to_owned(),
        pool: Pool::start(folder, {
            let event_sender = event_sender.clone();
            // The UI has ended: nobody waits for the answer.
            move |reply| drop(event_sender.send(LoopEvent::Event(UiEvent::Reply(reply))))
        }),
        paint_jobs: start_painter(event_sender.clone()),
        credits: term::start_input(event_sender.clone()),
        tasks: TaskThreads::new(folder),
        scribe_requests,
        event_sender,
        pace: Pace::new(Instant::now()),
        wake: None,
        tick: None,
        end: None,
        picked: Vec::new(),
        had_terminal_away: false,
    };
    let end = ui.run(&events, effects);
    let session = ui.app.session();
    let picked = std::mem::take(&mut ui.picked);
    let tasks = std::mem::replace(&mut ui.tasks, TaskThreads::new(folder));
    // Gives the terminal back before anybody learns that the UI has ended.
    drop(ui);
    // Pending verdicts go to disk first: nobody who pressed a key and left loses one.
    let _panicked = scribe.join();
    keep(&session);
    tasks.leave(PATIENCE);
    drop(is_running);
    Ok(match end? {
        LoopEnd::Signal(signal) => UiExit {
            signal: Some(signal),
            ..UiExit::default()
        },
        LoopEnd::Quit => UiExit {
            picked,
            ..UiExit::default()
        },
        LoopEnd::Lost => UiExit::default(),
    })
}

/// Reads the clock in milliseconds since 1970; 0 on a machine whose clock is before that.
fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |duration| {
        i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
    })
}

struct Ui {
    app: App,
    screen: TerminalScreen,
    signals: Signals,
    folder: PathBuf,
    pool: Pool,
    paint_jobs: Sender<paint::PaintJob>,
    credits: Sender<Credit>,
    tasks: TaskThreads,
    scribe_requests: Sender<ScribeRequest>,
    event_sender: Sender<LoopEvent>,
    pace: Pace,
    wake: Option<(Instant, u64)>,
    tick: Option<Instant>,
    end: Option<LoopEnd>,
    picked: Vec<String>,
    /// An editor or the shell had the terminal: keys typed meanwhile are not for the UI.
    had_terminal_away: bool,
}

impl Ui {
    fn run(&mut self, events: &Receiver<LoopEvent>, first: Vec<Effect>) -> io::Result<LoopEnd> {
        self.apply(first)?;
        let mut is_dirty = false;
        loop {
            if let Some(end) = self.end {
                return Ok(end);
            }
            is_dirty |= self.app.take_dirty();
            if is_dirty && Instant::now() >= self.pace.next() {
                self.draw()?;
                self.pace.drawn(Instant::now());
                is_dirty = false;
            }
            let wake = self.wake.map(|(at, _)| at);
            let frame = is_dirty.then(|| self.pace.next());
            let deadlines = frame.into_iter().chain(wake).chain(self.tick);
            let deadline = deadlines.min();
            let wire = match deadline {
                Some(deadline) => events.recv_deadline(deadline),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match wire {
                Ok(wire) => self.take(wire)?,
                Err(RecvTimeoutError::Timeout) => self.wake_up()?,
                // Cannot happen: the panic hook keeps a sender.
                Err(RecvTimeoutError::Disconnected) => return Ok(LoopEnd::Lost),
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        if size != self.app.size() {
            self.update(UiEvent::Resize(size))?;
            self.app.take_dirty();
        }
        self.screen.draw(|buffer| self.app.draw(buffer))?;
        self.app.drawn(now_ms());
        Ok(())
    }

    fn take(&mut self, wire: LoopEvent) -> io::Result<()> {
        match wire {
            LoopEvent::Event(event) => {
                if matches!(event, UiEvent::Notice(Notice::Written(_))) {
                    self.pace.release(Instant::now());
                }
                self.update(event)?;
            }
            LoopEvent::Input(event) => {
                self.update(event)?;
                let was_away = std::mem::take(&mut self.had_terminal_away);
                let credit = if was_away {
                    Credit::Drain
                } else {
                    Credit::Read
                };
                // The input thread ends only with the terminal, and reports that itself.
                let _ = self.credits.send(credit);
            }
            LoopEvent::Stop(signal) => self.end = Some(LoopEnd::Signal(signal)),
            LoopEvent::Continued => {
                self.screen.enter_again()?;
                self.update(UiEvent::Resize(self.screen.size()?))?;
            }
            LoopEvent::Lost => self.end = Some(LoopEnd::Lost),
        }
        Ok(())
    }

    fn wake_up(&mut self) -> io::Result<()> {
        if self.tick.is_some_and(|at| Instant::now() >= at) {
            self.tick = None;
            self.update(UiEvent::Notice(Notice::Tick))?;
        }
        match self.wake {
            Some((at, token)) if Instant::now() >= at => {
                self.wake = None;
                self.update(UiEvent::Notice(Notice::Woken { token }))
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, event: UiEvent) -> io::Result<()> {
        let effects = self.app.update(event);
        self.apply(effects)
    }

    fn apply(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                Effect::Ask(ask) => self.pool.ask(ask),
                Effect::Stop { slot, generation } => self.pool.stop(slot, generation),
                // The painter ends only with this thread.
                Effect::Paint(job) => drop(self.paint_jobs.send(job)),
                Effect::Wake { after_ms, token } => {
                    self.wake = Some((Instant::now() + Duration::from_millis(after_ms), token));
                }
                Effect::Tick { after_ms } => {
                    let at = Instant::now() + Duration::from_millis(after_ms);
                    self.tick = Some(self.tick.map_or(at, |earlier| earlier.min(at)));
                }
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::Edit { path, line } => self.edit(&path, line)?,
                Effect::Start { words, waits } => self.start(&words, waits)?,
                Effect::Work(task) => {
                    let event_sender = self.event_sender.clone();
                    self.tasks.start(task, move |ended| {
                        let notice = Notice::Ended(Box::new(ended));
                        // The UI has ended: nobody waits for this.
                        drop(event_sender.send(LoopEvent::Event(UiEvent::Notice(notice))));
                    });
                }
                Effect::Say(request) => {
                    // The answer comes within a blink, and brings the next sample.
                    self.pace.hold(Instant::now());
                    // The scribe ends only with this thread.
                    drop(self.scribe_requests.send(*request));
                }
                Effect::Chore(chore) => {
                    let (event_sender, folder) = (self.event_sender.clone(), self.folder.clone());
                    thread::spawn(move || {
                        let finished = Box::new(chore::perform(&folder, *chore));
                        // The UI has ended: nobody waits for this.
                        drop(event_sender.send(LoopEvent::Event(UiEvent::Notice(
                            Notice::Finished(finished),
                        ))));
                    });
                }
                Effect::Suspend => {
                    self.had_terminal_away = true;
                    self.screen.suspend()?;
                }
                Effect::Redraw => self.screen.redraw_all()?,
                Effect::Pick(keys) => {
                    self.picked = keys.iter().map(ToString::to_string).collect();
                    self.end = Some(LoopEnd::Quit);
                }
                Effect::Quit => self.end = Some(LoopEnd::Quit),
            }
        }
        Ok(())
    }

    /// Lends the terminal to one of the user's own commands, as [`Ui::edit`] does to the editor.
    fn start(&mut self, words: &[String], waits: bool) -> io::Result<()> {
        self.had_terminal_away = true;
        let ended = self.signals.lend(|| own::start(words, waits))?;
        self.screen.enter_again()?;
        self.update(UiEvent::Notice(Notice::Started(ended)))
    }

    /// Lends the terminal to the editor. The input thread waits for its credit meanwhile, so that the editor gets every
    /// key.
    fn edit(&mut self, path: &Path, line: u32) -> io::Result<()> {
        self.had_terminal_away = true;
        let variable = |name: &str| std::env::var(name).ok();
        let edited = self.signals.lend(|| editor::open(&variable, path, line))?;
        self.screen.enter_again()?;
        self.update(UiEvent::Notice(Notice::Edited(edited)))
    }
}

/// Starts the thread that colours code. It loads its grammars at once, because the first sample will need them soon.
fn start_painter(event_sender: Sender<LoopEvent>) -> Sender<paint::PaintJob> {
    let (sender, jobs) = crossbeam_channel::unbounded::<paint::PaintJob>();
    thread::spawn(move || {
        let painter = Painter::shared();
        for job in jobs {
            let painted = painter.paint(&job);
            let notice = Notice::Painted {
                id: job.id,
                painted,
            };
            if event_sender
                .send(LoopEvent::Event(UiEvent::Notice(notice)))
                .is_err()
            {
                return;
            }
        }
    });
    sender
}
