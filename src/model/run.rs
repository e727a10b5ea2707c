//! One model's answers to a dataset, and their scores.

use super::focal::Matcher;
use super::question::RunKind;
use super::repo::Language;
use super::sample::{ContentHash, SampleKey};

/// The part of a test that a run's answers stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// The assertion part, given the test's beginning (ConTest 3.3).
    #[default]
    Assertion,
    /// The whole test method.
    Test,
}

impl Target {
    /// Every target; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::Assertion, Self::Test];

    /// Returns the word used in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Test => "test",
        }
    }
}

/// How code is taken from an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extraction {
    /// The answer is the code.
    #[default]
    None,
    /// MERA's rule for `UnitTests`: the fences that name exactly the language, else untagged ones, else all of it.
    Mera,
    /// Fences of either kind, however they name the language, closed or not.
    Lenient,
}

impl Extraction {
    /// Every rule; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::None, Self::Mera, Self::Lenient];

    /// Returns the word used in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mera => "mera",
            Self::Lenient => "lenient",
        }
    }
}

/// The parser that decides whether a prediction parses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParseMode {
    /// The rules of javac 17, as near as a parser without javac comes.
    #[default]
    Strict,
    /// The rules of javalang 0.13: modern Java is unparsable there. For numbers comparable with ConTest's.
    Javalang,
    /// Whatever `ast.parse` of a real Python takes; a text in another language is judged as by [`Self::Strict`].
    Ast,
}

impl ParseMode {
    /// Every mode; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::Strict, Self::Javalang, Self::Ast];

    /// Returns the word used in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Javalang => "javalang",
            Self::Ast => "ast",
        }
    }

    /// Tells whether a real Python decides about texts in a language, rather than our parser.
    #[must_use]
    pub const fn asks_python(self, language: Language) -> bool {
        matches!((self, language), (Self::Ast, Language::Python))
    }
}

/// The facts about a run that are known from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSetting {
    /// Unique in an index.
    pub name: String,
    /// The model, as the user calls it.
    pub model: Option<String>,
    pub target: Target,
    /// The matcher whose decisions cut the samples: the one that a dataset was exported with.
    pub matcher: Matcher,
    pub language: Language,
    pub extraction: Extraction,
    pub parse_mode: ParseMode,
    /// The most tokens that the model could write; a prediction that has as many was cut off.
    pub length_max: Option<u32>,
    /// The file it was read from.
    pub source: String,
    /// Seconds since 1970.
    pub imported_at: i64,
}

impl RunSetting {
    /// Makes the setting of answers to questions that are no samples: target, matcher and parse mode say nothing of
    /// them.
    #[must_use]
    pub fn of_questions(name: &str, language: Language, source: &str, imported_at: i64) -> Self {
        Self {
            name: name.to_owned(),
            model: None,
            target: Target::Assertion,
            matcher: Matcher::DEFAULT,
            language,
            extraction: Extraction::None,
            parse_mode: ParseMode::Strict,
            length_max: None,
            source: source.to_owned(),
            imported_at,
        }
    }
}

/// The places of the needed fields in records of answers, as paths such as `metadata.key`; nothing where their format
/// tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Join {
    /// The field that names the sample.
    pub id: Option<String>,
    pub answer: Option<String>,
}

/// One answer (run, sample, attempt).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    pub key: SampleKey,
    pub attempt: u32,
    /// The hash of the sample when the answer came in.
    pub content_hash: ContentHash,
    /// The line of the file, from 1.
    pub line: u32,
    /// The answer as the model wrote it.
    pub answer: String,
    /// The code in the answer, where that is not the whole answer.
    pub code: Option<String>,
    /// Further facts from the file, as JSON.
    pub meta: Option<String>,
}

impl Prediction {
    /// Returns the text to score.
    #[must_use]
    pub fn text(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.answer)
    }

    /// Returns the size of its texts in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let optional = [&self.code, &self.meta].into_iter().flatten();
        self.answer.len() + optional.map(String::len).sum::<usize>()
    }
}

/// One metric's value for one pair, and the parts it is made of: the named ones of `metric::METRICS`, then what corpus
/// values are summed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// 0..=1.
    pub value: f64,
    pub parts: Vec<f64>,
}

/// The facts about a prediction beside its scores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PredictionReading {
    /// Where it does not parse; line and column from 1.
    pub syntax_error: Option<(u32, u32)>,
    pub n_tokens: u32,
    pub n_reference_tokens: u32,
    /// It has as many tokens as the model could write.
    pub is_over_length: bool,
    /// Whether the sample has changed since the answer came in.
    pub is_changed: bool,
    /// There is something to compare it with: the sample is still there, and has the part that was to be written.
    pub has_reference: bool,
    /// The first assertion call of the reference, such as `assertEquals`; empty without one.
    pub assertion: String,
    /// Whether something in it can fail; nothing where it does not parse.
    pub asserts: Option<bool>,
}

/// A metric of a run, as far as it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// `metric::METRICS` has it, unless it is of a later version.
    pub metric: String,
    pub version: u32,
    /// The options that decide the values, in one canonical form.
    pub options: String,
    /// Over the first answers; absent until all are scored.
    pub value: Option<f64>,
    /// Over those that parse; absent until all are scored, and where none parses.
    pub value_parsable: Option<f64>,
}

/// A run with its counts, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub id: i64,
    pub setting: RunSetting,
    /// The kind of its questions: where these are no samples, target and matcher mean nothing.
    pub kind: RunKind,
    /// Answers, all attempts.
    pub n_predictions: u64,
    /// Samples with a first answer.
    pub n_samples: u64,
    /// Lines of the file that could not be used.
    pub n_problems: u64,
    /// First answers that have a reference: what all values and rates are about. 0 until they were read.
    pub n_scored: u64,
    /// How many of these do not parse; absent until they were read.
    pub n_unparsable: Option<u64>,
    pub n_over_length: u64,
    /// Samples that have changed since the answers came in.
    pub n_changed: u64,
    pub evaluations: Vec<Evaluation>,
}

impl RunRow {
    /// Names what its answers are to: a part of samples, or questions of one kind.
    #[must_use]
    pub const fn answers_to(&self) -> &'static str {
        match self.kind {
            RunKind::Samples => self.setting.target.as_str(),
            kind => kind.as_str(),
        }
    }

    /// Counts the first answers that have nothing to be compared with, and count nowhere; nothing before they were
    /// read.
    #[must_use]
    pub fn n_without_reference(&self) -> Option<u64> {
        self.n_unparsable?;
        Some(self.n_samples.saturating_sub(self.n_scored))
    }

    /// Computes the share of first answers that do not parse (ConTest's `r_up`), 0..=1; nothing before they were read.
    #[must_use]
    pub fn unparsable_rate(&self) -> Option<f64> {
        let n_unparsable = self.n_unparsable?;
        (self.n_scored > 0).then(|| n_unparsable as f64 / self.n_scored as f64)
    }

    /// Computes the share of first answers that are as long as the model could write, 0..=1; nothing where no limit is
    /// known and none of them was cut off.
    #[must_use]
    pub fn over_length_rate(&self) -> Option<f64> {
        let is_known = self.setting.length_max.is_some() || self.n_over_length > 0;
        (is_known && self.n_scored > 0).then(|| self.n_over_length as f64 / self.n_scored as f64)
    }

    /// Finds a metric of the run.
    #[must_use]
    pub fn evaluation(&self, metric: &str) -> Option<&Evaluation> {
        self.evaluations
            .iter()
            .find(|evaluation| evaluation.metric == metric)
    }

    /// Computes a metric over the parsable answers, times their share (ConTest equation 2), 0..=1.
    #[must_use]
    pub fn adjusted(&self, metric: &str) -> Option<f64> {
        let evaluation = self.evaluation(metric)?;
        let rate = self.unparsable_rate()?;
        // Without a parsable answer there is no value to adjust, and nothing was right.
        evaluation
            .value
            .map(|_| evaluation.value_parsable.unwrap_or(0.0) * (1.0 - rate))
    }
}
