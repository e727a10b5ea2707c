//! Samples to judge, one after the other: one key is one decision, safe on disk before the next sample is shown.
//!
//! ```text
//! ┌ test ──────────────────────┐┌ focal 1/4 · Verifier.verify(String) ──────┐
//! │ 43 S   Clock clock = …     ││ 88   public Verdict verify(String id) {   │
//! └────────────────────────────┘└───────────────────────────────────────────┘
//! ┌ candidates (4) ────────────┐┌ your last decisions ──────────────────────┐
//! │▶ 1 Verifier.verify(String) ││✓ accept  VerifierTest.rejects…     1.8 s  │
//! └────────────────────────────┘└───────────────────────────────────────────┘
//! ```
//!
//! Decides which sample is shown and whether it may be judged: only a painted sample can be judged, and only once. Does
//! not write; an event goes out as a [`ScribeRequest`] and counts when the answer is there.

mod accept;
mod act;
mod alike;
pub mod aside;
mod changes;
pub mod commands;
pub mod differing;
mod find;
pub mod keys;
mod past;
pub mod questions;
pub mod queue;
mod report;
mod seats;
#[cfg(test)]
pub mod tests;
mod write_reply;

use crate::desk::{Desk, Message, QuestionScreen};
use crate::event::Effect;
use crate::keymap::StepDirection;
use crate::model::{EventKind, Judgement, SampleKey};
use crate::question::shared::{ReviewItem, ReviewItemQuestion};
use crate::question::{Question, QuestionFailure, Slot};
use crate::review::{
    self, AuditReport, Band, Circumstances, QueueKind, QueueOptions, ReviewOptions,
    SeatedAnnotator, Session, ShownSample, VerdictChoice,
};
use crate::screen::annotate::commands::{AnnotateCommand, FoldTarget};
use crate::screen::annotate::questions::{
    AnnotatorHistoryQuestion, AuditReportQuestion, ITEM, LoadedQueue, NEXT_ITEM, PastRow,
    QueueQuestion, WeightBandsQuestion,
};
use crate::screen::candidates::DIGITS;
use crate::screen::docs::Docs;
use crate::screen::pen::{Refusal, may_write};
use crate::screen::sample::{SampleFolds, SamplePurpose, SampleScreen};
use crate::screen::{AnswerState, Screen};
use crate::scribe::{AnnotatorAction, ScribeRequest};
use crate::theme::Role;

/// An event that is not on disk yet.
#[derive(Clone, Debug)]
struct PendingWrite {
    token: u64,
    /// The move of the queue once it is.
    then: QueueMove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueMove {
    Decided(SampleKey),
    Skipped(SampleKey),
    /// Notes and marks move nothing.
    Stay,
    Undone,
    Redone,
    /// An audit was drawn, and its queue can be read.
    Drawn,
    /// A verdict was given to similar samples.
    Given,
}

#[derive(Debug)]
pub struct Annotate {
    pub reviewing: ReviewOptions,
    pub panes: SampleScreen,
    options: QueueOptions,
    session: Option<Session>,
    state: AnswerState<()>,
    /// The sample on the screen.
    item: Option<Box<ReviewItem>>,
    /// The sample that comes next, read ahead.
    next: Option<ReviewItemAnswer>,
    /// The sample to show; if it is not the one on the screen, its item is on its way.
    wanted: Option<SampleKey>,
    /// Steps away from the current sample, to look only.
    peeked: i64,
    /// The sample that has been painted, and when, in milliseconds since 1970.
    painted: Option<(SampleKey, i64)>,
    pending: Option<PendingWrite>,
    /// The current sample, when it has been on the screen: it stays the current one, even with others' verdicts.
    begun: Option<SampleKey>,
    /// The sample that was reported as judged meanwhile, and the judgement that was not saved because of it.
    reported: Option<(SampleKey, Judgement)>,
    token: u64,
    past: Vec<PastRow>,
    bands: Vec<Band>,
    /// The present result of the audit that is being judged.
    report: Option<AuditReport>,
    /// The versions of index and verdicts at the time of the last read, with the writes made here since.
    versions: Option<(i64, i64)>,
    is_outdated: bool,
    refreshed_at_ms: Option<i64>,
    /// The seats of others, as last heard, and the sample at which this window has taken its seat.
    seats: Vec<SeatedAnnotator>,
    sat: Option<SampleKey>,
    /// The number of decisions since the start, and the time when the first sample was painted.
    n_decided: u64,
    began_at_ms: Option<i64>,
    last_at_ms: i64,
}

/// An outdated queue is read again at most once in this time.
const REFRESH_MS: i64 = 10_000;

/// The answer for a sample; nothing when the index no longer has it.
type ReviewItemAnswer = (SampleKey, Option<Box<ReviewItem>>);

impl QuestionScreen for Annotate {
    const SCREEN: Screen = Screen::Annotate;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if ![QueueQuestion::SLOT, ITEM].contains(&slot) {
            desk.show_failure(failure);
            return;
        }
        self.state = failure.into();
    }
}

impl Annotate {
    #[must_use]
    pub fn new(reviewing: ReviewOptions) -> Self {
        Self {
            reviewing,
            panes: SampleScreen::new(SamplePurpose::Judging),
            options: QueueOptions::default(),
            session: None,
            state: AnswerState::Waiting,
            item: None,
            next: None,
            wanted: None,
            peeked: 0,
            painted: None,
            pending: None,
            begun: None,
            reported: None,
            token: 0,
            past: Vec::new(),
            bands: Vec::new(),
            report: None,
            versions: None,
            is_outdated: false,
            refreshed_at_ms: None,
            seats: Vec::new(),
            sat: None,
            n_decided: 0,
            began_at_ms: None,
            last_at_ms: 0,
        }
    }

    /// Opens a queue by its text; the open one is left.
    ///
    /// # Errors
    /// The flaw of the text; then nothing changes.
    pub fn open_queue(&mut self, text: &str, desk: &mut Desk) -> Result<(), queue::FilterFlaw> {
        self.options = queue::parse(text, &self.reviewing)?;
        text.trim().clone_into(&mut self.reviewing.queue);
        self.session = None;
        self.state = AnswerState::Waiting;
        self.peeked = 0;
        (self.item, self.next, self.wanted) = (None, None, None);
        self.report = None;
        self.ask_queue(desk);
        self.ask_past(desk);
        Ok(())
    }

    #[must_use]
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, AnswerState::Waiting) || self.wanted.is_some()
    }

    /// Reads everything again from the index.
    pub fn reload(&mut self, desk: &mut Desk) {
        (self.next, self.wanted) = (None, None);
        self.ask_queue(desk);
        self.ask_past(desk);
    }

    /// Judges in this name from now on: its queue may have other open samples.
    pub fn set_annotator(&mut self, name: &str, desk: &mut Desk) -> Result<(), queue::FilterFlaw> {
        name.clone_into(&mut self.reviewing.annotator);
        if !self.is_open() {
            return Ok(());
        }
        let queue = self.reviewing.queue.clone();
        self.open_queue(&queue, desk)
    }

    fn ask_queue(&mut self, desk: &mut Desk) {
        self.is_outdated = false;
        if let Some(session) = &mut self.session {
            session.asked();
        }
        let options = Box::new(self.options.clone());
        desk.ask(QueueQuestion(options), Self::take_queue);
    }

    fn ask_past(&self, desk: &mut Desk) {
        let annotator = self.reviewing.annotator.clone();
        if !annotator.is_empty() {
            desk.ask(
                AnnotatorHistoryQuestion(annotator),
                |screen: &mut Self, past, _| {
                    screen.past = past;
                },
            );
        }
    }

    /// Takes the present queue; nothing when an audit must be drawn first.
    fn take_queue(&mut self, found: Option<LoadedQueue>, desk: &mut Desk) {
        let Some(found) = found else {
            let options = Box::new(self.options.clone());
            self.say(AnnotatorAction::Draw(options), QueueMove::Drawn, desk);
            return;
        };
        self.versions = Some(found.versions);
        self.state = AnswerState::Ready(());
        let queue = found.queue;
        match &mut self.session {
            Some(session) if session.name() == queue.name => session.refill(queue),
            _ => {
                self.session = Some(Session::new(queue));
                // Set once for all samples of the session, so that panes keep their places.
                let usual = found.n_candidates_usual.clamp(1, DIGITS);
                self.panes.n_candidates_usual = usual as u16;
            }
        }
        self.take_seats(found.seats);
        self.pass_over();
        self.follow(desk);
    }

    /// Brings the wanted sample to the screen, and reads ahead the next one in the same direction.
    fn follow(&mut self, desk: &mut Desk) {
        let Some(session) = &self.session else {
            return;
        };
        let target = session.peek(self.peeked);
        let onward = if self.peeked < 0 { -1 } else { 1 };
        let next = session.peek(self.peeked.saturating_add(onward));
        let shown = self.item.as_ref().map(|review_item| review_item.key());
        if target.is_none() {
            (self.item, self.wanted) = (None, None);
            self.ask_report(desk);
        } else if shown != target && self.wanted != target {
            self.wanted = target;
            match self.next.take_if(|(key, _)| Some(*key) == target) {
                Some(found) => self.take_item(found, desk),
                None => self.ask_item(ITEM, target, desk),
            }
        }
        let is_ahead = self.next.as_ref().map(|next| next.0) == next;
        if !is_ahead && self.item.as_ref().map(|review_item| review_item.key()) == target {
            self.next = None;
            self.ask_item(NEXT_ITEM, next, desk);
        }
        self.sit(desk);
    }

    /// Asks for the report of an audit whose samples are all judged.
    fn ask_report(&self, desk: &mut Desk) {
        if self.options.kind == QueueKind::Audit {
            let report = AuditReportQuestion {
                audit: self.options.audit_options(),
                annotator: self.reviewing.annotator.clone(),
            };
            desk.ask(report, |screen: &mut Self, report, _| {
                screen.report = report;
            });
        }
    }

    fn ask_item(&self, slot: Slot, key: Option<SampleKey>, desk: &mut Desk) {
        if let Some(key) = key {
            let item = ReviewItemQuestion {
                key,
                annotator: self.reviewing.annotator.clone(),
                queue: Some(Box::new(self.options.clone())),
            };
            desk.ask_in(slot, item, Self::take_item);
        }
    }

    /// Takes the answer for a sample, needed now or read ahead; nothing for one that the index no longer has.
    fn take_item(&mut self, (key, item): ReviewItemAnswer, desk: &mut Desk) {
        if self.wanted != Some(key) {
            self.next = Some((key, item));
            return;
        }
        self.wanted = None;
        let Some(item) = item else {
            // The repository was mined again without it: nobody can judge it.
            if let Some(session) = &mut self.session {
                session.decided(key);
            }
            self.ask_queue(desk);
            return;
        };
        self.note_versions(item.versions);
        if self.has_left_out(&item) {
            self.follow(desk);
            return;
        }
        // The same sample, read again after a note: it was visible all the time.
        let is_same = self.item.as_ref().is_some_and(|review_item| {
            review_item.key() == key
                && review_item.snapshot == item.snapshot
                && review_item.mine.as_ref().map(|verdict| verdict.event)
                    == item.mine.as_ref().map(|verdict| verdict.event)
        });
        if !is_same {
            self.painted = None;
            self.reported = None;
        }
        if self.peeked == 0 {
            self.begun = Some(key);
        }
        self.show(item);
        self.refresh(desk);
        self.follow(desk);
    }

    /// Takes a sample out of the queue if others have judged it often enough before it came up; tells whether they
    /// have.
    fn has_left_out(&mut self, item: &ReviewItem) -> bool {
        let key = item.key();
        let is_new = self.peeked == 0 && self.begun != Some(key);
        let left_out = item.left_out.as_ref().filter(|_| is_new);
        let (Some(session), Some(meanwhile)) = (&mut self.session, left_out) else {
            return false;
        };
        write_reply::leave(session, key, meanwhile);
        true
    }

    /// Reads an outdated queue again, but not continually during mining: reading a million keys keeps a processor busy
    /// for a second.
    fn refresh(&mut self, desk: &mut Desk) {
        let is_soon = self
            .refreshed_at_ms
            .is_some_and(|at_ms| self.last_at_ms - at_ms < REFRESH_MS);
        if self.is_outdated && !is_soon {
            self.refreshed_at_ms = Some(self.last_at_ms);
            self.ask_queue(desk);
        }
    }

    fn show(&mut self, item: Box<ReviewItem>) {
        let mut explained = item.explained.clone();
        let docs = if self.reviewing.is_blind {
            queue::blind(&mut explained);
            Docs::blind(&explained.detail)
        } else {
            Docs::of(&explained.detail)
        };
        self.panes.show(explained, docs);
        // A stale verdict is renewed because of the changes in its sample, so they are shown.
        let changes = item
            .difference
            .as_deref()
            .map(|difference| self.changes(difference));
        self.panes.replace(changes);
        self.item = Some(item);
    }

    /// Notes that another process has changed the index or the verdicts since the queue was read.
    fn note_versions(&mut self, now: (i64, i64)) {
        let Some(known) = self.versions else { return };
        // A sample that was read ahead may be older than the writes made here.
        if now.0 > known.0 || now.1 > known.1 {
            self.is_outdated = true;
            self.versions = Some((now.0.max(known.0), now.1.max(known.1)));
        }
    }

    /// Carries out a command; returns the message about it.
    fn say_of_it(&mut self, command: AnnotateCommand, desk: &mut Desk) -> Option<Message> {
        let said = match command {
            AnnotateCommand::Accept => self.judge(&VerdictChoice::Plain(Judgement::Accept), desk),
            AnnotateCommand::NoneOfThese => {
                self.judge(&VerdictChoice::Plain(Judgement::NoneOfThese), desk)
            }
            AnnotateCommand::NoFocal => self.judge(&VerdictChoice::Plain(Judgement::NoFocal), desk),
            AnnotateCommand::Unsure => self.judge(&VerdictChoice::Plain(Judgement::Unsure), desk),
            AnnotateCommand::Skip => self.judge(&VerdictChoice::Plain(Judgement::Skip), desk),
            AnnotateCommand::Pick(0) => self.pick(self.panes.candidate_idx() + 1, desk),
            AnnotateCommand::Pick(number) => self.pick(usize::from(number), desk),
            AnnotateCommand::Mark => self.mark(desk),
            AnnotateCommand::Undo => self.turn_back(AnnotatorAction::Undo, QueueMove::Undone, desk),
            AnnotateCommand::Redo => self.turn_back(AnnotatorAction::Redo, QueueMove::Redone, desk),
            AnnotateCommand::Fold(fold) => Ok(Some((self.fold(fold).to_owned(), Role::Dim))),
            AnnotateCommand::Difference => self.turn_difference(),
            AnnotateCommand::AcceptRest => self.ask_acceptance(desk),
            AnnotateCommand::Alike => Ok(self.ask_alike(desk)),
            // These open an overlay.
            AnnotateCommand::Note
            | AnnotateCommand::Find
            | AnnotateCommand::History
            | AnnotateCommand::Queue => Ok(None),
        };
        match said {
            Ok(message) => message,
            Err(refusal) => Some(refusal.message()),
        }
    }

    /// Picks the candidate of this number, if it is visible.
    fn pick(&mut self, rank: usize, desk: &mut Desk) -> Result<Option<Message>, Refusal> {
        if self.panes.hides_candidate(rank) {
            return Err(Refusal::HiddenCandidate { rank });
        }
        self.judge(&VerdictChoice::Candidate(rank), desk)
    }

    /// Judges the sample on the screen.
    pub fn judge(
        &mut self,
        choice: &VerdictChoice,
        desk: &mut Desk,
    ) -> Result<Option<Message>, Refusal> {
        let item = self.judged_item()?;
        let key = item.key();
        let shown = ShownSample::of(&item.explained.detail, self.reviewing.is_blind);
        let circumstances = Circumstances {
            dwell_ms: None,
            guideline: self.reviewing.guideline.clone(),
            note: None,
            queue: self
                .session
                .as_ref()
                .map(|session| session.name().to_owned()),
        };
        let judged = review::judge(&shown, choice, circumstances).map_err(|error| match error {
            review::ReviewError::Blind => Refusal::Blind,
            review::ReviewError::NothingToAccept => Refusal::NothingToAccept,
            review::ReviewError::NoSuchCandidate {
                n_candidates: 0, ..
            } => Refusal::Missing {
                what: "candidate · p finds a method",
            },
            error => Refusal::Unjudged {
                why: error.to_string(),
            },
        })?;
        let then = if judged.judgement == Judgement::Skip {
            QueueMove::Skipped(key)
        } else {
            QueueMove::Decided(key)
        };
        let snapshot = item.snapshot.clone();
        let mine = item.mine.as_ref().map(|verdict| verdict.event);
        let is_told = self.reported.as_ref() == Some(&(key, judged.judgement.clone()));
        let said = if is_told {
            AnnotatorAction::Events {
                kinds: vec![EventKind::Judged(judged)],
                snapshot: Some(snapshot),
            }
        } else {
            AnnotatorAction::Verdict {
                judged: Box::new(judged),
                snapshot,
                options: Box::new(self.options.clone()),
                mine,
            }
        };
        self.say(said, then, desk);
        Ok(None)
    }

    /// Returns the sample that may be judged now: it is on the screen and painted, and no event is on its way to disk.
    fn judged_item(&self) -> Result<&ReviewItem, Refusal> {
        self.may_say()?;
        if self.peeked != 0 {
            return Err(Refusal::Neighbour);
        }
        let Some(item) = self.item.as_deref().filter(|_| self.wanted.is_none()) else {
            return Err(Refusal::Missing {
                what: "sample to judge",
            });
        };
        match self.painted {
            Some((key, _)) if key == item.key() => Ok(item),
            _ => Err(Refusal::Unseen { what: "sample" }),
        }
    }

    /// Checks that an event can be written now, else gives the reason why not.
    pub(super) fn may_say(&self) -> Result<(), Refusal> {
        let annotator = &self.reviewing.annotator;
        may_write(annotator, self.pending.is_some(), "the verdict before")
    }

    /// Returns the key of the sample that may be judged now.
    ///
    /// # Errors
    /// The reason why no sample may be judged.
    pub fn judged_key(&self) -> Result<SampleKey, Refusal> {
        self.judged_item().map(ReviewItem::key)
    }

    fn mark(&mut self, desk: &mut Desk) -> Result<Option<Message>, Refusal> {
        let item = self.judged_item()?;
        let key = item.key();
        let kind = if item.is_marked {
            EventKind::Unmarked { key }
        } else {
            EventKind::Marked { key }
        };
        self.say(AnnotatorAction::plain(kind), QueueMove::Stay, desk);
        Ok(None)
    }

    /// Writes a note on the sample on the screen; an empty note removes it.
    pub fn note(&mut self, note: &str, desk: &mut Desk) -> Result<Option<Message>, Refusal> {
        let key = self.judged_item()?.key();
        let note = note.trim().to_owned();
        self.say(
            AnnotatorAction::plain(EventKind::Noted { key, note }),
            QueueMove::Stay,
            desk,
        );
        Ok(None)
    }

    fn turn_back(
        &mut self,
        what: AnnotatorAction,
        then: QueueMove,
        desk: &mut Desk,
    ) -> Result<Option<Message>, Refusal> {
        self.may_say()?;
        self.say(what, then, desk);
        Ok(None)
    }

    fn say(&mut self, what: AnnotatorAction, then: QueueMove, desk: &mut Desk) {
        self.token += 1;
        self.pending = Some(PendingWrite {
            token: self.token,
            then,
        });
        desk.push(Effect::Say(Box::new(ScribeRequest {
            token: self.token,
            annotator: self.reviewing.annotator.clone(),
            what,
            shown_at_ms: self.painted.map(|painted| painted.1),
        })));
    }

    /// Makes a sample the current one, even if it is judged.
    pub fn turn_to(&mut self, key: SampleKey, desk: &mut Desk) {
        if let Some(session) = &mut self.session {
            session.reopened(key);
        }
        self.begun = Some(key);
        self.peeked = 0;
        self.read_again(key, desk);
    }

    /// Reads the shown sample again: people's verdicts on it have changed.
    fn read_again(&mut self, key: SampleKey, desk: &mut Desk) {
        self.next = None;
        self.wanted = Some(key);
        self.ask_item(ITEM, Some(key), desk);
    }

    /// Looks at a neighbour, or returns to the current sample.
    pub fn peek(&mut self, step: StepDirection, desk: &mut Desk) -> Option<Message> {
        let session = self.session.as_ref()?;
        let steps = match step {
            StepDirection::Next => self.peeked + 1,
            StepDirection::Previous => self.peeked - 1,
        };
        if session.peek(steps).is_none() {
            let text = match step {
                StepDirection::Next => "this is the last sample of the queue",
                StepDirection::Previous => "no sample was decided before this one · H lists all",
            };
            return Some((text.to_owned(), Role::Dim));
        }
        self.peeked = steps;
        self.follow(desk);
        None
    }

    /// Folds or unfolds; returns the message about it.
    fn fold(&mut self, fold: FoldTarget) -> &'static str {
        if fold == FoldTarget::All && self.panes.unfold_opening() {
            return "nothing is folded";
        }
        let SampleFolds { setup, comments } = self.panes.folded();
        let (folded, text) = match fold {
            FoldTarget::Setup if setup => (
                SampleFolds {
                    setup: false,
                    comments,
                },
                "the setup is open",
            ),
            FoldTarget::Setup => (
                SampleFolds {
                    setup: true,
                    comments,
                },
                "the setup is folded",
            ),
            FoldTarget::Comments if comments => (
                SampleFolds {
                    setup,
                    comments: false,
                },
                "comments are open",
            ),
            FoldTarget::Comments => (
                SampleFolds {
                    setup,
                    comments: true,
                },
                "comments are folded",
            ),
            FoldTarget::All if setup || comments => (SampleFolds::default(), "nothing is folded"),
            FoldTarget::All => (
                SampleFolds {
                    setup: true,
                    comments: true,
                },
                "setup and comments are folded",
            ),
            FoldTarget::Context => {
                self.panes.shows_context = !self.panes.shows_context;
                return if self.panes.shows_context {
                    "contexts are shown"
                } else {
                    "your last decisions are shown"
                };
            }
        };
        self.panes.fold(folded);
        text
    }

    /// Asks how often weights of each band have proved right; the explanation of a match shows it.
    pub fn ask_bands(desk: &mut Desk) {
        desk.ask(WeightBandsQuestion, |screen: &mut Self, bands, _| {
            screen.bands = bands;
        });
    }

    /// Returns the note on the sample on the screen.
    #[must_use]
    pub fn known_note(&self) -> &str {
        let item = self.item.as_ref();
        item.and_then(|review_item| review_item.note.as_deref())
            .unwrap_or_default()
    }
}
