//! What lies over a screen: the help, the filter editor, the search line, the menu after a prefix, the facts.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::browse::Completion;
use crate::key::{self, KeyPress};
use crate::keymap::{Command, KeyAction, KeyBinding, KeyContext, Keymap};
use crate::model::Filter;
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, centered, count, cut, cut_start, fill, fit, inside, pieces};
use crate::widget::input::Input;
use crate::wrap::wrap;

/// The help of a context: every action, filtered by the typed text.
#[derive(Clone, Debug)]
pub struct Help {
    pub of: KeyContext,
    /// Every action that is heard there, with its keys.
    bounds: Vec<KeyBinding>,
    pub input: Input,
    pub cursor: usize,
}

impl Help {
    /// Makes the help of a context, without the actions `left_out`, which would be refused.
    #[must_use]
    pub fn new(keymap: &Keymap, of: KeyContext, left_out: &[&str]) -> Self {
        let mut bounds = keymap.heard_in(of).to_vec();
        bounds.retain(|bound| !left_out.contains(&bound.action.id));
        Self {
            of,
            bounds,
            input: Input::default(),
            cursor: 0,
        }
    }

    /// Finds the actions that have every typed word in their keys, name or help.
    fn found(&self) -> Vec<&KeyBinding> {
        let typed = self.input.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let holds = |bound: &&KeyBinding| {
            let action = bound.action;
            let text = format!("{} {} {}", bound.keys_label(), action.id, action.help);
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        self.bounds.iter().filter(holds).collect()
    }

    pub fn step(&mut self, is_down: bool) {
        let n_actions = self.found().len();
        self.cursor = if is_down {
            (self.cursor + 1).min(n_actions.saturating_sub(1))
        } else {
            self.cursor.saturating_sub(1)
        };
    }

    /// Returns the command of the line under the cursor; nothing for a numbered action, which depends on the key
    /// itself.
    #[must_use]
    pub fn chosen(&self) -> Option<Command> {
        let action = self.found().get(self.cursor)?.action;
        (!action.is_numbered()).then_some(action.command)
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Position {
        let frame = centered(area, 84.min(area.width.saturating_sub(4)), area.height);
        fill(frame, Role::Popup, buffer, theme);
        let found = self.found();
        let title = format!("Help · {}", self.of.title());
        let pane = Pane {
            title: &title,
            note: "type to filter · Enter runs it · Esc",
            has_focus: true,
        };
        pane.draw(frame, buffer, theme);
        let rows = inside(frame);
        let prompt = Rect::new(rows.x, rows.y, rows.width, 1.min(rows.height));
        let x = pieces(prompt, &[(" > ", Role::Key)], buffer, theme);
        let field = Rect::new(x, rows.y, rows.right().saturating_sub(x), 1);
        let cursor = self.input.draw(field, Role::Popup, buffer, theme);
        let height = usize::from(rows.height.saturating_sub(1));
        let top = (self.cursor + 1).saturating_sub(height);
        let keys_width = found
            .iter()
            .map(|key_binding| key_binding.keys_label().width())
            .max()
            .unwrap_or(0);
        for (idx, bound) in found.iter().enumerate().skip(top).take(height) {
            let y = rows.y + 1 + (idx - top) as u16;
            let row = Rect::new(rows.x, y, rows.width, 1);
            let keys = fit(&bound.keys_label(), keys_width);
            let help = cut(
                bound.action.help,
                usize::from(rows.width).saturating_sub(keys_width + 3),
            );
            let parts = [
                (" ", Role::Popup),
                (&keys, Role::Key),
                ("  ", Role::Popup),
                (&help, Role::Popup),
            ];
            pieces(row, &parts, buffer, theme);
            if idx == self.cursor {
                buffer.set_style(row, theme.style(Role::Selected));
            }
        }
        if found.is_empty() {
            let y = rows.y + 1;
            buffer.set_string(
                rows.x + 1,
                y,
                "no action contains these words",
                theme.style(Role::Warning),
            );
        }
        cursor
    }
}

/// Draws the keys that may follow a prefix, at the lower right edge.
pub fn draw_which_key(
    area: Rect,
    (keymap, context, pending): (&Keymap, KeyContext, &[KeyPress]),
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let next: Vec<(String, &KeyAction)> = keymap.continuations(context, pending).collect();
    let widest = next.iter().map(|(_, action)| action.help.width()).max();
    let width = widest.unwrap_or(0) as u16 + 8;
    let height = next.len() as u16 + 2;
    let (width, height) = (width.min(area.width), height.min(area.height));
    let frame = Rect::new(area.right() - width, area.bottom() - height, width, height);
    fill(frame, Role::Popup, buffer, theme);
    let title = format!("{} …", key::label(pending));
    let pane = Pane {
        title: &title,
        note: "",
        has_focus: true,
    };
    pane.draw(frame, buffer, theme);
    let rows = inside(frame);
    for ((key, action), y) in next.iter().zip(rows.y..rows.bottom()) {
        let row = Rect::new(rows.x, y, rows.width, 1);
        let help = cut(action.help, usize::from(rows.width).saturating_sub(5));
        let key = format!(" {key}  ");
        pieces(
            row,
            &[(&key, Role::Key), (&help, Role::Popup)],
            buffer,
            theme,
        );
    }
}

/// A line of input over the footer, with a line above it for errors or completions.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    pub label: &'static str,
    pub input: Input,
    /// The flaw, and the byte where it begins.
    pub flaw: Option<(usize, String)>,
    pub completions: Vec<Completion>,
    pub chosen: Option<usize>,
    /// The text that was probably meant, to replace the flaw.
    pub mended: Option<Completion>,
    /// The number of rows that the typed filter selects; absent while it has a flaw, and where nothing is counted.
    pub tally: Option<Tally>,
}

/// The number of rows that a filter selects.
#[derive(Clone, Debug)]
pub struct Tally {
    of: Filter,
    /// Absent until it is known.
    n: Option<u64>,
}

impl Prompt {
    /// Shows the flaw of a prompt; a word that may still become right is not wrong yet.
    pub fn mark(&mut self, flaw: Option<(usize, String)>) {
        self.chosen = None;
        self.mended = None;
        if flaw.is_some() {
            self.tally = None;
        }
        let before = self.input.before_cursor();
        let word_start = before.rfind(' ').map_or(0, |space| space + 1);
        let may_be_right = !self.completions.is_empty() && word_start < before.len();
        self.flaw = flaw.filter(|(at, _)| *at < word_start || !may_be_right);
    }

    /// Offers the text that was probably meant, if the flaw is shown.
    pub fn offer(&mut self, mended: Option<Completion>) {
        self.mended = mended.filter(|_| self.flaw.is_some());
    }

    /// Replaces the flaw by the text that was probably meant; tells whether there was one.
    pub fn mend(&mut self) -> bool {
        let Some(Completion { span, text, .. }) = self.mended.take() else {
            return false;
        };
        self.input.replace(span, &text);
        true
    }

    /// Begins to count the rows that a filter selects; tells whether it is a new filter, whose count must be asked for.
    pub fn counts(&mut self, filter: &Filter) -> bool {
        let is_other = self.tally.as_ref().is_none_or(|tally| tally.of != *filter);
        if is_other {
            self.tally = Some(Tally {
                of: filter.clone(),
                n: None,
            });
        }
        is_other
    }

    /// Takes the number of rows that the last filter selects.
    pub fn take_count(&mut self, n: u64) {
        if let Some(tally) = &mut self.tally {
            tally.n = Some(n);
        }
    }

    /// Writes the number of rows, for the end of the line.
    fn tally_label(&self) -> String {
        let n = |tally: &Tally| tally.n.map_or_else(|| "…".to_owned(), count);
        let tally = self.tally.as_ref().map(n);
        tally.map_or_else(String::new, |n| format!(" {n} "))
    }

    /// Draws into the last rows of `area`; returns the cursor's place.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Position {
        let y = area.bottom().saturating_sub(1);
        let row = Rect::new(area.x, y, area.width, 1);
        fill(row, Role::Popup, buffer, theme);
        let label = format!(" {} ", self.label);
        let x = pieces(row, &[(&label, Role::Key)], buffer, theme);
        let tally = self.tally_label();
        let room = area.right().saturating_sub(x);
        let tally_width = (tally.width() as u16).min(room / 2);
        let field = Rect::new(x, y, room - tally_width, 1);
        let cursor = self.input.draw(field, Role::Popup, buffer, theme);
        let behind = Rect::new(field.right(), y, tally_width, 1);
        pieces(behind, &[(&tally, Role::Dim)], buffer, theme);
        self.mark_flaw(field, buffer, theme);
        if y > area.y {
            let above = Rect::new(area.x, y - 1, area.width, 1);
            self.draw_hints(above, x, buffer, theme);
        }
        cursor
    }

    /// Finds the first completion to draw, so that the chosen one fits into `width`.
    fn first_shown(&self, width: u16) -> usize {
        let Some(chosen) = self.chosen else {
            return 0;
        };
        let mut room = usize::from(width);
        let upto = self.completions.iter().take(chosen + 1).rev();
        let n_fitting = upto.take_while(|completion| {
            let taken = completion.text.width() + 2;
            let fits = taken <= room;
            room = room.saturating_sub(taken);
            fits
        });
        chosen + 1 - n_fitting.count().min(chosen + 1)
    }

    /// Underlines the word with the flaw.
    fn mark_flaw(&self, field: Rect, buffer: &mut Buffer, theme: &Theme) {
        let Some((at, _)) = self.flaw else {
            return;
        };
        let text = self.input.text();
        let start = self.input.first_shown(field.width).max(at);
        let Some(rest) = text.get(start..) else {
            return;
        };
        let word = rest.split(' ').next().unwrap_or_default();
        let before = &text[self.input.first_shown(field.width)..start];
        let x = field.x + (before.width() as u16).min(field.width);
        let width = (word.width().max(1) as u16).min(field.right() - x);
        let style = theme.style(Role::Error).underlined();
        buffer.set_style(Rect::new(x, field.y, width, 1), style);
    }

    fn draw_hints(&self, row: Rect, field_x: u16, buffer: &mut Buffer, theme: &Theme) {
        if let Some((_, text)) = &self.flaw {
            fill(row, Role::Popup, buffer, theme);
            let mut x = field_x;
            if let Some(mended) = &self.mended {
                let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
                let word = format!("{}  ", mended.text);
                x = pieces(
                    rest,
                    &[("Tab ", Role::Key), (&word, Role::Popup)],
                    buffer,
                    theme,
                );
            }
            let room = usize::from(row.right().saturating_sub(x));
            let text = cut(text, room);
            buffer.set_string(x, row.y, text, theme.style(Role::Error));
        } else if !self.completions.is_empty() {
            fill(row, Role::Popup, buffer, theme);
            let mut x = field_x;
            let first = self.first_shown(row.right().saturating_sub(field_x));
            for (idx, completion) in self.completions.iter().enumerate().skip(first) {
                let role = if self.chosen == Some(idx) {
                    Role::Selected
                } else {
                    Role::Dim
                };
                let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
                let word = format!(" {} ", completion.text);
                x = pieces(rest, &[(&word, role)], buffer, theme);
            }
            let only = (self.completions.len() == 1).then_some(0);
            let chosen = self
                .chosen
                .or(only)
                .and_then(|chosen| self.completions.get(chosen));
            if let Some(completion) = chosen {
                let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
                let help = format!("  {}", completion.help);
                pieces(rest, &[(&help, Role::Dim)], buffer, theme);
            }
        }
    }
}

/// Draws wrapped paragraphs in the middle; `note` tells how to leave.
pub fn draw_message(
    area: Rect,
    (title, note): (&str, &str),
    paragraphs: &[(&str, Role)],
    buffer: &mut Buffer,
    theme: &Theme,
) {
    const WIDTH: u16 = 66;
    let width = WIDTH.min(area.width.saturating_sub(2));
    let mut rows = Vec::new();
    for (line, (text, _)) in paragraphs.iter().enumerate() {
        wrap(line, text, width.saturating_sub(4), &mut rows);
    }
    let frame = centered(area, width, rows.len() as u16 + 2);
    fill(frame, Role::Popup, buffer, theme);
    let pane = Pane {
        title,
        note,
        has_focus: true,
    };
    pane.draw(frame, buffer, theme);
    let inner = inside(frame);
    for (row, y) in rows.iter().zip(inner.y..inner.bottom()) {
        let (text, role) = paragraphs[row.line_idx as usize];
        let part = &text[row.start as usize..row.end as usize];
        let place = Rect::new(inner.x + 1, y, inner.width.saturating_sub(1), 1);
        pieces(place, &[(part, role)], buffer, theme);
    }
}

/// Draws facts in the middle, a line each.
pub fn draw_facts(
    area: Rect,
    title: &str,
    facts: &[(String, String)],
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let label_width = facts
        .iter()
        .map(|(label, _)| label.width())
        .max()
        .unwrap_or(0);
    let value_width = facts
        .iter()
        .map(|(_, value)| value.width())
        .max()
        .unwrap_or(0);
    let width = (label_width + value_width + 6) as u16;
    let frame = centered(area, width.max(40), facts.len() as u16 + 2);
    fill(frame, Role::Popup, buffer, theme);
    let pane = Pane {
        title,
        note: "Esc",
        has_focus: true,
    };
    pane.draw(frame, buffer, theme);
    draw_fact_lines(inside(frame), facts, buffer, theme);
}

/// Draws label and value of each fact on a line of its own.
pub fn draw_fact_lines(area: Rect, facts: &[(String, String)], buffer: &mut Buffer, theme: &Theme) {
    let label_width = facts
        .iter()
        .map(|(label, _)| label.width())
        .max()
        .unwrap_or(0);
    for ((label, value), y) in facts.iter().zip(area.y..area.bottom()) {
        let row = Rect::new(area.x, y, area.width, 1);
        let label = format!(" {}  ", fit(label, label_width));
        let room = usize::from(area.width).saturating_sub(label.width());
        // The end of a path matters most.
        let value = if value.contains('/') {
            cut_start(value, room)
        } else {
            cut(value, room)
        };
        pieces(
            row,
            &[(&label, Role::Dim), (&value, Role::Text)],
            buffer,
            theme,
        );
    }
}
