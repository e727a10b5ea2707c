//! The lines of `prompts`.

use serde::Serialize;

/// What a model is asked about one sample.
#[derive(Debug, Serialize)]
pub struct WirePrompt<'a> {
    /// A hash of all that shapes the prompt.
    pub id: String,
    pub sample: String,
    pub kind: &'static str,
    /// A conversation; null where the prompt is a text to go on with.
    pub messages: Option<Vec<WireMessage<'a>>>,
    pub prompt: Option<&'a str>,
    /// What follows the answer.
    pub suffix: Option<&'a str>,
    /// How long the answer may be.
    pub max_tokens: u32,
    /// Where the answer ends.
    pub stop: &'a [&'a str],
    /// Of the prompt.
    pub tokens: usize,
    /// What was left out, in this order.
    pub truncated: &'a [&'static str],
    /// What the answer is: `assertion`, `test`.
    pub target: &'static str,
    pub meta: WirePromptMeta<'a>,
}

#[derive(Debug, Serialize)]
pub struct WireMessage<'a> {
    pub role: &'static str,
    pub content: &'a str,
}

/// Where a prompt comes from.
#[derive(Debug, Serialize)]
pub struct WirePromptMeta<'a> {
    pub repo: &'a str,
    pub language: &'static str,
    pub test: String,
    pub focal: Option<String>,
    /// The sample's content hash.
    pub content: String,
    pub budget: Option<usize>,
    /// What counted the tokens: `approx`, or a file's name.
    pub tokenizer: &'a str,
}
