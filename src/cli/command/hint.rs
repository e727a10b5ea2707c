//! Hints that several commands give.

use std::fmt::Display;

use crate::job;
use crate::model::{JobId, readable};
use crate::table::visible;

pub const IMPORT_RUN: &str = "`focalist import FILE --run NAME` loads predictions";
pub const LIST_SAMPLES: &str = "`focalist samples` lists the keys";
pub const MAKE_WORKSPACE: &str =
    "`focalist mine PATH` makes one, `focalist demo` shows one with sample data";
pub const FREE_SPACE: &str = "free some disk space and run the same command again";
pub const ASK_SYSTEM: &str = "see what the system reports about the file";

/// Writes a command in backticks that can be pasted into a shell, whatever names are among its words.
pub fn command(words: &[&str]) -> String {
    let words = words.iter().map(|word| job::quoted(&visible(word)));
    format!("`focalist {}`", words.collect::<Vec<_>>().join(" "))
}

/// Writes the commands that fetch the sources of a repository, in backticks. The page of a tree is no place to clone
/// from: the repository is above it.
pub fn fetch(url: &str, commit: Option<&str>) -> String {
    let url = url.split("/tree/").next().unwrap_or(url);
    let name = url.trim_end_matches('/').rsplit('/').next().unwrap_or(url);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let quoted = |text: &str| job::quoted(&visible(text));
    let (url, folder) = (quoted(url), quoted(name));
    // A text that is no commit could be taken for an option.
    let is_commit =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match commit.filter(is_commit) {
        Some(commit) => format!(
            "`git clone -- {url} {folder} && git -C {folder} checkout {} --`",
            quoted(commit)
        ),
        None => format!("`git clone -- {url} {folder}`"),
    }
}

/// Writes the hint about a run that was never evaluated.
pub fn not_evaluated(run: &str) -> String {
    let command = command(&["eval", "--run", run]);
    format!("run {} is not evaluated; {command} does it", visible(run))
}

pub fn resume(id: JobId) -> String {
    format!("`focalist jobs resume {id}` resumes it")
}

/// Writes the line under a list that is cut short.
pub fn cut_short(n_shown: impl Display, n_all: impl Display) -> String {
    let [n_shown, n_all] = [n_shown.to_string(), n_all.to_string()];
    format!(
        "{} of {}; `--limit 0` lists all",
        readable(&n_shown),
        readable(&n_all)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fetches_sources_can_be_pasted() {
        let check = |url, commit, expected: &str| assert_eq!(fetch(url, commit), expected);
        check(
            "https://example.org/o/r/tree/abc",
            Some("abc"),
            "`git clone -- https://example.org/o/r r && git -C r checkout abc --`",
        );
        check(
            "https://example.org/o/$(r).git",
            Some("--orphan"),
            "`git clone -- 'https://example.org/o/$(r).git' '$(r)'`",
        );
    }

    #[test]
    fn a_list_that_is_cut_short_says_how_long_it_is() {
        let said = cut_short(50, 3_420_u64);
        assert_eq!(said, "50 of 3,420; `--limit 0` lists all");
    }

    #[test]
    fn a_command_in_a_hint_can_be_pasted() {
        let check =
            |name: &str, expected: &str| assert_eq!(command(&["eval", "--run", name]), expected);
        check("tuned", "`focalist eval --run tuned`");
        check("a&b_c|d", "`focalist eval --run 'a&b_c|d'`");
        check("my run", "`focalist eval --run 'my run'`");
        check("it's", r"`focalist eval --run 'it'\''s'`");
    }
}
