//! Jobs: what runs underneath.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::event::Outbox;
use crate::tui::keymap::Motion;
use crate::tui::question::{Failure, Slot};
use crate::tui::screen::Look;

#[derive(Debug, Default)]
pub struct Jobs {
    area: Rect,
}

impl Jobs {
    pub fn fail(&mut self, _slot: Slot, _failure: &Failure) {}

    pub fn scroll(&mut self, _motion: Motion, _outbox: &mut Outbox) {}

    /// Leaves the nearest thing; returns whether there was one.
    pub fn close(&mut self, _outbox: &mut Outbox) -> bool {
        false
    }

    pub fn point(&mut self, at: Position, _outbox: &mut Outbox) -> bool {
        self.area.contains(at)
    }

    /// Returns the line above the screen.
    #[must_use]
    pub fn line(&self) -> String {
        String::new()
    }

    pub fn arrange(&mut self, body: Rect) {
        self.area = body;
    }

    pub fn draw(&self, _buffer: &mut Buffer, _look: Look<'_>) {}
}
