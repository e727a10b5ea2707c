//! One line of input with a cursor.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::keymap::InputCommand;
use crate::text::visible;
use crate::theme::{Role, Theme};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// The byte between two graphemes where the cursor stands.
    cursor: usize,
    /// Whether the text is only suggested: typing replaces it, as if it were selected. Moving in it or deleting from it
    /// accepts it.
    is_offered: bool,
}

impl Input {
    /// Makes a line with the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
            is_offered: false,
        }
    }

    /// Makes a line that typing replaces as a whole.
    #[must_use]
    pub fn offered(text: &str) -> Self {
        Self {
            is_offered: !text.is_empty(),
            ..Self::new(text)
        }
    }

    #[must_use]
    pub const fn is_offered(&self) -> bool {
        self.is_offered
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Types or pastes; line breaks become blanks, since there is one line only.
    pub fn insert(&mut self, text: &str) {
        if self.is_offered {
            *self = Self::default();
        }
        let text = visible(&text.replace(['\r', '\n'], " "));
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Replaces the last `len` bytes before the cursor.
    pub fn replace_before(&mut self, len: usize, with: &str) {
        let start = self.cursor.saturating_sub(len);
        self.text.replace_range(start..self.cursor, with);
        self.cursor = start + with.len();
    }

    /// Replaces a part of the line; a cursor outside the part keeps its place in the text, one inside goes behind the
    /// new part.
    pub fn replace(&mut self, span: Range<usize>, with: &str) {
        let behind = self.cursor.checked_sub(span.end);
        let is_before = self.cursor < span.start;
        self.text.replace_range(span.clone(), with);
        let end = span.start + with.len();
        if !is_before {
            self.cursor = end + behind.unwrap_or(0);
        }
    }

    /// Carries out a command that edits; others (accept, cancel, complete) do nothing here.
    pub fn edit(&mut self, command: InputCommand) {
        self.is_offered = false;
        let before = self.text[..self.cursor].graphemes(true).next_back();
        let after = self.text[self.cursor..].graphemes(true).next();
        match command {
            InputCommand::Left => self.cursor -= before.map_or(0, str::len),
            InputCommand::Right => self.cursor += after.map_or(0, str::len),
            InputCommand::Start => self.cursor = 0,
            InputCommand::End => self.cursor = self.text.len(),
            InputCommand::DeleteBackwards => self.replace_before(before.map_or(0, str::len), ""),
            InputCommand::DeleteForwards => {
                let end = self.cursor + after.map_or(0, str::len);
                self.text.replace_range(self.cursor..end, "");
            }
            InputCommand::DeleteWord => {
                let kept = self.text[..self.cursor].trim_end();
                let start = kept.rfind(' ').map_or(0, |space| space + 1);
                self.replace_before(self.cursor - start, "");
            }
            InputCommand::DeleteAll => self.replace_before(self.cursor, ""),
            InputCommand::Accept
            | InputCommand::Cancel
            | InputCommand::Complete(_)
            | InputCommand::Field(_)
            | InputCommand::Scroll(_) => {}
        }
    }

    /// Computes the first byte that is shown in `width` columns: the cursor is always in sight.
    #[must_use]
    pub fn first_shown(&self, width: u16) -> usize {
        let room = usize::from(width).saturating_sub(1);
        let mut starts = self.text.grapheme_indices(true).map(|(offset, _)| offset);
        starts
            .find(|start| *start >= self.cursor || self.text[*start..self.cursor].width() <= room)
            .unwrap_or(self.cursor)
            .min(self.cursor)
    }

    /// Draws the line, scrolled so that the cursor is in it; returns the cursor's place.
    pub fn draw(&self, area: Rect, role: Role, buffer: &mut Buffer, theme: &Theme) -> Position {
        let start = self.first_shown(area.width);
        let room = usize::from(area.width);
        let style = theme.style(role);
        buffer.set_stringn(area.x, area.y, &self.text[start..], room, style);
        let column = self.text[start..self.cursor].width() as u16;
        let last = area.width.saturating_sub(1);
        Position::new(area.x + column.min(last), area.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: &str, commands: &[InputCommand], expected: (&str, &str)) {
        let mut input = Input::new(start);
        for command in commands {
            input.edit(*command);
        }
        let (before, after) = input.text.split_at(input.cursor);
        assert_eq!((before, after), expected);
    }

    #[test]
    fn a_word_is_deleted_with_the_blanks_behind_it() {
        check(
            "repo:gson status:tie ",
            &[InputCommand::DeleteWord],
            ("repo:gson ", ""),
        );
    }

    #[test]
    fn the_cursor_moves_over_whole_characters() {
        check("ae\u{301}", &[InputCommand::Left], ("a", "e\u{301}"));
        check(
            "漢字",
            &[InputCommand::Left, InputCommand::DeleteBackwards],
            ("", "字"),
        );
    }

    #[test]
    fn what_is_typed_takes_the_place_of_what_is_offered() {
        let mut input = Input::offered("carbon");
        input.insert("gold");
        input.insert("en");
        assert_eq!(input.text(), "golden");
        let mut input = Input::offered("carbon");
        input.edit(InputCommand::End);
        input.insert("-ft");
        assert_eq!(input.text(), "carbon-ft");
        let mut input = Input::offered("carbon");
        input.edit(InputCommand::DeleteBackwards);
        assert_eq!(input.text(), "carbo");
    }

    #[test]
    fn deleting_at_the_edges_is_harmless() {
        check(
            "",
            &[InputCommand::DeleteBackwards, InputCommand::DeleteForwards],
            ("", ""),
        );
    }

    #[test]
    fn a_pasted_line_break_becomes_a_blank() {
        let mut input = Input::default();
        input.insert("a\nb\u{1b}");
        assert_eq!(input.text(), "a b␛");
    }
}
