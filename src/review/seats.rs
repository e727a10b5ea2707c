//! The seats of people: the sample that every open window has before it, so that two of them need not read the same
//! one.
//!
//! A seat is a small file in the workspace that its window holds a lock on. It counts only as long as the lock is held:
//! the system gives it back when the window is closed, killed or lost, so no seat outlives its window and nothing here
//! needs a clock. A seat forbids nothing: two annotators may judge the same sample at once.
//!
//! A workspace may come from a stranger, so its files are not trusted: no link is followed, only files that are named
//! as seats are touched, and their content is read as a key and a name or not at all.

use std::fs::{File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::Path;

use crate::held::{EntryKind, Root};
use crate::model::{SampleKey, is_annotator};

use super::QueueOptions;

/// The folder below the workspace's.
const FOLDER: &str = "seats";
const ENDING: &str = ".seat";
/// More seats than this are not looked at, and longer ones not read: nobody judges in so many windows.
const SEATS_MAX: usize = 256;
/// A seat is a few short lines; a larger file is none.
const SIZE_BYTES_MAX: u64 = 1_024;

/// An annotator with a sample before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedAnnotator {
    pub key: SampleKey,
    pub annotator: String,
}

/// The seat of one window. It is given up when this goes.
#[derive(Debug)]
pub struct Seat {
    folder: Root,
    name: String,
    file: File,
}

impl Seat {
    /// Takes a seat in a workspace; `number` tells it from the seats of other windows.
    ///
    /// # Errors
    /// The disk's. People can judge without a seat.
    pub fn take(workspace: &Path, number: u128) -> io::Result<Self> {
        let root = Root::open(workspace)?;
        if root.kind(FOLDER)?.is_none() {
            match root.create_folder(FOLDER) {
                // Another window was as fast.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        let folder = root.folder(FOLDER)?;
        // Until it is locked it has a name that nobody takes for a seat: one without a lock is cleared away.
        let new = format!("{number:032x}.new");
        let name = format!("{number:032x}{ENDING}");
        folder.remove_file(&new)?;
        let file = folder.create(&new)?;
        file.lock()?;
        folder.rename(&new, &name)?;
        Ok(Self { folder, name, file })
    }

    /// Says which sample the annotator has before them; nothing when they have none.
    ///
    /// # Errors
    /// The disk's.
    pub fn sit(&mut self, annotator: &str, key: Option<SampleKey>) -> io::Result<()> {
        let line = key.map_or_else(String::new, |key| format!("{key} {annotator}\n"));
        // Written over the old line, then cut: a reader meanwhile finds the one line or the other.
        self.file.rewind()?;
        self.file.write_all(line.as_bytes())?;
        self.file.set_len(line.len() as u64)
    }

    /// Lists the others who have a sample before them, in no order.
    #[must_use]
    pub fn others(&self) -> Vec<SeatedAnnotator> {
        seats(&self.folder, Some(&self.name)).unwrap_or_default()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // A file that stays has no lock, and the next window that looks clears it away.
        let _removed = self.folder.remove_file(&self.name);
        let _unlocked = self.file.unlock();
    }
}

/// Lists the annotators in a workspace with the samples before them, in no order; nobody where that cannot be read, for
/// then nobody is told, and everybody can judge all the same.
#[must_use]
pub fn seated(workspace: &Path) -> Vec<SeatedAnnotator> {
    let folder = Root::open(workspace).and_then(|root| root.folder(FOLDER));
    folder
        .and_then(|folder| seats(&folder, None))
        .unwrap_or_default()
}

/// Tells whether as many others have a sample before them as a queue asks about it: then it can wait. Where everybody
/// is asked, nobody waits for anybody.
#[must_use]
pub fn is_taken(seats: &[SeatedAnnotator], options: &QueueOptions, key: &SampleKey) -> bool {
    let n_seated = seats.iter().filter(|seat| seat.key == *key).count();
    options.kind.is_shortened() && n_seated >= options.overlap.of(key) as usize
}

/// Says who has a sample before them that need not be judged twice, for people; nothing where it is free.
#[must_use]
pub fn beside(
    seats: &[SeatedAnnotator],
    options: &QueueOptions,
    key: &SampleKey,
) -> Option<String> {
    if !is_taken(seats, options, key) {
        return None;
    }
    let seats = seats.iter().filter(|seat| seat.key == *key);
    let names = seats.map(|seat| seat.annotator.as_str());
    let mut names: Vec<&str> = names.filter(|name| *name != options.annotator).collect();
    names.sort_unstable();
    names.dedup();
    Some(match names.as_slice() {
        [] => "you are on this one in another window".to_owned(),
        [one] => format!("{one} is on this one"),
        several => format!("{} are on this one", several.join(" and ")),
    })
}

fn seats(folder: &Root, but: Option<&str>) -> io::Result<Vec<SeatedAnnotator>> {
    let mut found = Vec::new();
    let entries = folder.entries("")?.into_iter();
    let named = entries.filter(|(_, kind)| *kind == EntryKind::File);
    let named = named.filter_map(|(name, _)| name.into_string().ok());
    for name in named.filter(|name| is_seat(name)).take(SEATS_MAX) {
        if but == Some(name.as_str()) {
            continue;
        }
        // It may have been given up since the folder was read.
        let Ok(file) = folder.open_file(&name) else {
            continue;
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => found.extend(read(folder, &name)),
            // Nobody holds it: its window was killed.
            Ok(()) => {
                let _removed = folder.remove_file(&name);
            }
            Err(TryLockError::Error(_)) => {}
        }
    }
    Ok(found)
}

fn is_seat(name: &str) -> bool {
    let number = name.strip_suffix(ENDING).unwrap_or_default();
    number.len() == 32 && number.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn read(folder: &Root, name: &str) -> Option<SeatedAnnotator> {
    let text = folder.read_text(name, SIZE_BYTES_MAX).ok()?;
    let (key, annotator) = text.strip_suffix('\n')?.split_once(' ')?;
    is_annotator(annotator).then_some(())?;
    Some(SeatedAnnotator {
        key: SampleKey::parse(key)?,
        annotator: annotator.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn workspace() -> TempDir {
        tempfile::tempdir().expect("tests may make folders")
    }

    fn seat(workspace: &TempDir, number: u128) -> Seat {
        Seat::take(workspace.path(), number).expect("a seat is free")
    }

    fn names(seated: &[SeatedAnnotator]) -> Vec<(&str, u8)> {
        let mut names: Vec<(&str, u8)> = seated
            .iter()
            .map(|seated| (seated.annotator.as_str(), seated.key.0[0]))
            .collect();
        names.sort_unstable();
        names
    }

    fn key(number: u8) -> SampleKey {
        SampleKey([number; 16])
    }

    #[test]
    fn each_window_knows_what_the_others_have_before_them() {
        let place = workspace();
        let (mut ada, mut bob) = (seat(&place, 1), seat(&place, 2));
        assert_eq!(names(&ada.others()), []);
        ada.sit("ada", Some(key(1))).expect("it is written");
        bob.sit("bob the second", Some(key(2)))
            .expect("it is written");
        assert_eq!(names(&ada.others()), [("bob the second", 2)]);
        assert_eq!(names(&bob.others()), [("ada", 1)]);
        assert_eq!(
            names(&seated(place.path())),
            [("ada", 1), ("bob the second", 2)]
        );
        bob.sit("b", Some(key(3))).expect("it is written");
        assert_eq!(names(&ada.others()), [("b", 3)]);
        bob.sit("b", None).expect("it is written");
        assert_eq!(names(&ada.others()), []);
        drop(ada);
        assert_eq!(names(&bob.others()), []);
    }

    #[test]
    fn the_seat_of_a_window_that_is_gone_holds_nothing_and_is_cleared_away() {
        let place = workspace();
        let left = place
            .path()
            .join(FOLDER)
            .join(format!("{:032x}{ENDING}", 7));
        let me = seat(&place, 1);
        // As a killed window leaves it: the file is there, and nobody holds its lock.
        fs::write(&left, format!("{} ada\n", key(1))).expect("tests may write");
        assert_eq!(me.others(), []);
        assert!(!left.exists());
    }

    #[test]
    fn what_is_no_seat_is_neither_read_nor_removed() {
        let place = workspace();
        let elsewhere = workspace();
        let kept = elsewhere.path().join(format!("{:032x}{ENDING}", 3));
        fs::write(&kept, "kept").expect("tests may write");
        let me = seat(&place, 1);
        let folder = place.path().join(FOLDER);
        fs::write(folder.join("notes.txt"), "kept").expect("tests may write");
        symlink(&kept, folder.join(format!("{:032x}{ENDING}", 4))).expect("it is linked");
        assert_eq!(me.others(), []);
        assert!(folder.join("notes.txt").exists());
        assert!(kept.exists());
        drop(me);
        // A folder of seats that leads elsewhere is none.
        fs::remove_dir_all(&folder).expect("tests may remove");
        symlink(elsewhere.path(), &folder).expect("it is linked");
        assert!(Seat::take(place.path(), 1).is_err());
        assert_eq!(seated(place.path()), []);
        assert!(kept.exists());
    }

    #[test]
    fn a_seat_says_a_key_and_a_name_or_nothing() {
        let place = workspace();
        let (me, mut other) = (seat(&place, 1), seat(&place, 2));
        let mut check = |text: &str, expected: usize| {
            other.file.set_len(0).expect("it is cut");
            other.file.rewind().expect("it is rewound");
            other
                .file
                .write_all(text.as_bytes())
                .expect("it is written");
            assert_eq!(me.others().len(), expected, "{text:?}");
        };
        check(&format!("{} ada\n", key(1)), 1);
        check(&format!("{} ada", key(1)), 0);
        check(&format!("{} a\u{1b}da\n", key(1)), 0);
        check("nonsense\n", 0);
        check(&format!("{} {}\n", key(1), "a".repeat(2_000)), 0);
    }
}
