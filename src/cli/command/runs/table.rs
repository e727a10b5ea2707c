//! The tables of runs: one row a run with few columns, or all that is known, as papers have it.

use crate::Context;
use crate::args::{self, TableName};
use crate::command::usage::{self, PricedUsage};
use crate::command::{executed, metrics};
use crate::eval::executed::{AtK, RunOutcomes};
use crate::eval::interval::{PARSES, parsable};
use crate::exchange::{WireRun, write_lines};
use crate::failure::Stop;
use crate::metric::{METRICS, Metric, Profile, metric};
use crate::model::{CoverScope, LanguageFunnel, RunKind, RunRow};
use crate::table::{Align, NumberStyle, TextTable};

/// Runs, with the execution of each.
#[derive(Clone, Copy)]
pub struct RunTableRows<'r> {
    pub runs: &'r [RunRow],
    pub executed: &'r [Option<RunOutcomes>],
    /// Attempts taken together; nothing for runs with one each.
    pub parsed: &'r [Vec<AtK>],
    /// Their funnels, one for each language of their samples.
    pub languages: &'r [Vec<LanguageFunnel>],
    /// The parser that decided, where it was no grammar; empty where that is unknown.
    pub parsers: &'r [Option<String>],
    /// The costs of their answers; empty where they are not asked for.
    pub spent: &'r [Option<PricedUsage>],
    pub scope: CoverScope,
}

impl RunTableRows<'_> {
    /// Names the column for the parser that decided, where that was no grammar.
    fn parser_head(&self) -> Option<(String, Align)> {
        let is_told = self.parsers.iter().any(Option::is_some);
        is_told.then(|| ("parser".to_owned(), Align::Left))
    }

    fn parser_cell(&self, idx: usize) -> Option<String> {
        self.parser_head()?;
        let parser = self.parsers.get(idx)?;
        Some(parser.clone().unwrap_or_else(|| "grammar".to_owned()))
    }

    fn spent(&self, idx: usize) -> Option<&PricedUsage> {
        self.spent.get(idx)?.as_ref()
    }

    /// Tells whether a table for programs shows what answers took.
    fn tells_spent(&self, numbers: NumberStyle) -> bool {
        numbers == NumberStyle::Machine && self.spent.iter().any(Option::is_some)
    }
}

/// The columns to show about runs.
#[derive(Clone, Debug)]
pub struct RunTableLayout {
    pub metrics: Vec<&'static Metric>,
    /// The number of further metrics that some run has.
    pub n_more: usize,
    rows: RunRowMode,
    ran: ExecutionVerbosity,
}

/// The rows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunRowMode {
    /// One, over all first answers.
    All,
    /// Three, as in ConTest's Table 2: also over those that parse, and adjusted by their share.
    Each,
}

/// The columns about executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExecutionVerbosity {
    /// The share of samples that is correct, and attempts taken together.
    Correct,
    /// Also the funnel of unique candidates and what they cover.
    All,
}

impl RunTableLayout {
    /// Makes the layout of these metrics: with few columns besides, or for programs with all.
    pub fn of_metrics(metrics: Vec<&'static Metric>, format: TableName) -> Self {
        let is_brief = NumberStyle::of(format) == NumberStyle::People;
        Self {
            metrics,
            n_more: 0,
            rows: if is_brief {
                RunRowMode::All
            } else {
                RunRowMode::Each
            },
            ran: if is_brief {
                ExecutionVerbosity::Correct
            } else {
                ExecutionVerbosity::All
            },
        }
    }

    /// Chooses the requested columns; without a request, people get few and programs all.
    pub fn of(runs: &[RunRow], arguments: &args::Runs) -> Result<Self, Stop> {
        let is_for_people = NumberStyle::of(arguments.shown.format.name()) == NumberStyle::People;
        let stored = stored(runs);
        let is_stored = |metric: &&Metric| {
            stored
                .iter()
                .any(|stored_metric| stored_metric.id == metric.id)
        };
        let is_chosen = arguments.profile.is_some() || !arguments.metrics.is_empty();
        let profile = arguments.profile.unwrap_or_default();
        let metrics = match arguments.metrics.as_slice() {
            [all] if all == "all" => stored.clone(),
            [] if is_chosen => of_profile(profile),
            [] if is_for_people => {
                // A metric that no run has is no column; but a user with one CodeBLEU may look for the other.
                let columns = of_profile(profile);
                let has_other = stored.iter().any(|metric| metric.id == "codebleu");
                let is_codebleu = |metric: &&Metric| metric.id.starts_with("codebleu");
                let kept = columns
                    .into_iter()
                    .filter(|column| is_stored(column) || (has_other && is_codebleu(column)));
                let kept: Vec<&'static Metric> = kept.collect();
                if kept.is_empty() {
                    stored.clone()
                } else {
                    kept
                }
            }
            [] => stored.clone(),
            names => metrics::named(names)?,
        };
        let usual = Self::of_metrics(Vec::new(), arguments.shown.format.name());
        let (mut rows, ran) = match arguments.profile {
            None => (usual.rows, usual.ran),
            Some(Profile::Contest) => (RunRowMode::Each, ExecutionVerbosity::Correct),
            Some(Profile::Tests4J) => (RunRowMode::All, ExecutionVerbosity::All),
            Some(Profile::Default | Profile::Mera) => {
                (RunRowMode::All, ExecutionVerbosity::Correct)
            }
        };
        if arguments.adjusted {
            rows = RunRowMode::Each;
        }
        let n_shown = stored
            .iter()
            .filter(|metric| metrics.contains(metric))
            .count();
        let hides = is_for_people && arguments.metrics.is_empty();
        Ok(Self {
            n_more: if hides { stored.len() - n_shown } else { 0 },
            metrics,
            rows,
            ran,
        })
    }
}

/// Lists the metrics that some run has.
pub fn stored(runs: &[RunRow]) -> Vec<&'static Metric> {
    let is_known = |metric: &Metric| runs.iter().any(|run| run.evaluation(metric.id).is_some());
    METRICS.iter().filter(|metric| is_known(metric)).collect()
}

/// Lists the columns of a profile.
pub fn of_profile(profile: Profile) -> Vec<&'static Metric> {
    profile
        .columns()
        .iter()
        .filter_map(|id| metric(id))
        .collect()
}

/// Writes runs with what they scored.
pub fn write(
    context: &mut Context<'_, '_>,
    rows: RunTableRows<'_>,
    shown: &RunTableLayout,
    format: TableName,
) -> Result<(), Stop> {
    let metrics = shown.metrics.iter();
    let known: Vec<(&'static str, u32)> =
        metrics.map(|metric| (metric.id, metric.version)).collect();
    let wire = |idx: usize| {
        let (run, languages) = (&rows.runs[idx], &rows.languages[idx]);
        let executed = rows.executed[idx].as_ref();
        WireRun {
            parses: parsable(run).map(executed::wire_mean),
            parse_at_k: executed::wire_parsed(&rows.parsed[idx]),
            executed: executed.map(|run_outcomes| executed::wire(run_outcomes, languages)),
            usage: rows
                .spent(idx)
                .map(|priced_usage| priced_usage.usage.wire(priced_usage.prices)),
            parser: rows.parsers.get(idx).cloned().flatten(),
            ..WireRun::new(run, &known).in_languages(languages)
        }
    };
    Ok(context.print(
        format,
        |out| write_lines(out, (0..rows.runs.len()).map(wire)),
        |numbers| {
            [match shown.rows {
                RunRowMode::All => brief_table(rows, shown, numbers),
                RunRowMode::Each => paper_table(rows, shown, format),
            }]
        },
    )?)
}

/// Names the column for the kind of question, where some answers are not to samples.
fn kind_head(runs: &[RunRow]) -> Option<(String, Align)> {
    let is_told = runs.iter().any(|run| run.kind != RunKind::Samples);
    is_told.then(|| ("answers to".to_owned(), Align::Left))
}

fn has_lost(runs: &[RunRow]) -> bool {
    let has_lost = |run: &RunRow| run.n_without_reference().is_some_and(|n| n > 0);
    runs.iter().any(has_lost)
}

/// One row a run. A value and its ceiling stand beside each other.
fn brief_table(rows: RunTableRows<'_>, shown: &RunTableLayout, numbers: NumberStyle) -> TextTable {
    let runs = rows.runs;
    let right = |name: String| (name, Align::Right);
    let mut columns = vec![("run".to_owned(), Align::Left)];
    columns.extend(kind_head(runs));
    columns.push(right("samples".to_owned()));
    let tells_lost = has_lost(runs);
    if tells_lost {
        columns.push(right("no reference".to_owned()));
    }
    columns.push(right(numbers.head(PARSES)));
    let titles = shown.metrics.iter().map(|metric| metric.corpus_title());
    columns.extend(titles.map(|title| right(numbers.head(&title))));
    let all_parsed = rows.parsed;
    columns.extend(executed::parsed_columns(all_parsed, numbers));
    let ran = executed::ExecutionColumns::of(rows.executed, shown.ran == ExecutionVerbosity::All);
    columns.extend(executed::columns(rows.executed, ran, numbers));
    columns.extend(rows.parser_head());
    let mut table = TextTable::new(&columns);
    for (idx, (run, executed)) in runs.iter().zip(rows.executed).enumerate() {
        let mut cells = vec![run.setting.name.clone()];
        cells.extend(kind_head(runs).map(|_| run.answers_to().to_owned()));
        cells.push(run.n_samples.to_string());
        if tells_lost {
            let n = run.n_without_reference();
            cells.push(n.map_or_else(|| numbers.none().to_owned(), |n| n.to_string()));
        }
        cells.push(numbers.share(parsable(run).map(|mean| mean.value)));
        let metrics = shown.metrics.iter();
        cells.extend(metrics.map(|metric| numbers.share(ValueBasis::All.value(run, metric))));
        cells.extend(executed::parsed_cells(
            all_parsed,
            &all_parsed[idx],
            numbers,
        ));
        let look = (ran, rows.scope);
        cells.extend(executed::cells(
            rows.executed,
            executed.as_ref(),
            look,
            numbers,
        ));
        cells.extend(rows.parser_cell(idx));
        table.row(cells);
    }
    table
}

/// Two rows a run as in ConTest's Table 2: its values over all predictions that parse, and the same adjusted by
/// equation (2), besides those over all. In tables for papers, run and row share a column: a run has a name of its own,
/// its model may have several runs.
fn paper_table(rows: RunTableRows<'_>, shown: &RunTableLayout, format: TableName) -> TextTable {
    let (runs, numbers) = (rows.runs, NumberStyle::of(format));
    let is_for_paper = matches!(format, TableName::Latex | TableName::Markdown);
    let mut columns = vec![("Run".to_owned(), Align::Left)];
    if !is_for_paper {
        "run".clone_into(&mut columns[0].0);
        columns.push(("over".to_owned(), Align::Left));
    }
    columns.push((
        if is_for_paper { "Samples" } else { "samples" }.to_owned(),
        Align::Right,
    ));
    let tells_lost = !is_for_paper && has_lost(runs);
    if tells_lost {
        columns.push(("no reference".to_owned(), Align::Right));
    }
    let titles = shown
        .metrics
        .iter()
        .map(|metric| numbers.head(&metric.corpus_title()));
    columns.extend(titles.map(|title| (title, Align::Right)));
    columns.push((numbers.head("Unparsable"), Align::Right));
    let has_limit = runs.iter().any(|run| run.over_length_rate().is_some());
    if has_limit {
        columns.push((numbers.head("Max length exceeded"), Align::Right));
    }
    let all_parsed = rows.parsed;
    columns.extend(executed::parsed_columns(all_parsed, numbers));
    let ran = executed::ExecutionColumns::of(rows.executed, shown.ran == ExecutionVerbosity::All);
    columns.extend(executed::columns(rows.executed, ran, numbers));
    let tells_spent = rows.tells_spent(numbers);
    if tells_spent {
        columns.extend(usage::columns(numbers));
    }
    columns.extend(rows.parser_head());
    let none = || numbers.none().to_owned();
    let mut table = TextTable::new(&columns);
    for (idx, (run, executed)) in runs.iter().zip(rows.executed).enumerate() {
        // The execution of a run is the same for all its rows: only the first shows it.
        let mut executed = executed.as_ref();
        for over in [ValueBasis::All, ValueBasis::Parsable, ValueBasis::Adjusted] {
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
            let metrics = shown.metrics.iter();
            cells.extend(metrics.map(|metric| numbers.share(over.value(run, metric))));
            cells.push(numbers.share(run.unparsable_rate()));
            if has_limit {
                cells.push(numbers.share(run.over_length_rate()));
            }
            let executed = executed.take();
            let parsed: &[AtK] = match all_parsed.get(idx) {
                Some(parsed) if over == ValueBasis::All => parsed,
                _ => &[],
            };
            cells.extend(executed::parsed_cells(all_parsed, parsed, numbers));
            let look = (ran, rows.scope);
            cells.extend(executed::cells(rows.executed, executed, look, numbers));
            if tells_spent {
                let spent = rows.spent(idx).filter(|_| over == ValueBasis::All);
                cells.extend(usage::cells(spent, numbers));
            }
            cells.extend(rows.parser_cell(idx));
            table.row(cells);
        }
    }
    table
}

/// The predictions that a value is computed over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueBasis {
    All,
    Parsable,
    Adjusted,
}

impl ValueBasis {
    const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Parsable => "parsable",
            Self::Adjusted => "adjusted",
        }
    }

    /// Counts the samples it is over; nothing while nobody has looked which of the answers parse.
    fn n_samples(self, run: &RunRow) -> Option<u64> {
        match self {
            Self::All | Self::Adjusted => Some(run.n_samples),
            Self::Parsable => Some(run.n_scored.saturating_sub(run.n_unparsable?)),
        }
    }

    /// Reads the value; nothing while the metric is not computed in its current version.
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
