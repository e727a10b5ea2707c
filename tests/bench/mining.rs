//! Mining compared with bare parsing, as ratios within one execution (machines are noisy).
//!
//! ```text
//! cargo bench --bench mining                                     # the sample data, many times over
//! FOCALIST_BENCH=path/to/repos cargo bench --bench mining        # every repository in a folder
//! FOCALIST_LANGUAGE=go FOCALIST_BENCH=… cargo bench --bench mining # those in another language than Java
//! ```
//!
//! The baseline parses the same texts from memory with one reused tree-sitter parser and does nothing else. Mining is
//! the whole pipeline: reading from disk, facts, index, resolution, matching, and writing a fresh workspace.

#[path = "frame/checkout.rs"]
mod checkout;
#[path = "frame/clock.rs"]
mod clock;
#[path = "frame/console.rs"]
mod console;
#[path = "frame/ratios.rs"]
mod ratios;

use std::path::Path;
use std::{env, fs};

use focalist::mine::{self, Languages, MiningOptions, Target};
use focalist::model::Language;
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;

use clock::elapsed;
use console::{arguments, print};
use ratios::Ratios;

const ROUNDS: usize = 5;
/// The number of names under which each repository of the sample data is mined, because the sample data is small.
const COPIES: usize = 40;

/// The yardstick.
const PARSING: &str = "parsing alone, one thread";

fn main() {
    if arguments().is_none() {
        return;
    }
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let roots = checkout::roots(scratch.path(), &["repos"], COPIES);
    let targets: Vec<Target> = roots
        .iter()
        .map(|root| Target {
            root: root.clone(),
            ..Target::default()
        })
        .collect();
    let word = env::var("FOCALIST_LANGUAGE").unwrap_or_else(|_| "java".to_owned());
    let language = Language::parse(&word).expect("FOCALIST_LANGUAGE is a language");
    let files = checkout::files(&roots, language);
    let n_bytes = checkout::n_bytes(&files);
    print(&format!(
        "{} repositories, {} files, {:.1} MB of {word}",
        roots.len(),
        files.len(),
        n_bytes as f64 / 1e6
    ));
    let mut ratios = Ratios::default();
    for _ in 0..ROUNDS {
        let parse = elapsed(|| checkout::parse(&files, language));
        let work = (targets.as_slice(), language);
        let one = mine_all(work, 1, scratch.path());
        let two = mine_all(work, 2, scratch.path());
        let again = again(work, scratch.path());
        ratios.add(PARSING, parse, parse);
        ratios.add("mining, one thread", one, parse);
        ratios.add("mining, two threads", two, one);
        ratios.add("mining again, nothing changed", again, two);
    }
    let of = ["MB/s", "× parsing", "× one thread", "× the first time"];
    for ((name, seconds, ratio), of) in ratios.medians().zip(of) {
        let figure = if name == PARSING {
            n_bytes as f64 / 1e6 / seconds
        } else {
            ratio
        };
        print(&format!("{name:<32} {seconds:8.3} s   {figure:.2} {of}"));
    }
}

fn mine_all(work: (&[Target], Language), n_threads: usize, scratch: &Path) -> f64 {
    let folder = scratch.join(".focalist");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last round's workspace can be removed");
    }
    run(work, n_threads, &folder)
}

fn again(work: (&[Target], Language), scratch: &Path) -> f64 {
    run(work, 2, &scratch.join(".focalist"))
}

fn run((targets, language): (&[Target], Language), n_threads: usize, folder: &Path) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads can be started");
    let options = MiningOptions {
        languages: Languages::One(language),
        ..MiningOptions::default()
    };
    elapsed(|| {
        let mut store = Store::open(folder, StoreAccess::Create).expect("a workspace can be made");
        let mined = pool.install(|| mine::mine(&mut store, &Monitor::default(), &options, targets));
        mined.expect("mining works")
    })
}
