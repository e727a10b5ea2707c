//! Mining against bare parsing, as ratios within one run (machines are noisy).
//!
//! ```text
//! cargo bench --bench mining                                     # the sample data, many times over
//! FOCALIST_BENCH=path/to/repos cargo bench --bench mining        # every repository in a folder
//! ```
//!
//! The baseline parses the same texts from memory with one reused tree-sitter parser and does nothing else. Mining is
//! the whole pipeline: reading from disk, facts, index, resolution, matching, and writing a fresh workspace.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use focalist::mine::{self, Options, Target, sources};
use focalist::store::{Access, Store};
use focalist::task::Monitor;

const ROUNDS: usize = 5;
/// The sample data is small: each of its repositories is mined under so many names.
const COPIES: usize = 40;

fn main() {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let roots = match env::var_os("FOCALIST_BENCH") {
        Some(folder) => {
            sources::repositories_in(Path::new(&folder)).expect("the folder can be read")
        }
        None => copies(scratch.path()),
    };
    let targets: Vec<Target> = roots
        .iter()
        .map(|root| Target {
            root: root.clone(),
            ..Target::default()
        })
        .collect();
    let texts = texts(&roots);
    let n_bytes: usize = texts.iter().map(String::len).sum();
    print(&format!(
        "{} repositories, {} files, {:.1} MB of Java",
        roots.len(),
        texts.len(),
        n_bytes as f64 / 1e6
    ));
    let mut rounds = Rounds::default();
    for _ in 0..ROUNDS {
        rounds.parse.push(parse(&texts));
        rounds.one.push(mine_all(&targets, 1, scratch.path()));
        rounds.two.push(mine_all(&targets, 2, scratch.path()));
        rounds.again.push(again(&targets, scratch.path()));
    }
    rounds.report(n_bytes);
}

#[derive(Default)]
struct Rounds {
    parse: Vec<Duration>,
    one: Vec<Duration>,
    two: Vec<Duration>,
    again: Vec<Duration>,
}

impl Rounds {
    fn report(&self, n_bytes: usize) {
        let parse = median(&self.parse);
        print(&format!(
            "parsing alone, one thread        {:8.3} s   {:.1} MB/s",
            parse.as_secs_f64(),
            n_bytes as f64 / 1e6 / parse.as_secs_f64()
        ));
        for (name, times, base, of) in [
            ("mining, one thread", &self.one, &self.parse, "parsing"),
            ("mining, two threads", &self.two, &self.one, "one thread"),
            (
                "mining again, nothing changed",
                &self.again,
                &self.two,
                "the first time",
            ),
        ] {
            let ratios: Vec<f64> = times
                .iter()
                .zip(base)
                .map(|(a, b)| a.as_secs_f64() / b.as_secs_f64())
                .collect();
            print(&format!(
                "{name:<32} {:8.3} s   {:.2} × {of}",
                median(times).as_secs_f64(),
                middle(ratios)
            ));
        }
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

fn middle(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn parse(texts: &[String]) -> Duration {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_java::LANGUAGE.into())
        .expect("the grammar fits the library");
    let started = Instant::now();
    for text in texts {
        std::hint::black_box(parser.parse(text, None));
    }
    started.elapsed()
}

fn mine_all(targets: &[Target], n_threads: usize, scratch: &Path) -> Duration {
    let folder = scratch.join(".focalist");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last round's workspace can be removed");
    }
    run(targets, n_threads, &folder)
}

fn again(targets: &[Target], scratch: &Path) -> Duration {
    run(targets, 2, &scratch.join(".focalist"))
}

fn run(targets: &[Target], n_threads: usize, folder: &Path) -> Duration {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads can be started");
    let started = Instant::now();
    let mut store = Store::open(folder, Access::Create).expect("a workspace can be made");
    pool.install(|| {
        mine::mine(
            &mut store,
            &Monitor::default(),
            &Options::default(),
            targets,
        )
    })
    .expect("mining works");
    started.elapsed()
}

fn texts(roots: &[PathBuf]) -> Vec<String> {
    roots
        .iter()
        .flat_map(|root| {
            sources::read_repo(
                root,
                &sources::SourceOptions::default(),
                &Monitor::default(),
            )
            .expect("the repository can be read")
            .files
        })
        .map(|file| file.text)
        .collect()
}

fn copies(scratch: &Path) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/repos");
    let mut roots = Vec::new();
    for source in sources::repositories_in(&data).expect("the sample data is there") {
        for n in 0..COPIES {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            let root = scratch.join("repos").join(format!("{name}-{n}"));
            copy(&source, &root);
            roots.push(root);
        }
    }
    roots
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}

fn print(line: &str) {
    use std::io::Write;
    // A closed pipe ends the report, not the measuring.
    let _closed = writeln!(std::io::stdout(), "{line}");
}
