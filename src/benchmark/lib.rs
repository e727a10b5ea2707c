//! The verb `benchmark`: chooses from many repositories those that make a benchmark, and their splits, and counts what
//! it holds (Tests4J 3.1 to 3.3).
//!
//! Decides which repositories and cases stay, and why the others do not. It reads lists and the index, and starts
//! nothing: `execute --truth` has stored in the index whether a project compiles and its tests pass.

use focalist_chart as chart;
use focalist_encode as encode;
use focalist_exchange as exchange;
use focalist_model as model;
use focalist_runner as runner;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::encode::Vocabulary;
use crate::model::Language;
use crate::store::StoreError;
use crate::syntax::tree;
use crate::task::Cancelled;

mod cases;
pub mod figures;
mod filter;
pub mod measure;
mod propose;
mod split;
mod stats;
mod trial;

pub use cases::{Cases, cases_of, split_cases};
pub use filter::{
    Day, FilterLimits, FilterStep, Leaks, RepoProfile, Ruling, SIZE_BYTES_MAX, StepCount, count,
    rule,
};
pub use propose::{Proposal, ProposeOptions, propose};
pub use split::{TARGETS, WeighedRepo, split, split_by_language};
pub use stats::{Fact, MethodFacts, RepoFacts, Spread, Stats, StatsOptions, stats};
pub use trial::{Trial, TruthFunnel, trials};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("cannot read `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A way to count tokens.
#[derive(Clone)]
pub enum TokenCounter {
    Tokens(TokenMeasure),
    /// A model's vocabulary, with its name in tables.
    Vocabulary(Arc<Vocabulary>, String),
}

impl TokenCounter {
    /// Returns the name that stands beside the numbers that it counted.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tokens(tokens) => tokens.as_str(),
            Self::Vocabulary(_, name) => name,
        }
    }

    /// Counts the tokens of a text.
    #[must_use]
    pub fn count(&self, language: Language, text: &str) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens.count(language, text),
            Self::Vocabulary(vocabulary, _) => {
                let n_tokens = vocabulary.count(text);
                // A text that the vocabulary cannot cut is counted approximately.
                n_tokens.map_or_else(
                    || TokenMeasure::Approximate.count(language, text),
                    |n| n as u64,
                )
            }
        }
    }
}

/// How tokens are counted without a vocabulary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenMeasure {
    /// Bytes / 3.6, which is about what subword vocabularies count in code.
    #[default]
    Approximate,
    /// The tokens of the language.
    Lexer,
}

impl TokenMeasure {
    pub const ALL: &[Self] = &[Self::Approximate, Self::Lexer];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approximate => "approx",
            Self::Lexer => "lexer",
        }
    }

    /// Counts the tokens of a text.
    #[must_use]
    pub fn count(self, language: Language, text: &str) -> u64 {
        match self {
            Self::Approximate => (text.len() as u64 * 10).div_ceil(36),
            Self::Lexer => tree::tokens(language, text).len() as u64,
        }
    }
}
