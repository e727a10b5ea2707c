//! The table of runs as values: its columns, its cells, the best values, and the order of rows.
//!
//! Decides how numbers look and compare; draws nothing. Values are percent with two decimals, as papers print them.

use std::cmp::Ordering;

use crate::metric::{self, METRICS, MetricLevel, Profile};
use crate::model::{Direction, Evaluation, RunRow, number, signed};
use crate::screen::runs::questions::Executions;
use crate::text::visible;
use crate::widget::frame::count;

/// A column; metrics by their ids, including those that only a later version knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunColumn {
    Name,
    Model,
    Target,
    Samples,
    Problems,
    Unparsable,
    OverLength,
    /// The share of samples whose first answer is correct.
    Correct,
    Metric(String),
}

/// The data that shares are read from.
pub type ShareSources<'a> = (MetricBasis, &'a Executions);

/// The answers that a metric is computed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricBasis {
    #[default]
    All,
    Parsable,
    Adjusted,
}

impl MetricBasis {
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::All => Self::Parsable,
            Self::Parsable => Self::Adjusted,
            Self::Adjusted => Self::All,
        }
    }

    /// Names the answers that the values are over, for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::All => "over all answers",
            Self::Parsable => "over those that parse",
            Self::Adjusted => "adjusted by those that do not parse",
        }
    }
}

/// Chooses the columns: the name first, then those that some of these runs have a value for.
#[must_use]
pub fn columns(runs: &[RunRow], executions: &Executions) -> Vec<RunColumn> {
    let mut columns = vec![RunColumn::Name];
    let any = |is_said: fn(&RunRow) -> bool| runs.iter().any(is_said);
    if any(|run| run.setting.model.is_some()) {
        columns.push(RunColumn::Model);
    }
    let first_target = runs.first().map(RunRow::answers_to);
    if runs
        .iter()
        .any(|run| Some(run.answers_to()) != first_target)
    {
        columns.push(RunColumn::Target);
    }
    columns.push(RunColumn::Samples);
    if any(|run| run.n_problems > 0) {
        columns.push(RunColumn::Problems);
    }
    if any(|run| run.n_unparsable.is_some()) {
        columns.push(RunColumn::Unparsable);
    }
    if any(|run| run.over_length_rate().is_some()) {
        columns.push(RunColumn::OverLength);
    }
    if runs.iter().any(|run| executions.contains_key(&run.id)) {
        columns.push(RunColumn::Correct);
    }
    let is_stored = |id: &str| runs.iter().any(|run| run.evaluation(id).is_some());
    // The metrics of the default profile come first, as `runs` prints them; the others can be scrolled to.
    let first = Profile::Default.columns().iter().copied();
    let mut ids: Vec<&str> = Vec::new();
    for id in first.chain(METRICS.iter().map(|metric| metric.id)) {
        if is_stored(id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    for evaluation in runs.iter().flat_map(|run| &run.evaluations) {
        if !ids.contains(&evaluation.metric.as_str()) {
            ids.push(&evaluation.metric);
        }
    }
    columns.extend(ids.into_iter().map(|id| RunColumn::Metric(id.to_owned())));
    columns
}

/// Writes the head of a metric's column; a metric that only a later version knows has its id.
#[must_use]
pub fn metric_title(id: &str) -> String {
    visible(&metric::title(id, MetricLevel::Corpus))
}

/// Writes the head for a metric's value of one answer, or for a mean of such values.
#[must_use]
pub fn pair_title(id: &str) -> String {
    visible(&metric::title(id, MetricLevel::Sentence))
}

impl RunColumn {
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Name => "name".to_owned(),
            Self::Model => "model".to_owned(),
            Self::Target => "target".to_owned(),
            Self::Samples => "samples".to_owned(),
            Self::Problems => "problems".to_owned(),
            Self::Unparsable => "unpars.%".to_owned(),
            Self::OverLength => "cut off%".to_owned(),
            Self::Correct => "correct".to_owned(),
            Self::Metric(id) => metric_title(id),
        }
    }

    /// Tells whether the column holds numbers, which are aligned to the right.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        !matches!(self, Self::Name | Self::Model | Self::Target)
    }

    /// Chooses the first order of a column: descending where more is better, else ascending.
    #[must_use]
    pub const fn first_direction(&self) -> Direction {
        match self {
            Self::Samples | Self::Correct | Self::Metric(_) => Direction::Descending,
            _ => Direction::Ascending,
        }
    }

    /// Reads the share, 0..=1, that the column shows as a percentage; nothing for other columns.
    #[must_use]
    pub fn share(&self, run: &RunRow, (values, executions): ShareSources<'_>) -> Option<f64> {
        match self {
            Self::Unparsable => run.unparsable_rate(),
            Self::OverLength => run.over_length_rate(),
            Self::Correct => executions.get(&run.id)?.correct,
            Self::Metric(id) => metric_value(run, id, values),
            _ => None,
        }
    }

    /// Tells whether a greater share is better.
    const fn is_more_better(&self) -> bool {
        matches!(self, Self::Metric(_) | Self::Correct)
    }

    fn is_outdated_in(&self, run: &RunRow) -> bool {
        match self {
            Self::Metric(id) => run.evaluation(id).is_some_and(is_outdated),
            _ => false,
        }
    }

    fn compare(&self, a: &RunRow, b: &RunRow, with: ShareSources<'_>) -> Ordering {
        match self {
            Self::Name => a.setting.name.cmp(&b.setting.name),
            Self::Model => a.setting.model.cmp(&b.setting.model),
            Self::Target => a.answers_to().cmp(b.answers_to()),
            Self::Samples => a.n_samples.cmp(&b.n_samples),
            Self::Problems => a.n_problems.cmp(&b.n_problems),
            _ => match (self.share(a, with), self.share(b, with)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => Ordering::Equal,
            },
        }
    }

    /// Tells whether a run has nothing to be sorted by; such runs come last, whichever the direction.
    fn is_empty(&self, run: &RunRow, with: ShareSources<'_>) -> bool {
        match self {
            Self::Model => run.setting.model.is_none(),
            Self::Unparsable | Self::OverLength | Self::Correct | Self::Metric(_) => {
                self.share(run, with).is_none()
            }
            _ => false,
        }
    }
}

/// Reads a metric of a run over these answers, 0..=1.
#[must_use]
pub fn metric_value(run: &RunRow, id: &str, values: MetricBasis) -> Option<f64> {
    match values {
        MetricBasis::All => run.evaluation(id)?.value,
        MetricBasis::Parsable => run.evaluation(id)?.value_parsable,
        MetricBasis::Adjusted => run.adjusted(id),
    }
}

/// Tells whether a stored value is of another version of the metric than this program computes.
#[must_use]
pub fn is_outdated(evaluation: &Evaluation) -> bool {
    metric::metric(&evaluation.metric).is_none_or(|metric| metric.version != evaluation.version)
}

/// Sorts the indices of runs for the table. Equal runs stay in the order of import; runs without a value come last.
#[must_use]
pub fn order(
    runs: &[RunRow],
    by: Option<&(RunColumn, Direction)>,
    with: ShareSources<'_>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    if let Some((column, direction)) = by {
        order.sort_by(|a, b| {
            let (a, b) = (&runs[*a], &runs[*b]);
            let empty = column.is_empty(a, with).cmp(&column.is_empty(b, with));
            let compared = column.compare(a, b, with);
            empty.then(match direction {
                Direction::Ascending => compared,
                Direction::Descending => compared.reverse(),
            })
        });
    }
    order
}

/// A note beside a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellNote {
    #[default]
    Plain,
    /// The best value of the column among the runs that can be compared.
    Best,
    /// Of another version of the metric.
    Outdated,
    /// Something is wrong here.
    Bad,
    /// There is no value.
    Absent,
}

impl CellNote {
    /// Returns the sign after the value, so that not only the colour tells the note.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Best => "*",
            Self::Outdated => "†",
            Self::Plain | Self::Bad | Self::Absent => " ",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCell {
    pub text: String,
    pub note: CellNote,
}

impl RunCell {
    fn new(text: impl Into<String>, note: CellNote) -> Self {
        Self {
            text: text.into(),
            note,
        }
    }
}

/// Writes a share as papers print it: `34.42`.
#[must_use]
pub fn percent(share: f64) -> String {
    number(share * 100.0, 2)
}

/// Writes a difference of shares in points, with its sign: `+1.25`, `−0.40`, `±0.00`.
#[must_use]
pub fn points(difference: f64) -> String {
    signed(difference * 100.0, 2)
}

/// Makes the cells of the table, row by row in the order of `runs`. With a baseline, the shares of all other runs are
/// differences to it.
#[must_use]
pub fn cells(
    runs: &[RunRow],
    columns: &[RunColumn],
    with: ShareSources<'_>,
    baseline: Option<&RunRow>,
) -> Vec<Vec<RunCell>> {
    let bests: Vec<BestShares> = columns
        .iter()
        .map(|column| BestShares::of(column, runs, with))
        .collect();
    let row = |run: &RunRow| {
        let other = baseline.filter(|run_row| run_row.id != run.id);
        let columns = columns.iter().zip(&bests);
        columns
            .map(|(column, bests)| match column.share(run, with) {
                Some(share) => RunCell::new(
                    match other.map(|run_row| column.share(run_row, with)) {
                        None => percent(share),
                        Some(Some(base)) => points(share - base),
                        // Without a value of the baseline there is no difference.
                        Some(None) => return RunCell::new("–", CellNote::Absent),
                    },
                    bests.note(runs, run, column, share),
                ),
                None => plain_cell(run, column),
            })
            .collect()
    };
    runs.iter().map(row).collect()
}

/// Makes a cell that is no share.
fn plain_cell(run: &RunRow, column: &RunColumn) -> RunCell {
    match column {
        RunColumn::Name => RunCell::new(visible(&run.setting.name), CellNote::Plain),
        RunColumn::Model => match &run.setting.model {
            Some(model) => RunCell::new(visible(model), CellNote::Plain),
            None => RunCell::new("–", CellNote::Absent),
        },
        RunColumn::Target => RunCell::new(run.answers_to(), CellNote::Plain),
        RunColumn::Samples => RunCell::new(samples(run), CellNote::Plain),
        RunColumn::Problems if run.n_problems > 0 => {
            RunCell::new(count(run.n_problems), CellNote::Bad)
        }
        RunColumn::Problems => RunCell::new("0", CellNote::Plain),
        RunColumn::Unparsable
        | RunColumn::OverLength
        | RunColumn::Correct
        | RunColumn::Metric(_) => RunCell::new(absent(run, column), CellNote::Absent),
    }
}

/// Tells whether two runs can be compared: they have the same target, the same matcher and as many samples. Compare
/// checks whether the samples are the same.
#[must_use]
pub fn is_beside(one: &RunRow, other: &RunRow) -> bool {
    let of = |run_row: &RunRow| {
        (
            run_row.answers_to(),
            run_row.setting.matcher,
            run_row.n_samples,
        )
    };
    of(one) == of(other)
}

/// The least and the greatest share of a column among comparable runs (see [`is_beside`]). Outdated values do not take
/// part.
struct BestShares(Vec<(usize, (f64, f64))>);

impl BestShares {
    fn of(column: &RunColumn, runs: &[RunRow], with: ShareSources<'_>) -> Self {
        // Each entry has the index of its first run.
        let mut bests: Vec<(usize, (f64, f64))> = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            let share = column.share(run, with);
            let Some(share) = share.filter(|_| !column.is_outdated_in(run)) else {
                continue;
            };
            let known = bests.iter_mut().find(|best| is_beside(&runs[best.0], run));
            match known {
                Some((_, (least, most))) => {
                    (*least, *most) = (least.min(share), most.max(share));
                }
                None => bests.push((place, (share, share))),
            }
        }
        Self(bests)
    }

    fn note(&self, runs: &[RunRow], run: &RunRow, column: &RunColumn, share: f64) -> CellNote {
        if column.is_outdated_in(run) {
            return CellNote::Outdated;
        }
        let range = self.0.iter().find(|entry| is_beside(&runs[entry.0], run));
        let Some((_, (least, most))) = range.copied() else {
            return CellNote::Plain;
        };
        let best = if column.is_more_better() { most } else { least };
        // A single run is not marked as the best, nor are equal ones.
        let is_told = least.total_cmp(&most).is_lt() && share.total_cmp(&best).is_eq();
        if is_told {
            CellNote::Best
        } else {
            CellNote::Plain
        }
    }
}

/// Writes the number of samples: `1 204`, or `1 204/6 020` with the number of answers where samples have several.
#[must_use]
pub fn samples(run: &RunRow) -> String {
    if run.n_predictions > run.n_samples {
        format!("{}/{}", count(run.n_samples), count(run.n_predictions))
    } else {
        count(run.n_samples)
    }
}

/// Writes `…` for a metric that is not computed to the end, else `–`.
fn absent(run: &RunRow, column: &RunColumn) -> &'static str {
    match column {
        RunColumn::Metric(id)
            if run
                .evaluation(id)
                .is_some_and(|evaluation| evaluation.value.is_none()) =>
        {
            "…"
        }
        _ => "–",
    }
}

/// Writes the head and these rows with tabs between the cells. Notes are left out, because programs read the numbers.
#[must_use]
pub fn tsv(columns: &[RunColumn], rows: &[&Vec<RunCell>]) -> String {
    let line = |cells: Vec<&str>| cells.join("\t") + "\n";
    let titles: Vec<String> = columns.iter().map(RunColumn::title).collect();
    let mut text = line(titles.iter().map(String::as_str).collect());
    for row in rows {
        text.push_str(&line(row.iter().map(plain).collect()));
    }
    text
}

/// Returns the text of a cell for programs, which read an empty cell as absent.
fn plain(cell: &RunCell) -> &str {
    match cell.note {
        CellNote::Absent => "",
        _ => &cell.text,
    }
}

/// Writes the head and these rows as a Markdown table, numbers on the right, the best in bold.
#[must_use]
pub fn markdown(columns: &[RunColumn], rows: &[&Vec<RunCell>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escape = |text: &str| text.replace('|', "\\|");
    let mut text = line(
        columns
            .iter()
            .map(|column| escape(&column.title()))
            .collect(),
    );
    let rules = columns
        .iter()
        .map(|column| if column.is_number() { "---:" } else { "---" }.to_owned());
    text.push_str(&line(rules.collect()));
    for row in rows {
        let cells = row.iter().map(|cell| {
            let text = escape(&cell.text);
            match cell.note {
                CellNote::Best => format!("**{text}**"),
                CellNote::Outdated => format!("{text}†"),
                CellNote::Plain | CellNote::Bad | CellNote::Absent => text,
            }
        });
        text.push_str(&line(cells.collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::runs::fixture;

    fn names(by: Option<&(RunColumn, Direction)>, values: MetricBasis) -> Vec<String> {
        let runs = fixture::runs();
        let order = order(&runs, by, (values, &Executions::new()));
        order
            .into_iter()
            .map(|idx| runs[idx].setting.name.clone())
            .collect()
    }

    fn check_order(column: RunColumn, direction: Direction, expected: &[&str]) {
        assert_eq!(
            names(Some(&(column, direction)), MetricBasis::All),
            expected
        );
    }

    #[test]
    fn runs_without_a_value_come_last_both_ways() {
        let bleu = || RunColumn::Metric("bleu".to_owned());
        check_order(
            bleu(),
            Direction::Descending,
            &["carbon-ft", "carbon", "zero-shot", "gnu-test", "broken"],
        );
        check_order(
            bleu(),
            Direction::Ascending,
            &["zero-shot", "carbon", "carbon-ft", "gnu-test", "broken"],
        );
    }

    #[test]
    fn only_runs_over_as_many_samples_compete() {
        let best = |n_samples: u64| {
            let mut runs = fixture::runs();
            for run in &mut runs {
                if run.setting.name == "carbon-ft" {
                    run.n_samples = n_samples;
                }
            }
            let column = RunColumn::Metric("bleu".to_owned());
            let cells = cells(
                &runs,
                &[column],
                (MetricBasis::All, &Executions::new()),
                None,
            );
            let best = runs
                .iter()
                .zip(&cells)
                .filter(|pair| pair.1[0].note == CellNote::Best);
            best.map(|best| best.0.setting.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(best(1_000), ["carbon-ft"]);
        assert_eq!(best(10), ["carbon"]);
    }

    #[test]
    fn equal_runs_keep_the_order_of_import() {
        check_order(
            RunColumn::Target,
            Direction::Ascending,
            &["carbon", "carbon-ft", "zero-shot", "broken", "gnu-test"],
        );
        assert_eq!(
            names(None, MetricBasis::All),
            ["carbon", "carbon-ft", "zero-shot", "gnu-test", "broken"]
        );
    }

    #[test]
    fn the_best_is_marked_among_runs_of_the_same_target_and_version() {
        let runs = fixture::runs();
        let columns = columns(&runs, &Executions::new());
        let rows = cells(
            &runs,
            &columns,
            (MetricBasis::All, &Executions::new()),
            None,
        );
        let check = |run: usize, column: &str, expected: (&str, CellNote)| {
            let place = columns
                .iter()
                .position(|run_column| run_column.title() == column);
            let cell = &rows[run][place.expect("there is such a column")];
            assert_eq!((cell.text.as_str(), cell.note), expected, "{run} {column}");
        };
        check(1, "BLEU corpus", ("41.87", CellNote::Best));
        check(0, "BLEU corpus", ("34.42", CellNote::Plain));
        check(0, "unpars.%", ("3.10", CellNote::Plain));
        check(1, "unpars.%", ("1.25", CellNote::Best));
        // Computed by another version.
        check(2, "CodeBLEU corpus", ("22.00", CellNote::Outdated));
        // Cancelled halfway, and never begun.
        check(3, "BLEU corpus", ("…", CellNote::Absent));
        check(4, "BLEU corpus", ("–", CellNote::Absent));
        check(4, "problems", ("3", CellNote::Bad));
    }

    #[test]
    fn differences_have_a_sign() {
        for (difference, expected) in [
            (0.0125, "+1.25"),
            (-0.4, "−40.00"),
            (0.000_01, "±0.00"),
            (0.0, "±0.00"),
        ] {
            assert_eq!(points(difference), expected);
        }
        let runs = fixture::runs();
        let columns = columns(&runs, &Executions::new());
        let rows = cells(
            &runs,
            &columns,
            (MetricBasis::All, &Executions::new()),
            runs.first(),
        );
        let bleu = columns
            .iter()
            .position(|column| column.title() == "BLEU corpus");
        let bleu = bleu.expect("there is such a column");
        let texts: Vec<&str> = rows.iter().map(|row| row[bleu].text.as_str()).collect();
        assert_eq!(texts, ["34.42", "+7.45", "−15.12", "…", "–"]);
    }

    #[test]
    fn copies_are_read_by_programs_and_by_people() {
        let runs = fixture::runs();
        let columns = [RunColumn::Name, RunColumn::Metric("bleu".to_owned())];
        let rows = cells(
            &runs[..2],
            &columns,
            (MetricBasis::All, &Executions::new()),
            None,
        );
        let rows: Vec<&Vec<RunCell>> = rows.iter().collect();
        assert_eq!(
            tsv(&columns, &rows),
            "name\tBLEU corpus\ncarbon\t34.42\ncarbon-ft\t41.87\n"
        );
        assert_eq!(
            markdown(&columns, &rows),
            "| name | BLEU corpus |\n| --- | ---: |\n| carbon | 34.42 |\n| carbon-ft | **41.87** |\n"
        );
    }

    #[test]
    fn every_metric_has_a_head_of_its_own() {
        let mut titles: Vec<String> = METRICS
            .iter()
            .map(|metric| metric_title(metric.id))
            .collect();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), METRICS.len());
        assert_eq!(metric_title("bleu:nltk-m1"), "BLEU corpus (nltk-m1)");
        assert_eq!(pair_title("bleu"), "BLEU sentence");
        assert_eq!(metric_title("later\u{1b}"), "later␛");
    }
}
