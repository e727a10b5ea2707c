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
//! Between 100 and 179 columns test and focal method stand beside or above each other, whatever shows more of both.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::mine::why::Why;
use crate::model::SampleDetail;
use crate::tui::jobs::Explained;
use crate::tui::keymap::{Copied, Motion, Step};
use crate::tui::layout::{Split, above, beside, best_split, stacked_height};
use crate::tui::screen::candidates::{self, Candidates};
use crate::tui::screen::docs::{self, Docs};
use crate::tui::screen::{Look, why};
use crate::tui::text::Doc;
use crate::tui::theme::Theme;
use crate::tui::widget::code::{CodeView, n_rows};
use crate::tui::widget::frame::{self, inside};
use crate::tui::widget::overlay::draw_fact_lines;

/// From these widths on there are two and three columns.
pub const WIDTH_TWO: u16 = 100;
pub const WIDTH_THREE: u16 = 180;

/// Less of a context says nothing.
const CONTEXT_HEIGHT_MIN: u16 = 7;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Test,
    Focal,
    SetupContext,
    FocalContext,
    Candidates,
}

impl Pane {
    const ALL: [Self; 5] = [
        Self::Test,
        Self::Focal,
        Self::SetupContext,
        Self::FocalContext,
        Self::Candidates,
    ];
}

#[derive(Debug, Default)]
pub struct SampleScreen {
    pub detail: Option<SampleDetail>,
    /// Why each candidate weighs what it weighs.
    whys: Vec<Why>,
    views: [CodeView; 4],
    focus: Pane,
    /// The focused pane takes the whole body.
    is_zoomed: bool,
    candidate_idx: usize,
    /// What stands in the place that several panes share when there is no room for all.
    shared: Pane,
    split: Option<Split>,
    areas: Vec<(Pane, Rect)>,
    facts_area: Option<Rect>,
}

impl SampleScreen {
    /// Shows a sample from the beginning.
    pub fn show(&mut self, explained: Explained, docs: &Docs) {
        let Explained { detail, whys } = explained;
        let is_same = self
            .detail
            .as_ref()
            .is_some_and(|old| old.row.key == detail.row.key);
        let [test, focal, setup_context, focal_context] = &mut self.views;
        test.show(Arc::clone(&docs.test));
        focal.show(Arc::clone(&docs.focal));
        setup_context.show(Arc::clone(&docs.setup_context));
        focal_context.show(Arc::clone(&docs.focal_context));
        if !is_same {
            let picked = detail.candidates.iter().position(|it| it.is_picked);
            self.candidate_idx = picked.unwrap_or(0);
        }
        self.detail = Some(detail);
        self.whys = whys;
    }

    /// Returns the code pane with the focus; the candidates are none.
    pub fn code(&mut self) -> Option<&mut CodeView> {
        self.views.get_mut(self.focus as usize)
    }

    fn view(&self, pane: Pane) -> Option<&CodeView> {
        self.views.get(pane as usize)
    }

    /// Returns the test pane, where marks are.
    pub fn test_code(&mut self) -> &mut CodeView {
        self.set_focus(Pane::Test);
        &mut self.views[Pane::Test as usize]
    }

    pub fn step_focus(&mut self, step: Step) {
        let idx = self.focus as usize;
        let n_panes = Pane::ALL.len();
        let idx = match step {
            Step::Next => (idx + 1) % n_panes,
            Step::Previous => (idx + n_panes - 1) % n_panes,
        };
        self.set_focus(Pane::ALL[idx]);
    }

    fn set_focus(&mut self, pane: Pane) {
        self.focus = pane;
        if matches!(pane, Pane::Focal | Pane::SetupContext | Pane::FocalContext) {
            self.shared = pane;
        }
    }

    pub fn toggle_zoom(&mut self) {
        self.is_zoomed = !self.is_zoomed;
    }

    /// Leaves the full size, else forgets search and jumps; returns whether there was anything to leave.
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
        let n_candidates = self.detail.as_ref().map_or(0, |it| it.candidates.len());
        let idx = match motion {
            Motion::Up => self.candidate_idx.saturating_sub(1),
            Motion::Down => self.candidate_idx + 1,
            Motion::First | Motion::PageUp | Motion::HalfUp => 0,
            Motion::Last | Motion::PageDown | Motion::HalfDown => usize::MAX,
            Motion::Left | Motion::Right => self.candidate_idx,
        };
        self.candidate_idx = idx.min(n_candidates.saturating_sub(1));
    }

    /// Scrolls the focal method, or the test when that has not the focus.
    pub fn peek(&mut self, step: Step) {
        let other = if self.focus == Pane::Test {
            Pane::Focal
        } else {
            Pane::Test
        };
        let motion = match step {
            Step::Next => Motion::Down,
            Step::Previous => Motion::Up,
        };
        if let Some(view) = self.views.get_mut(other as usize) {
            view.scroll(motion);
        }
    }

    /// Focuses the pane under the pointer; returns whether there is one.
    pub fn point(&mut self, at: Position) -> bool {
        let found = self.areas.iter().find(|(_, area)| area.contains(at));
        let Some((pane, area)) = found.copied() else {
            return false;
        };
        self.set_focus(pane);
        if pane == Pane::Candidates {
            let n_candidates = self.detail.as_ref().map_or(0, |it| it.candidates.len());
            let idx = usize::from(at.y.saturating_sub(area.y + 1));
            self.candidate_idx = idx.min(n_candidates.saturating_sub(1));
        }
        true
    }

    /// Returns path and line of what has the focus.
    #[must_use]
    pub fn place(&self) -> Option<(String, u32)> {
        let detail = self.detail.as_ref()?;
        if let Some(view) = self.view(self.focus) {
            return view.place().map(|(path, line)| (path.to_owned(), line));
        }
        let candidate = detail.candidates.get(self.candidate_idx)?;
        Some((candidate.path.clone(), candidate.line))
    }

    /// Returns what a copy takes, and what it is.
    #[must_use]
    pub fn copied(&self, what: Copied) -> Option<(String, &'static str)> {
        let detail = self.detail.as_ref()?;
        match what {
            Copied::Code => {
                let (snippet, name) = match self.focus {
                    Pane::Test => (Some(&detail.test), "the test"),
                    Pane::Focal => (detail.focal.as_ref(), "the focal method"),
                    Pane::SetupContext | Pane::FocalContext => {
                        let (snippets, name) = if self.focus == Pane::SetupContext {
                            let all = detail.fixtures.iter().chain(&detail.setup_context);
                            (all.collect::<Vec<_>>(), "the setup context")
                        } else {
                            (detail.focal_context.iter().collect(), "the focal context")
                        };
                        let texts: Vec<&str> = snippets.iter().map(|it| it.text.as_str()).collect();
                        return Some((texts.join("\n"), name));
                    }
                    Pane::Candidates => {
                        let candidate = detail.candidates.get(self.candidate_idx)?;
                        return Some((candidate.key.clone(), "the candidate's key"));
                    }
                };
                Some((snippet?.text.clone(), name))
            }
            Copied::Path => {
                let (path, line) = self.place()?;
                Some((format!("{path}:{line}"), "path and line"))
            }
            Copied::Key => Some((detail.row.key.to_string(), "the sample's key")),
        }
    }

    /// Decides where everything is; called after every event, before drawing.
    pub fn arrange(&mut self, body: Rect, wraps: bool) {
        self.facts_area = None;
        self.areas = if self.is_zoomed {
            vec![(self.focus, body)]
        } else if body.width < WIDTH_TWO {
            self.one_column(body)
        } else if body.width < WIDTH_THREE {
            self.two_columns(body)
        } else {
            self.three_columns(body)
        };
        for (pane, area) in &self.areas {
            if let Some(view) = self.views.get_mut(*pane as usize) {
                view.arrange(inside(*area), wraps);
            }
        }
    }

    fn doc(&self, pane: Pane) -> &Doc {
        self.views[pane as usize].doc()
    }

    fn n_candidates(&self) -> u16 {
        self.detail.as_ref().map_or(0, |it| it.candidates.len()) as u16
    }

    /// The lower pane shows the focal method or, when one of them has the focus, a context.
    fn one_column(&self, body: Rect) -> Vec<(Pane, Rect)> {
        let lower = if self.shared == Pane::Test {
            Pane::Focal
        } else {
            self.shared
        };
        let most = if self.focus == Pane::Candidates { 8 } else { 3 };
        let strip_height = self.n_candidates().clamp(1, most) + 2;
        let strip_height = if body.height < 18 && self.focus != Pane::Candidates {
            0
        } else {
            strip_height.min(body.height / 2)
        };
        let [methods, strip] = above(body, body.height - strip_height);
        let height = stacked_height(methods, self.doc(Pane::Test), self.doc(lower));
        let [first, second] = above(methods, height);
        let mut areas = vec![(Pane::Test, first), (lower, second)];
        if strip_height > 0 {
            areas.push((Pane::Candidates, strip));
        }
        areas
    }

    fn two_columns(&mut self, body: Rect) -> Vec<(Pane, Rect)> {
        let context = match self.shared {
            Pane::FocalContext => Pane::FocalContext,
            _ => Pane::SetupContext,
        };
        let is_open = matches!(self.focus, Pane::SetupContext | Pane::FocalContext);
        let wanted = n_rows(self.doc(context), body.width / 2 - 2) as u16;
        let wanted = wanted.max(self.n_candidates()) + 2;
        let share = if is_open {
            body.height / 2
        } else {
            body.height * 3 / 10
        };
        // What short methods leave over is the context's.
        let needs = |pane| n_rows(self.doc(pane), body.width / 2 - 2);
        let needed = needs(Pane::Test).max(needs(Pane::Focal)) as u16 + 2;
        let most = share.max(body.height.saturating_sub(needed.max(8)));
        let strip_height = wanted.clamp(5.min(most), most);
        let [methods, strip] = above(body, body.height - strip_height);
        let split = best_split(
            methods,
            self.doc(Pane::Test),
            self.doc(Pane::Focal),
            self.split,
        );
        self.split = Some(split);
        let [test, focal] = split.areas(methods);
        let [left, right] = beside(strip, body.width / 2);
        let mut areas = vec![
            (Pane::Test, test),
            (Pane::Focal, focal),
            (context, left),
            (Pane::Candidates, right),
        ];
        // Where the candidates leave room, the other context stands under them.
        let [candidates, rest] = above(right, self.n_candidates().max(1) + 2);
        if rest.height >= CONTEXT_HEIGHT_MIN {
            areas.truncate(2);
            areas.extend([
                (Pane::SetupContext, left),
                (Pane::Candidates, candidates),
                (Pane::FocalContext, rest),
            ]);
        }
        areas
    }

    fn three_columns(&mut self, body: Rect) -> Vec<(Pane, Rect)> {
        let [test, rest] = beside(body, body.width * 36 / 100);
        let [focal, last] = beside(rest, body.width * 36 / 100);
        let cut = |area, upper, lower| {
            above(area, stacked_height(area, self.doc(upper), self.doc(lower)))
        };
        let [test, setup_context] = cut(test, Pane::Test, Pane::SetupContext);
        let [focal, focal_context] = cut(focal, Pane::Focal, Pane::FocalContext);
        let n_facts = self.detail.as_ref().map_or(0, |it| docs::facts(it).len()) as u16;
        let facts_height = (n_facts + 2).min(last.height / 2);
        let [candidates, facts] = above(last, last.height - facts_height);
        self.facts_area = Some(facts);
        vec![
            (Pane::Test, test),
            (Pane::Focal, focal),
            (Pane::SetupContext, setup_context),
            (Pane::FocalContext, focal_context),
            (Pane::Candidates, candidates),
        ]
    }

    fn candidates<'a>(&'a self, detail: &'a SampleDetail) -> Candidates<'a> {
        Candidates {
            rows: &detail.candidates,
            whys: &self.whys,
            selected: self.candidate_idx,
            has_focus: self.focus == Pane::Candidates,
        }
    }

    /// Draws why the selected candidate weighs what it weighs, over the screen.
    pub fn draw_why(&self, body: Rect, buffer: &mut Buffer, theme: &Theme) {
        if let Some(detail) = &self.detail {
            why::draw(body, detail, self.candidates(detail), buffer, theme);
        }
    }

    pub fn draw(&self, buffer: &mut Buffer, look: Look<'_>) {
        let Some(detail) = &self.detail else {
            return;
        };
        for (pane, area) in &self.areas {
            let title = title(*pane, detail);
            let below = self.view(*pane).map_or(0, CodeView::n_rows_below);
            let note = match pane {
                Pane::Candidates => candidates::note(detail.matcher).to_owned(),
                _ if below > 0 => format!("↓{below} more"),
                _ => String::new(),
            };
            let frame = frame::Pane {
                title: &title,
                note: &note,
                has_focus: *pane == self.focus,
            };
            frame.draw(*area, buffer, look.theme);
            match self.view(*pane) {
                Some(view) => view.draw(buffer, look.theme, look.cache),
                None => self.candidates(detail).draw(inside(*area), buffer, look),
            }
        }
        if let Some(area) = self.facts_area {
            let frame = frame::Pane {
                title: "facts",
                note: "",
                has_focus: false,
            };
            frame.draw(area, buffer, look.theme);
            draw_fact_lines(inside(area), &docs::facts(detail), buffer, look.theme);
        }
    }
}

fn title(pane: Pane, detail: &SampleDetail) -> String {
    let n = |count: usize| {
        if count == 0 {
            String::new()
        } else {
            format!(" ({count})")
        }
    };
    match pane {
        Pane::Test => format!("test · {}", docs::short_key(&detail.test.key)),
        Pane::Focal => match &detail.focal {
            Some(focal) => {
                let weight = detail
                    .row
                    .weight
                    .map_or_else(String::new, |it| format!("  {it:.2}"));
                format!("focal · {}{weight}", docs::short_key(&focal.key))
            }
            None => "focal".to_owned(),
        },
        Pane::SetupContext => {
            format!(
                "setup context{}",
                n(detail.fixtures.len() + detail.setup_context.len())
            )
        }
        Pane::FocalContext => format!("focal context{}", n(detail.focal_context.len())),
        Pane::Candidates => format!("candidates{}", n(detail.candidates.len())),
    }
}
