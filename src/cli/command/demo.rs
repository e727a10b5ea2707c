//! The commands that open the terminal UI: `demo`, and no command at all.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::args::{self, TableName};
use crate::browse;
use crate::command::{config, inspect, jobs, mining, review, runs, scoring, workspace};
use crate::config::Session;
use crate::eval::crystal::CrystalOptions;
use crate::eval::evaluate::{EvalOptions, evaluate, runs_named};
use crate::eval::import::{ImportOptions, PredictionFormat, import};
use crate::exchange::pairs::FieldNames;
use crate::exchange::records::RecordLayout;
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::{self, Profile, codebleu::WEIGHTS};
use crate::mine::{self, MiningOptions};
use crate::model::{
    CoverScope, Extraction, Filter, Join, Language, Matcher, ParseMode, RunSetting, Target,
};
use crate::review::ReviewOptions;
use crate::store::{Store, StoreAccess};
use crate::task::Monitor;
use crate::{Context, UiOpening, print, progress};

static SAMPLE_DATA: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../sample-data");

/// Marks a folder as ours to replace.
const MARKER: &str = ".focalist-demo";

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Demo) -> Result<(), Stop> {
    let folder = build(context)?;
    if arguments.no_tui {
        let store = Store::open(&folder, StoreAccess::Read)?;
        let funnel = browse::funnel(&store, &Filter::default())?;
        let repos = browse::repos(&store)?;
        let format = TableName::Table;
        let out = &mut context.streams.out;
        writeln!(out, "demo workspace: {}", folder.display())?;
        inspect::repos_table(&repos).write(*out)?;
        print::tables(*out, format, inspect::funnel_tables(&funnel))?;
        let rows = runs_named(&store, &[])?;
        let metrics = runs::of_profile(Profile::Default);
        let rows = runs::RunTableRows {
            runs: &rows,
            executed: &vec![None; rows.len()],
            parsed: &vec![Vec::new(); rows.len()],
            languages: &vec![Vec::new(); rows.len()],
            parsers: &[],
            spent: &[],
            scope: CoverScope::All,
        };
        let shown = runs::RunTableLayout::of_metrics(metrics, format);
        return runs::write(context, rows, &shown, format);
    }
    open_at(context, folder, None)
}

/// The request that opens the terminal UI.
pub enum UiRequest {
    /// The screen that it opens on.
    View(Session),
    /// The list of samples to choose from.
    Pick(Session),
}

/// Opens the terminal UI on the workspace as requested; returns the picked keys.
pub fn open_asked(context: &mut Context<'_, '_>, request: UiRequest) -> Result<Vec<String>, Stop> {
    let folder = workspace::folder(context);
    let opening = opening(context, folder, None);
    let (at, is_picking) = match request {
        UiRequest::View(at) => (at, false),
        UiRequest::Pick(at) => (at, true),
    };
    open_with(
        context,
        UiOpening {
            at: Some(at),
            is_picking,
            ..opening
        },
    )
}

/// Opens the terminal UI on the workspace; an empty one offers `demo` and `mine`.
pub fn open(context: &mut Context<'_, '_>) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    open_at(context, folder, None)
}

/// Opens the terminal UI on a workspace, perhaps on a queue.
pub fn open_at(
    context: &mut Context<'_, '_>,
    folder: PathBuf,
    review: Option<ReviewOptions>,
) -> Result<(), Stop> {
    let opening = opening(context, folder, review);
    open_with(context, opening).map(drop)
}

fn opening(context: &Context<'_, '_>, folder: PathBuf, review: Option<ReviewOptions>) -> UiOpening {
    let config = config::load_in(context, &folder);
    UiOpening {
        workspace: folder,
        theme: context.global.theme.clone(),
        mouse: context.global.mouse,
        is_reviewing: review.is_some(),
        reviewing: review.unwrap_or_else(|| review::reviewing(&config)),
        config,
        global: global_options(context),
        at: None,
        is_picking: false,
    }
}

/// Lists the options that a command needs to reach the named workspace.
fn global_options(context: &Context<'_, '_>) -> Vec<String> {
    let named = context.global.workspace.as_ref();
    let named = named.map(|path| path.to_string_lossy().into_owned());
    named
        .into_iter()
        .flat_map(|path| ["--workspace".to_owned(), path])
        .collect()
}

/// Opens the terminal UI; returns the picked keys.
fn open_with(context: &mut Context<'_, '_>, opening: UiOpening) -> Result<Vec<String>, Stop> {
    let term = env::var_os("TERM");
    // While the user picks, standard output is for the picked keys, and the UI is drawn on the terminal itself.
    let has_terminal = opening.is_picking || context.streams.out_is_terminal;
    if let Some(failure) = unfit(has_terminal, term.as_deref()) {
        return Err(failure.into());
    }
    let workspace = opening.workspace.clone();
    let is_picking = opening.is_picking;
    let closed = (context.streams.open_ui)(opening).map_err(|message| {
        if is_picking {
            Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist samples FILTER` prints keys")
        } else {
            Failure::new(ExitCode::Outside, message)
        }
    })?;
    jobs::tell_alive(context, &workspace);
    match closed.signal {
        Some(signal) => Err(Stop::Signal(signal)),
        None => Ok(closed.picked),
    }
}

/// Tells why the terminal UI cannot be drawn; nothing where it can.
fn unfit(is_terminal: bool, term: Option<&OsStr>) -> Option<Failure> {
    if !is_terminal {
        return Some(
            Failure::new(ExitCode::Usage, "the terminal UI needs a terminal").with_hint(
                "`focalist stats`, `focalist samples` and `focalist demo --no-tui` print",
            ),
        );
    }
    (term == Some(OsStr::new("dumb"))).then(|| {
        let message = "the terminal UI needs a terminal that moves its cursor, and `TERM` is `dumb`";
        Failure::new(ExitCode::Usage, message).with_hint(
            "`focalist review --plain` judges line by line; `focalist stats` and `focalist samples` print",
        )
    })
}

/// Unpacks the sample data, mines it into a fresh workspace and returns the workspace's folder.
fn build(context: &mut Context<'_, '_>) -> Result<PathBuf, Stop> {
    let place = match &context.global.workspace {
        Some(named) => {
            let folder = workspace::inside(named);
            folder.parent().unwrap_or(&folder).to_path_buf()
        }
        None => own_place()?,
    };
    let folder = place.join(".focalist");
    let sources = folder.join("demo");
    unpack(&folder, &sources).map_err(|error| {
        Failure::new(
            ExitCode::Input,
            format!(
                "cannot write the sample data to `{}`: {error}",
                place.display()
            ),
        )
    })?;
    let mut targets = mining::demo_targets(&sources.join("repos"))?;
    targets.extend(mining::demo_targets(&sources.join("languages"))?);
    let mut store = Store::open(&folder, StoreAccess::Create)?;
    let options = MiningOptions {
        force: true,
        matchers: Matcher::ALL.to_vec(),
        ..MiningOptions::default()
    };
    progress::run(context, |_, monitor| {
        mining::in_pool(None, || {
            mine::mine(&mut store, monitor, &options, &targets)?;
            add_runs(&mut store, monitor, &sources.join("predictions"))
        })
    })?;
    Ok(folder)
}

/// Imports the answers of the two bundled models, to tests in Java and in Python, and scores them.
fn add_runs(store: &mut Store, monitor: &Monitor, folder: &Path) -> Result<(), Stop> {
    for name in ["steady", "hasty"] {
        let mut files = Vec::new();
        for file in [name.to_owned(), format!("{name}-python")] {
            let path = folder.join(&file).with_extension("jsonl");
            let input: Box<dyn BufRead> = Box::new(BufReader::new(fs::File::open(path)?));
            files.push((file, input));
        }
        let options = ImportOptions {
            setting: RunSetting {
                name: name.to_owned(),
                model: Some(name.to_owned()),
                target: Target::Assertion,
                // They were written for the samples of the paper's rule.
                matcher: Matcher::Contest,
                language: Language::Java,
                extraction: Extraction::None,
                parse_mode: ParseMode::Strict,
                length_max: None,
                source: folder.display().to_string(),
                imported_at: scoring::now(),
            },
            form: PredictionFormat::Records {
                layout: RecordLayout::Json,
                names: FieldNames::of_predictions(),
            },
            ids: None,
            join: Join::default(),
            aligned_with: None,
            is_encoded: false,
            is_replacing: true,
            is_strict: false,
        };
        import(store, monitor, &options, &mut files)?;
    }
    let options = EvalOptions {
        runs: Vec::new(),
        metrics: metric::metrics_of(["default"]).unwrap_or_default(),
        weights: WEIGHTS,
        crystal: CrystalOptions::default(),
        ast: None,
        force: false,
    };
    evaluate(store, monitor, &options)?;
    Ok(())
}

/// The demo's own workspace in the user's data directory.
fn own_place() -> Result<PathBuf, Stop> {
    let folders = directories::ProjectDirs::from("", "", "focalist").ok_or_else(|| {
        Failure::new(ExitCode::Input, "no home directory to put the demo into")
            .with_hint("`focalist demo --workspace DIR` chooses the place")
    })?;
    Ok(folders.data_dir().join("demo"))
}

/// Replaces a workspace that an earlier demo made; never one with the user's own work.
fn unpack(folder: &Path, sources: &Path) -> std::io::Result<()> {
    let marker = folder.join(MARKER);
    if folder.exists() && !marker.exists() {
        return Err(std::io::Error::other(
            "there is already a workspace that the demo did not make",
        ));
    }
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    if sources.exists() {
        fs::remove_dir_all(sources)?;
    }
    fs::create_dir_all(sources)?;
    fs::write(
        &marker,
        "made by `focalist demo`, replaced by the next one\n",
    )?;
    SAMPLE_DATA.extract(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_cannot_be_drawn_on_is_told_what_else_there_is() {
        let check = |is_terminal, term: Option<&str>, expected: Option<&str>| {
            let failure = unfit(is_terminal, term.map(OsStr::new));
            let hint = failure.and_then(|failure| failure.hint).unwrap_or_default();
            assert_eq!(!hint.is_empty(), expected.is_some(), "{term:?}");
            assert!(hint.contains(expected.unwrap_or_default()), "{hint}");
        };
        check(true, Some("xterm-256color"), None);
        check(true, None, None);
        check(true, Some("dumb"), Some("focalist review --plain"));
        check(false, Some("xterm"), Some("focalist demo --no-tui"));
    }
}
