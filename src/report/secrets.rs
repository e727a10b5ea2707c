//! Finds secrets in texts that leave the house: keys and tokens in the forms that their makers gave them.
//!
//! Only unambiguous forms are looked for, so that a finding is worth a stop; a password in words is not found. Examples
//! from public documentation, and repetitions of one letter, do not count.

use std::fmt;

use super::ReportError;

/// The most that are named; the first one stops the report anyway.
const FOUND_MAX: usize = 20;

/// A secret that was found: its place and its kind, but not the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// In which text, as people name it.
    pub place: String,
    pub kind: &'static str,
    /// The line in that text, from 1.
    pub line: usize,
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.place, self.line, self.kind)
    }
}

/// Looks at texts before they are shown.
#[derive(Debug, Default)]
pub(super) struct Guard {
    found: Vec<Secret>,
}

impl Guard {
    /// Looks for secrets in a text.
    pub(super) fn look(&mut self, place: impl Fn() -> String, text: &str) {
        for (at, kind) in secrets(text) {
            if self.found.len() == FOUND_MAX {
                return;
            }
            let secret = Secret {
                place: place(),
                kind,
                line: text[..at].matches('\n').count() + 1,
            };
            if !self.found.contains(&secret) {
                self.found.push(secret);
            }
        }
    }

    /// Returns an error where something was found.
    pub(super) fn finish(self) -> Result<(), ReportError> {
        if self.found.is_empty() {
            Ok(())
        } else {
            Err(ReportError::Secrets { found: self.found })
        }
    }
}

/// How a token begins, how many characters follow at least, and whose it is; a head that begins with another comes
/// before it.
const TOKENS: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "a key of AWS"),
    ("ASIA", 16, "a key of AWS"),
    ("ghp_", 36, "a token of GitHub"),
    ("gho_", 36, "a token of GitHub"),
    ("ghu_", 36, "a token of GitHub"),
    ("ghs_", 36, "a token of GitHub"),
    ("github_pat_", 40, "a token of GitHub"),
    ("glpat-", 20, "a token of GitLab"),
    ("xoxb-", 24, "a token of Slack"),
    ("xoxp-", 24, "a token of Slack"),
    ("sk-ant-", 40, "a key of Anthropic"),
    ("sk-proj-", 40, "a key of OpenAI"),
    ("sk-", 48, "a key of OpenAI"),
    ("sk_live_", 24, "a key of Stripe"),
    ("AIza", 35, "a key of Google"),
    ("hf_", 34, "a token of Hugging Face"),
    ("npm_", 36, "a token of npm"),
    ("pypi-AgEIcHlwaS5vcmc", 40, "a token of PyPI"),
];

/// A token has at least this number of different characters; placeholders have fewer.
const DIFFERENT_MIN: usize = 8;

const KEY_HEAD: &str = "PRIVATE KEY-----";

/// At least this many characters of a key follow its head without a break.
const KEY_MIN: usize = 40;

/// Finds the beginnings of secrets, and their kinds.
fn secrets(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (head, least, kind) in TOKENS {
        for (at, _) in text.match_indices(head) {
            let is_within = text[..at]
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || c == '_');
            let rest = &text[at + head.len()..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
            let body = &rest[..end.unwrap_or(rest.len())];
            let is_new = found.iter().all(|(other, _)| *other != at);
            if is_new && !is_within && body.len() >= *least && is_drawn(body) {
                found.push((at, *kind));
            }
        }
    }
    for (at, _) in text.match_indices(KEY_HEAD) {
        let line = &text[..at];
        let line = &line[line.rfind('\n').map_or(0, |n| n + 1)..];
        let body = text[at + KEY_HEAD.len()..].chars().take(200);
        let (mut length, mut longest) = (0, 0);
        for c in body {
            let is_base64 = c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
            length = if is_base64 { length + 1 } else { 0 };
            longest = longest.max(length);
        }
        if line.contains("-----BEGIN ") && longest >= KEY_MIN {
            found.push((at, "a private key"));
        }
    }
    found.sort_unstable();
    found
}

/// Tells whether a text may have been drawn at random.
fn is_drawn(body: &str) -> bool {
    let mut letters: Vec<u8> = body.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() >= DIFFERENT_MIN && !body.contains("EXAMPLE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let kinds: Vec<&str> = secrets(text).into_iter().map(|secret| secret.1).collect();
        assert_eq!(kinds, expected, "{text}");
    }

    /// What a token looks like, put together here so that nobody takes this file for a leak.
    fn drawn(head: &str, n: usize) -> String {
        let body = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zLcFiO";
        format!("{head}{}", &body.repeat(2)[..n])
    }

    #[test]
    fn a_secret_has_the_form_that_its_maker_gave_it() {
        check(
            &format!("String t = \"{}\";", drawn("ghp_", 36)),
            &["a token of GitHub"],
        );
        check(&format!("key={}", drawn("AKIA", 16)), &["a key of AWS"]);
        check(&drawn("sk-ant-", 50), &["a key of Anthropic"]);
        let key = format!(
            "-----BEGIN RSA {KEY_HEAD}\\n\" +\n \"{}\"",
            drawn("MII", 50)
        );
        check(&key, &["a private key"]);
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        check("AKIAIOSFODNN7EXAMPLE", &[]);
        check(&format!("ghp_{}", "x".repeat(36)), &[]);
        check(&format!("my{}", drawn("ghp_", 36)), &[]);
        check(
            "assertTrue(pem.startsWith(\"-----BEGIN PRIVATE KEY-----\"));",
            &[],
        );
        check("task-sk-1 ghp_ sk- AKIA", &[]);
    }

    #[test]
    fn what_was_found_is_named_by_its_place() {
        let mut guard = Guard::default();
        guard.look(|| "a.java".to_owned(), "int a;\nint b;\n");
        let text = format!("int a;\n\"{}\"", drawn("hf_", 36));
        guard.look(|| "b.java".to_owned(), &text);
        let error = guard.finish().expect_err("there is one");
        let ReportError::Secrets { found } = error else {
            panic!("it is about secrets: {error}");
        };
        let said: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["b.java, line 2: a token of Hugging Face"]);
    }
}
