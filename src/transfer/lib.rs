//! The verb `transfer`: datasets out of an index and into other formats, and published datasets into an index.
//!
//! Decides which samples are written by default and in which order; the way in is [`import_dataset`]. `exchange`
//! decides how a line looks. Records of MERA's `UnitTests` fill a folder: [`export_mera`].

use focalist_encode as encode;
use focalist_exchange as exchange;
use focalist_focal as focal;
use focalist_lang as lang;
use focalist_model as model;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::Ordering;

use crate::exchange::{WireManifest, WireMatcher, WireMinedRepo, write_line};
use crate::model::{
    Direction, Filter, Gold, Matcher, OfSample, RepoRow, SampleKey, SampleScope, SampleSort,
    SortField, SortKey, Split,
};
use crate::store::{Extent, Store, StoreError, StoredSample};
use crate::task::{Cancelled, Monitor, Phase};

mod card;
mod choice;
mod dataset;
mod dump;
mod encoding;
mod hub;
mod lines;
mod logged;
mod mera;
mod methods2test;
mod parquet;
mod validate;

#[cfg(test)]
mod tests;

pub use choice::{ExportChoice, LeftOutCounts, NearSamples, OwnSplits, UnstableSamples};

pub use dataset::{DatasetError, DatasetFormat, DatasetOptions, DatasetReport, import_dataset};

pub use dump::{dump, dump_run};

pub use encoding::{EncodeOptions, EncodeReport, SequenceForm, encode, lengths};

pub use hub::{AuditFinding, DatasetAnnotation, Publication};

pub use logged::{LoggedOptions, import_logged, is_log};

pub use mera::{
    LanguageDraw, MeraExport, MeraLayout, MeraPart, MeraReport, PAIRS_PER_REPO_MAX, PROMPTS,
    PromptFile, Quotas, TASKS, built_in_prompts, export_mera, mera_questions,
};

pub use parquet::{ParquetOptions, ParquetReport, SplitBy, export_parquet};

pub use validate::{CheckedFile, FileFlaw, ValidateError, Validation, validate};

/// How a sample is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One sample a line, with all sources.
    Jsonl,
    /// One test a line, also the unmapped, without sources.
    Tests,
    /// The shape of the dataset `microsoft/methods2test`; mapped tests only.
    Methods2Test,
}

impl ExportFormat {
    /// Every format, the default first.
    pub const ALL: &[Self] = &[Self::Jsonl, Self::Tests, Self::Methods2Test];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Tests => "tests",
            Self::Methods2Test => "methods2test",
        }
    }
}

#[derive(Clone, Debug)]
pub struct ExportOptions {
    pub format: ExportFormat,
    /// The matcher whose decisions are written; where absent the filter's, else the one that the index shows.
    pub matcher: Option<Matcher>,
    /// Only this part of the random split.
    pub split: Option<Split>,
    /// Further conditions; samples come in its order, then by repository, file and position.
    pub filter: Filter,
    /// The part of them that is written; [`ExportFormat::Tests`] writes all.
    pub scope: SampleScope,
    /// The verdicts of people, by sample; [`ExportFormat::Jsonl`] writes them.
    pub gold: BTreeMap<SampleKey, Gold>,
    /// Writes only samples whose focal method people have confirmed.
    pub is_verified: bool,
    /// Only samples of repositories under one of these licences; none means any.
    pub licenses: Vec<String>,
    /// The further samples to leave out.
    pub choice: ExportChoice,
}

impl ExportOptions {
    /// Makes the export of all samples that the format has room for, in the order of the index.
    #[must_use]
    pub fn of(format: ExportFormat) -> Self {
        Self {
            format,
            matcher: None,
            split: None,
            filter: Filter::default(),
            scope: SampleScope::All,
            gold: BTreeMap::new(),
            is_verified: false,
            licenses: Vec::new(),
            choice: ExportChoice::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportReport {
    pub n_written: u64,
    /// Let through by the filter, but without the focal method that the format needs.
    pub n_unmapped: u64,
    /// In a language that the format does not know.
    pub n_foreign: u64,
    /// Left out by their licence.
    pub n_unlicensed: u64,
    pub left_out: LeftOutCounts,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The reader has stopped, or there is no space.
    #[error("cannot write the export")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Writes samples as lines of JSON, one at a time. The same index gives the same bytes.
pub fn export(
    store: &Store,
    monitor: &Monitor,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> Result<ExportReport, ExportError> {
    monitor.enter(Phase::Writing);
    let filter = filter_of(options);
    let (extent, repos) = match options.format {
        ExportFormat::Methods2Test => (Extent::WithFocalClass, numbered(&store.repos()?)),
        ExportFormat::Jsonl | ExportFormat::Tests => (Extent::Sample, RepoNumbers::default()),
    };
    let (mut n_unmapped, mut n_foreign) = (0, 0);
    let mut report = each_of(
        (store, monitor),
        (options, &filter, extent),
        |sample, gold| {
            match options.format {
                ExportFormat::Jsonl => write_line(out, &lines::sample(sample, gold))?,
                ExportFormat::Tests => write_line(out, &lines::test(sample))?,
                ExportFormat::Methods2Test if sample.repo.language != methods2test::LANGUAGE => {
                    n_foreign += 1;
                    return Ok(false);
                }
                ExportFormat::Methods2Test => {
                    let Some(mapping) = methods2test::mapping(sample, &repos) else {
                        n_unmapped += 1;
                        return Ok::<_, ExportError>(false);
                    };
                    write_line(out, &mapping)?;
                }
            }
            Ok(true)
        },
    )?;
    (report.n_unmapped, report.n_foreign) = (n_unmapped, n_foreign);
    out.flush()?;
    Ok(report)
}

/// Hands each sample that an export of lines would write to `each`, which returns whether it wrote one.
///
/// # Errors
/// The database's, what `each` returns, and cancelling.
pub fn each_exported<E>(
    store: &Store,
    monitor: &Monitor,
    options: &ExportOptions,
    mut each: impl FnMut(&StoredSample) -> Result<bool, E>,
) -> Result<ExportReport, E>
where
    E: From<StoreError> + From<Cancelled>,
{
    monitor.enter(Phase::Writing);
    let filter = filter_of(options);
    each_of(
        (store, monitor),
        (options, &filter, Extent::Sample),
        |sample, _| each(sample),
    )
}

fn each_of<E>(
    (store, monitor): (&Store, &Monitor),
    (options, filter, extent): (&ExportOptions, &Filter, Extent),
    mut each: impl FnMut(&StoredSample, Option<&Gold>) -> Result<bool, E>,
) -> Result<ExportReport, E>
where
    E: From<StoreError> + From<Cancelled>,
{
    let mut report = ExportReport::default();
    store.each_sample(filter, extent, |sample: StoredSample| {
        monitor.step()?;
        let gold = options.gold.get(&sample.row.key);
        let is_right = gold.and_then(|gold| lines::is_right(&sample, gold));
        if options.is_verified && is_right != Some(true) {
            return Ok(());
        }
        if !is_licensed(&sample, options) {
            report.n_unlicensed += 1;
            return Ok(());
        }
        if let Some(why) = options.choice.leaves_out(&sample) {
            report.left_out.count(why);
            return Ok(());
        }
        if each(&sample, gold)? {
            report.n_written += 1;
            monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<_, E>(())
    })?;
    Ok(report)
}

/// Tells whether a sample's repository is under one of the licences that are asked for.
fn is_licensed(sample: &StoredSample, options: &ExportOptions) -> bool {
    let license = sample.repo.license.as_deref();
    options.licenses.is_empty()
        || license.is_some_and(|id| {
            // SPDX compares identifiers without case.
            let mut asked = options.licenses.iter();
            asked.any(|asked| asked.eq_ignore_ascii_case(id))
        })
}

/// The number of each repository, by identity.
type RepoNumbers = BTreeMap<String, u64>;

/// Numbers repositories from 1, in order of identity.
fn numbered(repos: &[RepoRow]) -> RepoNumbers {
    let mut identities: Vec<String> = (repos.iter())
        .map(|row| row.repo.identity.clone())
        .collect();
    identities.dedup();
    identities.into_iter().zip(1..).collect()
}

fn filter_of(options: &ExportOptions) -> Filter {
    let scope = match options.format {
        ExportFormat::Tests => SampleScope::All,
        ExportFormat::Jsonl | ExportFormat::Methods2Test => options.scope,
    };
    let mut filter = options.filter.clone().within(scope);
    // Splits of the user's own take the place of these.
    if let Some(split) = options.split.filter(|_| options.choice.splits.is_none()) {
        filter.terms.push(OfSample::Split(split).into());
    }
    filter.aim.matcher = options.matcher.or(filter.aim.matcher);
    // Ids alone would order equal rows by the time at which they were mined.
    filter.sort.push(SortKey {
        field: SortField::Sample(SampleSort::Repo),
        direction: Direction::Ascending,
    });
    filter
}

/// Describes the sources of the index and the way it was made.
pub fn manifest(store: &Store) -> Result<WireManifest, StoreError> {
    let mined = store.manifest()?;
    let mut content = blake3::Hasher::new();
    for repo in &mined {
        content.update(repo.repo.identity.as_bytes());
        content.update(&[0]);
        content.update(&repo.stamp.content.0);
    }
    let hex = content.finalize().to_hex();
    Ok(WireManifest {
        focalist: env!("CARGO_PKG_VERSION"),
        matchers: Matcher::ALL
            .iter()
            .map(|matcher| WireMatcher {
                name: matcher.as_str(),
                version: matcher.version(),
            })
            .collect(),
        seed: store.seed()?,
        export: None,
        n_repositories: mined.len() as u64,
        n_files: mined.iter().map(|repo| repo.n_files).sum(),
        n_tests: mined.iter().map(|repo| repo.n_tests).sum(),
        content: hex[..32].to_owned(),
        repositories: mined
            .into_iter()
            .map(|mined| WireMinedRepo {
                name: mined.repo.name,
                identity: mined.repo.identity,
                url: mined.repo.url,
                commit: mined.repo.commit,
                dirty: mined.repo.dirty,
                license: mined.repo.license,
                language: mined.repo.language.as_str(),
                n_files: mined.n_files,
                n_tests: mined.n_tests,
                content: mined.stamp.content.to_string(),
                options: mined.stamp.options,
                code: mined.stamp.code,
            })
            .collect(),
        parsers: Vec::new(),
    })
}
