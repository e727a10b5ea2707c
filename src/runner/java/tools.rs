//! Finds the JDKs and the Maven of this machine, and chooses the JDK for a project.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::RunnerError;
use crate::java::Jdk;
use crate::sandbox::said_by;

/// Versions of Java that the engines know.
const FEATURES: std::ops::RangeInclusive<u32> = 8..=25;
/// Where systems put their JDKs.
const JVM_FOLDERS: [&str; 2] = ["/usr/lib/jvm", "/Library/Java/JavaVirtualMachines"];
/// Beginnings of the words of `$MAVEN_OPTS` that say how the network is reached.
const WAY_OUT: [&str; 5] = [
    "-Dhttp.",
    "-Dhttps.",
    "-Djava.net.",
    "-Djavax.net.ssl.",
    "-Dmaven.wagon.",
];

/// The parts of the user's machine that are looked at.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Folders of programs, as in `$PATH`.
    pub path: OsString,
    pub java_home: Option<PathBuf>,
    pub maven_home: Option<PathBuf>,
    /// Options of the JVM that runs Maven; only those that say how the network is reached.
    pub maven_options: Vec<String>,
    /// Variables that say how the network is reached.
    pub way_out: Vec<(OsString, OsString)>,
    /// Where Maven's settings lie.
    pub home: Option<PathBuf>,
    /// Folders whose folders are JDKs.
    pub jvm_folders: Vec<PathBuf>,
}

impl Machine {
    /// Takes the variables that matter from an environment.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let environment: Vec<(OsString, OsString)> = environment.into_iter().collect();
        let value = |name: &str| {
            let found = environment.iter().find(|pair| pair.0 == name);
            found
                .map(|found| found.1.clone())
                .filter(|text| !text.is_empty())
        };
        let folder = |name: &str| value(name).map(PathBuf::from);
        let options = value("MAVEN_OPTS").unwrap_or_default();
        let options = options.to_string_lossy().into_owned();
        let options = options.split_whitespace();
        Self {
            path: value("PATH").unwrap_or_default(),
            java_home: folder("JAVA_HOME"),
            maven_home: folder("MAVEN_HOME").or_else(|| folder("M2_HOME")),
            maven_options: options
                .filter(|option| WAY_OUT.iter().any(|way| option.starts_with(way)))
                .map(str::to_owned)
                .collect(),
            home: folder("HOME"),
            jvm_folders: JVM_FOLDERS.map(PathBuf::from).into(),
            way_out: crate::sandbox::way_out(environment).collect(),
        }
    }

    /// Finds the homes of all JDKs, the requested ones first; each once.
    ///
    /// # Errors
    /// Where a requested home is not a JDK.
    pub(crate) fn jdks(&self, asked: &[PathBuf]) -> Result<Vec<Jdk>, RunnerError> {
        let mut found: Vec<Jdk> = Vec::new();
        for home in asked {
            let jdk = jdk(home).ok_or_else(|| RunnerError::Missing {
                program: "javac",
                hint: format!(
                    "`{}` is not a JDK for Java {} to {}: its `bin/javac` does not report such a version",
                    home.display(),
                    FEATURES.start(),
                    FEATURES.end()
                ),
            })?;
            found.push(jdk);
        }
        let mut homes: Vec<PathBuf> = self.java_home.iter().cloned().collect();
        homes.extend(
            self.programs("javac")
                .filter_map(|program| home_of(&program)),
        );
        for folder in &self.jvm_folders {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            below.sort();
            homes.extend(below.iter().map(|below| below.join("Contents/Home")));
            homes.extend(below);
        }
        found.extend(homes.iter().filter_map(|home| jdk(home)));
        let mut once: Vec<Jdk> = Vec::new();
        for jdk in found {
            if !once.iter().any(|other| other.home == jdk.home) {
                once.push(jdk);
            }
        }
        Ok(once)
    }

    /// Finds the home of Maven.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn maven(&self, asked: Option<&Path>) -> Result<PathBuf, RunnerError> {
        let missing = |hint: String| RunnerError::Missing {
            program: "mvn",
            hint,
        };
        if let Some(asked) = asked {
            return maven(asked).ok_or_else(|| {
                let asked = asked.display();
                missing(format!(
                    "`{asked}` is neither the home of Maven nor its `mvn`"
                ))
            });
        }
        let homes = self.maven_home.iter().cloned();
        let found = homes
            .chain(self.programs("mvn"))
            .find_map(|path| maven(&path));
        found.ok_or_else(|| {
            missing("install Maven 3, or say where it is: `--maven HOME`".to_owned())
        })
    }

    fn programs(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let path: &OsStr = &self.path;
        let places: Vec<PathBuf> = env::split_paths(path)
            .map(|split_path| split_path.join(name))
            .collect();
        places.into_iter().filter(|place| place.is_file())
    }
}

/// Returns the JDK for a project: the requested version's, else the next one's; the JDKs that the user named win.
///
/// # Errors
/// Where there is none of this version or later.
pub(crate) fn choose(jdks: &[Jdk], asked: Option<u32>) -> Result<Jdk, RunnerError> {
    let least = asked.unwrap_or(*FEATURES.start());
    let fitting = jdks.iter().filter(|jdk| jdk.feature >= least);
    // Of equal ones the first is taken.
    if let Some(jdk) = fitting.min_by_key(|jdk| jdk.feature) {
        return Ok(jdk.clone());
    }
    Err(match jdks.iter().max_by_key(|jdk| jdk.feature) {
        Some(newest) => RunnerError::TooOld {
            asked: least,
            newest: newest.version.clone(),
        },
        None => RunnerError::Missing {
            program: "javac",
            hint: "install a JDK, or say where one is: `--java HOME`".to_owned(),
        },
    })
}

/// Returns the lowest version of the language that the compiler of a JDK takes.
pub(crate) const fn floor(feature: u32) -> u32 {
    match feature {
        ..=8 => 3,
        9..=11 => 6,
        12..=19 => 7,
        _ => 8,
    }
}

fn home_of(program: &Path) -> Option<PathBuf> {
    let program = fs::canonicalize(program).ok()?;
    Some(program.parent()?.parent()?.to_owned())
}

/// Reads the JDK in a folder; nothing where it is none, or of a version that the engines do not know.
fn jdk(home: &Path) -> Option<Jdk> {
    let home = fs::canonicalize(home).ok()?;
    if !home.join("bin/javac").is_file() {
        return None;
    }
    let version = version_of(&home)?;
    let feature = feature(&version).filter(|n| FEATURES.contains(n))?;
    Some(Jdk {
        home,
        version,
        feature,
    })
}

/// Reads the version that a JDK reports: in its file `release`, or where it has none, as Debian's packages of Java 8 do
/// not, by its compiler.
fn version_of(home: &Path) -> Option<String> {
    // The file is the user's own, and some packages have a link in its place, so links are followed.
    let release = File::options().read(true).open(home.join("release"));
    if let Ok(release) = release.and_then(io::read_to_string) {
        let version = (release.lines()).find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        return Some(version.trim().trim_matches('"').to_owned());
    }
    let said = said_by(&home.join("bin/javac"), "-version").ok()?;
    let version = said.lines().find_map(|line| line.strip_prefix("javac "))?;
    Some(version.trim().to_owned())
}

/// Parses 8 of `1.8`, `1.8.0_392` and `8`, 17 of `17.0.15`.
pub(crate) fn feature(version: &str) -> Option<u32> {
    let version = version.trim();
    let version = version.strip_prefix("1.").unwrap_or(version);
    let digits = version
        .split(|version: char| !version.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

/// Finds the home of the Maven that a path means: a home, or the program.
fn maven(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let above = path.parent().and_then(Path::parent).map(Path::to_owned);
    let home = if path.is_dir() { path } else { above? };
    (home.join("bin/mvn").is_file() && has_core(&home)).then_some(home)
}

/// Tells whether a folder has Maven's core: the root of many systems has a `bin/mvn` and a `lib`, too.
fn has_core(home: &Path) -> bool {
    let entries = fs::read_dir(home.join("lib"))
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .into_iter()
        .any(|name| name.starts_with("maven-core") && name.strip_suffix(".jar").is_some())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder can be made")
    }

    fn make_jdk(home: &Path, version: &str) {
        fs::create_dir_all(home.join("bin")).expect("it is made");
        fs::write(home.join("bin/javac"), "").expect("it is written");
        let release = format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n");
        fs::write(home.join("release"), release).expect("it is written");
    }

    #[test]
    fn versions_are_read_as_both_schemes_write_them() {
        let check = |version, expected| assert_eq!(feature(version), expected, "{version}");
        check("1.8.0_392", Some(8));
        check("1.5", Some(5));
        check("17.0.15", Some(17));
        check(" 21-ea", Some(21));
        check("", None);
        check("${x}", None);
    }

    #[test]
    fn the_jdk_is_the_nearest_that_is_not_older() {
        let jdk = |feature: u32| Jdk {
            home: PathBuf::from(format!("/{feature}")),
            version: feature.to_string(),
            feature,
        };
        let jdks = [jdk(25), jdk(8), jdk(17)];
        let check = |asked, expected| {
            assert_eq!(
                choose(&jdks, asked).expect("there is one").feature,
                expected
            );
        };
        check(None, 8);
        check(Some(5), 8);
        check(Some(8), 8);
        check(Some(11), 17);
        check(Some(21), 25);
        let none = choose(&jdks, Some(26)).expect_err("there is none");
        let said = "the project asks for Java 26, and the newest JDK here is 25";
        assert_eq!(none.to_string(), said);
        let none = choose(&[], None).expect_err("there is none");
        assert!(matches!(none, RunnerError::Missing { .. }));
    }

    #[test]
    fn jdks_are_found_once_whatever_links_lead_to_them() {
        let place = folder();
        make_jdk(&place.path().join("a"), "17.0.1");
        make_jdk(&place.path().join("b"), "1.8.0_1");
        make_jdk(&place.path().join("new"), "99");
        fs::create_dir(place.path().join("jre")).expect("it is made");
        symlink("a", place.path().join("link")).expect("it is linked");
        let machine = Machine {
            java_home: Some(place.path().join("link")),
            jvm_folders: vec![place.path().to_owned()],
            ..Machine::default()
        };
        let check = |asked: &[PathBuf], expected: &[u32]| {
            let found = machine.jdks(asked).expect("they are found");
            let features: Vec<u32> = found.iter().map(|jdk| jdk.feature).collect();
            assert_eq!(features, expected);
        };
        check(&[], &[17, 8]);
        check(&[place.path().join("b")], &[8, 17]);
        let none = machine.jdks(&[place.path().join("jre")]);
        assert!(matches!(
            none,
            Err(RunnerError::Missing {
                program: "javac",
                ..
            })
        ));
    }

    #[test]
    fn a_jdk_without_a_release_file_says_its_version_itself() {
        use std::os::unix::fs::PermissionsExt;
        let place = folder();
        let (home, mute) = (place.path().join("a"), place.path().join("b"));
        for (home, program) in [
            (&home, "#!/bin/sh\necho javac 1.8.0_504 >&2\n"),
            (&mute, ""),
        ] {
            fs::create_dir_all(home.join("bin")).expect("it is made");
            let javac = home.join("bin/javac");
            fs::write(&javac, program).expect("it is written");
            fs::set_permissions(&javac, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let found = jdk(&home).expect("it says so");
        assert_eq!((found.version.as_str(), found.feature), ("1.8.0_504", 8));
        assert_eq!(jdk(&mute), None);
    }

    #[test]
    fn the_home_of_maven_is_where_links_lead() {
        let place = folder();
        let home = place.path().join("maven-3");
        for text in ["bin/mvn", "lib/maven-core-3.9.6.jar"] {
            let path = home.join(text);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
            fs::write(path, "").expect("it is written");
        }
        fs::create_dir(place.path().join("bin")).expect("it is made");
        symlink(home.join("bin/mvn"), place.path().join("bin/mvn")).expect("it is linked");
        let expected = fs::canonicalize(&home).expect("it is there");
        let mut machine = Machine {
            path: place.path().join("bin").into(),
            ..Machine::default()
        };
        assert_eq!(machine.maven(None).expect("it is found"), expected);
        assert_eq!(machine.maven(Some(&home)).expect("it is found"), expected);
        assert!(machine.maven(Some(place.path())).is_err());
        machine.path = OsString::new();
        let missing = machine.maven(None).expect_err("there is none");
        assert!(matches!(
            missing,
            RunnerError::Missing { program: "mvn", .. }
        ));
    }

    #[test]
    fn of_options_only_the_way_out_is_taken() {
        let options = "-Xmx1g -Dhttps.proxyHost=p -javaagent:x -Djavax.net.ssl.trustStore=/t";
        let machine = Machine::new([("MAVEN_OPTS".into(), options.into())]);
        assert_eq!(
            machine.maven_options,
            ["-Dhttps.proxyHost=p", "-Djavax.net.ssl.trustStore=/t"]
        );
    }
}
