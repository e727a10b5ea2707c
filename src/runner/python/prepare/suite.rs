//! Collects and runs the project's own tests once, to see whether the environment works.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::RunnerError;
use crate::shakes::ProcessSurroundings;

use super::super::environment::{PreparationStep, ProjectSuite, RefusedProject};
use super::super::server::{Mode, ProjectView, ServerReply, ServerWorld, how_of};
use super::super::tree;
use super::install::Installer;
use super::skipped::{self, package_of};
use super::steps::last_lines;
use super::{Preparation, PythonProjectFacts, refused};

/// How often missing modules are installed.
const N_ROUNDS: usize = 4;
/// How long collecting may take, and then one test.
const TO_COLLECT: Duration = Duration::from_secs(300);
const TO_TEST: Duration = Duration::from_secs(60);
/// How often a suite goes on without the test that hung.
const N_HANGING: usize = 4;
/// The most tests that are tried again where they may write.
const N_AGAIN: usize = 400;
/// The most errors that are kept, so that the reason stays short.
const N_ERRORS: usize = 5;

/// The results of collecting the tests.
#[derive(Default)]
struct CollectedTests {
    n: usize,
    missing: Vec<String>,
    errors: Vec<String>,
    /// Why files were skipped as a whole.
    skipped: Vec<String>,
    installed: Vec<String>,
    why: Option<String>,
}

impl Preparation<'_> {
    /// Collects the tests, installs missing packages, and runs them; returns why the project is refused.
    pub(super) fn collect(
        &mut self,
        installer: &mut Installer<'_>,
        facts: &PythonProjectFacts,
    ) -> Result<Option<RefusedProject>, RunnerError> {
        let mut arguments = facts.test_folders.clone();
        let mut collected = self.collect_once(&arguments)?;
        if collected.n == 0 && collected.errors.is_empty() && !arguments.is_empty() {
            arguments.clear();
            collected = self.collect_once(&arguments)?;
        }
        let is_incomplete = !collected.missing.is_empty() || collected.n == 0;
        if is_incomplete && !facts.other_extras.is_empty() {
            installer.project(
                self,
                facts,
                &[facts.test_extras.clone(), facts.other_extras.clone()].concat(),
                &[],
            )?;
            collected = self.collect_once(&arguments)?;
        }
        let mut tried: BTreeSet<String> = BTreeSet::new();
        for _ in 0..N_ROUNDS {
            let new: Vec<String> = collected
                .missing
                .iter()
                .filter(|missing| tried.insert((*missing).clone()))
                .cloned()
                .collect();
            let mut is_any = false;
            for module in &new {
                is_any |= installer.all(
                    self,
                    &format!("missing module {module}"),
                    &[package_of(module)],
                )?;
            }
            if !is_any {
                break;
            }
            collected = self.collect_once(&arguments)?;
        }
        self.environment.installed.clone_from(&collected.installed);
        let add: Vec<String> = collected
            .missing
            .iter()
            .map(|missing| package_of(missing))
            .collect();
        if collected.n == 0 {
            let why = collected.why.or_else(|| collected.errors.first().cloned());
            return Ok(refused(
                "collect",
                &why.unwrap_or_else(|| "no test was found".to_owned()),
                &add,
            ));
        }
        installer.compile(self)?;
        self.environment.suite = self.run_suite(&arguments, &collected, facts)?;
        let suite = &mut self.environment.suite;
        for error in &collected.errors {
            suite
                .errors
                .push((error.lines().next().unwrap_or_default().to_owned(), 1));
        }
        let share = suite.n_passed as f64 / suite.n_collected.max(1) as f64;
        if share < self.asked.accept {
            let most = suite.errors.first().map_or_else(String::new, |error| {
                format!("; most often ({} times): {}", error.1, error.0)
            });
            let message = format!(
                "{} of {} tests pass{most}",
                suite.n_passed, suite.n_collected
            );
            return Ok(refused("suite", &message, &add));
        }
        Ok(None)
    }

    fn collect_once(&mut self, arguments: &[String]) -> Result<CollectedTests, RunnerError> {
        let started = Instant::now();
        // The view is writable, so that pytest's compiled files are there for all later starts.
        let view = ProjectView {
            folder: self.environment.checkout.clone(),
            is_writable: true,
            around: ProcessSurroundings::default(),
        };
        let world = ServerWorld {
            site: self.site,
            environment: &self.environment,
        };
        let mut server = world.start(
            &view,
            Mode::Collect,
            json!({"arguments": arguments}),
            self.monitor,
        )?;
        let mut found = CollectedTests::default();
        match server.wait(TO_COLLECT, self.monitor)? {
            ServerReply::Answer(answer) => {
                found.n = answer["collected"].as_array().map_or(0, Vec::len);
                found.installed = texts(&answer["installed"]);
                for error in answer["errors"].as_array().into_iter().flatten() {
                    let message = error[2].as_str().unwrap_or_default();
                    if error[1] == json!("skipped") {
                        found.skipped.push(message.to_owned());
                        continue;
                    }
                    found.missing.extend(missing_module(message));
                    found.errors.push(format!(
                        "{}: {}",
                        error[0].as_str().unwrap_or_default(),
                        last_lines(message).join(" ")
                    ));
                }
                if let Some(message) = answer["ended"][1].as_str() {
                    found.missing.extend(missing_module(message));
                    found.why = Some(message.to_owned());
                }
                if found.n == 0 && found.errors.is_empty() {
                    let said = server.last_words(self.monitor);
                    found.missing.extend(missing_module(&said));
                    found.why = found.why.or_else(|| Some(last_lines(&said).join("\n")));
                }
            }
            said @ (ServerReply::Ended(_) | ServerReply::Strange(_)) => {
                let how = how_of(&said);
                let said = server.last_words(self.monitor);
                found.missing.extend(missing_module(&said));
                found.why = Some(format!("{how}: {}", last_lines(&said).join("\n")));
            }
        }
        found.missing.sort();
        found.missing.dedup();
        let step = PreparationStep {
            what: "collect".to_owned(),
            command: format!("pytest --collect-only {}", arguments.join(" "))
                .trim()
                .to_owned(),
            code: Some(u8::from(!found.errors.is_empty() || found.n == 0)),
            seconds: started.elapsed().as_secs_f64(),
            last: std::iter::once(format!("{} tests, {} errors", found.n, found.errors.len()))
                .chain(
                    found
                        .errors
                        .iter()
                        .take(N_ERRORS)
                        .map(|error| last_lines(error).join(" ")),
                )
                .chain(found.why.iter().flat_map(|text| last_lines(text)))
                .collect(),
        };
        self.steps.note(step);
        Ok(found)
    }

    fn run_suite(
        &mut self,
        arguments: &[String],
        collected: &CollectedTests,
        facts: &PythonProjectFacts,
    ) -> Result<ProjectSuite, RunnerError> {
        let started = Instant::now();
        let view = ProjectView {
            folder: self.environment.checkout.clone(),
            is_writable: false,
            around: ProcessSurroundings::default(),
        };
        let mut outcomes = self.run_tests(arguments, &view)?;
        let again: Vec<String> = outcomes
            .iter()
            .filter(|outcome| matches!(outcome.1.0.as_str(), "failed" | "error"))
            .map(|outcome| outcome.0.clone())
            .collect();
        let mut suite = ProjectSuite {
            n_collected: collected.n.max(outcomes.len()),
            ..ProjectSuite::default()
        };
        if !again.is_empty() && again.len() <= N_AGAIN && self.site.sandbox.tool().name() != "none"
        {
            let checkout = self.environment.open_checkout()?;
            let how = tree::TreeCopyKind::CopyForTests;
            let folder = tree::copy_to_scratch(self.site, &checkout, how, self.monitor)?;
            let view = ProjectView {
                folder: folder.clone(),
                is_writable: true,
                around: ProcessSurroundings::default(),
            };
            let writing = self.run_tests(&again, &view)?;
            self.site.sandbox.remove(&folder)?;
            for (id, (outcome, message)) in writing {
                if outcome == "passed" {
                    suite.writing.push(id.clone());
                    outcomes.insert(id, (outcome, message));
                }
            }
        }
        let mut errors: BTreeMap<String, usize> = BTreeMap::new();
        for (id, (outcome, message)) in &outcomes {
            let worst = suite
                .functions
                .entry(function_of(id))
                .or_insert_with(|| outcome.clone());
            if rank(outcome) > rank(worst) {
                worst.clone_from(outcome);
            }
            match outcome.as_str() {
                "passed" | "xpassed" => {
                    suite.n_passed += 1;
                    let file = id.split("::").next().unwrap_or_default().to_owned();
                    *suite.passed.entry(file).or_default() += 1;
                    continue;
                }
                "skipped" | "xfailed" => suite.n_skipped += 1,
                _ => {
                    suite.n_failed += 1;
                    let line = message
                        .lines()
                        .find(|line| !line.trim().is_empty())
                        .unwrap_or(outcome);
                    *errors
                        .entry(line.trim().chars().take(200).collect())
                        .or_default() += 1;
                }
            }
            suite.others.insert(id.clone(), outcome.clone());
        }
        self.note_network(&errors);
        self.note_skipped(&outcomes, collected, facts);
        suite.errors = errors.into_iter().collect();
        suite
            .errors
            .sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        suite.errors.truncate(N_ERRORS);
        let line = format!(
            "{} of {} passed, {} failed, {} skipped",
            suite.n_passed, suite.n_collected, suite.n_failed, suite.n_skipped
        );
        let step = PreparationStep {
            what: "suite".to_owned(),
            command: format!("pytest {}", arguments.join(" ")).trim().to_owned(),
            code: Some(u8::from(suite.n_failed > 0)),
            seconds: started.elapsed().as_secs_f64(),
            last: std::iter::once(line)
                .chain(
                    suite
                        .errors
                        .iter()
                        .map(|error| format!("{} times: {}", error.1, error.0)),
                )
                .collect(),
        };
        self.steps.note(step);
        Ok(suite)
    }

    /// Notes the missing packages of skipped tests.
    fn note_skipped(
        &mut self,
        outcomes: &BTreeMap<String, (String, String)>,
        collected: &CollectedTests,
        facts: &PythonProjectFacts,
    ) {
        let of_tests = outcomes.values().filter(|outcome| outcome.0 == "skipped");
        let of_files = collected.skipped.iter().map(String::as_str);
        let reasons = of_tests.map(|outcome| outcome.1.as_str()).chain(of_files);
        let notes = skipped::notes(reasons, &facts.optional, &collected.installed);
        self.environment.notes.extend(notes);
    }

    /// Notes how many tests fail for lack of a network.
    fn note_network(&mut self, errors: &BTreeMap<String, usize>) {
        let n_network: usize = errors
            .iter()
            .filter(|error| wants_network(error.0))
            .map(|error| error.1)
            .sum();
        if n_network > 0 {
            self.environment.notes.push(format!(
                "{n_network} of its tests need the network, which no test has here"
            ));
        }
    }

    /// Runs tests, and returns outcome and message by node id; a hanging test is ended, and the others go on.
    fn run_tests(
        &mut self,
        arguments: &[String],
        view: &ProjectView,
    ) -> Result<BTreeMap<String, (String, String)>, RunnerError> {
        let mut outcomes = BTreeMap::new();
        let mut arguments = arguments.to_vec();
        for _ in 0..=N_HANGING {
            let world = ServerWorld {
                site: self.site,
                environment: &self.environment,
            };
            let mut server = world.start(
                view,
                Mode::Suite,
                json!({"arguments": arguments}),
                self.monitor,
            )?;
            let mut current = None;
            let hanging = loop {
                match server.wait(TO_TEST, self.monitor)? {
                    said @ (ServerReply::Ended(_) | ServerReply::Strange(_)) => {
                        break current.map(|current| (current, how_of(&said)));
                    }
                    ServerReply::Answer(answer) if answer.get("end").is_some() => break None,
                    ServerReply::Answer(answer) => note(&answer, &mut current, &mut outcomes),
                }
            };
            let Some((id, why)) = hanging else { break };
            arguments.extend(["--deselect".to_owned(), id.clone()]);
            outcomes.insert(id, ("timeout".to_owned(), why));
        }
        Ok(outcomes)
    }
}

fn note(
    answer: &Value,
    current: &mut Option<String>,
    outcomes: &mut BTreeMap<String, (String, String)>,
) {
    if let Some(id) = answer["start"].as_str() {
        *current = Some(id.to_owned());
    }
    let item = &answer["item"];
    if let (Some(id), Some(outcome)) = (item[0].as_str(), item[1].as_str()) {
        let message = super::super::case::clean(item[3].as_str().unwrap_or_default());
        outcomes.insert(id.to_owned(), (outcome.to_owned(), message));
    }
}

/// Tells whether a message comes from the lack of a network.
fn wants_network(message: &str) -> bool {
    let said = [
        "name resolution",
        "Name or service not known",
        "getaddrinfo failed",
        "Network is unreachable",
    ];
    said.iter().any(|text| message.contains(text))
}

/// Cuts the parameters off a test's id.
fn function_of(id: &str) -> String {
    let start = id.find("::").unwrap_or(id.len());
    let end = id[start..].find('[').map_or(id.len(), |n| start + n);
    id[..end].to_owned()
}

/// Ranks the outcome of one set of parameters; the highest one becomes the function's outcome.
fn rank(outcome: &str) -> usize {
    let ranks = ["xfailed", "skipped", "xpassed", "passed"];
    ranks
        .iter()
        .position(|rank| *rank == outcome)
        .unwrap_or(ranks.len())
}

fn texts(value: &Value) -> Vec<String> {
    let values = value.as_array().into_iter().flatten();
    values
        .filter_map(|value| Some(value.as_str()?.to_owned()))
        .collect()
}

/// Reads out of a message the module that was not found.
fn missing_module(message: &str) -> Option<String> {
    // Some packages name the missing package themselves.
    if let Some((_, rest)) = message.rsplit_once("pip install ") {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name: String = rest
            .trim_start_matches(['\'', '"', '`'])
            .chars()
            .take_while(|c| is_part(*c))
            .collect();
        if !name.is_empty() && !name.starts_with('-') {
            return Some(name);
        }
    }
    let (_, rest) = message.rsplit_once("No module named ")?;
    let name = rest.trim_start_matches(['\'', '"']);
    let end = name
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .unwrap_or(name.len());
    let top = name[..end].split('.').next()?;
    (!top.is_empty() && top != "tests" && top != "test").then(|| top.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_module_is_named_by_its_first_part() {
        let check = |message, expected: Option<&str>| {
            assert_eq!(missing_module(message).as_deref(), expected);
        };
        check(
            "ModuleNotFoundError: No module named 'yaml.nodes'",
            Some("yaml"),
        );
        check("No module named trio", Some("trio"));
        check(
            "You can install this with:\n    $ pip install httpx\n",
            Some("httpx"),
        );
        check("No module named 'tests.helpers'", None);
        check("cannot import name 'x' from 'y'", None);
        assert_eq!(package_of("yaml"), "PyYAML");
        assert_eq!(package_of("trio"), "trio");
    }

    #[test]
    fn a_test_that_wants_the_network_is_known_by_its_error() {
        assert!(wants_network(
            "socket.gaierror: [Errno -3] Temporary failure in name resolution"
        ));
        assert!(wants_network("OSError: [Errno 101] Network is unreachable"));
        assert!(!wants_network("AssertionError: the network is slow"));
    }
}
