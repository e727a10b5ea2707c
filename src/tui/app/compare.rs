//! What the commands of Compare do.

use std::path::PathBuf;

use crate::app::App;
use crate::desk::overlay::{Asked, Choosing, Overlay};
use crate::eval::by::By;
use crate::event::Effect;
use crate::keymap::{
    CompareCommand, ComparedCopy, Copied, Motion, PaneCommand, SampleCommand, Step,
};
use crate::screen::Screen;
use crate::theme::Role;
use crate::widget::chooser::Choice;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_compare(&mut self) {
        self.compare.open(&mut self.desk);
        self.go(&[Screen::Home, Screen::Compare]);
    }

    pub(super) fn run_compare(&mut self, command: CompareCommand) {
        match command {
            CompareCommand::Run => self.choose_compared(Choosing::Run),
            CompareCommand::Baseline => self.choose_compared(Choosing::Baseline),
            CompareCommand::Add => self.choose_compared(Choosing::AnotherRun),
            CompareCommand::Swap => self.compare.swap(&mut self.desk),
            CompareCommand::Drop => {
                if !self.compare.drop_run(&mut self.desk) {
                    self.say("it takes two runs to compare · R another run", Role::Dim);
                }
            }
            CompareCommand::Other => {
                if !self.compare.turn_other(&mut self.desk) {
                    self.say("there are two runs · + adds one", Role::Dim);
                }
            }
            CompareCommand::Metric => {
                let ids = self.compare.metrics().to_vec();
                let current = self.compare.metric().unwrap_or_default();
                self.choose_metric(&ids, current);
            }
            CompareCommand::Slice => self.choose_slices(),
            CompareCommand::Upper => self.compare.turn_upper(),
            CompareCommand::Turn => {
                let text = self.compare.turn(&mut self.desk);
                self.say(text, Role::Dim);
            }
            CompareCommand::Pair => self.compare.turn_pair(),
            CompareCommand::Difference(command) => self.turn_difference(command),
            CompareCommand::Sample => self.open_compared_sample(),
            CompareCommand::Evaluate => match self.compare.names().to_vec().as_slice() {
                [] => self.say("there is no run · gR imports one", Role::Dim),
                names => self.evaluate(names, Vec::new()),
            },
            CompareCommand::SaveFilter => match self.compare.filter_to_save() {
                Some(text) => self.ask_to_save_filter(&text),
                None => self.say("nothing is compared", Role::Dim),
            },
            CompareCommand::Export => self.ask_to_export_compared(),
            CompareCommand::Copy(what) => {
                let taken = self.compare.copied(what);
                self.copy_out(taken);
            }
        }
    }

    fn choose_compared(&mut self, choosing: Choosing) {
        let mut choices = self.run_choices();
        if choosing == Choosing::AnotherRun {
            let compared = self.compare.names();
            choices.retain(|it| !compared.contains(&it.name));
            if choices.is_empty() {
                self.say("there is no other run · gR imports one", Role::Dim);
                return;
            }
        }
        let (title, current) = match choosing {
            Choosing::Baseline => ("baseline A", self.compare.names().first()),
            Choosing::AnotherRun => ("one more run", None),
            _ => ("run B", self.compare.other_name()),
        };
        let current = current.cloned().unwrap_or_default();
        if choices.is_empty() {
            self.say("there is no run · gR imports one", Role::Dim);
            return;
        }
        self.choose(choosing, title, choices, &current);
    }

    /// Offers what slices can be made by, and the tags.
    fn choose_slices(&mut self) {
        let note = |by: By| match by {
            By::Parse => "which of the two answers parse: slices by outcome",
            By::Tag => "no slices: how often each tag occurs in A and B",
            _ => "",
        };
        let choices = By::ALL.iter().chain([&By::Tag]);
        let choices = choices.map(|it| Choice::new(it.as_str(), note(*it), ""));
        self.choose(Choosing::Group, "slices by", choices.collect(), "");
    }

    fn open_compared_sample(&mut self) {
        match (self.compare.shown_key(), self.compare.matcher()) {
            (Some(key), matcher) => self.open_sample(key, matcher),
            (None, _) => self.say("there is no sample under the cursor", Role::Dim),
        }
    }

    fn ask_to_export_compared(&mut self) {
        let Some(name) = self.compare.file_name() else {
            self.say("there is nothing to write", Role::Dim);
            return;
        };
        self.desk.overlay = Some(Overlay::Ask(
            Asked::Export,
            Prompt {
                label: "write to",
                input: Input::new(&name),
                ..Prompt::default()
            },
        ));
    }

    /// Writes the listed samples to the file that was typed.
    pub(super) fn accept_export(&mut self, mut prompt: Prompt) {
        let path = prompt.input.text().trim();
        if path.is_empty() {
            prompt.flaw = Some((0, "which file?".to_owned()));
            self.desk.overlay = Some(Overlay::Ask(Asked::Export, prompt));
            return;
        }
        self.compare.export(PathBuf::from(path), &mut self.desk);
        self.say("writing …", Role::Dim);
    }

    /// What concerns the pane with the focus.
    pub(super) fn run_compare_pane(&mut self, command: PaneCommand) {
        match command {
            PaneCommand::Focus(step) => self.compare.turn_focus(step),
            PaneCommand::Peek(step) => self.compare.peek(step, &mut self.desk),
            PaneCommand::Search => self.ask_for_search(),
            PaneCommand::Match(step) if self.compare.code().is_some() => self.step_match(step),
            PaneCommand::Match(step) => self.step_compared_match(step),
            PaneCommand::Mark(_) | PaneCommand::Wrap => {}
        }
    }

    /// Goes to the next match in the difference, to the next row of that name, or without a search to the next regression.
    pub(super) fn step_compared_match(&mut self, step: Step) {
        let needle = self.compare.needle().to_owned();
        if self.compare.has_difference() && !self.compare.difference().needle().is_empty() {
            self.step_difference_match(step);
        } else if !needle.is_empty() {
            self.find_in_list(&needle, step);
        } else {
            let text = self.compare.step_regression(step, &mut self.desk);
            self.say(text, Role::Dim);
        }
    }

    /// What concerns the sample under the cursor.
    pub(super) fn run_compare_sample(&mut self, command: SampleCommand) {
        match command {
            SampleCommand::Sibling(step) => {
                let motion = Motion::from(step);
                self.compare.step(motion, &mut self.desk);
            }
            SampleCommand::Copy(Copied::Code) => {
                let taken = self.compare.copied(ComparedCopy::Difference);
                self.copy_out(taken);
            }
            SampleCommand::Copy(Copied::Key) => {
                let key = self.compare.shown_key();
                self.copy_out(key.map(|it| (it.to_string(), "the sample's key")));
            }
            SampleCommand::Edit => match self.compare.place() {
                Some((path, line)) => self.desk.push(Effect::Edit { path, line }),
                None => self.say("the mined folder is gone", Role::Warning),
            },
            SampleCommand::Copy(Copied::Path) | SampleCommand::Why | SampleCommand::Facts => {}
        }
    }

    /// Enter.
    pub(super) fn open_compared(&mut self) {
        self.compare.enter(&mut self.desk);
    }
}
