//! Plain tables for people: columns padded to their widest cell, no colors, no borders.
//!
//! Source text is untrusted: cells are made visible before they are measured.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::args::TableName;
use crate::chart::csv_cell;
pub use crate::model::{visible, visible_source};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    /// Numbers: those for people have their thousands apart and a real minus.
    Right,
    /// To the right too, but numbers that name something, a job or a line: they stay as they are.
    Ordinal,
}

/// Rows under a header.
#[derive(Debug)]
pub struct TextTable {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub fn new<N: ToString>(columns: &[(N, Align)]) -> Self {
        let columns = columns
            .iter()
            .map(|(name, align)| (name.to_string(), *align));
        Self {
            columns: columns.collect(),
            rows: Vec::new(),
        }
    }

    /// Makes a table with columns of texts, and behind them columns of numbers.
    pub fn of<N: AsRef<str>>(texts: &[&str], numbers: &[N]) -> Self {
        let texts = texts.iter().map(|name| (*name, Align::Left));
        let numbers = numbers.iter().map(|name| (name.as_ref(), Align::Right));
        Self::new(&texts.chain(numbers).collect::<Vec<_>>())
    }

    /// Makes a table with columns of texts alone.
    pub fn of_texts(texts: &[&str]) -> Self {
        Self::of::<&str>(texts, &[])
    }

    /// Adds a column behind the others, before there are rows.
    pub fn with(mut self, name: &str, align: Align) -> Self {
        self.columns.push((name.to_owned(), align));
        self
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push(cells.into_iter().map(|cell| visible(&cell)).collect());
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.read_rows();
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(idx, (name, _))| {
                let cells = rows.iter().filter_map(|row| row.get(idx));
                cells
                    .map(|cell| cell.width())
                    .chain([name.width()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let header: Vec<String> = self.header().map(str::to_owned).collect();
        for row in std::iter::once(&header).chain(&rows) {
            let mut line = String::new();
            for (idx, cell) in row.iter().enumerate() {
                let padding = " ".repeat(widths[idx].saturating_sub(cell.width()));
                if idx > 0 {
                    line.push_str("  ");
                }
                match self.columns[idx].1 {
                    Align::Left => line.push_str(&(cell.clone() + &padding)),
                    Align::Right | Align::Ordinal => line.push_str(&(padding + cell)),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The readers of a table's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberStyle {
    /// Percent with two decimals, a real minus, and p as papers print it.
    People,
    /// Shares and p in full, in ASCII; missing values are empty.
    Machine,
}

impl NumberStyle {
    pub const fn of(format: TableName) -> Self {
        match format {
            TableName::Csv | TableName::Json => Self::Machine,
            TableName::Table | TableName::Latex | TableName::Markdown => Self::People,
        }
    }

    /// Names a column of shares.
    pub fn head(self, name: &str) -> String {
        match self {
            Self::People => format!("{name} (%)"),
            Self::Machine => name.to_owned(),
        }
    }

    pub const fn none(self) -> &'static str {
        match self {
            Self::People => "–",
            Self::Machine => "",
        }
    }

    /// Writes a share of 0..=1.
    pub fn share(self, share: Option<f64>) -> String {
        match (share, self) {
            (None, _) => self.none().to_owned(),
            (Some(share), Self::People) => crate::model::number(share * 100.0, 2),
            (Some(share), Self::Machine) => share.to_string(),
        }
    }

    /// Writes a share with the bounds of its interval: people read them as one thing, programs want a cell for each.
    pub fn bounded(self, share: Option<f64>, bounds: Option<(f64, f64)>) -> Vec<String> {
        let value = self.share(share);
        match self {
            Self::People => {
                let bounds = bounds.map_or_else(String::new, |(low, high)| {
                    let [low, high] =
                        [low, high].map(|value| crate::model::number(value * 100.0, 1));
                    format!(" [{low}, {high}]")
                });
                vec![value + &bounds]
            }
            Self::Machine => {
                let (low, high) = (bounds.map(|bound| bound.0), bounds.map(|bound| bound.1));
                vec![value, self.share(low), self.share(high)]
            }
        }
    }

    /// Names the columns of [`Self::bounded`]: one for people; for programs the bounds have their own.
    pub fn bounded_heads(self, name: &str) -> Vec<String> {
        match self {
            Self::People => vec![self.head(name)],
            Self::Machine => ["", " low", " high"]
                .map(|end| format!("{name}{end}"))
                .into(),
        }
    }

    /// Writes a difference of shares.
    pub fn signed(self, difference: f64) -> String {
        match self {
            Self::People => crate::model::signed(difference * 100.0, 2),
            Self::Machine => difference.to_string(),
        }
    }

    /// Writes a p-value as the Compare screen does.
    pub fn p(self, p: f64) -> String {
        match self {
            Self::Machine => p.to_string(),
            Self::People => crate::model::probability(p),
        }
    }
}

impl TextTable {
    fn header(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Writes the rows for people.
    fn read_rows(&self) -> Vec<Vec<String>> {
        let cell = |(cell, (_, align)): (&String, &(String, Align))| match align {
            Align::Right => crate::model::readable(cell).into_owned(),
            Align::Left | Align::Ordinal => cell.clone(),
        };
        let row = |row: &Vec<String>| row.iter().zip(&self.columns).map(cell).collect();
        self.rows.iter().map(row).collect()
    }

    /// Writes the table in a format of tables; [`print`](crate::print) writes JSON.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_as(&self, format: TableName, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TableName::Table | TableName::Json => self.write(out),
            TableName::Csv => self.write_csv(out),
            TableName::Latex => self.write_latex(out),
            TableName::Markdown => self.write_markdown(out),
        }
    }

    /// Writes the table with commas, quoted where needed (RFC 4180).
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(self.header().map(|cell| csv_cell(cell).into_owned()))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|cell| csv_cell(cell).into_owned()))?;
        }
        writer.flush()
    }

    /// Writes a Markdown table.
    pub fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let escaped = |cell: &str| cell.replace('\\', "\\\\").replace('|', "\\|");
        let rules = self.columns.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right | Align::Ordinal => "--:".to_owned(),
        });
        writeln!(out, "{}", line(self.header().map(escaped).collect()))?;
        writeln!(out, "{}", line(rules.collect()))?;
        for row in &self.read_rows() {
            writeln!(
                out,
                "{}",
                line(row.iter().map(|row| escaped(row)).collect())
            )?;
        }
        Ok(())
    }

    /// Writes a LaTeX `tabular` with the rules of the package `booktabs`.
    pub fn write_latex(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: Vec<String>| format!("{} \\\\", cells.join(" & "));
        let columns: String = self
            .columns
            .iter()
            .map(|(_, align)| match align {
                Align::Left => 'l',
                Align::Right | Align::Ordinal => 'r',
            })
            .collect();
        writeln!(out, "\\begin{{tabular}}{{{columns}}}\n\\toprule")?;
        writeln!(out, "{}", line(self.header().map(latex).collect()))?;
        writeln!(out, "\\midrule")?;
        for row in &self.read_rows() {
            writeln!(out, "{}", line(row.iter().map(|row| latex(row)).collect()))?;
        }
        writeln!(out, "\\bottomrule\n\\end{{tabular}}")
    }
}

/// Escapes text for LaTeX.
fn latex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '−' => escaped.push_str("$-$"),
            // The fonts of old have Spanish marks in their places.
            '<' | '>' => escaped.extend(['$', c, '$']),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Writes a share for a table; nothing of nothing.
pub fn percent(n: u64, of: u64) -> String {
    if of == 0 {
        return String::new();
    }
    crate::model::percent(n as f64 / of as f64, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = TextTable::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["größe".to_owned(), "1".to_owned()]);
        table.row(["x".to_owned(), "200".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out).expect("memory takes every line");
        let text = String::from_utf8(out).expect("we wrote text");
        assert_eq!(text, "name     n\ngröße    1\nx      200\n");
    }

    fn check_as(write: fn(&TextTable, &mut dyn Write) -> io::Result<()>, expected: &str) {
        let mut table = TextTable::new(&[("run_1", Align::Left), ("BLEU", Align::Right)]);
        table.row(["a|b, \"c\" & 5 %".to_owned(), "38.19".to_owned()]);
        let mut out = Vec::new();
        write(&table, &mut out).expect("memory takes every line");
        assert_eq!(String::from_utf8(out).expect("we wrote text"), expected);
    }

    #[test]
    fn tables_of_papers_escape_what_means_something_there() {
        check_as(
            TextTable::write_csv,
            "run_1,BLEU\n\"a|b, \"\"c\"\" & 5 %\",38.19\n",
        );
        let mut formula = TextTable::new(&[("run", Align::Left), ("gain", Align::Right)]);
        formula.row(["=HYPERLINK(1)".to_owned(), "-0.5".to_owned()]);
        let mut out = Vec::new();
        formula
            .write_csv(&mut out)
            .expect("memory takes every line");
        assert_eq!(out, b"run,gain\n'=HYPERLINK(1),-0.5\n");
        check_as(
            TextTable::write_markdown,
            "| run_1 | BLEU |\n| --- | --: |\n| a\\|b, \"c\" & 5 % | 38.19 |\n",
        );
        check_as(
            TextTable::write_latex,
            "\\begin{tabular}{lr}\n\\toprule\nrun\\_1 & BLEU \\\\\n\\midrule\n\
             a|b, \"c\" \\& 5 \\% & 38.19 \\\\\n\\bottomrule\n\\end{tabular}\n",
        );
    }

    #[test]
    fn numbers_are_grouped_for_people_alone() {
        let mut table = TextTable::new(&[
            ("line", Align::Ordinal),
            ("year", Align::Left),
            ("n", Align::Right),
        ]);
        table.row(["1200", "2026", "-3420"].map(str::to_owned));
        let check = |write: fn(&TextTable, &mut dyn Write) -> io::Result<()>, expected: &str| {
            let mut out = Vec::new();
            write(&table, &mut out).expect("memory takes every line");
            assert_eq!(String::from_utf8(out).expect("we wrote text"), expected);
        };
        check(TextTable::write, "line  year       n\n1200  2026  −3,420\n");
        check(TextTable::write_csv, "line,year,n\n1200,2026,-3420\n");
        check(
            TextTable::write_markdown,
            "| line | year | n |\n| --: | --- | --: |\n| 1200 | 2026 | −3,420 |\n",
        );
        check(
            TextTable::write_latex,
            "\\begin{tabular}{rlr}\n\\toprule\nline & year & n \\\\\n\\midrule\n\
             1200 & 2026 & $-$3,420 \\\\\n\\bottomrule\n\\end{tabular}\n",
        );
    }

    #[test]
    fn numbers_are_for_people_or_in_full() {
        let check = |numbers: NumberStyle, expected: [&str; 5]| {
            let written = [
                numbers.share(Some(0.12345)),
                numbers.signed(-0.05),
                numbers.p(0.000_1),
                numbers.p(0.008_9),
                numbers.p(1.0),
            ];
            assert_eq!(written, expected);
        };
        check(
            NumberStyle::People,
            ["12.35", "−5.00", "<.001", ".009", "1.00"],
        );
        check(
            NumberStyle::Machine,
            ["0.12345", "-0.05", "0.0001", "0.0089", "1"],
        );
    }
}
