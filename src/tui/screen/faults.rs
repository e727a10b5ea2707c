//! The faults in a focal method, and which of its tests notice them.
//!
//! ```text
//! ┏ calc.bounded · 12 mutants × 3 tests ━━━━━━━━━━━━━━━━━ 2/14 samples ┓
//! ┃   12 ROR  `<` becomes `<=`                       A   S   ·          ┃
//! ┃▌  13 SDL  the statement goes                     A   S   S          ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ calc.py:13 − / mutant + ─────────┐┌ small: survived ────────────────┐
//! │  13 -     total = 0              ││  1 def test_bounded():          │
//! └──────────────────────────────────┘└─────────────────────────────────┘
//! ```
//!
//! Below are the mutant as a difference (for a mutant in byte code, its line in the source), and the test of the
//! column. Decides which sample, mutant and test are shown, and which mutants are listed; asks, runs nothing, and
//! writes people's judgements of mutants.

mod act;
pub mod commands;
mod draw;
#[cfg(test)]
pub mod fixture;
pub mod keys;
mod marking;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::desk::{Desk, QuestionScreen, ScreenRequest};
use crate::execute::matrix::{MatrixColumn, MatrixRow, MutantMatrix};
use crate::mine::language_of;
use crate::model::{MutantPlace, SampleKey, Snippet};
use crate::mutate::fault;
use crate::paint;
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::faults::marking::Marking;
use crate::screen::faults::questions::{FaultMatrixQuestion, FaultSamplesQuestion};
use crate::screen::{AnswerState, Screen};
use crate::text::Doc;
use crate::widget::code::CodeView;
use crate::widget::difference::{DifferenceText, DifferenceView, Mode};

pub use marking::TOKENS;

/// The place that the user comes from: the sample, and the test under the cursor there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultsOrigin {
    pub key: SampleKey,
    /// The name of a run, and the number of the attempt.
    pub test: Option<(String, u32)>,
}

impl FaultsOrigin {
    /// Aims at a sample, with any test of it.
    #[must_use]
    pub const fn at(key: SampleKey) -> Self {
        Self { key, test: None }
    }
}

#[derive(Debug, Default)]
pub struct Faults {
    samples: AnswerState<Vec<SampleKey>>,
    key: Option<SampleKey>,
    /// The test whose column to go to as soon as it is there.
    wanted: Option<(String, u32)>,
    matrix: Option<Box<MutantMatrix>>,
    /// The answer has come, and the sample has no matrix.
    is_without: bool,
    /// The listed mutants, by their indices in the matrix.
    listed: Vec<usize>,
    /// The place among the listed mutants.
    cursor: usize,
    /// The column of the test.
    test: usize,
    /// Lists only mutants that the true test notices and the test of the column does not.
    is_missed_only: bool,
    marking: Marking,
    difference: DifferenceView,
    /// The focal method's file, for mutants in byte code.
    source: CodeView,
    code: CodeView,
    unpainted: Vec<paint::PaintJob>,
    areas: [Rect; 3],
}

impl QuestionScreen for Faults {
    const SCREEN: Screen = Screen::Faults;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot != FaultSamplesQuestion::SLOT {
            desk.show_failure(failure);
            return;
        }
        self.samples = failure.into();
    }
}

impl Faults {
    /// Shows this sample next, with this test.
    pub fn aim(&mut self, aim: FaultsOrigin) {
        if self.key != Some(aim.key) {
            self.matrix = None;
            self.cursor = 0;
        }
        self.key = Some(aim.key);
        self.wanted = aim.test;
    }

    /// Returns the sample on the screen, or the one that will be.
    #[must_use]
    pub const fn shown(&self) -> Option<SampleKey> {
        self.key
    }

    /// Tells whether tests of a sample were run against mutants; false until that is known.
    #[must_use]
    pub fn has(&self, key: SampleKey) -> bool {
        self.samples
            .ready()
            .is_some_and(|sample_keys| sample_keys.contains(&key))
    }

    fn ask(desk: &mut Desk) {
        desk.ask(FaultSamplesQuestion, Self::take_samples);
    }

    fn take_samples(&mut self, samples: Vec<SampleKey>, desk: &mut Desk) {
        self.key = self.key.or_else(|| samples.first().copied());
        self.samples = AnswerState::Ready(samples);
        desk.request(ScreenRequest::Restore(Screen::Faults));
        self.ask_matrix(desk);
    }

    fn ask_matrix(&mut self, desk: &mut Desk) {
        if let Some(key) = self.key {
            desk.ask(FaultMatrixQuestion(key), Self::take_matrix);
        }
    }

    fn take_matrix(&mut self, matrix: Option<Box<MutantMatrix>>, _desk: &mut Desk) {
        self.is_without = matrix.is_none();
        let n_columns = matrix
            .as_ref()
            .map_or(0, |mutant_matrix| mutant_matrix.columns.len());
        self.matrix = matrix;
        let column = |matrix: &MutantMatrix, wanted: &(String, u32)| {
            let mut columns = matrix.columns.iter();
            columns.position(|column| (&column.run, column.attempt) == (&wanted.0, wanted.1))
        };
        let wanted = self.wanted.take();
        let found = self.matrix.as_deref().zip(wanted.as_ref());
        let found = found.and_then(|(matrix, wanted)| column(matrix, wanted));
        self.test = found.unwrap_or(self.test).min(n_columns.saturating_sub(1));
        self.list();
    }

    /// Lists the mutants anew; the cursor stays on its mutant, where that is listed.
    fn list(&mut self) {
        let at = self.listed.get(self.cursor).copied();
        let is_listed = |matrix: &MutantMatrix, line: &MatrixRow| {
            !self.is_missed_only || matrix.is_missed(line, self.test)
        };
        self.listed = self.matrix.as_deref().map_or_else(Vec::new, |matrix| {
            let lines = matrix.lines.iter().enumerate();
            let lines = lines.filter(|(_, line)| is_listed(matrix, line));
            lines.map(|(place, _)| place).collect()
        });
        let place = self.listed.iter().position(|n| Some(*n) == at);
        let last = self.listed.len().saturating_sub(1);
        self.cursor = place.unwrap_or_else(|| self.cursor.min(last));
        self.show();
    }

    fn line_shown(&self) -> Option<&MatrixRow> {
        let place = *self.listed.get(self.cursor)?;
        self.matrix.as_ref()?.lines.get(place)
    }

    fn test_shown(&self) -> Option<&MatrixColumn> {
        self.matrix.as_ref()?.columns.get(self.test)
    }

    /// Tells whether the mutant under the cursor is shown as a difference, not as a line of the file.
    fn is_difference(&self) -> bool {
        let is_text =
            |matrix_row: &MatrixRow| matches!(matrix_row.mutant.place, MutantPlace::Text { .. });
        self.line_shown().is_some_and(is_text)
    }

    /// Shows the two texts that belong to the items under the cursors.
    fn show(&mut self) {
        let (old, new) = self.texts().unwrap_or_default();
        self.difference.set_mode(Mode::Unified);
        self.difference.show(old, new);
        self.unpainted = self.difference.jobs().collect();
        let source = self.file();
        let test = self.test_text();
        for (view, doc) in [(&mut self.source, source), (&mut self.code, test)] {
            self.unpainted.extend(doc.jobs());
            view.show(doc.into());
        }
    }

    /// Returns the file unchanged and with the mutant under the cursor; nothing if the file has changed since.
    fn texts(&self) -> Option<(DifferenceText, DifferenceText)> {
        let matrix = self.matrix.as_ref()?;
        let mutant = &self.line_shown()?.mutant;
        let source = matrix.source.as_deref()?;
        let changed = fault::is_of(source, mutant).then(|| fault::applied(source, mutant));
        let text = |title: &str, text: &str| DifferenceText {
            title: title.to_owned(),
            text: text.to_owned(),
            first_line: 1,
            language: language_of(&matrix.path),
        };
        Some((text("as it is", source), text("mutant", &changed??)))
    }

    fn file(&self) -> Doc {
        let mut doc = Doc::default();
        if let Some((matrix, line)) = self.matrix.as_deref().zip(self.line_shown())
            && let Some(source) = matrix.source.as_deref()
            // An abstract method's mutants may be in the file of an implementation.
            && line.mutant.file == matrix.path
        {
            doc.push_snippet(&snippet(&matrix.focal, &matrix.path, source));
            let number = Some(line.mutant.line);
            if let Some(line) = doc.lines.iter_mut().find(|line| line.number == number) {
                line.sign = Some(("▷", crate::theme::Role::Warning));
            }
        }
        doc
    }

    fn test_text(&self) -> Doc {
        let mut doc = Doc::default();
        if let Some((matrix, column)) = self.matrix.as_deref().zip(self.test_shown())
            && let Some(text) = &column.text
        {
            doc.push_snippet(&snippet(&matrix.test, &matrix.path, text));
        }
        doc
    }

    fn go_to(&mut self, place: usize) {
        let place = place.min(self.listed.len().saturating_sub(1));
        if place != self.cursor {
            self.cursor = place;
            self.show();
        }
    }

    fn go_to_test(&mut self, column: usize) {
        let n = self
            .matrix
            .as_ref()
            .map_or(0, |mutant_matrix| mutant_matrix.columns.len());
        let column = column.min(n.saturating_sub(1));
        if column != self.test {
            self.test = column;
            self.list();
        }
    }
}

fn snippet(key: &str, path: &str, text: &str) -> Snippet {
    Snippet {
        key: key.to_owned(),
        package: None,
        path: path.to_owned(),
        first_line: 1,
        name_line: 1,
        text: text.to_owned(),
        marks: Vec::new(),
    }
}
