//! A repository's own configuration, as text. Nothing is included from other files, and nothing in it is acted upon.

use crate::DamagedRepository;

/// The values of one file, in their order.
#[derive(Debug, Default)]
pub struct GitConfig {
    values: Vec<GitConfigEntry>,
}

#[derive(Debug)]
struct GitConfigEntry {
    /// In lower case.
    section: String,
    subsection: Option<Vec<u8>>,
    /// In lower case.
    name: String,
    /// `None` for a name without `=`, which means yes.
    text: Option<Vec<u8>>,
}

impl GitConfig {
    /// Reads a file as git does.
    ///
    /// # Errors
    /// Where git would refuse it.
    pub fn parse(bytes: &[u8]) -> Result<Self, DamagedRepository> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = GitConfigReader { rest: bytes };
        let mut config = Self::default();
        let mut header: Option<(String, Option<Vec<u8>>)> = None;
        while let Some(byte) = reader.next() {
            match byte {
                b'#' | b';' => reader.skip_line(),
                b'[' => header = Some(reader.header()?),
                _ if byte.is_ascii_whitespace() => {}
                _ if byte.is_ascii_alphabetic() => {
                    let (section, subsection) = header.clone().ok_or(DamagedRepository)?;
                    let name = reader.name(byte);
                    config.values.push(GitConfigEntry {
                        section,
                        subsection,
                        name,
                        text: reader.value()?,
                    });
                }
                _ => return Err(DamagedRepository),
            }
        }
        Ok(config)
    }

    /// Adds the values of another file, which count more.
    pub fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
    }

    /// Finds the last value of a name in a section without a subsection.
    pub fn text(&self, section: &str, name: &str) -> Option<&[u8]> {
        self.last(section, None, name)?.text.as_deref()
    }

    /// Finds the last value of a name in a subsection.
    pub fn text_in(&self, section: &str, subsection: &[u8], name: &str) -> Option<&[u8]> {
        self.last(section, Some(subsection), name)?.text.as_deref()
    }

    /// Tells whether the last value of a name means yes or no; nothing where it says neither, or is not there.
    pub fn is_set(&self, section: &str, name: &str) -> Option<bool> {
        let Some(text) = &self.last(section, None, name)?.text else {
            return Some(true);
        };
        match text.to_ascii_lowercase().as_slice() {
            b"true" | b"yes" | b"on" | b"1" => Some(true),
            b"false" | b"no" | b"off" | b"0" | b"" => Some(false),
            _ => None,
        }
    }

    /// Iterates over the names in a section without a subsection.
    pub fn names<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a str> {
        let values = self.values.iter();
        values
            .filter(move |value| value.section == section && value.subsection.is_none())
            .map(|value| value.name.as_str())
    }

    /// Iterates over the subsections of a section, each as often as it has values.
    pub fn subsections<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let values = self.values.iter();
        values
            .filter(move |value| value.section == section)
            .filter_map(|value| value.subsection.as_deref())
    }

    fn last(
        &self,
        section: &str,
        subsection: Option<&[u8]>,
        name: &str,
    ) -> Option<&GitConfigEntry> {
        self.values.iter().rev().find(|value| {
            value.section == section
                && value.name == name
                && value.subsection.as_deref() == subsection
        })
    }
}

struct GitConfigReader<'a> {
    rest: &'a [u8],
}

impl GitConfigReader<'_> {
    /// Takes a byte; `\r\n` counts as one line feed.
    fn next(&mut self) -> Option<u8> {
        if self.rest.starts_with(b"\r\n") {
            self.rest = &self.rest[1..];
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// Reads the rest of `[section]`, `[section "subsection"]` or the old `[section.subsection]`.
    fn header(&mut self) -> Result<(String, Option<Vec<u8>>), DamagedRepository> {
        let mut section = String::new();
        loop {
            match self.next().ok_or(DamagedRepository)? {
                b']' => {
                    let old = section.split_once('.');
                    return Ok(match old {
                        Some((section, below)) => (section.to_owned(), Some(below.into())),
                        None => (section, None),
                    });
                }
                b' ' | b'\t' => break,
                byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' => {
                    section.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => return Err(DamagedRepository),
            }
        }
        let mut byte = self.next().ok_or(DamagedRepository)?;
        while byte == b' ' || byte == b'\t' {
            byte = self.next().ok_or(DamagedRepository)?;
        }
        if byte != b'"' {
            return Err(DamagedRepository);
        }
        let mut subsection = Vec::new();
        loop {
            match self.next().ok_or(DamagedRepository)? {
                b'"' => break,
                b'\n' => return Err(DamagedRepository),
                b'\\' => subsection.push(self.next().ok_or(DamagedRepository)?),
                byte => subsection.push(byte),
            }
        }
        if self.next() == Some(b']') {
            Ok((section, Some(subsection)))
        } else {
            Err(DamagedRepository)
        }
    }

    fn name(&mut self, first: u8) -> String {
        let mut name = String::from(char::from(first.to_ascii_lowercase()));
        while let Some(byte) = self.rest.first().copied() {
            if !byte.is_ascii_alphanumeric() && byte != b'-' {
                break;
            }
            name.push(char::from(byte.to_ascii_lowercase()));
            self.rest = &self.rest[1..];
        }
        name
    }

    /// Reads the value behind a name, to the end of its line; nothing where there is no `=`.
    fn value(&mut self) -> Result<Option<Vec<u8>>, DamagedRepository> {
        let mut byte = self.next();
        while matches!(byte, Some(b' ' | b'\t')) {
            byte = self.next();
        }
        match byte {
            None | Some(b'\n') => return Ok(None),
            Some(b'=') => {}
            Some(_) => return Err(DamagedRepository),
        }
        let mut text = Vec::new();
        // Blanks at the end do not count, unless they were quoted.
        let mut n_kept = 0;
        let mut is_quoted = false;
        loop {
            match self.next() {
                None | Some(b'\n') if is_quoted => return Err(DamagedRepository),
                None | Some(b'\n') => break,
                Some(b'#' | b';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(byte) if byte.is_ascii_whitespace() && !is_quoted => {
                    if !text.is_empty() {
                        text.push(byte);
                    }
                    continue;
                }
                Some(b'"') => is_quoted = !is_quoted,
                Some(b'\\') => match self.next() {
                    Some(b'\n') => continue,
                    Some(b't') => text.push(b'\t'),
                    Some(b'b') => text.push(8),
                    Some(b'n') => text.push(b'\n'),
                    Some(byte @ (b'\\' | b'"')) => text.push(byte),
                    _ => return Err(DamagedRepository),
                },
                Some(byte) => text.push(byte),
            }
            n_kept = text.len();
        }
        text.truncate(n_kept);
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let text = "\u{feff}# a comment\n[core]\n\tbare = false ; no\n\tFileMode\n[remote \"a \\\"b\\\"\"]\r\n url = \" x \" y  # z\r\n\turl=one\\\n two\\t\\\\\n[Branch.Main] merge = refs/heads/main\n[empty]\nname =\n";
        let config = GitConfig::parse(text.as_bytes()).expect("git reads it");
        assert_eq!(config.is_set("core", "bare"), Some(false));
        assert_eq!(config.is_set("core", "filemode"), Some(true));
        assert_eq!(config.is_set("core", "other"), None);
        assert_eq!(config.is_set("empty", "name"), Some(false));
        let url = config.text_in("remote", b"a \"b\"", "url");
        assert_eq!(url, Some(&b"one two\t\\"[..]));
        let merge = config.text_in("branch", b"main", "merge");
        assert_eq!(merge, Some(&b"refs/heads/main"[..]));
        let names: Vec<&[u8]> = config.subsections("remote").collect();
        assert_eq!(names, [b"a \"b\""; 2]);
        let quoted = GitConfig::parse(b"[a]\nb = \" x \" y  # z").expect("git reads it");
        assert_eq!(quoted.text("a", "b"), Some(&b" x  y"[..]));
    }

    #[test]
    fn what_git_refuses_is_damaged() {
        for text in [
            "name = 1",
            "[core",
            "[core \"x]",
            "[core]\nname = \"x\n",
            "[core]\nname = \\q\n",
            "[core]\nname ! x\n",
            "[core]\n= x\n",
            "[co_re]\n",
        ] {
            assert!(GitConfig::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
