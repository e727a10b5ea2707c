//! Compiling: all candidates of a round in one task; who is wrong by its lines is dropped, and again until nobody is.
//!
//! A file whose own lines do not compile gets its removed tests back, and then is compiled by itself: the tests that are
//! missing in another file may be what it lacks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::candidate::HostFile;
use crate::model::{RunStage, Why};
use crate::sandbox::Root;
use crate::task::Monitor;
use crate::{Candidate, RunnerError};

use crate::io_error;
use crate::java::member::Member;
use crate::java::scaffold::{Insert, Removed, Scaffold, What, scaffold};

use super::talk::{Answer, CompileError, Request, SourceFile, Worker, wrong};
use crate::java::text::Cleaner;

/// A candidate that can be put into its file.
pub struct Task<'t> {
    pub candidate: &'t Candidate,
    /// Nothing for the true test.
    pub member: Option<Member>,
    /// The class that it stands in, as the machine names it.
    pub declaring: String,
}

/// Candidates that stand in one copy of a file, by their numbers in the list of tasks.
pub struct Piece {
    pub file_idx: usize,
    pub tasks: Vec<usize>,
}

/// A candidate that is compiled.
pub struct Compiled {
    pub task: usize,
    pub folder: PathBuf,
    pub name: String,
    pub scaffold: Arc<Scaffold>,
    pub insert: usize,
}

/// What the compiler says of a candidate.
pub enum Said {
    Ready(Compiled),
    Refused(usize, Why),
    NoScaffold(usize, Why),
}

/// A copy on its way.
struct Copy {
    file_idx: usize,
    tasks: Vec<usize>,
    refused: Vec<(usize, Why)>,
    removed: Removed,
}

/// What is wrong with a copy: by candidate, and in the file's own lines.
#[derive(Default)]
struct Wrong {
    own: BTreeMap<usize, Why>,
    outside: Option<Why>,
}

/// What rounds are compiled with.
pub struct Rounds<'r, 't> {
    pub worker: &'r mut Worker,
    pub files: &'t [HostFile],
    pub tasks: &'r [Task<'t>],
    pub options: &'r [String],
    pub class_path: &'r [String],
    /// To write in.
    pub root: &'r Root,
    /// The folder in it that the compiler may write to.
    pub classes: &'static str,
    pub cleaner: &'r Cleaner,
    pub n_folders: &'r mut usize,
    pub monitor: &'r Monitor,
}

/// A copy as it was compiled.
struct Made {
    scaffold: Scaffold,
    folder: PathBuf,
}

impl Rounds<'_, '_> {
    /// Compiles copies of different files.
    pub fn compile(&mut self, pieces: Vec<Piece>) -> Result<Vec<Said>, RunnerError> {
        let mut copies: Vec<Copy> = pieces
            .into_iter()
            .map(|it| Copy {
                file_idx: it.file_idx,
                tasks: it.tasks,
                refused: Vec::new(),
                removed: Removed::Gone,
            })
            .collect();
        let mut said = Vec::new();
        let mut lonely = Vec::new();
        loop {
            for copy in copies.extract_if(.., |it| it.tasks.is_empty()) {
                said.extend(refused(copy.refused));
            }
            if copies.is_empty() {
                break;
            }
            let (made, wrongs) = self.attempt(&copies)?;
            if wrongs.is_empty() {
                for (copy, made) in copies.drain(..).zip(made) {
                    said.extend(self.ready(copy, made)?);
                }
                break;
            }
            let mut rest = Vec::new();
            for (idx, mut copy) in copies.into_iter().enumerate() {
                match wrongs.get(&idx) {
                    Some(wrong) if wrong.outside.is_some() => {
                        if copy.removed == Removed::Stripped {
                            lonely.push(copy);
                            continue;
                        }
                        copy.removed = Removed::Stripped;
                        copy.take_back();
                    }
                    Some(wrong) => copy.drop_wrong(wrong),
                    None => {}
                }
                rest.push(copy);
            }
            copies = rest;
        }
        for mut copy in lonely {
            copy.take_back();
            said.extend(self.alone(copy)?);
        }
        Ok(said)
    }

    /// Compiles one copy by itself.
    fn alone(&mut self, mut copy: Copy) -> Result<Vec<Said>, RunnerError> {
        let tasks = std::mem::take(&mut copy.tasks);
        let mut first = None;
        let mut is_sound = false;
        for removed in [Removed::Gone, Removed::Stripped] {
            copy.removed = removed;
            let (_, mut wrongs) = self.attempt(std::slice::from_ref(&copy))?;
            match wrongs.remove(&0).and_then(|it| it.outside) {
                None => {
                    is_sound = true;
                    break;
                }
                Some(why) => first = Some(why),
            }
        }
        if !is_sound {
            let why = first.unwrap_or_else(|| why("", "it does not compile", None));
            let none = |it| Said::NoScaffold(it, why.clone());
            return Ok(tasks.into_iter().map(none).collect());
        }
        copy.tasks = tasks;
        loop {
            if copy.tasks.is_empty() {
                return Ok(refused(copy.refused).collect());
            }
            let (mut made, wrongs) = self.attempt(std::slice::from_ref(&copy))?;
            match wrongs.get(&0) {
                None => return self.ready(copy, made.remove(0)),
                Some(wrong) if !wrong.own.is_empty() => copy.drop_wrong(wrong),
                // One of them is in the way of the file's own lines.
                Some(_) => break,
            }
        }
        let mut said: Vec<Said> = refused(copy.refused).collect();
        for task in copy.tasks {
            let single = Copy {
                file_idx: copy.file_idx,
                tasks: vec![task],
                refused: Vec::new(),
                removed: copy.removed,
            };
            let (mut made, mut wrongs) = self.attempt(std::slice::from_ref(&single))?;
            match wrongs.remove(&0) {
                None => said.extend(self.ready(single, made.remove(0))?),
                Some(mut wrong) => {
                    let why = wrong.own.remove(&task).or(wrong.outside);
                    said.extend(why.map(|it| Said::Refused(task, it)));
                }
            }
        }
        Ok(said)
    }

    /// Compiles copies once, in one task, and returns what is wrong with which.
    fn attempt(
        &mut self,
        copies: &[Copy],
    ) -> Result<(Vec<Made>, BTreeMap<usize, Wrong>), RunnerError> {
        let (mut made, mut sources) = (Vec::new(), Vec::new());
        for copy in copies {
            let (copy, source) = self.write(copy)?;
            made.push(copy);
            sources.push(source);
        }
        self.worker.say(&Request::Compile {
            options: self.options,
            class_path: self.class_path,
            files: sources,
        });
        let errors = match self.worker.wait(None, self.monitor)? {
            Some(Answer::Compiled { errors }) => errors,
            Some(other) => return Err(wrong(&format!("{other:?}"))),
            None => return Err(wrong("the compiler ended")),
        };
        let mut wrongs: BTreeMap<usize, Wrong> = BTreeMap::new();
        for error in errors {
            match usize::try_from(error.file) {
                Ok(idx) if idx < copies.len() => {
                    self.blame(
                        wrongs.entry(idx).or_default(),
                        &copies[idx],
                        &made[idx],
                        &error,
                    );
                }
                // Of no file: of all.
                _ => {
                    for idx in 0..copies.len() {
                        self.blame(
                            wrongs.entry(idx).or_default(),
                            &copies[idx],
                            &made[idx],
                            &error,
                        );
                    }
                }
            }
        }
        Ok((made, wrongs))
    }

    fn blame(&self, wrong: &mut Wrong, copy: &Copy, made: &Made, error: &CompileError) {
        let why = |line| {
            let message = self.cleaner.clean(&error.message);
            why(&error.code, &message, line)
        };
        match made.scaffold.owner(error.line) {
            Some((insert, line)) => {
                let task = copy.tasks[insert];
                wrong.own.entry(task).or_insert_with(|| why(Some(line)));
            }
            None => {
                wrong.outside.get_or_insert_with(|| why(None));
            }
        }
    }

    fn write(&mut self, copy: &Copy) -> Result<(Made, SourceFile), RunnerError> {
        *self.n_folders += 1;
        let place = self.root.path();
        let folder = place.join(format!("{}/{}", self.classes, self.n_folders));
        let file = &self.files[copy.file_idx];
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let sources = place.join(format!("sources/{}", self.n_folders));
        for it in [&folder, &sources] {
            self.root.create_folders(it).map_err(io_error(it))?;
        }
        let inserts: Vec<Insert<'_>> = copy.tasks.iter().map(|it| self.insert(*it)).collect();
        let scaffold = scaffold(file, &inserts, copy.removed);
        let source = sources.join(name);
        let written = self.root.write(&source, &scaffold.text);
        written.map_err(io_error(&source))?;
        let file = SourceFile {
            source: source.to_string_lossy().into_owned(),
            out: folder.to_string_lossy().into_owned(),
        };
        Ok((Made { scaffold, folder }, file))
    }

    fn insert(&self, task: usize) -> Insert<'_> {
        let task = &self.tasks[task];
        let what = match &task.member {
            Some(member) => What::Candidate(member),
            None => What::Truth(&task.candidate.name),
        };
        Insert {
            at: task.candidate.at,
            what,
        }
    }

    fn ready(&self, copy: Copy, made: Made) -> Result<Vec<Said>, RunnerError> {
        let scaffold = Arc::new(made.scaffold);
        let mut list = String::new();
        let mut said: Vec<Said> = refused(copy.refused).collect();
        for (insert, task) in copy.tasks.into_iter().enumerate() {
            let placed = &scaffold.placed[insert];
            if placed.lines.is_empty() {
                let why = why("", "there is no such place in the file", None);
                said.push(Said::NoScaffold(task, why));
                continue;
            }
            if self.tasks[task].member.is_some() {
                list += &format!("{} {}\n", self.tasks[task].declaring, placed.name);
            }
            said.push(Said::Ready(Compiled {
                task,
                folder: made.folder.clone(),
                name: placed.name.clone(),
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
    fn take_back(&mut self) {
        self.tasks.extend(self.refused.drain(..).map(|it| it.0));
        self.tasks.sort_unstable();
    }

    fn drop_wrong(&mut self, wrong: &Wrong) {
        self.tasks.retain(|it| !wrong.own.contains_key(it));
        let wrong = wrong.own.iter();
        self.refused
            .extend(wrong.map(|(task, why)| (*task, why.clone())));
    }
}

fn refused(all: Vec<(usize, Why)>) -> impl Iterator<Item = Said> {
    all.into_iter().map(|(task, why)| Said::Refused(task, why))
}

/// Returns why something does not compile.
pub fn why(code: &str, message: &str, line: Option<u32>) -> Why {
    Why {
        stage: RunStage::Compile,
        code: (!code.is_empty()).then(|| code.to_owned()),
        kind: None,
        message: message.to_owned(),
        line,
        trace: None,
    }
}
