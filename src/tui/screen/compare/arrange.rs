//! The layout of Compare's panes.

use ratatui::layout::Rect;

use crate::keymap::StepDirection;
use crate::layout::{above, beside};
use crate::screen::compare::{Compare, CompareFocus, CompareUpperPane, TextPair};
use crate::screen::sample::WIDTH_THREE;
use crate::widget::difference::SIDE_WIDTH_MIN;
use crate::widget::frame::inside;

/// The areas of panes; an invisible pane has an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CompareAreas {
    pub(super) body: Rect,
    pub(super) summary: Rect,
    pub(super) slices: Rect,
    pub(super) histogram: Rect,
    pub(super) samples: Rect,
    /// The area for the differences and the code around the answers.
    pub(super) lower: Rect,
    /// Two differences where there is room for both against the ground truth.
    pub(super) differences: [(TextPair, Rect); 2],
}

impl CompareAreas {
    pub(super) fn all(&self) -> impl Iterator<Item = Rect> {
        [
            self.summary,
            self.slices,
            self.histogram,
            self.samples,
            self.lower,
        ]
        .into_iter()
    }

    pub(super) fn of(body: Rect, upper: CompareUpperPane, pair: TextPair, is_zoomed: bool) -> Self {
        let mut areas = Self {
            body,
            ..Self::default()
        };
        let height = body.height;
        areas.lower = if is_zoomed {
            body
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
                CompareUpperPane::Summary => areas.summary = above_samples,
                CompareUpperPane::Slices => areas.slices = above_samples,
                CompareUpperPane::Histogram => areas.histogram = above_samples,
            }
            lower
        };
        areas.put_differences(areas.lower, pair, is_zoomed);
        areas
    }

    /// Gives the differences their areas: both against the ground truth, one above the other, if they are in view and
    /// there is room.
    pub(super) fn put_differences(&mut self, area: Rect, pair: TextPair, is_zoomed: bool) {
        let has_width = self.body.width >= WIDTH_THREE;
        self.differences = if has_width && !is_zoomed && pair != TextPair::FirstSecond {
            let [first, second] = above(area, area.height / 2);
            [
                (TextPair::TruthFirst, first),
                (TextPair::TruthSecond, second),
            ]
        } else {
            [(pair, area), Default::default()]
        };
    }

    /// Iterates over the differences that have rows.
    pub(super) fn visible_differences(&self) -> impl Iterator<Item = (TextPair, Rect)> + use<> {
        self.differences
            .into_iter()
            .filter(|difference| !difference.1.is_empty())
    }
}

impl Compare {
    pub(super) fn arrange_differences(&mut self, wraps: bool) {
        for (pair, area) in self.areas.visible_differences() {
            self.views[pair as usize].arrange(inside(area), wraps);
        }
    }

    /// Computes the inner rows that a pane needs for the differences in full; without a sample, more than any pane has.
    pub(super) fn n_rows_of_differences(&self) -> usize {
        if !self.has_any() {
            return usize::MAX;
        }
        let visible = self.areas.visible_differences();
        let rows = visible.map(|visible| self.views[visible.0 as usize].n_rows());
        let rows: Vec<usize> = rows.collect();
        let n_most = rows.iter().copied().max().unwrap_or(0);
        // Panes are equally high; the borders of neighbours lie between the first row and the last.
        rows.len() * n_most + 2 * rows.len().saturating_sub(1)
    }

    /// Tells whether a sample's texts are shown.
    pub(super) fn has_any(&self) -> bool {
        self.shown.is_some() && !self.pages.is_empty()
    }

    /// Lists the panes that can have the focus now, in the order of the focus.
    pub(super) fn stops(&self) -> Vec<CompareFocus> {
        let areas = &self.areas;
        let stops = [
            (CompareFocus::Samples, areas.samples),
            (CompareFocus::Difference, areas.differences[0].1),
            (CompareFocus::Summary, areas.summary),
            (CompareFocus::Slices, areas.slices),
            // It comes last because it comes and goes with the sample; the way between the others stays the same.
            (CompareFocus::Around, self.around.area()),
        ];
        let visible = stops.into_iter().filter(|stop| !stop.1.is_empty());
        visible.map(|visible| visible.0).collect()
    }

    pub fn turn_focus(&mut self, step: StepDirection) {
        let stops = self.stops();
        let at = stops
            .iter()
            .position(|stop| *stop == self.focus)
            .unwrap_or(0);
        self.focus = stops
            .get(step.around(at, stops.len()))
            .copied()
            .unwrap_or_default();
    }

    /// Turns to the next pane above the samples, where there is room for only one.
    pub fn turn_upper(&mut self) {
        let had_focus = matches!(self.focus, CompareFocus::Summary | CompareFocus::Slices);
        self.upper = match self.upper {
            CompareUpperPane::Summary => CompareUpperPane::Slices,
            CompareUpperPane::Slices => CompareUpperPane::Histogram,
            CompareUpperPane::Histogram => CompareUpperPane::Summary,
        };
        if had_focus {
            self.focus = match self.upper {
                CompareUpperPane::Summary => CompareFocus::Summary,
                CompareUpperPane::Slices => CompareFocus::Slices,
                CompareUpperPane::Histogram => CompareFocus::Samples,
            };
        }
    }
}
