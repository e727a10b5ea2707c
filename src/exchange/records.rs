//! Objects one after the other out of a file: JSON lines, one JSON array, or CSV with a header.
//!
//! Memory holds one object at a time. An object that cannot be read is reported with its line, and the next one is
//! tried; only a failing disk ends the file.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

mod error;
mod rows;

pub use error::{NeededValue, RecordError, kind};

use rows::each_row;

/// An object's fields by name.
pub type Fields = Map<String, Value>;

/// The name of a list of texts in the place of an object: answers without a name, as bigcode's harness writes them for
/// a task.
pub const GENERATIONS: &str = "generations";

/// A longer object is not read: it is no prediction, and it must not fill the memory.
const OBJECT_BYTES_MAX: usize = 64 << 20;

/// How a file holds its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordLayout {
    /// An object a line, or one array of objects: whichever the first character says.
    Json,
    /// A header and a row for each object; every value is text.
    Csv,
}

/// One object, or the problem with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where it begins, from 1.
    pub line: u32,
    pub fields: Result<Fields, RecordError>,
}

impl Record {
    /// Returns the text in a field; several texts where it is a list.
    #[must_use]
    pub fn text(self, name: &str) -> Vec<String> {
        let value = self.fields.ok().and_then(|mut fields| fields.remove(name));
        let texts = match value {
            Some(Value::Array(list)) => list,
            Some(value) => vec![value],
            None => Vec::new(),
        };
        let texts = texts.into_iter().filter_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }
}

/// Finds the value at a path such as `metadata.key`; a field whose name has dots comes before the fields below one.
#[must_use]
pub fn at<'f>(fields: &'f Fields, path: &str) -> Option<&'f Value> {
    if let Some(value) = fields.get(path) {
        return Some(value);
    }
    let mut steps = path.split('.');
    let first = fields.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

/// Hands every object of `input` to `each`, in order. Stops at the first error, the caller's or the disk's.
pub fn each_record<E: From<io::Error>>(
    input: &mut dyn BufRead,
    layout: RecordLayout,
    each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    each_record_with(input, layout, &[], each)
}

/// Reads as [`each_record`] does; a CSV whose first line names none of `columns` has no header, and only that is
/// reported.
pub fn each_record_with<E: From<io::Error>>(
    input: &mut dyn BufRead,
    layout: RecordLayout,
    columns: &[&str],
    each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    if is_utf_16(input)? {
        // Line ends and quotes have other bytes in it, so nothing can be read.
        let mut each = each;
        return each(Record {
            line: 1,
            fields: Err(RecordError::Utf16),
        });
    }
    match layout {
        RecordLayout::Csv => each_row(input, columns, each),
        RecordLayout::Json => match first_sign(input)? {
            Some(b'[') => each_element(input, each),
            _ => each_line(input, each),
        },
    }
}

/// Tells whether the file begins with a byte order mark of UTF-16.
fn is_utf_16(input: &mut dyn BufRead) -> io::Result<bool> {
    // Nothing that is read as JSON or CSV begins with another character than one of ASCII.
    Ok(matches!(
        input.fill_buf()?,
        [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, ..]
    ))
}

/// Finds the first byte in the buffer that is no white space and no byte order mark; leaves all of it unread.
fn first_sign(input: &mut dyn BufRead) -> io::Result<Option<u8>> {
    let buffer = input.fill_buf()?;
    let text = buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(buffer);
    Ok(text
        .iter()
        .copied()
        .find(|byte| !byte.is_ascii_whitespace()))
}

fn each_line<E: From<io::Error>>(
    input: &mut dyn BufRead,
    mut each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = LineReader::new(input);
    while let Some((number, line)) = lines.next()? {
        let fields = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => object(line.as_bytes()),
            Err(error) => Err(error),
        };
        each(Record {
            line: number,
            fields,
        })?;
    }
    Ok(())
}

/// Lines of a file, one in memory at a time.
pub struct LineReader<'i> {
    input: &'i mut dyn BufRead,
    buffer: Vec<u8>,
    number: u32,
}

impl<'i> LineReader<'i> {
    pub fn new(input: &'i mut dyn BufRead) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// Reads the number (from 1) and the text of the next line, without its end, or the reason why it has no text.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it lends is gone with the next line, which an iterator cannot say"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u32, Result<&str, RecordError>)>> {
        self.buffer.clear();
        let mut limited = io::Read::take(&mut *self.input, OBJECT_BYTES_MAX as u64);
        if limited.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.buffer.len() == OBJECT_BYTES_MAX && self.buffer.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
            return Ok(Some((self.number, Err(TOO_LONG))));
        }
        let mut line: &[u8] = &self.buffer;
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = str::from_utf8(line).map_err(RecordError::not_utf8);
        Ok(Some((self.number, line)))
    }
}

const TOO_LONG: RecordError = RecordError::TooLong {
    bytes_max: OBJECT_BYTES_MAX,
};

/// Decodes a line of a list, without byte order marks and white space around it.
///
/// # Errors
/// It is no UTF-8.
pub fn line_text(line: &[u8]) -> Result<&str, RecordError> {
    let text = str::from_utf8(line).map_err(RecordError::not_utf8)?;
    Ok(text.trim_start_matches('\u{feff}').trim())
}

/// Reads one object.
pub(crate) fn object(text: &[u8]) -> Result<Fields, RecordError> {
    let text = str::from_utf8(text).map_err(RecordError::not_utf8)?;
    // Its own line numbers count from the object's beginning.
    match serde_json::from_str(text).map_err(|error| RecordError::from(error).without_line())? {
        Value::Object(fields) => Ok(fields),
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_string) => {
            let fields = [(GENERATIONS.to_owned(), Value::Array(list))];
            Ok(Fields::from_iter(fields))
        }
        other => Err(RecordError::NotAnObject {
            found: kind(&other),
        }),
    }
}

/// Reads the text at a path.
///
/// # Errors
/// There is no such field, or no text in it.
pub fn text_at<'f>(fields: &'f Fields, path: &str) -> Result<&'f str, RecordError> {
    match at(fields, path) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(RecordError::other(path, other, NeededValue::Text)),
        None => Err(RecordError::missing_in(fields, path)),
    }
}

/// Reads the text or the number at a path.
///
/// # Errors
/// There is no such field, or neither in it.
pub fn id_at(fields: &Fields, path: &str) -> Result<String, RecordError> {
    match at(fields, path) {
        Some(Value::String(id)) if !id.is_empty() => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        Some(other) => Err(RecordError::other(path, other, NeededValue::Id)),
        None => Err(RecordError::missing_in(fields, path)),
    }
}

/// Reads the number at a path, whole and not negative; CSV writes it as text.
///
/// # Errors
/// There is no such field, or no such number in it.
pub fn count_at(fields: &Fields, path: &str) -> Result<u32, RecordError> {
    let value = at(fields, path).ok_or_else(|| RecordError::missing_in(fields, path))?;
    let count = match value {
        Value::String(digits) => digits.parse().ok(),
        value => value.as_u64().and_then(|n| n.try_into().ok()),
    };
    count.ok_or_else(|| RecordError::other(path, value, NeededValue::Count))
}

/// Where a scan of an array is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrayScanState {
    Before,
    Between,
    /// In an element, inside this number of brackets.
    Element(usize),
    Text(usize),
    Escape(usize),
    After,
}

/// Cuts an array into its elements by brackets and quotes alone, so that a broken element is one broken element.
fn each_element<E: From<io::Error>>(
    input: &mut dyn BufRead,
    mut each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut place = ArrayScanState::Before;
    let mut element = Vec::new();
    let (mut line, mut first_line) = (1, 1);
    let mut is_too_long = false;
    // Where something follows the list.
    let mut rest = None;
    loop {
        let buffer = input.fill_buf()?;
        let n_read = buffer.len();
        if n_read == 0 {
            break;
        }
        for byte in buffer.iter().copied() {
            let next = step(place, byte);
            let is_end = matches!(place, ArrayScanState::Element(_))
                && matches!(next, ArrayScanState::Between | ArrayScanState::After);
            if is_end {
                let fields = if is_too_long {
                    Err(TOO_LONG)
                } else {
                    object(&element)
                };
                each(Record {
                    line: first_line,
                    fields,
                })?;
                element.clear();
                is_too_long = false;
            } else if matches!(
                next,
                ArrayScanState::Element(_) | ArrayScanState::Text(_) | ArrayScanState::Escape(_)
            ) {
                if place == ArrayScanState::Between {
                    first_line = line;
                }
                is_too_long |= element.len() >= OBJECT_BYTES_MAX;
                if !is_too_long {
                    element.push(byte);
                }
            }
            if place == ArrayScanState::After && !byte.is_ascii_whitespace() {
                rest.get_or_insert(line);
            }
            line += u32::from(byte == b'\n');
            place = next;
        }
        input.consume(n_read);
    }
    if let Some(line) = rest {
        each(Record {
            line,
            fields: Err(RecordError::BehindList),
        })?;
    }
    if place != ArrayScanState::After {
        each(Record {
            line: if element.is_empty() { line } else { first_line },
            fields: Err(RecordError::OpenList),
        })?;
    }
    Ok(())
}

/// Advances the scan by one byte.
fn step(place: ArrayScanState, byte: u8) -> ArrayScanState {
    match (place, byte) {
        (ArrayScanState::Before, b'[')
        | (ArrayScanState::Between | ArrayScanState::Element(0), b',') => ArrayScanState::Between,
        (ArrayScanState::Between, byte) if byte.is_ascii_whitespace() => ArrayScanState::Between,
        (ArrayScanState::Between | ArrayScanState::Element(0), b']') => ArrayScanState::After,
        (ArrayScanState::Between, b'"') => ArrayScanState::Text(0),
        (ArrayScanState::Between, b'{' | b'[') => ArrayScanState::Element(1),
        (ArrayScanState::Between, _) => ArrayScanState::Element(0),
        (ArrayScanState::Element(depth), b'{' | b'[') => ArrayScanState::Element(depth + 1),
        (ArrayScanState::Element(depth), b'}' | b']') => {
            ArrayScanState::Element(depth.saturating_sub(1))
        }
        (ArrayScanState::Element(depth), b'"') | (ArrayScanState::Escape(depth), _) => {
            ArrayScanState::Text(depth)
        }
        (ArrayScanState::Text(depth), b'"') => ArrayScanState::Element(depth),
        (ArrayScanState::Text(depth), b'\\') => ArrayScanState::Escape(depth),
        (
            ArrayScanState::Before
            | ArrayScanState::After
            | ArrayScanState::Element(_)
            | ArrayScanState::Text(_),
            _,
        ) => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: impl AsRef<[u8]>, layout: RecordLayout, expected: &[(u32, Result<&str, &str>)]) {
        let mut found = Vec::new();
        each_record(&mut text.as_ref(), layout, |record| {
            found.push(record);
            Ok::<_, io::Error>(())
        })
        .expect("memory does not fail");
        check_records(found, expected);
    }

    /// Compares records with their lines, and their objects or the problems with them in words.
    pub(super) fn check_records(found: Vec<Record>, expected: &[(u32, Result<&str, &str>)]) {
        let words = |record: Record| {
            let fields = record.fields.map(|field| Value::Object(field).to_string());
            (record.line, fields.map_err(|error| error.to_string()))
        };
        let found: Vec<_> = found.into_iter().map(words).collect();
        let owned = |words: &str| words.to_owned();
        let expected = expected.iter();
        let expected: Vec<_> = expected
            .map(|(line, fields)| (*line, fields.map(owned).map_err(owned)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_objects_and_broken_ones_are_told() {
        check(
            b"\xef\xbb\xbf{\"a\":1}\r\n\n[1]\n{\"a\":\n\xff\n{\"b\":2}",
            RecordLayout::Json,
            &[
                (1, Ok(r#"{"a":1}"#)),
                (3, Err("expected an object, found a list")),
                (4, Err("ends in the middle of an object")),
                (5, Err("not utf-8 at byte 1")),
                (6, Ok(r#"{"b":2}"#)),
            ],
        );
    }

    #[test]
    fn an_array_is_cut_into_elements_with_their_lines() {
        check(
            "\n[ {\"a\": \"}]\\\"\"},\n {\"b\": [1, {}]} , 7,\n{\"c\" 1}]",
            RecordLayout::Json,
            &[
                (2, Ok(r#"{"a":"}]\""}"#)),
                (3, Ok(r#"{"b":[1,{}]}"#)),
                (3, Err("expected an object, found a number")),
                (4, Err("not json: expected `:` at column 6")),
            ],
        );
    }

    #[test]
    fn an_array_without_an_end_keeps_what_it_has() {
        check(
            "[{\"a\":1},\n{\"b\":",
            RecordLayout::Json,
            &[(1, Ok(r#"{"a":1}"#)), (2, Err("the list does not end"))],
        );
    }

    #[test]
    fn what_follows_an_array_is_told() {
        check(
            "[{\"a\":1}]\n\n{\"b\":2}\n{\"c\":3}",
            RecordLayout::Json,
            &[
                (1, Ok(r#"{"a":1}"#)),
                (3, Err("something follows the list")),
            ],
        );
        check("[]\n \n", RecordLayout::Json, &[]);
    }

    #[test]
    fn nothing_is_no_record() {
        check("", RecordLayout::Json, &[]);
        check("", RecordLayout::Csv, &[]);
        check(" \n \n", RecordLayout::Json, &[]);
    }
}
