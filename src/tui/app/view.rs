//! The frame: top bar, line of context, screen, footer, and what lies over them. Only draws.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::app::{App, Overlay, SIZE_MIN};
use crate::keymap::Context;
use crate::screen::{Look, docs, home};
use crate::text::visible;
use crate::theme::{Role, reduce};
use crate::widget::frame::{cut, pieces};
use crate::widget::{bar, overlay};

/// Returns where a screen stands between the bars of a terminal of this size.
#[must_use]
pub fn body_of(size: Size) -> Rect {
    Rect::new(0, 2, size.width, size.height.saturating_sub(3))
}

impl App {
    /// Returns top bar, line of context, body and footer.
    pub(super) fn areas(&self) -> [Rect; 4] {
        let Size { width, height } = self.size;
        let row = |y| Rect::new(0, y, width, 1);
        [
            row(0),
            row(1),
            body_of(self.size),
            row(height.saturating_sub(1)),
        ]
    }

    pub(super) fn is_too_small(&self) -> bool {
        self.size.width < SIZE_MIN.width || self.size.height < SIZE_MIN.height
    }

    /// Draws everything; returns where the cursor blinks, if it does.
    pub fn draw(&self, buffer: &mut Buffer) -> Option<Position> {
        let area = buffer.area;
        buffer.set_style(area, self.theme.style(Role::Text));
        if area.is_empty() {
            return None;
        }
        let fits = area.width >= self.size.width && area.height >= self.size.height;
        let cursor = if fits && !self.is_too_small() {
            self.draw_all(buffer)
        } else {
            let Size { width, height } = SIZE_MIN;
            let text = format!("focalist needs {width}×{height} · q quits");
            let room = usize::from(area.width);
            buffer.set_stringn(0, 0, cut(&text, room), room, self.theme.style(Role::Text));
            None
        };
        reduce(buffer, self.depth);
        cursor
    }

    fn draw_all(&self, buffer: &mut Buffer) -> Option<Position> {
        let [top, context, body, footer] = self.areas();
        let look = Look {
            theme: &self.theme,
            cache: &self.cache,
        };
        let screen = self.screen();
        let summary = match screen {
            Context::Annotate => self.annotate.summary(),
            Context::Disagree => self.disagree.summary(),
            _ => self.home.summary().unwrap_or_default(),
        };
        bar::draw_top(top, (&self.keymap, screen), &summary, buffer, &self.theme);
        let room = self.draw_working(context, buffer);
        let line = cut(&self.context_line(), room);
        pieces(
            context,
            &[(" ", Role::Dim), (&line, Role::Dim)],
            buffer,
            &self.theme,
        );
        match screen {
            Context::Samples => self.samples.draw(buffer, look),
            Context::Sample => self.sample.draw(buffer, look),
            Context::Repos => self.repos.draw(buffer, look),
            Context::Runs => self.runs.draw(buffer, look),
            Context::Results => self.results.draw(buffer, look),
            Context::Compare => self.compare.draw(buffer, look),
            Context::Jobs => self.jobs.draw(buffer, look),
            Context::Annotate => self.annotate.draw(body, buffer, look),
            Context::Disagree => self.disagree.draw(buffer, look),
            _ => self.home.draw(body, buffer, look),
        }
        let message = self.message.as_ref();
        let note = message.map_or(("", Role::Dim), |(text, role)| (text.as_str(), *role));
        let is_blind = self.screen() == Context::Annotate && self.annotate.reviewing.is_blind;
        let left_out = is_blind.then_some("annotate-accept");
        let at = (&self.keymap, self.context(), left_out);
        bar::draw_footer(footer, at, note, buffer, &self.theme);
        self.draw_overlay(body, buffer)
    }

    fn draw_overlay(&self, body: Rect, buffer: &mut Buffer) -> Option<Position> {
        let whole = buffer.area;
        if self.shows_which_key {
            let at = (&self.keymap, self.context(), self.pending.as_slice());
            overlay::draw_which_key(body, at, buffer, &self.theme);
        }
        match self.overlay.as_ref()? {
            Overlay::Help(help) => Some(help.draw(body, buffer, &self.theme)),
            Overlay::Ask(_, prompt) => Some(prompt.draw(whole, buffer, &self.theme)),
            Overlay::Choose(_, chooser) => Some(chooser.draw(body, buffer, &self.theme)),
            Overlay::Finder(finder) => Some(finder.draw(body, buffer, &self.theme, &self.cache)),
            Overlay::Past { cursor } => {
                self.draw_past(*cursor, body, buffer);
                None
            }
            Overlay::Why => {
                let (panes, calibrated) = match self.screen() {
                    Context::Annotate => (&self.annotate.panes, self.annotate.calibrated()),
                    Context::Disagree => (&self.disagree.panes, String::new()),
                    _ => (&self.sample, String::new()),
                };
                panes.draw_why(body, &calibrated, buffer, &self.theme);
                None
            }
            Overlay::Facts => {
                let detail = self.detail()?;
                overlay::draw_facts(body, "facts", &docs::facts(detail), buffer, &self.theme);
                None
            }
            Overlay::JobFacts(facts) => {
                overlay::draw_facts(body, "job", facts, buffer, &self.theme);
                None
            }
            Overlay::Chart(charted) => {
                self.draw_chart(charted, body, buffer);
                None
            }
            Overlay::Form(form) => Some(form.form.draw(body, buffer, &self.theme)),
            Overlay::Confirm { question, .. } => {
                let lines = [(question.as_str(), Role::Popup)];
                overlay::draw_message(body, ("question", "y · n"), &lines, buffer, &self.theme);
                None
            }
            Overlay::Told(told) => {
                let lines = [
                    (told.text.as_str(), told.role),
                    (told.hint.as_str(), Role::Popup),
                ];
                let n = 2 - usize::from(told.hint.is_empty());
                let note = if told.opens_stale {
                    "Enter · Esc"
                } else {
                    "Esc"
                };
                overlay::draw_message(body, (told.title, note), &lines[..n], buffer, &self.theme);
                None
            }
        }
    }

    /// Draws the job that lives at the right of a line; returns how many columns are left for what else it says.
    fn draw_working(&self, row: Rect, buffer: &mut Buffer) -> usize {
        let width = usize::from(row.width).saturating_sub(2);
        let Some(text) = self.jobs.working() else {
            return width;
        };
        let text = cut(&text, width);
        let n_columns = text.width();
        let x = row.right().saturating_sub(n_columns as u16 + 1);
        buffer.set_string(x, row.y, &text, self.theme.style(Role::Strong));
        width.saturating_sub(n_columns + 2)
    }

    fn context_line(&self) -> String {
        match self.screen() {
            Context::Samples => {
                let text = &self.samples.filter_text;
                let filter = if text.is_empty() {
                    "every test · f filters"
                } else {
                    text
                };
                format!("{filter} · {}", self.samples.position())
            }
            Context::Sample => self.sample_line(),
            Context::Repos => {
                "Enter: the tests of the repository · J K scroll the problems".to_owned()
            }
            Context::Runs => self.runs.line(),
            Context::Results => self.results.line(),
            Context::Compare => self.compare.line(),
            Context::Jobs => self.jobs.line(),
            Context::Annotate => self.annotate.line(),
            Context::Disagree => self.disagree.line(),
            _ => home::hint(self.home.target()),
        }
    }

    fn sample_line(&self) -> String {
        let Some(detail) = &self.sample.detail else {
            return String::new();
        };
        let row = &detail.row;
        let test = &detail.test;
        let decided = match (row.stage, row.weight) {
            (Some(stage), Some(weight)) => format!("{} {weight:.2}", docs::stage_words(stage)),
            _ => docs::explain(row.status).to_owned(),
        };
        let place = format!("{}:{}", docs::file_name(&test.path), test.name_line);
        let position = self.samples.position();
        let line = format!("{position} · {decided} · {} · {place}", detail.repo.name);
        visible(&line)
    }
}
