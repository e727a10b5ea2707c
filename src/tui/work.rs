//! Work away from the UI thread: starting, cancelling and forgetting jobs, and removing runs.
//!
//! Decides how it begins and how its end is reported. Long work is a job, a process of its own; the work here takes
//! moments, each piece on its own thread.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::eval::copies;
use crate::job::{self, CancelStep, Consent, JobError};
use crate::model::{JobId, JobKind, JobState};
use crate::question::source::advice;
use crate::store::{NewJob, Store, StoreAccess, StoreError};
use crate::task::Monitor;
use crate::text::{visible, with_causes};
use crate::widget::frame::{counted, cut};

/// A piece of work. A new kind is a variant here and an arm in [`perform`].
#[derive(Clone, Debug, PartialEq)]
pub enum BackgroundTask {
    /// An empty folder stands for the one that the program was started in.
    Start(Box<NewJob>),
    Cancel(JobId),
    /// Forgets the jobs that have ended.
    Clear,
    Remove {
        run: String,
    },
}

impl BackgroundTask {
    /// Describes a new job with these arguments, the name of the verb first.
    #[must_use]
    pub fn start(kind: JobKind, arguments: impl IntoIterator<Item = OsString>) -> Self {
        Self::Start(Box::new(NewJob {
            kind,
            arguments: arguments.into_iter().collect(),
            folder: PathBuf::new(),
            is_background: true,
            retry_of: None,
        }))
    }
}

/// A task that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedTask {
    pub task: BackgroundTask,
    pub outcome: TaskOutcome,
}

/// How a task ended, in texts for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// A job was started.
    Started(JobId),
    Done(String),
    /// It is done, but the user should know something.
    Doubtful(String),
    /// The error, and what to do about it.
    Failed {
        text: String,
        hint: String,
    },
}

/// The tasks that are underway.
#[derive(Debug)]
pub struct TaskThreads {
    folder: PathBuf,
    /// They disconnect when their threads end.
    live: Vec<Receiver<()>>,
    monitor: Arc<Monitor>,
}

impl TaskThreads {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            live: Vec::new(),
            monitor: Arc::default(),
        }
    }

    /// Starts a task on its own thread, which then hands its end to `tell`.
    pub fn start(&mut self, task: BackgroundTask, tell: impl FnOnce(EndedTask) + Send + 'static) {
        let (monitor, folder) = (Arc::clone(&self.monitor), self.folder.clone());
        let (alive, ended) = crossbeam_channel::bounded(0);
        thread::spawn(move || {
            let _alive: Sender<()> = alive;
            // A panic is a bug in one task; the panic hook has passed its message to the UI.
            let outcome = catch_unwind(AssertUnwindSafe(|| perform(&folder, &monitor, &task)));
            let outcome = outcome.unwrap_or_else(|_| TaskOutcome::Failed {
                text: "that failed: this is a bug in focalist".to_owned(),
                hint: KEPT.to_owned(),
            });
            tell(EndedTask { task, outcome });
        });
        let is_alive = |receiver: &Receiver<()>| {
            receiver.try_recv() != Err(crossbeam_channel::TryRecvError::Disconnected)
        };
        self.live.retain(is_alive);
        self.live.push(ended);
    }

    /// Waits for the work that was begun, no longer than `patience`: a user who asks for a job and leaves gets the job.
    /// The removal of a run is stopped.
    pub fn leave(self, patience: Duration) {
        self.monitor.cancel();
        let end = Instant::now() + patience;
        for ended in self.live {
            // Nothing is ever sent: the channel is closed, or the time is over.
            let _ = ended.recv_deadline(end);
        }
    }
}

/// Carries a task out, to its end.
fn perform(folder: &Path, monitor: &Monitor, task: &BackgroundTask) -> TaskOutcome {
    match task {
        BackgroundTask::Start(new) => start(folder, new),
        BackgroundTask::Cancel(id) => cancel(folder, *id),
        BackgroundTask::Clear => match job::clear(folder, i64::MAX) {
            Ok(n) => TaskOutcome::Done(format!("{} forgotten", counted(n as u64, "job"))),
            Err(error) => failed(&error),
        },
        BackgroundTask::Remove { run } => {
            let name = cut(&visible(run), 24);
            let mut copies = Ok(());
            let removed = Store::open(folder, StoreAccess::Write).and_then(|mut store| {
                let is_removed = store.remove_run(run, monitor)?;
                if is_removed {
                    copies = copies::forget(&store, run);
                }
                Ok(is_removed)
            });
            match removed {
                Ok(true) => match copies {
                    Ok(()) => TaskOutcome::Done(format!("removed {name}")),
                    Err(error) => TaskOutcome::Doubtful(format!(
                        "removed {name}, but not the copy of its predictions: {error}"
                    )),
                },
                Ok(false) => TaskOutcome::Doubtful(format!("{name} was gone already")),
                Err(StoreError::Cancelled(_)) => TaskOutcome::Doubtful(
                    "stopped: the run is gone, its rows go with the next import".to_owned(),
                ),
                Err(error) => TaskOutcome::Failed {
                    hint: advice(&error).unwrap_or(KEPT).to_owned(),
                    text: with_causes(&error),
                },
            }
        }
    }
}

fn start(folder: &Path, new: &NewJob) -> TaskOutcome {
    let mut new = new.clone();
    if new.folder.as_os_str().is_empty() {
        // Without a folder, the job itself reports which of its paths it cannot find.
        new.folder = std::env::current_dir().unwrap_or_default();
    }
    // The user has seen and confirmed the command of a job that is started again.
    match job::resume(folder, &new, Consent::Given) {
        Ok(id) => TaskOutcome::Started(id),
        Err(error) => failed(&error),
    }
}

fn cancel(folder: &Path, id: JobId) -> TaskOutcome {
    let mut last = CancelStep::Asked;
    let ended = job::cancel(folder, id, &mut |step| last = step);
    match ended {
        Ok(row) if row.state == JobState::Cancelled => {
            let how = match last {
                CancelStep::Asked | CancelStep::OutOfReach => "",
                CancelStep::Terminated => " after TERM",
                CancelStep::Killed => ": it did not respond and was killed",
            };
            TaskOutcome::Done(format!("job {id} cancelled{how} · r resumes it"))
        }
        Ok(row) if row.state.is_alive() => TaskOutcome::Doubtful(format!(
            "job {id} runs on `{}`: it was asked to stop; nothing more can be done here",
            visible(&row.host)
        )),
        Ok(row) => TaskOutcome::Done(format!("job {id} was {} already", row.state.as_str())),
        Err(error @ (JobError::NotAlive { .. } | JobError::NoSuch { .. })) => {
            TaskOutcome::Doubtful(error.to_string())
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &JobError) -> TaskOutcome {
    let hint = match error {
        JobError::Store(error) => advice(error).unwrap_or(KEPT),
        JobError::Died { .. } => "gj shows its log",
        _ => "nothing was changed",
    };
    TaskOutcome::Failed {
        text: visible(&with_causes(error)),
        hint: hint.to_owned(),
    }
}

const KEPT: &str = "everything stored before is kept";

#[cfg(test)]
mod tests {
    use super::*;

    use crate::eval::copies::FileCopies;
    use crate::store::testing::{counter_repo, put_unread_run, store_with};

    const DEADLINE: Duration = Duration::from_secs(30);

    fn removed(folder: &Path) -> TaskOutcome {
        let task = BackgroundTask::Remove {
            run: "a".to_owned(),
        };
        let mut tasks = TaskThreads::new(folder);
        let (sender, ends) = crossbeam_channel::bounded(1);
        tasks.start(task, move |ended| drop(sender.send(ended)));
        let ended = ends.recv_timeout(DEADLINE).expect("it ends");
        tasks.leave(DEADLINE);
        ended.outcome
    }

    #[test]
    fn what_goes_wrong_says_what_to_do() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let check = |expected: &str| match removed(folder.path()) {
            TaskOutcome::Failed { hint, .. } => assert!(hint.contains(expected), "{hint}"),
            other => panic!("{other:?}"),
        };
        check("a job is writing the index");
        drop(store);
        let gone = TaskOutcome::Doubtful("a was gone already".to_owned());
        assert_eq!(removed(folder.path()), gone);
        std::fs::remove_file(folder.path().join(Store::FILE_NAME)).expect("it is there");
        check("makes an index");
    }

    #[test]
    fn the_copy_of_its_predictions_goes_with_a_run() {
        let (folder, mut store) = store_with(&[counter_repo("a")]);
        put_unread_run(&mut store, "a", &[]);
        let copies = FileCopies::begin(&store, "a").expect("the folder is made");
        copies.keep().expect("it is kept");
        drop(store);
        let copy = folder.path().join("imported").join("a");
        assert!(copy.is_dir());
        assert_eq!(
            removed(folder.path()),
            TaskOutcome::Done("removed a".to_owned())
        );
        assert!(!copy.exists());
    }

    #[test]
    fn a_job_that_is_not_there_is_not_cancelled() {
        let (folder, _store) = store_with(&[counter_repo("a")]);
        let monitor = Monitor::default();
        let outcome = perform(folder.path(), &monitor, &BackgroundTask::Cancel(JobId(7)));
        assert!(matches!(
            outcome,
            TaskOutcome::Failed { .. } | TaskOutcome::Doubtful(_)
        ));
        let cleared = perform(folder.path(), &monitor, &BackgroundTask::Clear);
        assert_eq!(cleared, TaskOutcome::Done("0 jobs forgotten".to_owned()));
    }

    #[test]
    fn who_leaves_waits_for_what_was_begun() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        drop(store);
        let mut tasks = TaskThreads::new(folder.path());
        let (sender, ends) = crossbeam_channel::bounded(1);
        tasks.start(BackgroundTask::Clear, move |ended| drop(sender.send(ended)));
        tasks.leave(DEADLINE);
        ends.try_recv().expect("the end was told before");
    }
}
