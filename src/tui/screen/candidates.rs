//! The list of a sample's candidates: the weight of each, and the strongest evidence for or against it.
//!
//! ```text
//! contest    ▶ 1 Counter.inc(int)  Counter.java:12                      0.50 · 0.33  ×2
//! evidence   ▶ 1 Counter.inc(int)  0.93  +name covered  +class under test  -repeated  ×2
//! ```

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::mine::why::{EvidenceAccount, MatchExplanation};
use crate::model::{CandidateRow, Evidence, Matcher};
use crate::screen::{DrawContext, docs};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{cut, fit, pieces};

/// The most kinds of evidence in a row; the pop-up shows all.
const REASONS_MAX: usize = 3;
/// The least columns in which a kind of evidence can be read.
const REASON_WIDTH_MIN: usize = 12;
/// The columns that long names leave to the evidence: room for one kind.
const REASON_WIDTH: usize = 20;
/// From this width of the name on, the candidate's place stands beside it.
const WIDTH_WITH_PLACE: usize = 60;

/// The list with its cursor.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub rows: &'a [CandidateRow],
    /// In the order of the rows.
    pub explanations: &'a [MatchExplanation],
    pub selected: usize,
    pub has_focus: bool,
}

/// Names the numbers beside the candidates, for the note of the pane.
#[must_use]
pub const fn note(matcher: Matcher) -> &'static str {
    match matcher {
        Matcher::Contest => "score · class",
        Matcher::Evidence => "weight · evidence",
        Matcher::Methods2Test | Matcher::Mera => "",
    }
}

/// The number of candidates that a digit can pick.
pub const DIGITS: usize = 9;

/// Counts the rows that show every candidate with a digit, and, where there are more, one row that counts the others.
#[must_use]
pub fn n_rows(n_candidates: usize) -> u16 {
    n_candidates.clamp(1, DIGITS + 1) as u16
}

/// Computes the indices of the candidates that `height` rows show, and whether the last row counts those below.
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
    /// Tells whether another candidate differs from this one by its parameters alone.
    fn is_overloaded(&self, candidate: &CandidateRow) -> bool {
        let head = |key: &str| key.split('(').next().unwrap_or_default().to_owned();
        let own = head(&candidate.key);
        let same = self.rows.iter().filter(|row| head(&row.key) == own);
        same.count() > 1
    }

    pub fn draw(self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if self.rows.is_empty() {
            let text = "no method of the main code is called";
            let room = usize::from(area.width);
            let style = context.theme.style(Role::Dim);
            buffer.set_stringn(area.x + 1, area.y, text, room, style);
            return;
        }
        let (shown, has_more) = window(self.rows.len(), self.selected, area.height);
        if has_more {
            let text = format!("   … {} more", self.rows.len() - shown.end);
            let style = context.theme.style(Role::Dim);
            let room = usize::from(area.width);
            buffer.set_stringn(area.x, area.bottom() - 1, text, room, style);
        }
        let (skipped, taken) = (shown.start, shown.len());
        let rows = self.rows.iter().zip(self.explanations).enumerate();
        let shown = rows.skip(skipped).take(taken);
        let widest = self
            .rows
            .iter()
            .map(|row| docs::candidate_name(row).width());
        let names_width = widest.max().unwrap_or(0);
        let held = EvidenceCounts::of(self.explanations);
        for ((idx, (candidate, why)), y) in shown.zip(area.y..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let number = format!("{:>2} ", idx + 1);
            match why {
                MatchExplanation::Evidence(account) => {
                    let weighed = EvidenceRow {
                        number: &number,
                        candidate,
                        account,
                        held: &held,
                        names_width,
                        is_overloaded: self.is_overloaded(candidate),
                    };
                    weighed.draw(row, buffer, context);
                }
                MatchExplanation::Names { .. } => {
                    let scores = format!("{:.2} · {:.2} ", candidate.score, candidate.class_score);
                    draw_scored((&number, candidate, &scores), row, buffer, context);
                }
                MatchExplanation::Rules => {
                    draw_scored((&number, candidate, ""), row, buffer, context);
                }
            }
            if idx == self.selected && self.has_focus {
                buffer.set_style(row, context.theme.style(Role::Selected));
            }
        }
    }
}

/// Chooses the mark before a candidate with its role, and the role of its name.
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
    context: DrawContext<'_>,
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
    pieces(row, &parts, buffer, context.theme);
}

/// A row of the list under the matcher `evidence`.
#[derive(Clone, Copy)]
struct EvidenceRow<'a> {
    number: &'a str,
    candidate: &'a CandidateRow,
    account: &'a EvidenceAccount,
    held: &'a EvidenceCounts,
    names_width: usize,
    is_overloaded: bool,
}

impl EvidenceRow<'_> {
    fn draw(self, row: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (mark, role, name_role) = mark(self.candidate);
        let calls = calls(self.candidate);
        let weight = format!("  {:.2}  ", self.candidate.weight);
        let fixed = mark.width() + self.number.width() + weight.width() + calls.width() + 1;
        let room = usize::from(row.width).saturating_sub(fixed);
        // Names come first; evidence that has too little room is left out.
        let most = room.saturating_sub(REASON_WIDTH).max(room / 2);
        let name_width = self.names_width.min(most);
        let name_width = if room - name_width < REASON_WIDTH_MIN {
            room
        } else {
            name_width
        };
        let name = if self.is_overloaded {
            docs::overload_key_in(&self.candidate.key, name_width)
        } else {
            docs::candidate_name_in(self.candidate, name_width)
        };
        let name = fit(&name, name_width);
        let reasons_width = room - name_width;
        let reasons = reasons_in(self.account, self.held, reasons_width);
        let reasons = fit(&reasons, reasons_width);
        let parts = [
            (mark, role),
            (self.number, Role::Dim),
            (name.as_str(), name_role),
            (weight.as_str(), Role::Text),
            (reasons.as_str(), Role::Dim),
            (calls.as_str(), Role::Text),
        ];
        pieces(row, &parts, buffer, context.theme);
    }
}

/// For each kind of evidence, the number of candidates that it holds for: a kind that holds for all tells none apart.
#[derive(Debug, Default)]
struct EvidenceCounts {
    n_candidates: usize,
    counts: Vec<(Evidence, usize)>,
}

impl EvidenceCounts {
    fn of(explanations: &[MatchExplanation]) -> Self {
        let mut counts: Vec<(Evidence, usize)> = Vec::new();
        let accounts = explanations.iter().filter_map(|why| match why {
            MatchExplanation::Evidence(account) => Some(account),
            MatchExplanation::Names { .. } | MatchExplanation::Rules => None,
        });
        for (kind, _) in accounts.flat_map(|account| &account.reasons) {
            match counts.iter_mut().find(|count| count.0 == *kind) {
                Some((_, n)) => *n += 1,
                None => counts.push((*kind, 1)),
            }
        }
        Self {
            n_candidates: explanations.len(),
            counts,
        }
    }

    /// Measures how much a kind tells a candidate from the others: its log-odds, times the candidates that it does not
    /// hold for.
    fn telling(&self, kind: Evidence, log_odds: f64) -> f64 {
        let n_held = self
            .counts
            .iter()
            .find(|count| count.0 == kind)
            .map_or(0, |count| count.1);
        log_odds.abs() * self.n_candidates.saturating_sub(n_held) as f64
    }
}

/// Writes a kind of evidence in words: `name covered`.
#[must_use]
pub fn label(kind: Evidence) -> String {
    kind.as_str().replace('_', " ")
}

/// Lists the kinds of evidence that tell the candidate from the others, as many as fit into `width`: `+name covered
/// -stubbed`. Kinds that all candidates share come last.
fn reasons_in(account: &EvidenceAccount, held: &EvidenceCounts, width: usize) -> String {
    let holds = account
        .reasons
        .iter()
        .copied()
        .filter(|reason| reason.1 != 0.0);
    let mut holds: Vec<(Evidence, f64)> = holds.collect();
    let telling = |pair: &(Evidence, f64)| held.telling(pair.0, pair.1);
    // A stable sort: equally telling kinds stay in the order of their strength.
    holds.sort_by(|a, b| telling(b).total_cmp(&telling(a)));
    let mut shown = String::new();
    for (kind, log_odds) in holds.into_iter().take(REASONS_MAX) {
        let sign = if log_odds > 0.0 { '+' } else { '-' };
        let word = format!("{sign}{}", label(kind));
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

    fn check(width: usize, expected: &str) {
        let account = EvidenceAccount::new(
            -2.0,
            [
                (Evidence::NameCovered, 2.5),
                (Evidence::Stubbed, -2.0),
                (Evidence::LastCall, 0.0),
                (Evidence::ClassUnderTest, 1.5),
                (Evidence::Accessor, -0.5),
            ],
        );
        assert_eq!(
            reasons_in(&account, &EvidenceCounts::default(), width),
            expected
        );
    }

    #[test]
    fn as_much_evidence_is_told_as_fits() {
        check(80, "+name covered  -stubbed  +class under test");
        check(30, "+name covered  -stubbed");
        check(20, "+name covered");
        check(8, "+name c…");
    }

    #[test]
    fn what_all_candidates_share_comes_last() {
        let why = |kinds: &[(Evidence, f64)]| {
            MatchExplanation::Evidence(EvidenceAccount::new(0.0, kinds.iter().copied()))
        };
        let (strong, weak) = ((Evidence::ClassUnderTest, 2.5), (Evidence::LastCall, 0.5));
        let explanations = [why(&[strong, weak]), why(&[strong])];
        let held = EvidenceCounts::of(&explanations);
        let MatchExplanation::Evidence(account) = &explanations[0] else {
            panic!("it was made with evidence");
        };
        let reasons = reasons_in(account, &held, 80);
        assert_eq!(reasons, "+last call  +class under test");
        // Alone, a candidate has its strongest evidence first.
        let alone = reasons_in(account, &EvidenceCounts::of(&explanations[..1]), 80);
        assert_eq!(alone, "+class under test  +last call");
    }
}
