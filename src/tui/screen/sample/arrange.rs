//! The layout of a sample's panes for reading, by the width of the screen.

use ratatui::layout::Rect;

use crate::layout::{above, beside, best_split, stacked_height};
use crate::screen::docs;
use crate::screen::sample::{SamplePane, SampleScreen};
use crate::widget::code::n_rows_up_to;

/// The least height in which a context is of use.
const CONTEXT_HEIGHT_MIN: u16 = 7;

impl SampleScreen {
    /// Lays out one column. The lower pane shows the focal method or, once one of them has had the focus, a context.
    pub(super) fn one_column(&self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let lower = if self.shared == SamplePane::Test {
            SamplePane::Focal
        } else {
            self.shared
        };
        let most = if self.focus == SamplePane::Candidates {
            8
        } else {
            3
        };
        let strip_height = self.n_candidates().clamp(1, most) + 2;
        let strip_height = if body.height < 18 && self.focus != SamplePane::Candidates {
            0
        } else {
            strip_height.min(body.height / 2)
        };
        let [methods, strip] = above(body, body.height - strip_height);
        let height = stacked_height(methods, self.doc(SamplePane::Test), self.doc(lower));
        let [first, second] = above(methods, height);
        let mut areas = vec![(SamplePane::Test, first), (lower, second)];
        if strip_height > 0 {
            areas.push((SamplePane::Candidates, strip));
        }
        areas
    }

    pub(super) fn two_columns(&mut self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let context = match self.shared {
            SamplePane::FocalContext => SamplePane::FocalContext,
            _ => SamplePane::SetupContext,
        };
        let is_open = matches!(
            self.focus,
            SamplePane::SetupContext | SamplePane::FocalContext
        );
        let wanted = n_rows_up_to(self.doc(context), body.width / 2 - 2, body.height);
        let wanted = wanted.max(self.n_candidates()) + 2;
        let share = if is_open {
            body.height / 2
        } else {
            body.height * 3 / 10
        };
        // Rows that short methods do not need go to the context.
        let needs = |pane| n_rows_up_to(self.doc(pane), body.width / 2 - 2, body.height);
        let needed = needs(SamplePane::Test).max(needs(SamplePane::Focal)) + 2;
        let most = share.max(body.height.saturating_sub(needed.max(8)));
        let strip_height = wanted.clamp(5.min(most), most);
        let [methods, strip] = above(body, body.height - strip_height);
        let split = best_split(
            methods,
            self.doc(SamplePane::Test),
            self.doc(SamplePane::Focal),
            self.split,
        );
        self.split = Some(split);
        let [test, focal] = split.areas(methods);
        let [left, right] = beside(strip, body.width / 2);
        let mut areas = vec![
            (SamplePane::Test, test),
            (SamplePane::Focal, focal),
            (context, left),
            (SamplePane::Candidates, right),
        ];
        // Where the candidates leave room, the other context stands below them.
        let [candidates, rest] = above(right, self.n_candidates().max(1) + 2);
        if rest.height >= CONTEXT_HEIGHT_MIN {
            areas.truncate(2);
            areas.extend([
                (SamplePane::SetupContext, left),
                (SamplePane::Candidates, candidates),
                (SamplePane::FocalContext, rest),
            ]);
        }
        areas
    }

    pub(super) fn three_columns(&mut self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let [test, rest] = beside(body, body.width * 36 / 100);
        let [focal, last] = beside(rest, body.width * 36 / 100);
        let cut = |area, upper, lower| {
            above(area, stacked_height(area, self.doc(upper), self.doc(lower)))
        };
        let [test, setup_context] = cut(test, SamplePane::Test, SamplePane::SetupContext);
        let [focal, focal_context] = cut(focal, SamplePane::Focal, SamplePane::FocalContext);
        let n_facts =
            self.detail
                .as_ref()
                .map_or(0, |sample_detail| docs::facts(sample_detail).len()) as u16;
        let facts_height = (n_facts + 2).min(last.height / 2);
        let [candidates, facts] = above(last, last.height - facts_height);
        self.facts_area = Some(facts);
        vec![
            (SamplePane::Test, test),
            (SamplePane::Focal, focal),
            (SamplePane::SetupContext, setup_context),
            (SamplePane::FocalContext, focal_context),
            (SamplePane::Candidates, candidates),
        ]
    }
}
