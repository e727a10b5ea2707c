//! One project in several languages: each is written, listed and removed on its own, and they share the project's rows.

use crate::model::{DeclaredMethod, Language, LanguageCounts, RepoKey, Split, Status};
use crate::task::Monitor;
use crate::testing::{
    counter_repo, in_language, key_of, many_tests, stamp, store_with, write_repos,
};
use crate::{Anchor, Extent, ImportedRepo, Store, StoreError};

use super::lists::paged;
use super::{all, everything, names, only};

fn key(language: Language) -> RepoKey {
    RepoKey {
        identity: "example.org/b".to_owned(),
        language,
    }
}

/// Creates a project `b` in Java and Go between two other projects.
fn polyglot() -> (tempfile::TempDir, Store) {
    store_with(&[
        in_language(many_tests("b", 5), Language::Go),
        counter_repo("c"),
        counter_repo("b"),
        counter_repo("a"),
    ])
}

/// Lists all rows in order; those of `b` with their language.
fn listed(store: &Store) -> Vec<String> {
    let repos = store.repos().expect("the index reads");
    repos
        .iter()
        .map(|row| {
            format!(
                "{} {}: {}",
                row.repo.name,
                row.repo.language.as_str(),
                row.n_tests
            )
        })
        .collect()
}

#[test]
fn each_language_of_a_project_has_rows_of_its_own() {
    let (_folder, mut store) = polyglot();
    let everyone = ["a java: 3", "b java: 3", "b go: 5", "c java: 3"];
    assert_eq!(listed(&store), everyone);
    let stamps = store.stamps().expect("the index reads");
    assert_eq!(stamps[&key(Language::Java)], stamp("b"));
    assert_eq!(stamps[&key(Language::Go)], stamp("go"));
    assert_eq!(store.origins().expect("the index reads").len(), 4);
    // A language that is written again replaces only its own rows.
    write_repos(&mut store, &[in_language(many_tests("b", 7), Language::Go)]);
    assert_eq!(
        listed(&store),
        ["a java: 3", "b java: 3", "b go: 7", "c java: 3"]
    );
    assert_eq!(store.count(&everything()).expect("counts"), 16);
}

#[test]
fn lists_go_by_project_then_by_language_wherever_they_are_entered() {
    let (_folder, store) = polyglot();
    let rows = all(&store, &everything());
    let expected: Vec<String> = [("a", 3), ("b", 3 + 5), ("c", 3)]
        .iter()
        .flat_map(|(name, n)| std::iter::repeat_n((*name).to_owned(), *n))
        .collect();
    let repos: Vec<String> = rows.iter().map(|row| row.repo.clone()).collect();
    assert_eq!(repos, expected);
    assert_eq!(
        names(&rows)[3..7],
        ["b testInc", "b testAdd", "b works", "b test0_0"]
    );
    for limit in 1..5 {
        for is_backward in [false, true] {
            assert_eq!(paged(&store, &everything(), limit, is_backward), rows);
        }
    }
    for (rank, row) in (0..).zip(&rows) {
        let at = store.page(&everything(), Anchor::AtRank(rank), 1);
        assert_eq!(at.expect("a page is read"), std::slice::from_ref(row));
        let found = store.rank(&everything(), row.id).expect("the index reads");
        assert_eq!(found, Some(rank));
    }
}

#[test]
fn a_filter_tells_languages_apart() {
    let (_folder, store) = polyglot();
    let count = |word| store.count(&only("language", word)).expect("counts");
    assert_eq!([count("java"), count("Go"), count("python")], [9, 5, 0]);
    let resolutions = store.resolutions(&only("language", "go"));
    let resolutions = resolutions.expect("the index reads");
    assert_eq!(resolutions.len(), 1);
    assert_eq!(resolutions[0].repo, key(Language::Go));
}

#[test]
fn the_funnel_counts_projects_once_and_says_what_is_in_which_language() {
    let (_folder, store) = polyglot();
    let whole = store.funnel(&everything()).expect("counts");
    let filtered = store.funnel(&only("framework", "junit4")).expect("counts");
    assert_eq!(whole, filtered);
    assert_eq!((whole.n_repos, whole.n_tests), (3, 14));
    let tests: Vec<_> = (whole.by_language.iter())
        .map(|language_counts| (language_counts.language, language_counts.n_tests))
        .collect();
    assert_eq!(tests, [(Language::Java, 9), (Language::Go, 5)]);
    let sum = |of: fn(&LanguageCounts) -> u64| whole.by_language.iter().map(of).sum::<u64>();
    assert_eq!(
        sum(|language_counts| language_counts.n_mapped),
        whole.n_mapped
    );
    assert_eq!(
        sum(|language_counts| language_counts.n_within_size),
        whole.n_within_size
    );
    let go = store.funnel(&only("language", "go")).expect("counts");
    assert_eq!((go.n_repos, go.n_tests, go.by_language.len()), (1, 5, 1));
}

#[test]
fn a_project_is_taken_out_as_a_whole_or_in_one_language() {
    let (_folder, mut store) = polyglot();
    let monitor = Monitor::default();
    let mut remove = |name: &str, language| {
        let removed = store.remove_repo(name, language, &monitor);
        (removed.expect("the index is written"), listed(&store))
    };
    let b = || Some("example.org/b".to_owned());
    assert_eq!(remove("a", Some(Language::Go)).0, None);
    let (removed, left) = remove("b", Some(Language::Java));
    assert_eq!(removed, b());
    assert_eq!(left, ["a java: 3", "b go: 5", "c java: 3"]);
    let (_folder, mut store) = polyglot();
    let removed = store.remove_repo("example.org/b", None, &monitor);
    assert_eq!(removed.expect("the index is written"), b());
    assert_eq!(listed(&store), ["a java: 3", "c java: 3"]);
}

#[test]
fn the_languages_of_a_project_share_its_split() {
    let split_of = |store: &Store| -> Vec<Option<Split>> {
        let mut splits = Vec::new();
        let each = store.each_sample::<StoreError>(&only("repo", "b"), Extent::Sample, |sample| {
            splits.push(sample.split_project);
            Ok(())
        });
        each.expect("the list is read");
        splits
    };
    for seed in 0..10 {
        let name = format!("b{seed}");
        let mut go = in_language(many_tests(&name, 5), Language::Go);
        go.repo.url = None;
        let (_folder, store) = store_with(&[go, counter_repo(&name)]);
        let splits = split_of(&store);
        assert!(
            splits
                .iter()
                .all(|split| split.is_some() && *split == splits[0]),
            "{splits:?}"
        );
    }
    // A dataset decides for the project's other languages, too.
    let (_folder, mut store) = store_with(&[counter_repo("b")]);
    let go = in_language(many_tests("b", 5), Language::Go);
    let imported = ImportedRepo {
        dataset: "d",
        splits: &[None; 5],
        project_split: Some(Split::Validation),
    };
    let monitor = Monitor::default();
    let written = store.import_repo(&go.borrow(), &imported, &monitor);
    written.expect("the project is written");
    store.settle(1, &monitor).expect("splits are assigned");
    assert_eq!(split_of(&store), [Some(Split::Validation); 8]);
}

#[test]
fn states_are_those_of_one_language() {
    let (_folder, store) = polyglot();
    let states = |language| {
        let mut focal = Vec::new();
        let each = store.each_state_of::<StoreError>(&key(language), |_, _, (_, text)| {
            focal.push(text.to_owned());
            Ok(())
        });
        each.expect("the index reads");
        focal
    };
    assert_eq!(
        states(Language::Java),
        ["p.Counter#inc()", "p.Counter#add(int)", ""]
    );
    assert_eq!(states(Language::Go).len(), 5);
    assert_eq!(states(Language::Python), [""; 0]);
    let state = store
        .states(&[key_of("b", "testInc")])
        .expect("the index reads");
    let state = state[0].as_ref().expect("it is there");
    assert_eq!(state.repo, key(Language::Java));
    assert_eq!(state.focal.as_deref(), Some("p.Counter#inc()"));
    assert_eq!(
        (state.test.as_str(), state.status),
        ("CounterTest.testInc", Status::Ok)
    );
}

#[test]
fn equal_tests_of_one_file_keep_their_ordinals() {
    let mut contents = counter_repo("a");
    let mut again = contents.methods[6].clone();
    again.ordinal = 2;
    let mut test = contents.tests[2].clone();
    test.key = key_of("a", "works again");
    test.test_case.method.0 = 7;
    contents.methods.push(again);
    contents.tests.push(test);
    let (_folder, store) = store_with(&[contents]);
    let key_in = |name: &str| {
        let sample = store.sample(&key_of("a", name), super::CONTEST);
        sample
            .expect("the index reads")
            .map(|stored_sample| stored_sample.test.key())
    };
    assert_eq!(key_in("works").as_deref(), Some("p.CounterTest#works()"));
    assert_eq!(
        key_in("works again").as_deref(),
        Some("p.CounterTest#works()~2")
    );
    let declared = store
        .declared(&key_of("a", "works"))
        .expect("the index reads");
    let keys: Vec<&str> = declared
        .iter()
        .map(|declared_method: &DeclaredMethod| declared_method.key.as_str())
        .collect();
    assert_eq!(
        keys[6..],
        ["p.CounterTest#works()", "p.CounterTest#works()~2"]
    );
}
