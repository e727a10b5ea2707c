//! The numbers of Compare: every metric with the certainty of its difference, and the distribution of differences.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chart::{Axis, Figure, Glyphs, Series, SeriesShape};
use crate::eval::pairing::refine::N_RESAMPLES;
use crate::eval::pairing::{Histogram, PairedComparison};
use crate::metric::paired::Tally;
use crate::screen::DrawContext;
use crate::screen::cells::{StyledLine, difference, draw_lines, share};
use crate::screen::compare::sliced::p_text;
use crate::screen::compare::{Compare, CompareFocus, RefinementState};
use crate::screen::runs::table::{metric_title, pair_title};
use crate::theme::Role;
use crate::widget::chart;
use crate::widget::frame::{Pane, count, fit, inside};

/// From this number of inner rows on, better, same and worse have a row each.
const BARS_HEIGHT_MIN: usize = 8;
/// The columns of a row besides the name of the metric.
const NUMBERS: usize = 49;

impl Compare {
    pub(super) fn draw_summary(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let area = inside(self.areas.summary);
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let bars = self.bars(width, height);
        let has_head = height > bars.len() + 1;
        let name_width = width.saturating_sub(NUMBERS).clamp(5, 16);
        let n_rows = height.saturating_sub(bars.len() + usize::from(has_head));
        let cursor = self.metric_idx().unwrap_or(0);
        let top = (cursor + 1).saturating_sub(n_rows);
        let mut note = self.exactness();
        let n_below = self.summary.len().saturating_sub(top + n_rows);
        if n_below > 0 {
            let gap = if note.is_empty() { "" } else { " · " };
            note = format!("{note}{gap}↓{n_below}");
        }
        let pane = Pane {
            title: "summary",
            note: &note,
            has_focus: self.focus == CompareFocus::Summary,
        };
        pane.draw(self.areas.summary, buffer, context.theme);
        let mut lines: Vec<StyledLine> = Vec::new();
        if has_head {
            let (first, second) = ('A', 'B');
            let head = format!(
                "  {} {first:>6} {second:>6} {:>6}  {:<16}  {:>6}",
                fit("metric", name_width),
                "Δ",
                "95 % interval",
                "p"
            );
            lines.push(vec![(head, Role::Dim)]);
        }
        let rows = self.summary.iter().enumerate().skip(top).take(n_rows);
        lines.extend(rows.map(|(idx, paired_comparison)| {
            metric_line(paired_comparison, idx == cursor, name_width)
        }));
        if self.summary.is_empty() {
            let text = match &self.selection {
                Some(selection) if selection.is_empty() => " no sample passes the filter",
                _ => " …",
            };
            lines.push(vec![(text.to_owned(), Role::Dim)]);
        }
        lines.resize(height.saturating_sub(bars.len()), StyledLine::new());
        lines.extend(bars);
        draw_lines(lines.iter(), area, buffer, context);
        if !self.summary.is_empty() {
            let role = match self.focus {
                CompareFocus::Summary => Role::Selected,
                _ => Role::Marked,
            };
            let y = area.y + u16::from(has_head) + (cursor - top) as u16;
            if n_rows > 0 && y < area.bottom() {
                let row = Rect::new(area.x, y, area.width, 1);
                buffer.set_style(row, context.theme.style(role));
            }
        }
    }

    /// Tells how exact interval and p are so far.
    fn exactness(&self) -> String {
        let comparison = self.metric_idx().and_then(|idx| self.summary.get(idx));
        match comparison.map(|paired_comparison| paired_comparison.n_resamples) {
            None => String::new(),
            Some(0) => "≈ standard error".to_owned(),
            Some(n) => {
                let is_drawn = |n: u32| n >= N_RESAMPLES;
                let end = match self.drawing {
                    _ if self
                        .summary
                        .iter()
                        .all(|paired_comparison| is_drawn(paired_comparison.n_resamples)) =>
                    {
                        ""
                    }
                    // Of this metric, or of others: one state stands for all.
                    RefinementState::Open => " …",
                    RefinementState::Done | RefinementState::Stopped if is_drawn(n) => "",
                    RefinementState::Done | RefinementState::Stopped => ", stopped",
                };
                format!("{} resamples{end}", count(u64::from(n)))
            }
        }
    }

    /// Draws how many samples are better, the same and worse: three rows, or one where there is no room.
    fn bars(&self, width: usize, height: usize) -> Vec<StyledLine> {
        let Some(ordered) = &self.ordered else {
            return Vec::new();
        };
        let tally = ordered.histogram.tally();
        let parts = [
            ("better", tally.n_better, Role::Good),
            ("same", tally.n_same, Role::Dim),
            ("worse", tally.n_worse, Role::Error),
        ];
        if height < BARS_HEIGHT_MIN {
            return vec![one_bar(tally, width)];
        }
        let most = parts.iter().map(|part| part.1).max().unwrap_or(0).max(1);
        let room = width.saturating_sub(20);
        let line = |(word, n, role): (&str, u64, Role)| {
            let n_cells = n_cells(n, most, room);
            vec![
                (format!("  {word:<7}{:>9}  ", count(n)), Role::Text),
                ("█".repeat(n_cells), role),
            ]
        };
        parts.map(line).into()
    }

    pub(super) fn draw_histogram(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let tally = self
            .ordered
            .as_ref()
            .map(|difference_order| difference_order.histogram.tally());
        let note = tally.map_or_else(String::new, |tally| {
            format!("{} the same, not drawn", count(tally.n_same))
        });
        let pane = Pane {
            title: "differences",
            note: &note,
            has_focus: false,
        };
        pane.draw(self.areas.histogram, buffer, context.theme);
        let area = inside(self.areas.histogram);
        let Some(ordered) = &self.ordered else {
            return;
        };
        if ordered.histogram.bound > 0.0 {
            let metric = pair_title(ordered.aim.metric);
            let figure = figure(&ordered.histogram, &metric, usize::from(area.width));
            chart::draw(&figure, Glyphs::Blocks, area, buffer, context.theme);
        } else {
            let line = vec![(" no sample differs".to_owned(), Role::Dim)];
            draw_lines(std::iter::once(&line), area, buffer, context);
        }
    }
}

/// Computes the share of `room` cells for `n` out of `most`; anything above 0 gets at least one cell.
fn n_cells(n: u64, most: u64, room: usize) -> usize {
    let most = most.max(1);
    let n_cells = ((n * room as u64 + most / 2) / most) as usize;
    n_cells.max(usize::from(n > 0)).min(room)
}

fn one_bar(tally: Tally, width: usize) -> StyledLine {
    let all = tally.n_better + tally.n_same + tally.n_worse;
    let mut line = StyledLine::new();
    let words = [
        ("better", tally.n_better, Role::Good, "█"),
        ("same", tally.n_same, Role::Dim, "░"),
        ("worse", tally.n_worse, Role::Error, "▓"),
    ];
    let used: usize = words
        .iter()
        .map(|word| word.0.len() + count(word.1).len() + 4)
        .sum();
    let room = width.saturating_sub(used + 1);
    for (word, n, role, glyph) in words {
        line.push((format!("  {word} {} ", count(n)), Role::Text));
        line.push((glyph.repeat(n_cells(n, all, room)), role));
    }
    line
}

fn metric_line(
    paired_comparison: &PairedComparison,
    is_selected: bool,
    name_width: usize,
) -> StyledLine {
    let cursor = if is_selected { "▌ " } else { "  " };
    let (delta, role) = difference(paired_comparison.difference);
    // An interval that includes 0 means that the difference may be chance, whatever its sign.
    let is_sure = paired_comparison.interval.0 > 0.0 || paired_comparison.interval.1 < 0.0;
    let role = if is_sure { role } else { Role::Dim };
    let about = if paired_comparison.n_resamples == 0 {
        "≈"
    } else {
        " "
    };
    let (low, high) = (
        difference(paired_comparison.interval.0).0,
        difference(paired_comparison.interval.1).0,
    );
    let interval = format!("[{low}, {high}]");
    vec![
        (cursor.to_owned(), Role::Focus),
        (
            fit(&metric_title(paired_comparison.of.id), name_width),
            Role::Text,
        ),
        (
            format!(
                " {:>6} {:>6}",
                share(paired_comparison.first),
                share(paired_comparison.second)
            ),
            Role::Text,
        ),
        (format!(" {delta:>6} "), role),
        (format!("{about}{interval:<16}"), Role::Text),
        (
            format!(" {about}{:>6}", p_text(paired_comparison.p)),
            Role::Text,
        ),
    ]
}

/// Draws losses to the left of 0 and gains to the right.
fn figure(histogram: &Histogram, metric: &str, width: usize) -> Figure {
    let step = histogram.width();
    let n = histogram.better.len();
    let edges: Vec<f64> = (0..=n).map(|idx| idx as f64 * step).collect();
    let to_left = edges.iter().rev().map(|edge| -edge).collect();
    let values =
        |counts: &[u64]| -> Vec<f64> { counts.iter().map(|count| *count as f64).collect() };
    let mut worse = values(&histogram.worse);
    worse.reverse();
    let label = if width >= 30 {
        format!("Δ {metric}")
    } else {
        String::new()
    };
    Figure {
        x: Axis::new(&label, "").with_range(-histogram.bound, histogram.bound),
        y: Axis::count("samples"),
        series: vec![
            Series::new(
                "better",
                SeriesShape::Histogram {
                    edges,
                    values: values(&histogram.better),
                },
            ),
            Series::new(
                "worse",
                SeriesShape::Histogram {
                    edges: to_left,
                    values: worse,
                },
            ),
        ],
        ..Figure::default()
    }
}
