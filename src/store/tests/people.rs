//! Filter conditions on people's marks, notes and tags.

use crate::model::{ContentHash, EventKind, Tag, TaggedPrediction, Tags};
use crate::testing::{counter_repo, key_of, store_with};
use crate::{StoreAccess, Verdicts};

use super::{all, names, only};

#[test]
fn marks_notes_and_tags_of_anybody_are_asked_for() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let mut say = |annotator: &str, kind| {
        let events = verdicts.append(annotator, 1, vec![kind]);
        events.expect("an event is added");
    };
    let check = |field: &'static str, value: &str, expected: &[&str]| {
        let found = all(&store, &only(field, value));
        assert_eq!(names(&found), expected, "{field}:{value}");
    };
    let [inc, add] = ["testInc", "testAdd"].map(|text| key_of("a", text));
    check("is", "marked", &[]);
    say("ada", EventKind::Marked { key: inc });
    let note = "100% Sure?".to_owned();
    say("eva", EventKind::Noted { key: add, note });
    check("is", "marked", &["a testInc"]);
    check("is", "noted", &["a testAdd"]);
    check("note", "% sure", &["a testAdd"]);
    check("note", "_", &[]);
    check("note", "none", &["a testInc", "a works"]);
    check("tagged", "none", &["a testInc", "a testAdd", "a works"]);
    let tagged = TaggedPrediction {
        key: inc,
        run: "carbon".to_owned(),
        attempt: 0,
        texts: ContentHash([8; 16]),
        machine: Tags::default(),
        version: 1,
        tags: Tags::from_iter([Tag::WrongLiteral]),
        note: None,
    };
    say("eva", EventKind::Tagged(tagged));
    check("tagged", Tag::WrongLiteral.as_str(), &["a testInc"]);
    say("ada", EventKind::Unmarked { key: inc });
    check("is", "marked", &[]);
}
