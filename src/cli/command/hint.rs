//! What helps, where several commands say it.

use std::fmt::Display;

use crate::job;
use crate::model::JobId;
use crate::table::visible;

pub const IMPORT_RUN: &str = "`focalist import FILE --run NAME` loads predictions";
pub const LIST_SAMPLES: &str = "`focalist samples` lists the keys";
pub const MAKE_WORKSPACE: &str =
    "`focalist mine PATH` makes one, `focalist demo` shows one with sample data";
pub const ASK_SYSTEM: &str = "see what the system reports about the file";

/// Returns a command in backticks that can be pasted into a shell, whatever names are among its words.
pub fn command(words: &[&str]) -> String {
    let words = words.iter().map(|it| job::quoted(&visible(it)));
    format!("`focalist {}`", words.collect::<Vec<_>>().join(" "))
}

/// Returns what to say of a run whose answers nobody has looked at.
pub fn not_evaluated(run: &str) -> String {
    let command = command(&["eval", "--run", run]);
    format!("run {} is not evaluated; {command} does it", visible(run))
}

pub fn resume(id: JobId) -> String {
    format!("`focalist jobs resume {id}` resumes it")
}

/// Returns what to say under a list that is cut short.
pub fn cut_short(n_shown: impl Display, n_all: impl Display) -> String {
    format!("{n_shown} of {n_all}; `--limit 0` lists all")
}

#[cfg(test)]
mod tests {
    use super::*;

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
