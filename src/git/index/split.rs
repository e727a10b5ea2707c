//! An index in two files: a large one that is shared, and what has changed since.

use crate::DamagedRepository;
use crate::bytes::Bytes;
use crate::hash::{HashKind, Id};

use super::IndexEntry;

/// The extension that ties a small index to its shared one.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// The checksum of the shared file, which is also its name.
    pub base: Id,
    deleted: Bits,
    replaced: Bits,
}

impl Link {
    /// Reads the extension; nothing where it ties the index to no other.
    pub fn parse(data: &[u8], hash: HashKind) -> Result<Option<Self>, DamagedRepository> {
        let mut bytes = Bytes(data);
        let base = Id::of(bytes.take(hash.n_bytes())?).ok_or(DamagedRepository)?;
        let mut link = Self {
            base,
            deleted: Bits::default(),
            replaced: Bits::default(),
        };
        if !bytes.0.is_empty() {
            link.deleted = Bits::parse(&mut bytes)?;
            link.replaced = Bits::parse(&mut bytes)?;
        }
        let is_tied = base.as_bytes().iter().any(|byte| *byte != 0);
        Ok(is_tied.then_some(link))
    }

    /// Joins the entries of both files, sorted: those of `changed` without a path replace the marked entries of `base`
    /// in turn and take over their paths.
    pub fn merge(
        &self,
        base: Vec<IndexEntry>,
        changed: Vec<IndexEntry>,
    ) -> Result<Vec<IndexEntry>, DamagedRepository> {
        let deleted = self.deleted.positions(base.len())?;
        let replaced = self.replaced.positions(base.len())?;
        let mut changed = changed.into_iter().peekable();
        let mut kept: Vec<Option<IndexEntry>> = base.into_iter().map(Some).collect();
        for at in replaced {
            let new = changed.next_if(|entry| entry.path.is_empty());
            let mut new = new.ok_or(DamagedRepository)?;
            let old = kept[at].take().ok_or(DamagedRepository)?;
            new.path = old.path;
            kept[at] = Some(new);
        }
        for at in deleted {
            kept[at] = None;
        }
        let mut merged: Vec<IndexEntry> = kept.into_iter().flatten().chain(changed).collect();
        merged.sort_by(|a, b| (&a.path, a.stage).cmp(&(&b.path, b.stage)));
        Ok(merged)
    }
}

/// A set of positions in runs of words, as git compresses bitmaps (EWAH).
#[derive(Debug, Default, PartialEq, Eq)]
struct Bits {
    words: Vec<u64>,
}

impl Bits {
    fn parse(bytes: &mut Bytes<'_>) -> Result<Self, DamagedRepository> {
        let _n_bits = bytes.u32()?;
        let n_words = bytes.u32()? as usize;
        let mut words = Bytes(bytes.take(n_words.checked_mul(8).ok_or(DamagedRepository)?)?);
        let words = (0..n_words).map(|_| words.u64()).collect::<Result<_, _>>();
        // The position of the last run, which only a writer needs.
        bytes.u32()?;
        Ok(Self { words: words? })
    }

    /// Lists the positions in the set, ascending, all below `n`.
    fn positions(&self, n: usize) -> Result<Vec<usize>, DamagedRepository> {
        let mut found = Vec::new();
        let mut at = 0_usize;
        let mut words = self.words.iter();
        while let Some(run) = words.next() {
            // A bit, the number of words that repeat it (32 bits), and the number of other words that follow (31 bits).
            let n_equal = (run >> 1 & 0xffff_ffff) as usize * 64;
            let n_others = run >> 33;
            let end = at.checked_add(n_equal).ok_or(DamagedRepository)?;
            if run & 1 == 1 {
                // Set bits are never beyond the end, although the last word may be.
                if end > n {
                    return Err(DamagedRepository);
                }
                found.extend(at..end);
            }
            at = end;
            for _ in 0..n_others {
                let word = words.next().ok_or(DamagedRepository)?;
                let set = (0..64).filter(|bit| word >> bit & 1 == 1);
                found.extend(set.map(|bit| at + bit));
                at = at.checked_add(64).ok_or(DamagedRepository)?;
            }
        }
        if found.last().is_some_and(|last| *last >= n) {
            return Err(DamagedRepository);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_runs_and_of_words() {
        let check = |words: &[u64], n: usize, expected: Option<&[usize]>| {
            let bits = Bits {
                words: words.to_vec(),
            };
            assert_eq!(bits.positions(n).ok().as_deref(), expected);
        };
        let run = |bit: u64, n_equal: u64, n_others: u64| bit | n_equal << 1 | n_others << 33;
        check(&[], 0, Some(&[]));
        check(&[run(0, 1, 1), 0b101], 70, Some(&[64, 66]));
        check(&[run(0, 1, 1), 0b101], 66, None);
        let ones: Vec<usize> = (0..64).collect();
        check(&[run(1, 1, 0)], 64, Some(&ones));
        check(&[run(1, 0xffff_ffff, 0)], 64, None);
        check(&[run(0, 0, 1)], 64, None);
    }
}
