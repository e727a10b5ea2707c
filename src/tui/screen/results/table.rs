//! The table of predictions as values: its columns, their widths, and the texts of cells.

use unicode_width::UnicodeWidthStr;

use crate::eval::results::ResultsView;
use crate::metric::METRICS;
use crate::model::{Execution, ResultRow, RunKind, Tag, Tags};
use crate::screen::cells::{aligned, difference, share, short};
use crate::screen::outcomes;
use crate::screen::runs::table::pair_title;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::fit;
use crate::words::split as words_of;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultColumn {
    Repo,
    Test,
    Focal,
    /// How a question that is no sample was asked.
    Asked,
    /// A metric, by its id.
    Metric(&'static str),
    /// The value of the list's metric minus the baseline's.
    Delta,
    /// The outcome of the execution.
    Ran,
    Parse,
    Tags,
    /// The numbers of tokens in ground truth and prediction.
    Length,
    Attempt,
    /// The mutation score.
    Mutation,
    /// The test strength.
    Strength,
}

/// The words of all columns except metrics, with their meanings.
const WORDS: &[(&str, ResultColumn, &str)] = &[
    ("test", ResultColumn::Test, "class and name of the test"),
    ("repo", ResultColumn::Repo, "repository"),
    ("focal", ResultColumn::Focal, "focal method"),
    (
        "asked",
        ResultColumn::Asked,
        "how a question was asked: task, budget and form, or the pass of a variant",
    ),
    (
        "delta",
        ResultColumn::Delta,
        "difference to the baseline in the metric",
    ),
    (
        "ran",
        ResultColumn::Ran,
        "the outcome of running it: U N X T C F P ✓, with the word where there is room",
    ),
    (
        "parse",
        ResultColumn::Parse,
        "whether the prediction parses",
    ),
    ("tags", ResultColumn::Tags, "what went wrong"),
    (
        "length",
        ResultColumn::Length,
        "tokens of ground truth and prediction",
    ),
    (
        "attempt",
        ResultColumn::Attempt,
        "the number of the answer to the sample, from 0",
    ),
    (
        "mutation",
        ResultColumn::Mutation,
        "mutation score: how many of the focal method's mutants it notices",
    ),
    (
        "strength",
        ResultColumn::Strength,
        "test strength: of the mutants that it reaches, the share that it notices",
    ),
];

impl ResultColumn {
    /// Returns the word that chooses the column.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Metric(id) => id,
            other => WORDS
                .iter()
                .find(|(_, column, _)| *column == other)
                .map_or("", |(word, _, _)| word),
        }
    }

    /// Looks up the column by its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let named = WORDS.iter().find(|(text, _, _)| *text == word);
        let metric = || METRICS.iter().find(|metric| metric.id == word);
        named
            .map(|(_, column, _)| *column)
            .or_else(|| metric().map(|metric| Self::Metric(metric.id)))
    }

    /// Parses a line of words; an empty one shows only the test.
    ///
    /// # Errors
    /// The first unknown word, with the byte at which it begins.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, (usize, String)> {
        let mut columns = Vec::new();
        for (start, word) in words_of(text) {
            let flaw = || (start, format!("no column `{word}` · Tab names them"));
            let column = Self::parse(word).ok_or_else(flaw)?;
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        if columns.is_empty() {
            columns.push(Self::Test);
        }
        Ok(columns)
    }

    fn title(self) -> String {
        match self {
            Self::Metric(id) => pair_title(id),
            Self::Delta => "Δ".to_owned(),
            Self::Length => "tokens".to_owned(),
            other => other.word().to_owned(),
        }
    }

    /// Returns its width; 0 for columns that share the rest.
    fn width(self) -> usize {
        match self {
            Self::Test | Self::Focal => 0,
            Self::Repo => 14,
            Self::Asked => ASKED_WIDTH,
            Self::Metric(id) => pair_title(id).width().max(5),
            Self::Delta => 6,
            Self::Ran => RAN_WIDTH,
            Self::Parse => 5,
            Self::Tags => 24,
            Self::Length => 9,
            Self::Attempt => 7,
            Self::Mutation | Self::Strength => FAULTS_WIDTH,
        }
    }

    const fn is_number(self) -> bool {
        matches!(
            self,
            Self::Metric(_)
                | Self::Delta
                | Self::Length
                | Self::Attempt
                | Self::Mutation
                | Self::Strength
        )
    }
}

/// Lists every word with its meaning: the columns', then the metrics that the run has.
pub fn words(view: &ResultsView) -> Vec<(&'static str, &'static str)> {
    let columns = WORDS.iter().map(|(word, _, help)| (*word, *help));
    let metrics = view.metrics.iter().map(|id| (*id, "a metric"));
    columns.chain(metrics).collect()
}

/// Chooses the default columns: the test, up to three metrics of the run, the difference to a baseline, and for samples
/// the tags, else whether the answer parses.
#[must_use]
pub fn columns(view: &ResultsView) -> Vec<ResultColumn> {
    let is_of_samples = view.run.kind == RunKind::Samples;
    let mut columns = vec![ResultColumn::Test];
    let listed = view.metric.into_iter();
    let others: &[&'static str] = if is_of_samples {
        &["bleu", "codebleu:k4black", "codebleu", "edit"]
    } else {
        columns.push(ResultColumn::Asked);
        &["em", "edit", "edit:fuzzywuzzy"]
    };
    let others = others.iter().copied();
    let mut metrics: Vec<&'static str> = Vec::new();
    for id in listed.chain(others) {
        if view.metrics.contains(&id) && !metrics.contains(&id) && metrics.len() < 3 {
            metrics.push(id);
        }
    }
    for (idx, id) in metrics.into_iter().enumerate() {
        columns.push(ResultColumn::Metric(id));
        if idx == 0 {
            columns.push(ResultColumn::Delta);
        }
    }
    if is_of_samples {
        columns.extend([ResultColumn::Tags, ResultColumn::Repo, ResultColumn::Length]);
    } else {
        columns.extend([
            ResultColumn::Parse,
            ResultColumn::Repo,
            ResultColumn::Length,
        ]);
    }
    columns
}

/// Adds the outcome and the mutation score, behind the first metric and its difference.
pub fn add_ran(columns: &mut Vec<ResultColumn>) {
    if columns.contains(&ResultColumn::Ran) {
        return;
    }
    let metric = columns
        .iter()
        .position(|column| matches!(column, ResultColumn::Metric(_)));
    let delta = columns
        .iter()
        .position(|column| *column == ResultColumn::Delta);
    let after = delta.or(metric).map_or(columns.len(), |delta| delta + 1);
    columns.insert(after, ResultColumn::Ran);
    if !columns.contains(&ResultColumn::Mutation) {
        columns.insert(after + 1, ResultColumn::Mutation);
    }
}

/// The data that only some lists have.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptionalColumns {
    pub baseline: bool,
    pub executions: bool,
    pub faults: bool,
}

/// The columns that fit, with their widths.
pub struct ColumnLayout {
    pub columns: Vec<(ResultColumn, usize)>,
}

/// Room for a letter, a sign and the longest word.
const RAN_WIDTH: usize = 17;
/// Room for a task, a budget and a form, as in `target · 128k · part`.
const ASKED_WIDTH: usize = 20;
/// Room for a ratio with its counts, as in `0.667 (12/18)`.
const FAULTS_WIDTH: usize = 13;
/// Room for a letter and a sign, below the head.
const RAN_WIDTH_MIN: usize = 3;
/// In narrower tables, outcomes have no words.
const RAN_WORDS_MIN: usize = 90;

/// The width of the mark before every row.
pub const MARK: usize = 2;
const SHARED_MIN: usize = 18;

impl ColumnLayout {
    /// Lays the columns out and drops those without room, from the end. Without a baseline there is no difference,
    /// without an execution no outcome, and without faults no mutation score.
    pub fn of(columns: &[ResultColumn], has: OptionalColumns, width: usize) -> Self {
        let mut columns: Vec<ResultColumn> = columns
            .iter()
            .copied()
            .filter(|column| has.baseline || *column != ResultColumn::Delta)
            .filter(|column| has.executions || *column != ResultColumn::Ran)
            .filter(|column| {
                has.faults || !matches!(column, ResultColumn::Mutation | ResultColumn::Strength)
            })
            .collect();
        let width_of = |result_column: &ResultColumn| match result_column {
            ResultColumn::Ran if width < RAN_WORDS_MIN => RAN_WIDTH_MIN,
            other => other.width(),
        };
        let need = |columns: &[ResultColumn]| {
            let widths = columns.iter().map(|column| match width_of(column) {
                0 => SHARED_MIN + 1,
                width => width + 1,
            });
            MARK + widths.sum::<usize>()
        };
        while columns.len() > 1 && need(&columns) > width {
            columns.pop();
        }
        let fixed: usize = columns.iter().map(|column| width_of(column) + 1).sum();
        let n_shared = columns
            .iter()
            .filter(|column| width_of(column) == 0)
            .count()
            .max(1);
        let room = width.saturating_sub(MARK + fixed);
        let columns = columns.into_iter().map(|column| match width_of(&column) {
            0 => (column, room / n_shared),
            width => (column, width),
        });
        Self {
            columns: columns.collect(),
        }
    }

    /// Lays the columns out for the visible rows: a narrow table has no column that is empty in all of them, and where
    /// a name would be cut off, columns of words shrink to their contents.
    pub fn fitted(
        columns: &[ResultColumn],
        has: OptionalColumns,
        width: usize,
        (rows, view): (&[&ResultRow], &ResultsView),
    ) -> Self {
        let is_held = |column: ResultColumn| {
            let mut rows = rows.iter();
            rows.any(|row| !matches!(cell(column, row, view, RAN_WIDTH).0.as_str(), "" | "–"))
        };
        let is_whole = width >= RAN_WORDS_MIN || rows.is_empty();
        let columns: Vec<ResultColumn> = columns
            .iter()
            .copied()
            .filter(|column| is_whole || *column == ResultColumn::Test || is_held(*column))
            .collect();
        let mut layout = Self::of(&columns, has, width);
        let names = rows.iter().map(|row| visible(&row.test).width());
        layout.make_room(names.max().unwrap_or(0), |column, width| {
            let cells = rows.iter();
            let cells = cells.map(|row| cell(column, row, view, width).0.width());
            cells.max().unwrap_or(0)
        });
        layout
    }

    /// Takes unused room from columns of words, if names, which need `needed` columns, would be cut off.
    fn make_room(&mut self, needed: usize, held: impl Fn(ResultColumn, usize) -> usize) {
        let is_shared = |column: ResultColumn| column.width() == 0;
        let n_shared = self
            .columns
            .iter()
            .filter(|column| is_shared(column.0))
            .count();
        let is_cut = self
            .columns
            .iter()
            .any(|column| is_shared(column.0) && column.1 < needed);
        if n_shared == 0 || !is_cut {
            return;
        }
        let mut n_free = 0;
        for (column, width) in &mut self.columns {
            if is_shared(*column) || column.is_number() || *column == ResultColumn::Ran {
                continue;
            }
            // The arrow of the order stands behind the title.
            let least = held(*column, *width).max(column.title().width() + 1);
            n_free += width.saturating_sub(least);
            *width = least.min(*width);
        }
        for (column, width) in &mut self.columns {
            if is_shared(*column) {
                *width += n_free / n_shared;
            }
        }
    }

    pub fn head(&self, sorted: Option<&(String, &str)>) -> String {
        let mut text = " ".repeat(MARK);
        for (column, width) in &self.columns {
            let arrow = sorted.filter(|(field, _)| *field == column.word());
            let title = format!("{}{}", column.title(), arrow.map_or("", |arrow| arrow.1));
            text.push_str(&aligned(&title, *width, column.is_number()));
            text.push(' ');
        }
        text
    }

    /// Writes the cells of a row, each with a blank behind it.
    pub fn cells(&self, row: &ResultRow, view: &ResultsView) -> Vec<(String, Role)> {
        let cell = |(column, width): &(ResultColumn, usize)| {
            let (text, role) = cell(*column, row, view, *width);
            (aligned(&text, *width, column.is_number()) + " ", role)
        };
        self.columns.iter().map(cell).collect()
    }
}

/// Writes the outcome of a prediction: the letter, and the word where there is room.
fn outcome_cell(execution: Option<&Execution>, width: usize) -> (String, Role) {
    let Some(execution) = execution else {
        return (String::new(), Role::Dim);
    };
    let (letter, word, role) = outcomes::signs(execution);
    if width < RAN_WIDTH {
        (letter, role)
    } else {
        (format!("{} {word}", fit(&letter, 2)), role)
    }
}

fn cell(column: ResultColumn, row: &ResultRow, view: &ResultsView, width: usize) -> (String, Role) {
    let none = || ("–".to_owned(), Role::Dim);
    match column {
        ResultColumn::Repo => (visible(&row.repo), Role::Dim),
        ResultColumn::Test if row.test.is_empty() => {
            ("(no longer in the index)".to_owned(), Role::Dim)
        }
        ResultColumn::Test => (short(&row.test, width), Role::Text),
        ResultColumn::Focal => match &row.focal {
            Some(focal) => (short(focal, width), Role::Text),
            None => none(),
        },
        ResultColumn::Asked => match &row.asked {
            Some(asked) => (visible(&asked.label()), Role::Text),
            None => none(),
        },
        ResultColumn::Metric(id) => {
            let idx = view.metrics.iter().position(|metric| *metric == id);
            match idx.and_then(|idx| row.values.get(idx).copied().flatten()) {
                Some(value) => (share(value), Role::Text),
                None => none(),
            }
        }
        ResultColumn::Delta => match view.metric_idx().and_then(|idx| row.delta(idx)) {
            Some(delta) => difference(delta),
            None => none(),
        },
        ResultColumn::Ran => outcome_cell(row.execution.as_ref(), width),
        ResultColumn::Parse => match row.parses() {
            Some(true) => ("✓".to_owned(), Role::Good),
            Some(false) => ("✗".to_owned(), Role::Error),
            None => none(),
        },
        ResultColumn::Tags => match row.people {
            Some(people) if people.is_empty() => (format!("{PEOPLE} none"), Role::Text),
            Some(people) => (format!("{PEOPLE} {}", tags(people)), Role::Text),
            None => (tags(row.tags), Role::Text),
        },
        ResultColumn::Length => match &row.reading {
            Some(reading) => (
                format!("{}/{}", reading.n_reference_tokens, reading.n_tokens),
                Role::Dim,
            ),
            None => none(),
        },
        ResultColumn::Attempt => (row.attempt.to_string(), Role::Dim),
        ResultColumn::Mutation => row
            .faults
            .map_or_else(none, |fault| (fault.score_label(), Role::Text)),
        ResultColumn::Strength => row
            .faults
            .map_or_else(none, |fault| (fault.strength_label(), Role::Text)),
    }
}

/// Stands before people's tags, which replace the machine's.
const PEOPLE: &str = "✎";

/// Writes tags in short words, for a narrow column.
#[must_use]
pub fn tags(tags: Tags) -> String {
    let words: Vec<&str> = tags.iter().map(Tag::short).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_words_and_the_last_ones_go_first() {
        for (word, column, _) in WORDS {
            assert_eq!(ResultColumn::parse(word), Some(*column));
            assert_eq!(column.word(), *word);
        }
        assert_eq!(
            ResultColumn::parse("bleu"),
            Some(ResultColumn::Metric("bleu"))
        );
        assert_eq!(ResultColumn::parse("blue"), None);
        let columns = [
            ResultColumn::Test,
            ResultColumn::Metric("bleu"),
            ResultColumn::Delta,
            ResultColumn::Tags,
        ];
        let shown = |width, baseline| {
            let has = OptionalColumns {
                baseline,
                ..OptionalColumns::default()
            };
            let layout = ColumnLayout::of(&columns, has, width);
            layout
                .columns
                .iter()
                .map(|column| column.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(100, true), columns);
        assert_eq!(shown(100, false), [columns[0], columns[1], columns[3]]);
        assert_eq!(shown(48, true), columns[..3]);
        assert_eq!(shown(10, true), columns[..1]);
        let mut layout = ColumnLayout::of(&columns, OptionalColumns::default(), 60);
        assert_eq!(layout.columns[0].1, 18);
        let held = |_: ResultColumn, _: usize| 9;
        layout.make_room(18, held);
        assert_eq!(layout.columns[0].1, 18, "no name is cut off");
        layout.make_room(19, held);
        assert_eq!(layout.columns[0].1, 33);
        assert_eq!(layout.columns[2], (ResultColumn::Tags, 9));
        let mut with_ran = columns.to_vec();
        add_ran(&mut with_ran);
        add_ran(&mut with_ran);
        assert_eq!(with_ran[3], ResultColumn::Ran);
        assert_eq!(with_ran[4], ResultColumn::Mutation);
        assert_eq!(with_ran.len(), 6);
    }
}
