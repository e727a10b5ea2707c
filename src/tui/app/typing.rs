//! Lines of input: text goes into the overlay on top, and its commands complete, accept or leave it.

use crate::app::App;
use crate::desk::overlay::{ChoicePurpose, InputPurpose, Overlay};
use crate::key::{Code, KeyPress};
use crate::keymap::{InputCommand, Motion, StepDirection};
use crate::widget::overlay::Prompt;

impl App {
    pub(super) fn type_key(&mut self, key: KeyPress) {
        if let (Code::Char(char), false) = (key.code, key.control) {
            self.type_text(&char.to_string());
        }
    }

    pub(super) fn on_paste(&mut self, text: &str) {
        // Pasted text is text, never keys: a paste must not run commands.
        self.type_text(text);
    }

    fn type_text(&mut self, text: &str) {
        // No tag's name has a digit in it.
        if matches!(text.as_bytes(), [b'1'..=b'9']) && self.tag_recent(text) {
            return;
        }
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
            Some(Overlay::Choose(ChoicePurpose::Tags, chooser)) if text == " " => {
                chooser.toggle();
            }
            Some(Overlay::Choose(_, chooser)) => {
                chooser.insert(text);
                self.ask_named();
            }
            Some(Overlay::Finder(finder)) => {
                finder.insert(text);
                self.annotate.ask_source(&mut self.desk);
            }
            _ => {}
        }
    }

    /// Writes the tag that a digit stands for; tells whether the list of tags is open.
    fn tag_recent(&mut self, digit: &str) -> bool {
        let is_tags =
            |overlay: &mut Overlay| matches!(overlay, Overlay::Choose(ChoicePurpose::Tags, _));
        let overlay = self.desk.overlay.take_if(is_tags);
        let Some(Overlay::Choose(choosing, mut chooser)) = overlay else {
            return false;
        };
        let nth = digit.parse().unwrap_or_default();
        let desk = &mut self.desk;
        if !self.results.tag_recent(nth, &mut chooser, desk) {
            desk.overlay = Some(Overlay::Choose(choosing, chooser));
        }
        true
    }

    /// Searches, completes and checks while the user types.
    pub(super) fn after_typing(&mut self) {
        let Some(Overlay::Ask(asked, mut prompt)) = self.desk.overlay.take() else {
            return;
        };
        match asked {
            InputPurpose::Filter => self.check_filter(&mut prompt),
            InputPurpose::FilterName => self.check_name(&mut prompt),
            InputPurpose::Search => {
                if let Some(code) = self.scene_mut().0.code() {
                    code.find(prompt.input.text());
                }
            }
            _ => {
                let (scene, desk) = self.scene_mut();
                scene.check(asked, &mut prompt, desk);
            }
        }
        self.desk.overlay = Some(Overlay::Ask(asked, prompt));
    }

    pub(super) fn run_input(&mut self, command: InputCommand) {
        match command {
            InputCommand::Accept => self.accept(),
            InputCommand::Cancel => {
                if matches!(
                    self.desk.overlay,
                    Some(Overlay::Ask(InputPurpose::Search, _))
                ) && let Some(code) = self.scene_mut().0.code()
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
                        StepDirection::Next => Motion::PageDown,
                        StepDirection::Previous => Motion::PageUp,
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
                    self.annotate.ask_source(&mut self.desk);
                }
                _ => {}
            },
        }
    }

    /// Keeps the text typed into a form that is left.
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
            Some(Overlay::Form(form)) => self.jobs.submit(form, &mut self.desk),
            Some(Overlay::Finder(finder)) => self.annotate.accept_found(finder, &mut self.desk),
            Some(Overlay::Choose(choosing, chooser)) => self.accept_choice(choosing, chooser),
            Some(Overlay::Ask(asked, prompt)) => self.accept_line(asked, prompt),
            other => self.desk.overlay = other,
        }
    }

    /// Takes a line, or shows its flaw.
    fn accept_line(&mut self, asked: InputPurpose, mut prompt: Box<Prompt>) {
        let text = prompt.input.text();
        let accepted = match asked {
            InputPurpose::Filter => self.filter_screen(text),
            InputPurpose::FilterName => self.accept_name(text),
            InputPurpose::Path => self.accept_path(text),
            InputPurpose::Annotator => self.accept_annotator(text),
            InputPurpose::Search => {
                let (scene, desk) = self.scene_mut();
                scene.search(text, desk);
                Ok(())
            }
            _ => {
                let (scene, desk) = self.scene_mut();
                let accepted = scene.accept(asked, text, desk);
                if asked == InputPurpose::Queue && accepted.is_ok() {
                    self.command_log.note(&["review", "--queue", text]);
                }
                accepted
            }
        };
        if let Err(flaw) = accepted {
            prompt.flaw = Some((flaw.at, flaw.text));
            prompt.completions = Vec::new();
            let is_filter = asked == InputPurpose::Filter;
            prompt.offer(flaw.mended.filter(|_| is_filter));
            self.desk.overlay = Some(Overlay::Ask(asked, prompt));
        }
    }

    fn complete(&mut self, step: StepDirection) {
        match &mut self.desk.overlay {
            Some(Overlay::Help(help)) => help.step(step == StepDirection::Next),
            Some(Overlay::Form(form)) => {
                form.complete(step);
                self.ask_files();
            }
            Some(Overlay::Choose(_, chooser)) => chooser.step(Motion::from(step)),
            Some(Overlay::Finder(finder)) => {
                finder.step(Motion::from(step));
                self.annotate.ask_source(&mut self.desk);
            }
            Some(Overlay::Ask(InputPurpose::Filter | InputPurpose::Queue, prompt))
                if prompt.mended.is_some() =>
            {
                let is_mended = prompt.mend();
                if is_mended {
                    self.after_typing();
                }
            }
            Some(Overlay::Ask(
                InputPurpose::Filter
                | InputPurpose::Metrics
                | InputPurpose::Queue
                | InputPurpose::Columns,
                prompt,
            )) => {
                let n = prompt.completions.len();
                if n == 0 {
                    return;
                }
                let idx = step.around_from(prompt.chosen, n);
                prompt.chosen = Some(idx);
                // The count belonged to the typed text; the next key counts again.
                prompt.tally = None;
                // All completions begin at the same byte, where typed text or another completion stands.
                let completion = prompt.completions[idx].clone();
                let len = prompt.input.before_cursor().len() - completion.span.start;
                prompt.input.replace_before(len, &completion.text);
            }
            _ => {}
        }
    }
}
