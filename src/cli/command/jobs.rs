//! The command `jobs`, and verbs that run in the background.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::args::{self, Cli, Command, ExperimentAction, JobsAction, TableName};
use crate::command::{hint, output, register, workspace};
use crate::exchange::{WireJob, write_line};
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::{self, CancelStep, Job, JobError, Jobs};
use crate::model::{JobId, JobKind, JobRow, JobState, counted, grouped, number};
use crate::progress::{self, repository, seconds};
use crate::table::{Align, TextTable, visible};
use crate::{Context, Streams, execute};

mod resume;

/// Ended jobs that are listed by default, beside those that are alive or could go on: a screenful.
const N_ENDED_SHOWN: usize = 20;
/// Columns of arguments in the list of jobs, so that the message keeps room beside them.
const ARGUMENTS_WIDTH: usize = 44;
/// Columns of a job's outcome: longer ones are cut, for the log has the whole.
const MESSAGE_WIDTH: usize = 60;
/// The pause between two looks of a watcher: soon enough for a person, seldom enough to leave the job its core.
const LOOK: Duration = Duration::from_millis(100);
/// The bytes of a log that are read at once, so that a log of any length needs little memory.
const PART_BYTES: u64 = 256 << 10;

/// Tells which kind of job a command is, if it is one.
const fn kind(command: &Command) -> Option<JobKind> {
    match command {
        Command::Mine(_) => Some(JobKind::Mine),
        Command::Import(_) => Some(JobKind::Import),
        Command::Eval(_) => Some(JobKind::Eval),
        Command::Export(_) => Some(JobKind::Export),
        Command::Index(_) => Some(JobKind::Index),
        Command::Leakage(_) => Some(JobKind::Leakage),
        Command::Execute(_) => Some(JobKind::Execute),
        Command::Generate(_) => Some(JobKind::Generate),
        Command::Train(_) => Some(JobKind::Train),
        Command::Prepare(_) => Some(JobKind::Prepare),
        Command::Clover(_) => Some(JobKind::Clover),
        Command::Experiment(_) => Some(JobKind::Experiment),
        Command::Consistency(_) => Some(JobKind::Consistency),
        Command::Benchmark(_) => Some(JobKind::Benchmark),
        Command::Mutate(_) => Some(JobKind::Mutate),
        _ => None,
    }
}

/// Tells which kind of job a command starts, if it is to run in the background.
pub const fn wanted_in_background(command: &Command) -> Option<JobKind> {
    let detach = match command {
        Command::Mine(options) => options.detach,
        Command::Import(options) => options.detach,
        Command::Eval(options) => options.detach,
        Command::Export(options) => options.detach,
        Command::Index(options) => options.detach,
        Command::Leakage(options) => options.detach,
        Command::Execute(options) => options.detach,
        Command::Generate(options) => options.detach,
        Command::Train(options) => options.detach,
        Command::Prepare(options) => options.detach,
        Command::Clover(options) => options.detach(),
        Command::Consistency(options) => options.detach,
        Command::Benchmark(options) => options.detach(),
        Command::Mutate(options) => options.detach,
        Command::Experiment(options) => match &options.action {
            ExperimentAction::Run { detach, .. } => *detach,
            _ => return None,
        },
        _ => return None,
    };
    if detach.background {
        kind(command)
    } else {
        None
    }
}

/// Checks that a command neither needs nor leaves anything in a terminal.
fn check_detachable(command: &Command) -> Result<(), Stop> {
    let stdin = Path::new("-");
    let reads_stdin = match command {
        Command::Import(options) => options.files.iter().any(|file| file == stdin),
        Command::Generate(options) => options.prompts.as_deref() == Some(stdin),
        Command::Eval(options) => options.metrics.crystal_corpus.as_deref() == Some(stdin),
        Command::Clover(options) => options.files().iter().any(|file| file == stdin),
        Command::Execute(options) => options.cases.as_deref() == Some(stdin),
        _ => false,
    };
    let failure = if reads_stdin {
        Failure::new(ExitCode::Usage, "a background job cannot read stdin")
            .with_hint("write it to a file first")
    } else if matches!(command, Command::Export(options) if options.output.is_none()) {
        Failure::new(ExitCode::Usage, "a background export needs a file")
            .with_hint("`--output FILE`")
    } else {
        return Ok(());
    };
    Err(failure.into())
}

/// Starts the command of this process in another one, which goes on in the background.
pub fn start(context: &mut Context<'_, '_>, command: &Command, kind: JobKind) -> Result<(), Stop> {
    check_detachable(command)?;
    let folder = workspace::folder(context);
    let makes_workspace = match command {
        Command::Import(options) => options.dataset.is_some(),
        Command::Generate(options) => options.prompts.is_some(),
        // The file says whether it needs an index, and was asked.
        Command::Experiment(_) | Command::Mine(_) | Command::Prepare(_) | Command::Clover(_) => {
            true
        }
        _ => false,
    };
    if !makes_workspace {
        workspace::check(&folder)?;
    }
    if let Command::Export(options) = command
        && let Some(path) = &options.output
    {
        output::check(path, options.force)?;
    }
    let id = job::start(&folder, &register::new_job(context, kind))?;
    writeln!(
        context.streams.out,
        "job {id} started · focalist jobs watch {id}"
    )?;
    Ok(())
}

/// Chooses the number of threads of a job: as asked for; in the background all cores but one, else all.
pub fn n_threads(context: &Context<'_, '_>, n_wanted: Option<usize>) -> Option<usize> {
    let is_background = context.job.as_ref().is_some_and(|job| job.is_background());
    n_wanted.or_else(|| {
        let n_cores = thread::available_parallelism().ok()?.get();
        is_background.then(|| n_cores.saturating_sub(1).max(1))
    })
}

/// Does a job that was started in the background: what it says goes into its log.
pub fn run_attached(
    cli: &Cli,
    arguments: &[OsString],
    id: JobId,
    streams: &mut Streams<'_>,
) -> ExitCode {
    let context = Context {
        global: &cli.global,
        arguments,
        streams,
        job: None,
    };
    let attached = Job::attach(&workspace::folder(&context), id).map_err(Stop::from);
    let job = match attached {
        Ok(job) => job,
        Err(stop) => return crate::ended(streams, &Err(stop)),
    };
    let (mut out, mut err) = (job.writer(), job.writer());
    let code = execute(
        cli,
        arguments,
        &mut Streams {
            input: &mut io::empty(),
            input_is_terminal: false,
            out: &mut out,
            err: &mut err,
            err_is_terminal: false,
            out_is_terminal: false,
            open_ui: &mut |_| Err("a background job has no terminal".to_owned()),
            ui: streams.ui,
        },
        Some(job),
    );
    // A full disk has ended the job by itself.
    let _ = out.finish();
    let _ = err.finish();
    code
}

/// Notes how a verb that was a job ended.
pub fn end(job: &Arc<Job>, outcome: &Result<(), Stop>, code: ExitCode) {
    let state = match code {
        ExitCode::Ok => JobState::Done,
        ExitCode::Cancelled | ExitCode::Terminated | ExitCode::HungUp | ExitCode::Quit => {
            JobState::Cancelled
        }
        _ => JobState::Failed,
    };
    let message = match outcome {
        Err(Stop::Failure(failure)) => {
            if !job.is_background() {
                job.log(failure.lines().trim_end());
            }
            Some(failure.message.as_str())
        }
        _ => None,
    };
    job.end(state, code as u8, message);
}

/// Reports the jobs that go on: leaving the terminal UI ends none.
pub fn tell_alive(context: &mut Context<'_, '_>, folder: &Path) {
    // A user who only leaves need not hear of trouble with the table.
    let rows = Jobs::open_or_empty(folder).and_then(|mut jobs| jobs.rows());
    let alive: Vec<JobRow> = rows
        .unwrap_or_default()
        .into_iter()
        .filter(|row| row.state.is_alive())
        .collect();
    match alive.as_slice() {
        [] => {}
        [row] => context.say(&format!(
            "job {} ({}) continues; `focalist jobs watch` follows it",
            row.id,
            row.kind.as_str()
        )),
        rows => context.say(&format!(
            "{} jobs continue; `focalist jobs` lists them",
            rows.len()
        )),
    }
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Jobs) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    match &arguments.action {
        None => list(context, arguments, &folder),
        Some(JobsAction::Watch { id }) => watch(context, &folder, *id),
        Some(JobsAction::Log { id, follow }) => log(context, &folder, *id, *follow),
        Some(JobsAction::Cancel { id }) => cancel(context, &folder, *id),
        Some(JobsAction::Resume { id, yes }) => resume::run(context, &folder, *id, *yes),
        Some(JobsAction::Clear { days }) => {
            let before_ms = match days {
                0 => i64::MAX,
                days => job::now_ms() - i64::from(*days) * 86_400_000,
            };
            let n_cleared = job::clear(&folder, before_ms)?;
            context.say(&format!("{} cleared", counted(n_cleared as u64, "job")));
            Ok(())
        }
    }
}

fn list(context: &mut Context<'_, '_>, arguments: &args::Jobs, folder: &Path) -> Result<(), Stop> {
    let mut jobs = Jobs::open_or_empty(folder)?;
    let mut rows = jobs.rows()?;
    let n_all = rows.len();
    let stopped = job::unfinished(&rows).next().map(|job_row| job_row.id);
    job::show_finished(&mut rows);
    if !arguments.all {
        let mut n_ended = 0;
        rows.retain(|row| {
            n_ended += usize::from(row.ended_ms.is_some());
            row.ended_ms.is_none() || n_ended <= N_ENDED_SHOWN
        });
    }
    let now_ms = job::now_ms();
    let write_job = |out: &mut dyn Write, row: &JobRow| {
        let log = jobs.log_path(row.id).display().to_string();
        write_line(out, &WireJob::new(row, now_ms, log))
    };
    context.print(
        TableName::of(arguments.json),
        |out| rows.iter().try_for_each(|row| write_job(out, row)),
        |_| (!rows.is_empty()).then(|| table(&rows, now_ms)),
    )?;
    if arguments.json {
        return Ok(());
    }
    if rows.is_empty() {
        context.say("no job yet; `focalist mine PATH --background` starts one");
    }
    if rows.len() < n_all {
        let (n_shown, n_all) = (grouped(rows.len() as u64), grouped(n_all as u64));
        context.say(&format!("{n_shown} of {n_all}; `--all` lists all"));
    }
    if let Some(id) = stopped {
        context.say(&format!(
            "hint: job {id} stopped before its end: `focalist jobs resume {id}` resumes it, `jobs log {id}` shows its log"
        ));
    }
    Ok(())
}

fn table(rows: &[JobRow], now_ms: i64) -> TextTable {
    let mut table = TextTable::new(&[
        ("job", Align::Ordinal),
        ("state", Align::Left),
        ("kind", Align::Left),
        ("arguments", Align::Left),
        ("done", Align::Right),
        ("rate", Align::Right),
        ("left", Align::Right),
        ("seen", Align::Right),
        ("problems", Align::Right),
        ("outcome", Align::Left),
    ]);
    for row in rows {
        table.row(cells(row, now_ms));
    }
    table
}

fn cells(row: &JobRow, now_ms: i64) -> [String; 10] {
    let pace = row.pace(now_ms);
    let silence = now_ms.saturating_sub(row.heartbeat_ms);
    [
        row.id.to_string(),
        row.state.as_str().to_owned(),
        row.kind.as_str().to_owned(),
        cut(&arguments(row), ARGUMENTS_WIDTH),
        match row.state {
            JobState::Done => String::new(),
            _ => done(row),
        },
        pace.map_or_else(String::new, |job_pace| {
            format!("{:.0}/s", job_pace.per_second)
        }),
        pace.and_then(|job_pace| job_pace.left_ms)
            .map_or_else(String::new, time),
        format!("{} ago", time(u64::try_from(silence).unwrap_or(0))),
        match row.progress.n_problems {
            0 => String::new(),
            n_problems => n_problems.to_string(),
        },
        cut(row.outcome(), MESSAGE_WIDTH),
    ]
}

/// Writes the arguments of its verb, without those that every job has.
fn arguments(row: &JobRow) -> String {
    let mut words = job::own_arguments(row).to_vec();
    words.retain(|word| word != "--background");
    job::command_line(&words)
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width - 1).collect();
    cut.push('…');
    cut
}

fn done(row: &JobRow) -> String {
    match (row.progress.share, row.progress.n_done) {
        // 100 % is for what has ended.
        (Some(share), _) => format!("{:.0} %", (share * 100.0).floor().min(99.0)),
        (None, 0) => String::new(),
        (None, n_done) => n_done.to_string(),
    }
}

fn time(ms: u64) -> String {
    match ms / 1_000 {
        at_least_an_hour @ 3_600.. if at_least_an_hour >= 172_800 => {
            format!("{} days", at_least_an_hour / 86_400)
        }
        hours @ 3_600.. => format!("{} h {:02} min", hours / 3_600, hours / 60 % 60),
        _ => seconds(Duration::from_millis(ms)),
    }
}

/// Writes the progress of a job in a line.
fn line(row: &JobRow, now_ms: i64) -> String {
    if row.state == JobState::Queued {
        return format!("job {} · queued", row.id);
    }
    let mut text = format!("job {} · {}", row.id, row.progress.phase);
    match (row.progress.n_done, row.progress.n_total) {
        (0, 0) => {}
        (n_done, 0) => text.push_str(&format!(" · {}", grouped(n_done))),
        (n_done, n_total) => {
            text.push_str(&format!(" · {}/{}", grouped(n_done), grouped(n_total)));
        }
    }
    if row.progress.n_repos_total > 1 {
        let repository = repository(row.progress.n_repos, row.progress.n_repos_total);
        text.push_str(&format!(" · {repository}"));
    }
    if let Some(pace) = row.pace(now_ms) {
        text.push_str(&format!(" · {}/s", number(pace.per_second, 0)));
        if let Some(left_ms) = pace.left_ms {
            text.push_str(&format!(" · {} left", time(left_ms)));
        }
    }
    match row.progress.n_problems {
        0 => {}
        n_problems => text.push_str(&format!(" · {}", counted(n_problems, "problem"))),
    }
    text
}

fn watch(context: &mut Context<'_, '_>, folder: &Path, id: Option<JobId>) -> Result<(), Stop> {
    let mut jobs = Jobs::open_or_empty(folder)?;
    let id = if let Some(id) = id {
        id
    } else {
        let rows = jobs.rows()?;
        let alive = rows.iter().find(|row| row.state.is_alive());
        let latest = alive.or(rows.first()).map(|job_row| job_row.id);
        latest.ok_or_else(|| {
            Failure::new(ExitCode::Input, "no job yet")
                .with_hint("`focalist mine PATH --background` starts one")
        })?
    };
    let row = follow(context, &mut jobs, id)?;
    let message = match row.outcome() {
        "" => format!("job {id} {}", row.state.as_str()),
        outcome => format!("job {id} {}: {}", row.state.as_str(), visible(outcome)),
    };
    match (row.state, row.exit_code) {
        (JobState::Done, _) => {
            context.say(&message);
            Ok(())
        }
        (JobState::Stopped, _) => Err(Failure::new(
            ExitCode::Outside,
            format!("job {id} stopped: its process is gone"),
        )
        .with_hint(hint::resume(id))
        .into()),
        (_, code) => {
            let code = code.map_or(ExitCode::Outside, ExitCode::of);
            let failure = Failure::new(code, message);
            // A wrong command line is as wrong the next time.
            Err(match code {
                ExitCode::Usage => failure,
                _ => failure.with_hint(format!("`focalist jobs resume {id}` tries again")),
            }
            .into())
        }
    }
}

fn log(
    context: &mut Context<'_, '_>,
    folder: &Path,
    id: JobId,
    is_following: bool,
) -> Result<(), Stop> {
    let mut jobs = Jobs::open_or_empty(folder)?;
    jobs.row(id)?;
    if is_following {
        follow(context, &mut jobs, id)?;
        return Ok(());
    }
    copy_log(context, &jobs, id, 0)?;
    Ok(())
}

/// Writes what a job says, and shows how far it is, until it ends; returns it as it ended.
fn follow(context: &mut Context<'_, '_>, jobs: &mut Jobs, id: JobId) -> Result<JobRow, Stop> {
    let bar = progress::bar(context.streams.err_is_terminal && !context.global.quiet);
    let mut next = 0;
    loop {
        // Before the log: what is said before the end is in it.
        let row = jobs.row(id)?;
        bar.suspend(|| {
            next = copy_log(context, jobs, id, next)?;
            Ok::<_, Stop>(())
        })?;
        if !row.state.is_alive() {
            bar.finish_and_clear();
            return Ok(row);
        }
        let share = row.progress.share.unwrap_or(0.0);
        bar.set_length(1_000);
        bar.set_position(u64::try_from((share * 1_000.0) as i64).unwrap_or(0));
        bar.set_message(visible(&line(&row, job::now_ms())));
        thread::sleep(LOOK);
    }
}

/// Writes a log from a place on, and returns the place where it ends now.
fn copy_log(context: &mut Context<'_, '_>, jobs: &Jobs, id: JobId, from: u64) -> Result<u64, Stop> {
    let mut next = from;
    loop {
        let part = jobs.log_from(id, next, PART_BYTES).map_err(|source| {
            let path = jobs.log_path(id);
            JobError::Io { path, source }
        })?;
        next = part.next;
        if part.text.is_empty() {
            return Ok(next);
        }
        context.streams.out.write_all(part.text.as_bytes())?;
        context.streams.out.flush()?;
    }
}

fn cancel(context: &mut Context<'_, '_>, folder: &Path, id: JobId) -> Result<(), Stop> {
    let row = job::cancel(folder, id, &mut |step| {
        let text = match step {
            CancelStep::Asked => return,
            CancelStep::Terminated => "it did not respond; TERM sent",
            CancelStep::Killed => "it did not stop; KILL sent",
            CancelStep::OutOfReach => {
                "it runs on another machine: it was asked to stop, no more can be done here"
            }
        };
        context.say(&format!("job {id}: {text}"));
    })?;
    match row.state {
        JobState::Cancelled => {
            context.say(&format!("job {id} cancelled; {}", hint::resume(id)));
            Ok(())
        }
        state if state.is_alive() => Err(Failure::new(
            ExitCode::Outside,
            format!(
                "job {id} on `{}` is still {}",
                visible(&row.host),
                state.as_str()
            ),
        )
        .into()),
        state => {
            context.say(&format!("job {id} was {} already", state.as_str()));
            Ok(())
        }
    }
}

impl From<JobError> for Stop {
    fn from(error: JobError) -> Self {
        let message = visible(&error.to_string());
        match error {
            JobError::Store(error) => error.into(),
            JobError::Io { .. } => Failure::new(ExitCode::Input, message).into(),
            JobError::NoSuch { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist jobs` lists them")
                .into(),
            JobError::Lowered { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("to do it all the same, type the command yourself")
                .into(),
            JobError::Foreign { id } => Failure::new(ExitCode::Usage, message)
                .with_hint(format!(
                    "read the command; `focalist jobs resume {id} --yes` starts it all the same"
                ))
                .into(),
            JobError::Alive { id, .. } => Failure::new(ExitCode::Usage, message)
                .with_hint(format!("`focalist jobs watch {id}` follows it"))
                .into(),
            JobError::NotAlive { id, state } if state.is_resumable() => {
                Failure::new(ExitCode::Usage, message)
                    .with_hint(hint::resume(id))
                    .into()
            }
            JobError::NotAlive { .. } | JobError::NotWaiting { .. } => {
                Failure::new(ExitCode::Usage, message).into()
            }
            JobError::Start { .. } | JobError::Died { .. } => {
                Failure::new(ExitCode::Outside, message).into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_long_as_they_need_to_be() {
        let check = |ms, expected: &str| assert_eq!(time(ms), expected);
        check(0, "0 s");
        check(59_999, "59 s");
        check(61_000, "1 min 01 s");
        check(3_600_000, "1 h 00 min");
        check(172_799_000, "47 h 59 min");
        check(172_800_000, "2 days");
    }

    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(cut("größer", 6), "größer");
        assert_eq!(cut("größer", 5), "größ…");
    }
}
