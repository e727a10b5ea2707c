//! An index of any number of samples: generated Java, mined like any other.
//!
//! Decides only the shapes, taken from real projects: the lengths of tests and methods, the number of methods that a
//! test calls, and how clearly its name identifies the focal method. The index is built by the pipeline itself; the
//! sources are deleted afterwards. The same seed and number give the same samples.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use focalist::mine::{self, MiningOptions, Target};
use focalist::model::{Filter, Matcher};
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;
use rayon::prelude::*;

use super::java::{Class, TestClass};
use super::random::Random;

pub const SEED: u64 = 1;
/// The number of samples, unless `FOCALIST_BENCH_SAMPLES` sets another.
const N_SAMPLES: usize = 1_000_000;
const N_REPOS: usize = 100;
/// The number of repositories that are written, mined and deleted together.
const REPOS_AT_ONCE: usize = 10;
/// One in this number of repositories is also mined with the matcher that distinguishes ties from tests below a
/// threshold.
const REPOS_PER_CONTEST: usize = 20;
const CLASSES_PER_PACKAGE: usize = 24;

/// Percentages with their quantiles, linear in between.
pub type Quantiles = &'static [(usize, usize)];

const N_TESTS: Quantiles = &[(0, 2), (50, 9), (90, 22), (100, 40)];

/// Builds an index in `folder`, and prints its progress.
pub fn generate(folder: &Path, say: &dyn Fn(&str)) {
    make(folder, n_samples(N_SAMPLES), say);
}

/// Builds an index of `n_samples` in `folder`, and reports its progress.
pub fn make(folder: &Path, n_samples: usize, say: &dyn Fn(&str)) {
    let seed = SEED;
    let mut store = Store::open(folder, StoreAccess::Create).expect("a workspace can be made");
    for first in (0..N_REPOS).step_by(REPOS_AT_ONCE) {
        let scratch = tempfile::tempdir().expect("a temporary folder can be made");
        let idxs: Vec<usize> = (first..N_REPOS).take(REPOS_AT_ONCE).collect();
        let sizes = sizes(n_samples, seed);
        let roots: Vec<(usize, PathBuf)> = idxs
            .into_par_iter()
            .map(|idx| (idx, write_repo(scratch.path(), idx, sizes[idx], seed)))
            .collect();
        for with_contest in [false, true] {
            mine_all(&mut store, &roots, with_contest);
        }
        let n_done: usize = sizes.iter().take(first + REPOS_AT_ONCE).sum();
        say(&format!("{n_done} of {n_samples} samples"));
    }
    let n_mined = store.count(&Filter::default()).expect("the index counts");
    assert_eq!(n_mined, n_samples as u64, "every test is found");
}

/// Reads the requested number of samples; without one, returns the default.
pub fn n_samples(usual: usize) -> usize {
    let asked = env::var("FOCALIST_BENCH_SAMPLES").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(usual)
}

/// Draws the number of tests of each repository: the largest has five times as many as the smallest.
fn sizes(n_samples: usize, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed, 0);
    let weights: Vec<usize> = (0..N_REPOS).map(|_| 10 + random.below(40)).collect();
    let total: usize = weights.iter().sum();
    let mut sum = 0;
    let sizes = weights.iter().map(|weight| {
        let before = n_samples * sum / total;
        sum += weight;
        n_samples * sum / total - before
    });
    sizes.collect()
}

/// Mines the repositories for both matchers, or the others.
fn mine_all(store: &mut Store, roots: &[(usize, PathBuf)], with_contest: bool) {
    let targets: Vec<Target> = roots
        .iter()
        .filter(|(idx, _)| idx.is_multiple_of(REPOS_PER_CONTEST) == with_contest)
        .map(|(_, root)| Target {
            root: root.clone(),
            ..Target::default()
        })
        .collect();
    let mut options = MiningOptions::default();
    if with_contest {
        options.matchers.push(Matcher::Contest);
    }
    mine::mine(store, &Monitor::default(), &options, &targets).expect("mining works");
}

/// Writes a repository with `n_tests`, and returns its folder.
pub fn write_repo(folder: &Path, idx: usize, n_tests: usize, seed: u64) -> PathBuf {
    let mut random = Random::new(seed, 1 + idx as u64);
    let root = folder.join(format!("project-{idx:03}"));
    let is_junit4 = random.once_in(3);
    let mut n_left = n_tests;
    let mut beside: Option<Class> = None;
    for class_idx in 0.. {
        if n_left == 0 {
            break;
        }
        let n_here = draw(&mut random, N_TESTS).min(n_left);
        n_left -= n_here;
        let package = format!("org.example.p{idx}.s{}", class_idx / CLASSES_PER_PACKAGE);
        let class = Class::make(&mut random, class_idx);
        let tests = TestClass {
            class: &class,
            beside: beside
                .as_ref()
                .filter(|_| !class_idx.is_multiple_of(CLASSES_PER_PACKAGE)),
            package: &package,
            is_junit4,
        };
        let place = package.replace('.', "/");
        write(
            &root.join(format!("src/main/java/{place}/{}.java", class.name)),
            &class.text(&mut random, &package),
        );
        write(
            &root.join(format!("src/test/java/{place}/{}Test.java", class.name)),
            &tests.text(&mut random, n_here),
        );
        beside = Some(class);
    }
    root
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("it is in a folder");
    fs::create_dir_all(folder).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

/// Draws a value with this distribution.
pub fn draw(random: &mut Random, quantiles: Quantiles) -> usize {
    let place = random.below(1_000);
    for ends in quantiles.windows(2) {
        let [(from, low), (to, high)] = [ends[0], ends[1]];
        if place < to * 10 {
            return low + (high - low) * (place - from * 10) / ((to - from) * 10);
        }
    }
    quantiles.last().map_or(0, |quantile| quantile.1)
}
