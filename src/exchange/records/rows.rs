//! Rows of CSV as objects: every value is text, under the name that the header gives its column.
//!
//! Decides which row is no header, and which has no end. The readers of objects check the values.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::{Fields, Record, RecordError};

/// Hands every row of `input` to `each`. Where the first line names none of `columns`, only that is reported; without
/// `columns` any first line is a header.
pub(super) fn each_row<E: From<io::Error>>(
    input: &mut dyn BufRead,
    columns: &[&str],
    mut each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let quotes = Quotes::new(input);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(quotes);
    let header = reader.byte_headers().map_err(io::Error::other)?;
    let header: Vec<String> = header.iter().map(column).collect();
    let end = reader.position().byte();
    if let Some(unclosed) = reader.get_ref().unclosed(0, end) {
        return each(unclosed);
    }
    let is_header =
        columns.is_empty() || header.iter().any(|text| columns.contains(&text.as_str()));
    if !is_header && !header.is_empty() {
        let needed = columns.iter().map(|column| (*column).to_owned()).collect();
        return each(Record {
            line: 1,
            fields: Err(RecordError::NoHeader {
                needed,
                found: header,
            }),
        });
    }
    let mut row = csv::ByteRecord::new();
    while reader
        .read_byte_record(&mut row)
        .map_err(io::Error::other)?
    {
        let start = row.position().map_or(0, csv::Position::byte);
        let line = row.position().map_or(0, csv::Position::line);
        let end = reader.position().byte();
        let record = match reader.get_ref().unclosed(start, end) {
            Some(unclosed) => unclosed,
            None => Record {
                line: u32::try_from(line).unwrap_or(u32::MAX),
                fields: fields_of_row(&header, &row),
            },
        };
        each(record)?;
    }
    Ok(())
}

fn column(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.trim_start_matches('\u{feff}').to_owned()
}

fn fields_of_row(header: &[String], row: &csv::ByteRecord) -> Result<Fields, RecordError> {
    if row.len() != header.len() {
        return Err(RecordError::RowWidth {
            n_values: row.len(),
            n_columns: header.len(),
        });
    }
    header
        .iter()
        .zip(row)
        .map(|(name, value)| match str::from_utf8(value) {
            Ok(value) => Ok((name.clone(), Value::String(value.to_owned()))),
            Err(error) => Err(RecordError::not_utf8(error).within(name)),
        })
        .collect()
}

/// Where in a value a scan of CSV is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CsvScanState {
    Before,
    Plain,
    Quoted,
    /// Behind a quote in a quoted value: its end, or the first half of a quote that belongs to it.
    Quote,
}

/// Follows the quotes in the data read through it: the reader of CSV silently ends a value whose quote is never closed
/// with the file.
struct Quotes<'i> {
    input: &'i mut dyn BufRead,
    place: CsvScanState,
    n_bytes: u64,
    n_lines: u32,
    /// Where the last quoted value began: how many bytes before it, and its line from 1.
    opened: (u64, u32),
    /// The line of the last byte, from 1.
    last_line: u32,
    is_at_end: bool,
}

impl<'i> Quotes<'i> {
    fn new(input: &'i mut dyn BufRead) -> Self {
        Self {
            input,
            place: CsvScanState::Before,
            n_bytes: 0,
            n_lines: 0,
            opened: (0, 1),
            last_line: 1,
            is_at_end: false,
        }
    }

    fn step(&mut self, byte: u8) {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        self.last_line = self.n_lines + 1;
        // The reader of CSV reads a byte order mark away.
        let is_mark = usize::try_from(self.n_bytes).is_ok_and(|n| MARK.get(n) == Some(&byte));
        if self.place == CsvScanState::Before && byte == b'"' {
            self.opened = (self.n_bytes, self.last_line);
        }
        self.place = match (self.place, byte) {
            (CsvScanState::Quoted, b'"') => CsvScanState::Quote,
            (CsvScanState::Before | CsvScanState::Quote, b'"') | (CsvScanState::Quoted, _) => {
                CsvScanState::Quoted
            }
            (_, b',' | b'\n' | b'\r') => CsvScanState::Before,
            (place, _) if is_mark => place,
            (CsvScanState::Before | CsvScanState::Plain | CsvScanState::Quote, _) => {
                CsvScanState::Plain
            }
        };
        self.n_bytes += 1;
        self.n_lines += u32::from(byte == b'\n');
    }

    /// Describes the problem of the row between two offsets if it holds a quote that was not closed until the end of
    /// the file.
    fn unclosed(&self, start: u64, end: u64) -> Option<Record> {
        let (offset, line) = self.opened;
        let is_open = self.is_at_end && self.place == CsvScanState::Quoted;
        (is_open && (start..end).contains(&offset)).then_some(Record {
            line,
            fields: Err(RecordError::OpenQuote {
                last_line: self.last_line,
            }),
        })
    }
}

impl Read for Quotes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.input.read(buffer)?;
        self.is_at_end = n_read == 0;
        for byte in &buffer[..n_read] {
            self.step(*byte);
        }
        Ok(n_read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: impl AsRef<[u8]>, columns: &[&str], expected: &[(u32, Result<&str, &str>)]) {
        let mut found = Vec::new();
        each_row(&mut text.as_ref(), columns, |record| {
            found.push(record);
            Ok::<_, io::Error>(())
        })
        .expect("memory does not fail");
        crate::records::tests::check_records(found, expected);
    }

    #[test]
    fn rows_have_the_header_s_names() {
        check(
            b"id,text\n1,\"a, \"\"b\"\"\nc\"\n2\n3,\xff\n",
            &[],
            &[
                (2, Ok(r#"{"id":"1","text":"a, \"b\"\nc"}"#)),
                (4, Err("1 values where the header has 2")),
                (5, Err("`text`: not utf-8 at byte 1")),
            ],
        );
        check("", &["id"], &[]);
    }

    #[test]
    fn a_first_line_that_is_no_header_is_told_with_the_columns() {
        let expected = "line 1 is not a header: it must name the columns `id` and `text`, separated by `,`, and has `1` `a`";
        let columns = ["id", "text"];
        check("1,a", &columns, &[(1, Err(expected))]);
        check("1,a\n2,b\n3,c\n", &columns, &[(1, Err(expected))]);
        check(
            "1;a\n2;b\n",
            &["text"],
            &[(
                1,
                Err(
                    "line 1 is not a header: it must name the column `text`, separated by `,`, and has `1;a`",
                ),
            )],
        );
        // A header may lack a column: the reader of the records reports it for each row.
        check("id,b\n1,2\n", &columns, &[(2, Ok(r#"{"b":"2","id":"1"}"#))]);
    }

    #[test]
    fn a_quote_without_an_end_is_told_with_what_it_takes_in() {
        let unclosed = |line, last: u32| {
            let detail = format!(
                "a quote begins here and is never closed, so everything up to line {last} is one value"
            );
            (line, detail)
        };
        let (line, detail) = unclosed(3, 5);
        check(
            "id,text\n1,\"a\"\n2,\"b;\n3,c\n4,d\n",
            &[],
            &[(2, Ok(r#"{"id":"1","text":"a"}"#)), (line, Err(&detail))],
        );
        let (line, detail) = unclosed(1, 2);
        check("\u{feff}\"id,text\n1,a", &[], &[(line, Err(&detail))]);
        // A quote inside of a value is a character like others, and two are one.
        check(
            "id,text\n1,a \"b\n2,\"\"\"c\"",
            &[],
            &[
                (2, Ok(r#"{"id":"1","text":"a \"b"}"#)),
                (3, Ok(r#"{"id":"2","text":"\"c"}"#)),
            ],
        );
    }
}
