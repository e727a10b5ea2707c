//! Tables of `clover eval` about single answers: exact beside right ones, how these differ, gibberish, and forms of
//! answers.

use std::io::{self, Write};

use crate::args::PaperTable;
use crate::clover::{self, AnswerDifference, Draws, EvaluatedAnswer, Gibberish};
use crate::command::clover::tables::{budget, signed, signed_range, task};
use crate::exchange::{WireFormDifference, WireGap, WireGibberish, write_lines};
use crate::table::{Align, NumberStyle, TextTable};

/// The rows of one table.
pub enum GapRows {
    Gap(Vec<WireGap>),
    Ways(Vec<WireGap>),
    Forms(Vec<WireFormDifference>),
    Gibberish(Vec<WireGibberish>),
}

impl GapRows {
    /// Computes the rows of a table; nothing where it is none of these.
    pub fn of(table: PaperTable, answers: &[EvaluatedAnswer], draws: Draws) -> Option<Self> {
        match table {
            PaperTable::Gap => Some(Self::Gap(clover::gaps(answers))),
            PaperTable::Ways => {
                let mut rows = clover::gaps(answers);
                rows.retain(|row| row.from.is_none());
                Some(Self::Ways(rows))
            }
            PaperTable::Forms => Some(Self::Forms(clover::form_differences(answers, draws))),
            PaperTable::Gibberish => Some(Self::Gibberish(clover::gibberish_shares(answers))),
            _ => None,
        }
    }

    pub const fn is_empty(&self) -> bool {
        match self {
            Self::Gap(rows) | Self::Ways(rows) => rows.is_empty(),
            Self::Forms(rows) => rows.is_empty(),
            Self::Gibberish(rows) => rows.is_empty(),
        }
    }

    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Gap(rows) | Self::Ways(rows) => write_lines(out, rows),
            Self::Forms(rows) => write_lines(out, rows),
            Self::Gibberish(rows) => write_lines(out, rows),
        }
    }

    pub fn table(&self, numbers: NumberStyle) -> TextTable {
        match self {
            Self::Gap(rows) => gap(rows, numbers),
            Self::Ways(rows) => ways(rows, numbers),
            Self::Forms(rows) => forms(rows, numbers),
            Self::Gibberish(rows) => gibberish(rows, numbers),
        }
    }
}

fn named(model: Option<&String>) -> String {
    model.cloned().unwrap_or_default()
}

fn length(chars: Option<f64>, numbers: NumberStyle) -> String {
    match (chars, numbers) {
        (None, _) => numbers.none().to_owned(),
        (Some(chars), NumberStyle::People) => format!("{chars:.1}"),
        (Some(chars), NumberStyle::Machine) => chars.to_string(),
    }
}

fn gap(rows: &[WireGap], numbers: NumberStyle) -> TextTable {
    let mut right = vec!["questions".to_owned()];
    right.extend(["EM", "RER", "RER − EM"].map(|name| numbers.head(name)));
    right.extend(["right, not exact", "characters", "of the reference"].map(str::to_owned));
    let mut table = TextTable::of(&["model", "budget", "reference"], &right);
    for row in rows {
        let reference = match (row.from, row.to) {
            (None, _) => "all".to_owned(),
            (Some(from), Some(to)) => format!("{from} to {to}"),
            (Some(from), None) => format!("{from} or more"),
        };
        table.row([
            named(row.model.as_ref()),
            budget(row.budget),
            reference,
            row.n.to_string(),
            numbers.share(Some(row.em)),
            numbers.share(Some(row.rer)),
            numbers.signed(row.rer - row.em),
            row.n_inexact.to_string(),
            length(row.said_chars, numbers),
            length(row.reference_chars, numbers),
        ]);
    }
    table
}

fn ways(rows: &[WireGap], numbers: NumberStyle) -> TextTable {
    let mut right = vec!["right, not exact".to_owned()];
    right.extend(
        AnswerDifference::ALL
            .iter()
            .map(|way| numbers.head(way.as_str())),
    );
    let mut table = TextTable::of(&["model", "budget"], &right);
    for row in rows {
        let mut cells = vec![
            named(row.model.as_ref()),
            budget(row.budget),
            row.n_inexact.to_string(),
        ];
        let share = |n: usize| (row.n_inexact > 0).then(|| n as f64 / row.n_inexact as f64);
        let of = |way: &AnswerDifference| row.ways.get(way.as_str()).copied().unwrap_or(0);
        cells.extend(
            AnswerDifference::ALL
                .iter()
                .map(|way| numbers.share(share(of(way)))),
        );
        table.row(cells);
    }
    table
}

fn forms(rows: &[WireFormDifference], numbers: NumberStyle) -> TextTable {
    let mut right = vec!["n".to_owned()];
    right.extend(["first", "second", "difference"].map(|name| numbers.head(name)));
    let mut table = TextTable::of(&["task", "measure", "model", "budget", "forms"], &right)
        .with("95 % interval", Align::Left)
        .with("p", Align::Right);
    for row in rows {
        table.row([
            row.task.to_owned(),
            row.measure.to_owned(),
            named(row.model.as_ref()),
            budget(row.budget),
            format!("{}, {}", row.baseline, row.answer),
            row.n.to_string(),
            numbers.share(Some(row.baseline_value)),
            numbers.share(Some(row.value)),
            signed(Some(row.difference), numbers),
            signed_range(Some(row.difference), numbers),
            numbers.p(row.p),
        ]);
    }
    table
}

fn gibberish(rows: &[WireGibberish], numbers: NumberStyle) -> TextTable {
    let mut right = vec!["answers".to_owned(), numbers.head("gibberish")];
    right.extend(
        Gibberish::ALL
            .iter()
            .map(|gibberish| gibberish.as_str().to_owned()),
    );
    let mut table = TextTable::of(&["task", "model", "budget"], &right);
    for row in rows {
        let mut cells = vec![
            task(row.task, row.answer.as_ref()),
            named(row.model.as_ref()),
            budget(row.budget),
            row.n_answers.to_string(),
            numbers.share(Some(row.share)),
        ];
        let of = |gibberish: &Gibberish| row.kinds.get(gibberish.as_str()).copied().unwrap_or(0);
        cells.extend(
            Gibberish::ALL
                .iter()
                .map(|gibberish| of(gibberish).to_string()),
        );
        table.row(cells);
    }
    table
}
