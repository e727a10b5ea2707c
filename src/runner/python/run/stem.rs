//! Tests that a server collects once and runs many times, with code of the project changed in place: what the server is asked,
//! and when it is not asked again.

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

/// A test that a server has collected.
pub struct Stem {
    test: Test,
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
            reach: Reach::of(&ran),
            limit: limit_of(ran.seconds),
            base: ran,
            _placed: placed,
        });
        Ok(Ok(()))
    }

    /// Lets go of a test that is collected, before something else stands in its place; the server ends it when it is asked
    /// next.
    pub fn end_stem(&mut self) {
        if let Some(serving) = &mut self.server {
            serving.stem = None;
        }
    }
}

impl Stems {
    /// Takes note of a test that is to be collected, perhaps once more.
    fn turn_to(&mut self, case: &Case) {
        if !self.last.as_ref().is_some_and(|it| it.is_of(case)) {
            *self = Self {
                last: Some(Test::of(case)),
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
