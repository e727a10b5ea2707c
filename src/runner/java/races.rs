//! Tests what the host reads and writes while foreign code swaps links for files and folders.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::java::fast::settings_of_lombok;
use crate::java::generated::written;
use crate::java::host::Hosts;
use crate::java::maven::cases;
use crate::sandbox::Root;

const SECRET: &str = "secret";
const REPORT: &str =
    "<testsuite><testcase name=\"secret\" classname=\"p.T\" time=\"0\"/></testsuite>";

/// Pseudo-random numbers that are the same each time (Knuth's MMIX generator).
struct KnuthGenerator(u64);

impl KnuthGenerator {
    fn below(&mut self, n: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Returns the number of rounds: 200, unless `FOCALIST_RACES` sets it.
fn n_rounds() -> u64 {
    let asked = std::env::var("FOCALIST_RACES").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(200)
}

/// Puts a link to `outside` in the place of one of some folders or files, and back.
fn swap(inside: &Path, outside: &Path, drawn: &mut KnuthGenerator) {
    const PATHS: [(&str, &str); 6] = [
        ("out", ""),
        ("out/reports", "reports"),
        ("out/reports/TEST-p.T.xml", "reports/TEST-p.T.xml"),
        ("out/lombok.config", "lombok.config"),
        ("out/evosuite-tests", "evosuite-tests"),
        ("out/T.java", "T.java"),
    ];
    let (at, to) = PATHS[drawn.below(PATHS.len())];
    let (at, away) = (inside.join(at), inside.join("away"));
    // Each of these calls may fail where the host was faster.
    let _ = fs::rename(&at, &away);
    let _ = symlink(outside.join(to), &at);
    thread::yield_now();
    let _ = fs::remove_file(&at);
    let _ = fs::rename(&away, &at);
}

/// Makes the files that the host reads, with a text in them.
fn make(folder: &Path, report: &str, text: &str) {
    let root = Root::make(folder).expect("it is made");
    for name in ["reports", "evosuite-tests"] {
        root.create_folders(name).expect("it is made");
    }
    for (path, text) in [
        ("reports/TEST-p.T.xml", report),
        ("lombok.config", text),
        ("T.java", text),
        ("evosuite-tests/T_ESTest.java", text),
    ] {
        root.write(path, text).expect("it is written");
    }
}

/// Reads and writes as the engines do, and returns what was read.
fn touch(inside: &Root, drawn: &mut KnuthGenerator) -> String {
    let place = inside.path().to_owned();
    match drawn.below(5) {
        0 => format!("{:?}", cases(inside, Path::new("out/reports"))),
        1 => settings_of_lombok(inside, "out"),
        // The folder is opened below its parent, which is ours: opening it by its path would follow a link in its
        // place.
        2 => match inside.folder("out") {
            Ok(out) => format!("{:?}", written(&out)),
            Err(_) => String::new(),
        },
        3 => format!("{:?}", Hosts::read(inside, &[place.join("out")])),
        _ => {
            // Writing fails where a link is in the way.
            let _ = inside.write(place.join("out/T.java"), "ours");
            let _ = inside.write(place.join("out/reports/TEST-p.T.xml"), "ours");
            String::new()
        }
    }
}

#[test]
fn nothing_outside_is_read_or_written_while_links_are_swapped() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (inside, outside): (PathBuf, PathBuf) =
        (folder.path().join("inside"), folder.path().join("outside"));
    make(&outside, REPORT, SECRET);
    make(&inside.join("out"), "<testsuite/>", "plain");
    let root = Root::open(&inside).expect("it is there");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let racer = scope.spawn(|| {
            let mut drawn = KnuthGenerator(1);
            while !is_over.load(Ordering::Relaxed) {
                swap(&inside, &outside, &mut drawn);
            }
        });
        for seed in 0..n_rounds() {
            let mut drawn = KnuthGenerator(seed);
            for _ in 0..50 {
                let read = touch(&root, &mut drawn);
                assert!(!read.contains(SECRET), "seed {seed}: {read}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        racer.join().expect("it does not panic");
    });
    let there = Root::open(&outside).expect("it is there");
    assert_eq!(there.entries("").expect("it is read").len(), 4);
    let read = |path| there.read_text(path, 999).expect("it is read");
    assert_eq!(read("T.java"), SECRET);
    assert_eq!(read("reports/TEST-p.T.xml"), REPORT);
}
