//! Where the samples of a dataset lie: which files there are, where their lines begin, and which split a folder means.
//!
//! Decides the order of files (folders by name, numbers in names by value, as `7_2.json` comes before `7_10.json`), and
//! the size limits. Does not look into a sample.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::names::{natural, split_of, split_of_parent, word_of};
use super::packed::{UnpackedRows, rows_of};
use super::wrong::DatasetFault;
use super::{DatasetError, DatasetFormat, DatasetOptions, packed};
use crate::exchange::is_json;
use crate::model::{Problem, Reason, Split};
use crate::task::{Cancelled, Monitor};

/// The most bytes of one line, or of one file with a single mapping: 64 mebibytes. The longest lines of published
/// datasets have a thousandth of that.
const SIZE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The files of ATLAS, line by line about the same samples.
pub(super) const TESTS_FILE: &str = "testMethods.txt";
pub(super) const ASSERTIONS_FILE: &str = "assertLines.txt";

/// Where a sample lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleEntry {
    /// An index into [`DatasetFiles`].
    pub file: u32,
    /// From 1; 0 for a file that is one value as a whole.
    pub line: u32,
    offset: u64,
    size_bytes: u32,
    /// Offset and size of the same line in the file beside (ATLAS).
    beside: (u64, u32),
}

/// The text of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Raw {
    pub text: String,
    pub beside: String,
}

#[derive(Clone, Debug)]
pub(super) struct DatasetFile {
    path: PathBuf,
    /// The path for people and rows: below the dataset's folder, with `/`.
    pub shown: String,
    /// The split that its name, or the name of a folder above it, tells.
    pub split: Option<Split>,
    /// For each line of an unpacked file, the number of its row; empty where lines are counted.
    numbers: Vec<u32>,
}

impl DatasetFile {
    fn new(path: PathBuf, shown: String, split: Option<Split>) -> Self {
        Self {
            path,
            shown,
            split,
            numbers: Vec::new(),
        }
    }

    fn beside(&self) -> PathBuf {
        self.path.with_file_name(ASSERTIONS_FILE)
    }
}

/// The files of a dataset, in order, and the files and folders that could not be read.
#[derive(Debug)]
pub(super) struct DatasetFiles {
    format: DatasetFormat,
    pub list: Vec<DatasetFile>,
    pub problems: Vec<Problem>,
    /// Rows that are no tests.
    pub n_left_out: u64,
    /// Where files are unpacked that hold no lines.
    unpacked: Option<TempDir>,
}

impl DatasetFiles {
    /// Lists what belongs to a dataset that is called `dataset`, a file or a folder.
    pub(super) fn find(options: &DatasetOptions, dataset: &str) -> Result<Self, DatasetError> {
        let (path, format) = (options.path.as_path(), options.format);
        let unreadable = |source| DatasetError::Read {
            path: path.to_owned(),
            source,
        };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        let mut files = Self {
            format,
            list: Vec::new(),
            problems: Vec::new(),
            n_left_out: 0,
            unpacked: None,
        };
        // The folder's own name counts too: `dataset/eval`.
        let split = std::path::absolute(path)
            .ok()
            .and_then(|path| split_of(path.file_name()?.to_str()?));
        if metadata.is_dir() {
            let entries = fs::read_dir(path).map_err(unreadable)?;
            files.walk(entries, "", split);
        } else {
            let shown = path.file_name().unwrap_or_default();
            let shown = shown.to_string_lossy().into_owned();
            let split = match format {
                DatasetFormat::Atlas => split_of_parent(path),
                _ => split_of(word_of(format, &shown)),
            };
            let file = DatasetFile::new(path.to_owned(), shown, split);
            files.list.push(file);
        }
        if format == DatasetFormat::Atlas {
            // Training, Eval, Testing: the order in which the paper speaks of them.
            files
                .list
                .sort_by_key(|dataset_file| (dataset_file.split.is_none(), dataset_file.split));
        }
        files.unpack(options, dataset).map_err(unreadable)?;
        if files.list.is_empty() {
            files.problems.push(
                DatasetFault::new(
                    Reason::Empty,
                    format!("no files of the format {}", format.as_str()),
                )
                .at(".", 0),
            );
        }
        Ok(files)
    }

    fn walk(&mut self, entries: fs::ReadDir, below: &str, split: Option<Split>) {
        let mut names = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => names.push((entry.file_name(), entry)),
                Err(error) => self.problem(below, &error),
            }
        }
        names.sort_by(|(a, _), (b, _)| natural(&a.to_string_lossy(), &b.to_string_lossy()));
        for (name, entry) in names {
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let shown = format!("{below}{name}");
            // Links to folders are not followed: they may lead back.
            let is_folder = match entry.file_type() {
                Ok(kind) => kind.is_dir(),
                Err(error) => {
                    self.problem(&shown, &error);
                    continue;
                }
            };
            if is_folder {
                let split = split_of(&name).or(split);
                match fs::read_dir(entry.path()) {
                    Ok(entries) => self.walk(entries, &format!("{shown}/"), split),
                    Err(error) => self.problem(&shown, &error),
                }
            } else if self.is_ours(&name) {
                let split = split_of(word_of(self.format, &name)).or(split);
                let file = DatasetFile::new(entry.path(), shown, split);
                self.list.push(file);
            } else if self.format == DatasetFormat::Atlas
                && name == ASSERTIONS_FILE
                && !entry.path().with_file_name(TESTS_FILE).exists()
            {
                let wrong =
                    DatasetFault::new(Reason::Unreadable, format!("no `{TESTS_FILE}` beside it"));
                self.problems.push(wrong.at(&shown, 0));
            }
        }
    }

    fn is_ours(&self, name: &str) -> bool {
        let has = |extension: &str| {
            Path::new(name)
                .extension()
                .is_some_and(|text| text.eq_ignore_ascii_case(extension))
        };
        match self.format {
            DatasetFormat::Jsonl => has("jsonl"),
            DatasetFormat::TestGenEval | DatasetFormat::TestEval | DatasetFormat::CodeSearchNet => {
                ["jsonl", "json", "parquet", "gz"].into_iter().any(has)
            }
            DatasetFormat::Methods2Test => has("json") || has("jsonl"),
            DatasetFormat::Atlas => name == TESTS_FILE,
            DatasetFormat::Mera => packed::is_ours(name),
            DatasetFormat::Parquet => has("parquet"),
        }
    }

    /// Turns files of records that hold no lines of ours into some that do; line numbers then count records.
    fn unpack(&mut self, options: &DatasetOptions, dataset: &str) -> io::Result<()> {
        let rows = rows_of(options);
        let is_mera = self.format == DatasetFormat::Mera;
        let is_packed = |dataset_file: &DatasetFile| {
            rows.is_some() || (is_mera && packed::is_packed(&dataset_file.path))
        };
        if !self.list.iter().any(is_packed) {
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        let mut problems = Vec::new();
        let mut n_left_out = 0;
        let mut n_files = 0;
        self.list.retain_mut(|file| {
            if !is_packed(file) {
                return true;
            }
            n_files += 1;
            let lines = folder.path().join(format!("{n_files}.jsonl"));
            let unpacked = match rows {
                Some(rows) => packed::unpack_rows(&file.path, &lines, dataset, rows),
                None => packed::unpack(&file.path, &lines).map(|()| UnpackedRows::default()),
            };
            file.path = lines;
            match unpacked {
                Ok(unpacked) => {
                    let wrong = unpacked.problems.into_iter();
                    problems.extend(
                        wrong.map(|(line, why)| DatasetFault::from(why).at(&file.shown, line)),
                    );
                    n_left_out += unpacked.n_left_out;
                    file.numbers = unpacked.numbers;
                    // A file whose rows are all something else has been read.
                    !(rows.is_some() && file.numbers.is_empty() && n_left_out > 0)
                }
                Err(wrong) => {
                    problems.push(wrong.at(&file.shown, 0));
                    false
                }
            }
        });
        self.problems.extend(problems);
        self.n_left_out = n_left_out;
        self.unpacked = Some(folder);
        Ok(())
    }

    fn problem(&mut self, shown: &str, error: &io::Error) {
        let shown = if shown.is_empty() { "." } else { shown };
        self.problems
            .push(DatasetFault::unreadable(error).at(shown, 0));
    }

    pub(super) fn of(&self, entry: &SampleEntry) -> &DatasetFile {
        &self.list[entry.file as usize]
    }

    /// Hands every sample of a file to `each`, with its text or its problem.
    pub(super) fn survey(
        &self,
        file_idx: u32,
        monitor: &Monitor,
        each: &mut dyn FnMut(SampleEntry, Result<&str, DatasetFault>),
    ) -> Result<(), Cancelled> {
        let file = &self.list[file_idx as usize];
        let whole = SampleEntry {
            file: file_idx,
            line: 0,
            offset: 0,
            size_bytes: 0,
            beside: (0, 0),
        };
        let mut lines = match OffsetLines::open(&file.path) {
            Ok(lines) => lines,
            Err(error) => {
                each(whole, Err(error.into()));
                return Ok(());
            }
        };
        if self.format == DatasetFormat::Atlas {
            return survey_pairs(file, whole, &mut lines, monitor, each);
        }
        let is_json = file.shown.to_ascii_lowercase().ends_with(".json");
        let mut n_values = 0;
        loop {
            monitor.step()?;
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    each(whole, Err(error.into()));
                    return Ok(());
                }
            };
            let bytes = trimmed(&lines.buffer, line.number);
            if bytes.is_empty() && line.is_whole {
                continue;
            }
            n_values += 1;
            // A file with one value over several lines; its first line alone is none.
            if is_json && n_values == 1 && !is_json_line(bytes) {
                survey_whole(file, whole, each);
                return Ok(());
            }
            let number = file.numbers.get(line.number as usize - 1);
            let entry = SampleEntry {
                line: number.copied().unwrap_or(line.number),
                offset: line.offset,
                size_bytes: lines.buffer.len() as u32,
                ..whole
            };
            each(entry, text(bytes, line.is_whole));
        }
        if n_values == 0 {
            each(whole, Err(DatasetFault::new(Reason::Empty, "no lines")));
        }
        Ok(())
    }

    /// Reads samples again, in order; what the survey found must still be there.
    pub(super) fn read(
        &self,
        entries: &[SampleEntry],
        monitor: &Monitor,
    ) -> Result<Vec<Result<Raw, DatasetFault>>, Cancelled> {
        let mut open: Option<(u32, OpenFile)> = None;
        let mut raws = Vec::with_capacity(entries.len());
        for entry in entries {
            monitor.step()?;
            let file = self.of(entry);
            if open.as_ref().is_none_or(|(idx, _)| *idx != entry.file) {
                open = None;
                match OpenFile::open(file, self.format) {
                    Ok(opened) => open = Some((entry.file, opened)),
                    Err(error) => {
                        raws.push(Err(error.into()));
                        continue;
                    }
                }
            }
            raws.push(match &mut open {
                Some((_, opened)) => opened.read(entry),
                None => Ok(Raw::default()),
            });
        }
        Ok(raws)
    }
}

/// Surveys both files of ATLAS, line by line; the lines that one has more than the other are one problem.
fn survey_pairs(
    file: &DatasetFile,
    whole: SampleEntry,
    tests: &mut OffsetLines,
    monitor: &Monitor,
    each: &mut dyn FnMut(SampleEntry, Result<&str, DatasetFault>),
) -> Result<(), Cancelled> {
    let mut assertions = match OffsetLines::open(&file.beside()) {
        Ok(lines) => lines,
        Err(error) => {
            let detail = format!("`{ASSERTIONS_FILE}` beside it: {error}");
            each(whole, Err(DatasetFault::new(Reason::Unreadable, detail)));
            return Ok(());
        }
    };
    let mut n_lines = 0_u32;
    loop {
        monitor.step()?;
        let pair = tests.next().and_then(|test| Ok((test, assertions.next()?)));
        let (test, assertion) = match pair {
            Ok((Some(test), Some(assertion))) => (test, assertion),
            Ok((None, None)) if n_lines == 0 => {
                each(whole, Err(DatasetFault::new(Reason::Empty, "no lines")));
                return Ok(());
            }
            Ok((None, None)) => return Ok(()),
            Ok((test, _)) => {
                let (longer, shorter, rest) = match test {
                    Some(_) => (TESTS_FILE, ASSERTIONS_FILE, &mut *tests),
                    None => (ASSERTIONS_FILE, TESTS_FILE, &mut assertions),
                };
                let mut n_more = 1_u64;
                while let Ok(Some(_)) = rest.next() {
                    monitor.step()?;
                    n_more += 1;
                }
                let detail = format!("`{longer}` has {n_more} more lines than `{shorter}`");
                let entry = SampleEntry {
                    line: n_lines.saturating_add(1),
                    ..whole
                };
                each(entry, Err(DatasetFault::line(detail)));
                return Ok(());
            }
            Err(error) => {
                each(whole, Err(error.into()));
                return Ok(());
            }
        };
        n_lines = test.number;
        let entry = SampleEntry {
            line: test.number,
            offset: test.offset,
            size_bytes: tests.buffer.len() as u32,
            beside: (assertion.offset, assertions.buffer.len() as u32),
            ..whole
        };
        let checked = text(&assertions.buffer, assertion.is_whole)
            .and_then(|_| text(trimmed(&tests.buffer, test.number), test.is_whole));
        each(entry, checked);
    }
}

fn survey_whole(
    file: &DatasetFile,
    whole: SampleEntry,
    each: &mut dyn FnMut(SampleEntry, Result<&str, DatasetFault>),
) {
    let read = File::open(&file.path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(SIZE_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Ok(bytes) => {
            let entry = SampleEntry {
                size_bytes: bytes.len() as u32,
                ..whole
            };
            let is_whole = bytes.len() <= SIZE_BYTES_MAX;
            each(entry, text(trimmed(&bytes, 1), is_whole));
        }
        Err(error) => each(whole, Err(error.into())),
    }
}

fn is_json_line(bytes: &[u8]) -> bool {
    // A line that is not UTF-8 is no JSON either, but a problem of itself alone.
    is_json(bytes) || str::from_utf8(bytes).is_err()
}

fn text(bytes: &[u8], is_whole: bool) -> Result<&str, DatasetFault> {
    if !is_whole {
        return Err(DatasetFault::too_large(SIZE_BYTES_MAX as u64));
    }
    str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or(0);
        let detail = format!("byte 0x{byte:02x} at column {}", at + 1);
        DatasetFault::new(Reason::NotUtf8, detail)
    })
}

/// Cuts off white space, and the byte order mark of a first line.
fn trimmed(bytes: &[u8], line: u32) -> &[u8] {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if line == 1 => rest,
        _ => bytes,
    };
    bytes.trim_ascii()
}

/// A file that is being read for the second time.
struct OpenFile {
    file: File,
    beside: Option<File>,
}

impl OpenFile {
    fn open(file: &DatasetFile, format: DatasetFormat) -> io::Result<Self> {
        Ok(Self {
            file: File::open(&file.path)?,
            beside: match format {
                DatasetFormat::Atlas => Some(File::open(file.beside())?),
                _ => None,
            },
        })
    }

    fn read(&mut self, entry: &SampleEntry) -> Result<Raw, DatasetFault> {
        let bytes = slice(&mut self.file, entry.offset, entry.size_bytes)?;
        let mut raw = Raw {
            text: text(trimmed(&bytes, entry.line.max(1)), true)?.to_owned(),
            beside: String::new(),
        };
        if let Some(beside) = &mut self.beside {
            let bytes = slice(beside, entry.beside.0, entry.beside.1)?;
            text(trimmed(&bytes, entry.line), true)?.clone_into(&mut raw.beside);
        }
        Ok(raw)
    }
}

fn slice(file: &mut File, offset: u64, size_bytes: u32) -> Result<Vec<u8>, DatasetFault> {
    let mut bytes = vec![0; size_bytes as usize];
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_exact(&mut bytes))?;
    Ok(bytes)
}

/// Lines with their places; of one that is too long only the beginning.
struct OffsetLines {
    reader: BufReader<File>,
    offset: u64,
    /// The number of the last line, from 1.
    number: u32,
    /// The last line, without its end.
    buffer: Vec<u8>,
}

struct OffsetLine {
    offset: u64,
    number: u32,
    is_whole: bool,
}

impl OffsetLines {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            reader: BufReader::with_capacity(1 << 16, File::open(path)?),
            offset: 0,
            number: 0,
            buffer: Vec::new(),
        })
    }

    fn next(&mut self) -> io::Result<Option<OffsetLine>> {
        self.buffer.clear();
        let limit = SIZE_BYTES_MAX as u64 + 1;
        let mut n_bytes = (&mut self.reader)
            .take(limit)
            .read_until(b'\n', &mut self.buffer)? as u64;
        if n_bytes == 0 {
            return Ok(None);
        }
        let is_ended = self.buffer.pop_if(|last| *last == b'\n').is_some();
        let is_whole = is_ended || n_bytes < limit;
        if !is_whole {
            self.buffer = Vec::new();
            n_bytes += self.skip_line()?;
        }
        self.number = self.number.saturating_add(1);
        let line = OffsetLine {
            offset: self.offset,
            number: self.number,
            is_whole,
        };
        self.offset += n_bytes;
        Ok(Some(line))
    }

    /// Reads to the end of the line without keeping it; returns how many bytes that were.
    fn skip_line(&mut self) -> io::Result<u64> {
        let mut n_bytes = 0;
        loop {
            let chunk = self.reader.fill_buf()?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let n_used = end.map_or(chunk.len(), |at| at + 1);
            let is_done = end.is_some() || chunk.is_empty();
            self.reader.consume(n_used);
            n_bytes += n_used as u64;
            if is_done {
                return Ok(n_bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_told_from_its_neighbours() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("long.jsonl");
        let mut bytes = b"{}\n".to_vec();
        bytes.resize(SIZE_BYTES_MAX + 10, b' ');
        bytes.extend(b"\n[]");
        fs::write(&path, bytes).expect("the file is written");
        let options = DatasetOptions::new(DatasetFormat::Jsonl, &path);
        let files = DatasetFiles::find(&options, "long").expect("the file is there");
        let mut seen = Vec::new();
        let mut each = |entry: SampleEntry, text: Result<&str, DatasetFault>| {
            let what = text.map(str::to_owned).map_err(|wrong| wrong.reason);
            seen.push((entry, what));
        };
        files
            .survey(0, &Monitor::default(), &mut each)
            .expect("nobody cancels");
        let lines: Vec<_> = seen
            .iter()
            .map(|(sample_entry, what)| (sample_entry.line, what.clone()))
            .collect();
        assert_eq!(
            lines,
            [
                (1, Ok("{}".to_owned())),
                (2, Err(Reason::TooLarge)),
                (3, Ok("[]".to_owned())),
            ]
        );
        let raws = files
            .read(&[seen[2].0], &Monitor::default())
            .expect("nobody cancels");
        assert_eq!(raws[0].as_ref().map(|raw| raw.text.as_str()), Ok("[]"));
    }
}
