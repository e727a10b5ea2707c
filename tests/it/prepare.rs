//! Java projects that are really prepared: with this machine's Maven and JDK, in the sandbox, with downloads.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set. All share one cache, so that each file is downloaded once.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use focalist::cli::ExitCode;
use focalist::runner::java::{self, Build, Machine, PrepareOptions, PreparedBuild};
use focalist::runner::{RunnerError, Site};
use focalist::sandbox::{Sandbox, SandboxChoice, Tool};
use focalist::task::Monitor;
use serde_json::Value;

use crate::support::Place;

/// Only one test at a time rebuilds files that another test may be reading.
pub static TURN: Mutex<()> = Mutex::new(());

/// The folder of files that all tests need, kept between test runs.
pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Tells whether Maven is to be called; prints a message where it is not.
pub fn has_tools() -> bool {
    let is_needed = env::var_os("FOCALIST_NEED_TOOLS").is_some();
    if !is_needed {
        // Not by the macro, which the harness keeps for itself where a test passes.
        let said = "skipped: FOCALIST_NEED_TOOLS is not set";
        writeln!(io::stderr(), "{said}").expect("stderr can be written");
    }
    is_needed
}

pub fn site() -> Site {
    let path = env::var_os("PATH").expect("there is a path");
    let tool = Tool::find(SandboxChoice::Auto, &path).expect("there is a sandbox");
    let cache = cache();
    Site {
        sandbox: Sandbox::open(&cache.join("sandbox"), tool).expect("it opens"),
        cache,
        is_offline: false,
    }
}

pub fn project(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/maven");
    fixtures.join(name)
}

pub fn options(root: PathBuf) -> PrepareOptions {
    PrepareOptions {
        root,
        java_homes: Vec::new(),
        maven: None,
        machine: Machine::new(env::vars_os()),
        is_rebuilt: false,
        has_build_network: false,
    }
}

pub fn prepare(site: &Site, options: &PrepareOptions) -> PreparedBuild {
    java::prepare(site, options, &Monitor::default()).expect("it is prepared")
}

/// Runs the program with the tests' cache; returns its code, stdout and stderr.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(arguments)
        .env("FOCALIST_CACHE", cache())
        .output()
        .expect("the program can be started");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Returns the JVMs of the tests' cache whose command lines contain a word.
pub fn jvms(word: &str) -> Vec<String> {
    let cache = fs::canonicalize(cache()).expect("there is a cache");
    let cache = cache.to_string_lossy().into_owned();
    let entries = fs::read_dir("/proc")
        .expect("there are processes")
        .flatten();
    let is_ours = |path: &Path| {
        let is_java = fs::read_to_string(path.join("comm")).is_ok_and(|text| text == "java\n");
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        is_java && line.contains(word) && line.contains(&cache)
    };
    let found = entries.filter(|entry| is_ours(&entry.path()));
    let names = found.filter_map(|entry| entry.file_name().into_string().ok());
    names.collect()
}

/// Sets a flag when it is dropped, so also after a panic: threads that wait for the flag would wait forever.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs something, and meanwhile kills, for each word, the first JVM whose command line contains it.
pub fn killing<T>(words: &[&str], something: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let killers: Vec<_> = words
            .iter()
            .map(|word| {
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        if let Some(pid) = jvms(word).first() {
                            return kill(pid);
                        }
                        thread::yield_now();
                    }
                    false
                })
            })
            .collect();
        let done = {
            let _over = Over(&is_over);
            something()
        };
        for (killer, word) in killers.into_iter().zip(words) {
            let has_killed = killer.join().expect("it returns");
            assert!(has_killed, "there was no `{word}`");
        }
        done
    })
}

/// Kills a process with a signal that it cannot catch.
fn kill(pid: &str) -> bool {
    let status = Command::new("kill").args(["-9", pid]).status();
    status.expect("there is `kill`").success()
}

fn folders(build: &Build) -> Vec<&str> {
    build
        .modules
        .iter()
        .map(|module| module.folder.as_str())
        .collect()
}

#[test]
fn what_compiles_is_kept_and_what_does_not_has_its_reason() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let options = PrepareOptions {
        is_rebuilt: true,
        ..options(project("several"))
    };
    let PreparedBuild { build, log, .. } = prepare(&site(), &options);
    assert_eq!(folders(&build), ["five", "four", "ng"]);
    let [after, broken] = build.unbuilt.as_slice() else {
        panic!("{:?}", build.unbuilt)
    };
    assert_eq!(after.folder, "after");
    assert_eq!(after.reason, "a module that it needs was not built");
    assert_eq!(broken.folder, "broken");
    let says = "broken/src/test/java/s/BrokenTest.java:[4,19] cannot find symbol";
    assert!(broken.reason.contains(says), "{}", broken.reason);
    let has = |note: &str| build.notes.iter().any(|text| text == note);
    assert!(has(
        "dropped: org.apache.maven.plugins:maven-enforcer-plugin"
    ));
    assert!(has(
        "dropped because it fails: org.codehaus.mojo:properties-maven-plugin"
    ));
    assert!(has("dropped: the argument -Werror"));
    assert!(
        build
            .notes
            .iter()
            .any(|note| note.starts_with("raised: maven.compiler.source from 1.5"))
    );
    assert!(
        fs::read_to_string(log)
            .expect("there is a log")
            .contains("BUILD FAILURE")
    );
}

#[test]
fn a_module_has_what_its_tests_are_compiled_and_run_with() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let build = prepare(&site(), &options(project("several"))).build;
    let module = |folder: &str| {
        let found = build.modules.iter().find(|module| module.folder == folder);
        found.expect("it is built")
    };
    let four = module("four");
    assert!(four.test_output.join("p/CounterTest.class").is_file());
    assert!(four.test_class_path.iter().all(|path| path.exists()));
    assert_eq!(four.javac.encoding.as_deref(), Some("UTF-8"));
    assert!(four.javac.others.is_empty());
    assert_eq!(four.surefire.arg_line.trim(), "-Xmx64m");
    assert_eq!(
        four.surefire.properties.get("colour").map(String::as_str),
        Some("red")
    );
    assert_eq!(
        four.surefire.environment.get("TASTE").map(String::as_str),
        Some("sour")
    );
    assert_eq!(four.surefire.includes, ["**/*Test.java"]);
    // Sisters are seen through their classes, because nothing is packaged.
    let five = module("five");
    assert!(five.test_class_path.contains(&four.output));
    let names = |jars: &[PathBuf]| -> Vec<String> {
        let names = jars.iter().filter_map(|jar| jar.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    };
    let has = |jar: &str| names(&four.test_class_path).iter().any(|name| name == jar);
    assert!(
        has("junit-4.13.2.jar") && !has("junit-4.11.jar"),
        "an old JUnit is raised"
    );
    let raised = "raised: junit:junit from 4.11 to 4.13.2";
    assert!(
        build.notes.iter().any(|note| note == raised),
        "{:?}",
        build.notes
    );
    let launcher = names(&five.launcher);
    for jar in [
        "junit-platform-launcher-1.10.2.jar",
        "junit-jupiter-engine-5.10.2.jar",
    ] {
        assert!(launcher.iter().any(|text| text == jar), "{launcher:?}");
    }
    assert!(four.launcher.is_empty() && module("ng").launcher.is_empty());
    assert!(names(&build.jacoco)[0].starts_with("org.jacoco.core-"));
    assert!(
        build
            .jacoco
            .iter()
            .chain([&build.jacoco_agent])
            .all(|path| path.is_file())
    );
    assert_eq!(
        names(&build.pit).last().map(String::as_str),
        Some("pitest-entry-1.20.3.jar")
    );
}

#[test]
fn the_second_time_maven_is_not_called() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let options = options(project("several"));
    let first = prepare(&site(), &options);
    let mut site = site();
    site.is_offline = true;
    let second = prepare(&site, &options);
    assert!(second.is_from_cache);
    assert_eq!(second.build, first.build);
}

#[test]
fn what_was_killed_on_the_way_is_built_again_without_a_network() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let options = options(project("several"));
    let first = prepare(&site(), &options);
    // Whoever is killed before the end leaves all but the last file, or less.
    let place = first.build.tree.parent().expect("it lies in a folder");
    fs::remove_file(place.join("build.json")).expect("it was there");
    fs::remove_dir_all(first.build.tree.join("four/target")).expect("it was there");
    let mut site = site();
    site.is_offline = true;
    let second = prepare(&site, &options);
    assert!(!second.is_from_cache);
    assert_eq!(second.build, first.build);
}

#[test]
fn a_build_whose_maven_somebody_kills_is_made_again() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let asked = options(project("several"));
    let first = prepare(&site(), &asked);
    let asked = PrepareOptions {
        is_rebuilt: true,
        ..asked
    };
    let second = killing(&["focalist.drop"], || prepare(&site(), &asked));
    assert_eq!(second.build, first.build);
    let third = prepare(&site(), &options(project("several")));
    assert!(third.is_from_cache && third.build == first.build);
}

#[test]
fn nothing_of_a_killed_program_runs_on_or_counts() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let first = prepare(&site(), &options(project("several")));
    let mut program = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .args(["prepare", "--rebuild"])
        .arg(project("several"))
        .env("FOCALIST_CACHE", cache())
        .spawn()
        .expect("the program can be started");
    let place = first.build.tree.parent().expect("it lies in a folder");
    // Another test may have a JVM there: what this one is about begins when the old build does not count any more.
    while jvms("focalist.drop").is_empty() || place.join("build.json").exists() {
        let ended = program.try_wait().expect("it can be asked");
        assert_eq!(ended, None, "it calls Maven");
        thread::yield_now();
    }
    program.kill().expect("it runs");
    program.wait().expect("it has ended");
    let end = Instant::now() + Duration::from_secs(600);
    while !jvms("focalist.drop").is_empty() {
        assert!(Instant::now() < end, "an orphan");
        thread::yield_now();
    }
    assert!(!place.join("build.json").exists());
    let second = prepare(&site(), &options(project("several")));
    assert!(!second.is_from_cache);
    assert_eq!(second.build, first.build);
}

#[test]
fn a_pom_that_is_no_xml_is_no_error_and_not_kept() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let site = site();
    let options = options(project("no-xml"));
    for _ in 0..2 {
        let PreparedBuild {
            build,
            is_from_cache,
            ..
        } = prepare(&site, &options);
        assert!(build.modules.is_empty() && !is_from_cache);
        let [root] = build.unbuilt.as_slice() else {
            panic!("{:?}", build.unbuilt)
        };
        assert_eq!(root.folder, "");
        assert!(root.reason.contains("Non-parseable POM"), "{}", root.reason);
    }
}

#[test]
fn a_folder_without_a_pom_and_a_jdk_that_is_none_are_told() {
    if !has_tools() {
        return;
    }
    let site = site();
    let told = |options: &PrepareOptions| {
        let result = java::prepare(&site, options, &Monitor::default());
        result.expect_err("it cannot be prepared")
    };
    let nothing = options(project("several/four/src"));
    assert!(matches!(
        told(&nothing),
        RunnerError::NoProject {
            wants: "pom.xml",
            ..
        }
    ));
    let mut no_jdk = options(project("several"));
    no_jdk.java_homes = vec![project("several")];
    assert!(matches!(
        told(&no_jdk),
        RunnerError::Missing {
            program: "javac",
            ..
        }
    ));
    let mut no_maven = options(project("several"));
    no_maven.maven = Some(project("several"));
    assert!(matches!(
        told(&no_maven),
        RunnerError::Missing { program: "mvn", .. }
    ));
}

#[test]
fn the_command_says_what_was_built_and_what_was_not() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let several = project("several").display().to_string();
    let (code, out, said) = run(&["prepare", &several, "--json"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("warning: several: broken was not built: "),
        "{said}"
    );
    let row: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(row["project"], "several");
    assert_eq!(row["language"], "java");
    assert_eq!(row["modules"], serde_json::json!(["five", "four", "ng"]));
    assert_eq!(row["unbuilt"][0]["module"], "after");
    assert_eq!(row["sandbox"], "bwrap");
    let (code, _, said) = run(&["prepare", &project("no-xml").display().to_string()]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("error: no project could be prepared\nhint: `"),
        "{said}"
    );
    let (code, _, said) = run(&["prepare", &several, "--maven", "/nowhere"]);
    assert_eq!(code, Some(5), "{said}");
    assert!(
        said.contains("error: `mvn` is not installed\nhint: `/nowhere` is neither"),
        "{said}"
    );
}

#[test]
fn a_build_of_gradle_with_a_script_of_python_is_told_at_once() {
    if !has_tools() {
        return;
    }
    let place = Place::new();
    place.write(
        "built/settings.gradle.kts",
        "rootProject.name = \"built\"\n",
    );
    place.write("built/tools.py", "print(1)\n");
    place.counter("built");
    let folder = place.path("built").to_string_lossy().into_owned();
    let check = |said: &str| {
        assert!(
            said.contains("is built by Gradle, which is not supported yet"),
            "{said}"
        );
        assert!(!said.contains("--truth"), "{said}");
    };
    check(&place.run(&["prepare", &folder]).failure(ExitCode::Problems));
    place.run(&["mine", &folder]).success();
    check(&place.run(&["prepare", "built"]).failure(ExitCode::Problems));
    check(
        &place
            .run(&["execute", "--truth"])
            .failure(ExitCode::Problems),
    );
}

#[test]
fn what_is_neither_a_folder_nor_in_the_index_is_told() {
    let place = Place::with_sample_data();
    let said = place.run(&["prepare", "nothing"]).failure(ExitCode::Input);
    assert!(
        said.contains("`nothing` is neither a folder nor in the index"),
        "{said}"
    );
}
