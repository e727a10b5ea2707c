//! The options of `clover`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::scoring::{TableFormat, words};
use super::{Detach, SandboxArgs};
use crate::clover::QuestionKind;
use crate::eval::pairing::refine::{N_RESAMPLES, SEED};

/// Cuts test functions of a prepared Python project out of their files, measures which lines of the project each
/// covers, and separates the files that only it touches from files that its neighbours touch, too. Results are kept in
/// the workspace and not computed again.
#[derive(Debug, Args)]
pub struct Clover {
    #[command(subcommand)]
    pub action: CloverAction,
}

impl Clover {
    /// Tells whether to run it in the background.
    #[must_use]
    pub const fn detach(&self) -> Detach {
        match &self.action {
            CloverAction::Extract { run, .. }
            | CloverAction::Cov { run, .. }
            | CloverAction::Classes { run, .. }
            | CloverAction::Tasks { run, .. } => run.detach,
            CloverAction::Eval(arguments) => arguments.detach,
            CloverAction::Tokens(_) => Detach { background: false },
        }
    }

    /// Lists the files that it reads.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        match &self.action {
            CloverAction::Cov {
                cases: Some(file), ..
            } => std::slice::from_ref(file),
            CloverAction::Eval(arguments) => &arguments.answers,
            _ => &[],
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum CloverAction {
    /// Cut out each test function with its dependencies, and verify it by running it
    Extract {
        #[command(flatten)]
        run: CloverRun,
        /// Print the file of this problem alone: `tests/x.py::Class::test`
        #[arg(long, value_name = "ID")]
        show: Option<String>,
    },
    /// Measure the lines of the project that each problem covers
    Cov {
        #[command(flatten)]
        run: CloverRun,
        /// Measure the problems (they are extracted first if needed)
        #[arg(long, required_unless_present = "cases", conflicts_with = "cases")]
        extracted: bool,
        /// Measure these test files: JSON lines with `id`, `path` and `code`; `-` for standard input
        #[arg(long, value_name = "FILE")]
        cases: Option<PathBuf>,
    },
    /// Tell the class of each project file for each test
    Classes {
        #[command(flatten)]
        run: CloverRun,
        /// Only this test
        #[arg(long, value_name = "ID")]
        test: Option<String>,
        /// List runs of five or more statements that no other test covers
        #[arg(long)]
        blocks: bool,
    },
    /// Make questions of problems: blanks in assertions, targets to use, blocks to cover
    Tasks {
        #[command(flatten)]
        run: CloverRun,
        /// Only these: `cloze` (a blank in an assertion), `target` (a test that uses something), `block` (a test that
        /// covers something); may be given several times
        #[arg(long, value_name = "TASK", value_parser = words(QuestionKind::ALL, QuestionKind::as_str))]
        task: Vec<QuestionKind>,
        /// The seed for the draw of questions
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// Also questions that are not drawn, with the reason if they cannot be
        #[arg(long)]
        all: bool,
        /// The tokenizer for files: a `tokenizer.json`, or `approx` for bytes / 3.6
        #[arg(long, value_name = "FILE", default_value = "approx")]
        tokenizer: PathBuf,
    },
    /// Count the tokens of prompts by task and budget (the paper's table 2)
    Tokens(CloverTokens),
    /// Run answers to questions, and count the right ones
    Eval(CloverEval),
}

/// The tables that the paper has about answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperTable {
    Table3,
    Table4,
    Table5,
    Table6,
    Table7,
    Figure3,
    /// Exact answers beside right ones, by the length of the reference (4.1).
    Gap,
    /// How right answers differ from the reference (4.1).
    Ways,
    /// One form of answers against the other (section 4, prompt template).
    Forms,
    /// Answers that say nothing (4.2).
    Gibberish,
}

impl PaperTable {
    pub const ALL: &[Self] = &[
        Self::Table3,
        Self::Table4,
        Self::Table5,
        Self::Table6,
        Self::Table7,
        Self::Figure3,
        Self::Gap,
        Self::Ways,
        Self::Forms,
        Self::Gibberish,
    ];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Table3 => "3",
            Self::Table4 => "4",
            Self::Table5 => "5",
            Self::Table6 => "6",
            Self::Table7 => "7",
            Self::Figure3 => "figure-3",
            Self::Gap => "gap",
            Self::Ways => "ways",
            Self::Forms => "forms",
            Self::Gibberish => "gibberish",
        }
    }
}

/// What the counting of prompts needs.
#[derive(Debug, Args)]
pub struct CloverTokens {
    /// Only questions about these prepared projects; without any, all that have questions
    #[arg(value_name = "PROJECT")]
    pub project: Vec<String>,
    /// The tokenizer: a `tokenizer.json`, or `approx` for bytes / 3.6
    #[arg(long, value_name = "FILE", default_value = "approx")]
    pub tokenizer: PathBuf,
    /// The seed for the draw of questions, and for the order of files
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub format: TableFormat,
}

#[derive(Debug, Args)]
pub struct CloverEval {
    /// Answers: a file of `export --format answers`, or JSON lines with the `id` of a prompt (or of a question, with
    /// `budget` and `answer`), `prediction`, and its `run` or `model`; `-` for standard input; may be given several
    /// times
    #[arg(long, value_name = "FILE", required_unless_present = "run")]
    pub answers: Vec<PathBuf>,
    /// The answers of a run that `generate` asked for, under its name; may be given several times
    #[arg(long, value_name = "NAME")]
    pub run: Vec<String>,
    /// Print the outcome of each answer (JSON lines) in place of the shares
    #[arg(long, conflicts_with_all = ["format", "by", "table", "against"])]
    pub each: bool,
    /// Add rows for each repository
    #[arg(long, value_name = "WHAT", value_parser = ["repo"])]
    pub by: Option<String>,
    /// Print one of the paper's tables: `3` to `7` and `figure-3`, a row for each model, a column for each budget;
    /// `gap`, exact and right answers by length; `ways`, how right answers differ from the reference; `forms`, one form
    /// of answers against the other; `gibberish`, answers that say nothing
    #[arg(long, value_name = "TABLE", value_parser = words(PaperTable::ALL, PaperTable::as_str))]
    pub table: Option<PaperTable>,
    /// Compare the other models with this one, over the questions that both answered
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["by", "table"])]
    pub against: Option<String>,
    #[command(flatten)]
    pub format: TableFormat,
    /// How often questions are drawn for intervals
    #[arg(long, value_name = "N", default_value_t = N_RESAMPLES, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// The seed of these draws
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub seed: u64,
    /// Seconds that an answer may take, with all parameters of its test
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::execute::seconds)]
    pub timeout: f64,
    /// `fork` (one server per folder) or `fresh` (one process per answer)
    #[arg(long, value_name = "NAME", value_parser = ["fork", "fresh"], default_value = "fork")]
    pub engine: String,
    /// Number of answers that run at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub site: SandboxArgs,
    #[command(flatten)]
    pub detach: Detach,
}

/// What all of it needs.
#[derive(Debug, Args)]
pub struct CloverRun {
    /// A project that `prepare` has made, by its name, the last part of it, or its folder
    #[arg(value_name = "PROJECT|PATH")]
    pub project: String,
    /// Only tests of this file; may be given several times
    #[arg(long, value_name = "FILE")]
    pub tests: Vec<String>,
    /// How often each is run; lines that only some runs cover are kept apart
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub repeats: u32,
    /// Seconds that a test function may take, with all its parameters
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::execute::seconds)]
    pub timeout: f64,
    /// `fork` (one server per folder) or `fresh` (one process per problem)
    #[arg(long, value_name = "NAME", value_parser = ["fork", "fresh"], default_value = "fork")]
    pub engine: String,
    /// Number of problems that run at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub site: SandboxArgs,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detach: Detach,
}
