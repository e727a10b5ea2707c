//! Who judges: the known name, the name of an earlier session, and the question which of them holds.
//!
//! Decides that nothing is written in a name that nobody confirmed. A name that was given explicitly (`--as`, the
//! settings) holds; one that an old session left must be confirmed first, for somebody else may sit there now.

use crate::app::{App, UiStart};
use crate::desk::overlay::{ChoicePurpose, InputPurpose};
use crate::filter::FilterFlaw;
use crate::model::is_annotator;
use crate::scene::Scene;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::bar::BarNote;
use crate::widget::chooser::ChooserItem;

/// The known names.
#[derive(Debug, Default)]
pub(super) struct AnnotatorNames {
    /// The name at the start of the program: from `--as`, the settings or the system; empty where none of them has one.
    started: String,
    /// The name that was entered here, or in the session before.
    pub entered: Option<String>,
    /// The name of the session before, until the user says whether it still holds.
    doubted: Option<String>,
    /// The names in the open question, in its order.
    offered: Vec<String>,
}

impl AnnotatorNames {
    pub fn new(start: &UiStart) -> Self {
        let entered = start.session.annotator.clone();
        let entered = entered.filter(|name| is_annotator(name));
        let started = start.reviewing.annotator.clone();
        let doubted = entered.clone();
        let doubted = doubted.filter(|name| !start.reviewing.is_named && *name != started);
        Self {
            started,
            entered,
            doubted,
            offered: Vec::new(),
        }
    }
}

impl App {
    /// Tells whether the name is too uncertain to write anything in it.
    pub(super) fn must_ask_name(&self) -> bool {
        self.annotate.reviewing.annotator.is_empty() || self.annotator_names.doubted.is_some()
    }

    /// Asks in whose name verdicts are given: one of the known names, or another.
    pub(super) fn ask_name(&mut self) {
        let now = &self.annotate.reviewing.annotator;
        let known = [
            (
                self.annotator_names.doubted.as_ref(),
                "the name of your last session",
            ),
            (Some(now), "the current name"),
            (
                Some(&self.annotator_names.started),
                "your name from the settings or the system",
            ),
        ];
        let mut names: Vec<String> = Vec::new();
        let mut choices = Vec::new();
        for (name, note) in known {
            if let Some(name) = name.filter(|name| !name.is_empty() && !names.contains(name)) {
                choices.push(ChooserItem::new(&visible(name), note, ""));
                names.push(name.clone());
            }
        }
        self.annotator_names.offered = names;
        if choices.is_empty() {
            self.ask_another_name();
            return;
        }
        choices.push(ChooserItem::new("another name", "type it", ""));
        self.desk
            .choose(ChoicePurpose::Annotator, "judge as whom?", choices, "");
    }

    fn ask_another_name(&mut self) {
        self.desk.ask_line(InputPurpose::Annotator, "your name", "");
    }

    /// Takes a name by its place in the question; the last place stands for another name.
    pub(super) fn choose_name(&mut self, place: usize) {
        match self.annotator_names.offered.get(place).cloned() {
            Some(name) => {
                if let Err(flaw) = self.accept_annotator(&name) {
                    self.desk.show_message(flaw.text, Role::Error);
                }
            }
            None => self.ask_another_name(),
        }
    }

    /// Takes the name in which verdicts are given from now on.
    ///
    /// # Errors
    /// The text cannot be a name.
    pub(super) fn accept_annotator(&mut self, text: &str) -> Result<(), FilterFlaw> {
        let name = text.trim();
        if !is_annotator(name) {
            let text = "a name of your own, as others will see it".to_owned();
            return Err(FilterFlaw::new(0, text));
        }
        self.annotator_names.entered = Some(name.to_owned());
        self.annotator_names.doubted = None;
        if name != self.annotate.reviewing.annotator {
            self.results.set_annotator(name);
            self.faults.set_annotator(name);
            self.disagree.set_annotator(name, &mut self.desk);
            self.annotate.set_annotator(name, &mut self.desk)?;
        }
        let text = format!("you are {} · nothing is saved yet", visible(name));
        self.desk.show_message(text, Role::Dim);
        Ok(())
    }

    /// Writes the note in the bar at the top: who judges, and what the screen or the workspace is about.
    pub(super) fn note_at_the_top(&self, scene: &dyn Scene) -> BarNote {
        let own = scene.summary();
        let is_own = own.is_some();
        let text = own.or_else(|| self.home.summary()).unwrap_or_default();
        let parts = text.split(" · ").filter(|part| !part.is_empty());
        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
        // Where people judge, the name comes first.
        let place = if is_own { 0 } else { parts.len() };
        let kept = self
            .who_label()
            .or_else(|| is_own.then(|| NOBODY.to_owned()));
        let kept = kept.map(|who| {
            parts.insert(place, who);
            place
        });
        BarNote { parts, kept }
    }

    /// Writes the name, or the names where it is uncertain which of them holds; nothing where nobody knows one.
    fn who_label(&self) -> Option<String> {
        let now = visible(&self.annotate.reviewing.annotator);
        match &self.annotator_names.doubted {
            Some(other) if now.is_empty() => Some(format!("{}?", visible(other))),
            Some(other) => Some(format!("{now} or {}?", visible(other))),
            None => (!now.is_empty()).then_some(now),
        }
    }
}

const NOBODY: &str = "no name yet";
