//! Correcting tags: from a key to an event, and the steps after the event is on disk.

use crate::desk::{Desk, Message};
use crate::eval::TAGS_VERSION;
use crate::model::{EventKind, Tag, TaggedPrediction, Tags};
use crate::review;
use crate::screen::pen::{self, AnnotationWriter, Refusal};
use crate::screen::results::Results;
use crate::scribe::{AnnotatorAction, ScribeReply};
use crate::widget::chooser::{Chooser, ChooserItem};

/// The tokens of this screen's events are above this.
pub const TOKENS: u64 = 2 << 32;

/// The line of the list that writes the checked tags.
pub const SAVE: &str = "save";

/// The annotator's name, the event on its way, and the state of a correction.
#[derive(Debug, Default)]
pub struct Tagging {
    pub(super) pen: AnnotationWriter<TOKENS>,
    /// The prediction whose difference has been painted.
    pub(super) painted: Option<u32>,
    /// The prediction whose tags are being checked, as it was at the beginning.
    before: Option<TaggedPrediction>,
    /// The tags that were checked by hand, the latest first: each has a digit.
    recent: Vec<Tag>,
}

/// The number of tags with a digit.
const N_RECENT: usize = 9;

impl Results {
    /// Makes the screen for an annotator; the name is empty until somebody gives one.
    #[must_use]
    pub fn new(annotator: &str) -> Self {
        let mut results = Self::default();
        results.set_annotator(annotator);
        results
    }

    /// Corrects tags in this name from now on.
    pub fn set_annotator(&mut self, name: &str) {
        name.clone_into(&mut self.tagging.pen.annotator);
    }

    /// Returns the prediction under the cursor with the machine's tags, if it has been painted and nothing is on its
    /// way to disk.
    fn seen(&self) -> Result<TaggedPrediction, Refusal> {
        self.tagging.pen.may_say()?;
        let missing = |what| Refusal::Missing { what };
        let shown = self.shown.as_ref().ok_or(missing("prediction here"))?;
        let ordinal = Some(shown.detail.row.ordinal);
        if self.requested != ordinal || self.tagging.painted != ordinal {
            return Err(Refusal::Unseen { what: "prediction" });
        }
        let view = self.view.as_ref().ok_or(missing("run"))?;
        let (run, machine) = (&view.run.setting.name, shown.detail.row.tags);
        let seen = review::tagged(run, &shown.detail, TAGS_VERSION, machine, None);
        seen.ok_or(missing("ground truth to compare with"))
    }

    /// Makes the list in which tags are checked. The valid tags are checked at first; the machine's are marked.
    ///
    /// # Errors
    /// The reason why nothing can be written now.
    pub fn check_tags(&mut self) -> Result<Chooser, Refusal> {
        let seen = self.seen()?;
        let people = self
            .shown
            .as_ref()
            .and_then(|explained_prediction| explained_prediction.detail.row.people);
        let held = people.unwrap_or(seen.machine);
        let choices = Tag::ALL.iter().map(|tag| {
            let is_machine = seen.machine.contains(*tag);
            let digit = self
                .tagging
                .recent
                .iter()
                .position(|recent_tag| recent_tag == tag);
            let mark = match (is_machine, digit) {
                (true, Some(nth)) => format!("machine {}", nth + 1),
                (false, Some(nth)) => format!("{}", nth + 1),
                (true, None) => "machine".to_owned(),
                (false, None) => String::new(),
            };
            ChooserItem {
                about: tag.definition(),
                ..ChooserItem::new(tag.as_str(), tag.definition(), &mark)
            }
        });
        let save = ChooserItem {
            about: "Space or Enter checks a tag · a digit checks a recent tag and saves · letters search · Enter here saves the checked tags",
            ..ChooserItem::new(SAVE, "the checked tags say how the prediction differs", "")
        };
        let checked = Tag::ALL.iter().map(|tag| held.contains(*tag));
        let title = "how it differs";
        let choices = std::iter::once(save).chain(choices).collect();
        self.tagging.before = Some(seen);
        Ok(Chooser::of_many(title, choices, checked.collect()))
    }

    /// Writes the checked tags, for the selected predictions, else for the one that the list was opened for.
    pub fn tag(&mut self, checked: &[bool], desk: &mut Desk) -> Result<(), Refusal> {
        self.tagging.pen.may_say()?;
        let asked = self.tagging.before.take();
        let asked = asked.ok_or(Refusal::Nothing { what: "write" })?;
        let all = Tag::ALL.iter().zip(checked);
        let tags: Tags = all.filter(|pair| *pair.1).map(|pair| *pair.0).collect();
        if let Some((alone, other)) = tags.contradiction() {
            return Err(Refusal::Contradiction { alone, other });
        }
        let by_hand = tags.iter().filter(|tag| !asked.machine.contains(*tag));
        for tag in by_hand {
            self.tagging.recent.retain(|recent_tag| *recent_tag != tag);
            self.tagging.recent.insert(0, tag);
        }
        self.tagging.recent.truncate(N_RECENT);
        if self.tag_chosen(tags, desk) {
            return Ok(());
        }
        let kind = EventKind::Tagged(TaggedPrediction { tags, ..asked });
        self.tagging.pen.say(AnnotatorAction::plain(kind), desk);
        Ok(())
    }

    /// Checks or unchecks the tag with this digit and writes the checked tags; tells whether a tag has that digit.
    pub fn tag_recent(&mut self, nth: usize, chooser: &mut Chooser, desk: &mut Desk) -> bool {
        let recent = nth.checked_sub(1).and_then(|n| self.tagging.recent.get(n));
        let place = recent.and_then(|tag| Tag::ALL.iter().position(|other| other == tag));
        if !place.is_some_and(|place| chooser.toggle_at(place)) {
            return false;
        }
        let checked = chooser.checked().unwrap_or_default();
        pen::warn(self.tag(checked, desk), desk);
        true
    }

    /// Writes that the metric is wrong about the prediction under the cursor: see [`Tags::called_equal`].
    pub fn call_equal(&mut self, desk: &mut Desk) -> Result<(), Refusal> {
        let seen = self.seen()?;
        let tags = seen.machine.called_equal();
        let kind = EventKind::Tagged(TaggedPrediction { tags, ..seen });
        self.tagging.pen.say(AnnotatorAction::plain(kind), desk);
        Ok(())
    }

    /// Undoes the annotator's last event, or redoes the last undone one.
    pub fn turn_back(&mut self, what: AnnotatorAction, desk: &mut Desk) -> Result<(), Refusal> {
        self.tagging.pen.may_say()?;
        self.tagging.pen.say(what, desk);
        Ok(())
    }

    /// Takes the writer's answer: the event is on disk, or cannot be written. Returns the message about it.
    pub fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) -> Option<Message> {
        let outcome = match self.tagging.pen.hear(written)? {
            Ok(outcome) => outcome,
            Err(message) => return Some(message),
        };
        self.read_again(desk);
        pen::message(&outcome)
    }

    /// Reads the rows and the prediction again, because people's tags on them have changed. The list stays as it is.
    pub fn read_again(&mut self, desk: &mut Desk) {
        self.pages.outdate();
        self.requested = None;
        self.ask_rows(desk);
    }
}
