//! The only way to stderr: messages hold names from files, repositories and arguments, and none of them may move the
//! cursor, change colors or turn the direction of text.
//!
//! Line ends and tabs stay, so that help and errors keep their layout; everything else that is hidden is made visible.

use std::io::{self, Write};

use crate::table::visible;

/// A writer that makes hidden characters visible.
pub struct Messages<W> {
    out: W,
    /// The beginning of a character whose end has not been written yet.
    begun: Vec<u8>,
}

impl<W: Write> Messages<W> {
    pub const fn new(out: W) -> Self {
        Self {
            out,
            begun: Vec::new(),
        }
    }
}

/// Opens the messages of this process, for threads that cannot borrow those of a command.
pub fn of_process() -> Messages<io::Stderr> {
    Messages::new(io::stderr())
}

impl<W: Write> Write for Messages<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        // An unfinished character at the end waits for the rest of it.
        if let Err(error) = std::str::from_utf8(&all)
            && error.error_len().is_none()
        {
            self.begun = all.split_off(error.valid_up_to());
        }
        let text = kept(&String::from_utf8_lossy(&all));
        self.out.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Keeps a text's line ends and tabs, and makes everything else hidden visible.
fn kept(text: &str) -> String {
    let pieces = text.split_inclusive(['\n', '\t']);
    pieces
        .map(|piece| match piece.strip_suffix(['\n', '\t']) {
            Some(start) => visible(start) + &piece[start.len()..],
            None => visible(piece),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&[u8]], expected: &str) {
        let mut messages = Messages::new(Vec::new());
        for piece in pieces {
            messages.write_all(piece).expect("memory takes everything");
        }
        let written = String::from_utf8(messages.out).expect("it is text");
        assert_eq!(written, expected);
    }

    #[test]
    fn lines_and_tabs_stay_and_what_is_hidden_shows() {
        check(&[b"a\tb\nc\x1b[2J\r\n"], "a\tb\nc⟨001B⟩[2J⟨000D⟩\n");
    }

    #[test]
    fn a_character_in_two_writes_is_one() {
        let bytes = "ü\u{9b}".as_bytes();
        check(&[&bytes[..1], &bytes[1..3], &bytes[3..]], "ü⟨009B⟩");
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        check(&[b"a\xffb"], "a\u{fffd}b");
    }
}
