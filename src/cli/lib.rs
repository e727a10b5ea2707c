//! The command line: flags in, one verb called, text or JSON out.
//!
//! Data goes to stdout, messages and progress to stderr, both through writers that the caller gives, so that a closed
//! pipe is a value and tests run the whole program in their own process. Nothing below this module prints.

use focalist_benchmark as benchmark;
use focalist_browse as browse;
use focalist_chart as chart;
use focalist_clover as clover;
use focalist_config as config;
use focalist_consistency as consistency;
use focalist_diff as diff;
use focalist_encode as encode;
use focalist_eval as eval;
use focalist_exchange as exchange;
use focalist_execute as execute;
use focalist_generate as generate;
use focalist_held as held;
use focalist_job as job;
use focalist_leakage as leakage;
use focalist_metric as metric;
use focalist_mine as mine;
use focalist_model as model;
use focalist_mutate as mutate;
use focalist_plot as plot;
use focalist_prompts as prompts;
use focalist_report as report;
use focalist_review as review;
use focalist_runner as runner;
use focalist_sandbox as sandbox;
use focalist_scale as scale;
use focalist_store as store;
use focalist_task as task;
use focalist_transfer as transfer;

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::config::{Config, ConfigProblem, Session};
use crate::job::Job;
use crate::model::{Finding, counted};
use crate::review::ReviewOptions;
use args::Cli;
pub use failure::ExitCode;
use failure::{Failure, Stop};
use messages::Messages;

mod args;
mod command;
mod failure;
mod messages;
mod print;
mod progress;
mod table;

/// Where output goes, and the other face: `main` puts the two together, so that neither knows the other.
pub struct Streams<'s> {
    /// The user's answers, where a command asks.
    pub input: &'s mut (dyn BufRead + Send),
    /// Whether `input` is a terminal: who pipes answers in wants no terminal UI.
    pub input_is_terminal: bool,
    pub out: &'s mut (dyn Write + Send),
    pub err: &'s mut (dyn Write + Send),
    /// Whether `err` is a terminal: a progress bar there, lines elsewhere.
    pub err_is_terminal: bool,
    /// Whether `out` is a terminal: the terminal UI can be opened.
    pub out_is_terminal: bool,
    /// Opens the terminal UI; returns how it ended, or what went wrong.
    pub open_ui: &'s mut dyn FnMut(UiOpening) -> Result<UiClosing, String>,
    pub ui: UiHooks,
}

/// What only the terminal UI knows.
#[derive(Clone, Copy, Debug)]
pub struct UiHooks {
    /// Its keys as they are set, one line each.
    pub keys: fn(&Config) -> Vec<String>,
    /// Its keys as a table in Markdown.
    pub keys_markdown: fn(&Config) -> String,
    /// Finds the problems of settings that it alone understands.
    pub check: fn(&Config) -> Vec<ConfigProblem>,
    /// Looks at the terminal, its colours and its clipboard, with the requested theme.
    pub look: fn(&Config, Option<&str>) -> Vec<Finding>,
    /// The names of the themes in it.
    pub themes: fn() -> Vec<&'static str>,
    /// The names of all themes that can be used, and whether the user wrote each.
    pub known_themes: fn(&Config) -> Vec<(String, bool)>,
}

/// What the terminal UI is opened with.
#[derive(Clone, Debug, PartialEq)]
pub struct UiOpening {
    /// The folder `.focalist`.
    pub workspace: PathBuf,
    /// The settings; the options win.
    pub config: Config,
    pub theme: Option<String>,
    pub mouse: bool,
    /// The annotator, and how samples are judged.
    pub reviewing: ReviewOptions,
    /// Opens the queue of samples to be judged.
    pub is_reviewing: bool,
    /// Options that a command needs to reach the same workspace.
    pub global: Vec<String>,
    /// The place where it opens; nothing for the place where it was left.
    pub at: Option<Session>,
    /// Ends with the samples that are chosen, and leaves standard output alone.
    pub is_picking: bool,
}

/// How the terminal UI ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UiClosing {
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The keys of the samples that were picked.
    pub picked: Vec<String>,
}

/// The context of a command: options, streams and its job.
struct Context<'c, 's> {
    global: &'c args::Global,
    /// The arguments of the program, without its own name.
    arguments: &'c [OsString],
    streams: &'c mut Streams<'s>,
    /// The row of this verb in the list of jobs, if it has one.
    job: Option<Arc<Job>>,
}

impl Context<'_, '_> {
    /// Writes a message for people, unless `--quiet`.
    fn say(&mut self, message: &str) {
        if let Some(job) = &self.job {
            job.note(message);
            // In the background stderr is the log.
            if !job.is_background() {
                job.log(message);
            }
        }
        if !self.global.quiet {
            // A message that nobody can read any more is no reason to stop the work. It is one line, whatever names
            // hold.
            let _closed = writeln!(self.streams.err, "{}", table::visible(message));
        }
    }

    /// Returns the success or, with `--strict`, the failure for problems of single files or lines.
    fn end(&self, n_problems: usize) -> Result<(), Stop> {
        if self.global.strict && n_problems > 0 {
            let n_problems = counted(n_problems as u64, "problem");
            let message = format!("{n_problems}, and `--strict` was given");
            return Err(Failure::new(ExitCode::Problems, message)
                .with_hint("`focalist problems` lists them")
                .into());
        }
        Ok(())
    }
}

/// Describes every verb and option, so that documents can be checked against them.
#[must_use]
pub fn command() -> clap::Command {
    args::command()
}

/// Describes the verbs that run as jobs, so that forms of them can be built.
#[must_use]
pub fn verbs() -> job::Verbs {
    args::verbs()
}

/// Writes the options that several commands share and their meanings, as a table in Markdown.
#[must_use]
pub fn shared_options() -> String {
    args::shared_options()
}

/// Runs the program with `args` (the program's name first) and returns the code to end with.
pub fn run(args: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> ExitCode {
    let mut err = Messages::new(&mut *streams.err);
    let streams = &mut Streams {
        input: &mut *streams.input,
        input_is_terminal: streams.input_is_terminal,
        out: &mut *streams.out,
        err: &mut err,
        err_is_terminal: streams.err_is_terminal,
        out_is_terminal: streams.out_is_terminal,
        open_ui: &mut *streams.open_ui,
        ui: streams.ui,
    };
    let arguments: Vec<OsString> = args.into_iter().collect();
    let cli = match args::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return answer(&error, streams),
    };
    let arguments = arguments.get(1..).unwrap_or_default();
    match cli.global.job {
        Some(id) => command::jobs::run_attached(&cli, arguments, id, streams),
        None => execute(&cli, arguments, streams, None),
    }
}

/// Runs a command line as a step of a job; without one it is a job of its own.
fn run_step(arguments: &[OsString], job: Option<Arc<Job>>, streams: &mut Streams<'_>) -> ExitCode {
    let cli = match args::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return answer(&error, streams),
    };
    let arguments = arguments.get(1..).unwrap_or_default();
    if job.is_none() {
        return execute(&cli, arguments, streams, None);
    }
    let mut context = Context {
        global: &cli.global,
        arguments,
        streams,
        job,
    };
    let outcome = command::dispatch(&mut context, cli.command.as_ref());
    // The job goes on: it is for its owner to end it.
    ended(streams, &outcome)
}

fn execute(
    cli: &Cli,
    arguments: &[OsString],
    streams: &mut Streams<'_>,
    job: Option<Arc<Job>>,
) -> ExitCode {
    let mut context = Context {
        global: &cli.global,
        arguments,
        streams,
        job,
    };
    let outcome = command::dispatch(&mut context, cli.command.as_ref())
        .and_then(|()| Ok(context.streams.out.flush()?));
    let job = context.job.take();
    let code = ended(streams, &outcome);
    if let Some(job) = job {
        command::jobs::end(&job, &outcome, code);
    }
    code
}

/// Says why a command did not end well, and returns the code to end with.
fn ended(streams: &mut Streams<'_>, outcome: &Result<(), Stop>) -> ExitCode {
    match outcome {
        Ok(()) | Err(Stop::ClosedPipe) => ExitCode::Ok,
        Err(Stop::Nothing) => ExitCode::Problems,
        Err(Stop::Signal(signal)) => ExitCode::of_signal(*signal),
        Err(Stop::Failure(failure)) => {
            // With stderr gone there is nobody left to tell; the code still says it.
            let _closed = streams.err.write_all(failure.lines().as_bytes());
            failure.code
        }
    }
}

/// Prints help and usage errors where they belong.
fn answer(error: &clap::Error, streams: &mut Streams<'_>) -> ExitCode {
    let text = error.render().to_string();
    let is_asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let stream: &mut (dyn Write + Send) = if is_asked_for {
        streams.out
    } else {
        streams.err
    };
    // Help into a closed pipe (`--help | head`) is no failure.
    let _closed = stream.write_all(text.as_bytes());
    if is_asked_for {
        ExitCode::Ok
    } else {
        ExitCode::Usage
    }
}
