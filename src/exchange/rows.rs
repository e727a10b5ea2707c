//! Rows of a published file of any kind: Parquet, JSON lines or a JSON array, packed by gzip or not. Its first bytes
//! tell which, not its name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::columns::each_row;
use super::records::{RecordError, RecordLayout, each_record};
use super::split_files::ParquetError;

/// The most bytes of a packed file once it is unpacked; the largest published ones have some.
const UNPACKED_BYTES_MAX: u64 = 64 << 30;

/// Hands every row to `each` with its number: the line where it begins, or its place in a Parquet file, from 1. A
/// broken row comes as its problem.
///
/// # Errors
/// The disk's, a damaged file, and those of `each`.
pub fn each_in_file(
    path: &Path,
    mut each: impl FnMut(u32, Result<Value, RecordError>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut input = BufReader::new(File::open(path)?);
    let start = input.fill_buf()?;
    if start.starts_with(b"PAR1") {
        let mut number = 0_u32;
        return each_row(path, |row| {
            number = number.saturating_add(1);
            each(number, Ok(row))
        });
    }
    let mut input: Box<dyn BufRead> = if start.starts_with(b"\x1f\x8b") {
        let unpacked = BoundedReader {
            inner: MultiGzDecoder::new(input),
            n_left: UNPACKED_BYTES_MAX,
        };
        Box::new(BufReader::new(unpacked))
    } else {
        Box::new(input)
    };
    each_record(&mut *input, RecordLayout::Json, |record| {
        each(record.line, record.fields.map(Value::Object))
    })
}

/// Ends with an error where there is more to read than `n_left` bytes.
pub(super) struct BoundedReader<R> {
    pub inner: R,
    pub n_left: u64,
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.inner.read(buffer)?;
        self.n_left = (self.n_left.checked_sub(n_read as u64))
            .ok_or_else(|| io::Error::other("unpacks to more than the limit"))?;
        Ok(n_read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn check(bytes: &[u8], expected: &[(u32, Result<&str, &str>)]) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("rows");
        fs::write(&path, bytes).expect("tests may write");
        let mut found = Vec::new();
        let read = each_in_file(&path, |number, row| {
            let row = row.map(|value| value.to_string());
            found.push((number, row.map_err(|error| error.to_string())));
            Ok(())
        });
        let seen: Vec<_> = found
            .iter()
            .map(|(number, row)| (*number, row.as_deref().map_err(String::as_str)))
            .collect();
        assert_eq!(seen, expected);
        read.map_err(|error| error.to_string())
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(text.as_bytes()).expect("memory takes it");
        packed.finish().expect("memory takes it")
    }

    #[test]
    fn rows_are_read_by_what_the_file_is() {
        let text = "{\"a\":1}\n\nno\n{\"a\":2}\n";
        let rows = [
            (1, Ok("{\"a\":1}")),
            (3, Err("not json: expected ident at column 2")),
            (4, Ok("{\"a\":2}")),
        ];
        assert_eq!(check(text.as_bytes(), &rows), Ok(()));
        assert_eq!(check(&packed(text), &rows), Ok(()));
        assert_eq!(
            check(b"[{\"a\":1},\n{\"a\":2}]", &[rows[0], (2, rows[2].1)]),
            Ok(())
        );
        // A file that was cut off has the rows that are there.
        let whole = packed(text);
        assert!(check(&whole[..whole.len() - 9], &rows[..2]).is_err());
        assert!(check(b"PAR1 it says", &[]).is_err());
    }

    #[test]
    fn a_bomb_is_judged_by_what_it_unpacks_to() {
        let text = packed(&"0".repeat(1 << 16));
        let mut bounded = BoundedReader {
            inner: MultiGzDecoder::new(&text[..]),
            n_left: 1 << 15,
        };
        let error = io::copy(&mut bounded, &mut io::sink()).expect_err("it is too large");
        assert_eq!(error.to_string(), "unpacks to more than the limit");
    }
}
