//! Reads the events of our extension of Maven: one JSON object a line, read as text that foreign code may have written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::java::{Javac, Module, Surefire, UnbuiltModule};

/// Beginnings of javac's arguments that have no influence on whether a test compiles.
const NEEDLESS: [&str; 17] = [
    "-Xlint",
    "-Werror",
    "-Xdoclint",
    "-Xplugin",
    "-Xpkginfo",
    "-Xep",
    "-XD",
    "-J",
    "-proc:",
    "-A",
    "-g",
    "-verbose",
    "-deprecation",
    "-nowarn",
    "-implicit:",
    "--should-stop",
    "-parameters",
];
/// The same for arguments that a value follows.
const NEEDLESS_PAIRS: [&str; 9] = [
    // The project does not decide where classes are written.
    "-d",
    "--processor-module-path",
    "-processor",
    "-processorpath",
    "--processor-path",
    "-Xmaxerrs",
    "-Xmaxwarns",
    "-s",
    "-h",
];
/// The most characters of a reason that are kept; it begins with what matters.
const REASON_CHARS_MAX: usize = 2000;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    /// A module that Maven has read.
    Project {
        folder: PathBuf,
        packaging: String,
    },
    Edited {
        what: String,
        text: String,
    },
    /// Its tests have compiled.
    Module(Box<MavenModule>),
    Failed {
        folder: PathBuf,
        plugin: Option<String>,
        message: String,
    },
    Skipped {
        folder: PathBuf,
    },
    /// The extension itself has failed.
    Fault {
        message: String,
    },
    Resolved {
        coordinates: String,
        paths: Option<Vec<PathBuf>>,
        message: Option<String>,
    },
    /// All that could be downloaded for a build has been.
    Fetched,
    /// Something that it may need could not be downloaded.
    Unresolved {
        message: String,
    },
    /// An artifact that the poms lead to.
    Named {
        coordinates: String,
    },
    /// An artifact that was looked for without a network, and is not there.
    Missing {
        coordinates: String,
    },
}

/// A module as Maven has it.
#[derive(Clone, Debug, Deserialize)]
struct MavenModule {
    folder: PathBuf,
    artifact: String,
    source_roots: Vec<PathBuf>,
    test_source_roots: Vec<PathBuf>,
    output: PathBuf,
    test_output: PathBuf,
    test_class_path: Vec<PathBuf>,
    #[serde(default)]
    compiler: Value,
    #[serde(default)]
    surefire: Value,
    surefire_version: Option<String>,
    #[serde(default)]
    surefire_dependencies: Vec<String>,
}

/// The events of one call of Maven.
#[derive(Clone, Debug, Default)]
pub struct MavenEvents {
    pub modules: Vec<Module>,
    pub unbuilt: Vec<UnbuiltModule>,
    /// Plugins that failed, as `group:artifact`.
    pub failed_plugins: BTreeSet<String>,
    pub notes: BTreeSet<String>,
    /// Whether Maven came as far as to begin with the modules.
    pub has_begun: bool,
    /// Jars by the requested coordinates, or the reason why there are none.
    pub resolved: BTreeMap<String, Result<Vec<PathBuf>, String>>,
    /// Whether everything was tried that a build may need to download.
    pub is_fetched: bool,
    /// Why some of it could not be had.
    pub unresolved: BTreeSet<String>,
    /// The artifacts that poms name, and those that these need: `group:artifact`, mostly with a version. It can be
    /// trusted only in calls that run no code of the project.
    pub named: BTreeSet<String>,
    /// Coordinates of artifacts that were missing without a network.
    pub missing: BTreeSet<String>,
}

/// The folders that paths in a build's events may lead to: its tree, and others.
#[derive(Clone, Debug)]
pub struct BuildPlaces<'p> {
    pub tree: &'p Path,
    pub others: Vec<&'p Path>,
}

impl BuildPlaces<'_> {
    /// Tells whether a path may be shown to tests: it is plain and in a folder that the build itself could see.
    fn holds(&self, path: &Path) -> bool {
        let is_plain = |component: Component<'_>| {
            matches!(component, Component::RootDir | Component::Normal(_))
        };
        let mut places = self.others.iter().copied().chain([self.tree]);
        path.components().all(is_plain) && places.any(|place| path.starts_with(place))
    }

    fn kept(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths
            .iter()
            .filter(|path| self.holds(path))
            .cloned()
            .collect()
    }

    /// Finds the folder of a module relative to the tree.
    fn folder(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(self.tree).ok()?;
        self.holds(&self.tree.join(path))
            .then(|| path.to_string_lossy().into_owned())
    }
}

/// Reads the events of the extension; other lines are ignored.
pub fn read(text: &str, places: &BuildPlaces<'_>) -> MavenEvents {
    let mut heard = MavenEvents::default();
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    let mut unbuilt: BTreeMap<String, String> = BTreeMap::new();
    let mut poms = BTreeSet::new();
    for event in text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
    {
        match event {
            Event::Project { folder, packaging } => {
                heard.has_begun = true;
                if let Some(folder) = places.folder(&folder).filter(|_| packaging == "pom") {
                    poms.insert(folder);
                }
            }
            Event::Edited { what, text } => {
                heard.notes.insert(format!("{what}: {text}"));
            }
            Event::Module(told) => {
                if let Some(module) = module(*told, places) {
                    // A later execution may have lost the class path.
                    let is_first = modules
                        .get(&module.folder)
                        .is_none_or(|module| module.test_class_path.is_empty());
                    if is_first {
                        modules.insert(module.folder.clone(), module);
                    }
                }
            }
            Event::Failed {
                folder,
                plugin,
                message,
            } => {
                if let Some(plugin) = plugin.or_else(|| named_plugin(&message)) {
                    heard.failed_plugins.insert(plugin);
                }
                if let Some(folder) = places.folder(&folder) {
                    // Later messages of Maven about the same module say less.
                    unbuilt
                        .entry(folder)
                        .or_insert_with(|| reason(&message, places.tree));
                }
            }
            Event::Skipped { folder } => {
                if let Some(folder) = places.folder(&folder) {
                    let reason = "a module that it needs was not built".to_owned();
                    unbuilt.entry(folder).or_insert(reason);
                }
            }
            Event::Fault { message } => {
                heard.notes.insert(format!("not known: {message}"));
            }
            Event::Resolved {
                coordinates,
                paths,
                message,
            } => {
                let found = paths.map(|path| places.kept(&path));
                let found = found.ok_or_else(|| message.unwrap_or_default());
                heard.resolved.insert(coordinates, found);
            }
            Event::Fetched => heard.is_fetched = true,
            Event::Unresolved { message } => {
                heard.unresolved.insert(message);
            }
            Event::Missing { coordinates } if is_coordinates(&coordinates) => {
                heard.missing.insert(coordinates);
            }
            Event::Missing { .. } => {}
            Event::Named { coordinates } => {
                heard.named.insert(coordinates);
            }
        }
    }
    // A module whose tests have compiled can be run, even where a later goal fails.
    unbuilt.retain(|folder, _| !modules.contains_key(folder));
    // A module without classes is listed only where it has failed.
    unbuilt.retain(|folder, reason| !poms.contains(folder) || !reason.starts_with("a module that"));
    heard.modules = modules.into_values().collect();
    heard.unbuilt = unbuilt
        .into_iter()
        .map(|(folder, reason)| UnbuiltModule { folder, reason })
        .collect();
    heard
}

/// Tells whether a word names an artifact and can do no more: it goes on Maven's command line, and into paths.
pub fn is_coordinates(word: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
        !part.is_empty() && part.chars().all(is_plain) && part.trim_matches('.') == part
    };
    (3..=5).contains(&word.split(':').count()) && word.split(':').all(is_part)
}

/// Reads the plugin in `Failed to execute goal group:artifact:version:goal`.
fn named_plugin(message: &str) -> Option<String> {
    let marks = ["Failed to execute goal ", "The plugin ", "Plugin "];
    let (_, rest) = marks.iter().find_map(|mark| message.split_once(mark))?;
    let word = rest.split_whitespace().next()?;
    let parts: Vec<&str> = word.split(':').collect();
    (parts.len() >= 3).then(|| format!("{}:{}", parts[0], parts[1]))
}

/// Shortens a reason, and writes its paths relative to the tree.
fn reason(message: &str, tree: &Path) -> String {
    let tree = format!("{}/", tree.display());
    let message = message.replace(&tree, "");
    let lines = message
        .lines()
        .map(str::trim_end)
        .filter(|text| !text.trim().is_empty());
    let text: String = lines.take(12).collect::<Vec<_>>().join("\n");
    text.chars().take(REASON_CHARS_MAX).collect()
}

fn module(told: MavenModule, places: &BuildPlaces<'_>) -> Option<Module> {
    let is_ours = places.holds(&told.output) && places.holds(&told.test_output);
    Some(Module {
        folder: places.folder(&told.folder).filter(|_| is_ours)?,
        artifact: told.artifact,
        source_roots: places.kept(&told.source_roots),
        test_source_roots: places.kept(&told.test_source_roots),
        output: told.output,
        test_output: told.test_output,
        test_class_path: places.kept(&told.test_class_path),
        javac: javac(&told.compiler),
        surefire: Surefire {
            version: told.surefire_version,
            dependencies: told.surefire_dependencies,
            ..surefire(&told.surefire, places)
        },
        launcher: Vec::new(),
    })
}

fn javac(told: &Value) -> Javac {
    let text = |name: &str| text(&told[name]);
    let for_tests = |test: &str, main: &str| text(test).or_else(|| text(main));
    let mut arguments = strings(&told["compilerArgs"]);
    arguments.extend(for_tests("testCompilerArgument", "compilerArgument"));
    let map = ["testCompilerArguments", "compilerArguments"].into_iter();
    if let Some(Value::Object(map)) = map.map(|map| &told[map]).find(|value| value.is_object()) {
        for (name, value) in map {
            arguments.push(format!("-{}", name.trim_start_matches('-')));
            arguments.extend(self::text(value));
        }
    }
    if text("enablePreview").as_deref() == Some("true") {
        arguments.push("--enable-preview".to_owned());
    }
    Javac {
        release: for_tests("testRelease", "release"),
        source: for_tests("testSource", "source"),
        target: for_tests("testTarget", "target"),
        encoding: text("encoding"),
        has_parameters: text("parameters").as_deref() == Some("true")
            || arguments.iter().any(|argument| argument == "-parameters"),
        others: needed(arguments),
    }
}

/// Drops arguments that have no influence on whether a test compiles.
fn needed(arguments: Vec<String>) -> Vec<String> {
    let mut needed = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if NEEDLESS_PAIRS.contains(&argument.as_str()) {
            arguments.next();
        } else if !NEEDLESS.iter().any(|text| argument.starts_with(text)) {
            needed.push(argument);
        }
    }
    needed
}

fn surefire(told: &Value, places: &BuildPlaces<'_>) -> Surefire {
    let mut properties = pairs(&told["systemProperties"]);
    properties.extend(pairs(&told["systemPropertyVariables"]));
    let class_path = strings(&told["additionalClasspathElements"]);
    let class_path: Vec<PathBuf> = class_path.into_iter().map(PathBuf::from).collect();
    Surefire {
        version: None,
        dependencies: Vec::new(),
        arg_line: text(&told["argLine"]).unwrap_or_default(),
        properties,
        environment: pairs(&told["environmentVariables"]),
        class_path: places.kept(&class_path),
        working_folder: text(&told["workingDirectory"])
            .map(PathBuf::from)
            .filter(|path| places.holds(path)),
        includes: strings(&told["includes"]),
        excludes: strings(&told["excludes"]),
    }
}

fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads a list of XML, which arrives as a list, or as a map where each name occurs once.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(items) => items.values().flat_map(strings).collect(),
        other => text(other).into_iter().collect(),
    }
}

/// Reads names and values, which arrive as a map, or as a list of `name` and `value`.
fn pairs(value: &Value) -> BTreeMap<String, String> {
    let plain = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match value {
        Value::Object(map) if map.contains_key("property") => pairs(&map["property"]),
        Value::Object(map) if map.contains_key("name") && map.contains_key("value") => {
            [(plain(&map["name"]), plain(&map["value"]))].into()
        }
        Value::Object(map) => map
            .iter()
            .map(|map| (map.0.clone(), plain(map.1)))
            .collect(),
        Value::Array(items) => items.iter().flat_map(pairs).collect(),
        _ => BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> BuildPlaces<'static> {
        BuildPlaces {
            tree: Path::new("/c/tree"),
            others: vec![Path::new("/c/repository")],
        }
    }

    fn module_line(folder: &str, compiler: &str, surefire: &str) -> String {
        format!(
            r#"{{"event":"module","folder":"{folder}","artifact":"g:a:1","execution":"default-testCompile","source_roots":["{folder}/src","/etc"],"test_source_roots":[],"output":"{folder}/target/classes","test_output":"{folder}/target/test-classes","test_class_path":["/c/repository/x.jar","/home/ada/.ssh","/c/tree/../../etc"],"compiler":{compiler},"surefire_version":"3.5.6","surefire":{surefire}}}"#
        )
    }

    #[test]
    fn a_module_is_what_maven_says_of_it_within_the_build() {
        let line = module_line(
            "/c/tree/a",
            r#"{"release":"8","testRelease":"17","encoding":"UTF-8","parameters":"false","source":null,"compilerArgs":["-Xlint:all","--add-exports","x/y=ALL-UNNAMED","-processor","p.Q","-parameters"],"compilerArgument":"-verbose"}"#,
            r#"{"argLine":" -Xmx1g ","systemPropertyVariables":{"a":"1","b":null},"systemProperties":{"property":[{"name":"c","value":"3"}]},"includes":["**/*Test.java"],"excludes":{"exclude":"**/X.java"},"workingDirectory":"/tmp"}"#,
        );
        let heard = read(&line, &places());
        let [module] = heard.modules.as_slice() else {
            panic!("{heard:?}")
        };
        assert_eq!(module.folder, "a");
        assert_eq!(module.source_roots, [Path::new("/c/tree/a/src")]);
        assert_eq!(module.test_class_path, [Path::new("/c/repository/x.jar")]);
        assert_eq!(module.javac.release.as_deref(), Some("17"));
        assert_eq!(module.javac.source, None);
        assert!(module.javac.has_parameters);
        assert_eq!(module.javac.others, ["--add-exports", "x/y=ALL-UNNAMED"]);
        assert_eq!(module.surefire.arg_line, "-Xmx1g");
        let properties: Vec<String> = module
            .surefire
            .properties
            .iter()
            .map(|property| format!("{}={}", property.0, property.1))
            .collect();
        assert_eq!(properties, ["a=1", "b=", "c=3"]);
        assert_eq!(module.surefire.includes, ["**/*Test.java"]);
        assert_eq!(module.surefire.excludes, ["**/X.java"]);
        assert_eq!(module.surefire.working_folder, None);
    }

    #[test]
    fn what_fails_after_the_tests_have_compiled_is_no_failure() {
        let text = [
            r#"{"event":"project","folder":"/c/tree","artifact":"g:r:1","packaging":"pom"}"#,
            &module_line("/c/tree/a", "null", "null"),
            r#"{"event":"failed","folder":"/c/tree/a","plugin":"g:p","message":"x"}"#,
            r#"{"event":"failed","folder":"/c/tree/b","plugin":null,"message":"Failed to execute goal g:q:1:run (x) on project b: /c/tree/b/F.java is bad"}"#,
            r#"{"event":"failed","folder":"/c/tree/b","plugin":null,"message":"less"}"#,
            r#"{"event":"skipped","folder":"/c/tree/c"}"#,
            r#"{"event":"skipped","folder":"/c/tree"}"#,
            r#"{"event":"skipped","folder":"/elsewhere"}"#,
            "no JSON",
            r#"{"event":"later"}"#,
        ]
        .join("\n");
        let heard = read(&text, &places());
        assert!(heard.has_begun);
        let unbuilt: Vec<(&str, &str)> = heard
            .unbuilt
            .iter()
            .map(|unbuilt_module| {
                (
                    unbuilt_module.folder.as_str(),
                    unbuilt_module.reason.as_str(),
                )
            })
            .collect();
        assert_eq!(
            unbuilt,
            [
                (
                    "b",
                    "Failed to execute goal g:q:1:run (x) on project b: b/F.java is bad"
                ),
                ("c", "a module that it needs was not built"),
            ]
        );
        let failed: Vec<&String> = heard.failed_plugins.iter().collect();
        assert_eq!(failed, ["g:p", "g:q"]);
    }

    #[test]
    fn what_is_missing_is_told_by_names_that_lead_nowhere_else() {
        let line =
            |coordinates: &str| format!(r#"{{"event":"missing","coordinates":"{coordinates}"}}"#);
        let check = |coordinates: &str, expected: bool| {
            let heard = read(&line(coordinates), &places());
            assert_eq!(
                heard.missing.contains(coordinates),
                expected,
                "{coordinates}"
            );
        };
        check("g.h:a-b:jar:1.0_2", true);
        check("g:a:exe:linux-x86_64:3.25.1", true);
        check("g:a", false);
        check("g:a:jar:1,evil:x:1", false);
        check("..:a:jar:1", false);
        check("g:../../x:jar:1", false);
        check("g:a:jar: -Dx=y", false);
    }

    #[test]
    fn a_list_of_one_element_is_a_list() {
        let value = serde_json::json!({"a": {"x": "1"}, "b": ["2", "3"], "c": "4", "d": null});
        let check = |name: &str, expected: &[&str]| assert_eq!(strings(&value[name]), expected);
        check("a", &["1"]);
        check("b", &["2", "3"]);
        check("c", &["4"]);
        check("d", &[]);
    }
}
