//! Servers that wait for more cases: what a command has run in one part of its work is no reason to start them anew for the
//! next. Decides which servers may wait, and who gets them.
//!
//! A server waits where all that it has said is proven, where no case has changed anything in it, and where nothing is
//! collected in it. So whoever gets it next finds it as the next case of the same part would have.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::python::server::Server;
use crate::sandbox::{Root, Sandbox};

use super::stem::Stem;

/// How many servers one view keeps: they wait in memory.
const N_MAX: usize = 6;

/// What workers leave to those that come after them and run cases in the same way.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<Desk>>>);

/// A view of the project with the servers that see it: one worker's at a time.
pub struct Desk {
    pub folder: PathBuf,
    pub shown: Root,
    pub waiting: Waiting,
}

/// A server, and the folder that it is for.
pub struct Serving {
    pub folder: PathBuf,
    pub server: Server,
    /// How many files it has run.
    pub n_ran: usize,
    /// Something in it has changed, so it is not for the next case.
    pub is_over: bool,
    /// A test that it has collected.
    pub stem: Option<Stem>,
}

/// Servers of one view that wait, those that ran last at the end.
#[derive(Default)]
pub struct Waiting(Vec<Serving>);

impl Kept {
    /// Returns a desk that nobody has.
    pub fn take(&self) -> Option<Desk> {
        self.0.lock().ok()?.pop()
    }

    pub fn keep(&self, desk: Desk) {
        if let Ok(mut desks) = self.0.lock() {
            desks.push(desk);
        }
    }

    /// Ends the servers that wait, and removes what they see.
    pub fn clear(&self, sandbox: &Sandbox) {
        while let Some(desk) = self.take() {
            drop(desk.waiting);
            // It goes with the sandbox at the latest.
            let _ = sandbox.remove(&desk.folder);
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl Serving {
    /// Returns a server that has run nothing.
    pub fn new(folder: &Path, server: Server) -> Self {
        Self {
            folder: folder.to_owned(),
            server,
            n_ran: 0,
            is_over: false,
            stem: None,
        }
    }
}

impl Waiting {
    /// Takes the server of a folder.
    pub fn take(&mut self, folder: &Path) -> Option<Serving> {
        self.take_if(|it| it.folder == folder)
    }

    /// Takes one that has run nothing.
    pub fn take_unused(&mut self, folder: &Path) -> Option<Serving> {
        self.take_if(|it| it.folder == folder && it.n_ran == 0)
    }

    /// Has a server wait; the one that has waited longest ends where there are too many.
    pub fn put(&mut self, serving: Serving) {
        self.0.push(serving);
        if self.0.len() > N_MAX {
            self.0.remove(0);
        }
    }

    fn take_if(&mut self, is_it: impl Fn(&Serving) -> bool) -> Option<Serving> {
        let at = self.0.iter().rposition(is_it)?;
        Some(self.0.remove(at))
    }
}
