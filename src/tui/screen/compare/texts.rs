//! Texts about Compare: the line above it, texts for the clipboard, the list for a file.

use std::path::PathBuf;
use std::sync::Arc;

use crate::desk::Desk;
use crate::eval::pairing::Selection;
use crate::eval::results::is_of_samples;
use crate::model::{Matcher, SampleKey};
use crate::screen::compare::Compare;
use crate::screen::compare::commands::ComparedCopy;
use crate::screen::compare::questions::ComparedExportQuestion;
use crate::screen::{AnswerState, cells};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, counted};

impl Compare {
    /// Returns a text for the clipboard, and its name.
    #[must_use]
    pub fn copied(&self, what: ComparedCopy) -> Option<(String, &'static str)> {
        let texts = &self.shown.as_ref()?.texts;
        let answer = |run: usize| texts.predictions.get(run).cloned();
        Some(match what {
            ComparedCopy::Truth => (texts.reference.clone()?, "the ground truth"),
            ComparedCopy::Baseline => (answer(0)?, "A's answer"),
            ComparedCopy::Other => (answer(self.other)?, "B's answer"),
            ComparedCopy::Difference => (self.views[self.pair as usize].copied(), "the difference"),
        })
    }

    #[must_use]
    pub fn shown_key(&self) -> Option<SampleKey> {
        self.shown
            .as_ref()
            .map(|compared_sample| compared_sample.key)
    }

    #[must_use]
    pub fn matcher(&self) -> Option<Matcher> {
        let (_, shared) = self.pairing.ready()?;
        shared.runs.first().map(|run| run.setting.matcher)
    }

    /// Returns file and line of the ground truth.
    #[must_use]
    pub fn place(&self) -> Option<(PathBuf, u32)> {
        self.shown.as_ref()?.at.clone()
    }

    /// Chooses a name for the file that the list is written to; nothing when there is no list.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        self.ordered
            .as_ref()
            .filter(|difference_order| !difference_order.order.is_empty())?;
        let plain = |name: &str| -> String {
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            name.chars().map(plain).collect()
        };
        let (first, second) = (plain(self.name(0)), plain(self.name(self.other)));
        Some(format!("{second}-against-{first}.jsonl"))
    }

    /// Writes the line above the screen.
    #[must_use]
    pub fn line(&self) -> String {
        let AnswerState::Ready((_, shared)) = &self.pairing else {
            return match self.names.len() {
                0 => "runs on the samples they share".to_owned(),
                _ => self.names.join(" · "),
            };
        };
        let filter = match &self.filter_text {
            none if none.is_empty() => "every sample · f filters".to_owned(),
            text if is_of_samples(&self.filter) => text.clone(),
            // Conditions on an answer hold for one run's answer.
            text => format!("of {}: {text}", self.letter(self.other)),
        };
        let more = match self.names.len() {
            0..=2 => String::new(),
            n => format!(" ({} of {} runs, c turns)", self.other, n - 1),
        };
        let n = match &self.selection {
            _ if self.is_waiting() => cells::progress(&self.watched.0),
            Some(selection) if selection.len() == shared.n => {
                format!("{} shared", count(selection.len() as u64))
            }
            Some(selection) => {
                let (n, n_all) = (count(selection.len() as u64), count(shared.n as u64));
                format!("{n} of {n_all} shared")
            }
            None => "…".to_owned(),
        };
        let alone = self.selection.as_ref().map_or(&[][..], Selection::n_alone);
        let alone = [0, self.other].map(|run| (run, alone.get(run).copied().unwrap_or(0)));
        let alone = alone
            .into_iter()
            .filter(|alone| alone.1 > 0)
            .map(|(run, n)| {
                let n = counted(n, "sample");
                format!(" · {n} of {} left out", self.letter(run))
            });
        let alone = alone.collect::<Vec<_>>().concat();
        visible(&format!(
            "A {} (baseline) against {} {}{more} · {filter} · {n}{alone}",
            self.name(0),
            self.letter(self.other),
            self.name(self.other)
        ))
    }

    /// Writes the listed samples.
    pub fn export(&self, path: PathBuf, desk: &mut Desk) {
        if let (AnswerState::Ready((pairing, _)), Some(ordered)) = (&self.pairing, &self.ordered) {
            let export = ComparedExportQuestion {
                pairing: pairing.clone(),
                order: Arc::clone(&ordered.order),
                path,
            };
            desk.ask(export, |_: &mut Self, (n, path), desk| {
                let path = visible(&path.display().to_string());
                let samples = counted(n as u64, "sample");
                desk.show_message(format!("wrote {samples} to {path}"), Role::Good);
            });
        }
    }
}
