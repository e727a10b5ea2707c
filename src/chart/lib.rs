//! Figures: what a chart shows as a value, and three ways to write it down: SVG, characters, numbers.
//!
//! Decides scales, ticks, layout, and how series are told apart: by colour (Okabe and Ito 2008, safe for colour-blind
//! readers) and by marker, dash or pattern, so that print in black and white and terminals without colours show the
//! same. Knows nothing of samples and runs, and no colours of a terminal: a cell has a [`CellRole`]. The same figure is
//! the same bytes; no figure and no size panics, and values that are not finite are not drawn.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use focalist_model as model;

mod bins;
mod scale;
mod svg;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use bins::POINTS_MAX;
pub use model::number;
pub use svg::{SIZE_MAX, SIZE_MIN, svg};
pub use table::{csv, csv_cell};
pub use text::{CellRole, ChartCell, Glyphs, Grid, text, text_height};

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    pub title: String,
    /// The data behind the chart: how many, under which filter.
    pub subtitle: String,
    pub x: Axis,
    pub y: Axis,
    /// Drawn in this order.
    pub series: Vec<Series>,
    /// How several [`SeriesShape::Bars`] share a category.
    pub arrangement: Arrangement,
    /// The message in place of a chart without anything to show.
    pub note: String,
}

/// One direction of the chart: its label, unit, scale and format of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub label: String,
    /// Written in parentheses after the label; empty for numbers without one.
    pub unit: String,
    pub scale: Scale,
    /// The shown range; without it, the data's, up to the next tick.
    pub range: Option<(f64, f64)>,
    pub numbers: NumberFormat,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scale {
    #[default]
    Linear,
    /// Values of 0 and less are not drawn.
    Log,
    /// Values are places in this list, from 0. On the y axis the first is on top, and bars lie.
    Categories(Vec<String>),
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberFormat {
    #[default]
    Plain,
    /// Counts: no ticks between whole numbers.
    Whole,
    /// Ratios, written as percent.
    Percent,
}

/// Values of a chart that share a name and a look.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Shown in the legend where several series have a name.
    pub name: String,
    pub shape: SeriesShape,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SeriesShape {
    /// A bar for each category, from 0 on; where bars lie, each label stands at its end.
    Bars {
        values: Vec<f64>,
        labels: Vec<String>,
    },
    /// Values between neighbouring edges; there is one edge more.
    Histogram {
        edges: Vec<f64>,
        values: Vec<f64>,
    },
    /// Points in the order in which they are connected.
    Line {
        points: Vec<(f64, f64)>,
        path: Path,
    },
    /// Above [`POINTS_MAX`] points, SVG shows the number of points in each of many small fields; text always does.
    Scatter(Vec<(f64, f64)>),
    Intervals(Vec<Interval>),
    /// A line to compare with, such as a diagonal; dashed and grey.
    Rule {
        from: (f64, f64),
        to: (f64, f64),
    },
}

/// How the points of a line are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Straight, with a marker on each point.
    #[default]
    Marked,
    /// Straight.
    Plain,
    /// A value holds until the next one.
    Steps,
    /// Not at all: a marker on each point.
    Apart,
}

/// A value with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
    /// The number of observations behind the value.
    pub n: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// Side by side.
    #[default]
    Grouped,
    /// One on the other.
    Stacked,
}

impl Axis {
    #[must_use]
    pub fn new(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            ..Self::default()
        }
    }

    /// Makes an axis of counts.
    #[must_use]
    pub fn count(label: &str) -> Self {
        Self {
            numbers: NumberFormat::Whole,
            ..Self::new(label, "")
        }
    }

    /// Makes an axis of ratios, which are written as percent.
    #[must_use]
    pub fn ratio(label: &str) -> Self {
        Self {
            numbers: NumberFormat::Percent,
            ..Self::new(label, "%")
        }
    }

    #[must_use]
    pub fn categories(label: &str, names: Vec<String>) -> Self {
        Self {
            scale: Scale::Categories(names),
            ..Self::new(label, "")
        }
    }

    #[must_use]
    pub fn with_range(mut self, from: f64, to: f64) -> Self {
        self.range = Some((from, to));
        self
    }

    #[must_use]
    pub fn with_scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// Joins label and unit: `length (tokens)`.
    #[must_use]
    pub fn title(&self) -> String {
        match (self.label.as_str(), self.unit.as_str()) {
            (label, "") => label.to_owned(),
            ("", unit) => format!("({unit})"),
            (label, unit) => format!("{label} ({unit})"),
        }
    }

    const fn names(&self) -> Option<&Vec<String>> {
        match &self.scale {
            Scale::Categories(names) => Some(names),
            _ => None,
        }
    }
}

impl Series {
    #[must_use]
    pub fn new(name: impl Into<String>, shape: SeriesShape) -> Self {
        Self {
            name: name.into(),
            shape,
        }
    }

    const fn is_rule(&self) -> bool {
        matches!(self.shape, SeriesShape::Rule { .. })
    }
}

impl Figure {
    /// Makes a figure of steps, each a part of the one before: lying bars with the count, and its share of the step
    /// before.
    #[must_use]
    pub fn funnel(title: &str, unit: &str, steps: &[(String, u64)]) -> Self {
        let label = |idx: usize, n: u64| match idx.checked_sub(1).map(|before| steps[before].1) {
            Some(before) if before > 0 => {
                let share = 100.0 * n as f64 / before as f64;
                format!("{} ({share:.1} %)", number(n as f64, 0))
            }
            _ => number(n as f64, 0),
        };
        let greatest = steps.iter().map(|step| step.1).max().unwrap_or(0);
        let labels = steps
            .iter()
            .enumerate()
            .map(|(idx, pair)| label(idx, pair.1));
        Self {
            title: title.to_owned(),
            x: Axis::count(unit).with_range(0.0, greatest as f64),
            y: Axis::categories("step", steps.iter().map(|step| step.0.clone()).collect()),
            series: vec![Series::new(
                "",
                SeriesShape::Bars {
                    values: steps.iter().map(|step| step.1 as f64).collect(),
                    labels: labels.collect(),
                },
            )],
            ..Self::default()
        }
    }

    /// Tells whether no series has anything to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| match &series.shape {
            SeriesShape::Bars { values, .. } => values.is_empty(),
            SeriesShape::Histogram { edges, values } => values.is_empty() || edges.len() < 2,
            SeriesShape::Line { points, .. } | SeriesShape::Scatter(points) => points.is_empty(),
            SeriesShape::Intervals(intervals) => intervals.is_empty(),
            // It is there to compare with; alone it says nothing.
            SeriesShape::Rule { .. } => true,
        })
    }

    /// Tells whether bars lie.
    fn is_lying(&self) -> bool {
        self.y.names().is_some()
    }

    /// Lists the values and labels of all bars, with the numbers of their series.
    fn bars(&self) -> Vec<(usize, &[f64], &[String])> {
        let styled = self.styled();
        styled
            .filter_map(|(idx, series)| match &series.shape {
                SeriesShape::Bars { values, labels } => {
                    Some((idx, values.as_slice(), labels.as_slice()))
                }
                _ => None,
            })
            .collect()
    }

    /// Iterates over the series with the numbers that decide their looks: rules have none of their own.
    fn styled(&self) -> impl Iterator<Item = (usize, &Series)> {
        let mut next = 0;
        self.series.iter().map(move |series| {
            let idx = next;
            next += usize::from(!series.is_rule());
            (idx, series)
        })
    }

    /// Lists the entries of a legend: nothing where there is nothing to tell apart.
    fn legend(&self) -> Vec<(usize, &Series)> {
        let named: Vec<_> = self
            .styled()
            .filter(|pair| !pair.1.name.is_empty())
            .collect();
        if named.len() > 1 { named } else { Vec::new() }
    }
}

/// Keeps the characters that have a display width, also combining ones of width 0; drops those that steer terminals or
/// the direction of text. A line feed or a tab becomes a blank.
fn printable(text: &str) -> String {
    let is_steering = |c: char| {
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fffe}' | '\u{ffff}')
    };
    text.chars()
        .map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c })
        .filter(|c| c.width().is_some() && !is_steering(*c))
        .collect()
}

/// Cuts text to at most `width` columns; a cut is marked.
fn cut(text: &str, width: usize, mark: char) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut n_columns = mark.width().unwrap_or(1);
    if n_columns > width {
        return short;
    }
    for c in text.chars() {
        n_columns += c.width().unwrap_or(0);
        if n_columns > width {
            break;
        }
        short.push(c);
    }
    short.push(mark);
    short
}
