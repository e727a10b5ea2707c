//! The commands that write the index: `mine` and `rm`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args;
use crate::command::{hint, jobs, project_name, repo_filter, workspace};
use crate::eval::copies;
use crate::failure::{ExitCode, Failure, Stop};
use crate::mine::sources::Forks;
use crate::mine::{
    self, Lookalike, MiningOptions, MiningReport, RepoReport, Target, TestSelection, sources,
};
use crate::model::{
    JobKind, JudgedSample, Matcher, Problem, RepoKey, SampleChanges, SampleKey, counted, grouped,
};
use crate::review::Staleness;
use crate::store::{NoSuchRun, Store, StoreAccess, Verdicts};
use crate::{Context, progress};

/// Problems that are named; the others are only counted.
const N_PROBLEMS_SHOWN: usize = 5;

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Mine) -> Result<(), Stop> {
    let (targets, mut problems) = targets(context, arguments)?;
    if targets.is_empty() {
        return Err(Failure::new(ExitCode::Input, "nothing to mine")
            .with_hint("with `--each`, PATH is a folder whose sub-folders are repositories")
            .into());
    }
    let options = options(&arguments.mining);
    // The index is made inside, so that a signal from the first moment on is a request to stop.
    let (report, stale) = progress::run_job(
        context,
        JobKind::Mine,
        StoreAccess::Create,
        |context, monitor| {
            let mut store = workspace::create(context)?;
            let standing = StandingVerdicts::read(&store)?;
            let report = in_pool(jobs::n_threads(context, arguments.mining.jobs), || {
                Ok(mine::mine(&mut store, monitor, &options, &targets)?)
            })?;
            Ok((report, standing.made_stale(&store)?))
        },
    )?;
    tell(context, &report);
    tell_changes(context, &report.repos, &stale);
    tell_lookalikes(context, &report.lookalikes);
    if arguments
        .mining
        .seed
        .is_some_and(|seed| seed != report.seed)
    {
        context.say(&format!(
            "warning: the splits of this index stay with seed {}; a new workspace takes another",
            report.seed
        ));
    }
    problems.extend(report.repos.iter().flat_map(|repo| repo.problems.clone()));
    problems.extend(report.classpath_problems);
    tell_problems(context, &problems, "focalist problems");
    if report.repos.is_empty() {
        let (root, message) = report.unreadable.first().cloned().unwrap_or_default();
        let message = if message.is_empty() {
            format!("nothing could be mined from `{}`", root.display())
        } else {
            message
        };
        return Err(Failure::new(ExitCode::Input, message).into());
    }
    context.end(problems.len() + report.unreadable.len())
}

/// Runs `work` with as many threads as the user wants.
pub fn in_pool<T: Send>(
    jobs: Option<usize>,
    work: impl FnOnce() -> Result<T, Stop> + Send,
) -> Result<T, Stop> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()
        .map_err(|error| {
            Failure::new(
                ExitCode::Outside,
                format!("cannot start the threads: {error}"),
            )
        })?;
    pool.install(work)
}

pub fn matcher(name: args::MatcherName) -> Matcher {
    match name {
        args::MatcherName::Contest => Matcher::Contest,
        args::MatcherName::Evidence => Matcher::Evidence,
        args::MatcherName::Methods2test => Matcher::Methods2Test,
        args::MatcherName::Mera => Matcher::Mera,
    }
}

/// Lists the matchers that were asked for, each once.
pub fn matchers(names: &[args::MatcherName]) -> Vec<Matcher> {
    let mut matchers: Vec<Matcher> = names.iter().copied().map(matcher).collect();
    matchers.sort_unstable();
    matchers.dedup();
    matchers
}

pub fn options(arguments: &args::Mining) -> MiningOptions {
    MiningOptions {
        languages: arguments.language,
        matchers: matchers(&arguments.matcher),
        tests: match arguments.tests {
            args::TestsName::All => TestSelection::All,
            args::TestsName::Annotated => TestSelection::Annotated,
        },
        focal: mine::FocalOptions {
            context_constructors: arguments.context_constructors,
            max_context_tokens: arguments.max_context_tokens,
            abstain_below: arguments.abstain_below,
        },
        seed: arguments.seed.unwrap_or_default(),
        classpath: class_path(&arguments.class_path),
        traces: arguments.traces,
        force: arguments.force,
    }
}

/// Lists the jars and folders of every `--classpath`, in order.
pub fn class_path(arguments: &args::ClassPath) -> Vec<PathBuf> {
    let paths = arguments.classpath.iter().flat_map(std::env::split_paths);
    // Two separators in a row name nothing.
    paths.filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Reads the targets that the arguments name, in order, and the problems of the list.
fn targets(
    context: &mut Context<'_, '_>,
    arguments: &args::Mine,
) -> Result<(Vec<Target>, Vec<Problem>), Stop> {
    let mut targets = Vec::new();
    let mut problems = Vec::new();
    for path in &arguments.paths {
        if arguments.each {
            let found = sources::repositories_in(path).map_err(mine::Error::from)?;
            targets.extend(found.into_iter().map(|root| at(root, None)));
        } else {
            targets.push(at(path.clone(), arguments.name.clone()));
        }
    }
    if let Some(list) = &arguments.list {
        let forks = match arguments.mining.repo_filter {
            Some(_) => Forks::All,
            None => Forks::Starred,
        };
        let (listed, list_problems) = sources::read_list(list, forks).map_err(mine::Error::from)?;
        problems.extend(list_problems);
        targets.extend(listed.into_iter().map(|listed_repo| Target {
            root: listed_repo.path.clone(),
            name: None,
            listed: Some(listed_repo),
        }));
    }
    if arguments.name.is_some() && targets.len() > 1 {
        return Err(Failure::new(
            ExitCode::Usage,
            "`--name` names one repository, not several",
        )
        .with_hint("use `--list` with a `name` per line")
        .into());
    }
    if let Some(filter) = arguments.mining.repo_filter {
        targets = repo_filter::filtered(context, filter, targets);
    }
    Ok((targets, problems))
}

fn at(root: PathBuf, name: Option<String>) -> Target {
    Target {
        root,
        name,
        ..Target::default()
    }
}

fn tell(context: &mut Context<'_, '_>, report: &MiningReport) {
    // Where nothing could be read, the first of them is the error.
    let n_errors = usize::from(report.repos.is_empty());
    for (_, message) in report.unreadable.iter().skip(n_errors) {
        context.say(&format!("warning: {message}"));
    }
    for repo in &report.repos {
        context.say(&line(repo));
    }
    if let Some(job) = &context.job
        && report.repos.len() > 1
    {
        job.note(&summary(&report.repos));
    }
}

/// Names new repositories that may be known ones under another name, and says how to keep the known samples.
fn tell_lookalikes(context: &mut Context<'_, '_>, lookalikes: &[Lookalike]) {
    for lookalike in lookalikes {
        let root = lookalike.root.to_string_lossy();
        context.say(&format!(
            "hint: `{}` has most of the files of `{}`, whose folder `{}` is gone; if they are the same repository, \
             {} and then {} keep its samples with all judgements of them",
            lookalike.identity,
            lookalike.before,
            lookalike.root_before.display(),
            hint::command(&["rm", &lookalike.identity]),
            hint::command(&["mine", &root, "--name", &lookalike.before])
        ));
    }
}

/// Says what became of the samples of repositories that were in the index before. `stale` has the number of verdicts
/// that became stale.
fn tell_changes(
    context: &mut Context<'_, '_>,
    repos: &[RepoReport],
    stale: &BTreeMap<RepoKey, u64>,
) {
    let mut sum = None::<SampleChanges>;
    let mut n_again = 0;
    for repo in repos {
        let Some(changes) = repo.changes else {
            continue;
        };
        let key = RepoKey {
            identity: repo.identity.clone(),
            language: repo.language,
        };
        let changes = SampleChanges {
            n_stale: stale.get(&key).copied().unwrap_or_default(),
            ..changes
        };
        context.say(&format!("{}: {changes}", repo.name));
        sum.get_or_insert_default().merge(&changes);
        n_again += 1;
    }
    let Some(sum) = sum else {
        return;
    };
    if sum.n_stale > 0 {
        context.say(
            "hint: `focalist review --queue stale` compares the judged code with the current code",
        );
    }
    if let Some(job) = &context.job {
        job.note_changes(&sum);
        if repos.len() > 1 {
            job.note(&format!("{}; {n_again} mined again: {sum}", summary(repos)));
        }
    }
}

/// The verdicts that are not stale.
struct StandingVerdicts {
    /// With the sample's repository.
    judged: Vec<(JudgedSample, RepoKey)>,
}

impl StandingVerdicts {
    fn read(store: &Store) -> Result<Self, Stop> {
        let folder = store.path().parent().unwrap_or(Path::new("."));
        let verdicts = Verdicts::open_or_empty(folder)?.all()?;
        let keys: Vec<SampleKey> = verdicts.iter().map(|verdict| verdict.judged.key).collect();
        let states = store.states(&keys)?;
        let standing = verdicts.into_iter().zip(states);
        let standing = standing.filter_map(|(verdict, state)| {
            let state = state?;
            let is_stale = Staleness::of(&verdict.judged, Some(&state)).is_some();
            (!is_stale).then_some((verdict.judged, state.repo))
        });
        Ok(Self {
            judged: standing.collect(),
        })
    }

    /// Counts those that are no longer about their samples, by repository.
    fn made_stale(&self, store: &Store) -> Result<BTreeMap<RepoKey, u64>, Stop> {
        let keys: Vec<SampleKey> = self
            .judged
            .iter()
            .map(|(judged_sample, _)| judged_sample.key)
            .collect();
        let states = store.states(&keys)?;
        let mut stale = BTreeMap::new();
        for ((judged, repo), state) in self.judged.iter().zip(states) {
            if Staleness::of(judged, state.as_ref()).is_some() {
                *stale.entry(repo.clone()).or_default() += 1;
            }
        }
        Ok(stale)
    }
}

fn summary(repos: &[RepoReport]) -> String {
    let sum = |of: fn(&RepoReport) -> u64| repos.iter().map(of).sum::<u64>();
    let unchanged = match repos.iter().filter(|repo| repo.is_unchanged).count() {
        0 => String::new(),
        n_unchanged => format!(", {n_unchanged} unchanged"),
    };
    format!(
        "{}{unchanged}: {}, {} mapped, {} with an assertion part",
        counted(repos.len() as u64, "repository"),
        counted(sum(|repo_report| repo_report.n_tests), "test"),
        grouped(sum(|repo_report| repo_report.n_mapped)),
        grouped(sum(|repo_report| repo_report.n_samples))
    )
}

fn line(repo: &RepoReport) -> String {
    if repo.is_unchanged {
        return format!("{}: unchanged", repo.name);
    }
    let problems = if repo.problems.is_empty() {
        String::new()
    } else {
        format!(", {}", counted(repo.problems.len() as u64, "problem"))
    };
    format!(
        "{}: {}, {}, {} mapped, {} with an assertion part{problems}",
        repo.name,
        counted(repo.n_files, "file"),
        counted(repo.n_tests, "test"),
        grouped(repo.n_mapped),
        grouped(repo.n_samples)
    )
}

/// Names the first problems and counts the rest.
pub fn tell_problems(context: &mut Context<'_, '_>, problems: &[Problem], lists_them: &str) {
    for problem in problems.iter().take(N_PROBLEMS_SHOWN) {
        context.say(&format!("warning: {}", describe(problem)));
    }
    if problems.len() > N_PROBLEMS_SHOWN {
        let n_more = problems.len() - N_PROBLEMS_SHOWN;
        context.say(&format!(
            "warning: … and {n_more} more; `{lists_them}` lists them"
        ));
    }
}

/// Writes a problem as `path:line: reason: detail`.
pub fn describe(problem: &Problem) -> String {
    let line = problem
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    let detail = if problem.detail.is_empty() {
        String::new()
    } else {
        format!(": {}", problem.detail)
    };
    format!(
        "{}{line}: {}{detail}",
        problem.path,
        problem.reason.as_str()
    )
}

pub fn remove(context: &mut Context<'_, '_>, arguments: &args::Rm) -> Result<(), Stop> {
    let mut store = workspace::open_for_writing(context)?;
    if let Some(run) = &arguments.run {
        let is_removed = progress::run(context, |_, monitor| Ok(store.remove_run(run, monitor)?))?;
        if !is_removed {
            return Err(NoSuchRun::among(&store.runs()?, run).into());
        }
        copies::forget(&store, run)?;
        context.say(&format!("removed run {run}"));
        return Ok(());
    }
    let asked_name = arguments.repo.as_deref().unwrap_or_default();
    let identity = project_name::identity(&store.repos()?, asked_name)?;
    let name = identity.as_deref().unwrap_or(asked_name);
    let removed = progress::run(context, |_, monitor| {
        Ok(store.remove_repo(name, arguments.language, monitor)?)
    })?;
    let language = arguments
        .language
        .map_or_else(String::new, |language| format!(" in {}", language.as_str()));
    let Some(identity) = removed else {
        let message = format!("no repository `{name}`{language} in the index");
        return Err(Failure::new(ExitCode::Input, message)
            .with_hint("`focalist repos` lists them")
            .into());
    };
    context.say(&format!("removed {identity}{language}"));
    Ok(())
}

/// Lists the targets of the demo: every folder below `repos`.
pub fn demo_targets(repos: &Path) -> Result<Vec<Target>, Stop> {
    let found = sources::repositories_in(repos).map_err(mine::Error::from)?;
    Ok(found.into_iter().map(|root| at(root, None)).collect())
}
