//! The command `runs --samples`: a line for every prediction, written as it is read, so that runs of any length need
//! little memory.

use std::io::{self, Write};

use crate::Context;
use crate::args::{self, TableName};
use crate::chart::csv_cell;
use crate::command::metrics;
use crate::exchange::{WireScored, write_line};
use crate::failure::Stop;
use crate::metric::Metric;
use crate::model::{RunRow, Tag};
use crate::store::{ScoredPrediction, Store};

use super::{no_table, of_profile, table};

/// Writes a line for every prediction.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    arguments: &args::Runs,
) -> Result<(), Stop> {
    let shown = match (arguments.metrics.as_slice(), arguments.profile) {
        ([], None) => table::stored(runs),
        ([], Some(profile)) => of_profile(profile),
        (names, _) => metrics::named(names)?,
    };
    let format = arguments.shown.format.name();
    if matches!(format, TableName::Latex | TableName::Markdown) {
        let message = "`--samples` writes lines for programs, not tables for papers";
        return Err(no_table(
            message,
            "`--format json` and `--format csv` write them",
        ));
    }
    let is_csv = format == TableName::Csv;
    if is_csv {
        let columns = "run,sample,attempt,parsable,line,column,tokens,reference_tokens";
        let ids: Vec<&str> = shown.iter().map(|metric| metric.id).collect();
        writeln!(context.streams.out, "{columns},{}", ids.join(","))?;
    }
    for run in runs {
        let ids: Vec<&str> = shown.iter().map(|metric| metric.id).collect();
        let found = store.evaluations(run.id, &ids)?;
        let known: Vec<(&'static Metric, i64)> = shown
            .iter()
            .zip(found)
            .filter_map(|(metric, found)| Some((*metric, found?)))
            .collect();
        let evaluations: Vec<i64> = known.iter().map(|known| known.1).collect();
        let out = &mut *context.streams.out;
        store.each_score(run.id, &evaluations, |scored| {
            let scores = || known.iter().map(|known| known.0).zip(&scored.scores);
            if is_csv {
                return Ok::<_, Stop>(csv_line(out, run, &shown, &known, &scored)?);
            }
            let reading = &scored.reading;
            let line = WireScored {
                run: &run.setting.name,
                sample: scored.key.to_string(),
                attempt: scored.attempt,
                parsable: reading.syntax_error.is_none(),
                syntax_error: reading.syntax_error.map(<[u32; 2]>::from),
                n_tokens: reading.n_tokens,
                n_reference_tokens: reading.n_reference_tokens,
                changed: reading.is_changed,
                without_reference: !reading.has_reference,
                tags: scored.tags.map(|tag| tag.iter().map(Tag::as_str).collect()),
                scores: scores()
                    .map(|(metric, score)| (metric.id, score.value))
                    .collect(),
                parts: scores()
                    .filter_map(|(metric, score)| {
                        Some((metric.id, metric.named_parts(score)?.collect()))
                    })
                    .collect(),
            };
            Ok(write_line(out, &line)?)
        })?;
    }
    Ok(())
}

/// Writes one prediction as a row of CSV; a metric that the run does not have is empty.
fn csv_line(
    out: &mut dyn Write,
    run: &RunRow,
    shown: &[&'static Metric],
    known: &[(&'static Metric, i64)],
    scored: &ScoredPrediction,
) -> io::Result<()> {
    let reading = &scored.reading;
    let place = |of: fn((u32, u32)) -> u32| {
        let place = reading.syntax_error.map(of);
        place.map_or_else(String::new, |place| place.to_string())
    };
    let mut cells = vec![
        run.setting.name.clone(),
        scored.key.to_string(),
        scored.attempt.to_string(),
        reading.syntax_error.is_none().to_string(),
        place(|pair| pair.0),
        place(|pair| pair.1),
        reading.n_tokens.to_string(),
        reading.n_reference_tokens.to_string(),
    ];
    cells.extend(shown.iter().map(|metric| {
        let place = known.iter().position(|pair| pair.0 == *metric);
        place.map_or_else(String::new, |place| scored.scores[place].value.to_string())
    }));
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(cells.iter().map(|cell| csv_cell(cell).into_owned()))?;
    writer.flush()
}
