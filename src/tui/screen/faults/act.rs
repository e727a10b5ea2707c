//! The commands and the pointer of Faults.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::desk::{Desk, ScreenRequest};
use crate::keymap::{Command, Motion, PaneCommand, StepDirection};
use crate::layout::{above, beside};
use crate::model::SampleKey;
use crate::paint;
use crate::scene::Scene;
use crate::screen::faults::commands::FaultsCommand;
use crate::screen::faults::draw::CELL;
use crate::screen::faults::questions::MissedMutantQuestion;
use crate::screen::faults::{Faults, FaultsOrigin};
use crate::screen::pen::warn;
use crate::screen::{AnswerState, DrawContext};
use crate::scribe::{AnnotatorAction, ScribeReply};
use crate::theme::Role;
use crate::widget::frame::inside;

/// The least height of the lower panes.
const TEXTS_MIN: u16 = 8;

/// The meaning of letters and signs.
const LEGEND: &[(&str, &str)] = &[
    ("A", "noticed by an assertion"),
    ("E", "noticed: something else was thrown"),
    ("S", "survives: the test passes on it"),
    ("T", "noticed: the test does not end in time"),
    ("M", "noticed: the test runs out of memory"),
    ("·", "not covered: the test does not reach the change"),
    (
        "x",
        "not viable: the changed code does not load; counts in no score",
    ),
    ("~", "unstable: repeated runs differ; counts in no score"),
    ("blank", "the test was run against other mutants"),
    ("=", "marked as equivalent; counts in no score"),
    ("≠", "marked as equivalent, but a test kills it: it counts"),
    (
        "◂",
        "the true test notices it, and the test of the column does not",
    ),
];

impl Scene for Faults {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        let height = (body.height / 2)
            .min(body.height.saturating_sub(TEXTS_MIN))
            .max(5);
        let [upper, lower] = above(body, height);
        let [left, right] = beside(lower, lower.width / 2);
        self.areas = [upper, left, right];
        self.difference.arrange(inside(left), desk.wraps);
        self.source.arrange(inside(left), desk.wraps);
        if let Some(line) = self.line_shown().map(|matrix_row| matrix_row.mutant.line) {
            self.source.reveal(line);
        }
        self.code.arrange(inside(right), desk.wraps);
    }

    fn painted(&mut self, _at_ms: i64) {
        self.note_painted();
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        let Some(column) = self.test_shown() else {
            return "faults that tests notice".to_owned();
        };
        let which = if self.is_missed_only {
            "only mutants that the true test notices and this one misses · "
        } else {
            ""
        };
        let name = Self::name_of(column);
        match column.counts {
            Some(counts) => format!(
                "{which}{name}: mutation score {} · strength {}",
                counts.score_label(),
                counts.strength_label()
            ),
            None => format!("{which}{name}: no score, it was not run on all mutants"),
        }
    }

    fn scroll(&mut self, motion: Motion, _desk: &mut Desk) {
        match motion {
            Motion::Left => self.go_to_test(self.test.saturating_sub(1)),
            Motion::Right => self.go_to_test(self.test + 1),
            _ => {
                let page = self.n_rows().max(1);
                self.go_to(motion.moved(self.cursor, page));
            }
        }
    }

    fn point(&mut self, at: Position, _desk: &mut Desk) -> bool {
        let rows = inside(self.areas[0]);
        if !rows.contains(at) || at.y == rows.y {
            return false;
        }
        let place = self.list_top() + usize::from(at.y - rows.y - 1);
        if place >= self.listed.len() {
            return false;
        }
        self.go_to(place);
        let columns = self.columns_area();
        if columns.contains(at) {
            self.go_to_test(self.first_column() + usize::from((at.x - columns.x) / CELL));
        }
        true
    }

    /// Opens the sample itself.
    fn open(&mut self, desk: &mut Desk) {
        if let Some(key) = self.key {
            desk.request(ScreenRequest::Sample(key, None));
        }
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        let was_missed_only = self.is_missed_only;
        if was_missed_only {
            self.is_missed_only = false;
            self.list();
        }
        was_missed_only
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Faults(FaultsCommand::Survivor(step)) => self.step_survivor(step, desk),
            Command::Faults(FaultsCommand::Missed) => self.turn_missed(desk),
            Command::Faults(FaultsCommand::Sample(step)) => self.step_sample(step, desk),
            Command::Faults(FaultsCommand::Equivalent) => warn(self.mark(desk), desk),
            Command::Faults(FaultsCommand::Undo) => {
                warn(self.turn_back(AnnotatorAction::Undo, desk), desk);
            }
            Command::Faults(FaultsCommand::Redo) => {
                warn(self.turn_back(AnnotatorAction::Redo, desk), desk);
            }
            Command::Faults(FaultsCommand::Legend) => desk.turn_legend(LEGEND),
            Command::Pane(PaneCommand::Peek(step)) => self.code.scroll(step.into()),
            _ => {}
        }
    }

    fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) {
        let message = self.written(written, desk);
        desk.show_if_some(message);
    }

    fn enter(&mut self, desk: &mut Desk) {
        Self::ask(desk);
    }

    fn leave(&self, session: &mut Session) {
        session.item = self.key.map(|sample_key| sample_key.to_string());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let key = SampleKey::parse(item);
        if let Some(key) = key {
            self.aim(FaultsOrigin::at(key));
            self.ask_matrix(desk);
        }
        ("sample", key.is_some())
    }
}

impl Faults {
    fn step_survivor(&mut self, step: StepDirection, desk: &mut Desk) {
        let Some(matrix) = &self.matrix else {
            return;
        };
        let is_it = |place: usize| {
            let line = self.listed.get(place).and_then(|n| matrix.lines.get(*n));
            // An annotator who has marked a mutant has looked at it already.
            line.is_some_and(|matrix_row| {
                matrix_row.survives(self.test) && !matrix_row.is_equivalent()
            })
        };
        match step.search(self.cursor, self.listed.len(), is_it) {
            Some(place) => self.go_to(place),
            None => desk.show_message("this test notices all of them", Role::Good),
        }
    }

    fn turn_missed(&mut self, desk: &mut Desk) {
        let truth = self
            .matrix
            .as_ref()
            .and_then(|mutant_matrix| mutant_matrix.truth());
        if !self.is_missed_only && truth.is_none() {
            let text = "the true test was not run against them · execute --truth --faults";
            desk.show_message(text, Role::Warning);
            return;
        }
        self.is_missed_only = !self.is_missed_only;
        if self.is_missed_only && truth == Some(self.test) {
            self.test = self.first_missing().unwrap_or(self.test);
        }
        self.list();
        if self.is_missed_only && self.listed.is_empty() {
            let text = if truth == Some(self.test) {
                "no other test was run against these mutants"
            } else {
                "the true test notices no more than this one"
            };
            desk.show_message(text, Role::Good);
        }
    }

    /// Finds the first test, apart from the true one, that misses a mutant which the true test notices; else the first
    /// of them.
    fn first_missing(&self) -> Option<usize> {
        let matrix = self.matrix.as_ref()?;
        let truth = matrix.truth();
        let mut others = (0..matrix.columns.len()).filter(|n| Some(*n) != truth);
        let misses = |column: &usize| {
            matrix
                .lines
                .iter()
                .any(|line| matrix.is_missed(line, *column))
        };
        others.clone().find(misses).or_else(|| others.next())
    }

    /// Goes to the neighbouring sample; while only missed mutants are listed, to the next sample that has some.
    fn step_sample(&mut self, step: StepDirection, desk: &mut Desk) {
        let AnswerState::Ready(samples) = &self.samples else {
            return;
        };
        if samples.is_empty() {
            return;
        }
        // The same run's answer to the next sample.
        let test = self
            .test_shown()
            .map(|matrix_column| (matrix_column.run.clone(), matrix_column.attempt));
        let at = samples.iter().position(|sample| Some(*sample) == self.key);
        let next = at.map_or(0, |n| step.around(n, samples.len()));
        if let (true, Some(test)) = (self.is_missed_only, &test) {
            let places =
                std::iter::successors(Some(next), |n| Some(step.around(*n, samples.len())));
            let samples = places
                .take(samples.len())
                .map(|place| samples[place])
                .collect();
            let test = test.clone();
            desk.ask(MissedMutantQuestion { samples, test }, Self::take_missed);
            return;
        }
        self.aim(FaultsOrigin {
            key: samples[next],
            test,
        });
        self.ask_matrix(desk);
    }

    fn take_missed(&mut self, found: Option<SampleKey>, desk: &mut Desk) {
        match found {
            Some(key) if Some(key) != self.key => {
                let test = self
                    .test_shown()
                    .map(|matrix_column| (matrix_column.run.clone(), matrix_column.attempt));
                self.aim(FaultsOrigin { key, test });
                self.ask_matrix(desk);
            }
            _ => desk.show_message("this run misses no mutants of other samples", Role::Good),
        }
    }
}
