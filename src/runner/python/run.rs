//! Runs many cases: decides which process runs which, and when a process is not trusted any more.
//!
//! Cases of one folder go to one server that forks. A folder whose server cannot be trusted (it has threads, or its
//! answer about one of the project's own files differs from a fresh process's) gets a fresh process for each case. A
//! server's answer is passed on once the [canaries](Canaries) after it have the right outcomes there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::Outcome;
use crate::python::refused::{MisplacedFile, UnfitReason};
use crate::sandbox::Root;
use crate::shakes::ProcessSurroundings;
use crate::task::{Cancelled, EngineStep, Monitor};
use crate::{RunnerError, Site, io_error};

use super::cache::PreparedFolder;
use super::canary::Canaries;
use super::case::{CaseExecution, PythonCase};
use super::environment::Environment;
use super::placed::{self, PlacedCase};
use super::server::{
    Mode, ProjectView, Server, ServerReply, ServerWorld, UnreadyReason, again_if_killed, is_below,
    strange,
};
use super::tree;

mod asking;
mod proof;
mod stem;

pub use asking::{CompiledChange, Statements, compiled, statements};
use proof::{CaseTask, UnprovenCase};
use stem::{Stem, Stems};

/// Cases of a folder that one worker takes at a time.
const N_AT_A_TIME: usize = 24;
/// How often the answer about a case may be lost with a server before the case gets a separate process.
const N_LOST_MAX: u8 = 2;
/// The number of the project's own files that decide which modules are imported.
const N_OWN_MAX: usize = 8;
/// How long a server may take to read all of the project's files.
const TO_READ: Duration = Duration::from_secs(300);
/// The empty file that every session in a folder begins with.
const ANCHOR: &str = "test_focalist_anchor.py";

/// Which processes run cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessKind {
    /// One that forks, where that can be trusted.
    #[default]
    Fork,
    /// A fresh one for each case.
    Fresh,
}

/// How cases are run.
#[derive(Clone, Debug)]
pub struct CaseRunner {
    pub how: ProcessKind,
    pub limit: Duration,
    pub n_jobs: usize,
    /// Whether lines are measured.
    pub has_lines: bool,
    /// Whether one of the project's own files has to have the same outcome both ways before a folder is trusted.
    pub is_checked: bool,
    /// Whether a server's answers are passed on at once, without canaries, because they are not counted.
    pub is_believed: bool,
    /// Changes to the surroundings of tests.
    pub around: ProcessSurroundings,
}

impl Default for CaseRunner {
    fn default() -> Self {
        Self {
            how: ProcessKind::Fork,
            limit: Duration::from_secs(10),
            n_jobs: 1,
            has_lines: true,
            is_checked: true,
            is_believed: false,
            around: ProcessSurroundings::default(),
        }
    }
}

/// Runs cases and passes on the result of each, with its index, as soon as it is known, in any order.
///
/// # Errors
/// Where nothing more can be run, and what the sink returns; results that were passed on stay valid.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn run_cases(
    site: &Site,
    environment: &Environment,
    cases: &[PythonCase],
    running: &CaseRunner,
    monitor: &Monitor,
    sink: &mut dyn FnMut(usize, CaseExecution) -> Result<(), Cancelled>,
) -> Result<(), RunnerError> {
    let work = FolderQueue::new(cases);
    let is_bare = site.sandbox.tool().name() == "none";
    // Without a sandbox all cases use the checkout itself, so they run one at a time.
    let n_jobs = if is_bare {
        1
    } else {
        running.n_jobs.clamp(1, work.n_parts.max(1))
    };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for n in 0..n_jobs {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || {
                let world = ServerWorld { site, environment };
                let done = Worker::new(world, running, monitor).and_then(|mut worker| {
                    worker.canaries = Canaries::new(cases, n);
                    let result = worker.work(cases, work, &sender);
                    worker.leave();
                    result
                });
                if let Err(error) = done {
                    // The receiver has gone, with an error of its own.
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let mut failed = None;
        for result in results {
            let handed = result.and_then(|(idx, ran)| Ok(sink(idx, ran)?));
            if let Err(error) = handed {
                failed.get_or_insert(error);
                work.empty();
            }
        }
        failed.map_or(Ok(()), Err)
    })
}

/// The remaining work, folder by folder.
struct FolderQueue {
    parts: Mutex<VecDeque<Vec<usize>>>,
    n_parts: usize,
}

impl FolderQueue {
    fn new(cases: &[PythonCase]) -> Self {
        let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (idx, case) in cases.iter().enumerate() {
            folders.entry(folder_of(&case.path)).or_default().push(idx);
        }
        // Sorted by path, so that tests of a file that is collected once follow each other.
        for of_folder in folders.values_mut() {
            of_folder.sort_by_key(|idx| &cases[*idx].path);
        }
        let of_one_test = |n: &usize, next: &usize| stem::is_of_one_test(&cases[*n], &cases[*next]);
        let parts: VecDeque<Vec<usize>> = folders
            .values()
            .flat_map(|value| chunks(value, N_AT_A_TIME, of_one_test))
            .collect();
        Self {
            n_parts: parts.len(),
            parts: Mutex::new(parts),
        }
    }

    fn next(&self) -> Option<Vec<usize>> {
        self.parts.lock().ok()?.pop_front()
    }

    fn empty(&self) {
        if let Ok(mut parts) = self.parts.lock() {
            parts.clear();
        }
    }
}

/// Deals items out in their order, at least `n` at a time except the last; those that belong together stay so.
fn chunks(items: &[usize], n: usize, belong: impl Fn(&usize, &usize) -> bool) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    for item in items {
        let last = chunks.last_mut();
        match last
            .filter(|items| items.len() < n || items.last().is_some_and(|last| belong(last, item)))
        {
            Some(chunk) => chunk.push(*item),
            None => chunks.push(vec![*item]),
        }
    }
    chunks
}

fn folder_of(path: &str) -> &Path {
    Path::new(path).parent().unwrap_or(Path::new(""))
}

/// Runs cases one at a time: it has its own view of the project, and a server in it.
struct Worker<'w> {
    world: ServerWorld<'w>,
    running: &'w CaseRunner,
    monitor: &'w Monitor,
    view: ProjectView,
    is_bare: bool,
    /// The view's folder, and the checkout.
    shown: Root,
    checkout: Root,
    server: Option<FolderServer>,
    /// Whether ports of earlier tests were still in use when the last file ran.
    has_met_ports: bool,
    /// How many files servers were asked to run.
    n_asked: u64,
    canaries: Canaries,
    stems: Stems,
    /// The server's answers that no canary has confirmed yet.
    unproven: Vec<UnprovenCase<'w>>,
    /// Results that can be passed on.
    proven: Vec<(usize, CaseExecution)>,
    /// Tasks to run again.
    again: VecDeque<CaseTask<'w>>,
    /// Folders that get fresh processes, and why.
    fresh: BTreeMap<PathBuf, String>,
    checked: BTreeMap<PathBuf, bool>,
    /// The modules that the project's own tests import, by folder.
    imports: BTreeMap<PathBuf, Vec<String>>,
}

/// A server, and the folder that it is for.
struct FolderServer {
    folder: PathBuf,
    server: Server,
    /// How many files it has run.
    n_ran: usize,
    /// Whether a case has changed something in it, so that it must not run the next one.
    is_over: bool,
    /// A test that it has collected.
    stem: Option<Stem>,
}

impl<'w> Worker<'w> {
    fn new(
        world: ServerWorld<'w>,
        running: &'w CaseRunner,
        monitor: &'w Monitor,
    ) -> Result<Self, RunnerError> {
        let is_bare = world.site.sandbox.tool().name() == "none";
        let checkout = world.environment.open_checkout()?;
        let folder = if is_bare {
            world.environment.checkout.clone()
        } else {
            let _step = monitor.timings.begin(EngineStep::Copy);
            tree::copy_to_scratch(world.site, &checkout, tree::TreeCopyKind::Link, monitor)?
        };
        Ok(Self {
            shown: Root::open(&folder).map_err(io_error(&folder))?,
            checkout,
            world,
            running,
            monitor,
            view: ProjectView {
                folder,
                is_writable: false,
                around: running.around.clone(),
            },
            is_bare,
            server: None,
            has_met_ports: false,
            n_asked: 0,
            canaries: Canaries::new(&[], 0),
            stems: Stems::default(),
            unproven: Vec::new(),
            proven: Vec::new(),
            again: VecDeque::new(),
            fresh: BTreeMap::new(),
            checked: world.known().checked(),
            imports: world.known().imports(),
        })
    }

    fn work(
        &mut self,
        cases: &'w [PythonCase],
        work: &FolderQueue,
        sender: &mpsc::Sender<Result<(usize, CaseExecution), RunnerError>>,
    ) -> Result<(), RunnerError> {
        let mut part = Vec::new().into_iter();
        loop {
            let next = self.again.pop_front().or_else(|| {
                let idx = part.next().or_else(|| {
                    part = work.next()?.into_iter();
                    part.next()
                })?;
                let case = &cases[idx];
                Some(CaseTask {
                    idx,
                    case,
                    n_lost: 0,
                })
            });
            self.monitor.step()?;
            match next {
                Some(task) => self.take(task)?,
                None => self.dismiss()?,
            }
            for pair in self.proven.drain(..) {
                if sender.send(Ok(pair)).is_err() {
                    return Ok(());
                }
            }
            if next.is_none() && self.again.is_empty() {
                return Ok(());
            }
        }
    }

    fn leave(&mut self) {
        self.server = None;
        if !self.is_bare {
            // The folder is removed with the sandbox at the latest.
            let _ = self.world.site.sandbox.remove(&self.view.folder);
        }
    }

    /// Runs one case, in a separate copy where it would write and may not.
    fn run(&mut self, task: &CaseTask<'w>) -> Result<CaseExecution, RunnerError> {
        let case = task.case;
        if !is_below(Path::new(&case.path)) {
            return Ok(CaseExecution::misplaced(&MisplacedFile::Outside));
        }
        // This comes before the file is placed, which may replace a file that decides about trust or imports.
        let folder = folder_of(&case.path);
        let is_fork = self.running.how == ProcessKind::Fork
            && task.n_lost < N_LOST_MAX
            && self.is_trusted(folder)?
            && self.open(folder)?;
        if let Some(grafted) = &case.grafted {
            let ran = if is_fork {
                self.graft(case, grafted)?
            } else {
                CaseExecution::unfit(&UnfitReason::NoServer)
            };
            return Ok(ran);
        }
        let mut ran = again_if_killed(|| self.run_once(case, is_fork), CaseExecution::was_killed)?;
        if ran.was_loaded() {
            ran = again_if_killed(|| self.run_once(case, false), CaseExecution::was_killed)?;
        }
        if ran.engine == "fork" && self.has_met_ports && ran.outcome < Outcome::Passing {
            // The case may have asked for a port that earlier tests had left open.
            ran = again_if_killed(|| self.run_once(case, false), CaseExecution::was_killed)?;
        }
        if self.is_bare || !ran.would_write() {
            return Ok(ran);
        }
        // The second result counts in any case: the better of the two would hide a test that fails by chance, and the
        // first one would keep failures that only come from a read-only checkout.
        let again = self.writing(case)?;
        Ok(again
            .filter(|case_execution| !case_execution.was_killed())
            .unwrap_or(ran))
    }

    fn run_once(&mut self, case: &PythonCase, is_fork: bool) -> Result<CaseExecution, RunnerError> {
        if !is_fork {
            return self.with_file(case, |worker| worker.alone(case, &worker.view));
        }
        let is_new = self
            .server
            .as_ref()
            .is_none_or(|folder_server| folder_server.n_ran == 0);
        let ran = self.forked(case)?;
        if self.server.is_some() || is_new || ran.engine != "fork" {
            return Ok(ran);
        }
        // An earlier case may have ended the server just now, so this says nothing about the case.
        self.forked(case)
    }

    fn order(&self) -> Value {
        json!({"lines": self.running.has_lines})
    }

    /// Runs a case in the server of its folder, which is dropped if it has ended.
    fn forked(&mut self, case: &PythonCase) -> Result<CaseExecution, RunnerError> {
        if self
            .server
            .as_ref()
            .is_some_and(|folder_server| folder_server.is_over)
        {
            self.lose_server();
        }
        let has_server = self.open(folder_of(&case.path))?;
        self.with_file(case, |worker| {
            // Ending the former test may have ended the server.
            if has_server && worker.server.is_some() {
                let limit = limit(case, worker.running);
                worker.ask_within(question(case), limit)
            } else {
                worker.alone(case, &worker.view)
            }
        })
    }

    /// Does some work while a case's file is in place. No server may be started then: a session might load the file by
    /// itself, as it does a `conftest.py`, in the process that judges all other cases.
    fn with_file(
        &mut self,
        case: &PythonCase,
        work: impl FnOnce(&mut Self) -> Result<CaseExecution, RunnerError>,
    ) -> Result<CaseExecution, RunnerError> {
        match self.place(case)? {
            Ok(_placed) => work(self),
            Err(why) => Ok(CaseExecution::misplaced(&why)),
        }
    }

    /// Puts a case's file where it belongs, or says why it cannot be there.
    fn place(&mut self, case: &PythonCase) -> Result<placed::Placement, RunnerError> {
        self.end_stem()?;
        let _step = self.monitor.timings.begin(EngineStep::Copy);
        PlacedCase::new(&self.shown, &self.checkout, case)
    }

    /// Starts the server of a folder where there is none; returns whether there is one.
    fn open(&mut self, folder: &Path) -> Result<bool, RunnerError> {
        if self.server.is_some() {
            return Ok(true);
        }
        let mut step = self.monitor.timings.begin(EngineStep::Start);
        match self.start(folder)? {
            Ok(mut server) => {
                self.warm(&mut server, folder)?;
                step.used(|| server.cpu());
                self.server = Some(FolderServer {
                    folder: folder.to_owned(),
                    server,
                    n_ran: 0,
                    is_over: false,
                    stem: None,
                });
                Ok(true)
            }
            Err(why) => {
                self.fresh.insert(folder.to_owned(), why);
                Ok(false)
            }
        }
    }

    /// Lets a server import the modules that the project's own tests import, and stores their names for the folder's
    /// next server.
    fn warm(&mut self, server: &mut Server, folder: &Path) -> Result<(), RunnerError> {
        if self.imports.contains_key(folder) {
            return Ok(());
        }
        let passed = &self.world.environment.suite.passed;
        let mut own: Vec<_> = passed
            .iter()
            .filter(|passed| folder_of(passed.0) == folder)
            .collect();
        own.sort_by_key(|pair| Reverse(pair.1));
        let paths: Vec<&String> = own.iter().take(N_OWN_MAX).map(|own| own.0).collect();
        let said = server.ask(json!({"imports": paths}), TO_READ, self.monitor)?;
        let names = match &said {
            ServerReply::Answer(answer) => serde_json::from_value(answer["imports"].clone()).ok(),
            // The first case will report that the server has ended.
            ServerReply::Ended(_) | ServerReply::Strange(_) => None,
        };
        self.imports
            .insert(folder.to_owned(), names.unwrap_or_default());
        self.world.known().keep_imports(&self.imports);
        Ok(())
    }

    /// Asks the server to run a file.
    fn ask_within(
        &mut self,
        question: Value,
        limit: Duration,
    ) -> Result<CaseExecution, RunnerError> {
        let serving = self.server.as_mut().expect("whoever asks has opened it");
        serving.n_ran += 1;
        self.n_asked += 1;
        let step = self.monitor.timings.begin(EngineStep::Test);
        let said = serving.server.run(question, limit, self.monitor)?;
        step.split(&said.steps());
        self.has_met_ports =
            matches!(&said, ServerReply::Answer(answer) if answer["met_ports"] == json!(true));
        if matches!(&said, ServerReply::Answer(answer) if answer["stem"] == json!(false)) {
            serving.stem = None;
        }
        match &said {
            // A server that a case has changed must not run the next one.
            ServerReply::Answer(answer) if answer["dirty"] == json!(true) => serving.is_over = true,
            ServerReply::Answer(answer) if answer["broken"].is_null() => {}
            ServerReply::Answer(_) | ServerReply::Ended(_) | ServerReply::Strange(_) => {
                self.lose_server();
            }
        }
        Ok(CaseExecution::of(said, "fork"))
    }

    /// Asks a server of the whole project, which is started for it.
    fn ask(&mut self, question: &Value) -> Result<ServerReply, RunnerError> {
        match self.start(Path::new(""))? {
            Ok(mut server) => server.ask(question.clone(), TO_READ, self.monitor),
            Err(said) => Err(strange(said)),
        }
    }

    /// Starts a server in a folder, or says why there is none.
    fn start(&mut self, folder: &Path) -> Result<Result<Server, String>, RunnerError> {
        // A folder whose conftests kill the session gets no server.
        let was_killed = |result: &Result<_, _>| matches!(result, Err(UnreadyReason::Killed));
        let started = again_if_killed(|| self.start_once(folder), was_killed)?;
        Ok(started.map_err(|unready_reason| match unready_reason {
            UnreadyReason::Killed => "the session was killed".to_owned(),
            UnreadyReason::Said(said) => said,
        }))
    }

    fn start_once(&mut self, folder: &Path) -> Result<Result<Server, UnreadyReason>, RunnerError> {
        let anchor = folder.join(ANCHOR);
        if let Err(error) = placed::write_empty(&self.view.folder, &anchor) {
            return Ok(Err(UnreadyReason::Said(format!(
                "there is no such folder: {error}"
            ))));
        }
        let mut order = self.order();
        order["anchor"] = json!(anchor);
        let known = self.world.known();
        let lines = known.lines().filter(|_| self.running.has_lines);
        order["maps"] = json!(lines);
        order["imports"] = json!(self.imports.get(folder));
        let started = self
            .world
            .start(&self.view, Mode::Serve, order, self.monitor);
        let ready =
            started.and_then(|mut server| Ok(server.ready(self.monitor)?.map(|n| (server, n))));
        if self.is_bare {
            // Without a sandbox the view is the checkout itself, so the file is removed once the session has read it.
            let _ = placed::remove(&self.view.folder, &anchor);
        }
        Ok(match ready? {
            Ok((mut server, 0)) => {
                if lines.is_none() && self.running.has_lines {
                    let question = json!({"maps": true});
                    let said = server.ask(question, TO_READ, self.monitor)?;
                    if let ServerReply::Answer(answer) = said {
                        known.keep_lines(&answer["maps"]);
                    }
                }
                Ok(server)
            }
            Ok((_, n)) => {
                let said = format!("the session has {n} threads or processes");
                Err(UnreadyReason::Said(said))
            }
            Err(unready) => Err(unready),
        })
    }

    fn alone(&self, case: &PythonCase, view: &ProjectView) -> Result<CaseExecution, RunnerError> {
        let timings = &self.monitor.timings;
        let mut start = timings.begin(EngineStep::Start);
        let mut server = self
            .world
            .start(view, Mode::Fresh, self.order(), self.monitor)?;
        start.used(|| server.cpu());
        drop(start);
        // No process inside watches the time, and the session has to start first.
        let limit = limit(case, self.running) + Duration::from_secs(5);
        let step = timings.begin(EngineStep::Test);
        let said = server.run(question(case), limit, self.monitor)?;
        step.split(&said.steps());
        Ok(CaseExecution::of(said, "fresh"))
    }

    /// Runs a case in a writable copy, which is removed afterwards; nothing where its file cannot be placed.
    fn writing(&self, case: &PythonCase) -> Result<Option<CaseExecution>, RunnerError> {
        let sandbox = &self.world.site.sandbox;
        let how = tree::TreeCopyKind::CopyForTests;
        let step = self.monitor.timings.begin(EngineStep::Copy);
        let folder = tree::copy_to_scratch(self.world.site, &self.checkout, how, self.monitor)?;
        drop(step);
        let shown = Root::open(&folder).map_err(io_error(&folder))?;
        let placed = PlacedCase::new(&shown, &self.checkout, case)?;
        let view = ProjectView {
            folder: folder.clone(),
            is_writable: true,
            around: self.running.around.clone(),
        };
        let ran = match placed {
            Ok(_) => self.alone(case, &view).map(Some),
            Err(_) => Ok(None),
        };
        // The folder is removed with the sandbox at the latest.
        let _ = sandbox.remove(&folder);
        ran
    }

    /// Tells whether a server answers like a fresh process about one of the project's own files in the folder.
    fn is_trusted(&mut self, folder: &Path) -> Result<bool, RunnerError> {
        if self.fresh.contains_key(folder) {
            return Ok(false);
        }
        if !self.running.is_checked {
            return Ok(true);
        }
        if let Some(is_trusted) = self.checked.get(folder) {
            return Ok(*is_trusted);
        }
        let own = self
            .world
            .environment
            .suite
            .passed
            .iter()
            .filter(|passed| folder_of(passed.0) == folder);
        let Some((path, _)) = own.min_by_key(|pair| pair.1) else {
            // The folder has no file to compare with.
            self.checked.insert(folder.to_owned(), true);
            return Ok(true);
        };
        let case = PythonCase {
            path: path.clone(),
            ..PythonCase::default()
        };
        // A killed process says nothing about the folder.
        let fork = again_if_killed(|| self.forked(&case), CaseExecution::was_killed)?;
        let is_same = fork.engine == "fork" && {
            let fresh =
                again_if_killed(|| self.alone(&case, &self.view), CaseExecution::was_killed)?;
            (fork.outcome, &fork.items) == (fresh.outcome, &fresh.items)
        };
        if !is_same {
            let why = format!("a server says otherwise of `{path}` than a fresh process");
            self.fresh.entry(folder.to_owned()).or_insert(why);
        }
        self.checked.insert(folder.to_owned(), is_same);
        self.world.known().keep_checked(&self.checked);
        Ok(is_same)
    }
}

/// Returns the time limit of a case.
fn limit(case: &PythonCase, running: &CaseRunner) -> Duration {
    case.limit.map_or(running.limit, |limit| limit.wall)
}

/// Writes the question to a server about a case.
fn question(case: &PythonCase) -> Value {
    json!({
        "path": case.path,
        "focal": case.focal,
        "changed": case.changed.as_ref().map(|changed| &changed.path),
        "watched": case.is_watched,
        "cpu": case.limit.map(|limit| limit.cpu_s),
        "shaken": case.shaken,
    })
}

impl ServerWorld<'_> {
    fn known(&self) -> PreparedFolder {
        PreparedFolder::of(&self.environment.root)
    }
}
