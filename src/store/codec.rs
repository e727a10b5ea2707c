//! How ids, words of closed sets, and lists of spans become columns.
//!
//! Ids are computed, never looked up: they begin with the generation, so a generation is one range of every table.

use rusqlite::Row;

use crate::model::{Candidate, Evidences, Language, Matcher, RepoKey, Span};

use super::error::StoreFailure;

/// The number of bits of an id that count rows inside one generation.
pub(super) const ORDINAL_BITS: u32 = 32;
/// The number of bits of a decision's ordinal that count tests; the four above hold the matcher, and `id & ~(15 << 28)`
/// in SQL is the test's own id.
pub(super) const TEST_BITS: u32 = 28;
/// The bits of a decision's id that are not its test's.
pub(super) const OF_TEST: i64 = !(15 << TEST_BITS);

/// Composes the id of the `ordinal`-th row of a generation.
pub(super) const fn row_id(generation: i64, ordinal: u32) -> i64 {
    generation << ORDINAL_BITS | ordinal as i64
}

/// Composes the id of a matcher's decision for the `ordinal`-th test.
pub(super) fn decision_id(generation: i64, matcher: Matcher, ordinal: u32) -> i64 {
    row_id(generation, 0) | matcher_bits(matcher) | i64::from(ordinal)
}

/// Returns the offset that a matcher adds to the ids of its decisions.
pub(super) fn matcher_bits(matcher: Matcher) -> i64 {
    code(Matcher::ALL, matcher) << TEST_BITS
}

/// Encodes `value` as its position in its closed set.
pub(super) fn code<T: Copy + PartialEq>(all: &[T], value: T) -> i64 {
    all.iter()
        .position(|item| *item == value)
        .and_then(|position| i64::try_from(position).ok())
        .expect("`ALL` holds every value of its enum")
}

/// Decodes the value at a stored position.
pub(super) fn decode<T: Copy>(all: &[T], code: i64) -> Result<T, StoreFailure> {
    usize::try_from(code)
        .ok()
        .and_then(|position| all.get(position))
        .copied()
        .ok_or_else(|| StoreFailure::Damaged(format!("no word has the number {code}")))
}

/// Decodes the value at a stored position, or nothing at -1.
pub(super) fn decode_optional<T: Copy>(all: &[T], code: i64) -> Result<Option<T>, StoreFailure> {
    if code == -1 {
        Ok(None)
    } else {
        decode(all, code).map(Some)
    }
}

/// Appends a candidate to the packed list of its decision.
pub(super) fn pack_candidate(list: &mut Vec<u8>, candidate: &Candidate, calls: &[u8]) {
    list.extend(candidate.method.0.to_le_bytes());
    list.extend(candidate.score.to_le_bytes());
    list.extend(candidate.class_score.to_le_bytes());
    list.extend((calls.len() as u32 / 8).to_le_bytes());
    list.extend(calls);
}

/// Appends the fields of a candidate that [`pack_candidate`] leaves out: its weight and its evidence.
pub(super) fn pack_evidence(list: &mut Vec<u8>, candidate: &Candidate) {
    list.extend(candidate.weight.to_le_bytes());
    list.extend(candidate.evidence.0.to_le_bytes());
}

/// Unpacks what [`pack_evidence`] packed; nothing for a row that was written without evidence.
pub(super) fn unpack_evidence(list: &[u8]) -> impl Iterator<Item = Option<(f64, Evidences)>> {
    let (words, _) = list.as_chunks::<8>();
    let (pairs, _) = words.as_chunks::<2>();
    pairs
        .iter()
        .map(|[weight, bits]| {
            let evidence = Evidences(u64::from_le_bytes(*bits));
            Some((f64::from_le_bytes(*weight), evidence))
        })
        .chain(std::iter::repeat(None))
}

/// A candidate read from a packed list.
pub(super) struct PackedCandidate {
    pub method: u32,
    pub score: f64,
    pub class_score: f64,
    pub calls: Vec<Span>,
}

pub(super) fn unpack_candidates(mut list: &[u8]) -> Result<Vec<PackedCandidate>, StoreFailure> {
    fn take<'l, const N: usize>(list: &mut &'l [u8]) -> Option<&'l [u8; N]> {
        let (head, rest) = list.split_first_chunk()?;
        *list = rest;
        Some(head)
    }
    fn candidate(list: &mut &[u8]) -> Option<PackedCandidate> {
        let method = u32::from_le_bytes(*take(list)?);
        let score = f64::from_le_bytes(*take(list)?);
        let class_score = f64::from_le_bytes(*take(list)?);
        let n_calls = u32::from_le_bytes(*take(list)?) as usize;
        let (calls, rest) = list.split_at_checked(n_calls.checked_mul(8)?)?;
        *list = rest;
        Some(PackedCandidate {
            method,
            score,
            class_score,
            calls: unpack_spans(calls),
        })
    }
    let mut candidates = Vec::new();
    while !list.is_empty() {
        candidates.push(candidate(&mut list).ok_or_else(|| {
            StoreFailure::Damaged("a list of candidates ends too early".to_owned())
        })?);
    }
    Ok(candidates)
}

/// The encoding of one part of a score: counts as LEB128, most of them in one byte; anything else in eight bytes.
const COUNTS: u8 = 0;
const NUMBERS: u8 = 1;

/// Packs the parts of a score.
pub(super) fn pack_parts(parts: &[f64]) -> Vec<u8> {
    if parts.is_empty() {
        return Vec::new();
    }
    let counts: Option<Vec<u32>> = parts.iter().map(|part| as_count(*part)).collect();
    let mut bytes = Vec::with_capacity(1 + parts.len() * 8);
    if let Some(counts) = counts {
        bytes.push(COUNTS);
        for count in counts {
            pack_count(&mut bytes, count);
        }
    } else {
        bytes.push(NUMBERS);
        bytes.extend(parts.iter().flat_map(|part| part.to_le_bytes()));
    }
    bytes
}

/// Appends a count as LEB128: seven bits per byte, lowest first.
pub(super) fn pack_count(bytes: &mut Vec<u8>, mut count: u32) {
    while count >= 1 << 7 {
        bytes.push(count as u8 | 1 << 7);
        count >>= 7;
    }
    bytes.push(count as u8);
}

/// Takes a count that [`pack_count`] appended; nothing where the bytes do not begin with one.
pub(super) fn take_count(bytes: &mut &[u8]) -> Option<u32> {
    let mut count = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        count |= u32::from(byte & !(1 << 7)) << shift;
        if byte >> 7 == 0 {
            return Some(count);
        }
    }
    None
}

/// Converts a number to a count, if it is one.
fn as_count(number: f64) -> Option<u32> {
    let is_count = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(clippy::cast_sign_loss, reason = "it is in range")]
    is_count.then_some(number as u32)
}

/// Unpacks what [`pack_parts`] packed.
pub(super) fn unpack_parts(bytes: &[u8]) -> Result<Vec<f64>, StoreFailure> {
    match bytes.split_first() {
        None => Ok(Vec::new()),
        Some((&COUNTS, bytes)) => Ok(bytes
            .split_inclusive(|byte| byte >> 7 == 0)
            .map(|count| {
                let bits = count
                    .iter()
                    .rev()
                    .fold(0_u64, |bits, byte| bits << 7 | u64::from(byte & !(1 << 7)));
                bits as f64
            })
            .collect()),
        Some((&NUMBERS, numbers)) => {
            let (words, _) = numbers.as_chunks::<8>();
            Ok(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
        }
        Some((kind, _)) => Err(StoreFailure::Damaged(format!(
            "no parts of a score begin with {kind}"
        ))),
    }
}

/// Reads a column that counts something.
pub(super) fn count(row: &Row<'_>, idx: usize) -> Result<u64, rusqlite::Error> {
    let value: i64 = row.get(idx)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(idx, value))
}

/// Converts a length or a limit to SQLite's integer; one that does not fit exceeds every possible length.
pub(super) fn integer(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Packs spans, eight bytes each.
pub(super) fn pack_spans(spans: impl Iterator<Item = Span>) -> Vec<u8> {
    spans
        .flat_map(|span| [span.start.to_le_bytes(), span.end.to_le_bytes()])
        .flatten()
        .collect()
}

/// Unpacks what [`pack_spans`] packed.
pub(super) fn unpack_spans(bytes: &[u8]) -> Vec<Span> {
    unpack_ordinals(bytes)
        .chunks_exact(2)
        .map(|pair| Span::new(pair[0], pair[1]))
        .collect()
}

/// Packs ordinals, four bytes each.
pub(super) fn pack_ordinals(ordinals: impl Iterator<Item = u32>) -> Vec<u8> {
    ordinals.flat_map(u32::to_le_bytes).collect()
}

/// Unpacks what [`pack_ordinals`] packed; a remainder of fewer than four bytes is ignored.
pub(super) fn unpack_ordinals(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Reads a repository's key from two columns.
pub(super) fn repo_key(row: &Row<'_>, first: usize) -> Result<RepoKey, StoreFailure> {
    Ok(RepoKey {
        identity: row.get(first)?,
        language: decode(Language::ALL, row.get(first + 1)?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_parts(parts: &[f64], size_bytes: usize) {
        let packed = pack_parts(parts);
        assert_eq!(packed.len(), size_bytes);
        let unpacked = unpack_parts(&packed).map_err(|_| "damaged");
        assert_eq!(unpacked, Ok(parts.to_vec()));
    }

    #[test]
    fn parts_come_back_as_they_were() {
        check_parts(&[], 0);
        check_parts(&[0.0, 1.0, 127.0], 4);
        check_parts(&[128.0, 300.0, 4_294_967_295.0], 10);
        check_parts(&[0.5, 3.0], 17);
        check_parts(&[4_294_967_296.0], 9);
        check_parts(&[-1.0], 9);
    }
}
