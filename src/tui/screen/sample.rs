//! One sample in full: test, focal method, contexts, candidates.
//!
//! ```text
//! < 100 columns     100 to 179                       from 180
//! ┌ test ───────┐   ┌ test ───────┐┌ focal ──────┐   ┌ test ────┐┌ focal ───┐┌ candidates ┐
//! ├ focal or ───┤   │             ││             │   │          ││          │├ facts ─────┤
//! │ a context   │   ├ setup context ┬ candidates ┤   ├ setup ───┤├ focal ───┤│            │
//! └ candidates ─┘   └───────────────┴ focal c. ──┘   └ context ─┘└ context ─┘└────────────┘
//! ```
//!
//! Between 100 and 179 columns, test and focal method stand beside or above each other, whichever shows more of both.
//! Each candidate under the cursor shows its source in place of the focal method's.

pub mod alone;
mod arrange;
mod judging_layout;
mod opening;
#[cfg(test)]
pub mod tests;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::keymap::{CopyContent, Motion, StepDirection};
use crate::layout::{Split, above, beside};
use crate::mine::why::MatchExplanation;
use crate::model::SampleDetail;
use crate::paint;
use crate::question::shared::ExplainedSample;
use crate::review::SampleRemarks;
use crate::screen::candidates::{self, Candidates};
use crate::screen::docs::{self, Docs};
use crate::screen::sample::opening::SampleOpening;
use crate::screen::{DrawContext, why};
use crate::text::Doc;
use crate::theme::Theme;
use crate::widget::code::{CodeView, n_lines_visible, n_rows_up_to};
use crate::widget::frame::{self, inside};
use crate::widget::overlay::draw_fact_lines;

/// The least width of an overlay beside the test, and the least height of one below it.
const BESIDE_TEST_MIN: u16 = 48;
const BELOW_TEST_MIN: u16 = 9;

/// The widths from which on there are two and three columns.
pub const WIDTH_TWO: u16 = 100;
pub const WIDTH_THREE: u16 = 180;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplePane {
    #[default]
    Test,
    Focal,
    SetupContext,
    FocalContext,
    Candidates,
}

impl SamplePane {
    const ALL: [Self; 5] = [
        Self::Test,
        Self::Focal,
        Self::SetupContext,
        Self::FocalContext,
        Self::Candidates,
    ];
    const JUDGED: [Self; 5] = [
        Self::Test,
        Self::Focal,
        Self::Candidates,
        Self::SetupContext,
        Self::FocalContext,
    ];
}

/// The purpose of the panes, which decides their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplePurpose {
    #[default]
    Reading,
    /// Shows as much as possible of test and focal method, with a place for the last decisions.
    Judging,
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mode of its own; no two exclude each other"
)]
pub struct SampleScreen {
    purpose: SamplePurpose,
    pub detail: Option<SampleDetail>,
    /// For each candidate, the explanation of its weight.
    explanations: Vec<MatchExplanation>,
    /// People's remarks on the sample.
    pub remarks: SampleRemarks,
    views: [CodeView; 4],
    focus: SamplePane,
    /// Another pane of the screen has the focus.
    pub is_beside: bool,
    /// The focused pane takes the whole body.
    is_zoomed: bool,
    candidate_idx: usize,
    /// The texts without folds.
    docs: Docs,
    folded: SampleFolds,
    /// The folds that bring the lines for the judge into sight when a sample comes up.
    opening: SampleOpening,
    /// The rows, with its border, that the test's pane needs to show these lines.
    test_height_min: u16,
    /// The candidate whose source replaces the focal method's.
    previewed: Option<usize>,
    /// The texts that replace test and focal method.
    replaced: Option<[Option<Arc<Doc>>; 2]>,
    /// Code that waits for its colours.
    unpainted: Vec<paint::PaintJob>,
    /// The area where the screen around the panes may draw something of its own.
    pub aside_area: Option<Rect>,
    /// The candidates have no border.
    has_bare_candidates: bool,
    /// A context replaces the last decisions.
    pub shows_context: bool,
    /// The usual number of candidates of the queue's samples: their list has a row for each, so that it keeps its
    /// place. 0 where it is unknown.
    pub n_candidates_usual: u16,
    /// The pane that shows in the place that several share on a small screen.
    shared: SamplePane,
    split: Option<Split>,
    areas: Vec<(SamplePane, Rect)>,
    facts_area: Option<Rect>,
}

/// The folded parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleFolds {
    pub setup: bool,
    pub comments: bool,
}

impl SampleScreen {
    #[must_use]
    pub fn new(purpose: SamplePurpose) -> Self {
        Self {
            purpose,
            ..Self::default()
        }
    }

    /// Shows a sample from the beginning.
    pub fn show(&mut self, explained: ExplainedSample, docs: Docs) {
        let ExplainedSample {
            detail,
            explanations,
            remarks,
        } = explained;
        self.remarks = remarks;
        let is_same = self
            .detail
            .as_ref()
            .is_some_and(|old| old.row.key == detail.row.key);
        if !is_same {
            let picked = detail
                .candidates
                .iter()
                .position(|candidate| candidate.is_picked);
            self.candidate_idx = picked.unwrap_or(0);
            self.replaced = None;
            // Without a focal method, the first candidate is the best text to show.
            let is_open = self.purpose == SamplePurpose::Judging && picked.is_none();
            self.previewed = (is_open && !detail.candidates.is_empty()).then_some(0);
            self.test_height_min = 0;
            self.opening = match self.purpose {
                SamplePurpose::Judging => SampleOpening::Due,
                SamplePurpose::Reading => SampleOpening::Done,
            };
        }
        self.detail = Some(detail);
        self.explanations = explanations;
        self.unpainted.extend(docs.jobs());
        self.docs = docs;
        self.show_docs();
    }

    /// Shows other texts in place of test and focal method, such as their changes, or the methods again.
    pub fn replace(&mut self, replaced: Option<[Option<Arc<Doc>>; 2]>) {
        self.replaced = replaced;
        self.show_docs();
    }

    /// Tells whether other texts replace test and focal method.
    #[must_use]
    pub const fn is_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// Marks the calls of the candidate under the cursor in the test.
    fn mark_calls(&mut self) {
        let calls = self.detail.as_ref().and_then(|detail| {
            let candidate = detail.candidates.get(self.candidate_idx)?;
            // Without known places, the picked candidate keeps the marks of the focal calls.
            let is_told = !candidate.calls.is_empty() || !candidate.is_picked;
            let is_code = self.replaced.is_none();
            let parts = || self.docs.test.call_parts(&detail.test, &candidate.calls);
            (is_told && is_code).then(parts)
        });
        self.views[SamplePane::Test as usize].mark_calls(calls);
    }

    /// Makes a candidate's source; nothing for the picked one, because its text is the focal method's.
    fn candidate_doc(&self, idx: usize) -> Option<Doc> {
        let candidate = self.detail.as_ref()?.candidates.get(idx)?;
        (!candidate.is_picked).then(|| docs::candidate(candidate))
    }

    /// Folds setup and comments, or unfolds them.
    pub fn fold(&mut self, folded: SampleFolds) {
        self.opening = SampleOpening::Done;
        self.folded = folded;
        self.show_docs();
    }

    #[must_use]
    pub const fn folded(&self) -> SampleFolds {
        self.folded
    }

    /// Returns the index of the candidate under the cursor, from 0.
    #[must_use]
    pub const fn candidate_idx(&self) -> usize {
        self.candidate_idx
    }

    /// Hands out the code that waits for its colours.
    pub fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    /// Returns the code pane with the focus; nothing while the candidates have it.
    pub fn code(&mut self) -> Option<&mut CodeView> {
        self.views.get_mut(self.focus as usize)
    }

    fn view(&self, pane: SamplePane) -> Option<&CodeView> {
        self.views.get(pane as usize)
    }

    /// Focuses and returns the pane of the test, which has the marks.
    pub fn test_code(&mut self) -> &mut CodeView {
        self.set_focus(SamplePane::Test);
        &mut self.views[SamplePane::Test as usize]
    }

    pub fn step_focus(&mut self, step: StepDirection) {
        let order = match self.purpose {
            SamplePurpose::Reading => SamplePane::ALL,
            // A judge compares candidates; contexts are needed less often.
            SamplePurpose::Judging => SamplePane::JUDGED,
        };
        let idx = order
            .iter()
            .position(|sample_pane| *sample_pane == self.focus)
            .unwrap_or(0);
        self.set_focus(order[step.around(idx, order.len())]);
    }

    /// Returns the pane that has the focus, or had it last.
    #[must_use]
    pub const fn focus(&self) -> SamplePane {
        self.focus
    }

    pub fn set_focus(&mut self, pane: SamplePane) {
        self.focus = pane;
        if matches!(
            pane,
            SamplePane::Focal | SamplePane::SetupContext | SamplePane::FocalContext
        ) {
            self.shared = pane;
        }
    }

    pub fn toggle_zoom(&mut self) {
        self.is_zoomed = !self.is_zoomed;
    }

    /// Leaves the full size, else clears searches and jumps; tells whether there was anything to leave.
    pub fn close(&mut self) -> bool {
        let was_zoomed = std::mem::take(&mut self.is_zoomed);
        let had_search = !was_zoomed && self.views.iter_mut().any(CodeView::clear);
        was_zoomed || had_search
    }

    pub fn scroll(&mut self, motion: Motion) {
        match self.code() {
            Some(code) => code.scroll(motion),
            None => self.step_candidate(motion),
        }
    }

    /// Selects another candidate.
    pub fn step_candidate(&mut self, motion: Motion) {
        let n_candidates = self
            .detail
            .as_ref()
            .map_or(0, |sample_detail| sample_detail.candidates.len());
        let idx = match motion {
            Motion::Up => self.candidate_idx.saturating_sub(1),
            Motion::Down => self.candidate_idx + 1,
            Motion::First | Motion::PageUp | Motion::HalfUp => 0,
            Motion::Last | Motion::PageDown | Motion::HalfDown => usize::MAX,
            Motion::Left | Motion::Right => self.candidate_idx,
        };
        self.select_candidate(idx.min(n_candidates.saturating_sub(1)));
    }

    /// Puts the cursor on a candidate and shows its source.
    fn select_candidate(&mut self, idx: usize) {
        self.candidate_idx = idx;
        if self.previewed != Some(idx) {
            self.previewed = Some(idx);
            self.show_focal();
            self.mark_calls();
        }
    }

    /// Scrolls the focal method while the test has the focus, else the test.
    pub fn peek(&mut self, step: StepDirection) {
        let other = if self.focus == SamplePane::Test {
            SamplePane::Focal
        } else {
            SamplePane::Test
        };
        let motion = Motion::from(step);
        if let Some(view) = self.views.get_mut(other as usize) {
            view.scroll(motion);
        }
    }

    /// Focuses the pane under the pointer; tells whether there is one.
    pub fn point(&mut self, at: Position) -> bool {
        let found = self.areas.iter().find(|(_, area)| area.contains(at));
        let Some((pane, area)) = found.copied() else {
            return false;
        };
        self.set_focus(pane);
        if pane == SamplePane::Candidates {
            let n_candidates = self
                .detail
                .as_ref()
                .map_or(0, |sample_detail| sample_detail.candidates.len());
            let idx = usize::from(at.y.saturating_sub(area.y + 1));
            self.select_candidate(idx.min(n_candidates.saturating_sub(1)));
        }
        true
    }

    /// Returns path and line of the text with the focus, or of the candidate under the cursor.
    #[must_use]
    pub fn place(&self) -> Option<(String, u32)> {
        let detail = self.detail.as_ref()?;
        if let Some(view) = self.view(self.focus) {
            return view.place().map(|(path, line)| (path.to_owned(), line));
        }
        let candidate = detail.candidates.get(self.candidate_idx)?;
        Some((candidate.path.clone(), candidate.line))
    }

    /// Returns the text that a copy takes, and its name.
    #[must_use]
    pub fn copied(&self, what: CopyContent) -> Option<(String, &'static str)> {
        let detail = self.detail.as_ref()?;
        match what {
            CopyContent::Code => {
                let (snippet, name) = match self.focus {
                    SamplePane::Test => (Some(&detail.test), "the test"),
                    SamplePane::Focal => (detail.focal.as_ref(), "the focal method"),
                    SamplePane::SetupContext | SamplePane::FocalContext => {
                        let (snippets, name) = if self.focus == SamplePane::SetupContext {
                            let all = detail.fixtures.iter().chain(&detail.setup_context);
                            (all.collect::<Vec<_>>(), "the setup context")
                        } else {
                            (detail.focal_context.iter().collect(), "the focal context")
                        };
                        let texts: Vec<&str> = snippets
                            .iter()
                            .map(|snippet| snippet.text.as_str())
                            .collect();
                        return Some((texts.join("\n"), name));
                    }
                    SamplePane::Candidates => {
                        let candidate = detail.candidates.get(self.candidate_idx)?;
                        return Some((candidate.key.clone(), "the candidate's key"));
                    }
                };
                Some((snippet?.text.clone(), name))
            }
            CopyContent::Path => {
                let (path, line) = self.place()?;
                Some((format!("{path}:{line}"), "path and line"))
            }
            CopyContent::Key => Some((detail.row.key.to_string(), "the sample's key")),
        }
    }

    /// Lays out the panes, after every event and before drawing.
    pub fn arrange(&mut self, body: Rect, wraps: bool) {
        self.lay_out(body, wraps);
        if self.opening == SampleOpening::Due {
            self.open(body, wraps);
        }
    }

    /// Lays out only these panes; the screen around them shows something else in place of the others.
    pub fn arrange_in(&mut self, areas: Vec<(SamplePane, Rect)>, wraps: bool) {
        self.facts_area = None;
        self.aside_area = None;
        self.has_bare_candidates = false;
        self.areas = areas;
        self.arrange_views(wraps);
    }

    /// Computes the rows that the text of a pane takes in this width.
    #[must_use]
    pub fn rows_needed(&self, pane: SamplePane, width: u16) -> u16 {
        n_rows_up_to(self.doc(pane), width, u16::MAX)
    }

    fn arrange_views(&mut self, wraps: bool) {
        for (pane, area) in &self.areas {
            if let Some(view) = self.views.get_mut(*pane as usize) {
                view.arrange(inside(*area), wraps);
            }
        }
    }

    fn lay_out(&mut self, body: Rect, wraps: bool) {
        self.facts_area = None;
        self.aside_area = None;
        let is_narrow = body.width < WIDTH_TWO;
        self.has_bare_candidates =
            self.purpose == SamplePurpose::Judging && is_narrow && !self.is_zoomed;
        self.areas = if self.is_zoomed {
            vec![(self.focus, body)]
        } else if self.purpose == SamplePurpose::Judging {
            self.judging_areas(body)
        } else if body.width < WIDTH_TWO {
            self.one_column(body)
        } else if body.width < WIDTH_THREE {
            self.two_columns(body)
        } else {
            self.three_columns(body)
        };
        self.arrange_views(wraps);
    }

    /// Computes the part of the body that an overlay may cover without hiding the test: beside it, or below it where it
    /// is as wide as the screen. All of the body where the test is not shown.
    #[must_use]
    pub fn area_beside_test(&self, body: Rect) -> Rect {
        let test = self.areas.iter().find(|area| area.0 == SamplePane::Test);
        let Some((_, test)) = test.filter(|_| !self.is_zoomed) else {
            return body;
        };
        if test.width < body.width {
            let width = test.width.min(body.width - BESIDE_TEST_MIN.min(body.width));
            return beside(body, width)[1];
        }
        // A list with fewer rows is of no use; then it covers the end of a long test.
        let height = (body.height - test.height)
            .max(BELOW_TEST_MIN)
            .min(body.height);
        above(body, body.height - height)[1]
    }

    fn doc(&self, pane: SamplePane) -> &Doc {
        self.views[pane as usize].doc()
    }

    /// Counts the lines of a pane's text that are wholly visible without scrolling, and all its lines.
    #[must_use]
    pub fn seen(&self, pane: SamplePane) -> (usize, usize) {
        let doc = self.doc(pane);
        let area = self.areas.iter().find(|area| area.0 == pane);
        let n_seen = area.map_or(0, |(_, area)| {
            let Rect { width, height, .. } = inside(*area);
            n_lines_visible(doc, width, height)
        });
        (n_seen, doc.lines.len())
    }

    /// Tells whether the first focal call and the first assertion of the test are on the screen; nothing for one that
    /// the test does not have.
    #[must_use]
    pub fn shows_sought(&self) -> [Option<bool>; 2] {
        let test = &self.views[SamplePane::Test as usize];
        let sought = [test.doc().first_focal_call(), test.doc().first_assertion()];
        sought.map(|line_idx| line_idx.map(|line_idx| test.shows(line_idx)))
    }

    /// Tells whether the candidate of this number, counted from 1, has no row on the screen.
    #[must_use]
    pub fn hides_candidate(&self, rank: usize) -> bool {
        let n_candidates = usize::from(self.n_candidates());
        let Some(idx) = rank.checked_sub(1).filter(|idx| *idx < n_candidates) else {
            return false;
        };
        let area = self
            .areas
            .iter()
            .find(|(pane, _)| *pane == SamplePane::Candidates);
        area.is_none_or(|(_, area)| {
            let rows = if self.has_bare_candidates {
                *area
            } else {
                inside(*area)
            };
            let (shown, _) = candidates::window(n_candidates, self.candidate_idx, rows.height);
            !shown.contains(&idx)
        })
    }

    fn n_candidates(&self) -> u16 {
        self.detail
            .as_ref()
            .map_or(0, |sample_detail| sample_detail.candidates.len()) as u16
    }

    fn candidates<'a>(&'a self, detail: &'a SampleDetail) -> Candidates<'a> {
        Candidates {
            rows: &detail.candidates,
            explanations: &self.explanations,
            selected: self.candidate_idx,
            has_focus: self.focus == SamplePane::Candidates && !self.is_beside,
        }
    }

    /// Draws the explanation of the selected candidate's weight over the screen; `calibrated` tells how often such
    /// weights have proved right.
    pub fn draw_why(&self, body: Rect, calibrated: &str, buffer: &mut Buffer, theme: &Theme) {
        if let Some(detail) = &self.detail {
            let about = why::ExplanationSubject {
                detail,
                candidates: self.candidates(detail),
                calibrated,
            };
            why::draw(body, about, buffer, theme);
        }
    }

    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let Some(detail) = &self.detail else {
            return;
        };
        for (pane, area) in &self.areas {
            let title = match (pane, self.previewed) {
                (SamplePane::Test | SamplePane::Focal, _) if self.replaced.is_some() => {
                    changed_title(*pane, self.replaced.as_ref())
                }
                (SamplePane::Focal, Some(idx)) => preview_title(idx, detail),
                _ => title(*pane, detail),
            };
            let below = self.view(*pane).map_or(0, CodeView::n_rows_below);
            let note = match pane {
                // Without numbers beside the candidates, there is nothing to name.
                SamplePane::Candidates
                    if self
                        .explanations
                        .iter()
                        .all(|why| *why == MatchExplanation::Rules) =>
                {
                    String::new()
                }
                SamplePane::Candidates => candidates::note(detail.matcher).to_owned(),
                _ if below > 0 => format!("↓{below} more"),
                _ => String::new(),
            };
            let frame = frame::Pane {
                title: &title,
                note: &note,
                has_focus: *pane == self.focus && !self.is_beside,
            };
            if *pane == SamplePane::Candidates && self.has_bare_candidates {
                self.candidates(detail).draw(*area, buffer, context);
                continue;
            }
            frame.draw(*area, buffer, context.theme);
            match self.view(*pane) {
                Some(view) => view.draw(buffer, context.theme, context.cache),
                None => self.candidates(detail).draw(inside(*area), buffer, context),
            }
        }
        if let Some(area) = self.facts_area {
            let frame = frame::Pane {
                title: "facts",
                note: "",
                has_focus: false,
            };
            frame.draw(area, buffer, context.theme);
            draw_fact_lines(inside(area), &docs::facts(detail), buffer, context.theme);
        }
    }
}

/// Writes the title of a pane that shows changes.
fn changed_title(pane: SamplePane, replaced: Option<&[Option<Arc<Doc>>; 2]>) -> String {
    let (name, idx) = match pane {
        SamplePane::Test => ("test", 0),
        _ => ("focal", 1),
    };
    match replaced.and_then(|docs| docs[idx].as_ref()) {
        Some(_) => format!("{name} · changes"),
        None => format!("{name} · unchanged"),
    }
}

fn preview_title(idx: usize, detail: &SampleDetail) -> String {
    let Some(candidate) = detail.candidates.get(idx) else {
        return "focal".to_owned();
    };
    let word = if candidate.is_picked {
        "focal"
    } else {
        "candidate"
    };
    let n = detail.candidates.len();
    let name = docs::candidate_name(candidate);
    format!("{word} {}/{n} · {name}", idx + 1)
}

/// Writes the part of a title about an unstable test. It is no evidence of a match, so blind annotators see it, too.
fn unstable(detail: &SampleDetail) -> String {
    let unstable = detail
        .stability
        .filter(|stability| stability.reason().is_some());
    unstable.map_or_else(String::new, |stability| {
        format!(" · unstable: {}", stability.label())
    })
}

fn title(pane: SamplePane, detail: &SampleDetail) -> String {
    let n = |count: usize| {
        if count == 0 {
            String::new()
        } else {
            format!(" ({count})")
        }
    };
    match pane {
        SamplePane::Test => format!("test · {}{}", docs::test_name(detail), unstable(detail)),
        SamplePane::Focal => match &detail.focal {
            Some(focal) => {
                let weight = detail
                    .row
                    .weight
                    .map_or_else(String::new, |weight| format!("  {weight:.2}"));
                format!("focal · {}{weight}", docs::short_name(focal))
            }
            None => "focal".to_owned(),
        },
        SamplePane::SetupContext => {
            format!(
                "setup context{}",
                n(detail.fixtures.len() + detail.setup_context.len())
            )
        }
        SamplePane::FocalContext => format!("focal context{}", n(detail.focal_context.len())),
        SamplePane::Candidates => format!("candidates{}", n(detail.candidates.len())),
    }
}
