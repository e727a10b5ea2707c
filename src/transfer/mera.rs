//! The verb `export_mera`: samples as records of MERA's `UnitTests`, in a folder.
//!
//! Decides which samples become records and in which order they are numbered ([`funnel`]), how a sample becomes a record
//! ([`record`]), and which files a layout has ([`layout`]). `exchange` decides how a record looks.
//!
//! The index is read twice: once to choose, when of each sample a few hashes are kept, and once to write, in the order of
//! numbers. So memory does not grow with the sources. Same index, seed and options give the same bytes.

mod funnel;
mod layout;
mod pick;
mod quota;
mod record;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::exchange::ParquetError;
use crate::exchange::mera::{
    MeraInputs, MeraInstruction, MeraManifest, MeraOptions, MeraPrompts, MeraRecord, MeraStep,
};
use crate::model::{Filter, Language, Matcher, SampleKey, Split};
use crate::store::{Extent, Store, StoredSample};
use crate::syntax::dialect;
use crate::task::{Monitor, Phase};

use super::{ExportError, OwnSplits};
use funnel::MeraSelection;
use layout::MeraWriter;
use pick::Pick;

pub use quota::{LanguageDraw, Quotas, TASKS};

pub(super) use record::{FOCAL_FILE, TEST_FILE};

/// The prompts that are built in, by language: ten shapes, each without and with the framework.
pub const PROMPTS: [(&str, &str); 2] = [
    ("ru", include_str!("prompts/ru.toml")),
    ("en", include_str!("prompts/en.toml")),
];

/// Ten shapes more for each of these, with the framework, so that the twenty prompts of a benchmark are all distinct.
const MORE_PROMPTS: [&str; 2] = [
    include_str!("prompts/ru-benchmark.toml"),
    include_str!("prompts/en-benchmark.toml"),
];

/// The end of the name of a set of twenty distinct prompts.
const DISTINCT: &str = "-benchmark";

/// Looks up the file of prompts by name: `ru` and `en`, and `ru-benchmark` and `en-benchmark` for twenty distinct ones.
#[must_use]
pub fn built_in_prompts(name: &str) -> Option<String> {
    let (language, is_distinct) = match name.strip_suffix(DISTINCT) {
        Some(language) => (language, true),
        None => (name, false),
    };
    let mut sets = PROMPTS.iter().zip(MORE_PROMPTS);
    let ((_, source), more) = sets.find(|((known, _), _)| *known == language)?;
    if !is_distinct {
        return Some((*source).to_owned());
    }
    // The pieces are ours: each prompt begins with its heading, and the next line says whether it has a framework.
    let heading = "[[prompt]]\n";
    let (head, _) = source.split_once(heading)?;
    let without = source.split(heading).skip(1);
    let without = without.filter(|prompt| prompt.starts_with("framework = false"));
    let without: String = without.flat_map(|prompt| [heading, prompt]).collect();
    let (_, more) = more.split_once(heading)?;
    let words = head.split_once('\n').map_or(head, |(_, words)| words);
    Some(format!(
        "# Twenty distinct ways to ask for a test, ten of them with the test framework.\n{words}{without}\n{heading}{more}"
    ))
}

/// The most pairs of one repository by default.
pub const PAIRS_PER_REPO_MAX: u64 = 200;

/// Samples whose files are parsed together: enough for all threads, little memory.
const SAMPLES_AT_ONCE: usize = 64;

/// How the files lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeraLayout {
    /// A record a line, a file for each split.
    #[default]
    Jsonl,
    /// A dataset for a hub: a card, and Parquet.
    Hf,
    /// The form that the benchmark's own code reads: one object a split, with numbers for prompts.
    Mera,
}

impl MeraLayout {
    /// Every layout, the default first.
    pub const ALL: &[Self] = &[Self::Jsonl, Self::Hf, Self::Mera];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Hf => "hf",
            Self::Mera => "mera",
        }
    }
}

/// A part of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeraPart {
    /// Examples: two a language, of projects in `train`, and in no other part.
    Shots,
    Of(Split),
}

impl MeraPart {
    /// Every part, in the order in which they are numbered and listed.
    pub const ALL: &[Self] = &[
        Self::Shots,
        Self::Of(Split::Train),
        Self::Of(Split::Validation),
        Self::Of(Split::Test),
    ];

    /// Returns the word used in files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shots => "shots",
            Self::Of(split) => split.as_str(),
        }
    }
}

/// A set of prompts, and the file that holds it.
#[derive(Clone, Debug)]
pub struct PromptFile {
    pub prompts: MeraPrompts,
    pub source: String,
}

#[derive(Clone, Debug)]
pub struct MeraExport {
    /// All where empty.
    pub languages: Vec<Language>,
    /// The matcher whose decisions make pairs; where absent the filter's, else the one that the index shows.
    pub matcher: Option<Matcher>,
    /// Writes only this part; numbers and prompts are as if all were written.
    pub part: Option<MeraPart>,
    pub filter: Filter,
    /// The filter as it was written, for the manifest.
    pub filter_text: String,
    pub prompts: PromptFile,
    /// Where absent, the seed of the index's splits.
    pub seed: Option<u64>,
    pub max_per_repo: u64,
    /// Draws this number of tasks from each language, and nothing but these and the examples.
    pub quotas: Option<Quotas>,
    /// In place of ours; samples without one are not written.
    pub splits: Option<OwnSplits>,
    /// Whether every licence is let through.
    pub any_license: bool,
    pub layout: MeraLayout,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeraReport {
    pub n_written: u64,
    /// Each step of the funnel with the samples that it left, in order.
    pub funnel: Vec<(&'static str, u64)>,
    /// Samples of repositories that were let through although their licence is not known.
    pub n_unknown_license: u64,
    /// How many tasks of each language were wanted and drawn, for a benchmark.
    pub drawn: Vec<LanguageDraw>,
}

/// Writes records into an empty folder.
///
/// # Errors
/// The database's and the disk's, and cancelling; the folder then holds a part of the files.
pub fn export_mera(
    store: &Store,
    monitor: &Monitor,
    options: &MeraExport,
    folder: &Path,
) -> Result<MeraReport, ExportError> {
    monitor.enter(Phase::Writing);
    let seed = match options.seed {
        Some(seed) => seed,
        None => store.seed()?.unwrap_or_default(),
    };
    let filter = filter_of(options);
    let chosen = funnel::choose(store, monitor, options, (&filter, seed))?;
    let mut writer = MeraWriter::begin(folder, options.layout)?;
    let is_written = |pick: &&Pick| options.part.is_none_or(|part| pick.part == part);
    let written: Vec<&Pick> = chosen.picks.iter().filter(is_written).collect();
    each_record(
        store,
        monitor,
        (options, &written),
        |pick, record, sample| {
            let origin = record::origin(sample, pick);
            writer.write(pick.part, record, &origin)
        },
    )?;
    let splits = writer.finish()?;
    let keys: Vec<SampleKey> = written.iter().map(|pick| pick.key).collect();
    let manifest = manifest(options, &chosen, seed, &keys, splits);
    layout::write_beside(folder, &options.prompts.source, &manifest)?;
    let drawn = options
        .quotas
        .as_ref()
        .map(|quotas| quotas.drawn(&chosen.picks));
    Ok(MeraReport {
        drawn: drawn.unwrap_or_default(),
        n_written: keys.len() as u64,
        n_unknown_license: chosen.n_unknown_license,
        funnel: chosen.funnel,
    })
}

/// Hands the question about each sample to `each`: the template with its placeholders, and the values that fill them,
/// in the order of numbers. Examples (shots) are no questions.
///
/// # Errors
/// The database's, what `each` returns, and cancelling.
pub fn mera_questions(
    store: &Store,
    monitor: &Monitor,
    options: &MeraExport,
    mut each: impl FnMut(&StoredSample, &str, MeraInputs) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    monitor.enter(Phase::Writing);
    let seed = match options.seed {
        Some(seed) => seed,
        None => store.seed()?.unwrap_or_default(),
    };
    let chosen = funnel::choose(store, monitor, options, (&filter_of(options), seed))?;
    let asked = chosen
        .picks
        .iter()
        .filter(|pick| pick.part != MeraPart::Shots);
    let asked: Vec<&Pick> = asked.collect();
    each_record(
        store,
        monitor,
        (options, &asked),
        |_, record, sample| match &record.instruction {
            MeraInstruction::Text(template) => each(sample, template, record.inputs),
            MeraInstruction::Number(_) => Ok(()),
        },
    )
}

/// Makes the records of the picked samples, in that order.
fn each_record(
    store: &Store,
    monitor: &Monitor,
    (options, picks): (&MeraExport, &[&Pick]),
    mut each: impl FnMut(&Pick, MeraRecord, &StoredSample) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let spans = store.test_spans()?;
    let mut waiting: Vec<(&Pick, StoredSample)> = Vec::with_capacity(SAMPLES_AT_ONCE);
    let mut flush = |waiting: &mut Vec<(&Pick, StoredSample)>| -> Result<(), ExportError> {
        let made: Vec<(&Pick, MeraRecord, StoredSample)> = waiting
            .par_drain(..)
            .map(|(pick, sample)| {
                let record = record::record(&sample, spans.beside(&sample), &options.prompts);
                (pick, record, sample)
            })
            .collect();
        for (pick, mut record, sample) in made {
            monitor.step()?;
            record.meta.id = pick.id;
            record.instruction = instruction(options, pick);
            each(pick, record, &sample)?;
            monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let mut left = picks.iter();
    store.each_sample_of(
        picks.iter().map(|pick| pick.sample),
        Extent::Sample,
        |sample| {
            monitor.step()?;
            // Samples that are gone meanwhile are skipped on both sides: other queries have chosen the picks.
            if let Some(pick) = left.find(|pick| pick.sample == sample.row.id) {
                waiting.push((pick, sample));
            }
            if waiting.len() == SAMPLES_AT_ONCE {
                flush(&mut waiting)?;
            }
            Ok::<_, ExportError>(())
        },
    )?;
    flush(&mut waiting)
}

/// Chooses the template of a record, or its number from 1: those with a framework are JavaScript's.
fn instruction(options: &MeraExport, pick: &Pick) -> MeraInstruction {
    let has_framework = pick.language == Language::JavaScript;
    let list = options.prompts.prompts.list.iter().zip(1..);
    let mut ours = list.filter(|(mera_prompt, _)| mera_prompt.has_framework == has_framework);
    match ours.nth(pick.turn) {
        Some((_, number)) if options.layout == MeraLayout::Mera => MeraInstruction::Number(number),
        Some((prompt, _)) => MeraInstruction::Text(prompt.text.clone()),
        None => MeraInstruction::Text(String::new()),
    }
}

fn filter_of(options: &MeraExport) -> Filter {
    let mut filter = options.filter.clone();
    filter.aim.matcher = options.matcher.or(filter.aim.matcher);
    filter
}

fn manifest(
    options: &MeraExport,
    chosen: &MeraSelection,
    seed: u64,
    keys: &[SampleKey],
    splits: Vec<crate::exchange::mera::MeraSplit>,
) -> MeraManifest {
    let mut content = blake3::Hasher::new();
    for key in keys {
        content.update(&key.0);
    }
    let languages = match options.languages.as_slice() {
        [] => Language::ALL,
        some => some,
    };
    MeraManifest {
        focalist: env!("CARGO_PKG_VERSION"),
        format: "mera",
        options: MeraOptions {
            languages: languages
                .iter()
                .map(|language| dialect(*language).mera_fence)
                .collect(),
            matcher: chosen.matcher.map_or("", Matcher::as_str),
            split: options.part.map(MeraPart::as_str),
            filter: options.filter_text.clone(),
            seed,
            max_per_repo: options.max_per_repo,
            quotas: options.quotas.as_ref().map(|quotas| {
                let each = quotas.each();
                each.map(|(language, n)| (dialect(language).mera_fence, n))
                    .collect()
            }),
            any_license: options.any_license,
            layout: options.layout.as_str(),
        },
        funnel: chosen
            .funnel
            .iter()
            .map(|(step, left)| MeraStep { step, left: *left })
            .collect(),
        unknown_license: chosen.n_unknown_license,
        unknown_stars: chosen.n_unknown_stars,
        unknown_fork: chosen.n_unknown_fork,
        splits,
        prompts: hex(blake3::hash(options.prompts.source.as_bytes())),
        content: hex(content.finalize()),
    }
}

fn hex(hash: blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::Io(error) => Self::Io(error),
            ParquetError::Format(detail) => Self::Io(std::io::Error::other(detail)),
        }
    }
}
