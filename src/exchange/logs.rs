//! Logs of other harnesses: finds which file is one, and reads the answers of models from it.
//!
//! Decides which shapes are known, and where each has the sample's name, the answer and the facts beside it. The owner
//! of the index finds the sample by its name.

mod archive;
mod error;
mod foreign;
mod inspect;
mod patch;
mod salvage;

pub use error::LogError;
pub use foreign::ForeignAnswers;
pub use inspect::{LogHead, LogPart, LoggedSample, each_in_archive, each_in_object};

/// How Inspect wrote a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFile {
    /// `.eval`: a zip archive with a member for each sample.
    Archive,
    /// One JSON object.
    Object,
}

impl LogFile {
    /// Recognises the shape of a log by its first bytes; nothing for a file that is no log.
    #[must_use]
    pub fn of(start: &[u8]) -> Option<Self> {
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return Some(Self::Archive);
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        // The version and the status stand before everything else, whatever is between.
        let mut rest = text.trim_ascii_start().strip_prefix(b"{")?;
        for piece in [&b"\"version\""[..], b":"] {
            rest = rest.trim_ascii_start().strip_prefix(piece)?;
        }
        rest = rest.trim_ascii_start();
        let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = rest[n_digits..].trim_ascii_start().strip_prefix(b",")?;
        let is_log = n_digits > 0 && rest.trim_ascii_start().starts_with(b"\"status\"");
        is_log.then_some(Self::Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_known_by_how_it_begins() {
        let check = |start: &str, expected| assert_eq!(LogFile::of(start.as_bytes()), expected);
        check("PK\u{3}\u{4}\u{14}", Some(LogFile::Archive));
        check(
            "{\n  \"version\": 2,\n  \"status\": \"success\",",
            Some(LogFile::Object),
        );
        check(
            "\u{feff} {\"version\":2,\"status\":\"started\"",
            Some(LogFile::Object),
        );
        check("{\"version\": 2, \"prediction\": \"a\"}", None);
        check("{\"version\": \"2\", \"status\": \"a\"}", None);
        check("{\"sample\": \"00\"}", None);
        check("[{\"a\": 1}]", None);
        check("PK", None);
        check("", None);
    }
}
