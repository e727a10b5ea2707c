//! Lines and columns for people.

/// Computes line and column of an offset, both from 1, columns in characters. Lines end with `\n`, `\r\n` or `\r`. An
/// offset behind the text is its end.
pub fn place(text: &str, at: usize) -> (u32, u32) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let bytes = text.as_bytes();
    let mut line = 1;
    let mut start = 0;
    for (idx, &byte) in bytes[..at].iter().enumerate() {
        let is_end = byte == b'\n' || (byte == b'\r' && bytes.get(idx + 1) != Some(&b'\n'));
        if is_end {
            line += 1;
            start = idx + 1;
        }
    }
    (line, text[start..at].chars().count() as u32 + 1)
}
