//! One verdict for near duplicates: what differs between them is shown, then Enter gives the verdict to all of them.
//!
//! ```text
//! ┏ accept Counter.inc(int) · for 2 alike ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ Enter gives it · Esc ┓
//! ┃ what differs from CounterTest.testInc                                                        ┃
//! ┃                                                                                              ┃
//! ┃ 1 · CounterTest.testIncTwice · 93 % the same                                                 ┃
//! ┃ - assertEquals(5, counter.inc(1));                                                           ┃
//! ┃ + assertEquals(6, counter.inc(2));                                                           ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//!
//! Which samples are alike is decided in `review`. A key gives only what has been on the screen, here as everywhere.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::overlay::Overlay;
use crate::desk::{Desk, Message};
use crate::diff;
use crate::keymap::Motion;
use crate::model::{EventKind, Judged, Judgement};
use crate::paint::Cache;
use crate::review::Alike;
use crate::screen::annotate::questions::AskAlike;
use crate::screen::annotate::{Annotate, Then, changes};
use crate::scribe::Said;
use crate::text::Doc;
use crate::theme::{Role, Theme};
use crate::widget::code::CodeView;
use crate::widget::frame::{Pane, counted, fill, inside};

/// What is alike, over the screen.
#[derive(Clone, Debug)]
pub struct AlikeList {
    alike: Alike,
    title: String,
    view: CodeView,
    /// Its end has been on the screen.
    is_seen: bool,
}

impl AlikeList {
    /// Returns the list of what the verdict would be given to; `said` is the verdict in a few words.
    fn new(alike: Alike, said: &str) -> Self {
        let mut view = CodeView::default();
        view.show(Arc::new(doc(&alike)));
        let n_members = alike.members.len();
        Self {
            title: format!("{said} · for {n_members} alike"),
            alike,
            view,
            is_seen: false,
        }
    }

    pub fn arrange(&mut self, area: Rect) {
        self.view.arrange(inside(area), true);
    }

    pub fn scroll(&mut self, motion: Motion) {
        self.view.scroll(motion);
    }

    /// Hears that it is on the screen as it is.
    pub fn painted(&mut self) {
        self.is_seen |= self.view.n_rows_below() == 0;
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer, (theme, cache): (&Theme, &Cache)) {
        fill(area, Role::Popup, buffer, theme);
        let note = match self.view.n_rows_below() {
            0 => "Enter gives it · Esc".to_owned(),
            n_below => format!("↓{n_below} more · Space · Esc"),
        };
        let pane = Pane {
            title: &self.title,
            note: &note,
            has_focus: true,
        };
        pane.draw(area, buffer, theme);
        self.view.draw(buffer, theme, cache);
    }
}

/// Returns how each differs from what was judged: changed lines alone.
fn doc(alike: &Alike) -> Doc {
    let mut doc = Doc::default();
    let own = &alike.snapshot.test;
    let name = crate::screen::docs::short_key(&own.key);
    doc.push_note(Role::Dim, &format!(" what differs from {name}"));
    if alike.n_others > 0 {
        let others = counted(alike.n_others as u64, "other test");
        let text =
            format!(" left out: {others} as near, where the verdict would mean something else");
        doc.push_note(Role::Dim, &text);
    }
    for (number, member) in (1..).zip(&alike.members) {
        let percent = (member.similarity * 100.0).round();
        let text = format!(" {number} · {} · {percent} % the same", member.test);
        doc.push_note(Role::Dim, "");
        doc.push_note(Role::Strong, &text);
        if diff::is_same(&member.rows) {
            doc.push_note(Role::Dim, "   nothing");
        }
        changes::push(&mut doc, (&own.text, &member.text), &member.rows, 0);
    }
    doc
}

impl Annotate {
    /// Asks what is like the sample that was judged: the one on the screen, where it has a verdict, else the last one.
    pub(super) fn ask_alike(&self, desk: &mut Desk) -> Option<Message> {
        let Some(judged) = self.given_verdict() else {
            let text = "no verdict to give yet: judge one, then gA";
            return Some((text.to_owned(), Role::Warning));
        };
        let alike = AskAlike {
            judged: Box::new(judged.clone()),
            options: Box::new(self.options.clone()),
        };
        desk.ask(alike, Self::take_alike);
        None
    }

    fn given_verdict(&self) -> Option<&Judged> {
        let shown = self.item.as_ref().and_then(|it| it.mine.as_ref());
        let shown = shown.map(|it| &it.judged);
        let past = self.past.iter().filter(|it| !it.past.is_undone);
        let last = past.filter_map(|it| match it.past.event.kind() {
            EventKind::Judged(judged) => Some(judged),
            _ => None,
        });
        let mut all = shown.into_iter().chain(last);
        all.find(|it| it.judgement != Judgement::Skip && it.bulk.is_none())
    }

    fn take_alike(&mut self, alike: Option<Box<Alike>>, desk: &mut Desk) {
        let Some(alike) = alike else {
            desk.say(
                "the index does not have that sample any more",
                Role::Warning,
            );
            return;
        };
        if alike.members.is_empty() {
            let name = crate::screen::docs::short_key(&alike.snapshot.test.key);
            let text = format!("nothing that is open can be judged like {name}");
            desk.say(text, Role::Dim);
            return;
        }
        let said = self.said(&alike.judged);
        desk.overlay = Some(Overlay::Alike(Box::new(AlikeList::new(*alike, &said))));
    }

    /// Gives the verdict to what is listed, once all of it has been seen.
    pub fn give_alike(&mut self, list: Box<AlikeList>, desk: &mut Desk) {
        if !list.is_seen {
            desk.say("not yet: there is more below · Space", Role::Warning);
            desk.overlay = Some(Overlay::Alike(list));
            return;
        }
        if self.pending.is_some() {
            desk.say(
                "not heard: the verdict before is still being saved",
                Role::Warning,
            );
            desk.overlay = Some(Overlay::Alike(list));
            return;
        }
        let Alike {
            judged, members, ..
        } = list.alike;
        let judgements = members.into_iter().map(|it| it.judged).collect();
        self.say(Said::Alike(judged.key, judgements), Then::Given, desk);
    }
}
