//! The frame: top bar, line of context, screen, footer and overlays. Only draws.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::app::{App, SIZE_MIN};
use crate::desk::overlay::Overlay;
use crate::screen::{DrawContext, Screen, docs, remarks};
use crate::theme::{Role, reduce};
use crate::widget::frame::{cut, pieces};
use crate::widget::{bar, overlay};

/// Computes the area of a screen between the bars of a terminal of this size.
#[must_use]
pub fn body_of(size: Size) -> Rect {
    Rect::new(0, 2, size.width, size.height.saturating_sub(3))
}

impl App {
    /// Splits the terminal into top bar, line of context, body and footer.
    pub(super) fn areas(&self) -> [Rect; 4] {
        let Size { width, height } = self.desk.size;
        let row = |y| Rect::new(0, y, width, 1);
        [
            row(0),
            row(1),
            body_of(self.desk.size),
            row(height.saturating_sub(1)),
        ]
    }

    pub(super) fn is_too_small(&self) -> bool {
        self.desk.size.width < SIZE_MIN.width || self.desk.size.height < SIZE_MIN.height
    }

    /// Draws everything; returns the place of the blinking cursor, if any.
    pub fn draw(&self, buffer: &mut Buffer) -> Option<Position> {
        let area = buffer.area;
        buffer.set_style(area, self.appearance.theme.style(Role::Text));
        if area.is_empty() {
            return None;
        }
        let fits = area.width >= self.desk.size.width && area.height >= self.desk.size.height;
        let cursor = if fits && !self.is_too_small() {
            self.draw_all(buffer)
        } else {
            let Size { width, height } = SIZE_MIN;
            let text = format!("focalist needs {width}×{height} · q quits");
            let room = usize::from(area.width);
            buffer.set_stringn(
                0,
                0,
                cut(&text, room),
                room,
                self.appearance.theme.style(Role::Text),
            );
            None
        };
        reduce(buffer, self.appearance.depth);
        cursor
    }

    fn draw_all(&self, buffer: &mut Buffer) -> Option<Position> {
        let [top, context, body, footer] = self.areas();
        let draw_context = DrawContext {
            theme: &self.appearance.theme,
            cache: &self.desk.cache,
        };
        let screen = self.screen();
        let scene = self.scene(screen);
        bar::draw_top(
            top,
            (&self.keys.keymap, screen),
            &self.note_at_the_top(scene),
            buffer,
            &self.appearance.theme,
        );
        let room = self.draw_working(context, buffer);
        let line = cut(&scene.line_in(room), room);
        pieces(
            context,
            &[(" ", Role::Dim), (&line, Role::Dim)],
            buffer,
            &self.appearance.theme,
        );
        scene.draw(body, buffer, draw_context);
        let message = self.desk.message.as_ref();
        let note = message.map_or(("", Role::Dim), |(text, role)| (text.as_str(), *role));
        let left_out = scene.left_out();
        let at = (&self.keys.keymap, self.context(), &left_out[..]);
        let own = self.desk.overlay.as_ref().and_then(Overlay::own_keys);
        match own.filter(|_| message.is_none()) {
            Some(keys) => bar::draw_keys(footer, keys, buffer, &self.appearance.theme),
            None => bar::draw_footer(footer, at, note, buffer, &self.appearance.theme),
        }
        self.draw_overlay(body, buffer)
    }

    /// Finds the screen whose tab is at a column of the bar at the top.
    pub(super) fn tab_at(&self, x: u16) -> Option<Screen> {
        let [top, ..] = self.areas();
        let note = self.note_at_the_top(self.scene(self.screen()));
        bar::tab_at(top, (&self.keys.keymap, self.screen()), &note, x)
    }

    fn draw_overlay(&self, body: Rect, buffer: &mut Buffer) -> Option<Position> {
        let whole = buffer.area;
        if self.keys.shows_menu {
            let at = (
                &self.keys.keymap,
                self.context(),
                self.keys.pending.as_slice(),
            );
            overlay::draw_which_key(body, at, buffer, &self.appearance.theme);
        }
        match self.desk.overlay.as_ref()? {
            Overlay::Help(help) => Some(help.draw(body, buffer, &self.appearance.theme)),
            Overlay::Ask(_, prompt) => Some(prompt.draw(whole, buffer, &self.appearance.theme)),
            Overlay::Choose(_, chooser) => Some(chooser.draw(body, buffer, &self.appearance.theme)),
            Overlay::Finder(finder) => {
                let area = self.annotate.panes.area_beside_test(body);
                Some(finder.draw(area, buffer, &self.appearance.theme, &self.desk.cache))
            }
            Overlay::Alike(list) => {
                list.draw(body, buffer, (&self.appearance.theme, &self.desk.cache));
                None
            }
            Overlay::Past { cursor } => {
                self.annotate
                    .draw_past(*cursor, body, buffer, &self.appearance.theme);
                None
            }
            Overlay::Why => {
                let scene = self.scene(self.screen());
                let panes = scene.sample().unwrap_or(&self.sample.panes);
                let calibrated = scene.calibrated();
                panes.draw_why(body, &calibrated, buffer, &self.appearance.theme);
                None
            }
            Overlay::Facts => {
                let scene = self.scene(self.screen());
                let panes = scene.sample().unwrap_or(&self.sample.panes);
                let detail = panes.detail.as_ref()?;
                let mut facts = docs::facts(detail);
                if !scene.hides_people() {
                    facts.extend(remarks::facts(&panes.remarks));
                }
                overlay::draw_facts(body, "facts", &facts, buffer, &self.appearance.theme);
                None
            }
            Overlay::JobFacts(facts) => {
                overlay::draw_facts(body, "job", facts, buffer, &self.appearance.theme);
                None
            }
            Overlay::Legend(facts) => {
                overlay::draw_facts(body, "legend", facts, buffer, &self.appearance.theme);
                None
            }
            Overlay::Chart(charted) => {
                self.draw_chart(charted, body, buffer);
                None
            }
            Overlay::Log { cursor } => {
                self.draw_log(*cursor, body, buffer);
                None
            }
            Overlay::Form(form) => Some(form.form.draw(body, buffer, &self.appearance.theme)),
            Overlay::Confirm { question, .. } => {
                let lines = [(question.as_str(), Role::Popup)];
                overlay::draw_message(
                    body,
                    ("question", "y · n"),
                    &lines,
                    buffer,
                    &self.appearance.theme,
                );
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
                overlay::draw_message(
                    body,
                    (told.title, note),
                    &lines[..n],
                    buffer,
                    &self.appearance.theme,
                );
                None
            }
        }
    }

    /// Draws the working job at the right of a line; returns how many columns are left for the rest of the line.
    fn draw_working(&self, row: Rect, buffer: &mut Buffer) -> usize {
        let width = usize::from(row.width).saturating_sub(2);
        let Some(text) = self.jobs.working() else {
            return width;
        };
        let text = cut(&text, width);
        let n_columns = text.width();
        let x = row.right().saturating_sub(n_columns as u16 + 1);
        buffer.set_string(x, row.y, &text, self.appearance.theme.style(Role::Strong));
        width.saturating_sub(n_columns + 2)
    }
}
