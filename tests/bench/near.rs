//! Finding the nearest of a million samples, and a text in them, with and without the files of `focalist index`.
//!
//! ```text
//! cargo bench --bench near                             # makes an index of a million samples, then measures
//! FOCALIST_BENCH_NEAR=FOLDER cargo bench --bench near  # measures on one of the bench `review`: give it a copy
//! FOCALIST_BENCH_SAMPLES=10000 cargo bench --bench near
//! ```
//!
//! One repository is mined again under another name, with the first number on every eighth line changed: each of its
//! samples is a planted near duplicate. A duplicate counts as found when it is among the first five, or when five
//! others are at least as near.

#[path = "frame/console.rs"]
mod console;
#[path = "frame/folder.rs"]
mod folder;
#[path = "frame/index.rs"]
mod index;
#[path = "frame/java.rs"]
mod java;
#[path = "frame/memory.rs"]
mod memory;
#[path = "frame/random.rs"]
mod random;
#[path = "frame/series.rs"]
mod series;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use focalist::browse::parse_filter;
use focalist::leakage::{LeakageIndex, LeakageOptions, NearIndex, NearestOptions};
use focalist::mine::{self, Target};
use focalist::model::{Filter, SampleRow, Split};
use focalist::store::{Anchor, Store, StoreAccess};
use focalist::task::Monitor;

use console::{arguments, print};
use memory::memory_mb;
use series::Series;

/// The number of the repository that is planted.
const PLANTED: usize = 7;
const N_ASKED: usize = 200;
/// The number of results, as in the terminal UI.
const N_SHOWN: usize = 50;
const N_FIRST: usize = 5;

const PIECES: [&str; 6] = [
    "text:zzzzzz",
    "text:compute13",
    "text:\"s.set(\" status:ok",
    "text:assertEquals repo:project-007",
    "-text:assertEquals",
    "text:zz",
];

fn main() {
    if arguments().is_none() {
        return;
    }
    let make = |folder: &Path| index::generate(folder, &print);
    folder::with_index("FOCALIST_BENCH_NEAR", &make, &measure);
}

fn measure(folder: &Path) {
    plant(folder);
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    texts(folder, &store);
    signatures(folder, &store);
}

/// Mines the repository again, changed, unless this was done before.
fn plant(folder: &Path) {
    let mut store = Store::open(folder, StoreAccess::Write).expect("the index opens");
    let count = |store: &Store, repo: &str| {
        let filter = parse_filter(&format!("repo=={repo}")).expect("a filter");
        store.count(&filter).expect("it is counted")
    };
    let n_tests = count(&store, &format!("project-{PLANTED:03}"));
    if count(&store, "planted") > 0 {
        return;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let root = index::write_repo(scratch.path(), PLANTED, n_tests as usize, index::SEED);
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is read") {
            let path = entry.expect("it is read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                change(&path);
            }
        }
    }
    let renamed = scratch.path().join("planted");
    fs::rename(root, &renamed).expect("it is renamed");
    let target = Target {
        root: renamed,
        ..Target::default()
    };
    let options = mine::MiningOptions::default();
    mine::mine(&mut store, &Monitor::default(), &options, &[target]).expect("it is mined");
}

fn change(path: &PathBuf) {
    let text = fs::read_to_string(path).expect("it is read");
    let lines = text.lines().enumerate().map(|(idx, line)| {
        let number = (idx % 8 == 0)
            .then(|| line.find(|c: char| c.is_ascii_digit()))
            .flatten()
            .filter(|at| line[..*at].ends_with(['(', ' ', ',']));
        match number {
            Some(at) => format!("{}9{}\n", &line[..at], &line[at..]),
            None => format!("{line}\n"),
        }
    });
    fs::write(path, lines.collect::<String>()).expect("it is written");
}

fn signatures(folder: &Path, store: &Store) {
    let path = folder.join("near.idx");
    let _none = fs::remove_file(&path);
    let started = Instant::now();
    let near = NearIndex::update(store, &Monitor::default()).expect("it is made");
    let size = fs::metadata(&path).expect("it is there").len() as f64 / 1e6;
    print(&format!(
        "\n{} samples signed in {:.1} s: {size:.0} MB on disk, {:.0} MB of memory at most",
        near.n_samples(),
        seconds(started),
        memory_mb("self", "VmHWM")
    ));
    let rows = page(store, "repo==planted", 0);
    let step = (rows.len() / N_ASKED).max(1);
    let (mut times, mut n_asked, mut n_found, mut n_first) = (Series::default(), 0, 0, 0);
    for row in rows.iter().step_by(step) {
        let original = format!(
            "repo==project-{PLANTED:03} class=={} test=={}",
            row.test_class, row.test_name
        );
        let Some(original) = page(store, &original, 1).first().cloned() else {
            continue;
        };
        let sample = store.sample(&original.key, None).expect("it is read");
        if sample.and_then(|stored_sample| stored_sample.split_random) != Some(Split::Train) {
            continue;
        }
        let ask = |n| {
            let asked = NearestOptions {
                key: row.key,
                split: Split::Train,
                n,
            };
            near.nearest(
                store,
                &Monitor::default(),
                &LeakageOptions::default(),
                asked,
            )
            .expect("it is found")
            .neighbours
        };
        let started = Instant::now();
        let shown = ask(N_SHOWN);
        times.add_ms(started.elapsed());
        let place = |neighbours: &[focalist::leakage::Neighbour]| {
            let place = neighbours
                .iter()
                .position(|neighbour| neighbour.side.key == original.key);
            place.map(|place| neighbours[place].mean)
        };
        let first = &ask(N_FIRST)[..];
        let fifth = first.last().map_or(0.0, |neighbour| neighbour.mean);
        let is_first = place(first).is_some();
        n_asked += 1;
        n_first += usize::from(is_first);
        n_found += usize::from(is_first || place(&shown).is_some_and(|mean| mean <= fifth));
    }
    print(&format!(
        "nearest {N_SHOWN} of {n_asked} planted: p50 {:.1} ms, p95 {:.1} ms, worst {:.1} ms (budget 50 ms)",
        times.quantile(50),
        times.quantile(95),
        times.quantile(100)
    ));
    print(&format!(
        "recall@{N_FIRST}: {:.3} ({n_first} of {n_asked} themselves among the first {N_FIRST}; {:.0} MB of memory at most)",
        n_found as f64 / f64::from(n_asked),
        memory_mb("self", "VmHWM")
    ));
    let started = Instant::now();
    let index = LeakageIndex::build(store, &Monitor::default(), &LeakageOptions::default());
    let all = index.expect("it is read");
    let asked = NearestOptions {
        key: rows[0].key,
        split: Split::Train,
        n: N_SHOWN,
    };
    all.nearest(store, &Monitor::default(), asked)
        .expect("it is found");
    let without = seconds(started);
    print(&format!(
        "without: {without:.1} s, {:.0} times as long; {:.0} MB of memory",
        without * 1e3 / times.quantile(50),
        memory_mb("self", "VmHWM")
    ));
}

fn texts(folder: &Path, store: &Store) {
    for name in ["text.db", "text.db-wal", "text.db-shm"] {
        let _none = fs::remove_file(folder.join(name));
    }
    let without: Vec<(usize, f64)> = PIECES.iter().map(|text| first_page(folder, text)).collect();
    let started = Instant::now();
    let indexed = store.index_texts(&Monitor::default());
    let indexed = indexed.expect("it is made");
    let size =
        fs::metadata(folder.join("text.db")).map_or(0, |metadata| metadata.len()) as f64 / 1e6;
    print(&format!(
        "texts of {} repositories indexed in {:.1} s: {size:.0} MB on disk, {:.0} MB of memory at most",
        indexed.n_new,
        seconds(started),
        memory_mb("self", "VmHWM")
    ));
    print(&format!(
        "{:<40}{:>10}{:>12}{:>12}{:>8}",
        "list, then its first page", "rows", "scan ms", "index ms", "ratio"
    ));
    for (piece, (n_rows, scan)) in PIECES.iter().zip(without) {
        let (n_indexed, index) = first_page(folder, piece);
        assert_eq!(n_rows, n_indexed, "{piece}");
        print(&format!(
            "{piece:<40}{n_rows:>10}{:>12.1}{:>12.1}{:>8.1}",
            scan * 1e3,
            index * 1e3,
            scan / index
        ));
    }
}

/// Counts the rows, and measures the first page for a reader without any list yet.
fn first_page(folder: &Path, filter: &str) -> (usize, f64) {
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let started = Instant::now();
    let _page = page(&store, filter, 60);
    let time = seconds(started);
    let filter = parse_filter(filter).expect("a filter");
    let n_rows = store.count(&filter).expect("it is counted");
    (n_rows as usize, time)
}

/// Returns the first rows; 0 for all.
fn page(store: &Store, filter: &str, limit: usize) -> Vec<SampleRow> {
    let filter: Filter = parse_filter(filter).expect("a filter");
    let limit = if limit == 0 { usize::MAX } else { limit };
    store
        .page(&filter, Anchor::First, limit)
        .expect("it is read")
}

fn seconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64()
}
