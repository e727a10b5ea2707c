//! A simulated corpus of the paper's size: 100,000 repositories are listed and planned, one in a hundred is written and
//! mined as a shard would mine it, and the cost of the rest is estimated from their costs by size.
//!
//! Decides only the sizes; time, disk space and the cost of merging are measured.

use std::collections::BinaryHeap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use focalist::exchange::{self, shards::WireShard};
use focalist::scale::{Fetch, PlanOptions, Sharding, plan};
use focalist::task::Monitor;

use super::console::print;
use super::index::{self, Quantiles, SEED, draw};
use super::random::Random;
use super::used::used;
use super::{N_LINES, focalist};

/// The number of tests of a repository: half have at most six, one in a hundred has hundreds.
const N_TESTS: Quantiles = &[(0, 1), (50, 6), (90, 40), (99, 200), (100, 800)];
/// One in this number of repositories is mined.
const PER_MINED: usize = 100;
const N_SHARDS: usize = 1_000;
const N_WORKERS: usize = 64;

/// The cost of mining a repository: a fixed part, and a part per byte.
#[derive(Clone, Copy)]
struct Cost {
    each_s: f64,
    per_byte_s: f64,
}

impl Cost {
    fn of(self, size_bytes: u64) -> f64 {
        self.each_s + self.per_byte_s * size_bytes as f64
    }

    /// Fits a line to points of bytes and seconds by least squares.
    fn fit(points: &[(u64, f64)]) -> Self {
        let n = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0 as f64).sum::<f64>() / n;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
        let sums = points.iter().fold((0.0, 0.0), |(xy, xx), (x, y)| {
            let x = *x as f64 - mean_x;
            (xy + x * (y - mean_y), xx + x * x)
        });
        let per_byte_s = sums.0 / sums.1;
        Self {
            each_s: mean_y - per_byte_s * mean_x,
            per_byte_s,
        }
    }
}

/// Returns the bytes of a folder's files.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("it is there");
    entries
        .map(|entry| {
            let entry = entry.expect("it can be read");
            let data = entry.metadata().expect("it is there");
            if data.is_dir() {
                size_of(&entry.path())
            } else {
                data.len()
            }
        })
        .sum()
}

pub fn simulate(folder: &Path) {
    let mut random = Random::new(SEED, 7);
    let n_tests: Vec<usize> = (0..N_LINES).map(|_| draw(&mut random, N_TESTS)).collect();
    let cost = mined(folder, &n_tests);
    let (bytes, n_mined) = cost.1;
    let sizes: Vec<u64> = n_tests
        .iter()
        .map(|n_tests| *n_tests as u64 * bytes / n_mined)
        .collect();
    let total: u64 = sizes.iter().sum();
    let seconds: f64 = sizes.iter().map(|siz| cost.0.of(*siz)).sum();
    print(&format!(
        "{N_LINES} repositories, {:.2} GB: {:.2} core-hours ({:.1} ms each and {:.1} MB/s)",
        total as f64 / 1e9,
        seconds / 3600.0,
        cost.0.each_s * 1e3,
        1e-6 / cost.0.per_byte_s
    ));
    let balanced = planned(folder, &sizes);
    let per_shard = N_LINES.div_ceil(N_SHARDS);
    let in_order: Vec<Vec<u64>> = sizes.chunks(per_shard).map(<[u64]>::to_vec).collect();
    // The usual order of a list: the largest first.
    let mut sorted = sizes.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let sorted: Vec<Vec<u64>> = sorted.chunks(per_shard).map(<[u64]>::to_vec).collect();
    for (name, shards) in [
        ("balanced by size", &balanced),
        ("cut in the list's order", &in_order),
        ("cut out of a list by size", &sorted),
    ] {
        told(name, shards, cost.0, seconds);
    }
}

/// Prints how long workers take for shards, and how much fetched data is on the disk at once.
fn told(name: &str, shards: &[Vec<u64>], cost: Cost, seconds: f64) {
    let times: Vec<f64> = shards
        .iter()
        .map(|shard| shard.iter().map(|size| cost.of(*size)).sum())
        .collect();
    let mean = seconds / times.len() as f64;
    let longest = times.iter().copied().fold(0.0, f64::max);
    // A free worker takes the next shard, in order; times are whole microseconds, because a heap needs a total order.
    let mut free: BinaryHeap<std::cmp::Reverse<(u64, usize)>> =
        (0..N_WORKERS).map(|n| std::cmp::Reverse((0, n))).collect();
    let mut in_flight: Vec<(u64, i64)> = Vec::new();
    let mut end = 0;
    for (shard, _) in shards.iter().zip(&times) {
        let std::cmp::Reverse((mut now, worker)) = free.pop().expect("there are workers");
        for size in shard {
            in_flight.push((now, size.cast_signed()));
            now += Duration::from_secs_f64(cost.of(*size).max(0.0)).as_micros() as u64;
            in_flight.push((now, -size.cast_signed()));
        }
        end = end.max(now);
        free.push(std::cmp::Reverse((now, worker)));
    }
    // A deletion comes before an addition at the same moment.
    in_flight.sort_unstable();
    let mut on_disk = 0;
    let peak = in_flight.iter().map(|in_flight| {
        on_disk += in_flight.1;
        on_disk
    });
    print(&format!(
        "  {name}: longest of {} shards {:.2} × the mean; {N_WORKERS} workers take {:.2} × their share; at most {:.1} MB \
         fetched at once",
        shards.len(),
        longest / mean,
        end as f64 / 1e6 / (seconds / N_WORKERS as f64),
        peak.max().unwrap_or(0) as f64 / 1e6,
    ));
}

/// Writes and mines one repository in a hundred in shards, and merges them; returns the cost of a repository, and its
/// size for numbers of tests.
fn mined(folder: &Path, n_tests: &[usize]) -> (Cost, (u64, u64)) {
    let sources = folder.join("simulated");
    let (mut list, mut n_written) = (String::new(), 0);
    let mut sizes = Vec::new();
    for (idx, n_tests) in n_tests.iter().enumerate().step_by(PER_MINED) {
        let root = index::write_repo(&sources, idx, *n_tests, SEED);
        n_written += n_tests;
        sizes.push(size_of(&root));
        let path = root.display();
        writeln!(
            list,
            "{{\"path\":\"{path}\",\"size_bytes\":{}}}",
            size_of(&root)
        )
        .expect("a text can be written");
    }
    let bytes: u64 = sizes.iter().sum();
    fs::write(folder.join("simulated.jsonl"), list).expect("it is written");
    let n_shards = (N_SHARDS / PER_MINED).to_string();
    let words = [
        "plan",
        "--list",
        "simulated.jsonl",
        "--shards",
        &n_shards,
        "--output",
        "sim",
    ];
    focalist(folder, &words);
    let mut merge = vec![
        "--workspace".to_owned(),
        "sim/all".to_owned(),
        "merge".to_owned(),
    ];
    let mut points = Vec::new();
    let mut index_bytes = 0;
    for idx in 0..N_SHARDS / PER_MINED {
        let output = format!("sim/shard-{idx:04}");
        let shard = format!("{output}.jsonl");
        let words = [
            "mine", "--shard", &shard, "--output", &output, "--jobs", "1",
        ];
        let (seconds, ()) = used(|| focalist(folder, &words));
        let report = fs::read(folder.join(&output).join("shard.json")).expect("it is done");
        let report: WireShard = exchange::parse(&report).expect("it is a report");
        index_bytes += report.index_bytes;
        // Repositories are timed by wall clock; the shard's processor time is divided in proportion.
        let by_clock: u64 = report
            .repositories
            .iter()
            .map(|repository| repository.wall_ms)
            .sum();
        for repo in &report.repositories {
            let size = size_of(Path::new(&repo.repository));
            points.push((size, seconds * repo.wall_ms as f64 / by_clock as f64));
        }
        merge.push(output);
    }
    let words: Vec<&str> = merge.iter().map(String::as_str).collect();
    let (merging, ()) = used(|| focalist(folder, &words));
    let mining: f64 = points.iter().map(|point| point.1).sum();
    print(&format!(
        "1 % mined: {} repositories, {n_written} tests, {:.1} MB of Java in {mining:.1} s; indexes {:.2} × the sources; merging \
         {} shards {:.2} s, {:.3} of mining",
        points.len(),
        bytes as f64 / 1e6,
        index_bytes as f64 / bytes as f64,
        N_SHARDS / PER_MINED,
        merging,
        merging / mining,
    ));
    (Cost::fit(&points), (bytes, n_written as u64))
}

/// Plans the list; returns the sizes in each shard.
fn planned(folder: &Path, sizes: &[u64]) -> Vec<Vec<u64>> {
    let mut list = String::new();
    for (idx, size) in sizes.iter().enumerate() {
        writeln!(
            list,
            "{{\"url\":\"https://example.org/o/r{idx}\",\"size_bytes\":{size}}}"
        )
        .expect("a text can be written");
    }
    let path = folder.join("all.jsonl");
    fs::write(&path, list).expect("it is written");
    let options = PlanOptions {
        list: path,
        output: folder.join("whole"),
        into: Sharding::Shards(N_SHARDS),
        fetch: Fetch::parse("git clone --depth 1 {url} {dir}").ok(),
        filter: None,
        force: false,
    };
    let (seconds, report) = used(|| plan(&Monitor::default(), &options).expect("it is planned"));
    print(&format!(
        "planning them into {N_SHARDS} shards: {seconds:.2} s"
    ));
    let shards = report.plan.shards.iter().map(|shard| {
        let text = fs::read_to_string(folder.join("whole").join(&shard.file));
        let text = text.expect("it is written");
        let size = |line: &str| {
            let (_, size) = line.rsplit_once("\"size_bytes\":").expect("it has a size");
            size.trim_end_matches('}').parse().expect("a number")
        };
        text.lines().map(size).collect()
    });
    shards.collect()
}
