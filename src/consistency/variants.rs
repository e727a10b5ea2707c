//! The verb `mutate`: variants of all functions of some texts, in order.
//!
//! Decides the names of functions, and which function of a file is kept where only one is wanted. Lines that name the
//! same file are parts of it. Texts are mutated on all threads, some at a time, and handed over in order: one thread or
//! sixteen give the same lines.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ConsistencyError;
use crate::model::{Problem, Reason};
use crate::mutate::{MutatedFunction, MutationOptions, MutationSource, Mutator};
use crate::read::Text;
use crate::task::{Monitor, Phase};

/// Texts that are in memory at a time: enough to share among threads, few enough for any run.
const TEXTS_AT_ONCE: usize = 256;

thread_local! {
    static MUTATOR: RefCell<Mutator> = RefCell::new(Mutator::new());
}

/// The counts of what was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariantReport {
    pub n_texts: u64,
    pub n_functions: u64,
    /// Functions with too few or too many tokens.
    pub n_skipped: u64,
    /// Functions to which no pass applies.
    pub n_without: u64,
    pub n_variants: u64,
    /// Variants that were made and did not parse.
    pub n_refused: u64,
    pub problems: Vec<Problem>,
}

/// A function with its name and its variants.
#[derive(Clone, Copy, Debug)]
pub struct SeedVariants<'m> {
    pub id: &'m str,
    pub text: &'m Text,
    pub mutated: &'m MutatedFunction,
}

/// Mutates texts and hands every function to `each`, in the order of the texts and of their functions.
///
/// # Errors
/// When it was cancelled, and those of `each`.
pub fn variants<E: From<ConsistencyError>>(
    texts: &[Text],
    monitor: &Monitor,
    options: &MutationOptions,
    is_one_per_file: bool,
    mut each: impl FnMut(SeedVariants<'_>) -> Result<(), E>,
) -> Result<VariantReport, E> {
    let mut report = VariantReport::default();
    monitor
        .n_files_total
        .fetch_add(texts.len() as u64, Ordering::Relaxed);
    monitor.enter(Phase::Parsing);
    let files = if is_one_per_file {
        by_file(texts)
    } else {
        (0..texts.len()).map(|idx| vec![idx]).collect()
    };
    for chunk in files.chunks(TEXTS_AT_ONCE) {
        monitor.step().map_err(ConsistencyError::from)?;
        let made: Vec<Result<Vec<MutatedFunction>, Problem>> = chunk
            .concat()
            .par_iter()
            .map(|idx| mutate_requested(&texts[*idx], options))
            .collect();
        let mut made = made.into_iter();
        for file in chunk {
            let mut functions = Vec::new();
            for (text, made) in file.iter().map(|idx| &texts[*idx]).zip(made.by_ref()) {
                report.n_texts += 1;
                match made {
                    Ok(found) => functions.extend(named(text, found)),
                    Err(problem) => report.problems.push(problem),
                }
            }
            if is_one_per_file {
                functions = one_of(functions, options.seed).into_iter().collect();
            }
            for function in &functions {
                report.count(&function.mutated);
                each(SeedVariants {
                    id: &function.id,
                    text: function.text,
                    mutated: &function.mutated,
                })?;
            }
            monitor
                .n_files
                .fetch_add(file.len() as u64, Ordering::Relaxed);
        }
    }
    Ok(report)
}

impl VariantReport {
    fn count(&mut self, mutated: &MutatedFunction) {
        self.n_functions += 1;
        self.n_variants += mutated.variants.len() as u64;
        self.n_refused += mutated.refused.len() as u64;
        if mutated.skipped.is_some() {
            self.n_skipped += 1;
        } else if mutated.variants.is_empty() {
            self.n_without += 1;
        }
    }
}

/// Groups the texts by file, in the order in which files are first named; a text without a path is alone.
fn by_file(texts: &[Text]) -> Vec<Vec<usize>> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut files: Vec<Vec<usize>> = Vec::new();
    for (idx, text) in texts.iter().enumerate() {
        let next = files.len();
        let place = if text.has_path {
            *places.entry(&text.path).or_insert(next)
        } else {
            next
        };
        if place == next {
            files.push(Vec::new());
        }
        files[place].push(idx);
    }
    files
}

/// A function of a text with its name.
struct NamedFunction<'t> {
    id: String,
    text: &'t Text,
    mutated: MutatedFunction,
}

/// Names the functions of a text.
fn named(text: &Text, functions: Vec<MutatedFunction>) -> impl Iterator<Item = NamedFunction<'_>> {
    let is_alone = functions.len() == 1;
    let functions = functions.into_iter().enumerate();
    functions.map(move |(idx, mutated)| NamedFunction {
        id: id_of(text, &mutated, (idx, is_alone)),
        text,
        mutated,
    })
}

/// Mutates the functions of a text that are asked for.
fn mutate_requested(
    text: &Text,
    options: &MutationOptions,
) -> Result<Vec<MutatedFunction>, Problem> {
    let mut functions = mutated(text, options)?;
    functions.retain(|function| is_asked(text, function));
    Ok(functions)
}

fn is_asked(text: &Text, mutated: &MutatedFunction) -> bool {
    let seed = &mutated.seed;
    text.lines.as_ref().is_none_or(|lines| {
        let mut lines = lines.iter();
        lines.any(|line| (seed.start_line..=seed.end_line).contains(line))
    })
}

fn mutated(text: &Text, options: &MutationOptions) -> Result<Vec<MutatedFunction>, Problem> {
    let source = text.source.text(&text.path)?;
    let outcome = MUTATOR.with_borrow_mut(|mutator| {
        mutator.mutate(
            MutationSource {
                language: text.language,
                path: &text.path,
                text: &source,
            },
            options,
        )
    });
    match outcome.fault {
        Some(at) => Err(Problem {
            path: text.path.clone(),
            line: Some(at.line),
            reason: Reason::Syntax,
            detail: match &text.id {
                Some(id) => format!("`{id}` does not parse at column {}", at.column),
                None => format!("does not parse at column {}", at.column),
            },
        }),
        None => Ok(outcome.functions),
    }
}

/// Chooses the function of a file that is kept, by a hash of the seed and the texts, among those that were not skipped.
fn one_of(mut functions: Vec<NamedFunction<'_>>, seed: u64) -> Option<NamedFunction<'_>> {
    functions.retain(|function| function.mutated.skipped.is_none());
    if functions.is_empty() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for function in &functions {
        hasher.update(function.mutated.seed.source.as_bytes());
    }
    let hash = hasher.finalize();
    let first = hash.as_bytes().first_chunk::<8>();
    let number = u64::from_le_bytes(*first.expect("a hash has 32 bytes"));
    let idx = (number % functions.len() as u64) as usize;
    Some(functions.swap_remove(idx))
}

/// Makes a seed's name: the line's own, with a number where it holds several functions; else a hash of path, place and
/// text.
fn id_of(text: &Text, mutated: &MutatedFunction, (idx, is_alone): (usize, bool)) -> String {
    match &text.id {
        Some(id) if is_alone => id.clone(),
        Some(id) => format!("{id}#{}", idx + 1),
        None => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(text.path.as_bytes());
            hasher.update(&[0]);
            hasher.update(&mutated.seed.start_line.to_le_bytes());
            hasher.update(mutated.seed.source.as_bytes());
            hasher.finalize().to_hex()[..16].to_owned()
        }
    }
}
