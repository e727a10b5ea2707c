//! No text is parsed twice: a file in mining.
//!
//! The parser counts by thread, so everything here runs on one.

use std::path::PathBuf;

use focalist::lang::parses::{self, Parses};
use focalist::mine::{self, Languages, Options, Target};
use focalist::model::Language;
use focalist::store::{Access, Store};
use focalist::task::Monitor;

use crate::support::{Place, sample_data};

/// Runs `work` on one thread; returns how often the parser ran.
fn counted<R: Send>(work: impl FnOnce() -> R + Send) -> (R, Parses) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().expect("a thread can be started");
    pool.install(|| {
        let before = parses::on_this_thread();
        let done = work();
        (done, parses::on_this_thread() - before)
    })
}

/// Mines a folder into a workspace of its own; returns how many files it has and how often the parser ran.
fn mined(root: &str, language: Language) -> (u64, Parses) {
    let place = Place::new();
    let target = Target {
        root: PathBuf::from(root),
        ..Target::default()
    };
    let options = Options {
        languages: Languages::One(language),
        ..Options::default()
    };
    let folder = place.path(".focalist");
    let (report, parses) = counted(|| {
        let mut store = Store::open(&folder, Access::Create).expect("a workspace can be made");
        mine::mine(&mut store, &Monitor::default(), &options, &[target]).expect("it is mined")
    });
    let n_files = report.repos.iter().map(|repo| repo.n_files).sum();
    (n_files, parses)
}

#[test]
fn mining_parses_every_file_once() {
    // Beside the files: methods whose tokens their files do not tell, and files of JavaScript with errors.
    let expected = [
        ("repos/measurekit", Language::Java, 0, 0),
        ("languages/seedtray", Language::Python, 0, 0),
        ("languages/kilnlog", Language::Go, 0, 0),
        ("languages/purlwise", Language::JavaScript, 6, 1),
        ("languages/larderbook", Language::CSharp, 6, 0),
    ];
    let found = expected.map(|(below, language, _, _)| {
        let root = sample_data(below);
        // What is built in is parsed once in a process.
        mined(&root, language);
        let (n_files, parses) = mined(&root, language);
        assert!(n_files > 0, "{below} has files");
        (below, language, parses.n_texts - n_files, parses.n_again)
    });
    assert_eq!(found, expected);
}
