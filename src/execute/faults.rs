//! Tests that pass are held against faults in their focal methods.
//!
//! Decides which tests and which mutants these are, and what is kept. A test is held against all its mutants at once or not
//! at all, so that who goes on later begins with a whole test; what it was held against before is not done again while its
//! text, its project and its mutants are the same. Where that is asked for, a test is left out on mutants that another test of
//! the run has noticed: [`crate::first_kill`]. Which methods get faults is for [`crate::aims`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::Error;
use crate::aims::{self, Aimed, Method};
use crate::candidates;
use crate::choose::Chosen;
use crate::engines::Processes;
use crate::executing::Executing;
use crate::first_kill::{Noticed, Partly, stay};
use crate::model::{ContentHash, ExecutionSetting, FaultCounts, Mutant, Outcome, Shakes};
use crate::options::{FaultOptions, FaultScope};
use crate::pool;
use crate::project::Plan;
use crate::report::FaultReport;
use crate::runner::Candidate;
use crate::runner::faults::{Faulted, Faults, Judged, Tested};
use crate::store::{CandidateMethod, FaultPair, Store, WrittenCandidates, WrittenFaults};
use crate::task::{Cancelled, Monitor, Phase};

/// The version of all that decides pairs but the engine's.
const VERSION: u32 = 1;
/// How many pairs are run before what became of them is written.
const N_PAIRS_AT_ONCE: usize = 400;

/// Candidates with their mutants, by number of the test.
type Told = BTreeMap<u32, Vec<(CandidateMethod, Vec<ContentHash>)>>;

/// A test that passes, with what it is to be held against.
struct Due {
    ordinal: u32,
    stamp: ContentHash,
    tested: Tested,
    /// How many of its mutants another test has noticed, so that it is not run on them.
    n_spared: usize,
}

impl Executing<'_, '_, '_> {
    /// Holds the tests of a run that pass against the mutants of their focal methods.
    pub fn faults(
        &mut self,
        languages: &[Chosen],
        asked: &FaultOptions,
    ) -> Result<FaultReport, Error> {
        let until = asked.time.map(|time| Instant::now() + time);
        let mut report = FaultReport {
            scope: asked.scope,
            ..FaultReport::default()
        };
        for chosen in languages {
            let setting = chosen.setting(self.options, self.sandbox);
            for ordinals in chosen.by_project.values() {
                self.monitor.step()?;
                let passing = self.passing(chosen, &setting, ordinals)?;
                report.n_tests += passing.len() as u64;
                if passing.is_empty() {
                    continue;
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    report.n_left += passing.len() as u64;
                    continue;
                }
                let of = Project {
                    chosen,
                    setting: &setting,
                    until,
                };
                self.faults_of(&of, &passing, asked, &mut report)?;
            }
            let (run, engine) = (chosen.run.id, setting.engine.as_str());
            if asked.scope == FaultScope::Candidates {
                report.n_held += self.store.candidate_faults((run, engine), None)?.len() as u64;
                continue;
            }
            let counts = self.store.fault_counts(run, engine)?;
            let (together, n_partial) = self.store.faults_together(run, engine)?;
            report.together += together;
            report.n_partial += n_partial;
            report.n_held += counts.len() as u64;
            for of_test in counts.values() {
                report.counts += *of_test;
            }
        }
        if let Some(chosen) = languages.first().filter(|_| !asked.is_dry) {
            let (store, run) = (&*self.store, &chosen.run);
            if !asked.pool.is_empty() {
                let pool = pool::pool(store, self.monitor, &asked.pool)?;
                let counts = pool::subsuming(store, self.monitor, run, &pool)?;
                report.subsuming = Some((pool, counts));
            }
            if asked.counts_as_pit {
                report.pit = Some(pool::as_pit_counts(store, self.monitor, run)?);
            }
        }
        Ok(report)
    }

    /// Returns which of these predictions pass and ran themselves, with what they took.
    pub fn passing(
        &self,
        chosen: &Chosen,
        setting: &ExecutionSetting,
        ordinals: &[u32],
    ) -> Result<BTreeMap<u32, Duration>, Error> {
        let run = chosen.run.id;
        let executions = self.store.executions_of(run, &setting.engine, ordinals)?;
        let passing = executions.into_iter().filter_map(|(ordinal, execution)| {
            // Of one that means something else tomorrow it says nothing what it notices today.
            let lasting = Shakes::lasting();
            let changed = execution.stability.map(|it| it.changed.and(lasting));
            let is_own = execution.duplicate_of.is_none() && changed.is_none_or(Shakes::is_empty);
            let passes = execution.outcome.is_some_and(Outcome::passes);
            let elapsed = Duration::from_millis(execution.elapsed_ms.unwrap_or(0).into());
            (is_own && passes).then_some((ordinal, elapsed))
        });
        Ok(passing.collect())
    }

    fn faults_of(
        &mut self,
        of: &Project<'_>,
        passing: &BTreeMap<u32, Duration>,
        asked: &FaultOptions,
        report: &mut FaultReport,
    ) -> Result<(), Error> {
        let run = &of.chosen.run;
        let ordinals: Vec<u32> = passing.keys().copied().collect();
        let opened = self.open_of(of.chosen, ordinals[0], Processes::Shared)?;
        let Some(mut project) = opened else {
            return Ok(());
        };
        let Ok(engine) = &mut project.engine else {
            return Ok(());
        };
        if engine.faults().is_none() {
            let language = of.chosen.language.as_str();
            report.notes.push(format!(
                "{}: no engine makes faults in {language} here",
                project.name
            ));
            return Ok(());
        }
        let plan = self.plan_anew(of.chosen, (of.setting, &project.build), &ordinals)?;
        let (known, aimed) = match asked.scope {
            FaultScope::Focal => {
                let known = self.store.fault_stamps(run.id, &of.setting.engine)?;
                let in_place = aims::in_place(engine.as_mut(), &plan, self.monitor)?;
                (known, aims::at_focal_methods(&plan, &in_place))
            }
            FaultScope::Candidates => {
                let known = self.store.candidate_stamps(run.id, &of.setting.engine)?;
                let matcher = run.setting.matcher;
                (known, aims::at_candidates(self.store, matcher, &plan)?)
            }
        };
        let Some(engine) = engine.faults() else {
            return Ok(());
        };
        let (mut due, told) = due(engine, (&plan, aimed), asked, (self.monitor, report))?;
        let n_all = due.len();
        let noticed = if asked.is_until_noticed {
            Some(self.kept_partly(of, &known, &mut due, asked.is_forced)?)
        } else {
            due.retain(|it| asked.is_forced || known.get(&it.ordinal) != Some(&it.stamp));
            None
        };
        report.n_kept += (n_all - due.len()) as u64;
        if asked.is_dry {
            for it in &due {
                let elapsed = passing.get(&it.ordinal).copied().unwrap_or_default();
                report.n_pairs += it.tested.mutants.len() as u64;
                report.estimate += elapsed * it.tested.mutants.len() as u32;
            }
            return Ok(());
        }
        self.monitor
            .n_predictions_total
            .fetch_add(due.len() as u64, Ordering::Relaxed);
        self.monitor.enter(Phase::Executing);
        let mut holding = Holding {
            store: self.store,
            monitor: self.monitor,
            of: (run.id, &of.setting.engine),
            plan: &plan,
            noticed,
            told: (asked.scope == FaultScope::Candidates).then_some(told),
            report,
        };
        holding.all(engine, due.into(), of.until)
    }

    /// Leaves those tests that have their pairs, or need no others, and returns what these have noticed.
    fn kept_partly(
        &self,
        of: &Project<'_>,
        known: &FxHashMap<u32, ContentHash>,
        due: &mut Vec<Due>,
        is_forced: bool,
    ) -> Result<Noticed, Error> {
        if is_forced {
            return Ok(Noticed::default());
        }
        let candidates = due.iter().filter(|it| {
            let known = known.get(&it.ordinal);
            known == Some(&it.stamp) || known == Some(&partial(it.stamp))
        });
        let ordinals: Vec<u32> = candidates.clone().map(|it| it.ordinal).collect();
        let of_run = (of.chosen.run.id, of.setting.engine.as_str());
        let mut pairs = self.store.fault_outcomes_of(of_run, &ordinals)?;
        let mut tests = BTreeMap::new();
        for it in candidates {
            let partly = Partly {
                is_whole: known.get(&it.ordinal) == Some(&it.stamp),
                mutants: it.tested.mutants.iter().map(|it| it.id).collect(),
                pairs: pairs.remove(&it.ordinal).unwrap_or_default(),
            };
            tests.insert(it.ordinal, partly);
        }
        let noticed = stay(&mut tests);
        due.retain(|it| !tests.contains_key(&it.ordinal));
        Ok(noticed)
    }
}

/// A project of a run.
struct Project<'a> {
    chosen: &'a Chosen,
    setting: &'a ExecutionSetting,
    until: Option<Instant>,
}

/// Makes the mutants of all methods, and returns the tests with these, and their candidates.
fn due(
    engine: &mut dyn Faults,
    (plan, aimed): (&Plan, Vec<Aimed<'_>>),
    asked: &FaultOptions,
    (monitor, report): (&Monitor, &mut FaultReport),
) -> Result<(Vec<Due>, Told), Error> {
    let mut methods: BTreeMap<&Method, &Faulted> = BTreeMap::new();
    for (place, faulted) in aimed.iter().flat_map(|it| &it.methods) {
        methods.entry(place).or_insert(faulted);
    }
    let asked_for: Vec<Faulted> = methods.values().map(|it| Faulted::clone(it)).collect();
    let made = engine.mutants(&asked_for, &asked.operators, monitor)?;
    let made = made.into_iter().map(|mutants| {
        let mutants = sampled(mutants, asked.n_sample);
        mutants.into_iter().map(Arc::new).collect::<Vec<_>>()
    });
    let mutants: BTreeMap<&Method, Vec<Arc<Mutant>>> = methods.into_keys().zip(made).collect();
    report.n_methods += mutants.len() as u64;
    report.n_mutants += mutants.values().map(Vec::len).sum::<usize>() as u64;
    let version = engine.version();
    let (mut due, mut all_told) = (Vec::new(), Told::new());
    for test in &aimed {
        let task = &plan.tasks[test.candidate.id as usize];
        let of_methods = test.methods.iter().map(|it| &mutants[&it.0]);
        // A function inside another one has its mutants, too.
        let mut seen = BTreeSet::new();
        let of_test: Vec<Arc<Mutant>> = of_methods
            .clone()
            .flatten()
            .filter(|it| seen.insert(it.id))
            .cloned()
            .collect();
        let stamp = stamp(&version, task.stamp, &of_test);
        let ids = of_methods.map(|it| it.iter().map(|it| it.id).collect());
        let told: Vec<(CandidateMethod, Vec<ContentHash>)> =
            test.told.iter().cloned().zip(ids).collect();
        due.push(Due {
            ordinal: task.ordinal,
            stamp: candidates::stamp(stamp, &told),
            n_spared: 0,
            tested: Tested {
                candidate: Candidate {
                    focal: None,
                    ..test.candidate.clone()
                },
                mutants: of_test,
            },
        });
        all_told.insert(task.ordinal, told);
    }
    Ok((due, all_told))
}

/// Returns a hash of all that decides the pairs of a test.
fn stamp(version: &str, test: ContentHash, mutants: &[Arc<Mutant>]) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults");
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&(version.len() as u64).to_le_bytes());
    hasher.update(version.as_bytes());
    hasher.update(&test.0);
    for mutant in mutants {
        hasher.update(&mutant.id.0);
    }
    ContentHash::of(&hasher)
}

/// Returns the hash for a test that was left out on some of its mutants.
fn partial(stamp: ContentHash) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults --first-kill");
    hasher.update(&stamp.0);
    ContentHash::of(&hasher)
}

/// Returns so many of the mutants of a method, one of each operator in turn, in their order. Which ones these are depends on
/// the mutants alone, and whoever asks for more gets the same ones and others.
fn sampled(mutants: Vec<Mutant>, n_sample: Option<usize>) -> Vec<Mutant> {
    let Some(n_sample) = n_sample.filter(|n| *n < mutants.len()) else {
        return mutants;
    };
    let mut by_operator: BTreeMap<&str, Vec<[u8; 16]>> = BTreeMap::new();
    for mutant in &mutants {
        let drawn = by_operator.entry(&mutant.mutator).or_default();
        drawn.push(mutant.id.0);
    }
    let mut lots: Vec<(usize, [u8; 16])> = Vec::new();
    for mut ids in by_operator.into_values() {
        // Ids are hashes.
        ids.sort_unstable();
        lots.extend(ids.into_iter().enumerate());
    }
    lots.sort_unstable();
    lots.truncate(n_sample);
    let is_drawn = |mutant: &Mutant| lots.iter().any(|(_, id)| *id == mutant.id.0);
    mutants.into_iter().filter(is_drawn).collect()
}

/// Tests of a project on their way.
struct Holding<'a> {
    store: &'a mut Store,
    monitor: &'a Monitor,
    of: (i64, &'a str),
    plan: &'a Plan,
    /// Mutants that tests of the run have noticed; nothing where each test is run on all.
    noticed: Option<Noticed>,
    /// What is kept of candidates; nothing where tests are run on the mutants of their focal methods.
    told: Option<Told>,
    report: &'a mut FaultReport,
}

impl Holding<'_> {
    fn all(
        &mut self,
        engine: &mut dyn Faults,
        mut due: VecDeque<Due>,
        until: Option<Instant>,
    ) -> Result<(), Error> {
        while !due.is_empty() {
            if until.is_some_and(|until| Instant::now() >= until) {
                self.report.n_left += due.len() as u64;
                return Ok(());
            }
            let part = self.next_part(&mut due);
            self.part(engine, part)?;
        }
        Ok(())
    }

    /// Takes the tests that are run next. Where another test's notice spares a pair, no two of them have a mutant in common.
    fn next_part(&mut self, due: &mut VecDeque<Due>) -> Vec<Due> {
        let (mut part, mut later, mut n_pairs) = (Vec::new(), VecDeque::new(), 0);
        let mut round = self.noticed.as_ref().map(Noticed::round);
        while let Some(mut next) = due.pop_front() {
            if let Some(round) = &mut round {
                let Some(open) = round.take(&next.tested.mutants) else {
                    later.push_back(next);
                    continue;
                };
                next.n_spared = next.tested.mutants.len() - open.len();
                next.tested.mutants = open;
            }
            n_pairs += next.tested.mutants.len();
            part.push(next);
            let has_room = |it: &Due| n_pairs + it.tested.mutants.len() <= N_PAIRS_AT_ONCE;
            if !due.front().is_none_or(has_room) {
                break;
            }
        }
        later.append(due);
        *due = later;
        part
    }

    fn part(&mut self, engine: &mut dyn Faults, part: Vec<Due>) -> Result<(), Error> {
        // Nothing runs for a method that has no mutants, or none that are left.
        let (part, without): (Vec<Due>, Vec<Due>) = part
            .into_iter()
            .partition(|it| !it.tested.mutants.is_empty());
        let n_without = without.iter().filter(|it| it.n_spared == 0).count();
        self.report.n_without += n_without as u64;
        let mut judged: BTreeMap<u64, Judged> = without
            .iter()
            .map(|it| (it.tested.candidate.id, Judged::Pairs(Vec::new())))
            .collect();
        let tests: Vec<Tested> = part.iter().map(|it| it.tested.clone()).collect();
        let monitor = self.monitor;
        let ended = if tests.is_empty() {
            Ok(())
        } else {
            engine.judge(&self.plan.files, &tests, monitor, &mut |id, found| {
                judged.insert(id, found);
                monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Cancelled>(())
            })
        };
        let mut rows = Vec::new();
        for it in part.iter().chain(&without) {
            if let Some(judged) = judged.get(&it.tested.candidate.id)
                && let Some(row) = self.row(it, judged)
            {
                rows.push(row);
            }
        }
        // Also where the work was cancelled: it was done.
        let unheard = Monitor::default();
        match &self.told {
            None => self.store.write_faults(self.of, &rows, &unheard)?,
            Some(told) => {
                let rows = rows.into_iter().map(|faults| WrittenCandidates {
                    methods: told.get(&faults.ordinal).map_or(&[], Vec::as_slice),
                    faults,
                });
                let rows: Vec<WrittenCandidates<'_>> = rows.collect();
                self.store
                    .write_candidate_faults(self.of, &rows, &unheard)?;
            }
        }
        Ok(ended?)
    }

    /// Returns the row of a test; nothing where the engine itself has no outcome of one of its pairs, so that it is done
    /// again another time.
    fn row<'d>(&mut self, due: &'d Due, judged: &Judged) -> Option<WrittenFaults<'d>> {
        self.report.n_now += 1;
        let pairs = match judged {
            Judged::Unsettled => {
                self.report.n_unsettled += 1;
                None
            }
            Judged::Pairs(pairs) if pairs.iter().any(Option::is_none) => {
                self.report.n_failed += 1;
                return None;
            }
            Judged::Pairs(pairs) => {
                let pairs = due.tested.mutants.iter().zip(pairs.iter().flatten());
                let pairs = pairs.map(|(mutant, pair)| FaultPair {
                    mutant: &**mutant,
                    outcome: pair.outcome,
                    by: pair.by.clone(),
                    ms: pair.ms,
                });
                Some(pairs.collect::<Vec<_>>())
            }
        };
        let counts = pairs.iter().flatten().map(|pair| pair.outcome);
        self.report.n_pairs += FaultCounts::of(counts).n_viable;
        if let Some(noticed) = &mut self.noticed {
            let pairs = pairs.iter().flatten();
            noticed.add(pairs.map(|it| (it.mutant.id, it.outcome)));
        }
        // Of a test that does not pass each time it is known without a mutant.
        let is_whole = due.n_spared == 0 || pairs.is_none();
        if !is_whole {
            self.report.n_spared += due.n_spared as u64;
        }
        Some(WrittenFaults {
            ordinal: due.ordinal,
            stamp: if is_whole {
                due.stamp
            } else {
                partial(due.stamp)
            },
            is_whole,
            pairs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::mutant;

    #[test]
    fn a_sample_takes_of_every_operator_in_turn_and_a_greater_one_holds_it() {
        let all = || {
            vec![
                mutant(5, "AOR"),
                mutant(1, "CRP"),
                mutant(2, "CRP"),
                mutant(3, "CRP"),
                mutant(4, "ROR"),
            ]
        };
        let ids = |n| -> Vec<u8> {
            let drawn = sampled(all(), Some(n));
            drawn.iter().map(|mutant| mutant.id.0[0]).collect()
        };
        assert_eq!(ids(3), [5, 1, 4]);
        assert_eq!(ids(4), [5, 1, 2, 4]);
        assert_eq!(ids(9), [5, 1, 2, 3, 4]);
        assert_eq!(sampled(all(), None).len(), 5);
    }
}
