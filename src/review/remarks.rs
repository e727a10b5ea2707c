//! Everything that people have said of one sample, to be shown beside it.
//!
//! Decides which events belong to it, and which of them hold. Does not decide who may see it: a blind annotator may
//! not.

use rustc_hash::FxHashSet;

use super::ReviewError;
use crate::model::{EventId, EventKind, PastEvent, SampleKey, TagRuling, Verdict};
use crate::store::{Remark, Verdicts};

/// People's remarks on a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleRemarks {
    /// Those that hold, by annotator; skips among them.
    pub verdicts: Vec<Verdict>,
    /// The adjudication, with the reason.
    pub ruling: Option<Verdict>,
    /// Those that stand, by annotator; those that came with a verdict among them.
    pub notes: Vec<Remark>,
    /// The annotators who marked it, by name.
    pub marked_by: Vec<String>,
    /// The tags that hold on predictions for it, by run, attempt and annotator; no tags where an annotator took all
    /// away.
    pub tags: Vec<TagRuling>,
    /// Everything that was ever said of it, the latest first.
    pub past: Vec<PastEvent>,
}

impl SampleRemarks {
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.past.is_empty()
    }

    /// Returns the events that hold.
    #[must_use]
    pub fn holding(&self) -> FxHashSet<EventId> {
        let mut events: FxHashSet<EventId> = FxHashSet::default();
        events.extend(self.verdicts.iter().map(|verdict| verdict.event));
        events.extend(self.ruling.iter().map(|ruling| ruling.event));
        events.extend(self.tags.iter().map(|tags| tags.event));
        for past in &self.past {
            let event = &past.event;
            let is_note = matches!(event.kind(), EventKind::Noted { .. })
                && self
                    .notes
                    .iter()
                    .any(|note| note.annotator == event.annotator() && note.at_ms == event.at_ms());
            if is_note || self.is_mark_that_holds(past) {
                events.insert(event.id());
            }
        }
        events
    }

    fn is_mark_that_holds(&self, past: &PastEvent) -> bool {
        let who = past.event.annotator();
        if !matches!(past.event.kind(), EventKind::Marked { .. }) {
            return false;
        }
        // The latest is the first.
        let mut marks = self.past.iter().filter(|other| {
            !other.is_undone
                && other.event.annotator() == who
                && matches!(other.event.kind(), EventKind::Marked { .. })
        });
        self.marked_by.iter().any(|name| name == who)
            && marks.next().map(|last| last.event.id()) == Some(past.event.id())
    }
}

/// Reads all events of people on a sample.
pub fn remarks(verdicts: &Verdicts, key: &SampleKey) -> Result<SampleRemarks, ReviewError> {
    let past = verdicts.history_of(key)?;
    if past.is_empty() {
        return Ok(SampleRemarks::default());
    }
    let mut tags = verdicts.rulings_on(key)?;
    tags.retain(|ruling| !ruling.tagged.tags.is_empty());
    Ok(SampleRemarks {
        verdicts: verdicts.of_sample(key)?,
        ruling: verdicts.adjudication_of(key)?,
        notes: verdicts.notes_on(key)?,
        marked_by: verdicts.marked_by(key)?,
        tags,
        past,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Judgement;
    use crate::store::testing::{counter_repo, key_of, store_with};
    use crate::store::{Sign, StoreAccess};
    use crate::{VerdictChoice, judged};

    #[test]
    fn everything_that_was_said_of_a_sample_is_told_and_what_of_it_holds() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it is made");
        let key = key_of("a", "testInc");
        let of = |choice: Judgement, note: Option<&str>| {
            let judged =
                judged(&store, &key, &VerdictChoice::Plain(choice)).expect("it can be judged");
            EventKind::Judged(crate::model::JudgedSample {
                note: note.map(str::to_owned),
                ..judged
            })
        };
        let noted = |note: &str| EventKind::Noted {
            key,
            note: note.to_owned(),
        };
        let mut say = |who: &str, kind: EventKind| {
            verdicts.append(who, 5, vec![kind]).expect("it is written");
            verdicts
                .signs(&[key])
                .expect("it reads")
                .pop()
                .map(|pair| pair.1)
        };
        assert_eq!(say("ada", of(Judgement::Skip, None)), None);
        assert_eq!(say("ada", of(Judgement::Accept, None)), Some(Sign::Judged));
        assert_eq!(say("bob", EventKind::Marked { key }), Some(Sign::Marked));
        assert_eq!(say("bob", noted("first")), Some(Sign::Noted));
        assert_eq!(say("bob", noted("second")), Some(Sign::Noted));
        assert_eq!(
            say("cyd", of(Judgement::NoFocal, Some("why"))),
            Some(Sign::Noted)
        );
        let judged = of(Judgement::Accept, None).judged().cloned();
        let judged = judged.expect("it is a judgement");
        let reason = "so".to_owned();
        let ruled = EventKind::Adjudicated { judged, reason };
        assert_eq!(say("eva", ruled), Some(Sign::Ruled));
        let remarks = remarks(&verdicts, &key).expect("it reads");
        let names: Vec<&str> = remarks
            .verdicts
            .iter()
            .map(|verdict| verdict.annotator.as_str())
            .collect();
        assert_eq!(names, ["ada", "cyd"]);
        let notes: Vec<(&str, &str)> = remarks
            .notes
            .iter()
            .map(|note| (note.annotator.as_str(), note.text.as_str()))
            .collect();
        assert_eq!(notes, [("bob", "second"), ("cyd", "why")]);
        assert_eq!(remarks.marked_by, ["bob"]);
        assert!(remarks.ruling.is_some());
        let holding = remarks.holding();
        let held = remarks.past.iter().map(|past| {
            let word = past.event.kind().as_str();
            (
                past.event.annotator(),
                word,
                holding.contains(&past.event.id()),
            )
        });
        let mut held: Vec<(&str, &str, bool)> = held.collect();
        held.sort_unstable();
        assert_eq!(
            held,
            [
                ("ada", "judged", false),
                ("ada", "judged", true),
                ("bob", "marked", true),
                ("bob", "noted", false),
                ("bob", "noted", true),
                ("cyd", "judged", true),
                ("eva", "adjudicated", true),
            ]
        );
    }

    #[test]
    fn nothing_is_told_of_a_sample_that_nobody_spoke_of() {
        let (folder, _store) = store_with(&[counter_repo("a")]);
        let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it is made");
        let key = key_of("a", "testInc");
        assert!(remarks(&verdicts, &key).expect("it reads").is_empty());
        assert_eq!(verdicts.signs(&[key]).expect("it reads"), []);
    }
}
