//! Files that a command writes: never over one that is there unless `--force`, and never half of one.
//!
//! An output lies beside its place, as `NAME.part`, until it is whole. So a command that fails or is killed leaves no
//! file that it, run again, would refuse to replace.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::args;
use crate::failure::{ExitCode, Failure, Stop};

/// A file that gets its name when it is finished.
pub struct Output {
    file: BufWriter<File>,
    /// The temporary path and the final one; nothing for devices and pipes, which are written as they are.
    places: Option<(PathBuf, PathBuf)>,
    replaces: bool,
}

/// Refuses a file that is there. To be asked before the work begins.
///
/// # Errors
/// The file is there, and nobody said that it may be replaced.
pub fn check(path: &Path, force: args::Force) -> Result<(), Stop> {
    if !force.force && fs::symlink_metadata(path).is_ok() && !is_device(path) {
        return Err(is_there(path));
    }
    Ok(())
}

fn is_there(path: &Path) -> Stop {
    // Nothing replaces a folder that no command wrote.
    if path.is_dir() && !is_written(path) {
        return is_folder(path);
    }
    let message = format!("`{}` exists already", path.display());
    Failure::new(ExitCode::Usage, message)
        .with_hint("`--force` replaces it")
        .into()
}

fn is_folder(path: &Path) -> Stop {
    let message = format!("`{}` exists already, and is a folder", path.display());
    Failure::new(ExitCode::Usage, message).into()
}

/// Tells whether a folder is one that a command wrote.
fn is_written(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}

/// Tells whether a path is neither a file nor a folder, but something like `/dev/stdout`.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Begins the file that `--output` names.
///
/// # Errors
/// As [`check`], a folder that is there, and the disk's.
pub fn create(path: &Path, force: args::Force) -> Result<Output, Stop> {
    if path.is_dir() {
        return Err(is_folder(path));
    }
    check(path, force)?;
    if is_device(path) {
        let file = File::options().write(true).open(path);
        let file = file.map_err(Failure::unwritable(path))?;
        return Ok(Output {
            file: BufWriter::new(file),
            places: None,
            replaces: true,
        });
    }
    // A link goes on pointing where it does.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = place.with_file_name(name);
    let file = File::create(&part).map_err(Failure::unwritable(path))?;
    Ok(Output {
        file: BufWriter::new(file),
        places: Some((part, place)),
        replaces: force.force,
    })
}

/// A folder that gets its name when it is finished.
pub struct OutputFolder {
    /// The temporary path; `place` is the final one.
    part: PathBuf,
    place: PathBuf,
    is_finished: bool,
}

/// The file that tells a folder that a command wrote from one of the user's.
const MANIFEST: &str = "manifest.json";

/// Begins the folder that `--output` names.
///
/// # Errors
/// As [`check`]; an empty folder may be filled, and `--force` replaces only what such a command wrote. And the disk's.
pub fn create_folder(path: &Path, force: args::Force) -> Result<OutputFolder, Stop> {
    let is_empty = fs::read_dir(path).is_ok_and(|mut entry| entry.next().is_none());
    if !is_empty {
        check(path, force)?;
    }
    if fs::symlink_metadata(path).is_ok() && !is_empty && !is_written(path) {
        let message = format!("`{}` is not the folder of an export", path.display());
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    // A link goes on pointing where it does.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = place.with_file_name(name);
    let made = match fs::remove_dir_all(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir(&part),
    };
    made.map_err(Failure::unwritable(path))?;
    Ok(OutputFolder {
        part,
        place,
        is_finished: false,
    })
}

impl OutputFolder {
    /// Returns the folder to write into.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Gives the folder its name; a folder of that name is replaced.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<(), Stop> {
        let replace = || {
            match fs::remove_dir_all(&self.place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::rename(&self.part, &self.place)
        };
        replace().map_err(Failure::unwritable(&self.place))?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_finished {
            // What is left of it is in nobody's way: the next one begins it anew.
            let _gone = fs::remove_dir_all(&self.part);
        }
    }
}

impl Output {
    /// Gives the file its name.
    ///
    /// # Errors
    /// The disk's, and where a file of this name has been made meanwhile.
    pub fn finish(mut self) -> Result<(), Stop> {
        self.file.flush()?;
        let Some((part, place)) = self.places.clone() else {
            return Ok(());
        };
        if !self.replaces && place.exists() {
            return Err(is_there(&place));
        }
        fs::rename(&part, &place).map_err(Failure::unwritable(&place))?;
        self.places = None;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.places {
            // What is left of it is in nobody's way: the next one begins it anew.
            let _gone = fs::remove_file(part);
        }
    }
}
