//! Plans the JVMs: the paths that they see, and their limits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sandbox::{Bind, Limits, ProgramPlan};

use crate::java::{Build, Jdk, Module};

use super::FastOptions;

/// The memory that a JVM needs besides its heap: classes, compiled code, stacks.
const BESIDE_HEAP_MIB: u64 = 1536;
/// The least heap (EXECUTION J26).
const HEAP_MIB_MIN: u64 = 1024;

/// The flag that replaces classes of a module; a JVM takes it once for each module.
pub const PATCHING: &str = "--patch-module";

/// The file that the maker of mutants writes its answer to.
pub const MADE: &str = "made.json";
/// The longest time that the maker may take; two thousand mutants take a few seconds.
const TO_MAKE: Duration = Duration::from_secs(600);

/// Flags that keep tests from loading an agent into the running JVM: it could change the code that judges later
/// candidates. A JVM may not know all of them, so `-XX:+IgnoreUnrecognizedVMOptions` stands before them.
const SEALED: [&str; 3] = [
    "-XX:+DisableAttachMechanism",
    "-XX:-EnableDynamicAgentLoading",
    "-Djdk.attach.allowAttachSelf=false",
];

/// Finds the agent that mocking libraries load into their own JVM, where the module has it. It is started with the JVM
/// instead, and Mockito looks for such an agent first (`ByteBuddyAgent.install`).
fn mocking_agent(module: &Module) -> Option<&PathBuf> {
    let is_it = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let is_jar = path.extension().is_some_and(|extension| extension == "jar");
        is_jar && stem.is_some_and(|stem| stem.starts_with("byte-buddy-agent"))
    };
    module.test_class_path.iter().find(|path| is_it(path))
}

/// Plans the start of a tool of the JDK without any arguments yet.
pub fn tool(jdk: &Jdk, name: &str) -> ProgramPlan {
    ProgramPlan::new(jdk.home.join("bin").join(name))
        .bind(Bind::read(&jdk.home))
        .env("JAVA_HOME", &jdk.home)
}

/// Finds the jar of the compiler's classes, where the JVM does not have them by itself: before Java 9.
pub fn compiler_jar(jdk: &Jdk) -> Option<PathBuf> {
    (jdk.feature < 9).then(|| jdk.home.join("lib/tools.jar"))
}

pub fn class_path(paths: &[PathBuf]) -> OsString {
    let mut joined = OsString::new();
    for (idx, path) in paths.iter().enumerate() {
        if idx > 0 {
            joined.push(":");
        }
        joined.push(path);
    }
    joined
}

/// Writes the flag of a JVM that takes the classes of a folder in place of its own.
pub fn patched(folder: &Path) -> String {
    format!("{PATCHING}=java.base={}", folder.display())
}

/// Plans a compiler: it sees everything, and writes classes to the `written` folders of `room`; the first is its
/// working folder.
pub fn compiler(
    build: &Build,
    options: &FastOptions,
    worker: &Path,
    (room, written): (&Path, &[&str]),
) -> ProgramPlan {
    let mut path = vec![worker.to_owned()];
    path.extend(build.jacoco.iter().cloned());
    path.extend(compiler_jar(&build.jdk));
    let mut plan = tool(&build.jdk, "java")
        .args(["-Xmx1g", "-Xss16m", "-XX:+UseSerialGC", "-XX:-UsePerfData"])
        // The process ends before the second JIT compiler would pay off.
        .args(["-XX:TieredStopAtLevel=1"])
        .args(["-cp"])
        .args([class_path(&path)])
        .args(["focalist.Worker"])
        .bind(Bind::read(worker))
        .bind(Bind::read(room));
    for name in written {
        plan = plan.bind(Bind::write(room.join(name)));
    }
    let folder = written.first().map(|text| room.join(text));
    let mut plan = seen(plan, build, options).in_folder(folder.unwrap_or_default());
    plan.limits = limits(2048);
    plan
}

/// Plans the program that puts faults into classes: it sees everything, runs no code of the project, and writes to a
/// folder.
pub fn maker(build: &Build, options: &FastOptions, program: &Path, written: &Path) -> ProgramPlan {
    let mut path = vec![program.to_owned()];
    path.extend(build.pit.iter().cloned());
    let plan = tool(&build.jdk, "java")
        .args(["-Xmx1g", "-Xss16m", "-XX:+UseSerialGC", "-XX:-UsePerfData"])
        .args(["-XX:TieredStopAtLevel=1"])
        .args(["-cp"])
        .args([class_path(&path)])
        .args(["focalist.Maker"])
        .args([written.join(MADE)])
        .bind(Bind::read(program))
        .bind(Bind::write(written));
    let mut plan = seen(plan, build, options).in_folder(written);
    plan.limits = limits(2048);
    plan.limits.wall = Some(TO_MAKE);
    plan
}

/// Plans the runner of a module's candidates: it sees the copy, the jars and the compiled classes, and writes nothing
/// that stays.
pub fn runner(
    build: &Build,
    module: &Module,
    options: &FastOptions,
    (worker, compiled): (&Path, &Path),
) -> ProgramPlan {
    let mut path = vec![worker.to_owned()];
    path.extend(build.jacoco.iter().cloned());
    // The system's class loader, too, must find files of the project.
    let folders = module
        .test_class_path
        .iter()
        .filter(|test_class_path| test_class_path.is_dir());
    path.extend(folders.cloned());
    let heap_mib = options.heap_mib.max(HEAP_MIB_MIN);
    // The project's own settings come later, and win.
    let mut plan = options.around.put_into(tool(&build.jdk, "java"));
    for (name, value) in &module.surefire.environment {
        if !matches!(name.as_str(), "HOME" | "TMPDIR" | "PATH") {
            plan = plan.env(name, value);
        }
    }
    // Tests are short, so the second JIT compiler would not pay off.
    plan = plan
        .args(["-ea", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
        .args(["-XX:-UsePerfData", "-XX:+IgnoreUnrecognizedVMOptions"])
        .args(["-XX:-OmitStackTraceInFastThrow"])
        .args(["-XX:MaxMetaspaceSize=768m", "-XX:-CreateCoredumpOnCrash"])
        .args(&options.around.flags);
    for flag in flags(&module.surefire.arg_line) {
        plan = plan.args([flag]);
    }
    if let Some(patch) = &options.patch {
        plan = plan.args([patched(patch)]).bind(Bind::read(patch));
    }
    // Of two contradicting flags the last one counts.
    plan = plan.args(SEALED);
    if let Some(agent) = mocking_agent(module) {
        plan = plan.args([format!("-javaagent:{}", agent.display())]);
    }
    plan = plan
        .args([format!("-Xmx{heap_mib}m")])
        .args(["-cp"])
        .args([class_path(&path)])
        .args(["focalist.Worker"])
        .bind(Bind::read(worker))
        .bind(Bind::read(compiled));
    let own = || working_folder(build, module);
    let folder = options.around.folder.clone().unwrap_or_else(own);
    let mut plan = seen(plan, build, options).in_folder(folder);
    plan.limits = limits(heap_mib + BESIDE_HEAP_MIB);
    plan
}

/// Finds the working folder of a module's tests, with links resolved. A folder outside the copy is not visible inside
/// the sandbox, and nothing would start there; the folder that the build names may be gone, and the build may have
/// replaced any folder by a link.
fn working_folder(build: &Build, module: &Module) -> PathBuf {
    let tree = build.tree.canonicalize();
    let tree = tree.unwrap_or_else(|_| build.tree.clone());
    let here = build.tree.join(&module.folder);
    let asked = module.surefire.working_folder.iter().chain([&here]);
    let mut real = asked.filter_map(|path| path.canonicalize().ok());
    let found = real.find(|path| path.starts_with(&tree) && path.is_dir());
    found.unwrap_or(tree)
}

fn limits(memory_mib: u64) -> Limits {
    Limits {
        memory_bytes: Some(memory_mib << 20),
        tmp_bytes: 256 << 20,
        n_tasks: 1024,
        ..Limits::default()
    }
}

fn seen(plan: ProgramPlan, build: &Build, options: &FastOptions) -> ProgramPlan {
    let mut plan = plan
        .bind(Bind::read(&build.tree))
        .bind(Bind::read(&build.repository))
        .bind(Bind::read(&build.shared));
    let mut others: Vec<&PathBuf> = build.jacoco.iter().chain(&options.more).collect();
    for module in &build.modules {
        others.extend(&module.test_class_path);
        others.extend(&module.launcher);
        others.extend(&module.surefire.class_path);
    }
    others.sort();
    others.dedup();
    for path in others {
        let places = [&build.tree, &build.repository, &build.shared];
        let is_seen = places.iter().any(|place| path.starts_with(place));
        if !is_seen && path.exists() {
            plan = plan.bind(Bind::read(path));
        }
    }
    plan
}

/// Lists the flags of an `argLine` that mean the same here: no agents, no sizes of the heap, no placeholders that Maven
/// would have filled.
pub fn flags(arg_line: &str) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    let mut words = words(arg_line).into_iter();
    while let Some(word) = words.next() {
        let is_ours = ["-javaagent:", "-agentlib:", "-agentpath:", "-Xmx", "-Xms", "-Xrun"]
            .iter()
            .any(|text| word.starts_with(text))
            // A JVM with two garbage collectors does not start.
            || (word.starts_with("-XX:+Use") && word.ends_with("GC"));
        let is_open = word.contains("${") || word.contains("@{");
        if matches!(word.as_str(), "-cp" | "-classpath" | "--class-path" | "-p") {
            words.next();
        } else if word.starts_with('-') && !is_ours && !is_open {
            flags.push(word);
            // The value of the flag follows as a word of its own.
            let last = flags.last().map(String::as_str);
            if matches!(
                last,
                Some("--add-opens" | "--add-exports" | "--add-reads" | "--add-modules")
            ) {
                flags.extend(words.next());
            }
        }
    }
    flags
}

/// Cuts a line into words as a shell would, by white space and quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_java_8_keeps_its_compiler_in_a_jar() {
        let jdk = |feature| Jdk {
            home: PathBuf::from("/jdk"),
            version: String::new(),
            feature,
        };
        let jar = Some(PathBuf::from("/jdk/lib/tools.jar"));
        assert_eq!(compiler_jar(&jdk(8)), jar);
        assert_eq!(compiler_jar(&jdk(9)), None);
    }

    #[test]
    fn an_arg_line_loses_agents_heap_and_placeholders() {
        let line = "@{argLine} -javaagent:/a.jar=x -Xmx64m ${other} -Dfile.encoding=UTF-8 \
                    --add-opens java.base/java.lang=ALL-UNNAMED -Dq='a b' -XX:+UseG1GC";
        let expected = [
            "-Dfile.encoding=UTF-8",
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "-Dq=a b",
        ];
        assert_eq!(flags(line), expected);
    }
}
