//! Lines and columns of byte offsets, as TypeScript counts them: columns in UTF-16 units.

use crate::model::Position;

/// Where lines begin, and what is not ASCII.
#[derive(Debug, Default)]
pub struct Lines {
    starts: Vec<u32>,
    /// The offset behind each character outside ASCII, and by how much bytes outnumber units up to there.
    surplus: Vec<(u32, u32)>,
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let mut surplus = Vec::new();
        let mut n_more = 0;
        let bytes = text.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(at as u32 + 1);
            }
        }
        if !text.is_ascii() {
            for (at, it) in text.char_indices() {
                if !it.is_ascii() {
                    n_more += (it.len_utf8() - it.len_utf16()) as u32;
                    surplus.push(((at + it.len_utf8()) as u32, n_more));
                }
            }
        }
        Self { starts, surplus }
    }

    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1];
        let n_more = self.surplus_at(offset) - self.surplus_at(start);
        Position {
            line,
            column: offset - start + 1 - n_more,
        }
    }

    fn surplus_at(&self, offset: u32) -> u32 {
        let n = self.surplus.partition_point(|&(end, _)| end <= offset);
        n.checked_sub(1).map_or(0, |at| self.surplus[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn columns_count_utf16_units_and_every_line_end_once() {
        let check = |text: &str, expected| {
            let offset = text.find('x').expect("the text has an x") as u32;
            let position = Lines::new(text).position(offset);
            assert_eq!((position.line, position.column), expected, "{text:?}");
        };
        check("a\n  é😀x", (2, 6));
        check("é\nab x", (2, 4));
        check("a\r\nb\rc\nx", (4, 1));
    }
}
