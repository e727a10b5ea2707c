//! Lines of input: text goes into the overlay on top, and its commands complete, accept or leave it.

use crate::app::App;
use crate::desk::overlay::{Asked, Choosing, Overlay};
use crate::key::{Code, Key};
use crate::keymap::{InputCommand, Motion, Step};
use crate::metrics;
use crate::screen::Screen;
use crate::widget::overlay::Prompt;

impl App {
    pub(super) fn type_key(&mut self, key: Key) {
        if let (Code::Char(char), false) = (key.code, key.control) {
            self.type_text(&char.to_string());
        }
    }

    pub(super) fn on_paste(&mut self, text: &str) {
        // Pasted text is text, never keys: a paste must not run commands.
        self.type_text(text);
    }

    fn type_text(&mut self, text: &str) {
        match &mut self.desk.overlay {
            Some(Overlay::Help(help)) => {
                help.input.insert(text);
                help.cursor = 0;
            }
            Some(Overlay::Ask(_, prompt)) => {
                prompt.input.insert(text);
                self.after_typing();
            }
            Some(Overlay::Form(form)) => {
                form.insert(text);
                self.ask_files();
            }
            Some(Overlay::Choose(Choosing::Tags, chooser)) if text == " " => {
                chooser.toggle();
            }
            Some(Overlay::Choose(_, chooser)) => {
                chooser.insert(text);
                self.ask_named();
            }
            Some(Overlay::Finder(finder)) => {
                finder.insert(text);
                self.ask_source();
            }
            _ => {}
        }
    }

    /// Searches while one types; checks and completes a filter, or names of metrics.
    pub(super) fn after_typing(&mut self) {
        match &mut self.desk.overlay {
            Some(Overlay::Ask(Asked::Filter, _)) => self.check_filter(),
            Some(Overlay::Ask(Asked::FilterName, _)) => self.check_name(),
            Some(Overlay::Ask(Asked::Metrics, prompt)) => {
                prompt.completions = metrics::complete(prompt.input.before_cursor());
                let flaw = metrics::parse(prompt.input.text()).err();
                mark(prompt, flaw);
            }
            Some(Overlay::Ask(Asked::Search, prompt)) => {
                let needle = prompt.input.text().to_owned();
                if let Some(code) = self.code() {
                    code.find(&needle);
                }
            }
            Some(Overlay::Ask(Asked::Queue, _)) => self.check_queue(),
            Some(Overlay::Ask(Asked::Columns, _)) => self.check_columns(),
            _ => {}
        }
    }

    pub(super) fn run_input(&mut self, command: InputCommand) {
        match command {
            InputCommand::Accept => self.accept(),
            InputCommand::Cancel => {
                if matches!(self.desk.overlay, Some(Overlay::Ask(Asked::Search, _)))
                    && let Some(code) = self.code()
                {
                    code.find("");
                }
                self.leave_form();
                self.desk.overlay = None;
            }
            InputCommand::Complete(step) => self.complete(step),
            InputCommand::Field(step) => {
                if let Some(Overlay::Form(form)) = &mut self.desk.overlay {
                    form.step(step);
                    self.ask_files();
                }
            }
            InputCommand::Scroll(step) => {
                if let Some(Overlay::Finder(finder)) = &mut self.desk.overlay {
                    finder.scroll_preview(match step {
                        Step::Next => Motion::PageDown,
                        Step::Previous => Motion::PageUp,
                    });
                }
            }
            edit => match &mut self.desk.overlay {
                Some(Overlay::Help(help)) => {
                    help.input.edit(edit);
                    help.cursor = 0;
                }
                Some(Overlay::Ask(_, prompt)) => {
                    prompt.input.edit(edit);
                    self.after_typing();
                }
                Some(Overlay::Form(form)) => {
                    form.edit(edit);
                    self.ask_files();
                }
                Some(Overlay::Choose(_, chooser)) => {
                    chooser.edit(edit);
                    self.ask_named();
                }
                Some(Overlay::Finder(finder)) => {
                    finder.edit(edit);
                    self.ask_source();
                }
                _ => {}
            },
        }
    }

    /// Keeps what was typed into a form that is left.
    pub(super) fn leave_form(&mut self) {
        if let Some(Overlay::Form(form)) = &self.desk.overlay {
            self.jobs.draft = Some(form.as_ref().clone());
        }
    }

    fn accept(&mut self) {
        match self.desk.overlay.take() {
            Some(Overlay::Help(help)) => {
                if let Some(command) = help.chosen() {
                    self.run(command);
                }
            }
            Some(Overlay::Ask(Asked::Filter, mut prompt)) => {
                let text = prompt.input.text();
                match self.filter_screen(text) {
                    Ok(()) => {}
                    Err(flaw) => {
                        prompt.flaw = Some((flaw.at, flaw.text));
                        prompt.completions = Vec::new();
                        self.desk.overlay = Some(Overlay::Ask(Asked::Filter, prompt));
                    }
                }
            }
            Some(Overlay::Ask(Asked::Search, prompt)) => {
                let needle = prompt.input.text().to_owned();
                if self.screen() == Screen::Jobs {
                    self.find_in_log(&needle);
                } else if self.screen() == Screen::Results && self.results.has_difference() {
                    self.results.difference().find(&needle);
                    self.step_result_match(Step::Next);
                } else if self.screen() == Screen::Compare && self.compare.has_difference() {
                    self.compare.difference().find(&needle);
                    self.step_compared_match(Step::Next);
                } else if let Some(code) = self.code() {
                    code.find(&needle);
                    if !needle.is_empty() {
                        self.step_match(Step::Next);
                    }
                } else if !needle.is_empty() {
                    self.find_in_list(&needle, Step::Next);
                }
            }
            Some(Overlay::Form(form)) => self.submit(form),
            Some(Overlay::Ask(Asked::Metrics, prompt)) => self.evaluate_with(prompt),
            Some(Overlay::Ask(Asked::Note, prompt)) if self.screen() == Screen::Disagree => {
                self.accept_conflict_note(&prompt);
            }
            Some(Overlay::Ask(Asked::Note, prompt)) => self.accept_note(&prompt),
            Some(Overlay::Ask(Asked::Reason, prompt)) => self.accept_reason(&prompt),
            Some(Overlay::Ask(Asked::Queue, prompt)) => self.accept_queue(prompt),
            Some(Overlay::Finder(finder)) => self.accept_found(finder),
            Some(Overlay::Choose(choosing, chooser)) => self.accept_choice(choosing, chooser),
            Some(Overlay::Ask(Asked::Columns, prompt)) => self.accept_columns(prompt),
            Some(Overlay::Ask(Asked::Export, prompt)) => self.accept_export(prompt),
            Some(Overlay::Ask(Asked::FilterName, prompt)) => self.accept_name(prompt),
            Some(Overlay::Ask(Asked::Path, prompt)) => self.accept_path(prompt),
            other => self.desk.overlay = other,
        }
    }

    fn complete(&mut self, step: Step) {
        match &mut self.desk.overlay {
            Some(Overlay::Help(help)) => help.step(step == Step::Next),
            Some(Overlay::Form(form)) => {
                form.complete(step);
                self.ask_files();
            }
            Some(Overlay::Choose(_, chooser)) => chooser.step(Motion::from(step)),
            Some(Overlay::Finder(finder)) => {
                finder.step(Motion::from(step));
                self.ask_source();
            }
            Some(Overlay::Ask(
                Asked::Filter | Asked::Metrics | Asked::Queue | Asked::Columns,
                prompt,
            )) => {
                let n = prompt.completions.len();
                if n == 0 {
                    return;
                }
                let idx = match (prompt.chosen, step) {
                    (None, Step::Next) => 0,
                    (Some(idx), Step::Next) => (idx + 1) % n,
                    (None, Step::Previous) => n - 1,
                    (Some(idx), Step::Previous) => (idx + n - 1) % n,
                };
                prompt.chosen = Some(idx);
                // All begin at the same byte; what stands there now was typed, or is another completion.
                let completion = prompt.completions[idx].clone();
                let len = prompt.input.before_cursor().len() - completion.span.start;
                prompt.input.replace_before(len, &completion.text);
            }
            _ => {}
        }
    }
}

/// Shows what is wrong with a prompt; a word that may still become right is not wrong yet.
pub(super) fn mark(prompt: &mut Prompt, flaw: Option<(usize, String)>) {
    prompt.chosen = None;
    let before = prompt.input.before_cursor();
    let word_start = before.rfind(' ').map_or(0, |space| space + 1);
    let may_be_right = !prompt.completions.is_empty() && word_start < before.len();
    prompt.flaw = flaw.filter(|(at, _)| *at < word_start || !may_be_right);
}
