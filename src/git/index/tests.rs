//! Reading indexes of every kind, and damaged ones.

use proptest::prelude::*;

use super::*;
use crate::testing;

const HASH: HashKind = HashKind::Sha1;

/// Builds an index of three files, with a tree cache, one optional extension and no checksum.
fn index() -> Vec<u8> {
    let id = HASH.id_of("blob", b"");
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x03".to_vec();
    for path in ["a.java", "a/b.java", "c"] {
        bytes.extend(testing::entry(path, id));
    }
    let mut tree = b"\x003 1\n".to_vec();
    tree.extend(id.as_bytes());
    for (name, data) in [(b"TREE", tree), (b"UNTR", vec![1, 2, 3])] {
        bytes.extend(name);
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(data);
    }
    bytes
}

fn parse(bytes: &[u8]) -> Result<GitIndex, DamagedRepository> {
    ParsedIndex::of(bytes, HASH)?.finish()
}

#[test]
fn entries_come_with_paths_and_the_cached_tree() {
    let index = parse(&index()).expect("it is whole");
    let paths: Vec<&[u8]> = index.entries.iter().map(|entry| &*entry.path).collect();
    assert_eq!(paths, [&b"a.java"[..], b"a/b.java", b"c"]);
    assert_eq!(index.tree, Some(HASH.id_of("blob", b"")));
    assert!(index.entries.iter().all(|entry| entry.mode == 0o100_644));
}

#[test]
fn what_is_out_of_order_or_must_be_understood_is_damaged() {
    let whole = index();
    let mut unsorted = whole.clone();
    unsorted[12 + 62] = b'z';
    assert!(parse(&unsorted).is_err());
    let mut unknown = whole.clone();
    unknown.extend(b"what\0\0\0\0");
    assert!(parse(&unknown).is_err());
    let mut version = whole;
    version[7] = 5;
    assert!(parse(&version).is_err());
}

#[test]
fn a_checksum_that_is_wrong_is_damage_and_none_is_none() {
    let mut bytes = index();
    let mut hasher = HASH.plain();
    hasher.update(&bytes);
    bytes.extend(hasher.finish().as_bytes());
    assert!(checked(&bytes, HASH).is_ok());
    bytes[20] ^= 1;
    assert!(checked(&bytes, HASH).is_err());
    let n_content = bytes.len() - HASH.n_bytes();
    bytes[n_content..].fill(0);
    assert!(checked(&bytes, HASH).is_ok());
}

proptest! {
    #[test]
    fn no_damage_makes_us_panic_or_take_memory(
        version in 2_u8..=4,
        n_kept in 0_usize..400,
        flips in prop::collection::vec((0_usize..400, any::<u8>()), 0..8),
    ) {
        let mut bytes = index();
        bytes[7] = version;
        bytes.truncate(n_kept);
        for (at, mask) in flips {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= mask;
            }
        }
        for hash in [HashKind::Sha1, HashKind::Sha256] {
            if let Ok(parsed) = ParsedIndex::of(&bytes, hash) {
                prop_assert!(parsed.entries.len() <= bytes.len() / 40);
                if let Some(link) = &parsed.link {
                    let _ = link.merge(parsed.entries.clone(), parsed.entries);
                }
            }
        }
    }

    #[test]
    fn no_link_to_a_shared_index_makes_us_panic(data in prop::collection::vec(any::<u8>(), 20..120)) {
        if let Ok(Some(link)) = split::Link::parse(&data, HASH) {
            let entries = parse(&index()).expect("it is whole").entries;
            if let Ok(merged) = link.merge(entries, Vec::new()) {
                prop_assert!(merged.len() <= 3);
            }
        }
    }
}
