//! Mining compared with only parsing the same files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use focalist::lang::{self, Configuration, Outside, SourceText};
use focalist::mine::analysis::{self, MiningContext};
use focalist::mine::sources::{self, SourceFile, SourceOptions};
use focalist::mine::{self, Languages, MiningOptions, Target};
use focalist::model::Language;
use focalist::store::{Store, StoreAccess};
use focalist::syntax::parses;
use focalist::task::Monitor;

use super::checkout::{files, n_bytes, parse, roots};
use super::clock::elapsed;
use super::computed::seconds;
use super::console::print;
use super::figures::{Asked, Table};

const ROUNDS: usize = 5;
/// The maximum time per language, unless three rounds take longer.
const PATIENCE: Duration = Duration::from_secs(50);
/// The number of names under which each repository of the sample data is mined, because the sample data is small.
const COPIES: usize = 30;
/// The limit for two threads relative to one: 1 / 1.9.
const TWO_MAX: f64 = 0.526;
const TWO: &str = "× one thread, by the clock";

/// The repositories in the sample data.
pub const SAMPLES: [&str; 2] = ["repos", "languages"];

/// Repositories in one language, the largest first.
pub struct Group {
    pub language: Language,
    pub roots: Vec<PathBuf>,
}

/// Returns the repositories by the main language of each.
pub fn groups(roots: Vec<PathBuf>) -> Vec<Group> {
    let mut sized: Vec<(Language, usize, PathBuf)> = Vec::new();
    for root in roots {
        let alone = [root];
        let sizes = Language::ALL
            .iter()
            .map(|language| (n_bytes(&files(&alone, *language)), *language));
        let most = sizes.max_by_key(|(size, _)| *size);
        let [root] = alone;
        sized.extend(most.map(|(size, language)| (language, size, root)));
    }
    sized.sort_by(|a, b| (b.1, &a.2).cmp(&(a.1, &b.2)));
    let groups = Language::ALL.iter().map(|language| Group {
        language: *language,
        roots: (sized.iter())
            .filter(|(of, size, _)| of == language && *size > 0)
            .map(|(_, _, root)| root.clone())
            .collect(),
    });
    groups.filter(|group| !group.roots.is_empty()).collect()
}

pub fn measure() {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    for group in groups(roots(scratch.path(), &SAMPLES, COPIES)) {
        one(&group, scratch.path());
    }
}

/// The limit of a language's ratio.
const fn asked(language: Language) -> f64 {
    match language {
        Language::Java => 1.8,
        _ => 2.0,
    }
}

fn one(group: &Group, scratch: &Path) {
    let Group { language, roots } = group;
    let word = language.as_str();
    let files = files(roots, *language);
    print(&format!(
        "{word}: {} repositories, {} files, {:.1} MB",
        roots.len(),
        files.len(),
        n_bytes(&files) as f64 / 1e6
    ));
    let folder = scratch.join(".focalist");
    let work = Work {
        targets: roots.iter().map(|root| target(root)).collect(),
        language: *language,
        folder: &folder,
    };
    let large = Work {
        targets: work.targets[..1].to_vec(),
        ..work.clone()
    };
    let asked = Asked::AtMost(asked(*language));
    let mut table = Table::default();
    let started = Instant::now();
    for round in 0..ROUNDS {
        if round >= 3 && started.elapsed() > PATIENCE {
            break;
        }
        let mut add = |name: &str, unit: &'static str, asked: Asked, value: f64| {
            table.add(&format!("{word}: {name}"), unit, asked, value);
        };
        let alone = seconds(|| parse(&files, *language));
        let mined = work.run(1);
        let ratio = mined.computed / alone;
        add("mining", "× parsing alone, one thread", asked, ratio);
        let speed = n_bytes(&files) as f64 / 1e6 / mined.computed;
        add("mining", "MB of source a second", Asked::Nothing, speed);
        let a_file = |n: u64| n as f64 / files.len() as f64;
        let once = Asked::AtMost(1.0);
        add("parses", "a file", once, a_file(mined.n_texts));
        let n_again = a_file(mined.n_again);
        add("files with errors again", "a file", Asked::Nothing, n_again);
        let two = work.run(2).clock / mined.clock;
        add("two threads, all", TWO, Asked::AtMost(TWO_MAX), two);
        if large.targets.len() < work.targets.len() {
            let two = large.run(2).clock / large.run(1).clock;
            add("two threads, the largest", TWO, Asked::AtMost(TWO_MAX), two);
        }
        for (step, share) in STEPS.iter().zip(steps(&work, mined.computed)) {
            add(step, "of mining", Asked::Nothing, share);
        }
    }
    table.print();
}

fn target(root: &Path) -> Target {
    Target {
        root: root.to_owned(),
        ..Target::default()
    }
}

/// The repositories to mine, and the folder of the index.
#[derive(Clone)]
struct Work<'w> {
    targets: Vec<Target>,
    language: Language,
    folder: &'w Path,
}

/// The cost of mining.
struct Mined {
    /// The time of one thread; with several threads, of one of them.
    computed: f64,
    clock: f64,
    n_texts: u64,
    n_again: u64,
}

impl Work<'_> {
    /// Mines into a fresh workspace.
    fn run(&self, n_threads: usize) -> Mined {
        if self.folder.exists() {
            fs::remove_dir_all(self.folder).expect("the last workspace can be removed");
        }
        let options = MiningOptions {
            languages: Languages::One(self.language),
            ..MiningOptions::default()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        let pool = pool.build().expect("threads can be started");
        // Measured inside, so that with one thread it is the mining thread that is measured.
        pool.install(|| {
            let before = parses::on_this_thread();
            let mut computed = 0.0;
            let clock = elapsed(|| {
                computed = seconds(|| {
                    let mut store = Store::open(self.folder, StoreAccess::Create)
                        .expect("a workspace can be made");
                    let mined =
                        mine::mine(&mut store, &Monitor::default(), &options, &self.targets);
                    mined.expect("mining works")
                });
            });
            let parses = parses::on_this_thread() - before;
            Mined {
                computed,
                clock,
                n_texts: parses.n_texts,
                n_again: parses.n_again,
            }
        })
    }
}

/// The steps of mining, in order. Of a repository's last steps, indexing its declarations partly runs on one thread,
/// and writing runs on one thread entirely, while the next repository is read, parsed and resolved.
const STEPS: [&str; 5] = [
    "  reading from disk",
    "  parsing and facts",
    "  index of declarations",
    "  resolving and deciding",
    "  writing, settling, freeing",
];

/// Returns each step's share of mining on one thread; the last is the rest.
fn steps(work: &Work<'_>, whole: f64) -> [f64; 5] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().expect("a thread can be started");
    let monitor = Monitor::default();
    let mut sums = [0.0; 5];
    for target in &work.targets {
        pool.install(|| {
            let options = SourceOptions {
                language: work.language,
                ..SourceOptions::default()
            };
            let read = || sources::read_repo(&target.root, &options, &monitor).expect("it is read");
            let mut tree = None;
            sums[0] += seconds(|| tree = Some(read()));
            let Some(tree) = tree else { return };
            let configuration = tree.configuration.iter().map(|file| Configuration {
                path: file.path.clone(),
                text: file.text.clone(),
            });
            let outside = Outside {
                configuration: configuration.collect(),
                ..Outside::default()
            };
            let mut parsed = Vec::new();
            let parsing = seconds(|| parsed = facts(&tree.files, work.language, &outside));
            let mut project = None;
            let index = seconds(|| project = Some(lang::project(work.language, parsed, &outside)));
            drop(project);
            let known = MiningContext {
                outside: &Outside::default(),
                traces: None,
            };
            let options = MiningOptions::default();
            let mut mined = None;
            let all =
                seconds(|| mined = Some(analysis::mine_tree(tree, known, &options, &monitor)));
            drop(mined);
            sums[1] += parsing;
            sums[2] += index;
            sums[3] += all - parsing - index;
        });
    }
    sums[4] = whole - sums.iter().sum::<f64>();
    sums.map(|sum| sum / whole)
}

fn facts(files: &[SourceFile], language: Language, outside: &Outside) -> Vec<lang::SourceFacts> {
    let each = files.iter().map(|file| {
        let source = SourceText {
            path: &file.path,
            text: &file.text,
        };
        lang::facts(language, source, outside).facts
    });
    each.collect()
}
