//! The verbs on a shard of a run (`eval --shard`, `execute --shard`, `generate --shard`): a workspace of its own, in
//! which the calling verb does the work, and which gets its name at the end.
//!
//! Idempotent as mining a shard is: a folder that is done is left alone, a half finished one (`NAME.part`) is
//! continued, as these verbs skip what is stored already.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::exchange;
use crate::exchange::shards::WirePart;
use crate::store::Store;

use super::disk::hash;
use super::plan::slice_of;
use super::run::planned_run;
use super::shard::{REPORT_FILE, ShardError, at, file_name, lock, read, remove};

#[derive(Clone, Debug)]
pub struct PartOptions {
    pub shard: PathBuf,
    pub output: PathBuf,
    /// `eval`, `execute` or `generate`.
    pub verb: &'static str,
    /// All options that decide the outcome, as text: a part counts as done only for the same options.
    pub asked: String,
}

/// A shard of a run that is being worked on.
pub struct RunPart {
    /// The folder that holds `.focalist`.
    pub folder: PathBuf,
    output: PathBuf,
    report: WirePart,
    began: Instant,
    /// Held until it is done.
    _lock: File,
}

/// Makes a workspace for a shard of a run, or goes on with one; nothing where it is done.
///
/// # Errors
/// See [`ShardError`].
pub fn begin_part(options: &PartOptions) -> Result<Option<RunPart>, ShardError> {
    let list = read(&options.shard)?;
    let slice = slice_of(&options.shard);
    let beside = options.shard.parent().unwrap_or(Path::new("."));
    let planned = planned_run(beside);
    let has_index = planned
        .as_ref()
        .is_some_and(|planned_run| planned_run.prompts.is_none());
    if planned.is_none() || (options.verb == "generate") == has_index {
        return Err(ShardError::NotOfVerb {
            path: options.shard.clone(),
            verb: options.verb,
        });
    }
    let (_, index_hash) = if has_index {
        hash(&slice).map_err(|source| ShardError::Read {
            path: slice.clone(),
            source,
        })?
    } else {
        (0, String::new())
    };
    let stamp = stamp(&[
        &list,
        index_hash.as_bytes(),
        options.verb.as_bytes(),
        options.asked.as_bytes(),
        env!("CARGO_PKG_VERSION").as_bytes(),
    ]);
    let output = std::path::absolute(&options.output).map_err(at(&options.output))?;
    if is_done(&output, &stamp)? {
        return Ok(None);
    }
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let beside = output.parent().unwrap_or(Path::new("/")).to_owned();
    fs::create_dir_all(&beside).map_err(at(&beside))?;
    let lock = lock(&beside.join(format!(".{name}.lock")), &output)?;
    // The process that had the lock may have done it.
    if is_done(&output, &stamp)? {
        return Ok(None);
    }
    let folder = output.with_file_name(format!("{name}.part"));
    let stamped = folder.join("stamp");
    if fs::read_to_string(&stamped).ok().as_deref() != Some(&stamp) {
        // Another shard, other options or another version: nothing of it is of use.
        remove(&folder)?;
        let workspace = folder.join(".focalist");
        fs::create_dir_all(&workspace).map_err(at(&workspace))?;
        if has_index {
            let index = workspace.join(Store::FILE_NAME);
            fs::copy(&slice, &index).map_err(at(&index))?;
        }
        fs::write(&stamped, &stamp).map_err(at(&stamped))?;
    }
    Ok(Some(RunPart {
        folder,
        output,
        report: WirePart {
            focalist: env!("CARGO_PKG_VERSION").to_owned(),
            stamp,
            shard: file_name(&options.shard),
            verb: options.verb.to_owned(),
            wall_ms: 0,
        },
        began: Instant::now(),
        _lock: lock,
    }))
}

impl RunPart {
    /// Writes the report and gives the folder its final name.
    ///
    /// # Errors
    /// The disk's; trying again helps.
    pub fn finish(mut self) -> Result<(), ShardError> {
        self.report.wall_ms = self.began.elapsed().as_millis() as u64;
        let path = self.folder.join(REPORT_FILE);
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            exchange::write_pretty(&mut file, &self.report)?;
            file.flush()?;
            // The folder gets its name only when its content is on the disk.
            file.sync_all()
        };
        write().map_err(at(&path))?;
        let stamped = self.folder.join("stamp");
        fs::remove_file(&stamped).map_err(at(&stamped))?;
        fs::rename(&self.folder, &self.output).map_err(at(&self.output))
    }
}

fn stamp(fields: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Tells whether the folder holds this very part, done; refuses a folder that holds something else.
fn is_done(output: &Path, stamp: &str) -> Result<bool, ShardError> {
    let mut entries = match fs::read_dir(output) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(at(output)(error)),
    };
    if entries.next().is_none() {
        return Ok(false);
    }
    let report = fs::read(output.join(REPORT_FILE)).ok();
    let report = report.and_then(|report| exchange::parse::<WirePart>(&report).ok());
    if report.is_some_and(|wire_part| wire_part.stamp == stamp) {
        Ok(true)
    } else {
        Err(ShardError::Other {
            path: output.to_owned(),
        })
    }
}
