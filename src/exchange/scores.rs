//! The output of `score`: a line for each pair, then one for the corpus (the contract of DESIGN.md section 5).

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::pairs::PairId;

/// An object whose fields come in the order of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderedFields<T>(pub Vec<(&'static str, T)>);

impl<T> OrderedFields<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(&'static str, T)> for OrderedFields<T> {
    fn from_iter<I: IntoIterator<Item = (&'static str, T)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for OrderedFields<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(Debug, serde::Serialize)]
pub struct WirePairScores<'a> {
    pub id: &'a PairId,
    pub parsable: bool,
    pub scores: OrderedFields<f64>,
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub parts: OrderedFields<OrderedFields<f64>>,
    /// Why the prediction does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<WireSyntaxError<'a>>,
    /// The code in the answer, where that is not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<&'a str>,
    /// Metrics that count as 0 because the texts are too long for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub too_costly: Vec<&'static str>,
}

#[derive(Debug, serde::Serialize)]
pub struct WireSyntaxError<'a> {
    /// In the prediction, from 1.
    pub line: u32,
    pub column: u32,
    pub detail: &'a str,
}

/// The scores of all pairs together; null where there is nothing to score.
#[derive(Debug, serde::Serialize)]
pub struct WireCorpusScores {
    pub corpus: OrderedFields<Option<f64>>,
    /// Means of parts.
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub parts: OrderedFields<OrderedFields<f64>>,
    pub n: u64,
    pub n_unparsable: u64,
    pub unparsable_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_length_rate: Option<f64>,
    /// Over the predictions that parse.
    pub parsable: OrderedFields<Option<f64>>,
    /// `parsable` times the share of predictions that parse (ConTest equation 2).
    pub adjusted: OrderedFields<Option<f64>>,
    pub n_problems: u64,
    pub language: &'static str,
    pub parse_mode: &'static str,
    /// The Python whose `ast.parse` decided what parses, such as `Python 3.11.7`; absent where a grammar decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser: Option<String>,
    pub versions: OrderedFields<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crystal: Option<WireCrystal>,
}

/// The n-grams that CrystalBLEU left out.
#[derive(Debug, serde::Serialize)]
pub struct WireCrystal {
    pub k: usize,
    pub corpus: String,
    pub n_tokens: usize,
}
