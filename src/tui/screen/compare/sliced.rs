//! The groups in which the runs differ most: slices of the samples, or tags. A thousand draws first, then all of them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::Desk;
use crate::eval::by::GroupBy;
use crate::eval::pairing::refine::{N_RESAMPLES, STAGES};
use crate::eval::pairing::slices::N_SMALL;
use crate::eval::pairing::{ComparedSlice, ComparedTag};
use crate::eval::results::slice_terms;
use crate::screen::cells::{StyledLine, aligned, difference, draw_lines, share};
use crate::screen::compare::questions::{RefinementQuestion, SliceRanking, SlicesQuestion};
use crate::screen::compare::{Compare, CompareFocus, CompareUpperPane, RefinementState};
use crate::screen::runs::table::metric_title;
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, fit, inside};

impl SliceRanking {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Slices(slices) => slices.len(),
            Self::Tags(tags) => tags.len(),
        }
    }

    /// Returns the name of a row; nothing behind the last row.
    fn name(&self, idx: usize) -> Option<&str> {
        match self {
            Self::Slices(slices) => slices.get(idx).map(|slice| slice.name.as_str()),
            Self::Tags(tags) => tags.get(idx).map(|tag| tag.tag.as_str()),
        }
    }

    /// Counts the rows with too few samples for a conclusion; they come last.
    fn n_small(&self) -> usize {
        match self {
            Self::Slices(slices) => {
                let sizes = slices.iter().map(|slice| slice.selection.len() as u64);
                sizes.filter(|siz| *siz < N_SMALL).count()
            }
            Self::Tags(_) => 0,
        }
    }

    /// Returns the number of draws behind the numbers; the full number where there are no rows.
    fn n_resamples(&self) -> u32 {
        let n = match self {
            Self::Slices(slices) => slices.first().map(|slice| slice.compared.n_resamples),
            Self::Tags(tags) => tags.first().map(|tag| tag.compared.n_resamples),
        };
        n.unwrap_or(N_RESAMPLES)
    }
}

impl Compare {
    /// Asks the next question, once no other is open: keys go first.
    pub(super) fn go_on(&mut self, desk: &mut Desk) {
        if !self.open_questions.is_empty() {
            return;
        }
        let (Some(refinings), Some(idx)) = (self.refinings.clone(), self.metric_idx()) else {
            return;
        };
        let n_resamples = self
            .summary
            .get(idx)
            .map_or(0, |paired_comparison| paired_comparison.n_resamples);
        let is_known = n_resamples >= STAGES[0] || self.drawing != RefinementState::Open;
        if is_known && self.slices.is_none() {
            self.ask_slices(STAGES[0], desk);
        } else if self.drawing == RefinementState::Open {
            let refine = RefinementQuestion {
                refinings,
                first: idx,
                watched: self.watched.clone(),
            };
            self.ask(refine, Self::take_refined, desk);
        } else if self.drawing == RefinementState::Done
            && self
                .ready_slices()
                .is_some_and(|ready_slice| ready_slice.n_resamples() < N_RESAMPLES)
        {
            self.ask_slices(N_RESAMPLES, desk);
        }
    }

    /// Asks for slices or tags; the shown ones stay until others arrive.
    fn ask_slices(&mut self, n_resamples: u32, desk: &mut Desk) {
        if let (AnswerState::Ready((pairing, _)), Some(selection), Some(aim)) =
            (&self.pairing, &self.selection, self.aim())
        {
            let slices = SlicesQuestion {
                pairing: pairing.clone(),
                selection: selection.clone(),
                by: self.by,
                aim,
                n_resamples,
                watched: self.watched.clone(),
            };
            if self.ready_slices().is_none() {
                self.slices = Some(AnswerState::Waiting);
            }
            self.ask(slices, Self::take_slices, desk);
        }
    }

    /// Shows slices by this grouping, or tags.
    pub fn slice(&mut self, by: GroupBy, desk: &mut Desk) {
        (self.by, self.upper) = (by, CompareUpperPane::Slices);
        self.focus = CompareFocus::Slices;
        self.slice_cursor = 0;
        self.slices = None;
        self.ask_slices(STAGES[0], desk);
    }

    /// Takes slices or tags; the cursor stays on its row.
    fn take_slices(&mut self, slices: SliceRanking, _desk: &mut Desk) {
        let name = self
            .ready_slices()
            .and_then(|ready_slice| ready_slice.name(self.slice_cursor));
        let mut places = 0..slices.len();
        let same = name.and_then(|name| places.find(|place| slices.name(*place) == Some(name)));
        let last = slices.len().saturating_sub(1);
        self.slice_cursor = same.unwrap_or_else(|| self.slice_cursor.min(last));
        self.slices = Some(AnswerState::Ready(slices));
    }

    pub(super) fn ready_slices(&self) -> Option<&SliceRanking> {
        self.slices.as_ref().and_then(AnswerState::ready)
    }

    /// Filters to the slice under the cursor, or to the samples where only one answer has the tag.
    pub(super) fn enter_slice(&mut self, desk: &mut Desk) {
        let name = self
            .ready_slices()
            .and_then(|ready_slice| ready_slice.name(self.slice_cursor));
        if let Some(name) = name {
            let terms = slice_terms(self.by, name);
            self.narrow(terms, desk);
        }
    }

    pub(super) fn draw_slices(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let title = match self.by {
            GroupBy::Tag => "tags of A and B".to_owned(),
            by => {
                let metric = self.metric().map_or_else(String::new, metric_title);
                format!("slices by {}, in {metric}", by.as_str())
            }
        };
        let n = self.ready_slices().map_or(0, SliceRanking::len) as u64;
        let pane = Pane {
            title: &title,
            note: &self.n_slices(),
            has_focus: self.focus == CompareFocus::Slices,
        };
        pane.draw(self.areas.slices, buffer, context.theme);
        let area = inside(self.areas.slices);
        let width = usize::from(area.width);
        let height = usize::from(area.height.saturating_sub(1)).max(1);
        let top = (self.slice_cursor + 1).saturating_sub(height);
        let mut lines = vec![vec![(head(self.by, width), Role::Dim)]];
        let is_selected = |idx: usize| idx == self.slice_cursor;
        match &self.slices {
            Some(AnswerState::Ready(SliceRanking::Slices(slices))) => {
                let rows = slices.iter().enumerate().skip(top).take(height);
                lines.extend(rows.map(|(idx, compared_slice)| {
                    slice_line(compared_slice, is_selected(idx), width)
                }));
            }
            Some(AnswerState::Ready(SliceRanking::Tags(tags))) => {
                let rows = tags.iter().enumerate().skip(top).take(height);
                lines.extend(
                    rows.map(|(idx, compared_tag)| tag_line(compared_tag, is_selected(idx), width)),
                );
            }
            Some(AnswerState::Failed(text)) => {
                lines.push(vec![(format!(" {}", visible(text)), Role::Warning)]);
            }
            _ => lines.push(vec![(" …".to_owned(), Role::Dim)]),
        }
        draw_lines(lines.iter(), area, buffer, context);
        let y = area.y + 1 + (self.slice_cursor - top) as u16;
        if n > 0 && y < area.bottom() {
            let role = match self.focus {
                CompareFocus::Slices => Role::Selected,
                _ => Role::Marked,
            };
            let row = Rect::new(area.x, y, area.width, 1);
            buffer.set_style(row, context.theme.style(role));
        }
    }

    /// Counts the rows and the small ones among them; adds the number of draws until it is final.
    fn n_slices(&self) -> String {
        let Some(slices) = self.ready_slices() else {
            return String::new();
        };
        let (mut n, n_resamples) = (count(slices.len() as u64), slices.n_resamples());
        if slices.n_small() > 0 {
            let n_small = count(slices.n_small() as u64);
            n = format!("{n}, {n_small} small");
        }
        let end = match self.drawing {
            _ if n_resamples >= N_RESAMPLES => return n,
            RefinementState::Stopped => ", stopped",
            RefinementState::Open | RefinementState::Done => " …",
        };
        let n_resamples = count(u64::from(n_resamples));
        format!("{n} · {n_resamples} resamples{end}")
    }
}

/// The columns of a row besides its name.
const OF_SLICE: usize = 28;
const OF_TAG: usize = 33;

/// The order of the rows, in decreasing length: the first text that fits is shown.
const ORDERS: [&str; 4] = [
    "strongest evidence first",
    "strongest evidence",
    "evidence ▼",
    "p ▲",
];

/// Writes the head: the order of the rows, and the names of the columns.
fn head(by: GroupBy, width: usize) -> String {
    let (counts, others) = match by {
        GroupBy::Tag => (format!("{:>6} {:>6}", "A", "B"), OF_TAG),
        _ => (format!("{:>8}", "n"), OF_SLICE),
    };
    let name_width = width.saturating_sub(others);
    let mut orders = ORDERS
        .iter()
        .filter(|text| text.chars().count() <= name_width);
    let order = fit(orders.next().unwrap_or(&""), name_width);
    format!("  {order} {counts} {:>7} {:>7}", "Δ", "p adj.")
}

fn slice_line(compared_slice: &ComparedSlice, is_selected: bool, width: usize) -> StyledLine {
    let cursor = if is_selected { "▌ " } else { "  " };
    let (delta, role) = difference(compared_slice.compared.difference);
    let (name, role) = if compared_slice.beyond_chance > 0.0 {
        (Role::Strong, role)
    } else {
        (Role::Text, Role::Dim)
    };
    let n = count(compared_slice.selection.len() as u64);
    let name_width = width.saturating_sub(OF_SLICE);
    vec![
        (cursor.to_owned(), Role::Focus),
        (fit(&visible(&compared_slice.name), name_width), name),
        (format!(" {}", aligned(&n, 8, true)), Role::Text),
        (format!(" {delta:>7}"), role),
        (
            format!(" {:>7}", p_text(compared_slice.p_adjusted)),
            Role::Dim,
        ),
    ]
}

fn tag_line(compared_tag: &ComparedTag, is_selected: bool, width: usize) -> StyledLine {
    let cursor = if is_selected { "▌ " } else { "  " };
    let delta = compared_tag.compared.difference;
    // More is good for tags of equal checks, and bad for all others.
    let (_, role) = difference(if compared_tag.tag.is_equal() {
        delta
    } else {
        -delta
    });
    let (name, role) = if compared_tag.beyond_chance > 0.0 {
        (Role::Strong, role)
    } else {
        (Role::Text, Role::Dim)
    };
    let [n_first, n_second] =
        [compared_tag.n_first, compared_tag.n_second].map(|n| aligned(&count(n), 6, true));
    let name_width = width.saturating_sub(OF_TAG);
    let whole = compared_tag.tag.as_str();
    let text = if whole.len() <= name_width {
        whole
    } else {
        compared_tag.tag.short()
    };
    vec![
        (cursor.to_owned(), Role::Focus),
        (fit(text, name_width), name),
        (format!(" {n_first} {n_second}"), Role::Text),
        (format!(" {:>7}", difference(delta).0), role),
        (
            format!(" {:>7}", p_text(compared_tag.p_adjusted)),
            Role::Dim,
        ),
    ]
}

/// Writes p as tables do, with three decimals: resampling gives no more.
pub(super) fn p_text(p: f64) -> String {
    if p < 0.001 {
        "<.001".to_owned()
    } else {
        share(p)
    }
}
