//! The messages of a job on disk: a line each, with the time of day (UTC), safe to be shown in a terminal.
//!
//! In the file each line begins with `# `, which readers here strip: anybody may have chosen the names in it, and a
//! shell that is led to read it takes all of it for comments.
//!
//! A log that has grown to 10 MiB loses its first half. Readers escape it again: a crash prints into the file past the
//! writer here.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::held::Root;
use crate::model::JobId;

/// A longer log is cut at its beginning: the end tells what happened last.
const BYTES_MAX: u64 = 10 << 20;
/// Half is kept, so that cutting is rare.
const BYTES_KEPT: u64 = BYTES_MAX / 2;
/// A line is broken after this many bytes, so that a program without line ends cannot fill the memory.
const LINE_MAX: usize = 64 << 10;

/// The beginning of each line.
const MARK: &str = "# ";

/// A log, by workspace and job.
pub(super) type LogPlace<'f> = (&'f Path, JobId);

pub(super) fn path(folder: &Path, id: JobId) -> PathBuf {
    folder.join(below(id))
}

fn below(id: JobId) -> PathBuf {
    Path::new("logs").join(format!("job-{id}.log"))
}

/// Opens a log so that every write goes to its end, also beside other writers.
pub(super) fn open((folder, id): LogPlace<'_>) -> io::Result<File> {
    let root = Root::open(folder)?;
    root.create_folders("logs")?;
    root.append(below(id))
}

/// Opens a log for reading; nothing where there is none.
fn opened((folder, id): LogPlace<'_>) -> io::Result<Option<File>> {
    match Root::open(folder).and_then(|root| root.open_file(below(id))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Removes a log.
pub(super) fn remove(folder: &Path, id: JobId) {
    // A file that stays is in nobody's way: its number is not given again.
    let _ = Root::open(folder).and_then(|root| root.remove_file(below(id)));
}

/// A log file; several writers share it.
#[derive(Debug)]
struct LogFile {
    file: File,
    bytes_max: u64,
}

impl LogFile {
    fn write(&mut self, lines: &str) -> io::Result<()> {
        self.file.write_all(lines.as_bytes())?;
        if self.file.metadata()?.len() > self.bytes_max {
            self.cut()?;
        }
        Ok(())
    }

    /// Keeps the second half. In place: the process's own stderr goes into the same file.
    fn cut(&mut self) -> io::Result<()> {
        let n_bytes = self.file.metadata()?.len();
        let n_kept = self.bytes_max / (BYTES_MAX / BYTES_KEPT);
        self.file
            .seek(SeekFrom::Start(n_bytes.saturating_sub(n_kept)))?;
        let mut kept = Vec::new();
        self.file.read_to_end(&mut kept)?;
        let first = kept
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |n| n + 1);
        self.file.set_len(0)?;
        self.file
            .write_all(format!("{MARK}… earlier lines were dropped\n").as_bytes())?;
        self.file.write_all(&kept[first..])
    }
}

/// Writes whole lines into a log, each with the time at which it was complete. Clones write into the same file and do
/// not mix up their lines.
#[derive(Debug)]
pub struct LogWriter {
    file: Arc<Mutex<LogFile>>,
    /// The beginning of a line.
    pending: Vec<u8>,
    now_ms: fn() -> i64,
}

impl Clone for LogWriter {
    fn clone(&self) -> Self {
        Self {
            file: Arc::clone(&self.file),
            pending: Vec::new(),
            now_ms: self.now_ms,
        }
    }
}

impl LogWriter {
    pub(super) fn open(at: LogPlace<'_>) -> io::Result<Self> {
        Ok(Self::with(open(at)?, BYTES_MAX, super::now_ms))
    }

    fn with(file: File, bytes_max: u64, now_ms: fn() -> i64) -> Self {
        Self {
            file: Arc::new(Mutex::new(LogFile { file, bytes_max })),
            pending: Vec::new(),
            now_ms,
        }
    }

    /// Ends a line that has begun.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.pending);
        self.lines(&line)
    }

    fn lines(&self, lines: &[u8]) -> io::Result<()> {
        let time = time_of_day((self.now_ms)());
        let text = String::from_utf8_lossy(lines);
        let mut stamped = String::with_capacity(text.len() + 32);
        for line in text.lines() {
            stamped.push_str(&format!("{MARK}{time} {}\n", safe(line)));
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write(&stamped)
    }
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let n_whole = match self.pending.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.pending.len() > LINE_MAX => self.pending.len(),
            None => 0,
        };
        if n_whole > 0 {
            let rest = self.pending.split_off(n_whole);
            let whole = std::mem::replace(&mut self.pending, rest);
            self.lines(&whole)?;
        }
        Ok(bytes.len())
    }

    /// Whole lines are in the file already; the beginning of one waits for its end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn time_of_day(ms: i64) -> String {
    let seconds = ms.div_euclid(1_000).rem_euclid(86_400);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// Makes control and direction-changing characters of a line visible as escapes; tabs stay.
pub(super) fn safe(line: &str) -> String {
    let is_hidden = |c: char| {
        c != '\t'
            && (c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'))
    };
    let mut safe = String::with_capacity(line.len());
    for c in line.chars() {
        if is_hidden(c) {
            safe.push_str(&format!("⟨{:04X}⟩", c as u32));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPart {
    /// Whole lines, safe to be shown.
    pub text: String,
    /// The byte offset to go on from.
    pub next: u64,
}

pub(super) fn tail(at: LogPlace<'_>, max_bytes: u64) -> io::Result<LogPart> {
    let Some(file) = opened(at)? else {
        return Ok(LogPart::default());
    };
    let offset = file.metadata()?.len().saturating_sub(max_bytes);
    if offset == 0 {
        return from(at, 0, max_bytes);
    }
    // One byte more: when it ends a line, the next one is whole.
    let mut part = from(at, offset - 1, max_bytes + 1)?;
    let begin = part.text.find('\n').map_or(0, |n| n + 1);
    part.text.drain(..begin);
    Ok(part)
}

pub(super) fn from(at: LogPlace<'_>, offset: u64, max_bytes: u64) -> io::Result<LogPart> {
    let Some(mut file) = opened(at)? else {
        return Ok(LogPart::default());
    };
    let offset = if offset > file.metadata()?.len() {
        0
    } else {
        offset
    };
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    // A line longer than the limit comes in pieces; else the beginning of one waits for its end.
    let n_whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(last) => last + 1,
        None if bytes.len() as u64 == max_bytes => bytes.len(),
        None => 0,
    };
    let text = String::from_utf8_lossy(&bytes[..n_whole]);
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_whole = line.ends_with('\n');
        let text = line.strip_prefix(MARK).unwrap_or(line);
        shown.push_str(&safe(text.trim_end_matches('\n')));
        if is_whole {
            shown.push('\n');
        }
    }
    Ok(LogPart {
        text: shown,
        next: offset + n_whole as u64,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    const FIRST: JobId = JobId(1);

    /// 14:02:11 on some day.
    fn noon() -> i64 {
        20_000 * 86_400_000 + (14 * 3_600 + 2 * 60 + 11) * 1_000
    }

    fn writer(bytes_max: u64) -> (tempfile::TempDir, PathBuf, LogWriter) {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = path(folder.path(), FIRST);
        let file = open((folder.path(), FIRST)).expect("a log is made");
        (folder, path, LogWriter::with(file, bytes_max, noon))
    }

    fn check(written: &[&[u8]], expected: &str) {
        let (folder, path, mut log) = writer(BYTES_MAX);
        for bytes in written {
            log.write_all(bytes).expect("the log is written");
        }
        log.finish().expect("the log is written");
        let text = fs::read_to_string(&path).expect("the log is read");
        let lines: Vec<String> = expected.lines().map(|line| format!("# {line}\n")).collect();
        let marked = lines.concat();
        assert_eq!(text, marked);
        let read = from((folder.path(), FIRST), 0, u64::MAX).expect("the log is read");
        assert_eq!(
            (read.text.as_str(), read.next),
            (expected, text.len() as u64)
        );
    }

    #[test]
    fn every_line_has_its_time() {
        check(&[b"a\nb", b"c\n"], "14:02:11 a\n14:02:11 bc\n");
    }

    #[test]
    fn a_line_without_an_end_gets_one() {
        check(&[b"a"], "14:02:11 a\n");
        check(&[b""], "");
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        check(
            &["\u{1b}[31m\u{202e}x\ty\r\n\0\n".as_bytes()],
            "14:02:11 ⟨001B⟩[31m⟨202E⟩x\ty\n14:02:11 ⟨0000⟩\n",
        );
        check(&[b"\xff\n"], "14:02:11 \u{fffd}\n");
    }

    #[test]
    fn a_shell_that_reads_a_log_does_nothing() {
        let (folder, path, mut log) = writer(BYTES_MAX);
        let name =
            "a'; touch made; $(touch made) `touch made` <(touch made) | touch made & \r touch made";
        writeln!(log, "cannot read `{name}`").expect("the log is written");
        writeln!(log, "{name}\ntouch made").expect("the log is written");
        let shell = Command::new("sh")
            .arg(&path)
            .current_dir(folder.path())
            .output();
        assert!(shell.expect("a shell is there").stderr.is_empty());
        assert!(!folder.path().join("made").exists());
    }

    #[test]
    fn a_log_is_reached_through_no_link() {
        for linked in ["logs/job-1.log", "logs"] {
            let folder = tempfile::tempdir().expect("tests may make folders");
            let elsewhere = tempfile::tempdir().expect("tests may make folders");
            let target = elsewhere.path().join("job-1.log");
            fs::write(&target, "mine\n").expect("it is written");
            let link = folder.path().join(linked);
            if linked == "logs" {
                symlink(elsewhere.path(), link).expect("it is linked");
            } else {
                fs::create_dir(folder.path().join("logs")).expect("tests may make folders");
                symlink(&target, link).expect("it is linked");
            }
            let at = (folder.path(), FIRST);
            open(at).expect_err("it is a link");
            from(at, 0, 99).expect_err("it is a link");
            remove(folder.path(), FIRST);
            assert_eq!(fs::read_to_string(target).expect("it is there"), "mine\n");
        }
    }

    #[test]
    fn what_a_crash_prints_is_made_safe_by_who_reads() {
        let (folder, path, _) = writer(BYTES_MAX);
        fs::write(&path, "panicked at \u{1b}[2J\n").expect("the log is written");
        let part = tail((folder.path(), FIRST), 100).expect("the log is read");
        assert_eq!(part.text, "panicked at ⟨001B⟩[2J\n");
    }

    #[test]
    fn two_writers_do_not_mix_up_their_lines() {
        let (_folder, path, mut out) = writer(BYTES_MAX);
        let mut err = out.clone();
        out.write_all(b"begun ").expect("the log is written");
        err.write_all(b"warning\n").expect("the log is written");
        out.write_all(b"ended\n").expect("the log is written");
        let text = fs::read_to_string(path).expect("the log is read");
        assert_eq!(text, "# 14:02:11 warning\n# 14:02:11 begun ended\n");
    }

    #[test]
    fn a_log_that_grows_too_long_loses_its_first_half() {
        let (_folder, path, mut log) = writer(1_000);
        for number in 0..200 {
            writeln!(log, "line {number}").expect("the log is written");
        }
        let text = fs::read_to_string(&path).expect("the log is read");
        assert!(text.len() <= 1_000, "{}", text.len());
        assert!(text.starts_with("# … earlier lines were dropped\n# 14:02:11 line "));
        assert!(text.ends_with("14:02:11 line 199\n"));
    }

    #[test]
    fn a_follower_gets_every_line_once() {
        let (folder, path, mut log) = writer(BYTES_MAX);
        let (mut seen, mut next) = (String::new(), 0);
        for number in 0..50 {
            writeln!(log, "line {number}").expect("the log is written");
            let part = from((folder.path(), FIRST), next, 25).expect("the log is read");
            (seen, next) = (seen + &part.text, part.next);
        }
        loop {
            let part = from((folder.path(), FIRST), next, 25).expect("the log is read");
            if part.text.is_empty() {
                break;
            }
            (seen, next) = (seen + &part.text, part.next);
        }
        let text = fs::read_to_string(&path).expect("the log is read");
        assert_eq!(seen, text.replace("# ", ""));
    }

    #[test]
    fn a_follower_of_a_log_that_was_cut_begins_anew() {
        let (folder, path, _) = writer(BYTES_MAX);
        fs::write(&path, "a\n").expect("the log is written");
        let part = from((folder.path(), FIRST), 500, 100).expect("the log is read");
        assert_eq!((part.text.as_str(), part.next), ("a\n", 2));
    }

    #[test]
    fn the_end_of_a_log_begins_with_a_line() {
        let (folder, path, _) = writer(BYTES_MAX);
        fs::write(&path, "one\ntwo\nthree\n").expect("the log is written");
        let check = |max_bytes, expected| {
            assert_eq!(
                tail((folder.path(), FIRST), max_bytes)
                    .expect("the log is read")
                    .text,
                expected
            );
        };
        check(100, "one\ntwo\nthree\n");
        check(10, "two\nthree\n");
        check(9, "three\n");
        check(3, "");
    }

    #[test]
    fn no_log_is_an_empty_one() {
        let none = (Path::new("/no such folder"), FIRST);
        assert_eq!(tail(none, 9).expect("nothing is read"), LogPart::default());
        assert_eq!(
            from(none, 7, 9).expect("nothing is read"),
            LogPart::default()
        );
    }
}
