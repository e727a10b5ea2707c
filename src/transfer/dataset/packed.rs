//! Files of MERA's records: which they are, and how those that hold no lines become some that do.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use crate::exchange::columns::{Mapping, each_row};
use crate::exchange::mera::{MeraFile, read_parquet};
use crate::exchange::{ParquetError, parse_from, write_line};

/// Files of an export that hold no records.
const NO_RECORDS: [&str; 2] = ["ids.jsonl", "manifest.json"];

/// A file with one object in it is read whole: only the benchmark's small splits are written so.
const WHOLE_BYTES_MAX: u64 = 1 << 30;

/// Returns whether a file of this name holds records.
pub(super) fn is_ours(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|it| it.1.to_ascii_lowercase());
    let is_known = matches!(extension.as_deref(), Some("jsonl" | "json" | "parquet"));
    is_known && !NO_RECORDS.contains(&name)
}

/// Returns the part of a file's stem that names the split: `test` of `test-00000-of-00001`. Examples belong to training.
pub(super) fn split_word(stem: &str) -> &str {
    match stem.split_once('-').map_or(stem, |it| it.0) {
        "shots" => "train",
        word => word,
    }
}

/// Returns whether a file must be unpacked into lines first.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|it| it != "jsonl")
}

/// Writes the records of a file as lines; a row that is none becomes a line that is none.
pub(super) fn unpack(path: &Path, lines: &Path) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    let mut out = BufWriter::new(File::create(lines).map_err(said)?);
    if path.extension().is_some_and(|it| it == "parquet") {
        read_parquet(path, |row| match row {
            Ok(record) => Ok(write_line(&mut out, &record)?),
            Err(detail) => Ok(write_line(&mut out, &detail)?),
        })
        .map_err(|error: ParquetError| error.to_string())?;
    } else {
        let size_bytes = fs::metadata(path).map_err(said)?.len();
        if size_bytes > WHOLE_BYTES_MAX {
            return Err(format!("the limit is {WHOLE_BYTES_MAX} bytes"));
        }
        let file = File::open(path).map_err(said)?;
        let file: MeraFile = parse_from(BufReader::new(file))?;
        for record in &file.data {
            write_line(&mut out, record).map_err(said)?;
        }
    }
    out.flush().map_err(said)
}

/// Writes the rows of a Parquet file as lines of our own; one that is no sample becomes a line that is none. Where no row is
/// one, the file is to blame.
pub(super) fn unpack_rows(path: &Path, lines: &Path, fields: &Mapping) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    let mut out = BufWriter::new(File::create(lines).map_err(said)?);
    let key_of = |row: &[u8]| blake3::hash(row).to_hex()[..32].to_owned();
    let (mut is_any, mut first) = (false, None);
    each_row(path, |row| {
        if fields.0.is_empty() {
            return Ok(write_line(&mut out, &row)?);
        }
        match fields.sample(&row, &key_of) {
            Ok(sample) => {
                is_any = true;
                Ok(write_line(&mut out, &sample)?)
            }
            Err(why) => {
                write_line(&mut out, &why)?;
                first.get_or_insert(why);
                Ok(())
            }
        }
    })
    .map_err(|error: ParquetError| error.to_string())?;
    if let Some(why) = first.filter(|_| !is_any) {
        return Err(format!("none of its rows is a sample: {why}"));
    }
    out.flush().map_err(said)
}
