//! Where the panes of Compare stand.

use ratatui::layout::Rect;

use crate::tui::keymap::Step;
use crate::tui::layout::{above, beside};
use crate::tui::screen::compare::{Compare, Focus, Pair, Upper};
use crate::tui::screen::sample::WIDTH_THREE;
use crate::tui::widget::difference::SIDE_WIDTH_MIN;
use crate::tui::widget::frame::inside;

/// Where panes stand; those that do not have no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Areas {
    pub(super) body: Rect,
    pub(super) summary: Rect,
    pub(super) slices: Rect,
    pub(super) histogram: Rect,
    pub(super) samples: Rect,
    /// Two where there is room for both against the ground truth.
    pub(super) differences: [(Pair, Rect); 2],
}

impl Areas {
    pub(super) fn all(&self) -> impl Iterator<Item = Rect> {
        let differences = self.differences.map(|it| it.1);
        let panes = [self.summary, self.slices, self.histogram, self.samples];
        panes.into_iter().chain(differences)
    }

    fn of(body: Rect, upper: Upper, pair: Pair, is_zoomed: bool) -> Self {
        let mut areas = Self {
            body,
            ..Self::default()
        };
        let height = body.height;
        let differences = if is_zoomed {
            areas.differences[0] = (pair, body);
            return areas;
        } else if body.width >= WIDTH_THREE {
            let [left, right] = beside(body, body.width * 46 / 100);
            let [summary, rest] = above(left, (height / 4).max(6));
            let [middle, samples] = above(rest, (height / 4).max(6));
            (areas.summary, areas.samples) = (summary, samples);
            [areas.slices, areas.histogram] = beside(middle, middle.width / 2);
            right
        } else if body.width >= SIDE_WIDTH_MIN {
            let [upper, rest] = above(body, (height * 3 / 10).clamp(4, 12));
            let [middle, lower] = above(rest, (height * 3 / 10).max(4));
            [areas.summary, areas.slices] = beside(upper, (body.width * 52 / 100).max(60));
            [areas.samples, areas.histogram] = beside(middle, body.width * 3 / 5);
            lower
        } else {
            let [above_samples, rest] = above(body, (height * 3 / 10).clamp(4, 10));
            let lower = height * 3 / 8;
            let [samples, lower] = above(rest, rest.height.saturating_sub(lower));
            areas.samples = samples;
            match upper {
                Upper::Summary => areas.summary = above_samples,
                Upper::Slices => areas.slices = above_samples,
                Upper::Histogram => areas.histogram = above_samples,
            }
            lower
        };
        areas.differences[0] = (pair, differences);
        if body.width >= WIDTH_THREE && pair != Pair::FirstSecond {
            let [first, second] = above(differences, differences.height / 2);
            areas.differences = [(Pair::TruthFirst, first), (Pair::TruthSecond, second)];
        }
        areas
    }
}

impl Compare {
    pub fn arrange(&mut self, body: Rect, wraps: bool) {
        self.areas = Areas::of(body, self.upper, self.pair, self.is_zoomed);
        // One row is the table's head.
        let n_rows = usize::from(inside(self.areas.samples).height.saturating_sub(1));
        self.pages.resize(n_rows);
        for (pair, area) in self.areas.differences {
            if !area.is_empty() {
                self.views[pair as usize].arrange(inside(area), wraps);
            }
        }
        if !self.is_zoomed && !self.stops().contains(&self.focus) {
            self.focus = Focus::Samples;
        }
    }

    /// Returns what can have the focus now, in its order.
    fn stops(&self) -> Vec<Focus> {
        let areas = &self.areas;
        let stops = [
            (Focus::Samples, areas.samples),
            (Focus::Difference, areas.differences[0].1),
            (Focus::Summary, areas.summary),
            (Focus::Slices, areas.slices),
        ];
        let visible = stops.into_iter().filter(|it| !it.1.is_empty());
        visible.map(|it| it.0).collect()
    }

    pub fn turn_focus(&mut self, step: Step) {
        let stops = self.stops();
        let n = stops.len().max(1);
        let at = stops.iter().position(|it| *it == self.focus).unwrap_or(0);
        let next = match step {
            Step::Next => (at + 1) % n,
            Step::Previous => (at + n - 1) % n,
        };
        self.focus = stops.get(next).copied().unwrap_or_default();
    }

    /// Shows the next thing above the samples, where there is room for one.
    pub fn turn_upper(&mut self) {
        let had_focus = matches!(self.focus, Focus::Summary | Focus::Slices);
        self.upper = match self.upper {
            Upper::Summary => Upper::Slices,
            Upper::Slices => Upper::Histogram,
            Upper::Histogram => Upper::Summary,
        };
        if had_focus {
            self.focus = match self.upper {
                Upper::Summary => Focus::Summary,
                Upper::Slices => Focus::Slices,
                Upper::Histogram => Focus::Samples,
            };
        }
    }
}
