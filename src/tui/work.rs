//! Work that writes the index: imports, evaluations, removals. One at a time, on a thread of its own.
//!
//! Decides how work begins, is watched, is stopped and ends, and what is said of its end. What it does is the verbs'.
//! The thread opens a [`Store`] of its own for writing; how far it is stands in a [`Monitor`] that the loop reads a few
//! times a second, as long as the work lives and no longer.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::eval;
use crate::eval::crystal::{CrystalOptions, CrystalSource};
use crate::eval::evaluate::{EvalOptions, EvalReport, evaluate};
use crate::eval::import::{Form, ImportOptions, ImportReport, import};
use crate::metric::{self, METRICS, Metric};
use crate::model::{Filter, RunRow, RunSetting};
use crate::store::{Access, Store, StoreError};
use crate::task::{Monitor, Phase};
use crate::transfer;
use crate::tui::files::path_of;
use crate::tui::text::{visible, with_causes};
use crate::tui::widget::frame::{count, counted, cut};

/// Something to be done. A new kind is a variant here and an arm in [`perform`].
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    Import(Box<Import>),
    /// All runs where none is named. Where no metric is named, the default ones and those that the runs have.
    Evaluate {
        runs: Vec<String>,
        metrics: Vec<&'static str>,
    },
    Remove {
        run: String,
    },
}

/// A file to be loaded as a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// As typed.
    pub path: String,
    /// The time of the import is filled in when it begins.
    pub setting: RunSetting,
    pub aligned_with: Option<Filter>,
    pub is_replacing: bool,
}

impl Task {
    /// Returns what it is about, for the line that says how far it is.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Import(import) => format!("importing {}", short(&import.setting.name)),
            Self::Evaluate { runs, .. } if runs.is_empty() => "evaluating all runs".to_owned(),
            Self::Evaluate { runs, .. } => format!("evaluating {}", short(&runs.join(", "))),
            Self::Remove { run } => format!("removing {}", short(run)),
        }
    }
}

/// Returns a name that leaves room for what is said of it.
fn short(name: &str) -> String {
    cut(&visible(name), 24)
}

/// How far the work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    pub n_done: u64,
    /// 0 while nobody knows.
    pub n_total: u64,
    pub n_problems: u64,
}

impl Progress {
    fn of(monitor: &Monitor) -> Self {
        let read = |it: &std::sync::atomic::AtomicU64| it.load(Ordering::Relaxed);
        Self {
            phase: monitor.phase(),
            n_done: read(&monitor.n_predictions),
            n_total: read(&monitor.n_predictions_total),
            n_problems: read(&monitor.n_problems),
        }
    }

    /// Returns how far it is for people: `scoring 45 %`, `reading 12 000 · 3 problems`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.phase.as_str().to_owned();
        if let Some(percent) = (self.n_done * 100).checked_div(self.n_total) {
            text.push_str(&format!(" {} %", percent.min(100)));
        } else if self.n_done > 0 {
            text.push_str(&format!(" {}", count(self.n_done)));
        }
        if self.n_problems > 0 {
            text.push_str(&format!(" · {}", counted(self.n_problems, "problem")));
        }
        text
    }
}

/// How work came to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub task: Task,
    pub outcome: Outcome,
}

/// A text for people each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done(String),
    /// Done, but there is something to look at; a warning that needs room stands apart, else it is empty.
    Doubtful {
        text: String,
        warning: String,
    },
    /// On request; what is kept, and how it goes on.
    Stopped(String),
    /// What went wrong, and what to do about it.
    Failed {
        text: String,
        hint: String,
    },
}

/// The work that lives, if one does.
#[derive(Debug)]
pub struct Works {
    folder: PathBuf,
    live: Option<Live>,
}

#[derive(Debug)]
struct Live {
    monitor: Arc<Monitor>,
    seen: Progress,
    thread: JoinHandle<()>,
    /// Closed when the thread ends.
    ended: Receiver<()>,
}

impl Works {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            live: None,
        }
    }

    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.live.is_some()
    }

    /// Begins; `tell` hears of the end, from the work's thread. Only when nothing lives: the UI asks for nothing else.
    pub fn start(&mut self, task: Task, tell: impl FnOnce(Ended) + Send + 'static) {
        debug_assert!(!self.is_alive(), "one at a time");
        let monitor = Arc::new(Monitor::default());
        let (watched, folder) = (Arc::clone(&monitor), self.folder.clone());
        let (alive, ended) = crossbeam_channel::bounded(0);
        let thread = thread::spawn(move || {
            let _alive: Sender<()> = alive;
            // A panic is a bug in one piece of work; the panic hook has told the UI what it said.
            let outcome = catch_unwind(AssertUnwindSafe(|| perform(&folder, &watched, &task)));
            let outcome = outcome.unwrap_or_else(|_| Outcome::Failed {
                text: format!("{} failed: this is a bug in focalist", task.title()),
                hint: "what was stored before is kept".to_owned(),
            });
            tell(Ended { task, outcome });
        });
        self.live = Some(Live {
            monitor,
            seen: Progress::default(),
            thread,
            ended,
        });
    }

    /// Returns how far the work is, if that has changed.
    pub fn look(&mut self) -> Option<Progress> {
        let live = self.live.as_mut()?;
        let progress = Progress::of(&live.monitor);
        let is_news = live.seen != progress;
        live.seen = progress;
        is_news.then_some(progress)
    }

    /// Asks the work to stop at its next step.
    pub fn cancel(&self) {
        if let Some(live) = &self.live {
            live.monitor.cancel();
        }
    }

    /// Stops the work and waits for it, but not for ever: a pipe that nobody writes to does not hear. What was stored
    /// stays whole, also when the program ends first.
    pub fn leave(&mut self, patience: Duration) {
        self.cancel();
        let Some(live) = &self.live else {
            return;
        };
        if live.ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            self.live = None;
        }
        self.reap();
    }

    /// Waits for the thread; after its end was told that is a moment.
    pub fn reap(&mut self) {
        if let Some(live) = self.live.take() {
            // Its panics were caught.
            let _ = live.thread.join();
        }
    }
}

/// Does the work, to its end.
fn perform(folder: &Path, monitor: &Monitor, task: &Task) -> Outcome {
    let done = match task {
        Task::Import(it) => load(folder, monitor, it).map(|report| imported(it, &report)),
        Task::Evaluate { runs, metrics } => {
            score(folder, monitor, (runs, metrics)).map(|it| evaluated(&it))
        }
        Task::Remove { run } => remove(folder, monitor, run).map(|was_there| {
            let name = short(run);
            if was_there {
                Outcome::Done(format!("removed {name}"))
            } else {
                doubtful(format!("{name} was gone already"))
            }
        }),
    };
    done.unwrap_or_else(|error| match error {
        Trouble::Eval(eval::Error::Cancelled(_) | eval::Error::Store(StoreError::Cancelled(_))) => {
            Outcome::Stopped(stopped(task).to_owned())
        }
        Trouble::Eval(error) => explain(&error),
        Trouble::File { path, source } => Outcome::Failed {
            text: format!("cannot read `{}`: {source}", visible(&path)),
            hint: "i opens the form again, with what you typed".to_owned(),
        },
    })
}

/// Why work could not be done.
enum Trouble {
    Eval(eval::Error),
    File {
        path: String,
        source: std::io::Error,
    },
}

impl<E: Into<eval::Error>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Eval(error.into())
    }
}

fn load(folder: &Path, monitor: &Monitor, asked: &Import) -> Result<ImportReport, Trouble> {
    let file = File::open(path_of(&asked.path)).map_err(|source| Trouble::File {
        path: asked.path.clone(),
        source,
    })?;
    let input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 16, file));
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut store = Store::open(folder, Access::Write)?;
    let options = ImportOptions {
        setting: RunSetting {
            matcher: store.shown_matcher()?,
            // A clock before 1970 is no reason to refuse an import.
            imported_at: now.map_or(0, |it| it.as_secs().cast_signed()),
            ..asked.setting.clone()
        },
        form: Form::of_file(&asked.path),
        // The samples that an export with this filter writes.
        aligned_with: asked.aligned_with.clone().map(|mut filter| {
            filter.terms.extend(transfer::paper_filter());
            filter
        }),
        is_replacing: asked.is_replacing,
        is_strict: false,
    };
    let mut files = [(asked.path.clone(), input)];
    Ok(import(&mut store, monitor, &options, &mut files)?)
}

fn score(
    folder: &Path,
    monitor: &Monitor,
    (runs, metrics): (&[String], &[&str]),
) -> Result<Vec<EvalReport>, Trouble> {
    // One core stays for the screen.
    let n_cores = thread::available_parallelism().map_or(1, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads((n_cores - 1).max(1))
        .build()
        .map_err(|error| eval::Error::Io(std::io::Error::other(error)))?;
    pool.install(|| {
        let mut store = Store::open(folder, Access::Write)?;
        let options = EvalOptions {
            runs: runs.to_vec(),
            metrics: if metrics.is_empty() {
                wanted(&store.runs()?, runs)
            } else {
                let asked = |it: &&Metric| metrics.contains(&it.id);
                METRICS.iter().filter(asked).collect()
            },
            weights: [0.25; 4],
            crystal: CrystalOptions::default(),
            force: false,
        };
        Ok(evaluate(&mut store, monitor, &options)?)
    })
}

/// Returns the default metrics and those that the runs have, so that what is outdated is computed again.
fn wanted(all: &[RunRow], names: &[String]) -> Vec<&'static Metric> {
    let runs: Vec<&RunRow> = all
        .iter()
        .filter(|run| names.is_empty() || names.contains(&run.setting.name))
        .collect();
    let has = |metric: &Metric| runs.iter().any(|run| run.evaluation(metric.id).is_some());
    METRICS
        .iter()
        .filter(|it| metric::DEFAULT.contains(&it.id) || has(it))
        .collect()
}

fn remove(folder: &Path, monitor: &Monitor, run: &str) -> Result<bool, Trouble> {
    let mut store = Store::open(folder, Access::Write)?;
    Ok(store.remove_run(run, monitor)?)
}

fn doubtful(text: impl Into<String>) -> Outcome {
    Outcome::Doubtful {
        text: text.into(),
        warning: String::new(),
    }
}

fn imported(asked: &Import, report: &ImportReport) -> Outcome {
    let name = short(&asked.setting.name);
    let samples = counted(report.n_samples, "sample");
    let answers = if report.n_predictions == report.n_samples {
        String::new()
    } else {
        format!("{} for ", counted(report.n_predictions, "prediction"))
    };
    let text = format!("imported {name}: {answers}{samples}");
    match report.problems.len() as u64 {
        0 => Outcome::Done(format!("{text} · e evaluates")),
        n => doubtful(format!("{text}, {} · e evaluates", counted(n, "problem"))),
    }
}

fn evaluated(reports: &[EvalReport]) -> Outcome {
    let sum = |of: fn(&EvalReport) -> u64| reports.iter().map(of).sum::<u64>();
    let subject = match reports {
        [] => return doubtful("there is no run to evaluate · i imports one"),
        [report] => short(&report.run.setting.name),
        _ => counted(reports.len() as u64, "run"),
    };
    let (n_computed, n_lost) = (sum(|it| it.n_computed), sum(|it| it.n_without_reference));
    let text = if n_computed == 0 {
        format!("{subject}: every value was there already")
    } else {
        format!("evaluated {subject}: {}", counted(n_computed, "value"))
    };
    if n_lost > 0 {
        let lost = counted(n_lost, "prediction");
        return doubtful(format!("{text} · {lost} without a reference"));
    }
    let warning = reports
        .iter()
        .filter_map(|it| it.crystal.as_ref())
        .find_map(CrystalSource::warning);
    match warning {
        Some(warning) => Outcome::Doubtful {
            text,
            warning: visible(&warning),
        },
        None => Outcome::Done(text),
    }
}

const fn stopped(task: &Task) -> &'static str {
    match task {
        Task::Import(_) => "import stopped, nothing was stored · i opens the form again",
        Task::Evaluate { .. } => "evaluation stopped · e goes on where it stopped",
        Task::Remove { .. } => "stopped: the run is gone, its rows go with the next import",
    }
}

/// Returns what went wrong with what caused it, and what to do about it.
fn explain(error: &eval::Error) -> Outcome {
    let hint = match error {
        eval::Error::Store(error) => store_hint(error),
        eval::Error::RunExists { .. } => {
            "i opens the form again: another name, or `replace` set to yes"
        }
        eval::Error::BadName { .. } => "i opens the form again: a run needs a name",
        eval::Error::NothingUsable { .. } => {
            "a record is an object with `sample` (a key, as `focalist export` writes it) and `prediction`; \
             without keys, `aligned with` says which samples the records answer, in order"
        }
        eval::Error::NoSuchRun { .. } | eval::Error::WhichRun { .. } | eval::Error::NoRuns => {
            "^l reads the index again"
        }
        eval::Error::Outdated { .. } => "e evaluates the run again",
        eval::Error::Io(_)
        | eval::Error::Problems { .. }
        | eval::Error::NotEvaluated { .. }
        | eval::Error::NoBaseline { .. }
        | eval::Error::OtherOptions { .. }
        | eval::Error::OneRun
        | eval::Error::OtherQuestion { .. }
        | eval::Error::NothingInCommon { .. }
        | eval::Error::Cancelled(_) => "what was stored before is kept",
    };
    Outcome::Failed {
        text: with_causes(error),
        hint: hint.to_owned(),
    }
}

const fn store_hint(error: &StoreError) -> &'static str {
    match error {
        StoreError::Locked { .. } => {
            "a mine, import or eval is running in another terminal; try again when it has ended"
        }
        StoreError::Missing { .. } => "`focalist mine PATH…` or `focalist demo` makes an index",
        StoreError::ReadOnly { .. } => {
            "nothing was changed; give yourself the right to write the index, or copy it"
        }
        StoreError::Full { .. } => "make room on the disk; what was stored before is kept",
        StoreError::Newer { .. } => "this index needs a newer focalist",
        _ => "what was stored before is kept",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::model::{Extraction, Language, Matcher, ParseMode, Target};
    use crate::store::testing::{counter_repo, store_with};

    const DEADLINE: Duration = Duration::from_secs(30);

    fn setting(name: &str) -> RunSetting {
        RunSetting {
            name: name.to_owned(),
            model: None,
            target: Target::Assertion,
            matcher: Matcher::DEFAULT,
            language: Language::Java,
            extraction: Extraction::None,
            parse_mode: ParseMode::Strict,
            length_max: None,
            source: "predictions.jsonl".to_owned(),
            imported_at: 0,
        }
    }

    /// A workspace with samples, and a file with an answer to each.
    struct Place {
        folder: tempfile::TempDir,
        file: String,
    }

    impl Place {
        fn new() -> Self {
            let (folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
            let keys = store.keys(&Filter::default()).expect("the index reads");
            assert!(!keys.is_empty());
            let lines = keys.iter().enumerate().map(|(idx, key)| {
                format!("{{\"sample\":\"{key}\",\"prediction\":\"assertEquals({idx}, x);\"}}\n")
            });
            let path = folder.path().join("predictions.jsonl");
            std::fs::write(&path, lines.collect::<String>()).expect("the file is written");
            let file = path.to_str().expect("a temporary path is UTF-8").to_owned();
            Self { folder, file }
        }

        fn import(&self, name: &str) -> Task {
            Task::Import(Box::new(Import {
                path: self.file.clone(),
                setting: setting(name),
                aligned_with: None,
                is_replacing: false,
            }))
        }

        fn start(&self, works: &mut Works, task: Task) -> Receiver<Ended> {
            let (sender, ends) = crossbeam_channel::bounded(1);
            assert_eq!(works.folder, self.folder.path());
            works.start(task, move |ended| drop(sender.send(ended)));
            ends
        }

        /// Does one task to its end.
        fn run(&self, task: Task) -> Outcome {
            let mut works = Works::new(self.folder.path());
            let ends = self.start(&mut works, task);
            let ended = ends.recv_timeout(DEADLINE).expect("the work ends");
            works.reap();
            assert!(!works.is_alive());
            ended.outcome
        }

        fn runs(&self) -> Vec<RunRow> {
            let store = Store::open(self.folder.path(), Access::Read).expect("the index opens");
            store.runs().expect("the index reads")
        }
    }

    #[test]
    fn a_run_is_imported_evaluated_and_removed() {
        let place = Place::new();
        let imported = place.run(place.import("a"));
        assert!(matches!(imported, Outcome::Done(_)), "{imported:?}");
        assert!(place.runs()[0].setting.imported_at > 0);
        let evaluated = place.run(Task::Evaluate {
            runs: Vec::new(),
            metrics: Vec::new(),
        });
        let n_metrics = place.runs()[0].evaluations.len();
        assert_eq!(n_metrics, metric::DEFAULT.len(), "{evaluated:?}");
        let again = place.run(Task::Evaluate {
            runs: vec!["a".to_owned()],
            metrics: Vec::new(),
        });
        let text = format!("{again:?}");
        assert!(text.contains("every value was there already"), "{text}");
        place.run(Task::Evaluate {
            runs: vec!["a".to_owned()],
            metrics: vec!["edit:difflib"],
        });
        assert!(place.runs()[0].evaluation("edit:difflib").is_some());
        let removed = place.run(Task::Remove {
            run: "a".to_owned(),
        });
        assert_eq!(removed, Outcome::Done("removed a".to_owned()));
        assert_eq!(place.runs(), []);
    }

    #[test]
    fn what_goes_wrong_says_what_to_do() {
        let place = Place::new();
        let check = |task: Task, expected: &str, expected_hint: &str| match place.run(task) {
            Outcome::Failed { text, hint } => {
                assert!(text.contains(expected), "{text}");
                assert!(hint.contains(expected_hint), "{hint}");
            }
            other => panic!("{other:?}"),
        };
        place.run(place.import("a"));
        check(place.import("a"), "there is a run `a` already", "replace");
        let missing = Import {
            path: "nowhere.jsonl".to_owned(),
            setting: setting("b"),
            aligned_with: None,
            is_replacing: false,
        };
        let missing = Task::Import(Box::new(missing));
        check(missing, "cannot read `nowhere.jsonl`", "form");
        let other_format = place.folder.path().join("words.jsonl");
        std::fs::write(&other_format, "not json\n").expect("the file is written");
        let Task::Import(mut words) = place.import("b") else {
            unreachable!("it was made as an import")
        };
        words.path = other_format.to_string_lossy().into_owned();
        check(Task::Import(words), "no prediction of 1", "`sample`");
        let unknown = Task::Evaluate {
            runs: vec!["c".to_owned()],
            metrics: vec!["em"],
        };
        check(unknown, "no run `c`", "^l");
        let writer = Store::open(place.folder.path(), Access::Write).expect("the index opens");
        check(place.import("c"), "being written by another", "try again");
        drop(writer);
        let elsewhere = tempfile::tempdir().expect("tests may make folders");
        let outcome = perform(elsewhere.path(), &Monitor::default(), &place.import("a"));
        assert!(matches!(outcome, Outcome::Failed { hint, .. } if hint.contains("mine")));
    }

    #[test]
    fn work_that_is_stopped_says_how_it_goes_on() {
        let place = Place::new();
        let monitor = Monitor::default();
        monitor.cancel();
        let check = |task: &Task, expected: &str| {
            let outcome = perform(place.folder.path(), &monitor, task);
            assert!(
                matches!(&outcome, Outcome::Stopped(text) if text.contains(expected)),
                "{outcome:?}"
            );
        };
        check(&place.import("a"), "nothing was stored");
        assert_eq!(place.runs(), []);
        place.run(place.import("a"));
        check(
            &Task::Evaluate {
                runs: Vec::new(),
                metrics: Vec::new(),
            },
            "goes on",
        );
    }

    #[test]
    fn how_far_it_is_is_told_once_and_only_while_it_lives() {
        let place = Place::new();
        let mut works = Works::new(place.folder.path());
        assert_eq!(works.look(), None);
        let ends = place.start(&mut works, place.import("a"));
        ends.recv_timeout(DEADLINE).expect("the work ends");
        let last = works.look().expect("it has come somewhere");
        assert!(last.n_done > 0);
        assert_eq!(works.look(), None);
        works.reap();
        assert_eq!(works.look(), None);
    }

    #[test]
    fn leaving_stops_the_work_and_waits_for_it() {
        let place = Place::new();
        let mut works = Works::new(place.folder.path());
        works.leave(DEADLINE);
        let ends = place.start(&mut works, place.import("a"));
        works.leave(DEADLINE);
        assert!(!works.is_alive());
        let ended = ends.try_recv().expect("the end was told before");
        assert!(
            !matches!(ended.outcome, Outcome::Failed { .. }),
            "{ended:?}"
        );
    }

    #[test]
    fn progress_is_a_share_where_the_whole_is_known() {
        let check = |n_done, n_total, n_problems, expected: &str| {
            let progress = Progress {
                phase: Phase::Scoring,
                n_done,
                n_total,
                n_problems,
            };
            assert_eq!(progress.text(), expected);
        };
        check(0, 0, 0, "scoring");
        check(12_000, 0, 1, "scoring 12 000 · 1 problem");
        check(3, 8, 0, "scoring 37 %");
        check(9, 8, 2, "scoring 100 % · 2 problems");
    }
}
