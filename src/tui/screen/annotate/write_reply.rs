//! The steps after an event is on disk: the next sample, the one that was undone, or the same one again.

use crate::desk::{Desk, Message};
use crate::model::{Event, EventKind, Judgement, PastEvent, SampleKey};
use crate::review::{PriorVerdicts, Session};
use crate::screen::annotate::questions::{PAST_MAX, PastRow};
use crate::screen::annotate::seats::SIT;
use crate::screen::annotate::{Annotate, QueueMove};
use crate::screen::pen;
use crate::scribe::{ScribeOutcome, ScribeReply};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, counted};

impl Annotate {
    /// Takes the writer's answer: the event is on disk, held back, or cannot be written. Returns the message about it.
    pub fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) -> Option<Message> {
        if written.token == SIT {
            self.take_seated(written.seats, desk);
            return None;
        }
        let pending = self
            .pending
            .take_if(|pending_write| pending_write.token == written.token)?;
        self.seats = written.seats;
        let outcome = match written.outcome {
            Ok(outcome) => outcome,
            Err(trouble) => {
                return Some((format!("{} · {}", trouble.text, trouble.hint), Role::Error));
            }
        };
        let message = match &outcome {
            ScribeOutcome::Appended { events, .. } => events
                .last()
                .map(|event| (format!("✓ saved: {}", self.done(event.kind())), Role::Good)),
            ScribeOutcome::Held { meanwhile, .. } => Some(match pending.then {
                QueueMove::Skipped(_) => ("left as it is".to_owned(), Role::Dim),
                _ => (
                    format!(
                        "{}. Same key: save yours too · s: skip",
                        visible(&meanwhile.sentence())
                    ),
                    Role::Warning,
                ),
            }),
            ScribeOutcome::Undone(None) | ScribeOutcome::Redone(None) => pen::message(&outcome),
            ScribeOutcome::Undone(Some(event)) => Some((
                format!("undone: {}", self.done(event.kind())),
                Role::Warning,
            )),
            ScribeOutcome::Redone(Some(event)) => {
                Some((format!("redone: {}", self.done(event.kind())), Role::Good))
            }
            ScribeOutcome::Accepted(n) => Some((
                format!("✓ {} accepted provisionally · u undoes them all", count(*n)),
                Role::Good,
            )),
            ScribeOutcome::Given(keys) => {
                let n_given = counted(keys.len() as u64, "similar test");
                let text = format!("✓ given to {n_given}, provisionally · u undoes all");
                Some((text, Role::Good))
            }
            ScribeOutcome::Drawn(n) => {
                Some((format!("{} drawn", counted(*n, "sample")), Role::Good))
            }
            ScribeOutcome::Seated => None,
        };
        self.count_versions(&outcome);
        self.remember(&outcome);
        self.go_on(pending.then, &outcome, desk);
        message
    }

    /// Adds the new events to the last decisions, so that nothing has to be read for them.
    fn remember(&mut self, outcome: &ScribeOutcome) {
        let ScribeOutcome::Appended { events, .. } = outcome else {
            return;
        };
        let row = self
            .item
            .as_ref()
            .map(|review_item| &review_item.explained.detail.row);
        for event in events {
            let is_shown = row.is_some_and(|sample_row| event.kind().key() == Some(sample_row.key));
            let test = row
                .filter(|_| is_shown)
                .map(|sample_row| format!("{}.{}", sample_row.test_class, sample_row.test_name));
            let past = PastEvent {
                event: event.clone(),
                is_undone: false,
            };
            self.past.insert(0, PastRow { past, test });
        }
        self.past.truncate(PAST_MAX);
    }

    /// Tells own events from others', so that only others' make the queue and the samples read ahead outdated.
    fn count_versions(&mut self, outcome: &ScribeOutcome) {
        if matches!(outcome, ScribeOutcome::Held { .. }) {
            self.next = None;
        }
        let Some((_, verdicts)) = &mut self.versions else {
            return;
        };
        let (n_own, now) = match outcome {
            ScribeOutcome::Appended { events, version } => {
                (i64::try_from(events.len()).unwrap_or(i64::MAX), *version)
            }
            ScribeOutcome::Undone(event) | ScribeOutcome::Redone(event) => {
                let n_own = i64::from(event.is_some());
                (n_own, *verdicts + n_own)
            }
            ScribeOutcome::Drawn(_)
            | ScribeOutcome::Accepted(_)
            | ScribeOutcome::Given(_)
            | ScribeOutcome::Seated
            | ScribeOutcome::Held { .. } => {
                return;
            }
        };
        if now > *verdicts + n_own {
            self.is_outdated = true;
            self.next = None;
        }
        *verdicts = now;
    }

    fn go_on(&mut self, then: QueueMove, outcome: &ScribeOutcome, desk: &mut Desk) {
        let event = match outcome {
            ScribeOutcome::Undone(event) | ScribeOutcome::Redone(event) => event.as_ref(),
            ScribeOutcome::Appended { events, .. } => events.last(),
            ScribeOutcome::Drawn(_)
            | ScribeOutcome::Accepted(_)
            | ScribeOutcome::Given(_)
            | ScribeOutcome::Seated
            | ScribeOutcome::Held { .. } => None,
        };
        let key = event.and_then(|event| event.kind().key());
        let Some(session) = &mut self.session else {
            self.ask_queue(desk);
            return;
        };
        self.peeked = 0;
        match (then, outcome) {
            (QueueMove::Decided(key), ScribeOutcome::Held { judgement, .. }) => {
                self.reported = Some((key, judgement.clone()));
                return;
            }
            (QueueMove::Skipped(key), ScribeOutcome::Held { meanwhile, .. }) => {
                leave(session, key, meanwhile);
                self.ask_queue(desk);
                self.follow(desk);
                return;
            }
            (_, ScribeOutcome::Given(keys)) => {
                for key in keys {
                    session.decided(*key);
                }
            }
            // Samples of a batch come back to the queue, or leave it again.
            (
                QueueMove::Undone | QueueMove::Redone,
                ScribeOutcome::Undone(Some(last_event)) | ScribeOutcome::Redone(Some(last_event)),
            ) if matches!(last_event.kind(), EventKind::Batch(_)) => {
                self.ask_queue(desk);
            }
            _ => {}
        }
        let Some(session) = &mut self.session else {
            return;
        };
        match (then, key) {
            (QueueMove::Decided(key), _) => {
                session.decided(key);
                self.n_decided += 1;
            }
            (QueueMove::Skipped(key), _) => session.skipped(key),
            (QueueMove::Undone, Some(key)) => {
                if has_decided(event) {
                    self.n_decided = self.n_decided.saturating_sub(1);
                }
                self.turn_to(key, desk);
            }
            (QueueMove::Redone, Some(key)) => match event.map(Event::kind) {
                Some(EventKind::Judged(judged)) if judged.judgement == Judgement::Skip => {
                    session.skipped(key);
                }
                Some(EventKind::Judged(_)) => {
                    session.decided(key);
                    self.n_decided += 1;
                }
                _ => self.turn_to(key, desk),
            },
            (QueueMove::Stay, Some(key)) => self.read_again(key, desk),
            (QueueMove::Drawn, _) => self.ask_queue(desk),
            _ => {}
        }
        if !matches!(outcome, ScribeOutcome::Appended { .. }) {
            self.ask_past(desk);
        }
        self.pass_over();
        self.follow(desk);
    }
}

/// Takes a sample that needs no further verdict out of the queue.
pub fn leave(session: &mut Session, key: SampleKey, meanwhile: &PriorVerdicts) {
    match meanwhile {
        PriorVerdicts::Mine(_) => session.decided(key),
        PriorVerdicts::Others(_) => session.gone(key),
    }
}

/// Tells whether an event is a decision on a sample, which the bar at the top counts.
fn has_decided(event: Option<&Event>) -> bool {
    let judged = event.and_then(|event| match event.kind() {
        EventKind::Judged(judged) => Some(judged),
        _ => None,
    });
    judged.is_some_and(|judged_sample| judged_sample.judgement != Judgement::Skip)
}
