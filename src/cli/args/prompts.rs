//! The options of `prompts`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::scoring::words;
use crate::prompts::{AnswerForm, Contexts, PromptKind};

#[derive(Debug, Args)]
pub struct Prompts {
    /// Conditions such as `repo:gson split:test`, and `@name` for a saved filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// The kind of prompt: the assertion part, the whole test (`Tests4J`, or MERA), the text of your own template, the
    /// assertion part as the sequence of its tree, an answer to questions of `clover tasks`, or the second half of
    /// functions in other words
    #[arg(long, value_name = "KIND", value_parser = words(PromptKind::ALL, PromptKind::as_str), required_unless_present = "show_template")]
    pub kind: Option<PromptKind>,
    /// For `half`: a file of `focalist mutate`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "template", "all"])]
    pub seeds: Option<PathBuf>,
    /// Maximum number of tokens of a prompt, `16k` for 16,000; less important parts are left out of a longer one. For
    /// problems of `clover` it covers prompt and answer together, and `po` shows the problem only [default: 1850 for
    /// `test`, else unlimited]
    #[arg(long, value_name = "N", value_parser = budget)]
    pub budget: Option<Budget>,
    /// The tokenizer: a `tokenizer.json`, or `approx` for bytes / 3.6
    #[arg(long, value_name = "FILE", default_value = "approx")]
    pub tokenizer: PathBuf,
    /// The form of the answer: for `target` and `block` the whole file or the test function (`full`, `part`), for
    /// `cloze` the assertion or only the text for the blank (`filled`, `only`) [default: the first]
    #[arg(long, value_name = "FORM", value_parser = words(AnswerForm::ALL, AnswerForm::as_str))]
    pub answer: Option<AnswerForm>,
    /// Code around the question: code for the test (`test-class`, or `setup`), code for the tested method
    /// (`focal-class`, or `focal`), both, or none
    #[arg(long, value_name = "WHAT", value_parser = contexts(), default_value = "all")]
    pub context: Contexts,
    /// The seed for the draw of questions about problems, and for the order of files
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Only questions about this prepared project; may be given several times
    #[arg(long, value_name = "NAME")]
    pub project: Vec<String>,
    /// A template in place of the built-in one (minijinja); for `mera` twenty of them, in Russian (`ru`), in English
    /// (`en`), or in a file
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// A system message; each prompt then is a conversation
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Print the built-in template of a kind, and the names that its templates can use
    #[arg(long, value_name = "KIND", value_parser = words(PromptKind::ALL, PromptKind::as_str))]
    pub show_template: Option<PromptKind>,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts
    #[arg(long)]
    pub all: bool,
    /// Write here instead of to stdout; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
}

/// Parses the contexts that are shown around a question.
pub fn contexts() -> impl TypedValueParser<Value = Contexts> {
    let names = Contexts::NAMES.iter().map(|pair| pair.0);
    PossibleValuesParser::new(names)
        .map(|word: String| Contexts::named(&word).expect("clap takes only possible values"))
}

/// How long a prompt may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// The problem alone.
    ProblemOnly,
    Tokens(usize),
}

impl Budget {
    /// Returns the number of tokens, where the budget is one.
    #[must_use]
    pub const fn tokens(self) -> Option<usize> {
        match self {
            Self::ProblemOnly => None,
            Self::Tokens(n) => Some(n),
        }
    }
}

/// Reads `16k`, `16000` or `po`.
pub fn budget(text: &str) -> Result<Budget, String> {
    if text == "po" {
        return Ok(Budget::ProblemOnly);
    }
    let (digits, times) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => (text, 1),
    };
    let n = digits.parse::<usize>().ok();
    n.and_then(|n| n.checked_mul(times))
        .map(Budget::Tokens)
        .ok_or_else(|| "a number such as `16k`, or `po`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_number_of_thousands_or_none() {
        assert_eq!(budget("16k"), Ok(Budget::Tokens(16_000)));
        assert_eq!(budget("850"), Ok(Budget::Tokens(850)));
        assert_eq!(budget("po"), Ok(Budget::ProblemOnly));
        assert!(budget("k").is_err() && budget("-1k").is_err());
    }
}
