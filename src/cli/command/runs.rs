//! The command `runs`, and its tables.

mod languages;

use std::io::{self, Write};

use crate::Context;
use crate::args::{self, TableName};
use crate::chart::csv_cell;
use crate::command::mining::describe;
use crate::command::{executed, hint, metrics, workspace};
use crate::eval::evaluate::runs_named;
use crate::eval::executed::{AtK, Executed};
use crate::exchange::outcomes::{WireRunExecuted, languages_of};
use crate::exchange::{WireProblem, WireRun, WireScored, write_line};
use crate::execute::repair::Repairs;
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::{METRICS, Metric};
use crate::model::{CoverScope, LanguageFunnel, RunRow, Tag, counted};
use crate::store::{ScoredPrediction, Store};
use crate::table::{Align, Numbers, Table};

pub fn list(context: &mut Context<'_, '_>, asked: &args::Runs) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let runs = runs_named(&store, &asked.names)?;
    if asked.samples {
        return samples(context, &store, &runs, asked);
    }
    if asked.problems {
        for run in &runs {
            for problem in store.run_problems(run.id, usize::MAX)? {
                if asked.shown.format() == TableName::Json {
                    write_line(context.streams.out, &WireProblem::new(None, &problem))?;
                } else {
                    let line = crate::table::visible(&describe(&problem));
                    writeln!(context.streams.out, "{line}")?;
                }
            }
        }
        return Ok(());
    }
    let shown = shown(&runs, &asked.metrics)?;
    if asked.by.is_some() {
        return languages::list(context, &store, (&runs, &shown), asked.shown.format());
    }
    if runs.is_empty() {
        context.say(&format!("no runs yet; {}", hint::IMPORT_RUN));
    }
    let executed = executed::of_runs(&store, &runs)?;
    let parsed = executed::parsed_of_runs(&store, &runs)?;
    let languages = executed::languages_of_runs(&store, &runs)?;
    let rows = Rows {
        runs: &runs,
        executed: &executed,
        parsed: &parsed,
        languages: &languages,
        scope: asked.shown.scope,
    };
    write(context, rows, &shown, asked.shown.format())?;
    for (run, executed) in runs.iter().zip(&executed) {
        tell_made_otherwise(context, run, executed.as_ref());
    }
    Ok(())
}

/// Says which outcomes were made by another repair than the one that holds where nobody asks for any.
fn tell_made_otherwise(context: &mut Context<'_, '_>, run: &RunRow, executed: Option<&Executed>) {
    let usual = Repairs::usual(run.setting.target).as_str();
    for (repair, n) in executed.map_or_else(Vec::new, Executed::repairs) {
        if !repair.is_empty() && repair != usual {
            context.say(&format!(
                "run {}: {} made with `--repair {repair}`, the default is `{usual}`; {} makes them again",
                crate::table::visible(&run.setting.name),
                counted(n, "outcome"),
                hint::command(&["execute", &run.setting.name, "--force"])
            ));
        }
    }
}

/// Runs, and what became of each when it was executed.
#[derive(Clone, Copy)]
pub struct Rows<'r> {
    pub runs: &'r [RunRow],
    pub executed: &'r [Option<Executed>],
    /// Attempts taken together; nothing for runs with one each.
    pub parsed: &'r [Vec<AtK>],
    pub languages: &'r [Vec<LanguageFunnel>],
    pub scope: CoverScope,
}

/// Writes a line for every prediction.
fn samples(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    asked: &args::Runs,
) -> Result<(), Stop> {
    let shown = shown(runs, &asked.metrics)?;
    let format = asked.shown.format();
    if matches!(format, TableName::Latex | TableName::Markdown) {
        let message = "`--samples` writes lines for programs, not tables for papers";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--format json` and `--format csv` write them")
            .into());
    }
    let is_csv = format == TableName::Csv;
    if is_csv {
        let columns = "run,sample,attempt,parsable,line,column,tokens,reference_tokens";
        let ids: Vec<&str> = shown.iter().map(|it| it.id).collect();
        writeln!(context.streams.out, "{columns},{}", ids.join(","))?;
    }
    for run in runs {
        let ids: Vec<&str> = shown.iter().map(|it| it.id).collect();
        let found = store.evaluations(run.id, &ids)?;
        let known: Vec<(&'static Metric, i64)> = shown
            .iter()
            .zip(found)
            .filter_map(|(metric, found)| Some((*metric, found?)))
            .collect();
        let evaluations: Vec<i64> = known.iter().map(|it| it.1).collect();
        let out = &mut *context.streams.out;
        store.each_score(run.id, &evaluations, |scored| {
            let scores = || known.iter().map(|it| it.0).zip(&scored.scores);
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
                tags: scored.tags.map(|it| it.iter().map(Tag::as_str).collect()),
                scores: scores().map(|(metric, it)| (metric.id, it.value)).collect(),
                parts: scores()
                    .filter_map(|(metric, it)| Some((metric.id, metric.named_parts(it)?.collect())))
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
        place.map_or_else(String::new, |it| it.to_string())
    };
    let mut cells = vec![
        run.setting.name.clone(),
        scored.key.to_string(),
        scored.attempt.to_string(),
        reading.syntax_error.is_none().to_string(),
        place(|it| it.0),
        place(|it| it.1),
        reading.n_tokens.to_string(),
        reading.n_reference_tokens.to_string(),
    ];
    cells.extend(shown.iter().map(|metric| {
        let place = known.iter().position(|it| it.0 == *metric);
        place.map_or_else(String::new, |place| scored.scores[place].value.to_string())
    }));
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(cells.iter().map(|cell| csv_cell(cell).into_owned()))?;
    writer.flush()
}

/// Returns the metrics that are asked for, or all that some run has.
fn shown(runs: &[RunRow], asked: &[String]) -> Result<Vec<&'static Metric>, Stop> {
    if !asked.is_empty() {
        return metrics::named(asked);
    }
    let is_known = |metric: &Metric| runs.iter().any(|run| run.evaluation(metric.id).is_some());
    Ok(METRICS.iter().filter(|metric| is_known(metric)).collect())
}

/// Writes runs with what they scored.
pub fn write(
    context: &mut Context<'_, '_>,
    rows: Rows<'_>,
    metrics: &[&'static Metric],
    format: TableName,
) -> Result<(), Stop> {
    if format == TableName::Json {
        let known: Vec<(&'static str, u32)> =
            metrics.iter().map(|it| (it.id, it.version)).collect();
        for (idx, (run, executed)) in rows.runs.iter().zip(rows.executed).enumerate() {
            let languages = &rows.languages[idx];
            let executed = executed.as_ref().map(|it| WireRunExecuted {
                by_language: languages_of(languages),
                ..executed::wire(it)
            });
            let line = WireRun {
                parse_at_k: executed::wire_parsed(&rows.parsed[idx]),
                executed,
                ..WireRun::new(run, &known).in_languages(languages)
            };
            write_line(context.streams.out, &line)?;
        }
        return Ok(());
    }
    let is_for_paper = matches!(format, TableName::Latex | TableName::Markdown);
    Ok(write_as(
        &runs_table(rows, metrics, is_for_paper, format),
        format,
        context.streams.out,
    )?)
}

pub fn write_as(table: &Table, format: TableName, out: &mut dyn Write) -> io::Result<()> {
    match format {
        TableName::Table | TableName::Json => table.write(out),
        TableName::Csv => table.write_csv(out),
        TableName::Latex => table.write_latex(out),
        TableName::Markdown => table.write_markdown(out),
    }
}

/// Two rows a run as in ConTest's Table 2: its values over all predictions that parse, and the same adjusted by equation
/// (2), besides those over all. In tables for papers, run and row share a column: a run has a name of its own, its model may
/// have several runs.
fn runs_table(
    rows: Rows<'_>,
    metrics: &[&'static Metric],
    is_for_paper: bool,
    format: TableName,
) -> Table {
    let (runs, numbers) = (rows.runs, Numbers::of(format));
    let mut columns = vec![("Run".to_owned(), Align::Left)];
    if !is_for_paper {
        "run".clone_into(&mut columns[0].0);
        columns.push(("over".to_owned(), Align::Left));
    }
    columns.push((
        if is_for_paper { "Samples" } else { "samples" }.to_owned(),
        Align::Right,
    ));
    let has_lost = |run: &RunRow| run.n_without_reference().is_some_and(|n| n > 0);
    let tells_lost = !is_for_paper && runs.iter().any(has_lost);
    if tells_lost {
        columns.push(("no reference".to_owned(), Align::Right));
    }
    let titles = metrics
        .iter()
        .map(|metric| numbers.head(&metric.corpus_title()));
    columns.extend(titles.map(|it| (it, Align::Right)));
    columns.push((numbers.head("Unparsable"), Align::Right));
    let has_limit = runs.iter().any(|run| run.setting.length_max.is_some());
    if has_limit {
        columns.push((numbers.head("Max length exceeded"), Align::Right));
    }
    let all_parsed = rows.parsed;
    columns.extend(executed::parsed_columns(all_parsed, format));
    columns.extend(executed::columns(rows.executed, format));
    let none = || numbers.none().to_owned();
    let mut table = Table::new(&columns);
    for (idx, (run, executed)) in runs.iter().zip(rows.executed).enumerate() {
        // What became of a run is the same for all its rows: the first of them says it.
        let mut executed = executed.as_ref();
        for over in [Over::All, Over::Parsable, Over::Adjusted] {
            let setting = &run.setting;
            let mut cells = if is_for_paper {
                vec![format!("{} ({})", setting.name, over.as_str())]
            } else {
                vec![setting.name.clone(), over.as_str().to_owned()]
            };
            let n_samples = over.n_samples(run);
            cells.push(n_samples.map_or_else(none, |n| n.to_string()));
            if tells_lost {
                let n = run.n_without_reference();
                cells.push(n.map_or_else(none, |n| n.to_string()));
            }
            cells.extend(metrics.iter().map(|it| numbers.share(over.value(run, it))));
            cells.push(numbers.share(run.unparsable_rate()));
            if has_limit {
                cells.push(numbers.share(run.over_length_rate()));
            }
            let executed = executed.take();
            let parsed: &[AtK] = match all_parsed.get(idx) {
                Some(parsed) if over == Over::All => parsed,
                _ => &[],
            };
            cells.extend(executed::parsed_cells(all_parsed, parsed, format));
            cells.extend(executed::cells(rows.executed, executed, rows.scope, format));
            table.row(cells);
        }
    }
    table
}

/// Which predictions a value is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    All,
    Parsable,
    Adjusted,
}

impl Over {
    const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Parsable => "parsable",
            Self::Adjusted => "adjusted",
        }
    }

    /// Returns how many samples it is over; nothing while nobody has looked which of the answers parse.
    fn n_samples(self, run: &RunRow) -> Option<u64> {
        match self {
            Self::All | Self::Adjusted => Some(run.n_samples),
            Self::Parsable => Some(run.n_scored.saturating_sub(run.n_unparsable?)),
        }
    }

    /// Returns nothing while the metric is not computed in its current version.
    fn value(self, run: &RunRow, metric: &Metric) -> Option<f64> {
        let evaluation = run.evaluation(metric.id)?;
        if evaluation.version != metric.version {
            return None;
        }
        match self {
            Self::All => evaluation.value,
            Self::Parsable => evaluation.value_parsable,
            Self::Adjusted => run.adjusted(metric.id),
        }
    }
}
