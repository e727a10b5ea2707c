//! Running the compiled candidates: surefire executions, their reports, and the files of JaCoCo's agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compile::CompiledTree;
use super::reports::{self, SurefireCase, TestEnd, ThrownException};
use super::{Bench, CandidateSink, Group, TREE, blocked, coverage, hook};
use crate::candidate::{CandidateExecution, Fate, Focal};
use crate::java::invoke::{MavenCall, MavenOutput, N_CALLS_MAX, SIGKILL};
use crate::java::log::first_errors;
use crate::model::{BlockedReason, FocalCoverage, Outcome, OutcomeReason, RunStage};
use crate::sandbox::{Bind, EntryKind, FinishedProgram, ProgramEnd as Ended, ProgramPlan, Root};
use crate::task::{EngineStep, Monitor};
use crate::tree::Tree;
use crate::{RunnerError, io_error};

/// The number of processes that one call of Maven starts; its messages about each are separable.
const N_OF_CALL_MAX: usize = 25;
/// The time that a virtual machine may take to start and to end.
const SLACK: Duration = Duration::from_secs(20);
const WALL: Duration = Duration::from_secs(15 * 60);
/// The maximum size of a JaCoCo report or of a source file.
const REPORT_BYTES_MAX: u64 = 64 << 20;
/// The file that JaCoCo's agent writes.
const EXEC: &str = "jacoco.exec";

pub struct Tests<'t> {
    pub bench: &'t Bench<'t>,
    pub group: &'t Group<'t>,
    pub compiled: &'t CompiledTree,
    /// The version of surefire.
    pub version: &'t str,
    /// The class that each candidate runs in.
    pub hosts: BTreeMap<usize, String>,
}

/// One process and its tests.
struct Process {
    id: String,
    members: Vec<usize>,
    is_measured: bool,
}

impl Tests<'_> {
    /// Runs all tests and passes the outcome of each to `sink`.
    pub fn run(&self, sink: &mut CandidateSink<'_>) -> Result<(), RunnerError> {
        let all: Vec<usize> = self.hosts.keys().copied().collect();
        if all.is_empty() {
            return Ok(());
        }
        let mut alone = all.clone();
        if !self.bench.options.is_alone {
            alone = self.together(&all, sink)?;
        }
        let mut killed = Vec::new();
        self.all(&alone, Some(&mut killed), sink)?;
        self.all(&killed, None, sink)
    }

    /// Runs each test in a separate process. Tests whose process is killed are added to `killed`, where it is given.
    fn all(
        &self,
        all: &[usize],
        mut killed: Option<&mut Vec<usize>>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let mut left = all;
        while !left.is_empty() {
            // Processes of one call share a tree, so one could change the classes of later ones.
            let n_of_call = if self.bench.options.is_alone {
                1
            } else {
                N_OF_CALL_MAX
            };
            let part = &left[..left.len().min(n_of_call)];
            left = &left[self.each(part, killed.as_deref_mut(), sink)?..];
        }
        Ok(())
    }

    /// Runs each test in a separate process; returns how many it got to, at least one: a crash ends Maven.
    fn each(
        &self,
        part: &[usize],
        mut killed: Option<&mut Vec<usize>>,
        sink: &mut CandidateSink<'_>,
    ) -> Result<usize, RunnerError> {
        let processes = part.iter().map(|idx| Process {
            id: format!("focalist-{idx}"),
            members: vec![*idx],
            is_measured: self.bench.options.is_alone,
        });
        let processes: Vec<Process> = processes.collect();
        let (said, out) = self.call(&processes)?;
        let mut n_done = 0;
        for process in &processes {
            let log = part_of(&said.log, &process.id, self.artifact());
            if log.is_none() && n_done > 0 {
                break;
            }
            n_done += 1;
            let idx = process.members[0];
            let cases = reports::read(&out, &reports_of(&process.id));
            let case = self.case(idx, &cases);
            // JaCoCo writes last: a process with a report but without JaCoCo's file was killed while it ended.
            let is_lost = process.is_measured && case.is_some() && !has_exec(&out, &process.id);
            let is_killed = is_lost || log.is_some_and(|log_part| was_killed(log_part.text));
            if let Some(killed) = killed.as_deref_mut().filter(|_| is_killed) {
                // Killed by its own doing, or by something that kills processes on this machine.
                killed.push(idx);
                continue;
            }
            let mut ran = match case {
                Some(case) => self.ran(idx, &case),
                None => self.without_report(idx, log, &said),
            };
            if process.is_measured {
                self.measure(idx, (&out, &process.id), &mut ran)?;
            }
            sink(ran)?;
        }
        Ok(n_done)
    }

    /// Returns the module's name in Maven's log.
    fn artifact(&self) -> &str {
        let mut words = self.group.module.artifact.split(':');
        words.nth(1).unwrap_or_default()
    }

    /// Runs tests in one process; returns those without an answer because the process ended before them.
    fn together(
        &self,
        all: &[usize],
        sink: &mut CandidateSink<'_>,
    ) -> Result<Vec<usize>, RunnerError> {
        let process = Process {
            id: "focalist-all".to_owned(),
            members: all.to_vec(),
            is_measured: false,
        };
        let (said, out) = self.call(std::slice::from_ref(&process))?;
        let cases = reports::read(&out, &reports_of(&process.id));
        let log = part_of(&said.log, &process.id, self.artifact());
        let has_ended_early = log.is_some_and(|log_part| early_end(log_part.text).is_some());
        let mut left = Vec::new();
        for idx in all {
            match self.case(*idx, &cases) {
                Some(case) => sink(self.ran(*idx, &case))?,
                None if has_ended_early => left.push(*idx),
                None => sink(self.without_report(*idx, log, &said))?,
            }
        }
        Ok(left)
    }

    /// Runs processes through Maven; returns its output and the folder of the reports.
    fn call(&self, processes: &[Process]) -> Result<(MavenOutput, Root), RunnerError> {
        let bench = self.bench;
        let work = bench.root.path().join("work");
        let called = bench.maven(self.group, EngineStep::Test, || {
            bench.root.remove("work").map_err(io_error(&work))?;
            if !bench.is_bare() {
                let _step = bench.monitor.timings.begin(EngineStep::Copy);
                copy(&bench.tree, &work, bench.monitor)?;
            }
            self.call_of(processes, &work)
        });
        // Nothing that candidates have left in it may be read.
        bench.root.remove("work").map_err(io_error(&work))?;
        called
    }

    /// Builds a call of Maven with an execution for each process.
    fn call_of(
        &self,
        processes: &[Process],
        work: &Path,
    ) -> Result<(MavenCall, Root), RunnerError> {
        let bench = self.bench;
        let (asked, out) = (bench.fresh("asked")?, bench.fresh("out")?);
        let mut lines = String::new();
        let mut wall = WALL;
        let mut arguments = bench.arguments(self.group);
        for process in processes {
            out.create_folder(&process.id)
                .map_err(io_error(out.path()))?;
            let n = u32::try_from(process.members.len()).unwrap_or(u32::MAX);
            let limit = bench.options.limit.saturating_mul(n) + SLACK;
            wall += limit;
            lines.push_str(&format!(
                "{}\t{}\t{}\t{}\t{}\n",
                process.id,
                self.pattern(&process.members),
                out.path().join(reports_of(&process.id)).display(),
                if process.is_measured {
                    self.agents(process, (&asked, &out))?
                } else {
                    String::new()
                },
                limit.as_secs()
            ));
        }
        let path = asked.path().join("tests.tsv");
        asked.write(&path, lines).map_err(io_error(&path))?;
        let module = bench.place.join(&self.group.module.folder);
        // The folder must not end with a slash.
        let module = module.components().collect::<PathBuf>();
        arguments.push(format!("-Dfocalist.tests={}", path.display()));
        arguments.push(format!("-Dfocalist.module={}", module.display()));
        arguments.push("test-compile".to_owned());
        let goal = format!(
            "org.apache.maven.plugins:maven-surefire-plugin:{}:test",
            self.version
        );
        arguments.extend(
            processes
                .iter()
                .map(|process| format!("{goal}@{}", process.id)),
        );
        let tree = if bench.is_bare() { &bench.tree } else { work };
        let mut call = bench.call((tree, &out), arguments, wall);
        call.binds.push(Bind::read(asked.path()));
        Ok((call, out))
    }

    /// Returns the agents of a process: JaCoCo's first, so that its class numbers match the files.
    fn agents(
        &self,
        process: &Process,
        (asked, out): (&Root, &Root),
    ) -> Result<String, RunnerError> {
        let folder = out.path().join(&process.id);
        let jacoco = self.bench.build.jacoco_agent.display();
        let exec = folder.join(EXEC);
        let mut agents = vec![format!("-javaagent:{jacoco}=destfile={}", exec.display())];
        let focal = self.group.candidates[process.members[0]].focal.as_ref();
        if let (Some(agent), Some(focal)) = (&self.bench.agent, focal) {
            let path = asked.path().join(format!("{}.tsv", process.id));
            let text = hook::question(self.bench, agent, &folder, focal);
            asked.write(&path, text).map_err(io_error(&path))?;
            let jar = agent.join("agent.jar");
            agents.push(format!("-javaagent:{}={}", jar.display(), path.display()));
        }
        for agent in &mut agents {
            if agent.contains(char::is_whitespace) {
                *agent = format!("\"{agent}\"");
            }
        }
        Ok(agents.join(" "))
    }

    /// Writes the tests as surefire expects them: `p.T#a+b,q.U#c`.
    fn pattern(&self, members: &[usize]) -> String {
        let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for idx in members {
            let name = self.compiled.placed[idx].name.as_str();
            classes.entry(&self.hosts[idx]).or_default().push(name);
        }
        let words = classes
            .iter()
            .map(|(class, names)| format!("{class}#{}", names.join("+")));
        words.collect::<Vec<_>>().join(",")
    }

    /// Finds how a candidate's test ended; of several runs, the first that did not pass.
    fn case(&self, idx: usize, cases: &[SurefireCase]) -> Option<SurefireCase> {
        let (host, name) = (&self.hosts[&idx], &self.compiled.placed[&idx].name);
        let own: Vec<&SurefireCase> = cases
            .iter()
            .filter(|case| case.class == *host && case.method == *name)
            .collect();
        let thrown = own
            .iter()
            .find(|surefire_case| matches!(surefire_case.end, TestEnd::Thrown(_)));
        let passed = own
            .iter()
            .find(|surefire_case| surefire_case.end == TestEnd::Passed);
        let found = thrown.or(passed).or(own.first()).copied().cloned();
        if found.is_some() {
            return found;
        }
        // An exception in a fixture of the class is reported for the class, or without a name.
        let mut of_class = cases
            .iter()
            .filter(|case| case.class == *host && matches!(case.end, TestEnd::Thrown(_)));
        of_class
            .find(|surefire_case| surefire_case.method.is_empty() || surefire_case.method == *host)
            .cloned()
    }

    fn answer(&self, idx: usize, outcome: Outcome) -> CandidateExecution {
        let mut ran = CandidateExecution::new(self.group.candidates[idx].id, Fate::Ran(outcome));
        ran.host.clone_from(&self.hosts[&idx]);
        ran.method.clone_from(&self.compiled.placed[&idx].name);
        ran
    }

    fn ran(&self, idx: usize, case: &SurefireCase) -> CandidateExecution {
        let (outcome, why) = match &case.end {
            TestEnd::Passed => (Outcome::Passing, None),
            TestEnd::Skipped { message } => {
                (Outcome::NotExecuted, Some(self.why("skipped", message)))
            }
            TestEnd::Thrown(thrown) if thrown.is_timeout() => {
                (Outcome::Timeout, Some(self.why_thrown(idx, thrown)))
            }
            TestEnd::Thrown(thrown) => (Outcome::Failing, Some(self.why_thrown(idx, thrown))),
        };
        let mut ran = self.answer(idx, outcome);
        ran.elapsed = Some(case.elapsed);
        ran.why = why;
        ran
    }

    fn without_report(
        &self,
        idx: usize,
        log: Option<MavenLogPart<'_>>,
        said: &MavenOutput,
    ) -> CandidateExecution {
        let end = log.and_then(|log_part| early_end(log_part.text));
        if end.is_none() && !said.is_success && log.is_none_or(|log_part| log_part.is_last) {
            // Failing tests do not make Maven fail, so surefire itself could not run.
            let ending = said.ending.clone();
            let reason = ending
                .or_else(|| first_errors(&said.log))
                .unwrap_or_default();
            let reason = self.bench.clean(&reason);
            return blocked(
                &self.group.candidates[idx],
                BlockedReason::NoEngine,
                &reason,
            );
        }
        let (outcome, code, message) = match end {
            Some((Outcome::Timeout, said)) => (Outcome::Timeout, "limit", said),
            Some((outcome, said)) => (outcome, "exit", said),
            None => (Outcome::NotExecuted, "none", "no test of this name ran"),
        };
        let mut ran = self.answer(idx, outcome);
        ran.why = Some(self.why(code, message));
        ran
    }

    fn why(&self, code: &str, message: &str) -> OutcomeReason {
        OutcomeReason {
            stage: RunStage::Run,
            code: Some(code.to_owned()),
            kind: None,
            message: self.bench.clean(message),
            line: None,
            trace: None,
        }
    }

    fn why_thrown(&self, idx: usize, thrown: &ThrownException) -> OutcomeReason {
        let trace = self.bench.clean(&thrown.trace);
        OutcomeReason {
            kind: Some(thrown.kind.clone()).filter(|text| !text.is_empty()),
            code: None,
            line: self.line(idx, &thrown.trace),
            trace: (!trace.is_empty()).then_some(trace),
            ..self.why("", &thrown.message)
        }
    }

    /// Finds the line of the candidate's text that a trace names first.
    fn line(&self, idx: usize, trace: &str) -> Option<u32> {
        let lines = &self.compiled.placed[&idx].lines;
        let file = Path::new(&self.group.file(idx).path).file_name()?;
        let mark = format!("({}:", file.to_string_lossy());
        let found = trace.lines().filter_map(|line| {
            let (_, rest) = line.split_once(&mark)?;
            rest.split(')').next()?.parse::<u32>().ok()
        });
        let mut inside = found.filter(|found| lines.contains(found));
        inside.next().map(|n| n - lines.start + 1)
    }

    /// Adds the agents' measurements of the focal method.
    fn measure(
        &self,
        idx: usize,
        (out, id): (&Root, &str),
        ran: &mut CandidateExecution,
    ) -> Result<(), RunnerError> {
        let Some(focal) = &self.group.candidates[idx].focal else {
            return Ok(());
        };
        ran.focal = if has_exec(out, id) {
            self.report(focal, (out, id))?
        } else {
            None
        };
        let has_run = |focal_coverage: &FocalCoverage| {
            focal_coverage
                .instructions
                .is_some_and(|instruction| instruction.covered > 0)
        };
        // A covered method was entered, but one without coverage may have been entered, too.
        let is_covered = ran.focal.as_ref().is_some_and(has_run).then_some(true);
        ran.is_called = is_covered.or_else(|| hook::is_entered(out, id));
        if ran.is_called == Some(true) && ran.fate == Fate::Ran(Outcome::Passing) {
            ran.fate = Fate::Ran(Outcome::Correct);
        }
        Ok(())
    }

    /// Has JaCoCo report on the class of a focal method as it was compiled, even if tests have changed the class file
    /// since.
    fn report(
        &self,
        focal: &Focal,
        (out, id): (&Root, &str),
    ) -> Result<Option<FocalCoverage>, RunnerError> {
        let bench = self.bench;
        let name = format!("{}.class", coverage::class_of(focal));
        let modules = bench.build.modules.iter();
        let mut class_files = modules.map(|module| bench.here(&module.output).join(&name));
        let is_there = |path: &PathBuf| matches!(bench.root.kind(path), Ok(Some(EntryKind::File)));
        let Some(class_file) = class_files.find(is_there) else {
            return Ok(None);
        };
        let said = bench.fresh("report")?;
        let xml = said.path().join("report.xml");
        let exec = out.path().join(id).join(EXEC);
        let plan = ProgramPlan::new(bench.build.jdk.home.join("bin/java"))
            .args([
                "-Xshare:auto".into(),
                "-jar".into(),
                bench.build.jacoco_cli.clone().into_os_string(),
            ])
            .args(["report".into(), exec.into_os_string()])
            .args(["--classfiles".into(), class_file.into_os_string()])
            .args(["--xml".into(), xml.clone().into_os_string()])
            .bind(Bind::read(&bench.build.jdk.home))
            .bind(Bind::read(&bench.build.shared))
            .bind(Bind::read(bench.root.path().join(TREE)))
            .bind(Bind::read(out.path()))
            .bind(Bind::write(said.path()));
        let run = || -> Result<FinishedProgram, RunnerError> {
            let mut span = bench.monitor.timings.begin(EngineStep::Coverage);
            let finished = bench.mvn.site.sandbox.run(&plan, b"", bench.monitor)?;
            span.used(|| Some(finished.ending.cpu));
            Ok(finished)
        };
        let mut finished = run()?;
        for _ in 1..N_CALLS_MAX {
            if finished.ending.end != Ended::Signalled(SIGKILL) {
                break;
            }
            finished = run()?;
        }
        if finished.ending.end != Ended::Exited(0) {
            return Ok(None);
        }
        let report = said.read_text(&xml, REPORT_BYTES_MAX);
        let report = report.map_err(io_error(&xml))?;
        Ok(coverage::find(&report, focal, self.lines(focal)))
    }

    /// Finds the first and the last line of a focal method.
    fn lines(&self, focal: &Focal) -> (u32, u32) {
        let tree = Root::open(&self.bench.build.tree);
        let text = tree.and_then(|root| root.read(&focal.place.path, REPORT_BYTES_MAX));
        // A build may have moved the file; the lines are only for display.
        let text = text.unwrap_or_default();
        let n_before = |end: u32| {
            let before = &text[..(end as usize).min(text.len())];
            String::from_utf8_lossy(before).matches('\n').count() as u32 + 1
        };
        (
            n_before(focal.place.span.start),
            n_before(focal.place.span.end),
        )
    }
}

/// Names the folder of surefire's reports on a process, below the folder of its call.
fn reports_of(id: &str) -> PathBuf {
    Path::new(id).join("reports")
}

fn has_exec(out: &Root, id: &str) -> bool {
    let kind = out.kind(Path::new(id).join(EXEC));
    matches!(kind, Ok(Some(EntryKind::File)))
}

fn copy(from: &Path, to: &Path, monitor: &Monitor) -> Result<(), RunnerError> {
    Tree::read(from, |_| false, monitor)?.copy(to, monitor)
}

/// The part of Maven's log about one execution.
#[derive(Clone, Copy)]
struct MavenLogPart<'l> {
    text: &'l str,
    /// Whether this was the last execution, so that whatever ended Maven ended it.
    is_last: bool,
}

/// Cuts the part about an execution in a module out of Maven's log; nothing where Maven did not get to it.
fn part_of<'l>(log: &'l str, id: &str, artifact: &str) -> Option<MavenLogPart<'l>> {
    let mark = format!(":test ({id}) @ {artifact} ");
    let (_, rest) = log.split_once(&mark)?;
    match rest.split_once("[INFO] --- ") {
        Some((text, _)) => Some(MavenLogPart {
            text,
            is_last: false,
        }),
        None => Some(MavenLogPart {
            text: rest,
            is_last: true,
        }),
    }
}

/// Finds why a process ended before its tests, in surefire's words.
fn early_end(log: &str) -> Option<(Outcome, &str)> {
    let marks = [
        ("There was a timeout", Outcome::Timeout),
        ("timeout or other error in the fork", Outcome::Timeout),
        ("The forked VM terminated", Outcome::Crash),
        ("Process Exit Code", Outcome::Crash),
        ("Crashed tests", Outcome::Crash),
    ];
    marks.iter().find_map(|(mark, outcome)| {
        let line = log.lines().find(|line| line.contains(mark))?;
        let said = line.trim_start_matches("[ERROR]").trim();
        Some((*outcome, said))
    })
}

/// Tells whether a process was ended by a signal that cannot be caught.
fn was_killed(log: &str) -> bool {
    log.lines()
        .any(|line| line.trim_end().ends_with("Process Exit Code: 137"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_each_process_is_kept_apart() {
        let log = "[INFO] --- surefire:3.2.5:test (focalist-1) @ parent ---\n[INFO] Tests are skipped.\n\
                   [INFO] --- surefire:3.2.5:test (focalist-1) @ x ---\n[ERROR] There was a timeout in the fork\n\
                   [INFO] --- surefire:3.2.5:test (focalist-12) @ x ---\n[INFO] fine\n\
                   [INFO] --- surefire:3.2.5:test (focalist-2) @ x ---\n[INFO] BUILD FAILURE\n\
                   [ERROR] Failed to execute goal surefire:3.2.5:test (focalist-2) on project x:\n\
                   [ERROR] The forked VM terminated without goodbye\n";
        let check = |id, expected: Option<(Option<Outcome>, bool)>| {
            let part = part_of(log, id, "x");
            let found = part.map(|log_part| {
                (
                    early_end(log_part.text).map(|pair| pair.0),
                    log_part.is_last,
                )
            });
            assert_eq!(found, expected, "{id}");
        };
        check("focalist-1", Some((Some(Outcome::Timeout), false)));
        check("focalist-12", Some((None, false)));
        check("focalist-2", Some((Some(Outcome::Crash), true)));
        check("focalist-3", None);
    }
}
