//! Whether the encoding's law holds on real sources, and the cost of encoding.
//!
//! ```text
//! cargo bench --bench encode -- FOLDER…        every Java file below, and every method and constructor in them
//! ```
//!
//! The law: a piece that parses is decoded to the same tokens. The bench counts the pieces that parse, those that are
//! decoded correctly, and the nodes that are written in full because their form does not fit. The ratios compare with
//! parsing the same files from memory with one reused parser and nothing else.

#[path = "frame/computed.rs"]
mod computed;
#[path = "frame/console.rs"]
mod console;
#[path = "frame/ratios.rs"]
mod ratios;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use focalist::encode::{Decoder, EncodeError, Encoder, FULL, PieceUnit, Sequence};
use focalist::model::Language;
use focalist::syntax::cut::Cutter;
use focalist::syntax::tree::{Parser, Tree};

use computed::seconds;
use console::{arguments, print};
use ratios::Ratios;

const ROUNDS: usize = 3;

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

fn main() -> ExitCode {
    let Some(folders) = arguments() else {
        return ExitCode::SUCCESS;
    };
    let mut texts = Vec::new();
    for folder in &folders {
        collect(Path::new(folder), &mut texts);
    }
    let n_bytes: usize = texts.iter().map(|text| text.1.len()).sum();
    print(&format!(
        "{} files, {:.1} MB",
        texts.len(),
        n_bytes as f64 / 1e6
    ));
    let mut files = Count::default();
    let mut methods = Count::default();
    let mut parser = Parser::new();
    let mut tree = Tree::new();
    for (path, text) in &texts {
        check(path, text, PieceUnit::File, &mut files);
        parser.parse(Language::Java, text, &mut tree);
        for node in &tree.nodes {
            let name = tree.grammar.kind_name(node.kind);
            if matches!(name, "method_declaration" | "constructor_declaration") {
                check(path, node.span.of(text), PieceUnit::Members, &mut methods);
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
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "java")
            && let Ok(text) = fs::read_to_string(&path)
        {
            texts.push((path, text));
        }
    }
}

fn check(path: &Path, text: &str, unit: PieceUnit, count: &mut Count) {
    let mut encoder = Encoder::new();
    let mut decoder = Decoder::new();
    let mut cutter = Cutter::new(Language::Java);
    let mut sequence = Sequence::new();
    count.n_pieces += 1;
    match encoder.encode(text, unit, &mut sequence) {
        Ok(()) => {}
        Err(EncodeError::Unread(unread)) => {
            print(&format!("{}: {}", path.display(), unread.detail));
            count.n_unread += 1;
            return;
        }
        Err(error) => {
            print(&format!("{}: {error}", path.display()));
            count.n_broken += 1;
            return;
        }
    }
    count.n_tokens += sequence.len() as u64;
    count.n_full += sequence.iter().filter(|sequence| *sequence == FULL).count() as u64;
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
            print(&format!("{}: other tokens\n{text}\n{code}", path.display()));
        }
        Err(error) => {
            count.n_broken += 1;
            print(&format!("{}: {error}", path.display()));
        }
    }
}

fn tell(what: &str, count: &Count) {
    print(&format!(
        "{what}: {} pieces, {} do not parse, {} came back with the same tokens, {} did not; {:.2} tokens a token of code, \
         {} nodes in full",
        count.n_pieces,
        count.n_unread,
        count.n_kept,
        count.n_broken,
        count.n_tokens as f64 / count.n_code_tokens.max(1) as f64,
        count.n_full
    ));
}

fn cost(texts: &[(PathBuf, String)]) {
    let mut encoder = Encoder::new();
    let sequences: Vec<Sequence> = texts
        .iter()
        .filter_map(|(_, text)| {
            let mut sequence = Sequence::new();
            let encoded = encoder.encode(text, PieceUnit::File, &mut sequence);
            encoded.is_ok().then_some(sequence)
        })
        .collect();
    let (mut parser, mut tree) = (Parser::new(), Tree::new());
    let (mut sequence, mut decoder) = (Sequence::new(), Decoder::new());
    let mut ratios = Ratios::default();
    for _ in 0..ROUNDS {
        let parsing = seconds(|| {
            for (_, text) in texts {
                parser.parse(Language::Java, text, &mut tree);
            }
        });
        let encoding = seconds(|| {
            for (_, text) in texts {
                sequence.clear();
                // A piece that does not parse has been reported.
                let _ = encoder.encode(text, PieceUnit::File, &mut sequence);
            }
        });
        let decoding = seconds(|| {
            for sequence in &sequences {
                // A piece that is not decoded correctly has been reported.
                let _ = decoder.decode(sequence.iter());
            }
        });
        ratios.add("parsing", parsing, parsing);
        ratios.add("encoding", encoding, parsing);
        ratios.add("decoding with its proof", decoding, parsing);
    }
    for (name, seconds, ratio) in ratios.medians() {
        print(&format!(
            "{name:<24} {seconds:8.3} s   {ratio:.2} × parsing"
        ));
    }
}
