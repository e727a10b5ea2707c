//! Tags: stored with the scores, and counted.

use super::count_rows;
use super::runs::{DATASET, import, predictions, score_all, scored};
use crate::model::{Tag, Tags};
use crate::task::Monitor;
use crate::testing::empty_store;
use crate::{EvaluationPlan, Store, WrittenScores};

#[test]
fn tags_are_kept_counted_and_computed_again_with_their_version() {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(20, "answer"));
    score_all(&mut store, run, &[("edit", 1)], 20);
    assert!(!store.is_tagged(run).expect("reads"));
    let begin = |store: &mut Store, version| {
        let plan = [EvaluationPlan::of_tags(version, String::new())];
        let progress = store
            .begin_evaluations(run, &plan, DATASET, &Monitor::default())
            .expect("tags begin");
        progress[0]
    };
    let progress = begin(&mut store, 1);
    let both: Tags = [Tag::WrongLiteral, Tag::WrongExpected]
        .into_iter()
        .collect();
    let tags: Vec<Option<Tags>> = (0..20).map(|idx| (idx % 2 == 0).then_some(both)).collect();
    let written = WrittenScores {
        first: 0,
        readings: None,
        tags: Some((progress.evaluation, &tags)),
        scores: &[],
    };
    store
        .write_scores(run, &written, &Monitor::default())
        .expect("tags are written");
    assert!(store.is_tagged(run).expect("reads"));
    let read: Vec<Option<Tags>> = scored(&store, run, &[])
        .iter()
        .map(|scored_prediction| scored_prediction.tags)
        .collect();
    assert_eq!(read, tags);
    let counts = store.tag_counts(run).expect("counts");
    let names: Vec<Tag> = counts.iter().map(|count| count.0).collect();
    assert_eq!(names, [Tag::WrongExpected, Tag::WrongLiteral]);
    assert_eq!(counts[0].1, counts[1].1);
    assert_eq!(begin(&mut store, 1).n_done, 20);
    let row = store.run("steady").expect("reads").expect("it is there");
    assert!(row.evaluation("failure").is_none());
    assert_eq!(begin(&mut store, 2).n_done, 0);
    assert_eq!(store.tag_counts(run).expect("counts"), []);
    assert!(
        store
            .remove_run("steady", &Monitor::default())
            .expect("removes")
    );
    assert_eq!(count_rows(&store.conn, "failures"), 0);
}
