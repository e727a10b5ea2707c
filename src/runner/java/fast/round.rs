//! Compiles all candidates of a round in one task; those with errors in their lines are dropped, until there are no
//! errors.
//!
//! The result for a candidate does not depend on the others. Files are as they were mined, so each file sees in the
//! others what the project's own classes have; candidates get names that no code uses, so none of them can call another
//! one. A candidate for which the name matters is compiled apart: one that uses its own name or overrides something.
//! Where lines have errors that no candidate has written, all that was compiled with them is compiled again without
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::candidate::HostFile;
use crate::model::{OutcomeReason, RunStage, Span};
use crate::sandbox::{ProgramEnd, ProgramPlan, Root, Sandbox};
use crate::task::{EngineStep, Monitor};
use crate::{Candidate, RunnerError};

use crate::io_error;
use crate::java::member::{MethodReader, ParsedMethod};
use crate::java::scaffold::beside::{Manner, ScaffoldGround, ScaffoldPart, with_own_name};
use crate::java::scaffold::{Insert, InsertContent, Scaffold};

use super::talk::{SourceFile, Worker, WorkerAnswer, WorkerCompileError, WorkerRequest, wrong};
use crate::java::text::Cleaner;

/// A compiler gets a second for this much text. On an idle machine it reads ten times as much.
const BYTES_A_SECOND: usize = 10_000;

/// A candidate that can be put into its file.
pub struct CandidateTask<'t> {
    pub candidate: &'t Candidate,
    /// Nothing for the true test.
    pub member: Option<ParsedMethod>,
    /// The binary name of the class that it stands in.
    pub declaring: String,
}

/// Candidates of one file, by their positions in the list of tasks.
pub struct FileCandidates {
    pub file_idx: usize,
    pub tasks: Vec<usize>,
}

/// A candidate that is compiled.
pub struct CompiledCandidate {
    pub task: usize,
    pub folder: PathBuf,
    /// The name that it runs under.
    pub name: String,
    /// The name that it has in its scaffold; nothing for the true test.
    pub placed: Option<String>,
    pub scaffold: Arc<Scaffold>,
    pub insert: usize,
}

/// The compiler's result for a candidate.
pub enum CompileReply {
    Ready(CompiledCandidate),
    Refused(usize, OutcomeReason),
    NoScaffold(usize, OutcomeReason),
}

/// A copy of a file with the candidates that are to be compiled in it.
#[derive(Clone)]
struct Copy {
    file_idx: usize,
    ground: Arc<ScaffoldGround>,
    is_as_mined: bool,
    tasks: Vec<usize>,
    manner: Manner,
}

/// The errors in copies, by their place in the list: in a candidate, and in the file's own lines.
#[derive(Default)]
struct CopyFaults {
    own: BTreeMap<usize, OutcomeReason>,
    outside: BTreeMap<usize, OutcomeReason>,
    /// An error that belongs to no file.
    nowhere: Option<OutcomeReason>,
}

/// The result of compiling copies once.
struct Attempt {
    made: Vec<CompiledCopy>,
    wrong: CopyFaults,
    /// Classes with the names of methods that they inherit.
    inherited: BTreeSet<(String, String)>,
}

/// A copy as it was compiled.
struct CompiledCopy {
    scaffold: Scaffold,
    parts: Vec<ScaffoldPart>,
    folder: PathBuf,
}

/// The compiler of rounds and its inputs.
pub struct Rounds<'r, 't> {
    pub worker: &'r mut Worker,
    /// Starts another compiler where one was ended.
    pub another: (&'r Sandbox, &'r ProgramPlan),
    /// The time that it has, besides its time for each text.
    pub to_compile: Duration,
    pub files: &'t [HostFile],
    pub tasks: &'r [CandidateTask<'t>],
    pub options: &'r [String],
    pub class_path: &'r [String],
    /// The folder that sources are written to.
    pub root: &'r Root,
    /// The folder in it that the compiler may write to.
    pub classes: &'static str,
    pub cleaner: &'r Cleaner,
    pub n_folders: &'r mut usize,
    pub monitor: &'r Monitor,
}

impl Rounds<'_, '_> {
    /// Compiles candidates of different files.
    pub fn compile(
        &mut self,
        pieces: Vec<FileCandidates>,
    ) -> Result<Vec<CompileReply>, RunnerError> {
        let mut reader = MethodReader::new();
        let (mut layers, mut apart) = (Vec::<Vec<Copy>>::new(), Vec::new());
        for piece in pieces {
            let file = &self.files[piece.file_idx];
            let places = piece
                .tasks
                .iter()
                .map(|task| self.tasks[*task].candidate.at);
            let ground = ScaffoldGround::read(&mut reader, file, &places.collect());
            let copy = Copy {
                file_idx: piece.file_idx,
                ground: Arc::new(ground.numbered_for(piece.file_idx)),
                is_as_mined: true,
                tasks: Vec::new(),
                manner: Manner::Together,
            };
            let (alone, together) = piece.tasks.into_iter().partition(|n| {
                let task = &self.tasks[*n];
                let member = task.member.as_ref();
                member.is_some_and(|parsed_method| {
                    copy.ground.is_apart(task.candidate.at, parsed_method)
                })
            });
            let alone: Vec<usize> = alone;
            apart.extend(alone.into_iter().map(|alone| copy.of(vec![alone])));
            for (idx, tasks) in self.layers(together).into_iter().enumerate() {
                if layers.len() <= idx {
                    layers.push(Vec::new());
                }
                layers[idx].push(copy.of(tasks));
            }
        }
        let mut said = Vec::new();
        for copies in layers {
            self.together(copies, &mut said, &mut apart)?;
        }
        for copy in apart {
            self.apart(copy, &mut said)?;
        }
        Ok(said)
    }

    /// Splits candidates into layers with at most one of each class whose body declares types: the compiler numbers
    /// such types within a class, so another candidate would change their names.
    fn layers(&self, tasks: Vec<usize>) -> Vec<Vec<usize>> {
        let mut n_of_class: BTreeMap<&str, usize> = BTreeMap::new();
        let mut layers: Vec<Vec<usize>> = Vec::new();
        for idx in tasks {
            let task = &self.tasks[idx];
            let has_types = task
                .member
                .as_ref()
                .is_some_and(|parsed_method| parsed_method.has_types);
            let layer = if has_types {
                let n = n_of_class.entry(&task.declaring).or_default();
                *n += 1;
                *n - 1
            } else {
                0
            };
            if layers.len() <= layer {
                layers.push(Vec::new());
            }
            layers[layer].push(idx);
        }
        layers
    }

    /// Compiles copies in one task. A candidate's error counts where no file has an error in its own lines, which might
    /// have caused it; files with errors in their own lines, and the candidates in them, are looked at one by one.
    /// Candidates whose names their classes inherit are left to be compiled apart.
    fn together(
        &mut self,
        mut copies: Vec<Copy>,
        said: &mut Vec<CompileReply>,
        apart: &mut Vec<Copy>,
    ) -> Result<(), RunnerError> {
        loop {
            copies.retain(|copy| !copy.tasks.is_empty());
            if copies.is_empty() {
                return Ok(());
            }
            let Attempt {
                made,
                wrong,
                inherited,
            } = self.attempt(&copies)?;
            if wrong.is_nothing() {
                for (copy, made) in copies.into_iter().zip(made) {
                    let tasks = copy.tasks.iter().copied();
                    let others: Vec<usize> = tasks
                        .filter(|task| self.is_inherited(&copy, *task, &inherited))
                        .collect();
                    let ready = self.ready(&copy, made, &inherited)?;
                    let is_here =
                        |compile_reply: &CompileReply| !others.contains(&compile_reply.task());
                    said.extend(ready.into_iter().filter(is_here));
                    apart.extend(others.into_iter().map(|other| copy.of(vec![other])));
                }
                return Ok(());
            }
            if wrong.is_of_candidates() {
                for copy in &mut copies {
                    copy.tasks.retain(|task| !wrong.own.contains_key(task));
                }
                let refused = wrong.own.into_iter();
                said.extend(refused.map(|(task, why)| CompileReply::Refused(task, why)));
                continue;
            }
            return match <[Copy; 1]>::try_from(copies) {
                Ok([copy]) => self.troubled(copy, wrong, (said, apart)),
                Err(copies) => {
                    for some in wrong.sort_out(copies) {
                        self.together(some, said, apart)?;
                    }
                    Ok(())
                }
            };
        }
    }

    /// Finds out why a file's own lines have errors: because of the file itself, or of a candidate in it.
    fn troubled(
        &mut self,
        mut copy: Copy,
        wrong: CopyFaults,
        (said, apart): (&mut Vec<CompileReply>, &mut Vec<Copy>),
    ) -> Result<(), RunnerError> {
        let bare = self.attempt(&[copy.of(Vec::new())])?.wrong;
        if let Some(why) = bare.first() {
            return if copy.is_as_mined {
                self.without_tests(&copy, &why, (said, apart))
            } else {
                let none = |n: &usize| CompileReply::NoScaffold(*n, why.clone());
                said.extend(copy.tasks.iter().map(none));
                Ok(())
            };
        }
        if let [task] = copy.tasks[..] {
            let why = wrong.of(task);
            said.extend(why.map(|outcome_reason| CompileReply::Refused(task, outcome_reason)));
            return Ok(());
        }
        let second = copy.tasks.split_off(copy.tasks.len() / 2);
        let second = copy.of(second);
        self.together(vec![copy], said, apart)?;
        self.together(vec![second], said, apart)
    }

    /// Compiles candidates in a file that does not compile as it was mined: perhaps it does without its tests.
    fn without_tests(
        &mut self,
        copy: &Copy,
        why: &OutcomeReason,
        (said, apart): (&mut Vec<CompileReply>, &mut Vec<Copy>),
    ) -> Result<(), RunnerError> {
        let mut reader = MethodReader::new();
        let file = &self.files[copy.file_idx];
        let places: BTreeSet<Span> = copy.tasks.iter().map(|task| self.at(*task)).collect();
        let mut empty = |but| {
            let ground = ScaffoldGround::without_tests(&mut reader, (file, &places), but);
            Copy {
                ground: Arc::new(ground.numbered_for(copy.file_idx)),
                is_as_mined: false,
                manner: Manner::Together,
                ..copy.of(Vec::new())
            }
        };
        let (candidates, truths): (Vec<usize>, Vec<usize>) = copy
            .tasks
            .iter()
            .partition(|task| self.tasks[**task].member.is_some());
        let candidates = empty(None).of(candidates);
        let truths: Vec<Copy> = truths
            .into_iter()
            .map(|truth| empty(Some(self.at(truth))).of(vec![truth]))
            .collect();
        self.together(vec![candidates], said, apart)?;
        for copy in truths {
            let mut attempt = self.attempt(std::slice::from_ref(&copy))?;
            if attempt.wrong.is_nothing() {
                said.extend(self.ready(&copy, attempt.made.remove(0), &attempt.inherited)?);
            } else {
                said.push(CompileReply::NoScaffold(copy.tasks[0], why.clone()));
            }
        }
        Ok(())
    }

    /// Compiles a candidate alone, under its own name: in place of the true test, else beside it.
    fn apart(&mut self, mut copy: Copy, said: &mut Vec<CompileReply>) -> Result<(), RunnerError> {
        for manner in [Manner::Instead, Manner::Beside] {
            copy.manner = manner;
            let mut attempt = self.attempt(std::slice::from_ref(&copy))?;
            if attempt.wrong.is_nothing() {
                said.extend(self.ready(&copy, attempt.made.remove(0), &attempt.inherited)?);
                return Ok(());
            }
            if attempt.wrong.is_of_candidates() {
                let refused = attempt.wrong.own.into_iter();
                said.extend(refused.map(|(task, why)| CompileReply::Refused(task, why)));
                return Ok(());
            }
            // The file may need the true test, so the candidate is put beside it next.
            if manner == Manner::Beside {
                return self.troubled(copy, attempt.wrong, (said, &mut Vec::new()));
            }
        }
        Ok(())
    }

    /// Tells whether a candidate would be another one under its own name, because its class inherits that name.
    fn is_inherited(
        &self,
        copy: &Copy,
        task: usize,
        inherited: &BTreeSet<(String, String)>,
    ) -> bool {
        let task = &self.tasks[task];
        let Some(member) = task.member.as_ref().filter(|_| copy.is_as_mined) else {
            return false;
        };
        let is_above = |name: &str| {
            let pair = (task.declaring.clone(), name.to_owned());
            inherited.contains(&pair)
        };
        let at = task.candidate.at;
        copy.ground.is_apart_below(at, member, is_above)
    }

    /// Compiles copies once, in one task.
    fn attempt(&mut self, copies: &[Copy]) -> Result<Attempt, RunnerError> {
        let (mut made, mut sources) = (Vec::new(), Vec::new());
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for copy in copies {
            let (one, source) = self.write(copy)?;
            made.push(one);
            sources.push(source);
            for task in copy.tasks.iter().map(|task| &self.tasks[*task]) {
                if let Some(member) = &task.member {
                    let own = copy.ground.own_names(task.candidate.at, member);
                    names.entry(&task.declaring).or_default().extend(own);
                }
            }
        }
        let n_bytes: usize = made
            .iter()
            .map(|compiled_copy| compiled_copy.scaffold.text.len())
            .sum();
        let more = Duration::from_secs((n_bytes / BYTES_A_SECOND) as u64);
        self.worker.resident.end_after(Some(self.to_compile + more));
        let request = WorkerRequest::Compile {
            options: self.options,
            class_path: self.class_path,
            files: sources,
            names,
        };
        let how = (None, self.monitor);
        let (errors, inherited) = match self.worker.ask(EngineStep::Compile, &request, how)? {
            Some(WorkerAnswer::Compiled { errors, inherited }) => (errors, inherited),
            Some(other) => return Err(wrong(&format!("{other:?}"))),
            None => return self.unended(made),
        };
        self.worker.resident.end_after(None);
        let mut wrong = CopyFaults::default();
        for error in &errors {
            let at = usize::try_from(error.file).ok();
            match at.filter(|n| *n < copies.len()) {
                Some(idx) => self.blame(&mut wrong, (idx, &copies[idx], &made[idx]), error),
                None => {
                    wrong.nowhere.get_or_insert_with(|| self.why(error, None));
                }
            }
        }
        Ok(Attempt {
            made,
            wrong,
            inherited: inherited.into_iter().collect(),
        })
    }

    /// Starts another compiler where one was ended because it took too much time or memory; which of the texts caused
    /// that is unknown.
    fn unended(&mut self, made: Vec<CompiledCopy>) -> Result<Attempt, RunnerError> {
        let ending = self.worker.resident.stop_soon();
        if !ending.is_some_and(|ending| matches!(ending.end, ProgramEnd::Killed(_))) {
            return Err(wrong("the compiler ended"));
        }
        let (sandbox, plan) = self.another;
        *self.worker = Worker::start(sandbox, plan, None, self.monitor)?;
        let message = "the compiler does not come to an end with it";
        Ok(Attempt {
            made,
            wrong: CopyFaults {
                nowhere: Some(why("", message, None)),
                ..CopyFaults::default()
            },
            inherited: BTreeSet::new(),
        })
    }

    fn blame(
        &self,
        wrong: &mut CopyFaults,
        (idx, copy, made): (usize, &Copy, &CompiledCopy),
        error: &WorkerCompileError,
    ) {
        if let Some((insert, line)) = made.scaffold.owner(error.line) {
            let mut why = self.why(error, Some(line));
            let (placed, own) = (&made.scaffold.placed[insert].name, &made.parts[insert].name);
            why.message = with_own_name(&why.message, placed, own);
            wrong.own.entry(copy.tasks[insert]).or_insert(why);
        } else {
            let why = self.why(error, None);
            wrong.outside.entry(idx).or_insert(why);
        }
    }

    fn why(&self, error: &WorkerCompileError, line: Option<u32>) -> OutcomeReason {
        why(&error.code, &self.cleaner.clean(&error.message), line)
    }

    fn write(&mut self, copy: &Copy) -> Result<(CompiledCopy, SourceFile), RunnerError> {
        let _step = self.monitor.timings.begin(EngineStep::Copy);
        *self.n_folders += 1;
        let place = self.root.path();
        let folder = place.join(format!("{}/{}", self.classes, self.n_folders));
        let file = &self.files[copy.file_idx];
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let sources = place.join(format!("sources/{}", self.n_folders));
        for path in [&folder, &sources] {
            self.root.create_folders(path).map_err(io_error(path))?;
        }
        let inserts: Vec<Insert<'_>> = copy.tasks.iter().map(|task| self.insert(*task)).collect();
        let (scaffold, parts) = copy.ground.with(&inserts, copy.manner);
        let source = sources.join(name);
        let written = self.root.write(&source, &scaffold.text);
        written.map_err(io_error(&source))?;
        let file = SourceFile {
            source: source.to_string_lossy().into_owned(),
            out: folder.to_string_lossy().into_owned(),
        };
        let made = CompiledCopy {
            scaffold,
            parts,
            folder,
        };
        Ok((made, file))
    }

    fn at(&self, task: usize) -> Span {
        self.tasks[task].candidate.at
    }

    fn insert(&self, task: usize) -> Insert<'_> {
        let task = &self.tasks[task];
        let what = match &task.member {
            Some(member) => InsertContent::Candidate(member),
            None => InsertContent::Truth(&task.candidate.name),
        };
        Insert {
            at: task.candidate.at,
            what,
        }
    }

    fn ready(
        &self,
        copy: &Copy,
        made: CompiledCopy,
        inherited: &BTreeSet<(String, String)>,
    ) -> Result<Vec<CompileReply>, RunnerError> {
        let scaffold = Arc::new(made.scaffold);
        let mut list = String::new();
        let mut said = Vec::with_capacity(copy.tasks.len());
        for (insert, (task, mut part)) in copy.tasks.iter().zip(made.parts).enumerate() {
            let placed = &scaffold.placed[insert];
            if placed.lines.is_empty() {
                let why = why("", "there is no such place in the file", None);
                said.push(CompileReply::NoScaffold(*task, why));
                continue;
            }
            let is_candidate = self.tasks[*task].member.is_some();
            if is_candidate {
                let declaring = &self.tasks[*task].declaring;
                part.keep_from_above(|part| {
                    inherited.contains(&(declaring.clone(), part.to_owned()))
                });
                let without = part.without.as_deref().unwrap_or_default();
                list += &format!("{declaring} {} {} {without}\n", placed.name, part.name);
            }
            said.push(CompileReply::Ready(CompiledCandidate {
                task: *task,
                folder: made.folder.clone(),
                name: part.name,
                placed: is_candidate.then(|| placed.name.clone()),
                scaffold: Arc::clone(&scaffold),
                insert,
            }));
        }
        let path = made.folder.join("CANDIDATES");
        self.root.write(&path, list).map_err(io_error(&path))?;
        Ok(said)
    }
}

impl Copy {
    /// Returns the copy with other candidates.
    fn of(&self, tasks: Vec<usize>) -> Self {
        Self {
            tasks,
            ..self.clone()
        }
    }
}

impl CompileReply {
    const fn task(&self) -> usize {
        match self {
            Self::Ready(compiled) => compiled.task,
            Self::Refused(task, _) | Self::NoScaffold(task, _) => *task,
        }
    }
}

impl CopyFaults {
    fn is_nothing(&self) -> bool {
        self.own.is_empty() && self.is_of_candidates()
    }

    fn is_of_candidates(&self) -> bool {
        self.outside.is_empty() && self.nowhere.is_none()
    }

    fn first(&self) -> Option<OutcomeReason> {
        let outside = self.outside.values().next();
        outside.or(self.nowhere.as_ref()).cloned()
    }

    /// Finds the error of a candidate that is alone.
    fn of(mut self, task: usize) -> Option<OutcomeReason> {
        self.own.remove(&task).or_else(|| self.first())
    }

    /// Sorts the copies into those whose own lines are right, and each of the others alone; splits them into halves
    /// where that is unknown.
    fn sort_out(&self, mut copies: Vec<Copy>) -> Vec<Vec<Copy>> {
        if self.outside.is_empty() {
            let second = copies.split_off(copies.len() / 2);
            return vec![copies, second];
        }
        let mut right = Vec::new();
        let mut sorted = Vec::new();
        for (idx, copy) in copies.into_iter().enumerate() {
            if self.outside.contains_key(&idx) {
                sorted.push(vec![copy]);
            } else {
                right.push(copy);
            }
        }
        sorted.insert(0, right);
        sorted
    }
}

/// Explains a compiler's error.
pub fn why(code: &str, message: &str, line: Option<u32>) -> OutcomeReason {
    OutcomeReason {
        stage: RunStage::Compile,
        code: (!code.is_empty()).then(|| code.to_owned()),
        kind: None,
        message: message.to_owned(),
        line,
        trace: None,
    }
}
