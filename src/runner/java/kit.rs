//! The artifacts that the engines need besides the project: JaCoCo, and the launcher of the JUnit Platform that fits
//! its engine. All are downloaded by the project's Maven with a pom of ours, into the local repository that no code of
//! a project writes to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::java::events::{self, BuildPlaces, MavenEvents};
use crate::java::invoke::{MavenCall, MavenOutput, Mvn, N_CALLS_MAX, Reach};
use crate::java::{Build, Module};
use crate::sandbox::{Bind, Root};
use crate::task::Monitor;
use crate::{RunnerError, io_error};

const JACOCO: &str = "0.8.14";
/// The library that puts faults into byte code, with its filters.
const PIT: &str = "org.pitest:pitest-entry:1.20.3";
/// All its jars: names of files, and their SHA-256. No other file is run in their place.
const OF_PIT: [(&str, &str); 9] = [
    (
        "asm-9.8.jar",
        "876eab6a83daecad5ca67eb9fcabb063c97b5aeb8cf1fca7a989ecde17522051",
    ),
    (
        "asm-analysis-9.8.jar",
        "e640732fbcd3c6271925a504f125e38384688f4dfbbf92c8622dfcee0d09edb9",
    ),
    (
        "asm-commons-9.8.jar",
        "3301a1c1cb4c59fcc5292648dac1d7c5aed4c0f067dfbe88873b8cdfe77404f4",
    ),
    (
        "asm-tree-9.8.jar",
        "14b7880cb7c85eed101e2710432fc3ffb83275532a6a894dc4c4095d49ad59f1",
    ),
    (
        "asm-util-9.8.jar",
        "8ba0460ecb28fd0e2980e5f3ef3433a513a457bc077f81a53bdc75b587a08d15",
    ),
    (
        "commons-lang3-3.17.0.jar",
        "6ee731df5c8e5a2976a1ca023b6bb320ea8d3539fbe64c8a1d5cb765127c33b4",
    ),
    (
        "commons-text-1.13.1.jar",
        "76434bd2dd778ab140d84b3c6ffa40c40fe6219909f5ed1d8b8977c5ae8e50c8",
    ),
    (
        "pitest-1.20.3.jar",
        "45d328b5cdd36fcd1c9aef1be3e5e2f8d6a7be30b70576d8e23d85b21df4180e",
    ),
    (
        "pitest-entry-1.20.3.jar",
        "4e448cb4b744711b02c3c46dc922a3b0c0c14a3658e6e45a9b34526ade4a1acd",
    ),
];
/// The largest jar that is read: none of those above is larger.
const JAR_BYTES_MAX: u64 = 16 << 20;
const WALL: Duration = Duration::from_secs(20 * 60);
/// The pom builds nothing; its repositories come from the user's settings.
const POM: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>focalist</groupId>
  <artifactId>kit</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
</project>
";

/// The project's part in resolving artifacts.
pub struct KitResolver<'o> {
    /// Tells whether repositories may be asked for coordinates that its build has reported.
    pub may_ask: &'o dyn Fn(&str) -> bool,
    /// Downloads artifacts from the repositories that its poms name.
    pub resolve: &'o dyn Fn(&BTreeSet<String>) -> Result<MavenEvents, RunnerError>,
}

/// Adds to a build the jars that its tests are run and measured with.
///
/// # Errors
/// Where Maven cannot get it.
pub fn add(
    build: &mut Build,
    (mvn, own): (&Mvn<'_>, &KitResolver<'_>),
    folder: &Path,
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    let core = format!("org.jacoco:org.jacoco.core:{JACOCO}");
    let agent = format!("org.jacoco:org.jacoco.agent:jar:runtime:{JACOCO}");
    let repositories = [build.repository.as_path(), build.shared.as_path()];
    let modules = build.modules.iter();
    let launchers: Vec<Vec<String>> = modules
        .map(|module| launcher(&module.test_class_path, repositories))
        .collect();
    let cli = format!("org.jacoco:org.jacoco.cli:jar:nodeps:{JACOCO}");
    let surefires: BTreeSet<String> = build
        .modules
        .iter()
        .flat_map(|module| surefire(module, repositories))
        .collect();
    let told = launchers.iter().flatten().chain(&surefires);
    // Where an artifact of surefire cannot be had, the tests still run.
    let mut wanted: BTreeSet<&String> = told.filter(|told| (own.may_ask)(told)).collect();
    let pit = PIT.to_owned();
    wanted.extend([&core, &agent, &cli, &pit]);
    let words: Vec<&str> = wanted.iter().map(|wanted| wanted.as_str()).collect();
    let (said, folder) = (resolve(mvn, &words, (folder, None), monitor)?, folder);
    let places = BuildPlaces {
        tree: folder,
        others: vec![&build.shared],
    };
    let heard = events::read(&said.events, &places);
    let find = |coordinates: &String| match heard.resolved.get(coordinates) {
        Some(Ok(paths)) => Ok(paths.clone()),
        Some(Err(message)) => Err(unavailable(coordinates, message)),
        None => Err(unavailable(coordinates, said.log.trim())),
    };
    let jacoco = find(&core)?;
    // A jar that contains all does not need the others that it names.
    let first = |coordinates: &String| {
        let jar = find(coordinates)?.into_iter().next();
        jar.ok_or_else(|| unavailable(coordinates, "it has no jar"))
    };
    let (jacoco_agent, jacoco_cli) = (first(&agent)?, first(&cli)?);
    let lacking = launchers.iter().flatten();
    let lacking: BTreeSet<String> = lacking
        .filter(|lacking| wanted.contains(lacking) && find(lacking).is_err())
        .cloned()
        .collect();
    // A project may have its JUnit from a repository that only its poms name.
    let own = if lacking.is_empty() {
        MavenEvents::default()
    } else {
        (own.resolve)(&lacking)?
    };
    for (module, wanted) in build.modules.iter_mut().zip(&launchers) {
        let found = wanted.iter().map(|wanted| match own.resolved.get(wanted) {
            Some(Ok(paths)) => Ok(paths.clone()),
            _ => find(wanted),
        });
        match found.collect::<Result<Vec<_>, _>>() {
            Ok(found) => {
                for jar in found.into_iter().flatten() {
                    if !module.launcher.contains(&jar) {
                        module.launcher.push(jar);
                    }
                }
            }
            // The other tests of the module run.
            Err(error) => build.notes.push(format!(
                "tests of the JUnit Platform in `{}` have no engine: {error}",
                module.folder
            )),
        }
    }
    match find(&pit).and_then(|jars| checked(jars, &build.shared)) {
        Ok(jars) => build.pit = jars,
        // Tests run without PIT.
        Err(error) => build
            .notes
            .push(format!("its code is not mutated: {error}")),
    }
    build.jacoco = jacoco;
    build.jacoco_agent = jacoco_agent;
    build.jacoco_cli = jacoco_cli;
    JACOCO.clone_into(&mut build.jacoco_version);
    Ok(())
}

/// Lets Maven download artifacts with all their dependencies by a pom of ours: into the shared repository, or into the
/// single repository that `own` names.
///
/// # Errors
/// Where Maven does not start; artifacts that could not be had are in its output.
pub fn resolve(
    mvn: &Mvn<'_>,
    wanted: &[&str],
    (folder, own): (&Path, Option<&Path>),
    monitor: &Monitor,
) -> Result<MavenOutput, RunnerError> {
    let said = folder.join("said");
    Root::make(&said)
        .and_then(|_| Root::open(folder)?.write("pom.xml", POM))
        .map_err(io_error(folder))?;
    let mut arguments = vec![format!("-Dfocalist.resolve={}", wanted.join(","))];
    if own.is_some() {
        // Readers of that repository do not see the shared one.
        arguments.push("-Dfocalist.lower=".to_owned());
    }
    arguments.push("validate".to_owned());
    let call = MavenCall {
        folder: folder.to_owned(),
        arguments,
        binds: vec![Bind::read(folder), Bind::write(&said)],
        said,
        reach: own.map_or(Reach::Shared, |_| Reach::Own),
        repository: own.map(Path::to_owned).unwrap_or_default(),
        wall: WALL,
    };
    let mut said = mvn.call(&call, monitor)?;
    for _ in 1..N_CALLS_MAX {
        if !said.is_killed {
            break;
        }
        said = mvn.call(&call, monitor)?;
    }
    Ok(said)
}

/// Checks that each jar of PIT has the hash it was chosen with.
fn checked(mut jars: Vec<PathBuf>, shared: &Path) -> Result<Vec<PathBuf>, RunnerError> {
    let root = Root::open(shared).map_err(io_error(shared))?;
    jars.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    for jar in &jars {
        let name = jar.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let bytes = root.read(jar, JAR_BYTES_MAX).map_err(io_error(jar))?;
        let bytes = Sha256::digest(bytes);
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = digits.concat();
        if !OF_PIT.contains(&(name, hash.as_str())) {
            return Err(unavailable(name, "it is not the file that it should be"));
        }
    }
    if jars.len() != OF_PIT.len() {
        return Err(unavailable(PIT, "not all of it is there"));
    }
    Ok(jars)
}

fn unavailable(what: &str, message: &str) -> RunnerError {
    RunnerError::Unavailable {
        what: what.to_owned(),
        said: message.lines().next().unwrap_or_default().to_owned(),
    }
}

/// Tells whether coordinates belong to a runner of tests: we know these names, only the version is the project's.
pub fn is_runner(coordinates: &str) -> bool {
    let groups = [
        "org.apache.maven.surefire:surefire-",
        "org.apache.maven.plugins:maven-surefire-plugin:",
        "org.junit.platform:junit-platform-launcher:",
        "org.junit.jupiter:junit-jupiter-engine:",
    ];
    groups.iter().any(|group| coordinates.starts_with(group))
}

/// The artifact that Maven 3 adds to every plugin that does not name the package itself (`PlexusUtilsInjector`); later
/// versions of surefire name it.
const PLEXUS_UTILS: &str = "org.codehaus.plexus:plexus-utils:1.1";

/// Lists the coordinates of the runner of a module's own tests: surefire, and the artifacts it takes for the class
/// path.
fn surefire(module: &Module, repositories: [&Path; 2]) -> Vec<String> {
    let Some(version) = &module.surefire.version else {
        return Vec::new();
    };
    let has = |folder: &str| {
        let mut jars = module.test_class_path.iter();
        jars.any(|jar| {
            repositories
                .iter()
                .any(|repository| jar.starts_with(repository.join(folder)))
        })
    };
    let providers = [
        (has("junit/junit"), "surefire-junit4"),
        (has("junit/junit"), "surefire-junit47"),
        (has("junit/junit"), "surefire-junit3"),
        (
            has("org/junit/jupiter") || has("org/junit/platform"),
            "surefire-junit-platform",
        ),
        (has("org/testng/testng"), "surefire-testng"),
    ];
    let providers = providers.iter().filter(|provider| provider.0);
    let mut found = vec![
        format!("org.apache.maven.plugins:maven-surefire-plugin:{version}"),
        PLEXUS_UTILS.to_owned(),
    ];
    found.extend(
        providers.map(|provider| format!("org.apache.maven.surefire:{}:{version}", provider.1)),
    );
    found.extend(module.surefire.dependencies.iter().cloned());
    found
}

/// Lists the coordinates of the launcher for a class path, and of the engine where it has none; nothing where no test
/// of it runs on the JUnit Platform.
fn launcher(class_path: &[PathBuf], repositories: [&Path; 2]) -> Vec<String> {
    let version = |group: &str, artifact: &str| {
        let places = repositories.map(|repository| repository.join(group).join(artifact));
        let below = |jar: &'_ PathBuf| {
            let mut found = places
                .iter()
                .filter_map(|place| jar.strip_prefix(place).ok());
            Some(found.next()?.iter().next()?.to_owned())
        };
        let mut versions = class_path.iter().filter_map(below);
        versions
            .next()
            .map(|version| version.to_string_lossy().into_owned())
    };
    let jupiter = |text: &str| version("org/junit/jupiter", text);
    let of = |version: &str| format!("org.junit.platform:junit-platform-launcher:{version}");
    if let Some(platform) = version("org/junit/platform", "junit-platform-engine") {
        // The class path has an engine: the project's own, or one that came with a suite or Kotest.
        return vec![of(&platform)];
    }
    // Surefire adds the engine in the version of the API by itself.
    let Some(api) = jupiter("junit-jupiter-api") else {
        return Vec::new();
    };
    let engine = format!("org.junit.jupiter:junit-jupiter-engine:{api}");
    vec![of(&platform(&api)), engine]
}

/// Returns the version of the platform for one of Jupiter: 1.x for 5.x, and the same since 6.
fn platform(jupiter: &str) -> String {
    match jupiter.strip_prefix("5.") {
        Some(rest) => format!("1.{rest}"),
        None => jupiter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_of_pit_that_is_another_one_is_not_run() {
        let folder = tempfile::tempdir().expect("there is room");
        let jar = folder.path().join("pitest-1.20.3.jar");
        std::fs::write(&jar, "something else").expect("it can be written");
        let error = checked(vec![jar], folder.path()).expect_err("it is another one");
        assert_eq!(
            error.to_string(),
            "cannot get `pitest-1.20.3.jar`: it is not the file that it should be"
        );
        let error = checked(Vec::new(), folder.path()).expect_err("it is not there");
        assert!(
            error.to_string().ends_with("not all of it is there"),
            "{error}"
        );
    }

    #[test]
    fn the_launcher_is_that_of_the_engine() {
        let check = |jars: &[&str], expected: &[&str]| {
            for own in ["/r", "/s"] {
                let jars = jars.iter().map(|jar| Path::new(own).join(jar));
                let class_path: Vec<PathBuf> = jars.collect();
                let repositories = ["/r", "/s"].map(Path::new);
                assert_eq!(
                    launcher(&class_path, repositories),
                    expected,
                    "{class_path:?}"
                );
            }
        };
        let api = "org/junit/jupiter/junit-jupiter-api/5.10.2/junit-jupiter-api-5.10.2.jar";
        let engine = "org/junit/platform/junit-platform-engine/1.10.1/x.jar";
        check(
            &[api, engine],
            &["org.junit.platform:junit-platform-launcher:1.10.1"],
        );
        check(
            &[api],
            &[
                "org.junit.platform:junit-platform-launcher:1.10.2",
                "org.junit.jupiter:junit-jupiter-engine:5.10.2",
            ],
        );
        check(&["junit/junit/4.13.2/junit-4.13.2.jar"], &[]);
        assert_eq!(platform("6.0.1"), "6.0.1");
    }
}
