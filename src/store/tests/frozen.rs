//! Assignments that never change: kept copies and splits.

use crate::model::{ContentHash, Split};
use crate::task::Monitor;
use crate::testing::{Contents, counter_repo, key_of, many_tests, store_with, write_repos};
use crate::{Extent, Store, StoreError};

use super::{CONTEST, everything, only};

fn splits(store: &Store) -> Vec<(String, Option<Split>, Option<Split>, bool)> {
    let mut splits = Vec::new();
    store
        .each_sample::<StoreError>(&everything(), Extent::Sample, |sample| {
            splits.push((
                sample.row.key.to_string(),
                sample.split_random,
                sample.split_project,
                sample.row.is_duplicate,
            ));
            Ok(())
        })
        .expect("the list is read");
    splits
}

#[test]
fn adding_repositories_moves_nobody() {
    let (_folder, mut store) = store_with(&[many_tests("m", 40), counter_repo("n")]);
    let before = splits(&store);
    write_repos(
        &mut store,
        &[many_tests("a", 40), many_tests("z", 40), counter_repo("b")],
    );
    let monitor = Monitor::default();
    assert_eq!(store.settle(99, &monitor).expect("settles"), 1);
    let after = splits(&store);
    let kept: Vec<_> = after
        .iter()
        .filter(|after| before.contains(after))
        .collect();
    assert_eq!(kept.len(), before.len());
    assert_eq!(after.len(), 40 * 3 + 6);
}

#[test]
fn the_order_of_writing_does_not_matter() {
    let repos = [counter_repo("c"), counter_repo("a"), many_tests("b", 30)];
    let mut reversed = repos.clone();
    reversed.reverse();
    let (_one, one) = store_with(&repos);
    let (_other, other) = store_with(&reversed);
    assert_eq!(splits(&one), splits(&other));
}

fn duplicates(store: &Store) -> Vec<String> {
    let mut pairs = Vec::new();
    store
        .each_sample::<StoreError>(&only("duplicate", "yes"), Extent::Sample, |sample| {
            let of = sample.duplicate_of.expect("a duplicate has an original");
            pairs.push(format!("{} of {of}", sample.row.repo));
            Ok(())
        })
        .expect("the list is read");
    pairs
}

#[test]
fn the_first_copy_is_kept_and_later_ones_point_to_it() {
    let (_folder, mut store) = store_with(&[counter_repo("m"), counter_repo("n")]);
    let kept = key_of("m", "testInc");
    assert_eq!(duplicates(&store), [format!("n of {kept}")]);
    // `a` is first by name, but `m` was written first.
    write_repos(&mut store, &[counter_repo("a")]);
    assert_eq!(
        duplicates(&store),
        [format!("a of {kept}"), format!("n of {kept}")]
    );
}

#[test]
fn when_the_kept_copy_goes_the_next_takes_its_place() {
    let (_folder, mut store) =
        store_with(&[counter_repo("m"), counter_repo("n"), counter_repo("o")]);
    let mut edited = counter_repo("m");
    edited.tests[0].decided[0].token_hash = ContentHash([7; 16]);
    write_repos(&mut store, &[edited]);
    assert_eq!(
        duplicates(&store),
        [format!("o of {}", key_of("n", "testInc"))]
    );
    store
        .remove_repo("n", None, &Monitor::default())
        .expect("the repository goes");
    assert_eq!(duplicates(&store), Vec::<String>::new());
    assert_eq!(store.funnel(&everything()).expect("counts").n_unique, 2);
}

fn project_split(store: &Store, name: &str) -> Option<Split> {
    store
        .sample(&key_of(name, "works"), CONTEST)
        .expect("reads")
        .expect("the sample is there")
        .split_project
}

fn edited(name: &str, paths_to_change: usize) -> Contents {
    let mut contents = counter_repo(name);
    for file in contents.files.iter_mut().take(paths_to_change) {
        file.text.push_str("// changed in ");
        file.text.push_str(name);
    }
    contents
}

#[test]
fn copies_of_a_project_share_its_split() {
    // With many names, some splits would differ if each were assigned independently.
    let names: Vec<String> = (0..12).map(|idx| format!("copy{idx}")).collect();
    let copies: Vec<Contents> = names.iter().map(|name| edited(name, 0)).collect();
    let (_folder, store) = store_with(&copies);
    let splits: Vec<_> = names
        .iter()
        .map(|name| project_split(&store, name))
        .collect();
    assert!(splits.iter().all(|split| *split == splits[0]), "{splits:?}");

    let strangers: Vec<Contents> = names.iter().map(|name| edited(name, 1)).collect();
    let (_folder, store) = store_with(&strangers);
    let splits: Vec<_> = names
        .iter()
        .map(|name| project_split(&store, name))
        .collect();
    assert!(splits.iter().any(|split| *split != splits[0]), "{splits:?}");
}

#[test]
fn repositories_with_one_remote_share_a_split() {
    let names: Vec<String> = (0..12).map(|idx| format!("clone{idx}")).collect();
    let clones: Vec<Contents> = names
        .iter()
        .enumerate()
        .map(|(idx, name)| {
            let mut contents = edited(name, 2);
            let urls = [
                "https://Example.org/x/y.git",
                "git@example.org:x/y",
                "ssh://git@example.org/x/y/",
            ];
            contents.repo.url = Some(urls[idx % 3].to_owned());
            contents
        })
        .collect();
    let (_folder, store) = store_with(&clones);
    let splits: Vec<_> = names
        .iter()
        .map(|name| project_split(&store, name))
        .collect();
    assert!(splits.iter().all(|split| *split == splits[0]), "{splits:?}");
}

#[test]
fn the_random_split_is_about_80_10_10() {
    let (_folder, store) = store_with(&[many_tests("a", 2_000)]);
    let share = |split: &str| store.count(&only("split", split)).expect("counts") as f64 / 2_000.0;
    assert!((share("train") - 0.8).abs() < 0.03);
    assert!((share("validation") - 0.1).abs() < 0.03);
    assert!((share("test") - 0.1).abs() < 0.03);
}
