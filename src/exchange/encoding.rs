//! The lines of `encode` and `decode`.

use serde::Serialize;

/// A sample as tokens: a line of `encode`.
#[derive(Debug, Serialize)]
pub struct WireEncoded<'a> {
    pub sample: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec<&'a str>>,
}

/// What a sequence decodes to: a line of `decode`.
#[derive(Debug, Serialize)]
pub struct WireDecoded<'a> {
    pub sample: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<WireDecodeError<'a>>,
}

/// Why a sequence is no code.
#[derive(Debug, Serialize)]
pub struct WireDecodeError<'a> {
    /// The index of the token.
    pub position: usize,
    pub message: &'a str,
}

/// How long the sequences of samples are, for `stats --encoding --json`.
#[derive(Debug, Serialize)]
pub struct WireLengths {
    pub n: usize,
    pub n_not_encoded: u64,
    pub n_other_language: u64,
    pub limit: usize,
    /// Samples with a longer sequence on either side.
    pub n_over: usize,
    pub source: Option<WireQuantiles>,
    pub target: Option<WireQuantiles>,
}

/// Lengths in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WireQuantiles {
    pub mean: f64,
    pub min: usize,
    pub p25: usize,
    pub p50: usize,
    pub p75: usize,
    pub p90: usize,
    pub p95: usize,
    pub p99: usize,
    pub max: usize,
    pub n_over: usize,
}
