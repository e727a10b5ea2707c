//! A copy of the verdicts for every day on which somebody judges: `verdicts.db.2026-11-21.bak` beside the file, the
//! last seven of them.
//!
//! A copy is made after the verdict is on the disk, never instead of it; when no copy can be made, the verdict stands,
//! and the caller may report the failure.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use rusqlite::Connection;

use super::super::error::{StoreError, StoreFailure};
use super::super::lock::LockFile;
use super::Verdicts;

/// The number of copies that are kept, one per day: a mistake can be undone for a week.
const COPIES_MAX: usize = 7;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The state of this process's copies.
#[derive(Debug, Default)]
pub(super) struct Backups {
    /// The last day, counted from 1970, on which a copy was made or failed.
    day: Option<i64>,
    failure: Option<StoreError>,
}

impl Verdicts {
    /// Takes the reason why today's copy could not be made, once; the verdicts themselves are on the disk.
    pub fn take_backup_failure(&mut self) -> Option<StoreError> {
        self.backups.failure.take()
    }

    /// Makes the day's copy unless it exists.
    pub(super) fn back_up(&mut self, now_ms: i64) {
        let day = now_ms.div_euclid(DAY_MS);
        if self.backups.day == Some(day) {
            return;
        }
        match copy(&self.conn, &self.path, day) {
            Ok(true) => self.backups.day = Some(day),
            // Another process is making the copy; should it fail, the next verdict tries again.
            Ok(false) => {}
            Err(failure) => {
                self.backups.day = Some(day);
                self.backups.failure = Some(failure);
            }
        }
    }
}

/// Makes a copy, and tells whether it exists now; it does not while another process has the lock.
fn copy(conn: &Connection, path: &Path, day: i64) -> Result<bool, StoreError> {
    let name = format!("{}.{}.bak", Verdicts::FILE_NAME, date(day));
    let target = path.with_file_name(&name);
    if target.exists() {
        return Ok(true);
    }
    let lock = LockFile::open(path)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(StoreFailure::Io(error).at(path)),
    }
    let unfinished = path.with_file_name(name + ".tmp");
    let work = || -> Result<(), StoreFailure> {
        // Left by a killed process; SQLite only copies into a new file.
        remove(&unfinished)?;
        conn.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()])?;
        fs::set_permissions(&unfinished, fs::metadata(path)?.permissions())?;
        File::open(&unfinished)?.sync_all()?;
        fs::rename(&unfinished, &target)?;
        prune(path)?;
        Ok(())
    };
    work().map_err(|failure| {
        // Report why there is no copy, not that a part of it is left.
        let _ = remove(&unfinished);
        failure.at(&target)
    })?;
    Ok(true)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the oldest copies.
fn prune(path: &Path) -> io::Result<()> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(is_copy) {
            copies.push(path);
        }
    }
    copies.sort_unstable();
    let n_old = copies.len().saturating_sub(COPIES_MAX);
    copies[..n_old].iter().try_for_each(|copy| remove(copy))
}

/// Tells whether a file is a copy made here, and not another backup, by its name.
fn is_copy(name: &str) -> bool {
    let date = name
        .strip_prefix(Verdicts::FILE_NAME)
        .and_then(|rest| rest.strip_prefix('.'))
        .and_then(|text| text.strip_suffix(".bak"));
    date.is_some_and(|date| {
        date.len() == 10
            && date.bytes().enumerate().all(|(idx, byte)| match idx {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

/// Writes the date, in UTC, of a day counted from 1970-01-01: years begin in March, so that the leap day is the last
/// (Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
fn date(day: i64) -> String {
    /// Days in 400 years.
    const ERA: i64 = 146_097;
    // From 0000-03-01.
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + later)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreAccess;
    use crate::model::{EventKind, SampleKey};

    #[test]
    fn days_have_dates() {
        let check = |day: i64, expected: &str| assert_eq!(date(day), expected);
        check(0, "1970-01-01");
        check(-1, "1969-12-31");
        check(789, "1972-02-29");
        check(11_016, "2000-02-29");
        check(20_778, "2026-11-21");
        check(47_540, "2100-02-28");
        check(47_541, "2100-03-01");
        date(i64::MAX / DAY_MS);
        date(i64::MIN / DAY_MS);
    }

    fn mark(verdicts: &mut Verdicts, now_ms: i64) {
        let key = SampleKey([1; 16]);
        verdicts
            .append("ada", now_ms, vec![EventKind::Marked { key }])
            .expect("an event is added");
    }

    fn copies(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder reads");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry reads").file_name())
            .map(|text| text.to_string_lossy().into_owned())
            .filter(|text| text.contains(".bak") || text.contains(".tmp"))
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn each_day_has_a_copy_and_a_week_is_kept() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let open = || Verdicts::open(folder.path(), StoreAccess::Create).expect("the file opens");
        let mut verdicts = open();
        let other = folder.path().join("verdicts.db.v1.bak");
        fs::write(&other, "of a migration").expect("a file is written");
        let killed = folder.path().join("verdicts.db.1970-01-03.bak.tmp");
        fs::write(&killed, "half a copy").expect("a file is written");
        mark(&mut verdicts, 2 * DAY_MS);
        mark(&mut verdicts, 2 * DAY_MS + 1);
        assert_eq!(
            copies(folder.path()),
            ["verdicts.db.1970-01-03.bak", "verdicts.db.v1.bak"]
        );
        let copy = folder.path().join("verdicts.db.1970-01-03.bak");
        let written = fs::metadata(&copy).and_then(|metadata| metadata.modified());
        let written = written.expect("the file has a time");
        drop(verdicts);
        // The copy is a file of verdicts, with the day's first.
        let elsewhere = tempfile::tempdir().expect("tests may make folders");
        fs::copy(&copy, elsewhere.path().join(Verdicts::FILE_NAME)).expect("a file is copied");
        let restored = Verdicts::open(elsewhere.path(), StoreAccess::Read).expect("the copy opens");
        assert_eq!(restored.history("ada", 9).expect("it reads").len(), 1);

        let mut verdicts = open();
        mark(&mut verdicts, 2 * DAY_MS + 2);
        let again = fs::metadata(&copy).and_then(|metadata| metadata.modified());
        assert_eq!(again.expect("the file has a time"), written);
        for day in 3..20 {
            mark(&mut verdicts, day * DAY_MS);
        }
        let kept = copies(folder.path());
        assert_eq!(kept.len(), 8, "{kept:?}");
        assert_eq!(kept[0], "verdicts.db.1970-01-14.bak");
        assert_eq!(kept[6], "verdicts.db.1970-01-20.bak");
        assert!(verdicts.take_backup_failure().is_none());
    }

    #[test]
    fn a_copy_that_cannot_be_made_does_not_stop_a_verdict() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let mut verdicts =
            Verdicts::open(folder.path(), StoreAccess::Create).expect("the file opens");
        // A folder that is not empty cannot be taken away.
        let taken = folder.path().join("verdicts.db.1970-01-01.bak.tmp");
        fs::create_dir_all(taken.join("something")).expect("a folder is made");
        mark(&mut verdicts, 1);
        let failure = verdicts.take_backup_failure().expect("there is no copy");
        assert!(failure.to_string().contains("1970-01-01.bak`"), "{failure}");
        mark(&mut verdicts, 2);
        assert!(verdicts.take_backup_failure().is_none(), "it is told once");
        assert_eq!(verdicts.history("ada", 9).expect("it reads").len(), 2);
    }

    #[test]
    fn while_another_process_makes_the_copy_nobody_waits() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let mut verdicts =
            Verdicts::open(folder.path(), StoreAccess::Create).expect("the file opens");
        let lock = LockFile::open(verdicts.path()).expect("the lock opens");
        lock.lock().expect("the lock is free");
        mark(&mut verdicts, 1);
        assert_eq!(copies(folder.path()), [] as [&str; 0]);
        drop(lock);
        mark(&mut verdicts, 2);
        assert_eq!(copies(folder.path()).len(), 1);
    }
}
