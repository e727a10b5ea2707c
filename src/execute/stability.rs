//! Tests are run again with something changed around them, and what changes their outcome is kept.
//!
//! Decides which tests these are, how often they run, and what is concluded. First all run in processes that they share, once
//! for each change. Where anything differs, they run again in processes of their own, several times for each change, and only
//! that counts: what is left in a process by those before it makes nobody unstable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::Error;
use crate::choose::Chosen;
use crate::engines::Processes;
use crate::executing::Executing;
use crate::model::{ContentHash, ExecutionSetting, Outcome, Shake, Shakes, Stability};
use crate::options::ShakeOptions;
use crate::project::Plan;
use crate::report::StabilityReport;
use crate::runner::shakes::{Round, Shaking, TestFate, n_variants};
use crate::runner::{Candidate, HostFile};
use crate::store::WrittenStability;
use crate::task::{Cancelled, Phase};

/// The version of all that decides it but the engine's.
const VERSION: u32 = 1;
/// How many tests run before what became of them is written; those of a file stay together.
const N_TESTS_AT_ONCE: usize = 120;
/// How often nothing is changed, besides the first time.
const N_NOTHING: usize = 3;

/// A test that is to be shaken.
struct Due {
    ordinal: u32,
    stamp: ContentHash,
    candidate: Candidate,
}

/// How a test went in each round; nothing where that did not come to its end.
type Fates = BTreeMap<u64, Vec<Option<TestFate>>>;

impl Executing<'_, '_, '_> {
    /// Shakes the tests of a run that ran to their end.
    pub fn stability(
        &mut self,
        languages: &[Chosen],
        asked: &ShakeOptions,
    ) -> Result<StabilityReport, Error> {
        let until = asked.time.map(|time| Instant::now() + time);
        let mut report = StabilityReport::default();
        for chosen in languages {
            let setting = chosen.setting(self.options, self.sandbox);
            for ordinals in chosen.by_project.values() {
                self.monitor.step()?;
                let ended = self.ended(chosen, &setting, ordinals)?;
                report.n_tests += ended.len() as u64;
                if ended.is_empty() {
                    continue;
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    report.n_left += ended.len() as u64;
                    continue;
                }
                self.shake_project(chosen, (&setting, until), &ended, (asked, &mut report))?;
            }
            let run = chosen.run.id;
            let n_predictions = chosen.run.n_predictions as u32;
            let executions =
                self.store
                    .executions(run, &setting.engine, n_predictions, self.monitor)?;
            for stability in executions.iter().flatten().filter_map(|it| it.stability) {
                report.n_known += 1;
                if let Some(reason) = stability.reason() {
                    *report.by_reason.entry(reason).or_default() += 1;
                }
            }
        }
        Ok(report)
    }

    /// Returns which of these predictions ran themselves, and to their end.
    fn ended(
        &self,
        chosen: &Chosen,
        setting: &ExecutionSetting,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, Error> {
        let run = chosen.run.id;
        let executions = self.store.executions_of(run, &setting.engine, ordinals)?;
        let has_ended = |ordinal: &&u32| {
            executions.get(ordinal).is_some_and(|it| {
                let is_own = it.duplicate_of.is_none();
                let outcome = it.outcome;
                is_own && outcome.is_some_and(|it| it.passes() || it == Outcome::Failing)
            })
        };
        Ok(ordinals.iter().filter(has_ended).copied().collect())
    }

    fn shake_project(
        &mut self,
        chosen: &Chosen,
        (setting, until): (&ExecutionSetting, Option<Instant>),
        ordinals: &[u32],
        (asked, report): (&ShakeOptions, &mut StabilityReport),
    ) -> Result<(), Error> {
        let run = chosen.run.id;
        let opened = self.open_of(chosen, ordinals[0], Processes::Shared)?;
        let Some(mut project) = opened else {
            return Ok(());
        };
        let Ok(engine) = &mut project.engine else {
            return Ok(());
        };
        let Some(engine) = engine.shaking() else {
            let language = chosen.language.as_str();
            let name = &project.name;
            report.notes.insert(format!(
                "{name}: this engine does not shake tests in {language} here"
            ));
            return Ok(());
        };
        let mut shakes = asked.shakes;
        for shake in asked.shakes.iter() {
            if let Some(why) = engine.hindrance(shake) {
                shakes = shakes.iter().filter(|it| *it != shake).collect();
                report
                    .notes
                    .insert(format!("`{}` is not applied: {why}", shake.as_str()));
            }
        }
        let plan = self.plan_anew(chosen, (setting, &project.build), ordinals)?;
        let known = self.store.stability_stamps(run, &setting.engine)?;
        let stamps = Stamps {
            version: engine.version(),
            asked: (asked.n_repeats, shakes),
        };
        let mut due = Vec::new();
        for candidate in &plan.candidates {
            let task = &plan.tasks[candidate.id as usize];
            let stamp = stamps.of(task.stamp, &plan.files[candidate.file_idx]);
            if known.get(&task.ordinal) == Some(&stamp) && !asked.is_forced {
                report.n_kept += 1;
                continue;
            }
            due.push(Due {
                ordinal: task.ordinal,
                stamp,
                candidate: in_class(candidate, &plan),
            });
        }
        due.sort_by_key(|it| (it.candidate.file_idx, it.ordinal));
        let n_due = due.len() as u64;
        self.monitor
            .n_predictions_total
            .fetch_add(n_due, Ordering::Relaxed);
        self.monitor.enter(Phase::Executing);
        for part in parts(due) {
            if until.is_some_and(|until| Instant::now() >= until) {
                report.n_left += part.len() as u64;
                continue;
            }
            let asked = (asked.n_repeats, shakes);
            let found = self.shake_part(engine, &plan.files, &part, asked)?;
            report.n_now += part.len() as u64;
            report.n_unsettled += (part.len() - found.len()) as u64;
            let of = (run, setting.engine.as_str());
            self.store.write_stabilities(of, &found, self.monitor)?;
            let n_done = part.len() as u64;
            self.monitor
                .n_predictions
                .fetch_add(n_done, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Shakes some tests, and returns what that has shown; nothing of those whose class does not come to its end.
    fn shake_part(
        &self,
        engine: &mut dyn Shaking,
        files: &[HostFile],
        part: &[Due],
        (n_repeats, shakes): (usize, Shakes),
    ) -> Result<Vec<WrittenStability>, Error> {
        let candidates: Vec<Candidate> = part.iter().map(|it| it.candidate.clone()).collect();
        let first = rounds(shakes, N_NOTHING, 1, false);
        let shared = self.run_rounds(engine, files, (&candidates, &first))?;
        let suspects: Vec<Candidate> = candidates
            .iter()
            .filter(|it| shared.get(&it.id).is_some_and(|it| differs(it)))
            .cloned()
            .collect();
        let again = rounds(shakes, n_repeats, n_repeats, true);
        let apart = if suspects.is_empty() {
            Fates::new()
        } else {
            self.run_rounds(engine, files, (&suspects, &again))?
        };
        let found = part.iter().filter_map(|due| {
            let id = due.candidate.id;
            let shared = shared.get(&id)?;
            // Without a base there is nothing to compare with.
            shared.first().copied().flatten()?;
            let apart = apart.get(&id).map_or(&[][..], Vec::as_slice);
            let all = || shared.iter().chain(apart).flatten();
            let is_failed = |it: &&TestFate| **it == TestFate::Failed;
            Some(WrittenStability {
                ordinal: due.ordinal,
                stamp: due.stamp,
                stability: Stability {
                    tried: shakes,
                    changed: changed(&again, apart).and(shakes),
                    n_runs: all().count() as u32,
                    n_failed: all().filter(is_failed).count() as u32,
                },
            })
        });
        Ok(found.collect())
    }

    fn run_rounds(
        &self,
        engine: &mut dyn Shaking,
        files: &[HostFile],
        (candidates, rounds): (&[Candidate], &[Round]),
    ) -> Result<Fates, Error> {
        let none = || vec![None; rounds.len()];
        let mut fates: Fates = candidates.iter().map(|it| (it.id, none())).collect();
        let mut keep = |id: u64, round: usize, fate: TestFate| {
            if let Some(of_round) = fates.get_mut(&id).and_then(|it| it.get_mut(round)) {
                *of_round = Some(fate);
            }
            self.monitor.step().map_err(|_| Cancelled)
        };
        engine.shake((files, candidates), rounds, self.monitor, &mut keep)?;
        Ok(fates)
    }
}

/// What of the stamps of all tests of a project is the same.
struct Stamps {
    version: String,
    asked: (usize, Shakes),
}

impl Stamps {
    /// Returns a hash of all that decides how stable a test is; its own stamp has the build in it.
    fn of(&self, test: ContentHash, file: &HostFile) -> ContentHash {
        let mut hasher = blake3::Hasher::new_derive_key("focalist execute --shake");
        hasher.update(&VERSION.to_le_bytes());
        hasher.update(&(self.version.len() as u64).to_le_bytes());
        hasher.update(self.version.as_bytes());
        hasher.update(&(self.asked.0 as u64).to_le_bytes());
        hasher.update(&self.asked.1.bits().to_le_bytes());
        hasher.update(&test.0);
        hasher.update(file.text.as_bytes());
        ContentHash::of(&hasher)
    }
}

/// Returns a candidate without its text where that is the true test's, so that it shares what it stands in with others.
fn in_class(candidate: &Candidate, plan: &Plan) -> Candidate {
    let sample = &plan.tasks[candidate.id as usize].sample.sample;
    let is_true = candidate.text.trim() == sample.test.source().trim();
    Candidate {
        focal: None,
        text: if is_true {
            String::new()
        } else {
            candidate.text.clone()
        },
        ..candidate.clone()
    }
}

/// Cuts a list into parts; tests of a file are in one.
fn parts(due: Vec<Due>) -> Vec<Vec<Due>> {
    let mut parts: Vec<Vec<Due>> = Vec::new();
    for it in due {
        let has_room = |part: &&mut Vec<Due>| {
            let is_same = |last: &Due| last.candidate.file_idx == it.candidate.file_idx;
            part.len() < N_TESTS_AT_ONCE || part.last().is_some_and(is_same)
        };
        match parts.last_mut().filter(has_room) {
            Some(part) => part.push(it),
            None => parts.push(vec![it]),
        }
    }
    parts
}

/// Returns the rounds of some shakes: the base first, and it again so many times; then each shake in each of its ways, so many
/// times.
fn rounds(shakes: Shakes, n_nothing: usize, n_times: usize, is_fresh: bool) -> Vec<Round> {
    let round = |shake, variant| Round {
        shake,
        variant,
        is_fresh,
    };
    let mut rounds = vec![round(None, 0)];
    if shakes.has(Shake::Nothing) {
        rounds.extend((0..n_nothing).map(|_| round(Some(Shake::Nothing), 0)));
    }
    for shake in shakes.iter().filter(|it| *it != Shake::Nothing) {
        for variant in 0..n_variants(shake) {
            rounds.extend((0..n_times).map(|_| round(Some(shake), variant)));
        }
    }
    rounds
}

/// Returns whether a test did not go the same in all rounds that came to their end.
fn differs(fates: &[Option<TestFate>]) -> bool {
    let mut fates = fates.iter().flatten();
    let first = fates.next();
    fates.any(|it| Some(it) != first)
}

/// Returns what changes the outcome of a test, by how it went in processes of its own.
///
/// A change counts where it makes the test go otherwise each time. Where it does so now and then, the test differs without
/// any change; but what a busy machine does, and what a copy holds in the moment, is never the same, and counts from the
/// first time.
fn changed(rounds: &[Round], fates: &[Option<TestFate>]) -> Shakes {
    let mut by_way: BTreeMap<(Option<Shake>, usize), Vec<TestFate>> = BTreeMap::new();
    for (round, fate) in rounds.iter().zip(fates) {
        let shake = round.shake.filter(|it| *it != Shake::Nothing);
        let of_way = by_way.entry((shake, round.variant)).or_default();
        of_way.extend(*fate);
    }
    let base = by_way.remove(&(None, 0)).unwrap_or_default();
    let mut changed = Shakes::default();
    let Some(usual) = base.first() else {
        return changed;
    };
    if base.iter().any(|it| it != usual) {
        changed.insert(Shake::Nothing);
        return changed;
    }
    let mut others: BTreeSet<Shake> = BTreeSet::new();
    for ((shake, _), fates) in by_way {
        let Some(shake) = shake else { continue };
        let n_other = fates.iter().filter(|it| *it != usual).count();
        if n_other == 0 {
            continue;
        }
        let is_by_chance = matches!(shake, Shake::Load | Shake::Port);
        if n_other == fates.len() || is_by_chance {
            others.insert(shake);
        } else {
            changed.insert(Shake::Nothing);
        }
    }
    if changed.is_empty() {
        changed = others.into_iter().collect();
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    use TestFate::{Failed, Passed};

    /// Checks what is concluded from how a test went: in the base, then by shake.
    fn check(base: &[TestFate], shaken: &[(Shake, &[TestFate])], expected: &str) {
        let round = |shake| Round {
            shake,
            variant: 0,
            is_fresh: true,
        };
        let mut rounds: Vec<Round> = base.iter().map(|_| round(None)).collect();
        let mut fates: Vec<Option<TestFate>> = base.iter().copied().map(Some).collect();
        for (shake, of_shake) in shaken {
            rounds.extend(of_shake.iter().map(|_| round(Some(*shake))));
            fates.extend(of_shake.iter().copied().map(Some));
        }
        assert_eq!(changed(&rounds, &fates).to_string(), expected);
    }

    #[test]
    fn a_change_counts_where_the_test_goes_otherwise_each_time() {
        check(&[Passed], &[(Shake::Zone, &[Passed, Passed])], "");
        check(&[Passed; 3], &[(Shake::Zone, &[Failed; 3])], "zone");
        // A test that fails as its class runs may pass alone.
        check(&[Failed; 3], &[(Shake::Alone, &[Passed; 3])], "alone");
        check(
            &[Passed; 3],
            &[(Shake::Date, &[Failed; 3]), (Shake::Alone, &[Failed; 3])],
            "alone,date",
        );
    }

    #[test]
    fn what_differs_now_and_then_differs_without_a_change_except_on_a_busy_machine() {
        check(&[Passed, Failed, Passed], &[], "nothing");
        check(
            &[Passed; 3],
            &[
                (Shake::Zone, &[Passed, Failed, Passed]),
                (Shake::Date, &[Failed; 3]),
            ],
            "nothing",
        );
        check(
            &[Passed; 3],
            &[(Shake::Load, &[Passed, Failed, Passed])],
            "load",
        );
        check(
            &[Passed; 3],
            &[(Shake::Port, &[Passed, Failed, Passed])],
            "port",
        );
    }

    #[test]
    fn only_what_is_asked_for_is_tried_and_each_way_as_often() {
        let shakes = Shakes::read("nothing,zone").expect("both are shakes");
        let words = |rounds: Vec<Round>| {
            let words = rounds.iter().map(|it| it.shake.map_or("", Shake::as_str));
            words.collect::<Vec<_>>().join(" ")
        };
        let first = words(rounds(shakes, 3, 1, false));
        assert_eq!(first, " nothing nothing nothing zone zone");
        let without = Shakes::read("zone").expect("it is a shake");
        assert_eq!(words(rounds(without, 3, 2, true)), " zone zone zone zone");
    }
}
