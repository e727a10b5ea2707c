//! Tests the host's reads and writes while links and renames are made in the same folders, as code inside could make
//! them.
//!
//! Each round has a seed of its own. `FOCALIST_RACES` says how many there are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::case::PythonCase;
use super::environment::{CHECKOUT, ENV};
use super::placed::PlacedCase;
use super::prepare::touch_packages;
use super::tree::{self, TreeCopyKind};
use crate::sandbox::Root;
use crate::task::Monitor;

const N_ROUNDS: u64 = 40;
/// The content of a file of the user.
const SECRET: &str = "private key";
const SITE: &str = "env/lib/python3.11/site-packages";

/// Pseudo-random numbers (xorshift64, Marsaglia 2003).
struct XorshiftGenerator(u64);

impl XorshiftGenerator {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).expect("it is below a small number")
    }
}

/// Ends the other thread when dropped, even where an assertion fails: it would go on for ever.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes a user's folder beside a project's.
fn make(place: &Path) -> (PathBuf, PathBuf) {
    let (home, root) = (place.join("home"), place.join("root"));
    for folder in [
        &home,
        &root.join("checkout/tests/a"),
        &root.join(SITE),
        &place.join("scratch"),
    ] {
        fs::create_dir_all(folder).expect("it can be made");
    }
    for (name, text) in [
        ("secret", SECRET),
        ("METADATA", SECRET),
        ("direct_url.json", "\"editable\""),
    ] {
        fs::write(home.join(name), text).expect("it can be written");
    }
    let info = root.join(SITE).join("x-1.dist-info");
    fs::create_dir(&info).expect("it can be made");
    for (path, text) in [
        (root.join("checkout/tests/test_x.py"), "def test(): pass\n"),
        (root.join("checkout/tests/a/b.py"), "x = 1\n"),
        (root.join("env/pyvenv.cfg"), "version = 3.11.7\n"),
        (info.join("METADATA"), "Name: x\n"),
        (info.join("direct_url.json"), "\"editable\""),
    ] {
        fs::write(path, text).expect("it can be written");
    }
    (home, root)
}

/// Swaps a file or folder inside for a link to the user's, and mostly back again. Code inside cannot follow its links
/// outside, so this does not either.
fn swap(drawn: &mut XorshiftGenerator, inside: &Root, places: &[PathBuf], home: &Path) {
    let path = &places[drawn.below(places.len())];
    let away = path.with_extension(format!("away{}", drawn.below(3)));
    let target = match drawn.below(3) {
        0 => home.to_owned(),
        1 => home.join("secret"),
        _ => home.join("new"),
    };
    // Each call may fail at the wrong moment, which is intended.
    let _ = inside.rename(path, &away);
    let _ = inside.symlink(&target, path);
    if drawn.below(4) > 0 {
        let _ = inside.remove_file(path);
        let _ = inside.rename(&away, path);
    }
}

/// Reads and writes as the host does while a project is prepared and run; failures are ignored.
fn host(root: &Root, scratch: &Root, round: u64) {
    let monitor = Monitor::default();
    let (Ok(checkout), Ok(_)) = (root.folder(CHECKOUT), root.folder(ENV)) else {
        return;
    };
    for (how, name) in [
        (TreeCopyKind::Link, "l"),
        (TreeCopyKind::CopyForTests, "c"),
        (TreeCopyKind::Copy, "w"),
    ] {
        let name = format!("{name}{round}");
        scratch.create_folder(&name).expect("nobody has that name");
        let view = scratch.folder(&name).expect("it was just made");
        let _ = tree::copy(&checkout, &view, how, &monitor);
        for stands_for_file in [true, false] {
            let case = PythonCase {
                path: "tests/test_x.py".to_owned(),
                code: Some("def test(): assert True\n".to_owned()),
                stands_for_file,
                ..PythonCase::default()
            };
            // The copy itself may be swapped meanwhile, too, as by a test that may write.
            drop(PlacedCase::new(&checkout, &view, &case));
            drop(PlacedCase::new(&view, &checkout, &case));
        }
    }
    let _ = tree::hash(&checkout, &monitor);
    let _ = tree::newest(&checkout, &monitor);
    for said in touch_packages(root) {
        assert!(!said.contains(SECRET), "it was read: {said}");
    }
}

fn assert_no_secret(folder: &Path) {
    for entry in fs::read_dir(folder).expect("it is ours").flatten() {
        let kind = entry.file_type().expect("it is seen");
        if kind.is_dir() {
            assert_no_secret(&entry.path());
        } else if kind.is_file() {
            let text = fs::read_to_string(entry.path()).expect("it is text");
            assert!(!text.contains(SECRET), "{}", entry.path().display());
        }
    }
}

fn round(seed: u64) {
    let place = tempfile::tempdir().expect("a folder can be made");
    let (home, root) = make(place.path());
    let inside = [
        "checkout/tests",
        "checkout/tests/a",
        "checkout/tests/a/b.py",
        "checkout/tests/test_x.py",
        "env/lib",
        "env/lib/python3.11",
        SITE,
        "env/pyvenv.cfg",
        "env/lib/python3.11/site-packages/x-1.dist-info",
        "env/lib/python3.11/site-packages/x-1.dist-info/METADATA",
        "env/lib/python3.11/site-packages/focalist-project.pth",
    ];
    let mut places: Vec<PathBuf> = inside.map(|path| Path::new("root").join(path)).into();
    let scratch = place.path().join("scratch");
    let below = Root::open(place.path()).expect("it is ours");
    for copy in ["l", "c", "w"] {
        let copy = format!("scratch/{copy}{seed}/tests");
        places.push(Path::new(&copy).join("test_x.py"));
        places.push(copy.into());
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut drawn = XorshiftGenerator(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
            while !is_over.load(Ordering::Relaxed) {
                swap(&mut drawn, &below, &places, &home);
            }
        });
        let _over = Over(&is_over);
        let root = Root::open(&root).expect("it is ours");
        host(&root, &Root::open(&scratch).expect("it is ours"), seed);
    });
    let mut names: Vec<_> = fs::read_dir(&home)
        .expect("it is there")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["METADATA", "direct_url.json", "secret"],
        "seed {seed}"
    );
    for name in ["METADATA", "secret"] {
        let text = fs::read_to_string(home.join(name)).expect("it is still there");
        assert_eq!(text, SECRET, "seed {seed}");
    }
    assert_no_secret(&scratch);
    assert_no_secret(&root);
}

#[test]
fn whatever_is_swapped_for_a_link_meanwhile_nothing_outside_is_read_or_written() {
    let asked = env::var("FOCALIST_RACES").ok();
    let n_rounds = asked.map_or(N_ROUNDS, |text| text.parse().expect("it is a number"));
    (1..=n_rounds).for_each(round);
}
