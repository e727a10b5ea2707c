//! The list of conflicts, and the opinions on the one under the cursor. Only draws.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::model::{Judgement, Verdict};
use crate::review::{Conflict, Opinion, Staleness};
use crate::screen::annotate::aside::{judgement_words, ruled};
use crate::screen::disagree::numbers::{AgreementCell, is_pick, words};
use crate::screen::disagree::{Disagree, DisagreeFocus};
use crate::screen::{AnswerState, DrawContext, docs};
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::frame::{self, count, counted, cut, cut_class, fit, inside, pieces};
use crate::widget::overlay;
use crate::wrap::wrap;

/// The most rows that a note or a reason takes.
const NOTE_ROWS_MAX: usize = 2;
/// The width of the answers of a conflict.
const ANSWERS_WIDTH: usize = 20;

impl Disagree {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let areas = self.areas;
        if !areas.agreement.is_empty() {
            let has_focus = self.focus == DisagreeFocus::Numbers;
            self.numbers
                .draw_agreement(areas.agreement, buffer, context);
            self.numbers.draw_matrix(
                areas.matrix,
                (has_focus, self.hides_names()),
                buffer,
                context,
            );
            self.numbers
                .draw_annotators(areas.annotators, buffer, context);
        }
        if !areas.queue.is_empty() {
            self.draw_queue(areas.queue, buffer, context);
        }
        if !areas.opinions.is_empty() {
            self.draw_opinions(areas.opinions, buffer, context);
        }
        if areas.sample.is_empty() {
            return;
        }
        if self.item.is_some() {
            self.panes.draw(buffer, context);
            if !areas.test.is_empty() {
                self.sides
                    .draw(|idx| self.opinion_name(idx), buffer, context);
            }
        } else {
            self.draw_nothing(areas.sample, buffer, context.theme);
        }
    }

    fn draw_nothing(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let (title, text, hint) = match &self.state {
            AnswerState::Waiting => (
                "disagreements",
                "looking for disagreements …".to_owned(),
                "",
            ),
            AnswerState::NoIndex => (
                "no index",
                "There are no verdicts to compare yet.".to_owned(),
                "`focalist mine PATH…` or `focalist demo` makes an index",
            ),
            AnswerState::Failed(text) => ("disagreements", text.clone(), "^l reads again"),
            AnswerState::Ready(()) if self.wanted.is_some() => {
                ("disagreements", "reading …".to_owned(), "")
            }
            AnswerState::Ready(()) => {
                let (text, hint) = self.numbers.advice();
                ("no disagreements", text, hint)
            }
        };
        let lines = [(text.as_str(), Role::Popup), (hint, Role::Dim)];
        overlay::draw_message(area, (title, ""), &lines, buffer, theme);
    }

    fn draw_queue(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (n_open, n_ruled) = self.count();
        let title = if self.filter.is_some() {
            format!("{} of the cell", self.shown.len())
        } else if self.conflicts.is_empty() {
            "disagreements".to_owned()
        } else {
            format!("{} open, most informative first", count(n_open as u64))
        };
        let note = match (self.n_gone, n_ruled) {
            (0, 0) => String::new(),
            (0, n) => format!("★ {}", count(n as u64)),
            (gone, _) => format!("{gone} gone"),
        };
        let pane = frame::Pane {
            title: &title,
            note: &note,
            has_focus: self.focus == DisagreeFocus::Queue,
        };
        pane.draw(area, buffer, context.theme);
        let inner = inside(area);
        let places = self.top()..self.shown.len();
        for (place, y) in places.zip(inner.y..inner.bottom()) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            if let Some(conflict) = self.at(place) {
                draw_conflict(conflict, row, buffer, context);
            }
            if place == self.cursor {
                let role = if self.focus == DisagreeFocus::Queue {
                    Role::Selected
                } else {
                    Role::Marked
                };
                buffer.set_style(row, context.theme.style(role));
                buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
            }
        }
        if self.shown.is_empty() && inner.height > 0 {
            let text = cut(" none", usize::from(inner.width));
            buffer.set_string(inner.x, inner.y, text, context.theme.style(Role::Dim));
        }
    }

    /// Computes the rows that the opinions on the conflict under the cursor take, with their border; 0 without one.
    pub(super) fn opinions_height(&self, width: u16) -> u16 {
        match self.opinion_lines(width.saturating_sub(2), true).len() as u16 {
            0 => 0,
            n_lines => n_lines + 2,
        }
    }

    fn draw_opinions(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let is_hidden = self.is_hidden();
        let title = match self.conflict() {
            _ if self.has_gap => "opinions · GUIDELINE GAP",
            Some(conflict) if conflict.ruling.is_some() => "opinions · ruled",
            _ => "opinions",
        };
        let pane = frame::Pane {
            title,
            note: if is_hidden { "names hidden · ." } else { "" },
            has_focus: false,
        };
        pane.draw(area, buffer, context.theme);
        let inner = inside(area);
        let mut lines = self.opinion_lines(inner.width, true);
        if lines.len() > usize::from(inner.height) {
            // The opinions count more than the notes on them.
            lines = self.opinion_lines(inner.width, false);
        }
        for (parts, y) in lines.iter().zip(inner.y..inner.bottom()) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            let parts: Vec<(&str, Role)> = parts
                .iter()
                .map(|(text, role)| (text.as_str(), *role))
                .collect();
            pieces(row, &parts, buffer, context.theme);
        }
    }

    pub(super) fn is_hidden(&self) -> bool {
        let conflict = self.conflict();
        !self.shows_names && conflict.is_some_and(|conflict| conflict.ruling.is_none())
    }

    /// Tells whether the numbers hide the annotators' names: while a conflict waits and nobody has asked for names.
    fn hides_names(&self) -> bool {
        !self.shows_names && self.n_open() > 0
    }

    /// Describes the cell by its two annotators: `ada accept, eva no focal`.
    pub(super) fn cell_words(&self, cell: &AgreementCell) -> String {
        let [one, other] = [0, 1].map(|idx| self.cell_word(cell, idx));
        if self.hides_names() {
            return format!("one {one}, the other {other}");
        }
        let [first, second] = &cell.annotators;
        visible(&format!("{first} {one}, {second} {other}"))
    }

    /// Describes the category of one of the two; for a single sample, a pick is the method's name.
    fn cell_word(&self, cell: &AgreementCell, idx: usize) -> String {
        let category = &cell.categories[idx];
        let key = cell.only_key().filter(|_| is_pick(category));
        let conflict = self
            .conflicts
            .iter()
            .find(|conflict| Some(conflict.key) == key);
        let opinions = conflict.map_or(&[][..], |conflict| &conflict.opinions);
        let picked = opinions
            .iter()
            .find(|opinion| opinion.verdict.annotator == cell.annotators[idx]);
        picked.map_or_else(|| words(category), |opinion| short(&opinion.verdict))
    }

    /// Names the holder of an opinion on the conflict under the cursor, by a letter while names are hidden.
    fn opinion_name(&self, idx: usize) -> String {
        let conflict = self.conflict().filter(|_| !self.is_hidden());
        let opinion = conflict.and_then(|conflict| conflict.opinions.get(idx));
        opinion.map_or_else(
            || letter(idx),
            |opinion| visible(&opinion.verdict.annotator),
        )
    }

    fn opinion_lines(&self, width: u16, has_notes: bool) -> Vec<Vec<(String, Role)>> {
        let Some(conflict) = self.conflict() else {
            return Vec::new();
        };
        let is_hidden = self.is_hidden();
        let names = 0..conflict.opinions.len();
        let names: Vec<String> = names.map(|idx| self.opinion_name(idx)).collect();
        let name_width = names
            .iter()
            .map(|name| name.width())
            .max()
            .unwrap_or(0)
            .min(16);
        let mut lines = Vec::new();
        for (idx, (opinion, name)) in conflict.opinions.iter().zip(&names).enumerate() {
            let number = if idx < conflict.n_decided() {
                format!(" {} ", idx + 1)
            } else {
                " – ".to_owned()
            };
            let name = fit(name, name_width);
            lines.push(opinion_line(opinion, (number, name), !is_hidden, width));
            if let Some(note) = opinion.verdict.judged.note.as_ref().filter(|_| has_notes) {
                push_wrapped(&mut lines, note, width);
            }
        }
        if let Some(ruling) = &conflict.ruling {
            let who = visible(&ruling.annotator);
            let text = format!("{who}: {}", ruled(&ruling.judged));
            let room = usize::from(width).saturating_sub(3);
            lines.push(vec![
                (" ★ ".to_owned(), Role::Good),
                (cut(&text, room), Role::Strong),
            ]);
            if let Some(reason) = ruling
                .reason
                .as_ref()
                .filter(|reason| has_notes && !reason.is_empty())
            {
                push_wrapped(&mut lines, reason, width);
            }
        }
        lines
    }

    /// Counts the open and the ruled conflicts for the bar at the top, where the annotator's name stands before them.
    #[must_use]
    pub fn summary(&self) -> String {
        let (n_open, n_ruled) = self.count();
        format!(
            "{} open · {} ruled",
            count(n_open as u64),
            count(n_ruled as u64)
        )
    }

    /// Describes the place: the number in the list, the sample, and the stage that decided.
    #[must_use]
    pub fn line(&self) -> String {
        if let (DisagreeFocus::Numbers, Some(cell)) = (self.focus, self.numbers.cell()) {
            let samples = counted(cell.keys.len() as u64, "sample");
            let name = self.cell_words(&cell);
            return format!("{name}: {samples} · Enter shows those that wait");
        }
        let mut parts = Vec::new();
        if let Some(cell) = &self.filter {
            parts.push(format!("{} · Esc shows all", self.cell_words(cell)));
        }
        if let Some(conflict) = self.conflict() {
            parts.push(format!("{}/{}", self.cursor + 1, self.shown.len()));
            parts.push(format!("{:.2} bit", conflict.bits));
        }
        if let Some(item) = &self.item {
            let detail = &item.explained.detail;
            parts.push(match (detail.row.stage, detail.row.weight) {
                (Some(stage), Some(weight)) => {
                    format!("machine: {} {weight:.2}", docs::stage_words(stage))
                }
                _ => docs::explain(detail.row.status).to_owned(),
            });
            parts.push(detail.repo.name.clone());
            let file = docs::file_name(&detail.test.path);
            parts.push(format!("{file}:{}", detail.test.name_line));
            if let Some(note) = &item.note {
                parts.push(format!("note: {note}"));
            }
        }
        if parts.is_empty() {
            parts.push(self.numbers.line());
        }
        visible(&parts.join(" · "))
    }
}

/// Writes A, B … Z, then numbers.
fn letter(idx: usize) -> String {
    let letter = u8::try_from(idx)
        .ok()
        .and_then(|byte| b'A'.checked_add(byte));
    letter.filter(u8::is_ascii_uppercase).map_or_else(
        || (idx + 1).to_string(),
        |letter| char::from(letter).to_string(),
    )
}

fn opinion_line(
    opinion: &Opinion,
    (number, name): (String, String),
    has_dwell: bool,
    width: u16,
) -> Vec<(String, Role)> {
    let judged = &opinion.verdict.judged;
    let stale = opinion.stale.map_or("", |staleness| match staleness {
        Staleness::Changed => " stale: code changed",
        Staleness::OtherFocal => " stale: other focal",
        Staleness::Gone => " stale: gone",
    });
    // Annotators can be recognised by their speed.
    let dwell = judged.dwell_ms.filter(|_| has_dwell);
    let dwell = dwell.map_or_else(String::new, |ms| {
        format!(" {:.1} s ", f64::from(ms) / 1_000.0)
    });
    let fixed = number.width() + name.width() + 2 + stale.width() + dwell.width();
    let room = usize::from(width).saturating_sub(fixed);
    let role = if judged.judgement == Judgement::Unsure {
        Role::Dim
    } else {
        Role::Text
    };
    vec![
        (number, Role::Key),
        (format!("{name}  "), Role::Strong),
        (fit(&judgement_words(judged), room), role),
        (stale.to_owned(), Role::Warning),
        (dwell, Role::Dim),
    ]
}

fn push_wrapped(lines: &mut Vec<Vec<(String, Role)>>, text: &str, width: u16) {
    const INDENT: &str = "     ";
    let text = visible(&format!("“{text}”"));
    let room = width.saturating_sub(INDENT.len() as u16);
    let mut rows = Vec::new();
    wrap(0, &text, room.saturating_sub(4), &mut rows);
    let n_rows = rows.len();
    for (idx, row) in rows.into_iter().take(NOTE_ROWS_MAX).enumerate() {
        let mut part = text[row.start as usize..row.end as usize].trim().to_owned();
        if idx + 1 == NOTE_ROWS_MAX && n_rows > NOTE_ROWS_MAX {
            part.push('…');
        }
        lines.push(vec![(format!("{INDENT}{part}"), Role::Dim)]);
    }
}

fn draw_conflict(conflict: &Conflict, row: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
    let mark = if conflict.ruling.is_some() {
        " ★ "
    } else {
        "   "
    };
    let is_stale = conflict
        .opinions
        .iter()
        .any(|opinion| opinion.stale.is_some());
    let stale = if is_stale { " stale" } else { "" };
    let answers = match &conflict.ruling {
        Some(ruling) => short(ruling),
        None => differing(conflict),
    };
    let answers = fit(&answers, ANSWERS_WIDTH);
    let fixed = mark.width() + answers.width() + 1 + stale.len() + 1;
    let room = usize::from(row.width).saturating_sub(fixed);
    let test = conflict
        .state
        .as_ref()
        .map_or("", |sample_state| sample_state.test.as_str());
    let (class, method) = test.rsplit_once('.').unwrap_or(("", test));
    let test = fit(&cut_class(&visible(class), &visible(method), room), room);
    let role = if conflict.ruling.is_some() {
        Role::Dim
    } else {
        Role::Text
    };
    let parts = [
        (mark, Role::Good),
        (answers.as_str(), role),
        (" ", Role::Text),
        (test.as_str(), Role::Dim),
        (stale, Role::Warning),
    ];
    pieces(row, &parts, buffer, context.theme);
}

/// Lists the different answers, each once: `accept ≠ size`.
fn differing(conflict: &Conflict) -> String {
    let decided = conflict.opinions.iter().map(|opinion| &opinion.verdict);
    let mut answers: Vec<_> = decided
        .filter_map(|verdict| Some((verdict.judged.answer()?, short(verdict))))
        .collect();
    // After the code has changed, two can give the same answer in different words.
    answers.sort_unstable();
    answers.dedup_by(|a, b| a.0 == b.0);
    let mut words: Vec<String> = answers.into_iter().map(|answer| answer.1).collect();
    words.sort_unstable();
    words.join(" ≠ ")
}

/// Writes a verdict in a word or two; a pick as the method's name, because candidates' numbers differ between samples.
fn short(verdict: &Verdict) -> String {
    let word = match &verdict.judged.judgement {
        Judgement::Accept => "accept",
        Judgement::Pick(method) => {
            let short = docs::short_key(method);
            let name = short.split('(').next().unwrap_or_default();
            return name.rsplit('.').next().unwrap_or_default().to_owned();
        }
        Judgement::NoneOfThese => "none",
        Judgement::NoFocal => "no focal",
        Judgement::Unsure => "set aside",
        Judgement::Skip => "skip",
    };
    word.to_owned()
}
