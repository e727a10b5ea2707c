//! The events of the UI and the effects it wants: the two small languages around `update`.

use ratatui::layout::{Position, Size};

use crate::chore::{Chore, FinishedChore};
use crate::key::KeyPress;
use crate::model::SampleKey;
use crate::own::ProgramError;
use crate::paint::{self, LineStyles};
use crate::question::{QuestionReply, QuestionRequest, Slot};
use crate::scribe::{ScribeReply, ScribeRequest};
use crate::work::{BackgroundTask, EndedTask};

/// An event: everything that can change the screen.
#[derive(Debug, PartialEq)]
pub enum UiEvent {
    Key(KeyPress),
    /// The keyboard repeats a key that is held down: good for moving, never for deciding.
    Repeat(KeyPress),
    Mouse(Mouse),
    Paste(String),
    Resize(Size),
    /// A reader has answered.
    Reply(QuestionReply),
    Notice(Notice),
}

/// News from other threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    Painted {
        id: u64,
        painted: LineStyles,
    },
    /// The time of [`Effect::Wake`] is over.
    Woken {
        token: u64,
    },
    /// The time of [`Effect::Tick`] is over.
    Tick,
    /// The editor has been closed, or could not run.
    Edited(Result<(), ProgramError>),
    /// One of the user's own commands has ended, or could not run.
    Started(Result<(), ProgramError>),
    /// A task of [`Effect::Work`] has ended.
    Ended(Box<EndedTask>),
    /// The annotator's action is on disk, or cannot be written.
    Written(Box<ScribeReply>),
    /// A chore has written its file, or failed.
    Finished(Box<FinishedChore>),
    /// A worker panicked and was started again; the text is the panic's.
    Broken(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub at: Position,
    pub kind: MouseKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    Click,
    /// A second click at the same place, soon after the first: the first was a [`MouseKind::Click`] of its own.
    DoubleClick,
    WheelUp,
    WheelDown,
}

/// An effect, carried out outside: `update` itself only changes the screen's value.
#[derive(Debug, PartialEq)]
pub enum Effect {
    Ask(QuestionRequest),
    /// Stops the question in a slot, without asking another one.
    Stop {
        slot: Slot,
        generation: u64,
    },
    Paint(paint::PaintJob),
    /// Sends [`Notice::Woken`] after this time; a later effect replaces it.
    Wake {
        after_ms: u64,
        token: u64,
    },
    /// Sends [`Notice::Tick`] after this time, or when an earlier one is due. It serves state that changes while nobody
    /// presses a key; without this effect the UI never wakes up by itself.
    Tick {
        after_ms: u64,
    },
    Copy(String),
    Edit {
        path: std::path::PathBuf,
        line: u32,
    },
    /// Starts one of the user's own commands, which has the terminal until it ends; with `waits` until Enter is
    /// pressed.
    Start {
        words: Vec<String>,
        waits: bool,
    },
    /// Starts or cancels a job, or does another short task; [`Notice::Ended`] tells how it ended.
    Work(BackgroundTask),
    /// Writes the annotator's action; [`Notice::Written`] tells when it is on disk.
    Say(Box<ScribeRequest>),
    /// Writes a file beside the index, in the background; [`Notice::Finished`] tells how that went.
    Chore(Box<Chore>),
    Suspend,
    Redraw,
    /// Ends the UI with the samples that were picked.
    Pick(Vec<SampleKey>),
    Quit,
}
