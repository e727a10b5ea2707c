//! The drawing of Jobs: a line for each job, the log, and the words for progress.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::job;
use crate::model::{JobKind, JobRow, JobState};
use crate::screen::jobs::{Jobs, JobsFocus};
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, counted, cut, fit, inside, pieces, span};

const BAR_WIDTH: usize = 12;
const BAR_WIDTH_SMALL: usize = 8;
/// In narrower lines the progress bar is small.
const WIDTH_WIDE: usize = 76;
/// With less room, the pace of an execution has no noun.
const PACE_ROOM: usize = 60;
/// The least number of columns for the arguments.
const ARGUMENTS_MIN: usize = 10;

impl Jobs {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        if !self.is_zoomed {
            self.draw_list(buffer, context);
        }
        let selected = self.selected();
        let title = match selected {
            Some(row) => format!("log #{} {}", row.id, row.kind.as_str()),
            None => "log".to_owned(),
        };
        let is_alive = selected.is_some_and(|job_row| job_row.state.is_alive());
        let pane = Pane {
            title: &title,
            note: &self.log.note(is_alive),
            has_focus: self.focus == JobsFocus::Log,
        };
        pane.draw(self.log_area, buffer, context.theme);
        self.curves.draw(self.curves_area, buffer, context);
        self.log.draw(inside(self.log_area), buffer, context);
    }

    fn draw_list(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let n_rows = self.rows().len();
        let place = (self.cursor + 1).min(n_rows);
        let pane = Pane {
            title: "jobs",
            note: &format!("{}/{}", count(place as u64), count(n_rows as u64)),
            has_focus: self.focus == JobsFocus::List,
        };
        pane.draw(self.list_area, buffer, context.theme);
        let area = inside(self.list_area);
        let (text, role) = match &self.rows {
            AnswerState::Waiting => ("reading the table of jobs …", Role::Dim),
            AnswerState::Failed(text) => (text.as_str(), Role::Error),
            AnswerState::NoIndex => (
                "there is no workspace here yet · A starts a mine",
                Role::Dim,
            ),
            AnswerState::Ready(rows) if rows.is_empty() => (
                "no job yet · A starts one: mine, import, eval, execute, export, leakage …",
                Role::Dim,
            ),
            AnswerState::Ready(rows) => {
                let rows = rows.iter().enumerate().skip(self.top());
                for ((idx, row), y) in rows.zip(area.y..area.bottom()) {
                    let line = Rect::new(area.x, y, area.width, 1);
                    draw_row(row, self.now_ms, line, buffer, context);
                    if idx == self.cursor {
                        buffer.set_style(line, context.theme.style(Role::Selected));
                        buffer.set_string(line.x, y, "▌", context.theme.style(Role::Focus));
                    }
                }
                return;
            }
        };
        let row = Rect::new(
            area.x + 1,
            area.y,
            area.width.saturating_sub(1),
            1.min(area.height),
        );
        if row.height > 0 {
            pieces(row, &[(text, role)], buffer, context.theme);
        }
    }
}

const fn glyph(state: JobState) -> (&'static str, Role) {
    match state {
        JobState::Queued => ("·", Role::Dim),
        JobState::Running => ("▶", Role::Strong),
        JobState::Done => ("✓", Role::Good),
        JobState::Failed => ("✗", Role::Error),
        JobState::Cancelled => ("–", Role::Warning),
        JobState::Stopped => ("■", Role::Warning),
    }
}

fn draw_row(row: &JobRow, now_ms: i64, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
    let (mark, role) = glyph(row.state);
    let word = if row.is_cancel_asked && row.state.is_alive() {
        "stopping"
    } else {
        row.state.as_str()
    };
    let id = format!(" {:<5}", format!("#{}", row.id));
    let state = format!("{mark} {} ", fit(word, 9));
    let kind = format!("{} ", fit(row.kind.as_str(), 7));
    let used = id.width() + state.width() + kind.width();
    let room = usize::from(area.width).saturating_sub(used + 1);
    let arguments = arguments(row);
    let (middle, tail) = if row.state == JobState::Running {
        let small = usize::from(area.width) < WIDTH_WIDE;
        let tail = running(row, now_ms, room.saturating_sub(ARGUMENTS_MIN + 1), small);
        let width: usize = tail.iter().map(|(text, _)| text.width()).sum();
        (fit(&arguments, room.saturating_sub(width + 1)) + " ", tail)
    } else {
        ended(row, now_ms, &arguments, room)
    };
    let mut parts = vec![
        (id.as_str(), Role::Dim),
        (state.as_str(), role),
        (kind.as_str(), Role::Text),
        (middle.as_str(), Role::Text),
    ];
    parts.extend(tail.iter().map(|(text, role)| (text.as_str(), *role)));
    pieces(area, &parts, buffer, context.theme);
}

/// Writes bar, share, counts, pace and the time left in the order of their importance, as far as they fit.
fn running(row: &JobRow, now_ms: i64, room: usize, is_small: bool) -> Vec<(String, Role)> {
    let bar_width = if is_small { BAR_WIDTH_SMALL } else { BAR_WIDTH };
    let share = row.progress.share.unwrap_or(0.0).clamp(0.0, 1.0);
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    let filled = ((share * bar_width as f64) as usize).min(bar_width);
    let mut parts = vec![
        ("█".repeat(filled), Role::Gauge),
        ("░".repeat(bar_width - filled), Role::GaugeRest),
        (format!(" {:>4}", percent(row)), Role::Text),
    ];
    let mut used: usize = parts.iter().map(|(text, _)| text.width()).sum();
    let progress = &row.progress;
    let counts = match (progress.n_done, progress.n_total) {
        _ if row.kind == JobKind::Train => String::new(),
        (0, 0) => String::new(),
        (n_done, 0) if row.kind == JobKind::Mine => counted(n_done, "file"),
        (n_done, 0) => count(n_done),
        (n_done, n_total) => format!("{}/{}", count(n_done), count(n_total)),
    };
    let pace = row.pace(now_ms);
    let left = pace.and_then(|job_pace| job_pace.left_ms);
    let silent = now_ms.saturating_sub(row.heartbeat_ms) > JobRow::SILENT_MS;
    let is_execution = row.kind == JobKind::Execute;
    let is_training = row.kind == JobKind::Train;
    let stage = (is_execution || is_training).then(|| visible(&progress.phase));
    let speed = |per_second: f64| {
        let n_digits = usize::from(is_execution && per_second < 10.0);
        let unit = if is_execution && room >= PACE_ROOM {
            " candidates/s"
        } else {
            "/s"
        };
        format!("{per_second:.n_digits$}{unit}")
    };
    let pace_text = pace.map(|job_pace| speed(job_pace.per_second));
    // The pace of an execution comes first; a training has its own in its phase, with the step.
    let (first, last) = if is_training {
        (None, None)
    } else if is_execution {
        (pace_text, None)
    } else {
        (None, pace_text)
    };
    let more = [
        (stage.filter(|stage| !stage.is_empty()), Role::Strong),
        (first, Role::Text),
        (
            silent.then(|| format!("silent for {}", span(now_ms - row.heartbeat_ms))),
            Role::Warning,
        ),
        (
            left.map(|ms| format!("{} left", span(ms.cast_signed()))),
            Role::Strong,
        ),
        ((!counts.is_empty()).then_some(counts), Role::Text),
        (last, Role::Dim),
        (
            (progress.n_problems > 0).then(|| counted(progress.n_problems, "problem")),
            Role::Warning,
        ),
    ];
    for (text, role) in more {
        let Some(text) = text.map(|text| format!("  {text}")) else {
            continue;
        };
        if used + text.width() <= room {
            used += text.width();
            parts.push((text, role));
        }
    }
    parts
}

/// Writes the arguments and the outcome, with the age at the right where there is room.
fn ended(row: &JobRow, now_ms: i64, arguments: &str, room: usize) -> (String, Vec<(String, Role)>) {
    let age = now_ms - row.ended_ms.unwrap_or(row.heartbeat_ms);
    let age = match row.state {
        JobState::Queued => String::new(),
        JobState::Running
        | JobState::Done
        | JobState::Failed
        | JobState::Cancelled
        | JobState::Stopped => format!(" {} ago", span(age)),
    };
    let age = if age.width() + 2 * ARGUMENTS_MIN <= room {
        age
    } else {
        String::new()
    };
    let room = room - age.width();
    let (message, role) = match row.state {
        JobState::Queued => ("waits for its turn".to_owned(), Role::Dim),
        JobState::Stopped => (
            "its process is gone · r resumes it".to_owned(),
            Role::Warning,
        ),
        JobState::Failed => (visible(row.outcome()), Role::Error),
        JobState::Running | JobState::Done | JobState::Cancelled => {
            (visible(row.outcome()), Role::Dim)
        }
    };
    let most = (room * 2 / 5).max(ARGUMENTS_MIN.min(room));
    let most = most.max(room.saturating_sub(message.width() + 2));
    let middle = fit(arguments, arguments.width().min(most)) + "  ";
    let rest = room.saturating_sub(middle.width());
    (middle, vec![(fit(&message, rest), role), (age, Role::Dim)])
}

/// Writes the arguments of the verb; of a long path only the last part.
fn arguments(row: &JobRow) -> String {
    let words = job::own_arguments(row).iter();
    let words = words.filter(|word| *word != "--background" && *word != "--");
    let short = words.map(|word| {
        let word = word.to_string_lossy();
        let is_path = word.starts_with('/') && word.len() > 24;
        let end = word.trim_end_matches('/').rsplit('/').next();
        match end {
            Some(end) if is_path => format!("…/{end}"),
            _ => word.into_owned(),
        }
    });
    visible(&short.collect::<Vec<_>>().join(" "))
}

pub(super) fn command_line(row: &JobRow) -> String {
    visible(&job::command_line(&row.arguments))
}

fn percent(row: &JobRow) -> String {
    match row.progress.share {
        // 100 % is only for finished work.
        Some(share) => format!("{:.0} %", (share * 100.0).floor().clamp(0.0, 99.0)),
        None => String::new(),
    }
}

/// Writes the progress of a live job in a few words: `41 64 % · 52 s left`.
#[must_use]
pub(super) fn progress_words(row: &JobRow, now_ms: i64) -> String {
    if row.is_cancel_asked {
        return format!("{} stopping …", row.id);
    }
    if row.state == JobState::Queued {
        return format!("{} queued", row.id);
    }
    let percent = percent(row);
    let far = if percent.is_empty() {
        visible(&row.progress.phase)
    } else {
        percent
    };
    let left = row.pace(now_ms).and_then(|job_pace| job_pace.left_ms);
    let left = left.map_or_else(String::new, |ms| {
        format!(" · {} left", span(ms.cast_signed()))
    });
    format!("{} {far}{left}", row.id)
}

/// Lists all facts about a job, as label and text.
pub(super) fn details(row: &JobRow, now_ms: i64) -> Vec<(String, String)> {
    let ago = |ms: i64| format!("{} ago", span(now_ms - ms));
    let progress = &row.progress;
    let facts = [
        ("command", command_line(row)),
        ("folder", visible(&row.folder.to_string_lossy())),
        ("state", row.state.as_str().to_owned()),
        ("outcome", visible(row.outcome())),
        (
            "changed",
            row.changes
                .map_or_else(String::new, |change| change.to_string()),
        ),
        (
            "retry of",
            row.retry_of
                .map_or_else(String::new, |job_id| format!("#{job_id}")),
        ),
        ("requested", ago(row.created_ms)),
        ("begun", row.started_ms.map_or_else(String::new, ago)),
        ("ended", row.ended_ms.map_or_else(String::new, ago)),
        (
            "took",
            row.elapsed_ms(now_ms)
                .map_or_else(String::new, |n| span(n.cast_signed())),
        ),
        ("phase", visible(&progress.phase)),
        (
            "done",
            match progress.n_total {
                0 => String::new(),
                n_total => format!("{} of {}", count(progress.n_done), count(n_total)),
            },
        ),
        (
            "repositories",
            match progress.n_repos_total {
                0 => String::new(),
                n_total => format!("{} of {}", count(progress.n_repos), count(n_total)),
            },
        ),
        (
            "problems",
            match progress.n_problems {
                0 => String::new(),
                n => count(n),
            },
        ),
        (
            "process",
            row.pid.map_or_else(String::new, |pid| {
                format!("{pid} on {}", visible(&row.host))
            }),
        ),
        (
            "exit code",
            row.exit_code
                .map_or_else(String::new, |exit_code| exit_code.to_string()),
        ),
    ];
    let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
    known
        .map(|(label, text)| (label.to_owned(), cut(&text, 400)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_takes_no_more_words_than_it_needs() {
        let check = |ms, expected: &str| assert_eq!(span(ms), expected);
        check(-5, "0 s");
        check(99_999, "99 s");
        check(100_000, "1 min");
        check(5_999_000, "99 min");
        check(6_000_000, "1 h");
        check(172_800_000, "2 days");
    }
}
