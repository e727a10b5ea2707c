//! A list over the screen to choose from: type a few letters, Enter takes the best.
//!
//! ```text
//! ┏ run ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2 of 14 ━┓
//! ┃ > car                                               ┃
//! ┃▌carbon        12 480 samples                     ◆  ┃
//! ┃ carousel       9 112 samples                        ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::browse::{Fuzzy, Needle};
use crate::tui::keymap::{InputCommand, Motion};
use crate::tui::text::visible;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::frame::{Pane, count, cut, fill, fit, inside, pieces};
use crate::tui::widget::input::Input;

/// One thing to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What is chosen by, and what is returned.
    pub name: String,
    /// What is known of it; also searched.
    pub note: String,
    /// On the right: its key, or a mark.
    pub mark: String,
}

impl Choice {
    /// Makes names and notes fit for a screen.
    #[must_use]
    pub fn new(name: &str, note: &str, mark: &str) -> Self {
        Self {
            name: name.to_owned(),
            note: visible(note),
            mark: mark.to_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Chooser {
    title: &'static str,
    choices: Vec<Choice>,
    input: Input,
    /// Places in `choices`, the best first.
    found: Vec<usize>,
    cursor: usize,
}

const WIDTH_MAX: u16 = 96;
const NAME_WIDTH_MAX: usize = 44;

impl Chooser {
    /// Offers these, with the cursor on the one called `current`.
    #[must_use]
    pub fn new(title: &'static str, choices: Vec<Choice>, current: &str) -> Self {
        let cursor = choices.iter().position(|it| it.name == current);
        Self {
            title,
            found: (0..choices.len()).collect(),
            choices,
            input: Input::default(),
            cursor: cursor.unwrap_or(0),
        }
    }

    /// Puts other choices in place of these; what is typed stays.
    pub fn offer(&mut self, choices: Vec<Choice>) {
        self.choices = choices;
        self.search();
    }

    #[must_use]
    pub fn typed(&self) -> &str {
        self.input.text()
    }

    pub fn insert(&mut self, text: &str) {
        self.input.insert(text);
        self.search();
    }

    pub fn edit(&mut self, command: InputCommand) {
        self.input.edit(command);
        self.search();
    }

    fn search(&mut self) {
        let needle = Needle::new(self.input.text());
        // Names weigh more than notes: what is typed is looked for in both, as one text that begins with the name.
        let texts: Vec<String> = self
            .choices
            .iter()
            .map(|it| format!("{} {}", it.name, it.note))
            .collect();
        let hits = Fuzzy::default().rank(&needle, texts.iter().map(String::as_str));
        self.found = hits.into_iter().map(|it| it.idx).collect();
        self.cursor = 0;
    }

    pub fn step(&mut self, motion: Motion) {
        let last = self.found.len().saturating_sub(1);
        self.cursor = motion.moved(self.cursor, 10).min(last);
    }

    /// Returns the place of the choice under the cursor among those offered, and its name.
    #[must_use]
    pub fn chosen(&self) -> Option<(usize, &str)> {
        let place = *self.found.get(self.cursor)?;
        Some((place, self.choices.get(place)?.name.as_str()))
    }

    /// Draws the list; returns the cursor's place.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Position {
        let width = WIDTH_MAX.min(area.width.saturating_sub(4));
        let height = (self.choices.len() as u16 + 3).min(area.height);
        let frame = Rect::new(
            area.x + (area.width - width) / 2,
            area.y + (area.height - height) / 4,
            width,
            height,
        );
        fill(frame, Role::Popup, buffer, theme);
        let n_found = count(self.found.len() as u64);
        let note = format!("{n_found} of {}", count(self.choices.len() as u64));
        let pane = Pane {
            title: self.title,
            note: &note,
            has_focus: true,
        };
        pane.draw(frame, buffer, theme);
        let rows = inside(frame);
        let prompt = Rect::new(rows.x, rows.y, rows.width, 1.min(rows.height));
        let x = pieces(prompt, &[(" > ", Role::Key)], buffer, theme);
        let field = Rect::new(x, rows.y, rows.right().saturating_sub(x), 1);
        let cursor = self.input.draw(field, Role::Popup, buffer, theme);
        let list = Rect {
            y: rows.y + 1.min(rows.height),
            height: rows.height.saturating_sub(1),
            ..rows
        };
        self.draw_list(list, buffer, theme);
        cursor
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let height = usize::from(area.height);
        let top = (self.cursor + 1).saturating_sub(height);
        let width = |of: fn(&Choice) -> &str| {
            let widths = self.choices.iter().map(|it| of(it).width());
            widths.max().unwrap_or(0)
        };
        let name_width = width(|it| &it.name).min(NAME_WIDTH_MAX);
        let mark_width = width(|it| &it.mark);
        let shown = self.found.iter().enumerate().skip(top).take(height);
        for ((idx, place), y) in shown.zip(area.y..) {
            let choice = &self.choices[*place];
            let row = Rect::new(area.x, y, area.width, 1);
            let name = fit(&visible(&choice.name), name_width);
            let room = usize::from(area.width).saturating_sub(name_width + mark_width + 5);
            let note = fit(&cut(&choice.note, room), room);
            let is_selected = idx == self.cursor;
            let parts = [
                (if is_selected { "▌" } else { " " }, Role::Focus),
                (name.as_str(), Role::Popup),
                ("  ", Role::Popup),
                (note.as_str(), Role::Dim),
                (" ", Role::Popup),
                (choice.mark.as_str(), Role::Key),
            ];
            pieces(row, &parts, buffer, theme);
            if is_selected {
                buffer.set_style(row, theme.style(Role::Selected));
            }
        }
        if self.found.is_empty() && !area.is_empty() {
            let text = "nothing fits what is typed";
            buffer.set_string(area.x + 1, area.y, text, theme.style(Role::Warning));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooser() -> Chooser {
        let choices = [("carbon", "first"), ("flint", "second"), ("argon", "third")];
        let choices = choices.map(|(name, note)| Choice::new(name, note, ""));
        Chooser::new("run", choices.to_vec(), "flint")
    }

    #[test]
    fn the_cursor_begins_on_what_is_current_and_typing_finds_the_best() {
        let mut chooser = chooser();
        assert_eq!(chooser.chosen(), Some((1, "flint")));
        chooser.insert("ar");
        assert_eq!(chooser.chosen(), Some((2, "argon")));
        chooser.insert("b");
        assert_eq!(chooser.chosen(), Some((0, "carbon")));
        chooser.edit(InputCommand::DeleteAll);
        chooser.insert("second");
        assert_eq!(chooser.chosen(), Some((1, "flint")));
        chooser.insert("zzz");
        assert_eq!(chooser.chosen(), None);
    }

    #[test]
    fn motions_stop_at_both_ends() {
        let mut chooser = chooser();
        chooser.step(Motion::Last);
        assert_eq!(chooser.chosen(), Some((2, "argon")));
        chooser.step(Motion::Down);
        assert_eq!(chooser.chosen(), Some((2, "argon")));
        chooser.step(Motion::First);
        assert_eq!(chooser.chosen(), Some((0, "carbon")));
    }

    #[test]
    fn it_is_drawn_at_any_size() {
        let theme = Theme::named("dark").expect("it is built in");
        for (width, height) in [(0, 0), (1, 1), (3, 2), (60, 16), (200, 50)] {
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            chooser().draw(area, &mut buffer, &theme);
        }
    }
}
