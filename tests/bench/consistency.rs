//! Measures the cost of `mutate` and `consistency`, as ratios in one execution (the budgets of the design).
//!
//! ```text
//! cargo bench --bench consistency -- FOLDER [PYTHON]
//! ```
//!
//! `FOLDER` holds sources; all their functions are mutated on one thread, and the variants parsed once. `PYTHON` is an
//! interpreter with `fuzzywuzzy` and `python-Levenshtein`: it fills the matrices of the paper's listing for the same
//! completions, counts outliers and repairs, while focalist does the same on one thread; both results must be equal.

#[path = "frame/console.rs"]
mod console;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use focalist::consistency::outliers::{DistanceRule, SimilarityMatrix};
use focalist::consistency::read::{Text, texts};
use focalist::metric::edit::Scratch;
use focalist::mutate::{MutationOptions, MutationSource, Mutator};
use focalist::syntax::tree::{Parser, Tree};

use console::{arguments, print};

/// The minimum number of functions for a meaningful result.
const N_FUNCTIONS_MIN: usize = 2_000;

const N_SEEDS: usize = 3_000;
const N_COMPLETIONS: usize = 10;
const N_CHARS: usize = 600;

/// The original's arithmetic: `fuzz.ratio` for j ≥ i, the median of the matrix, counts, and the completion nearest to
/// the mean.
const ORIGINAL: &str = r"
import sys, json, time, statistics
from fuzzywuzzy import fuzz
sets = json.load(sys.stdin)
start = time.perf_counter()
found = []
for texts in sets:
    k = len(texts)
    matrix = [[0] * k for _ in range(k)]
    for i in range(k):
        for j in range(i, k):
            matrix[i][j] = matrix[j][i] = fuzz.ratio(texts[i], texts[j])
    median = statistics.median([matrix[i][j] for i in range(k) for j in range(i + 1, k)])
    rest = [i for i in range(k) if sum(matrix[i][j] < median for j in range(k) if j != i) < 9]
    best = None
    if len(rest) > 1:
        sums = [sum(100 - matrix[i][j] for j in rest if j != i) for i in rest]
        total = sum(sums)
        best = min(range(len(rest)), key=lambda at: (abs(sums[at] * len(rest) - total), at))
        best = rest[best]
    found.append(best)
print(time.perf_counter() - start)
print(json.dumps(found))
";

fn sources(folder: &str) -> Vec<(Text, String)> {
    let mut problems = Vec::new();
    let found = texts(&[PathBuf::from(folder)], None, &mut problems).unwrap_or_default();
    let texts = found.list.into_iter().filter_map(|text| {
        let source = text.source.text(&text.path).ok()?;
        Some((text, source))
    });
    texts.collect()
}

/// Measures the time of mutating and of parsing the variants, and counts functions and variants.
fn mutating(all: &[(Text, String)]) -> (Duration, Duration, usize, Vec<String>) {
    let options = MutationOptions {
        tokens_min: 1,
        ..MutationOptions::default()
    };
    let mut mutator = Mutator::new();
    let mut variants = Vec::new();
    let mut n_functions = 0;
    let start = Instant::now();
    for (of, text) in all {
        let source = MutationSource {
            language: of.language,
            path: &of.path,
            text,
        };
        let outcome = mutator.mutate(source, &options);
        n_functions += outcome.functions.len();
        for function in outcome.functions {
            variants.extend(
                function
                    .variants
                    .into_iter()
                    .map(|variant| (of, variant.source)),
            );
        }
    }
    let mutated = start.elapsed();
    let mut parser = Parser::default();
    let mut tree = Tree::default();
    let start = Instant::now();
    for (of, text) in &variants {
        parser.parse_file(of.language, &of.path, text, &mut tree);
    }
    let parsed = start.elapsed();
    let texts = variants.into_iter().map(|variant| variant.1).collect();
    (mutated, parsed, n_functions, texts)
}

/// Builds completions of the same length, ten per function, from pieces of real variants.
fn completions(texts: &[String]) -> Vec<Vec<String>> {
    let long: String = texts.iter().flat_map(|text| text.chars()).collect();
    let chars: Vec<char> = long.chars().collect();
    let n = chars.len().saturating_sub(2 * N_CHARS).max(1);
    let set = |seed: usize| {
        let start = seed * 7_919 % n;
        let one = |idx: usize| {
            // Each lacks a piece of the first, and one is unrelated.
            let at = if idx == 9 { (start + n / 2) % n } else { start };
            let gap = 40 * idx;
            let head = chars.iter().skip(at).take(gap);
            let tail = chars.iter().skip(at + gap + 7 * idx).take(N_CHARS - gap);
            head.chain(tail).collect()
        };
        (0..N_COMPLETIONS).map(one).collect()
    };
    (0..N_SEEDS).map(set).collect()
}

fn judged(sets: &[Vec<String>]) -> (Duration, Vec<Option<usize>>) {
    let mut scratch = Scratch::default();
    let start = Instant::now();
    let found = sets.iter().map(|set| {
        let texts: Vec<&str> = set.iter().map(String::as_str).collect();
        let matrix = SimilarityMatrix::new(&texts, &mut scratch);
        matrix.repaired(&matrix.outliers(DistanceRule::Algorithm, 9))
    });
    let found = found.collect();
    (start.elapsed(), found)
}

fn original(python: &str, sets: &[Vec<String>]) -> Result<(f64, String), String> {
    let said = |error: std::io::Error| error.to_string();
    let mut child = Command::new(python)
        .args(["-c", ORIGINAL])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(said)?;
    let input = serde_json::to_vec(sets).map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&input).map_err(said)?;
    }
    let output = child.wait_with_output().map_err(said)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (seconds, found) = text.split_once('\n').ok_or("the original says nothing")?;
    let seconds = seconds.parse().map_err(|_| "the original says no time")?;
    Ok((seconds, found.trim().to_owned()))
}

fn main() -> ExitCode {
    let arguments = arguments().unwrap_or_default();
    let [folder, python @ ..] = arguments.as_slice() else {
        print("cargo bench --bench consistency -- FOLDER [PYTHON]");
        return ExitCode::SUCCESS;
    };
    let all = sources(folder);
    let (mutated, parsed, n_functions, texts) = mutating(&all);
    print(&format!(
        "{} variants of {n_functions} functions in {mutated:.2?}; parsing them once {parsed:.2?}: ratio {:.2} (at most 3)",
        texts.len(),
        mutated.as_secs_f64() / parsed.as_secs_f64()
    ));
    if n_functions < N_FUNCTIONS_MIN {
        print(&format!(
            "fewer than {N_FUNCTIONS_MIN} functions say little"
        ));
    }
    let sets = completions(&texts);
    let (ours, found) = judged(&sets);
    print(&format!(
        "{N_SEEDS} functions × {N_COMPLETIONS} completions of {N_CHARS} characters: {ours:.2?}"
    ));
    let Some(python) = python.first() else {
        return ExitCode::SUCCESS;
    };
    let mut mine = String::from("[");
    for (idx, n) in found.iter().enumerate() {
        let comma = if idx == 0 { "" } else { ", " };
        let number = n.map_or_else(|| "null".to_owned(), |n| n.to_string());
        // A string accepts all output.
        let _ = write!(mine, "{comma}{number}");
    }
    mine.push(']');
    match original(python, &sets) {
        Ok((seconds, theirs)) => {
            print(&format!(
                "the original: {seconds:.2} s, {:.1} times as long (at least 20); the same is taken: {}",
                seconds / ours.as_secs_f64(),
                mine == theirs
            ));
            ExitCode::SUCCESS
        }
        Err(text) => {
            print(&format!("the original cannot be run: {text}"));
            ExitCode::FAILURE
        }
    }
}
