//! The lines of `prompts`.

use serde::Serialize;

/// A prompt about one sample.
#[derive(Debug, Serialize)]
pub struct WirePrompt<'a, M = WirePromptMeta<'a>> {
    /// A hash of all that shapes the prompt.
    pub id: String,
    pub sample: String,
    pub kind: &'static str,
    /// A conversation; null where the prompt is a text to go on with.
    pub messages: Option<Vec<WireMessage<'a>>>,
    pub prompt: Option<&'a str>,
    /// The text that follows the answer.
    pub suffix: Option<&'a str>,
    /// How long the answer may be.
    pub max_tokens: u32,
    /// Where the answer ends.
    pub stop: &'a [&'a str],
    /// The number of tokens in the prompt.
    pub tokens: usize,
    /// The parts that were left out, in this order.
    pub truncated: &'a [&'static str],
    /// The kind of the answer: `assertion`, `test`.
    pub target: &'static str,
    pub meta: M,
}

#[derive(Debug, Serialize)]
pub struct WireMessage<'a> {
    pub role: &'static str,
    pub content: &'a str,
}

fn is_all(context: &&'static str) -> bool {
    *context == "all"
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
    /// Other samples that the same is asked about: their tests are references, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The context around the question, where it is not complete.
    #[serde(skip_serializing_if = "is_all")]
    pub context: &'static str,
    pub budget: Option<usize>,
    /// The counter of the tokens: `approx`, or a file's name.
    pub tokenizer: &'a str,
}

/// The origin of a prompt about a problem of `clover`, and the facts that its evaluation needs.
#[derive(Debug, Serialize)]
pub struct WireTaskMeta<'a> {
    /// The project.
    pub repo: &'a str,
    pub language: &'static str,
    /// The problem: `tests/x.py::Class::test`.
    pub test: &'a str,
    /// `cloze`, `target`, `block`
    pub task: &'a str,
    /// The question, as `clover tasks` calls it.
    pub instance: &'a str,
    /// The most tokens of prompt and answer; null for the problem alone.
    pub budget: Option<usize>,
    /// `full`, `part`; for clozes `only` where the answer alone is asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<&'static str>,
    /// The context around the question, where it is not complete.
    #[serde(skip_serializing_if = "is_all")]
    pub context: &'static str,
    pub seed: u64,
    /// The counter of the tokens: `approx`, or a file's name.
    pub tokenizer: &'a str,
    /// Files of the project that the prompt shows, in order.
    pub files: &'a [String],
}

/// A text that a model is asked to continue: the first half of a function or of one of its variants.
#[derive(Debug, Serialize)]
pub struct WireHalf<'a> {
    pub id: String,
    /// Always null: a half belongs to no sample.
    pub sample: Option<&'a str>,
    pub kind: &'static str,
    /// Always null: the prompt is a text to go on with.
    pub messages: Option<Vec<WireMessage<'a>>>,
    pub prompt: &'a str,
    pub suffix: Option<&'a str>,
    pub max_tokens: u32,
    pub stop: &'a [&'a str],
    pub tokens: usize,
    pub truncated: &'a [&'static str],
    pub target: Option<&'a str>,
    pub meta: WireHalfMeta<'a>,
}

/// The function, and its variant.
#[derive(Debug, Serialize)]
pub struct WireHalfMeta<'a> {
    pub seed: &'a str,
    /// None for the function itself.
    pub pass: Option<&'a str>,
    pub language: &'a str,
    pub budget: Option<usize>,
    pub tokenizer: &'a str,
}
