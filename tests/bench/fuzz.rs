//! Fuzzing of a language's front end and the matchers with mutated real sources.
//!
//! ```text
//! FOCALIST_FUZZ=path/to/repos cargo bench --bench fuzz -- --seconds 3600 --seed 1 --out failures
//! FOCALIST_LANGUAGE=go FOCALIST_FUZZ=… cargo bench --bench fuzz     # another language than Java
//! cargo bench --bench fuzz -- --replay failures/slow-1-4711         # one project again, with its measures
//! cargo bench --bench fuzz -- --strains 1000                        # every made strain alone, in this size
//! ```
//!
//! Every file of the language under the folder is a seed. A case is a small project of seeds, mutated deterministically
//! from the case's number, that goes through everything that mining does. Cases run one after another in a child
//! process, because a process cannot survive its own stack overflow or endless loop; the parent watches the child's
//! processor time and restarts it after a case that fails. A failing case is minimised and written to `--out` with the
//! reason.
//!
//! A failure is a panic, a crash, a hang, far more time than parsing takes, or far more memory than the text. Time is
//! processor time, so that a busy machine does not look like a hang.

#[path = "fuzz/child.rs"]
mod child;
#[path = "frame/console.rs"]
mod console;
#[path = "fuzz/generate.rs"]
mod generate;
#[path = "fuzz/minimize.rs"]
mod minimize;
#[path = "fuzz/mutate.rs"]
mod mutate;
#[path = "fuzz/pipeline.rs"]
mod pipeline;
#[path = "frame/random.rs"]
mod random;
#[path = "fuzz/seeds.rs"]
mod seeds;
#[path = "fuzz/tongue.rs"]
mod tongue;
#[path = "fuzz/watch.rs"]
mod watch;
#[path = "fuzz/words.rs"]
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use console::{arguments, print};
use pipeline::Source;
use seeds::Seeds;
use tongue::Tongue;
use watch::{Failure, Measure, Outcome, Worker};

/// Failures of one kind and place beyond this are only counted.
const N_KEPT_OF_A_KIND: usize = 3;

fn main() {
    let Some(args) = arguments() else {
        return;
    };
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).cloned()
    };
    let number = |name: &str, default: u64| {
        value(name).map_or(default, |text| text.parse().expect("a number follows"))
    };
    let folder = env::var_os("FOCALIST_FUZZ").map(PathBuf::from);
    let seed = number("--seed", 1);
    let first_case = number("--case", 0);
    if let Some(project) = value("--replay") {
        child::replay(Path::new(&project));
        return;
    }
    if args.iter().any(|arg| arg == "--strains") {
        child::strains(number("--strains", 100) as usize);
        return;
    }
    let Some(folder) = folder else {
        // As a part of `cargo bench` without seeds, there is nothing to do.
        print("FOCALIST_FUZZ=folder says where source files are");
        return;
    };
    if args.iter().any(|arg| arg == "--child") {
        child::cases(
            &Seeds::in_folder(&folder, Tongue::asked()),
            seed,
            first_case,
        );
        return;
    }
    let out = value("--out").map_or_else(
        || Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp")).join("fuzz"),
        PathBuf::from,
    );
    let seconds = Duration::from_secs(number("--seconds", 60));
    let mut run = Run::new(Seeds::in_folder(&folder, Tongue::asked()), seed, out);
    run.go(first_case, seconds);
    run.report();
}

/// One run of many cases.
struct Run {
    seeds: Seeds,
    seed: u64,
    out: PathBuf,
    started: Instant,
    n_cases: u64,
    n_bytes: u64,
    /// The largest time, the largest memory, and the cases they belong to.
    slowest: (Measure, u64),
    largest: (Measure, u64),
    /// The number of occurrences of each failure.
    failures: BTreeMap<String, usize>,
}

impl Run {
    fn new(seeds: Seeds, seed: u64, out: PathBuf) -> Self {
        print(&format!("{} seeds, seed {seed}", seeds.len()));
        Self {
            seeds,
            seed,
            out,
            started: Instant::now(),
            n_cases: 0,
            n_bytes: 0,
            slowest: Default::default(),
            largest: Default::default(),
            failures: BTreeMap::new(),
        }
    }

    fn go(&mut self, first_case: u64, seconds: Duration) {
        let mut case = first_case;
        let mut told = Instant::now();
        while self.started.elapsed() < seconds {
            let mut worker = Worker::cases(self.seed, case);
            while self.started.elapsed() < seconds {
                let outcome = worker.next();
                self.n_cases += 1;
                case += 1;
                match outcome {
                    Outcome::Done(measure) => self.add(measure, case - 1),
                    Outcome::Failed(failure) => {
                        worker.stop();
                        self.fail(&failure, case - 1);
                        break;
                    }
                }
                if told.elapsed() > Duration::from_secs(60) {
                    told = Instant::now();
                    self.report();
                }
            }
        }
    }

    fn add(&mut self, measure: Measure, case: u64) {
        self.n_bytes += measure.n_bytes;
        if measure.time_us > self.slowest.0.time_us {
            self.slowest = (measure, case);
        }
        if measure.memory_kb > self.largest.0.memory_kb {
            self.largest = (measure, case);
        }
    }

    fn fail(&mut self, failure: &Failure, case: u64) {
        print(&format!("case {case}: {}", failure.text()));
        let n_seen = self.failures.entry(failure.key()).or_default();
        *n_seen += 1;
        if *n_seen > N_KEPT_OF_A_KIND {
            return;
        }
        let sources = self.seeds.project(self.seed, case);
        let small = minimize::minimize(&sources, failure);
        let folder = self
            .out
            .join(format!("{}-{}-{case}", failure.word(), self.seed));
        write_project(&folder, &small);
        let why = format!("{}\nseed {} case {case}\n", failure.text(), self.seed);
        fs::write(folder.join("why.txt"), why).expect("the folder can be written");
        print(&format!("  kept in {}", folder.display()));
    }

    fn report(&self) {
        let seconds = self.started.elapsed().as_secs_f64();
        let n_failures: usize = self.failures.values().sum();
        print(&format!(
            "{seconds:.0} s, {} cases ({:.1}/s), {:.1} MB; slowest {} (case {}); largest {} (case {}); {n_failures} failures",
            self.n_cases,
            self.n_cases as f64 / seconds,
            self.n_bytes as f64 / 1e6,
            self.slowest.0.text(),
            self.slowest.1,
            self.largest.0.text(),
            self.largest.1,
        ));
        for (key, n) in &self.failures {
            print(&format!("  {n} × {key}"));
        }
    }
}

/// Writes sources below `folder`, which is emptied first.
fn write_project(folder: &Path, sources: &[Source]) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("the folder can be emptied");
    }
    for source in sources {
        let path = folder.join(source.path.replace("..", "up"));
        fs::create_dir_all(path.parent().unwrap_or(folder)).expect("a folder can be made");
        fs::write(path, &source.text).expect("a file can be written");
    }
}
