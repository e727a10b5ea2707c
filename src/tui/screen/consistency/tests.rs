//! Completions of functions in other words: frames of a run made by hand, and what is read from a real index.

use crate::screen::consistency::questions::{AskList, AskSeed};
use crate::tests::{check_frame, check_shows};

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in [(80, 24), (120, 40)] {
        check_frame("consistency", width, height, "gk");
        check_frame("consistency_difference", width, height, "gk<tab>v");
    }
    check_frame("consistency_outlier", 120, 40, "gktttt}}}}}}]");
}

#[test]
fn keys_choose_run_variant_threshold_and_rule() {
    check_shows(
        "gk",
        &[
            "large · 2 functions",
            "run 1/2",
            "below the median in 9 or more",
        ],
    );
    check_shows("gk]", &["small · 2 functions", "run 2/2"]);
    check_shows("gk]j", &["nothing came back for this function"]);
    check_shows("gkt", &["in 1 or more"]);
    check_shows("gkm", &["distance above the mean"]);
    check_shows("gkl", &["REP_R"]);
    check_shows(
        "gk<tab>v",
        &[
            "the function and REP_R",
            "- def total(prices, rate):",
            "the second half",
        ],
    );
}

#[test]
fn a_workspace_without_completions_says_how_to_get_some() {
    use crate::question::Question;
    use crate::question::source::{Source, Tables};
    use crate::store::testing::store_with;

    let (_folder, store) = store_with(&[]);
    let tables = Tables::default();
    let source = Source::of(&store, &tables);
    let options = crate::consistency::judged::Options::default();
    let list = AskList { run: None, options };
    assert_eq!(list.read(&source).expect("the index reads").runs, []);
    let seed = AskSeed {
        run: "m".to_owned(),
        seed: 1,
        options,
    };
    assert!(seed.read(&source).expect("the index reads").is_none());
}
