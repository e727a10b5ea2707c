//! Figures of several rounds beside what is asked of them.

use super::console::print;

/// What is asked of a figure's median.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    AtMost(f64),
    Nothing,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Figure {
    name: String,
    unit: &'static str,
    asked: Asked,
    values: Vec<f64>,
}

impl Figure {
    pub fn new(name: impl Into<String>, unit: &'static str, asked: Asked) -> Self {
        Self {
            name: name.into(),
            unit,
            asked,
            values: Vec::new(),
        }
    }

    pub fn add(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Prints minimum, median and maximum, and whether the median is as asked.
    pub fn print(mut self) {
        self.values.sort_by(f64::total_cmp);
        let last = self.values.len().saturating_sub(1);
        let at = |place: usize| self.values.get(place).copied().unwrap_or(f64::NAN);
        let [least, median, most] = [0, last / 2, last].map(at);
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
