//! Running many cases: which process runs which, and when one is not trusted with more.
//!
//! Cases of one folder go to one server that forks. A folder whose server cannot be trusted (it has threads, or says
//! otherwise than a fresh process of one of the project's own files) gets a fresh process a case.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::Outcome;
use crate::sandbox::{End, Root};
use crate::task::{Cancelled, Monitor};
use crate::{RunnerError, Site, io_error};

use super::case::{Case, CaseRan};
use super::environment::Environment;
use super::server::{
    KILL, Mode, Said, Server, Unready, View, World, again_if_killed, is_below, version, word_of,
};
use super::tree;

/// Cases of a folder that one worker takes at a time.
const N_AT_A_TIME: usize = 24;
/// How long a server may read all of the project's files.
const TO_READ: Duration = Duration::from_secs(300);
/// The file that every session in a folder begins with; it holds nothing.
const ANCHOR: &str = "test_focalist_anchor.py";

/// Which processes run cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// One that forks, where that can be trusted.
    #[default]
    Fork,
    /// A fresh one each.
    Fresh,
}

/// How cases are run.
#[derive(Clone, Debug)]
pub struct Running {
    pub how: How,
    pub limit: Duration,
    pub n_jobs: usize,
    /// Whether lines are measured.
    pub has_lines: bool,
    /// Whether one of the project's own files has to have the same outcome both ways before a folder is trusted.
    pub is_checked: bool,
}

impl Default for Running {
    fn default() -> Self {
        Self {
            how: How::Fork,
            limit: Duration::from_secs(10),
            n_jobs: 1,
            has_lines: true,
            is_checked: true,
        }
    }
}

/// Runs cases and hands over what became of each by its index as soon as it is known, in any order.
///
/// # Errors
/// Where nothing more can be run, and what the sink returns; what was handed over holds.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn run_cases(
    site: &Site,
    environment: &Environment,
    cases: &[Case],
    running: &Running,
    monitor: &Monitor,
    sink: &mut dyn FnMut(usize, CaseRan) -> Result<(), Cancelled>,
) -> Result<(), RunnerError> {
    let work = Work::new(cases);
    let is_bare = site.sandbox.tool().name() == "none";
    // Without a sandbox all of them see the checkout itself.
    let n_jobs = if is_bare {
        1
    } else {
        running.n_jobs.clamp(1, work.n_parts.max(1))
    };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..n_jobs {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || {
                let world = World { site, environment };
                let done = Worker::new(world, running, monitor).and_then(|mut worker| {
                    let result = worker.work(cases, work, &sender);
                    worker.leave();
                    result
                });
                if let Err(error) = done {
                    // Whoever listens has gone, with an error of its own.
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

/// What is left to do, folder by folder.
struct Work {
    parts: Mutex<VecDeque<Vec<usize>>>,
    n_parts: usize,
}

impl Work {
    fn new(cases: &[Case]) -> Self {
        let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (idx, case) in cases.iter().enumerate() {
            folders.entry(folder_of(&case.path)).or_default().push(idx);
        }
        let parts: VecDeque<Vec<usize>> = folders
            .values()
            .flat_map(|it| it.chunks(N_AT_A_TIME))
            .map(<[usize]>::to_vec)
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

fn folder_of(path: &str) -> &Path {
    Path::new(path).parent().unwrap_or(Path::new(""))
}

/// One at a time: its own view of the project, and a server in it.
struct Worker<'w> {
    world: World<'w>,
    running: &'w Running,
    monitor: &'w Monitor,
    view: View,
    is_bare: bool,
    /// What the view shows, and the checkout.
    shown: Root,
    checkout: Root,
    server: Option<(PathBuf, Server)>,
    /// Why a folder gets fresh processes.
    fresh: BTreeMap<PathBuf, String>,
    checked: BTreeMap<PathBuf, bool>,
}

impl<'w> Worker<'w> {
    fn new(
        world: World<'w>,
        running: &'w Running,
        monitor: &'w Monitor,
    ) -> Result<Self, RunnerError> {
        let is_bare = world.site.sandbox.tool().name() == "none";
        let checkout = world.environment.open_checkout()?;
        let folder = if is_bare {
            world.environment.checkout.clone()
        } else {
            tree::copy_to_scratch(world.site, &checkout, tree::How::Link, monitor)?
        };
        Ok(Self {
            shown: Root::open(&folder).map_err(io_error(&folder))?,
            checkout,
            world,
            running,
            monitor,
            view: View {
                folder,
                is_writable: false,
            },
            is_bare,
            server: None,
            fresh: BTreeMap::new(),
            checked: read_checked(world.environment),
        })
    }

    fn work(
        &mut self,
        cases: &[Case],
        work: &Work,
        sender: &mpsc::Sender<Result<(usize, CaseRan), RunnerError>>,
    ) -> Result<(), RunnerError> {
        while let Some(part) = work.next() {
            for idx in part {
                self.monitor.step()?;
                let ran = self.run(&cases[idx])?;
                if sender.send(Ok((idx, ran))).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.server = None;
        if !self.is_bare {
            // It goes with the sandbox at the latest.
            let _ = self.world.site.sandbox.remove(&self.view.folder);
        }
    }

    /// Runs one case, in a copy of its own where it would write and may not.
    fn run(&mut self, case: &Case) -> Result<CaseRan, RunnerError> {
        if !is_below(Path::new(&case.path)) {
            return Ok(CaseRan::new(
                Outcome::NotExecuted,
                "path",
                "the path leads out of the project",
            ));
        }
        // Before the file is there: it may stand for the one that trust is about.
        let is_fork = self.running.how == How::Fork && self.is_trusted(folder_of(&case.path))?;
        let placed = Placed::new(&self.shown, &self.checkout, case)?;
        let Some(placed) = placed else {
            return Ok(CaseRan::new(
                Outcome::NotExecuted,
                "path",
                "a file is there already",
            ));
        };
        let ran = again_if_killed(|| self.in_place(case, is_fork), CaseRan::was_killed)?;
        drop(placed);
        if self.is_bare || !ran.would_write() {
            return Ok(ran);
        }
        let again = self.writing(case)?;
        Ok(if again.outcome > ran.outcome {
            again
        } else {
            ran
        })
    }

    /// Runs a case whose file is there.
    fn in_place(&mut self, case: &Case, is_fork: bool) -> Result<CaseRan, RunnerError> {
        if is_fork {
            self.forked(case, folder_of(&case.path))
        } else {
            self.alone(case, &self.view.clone())
        }
    }

    fn order(&self) -> Value {
        json!({"lines": self.running.has_lines})
    }

    fn forked(&mut self, case: &Case, folder: &Path) -> Result<CaseRan, RunnerError> {
        if self.server.as_ref().is_none_or(|it| it.0 != folder) {
            self.server = None;
            match self.start(folder)? {
                Ok(server) => self.server = Some((folder.to_owned(), server)),
                Err(why) => {
                    self.fresh.insert(folder.to_owned(), why);
                    return self.alone(case, &self.view.clone());
                }
            }
        }
        let (_, server) = self.server.as_mut().expect("it was just started");
        let said = server.run(&case.path, self.running.limit, focal(case), self.monitor)?;
        let is_over = match &said {
            Said::Answer(answer) => answer["dirty"] == json!(true) || !answer["broken"].is_null(),
            Said::Ended(_) => true,
        };
        if is_over {
            // What a case has changed is not for the next one.
            self.server = None;
        }
        Ok(CaseRan::of(said, "fork"))
    }

    /// Asks a server of the whole project, which is started for it.
    fn ask(&mut self, question: &Value) -> Result<Said, RunnerError> {
        match self.start(Path::new(""))? {
            Ok(mut server) => server.ask(question.clone(), TO_READ, self.monitor),
            Err(said) => Err(RunnerError::Worker {
                what: "program that runs tests",
                said,
            }),
        }
    }

    /// Starts a server in a folder, or says why there is none.
    fn start(&mut self, folder: &Path) -> Result<Result<Server, String>, RunnerError> {
        // A folder whose conftests do that themselves has no server.
        let was_killed = |it: &Result<_, _>| matches!(it, Err(Unready::Killed));
        let started = again_if_killed(|| self.start_once(folder), was_killed)?;
        Ok(started.map_err(|it| match it {
            Unready::Killed => "the session was killed".to_owned(),
            Unready::Said(said) => said,
        }))
    }

    fn start_once(&mut self, folder: &Path) -> Result<Result<Server, Unready>, RunnerError> {
        let anchor = folder.join(ANCHOR);
        let place = tree::without_links(&self.shown, folder).map(|it| it.join(ANCHOR));
        let place = place.unwrap_or_else(|| anchor.clone());
        let path = self.shown.path().join(&place);
        self.shown.write(&place, b"").map_err(io_error(&path))?;
        let mut order = self.order();
        order["anchor"] = json!(anchor);
        let maps = Maps(self.world.environment.folder()?);
        let known = maps.read().filter(|_| self.running.has_lines);
        order["maps"] = json!(known);
        let started = self
            .world
            .start(&self.view, Mode::Serve, order, self.monitor);
        let ready =
            started.and_then(|mut server| Ok(server.ready(self.monitor)?.map(|it| (server, it))));
        if self.is_bare {
            // It is the checkout; the session has seen the file.
            let _ = self.shown.remove_file(&place);
        }
        Ok(match ready? {
            Ok((mut server, 0)) => {
                if known.is_none() && self.running.has_lines {
                    maps.ask(&mut server, self.monitor)?;
                }
                Ok(server)
            }
            Ok((_, n)) => {
                let said = format!("the session has {n} threads or processes");
                Err(Unready::Said(said))
            }
            Err(unready) => Err(unready),
        })
    }

    fn alone(&self, case: &Case, view: &View) -> Result<CaseRan, RunnerError> {
        let mut server = self
            .world
            .start(view, Mode::Fresh, self.order(), self.monitor)?;
        // Nobody inside keeps the time, and a session has to start first.
        let limit = self.running.limit + Duration::from_secs(5);
        let said = server.run(&case.path, limit, focal(case), self.monitor)?;
        Ok(CaseRan::of(said, "fresh"))
    }

    /// Runs a case where it may write, and throws away what it has written.
    fn writing(&self, case: &Case) -> Result<CaseRan, RunnerError> {
        let sandbox = &self.world.site.sandbox;
        let how = tree::How::CopyForTests;
        let folder = tree::copy_to_scratch(self.world.site, &self.checkout, how, self.monitor)?;
        let shown = Root::open(&folder).map_err(io_error(&folder))?;
        let placed = Placed::new(&shown, &self.checkout, case)?;
        let view = View {
            folder: folder.clone(),
            is_writable: true,
        };
        let ran = self.alone(case, &view);
        drop(placed);
        // It goes with the sandbox at the latest.
        let _ = sandbox.remove(&folder);
        ran
    }

    /// Returns whether a server says the same as a fresh process of one of the project's own files in the folder.
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
            .filter(|it| folder_of(it.0) == folder);
        let Some((path, _)) = own.min_by_key(|it| it.1) else {
            // There is nothing to compare.
            self.checked.insert(folder.to_owned(), true);
            return Ok(true);
        };
        let case = Case {
            path: path.clone(),
            ..Case::default()
        };
        // What was killed says nothing of the folder.
        let fork = again_if_killed(|| self.forked(&case, folder), CaseRan::was_killed)?;
        let is_same = fork.engine == "fork" && {
            let view = self.view.clone();
            let fresh = again_if_killed(|| self.alone(&case, &view), CaseRan::was_killed)?;
            (fork.outcome, &fork.items) == (fresh.outcome, &fresh.items)
        };
        if !is_same {
            let why = format!("a server says otherwise of `{path}` than a fresh process");
            self.fresh.entry(folder.to_owned()).or_insert(why);
        }
        self.checked.insert(folder.to_owned(), is_same);
        write_checked(self.world.environment, &self.checked);
        Ok(is_same)
    }
}

/// Lines at which statements of a file begin, and those that no count has.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Statements {
    /// As ranges.
    pub statements: String,
    pub excluded: String,
    pub error: Option<String>,
}

/// Returns the statements of files of the project, as lines are counted.
///
/// # Errors
/// Where the process inside does not answer.
pub fn statements(
    site: &Site,
    environment: &Environment,
    paths: &[String],
    monitor: &Monitor,
) -> Result<BTreeMap<String, Statements>, RunnerError> {
    let running = Running::default();
    let mut worker = Worker::new(World { site, environment }, &running, monitor)?;
    let question = json!({"statements": paths});
    // Nothing of the project runs there: it was somebody outside.
    let was_killed = |it: &Said| matches!(it, Said::Ended(End::Signalled(KILL)));
    let answer = again_if_killed(|| worker.ask(&question), was_killed)?;
    worker.leave();
    let mut answer = match answer {
        Said::Answer(answer) => answer,
        Said::Ended(end) => {
            return Err(RunnerError::Worker {
                what: "program that runs tests",
                said: word_of(end),
            });
        }
    };
    let said = answer["statements"].take();
    serde_json::from_value(said).map_err(|error| RunnerError::Worker {
        what: "program that runs tests",
        said: error.to_string(),
    })
}

fn focal(case: &Case) -> Option<(&str, u32)> {
    case.focal
        .as_ref()
        .map(|(path, line)| (path.as_str(), *line))
}

/// A case's file, for as long as it is there. The case itself may change what lies around it, so it is put there and taken
/// away without following a link.
pub(super) struct Placed {
    view: Root,
    checkout: Root,
    file: Option<PathBuf>,
    /// Made for it, innermost first.
    folders: Vec<PathBuf>,
    /// Whether the checkout's own file comes back.
    is_own: bool,
}

impl Placed {
    /// Writes it; nothing where something is there already.
    pub(super) fn new(
        view: &Root,
        checkout: &Root,
        case: &Case,
    ) -> Result<Option<Self>, RunnerError> {
        let mut placed = Self {
            view: view.clone(),
            checkout: checkout.clone(),
            file: None,
            folders: Vec::new(),
            is_own: false,
        };
        let Some(code) = &case.code else {
            return Ok(Some(placed));
        };
        let place = Path::new(&case.path);
        let failed = io_error(place);
        let parent = tree::without_links(view, place.parent().unwrap_or(Path::new("")));
        let (Some(parent), Some(name)) = (parent, place.file_name()) else {
            return Ok(None);
        };
        let file = parent.join(name);
        // Never in the checkout itself: who is killed puts nothing back.
        let is_free = if case.stands_for_file {
            view.path() != checkout.path()
        } else {
            view.kind(&file).is_ok_and(|it| it.is_none())
        };
        if !is_free {
            return Ok(None);
        }
        let is_missing = |it: &&Path| !view.path().join(it).exists();
        let folders = parent.ancestors().take_while(is_missing);
        placed.folders = folders.map(Path::to_owned).collect();
        view.create_folders(&parent).map_err(&failed)?;
        if case.stands_for_file {
            // It is the checkout's under another name: what is written into it would be there, too.
            view.remove_file(&file).map_err(&failed)?;
        }
        placed.is_own = case.stands_for_file;
        placed.file = Some(file.clone());
        let written = view
            .create(&file)
            .and_then(|mut it| it.write_all(code.as_bytes()));
        written.map_err(&failed)?;
        Ok(Some(placed))
    }

    /// Gives the place of the case back to what it stood for.
    fn put_back(&self, file: &Path) -> io::Result<()> {
        let linked = self.checkout.link(file, &self.view, file);
        linked.or_else(|_| {
            let mut own = self.checkout.open_file(file)?;
            io::copy(&mut own, &mut self.view.create(file)?).map(|_| ())
        })
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let Some(file) = &self.file else { return };
        // What is left goes with the sandbox.
        let _ = self.view.remove_file(file);
        if self.is_own {
            let _ = self.put_back(file);
        }
        for folder in &self.folders {
            let _ = self.view.remove(folder);
        }
    }
}

/// Bytes of what is kept of a project beside its manifest.
const N_BYTES_MAX: u64 = 256 << 20;

/// Which lines of the project's files belong to one statement, as the first server has found it out: nothing of the checkout
/// ever changes.
struct Maps(Root);

impl Maps {
    fn name() -> String {
        format!("lines-{}.json", version())
    }

    fn read(&self) -> Option<Value> {
        serde_json::from_slice(&self.0.read(Self::name(), N_BYTES_MAX).ok()?).ok()
    }

    fn ask(&self, server: &mut Server, monitor: &Monitor) -> Result<(), RunnerError> {
        let said = server.ask(json!({"maps": true}), TO_READ, monitor)?;
        if let Said::Answer(answer) = said {
            let text = serde_json::to_vec(&answer["maps"]).unwrap_or_default();
            // It is found out again where it cannot be kept.
            let _ = self.0.write(Self::name(), text);
        }
        Ok(())
    }
}

fn checked_name() -> String {
    format!("checked-{}.json", version())
}

/// Returns what earlier runs have found out about folders.
fn read_checked(environment: &Environment) -> BTreeMap<PathBuf, bool> {
    let folder = environment.folder().ok();
    let text = folder.and_then(|it| it.read(checked_name(), N_BYTES_MAX).ok());
    text.and_then(|it| serde_json::from_slice(&it).ok())
        .unwrap_or_default()
}

fn write_checked(environment: &Environment, checked: &BTreeMap<PathBuf, bool>) {
    let text = serde_json::to_vec(checked).expect("paths of projects are text");
    // It is found out again where it cannot be kept.
    let _ = environment
        .folder()
        .map(|it| it.write(checked_name(), text));
}
