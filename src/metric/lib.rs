//! Text metrics: how near a predicted test is to the true one.
//!
//! [`METRICS`] is the one table: command line, help, column headers and stored versions come from it. Engines only: no
//! files, no threads, no clock. Values are in 0..=1 and more is better, also where the reference implementation prints
//! 0 to 100.
//!
//! A pair's [`Score`] has a value and parts; the value of a corpus is a function of their
//! [sums](total::Total).

use focalist_model as model;
use focalist_syntax as syntax;

use crate::model::{Language, Score};
use crate::syntax::tree::parsers;

pub mod acceptance;
pub mod agreement;
pub mod attempts;
pub mod bleu;
pub mod calibration;
pub mod codebleu;
pub mod correlation;
pub mod crystalbleu;
pub mod cut;
pub mod edit;
pub mod exact;
pub mod explain;
pub mod extract;
pub mod minhash;
pub mod names;
pub mod ngram;
pub mod paired;
pub mod profile;
pub mod rated;
pub mod rouge;
pub mod scorer;
pub mod tokens;
pub mod total;

mod corpus;

pub use names::{MetricLevel, title, title_of};
pub use profile::{CONTEST, DEFAULT, MERA, Profile, TESTS4J, metrics_of};

use total::Total;

/// Returns the version of the parser's library, and the grammars by which predictions are parsed.
#[must_use]
pub fn parsers() -> (&'static str, Vec<parsers::BuiltIn>) {
    (parsers::TREE_SITTER, parsers::grammars())
}

/// A way to compare a prediction with its reference.
#[derive(Debug)]
pub struct Metric {
    /// Its name on the command line and in files.
    pub id: &'static str,
    /// Grows whenever a value may change; numbers of different versions are never mixed.
    pub version: u32,
    /// A description of what it computes, and of the implementation whose numbers it reproduces.
    pub about: &'static str,
    /// The named parts of a pair's score.
    pub parts: &'static [&'static str],
    /// The value of a corpus. Where this is not the mean of the pairs' values, the parts of a score hold its terms.
    pub corpus: fn(&Total) -> f64,
    /// Whether it is [`Total::mean`].
    pub is_mean: bool,
    /// The metric whose ceiling it is: its value where the prediction is the truth itself, which need not be 1.
    pub ceiling_of: Option<&'static str>,
    /// The data that it needs besides the pair.
    pub needs: Needs,
    /// Whether the tests of other samples that the same was asked about are references, too.
    pub is_multi: bool,
    engine: Engine,
}

impl Metric {
    /// Names the parts of a pair's score; nothing where this metric has no names for them. A score that was too costly
    /// to compute has names and no parts: that is an empty list.
    #[must_use]
    pub fn named_parts(&self, score: &Score) -> Option<impl Iterator<Item = (&'static str, f64)>> {
        let names = self.parts.iter().copied();
        (!self.parts.is_empty()).then(|| names.zip(score.parts.iter().copied()))
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The data that a metric needs besides the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// The n-grams that all code shares, from a corpus of its own.
    SharedNgrams,
}

/// The engine that computes a metric; metrics of one engine share their work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    /// BLEU on token lists; 0 for all orders together, else one order alone.
    Bleu(u8),
    BleuNltk(bleu::Smoothing),
    /// On the raw strings, with the 13a tokenizer.
    BleuHuggingFace,
    BleuSacre,
    Rouge(Rouge, Tokenizer),
    CodeBleu(codebleu::Variant),
    /// The same of the reference against itself.
    CodeBleuCeiling(codebleu::Variant),
    CrystalBleu,
    Edit(Edit),
    Exact(Exact),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rouge {
    One,
    Two,
    L,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tokenizer {
    /// The token lists of all token metrics.
    Language,
    /// rouge-score's own.
    RougeScore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Indel,
    Levenshtein,
    FuzzyWuzzy,
    Difflib,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    Raw,
    Whitespace,
    Token,
}

/// Every metric, in the order of tables.
pub const METRICS: &[Metric] = &[
    bleu_of(
        0,
        "bleu",
        "BLEU (1 to 4) on the language's tokens. Corpus: unsmoothed, from summed counts. Pair: exponential smoothing, effective order (sacrebleu 2.6.0)",
    ),
    bleu_of(1, "bleu1", "BLEU's 1-grams alone, with its brevity penalty"),
    bleu_of(2, "bleu2", "BLEU's 2-grams alone, with its brevity penalty"),
    bleu_of(3, "bleu3", "BLEU's 3-grams alone, with its brevity penalty"),
    bleu_of(4, "bleu4", "BLEU's 4-grams alone, with its brevity penalty"),
    mean(
        "rouge1",
        &["precision", "recall"],
        "F of common tokens (rouge-score 0.1.2 on the language's tokens)",
        Engine::Rouge(Rouge::One, Tokenizer::Language),
    ),
    mean(
        "rouge2",
        &["precision", "recall"],
        "F of common 2-grams (rouge-score 0.1.2 on the language's tokens)",
        Engine::Rouge(Rouge::Two, Tokenizer::Language),
    ),
    mean(
        "rougeL",
        &["precision", "recall"],
        "F of the longest common subsequence (rouge-score 0.1.2 on the language's tokens)",
        Engine::Rouge(Rouge::L, Tokenizer::Language),
    ),
    K4BLACK,
    Metric {
        id: "codebleu:k4black-ceiling",
        about: "the most that codebleu:k4black can give: the truth against itself",
        ceiling_of: Some("codebleu:k4black"),
        engine: Engine::CodeBleuCeiling(codebleu::Variant::K4black),
        ..K4BLACK
    },
    mean(
        "codebleu",
        CODEBLEU_PARTS,
        "CodeBLEU as MERA computes it (Pstva/code_bleu 014f2e8), but the same each time",
        Engine::CodeBleu(codebleu::Variant::Mera),
    ),
    Metric {
        ceiling_of: Some("codebleu"),
        ..mean(
            "codebleu:ceiling",
            CODEBLEU_PARTS,
            "the most that codebleu can give: the truth against itself",
            Engine::CodeBleuCeiling(codebleu::Variant::Mera),
        )
    },
    CRYSTAL,
    mean(
        "edit",
        &[],
        "edit similarity: 1 - insertions and deletions / both lengths, by characters (Levenshtein.ratio 0.27.5)",
        Engine::Edit(Edit::Indel),
    ),
    mean(
        "em",
        &[],
        "exact match, character by character",
        Engine::Exact(Exact::Raw),
    ),
    mean(
        "em:whitespace",
        &[],
        "exact match of the words between white space (CodeXGLUE)",
        Engine::Exact(Exact::Whitespace),
    ),
    mean(
        "em:token",
        &[],
        "exact match of the language's tokens",
        Engine::Exact(Exact::Token),
    ),
    nltk(
        "bleu:nltk",
        bleu::Smoothing::Method0,
        corpus::nltk_method0,
        "BLEU as NLTK 3.10.4, unsmoothed; it counts one n-gram where a prediction is too short for any",
    ),
    nltk(
        "bleu:nltk-m1",
        bleu::Smoothing::Method1,
        corpus::nltk_method1,
        "the same with SmoothingFunction().method1",
    ),
    nltk(
        "bleu:nltk-m2",
        bleu::Smoothing::Method2,
        corpus::nltk_method2,
        "the same with SmoothingFunction().method2",
    ),
    nltk(
        "bleu:nltk-m3",
        bleu::Smoothing::Method3,
        corpus::nltk_method3,
        "the same with SmoothingFunction().method3",
    ),
    nltk(
        "bleu:nltk-m4",
        bleu::Smoothing::Method4,
        corpus::nltk_method4,
        "the same with SmoothingFunction().method4",
    ),
    Metric {
        id: "bleu:hf",
        version: 1,
        about: "BLEU as Hugging Face evaluate a7dd338 (after TensorFlow NMT): raw text, tokenizer 13a, unsmoothed",
        parts: &[],
        corpus: corpus::hugging_face,
        is_mean: false,
        ceiling_of: None,
        needs: Needs::Nothing,
        is_multi: false,
        engine: Engine::BleuHuggingFace,
    },
    Metric {
        id: "bleu:sacrebleu-13a",
        version: 1,
        about: "BLEU as sacrebleu 2.6.0: raw text, tokenizer 13a, exponential smoothing; a pair as sentence_bleu",
        parts: &[],
        corpus: corpus::sacrebleu,
        is_mean: false,
        ceiling_of: None,
        needs: Needs::Nothing,
        is_multi: false,
        engine: Engine::BleuSacre,
    },
    mean(
        "rouge1:default",
        &["precision", "recall"],
        "rouge1 with rouge-score's own tokenizer, which drops all punctuation",
        Engine::Rouge(Rouge::One, Tokenizer::RougeScore),
    ),
    mean(
        "rouge2:default",
        &["precision", "recall"],
        "rouge2 with rouge-score's own tokenizer",
        Engine::Rouge(Rouge::Two, Tokenizer::RougeScore),
    ),
    mean(
        "rougeL:default",
        &["precision", "recall"],
        "rougeL with rouge-score's own tokenizer",
        Engine::Rouge(Rouge::L, Tokenizer::RougeScore),
    ),
    mean(
        "edit:fuzzywuzzy",
        &[],
        "fuzzywuzzy 0.18.0 ratio with python-Levenshtein: rounded to whole percents",
        Engine::Edit(Edit::FuzzyWuzzy),
    ),
    mean(
        "edit:difflib",
        &[],
        "difflib.SequenceMatcher(None, prediction, reference).ratio() of Python 3.11",
        Engine::Edit(Edit::Difflib),
    ),
    mean(
        "edit:levenshtein",
        &[],
        "1 - Levenshtein distance / the longer length, by characters",
        Engine::Edit(Edit::Levenshtein),
    ),
    Metric {
        is_multi: true,
        ..bleu_of(
            0,
            "bleu:multi",
            "bleu against the tests of all samples that the same was asked about: an n-gram counts as often as the reference that has it most often, and the nearest length is the reference's",
        )
    },
    Metric {
        is_multi: true,
        ..nltk(
            "bleu:nltk-multi",
            bleu::Smoothing::Method0,
            corpus::nltk_method0,
            "bleu:nltk against all these tests: sentence_bleu and corpus_bleu with several references (NLTK 3.10.4)",
        )
    },
    Metric {
        id: "crystalbleu:multi",
        about: "crystalbleu against all these tests",
        is_multi: true,
        ..CRYSTAL
    },
    Metric {
        is_multi: true,
        ..mean(
            "edit:multi",
            &[],
            "edit against the nearest of all these tests",
            Engine::Edit(Edit::Indel),
        )
    },
];

const CRYSTAL: Metric = Metric {
    id: "crystalbleu",
    version: 1,
    about: "BLEU without the k n-grams that a corpus has most often (crystalbleu 0.2)",
    parts: &[],
    corpus: corpus::nltk_method0,
    is_mean: false,
    ceiling_of: None,
    needs: Needs::SharedNgrams,
    is_multi: false,
    engine: Engine::CrystalBleu,
};

const K4BLACK: Metric = Metric {
    id: "codebleu:k4black",
    version: 1,
    about: "CodeBLEU as codebleu 0.7.0: a data flow of 0 counts as 1; corpus from summed counts",
    parts: CODEBLEU_PARTS,
    corpus: corpus::codebleu_k4black,
    is_mean: false,
    ceiling_of: None,
    needs: Needs::Nothing,
    is_multi: false,
    engine: Engine::CodeBleu(codebleu::Variant::K4black),
};

const CODEBLEU_PARTS: &[&str] = &["ngram", "weighted", "syntax", "dataflow"];

const fn mean(
    id: &'static str,
    parts: &'static [&'static str],
    about: &'static str,
    engine: Engine,
) -> Metric {
    Metric {
        id,
        version: 1,
        about,
        parts,
        corpus: Total::mean,
        is_mean: true,
        ceiling_of: None,
        needs: Needs::Nothing,
        is_multi: false,
        engine,
    }
}

const fn bleu_of(order: u8, id: &'static str, about: &'static str) -> Metric {
    Metric {
        id,
        version: 1,
        about,
        parts: &[],
        corpus: match order {
            0 => corpus::bleu,
            1 => corpus::bleu1,
            2 => corpus::bleu2,
            3 => corpus::bleu3,
            _ => corpus::bleu4,
        },
        is_mean: false,
        ceiling_of: None,
        needs: Needs::Nothing,
        is_multi: false,
        engine: Engine::Bleu(order),
    }
}

const fn nltk(
    id: &'static str,
    smoothing: bleu::Smoothing,
    corpus: fn(&Total) -> f64,
    about: &'static str,
) -> Metric {
    Metric {
        id,
        version: 1,
        about,
        parts: &[],
        corpus,
        is_mean: false,
        ceiling_of: None,
        needs: Needs::Nothing,
        is_multi: false,
        engine: Engine::BleuNltk(smoothing),
    }
}

/// Finds the metric of this name.
#[must_use]
pub fn metric(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}

/// Lists the languages that can be scored; every metric knows all of them.
#[must_use]
pub const fn languages() -> &'static [Language] {
    Language::ALL
}
