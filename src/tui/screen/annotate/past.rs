//! The annotator's last events, as a list over the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::Desk;
use crate::keymap::Motion;
use crate::model::EventKind;
use crate::screen::annotate::Annotate;
use crate::screen::annotate::questions::PAST_MAX;
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, centered, counted, fill, inside};

/// The greatest width of the list, in columns.
const PAST_WIDTH: u16 = 96;

impl Annotate {
    /// Tells whether an undo may take something back; true where older events, which are unknown, might be undone.
    pub(super) fn can_undo(&self) -> bool {
        let mut standing = self.past.iter().filter(|past_row| !past_row.past.is_undone);
        standing.any(|past_row| past_row.past.event.kind().can_be_undone())
            || self.past.len() >= PAST_MAX
    }

    /// Returns the place of the list's cursor after a motion.
    #[must_use]
    pub fn scrolled_past(&self, cursor: usize, motion: Motion, desk: &Desk) -> usize {
        let last = self.past.len().saturating_sub(1);
        let page = usize::from(desk.size.height / 2).max(1);
        motion.moved(cursor, page).min(last)
    }

    /// Goes back to the sample of the line under the cursor, to change its verdict.
    pub fn open_past(&mut self, cursor: usize, desk: &mut Desk) {
        let row = self.past.get(cursor);
        let key = row.and_then(|past_row| past_row.past.event.kind().key());
        match (key, row.and_then(|past_row| past_row.test.as_ref())) {
            (Some(key), Some(_)) => self.turn_to(key, desk),
            (Some(_), None) => {
                desk.show_message("that sample is gone from the index", Role::Warning);
            }
            (None, _) => desk.show_message("that action was not about a single sample", Role::Dim),
        }
    }

    pub fn draw_past(&self, cursor: usize, body: Rect, buffer: &mut Buffer, theme: &Theme) {
        let past = &self.past;
        let height = (past.len().max(1) as u16).saturating_add(2);
        let area = centered(body, PAST_WIDTH.min(body.width.saturating_sub(2)), height);
        fill(area, Role::Popup, buffer, theme);
        let n_verdicts = past
            .iter()
            .filter(|past_row| {
                !past_row.past.is_undone
                    && matches!(past_row.past.event.kind(), EventKind::Judged(_))
            })
            .count();
        let n_verdicts = counted(n_verdicts as u64, "verdict");
        let title = format!("your last actions · {n_verdicts}");
        let pane = Pane {
            title: &title,
            note: "Enter goes back to it · Esc",
            has_focus: true,
        };
        pane.draw(area, buffer, theme);
        self.draw_decisions(inside(area), Some(cursor), buffer, theme);
    }
}
