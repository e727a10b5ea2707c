//! One pack: its table of names, and objects in it, many of them written as differences to others.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use flate2::bufread::ZlibDecoder;

use crate::held::Root;

use crate::DamagedRepository;
use crate::bytes::Bytes;
use crate::hash::{HashKind, Id};

use super::{OBJECT_BYTES_MAX, Object, ObjectKind};

/// The table of a pack counts objects by the first byte of their names.
const N_FIRST_BYTES: usize = 256;
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];

/// A pack whose files are open; objects are read where they are asked for.
#[derive(Debug)]
pub struct Pack {
    hash: HashKind,
    table: File,
    objects: File,
    is_first_version: bool,
    /// How many names begin with at most this byte.
    counts: Vec<u32>,
}

/// The entry at an offset of a pack.
pub enum Content {
    Whole(Object),
    Delta { base: Base, delta: Vec<u8> },
}

/// The base that a difference is applied to.
pub enum Base {
    /// The object that begins this number of bytes earlier.
    Before(u64),
    Named(Id),
}

impl Pack {
    /// Opens a pack by the name that its two files share.
    pub fn open(folder: &Root, stem: &str, hash: HashKind) -> Result<Self, DamagedRepository> {
        let table = folder.open_file(format!("{stem}.idx"))?;
        let objects = folder.open_file(format!("{stem}.pack"))?;
        let mut start = [0; MAGIC.len()];
        table.read_exact_at(&mut start, 0)?;
        let is_first_version = start[..4] != MAGIC[..4];
        if !is_first_version && start != MAGIC {
            return Err(DamagedRepository);
        }
        let mut bytes = vec![0; N_FIRST_BYTES * 4];
        let at = if is_first_version { 0 } else { 8 };
        table.read_exact_at(&mut bytes, at)?;
        let mut bytes = Bytes(&bytes);
        let counts: Vec<u32> = (0..N_FIRST_BYTES)
            .map(|_| bytes.u32())
            .collect::<Result<_, _>>()?;
        if !counts.is_sorted() {
            return Err(DamagedRepository);
        }
        Ok(Self {
            hash,
            table,
            objects,
            is_first_version,
            counts,
        })
    }

    /// Finds the place of an object; nothing where the pack does not have it.
    pub fn find(&self, id: Id) -> Result<Option<u64>, DamagedRepository> {
        let first = usize::from(id.as_bytes()[0]);
        let mut low = first.checked_sub(1).map_or(0, |before| self.counts[before]);
        let mut high = self.counts[first];
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle)?.cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset(middle).map(Some),
            }
        }
        Ok(None)
    }

    fn name(&self, number: u32) -> Result<Id, DamagedRepository> {
        let n_bytes = self.hash.n_bytes();
        let number = u64::from(number);
        let at = if self.is_first_version {
            1024 + number * (4 + n_bytes as u64) + 4
        } else {
            1032 + number * n_bytes as u64
        };
        let mut name = vec![0; n_bytes];
        self.table.read_exact_at(&mut name, at)?;
        Id::of(&name).ok_or(DamagedRepository)
    }

    fn offset(&self, number: u32) -> Result<u64, DamagedRepository> {
        let n_bytes = self.hash.n_bytes() as u64;
        let number = u64::from(number);
        if self.is_first_version {
            return self.u32_at(1024 + number * (4 + n_bytes)).map(u64::from);
        }
        let n_objects = u64::from(self.counts[N_FIRST_BYTES - 1]);
        let offsets = 1032 + n_objects * (n_bytes + 4);
        let offset = self.u32_at(offsets + number * 4)?;
        if offset & 0x8000_0000 == 0 {
            return Ok(u64::from(offset));
        }
        // Offsets from two gibibytes on are in a second table.
        let at = offsets + n_objects * 4 + u64::from(offset & 0x7fff_ffff) * 8;
        let mut bytes = [0; 8];
        self.table.read_exact_at(&mut bytes, at)?;
        Ok(u64::from_be_bytes(bytes))
    }

    fn u32_at(&self, at: u64) -> Result<u32, DamagedRepository> {
        let mut bytes = [0; 4];
        self.table.read_exact_at(&mut bytes, at)?;
        Ok(u32::from_be_bytes(bytes))
    }

    /// Reads the object or the difference at an offset.
    pub fn read(&self, offset: u64) -> Result<Content, DamagedRepository> {
        let mut header = [0; 64];
        let n_read = read_some_at(&self.objects, &mut header, offset)?;
        let mut bytes = Bytes(&header[..n_read]);
        let first = bytes.u8()?;
        let mut size = u64::from(first & 0x0f);
        if first & 0x80 != 0 {
            let high = bytes.size()?;
            if high >> 59 != 0 {
                return Err(DamagedRepository);
            }
            size |= high << 4;
        }
        let base = match first >> 4 & 7 {
            6 => Some(Base::Before(bytes.distance()?)),
            7 => {
                let id = Id::of(bytes.take(self.hash.n_bytes())?);
                Some(Base::Named(id.ok_or(DamagedRepository)?))
            }
            _ => None,
        };
        let at = offset + (n_read - bytes.0.len()) as u64;
        let content = self.inflate(at, size)?;
        let kind = match (base, first >> 4 & 7) {
            (Some(base), _) => {
                let delta = content;
                return Ok(Content::Delta { base, delta });
            }
            (None, 1) => ObjectKind::Commit,
            (None, 2) => ObjectKind::Tree,
            (None, 3) => ObjectKind::Blob,
            (None, 4) => ObjectKind::Tag,
            (None, _) => return Err(DamagedRepository),
        };
        Ok(Content::Whole(Object {
            kind,
            content: content.into(),
        }))
    }

    fn inflate(&self, at: u64, size: u64) -> Result<Vec<u8>, DamagedRepository> {
        if size > OBJECT_BYTES_MAX {
            return Err(DamagedRepository);
        }
        let from = PackReader {
            file: &self.objects,
            at,
        };
        let mut inflated = Vec::new();
        ZlibDecoder::new(BufReader::with_capacity(4096, from))
            .take(size + 1)
            .read_to_end(&mut inflated)?;
        if inflated.len() as u64 == size {
            Ok(inflated)
        } else {
            Err(DamagedRepository)
        }
    }
}

/// Reads a file from an offset on; several readers may share the file.
struct PackReader<'a> {
    file: &'a File,
    at: u64,
}

impl Read for PackReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.file.read_at(buffer, self.at)?;
        self.at += n_read as u64;
        Ok(n_read)
    }
}

/// Reads as much as there is, up to the buffer's length.
fn read_some_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut n_read = 0;
    let mut from = PackReader { file, at };
    while n_read < buffer.len() {
        match from.read(&mut buffer[n_read..])? {
            0 => break,
            n => n_read += n,
        }
    }
    Ok(n_read)
}

/// Makes an object out of another one and a difference: ranges to copy, and bytes to put between.
pub fn apply(base: &[u8], delta: &[u8]) -> Result<Vec<u8>, DamagedRepository> {
    let mut bytes = Bytes(delta);
    let base_size = bytes.size()?;
    let size = bytes.size()?;
    if base_size != base.len() as u64 || size > OBJECT_BYTES_MAX {
        return Err(DamagedRepository);
    }
    let size = size as usize;
    let mut made = Vec::new();
    while !bytes.0.is_empty() {
        let op = bytes.u8()?;
        if op == 0 {
            return Err(DamagedRepository);
        }
        if op & 0x80 == 0 {
            made.extend_from_slice(bytes.take(usize::from(op))?);
        } else {
            // Each of the low seven bits says that a byte of the place (four) or the length (three) follows.
            let mut number = |bits: u8, first: u8| -> Result<usize, DamagedRepository> {
                let mut value = 0;
                for idx in (0..bits).filter(|idx| op >> (first + idx) & 1 == 1) {
                    value |= usize::from(bytes.u8()?) << (8 * idx);
                }
                Ok(value)
            };
            let at = number(4, 0)?;
            let length = match number(3, 4)? {
                0 => 0x10000,
                length => length,
            };
            let end = at.checked_add(length).ok_or(DamagedRepository)?;
            made.extend_from_slice(base.get(at..end).ok_or(DamagedRepository)?);
        }
        if made.len() > size {
            return Err(DamagedRepository);
        }
    }
    if made.len() == size {
        Ok(made)
    } else {
        Err(DamagedRepository)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_difference_copies_and_inserts() {
        let delta = [11, 9, 0x91, 6, 5, 2, b'-', b'-', 0x90, 2];
        assert_eq!(
            apply(b"hello world", &delta).ok(),
            Some(b"world--he".to_vec())
        );
        assert!(apply(b"hello", &delta).is_err());
        assert!(apply(b"hello world", &delta[..9]).is_err());
        assert!(apply(b"hello world", &[11, 1, 0]).is_err());
    }

    proptest! {
        #[test]
        fn no_difference_makes_us_panic(delta in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = apply(b"a base of some length", &delta);
        }
    }
}
