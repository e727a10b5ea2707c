//! What keys and pointer do on Consistency.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::consistency::outliers::{Rule, THRESHOLDS};
use crate::desk::{Desk, Wish};
use crate::keymap::{Command, Motion, PaneCommand, Step};
use crate::layout::{above, beside};
use crate::scene::Scene;
use crate::screen::consistency::commands::ConsistencyCommand;
use crate::screen::consistency::{Consistency, View};
use crate::screen::{Look, Screen};
use crate::widget::frame::inside;

/// Rows of the matrix of ten completions, with head and border.
const MATRIX_HEIGHT: u16 = 13;
/// Its columns: ten numbers, their names, how many are far and what is said of each; on a narrow screen not how many.
const MATRIX_WIDTH: u16 = 58;
const MATRIX_WIDTH_NARROW: u16 = 53;

/// Rows of the texts below.
const TEXTS_MIN: u16 = 6;

impl Scene for Consistency {
    fn arrange(&mut self, body: Rect, _desk: &mut Desk) {
        let height = MATRIX_HEIGHT
            .min(body.height.saturating_sub(TEXTS_MIN))
            .max(5);
        let [upper, lower] = above(body, height);
        let of_matrix = if body.width < 100 {
            MATRIX_WIDTH_NARROW
        } else {
            MATRIX_WIDTH
        };
        let width = body
            .width
            .saturating_sub(of_matrix)
            .max(body.width * 3 / 10);
        let [list, matrix] = beside(upper, width);
        let [left, right] = beside(lower, lower.width / 2);
        self.areas = [list, matrix, left, right];
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, look: Look<'_>) {
        Self::draw(self, buffer, look);
    }

    fn line(&self) -> String {
        let rule = match self.options.rule {
            Rule::Algorithm => "similarity below the median",
            Rule::Prose => "distance above the mean",
        };
        format!(
            "outlier: {rule} in {} or more · J K scroll the texts",
            self.options.threshold
        )
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        let step = match motion {
            Motion::Left => Some(Step::Previous),
            Motion::Right => Some(Step::Next),
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
        let n = self.item.as_ref().map_or(0, |it| it.judged.passes.len());
        if rows.contains(at) && at.y > rows.y && usize::from(at.y - rows.y - 1) < n {
            self.variant = usize::from(at.y - rows.y - 1);
            self.top = 0;
            return true;
        }
        false
    }

    fn open(&mut self, _desk: &mut Desk) {
        self.turn_view();
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        let was_difference = self.view == View::Difference;
        self.view = View::Completions;
        was_difference
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Consistency(ConsistencyCommand::Run(step)) => self.step_run(step, desk),
            Command::Consistency(ConsistencyCommand::Variant(step)) => self.step_variant(step),
            Command::Consistency(ConsistencyCommand::View) => self.turn_view(),
            Command::Consistency(ConsistencyCommand::Threshold) => {
                let at = THRESHOLDS
                    .iter()
                    .position(|it| *it == self.options.threshold);
                let next = at.map_or(0, |it| (it + 1) % THRESHOLDS.len());
                self.options.threshold = THRESHOLDS[next];
                self.ask(desk);
            }
            Command::Consistency(ConsistencyCommand::Rule) => {
                self.options.rule = match self.options.rule {
                    Rule::Algorithm => Rule::Prose,
                    Rule::Prose => Rule::Algorithm,
                };
                self.ask(desk);
            }
            Command::Pane(PaneCommand::Peek(step)) => {
                let most = self.n_lines().saturating_sub(1);
                self.top = match step {
                    Step::Next => (self.top + 1).min(most),
                    Step::Previous => self.top.saturating_sub(1),
                };
            }
            _ => {}
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn leave(&self, session: &mut Session) {
        let seed = self.list.ready().and_then(|it| it.seeds.get(self.cursor));
        session.item = seed.map(|it| it.name.clone());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let mut seeds = self.list.ready().into_iter().flat_map(|it| &it.seeds);
        let place = seeds.position(|it| it.name == item);
        if let Some(place) = place {
            self.go_to(place, desk);
        }
        ("function", place.is_some())
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next function that holds `needle` in its name.
    fn find(&mut self, needle: &str, step: Step, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Some(list) = self.list.ready() else {
            desk.wish(Wish::Go(Screen::Consistency));
            return;
        };
        let is_it = |place: usize| list.seeds[place].function.contains(needle);
        if let Some(place) = step.search(self.cursor, list.seeds.len(), is_it) {
            self.go_to(place, desk);
        }
    }
}

impl Consistency {
    fn turn_view(&mut self) {
        self.top = 0;
        self.view = match self.view {
            View::Completions => View::Difference,
            View::Difference => View::Completions,
        };
    }

    fn step_variant(&mut self, step: Step) {
        let n = self.item.as_ref().map_or(0, |it| it.judged.passes.len());
        if n > 0 {
            self.top = 0;
            self.variant = step.around(self.variant, n);
        }
    }

    fn step_run(&mut self, step: Step, desk: &mut Desk) {
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
