//! The options of `score`, `import`, `eval`, `runs` and `compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Detach, Force, PriceArgs, RunShardArgs};
use crate::eval::compare::GroupBy;
use crate::eval::pairing::refine::{N_RESAMPLES, SEED};
use crate::metric::{self, METRICS, Profile};
use crate::model::{CoverScope, Extraction, Language, ParseMode, Target};
use crate::transfer::DatasetFormat;

/// Makes a parser that takes one of the words of a closed set.
pub fn words<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    as_str: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|item| as_str(*item));
    PossibleValuesParser::new(names).map(move |word: String| {
        let found = all.iter().copied().find(|item| as_str(*item) == word);
        found.expect("clap takes only possible values")
    })
}

/// Reads four weights that are separated by commas.
fn weights(text: &str) -> Result<[f64; 4], String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| {
            part.trim()
                .parse()
                .ok()
                .filter(|value: &f64| *value >= 0.0 && value.is_finite())
        })
        .collect();
    numbers
        .and_then(|number| number.try_into().ok())
        .ok_or_else(|| "not four numbers of at least 0, separated by commas".to_owned())
}

/// Writes the table of metrics for `--help`.
fn metrics_help() -> String {
    let width = METRICS
        .iter()
        .map(|metric| metric.id.len())
        .max()
        .unwrap_or(0);
    let sets: Vec<&str> = Profile::ALL
        .iter()
        .map(|profile| profile.as_str())
        .collect();
    let mut text = format!(
        "Metrics (0 to 1, higher is better; `--metrics` also takes {}, all, and patterns such as bleu:*):\n",
        sets.join(", ")
    );
    for metric in METRICS {
        let is_default = metric::DEFAULT.contains(&metric.id);
        let mark = if is_default { '*' } else { ' ' };
        text.push_str(&format!("{mark} {:width$}  {}\n", metric.id, metric.about));
    }
    text.push_str("* by default");
    text
}

/// What decides values besides the texts.
#[derive(Debug, Args)]
pub struct Metrics {
    /// Which metrics: ids, separated by commas; `--help` lists them
    #[arg(
        long = "metrics",
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "default"
    )]
    pub names: Vec<String>,
    /// The metrics of a profile, in place of `--metrics`
    #[arg(long, value_name = "NAME", value_parser = words(Profile::ALL, Profile::as_str), conflicts_with = "names")]
    pub profile: Option<Profile>,
    /// CodeBLEU's weights of n-grams, weighted n-grams, syntax and data flow
    #[arg(long, value_name = "A,B,C,D", value_parser = weights, default_value = "0.25,0.25,0.25,0.25")]
    pub codebleu_weights: [f64; 4],
    /// The corpus whose most frequent n-grams `crystalbleu` leaves out: JSON lines with references, or plain text;
    /// else the training split of the workspace, or for `score` the references themselves
    #[arg(long, value_name = "FILE")]
    pub crystal_corpus: Option<PathBuf>,
    /// How many n-grams to leave out
    #[arg(long, value_name = "K", default_value_t = metric::crystalbleu::K_DEFAULT)]
    pub crystal_k: usize,
}

/// What an answer is.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The programming language; imported predictions have the language of their sample
    #[arg(long, value_parser = words(Language::ALL, Language::as_str), default_value = "java")]
    pub language: Language,
    /// How code is extracted from answers with prose and fences
    #[arg(long, value_name = "RULE", value_parser = words(Extraction::ALL, Extraction::as_str), default_value = "none")]
    pub extract: Extraction,
    /// The rules for parsing: javac 17 and the grammars of the other languages, javalang 0.13 as in ConTest (Java
    /// only), or `ast.parse` of the `python3` here, asked in the sandbox (Python only)
    #[arg(long, value_name = "MODE", value_parser = words(ParseMode::ALL, ParseMode::as_str), default_value = "strict")]
    pub parse: ParseMode,
    /// Maximum number of tokens that the model could write; gives the rate of predictions that were cut off
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_length: Option<u32>,
}

/// How files hold predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputName {
    /// JSON lines, or one array of objects
    Json,
    /// With a header
    Csv,
    /// One prediction per line
    Lines,
}

#[derive(Debug, Args)]
#[command(after_long_help = metrics_help())]
pub struct Score {
    /// Pairs: JSON lines, one array, or CSV (by its name); stdin where absent or `-`
    #[arg(value_name = "FILE", conflicts_with_all = ["references", "predictions"])]
    pub file: Option<PathBuf>,
    /// References, one per line; with `--predictions`
    #[arg(long, value_name = "FILE", requires = "predictions")]
    pub references: Option<PathBuf>,
    /// Predictions, one per line; with `--references`
    #[arg(long, value_name = "FILE", requires = "references")]
    pub predictions: Option<PathBuf>,
    #[command(flatten)]
    pub metrics: Metrics,
    #[command(flatten)]
    pub answers: AnswerArgs,
    /// The form of Java predictions; else that of the reference
    #[arg(long, value_enum)]
    pub shape: Option<ShapeName>,
    /// The field with the reference, or the list of references
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub reference_field: String,
    /// The field with the prediction
    #[arg(long, value_name = "NAME", default_value = "prediction")]
    pub prediction_field: String,
    /// The field with the name of the pair
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Read FILE in this format, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input: Option<InputName>,
    /// Write only the corpus scores (the last line)
    #[arg(long)]
    pub summary: bool,
    /// Write here instead of to stdout; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// What a piece of Java is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// The body of a method
    Statements,
    /// A whole method
    Member,
}

/// The form of predictions that are sequences of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DecodeName {
    /// Linearised trees
    Tree,
}

/// Reads `OURS=THEIRS`.
fn field(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((ours, theirs)) if !ours.is_empty() && !theirs.is_empty() => {
            Ok((ours.to_owned(), theirs.to_owned()))
        }
        _ => Err("not `OURS=THEIRS`".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Predictions: JSON lines, one array, CSV (by its name), text with one per line, or a log of another harness,
    /// which is known by its content; several files are one run. With `--dataset`, one file or folder
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The run's name
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "dataset",
        conflicts_with = "dataset"
    )]
    pub run: Option<String>,
    /// The samples of a dataset, without its sources: our own JSON lines, `Methods2Test` (a file of lines, or its
    /// folders), the parallel text files of ATLAS, records of MERA's `UnitTests` in any layout, Parquet files, or what
    /// `TestGenEval`, `TestEval` and `CodeSearchNet` publish
    #[arg(long, value_name = "FORMAT", value_parser = words(DatasetFormat::ALL, DatasetFormat::as_str))]
    pub dataset: Option<DatasetFormat>,
    /// The dataset's name; else the file's
    #[arg(long, value_name = "NAME", requires = "dataset")]
    pub name: Option<String>,
    /// With `--dataset parquet` or `jsonl`: which column of a foreign file each of our fields is read from, such as
    /// `test.source=test_code,focal.source=method,repo.name=project`
    #[arg(long, value_name = "OURS=THEIRS", value_delimiter = ',', value_parser = field, requires = "dataset")]
    pub fields: Vec<(String, String)>,
    /// The model's name in tables
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The text that the model had to write [default: assertion, with `--extract mera` test]
    #[arg(long, value_parser = words(Target::ALL, Target::as_str))]
    pub target: Option<Target>,
    /// The `ids.jsonl` of an export in the format mera, which says which sample a record `{"id": …}` stands for.
    /// Without it, ids are those of the imported dataset
    #[arg(long, value_name = "FILE", conflicts_with = "dataset")]
    pub ids: Option<PathBuf>,
    /// The matcher whose decisions define the samples, as for `export`; else the one that the index shows
    #[arg(long, value_enum)]
    pub matcher: Option<super::MatcherName>,
    #[command(flatten)]
    pub answers: AnswerArgs,
    /// The n-th record answers the n-th sample that `export --filter FILTER` writes, such as `split:test`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub aligned_with: Option<String>,
    /// With `--aligned-with`: as `export --all` writes them
    #[arg(long, requires = "aligned_with")]
    pub all: bool,
    /// Predictions are lists of tokens as `focalist encode` writes them, and are turned into code
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["dataset", "extract"])]
    pub decode: Option<DecodeName>,
    /// The path to the sample in a record, such as `metadata.key`: a sample's key, or its name in an imported dataset
    /// [default: by its format]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["dataset", "sample_field"])]
    pub id: Option<String>,
    /// The path to the answer in a record, such as `output.completion` [default: by its format]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["dataset", "prediction_field", "decode"])]
    pub answer: Option<String>,
    /// The field with the sample's key
    #[arg(long, value_name = "NAME", default_value = "sample")]
    pub sample_field: String,
    /// The field with the prediction
    #[arg(long, value_name = "NAME", default_value = "prediction")]
    pub prediction_field: String,
    /// Read FILE in this format, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input: Option<InputName>,
    /// Replace a run of the same name
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub detach: Detach,
}

#[derive(Debug, Args)]
#[command(after_long_help = metrics_help())]
pub struct Eval {
    /// Only these runs
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Only this run; may be repeated
    #[arg(long, value_name = "NAME")]
    pub run: Vec<String>,
    #[command(flatten)]
    pub metrics: Metrics,
    /// Compute existing values again
    #[arg(long)]
    pub force: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub shown: RunTableArgs,
    #[command(flatten)]
    pub part: RunShardArgs,
    #[command(flatten)]
    pub detach: Detach,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableName {
    #[default]
    Table,
    Json,
    Csv,
    /// A `tabular` with booktabs rules, in the shape of ConTest's tables
    Latex,
    Markdown,
}

impl TableName {
    /// Chooses JSON where `--json` asks for it, which needs no `--format`.
    pub const fn or_json(self, is_json: bool) -> Self {
        if is_json { Self::Json } else { self }
    }

    /// Chooses the format of a command that has `--json` and no `--format`.
    pub const fn of(is_json: bool) -> Self {
        Self::Table.or_json(is_json)
    }
}

/// How a command prints its tables.
#[derive(Debug, Args)]
pub struct TableFormat {
    #[arg(long, value_enum, default_value = "table")]
    pub format: TableName,
    /// Print JSON, as `--format json`
    #[arg(long)]
    pub json: bool,
}

impl TableFormat {
    pub const fn name(&self) -> TableName {
        self.format.or_json(self.json)
    }
}

#[derive(Debug, Args)]
pub struct RunTableArgs {
    #[command(flatten)]
    pub format: TableFormat,
    /// For executed runs: the candidates whose coverage of a focal method counts, `all` of the project or its `own`
    #[arg(long, value_name = "SCOPE", value_parser = words(CoverScope::ALL, CoverScope::as_str), default_value = CoverScope::All.as_str())]
    pub scope: CoverScope,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Runs {
    /// Only these runs
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Only these metrics; else the profile's, and for programs (`--format csv`, `json`) all that any run has
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// The shown columns: few by default, ConTest's Table 2, MERA's score, or Tests4J's funnel and coverage. Each
    /// number means the same in every profile
    #[arg(long, value_name = "NAME", value_parser = words(Profile::ALL, Profile::as_str), conflicts_with = "metrics")]
    pub profile: Option<Profile>,
    /// Add rows over only the answers that parse, and rows adjusted by their share, as in ConTest
    #[arg(long)]
    pub adjusted: bool,
    /// List instead the lines of their files that could not be used
    #[arg(long, conflicts_with = "samples")]
    pub problems: bool,
    /// List instead every prediction with its values (JSON lines, or CSV)
    #[arg(long)]
    pub samples: bool,
    /// Print instead a row for each language of a run's samples, or for each setting of its requests, such as the
    /// temperatures of a grid, with the score of the best of several answers (oracle@k)
    #[arg(long, value_enum, value_name = "FACTOR", conflicts_with_all = ["problems", "samples"])]
    pub by: Option<FactorName>,
    /// Print instead why answers in Java do not compile: a row for each kind of javac's first error, with its share of
    /// the answers that do not compile, and an example
    #[arg(long, conflicts_with_all = ["problems", "samples", "by", "cost", "profile", "metrics"])]
    pub compile_errors: bool,
    /// Print instead how good the tests are, by run and repository: passing, correct, lines covered, mutation score,
    /// brittle and unstable, each as a mean over samples with its interval, and how closely each metric ranks answers
    /// as the score does
    #[arg(long, conflicts_with_all = ["problems", "samples", "by", "compile_errors", "cost", "profile", "metrics", "adjusted"])]
    pub grades: bool,
    /// Print instead what the answers cost: requests, tokens, latency, and money at the prices that you give
    #[arg(long, conflicts_with_all = ["problems", "samples", "by"])]
    pub cost: bool,
    #[command(flatten)]
    pub prices: PriceArgs,
    #[command(flatten)]
    pub shown: RunTableArgs,
}

/// What runs are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FactorName {
    /// The language of the samples: values over first answers, their outcomes, and how many are blocked or were not run
    Language,
    /// Temperature and other parameters of requests
    Setting,
}

impl Metrics {
    /// Lists the names that are asked for: those of metrics, or a profile's.
    pub fn names(&self) -> Vec<String> {
        match self.profile {
            Some(profile) => vec![profile.as_str().to_owned()],
            None => self.names.clone(),
        }
    }
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Compare {
    /// The run to compare with
    #[arg(value_name = "A")]
    pub first: String,
    /// The run whose difference is shown
    #[arg(value_name = "B")]
    pub second: String,
    /// More runs, each compared with the first on the samples that all answered
    #[arg(value_name = "C")]
    pub others: Vec<String>,
    /// Only the metrics of a profile, in place of `--metrics`
    #[arg(long, value_name = "NAME", value_parser = words(Profile::ALL, Profile::as_str), conflicts_with = "metrics")]
    pub profile: Option<Profile>,
    /// Only these metrics; else all metrics that all runs have, with --by BLEU alone (or the first available one). The
    /// first metric decides what is worst and best
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// Only samples that match this filter. Conditions on a run (`bleu<0.2`, `parse:fail`, `tag:`) apply to B, with
    /// several runs to the one that is compared with A; `delta` and `outcome` compare B with A, and `baseline-parse`
    /// applies to A
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Also compare each slice of the samples by this. Slices by `parse` (which of the two answers parse) are chosen by
    /// the outcome, so they differ by construction
    #[arg(long, value_parser = words(GroupBy::ALL, GroupBy::as_str))]
    pub by: Option<GroupBy>,
    /// Sort the slices by the strength of the evidence, the smallest p first, with p adjusted for the number of slices
    /// (needs --by)
    #[arg(long, requires = "by")]
    pub slices: bool,
    /// Also how often each tag occurs: samples with it in A's and in B's answers, the strongest evidence
    /// first, with p adjusted for the number of tags
    #[arg(long)]
    pub tags: bool,
    /// Also the N samples on which B lost most against A
    #[arg(long, value_name = "N", conflicts_with = "best")]
    pub worst: Option<usize>,
    /// Also the N samples on which B won most
    #[arg(long, value_name = "N")]
    pub best: Option<usize>,
    /// Write the samples with values, differences and texts, one JSON line each: the samples of --worst or --best in
    /// their order, else all compared samples, the greatest loss first. An existing file is not replaced
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Only samples for which both predictions parse, as in ConTest's Table 3; as LaTeX and Markdown it is that table,
    /// with adjusted values
    #[arg(long)]
    pub parsable_by_both: bool,
    /// ConTest's Table 3 in any format: values over the samples for which both predictions parse, times the share of
    /// all answers of the run that parse (equation 2)
    #[arg(long, conflicts_with_all = ["slices", "tags", "worst", "best", "export"])]
    pub adjusted: bool,
    /// As `--adjusted`, for runs over different samples, such as two splits: each run over its own samples, without
    /// pairs
    #[arg(long, conflicts_with_all = ["parsable_by_both", "by", "filter", "slices", "tags", "worst", "best", "export"])]
    pub apart: bool,
    /// Also compare runs that were executed with different options, such as another --repair or --timeout
    #[arg(long)]
    pub any_options: bool,
    #[command(flatten)]
    pub prices: PriceArgs,
    /// Number of bootstrap samples and permutations
    #[arg(long, value_name = "N", default_value_t = N_RESAMPLES, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// The seed of the random draws
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub shown: RunTableArgs,
}
