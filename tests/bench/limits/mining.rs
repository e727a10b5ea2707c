//! Mining against parsing the same files and doing nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use focalist::lang::{self, Configuration, Outside, Source, parses};
use focalist::mine::analysis::{self, Known};
use focalist::mine::sources::{self, SourceFile, SourceOptions};
use focalist::mine::{self, Languages, Options, Target};
use focalist::model::Language;
use focalist::store::{Access, Store};
use focalist::task::Monitor;

use super::checkout::{files, n_bytes, parse, roots};
use super::clock::elapsed;
use super::computed::seconds;
use super::console::print;
use super::figures::{Asked, Figure};

const ROUNDS: usize = 5;
/// No language takes longer, unless three rounds do.
const PATIENCE: Duration = Duration::from_secs(50);
/// The sample data is small: each of its repositories is mined under so many names.
const COPIES: usize = 30;
/// How much longer one thread takes than two where nothing stands in the way: 1 / 1.9.
const TWO_MAX: f64 = 0.526;

/// What of the sample data is a repository.
pub const SAMPLES: [&str; 2] = ["repos", "languages"];

/// Repositories in one language, the largest first.
pub struct Group {
    pub language: Language,
    pub roots: Vec<PathBuf>,
}

/// Returns the repositories by the language of which each has most.
pub fn groups(roots: Vec<PathBuf>) -> Vec<Group> {
    let mut sized: Vec<(Language, usize, PathBuf)> = Vec::new();
    for root in roots {
        let alone = [root];
        let sizes = Language::ALL
            .iter()
            .map(|it| (n_bytes(&files(&alone, *it)), *it));
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
    groups.filter(|it| !it.roots.is_empty()).collect()
}

pub fn measure() {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    for group in groups(roots(scratch.path(), &SAMPLES, COPIES)) {
        one(&group, scratch.path());
    }
}

/// What is asked of a language.
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
        targets: roots.iter().map(|it| target(it)).collect(),
        language: *language,
        folder: &folder,
    };
    let large = Work {
        targets: work.targets[..1].to_vec(),
        ..work.clone()
    };
    let mut against = Figure::new(
        format!("{word}: mining, one thread"),
        "× parsing alone, processor",
        Asked::AtMost(asked(*language)),
    );
    let mut parsed = Figure::new(format!("{word}: parses"), "a file", Asked::AtMost(1.0));
    let mut again = Figure::new(
        format!("{word}: parses of files with errors again"),
        "a file",
        Asked::Nothing,
    );
    let mut two = Figure::new(
        format!("{word}: two threads, all repositories"),
        "× one thread, clock",
        Asked::AtMost(TWO_MAX),
    );
    let mut two_large = Figure::new(
        format!("{word}: two threads, the largest alone"),
        "× one thread, clock",
        Asked::AtMost(TWO_MAX),
    );
    let mut shares: Vec<Figure> = STEPS
        .iter()
        .map(|step| {
            Figure::new(
                format!("{word}: {step}"),
                "of mining's processor",
                Asked::Nothing,
            )
        })
        .collect();
    let started = Instant::now();
    for round in 0..ROUNDS {
        if round >= 3 && started.elapsed() > PATIENCE {
            break;
        }
        let alone = seconds(|| parse(&files, *language));
        let mined = work.run(1);
        against.add(mined.computed / alone);
        parsed.add(mined.n_texts as f64 / files.len() as f64);
        again.add(mined.n_again as f64 / files.len() as f64);
        two.add(work.run(2).clock / mined.clock);
        let steps = steps(&work, mined.computed);
        for (figure, share) in shares.iter_mut().zip(steps) {
            figure.add(share);
        }
        if large.targets.len() < work.targets.len() {
            two_large.add(large.run(2).clock / large.run(1).clock);
        }
    }
    against.print();
    parsed.print();
    again.print();
    two.print();
    if large.targets.len() < work.targets.len() {
        two_large.print();
    }
    shares.into_iter().for_each(Figure::print);
}

fn target(root: &Path) -> Target {
    Target {
        root: root.to_owned(),
        ..Target::default()
    }
}

/// What is mined, and where it is written.
#[derive(Clone)]
struct Work<'w> {
    targets: Vec<Target>,
    language: Language,
    folder: &'w Path,
}

/// What mining took.
struct Mined {
    /// Of one thread; of several, of one of them.
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
        let options = Options {
            languages: Languages::One(self.language),
            ..Options::default()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        let pool = pool.build().expect("threads can be started");
        // Inside, so that with one thread the thread that mines is the one that is asked.
        pool.install(|| {
            let before = parses::on_this_thread();
            let mut computed = 0.0;
            let clock = elapsed(|| {
                computed = seconds(|| {
                    let mut store =
                        Store::open(self.folder, Access::Create).expect("a workspace can be made");
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

/// What mining consists of, in order. Of what a repository does last, the index of its declarations is partly made by one
/// thread alone, and writing altogether, while the next repository is read, parsed and resolved.
const STEPS: [&str; 5] = [
    "  reading from disk",
    "  parsing and facts",
    "  index of declarations",
    "  resolving and deciding",
    "  writing, settling, freeing",
];

/// Returns each step's share of mining on one thread; the last is what is left.
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
            let known = Known {
                outside: &Outside::default(),
                traces: None,
            };
            let options = Options::default();
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
    sums.map(|it| it / whole)
}

fn facts(files: &[SourceFile], language: Language, outside: &Outside) -> Vec<lang::Facts> {
    let each = files.iter().map(|file| {
        let source = Source {
            path: &file.path,
            text: &file.text,
        };
        lang::facts(language, source, outside).facts
    });
    each.collect()
}
