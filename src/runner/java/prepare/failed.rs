//! Why something could not be downloaded, and what helps. A build without a network only says that it has none.

use std::collections::BTreeSet;

/// Parts of messages of Maven or Java, and the advice for each; the first that fits counts.
const ADVICE: [(&[&str], &str); 9] = [
    (
        &["401", "Unauthorized", "uthentication failed"],
        "its repository needs a password, and a pom gets none of yours: pair the repository's id with its address in your \
         Maven settings, in a profile or as a mirror",
    ),
    (
        &["403", "Forbidden", "uthorization failed"],
        "its repository denies you access: check your Maven settings for it",
    ),
    (
        &["407", "Proxy Authentication"],
        "the proxy needs a password: put it into your Maven settings",
    ),
    (
        &[
            "UnknownHost",
            "Unknown host",
            "Name or service not known",
            "name resolution",
        ],
        "its host is not known here: is there a network, or a proxy that Maven needs to know?",
    ),
    (
        &["hecksum"],
        "the downloaded file does not match its checksum: try again later, or ask the owner of the repository",
    ),
    (
        &["PKIX", "certificate", "SSL"],
        "its host is not trusted here: `-Djavax.net.ssl.trustStore=FILE` in `MAVEN_OPTS` names a trust store",
    ),
    (
        &["http-blocker", "Blocked mirror", "blocked"],
        "Maven downloads nothing over plain HTTP: a mirror in your settings can name another address",
    ),
    (
        &[
            "Connection refused",
            "timed out",
            "unreachable",
            "Connection reset",
        ],
        "its host does not answer: try again later, or name a mirror in your Maven settings",
    ),
    (
        &["Could not find", "was not found", "could not be found"],
        "no repository that was asked has it",
    ),
];

/// Puts the failure of a download that a reason is about, with advice, before the reason; returns the reason unchanged
/// where no download has failed.
pub fn explained(reason: &str, failures: &BTreeSet<String>) -> String {
    let words = reason.split(|reason: char| reason.is_whitespace() || "'\",()[]".contains(reason));
    let artifacts: BTreeSet<String> = words.filter_map(artifact).collect();
    let is_about = |text: &&String| artifacts.iter().any(|artifact| text.contains(artifact));
    let about: Vec<&String> = failures.iter().filter(is_about).collect();
    // Where a download was tried more than once, only the first message is complete.
    let telling = about.iter().find(|text| advice(text).is_some());
    let Some(failure) = telling.or(about.first()).copied().or(failures.first()) else {
        return reason.to_owned();
    };
    // The last line of Maven's chain of reasons says what has happened; an earlier one says to which artifact.
    let lines: Vec<&str> = failure.lines().collect();
    let what = lines.iter().rev().find(|line| line.contains("Could not"));
    let last = lines.last().copied().unwrap_or_default();
    let said = match what {
        Some(what) if !what.contains(last) => format!("{what}: {last}"),
        _ => last.to_owned(),
    };
    let advice = advice(failure).map_or(String::new(), |text| format!("\n{text}"));
    format!("cannot be downloaded: {said}{advice}\n{reason}")
}

/// Returns the advice on a known failure.
fn advice(failure: &str) -> Option<&'static str> {
    let mut all = ADVICE.iter();
    let found = all.find(|pair| pair.0.iter().any(|mark| failure.contains(mark)));
    found.map(|found| found.1)
}

/// Reads `group:artifact:` of a word with coordinates; nothing for other words.
fn artifact(word: &str) -> Option<String> {
    let mut parts = word.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    parts.next()?;
    Some(format!("{group}:{artifact}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failure_of_the_download_comes_first_with_what_helps() {
        let offline = "Cannot access r (http://r) in offline mode and the artifact g:b:jar:1 has not been downloaded from it";
        let check = |failures: &[&str], expected: &str| {
            let failures = failures
                .iter()
                .map(|failure| (*failure).to_owned())
                .collect();
            let said = explained(offline, &failures);
            let lines: Vec<&str> = said.lines().collect();
            assert!(said.ends_with(offline), "{said}");
            assert!(
                lines[..lines.len() - 1].join("\n").contains(expected),
                "{said}"
            );
        };
        check(
            &[
                "x\nCould not transfer g:a:jar:1 from/to r: status code: 403",
                "x\nCould not transfer g:b:jar:1 from/to r: status code: 401, reason phrase: Unauthorized (401)",
            ],
            "needs a password",
        );
        check(
            &[
                "Could not transfer artifact g:b:pom:1 from/to r (https://r): r: Name or service not known",
            ],
            "is not known here",
        );
        check(
            &["Could not transfer g:b:jar:1: Checksum validation failed, expected a but is b"],
            "does not match its checksum",
        );
        check(
            &["Could not find artifact g:b:jar:1 in r"],
            "no repository that was asked has it",
        );
        assert_eq!(explained(offline, &BTreeSet::new()), offline);
    }
}
