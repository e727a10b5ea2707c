//! The file `near.idx`: signatures of all samples, cut into bands that are looked up by key.
//!
//! ```text
//! head                  what it was made from, and how many of each
//! tests                 a signature for every sample
//! focals                a signature for every focal method, once a repository
//! samples               id, content, focal method and splits of every sample
//! samples by focal      buckets
//! tests by band         buckets, band by band
//! focals by band        buckets, band by band
//! ```
//!
//! Places are the lowest eight bits of the values in [`Signatures`] (Li and König 2010, "b-Bit Minwise Hashing": two
//! that differ agree by chance with 1/256), so that the four places of a band are its key. Buckets are one list of
//! numbers in order of their keys' hashes, and where each begins. Numbers are little-endian.
//!
//! Nothing in it is irreplaceable, and nothing is trusted: numbers that do not fit are ignored.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::N_PLACES;
use crate::metric::minhash::{Shingles, Signatures};
use crate::model::Split;

/// With four rows, 25 bands find a text of similarity 0.6 with a probability of 0.97, and one of 0.8 always.
pub(super) const N_BANDS: usize = 25;
/// Four rows for each band.
const N_ROWS: usize = 4;
const _: () = assert!(N_BANDS * N_ROWS == N_PLACES);

/// The last digit is the version of everything that a signature depends on: tokens, shingles, hash functions, places.
const MAGIC: &[u8; 8] = b"FcNear01";
/// The head uses 36 of these bytes.
const HEAD_BYTES: usize = 64;
const RECORD_BYTES: usize = 32;
/// The number of signatures that are read in one go.
const N_AT_ONCE: u32 = 4_096;

/// Stands for no focal method.
pub(super) const NONE: u32 = u32::MAX;

pub(super) type MinHashSignature = [u8; N_PLACES];

/// Computes the signature of a text: see [`Signatures`].
pub(super) fn sign(signatures: &Signatures, shingles: &Shingles) -> MinHashSignature {
    let mut bytes = [0; N_PLACES];
    for (byte, place) in bytes.iter_mut().zip(signatures.sign(shingles)) {
        *byte = place as u8;
    }
    bytes
}

pub(super) fn n_equal(a: &MinHashSignature, b: &MinHashSignature) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}

/// Returns the key of a band: its places, joined.
pub(super) fn key(signature: &[u8], band: usize) -> u32 {
    let places = signature.get(band * N_ROWS..(band + 1) * N_ROWS);
    let places = places.and_then(|place| place.try_into().ok());
    u32::from_le_bytes(places.unwrap_or_default())
}

/// Chooses the number of buckets for `n` texts: about two texts in each.
pub(super) fn n_slots(n: u32) -> u32 {
    (n / 2).next_power_of_two()
}

/// Computes the bucket of a key; the multiplier is the golden ratio's, whose upper bits spread well.
pub(super) fn slot(key: u32, n_slots: u32) -> u32 {
    (u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 & (n_slots - 1)
}

/// The head of a file: the stamp of the samples that it was made from, and its counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NearFileHead {
    pub stamp: [u8; 16],
    pub n_samples: u32,
    pub n_focals: u32,
    /// Samples with a focal method.
    pub n_mapped: u32,
}

impl NearFileHead {
    pub(super) fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..24].copy_from_slice(&self.stamp);
        bytes[24..28].copy_from_slice(&self.n_samples.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.n_focals.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.n_mapped.to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let number = |at: usize| {
            let bytes = bytes[at..at + 4].try_into();
            u32::from_le_bytes(bytes.expect("they are four"))
        };
        (bytes[..8] == *MAGIC).then(|| Self {
            stamp: bytes[8..24].try_into().expect("they are sixteen"),
            n_samples: number(24),
            n_focals: number(28),
            n_mapped: number(32),
        })
    }

    fn focals(&self) -> u64 {
        HEAD_BYTES as u64 + u64::from(self.n_samples) * N_PLACES as u64
    }

    fn samples(&self) -> u64 {
        self.focals() + u64::from(self.n_focals) * N_PLACES as u64
    }

    fn by_focal(&self) -> Buckets {
        Buckets {
            at: self.samples() + u64::from(self.n_samples) * RECORD_BYTES as u64,
            n_slots: self.n_focals,
            n: self.n_mapped,
        }
    }

    fn tests_by(&self, band: usize) -> Buckets {
        Buckets {
            at: self.by_focal().end(),
            n_slots: n_slots(self.n_samples),
            n: self.n_samples,
        }
        .following(band)
    }

    fn focals_by(&self, band: usize) -> Buckets {
        Buckets {
            at: self.tests_by(N_BANDS).at,
            n_slots: n_slots(self.n_focals),
            n: self.n_focals,
        }
        .following(band)
    }

    fn size(&self) -> u64 {
        self.focals_by(N_BANDS).at
    }
}

/// The place of a list of buckets in the file.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    at: u64,
    n_slots: u32,
    n: u32,
}

impl Buckets {
    fn end(self) -> u64 {
        self.items() + 4 * u64::from(self.n)
    }

    fn items(self) -> u64 {
        self.at + 4 * (u64::from(self.n_slots) + 1)
    }

    /// Returns the n-th of several lists of the same size that follow each other.
    fn following(self, n: usize) -> Self {
        Self {
            at: self.at + (self.end() - self.at) * n as u64,
            ..self
        }
    }
}

/// Writes the numbers 0, 1, … into the buckets that `slots` names, [`NONE`] into none.
pub(super) fn write_buckets(out: &mut dyn Write, n_slots: u32, slots: &[u32]) -> io::Result<()> {
    let mut ends = vec![0_u32; n_slots as usize + 1];
    for slot in slots.iter().filter(|slot| **slot != NONE) {
        ends[*slot as usize + 1] += 1;
    }
    for idx in 1..ends.len() {
        ends[idx] += ends[idx - 1];
    }
    write_numbers(out, &ends)?;
    let mut items = vec![0_u32; ends[n_slots as usize] as usize];
    for (idx, slot) in (0..).zip(slots).filter(|pair| *pair.1 != NONE) {
        let place = &mut ends[*slot as usize];
        items[*place as usize] = idx;
        *place += 1;
    }
    write_numbers(out, &items)
}

fn write_numbers(out: &mut dyn Write, numbers: &[u32]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(1 << 16);
    for numbers in numbers.chunks(1 << 14) {
        bytes.clear();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// The facts about a sample beside its test's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NearRecord {
    pub id: i64,
    pub content_hash: [u8; 16],
    /// The number of its focal method here, or [`NONE`].
    pub focal: u32,
    /// By samples, then by projects.
    pub splits: [Option<Split>; 2],
}

impl NearRecord {
    pub(super) fn bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.id.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.content_hash);
        bytes[24..28].copy_from_slice(&self.focal.to_le_bytes());
        for (byte, split) in bytes[28..30].iter_mut().zip(self.splits) {
            *byte = split.map_or(u8::MAX, |split| split as u8);
        }
        bytes
    }

    fn parse(bytes: &[u8; RECORD_BYTES]) -> Self {
        let split = |at: usize| {
            let split = Split::ALL.iter().find(|split| **split as u8 == bytes[at]);
            split.copied()
        };
        Self {
            id: i64::from_le_bytes(bytes[..8].try_into().expect("they are eight")),
            content_hash: bytes[8..24].try_into().expect("they are sixteen"),
            focal: u32::from_le_bytes(bytes[24..28].try_into().expect("they are four")),
            splits: [split(28), split(29)],
        }
    }
}

/// One of the two texts of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextHalf {
    Test,
    Focal,
}

/// The open file. Making it anew writes another file, so this one does not change.
pub(super) struct NearFile {
    file: File,
    pub head: NearFileHead,
}

impl NearFile {
    /// Opens the file; nothing where there is none, or where it has another version or is incomplete.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut head = [0; HEAD_BYTES];
        let size = file.metadata()?.len();
        if size < HEAD_BYTES as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut head, 0)?;
        let head = NearFileHead::parse(&head).filter(|head| head.size() == size);
        Ok(head.map(|head| Self { file, head }))
    }

    pub(super) fn n_of(&self, half: TextHalf) -> u32 {
        match half {
            TextHalf::Test => self.head.n_samples,
            TextHalf::Focal => self.head.n_focals,
        }
    }

    /// Counts, for each text by its number, the places of its signature that agree with this one.
    pub(super) fn n_agreeing(
        &self,
        half: TextHalf,
        signature: &MinHashSignature,
    ) -> io::Result<Vec<u8>> {
        let n_all = self.n_of(half);
        let mut n_agreeing = Vec::with_capacity(n_all as usize);
        let mut bytes = vec![0; N_PLACES * N_AT_ONCE as usize];
        for first in (0..n_all).step_by(N_AT_ONCE as usize) {
            let n = N_AT_ONCE.min(n_all - first) as usize;
            let bytes = &mut bytes[..N_PLACES * n];
            self.file.read_exact_at(bytes, self.place_of(half, first))?;
            let (signatures, _) = bytes.as_chunks::<N_PLACES>();
            n_agreeing.extend(
                signatures
                    .iter()
                    .map(|bytes| n_equal(signature, bytes) as u8),
            );
        }
        Ok(n_agreeing)
    }

    fn place_of(&self, half: TextHalf, idx: u32) -> u64 {
        let first = match half {
            TextHalf::Test => HEAD_BYTES as u64,
            TextHalf::Focal => self.head.focals(),
        };
        first + u64::from(idx) * N_PLACES as u64
    }

    /// Reads a signature, or nothing behind the last.
    pub(super) fn signature(
        &self,
        half: TextHalf,
        idx: u32,
    ) -> io::Result<Option<MinHashSignature>> {
        if idx >= self.n_of(half) {
            return Ok(None);
        }
        let mut signature = [0; N_PLACES];
        let at = self.place_of(half, idx);
        self.file.read_exact_at(&mut signature, at)?;
        Ok(Some(signature))
    }

    /// Reads the facts about a sample, or nothing behind the last.
    pub(super) fn record(&self, sample: u32) -> io::Result<Option<NearRecord>> {
        if sample >= self.head.n_samples {
            return Ok(None);
        }
        let mut bytes = [0; RECORD_BYTES];
        let at = self.head.samples() + u64::from(sample) * RECORD_BYTES as u64;
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(Some(NearRecord::parse(&bytes)))
    }

    /// Lists the texts in the same bucket of a band, at most `n_max`.
    pub(super) fn bucket(
        &self,
        half: TextHalf,
        band: usize,
        key: u32,
        n_max: u32,
    ) -> io::Result<Vec<u32>> {
        let buckets = match half {
            TextHalf::Test => self.head.tests_by(band),
            TextHalf::Focal => self.head.focals_by(band),
        };
        self.items(buckets, slot(key, buckets.n_slots), n_max)
    }

    /// Lists the samples with a focal method, at most `n_max`.
    pub(super) fn samples_of(&self, focal: u32, n_max: u32) -> io::Result<Vec<u32>> {
        self.items(self.head.by_focal(), focal, n_max)
    }

    fn items(&self, buckets: Buckets, bucket: u32, n_max: u32) -> io::Result<Vec<u32>> {
        if bucket >= buckets.n_slots {
            return Ok(Vec::new());
        }
        let ends = self.numbers(buckets.at + 4 * u64::from(bucket), 2)?;
        let (start, end) = (ends[0], ends[1].min(buckets.n));
        let n = end.saturating_sub(start).min(n_max);
        self.numbers(buckets.items() + 4 * u64::from(start), n)
    }

    fn numbers(&self, at: u64, n: u32) -> io::Result<Vec<u32>> {
        let mut bytes = vec![0; 4 * n as usize];
        self.file.read_exact_at(&mut bytes, at)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers
            .iter()
            .map(|number| u32::from_le_bytes(*number))
            .collect())
    }
}
