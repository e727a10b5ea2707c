//! What the commands of Results do.

use crate::app::App;
use crate::app::typing::mark;
use crate::desk::overlay::{Asked, Choosing, Overlay};
use crate::eval::by::By;
use crate::event::Effect;
use crate::keymap::{
    Copied, DifferenceCommand, Motion, PaneCommand, ResultCopy, ResultsCommand, SampleCommand, Step,
};
use crate::question::shared::Detail;
use crate::screen::Screen;
use crate::screen::results::{Column, SAVE, column_words};
use crate::scribe::Said;
use crate::theme::Role;
use crate::widget::chooser::Chooser;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;
use crate::words;

impl App {
    /// Opens the screen on the run under the cursor of the runs, else on what it showed before, if only in the session
    /// before, else on the newest run. While nobody knows which runs there are, only the screen is there.
    pub(super) fn go_results(&mut self) {
        let under_cursor = match self.screen() {
            Screen::Runs => self.runs.selected().map(|it| it.setting.name.clone()),
            _ => None,
        };
        if !self.results.is_open && !self.runs.is_known() {
            self.go(&[Screen::Home, Screen::Results]);
            return;
        }
        let newest = || self.runs.rows().last().map(|it| it.setting.name.clone());
        let shown = || self.results.options().run.clone();
        let run = under_cursor.or_else(shown).or_else(newest);
        self.results.open(run.as_deref(), &mut self.desk);
        self.go(&[Screen::Home, Screen::Results]);
    }

    /// Opens the screen if somebody has gone there before it was known which runs there are.
    pub(super) fn open_waiting_results(&mut self) {
        if self.screen() == Screen::Results && !self.results.is_open {
            self.go_results();
        }
    }

    pub(super) fn run_results(&mut self, command: ResultsCommand) {
        match command {
            ResultsCommand::Run => self.choose_run(),
            ResultsCommand::Baseline => self.choose_baseline(),
            ResultsCommand::Metric => {
                let view = self.results.view();
                let ids = view.map_or_else(Vec::new, |it| it.metrics.clone());
                let current = view.and_then(|it| it.metric).unwrap_or_default();
                self.choose_metric(&ids, current);
            }
            ResultsCommand::Group => self.choose_group(By::OF_RESULTS),
            ResultsCommand::Columns => self.ask_columns(),
            ResultsCommand::Sort(by) => {
                if let Err(text) = self.results.sort(by, &mut self.desk) {
                    self.say(text, Role::Dim);
                }
            }
            ResultsCommand::Mode => self.turn_difference(DifferenceCommand::Mode),
            ResultsCommand::Space => self.turn_difference(DifferenceCommand::Space),
            ResultsCommand::Hunk(step) => self.turn_difference(DifferenceCommand::Hunk(step)),
            ResultsCommand::Fold => self.turn_difference(DifferenceCommand::Fold),
            ResultsCommand::Context(step) => {
                self.turn_difference(DifferenceCommand::Context(step));
            }
            ResultsCommand::Costs => {
                let text = if self.results.difference().toggle_costs() {
                    "the gutter shows what each line cost"
                } else {
                    "costs are hidden"
                };
                self.say(text, Role::Dim);
            }
            ResultsCommand::Breakdown => self.results.toggle_breakdown(),
            ResultsCommand::Nearest => self.results.toggle_nearest(&mut self.desk),
            ResultsCommand::Sample => self.open_result_sample(),
            ResultsCommand::Evaluate => match self.results.options().run.clone() {
                Some(run) => self.evaluate(&[run], Vec::new()),
                None => self.say("there is no run · gR imports one", Role::Dim),
            },
            ResultsCommand::Copy(what) => {
                let taken = self.results.copied(what);
                self.copy_out(taken);
            }
            ResultsCommand::Tag => match self.results.check_tags() {
                Ok(chooser) => {
                    self.desk.overlay = Some(Overlay::Choose(Choosing::Tags, Box::new(chooser)));
                }
                Err(text) => self.say(text, Role::Warning),
            },
            ResultsCommand::Equal | ResultsCommand::Undo | ResultsCommand::Redo => {
                let desk = &mut self.desk;
                let said = match command {
                    ResultsCommand::Equal => self.results.call_equal(desk),
                    ResultsCommand::Undo => self.results.turn_back(Said::Undo, desk),
                    _ => self.results.turn_back(Said::Redo, desk),
                };
                self.warn(said);
            }
            ResultsCommand::Export => self.ask_to_export(),
        }
    }

    /// Says why something could not be done.
    fn warn(&mut self, said: Result<(), String>) {
        if let Err(text) = said {
            self.say(text, Role::Warning);
        }
    }

    /// Checks a tag, or writes those that are checked.
    pub(super) fn accept_tags(&mut self, mut chooser: Box<Chooser>) {
        let is_save = chooser.chosen().is_some_and(|it| it.1 == SAVE);
        if let Some(checked) = chooser.checked().filter(|_| is_save) {
            let said = self.results.tag(checked, &mut self.desk);
            self.warn(said);
        } else {
            chooser.toggle();
            self.desk.overlay = Some(Overlay::Choose(Choosing::Tags, chooser));
        }
    }

    fn ask_columns(&mut self) {
        let columns = self.results.columns().iter();
        let words: Vec<&str> = columns.map(|it| it.word()).collect();
        self.desk.overlay = Some(Overlay::Ask(
            Asked::Columns,
            Prompt {
                label: "columns",
                input: Input::new(&(words.join(" ") + " ")),
                ..Prompt::default()
            },
        ));
        self.after_typing();
    }

    /// Checks and completes the columns that are typed.
    pub(super) fn check_columns(&mut self) {
        let words = self.results.view().map_or_else(Vec::new, column_words);
        if let Some(Overlay::Ask(Asked::Columns, prompt)) = &mut self.desk.overlay {
            prompt.completions = words::complete(prompt.input.before_cursor(), words);
            let flaw = Column::parse_all(prompt.input.text()).err();
            mark(prompt, flaw);
        }
    }

    /// Shows the columns that were typed, or what is wrong with them.
    pub(super) fn accept_columns(&mut self, mut prompt: Prompt) {
        match Column::parse_all(prompt.input.text()) {
            Ok(columns) => self.results.set_columns(columns),
            Err(flaw) => {
                prompt.flaw = Some(flaw);
                prompt.completions = Vec::new();
                self.desk.overlay = Some(Overlay::Ask(Asked::Columns, prompt));
            }
        }
    }

    fn open_result_sample(&mut self) {
        let Some(key) = self.results.shown().map(|it| it.detail.row.key) else {
            self.say("there is no sample under the cursor", Role::Dim);
            return;
        };
        let matcher = self.results.view().map(|it| it.run.setting.matcher);
        self.open_sample(key, matcher);
    }

    /// Opens a sample over the screen; `q` comes back.
    pub(super) fn open_sample(
        &mut self,
        key: crate::model::SampleKey,
        matcher: Option<crate::model::Matcher>,
    ) {
        self.desk.ask_for(Detail(key, matcher), Self::take_detail);
        self.desk.overlay = None;
        self.desk.stack.push(Screen::Sample);
    }

    /// What concerns the pane with the focus.
    pub(super) fn run_results_pane(&mut self, command: PaneCommand) {
        match command {
            PaneCommand::Focus(step) => self.results.turn_focus(step),
            PaneCommand::Peek(step) => self.results.peek(step, &mut self.desk),
            PaneCommand::Search => self.ask_for_search(),
            PaneCommand::Match(step) if self.results.code().is_some() => self.step_match(step),
            PaneCommand::Match(step) => self.step_result_match(step),
            PaneCommand::Mark(_) | PaneCommand::Wrap => {}
        }
    }

    /// Goes to the next match in the difference, or to the next row of that name.
    pub(super) fn step_result_match(&mut self, step: Step) {
        if !self.results.has_difference() {
            let needle = self.results.needle().to_owned();
            self.find_in_list(&needle, step);
            return;
        }
        self.step_difference_match(step);
    }

    /// What concerns the sample under the cursor.
    pub(super) fn run_results_sample(&mut self, command: SampleCommand) {
        match command {
            SampleCommand::Sibling(step) => {
                let motion = Motion::from(step);
                self.results.step(motion, &mut self.desk);
            }
            SampleCommand::Copy(what) => {
                let taken = match what {
                    Copied::Code => self.results.copied(ResultCopy::Difference),
                    Copied::Key => {
                        let shown = self.results.shown();
                        shown.map(|it| (it.detail.row.key.to_string(), "the sample's key"))
                    }
                    Copied::Path => None,
                };
                self.copy_out(taken);
            }
            SampleCommand::Edit => self.edit_result(),
            SampleCommand::Why | SampleCommand::Facts => {}
        }
    }

    /// Opens the test in the editor, at the ground truth.
    fn edit_result(&mut self) {
        let place = self.results.shown().and_then(|it| {
            let reference = it.detail.reference.as_ref()?;
            let root = it.root.as_ref()?;
            Some((root.join(&reference.path), reference.first_line))
        });
        match place {
            Some((path, line)) => self.desk.push(Effect::Edit { path, line }),
            None => self.say("the mined folder is gone", Role::Warning),
        }
    }

    /// Enter.
    pub(super) fn open_result(&mut self) {
        if let Some(key) = self.results.enter(&mut self.desk) {
            self.open_sample(key, None);
        }
    }
}
