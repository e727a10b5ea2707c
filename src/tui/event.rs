//! What happens to the UI and what it wants done: the two small languages around `update`.

use ratatui::layout::{Position, Size};

use crate::chore::{Chore, Finished};
use crate::key::Key;
use crate::paint::{self, Painted};
use crate::question::{Ask, Query, Reply, Slot};
use crate::scribe::{Saying, Written};
use crate::work::{Ended, Task};

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Key(Key),
    /// The keyboard says the same key again while it is held down: good for moving, never for deciding.
    Repeat(Key),
    Mouse(Mouse),
    Paste(String),
    Resize(Size),
    /// A reader has answered.
    Reply(Reply),
    Notice(Notice),
}

/// News from other threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    Painted {
        id: u64,
        painted: Painted,
    },
    /// The time of [`Effect::Wake`] is over.
    Woken {
        token: u64,
    },
    /// The time of [`Effect::Tick`] is over.
    Tick,
    /// The editor is closed; what went wrong, if anything did.
    Edited(Result<(), String>),
    /// What was begun by [`Effect::Work`] has ended.
    Ended(Box<Ended>),
    /// What the annotator did is on the disk, or cannot be written.
    Written(Box<Written>),
    /// What was to be written beside the index is, or why not.
    Finished(Box<Finished>),
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
    WheelUp,
    WheelDown,
}

/// Something to be done outside: `update` itself does nothing but change the screen's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Ask(Ask),
    Paint(paint::Job),
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
    /// Starts or cancels a job, or does what takes moments; [`Notice::Ended`] says how it ended.
    Work(Task),
    /// Writes what the annotator did; [`Notice::Written`] says when it is on the disk.
    Say(Box<Saying>),
    /// Writes something beside the index, in the background; [`Notice::Finished`] says how that went.
    Chore(Box<Chore>),
    Suspend,
    Redraw,
    Quit,
}

/// Effects on their way out, and the generation of every question asked.
#[derive(Debug)]
pub struct Outbox {
    effects: Vec<Effect>,
    generations: [u64; Slot::COUNT],
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            effects: Vec::new(),
            generations: [0; Slot::COUNT],
        }
    }
}

impl Outbox {
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Asks the index; an earlier question in the same slot is stopped and its answer ignored.
    pub fn ask(&mut self, slot: Slot, query: Query) {
        let generation = self.generations[slot as usize] + 1;
        self.generations[slot as usize] = generation;
        self.effects.push(Effect::Ask(Ask {
            slot,
            generation,
            query,
        }));
    }

    /// Returns whether `reply` answers the latest question of its slot.
    #[must_use]
    pub fn is_current(&self, reply: &Reply) -> bool {
        self.generations[reply.slot as usize] == reply.generation
    }

    /// Hands out what has gathered.
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}
