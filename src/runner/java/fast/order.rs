//! Classes with which a JDK iterates over unordered collections in the other direction: made from its own classes, once
//! for each JDK, and kept only where a JVM that starts with them does so.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::java::Build;
use crate::sandbox::{Bind, ProgramEnd, ProgramPlan, Root};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

use super::{Fast, plan, program};

/// The folder in the cache.
const FOLDER: &str = "java-order-classes";
/// How long one start may take.
const TO_START: Duration = Duration::from_secs(60);

impl Fast<'_> {
    /// Returns the folder of such classes, making it where it is missing; the inner error says why there can be none.
    ///
    /// # Errors
    /// Where nothing can be started or written.
    pub fn order(&self, monitor: &Monitor) -> Result<Result<PathBuf, String>, RunnerError> {
        let (site, build) = (self.site, self.build);
        let mut modules = build.modules.iter();
        if modules.any(|module| module.surefire.arg_line.contains(plan::PATCHING)) {
            return Ok(Err(format!(
                "the project has a `{}` of its own",
                plan::PATCHING
            )));
        }
        let program = program::order(site, &build.jdk, &build.pit, monitor)?;
        let key = key(build, &program);
        let parent = site.cache.join(FOLDER);
        let folder = parent.join(&key);
        if folder.is_dir() {
            return Ok(Ok(folder));
        }
        let scratch = site.sandbox.scratch()?;
        let made = make(site, (build, &program), &scratch, monitor)?;
        if made.is_ok() {
            Root::make(&parent).map_err(io_error(&parent))?;
            program::keep(&scratch, &parent, &key)?;
        }
        site.sandbox.remove(&scratch)?;
        Ok(made.map(|()| folder))
    }
}

/// Makes a name for the classes that one program makes for one JDK.
fn key(build: &Build, program: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in [program, &build.jdk.home] {
        let bytes = path.as_os_str().as_encoded_bytes();
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.update(build.jdk.version.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Writes the classes to a folder, and checks that a JVM with them changes the order.
fn make(
    site: &Site,
    (build, program): (&Build, &Path),
    folder: &Path,
    monitor: &Monitor,
) -> Result<Result<(), String>, RunnerError> {
    let mut path = vec![program.to_owned()];
    path.extend(build.pit.iter().cloned());
    let plan = |flags: &[String]| {
        let mut plan = plan::tool(&build.jdk, "java")
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
            .args(flags)
            .args(["-cp"])
            .args([plan::class_path(&path)])
            .args(["focalist.Order"])
            .bind(Bind::write(folder))
            .in_folder(folder);
        for path in &path {
            plan = plan.bind(Bind::read(path));
        }
        plan.limits.wall = Some(TO_START);
        plan
    };
    for plan in [plan(&[]).args([folder]), plan(&[plan::patched(folder)])] {
        if let Err(said) = call(site, &plan, monitor)? {
            return Ok(Err(said));
        }
    }
    Ok(Ok(()))
}

fn call(
    site: &Site,
    plan: &ProgramPlan,
    monitor: &Monitor,
) -> Result<Result<(), String>, RunnerError> {
    let finished = site.sandbox.run(plan, b"", monitor)?;
    if finished.ending.end == ProgramEnd::Exited(0) {
        return Ok(Ok(()));
    }
    let said = finished.errors.text();
    let first = said.lines().next().unwrap_or_default();
    Ok(Err(format!("this JDK does not start with it: {first}")))
}
