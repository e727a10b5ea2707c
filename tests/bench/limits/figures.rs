//! Figures of several rounds, compared with their limits.

use super::console::print;

/// The limit of a figure's median.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    AtMost(f64),
    Nothing,
}

/// Lines in the order in which they were first named.
#[derive(Default)]
pub struct Table(Vec<Line>);

struct Line {
    name: String,
    unit: &'static str,
    asked: Asked,
    values: Vec<f64>,
}

impl Table {
    /// Adds a figure of one round, and its yardstick.
    pub fn add(&mut self, name: &str, unit: &'static str, asked: Asked, value: f64) {
        let is_it = |line: &&mut Line| line.name == name && line.unit == unit;
        match self.0.iter_mut().find(is_it) {
            Some(line) => line.values.push(value),
            None => self.0.push(Line {
                name: name.to_owned(),
                unit,
                asked,
                values: vec![value],
            }),
        }
    }

    /// Prints minimum, median and maximum of each line, and whether the median is within the limit.
    pub fn print(self) {
        self.0.into_iter().for_each(Line::print);
    }
}

impl Line {
    fn print(mut self) {
        self.values.sort_by(f64::total_cmp);
        let last = self.values.len().saturating_sub(1);
        let [least, median, most] = [0, last / 2, last].map(|place| self.values[place]);
        let asked = match self.asked {
            Asked::AtMost(limit) if median <= limit => format!("≤ {limit}: ok"),
            Asked::AtMost(limit) => format!("≤ {limit}: OVER"),
            Asked::Nothing => String::new(),
        };
        print(&format!(
            "{:<44}{:>9}{:>9}{:>9}  {:<34}{asked}",
            self.name,
            short(least),
            short(median),
            short(most),
            self.unit
        ));
    }
}

/// Prints the head of a part's table.
pub fn head(part: &str) {
    print(&format!(
        "\n{part:<44}{:>9}{:>9}{:>9}  {:<34}asked",
        "min", "median", "max", "of"
    ));
}

fn short(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}
