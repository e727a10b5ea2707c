//! The command line as a value: every verb, option and word of help. Parses; does nothing.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod benchmark;
mod brittle;
mod clover;
mod config;
mod consistency;
mod encoding;
mod examples;
mod execute;
mod experiment;
mod faults;
mod generate;
mod hub;
mod index;
mod jobs;
mod leakage;
mod manual;
mod mera;
mod mutate;
mod order;
mod overview;
mod pairs;
mod paper;
mod parquet;
mod plot;
mod prepare;
mod prompts;
mod report;
mod results;
mod review;
mod scale;
mod scoring;
mod shakes;
mod shell;
mod tags;
mod train;
mod trust;
mod usage;
mod validate;
mod verbs;
mod view;

pub use benchmark::{
    Benchmark, BenchmarkAction, BenchmarkFilter, BenchmarkSplit, BenchmarkStats, StatsBy,
    TokenCounterArgs,
};
pub use brittle::BrittleArgs;
pub use clover::{Clover, CloverAction, CloverEval, CloverRun, CloverTokens, PaperTable};
pub use config::{Config, ConfigAction, Keys};
pub use consistency::Consistency;
pub use encoding::{Decode, Encode, EncodingArgs, PartName};
pub use examples::examples;
pub use execute::Execute;
pub use experiment::{Experiment, ExperimentAction};
pub use faults::{FaultArgs, FaultMatrixArgs, ScopeName};
pub use generate::Generate;
pub use hub::ModelResults;
pub use index::Index;
pub use jobs::{Detach, Jobs, JobsAction};
pub use leakage::Leakage;
pub use manual::{ENVIRONMENT, EXIT_STATUS, command};
pub use mera::Mera;
pub use mutate::Mutate;
pub use order::{parse, place};
pub use overview::{shared_options, whole as overview};
pub use pairs::Pairs;
pub use paper::Paper;
pub use parquet::Parquet;
pub use plot::{ChartSubject, Plot};
pub use prepare::{Prepare, SandboxArgs, SandboxName};
pub use prompts::{Budget, Prompts, budget};
pub use report::ReportArgs;
pub use results::Results;
pub use review::{Agreement, Annotator, Audit, Review, Verdict, Verdicts, VerdictsAction};
pub use scale::{Cluster, Merge, Plan, RunShardArgs, ShardArgs, ShardWorkerArgs};
use scoring::words;
pub use scoring::{
    AnswerArgs, Compare, Eval, FactorName, ImportArgs, InputName, Metrics, Runs, Score, ShapeName,
    TableFormat, TableName,
};
pub use shakes::ShakeArgs;
pub use shell::{Candidates, Completions, Filters, FiltersAction, Man};
pub use tags::{Tag, Tags};
pub use train::Train;
pub use trust::Trust;
pub use usage::PriceArgs;
pub use validate::Validate;
pub use verbs::verbs;
pub use view::{Pick, PickName, ScreenName, View};

use crate::exchange::benchmark::is_split_name;
use crate::mine::Languages;
use crate::mine::explain::CallPlace;
use crate::model::{JobId, Language, Matcher, Shakes, Split};
use crate::scale::RepoFilter;

/// Build, check and judge datasets of unit tests.
///
/// Without a command, opens the terminal UI on the workspace.
#[derive(Debug, Parser)]
#[command(
    name = "focalist",
    version,
    max_term_width = 100,
    arg_required_else_help = false,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The heading of the options that every verb has.
const GLOBAL: &str = "Global options";

#[derive(Clone, Debug, Args)]
pub struct Global {
    /// The folder that holds (or will hold) `.focalist`; else `$FOCALIST_WORKSPACE`, else the nearest one upwards
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Your settings; else `config.toml` in your configuration folder (`focalist config path`)
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILE", overrides_with = "config")]
    pub config: Option<PathBuf>,
    /// Colours of the terminal UI; `focalist config themes` lists them
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME")]
    pub theme: Option<String>,
    /// Let the terminal UI use the mouse (selecting text then needs Shift)
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub mouse: bool,
    /// Exit with code 1 if files or lines had problems
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub strict: bool,
    /// Print only errors on stderr
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub quiet: bool,
    /// The job that this process was started for
    #[arg(long, hide = true, value_name = "ID", value_parser = jobs::job_id)]
    pub job: Option<JobId>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build a fresh workspace from the bundled sample data and open it
    Demo(Demo),
    /// Mine repositories into the index
    Mine(Mine),
    /// Cut a list of repositories, or a run, into shards for many machines
    Plan(Plan),
    /// Merge workspaces into one index
    Merge(Merge),
    /// Print a script that runs shards with GNU parallel, Slurm or Ray
    Cluster(Cluster),
    /// Print every call in every test of a repository, and what it resolves to, as JSON lines
    Calls(Calls),
    /// Show how one test passes through every stage, and why
    Explain(Explain),
    /// List tests, mapped or not
    Samples(Samples),
    /// Show one sample with its sources
    Show(Show),
    /// List the methods of a sample's repository, best match first
    Methods(Methods),
    /// Show statistics, from files to samples, or of how calls resolve
    Stats(Stats),
    /// List the repositories of the index
    Repos(Json),
    /// Remove a repository or a run from the index
    Rm(Rm),
    /// Describe the sources of the index and how it was built, as JSON to cite
    Manifest(Manifest),
    /// List files that could not be used, and why
    Problems(Json),
    /// Write the dataset
    Export(Box<Export>),
    /// Check the files of a dataset and those beside them, and say how to mend each problem
    Validate(Validate),
    /// Write samples as sequences of tokens, for models that work on syntax
    Encode(Encode),
    /// Turn predicted sequences of tokens back into code
    Decode(Decode),
    /// Write prompts for models, one for each sample
    Prompts(Prompts),
    /// Send every prompt to a model, and keep its answers as a run
    Generate(Box<Generate>),
    /// Train a model of encoded samples with the program `focalist-baseline`
    Train(Train),
    /// Ask several models the same questions, score and compare them, as a file describes
    Experiment(Experiment),
    /// Score predictions against references, without a workspace
    Score(Score),
    /// Load a model's predictions as a run, or a published dataset
    Import(ImportArgs),
    /// Score imported runs that are not scored yet
    Eval(Eval),
    /// List runs with their scores
    Runs(Runs),
    /// List the predictions of a run one by one, filtered, sorted, grouped, or one with its texts
    Results(Results),
    /// Compare two runs on the samples that both answered
    Compare(Compare),
    /// Write runs, comparisons and predictions as a page for browsers, or rank the runs
    Report(ReportArgs),
    /// Count how predictions differ from their references, or explain each tag
    Tags(Tags),
    /// Build the indexes that speed up text search and nearest samples
    Index(Index),
    /// Tag how a prediction differs; lists show it, counts keep the machine's tags
    Tag(Tag),
    /// Reproduce a paper: CLOVER's problems and tasks, or `CCTest`'s variants
    Paper(Paper),
    /// Cut self-contained problems out of a Python project's suite, and tell which files each needs
    #[command(hide = true)]
    Clover(Clover),
    /// Find near duplicates across the splits, or the training samples nearest to one
    Leakage(Leakage),
    /// Choose the repositories of a benchmark, split them, and count their contents
    Benchmark(Benchmark),
    /// Generate equivalent variants of functions, as JSON lines
    Mutate(Mutate),
    /// Judge how alike a model completes functions and their variants
    Consistency(Consistency),
    /// Draw a chart of the dataset, of runs or of verdicts: here, or as SVG for a paper
    Plot(Plot),
    /// Build projects in the sandbox, once, so that tests can be run in them
    Prepare(Prepare),
    /// Run predictions in their projects, and keep the outcome of each
    Execute(Execute),
    /// Print the faults in the focal method of a sample, and which tests notice each
    Faults(FaultMatrixArgs),
    /// List current and past jobs; follow, cancel and resume them
    Jobs(Jobs),
    /// Judge samples one after the other, in the terminal UI or line by line
    Review(Review),
    /// Record whether the focal method of a sample is right
    Verdict(Verdict),
    /// List verdicts on samples; export and merge them
    Verdicts(Verdicts),
    /// Undo an annotator's last action
    Undo(Annotator),
    /// Redo the last undone action
    Redo(Annotator),
    /// Draw tests to be judged, and report how good the matches are
    Audit(Audit),
    /// Report how far annotators agree
    Agreement(Agreement),
    /// Open the terminal UI on a screen, at given data
    View(View),
    /// Choose samples in a list on the terminal, and print their keys for scripts
    Pick(Pick),
    /// List, save or remove filters; `@name` stands for a saved one in every filter
    Filters(Filters),
    /// Show the settings and where each is set
    Config(Config),
    /// Trust the settings of a workspace, or an experiment, that somebody else wrote
    Trust(Trust),
    /// List the key bindings of the terminal UI
    Keys(Keys),
    /// Check the terminal, the workspace and the settings, and suggest what to do
    Doctor(Json),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write one page per command
    Man(Man),
    /// Print the help of a command, or with `--all` what every command does
    Help(Help),
    /// Mine the one repository that a shard is at
    #[command(hide = true)]
    Work(ShardWorkerArgs),
    /// Print the completions that only the workspace knows
    #[command(hide = true)]
    Candidates(Candidates),
}

#[derive(Debug, Args)]
pub struct Help {
    /// List every command by purpose
    #[arg(long, conflicts_with = "command")]
    pub all: bool,
    /// The words that call the command
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Print a summary and exit, for pipes and CI
    #[arg(long)]
    pub no_tui: bool,
}

/// Reads a number from 0 to 1.
fn probability(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "not a number from 0 to 1".to_owned())
}

/// Reads `LINE` or `LINE:COLUMN`, both counted from 1.
fn call_place(text: &str) -> Result<CallPlace, String> {
    let number = |text: &str| {
        let number = text.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| "not `LINE` or `LINE:COLUMN`".to_owned())
    };
    let (line, column) = match text.split_once(':') {
        Some((line, column)) => (line, Some(number(column)?)),
        None => (text, None),
    };
    Ok(CallPlace {
        line: number(line)?,
        column,
    })
}

/// What decides between candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MatcherName {
    /// The rule of the ConTest paper: names alone, among the methods that the test calls
    Contest,
    /// A probability from all available evidence; no match where it is low
    Evidence,
    /// The two rules of Methods2Test: the same name, or the only call into the focal class
    Methods2test,
    /// The rules of the benchmark MERA: one method or none, by name or, for JavaScript, by the last call
    Mera,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TestsName {
    /// All tests of all frameworks
    #[default]
    All,
    /// Only methods that carry a test annotation themselves
    Annotated,
}

/// What the sources are compiled with.
#[derive(Debug, Args)]
pub struct ClassPath {
    /// Libraries to know besides the sources: jars, and folders for all jars in them, separated as in
    /// `$PATH`; may be given several times
    #[arg(long, value_name = "JARS")]
    pub classpath: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Mine {
    /// A repository's folder; several are mined in order
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "shard"])]
    pub paths: Vec<PathBuf>,
    /// Each PATH is a folder of repositories
    #[arg(long)]
    pub each: bool,
    /// JSON lines with `path` and, if known, `url`, `name`, `stars`, `is_fork`, `license`, `repo_id`
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// The project's name, if no remote gives it
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub mining: Mining,
    #[command(flatten)]
    pub sharded: ShardArgs,
    #[command(flatten)]
    pub detach: Detach,
}

/// How a repository is mined.
#[derive(Debug, Args)]
pub struct Mining {
    /// The matcher that finds the focal method; with several, the decisions of each are kept
    #[arg(long, value_enum, value_delimiter = ',', default_value = Matcher::DEFAULT.as_str())]
    pub matcher: Vec<MatcherName>,
    /// Matcher `evidence` decides nothing if the best candidate is less probable than this, 0 to 1; for Java 0.76 by
    /// default
    #[arg(long, value_name = "P", value_parser = probability)]
    pub abstain_below: Option<f64>,
    /// Let matcher `evidence` also weigh what ran when `execute --truth` ran the tests
    #[arg(long)]
    pub traces: bool,
    /// The language of the sources; `auto` takes each in which a test is found
    #[arg(long, value_parser = words(Languages::ALL, Languages::as_str), default_value = Languages::Auto.as_str())]
    pub language: Languages,
    #[arg(long, value_enum, default_value = "all")]
    pub tests: TestsName,
    /// Include constructors in contexts
    #[arg(long)]
    pub context_constructors: bool,
    /// Flag samples with more lexer tokens than this over all parts
    #[arg(long, value_name = "N", default_value_t = 2048)]
    pub max_context_tokens: u32,
    /// The seed of the splits; an index keeps its first one [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub class_path: ClassPath,
    /// Only repositories that a paper's rules select; a repository with unknown facts passes
    #[arg(long, value_parser = words(RepoFilter::ALL, RepoFilter::as_str))]
    pub repo_filter: Option<RepoFilter>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Mine unchanged repositories again, too
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Calls {
    /// The folder of the repository
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The language of the sources; `auto` takes each in which a test is found
    #[arg(long, value_parser = words(Languages::ALL, Languages::as_str), default_value = Languages::Auto.as_str())]
    pub language: Languages,
    #[command(flatten)]
    pub class_path: ClassPath,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// The folder of the repository
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The test: `CounterTest#testInc`, with or without its package
    #[arg(value_name = "CLASS#METHOD")]
    pub test: String,
    /// Show instead how the calls on this line were resolved, or the one whose name is at this column
    #[arg(long, value_name = "LINE[:COLUMN]", value_parser = call_place)]
    pub call: Option<CallPlace>,
    /// The language of the sources; `auto` takes each in which a test is found
    #[arg(long, value_parser = words(Languages::ALL, Languages::as_str), default_value = Languages::Auto.as_str())]
    pub language: Languages,
    /// The matcher that finds the focal method; several are shown one after the other
    #[arg(long, value_enum, value_delimiter = ',', default_value = Matcher::DEFAULT.as_str())]
    pub matcher: Vec<MatcherName>,
    #[command(flatten)]
    pub class_path: ClassPath,
}

#[derive(Debug, Args)]
pub struct Samples {
    /// Conditions such as `repo:gson status:tie,below -(split:test or weight<0.5) sort:-weight`, and `@name` for a
    /// saved filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u64,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Show {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY")]
    pub key: String,
    /// The matcher whose decision is shown; else the default one, or one that was used
    #[arg(long, value_enum)]
    pub matcher: Option<MatcherName>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Methods {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Any part of the name that you remember: `Counter.inc`, `cinc`, `inc counter`; without it, all are listed
    #[arg(value_name = "NEEDLE")]
    pub needle: Vec<String>,
    /// Maximum number of rows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Stats {
    /// Count only samples that match this filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Count instead how the calls in tests were resolved, by repository, with advice on the unknown ones
    #[arg(long)]
    pub resolution: bool,
    /// Measure instead how many tokens the sequences of `focalist encode` have
    #[arg(long, conflicts_with = "resolution")]
    pub encoding: bool,
    /// With `--encoding`: the maximum number of tokens that a model takes
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub max_length: usize,
    #[command(flatten)]
    pub sequences: EncodingArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Rm {
    /// The repository's name or identity, as `focalist repos` lists it
    #[arg(
        value_name = "REPO",
        required_unless_present = "run",
        conflicts_with = "run"
    )]
    pub repo: Option<String>,
    /// Only its part in this programming language
    #[arg(long, requires = "repo", value_parser = words(Language::ALL, Language::as_str))]
    pub language: Option<Language>,
    /// Remove a run instead, with its predictions and scores
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
}

/// What becomes of a file that is there.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Force {
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Manifest {
    /// Write here instead of to stdout; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// One sample a line, with its sources
    Jsonl,
    /// Every test, mapped or not, with candidates and ranges
    Tests,
    /// The shape of the `Methods2Test` corpus
    Methods2test,
    /// Records of MERA's `UnitTests`, in a folder
    Mera,
    /// The outcome of each prediction of a run (`--run`) that was executed
    Outcomes,
    /// Parquet files with a card, for loaders of datasets, in a folder
    Parquet,
    /// A prompt about each sample and the right answer: lines with `prompt` and `completion`, for a trainer
    Pairs,
    /// The same as conversations: lines with `messages`
    Chat,
    /// The outcome of each test of a run (`--run`) on each fault, from `execute --faults`
    Mutants,
    /// The same as a report of mutation-testing-elements, with sources, for viewers of such reports
    MutationReport,
    /// The outcomes of the tests of a run (`--run`), as JUnit XML
    Junit,
    /// How many passing tests of a run (`--run`) reach each line of focal methods, as LCOV
    Lcov,
    /// The same as XML of Cobertura
    Cobertura,
    /// The scores of a run (`--run`), as a file of `.eval_results` for a model's repository on the Hugging Face Hub
    EvalResults,
    /// The same as a `model-index`, in front of a model's card
    ModelIndex,
    /// How the predictions of a run (`--run`) differ from their references, as SARIF, for viewers of code
    Sarif,
    /// Every row of the index, to compare two of them byte by byte
    Dump,
    /// The model's raw answers in a run of `generate` (`--run`), also to prompts without a sample
    Answers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitName {
    Ours(Split),
    /// Examples for prompts (`--format mera` only)
    Shots,
    /// One of `--splits`.
    Own(String),
}

impl SplitName {
    /// Reads a name; only the file of `--splits` tells whether a foreign one exists.
    fn read(text: &str) -> Result<Self, String> {
        match (Split::parse(text), text) {
            (Some(split), _) => Ok(Self::Ours(split)),
            (None, "shots") => Ok(Self::Shots),
            (None, name) if is_split_name(name) => Ok(Self::Own(name.to_owned())),
            (None, _) => {
                Err("`train`, `validation` or `test`; with `--splits` any other name".to_owned())
            }
        }
    }
}

#[derive(Debug, Args)]
pub struct Export {
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: FormatName,
    /// The run (`--format outcomes`, `mutants`, `mutation-report`, `junit`, `lcov`, `cobertura`, `answers`,
    /// `eval-results`, `model-index`, `sarif` and `dump` only)
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// The matcher whose decisions are written; else the filter's, the default one, or one that was used
    #[arg(long, value_enum)]
    pub matcher: Option<MatcherName>,
    /// Only this part of the random split, `train`, `validation` or `test`; with `--format mera` of the project split,
    /// or `shots`, the examples for prompts; with `--splits` any name in its file
    #[arg(long, value_name = "SPLIT", value_parser = SplitName::read)]
    pub split: Option<SplitName>,
    /// Only samples that match this filter
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts
    #[arg(long)]
    pub all: bool,
    /// Only samples whose true test notices at least this share of the focal method's mutants, 0 to 1 (`execute --truth
    /// --faults`); samples without a mutant, or never run on one, are left out
    #[arg(long, value_name = "SCORE", value_parser = share)]
    pub min_mutation: Option<f64>,
    /// Only samples whose focal method people confirmed: adjudicated, or all who decided agree
    #[arg(long)]
    pub verified: bool,
    /// Leave out samples whose true tests `execute --truth --shake` found unstable: for any reason except a busy
    /// machine, or only for the reasons listed
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = shakes::of_export)]
    pub stable: Option<Shakes>,
    /// Include samples accepted provisionally after an audit (`focalist audit --accept-rest`), unless an annotator
    /// decided otherwise
    #[arg(long, requires = "verified")]
    pub provisional: bool,
    /// Only samples of repositories under one of these licences, such as `MIT,Apache-2.0`
    #[arg(long, value_name = "SPDX", value_delimiter = ',')]
    pub licenses: Vec<String>,
    /// Your own splits in place of ours: JSON lines with `repo` or `sample`, and `split`, as `benchmark split --json`
    /// prints them. Samples without a split are left out
    #[arg(long, value_name = "FILE")]
    pub splits: Option<PathBuf>,
    /// Leave out samples of validation and test whose tests are more similar than this to one of training, 0.3 to 1
    #[arg(long, value_name = "S", value_parser = leakage::threshold)]
    pub max_similarity: Option<f64>,
    /// Read these workspaces instead, merged as by `focalist merge`; the merged index is not kept
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// Write here instead of to stdout, with `--format mera` and `parquet` into a folder; an existing file is not
    /// replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub mera: Mera,
    #[command(flatten)]
    pub parquet: Parquet,
    #[command(flatten)]
    pub pairs: Pairs,
    #[command(flatten)]
    pub hub: ModelResults,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub detach: Detach,
}

/// Reads a share.
fn share(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text
        .parse()
        .ok()
        .filter(|value| (0.0..=1.0).contains(value));
    share.ok_or_else(|| "a number from 0 to 1".to_owned())
}
