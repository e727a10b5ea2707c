//! Measures the cost of protecting outcomes: the same candidates with and without the filter of system calls and the
//! canaries, in processor time of all processes, as ratios in one run.
//!
//! No option of focalist switches a protection off. So a program before `bwrap` drops the filter (it runs in both
//! cases), and a switch that only tests of this crate have drops the canaries. Nonces are always there; their cost is
//! measured separately.
//!
//! ```text
//! group=/sys/fs/cgroup/cpuacct/overhead && mkdir $group && echo $$ > $group/cgroup.procs
//! FOCALIST_OVERHEAD=java:path/to/commons-csv FOCALIST_OVERHEAD_CPU=$group/cpuacct.usage \
//!     cargo test --workspace --lib what_protections_cost -- --nocapture
//! ```
//!
//! The file tells how much the processes of its group have used in all; with control groups of version 2 that is
//! `cpu.stat`.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::candidate::{Candidate, HostFile};
use crate::java::fast::{Fast, FastOptions, token};
use crate::java::{self, Machine, PrepareOptions};
use crate::model::{Framework, Span};
use crate::python::{self, CaseRunner, PythonCase, PythonPrepareOptions, Surroundings};
use crate::sandbox::{ProgramPlan, Sandbox, SandboxChoice, Tool};
use crate::task::Monitor;
use crate::{Engine, Site};

static HAS_CANARIES: AtomicBool = AtomicBool::new(true);
/// How often all four are measured, unless `FOCALIST_OVERHEAD_ROUNDS` says otherwise; the median counts.
const N_ROUNDS: usize = 5;
/// How many cases are made of the Python file.
const N_CASES: usize = 300;

/// Tells whether canaries are switched on.
pub fn has_canaries() -> bool {
    HAS_CANARIES.load(Ordering::Relaxed)
}

/// The protections that are present, and those that are left out.
struct OverheadVariant {
    name: &'static str,
    has_filter: bool,
    has_canaries: bool,
}

const VARIANTS: [OverheadVariant; 4] = [
    OverheadVariant {
        name: "all",
        has_filter: true,
        has_canaries: true,
    },
    OverheadVariant {
        name: "no filter",
        has_filter: false,
        has_canaries: true,
    },
    OverheadVariant {
        name: "no canaries",
        has_filter: true,
        has_canaries: false,
    },
    OverheadVariant {
        name: "neither",
        has_filter: false,
        has_canaries: false,
    },
];

/// A `bwrap` that passes its arguments on, all of them or without the filter; both cost the same.
fn before_bwrap(folder: &Path, has_filter: bool) -> OsString {
    let path = env::var_os("PATH").expect("there is a path");
    let real = env::split_paths(&path).map(|split_path| split_path.join("bwrap"));
    let real = real
        .into_iter()
        .find(|path| path.is_file())
        .expect("there is one");
    let dropped = if has_filter { "--none" } else { "--seccomp" };
    let text = format!(
        "#!/bin/sh\nis_next=\nfor word do\n  shift\n  if [ -n \"$is_next\" ]; then is_next=; continue; fi\n  \
         if [ \"$word\" = {dropped} ]; then is_next=1; continue; fi\n  set -- \"$@\" \"$word\"\ndone\n\
         exec {} \"$@\"\n",
        real.display()
    );
    let folder = folder.join(has_filter.to_string());
    fs::create_dir(&folder).expect("it can be made");
    let program = folder.join("bwrap");
    fs::write(&program, text).expect("it can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let all = [folder].into_iter().chain(env::split_paths(&path));
    env::join_paths(all).expect("they have been one before")
}

fn site(place: &Path, has_filter: bool) -> Site {
    let path = before_bwrap(place, has_filter);
    let cache = place.join("cache");
    let tool = Tool::find(SandboxChoice::Auto, &path).expect("there is a sandbox");
    let sandbox = Sandbox::open(&cache.join("sandbox"), tool).expect("it opens");
    let plan = ProgramPlan::new("grep").args(["^Seccomp:", "/proc/self/status"]);
    let said = sandbox.run(&plan, b"", &Monitor::default());
    let said = said.expect("it runs").output.text();
    assert_eq!(said.trim().ends_with('2'), has_filter, "{said}");
    Site {
        sandbox,
        cache,
        is_offline: false,
    }
}

/// Runs candidates, and returns how many have a result, with a summary of the results.
type OverheadRuns<'r> = Box<dyn Fn(&Site) -> (usize, String) + 'r>;

/// The tests of a Java project whose files are indented as Apache's are, as predictions of themselves.
fn java<'r>(site: &Site, root: &Path) -> OverheadRuns<'r> {
    let options = PrepareOptions {
        root: root.to_owned(),
        java_homes: Vec::new(),
        maven: None,
        machine: Machine::new(env::vars_os()),
        is_rebuilt: false,
        has_build_network: false,
    };
    let build = java::prepare(site, &options, &Monitor::default());
    let build = build.expect("it is prepared").build;
    let (mut files, mut candidates) = (Vec::new(), Vec::new());
    for module in &build.modules {
        for folder in &module.test_source_roots {
            read_tests(&build.tree, folder, (&mut files, &mut candidates));
        }
    }
    Box::new(move |site| {
        let mut engine = Fast::new(site, &build, FastOptions::default());
        let mut words = Vec::new();
        engine
            .run(&files, &candidates, &Monitor::default(), &mut |ran| {
                words.push(format!("{} {:?}", ran.id, ran.fate));
                Ok(())
            })
            .expect("they run");
        words.sort();
        (words.len(), words.join("\n"))
    })
}

fn read_tests(
    tree: &Path,
    folder: &Path,
    (files, candidates): (&mut Vec<HostFile>, &mut Vec<Candidate>),
) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_tests(tree, &path, (files, candidates));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let package = text.lines().find_map(|line| line.strip_prefix("package "));
        let package = package.unwrap_or_default().trim_end_matches(';');
        let class = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut tests = Vec::new();
        for (start, _) in text.match_indices("\n    @Test\n") {
            let Some(len) = text[start + 5..].find("\n    }\n") else {
                continue;
            };
            let at = Span::new(start as u32 + 5, (start + 5 + len + 6) as u32);
            let said = &text[at.start as usize..at.end as usize];
            let head = said.split('(').next().unwrap_or_default();
            tests.push(at);
            candidates.push(Candidate {
                id: candidates.len() as u64,
                file_idx: files.len(),
                at,
                text: said.to_owned(),
                nesting: vec![class.to_string()],
                package: package.to_owned(),
                name: head.rsplit(' ').next().unwrap_or_default().to_owned(),
                framework: Framework::JUnit5,
                focal: None,
            });
        }
        let path = path.strip_prefix(tree).expect("it lies there");
        files.push(HostFile {
            path: path.to_string_lossy().into_owned(),
            text,
            tests,
        });
    }
}

/// Small tests of a Python project: its first file of tests, many times, each with a test that imports it. They do next
/// to nothing themselves, so the share of the protections is as large as possible.
fn python<'r>(site: &Site, root: &Path) -> OverheadRuns<'r> {
    let surroundings = Surroundings {
        path: env::var_os("PATH").expect("there is a path"),
        home: None,
        environment: env::vars_os().collect(),
    };
    let environment = python::prepare(
        site,
        root,
        &PythonPrepareOptions::default(),
        &surroundings,
        &Monitor::default(),
        &mut |_| (),
    );
    let environment = environment.expect("it is prepared");
    let module = environment.sources.first().expect("it has a module");
    let module = Path::new(module).file_stem().expect("it has a name");
    let module = module.to_string_lossy().into_owned();
    let mut passed = environment.suite.passed.keys().map(Path::new);
    let is_usual = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("test_"))
    };
    let file = passed.find(|path| is_usual(path)).expect("tests pass");
    let folder = file.parent().expect("it lies in a folder").to_owned();
    let case = |n: usize| PythonCase {
        path: folder
            .join(format!("test_case_{n}.py"))
            .display()
            .to_string(),
        stands_for_file: false,
        code: Some(format!(
            "import {module}\n\n\ndef test_{n}():\n    names = sorted(dir({module}))\n    assert len(names) > {n} - {n}\n"
        )),
        ..PythonCase::default()
    };
    let cases: Vec<PythonCase> = (0..N_CASES).map(case).collect();
    Box::new(move |site| {
        let mut words = Vec::new();
        python::run_cases(
            site,
            &environment,
            &cases,
            &CaseRunner::default(),
            &Monitor::default(),
            &mut |idx, ran| {
                words.push(format!("{idx} {:?} {}", ran.outcome, ran.engine));
                Ok(())
            },
        )
        .expect("they run");
        let is_forked = |text: &String| text.ends_with(" Passing fork");
        assert!(words.iter().all(is_forked), "{words:?}");
        words.sort();
        (words.len(), words.join("\n"))
    })
}

/// Reads how many seconds the processes of a group have used.
fn used(file: &Path) -> f64 {
    let text = fs::read_to_string(file).expect("it can be read");
    let of_line = text
        .lines()
        .find_map(|line| line.strip_prefix("usage_usec "));
    let number = |text: &str| -> f64 { text.trim().parse().expect("it is a number") };
    match of_line {
        Some(micros) => number(micros) / 1e6,
        None => number(&text) / 1e9,
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Measures the seconds of each variant by rounds, and counts the candidates.
#[expect(
    clippy::print_stdout,
    reason = "a tool of developers says what it measures, also where it is not waited for"
)]
fn measure(runs: &OverheadRuns<'_>, sites: &[Site; 2], cpu: &Path) -> (Vec<Vec<f64>>, usize) {
    let (mut seconds, mut first) = (vec![Vec::new(); VARIANTS.len()], None);
    let asked = env::var("FOCALIST_OVERHEAD_ROUNDS").ok();
    let n_rounds = asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(N_ROUNDS);
    for round in 0..=n_rounds {
        for (variant, seconds) in VARIANTS.iter().zip(&mut seconds) {
            HAS_CANARIES.store(variant.has_canaries, Ordering::Relaxed);
            let before = used(cpu);
            let said = runs(&sites[usize::from(variant.has_filter)]);
            let cpu_seconds = used(cpu) - before;
            HAS_CANARIES.store(true, Ordering::Relaxed);
            assert_eq!(
                first.get_or_insert_with(|| said.clone()),
                &said,
                "protected or not, they come out the same"
            );
            println!("round {round}, {}: {cpu_seconds:.2} s", variant.name);
            // The first round fills caches for the others, so it does not count.
            if round > 0 {
                seconds.push(cpu_seconds);
            }
        }
    }
    (seconds, first.map_or(0, |first| first.0))
}

#[expect(
    clippy::print_stdout,
    reason = "a tool of developers says what it measured"
)]
#[test]
fn what_protections_cost() {
    let (Some(asked), Some(cpu)) = (
        env::var("FOCALIST_OVERHEAD").ok(),
        env::var_os("FOCALIST_OVERHEAD_CPU"),
    ) else {
        println!("skipped: `FOCALIST_OVERHEAD` and `FOCALIST_OVERHEAD_CPU` are not set");
        return;
    };
    let (language, root) = asked.split_once(':').expect("a language, and a folder");
    let place = tempfile::tempdir().expect("a folder can be made");
    let sites = [false, true].map(|has_filter| site(place.path(), has_filter));
    let root = PathBuf::from(root);
    let runs = match language {
        "java" => java(&sites[1], &root),
        "python" => python(&sites[1], &root),
        _ => panic!("`{language}` is `java` or `python`"),
    };
    let (seconds, n) = measure(&runs, &sites, Path::new(&cpu));
    let bare = &seconds[VARIANTS.len() - 1];
    let mut said = String::new();
    let mut ratios = Vec::new();
    for (variant, of_it) in VARIANTS.iter().zip(&seconds) {
        let ratio = median(of_it.iter().zip(bare).map(|(a, b)| a / b).collect());
        ratios.push(ratio);
        let all: Vec<String> = of_it.iter().map(|of_it| format!("{of_it:.2}")).collect();
        writeln!(
            said,
            "{:12} {} s, ratio {ratio:.3}",
            variant.name,
            all.join(" ")
        )
        .expect("it is a text");
    }
    let begin = Instant::now();
    for _ in 0..10_000 {
        black_box(token());
    }
    let micros = begin.elapsed().as_secs_f64() * 100.0;
    println!("{language}, {n} candidates\n{said}a nonce {micros:.2} µs");
    assert!(ratios[0] <= 1.05, "{said}");
}
