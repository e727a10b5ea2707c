//! Compare: runs on the samples they share.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::eval::by::By;
use crate::metric::Metric;
use crate::tui::event::Outbox;
use crate::tui::filter::{self, Flaw};
use crate::tui::keymap::Motion;
use crate::tui::question::{Failure, Slot};
use crate::tui::screen::Look;

#[derive(Debug, Default)]
pub struct Compare {
    area: Rect,
    filter_text: String,
}

impl Compare {
    pub fn fail(&mut self, _slot: Slot, _failure: &Failure) {}

    pub fn scroll(&mut self, _motion: Motion, _outbox: &mut Outbox) {}

    /// Leaves the nearest thing; returns whether there was one.
    pub fn close(&mut self, _outbox: &mut Outbox) -> bool {
        false
    }

    #[must_use]
    pub fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// Shows only what a filter lets through.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn filter(&mut self, text: &str, _outbox: &mut Outbox) -> Result<(), Flaw> {
        filter::parse(text)?;
        text.clone_into(&mut self.filter_text);
        Ok(())
    }

    pub fn set_metric(&mut self, _metric: &'static Metric, _outbox: &mut Outbox) {}

    /// Shows slices.
    pub fn slice(&mut self, _by: By, _outbox: &mut Outbox) {}

    pub fn point(&mut self, at: Position, _outbox: &mut Outbox) -> bool {
        self.area.contains(at)
    }

    /// Returns the line above the screen.
    #[must_use]
    pub fn line(&self) -> String {
        String::new()
    }

    pub fn arrange(&mut self, body: Rect, _wraps: bool) {
        self.area = body;
    }

    pub fn draw(&self, _buffer: &mut Buffer, _look: Look<'_>) {}
}
