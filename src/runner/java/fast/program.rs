//! The worker's own program: its sources come with us, and each JDK compiles them once.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::{Bind, End};
use crate::task::Monitor;
use crate::{RunnerError, Site};

use crate::io_error;
use crate::java::Jdk;

use super::plan;

/// The worker, which needs JaCoCo's core and ASM.
const WORKER: &[(&str, &str)] = &[
    ("Compiler", include_str!("../worker/Compiler.java")),
    ("Coverage", include_str!("../worker/Coverage.java")),
    ("Json", include_str!("../worker/Json.java")),
    ("Loaders", include_str!("../worker/Loaders.java")),
    ("Methods", include_str!("../worker/Methods.java")),
    ("Probes", include_str!("../worker/Probes.java")),
    ("Project", include_str!("../worker/Project.java")),
    ("Runs", include_str!("../worker/Runs.java")),
    ("Streams", include_str!("../worker/Streams.java")),
    ("Traces", include_str!("../worker/Traces.java")),
    ("Trouble", include_str!("../worker/Trouble.java")),
    ("Worker", include_str!("../worker/Worker.java")),
];

/// Returns the folder of the worker's classes, made where it is not there.
pub fn worker(
    site: &Site,
    jdk: &Jdk,
    jacoco: &[PathBuf],
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in WORKER {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    hasher.update(jdk.version.as_bytes());
    for jar in jacoco {
        hasher.update(jar.as_os_str().as_encoded_bytes());
    }
    let key = hasher.finalize().to_hex();
    let parent = site.cache.join("java-worker");
    let folder = parent.join(&key[..16]);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&parent).map_err(io_error(&parent))?;
    let scratch = site.sandbox.scratch()?;
    compile(site, jdk, (jacoco, &scratch), monitor)?;
    // Whoever is second has the same, and the first one's stays.
    let made = parent.join(format!("{}-{}", &key[..16], token()));
    copy(&scratch.join("classes"), &made).map_err(io_error(&made))?;
    if fs::rename(&made, &folder).is_err() {
        fs::remove_dir_all(&made).map_err(io_error(&made))?;
    }
    site.sandbox.remove(&scratch)?;
    Ok(folder)
}

fn compile(
    site: &Site,
    jdk: &Jdk,
    (jacoco, scratch): (&[PathBuf], &Path),
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    let (sources, classes) = (scratch.join("sources"), scratch.join("classes"));
    for folder in [&sources, &classes] {
        fs::create_dir(folder).map_err(io_error(folder))?;
    }
    let mut plan = plan::tool(jdk, "javac")
        .args(["-g", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp"])
        .args([plan::class_path(jacoco)])
        .args(["-d"])
        .args([&classes])
        .bind(Bind::write(scratch))
        .in_folder(scratch);
    for jar in jacoco {
        plan = plan.bind(Bind::read(jar));
    }
    for (name, text) in WORKER {
        let path = sources.join(format!("{name}.java"));
        fs::write(&path, text).map_err(io_error(&path))?;
        plan = plan.args([path]);
    }
    let finished = site.sandbox.run(&plan, b"", monitor)?;
    if finished.ending.end == End::Exited(0) {
        return Ok(());
    }
    Err(RunnerError::Worker {
        what: "Java compiler",
        said: finished.errors.text() + &finished.output.text(),
    })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &there)?;
        } else {
            fs::copy(entry.path(), there)?;
        }
    }
    Ok(())
}

/// Returns a word that nobody guesses.
pub fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
}
