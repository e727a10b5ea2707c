//! Compiles candidates together: those with errors are dropped, until there are no errors.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::{Bench, CandidateSink, Group, TREE, blocked};
use crate::candidate::{CandidateExecution, Fate};
use crate::java::invoke::{MavenCall, MavenOutput, N_CALLS_MAX, Reach};
use crate::java::log::{JavacError, compile_errors};
use crate::java::member::ParsedMethod;
use crate::java::plugins;
use crate::java::scaffold::{
    Insert, InsertContent, PER_COPY_MAX, Scaffold, ScaffoldPlace, TestRemoval, scaffold,
};
use crate::model::{BlockedReason, Outcome, OutcomeReason, RunStage};
use crate::sandbox::{Bind, Root};
use crate::task::EngineStep;
use crate::tree::Tree;
use crate::{RunnerError, io_error};

/// The most calls of javac; each drops something, so usually there are fewer.
const N_ROUNDS_MAX: usize = 50;
const WALL: Duration = Duration::from_secs(30 * 60);
/// The largest source that is read back.
const SOURCE_BYTES_MAX: u64 = 64 << 20;

/// The candidates that have compiled, as they are in the tree.
pub struct CompiledTree {
    /// The places of candidates, by their positions.
    pub placed: BTreeMap<usize, ScaffoldPlace>,
    /// Files that were changed.
    pub files: BTreeSet<usize>,
}

/// Splits candidates into rounds, so that no file has more than [`PER_COPY_MAX`] in one.
pub fn rounds(group: &Group<'_>, members: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut n_of_file: BTreeMap<usize, usize> = BTreeMap::new();
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for idx in members {
        let n = n_of_file.entry(group.candidates[idx].file_idx).or_default();
        let round = *n / PER_COPY_MAX;
        *n += 1;
        if rounds.len() <= round {
            rounds.push(Vec::new());
        }
        rounds[round].push(idx);
    }
    rounds
}

/// One file with the candidates that are still in it.
struct Copy {
    members: Vec<usize>,
    removed: TestRemoval,
    scaffold: Option<Scaffold>,
}

impl Bench<'_> {
    /// Compiles a round; candidates that do not compile are passed on.
    pub fn compile(
        &self,
        group: &Group<'_>,
        round: &[usize],
        texts: &BTreeMap<usize, Option<ParsedMethod>>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<CompiledTree, RunnerError> {
        let mut copies: BTreeMap<usize, Copy> = BTreeMap::new();
        for idx in round {
            let copy = copies
                .entry(group.candidates[*idx].file_idx)
                .or_insert(Copy {
                    members: Vec::new(),
                    removed: TestRemoval::Replaced,
                    scaffold: None,
                });
            copy.members.push(*idx);
        }
        let mut files: BTreeSet<usize> = copies.keys().copied().collect();
        for _ in 0..N_ROUNDS_MAX {
            for (file_idx, copy) in &mut copies {
                let Err(error) = self.put(group, *file_idx, copy, texts) else {
                    continue;
                };
                // A build has put something else in the file's place.
                files.remove(file_idx);
                for idx in copy.members.drain(..) {
                    let why = format!("its file cannot be written: {error}");
                    let candidate = &group.candidates[idx];
                    sink(blocked(candidate, BlockedReason::NoScaffold, &why))?;
                }
            }
            let errors = self.javac(group)?;
            let errors = match errors {
                Ok(errors) if errors.is_empty() => break,
                Ok(errors) => errors,
                Err(said) => {
                    // This is not a candidate's fault: nothing in this module can be compiled here.
                    self.give_up(group, &mut copies, &said, sink)?;
                    break;
                }
            };
            if !self.drop_some(group, &mut copies, &errors, sink)? {
                break;
            }
        }
        let mut placed = BTreeMap::new();
        for copy in copies.values() {
            let all = copy.scaffold.iter().flat_map(|scaffold| &scaffold.placed);
            placed.extend(copy.members.iter().copied().zip(all.cloned()));
        }
        Ok(CompiledTree { placed, files })
    }

    /// Writes one file; without candidates it is as it was mined.
    fn put(
        &self,
        group: &Group<'_>,
        file_idx: usize,
        copy: &mut Copy,
        texts: &BTreeMap<usize, Option<ParsedMethod>>,
    ) -> io::Result<()> {
        let file = &group.files[file_idx];
        let inserts: Vec<Insert<'_>> = copy
            .members
            .iter()
            .map(|idx| {
                let candidate = &group.candidates[*idx];
                Insert {
                    at: candidate.at,
                    what: match &texts[idx] {
                        Some(member) => InsertContent::Candidate(member),
                        None => InsertContent::Truth(&candidate.name),
                    },
                }
            })
            .collect();
        let scaffold = scaffold(file, &inserts, copy.removed);
        let text = if inserts.is_empty() {
            &file.text
        } else {
            &scaffold.text
        };
        self.root.write(self.tree.join(&file.path), text)?;
        copy.scaffold = Some(scaffold);
        Ok(())
    }

    /// Lists the arguments of every call of Maven.
    pub fn arguments(&self, group: &Group<'_>) -> Vec<String> {
        let mut dropped: BTreeSet<String> = plugins::dropped().map(str::to_owned).collect();
        dropped.extend(self.build.dropped.iter().cloned());
        let mut arguments = self.mvn.edits(&dropped);
        let policy = if self.build.jdk.feature < 9 {
            "-XDshouldStopPolicyIfError=FLOW"
        } else {
            "-XDshould-stop.ifError=FLOW"
        };
        arguments.push(format!("-Dfocalist.javac=-Xmaxerrs,100000,{policy}"));
        if !group.module.folder.is_empty() {
            arguments.extend(["-pl", &group.module.folder, "-am"].map(str::to_owned));
        }
        arguments
    }

    /// Builds a call of Maven in a tree: the copy, or a copy of that.
    pub fn call(
        &self,
        (tree, out): (&Path, &Root),
        arguments: Vec<String>,
        wall: Duration,
    ) -> MavenCall {
        let mut binds = vec![Bind::write(out.path()), Bind::write(tree).at(&self.place)];
        binds.extend(self.agent.iter().map(Bind::read));
        MavenCall {
            folder: self.place.clone(),
            arguments,
            binds,
            said: out.path().to_owned(),
            reach: Reach::Nothing,
            repository: self.build.repository.clone(),
            wall,
        }
    }

    /// Calls Maven; where it is killed from outside, again in a renewed tree without half-written files. Also returns
    /// the folder that it has written to.
    pub fn maven(
        &self,
        group: &Group<'_>,
        step: EngineStep,
        make: impl Fn() -> Result<(MavenCall, Root), RunnerError>,
    ) -> Result<(MavenOutput, Root), RunnerError> {
        let mut n_calls = 0;
        loop {
            n_calls += 1;
            let (call, out) = make()?;
            let mut span = self.monitor.timings.begin(step);
            let said = self.mvn.call(&call, self.monitor)?;
            span.used(|| Some(said.cpu));
            drop(span);
            if !said.is_killed || n_calls == N_CALLS_MAX {
                return Ok((said, out));
            }
            self.renew(group)?;
        }
    }

    /// Restores the tree as it was built, and writes the present files into it again, which are then newer than their
    /// classes.
    fn renew(&self, group: &Group<'_>) -> Result<(), RunnerError> {
        let mut files = Vec::new();
        for file in group.files {
            let path = self.tree.join(&file.path);
            // A path that is not a file, or is behind a link, was not written by focalist.
            if let Ok(text) = self.root.read(&path, SOURCE_BYTES_MAX) {
                files.push((text, path));
            }
        }
        self.root.remove(TREE).map_err(io_error(&self.tree))?;
        Tree::read(&self.build.tree, |_| false, self.monitor)?.copy(&self.tree, self.monitor)?;
        for (text, path) in files {
            self.root.write(&path, text).map_err(io_error(&path))?;
        }
        Ok(())
    }

    /// Compiles, and returns the errors of javac; the inner error is Maven's message where it fails for another reason.
    fn javac(&self, group: &Group<'_>) -> Result<Result<Vec<JavacError>, String>, RunnerError> {
        let mut arguments = self.arguments(group);
        arguments.push("test-compile".to_owned());
        let (said, _) = self.maven(group, EngineStep::Compile, || {
            let out = self.fresh("out")?;
            Ok((self.call((&self.tree, &out), arguments.clone(), WALL), out))
        })?;
        let errors = compile_errors(&said.log);
        if errors.is_empty() && !said.is_success {
            let reason = crate::java::log::first_errors(&said.log);
            return Ok(Err(reason.unwrap_or_default()));
        }
        Ok(Ok(errors))
    }

    /// Drops the candidates with errors; where none has one, tries the other scaffold, then drops the file's
    /// candidates. Returns whether to compile again.
    fn drop_some(
        &self,
        group: &Group<'_>,
        copies: &mut BTreeMap<usize, Copy>,
        errors: &[JavacError],
        sink: &mut CandidateSink<'_>,
    ) -> Result<bool, RunnerError> {
        let mut first: BTreeMap<usize, (&JavacError, u32)> = BTreeMap::new();
        let mut unowned: BTreeSet<Option<usize>> = BTreeSet::new();
        for error in errors {
            let file_idx = copies.keys().copied().find(|key| {
                let path = self.place.join(&group.files[*key].path);
                path.to_string_lossy() == error.file
            });
            let owner = file_idx.and_then(|file_idx| {
                let copy = &copies[&file_idx];
                let (at, line) = copy.scaffold.as_ref()?.owner(error.line)?;
                Some((*copy.members.get(at)?, line))
            });
            match owner {
                Some((idx, line)) => {
                    first.entry(idx).or_insert((error, line));
                }
                None => {
                    unowned.insert(file_idx);
                }
            }
        }
        for (idx, (error, line)) in &first {
            let mut ran = CandidateExecution::new(
                group.candidates[*idx].id,
                Fate::Ran(Outcome::NotCompilable),
            );
            ran.why = Some(OutcomeReason {
                stage: RunStage::Compile,
                code: None,
                kind: None,
                message: self.clean(&error.message),
                line: Some(*line),
                trace: None,
            });
            sink(ran)?;
        }
        for copy in copies.values_mut() {
            copy.members.retain(|member| !first.contains_key(member));
        }
        if !first.is_empty() {
            return Ok(true);
        }
        let is_elsewhere = unowned.contains(&None);
        let mut has_changed = false;
        for (file_idx, copy) in copies.iter_mut() {
            let is_bad = is_elsewhere || unowned.contains(&Some(*file_idx));
            if !is_bad || copy.members.is_empty() {
                continue;
            }
            has_changed = true;
            if copy.removed == TestRemoval::Replaced {
                copy.removed = TestRemoval::Stripped;
                continue;
            }
            for idx in copy.members.drain(..) {
                let message = errors.first().map_or("", |error| &error.message);
                let why = self.clean(message);
                sink(blocked(
                    &group.candidates[idx],
                    BlockedReason::NoScaffold,
                    &why,
                ))?;
            }
        }
        Ok(has_changed)
    }

    fn give_up(
        &self,
        group: &Group<'_>,
        copies: &mut BTreeMap<usize, Copy>,
        said: &str,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        for copy in copies.values_mut() {
            for idx in copy.members.drain(..) {
                let why = self.clean(said);
                sink(blocked(
                    &group.candidates[idx],
                    BlockedReason::NoBuild,
                    &why,
                ))?;
            }
        }
        Ok(())
    }
}
