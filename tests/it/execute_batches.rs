//! A candidate's outcome is the same alone, with any others, and in any order: seeded batches of a test project in
//! which classes override each other's tests, and candidates are broken, or have each other's names.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set; with `FOCALIST_SLOW` each candidate runs alone in a new virtual
//! machine, and `FOCALIST_BATCHES` sets the number of batches. The tables are `fixtures/maven/company.md` and
//! `processed.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::time::Duration;

use focalist::model::{CoveredSet, FocalCoverage, Framework, MethodPlace, OutcomeReason, Span};
use focalist::runner::java::Build;
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::java::maven::{Maven, MavenOptions};
use focalist::runner::{Candidate, CandidateExecution, Engine, Focal, HostFile, Site};
use focalist::task::Monitor;

use crate::execute_java::{Row, place, read_rows, word};
use crate::prepare::{TURN, has_tools, options, prepare, project, site};

const N_BATCHES: u64 = 6;
const N_BATCHES_SLOW: u64 = 60;
/// The number of strings in a method: five such methods have more constants than a class may have.
const N_STRINGS: usize = 7000;

/// The facts that must be the same. Locations in stack traces are left out: they depend on a candidate's place in the
/// file.
#[derive(Clone, Debug, PartialEq)]
struct Fated {
    word: &'static str,
    why: Option<OutcomeReason>,
    host: String,
    method: String,
    is_called: Option<bool>,
    focal: Option<FocalCoverage>,
    covered: Vec<CoveredSet>,
}

impl From<CandidateExecution> for Fated {
    fn from(ran: CandidateExecution) -> Self {
        Self {
            word: word(&ran),
            why: ran.why.map(|why| OutcomeReason { trace: None, ..why }),
            host: ran.host,
            method: ran.method,
            is_called: ran.is_called,
            focal: ran.focal,
            covered: ran.covered,
        }
    }
}

/// A project with its candidates, numbered by their place in the list.
struct Project {
    rows: Vec<Row>,
    files: Vec<HostFile>,
    candidates: Vec<Candidate>,
}

/// Returns the rows of a table, and generated rows that are too long for it.
fn rows(name: &str) -> Vec<Row> {
    let mut rows = read_rows(&format!("{name}.md"));
    let n_long = if name == "company" { 5 } else { 0 };
    for idx in 0..n_long {
        let strings: Vec<String> = (0..N_STRINGS).map(|n| format!("\"{idx} {n}\"")).collect();
        let body = format!(
            "String[] all = {{{}}}; assertEquals({N_STRINGS}, all.length); counter.get();",
            strings.join(",")
        );
        rows.push(Row {
            title: format!("CounterTest: many constants, {idx}"),
            class: "CounterTest".to_owned(),
            test: "starts".to_owned(),
            text: format!("@Test void many() {{ {body} }}"),
            outcome: "correct".to_owned(),
            says: String::new(),
        });
    }
    rows
}

impl Project {
    fn read(name: &str) -> Self {
        let rows = rows(name);
        let mut files = BTreeMap::new();
        for row in &rows {
            let file = row.class.split('.').next().unwrap_or_default();
            files.entry(file).or_insert_with(|| host_file(name, file));
        }
        let names: Vec<&str> = files.keys().copied().collect();
        let files: Vec<HostFile> = files.values().cloned().collect();
        let candidate = |(idx, row): (usize, &Row)| {
            let file = row.class.split('.').next();
            let file_idx = names.iter().position(|name| Some(*name) == file);
            let file_idx = file_idx.expect("it was read");
            let framework = match (name, names[file_idx]) {
                ("processed", _) => Framework::JUnit4,
                (_, "OldTest") => Framework::JUnit3,
                _ => Framework::JUnit5,
            };
            Candidate {
                id: idx as u64,
                file_idx,
                at: place(&files[file_idx].text, &row.class, &row.test),
                text: row.text.clone(),
                nesting: row.class.split('.').map(str::to_owned).collect(),
                package: "p".to_owned(),
                name: row.test.clone(),
                framework,
                focal: Some(focal(&row.test)),
            }
        };
        let candidates = rows.iter().enumerate().map(candidate).collect();
        Self {
            rows,
            files,
            candidates,
        }
    }

    /// Runs some of the candidates, in their order.
    fn run(&self, engine: &mut dyn Engine, some: &[usize]) -> BTreeMap<usize, Fated> {
        let candidates: Vec<Candidate> = some
            .iter()
            .map(|some| self.candidates[*some].clone())
            .collect();
        let mut fates = BTreeMap::new();
        let mut sink = |ran: CandidateExecution| {
            let idx = usize::try_from(ran.id).expect("it is one of ours");
            let before = fates.insert(idx, Fated::from(ran));
            assert!(before.is_none(), "each comes once");
            Ok(())
        };
        engine
            .run(&self.files, &candidates, &Monitor::default(), &mut sink)
            .expect("they run");
        assert_eq!(fates.len(), some.len(), "each comes");
        fates
    }
}

/// Returns a file with its tests: every one-line method with `@Test`, or with a name that begins with `test`.
fn host_file(name: &str, file: &str) -> HostFile {
    let path = format!("src/test/java/p/{file}.java");
    let text = fs::read_to_string(project(name).join(&path)).expect("it is there");
    let mut tests = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_test = line.contains("@Test ") || line.contains(" void test");
        if is_test {
            let indent = line.len() - line.trim_start().len();
            let end = start + line.trim_end().len();
            tests.push(Span::new((start + indent) as u32, end as u32));
        }
        start += line.len();
    }
    HostFile { path, text, tests }
}

fn focal(test: &str) -> Focal {
    let adds = [
        "adds", "boxes", "isDeeper", "more", "refuses", "sneaks", "testAdds", "unmapped",
    ];
    let (name, parameters) = if adds.contains(&test) {
        ("add", vec!["int".to_owned()])
    } else {
        ("get", Vec::new())
    };
    Focal {
        package: "p".to_owned(),
        nesting: vec!["Counter".to_owned()],
        name: name.to_owned(),
        parameters,
        place: MethodPlace {
            path: "src/main/java/p/Counter.java".to_owned(),
            span: Span::default(),
        },
        line: 1,
    }
}

fn fast<'s>(site: &'s Site, build: &'s Build) -> Fast<'s> {
    let options = FastOptions {
        timeout: Duration::from_secs(60),
        ..FastOptions::default()
    };
    Fast::new(site, build, options)
}

/// Pseudo-random numbers, the same for the same seed (Vigna, splitmix64).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// Draws some of the first numbers, at least one, in any order.
    fn some(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for idx in (1..n).rev() {
            all.swap(idx, self.below(idx + 1));
        }
        all.truncate(1 + self.below(n));
        all
    }
}

/// Returns the outcome of each candidate alone.
fn alone(project: &Project, (site, build): (&Site, &Build)) -> Vec<Fated> {
    let mut engine = fast(site, build);
    let mut fates = Vec::with_capacity(project.rows.len());
    for idx in 0..project.rows.len() {
        if env::var_os("FOCALIST_SLOW").is_some() {
            engine = fast(site, build);
        }
        fates.extend(project.run(&mut engine, &[idx]).into_values());
    }
    fates
}

fn n_batches() -> u64 {
    if env::var_os("FOCALIST_SLOW").is_none() {
        return N_BATCHES;
    }
    let wanted = env::var("FOCALIST_BATCHES").ok();
    let wanted = wanted.map(|wanted| wanted.parse().expect("`FOCALIST_BATCHES` is a number"));
    wanted.unwrap_or(N_BATCHES_SLOW)
}

#[test]
fn a_candidate_is_the_same_alone_and_in_any_company() {
    check("company");
}

#[test]
fn a_candidate_among_generated_code_is_the_same_alone_and_in_any_company() {
    check("processed");
}

fn check(name: &str) {
    if !has_tools() {
        return;
    }
    let site = site();
    let build = prepare(&site, &options(project(name))).build;
    let project = Project::read(name);
    let alone = alone(&project, (&site, &build));
    let mut wrong = String::new();
    for (row, fated) in project.rows.iter().zip(&alone) {
        let why = fated.why.as_ref();
        let said = why.map_or(String::new(), |outcome_reason| {
            format!(
                "{} {}",
                outcome_reason.kind.as_deref().unwrap_or_default(),
                outcome_reason.message
            )
        });
        if fated.word != row.outcome || !said.contains(&row.says) {
            writeln!(wrong, "{}: {} {said}", row.title, fated.word).expect("it is a text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let mut engine = fast(&site, &build);
    let n_rows = project.rows.len();
    let mut n_same = 0;
    let mut batches: Vec<(u64, Vec<usize>)> =
        vec![(0, (0..n_rows).collect()), (0, (0..n_rows).rev().collect())];
    batches.extend((1..=n_batches()).map(|seed| (seed, Seeded(seed).some(n_rows))));
    let n_batches = batches.len();
    for (seed, batch) in batches {
        for (idx, fated) in project.run(&mut engine, &batch) {
            if fated == alone[idx] {
                n_same += 1;
            } else {
                let title = &project.rows[idx].title;
                writeln!(
                    wrong,
                    "seed {seed}, {title}: {fated:?}\n  alone {:?}",
                    alone[idx]
                )
                .expect("it is a text");
            }
        }
    }
    let said = format!("{name}: {n_batches} batches, {n_rows} candidates alone, {n_same} the same");
    writeln!(io::stderr(), "{said} in company").expect("stderr can be written");
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn candidates_in_company_become_what_they_become_alone_under_maven() {
    if !has_tools() || env::var_os("FOCALIST_SLOW").is_none() {
        return;
    }
    let _turn = TURN.lock();
    for (name, n_drawn) in [("company", 14), ("processed", 6)] {
        check_by_maven(name, n_drawn);
    }
}

/// Compares some drawn candidates of a project that run with all others with the same candidates in separate calls of
/// Maven.
fn check_by_maven(name: &str, n_drawn: usize) {
    let site = site();
    let build = prepare(&site, &options(project(name))).build;
    let project = Project::read(name);
    let n_rows = project.rows.len();
    let mut seeded = Seeded(38);
    let mut drawn = BTreeSet::new();
    while drawn.len() < n_drawn {
        // Surefire has no words for a nested class of an abstract one.
        let idx = seeded.below(n_rows);
        let row = &project.rows[idx];
        if !row.class.starts_with("AbstractThingTest.") {
            drawn.insert(idx);
        }
    }
    let all: Vec<usize> = (0..n_rows).collect();
    let fast = project.run(&mut fast(&site, &build), &all);
    let mut wrong = String::new();
    for idx in drawn {
        let mut maven = Maven::new(
            &site,
            &build,
            MavenOptions {
                limit: Duration::from_secs(60),
                is_alone: true,
            },
        );
        let there = project.run(&mut maven, &[idx]).remove(&idx);
        let there = there.expect("it has run");
        let here = &fast[&idx];
        let lines = |fated: &Fated| {
            fated
                .focal
                .as_ref()
                .map(|focal_coverage| (focal_coverage.lines, focal_coverage.branches))
        };
        if there.word != here.word || lines(&there) != lines(here) {
            let title = &project.rows[idx].title;
            writeln!(wrong, "{title}: {there:?}\n  fast {here:?}").expect("it is a text");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
