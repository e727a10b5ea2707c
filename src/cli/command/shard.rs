//! Mining that takes a process for each repository: `mine --shard`, `mine --fetch`, and what these processes do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::ValueEnum;

use crate::args;
use crate::command::mining::{in_pool, options};
use crate::command::repo_filter::left_out_on_disk;
use crate::command::{jobs, trust, workspace};
use crate::exchange;
use crate::exchange::repo_list::parse_line;
use crate::exchange::shards::{WireMinedPart, WireShard, WireWorked};
use crate::failure::{ExitCode, Failure, Stop};
use crate::mine::sources::ListedRepo;
use crate::mine::{self, MiningReport, Target};
use crate::model::{JobKind, Language, counted};
use crate::scale::{self, ListOptions, MiningWork, ShardError, ShardOptions, mine_list, run_shard};
use crate::store::{Store, StoreAccess};
use crate::table::visible;
use crate::{Context, progress};

/// Skipped repositories that are named; the others are only counted.
const N_SKIPPED_SHOWN: usize = 5;

/// Mines a shard, or a list that is fetched; nothing where neither is asked for.
pub fn run(context: &mut Context<'_, '_>, arguments: &args::Mine) -> Option<Result<(), Stop>> {
    let sharded = &arguments.sharded;
    match (&sharded.shard, &sharded.output, &arguments.list) {
        (Some(path), Some(output), _) => Some(mine(context, arguments, path, output)),
        (None, _, Some(list)) if sharded.fetch.is_some() => Some(fetch(context, arguments, list)),
        _ => None,
    }
}

/// Mines a shard into a folder of its own.
fn mine(
    context: &mut Context<'_, '_>,
    arguments: &args::Mine,
    shard: &Path,
    output: &Path,
) -> Result<(), Stop> {
    if arguments.mining.force && output.join("shard.json").is_file() {
        fs::remove_dir_all(output)?;
    }
    let shard_options = ShardOptions {
        shard: shard.to_owned(),
        output: output.to_owned(),
        work: work_of(arguments)?,
        trusts: trust::trusts_fetch,
    };
    let done = progress::run(context, |_, monitor| {
        run_shard(monitor, &shard_options).map_err(|error| stop(error, shard, output))
    })?;
    if done.was_done {
        context.say(&format!("{} is done already", done.report.shard));
        return Ok(());
    }
    tell(context, &done.report)
}

/// Mines a list into the workspace, fetching each repository when its turn comes.
fn fetch(context: &mut Context<'_, '_>, arguments: &args::Mine, list: &Path) -> Result<(), Stop> {
    let list_options = ListOptions {
        list: list.to_owned(),
        workspace: workspace::folder(context),
        work: work_of(arguments)?,
    };
    let report = progress::run_job(
        context,
        JobKind::Mine,
        StoreAccess::Create,
        |context, monitor| {
            if let Some(job) = &context.job {
                job.begin();
            }
            let folder = &list_options.workspace;
            mine_list(monitor, &list_options).map_err(|error| stop(error, list, folder))
        },
    )?;
    tell(context, &report)
}

fn work_of(arguments: &args::Mine) -> Result<MiningWork, Stop> {
    let program = env::current_exe().map_err(|error| {
        let message = format!("cannot find this program: {error}");
        Failure::new(ExitCode::Outside, message)
    })?;
    let mining = options(&arguments.mining);
    let versions = Language::ALL.iter().map(|language| {
        let (code, options) = (mine::code_version(*language), mining.fingerprint(*language));
        format!("{} {code} {options}\n", language.as_str())
    });
    Ok(MiningWork {
        program,
        arguments: mining_arguments(&arguments.mining),
        fetch: arguments.sharded.fetch.clone(),
        filter: arguments.mining.repo_filter,
        timeout: Some(arguments.sharded.repo_timeout),
        memory_bytes: arguments.sharded.repo_memory,
        n_tries: arguments.sharded.repo_tries,
        seed: mining.seed,
        n_threads: arguments.mining.jobs,
        version: versions.collect(),
    })
}

/// Writes the words that mean these options; threads and seed are passed in another way.
fn mining_arguments(mining: &args::Mining) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut option = |name: &str, value: OsString| {
        words.push(name.into());
        words.push(value);
    };
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map_or_else(String::new, |possible_value| {
            possible_value.get_name().to_owned()
        })
    };
    let matchers = mining
        .matcher
        .iter()
        .map(|matcher_name| name(matcher_name.to_possible_value()));
    let matchers: Vec<String> = matchers.collect();
    option("--matcher", matchers.join(",").into());
    option("--language", mining.language.as_str().into());
    option("--tests", name(mining.tests.to_possible_value()).into());
    option(
        "--max-context-tokens",
        mining.max_context_tokens.to_string().into(),
    );
    if let Some(below) = mining.abstain_below {
        option("--abstain-below", below.to_string().into());
    }
    if let Some(filter) = mining.repo_filter {
        option("--repo-filter", filter.as_str().into());
    }
    for path in &mining.class_path.classpath {
        option("--classpath", path.clone());
    }
    for (is_set, name) in [
        (mining.context_constructors, "--context-constructors"),
        (mining.traces, "--traces"),
    ] {
        if is_set {
            words.push(name.into());
        }
    }
    words
}

fn tell(context: &mut Context<'_, '_>, report: &WireShard) -> Result<(), Stop> {
    let skipped = report
        .repositories
        .iter()
        .filter(|repository| repository.skipped.is_some());
    for repo in skipped.clone().take(N_SKIPPED_SHOWN) {
        context.say(&format!(
            "warning: {}:{}: `{}` was skipped: {}: {}",
            report.shard,
            repo.line,
            repo.repository,
            repo.skipped.as_deref().unwrap_or_default(),
            repo.detail.as_deref().unwrap_or_default(),
        ));
    }
    let n_skipped = skipped.count();
    if n_skipped > N_SKIPPED_SHOWN {
        let n_more = n_skipped - N_SKIPPED_SHOWN;
        context.say(&format!("warning: … and {n_more} more"));
    }
    context.say(&format!(
        "{}: {} mined, {n_skipped} skipped; {}, {} with an assertion part",
        report.shard,
        counted(report.n_mined, "repository"),
        counted(report.n_tests, "test"),
        report.n_samples
    ));
    let is_wanted = |reason: &&String| *reason != "filter";
    let n_problems = report
        .repositories
        .iter()
        .filter_map(|repository| repository.skipped.as_ref())
        .filter(is_wanted)
        .count();
    context.end(n_problems)
}

/// Makes the failure of a shard that could not be done; its code says whether to try again.
pub fn stop(error: ShardError, list: &Path, output: &Path) -> Stop {
    let message = error.to_string();
    if error.is_passing() {
        let hint = match &error {
            ShardError::InUse { .. } => "wait for it, or stop it",
            _ => "finished work is kept: run the same command again",
        };
        let failure = Failure::new(ExitCode::TryAgain, message);
        return failure.with_hint(hint).into();
    }
    match error {
        ShardError::Store(error) => error.into(),
        ShardError::Cancelled(cancelled) => cancelled.into(),
        ShardError::Read { .. } => Failure::new(ExitCode::Input, message).into(),
        ShardError::NotOfVerb { .. } => Failure::new(ExitCode::Usage, message)
            .with_hint("`plan --run` makes shards for `eval` and `execute`, with `--prompts` for `generate`")
            .into(),
        ShardError::Other { .. } => Failure::new(ExitCode::Usage, message)
            .with_hint(format!(
                "`--force` mines `{}` into `{}` anew",
                list.display(),
                output.display()
            ))
            .into(),
        ShardError::Untrusted { plan, fetch } => Failure::new(ExitCode::Usage, visible(&message))
            .with_hint(visible(&format!(
                "`focalist trust {}` trusts it; `--fetch '{fetch}'` does the same once",
                plan.display()
            )))
            .into(),
        ShardError::Fetch(_) => {
            let message = format!("`--fetch`: {message}");
            Failure::new(ExitCode::Usage, message).into()
        }
        _ => Failure::new(ExitCode::Outside, message).into(),
    }
}

/// Mines one repository and prints its state in the index; the caller settles.
pub fn work(context: &mut Context<'_, '_>, arguments: &args::ShardWorkerArgs) -> Result<(), Stop> {
    scale::end_with_parent();
    let line = parse_line(&arguments.line)
        .map_err(|why| Failure::new(ExitCode::Usage, format!("`--line`: {why}")))?;
    let root = PathBuf::from(line.path.clone().unwrap_or_default());
    let options = options(&arguments.mining);
    let worked = progress::run(context, |context, monitor| {
        if let Some(filter) = arguments.mining.repo_filter
            && let Some((step, detail)) = left_out_on_disk(filter, &root, &line, monitor)?
        {
            return Ok(WireWorked {
                skipped: Some("filter".to_owned()),
                detail: Some(format!("{step}: {detail}")),
                ..WireWorked::default()
            });
        }
        let mut store = if arguments.scratch {
            Store::open_scratch(&workspace::folder(context))?
        } else {
            workspace::create(context)?
        };
        let target = Target {
            root: root.clone(),
            name: None,
            listed: Some(ListedRepo::at(root, line)),
        };
        let report = in_pool(jobs::n_threads(context, arguments.mining.jobs), || {
            let targets = std::slice::from_ref(&target);
            Ok(mine::mine_unsettled(
                &mut store, monitor, &options, targets,
            )?)
        })?;
        Ok(worked(report))
    })?;
    exchange::write_json(context.streams.out, &worked)?;
    Ok(())
}

fn worked(report: MiningReport) -> WireWorked {
    let part = |repo: &mine::RepoReport| WireMinedPart {
        project: repo.identity.clone(),
        language: repo.language.as_str().to_owned(),
        n_files: repo.n_files,
        n_tests: repo.n_tests,
        n_mapped: repo.n_mapped,
        n_samples: repo.n_samples,
        n_problems: repo.problems.len() as u64,
    };
    let unreadable = report.unreadable.into_iter().next().map(|pair| pair.1);
    let is_skipped = report.repos.is_empty();
    WireWorked {
        mined: report.repos.iter().map(part).collect(),
        skipped: is_skipped.then(|| "unreadable".to_owned()),
        detail: unreadable.filter(|_| is_skipped),
    }
}
