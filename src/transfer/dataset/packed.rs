//! Files of MERA's records and of rows: which they are, and how those without lines of ours are written as such lines.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use super::wrong::DatasetFault;
use super::{DatasetFormat, DatasetOptions};
use crate::exchange::columns::{Mapping, each_row};
use crate::exchange::mera::MeraFile;
use crate::exchange::published::PublishedDataset;
use crate::exchange::records::RecordError;
use crate::exchange::rows::each_in_file;
use crate::exchange::{ParquetError, parse_from, write_line};

/// Files of an export that hold no records.
const NO_RECORDS: [&str; 2] = ["ids.jsonl", "manifest.json"];

/// A file with one object in it is read whole: only the benchmark's small splits are written so.
const WHOLE_BYTES_MAX: u64 = 1 << 30;

/// Tells whether a file of this name holds records.
pub(super) fn is_ours(name: &str) -> bool {
    let extension = name
        .rsplit_once('.')
        .map(|pair| pair.1.to_ascii_lowercase());
    let is_known = matches!(extension.as_deref(), Some("jsonl" | "json" | "parquet"));
    is_known && !NO_RECORDS.contains(&name)
}

/// Tells whether a file must be unpacked into lines first.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension != "jsonl")
}

/// Writes the records of a file as lines.
pub(super) fn unpack(path: &Path, lines: &Path) -> Result<(), DatasetFault> {
    let mut out = BufWriter::new(File::create(lines)?);
    if path
        .extension()
        .is_some_and(|extension| extension == "parquet")
    {
        each_row(path, |row| {
            Ok::<_, ParquetError>(write_line(&mut out, &row)?)
        })?;
    } else {
        let size_bytes = fs::metadata(path)?.len();
        if size_bytes > WHOLE_BYTES_MAX {
            return Err(DatasetFault::too_large(WHOLE_BYTES_MAX));
        }
        let file = parse_from(BufReader::new(File::open(path)?));
        let file: MeraFile = file.map_err(|error| DatasetFault::unreadable(&error))?;
        for record in &file.data {
            write_line(&mut out, record)?;
        }
    }
    Ok(out.flush()?)
}

/// The format of rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowFormat<'r> {
    /// Samples as we write them.
    Ours,
    Mapped(&'r Mapping),
    Published(PublishedDataset),
}

/// The result of unpacking a file of rows.
#[derive(Debug, Default)]
pub(super) struct UnpackedRows {
    /// For each line, the number of its row.
    pub numbers: Vec<u32>,
    /// Rows that are no sample, and why.
    pub problems: Vec<(u32, RecordError)>,
    /// Rows that are no test, which is no fault of theirs.
    pub n_left_out: u64,
}

/// Tells the kind of rows in a dataset's files; nothing where its files are read as they lie.
pub(super) fn rows_of(options: &DatasetOptions) -> Option<RowFormat<'_>> {
    let is_mapped = !options.fields.0.is_empty();
    match options.format {
        DatasetFormat::Parquet | DatasetFormat::Jsonl if is_mapped => {
            Some(RowFormat::Mapped(&options.fields))
        }
        DatasetFormat::Parquet => Some(RowFormat::Ours),
        DatasetFormat::TestGenEval => Some(RowFormat::Published(PublishedDataset::TestGenEval)),
        DatasetFormat::TestEval => Some(RowFormat::Published(PublishedDataset::TestEval)),
        DatasetFormat::CodeSearchNet => Some(RowFormat::Published(PublishedDataset::CodeSearchNet)),
        DatasetFormat::Jsonl
        | DatasetFormat::Methods2Test
        | DatasetFormat::Atlas
        | DatasetFormat::Mera => None,
    }
}

/// Writes the rows of a file as lines of our own. Where no row is a sample, the whole file is at fault.
pub(super) fn unpack_rows(
    path: &Path,
    lines: &Path,
    dataset: &str,
    rows: RowFormat<'_>,
) -> Result<UnpackedRows, DatasetFault> {
    let mut out = BufWriter::new(File::create(lines)?);
    let mut unpacked = UnpackedRows::default();
    each_in_file(path, |number, row| {
        let sample = row.and_then(|row| match rows {
            RowFormat::Ours => Ok(Some(row)),
            RowFormat::Mapped(fields) => fields.sample(dataset, &row).map(Some),
            RowFormat::Published(published) => published.sample(dataset, &row),
        });
        match sample {
            Ok(Some(sample)) => {
                unpacked.numbers.push(number);
                write_line(&mut out, &sample)?;
            }
            Ok(None) => unpacked.n_left_out += 1,
            Err(why) => unpacked.problems.push((number, why)),
        }
        Ok(())
    })?;
    let is_none = unpacked.numbers.is_empty() && unpacked.n_left_out == 0;
    if let Some((_, why)) = unpacked.problems.first().filter(|_| is_none) {
        let what = format!("none of its rows is a sample: {why}");
        return Err(DatasetFault::unreadable(&what));
    }
    out.flush()?;
    Ok(unpacked)
}
