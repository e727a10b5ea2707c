//! The files of a training in its folder, with which it can continue and its model can be used.
//!
//! ```text
//! model.bin        the weights of the best validation
//! checkpoint.bin   the last weights, the optimiser's means, and how far the training is
//! vocabulary.json  what the model reads and writes
//! log.jsonl        what happened
//! lock             held while somebody trains
//! ```
//!
//! Both `.bin` are a line of JSON, numbers, and a hash of all before it. They are written beside and renamed: what is
//! there is whole.

use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::failure::{Failure, Result};

/// The progress of a training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub step: u64,
    pub epoch: u64,
    /// The next batch of the epoch.
    pub batch: usize,
    /// Numbers computed so far, without padding.
    pub n_tokens: u64,
    pub seconds: f64,
    /// The least validation loss, its step, and how many validations in a row since then had none that is less.
    pub best: Option<f64>,
    pub best_step: u64,
    pub n_worse: u32,
    /// Whether it ended by itself.
    pub is_done: bool,
}

/// The first line of a file of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub version: u32,
    pub config: Config,
    pub n_pieces: usize,
    /// The hash of the vocabulary.
    pub vocabulary: String,
    /// The hash of the samples.
    pub data: String,
    pub seed: u64,
    pub progress: Progress,
    /// The length of each parameter, in numbers.
    pub lens: Vec<usize>,
    /// Steps of the optimiser.
    pub n_steps: u64,
    /// The length of each of its means, in numbers.
    pub means: Vec<usize>,
}

pub const VERSION: u32 = 1;

/// The paths of a training.
#[derive(Clone, Debug)]
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    #[must_use]
    pub fn model(&self) -> PathBuf {
        self.path.join("model.bin")
    }

    #[must_use]
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.bin")
    }

    #[must_use]
    pub fn vocabulary(&self) -> PathBuf {
        self.path.join("vocabulary.json")
    }

    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.path.join("log.jsonl")
    }

    /// Makes the folder and takes its lock, which is released with the returned file, however this program ends.
    ///
    /// # Errors
    /// When another training works there, and when the folder cannot be written.
    pub fn lock(&self) -> Result<File> {
        fs::create_dir_all(&self.path).map_err(Failure::output(&self.path))?;
        let path = self.path.join("lock");
        let file = File::create(&path).map_err(Failure::output(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy(format!(
                "another training works in `{}`",
                self.path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Failure::output(&path)(error)),
        }
    }
}

/// Writes a new file beside `path` and renames it.
///
/// # Errors
/// When the disk does not take it; what was there before is still there.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let beside = path.with_extension("new");
    let written = (|| {
        let mut file = BufWriter::new(File::create(&beside)?);
        write(&mut file)?;
        let file = file
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&beside, path)
    })();
    written.map_err(|error| {
        // Half a file is of no use; a failure to remove it does not matter.
        let _ = fs::remove_file(&beside);
        Failure::output(path)(error)
    })
}

/// Writes a head and its numbers.
///
/// # Errors
/// When the disk does not take it.
pub fn write(path: &Path, head: &Head, numbers: &[&[Vec<f32>]]) -> Result<()> {
    replace(path, |file| {
        let mut hasher = blake3::Hasher::new();
        let mut put = |bytes: &[u8]| {
            hasher.update(bytes);
            file.write_all(bytes)
        };
        let mut line = serde_json::to_vec(head)?;
        line.push(b'\n');
        put(&line)?;
        let mut bytes = Vec::new();
        for row in numbers.iter().flat_map(|rows| rows.iter()) {
            bytes.clear();
            bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
            put(&bytes)?;
        }
        let hash = hasher.finalize();
        file.write_all(hash.as_bytes())
    })
}

/// A file that was read.
#[derive(Debug)]
pub struct Stored {
    pub head: Head,
    pub parameters: Vec<Vec<f32>>,
    pub means: Vec<Vec<f32>>,
}

/// Reads a file of numbers.
///
/// # Errors
/// When the file is missing, cut off, changed, or of another version.
pub fn read(path: &Path) -> Result<Stored> {
    let bytes = fs::read(path).map_err(|error| Failure::input(path, error))?;
    let damaged = || Failure::input(path, "it is cut off or damaged: its hash does not fit");
    let (content, hash) = bytes
        .split_at_checked(bytes.len().saturating_sub(blake3::OUT_LEN))
        .ok_or_else(damaged)?;
    if blake3::hash(content).as_bytes().as_slice() != hash {
        return Err(damaged());
    }
    let end = content
        .iter()
        .position(|byte| *byte == b'\n')
        .ok_or_else(damaged)?;
    let head: Head = serde_json::from_slice(&content[..end])
        .map_err(|error| Failure::input(path, format!("no checkpoint: {error}")))?;
    if head.version != VERSION {
        let message = format!(
            "it is of version {}, this program writes {VERSION}",
            head.version
        );
        return Err(Failure::input(path, message));
    }
    let mut rest = &content[end + 1..];
    let mut take = |lens: &[usize]| {
        let mut rows = Vec::with_capacity(lens.len());
        for len in lens {
            let (row, behind) = rest.split_at_checked(4 * len)?;
            rest = behind;
            let numbers = row.chunks_exact(4).map(|chunk| {
                let mut four = [0; 4];
                four.copy_from_slice(chunk);
                f32::from_le_bytes(four)
            });
            rows.push(numbers.collect::<Vec<f32>>());
        }
        Some(rows)
    };
    let parameters = take(&head.lens).ok_or_else(damaged)?;
    let means = take(&head.means).ok_or_else(damaged)?;
    Ok(Stored {
        head,
        parameters,
        means,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Folder, Head, Progress, VERSION, read, write};
    use crate::config::Config;

    fn head() -> Head {
        Head {
            version: VERSION,
            config: Config::named("tiny").expect("it is a size"),
            n_pieces: 3,
            vocabulary: String::new(),
            data: String::new(),
            seed: 1,
            progress: Progress::default(),
            lens: vec![2, 1],
            n_steps: 0,
            means: Vec::new(),
        }
    }

    #[test]
    fn what_was_written_is_read_and_what_is_cut_off_is_not() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a.bin");
        let numbers = vec![vec![1.0, f32::MIN_POSITIVE], vec![-0.5]];
        write(&path, &head(), &[&numbers]).expect("there is room");
        let stored = read(&path).expect("it is whole");
        assert_eq!((stored.head, stored.parameters), (head(), numbers));
        let bytes = fs::read(&path).expect("it is there");
        for n in [0, 5, 40, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..n]).expect("there is room");
            let error = read(&path).expect_err("it is cut off").to_string();
            assert!(error.contains("cut off"), "{error}");
        }
    }

    #[test]
    fn two_trainings_do_not_share_a_folder() {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = Folder::new(folder.path());
        let first = folder.lock().expect("it is free");
        let error = folder.lock().expect_err("it is taken");
        assert_eq!(error.code(), 75);
        drop(first);
        assert!(folder.lock().is_ok());
    }
}
