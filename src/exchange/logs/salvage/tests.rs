//! Archives made byte by byte, and cut off at each of them.

use std::io::{Seek, Write};

use super::*;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("tests may make files");
    file.write_all(bytes).expect("the file takes it");
    file.rewind().expect("the file can be read");
    file
}

/// Writes a member that is stored unpacked, with its sizes before it.
fn stored(name: &str, text: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(text);
    let n_bytes = text.len() as u32;
    let mut bytes = HEAD.to_vec();
    bytes.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(sum.sum().to_le_bytes());
    bytes.extend([n_bytes, n_bytes].map(u32::to_le_bytes).concat());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(name.as_bytes());
    bytes.extend(text);
    bytes
}

fn names(bytes: &[u8]) -> (Vec<String>, Option<String>) {
    let (found, cut) = members(&file(bytes), 1 << 20);
    (
        found
            .into_iter()
            .map(|whole_member| whole_member.name)
            .collect(),
        cut.name,
    )
}

#[test]
fn wherever_it_is_cut_off_what_is_whole_before_is_found() {
    let (one, two) = (stored("one", b"1234"), stored("two", b"56"));
    let whole = [one.clone(), two].concat();
    for n_bytes in 0..=whole.len() {
        let (found, part) = names(&whole[..n_bytes]);
        let n_whole = usize::from(n_bytes >= one.len()) + usize::from(n_bytes == whole.len());
        assert_eq!(found, ["one", "two"][..n_whole], "{n_bytes}");
        assert!(
            part.is_none_or(|part| part == ["one", "two"][n_whole]),
            "{n_bytes}"
        );
    }
}

#[test]
fn sizes_of_64_bits_are_read() {
    let mut bytes = stored("one", b"1234");
    bytes[18..26].copy_from_slice(&[0xff; 8]);
    bytes[28] = 20;
    let extra = [
        &[1, 0, 16, 0][..],
        &4_u64.to_le_bytes(),
        &4_u64.to_le_bytes(),
    ]
    .concat();
    bytes.splice(33..33, extra);
    assert_eq!(names(&bytes), (vec!["one".to_owned()], None));
    // A member of an impossible size counts as cut off.
    bytes[45..53].copy_from_slice(&[0xff; 8]);
    assert_eq!(names(&bytes), (Vec::new(), Some("one".to_owned())));
}

#[test]
fn a_member_whose_sum_is_another_one_is_damaged() {
    let mut bytes = stored("one", b"1234");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let file = file(&bytes);
    let (found, _) = members(&file, 1 << 20);
    let packed = found[0].packed;
    let mut text = String::new();
    let error = packed.checked(packed.of(&file)).read_to_string(&mut text);
    let said = error.expect_err("its sum is another one").to_string();
    assert!(said.contains("damaged"), "{said}");
}
