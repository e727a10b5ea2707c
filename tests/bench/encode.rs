//! Whether the encoding keeps its law on real sources, and what it costs.
//!
//! ```text
//! cargo bench --bench encode -- FOLDER…        every Java file below, and every method and constructor in them
//! ```
//!
//! The law: a piece that parses comes back with the same tokens. Counted are the pieces that parse, those that came back,
//! and nodes that are written in full because their form does not fit. The ratios are to parsing the same files from
//! memory with one reused parser and nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use focalist::encode::{Decoder, EncodeError, Encoder, FULL, Sequence, Unit};
use focalist::lang::cut::Cutter;
use focalist::lang::syntax::{Parser, Tree};
use focalist::model::Language;

#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "all of them are counts")]
struct Count {
    n_pieces: u64,
    n_unread: u64,
    n_kept: u64,
    n_broken: u64,
    n_tokens: u64,
    n_full: u64,
    n_code_tokens: u64,
}

#[expect(clippy::print_stdout, reason = "a tool of developers says what it did")]
fn main() -> ExitCode {
    let folders: Vec<PathBuf> = env::args_os()
        .skip(1)
        .filter(|it| it != "--bench")
        .map(PathBuf::from)
        .collect();
    let mut texts = Vec::new();
    for folder in &folders {
        collect(folder, &mut texts);
    }
    let n_bytes: usize = texts.iter().map(|it| it.1.len()).sum();
    println!("{} files, {:.1} MB", texts.len(), n_bytes as f64 / 1e6);
    let mut files = Count::default();
    let mut methods = Count::default();
    let mut parser = Parser::new();
    let mut tree = Tree::new();
    for (path, text) in &texts {
        check(path, text, Unit::File, &mut files);
        parser.parse(Language::Java, text, &mut tree);
        for node in &tree.nodes {
            let name = tree.grammar.kind_name(node.kind);
            if matches!(name, "method_declaration" | "constructor_declaration") {
                check(path, node.span.of(text), Unit::Members, &mut methods);
            }
        }
    }
    tell("whole files", &files);
    tell("methods and constructors", &methods);
    cost(&texts);
    if files.n_broken + methods.n_broken > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn collect(folder: &Path, texts: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|it| it == "java")
            && let Ok(text) = fs::read_to_string(&path)
        {
            texts.push((path, text));
        }
    }
}

#[expect(clippy::print_stdout, reason = "a tool of developers says what it did")]
fn check(path: &Path, text: &str, unit: Unit, count: &mut Count) {
    let mut encoder = Encoder::new();
    let mut decoder = Decoder::new();
    let mut cutter = Cutter::new(Language::Java);
    let mut sequence = Sequence::new();
    count.n_pieces += 1;
    match encoder.encode(text, unit, &mut sequence) {
        Ok(()) => {}
        Err(EncodeError::Unread(unread)) => {
            println!("{}: {}", path.display(), unread.detail);
            count.n_unread += 1;
            return;
        }
        Err(error) => {
            println!("{}: {error}", path.display());
            count.n_broken += 1;
            return;
        }
    }
    count.n_tokens += sequence.len() as u64;
    count.n_full += sequence.iter().filter(|it| *it == FULL).count() as u64;
    let before: Vec<String> = cutter.tokens(text).iter().map(str::to_owned).collect();
    count.n_code_tokens += before.len() as u64;
    match decoder.decode(sequence.iter()) {
        Ok((code, _))
            if cutter
                .tokens(code)
                .iter()
                .eq(before.iter().map(String::as_str)) =>
        {
            count.n_kept += 1;
        }
        Ok((code, _)) => {
            count.n_broken += 1;
            println!("{}: other tokens\n{text}\n{code}", path.display());
        }
        Err(error) => {
            count.n_broken += 1;
            println!("{}: {error}", path.display());
        }
    }
}

#[expect(clippy::print_stdout, reason = "a tool of developers says what it did")]
fn tell(what: &str, count: &Count) {
    println!(
        "{what}: {} pieces, {} do not parse, {} came back with the same tokens, {} did not; {:.2} tokens a token of code, \
         {} nodes in full",
        count.n_pieces,
        count.n_unread,
        count.n_kept,
        count.n_broken,
        count.n_tokens as f64 / count.n_code_tokens.max(1) as f64,
        count.n_full
    );
}

/// The best of three.
fn time(mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(once(&mut work));
    }
    best
}

#[expect(clippy::print_stdout, reason = "a tool of developers says what it did")]
fn cost(texts: &[(PathBuf, String)]) {
    let mut parser = Parser::new();
    let mut tree = Tree::new();
    let parsing = time(|| {
        for (_, text) in texts {
            parser.parse(Language::Java, text, &mut tree);
        }
    });
    let mut encoder = Encoder::new();
    let mut sequence = Sequence::new();
    let encoding = time(|| {
        for (_, text) in texts {
            sequence.clear();
            // What does not parse was told.
            let _ = encoder.encode(text, Unit::File, &mut sequence);
        }
    });
    let sequences: Vec<Sequence> = texts
        .iter()
        .filter_map(|(_, text)| {
            let mut sequence = Sequence::new();
            let encoded = encoder.encode(text, Unit::File, &mut sequence);
            encoded.is_ok().then_some(sequence)
        })
        .collect();
    let mut decoder = Decoder::new();
    let decoding = time(|| {
        for sequence in &sequences {
            // What does not come back was told.
            let _ = decoder.decode(sequence.iter());
        }
    });
    let ratio = |it: Duration| it.as_secs_f64() / parsing.as_secs_f64();
    println!(
        "parsing {parsing:.2?}, encoding {:.2} times that, decoding with its proof {:.2} times",
        ratio(encoding),
        ratio(decoding)
    );
}
