//! Tests run with something changed around them: the questions to an engine, its answers, and the changes.
//!
//! A test runs among the others of its class, or of its file in Python, in the order in which they are declared: that
//! is the base. The verbs choose the tests and the repetitions, and draw the conclusions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::model::{Language, Shake};
use crate::sandbox::{Network, ProgramPlan, Resident, SharedNetwork};
use crate::task::{Cancelled, Monitor};
use crate::{Candidate, HostFile, RunnerError, Site};

/// How often tests run beside a copy of themselves: a resource that is held for a moment only is not met each time.
const N_BESIDE: usize = 3;
/// How often the wait for a copy looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// The number of busy processes for each core, where the machine is to be busy.
const N_BUSY: usize = 3;
/// The longest that the tests of a class may take together.
const TO_RUN_MAX: Duration = Duration::from_secs(600);
/// How far the clock is shifted: to another year, weekday and hour.
const HOURS_OFF: &str = "+9611h";
/// Folders of libraries in which `libfaketime` may be installed.
const LIBRARIES: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
];

/// How a test went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestFate {
    Passed,
    Failed,
    /// It was skipped, or did not count.
    Skipped,
}

/// The conditions under which all tests are run once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShakeRound {
    /// Nothing for the base.
    pub shake: Option<Shake>,
    /// Which way of applying the shake, from 0; see [`n_variants`].
    pub variant: usize,
    /// Whether each class has a separate process; else all run one after the other in one process.
    pub is_fresh: bool,
}

/// Takes the fate of a test, by its candidate's number and the round's position. A test that did not finish is
/// not reported.
pub type ShakeSink<'s> = dyn FnMut(u64, usize, TestFate) -> Result<(), Cancelled> + 's;

/// Runs tests of a prepared project with something changed around them.
pub trait ShakeEngine {
    /// Returns a version: where it is equal, outcomes are, too.
    fn version(&self) -> String;

    /// Tells why a shake cannot be applied here; nothing where it can.
    fn hindrance(&self, shake: Shake) -> Option<String>;

    /// Runs candidates among the other tests of their class, once for each round. Those without a text are the true
    /// tests, which share their class.
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    fn shake(
        &mut self,
        asked: (&[HostFile], &[Candidate]),
        rounds: &[ShakeRound],
        monitor: &Monitor,
        sink: &mut ShakeSink<'_>,
    ) -> Result<(), RunnerError>;
}

/// Returns the number of ways in which a shake is applied.
#[must_use]
pub const fn n_variants(shake: Shake) -> usize {
    match shake {
        Shake::Hash | Shake::Zone | Shake::Locale => 2,
        Shake::Port => N_BESIDE,
        _ => 1,
    }
}

/// Changes to the surroundings of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessSurroundings {
    /// Variables; those that a project sets itself are kept.
    pub environment: BTreeMap<&'static str, String>,
    /// Flags of a JVM.
    pub flags: Vec<String>,
    /// The folder that tests work in.
    pub folder: Option<PathBuf>,
    /// The network that they share with a copy of themselves.
    pub network: Option<SharedNetwork>,
}

impl ProcessSurroundings {
    /// Makes the surroundings of a round's tests, with a network that they share with a copy where the round has one.
    ///
    /// # Errors
    /// Where there is no such network.
    pub fn at(site: &Site, round: ShakeRound, language: Language) -> Result<Self, RunnerError> {
        let mut surroundings = Self::of(round, language);
        if round.shake == Some(Shake::Port) {
            surroundings.network = Some(site.sandbox.network()?);
        }
        Ok(surroundings)
    }

    /// Returns the surroundings of a round's tests, without a network.
    #[must_use]
    pub fn of(round: ShakeRound, language: Language) -> Self {
        let Some(shake) = round.shake else {
            return Self::default();
        };
        let mut surroundings = Self::default();
        let first = round.variant == 0;
        let has_jvm = match language {
            Language::Java => true,
            Language::Python | Language::Go | Language::JavaScript | Language::CSharp => false,
        };
        match shake {
            Shake::Hash if !has_jvm => {
                surroundings.set("PYTHONHASHSEED", if first { "1" } else { "20011" });
            }
            Shake::Hash => {
                // 3 counts up, 0 uses a global random generator; the default uses one for each thread.
                let how = if first { 3 } else { 0 };
                surroundings.flag("-XX:+UnlockExperimentalVMOptions");
                surroundings.flag(format!("-XX:hashCode={how}"));
            }
            Shake::Zone => {
                let zone = if first {
                    "Pacific/Auckland"
                } else {
                    "America/St_Johns"
                };
                surroundings.set("TZ", zone);
                surroundings.flag(format!("-Duser.timezone={zone}"));
            }
            Shake::Locale => {
                let (language, country) = if first { ("tr", "TR") } else { ("de", "DE") };
                surroundings.flag(format!("-Duser.language={language}"));
                surroundings.flag(format!("-Duser.country={country}"));
                // Under a locale that the system lacks, a JVM would read file names as ASCII, and so would Python
                // without the last variable.
                if !has_jvm {
                    let locale = format!("{language}_{country}.UTF-8");
                    surroundings.set("LANG", &locale);
                    surroundings.set("LC_ALL", &locale);
                    surroundings.set("PYTHONUTF8", "1");
                }
            }
            Shake::Date => {
                if let Some(library) = clock() {
                    surroundings.set("LD_PRELOAD", &library.to_string_lossy());
                    surroundings.set("FAKETIME", HOURS_OFF);
                    surroundings.set("FAKETIME_DISABLE_SHM", "1");
                }
            }
            Shake::Folder => surroundings.folder = Some(PathBuf::from("/tmp")),
            Shake::Environment => {
                surroundings.set("CI", "true");
                surroundings.set("GITHUB_ACTIONS", "true");
                surroundings.set("BUILD_NUMBER", "1");
            }
            Shake::Nothing | Shake::Alone | Shake::Order | Shake::Port | Shake::Load => {}
        }
        surroundings
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.environment.insert(name, value.to_owned());
    }

    fn flag(&mut self, flag: impl Into<String>) {
        self.flags.push(flag.into());
    }

    /// Puts the environment and the network into a plan.
    #[must_use]
    pub fn put_into(&self, mut plan: ProgramPlan) -> ProgramPlan {
        for (name, value) in &self.environment {
            plan = plan.env(name, value);
        }
        if let Some(network) = &self.network {
            plan.network = Network::Shared(network.clone());
        }
        plan
    }
}

/// Finds the library that sets the clock of a process, where this machine has it.
#[must_use]
pub fn clock() -> Option<PathBuf> {
    let names = ["faketime/libfaketimeMT.so.1", "libfaketimeMT.so.1"];
    let folders = LIBRARIES.iter().map(Path::new);
    let mut all = folders.flat_map(|folder| names.map(|name| folder.join(name)));
    all.find(|path| path.is_file())
}

/// Tells why a shake cannot be applied, as far as that does not depend on the language.
#[must_use]
pub fn hindrance(site: &Site, shake: Shake) -> Option<String> {
    match shake {
        Shake::Date if clock().is_none() => {
            Some("`libfaketime` is not installed, so the clock stays as it is".to_owned())
        }
        Shake::Port => site.sandbox.no_network(),
        _ => None,
    }
}

/// Computes the time that `n_tests` tests may take together.
#[must_use]
pub fn limit(of_one: Duration, n_tests: usize) -> Duration {
    let n_tests = u32::try_from(n_tests.max(1)).unwrap_or(u32::MAX);
    of_one.saturating_mul(n_tests).min(TO_RUN_MAX).max(of_one)
}

/// Puts names into the order of a round: reversed where it changes the order.
#[must_use]
pub fn ordered<T>(mut names: Vec<T>, shake: Option<Shake>) -> Vec<T> {
    if shake == Some(Shake::Order) {
        names.reverse();
    }
    names
}

/// Processes that keep the machine busy until this is dropped.
pub struct BusyProcesses {
    processes: Vec<Resident>,
}

impl BusyProcesses {
    /// Keeps the machine busy where a round asks for that.
    ///
    /// # Errors
    /// Where they cannot be started.
    pub fn of(site: &Site, round: ShakeRound) -> Result<Self, RunnerError> {
        let mut processes = Vec::new();
        if round.shake == Some(Shake::Load) {
            let n_cores = thread::available_parallelism().map_or(1, usize::from);
            let plan = ProgramPlan::new("sh").args(["-c", "while :; do :; done"]);
            for _ in 0..N_BUSY * n_cores {
                processes.push(site.sandbox.spawn(&plan)?);
            }
        }
        Ok(Self { processes })
    }
}

impl Drop for BusyProcesses {
    fn drop(&mut self) {
        for process in &mut self.processes {
            process.stop();
        }
    }
}

/// A second copy of tests, which runs over and over beside the first.
pub struct SecondCopy<'s> {
    /// Cancelled once the first has ended.
    pub monitor: &'s Monitor,
    has_run: mpsc::Sender<()>,
}

impl SecondCopy<'_> {
    /// Reports that the copy has run once, so that the first begins.
    pub fn has_run(&self) {
        // Once the first has begun, it waits no longer.
        let _ = self.has_run.send(());
    }
}

/// Runs `first` while a second copy of it runs over and over, and returns the result of the first, which begins after
/// the copy has run once.
///
/// # Errors
/// Those of the first, and those of a copy that could not be run.
///
/// # Panics
/// Where the copy does.
pub fn beside<T>(
    copy: impl FnOnce(&SecondCopy<'_>) -> Result<(), RunnerError> + Send,
    monitor: &Monitor,
    first: impl FnOnce() -> Result<T, RunnerError>,
) -> Result<T, RunnerError> {
    let over = Monitor::default();
    thread::scope(|scope| {
        let (has_run, told) = mpsc::channel();
        let second = SecondCopy {
            monitor: &over,
            has_run,
        };
        let running = scope.spawn(move || copy(&second));
        let both = || {
            while told.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                monitor.step()?;
            }
            first()
        };
        let done = both();
        over.cancel();
        match running.join().expect("a copy does not panic") {
            Ok(()) | Err(RunnerError::Cancelled(_)) => done,
            Err(error) => done.and(Err(error)),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn round(shake: Shake, variant: usize) -> ShakeRound {
        ShakeRound {
            shake: Some(shake),
            variant,
            is_fresh: false,
        }
    }

    #[test]
    fn the_variants_of_a_shake_differ_and_the_base_has_nothing_around_it() {
        for shake in [Shake::Hash, Shake::Zone, Shake::Locale] {
            let all: Vec<ProcessSurroundings> = (0..n_variants(shake))
                .map(|variant| ProcessSurroundings::of(round(shake, variant), Language::Python))
                .collect();
            assert_ne!(all[0], all[1], "{shake:?}");
        }
        for shake in [Shake::Nothing, Shake::Alone, Shake::Order, Shake::Load] {
            assert_eq!(
                ProcessSurroundings::of(round(shake, 0), Language::Java),
                ProcessSurroundings::default()
            );
        }
    }

    #[test]
    fn a_copy_runs_before_the_first_and_ends_after_it() {
        let (monitor, n_runs) = (Monitor::default(), AtomicUsize::new(0));
        let copy = |second: &SecondCopy<'_>| {
            while second.monitor.step().is_ok() {
                n_runs.fetch_add(1, Ordering::Relaxed);
                second.has_run();
            }
            Ok(())
        };
        let done = beside(copy, &monitor, || Ok(n_runs.load(Ordering::Relaxed)));
        assert!(done.expect("both run") > 0);
    }

    #[test]
    fn a_copy_that_cannot_run_holds_nobody_up_and_is_an_error() {
        let broken = |_: &SecondCopy<'_>| {
            Err(RunnerError::Missing {
                program: "java",
                hint: String::new(),
            })
        };
        let monitor = Monitor::default();
        let done = beside(broken, &monitor, || Ok(()));
        assert!(matches!(done, Err(RunnerError::Missing { .. })));
        // The wait for a copy that never ends can be cancelled.
        monitor.cancel();
        let slow = |second: &SecondCopy<'_>| {
            while second.monitor.step().is_ok() {
                thread::yield_now();
            }
            Ok(())
        };
        let done = beside(slow, &monitor, || Ok(()));
        assert!(matches!(done, Err(RunnerError::Cancelled(_))));
    }

    #[test]
    fn a_class_has_the_time_of_its_tests_but_not_for_ever() {
        let second = Duration::from_secs(1);
        assert_eq!(limit(second, 0), second);
        assert_eq!(limit(second, 7), 7 * second);
        assert_eq!(limit(10 * second, 1_000), TO_RUN_MAX);
    }
}
