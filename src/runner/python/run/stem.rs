//! Tests that a server collects once and runs many times, with code of the project changed in place: decides what the
//! server is asked, and when it is not asked again.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::RunnerError;
use crate::python::case::{
    CaseExecution, CaseLimit, FileChange, Graft, GraftedRun, PythonCase, Reach,
};
use crate::python::faults::limit_of;
use crate::python::placed::PlacedCase;
use crate::python::refused::UnfitReason;
use crate::task::EngineStep;

use super::{Worker, folder_of};

/// A test that was lost this often after too few runs is not collected again.
const N_SHORT_MAX: u32 = 3;
/// The number of runs from which collecting a test has paid off.
const N_RUNS_TO_PAY: u32 = 8;

/// A collected test is dropped at this age, because it may have read the clock when it was collected.
const AGE_MAX: Duration = Duration::from_secs(20);
/// On average, a test runs on the original code once in this number of changes, at random places.
const N_BETWEEN: u64 = 16;

/// A file of tests that a server has collected.
pub struct Stem {
    file: StemFile,
    since: Instant,
    /// The test of the file that is being run, if there is one.
    begun: Option<StartedTest>,
    /// Retains the file until this is dropped.
    _placed: PlacedCase,
}

/// A test that has run on the original code, and now runs on changed code.
struct StartedTest {
    lone: Option<String>,
    /// The files that its runs change.
    files: Arc<[String]>,
    base: CaseExecution,
    reach: Reach,
    limit: CaseLimit,
}

/// The identity of a collected file; a file of the project itself has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StemFile {
    path: String,
    code: Option<String>,
}

/// The identity of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StemTest {
    file: StemFile,
    lone: Option<String>,
}

/// The facts about the last test that was to be collected.
#[derive(Debug, Default)]
pub struct Stems {
    last: Option<StemTest>,
    /// How often it was begun and made only few runs.
    n_short: u32,
    n_ran: u32,
    /// How many tests were begun, which is also the number of the last one.
    pub n_begun: u64,
    /// The tests that still passed on the original code after all their runs.
    whole: BTreeSet<u64>,
    /// Why it cannot be run in place.
    unfit: Option<UnfitReason>,
}

impl Stem {
    fn is_old(&self) -> bool {
        self.since.elapsed() > AGE_MAX
    }
}

impl StartedTest {
    fn new(case: &PythonCase, grafted: &GraftedRun, base: CaseExecution) -> Self {
        Self {
            lone: case.lone.clone(),
            files: Arc::clone(&grafted.files),
            reach: Reach::of(&base),
            // A run that does not end is repeated alone, with more time, because its file is collected then.
            limit: limit_of(base.own_seconds.unwrap_or(base.seconds)),
            base,
        }
    }
}

impl StemFile {
    fn of(case: &PythonCase) -> Self {
        Self {
            path: case.path.clone(),
            code: code_of(case).cloned(),
        }
    }

    fn is_of(&self, case: &PythonCase) -> bool {
        self.path == case.path && self.code.as_ref() == code_of(case)
    }
}

impl StemTest {
    fn of(case: &PythonCase) -> Self {
        Self {
            file: StemFile::of(case),
            lone: case.lone.clone(),
        }
    }

    fn is_of(&self, case: &PythonCase) -> bool {
        self.file.is_of(case) && self.lone == case.lone
    }
}

/// Returns the text that is collected for a case; nothing where that is the whole file of the project's own.
fn code_of(case: &PythonCase) -> Option<&String> {
    case.code.as_ref().filter(|_| case.lone.is_none())
}

/// Tells whether two cases are runs of a test that is collected once.
pub fn is_of_one_test(case: &PythonCase, other: &PythonCase) -> bool {
    case.grafted.is_some() && other.grafted.is_some() && StemTest::of(case).is_of(other)
}

impl Worker<'_> {
    /// Runs a case of a test that is collected once; the result is unfit where that is impossible.
    pub fn graft(
        &mut self,
        case: &PythonCase,
        grafted: &GraftedRun,
    ) -> Result<CaseExecution, RunnerError> {
        if self.stem().is_some_and(Stem::is_old) {
            self.end_stem()?;
        }
        if let Err(why) = self.begin(case, grafted)? {
            return Ok(CaseExecution::unfit(&why));
        }
        let Some(begun) = self.begun() else {
            return Ok(CaseExecution::unfit(&UnfitReason::NotCollected));
        };
        let limit = begun.limit;
        let (Graft::Change(change), Some(changed)) = (&grafted.what, &case.changed) else {
            return Ok(begun.base.clone());
        };
        if begun.reach.is_blind {
            return Ok(CaseExecution::unfit(&UnfitReason::StartsProcesses));
        }
        if !begun.reach.comes_to(&changed.path, change) {
            return Ok(CaseExecution::unreached());
        }
        if self.canaries.is_turn_of(N_BETWEEN) && !self.passes_unchanged()? {
            self.stems.unfit = Some(UnfitReason::Unsteady);
            self.drop_stem();
            return Ok(CaseExecution::unfit(&UnfitReason::Unsteady));
        }
        let step = self.monitor.timings.begin(EngineStep::Copy);
        let placed = PlacedCase::changed(&self.shown, &self.checkout, changed)?;
        drop(step);
        let placed = match placed {
            Ok(placed) => placed,
            Err(why) => return Ok(CaseExecution::misplaced(&why)),
        };
        let asked = asked(change, &changed.path);
        let question = json!({"graft": asked, "lone": case.lone, "cpu": limit.cpu_s});
        let ran = self.ask_within(question, limit.wall)?;
        drop(placed);
        self.stems.n_ran += 1;
        Ok(self.believed(ran))
    }

    /// Marks a result as unfit where it may be due to other tests and not to the change.
    fn believed(&self, ran: CaseExecution) -> CaseExecution {
        let is_lost = self.server.is_none() || ran.was_killed() || ran.would_write();
        if is_lost || self.has_met_ports && !ran.outcome.passes() {
            return CaseExecution::unfit(&UnfitReason::Disturbed);
        }
        ran
    }

    /// Ensures that the test of a case has run on the original code, in a server that has collected its file; the inner
    /// error says why that is impossible.
    fn begin(
        &mut self,
        case: &PythonCase,
        grafted: &GraftedRun,
    ) -> Result<Result<(), UnfitReason>, RunnerError> {
        if self
            .begun_of(case)
            .is_some_and(|started_test| started_test.files == grafted.files)
        {
            return Ok(Ok(()));
        }
        self.end_test()?;
        self.stems.turn_to(case);
        if let Some(why) = &self.stems.unfit {
            return Ok(Err(why.clone()));
        }
        if self
            .server
            .as_ref()
            .is_none_or(|folder_server| folder_server.is_over)
        {
            // The last test has ended the server.
            self.dismiss()?;
            if !self.open(folder_of(&case.path))? {
                return Ok(Err(UnfitReason::NoServer));
            }
        }
        let begun = if self.stem().is_some_and(|stem| stem.file.is_of(case)) {
            self.begin_in_stem(case, grafted)?
        } else {
            self.collect(case, grafted)?
        };
        self.stems.unfit = begun.as_ref().err().cloned();
        Ok(begun)
    }

    /// Lets the server collect a case's file, and run its test.
    fn collect(
        &mut self,
        case: &PythonCase,
        grafted: &GraftedRun,
    ) -> Result<Result<(), UnfitReason>, RunnerError> {
        let collected = PythonCase {
            path: case.path.clone(),
            code: code_of(case).cloned(),
            stands_for_file: case.stands_for_file,
            ..PythonCase::default()
        };
        let placed = match self.place(&collected)? {
            Ok(placed) => placed,
            Err(why) => return Ok(Err(why.into())),
        };
        let since = Instant::now();
        let question = json!({"stem": case.path, "files": *grafted.files, "lone": case.lone});
        let base = self.base(question)?;
        let begun = base.map(|base| StartedTest::new(case, grafted, base));
        let stem = |begun| Stem {
            file: StemFile::of(case),
            since,
            begun: Some(begun),
            _placed: placed,
        };
        Ok(begun.map(|begun| self.keep(stem(begun))))
    }

    /// Lets the server run another test of the file that it has collected.
    fn begin_in_stem(
        &mut self,
        case: &PythonCase,
        grafted: &GraftedRun,
    ) -> Result<Result<(), UnfitReason>, RunnerError> {
        let question = json!({"graft": null, "files": *grafted.files, "lone": case.lone});
        let base = self.base(question)?;
        let begun = base.map(|base| StartedTest::new(case, grafted, base));
        Ok(begun.map(|begun| {
            if let Some(stem) = self
                .server
                .as_mut()
                .and_then(|folder_server| folder_server.stem.as_mut())
            {
                stem.begun = Some(begun);
            }
        }))
    }

    /// Runs a test on the original code with its lines measured; the inner error explains why it cannot be a base for
    /// changes.
    fn base(&mut self, question: Value) -> Result<Result<CaseExecution, UnfitReason>, RunnerError> {
        self.stems.n_begun += 1;
        let ran = self.ask_within(question, self.running.limit)?;
        let ran = self.believed(ran);
        if !ran.outcome.passes() {
            return Ok(Err(UnfitReason::Fails { said: ran.message }));
        }
        if self
            .server
            .as_ref()
            .is_none_or(|folder_server| folder_server.is_over)
        {
            return Ok(Err(UnfitReason::LeavesTraces));
        }
        Ok(Ok(ran))
    }

    fn keep(&mut self, stem: Stem) {
        if let Some(serving) = &mut self.server {
            serving.stem = Some(stem);
        }
    }

    /// Tells whether a case runs in the file that is collected.
    pub fn goes_on(&self, case: &PythonCase) -> bool {
        let stem = self
            .stem()
            .filter(|stem| !stem.is_old() && stem.file.is_of(case));
        case.grafted.is_some() && stem.is_some()
    }

    fn stem(&self) -> Option<&Stem> {
        self.server
            .as_ref()
            .and_then(|folder_server| folder_server.stem.as_ref())
    }

    fn begun(&self) -> Option<&StartedTest> {
        self.stem().and_then(|stem| stem.begun.as_ref())
    }

    /// Returns the test that was begun, where it is a case's.
    fn begun_of(&self, case: &PythonCase) -> Option<&StartedTest> {
        let stem = self.stem().filter(|stem| stem.file.is_of(case))?;
        stem.begun
            .as_ref()
            .filter(|started_test| started_test.lone == case.lone)
    }

    /// Tells whether the test that was begun passes on the original code; false where there is none.
    fn passes_unchanged(&mut self) -> Result<bool, RunnerError> {
        let Some(begun) = self.begun() else {
            return Ok(false);
        };
        let limit = begun.limit;
        let question = json!({"graft": null, "lone": begun.lone, "cpu": limit.cpu_s});
        Ok(self.ask_within(question, limit.wall)?.outcome.passes())
    }

    /// Ends a test before another is begun, and notes whether it still passes, so that its results count.
    fn end_test(&mut self) -> Result<(), RunnerError> {
        let is_over = self
            .server
            .as_ref()
            .is_none_or(|folder_server| folder_server.is_over);
        if !is_over && self.passes_unchanged()? {
            self.stems.whole.insert(self.stems.n_begun);
        }
        if let Some(stem) = self
            .server
            .as_mut()
            .and_then(|folder_server| folder_server.stem.as_mut())
        {
            stem.begun = None;
        }
        Ok(())
    }

    /// Drops a collected file, before another one takes its place.
    pub fn end_stem(&mut self) -> Result<(), RunnerError> {
        self.end_test()?;
        self.drop_stem();
        Ok(())
    }

    /// Forgets the collected file; the server ends it at its next question.
    fn drop_stem(&mut self) {
        if let Some(serving) = &mut self.server {
            serving.stem = None;
        }
    }

    /// Returns the result of a case whose test still passed at its end, or that belongs to no collected test; any other
    /// result becomes unfit.
    pub fn whole(&self, n_begun: Option<u64>, ran: CaseExecution) -> CaseExecution {
        if n_begun.is_some_and(|n_begun| !self.stems.whole.contains(&n_begun)) {
            return CaseExecution::unfit(&UnfitReason::Unsteady);
        }
        ran
    }
}

impl Stems {
    /// Notes the test that is to be collected, which may be the same as before.
    fn turn_to(&mut self, case: &PythonCase) {
        if !self
            .last
            .as_ref()
            .is_some_and(|stem_test| stem_test.is_of(case))
        {
            *self = Self {
                last: Some(StemTest::of(case)),
                n_begun: self.n_begun,
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
            self.unfit.get_or_insert(UnfitReason::Lost);
        }
    }
}

fn asked(change: &FileChange, path: &str) -> Value {
    json!({
        "path": path,
        "start": change.start,
        "end": change.end,
        "replacement": change.replacement,
    })
}
