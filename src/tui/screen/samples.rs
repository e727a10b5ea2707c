//! The list of all tests, mapped or not, with a preview of the one under the cursor.
//!
//! ```text
//! < 100 columns     100 to 179                       from 180
//! ┌ samples ────┐   ┌ samples ───────────────────┐   ┌ samples ─┐┌ test ────┐┌ focal ───┐
//! │             │   │                            │   │          ││          ││          │
//! ├ test or ────┤   ├ test ────────┬ focal ──────┤   │          ││          ││          │
//! └ focal ──────┘   └──────────────┴─────────────┘   └──────────┘└──────────┘└──────────┘
//! ```

mod act;
pub mod commands;
pub mod keys;
pub mod questions;
pub mod selection;
#[cfg(test)]
pub mod tests;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustc_hash::FxHashMap;
use unicode_width::UnicodeWidthStr;

use crate::browse::{matcher_of, write_filter};
use crate::desk::{Desk, QuestionScreen, ScreenRequest};
use crate::filter::{self, FilterFlaw};
use crate::keymap::{Motion, StepDirection};
use crate::model::{Filter, SampleDetail, SampleKey, SampleRow};
use crate::question::shared::{ExplainedSample, SampleCountQuestion, SampleDetailQuestion};
use crate::question::{Question, QuestionFailure, Slot};
use crate::review::SampleRemarks;
use crate::screen::docs::{Docs, status_glyph, status_role, status_word};
use crate::screen::samples::commands::Sort;
use crate::screen::samples::questions::{SamplePageQuestion, SampleSignsQuestion};
use crate::screen::{AnswerState, DrawContext, Screen, people};
use crate::select::Selection;
use crate::store::Sign;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::code::CodeView;
use crate::widget::frame::{self, count, cut_class, fit, inside, pieces};
use crate::widget::list::{PAGE_ROWS, PageStart, SamplePage, SampleWindow};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleListPane {
    #[default]
    List,
    Test,
    Focal,
}

#[derive(Debug, Default)]
pub struct Samples {
    pub filter_text: String,
    filter: Filter,
    window: SampleWindow,
    /// The rows have been asked for at least once.
    pub is_open: bool,
    state: AnswerState<()>,
    total: Option<u64>,
    test: CodeView,
    focal: CodeView,
    focus: SampleListPane,
    /// The rows that the next command acts on.
    selection: Selection,
    /// The text that `n` and `N` look for in the list.
    needle: String,
    shown: Option<SampleKey>,
    /// The last session's sample, with its row, until the list is there.
    located: Option<(SampleKey, u64)>,
    /// The sample in the panes, a moment behind the cursor.
    detail: Option<SampleDetail>,
    /// People's remarks on it.
    pub(super) remarks: SampleRemarks,
    /// The signs of people's remarks on the rows.
    signs: FxHashMap<SampleKey, Sign>,
    /// Blind annotators do not see people's remarks.
    hides_people: bool,
    areas: Vec<(SampleListPane, Rect)>,
}

impl QuestionScreen for Samples {
    const SCREEN: Screen = Screen::Samples;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot != SamplePageQuestion::SLOT {
            desk.show_failure(failure);
            return;
        }
        self.window = SampleWindow::default();
        self.state = failure.into();
    }
}

impl Samples {
    /// Makes the list, without people's remarks where they are hidden.
    #[must_use]
    pub fn new(hides_people: bool) -> Self {
        Self {
            hides_people,
            ..Self::default()
        }
    }

    /// Asks for the signs of people's remarks on these samples.
    fn ask_signs(&self, keys: Vec<SampleKey>, desk: &mut Desk) {
        if !self.hides_people && !keys.is_empty() {
            desk.ask(
                SampleSignsQuestion(keys),
                |screen: &mut Self, (keys, signs), _| {
                    for key in &keys {
                        screen.signs.remove(key);
                    }
                    screen.signs.extend(signs);
                },
            );
        }
    }

    /// Reads people's remarks again: they may have judged on another screen, or elsewhere, meanwhile.
    pub(super) fn look_again(&mut self, desk: &mut Desk) {
        self.ask_signs(self.window.keys(), desk);
        self.shown = None;
        self.ask_detail(desk);
    }

    /// Shows the rows of a filter, with the cursor on the last session's sample, or on its former row if it is gone.
    ///
    /// # Errors
    /// The flaw in the filter; then nothing changes.
    pub fn restore(
        &mut self,
        text: &str,
        at: Option<(SampleKey, u64)>,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        self.filter = filter::parse(text)?;
        text.trim().clone_into(&mut self.filter_text);
        let from = at.map_or(PageStart::First, |(key, row)| {
            PageStart::AroundKey(key, row)
        });
        self.read(from, desk);
        self.located = at;
        Ok(())
    }

    /// Returns the sample under the cursor, or the one that will come there, and its row.
    #[must_use]
    pub fn left_at(&self) -> Option<(SampleKey, u64)> {
        let selected = self.window.selected();
        let at = selected.map(|sample_row| (sample_row.key, self.window.rank().unwrap_or(0)));
        self.located.or(at)
    }

    /// Returns the place to read around, so that the cursor stays on its row.
    fn here(&self) -> PageStart {
        let selected = self.window.selected();
        selected.map_or(PageStart::First, |row| PageStart::Around(row.id))
    }

    /// Reads the list again from the index.
    pub fn reload(&mut self, desk: &mut Desk) {
        self.shown = None;
        self.read(self.here(), desk);
    }

    fn read(&mut self, from: PageStart, desk: &mut Desk) {
        self.is_open = true;
        // In another list, rows have other numbers.
        self.selection.clear();
        self.total = None;
        self.located = None;
        desk.ask(SampleCountQuestion(self.filter.clone()), Self::take_count);
        self.ask_page(Some(from), desk);
    }

    /// Sorts the list; sorting by the same again reverses the order.
    pub fn sort(&mut self, sort: Sort, desk: &mut Desk) {
        self.filter = filter::with_sort(&self.filter, sort);
        self.filter_text = write_filter(&self.filter);
        // The user sorts to see the first rows.
        self.read(PageStart::First, desk);
    }

    fn ask_page(&mut self, from: Option<PageStart>, desk: &mut Desk) {
        if let Some(from) = from {
            let from = match from {
                // The window has noted these itself.
                PageStart::After(_) | PageStart::Before(_) => from,
                other => self.window.expect(other),
            };
            let page = SamplePageQuestion {
                filter: self.filter.clone(),
                from,
                limit: PAGE_ROWS,
            };
            desk.ask(page, Self::take_page);
        }
    }

    fn take_count(&mut self, n_total: u64, _desk: &mut Desk) {
        self.total = Some(n_total);
        self.window.set_total(n_total);
    }

    /// Stops reading the list.
    pub fn stop(&mut self, desk: &mut Desk) {
        desk.stop(SampleCountQuestion::SLOT);
        desk.stop(SamplePageQuestion::SLOT);
        self.window.forget();
        if self.state == AnswerState::Waiting {
            self.state = AnswerState::Failed("stopped · ^l reads again".to_owned());
        }
    }

    /// Takes rows; reports if the last session's sample is not under the cursor.
    fn take_page(&mut self, page: SamplePage, desk: &mut Desk) {
        if page.is_not_found {
            let text = format!("{}: no test of that name", self.needle);
            desk.show_message(visible(&text), Role::Warning);
        }
        self.state = AnswerState::Ready(());
        let from = self.window.take(page);
        self.ask_signs(self.window.keys(), desk);
        if let Some(n_total) = self.total {
            self.window.set_total(n_total);
        }
        self.ask_page(from, desk);
        self.ask_detail(desk);
        let selected = self.window.selected().map(|sample_row| sample_row.key);
        let located = self.located.take();
        if located.is_some_and(|located| Some(located.0) != selected) {
            desk.request(ScreenRequest::MissSample);
        }
    }

    /// Asks for the sample under the cursor unless it is shown already.
    fn ask_detail(&mut self, desk: &mut Desk) {
        let key = self.window.selected().map(|row| row.key);
        if key == self.shown {
            return;
        }
        self.shown = key;
        if let Some(key) = key {
            let detail = SampleDetailQuestion(key, matcher_of(&self.filter));
            desk.ask(detail, |_: &mut Self, found, desk| {
                desk.request(ScreenRequest::Show(found));
            });
        }
    }

    /// Shows a sample beside the list.
    pub fn show(&mut self, explained: &ExplainedSample, docs: &Docs) {
        self.detail = Some(explained.detail.clone());
        self.remarks = explained.remarks.clone();
        self.test.show(Arc::clone(&docs.test));
        self.focal.show(Arc::clone(&docs.focal));
    }

    /// Returns the sample in the panes beside the list.
    pub(super) fn shown_key(&self) -> Option<SampleKey> {
        self.detail.as_ref().map(|detail| detail.row.key)
    }

    #[must_use]
    pub fn selected(&self) -> Option<&SampleRow> {
        self.window.selected()
    }

    pub fn test_code(&mut self) -> &mut CodeView {
        self.focus = SampleListPane::Test;
        &mut self.test
    }

    pub fn step_focus(&mut self, step: StepDirection) {
        self.focus = match (self.focus, step) {
            (SampleListPane::List, StepDirection::Next)
            | (SampleListPane::Focal, StepDirection::Previous) => SampleListPane::Test,
            (SampleListPane::Test, StepDirection::Next)
            | (SampleListPane::List, StepDirection::Previous) => SampleListPane::Focal,
            (SampleListPane::Focal, StepDirection::Next)
            | (SampleListPane::Test, StepDirection::Previous) => SampleListPane::List,
        };
    }

    /// Moves the cursor of the list, with the focus on any pane.
    pub fn step(&mut self, motion: Motion, desk: &mut Desk) {
        let from = self.window.step(motion);
        self.ask_page(from, desk);
        self.ask_detail(desk);
    }

    pub fn peek(&mut self, step: StepDirection, desk: &mut Desk) {
        let motion = Motion::from(step);
        match self.focus {
            SampleListPane::List => self.test.scroll(motion),
            SampleListPane::Test | SampleListPane::Focal => self.step(motion, desk),
        }
    }

    /// Writes row and number of rows: `3/812`, with `–` and `…` for unknown ones.
    #[must_use]
    pub fn position(&self) -> String {
        let rank = self.window.rank().filter(|_| !self.window.is_empty());
        let rank = rank.map_or_else(|| "–".to_owned(), |rank| count(rank + 1));
        let total = self.total.map_or_else(|| "…".to_owned(), count);
        format!("{rank}/{total}")
    }

    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        for (pane, area) in &self.areas {
            let row = self.detail.as_ref().map(|sample_detail| &sample_detail.row);
            let row = row.filter(|_| self.window.selected().is_some());
            let (title, note) = match pane {
                SampleListPane::List => ("samples".to_owned(), self.position()),
                SampleListPane::Test => (
                    row.map_or_else(
                        || "test".to_owned(),
                        |row| format!("test · {}", row_name(row)),
                    ),
                    below(&self.test),
                ),
                SampleListPane::Focal => {
                    let focal = row.and_then(|row| row.focal.as_deref());
                    let title = focal.map_or_else(
                        || "focal".to_owned(),
                        |focal| format!("focal · {}", visible(focal)),
                    );
                    (title, below(&self.focal))
                }
            };
            let frame = frame::Pane {
                title: &title,
                note: &note,
                has_focus: *pane == self.focus,
            };
            frame.draw(*area, buffer, context.theme);
            match pane {
                SampleListPane::List => self.draw_list(inside(*area), buffer, context),
                SampleListPane::Test if row.is_some() => {
                    self.test.draw(buffer, context.theme, context.cache);
                }
                SampleListPane::Focal if row.is_some() => {
                    self.focal.draw(buffer, context.theme, context.cache);
                }
                SampleListPane::Test | SampleListPane::Focal => {}
            }
        }
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let columns = SampleColumns::of(area.width);
        let head = Rect {
            height: 1.min(area.height),
            ..area
        };
        pieces(head, &[(&columns.head(), Role::Dim)], buffer, context.theme);
        if self.window.is_empty() {
            self.draw_nothing(area, buffer, context);
            return;
        }
        let chosen = self.selection.rows(self.window.rank());
        let top = self.window.visible_rank().unwrap_or(0);
        for ((is_selected, sample), y) in self.window.visible().zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            columns.draw((sample, is_selected), row, buffer, context);
            let sign = self.signs.get(&sample.key).filter(|_| row.width > SIGN_X);
            if let Some(sign) = sign {
                let (glyph, role) = people::glyph(*sign);
                let place = Rect::new(row.x + SIGN_X, y, 1, 1);
                pieces(place, &[(glyph, role)], buffer, context.theme);
            }
            let rank = top + u64::from(y - area.y - 1);
            if chosen.as_ref().is_some_and(|rows| rows.contains(&rank)) {
                buffer.set_string(row.x, y, "┃", context.theme.style(Role::Focus));
                buffer.set_style(row, context.theme.style(Role::Marked));
            }
            if is_selected {
                let role = if self.focus == SampleListPane::List {
                    Role::Selected
                } else {
                    Role::Marked
                };
                buffer.set_style(row, context.theme.style(role));
            }
        }
    }

    fn draw_nothing(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (text, role) = match &self.state {
            AnswerState::Waiting => ("reading the index …", Role::Dim),
            AnswerState::Ready(()) if self.filter_text.is_empty() => {
                ("the index holds no tests", Role::Warning)
            }
            AnswerState::Ready(()) => ("no test passes the filter · f changes it", Role::Warning),
            AnswerState::Failed(text) => (text.as_str(), Role::Error),
            AnswerState::NoIndex => (
                "nothing has been mined here yet · gh says how",
                Role::Warning,
            ),
        };
        let row = Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), 1);
        if area.height > 1 {
            pieces(row, &[(text, role)], buffer, context.theme);
        }
    }
}

fn below(view: &CodeView) -> String {
    match view.n_rows_below() {
        0 => String::new(),
        n => format!("↓{n} more"),
    }
}

/// Writes class and name of the test: `CounterTest.testInc`.
#[must_use]
pub fn row_name(row: &SampleRow) -> String {
    visible(&format!("{}.{}", row.test_class, row.test_name))
}

/// The widths of the table's columns; a column of width 0 is left out.
struct SampleColumns {
    repo: usize,
    test: usize,
    focal: usize,
    status: usize,
}

/// The column of the sign of people's remarks, beside the status.
const SIGN_X: u16 = 3;
/// The width of the weight, which is its head's.
const WEIGHT: usize = 6;
/// The width of cursor, glyph and weight, with their gaps.
const FIXED: usize = 2 + 2 + WEIGHT;
const STATUS: usize = 9;

impl SampleColumns {
    fn of(width: u16) -> Self {
        let width = usize::from(width);
        let status = if width >= 76 { STATUS } else { 0 };
        let repo = if width >= 100 { 16 } else { 0 };
        let room = width.saturating_sub(FIXED + status + repo + 2);
        let focal = room * 2 / 5;
        Self {
            repo,
            test: room - focal,
            focal,
            status,
        }
    }

    fn head(&self) -> String {
        let weight = format!("{:>WEIGHT$}", "weight");
        self.join(["", "repo", "test", "focal method", "status"], &weight)
    }

    fn join(&self, [mark, repo, test, focal, status]: [&str; 5], weight: &str) -> String {
        let repo = if self.repo == 0 {
            String::new()
        } else {
            fit(repo, self.repo - 1) + " "
        };
        let status = if self.status == 0 {
            String::new()
        } else {
            fit(status, self.status)
        };
        let (test, focal) = (fit(test, self.test), fit(focal, self.focal));
        format!("{}{repo}{test} {focal} {status}{weight}", fit(mark, 4))
    }

    fn draw(
        &self,
        (sample, is_selected): (&SampleRow, bool),
        row: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let weight = sample
            .weight
            .map_or_else(String::new, |weight| format!("{weight:>WEIGHT$.2}"));
        let focal = sample
            .focal
            .as_deref()
            .map_or_else(|| "–".to_owned(), visible);
        let status = if sample.is_duplicate {
            "duplicate"
        } else {
            status_word(sample.status)
        };
        let test = cut_class(
            &visible(&sample.test_class),
            &visible(&sample.test_name),
            self.test,
        );
        let focal = match focal.split_once('.') {
            Some((class, method)) => cut_class(class, method, self.focal),
            None => focal,
        };
        let texts = ["", &visible(&sample.repo), &test, &focal, status];
        let line = self.join(texts, &weight);
        let role = if sample.status.is_mapped() {
            Role::Text
        } else {
            Role::Dim
        };
        pieces(row, &[(&line, role)], buffer, context.theme);
        // Blanks keep the colour of the text: every change of colour costs bytes on the wire.
        let (cursor, cursor_role) = if is_selected {
            ("▌", Role::Focus)
        } else {
            (" ", Role::Text)
        };
        let glyph = if sample.is_duplicate {
            "≡"
        } else {
            status_glyph(sample.status)
        };
        let marks = [
            (cursor, cursor_role),
            (" ", Role::Text),
            (glyph, status_role(sample.status)),
        ];
        pieces(row, &marks, buffer, context.theme);
        debug_assert!(glyph.width() == 1);
    }
}
