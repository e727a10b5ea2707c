//! Cells of tables about predictions, and lines in pieces, for the screens that have them.

use std::sync::atomic::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::screen::DrawContext;
use crate::task::Monitor;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, cut, cut_class, fit, pieces};

/// A line in pieces.
pub type StyledLine = Vec<(String, Role)>;

/// Pads a text to exactly `width` columns, numbers at the right.
#[must_use]
pub fn aligned(text: &str, width: usize, is_number: bool) -> String {
    if is_number {
        let text = cut(text, width);
        let missing = width.saturating_sub(text.width());
        format!("{}{text}", " ".repeat(missing))
    } else {
        fit(text, width)
    }
}

/// Cuts `Class.method` to at most `width` columns.
#[must_use]
pub fn short(name: &str, width: usize) -> String {
    match name.rsplit_once('.') {
        Some((class, method)) => cut_class(&visible(class), &visible(method), width),
        None => cut(&visible(name), width),
    }
}

/// Writes a value, 0..=1, as tables show it, always with three decimals: `.312`, `1.000`.
#[must_use]
pub fn share(value: f64) -> String {
    let text = format!("{value:.3}");
    match text.strip_prefix('0') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Writes a difference with its sign, and the role of its meaning.
#[must_use]
pub fn difference(delta: f64) -> (String, Role) {
    let (sign, role) = if delta > 5e-4 {
        ("+", Role::Good)
    } else if delta < -5e-4 {
        ("−", Role::Error)
    } else {
        ("", Role::Dim)
    };
    (format!("{sign}{}", share(delta.abs())), role)
}

/// Writes the progress of a question.
#[must_use]
pub fn progress(monitor: &Monitor) -> String {
    let progress = monitor.progress();
    if let Some(share) = progress.share().filter(|_| progress.n_parts_total > 0) {
        // 100 % is only for finished work.
        let percent = (share * 100.0).floor().min(99.0);
        return format!("{} {percent:.0} % · Esc stops", progress.phase.as_str());
    }
    let n_done =
        monitor.n_predictions.load(Ordering::Relaxed) + monitor.n_samples.load(Ordering::Relaxed);
    let n_all = monitor.n_predictions_total.load(Ordering::Relaxed)
        + monitor.n_samples_total.load(Ordering::Relaxed);
    if n_all == 0 {
        return format!("{} … · Esc stops", monitor.phase().as_str());
    }
    format!(
        "{} {} of {} · Esc stops",
        monitor.phase().as_str(),
        count(n_done.min(n_all)),
        count(n_all)
    )
}

/// Draws lines below each other, cut off where the area ends.
pub fn draw_lines<'l>(
    lines: impl Iterator<Item = &'l StyledLine>,
    area: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    for (line, y) in lines.zip(area.y..area.bottom()) {
        let row = Rect::new(area.x, y, area.width, 1);
        let mut room = usize::from(area.width);
        let mut parts = Vec::new();
        for (text, role) in line {
            let text = cut(text, room);
            room -= text.width();
            parts.push((text, *role));
        }
        let parts: Vec<(&str, Role)> = parts
            .iter()
            .map(|(text, role)| (text.as_str(), *role))
            .collect();
        pieces(row, &parts, buffer, context.theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_decimals_each() {
        for (value, expected) in [
            (0.3123, ".312"),
            (1.0, "1.000"),
            (0.0, ".000"),
            (0.9996, "1.000"),
        ] {
            assert_eq!(share(value), expected);
        }
        assert_eq!(difference(-0.42).0, "−.420");
        assert_eq!(difference(-1.0).0, "−1.000");
        assert_eq!(difference(0.1).0, "+.100");
        assert_eq!(difference(0.0).0, ".000");
    }
}
