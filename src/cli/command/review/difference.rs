//! `verdicts --stale --diff`: under each verdict what has changed since, as every `diff -u` writes it.

use std::io::{self, Write};

use super::stale;
use crate::Context;
use crate::command::judgement_words::verdict_words;
use crate::command::unified;
use crate::diff;
use crate::failure::Stop;
use crate::model::SnapshotMethod;
use crate::review::{self, Difference, StandingVerdict};
use crate::store::{Store, Verdicts};
use crate::table::visible;

pub(super) fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    verdicts: &Verdicts,
    standings: &[StandingVerdict],
) -> Result<(), Stop> {
    for standing in standings {
        let verdict = &standing.verdict;
        let test = standing
            .state
            .as_ref()
            .map_or("", |sample_state| &sample_state.test);
        let out = &mut context.streams.out;
        writeln!(
            out,
            "{} {} · {} · {} · {}",
            &verdict.judged.key.to_string()[..12],
            visible(test),
            visible(&verdict.annotator),
            visible(&verdict_words(verdict)),
            stale(standing)
        )?;
        match review::difference(store, verdicts, &verdict.judged)? {
            Some(difference) => write_difference(out, &difference)?,
            None => writeln!(out, "    the judged code was not kept")?,
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_difference(out: &mut dyn Write, difference: &Difference) -> io::Result<()> {
    let (then, now) = (&difference.then, difference.now.as_ref());
    if difference.is_elsewhere()
        && then.focal.as_ref().map(key) == now.and_then(|snapshot| snapshot.focal.as_ref()).map(key)
    {
        return writeln!(
            out,
            "    test and focal method are what they were; a fixture or a context has changed"
        );
    }
    let parts = [
        (
            "test",
            Some(&then.test),
            now.map(|snapshot| &snapshot.test),
            difference.test_texts(),
            &difference.test,
        ),
        (
            "focal method",
            then.focal.as_ref(),
            now.and_then(|snapshot| snapshot.focal.as_ref()),
            difference.focal_texts(),
            &difference.focal,
        ),
    ];
    for (name, old, new, texts, rows) in parts {
        let names = (old.map(key), new.map(key));
        if diff::is_same(rows) && names.0 == names.1 {
            continue;
        }
        let of = |name: Option<&str>| name.map_or_else(|| "none".to_owned(), visible);
        writeln!(out, "    --- {name} {}", of(names.0))?;
        writeln!(out, "    +++ {name} {}", of(names.1))?;
        unified::write(out, "    ", texts, rows)?;
    }
    Ok(())
}

fn key(method: &SnapshotMethod) -> &str {
    &method.key
}
