//! A list over the screen to choose from: typed letters narrow it, Enter takes the best. The matching letters are
//! marked.
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
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::browse::{Fuzzy, Needle};
use crate::keymap::{InputCommand, Motion};
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, count, cut, fill, fit, inside, pieces};
use crate::widget::input::Input;
use crate::wrap::wrap;

/// An item to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChooserItem {
    /// The name to choose by, which is also the answer.
    pub name: String,
    /// A note on it; also searched.
    pub note: String,
    /// The key of its action, or a mark, on the right.
    pub mark: String,
    /// Its meaning, shown below the list while it is under the cursor.
    pub about: &'static str,
    /// The character of its sort; typed first, it lists only that sort.
    pub sort: Option<char>,
    /// Listed after all others, however well it fits.
    pub is_last: bool,
}

impl ChooserItem {
    /// Makes an item; the note is made fit for the screen.
    #[must_use]
    pub fn new(name: &str, note: &str, mark: &str) -> Self {
        Self {
            name: name.to_owned(),
            note: visible(note),
            mark: mark.to_owned(),
            ..Self::default()
        }
    }

    /// Marks it as one of a sort.
    #[must_use]
    pub fn of_sort(self, sort: char) -> Self {
        Self {
            sort: Some(sort),
            ..self
        }
    }
}

#[derive(Clone, Debug)]
pub struct Chooser {
    title: &'static str,
    /// The hint while nothing is typed.
    hint: &'static str,
    /// The characters of the sorts.
    sorts: &'static str,
    choices: Vec<ChooserItem>,
    input: Input,
    /// Indices in `choices`, the best first.
    hits: Vec<usize>,
    cursor: usize,
    /// For each choice after the first, whether it is checked, where several can be; the first one takes the checked
    /// ones.
    checked: Option<Vec<bool>>,
}

const WIDTH_MAX: u16 = 96;
const NAME_WIDTH_MAX: usize = 44;
/// The rows for the meaning of a choice, with an empty row above.
const ABOUT_HEIGHT: u16 = 5;

impl Chooser {
    /// Offers these choices, with the cursor on the one named `current`.
    #[must_use]
    pub fn new(title: &'static str, choices: Vec<ChooserItem>, current: &str) -> Self {
        let cursor = choices.iter().position(|choice| choice.name == current);
        Self {
            title,
            hint: "",
            sorts: "",
            hits: (0..choices.len()).collect(),
            choices,
            input: Input::default(),
            cursor: cursor.unwrap_or(0),
            checked: None,
        }
    }

    /// Offers choices to check, as many as the user likes; the first is no choice, but takes the checked ones.
    #[must_use]
    pub fn of_many(title: &'static str, choices: Vec<ChooserItem>, checked: Vec<bool>) -> Self {
        Self {
            checked: Some(checked),
            ..Self::new(title, choices, "")
        }
    }

    /// Returns for each choice after the first whether it is checked; nothing where they cannot be.
    #[must_use]
    pub fn checked(&self) -> Option<&[bool]> {
        self.checked.as_deref()
    }

    /// Checks or unchecks the choice under the cursor; tells whether it can be checked. A typed search is then cleared,
    /// and the cursor goes to the first line, which takes the checked ones.
    pub fn toggle(&mut self) -> bool {
        let place = self.chosen().map(|pair| pair.0);
        let idx = place.and_then(|place| place.checked_sub(1));
        if !idx.is_some_and(|idx| self.toggle_at(idx)) {
            return false;
        }
        if !self.input.text().is_empty() {
            self.edit(InputCommand::DeleteAll);
        }
        true
    }

    /// Checks or unchecks the choice with this index behind the first; tells whether there is one.
    pub fn toggle_at(&mut self, idx: usize) -> bool {
        let checked = self
            .checked
            .as_mut()
            .and_then(|checked| checked.get_mut(idx));
        let is_there = checked.is_some();
        if let Some(is_checked) = checked {
            *is_checked = !*is_checked;
        }
        is_there
    }

    /// Offers choices of several sorts, each with its character, and a hint while nothing is typed.
    #[must_use]
    pub fn with_sorts(mut self, sorts: &'static str, hint: &'static str) -> Self {
        (self.sorts, self.hint) = (sorts, hint);
        self
    }

    /// Replaces the choices behind the first `n_kept`; the cursor stays on its choice if that is among the kept ones.
    pub fn offer_behind(&mut self, n_kept: usize, choices: Vec<ChooserItem>) {
        let chosen = self.chosen().map(|(place, _)| place);
        self.choices.truncate(n_kept);
        self.choices.extend(choices);
        self.search();
        let place = |place: usize| self.hits.iter().position(|n| *n == place);
        if let Some(cursor) = chosen.filter(|chosen| *chosen < n_kept).and_then(place) {
            self.cursor = cursor;
        }
    }

    /// Splits the typed text into the character of a sort, if it begins with one, and the text to search for.
    #[must_use]
    pub fn sought(&self) -> (Option<char>, &str) {
        let typed = self.input.text();
        match typed.chars().next() {
            Some(sort) if self.sorts.contains(sort) => (Some(sort), &typed[sort.len_utf8()..]),
            _ => (None, typed),
        }
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
        let (sort, typed) = self.sought();
        let needle = Needle::new(typed);
        // Names weigh more than notes: both are searched as one text that begins with the name.
        let texts: Vec<String> = self
            .choices
            .iter()
            .map(|choice| self.searched(choice))
            .collect();
        let hits = Fuzzy::default().rank(&needle, texts.iter().map(String::as_str));
        let found = hits.into_iter().map(|hit| hit.idx);
        let mut found: Vec<usize> = found
            .filter(|idx| sort.is_none() || self.choices[*idx].sort == sort)
            .collect();
        // The line that takes the checked ones is not searched.
        let takes_checked = self.checked.is_some() && !typed.is_empty();
        found.retain(|idx| *idx > 0 || !takes_checked);
        // Choices with the text in their names come before those with it in their notes.
        let mut by_name = Fuzzy::default();
        found.sort_by_cached_key(|idx| {
            let choice = &self.choices[*idx];
            let is_named = by_name.score(&needle, &choice.name).is_some();
            (choice.is_last, !is_named)
        });
        self.hits = found;
        self.cursor = 0;
    }

    /// Joins the texts that a choice is searched in: its name, and its note unless that is a long definition.
    fn searched(&self, choice: &ChooserItem) -> String {
        if self.checked.is_some() {
            choice.name.clone()
        } else {
            format!("{} {}", choice.name, choice.note)
        }
    }

    pub fn step(&mut self, motion: Motion) {
        let last = self.hits.len().saturating_sub(1);
        self.cursor = motion.moved(self.cursor, 10).min(last);
    }

    /// Returns the index of the choice under the cursor among those offered, and its name.
    #[must_use]
    pub fn chosen(&self) -> Option<(usize, &str)> {
        let place = *self.hits.get(self.cursor)?;
        Some((place, self.choices.get(place)?.name.as_str()))
    }

    /// Draws the list; returns the cursor's place.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Position {
        let width = WIDTH_MAX.min(area.width.saturating_sub(4));
        let has_about = self.choices.iter().any(|choice| !choice.about.is_empty());
        let about_height = if has_about { ABOUT_HEIGHT } else { 0 };
        let height = (self.choices.len() as u16 + 3 + about_height).min(area.height);
        let frame = Rect::new(
            area.x + (area.width - width) / 2,
            area.y + (area.height - height) / 4,
            width,
            height,
        );
        fill(frame, Role::Popup, buffer, theme);
        let n_found = count(self.hits.len() as u64);
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
        if self.input.text().is_empty() {
            let rest = Rect::new(x + 2, rows.y, rows.right().saturating_sub(x + 2), 1);
            pieces(rest, &[(self.hint, Role::Dim)], buffer, theme);
        }
        let list = Rect {
            y: rows.y + 1.min(rows.height),
            height: rows.height.saturating_sub(1 + about_height),
            ..rows
        };
        self.draw_list(list, buffer, theme);
        let about = Rect {
            y: list.bottom(),
            height: rows
                .bottom()
                .saturating_sub(list.bottom())
                .min(about_height),
            ..rows
        };
        self.draw_about(about, buffer, theme);
        cursor
    }

    fn draw_about(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let place = self.hits.get(self.cursor);
        let Some(choice) = place.and_then(|place| self.choices.get(*place)) else {
            return;
        };
        let mut rows = Vec::new();
        let width = area.width.saturating_sub(2);
        wrap(0, choice.about, width, &mut rows);
        // One row stays empty.
        for (row, y) in rows.iter().zip(area.y + 1..area.bottom()) {
            let text = &choice.about[row.start as usize..row.end as usize];
            let place = Rect::new(area.x + 1, y, width, 1);
            pieces(place, &[(text, Role::Dim)], buffer, theme);
        }
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let height = usize::from(area.height);
        let top = (self.cursor + 1).saturating_sub(height);
        let width = |of: fn(&ChooserItem) -> &str| {
            let widths = self.choices.iter().map(|choice| of(choice).width());
            widths.max().unwrap_or(0)
        };
        let name_width = width(|chooser_item| &chooser_item.name).min(NAME_WIDTH_MAX);
        let mark_width = width(|chooser_item| &chooser_item.mark);
        let check_width = if self.checked.is_some() { 4 } else { 0 };
        let needle = Needle::new(self.sought().1);
        let mut fuzzy = (!needle.is_empty()).then(Fuzzy::default);
        let shown = self.hits.iter().enumerate().skip(top).take(height);
        for ((idx, place), y) in shown.zip(area.y..) {
            let choice = &self.choices[*place];
            let row = Rect::new(area.x, y, area.width, 1);
            let name = fit(&visible(&choice.name), name_width);
            let n_taken = name_width + mark_width + 5 + check_width;
            let room = usize::from(area.width).saturating_sub(n_taken);
            let note = fit(&cut(&choice.note, room), room);
            let is_selected = idx == self.cursor;
            let check = match (&self.checked, place.checked_sub(1)) {
                (Some(checked), Some(idx)) if checked.get(idx) == Some(&true) => "[x] ",
                (Some(_), Some(_)) => "[ ] ",
                _ => "",
            };
            let parts = [
                (if is_selected { "▌" } else { " " }, Role::Focus),
                (check, Role::Key),
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
            if let Some(fuzzy) = &mut fuzzy {
                let names = area.x + 1 + check_width as u16;
                let notes = names + 2 + name_width as u16;
                let positions = fuzzy.positions(&needle, &self.searched(choice));
                let n_name = choice.name.chars().count();
                for position in positions {
                    let position = position as usize;
                    let (start, text, width, nth) = if position < n_name {
                        (names, &choice.name, name_width, position)
                    } else {
                        (
                            notes,
                            &choice.note,
                            room,
                            position.saturating_sub(n_name + 1),
                        )
                    };
                    mark_char(text, nth, Rect::new(start, y, width as u16, 1), buffer);
                }
            }
        }
        if self.hits.is_empty() && !area.is_empty() {
            let text = "nothing matches";
            buffer.set_string(area.x + 1, area.y, text, theme.style(Role::Warning));
        }
    }
}

/// Emphasises the n-th character of a text that stands in `row`, unless it is cut off.
fn mark_char(text: &str, nth: usize, row: Rect, buffer: &mut Buffer) {
    let end = text
        .char_indices()
        .nth(nth)
        .map_or(text.len(), |pair| pair.0);
    let x = row
        .x
        .saturating_add(text[..end].width().min(usize::from(u16::MAX)) as u16);
    // The last column may hold the mark of a cut.
    if x + 1 < row.right() && row.intersects(buffer.area) && x < buffer.area.right() {
        let style = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        buffer.set_style(Rect::new(x, row.y, 1, 1), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooser() -> Chooser {
        let choices = [("carbon", "first"), ("flint", "second"), ("argon", "third")];
        let choices = choices.map(|(name, note)| ChooserItem::new(name, note, ""));
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
    fn a_sort_is_asked_for_by_its_character_and_what_comes_last_stays_last() {
        let action = ChooserItem::new("argue", "", "").of_sort('>');
        let mut chooser = Chooser::new(":", vec![action], "").with_sorts(">#", "a hint");
        chooser.insert("ar");
        let sample = ChooserItem {
            is_last: true,
            ..ChooserItem::new("ar", "", "").of_sort('#')
        };
        chooser.offer_behind(1, vec![sample]);
        assert_eq!(chooser.hits, [0, 1]);
        chooser.edit(InputCommand::DeleteAll);
        chooser.insert("#a");
        assert_eq!(
            (chooser.sought(), chooser.hits.as_slice()),
            ((Some('#'), "a"), [1].as_slice())
        );
        chooser.offer_behind(1, Vec::new());
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
    fn several_are_checked_and_what_was_typed_is_then_done_with() {
        let choices = ["save", "wrong_literal", "other"].map(|name| ChooserItem {
            about: "Says what it means.",
            ..ChooserItem::new(name, "", "")
        });
        let mut chooser = Chooser::of_many("tags", choices.to_vec(), vec![true, false]);
        assert!(!chooser.toggle());
        chooser.insert("s");
        assert_eq!(chooser.chosen(), None, "what saves is not searched");
        chooser.edit(InputCommand::DeleteAll);
        chooser.insert("oth");
        assert!(chooser.toggle());
        assert_eq!(chooser.chosen(), Some((0, "save")));
        chooser.step(Motion::Down);
        assert!(chooser.toggle());
        assert_eq!(chooser.chosen(), Some((1, "wrong_literal")));
        assert_eq!(chooser.checked(), Some(&[false, true][..]));
        let theme = Theme::named("dark").expect("it is built in");
        for (width, height) in [(0, 0), (1, 1), (3, 2), (60, 7), (200, 50)] {
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            chooser.draw(area, &mut buffer, &theme);
        }
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
