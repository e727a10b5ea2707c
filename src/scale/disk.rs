//! Sizes and hashes of files, and whether the machine has been started again since.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Reads a text that changes with each start of the machine; nothing where the system has none.
pub(crate) fn boot() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Measures the disk space of a folder, as far as it can be seen.
pub(crate) fn size_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size_bytes(&entry.path()),
            _ => entry.metadata().map_or(0, |metadata| metadata.len()),
        })
        .sum()
}

/// Measures and hashes a file.
pub(crate) fn hash(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut n_bytes = 0;
    loop {
        let n_read = io::Read::read(&mut file, &mut buffer)?;
        if n_read == 0 {
            return Ok((n_bytes, hasher.finalize().to_hex()[..32].to_owned()));
        }
        hasher.update(&buffer[..n_read]);
        n_bytes += n_read as u64;
    }
}
