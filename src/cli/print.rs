//! How a command prints what it found: as JSON, or as tables in the format that is asked for.
//!
//! A command says once how its JSON is written and which tables show the same. Which of the two is asked for, what
//! stands between tables, and which formats have the lines above them, is decided here; how a table looks is for
//! [`table`](crate::table).

use std::io::{self, Write};

use crate::Context;
use crate::args::TableName;
use crate::table::{NumberStyle, TextTable};

/// A table with a line above it, or words between tables.
#[derive(Debug)]
pub struct PrintSection {
    head: Option<TableHead>,
    table: Option<TextTable>,
}

/// The line above a table.
#[derive(Debug)]
enum TableHead {
    /// Tells tables apart, in papers too.
    Title(String),
    /// Explains a table; papers do that in their own words.
    Remark(String),
}

impl From<TextTable> for PrintSection {
    fn from(table: TextTable) -> Self {
        Self {
            head: None,
            table: Some(table),
        }
    }
}

impl PrintSection {
    /// Puts a table under its title.
    pub fn titled(title: String, table: TextTable) -> Self {
        Self {
            head: Some(TableHead::Title(title)),
            table: Some(table),
        }
    }

    /// Puts a table under a remark.
    pub fn remarked(remark: String, table: TextTable) -> Self {
        Self {
            head: Some(TableHead::Remark(remark)),
            table: Some(table),
        }
    }

    /// Makes a section of lines without a table.
    pub fn words(words: String) -> Self {
        Self {
            head: Some(TableHead::Remark(words)),
            table: None,
        }
    }

    fn write(&self, format: TableName, out: &mut dyn Write) -> io::Result<()> {
        match (&self.head, format) {
            (Some(TableHead::Title(title)), TableName::Latex) => writeln!(out, "% {title}")?,
            (Some(TableHead::Title(line)), TableName::Table | TableName::Markdown)
            | (Some(TableHead::Remark(line)), TableName::Table) => writeln!(out, "{line}")?,
            _ => {}
        }
        match &self.table {
            Some(table) => table.write_as(format, out),
            None => Ok(()),
        }
    }
}

/// Writes tables, an empty line between two.
///
/// # Errors
/// Those of the writer.
pub fn tables<S: Into<PrintSection>>(
    out: &mut dyn Write,
    format: TableName,
    sections: impl IntoIterator<Item = S>,
) -> io::Result<()> {
    for (idx, section) in sections.into_iter().enumerate() {
        if idx > 0 {
            writeln!(out)?;
        }
        section.into().write(format, out)?;
    }
    Ok(())
}

impl Context<'_, '_> {
    /// Prints the output of a command, as `json` writes it or as tables, whichever the format asks for. The other is
    /// not made.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn print<S: Into<PrintSection>, I: IntoIterator<Item = S>>(
        &mut self,
        format: TableName,
        json: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        sections: impl FnOnce(NumberStyle) -> I,
    ) -> io::Result<()> {
        let out = &mut *self.streams.out;
        match format {
            TableName::Json => json(out),
            _ => tables(out, format, sections(NumberStyle::of(format))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::table::Align;

    fn check(format: TableName, expected: &str) {
        let table = || {
            let mut table = TextTable::new(&[("n", Align::Right)]);
            table.row(["1".to_owned()]);
            table
        };
        let sections = [
            PrintSection::titled("first".to_owned(), table()),
            PrintSection::remarked("second".to_owned(), table()),
            table().into(),
        ];
        let mut out = Vec::new();
        tables(&mut out, format, sections).expect("memory takes every line");
        assert_eq!(String::from_utf8(out).expect("we wrote text"), expected);
    }

    #[test]
    fn titles_are_in_papers_and_remarks_are_not() {
        check(TableName::Table, "first\nn\n1\n\nsecond\nn\n1\n\nn\n1\n");
        check(TableName::Csv, "n\n1\n\nn\n1\n\nn\n1\n");
        check(
            TableName::Markdown,
            "first\n| n |\n| --: |\n| 1 |\n\n| n |\n| --: |\n| 1 |\n\n| n |\n| --: |\n| 1 |\n",
        );
        let tabular = "\\begin{tabular}{r}\n\\toprule\nn \\\\\n\\midrule\n1 \\\\\n\\bottomrule\n\\end{tabular}\n";
        check(
            TableName::Latex,
            &format!("% first\n{tabular}\n{tabular}\n{tabular}"),
        );
    }
}
