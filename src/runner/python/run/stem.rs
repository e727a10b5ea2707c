//! Tests that a server collects once and runs many times, with code of the project changed in place: what the server is asked,
//! and when it is not asked again.

use std::collections::BTreeSet;
use std::mem;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::RunnerError;
use crate::python::case::{Case, CaseLimit, CaseRan, Change, Graft, Grafted, Reach};
use crate::python::faults::limit_of;
use crate::python::placed::Placed;
use crate::task::Step;

use super::Worker;

/// A test that was lost so often after fewer runs than pay for collecting it is not collected again.
const N_SHORT_MAX: u32 = 3;
const N_RUNS_TO_PAY: u32 = 8;

/// What a test takes from the clock when it is collected is so old at most.
const AGE_MAX: Duration = Duration::from_secs(5);
/// Once in so many changes, at places that no test knows, it runs on the code as it is.
const N_BETWEEN: u64 = 8;

/// A test that a server has collected.
pub struct Stem {
    test: Test,
    since: Instant,
    /// On the code as it is.
    base: CaseRan,
    reach: Reach,
    limit: CaseLimit,
    /// Its file, for as long as it is there.
    _placed: Placed,
}

/// What tells a test that is collected from others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    path: String,
    code: Option<String>,
}

/// What is known of the last test that was to be collected.
#[derive(Debug, Default)]
pub struct Stems {
    last: Option<Test>,
    /// How often it was collected for few runs.
    n_short: u32,
    n_ran: u32,
    /// How often any test was collected, which is the number of the last one.
    pub n_collected: u64,
    /// Which of them still passed on the code as it is after all that ran in it.
    whole: BTreeSet<u64>,
    /// Why it cannot be run in place.
    unfit: Option<String>,
}

impl Test {
    fn of(case: &Case) -> Self {
        Self {
            path: case.path.clone(),
            code: case.code.clone(),
        }
    }

    fn is_of(&self, case: &Case) -> bool {
        self.path == case.path && self.code == case.code
    }
}

/// Returns whether two cases are runs of a test that is collected once.
pub fn is_of_one_test(case: &Case, other: &Case) -> bool {
    case.grafted.is_some()
        && other.grafted.is_some()
        && case.path == other.path
        && case.code == other.code
}

impl Worker<'_> {
    /// Runs a case of a test that is collected once; unfit where that cannot be done.
    pub fn graft(&mut self, case: &Case, grafted: &Grafted) -> Result<CaseRan, RunnerError> {
        let stem = self.server.as_ref().and_then(|it| it.stem.as_ref());
        if stem.is_some_and(|it| it.since.elapsed() > AGE_MAX) {
            self.end_stem()?;
        }
        if let Err(why) = self.collect(case, grafted)? {
            return Ok(CaseRan::unfit(&why));
        }
        let Some(stem) = self.server.as_ref().and_then(|it| it.stem.as_ref()) else {
            return Ok(CaseRan::unfit("it is not collected"));
        };
        let limit = stem.limit;
        let change = match &grafted.what {
            Graft::Base => return Ok(stem.base.clone()),
            Graft::Unchanged => None,
            Graft::Change(change) => Some(change),
        };
        let changed = change.zip(case.changed.as_ref());
        if let Some((change, changed)) = changed {
            if stem.reach.is_blind {
                return Ok(CaseRan::unfit("it starts processes"));
            }
            if !stem.reach.comes_to(&changed.path, change) {
                return Ok(CaseRan::unreached());
            }
        }
        if change.is_some()
            && self.canaries.is_turn_of(N_BETWEEN)
            && !self.passes_unchanged(limit)?
        {
            self.stems.unfit = Some("it does not pass each time".to_owned());
            self.drop_stem();
            return Ok(CaseRan::unfit("it does not pass each time"));
        }
        let step = self.monitor.timings.begin(Step::Copy);
        let placed = changed.map(|(_, it)| Placed::changed(&self.shown, &self.checkout, it));
        drop(step);
        let placed = match placed.transpose()? {
            Some(Err(why)) => return Ok(CaseRan::misplaced(&why)),
            placed => placed,
        };
        let asked = changed.map(|(change, changed)| asked(change, &changed.path));
        let question = json!({"graft": asked, "cpu": limit.cpu_s});
        let ran = self.asked(question, limit.wall)?;
        drop(placed);
        self.stems.n_ran += 1;
        Ok(self.believed(ran))
    }

    /// Takes for unfit what may be due to others, and not to the change.
    fn believed(&self, ran: CaseRan) -> CaseRan {
        let is_lost = self.server.is_none() || ran.was_killed() || ran.would_write();
        if is_lost || self.has_met_ports && !ran.outcome.passes() {
            return CaseRan::unfit("others may have had a hand in it");
        }
        ran
    }

    /// Sees to it that the server has collected the test of a case, or says why it cannot.
    fn collect(
        &mut self,
        case: &Case,
        grafted: &Grafted,
    ) -> Result<Result<(), String>, RunnerError> {
        let stem = self.server.as_ref().and_then(|it| it.stem.as_ref());
        if stem.is_some_and(|it| it.test.is_of(case)) {
            return Ok(Ok(()));
        }
        self.stems.turn_to(case);
        if let Some(why) = &self.stems.unfit {
            return Ok(Err(why.clone()));
        }
        let collected = self.collect_anew(case, grafted)?;
        self.stems.unfit = collected.as_ref().err().cloned();
        Ok(collected)
    }

    fn collect_anew(
        &mut self,
        case: &Case,
        grafted: &Grafted,
    ) -> Result<Result<(), String>, RunnerError> {
        let unchanged = Case {
            changed: None,
            ..case.clone()
        };
        let placed = match self.place(&unchanged)? {
            Ok(placed) => placed,
            Err(why) => return Ok(Err(why)),
        };
        self.stems.n_collected += 1;
        let question = json!({"path": case.path, "stem": *grafted.files});
        let ran = self.asked(question, self.running.limit)?;
        let ran = self.believed(ran);
        if !ran.outcome.passes() {
            let why = ran.message.unwrap_or_else(|| "it does not pass".to_owned());
            return Ok(Err(why));
        }
        let Some(serving) = self.server.as_mut().filter(|it| !it.is_over) else {
            return Ok(Err("it leaves something behind".to_owned()));
        };
        serving.stem = Some(Stem {
            test: Test::of(case),
            since: Instant::now(),
            reach: Reach::of(&ran),
            limit: limit_of(ran.seconds),
            base: ran,
            _placed: placed,
        });
        Ok(Ok(()))
    }

    /// Returns whether the test that is collected passes on the code as it is.
    fn passes_unchanged(&mut self, limit: CaseLimit) -> Result<bool, RunnerError> {
        let question = json!({"graft": null, "cpu": limit.cpu_s});
        Ok(self.asked(question, limit.wall)?.outcome.passes())
    }

    /// Lets go of a test that is collected, before something else stands in its place; takes note whether it passes to the
    /// end, so that what ran in it counts.
    pub fn end_stem(&mut self) -> Result<(), RunnerError> {
        let stem = self.server.as_ref().filter(|it| !it.is_over);
        let Some(limit) = stem.and_then(|it| it.stem.as_ref()).map(|it| it.limit) else {
            self.drop_stem();
            return Ok(());
        };
        if self.passes_unchanged(limit)? {
            self.stems.whole.insert(self.stems.n_collected);
        }
        self.drop_stem();
        Ok(())
    }

    /// The server ends it when it is asked next.
    fn drop_stem(&mut self) {
        if let Some(serving) = &mut self.server {
            serving.stem = None;
        }
    }

    /// Returns what a case came to, where the test that was collected for it passed to the end.
    pub fn whole(&self, n_collected: Option<u64>, ran: CaseRan) -> CaseRan {
        if n_collected.is_some_and(|it| !self.stems.whole.contains(&it)) {
            return CaseRan::unfit("it does not pass each time");
        }
        ran
    }
}

impl Stems {
    /// Takes note of a test that is to be collected, perhaps once more.
    fn turn_to(&mut self, case: &Case) {
        if !self.last.as_ref().is_some_and(|it| it.is_of(case)) {
            *self = Self {
                last: Some(Test::of(case)),
                n_collected: self.n_collected,
                whole: mem::take(&mut self.whole),
                ..Self::default()
            };
            return;
        }
        if self.n_ran < N_RUNS_TO_PAY {
            self.n_short += 1;
        }
        self.n_ran = 0;
        if self.n_short >= N_SHORT_MAX {
            let why = || "it is lost time and again".to_owned();
            self.unfit.get_or_insert_with(why);
        }
    }
}

fn asked(change: &Change, path: &str) -> Value {
    json!({
        "path": path,
        "start": change.start,
        "end": change.end,
        "replacement": change.replacement,
    })
}
