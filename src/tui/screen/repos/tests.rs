//! The repositories: frames, details of one, and answers from a real index.

use crate::filter;
use crate::model::Status;
use crate::question::Question;
use crate::question::source::{AnswerSource, SharedJobTable};
use crate::screen::repos::questions::RepoDetailQuestion;
use crate::store::testing::{counter_repo, many_tests, store_with};
use crate::tests::{check_frame, check_shows, pressed, shown};

#[test]
fn the_repositories_look_as_they_did() {
    check_frame("repos", 80, 24, "gp");
    check_frame("repos", 120, 40, "gp");
    check_frame("repos", 200, 50, "gp");
}

#[test]
fn a_repository_is_told_with_its_shares_its_licence_and_its_tests() {
    check_shows(
        "gp",
        &[
            "matched",
            "unparsable",
            "┌ counters ",
            "folder",
            "2 h ago",
            "abstained",
            "┌ tests · counters ",
            "problems · 1",
            "VerifierTest.rejectsExpiredToken0 → Verifier.verify",
        ],
    );
    // The pane shows the repository under the cursor.
    check_shows("gpj", &["┌ textutil "]);
    // On a small screen, everything is below the table, and can be scrolled to.
    let text = shown(&pressed(80, 24, "gp"));
    assert!(text.contains("licence") && text.contains("↓"), "{text}");
    let text = shown(&pressed(80, 24, &format!("gp{}", "J".repeat(40))));
    assert!(
        text.contains("tests · 409") && !text.contains("↓"),
        "{text}"
    );
}

#[test]
fn a_repository_is_found_by_a_part_of_its_name() {
    check_shows("gp/util<enter>", &["┌ textutil "]);
    check_shows(
        "gp/nowhere<enter>",
        &["no repository has `nowhere` in its name"],
    );
}

#[test]
fn what_is_told_of_a_repository_is_its_own() {
    let (_folder, store) = store_with(&[counter_repo("counters"), many_tests("many", 7)]);
    let tables = SharedJobTable::default();
    let source = AnswerSource::of(&store, &tables);
    let rows = store.repos().expect("the index reads");
    let row = rows.iter().find(|row| row.repo.name == "many");
    let key = row.expect("it was put there").repo.key();
    let filter = filter::parse("repo:many").expect("the filter is right");
    let about = RepoDetailQuestion { key, filter }.read(&source);
    let about = about.expect("the index reads");
    let n_tests: u64 = about.by_status.iter().map(|by_status| by_status.1).sum();
    assert_eq!((n_tests, about.tests.len()), (7, 7));
    assert!(
        about
            .by_status
            .iter()
            .all(|pair| Status::ALL.contains(&pair.0))
    );
    assert!(about.tests.iter().all(|test| test.repo == "many"));
    // No job has mined it.
    assert_eq!(about.mined_ago_ms, None);
}
