//! The engine `fast`: all candidates of a project in a few resident JVMs, each with classes of its own.
//!
//! A JVM compiles, others run; all are in the sandbox. `docs/execute.md` lists what is isolated from one candidate to
//! the next, and what is not.

mod canary;
mod compiler_folder;
mod faults;
mod framework;
mod javac;
mod maker;
mod order;
mod plan;
mod pool;
pub(super) mod program;
mod queue;
mod reply;
mod round;
mod running;
mod shakes;
mod suite;
mod talk;

pub use compiler_folder::CompilerFolder;
pub use maker::VARIANT;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::candidate::{Candidate, CoverageQuestion, Focal, HostFile};
use crate::model::{BlockedReason, FocalCoverage, Outcome, OutcomeReason};
use crate::sandbox::Root;
use crate::shakes::ProcessSurroundings;
use crate::task::{EngineStep, Monitor};
use crate::{CandidateSink, Engine, RunnerError, Site, io_error};

#[cfg(test)]
pub(super) use self::javac::lombok_settings as settings_of_lombok;
#[cfg(test)]
pub(crate) use self::program::token;

use self::compiler_folder::{CLASSES, PROCESSED, SOURCES};
use self::faults::FaultCall;
use self::framework::Runner;
use self::pool::WorkerPool;
use self::reply::{blocked, coverage, hex, outcome};
use self::round::{CandidateTask, CompileReply, CompiledCandidate, FileCandidates, Rounds};
use self::shakes::ShakeRequest;
use self::talk::{FocalQuery, Job, WorkerAnswer, WorkerProject, WorkerRequest, wrong};
use super::host::Hosts;
use super::member::{MethodReader, unix_lines};
use super::scaffold::PER_COPY_MAX;
use super::text::Cleaner;
use super::{Build, Module};

/// How candidates are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FastOptions {
    /// The wall-clock limit of one candidate.
    pub timeout: Duration,
    /// The time that a compiler has, besides its time for each text by length.
    pub to_compile: Duration,
    /// JVMs that run candidates at a time.
    pub n_jobs: usize,
    /// The heap of each of them; never less than a gibibyte.
    pub heap_mib: u64,
    /// Libraries are loaded anew for each candidate, too: for those that load classes of the project by name.
    pub is_flat: bool,
    /// Entries of the class path that tests need besides the project's own.
    pub more: Vec<PathBuf>,
    /// All entered methods of the project are reported, not only whether the focal method was entered.
    pub tells_entered: bool,
    /// How many candidates a JVM runs before it is ended: libraries keep what they have seen.
    pub n_runs_max: u32,
    /// Changes to the surroundings of tests.
    pub around: ProcessSurroundings,
    /// Classes in place of the JDK's own: those of [`Fast::order`], or none.
    pub patch: Option<PathBuf>,
}

impl Default for FastOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            to_compile: Duration::from_secs(60),
            n_jobs: 1,
            heap_mib: 1024,
            is_flat: false,
            more: Vec::new(),
            tells_entered: false,
            n_runs_max: 500,
            around: ProcessSurroundings::default(),
            patch: None,
        }
    }
}

/// Runs candidates of one prepared project.
pub struct Fast<'s> {
    site: &'s Site,
    build: &'s Build,
    options: FastOptions,
    /// The folder that candidates are compiled in, kept from call to call.
    compiler_folder: Option<CompilerFolder>,
    /// The workers of the module that was run last.
    pool: Option<(usize, WorkerPool<'s>)>,
    hosts: BTreeMap<usize, Hosts>,
    runners: BTreeMap<usize, BTreeMap<Runner, Result<(), OutcomeReason>>>,
    n_folders: usize,
}

/// The input of a call for one module.
struct EngineCall<'c, 'f> {
    files: &'c [HostFile],
    tasks: Vec<CandidateTask<'c>>,
    /// The runner of each task.
    runners: Vec<Runner>,
    is_outside_suite: Vec<bool>,
    /// Whether each of the last tasks, which are canaries, must pass.
    canaries: Vec<bool>,
    aim: Aim<'c, 'f>,
    monitor: &'c Monitor,
}

/// The purpose of a call.
#[derive(Clone, Copy)]
enum Aim<'c, 'f> {
    /// The outcomes of candidates.
    Outcomes,
    /// Also the outcomes on mutants of those that pass.
    Faults(&'c FaultCall<'f>),
    /// The fates of tests with something changed around them.
    Shakes(&'c ShakeRequest<'f>),
}

impl EngineCall<'_, '_> {
    const fn n_candidates(&self) -> usize {
        self.tasks.len() - self.canaries.len()
    }
}

impl Engine for Fast<'_> {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let candidates: Vec<&Candidate> = candidates.iter().collect();
        self.run_all((files, &candidates), Aim::Outcomes, monitor, sink)
    }

    fn measure(
        &mut self,
        questions: &[CoverageQuestion],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        self.answer(questions, monitor)
    }
}

impl<'s> Fast<'s> {
    #[must_use]
    pub const fn new(site: &'s Site, build: &'s Build, options: FastOptions) -> Self {
        Self {
            site,
            build,
            options,
            compiler_folder: None,
            pool: None,
            hosts: BTreeMap::new(),
            runners: BTreeMap::new(),
            n_folders: 0,
        }
    }

    /// Takes over the folder and the compiler that another engine has left.
    #[must_use]
    pub fn with_compiler_folder(mut self, compiler_folder: Option<CompilerFolder>) -> Self {
        self.compiler_folder = compiler_folder;
        self
    }

    /// Hands the folder where candidates were compiled, with its compiler, to another engine.
    #[must_use]
    pub fn leave(self) -> Option<CompilerFolder> {
        self.compiler_folder
    }

    fn run_all(
        &mut self,
        (files, candidates): (&[HostFile], &[&Candidate]),
        aim: Aim<'_, '_>,
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let mut by_module: BTreeMap<usize, Vec<&Candidate>> = BTreeMap::new();
        for candidate in candidates {
            monitor.step()?;
            match self.module_of(files.get(candidate.file_idx)) {
                Some(module) => by_module.entry(module).or_default().push(candidate),
                None => sink(blocked(candidate.id, BlockedReason::NoBuild, "", None))?,
            }
        }
        for (module, candidates) in by_module {
            self.run_module(module, (files, &candidates, aim), monitor, sink)?;
        }
        Ok(())
    }

    /// Answers questions, each in the module of its test file. The compiler's JVM does the counting, because no
    /// candidate ever runs in it.
    ///
    /// # Errors
    /// Where the compiler cannot be started.
    fn answer(
        &mut self,
        questions: &[CoverageQuestion],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        let mut answers: Vec<Vec<Option<FocalCoverage>>> = Vec::with_capacity(questions.len());
        answers.extend(questions.iter().map(|asked| vec![None; asked.focals.len()]));
        let mut by_module: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (idx, question) in questions.iter().enumerate() {
            if let Some(module) = self.module_of_path(&question.path) {
                by_module.entry(module).or_default().push(idx);
            }
        }
        for (module, asked_here) in by_module {
            let class_path = self.class_path(module);
            let compiler_folder = self.open(monitor)?;
            for idx in asked_here {
                let CoverageQuestion {
                    covered, focals, ..
                } = &questions[idx];
                let request = WorkerRequest::Measure {
                    class_path: &class_path,
                    covered: covered
                        .iter()
                        .map(|covered| (covered.unit.as_str(), hex(&covered.bits)))
                        .collect(),
                    focals: focals.iter().map(asked).collect(),
                };
                let limit = (Some(Duration::from_secs(600)), monitor);
                let compiler = compiler_folder.compiler();
                match compiler.ask(EngineStep::Coverage, &request, limit)? {
                    Some(WorkerAnswer::Measured { focals }) => {
                        let focals = focals.into_iter().map(|focal| focal.map(coverage));
                        answers[idx] = focals.collect();
                    }
                    other => return Err(wrong(&format!("{other:?}"))),
                }
            }
        }
        Ok(answers)
    }

    /// Finds the module in whose sources a file lies; the innermost where there are more.
    fn module_of(&self, file: Option<&HostFile>) -> Option<usize> {
        self.module_of_path(&file?.path)
    }

    fn module_of_path(&self, path: &str) -> Option<usize> {
        let path = self.build.tree.join(path);
        let modules = self.build.modules.iter().enumerate();
        let depth = |module: &Module| {
            let roots = module.test_source_roots.iter().chain(&module.source_roots);
            let inside = roots.filter(|root| path.starts_with(root));
            inside.map(|inside| inside.components().count()).max()
        };
        let found = modules.filter_map(|(idx, module)| Some((depth(module)?, idx)));
        found.max().map(|pair| pair.1)
    }

    /// Makes the folder where there is none.
    fn furnish(&mut self, monitor: &Monitor) -> Result<&mut CompilerFolder, RunnerError> {
        if self.compiler_folder.is_none() {
            let build = self.build;
            let program = program::worker(self.site, &build.jdk, &build.jacoco, monitor)?;
            let scratch = self.site.sandbox.scratch()?;
            self.compiler_folder = Some(CompilerFolder::new(&scratch, program)?);
        }
        Ok(self.compiler_folder.as_mut().expect("it was just made"))
    }

    /// Starts the compiler where there is none.
    fn open(&mut self, monitor: &Monitor) -> Result<&mut CompilerFolder, RunnerError> {
        let (site, build) = (self.site, self.build);
        let options = self.options.clone();
        let compiler_folder = self.furnish(monitor)?;
        compiler_folder.open((site, build, &options), monitor)?;
        Ok(compiler_folder)
    }

    fn cleaner(&self) -> Cleaner {
        let mut folders = vec![self.build.tree.clone(), self.build.repository.clone()];
        folders.push(self.build.shared.clone());
        let root = self.compiler_folder.as_ref().map(|folder| &folder.root);
        folders.extend(root.map(|root| root.path().to_owned()));
        Cleaner::new(&folders)
    }

    fn run_module(
        &mut self,
        module: usize,
        (files, candidates, aim): (&[HostFile], &[&Candidate], Aim<'_, '_>),
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let compiler_folder = self.furnish(monitor)?;
        let runners = compiler_folder.runners(module);
        let made = compiler_folder.root.create_folders(&runners);
        made.map_err(io_error(&runners))?;
        // The first worker starts while the compiler does.
        self.pool(module).warm_up(monitor)?;
        self.open(monitor)?;
        let canaries = canary::candidates(candidates);
        let mut call = self.call(module, (files, candidates, aim), monitor, sink)?;
        self.parse(module, &mut call, sink)?;
        let mut first = 0;
        loop {
            let mut pieces = pieces(&call, first);
            if pieces.is_empty() {
                break;
            }
            first += PER_COPY_MAX;
            running::add_canaries(&mut call, &mut pieces, &canaries);
            let said = self.compile(module, &call, pieces)?;
            self.run_compiled(module, &call, said, sink)?;
            if let Some(compiler_folder) = &self.compiler_folder {
                compiler_folder.clear()?;
            }
            running::remove_canaries(&mut call);
        }
        Ok(())
    }

    /// Reports the candidates that cannot be run, and parses the others.
    fn call<'c, 'f>(
        &mut self,
        module: usize,
        (files, candidates, aim): (&'c [HostFile], &[&'c Candidate], Aim<'c, 'f>),
        monitor: &'c Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<EngineCall<'c, 'f>, RunnerError> {
        let mut call = EngineCall {
            files,
            tasks: Vec::new(),
            runners: Vec::new(),
            is_outside_suite: Vec::new(),
            canaries: Vec::new(),
            aim,
            monitor,
        };
        let mut reader = MethodReader::new();
        for candidate in candidates.iter().copied() {
            let file = &files[candidate.file_idx];
            let member = match candidate.text.as_str() {
                "" => None,
                text => match reader.member(text) {
                    Ok(member) => Some(member),
                    Err(no) => {
                        let why = round::why("syntax", &no.message, Some(no.line));
                        sink(outcome(candidate.id, Outcome::Unparsable, Some(why)))?;
                        continue;
                    }
                },
            };
            let module_of_it = &self.build.modules[module];
            let runner =
                framework::runner_of(module_of_it, &self.options.more, candidate.framework);
            let Some(runner) = runner.filter(|_| !file.text.contains("PowerMockRunner")) else {
                let what = "no engine runs this framework here";
                sink(blocked(candidate.id, BlockedReason::NoEngine, what, None))?;
                continue;
            };
            if let Err(why) = self.runner(module, runner, monitor)? {
                sink(blocked(
                    candidate.id,
                    BlockedReason::NoEngine,
                    "",
                    Some(why),
                ))?;
                continue;
            }
            call.is_outside_suite
                .push(self.is_outside_suite(module, file));
            call.runners.push(runner);
            call.tasks.push(CandidateTask {
                candidate,
                member,
                declaring: binary_name(&candidate.package, &candidate.nesting),
            });
        }
        Ok(call)
    }

    fn is_outside_suite(&self, module: usize, file: &HostFile) -> bool {
        let module = &self.build.modules[module];
        let path = self.build.tree.join(&file.path);
        let mut roots = module.test_source_roots.iter();
        let below = roots.find_map(|root| path.strip_prefix(root).ok());
        below.is_some_and(|below| suite::is_outside(module, &below.to_string_lossy()))
    }

    /// Compiles a runner against the module's libraries, once.
    fn runner(
        &mut self,
        module: usize,
        runner: Runner,
        monitor: &Monitor,
    ) -> Result<Result<(), OutcomeReason>, RunnerError> {
        let known = self.runners.entry(module).or_default().get(&runner);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let class_path = self.class_path(module);
        let compiler_folder = self.open(monitor)?;
        let name = runner.class().rsplit('.').next().unwrap_or_default();
        let root = compiler_folder.root.path();
        let source = root.join(format!("{SOURCES}/{name}.java"));
        let written = compiler_folder.root.write(&source, runner.source());
        written.map_err(io_error(&source))?;
        let out = compiler_folder.runners(module);
        let request = WorkerRequest::Compile {
            options: &[javac::NO_PROCESSORS.to_owned(), "-nowarn".to_owned()],
            class_path: &class_path,
            files: vec![talk::SourceFile {
                source: source.to_string_lossy().into_owned(),
                out: out.to_string_lossy().into_owned(),
            }],
            names: BTreeMap::new(),
        };
        let compiler = compiler_folder.compiler();
        let errors = match compiler.ask(EngineStep::Compile, &request, (None, monitor))? {
            Some(WorkerAnswer::Compiled { errors, .. }) => errors,
            other => return Err(wrong(&format!("{other:?}"))),
        };
        let result = match errors.first() {
            None => Ok(()),
            Some(error) => Err(round::why(&error.code, &error.message, None)),
        };
        let known = self.runners.entry(module).or_default();
        known.insert(runner, result.clone());
        Ok(result)
    }

    /// Lists the class path that tests of a module are compiled and run with.
    fn class_path(&self, module: usize) -> Vec<String> {
        let module = &self.build.modules[module];
        let mut all: Vec<&PathBuf> = vec![&module.test_output, &module.output];
        all.extend(&module.test_class_path);
        all.extend(&module.surefire.class_path);
        all.extend(&module.launcher);
        all.extend(&self.options.more);
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|path| path.exists() && seen.insert(path.as_path()));
        all.into_iter().map(|path| text_of(path)).collect()
    }

    /// Asks the compiler itself whether candidates are methods: it reads escapes that other parsers do not.
    fn parse(
        &mut self,
        module: usize,
        call: &mut EngineCall<'_, '_>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let mut options = javac::options(self.build, &self.build.modules[module]);
        options.push(javac::NO_PROCESSORS.to_owned());
        let of =
            |task: &CandidateTask<'_>| task.member.as_ref().map(|method| unix_lines(&method.text));
        let texts: Vec<(usize, String)> = call
            .tasks
            .iter()
            .enumerate()
            .filter_map(|(idx, task)| Some((idx, of(task)?)))
            .collect();
        if texts.is_empty() {
            return Ok(());
        }
        let cleaner = self.cleaner();
        let compiler_folder = self.open(call.monitor)?;
        let request = WorkerRequest::Parse {
            options: &options,
            texts: texts.iter().map(|text| text.1.as_str()).collect(),
        };
        let compiler = compiler_folder.compiler();
        let errors = match compiler.ask(EngineStep::Compile, &request, (None, call.monitor))? {
            Some(WorkerAnswer::Parsed { errors }) => errors,
            other => return Err(wrong(&format!("{other:?}"))),
        };
        let mut refused: BTreeMap<usize, OutcomeReason> = BTreeMap::new();
        for error in errors {
            let at = usize::try_from(error.file).ok().and_then(|n| texts.get(n));
            if let Some((task, _)) = at {
                refused.entry(*task).or_insert_with(|| {
                    let line = Some(error.line.max(1));
                    round::why(&error.code, &cleaner.clean(&error.message), line)
                });
            }
        }
        let mut idx = 0..call.tasks.len();
        for (task, why) in &refused {
            let id = call.tasks[*task].candidate.id;
            // A text that this compiler does not parse may be valid in a later version of Java.
            let is_one = why.code.as_deref() != Some("not.one.method");
            let word = if is_one {
                Outcome::NotCompilable
            } else {
                Outcome::Unparsable
            };
            sink(outcome(id, word, Some(why.clone())))?;
        }
        let keeps: Vec<bool> = idx
            .by_ref()
            .map(|idx| !refused.contains_key(&idx))
            .collect();
        retain(&mut call.tasks, &keeps);
        retain(&mut call.runners, &keeps);
        retain(&mut call.is_outside_suite, &keeps);
        Ok(())
    }

    fn compile(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        pieces: Vec<FileCandidates>,
    ) -> Result<Vec<CompileReply>, RunnerError> {
        let mut options = javac::options(self.build, &self.build.modules[module]);
        let class_path = self.class_path(module);
        options.extend(javac::processors(&class_path));
        let cleaner = self.cleaner();
        let mut n_folders = self.n_folders;
        let tree = Root::open(&self.build.tree).map_err(io_error(&self.build.tree))?;
        let settings = javac::lombok_settings(&tree, &self.build.modules[module].folder);
        let (site, build, fast) = (self.site, self.build, self.options.clone());
        let compiler_folder = self.open(call.monitor)?;
        let is_processing = javac::runs_others(&options);
        let plan = compiler_folder.plan((build, &fast), is_processing);
        let root = compiler_folder.root.path();
        let path = root.join(SOURCES).join("lombok.config");
        let written = compiler_folder.root.write(&path, settings);
        written.map_err(io_error(&path))?;
        let (worker, classes) = if is_processing {
            compiler_folder.open_processing((site, build, &fast), call.monitor)?;
            (&mut compiler_folder.processing, PROCESSED)
        } else {
            (&mut compiler_folder.compiler, CLASSES)
        };
        let mut rounds = Rounds {
            worker: worker.as_mut().expect("it was started"),
            another: (&site.sandbox, &plan),
            to_compile: fast.to_compile,
            files: call.files,
            tasks: &call.tasks,
            options: &options,
            class_path: &class_path,
            root: &compiler_folder.root,
            classes,
            cleaner: &cleaner,
            n_folders: &mut n_folders,
            monitor: call.monitor,
        };
        let said = rounds.compile(pieces);
        self.n_folders = n_folders;
        said
    }

    fn job(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        compiled_candidate: &CompiledCandidate,
    ) -> Option<Job> {
        let task = &call.tasks[compiled_candidate.task];
        let build = self.build;
        let hosts = self.hosts.entry(module).or_insert_with(|| {
            let folders = std::slice::from_ref(&build.modules[module].test_output);
            // Without the tree there are no hosts, and each class is its own.
            Root::open(&build.tree)
                .map_or_else(|_| Hosts::default(), |root| Hosts::read(&root, folders))
        });
        let declaring = task.declaring.clone();
        let top_level = declaring.split('$').next().unwrap_or(&declaring).to_owned();
        let host = hosts.host_of(&declaring, (&task.candidate.name, &compiled_candidate.name))?;
        Some(Job {
            id: task.candidate.id,
            folder: text_of(&compiled_candidate.folder),
            outer: hosts.outer(&host),
            host,
            declaring,
            top_level,
            method: compiled_candidate.name.clone(),
            placed: compiled_candidate.placed.clone(),
            runner: call.runners[compiled_candidate.task].class(),
            focal: task.candidate.focal.as_ref().map(asked),
            is_truth: self.options.tells_entered,
            fault: None,
            order: Vec::new(),
            is_twice: false,
        })
    }

    fn pool(&mut self, module: usize) -> &mut WorkerPool<'s> {
        if self.pool.as_ref().is_none_or(|pool| pool.0 != module) {
            let world = self.world(module);
            let (options, cleaner) = (self.options.clone(), self.cleaner());
            self.pool = Some((module, WorkerPool::new(self.site, world, options, cleaner)));
        }
        &mut self.pool.as_mut().expect("it was just made").1
    }

    /// Builds the plan and the project that a worker of a module starts with.
    fn world(&self, module: usize) -> (crate::sandbox::ProgramPlan, WorkerProject) {
        let compiler_folder = self.compiler_folder.as_ref().expect("it is open");
        let (build, module_idx) = (self.build, module);
        let module = &build.modules[module];
        let plan = plan::runner(
            build,
            module,
            &self.options,
            (&compiler_folder.program, compiler_folder.root.path()),
        );
        let class_path = self.class_path(module_idx);
        let main = build
            .modules
            .iter()
            .map(|module| text_of(&module.output))
            .collect();
        let mut properties = module.surefire.properties.clone();
        let here = build.tree.join(&module.folder);
        properties.insert("basedir".to_owned(), text_of(&here));
        for name in ["java.class.path", "surefire.test.class.path"] {
            properties.insert(name.to_owned(), class_path.join(":"));
        }
        let has_walls = self.site.sandbox.tool().name() != "none";
        let project = WorkerProject {
            class_path,
            main,
            runners: vec![text_of(&compiler_folder.runners(module_idx))],
            test_folder: text_of(&module.test_output),
            is_flat: self.options.is_flat,
            properties,
            is_walled: has_walls,
            scratch: has_walls
                .then(|| "/dev/shm".to_owned())
                .into_iter()
                .collect(),
        };
        (plan, project)
    }
}

/// Groups the candidates of one round by file: in each file those from the one at `first` on.
fn pieces(call: &EngineCall<'_, '_>, first: usize) -> Vec<FileCandidates> {
    let mut by_file: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (idx, task) in call.tasks.iter().enumerate() {
        by_file
            .entry(task.candidate.file_idx)
            .or_default()
            .push(idx);
    }
    let pieces = by_file.into_iter().map(|(file_idx, tasks)| FileCandidates {
        file_idx,
        tasks: tasks.into_iter().skip(first).take(PER_COPY_MAX).collect(),
    });
    pieces.filter(|piece| !piece.tasks.is_empty()).collect()
}

fn retain<T>(all: &mut Vec<T>, keeps: &[bool]) {
    let mut keeps = keeps.iter();
    all.retain(|_| keeps.next().is_some_and(|keep| *keep));
}

/// Builds the binary name of a class: `p.Outer$Inner`.
fn binary_name(package: &str, nesting: &[String]) -> String {
    let class = nesting.join("$");
    if package.is_empty() {
        class
    } else {
        format!("{package}.{class}")
    }
}

fn asked(focal: &Focal) -> FocalQuery {
    FocalQuery {
        class: binary_name(&focal.package, &focal.nesting),
        name: focal.name.clone(),
        parameters: focal.parameters.clone(),
        line: focal.line,
    }
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
