//! The log: everything done since the UI was opened, as commands that can be pasted.
//!
//! ```text
//! ┏ your actions · 3 commands ━━━━━━━━━ y line · Y all · E file · Esc ┓
//! ┃▌focalist samples 'status:tie weight<0.5'                          ┃
//! ┃ focalist verdict 3f9a… pick 'p.C#inc()' --as ada                  ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::desk::ExportContent;
use crate::desk::overlay::Overlay;
use crate::keymap::Motion;
use crate::screen::Screen;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, centered, counted, cut, fill, inside, pieces};

const WIDTH_MAX: u16 = 140;
/// The suggested name of the file that the log is written to.
const FILE_NAME: &str = "focalist-log.sh";

impl App {
    pub(super) fn open_log(&mut self) {
        let cursor = self.command_log.lines().len().saturating_sub(1);
        self.desk.overlay = Some(Overlay::Log { cursor });
    }

    pub(super) fn scroll_log(&mut self, cursor: usize, motion: Motion) {
        let last = self.command_log.lines().len().saturating_sub(1);
        let page = usize::from(self.desk.size.height / 2).max(1);
        let cursor = motion.moved(cursor, page).min(last);
        self.desk.overlay = Some(Overlay::Log { cursor });
    }

    pub(super) fn copy_deed(&mut self) {
        if let Some(Overlay::Log { cursor }) = self.desk.overlay {
            let line = self.command_log.lines().get(cursor).cloned();
            self.desk.copy_out(line.map(|line| (line, "the command")));
        }
    }

    pub(super) fn copy_log(&mut self) {
        if let Some(Overlay::Log { .. }) = self.desk.overlay {
            let text = self.command_log.text();
            let taken = (!text.is_empty()).then_some((text, "the log"));
            self.desk.copy_out(taken);
        }
    }

    pub(super) fn ask_to_write_log(&mut self) {
        if self.command_log.lines().is_empty() {
            self.desk.show_message("nothing was done yet", Role::Dim);
            return;
        }
        self.ask_path(ExportContent::Log(self.command_log.text()), FILE_NAME);
    }

    /// Notes the command that lists what a filter now shows.
    pub(super) fn note_filter(&mut self, screen: Screen, text: &str) {
        match screen {
            Screen::Results => self.command_log.list_results(self.results.options()),
            Screen::Compare if self.compare.names().len() > 1 => {
                let names = self.compare.names().iter().map(String::as_str);
                let mut words = vec!["compare"];
                words.extend(names);
                words.extend(["--filter", text]);
                self.command_log.note(&words);
            }
            Screen::Samples if text.trim().is_empty() => self.command_log.note(&["samples"]),
            Screen::Samples => self.command_log.note(&["samples", text.trim()]),
            _ => {}
        }
    }

    pub(super) fn draw_log(&self, cursor: usize, body: Rect, buffer: &mut Buffer) {
        let lines = self.command_log.lines();
        let theme = &self.appearance.theme;
        let height = u16::try_from(lines.len().max(1)).unwrap_or(u16::MAX);
        let width = WIDTH_MAX.min(body.width.saturating_sub(2));
        let area = centered(body, width, height.saturating_add(2));
        fill(area, Role::Popup, buffer, theme);
        let title = format!("your actions · {}", counted(lines.len() as u64, "command"));
        let pane = Pane {
            title: &title,
            note: "y line · Y all · E file · Esc",
            has_focus: true,
        };
        pane.draw(area, buffer, theme);
        let inner = inside(area);
        if lines.is_empty() {
            pieces(inner, &[(" nothing yet", Role::Dim)], buffer, theme);
            return;
        }
        let n_rows = usize::from(inner.height);
        let top = (cursor + 1).saturating_sub(n_rows);
        let shown = lines.iter().enumerate().skip(top).take(n_rows);
        for ((idx, line), y) in shown.zip(inner.y..) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            let text = cut(&visible(line), usize::from(inner.width.saturating_sub(1)));
            let mark = if idx == cursor { "▌" } else { " " };
            pieces(
                row,
                &[(mark, Role::Focus), (&text, Role::Popup)],
                buffer,
                theme,
            );
            if idx == cursor {
                buffer.set_style(row, theme.style(Role::Selected));
            }
        }
    }
}
