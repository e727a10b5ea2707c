//! What the commands of the screen where annotators differ do.

use crate::app::App;
use crate::browse::Completion;
use crate::desk::overlay::{Asked, Overlay, Told};
use crate::keymap::DisagreeCommand;
use crate::screen::Screen;
use crate::screen::disagree::TOKENS;
use crate::screen::results;
use crate::scribe::Written;
use crate::theme::Role;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_disagree(&mut self) {
        self.disagree.reload(&mut self.desk);
        self.go(&[Screen::Home, Screen::Disagree]);
    }

    pub(super) fn run_disagree(&mut self, command: DisagreeCommand) {
        let message = match command {
            DisagreeCommand::Side(_)
            | DisagreeCommand::Accept
            | DisagreeCommand::Pick
            | DisagreeCommand::NoneOfThese
            | DisagreeCommand::NoFocal
            | DisagreeCommand::LeaveOpen => match self.disagree.choose(command) {
                Ok(begun) => {
                    // Stands above the line; there is nothing to be completed.
                    let ruling = Completion {
                        span: 0..0,
                        text: self.disagree.asked().unwrap_or_default(),
                        help: "why? Enter alone: no reason · Esc leaves it",
                    };
                    self.desk.overlay = Some(Overlay::Ask(
                        Asked::Reason,
                        Prompt {
                            label: "reason",
                            input: Input::new(begun),
                            completions: vec![ruling],
                            ..Prompt::default()
                        },
                    ));
                    None
                }
                Err(text) => Some((text, Role::Warning)),
            },
            DisagreeCommand::Note => {
                let note = self.disagree.known_note().to_owned();
                self.desk.overlay = Some(Overlay::Ask(
                    Asked::Note,
                    Prompt {
                        label: "note",
                        input: Input::new(&note),
                        ..Prompt::default()
                    },
                ));
                None
            }
            command => self.disagree.run(command, &mut self.desk),
        };
        self.tell(message);
    }

    /// Rules, with the reason that was typed.
    pub(super) fn accept_reason(&mut self, prompt: &Prompt) {
        if let Err(text) = self.disagree.rule(prompt.input.text(), &mut self.desk) {
            self.say(text, Role::Warning);
        }
    }

    /// Writes the note that was typed on a conflict.
    pub(super) fn accept_conflict_note(&mut self, prompt: &Prompt) {
        if let Err(text) = self.disagree.note(prompt.input.text(), &mut self.desk) {
            self.say(text, Role::Warning);
        }
    }

    /// Gives the answer of the writer to the screen that said something.
    pub(super) fn on_written(&mut self, mut written: Written) {
        let warning = written.warning.take();
        if let Err(trouble) = &written.outcome
            && self.desk.overlay.is_none()
        {
            self.desk.overlay = Some(Overlay::Told(Told {
                title: "not saved",
                text: trouble.text.clone(),
                role: Role::Error,
                hint: trouble.hint.to_owned(),
                opens_stale: false,
            }));
        }
        let message = if written.token > results::TOKENS {
            self.results.take_written(written, &mut self.desk)
        } else if written.token > TOKENS {
            let message = self.disagree.take_written(written, &mut self.desk);
            self.home.take_conflicts(self.disagree.n_open() as u64);
            message
        } else {
            self.annotate.take_written(written, &mut self.desk)
        };
        self.tell(message);
        if let Some(text) = warning {
            self.say(text, Role::Warning);
        }
    }
}
