//! Jobs within one process: rows, locks, turns and kept files.

use super::*;
use crate::model::{JobKind, JobProgress, JobState};
use crate::store::NewJob;
use crate::task::Phase;
use std::sync::atomic::Ordering;

fn asked(kind: JobKind) -> NewJob {
    NewJob {
        kind,
        arguments: vec!["mine".into(), "a path".into()],
        folder: PathBuf::from("/"),
        is_background: false,
        retry_of: None,
    }
}

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join(".focalist");
    (folder, path)
}

fn states(jobs: &mut Jobs) -> Vec<JobState> {
    let rows = jobs.rows().expect("the table is read");
    rows.iter().map(|row| row.state).collect()
}

#[test]
fn a_file_may_be_of_a_stopped_job_only_if_it_is_as_old() {
    let (_folder, path) = workspace();
    let job = Job::register(&path, &asked(JobKind::Export)).expect("a job is added");
    job.begin();
    job.end(JobState::Done, 0, None);
    let mut jobs = Jobs::open_or_empty(&path).expect("the table is there");
    let done = jobs.row(JobId(1)).expect("the job is there");
    let row = JobRow {
        state: JobState::Stopped,
        started_ms: Some(10_000),
        heartbeat_ms: 12_000,
        ..done.clone()
    };
    let check = |at_ms: i64, expected: bool| {
        assert_eq!(may_have_written(&row, at_ms), expected, "{at_ms}");
    };
    check(9_999, false);
    check(10_000, true);
    check(14_000, true);
    check(14_001, false);
    let at_ms = done.heartbeat_ms;
    assert!(!may_have_written(&done, at_ms), "it has said its end");
}

#[test]
fn a_job_is_queued_then_running_then_done() {
    let (_folder, path) = workspace();
    let mut jobs = Jobs::open_or_empty(&path).expect("no table is an empty one");
    assert_eq!(states(&mut jobs), []);
    let job = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    assert_eq!(states(&mut jobs), [JobState::Queued]);
    job.begin();
    assert_eq!(states(&mut jobs), [JobState::Running]);
    job.monitor().enter(Phase::Parsing);
    job.monitor().n_files.store(3, Ordering::Relaxed);
    job.monitor().n_files_total.store(4, Ordering::Relaxed);
    job.note("repo: 3 files");
    job.note("warning: one is broken");
    job.end(JobState::Done, 0, None);
    let row = jobs.row(JobId(1)).expect("the job is there");
    assert_eq!((row.state, row.exit_code), (JobState::Done, Some(0)));
    assert_eq!(row.message, "repo: 3 files");
    let progress = (
        row.progress.phase.as_str(),
        row.progress.n_done,
        row.progress.share,
    );
    assert_eq!(progress, ("parsing", 3, Some(0.75)));
    let log = jobs
        .log_tail(JobId(1), 1_000)
        .expect("the log is read")
        .text;
    let lines: Vec<&str> = log.lines().map(|line| &line[9..]).collect();
    assert_eq!(lines, ["job 1: focalist mine 'a path'", "done"]);
}

#[test]
fn who_goes_without_a_word_has_stopped() {
    let (_folder, path) = workspace();
    let mut jobs = Jobs::open_or_empty(&path).expect("no table is an empty one");
    let job = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    job.begin();
    let before = jobs.version().expect("the table is read");
    drop(job);
    assert_eq!(states(&mut jobs), [JobState::Stopped]);
    assert_ne!(jobs.version().expect("the table is read"), before);
    let refused = cancel(&path, JobId(1), &mut |_| {});
    assert!(matches!(
        refused,
        Err(JobError::NotAlive {
            state: JobState::Stopped,
            ..
        })
    ));
}

#[test]
fn what_another_job_has_finished_is_not_left_undone() {
    let (_folder, path) = workspace();
    let mut jobs = Jobs::open_or_empty(&path).expect("no table is an empty one");
    let run = |words: &[&str], end: Option<JobState>| {
        let asked = NewJob {
            arguments: words.iter().map(Into::into).collect(),
            ..asked(JobKind::Mine)
        };
        let job = Job::register(&path, &asked).expect("a job is added");
        job.begin();
        if let Some(state) = end {
            job.end(state, 0, None);
        }
    };
    let mut check = |undone: &[i64], shown: &[(JobState, &str)]| {
        let mut rows = jobs.rows().expect("the table is read");
        let found: Vec<i64> = unfinished(&rows).map(|job_row| job_row.id.0).collect();
        assert_eq!(found, undone);
        show_finished(&mut rows);
        let found: Vec<_> = rows.iter().map(|row| (row.state, row.outcome())).collect();
        assert_eq!(found, shown);
    };
    run(&["mine", "a"], None);
    run(&["mine", "b", "--background"], None);
    run(&["mine", "b"], Some(JobState::Failed));
    let failed = (JobState::Failed, "");
    let stopped = (JobState::Stopped, "");
    check(&[2, 1], &[failed, stopped, stopped]);
    run(&["--workspace", "w", "mine", "b"], Some(JobState::Done));
    let by_other = (JobState::Done, "finished by job 4");
    check(&[1], &[(JobState::Done, ""), failed, by_other, stopped]);
}

#[test]
fn a_share_of_more_than_is_counted_has_no_total_beside_it() {
    let (_folder, path) = workspace();
    let job = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    job.begin();
    job.monitor().n_files.store(75, Ordering::Relaxed);
    job.monitor().n_files_total.store(76, Ordering::Relaxed);
    job.monitor().n_parts_total.store(10, Ordering::Relaxed);
    job.end(JobState::Cancelled, 130, Some("cancelled"));
    let mut jobs = Jobs::open_or_empty(&path).expect("the table opens");
    let row = jobs.row(JobId(1)).expect("the job is there");
    let JobProgress {
        n_done,
        n_total,
        share,
        ..
    } = row.progress;
    assert_eq!((n_done, n_total, share), (75, 0, Some(0.0)));
    // The state says it already.
    assert_eq!(row.outcome(), "");
}

#[test]
fn the_version_stays_while_nothing_happens() {
    let (_folder, path) = workspace();
    let mut jobs = Jobs::open_or_empty(&path).expect("no table is an empty one");
    let none = jobs.version().expect("the table is read");
    let job = Job::register(&path, &asked(JobKind::Export)).expect("a job is added");
    assert_ne!(jobs.version().expect("the table is read"), none);
    job.end(JobState::Done, 0, None);
    let ended = jobs.version().expect("the table is read");
    assert_eq!(jobs.version().expect("the table is read"), ended);
}

#[test]
fn a_job_stops_when_it_is_asked_to() {
    let (_folder, path) = workspace();
    let job = Job::register(&path, &asked(JobKind::Leakage)).expect("a job is added");
    job.begin();
    let mut steps = Vec::new();
    let row = std::thread::scope(|scope| {
        scope.spawn(|| {
            while job.monitor().step().is_ok() {
                std::thread::yield_now();
            }
            job.end(JobState::Cancelled, 130, Some("cancelled"));
        });
        cancel(&path, job.id(), &mut |step| steps.push(step)).expect("the job can be cancelled")
    });
    assert_eq!(
        (row.state, row.is_cancel_asked),
        (JobState::Cancelled, true)
    );
    assert_eq!(steps, [CancelStep::Asked]);
}

#[test]
fn writers_go_in_the_order_of_asking() {
    let (_folder, path) = workspace();
    let first = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    let reader = Job::register(&path, &asked(JobKind::Export)).expect("a job is added");
    let second = Job::register(&path, &asked(JobKind::Eval)).expect("a job is added");
    let mut waited_for = Vec::new();
    std::thread::scope(|scope| {
        let (told, heard) = std::sync::mpsc::channel();
        let waiting = scope.spawn({
            let second = &second;
            move || {
                second.wait_for_turn(
                    || Ok(()),
                    |ahead| {
                        let id = match ahead {
                            TurnHolder::Job(row) => row.id,
                            TurnHolder::Somebody => JobId(0),
                        };
                        told.send(id).expect("somebody listens");
                    },
                )
            }
        });
        waited_for.push(heard.recv().expect("it says whom it waits for"));
        first
            .wait_for_turn(|| Ok(()), |_| unreachable!("nobody is before it"))
            .expect("its turn has come");
        first.end(JobState::Done, 0, None);
        waiting
            .join()
            .expect("the thread ends")
            .expect("its turn has come");
    });
    assert_eq!(waited_for, [first.id()]);
    reader.end(JobState::Done, 0, None);
    let mut jobs = Jobs::open_or_empty(&path).expect("the table opens");
    assert_eq!(
        states(&mut jobs),
        [JobState::Running, JobState::Done, JobState::Done]
    );
}

#[test]
fn a_dead_writer_keeps_nobody_waiting() {
    let (_folder, path) = workspace();
    let first = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    first.begin();
    let second = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    drop(first);
    let turn = second.wait_for_turn(|| Ok(7), |_| unreachable!("nobody lives before it"));
    assert_eq!(turn.expect("its turn has come"), 7);
}

#[test]
fn who_waits_can_be_cancelled() {
    let (_folder, path) = workspace();
    let first = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    let second = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    let turn = second.wait_for_turn(|| Ok(()), |_| second.monitor().cancel());
    assert!(matches!(turn, Err(StoreError::Cancelled(_))));
    drop(first);
}

#[test]
fn a_lock_of_somebody_else_is_waited_for() {
    let (_folder, path) = workspace();
    let job = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    let (mut n_tries, mut n_told) = (0, 0);
    let turn = job.wait_for_turn(
        || {
            n_tries += 1;
            let path = PathBuf::from("index.db");
            if n_tries < 3 {
                Err(StoreError::Locked { path })
            } else {
                Ok(())
            }
        },
        |ahead| {
            assert!(matches!(ahead, TurnHolder::Somebody));
            n_told += 1;
        },
    );
    assert!(turn.is_ok());
    assert_eq!((n_tries, n_told), (3, 1));
}

#[test]
fn old_jobs_are_cleared_with_their_files_and_living_ones_are_not() {
    let (_folder, path) = workspace();
    let done = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    done.end(JobState::Done, 0, None);
    let stopped = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    drop(stopped);
    let alive = Job::register(&path, &asked(JobKind::Mine)).expect("a job is added");
    assert_eq!(clear(&path, 0).expect("the table is written"), 0);
    assert_eq!(clear(&path, i64::MAX).expect("the table is written"), 2);
    let mut jobs = Jobs::open_or_empty(&path).expect("the table opens");
    let left: Vec<JobId> = jobs
        .rows()
        .expect("the table is read")
        .iter()
        .map(|job_row| job_row.id)
        .collect();
    assert_eq!(left, [alive.id()]);
    let mut files: Vec<_> = std::fs::read_dir(path.join("logs"))
        .expect("the logs are there")
        .map(|result| result.expect("an entry can be read").file_name())
        .collect();
    files.sort();
    assert_eq!(files, ["job-3.lock", "job-3.log"]);
    assert_eq!(
        jobs.log_tail(done.id(), 9).expect("nothing is read").text,
        ""
    );
}

#[test]
fn a_command_line_is_what_a_shell_would_take_apart_again() {
    let check = |words: &[&str], expected| {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        assert_eq!(command_line(&words), expected);
    };
    check(&["mine", "--jobs=2", "../a/b"], "mine --jobs=2 ../a/b");
    check(
        &["eval", "--run", "it's a", ""],
        "eval --run 'it'\\''s a' ''",
    );
    check(
        &["export", "--filter", "weight<0.5 *"],
        "export --filter 'weight<0.5 *'",
    );
}
