//! Mining against bare parsing, as ratios within one run (machines are noisy).
//!
//! ```text
//! cargo bench --bench mining                                     # the sample data, many times over
//! FOCALIST_BENCH=path/to/repos cargo bench --bench mining        # every repository in a folder
//! FOCALIST_LANGUAGE=go FOCALIST_BENCH=… cargo bench --bench mining # those in another language than Java
//! ```
//!
//! The baseline parses the same texts from memory with one reused tree-sitter parser and does nothing else. Mining is
//! the whole pipeline: reading from disk, facts, index, resolution, matching, and writing a fresh workspace.

#[path = "frame/clock.rs"]
mod clock;
#[path = "frame/console.rs"]
mod console;
#[path = "frame/ratios.rs"]
mod ratios;

use std::path::{Path, PathBuf};
use std::{env, fs};

use focalist::mine::{self, Languages, Options, Target, sources};
use focalist::model::Language;
use focalist::store::{Access, Store};
use focalist::task::Monitor;

use clock::elapsed;
use console::{arguments, print};
use ratios::Ratios;

const ROUNDS: usize = 5;
/// The sample data is small: each of its repositories is mined under so many names.
const COPIES: usize = 40;

/// The yardstick.
const PARSING: &str = "parsing alone, one thread";

fn main() {
    if arguments().is_none() {
        return;
    }
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
    let word = env::var("FOCALIST_LANGUAGE").unwrap_or_else(|_| "java".to_owned());
    let language = Language::parse(&word).expect("FOCALIST_LANGUAGE is a language");
    let files = files(&roots, language);
    let n_bytes: usize = files.iter().map(|it| it.text.len()).sum();
    print(&format!(
        "{} repositories, {} files, {:.1} MB of {word}",
        roots.len(),
        files.len(),
        n_bytes as f64 / 1e6
    ));
    let mut ratios = Ratios::default();
    for _ in 0..ROUNDS {
        let parse = elapsed(|| parse(&files, language));
        let work = (targets.as_slice(), language);
        let one = mine_all(work, 1, scratch.path());
        let two = mine_all(work, 2, scratch.path());
        let again = again(work, scratch.path());
        ratios.add(PARSING, parse, parse);
        ratios.add("mining, one thread", one, parse);
        ratios.add("mining, two threads", two, one);
        ratios.add("mining again, nothing changed", again, two);
    }
    let of = ["MB/s", "× parsing", "× one thread", "× the first time"];
    for ((name, seconds, ratio), of) in ratios.medians().zip(of) {
        let figure = if name == PARSING {
            n_bytes as f64 / 1e6 / seconds
        } else {
            ratio
        };
        print(&format!("{name:<32} {seconds:8.3} s   {figure:.2} {of}"));
    }
}

fn parse(files: &[sources::SourceFile], language: Language) {
    let mut parsers = [false, true].map(|is_typed| {
        let mut parser = tree_sitter::Parser::new();
        let grammar = grammar(language, is_typed);
        parser
            .set_language(&grammar)
            .expect("the grammar fits the library");
        parser
    });
    for file in files {
        let is_typed = file
            .path
            .rsplit('.')
            .next()
            .is_some_and(|it| it.contains("ts"));
        std::hint::black_box(parsers[usize::from(is_typed)].parse(&file.text, None));
    }
}

/// Returns a language's grammar; JavaScript with types has one of its own.
fn grammar(language: Language, is_typed: bool) -> tree_sitter::Language {
    match language {
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::JavaScript if is_typed => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
    }
}

fn mine_all(work: (&[Target], Language), n_threads: usize, scratch: &Path) -> f64 {
    let folder = scratch.join(".focalist");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the last round's workspace can be removed");
    }
    run(work, n_threads, &folder)
}

fn again(work: (&[Target], Language), scratch: &Path) -> f64 {
    run(work, 2, &scratch.join(".focalist"))
}

fn run((targets, language): (&[Target], Language), n_threads: usize, folder: &Path) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads can be started");
    let options = Options {
        languages: Languages::One(language),
        ..Options::default()
    };
    elapsed(|| {
        let mut store = Store::open(folder, Access::Create).expect("a workspace can be made");
        let mined = pool.install(|| mine::mine(&mut store, &Monitor::default(), &options, targets));
        mined.expect("mining works")
    })
}

fn files(roots: &[PathBuf], language: Language) -> Vec<sources::SourceFile> {
    let options = sources::SourceOptions {
        language,
        ..sources::SourceOptions::default()
    };
    let read = |root: &PathBuf| {
        let tree = sources::read_repo(root, &options, &Monitor::default());
        tree.expect("the repository can be read").files
    };
    roots.iter().flat_map(read).collect()
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
