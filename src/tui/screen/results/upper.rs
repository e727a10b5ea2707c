//! The views that replace the list: the computation of a value, groups with counts, the nearest training samples.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::leakage::Neighbour;
use crate::metric::explain::Explanation;
use crate::model::{ResultGroup, ResultRow, Tags, percent};
use crate::screen::cells::{StyledLine, difference, draw_lines, progress, share};
use crate::screen::results::{Results, ResultsFocus};
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, fit};

impl Results {
    /// Counts the lines of the computation.
    pub(super) fn breakdown_len(&self) -> usize {
        self.breakdown().len()
    }

    /// Writes the tags with their evidence, then the computation of the value.
    fn breakdown(&self) -> Vec<StyledLine> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        lines.extend(people_lines(&shown.detail.row));
        for (idx, evidence) in shown.evidence.iter().enumerate() {
            let tags = |from: usize, to: usize| {
                shown.evidence[from..to].iter().map(|evidence| evidence.tag)
            };
            let nth = tags(0, idx).filter(|tag| *tag == evidence.tag).count();
            if nth == EVIDENCE_MAX {
                let rest = tags(idx, shown.evidence.len());
                let n_more = rest.filter(|tag| *tag == evidence.tag).count();
                let label = format!("{:<20}", evidence.tag.as_str());
                let text = format!("… and {n_more} more");
                lines.push(vec![(label, Role::Warning), (text, Role::Dim)]);
            }
            if nth >= EVIDENCE_MAX {
                continue;
            }
            lines.push(vec![
                (format!("{:<20}", evidence.tag.as_str()), Role::Warning),
                (visible(&evidence.text), Role::Text),
            ]);
        }
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        let Some(explanation) = &shown.explanation else {
            let text = match shown.detail.reference {
                Some(_) => super::NOT_EVALUATED,
                None => "no ground truth to compare with",
            };
            lines.push(vec![(text.to_owned(), Role::Dim)]);
            return lines;
        };
        lines.extend(why_not_whole(explanation));
        let label = |arithmetic_step: &crate::metric::explain::ArithmeticStep| {
            usize::from(arithmetic_step.depth) * 2 + arithmetic_step.label.width()
        };
        let width = explanation.steps.iter().map(label).max().unwrap_or(0);
        for step in &explanation.steps {
            let indent = "  ".repeat(usize::from(step.depth));
            let label = fit(&format!("{indent}{}", step.label), width);
            let role = if step.depth == 0 {
                Role::Strong
            } else {
                Role::Text
            };
            lines.push(vec![
                (format!("{label}  "), Role::Text),
                (format!("{:>9}", step.value), role),
                (format!("   {}", step.formula), Role::Dim),
            ]);
        }
        let n_tokens: f64 = explanation.costs.iter().map(|cost| cost.cost).sum();
        lines.push(vec![(
            format!(
                "{} scored + {} lost by marked tokens + {} by none = 1",
                share(explanation.value),
                share(n_tokens),
                share(explanation.rest)
            ),
            Role::Dim,
        )]);
        lines
    }

    pub(super) fn draw_breakdown(
        &self,
        area: Rect,
        top: usize,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let lines = self.breakdown();
        let shown = lines.iter().skip(top);
        draw_lines(shown, area, buffer, context);
        let n_below = lines.len().saturating_sub(top + usize::from(area.height));
        if n_below > 0 && !area.is_empty() {
            let text = format!("↓{n_below} more ");
            let x = area.right().saturating_sub(text.width() as u16);
            let y = area.bottom() - 1;
            buffer.set_string(x, y, text, context.theme.style(Role::Dim));
        }
    }

    pub(super) fn draw_groups(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let groups = match &self.groups {
            AnswerState::Ready(groups) => groups,
            other => return self.draw_waiting(other, area, buffer, context),
        };
        let has_delta = groups.iter().any(|group| group.mean_delta.is_some());
        let room = usize::from(area.width);
        let has_bar = room >= GROUP_WIDTH + BAR + 2 + GROUP_NAME_MIN;
        let taken = GROUP_WIDTH + if has_bar { BAR + 2 } else { 0 };
        let name_width = groups
            .iter()
            .map(|group| visible(&group.name).width())
            .max();
        let most = room.saturating_sub(taken).clamp(8, 40);
        let name_width = name_width.unwrap_or(0).clamp(8, most);
        let bar = if has_bar { BAR + 2 } else { 0 };
        let head = format!(
            "  {} {:>9} {:>7}{:bar$} {:>7} {:>6} {:>7}",
            fit("", name_width),
            "n",
            "share",
            "",
            "unpars.",
            "mean",
            if has_delta { "Δ" } else { "" }
        );
        let head = std::iter::once(vec![(head, Role::Dim)]);
        let height = usize::from(area.height.saturating_sub(1)).max(1);
        let top = (self.group_cursor + 1).saturating_sub(height);
        let rows = groups.iter().enumerate().skip(top).map(|(idx, group)| {
            let cursor = if idx == self.group_cursor {
                "▌ "
            } else {
                "  "
            };
            group_line(group, cursor, (name_width, has_bar))
        });
        let lines: Vec<StyledLine> = head.chain(rows).collect();
        draw_lines(lines.iter(), area, buffer, context);
        self.mark(area, self.group_cursor - top, buffer, context);
    }

    pub(super) fn draw_nearest(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let nearest = match &self.nearest {
            AnswerState::Ready(nearest) => nearest,
            other => return self.draw_waiting(other, area, buffer, context),
        };
        let head = format!(
            "  {:>6} {:>6} {:>6}  {:<10} {}",
            "mean", "test", "focal", "split", "training sample"
        );
        let head = std::iter::once(vec![(head, Role::Dim)]);
        let height = usize::from(area.height.saturating_sub(1)).max(1);
        let top = (self.nearest_cursor + 1).saturating_sub(height);
        let rows = nearest.neighbours.iter().enumerate().skip(top);
        let rows = rows.map(|(idx, neighbour)| {
            let cursor = if idx == self.nearest_cursor {
                "▌ "
            } else {
                "  "
            };
            neighbour_line(neighbour, cursor)
        });
        let mut lines: Vec<StyledLine> = head.chain(rows).collect();
        if nearest.neighbours.is_empty() {
            lines.push(vec![(
                "  there are no training samples".to_owned(),
                Role::Warning,
            )]);
        }
        draw_lines(lines.iter(), area, buffer, context);
        self.mark(area, self.nearest_cursor - top, buffer, context);
    }

    /// Marks the row of the cursor, counted from below the head.
    fn mark(&self, area: Rect, idx: usize, buffer: &mut Buffer, context: DrawContext<'_>) {
        let y = area.y + 1 + idx as u16;
        if y < area.bottom() {
            let role = if self.focus == ResultsFocus::Upper {
                Role::Selected
            } else {
                Role::Marked
            };
            let row = Rect::new(area.x, y, area.width, 1);
            buffer.set_style(row, context.theme.style(role));
        }
    }

    fn draw_waiting<T>(
        &self,
        state: &AnswerState<T>,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let (text, role) = if let AnswerState::Failed(text) = state {
            (text.clone(), Role::Error)
        } else {
            let watched = self.watched.as_ref();
            let text = watched.map_or_else(String::new, |question_monitor| {
                progress(&question_monitor.0)
            });
            (text, Role::Dim)
        };
        let line = vec![(format!(" {text}"), role)];
        draw_lines(std::iter::once(&line), area, buffer, context);
    }
}

/// Writes people's tags beside the machine's, with additions and removals; nothing without people's tags.
fn people_lines(row: &ResultRow) -> Vec<StyledLine> {
    let Some(people) = row.people else {
        return Vec::new();
    };
    let line = |label: &str, tags: Tags, role| {
        let text = if tags.is_empty() {
            "none".to_owned()
        } else {
            tags.to_string()
        };
        vec![(format!("{label:<20}"), Role::Dim), (text, role)]
    };
    let mut lines = vec![
        line("✎ people", people, Role::Strong),
        line("machine", row.tags, Role::Text),
    ];
    let (more, less) = (Tags(people.0 & !row.tags.0), Tags(row.tags.0 & !people.0));
    if !more.is_empty() {
        lines.push(line("added by people", more, Role::Good));
    }
    if !less.is_empty() {
        lines.push(line("removed by people", less, Role::Error));
    }
    if people == row.tags {
        lines.push(vec![("both say the same".to_owned(), Role::Dim)]);
    }
    lines
}

const BAR: usize = 16;
/// The columns of a group's numbers, with the cursor.
const GROUP_WIDTH: usize = 2 + 10 + 8 + 8 + 7 + 8;
const GROUP_NAME_MIN: usize = 20;

/// The most reasons that are shown for one tag.
const EVIDENCE_MAX: usize = 3;

/// Explains a value below 1 of a prediction in which nothing costs anything: the ground truth itself does not get more.
fn why_not_whole(explanation: &Explanation) -> Option<StyledLine> {
    let ceiling = explanation
        .steps
        .iter()
        .find(|step| step.label == "ceiling")?;
    if explanation.value >= 1.0 || !explanation.costs.is_empty() {
        return None;
    }
    let value = share(explanation.value);
    let text = format!(
        "nothing differs, and no answer has more than {value} here: {}",
        ceiling.formula
    );
    Some(vec![(text, Role::Warning)])
}

/// Computes the columns of a share, 0..=1, out of `width`.
#[expect(clippy::cast_sign_loss, reason = "it is clamped to what fits")]
fn part_of(width: usize, share: f64) -> usize {
    (share.clamp(0.0, 1.0) * width as f64).round() as usize
}

fn group_line(
    group: &ResultGroup,
    cursor: &str,
    (name_width, has_bar): (usize, bool),
) -> StyledLine {
    let n_full = part_of(BAR, group.share).min(BAR);
    let unparsable = if group.n_read == 0 {
        "–".to_owned()
    } else {
        percent(group.n_unparsable as f64 / group.n_read as f64, 1)
    };
    let mean = group.mean.map_or_else(|| "–".to_owned(), share);
    let (delta, role) = group
        .mean_delta
        .map_or_else(|| (String::new(), Role::Dim), difference);
    let mut line = vec![
        (cursor.to_owned(), Role::Focus),
        (fit(&visible(&group.name), name_width), Role::Text),
        (format!(" {:>9}", count(group.n_predictions)), Role::Text),
        (format!(" {:>7}", percent(group.share, 1)), Role::Dim),
    ];
    if has_bar {
        line.push((format!("  {}", "█".repeat(n_full)), Role::Gauge));
        line.push(("·".repeat(BAR - n_full), Role::GaugeRest));
    }
    line.extend([
        (format!(" {unparsable:>7}"), Role::Dim),
        (format!(" {mean:>6}"), Role::Text),
        (format!(" {delta:>7}"), role),
    ]);
    line
}

fn neighbour_line(neighbour: &Neighbour, cursor: &str) -> StyledLine {
    let side = &neighbour.side;
    let focal = neighbour
        .similarity
        .focal
        .map_or_else(|| "–".to_owned(), share);
    let split = side.split.map_or("", |split| split.as_str());
    let name = format!(
        "{} · {} · {}",
        side.test,
        side.focal.as_deref().unwrap_or("–"),
        side.repo
    );
    vec![
        (cursor.to_owned(), Role::Focus),
        (format!("{:>6}", share(neighbour.mean)), Role::Strong),
        (
            format!(" {:>6}", share(neighbour.similarity.test)),
            Role::Text,
        ),
        (format!(" {focal:>6}  "), Role::Text),
        (format!("{split:<10} "), Role::Dim),
        (visible(&name), Role::Text),
    ]
}
