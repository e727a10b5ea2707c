//! A row of an index as a line of `--format dump`.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct WireDumpedRow<'a> {
    pub table: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'a str>,
    pub row: BTreeMap<&'a str, WireCell<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum WireCell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    /// Hexadecimal digits.
    Bytes(String),
}
