//! The verb `export_parquet`: samples as a dataset of Parquet files that loaders open as it is, with its card.
//!
//! Decides which file a sample belongs to and what the card says; `exchange` decides how samples lie in columns. Memory
//! holds one group of rows for each split.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::exchange::columns::{ColumnFiles, ColumnWriter, GROUP_BYTES, sample_features};
use crate::exchange::{WireExport, WireManifest, write_pretty};
use crate::model::{Filter, Language, Split};
use crate::store::{Extent, Store, StoredSample};
use crate::task::{Monitor, Phase};

use super::choice::LeftOutCounts;
use super::hub::{DatasetFacts, Publication, data_file};
use super::{
    ExportError, ExportOptions, OwnSplits, card as front, filter_of, is_licensed, lines, manifest,
};

/// The kind of split that files are written by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitBy {
    #[default]
    Project,
    Random,
}

impl SplitBy {
    pub const ALL: &[Self] = &[Self::Project, Self::Random];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Random => "random",
        }
    }
}

#[derive(Clone, Debug)]
pub struct ParquetOptions {
    /// The choice of samples; its format is not used.
    pub samples: ExportOptions,
    pub split_by: SplitBy,
    pub rows_per_file: u64,
    pub publication: Publication,
}

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParquetReport {
    pub n_written: u64,
    /// Left out by their licence.
    pub n_unlicensed: u64,
    pub left_out: LeftOutCounts,
    /// By name, in order.
    pub splits: Vec<(String, ColumnFiles)>,
    /// Samples and projects by licence; an unknown one is empty.
    pub licenses: BTreeMap<String, (u64, u64)>,
    /// The languages of the samples.
    pub languages: BTreeSet<Language>,
}

/// Fills a folder with `data/SPLIT-00000-of-00001.parquet`, `README.md`, `manifest.json`, and the files of a
/// [`Publication`]: `croissant.json`, `CITATION.cff`, `eval.yaml`, `datasheet.md`. The same index and publication give
/// the same bytes.
///
/// # Errors
/// The database's and the disk's.
pub fn export_parquet(
    store: &Store,
    monitor: &Monitor,
    options: &ParquetOptions,
    folder: &Path,
) -> Result<ParquetReport, ExportError> {
    monitor.enter(Phase::Writing);
    let data = folder.join("data");
    fs::create_dir_all(&data)?;
    let ours = Split::ALL.iter().map(|split| split.as_str());
    let others = options.samples.choice.splits.iter();
    let others = others.flat_map(OwnSplits::names);
    let others = others.filter(|name| Split::parse(name).is_none());
    let mut writers = Vec::new();
    for split in ours.chain(others) {
        let writer = ColumnWriter::new(&data, split, options.rows_per_file)?;
        writers.push((split.to_owned(), writer));
    }
    let mut report = ParquetReport::default();
    let mut last_project = BTreeMap::<String, String>::new();
    let samples = &options.samples;
    let filter = filter_of(samples);
    store.each_sample(&filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        let gold = samples.gold.get(&sample.row.key);
        let is_right = gold.and_then(|gold| lines::is_right(&sample, gold));
        if samples.is_verified && is_right != Some(true) {
            return Ok(());
        }
        if !is_licensed(&sample, samples) {
            report.n_unlicensed += 1;
            return Ok(());
        }
        if let Some(why) = samples.choice.leaves_out(&sample) {
            report.left_out.count(why);
            return Ok(());
        }
        let split = match (&samples.choice.splits, options.split_by) {
            (Some(own), _) => own.of(&sample),
            (None, SplitBy::Project) => sample.split_project.map(Split::as_str),
            (None, SplitBy::Random) => sample.split_random.map(Split::as_str),
        };
        // A sample has no split before splits are assigned.
        let split = split.unwrap_or(Split::Train.as_str());
        if let Some((_, writer)) = writers.iter_mut().find(|writer| writer.0 == split) {
            writer.write(&lines::sample(&sample, gold))?;
        }
        flush_largest(&mut writers)?;
        report.languages.insert(sample.repo.language);
        let license = sample.repo.license.clone().unwrap_or_default();
        let counts = report.licenses.entry(license.clone()).or_default();
        counts.0 += 1;
        // Samples come project by project, unless a filter sorts them otherwise.
        let project = &sample.repo.identity;
        if last_project.insert(project.clone(), license.clone()) != Some(license) {
            counts.1 += 1;
        }
        report.n_written += 1;
        monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        Ok::<_, ExportError>(())
    })?;
    for (split, writer) in writers {
        let files = writer.finish()?;
        if files.n_rows > 0 {
            report.splits.push((split, files));
        }
    }
    let mut manifest = manifest(store)?;
    manifest.export = export_of(&report, options);
    fs::write(folder.join("README.md"), card(&report, options, &manifest))?;
    let mut file = fs::File::create(folder.join("manifest.json"))?;
    write_pretty(&mut file, &manifest)?;
    let mut splits = Vec::new();
    for (name, files) in &report.splits {
        let files = files.names.iter();
        let files = files.map(|file| data_file(folder, format!("data/{file}")));
        splits.push((name.clone(), files.collect::<Result<_, _>>()?));
    }
    let facts = DatasetFacts {
        publication: &options.publication,
        manifest: &manifest,
        funnel: &store.funnel(&Filter::default())?,
        licenses: &report.licenses,
        languages: report
            .languages
            .iter()
            .map(|language| language.as_str())
            .collect(),
        splits,
        n_rows: report.n_written,
        n_near: report.left_out.n_near,
        n_unstable: report.left_out.n_unstable,
        n_unlicensed: report.n_unlicensed,
    };
    facts.write(folder)?;
    Ok(report)
}

/// Writes what waits for the largest of the splits, once more than a group's worth waits in all of them.
fn flush_largest(writers: &mut [(String, ColumnWriter)]) -> Result<(), ExportError> {
    let n_waiting: u64 = (writers.iter())
        .map(|(_, writer)| writer.n_bytes_waiting())
        .sum();
    let all = writers.iter_mut().map(|(_, writer)| writer);
    if n_waiting > GROUP_BYTES
        && let Some(largest) = all.max_by_key(|writer| writer.n_bytes_waiting())
    {
        largest.flush()?;
    }
    Ok(())
}

/// Writes the part of the manifest about the export itself; nothing where it is what every export is.
fn export_of(report: &ParquetReport, options: &ParquetOptions) -> Option<WireExport> {
    let chosen = &options.samples.choice;
    let near = chosen.near.as_ref();
    let unstable = chosen.unstable.as_ref();
    let is_chosen = near.is_some() || unstable.is_some() || chosen.splits.is_some();
    is_chosen.then(|| WireExport {
        splits: name_of_splits(options),
        max_similarity: near.map(|near_samples| near_samples.max_similarity),
        n_near: report.left_out.n_near,
        stable: unstable.map(|unstable_samples| unstable_samples.shakes.to_string()),
        n_unstable: unstable.map(|_| report.left_out.n_unstable),
    })
}

fn name_of_splits(options: &ParquetOptions) -> &'static str {
    match options.samples.choice.splits {
        Some(_) => "own",
        None => options.split_by.as_str(),
    }
}

/// Writes the dataset card: what loaders read in front, what people read behind it.
fn card(report: &ParquetReport, options: &ParquetOptions, manifest: &WireManifest) -> String {
    let mut card = String::from("---\n");
    let sum = |of: fn(&ColumnFiles) -> u64| -> u64 {
        report.splits.iter().map(|split| of(&split.1)).sum()
    };
    let n_rows = sum(|column_files| column_files.n_rows);
    let size = match n_rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    };
    card.push_str(&front::subject(
        report.licenses.keys().map(String::as_str),
        report.languages.iter().map(|language| language.as_str()),
    ));
    card.push_str(&format!(
        "task_categories:\n- text-generation\nsize_categories:\n- {size}\nconfigs:\n- config_name: default\n  data_files:\n"
    ));
    for (name, _) in &report.splits {
        card.push_str(&format!("  - split: {name}\n    path: data/{name}-*\n"));
    }
    card.push_str("dataset_info:\n  features:\n");
    card.push_str(&sample_features());
    card.push_str("  splits:\n");
    for (name, files) in &report.splits {
        card.push_str(&format!(
            "  - name: {name}\n    num_bytes: {}\n    num_examples: {}\n",
            files.n_bytes, files.n_rows
        ));
    }
    card.push_str(&format!(
        "  download_size: {}\n  dataset_size: {}\n---\n\n# Unit tests and the methods that they test\n\n",
        sum(|column_files| column_files.n_bytes_packed),
        sum(|column_files| column_files.n_bytes)
    ));
    card.push_str(&format!(
        "{n_rows} samples, a row each, with their repository, commit and licence. Files are the {} split; each row has \
         both.\n\n| split | samples | files |\n| --- | ---: | ---: |\n",
        name_of_splits(options)
    ));
    for (name, files) in &report.splits {
        let n_files = files.names.len();
        card.push_str(&format!("| {name} | {} | {n_files} |\n", files.n_rows));
    }
    if let Some(near) = &options.samples.choice.near {
        card.push_str(&format!(
            "\n{} samples of held-out splits were left out: their tests are more similar than {} to one of training.\n",
            report.left_out.n_near, near.max_similarity
        ));
    }
    if let Some(unstable) = &options.samples.choice.unstable {
        card.push_str(&format!(
            "\n{} samples were left out: their tests are unstable ({}).\n",
            report.left_out.n_unstable, unstable.shakes
        ));
    }
    card.push_str("\n| licence | samples | projects |\n| --- | ---: | ---: |\n");
    for (license, (n_samples, n_projects)) in &report.licenses {
        let shown = if license.is_empty() {
            "unknown"
        } else {
            license
        };
        // A licence's name is data of others.
        let shown = shown.replace(['|', '\n', '\r'], " ");
        card.push_str(&format!("| {shown} | {n_samples} | {n_projects} |\n"));
    }
    card.push_str(&format!(
        "\nMade by focalist {} from {} repositories, {} files and {} tests; `manifest.json` has each with its commit and \
         hash. Content: `{}`; seed of the splits: {}.\n",
        manifest.focalist,
        manifest.n_repositories,
        manifest.n_files,
        manifest.n_tests,
        manifest.content,
        manifest.seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string()),
    ));
    card
}
