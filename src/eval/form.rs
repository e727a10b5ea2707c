//! How a file of predictions is read where nobody says so: by its name, with the usual names of fields.

use std::path::Path;

use crate::exchange::pairs::FieldNames;
use crate::exchange::records::RecordLayout;

use super::import::PredictionFormat;

impl PredictionFormat {
    /// Chooses how a file of this name is read: `.csv` with a header, `.txt` and `.text` one prediction a line,
    /// anything else as JSON; the fields are `sample` and `prediction`.
    #[must_use]
    pub fn of_file(name: &str) -> Self {
        let extension = Path::new(name)
            .extension()
            .and_then(|extension| extension.to_str());
        let extension = extension.map(str::to_ascii_lowercase);
        let layout = match extension.as_deref() {
            Some("txt" | "text") => return Self::Lines,
            Some("csv") => RecordLayout::Csv,
            _ => RecordLayout::Json,
        };
        Self::Records {
            layout,
            names: FieldNames::of_predictions(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &str) {
        let form = match PredictionFormat::of_file(name) {
            PredictionFormat::Lines => "lines",
            PredictionFormat::Records {
                layout: RecordLayout::Csv,
                ..
            } => "csv",
            PredictionFormat::Records { .. } => "json",
        };
        assert_eq!(form, expected, "{name}");
    }

    #[test]
    fn the_end_of_the_name_says_how_a_file_is_read() {
        check("runs/carbon.jsonl", "json");
        check("carbon", "json");
        check("CARBON.CSV", "csv");
        check("a.b/predictions.txt", "lines");
    }
}
