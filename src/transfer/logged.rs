//! The verb `import_logged`: what a log of another harness asks and expects becomes samples, where an index has nothing else.
//!
//! Decides what such a dataset is called and when it is made: only in an index without other samples, so that answers to
//! samples that were mined are never taken for some of their own. Logs of one task share their samples, whichever was first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::exchange::logs::{LogFile, LogPart, LoggedSample, each_in_archive, each_in_object};
use crate::exchange::write_line;
use crate::model::{Language, SampleKey};
use crate::store::{Origin, Store};
use crate::task::Monitor;
use crate::{
    DatasetError, DatasetFormat, DatasetOptions, DatasetReport, ExportFormat, ExportOptions,
    each_exported, import_dataset, lines,
};

/// The beginning of the names of such datasets.
const PREFIX: &str = "log:";

/// The path of samples that have no file.
const NO_FILE: &str = "(log)";

#[derive(Clone, Debug)]
pub struct LoggedOptions {
    /// Logs, and other files, which have no samples.
    pub files: Vec<PathBuf>,
    /// The language of the answers.
    pub language: Language,
    /// Where a sample's id stands, as a path.
    pub id: Option<String>,
}

/// Tells whether a file is a log with its questions.
#[must_use]
pub fn is_log(path: &Path) -> bool {
    open(path).is_ok_and(|pair| pair.1.is_some())
}

fn open(path: &Path) -> std::io::Result<(BufReader<File>, Option<LogFile>)> {
    let mut input = BufReader::new(File::open(path)?);
    let kind = LogFile::of(input.fill_buf()?);
    Ok((input, kind))
}

/// Makes the samples of logs where the index has none of another source; returns their names, and how many are new. The
/// reader of a log's answers reports what cannot be read in it.
///
/// # Errors
/// A file that cannot be opened, and those of an import.
pub fn import_logged(
    store: &mut Store,
    monitor: &Monitor,
    options: &LoggedOptions,
) -> Result<Vec<DatasetReport>, DatasetError> {
    let is_ours =
        |origin: &Origin| matches!(origin, Origin::Dataset(name) if name.starts_with(PREFIX));
    if !store.origins()?.values().all(is_ours) {
        return Ok(Vec::new());
    }
    let folder = options.folder()?;
    let mut tasks = Tasks {
        store,
        monitor,
        options,
        folder: folder.path(),
        open: BTreeMap::new(),
    };
    for path in &options.files {
        tasks.file(path)?;
    }
    let mut open = std::mem::take(&mut tasks.open);
    open.retain(|_, task| task.n_new > 0);
    if !open.is_empty() {
        add_known(store, monitor, &mut open)?;
    }
    let tasks = open.into_iter();
    tasks
        .map(|(name, task)| write_task(store, monitor, name, task))
        .collect()
}

impl LoggedOptions {
    fn folder(&self) -> Result<tempfile::TempDir, DatasetError> {
        let first = self.files.first().cloned().unwrap_or_default();
        tempfile::tempdir().map_err(|source| DatasetError::Read {
            path: first,
            source,
        })
    }
}

/// The samples of one task while logs are read.
struct LoggedTask {
    path: PathBuf,
    lines: BufWriter<File>,
    keys: BTreeSet<SampleKey>,
    n_new: u64,
}

impl LoggedTask {
    fn unusable(&self, source: std::io::Error) -> DatasetError {
        DatasetError::Read {
            path: self.path.clone(),
            source,
        }
    }
}

struct Tasks<'t> {
    store: &'t Store,
    monitor: &'t Monitor,
    options: &'t LoggedOptions,
    folder: &'t Path,
    open: BTreeMap<String, LoggedTask>,
}

impl Tasks<'_> {
    fn file(&mut self, path: &Path) -> Result<(), DatasetError> {
        let unreadable = |source| DatasetError::Read {
            path: path.to_owned(),
            source,
        };
        let (mut input, kind) = open(path).map_err(unreadable)?;
        let mut name = None;
        let mut each = |part| {
            self.monitor.step()?;
            match part {
                LogPart::Head(head) => {
                    let task = head.eval.task.filter(|task| !task.trim().is_empty());
                    name = Some(format!("{PREFIX}{}", task.as_deref().unwrap_or("unnamed")));
                }
                LogPart::Sample(record) => {
                    let sample = record.fields.ok().and_then(|fields| {
                        LoggedSample::of(&fields, self.options.id.as_deref()).ok()
                    });
                    if let (Some(sample), Some(name)) = (sample, &name) {
                        self.sample(name, &sample)?;
                    }
                }
            }
            Ok(())
        };
        match kind {
            Some(LogFile::Archive) => each_in_archive(input.into_inner(), &mut each),
            Some(LogFile::Object) => each_in_object(&mut input, &mut each),
            None => Ok(()),
        }
    }

    fn sample(&mut self, name: &str, sample: &LoggedSample) -> Result<(), DatasetError> {
        if SampleKey::parse(&sample.id).is_some() {
            // One of ours, which is somewhere else.
            return Ok(());
        }
        let key = SampleKey::of_named(name, &sample.id);
        let n_tasks = self.open.len();
        let path = self.folder.join(format!("{n_tasks}.jsonl"));
        let failed = |source| DatasetError::Read {
            path: path.clone(),
            source,
        };
        let task = match self.open.entry(name.to_owned()) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => place.insert(LoggedTask {
                lines: BufWriter::new(File::create(&path).map_err(failed)?),
                path: path.clone(),
                keys: BTreeSet::new(),
                n_new: 0,
            }),
        };
        if !task.keys.insert(key) {
            return Ok(());
        }
        if self
            .store
            .sample_facts(&[key], None)?
            .iter()
            .all(Option::is_none)
        {
            task.n_new += 1;
            write_line(
                &mut task.lines,
                &line(name, key, sample, self.options.language),
            )
            .map_err(failed)?;
        }
        Ok(())
    }
}

/// Adds the samples of tasks that are in the index already: an import replaces a dataset's former samples.
fn add_known(
    store: &Store,
    monitor: &Monitor,
    tasks: &mut BTreeMap<String, LoggedTask>,
) -> Result<(), DatasetError> {
    each_exported(
        store,
        monitor,
        &ExportOptions::of(ExportFormat::Jsonl),
        |sample| {
            let Some(task) = tasks.get_mut(&sample.repo.identity) else {
                return Ok(false);
            };
            write_line(&mut task.lines, &lines::sample(sample, None))
                .map_err(|source| task.unusable(source))?;
            Ok::<_, DatasetError>(true)
        },
    )?;
    Ok(())
}

/// Imports the samples of a task, and removes its file.
fn write_task(
    store: &mut Store,
    monitor: &Monitor,
    name: String,
    mut task: LoggedTask,
) -> Result<DatasetReport, DatasetError> {
    task.lines.flush().map_err(|source| task.unusable(source))?;
    let dataset = DatasetOptions {
        name: Some(name),
        ..DatasetOptions::new(DatasetFormat::Jsonl, &task.path)
    };
    let report = import_dataset(store, monitor, &dataset)?;
    fs::remove_file(&task.path).map_err(|source| task.unusable(source))?;
    Ok(report)
}

/// Writes a sample as a line of `--format jsonl`: the target is the assertion of a test that has no more, and the input
/// stands for the focal method.
fn line(dataset: &str, key: SampleKey, sample: &LoggedSample, language: Language) -> Value {
    let word = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            c
        } else {
            '_'
        }
    };
    let method: String = sample.id.chars().map(word).collect();
    let n_lines = |text: &str| text.lines().count().max(1);
    let input = match sample.input.trim() {
        "" => "(nothing)",
        _ => &sample.input,
    };
    json!({
        "key": key.to_string(),
        "language": language.as_str(),
        "repo": {"name": dataset},
        "test": {"file": NO_FILE, "class": "_", "method": method, "signature": sample.id, "framework": "unknown",
                 "start_line": 1, "end_line": n_lines(&sample.target), "source": sample.target},
        "assertion": sample.target,
        "focal": {"file": NO_FILE, "class": "_", "method": "input", "signature": "input", "parameters": [],
                  "start_line": 1, "end_line": n_lines(input), "source": input},
        "match": {"matcher": "contest", "stage": "test_name", "weight": 1.0},
    })
}
