//! The explanation of a candidate's weight, over the screen: sums for `evidence`, words for `contest`.
//!
//! ```text
//! ┏ why · 1 of 3 · Counter.inc(int) ━━━━━━━━━━━━ j k candidate · Esc ┓
//! ┃ picked by the weight of evidence                                ┃
//! ┃                                                                 ┃
//! ┃ -2.00  ▐███│       against the other candidates, and against …  ┃
//! ┃ +2.50      │████▌  name covered: has a name whose words all …   ┃
//! ┃ +0.50              together: a probability of 0.62              ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::mine::why::{EvidenceAccount, MatchExplanation};
use crate::model::{self, CandidateRow, SampleDetail, signed};
use crate::screen::candidates::{Candidates, label};
use crate::screen::docs;
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::frame::{Pane, centered, counted, fill, inside, pieces};
use crate::wrap::wrap;

/// The columns on either side of a bar's axis.
const BAR: usize = 6;
/// The least inner width for bars; in a narrower pane, words matter more.
const WIDTH_WITH_BARS: u16 = 64;
const WIDTH_MAX: u16 = 100;

/// A line: a number, its bar, and words that may wrap.
#[derive(Clone, Debug, Default, PartialEq)]
struct ExplanationLine {
    number: Option<f64>,
    /// Log-odds have a sign and a bar, a score has neither.
    is_log_odds: bool,
    has_bar: bool,
    text: String,
    role: Option<Role>,
}

impl ExplanationLine {
    fn of(text: impl Into<String>, role: Role) -> Self {
        Self {
            text: text.into(),
            role: Some(role),
            ..Self::default()
        }
    }

    fn scored(score: f64, text: String) -> Self {
        Self {
            number: Some(score),
            ..Self::of(text, Role::Text)
        }
    }

    fn weighed(log_odds: f64, text: impl Into<String>) -> Self {
        Self {
            number: Some(log_odds),
            is_log_odds: true,
            has_bar: true,
            ..Self::of(text, Role::Text)
        }
    }

    fn number(&self) -> String {
        match self.number {
            Some(number) if self.is_log_odds => format!("{}  ", signed(number, 2)),
            Some(number) => format!("{}  ", model::number(number, 2)),
            None => String::new(),
        }
    }
}

/// The candidates to explain, and the sample that they belong to.
#[derive(Clone, Copy, Debug)]
pub struct ExplanationSubject<'a> {
    pub detail: &'a SampleDetail,
    pub candidates: Candidates<'a>,
    /// The share of matches of such a weight that people found right, in words; empty where it is unknown.
    pub calibrated: &'a str,
}

/// Draws the explanation of the selected candidate's weight.
pub fn draw(area: Rect, about: ExplanationSubject<'_>, buffer: &mut Buffer, theme: &Theme) {
    let ExplanationSubject {
        detail,
        candidates,
        calibrated,
    } = about;
    let selected = candidates.rows.get(candidates.selected);
    let why = candidates.explanations.get(candidates.selected);
    let title = selected.map_or_else(
        || "why".to_owned(),
        |candidate_row| {
            let (at, n) = (candidates.selected + 1, candidates.rows.len());
            format!(
                "why · {at} of {n} · {}",
                docs::candidate_name(candidate_row)
            )
        },
    );
    let room = area.height.saturating_sub(2);
    let width = WIDTH_MAX.min(area.width.saturating_sub(4));
    let body_width = width.saturating_sub(2);
    let mut n_reasons = match why {
        Some(MatchExplanation::Evidence(account)) => account.reasons.len(),
        _ => 0,
    };
    // The weakest evidence is left out until the rest fits.
    let lines = loop {
        let mut lines = vec![ExplanationLine::of(verdict(detail, selected), Role::Strong)];
        if let (Some(candidate), Some(why)) = (selected, why) {
            lines.push(ExplanationLine::default());
            lines.extend(explained(candidate, why, n_reasons));
            if candidate.is_picked && !calibrated.is_empty() {
                lines.push(ExplanationLine::default());
                lines.push(ExplanationLine::of(calibrated, Role::Strong));
            }
        }
        if n_reasons == 0 || height(&lines, body_width) <= room {
            break lines;
        }
        n_reasons -= 1;
    };
    let scale = scale(&lines);
    let frame = centered(area, width, height(&lines, body_width) + 2);
    fill(frame, Role::Popup, buffer, theme);
    let pane = Pane {
        title: &title,
        note: if candidates.rows.len() > 1 {
            "j k candidate · Esc"
        } else {
            "Esc"
        },
        has_focus: true,
    };
    pane.draw(frame, buffer, theme);
    draw_lines(inside(frame), &lines, scale, buffer, theme);
}

/// Tells whether the candidate was picked, or why none was.
fn verdict(detail: &SampleDetail, candidate: Option<&CandidateRow>) -> String {
    let row = &detail.row;
    match (candidate, row.stage) {
        (Some(candidate), Some(stage)) if candidate.is_picked => {
            format!("picked {}", docs::stage_words(stage))
        }
        (Some(_), Some(_)) => "not picked: another candidate is better".to_owned(),
        _ => docs::explain(row.status).to_owned(),
    }
}

fn explained(
    candidate: &CandidateRow,
    why: &MatchExplanation,
    n_reasons: usize,
) -> Vec<ExplanationLine> {
    match why {
        MatchExplanation::Evidence(account) => weighed(candidate, account, n_reasons),
        MatchExplanation::Names { test, class } => vec![
            ExplanationLine::scored(test.score, format!("by the test's name: {test}")),
            ExplanationLine::scored(class.score, format!("by the test class's name: {class}")),
            ExplanationLine::default(),
            ExplanationLine::of(
                "the score is the share of the words that the candidate's name has",
                Role::Dim,
            ),
        ],
        MatchExplanation::Rules => vec![ExplanationLine::of(
            "two rules decide: the focal class's method of the test's name, else the only one that the test calls",
            Role::Text,
        )],
    }
}

/// Lists the strongest reasons, the sum of the others, and the total.
fn weighed(
    candidate: &CandidateRow,
    account: &EvidenceAccount,
    n_reasons: usize,
) -> Vec<ExplanationLine> {
    let mut lines = vec![ExplanationLine::weighed(
        account.against,
        EvidenceAccount::AGAINST,
    )];
    let (shown, rest) = account
        .reasons
        .split_at(n_reasons.min(account.reasons.len()));
    let shown = shown.iter();
    lines.extend(shown.map(|(kind, log_odds)| {
        // The same label stands beside the candidate in the list.
        let text = format!("{}: {}", label(*kind), kind.explain());
        ExplanationLine::weighed(*log_odds, text)
    }));
    if !rest.is_empty() {
        let text = format!(
            "… {} of evidence, each weaker",
            counted(rest.len() as u64, "kind")
        );
        lines.push(ExplanationLine::weighed(
            rest.iter().map(|rest| rest.1).sum(),
            text,
        ));
    }
    let probability = account.probability();
    lines.push(ExplanationLine {
        has_bar: false,
        role: Some(Role::Strong),
        ..ExplanationLine::weighed(
            account.sum(),
            format!("together: a probability of {probability:.2}"),
        )
    });
    if account.is_older(candidate.weight) {
        let text = format!(
            "mined with other weights: {:.2} then; `focalist mine --force` takes these",
            candidate.weight
        );
        lines.push(ExplanationLine::of(text, Role::Warning));
    }
    lines
}

/// Computes the number whose bar fills one side of the axis.
fn scale(lines: &[ExplanationLine]) -> f64 {
    let numbers = lines
        .iter()
        .filter(|line| line.has_bar)
        .filter_map(|line| line.number);
    numbers.map(f64::abs).fold(1.0, f64::max)
}

/// Computes the columns before the words of a line with a number.
fn text_start(line: &ExplanationLine, width: u16) -> usize {
    let bars = if line.is_log_odds && width >= WIDTH_WITH_BARS {
        2 * BAR + 3
    } else {
        0
    };
    1 + line.number().width() + bars
}

/// Wraps the words of a line.
fn rows(line: &ExplanationLine, width: u16) -> Vec<&str> {
    let room = usize::from(width).saturating_sub(text_start(line, width) + 1);
    let mut rows = Vec::new();
    wrap(0, &line.text, room as u16, &mut rows);
    rows.iter()
        .filter_map(|row| line.text.get(row.start as usize..row.end as usize))
        .collect()
}

fn height(lines: &[ExplanationLine], width: u16) -> u16 {
    lines
        .iter()
        .map(|line| rows(line, width).len() as u16)
        .sum()
}

fn draw_lines(
    area: Rect,
    lines: &[ExplanationLine],
    scale: f64,
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let mut ys = area.y..area.bottom();
    for line in lines {
        let start = text_start(line, area.width);
        for (idx, text) in rows(line, area.width).into_iter().enumerate() {
            let Some(y) = ys.next() else { return };
            let row = Rect::new(area.x, y, area.width, 1);
            if idx == 0 {
                draw_number(line, scale, row, buffer, theme);
            }
            let x = area.x + (start as u16).min(area.width);
            let rest = Rect::new(x, y, area.right() - x, 1);
            let text = visible(text.trim_end());
            pieces(
                rest,
                &[(&text, line.role.unwrap_or(Role::Text))],
                buffer,
                theme,
            );
        }
    }
}

fn draw_number(line: &ExplanationLine, scale: f64, row: Rect, buffer: &mut Buffer, theme: &Theme) {
    let Some(number) = line.number else { return };
    let (left, right) = if line.has_bar && row.width >= WIDTH_WITH_BARS {
        bar(number, scale)
    } else {
        (String::new(), String::new())
    };
    let axis = if left.is_empty() { "" } else { "│" };
    let text = format!(" {}", line.number());
    let role = if line.has_bar {
        Role::Text
    } else {
        Role::Strong
    };
    let parts = [
        (text.as_str(), role),
        (left.as_str(), Role::Warning),
        (axis, Role::Dim),
        (right.as_str(), Role::Good),
    ];
    pieces(row, &parts, buffer, theme);
}

/// Draws the parts of a bar left and right of the axis, in half columns.
fn bar(number: f64, scale: f64) -> (String, String) {
    let share = number.abs() / scale;
    let n_halves = (0..2 * BAR)
        .take_while(|half| (*half as f64 + 0.5) / (2 * BAR) as f64 <= share)
        .count();
    let whole = "█".repeat(n_halves / 2);
    let has_half = n_halves % 2 == 1;
    if number < 0.0 {
        let half = if has_half { "▐" } else { "" };
        (
            format!("{:>BAR$}", format!("{half}{whole}")),
            " ".repeat(BAR),
        )
    } else {
        let half = if has_half { "▌" } else { "" };
        (
            " ".repeat(BAR),
            format!("{:<BAR$}", format!("{whole}{half}")),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: f64, expected: &str) {
        let (left, right) = bar(number, 3.0);
        assert_eq!(format!("{left}│{right}"), expected);
    }

    #[test]
    fn a_bar_shows_sign_and_size() {
        check(3.0, "      │██████");
        check(-3.0, "██████│      ");
        check(-0.75, "    ▐█│      ");
        check(0.25, "      │▌     ");
        check(0.0, "      │      ");
        check(9.0, "      │██████");
    }
}
