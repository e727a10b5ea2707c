//! Ruling: from a key to a reason to an event, and the steps after the event is on disk.

use crate::desk::{Desk, Message};
use crate::event::Effect;
use crate::keymap::StepDirection;
use crate::model::{Event, EventKind, JudgedSample, Judgement, SampleKey, Verdict};
use crate::question::shared::ReviewItem;
use crate::review::{self, Circumstances, QueueKind, ShownSample, VerdictChoice, siding};
use crate::screen::annotate::aside;
use crate::screen::disagree::commands::DisagreeCommand;
use crate::screen::disagree::{Disagree, DisagreeFocus};
use crate::screen::pen::{self, Refusal, may_write};
use crate::scribe::{AnnotatorAction, ScribeOutcome, ScribeReply, ScribeRequest};
use crate::theme::Role;
use crate::widget::frame::{counted, inside};

/// The beginning of the reason where the guideline has a gap.
pub const GAP: &str = "guideline gap: ";

/// A ruling without its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct RulingDraft {
    judged: JudgedSample,
}

impl Disagree {
    /// Carries out a command, except notes and rulings, for which text is typed first; returns the message.
    pub(super) fn say_of_it(
        &mut self,
        command: DisagreeCommand,
        desk: &mut Desk,
    ) -> Option<Message> {
        let said = match command {
            DisagreeCommand::Gap => return Some(self.flag_gap()),
            DisagreeCommand::Names => {
                self.shows_names = !self.shows_names;
                None
            }
            DisagreeCommand::Pair(step) => self.step_pair(step),
            DisagreeCommand::Undo => self.turn_back(AnnotatorAction::Undo, desk),
            DisagreeCommand::Redo => self.turn_back(AnnotatorAction::Redo, desk),
            _ => None,
        };
        said.map(|text| (text, Role::Warning))
    }

    /// Turns to another pair, and shows the matrix if it was not on the screen.
    fn step_pair(&mut self, step: StepDirection) -> Option<String> {
        let said = self.numbers.step_pair(step);
        if said.is_none() && self.areas.matrix.is_empty() {
            self.focus = DisagreeFocus::Numbers;
            self.is_wide = false;
        }
        said
    }

    fn flag_gap(&mut self) -> Message {
        // The flag decides nothing, so it may be set before the sample has been read.
        if self.conflict().is_none() {
            return NOTHING.message();
        }
        self.has_gap = !self.has_gap;
        let text = if self.has_gap {
            "guideline gap: noted in the reason of the next ruling · ! again: off"
        } else {
            "no guideline gap"
        };
        (text.to_owned(), Role::Dim)
    }

    /// Begins a ruling; returns the first text in the line for the reason.
    ///
    /// # Errors
    /// The reason why there can be no such ruling.
    pub(super) fn begin_ruling(
        &mut self,
        command: DisagreeCommand,
    ) -> Result<&'static str, Refusal> {
        let item = self.ruled_item()?;
        let shown = ShownSample::of(&item.explained.detail, false);
        let choice = match command {
            DisagreeCommand::Accept => VerdictChoice::Plain(Judgement::Accept),
            DisagreeCommand::NoneOfThese => VerdictChoice::Plain(Judgement::NoneOfThese),
            DisagreeCommand::NoFocal => VerdictChoice::Plain(Judgement::NoFocal),
            DisagreeCommand::Pick => VerdictChoice::Candidate(self.panes.candidate_idx() + 1),
            DisagreeCommand::Side(number) => self.side(number, shown.focal.as_deref())?,
            DisagreeCommand::LeaveOpen => VerdictChoice::Plain(Judgement::Unsure),
            DisagreeCommand::Gap
            | DisagreeCommand::Names
            | DisagreeCommand::Pair(_)
            | DisagreeCommand::Note
            | DisagreeCommand::Undo
            | DisagreeCommand::Redo => return Err(Refusal::NoRuling),
        };
        let circumstances = Circumstances {
            dwell_ms: None,
            guideline: self.guideline.clone(),
            note: None,
            queue: Some(QueueKind::Disagreements.as_str().to_owned()),
        };
        let judged =
            review::judge(&shown, &choice, circumstances).map_err(|error| match error {
                review::ReviewError::NoSuchCandidate { .. } => Refusal::Missing {
                    what: "candidate here",
                },
                error => Refusal::Unruled {
                    why: error.to_string(),
                },
            })?;
        self.draft = Some(RulingDraft { judged });
        Ok(if self.has_gap { GAP } else { "" })
    }

    /// Describes the ruling that a reason is typed for.
    #[must_use]
    pub fn draft_words(&self) -> Option<String> {
        self.draft
            .as_ref()
            .map(|ruling_draft| aside::ruled(&ruling_draft.judged))
    }

    fn side(&self, number: u8, focal: Option<&str>) -> Result<VerdictChoice, Refusal> {
        let conflict = self.conflict().ok_or(NOTHING)?;
        let n_decided = conflict.n_decided();
        let idx = usize::from(number).checked_sub(1);
        let opinion = idx.filter(|idx| *idx < n_decided);
        let n_shown = usize::from(inside(self.areas.opinions).height);
        if opinion.is_some_and(|idx| idx >= n_shown) {
            return Err(Refusal::HiddenOpinion);
        }
        let opinion = opinion.and_then(|idx| conflict.opinions.get(idx));
        let answer = opinion.and_then(|opinion| opinion.verdict.judged.answer());
        let answer = answer.ok_or(Refusal::NoSuchOpinion { n_decided })?;
        Ok(siding(answer, focal))
    }

    /// Returns the sample that may be ruled on now: it is on the screen and painted, and no event is on its way to
    /// disk.
    fn ruled_item(&self) -> Result<&ReviewItem, Refusal> {
        self.may_say()?;
        let item = self.item.as_deref().filter(|_| self.wanted.is_none());
        let item = item.ok_or(NOTHING)?;
        if self.areas.sample.is_empty() {
            return Err(Refusal::HiddenSample);
        }
        match self.painted {
            Some((key, _)) if key == item.key() => Ok(item),
            _ => Err(Refusal::Unseen { what: "sample" }),
        }
    }

    /// Checks that an event can be written now, else gives the reason why not.
    fn may_say(&self) -> Result<(), Refusal> {
        may_write(&self.annotator, self.pending.is_some(), "the ruling before")
    }

    /// Writes the ruling with its reason, which may be empty.
    pub fn rule(&mut self, reason: &str, desk: &mut Desk) -> Result<(), Refusal> {
        let item = self.ruled_item()?.clone();
        let key = item.key();
        let asked = self
            .draft
            .take()
            .filter(|ruling_draft| ruling_draft.judged.key == key);
        let RulingDraft { judged } = asked.ok_or(Refusal::Changed)?;
        let reason = reason.trim().to_owned();
        let snapshot = Some(item.snapshot.clone());
        let kinds = vec![EventKind::Adjudicated { judged, reason }];
        self.say(AnnotatorAction::Events { kinds, snapshot }, desk);
        Ok(())
    }

    /// Returns the annotator's note on the sample on the screen.
    #[must_use]
    pub fn known_note(&self) -> &str {
        let item = self.item.as_ref();
        item.and_then(|review_item| review_item.note.as_deref())
            .unwrap_or_default()
    }

    /// Writes a note on the sample on the screen; an empty note removes it.
    pub fn note(&mut self, note: &str, desk: &mut Desk) -> Result<(), Refusal> {
        let key = self.ruled_item()?.key();
        let note = note.trim().to_owned();
        self.say(AnnotatorAction::plain(EventKind::Noted { key, note }), desk);
        Ok(())
    }

    fn turn_back(&mut self, what: AnnotatorAction, desk: &mut Desk) -> Option<String> {
        let refusal = self.may_say().err();
        if refusal.is_none() {
            self.say(what, desk);
        }
        refusal.map(String::from)
    }

    fn say(&mut self, what: AnnotatorAction, desk: &mut Desk) {
        self.token += 1;
        self.pending = Some(self.token);
        desk.push(Effect::Say(Box::new(ScribeRequest {
            token: self.token,
            annotator: self.annotator.clone(),
            what,
            shown_at_ms: self.painted.map(|painted| painted.1),
        })));
    }

    /// Takes the writer's answer: the event is on disk, or cannot be written. Returns the message about it.
    pub fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) -> Option<Message> {
        self.pending.take_if(|pending| *pending == written.token)?;
        let outcome = match written.outcome {
            Ok(outcome) => outcome,
            Err(trouble) => {
                return Some((format!("{} · {}", trouble.text, trouble.hint), Role::Error));
            }
        };
        match outcome {
            ScribeOutcome::Appended { events, version } => {
                let n_new = version - self.versions.1;
                if usize::try_from(n_new).is_ok_and(|n| n == events.len()) {
                    self.versions.1 = version;
                }
                let event = events.last()?;
                self.take_event(event, desk);
                let mut text = format!("✓ saved: {}", aside::done(event.kind()));
                if self.n_open() == 0 && matches!(event.kind(), EventKind::Adjudicated { .. }) {
                    text = format!("{text} · nothing is left");
                }
                Some((text, Role::Good))
            }
            ScribeOutcome::Undone(None) | ScribeOutcome::Redone(None) => pen::message(&outcome),
            ScribeOutcome::Undone(Some(event)) => {
                self.go_back(event.kind().key(), desk);
                let text = format!("undone: {}", aside::done(event.kind()));
                Some((text, Role::Warning))
            }
            ScribeOutcome::Redone(Some(event)) => {
                let key = event.kind().key();
                let is_ruling = matches!(event.kind(), EventKind::Adjudicated { .. });
                // As after the ruling itself, the next conflict follows.
                let next = self.at(self.cursor + 1).map(|conflict| conflict.key);
                let goes_on = is_ruling && key == self.key();
                self.go_back(next.filter(|_| goes_on).or(key), desk);
                let text = format!("redone: {}", aside::done(event.kind()));
                Some((text, Role::Good))
            }
            // Only queues hold a verdict back, or give one to many samples.
            ScribeOutcome::Held { .. } | ScribeOutcome::Given(_) | ScribeOutcome::Seated => None,
            ScribeOutcome::Drawn(n) | ScribeOutcome::Accepted(n) => {
                Some((counted(n, "sample"), Role::Dim))
            }
        }
    }

    /// Applies an own event: after a ruling, the next conflict follows.
    fn take_event(&mut self, event: &Event, desk: &mut Desk) {
        match event.kind() {
            EventKind::Noted { key, note } => {
                let item = self
                    .item
                    .as_mut()
                    .filter(|review_item| review_item.key() == *key);
                if let Some(item) = item {
                    item.note = (!note.is_empty()).then(|| note.clone());
                }
            }
            EventKind::Adjudicated { judged, reason } => {
                let found = self
                    .conflicts
                    .iter()
                    .position(|conflict| conflict.key == judged.key);
                let Some(idx) = found else { return };
                let was_open = self.conflicts[idx].ruling.is_none();
                // Open conflicts come first: the one after this takes its place.
                let mut conflict = self.conflicts.remove(idx);
                conflict.ruling = Some(Verdict {
                    event: event.id(),
                    annotator: event.annotator().to_owned(),
                    at_ms: event.at_ms(),
                    judged: judged.clone(),
                    reason: Some(reason.clone()),
                });
                if was_open {
                    self.conflicts.push(conflict);
                    self.list(None);
                } else {
                    self.conflicts.insert(idx, conflict);
                    self.list(Some(judged.key));
                }
                self.has_gap = false;
                self.follow(desk);
            }
            _ => {}
        }
    }

    /// Goes to this sample, and reads its present state.
    fn go_back(&mut self, key: Option<SampleKey>, desk: &mut Desk) {
        self.sought = key;
        // The note may have changed.
        self.item = None;
        self.reload(desk);
    }
}

const NOTHING: Refusal = Refusal::Nothing { what: "rule on" };
