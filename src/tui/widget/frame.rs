//! Panes, pop-ups and lines of styled pieces: the parts that every widget shares.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::model::grouped;
use crate::theme::{Role, Theme};

/// A bordered area with a title on the left and a note on the right of its upper edge.
#[derive(Clone, Copy, Debug)]
pub struct Pane<'a> {
    pub title: &'a str,
    pub note: &'a str,
    pub has_focus: bool,
}

impl Pane<'_> {
    /// Draws the border; a pane with the focus has thick lines, so that it shows without colours.
    pub fn draw(self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let (role, glyphs) = if self.has_focus {
            (Role::Focus, ["┏", "━", "┓", "┃", "┗", "┛"])
        } else {
            (Role::Border, ["┌", "─", "┐", "│", "└", "┘"])
        };
        let style = theme.style(role);
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let across = glyphs[1].repeat(usize::from(area.width) - 2);
        let upper = format!("{}{across}{}", glyphs[0], glyphs[2]);
        let lower = format!("{}{across}{}", glyphs[4], glyphs[5]);
        buffer.set_string(area.x, area.y, upper, style);
        buffer.set_string(area.x, bottom, lower, style);
        for y in area.y + 1..bottom {
            buffer.set_string(area.x, y, glyphs[3], style);
            buffer.set_string(right, y, glyphs[3], style);
        }
        self.draw_title(area, buffer, theme);
    }

    fn draw_title(self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let style = theme.style(if self.has_focus {
            Role::Focus
        } else {
            Role::Title
        });
        let room = usize::from(area.width).saturating_sub(4);
        let note_width = self.note.width();
        // A note tells what cannot be seen; a long title is shortened before the note is left out.
        let beside = room.saturating_sub(note_width + 3);
        let has_note = !self.note.is_empty() && beside >= TITLE_MIN;
        let title_room = if has_note { beside } else { room };
        let title = cut(&format!(" {} ", self.title), title_room);
        buffer.set_string(area.x + 1, area.y, &title, style);
        if has_note {
            let x = area.right() - 3 - note_width as u16;
            let note = format!(" {} ", self.note);
            // The border under it may be bold.
            let style = theme.style(Role::Title).not_bold();
            buffer.set_string(x, area.y, note, style);
        }
    }
}

/// The least number of columns for a title beside a note.
const TITLE_MIN: usize = 12;

/// Computes the area inside a pane's border.
#[must_use]
pub fn inside(area: Rect) -> Rect {
    if area.width < 2 || area.height < 2 {
        return Rect::new(area.x, area.y, 0, 0);
    }
    Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
}

/// Fills an area with the style of `role`, over its content.
pub fn fill(area: Rect, role: Role, buffer: &mut Buffer, theme: &Theme) {
    let blank = " ".repeat(usize::from(area.width));
    for y in area.y..area.bottom() {
        // The style is reset first: what lies below must not shine through.
        buffer.set_style(
            Rect::new(area.x, y, area.width, 1),
            ratatui::style::Style::reset(),
        );
        buffer.set_style(Rect::new(area.x, y, area.width, 1), theme.style(Role::Text));
        buffer.set_string(area.x, y, &blank, theme.style(role));
    }
}

/// Centres a rectangle of at most this size in `area`.
#[must_use]
pub fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    )
}

/// Cuts `text` to at most `width` columns; a cut is marked with `…`.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut n_columns = 0;
    for char in text.chars() {
        let char_width = char.to_string().width();
        if n_columns + char_width + 1 > width {
            break;
        }
        short.push(char);
        n_columns += char_width;
    }
    if width > 0 {
        short.push('…');
    }
    short
}

/// Cuts `text` at its start to at most `width` columns, for paths; a cut is marked with `…`.
#[must_use]
pub fn cut_start(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut n_columns = 1;
    let kept = text.char_indices().rev().take_while(|(_, char)| {
        n_columns += char.to_string().width();
        n_columns <= width
    });
    let start = kept.last().map_or(text.len(), |(offset, _)| offset);
    cut(&format!("…{}", &text[start..]), width)
}

/// Cuts or pads `text` to exactly `width` columns.
#[must_use]
pub fn fit(text: &str, width: usize) -> String {
    let mut text = cut(text, width);
    let missing = width - text.width().min(width);
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// Fits `Class.method` into at most `width` columns: the class is cut first, since methods differ more. A function that
/// belongs to no class stands alone.
#[must_use]
pub fn cut_class(class: &str, method: &str, width: usize) -> String {
    const CLASS_MIN: usize = 4;
    let room = width.saturating_sub(method.width() + 1);
    if room < CLASS_MIN || class.is_empty() {
        return cut(method, width);
    }
    format!("{}.{method}", cut(class, room))
}

/// Fits a line of parts, `one · two · three`, into at most `width` columns: whole parts are dropped from its end, or
/// whole words where the parts that fit would take less than half the width.
#[must_use]
pub fn cut_parts(text: &str, width: usize) -> String {
    const MORE: &str = " …";
    if text.width() <= width {
        return text.to_owned();
    }
    let ends = |gap: &'static str| {
        let fits = move |at: &usize| text[..*at].width() + MORE.width() <= width;
        text.match_indices(gap)
            .map(|match_index| match_index.0)
            .take_while(fits)
            .last()
    };
    let is_long = |at: &usize| text[..*at].width() * 2 >= width;
    match ends(" · ").filter(is_long).or_else(|| ends(" ")) {
        Some(at) if at > 0 => format!("{}{MORE}", text[..at].trim_end_matches([' ', '·'])),
        _ => cut(text, width),
    }
}

/// Chooses the first of several forms of a text that takes at most `width` columns, else the last.
#[must_use]
pub fn first_fitting(forms: Vec<String>, width: usize) -> String {
    let last = forms.len().saturating_sub(1);
    let mut forms = forms.into_iter().enumerate();
    let found = forms.find(|(idx, text)| *idx == last || text.width() <= width);
    found.map_or_else(String::new, |found| found.1)
}

/// Writes a count with its thousands apart: `12,480`.
#[must_use]
pub fn count(n: u64) -> String {
    grouped(n)
}

/// Writes a count with its noun: `1 test`, `2 tests`.
#[must_use]
pub fn counted(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(n))
}

/// Writes a span of milliseconds in one unit, never below 0: `34 s`, `5 min`.
#[must_use]
pub fn span(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6_000 => format!("{} min", seconds / 60),
        6_000..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Writes pieces one after the other on one row; returns the column after the last.
pub fn pieces(area: Rect, pieces: &[(&str, Role)], buffer: &mut Buffer, theme: &Theme) -> u16 {
    let mut x = area.x;
    for (text, role) in pieces {
        let room = usize::from(area.right().saturating_sub(x));
        let mut style = theme.style(*role);
        if *role == Role::Text {
            // Plain text keeps the background that it lies on: of a pop-up, a row, the page.
            style.bg = None;
        }
        (x, _) = buffer.set_stringn(x, area.y, text, room, style);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_says_so() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("漢字漢字", 4), "漢…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(cut_start("src/A.java:1", 9), "…A.java:1");
        assert_eq!(cut_start("src", 0), "");
    }

    #[test]
    fn a_line_of_parts_is_cut_between_parts_or_words() {
        let line = "uncertain · 116 left · by the weight of evidence";
        assert_eq!(cut_parts(line, 48), line);
        assert_eq!(cut_parts(line, 40), "uncertain · 116 left …");
        assert_eq!(
            cut_parts("a · sentence with more words", 20),
            "a · sentence with …"
        );
        assert_eq!(cut_parts("indivisible", 6), "indiv…");
        assert_eq!(cut_parts("a b", 0), "");
        let forms = || vec!["a long form".to_owned(), "short".to_owned()];
        assert_eq!(first_fitting(forms(), 11), "a long form");
        assert_eq!(first_fitting(forms(), 3), "short");
    }

    #[test]
    fn the_class_gives_way_before_the_method() {
        assert_eq!(cut_class("CounterTest", "inc", 20), "CounterTest.inc");
        assert_eq!(
            cut_class("CounterTest", "increments", 18),
            "Counte….increments"
        );
        assert_eq!(cut_class("CounterTest", "increments", 13), "increments");
        assert_eq!(cut_class("CounterTest", "increments", 8), "increme…");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_204), "1,204");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "test"), "1 test");
    }
}
