//! Repositories to mine, and the yardstick of mining: one reused parser that parses their files and does nothing else.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use focalist::mine::sources::{self, SourceFile, SourceOptions};
use focalist::model::Language;
use focalist::task::Monitor;

/// Lists the repositories of the folder in `FOCALIST_BENCH`; without it the sample data, copied `n_copies` times under
/// other names in `scratch`, because it is small.
pub fn roots(scratch: &Path, samples: &[&str], n_copies: usize) -> Vec<PathBuf> {
    if let Some(folder) = env::var_os("FOCALIST_BENCH") {
        return repositories_in(Path::new(&folder));
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data");
    let mut roots = Vec::new();
    for source in samples
        .iter()
        .flat_map(|name| repositories_in(&data.join(name)))
    {
        for n in 0..n_copies {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            let root = scratch.join("repos").join(format!("{name}-{n}"));
            copy(&source, &root);
            roots.push(root);
        }
    }
    roots
}

fn repositories_in(folder: &Path) -> Vec<PathBuf> {
    sources::repositories_in(folder).expect("the folder can be read")
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

/// Lists the files of a language that mining reads.
pub fn files(roots: &[PathBuf], language: Language) -> Vec<SourceFile> {
    let options = SourceOptions {
        language,
        ..SourceOptions::default()
    };
    let read = |root: &PathBuf| {
        let tree = sources::read_repo(root, &options, &Monitor::default());
        tree.expect("the repository can be read").files
    };
    roots.iter().flat_map(read).collect()
}

/// Counts the bytes of the files.
pub fn n_bytes(files: &[SourceFile]) -> usize {
    files.iter().map(|file| file.text.len()).sum()
}

/// Parses each file once, unchanged.
pub fn parse(files: &[SourceFile], language: Language) {
    let mut parsers = [false, true].map(|is_typed| {
        let mut parser = tree_sitter::Parser::new();
        let set = parser.set_language(&grammar(language, is_typed));
        set.expect("the grammar fits the library");
        parser
    });
    for file in files {
        let extension = file.path.rsplit('.').next();
        let is_typed = extension.is_some_and(|extension| extension.contains("ts"));
        black_box(parsers[usize::from(is_typed)].parse(&file.text, None));
    }
}

/// Loads a language's grammar; TypeScript has a separate one.
pub fn grammar(language: Language, is_typed: bool) -> tree_sitter::Language {
    match language {
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::JavaScript if is_typed => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
    }
}
