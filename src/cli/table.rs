//! Plain tables for people: columns padded to their widest cell, no colors, no borders.
//!
//! Source text is untrusted: cells are made visible before they are measured.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows under a header.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push(cells.into_iter().map(|it| visible(&it)).collect());
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(idx, (name, _))| {
                let cells = self.rows.iter().filter_map(|row| row.get(idx));
                cells
                    .map(|it| it.width())
                    .chain([name.width()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let header: Vec<String> = self.columns.iter().map(|it| it.0.to_owned()).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let mut line = String::new();
            for (idx, cell) in row.iter().enumerate() {
                let padding = " ".repeat(widths[idx].saturating_sub(cell.width()));
                if idx > 0 {
                    line.push_str("  ");
                }
                match self.columns[idx].1 {
                    Align::Left => line.push_str(&(cell.clone() + &padding)),
                    Align::Right => line.push_str(&(padding + cell)),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns `text` with control and direction-changing characters as visible escapes.
pub fn visible(text: &str) -> String {
    let is_hidden = |it: char| {
        it.is_control()
            || matches!(it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars()
        .map(|it| {
            if is_hidden(it) {
                format!("⟨{:04X}⟩", it as u32)
            } else {
                it.to_string()
            }
        })
        .collect()
}

/// Returns source text with its line ends and tabs, everything else hidden made visible.
pub fn visible_source(text: &str) -> String {
    text.split('\n')
        .map(|line| {
            line.strip_suffix('\r')
                .unwrap_or(line)
                .split('\t')
                .map(visible)
                .collect::<Vec<_>>()
                .join("\t")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["größe".to_owned(), "1".to_owned()]);
        table.row(["x".to_owned(), "200".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out).expect("memory takes every line");
        let text = String::from_utf8(out).expect("we wrote text");
        assert_eq!(text, "name     n\ngröße    1\nx      200\n");
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b"), "a⟨001B⟩[31m⟨202E⟩b");
        assert_eq!(visible_source("a\tb\r\nc\u{7}"), "a\tb\nc⟨0007⟩");
    }
}
