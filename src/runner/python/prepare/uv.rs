//! `uv`: the installed one, else a downloaded one.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sandbox::{EntryKind, Root};
use crate::{RunnerError, io_error};

use super::super::interpreter::Python;
use super::clean::{DownloadSite, Tools};
use super::steps::PreparationSteps;

/// The version to download, with the SHA-256 of its wheels for Linux, as the registry has them: x86-64, then 64-bit
/// ARM.
const VERSION: &str = "0.13.9";
const HASHES: [&str; 4] = [
    "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25",
    "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
    "ecb6028d79dc96fbeafffe5c8af62a7099487ebc05a701e76714eebcffd06375",
];
/// The largest file with `pyenv`'s choice of a version that is read.
const N_BYTES_MAX: u64 = 4 << 10;

/// Finds an installed `uv`. A script that chooses one would not see its settings inside the sandbox, so the choice of
/// `pyenv` is followed to the program itself.
pub fn find(path: &OsStr, home: Option<&Path>) -> Option<PathBuf> {
    let pyenv = home.and_then(|home| Root::open(&home.join(".pyenv")).ok());
    let chosen = pyenv
        .as_ref()
        .and_then(|pyenv| pyenv.read_text("version", N_BYTES_MAX).ok());
    let versions = chosen.iter().flat_map(|text| text.split_whitespace());
    let of_pyenv = versions
        .zip(pyenv.iter().cycle())
        .map(|(version, pyenv)| pyenv.path().join("versions").join(version).join("bin"));
    let found = std::env::split_paths(path).chain(of_pyenv);
    found.into_iter().find_map(|folder| program(&folder))
}

/// Finds the `uv` in a folder, where it is a program and no script.
fn program(folder: &Path) -> Option<PathBuf> {
    let path = std::fs::canonicalize(folder.join("uv")).ok()?;
    let folder = Root::open(path.parent()?).ok()?;
    let mut file = folder.open_file(path.file_name()?).ok()?;
    let mode = file.metadata().ok()?.permissions().mode();
    let mut start = [0; 2];
    file.read_exact(&mut start).ok()?;
    (mode & 0o111 != 0 && start != *b"#!").then_some(path)
}

/// Finds the `uv` of the cache, or downloads it; nothing where it cannot be had.
pub fn bring(
    tools: &Tools,
    (clean, steps): (&DownloadSite<'_>, &mut PreparationSteps<'_>),
    python: &Python,
) -> Result<Option<PathBuf>, RunnerError> {
    let name = format!("uv-{VERSION}");
    let path = tools.path(&name).join("bin/uv");
    let _lock = tools.lock(&name)?;
    if tools.is_whole(&name) {
        return Ok(Some(path));
    }
    if clean.is_offline() {
        return Ok(None);
    }
    let Some(pip) = tools.pip((clean, steps), python, None)? else {
        return Ok(None);
    };
    let folder = tools.anew(&name)?;
    let hashes = HASHES.map(|hash| format!(" --hash=sha256:{hash}"));
    let asked = format!("uv=={VERSION}{}\n", hashes.concat());
    folder
        .write("asked.txt", asked)
        .map_err(io_error(folder.path()))?;
    let plan = clean.plan(pip.program.as_os_str(), &[folder.path()]);
    let plan = pip
        .bound(plan)
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--no-cache-dir", "--require-hashes"])
        .args(["--only-binary", ":all:", "-r", "asked.txt", "--target"])
        .args([folder.path()]);
    let done = steps.run(&format!("bring uv {VERSION}"), plan)?;
    let kind = folder.kind("bin/uv").map_err(io_error(folder.path()))?;
    if !done.is_ok || kind != Some(EntryKind::File) {
        return Ok(None);
    }
    tools.finish(&name)?;
    Ok(Some(path))
}
