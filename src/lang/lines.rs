//! Lines and columns of byte offsets, as javac counts them, for every language.
//!
//! A line ends with LF, CR LF or a lone CR; columns count UTF-16 units from 1 and tabs count one.

use crate::model::Position;

/// The number of bytes that are checked together: half of all such blocks have no line end.
const BLOCK: usize = 16;

/// The beginnings of lines, and the characters whose numbers of bytes and of UTF-16 units differ.
#[derive(Debug, Default)]
pub struct LineTable {
    starts: Vec<u32>,
    /// The offset after each character outside ASCII, and how many bytes more than units there were up to it.
    surplus: Vec<(u32, u32)>,
}

impl LineTable {
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        let mut look = |from: usize, block: &[u8]| {
            for (at, &byte) in (from..).zip(block) {
                if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                    starts.push(at as u32 + 1);
                }
            }
        };
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (n, block) in blocks.iter().enumerate() {
            let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            if block.iter().fold(false, |has, byte| has | is_end(byte)) {
                look(n * BLOCK, block);
            }
        }
        look(blocks.len() * BLOCK, rest);
        let mut surplus = Vec::new();
        if !text.is_ascii() {
            let mut total = 0;
            for (at, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
                total += c.len_utf8() - c.len_utf16();
                surplus.push(((at + c.len_utf8()) as u32, total as u32));
            }
        }
        Self { starts, surplus }
    }

    /// Finds the 1-based line of an offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1];
        let column = offset - start + 1 - (self.surplus_at(offset) - self.surplus_at(start));
        Position { line, column }
    }

    fn surplus_at(&self, offset: u32) -> u32 {
        let n = self.surplus.partition_point(|&(end, _)| end <= offset);
        if n == 0 { 0 } else { self.surplus[n - 1].1 }
    }
}

#[cfg(test)]
mod tests {
    use super::LineTable;

    fn check(text: &str, of: &str, expected: (u32, u32)) {
        let offset = text.find(of).expect("the word is in the text") as u32;
        let position = LineTable::new(text).position(offset);
        assert_eq!((position.line, position.column), expected, "{text:?}");
    }

    #[test]
    fn columns_count_utf16_units() {
        check("a\n  é😀x", "x", (2, 6));
        check("é\nab x", "x", (2, 4));
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        check("a\r\nb\rc\nx", "x", (4, 1));
    }

    #[test]
    fn a_tab_is_one_column() {
        check("\t\tx", "x", (1, 3));
    }
}
