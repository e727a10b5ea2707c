//! A program's output, kept from both ends: its beginning and its end matter most.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};

/// The beginning and the end of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamExcerpt {
    pub head: Vec<u8>,
    /// The text after the head; it follows without a gap where nothing is cut.
    pub tail: Vec<u8>,
    /// All that came.
    pub n_bytes: u64,
}

impl StreamExcerpt {
    /// Counts the bytes that are gone between head and tail.
    #[must_use]
    pub const fn n_cut(&self) -> u64 {
        self.n_bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Decodes it to text: invalid UTF-8 is replaced, and the cut is marked.
    #[must_use]
    pub fn text(&self) -> String {
        let n_cut = self.n_cut();
        if n_cut == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat())
                .into_owned();
        }
        format!(
            "{}\n[… {n_cut} bytes …]\n{}",
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&self.tail)
        )
    }
}

/// Reads a stream to its end and keeps at most `n_bytes_max` bytes of it. A read error counts as its end.
pub fn keep(mut stream: impl Read, n_bytes_max: usize) -> StreamExcerpt {
    let n_head = n_bytes_max / 2;
    let n_tail = n_bytes_max - n_head;
    let mut kept = StreamExcerpt::default();
    let mut tail = VecDeque::new();
    let mut buffer = vec![0; 16 << 10];
    loop {
        let n_read = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        kept.n_bytes += n_read as u64;
        let room = (n_head - kept.head.len()).min(n_read);
        kept.head.extend(&buffer[..room]);
        tail.extend(&buffer[room..n_read]);
        let too_many = tail.len().saturating_sub(n_tail);
        tail.drain(..too_many);
    }
    kept.tail = tail.into();
    kept
}
