//! The lines of `export --format pairs` and `chat`: a prompt with the right answer.

use serde::Serialize;

use super::WireMessage;

/// A prompt and its completion. Trainers read the first two columns and ignore the others.
#[derive(Debug, Serialize)]
pub struct WirePair<'a> {
    pub prompt: String,
    pub completion: &'a str,
    pub sample: String,
    pub repo: &'a str,
    pub language: &'static str,
    pub license: Option<&'a str>,
    /// Its part of the random split; null where there is none.
    pub split: Option<&'static str>,
    /// The kind of the completion: `assertion`, `test`.
    pub target: &'static str,
    /// The tokens of prompt and completion together.
    pub tokens: usize,
    /// The parts that were left out of the prompt, in this order.
    pub truncated: &'a [&'static str],
}

/// A conversation. It has no other column: readers that know their columns refuse more.
#[derive(Debug, Serialize)]
pub struct WireChat<'a> {
    pub messages: Vec<WireMessage<'a>>,
}
