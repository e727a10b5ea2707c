//! Accepting the part that an audit did not draw: the question before it, or the reason why it cannot be accepted.

use crate::desk::overlay::{ConfirmedAction, Overlay, PopupMessage};
use crate::desk::{Desk, Message};
use crate::review::{Acceptance, ERROR_MAX, QueueKind};
use crate::screen::annotate::questions::AcceptanceQuestion;
use crate::screen::annotate::{Annotate, QueueMove};
use crate::screen::pen::Refusal;
use crate::scribe::AnnotatorAction;
use crate::theme::Role;
use crate::widget::frame::counted;

impl Annotate {
    /// Asks for the conclusion from an audit's verdicts to the samples that it did not draw.
    pub(super) fn ask_acceptance(&self, desk: &mut Desk) -> Result<Option<Message>, Refusal> {
        if self.options.kind != QueueKind::Audit {
            return Err(Refusal::NoAudit);
        }
        let acceptance = AcceptanceQuestion {
            audit: self.options.audit_options(),
            annotator: self.reviewing.annotator.clone(),
        };
        desk.ask(acceptance, |_: &mut Self, found, desk| {
            ask(&found, desk);
        });
        Ok(None)
    }

    /// Accepts the samples that the audit did not draw.
    pub fn accept_rest(&mut self, desk: &mut Desk) {
        if self.pending.is_none() {
            let audit = Box::new(self.options.audit_options());
            self.say(AnnotatorAction::AcceptRest(audit), QueueMove::Drawn, desk);
        }
    }
}

/// Asks whether to accept the samples that an audit did not draw, or tells why they cannot be.
fn ask(acceptance: &Acceptance, desk: &mut Desk) {
    let text = match acceptance.open.len() as u64 {
        0 if !acceptance.is_representative => {
            "the filter selects other samples now than when the audit was drawn".to_owned()
        }
        0 if acceptance.error_max > ERROR_MAX => format!(
            "{} in {} leave up to {:.1} % possible, more than {:.0} %",
            counted(acceptance.n_errors, "error"),
            acceptance.n,
            acceptance.error_max * 100.0,
            ERROR_MAX * 100.0
        ),
        0 if acceptance.n_rest == 0 => "there is nothing left to accept".to_owned(),
        0 => {
            let question = format!(
                "{} in {}: at most {:.2} % of the matches are wrong, with {:.0} % confidence. \
                 Accept the other {}, provisionally?",
                counted(acceptance.n_errors, "error"),
                acceptance.n,
                acceptance.error_max * 100.0,
                acceptance.confidence * 100.0,
                counted(acceptance.n_rest, "sample")
            );
            desk.overlay = Some(Overlay::Confirm {
                question,
                confirmed: ConfirmedAction::AcceptRest,
            });
            return;
        }
        n_open => format!("{} of the audit to decide first", counted(n_open, "sample")),
    };
    desk.overlay = Some(Overlay::Told(PopupMessage {
        title: "not accepted",
        text,
        role: Role::Warning,
        hint: "a larger sample without further errors lowers the bound: f audit:n=…".to_owned(),
        opens_stale: false,
    }));
}
