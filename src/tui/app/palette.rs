//! The palette: everything that can be done or gone to, by a few letters.
//!
//! Decides its lines and the effect of each. Recent choices come first; samples come last, because the index is asked
//! for them while the user types.

use std::collections::VecDeque;

use crate::app::App;
use crate::browse::FieldScope;
use crate::desk::overlay::{ChoicePurpose, Overlay};
use crate::filter;
use crate::keymap::{Command, KeyContext};
use crate::model::{SampleKey, SampleRow};
use crate::question::Question;
use crate::question::shared::SampleNameQuestion;
use crate::screen::Screen;
use crate::text::visible;
use crate::theme::{Depth, Role};
use crate::widget::chooser::{Chooser, ChooserItem};
use crate::widget::frame::counted;

/// The characters that, typed first, narrow the palette to one sort of line.
const SORTS: &str = ">@#";
const HINT: &str = "all of it · > actions · @ filters · # samples";
/// The number of choices that are remembered.
const RECENT_MAX: usize = 8;

/// The action of a line of the palette.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PaletteAction {
    Run(Command),
    /// The results of a run.
    Results(String),
    /// The samples of a repository.
    Repo(String),
    /// A saved filter, by its name.
    Filter(String),
    Theme(String),
    Sample(SampleKey),
}

/// The lines that the palette offers, and the choices made in it.
#[derive(Debug, Default)]
pub(super) struct Palette {
    /// In the order of the chooser's items.
    goals: Vec<PaletteAction>,
    /// The number of lines that do not depend on the typed text; samples follow.
    n_fixed: usize,
    /// The latest first.
    recent: VecDeque<PaletteAction>,
    /// The text for which samples were asked last.
    sample_text: String,
}

impl App {
    pub(super) fn open_palette(&mut self) {
        self.ask_saved();
        let mut lines = self.palette_lines();
        let recent = &self.palette.recent;
        let age = |goal: &PaletteAction| {
            recent
                .iter()
                .position(|palette_action| palette_action == goal)
        };
        lines.sort_by_key(|(goal, _)| age(goal).unwrap_or(usize::MAX));
        let (goals, choices): (Vec<PaletteAction>, Vec<ChooserItem>) = lines.into_iter().unzip();
        self.palette.n_fixed = goals.len();
        self.palette.goals = goals;
        self.palette.sample_text.clear();
        let chooser = Chooser::new("palette", choices, "").with_sorts(SORTS, HINT);
        self.desk.overlay = Some(Overlay::Choose(ChoicePurpose::Palette, Box::new(chooser)));
    }

    /// Lists every line but samples.
    pub(super) fn palette_lines(&self) -> Vec<(PaletteAction, ChooserItem)> {
        let mut lines = Vec::new();
        let heard = self
            .keys
            .keymap
            .heard_in(KeyContext::On(self.screen()))
            .iter();
        for bound in heard.filter(|key_binding| !key_binding.action.is_numbered()) {
            let action = bound.action;
            let keys = bound.keys_label();
            let is_going = action.id.starts_with("go-");
            let choice = match action.help.split_once(": ") {
                Some((screen, help)) if is_going => {
                    ChooserItem::new(screen, &format!("screen · {help}"), &keys)
                }
                _ => ChooserItem::new(action.id, action.help, &keys),
            };
            lines.push((PaletteAction::Run(action.command), choice.of_sort('>')));
        }
        for (keys, label, command) in self.keys.keymap.own() {
            let choice = ChooserItem::new(label, "your command", &keys);
            lines.push((PaletteAction::Run(command), choice.of_sort('>')));
        }
        for run in self.runs.rows().iter().rev() {
            let name = &run.setting.name;
            let note = format!("run · {}", counted(run.n_samples, "sample"));
            lines.push((
                PaletteAction::Results(name.clone()),
                ChooserItem::new(name, &note, ""),
            ));
        }
        for row in self.home.repos() {
            let name = &row.repo.name;
            let note = format!("repository · {}", counted(row.n_tests, "test"));
            lines.push((
                PaletteAction::Repo(name.clone()),
                ChooserItem::new(name, &note, ""),
            ));
        }
        for (name, text) in self.desk.saved.iter() {
            let choice = ChooserItem::new(&format!("@{name}"), text, "").of_sort('@');
            lines.push((PaletteAction::Filter(name.to_owned()), choice));
        }
        if self.has_themes() {
            for name in self.appearance.themes.names() {
                let note = "live preview";
                let choice = ChooserItem::new(&format!("theme {name}"), note, "");
                lines.push((PaletteAction::Theme(name.to_owned()), choice.of_sort('>')));
            }
        }
        lines
    }

    /// Asks for the samples that fit the typed text, unless it was the last text asked for.
    pub(super) fn ask_named(&mut self) {
        let Some(Overlay::Choose(ChoicePurpose::Palette, chooser)) = &self.desk.overlay else {
            return;
        };
        let (sort, typed) = chooser.sought();
        let typed = match sort {
            None | Some('#') => typed.trim(),
            Some(_) => "",
        };
        if typed == self.palette.sample_text {
            return;
        }
        typed.clone_into(&mut self.palette.sample_text);
        if typed.is_empty() {
            self.take_named(Vec::new());
            self.desk.stop(SampleNameQuestion::SLOT);
            return;
        }
        let named = SampleNameQuestion(self.palette.sample_text.clone());
        self.desk
            .ask_for(named, |app: &mut Self, answer| match answer {
                Ok(rows) => app.take_named(rows),
                Err(failure) => app.desk.show_failure(&failure),
            });
    }

    fn take_named(&mut self, rows: Vec<SampleRow>) {
        let Some(Overlay::Choose(ChoicePurpose::Palette, chooser)) = &mut self.desk.overlay else {
            self.desk.is_dirty = false;
            return;
        };
        let n_fixed = self.palette.n_fixed;
        self.palette.goals.truncate(n_fixed);
        self.palette
            .goals
            .extend(rows.iter().map(|row| PaletteAction::Sample(row.key)));
        let choices = rows.into_iter().map(|row| {
            let name = format!("{}.{}", row.test_class, row.test_name);
            let focal = row.focal.unwrap_or_else(|| "no focal method".to_owned());
            let choice = ChooserItem::new(&visible(&name), &format!("{focal} · {}", row.repo), "");
            ChooserItem {
                is_last: true,
                ..choice.of_sort('#')
            }
        });
        chooser.offer_behind(n_fixed, choices.collect());
    }

    /// Carries out the line at this place of the palette, and remembers it.
    pub(super) fn accept_goal(&mut self, place: usize) {
        let Some(goal) = self.palette.goals.get(place).cloned() else {
            return;
        };
        let recent = &mut self.palette.recent;
        recent.retain(|palette_action| *palette_action != goal);
        recent.push_front(goal.clone());
        recent.truncate(RECENT_MAX);
        match goal {
            PaletteAction::Run(command) => self.run(command),
            PaletteAction::Results(run) => {
                self.results.begin(Some(&run), &mut self.desk);
                self.go(Screen::Results.way());
            }
            PaletteAction::Repo(name) => self.open_samples(&format!("repo:{name}")),
            PaletteAction::Filter(name) => self.apply_saved(&name),
            PaletteAction::Theme(name) => self.keep_theme(&name),
            PaletteAction::Sample(key) => self.open_sample(key, None),
        }
    }

    /// Applies a saved filter: to the screen if it can be filtered so, else to the samples, or to a run if the filter
    /// only fits predictions.
    pub(super) fn apply_saved(&mut self, name: &str) {
        let text = format!("@{name}");
        let is_of_samples = filter::expand(&text, &self.desk.saved, FieldScope::Samples).is_ok();
        let shown = self.scene(self.screen());
        let is_filtered =
            shown.filter_text().is_some() && (is_of_samples || shown.scope() == FieldScope::Run);
        if !is_filtered {
            self.go_to(if is_of_samples {
                Screen::Samples
            } else {
                Screen::Results
            });
        }
        if let Err(flaw) = self.filter_screen(&text) {
            self.desk.show_message(flaw.text, Role::Error);
        }
    }

    /// Tells whether the terminal has enough colours for themes to differ.
    fn has_themes(&self) -> bool {
        !matches!(self.appearance.depth, Depth::Sixteen | Depth::Mono)
    }

    pub(super) fn choose_theme(&mut self) {
        if !self.has_themes() {
            self.desk
                .show_message("only one theme works with so few colours", Role::Dim);
            return;
        }
        let themes = &self.appearance.themes;
        let choice = |name: &str| {
            let note = if themes.is_own(name) { "yours" } else { "" };
            ChooserItem::new(name, note, "")
        };
        let choices = themes.names().map(choice).collect();
        let current = self.appearance.own.clone();
        self.desk
            .choose(ChoicePurpose::Theme, "theme", choices, &current);
    }

    pub(super) fn keep_theme(&mut self, name: &str) {
        name.clone_into(&mut self.appearance.own);
        self.appearance.chosen = Some(name.to_owned());
        self.desk.show_message(format!("theme {name}"), Role::Dim);
    }

    /// Shows the theme under the cursor of a list, else the chosen one.
    pub(super) fn settle_theme(&mut self) {
        let previewed = match &self.desk.overlay {
            Some(Overlay::Choose(ChoicePurpose::Theme, chooser)) => {
                chooser.chosen().map(|pair| pair.1)
            }
            Some(Overlay::Choose(ChoicePurpose::Palette, chooser)) => {
                let place = chooser.chosen().map(|pair| pair.0);
                match place.and_then(|place| self.palette.goals.get(place)) {
                    Some(PaletteAction::Theme(name)) => Some(name.as_str()),
                    _ => None,
                }
            }
            _ => None,
        };
        let name = previewed.unwrap_or(&self.appearance.own);
        if self.appearance.theme.name != name
            && let Ok(theme) = self.appearance.themes.named(name)
        {
            self.appearance.theme = theme;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::all;
    use crate::tests::start;

    #[test]
    fn every_action_of_a_screen_is_in_its_palette() {
        let (mut app, _) = App::new(start(120, 40, "dark", Depth::True));
        let mut n_found = 0;
        for action in all().filter(|key_action| !key_action.is_numbered()) {
            for context in action.contexts {
                let KeyContext::On(screen) = context else {
                    continue;
                };
                app.desk.stack = vec![Screen::Home, *screen];
                let lines = app.palette_lines();
                let found = lines
                    .iter()
                    .any(|(goal, _)| *goal == PaletteAction::Run(action.command));
                assert!(found, "{} on {}", action.id, context.title());
                n_found += 1;
            }
        }
        assert!(n_found > 300, "{n_found}");
    }
}
