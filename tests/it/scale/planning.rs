//! Planning shards from lists: they are balanced and the same each time, and unusable lines are named.

use std::fs;

use focalist::exchange;
use focalist::exchange::shards::WirePlan;

use super::focalist;
use crate::support::Place;

fn plan_of(place: &Place) -> WirePlan {
    let bytes = fs::read(place.path("plan/plan.json")).expect("the plan is there");
    exchange::parse(&bytes).expect("it is a plan")
}

fn plan(place: &Place, more: &[&str]) -> super::Ended {
    let words = ["plan", "--list", "list.jsonl", "--output", "plan"];
    focalist(&place.path(""), &[&words[..], more].concat())
}

const FETCH: [&str; 2] = ["--fetch", "git clone --depth 1 {url} {dir}"];

#[test]
fn shards_are_balanced_by_size_and_the_same_each_time() {
    let place = Place::new();
    let line = |idx: u64| {
        let size = 1 + (idx * 7919) % 1000;
        format!("{{\"url\":\"https://example.org/p/r{idx}\",\"size\":{size}}}\n")
    };
    place.write("list.jsonl", (0..400).map(line).collect::<String>());
    let options = [&["--shards", "7"], &FETCH[..]].concat();
    plan(&place, &options).with(0);
    let found = plan_of(&place);
    let sizes: Vec<u64> = found.shards.iter().map(|shard| shard.size_bytes).collect();
    let (least, most) = (sizes.iter().min(), sizes.iter().max());
    let spread = most.expect("some") - least.expect("some");
    assert!(spread <= 1024 * 1000, "{sizes:?}");
    assert_eq!(found.n_repositories, 400);
    let said = plan(&place, &options).with(0);
    assert!(said.contains("they were there already"), "{said}");
    let said = plan(&place, &[&["--shards", "3"], &FETCH[..]].concat()).with(2);
    assert!(said.contains("`plan` holds another plan"), "{said}");
    plan(
        &place,
        &[&["--shards", "3", "--force"], &FETCH[..]].concat(),
    )
    .with(0);
    assert_eq!(plan_of(&place).shards.len(), 3);
    assert!(!place.path("plan/shard-0003.jsonl").exists());
    let total: u64 = sizes.iter().sum();
    let size = format!("{}K", total / 1024 / 5 + 1);
    plan(
        &place,
        &[&["--shard-size", &size, "--force"], &FETCH[..]].concat(),
    )
    .with(0);
    assert_eq!(plan_of(&place).shards.len(), 5);
}

#[test]
fn lines_of_one_project_stay_together_and_in_order() {
    let place = Place::new();
    let mut list = String::new();
    for idx in 0..20 {
        list += &format!("{{\"url\":\"https://example.org/p/r{idx}\",\"size\":10}}\n");
        list += "{\"url\":\"git@example.org:p/same.git\",\"size\":10}\n";
    }
    place.write("list.jsonl", list);
    plan(&place, &[&["--shards", "4"], &FETCH[..]].concat()).with(0);
    let holds = |idx: usize| {
        let path = place.path(&format!("plan/shard-{idx:04}.jsonl"));
        let text = fs::read_to_string(path).expect("it is there");
        text.matches("same.git").count()
    };
    let mut counts = [0, 1, 2, 3].map(holds);
    counts.sort_unstable();
    assert_eq!(counts, [0, 0, 0, 20]);
}

#[test]
fn what_a_list_cannot_say_is_named_with_its_line_and_the_rest_goes_on() {
    let place = Place::new();
    place.counter("r0");
    place.write(
        "list.jsonl",
        concat!(
            "{\"path\":\"r0\"}\n",
            "nonsense\n",
            "{\"path\":\"gone\"}\n",
            "{\"url\":\"--upload-pack=x\"}\n",
            "{\"url\":\"ext::sh -c x\"}\n",
            "{\"url\":\"http://example.org/p\"}\n",
            "{\"stars\":3}\n",
            "{\"path\":\"r0\",\"is_fork\":true,\"stars\":3}\n",
        ),
    );
    let said = plan(&place, &[&["--shards", "2"], &FETCH[..]].concat()).with(0);
    for expected in [
        "list.jsonl:2: bad_line: ",
        "list.jsonl:3: unreadable: ",
        "list.jsonl:4: bad_line: `--upload-pack=x`: a URL does not begin with `-`",
        "list.jsonl:5: bad_line: ",
        "list.jsonl:6: bad_line: `http://example.org/p`: only https, ssh and file are fetched",
        "list.jsonl:7: bad_line: neither `path` nor `url`",
        "list.jsonl:8: fork: ",
        "1 repository, 1 of unknown size in 1 shard; 7 lines could not be used",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    plan(
        &place,
        &[&["--shards", "2", "--strict"], &FETCH[..]].concat(),
    )
    .with(1);
    let said = plan(&place, &["--shards", "2", "--fetch", "git clone {url}"]).with(2);
    assert!(said.contains("it has no `{dir}`"), "{said}");
}

#[test]
fn filters_of_papers_let_what_is_unknown_pass_and_count_each_step() {
    let place = Place::new();
    for name in ["a", "b", "c", "d"] {
        place.counter(name);
    }
    place.write(
        "d/src/test/java/p/CounterTest.java",
        "package p; class CounterTest {}",
    );
    place.write(
        "list.jsonl",
        concat!(
            "{\"path\":\"a\",\"stars\":50,\"is_fork\":false,\"license\":\"MIT\"}\n",
            "{\"path\":\"b\",\"stars\":5,\"is_fork\":true,\"license\":\"MIT\"}\n",
            "{\"path\":\"c\"}\n",
            "{\"path\":\"d\",\"stars\":30,\"is_fork\":true,\"license\":\"Proprietary\"}\n",
        ),
    );
    plan(&place, &["--shards", "1", "--repo-filter", "mera"]).with(0);
    let steps = |plan: &WirePlan| -> Vec<(String, u64, u64)> {
        let steps = plan.funnel.iter();
        steps
            .map(|step| (step.step.clone(), step.n_passed, step.n_unknown))
            .collect()
    };
    let step = |name: &str, n_passed, n_unknown| (name.to_owned(), n_passed, n_unknown);
    assert_eq!(
        steps(&plan_of(&place)),
        [
            step("listed", 4, 0),
            step("license", 3, 1),
            step("fork", 2, 1),
            step("stars", 2, 1)
        ]
    );
    let words = [
        "--workspace",
        "w",
        "mine",
        "--list",
        "list.jsonl",
        "--repo-filter",
        "contest",
    ];
    let said = focalist(&place.path(""), &words).with(0);
    let expected = "repositories of contest: 4 listed, 3 fork (1 unknown), 2 on disk";
    assert!(said.contains(expected), "{said}");
}
