//! The surroundings of the sample: the last decisions, the line that tells the place, and the advice when nothing is
//! left to judge. Only draws.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{EventKind, JudgedSample, Judgement, signed};
use crate::review::{self, Session, Staleness};
use crate::screen::annotate::questions::PastRow;
use crate::screen::annotate::{Annotate, report};
use crate::screen::{AnswerState, DrawContext, docs, people};
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::frame::{self, count, cut, fit, inside, pieces};
use crate::widget::overlay;

impl Annotate {
    pub fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if self.item.is_none() {
            self.draw_nothing(body, buffer, context.theme);
            return;
        }
        self.panes.draw(buffer, context);
        if let Some(area) = self.panes.aside_area {
            let frame = frame::Pane {
                title: "your last decisions",
                note: "H",
                has_focus: false,
            };
            frame.draw(area, buffer, context.theme);
            self.draw_decisions(inside(area), None, buffer, context.theme);
        }
    }

    fn draw_nothing(&self, body: Rect, buffer: &mut Buffer, theme: &Theme) {
        if let (AnswerState::Ready(()), None, Some(report)) =
            (&self.state, self.wanted, &self.report)
        {
            report::draw(body, (report, self.can_undo()), buffer, theme);
            return;
        }
        let queue = &self.reviewing.queue;
        let queue = if queue.is_empty() { "uncertain" } else { queue };
        let (title, text, hint) = match &self.state {
            AnswerState::Waiting => ("queue", format!("looking for samples: {queue} …"), ""),
            AnswerState::NoIndex => (
                "no index",
                "There is nothing to judge yet.".to_owned(),
                "`focalist mine PATH…` or `focalist demo` makes an index",
            ),
            AnswerState::Failed(text) => ("queue", text.clone(), "f chooses another queue"),
            AnswerState::Ready(()) if self.wanted.is_some() => {
                ("queue", "reading …".to_owned(), "")
            }
            AnswerState::Ready(()) => (
                "nothing left",
                self.summary_at_the_end(queue),
                if self.can_undo() {
                    "f another queue · gd disagreements · H your decisions · u undo"
                } else {
                    "f another queue · gd disagreements · H your decisions"
                },
            ),
        };
        let lines = [(text.as_str(), Role::Popup), (hint, Role::Dim)];
        overlay::draw_message(body, (title, ""), &lines, buffer, theme);
    }

    fn summary_at_the_end(&self, queue: &str) -> String {
        let n_done = self.session.as_ref().map_or(0, Session::n_done);
        let queue = visible(queue);
        match n_done {
            0 => format!("No sample is left in the queue `{queue}`."),
            1 => format!("You have judged the only sample of the queue `{queue}`."),
            _ => {
                let n_done = frame::counted(n_done, "sample");
                format!("You have judged all {n_done} of the queue `{queue}`.")
            }
        }
    }

    /// Counts the judged samples, and tells the pace: for the bar at the top, where the name stands before it.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = String::new();
        if self.n_decided > 0 {
            text.push_str(&format!("{} decided", count(self.n_decided)));
        }
        let minutes = self
            .began_at_ms
            .map_or(0.0, |began| (self.last_at_ms - began) as f64 / 60_000.0);
        // The first few decisions do not tell the pace.
        if self.n_decided >= 5 && minutes > 0.0 {
            text.push_str(&format!(" · {:.1}/min", self.n_decided as f64 / minutes));
        }
        text
    }

    /// Tells which share of the matches with about the sample's weight people found right.
    #[must_use]
    pub fn calibrated(&self) -> String {
        let weight = self
            .item
            .as_ref()
            .and_then(|review_item| review_item.explained.detail.row.weight);
        let band = weight.and_then(|weight| self.bands.iter().find(|band| band.holds(weight)));
        let Some(band) = band else {
            return String::new();
        };
        let of = format!("matches of weight {:.2} to {:.2}", band.from, band.to);
        match (band.accepted.value(), band.accepted.interval()) {
            (Some(value), Some((low, high))) => format!(
                "calibrated: of {} {of} people found {:.1} % right (95 % interval {:.1} to {:.1})",
                count(band.accepted.n),
                value * 100.0,
                low * 100.0,
                high * 100.0
            ),
            _ => format!("calibrated: no verdicts on {of} yet"),
        }
    }

    /// Describes the place: the queue, the sample, the facts about it.
    #[must_use]
    pub fn line(&self) -> String {
        let queue = self.session.as_ref().map_or("", |session| session.name());
        // Other annotators at the same sample come first.
        let mut parts: Vec<String> = self.beside().into_iter().collect();
        parts.push(if queue.is_empty() {
            self.reviewing.queue.clone()
        } else {
            queue.to_owned()
        });
        if let Some(session) = &self.session {
            if session.n_done() > 0 {
                parts.push(format!("{} done", count(session.n_done())));
            }
            parts.push(format!("{} left", count(session.n_left())));
        }
        if let Some(item) = &self.item {
            let detail = &item.explained.detail;
            if self.peeked != 0 {
                parts.push(format!("ONLY A LOOK ({})", signed(self.peeked as f64, 0)));
            }
            if let Some(mine) = &item.mine {
                let stale = item.stale.map_or("", |stale| match stale {
                    Staleness::Changed => ", but the code has changed",
                    Staleness::OtherFocal if self.reviewing.is_blind => ", but it is out of date",
                    Staleness::OtherFocal => ", but the match is another now",
                    Staleness::Gone => ", but it is gone",
                });
                parts.push(format!(
                    "yours: {}{stale}",
                    self.judgement_words(&mine.judged)
                ));
            }
            if item.is_marked {
                parts.push("marked".to_owned());
            }
            if item.note.is_some() {
                parts.push("noted".to_owned());
            }
            if !self.reviewing.is_blind {
                let annotator = &self.reviewing.annotator;
                parts.extend(people::brief(&item.explained.remarks, annotator));
            }
            parts.push(detail.repo.name.clone());
            let file = docs::file_name(&detail.test.path);
            parts.push(format!("{file}:{}", detail.test.name_line));
            if self.reviewing.is_blind {
                parts.push("blind".to_owned());
            } else {
                let row = &detail.row;
                parts.push(match (row.stage, row.weight) {
                    (Some(stage), Some(weight)) => {
                        format!("{} {weight:.2}", docs::stage_words(stage))
                    }
                    _ => docs::explain(row.status).to_owned(),
                });
            }
            if let Some(note) = &item.note {
                parts.push(format!("note: {note}"));
            }
        }
        visible(&parts.join(" · "))
    }

    /// Describes a judgement in a few words, without the hidden parts.
    pub(super) fn judgement_words(&self, judged: &JudgedSample) -> String {
        if self.reviewing.is_blind && judged.judgement == Judgement::Accept {
            judged.judgement.as_str().to_owned()
        } else {
            judgement_words(judged)
        }
    }

    /// Describes an event in the same way.
    pub(super) fn done(&self, kind: &EventKind) -> String {
        match kind {
            EventKind::Judged(judged) => self.judgement_words(judged),
            EventKind::Adjudicated { judged, .. } if judged.judgement == Judgement::Accept => {
                format!("gold: {}", self.judgement_words(judged))
            }
            other => done(other),
        }
    }

    /// Draws the last events, the latest first, with the cursor if there is one.
    pub(super) fn draw_decisions(
        &self,
        area: Rect,
        cursor: Option<usize>,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        if self.past.is_empty() {
            let text = cut(" nothing yet: one key decides", usize::from(area.width));
            buffer.set_string(area.x, area.y, text, theme.style(Role::Dim));
            return;
        }
        let height = usize::from(area.height).max(1);
        let top = cursor.map_or(0, |cursor| (cursor + 1).saturating_sub(height));
        let rows = self.past.iter().enumerate().skip(top);
        for ((idx, row), y) in rows.zip(area.y..area.bottom()) {
            let place = Rect::new(area.x, y, area.width, 1);
            let what = self.done(row.past.event.kind());
            draw_past_row(row, &what, place, buffer, theme);
            if cursor == Some(idx) {
                buffer.set_style(place, theme.style(Role::Selected));
            }
        }
    }
}

fn draw_past_row(row: &PastRow, what: &str, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let kind = row.past.event.kind();
    let (glyph, role) = match kind {
        _ if row.past.is_undone => ("↶", Role::Dim),
        EventKind::Judged(judged) => glyph(&judged.judgement),
        EventKind::Adjudicated { .. } => ("★", Role::Good),
        EventKind::Noted { .. }
        | EventKind::Marked { .. }
        | EventKind::Unmarked { .. }
        | EventKind::Undone { .. }
        | EventKind::Redone { .. }
        | EventKind::Drawn(_)
        | EventKind::Batch(_)
        | EventKind::Tagged(_)
        | EventKind::Equivalent { .. }
        | EventKind::NotEquivalent { .. } => ("·", Role::Dim),
    };
    let dwell = match kind {
        EventKind::Judged(JudgedSample {
            dwell_ms: Some(dwell_ms),
            ..
        }) => format!("{:>6.1} s", f64::from(*dwell_ms) / 1_000.0),
        _ => " ".repeat(8),
    };
    let room = usize::from(area.width).saturating_sub(dwell.len() + 5);
    let test_width = room * 45 / 100;
    let gone = match kind.key() {
        Some(_) => "(gone from the index)",
        None => "",
    };
    let test = row.test.as_deref().unwrap_or(gone);
    let test = fit(&visible(test), test_width);
    let what = fit(what, room - test_width);
    let text = if row.past.is_undone {
        Role::Dim
    } else {
        Role::Text
    };
    let parts = [
        (" ", Role::Text),
        (glyph, role),
        (" ", Role::Text),
        (what.as_str(), text),
        (" ", Role::Text),
        (test.as_str(), Role::Dim),
        (dwell.as_str(), Role::Dim),
    ];
    pieces(area, &parts, buffer, theme);
}

const fn glyph(judgement: &Judgement) -> (&'static str, Role) {
    match judgement {
        Judgement::Accept => ("✓", Role::Good),
        Judgement::Pick(_) => ("→", Role::Focal),
        Judgement::NoneOfThese | Judgement::NoFocal => ("✗", Role::Warning),
        Judgement::Unsure => ("?", Role::Warning),
        Judgement::Skip => ("…", Role::Dim),
    }
}

/// Describes a judgement in a few words.
#[must_use]
pub fn judgement_words(judged: &JudgedSample) -> String {
    match (&judged.judgement, &judged.focal) {
        (Judgement::Accept, Some(focal)) => format!("accept {}", docs::short_key(focal)),
        (Judgement::Accept, None) => "accept: no focal method".to_owned(),
        (Judgement::Pick(method), _) => format!("pick {}", docs::short_key(method)),
        (Judgement::NoneOfThese, _) => "none of these".to_owned(),
        (Judgement::NoFocal, _) => "no focal method".to_owned(),
        (Judgement::Unsure, _) => "unsure".to_owned(),
        (Judgement::Skip, _) => "skip".to_owned(),
    }
}

/// Describes an adjudication in a few words: where nobody can tell, nothing is gold.
#[must_use]
pub fn ruled(judged: &JudgedSample) -> String {
    match judged.judgement {
        Judgement::Unsure => "set aside".to_owned(),
        Judgement::Accept
        | Judgement::NoneOfThese
        | Judgement::NoFocal
        | Judgement::Pick(_)
        | Judgement::Skip => judgement_words(judged),
    }
}

/// Describes an event in a few words.
#[must_use]
pub fn done(kind: &EventKind) -> String {
    match kind {
        EventKind::Judged(judged) => judgement_words(judged),
        EventKind::Adjudicated { judged, .. } => match judged.judgement {
            Judgement::Unsure => ruled(judged),
            Judgement::Accept
            | Judgement::NoneOfThese
            | Judgement::NoFocal
            | Judgement::Pick(_)
            | Judgement::Skip => format!("gold: {}", ruled(judged)),
        },
        EventKind::Noted { note, .. } if note.is_empty() => "note removed".to_owned(),
        EventKind::Noted { note, .. } => visible(&format!("note: {note}")),
        EventKind::Marked { .. } => "mark".to_owned(),
        EventKind::Unmarked { .. } => "unmark".to_owned(),
        EventKind::Undone { .. } => "undo".to_owned(),
        EventKind::Redone { .. } => "redo".to_owned(),
        EventKind::Batch(batch) if review::is_of_alike(batch) => match batch.n_accepted {
            1 => "1 verdict given to a similar test".to_owned(),
            n => format!("{} verdicts given to similar tests", count(u64::from(n))),
        },
        EventKind::Batch(batch) => format!(
            "{} accepted at once (≤ {:.1} % wrong)",
            count(u64::from(batch.n_accepted)),
            batch.bound.error_max() * 100.0
        ),
        EventKind::Drawn(draw) => visible(&format!("draw {}", draw.audit)),
        EventKind::Tagged(tagged) if tagged.tags.is_empty() => "no tags".to_owned(),
        EventKind::Tagged(tagged) => format!("tags {}", tagged.tags),
        EventKind::Equivalent { .. } => "mutant marked as equivalent".to_owned(),
        EventKind::NotEquivalent { .. } => "mutant no longer marked as equivalent".to_owned(),
    }
}
