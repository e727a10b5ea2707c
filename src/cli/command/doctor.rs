//! `focalist doctor`: the tools and files here, their problems, and advice.
//!
//! Looks and never touches: no file is written, no database migrated or checkpointed. `✓` is as it should be, `!` works
//! and should be known, `✗` does not work and makes the code 1.

use std::cmp::Ordering;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use unicode_width::UnicodeWidthStr;

use crate::command::{config, hint, sandbox, workspace};
use crate::exchange::config::WireFinding;
use crate::exchange::write_line;
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::{self, Jobs};
use crate::metric;
use crate::model::{Finding, Grade};
use crate::store::{
    self, Content, Health, JobTable, Store, StoreAccess, StoreError, Verdicts, WorkspaceGround,
};
use crate::table::visible;
use crate::{Context, args};

mod tools;

/// Below this much room an index of some repositories may not fit.
const FREE_BYTES_LOW: u64 = 500 * 1024 * 1024;
/// Below this much room a verdict and its journal may not fit.
const FREE_BYTES_NONE: u64 = 10 * 1024 * 1024;
/// A journal that is larger waits for a reader that keeps an old state open.
const WAL_BYTES_HIGH: u64 = 256 * 1024 * 1024;
/// 2026-01-01: this version of the program did not exist before.
const EARLIEST: Duration = Duration::from_secs(1_767_225_600);
/// File systems keep times of another machine's clock.
const CLOCK_SLACK: Duration = Duration::from_secs(10 * 60);

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Json) -> Result<(), Stop> {
    let config = config::load(context);
    let mut areas = vec![
        ("programs", programs()),
        ("tools", tools::findings()),
        (
            "terminal",
            (context.streams.ui.look)(&config, context.global.theme.as_deref()),
        ),
        ("settings", settings(context, &config)),
        ("machine", machine(context)),
    ];
    let folder = workspace::folder(context);
    if folder.join(Store::FILE_NAME).exists() && context.streams.err_is_terminal {
        context.say("reading the whole index …");
    }
    areas.push(("workspace", of_workspace(context, &folder)));
    areas.push(("jobs", jobs(&folder)));
    if arguments.json {
        for (of, finding) in all(&areas) {
            let line = WireFinding {
                of,
                name: finding.name,
                value: &finding.value,
                grade: finding.grade.as_str(),
                advice: finding.advice.as_deref(),
            };
            write_line(context.streams.out, &line)?;
        }
    } else {
        write(context.streams.out, &areas)?;
    }
    let n_broken = all(&areas)
        .filter(|(_, finding)| finding.grade == Grade::Broken)
        .count();
    if n_broken > 0 {
        let things = if n_broken == 1 {
            "thing is"
        } else {
            "things are"
        };
        let message = format!("{n_broken} {things} broken");
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    Ok(())
}

type DoctorAreas = Vec<(&'static str, Vec<Finding>)>;

fn all(areas: &DoctorAreas) -> impl Iterator<Item = (&'static str, &Finding)> {
    areas
        .iter()
        .flat_map(|(of, findings)| findings.iter().map(|finding| (*of, finding)))
}

fn write(out: &mut dyn Write, areas: &DoctorAreas) -> std::io::Result<()> {
    let width = all(areas)
        .map(|(_, finding)| finding.name.width())
        .max()
        .unwrap_or(0);
    for (of, findings) in areas {
        writeln!(out, "{of}")?;
        for finding in findings {
            let mark = match finding.grade {
                Grade::Good => "✓",
                Grade::Doubtful => "!",
                Grade::Broken => "✗",
            };
            let padding = " ".repeat(width - finding.name.width());
            let value = visible(&finding.value);
            writeln!(out, "  {mark} {}{padding}  {value}", finding.name)?;
            if let Some(advice) = &finding.advice {
                writeln!(out, "    {}  → {}", " ".repeat(width), visible(advice))?;
            }
        }
    }
    Ok(())
}

fn programs() -> Vec<Finding> {
    let (version, grammars) = metric::parsers();
    let mut found = vec![
        Finding::good("focalist", env!("CARGO_PKG_VERSION")),
        Finding::good("SQLite", store::sqlite_version()),
        Finding::good("tree-sitter", version),
        Finding::good(
            "schemas",
            store::schemas()
                .map(|(name, schema)| format!("{name} {schema}"))
                .join(", "),
        ),
    ];
    for is_fit in [true, false] {
        let rows: Vec<String> = grammars
            .iter()
            .filter(|grammar| grammar.fits == is_fit)
            .map(|grammar| {
                format!(
                    "{} {} (ABI {})",
                    grammar.language.as_str(),
                    grammar.version,
                    grammar.abi
                )
            })
            .collect();
        match (rows.join(", "), is_fit) {
            (rows, _) if rows.is_empty() => {}
            (rows, true) => found.push(Finding::good("grammars", rows)),
            (rows, false) => found.push(Finding::broken(
                "grammars",
                rows,
                "this build cannot parse them: build it with its own Cargo.lock",
            )),
        }
    }
    found.push(sandbox::finding());
    found
}

fn settings(context: &Context<'_, '_>, config: &crate::config::Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let files = [
        ("your file", config::user_file(context)),
        ("workspace's", Some(config::workspace_file(context))),
    ];
    for (name, path) in files {
        found.push(match path {
            Some(path) if path.exists() => Finding::good(name, path.display().to_string()),
            Some(path) => Finding::good(name, format!("none at {}", path.display())),
            None => Finding::doubtful(name, "no home directory", "`--config FILE` names a file"),
        });
    }
    let saved = workspace::saved(context);
    let n_saved = saved.names().count();
    if n_saved > 0 {
        found.push(Finding::good("filters", format!("{n_saved} saved")));
    }
    let problems = config::problems(context, config);
    let advice = "this is ignored, everything else applies: correct it there";
    found.extend(
        problems
            .iter()
            .chain(&saved.problems)
            .map(|config_problem| {
                let text = config_problem.to_string();
                Finding::doubtful("problem", text, advice)
            }),
    );
    found
}

fn machine(context: &Context<'_, '_>) -> Vec<Finding> {
    let cores = match thread::available_parallelism() {
        Ok(cores) => Finding::good("cores", cores.to_string()),
        Err(error) => Finding::doubtful("cores", error.to_string(), "`--jobs N` says how many"),
    };
    let folder = workspace::folder(context);
    let newest = [Store::FILE_NAME, Verdicts::FILE_NAME]
        .iter()
        .filter_map(|name| fs::metadata(folder.join(name)).ok()?.modified().ok())
        .max();
    vec![cores, clock(SystemTime::now(), newest)]
}

/// Looks at the clock; `newest` is when the workspace was written last.
fn clock(now: SystemTime, newest: Option<SystemTime>) -> Finding {
    let name = "clock";
    let advice = "verdicts and runs record its time: set it right";
    let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    if since_1970 < EARLIEST {
        return Finding::doubtful(name, "before this version of focalist was made", advice);
    }
    match newest.and_then(|system_time| system_time.duration_since(now).ok()) {
        Some(ahead) if ahead > CLOCK_SLACK => {
            let value = format!("the workspace was written {} s from now", ahead.as_secs());
            Finding::doubtful(name, value, advice)
        }
        _ => Finding::good(name, "later than anything written here"),
    }
}

fn of_workspace(context: &Context<'_, '_>, folder: &Path) -> Vec<Finding> {
    let place = folder.display().to_string();
    if !folder.is_dir() {
        let value = format!("none: `{place}` is not there");
        let advice = hint::MAKE_WORKSPACE;
        return vec![Finding::doubtful("folder", value, advice)];
    }
    let from = if context.global.workspace.is_some() {
        "--workspace"
    } else if std::env::var_os("FOCALIST_WORKSPACE").is_some() {
        "$FOCALIST_WORKSPACE"
    } else {
        "here or above"
    };
    let ground = store::ground(folder);
    let mut found = vec![
        folder_of(format!("{place} ({from})"), &ground),
        room(ground.free_bytes),
        disk(&ground),
    ];
    let index = Store::health(folder);
    let verdicts = Verdicts::health(folder);
    found.extend(writer(&index));
    found.extend(file("index.db", &index, &ground));
    found.extend(file("verdicts.db", &verdicts, &ground));
    found
}

fn folder_of(value: String, ground: &WorkspaceGround) -> Finding {
    if ground.is_writable {
        return Finding::good("folder", value);
    }
    let advice = "it is read-only: you can look at it, but not mine or judge";
    Finding::doubtful("folder", value, advice)
}

fn room(free_bytes: Option<u64>) -> Finding {
    let name = "room";
    let advice = "free some space, or put the workspace elsewhere: `--workspace DIR`";
    match free_bytes {
        None => Finding::good(name, "not known"),
        Some(free) if free < FREE_BYTES_NONE => {
            Finding::broken(name, format!("{} free", bytes(free)), advice)
        }
        Some(free) if free < FREE_BYTES_LOW => {
            Finding::doubtful(name, format!("{} free", bytes(free)), advice)
        }
        Some(free) => Finding::good(name, format!("{} free", bytes(free))),
    }
}

fn disk(ground: &WorkspaceGround) -> Finding {
    let value = ground.file_system.as_deref().unwrap_or("not known");
    if !ground.is_shared {
        return Finding::good("file system", value);
    }
    let advice = "two machines that write at once damage databases: mine and judge on a local disk";
    Finding::doubtful("file system", value, advice)
}

fn writer(index: &Health) -> Option<Finding> {
    let writer = index.writer.as_ref()?;
    let program = writer.program.as_deref().unwrap_or("a program");
    let value = match writer.process {
        Some(process) => format!("{program}, process {process}, is writing to the index"),
        None => "another program is writing to the index".to_owned(),
    };
    Some(Finding::good("writer", value))
}

fn file(name: &'static str, health: &Health, ground: &WorkspaceGround) -> Vec<Finding> {
    let is_index = name == Store::FILE_NAME;
    let mut found = vec![match &health.content {
        Content::Missing if is_index => Finding::doubtful(name, "none", hint::MAKE_WORKSPACE),
        Content::Missing => Finding::good(name, "none: nothing has been judged yet"),
        Content::Empty => Finding::doubtful(
            name,
            "empty",
            "making it was interrupted; the next command that writes to it makes it",
        ),
        Content::Unsettled => Finding::doubtful(
            name,
            "a journal beside it has not been merged into it",
            "not checked, because that would write: run `focalist stats`, then check again",
        ),
        Content::Unusable(error) => {
            let advice = workspace::hint(error).unwrap_or(hint::ASK_SYSTEM);
            Finding::broken(name, error.to_string(), advice)
        }
        Content::Read {
            application_id,
            schema,
            fault,
        } => {
            let value = format!(
                "{}, schema {schema} of {}, id {application_id:#x}",
                bytes(health.size_bytes),
                health.known
            );
            content(name, &value, *schema, fault.as_deref(), health)
        }
    }];
    let is_there = !matches!(health.content, Content::Missing);
    if is_there && !health.is_writable && ground.is_writable {
        let advice = "it is read-only: check its permissions";
        found.push(Finding::doubtful(name, "cannot be written to", advice));
    }
    if health.wal_bytes > WAL_BYTES_HIGH {
        found.push(Finding::doubtful(
            name,
            format!("its journal has {}", bytes(health.wal_bytes)),
            "it is merged once no old state is being read: close programs that have been open for long",
        ));
    } else if health.wal_bytes > 0 {
        let value = format!("its journal has {}", bytes(health.wal_bytes));
        found.push(Finding::good(name, value));
    }
    found
}

fn jobs(folder: &Path) -> Vec<Finding> {
    let name = JobTable::FILE_NAME;
    // Asked first: reading the jobs brings an old table up to date.
    let rows = JobTable::open(folder, StoreAccess::Read)
        .and_then(|_| Jobs::open_or_empty(folder))
        .and_then(|mut jobs| jobs.rows());
    let rows = match rows {
        Ok(rows) => rows,
        Err(StoreError::Missing { .. }) => {
            return vec![Finding::good(name, "none: nothing has run here")];
        }
        Err(error @ StoreError::Older { .. }) => {
            let advice = "the next job brings it up to date";
            return vec![Finding::doubtful(name, error.to_string(), advice)];
        }
        Err(error) => {
            let advice = workspace::hint(&error).unwrap_or(hint::ASK_SYSTEM);
            return vec![Finding::broken(name, error.to_string(), advice)];
        }
    };
    let n_alive = rows.iter().filter(|row| row.state.is_alive()).count();
    let value = format!("{} jobs, {n_alive} of them alive", rows.len());
    let mut found = vec![Finding::good(name, value)];
    found.extend(job::unfinished(&rows).map(|job_row| {
        let value = format!(
            "job {} ({}) stopped before its end",
            job_row.id,
            job_row.kind.as_str()
        );
        let advice = hint::resume(job_row.id);
        Finding::doubtful("stopped", value, advice)
    }));
    found
}

fn content(
    name: &'static str,
    value: &str,
    schema: u32,
    fault: Option<&str>,
    health: &Health,
) -> Finding {
    let path = health.path.clone();
    let hint = |error: &StoreError| workspace::hint(error).unwrap_or_default();
    if let Some(fault) = fault {
        let detail = fault.to_owned();
        let advice = hint(&StoreError::Damaged { path, detail });
        return Finding::broken(name, format!("{value}, damaged: {fault}"), advice);
    }
    let (found, known) = (schema, health.known);
    let value = format!("{value}, sound");
    match found.cmp(&known) {
        Ordering::Greater => {
            let advice = hint(&StoreError::Newer { path, found, known });
            Finding::broken(name, value, advice)
        }
        Ordering::Less => {
            let advice = hint(&StoreError::Older { path, found, known });
            Finding::doubtful(name, value, advice)
        }
        Ordering::Equal => Finding::good(name, value),
    }
}

/// Writes a size for people, with two digits at least.
fn bytes(n_bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut n = n_bytes as f64;
    let mut unit = 0;
    while n >= 1024.0 && unit + 1 < UNITS.len() {
        n /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && n < 10.0);
    format!("{n:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let check = |n_bytes, expected: &str| assert_eq!(bytes(n_bytes), expected);
        check(0, "0 B");
        check(1023, "1023 B");
        check(1536, "1.5 KiB");
        check(1_172_410_368, "1.1 GiB");
        check(50 * 1024 * 1024, "50 MiB");
    }

    #[test]
    fn a_clock_that_runs_behind_is_doubted() {
        let now = UNIX_EPOCH + EARLIEST + Duration::from_secs(1_000_000);
        let check = |now, newest, expected| assert_eq!(clock(now, newest).grade, expected);
        check(now, None, Grade::Good);
        check(now, Some(now + Duration::from_secs(60)), Grade::Good);
        check(now, Some(now + Duration::from_secs(3600)), Grade::Doubtful);
        check(UNIX_EPOCH, None, Grade::Doubtful);
    }

    #[test]
    fn little_room_is_told_and_none_is_a_fault() {
        let check = |free, expected| assert_eq!(room(free).grade, expected);
        check(None, Grade::Good);
        check(Some(u64::MAX), Grade::Good);
        check(Some(FREE_BYTES_LOW - 1), Grade::Doubtful);
        check(Some(0), Grade::Broken);
    }

    #[test]
    fn a_newer_or_damaged_file_is_broken_and_an_older_one_is_not() {
        let check = |schema, fault: Option<&str>, expected: Grade, advice: &str| {
            let health = Health {
                path: "w/index.db".into(),
                size_bytes: 4096,
                wal_bytes: 0,
                is_writable: true,
                content: Content::Read {
                    application_id: 1,
                    schema,
                    fault: fault.map(str::to_owned),
                },
                known: 6,
                writer: None,
            };
            let ground = WorkspaceGround {
                file_system: None,
                is_shared: false,
                free_bytes: None,
                is_writable: true,
            };
            let [finding] = file("index.db", &health, &ground)
                .try_into()
                .expect("one finding");
            assert_eq!(finding.grade, expected, "{finding:?}");
            assert!(finding.advice.unwrap_or_default().contains(advice));
        };
        check(6, None, Grade::Good, "");
        check(5, None, Grade::Doubtful, "focalist mine");
        check(7, None, Grade::Broken, "update focalist");
        check(6, Some("page 3 is never used"), Grade::Broken, "mine again");
    }
}
