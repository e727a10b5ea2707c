//! What keys and pointer do on Results.

use std::sync::Arc;

use ratatui::layout::Position;

use crate::desk::Desk;
use crate::keymap::{Motion, ResultCopy, Step};
use crate::model::SampleKey;
use crate::question::Question;
use crate::screen::Remote;
use crate::screen::results::questions::{AskNearest, Find, Groups, List};
use crate::screen::results::{Focus, Results, Upper};
use crate::widget::code::CodeView;
use crate::widget::difference::DifferenceView;
use crate::widget::frame::inside;

impl Results {
    pub fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if self.focus == Focus::Around {
            self.around.code().scroll(motion);
            return;
        }
        if self.has_difference() {
            self.difference.scroll(motion);
            return;
        }
        let page = usize::from(inside(self.upper_area).height).max(1);
        match self.upper {
            Upper::List => self.step(motion, desk),
            Upper::Breakdown => {
                let most = self.breakdown_len().saturating_sub(page);
                self.upper_top = motion.moved(self.upper_top, page).min(most);
            }
            Upper::Groups(_) => {
                let last = self.groups.ready().map_or(0, Vec::len).saturating_sub(1);
                self.group_cursor = motion.moved(self.group_cursor, page).min(last);
            }
            Upper::Nearest => {
                let n = self.nearest.ready().map_or(0, |it| it.neighbours.len());
                let last = n.saturating_sub(1);
                self.nearest_cursor = motion.moved(self.nearest_cursor, page).min(last);
            }
        }
    }

    /// Moves the cursor of the list, whatever has the focus.
    pub fn step(&mut self, motion: Motion, desk: &mut Desk) {
        self.pages.step(motion);
        self.ask_rows(desk);
    }

    pub fn peek(&mut self, step: Step, desk: &mut Desk) {
        let motion = Motion::from(step);
        match self.focus {
            Focus::Upper => self.difference.scroll(motion),
            Focus::Difference | Focus::Around => self.step(motion, desk),
        }
    }

    pub fn turn_focus(&mut self, step: Step) {
        let has_around = !self.around.area().is_empty();
        let focus = match self.focus {
            Focus::Upper if self.is_zoomed => Focus::Difference,
            focus => focus,
        };
        self.focus = match (focus, step) {
            (Focus::Upper, Step::Previous) | (Focus::Difference, Step::Next) if has_around => {
                Focus::Around
            }
            (Focus::Upper, _) | (Focus::Around, Step::Previous) => Focus::Difference,
            (Focus::Difference, _) | (Focus::Around, Step::Next) => Focus::Upper,
        };
    }

    /// Returns whether keys are the difference's.
    pub fn has_difference(&self) -> bool {
        self.focus == Focus::Difference || (self.is_zoomed && self.focus != Focus::Around)
    }

    /// Returns the code around the prediction while keys are its.
    pub fn code(&mut self) -> Option<&mut CodeView> {
        (self.focus == Focus::Around).then(|| self.around.code())
    }

    pub fn difference(&mut self) -> &mut DifferenceView {
        &mut self.difference
    }

    /// Enter: what the cursor is on. Returns a sample to be opened.
    pub fn enter(&mut self, desk: &mut Desk) -> Option<SampleKey> {
        match self.upper {
            Upper::Groups(_) if self.focus == Focus::Upper => {
                let group = self.groups.ready().and_then(|it| it.get(self.group_cursor));
                let group = group?;
                let mut filter = self.options.filter.clone();
                let terms = group.terms.iter();
                for term in terms.cloned().collect::<Vec<_>>() {
                    if !filter.terms.contains(&term) {
                        filter.terms.push(term);
                    }
                }
                self.upper = Upper::List;
                self.wanted = None;
                self.set_filter(filter, desk);
                None
            }
            Upper::Nearest if self.focus == Focus::Upper => {
                let nearest = self.nearest.ready()?;
                let neighbour = nearest.neighbours.get(self.nearest_cursor)?;
                Some(neighbour.side.key)
            }
            _ => {
                self.is_zoomed = !self.is_zoomed;
                None
            }
        }
    }

    /// Searches in the difference, or for the next row of that name.
    pub fn find(&mut self, needle: &str, step: Step, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Remote::Ready(list) = &self.list else {
            return;
        };
        let n = list.ordinals.len();
        let from = match step {
            _ if n == 0 => return,
            Step::Next => (self.pages.cursor() + 1) % n,
            Step::Previous => (self.pages.cursor() + n - 1) % n,
        };
        let find = Find {
            list: Arc::clone(list),
            needle: needle.to_owned(),
            from,
            step,
        };
        desk.ask(find, Self::take_found);
    }

    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Leaves the nearest thing; returns whether there was one.
    pub fn close(&mut self, desk: &mut Desk) -> bool {
        if self.stop_watched() {
            desk.stop(List::SLOT);
            desk.stop(Groups::SLOT);
            desk.stop(AskNearest::SLOT);
            if matches!(self.list, Remote::Waiting) {
                self.list = Remote::Failed("stopped · ^l reads again".to_owned());
            }
            if matches!(self.nearest, Remote::Waiting) && self.upper == Upper::Nearest {
                self.upper = Upper::List;
            }
            return true;
        }
        if self.difference.clear() || self.around.code().clear() {
            return true;
        }
        if self.is_zoomed {
            self.is_zoomed = false;
            return true;
        }
        if self.upper != Upper::List {
            self.upper = Upper::List;
            return true;
        }
        if self.focus != Focus::Upper {
            self.focus = Focus::Upper;
            return true;
        }
        !std::mem::take(&mut self.needle).is_empty()
    }

    /// Returns a text for the clipboard, and what it is.
    #[must_use]
    pub fn copied(&self, what: ResultCopy) -> Option<(String, &'static str)> {
        let detail = &self.shown.as_ref()?.detail;
        Some(match what {
            ResultCopy::Prediction => (detail.answered.prediction.clone(), "the prediction"),
            ResultCopy::Truth => (detail.reference.as_ref()?.text.clone(), "the ground truth"),
            ResultCopy::Difference => (self.difference.copied(), "the difference"),
        })
    }

    pub fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let lower = [
            (Focus::Difference, self.difference_area),
            (Focus::Around, self.around.area()),
        ];
        if let Some((focus, _)) = lower.iter().find(|it| it.1.contains(at)) {
            self.focus = *focus;
            return true;
        }
        if !self.upper_area.contains(at) {
            return false;
        }
        self.focus = Focus::Upper;
        let first_row = self.upper_area.y + 2;
        if at.y >= first_row {
            let row = usize::from(at.y - first_row);
            match self.upper {
                Upper::List => {
                    if self.pages.select_visible(row) {
                        self.ask_rows(desk);
                    }
                }
                Upper::Groups(_) | Upper::Nearest | Upper::Breakdown => {}
            }
        }
        true
    }
}
