//! The Python that says what parses, where `--parse ast` asks for one.

use std::env;

use crate::Context;
use crate::args;
use crate::command::site;
use crate::eval::ast::{Ast, decided_by};
use crate::eval::{self, EvalError};
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::scorer::SyntaxError;
use crate::model::{ParseMode, RunRow};
use crate::runner::RunnerError;
use crate::runner::python::{AstError, AstParser, Surroundings};
use crate::store::Store;
use crate::task::Monitor;

/// Starts it in the sandbox; it ends when nobody has it any more.
pub fn start(monitor: &Monitor) -> Result<Ast, Stop> {
    let site = site::open(args::SandboxArgs {
        offline: true,
        sandbox: args::SandboxName::Auto,
    })?;
    let surroundings = Surroundings {
        path: env::var_os("PATH").unwrap_or_default(),
        home: env::home_dir(),
        environment: Vec::new(),
    };
    let mut parser = AstParser::start(site, &surroundings, monitor)?;
    let version = parser.version().to_owned();
    Ok(Ast::new(version, move |text, monitor| {
        match parser.parse(text, monitor) {
            Ok(found) => Ok(found.map(syntax_error)),
            Err(RunnerError::Cancelled(cancelled)) => Err(EvalError::Cancelled(cancelled)),
            Err(error) => Err(EvalError::Ast {
                said: error.to_string(),
            }),
        }
    }))
}

fn syntax_error(error: AstError) -> SyntaxError {
    SyntaxError {
        line: error.line,
        column: error.column,
        detail: error.detail,
    }
}

/// Starts it for `score`, where it is asked for.
pub fn for_pairs(arguments: &args::AnswerArgs, monitor: &Monitor) -> Result<Option<Ast>, Stop> {
    if arguments.parse != ParseMode::Ast {
        return Ok(None);
    }
    if !arguments.parse.asks_python(arguments.language) {
        let message = format!(
            "`--parse ast` is for Python, and not for {}",
            arguments.language.as_str()
        );
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--language python`")
            .into());
    }
    start(monitor).map(Some)
}

/// Starts it where one of the runs needs it.
pub fn for_runs(store: &Store, names: &[String], monitor: &Monitor) -> Result<Option<Ast>, Stop> {
    let runs = eval::evaluate::runs_named(store, names)?;
    let is_judged = |run: &RunRow| run.setting.parse_mode == ParseMode::Ast;
    if runs.iter().any(is_judged) {
        start(monitor).map(Some)
    } else {
        Ok(None)
    }
}

/// Tells for each run who decided what parses, where it was not a grammar.
pub fn parsers_of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Option<String>>, Stop> {
    let decided = runs.iter().map(|run| {
        let options = store.reading_options(run.id)?;
        Ok(options.as_deref().and_then(decided_by))
    });
    decided.collect()
}

/// Names below a table the Python that decided what parses.
pub fn tell(context: &mut Context<'_, '_>, store: &Store, runs: &[&RunRow]) -> Result<(), Stop> {
    for run in runs {
        let options = store.reading_options(run.id)?;
        if let Some(parser) = options.as_deref().and_then(decided_by) {
            context.say(&format!(
                "run {}: `ast.parse` of {parser} says what parses",
                crate::table::visible(&run.setting.name)
            ));
        }
    }
    Ok(())
}
