//! What the file of an experiment says of its models besides what they are asked with: the paper `CCTest` tells it in
//! its Table III.

use crate::exchange::experiment::Experiment;
use crate::table::TextTable;

/// The keys of a model that describe it, with the heads of their columns; nothing is asked differently because of them.
pub const KEYS: [(&str, &str); 3] = [
    ("parameters", "parameters"),
    ("vocabulary", "vocabulary (tokens)"),
    ("output_max", "longest output (tokens)"),
];

/// Stands for a value that the file does not give, as in the paper.
const UNKNOWN: &str = "?";

/// Tells whether a key describes a model.
pub fn is_key(key: &str) -> bool {
    KEYS.iter().any(|pair| pair.0 == key)
}

/// Reads the description of each model in a file: its name first, then what [`KEYS`] say.
pub fn models(
    experiment: &Experiment,
) -> impl Iterator<Item = Vec<(&'static str, Option<String>)>> {
    experiment.models.iter().map(|model| {
        let said = |key: &str| model.get_ref().get(key)?.texts().into_iter().next();
        let keys = std::iter::once("model").chain(KEYS.map(|pair| pair.0));
        keys.map(|key| (key, said(key))).collect()
    })
}

/// Builds a row for each model of a file.
pub fn table(experiment: &Experiment) -> TextTable {
    let mut table = TextTable::of(&["model"], &KEYS.map(|pair| pair.1));
    for model in models(experiment) {
        let cells = model.into_iter().map(|model| model.1);
        table.row(cells.map(|cell| cell.unwrap_or_else(|| UNKNOWN.to_owned())));
    }
    table
}
