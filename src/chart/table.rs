//! The numbers behind a figure, to be drawn again elsewhere.

use std::borrow::Cow;

use super::{Axis, Figure, SeriesShape};

/// A row: two coordinates and, where the shape has them, the right edge, the interval and the number of observations.
#[derive(Default)]
struct FigureRow<'f> {
    series: &'f str,
    x: String,
    to: String,
    y: String,
    low: String,
    high: String,
    n: String,
}

/// Picks a row's text for one column.
type CellText = for<'r> fn(&'r FigureRow<'_>) -> &'r str;

/// Writes a figure's numbers as CSV, a row for each value and the axes' labels in the header. Ratios are 0..=1, also
/// where the axis shows percent. Columns that no row has are left out.
#[must_use]
pub fn csv(figure: &Figure) -> String {
    let rows = rows(figure);
    let heading = |axis: &Axis, default: &str| match axis.label.as_str() {
        "" if axis.names().is_some() => "category".to_owned(),
        "" => default.to_owned(),
        label if axis.unit == "%" => label.to_owned(),
        _ => axis.title(),
    };
    let has = |of: CellText| rows.iter().any(|row| !of(row).is_empty());
    let mut columns: [(String, CellText); 7] = [
        ("series".to_owned(), |figure_row| figure_row.series),
        (heading(&figure.x, "x"), |figure_row| &figure_row.x),
        ("to".to_owned(), |figure_row| &figure_row.to),
        (heading(&figure.y, "y"), |figure_row| &figure_row.y),
        ("low".to_owned(), |figure_row| &figure_row.low),
        ("high".to_owned(), |figure_row| &figure_row.high),
        ("n".to_owned(), |figure_row| &figure_row.n),
    ];
    if figure.is_lying() {
        // The category comes before its value.
        columns.swap(1, 3);
    }
    let is_shown = |idx: usize| matches!(idx, 1 | 3) || has(columns[idx].1);
    let shown: Vec<_> = (0..columns.len()).filter(|idx| is_shown(*idx)).collect();
    let header = shown.iter().map(|idx| columns[*idx].0.as_str()).collect();
    let cells = |row| shown.iter().map(|idx| columns[*idx].1(row)).collect();
    let records: Vec<Vec<&str>> = std::iter::once(header)
        .chain(rows.iter().map(cells))
        .collect();
    written(&records)
}

/// Writes a cell of CSV so that a spreadsheet takes it for a text or a number, and runs nothing: text that begins like
/// a formula and is no number gets an apostrophe in front (OWASP, "CSV Injection"), which spreadsheets do not show.
#[must_use]
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    // Some spreadsheets take the full-width characters for the ASCII ones.
    const BEGINNINGS: &[char] = &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(BEGINNINGS) && text.parse::<f64>().is_err() {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn written(records: &[Vec<&str>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        let cells = record.iter().map(|cell| csv_cell(cell).into_owned());
        writer.write_record(cells).expect("memory takes every row");
    }
    let bytes = writer.into_inner().expect("memory takes every row");
    String::from_utf8(bytes).expect("all cells are text")
}

fn rows(figure: &Figure) -> Vec<FigureRow<'_>> {
    let mut rows = Vec::new();
    for series in &figure.series {
        let name = series.name.as_str();
        let point = |x: f64, y: f64| FigureRow {
            series: name,
            x: coordinate(&figure.x, x),
            y: coordinate(&figure.y, y),
            ..FigureRow::default()
        };
        match &series.shape {
            SeriesShape::Bars { values, .. } => {
                rows.extend(values.iter().enumerate().map(|pair| {
                    let (category, value) = (pair.0 as f64, *pair.1);
                    if figure.is_lying() {
                        point(value, category)
                    } else {
                        point(category, value)
                    }
                }));
            }
            SeriesShape::Histogram { edges, values } => {
                rows.extend(
                    edges
                        .windows(2)
                        .zip(values)
                        .map(|(edges, value)| FigureRow {
                            to: coordinate(&figure.x, edges[1]),
                            ..point(edges[0], *value)
                        }),
                );
            }
            SeriesShape::Line { points, .. } | SeriesShape::Scatter(points) => {
                rows.extend(points.iter().map(|pair| point(pair.0, pair.1)));
            }
            SeriesShape::Intervals(intervals) => {
                rows.extend(intervals.iter().map(|interval| FigureRow {
                    low: plain(interval.low),
                    high: plain(interval.high),
                    n: interval.n.to_string(),
                    ..point(interval.x, interval.y)
                }));
            }
            SeriesShape::Rule { from, to } => {
                rows.extend([from, to].map(|pair| point(pair.0, pair.1)));
            }
        }
    }
    rows
}

/// Writes a value as a plain number; on an axis of categories, as the category's name.
fn coordinate(axis: &Axis, value: f64) -> String {
    match axis.names() {
        Some(names) if value >= 0.0 => names
            .get(super::bins::whole(value.round()))
            .cloned()
            .unwrap_or_default(),
        _ => plain(value),
    }
}

fn plain(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_no_formula_and_a_number_stays_one() {
        let check = |text: &str, expected: &str| assert_eq!(csv_cell(text), expected);
        for text in ["", "a", "-1.5", "+2", "-1e-9", "1=2", "–", "'=1"] {
            check(text, text);
        }
        for text in [
            "=HYPERLINK(\"http://x\")",
            "+1+1",
            "-1+cmd",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "＝1",
            "-",
        ] {
            check(text, &format!("'{text}"));
        }
    }
}
