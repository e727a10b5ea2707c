//! Running a row's arguments again: which of them nobody runs by mistake, and whose row it is.

use std::ffi::OsString;
use std::path::Path;

use crate::model::JobId;
use crate::store::NewJob;

use super::{JobError, Jobs, launch};

/// Why an option is not run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// It takes protection away: a user who wants that types it.
    Protection,
    /// It names a program to start, or a destination of prompts and keys, and a stranger wrote it.
    Foreign,
}

impl Lowering {
    /// Returns the reason as a predicate: it reads on behind the option's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Protection => "lowers your protection",
            Self::Foreign => "was written by another user",
        }
    }
}

/// Whether the user has seen the command and wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Unasked,
    Given,
}

/// Options that are not run again, each with the value for which that holds; without one, any.
const LOWERED: &[(&str, Option<&str>, Lowering)] = &[
    ("--sandbox", Some("none"), Lowering::Protection),
    ("--build-network", None, Lowering::Protection),
    // Programs.
    ("--fetch", None, Lowering::Foreign),
    ("--program", None, Lowering::Foreign),
    // Where prompts and keys go, and the file that says so.
    ("--endpoint", None, Lowering::Foreign),
    ("--key-env", None, Lowering::Foreign),
    ("--allow-http", None, Lowering::Foreign),
    ("--config", None, Lowering::Foreign),
];

/// Finds the first option that is not run again, and the reason: of the user's own jobs those that lower protection, of
/// others' also those that name programs, endpoints and keys. Words after `--` count, too: whether that ends the
/// options is for the verb to say, and no name looks like these.
#[must_use]
pub fn lowered(arguments: &[OsString], is_ours: bool) -> Option<(String, Lowering)> {
    let all = (0..arguments.len()).filter_map(|idx| lowered_option(&arguments[idx..]));
    all.filter(|dropped_option| !is_ours || dropped_option.why == Lowering::Protection)
        .map(|dropped_option| (dropped_option.shown, dropped_option.why))
        .next()
}

/// Strips the options that lower protection.
#[must_use]
pub fn protected(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        if let Some(found) =
            lowered_option(rest).filter(|dropped_option| dropped_option.why == Lowering::Protection)
        {
            rest = &rest[found.n_words..];
        } else {
            kept.push(word.clone());
            rest = after;
        }
    }
    kept
}

/// An option that is not run again.
struct DroppedOption {
    shown: String,
    why: Lowering,
    /// The number of words that it and its value take.
    n_words: usize,
}

/// Finds the option that is not run again in the first of these words; its value follows `=` or is the next word.
fn lowered_option(words: &[OsString]) -> Option<DroppedOption> {
    let word = words.first()?.to_string_lossy();
    let behind = words.get(1).map(|word| word.to_string_lossy());
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (&*word, None),
    };
    let (option, wanted, why) = LOWERED.iter().find(|entry| entry.0 == name)?;
    let Some(wanted) = wanted else {
        return Some(DroppedOption {
            shown: (*option).to_owned(),
            why: *why,
            n_words: 1,
        });
    };
    (value.or(behind.as_deref()) == Some(*wanted)).then(|| DroppedOption {
        shown: format!("{option} {wanted}"),
        why: *why,
        n_words: if value.is_some() { 1 } else { 2 },
    })
}

/// Starts a job with a row's arguments, which may have been adapted; `again.retry_of` is the row.
///
/// # Errors
/// As [`super::start`]; where the arguments are not run again ([`JobError::Lowered`]), and where the row is not the
/// user's own and nobody was asked ([`JobError::Foreign`]).
pub fn resume(folder: &Path, again: &NewJob, consent: Consent) -> Result<JobId, JobError> {
    let Some(id) = again.retry_of else {
        return launch::start(folder, again);
    };
    let is_ours = Jobs::open_or_empty(folder)?.row(id)?.is_ours;
    if let Some((option, why)) = lowered(&again.arguments, is_ours) {
        return Err(JobError::Lowered { id, option, why });
    }
    if !is_ours && consent == Consent::Unasked {
        return Err(JobError::Foreign { id });
    }
    launch::start(folder, again)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], is_ours: bool, expected: Option<&str>) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let found = lowered(&words, is_ours).map(|pair| pair.0);
        assert_eq!(found.as_deref(), expected, "{words:?}");
    }

    #[test]
    fn protection_is_lowered_by_nobody_and_programs_are_named_by_the_user_alone() {
        for is_ours in [true, false] {
            let none = Some("--sandbox none");
            check(&["prepare", "x", "--sandbox", "none"], is_ours, none);
            check(&["prepare", "--sandbox=none", "x"], is_ours, none);
            check(
                &["prepare", "--name", "--", "--sandbox=none"],
                is_ours,
                none,
            );
            check(&["prepare", "--sandbox", "bwrap", "none"], is_ours, None);
            check(
                &["prepare", "--build-network"],
                is_ours,
                Some("--build-network"),
            );
            check(&["mine", "repos", "--each"], is_ours, None);
        }
        let ask = ["generate", "--endpoint=http://127.0.0.1/v1", "--run", "r"];
        check(&ask, true, None);
        check(&ask, false, Some("--endpoint"));
        check(
            &["mine", "--fetch", "sh {url} {dir}"],
            false,
            Some("--fetch"),
        );
        check(&["--config", "c.toml", "generate"], false, Some("--config"));
        check(&["train", "--program", "./x"], false, Some("--program"));
    }

    #[test]
    fn what_lowers_protection_is_left_out_with_its_value() {
        let check = |words: &[&str], expected: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(protected(&words), expected);
        };
        check(&["a", "--sandbox", "none", "b"], &["a", "b"]);
        check(&["--sandbox=none", "--build-network"], &[]);
        check(
            &["--sandbox", "bwrap", "--x"],
            &["--sandbox", "bwrap", "--x"],
        );
        check(
            &["--endpoint=u", "--sandbox"],
            &["--endpoint=u", "--sandbox"],
        );
    }
}
