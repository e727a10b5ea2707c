//! One pair through all metrics that are asked for; what several of them need is computed once.
//!
//! A scorer belongs to one thread and keeps its buffers from pair to pair. Of several references BLEU takes all, as its
//! definition says; every other metric takes the best.

use std::sync::Arc;

use crate::model::{Language, ParseMode, Score};
use crate::syntax::judge::{Judge, is_judged_by_tree};
use crate::syntax::verdict::ParseOutcome;
pub use crate::syntax::verdict::PieceShape;
use crate::syntax::{has_statement, has_statement_in};

use super::bleu::{self, BleuStats};
use super::codebleu::Formula;
use super::crystalbleu::{self, SharedNgrams};
use super::cut::Cutter;
use super::edit::bits::Bits;
use super::ngram::Counter;
use super::tokens::Vocabulary;
use super::{
    Edit, Engine, Exact, Metric, Rouge, Tokenizer, codebleu, corpus, edit, exact, rouge, tokens,
};

/// The settings that decide scores besides the texts.
#[derive(Clone)]
pub struct Settings {
    pub language: Language,
    pub metrics: Vec<&'static Metric>,
    /// CodeBLEU's weights of n-grams, weighted n-grams, syntax and data flow.
    pub weights: [f64; 4],
    /// For CrystalBLEU; without it nothing is left out.
    pub shared: Arc<SharedNgrams>,
    pub parse_mode: ParseMode,
    /// The shape that predictions are parsed as; where absent, the same as the reference (Java only).
    pub shape: Option<PieceShape>,
    pub beside: ScoringExtras,
}

/// The questions about a pair beside the metrics; others are not computed, unless a metric needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoringExtras {
    Nothing,
    /// Whether the prediction parses.
    Verdict,
    /// The verdict, and how many tokens both sides have.
    Reading,
}

impl Settings {
    /// Makes the usual settings.
    #[must_use]
    pub fn new(language: Language, metrics: Vec<&'static Metric>) -> Self {
        Self {
            language,
            metrics,
            weights: codebleu::WEIGHTS,
            shared: Arc::default(),
            parse_mode: ParseMode::default(),
            shape: None,
            beside: ScoringExtras::Reading,
        }
    }

    fn needs_tokens(&self) -> bool {
        self.beside == ScoringExtras::Reading
            || self.needs(|engine| {
                matches!(
                    engine,
                    Engine::Bleu(_)
                        | Engine::BleuNltk(_)
                        | Engine::Rouge(_, Tokenizer::Language)
                        | Engine::CrystalBleu
                        | Engine::Exact(Exact::Token)
                )
            })
    }

    fn needs_trees(&self) -> bool {
        self.needs(|engine| matches!(engine, Engine::CodeBleu(_)))
    }

    fn needs(&self, is_needed: impl Fn(Engine) -> bool) -> bool {
        self.metrics.iter().any(|metric| is_needed(metric.engine))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairScore {
    /// Why the prediction does not parse; nothing where that is not asked.
    pub syntax_error: Option<SyntaxError>,
    /// Tokens of the prediction, and of the first reference; 0 where they are not asked, nor needed.
    pub n_tokens: u32,
    pub n_reference_tokens: u32,
    /// In the order of [`Settings::metrics`].
    pub scores: Vec<Score>,
    /// Metrics that would have taken too long on texts of this length, and count as 0.
    pub too_costly: Vec<&'static str>,
}

/// Where a prediction does not parse, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// In the prediction, from 1; columns count characters.
    pub line: u32,
    pub column: u32,
    pub detail: String,
}

impl SyntaxError {
    /// Makes the error of an answer without a statement, in the words of its execution.
    fn without_statement() -> Self {
        Self {
            line: 1,
            column: 1,
            detail: "there is no statement in it".to_owned(),
        }
    }

    fn of(verdict: ParseOutcome) -> Option<Self> {
        match verdict {
            ParseOutcome::Ok => None,
            ParseOutcome::Error {
                line,
                column,
                detail,
            } => Some(Self {
                line,
                column,
                detail,
            }),
        }
    }
}

/// Scores pairs; one for each thread.
pub struct Scorer<'s> {
    settings: &'s Settings,
    cutter: Cutter,
    judge: Judge,
    counter: Counter,
    bits: Bits,
    own_tokenizers: tokens::Scratch,
    edit: edit::Scratch,
    codebleu: codebleu::Scorer,
    /// The last references with their counts against themselves: attempts at a sample follow each other.
    ceiling: Option<(Vec<String>, [codebleu::CodeBleuPair; 2])>,
    /// Tokens of the language; the first numbers belong to the shared n-grams.
    by_language: TokenLists,
    by_13a: TokenLists,
    by_rouge: TokenLists,
}

/// A pair as numbers.
#[derive(Default)]
struct TokenLists {
    vocabulary: Vocabulary,
    hypothesis: Vec<u32>,
    /// Buffers; only the first `n_references` are of this pair.
    references: Vec<Vec<u32>>,
    n_references: usize,
}

impl TokenLists {
    fn clear(&mut self, n_references: usize) {
        self.vocabulary.clear();
        self.hypothesis.clear();
        self.references
            .resize_with(n_references.max(self.references.len()), Vec::new);
        self.n_references = n_references;
    }

    /// Replaces the tokens of the prediction (0) or of a reference (from 1).
    fn set<'t>(&mut self, side: usize, tokens: impl IntoIterator<Item = &'t str>) {
        let numbers = match side {
            0 => &mut self.hypothesis,
            _ => &mut self.references[side - 1],
        };
        self.vocabulary.number_all(tokens, numbers);
    }

    fn references(&self) -> &[Vec<u32>] {
        &self.references[..self.n_references]
    }
}

/// The results that several metrics of one pair share, as far as one of them needs them.
#[derive(Default)]
struct Shares {
    bleu: BleuStats,
    bleu_huggingface: BleuStats,
    bleu_sacre: BleuStats,
    rouge: rouge::Scores,
    rouge_default: rouge::Scores,
    crystal: BleuStats,
    /// By variant; of several references, each variant has its best.
    codebleu: [codebleu::CodeBleuPair; 2],
    /// Likewise, with a reference in the prediction's place.
    ceiling: [codebleu::CodeBleuPair; 2],
}

impl<'s> Scorer<'s> {
    #[must_use]
    pub fn new(settings: &'s Settings) -> Self {
        Self {
            settings,
            cutter: Cutter::new(settings.language),
            judge: Judge::new(),
            counter: Counter::default(),
            bits: Bits::default(),
            own_tokenizers: tokens::Scratch::default(),
            edit: edit::Scratch::default(),
            codebleu: codebleu::Scorer::new(),
            ceiling: None,
            by_language: TokenLists {
                vocabulary: settings.shared.vocabulary(),
                ..TokenLists::default()
            },
            by_13a: TokenLists::default(),
            by_rouge: TokenLists::default(),
        }
    }

    /// Scores one prediction against its references, at least one. Takes any text.
    pub fn score(&mut self, references: &[&str], prediction: &str) -> PairScore {
        self.by_language.clear(references.len());
        let settings = self.settings;
        if settings.needs_tokens() {
            for (side, text) in sides(references, prediction) {
                let tokens = self.cutter.tokens_by(&mut self.codebleu.memo, text);
                self.by_language.set(side, tokens.iter());
            }
        }
        let reference = references.first().copied().unwrap_or_default();
        let is_judged = settings.beside != ScoringExtras::Nothing;
        let syntax_error = is_judged
            .then(|| self.syntax_error(reference, prediction))
            .flatten();
        let shares = self.shares(references, prediction);
        let mut too_costly = Vec::new();
        let scores = settings
            .metrics
            .iter()
            .map(|metric| {
                let score = self.one(metric.engine, &shares, references, prediction);
                score.unwrap_or_else(|| {
                    too_costly.push(metric.id);
                    Score::default()
                })
            })
            .collect();
        PairScore {
            syntax_error,
            n_tokens: self.by_language.hypothesis.len() as u32,
            n_reference_tokens: self
                .by_language
                .references()
                .first()
                .map_or(0, |reference| reference.len() as u32),
            scores,
            too_costly,
        }
    }

    /// Finds the syntax error of a prediction that goes on right behind another text, in its own lines; an error in
    /// that text counts as one in its first line.
    pub fn syntax_error_behind(
        &mut self,
        before: &str,
        reference: &str,
        prediction: &str,
    ) -> Option<SyntaxError> {
        if self.settings.beside == ScoringExtras::Nothing {
            return None;
        }
        let [reference, prediction] = [reference, prediction].map(|text| [before, text].concat());
        let error = self.syntax_error(&reference, &prediction)?;
        let n_before = before.bytes().filter(|byte| *byte == b'\n').count() as u32;
        Some(match error.line.checked_sub(n_before) {
            Some(line) if line > 0 => SyntaxError { line, ..error },
            _ => SyntaxError {
                line: 1,
                column: 1,
                ..error
            },
        })
    }

    fn syntax_error(&mut self, reference: &str, prediction: &str) -> Option<SyntaxError> {
        let Settings {
            language,
            parse_mode,
            shape,
            ..
        } = *self.settings;
        let by = (language, parse_mode);
        // javalang's answers stay comparable with published ones; a real Python is asked about Python elsewhere.
        let is_asked = parse_mode != ParseMode::Javalang && !parse_mode.asks_python(language);
        if shape.is_some() || !is_judged_by_tree(language) {
            let verdict = match shape {
                Some(shape) => self.judge.verdict(prediction, shape, by),
                None => self.judge.verdict_like(reference, prediction, by).1,
            };
            if verdict.is_ok() && self.settings.needs_trees() {
                let judge = &self.judge;
                self.codebleu
                    .learn(language, prediction, |text, tree| judge.tree_of(text, tree));
            }
            return SyntaxError::of(verdict).or_else(|| {
                (is_asked && !has_statement(language, prediction))
                    .then(SyntaxError::without_statement)
            });
        }
        let tree = self.codebleu.memo.tree(language, prediction);
        let judged = (prediction, &*tree);
        let verdict = self.judge.verdict_like_of_tree(reference, judged, by);
        SyntaxError::of(verdict).or_else(|| {
            (is_asked && !has_statement_in(&tree, prediction)).then(SyntaxError::without_statement)
        })
    }

    fn shares(&mut self, references: &[&str], prediction: &str) -> Shares {
        let mut shares = Shares::default();
        let settings = self.settings;
        let lists = &self.by_language;
        if settings.needs(|engine| matches!(engine, Engine::Bleu(_) | Engine::BleuNltk(_))) {
            shares.bleu =
                BleuStats::count(&mut self.counter, &lists.hypothesis, lists.references());
        }
        if settings.needs(|engine| matches!(engine, Engine::Rouge(_, Tokenizer::Language))) {
            shares.rouge = match lists.references() {
                [reference] if shares.bleu != BleuStats::default() => {
                    let (one, two) =
                        rouge::one_and_two(&shares.bleu.n_matches, &lists.hypothesis, reference);
                    let l = rouge::longest(&mut self.bits, &lists.hypothesis, reference);
                    rouge::Scores { one, two, l }
                }
                references => rouge::score(
                    &mut self.counter,
                    &mut self.bits,
                    &lists.hypothesis,
                    references,
                ),
            };
        }
        shares.codebleu = self.codebleu(references, prediction, Engine::CodeBleu);
        shares.ceiling = self.ceiling(references);
        let lists = &self.by_language;
        if settings.needs(|setting| setting == Engine::CrystalBleu) {
            shares.crystal = crystalbleu::count(
                &mut self.counter,
                &settings.shared,
                &lists.hypothesis,
                lists.references(),
            );
        }
        let by_13a = &mut self.by_13a;
        if settings.needs(|setting| setting == Engine::BleuHuggingFace) {
            by_13a.clear(references.len());
            for (side, text) in sides(references, prediction) {
                by_13a.set(side, self.own_tokenizers.tokens_13a(text));
            }
            shares.bleu_huggingface =
                BleuStats::count(&mut self.counter, &by_13a.hypothesis, by_13a.references());
        }
        if settings.needs(|setting| setting == Engine::BleuSacre) {
            by_13a.clear(references.len());
            for (side, text) in sides(references, prediction) {
                by_13a.set(side, self.own_tokenizers.sacrebleu_13a(text));
            }
            shares.bleu_sacre =
                BleuStats::count(&mut self.counter, &by_13a.hypothesis, by_13a.references());
        }
        if settings.needs(|engine| matches!(engine, Engine::Rouge(_, Tokenizer::RougeScore))) {
            let lists = &mut self.by_rouge;
            lists.clear(references.len());
            for (side, text) in sides(references, prediction) {
                lists.set(side, self.own_tokenizers.rouge(text));
            }
            shares.rouge_default = rouge::score(
                &mut self.counter,
                &mut self.bits,
                &lists.hypothesis,
                lists.references(),
            );
        }
        shares
    }

    fn codebleu(
        &mut self,
        references: &[&str],
        prediction: &str,
        engine: fn(codebleu::Variant) -> Engine,
    ) -> [codebleu::CodeBleuPair; 2] {
        let settings = self.settings;
        let is_needed = |variant| settings.needs(|setting| setting == engine(variant));
        let (language, weights) = (settings.language, settings.weights);
        match references {
            // One count serves both variants.
            [reference]
                if is_needed(codebleu::Variant::Mera) || is_needed(codebleu::Variant::K4black) =>
            {
                [self.codebleu.pair(language, reference, prediction); 2]
            }
            [_] => Default::default(),
            _ => [codebleu::Variant::Mera, codebleu::Variant::K4black].map(|variant| {
                if is_needed(variant) {
                    self.codebleu.best(
                        language,
                        references,
                        prediction,
                        Formula { variant, weights },
                    )
                } else {
                    codebleu::CodeBleuPair::default()
                }
            }),
        }
    }

    /// Counts the pair of the references with the reference that scores best in the prediction's place.
    fn ceiling(&mut self, references: &[&str]) -> [codebleu::CodeBleuPair; 2] {
        let settings = self.settings;
        if !settings.needs(|engine| matches!(engine, Engine::CodeBleuCeiling(_))) {
            return Default::default();
        }
        if let Some((known, pairs)) = &self.ceiling
            && known
                .iter()
                .map(String::as_str)
                .eq(references.iter().copied())
        {
            return *pairs;
        }
        let weights = settings.weights;
        let mut best: [Option<(f64, codebleu::CodeBleuPair)>; 2] = [None, None];
        for truth in references {
            let pairs = self.codebleu(references, truth, Engine::CodeBleuCeiling);
            for variant in [codebleu::Variant::Mera, codebleu::Variant::K4black] {
                let pair = pairs[variant as usize];
                let total = pair.sums.parts(variant).total(Formula { variant, weights });
                let best = &mut best[variant as usize];
                if best.is_none_or(|best| total > best.0) {
                    *best = Some((total, pair));
                }
            }
        }
        let pairs =
            best.map(|best| best.map_or_else(codebleu::CodeBleuPair::default, |pair| pair.1));
        let known = references
            .iter()
            .map(|reference| (*reference).to_owned())
            .collect();
        self.ceiling = Some((known, pairs));
        pairs
    }

    /// Computes the score of one metric, or nothing when the texts are too long for it.
    fn one(
        &mut self,
        engine: Engine,
        shares: &Shares,
        references: &[&str],
        prediction: &str,
    ) -> Option<Score> {
        let score = match engine {
            Engine::Bleu(0) => counted(bleu::sentence(&shares.bleu).score(), &shares.bleu),
            Engine::Bleu(order) => {
                let value = bleu::sentence(&shares.bleu).individual(usize::from(order));
                counted(value, &shares.bleu)
            }
            Engine::BleuNltk(smoothing) => {
                counted(bleu::nltk(&shares.bleu, smoothing).score(), &shares.bleu)
            }
            Engine::BleuHuggingFace => {
                let stats = &shares.bleu_huggingface;
                counted(bleu::hugging_face(stats).score(), stats)
            }
            Engine::BleuSacre => {
                let stats = &shares.bleu_sacre;
                counted(bleu::sentence(stats).score(), stats)
            }
            Engine::Rouge(rouge, tokenizer) => {
                let scores = match tokenizer {
                    Tokenizer::Language => &shares.rouge,
                    Tokenizer::RougeScore => &shares.rouge_default,
                };
                let rouge = match rouge {
                    Rouge::One => scores.one,
                    Rouge::Two => scores.two,
                    Rouge::L => scores.l?,
                };
                Score {
                    value: rouge.f,
                    parts: vec![rouge.precision, rouge.recall],
                }
            }
            Engine::CodeBleu(variant) => self.codebleu_score(variant, &shares.codebleu),
            Engine::CodeBleuCeiling(variant) => self.codebleu_score(variant, &shares.ceiling),
            Engine::CrystalBleu => {
                let stats = &shares.crystal;
                let value = crystalbleu::score(stats, bleu::Smoothing::Method0).score();
                counted(value, stats)
            }
            Engine::Edit(kind) => plain(self.edit(kind, references, prediction)?),
            Engine::Exact(kind) => plain(f64::from(self.exact(kind, references, prediction))),
        };
        Some(score)
    }

    fn codebleu_score(
        &self,
        variant: codebleu::Variant,
        pairs: &[codebleu::CodeBleuPair; 2],
    ) -> Score {
        let sums = &pairs[variant as usize].sums;
        let parts = sums.parts(variant);
        let weights = self.settings.weights;
        let mut written = corpus::codebleu_parts(sums, &parts, weights);
        if variant == codebleu::Variant::Mera {
            // Its corpus value is a mean.
            written.truncate(4);
        }
        Score {
            value: parts.total(Formula { variant, weights }),
            parts: written,
        }
    }

    fn edit(&mut self, kind: Edit, references: &[&str], prediction: &str) -> Option<f64> {
        let mut best = 0.0;
        for reference in references {
            let value = match kind {
                Edit::Indel => self.edit.indel(prediction, reference),
                Edit::Levenshtein => self.edit.levenshtein(prediction, reference),
                Edit::FuzzyWuzzy => self.edit.fuzzywuzzy(prediction, reference),
                Edit::Difflib => self.edit.difflib(prediction, reference),
            };
            best = f64::max(best, value?);
        }
        Some(best)
    }

    fn exact(&self, kind: Exact, references: &[&str], prediction: &str) -> bool {
        match kind {
            Exact::Raw => references
                .iter()
                .any(|reference| exact::raw(prediction, reference)),
            Exact::Whitespace => references
                .iter()
                .any(|reference| exact::whitespace(prediction, reference)),
            Exact::Token => {
                let lists = &self.by_language;
                let mut references = lists.references().iter();
                references.any(|reference| exact::tokens(&lists.hypothesis, reference))
            }
        }
    }
}

/// Returns the prediction as side 0, then the references from 1.
fn sides<'t>(
    references: &'t [&'t str],
    prediction: &'t str,
) -> impl Iterator<Item = (usize, &'t str)> {
    std::iter::once(prediction)
        .chain(references.iter().copied())
        .enumerate()
}

fn plain(value: f64) -> Score {
    Score {
        value,
        parts: Vec::new(),
    }
}

fn counted(value: f64, stats: &BleuStats) -> Score {
    Score {
        value,
        parts: corpus::bleu_parts(stats),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, prediction: &str, is_parsable: bool) {
        let settings = Settings::new(language, Vec::new());
        let pair = Scorer::new(&settings).score(&["f(1)"], prediction);
        assert_eq!(
            pair.syntax_error.is_none(),
            is_parsable,
            "{language:?} {prediction:?}: {:?}",
            pair.syntax_error
        );
    }

    #[test]
    fn an_answer_without_a_statement_does_not_parse() {
        for language in Language::ALL.iter().copied() {
            let comment = match language {
                Language::Python => "# f(1)\n",
                _ => "// f(1);\n",
            };
            for nothing in ["", "  \n\t\n", comment] {
                check(language, nothing, false);
            }
            check(language, &format!("{comment}f(1);\n"), true);
        }
        for nothing in [";", "{ }", "/* f(1); */ {;}"] {
            check(Language::Java, nothing, false);
        }
        check(Language::Java, "/* a */ f(1);", true);
    }

    #[test]
    fn javalang_takes_what_it_took() {
        let mut settings = Settings::new(Language::Java, Vec::new());
        settings.parse_mode = ParseMode::Javalang;
        let pair = Scorer::new(&settings).score(&["f(1);"], "// f(1);");
        assert_eq!(pair.syntax_error, None);
    }
}
