//! Repairs a prediction before it runs: text in, text and steps out.
//!
//! Decides where a method ends, how one that broke off is closed, and which text is not a method (`Tests4J` 3.4, step
//! 9). Fences and prose are taken off at import; a repaired text need not compile.

mod edited;
mod java;
mod python;
#[cfg(test)]
mod tests;

use crate::exchange::outcomes::WireStep;
use crate::model::{ContentHash, Framework, Language, Repair, Span, Target};
use crate::syntax;
use crate::syntax::judge::Judge;
use crate::syntax::tree::{Parser, Tree};

use self::edited::EditedText;

/// Which repairs are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repairs {
    /// The paper's: cut after the method, else close after its last whole statement.
    #[default]
    Paper,
    /// Nothing: the text is one method, or it is unparsable.
    None,
}

impl Repairs {
    pub const ALL: &[Self] = &[Self::Paper, Self::None];

    /// Chooses the repair where none is requested: a repair of an assertion part deletes the parts that do not parse,
    /// until the true test's setup alone is left, which passes.
    #[must_use]
    pub const fn usual(target: Target) -> Self {
        match target {
            Target::Test => Self::Paper,
            Target::Assertion => Self::None,
        }
    }

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::None => "none",
        }
    }
}

/// The rules of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairRules {
    pub language: Language,
    pub repairs: Repairs,
    /// The framework of the file; decides which annotation a test lacks.
    pub framework: Framework,
    pub adds_test_annotation: bool,
}

/// A prediction at its place in a test: where the whole test was to be written it is all of the text, else it stands
/// between the test's beginning and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenText {
    pub text: String,
    /// The span of the prediction in the text.
    pub prediction: Span,
}

impl GivenText {
    /// Takes a prediction that stands for a whole test.
    #[must_use]
    pub fn test(prediction: &str) -> Self {
        Self {
            text: prediction.to_owned(),
            prediction: Span::new(0, prediction.len() as u32),
        }
    }

    /// Puts a prediction in the place of the assertion part of the true test.
    ///
    /// In Python, where layout counts, a prediction whose later lines do not reach the place's column is moved there.
    #[must_use]
    pub fn assertion(
        language: Language,
        test: &str,
        assertion: Option<Span>,
        prediction: &str,
    ) -> Self {
        let (text, prediction) = syntax::place::in_place(language, test, assertion, prediction);
        Self { text, prediction }
    }
}

/// The effect of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// The text behind the method, or behind its last whole statement, was removed.
    Cut,
    /// Statements that repeat earlier ones were removed.
    Repeated,
    /// Brackets were closed.
    Closed,
    /// An annotation that switches the test off was removed.
    Enabled,
    /// The annotation that makes it a test was added.
    Annotated,
    /// The common indentation of the lines was removed.
    Unindented,
}

impl StepKind {
    pub const ALL: &[Self] = &[
        Self::Cut,
        Self::Repeated,
        Self::Closed,
        Self::Enabled,
        Self::Annotated,
        Self::Unindented,
    ];

    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Repeated => "repeated",
            Self::Closed => "closed",
            Self::Enabled => WireStep::ENABLED,
            Self::Annotated => "annotated",
            Self::Unindented => "unindented",
        }
    }
}

/// One change to the given text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairStep {
    pub kind: StepKind,
    /// The part of the given text that is removed; empty where something is only added.
    pub removed: Span,
    pub added: String,
}

/// A text that is one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedMethod {
    pub text: String,
    /// The method's name.
    pub name: String,
    pub repair: Repair,
    /// In order of their places; they do not overlap.
    pub steps: Vec<RepairStep>,
    /// A hash of its tokens: equal for texts that differ in layout and comments alone.
    pub tokens: ContentHash,
}

/// Why a text is not a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unparsable {
    /// The line of the prediction, from 1; nothing where the fault is outside of it.
    pub line: Option<u32>,
    pub detail: String,
}

/// Repairs texts; keeps its parsers from one to the next. One per thread.
pub struct Repairer {
    judge: Judge,
    parser: Parser,
    tree: Tree,
}

impl Default for Repairer {
    fn default() -> Self {
        Self::new()
    }
}

impl Repairer {
    #[must_use]
    pub fn new() -> Self {
        Self {
            judge: Judge::newest(),
            parser: Parser::default(),
            tree: Tree::default(),
        }
    }

    /// Repairs a prediction to one method.
    ///
    /// # Errors
    /// Where that is impossible, with the first fault of the text.
    pub fn repair(
        &mut self,
        given: &GivenText,
        rules: RepairRules,
    ) -> Result<RepairedMethod, Unparsable> {
        let nothing = |detail: &str| Unparsable {
            line: None,
            detail: detail.to_owned(),
        };
        if given.prediction.of(&given.text).trim().is_empty() {
            return Err(nothing("there is no text"));
        }
        if !has_statement(given, rules.language, &[]) {
            return Err(nothing("there is no statement in it"));
        }
        let repaired = match rules.language {
            Language::Python => python::repair(self, given, rules),
            Language::Java => java::repair(self, given, rules),
            // No engine runs these languages.
            Language::Go | Language::JavaScript | Language::CSharp => {
                return Err(nothing("tests in its language cannot be executed"));
            }
        }?;
        if !has_statement(given, rules.language, &repaired.steps) {
            return Err(nothing("none of its statements can be kept"));
        }
        Ok(repaired)
    }
}

/// Tells whether these steps leave a statement of the prediction.
fn has_statement(given: &GivenText, language: Language, steps: &[RepairStep]) -> bool {
    let prediction = given.prediction.of(&given.text);
    let start = given.prediction.start;
    syntax::telling_tokens(language, prediction).any(|token| {
        let place = Span::new(start + token.start, start + token.end);
        !steps.iter().any(|step| step.removed.contains(place))
    })
}

impl RepairedMethod {
    fn new(edited: EditedText<'_>, name: String, repair: Repair, language: Language) -> Self {
        let text = edited.text();
        Self {
            tokens: hash_of_tokens(language, &text),
            name,
            repair,
            steps: edited.steps,
            text,
        }
    }

    /// Finds the place of the rest of the prediction in the repaired text.
    #[must_use]
    pub fn place_of(&self, given: &GivenText) -> Span {
        let [start, end] = [given.prediction.start, given.prediction.end]
            .map(|at| edited::changed(&self.steps, at as usize) as u32);
        Span::new(start, end.max(start))
    }

    /// Finds the line of the prediction that became a line of the repaired text; both from 1. Nothing for a line that
    /// was added, or belongs to the true test.
    #[must_use]
    pub fn line_of_prediction(&self, given: &GivenText, line: u32) -> Option<u32> {
        let start = match line {
            0 => return None,
            1 => 0,
            line => {
                let breaks = self.text.match_indices('\n');
                breaks.map(|pair| pair.0 + 1).nth(line as usize - 2)?
            }
        };
        let indent = self.text[start..].find(|c: char| !c.is_whitespace() || c == '\n');
        let at = edited::original(&self.steps, start + indent.unwrap_or(0))?;
        line_of(given, at)
    }
}

/// Finds the line of the prediction that a place of the given text is in, from 1; nothing outside of it.
fn line_of(given: &GivenText, at: usize) -> Option<u32> {
    let (start, end) = (
        given.prediction.start as usize,
        given.prediction.end as usize,
    );
    let before = given.text.get(start..at.max(start))?;
    // The line that a prediction begins in may begin before it.
    let first = given.text[..start].rfind('\n').map_or(0, |n| n + 1);
    (first <= at && at <= end).then(|| before.matches('\n').count() as u32 + 1)
}

/// Hashes a text's tokens; in Python also of each line's indentation, which means something there.
#[must_use]
pub fn hash_of_tokens(language: Language, text: &str) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    let mut last = 0;
    for span in syntax::tokens(language, text) {
        let start = span.start as usize;
        if language == Language::Python
            && (last == 0
                || text
                    .get(last..start)
                    .is_some_and(|text| text.contains('\n')))
        {
            let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
            hasher.update(b"\n");
            hasher.update(&((start - line) as u64).to_le_bytes());
        }
        let token = span.of(text);
        hasher.update(&(token.len() as u64).to_le_bytes());
        hasher.update(token.as_bytes());
        last = span.end as usize;
    }
    ContentHash::of(&hasher)
}
