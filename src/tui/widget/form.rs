//! Several fields to fill in: lines of text and choices between words.
//!
//! Decides how the user moves between fields, types into them, and sees them. The screen knows what they mean, and
//! checks them.
//!
//! ```text
//! ┏ import predictions ━━━━━━━━━━━━━━━━ Enter imports · Esc ┓
//! ┃ file           runs/carbon.jsonl                        ┃
//! ┃ target         ‹ assertion ›                            ┃
//! ┃ the flaw, else completions, else the field's help       ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::keymap::{InputCommand, StepDirection};
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, centered, cut, cut_start, fill, fit, inside, pieces};
use crate::widget::input::Input;

#[derive(Clone, Debug)]
pub struct InputForm {
    pub title: &'static str,
    pub note: &'static str,
    pub fields: Vec<FormField>,
    /// The number of fields that are shown and can be walked, from the first on.
    pub n_shown: usize,
    /// The field with the cursor.
    pub at: usize,
    /// The flaw, and the index of its field.
    pub flaw: Option<(usize, String)>,
    /// Completions for the field with the cursor, each its whole text.
    pub completions: Vec<String>,
    pub chosen: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct FormField {
    pub label: String,
    pub help: String,
    pub value: FieldValue,
}

#[derive(Clone, Debug)]
pub enum FieldValue {
    Text(Input),
    Choice { words: Vec<String>, idx: usize },
}

impl FormField {
    #[must_use]
    pub fn text(label: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            help: help.into(),
            value: FieldValue::Text(Input::default()),
        }
    }

    /// Makes a field that offers `words`, with the first one chosen.
    #[must_use]
    pub fn choice(label: impl Into<String>, words: Vec<String>, help: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            help: help.into(),
            value: FieldValue::Choice { words, idx: 0 },
        }
    }
}

/// The least and the most columns of labels.
const LABEL_WIDTHS: (usize, usize) = (14, 21);
const WIDTH: u16 = 78;

impl InputForm {
    #[must_use]
    pub fn new(title: &'static str, note: &'static str, fields: Vec<FormField>) -> Self {
        Self {
            title,
            note,
            n_shown: fields.len(),
            fields,
            at: 0,
            flaw: None,
            completions: Vec::new(),
            chosen: None,
        }
    }

    /// Returns the text of a field; of a choice, its word.
    #[must_use]
    pub fn text(&self, idx: usize) -> &str {
        match self.fields.get(idx).map(|field| &field.value) {
            Some(FieldValue::Text(input)) => input.text(),
            Some(FieldValue::Choice { words, idx }) => words.get(*idx).map_or("", String::as_str),
            None => "",
        }
    }

    /// Returns the index of the chosen word; 0 for a text.
    #[must_use]
    pub fn choice(&self, idx: usize) -> usize {
        match self.fields.get(idx).map(|field| &field.value) {
            Some(FieldValue::Choice { idx, .. }) => *idx,
            _ => 0,
        }
    }

    /// Fills in a text, or chooses a word; an unknown word changes nothing.
    pub fn set(&mut self, idx: usize, text: &str) {
        match self.fields.get_mut(idx).map(|field| &mut field.value) {
            Some(FieldValue::Text(input)) => *input = Input::new(text),
            Some(FieldValue::Choice { words, idx }) => {
                *idx = words.iter().position(|word| *word == text).unwrap_or(*idx);
            }
            None => {}
        }
    }

    /// Fills in a text that typing replaces; in a choice, the same as [`InputForm::set`].
    pub fn offer(&mut self, idx: usize, text: &str) {
        match self.fields.get_mut(idx).map(|field| &mut field.value) {
            Some(FieldValue::Text(input)) => *input = Input::offered(text),
            _ => self.set(idx, text),
        }
    }

    pub fn step(&mut self, step: StepDirection) {
        self.go(step.around(self.at, self.n_shown));
    }

    pub fn go(&mut self, at: usize) {
        self.at = at;
        self.completions = Vec::new();
        self.chosen = None;
    }

    /// Types into a text; in a choice, a blank chooses the next word, and a letter the next word that begins with it.
    pub fn insert(&mut self, text: &str) {
        self.flaw = None;
        self.chosen = None;
        match self.fields.get_mut(self.at).map(|field| &mut field.value) {
            Some(FieldValue::Text(input)) => input.insert(text),
            Some(FieldValue::Choice { words, idx }) => {
                let n_words = words.len().max(1);
                let begins = |n: &usize| text == " " || words[*n].starts_with(text);
                let after = (1..=n_words).map(|step| (*idx + step) % n_words);
                *idx = after.into_iter().find(begins).unwrap_or(*idx);
            }
            None => {}
        }
    }

    pub fn edit(&mut self, command: InputCommand) {
        self.flaw = None;
        self.chosen = None;
        match self.fields.get_mut(self.at).map(|field| &mut field.value) {
            Some(FieldValue::Text(input)) => input.edit(command),
            Some(FieldValue::Choice { words, idx }) => match command {
                InputCommand::Left => *idx = (*idx + words.len().max(1) - 1) % words.len().max(1),
                InputCommand::Right => *idx = (*idx + 1) % words.len().max(1),
                _ => {}
            },
            None => {}
        }
    }

    /// Completes the field as a shell does: as far as all completions agree, then one after the other. Tells whether
    /// the completions must be found anew; without any, the cursor goes on to the next field.
    pub fn complete(&mut self, step: StepDirection) -> bool {
        let n = self.completions.len();
        let typed = self.text(self.at).to_owned();
        if n == 0 || (n == 1 && self.completions[0] == typed) {
            self.step(step);
            return false;
        }
        let common = common_start(&self.completions);
        if self.chosen.is_none() && common.len() > typed.len() {
            let common = common.to_owned();
            self.set(self.at, &common);
            self.flaw = None;
            return true;
        }
        let idx = step.around_from(self.chosen, n);
        self.chosen = Some(idx);
        let text = self.completions[idx].clone();
        self.set(self.at, &text);
        self.flaw = None;
        false
    }

    /// Draws the form in the middle of `area`; returns the cursor's place.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Position {
        let height = self.n_shown as u16 + 4;
        let frame = centered(area, WIDTH.min(area.width.saturating_sub(2)), height);
        fill(frame, Role::Popup, buffer, theme);
        let pane = Pane {
            title: self.title,
            note: self.note,
            has_focus: true,
        };
        pane.draw(frame, buffer, theme);
        let inner = inside(frame);
        let n_rows = usize::from(inner.height.saturating_sub(1)).max(1);
        let top = (self.at + 1).saturating_sub(n_rows);
        let mut cursor = Position::new(inner.x, inner.y);
        let shown = self.fields.iter().enumerate().take(self.n_shown);
        for (row_idx, (idx, field)) in shown.skip(top).enumerate() {
            if row_idx >= n_rows {
                break;
            }
            let row = Rect::new(inner.x, inner.y + row_idx as u16, inner.width, 1);
            if let Some(place) = self.draw_field((idx, field), row, buffer, theme) {
                cursor = place;
            }
        }
        if inner.height > 0 {
            let row = Rect::new(inner.x, inner.bottom() - 1, inner.width, 1);
            self.draw_hint(row, buffer, theme);
        }
        cursor
    }

    /// Computes the columns of the visible labels, with a blank.
    fn label_width(&self) -> usize {
        let shown = self.fields.iter().take(self.n_shown);
        let widest = shown.map(|field| field.label.width() + 1).max();
        let (least, most) = LABEL_WIDTHS;
        widest.unwrap_or(least).clamp(least, most)
    }

    fn draw_field(
        &self,
        (idx, field): (usize, &FormField),
        row: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) -> Option<Position> {
        let is_here = idx == self.at;
        let is_wrong = self.flaw.as_ref().is_some_and(|(at, _)| *at == idx);
        let mark = match (is_wrong, is_here) {
            (true, _) => "!",
            (false, true) => "▌",
            (false, false) => " ",
        };
        let mark_role = if is_wrong { Role::Error } else { Role::Focus };
        let label = fit(&field.label, self.label_width());
        let label_role = if is_here { Role::Key } else { Role::Dim };
        let x = pieces(
            row,
            &[(mark, mark_role), (" ", Role::Popup), (&label, label_role)],
            buffer,
            theme,
        );
        let rest = Rect::new(x, row.y, row.right().saturating_sub(x + 1), 1);
        match &field.value {
            FieldValue::Text(input) if is_here => {
                let role = if input.is_offered() {
                    Role::Selected
                } else {
                    Role::Popup
                };
                Some(input.draw(rest, role, buffer, theme))
            }
            FieldValue::Text(input) => {
                // The end of a path matters most.
                let text = cut_start(input.text(), usize::from(rest.width));
                pieces(rest, &[(&text, Role::Popup)], buffer, theme);
                None
            }
            FieldValue::Choice { words, idx } => {
                let word = words.get(*idx).map_or("", String::as_str);
                let parts = if is_here {
                    [("‹ ", Role::Key), (word, Role::Popup), (" ›", Role::Key)]
                } else {
                    [("", Role::Dim), (word, Role::Popup), ("", Role::Dim)]
                };
                pieces(rest, &parts, buffer, theme);
                is_here.then(|| Position::new(rest.x, rest.y))
            }
        }
    }

    fn draw_hint(&self, row: Rect, buffer: &mut Buffer, theme: &Theme) {
        let width = usize::from(row.width).saturating_sub(2);
        let row = Rect::new(row.x + 1, row.y, width as u16, 1);
        if let Some((_, text)) = &self.flaw {
            pieces(row, &[(&cut(text, width), Role::Error)], buffer, theme);
        } else if self.completions.is_empty() {
            let help = self.fields.get(self.at).map_or("", |field| &field.help);
            pieces(row, &[(&cut(help, width), Role::Dim)], buffer, theme);
        } else {
            self.draw_completions(row, buffer, theme);
        }
    }

    /// Draws the last parts of the completions; the chosen one is always visible.
    fn draw_completions(&self, row: Rect, buffer: &mut Buffer, theme: &Theme) {
        let names: Vec<String> = self
            .completions
            .iter()
            .map(|completion| last_part(completion))
            .collect();
        let mut first = 0;
        if let Some(chosen) = self.chosen {
            let mut room = usize::from(row.width);
            for idx in (0..=chosen.min(names.len() - 1)).rev() {
                let taken = names[idx].width() + 2;
                if taken > room {
                    break;
                }
                room -= taken;
                first = idx;
            }
        }
        let mut x = row.x;
        for (idx, name) in names.iter().enumerate().skip(first) {
            let role = if self.chosen == Some(idx) {
                Role::Selected
            } else {
                Role::Dim
            };
            let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
            let is_whole = name.width() + 2 <= usize::from(rest.width);
            let text = if is_whole {
                format!(" {name} ")
            } else {
                cut(&format!(" {name} "), usize::from(rest.width))
            };
            x = pieces(rest, &[(&text, role)], buffer, theme);
            if !is_whole {
                break;
            }
        }
    }
}

/// Cuts off the folders, or all but the last word of a filter.
fn last_part(text: &str) -> String {
    let kept = text.trim_end_matches('/');
    let start = kept.rfind(['/', ' ']).map_or(0, |at| at + 1);
    text[start..].to_owned()
}

/// Finds the beginning that all texts share.
fn common_start(texts: &[String]) -> &str {
    let Some((first, rest)) = texts.split_first() else {
        return "";
    };
    let mut end = first.len();
    for text in rest {
        let n_equal = first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b);
        end = end.min(n_equal.count());
    }
    while !first.is_char_boundary(end) {
        end -= 1;
    }
    &first[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> InputForm {
        let fields = vec![
            FormField::text("file", "which file"),
            FormField::choice(
                "target",
                ["assertion", "test"].map(str::to_owned).to_vec(),
                "what it is",
            ),
        ];
        InputForm::new("import", "", fields)
    }

    #[test]
    fn a_choice_turns_by_arrows_blank_and_letter() {
        let mut form = form();
        form.step(StepDirection::Next);
        let mut check = |act: &dyn Fn(&mut InputForm), expected: &str| {
            act(&mut form);
            assert_eq!(form.text(1), expected);
        };
        check(&|_| {}, "assertion");
        check(&|input_form| input_form.edit(InputCommand::Right), "test");
        check(
            &|input_form| input_form.edit(InputCommand::Right),
            "assertion",
        );
        check(&|input_form| input_form.edit(InputCommand::Left), "test");
        check(&|input_form| input_form.insert(" "), "assertion");
        check(&|input_form| input_form.insert("t"), "test");
        check(&|input_form| input_form.insert("z"), "test");
        check(
            &|input_form| input_form.edit(InputCommand::DeleteAll),
            "test",
        );
    }

    #[test]
    fn a_text_is_completed_as_far_as_all_agree_then_in_turn() {
        let mut form = form();
        form.insert("r");
        form.completions = ["runs/carbon.jsonl", "runs/caesium.jsonl"]
            .map(str::to_owned)
            .to_vec();
        assert!(form.complete(StepDirection::Next));
        assert_eq!(form.text(0), "runs/ca");
        for expected in [
            "runs/carbon.jsonl",
            "runs/caesium.jsonl",
            "runs/carbon.jsonl",
        ] {
            assert!(!form.complete(StepDirection::Next));
            assert_eq!(form.text(0), expected);
        }
        // A complete text gives way to the next field.
        form.completions.truncate(1);
        form.complete(StepDirection::Next);
        assert_eq!((form.at, form.completions.len()), (1, 0));
    }

    #[test]
    fn the_common_start_ends_between_characters() {
        let check = |texts: &[&str], expected: &str| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(common_start(&texts), expected);
        };
        check(&[], "");
        check(&["ab"], "ab");
        check(&["aé", "aè"], "a");
    }
}
