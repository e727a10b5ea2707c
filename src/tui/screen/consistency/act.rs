//! The commands and the pointer of Consistency.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::consistency::outliers::{DistanceRule, THRESHOLDS};
use crate::desk::{Desk, ScreenRequest};
use crate::keymap::{Command, Motion, PaneCommand, StepDirection};
use crate::layout::{above, beside};
use crate::mutate::Pass;
use crate::paint;
use crate::scene::Scene;
use crate::screen::consistency::commands::ConsistencyCommand;
use crate::screen::consistency::draw::WORDS_WIDTH;
use crate::screen::consistency::{Consistency, ConsistencyView, about, word};
use crate::screen::{DrawContext, Screen};
use crate::theme::Role;
use crate::widget::code::occurrences;
use crate::widget::frame::{cut_parts, first_fitting, inside};

/// The height of the matrix of ten completions, with head and border.
const MATRIX_HEIGHT: u16 = 13;
/// The width of the matrix: names, ten numbers, the number of others far away, and the signs. On a narrow screen that
/// number is missing; a wide one also describes each variant.
const MATRIX_WIDTH: u16 = 61;
const MATRIX_WIDTH_NARROW: u16 = 54;
/// The width that the title needs, with the median beside it.
const MATRIX_WIDTH_MIN: u16 = 32;
const MATRIX_WIDTH_WIDE: u16 = MATRIX_WIDTH + WORDS_WIDTH;

/// The least height of the lower pane.
const TEXTS_MIN: u16 = 6;

/// The meaning of signs and words.
const LEGEND: &[(&str, &str)] = &[
    ("own", about(None)),
    ("REP_R", about(Some(Pass::RepR))),
    ("REP_C", about(Some(Pass::RepC))),
    ("REL_R", about(Some(Pass::RelR))),
    ("REL_C", about(Some(Pass::RelC))),
    ("IRR", about(Some(Pass::Irr))),
    ("RTF", about(Some(Pass::Rtf))),
    ("GRA_R", about(Some(Pass::GraR))),
    ("GRA_C", about(Some(Pass::GraC))),
    ("INI", about(Some(Pass::Ini))),
    ("0 … 9", "edit similarity of two completions, in %"),
    (
        "far, ✗",
        "the number of others unlike it; from T (t) on it is an outlier",
    ),
    (
        "taken, ✓",
        "the most typical completion that is not an outlier; it stands for all",
    ),
    ("spread", "how far the completions lie apart, on average"),
    (
        "answers",
        "completions that are not empty (n where it is narrow)",
    ),
    (
        "BLEU, edit",
        "its similarity to the function's own second half, in %",
    ),
    ("v", "the completions, or the function against its variant"),
];

impl Scene for Consistency {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        let height = MATRIX_HEIGHT
            .min(body.height.saturating_sub(TEXTS_MIN))
            .max(5);
        let [upper, lower] = above(body, height);
        let of_matrix = match body.width {
            0..100 => MATRIX_WIDTH_NARROW,
            100..170 => MATRIX_WIDTH,
            _ => MATRIX_WIDTH_WIDE,
        };
        // Columns that a small matrix does not need go to the names; its title stays whole.
        let n = self
            .item
            .as_ref()
            .map(|consistency_function| consistency_function.judged.passes.len());
        let need = n.filter(|n| *n > 0).map_or(of_matrix, |n| {
            let words = if body.width < 170 { 0 } else { WORDS_WIDTH };
            MATRIX_WIDTH - 40 + 4 * n as u16 + words
        });
        let of_matrix = of_matrix.min(need.max(MATRIX_WIDTH_MIN));
        let width = body
            .width
            .saturating_sub(of_matrix)
            .max(body.width * 3 / 10);
        let [list, matrix] = beside(upper, width);
        self.areas = [list, matrix, lower];
        self.difference.arrange(inside(lower), desk.wraps);
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, body, buffer, context);
    }

    fn line(&self) -> String {
        self.line_in(usize::MAX)
    }

    fn line_in(&self, room: usize) -> String {
        let (of, rule) = match self.options.rule {
            DistanceRule::Algorithm => ("similarity", "below the median"),
            DistanceRule::Prose => ("distance", "above the mean"),
        };
        let passes = self
            .item
            .as_ref()
            .map(|consistency_function| &consistency_function.judged.passes);
        let pass = passes.and_then(|pass| pass.get(self.variant)).copied();
        let variant = pass.map_or_else(String::new, |pass| {
            format!("{}: {} · ", word(pass), about(pass))
        });
        let n = self.options.threshold;
        let forms = vec![
            format!("{variant}✗ outlier: {of} {rule} of {n} or more others"),
            format!("{variant}✗ outlier: {n} or more {rule}"),
            format!("{variant}✗ {n}+ {rule}"),
        ];
        cut_parts(&first_fitting(forms, room), room)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        let step = match motion {
            Motion::Left => Some(StepDirection::Previous),
            Motion::Right => Some(StepDirection::Next),
            _ => None,
        };
        if let Some(step) = step {
            self.step_variant(step);
        } else {
            let page = usize::from(self.areas[0].height.saturating_sub(3)).max(1);
            self.go_to(motion.moved(self.cursor, page), desk);
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let rows = inside(self.areas[0]);
        if rows.contains(at) && at.y > rows.y {
            self.go_to(self.list_top() + usize::from(at.y - rows.y - 1), desk);
            return true;
        }
        let rows = inside(self.areas[1]);
        let n = self.item.as_ref().map_or(0, |consistency_function| {
            consistency_function.judged.passes.len()
        });
        if rows.contains(at) && at.y > rows.y && usize::from(at.y - rows.y - 1) < n {
            self.variant = usize::from(at.y - rows.y - 1);
            self.show();
            return true;
        }
        false
    }

    fn open(&mut self, _desk: &mut Desk) {
        self.turn_view();
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        let was_difference = self.view == ConsistencyView::Difference;
        if was_difference {
            self.turn_view();
        }
        was_difference
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Consistency(ConsistencyCommand::Run(step)) => self.step_run(step, desk),
            Command::Consistency(ConsistencyCommand::Variant(step)) => self.step_variant(step),
            Command::Consistency(ConsistencyCommand::View) => self.turn_view(),
            Command::Consistency(ConsistencyCommand::Threshold) => {
                let at = THRESHOLDS.iter().position(|n| *n == self.options.threshold);
                let next = at.map_or(0, |n| (n + 1) % THRESHOLDS.len());
                self.options.threshold = THRESHOLDS[next];
                self.ask(desk);
            }
            Command::Consistency(ConsistencyCommand::Rule) => {
                self.options.rule = match self.options.rule {
                    DistanceRule::Algorithm => DistanceRule::Prose,
                    DistanceRule::Prose => DistanceRule::Algorithm,
                };
                self.ask(desk);
            }
            Command::Consistency(ConsistencyCommand::Legend) => desk.turn_legend(LEGEND),
            Command::Pane(PaneCommand::Peek(step)) => self.difference.scroll(step.into()),
            Command::Pane(PaneCommand::Search) => desk.ask_search(),
            Command::Pane(PaneCommand::Match(step)) => self.step_match(step, desk),
            _ => {}
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn leave(&self, session: &mut Session) {
        let seed = self
            .list
            .ready()
            .and_then(|consistency_list| consistency_list.seeds.get(self.cursor));
        session.item = seed.map(|function_outline| function_outline.name.clone());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let mut seeds = self
            .list
            .ready()
            .into_iter()
            .flat_map(|consistency_list| &consistency_list.seeds);
        let place = seeds.position(|seed| seed.name == item);
        if let Some(place) = place {
            self.go_to(place, desk);
        }
        ("function", place.is_some())
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next function with `needle` in its name.
    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Some(list) = self.list.ready() else {
            desk.request(ScreenRequest::Go(Screen::Consistency));
            return;
        };
        let is_it = |place: usize| {
            let seed = &list.seeds[place];
            let mut names = [&seed.function, &seed.name].into_iter();
            names.any(|name| occurrences(name, needle).next().is_some())
        };
        match step.search(self.cursor, list.seeds.len(), is_it) {
            Some(place) => self.go_to(place, desk),
            None => desk.show_message(
                format!("no function has `{needle}` in its name"),
                Role::Warning,
            ),
        }
    }
}

impl Consistency {
    fn turn_view(&mut self) {
        self.view = match self.view {
            ConsistencyView::Completions => ConsistencyView::Difference,
            ConsistencyView::Difference => ConsistencyView::Completions,
        };
        self.show();
    }

    fn step_variant(&mut self, step: StepDirection) {
        let n = self.item.as_ref().map_or(0, |consistency_function| {
            consistency_function.judged.passes.len()
        });
        if n > 0 {
            self.variant = step.around(self.variant, n);
            self.show();
        }
    }

    fn step_run(&mut self, step: StepDirection, desk: &mut Desk) {
        let Some(list) = self.list.ready() else {
            return;
        };
        let n = list.runs.len();
        if n > 1 {
            let next = step.around(list.at, n);
            self.run = Some(list.runs[next].name.clone());
            self.ask(desk);
        }
    }
}
