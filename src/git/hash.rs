//! The names of objects: SHA-1 or, where a repository says so, SHA-256.

use std::fmt;

use sha1::{Digest, Sha1};
use sha2::Sha256;

/// The length of SHA-256 in bytes; SHA-1 has 20.
const N_BYTES_MAX: usize = 32;

/// Which of git's two hash functions a repository uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashKind {
    Sha1,
    Sha256,
}

impl HashKind {
    /// Returns how many bytes a name has.
    pub fn n_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Names an object by its type and its content.
    pub fn id_of(self, kind: &str, content: &[u8]) -> Id {
        let mut hasher = self.hasher(kind, content.len() as u64);
        hasher.update(content);
        hasher.finish()
    }

    /// Begins the name of an object whose content follows in pieces.
    pub fn hasher(self, kind: &str, n_bytes: u64) -> Hasher {
        let mut hasher = self.plain();
        hasher.update(format!("{kind} {n_bytes}\0").as_bytes());
        hasher
    }

    /// Begins a plain hash without a header, such as the checksum at the end of an index.
    pub fn plain(self) -> Hasher {
        match self {
            Self::Sha1 => Hasher::Sha1(Sha1::new()),
            Self::Sha256 => Hasher::Sha256(Sha256::new()),
        }
    }
}

/// A hash that is being computed.
#[derive(Debug)]
pub enum Hasher {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(hasher) => hasher.update(bytes),
            Self::Sha256(hasher) => hasher.update(bytes),
        }
    }

    pub fn finish(self) -> Id {
        match self {
            Self::Sha1(hasher) => Id::of(&hasher.finalize()),
            Self::Sha256(hasher) => Id::of(&hasher.finalize()),
        }
        .expect("a hash has the length of a name")
    }
}

/// The name of an object. Displayed as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// Zeros fill the rest where the hash is the shorter one.
    bytes: [u8; N_BYTES_MAX],
    n_bytes: u8,
}

impl Id {
    /// Takes a name from exactly its bytes; nothing for any other length.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != 20 && bytes.len() != N_BYTES_MAX {
            return None;
        }
        let mut filled = [0; N_BYTES_MAX];
        filled[..bytes.len()].copy_from_slice(bytes);
        Some(Self {
            bytes: filled,
            n_bytes: bytes.len() as u8,
        })
    }

    /// Reads exactly the digits of a name of this kind.
    pub fn parse(digits: &[u8], kind: HashKind) -> Option<Self> {
        if digits.len() != kind.n_bytes() * 2 {
            return None;
        }
        let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        let bytes: Option<Vec<u8>> = digits
            .chunks(2)
            .map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?))
            .collect();
        Self::of(&bytes?)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.n_bytes)]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_names_that_git_gives_them() {
        let check = |kind: HashKind, content: &str, expected: &str| {
            let id = kind.id_of("blob", content.as_bytes());
            assert_eq!(id.to_string(), expected);
            assert_eq!(Id::parse(expected.as_bytes(), kind), Some(id));
        };
        // What `git hash-object` prints.
        check(
            HashKind::Sha1,
            "",
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        );
        check(
            HashKind::Sha1,
            "hello\n",
            "ce013625030ba8dba906f756967f9e9ca394464a",
        );
        check(
            HashKind::Sha256,
            "",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
        );
        assert_eq!(Id::parse(b"e69de2", HashKind::Sha1), None);
        assert_eq!(Id::parse(&[b'g'; 40], HashKind::Sha1), None);
    }
}
