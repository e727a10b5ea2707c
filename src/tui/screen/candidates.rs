//! The list of a sample's candidates: what each weighs, and what speaks loudest for or against it.
//!
//! ```text
//! contest    ▶ 1 Counter.inc(int)  Counter.java:12                      0.50 · 0.33  ×2
//! evidence   ▶ 1 Counter.inc(int)  0.93  +name covered  +class under test  -repeated  ×2
//! ```

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::mine::why::{Account, Why};
use crate::model::{CandidateRow, Matcher};
use crate::screen::{Look, docs};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{cut, fit, pieces};

/// More kinds of evidence than these are told by the pop-up only.
const REASONS_MAX: usize = 3;
/// A kind of evidence in fewer columns cannot be read.
const REASON_WIDTH_MIN: usize = 12;
/// From this room for the name on, the place is shown beside it.
const WIDTH_WITH_PLACE: usize = 60;

/// The list, and where its cursor is.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub rows: &'a [CandidateRow],
    /// In the order of the rows.
    pub whys: &'a [Why],
    pub selected: usize,
    pub has_focus: bool,
}

/// Returns what the numbers beside the names are.
#[must_use]
pub const fn note(matcher: Matcher) -> &'static str {
    match matcher {
        Matcher::Contest => "score · class",
        Matcher::Evidence => "weight · evidence",
        Matcher::Methods2Test | Matcher::Mera => "",
    }
}

/// Candidates that a digit picks.
pub const DIGITS: usize = 9;

/// Returns how many rows show every candidate that a digit picks, and, where there are more, the row that counts them.
#[must_use]
pub fn n_rows(n_candidates: usize) -> u16 {
    n_candidates.clamp(1, DIGITS + 1) as u16
}

/// Returns the places of the candidates that `height` rows show, and whether the last row counts those below.
#[must_use]
pub fn window(n_candidates: usize, selected: usize, height: u16) -> (Range<usize>, bool) {
    let height = usize::from(height);
    if n_candidates <= height || height < 2 {
        let top = (selected + 1).saturating_sub(height);
        return (top..n_candidates.min(top + height), false);
    }
    let top = (selected + 2).saturating_sub(height);
    if top + height >= n_candidates {
        return (n_candidates - height..n_candidates, false);
    }
    (top..top + height - 1, true)
}

impl Candidates<'_> {
    pub fn draw(self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        if self.rows.is_empty() {
            let text = "no method of the main code is called";
            let room = usize::from(area.width);
            let style = look.theme.style(Role::Dim);
            buffer.set_stringn(area.x + 1, area.y, text, room, style);
            return;
        }
        let (shown, has_more) = window(self.rows.len(), self.selected, area.height);
        if has_more {
            let text = format!("   … {} more", self.rows.len() - shown.end);
            let style = look.theme.style(Role::Dim);
            let room = usize::from(area.width);
            buffer.set_stringn(area.x, area.bottom() - 1, text, room, style);
        }
        let (skipped, taken) = (shown.start, shown.len());
        let rows = self.rows.iter().zip(self.whys).enumerate();
        let shown = rows.skip(skipped).take(taken);
        let widest = self.rows.iter().map(|it| docs::candidate_name(it).width());
        let names_width = widest.max().unwrap_or(0);
        for ((idx, (candidate, why)), y) in shown.zip(area.y..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let number = format!("{:>2} ", idx + 1);
            match why {
                Why::Evidence(account) => {
                    draw_weighed(
                        (&number, candidate, account),
                        names_width,
                        row,
                        buffer,
                        look,
                    );
                }
                Why::Names { .. } => {
                    let scores = format!("{:.2} · {:.2} ", candidate.score, candidate.class_score);
                    draw_scored((&number, candidate, &scores), row, buffer, look);
                }
                Why::Rules => draw_scored((&number, candidate, ""), row, buffer, look),
            }
            if idx == self.selected && self.has_focus {
                buffer.set_style(row, look.theme.style(Role::Selected));
            }
        }
    }
}

/// Returns the mark before a candidate with its role, and the role of its name.
const fn mark(candidate: &CandidateRow) -> (&'static str, Role, Role) {
    if candidate.is_picked {
        ("▶", Role::Focal, Role::Strong)
    } else {
        (" ", Role::Text, Role::Text)
    }
}

fn calls(candidate: &CandidateRow) -> String {
    format!("{:>3}", format!("×{}", candidate.n_calls))
}

fn draw_scored(
    (number, candidate, scores): (&str, &CandidateRow, &str),
    row: Rect,
    buffer: &mut Buffer,
    look: Look<'_>,
) {
    let (mark, role, name_role) = mark(candidate);
    let scores = format!("{scores}{}", calls(candidate));
    let place = format!("{}:{}", docs::file_name(&candidate.path), candidate.line);
    let place = visible(&place);
    let fixed = mark.width() + number.width() + scores.width() + 3;
    let room = usize::from(row.width).saturating_sub(fixed);
    let has_place = room >= WIDTH_WITH_PLACE;
    let name_width = if has_place { room - 28 } else { room };
    let name = docs::candidate_name_in(candidate, name_width);
    let place = if has_place {
        format!("  {}", fit(&place, 26))
    } else {
        String::new()
    };
    let name = fit(&name, room.saturating_sub(place.width()));
    let name = cut(&name, room);
    let parts = [
        (mark, role),
        (number, Role::Dim),
        (name.as_str(), name_role),
        (place.as_str(), Role::Dim),
        ("  ", Role::Text),
        (scores.as_str(), Role::Text),
    ];
    pieces(row, &parts, buffer, look.theme);
}

fn draw_weighed(
    (number, candidate, account): (&str, &CandidateRow, &Account),
    names_width: usize,
    row: Rect,
    buffer: &mut Buffer,
    look: Look<'_>,
) {
    let (mark, role, name_role) = mark(candidate);
    let calls = calls(candidate);
    let weight = format!("  {:.2}  ", candidate.weight);
    let fixed = mark.width() + number.width() + weight.width() + calls.width() + 1;
    let room = usize::from(row.width).saturating_sub(fixed);
    // Names get half of the room and what the evidence leaves; evidence that cannot be read is no use.
    let name_width = names_width.min(room / 2);
    let name_width = if room - name_width < REASON_WIDTH_MIN {
        room
    } else {
        name_width
    };
    let name = fit(&docs::candidate_name_in(candidate, name_width), name_width);
    let reasons = fit(&reasons_in(account, room - name_width), room - name_width);
    let parts = [
        (mark, role),
        (number, Role::Dim),
        (name.as_str(), name_role),
        (weight.as_str(), Role::Text),
        (reasons.as_str(), Role::Dim),
        (calls.as_str(), Role::Text),
    ];
    pieces(row, &parts, buffer, look.theme);
}

/// Returns the strongest kinds of evidence, as many as fit into `width`: `+name covered  -stubbed`.
fn reasons_in(account: &Account, width: usize) -> String {
    let words = account
        .reasons
        .iter()
        .filter(|(_, log_odds)| *log_odds != 0.0);
    let mut shown = String::new();
    for (kind, log_odds) in words.take(REASONS_MAX) {
        let sign = if *log_odds > 0.0 { '+' } else { '-' };
        let word = format!("{sign}{}", kind.as_str().replace('_', " "));
        let gap = if shown.is_empty() { "" } else { "  " };
        if shown.width() + gap.len() + word.width() <= width {
            shown.push_str(gap);
            shown.push_str(&word);
        } else if shown.is_empty() {
            return cut(&word, width);
        } else {
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Evidence;

    fn check(width: usize, expected: &str) {
        let account = Account::new(
            -2.0,
            [
                (Evidence::NameCovered, 2.5),
                (Evidence::Stubbed, -2.0),
                (Evidence::LastCall, 0.0),
                (Evidence::ClassUnderTest, 1.5),
                (Evidence::Accessor, -0.5),
            ],
        );
        assert_eq!(reasons_in(&account, width), expected);
    }

    #[test]
    fn as_much_evidence_is_told_as_fits() {
        check(80, "+name covered  -stubbed  +class under test");
        check(30, "+name covered  -stubbed");
        check(20, "+name covered");
        check(8, "+name c…");
    }
}
