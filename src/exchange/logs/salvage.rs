//! The whole members of a zip archive that was cut off: its list of members stood at the end and is gone, so they are
//! found one after the other by their local headers.
//!
//! Decides where a member ends whose length is not given before it: where its compressed data ends. Only members that
//! are there to their last byte are taken; the reader of one finds damage by its sum.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use rawzip::CompressionMethod;

use super::super::rows::BoundedReader;

/// The marks before a member, and behind one whose length was not known before.
const HEAD: [u8; 4] = *b"PK\x03\x04";
const BEHIND: [u8; 4] = *b"PK\x07\x08";
/// The mark at the beginning of the list of members.
const LIST: [u8; 4] = *b"PK\x01\x02";
/// The fixed part of a local file header (APPNOTE 4.3.7).
const HEAD_BYTES: usize = 30;
/// The flag of a member whose sizes are given behind it.
const SIZES_BEHIND: u16 = 8;
/// The part of a head that has sizes of more than 32 bits.
const LONG_SIZES: u16 = 1;

/// Where a member lies that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedMember {
    start: u64,
    n_bytes: u64,
    /// The sum of its unpacked data, where it is given.
    sum: Option<u32>,
}

/// A member that is whole.
#[derive(Debug)]
pub struct WholeMember {
    pub name: String,
    pub method: CompressionMethod,
    pub packed: PackedMember,
}

/// Where an archive was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveCut {
    /// The member that is not whole; absent where the cut is between two.
    pub name: Option<String>,
}

/// Finds the whole members of an archive without a list, in their order, and the place where it was cut off. A member
/// whose end only its packing shows may unpack to at most `n_bytes_max`.
pub fn members(file: &File, n_bytes_max: u64) -> (Vec<WholeMember>, ArchiveCut) {
    let mut found = Vec::new();
    let mut at = 0;
    let name = loop {
        match next(file, at, n_bytes_max) {
            NextMember::Member(whole, end) => {
                found.push(whole);
                at = end;
            }
            NextMember::Part(name) => break Some(name),
            NextMember::Nothing => break None,
        }
    };
    (found, ArchiveCut { name })
}

enum NextMember {
    /// A member, and where the next one begins.
    Member(WholeMember, u64),
    /// One that is not whole.
    Part(String),
    Nothing,
}

fn next(file: &File, at: u64, n_bytes_max: u64) -> NextMember {
    let Some(head) = bytes::<HEAD_BYTES>(file, at).filter(|byte| byte.starts_with(&HEAD)) else {
        return NextMember::Nothing;
    };
    let (n_name, n_extra) = (u16_at(&head, 26), u16_at(&head, 28));
    let at = at + HEAD_BYTES as u64;
    let Some(name) = taken(file, at, n_name) else {
        return NextMember::Nothing;
    };
    let name = String::from_utf8_lossy(&name).into_owned();
    let at = at + u64::from(n_name);
    let Some(extra) = taken(file, at, n_extra) else {
        return NextMember::Part(name);
    };
    let start = at + u64::from(n_extra);
    let method = CompressionMethod::from(u16_at(&head, 8));
    let said = sizes(&head, &extra);
    let is_said_behind = u16_at(&head, 6) & SIZES_BEHIND != 0;
    let n_bytes = match said {
        0 if is_said_behind => measured(file, start, (method, n_bytes_max)),
        n_bytes => Some(n_bytes),
    };
    let end = n_bytes.and_then(|n_bytes| start.checked_add(n_bytes));
    let (Some(n_bytes), Some(end)) = (n_bytes, end.filter(|end| is_there(file, *end))) else {
        return NextMember::Part(name);
    };
    let (sum, end) = if is_said_behind {
        behind(file, end)
    } else {
        (Some(u32_at(&head, 14)), end)
    };
    let packed = PackedMember {
        start,
        n_bytes,
        sum,
    };
    let whole = WholeMember {
        name,
        method,
        packed,
    };
    NextMember::Member(whole, end)
}

/// Reads the packed size in a head; 0 where it is not given.
fn sizes(head: &[u8], extra: &[u8]) -> u64 {
    let (packed, plain) = (u32_at(head, 18), u32_at(head, 22));
    if packed != u32::MAX {
        return packed.into();
    }
    let mut rest = extra;
    while let Some((id, part)) = extra_part(&mut rest) {
        if id == LONG_SIZES {
            // The plain size comes first, where it is there.
            let before = if plain == u32::MAX { 8 } else { 0 };
            let bytes = part
                .get(before..before + 8)
                .and_then(|bytes| bytes.try_into().ok());
            return bytes.map_or(0, u64::from_le_bytes);
        }
    }
    packed.into()
}

fn extra_part<'e>(rest: &mut &'e [u8]) -> Option<(u16, &'e [u8])> {
    let (head, behind) = rest.split_at_checked(4)?;
    let (part, behind) = behind.split_at_checked(usize::from(u16_at(head, 2)))?;
    *rest = behind;
    Some((u16_at(head, 0), part))
}

/// Measures a member of unknown length: up to where its packing says that it ends.
fn measured(
    file: &File,
    start: u64,
    (method, n_bytes_max): (CompressionMethod, u64),
) -> Option<u64> {
    let mut packed = BufReader::new(FileSection::new(file, start, u64::MAX));
    let unpacked = |plain: &mut dyn Read| {
        let mut bounded = BoundedReader {
            inner: plain,
            n_left: n_bytes_max,
        };
        io::copy(&mut bounded, &mut io::sink()).ok()
    };
    match method {
        CompressionMethod::DEFLATE => {
            let mut plain = DeflateDecoder::new(packed);
            unpacked(&mut plain)?;
            Some(plain.total_in())
        }
        CompressionMethod::ZSTD => {
            let mut plain = zstd::Decoder::with_buffer(&mut packed).ok()?.single_frame();
            unpacked(&mut plain)?;
            drop(plain);
            let n_ahead = packed.buffer().len() as u64;
            Some(packed.get_ref().n_read - n_ahead)
        }
        _ => None,
    }
}

/// Reads the sum behind a member, and the end of the sum. A part that is cut off there is not missed.
fn behind(file: &File, at: u64) -> (Option<u32>, u64) {
    let is_marked = bytes::<4>(file, at) == Some(BEHIND);
    let n_mark = if is_marked { 4 } else { 0 };
    let sum = bytes::<4>(file, at + n_mark).map(u32::from_le_bytes);
    // The sizes have 32 bits each, or 64.
    let ends = [12, 20].map(|n| at + n_mark + n);
    let is_end = |end: &u64| {
        let next = bytes::<4>(file, *end);
        next == Some(HEAD) || next == Some(LIST)
    };
    let end = ends.into_iter().find(is_end);
    (sum, end.unwrap_or(ends[0]))
}

impl PackedMember {
    /// Opens the packed data.
    pub fn of<'f>(&self, file: &'f File) -> BufReader<FileSection<'f>> {
        BufReader::new(FileSection::new(file, self.start, self.n_bytes))
    }

    /// Makes a reader of the unpacked data that fails at its end where the sum differs.
    pub fn checked<R: Read>(&self, plain: R) -> ChecksumReader<R> {
        ChecksumReader {
            plain,
            sum: Crc::new(),
            expected: self.sum,
        }
    }
}

/// A part of a file.
pub struct FileSection<'f> {
    file: &'f File,
    start: u64,
    n_bytes: u64,
    n_read: u64,
}

impl<'f> FileSection<'f> {
    const fn new(file: &'f File, start: u64, n_bytes: u64) -> Self {
        Self {
            file,
            start,
            n_bytes,
            n_read: 0,
        }
    }
}

impl Read for FileSection<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_left = self.n_bytes - self.n_read;
        let n_bytes = usize::try_from(n_left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let n_read = self
            .file
            .read_at(&mut buffer[..n_bytes], self.start + self.n_read)?;
        self.n_read += n_read as u64;
        Ok(n_read)
    }
}

/// The unpacked data of a member, with its sum.
pub struct ChecksumReader<R> {
    plain: R,
    sum: Crc,
    expected: Option<u32>,
}

impl<R: Read> Read for ChecksumReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.plain.read(buffer)?;
        self.sum.update(&buffer[..n_read]);
        let is_over = n_read == 0 && !buffer.is_empty();
        if is_over
            && self
                .expected
                .is_some_and(|expected| expected != self.sum.sum())
        {
            return Err(io::Error::other("is damaged: its checksum differs"));
        }
        Ok(n_read)
    }
}

fn bytes<const N: usize>(file: &File, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

fn taken(file: &File, at: u64, n_bytes: u16) -> Option<Vec<u8>> {
    let mut bytes = vec![0; n_bytes.into()];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// Tells whether a file has all bytes up to there.
fn is_there(file: &File, end: u64) -> bool {
    file.metadata().is_ok_and(|metadata| end <= metadata.len())
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests;
