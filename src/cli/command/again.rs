//! Messages about a run's tests that were run again: on other code, or with something changed around them.

use crate::Context;
use crate::model::counted;
use crate::table::visible;

/// Prints each note as a warning.
pub fn warn<'n>(context: &mut Context<'_, '_>, notes: impl IntoIterator<Item = &'n String>) {
    for note in notes {
        context.say(&format!("warning: {}", visible(note)));
    }
}

/// Reports how many tests have no number, by the reason, then how many were run now, and how many before.
pub fn tell(
    context: &mut Context<'_, '_>,
    run: &str,
    unknown: &[(u64, &str)],
    [(n_now, now), (n_kept, before)]: [(u64, &str); 2],
) {
    for (n, what) in unknown.iter().filter(|(n, _)| *n > 0) {
        context.say(&format!("run {run}: {} {what}", counted(*n, "test")));
    }
    context.say(&format!(
        "run {run}: {} {now} now, {n_kept} {before}",
        counted(n_now, "test")
    ));
}
