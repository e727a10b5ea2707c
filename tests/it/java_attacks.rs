//! Projects and predictions that try to access foreign files: other projects' jars, the host's files, focalist's own
//! programs.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set, with the Maven and the JDK of this machine.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use focalist::model::{Framework, Outcome, Span};
use focalist::runner::java::Build;
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::java::maven::{Maven, MavenOptions};
use focalist::runner::{Candidate, CandidateExecution, Engine, Fate, HostFile, Site};
use focalist::task::Monitor;

use crate::maven::outcomes;
use crate::prepare::{TURN, has_tools, options, prepare, project, site};
use crate::support::{COUNTER_TEST, Place, copy};

/// The secret that no code of a project may find.
const SECRET: &str = "secret.of.the.host = 41";
const TEST_FILE: &str = "src/test/java/p/CounterTest.java";

/// Writes a project of one class and one test, with additions to its pom.
pub fn project_with(place: &Place, name: &str, (dependencies, build): (&str, &str)) -> PathBuf {
    let root = PathBuf::from(place.counter(name));
    let pom = format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>
         <groupId>{name}</groupId><artifactId>{name}</artifactId><version>1</version>
         <properties><maven.compiler.source>8</maven.compiler.source>
         <maven.compiler.target>8</maven.compiler.target>
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
         <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>
         <version>4.13.2</version><scope>test</scope></dependency>{dependencies}</dependencies>
         <build>{build}</build></project>"
    );
    fs::write(root.join("pom.xml"), pom).expect("it is written");
    root
}

/// Writes a plugin that runs something after the project is compiled.
pub fn antrun(tasks: &str) -> String {
    format!(
        "<plugins><plugin><groupId>org.apache.maven.plugins</groupId>
         <artifactId>maven-antrun-plugin</artifactId><version>3.1.0</version><executions><execution>
         <phase>process-classes</phase><goals><goal>run</goal></goals><configuration><target>
         {tasks}</target></configuration></execution></executions></plugin></plugins>"
    )
}

fn host_file() -> HostFile {
    let start = COUNTER_TEST.find("    @Test").expect("it has a test") + 4;
    let end = COUNTER_TEST.rfind("    }").expect("it has an end") + 5;
    HostFile {
        path: TEST_FILE.to_owned(),
        text: COUNTER_TEST.to_owned(),
        tests: vec![Span::new(start as u32, end as u32)],
    }
}

fn candidates(file: &HostFile, tests: &[(&str, &str)]) -> Vec<Candidate> {
    let candidate = |(id, (name, body)): (usize, &(&str, &str))| Candidate {
        id: id as u64,
        file_idx: 0,
        at: file.tests[0],
        text: format!("@Test public void {name}() throws Exception {{ {body} }}"),
        nesting: vec!["CounterTest".to_owned()],
        package: "p".to_owned(),
        name: (*name).to_owned(),
        framework: Framework::JUnit4,
        focal: None,
    };
    tests.iter().enumerate().map(candidate).collect()
}

pub fn run(engine: &mut dyn Engine, tests: &[(&str, &str)]) -> Vec<CandidateExecution> {
    let file = host_file();
    let mut ran = BTreeMap::new();
    let candidates = candidates(&file, tests);
    let files = std::slice::from_ref(&file);
    engine
        .run(
            files,
            &candidates,
            &Monitor::default(),
            &mut |candidate_execution| {
                ran.insert(candidate_execution.id, candidate_execution);
                Ok(())
            },
        )
        .expect("it runs");
    assert_eq!(ran.len(), tests.len());
    ran.into_values().collect()
}

pub fn maven(
    site: &Site,
    build: &Build,
    is_alone: bool,
    tests: &[(&str, &str)],
) -> Vec<CandidateExecution> {
    let options = MavenOptions {
        limit: Duration::from_secs(10),
        is_alone,
    };
    run(&mut Maven::new(site, build, options), tests)
}

fn holds(file: &Path, word: &str) -> bool {
    let bytes = fs::read(file).expect("it can be read");
    bytes
        .windows(word.len())
        .any(|window| window == word.as_bytes())
}

#[test]
fn a_build_changes_no_jar_that_another_project_is_tested_with() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let planting = antrun(
        "<echo file=\"target/planted.txt\">planted-by-a-build</echo>
         <jar destfile=\"${settings.localRepository}/junit/junit/4.13.2/junit-4.13.2.jar\" update=\"true\"
         basedir=\"target\" includes=\"planted.txt\"/>
         <copy todir=\"target\"><fileset dir=\"${maven.dependency.junit.junit.jar.path}/..\"
         includes=\"*.none\" erroronmissingdir=\"false\"/></copy>
         <jar destfile=\"${maven.dependency.junit.junit.jar.path}\" update=\"true\"
         basedir=\"target\" includes=\"planted.txt\"/>",
    );
    let evil = project_with(&place, "evil", ("", &planting));
    let good = project_with(&place, "good", ("", ""));
    let site = site();
    // Whether it can do that to itself does not matter.
    prepare(&site, &options(evil));
    let build = prepare(&site, &options(good)).build;
    let [module] = build.modules.as_slice() else {
        panic!("{:?}", build.unbuilt)
    };
    for jar in module
        .test_class_path
        .iter()
        .filter(|test_class_path| test_class_path.is_file())
    {
        assert!(!holds(jar, "planted.txt"), "{}", jar.display());
    }
    let tests = [(
        "alone",
        "assertEquals(null, getClass().getResource(\"/planted.txt\"));",
    )];
    let ran = run(
        &mut Fast::new(&site, &build, FastOptions::default()),
        &tests,
    );
    assert_eq!(outcomes(&ran), [Outcome::Passing], "{ran:?}");
}

#[test]
fn a_port_that_this_machine_uses_is_free_inside() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it has one").port();
    let site = site();
    let root = project_with(&place, "listening", ("", ""));
    let build = prepare(&site, &options(root)).build;
    let listens = format!(
        "java.net.InetAddress here = java.net.InetAddress.getByName(\"127.0.0.1\"); \
         new java.net.ServerSocket({port}, 1, here).close();"
    );
    let tests = [("listens", listens.as_str()), ("again", listens.as_str())];
    let ran = run(
        &mut Fast::new(&site, &build, FastOptions::default()),
        &tests,
    );
    assert_eq!(outcomes(&ran), [Outcome::Passing; 2], "{ran:?}");
    for is_alone in [true, false] {
        let ran = maven(&site, &build, is_alone, &tests[..1]);
        assert_eq!(outcomes(&ran), [Outcome::Passing], "{ran:?}");
    }
}

/// Writes Java code that replaces a file with a link.
fn linking(file: &str, to: &Path) -> String {
    format!(
        "java.nio.file.Path file = {file}; java.nio.file.Files.deleteIfExists(file); \
         java.nio.file.Files.createSymbolicLink(file, java.nio.file.Paths.get(\"{}\"));",
        to.display()
    )
}

#[test]
fn no_prediction_makes_the_host_write_its_list_of_tests_elsewhere() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let victim = place.path("victim");
    let site = site();
    let root = project_with(&place, "listed", ("", ""));
    let build = prepare(&site, &options(root)).build;
    // Maven's own command line says where the list is.
    let find = "String list = null; \
                for (java.io.File it : new java.io.File(\"/proc\").listFiles()) { \
                    java.io.File line = new java.io.File(it, \"cmdline\"); \
                    if (!line.canRead()) { continue; } \
                    String words = new String(java.nio.file.Files.readAllBytes(line.toPath())); \
                    int at = words.indexOf(\"-Dfocalist.tests=\"); \
                    if (at >= 0) { list = words.substring(at + 17, words.indexOf(0, at)); } \
                }";
    let link = linking("java.nio.file.Paths.get(list)", &victim);
    let attack = format!("{find} {link} System.exit(0);");
    let ran = maven(
        &site,
        &build,
        true,
        &[
            ("attacks", attack.as_str()),
            ("adds", "assertEquals(1, new Counter().inc());"),
        ],
    );
    assert!(
        !victim.exists(),
        "{}",
        fs::read_to_string(&victim).unwrap_or_default()
    );
    assert_eq!(ran[1].fate, Fate::Ran(Outcome::Passing), "{:?}", ran[1]);
}

#[test]
fn no_prediction_makes_the_host_write_a_source_elsewhere() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let victim = place.path("victim");
    let site = site();
    let root = project_with(&place, "sourced", ("", ""));
    let build = prepare(&site, &options(root)).build;
    let link = linking(
        &format!("java.nio.file.Paths.get(\"{TEST_FILE}\")"),
        &victim,
    );
    let folder = linking(
        "java.nio.file.Paths.get(\"src/main/java/p/Counter.java\")",
        &victim,
    );
    let attack = format!("{{ {link} }} {{ {folder} }}");
    for is_alone in [true, false] {
        maven(&site, &build, is_alone, &[("attacks", attack.as_str())]);
        assert!(!victim.exists(), "a file of the host was written");
    }
}

#[test]
fn settings_of_lombok_are_not_read_through_a_link() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let secret = place.write("secret", SECRET);
    let root = watched(
        &place,
        (
            "linked",
            &format!(
                "<symlink link=\"lombok.config\" resource=\"{}\"/>",
                secret.display()
            ),
        ),
    );
    let site = site();
    let build = prepare(&site, &options(root)).build;
    let mut engine = Fast::new(&site, &build, FastOptions::default());
    let ran = run(
        &mut engine,
        &[("adds", "assertEquals(1, new Counter().inc());")],
    );
    let said = format!("{ran:?}");
    assert!(!said.contains("secret.of.the.host"), "{said}");
    assert_eq!(outcomes(&ran), [Outcome::Passing]);
}

#[test]
fn a_processor_of_the_project_writes_into_no_program_of_ours() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let root = watched(&place, ("processed", "<echo>nothing</echo>"));
    let site = site();
    let build = prepare(&site, &options(root)).build;
    let mut engine = Fast::new(&site, &build, FastOptions::default());
    let ran = run(
        &mut engine,
        &[("adds", "assertEquals(1, new Counter().inc());")],
    );
    let said = format!("{ran:?}");
    assert!(!said.contains("a runner was written"), "{said}");
    assert!(!said.contains("a source was written"), "{said}");
    assert_eq!(outcomes(&ran), [Outcome::Passing]);
}

/// Returns the number of seeded rounds of a race: few by default.
fn n_rounds() -> u64 {
    let asked = env::var("FOCALIST_RACES").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(2)
}

#[test]
fn a_processor_that_races_the_host_makes_it_write_nothing_elsewhere() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let site = site();
    for seed in 0..n_rounds() {
        let place = Place::new();
        let file = place.write("victim/file", "untouched");
        let victim = file.parent().expect("it lies in a folder");
        let path = place.write("racing/x/victim", victim.to_string_lossy().as_bytes());
        place.write("racing/x/seed", seed.to_string());
        let made = path.parent().and_then(Path::parent).expect("it has both");
        let root = processed(&place, ("raced", "<echo>nothing</echo>"), ("racing", made));
        let build = prepare(&site, &options(root)).build;
        let mut engine = Fast::new(&site, &build, FastOptions::default());
        let file_of = host_file();
        let tests = ["a", "b", "c"].map(|text| (text, "assertEquals(1, new Counter().inc());"));
        let candidates = candidates(&file_of, &tests);
        for _ in 0..8 {
            let files = std::slice::from_ref(&file_of);
            let ran = engine.run(files, &candidates, &Monitor::default(), &mut |_| Ok(()));
            // The outcomes of its own tests do not matter; an engine that has given up is not used further.
            if ran.is_err() {
                engine = Fast::new(&site, &build, FastOptions::default());
            }
        }
        drop(engine);
        let left: Vec<_> = fs::read_dir(victim).expect("it is there").collect();
        assert_eq!(left.len(), 1, "seed {seed}: {left:?}");
        let text = fs::read_to_string(&file).expect("it is there");
        assert_eq!(text, "untouched", "seed {seed}");
    }
}

/// Creates a project with a jar that is named like Lombok, and whose code explores its environment and reports in
/// errors what it could do.
fn watched(place: &Place, (name, task): (&str, &str)) -> PathBuf {
    let made = place.path(&format!("{name}-jar"));
    processed(place, (name, task), ("processor", &made))
}

/// Creates a project in a folder, with a processor from a fixture in a jar that is named like Lombok.
fn processed(place: &Place, (name, task): (&str, &str), (fixture, made): (&str, &Path)) -> PathBuf {
    let jar = "<dependency><groupId>x</groupId><artifactId>lombok</artifactId><version>9</version>
               <scope>system</scope><systemPath>${basedir}/lib/lombok-9.jar</systemPath></dependency>";
    let root = project_with(place, name, (jar, &antrun(task)));
    copy(&project(fixture), made);
    let home = env::var_os("JAVA_HOME").map(|value| PathBuf::from(value).join("bin"));
    let tool = |name: &str| {
        home.as_ref()
            .map_or_else(|| name.into(), |home| home.join(name))
    };
    let is_done = |command: &mut Command| {
        let status = command.current_dir(made).status();
        assert!(status.expect("there is a JDK").success());
    };
    let sources = fs::read_dir(made).expect("it is there").flatten();
    let sources = sources.map(|source| source.path());
    let is_java = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "java")
    };
    is_done(
        Command::new(tool("javac"))
            .args(["-proc:none", "-source", "8", "-target", "8", "-nowarn"])
            .args(["-d", "."])
            .args(sources.filter(is_java)),
    );
    fs::create_dir(root.join("lib")).expect("it is made");
    let jar = root.join("lib/lombok-9.jar");
    is_done(
        Command::new(tool("jar"))
            .arg("cf")
            .arg(jar)
            .args(["META-INF", "x"]),
    );
    root
}
