//! The log of a job: its last lines, followed live, searched, and narrowed to warnings and errors.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::job::LogPart;
use crate::keymap::{Motion, StepDirection};
use crate::model::JobId;
use crate::screen::DrawContext;
use crate::text::visible;
use crate::theme::Role;

/// The most lines that are kept; further ones replace the oldest.
const LINES_MAX: usize = 20_000;
/// The most characters of a line: nobody scrolls farther to the right.
const CHARS_MAX: usize = 2_000;
/// The columns that a step sideways scrolls.
const SIDEWAYS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogLevel {
    Plain,
    Warning,
    Error,
}

#[derive(Debug)]
struct JobLogLine {
    text: String,
    level: LogLevel,
}

#[derive(Debug, Default)]
pub(super) struct LogView {
    id: Option<JobId>,
    lines: VecDeque<JobLogLine>,
    /// The byte from which to read on.
    next: u64,
    /// The job has ended, and its log has been read to the end.
    is_complete: bool,
    is_scrolled: bool,
    /// The index of the first visible line among the shown ones.
    top: usize,
    left: usize,
    height: usize,
    width: usize,
    only_problems: bool,
    needle: String,
    /// The index of the current match among the shown lines.
    hit: Option<usize>,
}

impl LogView {
    pub(super) const fn id(&self) -> Option<JobId> {
        self.id
    }

    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// Begins with another job, and follows its log.
    pub(super) fn open(&mut self, id: Option<JobId>) {
        if self.id != id {
            *self = Self {
                id,
                height: self.height,
                width: self.width,
                only_problems: self.only_problems,
                ..Self::default()
            };
        }
    }

    /// Tells whether the log may have further lines.
    pub(super) fn wants_more(&self, is_alive: bool) -> bool {
        is_alive || !self.is_complete
    }

    pub(super) fn take(&mut self, from: Option<u64>, part: &LogPart, is_alive: bool) {
        // A log that is shorter than before begins anew.
        if from.is_none_or(|from| part.next < from) {
            self.lines.clear();
        } else if from != Some(self.next) {
            return;
        }
        self.is_complete = !is_alive && part.text.is_empty();
        self.next = part.next;
        for line in part.text.lines() {
            let mut text = visible(&line.replace('\t', "    "));
            if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
                text.truncate(end);
            }
            let level = level(&text);
            self.lines.push_back(JobLogLine { text, level });
        }
        let n_over = self.lines.len().saturating_sub(LINES_MAX);
        self.lines.drain(..n_over);
        if !self.is_scrolled {
            self.top = usize::MAX;
        } else if !self.only_problems {
            self.top = self.top.saturating_sub(n_over);
        }
        self.clamp();
    }

    fn shown(&self) -> impl Iterator<Item = &JobLogLine> {
        let only_problems = self.only_problems;
        let is_shown =
            move |log_line: &&JobLogLine| !only_problems || log_line.level != LogLevel::Plain;
        self.lines.iter().filter(is_shown)
    }

    fn n_shown(&self) -> usize {
        if self.only_problems {
            self.shown().count()
        } else {
            self.lines.len()
        }
    }

    fn clamp(&mut self) {
        self.top = self.top.min(self.n_shown().saturating_sub(self.height));
    }

    pub(super) fn resize(&mut self, height: u16, width: u16) {
        (self.height, self.width) = (usize::from(height), usize::from(width));
        if !self.is_scrolled {
            self.top = usize::MAX;
        }
        self.clamp();
    }

    /// Scrolls; at the end, the log is followed again.
    pub(super) fn scroll(&mut self, motion: Motion) {
        match motion {
            Motion::Left => self.left = self.left.saturating_sub(SIDEWAYS),
            Motion::Right => {
                let longest = self
                    .shown()
                    .map(|log_line| log_line.text.len())
                    .max()
                    .unwrap_or(0);
                self.left = (self.left + SIDEWAYS).min(longest.saturating_sub(1));
            }
            _ => {
                self.top = motion.moved(self.top, self.height.max(1));
                self.clamp();
                self.is_scrolled = self.top + self.height < self.n_shown();
            }
        }
    }

    pub(super) fn toggle_level(&mut self) -> bool {
        self.only_problems = !self.only_problems;
        self.hit = None;
        self.is_scrolled = false;
        self.top = usize::MAX;
        self.clamp();
        self.only_problems
    }

    pub(super) fn find(&mut self, needle: &str) {
        needle.clone_into(&mut self.needle);
        self.hit = None;
    }

    /// Goes to the next line with the text searched for, around the end; returns the message, and whether there is a
    /// match.
    pub(super) fn step_match(&mut self, step: StepDirection) -> (String, bool) {
        if self.needle.is_empty() {
            return ("no search yet · / searches".to_owned(), false);
        }
        let needle = self.needle.to_lowercase();
        let lines = self.shown().enumerate();
        let hits: Vec<usize> = lines
            .filter(|(_, log_line)| log_line.text.to_lowercase().contains(&needle))
            .map(|(idx, _)| idx)
            .collect();
        let from = self.hit.unwrap_or(self.top);
        let found = match step {
            StepDirection::Next if self.hit.is_none() => {
                hits.iter().position(|hit| *hit >= from).or(Some(0))
            }
            StepDirection::Next => hits.iter().position(|hit| *hit > from).or(Some(0)),
            StepDirection::Previous => {
                let before = hits.iter().rposition(|hit| *hit < from);
                before.or(hits.len().checked_sub(1))
            }
        };
        let Some((n, idx)) = found.and_then(|n| Some((n, *hits.get(n)?))) else {
            return (format!("{}: not in this log", self.needle), false);
        };
        self.hit = Some(idx);
        if idx < self.top || idx >= self.top + self.height {
            self.top = idx.saturating_sub(self.height / 2);
        }
        self.clamp();
        self.is_scrolled = self.top + self.height < self.n_shown();
        (
            format!("{}: {} of {}", self.needle, n + 1, hits.len()),
            true,
        )
    }

    /// Clears the search, or else shows all lines again; tells whether there was anything to undo.
    pub(super) fn close(&mut self) -> bool {
        if !self.needle.is_empty() {
            self.find("");
            return true;
        }
        if self.only_problems {
            self.toggle_level();
            return true;
        }
        false
    }

    /// Writes the note at the right of the title.
    pub(super) fn note(&self, is_alive: bool) -> String {
        let level = if self.only_problems {
            "warnings · "
        } else {
            ""
        };
        let place = match (self.is_scrolled, is_alive) {
            (false, true) => "following".to_owned(),
            (false, false) => "end".to_owned(),
            (true, _) => {
                let last = (self.top + self.height).min(self.n_shown());
                format!("{last}/{} · G follows", self.n_shown())
            }
        };
        format!("{level}{place}")
    }

    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let lines = self.shown().enumerate().skip(self.top);
        for ((idx, line), y) in lines.zip(area.y..area.bottom()) {
            let role = match line.level {
                LogLevel::Plain => Role::Text,
                LogLevel::Warning => Role::Warning,
                LogLevel::Error => Role::Error,
            };
            let text = line.text.chars().skip(self.left).collect::<String>();
            let style = context.theme.style(role);
            let width = usize::from(area.width);
            let (end, _) = buffer.set_stringn(area.x, y, &text, width, style);
            // The time of day matters least.
            let is_stamped = self.left == 0 && is_stamped(&line.text);
            if is_stamped && line.level == LogLevel::Plain {
                let stamp = Rect::new(area.x, y, 8.min(area.width), 1);
                buffer.set_style(stamp, context.theme.style(Role::Dim));
            }
            if self.hit == Some(idx) {
                let row = Rect::new(area.x, y, area.width, 1);
                buffer.set_style(row, context.theme.style(Role::Selected));
            } else if end == area.right() && line.text.chars().count() > self.left + width {
                buffer.set_string(end - 1, y, "…", context.theme.style(Role::Dim));
            }
        }
        if self.n_shown() == 0 && area.height > 0 {
            let text = if self.id.is_none() {
                ""
            } else if self.only_problems {
                " no warning and no error · L shows all lines"
            } else {
                " the log is empty"
            };
            let width = usize::from(area.width);
            let style = context.theme.style(Role::Dim);
            buffer.set_stringn(area.x, area.y, text, width, style);
        }
    }
}

/// Tells whether a line begins with a time of day.
fn is_stamped(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 9 && bytes[2] == b':' && bytes[5] == b':' && bytes[8] == b' '
}

fn level(line: &str) -> LogLevel {
    let said = match line.get(9..) {
        Some(said) if is_stamped(line) => said,
        _ => line,
    };
    if said.starts_with("error: ") || said.contains("panicked at") {
        LogLevel::Error
    } else if said.starts_with("warning: ") || said.starts_with("problem: ") {
        LogLevel::Warning
    } else {
        LogLevel::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, next: u64) -> LogPart {
        LogPart {
            text: text.to_owned(),
            next,
        }
    }

    /// A log of ten lines in a pane of four.
    fn view() -> LogView {
        let mut view = LogView::default();
        view.resize(4, 40);
        view.open(Some(JobId(1)));
        let lines: Vec<String> = (0..10).map(|n| format!("14:02:1{n} line {n}\n")).collect();
        view.take(None, &part(&lines.concat(), 150), true);
        view
    }

    fn tops(view: &LogView) -> (usize, bool) {
        (view.top, view.is_scrolled)
    }

    #[test]
    fn new_lines_are_followed_until_somebody_scrolls_up() {
        let mut view = view();
        assert_eq!(tops(&view), (6, false));
        view.take(Some(150), &part("14:02:20 a\n", 161), true);
        assert_eq!(tops(&view), (7, false));
        view.scroll(Motion::Up);
        view.take(Some(161), &part("14:02:21 b\n", 172), true);
        assert_eq!(tops(&view), (6, true));
        view.scroll(Motion::Last);
        assert_eq!(tops(&view), (8, false));
    }

    #[test]
    fn a_log_that_was_cut_begins_anew_and_an_old_answer_adds_nothing() {
        let mut view = view();
        view.take(Some(3), &part("14:02:20 late\n", 30), true);
        assert_eq!(view.lines.len(), 10);
        view.take(Some(150), &part("14:02:20 cut\n", 13), true);
        assert_eq!((view.lines.len(), view.next), (1, 13));
    }

    #[test]
    fn only_what_went_wrong_is_left_when_asked_for() {
        let mut view = view();
        let text = "14:02:20 warning: a\n14:02:21 error: b\nthread panicked at c\n";
        view.take(Some(150), &part(text, 200), true);
        assert!(view.toggle_level());
        assert_eq!(view.n_shown(), 3);
        assert!(view.close() && !view.close());
        assert_eq!(view.n_shown(), 13);
    }

    #[test]
    fn a_search_goes_round() {
        let mut view = view();
        view.find("LINE 7");
        assert_eq!(
            view.step_match(StepDirection::Next),
            ("LINE 7: 1 of 1".to_owned(), true)
        );
        assert_eq!(view.hit, Some(7));
        view.find("line");
        view.scroll(Motion::First);
        for expected in [0, 1] {
            view.step_match(StepDirection::Next);
            assert_eq!(view.hit, Some(expected));
        }
        view.step_match(StepDirection::Previous);
        view.step_match(StepDirection::Previous);
        assert_eq!(view.hit, Some(9));
        view.find("x");
        assert!(!view.step_match(StepDirection::Next).1);
    }

    #[test]
    fn an_endless_log_keeps_its_end() {
        let mut view = view();
        let lines = "x\n".repeat(LINES_MAX);
        view.take(Some(150), &part(&lines, 900_000), true);
        assert_eq!(view.lines.len(), LINES_MAX);
    }

    #[test]
    fn after_the_end_one_looks_once_more() {
        let mut view = view();
        assert!(view.wants_more(true) && view.wants_more(false));
        view.take(Some(150), &part("14:02:20 done\n", 165), false);
        assert!(view.wants_more(false));
        view.take(Some(165), &part("", 165), false);
        assert!(!view.wants_more(false));
    }
}
