//! What happens to the UI and what it wants done: the two small languages around `update`.

use ratatui::layout::{Position, Size};

use crate::chore::{Chore, FinishedChore};
use crate::key::KeyPress;
use crate::model::SampleKey;
use crate::own::ProgramError;
use crate::paint::{self, LineStyles};
use crate::question::{QuestionReply, QuestionRequest, Slot};
use crate::scribe::{ScribeReply, ScribeRequest};
use crate::work::{BackgroundTask, EndedTask};

/// Something happened.
#[derive(Debug, PartialEq)]
pub enum UiEvent {
    Key(KeyPress),
    /// The keyboard says the same key again while it is held down: good for moving, never for deciding.
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
    /// The editor is closed; what went wrong, if anything did.
    Edited(Result<(), ProgramError>),
    /// A command of the user's has ended; what went wrong, if anything did.
    Started(Result<(), ProgramError>),
    /// What was begun by [`Effect::Work`] has ended.
    Ended(Box<EndedTask>),
    /// What the annotator did is on the disk, or cannot be written.
    Written(Box<ScribeReply>),
    /// What was to be written beside the index is, or why not.
    Finished(Box<FinishedChore>),
    /// A worker panicked and was started again; what it said.
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

/// Something to be done outside: `update` itself does nothing but change the screen's value.
#[derive(Debug, PartialEq)]
pub enum Effect {
    Ask(QuestionRequest),
    /// Stops the question in a slot, without asking another one.
    Stop {
        slot: Slot,
        generation: u64,
    },
    Paint(paint::PaintJob),
    /// Sends [`Notice::Woken`] after this time; a later one replaces it.
    Wake {
        after_ms: u64,
        token: u64,
    },
    /// Sends [`Notice::Tick`] after this time, or when an earlier one is due. For what changes while nobody presses a
    /// key: without one nothing wakes up.
    Tick {
        after_ms: u64,
    },
    Copy(String),
    Edit {
        path: std::path::PathBuf,
        line: u32,
    },
    /// Starts a program of the user's, which has the terminal until it ends; with `waits` until Enter is pressed.
    Start {
        words: Vec<String>,
        waits: bool,
    },
    /// Starts or cancels a job, or does what takes moments; [`Notice::Ended`] says how it ended.
    Work(BackgroundTask),
    /// Writes what the annotator did; [`Notice::Written`] says when it is on the disk.
    Say(Box<ScribeRequest>),
    /// Writes something beside the index, in the background; [`Notice::Finished`] says how that went.
    Chore(Box<Chore>),
    Suspend,
    Redraw,
    /// Ends the UI with the samples that were picked.
    Pick(Vec<SampleKey>),
    Quit,
}
