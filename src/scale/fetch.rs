//! How repositories are fetched: a command that is split into arguments here, and never meets a shell.
//!
//! Decides which URLs are fetched at all, and what git must not do meanwhile: ask a person, or read settings of the
//! system or of a user.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Why a command fetches nothing, or a URL is not fetched. Displayed as a lower-case fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("it is empty")]
    Empty,
    #[error("it must begin with the name of a program")]
    NoProgram,
    #[error("it has no `{place}`")]
    NoPlace { place: &'static str },
    #[error("a quote does not end")]
    OpenQuote,
    #[error("{what} does not begin with `-`")]
    Option { what: &'static str },
    #[error("a URL has no white space")]
    WhiteSpace,
    #[error("only https, ssh and file are fetched")]
    Scheme,
}

/// A command that fetches a repository; `{url}` and `{dir}` stand for where it is and where it shall lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    text: String,
    words: Vec<String>,
}

impl Fetch {
    /// Reads a command: words between spaces, or in quotes.
    ///
    /// # Errors
    /// When the text is not a valid command.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let words = words(text)?;
        let has = |place: &str| words.iter().skip(1).any(|word| word.contains(place));
        if words.is_empty() {
            return Err(FetchError::Empty);
        }
        if words[0].contains('{') {
            return Err(FetchError::NoProgram);
        }
        for place in ["{url}", "{dir}"] {
            if !has(place) {
                return Err(FetchError::NoPlace { place });
            }
        }
        let text = text.to_owned();
        Ok(Self { text, words })
    }

    /// Returns the command as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Makes the command that fetches a URL into a folder; the URL is one that [`check_url`] lets through.
    pub(crate) fn command(&self, url: &str, folder: &Path) -> Command {
        let filled = |word: &String| -> OsString {
            let word = word.replace("{url}", url);
            let mut filled = OsString::new();
            for (idx, part) in word.split("{dir}").enumerate() {
                if idx > 0 {
                    filled.push(folder);
                }
                filled.push(part);
            }
            filled
        };
        let mut command = Command::new(&self.words[0]);
        command.args(self.words[1..].iter().map(filled));
        for (name, _) in std::env::vars_os() {
            // Variables that lead git elsewhere, or make it run something.
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env_remove("SSH_ASKPASS")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "false")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ALLOW_PROTOCOL", "https:ssh:file")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=30")
            .env("LC_ALL", "C");
        command
    }
}

/// Splits at white space outside of quotes; a backslash means itself.
fn words(text: &str) -> Result<Vec<String>, FetchError> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    for sign in text.chars() {
        match quote {
            Some(open) if sign == open => quote = None,
            None if matches!(sign, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            None if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    if quote.is_some() {
        return Err(FetchError::OpenQuote);
    }
    words.extend(word);
    Ok(words)
}

/// Checks that a URL is one that is fetched.
///
/// # Errors
/// Why it is not.
pub fn check_url(url: &str) -> Result<(), FetchError> {
    if url.starts_with('-') {
        return Err(FetchError::Option { what: "a URL" });
    }
    if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(FetchError::WhiteSpace);
    }
    let host = match url.split_once("://") {
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            "https" | "ssh" => rest,
            "file" => return Ok(()),
            _ => return Err(FetchError::Scheme),
        },
        // `git@host:path` is ssh; `ext::program` runs a program.
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') && !path.starts_with(':') => host,
            _ => return Err(FetchError::Scheme),
        },
    };
    let host = host.rsplit_once('@').map_or(host, |pair| pair.1);
    if host.starts_with('-') {
        return Err(FetchError::Option { what: "a host" });
    }
    Ok(())
}

/// Parts of git's messages, in lower case, after which another try may work: the network, a busy server, a full disk.
const PASSING: [&str; 21] = [
    "could not resolve host",
    "connection timed out",
    "operation timed out",
    "connection reset",
    "connection refused",
    "could not connect",
    "couldn't connect",
    "failed to connect",
    "network is unreachable",
    "no route to host",
    "temporary failure",
    "early eof",
    "hung up unexpectedly",
    "unexpected disconnect",
    "rpc failed",
    "the requested url returned error: 429",
    "the requested url returned error: 5",
    "no space left on device",
    "disk quota exceeded",
    "resource temporarily unavailable",
    "cannot allocate memory",
];

/// Tells whether trying again may help, by what the command said.
pub(crate) fn is_passing(said: &str) -> bool {
    let said = said.to_lowercase();
    PASSING.iter().any(|text| said.contains(text))
}

/// Names a repository by its URL alone: the last part of its path.
pub(crate) fn name_of(url: &str) -> String {
    let path = url.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_end_matches('/');
    let name = path.rsplit(['/', ':']).next().unwrap_or_default();
    let is_plain = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().filter(is_plain).collect();
    match name.trim_start_matches(['-', '.']) {
        "" => "repository".to_owned(),
        name => name.to_owned(),
    }
}
