//! Running many cases: which process runs which, and when one is not trusted with more.
//!
//! Cases of one folder go to one server that forks. A folder whose server cannot be trusted (it has threads, or says
//! otherwise than a fresh process of one of the project's own files) gets a fresh process a case.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::Outcome;
use crate::sandbox::End;
use crate::task::{Cancelled, Monitor};
use crate::{RunnerError, Site};

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
        let folder = if is_bare {
            world.environment.checkout.clone()
        } else {
            let folder = world.site.sandbox.scratch()?;
            tree::copy(
                &world.environment.checkout,
                &folder,
                tree::How::Link,
                monitor,
            )?;
            folder
        };
        Ok(Self {
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
            checked: read_checked(&world.environment.root),
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
        let checkout = &self.world.environment.checkout;
        let placed = Placed::new(&self.view.folder, checkout, case)?;
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
        let path = self.view.folder.join(&anchor);
        fs::write(&path, b"").map_err(|source| RunnerError::Io {
            path: path.clone(),
            source,
        })?;
        let mut order = self.order();
        order["anchor"] = json!(anchor);
        let maps = Maps::new(&self.world.environment.root);
        let known = maps.read().filter(|_| self.running.has_lines);
        order["maps"] = json!(known);
        let started = self
            .world
            .start(&self.view, Mode::Serve, order, self.monitor);
        let ready =
            started.and_then(|mut server| Ok(server.ready(self.monitor)?.map(|it| (server, it))));
        if self.is_bare {
            // It is the checkout; the session has seen the file.
            let _ = fs::remove_file(&path);
        }
        Ok(match ready? {
            Ok((mut server, 0)) => {
                if known.is_none() && self.running.has_lines {
                    maps.ask(&mut server, self.world.site, self.monitor)?;
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
        let folder = sandbox.scratch()?;
        tree::copy(
            &self.world.environment.checkout,
            &folder,
            tree::How::CopyForTests,
            self.monitor,
        )?;
        let placed = Placed::new(&folder, &self.world.environment.checkout, case)?;
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
        write_checked(&self.world.environment.root, &self.checked);
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

/// A case's file, for as long as it is there.
struct Placed {
    file: Option<PathBuf>,
    /// Made for it, innermost first.
    folders: Vec<PathBuf>,
    /// What it stands for, which comes back.
    own: Option<PathBuf>,
}

impl Placed {
    /// Writes it; nothing where something is there already.
    fn new(view: &Path, checkout: &Path, case: &Case) -> Result<Option<Self>, RunnerError> {
        let path = view.join(&case.path);
        let Some(code) = &case.code else {
            return Ok(Some(Self {
                file: None,
                folders: Vec::new(),
                own: None,
            }));
        };
        let failed = |source| RunnerError::Io {
            path: path.clone(),
            source,
        };
        let parent = path.parent().unwrap_or(view);
        // A link in the project may lead anywhere.
        let real = parent
            .ancestors()
            .find(|it| it.exists())
            .and_then(|it| fs::canonicalize(it).ok());
        let is_inside =
            real.is_some_and(|it| fs::canonicalize(view).is_ok_and(|view| it.starts_with(view)));
        let own = case.stands_for_file.then(|| checkout.join(&case.path));
        // Never in the checkout itself: who is killed puts nothing back.
        let is_free = match &own {
            Some(own) => *own != path,
            None => fs::symlink_metadata(&path).is_err(),
        };
        if !is_inside || !is_free {
            return Ok(None);
        }
        if own.is_some() {
            // It is the checkout's under another name: what is written into it would be there, too.
            fs::remove_file(&path).map_err(failed)?;
        }
        let folders: Vec<PathBuf> = parent
            .ancestors()
            .take_while(|it| !it.exists())
            .map(Path::to_owned)
            .collect();
        fs::create_dir_all(parent).map_err(failed)?;
        let placed = Self {
            file: Some(path.clone()),
            folders,
            own,
        };
        fs::write(&path, code).map_err(failed)?;
        Ok(Some(placed))
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let Some(file) = &self.file else { return };
        // What is left goes with the sandbox.
        let _ = fs::remove_file(file);
        if let Some(own) = &self.own {
            let _ = fs::hard_link(own, file).or_else(|_| fs::copy(own, file).map(|_| ()));
        }
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Which lines of the project's files belong to one statement, as the first server has found it out: nothing of the checkout
/// ever changes.
struct Maps(PathBuf);

impl Maps {
    fn new(root: &Path) -> Self {
        Self(root.join(format!("lines-{}.json", version())))
    }

    fn read(&self) -> Option<Value> {
        serde_json::from_slice(&fs::read(&self.0).ok()?).ok()
    }

    fn ask(&self, server: &mut Server, site: &Site, monitor: &Monitor) -> Result<(), RunnerError> {
        let said = server.ask(json!({"maps": true}), TO_READ, monitor)?;
        if let Said::Answer(answer) = said {
            // Whole or not at all: another worker may write it, too.
            let folder = site.sandbox.scratch()?;
            let new = folder.join("lines.json");
            let text = serde_json::to_vec(&answer["maps"]).unwrap_or_default();
            // It is found out again where it cannot be kept.
            let _ = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.0));
            let _ = site.sandbox.remove(&folder);
        }
        Ok(())
    }
}

/// Returns what earlier runs have found out about folders.
fn read_checked(root: &Path) -> BTreeMap<PathBuf, bool> {
    let text = fs::read(root.join(format!("checked-{}.json", version())));
    text.ok()
        .and_then(|it| serde_json::from_slice(&it).ok())
        .unwrap_or_default()
}

fn write_checked(root: &Path, checked: &BTreeMap<PathBuf, bool>) {
    let path = root.join(format!("checked-{}.json", version()));
    let text = serde_json::to_vec(checked).expect("paths of projects are text");
    // It is found out again where it cannot be kept.
    let _ = fs::write(path, text);
}
