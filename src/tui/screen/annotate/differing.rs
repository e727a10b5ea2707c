//! The list of similar samples, over the screen: how each sample differs from the one that was judged. Only draws.
//!
//! ```text
//! ┏ accept Counter.inc(int) · for 2 similar tests ━━━━━━━━━━━━━━━━━━━━━━━━ Enter gives it · Esc ┓
//! ┃ differences from CounterTest.testInc                                                         ┃
//! ┃                                                                                              ┃
//! ┃ 1 · CounterTest.testIncTwice · 93 % the same                                                 ┃
//! ┃ - assertEquals(5, counter.inc(1));                                                           ┃
//! ┃ + assertEquals(6, counter.inc(2));                                                           ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::diff;
use crate::keymap::Motion;
use crate::model::Judgement;
use crate::paint::Cache;
use crate::review::{ALIKE_MIN, Alike};
use crate::screen::annotate::changes::push;
use crate::screen::docs::short_key;
use crate::text::Doc;
use crate::theme::{Role, Theme};
use crate::widget::code::CodeView;
use crate::widget::frame::{Pane, counted, cut, fill, inside};

/// The list of similar samples, over the screen.
#[derive(Clone, Debug)]
pub struct AlikeList {
    pub alike: Alike,
    /// The verdict, in a few words.
    verdict_words: String,
    view: CodeView,
    /// Its end has been on the screen.
    pub is_seen: bool,
}

impl AlikeList {
    /// Lists the samples that the verdict would be given to.
    #[must_use]
    pub fn new(alike: Alike, said: &str) -> Self {
        let mut view = CodeView::default();
        view.show(Arc::new(doc(&alike)));
        Self {
            verdict_words: said.to_owned(),
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

    /// Hears that it has been painted in its present state.
    pub fn painted(&mut self) {
        self.is_seen |= self.view.n_rows_below() == 0;
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer, (theme, cache): (&Theme, &Cache)) {
        fill(area, Role::Popup, buffer, theme);
        let note = match self.view.n_rows_below() {
            0 => "Enter gives it · Esc".to_owned(),
            n_below => format!("↓{n_below} more · Space · Esc"),
        };
        let count = counted(self.alike.members.len() as u64, "similar test");
        let count = format!(" · for {count}");
        // The note, the count, the pane's corners and the blanks keep their columns; the verdict gets the rest.
        let taken = note.width() + count.width() + 8;
        let room = usize::from(area.width).saturating_sub(taken);
        let title = format!("{}{count}", cut_in_the_middle(&self.verdict_words, room));
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus: true,
        };
        pane.draw(area, buffer, theme);
        self.view.draw(buffer, theme, cache);
    }
}

/// Cuts a text to at most `width` columns; its beginning and its end stay.
fn cut_in_the_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let n_end = width / 2;
    let mut end = text.len();
    for (at, _) in text.char_indices().rev() {
        if text[at..].width() > n_end {
            break;
        }
        end = at;
    }
    format!(
        "{}{}",
        cut(&text[..end], width.saturating_sub(n_end)),
        &text[end..]
    )
}

/// Shows how each sample differs from the judged one, by changed lines alone.
fn doc(alike: &Alike) -> Doc {
    let mut doc = Doc::default();
    let own = &alike.snapshot.test;
    let name = short_key(&own.key);
    doc.push_note(Role::Dim, &format!(" differences from {name}"));
    for text in left_out(alike) {
        doc.push_note(Role::Dim, &format!(" left out: {text}"));
    }
    for (number, member) in (1..).zip(&alike.members) {
        let percent = (member.similarity * 100.0).round();
        let text = format!(" {number} · {} · {percent} % the same", member.test);
        doc.push_note(Role::Dim, "");
        doc.push_note(Role::Strong, &text);
        if diff::is_same(&member.rows) {
            doc.push_note(Role::Dim, "   nothing");
        }
        push(&mut doc, (&own.text, &member.text), &member.rows, 0);
    }
    doc
}

/// Tells which tests are not on the list, and why; short enough for a narrow terminal.
#[must_use]
pub fn left_out(alike: &Alike) -> Vec<String> {
    let mut parts = Vec::new();
    if alike.n_others > 0 {
        let others = counted(alike.n_others as u64, "similar test");
        parts.push(match alike.judged.judgement {
            Judgement::Pick(_) => format!("{others} without this method as a candidate"),
            Judgement::Accept
            | Judgement::NoneOfThese
            | Judgement::NoFocal
            | Judgement::Unsure
            | Judgement::Skip => format!("{others} of another method or of none"),
        });
    }
    if alike.n_unlike > 0 {
        let unlike = counted(alike.n_unlike as u64, "test");
        let percent = ALIKE_MIN * 100.0;
        parts.push(format!("{unlike} less than {percent:.0} % the same"));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let name = "accept Verifier.verify(String)";
        assert_eq!(cut_in_the_middle(name, 30), name);
        assert_eq!(cut_in_the_middle(name, 20), "accept Ve…fy(String)");
    }
}
