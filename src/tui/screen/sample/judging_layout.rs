//! The layout of a sample's panes for judging: as much as possible of test and focal method at once.
//!
//! ```text
//! < 100 columns     100 to 179                       from 180
//! ┌ test ───────┐   ┌ test ────────┐┌ focal ─────┐   ┌ test ────┐┌ focal ───┐┌ candidates ┐
//! ├ focal ──────┤   │ (or above each other)      │   │          ││          │├ last ──────┤
//! └─────────────┘   ├ candidates ──┬ last ───────┤   ├ setup ───┤├ focal ───┤│ decisions  │
//!   candidates      └──────────────┴─────────────┘   └ context ─┘└ context ─┘└────────────┘
//! ```
//!
//! In one column every sample has the same places, so that the eye knows where the test ends: candidates have as many
//! rows as they usually need in the queue, and the test most of the rest.
//!
//! Between 100 and 179 columns, the contexts stand below the methods where these leave room.
//!
//! The layout that shows both methods whole is taken, else the one that shows the most lines. A context replaces the
//! last decisions while it has the focus.

use ratatui::layout::Rect;

use crate::layout::{Split, above, beside, stacked_height};
use crate::screen::candidates;
use crate::screen::sample::{SamplePane, SampleScreen, WIDTH_THREE, WIDTH_TWO};
use crate::text::Doc;
use crate::widget::code::{n_lines_visible, n_rows_up_to};

/// Percentages of the width that the test may take; of equally good ones, the first is taken.
const SHARES: [u16; 7] = [50, 45, 55, 40, 60, 35, 65];
/// Heights of the strip below, with its border, from the wanted one to the least useful one.
const STRIPS: [u16; 4] = [8, 6, 5, 4];
/// Another kind of split must gain this number of lines.
const HYSTERESIS: usize = 3;
/// The least useful height of a context, with its border.
const CONTEXT_MIN: u16 = 5;
/// The height of a context that has only a note that it is empty.
const NOTHING_SAID: u16 = 3;
/// The height that stays for test and focal method, with their borders, for any number of candidates.
const METHODS_MIN: u16 = 8;

/// In one column, the test's percentage of the rows above the candidates.
const TEST_SHARE: u32 = 62;
/// Heights that the pane below the test keeps, with its border: usually, and where the test needs all other rows.
const LOWER_USUAL: u16 = 5;
const LOWER_MIN: u16 = 3;

/// How much of both methods a layout shows; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PlacingFit {
    is_whole: bool,
    n_lines: usize,
}

impl SampleScreen {
    /// Places each pane; `aside_area` is set where there is room for the last decisions.
    pub(super) fn judging_areas(&mut self, body: Rect) -> Vec<(SamplePane, Rect)> {
        if body.width < WIDTH_TWO {
            self.judge_narrow(body)
        } else if body.width < WIDTH_THREE {
            self.judge_wide(body)
        } else {
            self.judge_widest(body)
        }
    }

    /// Places the panes alike for every sample. A border moves only for a sample with more candidates than usual, or if
    /// the test needs more rows to show the lines for the judge.
    fn judge_narrow(&self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let lower = if self.shared == SamplePane::Test {
            SamplePane::Focal
        } else {
            self.shared
        };
        let strip_most = body.height.saturating_sub(METHODS_MIN).max(1);
        let usual = self.strip_usual().min(strip_most);
        // A digit picks only visible candidates, so every candidate with a digit gets a row.
        let strip_height = self.strip_least().min(strip_most);
        // Rows without a candidate go to a test that needs them.
        let own = candidates::n_rows(usize::from(self.n_candidates()));
        let left = body.height.saturating_sub(LOWER_MIN);
        let strip_height = strip_height.min(left.saturating_sub(self.test_height_min).max(own));
        let [methods, strip] = above(body, body.height - strip_height);
        let height = (u32::from(body.height - usual) * TEST_SHARE / 100) as u16;
        // Rows for further candidates are taken from the lower pane first.
        let height = height.min(methods.height.saturating_sub(LOWER_USUAL));
        let most = methods.height.saturating_sub(LOWER_MIN);
        let height = height.max(self.test_height_min.min(most));
        let [first, second] = above(methods, height);
        vec![
            (SamplePane::Test, first),
            (lower, second),
            (SamplePane::Candidates, strip),
        ]
    }

    /// Computes the rows that the candidates of most samples in the queue need.
    fn strip_usual(&self) -> u16 {
        match self.n_candidates_usual {
            0 => candidates::n_rows(usize::from(self.n_candidates())),
            usual => usual.min(candidates::DIGITS as u16),
        }
    }

    /// Computes the least rows of candidates: the usual number, or more for a sample with more of them.
    fn strip_least(&self) -> u16 {
        let own = candidates::n_rows(usize::from(self.n_candidates()));
        own.max(self.strip_usual())
    }

    fn judge_wide(&mut self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let wanted = self.n_candidates().max(1) + 2;
        let least = self.strip_least() + 2;
        let least = least.min(body.height.saturating_sub(METHODS_MIN));
        let (split, strip_height) = if self.focus == SamplePane::Candidates {
            // A list to go through needs more rows.
            let most = (body.height / 2).max(STRIPS[0]).max(least);
            let height = wanted.clamp(STRIPS[0].max(least), most);
            (self.best(body, height).1, height)
        } else {
            self.placed(body, least)
        };
        let [methods, strip] = above(body, body.height.saturating_sub(strip_height));
        let (split, contexts) = self.with_contexts(methods, split);
        self.split = Some(split);
        let [methods, contexts] = above(methods, methods.height - contexts);
        let [test, focal] = split.areas(methods);
        let [left, right] = beside(strip, (u32::from(body.width) * 58 / 100) as u16);
        let mut areas = vec![
            (SamplePane::Test, test),
            (SamplePane::Focal, focal),
            (SamplePane::Candidates, left),
        ];
        if contexts.height > 0 {
            let [setup, focal] = beside(contexts, contexts.width / 2);
            areas.extend([
                (SamplePane::SetupContext, setup),
                (SamplePane::FocalContext, focal),
            ]);
            self.aside_area = Some(right);
            return areas;
        }
        match self.context_shown() {
            Some(context) => areas.push((context, right)),
            None => self.aside_area = Some(right),
        }
        areas
    }

    /// Chooses the split of test and focal method, and computes the rows below them for the contexts: those that the
    /// methods do not need, if they are enough to be of use.
    fn with_contexts(&self, methods: Rect, split: Split) -> (Split, u16) {
        // Counted only up to the available rows; beyond these the number does not matter.
        let rows = |pane, area: Rect| {
            let width = area.width.saturating_sub(2);
            n_rows_up_to(self.doc(pane), width, methods.height) + 2
        };
        let [test, focal] = split.areas(methods);
        let (n_test, n_focal) = (rows(SamplePane::Test, test), rows(SamplePane::Focal, focal));
        let needed = match split {
            Split::Side(_) => n_test.max(n_focal),
            Split::Stacked(_) => n_test + n_focal,
        };
        let half = Rect {
            width: methods.width / 2,
            ..methods
        };
        let wanted = rows(SamplePane::SetupContext, half).max(rows(SamplePane::FocalContext, half));
        let spare = methods.height.saturating_sub(needed);
        if wanted <= NOTHING_SAID || spare < CONTEXT_MIN {
            return (split, 0);
        }
        let height = wanted.min(spare);
        let split = match split {
            Split::Side(_) => split,
            Split::Stacked(upper) => Split::Stacked(upper.min(methods.height - height - n_focal)),
        };
        (split, height)
    }

    /// Returns the context that replaces the last decisions, if one does.
    fn context_shown(&self) -> Option<SamplePane> {
        match self.focus {
            SamplePane::SetupContext | SamplePane::FocalContext => Some(self.focus),
            _ if self.shows_context => Some(match self.shared {
                SamplePane::FocalContext => SamplePane::FocalContext,
                _ => SamplePane::SetupContext,
            }),
            _ => None,
        }
    }

    /// Finds the best split, and the height of the strip below it, at least `least`. A queue with a usual number of
    /// candidates fixes that height; else the strip shrinks before a line is hidden.
    fn placed(&self, body: Rect, least: u16) -> (Split, u16) {
        if self.n_candidates_usual > 0 {
            let height = least.max(STRIPS[STRIPS.len() - 1]);
            return (self.best(body, height).1, height);
        }
        let mut best: Option<(PlacingFit, Split, u16)> = None;
        for strip in STRIPS {
            let height = strip.min(STRIPS[1]).max(least);
            let (shown, split) = self.best(body, height);
            if best.is_none_or(|(before, ..)| shown > before) {
                best = Some((shown, split, height));
            }
            if shown.is_whole {
                break;
            }
        }
        best.map_or((Split::Side(SHARES[0]), STRIPS[0]), |(_, split, height)| {
            (split, height)
        })
    }

    fn best(&self, body: Rect, strip_height: u16) -> (PlacingFit, Split) {
        let [methods, _] = above(body, body.height.saturating_sub(strip_height));
        best_placing(
            methods,
            self.doc(SamplePane::Test),
            self.doc(SamplePane::Focal),
            self.split,
        )
    }

    fn judge_widest(&mut self, body: Rect) -> Vec<(SamplePane, Rect)> {
        let [methods, last] = beside(body, (u32::from(body.width) * 72 / 100) as u16);
        let wanted = {
            let height = |pane| n_rows_up_to(self.doc(pane), methods.width / 2 - 2, body.height);
            height(SamplePane::SetupContext).max(height(SamplePane::FocalContext)) + 2
        };
        let mut chosen: Option<(PlacingFit, Split, u16)> = None;
        for share in [40, 30, 20, 0] {
            let height = wanted.min(body.height * share / 100);
            let (shown, split) = self.best(
                Rect {
                    width: methods.width,
                    ..body
                },
                height,
            );
            if chosen.is_none_or(|(before, ..)| shown > before) {
                chosen = Some((shown, split, height));
            }
            if shown.is_whole {
                break;
            }
        }
        let (split, height) = chosen.map_or((Split::Side(SHARES[0]), 0), |(_, split, height)| {
            (split, height)
        });
        self.split = Some(split);
        let [upper, lower] = above(methods, body.height - height);
        let [test, focal] = split.areas(upper);
        let candidates_height = self.n_candidates().max(self.strip_least()) + 2;
        let candidates_height = candidates_height.min(last.height * 2 / 3);
        let [candidates, aside] = above(last, candidates_height);
        self.aside_area = Some(aside);
        let mut areas = vec![
            (SamplePane::Test, test),
            (SamplePane::Focal, focal),
            (SamplePane::Candidates, candidates),
        ];
        let contexts = [SamplePane::SetupContext, SamplePane::FocalContext];
        if height >= 3 {
            areas.extend(contexts.into_iter().zip(beside(lower, lower.width / 2)));
        } else if contexts.contains(&self.focus) {
            areas.push((self.focus, aside));
            self.aside_area = None;
        }
        areas
    }
}

/// Finds the layout that shows the most of both; `previous` is kept in kind unless another kind shows clearly more.
fn best_placing(
    area: Rect,
    test: &Doc,
    focal: &Doc,
    previous: Option<Split>,
) -> (PlacingFit, Split) {
    let n_all = test.lines.len() + focal.lines.len();
    let shown = |split: Split| {
        let [first, second] = split.areas(area);
        let of = |doc: &Doc, pane: Rect| {
            n_lines_visible(
                doc,
                pane.width.saturating_sub(2),
                pane.height.saturating_sub(2),
            )
        };
        let n_lines = of(test, first) + of(focal, second);
        PlacingFit {
            is_whole: n_lines >= n_all,
            n_lines,
        }
    };
    // If the previous layout shows both whole, it stays.
    if let Some(split) = previous
        && shown(split).is_whole
    {
        return (shown(split), split);
    }
    let best = |splits: &mut dyn Iterator<Item = Split>| {
        let mut best: Option<(PlacingFit, Split)> = None;
        for split in splits {
            let now = shown(split);
            if best.is_none_or(|(before, _)| now > before) {
                best = Some((now, split));
            }
            if now.is_whole {
                break;
            }
        }
        best
    };
    let side = best(&mut SHARES.into_iter().map(Split::Side));
    let stacked = best(&mut std::iter::once(Split::Stacked(stacked_height(
        area, test, focal,
    ))));
    let (Some(side), Some(stacked)) = (side, stacked) else {
        return (shown(Split::Side(SHARES[0])), Split::Side(SHARES[0]));
    };
    let was_stacked = matches!(previous, Some(Split::Stacked(_)));
    let gain = if was_stacked { 0 } else { HYSTERESIS };
    let loss = if was_stacked { HYSTERESIS } else { 0 };
    // On a tie they stand beside each other, which the eye prefers, or as before.
    let stacks = match (side.0.is_whole, stacked.0.is_whole) {
        (true, true) => was_stacked,
        (whole, other) if whole != other => other,
        _ => stacked.0.n_lines + loss > side.0.n_lines + gain,
    };
    if stacks { stacked } else { side }
}
