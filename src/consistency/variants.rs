//! The verb `mutate`: variants of all functions of some texts, in order.
//!
//! Decides the names of seeds and which function of a file is kept where only one is wanted. Texts are mutated on all
//! threads, some at a time, and handed over in order: one thread or sixteen give the same lines.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::Error;
use crate::model::{Problem, Reason};
use crate::mutate::{Mutated, Mutator, Options, Source};
use crate::read::Text;
use crate::task::{Monitor, Phase};

/// How many texts are in memory at a time.
const TEXTS_AT_ONCE: usize = 256;

thread_local! {
    static MUTATOR: RefCell<Mutator> = RefCell::new(Mutator::new());
}

/// What was made, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub n_texts: u64,
    pub n_functions: u64,
    /// With too few or too many tokens.
    pub n_skipped: u64,
    /// To which no pass applies.
    pub n_without: u64,
    pub n_variants: u64,
    /// Variants that were made and did not parse.
    pub n_refused: u64,
    pub problems: Vec<Problem>,
}

/// A function with the name that it is known by.
#[derive(Clone, Copy, Debug)]
pub struct Made<'m> {
    pub id: &'m str,
    pub text: &'m Text,
    pub mutated: &'m Mutated,
}

/// Mutates texts and hands every function to `each`, in the order of the texts and of their functions.
///
/// # Errors
/// When it was cancelled, and those of `each`.
pub fn variants<E: From<Error>>(
    texts: &[Text],
    monitor: &Monitor,
    options: &Options,
    is_one_per_file: bool,
    mut each: impl FnMut(Made<'_>) -> Result<(), E>,
) -> Result<Report, E> {
    let mut report = Report::default();
    monitor
        .n_files_total
        .fetch_add(texts.len() as u64, Ordering::Relaxed);
    monitor.enter(Phase::Parsing);
    for chunk in texts.chunks(TEXTS_AT_ONCE) {
        monitor.step().map_err(Error::from)?;
        let made: Vec<Result<Vec<Mutated>, Problem>> = chunk
            .par_iter()
            .map(|text| mutated(text, options))
            .collect();
        for (text, made) in chunk.iter().zip(made) {
            report.n_texts += 1;
            let functions: Vec<Mutated> = match made {
                Ok(mut functions) => {
                    functions.retain(|it| is_asked(text, it));
                    functions
                }
                Err(problem) => {
                    report.problems.push(problem);
                    continue;
                }
            };
            let kept = if is_one_per_file {
                one_of(&functions, options.seed)
            } else {
                0..functions.len()
            };
            let is_alone = functions.len() == 1;
            for idx in kept {
                let mutated = &functions[idx];
                report.count(mutated);
                let id = id_of(text, mutated, (idx, is_alone));
                each(Made {
                    id: &id,
                    text,
                    mutated,
                })?;
            }
        }
        monitor
            .n_files
            .fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
    Ok(report)
}

impl Report {
    fn count(&mut self, mutated: &Mutated) {
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

fn is_asked(text: &Text, mutated: &Mutated) -> bool {
    let seed = &mutated.seed;
    text.lines.as_ref().is_none_or(|lines| {
        let mut lines = lines.iter();
        lines.any(|it| (seed.start_line..=seed.end_line).contains(it))
    })
}

fn mutated(text: &Text, options: &Options) -> Result<Vec<Mutated>, Problem> {
    let source = text.source.text(&text.path)?;
    let outcome = MUTATOR.with_borrow_mut(|it| {
        it.mutate(
            Source {
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

/// Returns which function of a file is kept: one that was not skipped, chosen by the seed and the texts.
fn one_of(functions: &[Mutated], seed: u64) -> std::ops::Range<usize> {
    let usable: Vec<usize> = (0..functions.len())
        .filter(|it| functions[*it].skipped.is_none())
        .collect();
    if usable.is_empty() {
        return 0..0;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for it in &usable {
        hasher.update(functions[*it].seed.source.as_bytes());
    }
    let hash = hasher.finalize();
    let first = hash.as_bytes().first_chunk::<8>();
    let number = u64::from_le_bytes(*first.expect("a hash has 32 bytes"));
    let idx = usable[(number % usable.len() as u64) as usize];
    idx..idx + 1
}

/// Returns a seed's name: the line's own, with a number where it holds several functions; else a hash of path, place and
/// text.
fn id_of(text: &Text, mutated: &Mutated, (idx, is_alone): (usize, bool)) -> String {
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
