//! Runs the tests of a class together, in an order, with something changed around them: each class is compiled once,
//! and run once for each round.
//!
//! True tests share their original class; a candidate has a class of its own, in which it stands in place of its test.
//! The verb repeats findings from a shared JVM in a JVM for each class.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::{Candidate, HostFile};
use crate::java::member::MethodReader;
use crate::model::{Language, Shake};
use crate::shakes::{
    self, BusyProcesses, ProcessSurroundings, SecondCopy, ShakeRound, ShakeSink, TestFate,
};
use crate::task::Monitor;
use crate::{CandidateSink, RunnerError};

use super::canary::Canaries;
use super::pool::{CandidateEnd, PoolBatch as PoolRound, WorkerPool};
use super::talk::{Job, JobReply};
use super::{Aim, EngineCall, Fast, FastOptions};

/// The rounds and tests of a call, and where their fates go.
pub struct ShakeRequest<'f> {
    rounds: &'f [ShakeRound],
    /// The tests of each class, by the candidate that stands for it.
    classes: BTreeMap<u64, ShakenClass>,
    sink: RefCell<&'f mut ShakeSink<'f>>,
}

/// The tests of a class.
#[derive(Debug, Default)]
struct ShakenClass {
    /// All tests of the file, in the order of their declarations.
    names: Vec<String>,
    /// The name of the true test in whose place a candidate is.
    replaced: Option<String>,
    /// The tests in question, with the numbers of their candidates; empty where it is the candidate itself.
    asked: Vec<(String, u64)>,
}

/// One run of a class.
struct ClassRun {
    round: usize,
    /// The tests in question.
    asked: Vec<(String, u64)>,
}

impl Fast<'_> {
    /// Runs candidates among the tests of their classes, once for each round; see
    /// [`ShakeEngine`](crate::shakes::ShakeEngine).
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    pub fn run_rounds<'f>(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        rounds: &'f [ShakeRound],
        (monitor, sink): (&Monitor, &'f mut ShakeSink<'f>),
    ) -> Result<(), RunnerError> {
        let (classes, asked) = classes(files, candidates);
        let shaken = ShakeRequest {
            rounds,
            classes,
            sink: RefCell::new(sink),
        };
        // Candidates that do not compile are not reported here.
        let mut outcomes: Box<CandidateSink<'_>> = Box::new(|_| Ok(()));
        let aim = Aim::Shakes(&shaken);
        self.run_all((files, &asked), aim, monitor, &mut *outcomes)
    }

    /// Runs what was compiled, round by round.
    pub(super) fn run_shaken(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        (jobs, shaken): (&[Job], &ShakeRequest<'_>),
    ) -> Result<(), RunnerError> {
        for (nth, round) in shaken.rounds.iter().enumerate() {
            call.monitor.step()?;
            let (mut asked, mut ran) = (Vec::new(), Vec::new());
            for job in jobs {
                let Some(class) = shaken.classes.get(&job.id) else {
                    continue;
                };
                for (order, of) in class.orders(job, round.shake) {
                    asked.push(Job {
                        order,
                        is_twice: round.shake == Some(Shake::Folder),
                        focal: None,
                        is_truth: false,
                        ..job.clone()
                    });
                    ran.push(ClassRun {
                        round: nth,
                        asked: of,
                    });
                }
            }
            self.run_round(module, call, *round, (&asked, &ran, shaken))?;
        }
        Ok(())
    }

    fn run_round(
        &mut self,
        module: usize,
        call: &EngineCall<'_, '_>,
        round: ShakeRound,
        (jobs, ran, shaken): (&[Job], &[ClassRun], &ShakeRequest<'_>),
    ) -> Result<(), RunnerError> {
        let own = self.options.clone();
        self.options = FastOptions {
            around: ProcessSurroundings::at(self.site, round, Language::Java)?,
            // Objects of a new JVM get the same hash codes in the same order, so all tests that share a JVM must run in
            // the same one.
            n_jobs: if round.is_fresh { own.n_jobs } else { 1 },
            tells_entered: false,
            ..own.clone()
        };
        let (world, options) = (self.world(module), self.options.clone());
        self.options = own;
        let _busy = BusyProcesses::of(self.site, round)?;
        let lonely: Vec<usize> = if round.is_fresh {
            (0..jobs.len()).collect()
        } else {
            Vec::new()
        };
        let pool_round = PoolRound {
            jobs,
            lonely: &lonely,
            canaries: Canaries::default(),
            monitor: call.monitor,
        };
        let mut tell = |at: usize, ended: CandidateEnd| {
            let CandidateEnd::Done(done) = ended else {
                return Ok(());
            };
            for (name, id) in &ran[at].asked {
                if let Some(fate) = fate(&done, name) {
                    let mut sink = shaken.sink.borrow_mut();
                    sink(*id, ran[at].round, fate).map_err(RunnerError::from)?;
                }
            }
            Ok(())
        };
        let pool = |world| WorkerPool::new(self.site, world, options.clone(), self.cleaner());
        if round.shake == Some(Shake::Port) {
            let pools = (pool(world.clone()), pool(world));
            return run_beside(pools, &pool_round, &mut tell);
        }
        pool(world).run(pool_round, &mut tell)
    }
}

/// Runs jobs one after the other, each beside a copy of itself; the two pools share a network.
fn run_beside(
    (mut first, mut second): (WorkerPool<'_>, WorkerPool<'_>),
    round: &PoolRound<'_>,
    tell: &mut dyn FnMut(usize, CandidateEnd) -> Result<(), RunnerError>,
) -> Result<(), RunnerError> {
    for (at, job) in round.jobs.iter().enumerate() {
        let is_lonely = round.lonely.contains(&at);
        let of = |lonely| PoolRound {
            jobs: std::slice::from_ref(job),
            lonely,
            canaries: Canaries::default(),
            monitor: round.monitor,
        };
        let again = |copy: &SecondCopy<'_>| -> Result<(), RunnerError> {
            while copy.monitor.step().is_ok() {
                second.run(of(&[]), &mut |_, _| Ok(()))?;
                copy.has_run();
            }
            Ok(())
        };
        shakes::beside(again, round.monitor, || {
            let lonely: &[usize] = if is_lonely { &[0] } else { &[] };
            first.run(of(lonely), &mut |_, ended| tell(at, ended))
        })?;
    }
    Ok(())
}

/// The tests of one launch, in order, and those in question with their candidates' numbers.
type LaunchTests = (Vec<String>, Vec<(String, u64)>);

impl ShakenClass {
    /// Lists the tests that run together in a round, with those in question.
    fn orders(&self, job: &Job, shake: Option<Shake>) -> Vec<LaunchTests> {
        let asked = if self.asked.is_empty() {
            vec![(job.method.clone(), job.id)]
        } else {
            self.asked.clone()
        };
        if shake == Some(Shake::Alone) {
            let alone = asked.into_iter();
            return alone
                .map(|alone| (vec![alone.0.clone()], vec![alone]))
                .collect();
        }
        let named = |name: &String| {
            let is_replaced = self.replaced.as_ref() == Some(name);
            if is_replaced {
                job.method.clone()
            } else {
                name.clone()
            }
        };
        let names = self.names.iter().map(named).collect();
        vec![(shakes::ordered(names, shake), asked)]
    }
}

/// Reads the fate of a test from an answer; nothing where it has none.
fn fate(done: &JobReply, name: &str) -> Option<TestFate> {
    let word = done.each.get(name).or_else(|| done.each.get(""));
    Some(match word.map(String::as_str) {
        Some("passed") => TestFate::Passed,
        Some("skipped") => TestFate::Skipped,
        Some(_) => TestFate::Failed,
        // The class itself could not be loaded.
        None if done.each.is_empty() && done.status == "failing" => TestFate::Failed,
        None => return None,
    })
}

/// Sorts candidates by their classes, and returns one candidate for each class, which is compiled.
fn classes<'c>(
    files: &[HostFile],
    candidates: &'c [Candidate],
) -> (BTreeMap<u64, ShakenClass>, Vec<&'c Candidate>) {
    let mut reader = MethodReader::new();
    let mut names = |file: &HostFile, at| {
        let mut spans: BTreeSet<_> = file.tests.iter().copied().collect();
        spans.insert(at);
        let mut named: Vec<(crate::model::Span, String)> = Vec::new();
        for span in spans {
            let text = file.text.get(span.start as usize..span.end as usize);
            let member = text.and_then(|text| reader.member(text).ok());
            if let Some(member) = member
                && named.iter().all(|pair| pair.1 != member.name())
            {
                named.push((span, member.name().to_owned()));
            }
        }
        named
    };
    let mut classes: BTreeMap<u64, ShakenClass> = BTreeMap::new();
    let mut asked = Vec::new();
    // The classes of true tests, by file and nesting.
    let mut shared: BTreeMap<(usize, &[String]), u64> = BTreeMap::new();
    for candidate in candidates {
        let is_true = candidate.text.is_empty();
        let place = (candidate.file_idx, candidate.nesting.as_slice());
        if let Some(first) = shared.get(&place).filter(|_| is_true)
            && let Some(class) = classes.get_mut(first)
        {
            class.asked.push((candidate.name.clone(), candidate.id));
            continue;
        }
        let named = names(&files[candidate.file_idx], candidate.at);
        let replaced = named.iter().find(|pair| pair.0 == candidate.at);
        let replaced = replaced
            .filter(|_| !is_true)
            .map(|replaced| replaced.1.clone());
        let names = named.into_iter().map(|named| named.1).collect();
        let own = (candidate.name.clone(), candidate.id);
        let class = ShakenClass {
            names,
            replaced,
            asked: if is_true { vec![own] } else { Vec::new() },
        };
        if is_true {
            shared.insert(place, candidate.id);
        }
        classes.insert(candidate.id, class);
        asked.push(candidate);
    }
    (classes, asked)
}
