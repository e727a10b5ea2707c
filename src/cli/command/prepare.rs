//! The command `prepare`: projects are built, so that tests can be run in them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::args;
use crate::command::{hint, project_name, site, workspace};
use crate::exchange::{self, WireEnvironment, WirePrepared, WireUnbuilt};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{EngineName, JobKind, Language, counted};
use crate::runner::java::{self, PreparedBuild};
use crate::runner::{RunnerError, Site};
use crate::store::{Store, StoreAccess};
use crate::table::{Align, TextTable, visible};
use crate::task::{Monitor, Phase};
use crate::{Context, progress};

mod python;
mod yields;

use yields::UntriedProject;

/// A project to be prepared.
struct PreparationTarget {
    name: String,
    root: PathBuf,
    language: Language,
    /// Where its sources can be had, and at which commit.
    url: Option<String>,
    commit: Option<String>,
}

/// A project after its preparation.
enum PreparedProject {
    Java(WirePrepared),
    Python(WireEnvironment),
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Prepare) -> Result<(), Stop> {
    let (targets, mut untried) = targets(context, arguments)?;
    let site = site::open(arguments.site)?;
    let access = StoreAccess::Read;
    let rows = progress::run_job(context, JobKind::Prepare, access, |context, monitor| {
        monitor.enter(Phase::Preparing);
        monitor
            .n_repos_total
            .store(targets.len() as u64, Ordering::Relaxed);
        let mut rows = Vec::new();
        for target in &targets {
            let row = match target.language {
                Language::Python => python::prepare(context, &site, target, arguments, monitor)
                    .map(PreparedProject::Python),
                Language::Java | Language::Go | Language::JavaScript | Language::CSharp => {
                    prepare(&site, target, arguments, monitor).map(PreparedProject::Java)
                }
            };
            match row {
                Ok(row) => {
                    match &row {
                        PreparedProject::Java(row) => tell(context, row),
                        PreparedProject::Python(row) => python::tell(context, row),
                    }
                    rows.push(row);
                }
                // Another project may have what this one lacks.
                Err(
                    error @ (RunnerError::NoProject { .. }
                    | RunnerError::Outside { .. }
                    | RunnerError::Unsupported { .. }
                    | RunnerError::TooOld { .. }
                    | RunnerError::Unavailable { .. }),
                ) if targets.len() > 1 || arguments.shows_yield => {
                    context.say(&format!("warning: {}: {error}", target.name));
                    untried.push(UntriedProject {
                        project: target.name.clone(),
                        why: error.to_string(),
                    });
                }
                Err(error) => return Err(error.into()),
            }
            monitor.n_repos.fetch_add(1, Ordering::Relaxed);
        }
        Ok(rows)
    })?;
    if arguments.shows_yield {
        let lines = yields::lines(&rows, &untried);
        yields::print(context, &lines, arguments.json)?;
        return context.end(lines.iter().filter(|line| !line.prepared).count());
    }
    if arguments.json {
        for row in &rows {
            match row {
                PreparedProject::Java(row) => exchange::write_line(context.streams.out, row)?,
                PreparedProject::Python(row) => exchange::write_line(context.streams.out, row)?,
            }
        }
    } else {
        write(context.streams.out, &rows)?;
    }
    let n_unbuilt: usize = rows.iter().map(PreparedProject::n_unbuilt).sum();
    if !rows.iter().any(PreparedProject::is_any) {
        let failure = Failure::new(ExitCode::Problems, "no project could be prepared");
        return Err(match rows.first() {
            Some(PreparedProject::Java(row)) => failure.with_hint(if arguments.site.offline {
                "without `--offline`, missing packages are downloaded".to_owned()
            } else {
                format!("`{}` has the output of the build", row.log)
            }),
            Some(PreparedProject::Python(row)) => failure.with_hint(python::hint(row)),
            None => failure,
        }
        .into());
    }
    context.end(n_unbuilt + untried.len())
}

impl PreparedProject {
    /// Tells whether anything of it can be run.
    fn is_any(&self) -> bool {
        match self {
            Self::Java(row) => !row.modules.is_empty(),
            Self::Python(row) => row.is_accepted,
        }
    }

    const fn java(&self) -> Option<&WirePrepared> {
        match self {
            Self::Java(row) => Some(row),
            Self::Python(_) => None,
        }
    }

    const fn python(&self) -> Option<&WireEnvironment> {
        match self {
            Self::Java(_) => None,
            Self::Python(row) => Some(row),
        }
    }

    fn n_unbuilt(&self) -> usize {
        match self {
            Self::Java(row) => row.unbuilt.len(),
            Self::Python(row) => usize::from(!row.is_accepted),
        }
    }
}

/// Prepares a project as its language does it.
fn prepare(
    site: &Site,
    target: &PreparationTarget,
    arguments: &args::Prepare,
    monitor: &Monitor,
) -> Result<WirePrepared, RunnerError> {
    match target.language {
        Language::Java => {
            let options = java::PrepareOptions {
                root: target.root.clone(),
                java_homes: arguments.java.java.clone(),
                maven: arguments.java.maven.clone(),
                machine: site::machine(),
                is_rebuilt: arguments.rebuild,
                has_build_network: arguments.python.build_network,
            };
            Ok(of_java(
                target,
                site,
                java::prepare(site, &options, monitor)?,
            ))
        }
        Language::Python | Language::Go | Language::JavaScript | Language::CSharp => {
            Err(RunnerError::NoProject {
                root: target.root.clone(),
                wants: "pom.xml",
            })
        }
    }
}

fn of_java(target: &PreparationTarget, site: &Site, prepared: PreparedBuild) -> WirePrepared {
    let build = prepared.build;
    let unbuilt = build.unbuilt.into_iter().map(|unbuilt_module| WireUnbuilt {
        module: unbuilt_module.folder,
        reason: unbuilt_module.reason,
    });
    WirePrepared {
        project: target.name.clone(),
        language: target.language.as_str(),
        build: build.key,
        folder: build.tree.display().to_string(),
        tools: [
            ("jdk", build.jdk.version),
            ("maven", build.maven.version),
            ("jacoco", build.jacoco_version),
        ]
        .into(),
        sandbox: site.sandbox.tool().name(),
        is_from_cache: prepared.is_from_cache,
        modules: build
            .modules
            .into_iter()
            .map(|module| module.folder)
            .collect(),
        unbuilt: unbuilt.collect(),
        notes: build.notes,
        log: prepared.log.display().to_string(),
    }
}

/// Reads the targets in the words: a folder that is there, else a repository of the index; without words all of the
/// index. A line of a list that means nothing is reported and counted.
fn targets(
    context: &mut Context<'_, '_>,
    arguments: &args::Prepare,
) -> Result<(Vec<PreparationTarget>, Vec<UntriedProject>), Stop> {
    let mut words = arguments.projects.clone();
    let n_typed = words.len();
    if let Some(list) = &arguments.list {
        words.extend(listed(list)?);
    }
    let (mut targets, mut untried) = (Vec::new(), Vec::new());
    let mut store = None;
    for (idx, word) in words.iter().enumerate() {
        let path = Path::new(word);
        if path.is_dir() {
            targets.push(at(context, path));
            continue;
        }
        let is_listed = idx >= n_typed;
        let store = match &mut store {
            Some(store) => Some(store),
            none => match workspace::open(context) {
                Ok(opened) => Some(none.insert(opened)),
                // A list of folders needs no index.
                Err(_) if is_listed => None,
                Err(stop) => return Err(stop),
            },
        };
        let name = word.to_string_lossy();
        let found = match store {
            Some(store) => in_index(store, Some(&name))?,
            None => Vec::new(),
        };
        if found.is_empty() && is_listed {
            let why = "neither a folder nor in the index".to_owned();
            context.say(&format!("warning: {}: {why}", visible(&name)));
            untried.push(UntriedProject {
                project: name.into_owned(),
                why,
            });
            continue;
        }
        if found.is_empty() {
            let message = format!("`{}` is neither a folder nor in the index", path.display());
            let failure = Failure::new(ExitCode::Input, message);
            return Err(failure
                .with_hint("`focalist repos` lists the repositories in the index")
                .into());
        }
        targets.extend(found);
    }
    if words.is_empty() {
        targets = in_index(&workspace::open(context)?, None)?;
    }
    leave_out_datasets(context, &mut targets, &mut untried);
    if targets.is_empty() && untried.is_empty() {
        let failure = Failure::new(ExitCode::Input, "nothing to prepare");
        return Err(failure
            .with_hint("`focalist prepare PATH` takes a folder")
            .into());
    }
    Ok((targets, untried))
}

/// Projects without sources that are listed one by one; the others are only counted.
const N_TOLD: usize = 5;

/// Names the commands that fetch projects without sources here, such as those of datasets. Nothing is fetched.
fn leave_out_datasets(
    context: &mut Context<'_, '_>,
    targets: &mut Vec<PreparationTarget>,
    untried: &mut Vec<UntriedProject>,
) {
    let is_elsewhere =
        |preparation_target: &mut PreparationTarget| preparation_target.root.as_os_str().is_empty();
    let elsewhere: Vec<PreparationTarget> = targets.extract_if(.., is_elsewhere).collect();
    for target in elsewhere.iter().take(N_TOLD) {
        let fetch = target.url.as_deref().map_or_else(String::new, |url| {
            let fetch = hint::fetch(url, target.commit.as_deref());
            format!(": {fetch} fetches them, and `focalist prepare FOLDER` continues")
        });
        let why = format!("its sources are not here{fetch}");
        context.say(&format!("warning: {}: {why}", visible(&target.name)));
    }
    if elsewhere.len() > N_TOLD {
        let n_more = counted((elsewhere.len() - N_TOLD) as u64, "more project");
        context.say(&format!("warning: the sources of {n_more} are not here"));
    }
    untried.extend(
        elsewhere
            .into_iter()
            .map(|preparation_target| UntriedProject {
                project: preparation_target.name,
                why: "its sources are not here".to_owned(),
            }),
    );
}

/// Reads the projects that a file lists, one a line; empty lines and those that begin with `#` are none.
fn listed(path: &Path) -> Result<Vec<OsString>, Stop> {
    let text = std::fs::read_to_string(path).map_err(Failure::unreadable(path))?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(OsString::from).collect())
}

/// Makes a target of a folder, in the language that it was mined in; where that is none or more than one, by its files.
fn at(context: &Context<'_, '_>, path: &Path) -> PreparationTarget {
    let root = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let name = root.file_name().unwrap_or_default();
    // A folder can be prepared without an index.
    let store = workspace::open(context).ok();
    let mined = store.and_then(|store| in_index(&store, None).ok());
    let mut mined = mined.unwrap_or_default();
    mined.retain(|preparation_target| is_same(&preparation_target.root, &root));
    let language = match mined.as_slice() {
        [one] => one.language,
        _ => language_of(&root),
    };
    PreparationTarget {
        name: name.to_string_lossy().into_owned(),
        language,
        root,
        url: None,
        commit: None,
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    a == b || real(a).is_some_and(|path| Some(path) == real(b))
}

/// Tells the language that a folder is built in: by its own files, the first that says it.
fn language_of(root: &Path) -> Language {
    let has = |names: &[&str]| names.iter().any(|name| root.join(name).exists());
    // A script beside a build of Gradle does not make a package of it.
    if has(&["pom.xml"]) || java::is_gradle(root) {
        return Language::Java;
    }
    let files = [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
    ];
    let is_python = |result: &io::Result<std::fs::DirEntry>| {
        result.as_ref().is_ok_and(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "py")
        })
    };
    let mut entries = ["", "tests", "test"]
        .iter()
        .filter_map(|text| root.join(text).read_dir().ok())
        .flatten();
    if has(&files) || entries.any(|entry| is_python(&entry)) {
        return Language::Python;
    }
    Language::Java
}

/// Lists the projects of the index in languages that can be prepared, all or those with a name.
fn in_index(store: &Store, name: Option<&str>) -> Result<Vec<PreparationTarget>, Stop> {
    let mut targets = Vec::new();
    let rows = store.repos()?;
    let wanted_identity = match name {
        None => None,
        Some(name) => match project_name::identity(&rows, name)? {
            None => return Ok(targets),
            identity => identity,
        },
    };
    for row in rows {
        let repo = row.repo;
        let is_it = wanted_identity
            .as_ref()
            .is_none_or(|asked| *asked == repo.identity);
        if !is_it || EngineName::usual(repo.language).is_none() {
            continue;
        }
        if let Some((root, _)) = store.mined_from(&repo.key())? {
            targets.push(PreparationTarget {
                name: repo.name,
                root,
                language: repo.language,
                url: repo.url,
                commit: repo.commit,
            });
        }
    }
    Ok(targets)
}

fn tell(context: &mut Context<'_, '_>, row: &WirePrepared) {
    for wire_unbuilt in &row.unbuilt {
        let module = if wire_unbuilt.module.is_empty() {
            "the root"
        } else {
            &wire_unbuilt.module
        };
        let reason = wire_unbuilt.reason.replace('\n', " ");
        let short: String = reason.chars().take(300).collect();
        context.say(&format!(
            "warning: {}: {module} was not built: {short}",
            row.project
        ));
    }
}

fn write(out: &mut dyn Write, rows: &[PreparedProject]) -> io::Result<()> {
    let java: Vec<&WirePrepared> = rows.iter().filter_map(PreparedProject::java).collect();
    if !java.is_empty() {
        write_java(out, &java)?;
    }
    let python: Vec<&WireEnvironment> = rows.iter().filter_map(PreparedProject::python).collect();
    if !python.is_empty() {
        python::write(out, &python)?;
    }
    Ok(())
}

fn write_java(out: &mut dyn Write, rows: &[&WirePrepared]) -> io::Result<()> {
    let mut table = TextTable::new(&[
        ("project", Align::Left),
        ("language", Align::Left),
        ("tools", Align::Left),
        ("modules", Align::Right),
        ("not built", Align::Right),
        ("", Align::Left),
    ]);
    for row in rows {
        let tools: Vec<String> = row
            .tools
            .iter()
            // A tool that is only installed for a successful build has no version otherwise.
            .filter(|tool| !tool.1.is_empty())
            .map(|tool| format!("{} {}", tool.0, tool.1))
            .collect();
        table.row([
            row.project.clone(),
            row.language.to_owned(),
            tools.join(", "),
            row.modules.len().to_string(),
            row.unbuilt.len().to_string(),
            if row.is_from_cache {
                "from the cache"
            } else {
                ""
            }
            .to_owned(),
        ]);
    }
    table.write(out)?;
    for row in rows.iter().filter(|row| !row.notes.is_empty()) {
        let n_notes = counted(row.notes.len() as u64, "change");
        writeln!(
            out,
            "{}: {n_notes} to the build; `--json` lists them",
            row.project
        )?;
    }
    Ok(())
}
