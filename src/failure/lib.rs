//! Differences of a prediction from its reference: tags computed from the syntax trees of both sides.
//!
//! Decides which of [`Tag`] apply to a pair of texts, and why; their meaning is written there. The `reader` of a
//! language tells the parts that differ between languages.
//!
//! The steps: both sides are parsed and stripped of meaningless parts (`code`); names that the prediction declares
//! itself are replaced by those of the reference (`rename`); assertions are taken out and brought into one form (for
//! Java in `check`, `bdd`, `matcher`, `verify`, `thrown`, `normal`; for Python in `python`; for Go, JavaScript and C#
//! in the modules of these names, by what they share in `says`, `fluent`, `logic` and `sides`); they and the other
//! statements are paired in order (`comparison`, `pairing`); and in each pair that is not equal, the trees are compared
//! from the root down (`differ`). Every step is linear in the text, or has a bound that its module states. Any text is
//! taken.

use focalist_model as model;
use focalist_syntax as syntax;

mod bdd;
mod check;
mod code;
mod comparison;
mod csharp;
mod differ;
mod ending;
mod fluent;
mod form;
mod go;
mod java;
mod javascript;
mod logic;
mod matcher;
mod names;
mod normal;
mod pairing;
mod python;
mod reader;
mod rename;
mod says;
mod sides;
mod thrown;
mod tree;
mod verify;

#[cfg(test)]
mod tests;

use self::code::Code;
use self::comparison::{Comparison, statements};
use self::reader::LanguageReader;
use crate::model::{Framework, Language, ParseMode, Span, Tag, Tags};
use crate::syntax::cut::Cutter;
use crate::syntax::judge::Judge;
use crate::syntax::tree::{Parser, Tree};
use crate::syntax::verdict::ParseOutcome;

/// The version of all that decides tags.
pub const VERSION: u32 = 7;

/// The number of equal statements in a row from which on a text repeats itself.
const REPEATED_MIN: usize = 3;

/// Why a pair is exact.
const SAME: &str = "the same except for layout and comments";

/// How much of a piece is quoted, in characters.
const QUOTED_CHARS_MAX: usize = 60;

/// Two texts, and further facts about them.
#[derive(Clone, Copy, Debug)]
pub struct PredictionPair<'t> {
    pub language: Language,
    pub reference: &'t str,
    pub prediction: &'t str,
    /// The framework, which decides where messages and expected values stand.
    pub framework: Option<Framework>,
    /// The test's file: its imports and declarations tell whose `then` is called.
    pub file: Option<&'t str>,
    /// Whether the prediction parses, where that is known already.
    pub is_parsable: Option<bool>,
    /// It is as long as the model could write.
    pub is_over_length: bool,
}

impl<'t> PredictionPair<'t> {
    /// Makes a pair in Java without further facts.
    #[must_use]
    pub const fn new(reference: &'t str, prediction: &'t str) -> Self {
        Self {
            language: Language::Java,
            reference,
            prediction,
            framework: None,
            file: None,
            is_parsable: None,
            is_over_length: false,
        }
    }
}

/// Why a tag applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub tag: Tag,
    /// Bytes of the reference; absent where it has nothing of the kind.
    pub reference: Option<Span>,
    /// Bytes of the prediction; absent where it has nothing of the kind.
    pub prediction: Option<Span>,
    /// For people: a lower-case fragment with source text in backticks.
    pub text: String,
}

/// The findings in a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagFindings {
    pub tags: Tags,
    /// In the order in which it was found; a tag may have several, and one at least except `other`.
    pub evidence: Vec<Evidence>,
    /// Names that occur in neither the reference nor a library: unknown, unless the sample has them.
    pub suspects: Vec<Span>,
}

impl TagFindings {
    /// Settles which of the suspects are unknown names: those that `is_known` does not know. Then every pair has a tag.
    pub fn settle(&mut self, prediction: &str, is_known: impl Fn(&str) -> bool) {
        for suspect in std::mem::take(&mut self.suspects) {
            let name = suspect.of(prediction);
            if !is_known(name) {
                self.add(Evidence {
                    tag: Tag::UnknownName,
                    reference: None,
                    prediction: Some(suspect),
                    text: format!("`{}` occurs nowhere in the sample", quoted(name)),
                });
            }
        }
        if self.tags.is_empty() {
            self.tags.insert(Tag::Other);
        } else if self.tags != Tags::from_iter([Tag::Other]) {
            self.tags.remove(Tag::Other);
        }
    }

    fn add(&mut self, evidence: Evidence) {
        self.tags.insert(evidence.tag);
        self.evidence.push(evidence);
    }

    fn say(&mut self, tag: Tag, text: &str) {
        self.add(Evidence {
            tag,
            reference: None,
            prediction: None,
            text: text.to_owned(),
        });
    }
}

/// Tells whether one of these texts has the name as a whole word, or as a property whose getter a library writes.
#[must_use]
pub fn occurs<'t>(texts: impl IntoIterator<Item = &'t str>, name: &str) -> bool {
    texts.into_iter().any(|text| names::occurs(text, name))
}

/// Compares pairs; keeps parsers and buffers from one to the next. One per thread.
pub struct Tagger {
    parser: Parser,
    trees: [Tree; 2],
    judge: Judge,
    cutters: [Option<Cutter>; Language::ALL.len()],
}

impl Default for Tagger {
    fn default() -> Self {
        Self::new()
    }
}

impl Tagger {
    #[must_use]
    pub fn new() -> Self {
        Self {
            parser: Parser::new(),
            trees: [Tree::new(), Tree::new()],
            judge: Judge::new(),
            cutters: [const { None }; Language::ALL.len()],
        }
    }

    /// Computes the tags of a pair; names that occur in these texts of its sample are known.
    pub fn tags(&mut self, pair: PredictionPair<'_>, texts: &[&str]) -> TagFindings {
        let mut found = self.compare(pair);
        found.settle(pair.prediction, |name| occurs(texts.iter().copied(), name));
        found
    }

    /// Compares the two texts alone; [`TagFindings::settle`] is still to be called.
    pub fn compare(&mut self, pair: PredictionPair<'_>) -> TagFindings {
        let mut found = TagFindings::default();
        let is_exact = self.is_exact(pair);
        if is_exact {
            found.say(Tag::Exact, SAME);
        }
        if pair.is_over_length {
            found.say(Tag::Truncated, "as long as the model could write");
        }
        let reader = reader(pair.language);
        if self.is_broken(pair, reader, &mut found) {
            return found;
        }
        let [of_reference, of_prediction] = &mut self.trees;
        let parser = &mut self.parser;
        (reader.parse)(parser, pair.language, pair.reference, of_reference);
        (reader.parse)(parser, pair.language, pair.prediction, of_prediction);
        let words = (reader.words)();
        let mut reference = Code::new(pair.reference, of_reference, words);
        let mut prediction = Code::new(pair.prediction, of_prediction, words);
        (reader.refine)(&mut reference);
        (reader.refine)(&mut prediction);
        found.suspects = names::unknown(pair.reference, &prediction, reader);
        if of_reference.has_error() || of_prediction.has_error() {
            return found;
        }
        if (reader.is_unfinished)(of_prediction) && !(reader.is_unfinished)(of_reference) {
            found.say(Tag::Truncated, "the last block has no statements");
        }
        if !is_exact && reader.is_laid_out && self.is_same(pair, &reference, &prediction) {
            found.say(Tag::Exact, SAME);
            repeats(&reference, &prediction, &mut found);
            return found;
        }
        if is_exact {
            repeats(&reference, &prediction, &mut found);
            return found;
        }
        let is_renamed = rename::unify(&reference, &mut prediction);
        repeats(&reference, &prediction, &mut found);
        Comparison::new(reference, prediction, pair, reader).run(is_renamed, &mut found);
        found
    }

    fn is_exact(&mut self, pair: PredictionPair<'_>) -> bool {
        if pair.reference.trim() == pair.prediction.trim() {
            return true;
        }
        if reader(pair.language).is_laid_out {
            // The trees tell.
            return false;
        }
        let cutter = &mut self.cutters[pair.language as usize];
        let cutter = cutter.get_or_insert_with(|| Cutter::new(pair.language));
        cutter.is_same(pair.reference, pair.prediction)
    }

    /// Tells whether two texts are equal except for layout, where layout is a part of the language: all tokens are, and
    /// the trees that they make.
    fn is_same(
        &mut self,
        pair: PredictionPair<'_>,
        reference: &Code<'_>,
        prediction: &Code<'_>,
    ) -> bool {
        if reference.hash(0) != prediction.hash(0) {
            return false;
        }
        let cutter = &mut self.cutters[pair.language as usize];
        let cutter = cutter.get_or_insert_with(|| Cutter::new(pair.language));
        let tokens = cutter.tokens(pair.reference);
        let tokens: Vec<String> = tokens.iter().map(str::to_owned).collect();
        let others = cutter.tokens(pair.prediction);
        others.iter().eq(tokens.iter().map(String::as_str))
    }

    /// Tells whether the prediction does not parse, and notes where.
    fn is_broken(
        &mut self,
        pair: PredictionPair<'_>,
        reader: &LanguageReader,
        found: &mut TagFindings,
    ) -> bool {
        let detail = match pair.is_parsable {
            Some(true) => return false,
            Some(false) => "does not parse".to_owned(),
            None => {
                let by = (pair.language, ParseMode::Strict);
                let like = self.judge.verdict_like(pair.reference, pair.prediction, by);
                match like.1 {
                    ParseOutcome::Ok => return false,
                    ParseOutcome::Error {
                        line,
                        column,
                        detail,
                    } => format!("line {line}, column {column}: {detail}"),
                }
            }
        };
        found.say(Tag::Unparsable, &detail);
        let open = (reader.open)(pair.prediction, &mut self.judge);
        if let Some(open) = open {
            found.add(Evidence {
                tag: Tag::Truncated,
                reference: None,
                prediction: Some(Span::new(open.at as u32, pair.prediction.len() as u32)),
                text: open.detail.to_owned(),
            });
        }
        true
    }
}

/// Notes a statement that the prediction has too often in a row.
fn repeats(reference: &Code<'_>, prediction: &Code<'_>, found: &mut TagFindings) {
    let longest = |code: &Code<'_>| {
        let statements = statements(code);
        let mut best = (0, 0);
        let mut first = 0;
        for (idx, n) in statements.iter().enumerate() {
            if code.hash(*n) != code.hash(statements[first]) {
                first = idx;
            }
            if idx + 1 - first > best.0 {
                best = (idx + 1 - first, *n);
            }
        }
        best
    };
    let (n_times, node) = longest(prediction);
    if n_times >= REPEATED_MIN && longest(reference).0 < REPEATED_MIN {
        found.add(Evidence {
            tag: Tag::Repeated,
            reference: None,
            prediction: Some(prediction.node(node).span),
            text: format!(
                "`{}` occurs {n_times} times in a row",
                quoted(prediction.source(node))
            ),
        });
    }
}

/// Quotes the first characters of source text on one line.
fn quoted(text: &str) -> String {
    let mut shown = String::new();
    for (n_chars, c) in text
        .split_whitespace()
        .flat_map(|word| word.chars().chain([' ']))
        .enumerate()
    {
        if n_chars == QUOTED_CHARS_MAX {
            shown.push('…');
            return shown;
        }
        if !c.is_control() {
            shown.push(c);
        }
    }
    shown.truncate(shown.trim_end().len());
    shown
}

fn reader(language: Language) -> &'static LanguageReader {
    match language {
        Language::Java => &java::READER,
        Language::Python => &python::READER,
        Language::Go => &go::READER,
        Language::JavaScript => &javascript::READER,
        Language::CSharp => &csharp::READER,
    }
}
