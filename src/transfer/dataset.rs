//! The verb `import_dataset`: a published dataset without its sources becomes samples of the index.
//!
//! Decides what a project of a dataset is, in which order its samples come, and what makes a project unchanged. How the
//! formats look is decided in [`jsonl`], [`methods2test`], [`atlas`] and [`mera`]; how a sample becomes rows, in [`rows`].
//!
//! A project is written as one generation, as mining does. Its identity comes from its URL, by mining's rule; else the
//! name that the dataset gives it; a dataset without projects is one project `dataset:NAME`. Rows of another origin are
//! never replaced: the import ends before anything is written, and names both.
//!
//! A file is read twice: first where the samples of each project lie (32 bytes a sample, and the paths of the files),
//! then project by project. So lines of a project may be anywhere, and memory is bounded by the largest project and the
//! longest line.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::exchange::columns::Mapping;
use crate::model::{
    ContentHash, Language, MinedTest, Problem, Repo, RepoKey, Split, Status, counted,
};
use crate::store::{ImportedRepo, Origin, RepoContents, Stamp, Store, StoreError};
use crate::task::{Cancelled, Monitor, Phase};

mod atlas;
mod declared;
mod jsonl;
mod mera;
mod methods2test;
mod names;
mod packed;
mod place;
mod rows;
mod wrong;

#[cfg(test)]
mod tests;

use place::{DatasetFiles, Raw, SampleEntry};
use rows::{GivenSample, PreparedSample, ProjectRows};
pub(crate) use wrong::DatasetFault;

/// The version of the code that turns datasets into rows; raised when any rule changes the stored rows.
const CODE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+dataset2");

/// The most problems that are kept with their text; all are counted.
const PROBLEMS_MAX: usize = 10_000;

/// Samples whose declarations are parsed together: enough for all threads, little memory.
const SAMPLES_AT_ONCE: usize = 512;

/// How a dataset is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// The lines of our own `--format jsonl`; a file, or a folder of `.jsonl` files.
    Jsonl,
    /// `microsoft/methods2test`: a file with one mapping, a file with one a line, or a folder of such files.
    Methods2Test,
    /// Watson et al. 2020: parallel text files `testMethods.txt` and `assertLines.txt` in a folder, or in the folders
    /// `Training`, `Eval` and `Testing` of it.
    Atlas,
    /// Records of MERA's `UnitTests`: JSON lines, Parquet, or the benchmark's own objects; a file, or a folder of them.
    Mera,
    /// Rows of `--format parquet`, or of any Parquet file whose columns are named by [`DatasetOptions::fields`]; a file, or a
    /// folder of them.
    Parquet,
    /// `TestGenEval`'s pairs of files, as lines or Parquet: a sample is a file and its test file.
    TestGenEval,
    /// `TestEval`'s programs, which have no tests: a sample is the frame of one, without assertions.
    TestEval,
    /// `CodeSearchNet`'s functions, as lines, packed or not, or Parquet: those that are tests are samples.
    CodeSearchNet,
}

impl DatasetFormat {
    /// Every format, the default first.
    pub const ALL: &[Self] = &[
        Self::Jsonl,
        Self::Methods2Test,
        Self::Atlas,
        Self::Mera,
        Self::Parquet,
        Self::TestGenEval,
        Self::TestEval,
        Self::CodeSearchNet,
    ];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Methods2Test => "methods2test",
            Self::Atlas => "atlas",
            Self::Mera => "mera",
            Self::Parquet => "parquet",
            Self::TestGenEval => "testgeneval",
            Self::TestEval => "testeval",
            Self::CodeSearchNet => "codesearchnet",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetOptions {
    pub format: DatasetFormat,
    /// A file or a folder.
    pub path: PathBuf,
    /// The name of the dataset; where absent the file's or folder's.
    pub name: Option<String>,
    /// Flags samples with more lexer tokens than this, as mining does (MINING.md rule 25).
    pub max_context_tokens: u32,
    /// Our fields with their columns in foreign files of rows; empty for files of our own.
    pub fields: Mapping,
    /// The seed of splits that the dataset does not give; an index keeps its first one.
    pub seed: u64,
}

impl DatasetOptions {
    /// Makes the import of a dataset with mining's defaults.
    #[must_use]
    pub fn new(format: DatasetFormat, path: impl Into<PathBuf>) -> Self {
        Self {
            format,
            path: path.into(),
            name: None,
            fields: Mapping::default(),
            max_context_tokens: crate::focal::Options::default().max_context_tokens,
            seed: 0,
        }
    }
}

/// The result of importing a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetReport {
    /// The name of the dataset.
    pub name: String,
    /// Projects that have samples in the dataset.
    pub n_repos: u64,
    /// How many of them are in the index unchanged; they were left alone.
    pub n_unchanged: u64,
    /// In the projects that were written: tests, those with a focal method, and those of them with an assertion part,
    /// as `mine` counts them.
    pub n_tests: u64,
    pub n_mapped: u64,
    pub n_split: u64,
    /// Projects whose repository and commit the dataset tells, and the first of them.
    pub n_with_sources: u64,
    pub first_source: Option<(String, String)>,
    /// Rows that are no tests, in a dataset that has others, too.
    pub n_left_out: u64,
    /// Lines, files and parts of them that could not be used.
    pub n_problems: u64,
    /// The first of them, at most 10,000, by file and line.
    pub problems: Vec<Problem>,
    /// The seed of the index's splits.
    pub seed: u64,
}

impl DatasetReport {
    /// Tells whether the index was left as it was, because all of it was there already.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.n_repos > 0 && self.n_unchanged == self.n_repos
    }

    /// Tells whether nothing of the dataset could be used, and nothing of it was in the index before.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.n_tests == 0 && self.n_unchanged == 0
    }

    fn add(&mut self, problem: Problem, monitor: &Monitor) {
        self.n_problems += 1;
        monitor.n_problems.fetch_add(1, Ordering::Relaxed);
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// Nothing was written.
    #[error("{}", occupied(dataset, taken))]
    Occupied {
        dataset: String,
        /// Projects of the dataset that are in the index from elsewhere, by identity, and from where.
        taken: Vec<(String, Origin)>,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Checks whether an import would take a line.
///
/// # Errors
/// The reason why it would leave the line out.
pub(crate) fn flaw_of_line(format: DatasetFormat, line: &str) -> Result<(), DatasetFault> {
    let given = match format {
        DatasetFormat::Jsonl | DatasetFormat::Parquet => {
            jsonl::project("", line)?;
            jsonl::sample(line, None)?
        }
        // Exports have mappings in every language; imports take those in Java alone.
        DatasetFormat::Methods2Test => methods2test::sample(line, None)?,
        DatasetFormat::Mera => {
            mera::project("", line)?;
            mera::sample("", line, None)?
        }
        // Nothing exports them: Atlas has any text in its lines, and the others belong to their authors.
        DatasetFormat::Atlas
        | DatasetFormat::TestGenEval
        | DatasetFormat::TestEval
        | DatasetFormat::CodeSearchNet => return Ok(()),
    };
    rows::check(&given)
}

fn occupied(dataset: &str, taken: &[(String, Origin)]) -> String {
    let (identity, origin) = match taken {
        [] => return format!("`{dataset}` has projects that are in the index from elsewhere"),
        [first, ..] => first,
    };
    let more = match taken.len() - 1 {
        0 => String::new(),
        n => format!(" and {} are", counted(n as u64, "more project")),
    };
    let is = if more.is_empty() { " is" } else { "" };
    format!(
        "`{identity}`{more}{is} in the index from {origin}, which the dataset `{dataset}` does not replace"
    )
}

/// The shares of the survey and of the import in the progress: both read every line, and the second parses and writes
/// it.
const SURVEY_PARTS: u64 = 100;
const IMPORT_PARTS: u64 = 900;

/// Imports a dataset and settles duplicates and splits.
///
/// # Errors
/// [`DatasetError::Read`] when there is no such file or folder, [`DatasetError::Occupied`] before anything is written,
/// and the database's errors. Projects written before an error or a cancelling are kept, and the next run goes on.
pub fn import_dataset(
    store: &mut Store,
    monitor: &Monitor,
    options: &DatasetOptions,
) -> Result<DatasetReport, DatasetError> {
    let mut report = DatasetReport {
        name: name(options),
        ..DatasetReport::default()
    };
    monitor.enter(Phase::Reading);
    (monitor.n_parts_total).fetch_add(SURVEY_PARTS + IMPORT_PARTS, Ordering::Relaxed);
    let surveying = monitor.stretch(SURVEY_PARTS, 1);
    let (files, projects) = survey(options, &mut report, monitor)?;
    check_places(store, &report.name, &projects)?;
    let stamps = store.stamps()?;
    surveying.end();
    for project in projects.values() {
        if let (Some(url), Some(commit)) = (&project.repo.url, &project.repo.commit) {
            report.n_with_sources += 1;
            let source = || (url.clone(), commit.clone());
            report.first_source.get_or_insert_with(source);
        }
    }
    let n_samples = projects
        .values()
        .map(|dataset_project| dataset_project.entries.len())
        .sum();
    let importing = monitor.stretch(IMPORT_PARTS, n_samples);
    let n_repos = projects.len() as u64;
    monitor.n_repos_total.fetch_add(n_repos, Ordering::Relaxed);
    let dataset = report.name.clone();
    let import = DatasetImport {
        options,
        monitor,
        dataset: &dataset,
        files: &files,
    };
    for project in projects.into_values() {
        let stamp = stamps.get(&project.repo.key());
        import.project(store, &project, stamp, &mut report)?;
        importing.step(project.entries.len() as u64);
        monitor.n_repos.fetch_add(1, Ordering::Relaxed);
    }
    importing.end();
    report
        .problems
        .sort_by(|a, b| (&a.path, a.line, &a.detail).cmp(&(&b.path, b.line, &b.detail)));
    report.seed = store.settle(options.seed, monitor)?;
    Ok(report)
}

/// Chooses the given name, else the file's or folder's.
fn name(options: &DatasetOptions) -> String {
    let path = std::path::absolute(&options.path).unwrap_or_else(|_| options.path.clone());
    let last = if path.is_dir() {
        path.file_name()
    } else {
        path.file_stem()
    };
    options
        .name
        .clone()
        .filter(|name| !name.trim().is_empty())
        .or_else(|| last.map(|last| last.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "dataset".to_owned())
}

/// A project of a dataset: the facts known before its samples are read, and their places, in order.
struct DatasetProject {
    repo: Repo,
    entries: Vec<SampleEntry>,
}

/// Projects by their keys in the index.
type Projects = BTreeMap<RepoKey, DatasetProject>;

impl DatasetProject {
    /// Makes a project without samples: of the identity that the URL has, else of the given name, else the dataset's.
    fn new(dataset: &str, name: Option<&str>, url: Option<&str>) -> Self {
        let url = url.and_then(crate::exchange::remote::public_url);
        let name = name.filter(|name| !name.trim().is_empty());
        let identity = url
            .as_deref()
            .and_then(crate::exchange::remote::of_url)
            .or_else(|| name.map(str::to_owned))
            .unwrap_or_else(|| format!("dataset:{dataset}"));
        let last = match (&url, name) {
            (_, Some(name)) => name,
            (Some(_), None) => identity.rsplit('/').next().unwrap_or(&identity),
            (None, None) => dataset,
        };
        Self {
            repo: Repo {
                name: last.to_owned(),
                url,
                commit: None,
                dirty: None,
                license: None,
                language: Language::Java,
                build_tool: None,
                stars: None,
                is_fork: None,
                host_id: None,
                runners: Vec::new(),
                identity,
            },
            entries: Vec::new(),
        }
    }
}

impl DatasetProject {
    /// Adds folders with their runners where none is known yet.
    fn add_runners(&mut self, runners: Vec<(String, String)>) {
        let known = &mut self.repo.runners;
        for runner in runners {
            if let Err(place) = known.binary_search_by(|known| known.0.cmp(&runner.0)) {
                known.insert(place, runner);
            }
        }
    }
}

/// Reads the dataset for the first time, to find its projects and the places of their samples.
fn survey(
    options: &DatasetOptions,
    report: &mut DatasetReport,
    monitor: &Monitor,
) -> Result<(DatasetFiles, Projects), DatasetError> {
    let mut files = DatasetFiles::find(options, &report.name)?;
    report.n_left_out = files.n_left_out;
    for problem in std::mem::take(&mut files.problems) {
        report.add(problem, monitor);
    }
    let n_files = files.list.len();
    monitor
        .n_files_total
        .fetch_add(n_files as u64, Ordering::Relaxed);
    let dataset = report.name.clone();
    let mut projects = Projects::new();
    for file_idx in 0..n_files as u32 {
        let mut each = |entry: SampleEntry, text: Result<&str, DatasetFault>| {
            let project = text.and_then(|text| match options.format {
                DatasetFormat::Jsonl
                | DatasetFormat::Parquet
                | DatasetFormat::TestGenEval
                | DatasetFormat::TestEval
                | DatasetFormat::CodeSearchNet => jsonl::project(&dataset, text),
                DatasetFormat::Methods2Test => methods2test::project(&dataset, text),
                DatasetFormat::Atlas => Ok(DatasetProject::new(&dataset, None, None)),
                DatasetFormat::Mera => mera::project(&dataset, text),
            });
            match project {
                Ok(project) => {
                    let runners = project.repo.runners.clone();
                    let key = project.repo.key();
                    let known = projects.entry(key).or_insert(project);
                    known.add_runners(runners);
                    known.entries.push(entry);
                }
                Err(wrong) => {
                    let shown = &files.of(&entry).shown;
                    report.add(wrong.at(shown, entry.line), monitor);
                }
            }
        };
        files.survey(file_idx, monitor, &mut each)?;
        monitor.n_files.fetch_add(1, Ordering::Relaxed);
    }
    Ok((files, projects))
}

/// Refuses the whole dataset when any of its projects is in the index from elsewhere.
fn check_places(store: &Store, dataset: &str, projects: &Projects) -> Result<(), DatasetError> {
    let ours = Origin::Dataset(dataset.to_owned());
    let mut taken: Vec<(String, Origin)> = store
        .origins()?
        .into_iter()
        .filter(|(key, origin)| *origin != ours && projects.contains_key(key))
        .map(|(key, origin)| (key.identity, origin))
        .collect();
    if taken.is_empty() {
        return Ok(());
    }
    taken.sort_by(|a, b| a.0.cmp(&b.0));
    Err(DatasetError::Occupied {
        dataset: dataset.to_owned(),
        taken,
    })
}

/// The parts that the import of every project of a dataset needs.
struct DatasetImport<'i> {
    options: &'i DatasetOptions,
    monitor: &'i Monitor,
    dataset: &'i str,
    files: &'i DatasetFiles,
}

impl DatasetImport<'_> {
    /// Reads a project whole and writes it, unless it is in the index unchanged.
    fn project(
        &self,
        store: &mut Store,
        project: &DatasetProject,
        known: Option<&Stamp>,
        report: &mut DatasetReport,
    ) -> Result<(), DatasetError> {
        self.monitor.enter(Phase::Reading);
        let raws = self.files.read(&project.entries, self.monitor)?;
        let stamp = self.stamp(project, &raws);
        if known == Some(&stamp) {
            report.n_repos += 1;
            report.n_unchanged += 1;
            return Ok(());
        }
        self.monitor.enter(Phase::Parsing);
        let mut prepared = Vec::with_capacity(raws.len());
        let mut raws = raws.into_iter();
        for entries in project.entries.chunks(SAMPLES_AT_ONCE) {
            self.monitor.step()?;
            let raws: Vec<Result<Raw, DatasetFault>> = raws.by_ref().take(entries.len()).collect();
            let given = entries
                .par_iter()
                .zip(raws)
                .map(|(entry, raw)| raw.and_then(|raw| self.given(entry, &raw)))
                .collect();
            let max_context_tokens = self.options.max_context_tokens;
            prepared.extend(rows::prepare(
                project.repo.language,
                given,
                max_context_tokens,
            ));
        }
        let mut problems = Vec::new();
        let rows = self.rows(store, project, prepared, &mut problems)?;
        if rows.tests.is_empty() {
            for problem in problems {
                report.add(problem, self.monitor);
            }
            return Ok(());
        }
        store.import_repo(
            &RepoContents {
                repo: &project.repo,
                // No folder was mined: there are no files to open.
                root: Path::new(""),
                stamp: &stamp,
                files: &rows.files,
                methods: &rows.methods,
                tests: &rows.tests,
                problems: &problems,
            },
            &ImportedRepo {
                dataset: self.dataset,
                splits: &rows.splits,
                project_split: rows.project_split,
            },
            self.monitor,
        )?;
        let decided = rows.tests.iter().flat_map(|test| &test.decided);
        let statuses: Vec<Status> = decided
            .map(|matcher_decision| matcher_decision.status)
            .collect();
        let count =
            |is: fn(Status) -> bool| statuses.iter().filter(|status| is(**status)).count() as u64;
        report.n_repos += 1;
        report.n_tests += statuses.len() as u64;
        report.n_mapped += count(Status::is_mapped);
        report.n_split += count(|status| status == Status::Ok);
        for problem in problems {
            report.add(problem, self.monitor);
        }
        Ok(())
    }

    /// Numbers a project's samples; those that cannot be used are problems.
    fn rows(
        &self,
        store: &Store,
        project: &DatasetProject,
        prepared: Vec<Result<PreparedSample, DatasetFault>>,
        problems: &mut Vec<Problem>,
    ) -> Result<ProjectRows, DatasetError> {
        let mut usable = Vec::with_capacity(prepared.len());
        for (entry, prepared) in project.entries.iter().zip(prepared) {
            match prepared {
                Ok(prepared) => usable.push((entry, prepared)),
                Err(wrong) => problems.push(self.problem(entry, wrong)),
            }
        }
        let samples: Vec<&PreparedSample> = usable
            .iter()
            .map(|(_, prepared_sample)| prepared_sample)
            .collect();
        let keys = rows::keys(&project.repo, &samples);
        let taken = rows::taken(&keys, &store.holders(&keys, &project.repo.key())?);
        let mut rows = ProjectRows::default();
        for (idx, (entry, prepared)) in usable.into_iter().enumerate() {
            if let Some(detail) = taken.get(&idx) {
                problems.push(self.problem(entry, DatasetFault::line(detail)));
                continue;
            }
            let told = prepared.given_sample.project_split;
            rows.push(keys[idx], prepared);
            if told.is_some() && told != rows.project_split {
                let detail =
                    "another project split than the project's first sample; that one is taken";
                problems.push(self.problem(entry, DatasetFault::line(detail)));
            }
            self.monitor.n_tests.fetch_add(1, Ordering::Relaxed);
        }
        rows.finish();
        let is_sample = |mined_test: &&MinedTest| {
            mined_test
                .decided
                .iter()
                .any(|matcher_decision| matcher_decision.status == Status::Ok)
        };
        let n_samples = rows.tests.iter().filter(is_sample).count() as u64;
        self.monitor
            .n_samples
            .fetch_add(n_samples, Ordering::Relaxed);
        Ok(rows)
    }

    fn given(&self, entry: &SampleEntry, raw: &Raw) -> Result<GivenSample, DatasetFault> {
        let file = self.files.of(entry);
        match self.options.format {
            DatasetFormat::Jsonl
            | DatasetFormat::Parquet
            | DatasetFormat::TestGenEval
            | DatasetFormat::TestEval
            | DatasetFormat::CodeSearchNet => jsonl::sample(&raw.text, file.split),
            DatasetFormat::Methods2Test => methods2test::sample(&raw.text, file.split),
            DatasetFormat::Atlas => {
                let place = (file.shown.as_str(), entry.line);
                let lines = [raw.text.as_str(), raw.beside.as_str()];
                atlas::sample(lines, place, file.split)
            }
            DatasetFormat::Mera => mera::sample(self.dataset, &raw.text, file.split),
        }
    }

    fn problem(&self, entry: &SampleEntry, wrong: DatasetFault) -> Problem {
        wrong.at(&self.files.of(entry).shown, entry.line)
    }

    /// Makes the stamp of everything that rows and problems of a project depend on.
    fn stamp(&self, project: &DatasetProject, raws: &[Result<Raw, DatasetFault>]) -> Stamp {
        let mut hasher = blake3::Hasher::new();
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for (entry, raw) in project.entries.iter().zip(raws) {
            let file = self.files.of(entry);
            field(file.shown.as_bytes());
            field(file.split.map_or("", Split::as_str).as_bytes());
            field(&entry.line.to_le_bytes());
            match raw {
                Ok(raw) => {
                    field(raw.text.as_bytes());
                    field(raw.beside.as_bytes());
                }
                Err(wrong) => field(wrong.detail.as_bytes()),
            }
        }
        let mut content = [0; 16];
        content.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Stamp {
            content: ContentHash(content),
            options: format!(
                "dataset={} name={} max-context-tokens={}",
                self.options.format.as_str(),
                self.dataset,
                self.options.max_context_tokens
            ),
            code: CODE_VERSION.to_owned(),
        }
    }
}
