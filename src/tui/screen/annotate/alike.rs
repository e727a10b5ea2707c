//! One verdict for near duplicates: the screen lists their differences, then Enter gives the verdict to all of them.
//!
//! `review` decides which samples are alike. Here, too, a key judges only samples that have been on the screen.

use crate::desk::overlay::Overlay;
use crate::desk::{Desk, Message};
use crate::model::{EventKind, JudgedSample, Judgement};
use crate::review::Alike;
use crate::screen::annotate::differing::{AlikeList, left_out};
use crate::screen::annotate::questions::AlikeSamplesQuestion;
use crate::screen::annotate::{Annotate, QueueMove};
use crate::screen::docs::short_key;
use crate::scribe::AnnotatorAction;
use crate::theme::Role;

impl Annotate {
    /// Asks for samples like the judged one: the one on the screen, where it has a verdict, else the last one.
    pub(super) fn ask_alike(&self, desk: &mut Desk) -> Option<Message> {
        let Some(judged) = self.given_verdict() else {
            let text = "no verdict to give yet: judge one, then gA";
            return Some((text.to_owned(), Role::Warning));
        };
        let alike = AlikeSamplesQuestion {
            judged: Box::new(judged.clone()),
            options: Box::new(self.options.clone()),
        };
        desk.ask(alike, Self::take_alike);
        None
    }

    fn given_verdict(&self) -> Option<&JudgedSample> {
        let shown = self
            .item
            .as_ref()
            .and_then(|review_item| review_item.mine.as_ref());
        let shown = shown.map(|verdict| &verdict.judged);
        let past = self.past.iter().filter(|past_row| !past_row.past.is_undone);
        let last = past.filter_map(|past_row| match past_row.past.event.kind() {
            EventKind::Judged(judged) => Some(judged),
            _ => None,
        });
        let mut all = shown.into_iter().chain(last);
        all.find(|judged_sample| {
            judged_sample.judgement != Judgement::Skip && judged_sample.bulk.is_none()
        })
    }

    fn take_alike(&mut self, alike: Option<Box<Alike>>, desk: &mut Desk) {
        let Some(alike) = alike else {
            desk.show_message("that sample is no longer in the index", Role::Warning);
            return;
        };
        if alike.members.is_empty() {
            let name = short_key(&alike.snapshot.test.key);
            let mut text = format!("no open test is like {name}");
            let left_out = left_out(&alike);
            if !left_out.is_empty() {
                text.push_str(&format!(" · left out: {}", left_out.join(", ")));
            }
            desk.show_message(text, Role::Dim);
            return;
        }
        let said = self.judgement_words(&alike.judged);
        desk.overlay = Some(Overlay::Alike(Box::new(AlikeList::new(*alike, &said))));
    }

    /// Gives the verdict to the listed samples, if the list has been seen to its end.
    pub fn give_alike(&mut self, list: Box<AlikeList>, desk: &mut Desk) {
        if !list.is_seen {
            desk.show_message("not yet: there is more below · Space", Role::Warning);
            desk.overlay = Some(Overlay::Alike(list));
            return;
        }
        if let Err(refusal) = self.may_say() {
            desk.show_message(refusal, Role::Warning);
            desk.overlay = Some(Overlay::Alike(list));
            return;
        }
        let Alike {
            judged, members, ..
        } = list.alike;
        let judgements = members.into_iter().map(|member| member.judged).collect();
        self.say(
            AnnotatorAction::Alike(judged.key, judgements),
            QueueMove::Given,
            desk,
        );
    }
}
