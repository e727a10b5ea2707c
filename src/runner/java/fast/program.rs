//! Our own programs that run in a JVM: their sources are embedded, and each JDK compiles them once.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::{Bind, ProgramEnd, ProgramPlan, Root};
use crate::task::Monitor;
use crate::{RunnerError, Site};

use crate::io_error;
use crate::java::Jdk;

use super::plan;

/// One of our programs in Java.
struct Program {
    /// The folder in the cache.
    folder: &'static str,
    sources: &'static [(&'static str, &'static str)],
    options: &'static [&'static str],
    /// The jar that a JVM is started with: its manifest and its classes.
    jar: Option<(&'static str, &'static [&'static str])>,
}

/// The worker, which needs JaCoCo's core and ASM.
const WORKER: Program = Program {
    folder: "java-worker",
    sources: &[
        ("Begins", include_str!("../worker/Begins.java")),
        ("Blocks", include_str!("../worker/Blocks.java")),
        ("Called", include_str!("../worker/Called.java")),
        ("Compiler", include_str!("../worker/Compiler.java")),
        ("Coverage", include_str!("../worker/Coverage.java")),
        ("Faults", include_str!("../worker/Faults.java")),
        ("Json", include_str!("../worker/Json.java")),
        ("Loaders", include_str!("../worker/Loaders.java")),
        ("Methods", include_str!("../worker/Methods.java")),
        ("Parts", include_str!("../worker/Parts.java")),
        ("Powers", include_str!("../worker/Powers.java")),
        ("Probes", include_str!("../worker/Probes.java")),
        ("Project", include_str!("../worker/Project.java")),
        ("Reach", include_str!("../worker/Reach.java")),
        ("Runs", include_str!("../worker/Runs.java")),
        ("Statics", include_str!("../worker/Statics.java")),
        ("Streams", include_str!("../worker/Streams.java")),
        ("Totals", include_str!("../worker/Totals.java")),
        ("Traces", include_str!("../worker/Traces.java")),
        ("Trouble", include_str!("../worker/Trouble.java")),
        ("Worker", include_str!("../worker/Worker.java")),
    ],
    options: &[],
    jar: None,
};

/// The agent that tells whether a test has entered its focal method, which needs ASM.
const AGENT: Program = Program {
    folder: "java-agent",
    sources: &[
        ("Agent", include_str!("../agent/Agent.java")),
        ("Called", include_str!("../worker/Called.java")),
        ("Entered", include_str!("../agent/Entered.java")),
        ("Hooks", include_str!("../agent/Hooks.java")),
        ("Methods", include_str!("../worker/Methods.java")),
    ],
    // A project may run its tests in an older JVM than it is built with.
    options: &["-source", "8", "-target", "8"],
    jar: Some((
        "Premain-Class: focalist.Agent\nBoot-Class-Path: agent.jar\n",
        &["focalist/Agent.class", "focalist/Entered.class"],
    )),
};

/// The program that puts faults into classes; it needs PIT, and Java 11 as PIT does.
const MAKER: Program = Program {
    folder: "java-maker",
    sources: &[
        ("Code", include_str!("../maker/Code.java")),
        ("Json", include_str!("../worker/Json.java")),
        ("Maker", include_str!("../maker/Maker.java")),
        ("Methods", include_str!("../worker/Methods.java")),
        ("Equals", include_str!("../maker/Equals.java")),
        ("Privates", include_str!("../maker/Privates.java")),
        ("Variants", include_str!("../maker/Variants.java")),
    ],
    options: &[],
    jar: None,
};

/// The program that makes a JDK iterate over sets in reverse; it needs ASM.
const ORDER: Program = Program {
    folder: "java-order",
    sources: &[("Order", include_str!("../order/Order.java"))],
    options: &[],
    jar: None,
};

/// Finds the folder of the worker's classes, or makes it.
pub fn worker(
    site: &Site,
    jdk: &Jdk,
    jacoco: &[PathBuf],
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    made(site, jdk, (&WORKER, jacoco), monitor)
}

/// Finds the folder of the agent's classes, with `agent.jar`, or makes it.
pub fn agent(
    site: &Site,
    jdk: &Jdk,
    jacoco: &[PathBuf],
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    made(site, jdk, (&AGENT, jacoco), monitor)
}

/// Finds the folder of the classes that put faults into code, or makes it.
pub fn maker(
    site: &Site,
    jdk: &Jdk,
    pit: &[PathBuf],
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    made(site, jdk, (&MAKER, pit), monitor)
}

/// Finds the folder of the classes that make a JDK go through sets in reverse, or makes it.
pub fn order(
    site: &Site,
    jdk: &Jdk,
    pit: &[PathBuf],
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    made(site, jdk, (&ORDER, pit), monitor)
}

fn made(
    site: &Site,
    jdk: &Jdk,
    (program, jacoco): (&Program, &[PathBuf]),
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in program.sources {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    for word in program
        .options
        .iter()
        .chain(program.jar.iter().map(|jar| &jar.0))
    {
        hasher.update(word.as_bytes());
    }
    hasher.update(jdk.version.as_bytes());
    for jar in jacoco {
        hasher.update(jar.as_os_str().as_encoded_bytes());
    }
    let key = hasher.finalize().to_hex();
    let parent = site.cache.join(program.folder);
    let folder = parent.join(&key[..16]);
    if folder.is_dir() {
        return Ok(folder);
    }
    Root::make(&parent).map_err(io_error(&parent))?;
    let scratch = site.sandbox.scratch()?;
    compile(site, jdk, (program, jacoco, &scratch), monitor)?;
    keep(&scratch.join("classes"), &parent, &key[..16])?;
    site.sandbox.remove(&scratch)?;
    Ok(folder)
}

/// Copies a folder into another one under a name. Where another process was faster, its copy stays: the content is the
/// same.
pub fn keep(from: &Path, parent: &Path, name: &str) -> Result<(), RunnerError> {
    let made = parent.join(format!("{name}-{}", token()));
    copy(from, &made).map_err(io_error(&made))?;
    if fs::rename(&made, parent.join(name)).is_err() {
        fs::remove_dir_all(&made).map_err(io_error(&made))?;
    }
    Ok(())
}

fn compile(
    site: &Site,
    jdk: &Jdk,
    (program, jacoco, scratch): (&Program, &[PathBuf], &Path),
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    let root = Root::open(scratch).map_err(io_error(scratch))?;
    let scratch = root.path();
    let (sources, classes) = (scratch.join("sources"), scratch.join("classes"));
    for folder in [&sources, &classes] {
        root.create_folder(folder).map_err(io_error(folder))?;
    }
    let mut path = jacoco.to_vec();
    path.extend(plan::compiler_jar(jdk));
    let mut plan = plan::tool(jdk, "javac")
        .args(["-g", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp"])
        .args([plan::class_path(&path)])
        .args(program.options)
        .args(["-d"])
        .args([&classes])
        .bind(Bind::write(scratch))
        .in_folder(scratch);
    for jar in jacoco {
        plan = plan.bind(Bind::read(jar));
    }
    for (name, text) in program.sources {
        let path = sources.join(format!("{name}.java"));
        root.write(&path, text).map_err(io_error(&path))?;
        plan = plan.args([path]);
    }
    call(site, &plan, monitor)?;
    let Some((manifest, names)) = program.jar else {
        return Ok(());
    };
    let path = scratch.join("MANIFEST");
    root.write(&path, manifest).map_err(io_error(&path))?;
    let plan = plan::tool(jdk, "jar")
        .args(["cfm", "agent.jar"])
        .args([&path])
        .args(names)
        .bind(Bind::write(scratch))
        .in_folder(&classes);
    call(site, &plan, monitor)
}

/// Runs a tool of the JDK.
fn call(site: &Site, plan: &ProgramPlan, monitor: &Monitor) -> Result<(), RunnerError> {
    let finished = site.sandbox.run(plan, b"", monitor)?;
    if finished.ending.end == ProgramEnd::Exited(0) {
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

/// Makes a random word of 32 hexadecimal digits, which tests cannot guess.
pub fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
}
