//! The places of test and focal method: beside or above each other, chosen for each sample.
//!
//! Decides the split that shows the most whole lines of both, and keeps the previous kind unless another is clearly
//! better, so that the screen does not jump between similar samples.

use ratatui::layout::Rect;

use crate::text::Doc;
use crate::widget::code::{n_lines_visible, n_rows_up_to};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Side by side; the first takes this percentage of the width.
    Side(u16),
    /// One above the other; the first takes this number of rows.
    Stacked(u16),
}

/// A change of kind must gain this number of lines.
const HYSTERESIS: usize = 3;
const SHARES: [u16; 3] = [50, 42, 58];
/// Longer texts count as this many times the available height.
const N_SCREENS_MAX: u16 = 16;
/// A pane keeps at least its border and three rows.
const HEIGHT_MIN: u16 = 5;

impl Split {
    /// Splits an area into the two.
    #[must_use]
    pub fn areas(self, area: Rect) -> [Rect; 2] {
        match self {
            Self::Side(share) => {
                let width = (u32::from(area.width) * u32::from(share) / 100) as u16;
                beside(area, width)
            }
            Self::Stacked(height) => above(area, height),
        }
    }
}

/// Cuts an area into a left part of `width` columns and the rest.
#[must_use]
pub fn beside(area: Rect, width: u16) -> [Rect; 2] {
    let width = width.min(area.width);
    [
        Rect { width, ..area },
        Rect {
            x: area.x + width,
            width: area.width - width,
            ..area
        },
    ]
}

/// Cuts an area into an upper part of `height` rows and the rest.
#[must_use]
pub fn above(area: Rect, height: u16) -> [Rect; 2] {
    let height = height.min(area.height);
    [
        Rect { height, ..area },
        Rect {
            y: area.y + height,
            height: area.height - height,
            ..area
        },
    ]
}

/// Computes the rows of the upper of two stacked panes: what it needs, while the lower gets what it needs; when both
/// cannot, in proportion to their needs.
#[must_use]
pub fn stacked_height(area: Rect, upper: &Doc, lower: &Doc) -> u16 {
    // Beyond many screens, the exact length makes no difference.
    let most = area.height.saturating_mul(N_SCREENS_MAX);
    let needs = |doc: &Doc| u32::from(n_rows_up_to(doc, area.width.saturating_sub(2), most)) + 2;
    let (upper, lower) = (needs(upper), needs(lower));
    let height = u32::from(area.height);
    let share = if upper + lower <= height {
        // Spare rows go to the upper pane: the test is read first.
        height - lower
    } else {
        height * upper / (upper + lower)
    };
    let most = area.height.saturating_sub(HEIGHT_MIN);
    (share as u16).clamp(HEIGHT_MIN.min(most), most)
}

/// Finds the best split of `area`; `previous` is kept in kind unless another kind shows clearly more.
#[must_use]
pub fn best_split(area: Rect, test: &Doc, focal: &Doc, previous: Option<Split>) -> Split {
    let stacked = Split::Stacked(stacked_height(area, test, focal));
    let score = |split: Split| {
        let [first, second] = split.areas(area);
        visible(test, first) + visible(focal, second)
    };
    let mut side = (Split::Side(SHARES[0]), score(Split::Side(SHARES[0])));
    for share in &SHARES[1..] {
        let split = Split::Side(*share);
        let n_lines = score(split);
        if n_lines > side.1 {
            side = (split, n_lines);
        }
    }
    // On a tie they stand beside each other, which the eye prefers.
    let (mut side_score, mut stacked_score) = (side.1 + 1, score(stacked));
    match previous {
        Some(Split::Side(_)) => side_score += HYSTERESIS,
        Some(Split::Stacked(_)) => stacked_score += HYSTERESIS,
        None => {}
    }
    if side_score > stacked_score {
        side.0
    } else {
        stacked
    }
}

fn visible(doc: &Doc, pane: Rect) -> usize {
    n_lines_visible(
        doc,
        pane.width.saturating_sub(2),
        pane.height.saturating_sub(2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Snippet;

    fn doc(n_lines: usize, width: usize) -> Doc {
        let mut doc = Doc::default();
        doc.push_snippet(&Snippet {
            key: String::new(),
            package: None,
            path: String::new(),
            first_line: 1,
            name_line: 1,
            text: vec!["x".repeat(width); n_lines].join("\n"),
            marks: Vec::new(),
        });
        doc
    }

    #[test]
    fn long_and_narrow_methods_stand_side_by_side() {
        let area = Rect::new(0, 0, 120, 30);
        assert_eq!(
            best_split(area, &doc(26, 40), &doc(26, 40), None),
            Split::Side(50)
        );
    }

    #[test]
    fn short_and_wide_methods_are_stacked() {
        let area = Rect::new(0, 0, 120, 30);
        let split = best_split(area, &doc(12, 105), &doc(10, 105), None);
        assert!(matches!(split, Split::Stacked(_)), "{split:?}");
    }

    #[test]
    fn a_small_gain_does_not_turn_the_screen_round() {
        let area = Rect::new(0, 0, 120, 12);
        let (test, focal) = (doc(5, 40), doc(4, 40));
        assert!(matches!(
            best_split(area, &test, &focal, None),
            Split::Side(_)
        ));
        let stacked = Some(Split::Stacked(6));
        assert!(matches!(
            best_split(area, &test, &focal, stacked),
            Split::Stacked(_)
        ));
    }

    #[test]
    fn stacked_panes_share_what_there_is() {
        let area = Rect::new(0, 0, 80, 20);
        assert_eq!(stacked_height(area, &doc(3, 10), &doc(4, 10)), 14);
        assert_eq!(stacked_height(area, &doc(50, 10), &doc(50, 10)), 10);
        assert_eq!(stacked_height(area, &doc(500, 10), &doc(1, 10)), 15);
    }
}
